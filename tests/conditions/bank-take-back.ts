/**
 * Statements of the bank's files that were not sent yet (`src/gateways/sepa-batch`): their effect, and the rows that
 * they must leave alone (tests/conditions.test.ts).
 */
import { type Case, type Entries, type Given } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { IN_DOUBT, NOT_IN_DOUBT, REFUND, Y_COLLECTED } from "./bank-doubt.ts";
import { EXPORTED, FOURTH, OTHER, OTHER_PAYMENT, THIRD } from "./rows.ts";

/** A file with one collection, x. */
const UNSENT: Given = {
  sepa_files: { direction: "out", status: "ready", message_id: "own" },
  sepa_collections: { state: "batched", refund_of: null },
  transactions: { status: "submitted", cycle: 1 },
  sepa_withdrawn: [],
  sepa_unmatched: [],
  audit_log: [],
};

/** An earlier file, OTHER, contained x and y. */
const X_TAKEN_BACK = { reference: "x", number: 1, file_id: OTHER, block_id: "old" };
const Y_TAKEN_BACK = { ...X_TAKEN_BACK, reference: "y" };
const OLD_FILE = { id: OTHER, direction: "out", status: "withdrawn", message_id: "of the old file" };
/** What the bank said on the 10th about y and about the earlier file. */
const Y_SETTLED = {
  reference: "y",
  refund_of: null,
  state: "settled",
  file_id: null,
  updated_at: "2026-01-10",
};
const SAID = {
  status: "open",
  facts: { kind: "block", block: { messageId: "of the old file" } },
  created_at: "2026-01-10",
};
const SAID_OF_BLOCK = { ...SAID, facts: { kind: "block", block: { blockId: "old" } } };

const BOTH_TAKEN_BACK: Given = { sepa_withdrawn: [X_TAKEN_BACK, Y_TAKEN_BACK], "+sepa_files": OLD_FILE };
const ONE_BOOKED: Given = { ...BOTH_TAKEN_BACK, "+sepa_collections": Y_SETTLED };
const FILE_NAMED: Given = { ...BOTH_TAKEN_BACK, sepa_unmatched: [SAID] };
const BLOCK_NAMED: Given = { ...BOTH_TAKEN_BACK, sepa_unmatched: [SAID_OF_BLOCK] };

/** After these the bank may have the collection already. */
// prettier-ignore
const ANSWERED: Readonly<Record<string, Given>> = {
  "a file of which a collection has settled": { sepa_collections: { state: "settled" } },
  "a file of which another collection was rejected": { "+sepa_collections": { reference: "y", refund_of: null, state: "rejected" } },
  "a collection of an earlier file, of which another one has settled": ONE_BOOKED,
  "a collection of an earlier file, of which another one came back": { ...ONE_BOOKED, "+sepa_collections": { ...Y_SETTLED, state: "returned" } },
  "a collection of an earlier file, of which another one has settled and is in a file that is not sent": {
    ...ONE_BOOKED, "+sepa_collections": { ...Y_SETTLED, file_id: THIRD },
    "+sepa_files": [OLD_FILE, { id: THIRD, direction: "out", status: "ready", message_id: "z" }],
  },
  "the same, where another file was sent": {
    ...ONE_BOOKED, "+sepa_files": [OLD_FILE, { id: THIRD, direction: "out", status: "sent", message_id: "z" }],
  },
  "a collection that was taken back after the answer, for the first time": {
    ...ONE_BOOKED, sepa_withdrawn: [{ ...X_TAKEN_BACK, withdrawn_at: "2026-01-11" }, Y_TAKEN_BACK],
  },
  "a collection that was taken back again at the very time of the answer": {
    ...ONE_BOOKED, sepa_withdrawn: [X_TAKEN_BACK, Y_TAKEN_BACK, { ...X_TAKEN_BACK, number: 2, file_id: THIRD, withdrawn_at: "2026-01-10" }],
  },
  "another collection that was taken back again": {
    ...ONE_BOOKED, sepa_withdrawn: [X_TAKEN_BACK, Y_TAKEN_BACK, { ...Y_TAKEN_BACK, number: 2, file_id: THIRD, withdrawn_at: "2026-01-11" }],
  },
  "another account's collection that was taken back again": {
    ...ONE_BOOKED,
    sepa_withdrawn: [X_TAKEN_BACK, Y_TAKEN_BACK, { ...X_TAKEN_BACK, gateway_id: OTHER, number: 2, file_id: THIRD, withdrawn_at: "2026-01-11" }],
  },
  "a collection of an earlier file of which an entry waits for a person": FILE_NAMED,
  "a collection of an earlier file of which an entry waits in part": { ...FILE_NAMED, sepa_unmatched: [{ ...SAID, status: "part" }] },
  "a collection of a block of which an entry waits for a person": BLOCK_NAMED,
  "a collection of a block beside one of which an entry waits for a person": {
    ...BLOCK_NAMED, sepa_withdrawn: [{ ...X_TAKEN_BACK, block_id: "beside" }, Y_TAKEN_BACK],
  },
  "a collection that was taken back after the entry, for the first time": {
    ...FILE_NAMED, sepa_withdrawn: [{ ...X_TAKEN_BACK, withdrawn_at: "2026-01-11" }],
  },
  "a collection that was taken back again at the very time of the entry": {
    ...FILE_NAMED, sepa_withdrawn: [X_TAKEN_BACK, { ...X_TAKEN_BACK, number: 2, file_id: THIRD, withdrawn_at: "2026-01-10" }],
  },
  "another collection that was taken back again after the entry": {
    ...FILE_NAMED, sepa_withdrawn: [X_TAKEN_BACK, { ...Y_TAKEN_BACK, number: 2, file_id: THIRD, withdrawn_at: "2026-01-11" }],
  },
  "another account's collection that was taken back again after the entry": {
    ...FILE_NAMED, sepa_withdrawn: [X_TAKEN_BACK, { ...X_TAKEN_BACK, gateway_id: OTHER, number: 2, file_id: THIRD, withdrawn_at: "2026-01-11" }],
  },
};

/** In these nothing that the bank said is about the file. */
// prettier-ignore
const UNANSWERED: Readonly<Record<string, Given>> = {
  "another file's collection has settled": { "+sepa_collections": { reference: "y", state: "settled", file_id: OTHER } },
  "a collection of an earlier file without news": { ...BOTH_TAKEN_BACK, "+sepa_collections": { ...Y_SETTLED, state: "accepted" } },
  "a collection of an earlier file, of which another one was rejected": { ...ONE_BOOKED, "+sepa_collections": { ...Y_SETTLED, state: "rejected" } },
  "a collection of an earlier file, of which another one has settled after it was sent with a later one": {
    ...ONE_BOOKED, "+sepa_collections": { ...Y_SETTLED, file_id: THIRD },
    "+sepa_files": [OLD_FILE, { id: THIRD, direction: "out", status: "sent", message_id: "z" }],
  },
  "a collection that a person took back again after the answer": {
    ...ONE_BOOKED, sepa_withdrawn: [X_TAKEN_BACK, Y_TAKEN_BACK, { ...X_TAKEN_BACK, number: 2, file_id: THIRD, withdrawn_at: "2026-01-11" }],
  },
  "a collection of another earlier file": { ...ONE_BOOKED, sepa_withdrawn: [X_TAKEN_BACK, { ...Y_TAKEN_BACK, file_id: THIRD }] },
  "another account's collection of an earlier file": { ...ONE_BOOKED, sepa_withdrawn: [{ ...X_TAKEN_BACK, gateway_id: OTHER }, Y_TAKEN_BACK] },
  "an earlier file, of which another account's collection has settled": {
    ...ONE_BOOKED, "+sepa_collections": { ...Y_SETTLED, gateway_id: OTHER },
  },
  "a collection of an earlier file that is in another file now": { ...ONE_BOOKED, sepa_collections: [{ state: "batched", file_id: FOURTH }, Y_SETTLED], "+sepa_collections": [] },
  "a collection of an earlier file of which an entry was decided": { ...FILE_NAMED, sepa_unmatched: [{ ...SAID, status: "applied" }] },
  "a collection of an earlier file that the bank has refused": {
    ...FILE_NAMED, sepa_unmatched: [{ ...SAID, facts: { ...SAID.facts, kind: "block_reject" } }],
  },
  "an entry of another file": { ...FILE_NAMED, sepa_unmatched: [{ ...SAID, facts: { kind: "block", block: { messageId: "y" } } }] },
  "an entry of another block": { ...BLOCK_NAMED, sepa_unmatched: [{ ...SAID, facts: { kind: "block", block: { blockId: "y" } } }] },
  "an entry of a block of another earlier file": { ...BLOCK_NAMED, sepa_withdrawn: [{ ...X_TAKEN_BACK, block_id: "beside" }, { ...Y_TAKEN_BACK, file_id: THIRD }] },
  "an entry of a block of another account": { ...BLOCK_NAMED, sepa_withdrawn: [{ ...X_TAKEN_BACK, block_id: "beside" }, { ...Y_TAKEN_BACK, gateway_id: OTHER }] },
  "a collection that a person took back again after the entry": {
    ...FILE_NAMED, sepa_withdrawn: [X_TAKEN_BACK, { ...X_TAKEN_BACK, number: 2, file_id: THIRD, withdrawn_at: "2026-01-11" }],
  },
};

const STOPPED: Readonly<Record<string, Given>> = {
  "a refund of which the payment succeeded otherwise": { ...REFUND, transactions: { status: "approved" } },
  "a refund of which the payment was declined": { ...REFUND, transactions: { status: "declined" } },
  "a refund of which the payment was refunded": { ...REFUND, transactions: { status: "refunded" } },
  "a refund of which the payment was charged back": { ...REFUND, transactions: { status: "charged_back" } },
  "a refund of a debit that was returned": {
    ...REFUND,
    "+sepa_collections": { ...Y_COLLECTED, state: "returned" },
  },
  "a refund of a debit that is not known": { sepa_collections: { refund_of: "y" } },
  "a refund of another account's debit": {
    ...REFUND,
    "+sepa_collections": { ...Y_COLLECTED, gateway_id: OTHER },
  },
  "a refund of a payment that was charged back": {
    ...REFUND,
    "+transactions": { ...OTHER_PAYMENT, status: "charged_back" },
  },
  ...IN_DOUBT,
};

const NOT_STOPPED: Readonly<Record<string, Given>> = {
  "a refund of a debit that has settled": REFUND,
  "another file's refund of a debit that was returned": {
    "+sepa_collections": [
      { ...Y_COLLECTED, state: "returned" },
      { reference: "z", refund_of: "y", state: "batched", file_id: THIRD },
    ],
  },
  "another account's refund": {
    sepa_collections: { gateway_id: OTHER, refund_of: "y" },
    "+sepa_collections": { ...Y_COLLECTED, state: "returned" },
  },
  "a debit whose payment succeeded otherwise": { transactions: { status: "approved" } },
  "a debit of a mandate that was cancelled": { mandates: { status: "cancelled" } },
  "a refund where the mandate was cancelled": { ...REFUND, mandates: { status: "cancelled" } },
  "a refund where another payment was charged back": {
    ...REFUND,
    "+transactions": { ...OTHER_PAYMENT, merchant_transaction_id: "z", status: "charged_back" },
  },
  ...NOT_IN_DOUBT,
};

/** Another attempt has paid the cycle. */
const PAID = { ...OTHER_PAYMENT, status: "approved", cycle: 1 };
const NOT_OWED: Readonly<Record<string, Given>> = {
  "a renewal that another attempt has paid": { "+transactions": PAID },
  "a renewal that another attempt has paid, which was refunded": {
    "+transactions": { ...PAID, status: "refunded" },
  },
};
const OWED: Readonly<Record<string, Given>> = {
  "a renewal that another attempt is to pay": { "+transactions": { ...PAID, status: "pending" } },
  "a renewal that is itself paid": { transactions: { status: "approved" } },
  "a renewal of which another cycle is paid": { "+transactions": { ...PAID, cycle: 2 } },
  "a renewal of which another subscription is paid": { "+transactions": { ...PAID, subscription_id: OTHER } },
  "a first payment beside a renewal": {
    transactions: { cycle: null },
    "+transactions": { ...PAID, cycle: null },
  },
  "a refund of a renewal that another attempt has paid": {
    ...REFUND,
    "+transactions": { ...PAID, merchant_transaction_id: "z" },
  },
  "another file's renewal": { sepa_collections: { file_id: OTHER }, "+transactions": PAID },
  "another account's renewal": { sepa_collections: { gateway_id: OTHER }, "+transactions": PAID },
};

/** @param gives how the outcome differs from the entry's. */
function cases(rows: Readonly<Record<string, Given>>, gives?: Case["gives"]): Readonly<Record<string, Case>> {
  return Object.fromEntries(
    Object.entries(rows).map(([name, given]) => [name, gives === undefined ? { given } : { given, gives }]),
  );
}

const ONLY_READY = "A file that is ready is an outgoing one.";
const ONLY_REFUNDS = "Only refunds are wanted.";

// Each case stays on one line or a few.
// prettier-ignore
export const BANK_TAKE_BACK: Entries = {
  "sepa_files.find_unsent": {
    given: {
      sepa_files: [
        { direction: "out", status: "ready", due_date: "2026-02-03", created_at: "2026-01-02", message_id: "a" },
        { id: OTHER, direction: "out", status: "to_approve", created_at: "2026-01-03", message_id: "b" },
        { id: THIRD, direction: "out", status: "stored", created_at: "2026-01-01", message_id: "c" },
        { id: FOURTH, direction: "out", status: "uploading", created_at: "2026-01-04", message_id: "d" },
      ],
    },
    gives: [
      { id: THIRD, status: "stored" }, { id: ID, status: "ready", due_date: "2026-02-03" }, { id: OTHER, status: "to_approve" },
      { id: FOURTH, status: "uploading" },
    ],
    not: {
      "another account's file": { sepa_files: [{ gateway_id: OTHER, direction: "out", status: "ready" }] },
      "an incoming file": { sepa_files: [{ direction: "in", status: "ready" }] },
      "a file that the bank can see": { sepa_files: [{ direction: "out", status: "renaming" }] },
    },
  },
  "sepa_files.lock_unsent": {
    given: { sepa_files: { direction: "out", status: "ready", due_date: "2026-02-03" }, gateways: { settings: { upload: "manual" } } },
    gives: [{ id: ID, gateway_id: ID, name: "x", kind: "x", status: "ready", due_date: "2026-02-03", settings: { upload: "manual" } }],
    not: {
      "another file": { sepa_files: { id: OTHER } },
      "an incoming file": { sepa_files: { direction: "in" } },
      "a file that the bank can see": { sepa_files: { status: "renaming" } },
      "a file that was sent": { sepa_files: { status: "sent" } },
    },
    also: {
      "a file that is to approve": { given: { sepa_files: { status: "to_approve" } }, gives: [{ status: "to_approve" }] },
      "a file that is stored": { given: { sepa_files: { status: "stored" } }, gives: [{ status: "stored" }] },
      "a file that is uploading": { given: { sepa_files: { status: "uploading" } }, gives: [{ status: "uploading" }] },
    },
  },
  "sepa_files.mark_sent": {
    given: UNSENT,
    gives: [{ "?column?": 1 }],
    does: { sepa_files: { status: "sent", sent_at: "2026-02-01", updated_at: "2026-02-01" } },
    not: {
      "another file": { with: { id: OTHER } },
      "a file that is to approve": { sepa_files: { status: "to_approve" } },
      ...ANSWERED,
      "another file was downloaded": { sepa_collections: { state: "settled" }, audit_log: [{ ...EXPORTED, resource_id: OTHER }] },
      "another record was downloaded": { sepa_collections: { state: "settled" }, audit_log: [{ ...EXPORTED, resource: "payments" }] },
      "a file that was only approved": { sepa_collections: { state: "settled" }, audit_log: [{ ...EXPORTED, action: "approve" }] },
    },
    also: {
      "a file that was made by a clock that is ahead": {
        given: { sepa_files: { created_at: "2026-02-02" } },
        does: { sepa_files: { sent_at: "2026-02-02" } },
      },
      "a file that was downloaded before the bank answered": { given: { sepa_collections: { state: "settled" }, audit_log: [EXPORTED] } },
      ...cases(UNANSWERED),
    },
    same: {
      "dropped condition: sepa_files.direction = 'out'": ONLY_READY,
      "dropped condition: sepa_files.status in ('to_approve'": ONLY_READY,
      "dropped condition: sepa_files.status = 'ready' and exists": ONLY_READY,
      "other word: 'to_approve'": ONLY_READY,
      "other word: 'stored'": ONLY_READY,
      "other word: 'uploading'": ONLY_READY,
      "shortened list: 'to_approve'": ONLY_READY,
      "shortened list: 'stored'": ONLY_READY,
      "shortened list: , 'uploading'": ONLY_READY,
    },
  },
  "sepa_files.unsent_state": {
    given: UNSENT,
    gives: [{ answered: false, downloaded: false, stopped: false, not_owed: false }],
    also: {
      "another file": { given: { sepa_files: { id: OTHER } } },
      ...cases(ANSWERED, [{ answered: true }]),
      ...cases(UNANSWERED),
      "a file that was downloaded": { given: { audit_log: [EXPORTED] }, gives: [{ downloaded: true }] },
      "another file was downloaded": { given: { audit_log: [{ ...EXPORTED, resource_id: OTHER }] } },
      "another record was downloaded": { given: { audit_log: [{ ...EXPORTED, resource: "payments" }] } },
      "a file that was only approved": { given: { audit_log: [{ ...EXPORTED, action: "approve" }] } },
      ...cases(STOPPED, [{ stopped: true }]),
      ...cases(NOT_STOPPED),
      ...cases(NOT_OWED, [{ not_owed: true }]),
      ...cases(OWED),
    },
    same: {
      "dropped condition: m.status in ('rejected'": ONLY_REFUNDS,
      "other word: 'rejected'": ONLY_REFUNDS,
      "other word: 'cancelled'": ONLY_REFUNDS,
      "other word: 'expired'": ONLY_REFUNDS,
      "shortened list: 'rejected'": ONLY_REFUNDS,
      "shortened list: 'cancelled'": ONLY_REFUNDS,
      "shortened list: , 'expired'": ONLY_REFUNDS,
      "dropped condition: c.refund_of is not null and (o.state": ONLY_REFUNDS,
      "dropped condition: c.refund_of is not null and exists ( select from sepa_unmatched": ONLY_REFUNDS,
      "other word: 'back'": "Only whether there is a reason matters, not which one.",
      "dropped condition: t.cycle is not null": "No cycle is the same as none.",
    },
  },
};
