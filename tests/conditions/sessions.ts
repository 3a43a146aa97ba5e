/** Statements of `src/sessions`: the rows that each is for, and those that it leaves alone (tests/conditions.test.ts). */
import { added, type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { BYTES, EVENTS, FOURTH, OTHER, OTHER_PAYMENT, THIRD } from "./rows.ts";

// A case is a line, or a few.
// prettier-ignore
export const SESSIONS: Entries = {
  "sessions.claim": {
    given: {
      sessions: {
        status: "PENDING", open_transaction_id: null, attempts_used: 0, attempts_max: 3, expires_at: "2026-03-01",
        billing_type: "ONE_OFF", amount: 30, trial_price: 5, customer_ip: null, tenant_reference_id: null,
      },
      payment_links: { active: true, uses_max: null },
      gateways: { test_mode: false, completed_event_at: "settlement", acceptance_after_debits: null },
      tenants: {
        iban_payments_max: 10, lead_payments_max: 20, address_payments_max: 50, invalid_ibans_max: 30,
        lead_accounts_max: 5, address_accounts_max: 6, device_accounts_max: 7, ask_about_duplicates: false,
      },
      orders: { status: "FAILED" }, mandates: [], transactions: [], payment_counts: [],
      with: {
        creditorShown: [null], clientIp: ["192.0.2.8"], source: ["hosted_page"], textVersion: ["3/de"],
        tenantReferenceId: ["ref"],
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
      "a payment that looks like one that is submitted": {
        tenants: { ask_about_duplicates: true },
        transactions: [
          { ...OTHER_PAYMENT, type: "sdd_sale", amount: 30, created_at: "2026-01-31T12:00:00Z", status: "submitted" },
        ],
      },
      "a payment that looks like one that is unresolved": {
        tenants: { ask_about_duplicates: true },
        transactions: [
          { ...OTHER_PAYMENT, type: "sdd_sale", amount: 30, created_at: "2026-01-31T12:00:00Z", status: "unresolved" },
        ],
      },
      "a payment that looks like one that is awaiting verification": {
        tenants: { ask_about_duplicates: true },
        transactions: [
          {
            ...OTHER_PAYMENT, type: "sdd_sale", amount: 30, created_at: "2026-01-31T12:00:00Z",
            status: "awaiting_verification",
          },
        ],
      },
      "a payment that looks like one that is verifying": {
        tenants: { ask_about_duplicates: true },
        transactions: [
          { ...OTHER_PAYMENT, type: "sdd_sale", amount: 30, created_at: "2026-01-31T12:00:00Z", status: "verifying" },
        ],
      },
      "a payment that looks like one that is pending": {
        tenants: { ask_about_duplicates: true },
        transactions: [
          { ...OTHER_PAYMENT, type: "sdd_sale", amount: 30, created_at: "2026-01-31T12:00:00Z", status: "pending" },
        ],
      },
      "the price of a trial, as a day ago": {
        tenants: { ask_about_duplicates: true },
        transactions: [
          { ...OTHER_PAYMENT, type: "sdd_sale", status: "approved", created_at: "2026-01-31T12:00:00Z", amount: 5 },
        ],
        sessions: { billing_type: "TRIAL_RECURRING" },
      },
      "a trial that costs nothing, as a day ago": {
        tenants: { ask_about_duplicates: true },
        transactions: [
          { ...OTHER_PAYMENT, type: "sdd_sale", status: "approved", created_at: "2026-01-31T12:00:00Z", amount: 0 },
        ],
        sessions: { billing_type: "TRIAL_RECURRING", trial_price: null },
      },
      "the same account under another spelling of the address": {
        tenants: { ask_about_duplicates: true },
        transactions: [
          {
            ...OTHER_PAYMENT, type: "sdd_sale", status: "approved", amount: 30, created_at: "2026-01-31T12:00:00Z",
            lead_id: OTHER,
          },
        ],
        leads: [{ email_key: "ann 1" }, { id: OTHER, email_key: "ann 2" }], mandates: { id: OTHER, lead_id: OTHER },
      },
      "a session that is completed": { sessions: { status: "COMPLETED" } },
      "a session that has expired": { sessions: { status: "EXPIRED" } },
      "a session whose customer is to confirm a payment": { sessions: { status: "AWAITING_VERIFICATION" } },
      "a session with an open attempt": { sessions: { open_transaction_id: OTHER } },
      "a session without attempts left": { sessions: { attempts_used: 3 } },
      "a session at the very end of its time": { sessions: { expires_at: "2026-02-01" } },
      "an IBAN of the documentation on a live account": { with: { isDocumentationIban: [true] } },
      "a live account without a creditor identifier": { tenants: { creditor_identifier: null } },
      "a bank account that is blocked": { mandates: { id: OTHER, account_blocked_at: "2026-01-01" } },
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
      "a payment link that ends at this moment": { payment_links: { ends_at: "2026-02-01" } },
      "a payment link for a few, of which it holds none": { payment_links: { uses_max: 5 }, sessions: { holds_link_use: false } },
      "a creditor that is not the one that was shown": { with: { creditorShown: [{ name: "x" }] } },
      "a campaign that is stopped": { campaigns: { stopped_at: "2026-01-01" } },
      "a payment that looks like one of the last day": {
        tenants: { ask_about_duplicates: true },
        transactions: [
          { ...OTHER_PAYMENT, type: "sdd_sale", status: "approved", amount: 30, created_at: "2026-01-31T12:00:00Z" },
        ],
      },
    },
    also: {
      "two of five accounts, within a minute": {
        given: {
          payment_counts: [
            {
              kind: "lead_accounts", key: ID, started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T23:59:30Z",
              count: 2, most: 9, accounts: ["\\x61"],
            },
          ],
        },
        does: {
          payment_counts: [
            {}, {}, {}, {}, {}, { count: 3, accounts: ["\\x61", BYTES], started_at: undefined, added: undefined },
          ],
        },
      },
      "more than half of the payments, within a minute": {
        given: {
          payment_counts: [
            {
              kind: "address", key: "192.0.2.8", started_at: "2026-01-31T12:00:00Z",
              counted_at: "2026-01-31T23:59:30Z", count: 30, most: 9, accounts: null,
            },
          ],
        },
        does: { payment_counts: [{ count: 31, started_at: undefined, added: undefined }, {}, {}, {}, {}, {}] },
      },
      "a known account, a day later": {
        given: {
          payment_counts: [
            {
              kind: "lead_accounts", key: ID, started_at: "2026-01-31", counted_at: "2026-01-31T12:00:00Z", count: 5,
              most: 9, accounts: ["\\x61", BYTES],
            },
          ],
        },
        does: { payment_counts: [{}, {}, {}, {}, {}, { added: undefined }] },
      },
      "a known account of a count that began yesterday": {
        given: {
          payment_counts: [
            {
              kind: "lead_accounts", key: ID, started_at: "2026-01-30", counted_at: "2026-01-31T12:00:00Z", count: 5,
              most: 9, accounts: ["\\x61", BYTES],
            },
          ],
        },
        does: { payment_counts: [{}, {}, {}, {}, {}, { added: undefined }] },
      },
      "like a payment of another customer": {
        given: {
          tenants: { ask_about_duplicates: true },
          transactions: [
            {
              ...OTHER_PAYMENT, type: "sdd_sale", status: "approved", amount: 30, created_at: "2026-01-31T12:00:00Z",
              lead_id: OTHER,
            },
          ],
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
          transactions: [
            {
              ...OTHER_PAYMENT, type: "sdd_sale", status: "approved", amount: 30, created_at: "2026-01-31T12:00:00Z",
              currency: "y",
            },
          ],
        },
      },
      "like a payment of another amount": {
        given: {
          tenants: { ask_about_duplicates: true },
          transactions: [
            { ...OTHER_PAYMENT, type: "sdd_sale", status: "approved", created_at: "2026-01-31T12:00:00Z", amount: 31 },
          ],
        },
      },
      "like a payment that was declined": {
        given: {
          tenants: { ask_about_duplicates: true },
          transactions: [
            { ...OTHER_PAYMENT, type: "sdd_sale", amount: 30, created_at: "2026-01-31T12:00:00Z", status: "declined" },
          ],
        },
      },
      "like a payment that was refunded": {
        given: {
          tenants: { ask_about_duplicates: true },
          transactions: [
            { ...OTHER_PAYMENT, type: "sdd_sale", amount: 30, created_at: "2026-01-31T12:00:00Z", status: "refunded" },
          ],
        },
      },
      "like a payment of a day ago": {
        given: {
          tenants: { ask_about_duplicates: true },
          transactions: [
            { ...OTHER_PAYMENT, type: "sdd_sale", status: "approved", amount: 30, created_at: "2026-01-31" },
          ],
        },
      },
      "like the full price of a trial": {
        given: {
          tenants: { ask_about_duplicates: true },
          transactions: [
            { ...OTHER_PAYMENT, type: "sdd_sale", status: "approved", amount: 30, created_at: "2026-01-31T12:00:00Z" },
          ],
          sessions: { billing_type: "TRIAL_RECURRING" },
        },
        gives: [{ billing_type: "TRIAL_RECURRING", transaction_amount: 5 }],
        does: { mandates: { type: undefined }, transactions: { amount: 5 } },
      },
      "like a payment of another bank account": {
        given: {
          tenants: { ask_about_duplicates: true },
          transactions: [
            {
              ...OTHER_PAYMENT, type: "sdd_sale", status: "approved", amount: 30, created_at: "2026-01-31T12:00:00Z",
              lead_id: OTHER,
            },
          ],
          leads: [{ email_key: "ann 1" }, { id: OTHER, email_key: "ann 2" }],
          mandates: { id: OTHER, lead_id: OTHER, iban_fingerprint: "\\x61" },
        },
        fails: "23505",
      },
      "like a payment of a name that goes on": {
        given: {
          tenants: { ask_about_duplicates: true },
          transactions: [
            {
              ...OTHER_PAYMENT, type: "sdd_sale", status: "approved", amount: 30, created_at: "2026-01-31T12:00:00Z",
              lead_id: OTHER,
            },
          ],
          leads: [{ email_key: "ann 1" }, { id: OTHER, email_key: "anna 2" }],
          mandates: { id: OTHER, lead_id: OTHER },
        },
        fails: "23505",
      },
      "like a payment of a name that comes before": {
        given: {
          tenants: { ask_about_duplicates: true },
          transactions: [
            {
              ...OTHER_PAYMENT, type: "sdd_sale", status: "approved", amount: 30, created_at: "2026-01-31T12:00:00Z",
              lead_id: OTHER,
            },
          ],
          leads: [{ email_key: "ann 1" }, { id: OTHER, email_key: "an 2" }], mandates: { id: OTHER, lead_id: OTHER },
        },
        fails: "23505",
      },
      "like a payment of another customer with a mandate of somebody else": {
        given: {
          tenants: { ask_about_duplicates: true },
          transactions: [
            {
              ...OTHER_PAYMENT, type: "sdd_sale", status: "approved", amount: 30, created_at: "2026-01-31T12:00:00Z",
              lead_id: OTHER,
            },
          ],
          leads: [{ email_key: "ann 1" }, { id: OTHER, email_key: "ann 2" }], mandates: { id: OTHER, lead_id: THIRD },
        },
        fails: "23505",
      },
      "the reference of the session, sent again": { given: { sessions: { tenant_reference_id: "ref" } } },
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
          payment_counts: [
            {
              kind: "invalid_iban", key: ID, started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T12:00:00Z",
              count: 29, most: 9, accounts: null,
            },
          ],
        },
      },
      "the usual number of invalid IBANs": {
        given: {
          tenants: { invalid_ibans_max: null },
          payment_counts: [
            {
              kind: "invalid_iban", key: ID, started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T12:00:00Z",
              count: 30, most: 9, accounts: null,
            },
          ],
        },
        gives: [],
        does: { mandates: [], orders: [], session_moves: [], sessions: [], transactions: [] },
      },
      "a customer without a payment, where none is asked for": {
        given: { gateways: { acceptance_after_debits: 0 } },
      },
      "half of six accounts, within a minute": {
        given: {
          payment_counts: [
            {
              kind: "address_accounts", key: "192.0.2.8", started_at: "2026-01-31T12:00:00Z",
              counted_at: "2026-01-31T23:59:30Z", count: 3, most: 9, accounts: ["\\x61"],
            },
          ],
        },
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
        given: {
          payment_counts: [
            {
              kind: "address", key: "192.0.2.8", started_at: "2026-01-31T12:00:00Z",
              counted_at: "2026-01-31T12:00:00Z", count: 50, most: 9, accounts: null,
            },
          ],
        },
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
        given: {
          payment_counts: [
            {
              kind: "address_accounts", key: "192.0.2.8", started_at: "2026-01-31T12:00:00Z",
              counted_at: "2026-01-31T12:00:00Z", count: 6, most: 9, accounts: ["\\x61"],
            },
          ],
        },
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
        given: {
          payment_counts: [
            {
              kind: "device_accounts", key: "x", started_at: "2026-01-31T12:00:00Z",
              counted_at: "2026-01-31T12:00:00Z", count: 7, most: 9, accounts: ["\\x61"],
            },
          ],
        },
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
        given: {
          payment_counts: [
            {
              kind: "iban", key: "78", started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T12:00:00Z",
              count: 10, most: 9, accounts: null,
            },
          ],
        },
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
        given: {
          payment_counts: [
            {
              kind: "lead", key: ID, started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T12:00:00Z",
              count: 20, most: 9, accounts: null,
            },
          ],
        },
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
        given: {
          payment_counts: [
            {
              kind: "lead_accounts", key: ID, started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T12:00:00Z",
              count: 5, most: 9, accounts: ["\\x61"],
            },
          ],
        },
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
        given: {
          payment_counts: [
            {
              kind: "invalid_iban", key: ID, started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T12:00:00Z",
              count: 30, most: 9, accounts: null,
            },
          ],
        },
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
          tenants: {
            iban_payments_max: null, lead_payments_max: null, address_payments_max: null, invalid_ibans_max: null,
            lead_accounts_max: null, address_accounts_max: null, device_accounts_max: null,
          },
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
      "a customer whose payment is on its way": {
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
          transactions: [
            { ...OTHER_PAYMENT, type: "sdd_sale", status: "approved", amount: 30, created_at: "2026-01-31T12:00:00Z" },
          ],
        },
      },
      "a payment that looks like one, where nobody asks": {
        given: {
          transactions: [
            { ...OTHER_PAYMENT, type: "sdd_sale", status: "approved", amount: 30, created_at: "2026-01-31T12:00:00Z" },
          ],
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
        given: {
          payment_counts: [
            {
              kind: "lead_accounts", key: ID, started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T12:00:00Z",
              count: 5, most: 9, accounts: ["\\x61", BYTES],
            },
          ],
        },
        does: {
          payment_counts: [
            {}, {}, {}, {}, {},
            { count: undefined, accounts: undefined, counted_at: undefined, started_at: undefined, added: undefined },
          ],
        },
      },
      "more than half of the accounts, after a minute": {
        given: {
          payment_counts: [
            {
              kind: "lead_accounts", key: ID, started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T23:59:00Z",
              count: 3, most: 9, accounts: ["\\x61"],
            },
          ],
        },
        does: {
          payment_counts: [
            {}, {}, {}, {}, {}, { count: 4, accounts: ["\\x61", BYTES], started_at: undefined, added: undefined },
          ],
        },
      },
      "invalid IBANs of yesterday": {
        given: {
          payment_counts: [
            {
              kind: "invalid_iban", key: ID, started_at: "2026-01-31", counted_at: "2026-01-31T12:00:00Z", count: 30,
              most: 9, accounts: null,
            },
          ],
        },
      },
      "one invalid IBAN less than too many": {
        given: {
          payment_counts: [
            {
              kind: "invalid_iban", key: ID, started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T12:00:00Z",
              count: 29, most: 9, accounts: null,
            },
          ],
        },
      },
      "another campaign is stopped": { given: { campaigns: { id: OTHER, stopped_at: "2026-01-01" } } },
    },
    same: { "dropped condition: id = any ($1::uuid[])": "They are joined below by it; without it more rows would only be locked.", "dropped alternative: v.tenantReferenceId is null": "No payment and no session has none as its reference.", "dropped condition: g.acceptance_after_debits is not null": "Nothing is at least an unknown number.", "removed default: coalesce(( select count(*) filter": "What is not known is not true either.", "removed default: coalesce(t.completed_event_at": "A payment that is made here has one." },
  },
  "sessions.claim_verification": {
    given: {
      transactions: { status: "awaiting_verification", resolve_count: 1 },
      sessions: { status: "AWAITING_VERIFICATION", expires_at: "2026-03-01" },
    },
    gives: [
      {
        lease_no: 2, expires_at: "2026-03-01", session_status: "AWAITING_VERIFICATION",
        transaction_status: "verifying",
      },
    ],
    does: {
      transactions: {
        status: "verifying", lease_no: 2, resolve_at: "2026-02-01", updated_at: "2026-02-01",
        locked_until: "in 0 minutes",
      },
    },
    not: {
      "another session": { sessions: { id: OTHER } },
      "a session that waits for a payment": { sessions: { status: "PENDING" } },
      "another attempt": { sessions: { open_transaction_id: OTHER } },
      "a payment that is confirmed already": { transactions: { status: "verifying" } },
      "a session at the very end of its time": { sessions: { expires_at: "2026-02-01" } },
    },
    also: {
      "a session whose time is over, where that does not count": {
        given: { sessions: { expires_at: "2026-01-15" }, with: { evenExpired: true } },
        gives: [{ expires_at: "2026-01-15" }],
      },
      "as its account was set": {
        given: { transactions: { completed_event_at: null }, gateways: { completed_event_at: "g" } },
        gives: [{ completed_event_at: "g" }],
      },
    },
    same: { "dropped condition: transactions.status = 'awaiting_verification' then 'verifying'": "It takes only such a payment." },
  },
  "sessions.take_back": {
    given: { transactions: { status: "awaiting_verification", resolve_count: 1 } },
    gives: [{ lease_no: 2, transaction_status: "verifying" }],
    does: {
      transactions: {
        status: "verifying", lease_no: 2, resolve_at: "2026-02-01", updated_at: "2026-02-01",
        locked_until: "in 0 minutes",
      },
    },
    not: {
      "another payment": { transactions: { id: OTHER } },
      "a payment that has ended": { transactions: { status: "approved" } },
      "a payment that is on its way": { transactions: { status: "pending" } },
    },
    also: {
      "a payment that is sent": {
        given: { transactions: { status: "submitted" } },
        gives: [{ transaction_status: "submitted" }],
        does: { transactions: { status: undefined } },
      },
      "a payment whose answer is unknown": {
        given: { transactions: { status: "unresolved" } },
        gives: [{ transaction_status: "unresolved" }],
        does: { transactions: { status: undefined } },
      },
      "a payment that is confirmed": {
        given: { transactions: { status: "verifying" } },
        does: { transactions: { status: undefined } },
      },
      "as its account was set": {
        given: { transactions: { completed_event_at: null }, gateways: { completed_event_at: "g" } },
        gives: [{ completed_event_at: "g" }],
      },
    },
  },
  "sessions.claim_due": {
    given: {
      transactions: { status: "submitted", resolve_at: "2026-01-15" }, with: { resolveAt: "2026-02-02", limit: 5 },
    },
    gives: [{ lease_no: 2, resolve_count: 2, transaction_status: "submitted" }],
    does: {
      transactions: {
        lease_no: 2, resolve_at: "2026-02-02", updated_at: "2026-02-01", locked_until: "in 0 minutes",
        resolve_count: 2,
      },
    },
    not: {
      "before it is due": { transactions: { resolve_at: "2026-03-01" } },
      "a payment of no session": { transactions: { session_id: null } },
      "a payment that another worker has": { transactions: { locked_until: "2100-01-01" } },
    },
    also: {
      "due at this moment": { given: { transactions: { resolve_at: "2026-02-01" } } },
      "a lease that has ended": { given: { transactions: { locked_until: "2026-01-02" } } },
      "a customer who is to confirm": {
        given: { transactions: { status: "awaiting_verification" } },
        gives: [{ transaction_status: "verifying" }],
        does: { transactions: { status: "verifying" } },
      },
      "as its account was set": {
        given: { transactions: { completed_event_at: null }, gateways: { completed_event_at: "g" } },
        gives: [{ completed_event_at: "g" }],
      },
    },
  },
  "campaigns.stop": {
    given: {
      campaigns: { return_rate_min_payments: 10, return_rate_max: 20 },
      with: { countedFrom: null, collected: 10, returned: 3 },
    },
    gives: [{ id: ID }],
    does: { campaigns: { stopped_at: "2026-02-01", updated_at: "2026-02-01" } },
    not: {
      "another campaign": { campaigns: { id: OTHER } },
      "a campaign that is stopped": { campaigns: { stopped_at: "2026-01-15" } },
      "a campaign that was resumed since it was counted": { campaigns: { counted_from: "2026-01-15" } },
      "too few payments": { campaigns: { return_rate_min_payments: 11 } },
      "no more returns than it may have": { with: { returned: 2 } },
    },
    also: {
      "counted since it was resumed": {
        given: { campaigns: { counted_from: "2026-01-15" }, with: { countedFrom: "2026-01-15" } },
      },
    },
  },
  "campaigns.resume": {
    given: { campaigns: { stopped_at: "2025-12-01" } },
    gives: [{ id: ID }],
    does: { campaigns: { stopped_at: null, updated_at: "2026-02-01", counted_from: "2026-02-01" } },
    not: {
      "another campaign": { campaigns: { id: OTHER } },
      "a campaign that is not stopped": { campaigns: { stopped_at: null } },
    },
  },
  "sessions.find_duplicate": {
    given: {
      sessions: { amount: 30, trial_price: 5, billing_type: "ONE_OFF" }, tenants: { ask_about_duplicates: true },
      transactions: {
        ...OTHER_PAYMENT, type: "sdd_sale", status: "approved", amount: 30, created_at: "2026-01-31T12:00:00Z",
      },
      session_moves: { cause: "y" },
    },
    gives: [{ is_noted: false, merchant_transaction_id: "y" }],
    does: {
      session_moves: added({
        at: "2026-02-01", cause: "asked_about_duplicate", to_status: "PENDING", session_id: ID,
        from_status: "PENDING",
      }),
    },
    not: {
      "another session": { sessions: { id: OTHER } },
      "a tenant that does not ask": { tenants: { ask_about_duplicates: false } },
      "another customer's payment": { transactions: { lead_id: OTHER } },
      "a payment of the same session": { transactions: { session_id: ID } },
      "a renewal": { transactions: { type: "sdd_rebill" } },
      "another currency": { transactions: { currency: "y" } },
      "another amount": { transactions: { amount: 31 } },
      "a payment that was declined": { transactions: { status: "declined" } },
      "a payment that was refunded": { transactions: { status: "refunded" } },
      "a payment of a day ago": { transactions: { created_at: "2026-01-31" } },
      "the full price of a trial": { sessions: { billing_type: "TRIAL_RECURRING" } },
      "a payment of another address at the same host": { transactions: { lead_id: OTHER }, leads: [{ email_key: "ann a" }, { id: OTHER, email_key: "bob b" }] },
      "a payment of another bank account": {
        transactions: { lead_id: OTHER }, leads: [{ email_key: "ann 1" }, { id: OTHER, email_key: "ann 2" }],
        mandates: { lead_id: OTHER, iban_fingerprint: "\\x61" },
      },
      "a payment of a name that goes on": {
        transactions: { lead_id: OTHER }, leads: [{ email_key: "ann 1" }, { id: OTHER, email_key: "anna 2" }],
        mandates: { lead_id: OTHER },
      },
      "a payment of another customer's mandate": {
        transactions: { lead_id: OTHER }, leads: [{ email_key: "ann 1" }, { id: OTHER, email_key: "ann 2" }],
        mandates: { lead_id: THIRD },
      },
    },
    also: {
      "asked before": {
        given: { session_moves: { cause: "asked_about_duplicate" } },
        gives: [{ is_noted: true }],
        does: { session_moves: [] },
      },
      "asked of another session": { given: { session_moves: { session_id: OTHER, cause: "asked_about_duplicate" } } },
      "a payment that is submitted": { given: { transactions: { status: "submitted" } } },
      "a payment that is unresolved": { given: { transactions: { status: "unresolved" } } },
      "a payment that is awaiting verification": { given: { transactions: { status: "awaiting_verification" } } },
      "a payment that is verifying": { given: { transactions: { status: "verifying" } } },
      "a payment that is pending": { given: { transactions: { status: "pending" } } },
      "the price of a trial": {
        given: { sessions: { billing_type: "TRIAL_RECURRING" }, transactions: { amount: 5 } },
      },
      "a trial that costs nothing": {
        given: { sessions: { billing_type: "TRIAL_RECURRING", trial_price: null }, transactions: { amount: 0 } },
      },
      "the same account under another spelling of the address": {
        given: {
          transactions: { lead_id: OTHER }, leads: [{ email_key: "ann 1" }, { id: OTHER, email_key: "ann 2" }],
          mandates: { lead_id: OTHER },
        },
      },
      "the newest": {
        given: {
          "+transactions": {
            id: THIRD, session_id: THIRD, merchant_transaction_id: "newest", adapter_unique_id: "z",
            tenant_reference_id: null, type: "sdd_sale", status: "approved", amount: 30,
            created_at: "2026-01-31T13:00:00Z",
          },
        },
        gives: [{ merchant_transaction_id: "newest" }],
      },
    },
  },
  "sessions.count_invalid_iban": {
    given: {
      payment_counts: {
        kind: "invalid_iban", key: ID, count: 2, started_at: "2026-01-31T12:00:00Z",
        counted_at: "2026-01-31T12:00:00Z", accounts: null,
      },
      tenants: { invalid_ibans_max: 5 },
    },
    gives: [{ key: ID, kind: "invalid_iban" }],
    does: { payment_counts: { kind: "invalid_iban", key: ID, most: 5, count: 3, counted_at: "2026-02-01" } },
    not: {
      "as many as a session may have": { payment_counts: { count: 5 } },
    },
    also: {
      "the first one": {
        given: { payment_counts: [] },
        does: { payment_counts: added({ count: 1, started_at: "2026-02-01" }) },
      },
      "the first one of a tenant without a limit": {
        given: { payment_counts: [], tenants: { invalid_ibans_max: null } },
        does: { payment_counts: added({ most: 30, count: 1, started_at: "2026-02-01" }) },
      },
      "the last that a session may have": {
        given: { payment_counts: { count: 4 } },
        does: { payment_counts: { count: 5 } },
      },
      "a day later": {
        given: { payment_counts: { count: 5, started_at: "2026-01-31" } },
        does: { payment_counts: { count: 1, started_at: "2026-02-01" } },
      },
      "another session's": {
        given: { payment_counts: { key: "y" } },
        does: { payment_counts: added({ count: 1, started_at: "2026-02-01" }) },
      },
    },
    same: { "never: … account": "A count of invalid IBANs has no accounts.", "dropped assignment: case … account": "A count of invalid IBANs has no accounts.", "dropped condition: … account": "A count of invalid IBANs has no accounts.", "boundary: >= … account": "A count of invalid IBANs has no accounts.", "dropped alternative: … account": "A count of invalid IBANs has no accounts.", "negated condition: … account": "A count of invalid IBANs has no accounts.", "off by one: 2 … account": "A count of invalid IBANs has no accounts.", "boundary: < … account": "A count of invalid IBANs has no accounts." },
  },
  "sessions.count_account_of_lead": {
    given: {
      tenants: {
        iban_payments_max: 10, lead_payments_max: 20, address_payments_max: 50, invalid_ibans_max: 30,
        lead_accounts_max: 5, address_accounts_max: 6, device_accounts_max: 7,
      },
      gateways: { test_mode: false }, payment_counts: [], with: { clientIp: "192.0.2.8" },
    },
    gives: [{ may: true }],
    does: {
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
    },
    also: {
      "two of five accounts, within a minute": {
        given: {
          payment_counts: [
            {
              kind: "lead_accounts", key: ID, started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T23:59:30Z",
              count: 2, most: 9, accounts: ["\\x61"],
            },
          ],
        },
        does: {
          payment_counts: [
            {}, {}, {}, {}, {}, { count: 3, accounts: ["\\x61", BYTES], started_at: undefined, added: undefined },
          ],
        },
      },
      "more than half of the payments, within a minute": {
        given: {
          payment_counts: [
            {
              kind: "address", key: "192.0.2.8", started_at: "2026-01-31T12:00:00Z",
              counted_at: "2026-01-31T23:59:30Z", count: 30, most: 9, accounts: null,
            },
          ],
        },
        does: { payment_counts: [{ count: 31, started_at: undefined, added: undefined }, {}, {}, {}, {}, {}] },
      },
      "a known account, a day later": {
        given: {
          payment_counts: [
            {
              kind: "lead_accounts", key: ID, started_at: "2026-01-31", counted_at: "2026-01-31T12:00:00Z", count: 5,
              most: 9, accounts: ["\\x61", BYTES],
            },
          ],
        },
        does: { payment_counts: [{}, {}, {}, {}, {}, { added: undefined }] },
      },
      "a known account of a count that began yesterday": {
        given: {
          payment_counts: [
            {
              kind: "lead_accounts", key: ID, started_at: "2026-01-30", counted_at: "2026-01-31T12:00:00Z", count: 5,
              most: 9, accounts: ["\\x61", BYTES],
            },
          ],
        },
        does: { payment_counts: [{}, {}, {}, {}, {}, { added: undefined }] },
      },
      "a customer who is unknown": { given: { leads: { id: OTHER } }, does: { payment_counts: [] } },
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
        given: {
          payment_counts: [
            {
              kind: "lead_accounts", key: ID, started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T12:00:00Z",
              count: 5, most: 9, accounts: ["\\x61", BYTES],
            },
          ],
        },
        does: {
          payment_counts: [
            {}, {}, {}, {}, {},
            { count: undefined, accounts: undefined, counted_at: undefined, started_at: undefined, added: undefined },
          ],
        },
      },
      "more than half of the accounts, after a minute": {
        given: {
          payment_counts: [
            {
              kind: "lead_accounts", key: ID, started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T23:59:00Z",
              count: 3, most: 9, accounts: ["\\x61"],
            },
          ],
        },
        does: {
          payment_counts: [
            {}, {}, {}, {}, {}, { count: 4, accounts: ["\\x61", BYTES], started_at: undefined, added: undefined },
          ],
        },
      },
      "more than half of the accounts, within a minute": {
        given: {
          payment_counts: [
            {
              kind: "lead_accounts", key: ID, started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T23:59:30Z",
              count: 3, most: 9, accounts: ["\\x61"],
            },
          ],
        },
        gives: [{ may: false }],
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
          ],
        },
      },
      "half of six accounts, within a minute": {
        given: {
          payment_counts: [
            {
              kind: "address_accounts", key: "192.0.2.8", started_at: "2026-01-31T12:00:00Z",
              counted_at: "2026-01-31T23:59:30Z", count: 3, most: 9, accounts: ["\\x61"],
            },
          ],
        },
        gives: [{ may: false }],
        does: {
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
        },
      },
      "an address that has paid too often": {
        given: {
          payment_counts: [
            {
              kind: "address", key: "192.0.2.8", started_at: "2026-01-31T12:00:00Z",
              counted_at: "2026-01-31T12:00:00Z", count: 50, most: 9, accounts: null,
            },
          ],
        },
        gives: [{ may: false }],
        does: {
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
        },
      },
      "an address with too many bank accounts": {
        given: {
          payment_counts: [
            {
              kind: "address_accounts", key: "192.0.2.8", started_at: "2026-01-31T12:00:00Z",
              counted_at: "2026-01-31T12:00:00Z", count: 6, most: 9, accounts: ["\\x61"],
            },
          ],
        },
        gives: [{ may: false }],
        does: {
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
        },
      },
      "a device with too many bank accounts": {
        given: {
          payment_counts: [
            {
              kind: "device_accounts", key: "x", started_at: "2026-01-31T12:00:00Z",
              counted_at: "2026-01-31T12:00:00Z", count: 7, most: 9, accounts: ["\\x61"],
            },
          ],
        },
        gives: [{ may: false }],
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
            added({ key: "78", kind: "iban", most: 10, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({ key: ID, kind: "lead", most: 20, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({
              key: ID, kind: "lead_accounts", most: 5, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
          ],
        },
      },
      "a bank account that has paid too often": {
        given: {
          payment_counts: [
            {
              kind: "iban", key: "78", started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T12:00:00Z",
              count: 10, most: 9, accounts: null,
            },
          ],
        },
        gives: [{ may: false }],
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
            added({ key: ID, kind: "lead", most: 20, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({
              key: ID, kind: "lead_accounts", most: 5, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
          ],
        },
      },
      "a customer who has paid too often": {
        given: {
          payment_counts: [
            {
              kind: "lead", key: ID, started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T12:00:00Z",
              count: 20, most: 9, accounts: null,
            },
          ],
        },
        gives: [{ may: false }],
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
            added({
              key: ID, kind: "lead_accounts", most: 5, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
          ],
        },
      },
      "a customer with too many bank accounts": {
        given: {
          payment_counts: [
            {
              kind: "lead_accounts", key: ID, started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T12:00:00Z",
              count: 5, most: 9, accounts: ["\\x61"],
            },
          ],
        },
        gives: [{ may: false }],
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
          ],
        },
      },
      "the usual limits of a live account": {
        given: {
          tenants: {
            iban_payments_max: null, lead_payments_max: null, address_payments_max: null, invalid_ibans_max: null,
            lead_accounts_max: null, address_accounts_max: null, device_accounts_max: null,
          },
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
      "a test account of a tenant without limits": {
        given: {
          tenants: {
            iban_payments_max: null, lead_payments_max: null, address_payments_max: null, invalid_ibans_max: null,
            lead_accounts_max: null, address_accounts_max: null, device_accounts_max: null,
          },
          gateways: { test_mode: true },
        },
        does: { payment_counts: [] },
      },
      "a customer without a session, as on a test account": {
        given: {
          tenants: {
            iban_payments_max: null, lead_payments_max: null, address_payments_max: null, invalid_ibans_max: null,
            lead_accounts_max: null, address_accounts_max: null, device_accounts_max: null,
          },
          sessions: [],
        },
        does: { payment_counts: [] },
      },
      "another customer's session": {
        given: {
          tenants: {
            iban_payments_max: null, lead_payments_max: null, address_payments_max: null, invalid_ibans_max: null,
            lead_accounts_max: null, address_accounts_max: null, device_accounts_max: null,
          },
          sessions: { lead_id: OTHER },
        },
        does: { payment_counts: [] },
      },
      "the account of the newest session": {
        given: {
          tenants: {
            iban_payments_max: null, lead_payments_max: null, address_payments_max: null, invalid_ibans_max: null,
            lead_accounts_max: null, address_accounts_max: null, device_accounts_max: null,
          },
          sessions: [
            { created_at: "2026-01-03", closed_at: "2026-01-03", gateway_id: ID },
            {
              id: OTHER, tenant_reference_id: "y", gateway_id: OTHER, created_at: "2026-01-02",
              closed_at: "2026-01-03",
            },
          ],
          gateways: [{ test_mode: false }, { id: OTHER, test_mode: true }],
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
      "the account of the last of two sessions": {
        given: {
          tenants: {
            iban_payments_max: null, lead_payments_max: null, address_payments_max: null, invalid_ibans_max: null,
            lead_accounts_max: null, address_accounts_max: null, device_accounts_max: null,
          },
          sessions: [
            { closed_at: "2026-01-03", gateway_id: OTHER },
            { id: OTHER, tenant_reference_id: "y", gateway_id: ID, closed_at: "2026-01-03" },
          ],
          gateways: [{ test_mode: false }, { id: OTHER, test_mode: true }],
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
      "an address of IPv6": {
        given: { with: { clientIp: "2001:db8::1" } },
        does: { payment_counts: [{ key: "2001:db8::/64" }, { key: "2001:db8::/64" }, {}, {}, {}, {}] },
      },
      "an address of IPv6 with a zone": {
        given: { with: { clientIp: "fe80::1%eth0" } },
        does: { payment_counts: [{ key: "fe80::/64" }, { key: "fe80::/64" }, {}, {}, {}, {}] },
      },
      "no address and no device": {
        given: { with: { clientIp: null, device: null } },
        does: {
          payment_counts: [
            added({ key: "78", kind: "iban", most: 10, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({ key: ID, kind: "lead", most: 20, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({
              key: ID, kind: "lead_accounts", most: 5, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
          ],
        },
      },
    },
    same: { "dropped condition: v.source = 'hosted_page'": "It is always that here." },
  },
  "sessions.find_reached_limit": {
    given: {
      tenants: {
        iban_payments_max: 10, lead_payments_max: 20, address_payments_max: 50, invalid_ibans_max: 30,
        lead_accounts_max: 5, address_accounts_max: 6, device_accounts_max: 7,
      },
      gateways: { test_mode: false }, sessions: { customer_ip: null }, session_moves: { cause: "y" },
      payment_counts: {
        kind: "iban", key: "78", started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T12:00:00Z", count: 10,
        most: 9, accounts: null,
      },
      with: { clientIp: "192.0.2.8", source: "hosted_page" },
    },
    gives: [{ kind: "iban", cause: "limit_reached_iban", free_at: "2026-02-01T12:00Z", is_noted: false }],
    does: {
      session_moves: added({ at: "2026-02-01", cause: "limit_reached_iban", to_status: "PENDING", session_id: ID, from_status: "PENDING" }),
    },
    not: {
      "an address of a caller with too many bank accounts does not count": {
        with: { source: "api_submission" },
        payment_counts: [
          {
            kind: "address_accounts", key: "192.0.2.8", started_at: "2026-01-31T12:00:00Z",
            counted_at: "2026-01-31T12:00:00Z", count: 6, most: 9, accounts: ["\\x61"],
          },
        ],
      },
      "the usual limit of a customer of a test account": {
        tenants: {
          iban_payments_max: null, lead_payments_max: null, address_payments_max: null, invalid_ibans_max: null,
          lead_accounts_max: null, address_accounts_max: null, device_accounts_max: null,
        },
        gateways: { test_mode: true },
        payment_counts: [
          {
            kind: "lead", key: ID, started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T12:00:00Z", count: 20,
            most: 9, accounts: null,
          },
        ],
      },
      "the usual limit of an address of a test account": {
        tenants: {
          iban_payments_max: null, lead_payments_max: null, address_payments_max: null, invalid_ibans_max: null,
          lead_accounts_max: null, address_accounts_max: null, device_accounts_max: null,
        },
        gateways: { test_mode: true },
        payment_counts: [
          {
            kind: "address", key: "192.0.2.8", started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T12:00:00Z",
            count: 50, most: 9, accounts: null,
          },
        ],
      },
      "half of the payments, within a minute": {
        payment_counts: [
          {
            kind: "iban", key: "78", started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T23:59:30Z", count: 5,
            most: 9, accounts: null,
          },
        ],
      },
      "half of the bank accounts, of a day that is over": {
        payment_counts: [
          {
            kind: "address_accounts", key: "192.0.2.8", started_at: "2026-01-31", counted_at: "2026-01-31T23:59:30Z",
            count: 3, most: 9, accounts: ["\\x61"],
          },
        ],
      },
      "nothing is reached": { payment_counts: [] },
      "one payment less than too many": {
        payment_counts: [
          {
            kind: "iban", key: "78", started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T12:00:00Z", count: 9,
            most: 9, accounts: null,
          },
        ],
      },
      "what was reached yesterday": {
        payment_counts: [
          {
            kind: "iban", key: "78", started_at: "2026-01-31", counted_at: "2026-01-31T12:00:00Z", count: 10, most: 9,
            accounts: null,
          },
        ],
      },
      "another bank account": {
        payment_counts: [
          {
            kind: "iban", key: "79", started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T12:00:00Z",
            count: 10, most: 9, accounts: null,
          },
        ],
      },
      "another session": { sessions: { id: OTHER } },
      "a bank account that the customer has used before": {
        payment_counts: [
          {
            kind: "lead_accounts", key: ID, started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T12:00:00Z",
            count: 5, most: 9, accounts: ["\\x61", BYTES],
          },
        ],
      },
      "fewer than half of the bank accounts": {
        payment_counts: [
          {
            kind: "lead_accounts", key: ID, started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T23:59:59Z",
            count: 2, most: 9, accounts: ["\\x61"],
          },
        ],
      },
      "half of the bank accounts, a minute ago": {
        payment_counts: [
          {
            kind: "lead_accounts", key: ID, started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T23:59:00Z",
            count: 3, most: 9, accounts: ["\\x61"],
          },
        ],
      },
      "a tenant without limits for accounts": {
        tenants: {
          iban_payments_max: null, lead_payments_max: null, address_payments_max: null, invalid_ibans_max: null,
          lead_accounts_max: null, address_accounts_max: null, device_accounts_max: null,
        },
        payment_counts: [
          {
            kind: "lead_accounts", key: ID, started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T12:00:00Z",
            count: 5, most: 9, accounts: ["\\x61"],
          },
        ],
      },
      "a caller's own request: its address does not count": {
        with: { source: "api_submission" },
        payment_counts: [
          {
            kind: "address", key: "192.0.2.8", started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T12:00:00Z",
            count: 50, most: 9, accounts: null,
          },
        ],
      },
      "the usual limit of a test account": {
        tenants: {
          iban_payments_max: null, lead_payments_max: null, address_payments_max: null, invalid_ibans_max: null,
          lead_accounts_max: null, address_accounts_max: null, device_accounts_max: null,
        },
        gateways: { test_mode: true },
      },
    },
    also: {
      "an address of IPv6 with too many bank accounts": {
        given: {
          with: { clientIp: "2001:db8::1" },
          payment_counts: [
            {
              kind: "address_accounts", key: "2001:db8::/64", started_at: "2026-01-31T12:00:00Z",
              counted_at: "2026-01-31T12:00:00Z", count: 6, most: 9, accounts: ["\\x61"],
            },
          ],
        },
        gives: [{ kind: "address_accounts", cause: "limit_reached_address_accounts" }],
        does: { session_moves: { cause: "limit_reached_address_accounts" } },
      },
      "noted at the very time when it began": {
        given: { session_moves: { cause: "limit_reached_iban", at: "2026-01-31T12:00:00Z" } },
      },
      "something else was noted": { given: { session_moves: { cause: "y", at: "2026-01-31T13:00:00Z" } } },
      "noted before": {
        given: { session_moves: { cause: "limit_reached_iban", at: "2026-01-31T13:00:00Z" } },
        gives: [{ is_noted: true }],
        does: { session_moves: [] },
      },
      "noted of another time": {
        given: { session_moves: { cause: "limit_reached_iban", at: "2026-01-31T11:00:00Z" } },
      },
      "noted of another session": {
        given: { session_moves: { session_id: OTHER, cause: "limit_reached_iban", at: "2026-01-31T13:00:00Z" } },
      },
      "an address": {
        given: {
          payment_counts: [
            {
              kind: "address", key: "192.0.2.8", started_at: "2026-01-31T12:00:00Z",
              counted_at: "2026-01-31T12:00:00Z", count: 50, most: 9, accounts: null,
            },
          ],
        },
        gives: [{ kind: "address", cause: "limit_reached_address" }],
        does: { session_moves: { cause: "limit_reached_address" } },
      },
      "an address with too many bank accounts": {
        given: {
          payment_counts: [
            {
              kind: "address_accounts", key: "192.0.2.8", started_at: "2026-01-31T12:00:00Z",
              counted_at: "2026-01-31T12:00:00Z", count: 6, most: 9, accounts: ["\\x61"],
            },
          ],
        },
        gives: [{ kind: "address_accounts", cause: "limit_reached_address_accounts" }],
        does: { session_moves: { cause: "limit_reached_address_accounts" } },
      },
      "a device with too many bank accounts": {
        given: {
          payment_counts: [
            {
              kind: "device_accounts", key: "x", started_at: "2026-01-31T12:00:00Z",
              counted_at: "2026-01-31T12:00:00Z", count: 7, most: 9, accounts: ["\\x61"],
            },
          ],
        },
        gives: [{ kind: "device_accounts", cause: "limit_reached_device_accounts" }],
        does: { session_moves: { cause: "limit_reached_device_accounts" } },
      },
      "a customer who has paid too often": {
        given: {
          payment_counts: [
            {
              kind: "lead", key: ID, started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T12:00:00Z",
              count: 20, most: 9, accounts: null,
            },
          ],
        },
        gives: [{ kind: "lead", cause: "limit_reached_lead" }],
        does: { session_moves: { cause: "limit_reached_lead" } },
      },
      "a customer with too many bank accounts": {
        given: {
          payment_counts: [
            {
              kind: "lead_accounts", key: ID, started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T12:00:00Z",
              count: 5, most: 9, accounts: ["\\x61"],
            },
          ],
        },
        gives: [{ kind: "lead_accounts", cause: "limit_reached_lead_accounts" }],
        does: { session_moves: { cause: "limit_reached_lead_accounts" } },
      },
      "a session with too many invalid IBANs": {
        given: {
          payment_counts: [
            {
              kind: "invalid_iban", key: ID, started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T12:00:00Z",
              count: 30, most: 9, accounts: null,
            },
          ],
        },
        gives: [{ kind: "invalid_iban", cause: "limit_reached_invalid_iban" }],
        does: { session_moves: { cause: "limit_reached_invalid_iban" } },
      },
      "half of the bank accounts, within a minute": {
        given: {
          payment_counts: [
            {
              kind: "address_accounts", key: "192.0.2.8", started_at: "2026-01-31T12:00:00Z",
              counted_at: "2026-01-31T23:59:30Z", count: 3, most: 9, accounts: ["\\x61"],
            },
          ],
        },
        gives: [{ kind: "address_accounts", cause: "slowed_down_address_accounts", free_at: "2026-02-01T00:00:30Z" }],
        does: { session_moves: { cause: "slowed_down_address_accounts" } },
      },
      "the one that lasts longest": {
        given: {
          payment_counts: [
            {
              kind: "iban", key: "78", started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T12:00:00Z",
              count: 10, most: 9, accounts: null,
            },
            {
              kind: "lead", key: ID, started_at: "2026-01-31T13:00:00Z", counted_at: "2026-01-31T12:00:00Z",
              count: 20, most: 9, accounts: null,
            },
          ],
        },
        gives: [{ kind: "lead", cause: "limit_reached_lead", free_at: "2026-02-01T13:00Z" }],
        does: { session_moves: { cause: "limit_reached_lead" } },
      },
      "an address that the merchant has sent": {
        given: {
          sessions: { customer_ip: "192.0.2.9" },
          payment_counts: [
            {
              kind: "address", key: "192.0.2.9", started_at: "2026-01-31T12:00:00Z",
              counted_at: "2026-01-31T12:00:00Z", count: 50, most: 9, accounts: null,
            },
          ],
        },
        gives: [{ kind: "address", cause: "limit_reached_address" }],
        does: { session_moves: { cause: "limit_reached_address" } },
      },
      "an address of IPv6": {
        given: {
          with: { clientIp: "2001:db8::1" },
          payment_counts: [
            {
              kind: "address", key: "2001:db8::/64", started_at: "2026-01-31T12:00:00Z",
              counted_at: "2026-01-31T12:00:00Z", count: 50, most: 9, accounts: null,
            },
          ],
        },
        gives: [{ kind: "address", cause: "limit_reached_address" }],
        does: { session_moves: { cause: "limit_reached_address" } },
      },
      "an address of IPv6 with a zone": {
        given: {
          with: { clientIp: "fe80::1%eth0" },
          payment_counts: [
            {
              kind: "address", key: "fe80::/64", started_at: "2026-01-31T12:00:00Z",
              counted_at: "2026-01-31T12:00:00Z", count: 50, most: 9, accounts: null,
            },
          ],
        },
        gives: [{ kind: "address", cause: "limit_reached_address" }],
        does: { session_moves: { cause: "limit_reached_address" } },
      },
      "the usual limit of a bank account": {
        given: {
          tenants: {
            iban_payments_max: null, lead_payments_max: null, address_payments_max: null, invalid_ibans_max: null,
            lead_accounts_max: null, address_accounts_max: null, device_accounts_max: null,
          },
        },
      },
      "the usual limit of an address": {
        given: {
          tenants: {
            iban_payments_max: null, lead_payments_max: null, address_payments_max: null, invalid_ibans_max: null,
            lead_accounts_max: null, address_accounts_max: null, device_accounts_max: null,
          },
          payment_counts: [
            {
              kind: "address", key: "192.0.2.8", started_at: "2026-01-31T12:00:00Z",
              counted_at: "2026-01-31T12:00:00Z", count: 50, most: 9, accounts: null,
            },
          ],
        },
        gives: [{ kind: "address", cause: "limit_reached_address" }],
        does: { session_moves: { cause: "limit_reached_address" } },
      },
      "the usual limit of a customer": {
        given: {
          tenants: {
            iban_payments_max: null, lead_payments_max: null, address_payments_max: null, invalid_ibans_max: null,
            lead_accounts_max: null, address_accounts_max: null, device_accounts_max: null,
          },
          payment_counts: [
            {
              kind: "lead", key: ID, started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T12:00:00Z",
              count: 20, most: 9, accounts: null,
            },
          ],
        },
        gives: [{ kind: "lead", cause: "limit_reached_lead" }],
        does: { session_moves: { cause: "limit_reached_lead" } },
      },
      "the usual limit of invalid IBANs": {
        given: {
          tenants: {
            iban_payments_max: null, lead_payments_max: null, address_payments_max: null, invalid_ibans_max: null,
            lead_accounts_max: null, address_accounts_max: null, device_accounts_max: null,
          },
          payment_counts: [
            {
              kind: "invalid_iban", key: ID, started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T12:00:00Z",
              count: 30, most: 9, accounts: null,
            },
          ],
        },
        gives: [{ kind: "invalid_iban", cause: "limit_reached_invalid_iban" }],
        does: { session_moves: { cause: "limit_reached_invalid_iban" } },
      },
    },
    same: { "dropped condition: v.n = c.n": "There is one of each.", "dropped condition: w.key is not null": "Nothing is joined by no key.", "dropped condition: w.most is not null": "Nothing is at least an unknown number." },
  },
  "sessions.forget_counts": {
    gives: [{ "?column?": 1 }],
    does: { payment_counts: "gone" },
    not: {
      "a count of today": { payment_counts: { started_at: "2026-02-01" } },
    },
    also: {
      "a count that began a day ago, to the second": { given: { with: { now: "2026-01-02" } } },
    },
  },
  "payment_links.free_idle": {
    given: {
      sessions: { holds_link_use: true, status: "EXPIRED", open_transaction_id: null }, with: { sessionId: OTHER },
    },
    does: { sessions: { holds_link_use: false } },
    not: {
      "another payment link's session": { sessions: { payment_link_id: OTHER } },
      "the session itself": { with: { sessionId: ID } },
      "a session that is completed": { sessions: { status: "COMPLETED" } },
      "a session with an open attempt": { sessions: { open_transaction_id: OTHER } },
    },
    same: { "dropped condition: holds_link_use": "Those that hold none stay so." },
  },
  "payment_links.hold_use": {
    given: { sessions: { status: "PENDING", open_transaction_id: null } },
    gives: [{ id: ID }],
    does: { sessions: { holds_link_use: true } },
    not: {
      "another session": { sessions: { id: OTHER } },
      "a session that is awaiting verification": { sessions: { status: "AWAITING_VERIFICATION" } },
      "a session with an open attempt": { sessions: { open_transaction_id: OTHER } },
    },
  },
  "sessions.record_outcome": {
    given: {
      sessions: { status: "PENDING", holds_link_use: true, attempts_used: 1 }, subscriptions: [],
      transactions: { status: "submitted", locked_until: "2026-01-02", subscription_id: null },
      with: {
        toStatus: ["approved"], fromStatuses: [["submitted"]], gatewayReference: ["g"], errorCode: ["e1"],
        errorMessage: ["e2"], gatewayCode: ["e3"], gatewayMessage: ["e4"], verificationId: ["v"],
        verificationUrl: ["u"], sessionStatus: ["COMPLETED"], attemptsUsed: [2], orderStatus: ["COMPLETED"],
        mandateStatus: ["active"], fromStatus: ["PENDING"], cause: ["c"], events: [EVENTS],
        subscription: [
          {
            id: OTHER, trial_end_date: "2026-02-02", billing_anchor_date: "2026-02-03",
            next_billing_date: "2026-02-04", last_billing_date: "2026-02-05", total_revenue: 7,
          },
        ],
      },
    },
    gives: [{ n: 1, id: ID }],
    does: {
      events: added({
        id: THIRD, type: "payment_session.completed", payload: {}, created_at: "2026-02-01", session_id: ID,
        transaction_id: ID,
      }),
      mandates: { status: "active", updated_at: "2026-02-01", last_used_at: "2026-02-01" },
      messages: added({ id: "made here", kind: "x", created_at: "2026-02-01", transaction_id: ID }),
      orders: { status: "COMPLETED", updated_at: "2026-02-01" },
      session_moves: added({
        at: "2026-02-01", cause: "c", to_status: "COMPLETED", session_id: ID, from_status: "PENDING",
        transaction_id: ID,
      }),
      sessions: {
        status: "COMPLETED", closed_at: "2026-02-01", expires_at: "2026-02-01", attempts_used: 2,
        open_transaction_id: null,
      },
      subscriptions: added({
        id: OTHER, status: "ACTIVE", lead_id: ID, currency: "x", offer_id: ID, order_id: ID, created_at: "2026-02-01",
        gateway_id: ID, mandate_id: ID, start_date: "2026-02-01", updated_at: "2026-02-01", billing_day: "x",
        total_revenue: 7, billing_amount: 1, trial_end_date: "2026-02-02", billing_frequency: "x",
        last_billing_date: "2026-02-05", next_billing_date: "2026-02-04", billing_anchor_date: "2026-02-03",
      }),
      transactions: {
        status: "approved", lease_no: 2, error_code: "e1", resolve_at: "2026-02-01", updated_at: "2026-02-01",
        gateway_code: "e3", locked_until: null, processed_at: "2026-02-01", error_message: "e2",
        gateway_message: "e4", subscription_id: OTHER, verification_id: "v", verification_url: "u",
        gateway_reference: "g",
      },
    },
    not: {
      "another payment": { transactions: { id: OTHER } },
      "a payment that is no longer in one of these states": { transactions: { status: "approved" } },
      "a payment that another worker has taken over": { transactions: { lease_no: 2 } },
    },
    also: {
      "an event that a receiver listens to": {
        given: { webhook_profiles: { events: ["transaction.created"] } },
        does: {
          events: [
            added({
              id: THIRD, type: "payment_session.completed", payload: {}, created_at: "2026-02-01", session_id: ID,
              transaction_id: ID,
            }),
            added({
              id: FOURTH, type: "transaction.created", payload: {}, created_at: "2026-02-01", session_id: ID,
              transaction_id: ID,
            }),
          ],
        },
      },
      "an event of which only an archived receiver wants to hear": {
        given: { webhook_profiles: { events: ["transaction.created"], archived_at: "2026-01-01" } },
      },
      "a payment that was processed before": {
        given: { transactions: { processed_at: "2026-01-29" }, with: { processedAt: [null] } },
        does: { transactions: { processed_at: undefined } },
      },
      "a caller without a lease": {
        given: { with: { leaseNo: [null] }, transactions: { lease_no: 2 } },
        does: { transactions: { lease_no: 3 } },
      },
      "an outcome that leaves the session open": {
        given: { with: { sessionStatus: ["PENDING"], mandateStatus: ["pending"] } },
        does: {
          mandates: { status: "pending", last_used_at: undefined }, session_moves: { to_status: "PENDING" },
          sessions: { status: undefined, closed_at: undefined, holds_link_use: false },
        },
      },
      "an outcome that holds the session": {
        given: { with: { sessionStatus: ["PENDING"], held: [true] } },
        does: {
          session_moves: { to_status: "PENDING" },
          sessions: { status: undefined, closed_at: undefined, open_transaction_id: undefined },
        },
      },
      "an outcome with which the session expires": {
        given: { with: { sessionStatus: ["EXPIRED"] } },
        does: { session_moves: { to_status: "EXPIRED" }, sessions: { status: "EXPIRED", holds_link_use: false } },
      },
      "a session that holds no use of a link": { given: { sessions: { holds_link_use: false } } },
      "an outcome without a subscription": {
        given: { with: { subscription: [null] } },
        does: { subscriptions: [], transactions: { subscription_id: undefined } },
      },
      "what the gateway said before": {
        given: {
          with: { gatewayReference: [null], processedAt: [null], verificationId: [null], verificationUrl: [null] },
        },
        does: {
          transactions: {
            processed_at: undefined, verification_id: undefined, verification_url: undefined,
            gateway_reference: undefined,
          },
        },
      },
    },
  },
  "sessions.close_idle": {
    given: {
      sessions: { status: "PENDING", open_transaction_id: null, expires_at: "2026-03-01" }, with: { events: EVENTS },
    },
    gives: [{ id: ID }],
    does: {
      events: added({ id: THIRD, type: "payment_session.completed", payload: {}, created_at: "2026-02-01", session_id: ID }),
      messages: added({ id: "made here", kind: "x", created_at: "2026-02-01" }),
      orders: { status: "FAILED", updated_at: "2026-02-01" },
      session_moves: added({ at: "2026-02-01", cause: "cancelled", to_status: "EXPIRED", session_id: ID, from_status: "PENDING" }),
      sessions: { status: "EXPIRED", closed_at: "2026-02-01" },
    },
    not: {
      "another session": { sessions: { id: OTHER } },
      "a session with an open attempt": { sessions: { open_transaction_id: OTHER } },
      "a session that is completed": { sessions: { status: "COMPLETED" } },
      "a session whose customer is to confirm": { sessions: { status: "AWAITING_VERIFICATION" } },
      "a session whose time is not over, where it is to lapse": { with: { expired: true } },
    },
    also: {
      "an event that a receiver listens to": {
        given: { webhook_profiles: { events: ["transaction.created"] } },
        does: {
          events: [
            added({ id: THIRD, type: "payment_session.completed", payload: {}, created_at: "2026-02-01", session_id: ID }),
            added({ id: FOURTH, type: "transaction.created", payload: {}, created_at: "2026-02-01", session_id: ID }),
          ],
        },
      },
      "an event of which only an archived receiver wants to hear": {
        given: { webhook_profiles: { events: ["transaction.created"], archived_at: "2026-01-01" } },
      },
      "a session that lapses at this moment": {
        given: { with: { expired: true }, sessions: { expires_at: "2026-02-01" } },
        does: { session_moves: { cause: "lapsed" } },
      },
    },
    same: { "dropped returning: returning orders.*": "Other statements with this fragment read on from it." },
  },
  "sessions.insert": {
    given: {
      leads: { id: OTHER, email_key: "other" },
      sessions: { id: OTHER, tenant_reference_id: "y", closed_at: "2026-01-02" },
      orders: { id: OTHER, session_id: OTHER, order_number: "y" },
      transactions: { session_id: OTHER, tenant_reference_id: "y" },
      with: { firstAmount: [5], amount: [30], metadata: [null] },
    },
    gives: [{ n: 1, id: ID }],
    does: {
      leads: added({
        id: ID, city: "x", email: "x", phone: "x", address: "x", country: "x", email_key: "x", last_name: "x",
        created_at: "2026-02-01", first_name: "x", updated_at: "2026-02-01", postal_code: "x",
      }),
      orders: added({
        id: ID, amount: 5, status: "PENDING_PAYMENT_SUBMISSION", lead_id: ID, currency: "x", created_at: "2026-02-01",
        session_id: ID, updated_at: "2026-02-01", order_number: "x",
      }),
      session_moves: added({ at: "2026-02-01", cause: "created", to_status: "PENDING", session_id: ID }),
      sessions: added({
        id: ID, amount: 30, locale: "x", status: "PENDING", lead_id: ID, currency: "x", offer_id: ID,
        created_at: "2026-02-01", expires_at: "2026-02-01", gateway_id: ID, offer_name: "x", billing_day: "x",
        campaign_id: ID, customer_ip: "x", trial_price: 1, attempts_max: 1, billing_type: "x", product_name: "x",
        token_key_id: 1, trial_period: 1, campaign_name: "x", hosted_page_id: ID, payment_link_id: ID,
        billing_frequency: "x", webhook_profile_id: ID, cancel_redirect_url: "x", product_description: "x",
        tenant_reference_id: "x", trial_interval_unit: "x", failure_redirect_url: "x", success_redirect_url: "x",
      }),
    },
    not: {
      "a reference that a payment of another session has": { transactions: { tenant_reference_id: "x" } },
      "a reference that another session has": { sessions: { tenant_reference_id: "x" } },
    },
    also: {
      "no reference": {
        given: { with: { tenantReferenceId: [null] }, transactions: { tenant_reference_id: "x" } },
        does: { sessions: { tenant_reference_id: undefined } },
      },
      "a customer who is known": {
        given: {
          leads: {
            id: ID, email_key: "x", email: "old", first_name: "old", last_name: "old", country: "old", address: "old",
            city: "old", postal_code: "old", phone: "old",
          },
        },
        does: { leads: { id: undefined, email_key: undefined, created_at: undefined, added: undefined } },
      },
      "a customer whose address is known": {
        given: {
          leads: { id: ID, email_key: "x", address: "old", city: "old", postal_code: "old", phone: "old" },
          with: { address: [null], city: [null], postalCode: [null], phone: [null] },
        },
        does: {
          leads: {
            id: undefined, city: undefined, email: undefined, phone: undefined, address: undefined,
            country: undefined, email_key: undefined, last_name: undefined, created_at: undefined,
            first_name: undefined, postal_code: undefined, added: undefined,
          },
        },
      },
    },
    same: { "dropped alternative: v.tenantReferenceId is null": "No payment and no session has none as its reference.", "dropped condition: s.id <> v.id": "The session is not there yet." },
  },
  "sessions.note_opened": {
    given: { sessions: { status: "PENDING", expires_at: "2026-03-01" } },
    gives: [{ id: ID }],
    does: { sessions: { opened_at: "2026-02-01" } },
    not: {
      "another session": { sessions: { id: OTHER } },
      "a session that was opened before": { sessions: { opened_at: "2026-01-15" } },
      "a session that is completed": { sessions: { status: "COMPLETED" } },
      "a session at the very end of its time": { sessions: { expires_at: "2026-02-01" } },
    },
    also: {
      "a session whose customer is to confirm": { given: { sessions: { status: "AWAITING_VERIFICATION" } } },
    },
  },
  "sessions.add_address": {
    given: { leads: { city: null }, with: { street: "y", postalCode: "y" } },
    gives: [{ id: ID }],
    does: { leads: { city: "x", address: "y", postal_code: "y" } },
    not: {
      "another session": { sessions: { id: OTHER } },
      "a customer whose address is known": { leads: { city: "y" } },
    },
    also: {
      "no street": { given: { with: { street: null } }, does: { leads: { address: undefined } } },
      "no postal code": { given: { with: { postalCode: null } }, does: { leads: { postal_code: undefined } } },
    },
  },
};
