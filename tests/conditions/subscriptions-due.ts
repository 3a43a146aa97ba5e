/** Statements of `src/subscriptions`: the rows that each is for, and those that it leaves alone (tests/conditions.test.ts). */
import { added, type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { OTHER, OTHER_PAYMENT, THIRD_PAYMENT } from "./rows.ts";

// A case is a line, or a few.
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
};
