/** What the cells of a processor's file mean: amounts, times, accounts. A cell that could mean two things means nothing. Pure. */
import { checkIban, normaliseIban } from "../../sepa/iban.ts";
import { formatAmount, parseAmount } from "../../lib/money.ts";

/** A value, or why the cell has none. */
export type Read<T> = { readonly value: T } | { readonly reason: string };

export const DATE_FORMATS = ["ymd", "dmy", "mdy"] as const;
export type DateFormat = (typeof DATE_FORMATS)[number];

const PLAIN = /^(\d{1,8})(?:[.,](\d{1,2}))?$/;
const GROUPED = /^(\d{1,3}(?:\.\d{3})+),(\d{2})$|^(\d{1,3}(?:,\d{3})+)\.(\d{2})$/;

/** @returns with two decimals. `1,234` could be two amounts and is refused; a sign is left to the caller. */
export function readAmount(cell: string): Read<string> {
  const text = cell.replace(/^[+-]/, "").replace(/[\s\u00a0']/g, "");
  const plain = PLAIN.exec(text);
  const grouped = GROUPED.exec(text);
  const whole = plain?.[1] ?? (grouped?.[1] ?? grouped?.[3])?.replace(/[.,]/g, "");
  const decimals = plain?.[2] ?? grouped?.[2] ?? grouped?.[4];
  const joined = decimals === undefined ? (whole ?? "") : `${whole}.${decimals}`;
  const cents = parseAmount(joined.replace(/^0+(?=\d)/, ""));
  return cents === null ? { reason: "is no amount: write it like 1234.50" } : { value: formatAmount(cents) };
}

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)\s*(Z|[+-]\d{2}:?\d{2})?)?$/;
const NUMBERS = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?:[ T]+(\d{2}:\d{2}(?::\d{2})?))?$/;

/** ISO 8601, else by the format that was named; `31.12.2026` needs none. Without a zone it is UTC. */
export function readTime(cell: string, format: DateFormat | null): Read<string> {
  const iso = ISO.exec(cell);
  if (iso !== null) {
    const [, year = "", month = "", day = "", time = "00:00", zone = "Z"] = iso;
    return instant(`${year}-${month}-${day}`, time, zone.replace(/^([+-]\d{2})(\d{2})$/, "$1:$2"));
  }
  const [, first = "", separator = "", second = "", year = "", time = "00:00"] = NUMBERS.exec(cell) ?? [];
  if (year === "") return { reason: "is no date: write it like 2026-12-31 or 2026-12-31T23:59:59Z" };
  const order = format ?? (separator === "." ? "dmy" : null);
  if (order === null || order === "ymd") {
    return { reason: "could be two dates: name date_format, dmy or mdy" };
  }
  const [day, month] = order === "dmy" ? [first, second] : [second, first];
  return instant(`${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`, time, "Z");
}

function instant(day: string, time: string, zone: string): Read<string> {
  try {
    const seconds = time.length === 5 ? `${time}:00` : time;
    Temporal.PlainDate.from(day, { overflow: "reject" });
    const at = Temporal.Instant.from(`${day}T${seconds}${zone}`);
    if (day.startsWith("0000")) return { reason: "is no date" };
    return { value: new Date(at.epochMilliseconds).toISOString() };
  } catch {
    return { reason: "is no date that exists" };
  }
}

/** What is kept of an account: enough to recognise it. */
export interface AccountEnd {
  readonly last4: string;
  readonly length: number;
}

/** A whole IBAN has to be right; one that the processor has masked keeps its end. */
export function readAccount(cell: string): Read<AccountEnd> {
  const text = normaliseIban(cell);
  if (/^[A-Z0-9]*[*•xX.]{2,}[A-Z0-9]{4}$/i.test(text) && text.length <= 34) {
    return { value: { last4: text.slice(-4), length: Math.max(text.length, 4) } };
  }
  const checked = checkIban(cell);
  return checked.valid
    ? { value: { last4: checked.last4, length: checked.iban.length } }
    : { reason: `is no IBAN: ${checked.message}` };
}
