/** The schemas of the list of transactions. */
import { Type, type Static } from "../../lib/schema.ts";
import { amount, commaList, country, CREATED_ON, email, nullable, oneOf, uuid } from "../../http/fields.ts";
import { NullableText, NullableUuid, Time } from "../../http/response-fields.ts";
import { PAGE_QUERY } from "../../http/paging.ts";
import { TRANSACTION_RECORD } from "../../payments/schemas.ts";
import { SHOWN_STATUSES, TRANSACTION_TYPES } from "../../payments/transaction.ts";

const FILTERS = {
  status: Type.Optional(commaList(SHOWN_STATUSES)),
  type: Type.Optional(commaList(TRANSACTION_TYPES)),
  ...CREATED_ON,
  amount_min: Type.Optional(amount({ allowZero: true, description: "At least this amount." })),
  amount_max: Type.Optional(amount({ allowZero: true, description: "At most this amount." })),
  gateway_id: Type.Optional(uuid()),
  campaign_id: Type.Optional(uuid()),
  payment_link_id: Type.Optional(uuid()),
  lead_id: Type.Optional(uuid({ description: "Of this customer." })),
  session_id: Type.Optional(uuid()),
  subscription_id: Type.Optional(uuid()),
  mandate_id: Type.Optional(uuid()),
  email: Type.Optional(email({ description: "The customer's, in any case." })),
  country: Type.Optional(country({ description: "The customer's." })),
  reason: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z0-9_]{1,40}$",
      message: "Must be an error code or a bank's reason code, such as insufficient_funds or AM04.",
      description: "An error_code, or the bank's or the chargeback's reason code.",
    }),
  ),
  held: Type.Optional(Type.Boolean({ description: "Refunds that a guard holds back." })),
  collected_twice: Type.Optional(
    Type.Boolean({
      description:
        "First payments that were reinstated after they had been paid again, and the payments that repeat them: refund one of each two.",
    }),
  ),
  iban_last4: Type.Optional(
    Type.String({ pattern: "^[A-Za-z0-9]{4}$", message: "Must be the last four characters of an IBAN." }),
  ),
};

export const TransactionQuery = Type.Object({ ...PAGE_QUERY, ...FILTERS });
export type TransactionQuery = Static<typeof TransactionQuery>;

const Money = Type.String({ description: "With two decimals." });

export const ManagedTransaction = Type.Object(
  {
    ...TRANSACTION_RECORD,
    session_id: NullableUuid,
    mandate_id: NullableUuid,
    original_id: NullableUuid,
    order_number: NullableText,
    order_status: NullableText,
    campaign_id: NullableUuid,
    metadata: nullable(Type.Record(Type.String(), Type.String(), { description: "Of its session." })),
    gateway_name: Type.String(),
    customer_email: NullableText,
    customer_name: NullableText,
    country: NullableText,
    amount_refunded: Money,
    amount_refundable: Money,
    error_code: NullableText,
    error_message: NullableText,
    gateway_code: NullableText,
    gateway_message: NullableText,
    chargeback_code: nullable(
      Type.String({ description: "The bank's reason of the chargeback that stands, such as MD06." }),
    ),
    reason: NullableText,
    held_until: nullable(Time),
  },
  { $id: "ManagedTransaction" },
);

/** The columns of an export: the fields of the list, and computed amounts. */
const EXPORT_COLUMNS = [...Object.keys(ManagedTransaction.properties), "signed_amount"] as const;

export const EXPORT_FORMATS = ["csv", "xlsx"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
export const EXPORT_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: "text/csv",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
};

/** An export has no pages. */
export const ExportQuery = Type.Object({
  ...FILTERS,
  format: Type.Optional(oneOf(EXPORT_FORMATS, { description: "`csv` unless said otherwise." })),
  columns: Type.Optional({
    ...commaList(EXPORT_COLUMNS),
    description:
      "Comma-separated fields of a transaction, in the order of the columns; all unless said otherwise. `signed_amount` is the amount, of a refund with a minus.",
  }),
});

export const ManagedTransactionDetail = Type.Object(
  {
    ...ManagedTransaction.properties,
    timeline: Type.Array(
      Type.Object({
        at: Time,
        kind: Type.String({
          description: "session, page, payment, refund, bank_file, bank, chargeback, rule, webhook or note",
        }),
        what: NullableText,
        why: NullableText,
        amount: NullableText,
        id: NullableUuid,
        whom: NullableText,
      }),
      { description: "The payment, its refunds, chargebacks and webhooks, oldest first; at most 500 steps." },
    ),
  },
  { $id: "ManagedTransactionDetail" },
);
