/** Values and rows that the tables of this folder share. */

/** Ids besides the one that every row has. */
export const OTHER = "00000000-0000-4000-8000-000000000002";
export const THIRD = "00000000-0000-4000-8000-000000000003";
export const FOURTH = "00000000-0000-4000-8000-000000000004";

/** What every column of bytes holds. */
export const BYTES = "\\x78";

/** Events that go with a fact: of a session, which is always kept, and one that is kept where a receiver listens to it. */
export const EVENTS = [
  { id: THIRD, type: "payment_session.completed", payload: {}, messages: ["x", "y"] },
  { id: FOURTH, type: "transaction.created", payload: {}, messages: [] },
];

/** Payments beside the one. */
export const OTHER_PAYMENT = {
  id: OTHER,
  session_id: OTHER,
  merchant_transaction_id: "y",
  adapter_unique_id: "y",
  tenant_reference_id: null,
};
export const THIRD_PAYMENT = {
  ...OTHER_PAYMENT,
  id: THIRD,
  session_id: THIRD,
  merchant_transaction_id: "z",
  adapter_unique_id: "z",
};

export const FOURTH_PAYMENT = {
  ...OTHER_PAYMENT,
  id: FOURTH,
  session_id: FOURTH,
  merchant_transaction_id: "w",
  adapter_unique_id: "w",
};

/** What a processor's file has told of a payment's account and mandate. */
export const RECORDED = {
  iban_last4: "9999",
  iban_length: 20,
  bic: "TBIC",
  mandate_reference: "TREF",
  mandate_date: "2026-01-06",
};
/** What the mandate of a payment says of the same. */
export const OF_MANDATE = {
  iban_last4: "3000",
  iban_length: 22,
  bic: "MBIC",
  reference: "MREF",
  accepted_at: "2026-01-05",
};
/** An imported payment, of which only the file has told. */
export const IMPORTED = { order_id: null, session_id: null, lead_id: null, mandate_id: null };

/** Changes of fragments that several statements have, which no row can tell apart in those that name a mandate in any case. */
export const SAME: Readonly<Record<string, string>> = {
  "removed default: coalesce(m.iban_last4,": "Where there is a mandate it has this.",
  "removed default: coalesce(m.iban_length,": "Where there is a mandate it has this.",
  "removed default: coalesce(m.reference,": "Where there is a mandate it has this.",
  "removed default: coalesce(m.accepted_at,": "Where there is a mandate it has this.",
  "boundary: <= statement_timestamp()":
    "A lease that ends in this very microsecond is taken by the next pass.",
  "dropped assignment: resolve_count + 0": "What is not a pass of its own adds no try.",
  "arithmetic: + 0": "What is not a pass of its own adds no try.",
};
