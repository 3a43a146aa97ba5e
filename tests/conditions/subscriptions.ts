/**
 * Statements of `src/subscriptions`: their effect, and the rows that they must leave alone
 * (tests/conditions.test.ts).
 */
import { type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { each, NOTIFIED, NOTIFIED_BY_EVENT, NOT_NOTIFIED } from "./notices.ts";
import { OTHER, OTHER_PAYMENT, THIRD, THIRD_PAYMENT } from "./rows.ts";

// Each case stays on one line or a few.
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
      "more cycles than are shown": {
        given: {
          transactions: [],
          billing_cycles: Array.from({ length: 101 }, (_, n) => ({ cycle: n + 1, transaction_id: null })),
        },
        gives: [
          {
            cycles: Array.from({ length: 100 }, (_, n) => ({
              cycle: 101 - n, status: "x", attempts: 1, due_date: "2026-01-01", error_code: "x", collected_by: [],
              gateway_code: null, transaction_id: null, next_attempt_at: null,
            })),
          },
        ],
      },
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
  },
  "failed_payments.find": {
    given: {
      ...NOTIFIED,
      subscriptions: {
        status: "ACTIVE", next_billing_date: "2026-03-01", billing_anchor_date: null, trial_end_date: null,
        cancel_at_period_end: false,
      },
      mandates: { status: "active", last_used_at: "2026-01-05" },
      billing_cycles: { cycle: 3, due_date: "2026-02-01", status: "retry" },
      transactions: {
        type: "sdd_rebill", status: "declined", cycle: 3, updated_at: "2026-01-31", error_code: "insufficient_funds",
      },
      with: { today: "2026-02-01" },
    },
    gives: [
      {
        cycle: 3, due_date: "2026-02-01", cycle_status: "retry", newest_status: "declined", subscription_id: ID,
        may_be_put_right: true, newest_reference: "x", newest_error_code: "insufficient_funds",
      },
    ],
    not: {
      "another payment": { transactions: { id: OTHER } },
      "a payment that is not a renewal": { transactions: { type: "sdd_sale" } },
      "a renewal without a cycle": { transactions: { cycle: null } },
      "a cycle of another subscription": { billing_cycles: { subscription_id: OTHER } },
    },
    also: {
      ...each(NOT_NOTIFIED, { gives: [{ may_be_put_right: false }] }),
      "a payment that is not declined": {
        given: { transactions: { status: "unresolved" } },
        gives: [{ newest_status: "unresolved", may_be_put_right: false }],
      },
      "a cycle that was tried again since": {
        given: {
          billing_cycles: { transaction_id: OTHER },
          "+transactions": { ...OTHER_PAYMENT, type: "sdd_rebill", cycle: 3, status: "declined" },
        },
        gives: [{ may_be_put_right: false, newest_reference: "y", newest_error_code: "x" }],
      },
      "a subscription that has ended": {
        given: { subscriptions: { status: "CANCELLED" } },
        gives: [{ may_be_put_right: false }],
      },
      "a mandate that was cancelled": {
        given: { mandates: { status: "cancelled" } },
        gives: [{ may_be_put_right: false }],
      },
      "an account that is blocked": {
        given: { mandates: { account_blocked_at: "2026-01-01" } },
        gives: [{ may_be_put_right: false }],
      },
      "an account that is blocked with another mandate": {
        given: { "+mandates": { id: OTHER, reference: "y", account_blocked_at: "2026-01-01" } },
        gives: [{ may_be_put_right: false }],
      },
      "another account that is blocked": {
        given: {
          "+mandates": { id: OTHER, reference: "y", iban_fingerprint: "\\x79", account_blocked_at: "2026-01-01" },
        },
      },
      "a mandate that was last used 36 months ago": { given: { mandates: { last_used_at: "2023-02-01" } } },
      "a mandate that was last used before that": {
        given: { mandates: { last_used_at: "2023-01-31" } },
        gives: [{ may_be_put_right: false }],
      },
      "a mandate that was not used": { given: { mandates: { last_used_at: null } } },
      "a mandate that was signed before that and not used": {
        given: { mandates: { last_used_at: null, accepted_at: "2023-01-31" } },
        gives: [{ may_be_put_right: false }],
      },
      "a failure of sixty days ago": { given: { transactions: { updated_at: "2025-12-03" } } },
      "an earlier failure": {
        given: { transactions: { updated_at: "2025-12-02T23:59:59Z" } },
        gives: [{ may_be_put_right: false }],
      },
      "a cycle that is paid": {
        given: { billing_cycles: { status: "paid" } },
        gives: [{ cycle_status: "paid", may_be_put_right: false }],
      },
      "a cycle that has failed for good": {
        given: { billing_cycles: { status: "failed" } },
        gives: [{ cycle_status: "failed" }],
      },
      "a cycle that has failed for good, beside one of another subscription": {
        given: { billing_cycles: { status: "failed" }, "+billing_cycles": { subscription_id: OTHER, cycle: 4 } },
        gives: [{ cycle_status: "failed" }],
      },
      "a cycle that has failed for good, and a later one": {
        given: {
          billing_cycles: { status: "failed" },
          "+billing_cycles": { cycle: 4, due_date: "2026-03-01", status: "pending" },
        },
        gives: [{ cycle_status: "failed", may_be_put_right: false }],
      },
      "a cycle that has failed for good, and an earlier one": {
        given: {
          billing_cycles: { status: "failed" },
          "+billing_cycles": { cycle: 2, due_date: "2026-01-01", status: "paid" },
        },
        gives: [{ cycle_status: "failed" }],
      },
      "a cycle that has failed for good, on the day of the next": {
        given: { billing_cycles: { status: "failed" }, subscriptions: { next_billing_date: "2026-02-01" } },
        gives: [{ cycle_status: "failed", may_be_put_right: false }],
      },
      "a cycle that has failed for good, without a next one": {
        given: { billing_cycles: { status: "failed" }, subscriptions: { next_billing_date: null } },
        gives: [{ cycle_status: "failed", may_be_put_right: false }],
      },
      "a cycle with a retry, and a later one": {
        given: { "+billing_cycles": { cycle: 4, due_date: "2026-03-01", status: "pending" } },
      },
      "a campaign that is stopped": {
        given: { campaigns: { stopped_at: "2026-01-01" } },
        gives: [{ may_be_put_right: false }],
      },
      "another campaign that is stopped": { given: { "+campaigns": { id: OTHER, stopped_at: "2026-01-01" } } },
      "a tenant without the notice check": { given: { tenants: { notice_check: "off" }, notices: [] } },
      "a debit without a schedule": { given: { subscriptions: { billing_frequency: null }, notices: [] } },
      "the end of a trial": {
        given: { subscriptions: { billing_frequency: null, trial_end_date: "2026-02-01" }, notices: [] },
        gives: [{ may_be_put_right: false }],
      },
      "no notice": { given: { notices: [] }, gives: [{ may_be_put_right: false }] },
      "a notice of another subscription": {
        given: { notices: { subscription_id: OTHER } },
        gives: [{ may_be_put_right: false }],
      },
      "a notice of another mandate": {
        given: { notices: { mandate_id: OTHER } },
        gives: [{ may_be_put_right: false }],
      },
      "a notice of another amount": { given: { notices: { amount: 2 } }, gives: [{ may_be_put_right: false }] },
      "a notice of a later debit": {
        given: { notices: { due_date: "2026-02-02" } },
        gives: [{ may_be_put_right: false }],
      },
      "a notice of an earlier debit": { given: { notices: { due_date: "2026-01-20" } } },
      "a notice under the former reference": { given: { notices: { mandate_reference: "y" } } },
      "another amount since": { given: { subscriptions: { billing_amount: 2 } } },
      "a debit of another amount": { given: { transactions: { amount: 2 } }, gives: [{ may_be_put_right: false }] },
      "a day with a second cycle, of another amount": {
        given: {
          "+billing_cycles": { cycle: 4, due_date: "2026-02-01", status: "paid", transaction_id: OTHER },
          "+transactions": { ...OTHER_PAYMENT, amount: 2 },
        },
      },
      "another day with another amount": {
        given: {
          "+billing_cycles": { cycle: 2, due_date: "2026-01-01", status: "paid", transaction_id: OTHER },
          "+transactions": { ...OTHER_PAYMENT, amount: 2 },
        },
      },
      "another subscription with another amount": {
        given: {
          "+billing_cycles": {
            subscription_id: OTHER, cycle: 2, due_date: "2026-02-01", status: "paid", transaction_id: OTHER,
          },
          "+transactions": { ...OTHER_PAYMENT, amount: 2 },
        },
      },
      "a message that is to be sent": {
        given: { messages: { state: "waiting" } },
        gives: [{ may_be_put_right: false }],
      },
      "a message although a receiver was to notify": {
        given: { notices: { told_by: "event" } },
        gives: [{ may_be_put_right: false }],
      },
      "a customer who was notified a day too late": {
        given: { notices: { notice_days: 23 } },
        gives: [{ may_be_put_right: false }],
      },
      "a customer who was notified just in time": { given: { notices: { notice_days: 22 } } },
      "a customer who was notified just in time, a day later": {
        given: { notices: { notice_days: 23 }, with: { today: "2026-02-02" } },
      },
      "a customer who was notified of a later day": {
        given: { notices: { collection_date: "2026-02-04" } },
        gives: [{ may_be_put_right: false }],
      },
      "a customer who was notified of a day that the bank still accepts": {
        given: { notices: { collection_date: "2026-02-03" } },
      },
      "a receiver that was notified": { given: NOTIFIED_BY_EVENT },
      "a receiver that was notified twice": {
        given: { ...NOTIFIED_BY_EVENT, "+webhook_attempts": { number: 2, error: null, at: "2026-01-30" } },
      },
      "an event that came before its notice was made": {
        given: { ...NOTIFIED_BY_EVENT, notices: { told_by: "event", created_at: "2026-01-19" } },
        gives: [{ may_be_put_right: false }],
      },
    },
    same: {
      "removed default: coalesce((select tried.amount": "A failed one was tried with an amount.",
      "dropped condition: x.collection_date <= greatest(x.collection_date": "No value is greater than the greater one of itself and another.",
      "dropped alternative: u.trial_end_date is null": "A cycle has a date, which differs from null.",
    },
  },
};
