/** The characters of an IBAN in a text as people type or paste it. Pure, and small: the payment page's script has it too. */

/**
 * What may stand between the characters: blanks (White_Space), dashes and the minus, full stops and middle dots, and what
 * is not visible at all: zero-width and soft-hyphen characters, marks of direction, the byte order mark.
 *
 * The bullet is missing on purpose: it masks characters (`DE•• 3000`).
 */
const SEPARATORS =
  /[\p{White_Space}\p{Dash_Punctuation}\u2212.\u00b7\u2024\uff0e\p{Default_Ignorable_Code_Point}\p{Cf}]+/gu;
/** What stands before an IBAN on invoices; no country has the code IB. Its colon may come alone, a keystroke later. */
const LABEL = /^(?:iban)?[:\uff1a]?/i;
const ASCII = /^\p{ASCII}*$/u;

/**
 * The IBAN in upper case, without separators and without the word IBAN before it.
 *
 * A text with anything else outside ASCII keeps its case: upper-casing would turn ß into SS and ı into I, and make a
 * wrong text look right.
 */
export function normaliseIban(text: string): string {
  const joined = text.replace(SEPARATORS, "").replace(LABEL, "");
  return ASCII.test(joined) ? joined.toUpperCase() : joined;
}
