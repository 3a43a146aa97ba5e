/** The three kinds of record that are listed: their fields in the contract's order, and their filters. Pure. */
import { CHARGEBACK_FIELDS, TRANSACTION_FIELDS, type Field } from "../payments/records.ts";
import { SUBSCRIPTION_FIELDS } from "../subscriptions/record.ts";

export type { Field, FieldKind } from "../payments/records.ts";

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
