/** The columns of mandate files, the same for export and import, so that an export can be imported elsewhere. Pure. */
import { reversibleCsvText } from "../../files/csv-cells.ts";
import { normalisedName } from "../../files/cells.ts";

/** Our column names, with those in other providers' files. */
const NAMES = {
  reference: ["mandate_reference", "mandate_reference_id", "umr"],
  status: ["mandate_status"],
  scheme: [],
  type: ["mandate_type", "sequence_type"],
  signed_on: ["signed_at", "signature_date", "date_of_signature", "mandate_date"],
  last_used_on: ["last_used_at", "last_collection_date"],
  holder_name: ["account_holder", "debtor_name", "name"],
  iban: ["debtor_iban", "account"],
  bic: ["debtor_bic"],
  email: ["customer_email"],
  first_name: [],
  last_name: [],
  country: [],
  address: [],
  postal_code: [],
  city: [],
  language: [],
  pre_notification_days: [],
  creditor_name: [],
  creditor_identifier: ["creditor_id"],
  cancelled_on: ["cancelled_at"],
  cancelled_by: [],
  status_reason: [],
  original_reference: [],
  original_creditor_identifier: [],
  original_creditor_name: [],
  original_iban: [],
  same_bank: [],
} as const satisfies Record<string, readonly string[]>;

export type MandateColumn = keyof typeof NAMES;
export const COLUMNS = Object.keys(NAMES) as readonly MandateColumn[];
const REQUIRED: readonly MandateColumn[] = ["reference", "signed_on", "holder_name", "iban", "email"];

/**
 * The position of each column; unknown columns are ignored.
 * @returns the missing columns, as text.
 */
export function mandateColumns(header: readonly string[]): ReadonlyMap<string, number> | readonly string[] {
  const given = header.map(normalisedName);
  const places = new Map<string, number>();
  for (const column of COLUMNS) {
    const at = [column, ...NAMES[column]].map((name) => given.indexOf(name)).find((place) => place >= 0);
    if (at !== undefined) places.set(column, at);
  }
  const missing = REQUIRED.filter((column) => !places.has(column));
  return missing.length > 0 ? missing.map((column) => `Column ${column} is missing.`) : places;
}

/** The positions in a row of our own columns. */
export const OWN_PLACES: ReadonlyMap<string, number> = new Map(COLUMNS.map((column, at) => [column, at]));

/** A value as a cell that no spreadsheet executes and that an import reads unchanged. */
export function cellOf(value: string | number | boolean | null): string {
  return typeof value === "number" ? String(value) : reversibleCsvText(value === null ? "" : String(value));
}
