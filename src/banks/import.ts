/** Imports a bank registry from a file, completely or not at all: `npm run cli -- banks import FILE`. */
import { parse } from "csv-parse/sync";
import type { Database } from "../db/database.ts";
import { BIC } from "../sepa/bic.ts";
import {
  isBundesbankHeader,
  isBundesbankText,
  readBundesbankCsv,
  readBundesbankText,
  type BankEntry,
  type CsvRecord,
} from "./bundesbank.ts";
import { bankCodeLength } from "../sepa/iban.ts";
import { isBank, repairNames } from "./list-names.ts";
import { lockBanks, replaceBanks, type ImportedBank } from "./store.ts";

type BankFileFormat = "csv" | "json" | "bundesbank text" | "bundesbank csv";

interface BankFile {
  readonly format: BankFileFormat;
  /** Without duplicates, in the order of the file. */
  readonly banks: readonly ImportedBank[];
  /** Number of records left out because they are no banks of their own. */
  readonly skipped: number;
}

interface BankImport {
  readonly format: BankFileFormat;
  /** The number of banks of each country. */
  readonly taken: Readonly<Record<string, number>>;
  readonly skipped: number;
}

/** The file is refused. `message` is for the operator; `problems` has every invalid line. */
export class BankFileError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    const shown = problems.slice(0, PROBLEMS_SHOWN_MAX);
    const more = problems.length > shown.length ? [`… and ${problems.length - shown.length} more.`] : [];
    super(["The bank file was rejected; nothing was imported.", ...shown, ...more].join("\n"));
    this.name = "BankFileError";
    this.problems = problems;
  }
}

const PROBLEMS_SHOWN_MAX = 20;

/**
 * Replaces the banks of every country in the file, in one transaction.
 * @param importedAt the current time.
 * @throws BankFileError when anything in the file is invalid; the database is unchanged then.
 */
export async function importBanks(db: Database, contents: Uint8Array, importedAt: Date): Promise<BankImport> {
  const { format, banks, skipped } = parseBankFile(contents);
  const countries = Map.groupBy(banks, ({ country }) => country);
  await db.transaction(async (tx) => {
    await lockBanks(tx);
    for (const [country, rows] of countries)
      await replaceBanks(tx, country, rows, { source: format, importedAt });
  });
  const taken = Object.fromEntries([...countries].map(([country, rows]) => [country, rows.length]));
  return { format, taken, skipped };
}

/**
 * Parses a file in any of the four formats, detected from the contents.
 * @throws BankFileError
 */
export function parseBankFile(contents: Uint8Array): BankFile {
  const { format, entries, skipped, problems } = readEntries(textOf(contents));
  const banks = repairNames(entries).filter(isBank);
  const checked = checkEntries(banks);
  const all = [...problems, ...checked.problems];
  if (all.length > 0) throw new BankFileError(all);
  if (checked.banks.length === 0) throw new BankFileError(["The file contains no banks."]);
  return { format, banks: checked.banks, skipped: skipped + entries.length - banks.length };
}

/** UTF-8, otherwise the Bundesbank's ISO 8859-1, read as Windows-1252, its superset that office programs write. */
function textOf(contents: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(contents);
  } catch {
    return new TextDecoder("windows-1252").decode(contents);
  }
}

interface Entries {
  readonly format: BankFileFormat;
  readonly entries: readonly BankEntry[];
  readonly skipped: number;
  readonly problems: readonly string[];
}

function readEntries(text: string): Entries {
  const start = text.trimStart();
  if (/^[[{]/.test(start)) return readJson(text);
  if (isBundesbankText(start)) return { format: "bundesbank text", ...readBundesbankText(text) };
  return readCsv(text);
}

function readJson(text: string): Entries {
  const list = parsedJson(text);
  if (!Array.isArray(list)) throw new BankFileError(["The JSON must be an array of objects."]);
  const read = list.map((item: unknown, index) => jsonEntry(`Entry ${index + 1}`, item));
  return {
    format: "json",
    entries: read.filter((entry) => typeof entry !== "string"),
    skipped: 0,
    problems: read.filter((entry) => typeof entry === "string"),
  };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BankFileError([
      `The file is not valid JSON: ${error instanceof Error ? error.message : "unreadable"}`,
    ]);
  }
}

/** The entry, or its problem. Numbers are refused: a bank code as a number has lost its leading zeros. */
function jsonEntry(place: string, item: unknown): BankEntry | string {
  if (typeof item !== "object" || item === null) return `${place}: must be an object.`;
  const fields: Readonly<Record<string, unknown>> = { bic: null, ...item };
  const { country, bank_code: bankCode, name } = fields;
  const bic = fields["bic"] ?? "";
  if (typeof country !== "string") return `${place}: country must be a string.`;
  if (typeof bankCode !== "string") return `${place}: bank_code must be a string.`;
  if (typeof bic !== "string") return `${place}: bic must be a string or null.`;
  if (typeof name !== "string") return `${place}: name must be a string.`;
  return { place, country, bankCode, bic, name };
}

const DELIMITERS = [",", ";", "\t"];
const REQUIRED_COLUMNS = ["country", "bank_code", "name"];

function readCsv(text: string): Entries {
  const [header, ...rows] = csvRows(text);
  const columns = (header?.cells ?? []).map((name) => name.toLowerCase());
  const fits = ({ cells }: CsvRow) => cells.length === columns.length;
  const problems = rows
    .filter((row) => !fits(row))
    .map(({ place, cells }) => `${place}: ${cells.length} fields, but the first line has ${columns.length}.`);
  const records = rows.filter(fits).map(({ place, cells }) => ({
    place,
    cells: new Map(columns.map((name, index) => [name, cells[index] ?? ""])),
  }));

  if (isBundesbankHeader(columns)) {
    const { entries, skipped } = readBundesbankCsv(records);
    return { format: "bundesbank csv", entries, skipped, problems };
  }
  const missing = REQUIRED_COLUMNS.filter((name) => !columns.includes(name));
  if (missing.length > 0) {
    throw new BankFileError([
      `Line 1: expected the columns country, bank_code, bic, name; missing: ${missing.join(", ")}.`,
    ]);
  }
  return { format: "csv", entries: records.map(canonicalEntry), skipped: 0, problems };
}

function canonicalEntry({ place, cells }: CsvRecord): BankEntry {
  const cell = (name: string) => cells.get(name) ?? "";
  return {
    place,
    country: cell("country"),
    bankCode: cell("bank_code"),
    bic: cell("bic"),
    name: cell("name"),
  };
}

interface CsvRow {
  readonly place: string;
  readonly cells: readonly string[];
}

function csvRows(text: string): readonly CsvRow[] {
  const rows: CsvRow[] = [];
  const delimiter = delimiterOf(text);
  try {
    parse(text, {
      delimiter,
      // In tab-separated files a quotation mark is part of the name.
      quote: delimiter === "\t" ? null : '"',
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
      on_record: (cells: readonly string[], { lines }) => {
        rows.push({ place: `Line ${lines}`, cells });
        return null;
      },
    });
  } catch (error) {
    throw new BankFileError([
      `The file is not valid CSV: ${error instanceof Error ? error.message : "unreadable"}`,
    ]);
  }
  return rows;
}

/** The most frequent delimiter in the first line. */
function delimiterOf(text: string): string {
  const [header = ""] = text.trimStart().split("\n", 1);
  const count = (delimiter: string) => header.split(delimiter).length;
  return DELIMITERS.reduce((best, other) => (count(other) > count(best) ? other : best));
}

function checkEntries(
  entries: readonly BankEntry[],
): Pick<BankFile, "banks"> & { readonly problems: readonly string[] } {
  const problems: string[] = [];
  const seen = new Map<string, { readonly place: string; readonly bank: ImportedBank }>();
  for (const { place, ...entry } of entries) {
    const bank = { ...entry, bic: entry.bic === "" ? null : entry.bic };
    const first = seen.get(`${bank.country} ${bank.bankCode}`);
    const faults = first === undefined ? faultsOf(bank) : contradiction(first.bank, bank, first.place);
    problems.push(...faults.map((fault) => `${place}: ${fault}`));
    if (first === undefined) seen.set(`${bank.country} ${bank.bankCode}`, { place, bank: rowOf(bank) });
  }
  return { banks: [...seen.values()].map(({ bank }) => bank), problems };
}

/** Without the members that the reader added. */
function rowOf({ country, bankCode, bic, name }: ImportedBank): ImportedBank {
  return { country, bankCode, bic, name };
}

function contradiction(first: ImportedBank, again: ImportedBank, firstPlace: string): readonly string[] {
  if (first.bic === again.bic && first.name === again.name) return [];
  return [`${again.country} ${again.bankCode} appears twice, and differs from ${firstPlace.toLowerCase()}.`];
}

const NAME_CHARS_MAX = 255;

function faultsOf({ country, bankCode, bic, name }: ImportedBank): readonly string[] {
  const expected = bankCodeLength(country);
  const faults: string[] = [];
  if (expected === null)
    faults.push(`country ${quoted(country)} is not the code of a country whose IBANs identify the bank.`);
  if (!/^[A-Z0-9]+$/.test(bankCode))
    faults.push(`bank code ${quoted(bankCode)} must be letters A to Z and digits.`);
  else if (expected !== null && bankCode.length !== expected) {
    faults.push(
      `bank code ${quoted(bankCode)} has ${bankCode.length} characters, ${country} uses ${expected}.`,
    );
  }
  if (bic !== null && !BIC.test(bic)) faults.push(`BIC ${quoted(bic)} is not a BIC of 8 or 11 characters.`);
  if (name === "" || name.length > NAME_CHARS_MAX)
    faults.push(`the name must have 1 to ${NAME_CHARS_MAX} characters.`);
  if (/\p{Cc}/u.test(name)) faults.push("the name contains a control character.");
  return faults;
}

const QUOTED_CHARS_MAX = 40;

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, QUOTED_CHARS_MAX));
}
