/** The three kinds of record that are listed: their fields in the contract's order, and their filters. Pure. */
import { CHARGEBACK_FIELDS, TRANSACTION_FIELDS, type Field } from "../payments/records.ts";

export type { Field, FieldKind } from "../payments/records.ts";

/** The subscription record (contract: Reconciliation records). `u` is the subscription. */
const SUBSCRIPTION_FIELDS: readonly Field[] = [
  { name: "id", kind: "uuid", sql: "u.id" },
  { name: "status", kind: "text", sql: "u.status" },
  { name: "billing_amount", kind: "money", sql: "u.billing_amount" },
  { name: "currency", kind: "text", sql: "u.currency" },
  { name: "billing_frequency", kind: "text", nullable: true, sql: "u.billing_frequency" },
  { name: "start_date", kind: "time", sql: "u.start_date" },
  { name: "next_billing_date", kind: "date", nullable: true, sql: "u.next_billing_date" },
  { name: "last_billing_date", kind: "time", nullable: true, sql: "u.last_billing_date" },
  { name: "cancelled_at", kind: "time", nullable: true, sql: "u.cancelled_at" },
  { name: "trial_end_date", kind: "date", nullable: true, sql: "u.trial_end_date" },
  { name: "billing_anchor_date", kind: "date", nullable: true, sql: "u.billing_anchor_date" },
  { name: "successful_billing_count", kind: "integer", sql: "u.successful_billing_count" },
  { name: "failed_billing_count", kind: "integer", sql: "u.failed_billing_count" },
  { name: "total_revenue", kind: "money", sql: "u.total_revenue" },
  { name: "order_id", kind: "uuid", sql: "u.order_id" },
  { name: "lead_id", kind: "uuid", sql: "u.lead_id" },
  { name: "offer_id", kind: "uuid", nullable: true, sql: "u.offer_id" },
  { name: "payment_gateway_id", kind: "uuid", sql: "u.gateway_id" },
  { name: "created_at", kind: "time", sql: "u.created_at" },
  { name: "updated_at", kind: "time", sql: "u.updated_at" },
];

/** The records of one endpoint. */
export interface RecordType {
  /** In the path and in the name of the CSV file. */
  readonly plural: "transactions" | "chargebacks" | "subscriptions";
  /** The XML element of one record. */
  readonly singular: "transaction" | "chargeback" | "subscription";
  readonly fields: readonly Field[];
  /** The field that orders the list and that start_date and end_date are about. */
  readonly orderedBy: string;
  /** What the parameter `status` may name. */
  readonly statuses: readonly string[];
  /** What the parameter `type` may name; null where the records have no type. */
  readonly types: readonly string[] | null;
}

export const TRANSACTIONS: RecordType = {
  plural: "transactions",
  singular: "transaction",
  fields: TRANSACTION_FIELDS,
  orderedBy: "date_processed",
  statuses: ["pending", "approved", "declined", "refunded", "charged_back"],
  types: ["sdd_sale", "sdd_rebill", "sdd_refund", "other_type"],
};

export const CHARGEBACKS: RecordType = {
  plural: "chargebacks",
  singular: "chargeback",
  fields: CHARGEBACK_FIELDS,
  orderedBy: "report_date",
  statuses: ["charged_back"],
  types: ["chargeback"],
};

export const SUBSCRIPTIONS: RecordType = {
  plural: "subscriptions",
  singular: "subscription",
  fields: SUBSCRIPTION_FIELDS,
  orderedBy: "created_at",
  statuses: ["ACTIVE", "PAST_DUE", "CANCELLED"],
  types: null,
};
