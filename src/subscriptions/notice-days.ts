/** How long before a debit its customer has to be notified. Pure. */

/**
 * The scheme's notice period, unless creditor and debtor have agreed on another one (SDD rulebook, pre-notification).
 */
export const SCHEME_DAYS = 14;

/** The text version of a mandate accepted on the merchant's own form, whose text is unknown here. */
const MERCHANT_FORM = "merchant";

/**
 * Shorter periods than the scheme's apply only if the accepted text states them, as that of the payment page does.
 * @param agreed in the mandate; null if nothing was.
 * @param textVersion of the accepted text.
 */
export function noticeDays(agreed: number | null, textVersion: string | null): number {
  if (agreed === null) return SCHEME_DAYS;
  return textVersion === MERCHANT_FORM ? Math.max(agreed, SCHEME_DAYS) : agreed;
}
