/** Statements of `src/mandates`: their effect, and the rows that they must leave alone (tests/conditions.test.ts). */
import { added, type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { BYTES, FOURTH, OTHER, OTHER_PAYMENT, THIRD } from "./rows.ts";

/** A mandate from a file, with the account that it had before. */
const IMPORTED = {
  id: OTHER,
  lead_id: THIRD,
  email_key: "ann@example.org",
  email: "Ann@example.org",
  first_name: "Ann",
  last_name: "Lee",
  country: "DE",
  address: "Weg 1",
  postal_code: "89073",
  city: "Ulm",
  reference: "M-1",
  status: "active",
  scheme: "B2B",
  type: "one_off",
  signed_at: "2024-03-01",
  last_used_at: "2025-03-01",
  holder_name: "A. Lee",
  bic: "BIC",
  bank_name: "Bank",
  language: "de",
  pre_notification_days: 5,
  creditor_name: null,
  creditor_identifier: null,
  cancelled_at: null,
  cancelled_by: null,
  status_reason: null,
  iban_sealed: "\\x61",
  iban_fingerprint: "\\x62",
  iban_last4: "1234",
  iban_country: "FR",
  iban_length: 27,
};
const EARLIER_ACCOUNT = {
  mandate_id: OTHER,
  number: 1,
  kind: "account",
  original_reference: null,
  original_creditor_identifier: null,
  original_creditor_name: null,
  original_iban_sealed: "\\x63",
  original_iban_country: "AT",
  original_iban_last4: "4321",
  same_bank: true,
};

// Each case stays on one line or a few.
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
      "a field that notices do not contain": {
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
      "a change of the holder's name, which files do not contain": { mandate_amendments: { kind: "holder" } },
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
      "another account": { mandates: { iban_fingerprint: "\\x79" } },
    },
    also: {
      "under another key": {
        given: { mandates: { iban_fingerprint: "\\x79" }, with: { fingerprints: [BYTES, "\\x79"] } },
      },
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
    same: { "dropped condition: coalesce(last_used_at, accepted_at) < $2": "The next condition is exact to the day; this one is for the index.", "boundary: < $2::timestamptz - interval": "The next condition is exact to the day; this one is for the index.", "arithmetic: - interval '36 months'": "The next condition is exact to the day; this one is for the index." },
  },
  "mandates.bank_debtor": {
    given: {
      gateways: { adapter: "sepa_batch", settings: { message_version: "pain.008.001.02" } }, leads: { city: "Ulm" },
      sepa_collections: [],
    },
    gives: [{ city: "Ulm", old_version: true }],
    not: {
      "another mandate": { mandates: { id: OTHER } },
      "a mandate that another gateway debits": { gateways: { adapter: "sandbox" } },
      "a payment of another session": { transactions: { session_id: OTHER } },
      "a payment at another account": { transactions: { gateway_id: OTHER } },
      "a collection of another mandate": { transactions: [], sepa_collections: { mandate_id: OTHER } },
      "a collection of another account": { transactions: [], sepa_collections: { gateway_id: OTHER } },
    },
    also: {
      "a mandate of another provider, with a collection": {
        given: { transactions: [], sepa_collections: {} },
      },
      "files that can contain addresses": {
        given: { gateways: { settings: { message_version: "pain.008.001.08" } } },
        gives: [{ old_version: false }],
      },
      "files of the default version": { given: { gateways: { settings: {} } }, gives: [{ old_version: false }] },
      "two accounts, one of them with old files": {
        given: {
          gateways: { settings: {} },
          "+gateways": { id: OTHER, adapter: "sepa_batch", settings: { message_version: "pain.008.001.02" } },
          "+transactions": { ...OTHER_PAYMENT, session_id: ID, gateway_id: OTHER },
        },
      },
    },
  },
  "mandates.count_amendments": {
    given: { mandate_amendments: [{ number: 2, original_reference: null }, { number: 4, original_reference: null }] },
    gives: [{ count: 4 }],
    also: {
      "a mandate that was not amended": { given: { mandate_amendments: [] }, gives: [{ count: 0 }] },
      "another mandate": {
        given: { mandate_amendments: { mandate_id: OTHER }, "mandate_amendments[1]": { mandate_id: OTHER } },
        gives: [{ count: 0 }],
      },
    },
  },
  "mandates.debited_live": {
    given: { subscriptions: [] },
    gives: [{}],
    not: {
      "another mandate": { mandates: { id: OTHER } },
      "a test account": { gateways: { test_mode: true } },
      "a session of another account": { sessions: { gateway_id: OTHER } },
      "another session": { sessions: { id: OTHER } },
      "another mandate's subscription": { sessions: [], subscriptions: { mandate_id: OTHER } },
      "a subscription of another account": { sessions: [], subscriptions: { gateway_id: OTHER } },
      "a mandate of another provider, with test accounts only": { mandates: { session_id: null }, gateways: { test_mode: true } },
    },
    also: {
      "a subscription that has moved to a live account": {
        given: { sessions: { gateway_id: OTHER }, subscriptions: {} },
      },
      "a mandate of another provider, with a live account": {
        given: { mandates: { session_id: null }, sessions: [] },
      },
    },
  },
  "mandates.detail": {
    given: {
      leads: { email: "ann" },
      mandate_amendments: [
        { number: 1, kind: "reference", original_reference: "old" }, { number: 2, kind: "account", same_bank: true },
      ],
      subscriptions: [
        { id: ID, created_at: "2026-01-02" },
        { id: OTHER, order_id: OTHER, created_at: "2026-01-03", status: "ACTIVE" },
        { id: THIRD, order_id: THIRD, created_at: "2026-01-03", status: "CANCELLED" },
      ],
    },
    gives: [
      {
        id: ID, email: "ann", reference: "x",
        amendments: [
          {
            at: "2026-01-01", kind: "account", number: 2, sent_at: null, same_bank: true, accepted_ip: "x",
            text_version: "x", original_reference: "x", original_iban_last4: "x", original_holder_name: "x",
            original_iban_country: "x", original_creditor_name: "x", original_creditor_identifier: "x",
          },
          {
            at: "2026-01-01", kind: "reference", number: 1, sent_at: null, same_bank: false, accepted_ip: "x",
            text_version: "x", original_reference: "old", original_iban_last4: "x", original_holder_name: "x",
            original_iban_country: "x", original_creditor_name: "x", original_creditor_identifier: "x",
          },
        ],
        subscriptions: [{ id: THIRD, status: "CANCELLED" }, { id: OTHER, status: "ACTIVE" }, { id: ID, status: "x" }],
      },
    ],
    not: {
      "another mandate": { mandates: { id: OTHER } },
    },
    also: {
      "a mandate without amendments and subscriptions": {
        given: { mandate_amendments: [], subscriptions: [] },
        gives: [{ amendments: [], subscriptions: [] }],
      },
      "amendments and subscriptions of another mandate": {
        given: { "mandate_amendments[1]": { mandate_id: OTHER }, "subscriptions[1]": { mandate_id: OTHER } },
        gives: [
          {
            amendments: [
              {
                at: "2026-01-01", kind: "reference", number: 1, sent_at: null, same_bank: false, accepted_ip: "x",
                text_version: "x", original_reference: "old", original_iban_last4: "x", original_holder_name: "x",
                original_iban_country: "x", original_creditor_name: "x", original_creditor_identifier: "x",
              },
            ],
            subscriptions: [{ id: THIRD, status: "CANCELLED" }, { id: ID, status: "x" }],
          },
        ],
      },
    },
  },
  "mandates.find_presentation": {
    gives: [{ wallet_presentation: BYTES }],
    not: {
      "another mandate": { mandates: { id: OTHER } },
    },
    also: {
      "a mandate without one": {
        given: { mandates: { wallet_presentation: null } },
        gives: [{ wallet_presentation: null }],
      },
    },
  },
  "mandates.has_live_gateway": {
    gives: [{}],
    not: {
      "a test account": { gateways: { test_mode: true } },
    },
    also: {
      "two live accounts": { given: { "+gateways": { id: OTHER } } },
    },
  },
  "mandates.insert_imported": {
    given: {
      mandates: [], leads: [], mandate_amendments: [],
      tenants: {
        name: "Merchant", creditor_identifier: "CI", address: "Street 1", postal_code: "10115", city: "Berlin",
        country: "NL",
      },
      with: { mandates: [IMPORTED], originals: [] },
    },
    gives: [{ created: 1 }],
    does: {
      leads: added({
        id: THIRD, city: "Ulm", email: "Ann@example.org", address: "Weg 1", country: "DE",
        email_key: "ann@example.org", last_name: "Lee", created_at: "2026-02-01", first_name: "Ann",
        updated_at: "2026-02-01", postal_code: "89073",
      }),
      mandates: added({
        id: OTHER, bic: "BIC", type: "one_off", scheme: "B2B", source: "import", status: "active", lead_id: THIRD,
        language: "de", bank_name: "Bank", reference: "M-1", created_at: "2026-02-01", iban_last4: "1234",
        updated_at: "2026-02-01", accepted_at: "2024-03-01", holder_name: "A. Lee", iban_length: 27,
        iban_sealed: "\\x61", iban_country: "FR", last_used_at: "2025-03-01", creditor_city: "Berlin",
        creditor_name: "Merchant", used_elsewhere: true, creditor_address: "Street 1", creditor_country: "NL",
        iban_fingerprint: "\\x62", creditor_identifier: "CI", creditor_postal_code: "10115", pre_notification_days: 5,
      }),
    },
    also: {
      "a mandate that names its creditor": {
        given: { with: { mandates: [{ ...IMPORTED, creditor_name: "Own", creditor_identifier: "OWN" }] } },
        does: {
          mandates: {
            creditor_city: undefined, creditor_name: "Own", creditor_address: undefined, creditor_country: undefined,
            creditor_identifier: "OWN", creditor_postal_code: undefined,
          },
        },
      },
      "a merchant without a city": {
        given: { tenants: { city: null } },
        does: {
          mandates: {
            creditor_city: undefined, creditor_address: undefined, creditor_country: undefined,
            creditor_postal_code: undefined,
          },
        },
      },
      "a mandate without a collection": {
        given: { with: { mandates: [{ ...IMPORTED, last_used_at: null }] } },
        does: { mandates: { last_used_at: undefined, used_elsewhere: undefined } },
      },
      "a mandate with an earlier account": {
        given: { with: { mandates: [{ ...IMPORTED, last_used_at: null }], originals: [EARLIER_ACCOUNT] } },
        does: {
          mandates: { last_used_at: undefined },
          mandate_amendments: added({
            at: "2026-02-01", kind: "account", number: 1, same_bank: true, mandate_id: OTHER,
            original_iban_last4: "4321", original_iban_sealed: "\\x63", original_iban_country: "AT",
          }),
        },
      },
      "another mandate's earlier account": {
        given: {
          with: {
            mandates: [{ ...IMPORTED, last_used_at: null }], originals: [{ ...EARLIER_ACCOUNT, mandate_id: FOURTH }],
          },
        },
        does: { mandates: { last_used_at: undefined, used_elsewhere: undefined } },
      },
      "a customer who is known": {
        given: { leads: { email_key: "ann@example.org", city: "Bonn" } },
        does: { leads: [], mandates: { lead_id: ID } },
      },
      "two mandates of a customer, who is as the first one by id says": {
        given: {
          with: { mandates: [{ ...IMPORTED, id: THIRD, lead_id: FOURTH, city: "Bonn", reference: "M-2" }, IMPORTED] },
        },
        gives: [{ created: 2 }],
        does: {
          mandates: [
            added({
              id: OTHER, bic: "BIC", type: "one_off", scheme: "B2B", source: "import", status: "active",
              lead_id: THIRD, language: "de", bank_name: "Bank", reference: "M-1", created_at: "2026-02-01",
              iban_last4: "1234", updated_at: "2026-02-01", accepted_at: "2024-03-01", holder_name: "A. Lee",
              iban_length: 27, iban_sealed: "\\x61", iban_country: "FR", last_used_at: "2025-03-01",
              creditor_city: "Berlin", creditor_name: "Merchant", used_elsewhere: true, creditor_address: "Street 1",
              creditor_country: "NL", iban_fingerprint: "\\x62", creditor_identifier: "CI",
              creditor_postal_code: "10115", pre_notification_days: 5,
            }),
            added({
              id: THIRD, bic: "BIC", type: "one_off", scheme: "B2B", source: "import", status: "active",
              lead_id: THIRD, language: "de", bank_name: "Bank", reference: "M-2", created_at: "2026-02-01",
              iban_last4: "1234", updated_at: "2026-02-01", accepted_at: "2024-03-01", holder_name: "A. Lee",
              iban_length: 27, iban_sealed: "\\x61", iban_country: "FR", last_used_at: "2025-03-01",
              creditor_city: "Berlin", creditor_name: "Merchant", used_elsewhere: true, creditor_address: "Street 1",
              creditor_country: "NL", iban_fingerprint: "\\x62", creditor_identifier: "CI",
              creditor_postal_code: "10115", pre_notification_days: 5,
            }),
          ],
        },
      },
      "a mandate that has ended": {
        given: {
          with: {
            mandates: [
              {
                ...IMPORTED, status: "cancelled", cancelled_at: "2025-05-01", cancelled_by: "debtor",
                status_reason: "MD01",
              },
            ],
          },
        },
        does: {
          mandates: { status: "cancelled", cancelled_at: "2025-05-01", cancelled_by: "debtor", status_reason: "MD01" },
        },
      },
    },
  },
  "mandates.is_account_blocked": {
    given: { mandates: { account_blocked_at: "2026-01-01" } },
    gives: [{ is_blocked: true }],
    also: {
      "an account that is not blocked": {
        given: { mandates: { account_blocked_at: null } },
        gives: [{ is_blocked: false }],
      },
      "another account": { given: { mandates: { iban_fingerprint: "\\x79" } }, gives: [{ is_blocked: false }] },
      "an account that is blocked under another key": {
        given: { mandates: { iban_fingerprint: "\\x79" }, with: { fingerprints: [BYTES, "\\x79"] } },
      },
      "an account that two mandates have blocked": {
        given: { "+mandates": { id: OTHER, reference: "y", account_blocked_at: "2026-01-02" } },
      },
    },
  },
  "mandates.known_references": {
    given: {
      mandates: { reference: "Ref-1" }, mandate_amendments: { original_reference: "Old-1" },
      with: { keys: ["REF-1", "OLD-1"] },
    },
    gives: [{ key: "REF-1", iban_fingerprint: BYTES }, { key: "OLD-1", iban_fingerprint: null }],
    not: {
      "other references": { with: { keys: ["REF-2"] } },
    },
    also: {
      "a present reference": {
        given: { with: { keys: ["REF-1"] } },
        gives: [{ key: "REF-1", iban_fingerprint: BYTES }],
      },
      "a former reference": {
        given: { with: { keys: ["OLD-1"] } },
        gives: [{ key: "OLD-1", iban_fingerprint: null }],
      },
    },
  },
  "mandates.lock": {
    given: { mandates: { status: "active" } },
    gives: [{ id: ID, status: "active" }],
    not: {
      "another mandate": { mandates: { id: OTHER } },
    },
  },
  "mandates.lock_references": {
    gives: [{ tenant: 1 }],
  },
  "mandates.lock_subscriptions": {
    given: { subscriptions: [{ id: OTHER }, { id: ID, order_id: OTHER }] },
    gives: [{ id: ID }, { id: OTHER }],
    also: {
      "another mandate's subscription": { given: { subscriptions: { mandate_id: OTHER } }, gives: [{ id: ID }] },
    },
  },
  "mandates.proven_by_use": {
    given: { mandates: { used_elsewhere: true }, mandate_amendments: { kind: "reference" } },
    gives: [{}],
    not: {
      "another mandate": { mandates: { id: OTHER } },
      "a mandate that was not used elsewhere": { mandates: { used_elsewhere: false } },
      "a mandate that has another account since": { mandate_amendments: { kind: "account" } },
    },
    also: {
      "another mandate has another account": {
        given: { mandate_amendments: { kind: "account", mandate_id: OTHER } },
      },
    },
  },
  "mandates.tenants_with_unused": {
    given: { mandates: { status: "active", accepted_at: "2023-01-31", last_used_at: null } },
    gives: [{ tenant: 1 }],
    not: {
      "a mandate of 36 months": { mandates: { accepted_at: "2023-02-01" } },
      "a mandate that was used since": { mandates: { last_used_at: "2023-02-02" } },
      "a mandate that has ended": { mandates: { status: "cancelled" } },
    },
    also: {
      "a mandate that was used long ago": {
        given: { mandates: { accepted_at: "2020-01-01", last_used_at: "2023-01-31" } },
      },
      "a tenant with two such mandates": {
        given: { "+mandates": { id: OTHER, reference: "y", status: "active", accepted_at: "2020-01-01" } },
      },
    },
  },
  "mandates.used_references": {
    given: {
      mandates: { reference: "Ref-1" }, mandate_amendments: { original_reference: "Old-1" },
      with: { keys: ["REF-1"] },
    },
    gives: [{ key: "REF-1" }],
    not: {
      "other references": { with: { keys: ["REF-2"] } },
    },
    also: {
      "a former reference": { given: { with: { keys: ["OLD-1"] } }, gives: [{ key: "OLD-1" }] },
      "a reference that a mandate has again": {
        given: { mandate_amendments: { original_reference: "ref-1" }, with: { keys: ["REF-1"] } },
      },
    },
  },
  "mandates.notices": {
    given: {
      notices: { told_by: "message", billing_frequency: "MONTHLY", created_at: "2026-01-05" },
      messages: { state: "sent", sent_at: "2026-01-06", recipient: "\\x61", text_version: "1/de" },
      webhook_attempts: { at: "2026-01-08", error: null },
    },
    gives: [
      {
        id: ID, told_at: "2026-01-06", told_by: "message", recipient: "\\x61", message_id: ID, text_version: "1/de",
        message_state: "sent",
      },
    ],
    not: {
      "another mandate's notice": { notices: { mandate_id: OTHER } },
    },
    also: {
      "a message that was refused": {
        given: { messages: { state: "refused", sent_at: "2026-01-06" } },
        gives: [{ told_at: null, message_state: "refused" }],
      },
      "another notice's message": {
        given: { messages: { notice_id: OTHER } },
        gives: [{ told_at: null, recipient: null, message_id: null, text_version: null, message_state: null }],
      },
      "an event that a receiver has taken": {
        given: { notices: { told_by: "event" }, messages: [] },
        gives: [
          {
            told_at: "2026-01-08", told_by: "event", recipient: null, message_id: null, text_version: null,
            message_state: null,
          },
        ],
      },
      "an event that two receivers have taken": {
        given: {
          notices: { told_by: "event" }, messages: [], "+webhook_deliveries": { id: OTHER, profile_id: OTHER },
          "+webhook_attempts": { delivery_id: OTHER, at: "2026-01-07", error: null },
        },
        gives: [
          {
            told_at: "2026-01-07", told_by: "event", recipient: null, message_id: null, text_version: null,
            message_state: null,
          },
        ],
      },
      "an event that a receiver has taken before, by a clock that is behind": {
        given: { notices: { told_by: "event" }, messages: [], webhook_attempts: { at: "2026-01-04" } },
        gives: [
          {
            told_at: "2026-01-05", told_by: "event", recipient: null, message_id: null, text_version: null,
            message_state: null,
          },
        ],
      },
      "an event that no receiver has taken": {
        given: { notices: { told_by: "event" }, messages: [], webhook_attempts: { error: "no answer" } },
        gives: [
          {
            told_at: null, told_by: "event", recipient: null, message_id: null, text_version: null,
            message_state: null,
          },
        ],
      },
      "another event's delivery": {
        given: { notices: { told_by: "event" }, messages: [], webhook_deliveries: { event_id: OTHER } },
        gives: [
          {
            told_at: null, told_by: "event", recipient: null, message_id: null, text_version: null,
            message_state: null,
          },
        ],
      },
      "the newest first": {
        given: {
          "+notices": [{ id: OTHER, created_at: "2026-01-06" }, { id: THIRD, created_at: "2026-01-06" }],
          with: { limit: 3 },
        },
        gives: [
          {
            id: THIRD, told_at: "2026-01-08", told_by: "x", recipient: null, message_id: null, text_version: null,
            message_state: null,
          },
          {
            id: OTHER, told_at: "2026-01-08", told_by: "x", recipient: null, message_id: null, text_version: null,
            message_state: null,
          },
          {
            id: ID, told_at: "2026-01-06", told_by: "message", recipient: "\\x61", message_id: ID,
            text_version: "1/de", message_state: "sent",
          },
        ],
      },
      "no more than requested": { given: { "+notices": { id: OTHER, created_at: "2026-01-04" } } },
    },
  },
};
