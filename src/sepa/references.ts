/** The rules of references in bank files: message, block, payment and mandate references. Pure. */

export type ReferenceFault = "empty" | "length" | "characters" | "slash";

/** The longest reference that the SEPA schemes allow. */
export const REFERENCE_CHARS_MAX = 35;

/** The characters of references, as a character class of a regular expression. */
export const REFERENCE_CHARACTERS = "[A-Za-z0-9+?/:().,'-]";

const FORM = new RegExp(`^${REFERENCE_CHARACTERS}+$`);

/** The fault of a message, block or payment id; null if it is valid. */
export function faultOfReference(text: string, form = FORM): ReferenceFault | null {
  if (text === "") return "empty";
  if (text.length > REFERENCE_CHARS_MAX) return "length";
  if (!form.test(text)) return "characters";
  // Intermediary banks use slashes as delimiters.
  if (text.startsWith("/") || text.endsWith("/") || text.includes("//")) return "slash";
  return null;
}
