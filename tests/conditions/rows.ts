/** Values and rows that the tables of this folder share. */
import type { Case, Given } from "../support/conditions.ts";

/** Ids besides `ID`, which every row has. */
export const OTHER = "00000000-0000-4000-8000-000000000002";
export const THIRD = "00000000-0000-4000-8000-000000000003";
export const FOURTH = "00000000-0000-4000-8000-000000000004";

/** The value of every column of bytes. */
export const BYTES = "\\x78";

/**
 * Events that a statement is asked to write: one of a session, which is always stored, and one that is stored if a
 * receiver subscribes to it.
 */
export const EVENTS = [
  { id: THIRD, type: "payment_session.completed", payload: {}, messages: ["x", "y"] },
  { id: FOURTH, type: "transaction.created", payload: {}, messages: [] },
];

/** Further payments. */
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

/** Account and mandate of a payment according to a processor's file. */
export const RECORDED = {
  iban_last4: "9999",
  iban_length: 20,
  bic: "TBIC",
  mandate_reference: "TREF",
  mandate_date: "2026-01-06",
};
/** The same according to the payment's mandate. */
export const OF_MANDATE = {
  iban_last4: "3000",
  iban_length: 22,
  bic: "MBIC",
  reference: "MREF",
  accepted_at: "2026-01-05",
};
/** A payment that is known only from the file. */
export const IMPORTED = { order_id: null, session_id: null, lead_id: null, mandate_id: null };

/**
 * Mutations of fragments that several statements share, which no row can detect in statements that always name a
 * mandate.
 */
export const SAME: Readonly<Record<string, string>> = {
  "removed default: coalesce(m.iban_last4,": "If there is a mandate, it has this value.",
  "removed default: coalesce(m.iban_length,": "If there is a mandate, it has this value.",
  "removed default: coalesce(m.reference,": "If there is a mandate, it has this value.",
  "removed default: coalesce(m.accepted_at,": "If there is a mandate, it has this value.",
  "boundary: <= statement_timestamp()": "The next pass takes a lease that ends in this microsecond.",
  "dropped assignment: resolve_count + 0": "Only a pass of recovery counts as a try.",
  "arithmetic: + 0": "Only a pass of recovery counts as a try.",
};

/** A person's download of a file. */
export const EXPORTED = { resource: "sepa-files", action: "export" };

// prettier-ignore
/** The second file is not at the bank. Shared by all statements that check this (`mayBeAtBank`). */
export const NOT_AT_BANK: Readonly<Record<string, Given>> = {
  "a collection whose later file was not sent": { "sepa_files[1]": { status: "ready" } },
  "a later file beside one that was downloaded": { "sepa_files[1]": { status: "ready" }, audit_log: [{ ...EXPORTED, resource_id: OTHER }] },
  "a later file beside another record that was downloaded": { "sepa_files[1]": { status: "ready" }, audit_log: [{ ...EXPORTED, resource: "payments" }] },
  "a later file that was only approved": { "sepa_files[1]": { status: "ready" }, audit_log: [{ ...EXPORTED, action: "approve" }] },
  "a later file that was downloaded and waits for its upload": { "sepa_files[1]": { status: "stored" }, audit_log: [EXPORTED] },
};

// prettier-ignore
/** The second file is at the bank, or may be. */
export const MAY_BE_AT_BANK: Readonly<Record<string, Case>> = {
  "a later file of which it is unknown whether the bank has it": { given: { "sepa_files[1]": { status: "unclear" } } },
  "a later file whose answer is awaited": { given: { "sepa_files[1]": { status: "renaming" } } },
  "a later file that is being sent": { given: { "sepa_files[1]": { status: "uploading" } } },
  "a later file that was downloaded": { given: { "sepa_files[1]": { status: "ready" }, audit_log: [EXPORTED] } },
};
