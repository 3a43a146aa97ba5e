/** Checks a SEPA creditor identifier (AT-02), which identifies the creditor across its bank accounts. Pure. */

type CreditorIdentifierFault = "empty" | "format" | "check_digits";

interface ValidCreditorIdentifier {
  readonly valid: true;
  /** In upper case and without spaces, as files have it. */
  readonly identifier: string;
  readonly country: string;
  /** Three characters that the creditor chooses freely, `ZZZ` if unused. They are not part of the identity. */
  readonly businessCode: string;
  /** The identifier without its business code: the key for "unique per creditor". */
  readonly identity: string;
  /** False if identifiers of the country normally have another length: a warning, not an error. */
  readonly usualLength: boolean;
}

interface InvalidCreditorIdentifier {
  readonly valid: false;
  readonly reason: CreditorIdentifierFault;
}

type CheckedCreditorIdentifier = ValidCreditorIdentifier | InvalidCreditorIdentifier;

/** Country, check digits, business code, national part: 35 characters in all. Tested before upper-casing, which would turn ı into I. */
const FORMAT = /^([a-z]{2})([0-9]{2})([a-z0-9]{3})([a-z0-9+?/:().,'-]{1,28})$/i;
const WHITE_SPACE = /[\t\n\r \u00a0]+/g;

/** Lengths from the EPC's list of identifiers; countries where the length varies are left out. */
const USUAL_LENGTHS: Readonly<Record<string, readonly number[]>> = {
  AT: [18],
  BE: [17, 20],
  CH: [18],
  DE: [18],
  ES: [16],
  FI: [15],
  FR: [13],
  IE: [13],
  IT: [23],
  LU: [26],
  NL: [19],
  PT: [13],
  SE: [17],
};

/** Reads an identifier as people type it: any case, with spaces. */
export function checkCreditorIdentifier(text: string): CheckedCreditorIdentifier {
  const compact = text.replace(WHITE_SPACE, "");
  if (compact === "") return { valid: false, reason: "empty" };
  const match = FORMAT.exec(compact);
  if (match === null) return { valid: false, reason: "format" };
  const identifier = compact.toUpperCase();
  const country = identifier.slice(0, 2);
  const identity = identifier.slice(0, 4) + identifier.slice(7);
  if (!checkDigitsHold(identity)) return { valid: false, reason: "check_digits" };
  const usualLength = USUAL_LENGTHS[country]?.includes(identifier.length) ?? true;
  return { valid: true, identifier, country, businessCode: identifier.slice(4, 7), identity, usualLength };
}

/** The end of the error message "Must be …" or "is not …". */
export const CREDITOR_IDENTIFIER =
  "a SEPA creditor identifier with correct check digits, such as DE98ZZZ09999999999";

/** In upper case and without spaces, as files have it. An invalid text is returned unchanged, for the check to refuse. */
export function writtenCreditorIdentifier(text: string): string {
  const checked = checkCreditorIdentifier(text);
  return checked.valid ? checked.identifier : text;
}

/** ISO 7064 mod 97-10 over national part, country and check digits, in this order; only letters and digits count. */
function checkDigitsHold(identity: string): boolean {
  const turned = (identity.slice(4) + identity.slice(0, 4)).replace(/[^A-Z0-9]/g, "");
  let remainder = 0;
  for (const character of turned) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value < 10 ? 10 : 100) + value) % 97;
  }
  return remainder === 1;
}
