/** Rejects what a bank would reject, before a file is written. */
import { BIC } from "../bic.ts";
import { checkIban } from "../iban.ts";
import { isTargetDay } from "../target.ts";
import type { IsoDate } from "../../lib/dates.ts";
import { cents, type Cents } from "../../lib/money.ts";
import { checkCreditorIdentifier } from "../creditor-identifier.ts";
import { faultOfMandateReference, referenceKey } from "../mandate-reference.ts";
import { faultOfReference } from "../references.ts";
import { NAME_CHARS_MAX } from "./lengths.ts";
import { hasLetter, toSepaText } from "./text.ts";

export type FileFault =
  | "address"
  | "amendment"
  | "amount"
  | "bic"
  | "creditor_identifier"
  | "due_date"
  | "duplicate"
  | "empty"
  | "iban"
  | "name"
  | "reference"
  | "signature_date"
  | "sum"
  | "version";

/** The file cannot be written. The message names the place and never an IBAN. */
export class SepaFileRefused extends Error {
  readonly fault: FileFault;
  /** The end-to-end id, block id or message id of the fault, so that a caller can continue without that payment. */
  readonly place: string;

  constructor(fault: FileFault, place: string, message: string) {
    super(`${place}: ${message}`);
    this.name = "SepaFileRefused";
    this.fault = fault;
    this.place = place;
  }
}

/** The schemes' limits: 0.01 and 999,999,999.99 euros. */
const AMOUNT_MAX_CENTS = 99_999_999_999;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

export function checkAmount(amount: Cents, place: string): void {
  if (!Number.isSafeInteger(amount) || amount < 1 || amount > AMOUNT_MAX_CENTS) {
    throw new SepaFileRefused("amount", place, "the amount is not between 0.01 and 999999999.99");
  }
}

/**
 * Sums amounts that were checked.
 * @returns the sum.
 */
export function sumOf(amounts: Iterable<Cents>, place: string): Cents {
  let sum = 0;
  for (const amount of amounts) sum += amount;
  if (!Number.isSafeInteger(sum)) throw new SepaFileRefused("sum", place, "the sum is too large");
  return cents(sum);
}

export function checkReference(reference: string, what: string, place: string): void {
  const fault = faultOfReference(reference);
  if (fault !== null)
    throw new SepaFileRefused("reference", place, `the ${what} cannot be written (${fault})`);
}

export function checkMandateReference(reference: string, place: string): void {
  const fault = faultOfMandateReference(reference);
  if (fault !== null) {
    throw new SepaFileRefused("reference", place, `the mandate reference cannot be written (${fault})`);
  }
}

export function checkName(name: string, what: string, place: string): void {
  if (!hasLetter(toSepaText(name, NAME_CHARS_MAX))) {
    throw new SepaFileRefused("name", place, `the ${what}'s name has no letter of the SEPA character set`);
  }
}

export function checkAccount(iban: string, bic: string | null, what: string, place: string): void {
  const checked = checkIban(iban);
  if (!checked.valid || checked.iban !== iban) {
    const fault = checked.valid ? "not in its written form" : checked.reason;
    throw new SepaFileRefused("iban", place, `the ${what}'s IBAN cannot be written (${fault})`);
  }
  if (bic !== null && !BIC.test(bic)) throw new SepaFileRefused("bic", place, `the ${what}'s BIC is invalid`);
}

export function checkIdentifier(identifier: string, place: string): void {
  const checked = checkCreditorIdentifier(identifier);
  if (checked.valid && checked.identifier === identifier) return;
  const fault = checked.valid ? "not in its written form" : checked.reason;
  throw new SepaFileRefused("creditor_identifier", place, `the creditor identifier is invalid (${fault})`);
}

export function checkSettlementDay(date: IsoDate, what: string, place: string): void {
  if (!isDate(date) || !isTargetDay(date)) {
    throw new SepaFileRefused("due_date", place, `the ${what} ${date} is not a TARGET business day`);
  }
}

/**
 * Checks a signature date.
 * @param today the day on which the file is written, in UTC like all stored dates.
 */
export function checkSignatureDate(signedOn: IsoDate, today: IsoDate, place: string): void {
  if (!isDate(signedOn) || signedOn > today) {
    throw new SepaFileRefused(
      "signature_date",
      place,
      `the mandate is signed on ${signedOn}, after ${today}`,
    );
  }
}

/** Refuses a second reference that a bank would treat as the same. */
export class UniqueReferences {
  readonly #seen = new Set<string>();

  add(reference: string, what: string, place: string): void {
    const key = referenceKey(reference);
    if (this.#seen.has(key)) throw new SepaFileRefused("duplicate", place, `the ${what} occurs twice`);
    this.#seen.add(key);
  }
}

function isDate(text: string): boolean {
  if (!DATE.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().slice(0, 10) === text;
}
