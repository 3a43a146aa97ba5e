/**
 * Statements of `src/sessions` that are not in another file of this folder: their effect, and the rows that they
 * must leave alone (tests/conditions.test.ts).
 */
import { added, type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { BYTES, EVENTS, FOURTH, OTHER, OTHER_PAYMENT, THIRD, THIRD_PAYMENT } from "./rows.ts";

// Each case stays on one line or a few.
// prettier-ignore
export const SESSIONS: Entries = {
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
      "a session at its expiry": { sessions: { expires_at: "2026-02-01" } },
      "a session before its expiry, to end it": { with: { expired: true } },
    },
    also: {
      "an expired session, where expiry does not count": {
        given: { sessions: { expires_at: "2026-01-15" }, with: { expired: null } },
        gives: [{ expires_at: "2026-01-15" }],
      },
      "a session before its expiry, where expiry does not count": { given: { with: { expired: null } } },
      "a session at its expiry, to end it": {
        given: { sessions: { expires_at: "2026-02-01" }, with: { expired: true } },
        gives: [{ expires_at: "2026-02-01" }],
      },
      "with its account's setting": {
        given: { transactions: { completed_event_at: null }, gateways: { completed_event_at: "g" } },
        gives: [{ completed_event_at: "g" }],
      },
    },
    same: { "dropped condition: transactions.status = 'awaiting_verification' then 'verifying'": "It only gets such a payment." },
  },
  "sessions.reclaim": {
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
      "a payment that is pending": { transactions: { status: "pending" } },
    },
    also: {
      "a payment that is sent": {
        given: { transactions: { status: "submitted" } },
        gives: [{ transaction_status: "submitted" }],
        does: { transactions: { status: undefined } },
      },
      "a payment with an unknown outcome": {
        given: { transactions: { status: "unresolved" } },
        gives: [{ transaction_status: "unresolved" }],
        does: { transactions: { status: undefined } },
      },
      "a payment that is confirmed": {
        given: { transactions: { status: "verifying" } },
        does: { transactions: { status: undefined } },
      },
      "with its account's setting": {
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
      "due now": { given: { transactions: { resolve_at: "2026-02-01" } } },
      "a lease that has ended": { given: { transactions: { locked_until: "2026-01-02" } } },
      "a customer who has to confirm": {
        given: { transactions: { status: "awaiting_verification" } },
        gives: [{ transaction_status: "verifying" }],
        does: { transactions: { status: "verifying" } },
      },
      "with its account's setting": {
        given: { transactions: { completed_event_at: null }, gateways: { completed_event_at: "g" } },
        gives: [{ completed_event_at: "g" }],
      },
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
      "another session": { sessions: { id: THIRD } },
      "a tenant that does not ask about duplicates": { tenants: { ask_about_duplicates: false } },
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
      "a payment of an earlier address": {
        transactions: { lead_id: OTHER }, leads: [{ email_key: "bob 1" }, { id: OTHER, email_key: "ann 2" }],
        mandates: { lead_id: OTHER },
      },
      "a payment of the next address": {
        transactions: { lead_id: OTHER }, leads: [{ email_key: "ann 1" }, { id: OTHER, email_key: "ann!" }],
        mandates: { lead_id: OTHER },
      },
      "a payment of another bank account": {
        transactions: { lead_id: OTHER }, leads: [{ email_key: "ann 1" }, { id: OTHER, email_key: "ann 2" }],
        mandates: { lead_id: OTHER, iban_fingerprint: "\\x61" },
      },
      "a payment of a name that begins with this one": {
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
      "the same account under another key": {
        given: {
          transactions: { lead_id: OTHER }, leads: [{ email_key: "ann 1" }, { id: OTHER, email_key: "ann 2" }],
          mandates: { lead_id: OTHER, iban_fingerprint: "\\x61" }, with: { ibanFingerprints: [BYTES, "\\x61"] },
        },
      },
      "the same account under another spelling of the address": {
        given: {
          transactions: { lead_id: OTHER }, leads: [{ email_key: "ann 1" }, { id: OTHER, email_key: "ann 2" }],
          mandates: { lead_id: OTHER },
        },
      },
      "the same account and address, in a session of no link": {
        given: {
          transactions: { lead_id: OTHER }, leads: [{ email_key: "ann 1" }, { id: OTHER, email_key: "ann" }],
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
      "an event to which a receiver subscribes": {
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
      "an event to which only an archived receiver subscribes": {
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
      "two outcomes at once": {
        given: {
          "+transactions": {
            ...OTHER_PAYMENT, mandate_id: OTHER, order_id: OTHER, status: "submitted", locked_until: "2026-01-02",
            subscription_id: null,
          },
          "+sessions": { id: OTHER, tenant_reference_id: "y", lead_id: OTHER, status: "PENDING", attempts_used: 1 },
          "+orders": { id: OTHER, session_id: OTHER, order_number: "y" }, "+mandates": { id: OTHER, reference: "y" },
          with: {
            id: [ID, OTHER], now: ["2026-02-01", "2026-02-03"], toStatus: ["approved", "declined"],
            fromStatuses: [["submitted"], ["submitted"]], sessionStatus: ["COMPLETED", "PENDING"],
            attemptsUsed: [2, 1], expiresAt: ["2026-02-01", "2026-02-05"], orderStatus: ["COMPLETED", "FAILED"],
            mandateStatus: ["active", "rejected"], fromStatus: ["PENDING", "PENDING"], cause: ["c", "d"],
          },
        },
        gives: [{ n: 1, id: ID }, { n: 2, id: OTHER }],
        does: {
          mandates: [
            { status: "active", updated_at: "2026-02-01", last_used_at: "2026-02-01" },
            { id: OTHER, status: "rejected", updated_at: "2026-02-03" },
          ],
          orders: [
            { status: "COMPLETED", updated_at: "2026-02-01" },
            { id: OTHER, status: "FAILED", updated_at: "2026-02-03" },
          ],
          session_moves: [
            added({
              at: "2026-02-01", cause: "c", to_status: "COMPLETED", session_id: ID, from_status: "PENDING",
              transaction_id: ID,
            }),
            added({
              at: "2026-02-03", cause: "d", to_status: "PENDING", session_id: OTHER, from_status: "PENDING",
              transaction_id: OTHER,
            }),
          ],
          sessions: [
            {
              status: "COMPLETED", closed_at: "2026-02-01", expires_at: "2026-02-01", attempts_used: 2,
              open_transaction_id: null,
            },
            { id: OTHER, expires_at: "2026-02-05", open_transaction_id: null },
          ],
          transactions: [
            {
              status: "approved", lease_no: 2, error_code: "e1", resolve_at: "2026-02-01", updated_at: "2026-02-01",
              gateway_code: "e3", locked_until: null, processed_at: "2026-02-01", error_message: "e2",
              gateway_message: "e4", subscription_id: OTHER, verification_id: "v", verification_url: "u",
              gateway_reference: "g",
            },
            {
              id: OTHER, status: "declined", lease_no: 2, error_code: null, updated_at: "2026-02-03",
              gateway_code: null, locked_until: null, error_message: null, gateway_message: null,
            },
          ],
        },
      },
      "an outcome without a subscription": {
        given: { with: { subscription: [null] } },
        does: { subscriptions: [], transactions: { subscription_id: undefined } },
      },
      "a response without a reference and a time": {
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
      "a session whose customer has to confirm": { sessions: { status: "AWAITING_VERIFICATION" } },
      "a session that has not expired, where it is to lapse": { with: { expired: true } },
    },
    also: {
      "an event to which a receiver subscribes": {
        given: { webhook_profiles: { events: ["transaction.created"] } },
        does: {
          events: [
            added({ id: THIRD, type: "payment_session.completed", payload: {}, created_at: "2026-02-01", session_id: ID }),
            added({ id: FOURTH, type: "transaction.created", payload: {}, created_at: "2026-02-01", session_id: ID }),
          ],
        },
      },
      "an event to which only an archived receiver subscribes": {
        given: { webhook_profiles: { events: ["transaction.created"], archived_at: "2026-01-01" } },
      },
      "a session that lapses now": {
        given: { with: { expired: true }, sessions: { expires_at: "2026-02-01" } },
        does: { session_moves: { cause: "lapsed" } },
      },
    },
    same: { "dropped returning: returning orders.*": "It is for other statements with this fragment." },
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
        token_key_id: 1, trial_period: 1, campaign_name: "x", hosted_page_id: ID, payment_link_id: ID, repays_transaction_id: ID,
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
    same: { "dropped alternative: v.tenantReferenceId is null": "No payment and no session has none as its reference.", "dropped condition: s.id <> v.id": "The session does not exist yet." },
  },
  "sessions.record_opened": {
    given: { sessions: { status: "PENDING", expires_at: "2026-03-01" } },
    gives: [{ id: ID }],
    does: { sessions: { opened_at: "2026-02-01" } },
    not: {
      "another session": { sessions: { id: OTHER } },
      "a session that was opened before": { sessions: { opened_at: "2026-01-15" } },
      "a session that is completed": { sessions: { status: "COMPLETED" } },
      "a session at its expiry": { sessions: { expires_at: "2026-02-01" } },
    },
    also: {
      "a session whose customer has to confirm": { given: { sessions: { status: "AWAITING_VERIFICATION" } } },
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
  "sessions.find_active_of_lead": {
    given: { sessions: { status: "PENDING", closed_at: null }, leads: { email_key: "ann" }, with: { email: "ann" } },
    gives: [{ id: ID, status: "PENDING", expires_at: "2026-01-01", token_key_id: 1, open_transaction_id: ID }],
    not: {
      "another customer's session": { sessions: { lead_id: OTHER } },
      "a session that is closed": { sessions: { closed_at: "2026-01-02" } },
      "another address": { leads: { email_key: "bob" } },
    },
  },
  "sessions.lock": {
    gives: [{}],
    not: {
      "another session": { sessions: { id: OTHER } },
    },
  },
  "sessions.tenants_with_expired": {
    given: { sessions: { status: "PENDING", open_transaction_id: null, expires_at: "2026-02-01" } },
    gives: [{ tenant: 1 }],
    not: {
      "a session that can still be paid": { sessions: { expires_at: "2026-02-01T00:00:01Z" } },
      "a session that is closed": { sessions: { closed_at: "2026-01-02" } },
      "a session whose customer has to confirm a payment": { sessions: { status: "AWAITING_VERIFICATION" } },
      "a session with an open attempt": { sessions: { open_transaction_id: OTHER } },
    },
    also: {
      "a tenant with two such sessions": {
        given: {
          "+sessions": {
            id: OTHER, tenant_reference_id: "y", lead_id: OTHER, status: "PENDING", open_transaction_id: null,
            expires_at: "2026-01-02",
          },
        },
      },
    },
  },
  "sessions.find_expired": {
    given: {
      sessions: { status: "PENDING", open_transaction_id: null, expires_at: "2026-02-01" },
      gateways: { completed_event_at: "settlement" },
    },
    gives: [
      {
        lead_id: ID, order_id: ID, gateway_id: ID, mandate_id: null, session_id: ID, transaction_id: null,
        subscription_id: null, completed_event_at: "settlement",
      },
    ],
    not: {
      "a session that can still be paid": { sessions: { expires_at: "2026-02-01T00:00:01Z" } },
      "a session that is closed": { sessions: { closed_at: "2026-01-02" } },
      "a session whose customer has to confirm a payment": { sessions: { status: "AWAITING_VERIFICATION" } },
      "a session with an open attempt": { sessions: { open_transaction_id: OTHER } },
    },
    also: {
      "the earliest first": {
        given: {
          "+sessions": {
            id: OTHER, tenant_reference_id: "y", lead_id: OTHER, status: "PENDING", open_transaction_id: null,
            expires_at: "2026-01-02",
          },
          "+leads": { id: OTHER, email_key: "y" }, "+orders": { id: OTHER, session_id: OTHER, order_number: "y" },
          with: { limit: 2 },
        },
        gives: [
          {
            lead_id: OTHER, order_id: OTHER, gateway_id: ID, mandate_id: null, session_id: OTHER,
            transaction_id: null, subscription_id: null, completed_event_at: "settlement",
          },
          {
            lead_id: ID, order_id: ID, gateway_id: ID, mandate_id: null, session_id: ID, transaction_id: null,
            subscription_id: null, completed_event_at: "settlement",
          },
        ],
      },
      "no more than requested": {
        given: {
          "+sessions": {
            id: OTHER, tenant_reference_id: "y", lead_id: OTHER, status: "PENDING", open_transaction_id: null,
            expires_at: "2026-01-02",
          },
          "+leads": { id: OTHER, email_key: "y" }, "+orders": { id: OTHER, session_id: OTHER, order_number: "y" },
        },
        gives: [{ lead_id: OTHER, order_id: OTHER, session_id: OTHER }],
      },
    },
  },
  "sessions.find_attempt": {
    given: {
      gateways: { completed_event_at: "settlement" },
      transactions: { completed_event_at: "acceptance", created_at: "2026-01-03" },
    },
    gives: [
      {
        lead_id: ID, order_id: ID, gateway_id: ID, mandate_id: ID, session_id: ID, transaction_id: ID,
        subscription_id: ID, completed_event_at: "acceptance",
      },
    ],
    not: {
      "another session": { sessions: { id: OTHER } },
    },
    also: {
      "a payment without the recorded setting: its account's": {
        given: { transactions: { completed_event_at: null } },
        gives: [{ completed_event_at: "settlement" }],
      },
      "another payment": {
        given: { transactions: { id: OTHER } },
        gives: [{ mandate_id: null, transaction_id: null, completed_event_at: "settlement" }],
      },
      "another session's payment": {
        given: { transactions: { session_id: OTHER } },
        gives: [{ mandate_id: null, transaction_id: null, completed_event_at: "settlement" }],
      },
      "the latest payment, where none is named": {
        given: {
          "+transactions": [
            { ...OTHER_PAYMENT, session_id: ID, created_at: "2026-01-04" },
            { ...THIRD_PAYMENT, session_id: ID, created_at: "2026-01-04", mandate_id: OTHER },
          ],
          with: { transactionId: null },
        },
        gives: [{ mandate_id: null, transaction_id: THIRD, completed_event_at: "x" }],
      },
      "the payment that is named, though it is not the latest": {
        given: { "+transactions": { ...OTHER_PAYMENT, session_id: ID, created_at: "2026-01-04" } },
      },
      "a session without a payment": {
        given: { transactions: [] },
        gives: [{ mandate_id: null, transaction_id: null, completed_event_at: "settlement" }],
      },
      "another order's subscription": {
        given: { subscriptions: { order_id: OTHER } },
        gives: [{ subscription_id: null }],
      },
    },
  },
  "sessions.find_detail": {
    given: {
      transactions: [
        { created_at: "2026-01-03T04:05:06.789Z", status: "declined", amount: 30, processed_at: "2026-01-04" },
        { ...OTHER_PAYMENT, session_id: ID, created_at: "2026-01-02", mandate_id: OTHER, status: "approved" },
        { ...THIRD_PAYMENT, session_id: ID, created_at: "2026-01-02", mandate_id: OTHER },
      ],
      session_moves: [
        { number: 2, at: "2026-01-03T04:05:06.789Z", to_status: "COMPLETED" },
        { number: 1, to_status: "AWAITING_VERIFICATION" },
      ],
    },
    gives: [
      {
        id: ID, lead_id: ID,
        attempts: [
          {
            id: OTHER, type: "x", amount: "1.00", status: "approved", created_at: "2026-01-02", error_code: "x",
            iban_last4: null, gateway_code: "x", processed_at: null, error_message: "x", gateway_reference: "x",
            mandate_reference: null, tenant_reference_id: null, merchant_transaction_id: "y",
          },
          {
            id: THIRD, type: "x", amount: "1.00", status: "x", created_at: "2026-01-02", error_code: "x",
            iban_last4: null, gateway_code: "x", processed_at: null, error_message: "x", gateway_reference: "x",
            mandate_reference: null, tenant_reference_id: null, merchant_transaction_id: "z",
          },
          {
            id: ID, type: "x", amount: "30.00", status: "declined", created_at: "2026-01-03T04:05:06.789Z",
            error_code: "x", iban_last4: "x", gateway_code: "x", processed_at: "2026-01-04", error_message: "x",
            gateway_reference: "x", mandate_reference: "x", tenant_reference_id: "x", merchant_transaction_id: "x",
          },
        ],
        order_id: ID,
        timeline: [
          { at: "2026-01-01", to: "AWAITING_VERIFICATION", from: "x", cause: "x", transaction_id: ID },
          { at: "2026-01-03T04:05:06.789Z", to: "COMPLETED", from: "x", cause: "x", transaction_id: ID },
        ],
      },
    ],
    not: {
      "another session": { sessions: { id: OTHER }, orders: { session_id: OTHER } },
    },
    also: {
      "a session that was not touched": {
        given: { transactions: [], session_moves: [] },
        gives: [{ attempts: [], timeline: [] }],
      },
      "payments and moves of another session": {
        given: { transactions: { session_id: OTHER }, session_moves: { session_id: OTHER } },
        gives: [
          {
            attempts: [
              {
                id: OTHER, type: "x", amount: "1.00", status: "approved", created_at: "2026-01-02", error_code: "x",
                iban_last4: null, gateway_code: "x", processed_at: null, error_message: "x", gateway_reference: "x",
                mandate_reference: null, tenant_reference_id: null, merchant_transaction_id: "y",
              },
              {
                id: THIRD, type: "x", amount: "1.00", status: "x", created_at: "2026-01-02", error_code: "x",
                iban_last4: null, gateway_code: "x", processed_at: null, error_message: "x", gateway_reference: "x",
                mandate_reference: null, tenant_reference_id: null, merchant_transaction_id: "z",
              },
            ],
            timeline: [{ at: "2026-01-01", to: "AWAITING_VERIFICATION", from: "x", cause: "x", transaction_id: ID }],
          },
        ],
      },
    },
  },
  "sessions.find_display": {
    given: {
      sessions: { status: "COMPLETED" }, orders: { status: "PAID" },
      transactions: { status: "approved", type: "sdd_sale", refunded: 5, created_at: "2026-01-03" },
      hosted_pages: { branding: { colour: "red" } },
    },
    gives: [
      {
        n: 1, email: "x", status: "COMPLETED", branding: { colour: "red" }, gateway_id: ID, order_status: "PAID",
        hosted_page_id: ID, amount_refunded: 5, transaction_status: "approved", merchant_transaction_id: "x",
      },
    ],
    not: {
      "another session": { sessions: { id: OTHER } },
    },
    also: {
      "a session without a page": { given: { hosted_pages: [] }, gives: [{ branding: null }] },
      "a session without a payment": {
        given: { transactions: [] },
        gives: [{ amount_refunded: null, transaction_status: null, merchant_transaction_id: null }],
      },
      "another session's payment": {
        given: { transactions: { session_id: OTHER } },
        gives: [{ amount_refunded: null, transaction_status: null, merchant_transaction_id: null }],
      },
      "a refund is not its payment": {
        given: { "+transactions": { ...OTHER_PAYMENT, session_id: ID, type: "sdd_refund", created_at: "2026-01-04" } },
      },
      "the latest payment": {
        given: {
          "+transactions": [
            { ...OTHER_PAYMENT, session_id: ID, status: "declined", created_at: "2026-01-04" },
            { ...THIRD_PAYMENT, session_id: ID, status: "pending", created_at: "2026-01-04" },
          ],
        },
        gives: [{ amount_refunded: 1, transaction_status: "pending", merchant_transaction_id: "z" }],
      },
      "an earlier payment": {
        given: { "+transactions": { ...OTHER_PAYMENT, session_id: ID, status: "declined", created_at: "2026-01-02" } },
      },
    },
  },
  "sessions.is_repaid_reinstated": {
    given: { transactions: { status: "approved" }, sessions: { repays_transaction_id: ID } },
    gives: [{}],
    not: {
      "another session": { sessions: { id: OTHER } },
      "a session that repeats no payment": { sessions: { repays_transaction_id: null } },
      "a session that repeats another payment": { sessions: { repays_transaction_id: OTHER } },
      "a payment that has not been reinstated": { transactions: { status: "declined" } },
    },
  },
  "sessions.find_repayable": {
    given: {
      transactions: {
        type: "sdd_sale", status: "declined", gateway_code: "AM04", updated_at: "2025-12-03",
        created_at: "2026-01-02",
      },
      sessions: { status: "COMPLETED", payment_link_id: null, amount: 30 }, orders: { status: "FAILED" },
      leads: { email: "ann" },
    },
    gives: [{ email: "ann", amount: 30, campaign_id: ID, status: "declined", may_be_repaid: true }],
    not: {
      "another payment": { transactions: { id: OTHER } },
      "a refund": { transactions: { type: "sdd_refund" } },
      "a customer who was erased": { leads: { erased_at: "2026-01-02" } },
    },
    also: {
      "a payment that succeeded": {
        given: { transactions: { status: "approved" } },
        gives: [{ may_be_repaid: false, status: "approved" }],
      },
      "a payment that its customer has cancelled": {
        given: { transactions: { gateway_code: "CUST" } },
        gives: [{ may_be_repaid: false }],
      },
      "a payment without a reason": { given: { transactions: { gateway_code: null } } },
      "a session that can still be paid": {
        given: { sessions: { status: "PENDING" } },
        gives: [{ may_be_repaid: false }],
      },
      "a payment link, which can be paid anew": {
        given: { sessions: { payment_link_id: OTHER } },
        gives: [{ may_be_repaid: false }],
      },
      "an order that was paid since": { given: { orders: { status: "PAID" } }, gives: [{ may_be_repaid: false }] },
      "a payment that failed more than 60 days ago": {
        given: { transactions: { updated_at: "2025-12-02" } },
        gives: [{ may_be_repaid: false }],
      },
      "a later payment of its session": {
        given: { "+transactions": { ...OTHER_PAYMENT, session_id: ID, created_at: "2026-01-03" } },
        gives: [{ may_be_repaid: false }],
      },
      "a payment of its session at the same time": {
        given: { "+transactions": { ...OTHER_PAYMENT, session_id: ID, created_at: "2026-01-02" } },
      },
      "an earlier payment of its session": {
        given: { "+transactions": { ...OTHER_PAYMENT, session_id: ID, created_at: "2026-01-01" } },
      },
      "a later payment of another session": {
        given: { "+transactions": { ...OTHER_PAYMENT, created_at: "2026-01-03" } },
      },
    },
    same: {
      "removed default: coalesce((t.type": "No part of it is null, which PostgreSQL cannot know.",
      "boolean: false) as may_be_repaid": "No part of it is null, which PostgreSQL cannot know.",
      "dropped condition: t.type = 'sdd_sale' and t.status": "Only first payments are found; the statement of messages has the fragment, too.",
    },
  },
};
