/**
 * Statements of `src/gateways/sepa-batch/unmatched`: their effect, and the rows that they must leave alone
 * (tests/conditions.test.ts).
 */
import { added, type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { FOURTH, OTHER, OTHER_PAYMENT, THIRD, THIRD_PAYMENT } from "./rows.ts";

const FOUND = { state: "settled", refund_of: null, amount: 30, currency: "EUR", due_date: "2026-01-20" };
const ENTRY = {
  id: OTHER,
  entry: 3,
  kind: "return",
  why: "w",
  amount: 30,
  bank_fee: 2,
  booked_on: "2026-01-20",
  facts: { a: 1 },
  identity: "i",
};

// Each case stays on one line or a few.
// prettier-ignore
export const BANK_UNMATCHED: Entries = {
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
  "sepa_unmatched.find_applied": {
    given: { sepa_unmatched: { status: "applied" } },
    gives: [{ identity: "x" }],
    not: {
      "an entry with another identity": { sepa_unmatched: { identity: "y" } },
      "an entry that is open": { sepa_unmatched: { status: "open", resolved_at: null } },
      "an entry that was dismissed": { sepa_unmatched: { status: "dismissed" } },
      "an entry that repeated a line of its file": { sepa_unmatched: { facts: { another: true } } },
    },
  },
  "sepa_unmatched.mark_parts": {
    given: { sepa_unmatched: { status: "part" } },
    does: { sepa_unmatched: { status: "x", resolved_at: "2026-02-01" } },
    not: {
      "an entry without a target": { sepa_unmatched: { target: null } },
      "an unmatched entry that is open": { sepa_unmatched: { status: "open" } },
    },
  },
  "sepa_unmatched.find": {
    given: { sepa_unmatched: { status: "open" } },
    gives: [{ id: ID, status: "open" }],
    not: {
      "another entry": { sepa_unmatched: { id: OTHER } },
    },
  },
  "sepa_unmatched.lock": {
    given: { sepa_unmatched: { status: "open" } },
    gives: [{ id: ID, status: "open" }],
    not: {
      "another entry": { sepa_unmatched: { id: OTHER } },
    },
  },
  "sepa_unmatched.insert": {
    given: { sepa_unmatched: [], with: { all: [ENTRY] } },
    gives: [{ entry: 3 }],
    does: { sepa_unmatched: added({ ...ENTRY, file_id: ID, created_at: "2026-02-01", gateway_id: ID }) },
    not: {
      "an entry that waits already": { sepa_unmatched: { id: THIRD, identity: "i" } },
    },
    also: {
      "an entry without a report": {
        given: { sepa_unmatched: { id: THIRD, identity: null }, with: { all: [{ ...ENTRY, identity: null }] } },
        does: { sepa_unmatched: { identity: undefined } },
      },
    },
  },
  "sepa_unmatched.lock_target": {
    given: {
      sepa_collections: [
        { reference: "b", block_id: "block", file_id: OTHER, refund_of: null },
        { reference: "a", block_id: "block", file_id: OTHER, refund_of: null },
      ],
      sepa_files: { direction: "out", message_id: "message" },
      with: { blockId: "block", fileId: null, messageId: null, refundsToo: false },
    },
    gives: [{ reference: "a" }, { reference: "b" }],
    not: {
      "another account's collections": { with: { gatewayIds: [OTHER] } },
      "another block": { with: { blockId: "y" } },
      "another file": { with: { blockId: null, fileId: THIRD } },
      "another message": { with: { blockId: null, messageId: "y" }, sepa_collections: [{ file_id: ID, refund_of: null }] },
      "an incoming message": {
        with: { blockId: null, messageId: "message" }, sepa_files: { direction: "in" },
        sepa_collections: [{ file_id: ID, refund_of: null }],
      },
      "another account's message": {
        with: { blockId: null, messageId: "message" }, sepa_files: { gateway_id: OTHER },
        sepa_collections: [{ file_id: ID, refund_of: null }],
      },
      "refunds": { sepa_collections: [{ block_id: "block", refund_of: "y" }] },
    },
    also: {
      "a file": { given: { with: { blockId: null, fileId: OTHER } } },
      "a message": {
        given: {
          with: { blockId: null, messageId: "message" },
          sepa_collections: [
            { reference: "b", file_id: ID, refund_of: null }, { reference: "a", file_id: ID, refund_of: null },
          ],
        },
      },
      "refunds too": {
        given: {
          sepa_collections: [
            { reference: "b", block_id: "block", refund_of: "y" },
            { reference: "a", block_id: "block", refund_of: null },
          ],
          with: { refundsToo: true },
        },
      },
    },
  },
  "sepa_unmatched.parts": {
    given: {
      sepa_unmatched: [
        { id: THIRD, status: "part", target: { block: "b" }, amount: 10, bank_fee: 2, identity: "c" },
        { id: OTHER, status: "part", target: { block: "b" }, amount: 20, bank_fee: null, identity: "b" },
      ],
      with: { target: { block: "b" }, but: ID },
    },
    gives: [{ amount: "20.00" }, { amount: "12.00" }],
    not: {
      "another target": { with: { target: { block: "c" } } },
      "an entry that is open": { sepa_unmatched: [{ id: OTHER, status: "open", target: { block: "b" } }] },
      "the entry itself": { sepa_unmatched: [{ status: "part", target: { block: "b" } }] },
    },
  },
  "sepa_unmatched.references_of": {
    gives: [{ reference: "x" }],
    not: {
      "another payment": { transactions: { id: OTHER } },
    },
  },
  "sepa_unmatched.suggest": {
    given: {
      sepa_collections: FOUND, leads: { first_name: "Ann", last_name: "Lee" }, transactions: {},
      sepa_files: { direction: "out", created_at: "2026-01-10" },
      with: {
        references: ["x"], mandate: null, from: "2026-01-05", before: "2026-01-15", amount: 7, refunds: false,
        booked: "2026-01-22", limit: 5,
      },
    },
    gives: [
      {
        rank: 0, state: "settled", amount: "30.00", currency: "EUR", due_date: "2026-01-20", reference: "x",
        customer_name: "Ann Lee", transaction_id: ID,
      },
    ],
    not: {
      "another account's collection": { sepa_collections: { gateway_id: OTHER } },
      "another collection": { with: { references: ["y"] } },
      "a collection without a payment": { transactions: { merchant_transaction_id: "y" } },
      "a refund, where debits are wanted": { sepa_collections: { refund_of: "y" } },
      "a debit, where refunds are wanted": { with: { refunds: true } },
      "another mandate": { with: { references: [], mandate: "y" } },
      "another account's collection of the mandate": { with: { references: [], mandate: "X" }, sepa_collections: { gateway_id: OTHER } },
      "another amount of such a file": { with: { references: [], amount: 31 } },
      "the amount of an earlier file": { with: { references: [], amount: 30 }, sepa_files: { created_at: "2026-01-04" } },
      "the amount of a later file": { with: { references: [], amount: 30 }, sepa_files: { created_at: "2026-01-15" } },
      "the amount of an incoming file": { with: { references: [], amount: 30 }, sepa_files: { direction: "in" } },
      "the amount of no file": { with: { references: [], amount: 30 }, sepa_collections: { file_id: OTHER } },
      "the amount of another account's collection in such a file": { with: { references: [], amount: 30 }, sepa_collections: { gateway_id: OTHER } },
      "a transfer of the collection that is named": {
        sepa_collections: { reference: "z", refund_of: "x" }, transactions: { merchant_transaction_id: "z" },
        with: { refunds: true },
      },
      "a reversal of a collection that is not named": {
        sepa_collections: { reference: "z", refund_of: "y", reversible_until: "2026-01-25" },
        transactions: { merchant_transaction_id: "z" },
      },
      "another account's reversal of the collection that is named": {
        sepa_collections: { reference: "z", refund_of: "x", reversible_until: "2026-01-25", gateway_id: OTHER },
        transactions: { merchant_transaction_id: "z" },
      },
    },
    also: {
      "a refund, where refunds are wanted": {
        given: { sepa_collections: { refund_of: "y" }, with: { refunds: true } },
      },
      "a reversal of the collection that is named": {
        given: {
          sepa_collections: { reference: "z", refund_of: "x", reversible_until: "2026-01-25" },
          transactions: { merchant_transaction_id: "z" },
        },
        gives: [{ reference: "z" }],
      },
      "a reversal of another collection": {
        given: { sepa_collections: { refund_of: "y", reversible_until: "2026-01-25" } },
      },
      "by its mandate": { given: { with: { references: [], mandate: "X" } }, gives: [{ rank: 1 }] },
      "by its amount, in a file of these days": {
        given: { with: { references: [], amount: 30 } },
        gives: [{ rank: 2 }],
      },
      "by its amount, in a file of the first of these days": {
        given: { with: { references: [], amount: 30 }, sepa_files: { created_at: "2026-01-05" } },
        gives: [{ rank: 2 }],
      },
      "by all of them": { given: { with: { mandate: "X", amount: 30 } } },
      "by its mandate and its amount": {
        given: { with: { references: [], mandate: "X", amount: 30 } },
        gives: [{ rank: 1 }],
      },
      "a payment whose customer is not known": { given: { leads: [] }, gives: [{ customer_name: null }] },
      "named payments first, then those nearest to the day of the entry": {
        given: {
          sepa_collections: [
            { ...FOUND, mandate_reference: "m", reference: "z" },
            { ...FOUND, reference: "y", mandate_reference: "m" },
            { ...FOUND, due_date: "2026-01-23", reference: "v", mandate_reference: "m" },
            { ...FOUND, due_date: null, reference: "w", mandate_reference: "m" },
            { ...FOUND, due_date: "2026-01-01" },
          ],
          transactions: [
            {}, { ...OTHER_PAYMENT }, { ...THIRD_PAYMENT },
            {
              id: FOURTH, session_id: FOURTH, merchant_transaction_id: "w", adapter_unique_id: "w",
              tenant_reference_id: null,
            },
            {
              id: "00000000-0000-4000-8000-000000000005", session_id: "00000000-0000-4000-8000-000000000005",
              merchant_transaction_id: "v", adapter_unique_id: "v", tenant_reference_id: null,
            },
          ],
          with: { mandate: "m" },
        },
        gives: [
          {
            rank: 0, state: "settled", amount: "30.00", currency: "EUR", due_date: "2026-01-01", reference: "x",
            customer_name: "Ann Lee", transaction_id: ID,
          },
          {
            rank: 1, state: "settled", amount: "30.00", currency: "EUR", due_date: null, reference: "w",
            customer_name: "Ann Lee", transaction_id: FOURTH,
          },
          {
            rank: 1, state: "settled", amount: "30.00", currency: "EUR", due_date: "2026-01-23", reference: "v",
            customer_name: "Ann Lee", transaction_id: "00000000-0000-4000-8000-000000000005",
          },
          {
            rank: 1, state: "settled", amount: "30.00", currency: "EUR", due_date: "2026-01-20", reference: "y",
            customer_name: "Ann Lee", transaction_id: OTHER,
          },
          {
            rank: 1, state: "settled", amount: "30.00", currency: "EUR", due_date: "2026-01-20", reference: "z",
            customer_name: "Ann Lee", transaction_id: THIRD,
          },
        ],
      },
      "no more than requested": {
        given: {
          "+sepa_collections": { ...FOUND, due_date: "2026-01-22", reference: "y" },
          "+transactions": { ...OTHER_PAYMENT }, with: { references: ["x", "y"], limit: 1 },
        },
        gives: [{ due_date: "2026-01-22", reference: "y", transaction_id: OTHER }],
      },
    },
    same: { "removed default: coalesce(min(found.rank)": "Every found row has a rank, which PostgreSQL cannot know.", "off by one: 2) as rank": "Every found row has a rank, which PostgreSQL cannot know.", "dropped condition: c.gateway_id = any ($2::uuid[]) and": "The found ones are looked up below in these accounts, where a reference belongs to one collection." },
  },
};
