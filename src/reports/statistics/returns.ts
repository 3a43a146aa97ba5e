/** Which share of the payments of a week came back, by how many weeks later: the returns triangle. */
import { sql, type Reader } from "../../db/database.ts";
import { addDays, type IsoDate } from "../../lib/dates.ts";
import { figures } from "./store.ts";

/** Chargebacks may come for thirteen months; most come within eight weeks. */
export const AGE_WEEKS = 8;

interface ReturnsRow {
  /** Monday of the week in which the payments were opened. */
  readonly week: IsoDate;
  /** Whole weeks from the payment to its return; the last one takes in all that came later. */
  readonly age_weeks: number;
  readonly currency: string;
  readonly returned: number;
}

const RETURNS = sql(
  "reports.returns",
  `select date_trunc('week', t.created_at at time zone 'UTC')::date::text as week,
          least(greatest(floor(extract(epoch from c.report_date - t.created_at) / 604800), 0), :oldest::integer)::integer
            as age_weeks,
          t.currency, count(*)::integer as returned
     from chargebacks c
     join transactions t on t.tenant = :tenant and t.id = c.transaction_id
    where c.tenant = :tenant and c.withdrawn_on is null and t.status = 'charged_back'
      and c.report_date >= :from::date::timestamp at time zone 'UTC'
      and t.created_at >= :from::date::timestamp at time zone 'UTC'
      and t.created_at < (:to::date + 1)::timestamp at time zone 'UTC'
    group by 1, 2, 3
    order by 1, 2, 3`,
).gives<ReturnsRow>();

/** A week's payments, and how many of them came back. */
export interface ReturnsOfWeek {
  readonly week: IsoDate;
  readonly currency: string;
  /** Payments that were collected, those that came back later included. */
  readonly collected: number;
  readonly returned: number;
  /** How many came back in the week of the payment, in the one after it, and so on; the last number takes in all later ones. */
  readonly returned_by_age: readonly number[];
}

/** The weeks up to today's, oldest first; those in which nothing was collected are left out. */
export async function returnsTriangle(
  db: Reader,
  tenant: number,
  today: IsoDate,
  weeks: number,
): Promise<readonly ReturnsOfWeek[]> {
  const days = { from: addDays(mondayOf(today), -7 * (weeks - 1)), to: today };
  const [collected, returned] = await Promise.all([
    figures(db, tenant, days, { period: "week", group: null }),
    db.query(RETURNS, { tenant, ...days, oldest: AGE_WEEKS }),
  ]);
  return collected
    .map(({ start, currency, collected: kept, returned: back }) => {
      const own = returned.filter((row) => row.week === start && row.currency === currency);
      const byAge = Array.from({ length: AGE_WEEKS + 1 }, (_, age) =>
        own.reduce((sum, row) => (row.age_weeks === age ? sum + row.returned : sum), 0),
      );
      const all = byAge.reduce((sum, count) => sum + count, 0);
      return { week: start, currency, collected: kept + back, returned: all, returned_by_age: byAge };
    })
    .filter((one) => one.collected > 0);
}

function mondayOf(day: IsoDate): IsoDate {
  // Of a date without a time: 0 is Sunday.
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return addDays(day, -((weekday + 6) % 7));
}
