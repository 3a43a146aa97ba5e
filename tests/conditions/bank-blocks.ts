/**
 * Statements of the bank's answers to whole blocks and files (`src/gateways/sepa-batch/incoming/blocks-store.ts`):
 * their effect, and the rows that they must leave alone (tests/conditions.test.ts).
 */
import { added, type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { MAY_BE_AT_BANK, NOT_AT_BANK, OTHER } from "./rows.ts";

const SENT = { direction: "out", message_id: "message", status: "sent" };

// Each case stays on one line or a few.
// prettier-ignore
export const BANK_BLOCKS: Entries = {
  "sepa_files.block": {
    given: {
      sepa_collections: {
        block_id: "block", file_id: OTHER, state: "batched", amount: 30, currency: "EUR", refund_of: null,
      },
      sepa_withdrawn: [], sepa_files: [], with: { blockId: "block", messageId: "message", booked: false },
    },
    gives: [{ amount: "30.00", batched: 1, refunds: 0, settled: 0, currency: "EUR", transactions: 1 }],
    also: {
      "another account's collection": {
        given: { sepa_collections: { gateway_id: OTHER } },
        gives: [{ amount: "0.00", batched: 0, currency: null, transactions: 0 }],
      },
      "another block's collection": {
        given: { sepa_collections: { block_id: "other" } },
        gives: [{ amount: "0.00", batched: 0, currency: null, transactions: 0 }],
      },
      "a collection of the file": {
        given: { sepa_collections: { block_id: "other", file_id: ID }, sepa_files: SENT },
      },
      "a collection of another file": {
        given: { sepa_collections: { block_id: "other", file_id: ID }, sepa_files: { ...SENT, message_id: "other" } },
        gives: [{ amount: "0.00", batched: 0, currency: null, transactions: 0 }],
      },
      "a collection of an incoming file": {
        given: { sepa_collections: { block_id: "other", file_id: ID }, sepa_files: { ...SENT, direction: "in" } },
        gives: [{ amount: "0.00", batched: 0, currency: null, transactions: 0 }],
      },
      "a collection of another account's file": {
        given: { sepa_collections: { block_id: "other", file_id: ID }, sepa_files: { ...SENT, gateway_id: OTHER } },
        gives: [{ amount: "0.00", batched: 0, currency: null, transactions: 0 }],
      },
      "a collection that was taken back from the block": {
        given: {
          sepa_collections: { block_id: null, file_id: null, state: "accepted" },
          sepa_withdrawn: { block_id: "block", file_id: OTHER },
        },
        gives: [{ amount: "0.00", batched: 0, currency: null, transactions: 0 }],
      },
      "a collection that was taken back from the block, and was booked": {
        given: {
          sepa_collections: { block_id: null, file_id: null, state: "accepted" },
          sepa_withdrawn: { block_id: "block", file_id: OTHER }, with: { booked: true },
        },
      },
      "a collection that was taken back from another block, and was booked": {
        given: {
          sepa_collections: { block_id: null, file_id: null, state: "accepted" },
          sepa_withdrawn: { block_id: "other", file_id: OTHER }, with: { booked: true },
        },
        gives: [{ amount: "0.00", batched: 0, currency: null, transactions: 0 }],
      },
      "a collection that was taken back from another account's block, and was booked": {
        given: {
          sepa_collections: { block_id: null, file_id: null, state: "accepted" },
          sepa_withdrawn: { block_id: "block", file_id: OTHER, gateway_id: OTHER }, with: { booked: true },
        },
        gives: [{ amount: "0.00", batched: 0, currency: null, transactions: 0 }],
      },
      "a collection that was taken back from the file, and was booked": {
        given: {
          sepa_collections: { block_id: null, file_id: null, state: "accepted" },
          sepa_withdrawn: { block_id: "other", file_id: ID }, sepa_files: SENT, with: { booked: true },
        },
      },
      "a collection that was taken back from another file, and was booked": {
        given: {
          sepa_collections: { block_id: null, file_id: null, state: "accepted" },
          sepa_withdrawn: { block_id: "other", file_id: ID }, sepa_files: { ...SENT, message_id: "other" },
          with: { booked: true },
        },
        gives: [{ amount: "0.00", batched: 0, currency: null, transactions: 0 }],
      },
      "a collection that was taken back from an incoming file, and was booked": {
        given: {
          sepa_collections: { block_id: null, file_id: null, state: "accepted" },
          sepa_withdrawn: { block_id: "other", file_id: ID }, sepa_files: { ...SENT, direction: "in" },
          with: { booked: true },
        },
        gives: [{ amount: "0.00", batched: 0, currency: null, transactions: 0 }],
      },
      "a collection that was taken back from another account's file, and was booked": {
        given: {
          sepa_collections: { block_id: null, file_id: null, state: "accepted" },
          sepa_withdrawn: { block_id: "other", file_id: ID }, sepa_files: { ...SENT, gateway_id: OTHER },
          with: { booked: true },
        },
        gives: [{ amount: "0.00", batched: 0, currency: null, transactions: 0 }],
      },
      "another collection beside one that was taken back, and was booked": {
        given: {
          sepa_collections: { block_id: null, file_id: null, state: "accepted" },
          sepa_withdrawn: { block_id: "block", file_id: OTHER, reference: "y" }, with: { booked: true },
        },
        gives: [{ amount: "0.00", batched: 0, currency: null, transactions: 0 }],
      },
      "a collection that waits, of an entry that is not booked": {
        given: { sepa_collections: { state: "accepted" } },
        gives: [{ batched: 0 }],
      },
      "a collection that has settled": {
        given: { sepa_collections: { state: "settled" } },
        gives: [{ batched: 0, settled: 1 }],
      },
      "a collection that has settled, and is booked": {
        given: { sepa_collections: { state: "settled" }, with: { booked: true } },
        gives: [{ batched: 0, settled: 1 }],
      },
      "a collection that was returned": {
        given: { sepa_collections: { state: "returned" } },
        gives: [{ batched: 0, settled: 1 }],
      },
      "a collection that was rejected": {
        given: { sepa_collections: { state: "rejected" } },
        gives: [{ amount: "0.00", batched: 0 }],
      },
      "a fenced collection": {
        given: { sepa_collections: { state: "fenced" } },
        gives: [{ amount: "0.00", batched: 0 }],
      },
      "a refund": { given: { sepa_collections: { refund_of: "y" } }, gives: [{ refunds: 1 }] },
      "two collections": {
        given: {
          "+sepa_collections": {
            reference: "y", block_id: "block", state: "settled", amount: 12, currency: "EUR", refund_of: null,
          },
        },
        gives: [{ amount: "42.00", settled: 1, transactions: 2 }],
      },
      "two collections of two currencies": {
        given: {
          "+sepa_collections": {
            reference: "y", block_id: "block", state: "settled", amount: 12, currency: "CHF", refund_of: null,
          },
        },
        gives: [{ amount: "42.00", settled: 1, currency: null, transactions: 2 }],
      },
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
      "a collection of an incoming file": {
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
      "news that exists already": { given: { sepa_news: { kind: "settled" } }, does: { sepa_news: [] } },
      "a collection that was in the block and was taken back": {
        given: {
          sepa_collections: { state: "accepted", block_id: null, file_id: null },
          sepa_withdrawn: { block_id: "block" }, with: { booked: true },
        },
      },
      "a collection that was in the message and was taken back, of an entry without a reference of the bank": {
        given: {
          sepa_collections: { state: "accepted", block_id: null, file_id: null },
          sepa_withdrawn: { block_id: "other" }, sepa_files: { message_id: "message", direction: "out" },
          with: { booked: true, blockId: null, bankReference: null },
        },
        does: { sepa_collections: { gateway_reference: "message/x" }, sepa_news: { gateway_reference: "message/x" } },
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
      "a collection that was taken back from an incoming file": {
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
      with: {
        movement: "credit", blockId: "block", on: "2026-01-30", bankReference: "b", messageId: "message",
        namedFile: "file",
      },
    },
    gives: [{ "?column?": 1 }],
    does: {
      sepa_bookings: added({
        file_id: ID, movement: "credit", booked_on: "2026-01-30", reference: "x", gateway_id: ID, bank_reference: "b",
        named_file: "file",
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
      "a collection of an incoming file": {
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
      "a collection that was taken back from an incoming file": {
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
  "sepa_bookings.count_others": {
    given: {
      sepa_collections: { block_id: "block", file_id: OTHER, state: "settled" }, sepa_withdrawn: [], sepa_files: [],
      sepa_page_entries: [],
      sepa_bookings: {
        movement: "credit", file_id: ID, booked_on: "2026-01-30", bank_reference: "bank", named_file: "file",
      },
      with: {
        movement: "credit", blockId: "block", messageId: "message", fileId: ID, on: "2026-01-30",
        bankReference: "bank", statement: "s", here: [1], namedFile: "file",
      },
    },
    gives: [{ others: 1 }],
    also: {
      "another account's collection": { given: { sepa_collections: { gateway_id: OTHER } }, gives: [{ others: 0 }] },
      "another account's collection and its booking": {
        given: { sepa_collections: { gateway_id: OTHER }, sepa_bookings: { gateway_id: OTHER } },
        gives: [{ others: 0 }],
      },
      "another account's booking": { given: { sepa_bookings: { gateway_id: OTHER } }, gives: [{ others: 0 }] },
      "another collection's booking": { given: { sepa_bookings: { reference: "y" } }, gives: [{ others: 0 }] },
      "a booking of another kind": { given: { sepa_bookings: { movement: "debit" } }, gives: [{ others: 0 }] },
      "a collection that is with the bank": {
        given: { sepa_collections: { state: "batched" } },
        gives: [{ others: 0 }],
      },
      "a collection that was returned": { given: { sepa_collections: { state: "returned" } } },
      "another block's collection": { given: { sepa_collections: { block_id: "other" } }, gives: [{ others: 0 }] },
      "a collection of the file": {
        given: { sepa_collections: { block_id: "other", file_id: ID }, sepa_files: SENT },
      },
      "a collection of another file": {
        given: { sepa_collections: { block_id: "other", file_id: ID }, sepa_files: { ...SENT, message_id: "other" } },
        gives: [{ others: 0 }],
      },
      "a collection of an incoming file": {
        given: { sepa_collections: { block_id: "other", file_id: ID }, sepa_files: { ...SENT, direction: "in" } },
        gives: [{ others: 0 }],
      },
      "a collection of another account's file": {
        given: { sepa_collections: { block_id: "other", file_id: ID }, sepa_files: { ...SENT, gateway_id: OTHER } },
        gives: [{ others: 0 }],
      },
      "a collection that was taken back from the block": {
        given: {
          sepa_collections: { block_id: null, file_id: null }, sepa_withdrawn: { block_id: "block", file_id: OTHER },
        },
      },
      "a collection that was taken back from another block": {
        given: {
          sepa_collections: { block_id: null, file_id: null }, sepa_withdrawn: { block_id: "other", file_id: OTHER },
        },
        gives: [{ others: 0 }],
      },
      "a collection that was taken back from another account's block": {
        given: {
          sepa_collections: { block_id: null, file_id: null },
          sepa_withdrawn: { block_id: "block", file_id: OTHER, gateway_id: OTHER },
        },
        gives: [{ others: 0 }],
      },
      "another collection was taken back from the block": {
        given: {
          sepa_collections: { block_id: null, file_id: null },
          sepa_withdrawn: { block_id: "block", file_id: OTHER, reference: "y" },
        },
        gives: [{ others: 0 }],
      },
      "a collection that was taken back from the file": {
        given: {
          sepa_collections: { block_id: null, file_id: null }, sepa_withdrawn: { block_id: "other", file_id: ID },
          sepa_files: SENT,
        },
      },
      "a collection that was taken back from another file": {
        given: {
          sepa_collections: { block_id: null, file_id: null }, sepa_withdrawn: { block_id: "other", file_id: ID },
          sepa_files: { ...SENT, message_id: "other" },
        },
        gives: [{ others: 0 }],
      },
      "a collection that was taken back from an incoming file": {
        given: {
          sepa_collections: { block_id: null, file_id: null }, sepa_withdrawn: { block_id: "other", file_id: ID },
          sepa_files: { ...SENT, direction: "in" },
        },
        gives: [{ others: 0 }],
      },
      "a collection that was taken back from another account's file": {
        given: {
          sepa_collections: { block_id: null, file_id: null }, sepa_withdrawn: { block_id: "other", file_id: ID },
          sepa_files: { ...SENT, gateway_id: OTHER },
        },
        gives: [{ others: 0 }],
      },
      "the same booking, reported by another file": {
        given: { sepa_bookings: { file_id: OTHER } },
        gives: [{ others: 0 }],
      },
      "a booking of another day and reference, reported by another file": {
        given: { sepa_bookings: { file_id: OTHER, booked_on: "2026-01-29", bank_reference: "y" } },
      },
      "a booking of the same day, reported by another file under another reference": {
        given: { sepa_bookings: { file_id: OTHER, bank_reference: "y" } },
        gives: [{ others: 0 }],
      },
      "a booking of another day, reported by another file under the same reference": {
        given: { sepa_bookings: { file_id: OTHER, booked_on: "2026-01-29" } },
        gives: [{ others: 0 }],
      },
      "a booking of another day without a reference, reported by another file": {
        given: { sepa_bookings: { file_id: OTHER, booked_on: "2026-01-29", bank_reference: null } },
      },
      "a booking of that day that named no file": {
        given: { sepa_bookings: { file_id: OTHER, named_file: null } },
        gives: [{ others: 0 }],
      },
      "a booking of that day, under another file's name": {
        given: { sepa_bookings: { file_id: OTHER, named_file: "other" } },
      },
      "the same booking, on another page of the statement": {
        given: {
          sepa_bookings: { file_id: OTHER }, sepa_page_entries: [{ statement: "s", name: "credit x", page: 2 }],
        },
      },
      "the same booking, on this page of the statement": {
        given: {
          sepa_bookings: { file_id: OTHER }, sepa_page_entries: [{ statement: "s", name: "credit x", page: 1 }],
        },
        gives: [{ others: 0 }],
      },
      "the same booking, on a page of another statement": {
        given: {
          sepa_bookings: { file_id: OTHER }, sepa_page_entries: [{ statement: "y", name: "credit x", page: 2 }],
        },
        gives: [{ others: 0 }],
      },
      "another collection's booking, on another page of the statement": {
        given: {
          sepa_bookings: { file_id: OTHER }, sepa_page_entries: [{ statement: "s", name: "credit y", page: 2 }],
        },
        gives: [{ others: 0 }],
      },
      "a booking of another kind, on another page of the statement": {
        given: {
          sepa_bookings: { file_id: OTHER }, sepa_page_entries: [{ statement: "s", name: "debit x", page: 2 }],
        },
        gives: [{ others: 0 }],
      },
    },
  },
  "sepa_withdrawn.find_block_sent_again": {
    given: {
      sepa_withdrawn: { file_id: OTHER, block_id: "old" },
      sepa_files: [
        { id: OTHER, direction: "out", status: "withdrawn", message_id: "old message" },
        { id: ID, direction: "out", status: "sent" },
      ],
      with: { blockId: "old", messageId: null },
    },
    gives: [{ message_id: "old message" }],
    not: {
      "another account": { sepa_withdrawn: { gateway_id: OTHER }, sepa_collections: { gateway_id: OTHER } },
      "another account's collection": { sepa_collections: { gateway_id: OTHER } },
      "another block": { sepa_withdrawn: { block_id: "y" } },
      "another message": { with: { blockId: null, messageId: "y" } },
      "another collection": { sepa_collections: { reference: "y" } },
      "a file that is not withdrawn": { sepa_files: { status: "unclear" } },
      ...NOT_AT_BANK,
      "a collection that waits": { sepa_collections: { file_id: null } },
    },
    also: {
      ...MAY_BE_AT_BANK,
      "the whole file": { given: { with: { blockId: null, messageId: "old message" } } },
      "one of two": {
        given: {
          "+sepa_withdrawn": { reference: "y", file_id: OTHER, block_id: "old" },
          "+sepa_collections": { reference: "y" },
        },
      },
    },
  },
};
