/** Statements of `src/subscriptions`: the rows that each is for, and those that it leaves alone (tests/conditions.test.ts). */
import { added, type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { EVENTS, FOURTH, OTHER, OTHER_PAYMENT, THIRD, THIRD_PAYMENT } from "./rows.ts";

// A case is a line, or a few.
// prettier-ignore
export const SUBSCRIPTIONS: Entries = {
  "billing.write_announced": {
    given: {
      subscriptions: { announced_date: "2026-01-01", updated_at: "2026-02-01" }, notices: [],
      messages: { id: OTHER, notice_id: null },
      with: {
        nextBillingDate: "2026-02-10", messageId: THIRD, isWritten: false, events: EVENTS,
        notice: {
          id: FOURTH, mandate_id: ID, due_date: "2026-02-10", collection_date: "2026-02-11", amount: 30,
          currency: "EUR", billing_frequency: "monthly", mandate_reference: "r", creditor_name: "c",
          creditor_identifier: "i", iban_last4: "1234", notice_days: 14, lead_days: 2, event_id: THIRD,
        },
      },
    },
    gives: [{ id: ID }],
    does: {
      events: added({ id: THIRD, type: "payment_session.completed", payload: {}, created_at: "2026-02-01" }),
      messages: added({ id: "made here", kind: "x", created_at: "2026-02-01" }),
      notices: added({
        id: FOURTH, amount: 30, currency: "EUR", due_date: "2026-02-10", event_id: THIRD, lead_days: 2,
        created_at: "2026-02-01", iban_last4: "1234", mandate_id: ID, notice_days: 14, creditor_name: "c",
        collection_date: "2026-02-11", subscription_id: ID, billing_frequency: "monthly", mandate_reference: "r",
        creditor_identifier: "i",
      }),
      subscriptions: { announced_date: "2026-02-10" },
    },
    not: {
      "another subscription": { subscriptions: { id: OTHER } },
      "a subscription that was changed since it was read": { subscriptions: { updated_at: "2026-01-31" } },
      "a debit that is announced already": { subscriptions: { announced_date: "2026-02-10" } },
    },
    also: {
      "an event that a receiver listens to": {
        given: { webhook_profiles: { events: ["transaction.created"] } },
        does: {
          events: [
            added({ id: THIRD, type: "payment_session.completed", payload: {}, created_at: "2026-02-01" }),
            added({ id: FOURTH, type: "transaction.created", payload: {}, created_at: "2026-02-01" }),
          ],
        },
      },
      "an event of which only an archived receiver wants to hear": {
        given: { webhook_profiles: { events: ["transaction.created"], archived_at: "2026-01-01" } },
      },
      "a tenant whose customers get a message": {
        given: { tenants: { messages: ["pre_notification"] } },
        does: {
          messages: { id: THIRD, kind: "pre_notification", notice_id: FOURTH }, notices: { told_by: "message" },
        },
      },
      "a tenant whose customers get a message, which is written already": {
        given: { tenants: { messages: ["pre_notification"] }, with: { isWritten: true } },
        does: { messages: [], notices: { told_by: "message" } },
      },
      "later than the newest notice of the subscription": {
        given: {
          notices: [
            { created_at: "2026-03-01" }, { id: OTHER, created_at: "2026-02-15" },
            { id: THIRD, subscription_id: OTHER, created_at: "2026-04-01" },
          ],
        },
        does: { notices: { created_at: "2026-03-01T00:00:00.001Z" } },
      },
      "after an older notice": { given: { notices: { created_at: "2026-01-15" } } },
    },
  },
  "billing.keep_announced": {
    given: { with: { updatedAt: "2026-01-01T00:00:00Z" }, subscriptions: { announced_date: "2025-12-01" } },
    does: { subscriptions: { updated_at: "2026-02-01", announced_date: null } },
    not: {
      "another subscription": { subscriptions: { id: OTHER } },
      "a subscription that was changed since it was read": { subscriptions: { updated_at: "2025-12-01" } },
    },
  },
  "billing.announce_anew": {
    given: { subscriptions: { announced_date: "2026-01-01", next_billing_date: "2026-01-01" } },
    does: { subscriptions: { announced_date: null } },
    not: {
      "another notice": { notices: { id: OTHER } },
      "a notice of another debit": { subscriptions: { next_billing_date: "2025-12-01" } },
      "a debit that is announced with another date": { subscriptions: { announced_date: "2025-12-01" } },
    },
  },
  "billing.announce_untold": {
    given: {
      subscriptions: {
        status: "ACTIVE", announced_date: "2026-02-01", next_billing_date: "2026-02-01", updated_at: "2026-01-15",
        billing_anchor_date: null,
      },
      tenants: { notice_check: "refuse" }, notices: [], messages: [], webhook_deliveries: [], webhook_attempts: [],
      events: { fanned_out_at: "2026-01-02" }, with: { today: "2026-02-01" },
    },
    does: { subscriptions: { announced_date: null } },
    not: {
      "a tenant that only reports": { tenants: { notice_check: "report" } },
      "a subscription that has ended": { subscriptions: { status: "CANCELLED" } },
      "a debit that is announced with another date": { subscriptions: { announced_date: "2026-01-01" } },
      "a debit that is not due": { subscriptions: { announced_date: "2026-02-02", next_billing_date: "2026-02-02" } },
      "a subscription that was looked at today": { subscriptions: { updated_at: "2026-02-01" } },
      "a customer whose message is to be sent": { notices: { told_by: "message", due_date: "2026-01-20" }, messages: { notice_id: ID, state: "waiting" } },
      "a customer whose message was sent": { notices: { told_by: "message", due_date: "2026-01-20" }, messages: { notice_id: ID, state: "sent" } },
      "a customer who was told by the merchant": {
        notices: { told_by: "event", due_date: "2026-01-20" }, webhook_deliveries: { status: "delivered" },
        webhook_attempts: { error: null },
      },
      "an event that is to be sent": {
        notices: { told_by: "event", due_date: "2026-01-20" }, webhook_deliveries: { status: "pending" },
        webhook_attempts: [],
      },
      "an event that is tried again": {
        notices: { told_by: "event", due_date: "2026-01-20" }, webhook_deliveries: { status: "failing" },
        webhook_attempts: [],
      },
      "an event that was not handed to its receivers yet": {
        notices: { told_by: "event", due_date: "2026-01-20" }, webhook_deliveries: [],
        events: { fanned_out_at: null },
      },
      "a notice of this debit that is not due to be told": {
        notices: {
          told_by: "message", due_date: "2026-02-01", collection_date: "2026-02-10", lead_days: 2, notice_days: 3,
        },
      },
      "a notice of this debit whose customer can still be told in time": {
        notices: {
          told_by: "message", due_date: "2026-02-01", collection_date: "2026-02-04", lead_days: 3, notice_days: 2,
        },
      },
    },
    also: {
      "a message that could not be sent": {
        given: {
          notices: { told_by: "message", due_date: "2026-01-20" }, messages: { notice_id: ID, state: "failed" },
        },
      },
      "an event that could not be sent": {
        given: {
          notices: { told_by: "event", due_date: "2026-01-20" }, webhook_deliveries: { status: "exhausted" },
          webhook_attempts: { error: "x" },
        },
      },
      "a notice of a later debit": {
        given: { notices: { told_by: "message", due_date: "2026-02-02" }, messages: { notice_id: ID, state: "sent" } },
      },
      "a notice of before the subscription was changed": {
        given: {
          subscriptions: { billing_anchor_date: "2026-01-21" },
          notices: { told_by: "message", due_date: "2026-01-20" }, messages: { notice_id: ID, state: "sent" },
        },
      },
      "a notice of another subscription": {
        given: {
          notices: { subscription_id: OTHER, told_by: "message", due_date: "2026-01-20" },
          messages: { notice_id: ID, state: "sent" },
        },
      },
      "a notice of another mandate": {
        given: {
          notices: { mandate_id: OTHER, told_by: "message", due_date: "2026-01-20" },
          messages: { notice_id: ID, state: "sent" },
        },
      },
      "a notice of another amount": {
        given: {
          notices: { amount: 2, told_by: "message", due_date: "2026-01-20" },
          messages: { notice_id: ID, state: "sent" },
        },
      },
      "a notice in another currency": {
        given: {
          notices: { currency: "y", told_by: "message", due_date: "2026-01-20" },
          messages: { notice_id: ID, state: "sent" },
        },
      },
      "a notice of another frequency": {
        given: {
          notices: { billing_frequency: "y", told_by: "message", due_date: "2026-01-20" },
          messages: { notice_id: ID, state: "sent" },
        },
      },
      "a notice with another mandate reference": {
        given: {
          notices: { mandate_reference: "y", told_by: "message", due_date: "2026-01-20" },
          messages: { notice_id: ID, state: "sent" },
        },
      },
      "a notice with another creditor": {
        given: {
          notices: { creditor_name: "y", told_by: "message", due_date: "2026-01-20" },
          messages: { notice_id: ID, state: "sent" },
        },
      },
      "a notice with another creditor identifier": {
        given: {
          notices: { creditor_identifier: null, told_by: "message", due_date: "2026-01-20" },
          messages: { notice_id: ID, state: "sent" },
        },
      },
      "a notice with another account": {
        given: {
          notices: { iban_last4: "y", told_by: "message", due_date: "2026-01-20" },
          messages: { notice_id: ID, state: "sent" },
        },
      },
      "a notice of this debit whose customer can no longer be told in time": {
        given: {
          notices: {
            told_by: "message", due_date: "2026-02-01", collection_date: "2026-02-03", lead_days: 2, notice_days: 3,
          },
        },
      },
      "a notice of an earlier debit whose customer could still be told": {
        given: {
          notices: {
            told_by: "message", due_date: "2026-01-20", collection_date: "2026-02-10", lead_days: 2, notice_days: 3,
          },
        },
      },
      "a newer notice that says another amount": {
        given: {
          notices: [
            { told_by: "message", due_date: "2026-01-20" },
            {
              id: OTHER, told_by: "message", due_date: "2026-01-20", created_at: "2026-01-02", event_id: OTHER,
              amount: 2,
            },
          ],
          messages: { notice_id: ID, state: "sent" },
        },
      },
      "a newer notice that says another mandate id": {
        given: {
          notices: [
            { told_by: "message", due_date: "2026-01-20" },
            {
              id: OTHER, told_by: "message", due_date: "2026-01-20", created_at: "2026-01-02", event_id: OTHER,
              mandate_id: OTHER,
            },
          ],
          messages: { notice_id: ID, state: "sent" },
        },
      },
      "a newer notice that says another mandate reference": {
        given: {
          notices: [
            { told_by: "message", due_date: "2026-01-20" },
            {
              id: OTHER, told_by: "message", due_date: "2026-01-20", created_at: "2026-01-02", event_id: OTHER,
              mandate_reference: "y",
            },
          ],
          messages: { notice_id: ID, state: "sent" },
        },
      },
      "a newer notice that says another creditor name": {
        given: {
          notices: [
            { told_by: "message", due_date: "2026-01-20" },
            {
              id: OTHER, told_by: "message", due_date: "2026-01-20", created_at: "2026-01-02", event_id: OTHER,
              creditor_name: "y",
            },
          ],
          messages: { notice_id: ID, state: "sent" },
        },
      },
      "a newer notice that says another iban last4": {
        given: {
          notices: [
            { told_by: "message", due_date: "2026-01-20" },
            {
              id: OTHER, told_by: "message", due_date: "2026-01-20", created_at: "2026-01-02", event_id: OTHER,
              iban_last4: "y",
            },
          ],
          messages: { notice_id: ID, state: "sent" },
        },
      },
      "a newer notice that says another creditor identifier": {
        given: {
          notices: [
            { told_by: "message", due_date: "2026-01-20" },
            {
              id: OTHER, told_by: "message", due_date: "2026-01-20", created_at: "2026-01-02", event_id: OTHER,
              creditor_identifier: "y",
            },
          ],
          messages: { notice_id: ID, state: "sent" },
        },
      },
      "a newer notice that says another due date": {
        given: {
          notices: [
            { told_by: "message", due_date: "2026-01-20" },
            { id: OTHER, told_by: "message", due_date: "2026-01-19", created_at: "2026-01-02", event_id: OTHER },
          ],
          messages: { notice_id: ID, state: "sent" },
        },
      },
      "a newer notice that says another due date, a later one": {
        given: {
          notices: [
            { told_by: "message", due_date: "2026-01-20" },
            { id: OTHER, told_by: "message", due_date: "2026-02-02", created_at: "2026-01-02", event_id: OTHER },
          ],
          messages: { notice_id: ID, state: "sent" },
        },
      },
    },
  },
  "billing.take_up": {
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
      "another try of a cycle: its amount stays": {
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
      "another try of a cycle that had failed": {
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
      "due at this moment": { given: { transactions: { resolve_at: "2026-02-01" } } },
      "a lease that has ended": { given: { transactions: { locked_until: "2026-01-02" } } },
      "a customer who is to confirm": {
        given: { transactions: { status: "awaiting_verification" } },
        gives: [{ status: "verifying" }],
        does: { transactions: { status: "verifying" } },
      },
      "a mandate without a BIC": { given: { mandates: { bic: null } }, gives: [{ bic: null, record_bic: "B" }] },
      "a payment that no cycle waits for": { given: { billing_cycles: { transaction_id: OTHER } }, gives: [] },
      "another subscription's cycle": { given: { billing_cycles: { subscription_id: OTHER } }, gives: [] },
    },
  },
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
      "withdrawn, another attempt has paid a subscription that is behind since": {
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
      "approved, and another attempt as well": {
        given: { "+transactions": { ...OTHER_PAYMENT, status: "approved", cycle: 1 } },
      },
      "declined after all: it is not another attempt itself": {
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
      "withdrawn, another attempt has paid a subscription that was behind": {
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
      "failed, another attempt has paid, and the subscription was behind for another reason": {
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
      "what the gateway said before": {
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
      "declined: another try": {
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
      "declined, another attempt is on its way": {
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
      "a subscription that was behind, and is paid": {
        given: { subscriptions: { status: "PAST_DUE", past_due_since: "2026-01-05" } },
        does: { subscriptions: { status: "ACTIVE", past_due_since: null } },
      },
      "a subscription that is behind since it was asked": {
        given: { subscriptions: { status: "PAST_DUE", past_due_since: "2026-01-10" } },
      },
      "a subscription that is behind, at an unknown time": {
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
      "a subscription that is behind gets further behind": {
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
      "nothing said of the subscription": {
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
    same: { "dropped alternative: p.id is null or $18 <> 'PAST_DUE' then $18::text end = 'ACTIVE'": "Only PAST_DUE is held back where another attempt has paid; here it is asked for another status.", "dropped alternative: p.id is null or $18 <> 'PAST_DUE' then $18::text end = 'CANCELLED'": "Only PAST_DUE is held back where another attempt has paid; here it is asked for another status.", "dropped alternative: p.id is null or $18 <> 'PAST_DUE' then $18::text end is distinct from": "Only PAST_DUE is held back where another attempt has paid; here it is asked for another status.", "negated condition: is null or $18 <> 'PAST_DUE' then $18::text end = 'ACTIVE'": "Only PAST_DUE is held back where another attempt has paid; here it is asked for another status.", "negated condition: is null or $18 <> 'PAST_DUE' then $18::text end = 'CANCELLED'": "Only PAST_DUE is held back where another attempt has paid; here it is asked for another status.", "negated condition: is null or $18 <> 'PAST_DUE' then $18::text end is distinct from": "Only PAST_DUE is held back where another attempt has paid; here it is asked for another status.", "other word: 'PAST_DUE' then $18::text end = 'ACTIVE'": "Only PAST_DUE is held back where another attempt has paid; here it is asked for another status.", "dropped alternative: $18 <> 'PAST_DUE' then $18::text end = 'PAST_DUE'": "Only PAST_DUE is held back where another attempt has paid; here it is asked for another status.", "dropped condition: case when p.id is null or $18 <> 'PAST_DUE' then $18::text end = 'ACTIVE' and coalesce(": "It is asked for just before.", "removed default: coalesce(t.created_at > u.past_due_since, true)": "A subscription that is behind at an unknown time has no time to be cleared, and becomes active all the same.", "boolean: true) and not exists … when case when": "A subscription that is behind at an unknown time has no time to be cleared." },
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
      "withdrawn, another attempt has paid a subscription that is behind since": {
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
      "withdrawn, another attempt has paid a subscription that was behind": {
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
      "failed, another attempt has paid, and the subscription was behind for another reason": {
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
      "returned: another try": {
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
      "returned, another attempt is on its way": {
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
      "a subscription that was behind, and is paid": {
        given: { subscriptions: { status: "PAST_DUE", past_due_since: "2026-01-05" } },
        does: { subscriptions: { status: "ACTIVE", past_due_since: null } },
      },
      "a subscription that is behind since it was asked": {
        given: { subscriptions: { status: "PAST_DUE", past_due_since: "2026-01-10" } },
      },
      "a subscription that is behind, at an unknown time": {
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
      "a subscription that is behind gets further behind": {
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
      "nothing said of the subscription": {
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
    same: { "dropped alternative: p.id is null or $7 <> 'PAST_DUE' then $7::text end = 'ACTIVE'": "Only PAST_DUE is held back where another attempt has paid; here it is asked for another status.", "dropped alternative: p.id is null or $7 <> 'PAST_DUE' then $7::text end = 'CANCELLED'": "Only PAST_DUE is held back where another attempt has paid; here it is asked for another status.", "dropped alternative: p.id is null or $7 <> 'PAST_DUE' then $7::text end is distinct from": "Only PAST_DUE is held back where another attempt has paid; here it is asked for another status.", "negated condition: is null or $7 <> 'PAST_DUE' then $7::text end = 'ACTIVE'": "Only PAST_DUE is held back where another attempt has paid; here it is asked for another status.", "negated condition: is null or $7 <> 'PAST_DUE' then $7::text end = 'CANCELLED'": "Only PAST_DUE is held back where another attempt has paid; here it is asked for another status.", "negated condition: is null or $7 <> 'PAST_DUE' then $7::text end is distinct from": "Only PAST_DUE is held back where another attempt has paid; here it is asked for another status.", "other word: 'PAST_DUE' then $7::text end = 'ACTIVE'": "Only PAST_DUE is held back where another attempt has paid; here it is asked for another status.", "dropped alternative: $7 <> 'PAST_DUE' then $7::text end = 'PAST_DUE'": "Only PAST_DUE is held back where another attempt has paid; here it is asked for another status.", "dropped condition: case when p.id is null or $7 <> 'PAST_DUE' then $7::text end = 'ACTIVE' and coalesce(": "It is asked for just before.", "removed default: coalesce(t.created_at > u.past_due_since, true)": "A subscription that is behind at an unknown time has no time to be cleared, and becomes active all the same.", "boolean: true) and not exists … when case when": "A subscription that is behind at an unknown time has no time to be cleared." },
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
  "billing.note_asked": {
    given: { billing_cycles: { status: "pending" } },
    does: { billing_cycles: { updated_at: "2026-02-01", withdrawal_asked_at: "2026-02-01" } },
    not: {
      "a cycle of another subscription": { billing_cycles: { subscription_id: OTHER } },
      "another attempt at the cycle": { billing_cycles: { transaction_id: OTHER } },
      "a cycle that is collecting": { billing_cycles: { status: "collecting" } },
    },
  },
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
};
