/**
 * Statements of `src/subscriptions`: their effect, and the rows that they must leave alone
 * (tests/conditions.test.ts).
 */
import { added, type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { EVENTS, FOURTH, OF_MANDATE, OTHER, OTHER_PAYMENT, RECORDED, THIRD, THIRD_PAYMENT } from "./rows.ts";

// Each case stays on one line or a few.
// prettier-ignore
export const SUBSCRIPTIONS_OUTCOME: Entries = {
  "billing.record_outcome": {
    given: {
      transactions: {
        type: "sdd_rebill", status: "submitted", locked_until: "2026-01-02", resolve_at: "2026-01-02", cycle: 1,
        created_at: "2026-01-10", amount: 30,
      },
      billing_cycles: { status: "collecting", next_attempt_at: "2026-01-02" },
      subscriptions: { status: "ACTIVE", next_billing_date: "2026-02-15", cancel_reason: null },
      mandates: { status: "active" }, mandate_amendments: [],
      with: {
        toStatus: "approved", fromStatuses: ["submitted"], cycleStatus: "paid", subscriptionStatus: "ACTIVE",
        cancelReason: null, nextAttemptAt: null, resolveAt: null, processedAt: "2026-01-30", gatewayReference: "g",
        errorCode: null, errorMessage: null, gatewayCode: null, gatewayMessage: null, returnAction: "r", attempts: 1,
        succeeded: 1, failed: 0, earned: true, endsMandate: false, blocksAccount: false, events: EVENTS,
      },
    },
    gives: [{ id: ID }],
    does: {
      billing_cycles: {
        status: "paid", attempts: 2, error_code: null, updated_at: "2026-02-01", next_attempt_at: null,
      },
      events: added({
        id: THIRD, type: "payment_session.completed", payload: {}, created_at: "2026-02-01", session_id: ID,
        transaction_id: ID,
      }),
      mandates: { updated_at: "2026-02-01", last_used_at: "2026-02-01" },
      messages: added({ id: "made here", kind: "x", created_at: "2026-02-01", transaction_id: ID }),
      subscriptions: {
        updated_at: "2026-02-01", total_revenue: 31, last_billing_date: "2026-02-01", successful_billing_count: 2,
      },
      transactions: {
        status: "approved", lease_no: 2, error_code: null, resolve_at: null, updated_at: "2026-02-01",
        gateway_code: null, locked_until: null, processed_at: "2026-01-30", error_message: null, return_action: "r",
        gateway_message: null, gateway_reference: "g",
      },
    },
    not: {
      "another payment": { with: { id: OTHER } },
      "a payment that is no longer in one of these states": { transactions: { status: "approved" } },
      "a payment that another worker has taken over": { transactions: { lease_no: 2 } },
    },
    also: {
      "withdrawn, another attempt has paid a subscription that is past due since": {
        given: {
          subscriptions: { status: "PAST_DUE", past_due_since: "2026-01-20" },
          "+transactions": { ...OTHER_PAYMENT, status: "approved", cycle: 1 },
          with: {
            toStatus: "declined", earned: false, cycleStatus: "withdrawn", subscriptionStatus: "ACTIVE",
            errorCode: "e", succeeded: 0, failed: 0,
          },
        },
        does: {
          billing_cycles: { transaction_id: OTHER }, mandates: { last_used_at: undefined },
          subscriptions: {
            total_revenue: undefined, last_billing_date: undefined, successful_billing_count: undefined,
          },
          transactions: { status: "declined", error_code: "e" },
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
      "approved, and another attempt as well": {
        given: { "+transactions": { ...OTHER_PAYMENT, status: "approved", cycle: 1 } },
      },
      "declined: the attempt itself does not count as another one": {
        given: {
          transactions: { status: "approved" },
          with: {
            fromStatuses: ["approved"], toStatus: "declined", cycleStatus: "retry", subscriptionStatus: "PAST_DUE",
            errorCode: "e", earned: false, succeeded: 0, failed: 1,
          },
        },
        does: {
          billing_cycles: { status: "retry", error_code: "e" }, mandates: { last_used_at: undefined },
          subscriptions: {
            total_revenue: undefined, last_billing_date: undefined, successful_billing_count: undefined,
            status: "PAST_DUE", past_due_since: "2026-02-01", failed_billing_count: 2,
          },
          transactions: { status: "declined", error_code: "e" },
        },
      },
      "a payment that was processed before": {
        given: { transactions: { processed_at: "2026-01-29" }, with: { processedAt: null } },
        does: { transactions: { processed_at: undefined } },
      },
      "failed, another attempt has paid, and the bank ends the subscription": {
        given: {
          subscriptions: { cancel_at_period_end: true },
          "+transactions": { ...OTHER_PAYMENT, status: "approved", cycle: 1 },
          with: {
            toStatus: "declined", earned: false, cycleStatus: "failed", subscriptionStatus: "CANCELLED",
            cancelReason: "mandate", errorCode: "e", succeeded: 0, failed: 1,
          },
        },
        does: {
          billing_cycles: { transaction_id: OTHER }, mandates: { last_used_at: undefined },
          subscriptions: {
            total_revenue: undefined, last_billing_date: undefined, successful_billing_count: undefined,
            status: "CANCELLED", cancelled_at: "2026-02-01", cancel_reason: "mandate", next_billing_date: null,
            cancel_at_period_end: false, failed_billing_count: 2,
          },
          transactions: { status: "declined", error_code: "e" },
        },
      },
      "withdrawn, another attempt has paid a subscription that was past due": {
        given: {
          subscriptions: { status: "PAST_DUE", past_due_since: "2026-01-05" },
          "+transactions": { ...OTHER_PAYMENT, status: "approved", cycle: 1 },
          with: {
            toStatus: "declined", earned: false, cycleStatus: "withdrawn", subscriptionStatus: "ACTIVE",
            errorCode: "e", succeeded: 0, failed: 0,
          },
        },
        does: {
          billing_cycles: { transaction_id: OTHER }, mandates: { last_used_at: undefined },
          subscriptions: {
            total_revenue: undefined, last_billing_date: undefined, successful_billing_count: undefined,
            status: "ACTIVE", past_due_since: null,
          },
          transactions: { status: "declined", error_code: "e" },
        },
      },
      "failed, another attempt has paid, and the subscription was past due for another reason": {
        given: {
          subscriptions: { status: "PAST_DUE", past_due_since: "2026-01-05" },
          "+transactions": { ...OTHER_PAYMENT, status: "approved", cycle: 1 },
          with: {
            toStatus: "declined", earned: false, cycleStatus: "failed", subscriptionStatus: "PAST_DUE",
            errorCode: "e", succeeded: 0, failed: 1,
          },
        },
        does: {
          billing_cycles: { transaction_id: OTHER }, mandates: { last_used_at: undefined },
          subscriptions: {
            total_revenue: undefined, last_billing_date: undefined, successful_billing_count: undefined,
            failed_billing_count: 2,
          },
          transactions: { status: "declined", error_code: "e" },
        },
      },
      "a cycle that waits for this very payment": {
        given: {
          subscriptions: { status: "PAST_DUE", past_due_since: "2026-01-05" },
          "+billing_cycles": { cycle: 2, status: "retry", attempts: 1 },
        },
        does: {
          billing_cycles: [
            { status: "paid", attempts: 2, error_code: null, updated_at: "2026-02-01", next_attempt_at: null },
            { cycle: 2, status: "paid", attempts: 2, error_code: null, updated_at: "2026-02-01" },
          ],
          subscriptions: { status: "ACTIVE", past_due_since: null },
        },
      },
      "another subscription has a cycle of this payment": {
        given: { "+billing_cycles": { subscription_id: OTHER, cycle: 1, status: "collecting" } },
      },
      "a subscription that had ended with the period": {
        given: {
          subscriptions: { status: "CANCELLED", cancelled_at: "2026-01-05", cancel_at_period_end: true },
          with: { subscriptionStatus: "CANCELLED" },
        },
        does: { subscriptions: { next_billing_date: null } },
      },
      "a caller without a lease": {
        given: { with: { leaseNo: null }, transactions: { lease_no: 2 } },
        does: { transactions: { lease_no: 3 } },
      },
      "a response without a reference and a time": {
        given: { with: { gatewayReference: null, processedAt: null } },
        does: { transactions: { processed_at: undefined, gateway_reference: undefined } },
      },
      "accepted: settles later": {
        given: { with: { toStatus: "pending", cycleStatus: "pending", earned: false, succeeded: 0 } },
        does: {
          billing_cycles: { status: "pending" },
          subscriptions: {
            total_revenue: undefined, last_billing_date: undefined, successful_billing_count: undefined,
          },
          transactions: { status: "pending" },
        },
      },
      "declined: a retry follows": {
        given: {
          with: {
            toStatus: "declined", cycleStatus: "retry", subscriptionStatus: "PAST_DUE", nextAttemptAt: "2026-02-04",
            errorCode: "insufficient_funds", errorMessage: "e", gatewayCode: "AM04", gatewayMessage: "m",
            earned: false, succeeded: 0, failed: 1,
          },
        },
        does: {
          billing_cycles: { status: "retry", error_code: "insufficient_funds", next_attempt_at: "2026-02-04" },
          mandates: { last_used_at: undefined },
          subscriptions: {
            total_revenue: undefined, last_billing_date: undefined, successful_billing_count: undefined,
            status: "PAST_DUE", past_due_since: "2026-02-01", failed_billing_count: 2,
          },
          transactions: {
            status: "declined", error_code: "insufficient_funds", gateway_code: "AM04", error_message: "e",
            gateway_message: "m",
          },
        },
      },
      "declined: the cycle has failed": {
        given: {
          with: {
            toStatus: "declined", cycleStatus: "failed", subscriptionStatus: "PAST_DUE", errorCode: "e",
            earned: false, succeeded: 0, failed: 1,
          },
        },
        does: {
          billing_cycles: { status: "failed", error_code: "e" }, mandates: { last_used_at: undefined },
          subscriptions: {
            total_revenue: undefined, last_billing_date: undefined, successful_billing_count: undefined,
            status: "PAST_DUE", past_due_since: "2026-02-01", failed_billing_count: 2,
          },
          transactions: { status: "declined", error_code: "e" },
        },
      },
      "declined, but another attempt has paid the cycle": {
        given: {
          "+transactions": { ...OTHER_PAYMENT, status: "approved", cycle: 1, created_at: "2026-01-03" },
          with: {
            toStatus: "declined", cycleStatus: "retry", subscriptionStatus: "PAST_DUE", nextAttemptAt: "2026-02-04",
            errorCode: "e", earned: false, succeeded: 0, failed: 1,
          },
        },
        does: {
          billing_cycles: { transaction_id: OTHER }, mandates: { last_used_at: undefined },
          subscriptions: {
            total_revenue: undefined, last_billing_date: undefined, successful_billing_count: undefined,
            failed_billing_count: 2,
          },
          transactions: { status: "declined", error_code: "e" },
        },
      },
      "declined, another attempt was paid and refunded": {
        given: {
          "+transactions": { ...OTHER_PAYMENT, status: "refunded", cycle: 1 },
          with: {
            toStatus: "declined", cycleStatus: "failed", subscriptionStatus: "PAST_DUE", errorCode: "e",
            earned: false, succeeded: 0, failed: 1,
          },
        },
        does: {
          billing_cycles: { transaction_id: OTHER }, mandates: { last_used_at: undefined },
          subscriptions: {
            total_revenue: undefined, last_billing_date: undefined, successful_billing_count: undefined,
            failed_billing_count: 2,
          },
          transactions: { status: "declined", error_code: "e" },
        },
      },
      "withdrawn, another attempt has paid the cycle": {
        given: {
          "+transactions": { ...OTHER_PAYMENT, status: "approved", cycle: 1 },
          with: {
            toStatus: "declined", cycleStatus: "withdrawn", subscriptionStatus: null, errorCode: "e", earned: false,
            succeeded: 0, failed: 0,
          },
        },
        does: {
          billing_cycles: { transaction_id: OTHER }, mandates: { last_used_at: undefined },
          subscriptions: {
            total_revenue: undefined, last_billing_date: undefined, successful_billing_count: undefined,
          },
          transactions: { status: "declined", error_code: "e" },
        },
      },
      "declined, another attempt is pending": {
        given: {
          "+transactions": { ...OTHER_PAYMENT, status: "pending", cycle: 1 },
          with: {
            toStatus: "declined", cycleStatus: "retry", subscriptionStatus: "PAST_DUE", errorCode: "e", earned: false,
            succeeded: 0, failed: 1,
          },
        },
        does: {
          billing_cycles: { status: "retry", error_code: "e" }, mandates: { last_used_at: undefined },
          subscriptions: {
            total_revenue: undefined, last_billing_date: undefined, successful_billing_count: undefined,
            status: "PAST_DUE", past_due_since: "2026-02-01", failed_billing_count: 2,
          },
          transactions: { status: "declined", error_code: "e" },
        },
      },
      "declined, another cycle was paid": {
        given: {
          "+transactions": { ...OTHER_PAYMENT, status: "approved", cycle: 2 },
          with: {
            toStatus: "declined", cycleStatus: "retry", subscriptionStatus: "PAST_DUE", errorCode: "e", earned: false,
            succeeded: 0, failed: 1,
          },
        },
        does: {
          billing_cycles: { status: "retry", error_code: "e" }, mandates: { last_used_at: undefined },
          subscriptions: {
            total_revenue: undefined, last_billing_date: undefined, successful_billing_count: undefined,
            status: "PAST_DUE", past_due_since: "2026-02-01", failed_billing_count: 2,
          },
          transactions: { status: "declined", error_code: "e" },
        },
      },
      "declined, another subscription was paid": {
        given: {
          "+transactions": { ...OTHER_PAYMENT, subscription_id: OTHER, status: "approved", cycle: 1 },
          with: {
            toStatus: "declined", cycleStatus: "retry", subscriptionStatus: "PAST_DUE", errorCode: "e", earned: false,
            succeeded: 0, failed: 1,
          },
        },
        does: {
          billing_cycles: { status: "retry", error_code: "e" }, mandates: { last_used_at: undefined },
          subscriptions: {
            total_revenue: undefined, last_billing_date: undefined, successful_billing_count: undefined,
            status: "PAST_DUE", past_due_since: "2026-02-01", failed_billing_count: 2,
          },
          transactions: { status: "declined", error_code: "e" },
        },
      },
      "declined, two other attempts have paid: the first one": {
        given: {
          "+transactions": [
            { ...OTHER_PAYMENT, status: "approved", cycle: 1, created_at: "2026-01-04" },
            { ...THIRD_PAYMENT, status: "approved", cycle: 1, created_at: "2026-01-03" },
          ],
          with: {
            toStatus: "declined", cycleStatus: "retry", subscriptionStatus: "PAST_DUE", errorCode: "e", earned: false,
            succeeded: 0, failed: 1,
          },
        },
        does: {
          billing_cycles: { transaction_id: THIRD }, mandates: { last_used_at: undefined },
          subscriptions: {
            total_revenue: undefined, last_billing_date: undefined, successful_billing_count: undefined,
            failed_billing_count: 2,
          },
          transactions: { status: "declined", error_code: "e" },
        },
      },
      "another cycle of the subscription": {
        given: { billing_cycles: { transaction_id: OTHER } },
        does: { billing_cycles: [] },
      },
      "a subscription that was past due, and is paid": {
        given: { subscriptions: { status: "PAST_DUE", past_due_since: "2026-01-05" } },
        does: { subscriptions: { status: "ACTIVE", past_due_since: null } },
      },
      "a subscription that is past due since the request": {
        given: { subscriptions: { status: "PAST_DUE", past_due_since: "2026-01-10" } },
      },
      "a subscription that is past due, at an unknown time": {
        given: { subscriptions: { status: "PAST_DUE" } },
        does: { subscriptions: { status: "ACTIVE" } },
      },
      "a subscription with another cycle that waits": {
        given: {
          subscriptions: { status: "PAST_DUE", past_due_since: "2026-01-05" },
          "+billing_cycles": { cycle: 2, transaction_id: OTHER, status: "retry", attempts: 1 },
        },
      },
      "a subscription with another cycle that was never tried": {
        given: {
          subscriptions: { status: "PAST_DUE", past_due_since: "2026-01-05" },
          "+billing_cycles": { cycle: 2, transaction_id: OTHER, status: "retry", attempts: 0 },
        },
        does: { subscriptions: { status: "ACTIVE", past_due_since: null } },
      },
      "a subscription with another cycle that has failed": {
        given: {
          subscriptions: { status: "PAST_DUE", past_due_since: "2026-01-05" },
          "+billing_cycles": { cycle: 2, transaction_id: OTHER, status: "failed", attempts: 1 },
        },
        does: { subscriptions: { status: "ACTIVE", past_due_since: null } },
      },
      "another subscription has a cycle that waits": {
        given: {
          subscriptions: { status: "PAST_DUE", past_due_since: "2026-01-05" },
          "+billing_cycles": { subscription_id: OTHER, cycle: 2, transaction_id: OTHER, status: "retry", attempts: 1 },
        },
        does: { subscriptions: { status: "ACTIVE", past_due_since: null } },
      },
      "a subscription that is past due stays past due": {
        given: {
          subscriptions: { status: "PAST_DUE", past_due_since: "2026-03-01" },
          with: { subscriptionStatus: "PAST_DUE" },
        },
      },
      "a subscription that has ended": {
        given: {
          subscriptions: {
            status: "CANCELLED", cancelled_at: "2026-01-05", next_billing_date: null, cancel_at_period_end: true,
          },
        },
      },
      "no change of the subscription": {
        given: {
          subscriptions: { status: "PAST_DUE", past_due_since: "2026-01-05", cancel_at_period_end: true },
          with: { subscriptionStatus: null },
        },
      },
      "the bank ends the subscription": {
        given: {
          subscriptions: { cancel_at_period_end: true },
          with: {
            toStatus: "declined", cycleStatus: "failed", subscriptionStatus: "CANCELLED", cancelReason: "mandate",
            errorCode: "mandate_rejected", gatewayCode: "MD01", earned: false, succeeded: 0, failed: 1,
          },
        },
        does: {
          billing_cycles: { status: "failed", error_code: "mandate_rejected" },
          mandates: {
            last_used_at: undefined, status: "cancelled", cancelled_at: "2026-02-01", cancelled_by: "bank",
            status_reason: "MD01",
          },
          subscriptions: {
            total_revenue: undefined, last_billing_date: undefined, successful_billing_count: undefined,
            status: "CANCELLED", cancelled_at: "2026-02-01", cancel_reason: "mandate", next_billing_date: null,
            cancel_at_period_end: false, failed_billing_count: 2,
          },
          transactions: { status: "declined", error_code: "mandate_rejected", gateway_code: "MD01" },
        },
      },
      "a subscription that had ended with a reason": {
        given: {
          subscriptions: {
            status: "CANCELLED", cancelled_at: "2026-01-05", cancel_reason: "own", next_billing_date: null,
          },
          with: { subscriptionStatus: "CANCELLED", cancelReason: "other" },
        },
      },
      "a mandate that is not active is not ended": {
        given: { mandates: { status: "pending" }, with: { toStatus: "declined", errorCode: "mandate_rejected" } },
        does: {
          billing_cycles: { error_code: "mandate_rejected" }, mandates: { last_used_at: undefined },
          transactions: { status: "declined", error_code: "mandate_rejected" },
        },
      },
      "a code that ends the mandate": {
        given: { with: { toStatus: "declined", endsMandate: true, errorCode: "e", gatewayCode: "AC04" } },
        does: {
          billing_cycles: { error_code: "e" },
          mandates: {
            last_used_at: undefined, status: "cancelled", cancelled_at: "2026-02-01", cancelled_by: "bank",
            status_reason: "AC04",
          },
          transactions: { status: "declined", error_code: "e", gateway_code: "AC04" },
        },
      },
      "a code that blocks the account": {
        given: { with: { toStatus: "declined", blocksAccount: true, errorCode: "e" } },
        does: {
          billing_cycles: { error_code: "e" },
          mandates: { last_used_at: undefined, account_blocked_at: "2026-02-01" },
          transactions: { status: "declined", error_code: "e" },
        },
      },
      "an account that was blocked before": {
        given: {
          mandates: { account_blocked_at: "2026-01-07" },
          with: { toStatus: "declined", blocksAccount: true, errorCode: "e" },
        },
        does: {
          billing_cycles: { error_code: "e" }, mandates: { last_used_at: undefined },
          transactions: { status: "declined", error_code: "e" },
        },
      },
      "an account that was changed since": {
        given: {
          mandate_amendments: { kind: "account", at: "2026-01-15" },
          with: { toStatus: "declined", blocksAccount: true, errorCode: "e" },
        },
        does: {
          billing_cycles: { error_code: "e" }, mandates: { last_used_at: undefined },
          transactions: { status: "declined", error_code: "e" },
        },
      },
      "an account that was changed before": {
        given: {
          mandate_amendments: { kind: "account", at: "2026-01-10" },
          with: { toStatus: "declined", blocksAccount: true, errorCode: "e" },
        },
        does: {
          billing_cycles: { error_code: "e" },
          mandates: { last_used_at: undefined, account_blocked_at: "2026-02-01" },
          transactions: { status: "declined", error_code: "e" },
        },
      },
      "a mandate whose holder was changed since": {
        given: {
          mandate_amendments: { kind: "holder", at: "2026-01-15" },
          with: { toStatus: "declined", blocksAccount: true, errorCode: "e" },
        },
        does: {
          billing_cycles: { error_code: "e" },
          mandates: { last_used_at: undefined, account_blocked_at: "2026-02-01" },
          transactions: { status: "declined", error_code: "e" },
        },
      },
      "another mandate's account was changed since": {
        given: {
          mandate_amendments: { mandate_id: OTHER, kind: "account", at: "2026-01-15" },
          with: { toStatus: "declined", blocksAccount: true, errorCode: "e" },
        },
        does: {
          billing_cycles: { error_code: "e" },
          mandates: { last_used_at: undefined, account_blocked_at: "2026-02-01" },
          transactions: { status: "declined", error_code: "e" },
        },
      },
    },
    same: { "dropped alternative: p.id is null or $18 <> 'PAST_DUE' then $18::text end = 'ACTIVE'": "Another paid attempt only prevents PAST_DUE; here another status is requested.", "dropped alternative: p.id is null or $18 <> 'PAST_DUE' then $18::text end = 'CANCELLED'": "Another paid attempt only prevents PAST_DUE; here another status is requested.", "dropped alternative: p.id is null or $18 <> 'PAST_DUE' then $18::text end is distinct from": "Another paid attempt only prevents PAST_DUE; here another status is requested.", "negated condition: is null or $18 <> 'PAST_DUE' then $18::text end = 'ACTIVE'": "Another paid attempt only prevents PAST_DUE; here another status is requested.", "negated condition: is null or $18 <> 'PAST_DUE' then $18::text end = 'CANCELLED'": "Another paid attempt only prevents PAST_DUE; here another status is requested.", "negated condition: is null or $18 <> 'PAST_DUE' then $18::text end is distinct from": "Another paid attempt only prevents PAST_DUE; here another status is requested.", "other word: 'PAST_DUE' then $18::text end = 'ACTIVE'": "Another paid attempt only prevents PAST_DUE; here another status is requested.", "dropped alternative: $18 <> 'PAST_DUE' then $18::text end = 'PAST_DUE'": "Another paid attempt only prevents PAST_DUE; here another status is requested.", "dropped condition: case when p.id is null or $18 <> 'PAST_DUE' then $18::text end = 'ACTIVE' and coalesce(": "The condition before checks it.", "removed default: coalesce(t.created_at > u.past_due_since, true)": "A subscription that is past due since an unknown time has no time to clear, and becomes active nevertheless.", "boolean: true) and not exists … when case when": "A subscription that is past due since an unknown time has no time to clear.", "dropped alternative: $18 <> 'PAST_DUE' then $18::text end = 'ACTIVE' and coalesce(": "Where another attempt has paid, unknown has the effect of true here: the requested status is set." },
  },
  "billing.follow": {
    given: {
      transactions: { type: "sdd_rebill", status: "approved", cycle: 1, created_at: "2026-01-10", amount: 30 },
      billing_cycles: { status: "pending", next_attempt_at: "2026-01-02" },
      subscriptions: { status: "ACTIVE", next_billing_date: "2026-02-15", cancel_reason: null },
      with: {
        cycleStatus: "paid", subscriptionStatus: "ACTIVE", cancelReason: null, nextAttemptAt: null, errorCode: null,
        succeeded: 1, failed: 0,
      },
    },
    gives: [{ id: ID }],
    does: {
      billing_cycles: { status: "paid", error_code: null, updated_at: "2026-02-01", next_attempt_at: null },
      subscriptions: { updated_at: "2026-02-01", successful_billing_count: 2 },
    },
    not: {
      "another payment": { with: { id: OTHER } },
      "a cycle that was decided before": { billing_cycles: { status: "paid" } },
      "another cycle of the subscription": { billing_cycles: { transaction_id: OTHER } },
    },
    also: {
      "withdrawn, another attempt has paid a subscription that is past due since": {
        given: {
          subscriptions: { status: "PAST_DUE", past_due_since: "2026-01-20" },
          "+transactions": { ...OTHER_PAYMENT, status: "approved", cycle: 1 },
          with: { cycleStatus: "withdrawn", subscriptionStatus: "ACTIVE", errorCode: "e", succeeded: 0, failed: 0 },
        },
        does: { billing_cycles: { transaction_id: OTHER }, subscriptions: { successful_billing_count: undefined } },
      },
      "failed, another attempt has paid, and the bank ends the subscription": {
        given: {
          subscriptions: { cancel_at_period_end: true },
          "+transactions": { ...OTHER_PAYMENT, status: "approved", cycle: 1 },
          with: {
            cycleStatus: "failed", subscriptionStatus: "CANCELLED", cancelReason: "mandate", errorCode: "e",
            succeeded: 0, failed: 1,
          },
        },
        does: {
          billing_cycles: { transaction_id: OTHER },
          subscriptions: {
            successful_billing_count: undefined, status: "CANCELLED", cancelled_at: "2026-02-01",
            cancel_reason: "mandate", next_billing_date: null, cancel_at_period_end: false, failed_billing_count: 2,
          },
        },
      },
      "withdrawn, another attempt has paid a subscription that was past due": {
        given: {
          subscriptions: { status: "PAST_DUE", past_due_since: "2026-01-05" },
          "+transactions": { ...OTHER_PAYMENT, status: "approved", cycle: 1 },
          with: { cycleStatus: "withdrawn", subscriptionStatus: "ACTIVE", errorCode: "e", succeeded: 0, failed: 0 },
        },
        does: {
          billing_cycles: { transaction_id: OTHER },
          subscriptions: { successful_billing_count: undefined, status: "ACTIVE", past_due_since: null },
        },
      },
      "failed, another attempt has paid, and the subscription was past due for another reason": {
        given: {
          subscriptions: { status: "PAST_DUE", past_due_since: "2026-01-05" },
          "+transactions": { ...OTHER_PAYMENT, status: "approved", cycle: 1 },
          with: { cycleStatus: "failed", subscriptionStatus: "PAST_DUE", errorCode: "e", succeeded: 0, failed: 1 },
        },
        does: {
          billing_cycles: { transaction_id: OTHER },
          subscriptions: { successful_billing_count: undefined, failed_billing_count: 2 },
        },
      },
      "a cycle that waits for this very payment": {
        given: {
          subscriptions: { status: "PAST_DUE", past_due_since: "2026-01-05" },
          "+billing_cycles": { cycle: 2, status: "retry", attempts: 1 },
        },
        does: { subscriptions: { status: "ACTIVE", past_due_since: null } },
      },
      "another subscription has a cycle of this payment": {
        given: { "+billing_cycles": { subscription_id: OTHER, cycle: 1, status: "pending" } },
      },
      "a subscription that had ended with the period": {
        given: {
          subscriptions: { status: "CANCELLED", cancelled_at: "2026-01-05", cancel_at_period_end: true },
          with: { subscriptionStatus: "CANCELLED" },
        },
        does: { subscriptions: { next_billing_date: null } },
      },
      "returned: a retry follows": {
        given: {
          with: {
            cycleStatus: "retry", subscriptionStatus: "PAST_DUE", nextAttemptAt: "2026-02-04", errorCode: "e",
            succeeded: 0, failed: 1,
          },
        },
        does: {
          billing_cycles: { status: "retry", error_code: "e", next_attempt_at: "2026-02-04" },
          subscriptions: {
            successful_billing_count: undefined, status: "PAST_DUE", past_due_since: "2026-02-01",
            failed_billing_count: 2,
          },
        },
      },
      "returned: the cycle has failed": {
        given: {
          with: { cycleStatus: "failed", subscriptionStatus: "PAST_DUE", errorCode: "e", succeeded: 0, failed: 1 },
        },
        does: {
          billing_cycles: { status: "failed", error_code: "e" },
          subscriptions: {
            successful_billing_count: undefined, status: "PAST_DUE", past_due_since: "2026-02-01",
            failed_billing_count: 2,
          },
        },
      },
      "returned, but another attempt has paid the cycle": {
        given: {
          "+transactions": { ...OTHER_PAYMENT, status: "approved", cycle: 1 },
          with: {
            cycleStatus: "retry", subscriptionStatus: "PAST_DUE", nextAttemptAt: "2026-02-04", errorCode: "e",
            succeeded: 0, failed: 1,
          },
        },
        does: {
          billing_cycles: { transaction_id: OTHER },
          subscriptions: { successful_billing_count: undefined, failed_billing_count: 2 },
        },
      },
      "returned, another attempt was paid and refunded": {
        given: {
          "+transactions": { ...OTHER_PAYMENT, status: "refunded", cycle: 1 },
          with: { cycleStatus: "failed", subscriptionStatus: "PAST_DUE", errorCode: "e", succeeded: 0, failed: 1 },
        },
        does: {
          billing_cycles: { transaction_id: OTHER },
          subscriptions: { successful_billing_count: undefined, failed_billing_count: 2 },
        },
      },
      "withdrawn, another attempt has paid the cycle": {
        given: {
          "+transactions": { ...OTHER_PAYMENT, status: "approved", cycle: 1 },
          with: { cycleStatus: "withdrawn", subscriptionStatus: null, errorCode: "e", succeeded: 0, failed: 0 },
        },
        does: { billing_cycles: { transaction_id: OTHER }, subscriptions: { successful_billing_count: undefined } },
      },
      "settled, and another attempt as well": {
        given: { "+transactions": { ...OTHER_PAYMENT, status: "approved", cycle: 1 } },
      },
      "returned, another attempt is pending": {
        given: {
          "+transactions": { ...OTHER_PAYMENT, status: "pending", cycle: 1 },
          with: { cycleStatus: "retry", subscriptionStatus: "PAST_DUE", errorCode: "e", succeeded: 0, failed: 1 },
        },
        does: {
          billing_cycles: { status: "retry", error_code: "e" },
          subscriptions: {
            successful_billing_count: undefined, status: "PAST_DUE", past_due_since: "2026-02-01",
            failed_billing_count: 2,
          },
        },
      },
      "returned, another cycle was paid": {
        given: {
          "+transactions": { ...OTHER_PAYMENT, status: "approved", cycle: 2 },
          with: { cycleStatus: "retry", subscriptionStatus: "PAST_DUE", errorCode: "e", succeeded: 0, failed: 1 },
        },
        does: {
          billing_cycles: { status: "retry", error_code: "e" },
          subscriptions: {
            successful_billing_count: undefined, status: "PAST_DUE", past_due_since: "2026-02-01",
            failed_billing_count: 2,
          },
        },
      },
      "returned, another subscription was paid": {
        given: {
          "+transactions": { ...OTHER_PAYMENT, subscription_id: OTHER, status: "approved", cycle: 1 },
          with: { cycleStatus: "retry", subscriptionStatus: "PAST_DUE", errorCode: "e", succeeded: 0, failed: 1 },
        },
        does: {
          billing_cycles: { status: "retry", error_code: "e" },
          subscriptions: {
            successful_billing_count: undefined, status: "PAST_DUE", past_due_since: "2026-02-01",
            failed_billing_count: 2,
          },
        },
      },
      "returned, two other attempts have paid: the first one": {
        given: {
          "+transactions": [
            { ...OTHER_PAYMENT, status: "approved", cycle: 1, created_at: "2026-01-04" },
            { ...THIRD_PAYMENT, status: "approved", cycle: 1, created_at: "2026-01-03" },
          ],
          with: { cycleStatus: "retry", subscriptionStatus: "PAST_DUE", errorCode: "e", succeeded: 0, failed: 1 },
        },
        does: {
          billing_cycles: { transaction_id: THIRD },
          subscriptions: { successful_billing_count: undefined, failed_billing_count: 2 },
        },
      },
      "a subscription that was past due, and is paid": {
        given: { subscriptions: { status: "PAST_DUE", past_due_since: "2026-01-05" } },
        does: { subscriptions: { status: "ACTIVE", past_due_since: null } },
      },
      "a subscription that is past due since the request": {
        given: { subscriptions: { status: "PAST_DUE", past_due_since: "2026-01-10" } },
      },
      "a subscription that is past due, at an unknown time": {
        given: { subscriptions: { status: "PAST_DUE" } },
        does: { subscriptions: { status: "ACTIVE" } },
      },
      "a subscription with another cycle that waits": {
        given: {
          subscriptions: { status: "PAST_DUE", past_due_since: "2026-01-05" },
          "+billing_cycles": { cycle: 2, transaction_id: OTHER, status: "retry", attempts: 1 },
        },
      },
      "a subscription with another cycle that was never tried": {
        given: {
          subscriptions: { status: "PAST_DUE", past_due_since: "2026-01-05" },
          "+billing_cycles": { cycle: 2, transaction_id: OTHER, status: "retry", attempts: 0 },
        },
        does: { subscriptions: { status: "ACTIVE", past_due_since: null } },
      },
      "a subscription with another cycle that has failed": {
        given: {
          subscriptions: { status: "PAST_DUE", past_due_since: "2026-01-05" },
          "+billing_cycles": { cycle: 2, transaction_id: OTHER, status: "failed", attempts: 1 },
        },
        does: { subscriptions: { status: "ACTIVE", past_due_since: null } },
      },
      "another subscription has a cycle that waits": {
        given: {
          subscriptions: { status: "PAST_DUE", past_due_since: "2026-01-05" },
          "+billing_cycles": { subscription_id: OTHER, cycle: 2, transaction_id: OTHER, status: "retry", attempts: 1 },
        },
        does: { subscriptions: { status: "ACTIVE", past_due_since: null } },
      },
      "a subscription that is past due stays past due": {
        given: {
          subscriptions: { status: "PAST_DUE", past_due_since: "2026-03-01" },
          with: { subscriptionStatus: "PAST_DUE" },
        },
      },
      "a subscription that has ended": {
        given: {
          subscriptions: {
            status: "CANCELLED", cancelled_at: "2026-01-05", next_billing_date: null, cancel_at_period_end: true,
          },
        },
      },
      "no change of the subscription": {
        given: {
          subscriptions: { status: "PAST_DUE", past_due_since: "2026-01-05", cancel_at_period_end: true },
          with: { subscriptionStatus: null },
        },
      },
      "the bank ends the subscription": {
        given: {
          subscriptions: { cancel_at_period_end: true },
          with: {
            cycleStatus: "failed", subscriptionStatus: "CANCELLED", cancelReason: "mandate", errorCode: "e",
            succeeded: 0, failed: 1,
          },
        },
        does: {
          billing_cycles: { status: "failed", error_code: "e" },
          subscriptions: {
            successful_billing_count: undefined, status: "CANCELLED", cancelled_at: "2026-02-01",
            cancel_reason: "mandate", next_billing_date: null, cancel_at_period_end: false, failed_billing_count: 2,
          },
        },
      },
      "a subscription that had ended with a reason": {
        given: {
          subscriptions: {
            status: "CANCELLED", cancelled_at: "2026-01-05", cancel_reason: "own", next_billing_date: null,
          },
          with: { subscriptionStatus: "CANCELLED", cancelReason: "other" },
        },
      },
    },
    same: { "dropped alternative: p.id is null or $7 <> 'PAST_DUE' then $7::text end = 'ACTIVE'": "Another paid attempt only prevents PAST_DUE; here another status is requested.", "dropped alternative: p.id is null or $7 <> 'PAST_DUE' then $7::text end = 'CANCELLED'": "Another paid attempt only prevents PAST_DUE; here another status is requested.", "dropped alternative: p.id is null or $7 <> 'PAST_DUE' then $7::text end is distinct from": "Another paid attempt only prevents PAST_DUE; here another status is requested.", "negated condition: is null or $7 <> 'PAST_DUE' then $7::text end = 'ACTIVE'": "Another paid attempt only prevents PAST_DUE; here another status is requested.", "negated condition: is null or $7 <> 'PAST_DUE' then $7::text end = 'CANCELLED'": "Another paid attempt only prevents PAST_DUE; here another status is requested.", "negated condition: is null or $7 <> 'PAST_DUE' then $7::text end is distinct from": "Another paid attempt only prevents PAST_DUE; here another status is requested.", "other word: 'PAST_DUE' then $7::text end = 'ACTIVE'": "Another paid attempt only prevents PAST_DUE; here another status is requested.", "dropped alternative: $7 <> 'PAST_DUE' then $7::text end = 'PAST_DUE'": "Another paid attempt only prevents PAST_DUE; here another status is requested.", "dropped condition: case when p.id is null or $7 <> 'PAST_DUE' then $7::text end = 'ACTIVE' and coalesce(": "The condition before checks it.", "removed default: coalesce(t.created_at > u.past_due_since, true)": "A subscription that is past due since an unknown time has no time to clear, and becomes active nevertheless.", "boolean: true) and not exists … when case when": "A subscription that is past due since an unknown time has no time to clear.", "dropped alternative: $7 <> 'PAST_DUE' then $7::text end = 'ACTIVE' and coalesce(": "Where another attempt has paid, unknown has the effect of true here: the requested status is set." },
  },
  "billing.end_retries": {
    given: {
      billing_cycles: { status: "retry", next_attempt_at: "2025-12-01" }, subscriptions: { status: "CANCELLED" },
    },
    gives: [{ cycle: 1 }],
    does: { billing_cycles: { status: "failed", updated_at: "2026-02-01", next_attempt_at: null } },
    not: {
      "a cycle that is collecting": { billing_cycles: { status: "collecting" } },
      "a subscription that is active": { subscriptions: { status: "ACTIVE" } },
    },
  },
  "billing.record_withdrawal_request": {
    given: { billing_cycles: { status: "pending" } },
    does: { billing_cycles: { updated_at: "2026-02-01", withdrawal_asked_at: "2026-02-01" } },
    not: {
      "a cycle of another subscription": { billing_cycles: { subscription_id: OTHER } },
      "another attempt at the cycle": { billing_cycles: { transaction_id: OTHER } },
      "a cycle that is collecting": { billing_cycles: { status: "collecting" } },
    },
  },
  "billing.lock_subscription_of_transaction": {
    gives: [{}],
    not: {
      "a payment of another subscription": { transactions: { subscription_id: OTHER } },
      "another payment": { transactions: { id: OTHER } },
    },
  },
  "billing.find_renewal": {
    given: {
      transactions: { ...RECORDED, status: "pending" }, mandates: OF_MANDATE,
      billing_cycles: { cycle: 3, attempts: 2, status: "pending" },
    },
    gives: [
      {
        id: ID, cycle: 3, status: "pending", attempts: 2, record_bic: "MBIC", record_iban: "******************3000",
        cycle_status: "pending", record_mandate_date: "2026-01-05", record_mandate_reference_id: "MREF",
      },
    ],
    not: {
      "another renewal": { with: { id: OTHER } },
      "a payment that is not of a cycle": { billing_cycles: { transaction_id: OTHER } },
      "a cycle of another subscription": { billing_cycles: { subscription_id: OTHER } },
    },
    same: {
      "removed default: coalesce(m.bic, t.bic)": "A renewal has no account of its own.",
    },
  },
  "billing.find_followed": {
    given: {
      transactions: { ...RECORDED, status: "approved" }, mandates: OF_MANDATE,
      billing_cycles: { cycle: 3, attempts: 2, status: "pending" }, with: { limit: 9 },
    },
    gives: [
      {
        id: ID, cycle: 3, status: "approved", attempts: 2, record_bic: "MBIC", record_iban: "******************3000",
        cycle_status: "pending", record_mandate_date: "2026-01-05", record_mandate_reference_id: "MREF",
      },
    ],
    not: {
      "a cycle of another subscription": { billing_cycles: { subscription_id: OTHER } },
      "a payment that is still pending": { transactions: { status: "pending" } },
      "a cycle that has followed": { billing_cycles: { status: "paid" } },
      "a payment that is not of a cycle": { billing_cycles: { transaction_id: OTHER } },
    },
    also: {
      "a payment that was declined": {
        given: { transactions: { status: "declined" } },
        gives: [{ status: "declined" }],
      },
      "another cycle of the subscription": {
        given: { "+billing_cycles": { cycle: 2, status: "paid", transaction_id: OTHER } },
      },
    },
    same: {
      "removed default: coalesce(m.bic, t.bic)": "A renewal has no account of its own.",
    },
  },
  "billing.find_to_withdraw": {
    given: {
      transactions: { ...RECORDED, status: "pending", cycle: 3 }, mandates: OF_MANDATE,
      subscriptions: { status: "CANCELLED", cancel_at_period_end: false },
      billing_cycles: { cycle: 3, attempts: 1, status: "pending", withdrawal_asked_at: null },
      with: { limit: 9, subscriptionId: null },
    },
    gives: [
      {
        id: ID, cycle: 3, status: "pending", attempts: 1, record_bic: "MBIC", record_iban: "******************3000",
        cycle_status: "pending", record_mandate_date: "2026-01-05", record_mandate_reference_id: "MREF",
      },
    ],
    not: {
      "a payment that has settled": { transactions: { status: "approved" } },
      "a payment of another subscription": { transactions: { subscription_id: OTHER } },
      "a cycle that is paid": { billing_cycles: { status: "paid" } },
      "a subscription that is active": { subscriptions: { status: "ACTIVE" } },
      "a subscription that has ended with its period": { subscriptions: { cancel_at_period_end: true } },
      "a gateway that was asked less than an hour ago": { billing_cycles: { withdrawal_asked_at: "2026-01-31T23:00:01Z" } },
      "another subscription": { with: { subscriptionId: OTHER } },
      "a first attempt beside one that is paid": { subscriptions: { status: "ACTIVE" }, "+transactions": { ...OTHER_PAYMENT, cycle: 3, status: "approved" } },
      "an earlier attempt that was declined": {
        subscriptions: { status: "ACTIVE" }, billing_cycles: { attempts: 2 },
        "+transactions": { ...OTHER_PAYMENT, cycle: 3, status: "declined" },
      },
      "an earlier attempt that was returned": {
        subscriptions: { status: "ACTIVE" }, billing_cycles: { attempts: 2 },
        "+transactions": { ...OTHER_PAYMENT, cycle: 3, status: "charged_back" },
      },
      "another cycle that is paid": {
        subscriptions: { status: "ACTIVE" }, billing_cycles: { attempts: 2 },
        "+transactions": { ...OTHER_PAYMENT, cycle: 2, status: "approved" },
      },
      "an earlier attempt of another subscription": {
        subscriptions: { status: "ACTIVE" }, billing_cycles: { attempts: 2 },
        "+transactions": { ...OTHER_PAYMENT, cycle: 3, subscription_id: OTHER, status: "approved" },
      },
      "a second attempt, alone": { subscriptions: { status: "ACTIVE" }, billing_cycles: { attempts: 2 } },
    },
    also: {
      "one requested subscription": { given: { with: { subscriptionId: ID } } },
      "a gateway that was asked an hour ago": {
        given: { billing_cycles: { withdrawal_asked_at: "2026-01-31T23:00:00Z" } },
      },
      "a second attempt beside one that is paid": {
        given: {
          subscriptions: { status: "ACTIVE" }, billing_cycles: { attempts: 2 },
          "+transactions": { ...OTHER_PAYMENT, cycle: 3, status: "approved" },
        },
        gives: [{ attempts: 2 }],
      },
      "a second attempt beside one that was refunded": {
        given: {
          subscriptions: { status: "ACTIVE" }, billing_cycles: { attempts: 2 },
          "+transactions": { ...OTHER_PAYMENT, cycle: 3, status: "refunded" },
        },
        gives: [{ attempts: 2 }],
      },
      "several, no more than requested": {
        given: {
          billing_cycles: [
            { cycle: 3, attempts: 1, status: "pending" },
            { cycle: 4, attempts: 3, transaction_id: OTHER, status: "pending", created_at: "2025-12-31" },
          ],
          "+transactions": { ...OTHER_PAYMENT, status: "pending", cycle: 4 }, with: { limit: 1 },
        },
        gives: [{ id: OTHER, cycle: 4, attempts: 3 }],
      },
    },
    same: {
      "removed default: coalesce(m.bic, t.bic)": "A renewal has no account of its own.",
      "dropped condition: o.id <> t.id": "A pending one is not paid itself.",
    },
  },
  "billing.tenants_followed": {
    given: {
      transactions: { status: "approved", cycle: 3 }, subscriptions: { status: "ACTIVE" },
      billing_cycles: { cycle: 3, attempts: 1, status: "pending", created_at: "2026-02-01" }, with: { limit: 9 },
    },
    gives: [{ tenant: 1 }],
    not: {
      "a payment that is still pending": { transactions: { status: "pending" } },
      "a cycle that has followed": { billing_cycles: { status: "paid" } },
      "a cycle that was opened later": { billing_cycles: { created_at: "2026-02-01T00:00:01Z" } },
      "a retry of a subscription that is active": { billing_cycles: { status: "retry" } },
      "an end of the period, with a cycle that is pending": { transactions: { status: "pending" }, subscriptions: { status: "CANCELLED", cancel_at_period_end: true } },
      "a gateway that was asked less than an hour ago": {
        transactions: { status: "pending" }, subscriptions: { status: "CANCELLED" },
        billing_cycles: { withdrawal_asked_at: "2026-01-31T23:00:01Z" },
      },
      "a cycle of another subscription that has ended": { transactions: { status: "pending" }, subscriptions: { id: OTHER, status: "CANCELLED" } },
      "a subscription that has ended, with a cycle that is paid": { subscriptions: { status: "CANCELLED" }, billing_cycles: { status: "paid" } },
      "a first attempt beside one that is paid": { transactions: { status: "pending" }, "+transactions": { ...OTHER_PAYMENT, cycle: 3, status: "approved" } },
      "a second attempt that has ended, beside one that is paid": {
        billing_cycles: { status: "failed", attempts: 2 },
        "+transactions": { ...OTHER_PAYMENT, cycle: 3, status: "approved" },
      },
      "a second attempt whose gateway was asked less than an hour ago": {
        transactions: { status: "pending" },
        billing_cycles: { attempts: 2, withdrawal_asked_at: "2026-01-31T23:00:01Z" },
        "+transactions": { ...OTHER_PAYMENT, cycle: 3, status: "approved" },
      },
      "an earlier attempt that was declined": {
        transactions: { status: "pending" }, billing_cycles: { attempts: 2 },
        "+transactions": { ...OTHER_PAYMENT, cycle: 3, status: "declined" },
      },
      "another cycle that is paid": {
        transactions: { status: "pending" }, billing_cycles: { attempts: 2 },
        "+transactions": { ...OTHER_PAYMENT, cycle: 2, status: "approved" },
      },
      "an earlier attempt of another subscription": {
        transactions: { status: "pending" }, billing_cycles: { attempts: 2 },
        "+transactions": { ...OTHER_PAYMENT, cycle: 3, subscription_id: OTHER, status: "approved" },
      },
      "a second attempt, alone": { transactions: { status: "pending" }, billing_cycles: { attempts: 2 } },
      "a second attempt, beside another cycle that was paid at its first": {
        transactions: { status: "pending" }, billing_cycles: { attempts: 2 },
        "+transactions": [
          { ...OTHER_PAYMENT, cycle: 2, status: "pending" }, { ...THIRD_PAYMENT, cycle: 2, status: "approved" },
        ],
      },
    },
    also: {
      "a retry of a subscription that has ended": {
        given: { subscriptions: { status: "CANCELLED" }, billing_cycles: { status: "retry" } },
      },
      "a retry of a subscription that has ended with its period": {
        given: {
          subscriptions: { status: "CANCELLED", cancel_at_period_end: true }, billing_cycles: { status: "retry" },
        },
      },
      "a subscription that has ended, with a cycle that is pending": {
        given: { transactions: { status: "pending" }, subscriptions: { status: "CANCELLED" } },
      },
      "a gateway that was asked an hour ago": {
        given: {
          transactions: { status: "pending" }, subscriptions: { status: "CANCELLED" },
          billing_cycles: { withdrawal_asked_at: "2026-01-31T23:00:00Z" },
        },
      },
      "a second attempt beside one that is paid": {
        given: {
          transactions: { status: "pending" }, billing_cycles: { attempts: 2 },
          "+transactions": { ...OTHER_PAYMENT, cycle: 3, status: "approved" },
        },
      },
      "a second attempt beside one that was refunded": {
        given: {
          transactions: { status: "pending" }, billing_cycles: { attempts: 2 },
          "+transactions": { ...OTHER_PAYMENT, cycle: 3, status: "refunded" },
        },
      },
      "a second attempt whose gateway was asked an hour ago": {
        given: {
          transactions: { status: "pending" },
          billing_cycles: { attempts: 2, withdrawal_asked_at: "2026-01-31T23:00:00Z" },
          "+transactions": { ...OTHER_PAYMENT, cycle: 3, status: "approved" },
        },
      },
    },
    same: {
      "dropped condition: u.status = 'CANCELLED' and not u.cancel_at_period_end": "The join says it.",
      "dropped condition: o.id <> t.id": "The first part finds those that are paid themselves.",
    },
  },
};
