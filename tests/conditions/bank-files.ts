/** Statements of the bank's files (`files-store.ts` and `approve/` of `src/gateways/sepa-batch`): what each is for, and what it leaves alone (tests/conditions.test.ts). */
import { added, type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { OTHER } from "./rows.ts";

// A case is a line, or a few.
// prettier-ignore
export const BANK_FILES: Entries = {
  "sepa_files.insert_approval": {
    given: { sepa_file_approvals: [] },
    gives: [{ "?column?": 1 }],
    does: { sepa_file_approvals: added({ file_id: ID, approver: "x", actor_name: "x", approved_at: "2026-02-01" }) },
    not: {
      "a person who has approved it already": { sepa_file_approvals: {} },
    },
  },
  "sepa_files.count_approval": {
    given: { sepa_files: { status: "to_approve" } },
    does: { sepa_files: { due_at: "2026-02-01", status: "stored", approvals: 2, updated_at: "2026-02-01" } },
    not: {
      "another file": { sepa_files: { id: OTHER } },
      "a file that is ready": { sepa_files: { status: "ready" } },
    },
    also: {
      "a file that needs three approvals": {
        given: { sepa_files: { approvals_required: 3 } },
        does: { sepa_files: { due_at: undefined, status: undefined } },
      },
      "a file that needs two approvals": { given: { sepa_files: { approvals_required: 2 } } },
      "a file that a person hands over": {
        given: { with: { manual: true } },
        does: { sepa_files: { due_at: undefined, status: "ready" } },
      },
    },
  },
  "sepa_files.lease_mailbox": {
    given: { sepa_accounts: { polled_at: null, lease_no: 4 }, with: { leaseMs: 120000 } },
    gives: [{ lease_no: 5 }],
    does: { sepa_accounts: { lease_no: 5, locked_until: "in 2 minutes" } },
    not: {
      "an account that another worker has": { sepa_accounts: { locked_until: "2100-01-01" } },
      "an account that was asked a moment ago": { sepa_accounts: { polled_at: "2026-03-01" } },
    },
    also: {
      "an account that was asked long ago": { given: { sepa_accounts: { polled_at: "2026-01-15" } } },
      "an account that was asked when it had to be": { given: { sepa_accounts: { polled_at: "2026-02-01" } } },
      "a lease that has ended": { given: { sepa_accounts: { locked_until: "2026-01-02" } } },
      "an account that is new": {
        given: { sepa_accounts: [] },
        gives: [{ lease_no: 1 }],
        does: { sepa_accounts: added({ lease_no: 1, gateway_id: ID }) },
      },
    },
    same: { "boundary: >= $3 * interval '1 millisecond'": "A lease that ends in this very microsecond is taken by the next pass." },
  },
  "sepa_files.release_mailbox": {
    given: { sepa_accounts: { locked_until: "2025-12-01" }, with: { error: "y" } },
    does: { sepa_accounts: { polled_at: "2026-02-01", poll_error: "y", locked_until: null } },
    not: {
      "another account": { sepa_accounts: { gateway_id: OTHER } },
      "an account that another worker has": { sepa_accounts: { lease_no: 0 } },
    },
  },
  "sepa_files.poll_soon": {
    given: { sepa_accounts: { polled_at: "2025-12-01" } },
    does: { sepa_accounts: { polled_at: null } },
    not: {
      "another account": { sepa_accounts: { gateway_id: OTHER } },
    },
  },
  "sepa_files.decide_unclear": {
    given: { sepa_files: { status: "unclear" }, with: { arrived: false } },
    gives: [{ "?column?": 1 }],
    does: { sepa_files: { error: null, due_at: "2026-02-01", status: "stored", updated_at: "2026-02-01" } },
    not: {
      "another file": { sepa_files: { id: OTHER } },
      "a file that is to approve": { sepa_files: { status: "to_approve" } },
    },
    also: {
      "a file that has arrived": {
        given: { with: { arrived: true } },
        does: { sepa_files: { due_at: undefined, status: "sent", sent_at: "2026-02-01" } },
      },
    },
  },
};
