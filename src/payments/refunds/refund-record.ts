/** A refund as the management API shows it: its transaction record, plus the fields of refunds. Pure. */
import { transactionRecord } from "../records.ts";
import { recordOf, shownStatus } from "../transaction.ts";
import type { RefundRow } from "./store.ts";

export function refundRecord(row: RefundRow): object {
  return {
    ...transactionRecord(recordOf(row, shownStatus(row.status), row.updated_at)),
    original_transaction_id: row.original_id,
    reason: row.reason,
    way: row.refund_way ?? "transfer",
    held_until: heldUntil(row),
    notice: row.error_code === null ? row.gateway_message : null,
    error_details: row.error_code === null ? null : errorDetails(row),
  };
}

/** When it will be sent; null when it is no longer held. */
export function heldUntil({
  status,
  held_until,
  released_at,
}: Pick<RefundRow, "status" | "held_until" | "released_at">): Date | null {
  return status === "submitted" && released_at === null ? held_until : null;
}

function errorDetails({ error_code, error_message, gateway_code, gateway_message }: RefundRow): object {
  return { code: error_code, message: error_message, gateway_code, gateway_message };
}
