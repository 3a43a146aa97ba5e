/** Transactions and chargebacks as they are shown outside: the records of reconciliation, the IBAN masked. Pure. */
import { maskedIban } from "../sepa/iban.ts";

/**
 * What a field holds. `free_text` is written by customers, merchants or banks: code that renders it for a program that
 * gives meaning to characters has to defuse it.
 */
export type FieldKind = "uuid" | "text" | "free_text" | "money" | "date" | "time" | "integer";

/** A field of a record, as it is listed: the one place that knows its name, its order, its source and its kind. */
export interface Field {
  readonly name: string;
  readonly kind: FieldKind;
  readonly nullable?: boolean;
  /** The value in SQL; the table of the record, and what is joined to it, have the aliases that the list's head names. */
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

/** A record as the database gives it. */
export type RecordRow<Fields extends readonly Field[]> = {
  readonly [F in Fields[number] as F["name"]]: F extends { readonly nullable: true }
    ? Values[F["kind"]] | null
    : Values[F["kind"]];
};

/** A field that events show too, made from what the use case knows before it is written. */
interface EventField<Facts> extends Field {
  readonly of: (facts: Facts) => string | Date | null;
}

/** A record's fields: text and null only, so that it has one canonical form. */
type OutsideRecord = Readonly<Record<string, string | null>>;

/** What a transaction's record is made from. */
export interface TransactionFacts {
  readonly id: string;
  readonly merchantTransactionId: string;
  readonly gatewayReference: string | null;
  /** Where the gateway keeps a second reference; null for the same. */
  readonly adapterUniqueId: string | null;
  readonly tenantReferenceId: string | null;
  readonly status: string;
  readonly type: string;
  /** With two decimals. */
  readonly amount: string;
  readonly currency: string;
  readonly processedAt: Date | null;
  readonly ibanCountry: string | null;
  readonly ibanLast4: string | null;
  readonly bic: string | null;
  readonly mandateReference: string | null;
  readonly mandateAcceptedAt: Date | null;
  readonly source: string;
  readonly orderId: string | null;
  readonly subscriptionId: string | null;
  readonly leadId: string | null;
  readonly gatewayId: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The transaction record (contract: Reconciliation records). `t` is the transaction, `m` its mandate. */
export const TRANSACTION_FIELDS: readonly EventField<TransactionFacts>[] = [
  { name: "id", kind: "uuid", sql: "t.id", of: (f) => f.id },
  {
    name: "adapter_unique_id",
    kind: "free_text",
    nullable: true,
    sql: "coalesce(t.adapter_unique_id, t.gateway_reference)",
    of: (f) => f.adapterUniqueId ?? f.gatewayReference,
  },
  {
    name: "merchant_transaction_id",
    kind: "free_text",
    sql: "t.merchant_transaction_id",
    of: (f) => f.merchantTransactionId,
  },
  {
    name: "transaction_id",
    kind: "free_text",
    nullable: true,
    sql: "t.gateway_reference",
    of: (f) => f.gatewayReference,
  },
  {
    name: "tenant_reference_id",
    kind: "free_text",
    nullable: true,
    sql: "t.tenant_reference_id",
    of: (f) => f.tenantReferenceId,
  },
  { name: "status", kind: "text", sql: "t.status", of: (f) => f.status },
  { name: "type", kind: "text", sql: "t.type", of: (f) => f.type },
  { name: "amount", kind: "money", sql: "t.amount", of: (f) => f.amount },
  { name: "currency", kind: "text", sql: "t.currency", of: (f) => f.currency },
  { name: "date_processed", kind: "time", nullable: true, sql: "t.processed_at", of: (f) => f.processedAt },
  {
    name: "iban",
    kind: "text",
    nullable: true,
    sql: "lpad(coalesce(m.iban_last4, t.iban_last4), coalesce(m.iban_length, t.iban_length), '*')",
    of: masked,
  },
  { name: "bic", kind: "free_text", nullable: true, sql: "coalesce(m.bic, t.bic)", of: (f) => f.bic },
  {
    name: "customer_email_csv",
    kind: "free_text",
    nullable: true,
    sql: "t.customer_email_csv",
    of: fromCsvOnly,
  },
  {
    name: "customer_name_csv",
    kind: "free_text",
    nullable: true,
    sql: "t.customer_name_csv",
    of: fromCsvOnly,
  },
  {
    name: "mandate_reference_id",
    kind: "free_text",
    nullable: true,
    sql: "coalesce(m.reference, t.mandate_reference)",
    of: (f) => f.mandateReference,
  },
  {
    name: "mandate_date",
    kind: "time",
    nullable: true,
    sql: "coalesce(m.accepted_at, t.mandate_date)",
    of: (f) => f.mandateAcceptedAt,
  },
  { name: "source", kind: "text", sql: "t.source", of: (f) => f.source },
  { name: "order_id", kind: "uuid", nullable: true, sql: "t.order_id", of: (f) => f.orderId },
  {
    name: "subscription_id",
    kind: "uuid",
    nullable: true,
    sql: "t.subscription_id",
    of: (f) => f.subscriptionId,
  },
  { name: "lead_id", kind: "uuid", nullable: true, sql: "t.lead_id", of: (f) => f.leadId },
  { name: "payment_gateway_id", kind: "uuid", sql: "t.gateway_id", of: (f) => f.gatewayId },
  { name: "created_at", kind: "time", sql: "t.created_at", of: (f) => f.createdAt },
  { name: "updated_at", kind: "time", sql: "t.updated_at", of: (f) => f.updatedAt },
];

/** The fields of a chargeback's record besides its transaction. */
interface ChargebackFacts {
  readonly id: string;
  readonly reportDate: Date;
  readonly reasonCode: string | null;
  readonly reasonMessage: string | null;
  readonly source: string;
  /** With two decimals; null for the transaction's own. */
  readonly amount: string | null;
  readonly bankFee: string | null;
  readonly reportType: string | null;
  readonly email: string | null;
  readonly country: string | null;
  readonly at: Date;
}

interface NewChargeback {
  readonly chargeback: ChargebackFacts;
  readonly transaction: TransactionFacts;
}

/** The chargeback record (contract: Reconciliation records). `c` is the chargeback: it keeps what it shows, also where no transaction is linked. */
export const CHARGEBACK_FIELDS = [
  { name: "id", kind: "uuid", sql: "c.id", of: (f) => f.chargeback.id },
  {
    name: "adapter_unique_id",
    kind: "free_text",
    nullable: true,
    sql: "c.adapter_unique_id",
    of: (f) => f.transaction.adapterUniqueId ?? f.transaction.gatewayReference,
  },
  {
    name: "merchant_transaction_id",
    kind: "free_text",
    sql: "c.merchant_transaction_id",
    of: (f) => f.transaction.merchantTransactionId,
  },
  {
    name: "tenant_reference_id",
    kind: "free_text",
    nullable: true,
    sql: "c.tenant_reference_id",
    of: (f) => f.transaction.tenantReferenceId,
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
    of: (f) => f.transaction.processedAt,
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
    of: (f) => masked(f.transaction),
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
  { name: "lead_id", kind: "uuid", nullable: true, sql: "c.lead_id", of: (f) => f.transaction.leadId },
  { name: "payment_gateway_id", kind: "uuid", sql: "c.gateway_id", of: (f) => f.transaction.gatewayId },
  { name: "created_at", kind: "time", sql: "c.created_at", of: (f) => f.chargeback.at },
  { name: "updated_at", kind: "time", sql: "c.updated_at", of: (f) => f.chargeback.at },
] as const satisfies readonly EventField<NewChargeback>[];

/** The record of a transaction, for its events. */
export function transactionRecord(facts: TransactionFacts): OutsideRecord {
  return recordOf(TRANSACTION_FIELDS, facts);
}

/** The record of a chargeback, for its event. */
export function chargebackRecord(chargeback: ChargebackFacts, transaction: TransactionFacts): OutsideRecord {
  return recordOf(CHARGEBACK_FIELDS, { chargeback, transaction });
}

function recordOf<Facts>(fields: readonly EventField<Facts>[], facts: Facts): OutsideRecord {
  return Object.fromEntries(
    fields.map(({ name, of }) => {
      const value = of(facts);
      return [name, value instanceof Date ? value.toISOString() : value];
    }),
  );
}

function masked({ ibanCountry, ibanLast4 }: TransactionFacts): string | null {
  return ibanCountry === null || ibanLast4 === null ? null : maskedIban(ibanCountry, ibanLast4);
}

/** Only a processor's file tells it, and nothing that comes from a file makes these events. */
function fromCsvOnly(): null {
  return null;
}
