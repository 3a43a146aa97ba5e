/**
 * The SQL of the figures. What the job has summed of a day is read from its table; the rest (days that the job has not
 * processed, and a big merchant's newest payments) is summed on request by the same fragment, so that they cannot
 * differ.
 */
import { sql, type Database, type Reader } from "../../db/database.ts";
import { HOUR_MS } from "../../lib/clock.ts";
import { addDays, utcDate, type IsoDate } from "../../lib/dates.ts";
import { OPEN_IN_SQL } from "../../payments/transaction.ts";
import { CANCELLED } from "../../sepa/reasons.ts";

/** Chargebacks may arrive for thirteen months; most arrive within eight weeks. The last age includes all later ones. */
export const AGE_WEEKS = 8;

/**
 * Whether the declined payment `p` had been accepted before: what failed while the customer was on the page did not
 * come back.
 */
export const WAS_ACCEPTED = `(p.type = 'sdd_rebill'
                 or p.type <> 'sdd_refund'
                and (select s.status from sessions s where s.tenant = :tenant and s.id = p.session_id) = 'COMPLETED'
                and not exists (select from transactions n
                                 where n.tenant = :tenant and n.session_id = p.session_id and n.created_at > p.created_at
                                offset 0))` as const;

/** The sums of a tenant's payments `p`; `combiningCalls` are the grouping columns. */
const ADDED_UP = `
       (p.created_at at time zone 'UTC')::date as day, p.gateway_id,
       (select s.campaign_id from sessions s where s.tenant = :tenant and s.id = p.session_id) as campaign_id,
       (select l.country from leads l where l.tenant = :tenant and l.id = p.lead_id) as country,
       p.type,
       case when p.status in ${OPEN_IN_SQL} then 'pending' else p.status end as state,
       case when p.status = 'declined' then p.error_code
            when p.status = 'charged_back' then (
                       select c.reason_code from chargebacks c
                        where c.tenant = :tenant and c.transaction_id = p.id and c.withdrawn_on is null
                        order by c.report_date desc limit 1)
        end as reason,
       case when p.status = 'charged_back' then (
                       select least(greatest(floor(extract(epoch from c.report_date - p.created_at) / 604800), 0), ${AGE_WEEKS})::integer
                         from chargebacks c
                        where c.tenant = :tenant and c.transaction_id = p.id and c.withdrawn_on is null
                        order by c.report_date desc limit 1)
        end as age_weeks,
       case when p.status = 'charged_back' then (
                       select nullif(nullif(c.reason_code, ''), '${CANCELLED}')
                         from chargebacks c
                        where c.tenant = :tenant and c.transaction_id = p.id and c.withdrawn_on is null
                        order by c.report_date desc limit 1)
            when p.status = 'declined' and ${WAS_ACCEPTED} then nullif(nullif(p.gateway_code, ''), '${CANCELLED}')
        end as bank_code,
       p.currency, count(*)::integer as count, sum(p.amount) as amount` as const;

/** The groupings of figures. */
export const GROUPS = ["gateway", "campaign", "country", "type", "reason"] as const;
/** `age`: the number of whole weeks until a payment came back; `code`: the bank's code. */
type Group = (typeof GROUPS)[number] | "age" | "code";
/** The length of a period of the series; `total`: the whole time is one period. */
export const PERIODS = ["day", "week", "month", "total"] as const;
type Period = (typeof PERIODS)[number];

/** A cell of the figures. */
export interface FigureRow {
  readonly start: IsoDate;
  readonly group_id: string | null;
  readonly group_name: string | null;
  readonly currency: string;
  readonly collected: number;
  readonly collected_amount: string;
  readonly pending: number;
  readonly pending_amount: string;
  readonly declined: number;
  readonly declined_amount: string;
  readonly returned: number;
  readonly returned_amount: string;
  readonly refunds: number;
  readonly refunds_amount: string;
}

/** A sum of one kind; a refunded payment counts as collected. */
const KIND_IN_SQL = {
  collected: "f.type <> 'sdd_refund' and f.state in ('approved', 'refunded')",
  pending: "f.type <> 'sdd_refund' and f.state = 'pending'",
  declined: "f.type <> 'sdd_refund' and f.state = 'declined'",
  returned: "f.type <> 'sdd_refund' and f.state = 'charged_back'",
  refunds: "f.type = 'sdd_refund' and f.state = 'approved'",
} as const;

const SUMS = Object.entries(KIND_IN_SQL)
  .map(
    ([kind, is]) => `coalesce(sum(f.count) filter (where ${is}), 0)::integer as ${kind},
          coalesce(sum(f.amount) filter (where ${is}), 0.00)::text as ${kind}_amount`,
  )
  .join(",\n          ");

const FIGURES = sql(
  "reports.figures",
  `with counted as (
     select day, counted_at from figure_days
      where tenant = :tenant and day between :from::date and :to::date and counted_at is not null
   ), f as (
     select d.day, d.gateway_id, d.campaign_id, d.country, d.type, d.state, d.reason, d.age_weeks, d.bank_code, d.currency, d.count, d.amount
       from daily_figures d
      where d.tenant = :tenant and d.day between :from::date and :to::date
     union all
     select ${ADDED_UP}
       from (
         select greatest(d.day::date::timestamp at time zone 'UTC', counted.counted_at) as since,
                (d.day::date + 1)::timestamp at time zone 'UTC' as until
           from generate_series(:from::date, :to::date, interval '1 day') d (day)
           left join counted on counted.day = d.day::date
         offset 0
       ) missing
      -- One look into the index for each of them: a plan for any tenant and time would read the whole table instead.
      cross join lateral (
        select p.*
          from transactions p
         where p.tenant = :tenant and p.created_at >= missing.since and p.created_at < missing.until
        offset 0
      ) p
      where missing.since < missing.until
      group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
   )
   select coalesce(case when :period::text = 'total' then :from::date
                        else greatest(date_trunc(:period, f.day)::date, :from::date)
                    end::text, '') as start,
          case when :group::text = 'gateway' then f.gateway_id::text
                            when :group = 'campaign' then f.campaign_id::text
                            when :group = 'country' then f.country
                            when :group = 'type' then f.type
                            when :group = 'reason' then f.reason
                            when :group = 'age' then f.age_weeks::text
                            when :group = 'code' then f.bank_code
           end as group_id,
          case when :group = 'gateway' then min(g.name)
                      when :group = 'campaign' then min(c.name)
           end as group_name,
          f.currency,
          ${SUMS}
     from f
     left join gateways  g on g.tenant = :tenant and g.id = f.gateway_id
     left join campaigns c on c.tenant = :tenant and c.id = f.campaign_id
    group by 1, 2, f.currency
    order by 1, 2 nulls last, f.currency` as "select :tenant, :from, :to, :period, :group",
).gives<FigureRow>();

/**
 * The figures.
 * @param days first and last day, UTC.
 */
export function figures(
  db: Reader,
  tenant: number,
  days: { readonly from: IsoDate; readonly to: IsoDate },
  by: { readonly period: Period; readonly group: Group | null },
): Promise<readonly FigureRow[]> {
  return db.query(FIGURES, { tenant, ...days, ...by });
}

const AS_OF = sql(
  "reports.figures_as_of",
  `select min(counted_at) as as_of from figure_days where tenant = :tenant and day between :from::date and :to::date`,
).gives<{ readonly as_of: Date | null }>();

/** Since when changes of past days may be missing; null: everything is current. */
export async function figuresAsOf(
  db: Reader,
  tenant: number,
  days: { readonly from: IsoDate; readonly to: IsoDate },
): Promise<Date | null> {
  const [row] = await db.query(AS_OF, { tenant, ...days });
  return row?.as_of ?? null;
}

/** Older payments are summed on request. */
const DAYS_COUNTED = 400;
/** The most payments of the current day that are summed on request, in some milliseconds. */
const LIVE_MAX = 5_000;
/** A day with more is summed hour by hour: a statement has to end in time. */
const AT_ONCE_MAX = 200_000;
const HOURS_A_DAY = 24;
/** Days within this age are summed every hour, older ones every week. */
const HOURLY_DAYS = 70;
/**
 * Writes of this age are visible to every transaction: a count leaves out newer ones, which are read from the payments.
 */
const SETTLED_MS = 60_000;

const TENANTS = sql(
  "reports.tenants",
  `select tenant
     from tenants -- every tenant: payments are added up for one after the other
    order by tenant`,
).gives<{ readonly tenant: number }>();

/** All of them. */
export async function tenantsToCount(db: Reader): Promise<readonly number[]> {
  return (await db.query(TENANTS, {})).map(({ tenant }) => tenant);
}

const NOTE_DAYS = sql(
  "reports.record_figure_days",
  `with days as materialized (
   select d.day::date as day
     from generate_series(
            :today::date - case when exists (select from figure_days f where f.tenant = :tenant) then 3 else ${DAYS_COUNTED} end,
            :today::date - 1,
            interval '1 day'
          ) d (day)
    where exists (select from transactions p
                   where p.tenant = :tenant
                     and p.created_at >= d.day::date::timestamp at time zone 'UTC'
                     and p.created_at < (d.day::date + 1)::timestamp at time zone 'UTC'
                   offset 0)
   union all
   select :today::date
    where exists (select from transactions p
                   where p.tenant = :tenant
                     and p.created_at >= :today::date::timestamp at time zone 'UTC'
                   offset ${LIVE_MAX})
   ), noted as (
   insert into figure_days (tenant, day, due_at)
   select :tenant, day, :now from days
       on conflict (tenant, day) do nothing
   returning day
   )
   select day from noted` as "select :tenant, :now, :today",
);

/** Records past days with payments, and the current day if it has many. */
export async function noteFigureDays(db: Database, tenant: number, now: Date, today: IsoDate): Promise<void> {
  await db.commit(NOTE_DAYS, { tenant, now, today });
}

// Summing a day locks its row: another instance waits, and finds that it is no longer due. The newest days are viewed
// most. Days are compared with days: Citus refuses a CASE that depends on the session's time zone.
const HOLD_DAY = sql(
  "reports.lock_figure_day",
  `with held as (
     select day,
            :now::timestamptz + case when day > :oftenAfter::date then interval '10 minutes'
                                     when day > :hourlyAfter::date then interval '1 hour'
                                     else interval '7 days' end as due_again_at
       from figure_days
      where tenant = :tenant and due_at <= :now
      order by (counted_at is null) desc, day desc
      limit 1
        for update
   ), counted as (
     update figure_days f
        set counted_at = :until, due_at = held.due_again_at
       from held
      where f.tenant = :tenant and f.day = held.day
     returning f.day
   )
   select day::text as day,
          exists (select from transactions p
                   where p.tenant = :tenant
                     and p.created_at >= day::timestamp at time zone 'UTC'
                     and p.created_at < (day + 1)::timestamp at time zone 'UTC'
                   offset :atOnceMax) as is_large
     from counted`,
).gives<{ readonly day: IsoDate; readonly is_large: boolean }>();

const FORGET_FIGURES = sql(
  "reports.forget_figures",
  "delete from daily_figures where tenant = :tenant and day = :day::date",
);

const COUNT_PART = sql(
  "reports.count_part",
  `with numbered as materialized (
   select :numberedFrom::integer + row_number() over () as number, added.*
     from (
       select ${ADDED_UP}
         from transactions p
        where p.tenant = :tenant
          and p.created_at >= :from::timestamptz
          and p.created_at < :to::timestamptz
          group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
     ) added
   ), kept as (
   insert into daily_figures (
     tenant, number, day, gateway_id, campaign_id, country, type, state, reason, age_weeks, bank_code, currency, count, amount
   )
   select :tenant, numbered.* from numbered
   returning number
   )
   select number from kept` as "select :tenant, :numberedFrom, :from, :to",
);

/**
 * Sums the newest due day again, atomically. Returns whether one was due.
 * @param atOnceMax a day with more payments is summed hour by hour.
 */
export function countDueDay(
  db: Database,
  tenant: number,
  now: Date,
  atOnceMax: number = AT_ONCE_MAX,
): Promise<boolean> {
  const until = new Date(now.getTime() - SETTLED_MS);
  return db.transaction(async (tx) => {
    const [held] = await tx.write(HOLD_DAY, {
      tenant,
      now,
      until,
      // Days that began in the last 24 hours.
      oftenAfter: utcDate(new Date(until.getTime() - HOURS_A_DAY * HOUR_MS - 1)),
      hourlyAfter: addDays(utcDate(now), -HOURLY_DAYS),
      atOnceMax,
    });
    if (held === undefined) return false;
    await tx.write(FORGET_FIGURES, { tenant, day: held.day });
    let numberedFrom = 0;
    for (const { from, to } of partsOf(held.day, held.is_large ? HOURS_A_DAY : 1, until)) {
      const numbered = await tx.write(COUNT_PART, { tenant, numberedFrom, from, to });
      numberedFrom += numbered.length;
    }
    return true;
  });
}

/** A day in equal parts, up to a moment. */
function partsOf(
  day: IsoDate,
  count: number,
  until: Date,
): readonly { readonly from: Date; readonly to: Date }[] {
  const start = Date.parse(`${day}T00:00:00Z`);
  const length = (HOURS_A_DAY * HOUR_MS) / count;
  return Array.from({ length: count }, (_, n) => ({
    from: new Date(start + n * length),
    to: new Date(Math.min(start + (n + 1) * length, until.getTime())),
  })).filter(({ from, to }) => from < to);
}
