/** Building blocks of request schemas: each validates one kind of value, and its message says what is expected. */
import { isIP } from "node:net";
import { Type, type Static, type TSchema, type TUnsafe } from "../lib/schema.ts";
import { checkCreditorIdentifier, CREDITOR_IDENTIFIER } from "../sepa/creditor-identifier.ts";
import { isUuid } from "../lib/ids.ts";
import { lazily } from "../lib/lazily.ts";

interface FieldOptions {
  readonly description?: string;
}

/** Checks that JSON Schema cannot express, registered with the validator by name. */
export const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  // Stricter than the library's, which accepts urn:uuid: too.
  uuid: isUuid,
  email: isEmail,
  "ip-address": (text) => isIP(text) !== 0 && !text.includes("%"),
  country: (text) => countries().has(text),
  currency: (text) => CURRENCIES.has(text),
  amount: (text) => AMOUNT.test(text) && /[1-9]/.test(text),
  "amount-or-zero": (text) => AMOUNT.test(text),
  "creditor-identifier": (text) => checkCreditorIdentifier(text).valid,
  "date-or-time": isDateOrTime,
};

/** Ten digits in total, two of them decimals (contract: Money). */
const AMOUNT = /^(0|[1-9]\d{0,7})(\.\d{1,2})?$/;

/** The amount fields of a body, whose numbers are read from their digits (contract: Money). */
export function amountFields(body: TSchema): ReadonlySet<string> {
  const { properties = {} } = body as { readonly properties?: Readonly<Record<string, { format?: string }>> };
  return new Set(Object.keys(properties).filter((name) => properties[name]?.format?.startsWith("amount")));
}

/** A UUID in the format of RFC 9562. */
export function uuid(options: FieldOptions = {}) {
  return Type.String({ format: "uuid", message: "Must be a valid UUID.", ...options });
}

/** An address with a domain, at most 254 characters (RFC 5321). */
export function email(options: FieldOptions = {}) {
  return Type.String({
    format: "email",
    maxLength: 254,
    message: "Must be a valid email address.",
    ...options,
  });
}

/** Text that is not blank. Spaces around it are kept. */
export function text(maxLength: number, options: FieldOptions = {}) {
  return Type.String({ maxLength, pattern: "\\S", message: "This field may not be blank.", ...options });
}

/** Text that may be empty. */
export function optionalText(maxLength: number, options: FieldOptions = {}) {
  return Type.String({ maxLength, ...options });
}

/** An amount of money: a string, or a JSON number that the parser passes on as its digits. */
export function amount({
  allowZero = false,
  ...options
}: FieldOptions & { readonly allowZero?: boolean } = {}) {
  const above = allowZero ? "of 0 or more" : "above 0";
  return Type.String({
    format: allowZero ? "amount-or-zero" : "amount",
    message: `Must be an amount ${above} with at most two decimals, such as "29.90".`,
    examples: ["29.90"],
    ...options,
  });
}

/** In any case and with spaces, as people type it; `writtenCreditorIdentifier` gives the stored form. */
export function creditorIdentifier(options: FieldOptions = {}) {
  return Type.String({
    format: "creditor-identifier",
    maxLength: 64,
    message: `Must be ${CREDITOR_IDENTIFIER}.`,
    examples: ["DE98ZZZ09999999999"],
    ...options,
  });
}

/** ISO 4217, upper case. */
export function currency(options: FieldOptions = {}) {
  return Type.String({
    format: "currency",
    message: "Must be an ISO 4217 currency code, such as EUR.",
    examples: ["EUR"],
    ...options,
  });
}

/** ISO 3166-1 alpha-2, upper case. */
export function country(options: FieldOptions = {}) {
  return Type.String({
    format: "country",
    message: "Must be an ISO 3166-1 alpha-2 country code, such as DE.",
    examples: ["DE"],
    ...options,
  });
}

export function ipAddress(options: FieldOptions = {}) {
  return Type.String({ format: "ip-address", message: "Must be an IPv4 or IPv6 address.", ...options });
}

/** A calendar date, `YYYY-MM-DD`. PostgreSQL has no year 0000. */
export function isoDate(options: FieldOptions = {}) {
  return Type.String({
    format: "date",
    pattern: "^(?!0000)",
    message: "Must be a date, YYYY-MM-DD.",
    ...options,
  });
}

/** Parameters of a list filtered by creation date. */
export const CREATED_ON = {
  from: Type.Optional(isoDate({ description: "Created on or after this day (UTC)." })),
  to: Type.Optional(isoDate({ description: "Created on or before this day (UTC)." })),
};

/** A point in time, ISO 8601 with its zone. */
export function isoTime(options: FieldOptions = {}) {
  return Type.String({
    format: "date-time",
    message: "Must be a time in ISO 8601, such as 2026-11-21T12:00:00Z.",
    ...options,
  });
}

/** A calendar date, or a point in time with its zone. */
export function isoDateOrTime(options: FieldOptions = {}) {
  return Type.String({
    format: "date-or-time",
    message: "Must be a date, YYYY-MM-DD, or a time in ISO 8601, such as 2026-11-21T12:00:00Z.",
    examples: ["2026-11-21"],
    ...options,
  });
}

/** One of these texts; with `anyCase` in any case (contract: What the customer is shown). */
export function oneOf<const T extends string>(
  values: readonly T[],
  { anyCase = false, ...options }: FieldOptions & { readonly anyCase?: boolean } = {},
): TUnsafe<T> {
  const message = `Must be one of ${values.join(", ")}.`;
  if (!anyCase) return Type.Unsafe<T>({ type: "string", enum: [...values], message, ...options });
  const pattern = `^(${values.map(inAnyCase).join("|")})$`;
  const description = options.description ?? `One of ${values.join(", ")}, in any case.`;
  return Type.Unsafe<T>({ type: "string", pattern, message, examples: [values[0]], description });
}

/** A comma-separated list of these words, such as `approved,declined`. */
export function commaList(values: readonly string[]) {
  const one = `(${values.join("|")})`;
  const words = values.join(", ");
  return Type.String({
    pattern: `^${one}(,${one})*$`,
    message: `Must be a comma-separated list of ${words}.`,
    description: `Comma-separated: ${words}.`,
  });
}

/**
 * The values of a comma-separated list without duplicates, in order.
 * @param given validated by the schema.
 */
export function listedIn(given: string): readonly string[] {
  return [...new Set(given.split(","))];
}

function inAnyCase(value: string): string {
  return value.replace(/[a-z]/gi, (letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`);
}

/** The same, or null. */
export function nullable<S extends TSchema>(schema: S): TUnsafe<Static<S> | null> {
  const { type, enum: choices, ...rest } = schema as S & { type?: string | string[]; enum?: unknown[] };
  if (type === undefined) return Type.Unsafe({ anyOf: [schema, { type: "null" }] });
  return Type.Unsafe({
    ...rest,
    type: [...(Array.isArray(type) ? type : [type]), "null"],
    ...(choices === undefined ? {} : { enum: [...choices, null] }),
  });
}

/** CLDR names these too, although ISO 3166-1 does not assign them to countries. */
const NOT_COUNTRIES = /^(AC|CP|CQ|DG|EA|EU|EZ|IC|QO|TA|UN|XA|XB|XK|ZZ)$/;
const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));
/** The codes of all countries. Created on first use, as it takes longer than loading this file. */
export const countries = lazily((): ReadonlySet<string> => new Set(isoCountries()));

function* isoCountries(): Generator<string> {
  const names = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (const first of letters) {
    for (const second of letters) {
      const code = first + second;
      // A retired code is canonicalised to its successor.
      const current = new Intl.Locale(`und-${code}`).region === code;
      if (current && !NOT_COUNTRIES.test(code) && names.of(code) !== undefined) yield code;
    }
  }
}

const DATE = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/;

function isDateOrTime(text: string): boolean {
  if (!DATE.test(text) && !TIME.test(text)) return false;
  const [year, month, day] = text.slice(0, 10).split("-").map(Number);
  const date = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day));
  // An invalid day would overflow into the next month.
  return date.getUTCMonth() + 1 === month && date.getUTCDate() === day && !Number.isNaN(Date.parse(text));
}

const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const DOMAIN_LABEL = /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
const LOCAL_PART_MAX = 64;

/** Dot-atoms only: quoted local parts and address literals are legal but no customer has them. */
export function isEmail(address: string): boolean {
  const at = address.indexOf("@");
  const local = address.slice(0, at);
  const labels = address.slice(at + 1).split(".");
  return (
    at > 0 &&
    local.length <= LOCAL_PART_MAX &&
    LOCAL_PART.test(local) &&
    labels.length > 1 &&
    labels.every((label) => DOMAIN_LABEL.test(label)) &&
    !/^\d+$/.test(labels.at(-1) ?? "")
  );
}
