/** The returns triangle: the share of a week's payments that came back, by the number of weeks until then. */
import type { Reader } from "../../db/database.ts";
import { addDays, type IsoDate } from "../../lib/dates.ts";
import { AGE_WEEKS, figures, type FigureRow } from "./store.ts";

/** A week's payments, and how many of them came back. */
export interface ReturnsOfWeek {
  /** Monday of the week in which the payments were opened. */
  readonly week: IsoDate;
  readonly currency: string;
  /** Payments that were collected, including those that came back later. */
  readonly collected: number;
  readonly returned: number;
  /**
   * How many came back in the week of the payment, in the next one, and so on; the last number includes all later
   * weeks.
   */
  readonly returned_by_age: readonly number[];
}

/** The weeks up to the current one, oldest first, without those in which nothing was collected. */
export async function returnsTriangle(
  db: Reader,
  tenant: number,
  today: IsoDate,
  weeks: number,
): Promise<readonly ReturnsOfWeek[]> {
  const days = { from: addDays(mondayOf(today), -7 * (weeks - 1)), to: today };
  const rows = await figures(db, tenant, days, { period: "week", group: "age" });
  return [...Map.groupBy(rows, ({ start, currency }) => `${start} ${currency}`).values()]
    .map(ofWeek)
    .filter(({ collected }) => collected > 0)
    .toSorted((a, b) => order(a).localeCompare(order(b)));
}

/** @param rows of one week and currency, by age. */
function ofWeek(rows: readonly FigureRow[]): ReturnsOfWeek {
  const { start: week = "", currency = "" } = rows[0] ?? {};
  const returned = rows.reduce((sum, row) => sum + row.returned, 0);
  const ofAge = (age: number): number =>
    rows.reduce((sum, row) => (row.group_id === String(age) ? sum + row.returned : sum), 0);
  return {
    week,
    currency,
    collected: rows.reduce((sum, row) => sum + row.collected, returned),
    returned,
    returned_by_age: Array.from({ length: AGE_WEEKS + 1 }, (_, age) => ofAge(age)),
  };
}

function order({ week, currency }: ReturnsOfWeek): string {
  return `${week} ${currency}`;
}

function mondayOf(day: IsoDate): IsoDate {
  // Of a date without a time: 0 is Sunday.
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return addDays(day, -((weekday + 6) % 7));
}
