/**
 * The fields of transactions and chargebacks as shown outside the service, with the IBAN masked: the records of
 * reconciliation. Pure.
 */

/**
 * The kind of a field's value. `free_text` is written by customers, merchants or banks: code that passes it to a
 * program which interprets characters has to escape it.
 */
export type FieldKind = "uuid" | "text" | "free_text" | "money" | "date" | "time" | "integer";

/** A field of a record: the only place with its name, order, source and kind. */
export interface Field {
  readonly name: string;
  readonly kind: FieldKind;
  readonly nullable?: boolean;
  /** The value in SQL. The table aliases are documented at each list. */
  readonly sql: string;
}

interface Values {
  readonly uuid: string;
  readonly text: string;
  readonly free_text: string;
  readonly money: string;
  readonly date: string;
  readonly time: Date;
  readonly integer: number;
}

/** A record as selected from the database. */
export type RecordRow<Fields extends readonly Field[]> = {
  readonly [F in Fields[number] as F["name"]]: F extends { readonly nullable: true }
    ? Values[F["kind"]] | null
    : Values[F["kind"]];
};

/** A field of a record that can also be computed before the row is written. */
interface EventField<Facts> extends Field {
  readonly of: (facts: Facts) => string | Date | null;
}

/** A record's fields, all text or null, so that it has one canonical form. */
type OutsideRecord = Readonly<Record<string, string | null>>;

/**
 * The transaction record (contract: Reconciliation records). Everything that shows a transaction is generated from this
 * list; what else a new field needs: CONTRIBUTING.md, Add a field to a record. `t` is the transaction, `m` its mandate.
 */
export const TRANSACTION_FIELDS = [
  { name: "id", kind: "uuid", sql: "t.id" },
  {
    name: "adapter_unique_id",
    kind: "free_text",
    nullable: true,
    sql: "coalesce(t.adapter_unique_id, t.gateway_reference)",
  },
  { name: "merchant_transaction_id", kind: "free_text", sql: "t.merchant_transaction_id" },
  { name: "transaction_id", kind: "free_text", nullable: true, sql: "t.gateway_reference" },
  { name: "tenant_reference_id", kind: "free_text", nullable: true, sql: "t.tenant_reference_id" },
  { name: "status", kind: "text", sql: "t.status" },
  { name: "type", kind: "text", sql: "t.type" },
  { name: "amount", kind: "money", sql: "t.amount" },
  { name: "currency", kind: "text", sql: "t.currency" },
  { name: "date_processed", kind: "time", nullable: true, sql: "t.processed_at" },
  {
    name: "iban",
    kind: "text",
    nullable: true,
    sql: "lpad(coalesce(m.iban_last4, t.iban_last4), coalesce(m.iban_length, t.iban_length), '*')",
  },
  { name: "bic", kind: "free_text", nullable: true, sql: "coalesce(m.bic, t.bic)" },
  { name: "customer_email_csv", kind: "free_text", nullable: true, sql: "t.customer_email_csv" },
  { name: "customer_name_csv", kind: "free_text", nullable: true, sql: "t.customer_name_csv" },
  {
    name: "mandate_reference_id",
    kind: "free_text",
    nullable: true,
    sql: "coalesce(m.reference, t.mandate_reference)",
  },
  { name: "mandate_date", kind: "time", nullable: true, sql: "coalesce(m.accepted_at, t.mandate_date)" },
  { name: "source", kind: "text", sql: "t.source" },
  { name: "order_id", kind: "uuid", nullable: true, sql: "t.order_id" },
  { name: "subscription_id", kind: "uuid", nullable: true, sql: "t.subscription_id" },
  { name: "lead_id", kind: "uuid", nullable: true, sql: "t.lead_id" },
  { name: "payment_gateway_id", kind: "uuid", sql: "t.gateway_id" },
  { name: "created_at", kind: "time", sql: "t.created_at" },
  { name: "updated_at", kind: "time", sql: "t.updated_at" },
] as const satisfies readonly Field[];

export type TransactionRecord = RecordRow<typeof TRANSACTION_FIELDS>;

type FieldName = keyof TransactionRecord;

/**
 * Fields set by the outcome. They are never taken from the row: an event is built before the row is written
 * (`recordAfter`).
 */
type OutcomeField = "adapter_unique_id" | "transaction_id" | "status" | "date_processed" | "updated_at";
const OUTCOME_FIELDS: Readonly<Record<OutcomeField, null>> = {
  adapter_unique_id: null,
  transaction_id: null,
  status: null,
  date_processed: null,
  updated_at: null,
};

/** Fields of the record that a row already has as columns, with their names there. */
type Held = Partial<Readonly<Record<Exclude<FieldName, OutcomeField>, string>>>;

/** The other fields of the record in such a row, each prefixed with `record_`. */
export type OtherRecordFields<Known extends Held> = {
  readonly [
    Name in Exclude<FieldName, OutcomeField | keyof Known> as `record_${Name}`
  ]: TransactionRecord[Name];
};

type HeldValues<Known extends Held> = {
  readonly [Name in keyof Known & FieldName as Known[Name] & string]: TransactionRecord[Name];
};

/** The columns of `OtherRecordFields`. */
export function otherRecordColumns(held: Held) {
  return columnsOf("record_", "t", (name) => !(name in held) && !(name in OUTCOME_FIELDS));
}

/** The record of a row that has some fields as its own columns, and the others from `otherRecordColumns`. */
export function recordIn<const Known extends Held>(
  row: OtherRecordFields<Known> & HeldValues<Known>,
  held: Known,
): Omit<TransactionRecord, OutcomeField> {
  const names: Readonly<Record<string, string>> = held;
  return read(row, (name) => names[name] ?? `record_${name}`);
}

/** A whole record in another record's row; each name has the prefix `original_`. */
export type OriginalRecord = { readonly [Name in FieldName as `original_${Name}`]: TransactionRecord[Name] };

/** The columns of `OriginalRecord`. @param t the alias of the transaction; its mandate is `m`. */
export function originalColumns(t: string) {
  return columnsOf("original_", t, () => true);
}

/** The columns of a whole record, under the names of its fields. */
export function recordColumns() {
  return columnsOf("", "t", () => true);
}

export function originalIn(row: OriginalRecord): TransactionRecord {
  return read(row, (name) => `original_${name}`);
}

function columnsOf(prefix: string, t: string, isWanted: (name: string) => boolean) {
  const columns = TRANSACTION_FIELDS.filter(({ name }) => isWanted(name)).map(
    ({ name, sql }) => `${sql.replaceAll(/\bt\./g, `${t}.`)} as ${prefix}${name}`,
  );
  // It contains no parameters, and the compiler only looks for those, so any text without one will do as its type.
  return columns.join(", ") as "columns";
}

function read(row: object, columnOf: (name: string) => string): TransactionRecord {
  const values = row as Readonly<Record<string, string | Date | null>>;
  const fields = TRANSACTION_FIELDS.map(({ name }) => [name, values[columnOf(name)]]);
  return Object.fromEntries(fields);
}

/** The fields of a chargeback's record that do not come from its transaction. */
export interface ChargebackFacts {
  readonly id: string;
  readonly reportDate: Date;
  readonly reasonCode: string | null;
  readonly reasonMessage: string | null;
  readonly source: string;
  /** With two decimals; null for the transaction's amount. */
  readonly amount: string | null;
  readonly bankFee: string | null;
  readonly reportType: string | null;
  readonly email: string | null;
  readonly country: string | null;
  readonly at: Date;
}

interface NewChargeback {
  readonly chargeback: ChargebackFacts;
  readonly transaction: TransactionRecord;
}

/** The record of a chargeback, for its event. */
export function chargebackRecord(chargeback: ChargebackFacts, transaction: TransactionRecord): OutsideRecord {
  return asText(CHARGEBACK_FIELDS.map(({ name, of }) => [name, of({ chargeback, transaction })]));
}

/**
 * The chargeback record (contract: Reconciliation records). `c` is the chargeback, which stores every value shown, so
 * that it is complete even without a linked transaction.
 */
export const CHARGEBACK_FIELDS = [
  { name: "id", kind: "uuid", sql: "c.id", of: (f) => f.chargeback.id },
  {
    name: "adapter_unique_id",
    kind: "free_text",
    nullable: true,
    sql: "c.adapter_unique_id",
    of: (f) => f.transaction.adapter_unique_id,
  },
  {
    name: "merchant_transaction_id",
    kind: "free_text",
    sql: "c.merchant_transaction_id",
    of: (f) => f.transaction.merchant_transaction_id,
  },
  {
    name: "tenant_reference_id",
    kind: "free_text",
    nullable: true,
    sql: "c.tenant_reference_id",
    of: (f) => f.transaction.tenant_reference_id,
  },
  { name: "status", kind: "text", sql: "c.status", of: () => "charged_back" },
  { name: "type", kind: "text", sql: "c.type", of: () => "chargeback" },
  { name: "amount", kind: "money", sql: "c.amount", of: (f) => f.chargeback.amount ?? f.transaction.amount },
  { name: "currency", kind: "text", sql: "c.currency", of: (f) => f.transaction.currency },
  { name: "report_date", kind: "time", sql: "c.report_date", of: (f) => f.chargeback.reportDate },
  {
    name: "transaction_date",
    kind: "time",
    nullable: true,
    sql: "c.transaction_date",
    of: (f) => f.transaction.date_processed,
  },
  {
    name: "reason_code",
    kind: "free_text",
    nullable: true,
    sql: "c.reason_code",
    of: (f) => f.chargeback.reasonCode,
  },
  {
    name: "reason_message",
    kind: "free_text",
    nullable: true,
    sql: "c.reason_message",
    of: (f) => f.chargeback.reasonMessage,
  },
  {
    name: "report_type",
    kind: "free_text",
    nullable: true,
    sql: "c.report_type",
    of: (f) => f.chargeback.reportType,
  },
  { name: "report_message", kind: "free_text", nullable: true, sql: "c.report_message", of: fromCsvOnly },
  { name: "report_info", kind: "free_text", nullable: true, sql: "c.report_info", of: fromCsvOnly },
  { name: "arn", kind: "free_text", nullable: true, sql: "c.arn", of: fromCsvOnly },
  {
    name: "iban",
    kind: "text",
    nullable: true,
    sql: "lpad(c.iban_last4, c.iban_length, '*')",
    of: (f) => f.transaction.iban,
  },
  { name: "bic", kind: "free_text", nullable: true, sql: "c.bic", of: (f) => f.transaction.bic },
  { name: "email", kind: "free_text", nullable: true, sql: "c.email", of: (f) => f.chargeback.email },
  { name: "country", kind: "free_text", nullable: true, sql: "c.country", of: (f) => f.chargeback.country },
  { name: "source", kind: "text", sql: "c.source", of: (f) => f.chargeback.source },
  {
    name: "cb_bank_fee",
    kind: "money",
    nullable: true,
    sql: "c.cb_bank_fee",
    of: (f) => f.chargeback.bankFee,
  },
  {
    name: "transaction_id",
    kind: "uuid",
    nullable: true,
    sql: "c.transaction_id",
    of: (f) => f.transaction.id,
  },
  { name: "lead_id", kind: "uuid", nullable: true, sql: "c.lead_id", of: (f) => f.transaction.lead_id },
  {
    name: "payment_gateway_id",
    kind: "uuid",
    sql: "c.gateway_id",
    of: (f) => f.transaction.payment_gateway_id,
  },
  { name: "created_at", kind: "time", sql: "c.created_at", of: (f) => f.chargeback.at },
  { name: "updated_at", kind: "time", sql: "c.updated_at", of: (f) => f.chargeback.at },
] as const satisfies readonly EventField<NewChargeback>[];

/** The record of a transaction, for its events. */
export function transactionRecord(record: TransactionRecord): OutsideRecord {
  return asText(TRANSACTION_FIELDS.map(({ name }) => [name, record[name]]));
}

function asText(fields: readonly (readonly [name: string, value: string | Date | null])[]): OutsideRecord {
  return Object.fromEntries(
    fields.map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]),
  );
}

/** Only a processor's file contains it, and it is not stored yet when the event is built. */
function fromCsvOnly(): null {
  return null;
}
