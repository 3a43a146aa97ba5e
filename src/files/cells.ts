/** Parses the cells of a CSV file: column names, amounts, times, words. An ambiguous cell is refused. Pure. */
import { formatAmount, parseAmount } from "../lib/money.ts";

/** A value, or why the cell has none. */
export type Read<T> = { readonly value: T } | { readonly reason: string };

export const DATE_FORMATS = ["ymd", "dmy", "mdy"] as const;
export type DateFormat = (typeof DATE_FORMATS)[number];

const PLAIN = /^(\d{1,8})(?:[.,](\d{1,2}))?$/;
const GROUPED = /^(\d{1,3}(?:\.\d{3})+),(\d{2})$|^(\d{1,3}(?:,\d{3})+)\.(\d{2})$/;

/**
 * Reads an amount.
 * @returns it with two decimals. `1,234` could be two amounts and is refused; a sign is left to the caller.
 */
export function readAmount(cell: string): Read<string> {
  const text = cell.replace(/^[+-]/, "").replace(/[\s\u00a0']/g, "");
  const plain = PLAIN.exec(text);
  const grouped = GROUPED.exec(text);
  const whole = plain?.[1] ?? (grouped?.[1] ?? grouped?.[3])?.replace(/[.,]/g, "");
  const decimals = plain?.[2] ?? grouped?.[2] ?? grouped?.[4];
  const joined = decimals === undefined ? (whole ?? "") : `${whole}.${decimals}`;
  const cents = parseAmount(joined.replace(/^0+(?=\d)/, ""));
  return cents === null
    ? { reason: "is not an amount: write it as 1234.50" }
    : { value: formatAmount(cents) };
}

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)\s*(Z|[+-]\d{2}:?\d{2})?)?$/;
const NUMBERS = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?:[ T]+(\d{2}:\d{2}(?::\d{2})?))?$/;

/** Reads a time: ISO 8601, otherwise in the given format; `31.12.2026` needs none. Without a zone it is UTC. */
export function readTime(cell: string, format: DateFormat | null): Read<string> {
  const iso = ISO.exec(cell);
  if (iso !== null) {
    const [, year = "", month = "", day = "", time = "00:00", zone = "Z"] = iso;
    return instant(`${year}-${month}-${day}`, time, zone.replace(/^([+-]\d{2})(\d{2})$/, "$1:$2"));
  }
  const [, first = "", separator = "", second = "", year = "", time = "00:00"] = NUMBERS.exec(cell) ?? [];
  if (year === "") return { reason: "is not a date: write it as 2026-12-31 or 2026-12-31T23:59:59Z" };
  const order = format ?? (separator === "." ? "dmy" : null);
  if (order === null || order === "ymd") {
    return { reason: "is ambiguous: set date_format to dmy or mdy" };
  }
  const [day, month] = order === "dmy" ? [first, second] : [second, first];
  return instant(`${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`, time, "Z");
}

function instant(day: string, time: string, zone: string): Read<string> {
  try {
    const seconds = time.length === 5 ? `${time}:00` : time;
    Temporal.PlainDate.from(day, { overflow: "reject" });
    const at = Temporal.Instant.from(`${day}T${seconds}${zone}`);
    if (day.startsWith("0000")) return { reason: "is not a date" };
    return { value: new Date(at.epochMilliseconds).toISOString() };
  } catch {
    return { reason: "is not an existing date" };
  }
}

/** `Unique ID` and `unique_id` become the same. */
export function normalisedName(name: string): string {
  return name
    .replace(/^\ufeff/, "")
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "_");
}

/** The column of each of our fields. */
export type Places = ReadonlyMap<string, number>;

/** A processor's names of our statuses and types: by field, from its name to ours. */
export type ValueMapping = Readonly<Record<string, Readonly<Record<string, string>>>>;

const TEXT_CHARS_MAX = 255;

/** Reads one row and collects every reason why it is rejected. */
export class Cells {
  readonly reasons: string[] = [];
  readonly #places: Places;
  readonly #cells: readonly string[];

  readonly #values: ValueMapping;

  constructor(places: Places, cells: readonly string[], values: ValueMapping = {}) {
    this.#places = places;
    this.#cells = cells;
    this.#values = values;
  }

  text(field: string): string | null {
    const at = this.#places.get(field);
    const cell = at === undefined ? "" : (this.#cells[at] ?? "").trim();
    if (cell === "") return null;
    if (cell.length > TEXT_CHARS_MAX)
      return this.#refuse(field, `is longer than ${TEXT_CHARS_MAX} characters`);
    const readable = !cell.includes("\u0000") && !cell.includes("\ufffd") && cell.isWellFormed();
    return readable ? cell : this.#refuse(field, "contains characters that cannot be read");
  }

  required(field: string): string {
    return this.text(field) ?? this.#refuse(field, "is missing") ?? "";
  }

  read<T>(field: string, read: (cell: string) => Read<T>): T | null {
    const cell = this.text(field);
    if (cell === null) return null;
    const result = read(cell);
    return "value" in result ? result.value : this.#refuse(field, result.reason);
  }

  /** The caller's mapping takes precedence; letter case and separators do not matter in either. */
  word(field: string, words: ReadonlyMap<string, string>): string | null {
    const plain = normalisedName(this.text(field) ?? "");
    const mapped = Object.entries(this.#values[field] ?? {}).find(
      ([theirs]) => normalisedName(theirs) === plain,
    );
    return mapped?.[1] ?? words.get(plain) ?? null;
  }

  #refuse(field: string, reason: string): null {
    this.reasons.push(`${field} ${reason}.`);
    return null;
  }

  refuse(field: string, reason: string): string {
    this.#refuse(field, reason);
    return "";
  }
}
