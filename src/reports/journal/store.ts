/** The SQL of the journal: the bank's bookings, and its statements. */
import { sql, type Reader } from "../../db/database.ts";
import { CREDITOR_IBAN } from "../../gateways/records/creditor-store.ts";
import type { IsoDate } from "../../lib/dates.ts";
import { centsFromDatabase } from "../../lib/money.ts";
import type { JournalMovement, StatementDay } from "./lines.ts";

interface MovementRow extends Omit<JournalMovement, "amount" | "fee"> {
  readonly amount: string;
  readonly fee: string;
}

/**
 * A notice of a fee has the fee in all: of a return's later fees each has its own day.
 *
 * The gateway may have moved to another account since. A movement is of the account whose statement reported it; else,
 * as when a notification did, of the one that the file of its instruction was written for.
 */
const JOURNAL = sql(
  "reports.journal",
  `with booked as (
     select n.gateway_id, n.reference, n.kind, n.round, n.at, n.number, n.amount, n.file_id,
            n.bank_fee - case when n.kind <> 'fee' then 0 else coalesce(b.bank_fee, 0) + coalesce((
              select sum(l.amount) from sepa_later_fees l
               where l.tenant = :tenant and l.gateway_id = n.gateway_id and l.reference = n.reference and l.round = n.round), 0)
            end as fee
       from sepa_news n
       left join sepa_news b on b.tenant = :tenant and b.gateway_id = n.gateway_id and b.reference = n.reference
        and b.round = n.round and b.kind = 'charged_back'
      where n.tenant = :tenant and n.at >= :from::date::timestamp at time zone 'UTC'
        and n.at < (:to::date + 1)::timestamp at time zone 'UTC'
      union all
     select gateway_id, reference, 'fee', round, booked_on::timestamp at time zone 'UTC', null, null, null, amount
       from sepa_later_fees
      where tenant = :tenant and booked_on >= :from::date and booked_on <= :to::date
   ), stated as (
     select file_id, min(iban) as iban from sepa_statements where tenant = :tenant group by file_id having min(iban) = max(iban)
   )
   select to_char(n.at at time zone 'UTC', 'YYYY-MM-DD') as day,
          coalesce(s.iban, (
            select a.iban from sepa_creditor_accounts a
             where a.tenant = :tenant and a.gateway_id = n.gateway_id and f.created_at between a.first_used_at and a.last_used_at
             order by a.first_used_at desc
             limit 1), ${CREDITOR_IBAN}, '') as iban,
          n.reference, n.kind, c.refund_of is not null as "isRefund",
          exists (select from sepa_news m
                   where m.tenant = :tenant and m.gateway_id = n.gateway_id and m.reference = n.reference and m.round = n.round
                     and m.kind in ('settled', 'reinstated')) as moved,
          coalesce(n.amount, c.amount) as amount, coalesce(n.fee, 0.00) as fee, c.currency
     from booked n
     join sepa_collections c on c.tenant = :tenant and c.gateway_id = n.gateway_id and c.reference = n.reference
     join gateways g on g.tenant = :tenant and g.id = n.gateway_id
     left join sepa_files f on f.tenant = :tenant and f.id = c.file_id
     left join stated s on s.file_id = n.file_id
    order by n.at, n.number nulls last, n.reference, fee
    limit :limit`,
).gives<MovementRow>();

/**
 * The movements of a period.
 * @param days first and last, UTC.
 * @param limit the most that are read.
 */
export async function movements(
  db: Reader,
  tenant: number,
  days: { readonly from: IsoDate; readonly to: IsoDate },
  limit: number,
): Promise<readonly JournalMovement[]> {
  const rows = await db.query(JOURNAL, { tenant, ...days, limit });
  return rows.map((row) => ({
    ...row,
    amount: centsFromDatabase(row.amount),
    fee: centsFromDatabase(row.fee),
  }));
}

/**
 * The pages of one statement, and several statements of one day, are combined. Without numbers their balances tell the
 * order: a day begins with the balance that no other ends with, and ends with the one that no other begins with. A day
 * with several such balances has no line. The first statement is taken for one day's, and so is one before which another
 * is missing: what was booked in between is in that one.
 */
const STATEMENTS = sql(
  "reports.journal_statements",
  `with combined as (
     select s.iban, s.ends_on, min(coalesce(s.sequence::text, s.statement_id, '')) as name,
            bool_and(s.sequence is not null) as numbered,
            (array_agg(s.opening order by s.sequence, s.id) filter (where s.opening is not null))[1] as opening,
            (array_agg(s.closing order by s.sequence desc, s.id desc) filter (where s.closing is not null))[1] as closing,
            array_agg(distinct s.opening) filter (where s.opening is not null) as openings,
            array_agg(distinct s.closing) filter (where s.closing is not null) as closings,
            (array_agg(s.gap order by s.sequence nulls last, s.id))[1] as gap
       from sepa_statements s
      where s.tenant = :tenant and s.ends_on <= :to::date
      group by s.iban, s.ends_on
   ), days as (
     select iban, ends_on, name, gap,
            case when numbered or cardinality(openings) = 1 then opening
                 else (select min(o) from unnest(openings) o where o <> all (closings) having count(*) = 1) end as opening,
            case when numbered or cardinality(closings) = 1 then closing
                 else (select min(c) from unnest(closings) c where c <> all (openings) having count(*) = 1) end as closing
       from combined
   ), chain as (
     select iban, ends_on, name, opening, closing,
            case when gap is null and coalesce(lag(closing) over account = opening, true) then lag(ends_on) over account end as before
       from days
     window account as (partition by iban order by ends_on)
   )
   select iban, ends_on::text as "endsOn", coalesce(before, ends_on - 1)::text as since, coalesce(name, '') as name, 'EUR' as currency,
          (opening * 100)::bigint::text as opening, (closing * 100)::bigint::text as closing
     from chain
    where ends_on >= :from::date and opening is not null and closing is not null
    order by ends_on, iban`,
).gives<Omit<StatementDay, "opening" | "closing"> & { readonly opening: string; readonly closing: string }>();

/** The statements that end on one of the days. */
export async function statementDays(
  db: Reader,
  tenant: number,
  days: { readonly from: IsoDate; readonly to: IsoDate },
): Promise<readonly StatementDay[]> {
  const rows = await db.query(STATEMENTS, { tenant, ...days });
  return rows.map((row) => ({ ...row, opening: Number(row.opening), closing: Number(row.closing) }));
}
