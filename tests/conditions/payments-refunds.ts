/**
 * Statements of `src/payments/refunds`: their effect, and the rows that they must leave alone
 * (tests/conditions.test.ts).
 */
import { added, type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import {
  EVENTS,
  FOURTH,
  FOURTH_PAYMENT,
  IMPORTED,
  OF_MANDATE,
  OTHER,
  OTHER_PAYMENT,
  RECORDED,
  THIRD,
  THIRD_PAYMENT,
} from "./rows.ts";

/** A refund that is held until its payment is unlikely to be returned. */
const HELD = {
  status: "submitted",
  type: "sdd_refund",
  original_id: OTHER,
  held_until: "2026-02-01",
  released_at: null,
};

// Each case stays on one line or a few.
// prettier-ignore
export const PAYMENTS_REFUNDS: Entries = {
  "refunds.release": {
    given: { transactions: { held_until: "2025-12-01", status: "submitted" } },
    gives: [{ id: ID }],
    does: { transactions: { released_at: "2026-02-01" } },
    not: {
      "another payment": { transactions: { id: OTHER } },
      "a refund that was not held back": { transactions: { held_until: null } },
      "a refund that was released": { transactions: { released_at: "2025-12-01" } },
      "a refund with an unknown outcome": { transactions: { status: "unresolved" } },
    },
  },
  "refunds.claim_held": {
    given: {
      transactions: {
        status: "submitted", held_until: "2026-01-20", released_at: "2026-01-15", original_id: ID, bic: "B",
        iban_last4: "9876", iban_length: 6, mandate_reference: "M", mandate_date: "2026-01-03",
        adapter_unique_id: "unique", gateway_reference: "ref",
      },
      mandates: { iban_length: 5, reference: "R" },
    },
    gives: [
      {
        status: "submitted", lease_no: 2, held_until: "2026-01-20", updated_at: "2026-02-01", record_iban: "****x",
        released_at: "2026-01-15", original_iban: "****x", original_status: "submitted", adapter_unique_id: "unique",
        gateway_reference: "ref", original_transaction_id: "ref", original_adapter_unique_id: "unique",
        record_mandate_reference_id: "R", original_mandate_reference_id: "R",
      },
    ],
    does: {
      transactions: { lease_no: 2, resolve_at: "2026-02-01", updated_at: "2026-02-01", locked_until: "in 0 minutes" },
    },
    not: {
      "another refund": { transactions: { id: OTHER } },
      "a refund with an unknown outcome": { transactions: { status: "unresolved" } },
      "a refund that was not held back": { transactions: { held_until: null } },
      "a released refund, where a held one is wanted": { with: { isHeld: true } },
    },
    also: {
      "a refund that is held": {
        given: { transactions: { released_at: null }, with: { isHeld: true } },
        gives: [{ released_at: null }],
      },
      "a mandate without a BIC": {
        given: { mandates: { bic: null } },
        gives: [{ record_bic: "B", original_bic: "B" }],
      },
      "a payment without a mandate": {
        given: { transactions: { mandate_id: null } },
        gives: [
          {
            record_bic: "B", record_iban: "**9876", original_bic: "B", original_iban: "**9876",
            record_mandate_date: "2026-01-03", original_mandate_date: "2026-01-03", record_mandate_reference_id: "M",
            original_mandate_reference_id: "M",
          },
        ],
      },
      "a payment without the gateway's id": {
        given: { transactions: { adapter_unique_id: null } },
        gives: [{ adapter_unique_id: null, original_adapter_unique_id: "ref" }],
      },
    },
    same: { "dropped assignment: case when transactions.status = 'awaiting_verification'": "A refund that is held is submitted.", "never: transactions.status = 'awaiting_verification'": "A refund that is held is submitted.", "other word: 'awaiting_verification'": "A refund that is held is submitted.", "other word: 'verifying'": "A refund that is held is submitted." },
  },
  "refunds.claim": {
    given: {
      transactions: {
        status: "approved", type: "sdd_sale", amount: 30, refund_claimed: 10, merchant_transaction_id: "pay",
        adapter_unique_id: "unique", created_at: "2026-01-10",
      },
      chargebacks: [], tenants: { refund_hold_days: 0 },
      with: { amount: 5, refundId: THIRD, adapters: ["x"], merchantTransactionId: "refund", way: "transfer" },
    },
    gives: [
      {
        id: THIRD, type: "sdd_refund", amount: 5, source: "admin_refund", status: "submitted", refunded: 0,
        created_at: "2026-02-01", refund_way: "transfer", updated_at: "2026-02-01", original_type: "sdd_sale",
        resolve_count: 0, refund_claimed: 0, original_amount: 30, original_status: "approved",
        original_created_at: "2026-01-10", original_updated_at: "2026-02-01", merchant_transaction_id: "refund",
        original_adapter_unique_id: "unique", original_merchant_transaction_id: "pay",
      },
    ],
    does: {
      transactions: [
        { updated_at: "2026-02-01", refund_claimed: 15 },
        added({
          id: THIRD, type: "sdd_refund", amount: 5, reason: "x", source: "admin_refund", status: "submitted",
          lead_id: ID, currency: "x", lease_no: 1, order_id: ID, created_at: "2026-02-01", gateway_id: ID,
          mandate_id: ID, refund_way: "transfer", resolve_at: "2026-02-01", updated_at: "2026-02-01", original_id: ID,
          traceparent: "x", locked_until: "in 0 minutes", sequence_type: "x", subscription_id: ID,
          merchant_transaction_id: "refund",
        }),
      ],
    },
    not: {
      "another payment": { transactions: { id: OTHER } },
      "a payment that is pending": { transactions: { status: "pending" } },
      "a payment that is refunded": { transactions: { status: "refunded" } },
      "a refund": { transactions: { type: "sdd_refund" } },
      "an account that cannot refund": { with: { adapters: ["y"] } },
      "a payment that was charged back": { chargebacks: { merchant_transaction_id: "pay" } },
      "a payment of a customer whose data are erased": { leads: { erased_at: "2026-01-15" } },
      "more than the rest": { with: { amount: 21 } },
      "nothing": { with: { amount: 0 } },
      "the rest of a payment of which nothing is left": { transactions: { refund_claimed: 30 }, with: { amount: null } },
    },
    also: {
      "beside another account, order and session": {
        given: {
          "+gateways": { id: OTHER, name: "other" },
          "+orders": { id: OTHER, session_id: OTHER, order_number: "other" },
          "+sessions": { id: OTHER, tenant_reference_id: "other", closed_at: "2026-01-02", metadata: { other: true } },
        },
      },
      "a cent": {
        given: { with: { amount: 0.01 } },
        gives: [{ amount: 0.01 }],
        does: { transactions: [{ refund_claimed: 10.01 }, { amount: 0.01 }] },
      },
      "a payment of yesterday that is held for a day": {
        given: { tenants: { refund_hold_days: 1 }, transactions: { created_at: "2026-01-31T12:00:00Z" } },
        gives: [{ held_until: "2026-02-01T12:00Z", original_created_at: "2026-01-31T12:00Z" }],
        does: { transactions: [{}, { resolve_at: "2026-02-01T12:00Z", held_until: "2026-02-01T12:00Z" }] },
      },
      "exactly the rest": {
        given: { with: { amount: 20 } },
        gives: [{ amount: 20 }],
        does: { transactions: [{ refund_claimed: 30 }, { amount: 20 }] },
      },
      "the rest": {
        given: { with: { amount: null } },
        gives: [{ amount: 20 }],
        does: { transactions: [{ refund_claimed: 30 }, { amount: 20 }] },
      },
      "a chargeback that the bank took back": {
        given: { chargebacks: { merchant_transaction_id: "pay", withdrawn_on: "2026-01-15" } },
      },
      "another payment's chargeback": { given: { chargebacks: { merchant_transaction_id: "y" } } },
      "another customer's data are erased": {
        given: { leads: { id: OTHER, erased_at: "2026-01-15" } },
        gives: [{ email: null, country: null, last_name: null, first_name: null }],
      },
      "a payment that may be returned until later": {
        given: { tenants: { refund_hold_days: 30 } },
        gives: [{ held_until: "2026-02-09" }],
        does: { transactions: [{}, { resolve_at: "2026-02-09", held_until: "2026-02-09" }] },
      },
      "a payment that may be returned until now": { given: { tenants: { refund_hold_days: 22 } } },
      "a payment that was processed later than it was made": {
        given: { tenants: { refund_hold_days: 14 }, transactions: { processed_at: "2026-01-20" } },
        gives: [{ held_until: "2026-02-03", original_date_processed: "2026-01-20" }],
        does: { transactions: [{}, { resolve_at: "2026-02-03", held_until: "2026-02-03" }] },
      },
      "a payment without a mandate": {
        given: {
          transactions: {
            mandate_id: null, iban_last4: "9876", iban_length: 6, bic: "B", mandate_reference: "M",
            mandate_date: "2026-01-03",
          },
        },
        gives: [
          {
            record_bic: null, record_iban: null, original_bic: "B", original_iban: "**9876",
            record_mandate_date: null, original_mandate_date: "2026-01-03", record_mandate_reference_id: null,
            original_mandate_reference_id: "M",
          },
        ],
        does: { transactions: [{}, { mandate_id: undefined }] },
      },
      "a mandate without a BIC": {
        given: { mandates: { bic: null, iban_length: 5, reference: "R" }, transactions: { bic: "B" } },
        gives: [
          {
            record_bic: null, record_iban: "****x", original_bic: "B", original_iban: "****x",
            record_mandate_reference_id: "R", original_mandate_reference_id: "R",
          },
        ],
      },
      "a payment without the gateway's id": {
        given: { transactions: { adapter_unique_id: null, gateway_reference: "ref" } },
        gives: [{ original_transaction_id: "ref", original_adapter_unique_id: "ref" }],
      },
    },
    same: { "removed default: coalesce(m.bic, t.bic)": "A refund that is made here has no account of its own." },
  },
  "refunds.record_outcome": {
    given: {
      transactions: [
        {
          type: "sdd_refund", status: "submitted", original_id: OTHER, amount: 10, locked_until: "2026-01-02",
          resolve_at: "2026-01-02", session_id: null,
        },
        {
          ...OTHER_PAYMENT, type: "sdd_sale", status: "approved", amount: 30, refund_claimed: 30, refunded: 20,
          original_id: null,
        },
      ],
      orders: { status: "COMPLETED" },
      subscriptions: {
        status: "ACTIVE", total_revenue: 50, next_billing_date: "2026-02-15", cancel_at_period_end: true,
      },
      chargebacks: [], billing_cycles: { status: "retry", next_attempt_at: "2026-01-20" },
      tenants: { subscription_after_refund: "cancel" },
      with: {
        toStatus: "approved", fromStatuses: ["submitted"], gatewayReference: "g", processedAt: "2026-01-30",
        resolveAt: null, errorCode: "e1", errorMessage: "e2", gatewayCode: "e3", gatewayMessage: "e4", events: EVENTS,
        originalEvents: [{ id: OTHER, type: "payment_session.refunded", payload: {}, messages: ["x"] }],
      },
    },
    gives: [{ id: ID }],
    does: {
      billing_cycles: { status: "failed", updated_at: "2026-02-01", next_attempt_at: null },
      events: [
        added({
          id: OTHER, type: "payment_session.refunded", payload: {}, created_at: "2026-02-01", session_id: OTHER,
          transaction_id: OTHER,
        }),
        added({
          id: THIRD, type: "payment_session.completed", payload: {}, created_at: "2026-02-01", session_id: OTHER,
          transaction_id: ID,
        }),
      ],
      messages: added({ id: "made here", kind: "x", created_at: "2026-02-01", transaction_id: OTHER }),
      orders: { status: "REFUNDED", updated_at: "2026-02-01" },
      subscriptions: {
        status: "CANCELLED", updated_at: "2026-02-01", cancelled_at: "2026-02-01", cancel_reason: "refund",
        total_revenue: 40, next_billing_date: null, cancel_at_period_end: false,
      },
      transactions: [
        {
          status: "approved", lease_no: 2, error_code: "e1", resolve_at: null, updated_at: "2026-02-01",
          gateway_code: "e3", locked_until: null, processed_at: "2026-01-30", error_message: "e2",
          gateway_message: "e4", gateway_reference: "g",
        },
        { id: OTHER, status: "refunded", refunded: 30, updated_at: "2026-02-01" },
      ],
    },
    not: {
      "another refund": { with: { id: THIRD } },
      "a refund that is no longer in one of these states": { transactions: { status: "approved" } },
      "a refund that another worker has taken over": { transactions: { lease_no: 2 } },
    },
    also: {
      "an event to which a receiver subscribes": {
        given: { webhook_profiles: { events: ["transaction.created"] } },
        does: {
          events: [
            added({
              id: OTHER, type: "payment_session.refunded", payload: {}, created_at: "2026-02-01", session_id: OTHER,
              transaction_id: OTHER,
            }),
            added({
              id: THIRD, type: "payment_session.completed", payload: {}, created_at: "2026-02-01", session_id: OTHER,
              transaction_id: ID,
            }),
            added({
              id: FOURTH, type: "transaction.created", payload: {}, created_at: "2026-02-01", session_id: OTHER,
              transaction_id: ID,
            }),
          ],
        },
      },
      "an event to which only an archived receiver subscribes": {
        given: { webhook_profiles: { events: ["transaction.created"], archived_at: "2026-01-01" } },
      },
      "a refund that was processed before": {
        given: { transactions: { processed_at: "2026-01-29" }, with: { processedAt: null } },
        does: { transactions: [{ processed_at: undefined }, {}] },
      },
      "declined, of a payment that was refunded in full": {
        given: { "transactions[1]": { status: "refunded", refunded: 30 }, with: { toStatus: "declined" } },
        does: {
          billing_cycles: [],
          events: [
            added({
              id: THIRD, type: "payment_session.completed", payload: {}, created_at: "2026-02-01", session_id: OTHER,
              transaction_id: ID,
            }),
          ],
          messages: { transaction_id: ID }, orders: [], subscriptions: [],
          transactions: [{ status: "declined" }, { status: undefined, refunded: undefined, refund_claimed: 20 }],
        },
      },
      "a subscription that has ended and has a date": {
        given: { subscriptions: { status: "CANCELLED", cancelled_at: "2026-01-05" } },
        does: {
          subscriptions: {
            status: undefined, cancelled_at: undefined, cancel_reason: undefined, next_billing_date: undefined,
            cancel_at_period_end: undefined,
          },
        },
      },
      "a caller without a lease": {
        given: { with: { leaseNo: null }, transactions: { lease_no: 2 } },
        does: { transactions: [{ lease_no: 3 }, {}] },
      },
      "a response without a reference and a time": {
        given: { with: { gatewayReference: null, processedAt: null } },
        does: { transactions: [{ processed_at: undefined, gateway_reference: undefined }, {}] },
      },
      "declined: the amount is available again": {
        given: { with: { toStatus: "declined" } },
        does: {
          billing_cycles: [],
          events: [
            added({
              id: THIRD, type: "payment_session.completed", payload: {}, created_at: "2026-02-01", session_id: OTHER,
              transaction_id: ID,
            }),
          ],
          messages: { transaction_id: ID }, orders: [], subscriptions: [],
          transactions: [{ status: "declined" }, { status: undefined, refunded: undefined, refund_claimed: 20 }],
        },
      },
      "accepted: arrives later": {
        given: { with: { toStatus: "pending" } },
        does: {
          billing_cycles: [],
          events: [
            added({
              id: THIRD, type: "payment_session.completed", payload: {}, created_at: "2026-02-01", session_id: OTHER,
              transaction_id: ID,
            }),
          ],
          messages: { transaction_id: ID }, orders: [], subscriptions: [],
          transactions: [
            {
              status: "pending", lease_no: 2, error_code: "e1", resolve_at: null, updated_at: "2026-02-01",
              gateway_code: "e3", locked_until: null, processed_at: "2026-01-30", error_message: "e2",
              gateway_message: "e4", gateway_reference: "g",
            },
          ],
        },
      },
      "a part of the payment": {
        given: { "transactions[1]": { refunded: 10 } },
        does: {
          billing_cycles: [],
          events: [
            added({
              id: THIRD, type: "payment_session.completed", payload: {}, created_at: "2026-02-01", session_id: OTHER,
              transaction_id: ID,
            }),
          ],
          messages: { transaction_id: ID }, orders: [],
          subscriptions: {
            status: undefined, cancelled_at: undefined, cancel_reason: undefined, next_billing_date: undefined,
            cancel_at_period_end: undefined,
          },
          transactions: [{}, { status: undefined, refunded: 20 }],
        },
      },
      "a payment that was charged back meanwhile": {
        given: { "transactions[1]": { status: "charged_back" }, chargebacks: { transaction_id: OTHER, amount: 25 } },
        does: {
          billing_cycles: [],
          events: [
            added({
              id: THIRD, type: "payment_session.completed", payload: {}, created_at: "2026-02-01", session_id: OTHER,
              transaction_id: ID,
            }),
          ],
          messages: { transaction_id: ID }, orders: [],
          subscriptions: {
            status: undefined, cancelled_at: undefined, cancel_reason: undefined, total_revenue: undefined,
            next_billing_date: undefined, cancel_at_period_end: undefined,
          },
          transactions: [{}, { status: undefined }],
        },
      },
      "a payment that was charged back in part": {
        given: { "transactions[1]": { status: "charged_back" }, chargebacks: { transaction_id: OTHER, amount: 4 } },
        does: {
          billing_cycles: [],
          events: [
            added({
              id: THIRD, type: "payment_session.completed", payload: {}, created_at: "2026-02-01", session_id: OTHER,
              transaction_id: ID,
            }),
          ],
          messages: { transaction_id: ID }, orders: [],
          subscriptions: {
            status: undefined, cancelled_at: undefined, cancel_reason: undefined, total_revenue: 44,
            next_billing_date: undefined, cancel_at_period_end: undefined,
          },
          transactions: [{}, { status: undefined }],
        },
      },
      "a chargeback that the bank took back": {
        given: { chargebacks: { transaction_id: OTHER, amount: 25, withdrawn_on: "2026-01-20" } },
      },
      "another payment's chargeback": { given: { chargebacks: { transaction_id: THIRD, amount: 25 } } },
      "less revenue than the refund": {
        given: { subscriptions: { total_revenue: 4 } },
        does: { subscriptions: { total_revenue: 0 } },
      },
      "an order that is charged back": { given: { orders: { status: "CHARGEDBACK" } }, does: { orders: [] } },
      "a renewal": { given: { "transactions[1]": { type: "sdd_rebill" } }, does: { orders: [] } },
      "a tenant whose subscriptions stay active": {
        given: { tenants: { subscription_after_refund: "keep" } },
        does: {
          billing_cycles: [],
          subscriptions: {
            status: undefined, cancelled_at: undefined, cancel_reason: undefined, next_billing_date: undefined,
            cancel_at_period_end: undefined,
          },
        },
      },
      "a tenant whose subscriptions become past due": {
        given: { tenants: { subscription_after_refund: "past_due" } },
        does: {
          billing_cycles: [],
          subscriptions: {
            status: "PAST_DUE", cancelled_at: undefined, cancel_reason: undefined, next_billing_date: undefined,
            cancel_at_period_end: undefined, past_due_since: "2026-02-01",
          },
        },
      },
      "a subscription that is past due already": {
        given: {
          tenants: { subscription_after_refund: "past_due" },
          subscriptions: { status: "PAST_DUE", past_due_since: "2026-03-01" },
        },
        does: {
          billing_cycles: [],
          subscriptions: {
            status: undefined, cancelled_at: undefined, cancel_reason: undefined, next_billing_date: undefined,
            cancel_at_period_end: undefined,
          },
        },
      },
      "a subscription that has ended": {
        given: {
          subscriptions: {
            status: "CANCELLED", cancelled_at: "2026-01-05", cancel_reason: "own", next_billing_date: null,
          },
        },
        does: {
          subscriptions: {
            status: undefined, cancelled_at: undefined, cancel_reason: undefined, next_billing_date: undefined,
            cancel_at_period_end: undefined,
          },
        },
      },
      "a subscription that has ended, of a tenant whose subscriptions become past due": {
        given: {
          tenants: { subscription_after_refund: "past_due" },
          subscriptions: { status: "CANCELLED", cancelled_at: "2026-01-05" },
        },
        does: {
          subscriptions: {
            status: undefined, cancelled_at: undefined, cancel_reason: undefined, next_billing_date: undefined,
            cancel_at_period_end: undefined,
          },
        },
      },
      "a cycle that is paid": { given: { billing_cycles: { status: "paid" } }, does: { billing_cycles: [] } },
      "another subscription's cycle": {
        given: { billing_cycles: { subscription_id: OTHER } },
        does: { billing_cycles: [] },
      },
      "a payment of no subscription": {
        given: { "transactions[1]": { subscription_id: null } },
        does: { billing_cycles: [], subscriptions: [] },
      },
      "another order": { given: { "transactions[1]": { order_id: OTHER } }, does: { orders: [] } },
    },
    same: { "dropped condition: s.status <> 'CANCELLED' and n.after = 'cancel' then 'CANCELLED'": "An ended one stays ended." },
  },
  "refunds.claim_due": {
    given: {
      transactions: [
        {
          id: ID, original_id: OTHER, resolve_at: "2026-01-20", status: "submitted", bic: "B", iban_last4: "9876",
          iban_length: 6, mandate_reference: "M", mandate_date: "2026-01-03",
        },
        {
          id: OTHER, session_id: OTHER, merchant_transaction_id: "y", adapter_unique_id: "unique",
          tenant_reference_id: null, original_id: null, resolve_at: null, status: "approved",
          gateway_reference: "ref", bic: "B", iban_last4: "9876", iban_length: 6, mandate_reference: "M",
          mandate_date: "2026-01-03",
        },
      ],
      mandates: { iban_length: 5, reference: "R" }, with: { resolveAt: "2026-02-02", limit: 5 },
    },
    gives: [
      {
        status: "submitted", lease_no: 2, updated_at: "2026-02-01", original_id: OTHER, record_iban: "****x",
        original_iban: "****x", resolve_count: 2, original_status: "approved", original_transaction_id: "ref",
        original_adapter_unique_id: "unique", record_mandate_reference_id: "R", original_mandate_reference_id: "R",
        original_merchant_transaction_id: "y",
      },
    ],
    does: {
      transactions: {
        lease_no: 2, resolve_at: "2026-02-02", updated_at: "2026-02-01", locked_until: "in 0 minutes",
        resolve_count: 2,
      },
    },
    not: {
      "before it is due": { transactions: { resolve_at: "2026-03-01" } },
      "a refund that is held back": { transactions: { held_until: "2026-01-02" } },
      "a refund that another worker has": { transactions: { locked_until: "2100-01-01" } },
    },
    also: {
      "due now": { given: { transactions: { resolve_at: "2026-02-01" } } },
      "a refund that was released": {
        given: { transactions: { held_until: "2026-03-01", released_at: "2026-01-02" } },
        gives: [{ held_until: "2026-03-01", released_at: "2026-01-02" }],
      },
      "a lease that has ended": { given: { transactions: { locked_until: "2026-01-02" } } },
      "a customer who has to confirm": {
        given: { transactions: { status: "awaiting_verification" } },
        gives: [{ status: "verifying" }],
        does: { transactions: { status: "verifying" } },
      },
      "a payment without the gateway's id": {
        given: { "transactions[1]": { adapter_unique_id: null } },
        gives: [{ original_adapter_unique_id: "ref" }],
      },
      "a payment without a mandate": {
        given: { transactions: { mandate_id: null } },
        gives: [
          {
            record_bic: "B", record_iban: "**9876", original_bic: "B", original_iban: "**9876",
            record_mandate_date: "2026-01-03", original_mandate_date: "2026-01-03", record_mandate_reference_id: "M",
            original_mandate_reference_id: "M",
          },
        ],
      },
      "a mandate without a BIC": {
        given: { mandates: { bic: null } },
        gives: [{ record_bic: "B", original_bic: "B" }],
      },
      "a due payment is not a refund": { given: { "transactions[1]": { resolve_at: "2026-01-20" } } },
      "the first that is due": {
        given: {
          transactions: [
            { id: ID, original_id: OTHER, resolve_at: "2026-01-20", status: "submitted" },
            { ...OTHER_PAYMENT, original_id: null, resolve_at: null, status: "approved" },
            { ...THIRD_PAYMENT, original_id: OTHER, resolve_at: "2026-01-19", status: "submitted" },
          ],
          with: { limit: 1 },
        },
        gives: [{ ...THIRD_PAYMENT, original_transaction_id: "x", original_adapter_unique_id: "y" }],
        does: { transactions: { id: THIRD } },
      },
    },
  },
  "refunds.account_of": {
    given: { transactions: { status: "approved", refund_claimed: 0 }, gateways: { adapter: "sepa_batch" } },
    gives: [{ adapter: "sepa_batch", reference: "x", gateway_id: ID }],
    not: {
      "another payment": { transactions: { id: OTHER } },
      "a payment that has not settled": { transactions: { status: "pending" } },
      "a payment that was returned": { transactions: { status: "charged_back" } },
      "a payment that is being refunded in part": { transactions: { refund_claimed: 0.01 } },
    },
  },
  "refunds.find": {
    given: {
      transactions: [
        { ...RECORDED, status: "approved", type: "sdd_refund", original_id: OTHER, held_until: "2026-01-07" },
        {
          id: OTHER, session_id: OTHER, merchant_transaction_id: "y", adapter_unique_id: "A-2",
          tenant_reference_id: null, status: "charged_back", type: "sdd_sale", iban_last4: "7777", iban_length: 21,
          bic: "PBIC", mandate_reference: "PREF", mandate_date: "2026-01-08", gateway_reference: "P-2",
        },
      ],
      mandates: OF_MANDATE,
    },
    gives: [
      {
        id: ID, email: "x", status: "approved", held_until: "2026-01-07", record_bic: "MBIC", original_id: OTHER,
        record_iban: "******************3000", order_number: "x", original_bic: "MBIC",
        original_iban: "******************3000", original_status: "charged_back", record_mandate_date: "2026-01-05",
        original_mandate_date: "2026-01-05", original_transaction_id: "P-2", original_adapter_unique_id: "A-2",
        record_mandate_reference_id: "MREF", original_mandate_reference_id: "MREF",
      },
    ],
    not: {
      "another refund": { with: { id: THIRD } },
      "a payment that is not a refund": { transactions: { original_id: null } },
    },
    also: {
      "a refund of an imported payment": {
        given: { transactions: IMPORTED },
        gives: [
          {
            email: null, record_bic: "TBIC", record_iban: "****************9999", order_number: null,
            original_bic: "PBIC", original_iban: "*****************7777", record_mandate_date: "2026-01-06",
            original_mandate_date: "2026-01-08", record_mandate_reference_id: "TREF",
            original_mandate_reference_id: "PREF",
          },
        ],
      },
      "a gateway with one reference": {
        given: { "transactions[1]": { adapter_unique_id: null } },
        gives: [{ original_adapter_unique_id: "P-2" }],
      },
    },
  },
  "refunds.find_held_over": {
    given: { transactions: [HELD, { ...OTHER_PAYMENT, status: "approved" }], with: { limit: 9 } },
    gives: [{ id: ID }],
    not: {
      "another tenant's job": { with: { tenant: 2 } },
      "a refund that was not held back": { transactions: { held_until: null } },
      "a refund that was released": { transactions: { released_at: "2026-01-15" } },
      "a refund that has ended": { transactions: { status: "declined" } },
      "a refund that was not held back, of a payment that was returned": { transactions: { held_until: null }, "transactions[1]": { status: "charged_back" } },
      "a refund that is still held": { transactions: { held_until: "2026-02-02" } },
    },
    also: {
      "a payment that was returned meanwhile": {
        given: { transactions: { held_until: "2026-02-02" }, "transactions[1]": { status: "charged_back" } },
      },
      "several, the first to be sent first": {
        given: {
          transactions: [
            { ...HELD, ...THIRD_PAYMENT },
            {
              ...FOURTH_PAYMENT, status: "submitted", type: "sdd_refund", original_id: OTHER,
              held_until: "2026-01-31", released_at: null,
            },
            HELD, { ...OTHER_PAYMENT, status: "approved" },
          ],
        },
        gives: [{ id: FOURTH }, { id: ID }, { id: THIRD }],
      },
      "no more than requested": { given: { "+transactions": { ...HELD, ...THIRD_PAYMENT }, with: { limit: 1 } } },
    },
  },
  "refunds.tenants_with_held": {
    given: { transactions: [HELD, { ...OTHER_PAYMENT, status: "approved" }], with: { limit: 9 } },
    gives: [{ tenant: 1 }],
    not: {
      "a refund that was not held back": { transactions: { held_until: null } },
      "a refund that was released": { transactions: { released_at: "2026-01-15" } },
      "a refund that has ended": { transactions: { status: "declined" } },
      "a refund that was not held back, of a payment that was returned": { transactions: { held_until: null }, "transactions[1]": { status: "charged_back" } },
      "a refund that is still held": { transactions: { held_until: "2026-02-02" } },
    },
    also: {
      "a payment that was returned meanwhile": {
        given: { transactions: { held_until: "2026-02-02" }, "transactions[1]": { status: "charged_back" } },
      },
      "two refunds of a tenant": { given: { "+transactions": { ...HELD, ...THIRD_PAYMENT } } },
    },
  },
  "refunds.find_refundable": {
    given: {
      transactions: { ...RECORDED, status: "approved" }, mandates: OF_MANDATE, chargebacks: { id: ID },
      leads: { erased_at: "2026-01-01" },
    },
    gives: [
      {
        id: ID, email: "x", status: "approved", is_erased: true, record_bic: "MBIC",
        record_iban: "******************3000", order_number: "x", has_chargeback: true,
        record_mandate_date: "2026-01-05", record_mandate_reference_id: "MREF",
      },
    ],
    not: {
      "another payment": { transactions: { id: OTHER } },
    },
    also: {
      "an imported payment": {
        given: { transactions: IMPORTED },
        gives: [
          {
            email: null, is_erased: false, record_bic: "TBIC", record_iban: "****************9999",
            order_number: null, record_mandate_date: "2026-01-06", record_mandate_reference_id: "TREF",
          },
        ],
      },
      "a customer who was not erased": { given: { leads: { erased_at: null } }, gives: [{ is_erased: false }] },
      "a chargeback of another payment": {
        given: { chargebacks: { merchant_transaction_id: "y" } },
        gives: [{ has_chargeback: false }],
      },
      "a chargeback that was withdrawn": {
        given: { chargebacks: { withdrawn_on: "2026-01-01" } },
        gives: [{ has_chargeback: false }],
      },
    },
  },
  "refunds.lock": {
    given: {
      transactions: [{ original_id: OTHER, order_id: null }, { ...OTHER_PAYMENT, order_id: THIRD }],
      with: { refundId: ID },
    },
    gives: [{ order_id: THIRD }],
    not: {
      "another refund": { with: { refundId: FOURTH } },
      "a payment that is not a refund": { transactions: { original_id: null } },
    },
  },
  "refunds.lock_payment_of_held": {
    given: { transactions: [HELD, { ...OTHER_PAYMENT, status: "approved" }] },
    gives: [{}],
    not: {
      "another refund": { with: { id: FOURTH } },
      "a payment that was returned meanwhile": { "transactions[1]": { status: "charged_back" } },
      "a payment that was refunded in full": { "transactions[1]": { status: "refunded" } },
      "another payment": { "transactions[1]": { id: THIRD } },
    },
  },
};
