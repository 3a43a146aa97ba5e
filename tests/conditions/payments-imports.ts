/**
 * Statements of `src/payments/imports`: their effect, and the rows that they must leave alone
 * (tests/conditions.test.ts).
 */
import { added, type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { FOURTH, IMPORTED, OF_MANDATE, OTHER, OTHER_PAYMENT, RECORDED, THIRD } from "./rows.ts";

/** A line of a processor's file. */
const LINE = {
  id: THIRD,
  adapter_unique_id: "A-1",
  merchant_transaction_id: "M-1",
  transaction_id: "P-1",
  status: "approved",
  type: "sdd_sale",
  amount: 30,
  currency: "EUR",
  date_processed: "2026-01-20",
  iban_last4: "3000",
  iban_length: 22,
  bic: "MARKDEF1100",
  customer_email: "Ann@x.example",
  customer_name: "Ann",
  mandate_reference: "MND-1",
  mandate_date: "2025-12-24",
  email_key: "ann@x.example",
};
/** An imported chargeback of an unknown payment. */
const UNLINKED = {
  id: THIRD,
  adapter_unique_id: "A-1",
  merchant_transaction_id: "M-1",
  tenant_reference_id: "T-1",
  status: "charged_back",
  type: "chargeback",
  amount: 30,
  currency: "EUR",
  report_date: "2026-01-20",
  transaction_date: "2026-01-10",
  reason_code: "MD06",
  reason_message: "rm",
  report_type: "rt",
  report_message: "rp",
  report_info: "ri",
  arn: "arn",
  bic: "MARKDEF1100",
  email: "ann@x.example",
  country: "DE",
  source: "csv_import",
  cb_bank_fee: 3,
  transaction_id: null,
  lead_id: null,
  gateway_id: ID,
  created_at: "2026-01-21",
  updated_at: "2026-01-22",
  iban_last4: "3000",
  iban_length: 22,
  original_reference: "M-1",
  original_end_to_end_id: "E-1",
  original_transaction_id: "P-1",
};
/** A second payment. */
const SECOND = {
  id: OTHER,
  type: "sdd_sale",
  status: "pending",
  merchant_transaction_id: "M-2",
  gateway_reference: "P-2",
  adapter_unique_id: "A-2",
  session_id: OTHER,
  tenant_reference_id: null,
};

// Each case stays on one line or a few.
// prettier-ignore
export const PAYMENTS_IMPORTS: Entries = {
  "imports.complete_linked_chargeback": {
    given: { with: { adapterUniqueId: "y", reportType: "y", reportMessage: "y", reportInfo: "y", arn: "y" } },
    does: {
      chargebacks: {
        arn: "y", created_at: "2026-02-01", report_info: "y", report_type: "y", report_message: "y",
        adapter_unique_id: "y",
      },
    },
    not: {
      "another chargeback": { chargebacks: { id: OTHER } },
    },
    also: {
      "an id that the file does not say": {
        given: { with: { adapterUniqueId: null } },
        does: { chargebacks: { adapter_unique_id: undefined } },
      },
      "a time that the file does not say": {
        given: { with: { createdAt: null } },
        does: { chargebacks: { created_at: undefined } },
      },
    },
  },
  "imports.count": {
    given: {
      imports: { lines: 10, created: 10, duplicate: 10, linked: 10, rejected: 10, rejections: [{ line: 1 }] },
      with: { lines: 1, created: 2, duplicate: 3, linked: 4, rejected: 5, rejections: [{ line: 2 }] },
    },
    does: {
      imports: {
        lines: 11, linked: 14, created: 12, rejected: 15, duplicate: 13, rejections: [{ line: 1 }, { line: 2 }],
        updated_at: "2026-02-01",
      },
    },
    not: {
      "another import": { imports: { id: OTHER } },
    },
    also: {
      "a list that is full": {
        given: {
          imports: {
            rejections: [
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
            ],
          },
        },
        does: { imports: { rejections: undefined } },
      },
      "a list that is nearly full": {
        given: {
          imports: {
            rejections: [
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
            ],
          },
        },
        does: {
          imports: {
            rejections: [
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, { line: 2 },
            ],
          },
        },
      },
    },
  },
  "imports.finish": {
    given: { with: { status: "y", error: "y", sha256: "y" } },
    gives: [{ error: "y", status: "y", updated_at: "2026-02-01", file_sha256: "y" }],
    does: { imports: { error: "y", status: "y", updated_at: "2026-02-01", file_sha256: "y" } },
    not: {
      "another import": { imports: { id: OTHER } },
    },
  },
  "imports.end_abandoned": {
    given: { imports: { status: "running" }, with: { error: "failed" } },
    gives: [{ id: ID }],
    does: { imports: { error: "failed", status: "failed", updated_at: "2026-02-01" } },
    not: {
      "an import that is done": { imports: { status: "done" } },
      "an import that is running still": { imports: { updated_at: "2026-02-01" } },
    },
  },
  "imports.find": {
    given: { imports: { status: "running" } },
    gives: [{ id: ID, status: "running" }],
    not: {
      "another import": { imports: { id: OTHER } },
    },
  },
  "imports.has_gateway": {
    gives: [{ one: 1 }],
    not: {
      "another gateway": { gateways: { id: OTHER } },
    },
    also: {
      "an archived gateway": { given: { gateways: { archived_at: "2026-01-01" } } },
    },
  },
  "imports.insert": {
    given: {
      imports: [], with: { id: THIRD, kind: "chargebacks", fileName: "march.csv", dryRun: true, at: "2026-02-01" },
    },
    does: {
      imports: added({
        id: THIRD, kind: "chargebacks", status: "running", dry_run: true, file_name: "march.csv",
        created_at: "2026-02-01", gateway_id: ID, updated_at: "2026-02-01",
      }),
    },
  },
  "imports.insert_transactions": {
    given: { transactions: [], leads: { email_key: "ann@x.example" }, with: { rows: [LINE], at: "2026-02-01" } },
    gives: [{ linked: 1, created: 1 }],
    does: {
      transactions: added({
        id: THIRD, bic: "MARKDEF1100", type: "sdd_sale", amount: 30, source: "csv_import", status: "approved",
        lead_id: ID, currency: "EUR", created_at: "2026-02-01", gateway_id: ID, iban_last4: "3000",
        updated_at: "2026-02-01", iban_length: 22, mandate_date: "2025-12-24", processed_at: "2026-01-20",
        sequence_type: "FRST", adapter_unique_id: "A-1", customer_name_csv: "Ann", gateway_reference: "P-1",
        mandate_reference: "MND-1", customer_email_csv: "Ann@x.example", merchant_transaction_id: "M-1",
      }),
    },
    also: {
      "a customer who is not known": {
        given: { leads: { email_key: "bob@x.example" } },
        gives: [{ linked: 0 }],
        does: { transactions: { lead_id: undefined } },
      },
      "a renewal": {
        given: { with: { rows: [{ ...LINE, type: "sdd_rebill" }] } },
        does: { transactions: { type: "sdd_rebill", sequence_type: "RCUR" } },
      },
      "a payment that the processor knows under this id": {
        given: { transactions: [{ ...OTHER_PAYMENT, gateway_reference: "P-1" }] },
        gives: [{ linked: 0, created: 0 }],
        does: { transactions: [] },
      },
      "a payment that the processor knows under its second id": {
        given: { transactions: [{ ...OTHER_PAYMENT, gateway_reference: "A-1" }] },
        gives: [{ linked: 0, created: 0 }],
        does: { transactions: [] },
      },
      "a payment of another account with the same id": {
        given: {
          transactions: [
            {
              id: OTHER, gateway_id: OTHER, merchant_transaction_id: "y", adapter_unique_id: "A-1", session_id: OTHER,
              tenant_reference_id: null, gateway_reference: "P-1",
            },
          ],
        },
      },
      "another payment of the account": { given: { transactions: [{ ...OTHER_PAYMENT, gateway_reference: "P-9" }] } },
      "a payment with the merchant's id": {
        given: {
          transactions: [
            {
              id: OTHER, gateway_id: OTHER, merchant_transaction_id: "M-1", adapter_unique_id: "y", session_id: OTHER,
              tenant_reference_id: null, gateway_reference: "y",
            },
          ],
        },
        gives: [{ linked: 0, created: 0 }],
        does: { transactions: [] },
      },
      "two lines of one payment": { given: { with: { rows: [LINE, { ...LINE, id: FOURTH }] } } },
      "two payments": {
        given: {
          with: {
            rows: [
              LINE,
              {
                ...LINE, id: FOURTH, adapter_unique_id: "A-2", merchant_transaction_id: "M-2", transaction_id: "P-2",
                email_key: null,
              },
            ],
          },
        },
        gives: [{ created: 2 }],
        does: {
          transactions: [
            added({
              id: THIRD, bic: "MARKDEF1100", type: "sdd_sale", amount: 30, source: "csv_import", status: "approved",
              lead_id: ID, currency: "EUR", created_at: "2026-02-01", gateway_id: ID, iban_last4: "3000",
              updated_at: "2026-02-01", iban_length: 22, mandate_date: "2025-12-24", processed_at: "2026-01-20",
              sequence_type: "FRST", adapter_unique_id: "A-1", customer_name_csv: "Ann", gateway_reference: "P-1",
              mandate_reference: "MND-1", customer_email_csv: "Ann@x.example", merchant_transaction_id: "M-1",
            }),
            added({
              id: FOURTH, bic: "MARKDEF1100", type: "sdd_sale", amount: 30, source: "csv_import", status: "approved",
              currency: "EUR", created_at: "2026-02-01", gateway_id: ID, iban_last4: "3000", updated_at: "2026-02-01",
              iban_length: 22, mandate_date: "2025-12-24", processed_at: "2026-01-20", sequence_type: "FRST",
              adapter_unique_id: "A-2", customer_name_csv: "Ann", gateway_reference: "P-2",
              mandate_reference: "MND-1", customer_email_csv: "Ann@x.example", merchant_transaction_id: "M-2",
            }),
          ],
        },
      },
    },
  },
  "imports.lock_original": {
    given: {
      transactions: {
        ...RECORDED, status: "approved", type: "sdd_sale", merchant_transaction_id: "M-1", gateway_reference: "P-1",
        adapter_unique_id: "A-1",
      },
      mandates: OF_MANDATE, with: { theirs: ["P-1"], ours: [] },
    },
    gives: [
      {
        id: ID, email: "x", status: "approved", record_bic: "MBIC", record_iban: "******************3000",
        order_number: "x", record_mandate_date: "2026-01-05", record_mandate_reference_id: "MREF",
      },
    ],
    not: {
      "a refund": { transactions: { type: "sdd_refund" } },
      "another id of the processor": { with: { theirs: ["P-2"] } },
      "a payment of another account with the processor's id": { "+gateways": { id: OTHER }, transactions: { gateway_id: OTHER } },
      "a payment of another account with the processor's second id": { "+gateways": { id: OTHER }, transactions: { gateway_id: OTHER }, with: { theirs: ["A-1"] } },
      "another id of the merchant": { with: { theirs: [], ours: ["M-2"] } },
    },
    also: {
      "the processor's second id": { given: { with: { theirs: ["A-1"] } } },
      "the merchant's id": { given: { with: { theirs: [], ours: ["M-1"] } } },
      "the merchant's id, of a payment of another account": {
        given: {
          "+gateways": { id: OTHER }, transactions: { gateway_id: OTHER }, with: { theirs: [], ours: ["M-1"] },
        },
      },
      "an imported payment": {
        given: { transactions: IMPORTED },
        gives: [
          {
            email: null, record_bic: "TBIC", record_iban: "****************9999", order_number: null,
            record_mandate_date: "2026-01-06", record_mandate_reference_id: "TREF",
          },
        ],
      },
      "the processor's id before the merchant's": {
        given: { "+transactions": SECOND, with: { theirs: ["P-2"], ours: ["M-1"] } },
        gives: [{ id: OTHER, status: "pending" }],
      },
      "the processor's second id before the merchant's": {
        given: { "+transactions": SECOND, with: { theirs: ["A-2"], ours: ["M-1"] } },
        gives: [{ id: OTHER, status: "pending" }],
      },
      "the same id at another account after the merchant's": {
        given: {
          "+transactions": { ...SECOND, gateway_id: OTHER, gateway_reference: "P-1", adapter_unique_id: "A-1" },
          "+gateways": { id: OTHER }, with: { theirs: ["P-1"], ours: ["M-2"] },
        },
      },
      "the merchant's id before the end-to-end id": {
        given: { "+transactions": SECOND, with: { theirs: [], ours: ["M-2", "M-1"] } },
        gives: [{ id: OTHER, status: "pending" }],
      },
      "the merchant's id before the end-to-end id, the other way round": {
        given: { "+transactions": SECOND, with: { theirs: [], ours: ["M-1", "M-2"] } },
      },
    },
    same: {
      "dropped condition: gateway_reference is not null": "It is for the index: nothing equals null.",
      "dropped condition: adapter_unique_id is not null": "It is for the index: nothing equals null.",
    },
  },
  "imports.insert_unlinked_chargeback": {
    given: { chargebacks: [], with: { chargeback: UNLINKED } },
    gives: [{ id: THIRD }],
    does: {
      chargebacks: added({
        id: THIRD, arn: "arn", bic: "MARKDEF1100", email: "ann@x.example", amount: 30, source: "csv_import",
        country: "DE", currency: "EUR", created_at: "2026-01-21", gateway_id: ID, iban_last4: "3000",
        updated_at: "2026-01-22", cb_bank_fee: 3, iban_length: 22, reason_code: "MD06", report_date: "2026-01-20",
        report_info: "ri", report_type: "rt", reason_message: "rm", report_message: "rp",
        transaction_date: "2026-01-10", adapter_unique_id: "A-1", original_reference: "M-1",
        tenant_reference_id: "T-1", original_end_to_end_id: "E-1", merchant_transaction_id: "M-1",
        original_transaction_id: "P-1",
      }),
    },
    not: {
      "a payment that is charged back": { chargebacks: [{ merchant_transaction_id: "M-1" }] },
    },
    also: {
      "a payment whose chargeback was withdrawn": {
        given: { chargebacks: [{ merchant_transaction_id: "M-1", withdrawn_on: "2026-01-15" }] },
      },
    },
  },
  "imports.find_withdrawn_chargeback": {
    given: {
      chargebacks: {
        merchant_transaction_id: "M-1", adapter_unique_id: "A-1", arn: "ARN-1", report_date: "2026-01-10",
        withdrawn_on: "2026-01-20",
      },
      with: { merchantTransactionId: "M-1", adapterUniqueId: "A-2", arn: "ARN-2", reportDay: "2026-01-15" },
    },
    gives: [{ withdrawn_on: "2026-01-20", is_same: false }],
    not: {
      "another payment's chargeback": { with: { merchantTransactionId: "M-2" } },
      "a chargeback that stands": { chargebacks: { withdrawn_on: null } },
      "one that was taken back the day before": { chargebacks: { withdrawn_on: "2026-01-14" } },
    },
    also: {
      "one that was taken back on the day": {
        given: { chargebacks: { withdrawn_on: "2026-01-15" } },
        gives: [{ withdrawn_on: "2026-01-15" }],
      },
      "the same id": { given: { with: { adapterUniqueId: "A-1" } }, gives: [{ is_same: true }] },
      "the same ARN": { given: { with: { arn: "ARN-1" } }, gives: [{ is_same: true }] },
      "no ids, on another day": { given: { with: { adapterUniqueId: null, arn: null } } },
      "the first moment of the same day": {
        given: { chargebacks: { report_date: "2026-01-15T00:00:00Z" } }, gives: [{ is_same: true }],
      },
      "the last moment of the same day, without ids": {
        given: {
          chargebacks: { report_date: "2026-01-15T23:59:59.999Z" }, with: { adapterUniqueId: null, arn: null },
        },
        gives: [{ is_same: true }],
      },
      "the last of two": {
        given: {
          "+chargebacks": {
            id: OTHER, merchant_transaction_id: "M-1", report_date: "2026-01-22", withdrawn_on: "2026-01-25",
          },
        },
        gives: [{ withdrawn_on: "2026-01-25" }],
      },
      "the same one before the last": {
        given: {
          "+chargebacks": {
            id: OTHER, merchant_transaction_id: "M-1", report_date: "2026-01-22", withdrawn_on: "2026-01-25",
          },
          with: { arn: "ARN-1" },
        },
        gives: [{ is_same: true }],
      },
    },
    same: { "removed default: coalesce(withdrawn_on >= $3::date, false": "It is for the index: a null condition is not met." },
  },
  "imports.find_unlinked_chargebacks": {
    given: {
      chargebacks: {
        transaction_id: null, original_reference: "M-1", original_end_to_end_id: "E-1",
        original_transaction_id: "P-1",
      },
      with: { ours: ["M-1"], theirs: [] },
    },
    gives: [{ id: ID, amount: 1 }],
    not: {
      "a chargeback that has its payment": { chargebacks: { transaction_id: ID } },
      "a chargeback that has its payment, by its end-to-end id": { chargebacks: { transaction_id: ID }, with: { ours: ["E-1"] } },
      "a chargeback that has its payment, by the processor's id": { chargebacks: { transaction_id: ID }, with: { ours: [], theirs: ["P-1"] } },
      "a chargeback of another payment": { with: { ours: ["M-2"], theirs: ["P-2"] } },
      "the processor's id at another account": { chargebacks: { gateway_id: OTHER }, with: { ours: [], theirs: ["P-1"] } },
    },
    also: {
      "the end-to-end id": { given: { with: { ours: ["E-1"] } } },
      "the processor's id": { given: { with: { ours: [], theirs: ["P-1"] } } },
      "several": {
        given: {
          chargebacks: { created_at: "2026-01-10" },
          "+chargebacks": [
            {
              id: THIRD, transaction_id: null, merchant_transaction_id: "y", original_reference: "M-1",
              created_at: "2026-01-09", amount: 3,
            },
            {
              id: OTHER, transaction_id: null, merchant_transaction_id: "z", original_reference: "M-1",
              created_at: "2026-01-09", amount: 2,
            },
          ],
        },
        gives: [{ id: OTHER, amount: 2 }, { id: THIRD, amount: 3 }, { id: ID, amount: 1 }],
      },
    },
  },
  "imports.delete_unlinked_chargeback": {
    does: { chargebacks: "gone" },
    not: {
      "another chargeback": { chargebacks: { id: OTHER } },
    },
  },
  "imports.tenants_with_abandoned": {
    given: { imports: { status: "running", updated_at: "2026-01-31" }, with: { before: "2026-02-01" } },
    gives: [{ tenant: 1 }],
    not: {
      "an import that has made progress": { imports: { updated_at: "2026-02-01" } },
      "an import that is done": { imports: { status: "done" } },
      "an import that has failed": { imports: { status: "failed" } },
    },
    also: {
      "several imports of one tenant": {
        given: { "+imports": { id: OTHER, status: "running", updated_at: "2026-01-31" }, with: { limit: 9 } },
      },
    },
  },
};
