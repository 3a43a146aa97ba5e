/**
 * A customer pays a failed payment by the link in a message: it is collected once, whatever else collects it at the
 * same time.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { checkBooks } from "../../src/books/check.ts";
import { must } from "../../src/lib/assert.ts";
import { DAY_MS, later, manualClock } from "../../src/lib/clock.ts";
import { applyNews } from "../../src/payments/news/apply.ts";
import { seeded } from "../../tools/random.ts";
import { renewDue } from "../../src/subscriptions/renew.ts";
import { createRace } from "../support/at-once.ts";
import { cyclesOf, readSubscription, subscribe, switchAccount } from "../support/billing.ts";
import { assertBooksAgree } from "../support/books.ts";
import { sendMessages, startMailing } from "../support/mail.ts";
import type { MailServer } from "../support/mail-server.ts";
import { textOf } from "../support/page.ts";
import { createMerchant, createRecord, IBAN, lead, type Merchant } from "../support/merchant.ts";
import { OPERATOR_KEY, type Json, type Response, type Service } from "../support/service.ts";

const clock = manualClock(new Date("2026-03-04T10:00:00Z"));
const race = createRace();
let service: Service;
let mail: MailServer;
let close: () => Promise<void>;
let people = 0;

before(async () => {
  ({ service, mail, close } = await startMailing({ clock, between: race.between }));
});
after(() => close());

interface Debt {
  readonly merchant: Merchant;
  /** The subscription's id. */
  readonly id: string;
  readonly email: string;
}

/** A renewal that failed for lack of money. The customer has money now. */
async function debt(): Promise<Debt> {
  const merchant = await createMerchant(service);
  const path = `management/tenants/${merchant.tenantId}/`;
  const set = await service.call("PATCH", path, { messages: ["payment_failed"] }, { key: OPERATOR_KEY });
  assert.equal(set.status, 200, set.text);
  people += 1;
  const email = `debtor${people}@kwyrzel.example`;
  const id = await subscribe(merchant, { lead: lead({ email }) });
  await switchAccount(service, id, IBAN.insufficientFunds);
  await moveTo(merchant, "2026-04-07");
  assert.deepEqual(await cycles({ merchant, id }), ["1:retry"]);
  await send();
  await switchAccount(service, id, IBAN.approved);
  return { merchant, id, email };
}

async function moveTo(merchant: Merchant, day: string): Promise<void> {
  const moved = await service.post("management/clock/", { date: `${day}T12:00:00Z` }, { key: merchant.key });
  assert.equal(moved.status, 200, moved.text);
}

const send = () => sendMessages(service.app);

async function cycles({ merchant, id }: Omit<Debt, "email">): Promise<readonly string[]> {
  return cyclesOf(await readSubscription(service, merchant, id));
}

/** The paths of the links in the customer's messages, oldest first. */
function links({ email }: Debt): readonly string[] {
  return mail.taken.flatMap(({ to, text }) => {
    const found = to === email ? /\/pay\/failed\/pf_[A-Za-z0-9_-]{44}\//.exec(text) : null;
    return found === null ? [] : [found[0]];
  });
}

function linkOf(one: Debt): string {
  return must(links(one).at(-1), "a message with a link");
}

function press(path: string): Promise<Response> {
  return service.call("POST", path, "", {
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
}

async function show(path: string): Promise<string> {
  const { status, text } = await service.get(`${path}?lang=en`);
  assert.equal(status, 200, text);
  return textOf(text);
}

/** The total that was collected for the first cycle. */
async function collected({ id }: Debt): Promise<string> {
  const [row] = await service.rows(
    "select coalesce(sum(amount), 0)::text as sum from transactions where subscription_id = $1 and cycle = 1 and status = 'approved'",
    [id],
  );
  return row?.["sum"];
}

async function makeRetryDue({ id }: Debt): Promise<void> {
  await service.rows("update billing_cycles set next_attempt_at = updated_at where subscription_id = $1", [
    id,
  ]);
}

test("the message of a failed renewal links to its page, and the page collects it once", async () => {
  const one = await debt();
  const path = linkOf(one);
  const page = await show(path);
  assert.match(page, /The payment was not made/);
  assert.match(page, /There is not enough money in the account/);
  assert.match(page, /Pay €29\.90/);
  assert.match(page, /DE •••• 3000/);
  assert.ok(!page.includes(one.email));
  assert.deepEqual(await cycles(one), ["1:retry"], "looking changes nothing");
  const [first, second] = [await press(path), await press(path)];
  assert.deepEqual([first.status, second.status], [303, 303]);
  assert.deepEqual(await cycles(one), ["1:paid"]);
  const receipt = await show(path);
  assert.match(receipt, /Payment successful .* Order number ORD-\S+ Amount €29\.90 Date \d+ \w+ 2026 /);
  assert.match(receipt, /Account holder Ada Example Account DE •••• 3000 Mandate reference MND-\S+/);
  await moveTo(one.merchant, "2026-04-20");
  assert.equal(await collected(one), "29.90");
  const entries = await service.get("management/audit-log/?actor=customer", { key: one.merchant.key });
  assert.deepEqual(
    entries.body["results"].map((entry: { resource_id: string }) => entry.resource_id),
    [one.id],
  );
  await assertBooksAgree(service.db);
});

test("each failure allows one attempt by its link, and the next message has the next link", async () => {
  const one = await debt();
  await switchAccount(service, one.id, IBAN.insufficientFunds);
  const path = linkOf(one);
  await press(path);
  assert.match(await show(path), /The payment was declined/);
  await switchAccount(service, one.id, IBAN.approved);
  await press(path);
  assert.equal(await collected(one), "0", "the link is used");
  await send();
  const next = linkOf(one);
  assert.notEqual(next, path);
  await press(next);
  assert.equal(await collected(one), "29.90");
  await assertBooksAgree(service.db);
});

for (const isRetryFirst of [true, false]) {
  test(`the retry is collected ${isRetryFirst ? "just before" : "just after"} the link is used: one of them collects`, async () => {
    const one = await debt();
    await makeRetryDue(one);
    const path = linkOf(one);
    let pressed: Response | null = null;
    const use = async () => {
      pressed = await press(path);
    };
    const retry = () => renewDue(service.app.deps, 50);
    await (isRetryFirst ? race.atOnce(service, retry, use) : race.atOnce(service, use, retry));
    assert.equal((pressed as Response | null)?.status, 303);
    assert.deepEqual([await cycles(one), await collected(one)], [["1:paid"], "29.90"]);
    await assertBooksAgree(service.db);
  });
}

test("a due renewal is collected once, whatever runs concurrently", async () => {
  const random = seeded(53);
  for (let round = 0; round < 6; round += 1) {
    const one = await debt();
    const path = linkOf(one);
    await makeRetryDue(one);
    const collect = `management/subscriptions/${one.id}/collect/`;
    const acts = [
      () => press(path),
      () => press(path),
      () => renewDue(service.app.deps, 50),
      () => service.post(collect, undefined, { key: one.merchant.key }),
      () => show(path),
    ];
    const chosen = Array.from({ length: 5 }, () => random.pick(acts));
    await Promise.all([...chosen, () => press(path)].map((act) => act()));
    assert.equal(await collected(one), "29.90", `round ${round}`);
    await press(path);
    await moveTo(one.merchant, "2026-04-20");
    assert.deepEqual([await cycles(one), await collected(one)], [["1:paid"], "29.90"]);
  }
  await assertBooksAgree(service.db);
});

test("a link does nothing when it is too late: after a cancellation, the end of the mandate, or two months", async () => {
  const over = async (end: (one: Debt) => Promise<unknown>): Promise<void> => {
    const one = await debt();
    await end(one);
    const path = linkOf(one);
    assert.match(await show(path), /No payments can be made here|declined/);
    assert.equal((await press(path)).status, 303);
    assert.equal(await collected(one), "0");
  };
  await over(({ merchant, id }) =>
    service.post(`management/subscriptions/${id}/cancel/`, {}, { key: merchant.key }),
  );
  await over(async ({ merchant, id }) => {
    const [row] = await service.rows("select mandate_id as id from subscriptions where id = $1", [id]);
    return service.post(`management/mandates/${row?.["id"]}/cancel/`, {}, { key: merchant.key });
  });
  await over(({ id }) =>
    service.rows(
      "update transactions set updated_at = $2 where subscription_id = $1 and type = 'sdd_rebill'",
      [id, later(new Date("2026-04-07T12:00:00Z"), -61 * DAY_MS)],
    ),
  );
});

test("a link does not collect with a mandate that has expired unused, and its page has no button", async () => {
  const one = await debt();
  await service.rows(
    "update mandates set last_used_at = '2023-04-01' where id = (select mandate_id from subscriptions where id = $1)",
    [one.id],
  );
  const path = linkOf(one);
  assert.ok(!(await show(path)).includes('class="pay"'));
  assert.equal((await press(path)).status, 303);
  assert.deepEqual([await cycles(one), await collected(one)], [["1:retry"], "0"]);
});

test("forged, mismatched and empty links get the same 404", async () => {
  const one = await debt();
  const path = linkOf(one);
  const altered = path.replace(/.(.{5})\/$/, (_, end: string) => `_${end}/`);
  const session = path.replace("pf_", "ps_");
  for (const wrong of [altered === path ? session : altered, session, "/pay/failed/pf_/"]) {
    for (const answer of [await service.get(wrong), await press(wrong)]) {
      assert.equal(answer.status, 404, wrong);
      assert.ok(!answer.text.includes("29.90"));
    }
  }
});

test("a link does not collect from an account that was blocked after it was sent, and its page has no button", async () => {
  const one = await debt();
  const rules = { return_rules: { MD06: "block_account" } };
  assert.equal(
    (await service.call("PATCH", "management/tenant/", rules, { key: one.merchant.key })).status,
    200,
  );
  const other = (await one.merchant.pay(await one.merchant.session({ lead: lead() }), IBAN.approved)).body;
  const body = { transaction_id: other["transaction"].id, reason_code: "MD06" };
  const back = await service.post("management/chargebacks/", body, { key: one.merchant.key });
  assert.equal(back.status, 201, back.text);
  const path = linkOf(one);
  assert.ok(!(await show(path)).includes('class="pay"'));
  assert.equal((await press(path)).status, 303);
  assert.equal(await collected(one), "0");
});

test("the message of a failed renewal links to the customer's account, for a week", async () => {
  const one = await debt();
  const { text } = must(
    mail.taken.findLast(({ to }) => to === one.email),
    "a message",
  );
  const path = must(/\/pay\/account\/ca_[A-Za-z0-9_-]{52}\//.exec(text), "a link to the account")[0];
  assert.match(await show(path), /Change the account/);
  clock.advance(7 * DAY_MS);
  assert.equal((await service.get(path)).status, 410);
});

test("a returned first payment can be repeated in one session with the same terms, however often its link is used", async () => {
  const merchant = await createMerchant(service);
  const set = { messages: ["payment_failed"], ask_about_duplicates: true };
  await service.call("PATCH", `management/tenants/${merchant.tenantId}/`, set, { key: OPERATOR_KEY });
  const email = "first@kwyrzel.example";
  const token = await merchant.session({ lead: lead({ email }), metadata: { cart: "7" }, amount: "12.30" });
  const paid = (await merchant.pay(token, IBAN.returned)).body;
  assert.equal(paid["transaction"].status, "pending");
  await service.post("management/sandbox/tick/", undefined, { key: merchant.key });
  await send();
  const [link = ""] = links({ merchant, id: "", email });
  assert.match(await show(link), /There is not enough money in the account/);
  const sessions = () =>
    service.rows(
      "select s.id, s.amount, s.metadata, s.status from sessions s join leads l on l.tenant = s.tenant and l.id = s.lead_id where l.email = $1 order by s.created_at, s.id",
      [email],
    );
  assert.equal((await sessions()).length, 1, "looking begins nothing");

  clock.advance(1_000);
  const pressed = await Promise.all([press(link), press(link)]);
  const [path, ...others] = pressed.map(({ status, headers }) => `${status} ${String(headers["location"])}`);
  assert.deepEqual(others, [path]);
  const page =
    must(/^303 (\/pay\/ps_[A-Za-z0-9_-]+\/)$/.exec(path ?? ""), `a payment page: ${String(path)}`)[1] ?? "";
  const [, made, ...more] = await sessions();
  assert.deepEqual([made?.["amount"], made?.["metadata"], more], ["12.30", { cart: "7" }, []]);

  const anew = await merchant.pay(page.split("/")[2] ?? "", IBAN.approved);
  assert.equal(anew.body["status"], "completed", anew.text);
  assert.equal((await press(link)).headers["location"], page, "it leads to the receipt");
  const seen = await service.get(link);
  assert.deepEqual([seen.status, seen.headers["location"]], [303, page]);
  assert.equal((await sessions()).length, 2);
  assert.equal((await merchant.retrieve(token)).body["status"], "COMPLETED", "the first one stays as it is");
  await assertBooksAgree(service.db);
});

test("no session repeats a payment while its customer has another session, after an erasure, or after 60 days", async () => {
  const merchant = await createMerchant(service);
  const set = { messages: ["payment_failed"] };
  await service.call("PATCH", `management/tenants/${merchant.tenantId}/`, set, { key: OPERATOR_KEY });
  const email = "second@kwyrzel.example";
  await merchant.pay(await merchant.session({ lead: lead({ email }) }), IBAN.returned);
  await service.post("management/sandbox/tick/", undefined, { key: merchant.key });
  await send();
  const [link = ""] = links({ merchant, id: "", email });
  const other = await merchant.session({ lead: lead({ email }) });
  const blocked = await press(link);
  assert.ok(!String(blocked.headers["location"]).includes("/pay/ps_"), "another payment is under way");
  assert.equal((await merchant.cancel(other)).status, 200);
  await moveTo(merchant, "2026-09-01");
  assert.ok(!String((await press(link)).headers["location"]).includes("/pay/ps_"), "too late");
  assert.match(await show(link), /No payments can be made here/);
});

/** A returned first payment with the link of its message, and a count of the sessions made for its customer. */
async function returnedFirst() {
  const merchant = await createMerchant(service);
  const set = { messages: ["payment_failed"] };
  await service.call("PATCH", `management/tenants/${merchant.tenantId}/`, set, { key: OPERATOR_KEY });
  people += 1;
  const email = `returned${people}@kwyrzel.example`;
  const paid = (await merchant.pay(await merchant.session({ lead: lead({ email }) }), IBAN.returned)).body;
  await service.post("management/sandbox/tick/", undefined, { key: merchant.key });
  await send();
  const sessions = async () =>
    (
      await service.rows(
        "select s.webhook_profile_id from sessions s join tenants n on n.tenant = s.tenant where n.id = $1 order by s.created_at, s.id",
        [merchant.tenantId],
      )
    ).map(({ webhook_profile_id: profile }) => profile);
  return {
    merchant,
    email,
    id: paid["transaction"].id as string,
    link: linkOf({ merchant, id: "", email }),
    sessions,
  };
}

const sessionOf = ({ headers }: Response): string | undefined =>
  /\/pay\/ps_[A-Za-z0-9_-]+\//.exec(String(headers["location"]))?.[0];

/** The same, and the link was used. */
async function repeatedFirst() {
  const one = await returnedFirst();
  clock.advance(1_000);
  const page = must(sessionOf(await press(one.link)), "a session");
  return { ...one, page, token: page.split("/")[2] as string };
}

/** The bank reverses the return. */
async function reinstate(id: string): Promise<void> {
  const [row] = await service.rows(
    "select tenant, gateway_id, merchant_transaction_id as reference from transactions where id = $1",
    [id],
  );
  const { tenant, gateway_id: gatewayId, reference } = row ?? {};
  await service.rows("update sandbox_books set state = 'settled' where reference = $1", [reference]);
  const news = { kind: "reinstated", reference, at: clock.now() } as const;
  assert.equal(await applyNews(service.app.deps, tenant, gatewayId, news), "taken");
}

/** The payments of the customer that collect. */
async function paidBy(email: string): Promise<readonly string[]> {
  const rows = await service.rows(
    "select t.id from transactions t join leads l on l.tenant = t.tenant and l.id = t.lead_id where l.email = $1 and t.status in ('approved', 'pending') order by t.created_at",
    [email],
  );
  return rows.map(({ id }) => id as string);
}

test("after the bank has reinstated a first payment its link says that it is paid, and the session that was to repeat it is closed", async () => {
  const { merchant, email, id, link, page, token } = await repeatedFirst();
  await reinstate(id);
  const seen = await show(link);
  assert.match(seen, /Payment successful .* Amount €19\.90 Date \d+ \w+ 2026 /);
  assert.ok(!seen.includes('class="pay"'));
  assert.equal(sessionOf(await press(link)), undefined);
  assert.equal((await service.get(page)).status, 410);
  const refused = await merchant.pay(token, IBAN.approved);
  assert.deepEqual([refused.status, refused.body["code"]], [410, "session_closed"], refused.text);
  assert.deepEqual(await paidBy(email), [id]);
  await merchant.session({ lead: lead({ email }) });
  await assertBooksAgree(service.db);
});

test("a first payment that is reinstated just before it is paid again is paid once", async () => {
  const { merchant, email, id, token } = await repeatedFirst();
  let refused: Response | null = null;
  await race.atOnce(
    service,
    () => reinstate(id),
    async () => {
      refused = await merchant.pay(token, IBAN.approved);
    },
  );
  assert.equal((refused as Response | null)?.status, 410);
  assert.deepEqual(await paidBy(email), [id]);
  await assertBooksAgree(service.db);
});

test("a first payment that is reinstated while its repetition is in progress is not paid again once that has failed", async () => {
  const { merchant, email, id, token } = await repeatedFirst();
  const asked = await merchant.pay(token, IBAN.verificationFails);
  assert.equal(asked.body["status"], "awaiting_verification", asked.text);
  await reinstate(id);
  const failed = await merchant.verify(token);
  assert.deepEqual([failed.body["status"], failed.body["retry_allowed"]], ["failed", true], failed.text);
  const refused = await merchant.pay(token, IBAN.approved);
  assert.deepEqual([refused.status, refused.body["code"]], [410, "session_closed"], refused.text);
  assert.deepEqual(await paidBy(email), [id]);
  await assertBooksAgree(service.db);
});

/** What tells a person that payments were collected twice. */
async function toldOf({ key, tenantId }: Merchant) {
  const list = await service.get("management/transactions/?collected_twice=true", { key });
  const others = await service.get("management/transactions/?collected_twice=false", { key });
  const attention = await service.get("management/needs-attention/", { key });
  const { losses } = await checkBooks(service.db);
  const waiting = attention.body["results"].find(({ kind }: Json) => kind === "payments_collected_twice");
  const idsOf = ({ body }: Response) => body["results"].map((row: Json) => row["id"] as string);
  return {
    listed: idsOf(list),
    others: idsOf(others),
    waiting: [waiting?.["count"], waiting?.["list"]],
    losses: losses.filter((words) => words.includes(tenantId)),
  };
}

test("a first payment that is reinstated after it was paid again is listed with its repetition until one of them is refunded", async () => {
  const { merchant, email, id, link, page, token } = await repeatedFirst();
  const anew = await merchant.pay(token, IBAN.approved);
  assert.equal(anew.body["status"], "completed", anew.text);
  assert.deepEqual((await toldOf(merchant)).listed, []);
  await reinstate(id);
  const { id: other, merchant_transaction_id: reference } = anew.body["transaction"];
  assert.deepEqual(await paidBy(email), [id, other]);
  assert.match(await show(link), /Payment successful/);
  assert.match(await show(page), /Payment successful/);
  const { listed, others, waiting, losses } = await toldOf(merchant);
  assert.deepEqual([listed, others], [[other, id], []]);
  assert.deepEqual(waiting, [1, "/api/v1/management/transactions/?collected_twice=true"]);
  assert.equal(losses.length, 1);
  assert.match(
    losses[0] ?? "",
    new RegExp(`MONEY-1: .* is collected twice, by TXN-\\S+ \\(approved\\) and ${reference} \\(approved\\)`),
  );
  const refund = await service.post(`management/transactions/${id}/refunds/`, {}, { key: merchant.key });
  assert.equal(refund.status, 201, refund.text);
  const after = await toldOf(merchant);
  assert.deepEqual([after.listed, after.waiting, after.losses], [[], [undefined, undefined], []]);
  await assertBooksAgree(service.db);
});

test("a link makes no session once its customer is erased or the merchant has stopped the payment", async () => {
  const stopped = await returnedFirst();
  await service.rows("update transactions set gateway_code = 'CUST' where id = $1", [stopped.id]);
  assert.equal(sessionOf(await press(stopped.link)), undefined);
  assert.equal((await stopped.sessions()).length, 1);

  const erased = await returnedFirst();
  const [row] = await service.rows("select id from leads where email = $1", [erased.email]);
  const done = await service.post(
    `management/customers/${row?.["id"]}/erase/`,
    { give_up_evidence: true },
    { key: erased.merchant.key },
  );
  assert.equal(done.status, 200, done.text);
  assert.equal(sessionOf(await press(erased.link)), undefined);
  assert.equal((await erased.sessions()).length, 1);
});

test("the message of a payment at a payment link has no link to another session", async () => {
  const merchant = await createMerchant(service);
  const set = { messages: ["payment_failed"] };
  await service.call("PATCH", `management/tenants/${merchant.tenantId}/`, set, { key: OPERATOR_KEY });
  const at = { name: "Ticket", gateway_id: merchant.gatewayId, amount: "12.50" };
  const { url } = await createRecord(service, merchant.key, "payment-links", at);
  const email = "linked@kwyrzel.example";
  const form = { first_name: "Grace", last_name: "Hopper", email, country: "DE" };
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const begun = await service.post(new URL(url).pathname, new URLSearchParams(form).toString(), { headers });
  const token = must(sessionOf(begun), begun.text).split("/")[2] as string;
  const paid = await merchant.pay(token, IBAN.returned);
  assert.equal(paid.status, 200, paid.text);
  await service.post("management/sandbox/tick/", undefined, { key: merchant.key });
  await send();
  assert.ok(
    mail.taken.some(({ to }) => to === email),
    "the message",
  );
  assert.deepEqual(links({ merchant, id: "", email }), []);
});

test("a repeated session that expires unpaid is followed by another with the same receivers, five at most", async () => {
  const { merchant, id, link, sessions } = await returnedFirst();
  const receiver = { name: "Shop", url: "https://example.com/hook", events: ["payment_session.completed"] };
  const { id: profile } = await createRecord(service, merchant.key, "webhook-profiles", receiver);
  await service.rows(
    "update sessions s set webhook_profile_id = $2 from transactions t where t.tenant = s.tenant and t.session_id = s.id and t.id = $1",
    [id, profile],
  );
  const made = new Set<string>();
  for (let round = 0; round < 5; round += 1) {
    clock.advance(1_000);
    const path = must(sessionOf(await press(link)), `session ${round + 1}`);
    assert.equal(sessionOf(await press(link)), path, "the same as long as it can be paid");
    made.add(path);
    clock.advance(2 * DAY_MS);
  }
  assert.equal(made.size, 5);
  assert.equal(sessionOf(await press(link)), undefined, "not a sixth");
  assert.deepEqual(await sessions(), Array(6).fill(profile));
});
