/** Actions of the service's jobs, the bank and the clock, chosen by the seed. */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, type Act, type Stage } from "./stage.ts";

export const WORKERS = {
  work: 12,
  workAll: 5,
  workEverywhere: 3,
  recover: 9,
  again: 8,
  renew: 14,
  pauseInstance: 3,
  bankWorks: 9,
  bankChargesBack: 4,
  bankIsQuick: 2,
  bankReinstates: 1,
  bankTellsOfStranger: 1,
  announce: 2,
  customerDecides: 5,
  lateCall: 3,
  receiverDies: 1,
  tick: 8,
  jump: 4,
  week: 2,
  month: 2,
  mandatesExpire: 0.3,
} as const;

/** Only in seeds from 10,000 on. */
export const WORKERS_LATER = { recoverEarly: 4 } as const;

const DUE_NEXT = `
  select min(at) as at from (
    select next_billing_date::timestamptz as at from subscriptions where status <> 'CANCELLED'
     union all
    select next_attempt_at from billing_cycles where status = 'retry'
  ) due`;
const ANNOUNCED_NEXT = `
  select min(u.next_billing_date - n.pre_notification_days)::timestamptz as at
    from subscriptions u join tenants n on n.tenant = u.tenant
   where u.status <> 'CANCELLED' and not u.cancel_at_period_end and u.announced_date is distinct from u.next_billing_date`;
const TAKEABLE = `
  select merchant_transaction_id as reference from transactions
   where tenant = $1 and type <> 'sdd_refund' and source <> 'csv_import' and status in ('approved', 'refunded', 'pending')
     and amount > 0 order by merchant_transaction_id`;
const TAKEABLE_RENEWALS = `
  select merchant_transaction_id as reference from transactions
   where tenant = $1 and type = 'sdd_rebill' and status in ('approved', 'refunded', 'pending') order by merchant_transaction_id`;
/** Payments with a lost response come first, because no operation is running for them. */
const OPEN = `
  select merchant_transaction_id as reference, status from transactions
   where tenant = $1 and type <> 'sdd_refund' and status in ('submitted', 'unresolved') and amount > 0
   order by status desc, merchant_transaction_id`;
/** Enough steps from a payment's beginning to its response, while others run. */
const STEPS_TO_THE_BANK = 20;
const RECOVERIES = ["recover-payments", "recover-refunds", "recover-renewals"] as const;
/** More attempts than a delivery has. */
const TRIES_MAX = 12;

export function workers(
  stage: Stage,
): Readonly<Record<keyof typeof WORKERS | keyof typeof WORKERS_LATER, Act>> {
  const { world, random, work } = stage;
  const { bank, gate } = world;
  const everywhere = async (job: string): Promise<void> => {
    for (const one of world.instances) await work(one, job);
  };

  return {
    work: () => work(stage.instance(), random().pick(stage.jobNames)),
    workAll: () => work(stage.instance(), null),
    workEverywhere: () => everywhere(random().pick(stage.jobNames)),
    /** Advances the time until everything running counts as dead; then both instances recover it. */
    async recover() {
      world.advance(31 * SECOND_MS);
      for (const one of world.instances)
        for (const job of RECOVERIES) if (random().chance(0.6)) await work(one, job);
    },
    /** Nothing counts as dead yet, even if an instance's clock is ahead. */
    async recoverEarly() {
      for (const job of RECOVERIES) await everywhere(job);
    },
    /** A client without a response repeats its request with the same key, when the instance that ran it may be dead. */
    again: () => stage.again(),
    /**
     * Goes to a banking day on which a renewal is due. Both instances collect at once, possibly followed by recovery.
     */
    async renew() {
      const [due] = await world.rows(DUE_NEXT);
      const at: Date | null = due?.["at"] ?? null;
      if (at === null) return;
      const weekend = [1, 0, 0, 0, 0, 0, 2][at.getUTCDay()] ?? 0;
      const wait = at.getTime() + weekend * DAY_MS + HOUR_MS - world.nowMs();
      if (wait > 0) stage.leap(wait);
      await everywhere("renew-subscriptions");
      if (random().chance(0.4)) {
        for (let steps = random().below(12); steps > 0; steps -= 1) await gate.step();
        world.advance(31 * SECOND_MS);
        await everywhere("recover-renewals");
      }
    },
    /** Pauses an instance in the middle of its work for longer than its leases last. The other instance continues. */
    async pauseInstance() {
      const [one, other] = random().chance(0.5) ? world.instances : world.instances.toReversed();
      if (one === undefined || other === undefined || world.inTransaction()) return;
      world.trace(`${one.process.name} stands still`);
      gate.pause(one.process);
      world.advance(random().pick([31, 61, 600]) * SECOND_MS);
      for (const job of RECOVERIES) if (random().chance(0.5)) await work(other, job);
    },
    /** Goes to a day on which a renewal is announced, by both instances at once. */
    async announce() {
      const [due] = await world.rows(ANNOUNCED_NEXT);
      const at: Date | null = due?.["at"] ?? null;
      if (at === null) return;
      const wait = at.getTime() + HOUR_MS - world.nowMs();
      if (wait > 0) stage.leap(wait);
      await everywhere("announce-renewals");
    },
    bankWorks: async () => bank.work(),
    async bankChargesBack() {
      const shop = stage.shop();
      const payment = await stage.some(shop, random().chance(0.5) ? TAKEABLE_RENEWALS : TAKEABLE);
      if (payment !== null) bank.chargeBack(shop.tenant, payment["reference"], true);
    },
    /** The bank reports a chargeback of a payment whose response is on its way, or was lost. */
    async bankIsQuick() {
      const shop = stage.shop();
      const chargedBack = async () => {
        const rows = await world.rows(OPEN, [shop.tenant]);
        return rows.find(({ reference }) => bank.chargeBack(shop.tenant, String(reference), true));
      };
      let found = await chargedBack();
      for (let steps = STEPS_TO_THE_BANK; found === undefined && steps > 0 && (await gate.step()); steps -= 1)
        found = await chargedBack();
      if (found?.["status"] === "unresolved") return everywhere("gateway-news");
      const [one, other] = random().chance(0.5) ? world.instances : world.instances.toReversed();
      if (found === undefined || one === undefined || other === undefined || world.inTransaction()) return;
      // This may be the instance that waits for the response.
      gate.pause(one.process);
      await work(other, "gateway-news");
    },
    bankReinstates: async () => bank.reinstate(),
    bankTellsOfStranger: async () => bank.reportStranger(stage.shop().tenant),
    customerDecides: async () => bank.decide(),
    lateCall: async () => bank.arriveLate(),
    /** A receiver does not respond, for some or all attempts of its deliveries. */
    async receiverDies() {
      world.receivers.away(true);
      const forGood = random().chance(0.5);
      for (let tries = forGood ? TRIES_MAX : 1 + random().below(4); tries > 0; tries -= 1) {
        await work(stage.instance(), "deliver-webhooks");
        while (await gate.step());
        stage.leap(forGood ? 30 * HOUR_MS : random().pick([6 * MINUTE_MS, HOUR_MS, 15 * HOUR_MS]));
      }
      world.receivers.away(false);
    },
    tick: async () => world.advance(random().pick([0.2, 1, 5, 12, 31, 65]) * SECOND_MS),
    jump: async () =>
      stage.leap(random().pick([-2 * SECOND_MS, 10 * MINUTE_MS, HOUR_MS, 2 * HOUR_MS, DAY_MS, 4 * DAY_MS])),
    week: async () => stage.leap(7 * DAY_MS),
    month: async () => stage.leap(31 * DAY_MS),
    /** No mandate is used for 37 months. */
    async mandatesExpire() {
      stage.leap(1_127 * DAY_MS);
      await work(stage.instance(), random().chance(0.5) ? "expire-mandates" : "renew-subscriptions");
    },
  };
}
