/** News of a renewal, in every order, leads to the same state of the subscription. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { followRenewals } from "../../src/subscriptions/renew.ts";
import type { News } from "../../src/gateways/gateway.ts";
import { DAY_MS, manualClock, MINUTE_MS } from "../../src/lib/clock.ts";
import { applyNews } from "../../src/payments/news/apply.ts";
import { createWebhooks } from "../../src/webhooks/delivery/dispatch.ts";
import { cyclesOf, readSubscription, subscribe, switchAccount } from "../support/billing.ts";
import { createMerchant, createRecord, IBAN, type Merchant } from "../support/merchant.ts";
import { startReceiver } from "../support/receiver.ts";
import { bankMerchant, payAt } from "../support/sepa-bank.ts";
import { OPERATOR_KEY, startService, type Json, type Service } from "../support/service.ts";
import { sized } from "../support/sized.ts";

const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
let service: Service;

before(async () => {
  service = await startService({ clock });
});
after(() => service.close());

type Happening =
  | "settled"
  | "returned"
  | "given up"
  | "charged back"
  | "reinstated"
  | "charged back by hand"
  | "the job follows";

function ordersOf<T>(all: readonly T[]): readonly (readonly T[])[] {
  if (all.length < 2) return [all];
  return all.flatMap((one, at) =>
    ordersOf(all.filter((_, index) => index !== at)).map((rest) => [one, ...rest]),
  );
}

async function configure(merchant: Merchant, choice: string): Promise<void> {
  const path = `/api/v1/management/tenants/${merchant.tenantId}/`;
  const fields = { subscription_after_chargeback: choice };
  const { status, text } = await service.call("PATCH", path, fields, { key: OPERATOR_KEY });
  assert.equal(status, 200, text);
}

/** The renewals of a subscription, oldest first. */
function renewalsOf(id: string): Promise<readonly Json[]> {
  return service.rows(
    `select id, tenant, gateway_id, subscription_id, merchant_transaction_id as reference, status from transactions
      where subscription_id = $1 and type = 'sdd_rebill' order by created_at`,
    [id],
  );
}

/** A debit returned for lack of funds is retried; one whose reason a person has to correct is not. */
const REASONS = { returned: "AM04", "given up": "AG02", "charged back": "MD06" } as const;

function newsOf(renewal: Json, what: keyof typeof REASONS | "settled" | "reinstated"): News {
  const told = { reference: renewal["reference"], at: clock.now() };
  if (what === "settled" || what === "reinstated") return { kind: what, ...told };
  const kind = what === "charged back" ? "charged_back" : "returned";
  return { kind, ...told, reasonCode: REASONS[what], reasonMessage: null };
}

async function happens(merchant: Merchant, renewal: Json, what: Happening): Promise<void> {
  if (what === "the job follows") {
    await followRenewals(service.app.deps, 100);
  } else if (what === "charged back by hand") {
    const before = (await renewalsOf(renewal["subscription_id"])).find(({ id }) => id === renewal["id"]);
    const body = { transaction_id: renewal["id"] };
    const made = await service.post("management/chargebacks/", body, { key: merchant.key });
    assert.equal(made.status, before?.["status"] === "approved" ? 201 : 409, made.text);
  } else {
    await applyNews(service.app.deps, renewal["tenant"], renewal["gateway_id"], newsOf(renewal, what));
  }
}

/** The state of a subscription and of its renewal. */
async function endOf(merchant: Merchant, id: string): Promise<string> {
  const ended = await readSubscription(service, merchant, id);
  const { status, successful_billing_count: paid, failed_billing_count: failed, total_revenue: sum } = ended;
  return [status, ...cyclesOf(ended), paid, failed, sum].join(" ");
}

const AFTER_CHARGEBACK = { past_due: "PAST_DUE", keep: "ACTIVE", cancel: "CANCELLED" } as const;

/** The effect before settlement: only settled payments can be charged back by hand (docs/states.md). */
const BEFORE_SETTLEMENT = { returned: "declined", "charged back by hand": "refused" } as const;

for (const [choice, status] of Object.entries(AFTER_CHARGEBACK)) {
  for (const second of ["returned", "charged back", "charged back by hand"] as const) {
    const orders = ordersOf<Happening>(["settled", second, "the job follows"]);
    for (const order of sized(choice === "past_due" ? orders : orders.slice(0, 2), orders)) {
      // Holds SUBSCRIPTION-5.
      test(`with ${choice} after a chargeback: ${order.join(", ")}`, async () => {
        const merchant = await createMerchant(service);
        await configure(merchant, choice);
        const id = await subscribe(merchant, { billing_frequency: undefined });
        await switchAccount(service, id, IBAN.pending);
        await service.post(`management/subscriptions/${id}/collect/`, undefined, { key: merchant.key });
        clock.advance(1_000);
        const [renewal] = await renewalsOf(id);
        for (const what of order) await happens(merchant, renewal ?? {}, what);
        await followRenewals(service.app.deps, 100);
        const [after] = await renewalsOf(id);
        const inTime = order.indexOf("settled") < order.indexOf(second);
        const end = inTime || second === "charged back" ? "charged back" : BEFORE_SETTLEMENT[second];
        const [transaction, subscription] = {
          "charged back": ["charged_back", `${status} 1:charged_back 0 0 29.90`],
          declined: ["declined", "PAST_DUE 1:retry 0 1 29.90"],
          refused: ["approved", "ACTIVE 1:paid 1 0 59.80"],
        }[end];
        assert.equal(after?.["status"], transaction);
        assert.equal(await endOf(merchant, id), subscription);
      });
    }
  }
}

/** A weekly subscription at a bank account that a chargeback makes PAST_DUE, and two renewals that the bank has not answered. */
async function twoRenewals() {
  const merchant = await bankMerchant(service, { pre_notification_days: 14 });
  await configure(merchant, "past_due");
  const paid = await payAt(merchant, {
    billing_type: "RECURRING",
    billing_frequency: "WEEKLY",
    amount: "9.90",
  });
  const id: string = paid["subscription"].id;
  for (const days of [7, 14]) await live(merchant, days);
  clock.advance(1_000);
  const renewals = await renewalsOf(id);
  assert.equal(renewals.length, 2);
  return { merchant, id, renewals };
}

/** The merchant's time advances. */
async function live(merchant: Merchant, days: number): Promise<void> {
  const date = new Date(clock.now().getTime() + days * DAY_MS).toISOString();
  await service.post("management/clock/", { date }, { key: merchant.key });
}

for (const [first, expected] of [
  ["charged back", "PAST_DUE 1:charged_back 2:paid 1 0 9.90"],
  ["returned", "PAST_DUE 1:retry 2:paid 1 1 9.90"],
] as const) {
  for (const order of ordersOf([
    [0, first],
    [1, "settled"],
    [0, "the job follows"],
  ] as const)) {
    const words = order.map(([which, what]) => (what === "the job follows" ? what : `${which + 1} ${what}`));
    test(`two renewals side by side: ${words.join(", ")}`, async () => {
      const { merchant, id, renewals } = await twoRenewals();
      for (const [which, what] of order) await happens(merchant, renewals[which] ?? {}, what);
      await followRenewals(service.app.deps, 100);
      assert.equal(await endOf(merchant, id), expected);
    });
  }
}

/** News of two renewals that were submitted before any of it, and the subscription after each line. */
const REINSTATED: readonly (readonly (readonly [which: 0 | 1, what: Happening, status: string])[])[] = [
  ...([0, 1] as const).map((first) => {
    const second = first === 0 ? 1 : 0;
    return [
      [0, "settled", "ACTIVE"],
      [1, "settled", "ACTIVE"],
      [first, "charged back", "PAST_DUE"],
      [second, "charged back", "PAST_DUE"],
      [0, "reinstated", "PAST_DUE"],
      [1, "reinstated", "ACTIVE"],
    ] as const;
  }),
  [
    [0, "settled", "ACTIVE"],
    [1, "given up", "PAST_DUE"],
    [0, "charged back", "PAST_DUE"],
    [0, "reinstated", "PAST_DUE"],
    [1, "reinstated", "ACTIVE"],
  ],
  [
    [0, "given up", "PAST_DUE"],
    [1, "charged back", "PAST_DUE"],
    [0, "reinstated", "PAST_DUE"],
    [1, "reinstated", "ACTIVE"],
  ],
  [
    [0, "returned", "PAST_DUE"],
    [1, "charged back", "PAST_DUE"],
    [1, "reinstated", "PAST_DUE"],
    [0, "reinstated", "ACTIVE"],
  ],
];

for (const steps of REINSTATED) {
  const words = steps.map(([which, what]) => `${which + 1} ${what}`).join(", ");
  // Holds SUBSCRIPTION-5.
  test(`only a transaction that was charged back can be reinstated: ${words}`, async () => {
    const statuses = await lives(steps.map(([which, what]) => [which, what]));
    assert.equal(statuses, steps.map(([, , status]) => status).join(", "));
  });
}

/**
 * Applies one event after another to the renewals, oldest first, with a number of days between; returns the statuses
 * in between.
 */
async function lives(
  steps: readonly (number | readonly [which: number, what: Happening])[],
): Promise<string> {
  const { merchant, id } = await twoRenewals();
  const seen: string[] = [];
  for (const step of steps) {
    if (typeof step === "number") await live(merchant, step);
    else {
      const [which, what] = step;
      await happens(merchant, (await renewalsOf(id))[which] ?? {}, what);
      await followRenewals(service.app.deps, 100);
      seen.push((await readSubscription(service, merchant, id))["status"]);
    }
    clock.advance(1_000);
  }
  return seen.join(", ");
}

// Holds SUBSCRIPTION-5.
test("a chargeback that a later renewal has made up for leaves the subscription active", async () => {
  const statuses = await lives([
    [0, "charged back"],
    [1, "settled"],
    21,
    [2, "settled"],
    [1, "charged back"],
    [1, "reinstated"],
  ]);
  assert.equal(statuses, "PAST_DUE, PAST_DUE, ACTIVE, PAST_DUE, ACTIVE");
});

// Holds SUBSCRIPTION-5.
test("a failed renewal that is under way again keeps its subscription PAST_DUE until it succeeds", async () => {
  const statuses = await lives([[0, "returned"], 18, [1, "charged back"], [1, "reinstated"], [2, "settled"]]);
  assert.equal(statuses, "PAST_DUE, PAST_DUE, PAST_DUE, ACTIVE");
});

// Holds SUBSCRIPTION-5.
test("PAST_DUE is counted from its remaining causes", async () => {
  const statuses = await lives([
    [0, "charged back"],
    21,
    [1, "charged back"],
    [1, "reinstated"],
    [2, "settled"],
  ]);
  assert.equal(statuses, "PAST_DUE, PAST_DUE, PAST_DUE, ACTIVE");
});

// Holds EVENT-7.
test("events of a renewal arrive in the order in which they happened, even when the first had to be sent again", async () => {
  const merchant = await createMerchant(service);
  let failures = 2;
  const receiver = await startReceiver((_, response) => {
    failures -= 1;
    response.writeHead(failures < 0 ? 200 : 500).end();
  });
  const webhooks = createWebhooks(service.app.deps, {});
  try {
    await createRecord(service, merchant.key, "webhook-profiles", {
      name: "Renewals",
      url: receiver.url,
      events: ["transaction.created", "transaction.status_changed"],
    });
    const id = await subscribe(merchant, { billing_frequency: undefined });
    await switchAccount(service, id, IBAN.pending);
    await service.post(`management/subscriptions/${id}/collect/`, undefined, { key: merchant.key });
    const [renewal] = await renewalsOf(id);
    await happens(merchant, renewal ?? {}, "settled");
    for (let minute = 0; minute < 10; minute += 1) {
      await webhooks.settled();
      clock.advance(MINUTE_MS);
    }
    const heard = receiver.received
      .map(({ body }) => JSON.parse(body) as Json)
      .filter(({ transaction }) => transaction.id === renewal?.["id"])
      .map(({ event }) => event);
    assert.deepEqual(
      [...new Set(heard)],
      ["transaction.created", "transaction.status_changed"],
      heard.join(),
    );
    assert.equal(heard.at(-1), "transaction.status_changed");
  } finally {
    await webhooks.close();
    await receiver.close();
  }
});
