/**
 * A bank reinstates the first attempt at a cycle while its retry is on its way: a retry that was not sent is
 * withdrawn, one that was is reported. So is a first payment that was paid again.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { checkBooks } from "../../src/books/check.ts";
import { collectJob } from "../../src/gateways/sepa-batch/outgoing/write-files.ts";
import { utcDate } from "../../src/lib/dates.ts";
import { manualClock } from "../../src/lib/clock.ts";
import { applyNews } from "../../src/payments/news/apply.ts";
import { newsJob } from "../../src/payments/news/fetch.ts";
import { hold } from "../../src/subscriptions/due-store.ts";
import { failedPaymentUrl } from "../../src/subscriptions/failed/token.ts";
import { collectAttempt, followRenewals, openAttempt, renewDue } from "../../src/subscriptions/renew.ts";
import { createRace } from "../support/at-once.ts";
import { cyclesOf, readSubscription, subscribe, switchAccount } from "../support/billing.ts";
import { assertBooksAgree } from "../support/books.ts";
import { createMerchant, IBAN, type Merchant } from "../support/merchant.ts";
import {
  bankMerchant,
  content,
  markSent,
  outgoing,
  pain002,
  payAt,
  uploadFile,
  type BankMerchant,
} from "../support/sepa-bank.ts";
import { startService, type Json, type Service } from "../support/service.ts";
import * as treasury from "../support/treasury.ts";
import { sized } from "../support/sized.ts";

// A Monday, before the cut-off in Berlin.
const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
const race = createRace();
let service: Service;

before(async () => {
  service = await startService({ clock, between: race.between });
});
after(async () => {
  await assertBooksAgree(service.db).finally(() => service.close());
});

const moveTo = (merchant: BankMerchant, date: string) => treasury.moveTo(service, merchant, date);

interface Retried {
  readonly merchant: BankMerchant;
  readonly tenant: number;
  /** Of the subscription. */
  readonly id: string;
  /** The attempts at its first cycle, oldest first. */
  readonly attempts: readonly Json[];
}

function attemptsOf(id: string): Promise<readonly Json[]> {
  return service.rows(
    `select t.id, t.tenant, t.gateway_id, t.merchant_transaction_id as reference, t.status, c.state, c.block_id, f.message_id
       from transactions t
       left join sepa_collections c on c.tenant = t.tenant and c.reference = t.merchant_transaction_id
       left join sepa_files       f on f.tenant = c.tenant and f.id = c.file_id
      where t.subscription_id = $1 and t.type = 'sdd_rebill' order by t.created_at`,
    [id],
  );
}

async function allSent(merchant: BankMerchant): Promise<void> {
  for (const { id, status } of await outgoing(service, merchant))
    if (status === "ready") await markSent(service, merchant, id);
}

/** Its first renewal was rejected for want of money on 23 December; from the 28th on it is tried again. */
async function rejected(notice = 0): Promise<Retried> {
  const merchant = await bankMerchant(service, { pre_notification_days: notice });
  const fields = { billing_type: "RECURRING", billing_frequency: "MONTHLY", amount: "9.90" };
  const paid = await payAt(merchant, fields);
  await moveTo(merchant, "2026-11-23T14:00:00Z");
  await allSent(merchant);
  const first = { amount: "9.90", endToEndId: paid["transaction"].merchant_transaction_id };
  await moveTo(merchant, "2026-12-01T14:00:00Z");
  await allSent(merchant);
  await treasury.booked(service, merchant, [["collection", first]], "2026-12-03");
  const { id } = paid["subscription"];
  await moveTo(merchant, "2026-12-23T08:30:00Z");
  await moveTo(merchant, notice === 0 ? "2026-12-23T14:00:00Z" : "2026-12-28T14:00:00Z");
  await allSent(merchant);
  await reject(merchant, (await attemptsOf(id))[0] ?? {}, "MS03", notice === 0 ? "2026-12-23" : "2026-12-28");
  assert.deepEqual(cyclesOf(await readSubscription(service, merchant, id)), ["1:retry"]);
  const attempts = await attemptsOf(id);
  return { merchant, id, attempts, tenant: attempts[0]?.["tenant"] };
}

async function reject(merchant: BankMerchant, row: Json, reason: string, day: string): Promise<void> {
  const { message_id: messageId, block_id: block, reference: endToEndId } = row;
  const xml = pain002(day, { messageId }, [{ id: block, transactions: [{ endToEndId, reason }] }]);
  const { status, body } = await uploadFile(service, merchant, xml);
  assert.equal(status, 201, JSON.stringify(body));
  await followRenewals(service.app.deps, 100);
}

/** The same, and the retry waits in the account's books. */
async function retried(): Promise<Retried> {
  const one = await rejected();
  await moveTo(one.merchant, "2026-12-28T08:30:00Z");
  const attempts = await attemptsOf(one.id);
  assert.deepEqual(
    attempts.map(({ status, state }) => `${status} ${state}`),
    ["declined rejected", "pending accepted"],
  );
  return { ...one, attempts };
}

/** The money of the first attempt is booked after all, and a person reinstates it. */
async function arrives({ merchant, attempts: [first] }: Retried, day: string): Promise<void> {
  const entry = { amount: "9.90", endToEndId: first?.["reference"] };
  await treasury.booked(service, merchant, [["collection", entry]], day);
  const [waits] = await treasury.unmatched(service, merchant);
  const body = { action: "reinstate", transaction_id: first?.["id"] };
  const { status, text } = await treasury.resolve(service, merchant, waits?.["id"], body);
  assert.equal(status, 200, text);
}

/** The afternoons of the days after; what is in files goes to the bank, which books all of it. Returns the ids that it had. */
async function rest({ merchant }: Retried): Promise<readonly string[]> {
  const taken: string[] = [];
  for (const day of ["2026-12-29", "2026-12-30", "2027-01-04", "2027-01-05", "2027-01-08"]) {
    await moveTo(merchant, `${day}T08:30:00Z`);
    await moveTo(merchant, `${day}T14:00:00Z`);
    await allSent(merchant);
    const rows = await service.rows(
      "select reference, amount from sepa_collections where gateway_id = $1 and state = 'batched' and due_date <= $2 order by reference",
      [merchant.accountId, day],
    );
    if (rows.length === 0) continue;
    taken.push(...rows.map(({ reference }) => reference as string));
    const entries = rows.map(
      ({ reference, amount }) => ["collection", { amount, endToEndId: reference }] as const,
    );
    await treasury.booked(service, merchant, entries, day);
  }
  await followRenewals(service.app.deps, 100);
  return taken;
}

async function endOf({ merchant, id }: Pick<Retried, "merchant" | "id">): Promise<readonly unknown[]> {
  const now = await readSubscription(service, merchant, id);
  const { status, successful_billing_count: paid, failed_billing_count: failed, total_revenue: sum } = now;
  return [status, ...cyclesOf(now), paid, failed, sum];
}

/** Paid by its first attempt, and by no other. */
async function assertPaidOnce(one: Retried): Promise<void> {
  assert.deepEqual(await endOf(one), ["ACTIVE", "1:paid", 1, 0, "19.80"]);
  const [cycle] = (await readSubscription(service, one.merchant, one.id))["cycles"];
  assert.deepEqual(
    [cycle.transaction_id, cycle.collected_by],
    [one.attempts[0]?.["id"], [one.attempts[0]?.["id"]]],
  );
  assert.deepEqual(await named(one), { listed: [], losses: [] });
}

/** The reports of cycles that are collected twice. */
async function named({
  merchant,
}: Retried): Promise<{ listed: readonly string[]; losses: readonly string[] }> {
  const { body, text } = await service.get("management/subscriptions/?collected_twice=true", {
    key: merchant.key,
  });
  assert.ok(Array.isArray(body["results"]), text);
  const { losses } = await checkBooks(service.db);
  const attention = await service.get("management/needs-attention/", { key: merchant.key });
  const waiting = (attention.body["results"] as readonly Json[]).find(
    ({ kind }) => kind === "cycles_collected_twice",
  );
  assert.equal(waiting?.["count"] ?? 0, body["results"].length, attention.text);
  return {
    listed: body["results"].map((row: Json): string => row["id"]),
    losses: losses.filter((words) => words.includes(merchant.tenantId)),
  };
}

// Holds CYCLE-1 and CYCLE-10.
test("the retry waits in the books when the first attempt's money comes: it is taken out, and the cycle is paid once", async () => {
  const one = await retried();
  await arrives(one, "2026-12-28");
  await moveTo(one.merchant, "2026-12-28T08:45:00Z");
  assert.deepEqual(
    (await attemptsOf(one.id)).map(({ status, state }) => `${status} ${state}`),
    ["approved settled", "declined fenced"],
  );
  await assertPaidOnce(one);
  assert.deepEqual(await rest(one), []);
  await assertPaidOnce(one);
});

// Holds CYCLE-1 and CYCLE-10.
test("the retry is in a file that was not sent: the file is withdrawn, its other debits go into the next one, the retry does not", async () => {
  const one = await retried();
  const other = await payAt(one.merchant);
  await moveTo(one.merchant, "2026-12-28T14:00:00Z");
  await arrives(one, "2026-12-28");
  await moveTo(one.merchant, "2026-12-28T14:10:00Z");
  const files = await outgoing(service, one.merchant);
  assert.deepEqual(files.at(-1)?.["status"], "withdrawn");
  assert.match(files.at(-1)?.["error"], /retry of a renewal that was paid/);
  assert.deepEqual(await rest(one), [other["transaction"].merchant_transaction_id]);
  await assertPaidOnce(one);
});

// Holds CYCLE-10.
test("the first attempt's money comes just before the cut-off: the run leaves the retry out, though it has not been withdrawn yet", async () => {
  const one = await retried();
  await told(one);
  await reinstate(one);
  await run(one);
  assert.deepEqual(
    (await attemptsOf(one.id)).map(({ status, state }) => `${status} ${state}`),
    ["approved settled", "pending accepted"],
  );
  assert.deepEqual(await rest(one), []);
  await assertPaidOnce(one);
});

// Holds CYCLE-10.
test("the retry is in a file that was downloaded: the console warns not to give it to the bank, and a person takes it back", async () => {
  const one = await retried();
  await moveTo(one.merchant, "2026-12-28T14:00:00Z");
  const file = (await outgoing(service, one.merchant)).at(-1) ?? {};
  await content(service, one.merchant, file["id"]);
  await arrives(one, "2026-12-28");
  await moveTo(one.merchant, "2026-12-28T14:10:00Z");
  assert.deepEqual((await named(one)).listed, [one.id], "it may be at the bank");
  const path = `management/sepa-files/${file["id"]}/`;
  const refused = await service.get(`${path}content/`, { key: one.merchant.key });
  assert.match(refused.body["detail"], /retry of a renewal that was paid.*withdraw/);
  const taken = await service.post(`${path}withdraw/`, undefined, { key: one.merchant.key });
  assert.equal(taken.body["status"], "withdrawn", taken.text);
  assert.deepEqual(await rest(one), []);
  await assertPaidOnce(one);
});

// Holds CYCLE-1.
test("the retry has left for the bank: the cycle is named as collected twice until one of its payments is refunded", async () => {
  const one = await retried();
  await moveTo(one.merchant, "2026-12-28T14:00:00Z");
  await allSent(one.merchant);
  await arrives(one, "2026-12-28");
  assert.deepEqual((await named(one)).listed, [one.id]);
  assert.deepEqual(await rest(one), [one.attempts[1]?.["reference"]]);
  assert.deepEqual(await endOf(one), ["ACTIVE", "1:paid", 2, 0, "29.70"]);
  const { listed, losses } = await named(one);
  const references = one.attempts.map(({ reference }) => reference);
  assert.deepEqual([listed, losses.length], [[one.id], 1]);
  assert.match(losses[0] ?? "", new RegExp(`CYCLE-1: .*collected twice, by ${references.join(".* and ")}`));
  const [cycle] = (await readSubscription(service, one.merchant, one.id))["cycles"];
  assert.deepEqual(
    cycle.collected_by,
    one.attempts.map(({ id }) => id),
  );
  await assertLaterFileIsNamed(one);
  await moveTo(one.merchant, "2027-01-20T08:30:00Z");
  const path = `management/transactions/${one.attempts[1]?.["id"]}/refunds/`;
  const refund = await service.post(path, {}, { key: one.merchant.key });
  assert.equal(refund.status, 201, refund.text);
  await moveTo(one.merchant, "2027-01-20T14:00:00Z");
  await allSent(one.merchant);
  const transfer = { amount: "9.90", endToEndId: refund.body["merchant_transaction_id"] };
  await treasury.booked(service, one.merchant, [["transferOut", transfer]], "2027-01-21");
  assert.deepEqual(await named(one), { listed: [], losses: [] });
});

// Holds CYCLE-10.
test("after two failed attempts the first one's money arrives: there is no third attempt", async () => {
  const one = await retried();
  await moveTo(one.merchant, "2026-12-28T14:00:00Z");
  await allSent(one.merchant);
  await reject(one.merchant, (await attemptsOf(one.id))[1] ?? {}, "MS03", "2026-12-28");
  assert.deepEqual(await endOf(one), ["PAST_DUE", "1:retry", 0, 2, "9.90"]);
  await arrives(one, "2026-12-28");
  assert.deepEqual(await endOf(one), ["ACTIVE", "1:paid", 1, 1, "19.80"]);
  assert.deepEqual(await rest(one), []);
  assert.equal((await attemptsOf(one.id)).length, 2);
});

// Holds CYCLE-10.
test("the retry fails at the bank after the first attempt's money came: it is not tried a third time", async () => {
  const one = await retried();
  await moveTo(one.merchant, "2026-12-28T14:00:00Z");
  await allSent(one.merchant);
  await arrives(one, "2026-12-28");
  await reject(one.merchant, (await attemptsOf(one.id))[1] ?? {}, "MS03", "2026-12-28");
  assert.deepEqual(await endOf(one), ["ACTIVE", "1:paid", 1, 1, "19.80"]);
  assert.deepEqual(await rest(one), []);
  assert.equal((await attemptsOf(one.id)).length, 2);
});

test("the first attempt pays the cycle, and its bank takes it back again: it is charged back, and not tried again", async () => {
  const one = await retried();
  await arrives(one, "2026-12-28");
  await moveTo(one.merchant, "2026-12-28T08:45:00Z");
  const back = { amount: "9.90", endToEndId: one.attempts[0]?.["reference"], reason: "MD06" };
  await treasury.booked(service, one.merchant, [["return", back]], "2026-12-29");
  assert.deepEqual(await endOf(one), ["CANCELLED", "1:charged_back", 0, 0, "9.90"]);
  assert.deepEqual(await rest(one), []);
});

/** A file written after the first attempt's money was known would be an error of the service. */
async function assertLaterFileIsNamed({ attempts }: Retried): Promise<void> {
  const write = (interval: string) =>
    service.rows(
      `update sepa_files set created_at = created_at + $2::interval
        where id = (select file_id from sepa_collections where reference = $1) returning 1`,
      [attempts[1]?.["reference"], interval],
    );
  assert.deepEqual((await checkBooks(service.db)).differences, []);
  await write("1 day");
  const [first] = (await checkBooks(service.db)).differences;
  assert.match(first ?? "", /^CYCLE-10: .* was sent to the bank although .* had paid its cycle/);
  await write("-1 day");
}

type Step = (of: Retried) => Promise<unknown>;

/** After a person's decision: the notice is recorded, but not yet applied to the payment. */
async function told({ attempts: [first] }: Retried): Promise<void> {
  const values = [first?.["gateway_id"], first?.["reference"], clock.now()];
  await service.rows(
    `with c as (
       update sepa_collections set state = 'settled', round = 1, reinstated_on = ($3::timestamptz)::date
        where gateway_id = $1 and reference = $2
       returning *
     )
     insert into sepa_news (tenant, gateway_id, reference, kind, round, at)
     select tenant, gateway_id, reference, 'reinstated', 1, $3 from c returning 1`,
    values,
  );
}

const reinstate: Step = ({ tenant }) =>
  newsJob(service.app.deps, tenant).runOnce(1, new AbortController().signal);

async function atOnce(one: Retried, first: Step, second: Step): Promise<void> {
  await told(one);
  await race.atOnce(
    service,
    () => first(one),
    () => second(one),
  );
}

/** The run of the account on the 28th. */
const run: Step = ({ tenant }) => {
  const time = { ...service.app.deps.time, now: () => new Date("2026-12-28T13:00:00Z") };
  return collectJob({ ...service.app.deps, time }, tenant).runOnce(1, new AbortController().signal);
};

/** Operations concurrent with the reinstatement, and the cycle's state before. */
const BESIDE: readonly (readonly [string, () => Promise<Retried>, Step, failed: number])[] = [
  [
    "the retry is taken up",
    async () => {
      const one = await rejected();
      await service.rows(
        "update billing_cycles set next_attempt_at = $2 where subscription_id = $1 returning 1",
        [one.id, clock.now()],
      );
      return one;
    },
    () =>
      renewDue(
        {
          ...service.app.deps,
          time: { ...service.app.deps.time, now: () => new Date("2026-12-28T09:00:00Z") },
        },
        100,
      ),
    0,
  ],
  ["the file with the retry is written", retried, run, 0],
  [
    "the retry's failure is followed",
    async () => {
      const one = await retried();
      await service.rows(
        "update transactions set status = 'declined', error_code = 'insufficient_funds', gateway_code = 'AM04' where id = $1 returning 1",
        [one.attempts[1]?.["id"]],
      );
      await service.rows("update sepa_collections set state = 'rejected' where reference = $1 returning 1", [
        one.attempts[1]?.["reference"],
      ]);
      return one;
    },
    () => followRenewals(service.app.deps, 100),
    1,
  ],
];

for (const [n, [what, before_, step, failed]] of BESIDE.entries()) {
  for (const isFirst of sized([n % 2 === 0], [true, false])) {
    // Holds CYCLE-1 and CYCLE-10.
    test(`the first attempt is reinstated ${isFirst ? "just before" : "just after"} ${what}: the cycle is paid once`, async () => {
      const one = await before_();
      const [first, second] = isFirst ? [reinstate, step] : [step, reinstate];
      await atOnce(one, first, second);
      await moveTo(one.merchant, "2026-12-28T14:30:00Z");
      assert.deepEqual(await rest(one), []);
      assert.deepEqual(await endOf(one), ["ACTIVE", "1:paid", 1, failed, "19.80"]);
      assert.deepEqual(await named(one), { listed: [], losses: [] });
    });
  }
}

/** A first payment that the bank has rejected, with the session in which its customer pays again. */
async function paidAgain() {
  const merchant = await bankMerchant(service);
  const { transaction } = await payAt(merchant, { billing_type: "ONE_OFF", amount: "9.90" });
  await moveTo(merchant, "2026-11-23T14:00:00Z");
  await allSent(merchant);
  const [first = {}] = await service.rows(
    `select t.id, t.tenant, c.reference, c.block_id, f.message_id
       from transactions t
       join sepa_collections c on c.tenant = t.tenant and c.reference = t.merchant_transaction_id
       join sepa_files       f on f.tenant = c.tenant and f.id = c.file_id
      where t.id = $1`,
    [transaction.id],
  );
  await reject(merchant, first, "MS03", "2026-11-24");
  const { tenant, id } = first;
  const link = new URL(failedPaymentUrl(service.app.deps, { tenant, id })).pathname;
  await moveTo(merchant, "2026-11-25T08:30:00Z");
  const { headers, text } = await service.post(link, "", {
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  const token = /\/pay\/(ps_[A-Za-z0-9_-]+)\//.exec(String(headers["location"]))?.[1];
  assert.ok(token !== undefined, text);
  const arrive = () =>
    arrives(
      { merchant, tenant, id, attempts: [{ ...first, id, reference: first["reference"] }] },
      "2026-11-25",
    );
  const told = async () => {
    const list = await service.get("management/transactions/?collected_twice=true", { key: merchant.key });
    const { losses } = await checkBooks(service.db);
    return {
      listed: list.body["results"].map((row: Json): string => row["id"]),
      losses: losses.filter((words) => words.includes(merchant.tenantId)).length,
    };
  };
  return { merchant, id, token, arrive, told };
}

test("a first payment's money arrives while the debit that repeats it waits: both are listed until that debit is stopped", async () => {
  const { merchant, id, token, arrive, told } = await paidAgain();
  const again = await merchant.pay(token, "DE62370400440532013001");
  assert.equal(again.body["transaction"].status, "pending", again.text);
  assert.deepEqual(await told(), { listed: [], losses: 0 });
  await arrive();
  const other: string = again.body["transaction"].id;
  assert.deepEqual(await told(), { listed: [other, id], losses: 1 });
  const path = `management/transactions/${other}/cancel/`;
  assert.equal((await service.post(path, undefined, { key: merchant.key })).status, 200);
  assert.deepEqual(await told(), { listed: [], losses: 0 });
});

test("a first payment whose money arrived after all is not paid again from a bank account", async () => {
  const { merchant, token, arrive, told } = await paidAgain();
  await arrive();
  assert.equal((await merchant.pay(token, "DE62370400440532013001")).status, 410);
  assert.deepEqual(await told(), { listed: [], losses: 0 });
});

/** At a gateway that answers at once: the first attempt was returned, and the second is opened and not sent yet. */
async function opened(): Promise<{
  merchant: Merchant;
  id: string;
  first: Json;
  second: string;
  tenant: number;
}> {
  const merchant = await createMerchant(service);
  const id = await subscribe(merchant, { billing_frequency: undefined });
  await switchAccount(service, id, IBAN.pending);
  await service.post(`management/subscriptions/${id}/collect/`, undefined, { key: merchant.key });
  const [first] = await attemptsOf(id);
  const { tenant, gateway_id: gatewayId, reference } = first ?? {};
  const returned = { reasonCode: "AM04", reasonMessage: null, at: clock.now() };
  await applyNews(service.app.deps, tenant, gatewayId, { kind: "returned", reference, ...returned });
  await followRenewals(service.app.deps, 100);
  await switchAccount(service, id, IBAN.insufficientFunds);
  clock.advance(1_000);
  const now = clock.now();
  const second = service.app.deps.ids.uuid();
  await service.db.transaction(async (tx) => {
    const today = utcDate(now);
    const row = await hold(tx, tenant, id, today);
    assert.ok(row !== null);
    await openAttempt(service.app.deps, tx, { tenant, row, now, today, transactionId: second });
  });
  return { merchant, id, first: first ?? {}, second, tenant };
}

for (const isFirst of [true, false]) {
  test(`the first attempt is reinstated ${isFirst ? "just before" : "just after"} its retry is declined at once: the cycle is paid, and not tried again`, async () => {
    const { merchant, id, first, second, tenant } = await opened();
    const told = { reference: first["reference"], at: clock.now() };
    const arrive = () =>
      applyNews(service.app.deps, tenant, first["gateway_id"], { kind: "reinstated", ...told });
    const ask = () => collectAttempt(service.app.deps, tenant, second);
    await (isFirst ? race.atOnce(service, arrive, ask) : race.atOnce(service, ask, arrive));
    const now = await readSubscription(service, merchant, id);
    assert.deepEqual(
      [now["status"], ...cyclesOf(now), now["successful_billing_count"], now["failed_billing_count"]],
      ["ACTIVE", "1:paid", 1, 1],
    );
  });
}

for (const isFirst of [true, false]) {
  test(`a reinstated first attempt is charged back ${isFirst ? "just before" : "just after"} its retry is declined: the cycle is not paid`, async () => {
    const { merchant, id, first, second, tenant } = await opened();
    const about = { reference: first["reference"], at: clock.now() };
    const tell = (news: object) => applyNews(service.app.deps, tenant, first["gateway_id"], news as never);
    await tell({ kind: "reinstated", ...about });
    const back = () =>
      tell({ kind: "charged_back", round: 2, reasonCode: "MD06", reasonMessage: null, ...about });
    const ask = () => collectAttempt(service.app.deps, tenant, second);
    await (isFirst ? race.atOnce(service, back, ask) : race.atOnce(service, ask, back));
    const now = await readSubscription(service, merchant, id);
    assert.deepEqual(
      [now["status"], now["successful_billing_count"], now["failed_billing_count"]],
      ["CANCELLED", 0, 1],
    );
    assert.notDeepEqual(cyclesOf(now), ["1:paid"]);
  });
}

test("attempts from before their cycle was recorded are assigned one: the newest, the first, and those between them", async () => {
  const one = await retried();
  await moveTo(one.merchant, "2026-12-28T14:00:00Z");
  await allSent(one.merchant);
  await reject(one.merchant, (await attemptsOf(one.id))[1] ?? {}, "MS03", "2026-12-28");
  await moveTo(one.merchant, "2027-01-08T08:30:00Z");
  const cycles = async () =>
    (
      await service.rows(
        "select cycle from transactions where subscription_id = $1 and type = 'sdd_rebill' order by created_at",
        [one.id],
      )
    ).map((row) => row["cycle"]);
  assert.deepEqual(await cycles(), [1, 1, 1]);
  await service.rows("update transactions set cycle = null where subscription_id = $1 returning 1", [one.id]);
  const url = new URL("../../src/db/migrations/0020_cycles_of_old_renewals.sql", import.meta.url);
  await service.rows((await readFile(url, "utf8")).replaceAll(/^--.*$/gm, ""));
  assert.deepEqual(await cycles(), [1, 1, 1]);
});
