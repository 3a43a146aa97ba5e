/** Reads a row of a processor's file as a record, or reports why it is rejected: columns, status words, required fields. Pure. */
import {
  Cells,
  normalisedName,
  readAmount,
  readTime,
  type DateFormat,
  type Places,
  type ValueMapping,
} from "../../files/cells.ts";
import { readAccountCell } from "./account-cell.ts";
import { listInWords, STATUS_OF, IMPORT_STATUSES, TYPE_OF } from "./words.ts";

export type ImportKind = "transactions" | "chargebacks";

export interface ImportedTransaction {
  readonly adapter_unique_id: string;
  readonly merchant_transaction_id: string;
  readonly transaction_id: string;
  readonly status: string;
  readonly type: string;
  readonly amount: string;
  readonly currency: string;
  readonly date_processed: string;
  readonly iban_last4: string | null;
  readonly iban_length: number | null;
  readonly bic: string | null;
  readonly customer_email: string | null;
  readonly customer_name: string | null;
  readonly mandate_reference: string | null;
  readonly mandate_date: string | null;
}

export interface ImportedChargeback {
  readonly adapter_unique_id: string | null;
  readonly merchant_transaction_id: string | null;
  /** The processor's id of the transaction that is charged back. */
  readonly transaction_id: string | null;
  readonly end_to_end_id: string | null;
  readonly amount: string;
  readonly currency: string;
  readonly report_date: string;
  readonly transaction_date: string | null;
  readonly reason_code: string | null;
  readonly reason_message: string | null;
  readonly report_type: string | null;
  readonly report_message: string | null;
  readonly report_info: string | null;
  readonly arn: string | null;
  readonly iban_last4: string | null;
  readonly iban_length: number | null;
  readonly bic: string | null;
  readonly email: string | null;
  readonly country: string | null;
  readonly cb_bank_fee: string | null;
}

/** Our names, which are the columns' unless a mapping says otherwise; with those of real files. */
const COLUMNS: Readonly<Record<ImportKind, Readonly<Record<string, readonly string[]>>>> = {
  transactions: {
    adapter_unique_id: ["unique_id", "id"],
    merchant_transaction_id: ["merchant_reference", "reference"],
    transaction_id: ["processor_transaction_id"],
    status: ["state"],
    type: ["transaction_type"],
    amount: [],
    currency: [],
    date_processed: ["processed_at", "date", "created_at"],
    iban: ["account"],
    bic: [],
    customer_email: ["email"],
    customer_name: ["name", "holder_name"],
    mandate_reference: ["mandate_id", "mandate_reference_id"],
    mandate_date: [],
  },
  chargebacks: {
    adapter_unique_id: ["unique_id", "id"],
    merchant_transaction_id: ["merchant_reference", "reference"],
    transaction_id: ["original_transaction_id", "original_transaction_unique_id"],
    end_to_end_id: ["end_to_end_reference"],
    amount: [],
    currency: [],
    report_date: ["chargeback_date", "date"],
    transaction_date: ["original_transaction_date"],
    reason_code: [],
    reason_message: ["reason", "reason_description"],
    report_type: [],
    report_message: [],
    report_info: [],
    arn: [],
    iban: ["account"],
    bic: [],
    email: ["customer_email"],
    country: [],
    cb_bank_fee: ["bank_fee", "fee"],
  },
};

const REQUIRED: Readonly<Record<ImportKind, readonly string[]>> = {
  transactions: ["adapter_unique_id", "status", "amount", "date_processed"],
  chargebacks: ["amount", "report_date"],
};

/**
 * Finds the columns of a header row.
 * @param mapping our name → the column's name, or its number from 1.
 * @returns what is wrong with the header or the mapping, in words, where it cannot be used.
 */
export function importColumns(
  kind: ImportKind,
  header: readonly string[],
  mapping: Readonly<Record<string, string | number>>,
): Places | readonly string[] {
  const names = header.map(normalisedName);
  const places = new Map<string, number>();
  const problems: string[] = [];
  for (const name of Object.keys(mapping)) {
    if (!(name in COLUMNS[kind])) problems.push(`${name} is not a field of ${kind}.`);
  }
  for (const [field, others] of Object.entries(COLUMNS[kind])) {
    const wanted = mapping[field];
    const at = typeof wanted === "number" ? wanted - 1 : indexOfAny(names, wanted, [field, ...others]);
    if (at >= 0 && at < header.length) places.set(field, at);
    else if (wanted !== undefined) problems.push(`Column ${wanted} for ${field} is missing.`);
    else if (REQUIRED[kind].includes(field)) {
      problems.push(`No column for ${field}: name it in the mapping.`);
    }
  }
  return problems.length > 0 ? problems : places;
}

function indexOfAny(names: readonly string[], wanted: string | undefined, own: readonly string[]): number {
  if (wanted !== undefined) return names.indexOf(normalisedName(wanted));
  return own.map((name) => names.indexOf(name)).find((at) => at >= 0) ?? -1;
}

const CURRENCY_DEFAULT = "EUR";

export function readTransaction(
  places: Places,
  cells: readonly string[],
  dates: DateFormat | null,
  values: ValueMapping,
): ImportedTransaction | readonly string[] {
  const row = new Cells(places, cells, values);
  const id = row.required("adapter_unique_id");
  const account = row.read("iban", readAccountCell);
  const record = {
    adapter_unique_id: id,
    merchant_transaction_id: row.text("merchant_transaction_id") ?? id,
    transaction_id: row.text("transaction_id") ?? id,
    status: statusOf(row),
    type: row.word("type", TYPE_OF) ?? "other_type",
    amount: amountOf(row),
    currency: currencyOf(row),
    date_processed: timeOf(row, "date_processed", dates),
    iban_last4: account?.last4 ?? null,
    iban_length: account?.length ?? null,
    bic: row.text("bic"),
    customer_email: row.text("customer_email"),
    customer_name: row.text("customer_name"),
    mandate_reference: row.text("mandate_reference"),
    mandate_date: row.read("mandate_date", (cell) => readTime(cell, dates)),
  };
  return row.reasons.length > 0 ? row.reasons : record;
}

export function readChargeback(
  places: Places,
  cells: readonly string[],
  dates: DateFormat | null,
): ImportedChargeback | readonly string[] {
  const row = new Cells(places, cells);
  const account = row.read("iban", readAccountCell);
  const ids = {
    adapter_unique_id: row.text("adapter_unique_id"),
    merchant_transaction_id: row.text("merchant_transaction_id"),
    transaction_id: row.text("transaction_id"),
    end_to_end_id: row.text("end_to_end_id"),
  };
  if (Object.values(ids).every((id) => id === null)) {
    row.refuse("merchant_transaction_id", "is missing, as are all other ids");
  }
  const record = {
    ...ids,
    amount: amountOf(row),
    currency: currencyOf(row),
    report_date: timeOf(row, "report_date", dates),
    transaction_date: row.read("transaction_date", (cell) => readTime(cell, dates)),
    reason_code: row.text("reason_code"),
    reason_message: row.text("reason_message"),
    report_type: row.text("report_type"),
    report_message: row.text("report_message"),
    report_info: row.text("report_info"),
    arn: row.text("arn"),
    iban_last4: account?.last4 ?? null,
    iban_length: account?.length ?? null,
    bic: row.text("bic"),
    email: row.text("email"),
    country: row.text("country"),
    cb_bank_fee: row.read("cb_bank_fee", readAmount),
  };
  return row.reasons.length > 0 ? row.reasons : record;
}

/** Refunds and chargebacks are rows of their own: a sale that was refunded or charged back is approved. */
function statusOf(row: Cells): string {
  const word = row.required("status");
  if (word === "") return "";
  const status = row.word("status", STATUS_OF);
  if (status !== null) return status;
  const plain = normalisedName(word);
  if (plain === "refunded" || plain === "charged_back" || plain === "chargeback") {
    return row.refuse(
      "status",
      `is ${plain}: import the sale as approved, its refund as a row of type sdd_refund, its chargeback from a file of chargebacks`,
    );
  }
  return row.refuse(
    "status",
    `must be ${listInWords(IMPORT_STATUSES)}; map other words with value_mapping, such as {"status": {"Genehmigt": "approved"}}`,
  );
}

/** Processors give refunds and chargebacks a minus. */
function amountOf(row: Cells): string {
  const cell = row.required("amount");
  const amount = cell === "" ? null : row.read("amount", readAmount);
  return amount === "0.00" ? row.refuse("amount", "is zero") : (amount ?? "");
}

function currencyOf(row: Cells): string {
  const currency = (row.text("currency") ?? CURRENCY_DEFAULT).toUpperCase();
  return /^[A-Z]{3}$/.test(currency) ? currency : row.refuse("currency", "is not an ISO 4217 code");
}

function timeOf(row: Cells, field: string, dates: DateFormat | null): string {
  if (row.required(field) === "") return "";
  return row.read(field, (cell) => readTime(cell, dates)) ?? "";
}
