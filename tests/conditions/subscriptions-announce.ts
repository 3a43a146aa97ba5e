/**
 * Statements of `src/subscriptions`: their effect, and the rows that they must leave alone
 * (tests/conditions.test.ts).
 */
import { added, type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { AS_GOOD, each, EARLIER, NOTIFIED, NOTIFIED_BY_EVENT, NOT_NOTIFIED, VOID } from "./notices.ts";
import { EVENTS, FOURTH, OTHER, THIRD } from "./rows.ts";

// Each case stays on one line or a few.
// prettier-ignore
export const SUBSCRIPTIONS_ANNOUNCE: Entries = {
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
      "an event to which a receiver subscribes": {
        given: { webhook_profiles: { events: ["transaction.created"] } },
        does: {
          events: [
            added({ id: THIRD, type: "payment_session.completed", payload: {}, created_at: "2026-02-01" }),
            added({ id: FOURTH, type: "transaction.created", payload: {}, created_at: "2026-02-01" }),
          ],
        },
      },
      "an event to which only an archived receiver subscribes": {
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
  "billing.record_still_announced": {
    given: { with: { updatedAt: "2026-01-01T00:00:00Z" }, subscriptions: { announced_date: "2025-12-01" } },
    does: { subscriptions: { updated_at: "2026-02-01", announced_date: null } },
    not: {
      "another subscription": { subscriptions: { id: OTHER } },
      "a subscription that was changed since it was read": { subscriptions: { updated_at: "2025-12-01" } },
    },
  },
  "billing.announce_again": {
    given: { subscriptions: { announced_date: "2026-01-01", next_billing_date: "2026-01-01" } },
    does: { subscriptions: { announced_date: null } },
    not: {
      "another notice": { notices: { id: OTHER } },
      "a notice of another debit": { subscriptions: { next_billing_date: "2025-12-01" } },
      "a debit that is announced with another date": { subscriptions: { announced_date: "2025-12-01" } },
    },
  },
  "billing.announce_unnotified_again": {
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
      "a customer whom the merchant has notified": {
        notices: { told_by: "event", due_date: "2026-01-20" }, webhook_deliveries: { status: "delivered" },
        webhook_attempts: { error: null },
      },
      "an event that is to be sent": {
        notices: { told_by: "event", due_date: "2026-01-20" }, webhook_deliveries: { status: "pending" },
        webhook_attempts: [],
      },
      "an event that is retried": {
        notices: { told_by: "event", due_date: "2026-01-20" }, webhook_deliveries: { status: "failing" },
        webhook_attempts: [],
      },
      "an event that was not handed to its receivers yet": {
        notices: { told_by: "event", due_date: "2026-01-20" }, webhook_deliveries: [],
        events: { fanned_out_at: null },
      },
      "a notice of this debit that is not due yet": {
        notices: {
          told_by: "message", due_date: "2026-02-01", collection_date: "2026-02-10", lead_days: 2, notice_days: 3,
        },
      },
      "a notice of this debit that is not handed over yet": {
        notices: {
          told_by: "message", due_date: "2026-02-01", collection_date: "2026-02-05", lead_days: 2, notice_days: 10,
        },
      },
      "a notice after which the same was announced": {
        notices: [
          { told_by: "message", due_date: "2026-01-20" },
          { id: OTHER, told_by: "message", due_date: "2026-01-20", created_at: "2026-01-02", event_id: OTHER },
          { id: THIRD, told_by: "message", due_date: "2026-02-01", created_at: "2026-01-03", event_id: OTHER },
        ],
        messages: { notice_id: ID, state: "sent" },
      },
      "a notice before which another amount was announced": {
        notices: [
          { told_by: "message", due_date: "2026-01-20" },
          { id: OTHER, told_by: "message", due_date: "2026-01-20", created_at: "2025-12-31", event_id: OTHER, amount: 2 },
        ],
        messages: { notice_id: ID, state: "sent" },
      },
      "a notice that was made when another amount was announced": {
        notices: [
          { told_by: "message", due_date: "2026-01-20" },
          { id: OTHER, told_by: "message", due_date: "2026-01-20", created_at: "2026-01-01", event_id: OTHER, amount: 2 },
        ],
        messages: { notice_id: ID, state: "sent" },
      },
      "a notice of this debit whose customer can still be notified in time": {
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
      "a message that was given up, with a time": {
        given: {
          notices: { told_by: "message", due_date: "2026-01-20" },
          messages: { notice_id: ID, state: "given_up", sent_at: "2026-01-10" },
        },
      },
      "an event although a message was to notify": {
        given: {
          notices: { told_by: "message", due_date: "2026-01-20" }, webhook_deliveries: { status: "delivered" },
          webhook_attempts: { error: null },
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
      "a notice from before the subscription was changed": {
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
      "a notice of this debit whose customer can no longer be notified in time": {
        given: {
          notices: {
            told_by: "message", due_date: "2026-02-01", collection_date: "2026-02-03", lead_days: 2, notice_days: 3,
          },
        },
      },
      "a notice of an earlier debit whose customer could still be notified": {
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
    same: {
      "dropped condition: n.notice_check = 'refuse'": "The condition is there twice.",
      "removed default: coalesce(u.next_billing_date, x.due_date)": "A due one has a date.",
      "other word: 'sent') else": "A message that was sent is found by the condition before.",
      "extreme: greatest(min(a.at)": "Only whether there is a time matters.",
    },
  },
  "billing.find_upcoming": {
    given: {
      ...NOTIFIED, tenants: { notice_check: "refuse", closed_day: "next", pre_notification_days: 14 },
      subscriptions: {
        status: "ACTIVE", next_billing_date: "2026-02-01", billing_anchor_date: null, trial_end_date: null,
        cancel_at_period_end: false, announced_date: null,
      },
      orders: { order_number: "N-1" }, with: { today: "2026-01-18", limit: 9 },
    },
    gives: [{ id: ID, was_notified: true, is_written: true, order_number: "N-1", announced_day: "2026-02-01" }],
    not: {
      "a subscription that has ended": { subscriptions: { status: "CANCELLED" } },
      "a subscription that ends with its period": { subscriptions: { cancel_at_period_end: true } },
      "no next debit": { subscriptions: { next_billing_date: null } },
      "a renewal that is announced from tomorrow on": { subscriptions: { next_billing_date: "2026-02-02" } },
      "a tenant that notifies a day later": { tenants: { pre_notification_days: 13 } },
      "a renewal after the closed days": { tenants: { closed_day: "previous" }, subscriptions: { next_billing_date: "2026-02-06" } },
      "a renewal before closed days, collected after them": { tenants: { closed_day: "next" }, subscriptions: { next_billing_date: "2026-02-05" } },
      "a renewal that is announced": { subscriptions: { announced_date: "2026-02-01" } },
      "a campaign that is stopped": { campaigns: { stopped_at: "2026-01-01" } },
    },
    also: {
      ...each(VOID, { gives: [{ is_written: false, was_notified: false, announced_day: null }] }),
      ...each(NOT_NOTIFIED, { gives: [{ is_written: false, was_notified: false }] }),
      ...each(EARLIER, { gives: [{ announced_day: null }] }),
      ...each(AS_GOOD),
      "the same with a later day was announced since": {
        given: {
          "+notices": {
            id: OTHER, due_date: "2026-02-01", collection_date: "2026-02-03", told_by: "message",
            created_at: "2026-01-02",
          },
        },
        gives: [{ announced_day: "2026-02-03" }],
      },
      "the same with an earlier day was announced since": {
        given: {
          "+notices": {
            id: OTHER, due_date: "2026-02-01", collection_date: "2026-01-31", told_by: "message",
            created_at: "2026-01-02",
          },
        },
      },
      "a message that is to be sent": { given: { messages: { state: "waiting" } } },
      "a message that is to be sent, although a receiver was to notify": {
        given: { notices: { told_by: "event" }, messages: { state: "waiting" } },
      },
      "a message that was sent, although a receiver was to notify": { given: { notices: { told_by: "event" } } },
      "a receiver that was notified": { given: NOTIFIED_BY_EVENT, gives: [{ is_written: false }] },
      "a renewal before closed days": {
        given: { tenants: { closed_day: "previous" }, subscriptions: { next_billing_date: "2026-02-05" } },
        gives: [{ announced_day: null }],
      },
      "another renewal that is announced": { given: { subscriptions: { announced_date: "2026-01-01" } } },
      "another campaign that is stopped": { given: { "+campaigns": { id: OTHER, stopped_at: "2026-01-01" } } },
      "a day that has passed": { given: { with: { today: "2026-03-01" } } },
      "several, the first to be collected first": {
        given: {
          "+subscriptions": [
            { id: FOURTH, order_id: FOURTH, status: "ACTIVE", next_billing_date: "2026-01-31" },
            { id: THIRD, order_id: THIRD, status: "ACTIVE", next_billing_date: "2026-01-31" },
          ],
          "+orders": [
            { id: FOURTH, session_id: FOURTH, order_number: "N-4" },
            { id: THIRD, session_id: THIRD, order_number: "N-3" },
          ],
          "+sessions": [
            { id: FOURTH, tenant_reference_id: null, closed_at: "2026-01-01", status: "COMPLETED" },
            { id: THIRD, tenant_reference_id: null, status: "COMPLETED", closed_at: "2026-01-01" },
          ],
        },
        gives: [
          { id: THIRD, was_notified: false, is_written: false, order_number: "N-3", announced_day: null },
          { id: FOURTH, was_notified: false, is_written: false, order_number: "N-4", announced_day: null },
          { id: ID, was_notified: true, is_written: true, order_number: "N-1", announced_day: "2026-02-01" },
        ],
      },
      "no more than requested": {
        given: {
          "+subscriptions": [{ id: THIRD, order_id: THIRD, status: "ACTIVE", next_billing_date: "2026-01-31" }],
          "+orders": [{ id: THIRD, session_id: THIRD, order_number: "N-3" }],
          "+sessions": [{ id: THIRD, tenant_reference_id: null, status: "COMPLETED", closed_at: "2026-01-01" }],
          with: { limit: 1 },
        },
        gives: [{ id: THIRD, was_notified: false, is_written: false, order_number: "N-3", announced_day: null }],
      },
    },
    same: {
      "removed default: coalesce(u.next_billing_date, x.due_date)": "Each requested one has a date.",
      "other word: 'sent') else": "A message that was sent is found by the condition before.",
      "extreme: greatest(min(a.at)": "Only whether there is a time matters.",
      "dropped condition: x.due_date between coalesce(u.billing_anchor_date": "The day of the next debit is one of its schedule.",
    },
  },
  "billing.find_next_renewals": {
    given: { ...NOTIFIED, billing_cycles: { cycle: 3, status: "retry", next_attempt_at: "2026-02-03" } },
    gives: [{ id: ID, retry_at: "2026-02-03", was_notified: true, announced_day: "2026-02-01" }],
    not: {
      "another subscription": { with: { ids: [OTHER] } },
      "a subscription that has ended": { subscriptions: { status: "CANCELLED" } },
      "no next debit": { subscriptions: { next_billing_date: null } },
      "a campaign that is stopped": { campaigns: { stopped_at: "2026-01-01" } },
    },
    also: {
      ...each(VOID, { gives: [{ was_notified: false, announced_day: null }] }),
      ...each(NOT_NOTIFIED, { gives: [{ was_notified: false }] }),
      ...each(EARLIER, { gives: [{ announced_day: null }] }),
      ...each(AS_GOOD),
      "the same with a later day was announced since": {
        given: {
          "+notices": {
            id: OTHER, due_date: "2026-02-01", collection_date: "2026-02-03", told_by: "message",
            created_at: "2026-01-02",
          },
        },
        gives: [{ announced_day: "2026-02-03" }],
      },
      "the same with an earlier day was announced since": {
        given: {
          "+notices": {
            id: OTHER, due_date: "2026-02-01", collection_date: "2026-01-31", told_by: "message",
            created_at: "2026-01-02",
          },
        },
      },
      "a message that is to be sent": { given: { messages: { state: "waiting" } } },
      "a message that is to be sent, although a receiver was to notify": {
        given: { notices: { told_by: "event" }, messages: { state: "waiting" } },
      },
      "a receiver that was notified": { given: NOTIFIED_BY_EVENT },
      "a message that was sent, although a receiver was to notify": { given: { notices: { told_by: "event" } } },
      "another campaign that is stopped": { given: { "+campaigns": { id: OTHER, stopped_at: "2026-01-01" } } },
      "no retry": { given: { billing_cycles: { status: "paid" } }, gives: [{ retry_at: null }] },
      "a retry of another subscription": {
        given: { billing_cycles: { subscription_id: OTHER } },
        gives: [{ retry_at: null }],
      },
      "two retries": {
        given: { "+billing_cycles": { cycle: 4, status: "retry", next_attempt_at: "2026-02-02" } },
        gives: [{ retry_at: "2026-02-02" }],
      },
    },
    same: {
      "removed default: coalesce(u.next_billing_date, x.due_date)": "Each requested one has a date.",
      "other word: 'sent') else": "A message that was sent is found by the condition before.",
      "extreme: greatest(min(a.at)": "Only whether there is a time matters.",
      "dropped condition: x.due_date between coalesce(u.billing_anchor_date": "The day of the next debit is one of its schedule.",
    },
  },
  "billing.tenants_upcoming": {
    given: {
      tenants: { notice_check: "refuse", closed_day: "next", pre_notification_days: 14 },
      subscriptions: {
        status: "ACTIVE", next_billing_date: "2026-02-01", billing_anchor_date: null, trial_end_date: null,
        cancel_at_period_end: false, announced_date: null,
      },
      with: { now: "2026-01-18T12:00:00Z", limit: 9 },
    },
    gives: [{ tenant: 1 }],
    not: {
      "a subscription that has ended": { subscriptions: { status: "CANCELLED" } },
      "a subscription that ends with its period": { subscriptions: { cancel_at_period_end: true } },
      "no next debit": { subscriptions: { next_billing_date: null } },
      "a renewal that is announced from tomorrow on": { subscriptions: { next_billing_date: "2026-02-02" } },
      "a tenant that notifies a day later": { tenants: { pre_notification_days: 13 } },
      "a renewal after the closed days": { tenants: { closed_day: "previous" }, subscriptions: { next_billing_date: "2026-02-06" } },
      "a renewal before closed days, collected after them": { tenants: { closed_day: "next" }, subscriptions: { next_billing_date: "2026-02-05" } },
      "a renewal that is announced": { subscriptions: { announced_date: "2026-02-01" } },
      "a renewal that is announced, a day before it is due": { subscriptions: { announced_date: "2026-02-01" }, with: { now: "2026-01-31T12:00:00Z" } },
      "a renewal that is announced and due, of a tenant that only reports": {
        tenants: { notice_check: "report" }, subscriptions: { announced_date: "2026-02-01" },
        with: { now: "2026-02-01T12:00:00Z" },
      },
    },
    also: {
      "a renewal before closed days": {
        given: { tenants: { closed_day: "previous" }, subscriptions: { next_billing_date: "2026-02-05" } },
      },
      "another renewal that is announced": { given: { subscriptions: { announced_date: "2026-01-01" } } },
      "a renewal that is announced and due": {
        given: { subscriptions: { announced_date: "2026-02-01" }, with: { now: "2026-02-01T12:00:00Z" } },
      },
      "two subscriptions of a tenant": {
        given: { "+subscriptions": { id: THIRD, order_id: THIRD, status: "ACTIVE", next_billing_date: "2026-01-31" } },
      },
    },
  },
};
