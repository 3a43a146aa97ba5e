/** Statements of `src/payments`: the rows that each is for, and those that it leaves alone (tests/conditions.test.ts). */
import { added, type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { EVENTS, FOURTH, OTHER, OTHER_PAYMENT, THIRD, THIRD_PAYMENT } from "./rows.ts";

// A case is a line, or a few.
// prettier-ignore
export const PAYMENTS: Entries = {
  "payments.release_reference": {
    given: { transactions: { status: "declined" } },
    gives: [{ id: ID }],
    does: { transactions: { updated_at: "2026-02-01", tenant_reference_id: null } },
    not: {
      "another session": { with: { sessionId: OTHER } },
      "a payment of another session": { transactions: { session_id: OTHER } },
      "a payment that is submitted": { transactions: { status: "submitted" } },
      "a session with another tenant reference": { sessions: { tenant_reference_id: "y" } },
    },
  },
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
    gives: [{ id: ID }],
    does: {
      billing_cycles: [
        { status: "charged_back", updated_at: "2026-02-01" },
        { cycle: 2, status: "failed", updated_at: "2026-02-01", next_attempt_at: null },
      ],
      chargebacks: added({
        id: THIRD, type: "sdd_sale", amount: 30, source: "gateway", currency: "EUR", created_at: "2026-02-01",
        gateway_id: ID, updated_at: "2026-02-01", report_date: "2026-01-30", transaction_id: ID,
        merchant_transaction_id: "pay",
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
      "an order whose payment is on its way": { given: { orders: { status: "PENDING" } } },
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
      "another attempt, which is on its way": {
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
      "a tenant whose subscriptions go on": {
        given: { tenants: { subscription_after_chargeback: "keep" } },
        does: {
          billing_cycles: [{ status: "charged_back", updated_at: "2026-02-01" }],
          subscriptions: {
            status: undefined, cancelled_at: undefined, cancel_reason: undefined, next_billing_date: undefined,
            cancel_at_period_end: undefined,
          },
        },
      },
      "a tenant whose subscriptions are behind then": {
        given: { tenants: { subscription_after_chargeback: "past_due" } },
        does: {
          billing_cycles: [{ status: "charged_back", updated_at: "2026-02-01" }],
          subscriptions: {
            status: "PAST_DUE", cancelled_at: undefined, cancel_reason: undefined, next_billing_date: undefined,
            cancel_at_period_end: undefined, past_due_since: "2026-02-01",
          },
        },
      },
      "a subscription that is further behind": {
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
      "a subscription that has ended, of a tenant whose are behind then": {
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
      "a reason that ends the mandate, which has ended": {
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
    same: { "removed default: coalesce($6::numeric, t.amount), t.amount - t.refunded": "The least of nothing and a number is the number.", "dropped condition: s.status <> 'CANCELLED' and n.subscription_after_chargeback = 'cancel' then 'CANCELLED'": "What has ended stays so." },
  },
  "chargebacks.set_bank_fee": {
    given: { chargebacks: { source: "manual", cb_bank_fee: null }, with: { fee: 3 } },
    gives: [{ "?column?": 1 }],
    does: { chargebacks: { updated_at: "2026-02-01", cb_bank_fee: 3 } },
    not: {
      "another payment's chargeback": { chargebacks: { merchant_transaction_id: "y" } },
      "a chargeback whose fee was entered otherwise": { chargebacks: { cb_bank_fee: 2 } },
    },
    also: {
      "a fee that is corrected, of a chargeback that the bank reported": {
        given: { chargebacks: { source: "reconciliation", cb_bank_fee: 2 } },
      },
      "the same fee again": {
        given: { chargebacks: { cb_bank_fee: 3 } },
        does: { chargebacks: { cb_bank_fee: undefined } },
      },
    },
  },
  "imports.complete_linked_chargeback": {
    given: { with: { adapterUniqueId: "y", reportType: "y", reportMessage: "y", reportInfo: "y", arn: "y" } },
    does: {
      chargebacks: {
        arn: "y", created_at: "2026-02-01", report_info: "y", report_type: "y", report_message: "y",
        adapter_unique_id: "y",
      },
    },
    not: {
      "another chargeback": { chargebacks: { id: OTHER } },
    },
    also: {
      "an id that the file does not say": {
        given: { with: { adapterUniqueId: null } },
        does: { chargebacks: { adapter_unique_id: undefined } },
      },
      "a time that the file does not say": {
        given: { with: { createdAt: null } },
        does: { chargebacks: { created_at: undefined } },
      },
    },
  },
  "imports.count": {
    given: {
      imports: { lines: 10, created: 10, duplicate: 10, linked: 10, rejected: 10, rejections: [{ line: 1 }] },
      with: { lines: 1, created: 2, duplicate: 3, linked: 4, rejected: 5, rejections: [{ line: 2 }] },
    },
    does: {
      imports: {
        lines: 11, linked: 14, created: 12, rejected: 15, duplicate: 13, rejections: [{ line: 1 }, { line: 2 }],
        updated_at: "2026-02-01",
      },
    },
    not: {
      "another import": { imports: { id: OTHER } },
    },
    also: {
      "a list that is full": {
        given: {
          imports: {
            rejections: [
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
            ],
          },
        },
        does: { imports: { rejections: undefined } },
      },
      "a list that is nearly full": {
        given: {
          imports: {
            rejections: [
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
            ],
          },
        },
        does: {
          imports: {
            rejections: [
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, { line: 2 },
            ],
          },
        },
      },
    },
  },
  "imports.finish": {
    given: { with: { status: "y", error: "y", sha256: "y" } },
    gives: [{ error: "y", status: "y", updated_at: "2026-02-01", file_sha256: "y" }],
    does: { imports: { error: "y", status: "y", updated_at: "2026-02-01", file_sha256: "y" } },
    not: {
      "another import": { imports: { id: OTHER } },
    },
  },
  "imports.end_abandoned": {
    given: { imports: { status: "running" }, with: { error: "failed" } },
    gives: [{ id: ID }],
    does: { imports: { error: "failed", status: "failed", updated_at: "2026-02-01" } },
    not: {
      "an import that is done": { imports: { status: "done" } },
      "an import that is running still": { imports: { updated_at: "2026-02-01" } },
    },
  },
  "payments.reinstate": {
    given: {
      transactions: {
        status: "charged_back", type: "sdd_sale", amount: 30, refunded: 10, reinstatements: 0, cycle: 1,
        error_code: "e1", error_message: "e2", gateway_code: "e3", gateway_message: "e4", created_at: "2026-01-10",
        merchant_transaction_id: "pay", source: "hosted_page",
      },
      chargebacks: { merchant_transaction_id: "pay", amount: 30 }, orders: { status: "CHARGEDBACK" },
      billing_cycles: { cycle: 1, status: "charged_back", error_code: "e", next_attempt_at: "2026-01-20" },
      subscriptions: {
        status: "PAST_DUE", past_due_since: "2026-01-25", total_revenue: 50, successful_billing_count: 5,
        failed_billing_count: 3, last_billing_date: "2026-01-12",
      },
      tenants: { subscription_after_chargeback: "past_due" },
      with: {
        round: 1, on: "2026-01-30", gatewayReference: "g", adapterUniqueId: "u", processedAt: "2026-01-29",
        events: EVENTS,
      },
    },
    gives: [{ id: ID }],
    does: {
      billing_cycles: { status: "paid", error_code: null, updated_at: "2026-02-01", next_attempt_at: null },
      chargebacks: {
        updated_at: "2026-02-01", report_info: "The bank took it back on 2026-01-30.", withdrawn_on: "2026-01-30",
      },
      events: added({
        id: THIRD, type: "payment_session.completed", payload: {}, created_at: "2026-02-01", session_id: ID,
        transaction_id: ID,
      }),
      messages: added({ id: "made here", kind: "x", created_at: "2026-02-01", transaction_id: ID }),
      orders: { status: "COMPLETED", updated_at: "2026-02-01" },
      subscriptions: {
        status: "ACTIVE", updated_at: "2026-02-01", total_revenue: 70, past_due_since: null,
        successful_billing_count: 6,
      },
      transactions: {
        status: "approved", error_code: null, updated_at: "2026-02-01", gateway_code: null,
        processed_at: "2026-01-29", error_message: null, reinstatements: 1, gateway_message: null,
        adapter_unique_id: "u", gateway_reference: "g",
      },
    },
    not: {
      "another payment": { transactions: { id: OTHER } },
      "a payment that is approved": { transactions: { status: "approved" } },
      "a payment that is on its way": { transactions: { status: "pending" } },
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
      "a payment that was declined, of a cycle that waits": {
        given: {
          transactions: { status: "declined" }, chargebacks: [], billing_cycles: { status: "retry" },
          orders: { status: "FAILED" },
        },
        does: { chargebacks: [], subscriptions: { last_billing_date: "2026-02-01", failed_billing_count: 2 } },
      },
      "a payment that was declined, of a cycle that has failed": {
        given: { transactions: { status: "declined" }, chargebacks: [], billing_cycles: { status: "failed" } },
        does: { chargebacks: [], subscriptions: { last_billing_date: "2026-02-01", failed_billing_count: 2 } },
      },
      "a payment that was withdrawn": {
        given: { transactions: { status: "declined" }, chargebacks: [], billing_cycles: { status: "withdrawn" } },
        does: { chargebacks: [], subscriptions: { last_billing_date: "2026-02-01" } },
      },
      "a cycle that is paid": {
        given: { billing_cycles: { status: "paid" } },
        does: { billing_cycles: [], subscriptions: { successful_billing_count: undefined } },
      },
      "a payment that was refunded in full": {
        given: { transactions: { refunded: 30 } },
        does: {
          orders: { status: "REFUNDED" }, subscriptions: { total_revenue: undefined },
          transactions: { status: "refunded" },
        },
      },
      "what the gateway said before": {
        given: { with: { gatewayReference: null, processedAt: null } },
        does: { transactions: { processed_at: undefined, gateway_reference: undefined } },
      },
      "a payment that was processed before": {
        given: { transactions: { processed_at: "2026-01-15" }, with: { processedAt: null } },
        does: { transactions: { processed_at: undefined } },
      },
      "a second time": {
        given: { transactions: { reinstatements: 1 } },
        does: { transactions: { reinstatements: 2 } },
      },
      "a round that the bank counts further": {
        given: { with: { round: 5 } },
        does: { transactions: { reinstatements: 5 } },
      },
      "another payment's chargeback": {
        given: { chargebacks: { merchant_transaction_id: "other" } },
        does: { chargebacks: [], subscriptions: { last_billing_date: "2026-02-01" } },
      },
      "a chargeback that the bank took back before": {
        given: { chargebacks: { withdrawn_on: "2026-01-20" } },
        does: { chargebacks: [], subscriptions: { last_billing_date: "2026-02-01" } },
      },
      "a chargeback of a part": {
        given: { chargebacks: { amount: 5 } },
        does: { subscriptions: { total_revenue: 55 } },
      },
      "a renewal of a cycle that another attempt has": {
        given: {
          transactions: { type: "sdd_rebill" }, billing_cycles: { transaction_id: OTHER, status: "charged_back" },
        },
        does: { billing_cycles: { transaction_id: ID }, orders: { status: "FAILED" } },
      },
      "a renewal of a cycle that another attempt has paid": {
        given: {
          transactions: { type: "sdd_rebill", status: "declined" }, chargebacks: [],
          billing_cycles: { transaction_id: OTHER, status: "paid" },
        },
        does: {
          billing_cycles: [], chargebacks: [], orders: { status: "FAILED" },
          subscriptions: { last_billing_date: "2026-02-01", failed_billing_count: 2 },
        },
      },
      "a renewal that was imported": {
        given: { transactions: { type: "sdd_rebill", source: "csv_import" }, billing_cycles: [] },
        does: {
          billing_cycles: [], orders: { status: "FAILED" }, subscriptions: { successful_billing_count: undefined },
        },
      },
      "a renewal of another subscription's cycle": {
        given: { transactions: { type: "sdd_rebill" }, billing_cycles: { subscription_id: OTHER } },
        does: { billing_cycles: [], orders: { status: "FAILED" } },
      },
      "a renewal of another cycle": {
        given: { transactions: { type: "sdd_rebill" }, billing_cycles: { cycle: 2, transaction_id: OTHER } },
        does: { billing_cycles: [], orders: { status: "FAILED" } },
      },
      "an order with a refunded first payment": {
        given: {
          "+transactions": { ...OTHER_PAYMENT, type: "sdd_sale", status: "refunded" },
          transactions: { type: "sdd_rebill" },
        },
        does: { orders: { status: "REFUNDED" } },
      },
      "an order with an approved first payment": {
        given: {
          "+transactions": { ...OTHER_PAYMENT, type: "sdd_sale", status: "approved" },
          transactions: { type: "sdd_rebill" },
        },
      },
      "an order with a first payment on its way": {
        given: {
          "+transactions": { ...OTHER_PAYMENT, type: "sdd_sale", status: "pending" },
          transactions: { type: "sdd_rebill" },
        },
        does: { orders: { status: "PENDING" } },
      },
      "an order with another payment that is charged back": {
        given: { "+transactions": { ...OTHER_PAYMENT, type: "sdd_rebill", status: "charged_back" } },
        does: { orders: { status: undefined } },
      },
      "an order with a refund of it": {
        given: { "+transactions": { ...OTHER_PAYMENT, type: "sdd_refund", status: "charged_back" } },
      },
      "an order with a renewal that is refunded": {
        given: {
          "+transactions": { ...OTHER_PAYMENT, type: "sdd_rebill", status: "refunded", created_at: "2026-01-01" },
          transactions: { type: "sdd_rebill" },
        },
        does: { orders: { status: "FAILED" } },
      },
      "another order's payment": {
        given: { "+transactions": { ...OTHER_PAYMENT, order_id: OTHER, type: "sdd_rebill", status: "charged_back" } },
      },
      "another order": { given: { orders: { id: OTHER } }, does: { orders: [] } },
      "a subscription that is active": {
        given: { subscriptions: { status: "ACTIVE", past_due_since: null } },
        does: { subscriptions: { status: undefined, past_due_since: undefined } },
      },
      "a subscription that has ended": {
        given: { subscriptions: { status: "CANCELLED", past_due_since: null, cancelled_at: "2026-01-20" } },
        does: { subscriptions: { status: undefined, past_due_since: undefined } },
      },
      "no failed attempt to take back": {
        given: {
          subscriptions: { failed_billing_count: 0 }, transactions: { status: "declined" }, chargebacks: [],
          billing_cycles: { status: "failed" },
        },
        does: { chargebacks: [], subscriptions: { last_billing_date: "2026-02-01" } },
      },
      "another cycle waits": {
        given: {
          "+billing_cycles": {
            cycle: 2, transaction_id: OTHER, status: "retry", attempts: 1, updated_at: "2026-01-22",
          },
        },
        does: { subscriptions: { status: undefined, past_due_since: "2026-01-22" } },
      },
      "another cycle waits that was never tried": {
        given: {
          "+billing_cycles": {
            cycle: 2, transaction_id: OTHER, status: "retry", attempts: 0, updated_at: "2026-01-22",
          },
        },
      },
      "another cycle has failed": {
        given: {
          "+billing_cycles": {
            cycle: 2, transaction_id: OTHER, status: "failed", attempts: 1, updated_at: "2026-01-22",
          },
        },
      },
      "another subscription's cycle waits": {
        given: {
          "+billing_cycles": {
            subscription_id: OTHER, cycle: 2, transaction_id: OTHER, status: "retry", attempts: 1,
            updated_at: "2026-01-22",
          },
        },
      },
      "another renewal was declined": {
        given: {
          "+transactions": {
            ...OTHER_PAYMENT, type: "sdd_rebill", status: "declined", cycle: 2, error_code: "e", gateway_code: "AM04",
            updated_at: "2026-01-22",
          },
        },
        does: { subscriptions: { status: undefined, past_due_since: "2026-01-22" } },
      },
      "another renewal of no cycle was declined": {
        given: {
          "+transactions": {
            ...OTHER_PAYMENT, type: "sdd_rebill", status: "declined", cycle: null, error_code: "e",
            gateway_code: "AM04", updated_at: "2026-01-22",
          },
        },
        does: { subscriptions: { status: undefined, past_due_since: "2026-01-22" } },
      },
      "another attempt at the cycle was declined": {
        given: {
          "+transactions": {
            ...OTHER_PAYMENT, type: "sdd_rebill", status: "declined", cycle: 1, error_code: "e", gateway_code: "AM04",
            updated_at: "2026-01-22",
          },
        },
      },
      "another renewal was declined at a gateway that was not reached": {
        given: {
          "+transactions": {
            ...OTHER_PAYMENT, type: "sdd_rebill", status: "declined", cycle: 2, error_code: "gateway_unavailable",
            gateway_code: null, updated_at: "2026-01-22",
          },
        },
      },
      "another renewal was declined by a gateway that says so": {
        given: {
          "+transactions": {
            ...OTHER_PAYMENT, type: "sdd_rebill", status: "declined", cycle: 2, error_code: "gateway_unavailable",
            gateway_code: "x", updated_at: "2026-01-22",
          },
        },
        does: { subscriptions: { status: undefined, past_due_since: "2026-01-22" } },
      },
      "another renewal was declined, without a code of the gateway": {
        given: {
          "+transactions": {
            ...OTHER_PAYMENT, type: "sdd_rebill", status: "declined", cycle: 2, error_code: "e", gateway_code: null,
            updated_at: "2026-01-22",
          },
        },
        does: { subscriptions: { status: undefined, past_due_since: "2026-01-22" } },
      },
      "another renewal was taken back by the merchant": {
        given: {
          "+transactions": {
            ...OTHER_PAYMENT, type: "sdd_rebill", status: "declined", cycle: 2, error_code: "e", gateway_code: "CUST",
            updated_at: "2026-01-22",
          },
        },
      },
      "another renewal was declined, for no reason": {
        given: {
          "+transactions": {
            ...OTHER_PAYMENT, type: "sdd_rebill", status: "declined", cycle: 2, error_code: null, gateway_code: "x",
            updated_at: "2026-01-22",
          },
        },
      },
      "another sale was declined": {
        given: {
          "+transactions": {
            ...OTHER_PAYMENT, type: "sdd_sale", status: "declined", cycle: 2, error_code: "e", gateway_code: "AM04",
            updated_at: "2026-01-22",
          },
        },
      },
      "another renewal was declined before a later one": {
        given: {
          transactions: { type: "sdd_rebill", created_at: "2026-01-24" },
          "+transactions": {
            ...OTHER_PAYMENT, type: "sdd_rebill", status: "declined", cycle: 2, error_code: "e", gateway_code: "AM04",
            updated_at: "2026-01-22",
          },
        },
        does: { orders: { status: "FAILED" } },
      },
      "another cycle waits, and a later renewal has succeeded": {
        given: {
          transactions: { type: "sdd_rebill", created_at: "2026-01-24" },
          "+billing_cycles": {
            cycle: 2, transaction_id: OTHER, status: "retry", attempts: 1, updated_at: "2026-01-22",
          },
        },
        does: { orders: { status: "FAILED" }, subscriptions: { status: undefined, past_due_since: "2026-01-22" } },
      },
      "another renewal was declined, a later one approved": {
        given: {
          "+transactions": [
            {
              ...OTHER_PAYMENT, type: "sdd_rebill", status: "declined", cycle: 2, error_code: "e",
              gateway_code: "AM04", updated_at: "2026-01-22",
            },
            { ...THIRD_PAYMENT, type: "sdd_rebill", status: "approved", cycle: 3, created_at: "2026-01-23" },
          ],
        },
      },
      "another renewal was declined, a later one refunded": {
        given: {
          "+transactions": [
            {
              ...OTHER_PAYMENT, type: "sdd_rebill", status: "declined", cycle: 2, error_code: "e",
              gateway_code: "AM04", updated_at: "2026-01-22",
            },
            { ...THIRD_PAYMENT, type: "sdd_rebill", status: "refunded", cycle: 3, created_at: "2026-01-23" },
          ],
        },
      },
      "another renewal was declined, a later one is on its way": {
        given: {
          "+transactions": [
            {
              ...OTHER_PAYMENT, type: "sdd_rebill", status: "declined", cycle: 2, error_code: "e",
              gateway_code: "AM04", updated_at: "2026-01-22",
            },
            { ...THIRD_PAYMENT, type: "sdd_rebill", status: "pending", cycle: 3, created_at: "2026-01-23" },
          ],
        },
        does: { subscriptions: { status: undefined, past_due_since: "2026-01-22" } },
      },
      "another renewal was declined, one at this time approved": {
        given: {
          "+transactions": [
            {
              ...OTHER_PAYMENT, type: "sdd_rebill", status: "declined", cycle: 2, error_code: "e",
              gateway_code: "AM04", updated_at: "2026-01-22",
            },
            { ...THIRD_PAYMENT, type: "sdd_rebill", status: "approved", cycle: 3, created_at: "2026-01-22" },
          ],
        },
        does: { subscriptions: { status: undefined, past_due_since: "2026-01-22" } },
      },
      "another payment's chargeback stands": {
        given: {
          "+transactions": { ...OTHER_PAYMENT, type: "sdd_sale", status: "charged_back" },
          "+chargebacks": { id: OTHER, merchant_transaction_id: "y", created_at: "2026-01-21" },
        },
        does: { orders: { status: undefined }, subscriptions: { status: undefined, past_due_since: "2026-01-21" } },
      },
      "another payment's chargeback stands, where subscriptions go on": {
        given: {
          tenants: { subscription_after_chargeback: "keep" },
          "+transactions": { ...OTHER_PAYMENT, type: "sdd_sale", status: "charged_back" },
          "+chargebacks": { id: OTHER, merchant_transaction_id: "y", created_at: "2026-01-21" },
        },
        does: { orders: { status: undefined } },
      },
      "another payment's chargeback was taken back": {
        given: {
          "+transactions": { ...OTHER_PAYMENT, type: "sdd_sale", status: "charged_back" },
          "+chargebacks": {
            id: OTHER, merchant_transaction_id: "y", created_at: "2026-01-21", withdrawn_on: "2026-01-22",
          },
        },
        does: { orders: { status: undefined } },
      },
    },
  },
  "set_aside.write": {
    given: { gateway_news_set_aside: { kind: "settled", why: "y" } },
    does: { gateway_news_set_aside: { why: "x", kind: "x", tries: 2, due_at: "2026-02-01" } },
  },
  "set_aside.forget": {
    given: { gateway_news_set_aside: { reference: "y" } },
    does: { gateway_news_set_aside: "gone" },
    not: {
      "a piece of news of another account": { gateway_news_set_aside: { gateway_id: OTHER } },
      "news that is tried later": { gateway_news_set_aside: { due_at: "2026-03-01" } },
      "news that has failed again": { with: { failed: ["y"] } },
    },
    also: {
      "news that is due at this moment": { given: { gateway_news_set_aside: { due_at: "2026-02-01" } } },
    },
  },
  "refunds.release": {
    given: { transactions: { held_until: "2025-12-01", status: "submitted" } },
    gives: [{ id: ID }],
    does: { transactions: { released_at: "2026-02-01" } },
    not: {
      "another payment": { transactions: { id: OTHER } },
      "a refund that was not held back": { transactions: { held_until: null } },
      "a refund that was released": { transactions: { released_at: "2025-12-01" } },
      "a refund whose answer is unknown": { transactions: { status: "unresolved" } },
    },
  },
  "refunds.take_held": {
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
      "a refund whose answer is unknown": { transactions: { status: "unresolved" } },
      "a refund that was not held back": { transactions: { held_until: null } },
      "a refund that was released, where one is wanted that was not": { with: { isHeld: true } },
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
      "a payment of which the gateway gave no id": {
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
      "a payment that is on its way": { transactions: { status: "pending" } },
      "a payment that is refunded": { transactions: { status: "refunded" } },
      "a refund": { transactions: { type: "sdd_refund" } },
      "an account that cannot refund": { with: { adapters: ["y"] } },
      "a payment that was charged back": { chargebacks: { merchant_transaction_id: "pay" } },
      "a payment of a customer whose data are erased": { leads: { erased_at: "2026-01-15" } },
      "more than is left": { with: { amount: 21 } },
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
      "all that is left": {
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
      "a payment that may come back until later": {
        given: { tenants: { refund_hold_days: 30 } },
        gives: [{ held_until: "2026-02-09" }],
        does: { transactions: [{}, { resolve_at: "2026-02-09", held_until: "2026-02-09" }] },
      },
      "a payment that may come back until this moment": { given: { tenants: { refund_hold_days: 22 } } },
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
      "a payment of which the gateway gave no id": {
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
        originalEvents: [{ id: OTHER, type: "payment_session.refunded", payload: {}, tells: ["x"] }],
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
      "an event that a receiver listens to": {
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
      "an event of which only an archived receiver wants to hear": {
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
      "what the gateway said before": {
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
      "a tenant whose subscriptions go on": {
        given: { tenants: { subscription_after_refund: "keep" } },
        does: {
          billing_cycles: [],
          subscriptions: {
            status: undefined, cancelled_at: undefined, cancel_reason: undefined, next_billing_date: undefined,
            cancel_at_period_end: undefined,
          },
        },
      },
      "a tenant whose subscriptions are behind then": {
        given: { tenants: { subscription_after_refund: "past_due" } },
        does: {
          billing_cycles: [],
          subscriptions: {
            status: "PAST_DUE", cancelled_at: undefined, cancel_reason: undefined, next_billing_date: undefined,
            cancel_at_period_end: undefined, past_due_since: "2026-02-01",
          },
        },
      },
      "a subscription that is further behind": {
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
      "a subscription that has ended, of a tenant whose are behind then": {
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
    same: { "dropped condition: s.status <> 'CANCELLED' and n.after = 'cancel' then 'CANCELLED'": "What has ended stays so." },
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
      "due at this moment": { given: { transactions: { resolve_at: "2026-02-01" } } },
      "a refund that was released": {
        given: { transactions: { held_until: "2026-03-01", released_at: "2026-01-02" } },
        gives: [{ held_until: "2026-03-01", released_at: "2026-01-02" }],
      },
      "a lease that has ended": { given: { transactions: { locked_until: "2026-01-02" } } },
      "a customer who is to confirm": {
        given: { transactions: { status: "awaiting_verification" } },
        gives: [{ status: "verifying" }],
        does: { transactions: { status: "verifying" } },
      },
      "a payment of which the gateway gave no id": {
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
      "a payment that is due is none of these": { given: { "transactions[1]": { resolve_at: "2026-01-20" } } },
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
  "payments.apply_settled": {
    given: {
      transactions: { status: "pending", type: "sdd_sale" }, orders: { status: "PENDING" },
      with: { gatewayReference: "g", adapterUniqueId: "u", processedAt: "2026-01-30", events: EVENTS },
    },
    gives: [{ id: ID }],
    does: {
      events: added({
        id: THIRD, type: "payment_session.completed", payload: {}, created_at: "2026-02-01", session_id: ID,
        transaction_id: ID,
      }),
      messages: added({ id: "made here", kind: "x", created_at: "2026-02-01", transaction_id: ID }),
      orders: { status: "COMPLETED", updated_at: "2026-02-01" },
      subscriptions: { updated_at: "2026-02-01", total_revenue: 2, last_billing_date: "2026-02-01" },
      transactions: {
        status: "approved", updated_at: "2026-02-01", processed_at: "2026-01-30", adapter_unique_id: "u",
        gateway_reference: "g",
      },
    },
    not: {
      "another payment": { transactions: { id: OTHER } },
      "a payment that has settled": { transactions: { status: "refunded" } },
      "a payment that was declined": { transactions: { status: "declined" } },
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
      "a renewal": { given: { transactions: { type: "sdd_rebill" } }, does: { orders: [] } },
      "an order that has failed": { given: { orders: { status: "FAILED" } }, does: { orders: [] } },
      "another order": { given: { transactions: { order_id: OTHER } }, does: { orders: [] } },
      "what the gateway said before": {
        given: { with: { gatewayReference: null, processedAt: null } },
        does: { transactions: { processed_at: undefined, gateway_reference: null } },
      },
    },
  },
  "payments.apply_returned": {
    given: {
      transactions: { status: "pending", type: "sdd_sale", created_at: "2026-01-10" }, orders: { status: "PENDING" },
      subscriptions: { status: "ACTIVE", next_billing_date: "2026-02-15" }, mandates: { status: "active" },
      mandate_amendments: [],
      with: {
        code: "c", message: "m", gatewayCode: "MD06", gatewayMessage: "gm", returnAction: "r", blocksAccount: false,
        endsMandate: false, events: EVENTS,
      },
    },
    gives: [{ id: ID }],
    does: {
      events: added({
        id: THIRD, type: "payment_session.completed", payload: {}, created_at: "2026-02-01", session_id: ID,
        transaction_id: ID,
      }),
      messages: added({ id: "made here", kind: "x", created_at: "2026-02-01", transaction_id: ID }),
      orders: { status: "FAILED", updated_at: "2026-02-01" },
      subscriptions: {
        status: "CANCELLED", updated_at: "2026-02-01", cancelled_at: "2026-02-01", next_billing_date: null,
      },
      transactions: {
        status: "declined", error_code: "c", updated_at: "2026-02-01", gateway_code: "MD06", error_message: "m",
        return_action: "r", gateway_message: "gm",
      },
    },
    not: {
      "another payment": { transactions: { id: OTHER } },
      "a payment that has settled": { transactions: { status: "approved" } },
      "a payment that was declined": { transactions: { status: "declined" } },
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
      "a reason that blocks the account, of a mandate that was rejected": {
        given: { mandates: { status: "rejected" }, with: { endsMandate: true, blocksAccount: true } },
        does: { mandates: { updated_at: "2026-02-01", account_blocked_at: "2026-02-01" } },
      },
      "a renewal": { given: { transactions: { type: "sdd_rebill" } }, does: { orders: [], subscriptions: [] } },
      "an order that is completed": { given: { orders: { status: "COMPLETED" } }, does: { orders: [] } },
      "another order": { given: { transactions: { order_id: OTHER } }, does: { orders: [] } },
      "a subscription that has ended": {
        given: { subscriptions: { status: "CANCELLED", cancelled_at: "2026-01-05" } },
        does: { subscriptions: [] },
      },
      "a payment of no subscription": {
        given: { transactions: { subscription_id: null } },
        does: { subscriptions: [] },
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
      "a reason that ends the mandate, which has ended": {
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
  },
};
