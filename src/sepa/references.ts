/** The rules of references in bank files: message, block, payment and mandate references. Pure. */

export type ReferenceFault = "empty" | "length" | "characters" | "slash";

/** Of every reference of the SEPA schemes. */
export const REFERENCE_CHARS_MAX = 35;

/** The characters of every reference, as a class of a regular expression. */
export const REFERENCE_CHARACTERS = "[A-Za-z0-9+?/:().,'-]";

const FORM = new RegExp(`^${REFERENCE_CHARACTERS}+$`);

/** What is wrong with the id of a message, a block or a payment; null when nothing is. */
export function faultOfReference(text: string, form = FORM): ReferenceFault | null {
  if (text === "") return "empty";
  if (text.length > REFERENCE_CHARS_MAX) return "length";
  if (!form.test(text)) return "characters";
  // Banks between ours and the debtor's use slashes as marks of their own.
  if (text.startsWith("/") || text.endsWith("/") || text.includes("//")) return "slash";
  return null;
}
