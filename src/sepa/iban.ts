/**
 * Validates an IBAN as people type it and reports why it is invalid. Pure. The payment page's script has `normaliseIban`
 * alone: values computed when this module loads are marked as pure, so that the bundler leaves them out.
 */
import { countrySpecs, validateIBAN, ValidationErrorsIBAN } from "ibantools";

/** Faults of an IBAN, in the order in which they are checked; the first is reported. */
export type IbanFault =
  | "empty"
  | "characters"
  | "country"
  | "length"
  | "structure"
  | "checksum"
  | "national_checksum";

export interface ValidIban {
  readonly valid: true;
  /** Upper case, without spaces. */
  readonly iban: string;
  /** The first two letters. */
  readonly country: string;
  readonly last4: string;
  /** The national bank code inside the IBAN, where the country has one. */
  readonly bankCode: string | null;
  /** Whether the account can be debited through SEPA (contract: IBAN validation). */
  readonly sepa: boolean;
}

interface InvalidIban {
  readonly valid: false;
  readonly reason: IbanFault;
  /** A sentence for the customer. It never repeats the IBAN. */
  readonly message: string;
}

export type CheckedIban = ValidIban | InvalidIban;

const LETTERS_AND_DIGITS = /^[A-Z0-9]+$/;
const CHECK_DIGITS = /^[0-9]{2}$/;

/** Checks an IBAN as typed: characters, country, length, structure, mod 97, national check digits (contract: IBAN validation). */
export function checkIban(text: string): CheckedIban {
  const iban = normaliseIban(text);
  return faultOf(iban) ?? valid(iban);
}

/**
 * Separators that are ignored: blanks (White_Space), dashes and the minus, full stops and middle dots, and invisible
 * characters: zero-width ones, soft hyphens, marks of direction, the byte order mark.
 *
 * The bullet is missing on purpose: it masks characters (`DE•• 3000`).
 */
const SEPARATORS =
  /[\p{White_Space}\p{Dash_Punctuation}\u2212.\u00b7\u2024\uff0e\p{Default_Ignorable_Code_Point}\p{Cf}]+/gu;
/** The label before an IBAN on invoices; no country has the code IB. While typing, its colon may arrive alone. */
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

function faultOf(iban: string): InvalidIban | null {
  if (iban === "") return invalid("empty", "The IBAN is empty.");
  if (!LETTERS_AND_DIGITS.test(iban)) {
    return invalid("characters", "The IBAN may contain only the letters A to Z and the digits 0 to 9.");
  }
  const country = iban.slice(0, 2);
  const spec = specOf(country);
  if (spec === null) return unknownCountry(country);
  if (iban.length !== spec.chars) return wrongLength(country, spec.chars, iban.length);
  if (!CHECK_DIGITS.test(iban.slice(2, 4)) || !spec.bban.test(iban.slice(4))) return wrongStructure(country);
  return wrongCheckDigits(iban, country);
}

interface Spec {
  /** Length of the whole IBAN. */
  readonly chars: number;
  /** Structure of what follows the check digits. */
  readonly bban: RegExp;
}

function specOf(country: string): Spec | null {
  if (!Object.hasOwn(countrySpecs, country)) return null;
  const { chars, bban_regexp } = countrySpecs[country] ?? {};
  return chars === undefined || bban_regexp === undefined ? null : { chars, bban: new RegExp(bban_regexp) };
}

function unknownCountry(country: string): InvalidIban {
  const letters = /^[A-Z]{2}$/.test(country);
  const message = letters
    ? `The IBAN begins with ${country}, which is not a country that uses IBANs.`
    : "The IBAN must begin with the two letters of its country.";
  return invalid("country", message);
}

const IBAN_CHARS_MAX = 34;

function wrongLength(country: string, expected: number, actual: number): InvalidIban {
  if (actual > IBAN_CHARS_MAX) {
    return invalid("length", `The IBAN is too long: no country uses more than ${IBAN_CHARS_MAX} characters.`);
  }
  const fault = actual < expected ? "short" : "long";
  const message = `The IBAN is too ${fault}: ${nameOf(country)} uses ${expected} characters, this has ${actual}.`;
  return invalid("length", message);
}

function wrongStructure(country: string): InvalidIban {
  const message = `The IBAN has a letter where ${nameOf(country)} uses a digit, or a digit where it uses a letter.`;
  return invalid("structure", message);
}

function wrongCheckDigits(iban: string, country: string): InvalidIban | null {
  const { errorCodes } = validateIBAN(iban);
  if (errorCodes.includes(ValidationErrorsIBAN.WrongIBANChecksum)) {
    return invalid("checksum", "The check digits of the IBAN do not match. Please look for a typing error.");
  }
  const refused = errorCodes.includes(ValidationErrorsIBAN.WrongAccountBankBranchChecksum);
  if (holdsNationally(country, iban.slice(4), refused)) return null;
  const message = `The national check digits inside the IBAN do not match the rule of ${nameOf(country)}.`;
  return invalid("national_checksum", message);
}

function invalid(reason: IbanFault, message: string): InvalidIban {
  return { valid: false, reason, message };
}

/**
 * Countries whose banks all follow the national rule that ibantools knows (contract: IBAN validation).
 *
 * Listed here, so that a new rule in ibantools takes effect only after review. DE, NL and FI are missing on
 * purpose: not every bank there gives its account numbers check digits.
 */
const CHECKED_BY_IBANTOOLS: ReadonlySet<string> = new Set([
  "BA",
  "BE",
  "CZ",
  "EE",
  "ES",
  "FR",
  "HR",
  "HU",
  "MC",
  "ME",
  "MK",
  "NO",
  "PL",
  "PT",
  "RS",
  "SI",
  "SK",
]);

/**
 * Accounts that the national rule does not cover: Norway's clearing accounts ("00" after the bank), the central banks
 * of Serbia and Slovenia; and letters in Macedonia, which ibantools cannot calculate with.
 */
const EXEMPT: Readonly<Record<string, RegExp>> = { MK: /[A-Z]/, NO: /^[0-9]{4}00/, RS: /^908/, SI: /^01/ };

function holdsNationally(country: string, bban: string, refusedByIbantools: boolean): boolean {
  if (country === "IT" || country === "SM") return bban.startsWith(italianCheckLetter(bban.slice(1)));
  if (!refusedByIbantools || !CHECKED_BY_IBANTOOLS.has(country)) return true;
  return EXEMPT[country]?.test(bban) ?? false;
}

/**
 * The value of a digit or letter (A like 0, B like 1 …) in an odd position of the Italian rule; in an even position it
 * is its own.
 */
const ITALIAN_ODD_VALUES = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
];

/** The CIN of Italy and San Marino over bank, branch and account (ECBS TR 201). */
function italianCheckLetter(checked: string): string {
  let sum = 0;
  for (let place = 0; place < checked.length; place += 1) {
    const code = checked.charCodeAt(place);
    const value = code >= LETTER_A ? code - LETTER_A : code - DIGIT_0;
    sum += place % 2 === 0 ? (ITALIAN_ODD_VALUES[value] ?? 0) : value;
  }
  return String.fromCharCode(LETTER_A + (sum % 26));
}

const LETTER_A = 65;
const DIGIT_0 = 48;

function valid(iban: string): ValidIban {
  const country = iban.slice(0, 2);
  const place = bankCodePlace(country);
  return {
    valid: true,
    iban,
    country,
    last4: iban.slice(-4),
    bankCode: place === null ? null : iban.slice(4).slice(place.start, place.end),
    sepa: REACHED.has(country),
  };
}

/**
 * First and last position of the bank code after the check digits where ibantools has none, and for Slovenia, where it
 * has only the first two of five (SWIFT IBAN registry).
 */
const BANK_CODES: Readonly<Record<string, string>> = {
  PL: "0-7",
  SI: "0-4",
  SK: "0-3",
  SM: "1-5",
  VA: "0-2",
};

function bankCodePlace(country: string): { readonly start: number; readonly end: number } | null {
  if (specOf(country) === null) return null;
  const places = BANK_CODES[country] ?? countrySpecs[country]?.bank_identifier;
  const [first, last] = places?.split("-").map(Number) ?? [];
  return first === undefined || last === undefined ? null : { start: first, end: last + 1 };
}

/** An IBAN masked except for its last four characters, from its country and these four. */
export function maskedIban(country: string, last4: string): string {
  return last4.padStart(specOf(country)?.chars ?? last4.length, "*");
}

/** The length of this country's IBANs; null if it has none. */
export function ibanLength(country: string): number | null {
  return specOf(country)?.chars ?? null;
}

/** The length of the bank code in this country's IBANs; null if they have none. */
export function bankCodeLength(country: string): number | null {
  const place = bankCodePlace(country);
  return place === null ? null : place.end - place.start;
}

const countryNames = /* @__PURE__ */ new Intl.DisplayNames(["en"], { type: "region" });

function nameOf(country: string): string {
  return countryNames.of(country) ?? country;
}

const EUROPEAN_UNION = "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK";
const EUROPEAN_ECONOMIC_AREA = "IS LI NO";
/** In the order in which they joined. */
const OTHERS = "CH MC SM GB AD VA AL ME MD MK RS";

/**
 * IBAN prefixes of territories that belong to SEPA through a country above and yet have a code of their own.
 *
 * The other territories need no line, because their banks issue IBANs of the mother country: FR for Guadeloupe,
 * Martinique, French Guiana, Réunion, Mayotte, Saint Barthélemy, Saint Martin and Saint Pierre and Miquelon; GB for
 * Guernsey, Jersey and the Isle of Man; FI for Åland; ES for the Canary Islands, Ceuta and Melilla; PT for the Azores
 * and Madeira. Greenland (GL) and the Faroe Islands (FO) have codes of their own and are outside SEPA.
 */
const TERRITORIES = "GI";

/**
 * The first two letters of every IBAN that can be debited through SEPA: of the 41 countries of the schemes (as of 2026;
 * contract: IBAN validation), and of the territories.
 */
export const SEPA_IBAN_CODES = /* @__PURE__ */ codesOf(
  EUROPEAN_UNION,
  EUROPEAN_ECONOMIC_AREA,
  OTHERS,
  TERRITORIES,
);

function codesOf(...places: readonly string[]): readonly string[] {
  return places.flatMap((codes) => codes.split(" "));
}

const REACHED: ReadonlySet<string> = /* @__PURE__ */ new Set(SEPA_IBAN_CODES);

/** The example IBANs of the SWIFT registry, one for each SEPA country; they belong to no account. */
const EXAMPLES: ReadonlySet<string> = new Set([
  "AD1200012030200359100100",
  "AL47212110090000000235698741",
  "AT611904300234573201",
  "BA391290079401028494",
  "BE68539007547034",
  "BG80BNBG96611020345678",
  "CH9300762011623852957",
  "CY17002001280000001200527600",
  "CZ6508000000192000145399",
  "DE89370400440532013000",
  "DK5000400440116243",
  "EE382200221020145685",
  "ES9121000418450200051332",
  "FI2112345600000785",
  "FR1420041010050500013M02606",
  "GB29NWBK60161331926819",
  "GI75NWBK000000007099453",
  "GR1601101250000000012300695",
  "HR1210010051863000160",
  "HU42117730161111101800000000",
  "IE29AIBK93115212345678",
  "IS140159260076545510730339",
  "IT60X0542811101000000123456",
  "LI21088100002324013AA",
  "LT121000011101001000",
  "LU280019400644750000",
  "LV80BANK0000435195001",
  "MC5811222000010123456789030",
  "MD24AG000225100013104168",
  "ME25505000012345678951",
  "MK07250120000058984",
  "MT84MALT011000012345MTLCAST001S",
  "NL91ABNA0417164300",
  "NO9386011117947",
  "PL61109010140000071219812874",
  "PT50000201231234567890154",
  "RO49AAAA1B31007593840000",
  "RS35260005601001611379",
  "SE4550000000058398257466",
  "SI56263300012039086",
  "SK3112000000198742637541",
  "SM86U0322509800000000270100",
  "VA59001123000012345678",
]);

/** The message for one where real money would move. */
export const DOCUMENTATION_IBAN = "This IBAN is an example from documentation, not a real account.";

/**
 * Whether an IBAN is an example from documentation, which a live account must never debit.
 * @param iban without blanks.
 */
export function isDocumentationIban(iban: string): boolean {
  return EXAMPLES.has(iban);
}
