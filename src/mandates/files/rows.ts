/** Reads a row as a mandate, or reports why it is rejected. Pure. */
import { BIC } from "../../sepa/bic.ts";
import { checkIban, type ValidIban } from "../../sepa/iban.ts";
import { FORMATS } from "../../http/fields.ts";
import { checkCreditorIdentifier, CREDITOR_IDENTIFIER } from "../../sepa/creditor-identifier.ts";
import type { IsoDate } from "../../lib/dates.ts";
import { Cells, readTime, type DateFormat, type Read } from "../../files/cells.ts";
import { isMandateExpired } from "../../sepa/windows.ts";
import {
  MANDATE_REFERENCE,
  MANDATE_REFERENCE_WORDS,
  referenceKey,
  withoutSpaces,
} from "../../sepa/mandate-reference.ts";
import { ENDED_BY, isSameBank, LANGUAGE, UNUSED } from "../mandate.ts";

/** The mandate that a row describes. */
export interface MandateFileRow {
  readonly reference: string;
  readonly status: "active" | "cancelled" | "expired";
  readonly scheme: "CORE" | "B2B";
  readonly type: "recurrent" | "one_off";
  readonly signed_at: string;
  readonly last_used_at: string | null;
  readonly holder_name: string;
  readonly iban: ValidIban;
  readonly bic: string | null;
  readonly lead: {
    readonly email: string;
    readonly first_name: string;
    readonly last_name: string;
    readonly country: string;
    readonly address: string | null;
    readonly postal_code: string | null;
    readonly city: string | null;
  };
  readonly language: string | null;
  readonly pre_notification_days: number | null;
  /** Null: the tenant. */
  readonly creditor_name: string | null;
  readonly creditor_identifier: string | null;
  readonly cancelled_at: string | null;
  readonly cancelled_by: "debtor" | "creditor" | "bank" | null;
  readonly status_reason: string | null;
  /** The amendment that the bank does not know yet. */
  readonly original: {
    readonly reference: string | null;
    readonly creditor_identifier: string | null;
    readonly creditor_name: string | null;
    readonly iban: ValidIban | null;
    readonly same_bank: boolean | null;
  };
}

const SCHEME_WORDS = new Map([
  ["core", "CORE"],
  ["sepa_core", "CORE"],
  ["b2b", "B2B"],
  ["sepa_b2b", "B2B"],
] as const);
const TYPE_WORDS = new Map([
  ["recurrent", "recurrent"],
  ["recurring", "recurrent"],
  ["rcur", "recurrent"],
  ["frst", "recurrent"],
  ["one_off", "one_off"],
  ["oneoff", "one_off"],
  ["ooff", "one_off"],
] as const);
const STATUS_WORDS = new Map([
  ["active", "active"],
  ["valid", "active"],
  ["cancelled", "cancelled"],
  ["canceled", "cancelled"],
  ["revoked", "cancelled"],
  ["expired", "expired"],
] as const);
const ENDED_BY_WORDS = new Map(ENDED_BY.map((word) => [word, word] as const));
const TRUTH_WORDS = new Map([
  ["true", true],
  ["yes", true],
  ["1", true],
  ["false", false],
  ["no", false],
  ["0", false],
] as const);

/** @param today of the tenant: nothing was signed or used after it. */
export function readMandate(
  places: ReadonlyMap<string, number>,
  cells: readonly string[],
  dates: DateFormat | null,
  today: IsoDate,
): MandateFileRow | readonly string[] {
  const row = new Cells(places, cells);
  const iban = row.required("iban") === "" ? null : row.read("iban", readIban);
  const holder = row.required("holder_name");
  const signed = row.required("signed_on") === "" ? null : pastDay(row, "signed_on", dates, today);
  const used = pastDay(row, "last_used_on", dates, today);
  const status = word(row, "status", STATUS_WORDS) ?? "active";
  const expired = signed !== null && isMandateExpired(new Date(used ?? signed), today);
  const unused = status === "active" && expired;
  const record = {
    reference: row.required("reference") === "" ? "" : (row.read("reference", readReference) ?? ""),
    status: unused ? ("expired" as const) : status,
    scheme: word(row, "scheme", SCHEME_WORDS) ?? "CORE",
    type: word(row, "type", TYPE_WORDS) ?? "recurrent",
    signed_at: signed ?? "",
    last_used_at: used,
    holder_name: holder,
    bic: row.read("bic", readBic),
    lead: leadOf(row, holder, iban),
    language: row.read("language", matching(LANGUAGE, "is not a language tag such as de or pt-BR")),
    pre_notification_days: row.read("pre_notification_days", readDays),
    creditor_name: row.text("creditor_name"),
    creditor_identifier: row.read("creditor_identifier", readCreditorIdentifier),
    cancelled_at: pastDay(row, "cancelled_on", dates, today),
    cancelled_by: word(row, "cancelled_by", ENDED_BY_WORDS),
    status_reason: unused ? UNUSED : row.text("status_reason"),
    original: originalOf(row, iban),
  };
  if (
    record.original.reference !== null &&
    referenceKey(record.original.reference) === referenceKey(record.reference)
  ) {
    row.refuse("original_reference", "is the same as the reference");
  }
  if (iban === null || row.reasons.length > 0) return row.reasons;
  return { ...record, iban };
}

/** A customer without a name gets the account holder's. */
function leadOf(row: Cells, holder: string, iban: ValidIban | null): MandateFileRow["lead"] {
  const [first, last] = splitName(holder);
  const email = row.required("email");
  if (email !== "" && FORMATS["email"]?.(email) !== true) row.refuse("email", "is not an e-mail address");
  const country = row.text("country")?.toUpperCase() ?? iban?.country ?? "";
  if (country !== "" && FORMATS["country"]?.(country) !== true)
    row.refuse("country", "is not a country code such as DE");
  const postalCode = row.text("postal_code");
  if (postalCode !== null && postalCode.length > POSTAL_CODE_CHARS_MAX) {
    row.refuse("postal_code", `is longer than ${POSTAL_CODE_CHARS_MAX} characters`);
  }
  return {
    email,
    first_name: row.text("first_name") ?? first,
    last_name: row.text("last_name") ?? last,
    country,
    address: row.text("address"),
    postal_code: postalCode,
    city: row.text("city"),
  };
}

const POSTAL_CODE_CHARS_MAX = 20;

/** Divides a name: the last word is the last name; a single word is both. */
function splitName(name: string): readonly [first: string, last: string] {
  const words = name.split(/\s+/);
  const last = words.at(-1) ?? name;
  return [words.slice(0, -1).join(" ") || last, last];
}

function originalOf(row: Cells, iban: ValidIban | null): MandateFileRow["original"] {
  const was = row.read("original_iban", readIban);
  const said = word(row, "same_bank", TRUTH_WORDS);
  return {
    reference: row.read("original_reference", readReference),
    creditor_identifier: row.read("original_creditor_identifier", readCreditorIdentifier),
    creditor_name: row.text("original_creditor_name"),
    iban: was,
    same_bank: said ?? (was === null || iban === null ? null : isSameBank(was, iban)),
  };
}

/** Words are compared without regard to case; an empty cell matches none. */
function word<T>(row: Cells, field: string, words: ReadonlyMap<string, T>): T | null {
  const found = row.word(field, words as ReadonlyMap<string, never>) as T | null;
  if (found === null && row.text(field) !== null) {
    row.refuse(field, `is not one of ${[...words.keys()].join(", ")}`);
  }
  return found;
}

/** The start of a day that is not in the future. */
function pastDay(row: Cells, field: string, dates: DateFormat | null, today: IsoDate): string | null {
  const at = row.read(field, (cell) => readTime(cell, dates));
  if (at === null || at.slice(0, 10) <= today) return at;
  row.refuse(field, "is in the future");
  return null;
}

function readIban(cell: string): Read<ValidIban> {
  const checked = checkIban(cell);
  if (checked.valid && checked.sepa) return { value: checked };
  if (checked.valid) return { reason: "is in a country without SEPA direct debit" };
  if (/[*•]/.test(cell)) return { reason: "is masked: export with include_iban=true" };
  return { reason: `is not an IBAN: ${checked.message.replace(/\.$/, "")}` };
}

/** Some files group a reference with spaces; they are no part of it. */
function readReference(cell: string): Read<string> {
  const reference = withoutSpaces(cell);
  if (REFERENCE.test(reference)) return { value: reference };
  return { reason: `must have ${MANDATE_REFERENCE_WORDS}` };
}

const REFERENCE = new RegExp(MANDATE_REFERENCE);

function readCreditorIdentifier(cell: string): Read<string> {
  const checked = checkCreditorIdentifier(cell);
  return checked.valid ? { value: checked.identifier } : { reason: `is not ${CREDITOR_IDENTIFIER}` };
}

function readBic(cell: string): Read<string> {
  const bic = cell.replaceAll(" ", "").toUpperCase();
  return BIC.test(bic) ? { value: bic } : { reason: "is not a BIC" };
}

function readDays(cell: string): Read<number> {
  const days = /^\d{1,2}$/.test(cell) ? Number(cell) : PRE_NOTIFICATION_DAYS_MAX + 1;
  return days <= PRE_NOTIFICATION_DAYS_MAX
    ? { value: days }
    : { reason: `is not a number of days from 0 to ${PRE_NOTIFICATION_DAYS_MAX}` };
}

const PRE_NOTIFICATION_DAYS_MAX = 31;

function matching(pattern: string, reason: string): (cell: string) => Read<string> {
  const form = new RegExp(pattern);
  return (cell) => (form.test(cell) ? { value: cell } : { reason });
}
