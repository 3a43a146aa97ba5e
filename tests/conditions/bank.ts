/** Statements of `src/gateways/sepa-batch`: the rows that each is for, and those that it leaves alone (tests/conditions.test.ts). */
import { added, type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { BYTES, OTHER } from "./rows.ts";

// A case is a line, or a few.
// prettier-ignore
export const BANK: Entries = {
  "sepa_files.insert_approval": {
    given: { sepa_file_approvals: [] },
    gives: [{ "?column?": 1 }],
    does: { sepa_file_approvals: added({ file_id: ID, approver: "x", actor_name: "x", approved_at: "2026-02-01" }) },
    also: {
      "a person who has approved it already": {
        given: { sepa_file_approvals: {} },
        gives: [],
        does: { sepa_file_approvals: [] },
      },
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
  "sepa.open": {
    given: {
      sepa_collections: [],
      with: {
        state: "accepted", amount: 30, currency: "EUR", recurring: true, scheme: "B2B", remittance: "r",
        debtorName: "d", mandateReference: "m", reasonCode: null, refundOf: null,
      },
    },
    gives: [{ state: "accepted", asked_count: 1 }],
    does: {
      sepa_collections: added({
        state: "accepted", amount: 30, debtor: BYTES, scheme: "B2B", currency: "EUR", recurring: true,
        reference: "x", created_at: "2026-02-01", gateway_id: ID, not_before: "2026-02-01", remittance: "r",
        updated_at: "2026-02-01", debtor_name: "d", mandate_reference: "m", mandate_signed_on: "2026-02-01",
      }),
    },
    also: {
      "asked again: counted": {
        given: { sepa_collections: { asked_count: 1 } },
        gives: [{ state: "x", asked_count: 2 }],
        does: {
          sepa_collections: {
            state: undefined, amount: undefined, debtor: undefined, scheme: undefined, currency: undefined,
            recurring: undefined, reference: undefined, created_at: undefined, gateway_id: undefined,
            not_before: undefined, remittance: undefined, updated_at: undefined, debtor_name: undefined,
            mandate_reference: undefined, mandate_signed_on: undefined, added: undefined, asked_count: 2,
          },
        },
      },
    },
  },
  "sepa.open_refund": {
    given: {
      sepa_collections: {
        refund_of: null, state: "settled", amount: 30, settled_on: "2026-01-20", debtor_name: "d",
        mandate_reference: "m", scheme: "CORE",
      },
      with: { reference: "refund", amount: 10, reversibleUntil: null, settledBy: "2026-01-25", remittance: "text" },
    },
    gives: [{ state: "accepted" }],
    does: {
      sepa_collections: added({
        state: "accepted", amount: 10, debtor: BYTES, scheme: "CORE", currency: "x", recurring: false,
        reference: "refund", refund_of: "x", created_at: "2026-02-01", gateway_id: ID, not_before: "2026-02-01",
        remittance: "text", updated_at: "2026-02-01", debtor_name: "d", collected_on: "2026-01-20",
        mandate_reference: "m",
      }),
    },
    also: {
      "asked again: counted": {
        given: {
          sepa_collections: [
            { refund_of: null, state: "settled", amount: 30 },
            { reference: "refund", refund_of: "x", state: "accepted", amount: 10 },
          ],
        },
        does: {
          sepa_collections: {
            state: undefined, amount: undefined, debtor: undefined, scheme: undefined, currency: undefined,
            recurring: undefined, refund_of: undefined, created_at: undefined, gateway_id: undefined,
            not_before: undefined, remittance: undefined, updated_at: undefined, debtor_name: undefined,
            collected_on: undefined, mandate_reference: undefined, added: undefined, asked_count: 2,
          },
        },
      },
      "credited on the last day": { given: { with: { settledBy: "2026-01-20" } } },
      "credited too recently": {
        given: { with: { settledBy: "2026-01-19" } },
        gives: [{ state: "refused" }],
        does: { sepa_collections: { state: "refused", reason_code: "DT01" } },
      },
      "all of it": { given: { with: { amount: 30 } }, does: { sepa_collections: { amount: 30 } } },
      "more than it": {
        given: { with: { amount: 31 } },
        gives: [{ state: "refused" }],
        does: { sepa_collections: { state: "refused", amount: 31, reason_code: "AM02" } },
      },
      "more than is left of it": {
        given: { "+sepa_collections": { reference: "other", refund_of: "x", state: "accepted", amount: 21 } },
        gives: [{ state: "refused" }],
        does: { sepa_collections: { state: "refused", reason_code: "AM02" } },
      },
      "a refund in a file counts": {
        given: { "+sepa_collections": { reference: "other", refund_of: "x", state: "batched", amount: 21 } },
        gives: [{ state: "refused" }],
        does: { sepa_collections: { state: "refused", reason_code: "AM02" } },
      },
      "a refund that has settled counts": {
        given: { "+sepa_collections": { reference: "other", refund_of: "x", state: "settled", amount: 21 } },
        gives: [{ state: "refused" }],
        does: { sepa_collections: { state: "refused", reason_code: "AM02" } },
      },
      "a refund that was rejected does not count": {
        given: { "+sepa_collections": { reference: "other", refund_of: "x", state: "rejected", amount: 21 } },
      },
      "another collection's refund does not count": {
        given: { "+sepa_collections": { reference: "other", refund_of: "y", state: "settled", amount: 21 } },
      },
      "another account's refund does not count": {
        given: {
          "+sepa_collections": { gateway_id: OTHER, reference: "other", refund_of: "x", state: "settled", amount: 21 },
        },
      },
      "a collection that is in a file": {
        given: { sepa_collections: { state: "batched" } },
        gives: [{ state: "refused" }],
        does: { sepa_collections: { state: "refused", reason_code: "ARDT" } },
      },
      "another currency": {
        given: { with: { currency: "y" } },
        gives: [{ state: "refused" }],
        does: { sepa_collections: { state: "refused", currency: "y", reason_code: "NOOR" } },
      },
      "an unknown collection": {
        given: { sepa_collections: [] },
        gives: [{ state: "refused" }],
        does: {
          sepa_collections: {
            state: "refused", debtor: undefined, scheme: undefined, debtor_name: "", collected_on: undefined,
            mandate_reference: "", reason_code: "NOOR",
          },
        },
      },
      "another account's collection": {
        given: { sepa_collections: { gateway_id: OTHER } },
        gives: [{ state: "refused" }],
        does: {
          sepa_collections: {
            state: "refused", debtor: undefined, scheme: undefined, debtor_name: "", collected_on: undefined,
            mandate_reference: "", reason_code: "NOOR",
          },
        },
      },
      "another collection": {
        given: { sepa_collections: { reference: "y" } },
        gives: [{ state: "refused" }],
        does: {
          sepa_collections: {
            state: "refused", debtor: undefined, scheme: undefined, debtor_name: "", collected_on: undefined,
            mandate_reference: "", reason_code: "NOOR",
          },
        },
      },
      "a refund is not refunded": {
        given: { sepa_collections: { refund_of: "y" } },
        gives: [{ state: "refused" }],
        does: {
          sepa_collections: {
            state: "refused", debtor: undefined, scheme: undefined, debtor_name: "", collected_on: undefined,
            mandate_reference: "", reason_code: "NOOR",
          },
        },
      },
      "a collection that is only assumed to have settled": { given: { sepa_collections: { assumed: true } } },
      "a reversal of all of it": {
        given: { with: { reversibleUntil: "2026-02-10", amount: 30, settledBy: "2026-01-19" } },
        does: { sepa_collections: { amount: 30, reversible_until: "2026-02-10" } },
      },
      "a reversal of a part": {
        given: { with: { reversibleUntil: "2026-02-10" } },
        gives: [{ state: "refused" }],
        does: { sepa_collections: { state: "refused", reason_code: "AM09", reversible_until: "2026-02-10" } },
      },
      "a reversal of what is only assumed to have settled": {
        given: { sepa_collections: { assumed: true }, with: { reversibleUntil: "2026-02-10", amount: 30 } },
        gives: [{ state: "refused" }],
        does: {
          sepa_collections: { state: "refused", amount: 30, reason_code: "ARDT", reversible_until: "2026-02-10" },
        },
      },
    },
  },
  "sepa.fence": {
    given: { sepa_collections: { asked_count: 3 } },
    gives: [{ state: "x", asked_count: 3 }],
    also: {
      "a collection that never came": {
        given: { sepa_collections: [] },
        gives: [{ state: "fenced", asked_count: 0 }],
        does: {
          sepa_collections: added({
            state: "fenced", amount: 0, currency: "", recurring: false, reference: "x", created_at: "2026-02-01",
            gateway_id: ID, remittance: "", updated_at: "2026-02-01", asked_count: 0, debtor_name: "",
            mandate_reference: "",
          }),
        },
      },
    },
    same: { "dropped assignment: sepa_collections.asked_count": "It sets what is there, so that the row is returned." },
  },
  "sepa.withdraw": {
    given: { sepa_collections: { state: "accepted" } },
    gives: [{ reference: "x" }],
    does: { sepa_collections: { state: "fenced", updated_at: "2026-02-01" } },
    not: {
      "a collection of another account": { sepa_collections: { gateway_id: OTHER } },
      "another collection": { sepa_collections: { reference: "y" } },
      "a collection that is mandate only": { sepa_collections: { state: "mandate_only" } },
    },
    also: {
      "a collection that is fenced": {
        given: { sepa_collections: { state: "fenced" } },
        does: { sepa_collections: { state: undefined } },
      },
    },
  },
  "sepa.acknowledge": {
    does: { sepa_news: { acknowledged_at: "2026-02-01" } },
    not: {
      "a piece of news of another account": { sepa_news: { gateway_id: OTHER } },
      "another piece of news": { sepa_news: { number: 0 } },
      "a piece of news that was acknowledged": { sepa_news: { acknowledged_at: "2025-12-01" } },
    },
  },
  "sepa.cancel": {
    given: { sepa_collections: { state: "accepted" }, sepa_news: [], with: { on: "2026-01-30" } },
    gives: [{ reference: "x" }],
    does: {
      sepa_collections: {
        state: "rejected", updated_at: "2026-02-01", reason_code: "CUST", returned_on: "2026-01-30",
      },
      sepa_news: added({ at: "2026-02-01", kind: "returned", reference: "x", gateway_id: ID, reason_code: "CUST", reason_message: "x" }),
    },
    not: {
      "another account's collection": { sepa_collections: { gateway_id: OTHER } },
      "another collection": { sepa_collections: { reference: "y" } },
      "a collection that is in a file": { sepa_collections: { state: "batched" } },
    },
    also: {
      "a collection of which the return is told already": {
        given: { sepa_news: { kind: "returned", round: 0 } },
        does: { sepa_news: [] },
      },
    },
  },
  "sepa_files.take_poll": {
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
  "sepa_files.finish_read": {
    given: { with: { kind: "k", messageId: "m", entries: 7, report: { n: 1 } } },
    does: { sepa_files: { kind: "k", report: { n: 1 }, message_id: "m", updated_at: "2026-02-01", transactions: 7 } },
    not: {
      "another file": { sepa_files: { id: OTHER } },
    },
  },
  "sepa_files.end_poll": {
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
  "sepa_files.mark_assumed": {
    does: { sepa_collections: { assumed: true } },
    not: {
      "a collection of another account": { sepa_collections: { gateway_id: OTHER } },
      "another collection": { sepa_collections: { reference: "y" } },
    },
  },
  "sepa_bookings.insert_block": {
    given: {
      sepa_bookings: [], sepa_collections: { state: "settled", block_id: "block", file_id: OTHER },
      sepa_withdrawn: [],
      with: { movement: "credit", blockId: "block", on: "2026-01-30", bankReference: "b", messageId: "message" },
    },
    gives: [{ "?column?": 1 }],
    does: {
      sepa_bookings: added({
        file_id: ID, movement: "credit", booked_on: "2026-01-30", reference: "x", gateway_id: ID, bank_reference: "b",
      }),
    },
    also: {
      "a collection that is returned": { given: { sepa_collections: { state: "returned" } } },
      "a collection that waits": { given: { sepa_collections: { state: "accepted" } }, does: { sepa_bookings: [] } },
      "another account's collection": {
        given: { sepa_collections: { gateway_id: OTHER } },
        does: { sepa_bookings: [] },
      },
      "another block's collection": {
        given: { sepa_collections: { block_id: "other" } },
        does: { sepa_bookings: [] },
      },
      "a collection of the message": {
        given: {
          sepa_collections: { block_id: "other", file_id: ID },
          sepa_files: { message_id: "message", direction: "out" },
        },
      },
      "a collection of another message": {
        given: {
          sepa_collections: { block_id: "other", file_id: ID }, sepa_files: { message_id: "other", direction: "out" },
        },
        does: { sepa_bookings: [] },
      },
      "a collection of a file that came in": {
        given: {
          sepa_collections: { block_id: "other", file_id: ID },
          sepa_files: { message_id: "message", direction: "in" },
        },
        does: { sepa_bookings: [] },
      },
      "a collection of another account's message": {
        given: {
          sepa_collections: { block_id: "other", file_id: ID },
          sepa_files: { message_id: "message", direction: "out", gateway_id: OTHER },
        },
        does: { sepa_bookings: [] },
      },
      "a collection that was in the block and was taken back": {
        given: { sepa_collections: { block_id: "other" }, sepa_withdrawn: { block_id: "block" } },
      },
      "a collection that was in another block and was taken back": {
        given: { sepa_collections: { block_id: "other" }, sepa_withdrawn: { block_id: "other", file_id: OTHER } },
        does: { sepa_bookings: [] },
      },
      "another account's collection that was taken back": {
        given: { sepa_collections: { block_id: "other" }, sepa_withdrawn: { block_id: "block", gateway_id: OTHER } },
        does: { sepa_bookings: [] },
      },
      "a collection that was in the message and was taken back": {
        given: {
          sepa_collections: { block_id: "other" }, sepa_withdrawn: { block_id: "other" },
          sepa_files: { message_id: "message", direction: "out" },
        },
      },
      "a collection that was in another message and was taken back": {
        given: {
          sepa_collections: { block_id: "other" }, sepa_withdrawn: { block_id: "other" },
          sepa_files: { message_id: "other", direction: "out" },
        },
        does: { sepa_bookings: [] },
      },
      "a collection that was taken back from a file that came in": {
        given: {
          sepa_collections: { block_id: "other" }, sepa_withdrawn: { block_id: "other" },
          sepa_files: { message_id: "message", direction: "in" },
        },
        does: { sepa_bookings: [] },
      },
      "a collection that was taken back from another account's message": {
        given: {
          sepa_collections: { block_id: "other" }, sepa_withdrawn: { block_id: "other" },
          sepa_files: { message_id: "message", direction: "out", gateway_id: OTHER },
        },
        does: { sepa_bookings: [] },
      },
      "a booking that is known": { given: { sepa_bookings: { movement: "credit" } }, does: { sepa_bookings: [] } },
    },
  },
  "sepa_bookings.insert": {
    given: {
      sepa_bookings: [],
      with: { bookings: [{ reference: "x", movement: "credit", booked_on: "2026-01-30", bank_reference: "b" }] },
    },
    gives: [{ "?column?": 1 }],
    does: {
      sepa_bookings: added({
        file_id: ID, movement: "credit", booked_on: "2026-01-30", reference: "x", gateway_id: ID, bank_reference: "b",
      }),
    },
    also: {
      "a booking that is known": { given: { sepa_bookings: { movement: "credit" } }, does: { sepa_bookings: [] } },
      "another account's collection": {
        given: { sepa_collections: { gateway_id: OTHER } },
        does: { sepa_bookings: [] },
      },
      "another collection": { given: { sepa_collections: { reference: "y" } }, does: { sepa_bookings: [] } },
    },
  },
  "sepa_bookings.forget_returns": {
    given: { sepa_bookings: { movement: "debit" } },
    does: { sepa_bookings: "gone" },
    not: {
      "a booking of another account": { sepa_bookings: { gateway_id: OTHER } },
      "another booking": { sepa_bookings: { reference: "y" } },
      "a credit": { sepa_bookings: { movement: "credit" } },
    },
    also: {
      "a fee": { given: { sepa_bookings: { movement: "fee" } } },
    },
  },
  "sepa_files.take_run": {
    gives: [{ last_number: 1 }],
    not: {
      "an account that has run today": { sepa_accounts: { last_run_on: "2026-02-01" } },
    },
    also: {
      "the last run of the day": {
        given: { with: { last: true } },
        does: { sepa_accounts: { last_run_at: "2026-02-01", last_run_on: "2026-02-01" } },
      },
      "an account that ran on another day": { given: { sepa_accounts: { last_run_on: "2025-12-01" } } },
      "an account that has run before": { given: { sepa_accounts: { last_run_at: "2025-12-01" } } },
    },
  },
  "sepa_files.set_last_number": {
    given: { sepa_accounts: { last_number: 0 } },
    does: { sepa_accounts: { last_number: 1 } },
    not: {
      "another account": { sepa_accounts: { gateway_id: OTHER } },
    },
  },
  "sepa_files.mark_batched": {
    given: {
      sepa_collections: { state: "accepted" },
      with: {
        id: OTHER, dueDate: "2026-02-10",
        placed: [
          {
            reference: "x", block_id: "b", sequence_type: "FRST", mandate_id: OTHER, mandate_reference: "m",
            amended_up_to: 2, debtor_name: "d", debtor: "\\x61", scheme: "B2B", creditor_name: "c",
            creditor_identifier: "i",
          },
        ],
      },
    },
    gives: [{ "?column?": 1 }],
    does: {
      sepa_collections: {
        state: "batched", debtor: "\\x61", scheme: "B2B", file_id: OTHER, block_id: "b", due_date: "2026-02-10",
        mandate_id: OTHER, updated_at: "2026-02-01", debtor_name: "d", amended_up_to: 2, creditor_name: "c",
        sequence_type: "FRST", mandate_reference: "m", creditor_identifier: "i",
      },
    },
    not: {
      "another account's collection": { sepa_collections: { gateway_id: OTHER } },
      "another collection": { sepa_collections: { reference: "y" } },
      "a collection that is in a file": { sepa_collections: { state: "batched" } },
    },
    also: {
      "the debtor and the scheme that it has": {
        given: { with: { placed: [{ reference: "x", mandate_reference: "m", debtor_name: "d" }] } },
        does: {
          sepa_collections: {
            debtor: undefined, scheme: undefined, block_id: null, mandate_id: null, amended_up_to: null,
            creditor_name: null, sequence_type: null, creditor_identifier: null,
          },
        },
      },
    },
  },
  "sepa_files.claim_upload": {
    given: { sepa_files: { due_at: "2026-01-15" }, with: { leaseMs: 120000 } },
    gives: [{ id: ID, lease_no: 2 }],
    does: { sepa_files: { attempts: 2, lease_no: 2, updated_at: "2026-02-01", locked_until: "in 2 minutes" } },
    not: {
      "before it is due": { sepa_files: { due_at: "2026-03-01" } },
      "a file that another worker has": { sepa_files: { locked_until: "2100-01-01" } },
    },
    also: {
      "due at this moment": { given: { sepa_files: { due_at: "2026-02-01" } } },
      "a lease that has ended": { given: { sepa_files: { locked_until: "2026-01-02" } } },
      "the first that is due": {
        given: { sepa_files: [{ due_at: "2026-01-15" }, { id: OTHER, due_at: "2026-01-10" }] },
        gives: [{ id: OTHER }],
        does: { sepa_files: { id: OTHER } },
      },
    },
  },
  "sepa_files.move_upload": {
    given: {
      sepa_files: { status: "uploading", locked_until: "2026-01-02", sent_at: null, created_at: "2026-01-10" },
      with: { status: "stored", error: "e", dueAt: "2026-02-02", keep: false },
    },
    gives: [{ "?column?": 1 }],
    does: {
      sepa_files: { error: "e", due_at: "2026-02-02", status: "stored", updated_at: "2026-02-01", locked_until: null },
    },
    not: {
      "another file": { sepa_files: { id: OTHER } },
      "a file that another worker has": { sepa_files: { lease_no: 2 } },
      "a file that is sent": { sepa_files: { status: "sent" } },
    },
    also: {
      "a file whose lease is kept": {
        given: { with: { keep: true } },
        does: { sepa_files: { locked_until: undefined } },
      },
      "a file that waits": {
        given: { sepa_files: { status: "stored", error: null } },
        does: { sepa_files: { status: undefined } },
      },
      "a file that is renamed at the bank": { given: { sepa_files: { status: "renaming" } } },
      "sent": {
        given: { with: { status: "sent" } },
        does: { sepa_files: { status: "sent", sent_at: "2026-02-01" } },
      },
      "sent, by a clock that is behind": {
        given: { with: { status: "sent" }, sepa_files: { created_at: "2026-03-01" } },
        does: { sepa_files: { status: "sent", sent_at: "2026-03-01" } },
      },
      "sent before": {
        given: { with: { status: "sent" }, sepa_files: { sent_at: "2026-01-15" } },
        does: { sepa_files: { status: "sent" } },
      },
    },
  },
  "sepa_files.put_off": {
    given: {
      sepa_files: { status: "uploading", locked_until: "2026-01-02" }, with: { error: "e", dueAt: "2026-02-02" },
    },
    does: { sepa_files: { error: "e", due_at: "2026-02-02", updated_at: "2026-02-01", locked_until: null } },
    not: {
      "another file": { sepa_files: { id: OTHER } },
      "a file that another worker has": { sepa_files: { lease_no: 2 } },
      "a file that is sent": { sepa_files: { status: "sent" } },
    },
    also: {
      "a file that waits": { given: { sepa_files: { status: "stored" } } },
      "a file that is renamed at the bank": { given: { sepa_files: { status: "renaming" } } },
    },
  },
  "sepa_files.take_back": {
    given: {
      sepa_collections: { state: "batched", due_date: "2025-12-01" }, with: { why: "batched", missedApproval: true },
      sepa_files: { due_at: "2025-12-01", locked_until: "2025-12-01" },
    },
    does: {
      sepa_collections: {
        state: "accepted", file_id: null, block_id: null, due_date: null, updated_at: "2026-02-01",
        amended_up_to: null, sequence_type: null,
      },
      sepa_files: {
        error: "batched", due_at: null, status: "withdrawn", updated_at: "2026-02-01", locked_until: null,
        missed_approval: true,
      },
      sepa_withdrawn: added({ number: 2, file_id: ID, block_id: "x", reference: "x", gateway_id: ID, withdrawn_at: "2026-02-01" }),
    },
    not: {
      "another file": { with: { id: OTHER } },
    },
    also: {
      "a collection that is mandate only": {
        given: { sepa_collections: { state: "mandate_only" } },
        does: { sepa_collections: [], sepa_withdrawn: [] },
      },
    },
  },
  "ebics_orders.conclude": {
    given: {
      sepa_files: {
        status: "unclear", error: "e", locked_until: "2026-01-02", due_at: "2026-01-02", sent_at: null,
        created_at: "2026-01-10",
      },
      with: { arrived: true, orderId: "order" }, ebics_orders: { order_id: "order", number: 2 },
    },
    gives: [{ "?column?": 1 }],
    does: {
      sepa_files: {
        error: null, due_at: null, status: "sent", sent_at: "2026-02-01", lease_no: 2, updated_at: "2026-02-01",
        locked_until: null,
      },
    },
    not: {
      "another file": { sepa_files: { id: OTHER } },
      "a file that is sent": { sepa_files: { status: "sent" } },
      "a file that was taken back": { sepa_files: { status: "withdrawn" } },
      "a file that waits, of which nothing has arrived": { sepa_files: { status: "stored" }, with: { arrived: false } },
      "another order, of which nothing has arrived": { with: { arrived: false, orderId: "other" } },
      "an earlier order, of which nothing has arrived": { "+ebics_orders": { order_id: "newest", number: 3 }, with: { arrived: false } },
    },
    also: {
      "nothing has arrived: it is sent again": {
        given: { with: { arrived: false } },
        does: { sepa_files: { due_at: "2026-02-01", status: "stored", sent_at: undefined } },
      },
      "a file that is renamed at the bank, of which nothing has arrived": {
        given: { sepa_files: { status: "renaming" }, with: { arrived: false } },
        does: { sepa_files: { due_at: "2026-02-01", status: "stored", sent_at: undefined } },
      },
      "a file that waits, and has arrived": { given: { sepa_files: { status: "stored" } } },
      "a file that is being sent, and has arrived": { given: { sepa_files: { status: "uploading" } } },
      "another order, but it has arrived": { given: { with: { orderId: "other" } } },
      "the newest order, of which nothing has arrived": {
        given: { "+ebics_orders": { order_id: "old", number: 1 }, with: { arrived: false } },
        does: { sepa_files: { due_at: "2026-02-01", status: "stored", sent_at: undefined } },
      },
      "arrived, by a clock that is behind": {
        given: { sepa_files: { created_at: "2026-03-01" } },
        does: { sepa_files: { sent_at: "2026-03-01" } },
      },
    },
  },
  "ebics_orders.rejected": {
    given: { sepa_files: { status: "sent" }, with: { error: "sent" } },
    does: { sepa_files: { error: "sent", updated_at: "2026-02-01" } },
    not: {
      "another file": { sepa_files: { id: OTHER } },
      "a file that is to approve": { sepa_files: { status: "to_approve" } },
    },
  },
  "ebics_orders.refuse": {
    given: { sepa_files: { status: "uploading", locked_until: "2026-01-02" }, with: { error: "e" } },
    does: {
      sepa_files: { error: "e", due_at: "2026-02-01", status: "stored", updated_at: "2026-02-01", locked_until: null },
    },
    not: {
      "another file": { sepa_files: { id: OTHER } },
      "a file that another worker has": { sepa_files: { lease_no: 2 } },
      "a file that is sent": { sepa_files: { status: "sent" } },
    },
    also: {
      "a file that waits": {
        given: { sepa_files: { status: "stored" } },
        does: { sepa_files: { status: undefined } },
      },
      "a file that is renamed at the bank": { given: { sepa_files: { status: "renaming" } } },
    },
  },
  "ebics_orders.send_refused": {
    given: { sepa_files: { direction: "out", status: "stored", due_at: "2026-03-01" } },
    does: { sepa_files: { due_at: "2026-02-01", updated_at: "2026-02-01" } },
    not: {
      "a file that is due at this moment": { sepa_files: { due_at: "2026-02-01" } },
      "another account's file": { sepa_files: { gateway_id: OTHER } },
      "a file that came in": { sepa_files: { direction: "in" } },
      "a file that is sent": { sepa_files: { status: "sent" } },
      "a file that is due already": { sepa_files: { due_at: "2026-01-15" } },
    },
    also: {
      "a file that is being sent": { given: { sepa_files: { status: "uploading" } } },
    },
  },
  "ebics_users.keep_keys": {
    given: {
      ebics_users: {
        host_id: "x", state: "ready", ini_sent_at: "2026-01-02", hia_sent_at: "2026-01-02",
        confirmed_at: "2026-01-02", unanswered_since: "2026-01-02",
      },
      with: { hostId: "h", partnerId: "p", userId: "u", anew: true, keys: "\\x61", former: "\\x62" },
    },
    gives: [{ "?column?": 1 }],
    does: {
      ebics_users: {
        keys: "\\x61", state: "made", former: "\\x62", host_id: "h", user_id: "u", lease_no: 2, bank_keys: null,
        next_keys: null, partner_id: "p", updated_at: "2026-02-01", hia_sent_at: null, ini_sent_at: null,
        stop_reason: null, confirmed_at: null, unanswered_since: null, offered_bank_keys: null,
      },
    },
    not: {
      "a user whose keys stay": { with: { anew: false } },
      "a user that another worker has": { ebics_users: { locked_until: "2100-01-01" } },
    },
    also: {
      "a user that is new": {
        given: { ebics_users: [] },
        does: {
          ebics_users: added({
            lease_no: undefined, bank_keys: undefined, next_keys: undefined, hia_sent_at: undefined,
            ini_sent_at: undefined, stop_reason: undefined, confirmed_at: undefined, unanswered_since: undefined,
            offered_bank_keys: undefined, created_at: "2026-02-01", gateway_id: ID, locked_until: "in 0 minutes",
          }),
        },
      },
      "a lease that has ended": { given: { ebics_users: { locked_until: "2026-01-02" } } },
    },
    same: { "boundary: >= 0 * interval '1 millisecond'": "A lease that ends in this very microsecond is over a moment later.", "arithmetic: + 0 * interval": "It adds nothing." },
  },
  "ebics_users.save": {
    given: {
      with: {
        state: "s", keys: "\\x61", nextKeys: "\\x62", former: "\\x63", stopReason: "r", bankKeys: { n: 1 },
        offered: { n: 2 },
      },
    },
    gives: [{ "?column?": 1 }],
    does: {
      ebics_users: {
        keys: "\\x61", state: "s", former: "\\x63", bank_keys: { n: 1 }, next_keys: "\\x62", updated_at: "2026-02-01",
        hia_sent_at: "2026-02-01", ini_sent_at: "2026-02-01", stop_reason: "r", confirmed_at: "2026-02-01",
        unanswered_since: "2026-02-01", offered_bank_keys: { n: 2 },
      },
    },
    not: {
      "another account's user": { ebics_users: { gateway_id: OTHER } },
      "a user that another worker has": { ebics_users: { lease_no: 2 } },
    },
  },
  "ebics_users.take_turn": {
    given: { ebics_users: {}, with: { leaseMs: 120000 } },
    gives: [{ lease_no: 2 }],
    does: { ebics_users: { lease_no: 2, locked_until: "in 2 minutes" } },
    not: {
      "another account's user": { ebics_users: { gateway_id: OTHER } },
      "a user that another worker has": { ebics_users: { locked_until: "2100-01-01" } },
    },
    also: {
      "a user whose lease has ended": { given: { ebics_users: { locked_until: "2026-01-02" } } },
    },
  },
  "ebics_users.end_turn": {
    given: { ebics_users: { locked_until: "2025-12-01" } },
    does: { ebics_users: { locked_until: null } },
    not: {
      "a user of another account": { ebics_users: { gateway_id: OTHER } },
      "a user that another worker has": { ebics_users: { lease_no: 0 } },
    },
  },
  "sepa_unmatched.resolve": {
    given: { sepa_unmatched: { status: "open" }, with: { reference: "part", note: "part", bankFee: 0 } },
    does: {
      sepa_unmatched: { status: "x", bank_fee: 0, reference: "part", resolution: "part", resolved_at: "2026-02-01" },
    },
    not: {
      "another unmatched entry": { sepa_unmatched: { id: OTHER } },
      "an unmatched entry that is applied": { sepa_unmatched: { status: "applied" } },
    },
    also: {
      "no bank fee": { given: { with: { bankFee: null } }, does: { sepa_unmatched: { bank_fee: undefined } } },
      "an entry without a target": {
        given: { sepa_unmatched: { target: null } },
        does: { sepa_unmatched: { target: {} } },
      },
      "an entry that is decided in part": {
        given: { with: { status: "part" } },
        does: { sepa_unmatched: { status: "part", resolved_at: undefined } },
      },
      "an entry that was decided in part": { given: { sepa_unmatched: { status: "part" } } },
    },
  },
  "sepa_unmatched.parts_become": {
    given: { sepa_unmatched: { status: "part" } },
    does: { sepa_unmatched: { status: "x", resolved_at: "2026-02-01" } },
    not: {
      "an entry without a target": { sepa_unmatched: { target: null } },
      "an unmatched entry that is open": { sepa_unmatched: { status: "open" } },
    },
  },
};
