/** Simulates months of a merchant with subscriptions: people subscribe, the tenant's clock is moved, renewals are collected. */
import { IBAN } from "../../tests/support/merchant.ts";
import { ask, classOf } from "./ask.ts";
import { Client, newJourney, type Journey } from "./clients.ts";
import type { Random } from "../random.ts";
import { count, type Tally } from "./tally.ts";
import type { World } from "./world.ts";

const HOUR_MS = 3_600_000;
/** More than a month, so that it includes a TARGET day after each due date. */
const MONTH_HOURS = 36 * 24;
const PEOPLE = 3;

interface Months {
  readonly world: World;
  readonly random: Random;
  readonly tally: Tally;
  readonly signal: AbortSignal;
}

/** Customers subscribe; the responses of some of their banks are lost. */
export async function subscribe(
  { world, random, tally, signal }: Months,
  journeys: Journey[],
): Promise<void> {
  const people = Array.from({ length: PEOPLE }, () => ({
    journey: newJourney(world.billing.shop),
    random: random.fork(),
    iban: random.chance(0.3) ? IBAN.answerLost : IBAN.approved,
  }));
  journeys.push(...people.map(({ journey }) => journey));
  await Promise.all(
    people.map(async ({ journey, random: own, iban }) => {
      const client = new Client(world, tally, own, signal);
      await client.create(journey);
      if (journey.token !== null && !signal.aborted) await client.pay(journey, 0, iban);
    }),
  );
}

export function passMonth(months: Months): Promise<void> {
  count(months.tally.faults, "a month passes");
  return passHours(months, MONTH_HOURS);
}

/** Moves the merchant's clock, at any instance; if the call fails, the time may not have passed. */
export async function passHours({ world, random, tally }: Months, hours: number): Promise<void> {
  const { shop } = world.billing;
  world.billing.time = new Date(world.billing.time.getTime() + hours * HOUR_MS);
  const answer = await ask(
    random.pick(world.instances).url,
    "POST",
    "management/clock/",
    { date: world.billing.time.toISOString() },
    { key: shop.merchant.key },
  );
  count(tally.answers, classOf(answer));
  if (answer.status >= 500 && answer.status !== 503)
    tally.violations.push(`moving the clock answered ${answer.status}: ${answer.text.slice(0, 200)}`);
}

/** Work that is due or in flight, as `what`, for which time has to pass. */
const UNBILLED = `
  select format('cycle %s of subscription %s is %s', c.cycle, c.subscription_id, c.status) as what
    from billing_cycles c
    join tenants n on n.tenant = c.tenant
   where n.id = $1 and c.status in ('collecting', 'pending', 'retry')
   union all
  select format('subscription %s is due on %s', u.id, u.next_billing_date)
    from subscriptions u
    join tenants n on n.tenant = u.tenant
   where n.id = $1 and u.status <> 'CANCELLED' and u.next_billing_date <= $2::date`;

/** @param until work that is due by then has to be billed. */
export async function unbilled(world: World, until: Date): Promise<readonly string[]> {
  const values = [world.billing.shop.merchant.tenantId, until.toISOString().slice(0, 10)];
  return (await world.rows(UNBILLED, values)).map((row): string => row["what"]);
}

/** Each selects `what` for violations, once nothing is in flight. */
export const BILLING_RULES = [
  `select format('subscription %s has %s paid cycles, and the bank has charged %s renewals', u.id, u.paid, u.charged) as what
     from (select u.tenant, u.id,
                  (select count(*) from billing_cycles c
                    where c.tenant = u.tenant and c.subscription_id = u.id and c.status = 'paid') as paid,
                  (select count(*) from transactions t
                     join sandbox_books b on b.tenant = t.tenant and b.reference = t.merchant_transaction_id
                    where t.tenant = u.tenant and t.subscription_id = u.id and t.type = 'sdd_rebill'
                      and b.charged_at is not null) as charged
             from subscriptions u
             join gateways g on g.tenant = u.tenant and g.id = u.gateway_id and g.adapter = 'sandbox') u
    where u.paid <> u.charged`,
  `select format('cycle %s of subscription %s was charged %s times', c.cycle, c.subscription_id, count(*)) as what
     from billing_cycles c
     join transactions t  on t.tenant = c.tenant and t.id = c.transaction_id
     join sandbox_books b on b.tenant = t.tenant and b.reference = t.merchant_transaction_id and b.charged_at is not null
    group by c.tenant, c.subscription_id, c.cycle having count(*) > 1`,
] as const;
