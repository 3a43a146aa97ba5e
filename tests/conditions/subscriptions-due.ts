/**
 * Statements of `src/subscriptions`: their effect, and the rows that they must leave alone
 * (tests/conditions.test.ts).
 */
import { added, type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { AS_GOOD, each, EARLIER, NOTIFIED, NOTIFIED_BY_EVENT, NOT_NOTIFIED, VOID } from "./notices.ts";
import { FOURTH, OTHER, OTHER_PAYMENT, THIRD, THIRD_PAYMENT } from "./rows.ts";

// Each case stays on one line or a few.
// prettier-ignore
export const SUBSCRIPTIONS_DUE: Entries = {
  "billing.claim_cycle": {
    given: {
      transactions: {
        id: OTHER, status: "approved", session_id: OTHER, source: "hosted_page", merchant_transaction_id: "first",
        adapter_unique_id: "first", tenant_reference_id: null,
      },
      subscriptions: { billing_amount: 30, next_billing_date: "2026-01-15" },
      with: { skipped: [{ cycle: 3, dueDate: "2026-01-20" }], cycle: 4, isNew: true },
    },
    gives: [{ cycle: 4 }],
    does: {
      billing_cycles: [
        added({
          cycle: 3, status: "skipped", due_date: "2026-01-20", created_at: "2026-02-01", updated_at: "2026-02-01",
          subscription_id: ID,
        }),
        added({
          cycle: 4, status: "collecting", attempts: 1, due_date: "2026-02-01", created_at: "2026-02-01",
          updated_at: "2026-02-01", transaction_id: ID, subscription_id: ID,
        }),
      ],
      subscriptions: { updated_at: "2026-02-01", next_billing_date: "2026-02-01" },
      transactions: added({
        id: ID, type: "sdd_rebill", cycle: 4, amount: 30, source: "hosted_page", status: "submitted", lead_id: ID,
        currency: "x", lease_no: 1, order_id: ID, created_at: "2026-02-01", gateway_id: ID, mandate_id: ID,
        resolve_at: "2026-02-01", updated_at: "2026-02-01", traceparent: "x", locked_until: "in 0 minutes",
        sequence_type: "RCUR", subscription_id: ID, merchant_transaction_id: "x",
      }),
    },
    not: {
      "another subscription": { subscriptions: { id: OTHER }, with: { skipped: [] } },
    },
    also: {
      "a subscription without a first payment of ours": {
        given: { transactions: [] },
        does: { transactions: { source: "api_submission" } },
      },
      "a first payment of no session": {
        given: { transactions: { session_id: null } },
        does: { transactions: { source: "api_submission" } },
      },
      "the source of the newest payment": {
        given: {
          transactions: [
            { ...OTHER_PAYMENT, source: "old" }, { ...THIRD_PAYMENT, source: "new", created_at: "2026-01-02" },
          ],
        },
        does: { transactions: { source: "new" } },
      },
      "a further attempt at a cycle: its amount stays": {
        given: {
          billing_cycles: {
            cycle: 4, status: "retry", transaction_id: OTHER, next_attempt_at: "2026-01-20", attempts: 1,
          },
          transactions: { amount: 12 }, with: { isNew: false, skipped: [] },
        },
        does: {
          billing_cycles: [
            {
              cycle: 4, status: "collecting", attempts: 2, updated_at: "2026-02-01", transaction_id: ID,
              next_attempt_at: null,
            },
          ],
          subscriptions: { next_billing_date: undefined }, transactions: { amount: 12 },
        },
      },
      "a further attempt at a cycle that had failed": {
        given: {
          billing_cycles: { cycle: 4, status: "failed", transaction_id: OTHER, attempts: 2 },
          with: { isNew: false, skipped: [] },
        },
        does: {
          billing_cycles: [
            { cycle: 4, status: "collecting", attempts: 3, updated_at: "2026-02-01", transaction_id: ID },
          ],
          subscriptions: { next_billing_date: undefined }, transactions: { amount: 1 },
        },
      },
      "a cycle that is paid is left": {
        given: {
          billing_cycles: { cycle: 4, status: "paid", transaction_id: OTHER }, with: { isNew: false, skipped: [] },
        },
        gives: [],
        does: { billing_cycles: [], subscriptions: { next_billing_date: undefined }, transactions: { amount: 1 } },
      },
      "a cycle that is being collected is left": {
        given: {
          billing_cycles: { cycle: 4, status: "collecting", transaction_id: OTHER },
          with: { isNew: false, skipped: [] },
        },
        gives: [],
        does: { billing_cycles: [], subscriptions: { next_billing_date: undefined }, transactions: { amount: 1 } },
      },
      "a cycle that was charged back is left": {
        given: {
          billing_cycles: { cycle: 4, status: "charged_back", transaction_id: OTHER },
          with: { isNew: false, skipped: [] },
        },
        gives: [],
        does: { billing_cycles: [], subscriptions: { next_billing_date: undefined }, transactions: { amount: 1 } },
      },
      "the amount of another cycle": {
        given: { billing_cycles: { cycle: 2, transaction_id: OTHER }, transactions: { amount: 12 } },
      },
    },
  },
  "billing.end_retry": {
    given: { billing_cycles: { status: "retry", next_attempt_at: "2025-12-01" }, subscriptions: { status: "ACTIVE" } },
    gives: [],
    does: {
      billing_cycles: { status: "failed", updated_at: "2026-02-01", next_attempt_at: null },
      subscriptions: { status: "PAST_DUE", updated_at: "2026-02-01", past_due_since: "2026-02-01" },
    },
    not: {
      "a cycle of another subscription": { billing_cycles: { subscription_id: OTHER } },
      "another cycle": { billing_cycles: { cycle: 0 } },
      "a cycle that is collecting": { billing_cycles: { status: "collecting" } },
    },
    also: {
      "a subscription that is past due": {
        given: { subscriptions: { status: "PAST_DUE" } },
        does: { subscriptions: [] },
      },
    },
  },
  "billing.claim_due": {
    given: {
      transactions: { status: "submitted", type: "sdd_rebill", resolve_at: "2026-01-15", bic: "B" },
      with: { resolveAt: "2026-02-02", limit: 5 },
    },
    gives: [{ type: "sdd_rebill", status: "submitted", lease_no: 2, updated_at: "2026-02-01", resolve_count: 2 }],
    does: {
      transactions: {
        lease_no: 2, resolve_at: "2026-02-02", updated_at: "2026-02-01", locked_until: "in 0 minutes",
        resolve_count: 2,
      },
    },
    not: {
      "before it is due": { transactions: { resolve_at: "2026-03-01" } },
      "a payment of a session": { transactions: { type: "sdd_sale" } },
      "a payment that another worker has": { transactions: { locked_until: "2100-01-01" } },
    },
    also: {
      "due now": { given: { transactions: { resolve_at: "2026-02-01" } } },
      "a lease that has ended": { given: { transactions: { locked_until: "2026-01-02" } } },
      "a customer who has to confirm": {
        given: { transactions: { status: "awaiting_verification" } },
        gives: [{ status: "verifying" }],
        does: { transactions: { status: "verifying" } },
      },
      "a mandate without a BIC": { given: { mandates: { bic: null } }, gives: [{ bic: null, record_bic: "B" }] },
      "a payment that no cycle waits for": { given: { billing_cycles: { transaction_id: OTHER } }, gives: [] },
      "another subscription's cycle": { given: { billing_cycles: { subscription_id: OTHER } }, gives: [] },
    },
  },
  "billing.lock": {
    gives: [{}],
    not: {
      "another subscription": { subscriptions: { id: OTHER } },
    },
  },
  "billing.lock_if_free": {
    gives: [{}],
    not: {
      "another subscription": { subscriptions: { id: OTHER } },
    },
  },
  "billing.find_due": {
    given: { ...NOTIFIED, with: { today: "2026-02-01", closedUntil: "2026-02-05", limit: 9 } },
    gives: [{ id: ID }],
    not: {
      ...VOID,
      ...NOT_NOTIFIED,
      "a subscription that has ended": { subscriptions: { status: "CANCELLED" } },
      "a renewal of tomorrow": { subscriptions: { next_billing_date: "2026-02-02" } },
      "no next debit": { subscriptions: { next_billing_date: null } },
      "a campaign that is stopped": { campaigns: { stopped_at: "2026-01-01" } },
      "a message that is to be sent": { messages: { state: "waiting" } },
      "a message although a receiver was to notify": { notices: { told_by: "event" } },
      "a customer who was notified a day too late": { notices: { notice_days: 23 } },
      "a customer who was notified of a later day": { notices: { collection_date: "2026-02-04" } },
      "an event that came a day too late": { ...NOTIFIED_BY_EVENT, notices: { told_by: "event", notice_days: 23 } },
      "an event that came before its notice was made": { ...NOTIFIED_BY_EVENT, notices: { told_by: "event", created_at: "2026-01-19" } },
      "a trial that ends, which must be announced": { subscriptions: { billing_frequency: null, trial_end_date: "2026-02-01" }, notices: [] },
      "a subscription that ends, with a cycle that is being collected": { subscriptions: { cancel_at_period_end: true }, billing_cycles: [{ status: "collecting" }] },
      "a subscription that ends, with a cycle that is pending": { subscriptions: { cancel_at_period_end: true }, billing_cycles: [{ status: "pending" }] },
      "a subscription that ends, with a cycle that is retried": {
        subscriptions: { cancel_at_period_end: true },
        billing_cycles: [{ status: "retry", next_attempt_at: "2026-02-02" }],
      },
      "a renewal after the closed days": { tenants: { closed_day: "previous" }, subscriptions: { next_billing_date: "2026-02-06" } },
      "a renewal before closed days, collected after them": { tenants: { closed_day: "next" }, subscriptions: { next_billing_date: "2026-02-05" } },
      "a debit without a schedule, which is not collected before closed days": {
        tenants: { closed_day: "previous" },
        subscriptions: { next_billing_date: "2026-02-05", billing_frequency: null },
      },
      "an end of the period, which is not collected before closed days": {
        tenants: { closed_day: "previous" },
        subscriptions: { next_billing_date: "2026-02-05", cancel_at_period_end: true },
      },
      "the end of a trial, which is not collected before closed days": {
        tenants: { closed_day: "previous" },
        subscriptions: { next_billing_date: "2026-02-05", trial_end_date: "2026-02-05" },
      },
      "another account that is blocked": {
        "+mandates": { id: OTHER, reference: "y", iban_fingerprint: "\\x79", account_blocked_at: "2026-01-01" },
        notices: [],
      },
      "a retry of another subscription": {
        subscriptions: { next_billing_date: "2026-03-01" },
        billing_cycles: [{ subscription_id: OTHER, status: "retry", next_attempt_at: "2026-02-01" }],
      },
      "a retry of later": {
        subscriptions: { next_billing_date: "2026-03-01" },
        billing_cycles: [{ status: "retry", next_attempt_at: "2026-02-01T00:00:01Z" }],
      },
      "a retry of a subscription that has ended": {
        subscriptions: { next_billing_date: "2026-03-01", status: "CANCELLED" },
        billing_cycles: [{ status: "retry", next_attempt_at: "2026-02-01" }],
      },
      "a retry of a campaign that is stopped": {
        subscriptions: { next_billing_date: "2026-03-01" },
        billing_cycles: [{ status: "retry", next_attempt_at: "2026-02-01" }], campaigns: { stopped_at: "2026-01-01" },
      },
    },
    also: {
      ...each(EARLIER),
      ...each(AS_GOOD),
      "a renewal of yesterday": {
        given: { subscriptions: { next_billing_date: "2026-01-31" }, notices: { due_date: "2026-01-31" } },
      },
      "a renewal before closed days": {
        given: { tenants: { closed_day: "previous" }, subscriptions: { next_billing_date: "2026-02-05" } },
      },
      "a renewal before closed days, after a trial": {
        given: {
          tenants: { closed_day: "previous" },
          subscriptions: { next_billing_date: "2026-02-05", trial_end_date: "2026-01-01" },
        },
      },
      "a customer who was notified just in time": { given: { notices: { notice_days: 22 } } },
      "a customer who was notified just in time, a day later": {
        given: { notices: { notice_days: 23 }, with: { today: "2026-02-02" } },
      },
      "a customer who was notified of a day that the bank still accepts": {
        given: { notices: { collection_date: "2026-02-03" } },
      },
      "a receiver that was notified": { given: NOTIFIED_BY_EVENT },
      "a receiver that was notified twice": {
        given: { ...NOTIFIED_BY_EVENT, "+webhook_attempts": { number: 2, error: null, at: "2026-01-30" } },
      },
      "a tenant that only reports": { given: { tenants: { notice_check: "report" }, notices: [] } },
      "a tenant without the notice check": { given: { tenants: { notice_check: "off" }, notices: [] } },
      "a request of the merchant without a schedule": {
        given: { subscriptions: { billing_frequency: null }, notices: [] },
      },
      "a request of the merchant after a trial": {
        given: { subscriptions: { billing_frequency: null, trial_end_date: "2026-01-01" }, notices: [] },
      },
      "a subscription that ends": { given: { subscriptions: { cancel_at_period_end: true }, notices: [] } },
      "a subscription that ends, with cycles that have ended": {
        given: {
          subscriptions: { cancel_at_period_end: true },
          billing_cycles: [{ status: "paid" }, { status: "failed", cycle: 2 }],
        },
      },
      "a subscription that ends, with an open cycle of another one": {
        given: {
          subscriptions: { cancel_at_period_end: true },
          billing_cycles: [{ subscription_id: OTHER, status: "pending" }],
        },
      },
      "a subscription with an open cycle": { given: { billing_cycles: [{ status: "pending" }] } },
      "a mandate that was cancelled": { given: { mandates: { status: "cancelled" }, notices: [] } },
      "an account that is blocked": { given: { mandates: { account_blocked_at: "2026-01-01" }, notices: [] } },
      "another campaign that is stopped": { given: { "+campaigns": { id: OTHER, stopped_at: "2026-01-01" } } },
      "a retry": {
        given: {
          subscriptions: { next_billing_date: "2026-03-01" },
          billing_cycles: [{ status: "retry", next_attempt_at: "2026-02-01" }],
        },
      },
      "a retry, without a notice": {
        given: {
          subscriptions: { next_billing_date: "2026-03-01" },
          billing_cycles: [{ status: "retry", next_attempt_at: "2026-02-01" }], notices: [],
        },
      },
      "a retry beside the renewal": {
        given: { billing_cycles: [{ status: "retry", next_attempt_at: "2026-02-01" }] },
      },
      "several, the oldest first": {
        given: {
          tenants: { notice_check: "off" },
          "+subscriptions": [
            { id: FOURTH, order_id: FOURTH, status: "ACTIVE", next_billing_date: "2026-01-31" },
            { id: THIRD, order_id: THIRD, status: "ACTIVE", next_billing_date: "2026-01-31" },
          ],
        },
        gives: [{ id: THIRD }, { id: FOURTH }, { id: ID }],
      },
      "no more than requested": {
        given: {
          tenants: { notice_check: "off" },
          "+subscriptions": [{ id: THIRD, order_id: THIRD, status: "ACTIVE", next_billing_date: "2026-01-31" }],
          with: { limit: 1 },
        },
        gives: [{ id: THIRD }],
      },
    },
    same: {
      "dropped alternative: u.trial_end_date is null": "A due one has a date, which differs from null.",
      "removed default: coalesce(u.next_billing_date, x.due_date)": "A due one has a date.",
    },
  },
  "billing.read_locked": {
    given: {
      ...NOTIFIED, mandates: { status: "active", last_used_at: "2026-01-05", scheme: "CORE" },
      billing_cycles: { cycle: 3, due_date: "2026-01-15", status: "retry", next_attempt_at: "2026-02-01" },
      with: { today: "2026-02-01", now: "2026-02-01" },
    },
    gives: [
      {
        id: ID, status: "ACTIVE", has_open: true, under_way: false, is_noticed: true, is_stopped: false,
        last_cycle: 3, last_status: "retry", retry_cycle: 3, last_due_date: "2026-01-15", mandate_scheme: "CORE",
        mandate_status: "active", retry_due_date: "2026-01-15", is_retry_noticed: false,
        mandate_last_used_at: "2026-01-05",
      },
    ],
    not: {
      "another subscription": { with: { id: OTHER } },
    },
    also: {
      ...each(VOID, { gives: [{ is_noticed: false }] }),
      ...each(NOT_NOTIFIED, { gives: [{ is_noticed: false }] }),
      ...each(EARLIER),
      ...each(AS_GOOD),
      "a campaign that is stopped": {
        given: { campaigns: { stopped_at: "2026-01-01" } },
        gives: [{ is_stopped: true }],
      },
      "another campaign that is stopped": { given: { "+campaigns": { id: OTHER, stopped_at: "2026-01-01" } } },
      "a mandate that was not used": {
        given: { mandates: { last_used_at: null } },
        gives: [{ mandate_last_used_at: "2026-01-01" }],
      },
      "a mandate that has expired": {
        given: { mandates: { status: "expired" } },
        gives: [{ mandate_status: "expired" }],
      },
      "an account that is blocked": {
        given: { mandates: { account_blocked_at: "2026-01-01" } },
        gives: [{ mandate_status: "cancelled" }],
      },
      "an account that is blocked with another mandate": {
        given: { "+mandates": { id: OTHER, reference: "y", account_blocked_at: "2026-01-01" } },
        gives: [{ mandate_status: "cancelled" }],
      },
      "another account that is blocked": {
        given: {
          "+mandates": { id: OTHER, reference: "y", iban_fingerprint: "\\x79", account_blocked_at: "2026-01-01" },
        },
      },
      "no cycle": {
        given: { billing_cycles: [] },
        gives: [
          {
            has_open: false, last_cycle: null, last_status: null, retry_cycle: null, last_due_date: null,
            retry_due_date: null,
          },
        ],
      },
      "a cycle of another subscription": {
        given: { billing_cycles: { subscription_id: OTHER } },
        gives: [
          {
            has_open: false, last_cycle: null, last_status: null, retry_cycle: null, last_due_date: null,
            retry_due_date: null,
          },
        ],
      },
      "a retry of later": {
        given: { billing_cycles: { next_attempt_at: "2026-02-02" } },
        gives: [{ retry_cycle: null, retry_due_date: null }],
      },
      "a retry, due or not": { given: { billing_cycles: { next_attempt_at: "2026-02-02" }, with: { now: null } } },
      "a cycle that is paid": {
        given: { billing_cycles: { status: "paid", next_attempt_at: null } },
        gives: [{ has_open: false, last_status: "paid", retry_cycle: null, retry_due_date: null }],
      },
      "a cycle that has failed": {
        given: { billing_cycles: { status: "failed", next_attempt_at: "2026-02-01" } },
        gives: [{ has_open: false, last_status: "failed", retry_cycle: null, retry_due_date: null }],
      },
      "a cycle that is being collected": {
        given: { billing_cycles: { status: "collecting", next_attempt_at: null } },
        gives: [{ under_way: true, last_status: "collecting", retry_cycle: null, retry_due_date: null }],
      },
      "a cycle that is pending": {
        given: { billing_cycles: { status: "pending", next_attempt_at: null } },
        gives: [{ under_way: true, last_status: "pending", retry_cycle: null, retry_due_date: null }],
      },
      "a later cycle that is pending": {
        given: { "+billing_cycles": { cycle: 4, due_date: "2026-01-25", status: "pending" } },
        gives: [{ under_way: true, last_cycle: 4, last_status: "pending", last_due_date: "2026-01-25" }],
      },
      "two retries": {
        given: {
          "+billing_cycles": { cycle: 2, due_date: "2026-01-10", status: "retry", next_attempt_at: "2026-02-01" },
        },
        gives: [{ retry_cycle: 2, retry_due_date: "2026-01-10" }],
      },
      "a tenant without the notice check": {
        given: { tenants: { notice_check: "off" }, notices: [] },
        gives: [{ is_retry_noticed: true }],
      },
      "a request of the merchant without a schedule": {
        given: { subscriptions: { billing_frequency: null }, notices: [] },
        gives: [{ is_retry_noticed: true }],
      },
      "a request of the merchant without a date": {
        given: { subscriptions: { billing_frequency: null, next_billing_date: null }, notices: [] },
        gives: [{ is_retry_noticed: true }],
      },
      "the first request of the merchant": {
        given: {
          subscriptions: { billing_frequency: null, next_billing_date: null }, notices: [], billing_cycles: [],
        },
        gives: [
          {
            has_open: false, last_cycle: null, last_status: null, retry_cycle: null, last_due_date: null,
            retry_due_date: null, is_retry_noticed: true,
          },
        ],
      },
      "the newest cycle, of the end of a trial": {
        given: {
          subscriptions: { billing_frequency: null, trial_end_date: "2026-02-01" }, notices: [],
          billing_cycles: { due_date: "2026-02-01", status: "failed", next_attempt_at: null },
        },
        gives: [
          {
            has_open: false, is_noticed: false, last_status: "failed", retry_cycle: null, last_due_date: "2026-02-01",
            retry_due_date: null,
          },
        ],
      },
      "the newest cycle, with another amount": {
        given: {
          billing_cycles: { due_date: "2026-02-01", status: "failed", next_attempt_at: null },
          transactions: { amount: 2 },
        },
        gives: [
          {
            has_open: false, last_status: "failed", retry_cycle: null, last_due_date: "2026-02-01",
            retry_due_date: null,
          },
        ],
      },
      "the end of a trial": {
        given: { subscriptions: { billing_frequency: null, trial_end_date: "2026-02-01" }, notices: [] },
        gives: [{ is_noticed: false, is_retry_noticed: true }],
      },
      "after a trial, with a retry of its end": {
        given: { subscriptions: { billing_frequency: null, trial_end_date: "2026-01-15" }, notices: [] },
      },
      "a message although a receiver was to notify": {
        given: { notices: { told_by: "event" } },
        gives: [{ is_noticed: false }],
      },
      "a customer who was notified a day too late": {
        given: { notices: { notice_days: 23 } },
        gives: [{ is_noticed: false }],
      },
      "a customer who was notified just in time": { given: { notices: { notice_days: 22 } } },
      "a customer who was notified just in time, a day later": {
        given: { notices: { notice_days: 23 }, with: { today: "2026-02-02" } },
      },
      "a customer who was notified of a later day": {
        given: { notices: { collection_date: "2026-02-04" } },
        gives: [{ is_noticed: false }],
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
        gives: [{ is_noticed: false }],
      },
      "a retry of this day": {
        given: { billing_cycles: { due_date: "2026-02-01" } },
        gives: [{ last_due_date: "2026-02-01", retry_due_date: "2026-02-01", is_retry_noticed: true }],
      },
      "a retry without a notice": {
        given: { billing_cycles: { due_date: "2026-02-01" }, notices: [] },
        gives: [{ is_noticed: false, last_due_date: "2026-02-01", retry_due_date: "2026-02-01" }],
      },
      "a retry with a notice of another subscription": {
        given: { billing_cycles: { due_date: "2026-02-01" }, notices: { subscription_id: OTHER } },
        gives: [{ is_noticed: false, last_due_date: "2026-02-01", retry_due_date: "2026-02-01" }],
      },
      "a retry with a notice of another mandate": {
        given: { billing_cycles: { due_date: "2026-02-01" }, notices: { mandate_id: OTHER } },
        gives: [{ is_noticed: false, last_due_date: "2026-02-01", retry_due_date: "2026-02-01" }],
      },
      "a retry with a notice of another amount": {
        given: { billing_cycles: { due_date: "2026-02-01" }, notices: { amount: 2 } },
        gives: [{ is_noticed: false, last_due_date: "2026-02-01", retry_due_date: "2026-02-01" }],
      },
      "a retry with a notice of a later debit": {
        given: { billing_cycles: { due_date: "2026-02-01" }, notices: { due_date: "2026-02-02" } },
        gives: [{ is_noticed: false, last_due_date: "2026-02-01", retry_due_date: "2026-02-01" }],
      },
      "a retry with a notice of an earlier debit": {
        given: { billing_cycles: { due_date: "2026-02-01" }, notices: { due_date: "2026-01-20" } },
        gives: [{ last_due_date: "2026-02-01", retry_due_date: "2026-02-01", is_retry_noticed: true }],
      },
      "a retry with a notice under the former reference": {
        given: { billing_cycles: { due_date: "2026-02-01" }, notices: { mandate_reference: "y" } },
        gives: [
          { is_noticed: false, last_due_date: "2026-02-01", retry_due_date: "2026-02-01", is_retry_noticed: true },
        ],
      },
      "a retry whose subscription has another amount since": {
        given: { billing_cycles: { due_date: "2026-02-01" }, subscriptions: { billing_amount: 2 } },
        gives: [
          { is_noticed: false, last_due_date: "2026-02-01", retry_due_date: "2026-02-01", is_retry_noticed: true },
        ],
      },
      "a retry that was tried with another amount": {
        given: { billing_cycles: { due_date: "2026-02-01" }, transactions: { amount: 2 } },
        gives: [{ last_due_date: "2026-02-01", retry_due_date: "2026-02-01" }],
      },
      "a retry without an attempt": {
        given: { billing_cycles: { due_date: "2026-02-01", transaction_id: null } },
        gives: [{ last_due_date: "2026-02-01", retry_due_date: "2026-02-01", is_retry_noticed: true }],
      },
      "a retry without an attempt, with another amount since": {
        given: {
          billing_cycles: { due_date: "2026-02-01", transaction_id: null }, subscriptions: { billing_amount: 2 },
        },
        gives: [{ is_noticed: false, last_due_date: "2026-02-01", retry_due_date: "2026-02-01" }],
      },
      "a retry with a second one on the same day, with another amount": {
        given: {
          billing_cycles: { due_date: "2026-02-01" },
          "+billing_cycles": { cycle: 4, due_date: "2026-02-01", status: "paid", transaction_id: OTHER },
          "+transactions": { ...OTHER_PAYMENT, amount: 2 },
        },
        gives: [
          {
            last_cycle: 4, last_status: "paid", last_due_date: "2026-02-01", retry_due_date: "2026-02-01",
            is_retry_noticed: true,
          },
        ],
      },
      "a retry with one of another day, with another amount": {
        given: {
          billing_cycles: { due_date: "2026-02-01" },
          "+billing_cycles": { cycle: 2, due_date: "2026-01-01", status: "paid", transaction_id: OTHER },
          "+transactions": { ...OTHER_PAYMENT, amount: 2 },
        },
        gives: [{ last_due_date: "2026-02-01", retry_due_date: "2026-02-01", is_retry_noticed: true }],
      },
      "a retry with one of another subscription, with another amount": {
        given: {
          billing_cycles: { due_date: "2026-02-01" },
          "+billing_cycles": {
            subscription_id: OTHER, cycle: 2, due_date: "2026-02-01", status: "paid", transaction_id: OTHER,
          },
          "+transactions": { ...OTHER_PAYMENT, amount: 2 },
        },
        gives: [{ last_due_date: "2026-02-01", retry_due_date: "2026-02-01", is_retry_noticed: true }],
      },
      "a failed renewal without a retry": {
        given: { billing_cycles: { due_date: "2026-02-01", status: "failed", next_attempt_at: null } },
        gives: [
          {
            has_open: false, last_status: "failed", retry_cycle: null, last_due_date: "2026-02-01",
            retry_due_date: null, is_retry_noticed: true,
          },
        ],
      },
      "a retry whose customer was notified a day too late": {
        given: { billing_cycles: { due_date: "2026-02-01" }, notices: { notice_days: 23 } },
        gives: [{ is_noticed: false, last_due_date: "2026-02-01", retry_due_date: "2026-02-01" }],
      },
      "a retry whose customer was notified just in time": {
        given: { billing_cycles: { due_date: "2026-02-01" }, notices: { notice_days: 22 } },
        gives: [{ last_due_date: "2026-02-01", retry_due_date: "2026-02-01", is_retry_noticed: true }],
      },
      "a retry whose customer was notified just in time, a day later": {
        given: {
          billing_cycles: { due_date: "2026-02-01" }, notices: { notice_days: 23 }, with: { today: "2026-02-02" },
        },
        gives: [{ last_due_date: "2026-02-01", retry_due_date: "2026-02-01", is_retry_noticed: true }],
      },
      "a retry whose notice names a later day": {
        given: { billing_cycles: { due_date: "2026-02-01" }, notices: { collection_date: "2026-02-04" } },
        gives: [{ is_noticed: false, last_due_date: "2026-02-01", retry_due_date: "2026-02-01" }],
      },
      "a retry whose notice names a day that the bank still accepts": {
        given: { billing_cycles: { due_date: "2026-02-01" }, notices: { collection_date: "2026-02-03" } },
        gives: [{ last_due_date: "2026-02-01", retry_due_date: "2026-02-01", is_retry_noticed: true }],
      },
      "a retry whose receiver was notified": {
        given: { ...NOTIFIED_BY_EVENT, billing_cycles: { due_date: "2026-02-01" } },
        gives: [{ last_due_date: "2026-02-01", retry_due_date: "2026-02-01", is_retry_noticed: true }],
      },
      "a retry whose receiver was notified twice": {
        given: {
          ...NOTIFIED_BY_EVENT, billing_cycles: { due_date: "2026-02-01" },
          "+webhook_attempts": { number: 2, error: null, at: "2026-01-30" },
        },
        gives: [{ last_due_date: "2026-02-01", retry_due_date: "2026-02-01", is_retry_noticed: true }],
      },
      "a retry whose receiver was notified before its notice was made": {
        given: {
          ...NOTIFIED_BY_EVENT, billing_cycles: { due_date: "2026-02-01" },
          notices: { told_by: "event", created_at: "2026-01-19" },
        },
        gives: [{ is_noticed: false, last_due_date: "2026-02-01", retry_due_date: "2026-02-01" }],
      },
      "a retry whose notice a receiver was to get": {
        given: {
          ...NOTIFIED_BY_EVENT, billing_cycles: { due_date: "2026-02-01" },
          webhook_attempts: { error: "status_500", at: "2026-01-10" },
        },
        gives: [{ is_noticed: false, last_due_date: "2026-02-01", retry_due_date: "2026-02-01" }],
      },
      "a retry with another event": {
        given: {
          ...NOTIFIED_BY_EVENT, billing_cycles: { due_date: "2026-02-01" },
          webhook_deliveries: { status: "delivered", event_id: OTHER },
        },
        gives: [{ is_noticed: false, last_due_date: "2026-02-01", retry_due_date: "2026-02-01" }],
      },
      "a retry with a message that was sent although a receiver was to be notified": {
        given: { billing_cycles: { due_date: "2026-02-01" }, notices: { told_by: "event" } },
        gives: [{ is_noticed: false, last_due_date: "2026-02-01", retry_due_date: "2026-02-01" }],
      },
      "a retry whose message is not sent yet": {
        given: { billing_cycles: { due_date: "2026-02-01" }, messages: { state: "waiting" } },
        gives: [{ is_noticed: false, last_due_date: "2026-02-01", retry_due_date: "2026-02-01" }],
      },
      "a retry with another message": {
        given: { billing_cycles: { due_date: "2026-02-01" }, messages: { notice_id: OTHER } },
        gives: [{ is_noticed: false, last_due_date: "2026-02-01", retry_due_date: "2026-02-01" }],
      },
      "a retry at the end of a trial": {
        given: {
          billing_cycles: { due_date: "2026-02-01" },
          subscriptions: { billing_frequency: null, trial_end_date: "2026-02-01" }, notices: [],
        },
        gives: [{ is_noticed: false, last_due_date: "2026-02-01", retry_due_date: "2026-02-01" }],
      },
      "a retry of a tenant without the notice check": {
        given: { billing_cycles: { due_date: "2026-02-01" }, tenants: { notice_check: "off" }, notices: [] },
        gives: [{ last_due_date: "2026-02-01", retry_due_date: "2026-02-01", is_retry_noticed: true }],
      },
    },
    same: {
      "removed default: coalesce(u.next_billing_date, x.due_date)": "Without a date there is no notice; a later condition checks that.",
      "dropped condition: x.collection_date <= greatest(x.collection_date": "No value is greater than the greater one of itself and another.",
    },
  },
  "billing.tenants_due": {
    given: {
      tenants: { closed_day: "next" }, subscriptions: { status: "ACTIVE", next_billing_date: "2026-02-01" },
      billing_cycles: { next_attempt_at: null }, with: { now: "2026-02-01T12:00:00Z", limit: 9 },
    },
    gives: [{ tenant: 1 }],
    not: {
      "a subscription that has ended": { subscriptions: { status: "CANCELLED" } },
      "a renewal of tomorrow": { subscriptions: { next_billing_date: "2026-02-02" } },
      "no next debit": { subscriptions: { next_billing_date: null } },
      "a renewal after the closed days": { tenants: { closed_day: "previous" }, subscriptions: { next_billing_date: "2026-02-06" } },
      "a renewal before closed days, collected after them": { tenants: { closed_day: "next" }, subscriptions: { next_billing_date: "2026-02-05" } },
      "a retry of later": { subscriptions: { next_billing_date: null }, billing_cycles: { next_attempt_at: "2026-02-01T12:00:01Z" } },
    },
    also: {
      "a renewal before closed days": {
        given: { tenants: { closed_day: "previous" }, subscriptions: { next_billing_date: "2026-02-05" } },
      },
      "a retry": {
        given: {
          subscriptions: { next_billing_date: null }, billing_cycles: { next_attempt_at: "2026-02-01T12:00:00Z" },
        },
      },
      "a retry beside a renewal": { given: { billing_cycles: { next_attempt_at: "2026-02-01T12:00:00Z" } } },
    },
  },
};
