/**
 * Refunds of payments that may still be returned: held, sent when the time ends or by a person, and never after a
 * return.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { later } from "../../src/lib/clock.ts";
import { must } from "../../src/lib/assert.ts";
import { chargeBack } from "../../src/payments/chargebacks/charge-back.ts";
import { heldRefundsJob } from "../../src/payments/refunds/held.ts";
import { recoverRefundsJob } from "../../src/payments/refunds/recover.ts";
import { lockTransaction } from "../../src/payments/store.ts";
import { readFigures } from "../../src/operator/figures.ts";
import { createRace } from "../support/at-once.ts";
import { assertBooksAgree } from "../support/books.ts";
import { createMerchant, createRecord, IBAN, type Merchant } from "../support/merchant.ts";
import { startService, type Json, type Response, type Service } from "../support/service.ts";

const DAY = 86_400_000;
const race = createRace();
let service: Service;
let merchant: Merchant;
let shift = 0;

before(async () => {
  service = await startService({
    clock: { now: () => later(new Date(), shift), monotonicMs: () => performance.now() },
    between: race.between,
  });
  merchant = await createMerchant(service);
  await createRecord(service, merchant.key, "webhook-profiles", {
    name: "All",
    url: "https://example.com/hook",
    events: ["guard.triggered", "transaction.created"],
  });
  await hold(10);
});
after(() => service.close());

const hold = (days: number) =>
  service.call("PATCH", "management/tenant/", { refund_hold_days: days }, { key: merchant.key });

async function paid(): Promise<Json> {
  return (await merchant.pay(await merchant.session(), IBAN.approved)).body["transaction"];
}

const refunds = (payment: Json) => `management/transactions/${payment["id"]}/refunds/`;
const post = (path: string, body: unknown = {}): Promise<Response> =>
  service.post(path, body, { key: merchant.key });
async function refund(payment: Json, body: unknown = {}): Promise<Json> {
  const answer = await post(refunds(payment), body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}
const decide = (verb: "release" | "cancel", payment: Json, held: Json) =>
  post(`${refunds(payment)}${held["id"]}/${verb}/`);

/** The amount that the gateway has refunded. */
async function given(payment: Json): Promise<readonly string[]> {
  const rows = await service.rows("select amount::text from sandbox_books where refund_of = $1", [
    payment["merchant_transaction_id"],
  ]);
  return rows.map(({ amount }) => amount as string);
}

async function stateOf(held: Json): Promise<unknown> {
  const [row] = await service.rows("select status from transactions where id = $1", [held["id"]]);
  return row?.["status"];
}

async function told(held: Json): Promise<readonly unknown[]> {
  const rows = await service.rows(
    "select coalesce(payload -> 'guard' ->> 'kind', type) as what from events where transaction_id = $1 order by number",
    [held["id"]],
  );
  return rows.map(({ what }) => what);
}

/** The bank returns a payment. */
async function comesBack(payment: Json): Promise<void> {
  const { deps } = service.app;
  const [row] = await service.rows("select tenant from transactions where id = $1", [payment["id"]]);
  const tenant: number = row?.["tenant"];
  await deps.db.transaction(async (tx) => {
    const locked = must(await lockTransaction(tx, tenant, payment["id"]), "the payment");
    const more = { reasonMessage: null, amount: null, bankFee: null, reportType: null };
    const id = deps.ids.uuid();
    const reportDate = new Date();
    await chargeBack(deps, tx, tenant, locked, {
      id,
      reportDate,
      source: "webhook",
      reasonCode: "MS02",
      ...more,
    });
  });
}

const pass = () => heldRefundsJob(service.app.deps).runOnce(50);

test("a refund of a payment that may still come back is held, emits an event, is counted, and takes its amount", async () => {
  const payment = await paid();
  const held = await refund(payment, { amount: "15.00" });
  assert.equal(held["status"], "pending");
  assert.ok(Date.parse(held["held_until"]) > Date.now() + 9 * DAY);
  assert.deepEqual(await given(payment), []);
  assert.deepEqual(await told(held), ["refund_held"]);
  assert.deepEqual((await post(refunds(payment), { amount: "5.00" })).body["amount"], [
    "At most 4.90 EUR can still be refunded.",
  ]);
  const waiting = await service.get("management/needs-attention/", { key: merchant.key });
  const line = waiting.body["results"].find(({ kind }: Json) => kind === "held_refunds");
  assert.deepEqual([line.count, line.list], [1, "/api/v1/management/transactions/?held=true"]);
  const list = await service.get("management/transactions/?held=true", { key: merchant.key });
  assert.deepEqual(
    list.body["results"].map(({ id, held_until }: Json) => [id, held_until]),
    [[held["id"], held["held_until"]]],
  );
  const path = "management/transactions/export/?held=true&columns=id";
  const exported = await service.get(path, { key: merchant.key });
  assert.equal(exported.text, `id\r\n${held["id"]}\r\n`);
  assert.equal(await pass(), 0);
  await decide("cancel", payment, held);
});

test("a refund that is held is not an attempt without an outcome, however long it is held; once it is released, it is", async () => {
  const payment = await paid();
  const held = await refund(payment);
  await service.rows("update transactions set created_at = created_at - interval '1 day' where id = $1", [
    held["id"],
  ]);
  const { attempts } = await readFigures(service.db);
  assert.deepEqual([attempts.held, attempts.under_way, attempts.oldest_seconds], [1, 0, 0]);
  await service.rows("update transactions set released_at = now() where id = $1", [held["id"]]);
  const after = (await readFigures(service.db)).attempts;
  assert.deepEqual([after.held, after.under_way], [0, 1]);
  assert.ok(after.oldest_seconds > 86_000);
  await service.rows("update transactions set released_at = null where id = $1", [held["id"]]);
  await decide("cancel", payment, held);
});

test("a held refund is sent once when its time is over, also by eight passes at once, and not by recovery before", async () => {
  const payment = await paid();
  const held = await refund(payment);
  shift += 10 * DAY - 60_000;
  await recoverRefundsJob(service.app.deps).runOnce(50);
  assert.deepEqual([await stateOf(held), await given(payment)], ["submitted", []]);
  shift += 120_000;
  await recoverRefundsJob(service.app.deps).runOnce(50);
  await Promise.all(Array.from({ length: 8 }, pass));
  assert.deepEqual([await stateOf(held), await given(payment)], ["approved", ["19.90"]]);
  assert.deepEqual(await told(held), ["refund_held", "transaction.created"]);
});

test("a held refund that a person releases is sent at once and only once, and the audit log has it", async () => {
  const payment = await paid();
  const held = await refund(payment);
  const answers = await Promise.all([1, 2, 3].map(() => decide("release", payment, held)));
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 409, 409],
  );
  const sent = answers.find(({ status }) => status === 200);
  assert.deepEqual([sent?.body["status"], sent?.body["held_until"]], ["approved", null]);
  assert.deepEqual(await given(payment), ["19.90"]);
  const entries = await service.rows(
    "select action, before ->> 'held_until' as before, after ->> 'held_until' as after from audit_log where resource = 'refunds' and resource_id = $1 order by at",
    [held["id"]],
  );
  assert.deepEqual(
    entries.map(({ action, before, after }) => [action, before === null, after === null]),
    [
      ["create", true, false],
      ["update", false, true],
    ],
  );
  const late = await decide("cancel", payment, held);
  assert.deepEqual([late.status, late.body["code"]], [409, "refund_not_held"]);
});

test("a person ends a held refund: nothing is sent, its amount is free again, with an event and an audit entry", async () => {
  const payment = await paid();
  const held = await refund(payment);
  const ended = await decide("cancel", payment, held);
  assert.deepEqual([ended.status, ended.body["status"], ended.body["held_until"]], [200, "declined", null]);
  assert.deepEqual(await told(held), ["refund_held", "held_refund_declined"]);
  assert.deepEqual(await given(payment), []);
  assert.equal((await decide("release", payment, held)).status, 409);
  const again = await refund(payment);
  assert.equal((await decide("release", payment, again)).body["status"], "approved");
  assert.deepEqual(await given(payment), ["19.90"]);
});

test("a cancellation and its audit entry are one transaction: neither is there without the other", async () => {
  const payment = await paid();
  const held = await refund(payment);
  await decide("cancel", payment, held);
  const [row] = await service.rows(
    `select t.xmin::text as ended, a.xmin::text as noted, a.after ->> 'status' as status
       from transactions t
       join audit_log a on a.tenant = t.tenant and a.resource = 'refunds' and a.resource_id = t.id and a.action = 'update'
      where t.id = $1`,
    [held["id"]],
  );
  assert.equal(row?.["status"], "declined");
  assert.equal(row["ended"], row["noted"]);
});

test("a refund that is released while its cancellation is being written stays cancelled and is not sent", async () => {
  const payment = await paid();
  const held = await refund(payment);
  await race.atOnce(
    service,
    () => decide("cancel", payment, held),
    async () => assert.equal((await decide("release", payment, held)).body["code"], "refund_not_held"),
  );
  assert.deepEqual([await stateOf(held), await given(payment)], ["declined", []]);
});

test("the days count from the settlement of a payment that settles later", async () => {
  const payment = (await merchant.pay(await merchant.session(), IBAN.pending)).body["transaction"];
  shift += 9 * DAY;
  await post("management/sandbox/tick/");
  const held = await refund(payment);
  const days = (Date.parse(held["held_until"]) - Date.now() - shift) / DAY;
  assert.ok(days > 9.9, `${days} days`);
  await decide("cancel", payment, held);
});

test("a held refund whose payment is returned ends unsent, even when a person releases it", async () => {
  const payment = await paid();
  const held = await refund(payment);
  await comesBack(payment);
  const late = await decide("release", payment, held);
  assert.deepEqual([late.status, late.body["code"]], [409, "transaction_charged_back"]);
  await pass();
  assert.deepEqual([await stateOf(held), await given(payment)], ["declined", []]);
  assert.deepEqual(await told(held), ["refund_held", "held_refund_declined"]);
});

test("a refund that is released while its payment's return is being written is not sent", async () => {
  const payment = await paid();
  const held = await refund(payment);
  await race.atOnce(
    service,
    () => comesBack(payment),
    () => decide("release", payment, held),
  );
  await pass();
  assert.deepEqual([await stateOf(held), await given(payment)], ["declined", []]);
});

test("a refund that is cancelled while it is being released is sent once", async () => {
  const payment = await paid();
  const held = await refund(payment);
  await race.atOnce(
    service,
    () => decide("release", payment, held),
    () => decide("cancel", payment, held),
  );
  assert.deepEqual([await stateOf(held), await given(payment)], ["approved", ["19.90"]]);
});

test("another number of days leaves held refunds held, and applies to new ones", async () => {
  const payment = await paid();
  const held = await refund(payment, { amount: "5.00" });
  await hold(0);
  const sent = await refund(payment, { amount: "6.00" });
  assert.deepEqual([sent["status"], sent["held_until"]], ["approved", null]);
  assert.deepEqual([await stateOf(held), await given(payment)], ["submitted", ["6.00"]]);
  assert.deepEqual(await told(sent), ["transaction.created"]);
  await hold(10);
  await decide("release", payment, held);
  assert.deepEqual((await given(payment)).toSorted(), ["5.00", "6.00"]);
});

test("a payment that is older than the days is refunded at once", async () => {
  const payment = await paid();
  shift += 11 * DAY;
  assert.equal((await refund(payment))["status"], "approved");
});

test("another tenant's refund, one of another payment and an invalid id are not found", async () => {
  const payment = await paid();
  const held = await refund(payment);
  const other = await createMerchant(service);
  for (const verb of ["release", "cancel"] as const) {
    const path = `${refunds(payment)}${held["id"]}/${verb}/`;
    assert.equal((await service.post(path, {}, { key: other.key })).status, 404);
    assert.equal((await decide(verb, await paid(), held)).status, 404);
    assert.equal((await decide(verb, payment, { id: "x" })).status, 404);
  }
  assert.equal(await stateOf(held), "submitted");
});

/** Operations on a held refund. Each returns whether it took effect. */
const ACTS = {
  "the return": async (payment: Json) => {
    await comesBack(payment);
    return true;
  },
  "a release": async (payment: Json, held: Json) =>
    (await decide("release", payment, held)).body["status"] === "approved",
  "a cancellation": async (payment: Json, held: Json) =>
    (await decide("cancel", payment, held)).body["status"] === "declined",
  "the end of the hold": async () => (await pass()) > 0,
  "the erasure of the customer": async (payment: Json) => {
    const [row] = await service.rows("select lead_id from transactions where id = $1", [payment["id"]]);
    const path = `management/customers/${row?.["lead_id"]}/erase/`;
    const erased = await post(path, { give_up_evidence: true });
    assert.ok([200, 409].includes(erased.status), erased.text);
    return erased.status === 200;
  },
} as const;
type Act = keyof typeof ACTS;

/**
 * The refund's end if each of them is first; null if the other decides, because a customer with a held refund cannot
 * be erased.
 */
const BECOMES: Readonly<Record<Act, "approved" | "declined" | null>> = {
  "the return": "declined",
  "a release": "approved",
  "a cancellation": "declined",
  "the end of the hold": "approved",
  "the erasure of the customer": null,
};

const NAMES = Object.keys(ACTS) as readonly Act[];
for (const first of NAMES)
  for (const second of NAMES.filter((one) => one !== first))
    test(`${second} while ${first} is being written: the first decides, and the money is given back once or not at all`, async () => {
      const payment = await paid();
      const held = await refund(payment);
      if (first === "the end of the hold" || second === "the end of the hold") shift += 11 * DAY;
      const came = new Map<Act, boolean>();
      const act = async (name: Act) => came.set(name, await ACTS[name](payment, held));
      // A refusal writes nothing that a test could wait for.
      if (BECOMES[first] === null) await Promise.all([act(first), act(second)]);
      else
        await race.atOnce(
          service,
          () => act(first),
          () => act(second),
        );
      await pass();
      const state = BECOMES[first] ?? BECOMES[second];
      assert.equal(await stateOf(held), state);
      assert.deepEqual(await given(payment), state === "approved" ? ["19.90"] : []);
      const [{ status } = {}] = await service.rows("select status from transactions where id = $1", [
        payment["id"],
      ]);
      const isBack = first === "the return" || second === "the return";
      assert.equal(status, isBack ? "charged_back" : state === "approved" ? "refunded" : "approved");
      assert.equal(came.get(BECOMES[first] === null ? second : first), true, "the first came about");
      const events = (await told(held)).filter((kind) => kind === "held_refund_declined");
      assert.equal(events.length, state === "declined" ? 1 : 0);
    });

test("after all of this the books agree", async () => {
  await assertBooksAgree(service.app.deps.db);
});
