/** Statements of `src/gateways/sepa-batch/incoming`: what each is for, and what it leaves alone (tests/conditions.test.ts). */
import { added, type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { OTHER } from "./rows.ts";

// A case is a line, or a few.
// prettier-ignore
export const BANK_INCOMING: Entries = {
  "sepa_files.finish_read": {
    given: { with: { kind: "k", messageId: "m", entries: 7, report: { n: 1 } } },
    does: { sepa_files: { kind: "k", report: { n: 1 }, message_id: "m", updated_at: "2026-02-01", transactions: 7 } },
    not: {
      "another file": { sepa_files: { id: OTHER } },
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
      "a fee of a return of which other news were told before": {
        given: {
          sepa_news: [
            { kind: "charged_back", round: 2, bank_fee: 4 }, { number: 2, kind: "settled", round: 2, bank_fee: 9 },
          ],
          with: {
            given: [{ reference: "x", state: "returned", on: "2026-01-31", news: "fee", bank_fee: 3, position: 2 }],
          },
        },
        does: {
          sepa_collections: [],
          sepa_news: { at: "2026-01-31", kind: "fee", gateway_reference: undefined, bank_fee: 7 },
        },
      },
      "a fee beside another collection's return": {
        given: {
          "+sepa_collections": { reference: "y", state: "settled", round: 1 },
          with: {
            given: [
              { reference: "x", state: "returned", on: "2026-01-31", news: "fee", bank_fee: 3, position: 1 },
              { reference: "y", state: "returned", on: "2026-01-31", news: "charged_back", bank_fee: 2, position: 2 },
            ],
          },
        },
        does: {
          sepa_collections: {
            state: "returned", settled_on: undefined, gateway_reference: undefined, reference: "y",
            returned_on: "2026-01-31",
          },
          sepa_news: [
            added({ at: "2026-01-31", kind: "fee", round: 2, file_id: ID, bank_fee: 3, reference: "x", gateway_id: ID }),
            added({
              at: "2026-01-31", kind: "charged_back", round: 1, file_id: ID, bank_fee: 2, reference: "y",
              gateway_id: ID,
            }),
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
    same: { "dropped condition: reference in (select reference from given)": "They are joined below by it; without it more rows would only be read." },
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
};
