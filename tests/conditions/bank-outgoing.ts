/**
 * Statements of `src/gateways/sepa-batch/outgoing`: their effect, and the rows that they must leave alone
 * (tests/conditions.test.ts).
 */
import { added, type Case, type Entries, type Given } from "../support/conditions.ts";
import { ID, type Row } from "../support/one-row.ts";
import { IN_DOUBT, NOT_IN_DOUBT, REFUND } from "./bank-doubt.ts";
import { OTHER, OTHER_PAYMENT, THIRD } from "./rows.ts";

/** The same cases when refunds are wanted. */
function asRefunds(rows: Readonly<Record<string, Given>>): Readonly<Record<string, Given>> {
  return Object.fromEntries(
    Object.entries(rows).map(([name, given]) => [name, { ...given, with: { refunds: true } }]),
  );
}

/** @param found how the outcome differs from the entry's. */
function refunds(rows: Readonly<Record<string, Given>>, found: Row): Readonly<Record<string, Case>> {
  return Object.fromEntries(
    Object.entries(asRefunds(rows)).map(([name, given]) => [name, { given, gives: [found] }]),
  );
}

// Each case stays on one line or a few.
// prettier-ignore
export const BANK_OUTGOING: Entries = {
  "sepa_files.amend_outdated_mandates": {
    given: {
      gateways: {
        settings: {
          creditor_name: "G", creditor_identifier: "GI", creditor_city: "GC", creditor_address: "GA",
          creditor_postal_code: "GP", creditor_country: "GL", scheme: "B2B", pre_notification_days: "5",
        },
      },
      mandate_amendments: { number: 4 }, mandates: { creditor_name: "old", creditor_identifier: "old id" },
    },
    gives: [{ id: ID, creditor_name: "G", creditor_identifier: "GI" }],
    does: {
      mandate_amendments: added({
        at: "2026-02-01", kind: "creditor", number: 5, mandate_id: ID, original_creditor_name: "old",
        original_creditor_identifier: "old id",
      }),
      mandates: {
        updated_at: "2026-02-01", creditor_city: "GC", creditor_name: "G", creditor_address: "GA",
        creditor_country: "GL", creditor_identifier: "GI", creditor_postal_code: "GP",
      },
    },
    not: {
      "another mandate": { with: { ids: [OTHER] } },
    },
    also: {
      "the first amendment": { given: { mandate_amendments: [] }, does: { mandate_amendments: { number: 1 } } },
      "another mandate's amendments": {
        given: { mandate_amendments: { mandate_id: OTHER, number: 4 } },
        does: { mandate_amendments: { number: 1 } },
      },
      "a creditor that the tenant names": {
        given: { gateways: { settings: {} } },
        gives: [{ creditor_name: "x", creditor_identifier: "x" }],
        does: {
          mandates: {
            creditor_city: undefined, creditor_name: "x", creditor_address: undefined, creditor_country: undefined,
            creditor_identifier: "x", creditor_postal_code: undefined,
          },
        },
      },
      "a creditor without an address": {
        given: { gateways: { settings: {} }, tenants: { city: null } },
        gives: [{ creditor_name: "x", creditor_identifier: "x" }],
        does: {
          mandates: {
            creditor_city: null, creditor_name: "x", creditor_address: null, creditor_country: null,
            creditor_identifier: "x", creditor_postal_code: null,
          },
        },
      },
      "another account": { given: { gateways: { id: OTHER } }, gives: [], does: { mandates: [] } },
    },
    same: {
      "removed default: coalesce(g.settings ->> 'scheme'": "The mandate does not have it; the fragment needs it in other statements.",
      "other word: 'CORE'": "The mandate does not have it; the fragment needs it in other statements.",
      "removed default: coalesce((g.settings ->> 'pre_notification_days')": "The mandate does not have it; the fragment needs it in other statements.",
    },
  },
  "sepa_files.stop": {
    given: {
      sepa_collections: { state: "accepted", refund_of: null, not_before: "2026-01-20", reversible_until: null },
      transactions: { status: "declined", cycle: 1 }, mandates: { status: "active" }, sepa_news: [],
      with: { takesReversals: true, refunds: false, due: "2026-02-01", on: "2026-01-30" },
    },
    gives: [{ stopped: 1 }],
    does: {
      sepa_collections: {
        state: "rejected", updated_at: "2026-02-01", reason_code: "NARR", returned_on: "2026-01-30",
      },
    },
    also: {
      "a payment that is approved": { given: { transactions: { status: "approved" } } },
      "a payment that is refunded": { given: { transactions: { status: "refunded" } } },
      "a payment that is charged back": { given: { transactions: { status: "charged_back" } } },
      "a payment that is pending": {
        given: { transactions: { status: "pending" } },
        gives: [{ stopped: 0 }],
        does: { sepa_collections: [] },
      },
      "another payment": {
        given: { transactions: { merchant_transaction_id: "y" } },
        gives: [{ stopped: 0 }],
        does: { sepa_collections: [] },
      },
      "a collection that is in a file": {
        given: { sepa_collections: { state: "batched" } },
        gives: [{ stopped: 0 }],
        does: { sepa_collections: [] },
      },
      "another account's collection": {
        given: { sepa_collections: { gateway_id: OTHER } },
        gives: [{ stopped: 0 }],
        does: { sepa_collections: [] },
      },
      "a collection of a later day": {
        given: { sepa_collections: { not_before: "2026-02-02" } },
        gives: [{ stopped: 0 }],
        does: { sepa_collections: [] },
      },
      "a collection of this day": { given: { sepa_collections: { not_before: "2026-02-01" } } },
      "refunds are wanted": {
        given: { with: { refunds: true } },
        gives: [{ stopped: 0 }],
        does: { sepa_collections: [] },
      },
      "a mandate that was cancelled": {
        given: { transactions: { status: "pending" }, mandates: { status: "cancelled" } },
        does: {
          sepa_collections: { reason_code: "MD01" },
          sepa_news: added({
            at: "2026-01-30", kind: "returned", reference: "x", gateway_id: ID, reason_code: "MD01",
            reason_message: "The mandate ended before the collection went to the bank.",
          }),
        },
      },
      "a mandate that was rejected": {
        given: { transactions: { status: "pending" }, mandates: { status: "rejected" } },
        does: {
          sepa_collections: { reason_code: "MD01" },
          sepa_news: added({
            at: "2026-01-30", kind: "returned", reference: "x", gateway_id: ID, reason_code: "MD01",
            reason_message: "The mandate ended before the collection went to the bank.",
          }),
        },
      },
      "a mandate that has expired": {
        given: { transactions: { status: "pending" }, mandates: { status: "expired" } },
        does: {
          sepa_collections: { reason_code: "MD01" },
          sepa_news: added({
            at: "2026-01-30", kind: "returned", reference: "x", gateway_id: ID, reason_code: "MD01",
            reason_message: "The mandate ended before the collection went to the bank.",
          }),
        },
      },
      "another mandate": {
        given: { transactions: { status: "pending" }, mandates: { id: OTHER, status: "cancelled" } },
        gives: [{ stopped: 0 }],
        does: { sepa_collections: [] },
      },
      "a stop that is already in the news": {
        given: {
          transactions: { status: "pending" }, mandates: { status: "cancelled" },
          sepa_news: { kind: "returned", round: 0 },
        },
        does: { sepa_collections: { reason_code: "MD01" } },
      },
      "a refund of a collection that was returned": {
        given: {
          with: { refunds: true }, transactions: { status: "pending" },
          sepa_collections: { reference: "x", refund_of: "y" },
          "+sepa_collections": { reference: "y", refund_of: null, state: "returned" },
        },
        does: {
          sepa_collections: { reason_code: "ARDT" },
          sepa_news: added({
            at: "2026-01-30", kind: "returned", reference: "x", gateway_id: ID, reason_code: "ARDT",
            reason_message: "The debit came back before the refund went to the bank: the customer has the money already.",
          }),
        },
      },
      "a refund of a collection that has settled, where the mandate was cancelled": {
        given: {
          with: { refunds: true }, transactions: { status: "pending" }, mandates: { status: "cancelled" },
          sepa_collections: { reference: "x", refund_of: "y" },
          "+sepa_collections": { reference: "y", refund_of: null, state: "settled" },
        },
        gives: [{ stopped: 0 }],
        does: { sepa_collections: [] },
      },
      "a refund of a collection that was returned, where the mandate was cancelled": {
        given: {
          with: { refunds: true }, transactions: { status: "pending" }, mandates: { status: "cancelled" },
          sepa_collections: { reference: "x", refund_of: "y" },
          "+sepa_collections": { reference: "y", refund_of: null, state: "returned" },
        },
        does: {
          sepa_collections: { reason_code: "ARDT" },
          sepa_news: added({
            at: "2026-01-30", kind: "returned", reference: "x", gateway_id: ID, reason_code: "ARDT",
            reason_message: "The debit came back before the refund went to the bank: the customer has the money already.",
          }),
        },
      },
      "a transfer of an account that takes no reversals": {
        given: {
          with: { refunds: true, takesReversals: false }, transactions: { status: "pending" },
          sepa_collections: { reference: "x", refund_of: "y" },
          "+sepa_collections": { reference: "y", refund_of: null, state: "settled" },
        },
        gives: [{ stopped: 0 }],
        does: { sepa_collections: [] },
      },
      "a refund of a collection that has settled": {
        given: {
          with: { refunds: true }, transactions: { status: "pending" },
          sepa_collections: { reference: "x", refund_of: "y" },
          "+sepa_collections": { reference: "y", refund_of: null, state: "settled" },
        },
        gives: [{ stopped: 0 }],
        does: { sepa_collections: [] },
      },
      "a refund of a collection that nobody knows": {
        given: {
          with: { refunds: true }, transactions: { status: "pending" },
          sepa_collections: { reference: "x", refund_of: "y" },
        },
        does: {
          sepa_collections: { reason_code: "ARDT" },
          sepa_news: added({
            at: "2026-01-30", kind: "returned", reference: "x", gateway_id: ID, reason_code: "ARDT",
            reason_message: "The debit came back before the refund went to the bank: the customer has the money already.",
          }),
        },
      },
      "a refund of another account's collection": {
        given: {
          with: { refunds: true }, transactions: { status: "pending" },
          sepa_collections: { reference: "x", refund_of: "y" },
          "+sepa_collections": { gateway_id: OTHER, reference: "y", refund_of: null, state: "settled" },
        },
        does: {
          sepa_collections: { reason_code: "ARDT" },
          sepa_news: added({
            at: "2026-01-30", kind: "returned", reference: "x", gateway_id: ID, reason_code: "ARDT",
            reason_message: "The debit came back before the refund went to the bank: the customer has the money already.",
          }),
        },
      },
      "a refund of a payment that was charged back": {
        given: {
          with: { refunds: true },
          transactions: [{ status: "pending" }, { ...OTHER_PAYMENT, status: "charged_back" }],
          sepa_collections: { reference: "x", refund_of: "y" },
          "+sepa_collections": { reference: "y", refund_of: null, state: "settled" },
        },
        does: {
          sepa_collections: { reason_code: "ARDT" },
          sepa_news: added({
            at: "2026-01-30", kind: "returned", reference: "x", gateway_id: ID, reason_code: "ARDT",
            reason_message: "The debit came back before the refund went to the bank: the customer has the money already.",
          }),
        },
      },
      "a refund, whose mandate may have ended": {
        given: {
          with: { refunds: true }, transactions: { status: "pending" }, mandates: { status: "cancelled" },
          sepa_collections: { reference: "x", refund_of: "y" },
          "+sepa_collections": { reference: "y", refund_of: null, state: "settled" },
        },
        gives: [{ stopped: 0 }],
        does: { sepa_collections: [] },
      },
      "a reversal in its last day": {
        given: {
          with: { refunds: true }, transactions: { status: "pending" },
          sepa_collections: { reference: "x", refund_of: "y", reversible_until: "2026-01-30" },
          "+sepa_collections": { reference: "y", refund_of: null, state: "settled" },
        },
        gives: [{ stopped: 0 }],
        does: { sepa_collections: [] },
      },
      "a reversal that is too late": {
        given: {
          with: { refunds: true }, transactions: { status: "pending" },
          sepa_collections: { reference: "x", refund_of: "y", reversible_until: "2026-01-29" },
          "+sepa_collections": { reference: "y", refund_of: null, state: "settled" },
        },
        does: {
          sepa_collections: { reason_code: "DT01" },
          sepa_news: added({
            at: "2026-01-30", kind: "returned", reference: "x", gateway_id: ID, reason_code: "DT01",
            reason_message: "The reversal did not go to the bank in the time in which it takes one: refund the payment by transfer.",
          }),
        },
      },
      "a reversal, where the account sends none any more": {
        given: {
          with: { refunds: true, takesReversals: false }, transactions: { status: "pending" },
          sepa_collections: { reference: "x", refund_of: "y", reversible_until: "2026-02-10" },
          "+sepa_collections": { reference: "y", refund_of: null, state: "settled" },
        },
        does: {
          sepa_collections: { reason_code: "AG02" },
          sepa_news: added({
            at: "2026-01-30", kind: "returned", reference: "x", gateway_id: ID, reason_code: "AG02",
            reason_message: "The account sends no reversals any more: refund the payment by transfer.",
          }),
        },
      },
      "two at once": {
        given: {
          transactions: [{ status: "declined" }, { ...OTHER_PAYMENT, status: "pending", mandate_id: ID }],
          mandates: { status: "cancelled" },
          "+sepa_collections": {
            reference: "y", state: "accepted", refund_of: null, not_before: "2026-01-20", reversible_until: null,
          },
        },
        gives: [{ stopped: 2 }],
        does: {
          sepa_collections: [
            { state: "rejected", updated_at: "2026-02-01", reason_code: "NARR", returned_on: "2026-01-30" },
            {
              reference: "y", state: "rejected", updated_at: "2026-02-01", reason_code: "MD01",
              returned_on: "2026-01-30",
            },
          ],
          sepa_news: added({
            at: "2026-01-30", kind: "returned", reference: "y", gateway_id: ID, reason_code: "MD01",
            reason_message: "The mandate ended before the collection went to the bank.",
          }),
        },
      },
    },
    same: {
      "dropped condition: m.status in ('rejected'": "A later condition selects the stopped ones; this one only chooses the reason.",
      "dropped condition: c.refund_of is not null and (o.state": "A later condition selects the stopped ones; this one only chooses the reason.",
      "other word: 'back'": "Only whether there is a reason matters, not which one.",
      "dropped condition: c.gateway_id = $3 and c.state": "The stopped ones are looked up below in this account, where a reference belongs to one collection.",
      "dropped condition: c.state = 'accepted'": "The condition is checked before and after the row is locked.",
    },
  },
  "sepa_files.lock_for_run": {
    gives: [{ last_number: 1 }],
    not: {
      "an account that has run today": { sepa_accounts: { last_run_on: "2026-02-01" } },
    },
    also: {
      "the last run of the day": {
        given: { with: { last: true } },
        does: { sepa_accounts: { last_run_at: "2026-02-01", last_run_on: "2026-02-01" } },
      },
      "an account that ran on another day": { given: { sepa_accounts: { last_run_on: "2025-12-01" } } },
      "an account that has run before": { given: { sepa_accounts: { last_run_at: "2025-12-01" } } },
    },
  },
  "sepa_files.set_last_number": {
    given: { sepa_accounts: { last_number: 0 } },
    does: { sepa_accounts: { last_number: 1 } },
    not: {
      "another account": { sepa_accounts: { gateway_id: OTHER } },
    },
  },
  "sepa_files.waiting": {
    given: {
      sepa_collections: {
        state: "accepted", refund_of: null, not_before: "2026-01-20", scheme: null, reversible_until: null,
        mandate_id: null,
      },
      transactions: { status: "submitted", cycle: 1 },
      mandates: { status: "active", scheme: "CORE", used_elsewhere: false },
      mandate_amendments: { number: 3, kind: "holder" }, subscriptions: { status: "ACTIVE" }, sepa_unmatched: [],
      with: { due: "2026-02-01", refunds: false, confirmedBy: "2026-02-01", limit: 5 },
    },
    gives: [{ scheme: "CORE", last_amendment: 3, mandate_unused: true }],
    not: {
      "another account's collection": { sepa_collections: { gateway_id: OTHER } },
      "a collection that is in a file": { sepa_collections: { state: "batched" } },
      "a collection of a later day": { sepa_collections: { not_before: "2026-02-02" } },
      "refunds are wanted": { with: { refunds: true } },
      "a payment that is approved": { transactions: { status: "approved" } },
      "a payment that was declined": { transactions: { status: "declined" } },
      "a payment that is refunded": { transactions: { status: "refunded" } },
      "a payment that is charged back": { transactions: { status: "charged_back" } },
      "a mandate that was cancelled": { mandates: { status: "cancelled" } },
      "a mandate that was rejected": { mandates: { status: "rejected" } },
      "a mandate that has expired": { mandates: { status: "expired" } },
      "a cycle that another attempt has paid": { "+transactions": { ...OTHER_PAYMENT, status: "approved", cycle: 1 } },
      "a cycle that another attempt has paid, which was refunded": { "+transactions": { ...OTHER_PAYMENT, status: "refunded", cycle: 1 } },
      "a subscription that was cancelled": { subscriptions: { status: "CANCELLED" } },
      "a business account that has not confirmed the mandate": { mandates: { scheme: "B2B", bank_confirmed_on: null } },
      "a business account that confirms it later": { mandates: { scheme: "B2B", bank_confirmed_on: "2026-02-02" } },
      "a business account that was changed since it was used elsewhere": { mandates: { scheme: "B2B", used_elsewhere: true }, mandate_amendments: { kind: "account" } },
      "a collection under another scheme than its mandate's": { sepa_collections: { scheme: "B2B" } },
      "a refund of a collection that was returned": {
        with: { refunds: true }, sepa_collections: { refund_of: "y" },
        "+sepa_collections": { reference: "y", state: "returned" },
      },
      "a refund of a payment that was charged back": {
        with: { refunds: true }, sepa_collections: { refund_of: "y" },
        "+sepa_collections": { reference: "y", state: "settled" },
        "+transactions": { ...OTHER_PAYMENT, status: "charged_back" },
      },
      ...asRefunds(IN_DOUBT),
    },
    also: {
      "a collection of this day": { given: { sepa_collections: { not_before: "2026-02-01" } } },
      "a payment that has been accepted": { given: { transactions: { status: "pending" } } },
      "another payment ended": {
        given: { transactions: { merchant_transaction_id: "y", status: "declined" } },
        gives: [
          {
            scheme: null, mandate_id: null, holder_name: null, iban_sealed: null, creditor_name: null,
            last_amendment: 0, mandate_unused: false, creditor_identifier: null,
          },
        ],
      },
      "another attempt at the cycle is pending": {
        given: { "+transactions": { ...OTHER_PAYMENT, status: "pending", cycle: 1 } },
      },
      "another cycle is paid": { given: { "+transactions": { ...OTHER_PAYMENT, status: "approved", cycle: 2 } } },
      "another subscription's cycle is paid": {
        given: { "+transactions": { ...OTHER_PAYMENT, subscription_id: OTHER, status: "approved", cycle: 1 } },
      },
      "a first payment of a subscription that was cancelled": {
        given: { transactions: { cycle: null }, subscriptions: { status: "CANCELLED" } },
      },
      "a subscription that ends with its period": {
        given: { subscriptions: { status: "CANCELLED", cancel_at_period_end: true } },
      },
      "another subscription was cancelled": { given: { subscriptions: { id: OTHER, status: "CANCELLED" } } },
      "a business account that has confirmed the mandate": {
        given: { mandates: { scheme: "B2B", bank_confirmed_on: "2026-02-01" } },
        gives: [{ scheme: "B2B" }],
      },
      "a business account that was used elsewhere": {
        given: { mandates: { scheme: "B2B", used_elsewhere: true } },
        gives: [{ scheme: "B2B", mandate_unused: false }],
      },
      "a business account whose other mandate was changed": {
        given: {
          mandates: { scheme: "B2B", used_elsewhere: true },
          mandate_amendments: { mandate_id: OTHER, kind: "account" },
        },
        gives: [{ scheme: "B2B", last_amendment: 0, mandate_unused: false }],
      },
      "a business account, without the required confirmation": {
        given: { mandates: { scheme: "B2B" }, with: { confirmedBy: null } },
        gives: [{ scheme: "B2B" }],
      },
      "a refund": {
        given: {
          with: { refunds: true }, sepa_collections: { refund_of: "y" },
          "+sepa_collections": { reference: "y", state: "settled" }, mandates: { status: "cancelled", scheme: "B2B" },
        },
        gives: [{ scheme: "B2B", refund_of: "y", debit_file: ID, mandate_unused: false }],
      },
      ...refunds(NOT_IN_DOUBT, { refund_of: "y", debit_file: OTHER, mandate_unused: false }),
      "a refund of a renewal that another attempt has paid": {
        given: {
          ...REFUND, with: { refunds: true },
          "+transactions": { ...OTHER_PAYMENT, merchant_transaction_id: "z", status: "approved", cycle: 1 },
        },
        gives: [{ refund_of: "y", debit_file: OTHER, mandate_unused: false }],
      },
      "a refund of a renewal of a subscription that was cancelled": {
        given: { ...REFUND, with: { refunds: true }, subscriptions: { status: "CANCELLED" } },
        gives: [{ refund_of: "y", debit_file: OTHER, mandate_unused: false }],
      },
      "a mandate without a collection here, with another one that has one": {
        given: { "+sepa_collections": { reference: "y", state: "settled", mandate_id: OTHER } },
      },
      "a mandate that was used here": {
        given: { "+sepa_collections": { reference: "y", state: "settled", mandate_id: ID } },
        gives: [{ mandate_unused: false }],
      },
      "a mandate that is used in a file": {
        given: { "+sepa_collections": { reference: "y", state: "batched", mandate_id: ID } },
        gives: [{ mandate_unused: false }],
      },
      "a mandate whose collection came back": {
        given: { "+sepa_collections": { reference: "y", state: "returned", mandate_id: ID } },
        gives: [{ mandate_unused: false }],
      },
      "a mandate whose collection was rejected": {
        given: { "+sepa_collections": { reference: "y", state: "rejected", mandate_id: ID } },
      },
      "a mandate that was used elsewhere": {
        given: { mandates: { used_elsewhere: true } },
        gives: [{ mandate_unused: false }],
      },
      "a mandate without an amendment": { given: { mandate_amendments: [] }, gives: [{ last_amendment: 0 }] },
      "an instruction without a payment of ours": {
        given: { transactions: [] },
        gives: [
          {
            scheme: null, mandate_id: null, holder_name: null, iban_sealed: null, creditor_name: null,
            last_amendment: 0, mandate_unused: false, creditor_identifier: null,
          },
        ],
      },
      "in the order in which they came": {
        given: {
          transactions: [],
          "+sepa_collections": {
            reference: "a", state: "accepted", refund_of: null, not_before: "2026-01-20", created_at: "2026-01-02",
            mandate_id: null,
          },
        },
        gives: [{ last_amendment: 0 }, { reference: "a", last_amendment: 0 }],
      },
      "no more than fit": {
        given: {
          transactions: [],
          "+sepa_collections": {
            reference: "a", state: "accepted", refund_of: null, not_before: "2026-01-20", mandate_id: null,
          },
          with: { limit: 1 },
        },
        gives: [
          {
            scheme: "x", reference: "a", mandate_id: null, holder_name: null, iban_sealed: null, creditor_name: null,
            last_amendment: 0, mandate_unused: false, creditor_identifier: null,
          },
        ],
      },
    },
    same: {
      "other word: 'back'": "Only whether there is a reason matters, not which one.",
      "dropped condition: t.cycle is not null and exists ( select o.id": "No cycle is the same as none.",
      "dropped condition: o.id <> t.id": "A successful payment has ended and is in no file.",
      "dropped condition: c.refund_of is not null and exists ( select from sepa_unmatched": "A debit does not refer to another debit.",
      "removed default: coalesce(m.bank_confirmed_on": "An unknown condition is not true.",
    },
  },
  "sepa_files.mark_batched": {
    given: {
      sepa_collections: { state: "accepted" },
      with: {
        id: OTHER, dueDate: "2026-02-10",
        placed: [
          {
            reference: "x", block_id: "b", sequence_type: "FRST", mandate_id: OTHER, mandate_reference: "m",
            amended_up_to: 2, debtor_name: "d", debtor: "\\x61", scheme: "B2B", creditor_name: "c",
            creditor_identifier: "i",
          },
        ],
      },
    },
    gives: [{ "?column?": 1 }],
    does: {
      sepa_collections: {
        state: "batched", debtor: "\\x61", scheme: "B2B", file_id: OTHER, block_id: "b", due_date: "2026-02-10",
        mandate_id: OTHER, updated_at: "2026-02-01", debtor_name: "d", amended_up_to: 2, creditor_name: "c",
        sequence_type: "FRST", mandate_reference: "m", creditor_identifier: "i",
      },
    },
    not: {
      "another account's collection": { sepa_collections: { gateway_id: OTHER } },
      "another collection": { sepa_collections: { reference: "y" } },
      "a collection that is in a file": { sepa_collections: { state: "batched" } },
    },
    also: {
      "its own debtor and scheme": {
        given: { with: { placed: [{ reference: "x", mandate_reference: "m", debtor_name: "d" }] } },
        does: {
          sepa_collections: {
            debtor: undefined, scheme: undefined, block_id: null, mandate_id: null, amended_up_to: null,
            creditor_name: null, sequence_type: null, creditor_identifier: null,
          },
        },
      },
    },
  },
  "sepa_files.claim_upload": {
    given: { sepa_files: { due_at: "2026-01-15" }, with: { leaseMs: 120000 } },
    gives: [{ id: ID, lease_no: 2 }],
    does: { sepa_files: { attempts: 2, lease_no: 2, updated_at: "2026-02-01", locked_until: "in 2 minutes" } },
    not: {
      "before it is due": { sepa_files: { due_at: "2026-03-01" } },
      "a file that another worker has": { sepa_files: { locked_until: "2100-01-01" } },
    },
    also: {
      "due now": { given: { sepa_files: { due_at: "2026-02-01" } } },
      "a lease that has ended": { given: { sepa_files: { locked_until: "2026-01-02" } } },
      "the first that is due": {
        given: { sepa_files: [{ due_at: "2026-01-15" }, { id: OTHER, due_at: "2026-01-10" }] },
        gives: [{ id: OTHER }],
        does: { sepa_files: { id: OTHER } },
      },
    },
  },
  "sepa_files.move_upload": {
    given: {
      sepa_files: { status: "uploading", locked_until: "2026-01-02", sent_at: null, created_at: "2026-01-10" },
      with: { status: "stored", error: "e", dueAt: "2026-02-02", keep: false },
    },
    gives: [{ "?column?": 1 }],
    does: {
      sepa_files: { error: "e", due_at: "2026-02-02", status: "stored", updated_at: "2026-02-01", locked_until: null },
    },
    not: {
      "another file": { sepa_files: { id: OTHER } },
      "a file that another worker has": { sepa_files: { lease_no: 2 } },
      "a file that is sent": { sepa_files: { status: "sent" } },
    },
    also: {
      "a file whose lease is kept": {
        given: { with: { keep: true } },
        does: { sepa_files: { locked_until: undefined } },
      },
      "a file that waits": {
        given: { sepa_files: { status: "stored", error: null } },
        does: { sepa_files: { status: undefined } },
      },
      "a file that is renamed at the bank": { given: { sepa_files: { status: "renaming" } } },
      "sent": {
        given: { with: { status: "sent" } },
        does: { sepa_files: { status: "sent", sent_at: "2026-02-01" } },
      },
      "sent, by a clock that is behind": {
        given: { with: { status: "sent" }, sepa_files: { created_at: "2026-03-01" } },
        does: { sepa_files: { status: "sent", sent_at: "2026-03-01" } },
      },
      "sent before": {
        given: { with: { status: "sent" }, sepa_files: { sent_at: "2026-01-15" } },
        does: { sepa_files: { status: "sent" } },
      },
    },
  },
  "sepa_files.postpone": {
    given: {
      sepa_files: { status: "uploading", locked_until: "2026-01-02" }, with: { error: "e", dueAt: "2026-02-02" },
    },
    does: { sepa_files: { error: "e", due_at: "2026-02-02", updated_at: "2026-02-01", locked_until: null } },
    not: {
      "another file": { sepa_files: { id: OTHER } },
      "a file that another worker has": { sepa_files: { lease_no: 2 } },
      "a file that is sent": { sepa_files: { status: "sent" } },
    },
    also: {
      "a file that waits": { given: { sepa_files: { status: "stored" } } },
      "a file that is renamed at the bank": { given: { sepa_files: { status: "renaming" } } },
    },
  },
  "sepa_files.withdraw": {
    given: {
      sepa_collections: { state: "batched", due_date: "2025-12-01" }, with: { why: "batched", missedApproval: true },
      sepa_files: { due_at: "2025-12-01", locked_until: "2025-12-01" },
    },
    does: {
      sepa_collections: {
        state: "accepted", file_id: null, block_id: null, due_date: null, updated_at: "2026-02-01",
        amended_up_to: null, sequence_type: null,
      },
      sepa_files: {
        error: "batched", due_at: null, status: "withdrawn", updated_at: "2026-02-01", locked_until: null,
        missed_approval: true,
      },
      sepa_withdrawn: added({ number: 2, file_id: ID, block_id: "x", reference: "x", gateway_id: ID, withdrawn_at: "2026-02-01" }),
    },
    not: {
      "another file": { with: { id: OTHER } },
    },
    also: {
      "a collection that is mandate only": {
        given: { sepa_collections: { state: "mandate_only" } },
        does: { sepa_collections: [], sepa_withdrawn: [] },
      },
    },
  },
  "sepa_files.amendments": {
    given: {
      mandate_amendments: [
        { number: 3, kind: "account", original_reference: null }, { number: 2, kind: "reference" },
        { mandate_id: OTHER, number: 1, kind: "creditor", original_reference: null },
      ],
      sepa_collections: { state: "settled", amended_up_to: 1 }, with: { mandateIds: [ID, OTHER] },
    },
    gives: [
      { kind: "reference", number: 2, mandate_id: ID, in_file: false },
      { kind: "account", number: 3, mandate_id: ID, in_file: false },
      { kind: "creditor", number: 1, mandate_id: OTHER, in_file: false },
    ],
    not: {
      "other mandates": { with: { mandateIds: [THIRD] } },
      "a change of the holder's name, which files do not contain": { mandate_amendments: [{ number: 3, kind: "holder" }] },
    },
    also: {
      "the data that the bank knows": {
        given: { sepa_collections: { amended_up_to: 2 } },
        gives: [{ kind: "account", number: 3, mandate_id: ID }, { kind: "creditor", number: 1, mandate_id: OTHER }],
      },
      "the data that the bank knows from a returned collection": {
        given: { sepa_collections: { state: "returned", amended_up_to: 2 } },
        gives: [{ kind: "account", number: 3, mandate_id: ID }, { kind: "creditor", number: 1, mandate_id: OTHER }],
      },
      "the announcement in a file": {
        given: { sepa_collections: { state: "batched", amended_up_to: 2 } },
        gives: [
          { kind: "reference", number: 2, mandate_id: ID, in_file: true },
          { kind: "account", number: 3, mandate_id: ID, in_file: false },
          { kind: "creditor", number: 1, mandate_id: OTHER, in_file: false },
        ],
      },
      "the announcement of the newest in a file": {
        given: { sepa_collections: { state: "batched", amended_up_to: 3 } },
        gives: [
          { kind: "reference", number: 2, mandate_id: ID, in_file: false },
          { kind: "account", number: 3, mandate_id: ID, in_file: true },
          { kind: "creditor", number: 1, mandate_id: OTHER, in_file: false },
        ],
      },
      "another mandate's announcement of the same number in a file": {
        given: { sepa_collections: { mandate_id: OTHER, state: "batched", amended_up_to: 2 } },
      },
      "another mandate's announcement in a file": {
        given: { sepa_collections: { mandate_id: OTHER, state: "batched", amended_up_to: 1 } },
        gives: [
          { kind: "reference", number: 2, mandate_id: ID, in_file: false },
          { kind: "account", number: 3, mandate_id: ID, in_file: false },
          { kind: "creditor", number: 1, mandate_id: OTHER, in_file: true },
        ],
      },
      "the announcement of a rejected collection": {
        given: { sepa_collections: { state: "rejected", amended_up_to: 2 } },
      },
      "another mandate's collection": {
        given: { sepa_collections: { mandate_id: OTHER, amended_up_to: 2 } },
        gives: [{ kind: "reference", number: 2, mandate_id: ID }, { kind: "account", number: 3, mandate_id: ID }],
      },
    },
  },
  "sepa_files.lock_outdated_mandates": {
    given: {
      mandates: [
        { id: OTHER, creditor_identifier: "old", creditor_name: "Old name" },
        { id: ID, reference: "y", creditor_identifier: "old", creditor_name: "Old name" },
      ],
      gateways: {
        former_creditors: ["old Old name"], settings: { creditor_identifier: "new", creditor_name: "New name" },
      },
      with: { mandateIds: [ID, OTHER] },
    },
    gives: [{ id: ID }, { id: OTHER }],
    not: {
      "other mandates": { with: { mandateIds: [THIRD] } },
      "another account": { gateways: { id: OTHER } },
      "a creditor that the account did not have": { gateways: { former_creditors: ["older Old name"] } },
      "the creditor that the account has again": { gateways: { settings: { creditor_identifier: "old", creditor_name: "Old name" } } },
    },
    also: {
      "another name": {
        given: { gateways: { settings: { creditor_identifier: "old", creditor_name: "New name" } } },
      },
      "a mandate with the new creditor": {
        given: { mandates: { creditor_identifier: "new", creditor_name: "New name" } },
        gives: [{ id: ID }],
      },
    },
  },
  "sepa_files.find_waits": {
    given: {
      sepa_collections: { state: "accepted", refund_of: null, not_before: "2026-01-21", scheme: null },
      mandates: { scheme: "B2B", used_elsewhere: false, bank_confirmed_on: null }, mandate_amendments: [],
      with: { confirmedBy: "2026-02-01" },
    },
    gives: [{ due: null, unconfirmed: 1 }],
    also: {
      "nothing is waiting": { given: { sepa_collections: [] }, gives: [{ unconfirmed: 0 }] },
      "another account's collection": {
        given: { sepa_collections: { gateway_id: OTHER } },
        gives: [{ unconfirmed: 0 }],
      },
      "a collection that is in a file": {
        given: { sepa_collections: { state: "batched" } },
        gives: [{ unconfirmed: 0 }],
      },
      "a mandate that its bank has confirmed": {
        given: { mandates: { bank_confirmed_on: "2026-02-01" } },
        gives: [{ due: "2026-01-21", unconfirmed: 0 }],
      },
      "a mandate that its bank confirms later": { given: { mandates: { bank_confirmed_on: "2026-02-02" } } },
      "a mandate that was used elsewhere": {
        given: { mandates: { used_elsewhere: true } },
        gives: [{ due: "2026-01-21", unconfirmed: 0 }],
      },
      "a mandate that was used elsewhere with another account": {
        given: { mandates: { used_elsewhere: true }, mandate_amendments: [{ kind: "account" }] },
      },
      "a mandate that was used elsewhere under another reference": {
        given: { mandates: { used_elsewhere: true }, mandate_amendments: [{ kind: "reference" }] },
        gives: [{ due: "2026-01-21", unconfirmed: 0 }],
      },
      "a mandate that was used elsewhere, beside one with another account": {
        given: { mandates: { used_elsewhere: true }, mandate_amendments: [{ mandate_id: OTHER, kind: "account" }] },
        gives: [{ due: "2026-01-21", unconfirmed: 0 }],
      },
      "a collection of a consumer": {
        given: { mandates: { scheme: "CORE" } },
        gives: [{ due: "2026-01-21", unconfirmed: 0 }],
      },
      "a collection that was announced as of a consumer": {
        given: { sepa_collections: { scheme: "CORE" } },
        gives: [{ due: "2026-01-21", unconfirmed: 0 }],
      },
      "a collection that was announced as of a business": {
        given: { sepa_collections: { scheme: "B2B" }, mandates: { scheme: "CORE" } },
      },
      "a refund": { given: { sepa_collections: { refund_of: "y" } }, gives: [{ due: "2026-01-21", unconfirmed: 0 }] },
      "if no confirmation is required": { given: { with: { confirmedBy: null } }, gives: [{ due: "2026-01-21", unconfirmed: 0 }] },
      "a collection without a payment": {
        given: { transactions: [] },
        gives: [{ due: "2026-01-21", unconfirmed: 0 }],
      },
      "the earliest of two": {
        given: {
          mandates: { scheme: "CORE" },
          "+sepa_collections": {
            reference: "z", state: "accepted", refund_of: null, not_before: "2026-01-20", scheme: "CORE",
          },
        },
        gives: [{ due: "2026-01-20", unconfirmed: 0 }],
      },
      "one that waits for its bank, and one that does not": {
        given: {
          "+sepa_collections": {
            reference: "z", state: "accepted", refund_of: null, not_before: "2026-01-25", scheme: "CORE",
          },
        },
        gives: [{ due: "2026-01-25" }],
      },
      "two that wait for their bank": {
        given: {
          "+transactions": { ...OTHER_PAYMENT },
          "+sepa_collections": {
            reference: "y", state: "accepted", refund_of: null, not_before: "2026-01-25", scheme: null,
          },
        },
        gives: [{ unconfirmed: 2 }],
      },
    },
    same: { "removed default: coalesce(m.bank_confirmed_on": "A filter treats an unknown condition as false." },
  },
  "sepa_files.scheme": {
    given: {
      sepa_collections: [{ scheme: null }, { reference: "y", scheme: "B2B" }, { reference: "z", scheme: "B2B" }],
    },
    gives: [{ scheme: "B2B" }],
    not: {
      "another file": { with: { id: OTHER } },
      "transfers": { sepa_collections: [{ scheme: null }] },
    },
  },
  "sepa_files.skip_messages": {
    given: { sepa_accounts: [{ last_number: 7 }, { gateway_id: OTHER, last_number: 1 }], with: { count: 100 } },
    does: { sepa_accounts: [{ last_number: 107 }, { gateway_id: OTHER, last_number: 101 }] },
  },
  "sepa_files.tenants_to_send": {
    given: { sepa_files: { due_at: "2026-02-01", locked_until: null } },
    gives: [{ tenant: 1 }],
    not: {
      "a file with a later retry": { sepa_files: { due_at: "2026-02-01T00:00:01Z" } },
      "a file without a retry": { sepa_files: { due_at: null } },
      "a file that is being sent": { sepa_files: { locked_until: "2100-01-01" } },
    },
    also: {
      "a tenant with two files": { given: { "+sepa_files": { id: OTHER, due_at: "2026-01-02", message_id: "y" } } },
      "a file whose sender has died": { given: { sepa_files: { locked_until: "2026-01-31" } } },
      "the tenant that waits longest first": {
        given: {
          sepa_files: [
            { due_at: "2026-02-01", locked_until: null },
            { id: OTHER, due_at: "2026-01-01", locked_until: null, message_id: "y" },
            { tenant: 2, due_at: "2026-01-15", locked_until: null },
          ],
          with: { limit: 9 },
        },
        gives: [{ tenant: 1 }, { tenant: 2 }],
      },
      "another tenant that waits longer": {
        given: { "+sepa_files": { tenant: 2, id: OTHER, due_at: "2026-01-01", locked_until: null }, with: { limit: 9 } },
        gives: [{ tenant: 2 }, { tenant: 1 }],
      },
    },
  },
};
