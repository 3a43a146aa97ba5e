/** Converts a form's fields to the API's body, and a record to the fields of its form. Pure. */
import { FieldErrors, type FieldMessages } from "../../refusals.ts";
import type { FormField } from "./fields.ts";

type Form = Readonly<Record<string, string>>;
type Given = Readonly<Record<string, unknown>>;
interface Nest {
  [name: string]: unknown;
}

/** Secrets that pages never show. */
const WRITE_ONLY: ReadonlySet<string> = new Set(["postback_secret", "read_token", "signing_secret"]);

/** Whether a field is written and never shown; if left empty, it stays unchanged. */
export function isWriteOnly({ name }: FormField): boolean {
  return WRITE_ONLY.has(name) || name.startsWith("credentials.");
}

/** The values of a form. @throws FieldErrors for invalid JSON. */
export function givenBy(fields: readonly FormField[], form: Form): Given {
  const given: Nest = {};
  const wrong: Record<string, readonly string[]> = {};
  for (const field of fields) {
    const value = valueOf(field, form);
    const [group = "", inner] = field.name.split(".");
    // A group whose boxes were all cleared is sent as an empty group.
    if (inner !== undefined && !isWriteOnly(field)) given[group] ??= {};
    if (value === NOT_JSON) wrong[field.name] = ["Must be a JSON object."];
    else if (value !== undefined) put(given, field.name.split("."), value);
  }
  if (Object.keys(wrong).length > 0) throw new FieldErrors(wrong);
  return given;
}

const NOT_JSON = Symbol("not JSON");

function valueOf(field: FormField, form: Form): unknown {
  const { name, kind, values } = field;
  const text = (form[name] ?? "").trim();
  const isChosen = (value: string) => form[boxName(name, value)] !== undefined;
  const isBlank = kind === "some" ? !values.some(isChosen) : text === "";
  // Blank fields do not create an optional object.
  if (isBlank && field.inOptional) return undefined;
  if (kind === "yes") return !isBlank;
  if (kind === "some") return values.filter(isChosen);
  if (kind === "lines") return linesIn(text);
  if (kind === "numbers") return linesIn(text).map((line) => (/^\d{1,9}$/.test(line) ? Number(line) : line));
  if (kind === "json") return isBlank ? {} : jsonIn(text);
  if (isBlank) return blank(field);
  if (kind === "integer") return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
  if (kind === "amount") return text.replace(",", ".");
  if (kind === "time") return timeIn(text);
  return text;
}

/** A blank field keeps its default, or becomes null where null is allowed. */
function blank(field: FormField): "" | null | undefined {
  if (field.required) return "";
  return field.nullable && !isWriteOnly(field) ? null : undefined;
}

function linesIn(text: string): readonly string[] {
  return text.split(/\s*\n\s*/).filter((line) => line !== "");
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return NOT_JSON;
  }
}

/** Browsers send `2026-11-21T12:00`; the form labels it as UTC. */
function timeIn(text: string): string {
  const at = new Date(/[zZ]$/.test(text) ? text : `${text}Z`);
  return Number.isNaN(at.getTime()) ? text : at.toISOString();
}

function put(nest: Nest, [name = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) nest[name] = value;
  else put((nest[name] ??= {}) as Nest, rest, value);
}

/** The name of one box of a multiple choice. */
export function boxName(name: string, value: string): string {
  return `${name}:${value}`;
}

/**
 * A record, or the defaults of a new one, as the texts of its form: without secrets, including the one that a new
 * record would get.
 */
export function asForm(fields: readonly FormField[], record: Given): Form {
  const shown = fields.filter((field) => !isWriteOnly(field));
  return Object.fromEntries(shown.flatMap((field) => entriesOf(field, at(record, field.name))));
}

function entriesOf({ name, kind }: FormField, value: unknown): readonly (readonly [string, string])[] {
  if (value === null || value === undefined || value === false) return [];
  if (kind === "some") return (value as readonly string[]).map((one) => [boxName(name, one), "1"]);
  if (kind === "lines" || kind === "numbers") return [[name, (value as readonly string[]).join("\n")]];
  if (kind === "json") return [[name, JSON.stringify(value, null, 2)]];
  if (kind === "time") return [[name, new Date(value as string).toISOString().slice(0, 19)]];
  return [[name, kind === "yes" ? "1" : String(value)]];
}

function at(record: Given, name: string): unknown {
  return name.split(".").reduce<unknown>((inner, part) => (inner as Given | undefined)?.[part], record);
}

/** The first message of each field, by its name in the form. */
export function messagesByField(fields: FieldMessages, around = ""): Readonly<Record<string, string>> {
  const entries = Object.entries(fields).flatMap(([name, messages]): (readonly [string, string])[] =>
    Array.isArray(messages)
      ? [[around + name, String(messages[0])]]
      : Object.entries(messagesByField(messages as FieldMessages, `${around}${name}.`)),
  );
  return Object.fromEntries(entries);
}
