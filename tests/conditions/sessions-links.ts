/** Statements of `src/sessions/links` and `src/sessions/campaigns`: what each is for, and what it leaves alone (tests/conditions.test.ts). */
import { type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { OTHER } from "./rows.ts";

// A case is a line, or a few.
// prettier-ignore
export const SESSIONS_LINKS: Entries = {
  "campaigns.stop": {
    given: {
      campaigns: { return_rate_min_payments: 10, return_rate_max: 20 },
      with: { countedFrom: null, collected: 10, returned: 3 },
    },
    gives: [{ id: ID }],
    does: { campaigns: { stopped_at: "2026-02-01", updated_at: "2026-02-01" } },
    not: {
      "another campaign": { campaigns: { id: OTHER } },
      "a campaign that is stopped": { campaigns: { stopped_at: "2026-01-15" } },
      "a campaign that was resumed since it was counted": { campaigns: { counted_from: "2026-01-15" } },
      "too few payments": { campaigns: { return_rate_min_payments: 11 } },
      "no more returns than it may have": { with: { returned: 2 } },
    },
    also: {
      "counted since it was resumed": {
        given: { campaigns: { counted_from: "2026-01-15" }, with: { countedFrom: "2026-01-15" } },
      },
    },
  },
  "campaigns.resume": {
    given: { campaigns: { stopped_at: "2025-12-01" } },
    gives: [{ id: ID }],
    does: { campaigns: { stopped_at: null, updated_at: "2026-02-01", counted_from: "2026-02-01" } },
    not: {
      "another campaign": { campaigns: { id: OTHER } },
      "a campaign that is not stopped": { campaigns: { stopped_at: null } },
    },
  },
  "payment_links.free_idle": {
    given: {
      sessions: { holds_link_use: true, status: "EXPIRED", open_transaction_id: null }, with: { sessionId: OTHER },
    },
    does: { sessions: { holds_link_use: false } },
    not: {
      "another payment link's session": { sessions: { payment_link_id: OTHER } },
      "the session itself": { with: { sessionId: ID } },
      "a session that is completed": { sessions: { status: "COMPLETED" } },
      "a session with an open attempt": { sessions: { open_transaction_id: OTHER } },
    },
    same: { "dropped condition: holds_link_use": "Those that hold none stay so." },
  },
  "payment_links.hold_use": {
    given: { sessions: { status: "PENDING", open_transaction_id: null } },
    gives: [{ id: ID }],
    does: { sessions: { holds_link_use: true } },
    not: {
      "another session": { sessions: { id: OTHER } },
      "a session that is awaiting verification": { sessions: { status: "AWAITING_VERIFICATION" } },
      "a session with an open attempt": { sessions: { open_transaction_id: OTHER } },
    },
  },
};
