/** How long before a debit its customer has to know of it. Pure. */

/** The scheme's days where creditor and debtor have agreed on nothing else (SDD rulebook, pre-notification). */
export const SCHEME_DAYS = 14;

/** The version of a mandate that was accepted on the merchant's own form, whose words are not known here. */
const MERCHANT_FORM = "merchant";

/**
 * Fewer days than the scheme's hold only where the accepted text names them, as that of the payment page does.
 * @param agreed with the mandate; null where nothing was. @param textVersion of the text that was accepted.
 */
export function noticeDays(agreed: number | null, textVersion: string | null): number {
  if (agreed === null) return SCHEME_DAYS;
  return textVersion === MERCHANT_FORM ? Math.max(agreed, SCHEME_DAYS) : agreed;
}
