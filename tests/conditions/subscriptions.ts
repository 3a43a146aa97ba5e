/** Statements of `src/subscriptions`: the rows that each is for, and those that it leaves alone (tests/conditions.test.ts). */
import { type Entries } from "../support/conditions.ts";
import { OTHER } from "./rows.ts";

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
};
