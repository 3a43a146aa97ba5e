/** What a person can do about returned money, by the bank's reason. Pure. */
import { endsMandate, reasonOf } from "../../sepa/reasons.ts";

/** Keys of the texts `advice` in texts/. */
export type Advice = "funds" | "account" | "mandate" | "refund" | "refused" | "technical" | "unknown";

/** @param type of the report, if a bank's statement gives it: a refund without authorisation requires the mandate. */
export function adviceFor(code: string | null, type: string | null): Advice {
  if (type === "unauthorised_refund" || code === "MD01" || code === "MD02") return "mandate";
  if (type === "refund" || code === "MD06") return "refund";
  if (code === null) return "unknown";
  if (endsMandate(code)) return "account";
  const reason = reasonOf(code);
  if (reason.retry === "when_funded") return "funds";
  if (reason.code === "invalid_iban") return "account";
  if (reason.code === "gateway_unavailable") return "technical";
  return reason.code === "do_not_honor" ? "refused" : "unknown";
}
