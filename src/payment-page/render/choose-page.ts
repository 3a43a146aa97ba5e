/** Chooses the page of a session, by the state of its payment. Pure. */
import type { DeclineCode } from "../../sepa/reasons.ts";
import { endedByTime } from "../../sessions/session.ts";
import type { PageRow } from "../store.ts";

/** A declined attempt, shown on the form. */
export interface Declined {
  readonly reason: DeclineCode;
  readonly attemptsLeft: number;
}

export type Receipt = "paid" | "submitted" | "signed" | "refunded" | "returned";
type Ended = "failed" | "cancelled" | "expired" | "closed" | "linkUsed";

export type View =
  | { readonly kind: "form"; readonly declined: Declined | null }
  /** The gateway is processing the payment, which takes seconds. */
  | { readonly kind: "processing" }
  /** Whether money moved is unknown; this is never shown as an error (contract: Unknown outcomes). */
  | { readonly kind: "unclear" }
  /** Other customers hold the last uses of the payment link. */
  | { readonly kind: "link_in_use" }
  | { readonly kind: "verification"; readonly url: string; readonly ours: boolean }
  | { readonly kind: "receipt"; readonly receipt: Receipt }
  | { readonly kind: "ended"; readonly why: Ended; readonly reason: DeclineCode | null };

export function viewOf(row: PageRow, now: Date): View {
  if (endedByTime(row, now)) return { kind: "ended", why: "expired", reason: null };
  switch (row.status) {
    case "PENDING":
      return row.open_transaction_id === null ? idle(row) : underWay(row);
    case "AWAITING_VERIFICATION":
      return row.transaction_status === "awaiting_verification" ? verification(row) : underWay(row);
    case "COMPLETED":
      return { kind: "receipt", receipt: receiptOf(row) };
    case "EXPIRED":
      return row.attempts_used >= row.attempts_max
        ? { kind: "ended", why: "failed", reason: row.error_code }
        : { kind: "ended", why: "cancelled", reason: null };
  }
}

function idle(row: PageRow): View {
  if (row.link_state === "used") return { kind: "ended", why: "linkUsed", reason: null };
  const collectsNothing = !row.test_mode && row.creditor.identifier === null;
  if (row.link_state === "closed" || collectsNothing) return { kind: "ended", why: "closed", reason: null };
  return row.link_state === "in_use" ? { kind: "link_in_use" } : form(row);
}

function form(row: PageRow): View {
  if (row.transaction_status !== "declined") return { kind: "form", declined: null };
  const attemptsLeft = row.attempts_max - row.attempts_used;
  return { kind: "form", declined: { reason: row.error_code ?? "unknown", attemptsLeft } };
}

function underWay(row: PageRow): View {
  return { kind: row.transaction_status === "unresolved" ? "unclear" : "processing" };
}

/** A verification started by the merchant's own form is finished by the merchant. */
function verification(row: PageRow): View {
  return { kind: "verification", url: webAddress(row.verification_url), ours: row.source === "hosted_page" };
}

function receiptOf(row: PageRow): Receipt {
  if (row.order_status === "REFUNDED") return "refunded";
  if (row.order_status === "CHARGEDBACK" || row.order_status === "FAILED") return "returned";
  if (row.transaction_status === "pending") return "submitted";
  return row.transaction_amount === "0.00" ? "signed" : "paid";
}

/** The address as a link target; `#` if it is not a web address. */
function webAddress(url: string | null): string {
  return url !== null && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) ? url : "#";
}
