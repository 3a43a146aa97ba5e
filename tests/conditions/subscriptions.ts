/** Statements of `src/subscriptions`: the rows that each is for, and those that it leaves alone (tests/conditions.test.ts). */
import { type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { OTHER, OTHER_PAYMENT, THIRD, THIRD_PAYMENT } from "./rows.ts";

// A case is a line, or a few.
// prettier-ignore
export const SUBSCRIPTIONS: Entries = {
  "billing.cancel": {
    given: {
      subscriptions: { status: "ACTIVE", next_billing_date: "2026-02-15", cancel_reason: "earlier" },
      billing_cycles: { status: "retry", next_attempt_at: "2026-01-20" }, mandates: { status: "active" },
      with: { atPeriodEnd: false, reason: "now", mandate: null },
    },
    gives: [{ status: "CANCELLED" }],
    does: {
      billing_cycles: { status: "failed", updated_at: "2026-02-01", next_attempt_at: null },
      subscriptions: {
        status: "CANCELLED", updated_at: "2026-02-01", cancelled_at: "2026-02-01", cancel_reason: "now",
        next_billing_date: null,
      },
    },
    not: {
      "another subscription": { subscriptions: { id: OTHER } },
      "a subscription that has ended": { subscriptions: { status: "CANCELLED" } },
    },
    also: {
      "at the end of the period": {
        given: { with: { atPeriodEnd: true } },
        gives: [{ status: "ACTIVE" }],
        does: {
          billing_cycles: [],
          subscriptions: {
            status: undefined, cancelled_at: undefined, next_billing_date: undefined, cancel_at_period_end: true,
          },
        },
      },
      "at the end of a period, where none comes": {
        given: { with: { atPeriodEnd: true }, subscriptions: { next_billing_date: null, cancelled_at: null } },
        does: { subscriptions: { next_billing_date: undefined, cancel_at_period_end: true } },
      },
      "a subscription that was to end with the period": {
        given: { subscriptions: { cancel_at_period_end: true } },
        does: { subscriptions: { cancel_reason: undefined, cancel_at_period_end: false } },
      },
      "with its mandate": {
        given: { with: { mandate: "cancelled" } },
        does: { mandates: { status: "cancelled", updated_at: "2026-02-01", status_reason: "now" } },
      },
      "a cycle that is paid": { given: { billing_cycles: { status: "paid" } }, does: { billing_cycles: [] } },
    },
  },
  "billing.change": {
    given: {
      with: { amount: 0, anchorCycle: 0, billingDay: "y", gatewayId: OTHER },
      subscriptions: { announced_date: "2025-12-01" },
    },
    does: {
      subscriptions: {
        gateway_id: OTHER, updated_at: "2026-02-01", billing_day: "y", announced_date: null, billing_amount: 0,
        next_billing_date: "2026-02-01", billing_anchor_date: "2026-02-01", billing_anchor_cycle: 0,
      },
    },
    not: {
      "another subscription": { subscriptions: { id: OTHER } },
    },
  },
  "billing.collected": {
    given: {
      subscriptions: { currency: "EUR" }, mandates: { scheme: "B2B", creditor_identifier: "DE98ZZZ09999999999" },
    },
    gives: [{ currency: "EUR", gateway_id: ID, mandate_scheme: "B2B", creditor_identifier: "DE98ZZZ09999999999" }],
    not: {
      "another subscription": { subscriptions: { id: OTHER } },
    },
  },
  "billing.detail": {
    given: {
      subscriptions: { status: "ACTIVE", billing_amount: 30 },
      transactions: [
        { cycle: 3, status: "approved", gateway_code: "G" },
        { ...OTHER_PAYMENT, cycle: 3, status: "pending", created_at: "2025-12-31" },
        { ...THIRD_PAYMENT, cycle: 2, status: "approved" },
      ],
      billing_cycles: [
        {
          cycle: 2, due_date: "2025-12-01", status: "failed", attempts: 3, transaction_id: null,
          error_code: "account_closed",
        },
        { cycle: 3, due_date: "2026-01-01", status: "paid", next_attempt_at: "2026-02-02" },
      ],
    },
    gives: [
      {
        id: ID,
        cycles: [
          {
            cycle: 3, status: "paid", attempts: 1, due_date: "2026-01-01", error_code: "x", collected_by: [OTHER, ID],
            gateway_code: "G", transaction_id: ID, next_attempt_at: "2026-02-02",
          },
          {
            cycle: 2, status: "failed", attempts: 3, due_date: "2025-12-01", error_code: "account_closed",
            collected_by: [THIRD], gateway_code: null, transaction_id: null, next_attempt_at: null,
          },
        ],
        status: "ACTIVE", billing_amount: 30,
      },
    ],
    not: {
      "another subscription": { subscriptions: { id: OTHER } },
    },
    also: {
      "no cycle": { given: { billing_cycles: [] }, gives: [{ cycles: [] }] },
      "cycles of another subscription": {
        given: { billing_cycles: [{ subscription_id: OTHER, cycle: 3 }] },
        gives: [{ cycles: [] }],
      },
      "an attempt that was declined": {
        given: { transactions: [{ cycle: 3, status: "declined" }] },
        gives: [
          {
            cycles: [
              {
                cycle: 3, status: "paid", attempts: 1, due_date: "2026-01-01", error_code: "x", collected_by: [],
                gateway_code: "x", transaction_id: ID, next_attempt_at: "2026-02-02",
              },
              {
                cycle: 2, status: "failed", attempts: 3, due_date: "2025-12-01", error_code: "account_closed",
                collected_by: [], gateway_code: null, transaction_id: null, next_attempt_at: null,
              },
            ],
          },
        ],
      },
      "an attempt of another subscription": {
        given: { transactions: [{ cycle: 3, status: "approved", subscription_id: OTHER }] },
        gives: [
          {
            cycles: [
              {
                cycle: 3, status: "paid", attempts: 1, due_date: "2026-01-01", error_code: "x", collected_by: [],
                gateway_code: "x", transaction_id: ID, next_attempt_at: "2026-02-02",
              },
              {
                cycle: 2, status: "failed", attempts: 3, due_date: "2025-12-01", error_code: "account_closed",
                collected_by: [], gateway_code: null, transaction_id: null, next_attempt_at: null,
              },
            ],
          },
        ],
      },
    },
    open: ["order: desc limit 100"],
  },
};
