/**
 * Statements of `src/payments/chargebacks`: their effect, and the rows that they must leave alone
 * (tests/conditions.test.ts).
 */
import { added, type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { EVENTS, FOURTH, OTHER, OTHER_PAYMENT, THIRD, THIRD_PAYMENT } from "./rows.ts";

// Each case stays on one line or a few.
// prettier-ignore
export const PAYMENTS_CHARGEBACKS: Entries = {
  "chargebacks.charge_back": {
    given: {
      transactions: {
        status: "approved", type: "sdd_sale", amount: 30, refunded: 10, cycle: 1, created_at: "2026-01-10",
        merchant_transaction_id: "pay",
      },
      orders: { status: "COMPLETED" }, chargebacks: [], mandates: { status: "active" }, mandate_amendments: [],
      subscriptions: {
        status: "ACTIVE", total_revenue: 50, successful_billing_count: 5, next_billing_date: "2026-02-15",
        cancel_at_period_end: true,
      },
      billing_cycles: [
        { cycle: 1, status: "paid" },
        { cycle: 2, transaction_id: OTHER, status: "retry", next_attempt_at: "2026-01-20" },
      ],
      tenants: { subscription_after_chargeback: "cancel" },
      with: {
        returnAction: "r", statusBefore: "approved", amount: null, reasonCode: "MD06", blocksAccount: false,
        endsMandate: false, events: EVENTS,
        chargeback: {
          id: THIRD, merchant_transaction_id: "pay", status: "charged_back", type: "sdd_sale", amount: 30,
          currency: "EUR", report_date: "2026-01-30", source: "gateway", transaction_id: ID, gateway_id: ID,
          created_at: "2026-02-01", updated_at: "2026-02-01",
        },
      },
    },
    gives: [{ id: ID, is_recorded: true }],
    does: {
      billing_cycles: [
        { status: "charged_back", updated_at: "2026-02-01" },
        { cycle: 2, status: "failed", updated_at: "2026-02-01", next_attempt_at: null },
      ],
      chargebacks: added({
        id: THIRD, type: "sdd_sale", amount: 30, source: "gateway", currency: "EUR", created_at: "2026-02-01",
        gateway_id: ID, updated_at: "2026-02-01", report_date: "2026-01-30", transaction_id: ID,
        merchant_transaction_id: "pay", campaign_id: ID, campaign_known: true,
      }),
      events: added({
        id: THIRD, type: "payment_session.completed", payload: {}, created_at: "2026-02-01", session_id: ID,
        transaction_id: ID,
      }),
      messages: added({ id: "made here", kind: "x", created_at: "2026-02-01", transaction_id: ID }),
      orders: { status: "CHARGEDBACK", updated_at: "2026-02-01" },
      subscriptions: {
        status: "CANCELLED", updated_at: "2026-02-01", cancelled_at: "2026-02-01", cancel_reason: "chargeback",
        total_revenue: 30, next_billing_date: null, cancel_at_period_end: false, successful_billing_count: 4,
      },
      transactions: { status: "charged_back", updated_at: "2026-02-01", return_action: "r" },
    },
    not: {
      "another payment": { transactions: { id: OTHER } },
      "a payment that was declined": { transactions: { status: "declined" } },
      "a payment that is charged back": { transactions: { status: "charged_back" } },
      "a refund": { transactions: { type: "sdd_refund" } },
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
      "a renewal, of an order that waits for a payment": {
        given: { orders: { status: "PENDING_PAYMENT_SUBMISSION" }, transactions: { type: "sdd_rebill" } },
        does: { orders: [] },
      },
      "another subscription's cycle has this payment": {
        given: {
          transactions: { type: "sdd_rebill" },
          billing_cycles: [{ subscription_id: OTHER, cycle: 1, status: "paid" }],
        },
        does: { billing_cycles: [] },
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
      "a part that is more than is left": { given: { with: { amount: 25 } } },
      "a reason that blocks the account, of a mandate that was rejected": {
        given: { mandates: { status: "rejected" }, with: { endsMandate: true, blocksAccount: true } },
        does: { mandates: { updated_at: "2026-02-01", account_blocked_at: "2026-02-01" } },
      },
      "a payment that has not settled": {
        given: { transactions: { status: "pending", refunded: 0 }, with: { statusBefore: "pending" } },
        does: { subscriptions: { total_revenue: undefined } },
      },
      "a part of a payment that has not settled": {
        given: { transactions: { status: "pending", refunded: 0 }, with: { statusBefore: "pending", amount: 20 } },
        does: { subscriptions: { total_revenue: 60 } },
      },
      "a part of the payment": { given: { with: { amount: 5 } }, does: { subscriptions: { total_revenue: 45 } } },
      "a payment that is refunded": {
        given: { transactions: { status: "refunded", refunded: 30 } },
        does: { subscriptions: { total_revenue: undefined } },
      },
      "less revenue than the chargeback": {
        given: { subscriptions: { total_revenue: 4 } },
        does: { subscriptions: { total_revenue: 0 } },
      },
      "an order that is refunded": { given: { orders: { status: "REFUNDED" } } },
      "an order whose payment is pending": { given: { orders: { status: "PENDING" } } },
      "an order that has failed, of a first payment": {
        given: { orders: { status: "FAILED" } },
        does: { orders: [] },
      },
      "an order that has failed, of a renewal": {
        given: { orders: { status: "FAILED" }, transactions: { type: "sdd_rebill" } },
      },
      "an order that waits for a payment": {
        given: { orders: { status: "PENDING_PAYMENT_SUBMISSION" } },
        does: { orders: [] },
      },
      "another order": { given: { transactions: { order_id: OTHER } }, does: { orders: [] } },
      "a renewal of a cycle that another attempt has paid": {
        given: {
          transactions: { type: "sdd_rebill" }, billing_cycles: [{ cycle: 1, transaction_id: OTHER, status: "paid" }],
        },
        does: { billing_cycles: [] },
      },
      "a renewal that was imported": {
        given: { transactions: { type: "sdd_rebill", source: "csv_import" }, billing_cycles: [] },
        does: { billing_cycles: [], subscriptions: { successful_billing_count: undefined } },
      },
      "a first payment of no cycle": {
        given: { billing_cycles: [] },
        does: { billing_cycles: [], subscriptions: { successful_billing_count: undefined } },
      },
      "a renewal whose cycle is paid": { given: { transactions: { type: "sdd_rebill" } } },
      "a renewal whose cycle waits for the bank": {
        given: { transactions: { type: "sdd_rebill" }, billing_cycles: [{ cycle: 1, status: "pending" }] },
        does: {
          billing_cycles: [{ status: "charged_back", updated_at: "2026-02-01" }],
          subscriptions: { successful_billing_count: undefined },
        },
      },
      "a cycle that has failed": {
        given: { billing_cycles: [{ cycle: 1, status: "failed" }] },
        does: { billing_cycles: [], subscriptions: { successful_billing_count: undefined } },
      },
      "a cycle that another attempt has paid as well": {
        given: { "+transactions": { ...OTHER_PAYMENT, status: "approved", cycle: 1 } },
        does: { billing_cycles: [{ status: undefined, transaction_id: OTHER }, {}] },
      },
      "another attempt, which was refunded": {
        given: { "+transactions": { ...OTHER_PAYMENT, status: "refunded", cycle: 1 } },
        does: { billing_cycles: [{ status: undefined, transaction_id: OTHER }, {}] },
      },
      "another attempt, which is pending": {
        given: { "+transactions": { ...OTHER_PAYMENT, status: "pending", cycle: 1 } },
      },
      "another cycle's payment": { given: { "+transactions": { ...OTHER_PAYMENT, status: "approved", cycle: 3 } } },
      "another subscription's payment": {
        given: { "+transactions": { ...OTHER_PAYMENT, subscription_id: OTHER, status: "approved", cycle: 1 } },
      },
      "two other attempts: the first one": {
        given: {
          "+transactions": [
            { ...OTHER_PAYMENT, status: "approved", cycle: 1, created_at: "2026-01-04" },
            { ...THIRD_PAYMENT, status: "approved", cycle: 1, created_at: "2026-01-03" },
          ],
        },
        does: { billing_cycles: [{ status: undefined, transaction_id: THIRD }, {}] },
      },
      "another subscription's cycles": {
        given: {
          billing_cycles: [
            { subscription_id: OTHER, cycle: 1, status: "paid" },
            { subscription_id: OTHER, cycle: 2, transaction_id: OTHER, status: "retry" },
          ],
        },
        does: { billing_cycles: [], subscriptions: { successful_billing_count: undefined } },
      },
      "a tenant whose subscriptions stay active": {
        given: { tenants: { subscription_after_chargeback: "keep" } },
        does: {
          billing_cycles: [{ status: "charged_back", updated_at: "2026-02-01" }],
          subscriptions: {
            status: undefined, cancelled_at: undefined, cancel_reason: undefined, next_billing_date: undefined,
            cancel_at_period_end: undefined,
          },
        },
      },
      "a tenant whose subscriptions become past due": {
        given: { tenants: { subscription_after_chargeback: "past_due" } },
        does: {
          billing_cycles: [{ status: "charged_back", updated_at: "2026-02-01" }],
          subscriptions: {
            status: "PAST_DUE", cancelled_at: undefined, cancel_reason: undefined, next_billing_date: undefined,
            cancel_at_period_end: undefined, past_due_since: "2026-02-01",
          },
        },
      },
      "a subscription that is past due already": {
        given: {
          tenants: { subscription_after_chargeback: "past_due" },
          subscriptions: { status: "PAST_DUE", past_due_since: "2026-03-01" },
        },
        does: {
          billing_cycles: [{ status: "charged_back", updated_at: "2026-02-01" }],
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
          tenants: { subscription_after_chargeback: "past_due" },
          subscriptions: { status: "CANCELLED", cancelled_at: "2026-01-05" },
        },
        does: {
          subscriptions: {
            status: undefined, cancelled_at: undefined, cancel_reason: undefined, next_billing_date: undefined,
            cancel_at_period_end: undefined,
          },
        },
      },
      "a payment of no subscription": {
        given: { transactions: { subscription_id: null } },
        does: { billing_cycles: [], subscriptions: [] },
      },
      "a chargeback that is known already": {
        given: { chargebacks: { merchant_transaction_id: "pay" } },
        gives: [{ is_recorded: false }],
        does: { chargebacks: [] },
      },
      "a reason that ends the mandate": {
        given: { with: { endsMandate: true } },
        does: {
          mandates: {
            status: "cancelled", updated_at: "2026-02-01", cancelled_at: "2026-02-01", cancelled_by: "bank",
            status_reason: "MD06",
          },
        },
      },
      "a reason that ends the mandate, which has already ended": {
        given: { mandates: { status: "cancelled" }, with: { endsMandate: true } },
      },
      "a reason that blocks the account": {
        given: { with: { endsMandate: true, blocksAccount: true } },
        does: {
          mandates: {
            status: "cancelled", updated_at: "2026-02-01", cancelled_at: "2026-02-01", cancelled_by: "bank",
            status_reason: "MD06", account_blocked_at: "2026-02-01",
          },
        },
      },
      "a reason that blocks the account, of a mandate that has ended": {
        given: { mandates: { status: "cancelled" }, with: { endsMandate: true, blocksAccount: true } },
        does: { mandates: { updated_at: "2026-02-01", account_blocked_at: "2026-02-01" } },
      },
      "an account that was blocked before": {
        given: { mandates: { account_blocked_at: "2026-01-07" }, with: { endsMandate: true, blocksAccount: true } },
        does: {
          mandates: {
            status: "cancelled", updated_at: "2026-02-01", cancelled_at: "2026-02-01", cancelled_by: "bank",
            status_reason: "MD06",
          },
        },
      },
      "an account that was changed since": {
        given: {
          mandate_amendments: { kind: "account", at: "2026-01-15" }, with: { endsMandate: true, blocksAccount: true },
        },
        does: {
          mandates: {
            status: "cancelled", updated_at: "2026-02-01", cancelled_at: "2026-02-01", cancelled_by: "bank",
            status_reason: "MD06",
          },
        },
      },
      "an account that was changed before": {
        given: {
          mandate_amendments: { kind: "account", at: "2026-01-10" }, with: { endsMandate: true, blocksAccount: true },
        },
        does: {
          mandates: {
            status: "cancelled", updated_at: "2026-02-01", cancelled_at: "2026-02-01", cancelled_by: "bank",
            status_reason: "MD06", account_blocked_at: "2026-02-01",
          },
        },
      },
      "a mandate whose holder was changed since": {
        given: {
          mandate_amendments: { kind: "holder", at: "2026-01-15" }, with: { endsMandate: true, blocksAccount: true },
        },
        does: {
          mandates: {
            status: "cancelled", updated_at: "2026-02-01", cancelled_at: "2026-02-01", cancelled_by: "bank",
            status_reason: "MD06", account_blocked_at: "2026-02-01",
          },
        },
      },
      "another mandate's account was changed since": {
        given: {
          mandate_amendments: { mandate_id: OTHER, kind: "account", at: "2026-01-15" },
          with: { endsMandate: true, blocksAccount: true },
        },
        does: {
          mandates: {
            status: "cancelled", updated_at: "2026-02-01", cancelled_at: "2026-02-01", cancelled_by: "bank",
            status_reason: "MD06", account_blocked_at: "2026-02-01",
          },
        },
      },
    },
    same: { "removed default: coalesce($6::numeric, t.amount), t.amount - t.refunded": "The least of nothing and a number is the number.", "dropped condition: s.status <> 'CANCELLED' and n.subscription_after_chargeback = 'cancel' then 'CANCELLED'": "An ended one stays ended." },
  },
  "chargebacks.set_aside": {
    given: { chargebacks: { merchant_transaction_id: "pay", transaction_id: null, report_info: null }, with: { merchantTransactionId: "pay" } },
    does: {
      chargebacks: {
        merchant_transaction_id: `pay (${ID})`, report_info: "pay has another chargeback.", updated_at: "2026-02-01",
      },
    },
    not: {
      "a chargeback with another reference": { chargebacks: { merchant_transaction_id: "y" } },
      "a chargeback of the payment": { chargebacks: { transaction_id: ID } },
      "a chargeback that was withdrawn": { chargebacks: { withdrawn_on: "2026-01-05" } },
    },
    also: {
      "a chargeback of which a file has more to say": {
        given: { chargebacks: { report_info: "told" } },
        does: { chargebacks: { report_info: undefined } },
      },
    },
    same: {
      "removed default: coalesce(transaction_id is null, false": "It is for the index: the condition is never null.",
      "boolean: false) and withdrawn_on": "It is for the index: the condition is never null.",
    },
  },
  "chargebacks.set_bank_fee": {
    given: { chargebacks: { source: "manual", cb_bank_fee: null }, with: { fee: 3 } },
    gives: [{ "?column?": 1 }],
    does: { chargebacks: { updated_at: "2026-02-01", cb_bank_fee: 3 } },
    not: {
      "another payment's chargeback": { chargebacks: { merchant_transaction_id: "y" } },
      "a chargeback that only has the payment's reference": { chargebacks: { transaction_id: null } },
      "a chargeback whose fee was entered otherwise": { chargebacks: { cb_bank_fee: 2 } },
      "a chargeback that was withdrawn": { chargebacks: { withdrawn_on: "2026-01-05" } },
    },
    also: {
      "a fee that is corrected, of a chargeback that the bank reported": {
        given: { chargebacks: { source: "reconciliation", cb_bank_fee: 2 } },
      },
      "a fee that was reported before it grew": {
        given: { chargebacks: { source: "reconciliation", cb_bank_fee: 4 } },
        does: { chargebacks: { cb_bank_fee: undefined } },
      },
      "the same fee again": {
        given: { chargebacks: { cb_bank_fee: 3 } },
        does: { chargebacks: { cb_bank_fee: undefined } },
      },
    },
  },
  "chargebacks.find": {
    given: { chargebacks: { iban_last4: "3000", iban_length: 6, withdrawn_on: "2026-01-05" } },
    gives: [{ id: ID, iban: "**3000", withdrawn_on: "2026-01-05" }],
    not: {
      "another chargeback": { chargebacks: { id: OTHER } },
    },
  },
  "chargebacks.of_transaction": {
    gives: [{ id: ID }],
    not: {
      "a chargeback of another payment": { chargebacks: { merchant_transaction_id: "y" } },
      "a chargeback that only has the payment's reference": { chargebacks: { transaction_id: null } },
      "a chargeback that was withdrawn": { chargebacks: { withdrawn_on: "2026-01-01" } },
    },
  },
};
