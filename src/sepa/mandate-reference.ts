/** Mandate references (UMR): their format, and when two count as the same. Pure. */
import {
  faultOfReference,
  REFERENCE_CHARACTERS,
  REFERENCE_CHARS_MAX,
  type ReferenceFault,
} from "./references.ts";

/** The format of accepted references: the scheme's characters without spaces, no slash at either end, no two in a row. */
export const MANDATE_REFERENCE = `^(?!/)(?!.*//)(?!.*/$)${REFERENCE_CHARACTERS}{1,${REFERENCE_CHARS_MAX}}$`;

/** The end of the error message "must have …". */
export const MANDATE_REFERENCE_WORDS = `1 to ${REFERENCE_CHARS_MAX} of the characters A-Z a-z 0-9 + ? / - : ( ) . , ' with no / at an end and no two in a row`;

/** References of mandates signed elsewhere may contain spaces; the service issues none that do. */
const WRITTEN = new RegExp(`^${REFERENCE_CHARACTERS}+(?: +${REFERENCE_CHARACTERS}+)*$`);

/** Why a reference cannot be written into a bank file; null if it can. */
export function faultOfMandateReference(text: string): ReferenceFault | null {
  return faultOfReference(text, WRITTEN);
}

/** References are compared without spaces. */
export function withoutSpaces(reference: string): string {
  return reference.replaceAll(" ", "");
}

/** Banks treat references with the same key as one, regardless of case and spaces (SDD rulebook). */
export function referenceKey(reference: string): string {
  return withoutSpaces(reference).toUpperCase();
}
