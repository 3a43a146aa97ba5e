/** Operations of seeds from 30,000 on: held refunds, changed subscriptions, responses after the end of their lease. */
import { DAY_MS, SECOND_MS, type Act, type Asked, type Stage } from "./stage.ts";
import type { Shop } from "./shops.ts";
import type { Json } from "../support/service.ts";
import type { Instance } from "./world.ts";

export const NEWEST = {
  holdRefunds: 2,
  decideHeld: 5,
  decideHeldTwice: 3,
  changeSubscription: 5,
  overtakeRefund: 2,
  overtakePayment: 2,
} as const;

const HELD = `
  select id, original_id from transactions
   where tenant = $1 and type = 'sdd_refund' and held_until is not null and released_at is null and status = 'submitted'
   order by merchant_transaction_id`;
const GOING_ON = `
  select id from subscriptions
   where tenant = $1 and status <> 'CANCELLED' and not cancel_at_period_end and billing_frequency is not null order by id`;
const REFUNDABLE = `
  select id, merchant_transaction_id as reference from transactions
   where tenant = $1 and type <> 'sdd_refund' and source <> 'csv_import' and status = 'approved' and amount > refund_claimed
   order by merchant_transaction_id`;
const HOLD_DAYS = [0, 0, 3, 10, 57] as const;
/** Enough steps from the claim of an attempt to its response, while others run. */
const STEPS_MAX = 40;
/** Longer than a claim lasts, and longer than a clock is ahead. */
const CLAIM_OVER_MS = 31 * SECOND_MS;

/** @param create starts a purchase. @param pay starts a payment, of a waiting session if there is any. */
export function newest(
  stage: Stage,
  { create, pay }: Readonly<Record<"create" | "pay", Act>>,
): Readonly<Record<keyof typeof NEWEST, Act>> {
  const { world, promises, random, request, number } = stage;
  const { bank, gate } = world;

  const decide = (shop: Shop, { id, original_id: of }: Json, verb: string) =>
    request(shop, {
      what: `${verb}-refund`,
      path: `management/transactions/${of}/refunds/${id}/${verb}/`,
      key: true,
      idempotencyKey: stage.keyOrNone(),
    });
  const withHeld = async (work: (shop: Shop, held: Json) => Promise<unknown>): Promise<void> => {
    const shop = stage.shop();
    const held = await stage.some(shop, HELD);
    if (held !== null) await work(shop, held);
  };
  /**
   * One instance is paused when the bank has its request. Its lease ends, and the other instance recovers the request.
   * Then the first instance continues with its response. In half of the cases the lease has not ended, but the second
   * instance's clock may be ahead.
   */
  const overtaken = async (job: string, begin: () => Promise<unknown>): Promise<void> => {
    const isEarly = random().chance(0.5);
    const [one, other] = isEarly || random().chance(0.5) ? world.instances : world.instances.toReversed();
    if (one === undefined || other === undefined) return;
    const before = world.shops.reduce((sum, { tenant }) => sum + bank.of(tenant).length, 0);
    const isThere = () => world.shops.reduce((sum, { tenant }) => sum + bank.of(tenant).length, 0) > before;
    await stage.crowd(begin, one);
    for (let steps = STEPS_MAX; steps > 0 && !isThere(); steps -= 1) if (!(await gate.step())) return;
    if (!isThere() || world.inTransaction()) return;
    world.trace(`${one.process.name} stands still with an answer`);
    gate.pause(one.process);
    if (!isEarly) world.advance(CLAIM_OVER_MS);
    await work(other, job);
    for (let steps = STEPS_MAX; steps > 0 && gate.waitingCount() > 1; steps -= 1) await gate.step();
    gate.goOn();
  };
  const work = (instance: Instance, job: string) => stage.work(instance, job);

  return {
    holdRefunds() {
      const body = { refund_hold_days: random().pick(HOLD_DAYS) };
      return request(stage.shop(), {
        what: "patch",
        path: "management/tenant/",
        body,
        method: "PATCH",
        key: true,
      });
    },
    decideHeld: () =>
      withHeld((shop, held) => decide(shop, held, random().pick(["release", "cancel"] as const))),
    /** Two people decide at the same time, or one while the job sends the refund or its payment is charged back. */
    decideHeldTwice: () =>
      withHeld(async (shop, held) => {
        await decide(shop, held, random().pick(["release", "cancel"] as const));
        if (random().chance(0.3)) stage.leap(10 * DAY_MS);
        if (random().chance(0.5)) await decide(shop, held, random().pick(["release", "cancel"] as const));
        else await work(stage.instance(), "end-held-refunds");
      }),
    /** Sets a new price, never the same twice; at times also another day or account. */
    async changeSubscription() {
      const shop = stage.shop();
      const row = await stage.some(shop, GOING_ON);
      if (row === null) return;
      const cents = 1_000 + number();
      const day = new Date(world.nowMs() + (1 + random().below(60)) * DAY_MS).toISOString().slice(0, 10);
      const { heard, forgotten } = promises.priceAsked(row["id"], cents);
      await request(shop, {
        what: "change-subscription",
        path: `management/subscriptions/${row["id"]}/change/`,
        body: {
          amount: (cents / 100).toFixed(2),
          ...(random().chance(0.4) ? { next_billing_date: day } : {}),
          ...(random().chance(0.3) ? { gateway_id: random().pick(shop.gateways) } : {}),
        },
        key: true,
        idempotencyKey: `change-${number()}`,
        onResponse({ status, body }) {
          if (status === 200) heard(body["next_billing_date"]);
        },
        forgotten,
      });
    },
    async overtakeRefund() {
      const shop = stage.shop();
      const payment = await stage.some(shop, REFUNDABLE);
      if (payment === null) return;
      const refund: Asked = {
        what: "refund",
        path: `management/transactions/${payment["id"]}/refunds/`,
        body: random().chance(0.7) ? { amount: "0.01" } : {},
        key: true,
        idempotencyKey: stage.keyOrNone(),
      };
      await overtaken("recover-refunds", () => request(shop, refund));
    },
    async overtakePayment() {
      const payable = stage.sessions.some(
        ({ status, payableUntilMs }) => status === "open" && payableUntilMs > world.nowMs(),
      );
      if (!payable) {
        await create();
        while (await gate.step());
      }
      await overtaken("recover-payments", pay);
    },
  };
}
