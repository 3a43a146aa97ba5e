/** The values of an export's columns. Pure. */
import { shownStatus } from "../../payments/transaction.ts";
import { ManagedTransaction } from "./schemas.ts";
import type { ListedTransaction } from "./store.ts";

export type ExportColumn = keyof ListedTransaction | "signed_amount";

/** The columns of an export by default. */
export const ALL_FIELDS = Object.keys(ManagedTransaction.properties) as readonly ExportColumn[];

/** Amounts with two decimals: numbers to a spreadsheet. */
const MONEY: ReadonlySet<ExportColumn> = new Set([
  "amount",
  "signed_amount",
  "amount_refunded",
  "amount_refundable",
]);

export function isMoney(column: ExportColumn): boolean {
  return MONEY.has(column);
}

/**
 * A cell's value.
 * @returns metadata as JSON, and "" for no value.
 */
export function valueOf(row: ListedTransaction, column: ExportColumn): string | Date {
  if (column === "signed_amount") return `${row.type === "sdd_refund" ? "-" : ""}${row.amount}`;
  if (column === "status") return shownStatus(row.status);
  const value: unknown = row[column];
  if (value instanceof Date) return value;
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "");
}
