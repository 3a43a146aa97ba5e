/**
 * The SQL of the figures. Days that a job has added up are read as they are, the others (today, and days of before the job)
 * from the payments: both by the same fragment, so that they cannot differ.
 */
import { sql, type Database, type Reader } from "../../db/database.ts";
import type { IsoDate } from "../../lib/dates.ts";
import { OPEN_IN_SQL } from "../../payments/transaction.ts";

/** What the payments `p` of a tenant add up to; `grouped` are the columns that it is grouped by. */
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
       p.currency, count(*)::integer as count, sum(p.amount) as amount` as const;

/** By what figures can be told apart. */
export const GROUPS = ["gateway", "campaign", "country", "type", "reason"] as const;
type Group = (typeof GROUPS)[number];
/** How long a period of the series is; `total`: the whole time is one. */
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

/** A sum of one kind; a payment that was given back was collected. */
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
     select day from figure_days
      where tenant = :tenant and day between :from::date and :to::date and counted_at is not null
   ), f as (
     select d.day, d.gateway_id, d.campaign_id, d.country, d.type, d.state, d.reason, d.currency, d.count, d.amount
       from daily_figures d
      where d.tenant = :tenant and d.day between :from::date and :to::date
     union all
     select ${ADDED_UP}
       from generate_series(:from::date, :to::date, interval '1 day') missing (day)
       join transactions p on p.tenant = :tenant
        and p.created_at >= missing.day::date::timestamp at time zone 'UTC'
        and p.created_at < (missing.day::date + 1)::timestamp at time zone 'UTC'
      where missing.day::date not in (select day from counted)
      group by 1, 2, 3, 4, 5, 6, 7, 8
   )
   select coalesce(case when :period::text = 'total' then :from::date
                        else greatest(date_trunc(:period, f.day)::date, :from::date)
                    end::text, '') as start,
          case when :group::text = 'gateway' then f.gateway_id::text
                            when :group = 'campaign' then f.campaign_id::text
                            when :group = 'country' then f.country
                            when :group = 'type' then f.type
                            when :group = 'reason' then f.reason
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

/** @param days first and last day, UTC. */
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

/** Since when a change of a past day may not show; null: all of it is as of now. */
export async function figuresAsOf(
  db: Reader,
  tenant: number,
  days: { readonly from: IsoDate; readonly to: IsoDate },
): Promise<Date | null> {
  const [row] = await db.query(AS_OF, { tenant, ...days });
  return row?.as_of ?? null;
}

/** What comes on a day. */
export interface ExpectedRow {
  readonly day: IsoDate;
  readonly currency: string;
  readonly settlements: number;
  readonly settlements_amount: string;
  readonly renewals: number;
  readonly renewals_amount: string;
  /** Cycles that are tried again. */
  readonly retries: number;
  readonly retries_amount: string;
}

const EXPECTED = sql(
  "reports.expected",
  `with e as (
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
        and k.next_attempt_at < (:to::date + 1)::timestamp at time zone 'UTC'
   )
   select day::text as day, currency,
          (count(*) filter (where kind = 'settlement'))::integer as settlements,
          coalesce(sum(amount) filter (where kind = 'settlement'), 0.00)::text as settlements_amount,
          (count(*) filter (where kind = 'renewal'))::integer as renewals,
          coalesce(sum(amount) filter (where kind = 'renewal'), 0.00)::text as renewals_amount,
          (count(*) filter (where kind = 'retry'))::integer as retries,
          coalesce(sum(amount) filter (where kind = 'retry'), 0.00)::text as retries_amount
     from e
    group by 1, 2
    order by 1, 2`,
).gives<ExpectedRow>();

/** What the bank is about to credit, and the cycles that fall due, by day. */
export function expectedByDay(
  db: Reader,
  tenant: number,
  days: { readonly from: IsoDate; readonly to: IsoDate },
): Promise<readonly ExpectedRow[]> {
  return db.query(EXPECTED, { tenant, ...days });
}

/** Payments of so long ago are counted when they are asked for. */
const DAYS_COUNTED = 400;

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
  "reports.note_figure_days",
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
   ), noted as (
   insert into figure_days (tenant, day, due_at)
   select :tenant, day, :now from days
       on conflict (tenant, day) do nothing
   returning day
   )
   select day from noted` as "select :tenant, :now, :today",
);

/** Notes the days that are over and had payments. */
export async function noteFigureDays(db: Database, tenant: number, now: Date, today: IsoDate): Promise<void> {
  await db.commit(NOTE_DAYS, { tenant, now, today });
}

// Who counts a day holds its row: another instance waits, and finds that it is not due any more.
const HOLD_DAYS = sql(
  "reports.hold_figure_days",
  `with held as (
     select day,
            :now::timestamptz + case when day > :now::timestamptz - interval '70 days' then interval '1 hour'
                                     else interval '7 days' end as due_again_at
       from figure_days
      where tenant = :tenant and due_at <= :now
      order by due_at, day
      limit :limit
        for update
   ), counted as (
     update figure_days f
        set counted_at = :now, due_at = held.due_again_at
       from held
      where f.tenant = :tenant and f.day = held.day
     returning f.day
   )
   select day::text as day from counted`,
).gives<{ readonly day: IsoDate }>();

const FORGET_FIGURES = sql(
  "reports.forget_figures",
  "delete from daily_figures where tenant = :tenant and day = any (:days::date[])",
);

const COUNT_DAYS = sql(
  "reports.count_days",
  `with numbered as materialized (
   select row_number() over () as number, added.*
     from (
       select ${ADDED_UP}
         from unnest(:days::date[]) wanted (day)
         join transactions p on p.tenant = :tenant
          and p.created_at >= wanted.day::timestamp at time zone 'UTC'
          and p.created_at < (wanted.day + 1)::timestamp at time zone 'UTC'
          group by 1, 2, 3, 4, 5, 6, 7, 8
     ) added
   ), kept as (
   insert into daily_figures (
     tenant, number, day, gateway_id, campaign_id, country, type, state, reason, currency, count, amount
   )
   select :tenant, numbered.* from numbered
   returning number
   )
   select number from kept` as "select :tenant, :days",
);

/** Adds days that are due up anew, all or none; returns how many. */
export function countDueDays(db: Database, tenant: number, now: Date, limit: number): Promise<number> {
  return db.transaction(async (tx) => {
    const held = await tx.write(HOLD_DAYS, { tenant, now, limit });
    const days = held.map(({ day }) => day);
    if (days.length === 0) return 0;
    await tx.write(FORGET_FIGURES, { tenant, days });
    await tx.write(COUNT_DAYS, { tenant, days });
    return days.length;
  });
}
