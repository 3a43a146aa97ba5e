/**
 * Statements that erase personal data (`erase-store.ts` of each folder): their effect, and the rows that they must
 * leave alone (tests/conditions.test.ts).
 */
import { added, type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { OTHER } from "./rows.ts";

// Each case stays on one line or a few.
// prettier-ignore
export const ERASE: Entries = {
  "erase.lock_lead": {
    gives: [
      {
        id: ID, city: "x", email: "x", phone: "x", address: "x", email_key: "x", erased_at: null, last_name: "x",
        first_name: "x", postal_code: "x",
      },
    ],
    not: {
      "another customer": { leads: { id: OTHER } },
    },
  },
  "erase.lead": {
    given: { leads: { phone: "x" }, with: { at: "2026-02-01" } },
    does: {
      leads: {
        city: null, email: "erased-00000000-0000-4000-8000-000000000001@erased.invalid", phone: null, address: null,
        email_key: "erased-00000000-0000-4000-8000-000000000001@erased.invalid", erased_at: "2026-02-01",
        last_name: "erased", first_name: "erased", updated_at: "2026-02-01", postal_code: null,
      },
    },
    not: {
      "another customer": { leads: { id: OTHER } },
    },
  },
  "erase.counts": {
    given: { payment_counts: { kind: "lead", key: "x" }, with: { keys: ["x"] } },
    does: { payment_counts: "gone" },
    not: {
      "a count of another customer": { payment_counts: { key: "y" } },
      "a count of another customer's session": { payment_counts: { key: ID }, sessions: { lead_id: OTHER } },
    },
    also: {
      "a count of a session of the customer": { given: { payment_counts: { key: ID } } },
      "counts of both": {
        given: { "+payment_counts": { kind: "lead", key: ID } },
        does: { payment_counts: ["gone", "gone"] },
      },
    },
  },
  "erase.sessions": {
    does: {
      sessions: {
        metadata: null, customer_ip: null, product_name: "erased", cancel_redirect_url: null,
        product_description: "erased", tenant_reference_id: "erased-00000000-0000-4000-8000-000000000001",
        failure_redirect_url: null, success_redirect_url: null,
      },
    },
    not: {
      "a session of another customer": { sessions: { lead_id: OTHER } },
    },
    also: {
      "texts that do not name the customer": {
        given: { with: { own: "y" } },
        does: {
          sessions: { product_name: undefined, product_description: undefined, tenant_reference_id: undefined },
        },
      },
      "a name in other letters": { given: { with: { own: "X" } } },
    },
  },
  "erase.mandate": {
    given: {
      mandates: {
        account_blocked_at: "2026-01-02", status: "active", status_reason: "Ann called", accepted_user_agent: "x",
        wallet_presentation: {},
      },
      with: { at: "2026-02-01", sealed: "\\x79", fingerprint: "\\x7a" },
    },
    does: {
      mandates: {
        bic: null, status: "cancelled", bank_name: null, reference: "ERASED-0000000000004000800000000000",
        iban_last4: "XXXX", updated_at: "2026-02-01", accepted_ip: null, holder_name: "erased", iban_sealed: "\\x79",
        cancelled_at: "2026-02-01", cancelled_by: "creditor", status_reason: "erased", iban_fingerprint: "\\x7a",
        account_blocked_at: null, accepted_user_agent: null, wallet_presentation: null,
      },
    },
    not: {
      "another mandate": { mandates: { id: OTHER } },
    },
    also: {
      "a reference that does not name the customer": {
        given: { with: { own: "y" } },
        does: { mandates: { reference: undefined } },
      },
      "a name in other letters": { given: { with: { own: "X" } } },
      "a mandate that the customer has cancelled": {
        given: { mandates: { status: "cancelled", cancelled_by: "debtor", cancelled_at: "2026-01-05" } },
        does: { mandates: { status: undefined, cancelled_at: undefined, cancelled_by: undefined } },
      },
      "a mandate that has expired": {
        given: { mandates: { status: "expired" } },
        does: { mandates: { status: undefined, cancelled_at: undefined, cancelled_by: undefined } },
      },
      "a mandate that waits for its customer": {
        given: { mandates: { status: "pending" } },
        does: { mandates: { status: undefined, cancelled_at: undefined, cancelled_by: undefined } },
      },
      "a reason that is a code": {
        given: { mandates: { status_reason: "MD01" } },
        does: { mandates: { status_reason: undefined } },
      },
      "a text that begins with a code": { given: { mandates: { status_reason: "MD01 Ann" } } },
      "a text that ends with a code": { given: { mandates: { status_reason: "Ann MD01" } } },
      "no reason": { given: { mandates: { status_reason: null } }, does: { mandates: { status_reason: undefined } } },
    },
  },
  "erase.amendments": {
    does: {
      mandate_amendments: {
        accepted_ip: null, original_reference: "ERASED-000000000000400080000000-1", original_iban_last4: "XXXX",
        original_holder_name: "erased", original_iban_sealed: null,
      },
    },
    not: {
      "an amendment of another mandate": { mandate_amendments: { mandate_id: OTHER } },
    },
    also: {
      "a reference that does not name the customer": {
        given: { with: { own: "y" } },
        does: { mandate_amendments: { original_reference: undefined } },
      },
      "a name in other letters": { given: { with: { own: "X" } } },
      "an amendment that changed the account only": {
        given: { mandate_amendments: { original_reference: null, original_holder_name: null } },
        does: { mandate_amendments: { original_reference: undefined, original_holder_name: undefined } },
      },
      "an amendment that changed the name only": {
        given: {
          mandate_amendments: { original_reference: null, original_iban_last4: null, original_iban_sealed: null },
        },
        does: {
          mandate_amendments: {
            original_reference: undefined, original_iban_last4: undefined, original_iban_sealed: undefined,
          },
        },
      },
    },
  },
  "erase.notices": {
    given: { with: { subscriptions: [ID] } },
    does: { notices: { iban_last4: "XXXX", mandate_reference: "ERASED-0000000000004000800000000000" } },
    not: {
      "a notice of another subscription": { notices: { subscription_id: OTHER } },
    },
    also: {
      "a reference that does not name the customer": {
        given: { with: { own: "y" } },
        does: { notices: { mandate_reference: undefined } },
      },
      "a name in other letters": { given: { with: { own: "X" } } },
    },
  },
  "erase.cancel_reasons": {
    given: { subscriptions: { cancel_reason: "Ann has moved" } },
    does: { subscriptions: { cancel_reason: "erased" } },
    not: {
      "a subscription of another customer": { subscriptions: { lead_id: OTHER } },
      "a subscription that has not ended": { subscriptions: { cancel_reason: null } },
      "a subscription that a chargeback has ended": { subscriptions: { cancel_reason: "chargeback" } },
      "a subscription that a refund has ended": { subscriptions: { cancel_reason: "refund" } },
      "a subscription that ended with its mandate": { subscriptions: { cancel_reason: "mandate_cancelled" } },
      "a subscription that was not paid": { subscriptions: { cancel_reason: "payment_failed" } },
    },
  },
  "erase.transactions": {
    given: {
      transactions: { verification_url: "x", verification_id: "x", tenant_reference_id: "x", mandate_reference: "x" },
    },
    does: {
      transactions: {
        bic: null, reason: "erased", iban_last4: "XXXX", customer_ip: null, error_message: "erased",
        gateway_message: "erased", verification_id: null, verification_url: null, customer_name_csv: "erased",
        mandate_reference: "erased", customer_email_csv: "erased",
        tenant_reference_id: "erased-00000000-0000-4000-8000-000000000001",
      },
    },
    not: {
      "another payment": { transactions: { id: OTHER } },
    },
    also: {
      "texts that do not name the customer": {
        given: { with: { own: "y" } },
        does: {
          transactions: { error_message: undefined, mandate_reference: undefined, tenant_reference_id: undefined },
        },
      },
      "a name in other letters": { given: { with: { own: "X" } } },
      "a payment that has no texts": {
        given: {
          transactions: {
            reason: null, gateway_message: null, customer_email_csv: null, customer_name_csv: null, iban_last4: null,
          },
        },
        does: {
          transactions: {
            reason: undefined, iban_last4: undefined, gateway_message: undefined, customer_name_csv: undefined,
            customer_email_csv: undefined,
          },
        },
      },
    },
  },
  "erase.chargebacks": {
    does: {
      chargebacks: {
        bic: null, email: "erased", iban_last4: "XXXX", report_info: "erased", reason_message: "erased",
        report_message: "erased", original_reference: "erased", tenant_reference_id: "erased",
      },
    },
    not: {
      "another chargeback": { chargebacks: { id: OTHER } },
    },
    also: {
      "texts that do not name the customer": {
        given: { with: { own: "y" } },
        does: {
          chargebacks: { reason_message: undefined, original_reference: undefined, tenant_reference_id: undefined },
        },
      },
      "a name in other letters": { given: { with: { own: "X" } } },
      "a chargeback that has no texts": {
        given: { chargebacks: { email: null, report_message: null, report_info: null, iban_last4: null } },
        does: {
          chargebacks: { email: undefined, iban_last4: undefined, report_info: undefined, report_message: undefined },
        },
      },
    },
  },
  "erase.import_rejections": {
    given: { with: { rejections: "[1]", name: "erased.csv", error: "erased" } },
    does: { imports: { error: "erased", file_name: "erased.csv", rejections: [1] } },
    not: {
      "another import": { imports: { id: OTHER } },
    },
  },
  "erase.payment_notes": {
    does: { payment_notes: { text: "erased" } },
    not: {
      "a note on another payment": { payment_notes: { transaction_id: OTHER } },
    },
  },
  "erase.set_aside": {
    does: { gateway_news_set_aside: { why: "erased" } },
    not: {
      "news of another payment": { gateway_news_set_aside: { reference: "y" } },
    },
  },
  "erase.sandbox_books": {
    given: { sandbox_books: { mandate_reference: "x" } },
    does: {
      sandbox_books: { iban_last4: "XXXX", return_url: null, answer_message: "erased", mandate_reference: "ERASED" },
    },
    not: {
      "a debit of another payment": { sandbox_books: { reference: "y" } },
    },
    also: {
      "texts that do not name the customer": {
        given: { with: { own: "y" } },
        does: { sandbox_books: { answer_message: undefined, mandate_reference: undefined } },
      },
      "a name in other letters": { given: { with: { own: "X" } } },
    },
  },
  "erase.sepa_collections": {
    does: {
      sepa_collections: { debtor: null, remittance: "erased", debtor_name: "erased", mandate_reference: "ERASED" },
    },
    not: {
      "a debit of another payment": { sepa_collections: { reference: "y" } },
    },
    also: {
      "texts that do not name the customer": {
        given: { with: { own: "y" } },
        does: { sepa_collections: { remittance: undefined, mandate_reference: undefined } },
      },
      "a name in other letters": { given: { with: { own: "X" } } },
    },
  },
  "erase.sepa_entries": {
    does: { sepa_entries: { detail: "erased" } },
    not: {
      "an entry of another payment": { sepa_entries: { reference: "y" } },
      "an entry without a text": { sepa_entries: { detail: "" } },
    },
  },
  "erase.sepa_file": {
    given: { with: { content: "\\x79" } },
    does: { sepa_files: { content: "\\x79" } },
    not: {
      "another file": { sepa_files: { id: OTHER } },
    },
  },
  "erase.sepa_file_piece": {
    given: { sepa_file_pieces: { number: 1 }, with: { number: 2, content: "\\x79" } },
    does: { sepa_file_pieces: added({ number: 2, content: "\\x79", file_id: ID }) },
    also: {
      "an existing piece": {
        given: { with: { number: 1 } },
        does: { sepa_file_pieces: { number: undefined, file_id: undefined, added: undefined } },
      },
      "a piece of another file": { given: { with: { id: OTHER } }, does: { sepa_file_pieces: { file_id: OTHER } } },
    },
  },
  "erase.sepa_news": {
    does: { sepa_news: { reason_message: "erased" } },
    not: {
      "news of another payment": { sepa_news: { reference: "y" } },
      "news without a text": { sepa_news: { reason_message: null } },
    },
  },
  "erase.sepa_unmatched": {
    given: { with: { facts: "{\"a\":1}", why: "erased", resolution: "erased" } },
    does: { sepa_unmatched: { why: "erased", facts: { a: 1 }, resolution: "erased" } },
    not: {
      "another entry": { sepa_unmatched: { id: OTHER } },
    },
  },
};
