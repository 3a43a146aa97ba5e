/** Return codes: the tenant chooses the effects within the contract, and the what-if equals a count by hand. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { must } from "../../src/lib/assert.ts";
import { manualClock } from "../../src/lib/clock.ts";
import { randomIds } from "../../src/lib/ids.ts";
import { returnRuleFigures } from "../../src/reports/statistics/return-rules.ts";
import { countFiguresJob } from "../../src/reports/statistics/job.ts";
import { cyclesOf, readSubscription, subscribe, switchAccount } from "../support/billing.ts";
import { assertBooksAgree } from "../support/books.ts";
import { createMerchant, createRecord, IBAN, lead, type Merchant } from "../support/merchant.ts";
import { startService, type Json, type Response, type Service } from "../support/service.ts";

const clock = manualClock(new Date("2026-03-04T10:00:00Z"));
/** The id that the service generates for everything; null: a random one each time. */
let drawn: string | null = null;
let service: Service;

before(async () => {
  service = await startService({ clock, ids: { ...randomIds, uuid: () => drawn ?? randomIds.uuid() } });
});
after(async () => {
  await assertBooksAgree(service.db).finally(() => service.close());
});

type Rules = Readonly<Record<string, string>>;

function setRules({ key }: Merchant, rules: Rules): Promise<Response> {
  return service.call("PATCH", "management/tenant/", { return_rules: rules }, { key });
}

async function merchantWith(rules: Rules): Promise<Merchant> {
  const merchant = await createMerchant(service);
  const { status, text } = await setRules(merchant, rules);
  assert.equal(status, 200, text);
  await createRecord(service, merchant.key, "webhook-profiles", {
    name: "Guards",
    url: "http://127.0.0.1:9/",
    events: ["guard.triggered"],
  });
  return merchant;
}

async function moveTo({ key }: Merchant, day: string): Promise<void> {
  const moved = await service.post("management/clock/", { date: `${day}T12:00:00Z` }, { key });
  assert.equal(moved.status, 200, moved.text);
}

async function standOf(merchant: Merchant, id: string): Promise<readonly unknown[]> {
  const shown = await readSubscription(service, merchant, id);
  return [shown["status"], ...cyclesOf(shown)];
}

async function mandateOf(merchant: Merchant, subscription: string): Promise<Json> {
  const [row] = await service.rows("select mandate_id from subscriptions where id = $1", [subscription]);
  return (await service.get(`management/mandates/${row?.["mandate_id"]}/`, { key: merchant.key })).body;
}

/** A one-off payment that is charged back with a code; the payment's result. */
async function chargedBack(merchant: Merchant, iban: string, code: string): Promise<Json> {
  const paid = (await merchant.pay(await merchant.session(), iban)).body;
  const body = { transaction_id: paid["transaction"].id, reason_code: code };
  const { status, text } = await service.post("management/chargebacks/", body, { key: merchant.key });
  assert.equal(status, 201, text);
  return paid;
}

const events = async ({ tenantId }: Merchant) =>
  (
    await service.rows(
      "select e.payload -> 'guard' as guard from events e join tenants n on n.tenant = e.tenant where n.id = $1 and e.type = 'guard.triggered' order by e.number",
      [tenantId],
    )
  ).map(({ guard }) => [(guard as Json)["kind"], (guard as Json)["code"], (guard as Json)["action"]]);

const AFTER_LACK_OF_FUNDS: readonly (readonly [rules: Rules, stand: readonly string[], mandate: string])[] = [
  [{}, ["PAST_DUE", "1:retry"], "active"],
  [{ AM04: "ask_customer" }, ["PAST_DUE", "1:failed"], "active"],
  [{ AM04: "end_subscription" }, ["CANCELLED", "1:failed"], "active"],
  [{ AM04: "end_mandate" }, ["CANCELLED", "1:failed"], "cancelled"],
  [{ AM04: "block_account" }, ["CANCELLED", "1:failed"], "cancelled"],
];
for (const [rules, stand, status] of AFTER_LACK_OF_FUNDS) {
  const action = rules["AM04"];
  test(`a renewal without funds: ${action ?? "the default"} makes it ${stand.join(" ")}, its mandate ${status}`, async () => {
    const merchant = await merchantWith(rules);
    const id = await subscribe(merchant);
    await switchAccount(service, id, IBAN.insufficientFunds);
    await moveTo(merchant, "2026-04-07");
    assert.deepEqual(await standOf(merchant, id), stand);
    const mandate = await mandateOf(merchant, id);
    assert.deepEqual(
      [mandate["status"], mandate["account_blocked_at"] !== null],
      [status, action === "block_account"],
    );
    const expected = action === undefined ? [] : [["return_rule", "AM04", action]];
    assert.deepEqual(await events(merchant), expected);
    const [row] = await service.rows(
      "select id from transactions where subscription_id = $1 and type = 'sdd_rebill'",
      [id],
    );
    const shown = await service.get(`management/transactions/${row?.["id"]}/`, { key: merchant.key });
    const steps = shown.body["timeline"].filter(({ kind }: Json) => kind === "rule");
    assert.deepEqual(
      steps.map(({ what, why }: Json) => [what, why]),
      action === undefined ? [] : [[action, "AM04"]],
    );
  });
}

test("a returned debit blocks its account: no payment, no amendment, no renewal of another mandate, until it is unblocked", async () => {
  const merchant = await merchantWith({ AC04: "block_account" });
  const { key } = merchant;
  const other = await subscribe(merchant);
  const third = await subscribe(merchant, {}, IBAN.approvedDutch);
  await chargedBack(merchant, IBAN.approved, "AC04");

  const token = await merchant.session();
  const refused = (await merchant.pay(token, IBAN.approved)).body;
  assert.deepEqual(
    [refused["status"], refused["error_details"].code, refused["retry_allowed"], refused["transaction"]],
    ["declined", "do_not_honor", true, null],
  );
  const [used] = await service.rows(
    "select attempts_used from sessions order by created_at desc, id desc limit 1",
  );
  assert.equal(used?.["attempts_used"], 0);
  const mandateId = (await mandateOf(merchant, third))["id"];
  const amended = await service.post(
    `management/mandates/${mandateId}/amend/`,
    { iban: IBAN.approved },
    { key },
  );
  assert.equal(amended.status, 400, amended.text);
  await moveTo(merchant, "2026-04-07");
  assert.deepEqual(await standOf(merchant, other), ["CANCELLED"], "another mandate of the account");
  assert.deepEqual(await standOf(merchant, third), ["ACTIVE", "1:paid"], "another account");

  const listed = await service.get("management/mandates/?account_blocked=true", { key });
  const [blocked, ...more] = listed.body["results"];
  assert.equal(more.length, 0);
  const stranger = await createMerchant(service);
  const unblock = (as: Merchant) =>
    service.post(`management/mandates/${blocked["id"]}/unblock-account/`, {}, { key: as.key });
  assert.equal((await unblock(stranger)).status, 404);
  const lifted = await unblock(merchant);
  assert.deepEqual([lifted.body["account_blocked_at"], lifted.body["status"]], [null, "cancelled"]);
  assert.equal((await unblock(merchant)).status, 200);
  const again = await merchant.session();
  assert.equal((await merchant.pay(again, IBAN.approved)).body["status"], "completed");
  const audited = await service.get(`management/audit-log/?resource=mandates&resource_id=${blocked["id"]}`, {
    key,
  });
  assert.deepEqual(
    audited.body["results"].map(({ before }: Json) => before["is_account_blocked"]),
    [false, true],
    "the lift, and the request that changed nothing",
  );
});

test("lifting a block under the id of another operation is refused, and the account stays blocked", async () => {
  const merchant = await merchantWith({ AC04: "block_account" });
  const { key } = merchant;
  await chargedBack(merchant, IBAN.approved, "AC04");
  const listed = await service.get("management/mandates/?account_blocked=true", { key });
  const path = `management/mandates/${listed.body["results"][0].id}/`;
  const unblock = () => service.post(`${path}unblock-account/`, {}, { key });
  const audited = await service.get("management/audit-log/?resource=tenants", { key });
  const [used] = audited.body["results"];
  assert.equal(used.action, "update", "setting the rules");

  drawn = used.id;
  const refused = await unblock().finally(() => (drawn = null));
  assert.deepEqual([refused.status, refused.body["code"]], [409, "already_exists"], refused.text);
  const { body } = await service.get(path, { key });
  assert.notEqual(body["account_blocked_at"], null);

  const lifted = await unblock();
  assert.deepEqual([lifted.status, lifted.body["account_blocked_at"]], [200, null]);
});

test("another tenant's blocked account is accepted", async () => {
  const merchant = await merchantWith({ AC04: "block_account" });
  await chargedBack(merchant, IBAN.approved, "AC04");
  const stranger = await createMerchant(service);
  assert.equal((await stranger.pay(await stranger.session(), IBAN.approved)).body["status"], "completed");
});

test("a debit that is returned after its mandate has ended blocks the account; any mandate of the account can unblock it", async () => {
  const merchant = await merchantWith({ AC04: "block_account" });
  const { key } = merchant;
  const pays = async () => (await merchant.pay(await merchant.session(), IBAN.approved)).body["status"];
  const ended = await mandateOf(merchant, await subscribe(merchant));
  const other = await mandateOf(merchant, await subscribe(merchant));
  const cancelled = await service.post(`management/mandates/${ended["id"]}/cancel/`, {}, { key });
  assert.equal(cancelled.status, 200, cancelled.text);
  const [row] = await service.rows("select id from transactions where mandate_id = $1", [ended["id"]]);
  const body = { transaction_id: row?.["id"], reason_code: "AC04" };
  assert.equal((await service.post("management/chargebacks/", body, { key })).status, 201);
  assert.equal(await pays(), "declined");
  const lifted = await service.post(`management/mandates/${other["id"]}/unblock-account/`, {}, { key });
  assert.equal(lifted.status, 200, lifted.text);
  assert.equal(await pays(), "completed");
  assert.deepEqual(await events(merchant), [["return_rule", "AC04", "block_account"]]);
});

test("an erasure of the customer lifts the block of their account, and nothing is listed as blocked", async () => {
  const merchant = await merchantWith({ AC04: "block_account" });
  const { key } = merchant;
  const paid = await chargedBack(merchant, IBAN.approved, "AC04");
  const [row] = await service.rows("select lead_id from transactions where id = $1", [
    paid["transaction"].id,
  ]);
  const erased = await service.post(
    `management/customers/${row?.["lead_id"]}/erase/`,
    { give_up_evidence: true },
    { key },
  );
  assert.equal(erased.status, 200, erased.text);
  assert.equal((await merchant.pay(await merchant.session(), IBAN.approved)).body["status"], "completed");
  const listed = await service.get("management/mandates/?account_blocked=true", { key });
  assert.deepEqual(listed.body["results"], []);
});

test("the rule applies to a first payment that is returned before it settles; a withdrawn chargeback does not count as a return", async () => {
  const merchant = await merchantWith({ AM04: "block_account" });
  const { key } = merchant;
  await merchant.pay(await merchant.session(), IBAN.returned);
  await service.post("management/sandbox/tick/", undefined, { key });
  assert.equal((await merchant.pay(await merchant.session(), IBAN.returned)).body["status"], "declined");
  assert.deepEqual(await events(merchant), [["return_rule", "AM04", "block_account"]]);
  // A refusal at the page follows no rule, and is no return.
  await merchant.pay(await merchant.session(), IBAN.insufficientFunds);
  const withdrawn = await chargedBack(merchant, IBAN.approved, "MD06");
  await service.rows("update chargebacks set withdrawn_on = '2026-03-05' where transaction_id = $1", [
    withdrawn["transaction"].id,
  ]);
  const { body } = await service.get("management/statistics/return-rules/", { key });
  const came = body["results"].filter(({ returns }: Json) => returns > 0);
  assert.deepEqual(
    came.map(({ code, returns }: Json) => [code, returns]),
    [["AM04", 1]],
  );
  await service.rows("update chargebacks set withdrawn_on = null where transaction_id = $1", [
    withdrawn["transaction"].id,
  ]);
});

test("a debit from an account that its mandate has left since ends the mandate, and blocks no account", async () => {
  const merchant = await merchantWith({ AC04: "block_account" });
  const { key } = merchant;
  const id = await subscribe(merchant);
  const { id: mandateId } = await mandateOf(merchant, id);
  const [row] = await service.rows("select id from transactions where mandate_id = $1", [mandateId]);
  clock.advance(1_000);
  const amended = await service.post(
    `management/mandates/${mandateId}/amend/`,
    { iban: IBAN.approvedDutch },
    { key },
  );
  assert.equal(amended.status, 200, amended.text);
  await service.post(
    "management/chargebacks/",
    { transaction_id: row?.["id"], reason_code: "AC04" },
    { key },
  );
  const mandate = await mandateOf(merchant, id);
  assert.deepEqual([mandate["status"], mandate["account_blocked_at"]], ["cancelled", null]);
});

test("a later change of a rule does not change earlier effects: the rule at that time counts", async () => {
  const merchant = await merchantWith({ MD06: "end_mandate" });
  const before = await chargedBack(merchant, IBAN.approved, "MD06");
  assert.equal((await setRules(merchant, {})).status, 200);
  clock.advance(1_000);
  const later = await chargedBack(merchant, IBAN.approvedDutch, "MD06");
  const rows = await service.rows(
    "select t.return_action, m.status from transactions t join mandates m on m.tenant = t.tenant and m.id = t.mandate_id where t.id = any ($1) order by t.created_at",
    [[before["transaction"].id, later["transaction"].id]],
  );
  assert.deepEqual(rows, [
    { return_action: "end_mandate", status: "cancelled" },
    { return_action: null, status: "active" },
  ]);
});

for (const [code, action] of [
  ["MD01", "retry"],
  ["AC04", "ask_customer"],
  ["AC04", "end_subscription"],
  ["AC03", "retry"],
  ["AC03", "ask_customer"],
  ["MD06", "retry"],
  ["MS02", "retry"],
  ["ZZ99", "end_mandate"],
  ["AM04", "give_up"],
] as const) {
  test(`${code} cannot be followed by ${action}: 400, in the rules and in the what-if`, async () => {
    const merchant = await createMerchant(service);
    assert.equal((await setRules(merchant, { [code]: action })).status, 400);
    const path = `management/statistics/return-rules/?rules=${code}:${action}`;
    assert.equal((await service.get(path, { key: merchant.key })).status, 400);
  });
}

test("the what-if of 90 days equals a count by hand, and writes nothing", async () => {
  const merchant = await merchantWith({});
  // Two subscriptions that fail for lack of funds on 7 April, after Easter; the first one's second try, on 13 April, is paid.
  const mended = await subscribe(merchant, { lead: lead() });
  const broke = await subscribe(merchant, { lead: lead() });
  await switchAccount(service, mended, IBAN.insufficientFunds);
  await switchAccount(service, broke, IBAN.insufficientFunds);
  await moveTo(merchant, "2026-04-07");
  await switchAccount(service, mended, IBAN.approved);
  // The second one's tries fail on 13 and on 21 April: three attempts.
  await moveTo(merchant, "2026-04-13");
  await moveTo(merchant, "2026-04-21");
  // One payment that came back with MD06, and one later with the same account.
  await chargedBack(merchant, IBAN.approvedDutch, "MD06");
  clock.advance(1_000);
  await merchant.pay(await merchant.session(), IBAN.approvedDutch);
  const before = await service.rows("select count(*)::int as events from events");

  const ask = async (rules: string) => {
    const { status, body, text } = await service.get(
      `management/statistics/return-rules/${rules === "" ? "" : `?rules=${rules}`}`,
      { key: merchant.key },
    );
    assert.equal(status, 200, text);
    return (code: string) => {
      const row = must<Json>(
        body["results"].find((one: Json) => one["code"] === code),
        code,
      );
      const { action_then, returns, amount, not_made, not_collected, tried_again } = row;
      const { mandates_ended, accounts_blocked } = row;
      return [
        action_then,
        returns,
        amount,
        not_made,
        not_collected,
        tried_again,
        mandates_ended,
        accounts_blocked,
      ];
    };
  };
  const now = await ask("");
  // 1 + 3 refusals of 29.90 each; nothing differs from what was.
  assert.deepEqual(now("AM04"), ["retry", 4, "119.60", 0, "0.00", 0, 0, 0]);
  assert.deepEqual(now("MD06"), ["ask_customer", 1, "19.90", 0, "0.00", 0, 0, 0]);
  assert.deepEqual(now("AC04"), ["end_mandate", 0, "0.00", 0, "0.00", 0, 0, 0]);
  const asked = await ask("AM04:ask_customer");
  // Not made: the first one's second try, which brought 29.90, and the other's second and third.
  assert.deepEqual(asked("AM04"), ["ask_customer", 4, "119.60", 3, "29.90", 0, 0, 0]);
  const ended = await ask("AM04:end_mandate,MD06:block_account");
  assert.deepEqual(ended("AM04"), ["end_mandate", 4, "119.60", 3, "29.90", 0, 2, 0]);
  // The later payment of 19.90 with the same account would have been declined.
  assert.deepEqual(ended("MD06"), ["block_account", 1, "19.90", 1, "19.90", 0, 1, 1]);
  assert.deepEqual(await service.rows("select count(*)::int as events from events"), before);

  // With the rule to ask the customer there is no retry; by default there would be.
  assert.equal((await setRules(merchant, { AM04: "ask_customer" })).status, 200);
  const third = await subscribe(merchant, { lead: lead() });
  await switchAccount(service, third, IBAN.insufficientFunds);
  await moveTo(merchant, "2026-05-22");
  assert.deepEqual(await standOf(merchant, third), ["PAST_DUE", "1:failed"]);
  const again = (await ask("MD06:ask_customer"))("AM04");
  assert.deepEqual([again[0], again[5]], ["retry", 2], "the third one's, and the second's of May");

  // Returns from more than 90 days ago do not count.
  await moveTo(merchant, "2026-07-25");
  assert.equal((await ask(""))("MD06")[1], 0);
});

test("the what-if stops at its limits: it says since when it has looked, and where an account has more mandates", async () => {
  const merchant = await merchantWith({});
  const { db } = service.app.deps;
  const [row] = await service.rows("select tenant from tenants where id = $1", [merchant.tenantId]);
  const tenant: number = row?.["tenant"];
  for (let n = 0; n < 3; n += 1) {
    await chargedBack(merchant, IBAN.approvedDutch, "MD06");
    clock.advance(60_000);
  }
  await merchant.pay(await merchant.session(), IBAN.approvedDutch);
  const then = { MD06: "block_account" } as const;
  const tried = async (bounds: { most?: number; mandatesMost?: number }) => {
    const figures = await returnRuleFigures(db, tenant, clock.now(), {}, then, bounds);
    const code = figures.codes.find((one) => one.code === "MD06");
    return [
      code?.returns,
      code?.mandates_ended,
      code?.not_made,
      figures.triedAfter !== null,
      figures.isAtLeast,
    ];
  };
  assert.deepEqual(await tried({}), [3, 3, 3, false, false]);
  assert.deepEqual(await tried({ most: 3 }), [3, 3, 3, false, false]);
  // The debit that came back first is left out, and so is what followed it: the debit that came back second is not made no more.
  assert.deepEqual(await tried({ most: 2 }), [3, 2, 2, true, false]);
  assert.deepEqual(await tried({ mandatesMost: 4 }), [3, 3, 3, false, false]);
  const [returns, , notMade, , isAtLeast] = await tried({ mandatesMost: 3 });
  assert.deepEqual([returns, isAtLeast], [3, true]);
  assert.ok(Number(notMade) <= 3);
  // An import gives all of its payments the time of their day.
  await service.rows(
    "update transactions set created_at = $2 where tenant = $1 and status = 'charged_back'",
    [tenant, clock.now()],
  );
  const [, ended, , isCut] = await tried({ most: 2 });
  assert.deepEqual([ended, isCut], [2, true], "of payments of one instant, too");
});

test("returns by code are the same whether a job has added the days up or not, each payment once", async () => {
  const merchant = await merchantWith({});
  const asked = async (): Promise<readonly Json[]> =>
    (await service.get("management/statistics/return-rules/", { key: merchant.key })).body["results"];
  await chargedBack(merchant, IBAN.approved, "MD06");
  await chargedBack(merchant, IBAN.approvedDutch, "AC04");
  await merchant.pay(await merchant.session(), IBAN.insufficientFunds);
  clock.advance(86_400_000);
  const live = await asked();
  const job = countFiguresJob(service.app.deps, null);
  while ((await job.runOnce(job.batch)) > 0);
  const counted = await service.rows(
    "select bank_code, count from daily_figures where tenant = (select tenant from tenants where id = $1) and bank_code is not null order by 1",
    [merchant.tenantId],
  );
  assert.deepEqual(counted, [
    { bank_code: "AC04", count: 1 },
    { bank_code: "MD06", count: 1 },
  ]);
  assert.deepEqual(await asked(), live);
});
