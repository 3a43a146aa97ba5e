/**
 * A renewal of 2026-02-01 whose customer was notified in time by a message, and changes that make its notice void or
 * leave it valid (src/messages/notice-conditions.ts). The statements that check a notice share these rows.
 */
import type { Case, Given } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { OTHER } from "./rows.ts";

/** The rows of the renewal, its notice and the notice's message. */
export const NOTIFIED = {
  tenants: { notice_check: "refuse", closed_day: "next" },
  subscriptions: {
    status: "ACTIVE",
    next_billing_date: "2026-02-01",
    billing_anchor_date: null,
    trial_end_date: null,
    cancel_at_period_end: false,
  },
  mandates: { status: "active" },
  notices: {
    due_date: "2026-02-01",
    collection_date: "2026-02-01",
    told_by: "message",
    notice_days: 14,
    lead_days: 2,
  },
  messages: { notice_id: ID, state: "sent", sent_at: "2026-01-10" },
  events: { fanned_out_at: "2026-01-02" },
  webhook_deliveries: [],
  webhook_attempts: [],
  billing_cycles: [],
} satisfies Given;

/** A later notice that did not reach the customer. */
const later = (said: Record<string, unknown>): Given => ({
  "+notices": {
    id: OTHER,
    due_date: "2026-02-01",
    collection_date: "2026-02-01",
    told_by: "message",
    created_at: "2026-01-02",
    ...said,
  },
});

// Each case stays on one line or a few.
// prettier-ignore
/** After these changes the notice is not or no longer about the renewal. */
export const VOID: Readonly<Record<string, Given>> = {
  "no notice": { notices: [] },
  "a notice of another subscription": { notices: { subscription_id: OTHER } },
  "a notice of another mandate": { notices: { mandate_id: OTHER } },
  "a notice of another existing mandate": {
    notices: { mandate_id: OTHER, mandate_reference: "y" }, "+mandates": { id: OTHER, reference: "y" },
  },
  "a notice of another amount": { notices: { amount: 2 } },
  "a notice in another currency": { notices: { currency: "y" } },
  "a notice of another frequency": { notices: { billing_frequency: "y" } },
  "a notice with another mandate reference": { notices: { mandate_reference: "y" } },
  "a notice with another creditor": { notices: { creditor_name: "y" } },
  "a notice with another creditor identifier": { notices: { creditor_identifier: "y" } },
  "a notice with another account": { notices: { iban_last4: "y" } },
  "a notice of a later debit": { notices: { due_date: "2026-02-02" } },
  "a notice from before the schedule was moved": {
    subscriptions: { billing_anchor_date: "2026-01-21" }, notices: { due_date: "2026-01-20" },
  },
  "an earlier debit was announced since": later({ due_date: "2026-01-31" }),
  "a debit after this one was announced since": later({ due_date: "2026-02-02" }),
  "another amount was announced since": later({ amount: 2 }),
  "another mandate was announced since": later({ mandate_id: OTHER }),
  "another mandate reference was announced since": later({ mandate_reference: "y" }),
  "another creditor was announced since": later({ creditor_name: "y" }),
  "another creditor identifier was announced since": later({ creditor_identifier: "y" }),
  "a creditor without an identifier was announced since": later({ creditor_identifier: null }),
  "another account was announced since": later({ iban_last4: "y" }),
};

// prettier-ignore
/** After these changes the notice is still valid, because an announcement holds for later debits as well. */
export const EARLIER: Readonly<Record<string, Given>> = {
  "a notice of an earlier debit": { notices: { due_date: "2026-01-20" } },
  "a notice of the first debit of the schedule": {
    subscriptions: { billing_anchor_date: "2026-01-20" }, notices: { due_date: "2026-01-20" },
  },
};

// prettier-ignore
/** After these changes the notice is still valid. */
export const AS_GOOD: Readonly<Record<string, Given>> = {
  "a creditor without an identifier": {
    notices: { creditor_identifier: null }, mandates: { creditor_identifier: null },
  },
  "the same was announced since": later({}),
  "another amount was announced before": later({ amount: 2, created_at: "2025-12-31" }),
  "another amount was announced at the same time": later({ amount: 2, created_at: "2026-01-01" }),
  "another amount was announced for another subscription": later({ amount: 2, subscription_id: OTHER }),
};

/** The notice was an event that a receiver has accepted, instead of a message. */
export const NOTIFIED_BY_EVENT = {
  notices: { told_by: "event" },
  messages: [],
  webhook_deliveries: { status: "delivered" },
  webhook_attempts: { error: null, at: "2026-01-10" },
} satisfies Given;

// prettier-ignore
/** After these changes no notice has reached the customer, and none is about to be sent. */
export const NOT_NOTIFIED: Readonly<Record<string, Given>> = {
  "a message that could not be sent": { messages: { state: "given_up" } },
  "a message about something else": { messages: { notice_id: OTHER } },
  "an event although a message was to notify": { ...NOTIFIED_BY_EVENT, notices: { told_by: "message" } },
  "an event that its receiver refused": {
    ...NOTIFIED_BY_EVENT, webhook_attempts: { error: "status_500", at: "2026-01-10" },
  },
  "an attempt of another event": { ...NOTIFIED_BY_EVENT, webhook_deliveries: { event_id: OTHER, status: "delivered" } },
  "an attempt of another delivery": { ...NOTIFIED_BY_EVENT, webhook_attempts: { delivery_id: OTHER, error: null } },
};

/** Gives each of these changes the same outcome. */
export function each(changes: Readonly<Record<string, Given>>, outcome: Omit<Case, "given"> = {}) {
  return Object.fromEntries(Object.entries(changes).map(([name, given]) => [name, { ...outcome, given }]));
}
