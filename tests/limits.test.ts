/**
 * Limits on payments per account, customer, address and session hold exactly, also for concurrent payments. Also tests
 * what an ended session's token still shows.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DAY_MS, HOUR_MS, later } from "../src/lib/clock.ts";
import { countInvalidIban } from "../src/sessions/limits.ts";
import { createMerchant, IBAN, lead, type Merchant } from "./support/merchant.ts";
import { countedOutcomes } from "./support/outcome-count.ts";
import { sendForm } from "./support/page.ts";
import { OPERATOR_KEY, startService, type Response, type Service } from "./support/service.ts";

let service: Service;
let shift = 0;

before(async () => {
  const clock = { now: () => later(new Date(), shift), monotonicMs: () => performance.now() };
  service = await startService({ clock });
});
after(() => service.close());

async function limited(settings: Record<string, unknown>): Promise<Merchant> {
  const merchant = await createMerchant(service);
  await change(merchant, settings);
  return merchant;
}

async function change(merchant: Merchant, settings: Record<string, unknown>): Promise<void> {
  const path = `management/tenants/${merchant.tenantId}/`;
  const changed = await service.call("PATCH", path, settings, { key: OPERATOR_KEY });
  assert.equal(changed.status, 200, changed.text);
}

function assertThrottled({ status, headers, body }: Response): void {
  const seconds = Number(headers["retry-after"]);
  assert.equal(status, 429);
  assert.ok(seconds > 86_000 && seconds <= 86_400, String(seconds));
  assert.equal(body["detail"], `Request was throttled. Expected available in ${seconds} seconds.`);
}

test("an account is debited no more often in a day than its tenant allows, however many payments run concurrently", async () => {
  const merchant = await limited({ iban_payments_max: 3 });
  const tokens = await Promise.all(Array.from({ length: 12 }, () => merchant.session()));
  const answers = await Promise.all(tokens.map((token) => merchant.pay(token, IBAN.approved)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 3);
  const refused = answers.findIndex(({ status }) => status === 429);
  assertThrottled(answers[refused] as Response);
  const token = tokens[refused] ?? "";
  const { body } = await merchant.retrieve(token);
  assert.deepEqual([body["status"], body["attempts_remaining"]], ["PENDING", 3]);
  assert.equal((await merchant.pay(token, IBAN.approvedDutch)).body["status"], "completed");
});

test("the limit of an account ends a day after it began", async () => {
  const merchant = await limited({ iban_payments_max: 1 });
  const pay = async () => merchant.pay(await merchant.session(), IBAN.approved);
  assert.equal((await pay()).status, 200);
  assertThrottled(await pay());
  shift += DAY_MS;
  assert.equal((await pay()).status, 200);
});

test("a limit's day begins with its first payment: steady payments within the limit are not refused", async () => {
  const merchant = await limited({ iban_payments_max: 2 });
  const pay = async () => merchant.pay(await merchant.session(), IBAN.approved);
  for (let count = 0; count < 6; count += 1) {
    assert.equal((await pay()).status, 200, `payment ${count + 1}, 14 hours after the one before`);
    shift += 14 * HOUR_MS;
  }
});

test("payments per customer and per address are limited; those of a merchant's server do not count by address", async () => {
  const perLead = await limited({ lead_payments_max: 1 });
  const person = lead();
  const pay = async (merchant: Merchant, changes: Record<string, unknown>) =>
    merchant.pay(await merchant.session(changes), IBAN.approved);
  assert.equal((await pay(perLead, { lead: person })).status, 200);
  assertThrottled(await pay(perLead, { lead: person }));

  const perAddress = await limited({ address_payments_max: 1 });
  const here = (last: string) => ({ customer_ip: `2001:db8:1:2::${last}` });
  assert.equal((await pay(perAddress, here("1"))).status, 200);
  assertThrottled(await pay(perAddress, here("2")));
  assert.equal((await pay(perAddress, { customer_ip: "2001:db8:1:3::1" })).status, 200);
  for (let count = 0; count < 3; count += 1) assert.equal((await pay(perAddress, {})).status, 200);
});

test("after too many IBANs that cannot be debited a session accepts no IBAN", async () => {
  const merchant = await limited({ invalid_ibans_max: 3 });
  const token = await merchant.session();
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => merchant.pay(token, "DE00370400440532013000")),
  );
  assert.equal(answers.filter(({ status }) => status === 200).length, 3);
  assertThrottled(await merchant.pay(token, IBAN.approved));
  const [row] = await service.rows(
    "select count(*)::int as n from transactions where tenant = (select tenant from tenants where id = $1)",
    [merchant.tenantId],
  );
  assert.equal(row?.["n"], 0);
});

test("an IBAN that a limit refuses just before it ends may be sent again after a second", async () => {
  const merchant = await limited({ invalid_ibans_max: 1 });
  const token = await merchant.session();
  const invalid = () => merchant.pay(token, "DE00370400440532013000");
  assert.deepEqual([(await invalid()).status, (await invalid()).status], [200, 429]);
  const [row] = await service.rows(
    "select s.tenant, s.id from sessions s join tenants n on n.tenant = s.tenant where n.id = $1",
    [merchant.tenantId],
  );
  const about = { source: "api_submission", clientIp: "192.0.2.1", device: null } as const;
  const payer = { ...about, tenant: row?.["tenant"], sessionId: row?.["id"] };
  const { time } = service.app.deps;
  let reads = 0;
  const now = (tenant: number) => later(time.now(tenant), reads++ === 0 ? 0 : DAY_MS);
  const refused = { kind: "throttled", retryAfter: 1 };
  await assert.rejects(countInvalidIban({ ...service.app.deps, time: { ...time, now } }, payer), refused);
});

test("IBANs that cannot be debited count on the page too", async () => {
  const merchant = await limited({ invalid_ibans_max: 2 });
  const token = await merchant.session();
  for (const status of [422, 422, 429])
    assert.equal((await sendForm(service, token, { iban: "DE00370400440532013000" })).status, status);
  assertThrottled(await merchant.pay(token, IBAN.approved));
});

test("a changed limit applies at once, including earlier attempts: a lower one refuses, a higher one accepts", async () => {
  const lowered = await limited({ iban_payments_max: 3 });
  const pay = async () => lowered.pay(await lowered.session(), IBAN.approved);
  for (let count = 0; count < 2; count += 1) assert.equal((await pay()).status, 200);
  await change(lowered, { iban_payments_max: 1 });
  assertThrottled(await pay());

  const raised = await limited({ invalid_ibans_max: 1 });
  const token = await raised.session();
  await raised.pay(token, "DE00370400440532013000");
  assertThrottled(await raised.pay(token, IBAN.approved));
  await change(raised, { invalid_ibans_max: 2 });
  assert.equal((await raised.pay(token, IBAN.approved)).status, 200);
});

test("a limit that refused a payment is in the session's history once, and counted in the metrics", async () => {
  const merchant = await limited({ iban_payments_max: 1 });
  await merchant.pay(await merchant.session(), IBAN.approved);
  const token = await merchant.session();
  for (let count = 0; count < 3; count += 1) assertThrottled(await merchant.pay(token, IBAN.approved));
  const moves = await service.rows(
    "select cause from session_moves where cause = 'limit_reached_iban' and tenant = (select tenant from tenants where id = $1)",
    [merchant.tenantId],
  );
  assert.equal(moves.length, 1);
  assert.ok((await countedOutcomes(service, "none", "limited")) >= 1);
});

test("each tenant has its own limits, and counts are deleted when they expire", async () => {
  const merchants = [await limited({ iban_payments_max: 1 }), await limited({ iban_payments_max: 1 })];
  for (const merchant of merchants)
    assert.equal((await merchant.pay(await merchant.session(), IBAN.approved)).status, 200);
  shift += DAY_MS + 1_000;
  const job = service.app.jobs.find(({ name }) => name === "forget-payment-counts");
  await job?.runOnce(1_000);
  assert.deepEqual(await service.rows("select * from payment_counts"), []);
});

test("long after its session ended a token shows status, amount and currency, and validates no IBAN", async () => {
  const merchant = await limited({ token_detail_days: 30 });
  const token = await merchant.session();
  await merchant.pay(token, IBAN.approved);
  const validate = () => service.post("iban-validate/", { iban: IBAN.approved }, { key: token });
  const page = () => service.get(`/pay/${token}/`);
  shift += 29 * DAY_MS;
  assert.ok((await merchant.retrieve(token)).body["lead"]);
  assert.equal((await validate()).status, 200);
  assert.match((await page()).text, /3000/);
  shift += DAY_MS;
  assert.deepEqual((await merchant.retrieve(token)).body, {
    session_token: token,
    status: "COMPLETED",
    amount: "19.90",
    currency: "EUR",
  });
  assert.equal((await validate()).status, 401);
  const { text, status } = await page();
  assert.equal(status, 200);
  assert.doesNotMatch(text, /3000|Ada|Example|ORD-|MND-/);
});

test("with a paid session's token no more than 100 Idempotency-Keys are stored, and these are still replayed", async () => {
  const merchant = await limited({});
  const token = await merchant.session();
  const pay = (key: string) =>
    merchant.pay(token, IBAN.approved, {}, { key: merchant.key, headers: { "idempotency-key": key } });
  const first = await pay("first");
  assert.equal(first.body["status"], "completed");
  await service.rows(
    `insert into idempotency_keys (tenant, caller, key, request_id, request_hash, status, answer, created_at)
     select tenant, caller, 'key-' || n, request_id, request_hash, status, answer, created_at
       from idempotency_keys, generate_series(1, 99) n where key = 'first'`,
  );
  assert.equal((await pay("one more")).status, 429);
  assert.equal((await pay("first")).text, first.text);
});
