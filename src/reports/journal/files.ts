/**
 * The journal as files for bookkeeping: a plain ledger, and DATEV's booking batch (EXTF, version 700, category 21).
 * Pure.
 */
import type { IsoDate } from "../../lib/dates.ts";
import { formatAmount } from "../../lib/money.ts";
import { csvText } from "../../files/csv-cells.ts";
import { numberOf, type JournalAccount, type Line, type LineKind } from "./lines.ts";

type Numbers = Readonly<Record<JournalAccount, string>>;

const LEDGER_COLUMNS = "date,text,reference,debit_account,credit_account,amount,currency,bank_account";

/** One row for each line; the bank account shows its last four characters. */
export function ledgerCsv(lines: readonly Line[], numbers: Numbers): string {
  const rows = lines.map((line) =>
    [
      line.day,
      line.what,
      csvText(line.reference),
      numberOf(numbers, line.debit),
      numberOf(numbers, line.credit),
      formatAmount(line.amount),
      line.currency,
      csvText(line.iban.slice(-4)),
    ].join(","),
  );
  return [LEDGER_COLUMNS, ...rows, ""].join("\r\n");
}

/** The data in DATEV's first line. */
interface DatevHead {
  readonly consultant: number;
  readonly client: number;
  readonly yearStart: IsoDate;
  readonly from: IsoDate;
  readonly to: IsoDate;
  readonly createdAt: Date;
}

const DATEV_COLUMNS = [
  "Umsatz (ohne Soll/Haben-Kz)",
  "Soll/Haben-Kennzeichen",
  "WKZ Umsatz",
  "Kurs",
  "Basis-Umsatz",
  "WKZ Basis-Umsatz",
  "Konto",
  "Gegenkonto (ohne BU-Schlüssel)",
  "BU-Schlüssel",
  "Belegdatum",
  "Belegfeld 1",
  "Belegfeld 2",
  "Skonto",
  "Buchungstext",
];
const DATEV_TEXTS: Readonly<Record<LineKind, string>> = {
  collection: "SEPA-Lastschrift",
  return: "Rücklastschrift",
  refund: "Erstattung",
  refund_back: "Erstattung zurück",
  fee: "Bankgebühr",
  other: "Sonstige Umsätze laut Auszug",
};
/** Characters that DATEV refuses in Belegfeld 1. */
const NOT_IN_REFERENCE = /[^A-Za-z0-9$&%*+\-/]/g;
const REFERENCE_CHARS_MAX = 36;

/** In Windows-1252, which for these texts equals Latin-1; lines end with CR LF, amounts have a decimal comma. */
export function datevFile(lines: readonly Line[], numbers: Numbers, head: DatevHead): Buffer {
  const rows = lines.map((line) => datevRow(line, numbers));
  const columns = DATEV_COLUMNS.join(";");
  return Buffer.from([datevHead(head, numbers), columns, ...rows, ""].join("\r\n"), "latin1");
}

function datevHead(
  { consultant, client, yearStart, from, to, createdAt }: DatevHead,
  numbers: Numbers,
): string {
  const created = createdAt.toISOString().replace(/\D/g, "");
  return [
    '"EXTF"',
    700,
    21,
    '"Buchungsstapel"',
    13,
    created,
    "",
    '""',
    '""',
    '""',
    consultant,
    client,
    compact(yearStart),
    numbers.bank.length,
    compact(from),
    compact(to),
    '"Zahlungen"',
    '""',
    1,
    0,
    0,
    '"EUR"',
    ...Array.from({ length: 9 }, () => ""),
  ].join(";");
}

function datevRow(line: Line, numbers: Numbers): string {
  const reference = line.reference.replace(NOT_IN_REFERENCE, "").slice(0, REFERENCE_CHARS_MAX);
  return [
    formatAmount(line.amount).replace(".", ","),
    '"S"',
    `"${line.currency}"`,
    "",
    "",
    '""',
    numberOf(numbers, line.debit),
    numberOf(numbers, line.credit),
    '""',
    `${line.day.slice(8)}${line.day.slice(5, 7)}`,
    `"${reference}"`,
    '""',
    "",
    `"${DATEV_TEXTS[line.what]}"`,
  ].join(";");
}

function compact(day: IsoDate): string {
  return day.replaceAll("-", "");
}
