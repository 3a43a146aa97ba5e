/** Concurrent requests: the database decides which of them wins. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Calls } from "../src/db/database.ts";
import { later } from "../src/lib/clock.ts";
import { create } from "../src/sessions/create.ts";
import type { CreateBody } from "../src/sessions/schemas.ts";
import { recoverJob } from "../src/sessions/recover.ts";
import { expireSessions } from "../src/sessions/expire.ts";
import { assertBooksAgree } from "./support/books.ts";
import { createMerchant, IBAN, lead, type Merchant } from "./support/merchant.ts";
import { startService, type Response, type Service } from "./support/service.ts";
import { sized } from "./support/sized.ts";

let service: Service;
let merchant: Merchant;
/** The clock's offset, advanced by the tests. */
let shift = 0;

before(async () => {
  service = await startService({
    clock: { now: () => later(new Date(), shift), monotonicMs: () => performance.now() },
  });
  merchant = await createMerchant(service);
});
after(() => service.close());

function tally(answers: readonly Response[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Compares the sandbox bank's books with ours: one row per paid session with its difference. */
async function brokenBooks(): Promise<readonly unknown[]> {
  return service.rows(
    `select s.id, s.status, count(b.reference) as charges, count(distinct e.id) as events
       from sessions s
       left join transactions t on t.tenant = s.tenant and t.session_id = s.id
       left join sandbox_books b
         on b.tenant = s.tenant and b.reference = t.merchant_transaction_id and b.charged_at is not null
       left join events e
         on e.tenant = s.tenant and e.session_id = s.id and e.type = 'payment_session.completed'
      group by s.id, s.status
     having (s.status = 'COMPLETED') <> (count(distinct b.reference) = 1)
         or (s.status = 'COMPLETED') <> (count(distinct e.id) = 1)`,
  );
}

test("of many concurrent payments of a session one is charged and completed, and the others are 409 or 410", async () => {
  const count = sized(60, 200);
  const token = await merchant.session();
  const answers = await Promise.all(times(count, () => merchant.pay(token, IBAN.approved)));
  const counts = tally(answers);
  assert.equal(counts[200], 1);
  assert.equal((counts[409] ?? 0) + (counts[410] ?? 0), count - 1);
  assert.deepEqual(await brokenBooks(), []);
});

test("of 50 concurrent payments of 50 sessions with one tenant_reference_id one succeeds, and the others keep every attempt", async () => {
  const eager = await createMerchant(service);
  const tokens = await Promise.all(times(50, () => eager.session()));
  const answers = await Promise.all(
    tokens.map((token) => eager.pay(token, IBAN.approved, { tenant_reference_id: "one" })),
  );
  assert.deepEqual(tally(answers), { 200: 1, 409: 49 });
  const left = await service.rows(
    "select attempts_used, open_transaction_id from sessions where status = 'PENDING' and tenant = (select tenant from tenants where id = $1)",
    [eager.tenantId],
  );
  assert.equal(left.length, 49);
  assert.ok(left.every((row) => row["attempts_used"] === 0 && row["open_transaction_id"] === null));
});

test("30 concurrent declined payments do not exceed a session's 3 attempts", async () => {
  const token = await merchant.session({ max_payment_attempts: 3 });
  const codes: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    codes.push(
      ...(await Promise.all(times(10, () => merchant.pay(token, IBAN.declined)))).map(({ status }) => status),
    );
  }
  assert.equal((await merchant.retrieve(token)).body["status"], "EXPIRED");
  assert.equal(codes.filter((code) => code === 200).length, 3);
});

test("a payment that was claimed before the session's expiry completes, and a later one is 410", async () => {
  const token = await merchant.session({ expires_in: 1800 });
  const slow = merchant.pay(token, IBAN.slow);
  await until(
    async () => (await service.rows("select 1 from transactions where status = 'submitted'")).length > 0,
  );
  shift += 1_900_000;
  await expireSessions(service.app.deps, 100);
  assert.equal((await slow).body["status"], "completed");
  assert.equal((await merchant.retrieve(token)).body["status"], "COMPLETED");

  const late = await merchant.session({ expires_in: 1800 });
  shift += 1_900_000;
  assert.equal((await merchant.pay(late, IBAN.approved)).status, 410);
  assert.equal((await merchant.retrieve(late)).status, 404);
});

test("a session is read as expired and its lead can start again before the job has run, which emits one event", async () => {
  const person = lead();
  const token = await merchant.session({ lead: person, expires_in: 1800 });
  shift += 1_900_000;
  assert.equal((await merchant.retrieve(token)).status, 404);
  assert.equal((await merchant.create({ lead: person })).status, 201);
  await Promise.all(times(4, () => expireSessions(service.app.deps, 100)));
  const events = await service.rows(
    "select 1 from events where type = 'payment_session.expired' and payload ->> 'email' = $1",
    [person["email"]],
  );
  assert.equal(events.length, 1);
  assert.equal((await merchant.retrieve(token)).status, 404);
});

for (const [name, iban, end, order] of [
  ["charged, answer lost", IBAN.answerLost, "COMPLETED", "COMPLETED"],
  ["not charged, no answer", IBAN.notCharged, "PENDING", "FAILED"],
] as const) {
  test(`unknown outcome (${name}): eight concurrent recovery passes apply the gateway's outcome once`, async () => {
    const token = await merchant.session();
    const { body } = await merchant.pay(token, iban);
    assert.equal(body["status"], "failed");
    shift += 11_000;
    await Promise.all(times(8, () => recoverJob(service.app.deps).runOnce(10)));
    assert.equal((await merchant.retrieve(token)).body["status"], end);
    const [row] = await service.rows("select status from orders where id = $1", [body["order"].id]);
    assert.equal(row?.["status"], order);
    assert.deepEqual(await brokenBooks(), []);
    if (end === "PENDING")
      assert.equal((await merchant.pay(token, IBAN.approved)).body["status"], "completed");
  });
}

test("if a customer never returns, the gateway is asked when the session expires, and its response decides", async () => {
  const confirmed = await merchant.session();
  const paid = (await merchant.pay(confirmed, IBAN.verification)).body;
  await service.post(new URL(paid["verification_url"]).pathname, "decision=confirm", {
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  const person = lead();
  const left = await merchant.session({ lead: person });
  await merchant.pay(left, IBAN.verification);
  shift += 25 * 3_600_000;
  assert.equal((await merchant.retrieve(left)).status, 404);
  assert.equal((await merchant.verify(left)).status, 410);
  await recoverJob(service.app.deps).runOnce(100);
  assert.equal((await merchant.retrieve(confirmed)).body["status"], "COMPLETED");
  const [row] = await service.rows(
    "select count(*)::int as n from sessions where status = 'AWAITING_VERIFICATION'",
  );
  assert.equal(row?.["n"], 0);
  assert.equal((await merchant.create({ lead: person })).status, 201);
  assert.deepEqual(await brokenBooks(), []);
});

test("a lead whose abandoned verification has expired may start again before any job has run", async () => {
  const person = lead();
  const token = await merchant.session({ lead: person });
  await merchant.pay(token, IBAN.verification);
  shift += 25 * 3_600_000;
  assert.equal((await merchant.create({ lead: person })).status, 201);
  assert.deepEqual(await brokenBooks(), []);
});

test("of two concurrent cancels the slower returns 200 as well", async () => {
  let faster = async (): Promise<void> => {};
  const between = (db: Calls): Calls => ({
    ...db,
    async commit(statement, values) {
      if (statement.name === "sessions.claim_verification") await faster();
      return db.commit(statement, values);
    },
  });
  const raced = await startService({ between });
  try {
    const shop = await createMerchant(raced);
    const token = await shop.session();
    await shop.pay(token, IBAN.verification);
    const others: Response[] = [];
    faster = async () => {
      faster = async () => {};
      others.push(await shop.cancel(token));
    };
    const { status, body } = await shop.cancel(token);
    assert.deepEqual(tally(others), { 200: 1 });
    assert.deepEqual([status, body["status"]], [200, "EXPIRED"]);
  } finally {
    await raced.close();
  }
});

test("a lead whose session has expired may start again while a job ends the old one", async () => {
  const eager = await createMerchant(service);
  const people = times(30, () => lead());
  await Promise.all(people.map((person) => eager.session({ lead: person })));
  shift += 25 * 3_600_000;
  const [answers] = await Promise.all([
    Promise.all(people.map((person) => eager.create({ lead: person }))),
    ...times(6, () => expireSessions(service.app.deps, 5)),
  ]);
  assert.deepEqual(tally(answers), { 201: 30 });
});

test("a creation that runs many times at once, for a lead whose session has expired, makes one session and each run returns it", async () => {
  const { deps } = service.app;
  const [shop] = await service.rows("select tenant from tenants where id = $1", [merchant.tenantId]);
  const people = times(10, () => lead());
  await Promise.all(people.map((person) => merchant.session({ lead: person })));
  shift += 25 * 3_600_000;
  for (const person of people) {
    const id = deps.ids.uuid();
    const price = { amount: "19.90", currency: "EUR", billing_type: "ONE_OFF" };
    const body = { lead: person, gateway_id: merchant.gatewayId, ...price } as unknown as CreateBody;
    const runs = await Promise.all(times(6, () => create(deps, { tenant: shop?.["tenant"], id, body })));
    assert.equal(new Set(runs.map((made) => made.session_token)).size, 1);
  }
  const [made] = await service.rows(
    `select count(*)::int as n from sessions s join leads l on l.tenant = s.tenant and l.id = s.lead_id
      where l.email = any ($1) and s.status = 'PENDING'`,
    [people.map((person) => person["email"])],
  );
  assert.equal(made?.["n"], people.length);
});

test("a lead whose expired session is replaced, while it is ended, by another expired one gets a new one", async () => {
  const person = { lead: lead() };
  const expire = (token: string, closedAt: string | null) =>
    service.rows(
      "update sessions set created_at = '2026-01-01', expires_at = '2026-01-02', status = $3, closed_at = $2 where id = $1",
      [idOf.get(token), closedAt, closedAt === null ? "PENDING" : "EXPIRED"],
    );
  const idOf = new Map<string, string>();
  const open = async () => {
    const token = await merchant.session(person);
    const [row] = await service.rows("select id from sessions order by created_at desc, id desc limit 1");
    idOf.set(token, row?.["id"]);
    return token;
  };
  const late = await open();
  await expire(late, "2026-01-02");
  const first = await open();
  await expire(first, null);
  // The session of a slow request: it is written at the moment in which the session that prevented it is ended.
  await service.rows(`
    create function write_late() returns trigger language plpgsql as $$
      begin
        update sessions set status = 'PENDING', closed_at = null where id = '${idOf.get(late)}';
        return null;
      end $$`);
  await service.rows(`
    create trigger write_late after update on sessions for each row
      when (old.id = '${idOf.get(first)}' and old.closed_at is null and new.closed_at is not null) execute function write_late()`);
  try {
    const made = await merchant.create(person);
    assert.equal(made.status, 201, made.text);
  } finally {
    await service.rows("drop function write_late cascade");
  }
  const ended = await service.rows("select 1 from sessions where id = any ($1) and status = 'EXPIRED'", [
    [...idOf.values()],
  ]);
  assert.equal(ended.length, 2);
});

test("with concurrent settlement ticks pending payments are settled, returned and charged back once", async () => {
  const settled = (await merchant.pay(await merchant.session(), IBAN.pending)).body;
  const returned = (await merchant.pay(await merchant.session(), IBAN.returned)).body;
  const chargedBack = (await merchant.pay(await merchant.session(), IBAN.chargedBack)).body;
  const ticks = await Promise.all(
    times(6, () => service.post("management/sandbox/tick/", undefined, { key: merchant.key })),
  );
  assert.deepEqual(tally(ticks), { 200: 6 });
  const state = async (body: Response["body"]) => {
    const [row] = await service.rows(
      "select t.status as transaction, o.status as order, t.gateway_code from transactions t join orders o on o.id = t.order_id where t.id = $1",
      [body["transaction"].id],
    );
    return [row?.["transaction"], row?.["order"], row?.["gateway_code"]];
  };
  assert.deepEqual(await state(settled), ["approved", "COMPLETED", null]);
  assert.deepEqual(await state(returned), ["declined", "FAILED", "AM04"]);
  assert.deepEqual(await state(chargedBack), ["charged_back", "CHARGEDBACK", null]);
  const chargebacks = await service.rows(
    "select reason_code, status, source from chargebacks where transaction_id = $1",
    [chargedBack["transaction"].id],
  );
  assert.deepEqual(chargebacks, [{ reason_code: "MD06", status: "charged_back", source: "webhook" }]);
});

test("a gateway with the completed event at settlement emits it when the payment settles", async () => {
  const patient = await createMerchant(service, { completed_event_at: "settlement" });
  const { body } = await patient.pay(await patient.session(), IBAN.pending);
  const count = async () =>
    (await service.rows("select 1 from events where payload ->> 'order_number' = $1", [body["order_number"]]))
      .length;
  assert.equal(await count(), 0);
  await service.post("management/sandbox/tick/", undefined, { key: patient.key });
  assert.equal(await count(), 1);
  await service.post("management/sandbox/tick/", undefined, { key: patient.key });
  assert.equal(await count(), 1);
});

test("concurrent refunds, chargebacks by hand and settlement ticks leave payments of every kind correct", async () => {
  const kinds = [IBAN.approved, IBAN.pending, IBAN.returned, IBAN.chargedBack];
  const payments = await Promise.all(
    times(sized(24, 60), async (index) => {
      const session = await merchant.session({ billing_type: "RECURRING", billing_frequency: "MONTHLY" });
      return (await merchant.pay(session, kinds[index % kinds.length] ?? IBAN.approved)).body;
    }),
  );
  const answers = await Promise.all(
    payments.flatMap(({ transaction }, index) => [
      ...times(4, () => refund(transaction.id, { amount: "7.00" })),
      ...(index % 3 === 0
        ? [service.post("management/chargebacks/", { transaction_id: transaction.id }, { key: merchant.key })]
        : []),
      ...(index % 10 === 0
        ? [service.post("management/sandbox/tick/", undefined, { key: merchant.key })]
        : []),
    ]),
  );
  assert.ok(answers.every(({ status }) => [200, 201, 400, 409].includes(status)));
  await service.post("management/sandbox/tick/", undefined, { key: merchant.key });
  await Promise.all(payments.map(({ transaction }) => refund(transaction.id)));
  await service.post("management/sandbox/tick/", undefined, { key: merchant.key });
});

function refund(id: string, body: object = {}): Promise<Response> {
  return service.post(`management/transactions/${id}/refunds/`, body, { key: merchant.key });
}

test("after all of this the books agree", async () => {
  await assertBooksAgree(service.db);
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    if (await holds()) return;
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
  assert.fail("what was waited for did not happen");
}
