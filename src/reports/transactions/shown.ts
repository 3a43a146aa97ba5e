/** A transaction as the API shows it. Pure. */
import { timesAsText } from "../../http/times-as-text.ts";
import { shownStatus } from "../../payments/transaction.ts";
import type { ListedTransaction } from "./store.ts";

export function shownTransaction(row: ListedTransaction): object {
  return timesAsText({ ...row, status: shownStatus(row.status) });
}
