/**
 * Statements of `src/sessions` that open a payment's attempt: their effect, and the rows that they must leave alone
 * (tests/conditions.test.ts).
 */
import { added, type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { BYTES, OTHER, OTHER_PAYMENT, THIRD } from "./rows.ts";
import { JUST_NOW, LIMITS, NO_LIMITS, reached } from "./sessions-counts.ts";

/** A payment of the same amount of the last day, which the row's would repeat. */
const REPEATED = {
  ...OTHER_PAYMENT,
  type: "sdd_sale",
  status: "approved",
  amount: 30,
  created_at: "2026-01-31T12:00:00Z",
};

// Each case stays on one line or a few.
// prettier-ignore
export const SESSIONS_CLAIM: Entries = {
  "sessions.claim": {
    given: {
      sessions: {
        status: "PENDING", open_transaction_id: null, attempts_used: 0, attempts_max: 3, expires_at: "2026-03-01",
        billing_type: "ONE_OFF", amount: 30, trial_price: 5, customer_ip: null, tenant_reference_id: null,
      },
      payment_links: { active: true, uses_max: null },
      gateways: { test_mode: false, completed_event_at: "settlement", acceptance_after_debits: null },
      tenants: { ...LIMITS, ask_about_duplicates: false },
      orders: { status: "FAILED" }, mandates: [], transactions: [], payment_counts: [],
      with: {
        creditorShown: [null], clientIp: ["192.0.2.8"], source: ["hosted_page"], textVersion: ["3/de"],
        tenantReferenceId: ["ref"], ibanFingerprints: ["{\\\\x78}"],
      },
    },
    gives: [
      {
        source: "hosted_page", expires_at: "2026-03-01", customer_ip: "192.0.2.8", trial_price: 5, attempts_max: 3,
        billing_type: "ONE_OFF", order_status: "PENDING_PAYMENT_SUBMISSION", resolve_count: 0, sequence_type: "FRST",
        mandate_scheme: "CORE", session_amount: 30, session_status: "PENDING", transaction_type: "sdd_sale",
        completed_event_at: "settlement", transaction_amount: 30, transaction_status: "submitted",
        mandate_accepted_at: "2026-02-01", tenant_reference_id: "ref", transaction_created_at: "2026-02-01",
      },
    ],
    does: {
      mandates: added({
        id: ID, bic: "x", type: "one_off", status: "pending", lead_id: ID, language: "de", bank_name: "x",
        reference: "x", created_at: "2026-02-01", iban_last4: "x", session_id: ID, updated_at: "2026-02-01",
        accepted_at: "2026-02-01", accepted_ip: "192.0.2.8", holder_name: "x", iban_length: 1, iban_sealed: BYTES,
        iban_country: "x", text_version: "3/de", creditor_city: "x", creditor_name: "x", acceptance_mode: "x",
        creditor_address: "x", creditor_country: "x", iban_fingerprint: BYTES, accepted_user_agent: "x",
        creditor_identifier: "x", creditor_postal_code: "x", pre_notification_days: 1,
      }),
      orders: { status: "PENDING_PAYMENT_SUBMISSION", updated_at: "2026-02-01" },
      payment_counts: [
        added({ key: "192.0.2.8", kind: "address", most: 50, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
        added({
          key: "192.0.2.8", kind: "address_accounts", most: 6, count: 1, accounts: [BYTES],
          counted_at: "2026-02-01", started_at: "2026-02-01",
        }),
        added({
          key: "x", kind: "device_accounts", most: 7, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
          started_at: "2026-02-01",
        }),
        added({ key: "78", kind: "iban", most: 10, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
        added({ key: ID, kind: "lead", most: 20, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
        added({
          key: ID, kind: "lead_accounts", most: 5, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
          started_at: "2026-02-01",
        }),
      ],
      session_moves: added({
        at: "2026-02-01", cause: "payment_attempt", to_status: "PENDING", session_id: ID, from_status: "PENDING",
        transaction_id: ID,
      }),
      sessions: { attempts_used: 1, open_transaction_id: ID },
      transactions: added({
        id: ID, type: "sdd_sale", amount: 30, source: "hosted_page", status: "submitted", lead_id: ID, currency: "x",
        lease_no: 1, order_id: ID, created_at: "2026-02-01", gateway_id: ID, mandate_id: ID, resolve_at: "2026-02-01",
        session_id: ID, updated_at: "2026-02-01", customer_ip: "192.0.2.8", traceparent: "x",
        locked_until: "in 0 minutes", sequence_type: "FRST", completed_event_at: "settlement",
        tenant_reference_id: "ref", merchant_transaction_id: "x",
      }),
    },
    not: {
      "the repetition of a payment that was reinstated": {
        sessions: { repays_transaction_id: OTHER }, transactions: [{ ...OTHER_PAYMENT, status: "approved" }],
      },
      "a payment that looks like one that is submitted": {
        tenants: { ask_about_duplicates: true },
        transactions: [{ ...REPEATED, status: "submitted" }],
      },
      "a payment that looks like one that is unresolved": {
        tenants: { ask_about_duplicates: true },
        transactions: [{ ...REPEATED, status: "unresolved" }],
      },
      "a payment that looks like one that is awaiting verification": {
        tenants: { ask_about_duplicates: true },
        transactions: [{ ...REPEATED, status: "awaiting_verification" }],
      },
      "a payment that looks like one that is verifying": {
        tenants: { ask_about_duplicates: true },
        transactions: [{ ...REPEATED, status: "verifying" }],
      },
      "a payment that looks like one that is pending": {
        tenants: { ask_about_duplicates: true },
        transactions: [{ ...REPEATED, status: "pending" }],
      },
      "the price of a trial, as a day ago": {
        tenants: { ask_about_duplicates: true },
        transactions: [{ ...REPEATED, amount: 5 }],
        sessions: { billing_type: "TRIAL_RECURRING" },
      },
      "a trial that costs nothing, as a day ago": {
        tenants: { ask_about_duplicates: true },
        transactions: [{ ...REPEATED, amount: 0 }],
        sessions: { billing_type: "TRIAL_RECURRING", trial_price: null },
      },
      "the same account under another spelling of the address": {
        tenants: { ask_about_duplicates: true },
        transactions: [{ ...REPEATED, lead_id: OTHER }],
        leads: [{ email_key: "ann 1" }, { id: OTHER, email_key: "ann 2" }], mandates: { id: OTHER, lead_id: OTHER },
      },
      "the same account under another key": {
        tenants: { ask_about_duplicates: true },
        transactions: [{ ...REPEATED, lead_id: OTHER }],
        leads: [{ email_key: "ann 1" }, { id: OTHER, email_key: "ann 2" }],
        mandates: { id: OTHER, lead_id: OTHER, iban_fingerprint: "\\x61" },
        with: { ibanFingerprints: ["{\\\\x78,\\\\x61}"] },
      },
      "an account that is blocked under another key": {
        mandates: { id: OTHER, reference: "y", iban_fingerprint: "\\x61", account_blocked_at: "2026-01-01" },
        with: { ibanFingerprints: ["{\\\\x78,\\\\x61}"] },
      },
      "the same account and address, in a session of no link": {
        tenants: { ask_about_duplicates: true },
        transactions: [{ ...REPEATED, lead_id: OTHER }],
        leads: [{ email_key: "ann 1" }, { id: OTHER, email_key: "ann" }], mandates: { id: OTHER, lead_id: OTHER },
      },
      "a session that is completed": { sessions: { status: "COMPLETED" } },
      "a session that has expired": { sessions: { status: "EXPIRED" } },
      "a session whose customer has to confirm a payment": { sessions: { status: "AWAITING_VERIFICATION" } },
      "a session with an open attempt": { sessions: { open_transaction_id: OTHER } },
      "a session without attempts left": { sessions: { attempts_used: 3 } },
      "a session at its expiry": { sessions: { expires_at: "2026-02-01" } },
      "an IBAN of the documentation on a live account": { with: { isDocumentationIban: [true] } },
      "a live account without a creditor identifier": { tenants: { creditor_identifier: null } },
      "a blocked bank account": { mandates: { id: OTHER, account_blocked_at: "2026-01-01" } },
      "a reference that a payment of another session has": {
        transactions: [
          {
            id: OTHER, session_id: OTHER, merchant_transaction_id: "y", adapter_unique_id: "y",
            tenant_reference_id: "ref",
          },
        ],
      },
      "a reference that another session has": { "+sessions": { id: OTHER, tenant_reference_id: "ref", closed_at: "2026-01-01" } },
      "a payment link that is switched off": { payment_links: { active: false } },
      "a payment link that is archived": { payment_links: { archived_at: "2026-01-01" } },
      "a payment link that ends now": { payment_links: { ends_at: "2026-02-01" } },
      "a payment link for a few, of which it holds none": { payment_links: { uses_max: 5 }, sessions: { holds_link_use: false } },
      "another creditor than the one that was shown": { with: { creditorShown: [{ name: "x" }] } },
      "a campaign that is stopped": { campaigns: { stopped_at: "2026-01-01" } },
      "a payment that looks like one of the last day": {
        tenants: { ask_about_duplicates: true },
        transactions: [REPEATED],
      },
    },
    also: {
      "the repetition of a payment that has failed": {
        given: { sessions: { repays_transaction_id: OTHER }, transactions: [{ ...OTHER_PAYMENT, status: "declined" }] },
      },
      "no repetition, beside a payment that was reinstated": {
        given: { sessions: { repays_transaction_id: null }, transactions: [{ ...OTHER_PAYMENT, status: "approved" }] },
      },
      "the same account under the next address": {
        given: {
          tenants: { ask_about_duplicates: true },
          transactions: [{ ...REPEATED, lead_id: OTHER }],
          leads: [{ email_key: "ann 1" }, { id: OTHER, email_key: "ann!" }],
          mandates: { id: OTHER, lead_id: OTHER, reference: "y" },
        },
      },
      "beside the repetition of a payment that was reinstated": {
        given: {
          "+sessions": {
            id: OTHER, lead_id: OTHER, status: "PENDING", open_transaction_id: null, attempts_used: 0,
            attempts_max: 3, expires_at: "2026-03-01", tenant_reference_id: null, repays_transaction_id: OTHER,
          },
          "+leads": { id: OTHER, email_key: "y" }, "+orders": { id: OTHER, session_id: OTHER, order_number: "y" },
          transactions: [{ ...OTHER_PAYMENT, status: "approved" }],
          with: {
            sessionId: [ID, OTHER], now: ["2026-02-01", "2026-02-01"], source: ["hosted_page", "hosted_page"],
            isDocumentationIban: [false, false],
          },
        },
      },
      "beside a payment of which the account has reached its limit": {
        given: {
          "+sessions": {
            id: OTHER, lead_id: OTHER, status: "PENDING", open_transaction_id: null, attempts_used: 0,
            attempts_max: 3, expires_at: "2026-03-01", tenant_reference_id: null, customer_ip: null,
          },
          "+leads": { id: OTHER, email_key: "y" }, "+orders": { id: OTHER, session_id: OTHER, order_number: "y" },
          ...reached("iban", "79", 10),
          with: {
            sessionId: [ID, OTHER], now: ["2026-02-01", "2026-02-01"], ibanFingerprint: [BYTES, "\\x79"],
            source: ["hosted_page", "hosted_page"], isDocumentationIban: [false, false],
          },
        },
        does: {
          payment_counts: [
            added({
              key: "192.0.2.8", kind: "address", most: 50, count: 1, counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
            added({
              key: "192.0.2.8", kind: "address_accounts", most: 6, count: 1, accounts: [BYTES],
              counted_at: "2026-02-01", started_at: "2026-02-01",
            }),
            added({
              key: "x", kind: "device_accounts", most: 7, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
            added({ key: "78", kind: "iban", most: 10, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({ key: ID, kind: "lead", most: 20, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({ key: OTHER, kind: "lead", most: 20, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({
              key: ID, kind: "lead_accounts", most: 5, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
            added({
              key: OTHER, kind: "lead_accounts", most: 5, count: 1, accounts: ["\\x79"], counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
          ],
        },
      },
      "two of five accounts, within a minute": {
        given: reached("lead_accounts", ID, 2, JUST_NOW),
        does: {
          payment_counts: [
            {}, {}, {}, {}, {}, { count: 3, accounts: ["\\x61", BYTES], started_at: undefined, added: undefined },
          ],
        },
      },
      "more than half of the payments, within a minute": {
        given: reached("address", "192.0.2.8", 30, JUST_NOW),
        does: { payment_counts: [{ count: 31, started_at: undefined, added: undefined }, {}, {}, {}, {}, {}] },
      },
      "a known account, a day later": {
        given: reached("lead_accounts", ID, 5, { started_at: "2026-01-31", accounts: ["\\x61", BYTES] }),
        does: { payment_counts: [{}, {}, {}, {}, {}, { added: undefined }] },
      },
      "a known account of a count that began yesterday": {
        given: reached("lead_accounts", ID, 5, { started_at: "2026-01-30", accounts: ["\\x61", BYTES] }),
        does: { payment_counts: [{}, {}, {}, {}, {}, { added: undefined }] },
      },
      "like a payment of another customer": {
        given: {
          tenants: { ask_about_duplicates: true },
          transactions: [{ ...REPEATED, lead_id: OTHER }],
        },
      },
      "like a payment of the same session": {
        given: {
          tenants: { ask_about_duplicates: true },
          transactions: [
            {
              id: OTHER, session_id: ID, merchant_transaction_id: "y", adapter_unique_id: "y",
              tenant_reference_id: null, type: "sdd_sale", status: "approved", amount: 30,
              created_at: "2026-01-31T12:00:00Z",
            },
          ],
        },
      },
      "like a renewal": {
        given: {
          tenants: { ask_about_duplicates: true },
          transactions: [
            {
              ...OTHER_PAYMENT, status: "approved", amount: 30, created_at: "2026-01-31T12:00:00Z",
              type: "sdd_rebill",
            },
          ],
        },
      },
      "like a payment in another currency": {
        given: {
          tenants: { ask_about_duplicates: true },
          transactions: [{ ...REPEATED, currency: "y" }],
        },
      },
      "like a payment of another amount": {
        given: {
          tenants: { ask_about_duplicates: true },
          transactions: [{ ...REPEATED, amount: 31 }],
        },
      },
      "like a payment that was declined": {
        given: {
          tenants: { ask_about_duplicates: true },
          transactions: [{ ...REPEATED, status: "declined" }],
        },
      },
      "like a payment that was refunded": {
        given: {
          tenants: { ask_about_duplicates: true },
          transactions: [{ ...REPEATED, status: "refunded" }],
        },
      },
      "like a payment of a day ago": {
        given: {
          tenants: { ask_about_duplicates: true },
          transactions: [{ ...REPEATED, created_at: "2026-01-31" }],
        },
      },
      "like the full price of a trial": {
        given: {
          tenants: { ask_about_duplicates: true },
          transactions: [REPEATED],
          sessions: { billing_type: "TRIAL_RECURRING" },
        },
        gives: [{ billing_type: "TRIAL_RECURRING", transaction_amount: 5 }],
        does: { mandates: { type: undefined }, transactions: { amount: 5 } },
      },
      "like a payment of another bank account": {
        given: {
          tenants: { ask_about_duplicates: true },
          transactions: [{ ...REPEATED, lead_id: OTHER }],
          leads: [{ email_key: "ann 1" }, { id: OTHER, email_key: "ann 2" }],
          mandates: { id: OTHER, lead_id: OTHER, iban_fingerprint: "\\x61" },
        },
        fails: "23505",
      },
      "like a payment of a name that begins with this one": {
        given: {
          tenants: { ask_about_duplicates: true },
          transactions: [{ ...REPEATED, lead_id: OTHER }],
          leads: [{ email_key: "ann 1" }, { id: OTHER, email_key: "anna 2" }],
          mandates: { id: OTHER, lead_id: OTHER },
        },
        fails: "23505",
      },
      "like a payment of a name that sorts before this one": {
        given: {
          tenants: { ask_about_duplicates: true },
          transactions: [{ ...REPEATED, lead_id: OTHER }],
          leads: [{ email_key: "ann 1" }, { id: OTHER, email_key: "an 2" }], mandates: { id: OTHER, lead_id: OTHER },
        },
        fails: "23505",
      },
      "like a payment of another customer with a mandate of somebody else": {
        given: {
          tenants: { ask_about_duplicates: true },
          transactions: [{ ...REPEATED, lead_id: OTHER }],
          leads: [{ email_key: "ann 1" }, { id: OTHER, email_key: "ann 2" }], mandates: { id: OTHER, lead_id: THIRD },
        },
        fails: "23505",
      },
      "the session's own reference, sent again": { given: { sessions: { tenant_reference_id: "ref" } } },
      "another bank account is blocked": {
        given: {
          mandates: { id: OTHER, reference: "y", iban_fingerprint: "\\x61", account_blocked_at: "2026-01-01" },
        },
      },
      "an earlier mandate of the bank account": { given: { mandates: { id: OTHER, reference: "y" } } },
      "the creditor that was shown, as the account names it": {
        given: {
          gateways: {
            settings: {
              creditor_name: "G", creditor_identifier: "GI", creditor_city: "GC", creditor_address: "GA",
              creditor_postal_code: "GP", creditor_country: "GL", scheme: "B2B", pre_notification_days: "5",
            },
          },
          with: {
            creditorShown: [
              {
                name: "G", identifier: "GI", address: "GA", postal_code: "GP", city: "GC", country: "GL",
                scheme: "B2B", pre_notification_days: 5,
              },
            ],
          },
        },
        gives: [
          {
            settings: {
              scheme: "B2B", creditor_city: "GC", creditor_name: "G", creditor_address: "GA", creditor_country: "GL",
              creditor_identifier: "GI", creditor_postal_code: "GP", pre_notification_days: "5",
            },
            creditor_name: "G", mandate_scheme: "B2B", creditor_identifier: "GI", mandate_notice_days: 5,
          },
        ],
        does: {
          mandates: {
            creditor_city: "GC", creditor_name: "G", creditor_address: "GA", creditor_country: "GL",
            creditor_identifier: "GI", creditor_postal_code: "GP", pre_notification_days: 5, scheme: "B2B",
          },
        },
      },
      "the creditor that was shown, without an address": {
        given: {
          tenants: { city: null },
          with: {
            creditorShown: [
              {
                name: "x", identifier: "x", address: null, postal_code: null, city: null, country: null,
                scheme: "CORE", pre_notification_days: 1,
              },
            ],
          },
        },
        does: {
          mandates: {
            creditor_city: undefined, creditor_address: undefined, creditor_country: undefined,
            creditor_postal_code: undefined,
          },
        },
      },
      "one invalid IBAN less than the usual number": {
        given: {
          tenants: { invalid_ibans_max: null },
          ...reached("invalid_iban", ID, 29),
        },
      },
      "the usual number of invalid IBANs": {
        given: {
          tenants: { invalid_ibans_max: null },
          ...reached("invalid_iban", ID, 30),
        },
        gives: [],
        does: { mandates: [], orders: [], session_moves: [], sessions: [], transactions: [] },
      },
      "a customer without a payment, if none is required": {
        given: { gateways: { acceptance_after_debits: 0 } },
      },
      "half of six accounts, within a minute": {
        given: reached("address_accounts", "192.0.2.8", 3, JUST_NOW),
        gives: [],
        does: {
          mandates: [], orders: [],
          payment_counts: [
            added({
              key: "192.0.2.8", kind: "address", most: 50, count: 1, counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
            added({
              key: "x", kind: "device_accounts", most: 7, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
            added({ key: "78", kind: "iban", most: 10, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({ key: ID, kind: "lead", most: 20, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({
              key: ID, kind: "lead_accounts", most: 5, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
          ],
          session_moves: [], sessions: [], transactions: [],
        },
      },
      "an address that has paid too often": {
        given: reached("address", "192.0.2.8", 50),
        gives: [],
        does: {
          mandates: [], orders: [],
          payment_counts: [
            added({
              key: "192.0.2.8", kind: "address_accounts", most: 6, count: 1, accounts: [BYTES],
              counted_at: "2026-02-01", started_at: "2026-02-01",
            }),
            added({
              key: "x", kind: "device_accounts", most: 7, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
            added({ key: "78", kind: "iban", most: 10, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({ key: ID, kind: "lead", most: 20, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({
              key: ID, kind: "lead_accounts", most: 5, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
          ],
          session_moves: [], sessions: [], transactions: [],
        },
      },
      "an address with too many bank accounts": {
        given: reached("address_accounts", "192.0.2.8", 6),
        gives: [],
        does: {
          mandates: [], orders: [],
          payment_counts: [
            added({
              key: "192.0.2.8", kind: "address", most: 50, count: 1, counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
            added({
              key: "x", kind: "device_accounts", most: 7, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
            added({ key: "78", kind: "iban", most: 10, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({ key: ID, kind: "lead", most: 20, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({
              key: ID, kind: "lead_accounts", most: 5, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
          ],
          session_moves: [], sessions: [], transactions: [],
        },
      },
      "a device with too many bank accounts": {
        given: reached("device_accounts", "x", 7),
        gives: [],
        does: {
          mandates: [], orders: [],
          payment_counts: [
            added({
              key: "192.0.2.8", kind: "address", most: 50, count: 1, counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
            added({
              key: "192.0.2.8", kind: "address_accounts", most: 6, count: 1, accounts: [BYTES],
              counted_at: "2026-02-01", started_at: "2026-02-01",
            }),
            added({ key: "78", kind: "iban", most: 10, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({ key: ID, kind: "lead", most: 20, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({
              key: ID, kind: "lead_accounts", most: 5, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
          ],
          session_moves: [], sessions: [], transactions: [],
        },
      },
      "a bank account that has paid too often": {
        given: reached("iban", "78", 10),
        gives: [],
        does: {
          mandates: [], orders: [],
          payment_counts: [
            added({
              key: "192.0.2.8", kind: "address", most: 50, count: 1, counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
            added({
              key: "192.0.2.8", kind: "address_accounts", most: 6, count: 1, accounts: [BYTES],
              counted_at: "2026-02-01", started_at: "2026-02-01",
            }),
            added({
              key: "x", kind: "device_accounts", most: 7, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
            added({ key: ID, kind: "lead", most: 20, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({
              key: ID, kind: "lead_accounts", most: 5, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
          ],
          session_moves: [], sessions: [], transactions: [],
        },
      },
      "a customer who has paid too often": {
        given: reached("lead", ID, 20),
        gives: [],
        does: {
          mandates: [], orders: [],
          payment_counts: [
            added({
              key: "192.0.2.8", kind: "address", most: 50, count: 1, counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
            added({
              key: "192.0.2.8", kind: "address_accounts", most: 6, count: 1, accounts: [BYTES],
              counted_at: "2026-02-01", started_at: "2026-02-01",
            }),
            added({
              key: "x", kind: "device_accounts", most: 7, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
            added({ key: "78", kind: "iban", most: 10, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({
              key: ID, kind: "lead_accounts", most: 5, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
          ],
          session_moves: [], sessions: [], transactions: [],
        },
      },
      "a customer with too many bank accounts": {
        given: reached("lead_accounts", ID, 5),
        gives: [],
        does: {
          mandates: [], orders: [],
          payment_counts: [
            added({
              key: "192.0.2.8", kind: "address", most: 50, count: 1, counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
            added({
              key: "192.0.2.8", kind: "address_accounts", most: 6, count: 1, accounts: [BYTES],
              counted_at: "2026-02-01", started_at: "2026-02-01",
            }),
            added({
              key: "x", kind: "device_accounts", most: 7, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
            added({ key: "78", kind: "iban", most: 10, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({ key: ID, kind: "lead", most: 20, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
          ],
          session_moves: [], sessions: [], transactions: [],
        },
      },
      "a session with too many invalid IBANs": {
        given: reached("invalid_iban", ID, 30),
        gives: [],
        does: { mandates: [], orders: [], session_moves: [], sessions: [], transactions: [] },
      },
      "the last attempt": {
        given: { sessions: { attempts_used: 2 } },
        gives: [{ attempts_used: 3 }],
        does: { sessions: { attempts_used: 3 } },
      },
      "a payment link that ends later": { given: { payment_links: { ends_at: "2026-03-01" } } },
      "a payment link for a few, of which it holds one": {
        given: { payment_links: { uses_max: 5 }, sessions: { holds_link_use: true } },
      },
      "a session of no payment link": {
        given: { payment_links: [], sessions: { payment_link_id: null } },
        gives: [{ payment_link_id: null }],
      },
      "an IBAN of the documentation on a test account": {
        given: { gateways: { test_mode: true }, with: { isDocumentationIban: [true] } },
        gives: [{ test_mode: true }],
      },
      "a test account of a tenant without limits": {
        given: {
          gateways: { test_mode: true },
          tenants: {
            iban_payments_max: null, lead_payments_max: null, address_payments_max: null, invalid_ibans_max: null,
            lead_accounts_max: null, address_accounts_max: null, device_accounts_max: null, creditor_identifier: null,
          },
        },
        gives: [{ test_mode: true, creditor_identifier: null }],
        does: { mandates: { creditor_identifier: undefined }, payment_counts: [] },
      },
      "the usual limits of a live account": {
        given: {
          tenants: NO_LIMITS,
        },
        does: {
          payment_counts: [
            added({
              key: "192.0.2.8", kind: "address", most: 50, count: 1, counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
            added({ key: "78", kind: "iban", most: 10, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({ key: ID, kind: "lead", most: 20, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
          ],
        },
      },
      "the first payment of a trial": {
        given: { sessions: { billing_type: "TRIAL_RECURRING" } },
        gives: [{ billing_type: "TRIAL_RECURRING", transaction_amount: 5 }],
        does: { mandates: { type: undefined }, transactions: { amount: 5 } },
      },
      "a trial that costs nothing": {
        given: { sessions: { billing_type: "TRIAL_RECURRING", trial_price: null } },
        gives: [
          {
            trial_price: null, billing_type: "TRIAL_RECURRING", transaction_type: "other_type", transaction_amount: 0,
          },
        ],
        does: { mandates: { type: undefined }, transactions: { type: "other_type", amount: 0 } },
      },
      "the first payment of a subscription": {
        given: { sessions: { billing_type: "RECURRING" } },
        gives: [{ billing_type: "RECURRING" }],
        does: { mandates: { type: undefined } },
      },
      "a creditor that the account names": {
        given: {
          gateways: {
            settings: {
              creditor_name: "G", creditor_identifier: "GI", creditor_city: "GC", creditor_address: "GA",
              creditor_postal_code: "GP", creditor_country: "GL", scheme: "B2B", pre_notification_days: "5",
            },
          },
        },
        gives: [
          {
            settings: {
              scheme: "B2B", creditor_city: "GC", creditor_name: "G", creditor_address: "GA", creditor_country: "GL",
              creditor_identifier: "GI", creditor_postal_code: "GP", pre_notification_days: "5",
            },
            creditor_name: "G", mandate_scheme: "B2B", creditor_identifier: "GI", mandate_notice_days: 5,
          },
        ],
        does: {
          mandates: {
            creditor_city: "GC", creditor_name: "G", creditor_address: "GA", creditor_country: "GL",
            creditor_identifier: "GI", creditor_postal_code: "GP", pre_notification_days: 5, scheme: "B2B",
          },
        },
      },
      "a creditor without an address": {
        given: { tenants: { city: null } },
        does: {
          mandates: {
            creditor_city: undefined, creditor_address: undefined, creditor_country: undefined,
            creditor_postal_code: undefined,
          },
        },
      },
      "the creditor that was shown": {
        given: {
          with: {
            creditorShown: [
              {
                name: "x", identifier: "x", address: "x", postal_code: "x", city: "x", country: "x", scheme: "CORE",
                pre_notification_days: 1,
              },
            ],
          },
        },
      },
      "an address that the merchant has sent": {
        given: { sessions: { customer_ip: "192.0.2.9" } },
        gives: [{ customer_ip: "192.0.2.9" }],
        does: {
          payment_counts: [{ key: "192.0.2.9" }, { key: "192.0.2.9" }, {}, {}, {}, {}],
          transactions: { customer_ip: "192.0.2.9" },
        },
      },
      "an address of IPv6": {
        given: { with: { clientIp: ["2001:db8::1"] } },
        gives: [{ customer_ip: "2001:db8::1" }],
        does: {
          mandates: { accepted_ip: "2001:db8::1" },
          payment_counts: [{ key: "2001:db8::/64" }, { key: "2001:db8::/64" }, {}, {}, {}, {}],
          transactions: { customer_ip: "2001:db8::1" },
        },
      },
      "a caller's own request": {
        given: { with: { source: ["api_submission"] } },
        gives: [{ source: "api_submission" }],
        does: {
          payment_counts: [
            added({
              key: "x", kind: "device_accounts", most: 7, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
            added({ key: "78", kind: "iban", most: 10, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({ key: ID, kind: "lead", most: 20, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({
              key: ID, kind: "lead_accounts", most: 5, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
          ],
          transactions: { source: "api_submission" },
        },
      },
      "the reference of the session": {
        given: { sessions: { tenant_reference_id: "own" }, with: { tenantReferenceId: [null] } },
        gives: [{ tenant_reference_id: "own" }],
        does: { transactions: { tenant_reference_id: "own" } },
      },
      "no reference": {
        given: { with: { tenantReferenceId: [null] } },
        gives: [{ tenant_reference_id: null }],
        does: { transactions: { tenant_reference_id: undefined } },
      },
      "a text without a language": {
        given: { with: { textVersion: ["3/"] } },
        does: { mandates: { language: undefined, text_version: "3/" } },
      },
      "a customer with a payment that stood": {
        given: {
          gateways: { acceptance_after_debits: 1 },
          transactions: [{ ...OTHER_PAYMENT, type: "sdd_sale", status: "approved" }],
        },
        gives: [{ completed_event_at: "acceptance" }],
        does: { transactions: { completed_event_at: "acceptance" } },
      },
      "a customer with a renewal that stood": {
        given: {
          gateways: { acceptance_after_debits: 1 },
          transactions: [{ ...OTHER_PAYMENT, type: "sdd_rebill", status: "approved" }],
        },
        gives: [{ completed_event_at: "acceptance" }],
        does: { transactions: { completed_event_at: "acceptance" } },
      },
      "a customer with too few payments": {
        given: {
          gateways: { acceptance_after_debits: 2 },
          transactions: [{ ...OTHER_PAYMENT, type: "sdd_sale", status: "approved" }],
        },
      },
      "a customer whose payment is pending": {
        given: {
          gateways: { acceptance_after_debits: 1 },
          transactions: [{ ...OTHER_PAYMENT, type: "sdd_sale", status: "pending" }],
        },
      },
      "a customer with a chargeback": {
        given: {
          gateways: { acceptance_after_debits: 0 },
          transactions: [{ ...OTHER_PAYMENT, type: "sdd_sale", status: "charged_back" }],
        },
      },
      "another customer's payment": {
        given: {
          gateways: { acceptance_after_debits: 1 },
          transactions: [{ ...OTHER_PAYMENT, type: "sdd_sale", status: "approved", lead_id: OTHER }],
        },
      },
      "a customer with a refund": {
        given: {
          gateways: { acceptance_after_debits: 1 },
          transactions: [{ ...OTHER_PAYMENT, type: "sdd_refund", status: "approved" }],
        },
      },
      "a payment that looks like one, which the customer confirms": {
        given: {
          tenants: { ask_about_duplicates: true }, with: { confirmsDuplicate: [true] },
          transactions: [REPEATED],
        },
      },
      "a payment that looks like one, if the tenant does not ask": {
        given: {
          transactions: [REPEATED],
        },
      },
      "counts of today": {
        given: {
          payment_counts: [
            {
              kind: "address", key: "192.0.2.8", started_at: "2026-01-31T12:00:00Z",
              counted_at: "2026-01-31T12:00:00Z", count: 2, most: 9, accounts: null,
            },
            {
              kind: "iban", key: "78", started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T12:00:00Z",
              count: 9, most: 9, accounts: null,
            },
            {
              kind: "lead_accounts", key: ID, started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T12:00:00Z",
              count: 2, most: 9, accounts: ["\\x61"],
            },
            {
              kind: "device_accounts", key: "x", started_at: "2026-01-31T12:00:00Z",
              counted_at: "2026-01-31T12:00:00Z", count: 2, most: 9, accounts: [BYTES],
            },
          ],
        },
        does: {
          payment_counts: [
            { count: 3, started_at: undefined, added: undefined }, {},
            {
              key: undefined, count: undefined, accounts: undefined, counted_at: undefined, started_at: undefined,
              added: undefined,
            },
            { count: 10, started_at: undefined, added: undefined }, {},
            { count: 3, accounts: ["\\x61", BYTES], started_at: undefined, added: undefined },
          ],
        },
      },
      "counts of yesterday": {
        given: {
          payment_counts: [
            {
              kind: "address", key: "192.0.2.8", started_at: "2026-01-31", counted_at: "2026-01-31T12:00:00Z",
              count: 50, most: 9, accounts: null,
            },
            {
              kind: "lead_accounts", key: ID, started_at: "2026-01-31", counted_at: "2026-01-31T12:00:00Z", count: 5,
              most: 9, accounts: ["\\x61"],
            },
          ],
        },
        does: { payment_counts: [{ added: undefined }, {}, {}, {}, {}, { added: undefined }] },
      },
      "a known account of a customer with many": {
        given: reached("lead_accounts", ID, 5, { accounts: ["\\x61", BYTES] }),
        does: {
          payment_counts: [
            {}, {}, {}, {}, {},
            { count: undefined, accounts: undefined, counted_at: undefined, started_at: undefined, added: undefined },
          ],
        },
      },
      "more than half of the accounts, after a minute": {
        given: reached("lead_accounts", ID, 3, { counted_at: "2026-01-31T23:59:00Z" }),
        does: {
          payment_counts: [
            {}, {}, {}, {}, {}, { count: 4, accounts: ["\\x61", BYTES], started_at: undefined, added: undefined },
          ],
        },
      },
      "invalid IBANs of yesterday": { given: reached("invalid_iban", ID, 30, { started_at: "2026-01-31" }) },
      "one invalid IBAN less than too many": { given: reached("invalid_iban", ID, 29) },
      "another campaign is stopped": { given: { campaigns: { id: OTHER, stopped_at: "2026-01-01" } } },
    },
    same: { "dropped condition: id = any ($1::uuid[])": "The rows are joined by it below; without it only more rows would be locked.", "dropped condition: id = any (array(select repays_transaction_id": "The rows are compared by it below; without it only more rows would be locked.", "dropped alternative: v.tenantReferenceId is null": "No payment and no session has none as its reference.", "dropped condition: g.acceptance_after_debits is not null": "Nothing is at least an unknown number.", "removed default: coalesce(( select count(*) filter": "An unknown condition is not true either.", "removed default: coalesce(t.completed_event_at": "A payment that is made here has one." },
  },
};
