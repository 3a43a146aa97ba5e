/** Interprets a status report about our files, blocks and transactions, as of the day it was written. Pure. */
import type { BlockStatus, Reason, TransactionStatus } from "../../../sepa/messages/reading/records.ts";
import { meaningOfStatus, orderAnsweredBy } from "../../../sepa/messages/reading/status-codes.ts";
import { present, usable } from "./ids.ts";
import type { Item, Reading } from "./interpret.ts";
import { whyOf } from "./why.ts";

/** A transaction without a status has its block's, and that of the file where the block has none, too. */
export function ofStatus(reading: Reading, record: TransactionStatus): Item {
  if (record.status !== null) {
    reading.statedInGroup = true;
    reading.statedInBlock = true;
  }
  const said = {
    bookedOn: reading.createdOn,
    ids: {
      references: present([
        record.originalEndToEndId,
        record.originalInstructionId,
        record.originalTransactionId,
      ]),
      mandateReference: usable(record.mandateId),
      others: present([
        reading.block?.originalPaymentInformationId,
        reading.group?.originalMessageId,
        record.servicerReference,
      ]),
    },
  };
  const status = record.status ?? reading.block?.status ?? reading.group?.status ?? null;
  const note = noteOn(reading, status, "transaction");
  if (note !== null) return { ...said, ...note };
  return {
    ...said,
    kind: "reject",
    amount: record.amount?.cents ?? null,
    currency: record.amount?.currency ?? null,
    why: whyOf(firstReason(record.reasons, reading.block?.reasons, reading.group?.reasons), null),
    sure: orderAnsweredBy(reading.group) === "ours",
  };
}

/** Without a list of transactions the status is the whole block's; with one it is theirs (docs/sepa.md, Status reports). */
export function ofBlock(reading: Reading, block: BlockStatus, transactions: number): Item | null {
  reading.block = null;
  const listed = transactions > 0;
  const status = block.status ?? (listed ? null : (reading.group?.status ?? null));
  // What is listed with a status of its own says all that there is; so does a block that is not refused itself.
  if (listed && (reading.statedInBlock || meaningOfStatus(status) !== "rejected")) return null;
  const blockId = usable(block.originalPaymentInformationId);
  const said = saidOf(reading, [blockId, reading.group?.originalMessageId]);
  const note = noteOn(reading, status, "block");
  if (note !== null) return { ...said, ...note };
  if (blockId === null) return { ...said, kind: "note", words: "a block without an id", understood: false };
  return {
    ...said,
    kind: "block_reject",
    block: { blockId, messageId: null },
    why: whyOf(firstReason(block.reasons, reading.group?.reasons), null),
    sure: orderAnsweredBy(reading.group) === "ours",
    listed,
  };
}

/** The file's own status, where nothing below it has one. @param count blocks and transactions that were listed. */
export function ofGroup(reading: Reading, count: number): Item | null {
  const { group } = reading;
  const listed = count > 0;
  if (group === null) return null;
  if (listed && (reading.statedInGroup || meaningOfStatus(group.status) !== "rejected")) return null;
  const messageId = usable(group.originalMessageId);
  const said = saidOf(reading, [messageId]);
  const note = noteOn(reading, group.status, "file");
  if (note !== null) return { ...said, ...note };
  if (messageId === null) return { ...said, kind: "note", words: "a file without an id", understood: false };
  return {
    ...said,
    kind: "block_reject",
    block: { blockId: null, messageId },
    why: whyOf(firstReason(group.reasons), null),
    sure: orderAnsweredBy(reading.group) === "ours",
    listed,
  };
}

function saidOf(
  reading: Reading,
  names: readonly (string | null | undefined)[],
): Pick<Item, "bookedOn" | "ids"> {
  return {
    bookedOn: reading.createdOn,
    ids: { references: [], mandateReference: null, others: present(names) },
  };
}

/** What a status that rejects nothing comes to; null for one that rejects. */
function noteOn(
  reading: Reading,
  status: string | null,
  level: "file" | "block" | "transaction",
): Omit<Extract<Item, { readonly kind: "note" }>, "bookedOn" | "ids"> | null {
  if (orderAnsweredBy(reading.group) === "other") {
    const name = reading.group?.originalMessageName?.slice(0, 40) ?? "";
    return { kind: "note", words: `about another kind of order (${name})`, understood: false };
  }
  const meaning = meaningOfStatus(status);
  if (meaning === "rejected") return null;
  const understood = meaning === "accepted" || meaning === "waiting";
  return { kind: "note", words: `${level}: ${status ?? "without status"}`, understood };
}

function firstReason(...lists: readonly (readonly Reason[] | undefined)[]): Reason | null {
  return lists.find((reasons) => reasons !== undefined && reasons.length > 0)?.[0] ?? null;
}
