/** Statements of `src/mandates`: the rows that each is for, and those that it leaves alone (tests/conditions.test.ts). */
import { type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { BYTES, OTHER, THIRD } from "./rows.ts";

// A case is a line, or a few.
// prettier-ignore
export const MANDATES: Entries = {
  "mandates.amend": {
    given: {
      mandates: { reference: "old" },
      subscriptions: { announced_date: "2026-02-10", next_billing_date: "2026-02-10" },
      with: {
        reference: "new", creditorName: "x", creditorIdentifier: "x", ibanLast4: "x", holderName: "h",
        ibanSealed: "\\x61", ibanFingerprint: "\\x62", ibanCountry: "FR", ibanLength: 27, bic: "B", bankName: "b",
        bankConfirmedOn: "2026-01-30",
      },
    },
    does: {
      mandates: {
        bic: "B", bank_name: "b", reference: "new", updated_at: "2026-02-01", holder_name: "h", iban_length: 27,
        iban_sealed: "\\x61", iban_country: "FR", iban_fingerprint: "\\x62", bank_confirmed_on: "2026-01-30",
      },
      subscriptions: { updated_at: "2026-02-01", announced_date: null },
    },
    not: {
      "another mandate": { mandates: { id: OTHER }, subscriptions: { mandate_id: OTHER } },
    },
    also: {
      "another creditor name": {
        given: { with: { reference: "old", creditorName: "new" } },
        does: { mandates: { reference: undefined, creditor_name: "new" } },
      },
      "another creditor identifier": {
        given: { with: { reference: "old", creditorIdentifier: "new" } },
        does: { mandates: { reference: undefined, creditor_identifier: "new" } },
      },
      "another account": {
        given: { with: { reference: "old", ibanLast4: "1234" } },
        does: { mandates: { reference: undefined, iban_last4: "1234" } },
      },
      "what no notice says": {
        given: { with: { reference: "old" } },
        does: { mandates: { reference: undefined }, subscriptions: [] },
      },
      "another mandate's subscription": {
        given: { subscriptions: { mandate_id: OTHER } },
        does: { subscriptions: [] },
      },
      "a subscription without a next debit": {
        given: { subscriptions: { next_billing_date: null } },
        does: { subscriptions: [] },
      },
    },
  },
  "mandates.announce_amendments": {
    given: { mandate_amendments: { kind: "account", number: 2 }, with: { announced: [{ mandate_id: ID, up_to: 2 }] } },
    does: { mandate_amendments: { number: 2, sent_at: "2026-02-01" } },
    not: {
      "another mandate": { mandate_amendments: { mandate_id: OTHER } },
      "a later amendment": { mandate_amendments: { number: 3 } },
      "an amendment that was sent before": { mandate_amendments: { sent_at: "2026-01-15" } },
      "a change of the holder's name, which no file says": { mandate_amendments: { kind: "holder" } },
    },
    also: {
      "an earlier amendment": {
        given: { mandate_amendments: { number: 1 } },
        does: { mandate_amendments: { number: undefined } },
      },
    },
  },
  "mandates.unblock_account": {
    given: { mandates: { account_blocked_at: "2025-12-01" } },
    gives: [{ "?column?": 1 }],
    does: { mandates: { updated_at: "2026-02-01", account_blocked_at: null } },
    not: {
      "an account that is not blocked": { mandates: { account_blocked_at: null } },
      "another mandate": { mandates: { id: OTHER } },
    },
  },
  "mandates.write_presentation": {
    given: { with: { format: "y", digest: "y" } },
    does: {
      mandates: {
        updated_at: "2026-02-01", wallet_presentation_at: "2026-02-01", wallet_presentation_format: "y",
        wallet_presentation_sha256: "y",
      },
    },
    not: {
      "another mandate": { mandates: { id: OTHER } },
    },
    also: {
      "the first presentation of a mandate": {
        given: { mandates: { wallet_presentation: null } },
        does: { mandates: { wallet_presentation: BYTES } },
      },
    },
  },
  "mandates.cancel": {
    given: {
      mandates: { status: "active" }, with: { by: "cancelled", reason: "cancelled" },
      subscriptions: { cancel_at_period_end: true, next_billing_date: "2025-12-01" },
      billing_cycles: { status: "retry", next_attempt_at: "2025-12-01" },
    },
    gives: [{ id: ID }],
    does: {
      billing_cycles: { status: "failed", updated_at: "2026-02-01", next_attempt_at: null },
      mandates: {
        status: "cancelled", updated_at: "2026-02-01", cancelled_at: "2026-02-01", cancelled_by: "cancelled",
        status_reason: "cancelled",
      },
      subscriptions: {
        status: "CANCELLED", updated_at: "2026-02-01", cancelled_at: "2026-02-01", cancel_reason: "mandate_cancelled",
        next_billing_date: null, cancel_at_period_end: false,
      },
    },
    not: {
      "another mandate": { mandates: { id: OTHER } },
      "a mandate that is pending": { mandates: { status: "pending" } },
    },
    also: {
      "a subscription that is cancelled": {
        given: { subscriptions: { status: "CANCELLED" } },
        gives: [],
        does: { billing_cycles: [], subscriptions: [] },
      },
      "a cycle that is collecting": {
        given: { billing_cycles: { status: "collecting" } },
        does: { billing_cycles: [] },
      },
    },
    same: { "dropped condition: u.status = 'CANCELLED'": "These subscriptions have just ended." },
  },
  "mandates.confirm": {
    does: { mandates: { updated_at: "2026-02-01", bank_confirmed_on: "2026-02-01" } },
    not: {
      "another mandate": { mandates: { id: OTHER } },
    },
  },
  "mandates.expire": {
    given: {
      mandates: { status: "active", accepted_at: "2023-01-31", last_used_at: null },
      with: { reason: "unused", limit: 5 },
    },
    gives: [{ id: ID }],
    does: { mandates: { status: "expired", updated_at: "2026-02-01", status_reason: "unused" } },
    not: {
      "within the last day of the 36 months": { mandates: { accepted_at: "2023-02-01T06:00:00Z" }, with: { now: "2026-02-01T12:00:00Z" } },
      "a mandate that was cancelled": { mandates: { status: "cancelled" } },
      "a mandate of 36 months to the day": { mandates: { accepted_at: "2023-02-01" } },
      "a mandate that was used since": { mandates: { last_used_at: "2023-02-01" } },
    },
    also: {
      "a mandate that was used long ago": {
        given: { mandates: { accepted_at: "2020-01-01", last_used_at: "2023-01-31" } },
      },
      "the oldest first": {
        given: {
          mandates: [
            { status: "active", accepted_at: "2023-01-15" },
            { id: OTHER, reference: "y", status: "active", accepted_at: "2023-01-20", last_used_at: null },
            { id: THIRD, reference: "z", status: "active", accepted_at: "2019-01-10", last_used_at: "2023-01-25" },
          ],
          with: { limit: 2 },
        },
        gives: [{ id: ID }, { id: OTHER }],
        does: {
          mandates: [
            { status: "expired", updated_at: "2026-02-01", status_reason: "unused" },
            { id: OTHER, status: "expired", updated_at: "2026-02-01", status_reason: "unused" },
          ],
        },
      },
    },
    same: { "dropped condition: coalesce(last_used_at, accepted_at) < $2": "The next condition says it to the day; this one is for the index.", "boundary: < $2::timestamptz - interval": "The next condition says it to the day; this one is for the index.", "arithmetic: - interval '36 months'": "The next condition says it to the day; this one is for the index." },
  },
};
