/** Claims of a payment: an older response after a newer one, in every order, and processes whose clocks are wrong. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import pg from "pg";
import { createApp, type App } from "../src/app.ts";
import type { Calls } from "../src/db/database.ts";
import type { Outcome } from "../src/gateways/gateway.ts";
import { DAY_MS, later, MINUTE_MS, SECOND_MS, type Clock } from "../src/lib/clock.ts";
import { silentLog } from "../src/lib/log.ts";
import { recoverRefundsJob } from "../src/payments/refunds/recover.ts";
import { CLAIM_DUE_ATTEMPTS } from "../src/sessions/attempt-store.ts";
import { recoverJob } from "../src/sessions/recover.ts";
import { recoverRenewalsJob } from "../src/subscriptions/renew.ts";
import { createRace, untilWaiting } from "./support/at-once.ts";
import { assertBooksAgree } from "./support/books.ts";
import { onClock } from "./support/database-clock.ts";
import { createMerchant, IBAN, type Merchant } from "./support/merchant.ts";
import { countedOutcomes } from "./support/outcome-count.ts";
import { startService, type Json, type Response, type Service } from "./support/service.ts";
import { OUTCOME, slowBank, type Question, type SlowBank } from "./support/slow-bank.ts";

/** Longer than a claim lasts. */
const PAST_LEASE_MS = 31 * SECOND_MS;

let service: Service;
let merchant: Merchant;
const bank: SlowBank = slowBank();
const race = createRace();
let shift = 0;

before(async () => {
  const clock = { now: () => later(new Date(), shift), monotonicMs: () => performance.now() };
  service = await startService({
    clock,
    adapters: [bank.adapter],
    between: (db) => pausing(race.between(db)),
  });
  merchant = await createMerchant(service, { adapter: "slow-bank" });
});
after(() => service.close());

/** How often a worker has taken the claim of an attempt whose money has moved. */
let takenBack = 0;
/** Runs once, as a transaction begins. */
let onceBegun: (() => Promise<void>) | null = null;
/** Runs once, after a request or job has seen which session of a lead blocks another. */
let onceBlocking: (() => Promise<void>) | null = null;

function pausing(db: Calls): Calls {
  return {
    ...db,
    async query(statement, values) {
      const rows = await db.query(statement, values);
      if (statement.name !== "sessions.find_active_of_lead" || onceBlocking === null) return rows;
      const then = onceBlocking;
      onceBlocking = null;
      await then();
      return rows;
    },
    async commit(statement, values) {
      if (statement.name === "sessions.reclaim") takenBack += 1;
      return db.commit(statement, values);
    },
    transaction: (work) =>
      db.transaction(async (tx) => {
        const then = onceBegun;
        onceBegun = null;
        await then?.();
        return work({
          ...tx,
          async write(statement, values) {
            if (statement.name === "sessions.reclaim") takenBack += 1;
            return tx.write(statement, values);
          },
        });
      }),
  };
}

/** A session whose customer was redirected to the bank. */
async function awaitingVerification(): Promise<string> {
  const token = await merchant.session();
  const paid = merchant.pay(token, IBAN.approved);
  (await bank.asked()).answer(OUTCOME.verification_required);
  assert.equal((await paid).body["status"], "awaiting_verification");
  return token;
}

/** Runs recovery after the lease of the previous claim has ended. @returns the question that it asks the gateway. */
async function recovering(): Promise<{ readonly question: Question; readonly done: Promise<unknown> }> {
  shift += PAST_LEASE_MS;
  const done = recoverJob(service.app.deps).runOnce(10);
  return { question: await bank.asked(), done };
}

/** The status of a session and its transaction, and the number of completed events. */
async function stateOf(token: string, transactionId: string): Promise<readonly unknown[]> {
  const [row] = await service.rows(
    `select s.status as session, t.status as transaction,
            (select count(*)::int from events e where e.session_id = s.id and e.type = 'payment_session.completed') as events
       from transactions t join sessions s on s.id = t.session_id where t.id = $1`,
    [transactionId],
  );
  assert.equal((await merchant.retrieve(token)).body["status"], row?.["session"]);
  return [row?.["session"], row?.["transaction"], row?.["events"]];
}

async function openTransaction(): Promise<string> {
  const [row] = await service.rows("select id from transactions order by created_at desc, id desc limit 1");
  return row?.["id"];
}

const KINDS = Object.keys(OUTCOME) as Outcome["kind"][];
const isPaid = (kind: Outcome["kind"]) => kind === "approved" || kind === "pending";

/** The effect of the current claim's response on a session that awaits a verification. */
const AFTER_VERIFY: Readonly<Record<Outcome["kind"], readonly [string, string, number]>> = {
  approved: ["COMPLETED", "approved", 1],
  pending: ["COMPLETED", "pending", 1],
  declined: ["PENDING", "declined", 0],
  verification_required: ["AWAITING_VERIFICATION", "awaiting_verification", 0],
  unreachable: ["AWAITING_VERIFICATION", "unresolved", 0],
  unresolved: ["AWAITING_VERIFICATION", "unresolved", 0],
};

for (const olderFirst of [true, false]) {
  for (const older of KINDS) {
    for (const newer of KINDS) {
      // A gateway that has declined a payment does not charge it afterwards (gateways/gateway.ts).
      if (isPaid(older) && newer === "declined") continue;
      const order = olderFirst ? "before" : "after";
      test(`a verification's older response (${older}) ${order} the newer one (${newer}) counts only if money has moved`, async () => {
        const token = await awaitingVerification();
        const transaction = await openTransaction();
        const verified = merchant.verify(token);
        const first = await bank.asked();
        const second = await recovering();
        assert.deepEqual([first.method, second.question.method], ["verify", "verify"]);
        const answers = [
          async () => {
            first.answer(OUTCOME[older]);
            await verified;
          },
          async () => {
            second.question.answer(OUTCOME[newer]);
            await second.done;
          },
        ];
        for (const answer of olderFirst ? answers : answers.toReversed()) await answer();
        const winner = isPaid(older) && (olderFirst || !isPaid(newer)) ? older : newer;
        assert.deepEqual(await stateOf(token, transaction), AFTER_VERIFY[winner]);
        assert.equal((await verified).status, 200);
        await leaveNothingDue();
      });
    }
  }
}

/** Closes what a test has left unresolved, so that recovery does not ask about it in later tests. */
async function leaveNothingDue(): Promise<void> {
  await service.rows(
    `update transactions set resolve_at = '2100-01-01', locked_until = null where status in ('unresolved', 'awaiting_verification')`,
  );
}

test("an approval is recorded even if an older 'not yet' arrives while the bank is being asked", async () => {
  const token = await awaitingVerification();
  const slow = merchant.verify(token);
  const older = await bank.asked();
  const between = await recovering();
  between.question.answer(OUTCOME.verification_required);
  await between.done;
  const verified = merchant.verify(token);
  const newer = await bank.asked();
  older.answer(OUTCOME.verification_required);
  assert.equal((await slow).body["status"], "awaiting_verification");
  newer.answer(OUTCOME.approved);
  assert.equal((await verified).body["status"], "completed");
  const { id } = (await verified).body["transaction"];
  assert.deepEqual(await stateOf(token, id), ["COMPLETED", "approved", 1]);
});

test("an approval that arrives after the verification waits for its customer again is recorded at once", async () => {
  const token = await awaitingVerification();
  const verified = merchant.verify(token);
  const older = await bank.asked();
  const newer = await recovering();
  newer.question.answer(OUTCOME.verification_required);
  await newer.done;
  older.answer(OUTCOME.approved);
  assert.equal((await verified).body["status"], "completed");
});

test("a cancellation with an outdated response ends nothing: the session keeps the newer response's status", async () => {
  const token = await awaitingVerification();
  const cancelled = merchant.cancel(token);
  const asked = await bank.asked();
  assert.equal(asked.method, "resolve");
  const newer = await recovering();
  newer.question.answer(OUTCOME.verification_required);
  await newer.done;
  asked.answer(OUTCOME.declined);
  assert.equal((await cancelled).status, 409);
  assert.equal((await merchant.retrieve(token)).body["status"], "AWAITING_VERIFICATION");
  await leaveNothingDue();
});

test("a cancellation with an outdated response completes the session if the money has moved", async () => {
  const token = await awaitingVerification();
  const cancelled = merchant.cancel(token);
  const asked = await bank.asked();
  const newer = await recovering();
  newer.question.answer(OUTCOME.verification_required);
  await newer.done;
  asked.answer(OUTCOME.approved);
  assert.equal((await cancelled).status, 409);
  assert.equal((await merchant.retrieve(token)).body["status"], "COMPLETED");
});

test("a verification that has expired can be cancelled before recovery ends it", async () => {
  const token = await awaitingVerification();
  shift += DAY_MS + MINUTE_MS;
  const cancelled = merchant.cancel(token);
  const asked = await bank.asked();
  assert.equal(asked.method, "resolve");
  asked.answer(OUTCOME.declined);
  assert.equal((await cancelled).status, 200);
  assert.equal((await merchant.retrieve(token)).status, 404);
});

test("a verification that expires emits exactly one payment_session.expired", async () => {
  const token = await awaitingVerification();
  const transaction = await openTransaction();
  shift += DAY_MS + MINUTE_MS;
  const done = recoverJob(service.app.deps).runOnce(1);
  const asked = await bank.asked();
  assert.equal(asked.method, "resolve");
  asked.answer(OUTCOME.declined);
  await done;
  assert.equal((await merchant.retrieve(token)).status, 404);
  const events = await service.rows(
    `select e.type from events e join transactions t on t.session_id = e.session_id where t.id = $1`,
    [transaction],
  );
  assert.deepEqual(
    events.map((row) => row["type"]),
    ["payment_session.expired"],
  );
});

/** The effect of a payment's final outcome on its session. */
const AFTER_RESOLVE: Readonly<Record<Outcome["kind"], readonly [string, string, number]>> = {
  ...AFTER_VERIFY,
  unreachable: ["PENDING", "unresolved", 0],
  unresolved: ["PENDING", "unresolved", 0],
};

for (const older of KINDS) {
  for (const newer of ["approved", "declined", "unresolved"] as const) {
    if (isPaid(older) && newer === "declined") continue;
    test(`a payment whose response (${older}) arrives after recovery recorded ${newer} returns its own attempt with the recorded status`, async () => {
      const token = await merchant.session();
      const paid = merchant.pay(token, IBAN.approved);
      const collect = await bank.asked();
      const transaction = await openTransaction();
      const recovery = await recovering();
      assert.equal(recovery.question.method, "resolve");
      recovery.question.answer(OUTCOME[newer]);
      await recovery.done;
      collect.answer(OUTCOME[older]);
      const { body } = await paid;
      const winner = isPaid(older) && !isPaid(newer) ? older : newer;
      assert.deepEqual(await stateOf(token, transaction), AFTER_RESOLVE[winner]);
      assert.equal(body["transaction"].id, transaction);
      await leaveNothingDue();
    });
  }
}

test("a payment that recovery has closed returns its own attempt, not the next customer's", async () => {
  const token = await merchant.session();
  const slow = merchant.pay(token, IBAN.approved);
  const collect = await bank.asked();
  const recovery = await recovering();
  recovery.question.answer(OUTCOME.declined);
  await recovery.done;
  const again = merchant.pay(token, IBAN.approvedDutch);
  (await bank.asked()).answer(OUTCOME.approved);
  assert.equal((await again).body["status"], "completed");
  collect.answer(new Error("the line was cut"));
  const { body } = await slow;
  assert.equal(body["transaction"].merchant_transaction_id, collect.reference);
  assert.deepEqual([body["status"], body["payment_method"].iban_country], ["failed", "DE"]);
});

test("of two passes of recovery, the older response changes nothing after the newer one", async () => {
  const token = await merchant.session();
  const paid = merchant.pay(token, IBAN.approved);
  const collect = await bank.asked();
  const transaction = await openTransaction();
  const [first, second] = [await recovering(), await recovering()];
  second.question.answer(OUTCOME.declined);
  await second.done;
  first.question.answer(OUTCOME.unresolved);
  collect.answer(OUTCOME.unresolved);
  await Promise.all([first.done, paid]);
  assert.deepEqual(await stateOf(token, transaction), ["PENDING", "declined", 0]);
});

test("recovery does not take an attempt before its lease has ended, however far ahead its process's clock is", async () => {
  const token = await merchant.session();
  const paid = merchant.pay(token, IBAN.approved);
  const collect = await bank.asked();
  const transaction = await openTransaction();
  const [row] = await service.rows("select tenant from transactions where id = $1", [transaction]);
  const now = later(new Date(), shift + DAY_MS);
  const values = { tenant: row?.["tenant"], now, resolveAt: later(now, MINUTE_MS), limit: 10 };
  const taken = await service.db.commit(CLAIM_DUE_ATTEMPTS, values);
  assert.ok(
    !taken.some((one) => one.merchant_transaction_id === collect.reference),
    "somebody is asking about it",
  );
  collect.answer(OUTCOME.approved);
  await paid;
  assert.deepEqual(await stateOf(token, transaction), ["COMPLETED", "approved", 1]);
});

test("of many workers that have the same approval at once, each takes the claim at most once, and it is recorded once", async () => {
  const token = await merchant.session();
  const paid = merchant.pay(token, IBAN.approved);
  const collect = await bank.asked();
  const transaction = await openTransaction();
  const asked = [];
  for (let workers = 0; workers < 6; workers += 1) asked.push(await recovering());
  const newest = asked.pop();
  takenBack = 0;
  for (const { question } of asked) question.answer(OUTCOME.approved);
  collect.answer(OUTCOME.approved);
  assert.equal((await paid).body["status"], "completed");
  await Promise.all(asked.map(({ done }) => done));
  assert.ok(takenBack <= asked.length + 1, `the claim was taken ${takenBack} times`);
  newest?.question.answer(OUTCOME.unresolved);
  await newest?.done;
  assert.deepEqual(await stateOf(token, transaction), ["COMPLETED", "approved", 1]);
  const moves = await service.rows(
    "select cause from session_moves where transaction_id = $1 order by number",
    [transaction],
  );
  assert.deepEqual(
    moves.map((row) => row["cause"]),
    ["payment_attempt", "approved"],
  );
});

test("an approval that waits until another worker has recorded a verification continues from that", async (t) => {
  const token = await merchant.session();
  const paid = merchant.pay(token, IBAN.approved);
  const collect = await bank.asked();
  const transaction = await openTransaction();
  const newer = await recovering();
  const other = new pg.Client({ connectionString: service.databaseUrl });
  await other.connect();
  t.after(() => other.end());
  onceBegun = async () => {
    await other.query("begin");
    await other.query(
      `update transactions set status = 'awaiting_verification', verification_id = 'V', verification_url = 'https://bank.example',
              lease_no = lease_no + 1 where id = $1`,
      [transaction],
    );
    await other.query("update sessions set status = 'AWAITING_VERIFICATION' where open_transaction_id = $1", [
      transaction,
    ]);
    void untilWaiting(service).then(() => other.query("commit"));
  };
  collect.answer(OUTCOME.approved);
  assert.equal((await paid).body["status"], "completed");
  assert.equal(onceBegun, null);
  newer.question.answer(OUTCOME.unresolved);
  await newer.done;
  const moves = await service.rows(
    "select from_status, cause from session_moves where transaction_id = $1 order by number desc limit 1",
    [transaction],
  );
  assert.deepEqual(
    moves.map((row) => ({ ...row })),
    [{ from_status: "AWAITING_VERIFICATION", cause: "approved" }],
  );
});

test("a late approval whose connection is cut before the commit is recorded by the next try, and counted once", async () => {
  const token = await merchant.session();
  const paid = merchant.pay(token, IBAN.approved);
  const collect = await bank.asked();
  const transaction = await openTransaction();
  const newer = await recovering();
  const before = await countedOutcomes(service, bank.adapter.name, "approved");
  const record = async () => {
    collect.answer(OUTCOME.approved);
    assert.equal((await paid).body["status"], "completed");
  };
  const cut = async () => {
    const ended = await service.rows(
      "select pg_terminate_backend(pid) as cut from pg_stat_activity where datname = current_database() and state = 'idle in transaction'",
    );
    assert.deepEqual(
      ended.map((row) => row["cut"]),
      [true],
    );
  };
  await race.atOnce(service, record, cut);
  newer.question.answer(OUTCOME.unresolved);
  await newer.done;
  assert.deepEqual(await stateOf(token, transaction), ["COMPLETED", "approved", 1]);
  assert.equal(await countedOutcomes(service, bank.adapter.name, "approved"), before + 1);
});

test("a verification that was given more time does not end because another request saw it expired", async () => {
  const lead = { email: "more-time@example.com", first_name: "Ada", last_name: "Example", country: "DE" };
  const token = await merchant.session({ lead });
  const paid = merchant.pay(token, IBAN.approved);
  (await bank.asked()).answer(OUTCOME.verification_required);
  await paid;
  const transaction = await openTransaction();
  const [row] = await service.rows("select expires_at from sessions where open_transaction_id = $1", [
    transaction,
  ]);
  const untilExpiry = Date.parse(row?.["expires_at"]) - Date.now();
  onceBlocking = async () => {
    shift = untilExpiry - MINUTE_MS;
    const verified = merchant.verify(token);
    (await bank.asked()).answer(OUTCOME.verification_required);
    assert.equal((await verified).body["status"], "awaiting_verification");
    shift = untilExpiry + MINUTE_MS;
  };
  shift = untilExpiry + MINUTE_MS;
  const refused = await merchant.create({ lead });
  assert.equal(onceBlocking, null);
  assert.equal(refused.status, 409);
  assert.deepEqual(await stateOf(token, transaction), ["AWAITING_VERIFICATION", "awaiting_verification", 0]);
  await leaveNothingDue();
});

test("a refund's older response (unresolved or declined) does not overwrite the newer one", async () => {
  for (const older of [OUTCOME.unresolved, OUTCOME.declined, OUTCOME.unreachable]) {
    const payment = await paidNow();
    const refunded = refund(payment["transaction"].id);
    const first = await bank.asked();
    shift += PAST_LEASE_MS;
    const recovery = recoverRefundsJob(service.app.deps).runOnce(10);
    const second = await bank.asked();
    first.answer(older);
    assert.equal((await refunded).body["status"], "pending");
    second.answer(OUTCOME.approved);
    await recovery;
    const [row] = await service.rows("select status, refunded from transactions where id = $1", [
      payment["transaction"].id,
    ]);
    assert.deepEqual({ ...row }, { status: "refunded", refunded: "19.90" });
  }
});

test("a refund that the bank accepted is recorded by any process that learns it, even after its claim was taken over", async () => {
  for (const taken of [OUTCOME.approved, OUTCOME.pending]) {
    const payment = await paidNow();
    const refunded = refund(payment["transaction"].id);
    const first = await bank.asked();
    shift += PAST_LEASE_MS;
    const recovery = recoverRefundsJob(service.app.deps).runOnce(10);
    (await bank.asked()).answer(OUTCOME.unresolved);
    await recovery;
    first.answer(taken);
    const { id } = (await refunded).body;
    const [row] = await service.rows("select status, resolve_at from transactions where id = $1", [id]);
    assert.deepEqual({ ...row }, { status: taken.kind, resolve_at: null });
  }
});

/** Starts a collection of a renewal by way of the API, until the bank has been asked. @returns its transaction. */
async function renewing(): Promise<{
  readonly id: string;
  readonly question: Question;
  readonly done: Promise<Response>;
}> {
  const token = await merchant.session({ billing_type: "RECURRING", billing_frequency: undefined });
  const paid = merchant.pay(token, IBAN.approved);
  (await bank.asked()).answer(OUTCOME.approved);
  const { id } = (await paid).body["subscription"];
  const done = service.post(`management/subscriptions/${id}/collect/`, undefined, { key: merchant.key });
  const question = await bank.asked();
  return { id: await openTransaction(), question, done };
}

test("a renewal's older response (unresolved or declined) does not overwrite the newer one", async () => {
  for (const older of [OUTCOME.unresolved, OUTCOME.declined, OUTCOME.unreachable]) {
    const first = await renewing();
    shift += PAST_LEASE_MS;
    const recovery = recoverRenewalsJob(service.app.deps).runOnce(10);
    const second = await bank.asked();
    first.question.answer(older);
    await first.done;
    second.answer(OUTCOME.approved);
    await recovery;
    const [row] = await service.rows(
      `select t.status, c.status as cycle, c.attempts from transactions t
         join billing_cycles c on c.tenant = t.tenant and c.transaction_id = t.id where t.id = $1`,
      [first.id],
    );
    assert.deepEqual({ ...row }, { status: "approved", cycle: "paid", attempts: 1 }, older.kind);
  }
});

test("a renewal that the bank accepted is recorded by any process that learns it, even after its claim was taken over", async () => {
  for (const taken of [OUTCOME.approved, OUTCOME.pending]) {
    const first = await renewing();
    shift += PAST_LEASE_MS;
    const recovery = recoverRenewalsJob(service.app.deps).runOnce(10);
    (await bank.asked()).answer(OUTCOME.unresolved);
    await recovery;
    first.question.answer(taken);
    await first.done;
    const [row] = await service.rows("select status, resolve_at from transactions where id = $1", [first.id]);
    assert.deepEqual({ ...row }, { status: taken.kind, resolve_at: null });
  }
});

async function paidNow(): Promise<Json> {
  const paid = merchant.pay(await merchant.session(), IBAN.approved);
  (await bank.asked()).answer(OUTCOME.approved);
  return (await paid).body;
}

function refund(id: string): Promise<Response> {
  return service.post(`management/transactions/${id}/refunds/`, {}, { key: merchant.key });
}

test("instances whose clocks differ by a minute neither stop nor repeat a slow payment, verification or refund", async () => {
  const instances = [await instance(-MINUTE_MS), await instance(0), await instance(MINUTE_MS)];
  const nobodyAsks = async () => {
    for (const { deps } of instances) {
      assert.equal(await recoverJob(deps).runOnce(10), 0);
      assert.equal(await recoverRefundsJob(deps).runOnce(10), 0);
    }
  };
  for (const { server } of instances) {
    const token = await merchant.session();
    const asked = async (path: string, payload: object, outcome: Outcome): Promise<Json> => {
      const headers = { authorization: `Bearer ${merchant.key}`, "content-type": "application/json" };
      const url = `/api/v1/${path}`;
      const answer = server.app.inject({ method: "POST", url, headers, payload: JSON.stringify(payload) });
      const question = await bank.asked();
      await nobodyAsks();
      question.answer(outcome);
      return JSON.parse((await answer).payload) as Json;
    };
    const payer = { iban: IBAN.approved, iban_holder_name: "Ada Example" };
    await asked(`payment-sessions/${token}/pay/`, payer, OUTCOME.verification_required);
    const paid = await asked(`payment-sessions/${token}/verify/`, {}, OUTCOME.approved);
    assert.equal(paid["status"], "completed");
    const path = `management/transactions/${paid["transaction"].id}/refunds/`;
    assert.equal((await asked(path, {}, OUTCOME.approved))["status"], "approved");
  }
  await Promise.all(instances.map((app) => app.close()));
});

/** Another process on the same database, whose own clock is wrong; the database's clock is shared. */
async function instance(wrongByMs: number): Promise<App> {
  const { clock: right } = service.app.deps;
  const clock: Clock = { ...right, now: () => later(right.now(), wrongByMs) };
  const between = (db: Calls) => onClock(db, right);
  const app = await createApp(service.config, service.databaseUrl, silentLog, {
    clock,
    between,
    adapters: [bank.adapter],
  });
  await app.server.app.ready();
  return app;
}

test("after all of this the books agree", async () => {
  await assertBooksAgree(service.db);
});
