/** The figures of the home page: a period and the one before it, day by day. Pure. */
import { addDays, type IsoDate } from "../../lib/dates.ts";
import { cents, centsFromDatabase, formatAmount } from "../../lib/money.ts";
import type { ExpectedRow } from "../../reports/statistics/expected.ts";
import type { FigureRow } from "../../reports/statistics/store.ts";

/** The selectable periods, in days up to today. */
export const SPANS = [1, 7, 30, 90] as const;
export type Span = (typeof SPANS)[number];

export interface Sum {
  readonly count: number;
  /** With two decimals. */
  readonly amount: string;
}

const KINDS = ["collected", "pending", "declined", "returned", "refunds"] as const;
type Kind = (typeof KINDS)[number];
type Sums = Readonly<Record<Kind, Sum>>;

/** The days of a period up to today, and as many before. */
export function spanDays(today: IsoDate, span: Span): { readonly from: IsoDate; readonly before: IsoDate } {
  const from = addDays(today, 1 - span);
  return { from, before: addDays(from, -span) };
}

/** The currency with the most payments; null when there are none. */
export function mainCurrency(rows: readonly FigureRow[]): string | null {
  const counts = new Map<string, number>();
  for (const row of rows)
    counts.set(
      row.currency,
      (counts.get(row.currency) ?? 0) + KINDS.reduce((sum, kind) => sum + row[kind], 0),
    );
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}

/** The exact sums of the rows. */
export function sumsOf(rows: readonly FigureRow[]): Sums {
  return Object.fromEntries(
    KINDS.map((kind) => [
      kind,
      {
        count: rows.reduce((sum, row) => sum + row[kind], 0),
        amount: added(rows.map((row) => row[`${kind}_amount`])),
      },
    ]),
  ) as unknown as Sums;
}

/** The exact sum of amounts with two decimals. */
export function added(amounts: readonly string[]): string {
  return formatAmount(cents(amounts.reduce((sum, amount) => sum + centsFromDatabase(amount), 0)));
}

/** The share of decided payments that were not declined; null when none is decided. Pending ones do not count. */
export function successRate({ collected, declined, returned }: Sums): number | null {
  const answered = collected.count + declined.count + returned.count;
  return answered === 0 ? null : (answered - declined.count) / answered;
}

/** The number of collected payments, including those that came back. */
export function countOnceCollected({ collected, returned }: Sums): number {
  return collected.count + returned.count;
}

/** The share of collected payments that came back; null when none was collected. */
export function returnRate(sums: Sums): number | null {
  const all = countOnceCollected(sums);
  return all === 0 ? null : sums.returned.count / all;
}

const CSV_COLUMNS = ["day", "currency", ...KINDS.flatMap((kind) => [kind, `${kind}_amount` as const])];

const EXPECTED_KINDS = ["settlements", "renewals", "retries"] as const;

/** Expected amounts, one line per day and currency; no value can be taken for a formula by a spreadsheet. */
export function expectedCsv(rows: readonly ExpectedRow[]): string {
  const columns = EXPECTED_KINDS.flatMap((kind) => [kind, `${kind}_amount` as const]);
  const lines = rows.map((row) => [row.day, row.currency, ...columns.map((column) => row[column])].join(","));
  return [["day", "currency", ...columns].join(","), ...lines, ""].join("\r\n");
}

/** One line per day and currency; no value can be taken for a formula by a spreadsheet. */
export function figuresCsv(rows: readonly FigureRow[]): string {
  const lines = rows.map((row) =>
    [row.start, row.currency, ...KINDS.flatMap((kind) => [row[kind], row[`${kind}_amount`]])].join(","),
  );
  return [CSV_COLUMNS.join(","), ...lines, ""].join("\r\n");
}
