/**
 * Expected collections of the next weeks by day: what the bank is about to credit, and the cycles that fall due. For a
 * merchant with many subscriptions a job sums them; for all others they are summed on request, by the same fragment.
 */
import { sql, type Database, type Reader } from "../../db/database.ts";
import { addDays, utcDate, type IsoDate } from "../../lib/dates.ts";

/** The most rows summed on request, in a few milliseconds. */
const LIVE_MAX = 5_000;
/** The days summed by the job: all months of this year's calendar of renewals, including the whole current one. */
const DAYS_BEHIND = 31;
const DAYS_AHEAD = 400;

/** The expected collections between `:from` and `:to`, one row each. */
const COMING = `
       select c.due_date as day, c.currency, 'settlement' as kind, c.amount
         from sepa_files f
         join sepa_collections c on c.tenant = :tenant and c.file_id = f.id and c.state = 'batched' and c.refund_of is null
        where f.tenant = :tenant and c.due_date between :from::date and :to::date
       union all
       select u.next_billing_date, u.currency, 'renewal', u.billing_amount
         from subscriptions u
        where u.tenant = :tenant and u.status <> 'CANCELLED' and not u.cancel_at_period_end
          and u.next_billing_date between :from::date and :to::date
       union all
       select (k.next_attempt_at at time zone 'UTC')::date, u.currency, 'retry', coalesce(p.amount, u.billing_amount)
         from billing_cycles k
         join subscriptions u on u.tenant = :tenant and u.id = k.subscription_id and u.status <> 'CANCELLED'
         left join transactions p on p.tenant = :tenant and p.id = k.transaction_id
        where k.tenant = :tenant and k.next_attempt_at >= :from::date::timestamp at time zone 'UTC'
          and k.next_attempt_at < (:to::date + 1)::timestamp at time zone 'UTC'` as const;

/** The expected sums of a day. */
export interface ExpectedRow {
  readonly day: IsoDate;
  readonly currency: string;
  readonly settlements: number;
  readonly settlements_amount: string;
  readonly renewals: number;
  readonly renewals_amount: string;
  /** Retried cycles. */
  readonly retries: number;
  readonly retries_amount: string;
}

const EXPECTED = sql(
  "reports.expected",
  `with counted as (
     select from expected_counts
      where tenant = :tenant and counted_from <= :from::date and counted_to >= :to::date
   ), e as (
     select day, currency, kind, count, amount
       from expected_figures
      where tenant = :tenant and day between :from::date and :to::date and exists (select from counted)
     union all
     select day, currency, kind, count(*)::integer, sum(amount)
       from (${COMING}
       ) coming
      where not exists (select from counted)
      group by 1, 2, 3
   )
   select day::text as day, currency,
          coalesce(sum(count) filter (where kind = 'settlement'), 0)::integer as settlements,
          coalesce(sum(amount) filter (where kind = 'settlement'), 0.00)::text as settlements_amount,
          coalesce(sum(count) filter (where kind = 'renewal'), 0)::integer as renewals,
          coalesce(sum(amount) filter (where kind = 'renewal'), 0.00)::text as renewals_amount,
          coalesce(sum(count) filter (where kind = 'retry'), 0)::integer as retries,
          coalesce(sum(amount) filter (where kind = 'retry'), 0.00)::text as retries_amount
     from e
    group by 1, 2
    order by 1, 2`,
).gives<ExpectedRow>();

/**
 * By day.
 * @param days first and last day, UTC.
 */
export function expectedByDay(
  db: Reader,
  tenant: number,
  days: { readonly from: IsoDate; readonly to: IsoDate },
): Promise<readonly ExpectedRow[]> {
  return db.query(EXPECTED, { tenant, ...days });
}

const AS_OF = sql(
  "reports.expected_as_of",
  `select counted_at as as_of from expected_counts
    where tenant = :tenant and counted_from <= :from::date and counted_to >= :to::date`,
).gives<{ readonly as_of: Date }>();

/** Since when changes may be missing; null: everything is current. */
export async function expectedAsOf(
  db: Reader,
  tenant: number,
  days: { readonly from: IsoDate; readonly to: IsoDate },
): Promise<Date | null> {
  const [row] = await db.query(AS_OF, { tenant, ...days });
  return row?.as_of ?? null;
}

// If two end or claim at once, the second waits for the first, and finds nothing due, or the row claimed.
const END = sql(
  "reports.end_expected",
  `with ended as (
     delete from expected_counts where tenant = :tenant and due_at <= :now
     returning tenant
   )
   delete from expected_figures where tenant = :tenant and exists (select from ended)`,
);

const HOLD = sql(
  "reports.lock_expected",
  `with enough as materialized (
     select true as is_enough
       from (${COMING}
       ) coming
     offset :liveMax limit 1
   ), held as (
     insert into expected_counts (tenant, counted_from, counted_to, counted_at, due_at)
     select :tenant, :from::date, :to::date, :now::timestamptz, :now::timestamptz + interval '10 minutes'
       from enough
         on conflict (tenant) do nothing
     returning tenant
   )
   select tenant from held` as "select :tenant, :from, :to, :now, :liveMax",
).gives<{ readonly tenant: number }>();

const COUNT = sql(
  "reports.count_expected",
  `with numbered as materialized (
     select row_number() over () as number, added.*
       from (
         select day, currency, kind, count(*) as count, sum(amount) as amount
           from (${COMING}
           ) coming
          group by 1, 2, 3
       ) added
   ), kept as (
     insert into expected_figures (tenant, number, day, currency, kind, count, amount)
     select :tenant, numbered.* from numbered
     returning number
   )
   select number from kept` as "select :tenant, :from, :to",
);

/**
 * Sums the expected collections of a merchant with too many to sum on request, when that is due.
 * @param liveMax the limit for requests.
 */
export async function countExpected(
  db: Database,
  tenant: number,
  now: Date,
  liveMax: number = LIVE_MAX,
): Promise<void> {
  const today = utcDate(now);
  const days = { from: addDays(today, -DAYS_BEHIND), to: addDays(today, DAYS_AHEAD) };
  await db.transaction(async (tx) => {
    await tx.write(END, { tenant, now });
    const [held] = await tx.write(HOLD, { tenant, now, liveMax, ...days });
    if (held !== undefined) await tx.write(COUNT, { tenant, ...days });
  });
}
