/** Why a transaction cannot be refunded, in words for the caller (contract: Refunds). Pure. */
import { cents, centsFromDatabase, formatAmount, type Cents } from "../../lib/money.ts";
import { FieldErrors, Refusal } from "../../refusals.ts";
import { shownStatus } from "../transaction.ts";
import type { RefundableRow } from "./store.ts";

/**
 * Why a transaction cannot be refunded.
 * @param able whether its gateway can refund at all.
 * @param amount the requested amount; null for the remaining one.
 */
export function whyNotRefundable(
  row: RefundableRow | null,
  able: boolean,
  amount: Cents | null,
): Refusal | FieldErrors {
  if (row === null) return new Refusal("not_found");
  if (row.type === "sdd_refund") return notRefundable("This transaction is a refund.");
  if (!able) return new Refusal("refunds_not_supported");
  if (row.is_erased) return notRefundable("The customer was erased, so the account is no longer known.");
  if (row.status === "charged_back" || row.has_chargeback) return new Refusal("transaction_charged_back");
  if (row.status === "refunded") return notRefundable("This transaction is refunded in full.");
  if (row.status !== "approved")
    return notRefundable(
      `Only an approved transaction can be refunded; this one is ${shownStatus(row.status)}.`,
    );
  return whyNotThatMuch(row, amount);
}

function whyNotThatMuch(row: RefundableRow, amount: Cents | null): Refusal | FieldErrors {
  const collected = centsFromDatabase(row.amount);
  const left = cents(collected - centsFromDatabase(row.refund_claimed));
  if (collected === 0) return notRefundable("This transaction collected nothing.");
  if (left === 0) return notRefundable("The whole amount is refunded or being refunded.");
  if (amount !== null && amount > left)
    return new FieldErrors({
      amount: [`At most ${formatAmount(left)} ${row.currency} can still be refunded.`],
    });
  // Between the two statements another refund was declined, or the payment settled.
  return new Refusal("not_refundable", {
    detail: "This transaction has just changed. Try again.",
    retryAfter: 1,
  });
}

function notRefundable(detail: string): Refusal {
  return new Refusal("not_refundable", { detail });
}
