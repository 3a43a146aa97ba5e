/** Statements of `src/payments`: their effect, and the rows that they must leave alone (tests/conditions.test.ts). */
import { added, type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import {
  EVENTS,
  FOURTH,
  IMPORTED,
  OF_MANDATE,
  OTHER,
  OTHER_PAYMENT,
  RECORDED,
  THIRD,
  THIRD_PAYMENT,
} from "./rows.ts";

// Each case stays on one line or a few.
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
  "payments.write_round": {
    given: { transactions: { reinstatements: 1 }, with: { round: 2 } },
    does: { transactions: { reinstatements: 2 } },
    not: { "another payment": { with: { id: OTHER } } },
  },
  "payments.close_repaying": {
    given: { sessions: { status: "PENDING", open_transaction_id: null, repays_transaction_id: ID } },
    gives: [{ id: ID }],
    does: {
      orders: { status: "FAILED", updated_at: "2026-02-01" },
      session_moves: added({ at: "2026-02-01", cause: "cancelled", to_status: "EXPIRED", session_id: ID, from_status: "PENDING" }),
      sessions: { status: "EXPIRED", closed_at: "2026-02-01" },
    },
    not: {
      "another payment": { with: { id: OTHER } },
      "a session with an open attempt": { sessions: { open_transaction_id: OTHER } },
      "a session that is completed": { sessions: { status: "COMPLETED" } },
      "a session whose customer has to confirm": { sessions: { status: "AWAITING_VERIFICATION" } },
    },
    also: {
      "beside another session that repeats it": {
        given: { "+sessions": { id: OTHER, status: "EXPIRED", closed_at: "2026-01-02", repays_transaction_id: ID, tenant_reference_id: null } },
      },
    },
    same: { "dropped returning: returning orders.*": "It is for other statements with this fragment." },
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
        events: [
          { id: THIRD, type: "payment_session.completed", payload: {}, messages: ["x", "y"] },
          { id: FOURTH, type: "transaction.created", payload: {}, messages: [] },
        ],
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
      "a payment that is pending": { transactions: { status: "pending" } },
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
      "a payment that was declined, of a cycle that waits": {
        given: {
          transactions: { status: "declined" }, chargebacks: [], billing_cycles: { status: "retry" },
          orders: { status: "FAILED" },
        },
        does: { chargebacks: [], subscriptions: { last_billing_date: "2026-02-01", failed_billing_count: 2 } },
      },
      "a payment that was declined, with a chargeback that only has its reference": {
        given: {
          transactions: { status: "declined" }, chargebacks: { transaction_id: null }, billing_cycles: { status: "retry" },
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
      "a response without a reference and a time": {
        given: { with: { gatewayReference: null, processedAt: null } },
        does: { transactions: { processed_at: undefined, gateway_reference: undefined } },
      },
      "a payment that was processed before": {
        given: { transactions: { processed_at: "2026-01-15" }, with: { processedAt: null } },
        does: { transactions: { processed_at: undefined } },
      },
      "the same reinstatement again": {
        given: { transactions: { reinstatements: 1 } },
        does: { transactions: { reinstatements: 2 } },
      },
      "a later round of the bank": {
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
      "an order with a pending first payment": {
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
      "no failed attempt to reverse": {
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
      "another renewal was declined because its gateway was not reached": {
        given: {
          "+transactions": {
            ...OTHER_PAYMENT, type: "sdd_rebill", status: "declined", cycle: 2, error_code: "gateway_unavailable",
            gateway_code: null, updated_at: "2026-01-22",
          },
        },
      },
      "another renewal was declined with a code of the gateway": {
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
      "another renewal was stopped by the merchant": {
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
      "another renewal was declined, a later one is pending": {
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
      "another payment's chargeback stands, where subscriptions stay active": {
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
      "a renewal beside one that is pending": {
        given: {
          transactions: { type: "sdd_rebill" },
          "+transactions": {
            ...OTHER_PAYMENT, type: "sdd_rebill", cycle: 2, created_at: "2026-01-04", error_code: null,
            gateway_code: "AM04", status: "pending",
          },
        },
        does: { orders: { status: "FAILED" } },
      },
      "a renewal of an order whose first payment was declined": {
        given: {
          transactions: { type: "sdd_rebill" },
          "+transactions": { ...OTHER_PAYMENT, type: "sdd_sale", status: "declined" },
        },
        does: { orders: { status: "FAILED" } },
      },
      "a payment without a recorded cycle": { given: { transactions: { cycle: null } } },
      "a renewal of a cycle that is retried with another attempt": {
        given: {
          transactions: { type: "sdd_rebill", status: "declined" }, chargebacks: [],
          billing_cycles: { transaction_id: OTHER, status: "retry" },
        },
        does: {
          billing_cycles: { transaction_id: ID }, chargebacks: [], orders: { status: "FAILED" },
          subscriptions: { last_billing_date: "2026-02-01", failed_billing_count: 2 },
        },
      },
      "a subscription that is active beside one that was declined": {
        given: {
          subscriptions: { status: "ACTIVE", past_due_since: null },
          "+transactions": {
            ...OTHER_PAYMENT, type: "sdd_rebill", cycle: 2, created_at: "2026-01-04",
            error_code: "insufficient_funds", gateway_code: "AM04", status: "declined", updated_at: "2026-01-28",
          },
        },
        does: { subscriptions: { status: undefined, past_due_since: undefined } },
      },
      "a payment without a recorded cycle, with a retry": {
        given: {
          transactions: { cycle: null, status: "declined" }, chargebacks: [],
          billing_cycles: { status: "retry", attempts: 2 },
        },
        does: { chargebacks: [], subscriptions: { last_billing_date: "2026-02-01", failed_billing_count: 2 } },
      },
      "beside a renewal of another order that was declined": {
        given: {
          "+transactions": {
            ...OTHER_PAYMENT, type: "sdd_rebill", cycle: 2, created_at: "2026-01-04",
            error_code: "insufficient_funds", gateway_code: "AM04", status: "declined", updated_at: "2026-01-28",
            order_id: OTHER,
          },
        },
      },
      "beside a renewal that was declined": {
        given: {
          "+transactions": {
            ...OTHER_PAYMENT, type: "sdd_rebill", cycle: 2, created_at: "2026-01-04",
            error_code: "insufficient_funds", gateway_code: "AM04", status: "declined", updated_at: "2026-01-28",
          },
        },
        does: { subscriptions: { status: undefined, past_due_since: "2026-01-28" } },
      },
      "beside a renewal that was declined, before a first payment": {
        given: {
          "+transactions": {
            ...OTHER_PAYMENT, type: "sdd_rebill", cycle: 2, created_at: "2026-01-04",
            error_code: "insufficient_funds", gateway_code: "AM04", status: "declined", updated_at: "2026-01-05",
          },
        },
        does: { subscriptions: { status: undefined, past_due_since: "2026-01-05" } },
      },
      "a renewal without a recorded cycle, which was declined itself": {
        given: {
          transactions: {
            type: "sdd_rebill", cycle: null, status: "declined", error_code: "insufficient_funds",
            gateway_code: "AM04", updated_at: "2026-01-28",
          },
          chargebacks: [], billing_cycles: [],
        },
        does: {
          billing_cycles: [], chargebacks: [], orders: { status: "FAILED" },
          subscriptions: { last_billing_date: "2026-02-01", failed_billing_count: 2 },
        },
      },
      "a renewal without a recorded cycle, beside another that was declined": {
        given: {
          transactions: { type: "sdd_rebill", cycle: null }, billing_cycles: [],
          "+transactions": {
            ...OTHER_PAYMENT, type: "sdd_rebill", cycle: null, created_at: "2026-01-04",
            error_code: "insufficient_funds", gateway_code: "AM04", status: "declined", updated_at: "2026-01-28",
          },
        },
        does: {
          billing_cycles: [], orders: { status: "FAILED" },
          subscriptions: { status: undefined, past_due_since: "2026-01-28" },
        },
      },
      "beside a renewal that is pending": {
        given: {
          "+transactions": {
            ...OTHER_PAYMENT, type: "sdd_rebill", cycle: 2, created_at: "2026-01-04",
            error_code: "insufficient_funds", gateway_code: "AM04", status: "pending", updated_at: "2026-01-28",
          },
        },
      },
      "a renewal after another was returned": {
        given: {
          transactions: { type: "sdd_rebill" },
          "+transactions": {
            ...OTHER_PAYMENT, type: "sdd_rebill", cycle: 2, created_at: "2026-01-04",
            error_code: "insufficient_funds", gateway_code: "AM04", status: "charged_back",
          },
          "+chargebacks": { id: OTHER, merchant_transaction_id: "y", created_at: "2026-01-05" },
        },
        does: { orders: { status: undefined } },
      },
      "beside a renewal of another order that was returned": {
        given: {
          "+transactions": {
            ...OTHER_PAYMENT, type: "sdd_rebill", cycle: 2, created_at: "2026-01-04",
            error_code: "insufficient_funds", gateway_code: "AM04", status: "charged_back", order_id: OTHER,
          },
          "+chargebacks": { id: OTHER, merchant_transaction_id: "y", created_at: "2026-01-28" },
        },
      },
      "beside a renewal that has settled again": {
        given: {
          "+transactions": {
            ...OTHER_PAYMENT, type: "sdd_rebill", cycle: 2, created_at: "2026-01-04",
            error_code: "insufficient_funds", gateway_code: "AM04", status: "approved",
          },
          "+chargebacks": { id: OTHER, merchant_transaction_id: "y", created_at: "2026-01-28" },
        },
      },
      "a first payment, which has no cycle": {
        given: { billing_cycles: [] },
        does: { billing_cycles: [], subscriptions: { successful_billing_count: undefined } },
      },
    },
    same: {
      "removed default: coalesce(least((select amount from c)": "The least of nothing and a number is the number.",
      "arithmetic: - t.refunded), last_billing_date": "The least of nothing and a number is the number.",
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
      "news that is due now": { given: { gateway_news_set_aside: { due_at: "2026-02-01" } } },
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
      "a renewal": { given: { transactions: { type: "sdd_rebill" } }, does: { orders: [] } },
      "an order that has failed": { given: { orders: { status: "FAILED" } }, does: { orders: [] } },
      "another order": { given: { transactions: { order_id: OTHER } }, does: { orders: [] } },
      "a response without a reference and a time": {
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
      "a subscription that is to end with its period": {
        given: { subscriptions: { cancel_at_period_end: true } },
        does: {
          subscriptions: {
            status: "CANCELLED", updated_at: "2026-02-01", cancelled_at: "2026-02-01", next_billing_date: null,
            cancel_at_period_end: false,
          },
        },
      },
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
  },
  "payment_notes.lock_payment": {
    gives: [{ id: ID }],
    not: {
      "another payment": { transactions: { id: OTHER } },
    },
  },
  "payment_notes.is_customer_erased": {
    given: { leads: { erased_at: "2026-01-01" } },
    gives: [{ id: ID }],
    not: {
      "another payment": { transactions: { id: OTHER } },
      "a customer who was not erased": { leads: { erased_at: null } },
      "an imported payment of a customer who was not erased": { leads: [] },
      "an imported refund of one": { leads: [], transactions: { original_id: OTHER, customer_email_csv: null }, "+transactions": OTHER_PAYMENT },
    },
    also: {
      "an imported payment whose customer was erased": {
        given: { leads: [], transactions: { customer_email_csv: "erased" } },
      },
      "an imported payment that is not a refund": {
        given: { leads: [], transactions: { customer_email_csv: "erased", original_id: null } },
      },
      "a refund of an imported payment whose customer was erased": {
        given: {
          leads: [], transactions: { original_id: OTHER, customer_email_csv: null },
          "+transactions": { ...OTHER_PAYMENT, customer_email_csv: "erased" },
        },
      },
    },
  },
  "payment_notes.insert": {
    given: { payment_notes: [], with: { id: THIRD, text: "called", actor: "console:1", actor_name: "Ann" } },
    gives: [{ text: "called" }],
    does: {
      payment_notes: added({
        id: THIRD, text: "called", actor: "console:1", actor_name: "Ann", created_at: "2026-02-01",
        transaction_id: ID,
      }),
    },
    also: {
      "an existing note": {
        given: { payment_notes: { id: THIRD, text: "earlier" } },
        gives: [{ text: "earlier" }],
        does: { payment_notes: [] },
      },
    },
    same: {
      "dropped assignment: payment_notes.text": "It sets the present value, only to return the row.",
    },
  },
  "set_aside.list": {
    given: {
      gateway_news_set_aside: [
        { reference: "b", since: "2026-01-02" }, { reference: "a", since: "2026-01-02" },
        { reference: "c", since: "2026-01-01" },
      ],
      with: { limit: 9 },
    },
    gives: [{ reference: "c" }, { reference: "a" }, { reference: "b" }],
    also: {
      "the first of them": { given: { with: { limit: 1 } }, gives: [{ reference: "c" }] },
    },
  },
  "set_aside.of_gateway": {
    gives: [{ tries: 1, due_at: "2026-01-01", reference: "x" }],
    not: {
      "another gateway": { gateway_news_set_aside: { gateway_id: OTHER } },
    },
  },
  "attempts.figures": {
    given: { transactions: { status: "submitted", created_at: "now", resolve_at: "2026-01-01" } },
    gives: [{ held: 0, under_way: 1, unresolved: 0, oldest_seconds: 0, awaiting_verification: 0 }],
    also: {
      "an attempt with an unknown outcome": {
        given: { transactions: { status: "unresolved" } },
        gives: [{ under_way: 0, unresolved: 1 }],
      },
      "an attempt whose confirmation is being fetched": { given: { transactions: { status: "verifying" } } },
      "an attempt whose customer is at the bank": {
        given: { transactions: { status: "awaiting_verification", created_at: "1900-01-01" } },
        gives: [{ under_way: 0, awaiting_verification: 1 }],
      },
      "a refund that is held": {
        given: { transactions: { held_until: "2026-01-02", created_at: "1900-01-01" } },
        gives: [{ held: 1, under_way: 0 }],
      },
      "a refund that was held": { given: { transactions: { held_until: "2026-01-02", released_at: "2026-01-02" } } },
      "a refund that was held, with an unknown outcome": {
        given: { transactions: { status: "unresolved", held_until: "2026-01-02" } },
        gives: [{ under_way: 0, unresolved: 1 }],
      },
      "an attempt that has ended": {
        given: { transactions: { status: "approved", resolve_at: null, created_at: "1900-01-01" } },
        gives: [{ under_way: 0 }],
      },
      "a payment that is pending": {
        given: { transactions: { status: "pending", resolve_at: null, created_at: "1900-01-01" } },
        gives: [{ under_way: 0 }],
      },
      "the age of the oldest, submitted (since 1900: its seconds do not fit)": {
        given: {
          "+transactions": {
            ...OTHER_PAYMENT, status: "submitted", created_at: "1900-01-01", resolve_at: "2026-01-01",
          },
        },
        fails: "22003",
      },
      "the age of the oldest, unresolved (since 1900: its seconds do not fit)": {
        given: {
          "+transactions": {
            ...OTHER_PAYMENT, status: "unresolved", created_at: "1900-01-01", resolve_at: "2026-01-01",
          },
        },
        fails: "22003",
      },
      "the age of the oldest, verifying (since 1900: its seconds do not fit)": {
        given: {
          "+transactions": {
            ...OTHER_PAYMENT, status: "verifying", created_at: "1900-01-01", resolve_at: "2026-01-01",
          },
        },
        fails: "22003",
      },
      "nothing that is open": { given: { transactions: [] }, gives: [{ under_way: 0 }] },
    },
    same: {
      "dropped condition: t.resolve_at is not null": "It is for the index: only open ones have a time of recovery.",
    },
  },
  "attempts.lock": {
    gives: [{}],
    not: {
      "another payment": { transactions: { id: OTHER } },
    },
  },
  "attempts.tenants_with_due": {
    given: { transactions: { resolve_at: "2026-02-01", locked_until: null } },
    gives: [{ tenant: 1 }],
    not: {
      "an attempt that has ended": { transactions: { resolve_at: null } },
      "an attempt with a later recovery": { transactions: { resolve_at: "2026-02-02" } },
      "an attempt that another worker has": { transactions: { locked_until: "2100-01-01" } },
    },
    also: {
      "an attempt whose worker has died": { given: { transactions: { locked_until: "2026-01-31" } } },
      "two attempts of a tenant": {
        given: { "+transactions": { ...OTHER_PAYMENT, resolve_at: "2026-02-01" }, with: { limit: 9 } },
      },
    },
  },
  "payments.gateways_with_news": {
    given: { gateways: { adapter: "sandbox" }, with: { adapters: ["sandbox"] } },
    gives: [{ id: ID, tenant: 1, adapter: "sandbox" }],
    not: {
      "an adapter without news": { gateways: { adapter: "other" } },
      "another tenant": { with: { tenant: 2 } },
    },
    also: {
      "the accounts of every tenant": { given: { with: { tenant: null } } },
      "two accounts": {
        given: { gateways: [{ id: OTHER, adapter: "sandbox" }, { id: ID, adapter: "sandbox" }] },
        gives: [{ id: ID, tenant: 1, adapter: "sandbox" }, { id: OTHER, tenant: 1, adapter: "sandbox" }],
      },
      "accounts of two tenants": {
        given: {
          gateways: [{ tenant: 2, id: ID, adapter: "sandbox" }, { tenant: 1, id: OTHER, adapter: "sandbox" }],
          with: { tenant: null },
        },
        gives: [{ id: OTHER, tenant: 1, adapter: "sandbox" }, { id: ID, tenant: 2, adapter: "sandbox" }],
      },
    },
  },
  "payments.lock_order": {
    given: { orders: { status: "COMPLETED" } },
    gives: [{ status: "COMPLETED" }],
    not: {
      "another order": { orders: { id: OTHER } },
    },
  },
  "payments.lock_subscription": {
    gives: [{}],
    not: {
      "another subscription": { subscriptions: { id: OTHER } },
    },
  },
  "payments.lock_transaction": {
    given: { transactions: { ...RECORDED, status: "approved" }, mandates: OF_MANDATE },
    gives: [
      {
        id: ID, email: "x", status: "approved", record_bic: "MBIC", record_iban: "******************3000",
        order_number: "x", record_mandate_date: "2026-01-05", record_mandate_reference_id: "MREF",
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
            email: null, record_bic: "TBIC", record_iban: "****************9999", order_number: null,
            record_mandate_date: "2026-01-06", record_mandate_reference_id: "TREF",
          },
        ],
      },
    },
  },
  "payments.lock_for_news": {
    given: {
      transactions: { ...RECORDED, status: "approved", completed_event_at: "settlement" }, mandates: OF_MANDATE,
      gateways: { completed_event_at: "acceptance" }, events: { type: "payment_session.completed" },
      chargebacks: { source: "webhook" },
    },
    gives: [
      {
        id: ID, email: "x", status: "approved", record_bic: "MBIC", record_iban: "******************3000",
        order_number: "x", chargeback_source: "webhook", completed_event_at: "settlement",
        record_mandate_date: "2026-01-05", is_completed_emitted: true, record_mandate_reference_id: "MREF",
      },
    ],
    not: {
      "a payment at another account": { transactions: { gateway_id: OTHER }, "+gateways": { id: OTHER } },
      "another payment": { transactions: { merchant_transaction_id: "y" } },
    },
    also: {
      "an imported payment": {
        given: { transactions: { ...IMPORTED, completed_event_at: null } },
        gives: [
          {
            email: null, record_bic: "TBIC", record_iban: "****************9999", order_number: null,
            completed_event_at: "acceptance", record_mandate_date: "2026-01-06", is_completed_emitted: false,
            record_mandate_reference_id: "TREF",
          },
        ],
      },
      "a payment without the setting of its event": {
        given: { transactions: { completed_event_at: null } },
        gives: [{ completed_event_at: "acceptance" }],
      },
      "an event of another session": {
        given: { events: { session_id: OTHER } },
        gives: [{ is_completed_emitted: false }],
      },
      "another event of the session": {
        given: { events: { type: "payment_session.expired" } },
        gives: [{ is_completed_emitted: false }],
      },
      "a chargeback of another payment": {
        given: { chargebacks: { merchant_transaction_id: "y" } },
        gives: [{ chargeback_source: null }],
      },
      "a chargeback that was withdrawn": {
        given: { chargebacks: { withdrawn_on: "2026-01-01" } },
        gives: [{ chargeback_source: null }],
      },
    },
  },
  "payments.reference_taken": {
    given: {
      transactions: { tenant_reference_id: "ref", session_id: OTHER }, sessions: { tenant_reference_id: "other" },
      with: { reference: ["ref"] },
    },
    gives: [{ n: 1, taken: true }],
    also: {
      "a payment of the same session": { given: { transactions: { session_id: ID } }, gives: [{ taken: false }] },
      "a payment without a session": { given: { transactions: { session_id: null } } },
      "a payment with another reference": {
        given: { transactions: { tenant_reference_id: "other" } },
        gives: [{ taken: false }],
      },
      "another session that has reserved it": {
        given: { transactions: [], sessions: { id: OTHER, tenant_reference_id: "ref" } },
      },
      "the session that has reserved it": {
        given: { transactions: [], sessions: { tenant_reference_id: "ref" } },
        gives: [{ taken: false }],
      },
      "two questions at once": {
        given: { with: { sessionId: [ID, ID], reference: ["ref", "free"] } },
        gives: [{ n: 1, taken: true }, { n: 2, taken: false }],
      },
    },
  },
};
