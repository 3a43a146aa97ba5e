/**
 * Statements of `src/mandates/dossier`: their effect, and the rows that they must leave alone
 * (tests/conditions.test.ts).
 */
import { type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { OTHER, THIRD } from "./rows.ts";

// Each case stays on one line or a few.
// prettier-ignore
export const MANDATES_DOSSIER: Entries = {
  "dossier.around": {
    given: { leads: { erased_at: "2026-01-01" } },
    gives: [{ page_id: ID, erased_at: "2026-01-01", tenant_id: ID, tenant_name: "x" }],
    not: {
      "another mandate": { mandates: { id: OTHER } },
    },
    also: {
      "an imported mandate": { given: { mandates: { session_id: null } }, gives: [{ page_id: null }] },
    },
  },
  "dossier.made": {
    given: {
      audit_log: { resource: "mandate-dossiers", resource_id: ID, after: { sha256: "abc" } }, with: { digest: "abc" },
    },
    gives: [{ at: "2026-01-01", actor_name: "x" }],
    not: {
      "a line about something else": { audit_log: { resource: "mandates" } },
      "a document about another mandate": { audit_log: { resource_id: OTHER } },
      "another document": { with: { digest: "abd" } },
    },
  },
  "dossier.debits": {
    given: {
      transactions: [
        { original_id: OTHER, created_at: "2026-01-02", merchant_transaction_id: "R" },
        {
          id: OTHER, session_id: OTHER, merchant_transaction_id: "D", adapter_unique_id: "y",
          tenant_reference_id: null, created_at: "2026-01-03", original_id: null, mandate_id: ID,
        },
        {
          id: THIRD, session_id: THIRD, merchant_transaction_id: "E", adapter_unique_id: "z",
          tenant_reference_id: null, created_at: "2026-01-03", original_id: null,
        },
      ],
      sepa_collections: { reference: "D", due_date: "2026-01-06" },
      sepa_files: { sent_at: "2026-01-04", message_id: "F" },
    },
    gives: [
      { id: THIRD, file_at: null, due_date: null, reference: "E", file_message_id: null, original_reference: null },
      {
        id: OTHER, file_at: "2026-01-04", due_date: "2026-01-06", reference: "D", file_message_id: "F",
        original_reference: null,
      },
      { id: ID, file_at: null, due_date: null, reference: "R", file_message_id: null, original_reference: "D" },
    ],
    not: {
      "another customer": { with: { leadId: OTHER } },
      "another mandate": { with: { id: OTHER } },
    },
    also: {
      "a file that was not sent": {
        given: { sepa_files: { sent_at: null } },
        gives: [{}, { file_at: null, file_message_id: null }, {}],
      },
      "an instruction of another account": {
        given: { sepa_collections: { gateway_id: OTHER } },
        gives: [{}, { file_at: null, due_date: null, file_message_id: null }, {}],
      },
    },
  },
  "dossier.returns": {
    given: {
      chargebacks: [
        { id: THIRD, merchant_transaction_id: "z", report_date: "2026-01-02" },
        { id: OTHER, merchant_transaction_id: "y", report_date: "2026-01-02", withdrawn_on: "2026-01-09" },
        { id: ID, report_date: "2026-01-05" },
      ],
    },
    gives: [
      { id: OTHER, withdrawn_on: "2026-01-09" }, { id: THIRD, withdrawn_on: null }, { id: ID, withdrawn_on: null },
    ],
    not: {
      "another debit": { with: { ids: [OTHER] } },
    },
  },
};
