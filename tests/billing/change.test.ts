/** A changed amount, day or gateway: from when it applies, what keeps its own, and what is refused. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { manualClock } from "../../src/lib/clock.ts";
import { renewDue } from "../../src/subscriptions/renew.ts";
import { cyclesOf, readSubscription, subscribe, switchAccount } from "../support/billing.ts";
import { createRace } from "../support/at-once.ts";
import { assertBooksAgree } from "../support/books.ts";
import { UNKNOWN, wordsOf } from "../support/console.ts";
import { createMerchant, createRecord, createSandbox, IBAN, type Merchant } from "../support/merchant.ts";
import { member } from "../support/people.ts";
import { OPERATOR_KEY, startService, type Json, type Response, type Service } from "../support/service.ts";

const clock = manualClock(new Date("2026-01-30T10:00:00Z"));
const race = createRace();
let service: Service;
let merchant: Merchant;

before(async () => {
  service = await startService({ clock, between: race.between });
});
after(async () => {
  await assertBooksAgree(service.db).finally(() => service.close());
});

/** Moves the merchant's time; returns when the work that became due is done. */
async function moveTo(date: string): Promise<void> {
  const { status, text } = await service.post("management/clock/", { date }, { key: merchant.key });
  assert.equal(status, 200, text);
}

const read = (id: string): Promise<Json> => readSubscription(service, merchant, id);

const change = (
  id: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  service.post(`management/subscriptions/${id}/change/`, body, { key: merchant.key, headers });

/** What each renewal has collected, oldest first. */
async function amounts(id: string): Promise<readonly string[]> {
  const rows = await service.rows(
    "select amount from transactions where subscription_id = $1 and type = 'sdd_rebill' order by created_at, id",
    [id],
  );
  return rows.map(({ amount }) => amount);
}

test("a new amount applies from the next cycle; a cycle that is retried keeps its own", async () => {
  merchant = await createMerchant(service);
  const id = await subscribe(merchant);
  await switchAccount(service, id, IBAN.insufficientFunds);
  await moveTo("2026-03-02");
  assert.deepEqual(cyclesOf(await read(id)), ["1:retry"]);
  const changed = await change(id, { amount: "34.90" });
  assert.equal(changed.status, 200, changed.text);
  assert.equal(changed.body["billing_amount"], "34.90");
  await switchAccount(service, id, IBAN.approved);
  await moveTo("2026-03-05T01:00:00Z");
  await moveTo("2026-03-31T06:00:00Z");
  assert.deepEqual(cyclesOf(await read(id)), ["1:paid", "2:paid"]);
  assert.deepEqual(await amounts(id), ["29.90", "29.90", "34.90"]);
  const [entry] = (await service.get("management/audit-log/?resource=subscriptions", { key: merchant.key }))
    .body["results"];
  assert.deepEqual([entry["before"].billing_amount, entry["after"].billing_amount], ["29.90", "34.90"]);
});

test("the expected amount of a retried cycle is its own, whatever the subscription's present amount", async () => {
  merchant = await createMerchant(service);
  const id = await subscribe(merchant);
  await switchAccount(service, id, IBAN.insufficientFunds);
  await moveTo("2026-03-02");
  assert.equal((await change(id, { amount: "34.90" })).status, 200);
  const { body, text } = await service.get("management/statistics/expected/?from=2026-03-02&to=2026-04-01", {
    key: merchant.key,
  });
  assert.deepEqual(
    body["results"].map((row: Json) => [row["retries"], row["renewals"]]),
    [
      [
        { count: 1, amount: "29.90" },
        { count: 0, amount: "0.00" },
      ],
      [
        { count: 0, amount: "0.00" },
        { count: 1, amount: "34.90" },
      ],
    ],
    text,
  );
  const { day } = body["results"][0];
  const onDay = await service.get(`management/statistics/expected/?from=${day}&to=${day}`, merchant);
  assert.deepEqual(onDay.body["results"], [body["results"][0]], "on its day, up to its end");
  const ended = await service.post(`management/subscriptions/${id}/cancel/`, {}, { key: merchant.key });
  assert.equal(ended.status, 200, ended.text);
  const nothing = await service.get("management/statistics/expected/?from=2026-03-02&to=2026-04-01", {
    key: merchant.key,
  });
  assert.deepEqual(nothing.body["results"], [], "nothing of one that has ended");
});

test("a new day applies from the next cycle, and later ones are counted from it", async () => {
  merchant = await createMerchant(service);
  const id = await subscribe(merchant);
  assert.equal((await read(id))["next_billing_date"], "2026-02-28");
  for (const [day, why] of [
    ["2026-01-30", /after today/],
    ["2027-03-01", /within a year/],
    ["2026-02-30", /./],
  ] as const) {
    const refused = await change(id, { next_billing_date: day });
    assert.equal(refused.status, 400, day);
    assert.match(String(refused.body["next_billing_date"]), why);
  }
  assert.equal((await change(id, { next_billing_date: "2026-02-16" })).status, 200);
  await moveTo("2026-02-16T06:00:00Z");
  await moveTo("2026-03-16T06:00:00Z");
  const twice = await read(id);
  assert.deepEqual(cyclesOf(twice), ["1:paid", "2:paid"]);
  assert.equal(twice["next_billing_date"], "2026-04-16");
  assert.equal((await change(id, { next_billing_date: "2026-03-31" })).status, 200);
  await moveTo("2026-03-31T06:00:00Z");
  assert.equal((await read(id))["next_billing_date"], "2026-04-30", "from the 31st by the month's end");
});

test("a change to the last day of a month keeps the subscription on month ends, and one to another day does not", async () => {
  merchant = await createMerchant(service);
  const id = await subscribe(merchant, { billing_day: "last" });
  assert.equal((await change(id, { next_billing_date: "2026-02-28" })).status, 200);
  await moveTo("2026-03-02T06:00:00Z");
  assert.equal((await read(id))["next_billing_date"], "2026-03-31");
  assert.equal((await change(id, { next_billing_date: "2026-03-16" })).status, 200);
  await moveTo("2026-03-16T06:00:00Z");
  assert.equal((await read(id))["next_billing_date"], "2026-04-16");
});

test("a cycle that is collected before its due date is not due again by a day before that", async () => {
  merchant = await createMerchant(service);
  const tenant = `management/tenants/${merchant.tenantId}/`;
  const set = await service.call("PATCH", tenant, { closed_day: "previous" }, { key: OPERATOR_KEY });
  assert.equal(set.status, 200, set.text);
  const id = await subscribe(merchant);
  assert.equal((await change(id, { next_billing_date: "2026-02-15" })).status, 200, "a Sunday");
  await moveTo("2026-02-13T06:00:00Z");
  assert.deepEqual(cyclesOf(await read(id)), ["1:paid"]);
  for (const day of ["2026-02-14", "2026-02-15"])
    assert.match(
      String((await change(id, { next_billing_date: day })).body["next_billing_date"]),
      /after the newest cycle, which was due on 2026-02-15/,
    );
  assert.equal((await change(id, { next_billing_date: "2026-02-16" })).status, 200);
});

test("a trial is not cut short, and a subscription that is collected by hand has no day to change", async () => {
  merchant = await createMerchant(service);
  const trial = await subscribe(merchant, {
    billing_type: "TRIAL_RECURRING",
    trial_interval_unit: "day",
    trial_period: 14,
  });
  const early = await change(trial, { next_billing_date: "2026-02-10" });
  assert.match(String(early.body["next_billing_date"]), /end of the trial, 2026-02-13/);
  assert.equal((await change(trial, { next_billing_date: "2026-02-16" })).status, 200);
  await moveTo("2026-02-16T06:00:00Z");
  const ended = await read(trial);
  assert.deepEqual([cyclesOf(ended), ended["next_billing_date"]], [["0:paid"], "2026-03-16"]);
});

test("a subscription that is about to end, or is another tenant's, is not changed, nor any by an invalid request", async () => {
  merchant = await createMerchant(service);
  const id = await subscribe(merchant);
  for (const body of [{}, { amount: "0.00" }, { amount: "x" }])
    assert.equal((await change(id, body)).status, 400, JSON.stringify(body));
  const other = await createMerchant(service);
  const foreign = await service.post(
    `management/subscriptions/${id}/change/`,
    { amount: "1.00" },
    { key: other.key },
  );
  assert.equal(foreign.status, 404);
  assert.equal((await change(UNKNOWN, { amount: "1.00" })).status, 404);
  const ending = await service.post(
    `management/subscriptions/${id}/cancel/`,
    { at_period_end: true },
    { key: merchant.key },
  );
  assert.equal(ending.status, 200);
  assert.equal((await change(id, { amount: "1.00" })).status, 409);
  assert.equal((await read(id))["billing_amount"], "29.90");
});

test("the same request again changes nothing more, whatever was changed in between; two at once leave one whole", async () => {
  merchant = await createMerchant(service);
  const id = await subscribe(merchant);
  const key = { "idempotency-key": "change-1" };
  assert.equal((await change(id, { amount: "31.00" }, key)).status, 200);
  assert.equal((await change(id, { amount: "32.00" })).status, 200);
  assert.equal((await change(id, { amount: "31.00" }, key)).status, 200);
  assert.equal((await read(id))["billing_amount"], "32.00");
  const both = await Promise.all([
    change(id, { amount: "40.00", next_billing_date: "2026-02-10" }),
    change(id, { amount: "50.00", next_billing_date: "2026-02-20" }),
  ]);
  assert.deepEqual(
    both.map(({ status }) => status),
    [200, 200],
  );
  const now = await read(id);
  assert.ok(
    ["40.00 2026-02-10", "50.00 2026-02-20"].includes(`${now["billing_amount"]} ${now["next_billing_date"]}`),
  );
});

for (const isChangeFirst of [true, false])
  test(`another amount and day ${isChangeFirst ? "just before" : "just after"} the renewal is claimed: the cycle is debited once, on the terms of one of the two`, async () => {
    merchant = await createMerchant(service);
    const id = await subscribe(merchant);
    await service.rows(
      "update subscriptions set next_billing_date = '2026-01-30', billing_anchor_date = '2025-12-30' where id = $1",
      [id],
    );
    const changing = async () => {
      const { status, text } = await change(id, { amount: "40.00", next_billing_date: "2026-02-10" });
      assert.equal(status, 200, text);
    };
    const renewing = () => renewDue(service.app.deps, 50);
    await (isChangeFirst
      ? race.atOnce(service, changing, renewing)
      : race.atOnce(service, renewing, changing));
    await renewing();
    const now = await read(id);
    assert.deepEqual([now["billing_amount"], now["next_billing_date"]], ["40.00", "2026-02-10"]);
    assert.deepEqual([await amounts(id), cyclesOf(now)], isChangeFirst ? [[], []] : [["29.90"], ["1:paid"]]);
  });

test("a request that changed nothing is in the audit log, and changes nothing when it is sent again after others have", async () => {
  merchant = await createMerchant(service);
  const id = await subscribe(merchant);
  const key = { "idempotency-key": "change-nothing" };
  assert.equal((await change(id, { amount: "29.90" }, key)).status, 200);
  const entries = await service.rows(
    "select before ->> 'billing_amount' as before, after ->> 'billing_amount' as after from audit_log where resource = 'subscriptions' and resource_id = $1",
    [id],
  );
  assert.deepEqual(entries, [{ before: "29.90", after: "29.90" }]);
  assert.equal((await change(id, { amount: "32.00" })).status, 200);
  // The stored answer was lost with its process.
  await service.rows(
    "update idempotency_keys set status = null, answer = null, locked_until = created_at where key = $1 returning key",
    ["change-nothing"],
  );
  assert.equal((await change(id, { amount: "29.90" }, key)).status, 200);
  assert.equal((await read(id))["billing_amount"], "32.00");
});

test("a change is announced again, with the new amount and day", async () => {
  merchant = await createMerchant(service);
  const profile = { name: "Shop", url: "https://shop.example.com/hooks", events: ["subscription.upcoming"] };
  await createRecord(service, merchant.key, "webhook-profiles", profile);
  const id = await subscribe(merchant);
  await moveTo("2026-02-20");
  const told = async () =>
    service.rows("select due_date, amount from notices where subscription_id = $1 order by created_at, id", [
      id,
    ]);
  assert.deepEqual(await told(), [{ due_date: "2026-02-28", amount: "29.90" }]);
  assert.equal((await change(id, { amount: "34.90" })).status, 200);
  await moveTo("2026-02-21");
  assert.equal((await change(id, { next_billing_date: "2026-03-03" })).status, 200);
  await moveTo("2026-02-22");
  assert.deepEqual(await told(), [
    { due_date: "2026-02-28", amount: "29.90" },
    { due_date: "2026-02-28", amount: "34.90" },
    { due_date: "2026-03-03", amount: "34.90" },
  ]);
});

test("a change that is taken back before it was announced is not announced, and the earlier notice counts again", async () => {
  merchant = await createMerchant(service);
  const profile = { name: "Shop", url: "https://shop.example.com/hooks", events: ["subscription.upcoming"] };
  await createRecord(service, merchant.key, "webhook-profiles", profile);
  const id = await subscribe(merchant);
  await moveTo("2026-02-20");
  const state = async () =>
    (
      await service.rows(
        `select announced_date = next_billing_date as is_announced, (select count(*)::int from notices n where n.subscription_id = u.id) as notices
           from subscriptions u where id = $1`,
        [id],
      )
    )[0];
  assert.deepEqual(await state(), { is_announced: true, notices: 1 });
  for (const amount of ["34.90", "29.90"]) assert.equal((await change(id, { amount })).status, 200);
  assert.deepEqual(await state(), { is_announced: null, notices: 1 });
  await moveTo("2026-02-21");
  assert.deepEqual(await state(), { is_announced: true, notices: 1 });
});

test("a new gateway collects from the next cycle on, if its creditor is the mandate's", async () => {
  merchant = await createMerchant(service);
  const id = await subscribe(merchant);
  const second = await createSandbox(service, merchant.key);
  for (const [settings, more, why] of [
    [{}, { active: false }, /No such gateway/],
    [{ creditor_name: "Another", creditor_identifier: "DE98ZZZ09999999999" }, {}, null],
  ] as const) {
    const given = { name: "Third", adapter: "sandbox", settings, ...more };
    const third = (await createRecord(service, merchant.key, "gateways", given))["id"];
    const mandates =
      "update mandates set creditor_identifier = $2 where tenant = (select tenant from subscriptions where id = $1) returning id";
    await service.rows(mandates, [id, "AT61ZZZ01234567890"]);
    const refused = await change(id, { gateway_id: third });
    assert.equal(refused.status, 400);
    assert.match(String(refused.body["gateway_id"]), why ?? /the mandate names AT61ZZZ01234567890/);
  }
  assert.match(String((await change(id, { gateway_id: UNKNOWN })).body["gateway_id"]), /No such gateway/);
  const moved = await change(id, { gateway_id: second });
  assert.equal(moved.status, 200, moved.text);
  assert.equal(moved.body["payment_gateway_id"], second);
  const [entry] = (await service.get("management/audit-log/?resource=subscriptions", { key: merchant.key }))
    .body["results"];
  assert.equal(entry["after"].payment_gateway_id, second);
  assert.notEqual(entry["before"].payment_gateway_id, second);
  await moveTo("2026-03-02T06:00:00Z");
  const rows = await service.rows(
    "select gateway_id, type from transactions where subscription_id = $1 order by created_at, id",
    [id],
  );
  assert.deepEqual(
    rows.map(({ gateway_id: gateway, type }) => [type, gateway === second]),
    [
      ["sdd_sale", false],
      ["sdd_rebill", true],
    ],
  );
});

test("the form offers every gateway that may collect, also behind hundreds of newer ones that may not", async () => {
  merchant = await createMerchant(service);
  const id = await subscribe(merchant);
  const old = await createSandbox(service, merchant.key, { name: "The oldest" });
  await service.rows(
    `insert into gateways (tenant, id, name, adapter, settings, test_mode, active, completed_event_at, created_at, updated_at)
     select g.tenant, gen_random_uuid(), 'Live ' || n, g.adapter, g.settings, false, true, g.completed_event_at, g.created_at + n * interval '1 second', g.updated_at
       from gateways g, generate_series(1, 420) n where g.id = $1`,
    [old],
  );
  const company = { id: merchant.tenantId, tenant: 0, key: merchant.key };
  const { browser } = await member(service, company, "support");
  const form = await browser.get(`/console/subscriptions/${id}/?act=change`);
  assert.match(form.text, /The oldest/);
  assert.doesNotMatch(form.text, /Live \d/);
  for (const gateway of [merchant.gatewayId, old])
    assert.equal(
      form.text.split(`<option value="${gateway}"`).length - 1,
      1,
      "each once, also the present one",
    );
});

test("a gateway without a creditor of its own collects for the tenant's, under mandates that name that one alone", async () => {
  merchant = await createMerchant(service);
  const tenant = `management/tenants/${merchant.tenantId}/`;
  const save = (identifier: string) =>
    service.call("PATCH", tenant, { creditor_identifier: identifier }, { key: OPERATOR_KEY });
  assert.equal((await save("DE98ZZZ09999999999")).status, 200);
  const id = await subscribe(merchant);
  const second = await createSandbox(service, merchant.key);
  assert.equal((await save("AT61ZZZ01234567890")).status, 200);
  const refused = await change(id, { gateway_id: second });
  assert.equal(refused.status, 400, refused.text);
  assert.match(
    String(refused.body["gateway_id"]),
    /for the creditor AT61ZZZ01234567890; the mandate names DE98ZZZ09999999999/,
  );
  assert.equal((await save("DE98ZZZ09999999999")).status, 200);
  assert.equal((await change(id, { gateway_id: second })).status, 200);
});

test("a gateway that is archived, live, or another company's collects no subscription in test mode", async () => {
  merchant = await createMerchant(service);
  const id = await subscribe(merchant);
  const archived = await createSandbox(service, merchant.key);
  const gone = await service.call("DELETE", `management/gateways/${archived}/`, undefined, {
    key: merchant.key,
  });
  assert.equal(gone.status, 204, gone.text);
  const live = await createSandbox(service, merchant.key);
  await service.rows("update gateways set test_mode = false where id = $1 returning id", [live]);
  const other = await createMerchant(service);
  const foreign = await createSandbox(service, other.key);
  for (const [gateway, why] of [
    [archived, /No such gateway/],
    [live, /one in test mode stays there/],
    [foreign, /No such gateway/],
  ] as const) {
    const refused = await change(id, { gateway_id: gateway });
    assert.equal(refused.status, 400, `${why}`);
    assert.match(String(refused.body["gateway_id"]), why);
  }
});

test("a subscription of a live gateway can be changed to another live one, and to none in test mode", async () => {
  merchant = await createMerchant(service);
  const id = await subscribe(merchant);
  const [live, tried] = [
    await createSandbox(service, merchant.key, { name: "The other live one" }),
    await createSandbox(service, merchant.key, { name: "The one in test mode" }),
  ];
  await service.rows(
    "update gateways set test_mode = false where id = $2 or id = (select gateway_id from subscriptions where id = $1) returning id",
    [id, live],
  );
  const company = { id: merchant.tenantId, tenant: 0, key: merchant.key };
  const { browser } = await member(service, company, "support");
  const form = await browser.get(`/console/subscriptions/${id}/?act=change`);
  assert.match(form.text, /The other live one/);
  assert.doesNotMatch(form.text, /The one in test mode/);
  const refused = await change(id, { gateway_id: tried });
  assert.deepEqual(refused.body, {
    gateway_id: ["A subscription of a live gateway stays live, and one in test mode stays there."],
    status_code: 400,
  });
  const moved = await change(id, { gateway_id: live });
  assert.deepEqual([moved.status, moved.body["payment_gateway_id"]], [200, live], moved.text);
});

test("in the console a person changes it with a form, which shows errors and is in the audit log", async () => {
  merchant = await createMerchant(service);
  const id = await subscribe(merchant);
  const company = { id: merchant.tenantId, tenant: 0, key: merchant.key };
  const [support, viewer] = [
    await member(service, company, "support"),
    await member(service, company, "viewer"),
  ];
  const page = `/console/subscriptions/${id}/`;
  const form = await support.browser.get(`${page}?act=change`);
  assert.match(form.text, /name="amount"[^>]*value="29\.90"/);
  const gateway = /<option\s+value="([0-9a-f-]{36})"\s+selected/.exec(form.text)?.[1] ?? "";
  const typed = { id: UNKNOWN, amount: "31,50", next_billing_date: "2026-02-16", gateway_id: gateway };
  const wrong = await support.browser.submit(page, `${page}change/`, {
    ...typed,
    next_billing_date: "2026-01-01",
  });
  assert.equal(wrong.status, 422);
  assert.match(wordsOf(wrong), /Must be after today/);
  assert.match(wrong.text, /value="31,50"/);
  for (const again of [1, 2]) {
    const done = await support.browser.submit(page, `${page}change/`, typed);
    assert.equal(done.status, 303, `${again} ${done.text}`);
  }
  const now = await read(id);
  assert.deepEqual([now["billing_amount"], now["next_billing_date"]], ["31.50", "2026-02-16"]);
  assert.match(wordsOf(await support.browser.get(`${page}?done=change`)), /has the new terms/);
  const entries = await service.rows("select actor from audit_log where resource_id = $1", [id]);
  assert.deepEqual(entries, [{ actor: `person:${support.id}` }]);
  assert.equal((await change(id, { amount: "33.00" })).status, 200);
  const late = await support.browser.submit(page, `${page}change/`, typed);
  assert.equal(late.status, 303, "the same form once more, after another change");
  assert.equal((await read(id))["billing_amount"], "33.00");
  const ended = await service.post(`management/subscriptions/${id}/cancel/`, {}, { key: merchant.key });
  assert.equal(ended.status, 200, ended.text);
  const after = await support.browser.submit(page, `${page}change/`, typed);
  assert.equal(after.status, 303, "the same form once more, after its end: it was done");
  assert.doesNotMatch((await viewer.browser.get(`${page}?act=change`)).text, /name="amount"/);
  assert.equal((await viewer.browser.submit(page, `${page}change/`, typed)).status, 403);
});

test("an unchanged field of the form does not undo another person's change", async () => {
  merchant = await createMerchant(service);
  const id = await subscribe(merchant);
  const support = await member(service, { id: merchant.tenantId, tenant: 0, key: merchant.key }, "support");
  const page = `/console/subscriptions/${id}/`;
  const { text } = await support.browser.get(`${page}?act=change`);
  const opened = Object.fromEntries(
    [...text.matchAll(/<input[^>]*name="([^"]+)"[^>]*value="([^"]*)"/g)].map(([, name, value]) => [
      name,
      value,
    ]),
  );
  const gateway = /<option\s+value="([0-9a-f-]{36})"\s+selected/.exec(text)?.[1] ?? "";
  assert.deepEqual([opened["was.amount"], opened["was.gateway_id"]], ["29.90", gateway]);
  assert.equal((await change(id, { amount: "33.00" })).status, 200);
  const wrong = await support.browser.submit(page, `${page}change/`, {
    ...opened,
    gateway_id: gateway,
    next_billing_date: "2026-01-01",
  });
  assert.equal(wrong.status, 422);
  assert.match(wrong.text, /name="was\.amount"\s+value="29\.90"/, "nor once the form was refused");
  const day = await support.browser.submit(page, `${page}change/`, {
    ...opened,
    gateway_id: gateway,
    next_billing_date: "2026-02-16",
  });
  assert.equal(day.status, 303, day.text);
  const now = await read(id);
  assert.deepEqual([now["billing_amount"], now["next_billing_date"]], ["33.00", "2026-02-16"]);
  const nothing = await support.browser.submit(page, `${page}change/`, { ...opened, gateway_id: gateway });
  assert.deepEqual([nothing.status, nothing.headers["location"]], [303, page]);
});
