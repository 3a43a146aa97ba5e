/** Statements of `src/gateways/sepa-batch`: the rows that each is for, and those that it leaves alone (tests/conditions.test.ts). */
import { added, type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { BYTES, OTHER, OTHER_PAYMENT } from "./rows.ts";

// A case is a line, or a few.
// prettier-ignore
export const BANK: Entries = {
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
  "sepa_files.move_block": {
    given: {
      sepa_collections: { state: "batched", block_id: "block", file_id: OTHER }, sepa_withdrawn: [], sepa_news: [],
      with: {
        state: "settled", on: "2026-01-30", reasonCode: null, bankReference: "b", blockId: "block",
        messageId: "message", booked: false,
      },
    },
    gives: [{ moved: 1 }],
    does: {
      sepa_collections: {
        state: "settled", settled_on: "2026-01-30", updated_at: "2026-02-01", reason_code: null,
        gateway_reference: "b:x",
      },
      sepa_news: added({
        at: "2026-01-30", kind: "settled", round: 1, file_id: ID, reference: "x", gateway_id: ID, reason_message: "x",
        gateway_reference: "b:x",
      }),
    },
    also: {
      "a block that is rejected": {
        given: { with: { state: "rejected", reasonCode: "R" } },
        does: {
          sepa_collections: {
            state: "rejected", settled_on: undefined, reason_code: "R", gateway_reference: undefined,
            returned_on: "2026-01-30",
          },
          sepa_news: { kind: "returned", gateway_reference: "x", reason_code: "R" },
        },
      },
      "another account's collection": {
        given: { sepa_collections: { gateway_id: OTHER } },
        gives: [{ moved: 0 }],
        does: { sepa_collections: [], sepa_news: [] },
      },
      "another block's collection": {
        given: { sepa_collections: { block_id: "other" } },
        gives: [{ moved: 0 }],
        does: { sepa_collections: [], sepa_news: [] },
      },
      "a collection that has settled": {
        given: { sepa_collections: { state: "settled" } },
        gives: [{ moved: 0 }],
        does: { sepa_collections: [], sepa_news: [] },
      },
      "a collection that waits": {
        given: { sepa_collections: { state: "accepted" } },
        gives: [{ moved: 0 }],
        does: { sepa_collections: [], sepa_news: [] },
      },
      "a collection that waits, of an entry that is booked": {
        given: { sepa_collections: { state: "accepted" }, with: { booked: true } },
      },
      "a collection that was returned, of an entry that is booked": {
        given: { sepa_collections: { state: "returned" }, with: { booked: true } },
        gives: [{ moved: 0 }],
        does: { sepa_collections: [], sepa_news: [] },
      },
      "an entry without a reference of the bank": {
        given: { sepa_files: { id: OTHER, message_id: "of the file" }, with: { bankReference: null } },
        does: {
          sepa_collections: { gateway_reference: "of the file/block/x" },
          sepa_news: { gateway_reference: "of the file/block/x" },
        },
      },
      "an entry without a reference of the bank, of no file": {
        given: { with: { bankReference: null } },
        does: { sepa_collections: { gateway_reference: "block/x" }, sepa_news: { gateway_reference: "block/x" } },
      },
      "an entry of a message, without a reference of the bank": {
        given: {
          sepa_collections: { block_id: "other", file_id: ID },
          sepa_files: { message_id: "message", direction: "out" }, with: { bankReference: null, blockId: null },
        },
        does: {
          sepa_collections: { gateway_reference: "message/other/x" },
          sepa_news: { gateway_reference: "message/other/x" },
        },
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
        gives: [{ moved: 0 }],
        does: { sepa_collections: [], sepa_news: [] },
      },
      "a collection of a file that came in": {
        given: {
          sepa_collections: { block_id: "other", file_id: ID },
          sepa_files: { message_id: "message", direction: "in" },
        },
        gives: [{ moved: 0 }],
        does: { sepa_collections: [], sepa_news: [] },
      },
      "a collection of another account's message": {
        given: {
          sepa_collections: { block_id: "other", file_id: ID },
          sepa_files: { message_id: "message", direction: "out", gateway_id: OTHER },
        },
        gives: [{ moved: 0 }],
        does: { sepa_collections: [], sepa_news: [] },
      },
      "what is told already": { given: { sepa_news: { kind: "settled" } }, does: { sepa_news: [] } },
      "a collection that was in the block and was taken back": {
        given: {
          sepa_collections: { state: "accepted", block_id: null, file_id: null },
          sepa_withdrawn: { block_id: "block" }, with: { booked: true },
        },
      },
      "the same, of an entry that is not booked": {
        given: {
          sepa_collections: { state: "batched", block_id: null, file_id: null },
          sepa_withdrawn: { block_id: "block" },
        },
        gives: [{ moved: 0 }],
        does: { sepa_collections: [], sepa_news: [] },
      },
      "a collection that was in another block and was taken back": {
        given: {
          sepa_collections: { state: "accepted", block_id: null, file_id: null },
          sepa_withdrawn: { block_id: "other", file_id: OTHER }, with: { booked: true },
        },
        gives: [{ moved: 0 }],
        does: { sepa_collections: [], sepa_news: [] },
      },
      "another account's collection that was taken back": {
        given: {
          sepa_collections: { state: "accepted", block_id: null, file_id: null },
          sepa_withdrawn: { block_id: "block", gateway_id: OTHER }, with: { booked: true },
        },
        gives: [{ moved: 0 }],
        does: { sepa_collections: [], sepa_news: [] },
      },
      "a collection that was in the message and was taken back": {
        given: {
          sepa_collections: { state: "accepted", block_id: null, file_id: null },
          sepa_withdrawn: { block_id: "other" }, sepa_files: { message_id: "message", direction: "out" },
          with: { booked: true },
        },
      },
      "a collection that was in another message and was taken back": {
        given: {
          sepa_collections: { state: "accepted", block_id: null, file_id: null },
          sepa_withdrawn: { block_id: "other" }, sepa_files: { message_id: "other", direction: "out" },
          with: { booked: true },
        },
        gives: [{ moved: 0 }],
        does: { sepa_collections: [], sepa_news: [] },
      },
      "a collection that was taken back from a file that came in": {
        given: {
          sepa_collections: { state: "accepted", block_id: null, file_id: null },
          sepa_withdrawn: { block_id: "other" }, sepa_files: { message_id: "message", direction: "in" },
          with: { booked: true },
        },
        gives: [{ moved: 0 }],
        does: { sepa_collections: [], sepa_news: [] },
      },
      "a collection that was taken back from another account's message": {
        given: {
          sepa_collections: { state: "accepted", block_id: null, file_id: null },
          sepa_withdrawn: { block_id: "other" },
          sepa_files: { message_id: "message", direction: "out", gateway_id: OTHER }, with: { booked: true },
        },
        gives: [{ moved: 0 }],
        does: { sepa_collections: [], sepa_news: [] },
      },
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
  "sepa_files.change": {
    given: {
      sepa_collections: {
        state: "batched", round: 2, settled_on: null, reason_code: "old", gateway_reference: "old",
        returned_on: "2026-01-02", reinstated_on: "2026-01-03",
      },
      sepa_news: [],
      with: {
        given: [
          { reference: "x", state: "settled", on: "2026-01-30", gateway_reference: "g", news: "settled", position: 1 },
        ],
      },
    },
    gives: [{ "?column?": 1 }],
    does: {
      sepa_collections: {
        state: "settled", settled_on: "2026-01-30", updated_at: "2026-02-01", gateway_reference: "g",
      },
      sepa_news: added({
        at: "2026-01-30", kind: "settled", round: 2, file_id: ID, reference: "x", gateway_id: ID,
        gateway_reference: "g",
      }),
    },
    also: {
      "another collection": {
        given: { sepa_collections: { reference: "y" } },
        does: { sepa_collections: [], sepa_news: [] },
      },
      "another account's collection": {
        given: { sepa_collections: { gateway_id: OTHER } },
        does: { sepa_collections: [], sepa_news: [] },
      },
      "a return": {
        given: {
          with: {
            given: [
              {
                reference: "x", state: "returned", on: "2026-01-30", reason_code: "AM04", reason_message: "m",
                report_type: "r", bank_fee: 2, amount: 30, news: "charged_back", position: 1,
              },
            ],
          },
        },
        does: {
          sepa_collections: {
            state: "returned", settled_on: undefined, gateway_reference: undefined, reason_code: "AM04",
            returned_on: "2026-01-30",
          },
          sepa_news: {
            kind: "charged_back", gateway_reference: undefined, amount: 30, bank_fee: 2, reason_code: "AM04",
            report_type: "r", reason_message: "m",
          },
        },
      },
      "a rejection": {
        given: {
          with: {
            given: [
              {
                reference: "x", state: "rejected", on: "2026-01-30", reason_code: "AC04", news: "returned",
                position: 1,
              },
            ],
          },
        },
        does: {
          sepa_collections: {
            state: "rejected", settled_on: undefined, gateway_reference: undefined, reason_code: "AC04",
            returned_on: "2026-01-30",
          },
          sepa_news: { kind: "returned", gateway_reference: undefined, reason_code: "AC04" },
        },
      },
      "a return that the bank takes back": {
        given: {
          sepa_collections: { state: "returned" },
          with: { given: [{ reference: "x", state: "settled", on: "2026-01-30", news: "reinstated", position: 1 }] },
        },
        does: {
          sepa_collections: { gateway_reference: undefined, round: 3, reinstated_on: "2026-01-30" },
          sepa_news: { kind: "reinstated", round: 3, gateway_reference: undefined },
        },
      },
      "a credit and its return": {
        given: {
          with: {
            given: [
              {
                reference: "x", state: "settled", on: "2026-01-29", gateway_reference: "g", news: "settled",
                position: 1,
              },
              {
                reference: "x", state: "returned", on: "2026-01-30", reason_code: "AM04", gateway_reference: null,
                news: "charged_back", bank_fee: 2, position: 2,
              },
            ],
          },
        },
        does: {
          sepa_collections: {
            state: "returned", settled_on: "2026-01-29", reason_code: "AM04", returned_on: "2026-01-30",
          },
          sepa_news: [
            added({
              at: "2026-01-29", kind: "settled", round: 2, file_id: ID, reference: "x", gateway_id: ID,
              gateway_reference: "g",
            }),
            added({
              at: "2026-01-30", kind: "charged_back", round: 2, file_id: ID, bank_fee: 2, reference: "x",
              gateway_id: ID, reason_code: "AM04",
            }),
          ],
        },
      },
      "a return and its fee": {
        given: {
          with: {
            given: [
              {
                reference: "x", state: "returned", on: "2026-01-30", reason_code: "AM04", news: "charged_back",
                bank_fee: 2, position: 1,
              },
              { reference: "x", state: "returned", on: "2026-01-31", news: "fee", bank_fee: 3, position: 2 },
            ],
          },
        },
        does: {
          sepa_collections: {
            state: "returned", settled_on: undefined, gateway_reference: undefined, reason_code: "AM04",
            returned_on: "2026-01-30",
          },
          sepa_news: [
            added({
              at: "2026-01-30", kind: "charged_back", round: 2, file_id: ID, bank_fee: 2, reference: "x",
              gateway_id: ID, reason_code: "AM04",
            }),
            added({ at: "2026-01-31", kind: "fee", round: 2, file_id: ID, bank_fee: 5, reference: "x", gateway_id: ID }),
          ],
        },
      },
      "a fee of a return that was told before": {
        given: {
          sepa_news: { kind: "charged_back", round: 2, bank_fee: 4 },
          with: {
            given: [
              { reference: "x", state: "returned", on: "2026-01-29", news: "settled", position: 1 },
              { reference: "x", state: "returned", on: "2026-01-31", news: "fee", bank_fee: 3, position: 2 },
            ],
          },
        },
        does: {
          sepa_collections: {
            state: "returned", settled_on: "2026-01-29", gateway_reference: undefined, returned_on: "2026-01-29",
          },
          sepa_news: [
            added({ at: "2026-01-29", kind: "settled", round: 2, file_id: ID, reference: "x", gateway_id: ID }),
            added({ at: "2026-01-31", kind: "fee", round: 2, file_id: ID, bank_fee: 7, reference: "x", gateway_id: ID }),
          ],
        },
      },
      "a fee of a return of an earlier round": {
        given: {
          sepa_news: { kind: "charged_back", round: 1, bank_fee: 4 },
          with: {
            given: [
              { reference: "x", state: "settled", on: "2026-01-29", news: "settled", position: 1 },
              { reference: "x", state: "returned", on: "2026-01-31", news: "fee", bank_fee: 3, position: 2 },
            ],
          },
        },
        does: {
          sepa_collections: { settled_on: "2026-01-29", gateway_reference: undefined },
          sepa_news: [
            added({ at: "2026-01-29", kind: "settled", round: 2, file_id: ID, reference: "x", gateway_id: ID }),
            added({ at: "2026-01-31", kind: "fee", round: 2, file_id: ID, bank_fee: 3, reference: "x", gateway_id: ID }),
          ],
        },
      },
      "what is told already": { given: { sepa_news: { kind: "settled", round: 2 } }, does: { sepa_news: [] } },
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
  "sepa_files.amend_outdated_mandates": {
    given: {
      gateways: {
        settings: {
          creditor_name: "G", creditor_identifier: "GI", creditor_city: "GC", creditor_address: "GA",
          creditor_postal_code: "GP", creditor_country: "GL", scheme: "B2B", pre_notification_days: "5",
        },
      },
      mandate_amendments: { number: 4 }, mandates: { creditor_name: "old", creditor_identifier: "old id" },
    },
    gives: [{ id: ID, creditor_name: "G", creditor_identifier: "GI" }],
    does: {
      mandate_amendments: added({
        at: "2026-02-01", kind: "creditor", number: 5, mandate_id: ID, original_creditor_name: "old",
        original_creditor_identifier: "old id",
      }),
      mandates: {
        updated_at: "2026-02-01", creditor_city: "GC", creditor_name: "G", creditor_address: "GA",
        creditor_country: "GL", creditor_identifier: "GI", creditor_postal_code: "GP",
      },
    },
    not: {
      "another mandate": { with: { ids: [OTHER] } },
    },
    also: {
      "the first amendment": { given: { mandate_amendments: [] }, does: { mandate_amendments: { number: 1 } } },
      "another mandate's amendments": {
        given: { mandate_amendments: { mandate_id: OTHER, number: 4 } },
        does: { mandate_amendments: { number: 1 } },
      },
      "a creditor that the tenant names": {
        given: { gateways: { settings: {} } },
        gives: [{ creditor_name: "x", creditor_identifier: "x" }],
        does: {
          mandates: {
            creditor_city: undefined, creditor_name: "x", creditor_address: undefined, creditor_country: undefined,
            creditor_identifier: "x", creditor_postal_code: undefined,
          },
        },
      },
      "a creditor without an address": {
        given: { gateways: { settings: {} }, tenants: { city: null } },
        gives: [{ creditor_name: "x", creditor_identifier: "x" }],
        does: {
          mandates: {
            creditor_city: null, creditor_name: "x", creditor_address: null, creditor_country: null,
            creditor_identifier: "x", creditor_postal_code: null,
          },
        },
      },
      "another account": { given: { gateways: { id: OTHER } }, gives: [], does: { mandates: [] } },
    },
  },
  "sepa_files.stop": {
    given: {
      sepa_collections: { state: "accepted", refund_of: null, not_before: "2026-01-20", reversible_until: null },
      transactions: { status: "declined", cycle: 1 }, mandates: { status: "active" }, sepa_news: [],
      with: { takesReversals: true, refunds: false, due: "2026-02-01", on: "2026-01-30" },
    },
    gives: [{ stopped: 1 }],
    does: {
      sepa_collections: {
        state: "rejected", updated_at: "2026-02-01", reason_code: "NARR", returned_on: "2026-01-30",
      },
    },
    also: {
      "a payment that is approved": { given: { transactions: { status: "approved" } } },
      "a payment that is refunded": { given: { transactions: { status: "refunded" } } },
      "a payment that is charged back": { given: { transactions: { status: "charged_back" } } },
      "a payment that is on its way": {
        given: { transactions: { status: "pending" } },
        gives: [{ stopped: 0 }],
        does: { sepa_collections: [] },
      },
      "another payment": {
        given: { transactions: { merchant_transaction_id: "y" } },
        gives: [{ stopped: 0 }],
        does: { sepa_collections: [] },
      },
      "a collection that is in a file": {
        given: { sepa_collections: { state: "batched" } },
        gives: [{ stopped: 0 }],
        does: { sepa_collections: [] },
      },
      "another account's collection": {
        given: { sepa_collections: { gateway_id: OTHER } },
        gives: [{ stopped: 0 }],
        does: { sepa_collections: [] },
      },
      "a collection of a later day": {
        given: { sepa_collections: { not_before: "2026-02-02" } },
        gives: [{ stopped: 0 }],
        does: { sepa_collections: [] },
      },
      "a collection of this day": { given: { sepa_collections: { not_before: "2026-02-01" } } },
      "refunds are asked for": {
        given: { with: { refunds: true } },
        gives: [{ stopped: 0 }],
        does: { sepa_collections: [] },
      },
      "a mandate that was cancelled": {
        given: { transactions: { status: "pending" }, mandates: { status: "cancelled" } },
        does: {
          sepa_collections: { reason_code: "MD01" },
          sepa_news: added({
            at: "2026-01-30", kind: "returned", reference: "x", gateway_id: ID, reason_code: "MD01",
            reason_message: "The mandate ended before the collection went to the bank.",
          }),
        },
      },
      "a mandate that was rejected": {
        given: { transactions: { status: "pending" }, mandates: { status: "rejected" } },
        does: {
          sepa_collections: { reason_code: "MD01" },
          sepa_news: added({
            at: "2026-01-30", kind: "returned", reference: "x", gateway_id: ID, reason_code: "MD01",
            reason_message: "The mandate ended before the collection went to the bank.",
          }),
        },
      },
      "a mandate that has expired": {
        given: { transactions: { status: "pending" }, mandates: { status: "expired" } },
        does: {
          sepa_collections: { reason_code: "MD01" },
          sepa_news: added({
            at: "2026-01-30", kind: "returned", reference: "x", gateway_id: ID, reason_code: "MD01",
            reason_message: "The mandate ended before the collection went to the bank.",
          }),
        },
      },
      "another mandate": {
        given: { transactions: { status: "pending" }, mandates: { id: OTHER, status: "cancelled" } },
        gives: [{ stopped: 0 }],
        does: { sepa_collections: [] },
      },
      "a stop that is told already": {
        given: {
          transactions: { status: "pending" }, mandates: { status: "cancelled" },
          sepa_news: { kind: "returned", round: 0 },
        },
        does: { sepa_collections: { reason_code: "MD01" } },
      },
      "a refund of a collection that came back": {
        given: {
          with: { refunds: true }, transactions: { status: "pending" },
          sepa_collections: { reference: "x", refund_of: "y" },
          "+sepa_collections": { reference: "y", refund_of: null, state: "returned" },
        },
        does: {
          sepa_collections: { reason_code: "ARDT" },
          sepa_news: added({
            at: "2026-01-30", kind: "returned", reference: "x", gateway_id: ID, reason_code: "ARDT",
            reason_message: "The debit came back before the refund went to the bank: the customer has the money already.",
          }),
        },
      },
      "a refund of a collection that has settled": {
        given: {
          with: { refunds: true }, transactions: { status: "pending" },
          sepa_collections: { reference: "x", refund_of: "y" },
          "+sepa_collections": { reference: "y", refund_of: null, state: "settled" },
        },
        gives: [{ stopped: 0 }],
        does: { sepa_collections: [] },
      },
      "a refund of a collection that nobody knows": {
        given: {
          with: { refunds: true }, transactions: { status: "pending" },
          sepa_collections: { reference: "x", refund_of: "y" },
        },
        does: {
          sepa_collections: { reason_code: "ARDT" },
          sepa_news: added({
            at: "2026-01-30", kind: "returned", reference: "x", gateway_id: ID, reason_code: "ARDT",
            reason_message: "The debit came back before the refund went to the bank: the customer has the money already.",
          }),
        },
      },
      "a refund of another account's collection": {
        given: {
          with: { refunds: true }, transactions: { status: "pending" },
          sepa_collections: { reference: "x", refund_of: "y" },
          "+sepa_collections": { gateway_id: OTHER, reference: "y", refund_of: null, state: "settled" },
        },
        does: {
          sepa_collections: { reason_code: "ARDT" },
          sepa_news: added({
            at: "2026-01-30", kind: "returned", reference: "x", gateway_id: ID, reason_code: "ARDT",
            reason_message: "The debit came back before the refund went to the bank: the customer has the money already.",
          }),
        },
      },
      "a refund of a payment that was charged back": {
        given: {
          with: { refunds: true },
          transactions: [{ status: "pending" }, { ...OTHER_PAYMENT, status: "charged_back" }],
          sepa_collections: { reference: "x", refund_of: "y" },
          "+sepa_collections": { reference: "y", refund_of: null, state: "settled" },
        },
        does: {
          sepa_collections: { reason_code: "ARDT" },
          sepa_news: added({
            at: "2026-01-30", kind: "returned", reference: "x", gateway_id: ID, reason_code: "ARDT",
            reason_message: "The debit came back before the refund went to the bank: the customer has the money already.",
          }),
        },
      },
      "a refund, whose mandate may have ended": {
        given: {
          with: { refunds: true }, transactions: { status: "pending" }, mandates: { status: "cancelled" },
          sepa_collections: { reference: "x", refund_of: "y" },
          "+sepa_collections": { reference: "y", refund_of: null, state: "settled" },
        },
        gives: [{ stopped: 0 }],
        does: { sepa_collections: [] },
      },
      "a reversal in its last day": {
        given: {
          with: { refunds: true }, transactions: { status: "pending" },
          sepa_collections: { reference: "x", refund_of: "y", reversible_until: "2026-01-30" },
          "+sepa_collections": { reference: "y", refund_of: null, state: "settled" },
        },
        gives: [{ stopped: 0 }],
        does: { sepa_collections: [] },
      },
      "a reversal that is too late": {
        given: {
          with: { refunds: true }, transactions: { status: "pending" },
          sepa_collections: { reference: "x", refund_of: "y", reversible_until: "2026-01-29" },
          "+sepa_collections": { reference: "y", refund_of: null, state: "settled" },
        },
        does: {
          sepa_collections: { reason_code: "DT01" },
          sepa_news: added({
            at: "2026-01-30", kind: "returned", reference: "x", gateway_id: ID, reason_code: "DT01",
            reason_message: "The reversal did not go to the bank in the time in which it takes one: refund the payment by transfer.",
          }),
        },
      },
      "a reversal, where the account sends none any more": {
        given: {
          with: { refunds: true, takesReversals: false }, transactions: { status: "pending" },
          sepa_collections: { reference: "x", refund_of: "y", reversible_until: "2026-02-10" },
          "+sepa_collections": { reference: "y", refund_of: null, state: "settled" },
        },
        does: {
          sepa_collections: { reason_code: "AG02" },
          sepa_news: added({
            at: "2026-01-30", kind: "returned", reference: "x", gateway_id: ID, reason_code: "AG02",
            reason_message: "The account sends no reversals any more: refund the payment by transfer.",
          }),
        },
      },
      "two at once": {
        given: {
          transactions: [{ status: "declined" }, { ...OTHER_PAYMENT, status: "pending", mandate_id: ID }],
          mandates: { status: "cancelled" },
          "+sepa_collections": {
            reference: "y", state: "accepted", refund_of: null, not_before: "2026-01-20", reversible_until: null,
          },
        },
        gives: [{ stopped: 2 }],
        does: {
          sepa_collections: [
            { state: "rejected", updated_at: "2026-02-01", reason_code: "NARR", returned_on: "2026-01-30" },
            {
              reference: "y", state: "rejected", updated_at: "2026-02-01", reason_code: "MD01",
              returned_on: "2026-01-30",
            },
          ],
          sepa_news: added({
            at: "2026-01-30", kind: "returned", reference: "y", gateway_id: ID, reason_code: "MD01",
            reason_message: "The mandate ended before the collection went to the bank.",
          }),
        },
      },
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
  "sepa_files.waiting": {
    given: {
      sepa_collections: {
        state: "accepted", refund_of: null, not_before: "2026-01-20", scheme: null, reversible_until: null,
        mandate_id: null,
      },
      transactions: { status: "submitted", cycle: 1 },
      mandates: { status: "active", scheme: "CORE", used_elsewhere: false },
      mandate_amendments: { number: 3, kind: "holder" }, subscriptions: { status: "ACTIVE" }, sepa_unmatched: [],
      with: { due: "2026-02-01", refunds: false, confirmedBy: "2026-02-01", limit: 5 },
    },
    gives: [{ scheme: "CORE", last_amendment: 3, mandate_unused: true }],
    not: {
      "another account's collection": { sepa_collections: { gateway_id: OTHER } },
      "a collection that is in a file": { sepa_collections: { state: "batched" } },
      "a collection of a later day": { sepa_collections: { not_before: "2026-02-02" } },
      "refunds are asked for": { with: { refunds: true } },
      "a payment that is approved": { transactions: { status: "approved" } },
      "a payment that was declined": { transactions: { status: "declined" } },
      "a payment that is refunded": { transactions: { status: "refunded" } },
      "a payment that is charged back": { transactions: { status: "charged_back" } },
      "a mandate that was cancelled": { mandates: { status: "cancelled" } },
      "a mandate that was rejected": { mandates: { status: "rejected" } },
      "a mandate that has expired": { mandates: { status: "expired" } },
      "a cycle that another attempt has paid": { "+transactions": { ...OTHER_PAYMENT, status: "approved", cycle: 1 } },
      "a cycle that another attempt has paid, which was refunded": { "+transactions": { ...OTHER_PAYMENT, status: "refunded", cycle: 1 } },
      "a subscription that was cancelled": { subscriptions: { status: "CANCELLED" } },
      "a business account that has not confirmed the mandate": { mandates: { scheme: "B2B", bank_confirmed_on: null } },
      "a business account that confirms it later": { mandates: { scheme: "B2B", bank_confirmed_on: "2026-02-02" } },
      "a business account that was changed since it was used elsewhere": { mandates: { scheme: "B2B", used_elsewhere: true }, mandate_amendments: { kind: "account" } },
      "a collection under another scheme than its mandate's": { sepa_collections: { scheme: "B2B" } },
      "a refund of a collection that came back": {
        with: { refunds: true }, sepa_collections: { refund_of: "y" },
        "+sepa_collections": { reference: "y", state: "returned" },
      },
      "a refund of a payment that was charged back": {
        with: { refunds: true }, sepa_collections: { refund_of: "y" },
        "+sepa_collections": { reference: "y", state: "settled" },
        "+transactions": { ...OTHER_PAYMENT, status: "charged_back" },
      },
      "a refund of a collection of which a return waits for a person": {
        with: { refunds: true }, sepa_collections: { refund_of: "y" },
        "+sepa_collections": { reference: "y", state: "settled" },
        sepa_unmatched: { status: "open", kind: "return", facts: { ids: { references: ["y"] } } },
      },
      "a refund of a collection of which a rejection waits in part": {
        with: { refunds: true }, sepa_collections: { refund_of: "y" },
        "+sepa_collections": { reference: "y", state: "settled" },
        sepa_unmatched: { status: "part", kind: "reject", facts: { ids: { references: ["y"] } } },
      },
      "a refund of a collection of whose mandate a return waits": {
        with: { refunds: true }, sepa_collections: { refund_of: "y" },
        "+sepa_collections": { reference: "y", state: "settled", mandate_reference: "Ref" },
        sepa_unmatched: {
          status: "open", kind: "return", facts: { ids: { references: [], mandateReference: "rEF" } },
        },
      },
    },
    also: {
      "a collection of this day": { given: { sepa_collections: { not_before: "2026-02-01" } } },
      "a payment that has been accepted": { given: { transactions: { status: "pending" } } },
      "another payment ended": {
        given: { transactions: { merchant_transaction_id: "y", status: "declined" } },
        gives: [
          {
            scheme: null, mandate_id: null, holder_name: null, iban_sealed: null, creditor_name: null,
            last_amendment: 0, mandate_unused: false, creditor_identifier: null,
          },
        ],
      },
      "another attempt at the cycle is on its way": {
        given: { "+transactions": { ...OTHER_PAYMENT, status: "pending", cycle: 1 } },
      },
      "another cycle is paid": { given: { "+transactions": { ...OTHER_PAYMENT, status: "approved", cycle: 2 } } },
      "another subscription's cycle is paid": {
        given: { "+transactions": { ...OTHER_PAYMENT, subscription_id: OTHER, status: "approved", cycle: 1 } },
      },
      "a first payment of a subscription that was cancelled": {
        given: { transactions: { cycle: null }, subscriptions: { status: "CANCELLED" } },
      },
      "a subscription that ends with its period": {
        given: { subscriptions: { status: "CANCELLED", cancel_at_period_end: true } },
      },
      "another subscription was cancelled": { given: { subscriptions: { id: OTHER, status: "CANCELLED" } } },
      "a business account that has confirmed the mandate": {
        given: { mandates: { scheme: "B2B", bank_confirmed_on: "2026-02-01" } },
        gives: [{ scheme: "B2B" }],
      },
      "a business account that was used elsewhere": {
        given: { mandates: { scheme: "B2B", used_elsewhere: true } },
        gives: [{ scheme: "B2B", mandate_unused: false }],
      },
      "a business account whose other mandate was changed": {
        given: {
          mandates: { scheme: "B2B", used_elsewhere: true },
          mandate_amendments: { mandate_id: OTHER, kind: "account" },
        },
        gives: [{ scheme: "B2B", last_amendment: 0, mandate_unused: false }],
      },
      "a business account, where nobody asks": {
        given: { mandates: { scheme: "B2B" }, with: { confirmedBy: null } },
        gives: [{ scheme: "B2B" }],
      },
      "a refund": {
        given: {
          with: { refunds: true }, sepa_collections: { refund_of: "y" },
          "+sepa_collections": { reference: "y", state: "settled" }, mandates: { status: "cancelled", scheme: "B2B" },
        },
        gives: [{ scheme: "B2B", refund_of: "y", debit_file: ID, mandate_unused: false }],
      },
      "a refund, where a return was decided": {
        given: {
          with: { refunds: true }, sepa_collections: { refund_of: "y" },
          "+sepa_collections": { reference: "y", state: "settled" },
          sepa_unmatched: { status: "applied", kind: "return", facts: { ids: { references: ["y"] } } },
        },
        gives: [{ refund_of: "y", debit_file: ID, mandate_unused: false }],
      },
      "a refund, where something else waits": {
        given: {
          with: { refunds: true }, sepa_collections: { refund_of: "y" },
          "+sepa_collections": { reference: "y", state: "settled" },
          sepa_unmatched: { status: "open", kind: "fee", facts: { ids: { references: ["y"] } } },
        },
        gives: [{ refund_of: "y", debit_file: ID, mandate_unused: false }],
      },
      "a refund, where another collection's return waits": {
        given: {
          with: { refunds: true }, sepa_collections: { refund_of: "y" },
          "+sepa_collections": { reference: "y", state: "settled" },
          sepa_unmatched: { status: "open", kind: "return", facts: { ids: { references: ["z"] } } },
        },
        gives: [{ refund_of: "y", debit_file: ID, mandate_unused: false }],
      },
      "a refund, where another reference of the mandate's return waits": {
        given: {
          with: { refunds: true }, sepa_collections: { refund_of: "y" },
          "+sepa_collections": { reference: "y", state: "settled", mandate_reference: "Ref" },
          sepa_unmatched: {
            status: "open", kind: "return", facts: { ids: { references: ["z"], mandateReference: "Ref" } },
          },
        },
        gives: [{ refund_of: "y", debit_file: ID, mandate_unused: false }],
      },
      "a mandate that was used here": {
        given: { "+sepa_collections": { reference: "y", state: "settled", mandate_id: ID } },
        gives: [{ mandate_unused: false }],
      },
      "a mandate that is used in a file": {
        given: { "+sepa_collections": { reference: "y", state: "batched", mandate_id: ID } },
        gives: [{ mandate_unused: false }],
      },
      "a mandate whose collection came back": {
        given: { "+sepa_collections": { reference: "y", state: "returned", mandate_id: ID } },
        gives: [{ mandate_unused: false }],
      },
      "a mandate whose collection was rejected": {
        given: { "+sepa_collections": { reference: "y", state: "rejected", mandate_id: ID } },
      },
      "a mandate that was used elsewhere": {
        given: { mandates: { used_elsewhere: true } },
        gives: [{ mandate_unused: false }],
      },
      "a mandate without an amendment": { given: { mandate_amendments: [] }, gives: [{ last_amendment: 0 }] },
      "an instruction without a payment of ours": {
        given: { transactions: [] },
        gives: [
          {
            scheme: null, mandate_id: null, holder_name: null, iban_sealed: null, creditor_name: null,
            last_amendment: 0, mandate_unused: false, creditor_identifier: null,
          },
        ],
      },
      "in the order in which they came": {
        given: {
          transactions: [],
          "+sepa_collections": {
            reference: "a", state: "accepted", refund_of: null, not_before: "2026-01-20", created_at: "2026-01-02",
            mandate_id: null,
          },
        },
        gives: [{ last_amendment: 0 }, { reference: "a", last_amendment: 0 }],
      },
      "no more than fit": {
        given: {
          transactions: [],
          "+sepa_collections": {
            reference: "a", state: "accepted", refund_of: null, not_before: "2026-01-20", mandate_id: null,
          },
          with: { limit: 1 },
        },
        gives: [
          {
            scheme: "x", reference: "a", mandate_id: null, holder_name: null, iban_sealed: null, creditor_name: null,
            last_amendment: 0, mandate_unused: false, creditor_identifier: null,
          },
        ],
      },
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
