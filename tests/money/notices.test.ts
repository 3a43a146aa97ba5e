/**
 * News after a payment, in every order: the tables of docs/states.md, row by row; nothing moves backwards (contract:
 * Late news).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { checkBooks } from "../../src/books/check.ts";
import type { StatusNews } from "../../src/gateways/gateway.ts";
import type { Log } from "../../src/lib/log.ts";
import { applyNews } from "../../src/payments/news/apply.ts";
import { createMerchant, createRecord, IBAN, type Merchant } from "../support/merchant.ts";
import { startService, type Json, type Service } from "../support/service.ts";
import { sized } from "../support/sized.ts";

let service: Service;
let merchant: Merchant;
let tenant: number;

/** What the operator is told, about which transaction. */
const warnings: Json[] = [];
const LOG: Log = {
  info: () => {},
  warn: (message, facts = {}) => void warnings.push({ message, ...facts }),
  error: () => {},
};

before(async () => {
  service = await startService({ log: LOG });
  merchant = await createMerchant(service);
  await createRecord(service, merchant.key, "webhook-profiles", {
    name: "All",
    url: "https://example.com/hook",
    events: ["transaction.status_changed", "chargeback.created"],
  });
  const [row] = await service.rows("select tenant from tenants where id = $1", [merchant.tenantId]);
  tenant = row?.["tenant"];
});
after(() => service.close());

test("charged back twice by instances whose clocks differ: the current chargeback is the last", async () => {
  const payment = await paid("approved");
  const { id } = payment["transaction"];
  for (const event of ["charged_back", "reinstated", "charged_back"] as const) await happen(payment, event);
  await service.rows(
    "update chargebacks set created_at = created_at - interval '1 minute' where transaction_id = $1 and withdrawn_on is null",
    [id],
  );
  assert.deepEqual((await checkBooks(service.db)).differences, []);
});

test("a chargeback entered by hand stands, however often the gateway repeats a reinstatement from before it", async () => {
  const payment = await paid("approved");
  const { id, merchant_transaction_id: reference } = payment["transaction"];
  const tell = async (kind: StatusNews["kind"], round: number): Promise<string> => {
    await applyNews(service.app.deps, tenant, merchant.gatewayId, { ...notice(kind, reference), round });
    const [row] = await service.rows("select status from transactions where id = $1", [id]);
    return row?.["status"];
  };
  assert.equal(await tell("reinstated", 1), "approved");
  await happen(payment, "by hand");
  assert.equal(await tell("reinstated", 1), "charged_back");
  assert.equal(await tell("returned", 1), "charged_back");
  assert.equal(await tell("reinstated", 1), "charged_back");
  assert.equal(await tell("reinstated", 2), "approved");
  await happen(payment, "settled");
  assert.equal(await tell("returned", 1), "approved", "it is from before");
  assert.equal(await tell("returned", 2), "charged_back");
});

test("a chargeback entered by hand stands when the reinstatement that settled the payment is repeated", async () => {
  const payment = await paid("pending");
  const { id, merchant_transaction_id: reference } = payment["transaction"];
  const reinstate = async (round: number): Promise<string> => {
    await applyNews(service.app.deps, tenant, merchant.gatewayId, {
      ...notice("reinstated", reference),
      round,
    });
    const [row] = await service.rows("select status from transactions where id = $1", [id]);
    return row?.["status"];
  };
  assert.equal(await reinstate(1), "approved");
  await happen(payment, "by hand");
  assert.equal(await reinstate(1), "charged_back");
  assert.equal(await reinstate(2), "approved", "another one");
});

test("a chargeback entered by hand stands when the last reinstatement, or one before it that was not recorded here, is repeated", async () => {
  const payment = await paid("approved");
  const { id, merchant_transaction_id: reference } = payment["transaction"];
  const reinstate = async (round: number): Promise<string> => {
    const news = { ...notice("reinstated", reference), round };
    await applyNews(service.app.deps, tenant, merchant.gatewayId, news);
    const [row] = await service.rows("select status from transactions where id = $1", [id]);
    return row?.["status"];
  };
  await happen(payment, "charged_back");
  assert.equal(await reinstate(3), "approved");
  await happen(payment, "by hand");
  assert.deepEqual([await reinstate(2), await reinstate(3)], ["charged_back", "charged_back"]);
  assert.equal(await reinstate(4), "approved", "another one");
});

/** Transaction and order. */
type State = "pending" | "approved" | "declined" | "refunded" | "charged_back";
const ORDER: Readonly<Record<State, string>> = {
  pending: "PENDING",
  approved: "COMPLETED",
  declined: "FAILED",
  refunded: "REFUNDED",
  charged_back: "CHARGEDBACK",
};
const EVENTS = ["settled", "returned", "charged_back", "by hand", "refund", "half a refund"] as const;
/** Only a bank account's books reinstate money that arrived after all, by a person's decision. */
type Event = (typeof EVENTS)[number] | "reinstated";

/** docs/states.md, Transactions: from, what happens, to. Other combinations change nothing. */
const MOVES: readonly (readonly [from: State, event: Event, to: State])[] = [
  ["pending", "settled", "approved"],
  ["pending", "returned", "declined"],
  ["pending", "charged_back", "charged_back"],
  ["approved", "returned", "charged_back"],
  ["approved", "charged_back", "charged_back"],
  ["approved", "by hand", "charged_back"],
  ["approved", "refund", "refunded"],
  ["refunded", "returned", "charged_back"],
  ["refunded", "charged_back", "charged_back"],
  ["refunded", "by hand", "charged_back"],
];

function next(from: State, event: Event): State {
  return MOVES.find(([state, happens]) => state === from && happens === event)?.[2] ?? from;
}

const IBAN_OF = { pending: IBAN.pending, approved: IBAN.approved } as const;
const STARTS = ["pending", "approved"] as const;

async function paid(start: keyof typeof IBAN_OF): Promise<Json> {
  return (await merchant.pay(await merchant.session(), IBAN_OF[start])).body;
}

function notice(kind: StatusNews["kind"], reference: string): StatusNews {
  const at = new Date();
  if (kind === "settled" || kind === "reinstated") return { kind, reference, at };
  return { kind, reference, at, reasonCode: "MD06", reasonMessage: null };
}

async function happen(payment: Json, event: Event): Promise<void> {
  const { id, merchant_transaction_id: reference } = payment["transaction"];
  const post = async (path: string, body: object, good: readonly number[]): Promise<void> => {
    const { status, text } = await service.post(`management/${path}`, body, { key: merchant.key });
    assert.ok(good.includes(status), text);
  };
  switch (event) {
    case "refund":
      return post(`transactions/${id}/refunds/`, {}, [201, 409]);
    case "half a refund":
      return post(`transactions/${id}/refunds/`, { amount: "9.95" }, [201, 400, 409]);
    case "by hand":
      return post("chargebacks/", { transaction_id: id }, [201, 409]);
    default:
      // A bank account's books have settled before the news, and its refunds are settled at once.
      if (event === "settled") {
        await service.rows(
          "update sandbox_books set state = 'settled', scenario = 'approve' where reference = $1 and state = 'pending' returning 1",
          [reference],
        );
      }
      assert.equal(
        await applyNews(service.app.deps, tenant, merchant.gatewayId, notice(event, reference)),
        "taken",
      );
  }
}

interface After {
  readonly transaction: State;
  readonly order: string;
  readonly chargebacks: number;
  readonly told: readonly string[];
}

async function stateOf(payment: Json): Promise<After> {
  const [row] = await service.rows(
    `select t.status as transaction, o.status as "order",
            (select count(*)::int from chargebacks c where c.tenant = t.tenant and c.transaction_id = t.id) as chargebacks,
            array(select e.payload -> 'transaction' ->> 'status' from events e
                   where e.tenant = t.tenant and e.transaction_id = t.id and e.type = 'transaction.status_changed'
                   order by e.number) as told
       from transactions t join orders o on o.tenant = t.tenant and o.id = t.order_id where t.id = $1`,
    [payment["transaction"].id],
  );
  return row as unknown as After;
}

/** The states in between, each once. */
function path(start: State, events: readonly Event[]): readonly State[] {
  const states: State[] = [];
  let state = start;
  for (const event of events) {
    const to = next(state, event);
    if (to !== state) states.push(to);
    state = to;
  }
  return states;
}

function expected(start: State, events: readonly Event[]): After {
  const states = path(start, events);
  const end = states.at(-1) ?? start;
  return {
    transaction: end,
    order: ORDER[end],
    chargebacks: end === "charged_back" ? 1 : 0,
    told: states,
  };
}

const HALF: Event = "half a refund";
/** Two halves make a full refund, which the table above does not contain. */
const PAIRS = EVENTS.flatMap((first) => EVENTS.map((second) => [first, second] as const)).filter(
  ([first, second]) => !(first === HALF && (second === HALF || second === "refund")),
);

for (const start of STARTS) {
  for (const event of EVENTS) {
    test(`${start}: ${event} → ${next(start, event)}, and the same again changes nothing`, async () => {
      const payment = await paid(start);
      await happen(payment, event);
      const once = await stateOf(payment);
      assert.deepEqual(once, expected(start, [event]));
      if (event === HALF) return;
      await happen(payment, event);
      // Nothing follows a return before settlement; a second return after it is the same chargeback.
      assert.deepEqual(await stateOf(payment), expected(start, [event, event]));
    });
  }
}

for (const start of STARTS) {
  // Holds MONEY-10.
  test(`${start}: every pair of events, one after the other, ends where the table says`, async () => {
    for (const [first, second] of PAIRS) {
      const payment = await paid(start);
      await happen(payment, first);
      await happen(payment, second);
      assert.deepEqual(await stateOf(payment), expected(start, [first, second]), `${first}, ${second}`);
    }
  });

  test(`${start}: every pair of events at once ends as one of its two orders`, async () => {
    for (const [first, second] of PAIRS) {
      const payment = await paid(start);
      await Promise.all([happen(payment, first), happen(payment, second)]);
      const end = await stateOf(payment);
      const orders = [expected(start, [first, second]), expected(start, [second, first])];
      // A refund that was claimed before the chargeback ends after it: the chargeback decides.
      assert.ok(
        orders.some((one) => JSON.stringify(one) === JSON.stringify(end)),
        `${first} with ${second}: ${JSON.stringify(end)}`,
      );
    }
  });
}

/** Notices of money that moved in a way that the record excludes: docs/states.md, Transactions. */
for (const [start, events, told] of [
  ["pending", ["settled", "settled"], []],
  ["pending", ["returned", "returned"], []],
  ["pending", ["returned", "settled"], ["settled"]],
  ["pending", ["returned", "charged_back"], ["charged_back"]],
  ["approved", ["charged_back", "returned", "settled"], []],
  ["approved", ["by hand", "returned", "charged_back"], []],
  ["approved", ["by hand", "settled"], ["settled"]],
] as const) {
  test(`${start}: after ${events.join(", ")} the operator is told of ${told.join(", ") || "no"} news that the record excludes`, async () => {
    const payment = await paid(start);
    for (const event of events) await happen(payment, event);
    assert.deepEqual(contradictionsOf(payment["transaction"].id), told);
  });
}

test("a mandate without a payment is not charged back: its notice is one that the record excludes", async () => {
  const trial = { billing_type: "TRIAL_RECURRING", billing_frequency: "MONTHLY", trial_price: "0.00" };
  const token = await merchant.session({ ...trial, trial_interval_unit: "week", trial_period: 1 });
  const payment = (await merchant.pay(token, IBAN.approved)).body;
  await happen(payment, "charged_back");
  assert.deepEqual(contradictionsOf(payment["transaction"].id), ["charged_back"]);
  assert.equal((await stateOf(payment)).chargebacks, 0);
});

function contradictionsOf(transaction: string): readonly unknown[] {
  return warnings
    .filter(
      (one) =>
        one["message"] === "gateway news contradicts a transaction" && one["transaction_id"] === transaction,
    )
    .map((one) => one["news"]);
}

test("all news at once, many times: the end is one that the table allows, with one event each", async () => {
  await Promise.all(
    Array.from({ length: sized(8, 30) }, async (_, index) => {
      const start = STARTS[index % 2] ?? "pending";
      const payment = await paid(start);
      await Promise.all(EVENTS.map((event) => happen(payment, event)));
      const end = await stateOf(payment);
      assert.ok(end.transaction === "charged_back" || end.transaction === "declined", JSON.stringify(end));
      assert.equal(end.order, ORDER[end.transaction]);
      assert.equal(end.chargebacks, end.transaction === "charged_back" ? 1 : 0);
      assert.equal(end.told.at(-1), end.transaction);
      assert.equal(new Set(end.told).size, end.told.length);
    }),
  );
});

/** docs/states.md, Refunds: from, what happens, to; the original's status and refunded amount. */
for (const [events, refund, original, claimed] of [
  [[], "pending", "approved", "19.90"],
  [["settled"], "approved", "refunded", "19.90"],
  [["settled", "settled"], "approved", "refunded", "19.90"],
  [["returned"], "declined", "approved", "0.00"],
  [["returned", "returned"], "declined", "approved", "0.00"],
  [["returned", "settled"], "declined", "approved", "0.00"],
  [["settled", "returned"], "approved", "refunded", "19.90"],
  [["charged_back"], "pending", "approved", "19.90"],
] as const) {
  test(`a refund that was accepted, then ${events.join(", then ") || "nothing"}: ${refund}, its payment ${original}`, async () => {
    const payment = await paid("pending");
    await service.post("management/sandbox/tick/", undefined, { key: merchant.key });
    const { body } = await service.post(
      `management/transactions/${payment["transaction"].id}/refunds/`,
      {},
      { key: merchant.key },
    );
    assert.equal(body["status"], "pending");
    for (const kind of events) {
      const news = notice(kind, body["merchant_transaction_id"]);
      assert.equal(await applyNews(service.app.deps, tenant, merchant.gatewayId, news), "taken");
    }
    const [row] = await service.rows(
      "select r.status as refund, t.status as original, t.refund_claimed as claimed from transactions r join transactions t on t.id = r.original_id where r.id = $1",
      [body["id"]],
    );
    assert.deepEqual(row, { refund, original, claimed });
  });
}

/** The revenue of other payments, which does not change. */
const EARLIER = "100.00";

/** A subscription whose first payment was accepted, and which has earned EARLIER with others. */
async function subscribed(): Promise<Json> {
  const token = await merchant.session({ billing_type: "RECURRING", billing_frequency: "MONTHLY" });
  const payment = (await merchant.pay(token, IBAN.pending)).body;
  await service.rows(
    "update subscriptions set total_revenue = total_revenue + $2 where id = $1 returning 1",
    [payment["subscription"].id, EARLIER],
  );
  return payment;
}

test("a chargeback of a payment while its refund is in flight: both are recorded, and the payment is charged back", async () => {
  for (const [kind, refund, revenue] of [
    ["settled", "approved", EARLIER],
    ["returned", "declined", EARLIER],
  ] as const) {
    const payment = await subscribed();
    await service.post("management/sandbox/tick/", undefined, { key: merchant.key });
    const { body } = await service.post(
      `management/transactions/${payment["transaction"].id}/refunds/`,
      {},
      { key: merchant.key },
    );
    await happen(payment, "charged_back");
    await applyNews(
      service.app.deps,
      tenant,
      merchant.gatewayId,
      notice(kind, body["merchant_transaction_id"]),
    );
    const [row] = await service.rows(
      `select r.status as refund, t.status as original, o.status as "order", u.total_revenue as revenue
         from transactions r
         join transactions t on t.id = r.original_id
         join orders o on o.id = t.order_id
         join subscriptions u on u.id = t.subscription_id
        where r.id = $1`,
      [body["id"]],
    );
    assert.deepEqual(row, { refund, original: "charged_back", order: "CHARGEDBACK", revenue });
  }
});

/** Of 19.90: the refund, what the bank took back while the refund was under way, the revenue before it arrives and then. */
for (const [given, backed, before, then] of [
  ["19.90", "4.00", "15.90", "0.00"],
  ["10.00", "4.00", "15.90", "5.90"],
  ["19.90", "19.90", "0.00", "0.00"],
  ["5.00", "17.00", "2.90", "0.00"],
] as const) {
  test(`a refund of ${given} that arrives after a chargeback of ${backed} leaves a revenue of ${then}`, async () => {
    const payment = await subscribed();
    await service.post("management/sandbox/tick/", undefined, { key: merchant.key });
    const { id, merchant_transaction_id: reference } = payment["transaction"];
    const path = `management/transactions/${id}/refunds/`;
    const { body: refund } = await service.post(path, { amount: given }, { key: merchant.key });
    assert.equal(refund["status"], "pending");
    await applyNews(service.app.deps, tenant, merchant.gatewayId, {
      ...notice("charged_back", reference),
      amount: backed,
    } as StatusNews);
    assert.equal(await revenueOf(payment), before);
    const arrived = notice("settled", refund["merchant_transaction_id"]);
    await applyNews(service.app.deps, tenant, merchant.gatewayId, arrived);
    assert.equal(await revenueOf(payment), then);
  });
}

async function revenueOf(payment: Json): Promise<unknown> {
  const [row] = await service.rows(
    "select (total_revenue - $2)::numeric(12,2) as revenue from subscriptions where id = $1",
    [payment["subscription"].id, EARLIER],
  );
  return row?.["revenue"];
}

/** docs/states.md, Subscriptions: what happened to the first payment, the status, the revenue that it leaves. */
for (const [events, status, revenue] of [
  [[], "ACTIVE", "0.00"],
  [["settled"], "ACTIVE", "19.90"],
  [["returned"], "CANCELLED", "0.00"],
  [["settled", "returned"], "CANCELLED", "0.00"],
  [["settled", "half a refund"], "ACTIVE", "9.95"],
  [["settled", "refund"], "ACTIVE", "0.00"],
  [["settled", "half a refund", "charged_back"], "CANCELLED", "0.00"],
  [["settled", "refund", "charged_back"], "CANCELLED", "0.00"],
  [["charged_back"], "CANCELLED", "0.00"],
  [["settled", "charged_back", "reinstated"], "CANCELLED", "19.90"],
  [["settled", "half a refund", "charged_back", "reinstated"], "CANCELLED", "9.95"],
  [["settled", "refund", "charged_back", "reinstated"], "CANCELLED", "0.00"],
  [["returned", "reinstated"], "CANCELLED", "19.90"],
] as const) {
  test(`a subscription whose first payment was accepted, then ${events.join(", then ") || "nothing"}: ${status}, revenue ${revenue}`, async () => {
    const payment = await subscribed();
    for (const event of events) {
      // The sandbox refunds what has settled in its own books too.
      if (event === "settled")
        await service.post("management/sandbox/tick/", undefined, { key: merchant.key });
      else await happen(payment, event);
      await service.post("management/sandbox/tick/", undefined, { key: merchant.key });
    }
    const [row] = await service.rows(
      "select status, (total_revenue - $2)::numeric(12,2) as revenue from subscriptions where id = $1",
      [payment["subscription"].id, EARLIER],
    );
    assert.deepEqual(row, { status, revenue });
  });
}

/** docs/money.md, The debit: how many completed events a payment has if they are sent at settlement. */
for (const [events, times] of [
  [[], 0],
  [["settled"], 1],
  [["returned"], 0],
  [["charged_back"], 0],
  [["charged_back", "settled"], 0],
  [["returned", "reinstated"], 1],
  [["charged_back", "reinstated"], 1],
  [["charged_back", "reinstated", "charged_back", "reinstated"], 1],
  [["settled", "charged_back", "reinstated"], 1],
  [["returned", "reinstated", "charged_back", "reinstated"], 1],
] as const) {
  // Holds EVENT-1.
  test(`completed at settlement: accepted, then ${events.join(", then ") || "nothing"}: completed ${times} times`, async () => {
    const patient = await createMerchant(service, { completed_event_at: "settlement" });
    const payment = (await patient.pay(await patient.session(), IBAN.pending)).body;
    const { id, merchant_transaction_id: reference } = payment["transaction"];
    const [own] = await service.rows("select tenant from transactions where id = $1", [id]);
    for (const event of events)
      await applyNews(service.app.deps, own?.["tenant"], patient.gatewayId, notice(event, reference));
    const told = await service.rows(
      `select payload ->> 'transaction_status' as status from events
        where type = 'payment_session.completed' and payload ->> 'transaction_id' = $1`,
      [id],
    );
    const once = { status: "approved" };
    assert.deepEqual(told, times === 1 ? [once] : []);
    const { differences } = await checkBooks(service.db);
    assert.deepEqual(
      differences.filter((words) => words.includes("payment_session.completed")),
      [],
    );
  });
}
