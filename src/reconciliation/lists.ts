/** The three kinds of listed records: their fields in the contract's order, and their filters. Pure. */
import { CHARGEBACK_FIELDS, TRANSACTION_FIELDS, type Field } from "../payments/records.ts";
import { SHOWN_STATUSES, TRANSACTION_TYPES } from "../payments/transaction.ts";
import { SUBSCRIPTION_FIELDS, SUBSCRIPTION_STATUSES } from "../subscriptions/subscription-record.ts";

export type { Field, FieldKind } from "../payments/records.ts";

/** The records of one endpoint. */
export interface RecordType {
  /** In the path and in the name of the CSV file. */
  readonly plural: "transactions" | "chargebacks" | "subscriptions";
  /** The XML element of one record. */
  readonly singular: "transaction" | "chargeback" | "subscription";
  readonly fields: readonly Field[];
  /** The field that orders the list and to which start_date and end_date apply. */
  readonly orderedBy: string;
  /** The values of the parameter `status`. */
  readonly statuses: readonly string[];
  /** The values of the parameter `type`; null for records without a type. */
  readonly types: readonly string[] | null;
}

export const TRANSACTIONS: RecordType = {
  plural: "transactions",
  singular: "transaction",
  fields: TRANSACTION_FIELDS,
  orderedBy: "date_processed",
  statuses: SHOWN_STATUSES,
  types: TRANSACTION_TYPES,
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
  statuses: SUBSCRIPTION_STATUSES,
  types: null,
};
