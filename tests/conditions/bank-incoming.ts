/**
 * Statements of `src/gateways/sepa-batch/incoming` that are about single instructions: their effect, and the rows
 * that they must leave alone (tests/conditions.test.ts).
 */
import { added, type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { DEBIT_IN_DOUBT, DEBIT_NOT_IN_DOUBT } from "./bank-doubt.ts";
import { MAY_BE_AT_BANK, NOT_AT_BANK, OTHER } from "./rows.ts";

const COLLECTED = {
  refund_of: null,
  amount: 30,
  currency: "EUR",
  state: "settled",
  due_date: "2026-01-20",
  mandate_reference: "Ref",
};

/** News of a return with a fee and of its first separate fee, which has been taken. */
const RETURN_AND_FEE = [
  { kind: "charged_back", round: 2, bank_fee: 4 },
  { number: 2, kind: "fee", round: 2, bank_fee: 7, acknowledged_at: "2026-01-31" },
];

// Each case stays on one line or a few.
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
  "sepa_files.change": {
    given: {
      sepa_collections: {
        state: "batched", round: 2, settled_on: null, reason_code: "old", gateway_reference: "old",
        returned_on: "2026-01-02", reinstated_on: "2026-01-03",
      },
      sepa_news: [], sepa_later_fees: [],
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
      "a fee of a return that was reported before": {
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
      "a fee of a return of which other news was reported before": {
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
      "a second and a third fee": {
        given: {
          sepa_news: RETURN_AND_FEE,
          with: {
            given: [
              { reference: "x", state: "returned", on: "2026-01-31", news: "fee", bank_fee: 3, position: 1 },
              { reference: "x", state: "returned", on: "2026-01-31", news: "fee", bank_fee: 2, position: 2 },
            ],
          },
        },
        does: {
          sepa_collections: [], sepa_news: [{}, { number: 2, bank_fee: 12, acknowledged_at: null }],
          sepa_later_fees: added({
            gateway_id: ID, reference: "x", round: 2, so_far: 12, amount: 5, booked_on: "2026-01-31",
          }),
        },
      },
      "fees of two days, the first after another": {
        given: {
          sepa_news: RETURN_AND_FEE,
          with: {
            given: [
              { reference: "x", state: "returned", on: "2026-01-30", news: "fee", bank_fee: 3, position: 1 },
              { reference: "x", state: "returned", on: "2026-01-31", news: "fee", bank_fee: 2, position: 2 },
              { reference: "x", state: "returned", on: "2026-01-31", news: "fee", bank_fee: 4, position: 3 },
            ],
          },
        },
        does: {
          sepa_collections: [], sepa_news: [{}, { number: 2, bank_fee: 16, acknowledged_at: null }],
          sepa_later_fees: [
            added({ gateway_id: ID, reference: "x", round: 2, so_far: 10, amount: 3, booked_on: "2026-01-30" }),
            added({ gateway_id: ID, reference: "x", round: 2, so_far: 16, amount: 6, booked_on: "2026-01-31" }),
          ],
        },
      },
      "the first fees of a return, on two days": {
        given: {
          sepa_news: RETURN_AND_FEE.slice(0, 1),
          with: {
            given: [
              { reference: "x", state: "returned", on: "2026-01-30", news: "fee", bank_fee: 3, position: 1 },
              { reference: "x", state: "returned", on: "2026-01-31", news: "fee", bank_fee: 2, position: 2 },
            ],
          },
        },
        does: {
          sepa_collections: [],
          sepa_news: [{}, added({ at: "2026-01-30", kind: "fee", round: 2, bank_fee: 9, file_id: ID, reference: "x", gateway_id: ID })],
          sepa_later_fees: added({
            gateway_id: ID, reference: "x", round: 2, so_far: 9, amount: 2, booked_on: "2026-01-31",
          }),
        },
      },
      "a second fee of one euro": {
        given: {
          sepa_news: RETURN_AND_FEE,
          with: {
            given: [{ reference: "x", state: "returned", on: "2026-01-31", news: "fee", bank_fee: 1, position: 1 }],
          },
        },
        does: {
          sepa_collections: [], sepa_news: [{}, { number: 2, bank_fee: 8, acknowledged_at: null }],
          sepa_later_fees: added({
            gateway_id: ID, reference: "x", round: 2, so_far: 8, amount: 1, booked_on: "2026-01-31",
          }),
        },
      },
      "a second fee of nothing": {
        given: {
          sepa_news: RETURN_AND_FEE,
          with: {
            given: [{ reference: "x", state: "returned", on: "2026-01-31", news: "fee", bank_fee: 0, position: 1 }],
          },
        },
        does: { sepa_collections: [], sepa_news: [{}, { number: 2, acknowledged_at: null }] },
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
          sepa_news: [
            { kind: "charged_back", round: 1, bank_fee: 4 }, { number: 2, kind: "fee", round: 1, bank_fee: 6 },
          ],
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
      "news that exists already": { given: { sepa_news: { kind: "settled", round: 2 } }, does: { sepa_news: [] } },
    },
    same: {
      "dropped condition: reference in (select reference from given)": "The rows are joined by it below; without it only more rows would be read.",
      "dropped condition: g.news = 'fee'": "Only the rows of fees have a fee of their own; it spares the others the search for earlier fees.",
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
  "sepa_bookings.find": {
    given: {
      sepa_bookings: [
        { movement: "credit", booked_on: "2026-01-30" },
        { reference: "y", movement: "debit", file_id: null, bank_reference: null },
      ],
      with: { references: ["x", "y"] },
    },
    gives: [
      { file_id: ID, movement: "credit", booked_on: "2026-01-30", reference: "x", bank_reference: "x" },
      { file_id: null, movement: "debit", booked_on: "2026-01-01", reference: "y", bank_reference: null },
    ],
    not: {
      "another account's bookings": { sepa_bookings: [{ gateway_id: OTHER }] },
      "other collections' bookings": { with: { references: ["z"] } },
    },
  },
  "sepa_bookings.ours": {
    given: {
      sepa_collections: [], sepa_withdrawn: [], sepa_files: [], mandates: [], mandate_amendments: [],
      sepa_bookings: [], with: { names: ["name", "other"] },
    },
    gives: [],
    also: {
      "a collection": { given: { sepa_collections: [{ reference: "name" }] }, gives: [{ name: "name" }] },
      "another account's collection": { given: { sepa_collections: [{ reference: "name", gateway_id: OTHER }] } },
      "a block": { given: { sepa_collections: [{ block_id: "name" }] }, gives: [{ name: "name" }] },
      "another account's block": { given: { sepa_collections: [{ block_id: "name", gateway_id: OTHER }] } },
      "a block from which collections were taken back": {
        given: { sepa_withdrawn: [{ block_id: "name" }] },
        gives: [{ name: "name" }],
      },
      "another account's block from which collections were taken back": {
        given: { sepa_withdrawn: [{ block_id: "name", gateway_id: OTHER }] },
      },
      "a mandate with a collection": {
        given: { sepa_collections: [{ mandate_reference: "NAME" }] },
        gives: [{ name: "name" }],
      },
      "a mandate with another account's collection": {
        given: { sepa_collections: [{ mandate_reference: "NAME", gateway_id: OTHER }] },
      },
      "a file": { given: { sepa_files: [{ direction: "out", message_id: "name" }] }, gives: [{ name: "name" }] },
      "an incoming file": { given: { sepa_files: [{ direction: "in", message_id: "name" }] } },
      "another account's file": {
        given: { sepa_files: [{ direction: "out", message_id: "name", gateway_id: OTHER }] },
      },
      "a mandate": { given: { mandates: [{ reference: "NAME" }] }, gives: [{ name: "name" }] },
      "a mandate by an earlier reference": {
        given: { mandate_amendments: [{ original_reference: "NAME" }] },
        gives: [{ name: "name" }],
      },
      "a reference of the bank, of six characters": {
        given: { sepa_bookings: [{ bank_reference: "number" }], with: { names: ["number", "other"] } },
        gives: [{ name: "number" }],
      },
      "a reference of the bank that is too short to be unique": {
        given: { sepa_bookings: [{ bank_reference: "short" }], with: { names: ["short", "other"] } },
      },
      "another reference of the bank": {
        given: { sepa_bookings: [{ bank_reference: "number" }], with: { names: ["numbers"] } },
      },
      "a reference of another account's bank": {
        given: {
          sepa_bookings: [{ bank_reference: "number", gateway_id: OTHER }], with: { names: ["number", "other"] },
        },
      },
    },
  },
  "sepa_files.by_mandate": {
    given: {
      sepa_collections: COLLECTED, mandates: [], mandate_amendments: [],
      with: { reference: "rEF", amount: 30, currency: "EUR", before: "2026-01-25", dueBy: "2026-01-25" },
    },
    gives: [{ state: "settled" }],
    not: {
      "another account's collection": { sepa_collections: { gateway_id: OTHER } },
      "another amount": { sepa_collections: { amount: 31 } },
      "another currency": { sepa_collections: { currency: "CHF" } },
      "a refund": { sepa_collections: { refund_of: "y" } },
      "another mandate": { sepa_collections: { mandate_reference: "y" } },
      "a collection that waits": { sepa_collections: { state: "accepted" } },
      "a fenced collection": { sepa_collections: { state: "fenced" } },
      "a collection of 13 months before": { sepa_collections: { due_date: "2024-12-25" } },
      "a collection that was not due by then": { sepa_collections: { due_date: "2026-01-26" } },
      "another mandate by its present reference": {
        mandates: [{ id: OTHER, reference: "REF" }], mandate_amendments: [{ original_reference: "Old" }],
        sepa_collections: { mandate_reference: "Old" },
      },
      "another mandate by an earlier reference": {
        mandates: [{ reference: "New" }], mandate_amendments: [{ mandate_id: OTHER, original_reference: "Ref" }],
        sepa_collections: { mandate_reference: "New" },
      },
    },
    also: {
      "a collection that is with the bank": {
        given: { sepa_collections: { state: "batched" } },
        gives: [{ state: "batched" }],
      },
      "a collection that was returned": {
        given: { sepa_collections: { state: "returned" } },
        gives: [{ state: "returned" }],
      },
      "a collection that was rejected": {
        given: { sepa_collections: { state: "rejected" } },
        gives: [{ state: "rejected" }],
      },
      "a collection of less than 13 months before": { given: { sepa_collections: { due_date: "2024-12-26" } } },
      "a collection that is due on that day": { given: { sepa_collections: { due_date: "2026-01-25" } } },
      "a collection with any due date": { given: { sepa_collections: { due_date: "2026-01-26" }, with: { dueBy: null } } },
      "a collection under an earlier reference": {
        given: {
          mandates: [{ reference: "REF" }], mandate_amendments: [{ original_reference: "Old" }],
          sepa_collections: { mandate_reference: "old" },
        },
      },
      "a collection under a later reference": {
        given: {
          mandates: [{ reference: "New" }], mandate_amendments: [{ original_reference: "REF" }],
          sepa_collections: { mandate_reference: "new" },
        },
      },
      "a collection under another earlier reference": {
        given: {
          mandates: [{ reference: "New" }],
          mandate_amendments: [{ number: 1, original_reference: "REF" }, { number: 2, original_reference: "Old" }],
          sepa_collections: { mandate_reference: "old" },
        },
      },
      "no more than two collections": {
        given: { "+sepa_collections": [{ ...COLLECTED, reference: "y" }, { ...COLLECTED, reference: "z" }] },
        gives: [{ state: "settled" }, { state: "settled" }],
      },
    },
  },
  "sepa_files.lock_collections": {
    given: {
      sepa_collections: [
        { reference: "b", refund_of: null }, { reference: "a", refund_of: null },
        { reference: "reversal", refund_of: "c", reversible_until: "2026-01-10" },
      ],
      with: { references: ["a", "b"], reversed: ["c"] },
    },
    gives: [{ reference: "a" }, { reference: "b" }, { reference: "reversal" }],
    also: {
      "another account's collection": {
        given: { "sepa_collections[1]": { gateway_id: OTHER } },
        gives: [{ reference: "b" }, { reference: "reversal" }],
      },
      "another collection": {
        given: { with: { references: ["b"] } },
        gives: [{ reference: "b" }, { reference: "reversal" }],
      },
      "another debit's reversal": {
        given: { with: { reversed: ["y"] } },
        gives: [{ reference: "a" }, { reference: "b" }],
      },
      "another account's reversal": {
        given: { "sepa_collections[2]": { gateway_id: OTHER } },
        gives: [{ reference: "a" }, { reference: "b" }],
      },
      "another account's reversal under a reference of this one": {
        given: {
          "sepa_collections[2]": { gateway_id: OTHER },
          "+sepa_collections": { reference: "reversal", refund_of: null },
        },
        gives: [{ reference: "a" }, { reference: "b" }],
      },
      "a transfer": {
        given: { "sepa_collections[2]": { reversible_until: null } },
        gives: [{ reference: "a" }, { reference: "b" }],
      },
    },
  },
  "sepa_files.assumable": {
    given: {
      sepa_collections: { state: "batched", due_date: "2026-01-20", block_id: "block" },
      sepa_files: { status: "sent", message_id: "message" }, with: { dueBy: "2026-01-20" },
    },
    gives: [{ file_id: ID, due_date: "2026-01-20", reference: "x", gateway_reference: "message/block/x" }],
    not: {
      "another account's collection": { sepa_collections: { gateway_id: OTHER } },
      "a collection that waits": { sepa_collections: { state: "accepted" } },
      "a collection of a later day": { sepa_collections: { due_date: "2026-01-21" } },
      "a file that was not sent": { sepa_files: { status: "unclear" } },
      "another file": { sepa_files: { id: OTHER } },
      "a file that the bank does not execute": { ebics_events: { action: "ORDER_HAC_FINAL_NEG" } },
      "a file whose order was cancelled": { ebics_events: { action: "VEU_CANCEL_ORDER" } },
      "a file whose order was executed before it was cancelled": {
        ebics_events: { number: 2, action: "VEU_CANCEL_ORDER", order_id: "B" },
        "+ebics_events": { number: 1, action: "ORDER_HAC_FINAL_POS", order_id: "B" },
      },
      "a file of which another order has only arrived": {
        ebics_events: { number: 1, action: "ORDER_HAC_FINAL_NEG", order_id: "A" },
        "+ebics_events": { number: 2, action: "FILE_UPLOAD", order_id: "B" },
      },
      "a file that the bank does not execute, where it executes another file": {
        ebics_events: { number: 1, action: "ORDER_HAC_FINAL_NEG", order_id: "A" },
        "+ebics_events": { number: 2, action: "ORDER_HAC_FINAL_POS", order_id: "B", file_id: OTHER },
      },
      ...DEBIT_IN_DOUBT,
    },
    also: {
      "a file that the bank executes in another order": {
        given: {
          ebics_events: { number: 1, action: "ORDER_HAC_FINAL_NEG", order_id: "A" },
          "+ebics_events": { number: 2, action: "ORDER_HAC_FINAL_POS", order_id: "B" },
        },
      },
      "a file, where the bank does not execute another one": {
        given: { ebics_events: { action: "ORDER_HAC_FINAL_NEG", file_id: OTHER } },
      },
      ...Object.fromEntries(
        Object.entries(DEBIT_NOT_IN_DOUBT).map(([words, given]) => [
          words, { given, gives: [{ gateway_reference: "message/block-2/x" }] },
        ]),
      ),
      "the earliest first": {
        given: {
          "+sepa_collections": [
            { reference: "b", state: "batched", due_date: "2026-01-19", block_id: "block" },
            { reference: "a", state: "batched", due_date: "2026-01-19", block_id: "block" },
          ],
          with: { limit: 3 },
        },
        gives: [
          { file_id: ID, due_date: "2026-01-19", reference: "a", gateway_reference: "message/block/a" },
          { file_id: ID, due_date: "2026-01-19", reference: "b", gateway_reference: "message/block/b" },
          { file_id: ID, due_date: "2026-01-20", reference: "x", gateway_reference: "message/block/x" },
        ],
      },
      "no more than requested": {
        given: {
          "+sepa_collections": { reference: "y", state: "batched", due_date: "2026-01-19", block_id: "block" },
        },
        gives: [{ due_date: "2026-01-19", reference: "y", gateway_reference: "message/block/y" }],
      },
    },
  },
  "sepa_files.list_entries": {
    given: {
      sepa_entries: [{ number: 3, result: "applied" }, { number: 2, result: "known", amount: 30 }],
      with: { result: null, limit: 5, after: 1 },
    },
    gives: [
      { amount: "30.00", detail: "x", number: 2, result: "known", reference: "x", reason_code: "x" },
      { amount: "1.00", detail: "x", number: 3, result: "applied", reference: "x", reason_code: "x" },
    ],
    not: {
      "another file": { with: { fileId: OTHER } },
    },
    also: {
      "after one of them": {
        given: { with: { after: 2 } },
        gives: [{ amount: "1.00", detail: "x", number: 3, result: "applied", reference: "x", reason_code: "x" }],
      },
      "of one result": {
        given: { with: { result: "known" } },
        gives: [{ amount: "30.00", detail: "x", number: 2, result: "known", reference: "x", reason_code: "x" }],
      },
      "no more than requested": {
        given: { with: { limit: 1 } },
        gives: [{ amount: "30.00", detail: "x", number: 2, result: "known", reference: "x", reason_code: "x" }],
      },
    },
  },
  "sepa_files.list_instructions": {
    given: {
      sepa_collections: [
        { reference: "b", state: "batched" }, { reference: "a", state: "settled", amount: 30, reason_code: null },
      ],
      with: { result: null, limit: 5, after: 0 },
    },
    gives: [
      { amount: "30.00", detail: "", number: 1, result: "settled", reference: "a", reason_code: null },
      { amount: "1.00", detail: "", number: 2, result: "unanswered", reference: "b", reason_code: "x" },
    ],
    not: {
      "another file": { with: { fileId: OTHER } },
    },
    also: {
      "after one of them": {
        given: { with: { after: 1 } },
        gives: [{ amount: "1.00", detail: "", number: 2, result: "unanswered", reference: "b", reason_code: "x" }],
      },
      "those without an answer of the bank": {
        given: { with: { result: "unanswered" } },
        gives: [{ amount: "1.00", detail: "", number: 2, result: "unanswered", reference: "b", reason_code: "x" }],
      },
      "those that have settled": {
        given: { with: { result: "settled" } },
        gives: [{ amount: "30.00", detail: "", number: 1, result: "settled", reference: "a", reason_code: null }],
      },
      "no more than requested": {
        given: { with: { limit: 1 } },
        gives: [{ amount: "30.00", detail: "", number: 1, result: "settled", reference: "a", reason_code: null }],
      },
    },
  },
  "sepa_withdrawn.find": {
    given: { sepa_withdrawn: [{ number: 1, block_id: "old" }, { number: 2, block_id: "old" }] },
    gives: [{ reference: "x", block_id: "old" }],
    not: {
      "another account": { sepa_withdrawn: [{ gateway_id: OTHER }] },
      "other collections": { with: { references: ["y"] } },
    },
  },
  "sepa_withdrawn.find_sent_again": {
    given: {
      sepa_withdrawn: { file_id: OTHER, block_id: "old" },
      sepa_files: [
        { id: OTHER, direction: "out", status: "withdrawn", message_id: "old message" },
        { id: ID, direction: "out", status: "sent" },
      ],
    },
    gives: [{ block_id: "old", reference: "x", message_id: "old message" }],
    not: {
      "another account": { sepa_withdrawn: { gateway_id: OTHER }, sepa_collections: { gateway_id: OTHER } },
      "another account's collection": { sepa_collections: { gateway_id: OTHER } },
      "other collections": { with: { references: ["y"] } },
      "another collection": { sepa_collections: { reference: "y" } },
      "a file that is not withdrawn": { sepa_files: { status: "unclear" } },
      ...NOT_AT_BANK,
      "a collection that waits": { sepa_collections: { file_id: null } },
    },
    also: {
      ...MAY_BE_AT_BANK,
    },
  },
};
