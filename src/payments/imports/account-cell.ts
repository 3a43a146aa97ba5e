/** Reads the account in a processor's file; only its last digits are stored. Pure. */
import type { Read } from "../../files/cells.ts";
import { checkIban } from "../../sepa/iban.ts";

/** The stored part of an account: enough to recognise it. */
interface AccountEnd {
  readonly last4: string;
  readonly length: number;
}

/** A complete IBAN must be valid; of one that the processor has masked, the last digits are read. */
export function readAccountCell(cell: string): Read<AccountEnd> {
  // Here full stops are a mask; in an IBAN they are separators.
  const text = cell.replace(/[\s-]/g, "").toUpperCase();
  if (/^[A-Z0-9]*[*•X.]{2,}[A-Z0-9]{4}$/.test(text) && text.length <= 34) {
    return { value: { last4: text.slice(-4), length: Math.max(text.length, 4) } };
  }
  const checked = checkIban(cell);
  return checked.valid
    ? { value: { last4: checked.last4, length: checked.iban.length } }
    : { reason: `is not an IBAN: ${checked.message}` };
}
