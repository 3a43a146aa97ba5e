/** References of mandates (UMR): what one may look like, and when two are the same. Pure. */
import {
  faultOfReference,
  REFERENCE_CHARACTERS,
  REFERENCE_CHARS_MAX,
  type ReferenceFault,
} from "./references.ts";

/** What is taken as a reference: the scheme's characters without spaces, no slash at an end, no two of them in a row. */
export const MANDATE_REFERENCE = `^(?!/)(?!.*//)(?!.*/$)${REFERENCE_CHARACTERS}{1,${REFERENCE_CHARS_MAX}}$`;

/** What callers read that a reference has to have. */
export const MANDATE_REFERENCE_WORDS = `1 to ${REFERENCE_CHARS_MAX} of the characters A-Z a-z 0-9 + ? / - : ( ) . , ' with no / at an end and no two in a row`;

/** Mandates that were signed elsewhere may have spaces inside; none is given out with them. */
const WRITTEN = new RegExp(`^${REFERENCE_CHARACTERS}+(?: +${REFERENCE_CHARACTERS}+)*$`);

/** What keeps a reference out of a bank file; null when nothing does. */
export function faultOfMandateReference(text: string): ReferenceFault | null {
  return faultOfReference(text, WRITTEN);
}

/** As references are compared: a space in one is a slip of the pen. */
export function withoutSpaces(reference: string): string {
  return reference.replaceAll(" ", "");
}

/** Two references with the same key are one to a bank, whatever their case and spaces (SDD rulebook). */
export function referenceKey(reference: string): string {
  return withoutSpaces(reference).toUpperCase();
}
