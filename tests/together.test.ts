/** Concurrent requests share statements: each gets its own response, and no request gets another one's refusal. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Calls } from "../src/db/database.ts";
import { assertBooksAgree } from "./support/books.ts";
import { createMerchant, IBAN, lead, type Merchant } from "./support/merchant.ts";
import { OPERATOR_KEY, startService, type Response, type Service } from "./support/service.ts";

/** The statement whose next run is held, and until when. */
let held: { readonly name: string; readonly until: Promise<void> } | null = null;
/** How many requests have reached the step before the statement. */
let arrived = 0;
/** The number of calls in each run of a statement. */
const runs: { readonly name: string; readonly calls: number }[] = [];

/** The names of all executed statements, in order. */
const statements: string[] = [];

const watched = (db: Calls): Calls => ({
  ...db,
  query(statement, values) {
    statements.push(statement.name);
    return db.query(statement, values);
  },
  async commit(statement, values) {
    statements.push(statement.name);
    const lists = Object.values(values).filter((value) => Array.isArray(value));
    runs.push({ name: statement.name, calls: lists[0]?.length ?? 0 });
    const wait = held?.name === statement.name ? held.until : null;
    if (wait !== null) held = null;
    await wait;
    return db.commit(statement, values);
  },
});

let service: Service;
let merchant: Merchant;

before(async () => {
  service = await startService({
    between: watched,
    reached(step) {
      if (step === "create.before_insert" || step === "pay.before_claim") arrived += 1;
    },
  });
  merchant = await createMerchant(service);
});
after(async () => {
  await assertBooksAgree(service.db).finally(() => service.close());
});

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Makes the calls while the first run of a statement is held, so that all but the first share the second run. */
async function atOnce(
  name: string,
  calls: readonly (() => Promise<Response>)[],
): Promise<readonly Response[]> {
  const gate = Promise.withResolvers<void>();
  held = { name, until: gate.promise };
  runs.length = 0;
  arrived = 0;
  const [first, ...others] = calls;
  assert.ok(first !== undefined);
  const answers = [first()];
  while (!runs.some((run) => run.name === name)) await new Promise(setImmediate);
  answers.push(...others.map((call) => call()));
  while (arrived < calls.length) await new Promise(setImmediate);
  gate.resolve();
  return Promise.all(answers);
}

test("a payment and a verification each run three statements: the claim, the sandbox's books and the outcome", async () => {
  const [paid, asked] = [await merchant.session(), await merchant.session()];
  statements.length = 0;
  await merchant.pay(paid, IBAN.approved, { tenant_reference_id: "one-statement-each" });
  assert.deepEqual(statements, ["sessions.claim", "sandbox.open_book", "sessions.record_outcome"]);
  await merchant.pay(asked, IBAN.verification);
  statements.length = 0;
  await merchant.verify(asked, {});
  assert.deepEqual(statements, [
    "sessions.claim_verification",
    "sandbox.answer_verification",
    "sessions.record_outcome",
  ]);
});

test("a creation runs two statements besides that of its key, also with a reference: one to read its parts and one to write it", async () => {
  for (const reference of [null, "created-in-one-statement"]) {
    statements.length = 0;
    const { status, text } = await merchant.create({ tenant_reference_id: reference });
    assert.equal(status, 201, text);
    const ofSessions = statements.filter((name) => !name.startsWith("api_keys."));
    assert.deepEqual(ofSessions, ["merchants.find_session_parts", "sessions.insert"]);
  }
});

/** The number of responses with each status. */
function tally(answers: readonly Response[]): Readonly<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function largest(name: string): number {
  return Math.max(...runs.filter((run) => run.name === name).map(({ calls }) => calls));
}

test("creations that are combined each get their own session, with their own lead and order", async () => {
  const people = times(20, (index) => lead({ first_name: `Person ${index}` }));
  const answers = await atOnce(
    "sessions.insert",
    people.map((person, index) => () => merchant.create({ lead: person, amount: `${index + 1}.00` })),
  );
  assert.ok(largest("sessions.insert") > 10, `at most ${largest("sessions.insert")} travelled together`);
  for (const [index, { status, body, text }] of answers.entries()) {
    assert.equal(status, 201, text);
    const shown = (await merchant.retrieve(body["session_token"])).body;
    assert.equal(shown["lead"]["first_name"], `Person ${index}`);
  }
  const rows = await service.rows(
    "select l.first_name, o.amount from orders o join leads l on l.id = o.lead_id where l.first_name like 'Person %'",
  );
  assert.equal(rows.length, 20);
  for (const row of rows) {
    const index = Number(String(row["first_name"]).slice("Person ".length));
    assert.equal(row["amount"], `${index + 1}.00`);
  }
});

test("of combined creations only the one whose lead has an active session is refused", async () => {
  const busy = lead();
  await merchant.session({ lead: busy });
  const answers = await atOnce(
    "sessions.insert",
    times(12, (index) => () => merchant.create({ lead: index === 7 ? busy : lead() })),
  );
  assert.ok(largest("sessions.insert") > 5);
  assert.deepEqual(
    answers.map(({ status }) => status),
    times(12, (index) => (index === 7 ? 409 : 201)),
  );
});

test("of combined creations with one reference one succeeds, and the others are refused and do not change their leads", async () => {
  const reference = "created-together";
  const people = times(6, (index) => lead({ first_name: `Reference ${index}` }));
  const first = () => merchant.create();
  const answers = await atOnce("sessions.insert", [
    first,
    ...people.map((person) => () => merchant.create({ lead: person, tenant_reference_id: reference })),
  ]);
  assert.equal(largest("sessions.insert"), 6);
  assert.deepEqual(tally(answers), { 201: 2, 409: 5 });
  for (const { status, body } of answers)
    if (status === 409) assert.equal(body["code"], "tenant_reference_taken");
  const rows = await service.rows("select 1 from leads where first_name like 'Reference %'");
  assert.equal(rows.length, 1);
});

test("two creations for one lead that arrive together make one session", async () => {
  const person = lead();
  const answers = await atOnce(
    "sessions.insert",
    times(8, (index) => () => merchant.create({ lead: index > 5 ? person : lead() })),
  );
  assert.deepEqual(tally(answers), { 201: 7, 409: 1 });
});

test("combined payments each debit their own account with their own reference", async () => {
  const tokens = await Promise.all(times(12, () => merchant.session()));
  const answers = await atOnce(
    "sessions.claim",
    tokens.map(
      (token, index) => () =>
        merchant.pay(token, index === 3 ? IBAN.insufficientFunds : IBAN.approved, {
          tenant_reference_id: `together-${index}`,
        }),
    ),
  );
  for (const [index, { body, text }] of answers.entries()) {
    assert.equal(body["transaction"]["tenant_reference_id"], `together-${index}`, text);
    assert.equal(body["status"], index === 3 ? "declined" : "completed", text);
  }
});

test("of combined payments with one reference one succeeds, and the others are refused", async () => {
  const tokens = await Promise.all(times(6, () => merchant.session()));
  const answers = await atOnce(
    "sessions.claim",
    tokens.map(
      (token, index) => () =>
        merchant.pay(token, IBAN.approved, {
          // The first one runs alone, so that the statement cannot see the reference of the last three yet.
          tenant_reference_id: index < 3 ? `other-${index}` : "the same",
        }),
    ),
  );
  assert.deepEqual(tally(answers), { 200: 4, 409: 2 });
});

test("of combined payments only the one that has reached a limit is refused", async () => {
  const limited = await createMerchant(service);
  const path = `/api/v1/management/tenants/${limited.tenantId}/`;
  await service.call("PATCH", path, { lead_payments_max: 1 }, { key: OPERATOR_KEY });
  const person = lead();
  await limited.pay(await limited.session({ lead: person }), IBAN.approved);
  const accounts = [IBAN.approved, IBAN.approvedDutch, IBAN.pending, IBAN.chargedBack, IBAN.returned];
  const tokens = [];
  for (const index of accounts.keys())
    tokens.push(await limited.session({ lead: index === 2 ? person : lead() }));
  const answers = await atOnce(
    "sessions.claim",
    tokens.map((token, index) => () => limited.pay(token, accounts[index] ?? "")),
  );
  assert.equal(largest("sessions.claim"), 4);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 429, 200, 200],
  );
});

test("of combined payments by one account only as many succeed as its limit allows", async () => {
  const limited = await createMerchant(service);
  const path = `/api/v1/management/tenants/${limited.tenantId}/`;
  await service.call("PATCH", path, { iban_payments_max: 2 }, { key: OPERATOR_KEY });
  const accounts = [IBAN.approvedDutch, ...times(4, () => IBAN.approved), IBAN.pending];
  const tokens = await Promise.all(accounts.map(() => limited.session({ lead: lead() })));
  const answers = await atOnce(
    "sessions.claim",
    tokens.map((token, index) => () => limited.pay(token, accounts[index] ?? "")),
  );
  assert.equal(largest("sessions.claim"), 5);
  assert.deepEqual(tally(answers), { 200: 4, 429: 2 });
  assert.equal(answers.at(-1)?.status, 200);
});

test("two payments of one session that arrive together debit once", async () => {
  const token = await merchant.session();
  const answers = await atOnce(
    "sessions.claim",
    times(6, () => () => merchant.pay(token, IBAN.approved)),
  );
  const [row] = await service.rows(
    "select count(*)::integer as n from transactions where session_id = (select id from sessions order by created_at desc limit 1)",
  );
  assert.equal(row?.["n"], 1);
  assert.ok(answers.every(({ status }) => status === 200 || status === 409 || status === 410));
});

test("combined requests with different keys each get their own stored response", async () => {
  const people = times(12, () => lead());
  const ask = (index: number) => {
    const { gatewayId: gateway_id, key } = merchant;
    const body = {
      lead: people[index],
      gateway_id,
      amount: "19.90",
      currency: "EUR",
      billing_type: "ONE_OFF",
    };
    return service.post("payment-sessions/", body, {
      key,
      headers: { "Idempotency-Key": `together ${index}` },
    });
  };
  const made = await atOnce(
    "sessions.insert",
    times(12, (index) => () => ask(index)),
  );
  const again = await Promise.all(times(12, ask));
  assert.deepEqual(
    again.map(({ text }) => text),
    made.map(({ text }) => text),
  );
  assert.equal(new Set(made.map(({ text }) => text)).size, 12);
});
