/** Reads the bank-code file of the Deutsche Bundesbank, as fixed-width text and as CSV. */

/** A bank in a file, before validation. */
export interface BankEntry {
  /** Its position, for messages: `Line 3`. */
  readonly place: string;
  readonly country: string;
  readonly bankCode: string;
  /** Empty where the file gives none. */
  readonly bic: string;
  readonly name: string;
}

/** One record of a CSV file: its cells by the lower-case name of their column. */
export interface CsvRecord {
  readonly place: string;
  readonly cells: ReadonlyMap<string, string>;
}

interface BundesbankFile {
  readonly entries: readonly BankEntry[];
  /** Number of records that are no banks of their own: further branches, and deleted bank codes. */
  readonly skipped: number;
  readonly problems: readonly string[];
}

/** The positions of the fields in a line (Bundesbank: Merkblatt Bankleitzahlendatei); the others are not needed. */
const FIELDS = {
  bankCode: [0, 8],
  holder: [8, 9],
  name: [9, 67],
  bic: [139, 150],
  change: [158, 159],
} as const;
/** The length of a record, and of one in the extended file, which ends with the IBAN rule. */
const RECORD_CHARS = [168, 174];

const TEXT_RECORD = /^[0-9]{8}[12][^;,\t"]/;

/** Whether this is the text form: its first line is a bank code, a mark and a name, without delimiters. */
export function isBundesbankText(text: string): boolean {
  return TEXT_RECORD.test(text);
}

/** Reads the text form. A line of another length is reported as a problem. */
export function readBundesbankText(text: string): BundesbankFile {
  const lines = text
    .split(/\r?\n/)
    .map((line, index) => ({ place: `Line ${index + 1}`, line }))
    .filter(({ line }) => line.trim() !== "");
  const problems = lines.filter(({ line }) => !RECORD_CHARS.includes(line.length)).map(wrongLength);
  const records = lines
    .filter(({ line }) => RECORD_CHARS.includes(line.length))
    .map(({ place, line }) => recordOf(place, (field) => line.slice(...FIELDS[field]).trim()));
  return { ...banksOf(records), problems };
}

function wrongLength({ place, line }: { readonly place: string; readonly line: string }): string {
  return `${place}: ${line.length} characters, but a record of the Bundesbank file has ${RECORD_CHARS[0]}.`;
}

const COLUMNS = { bankCode: "bankleitzahl", holder: "merkmal", name: "bezeichnung", bic: "bic" } as const;
const CHANGE_COLUMN = "änderungskennzeichen";

/** Whether a CSV file with these columns is the Bundesbank's. */
export function isBundesbankHeader(columns: readonly string[]): boolean {
  return Object.values(COLUMNS).every((name) => columns.includes(name));
}

/** Reads the CSV form. */
export function readBundesbankCsv(records: readonly CsvRecord[]): BundesbankFile {
  const columns = { ...COLUMNS, change: CHANGE_COLUMN };
  const cell =
    ({ cells }: CsvRecord) =>
    (field: Field) =>
      cells.get(columns[field]) ?? "";
  return { ...banksOf(records.map((record) => recordOf(record.place, cell(record)))), problems: [] };
}

type Field = keyof typeof FIELDS;

interface BundesbankRecord extends BankEntry {
  readonly holder: string;
  readonly change: string;
}

function recordOf(place: string, field: (name: Field) => string): BundesbankRecord {
  return {
    place,
    country: "DE",
    bankCode: field("bankCode"),
    bic: field("bic"),
    name: field("name"),
    holder: field("holder"),
    change: field("change"),
  };
}

/**
 * Mark 1 is the bank to which the code belongs; a record with change D is listed for the last time and is no longer
 * valid.
 */
function banksOf(records: readonly BundesbankRecord[]): Pick<BundesbankFile, "entries" | "skipped"> {
  const entries = records.filter(({ holder, change }) => holder === "1" && change !== "D");
  return { entries, skipped: records.length - entries.length };
}
