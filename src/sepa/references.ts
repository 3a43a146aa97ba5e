/** The rules of references in bank files: message, block, payment and mandate references. Pure. */

export type ReferenceFault = "empty" | "length" | "characters" | "slash";

/** Every reference of the SEPA schemes. */
export const REFERENCE_CHARS_MAX = 35;

const CHARACTERS = /^[A-Za-z0-9+?/:().,'-]+$/;
/** Mandates that were signed elsewhere may have spaces inside; we never give out any. */
const CHARACTERS_OF_MANDATE = /^[A-Za-z0-9+?/:().,'-]+(?: +[A-Za-z0-9+?/:().,'-]+)*$/;

/** What is wrong with the id of a message, a block or a payment; null when nothing is. */
export function faultOfReference(text: string): ReferenceFault | null {
  return faultOf(text, CHARACTERS);
}

/** The same for a mandate reference (UMR). */
export function faultOfMandateReference(text: string): ReferenceFault | null {
  return faultOf(text, CHARACTERS_OF_MANDATE);
}

/** Two references with the same key are the same one to a bank, whatever their case and spaces. */
export function referenceKey(reference: string): string {
  return reference.replaceAll(" ", "").toUpperCase();
}

function faultOf(text: string, characters: RegExp): ReferenceFault | null {
  if (text === "") return "empty";
  if (text.length > REFERENCE_CHARS_MAX) return "length";
  if (!characters.test(text)) return "characters";
  // Banks between ours and the debtor's use slashes as marks of their own.
  if (text.startsWith("/") || text.endsWith("/") || text.includes("//")) return "slash";
  return null;
}
