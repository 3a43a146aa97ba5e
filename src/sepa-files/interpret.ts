/** From what a file says, record by record, to what it means for our instructions. Nothing is looked up here. Pure. */
import type { IsoDate } from "../lib/dates.ts";
import { redacted } from "../lib/log.ts";
import { classify, movesMoney } from "../sepa/reading/classify.ts";
import type {
  BankRecord,
  Batch,
  BlockStatus,
  Detail,
  Entry,
  GroupStatus,
  Reason,
  TransactionStatus,
} from "../sepa/reading/records.ts";
import { splitReturn } from "../sepa/reading/returned-amount.ts";
import { meaningOfStatus } from "../sepa/reading/status-codes.ts";
import type { Cents } from "../lib/money.ts";

export interface Ids {
  /** End-to-end and instruction id, whichever the bank gives; ours are the same. */
  readonly references: readonly string[];
  readonly mandateReference: string | null;
}

export interface Why {
  readonly code: string | null;
  readonly message: string | null;
}

/** What one entry, one of its transactions or one status says. Dates are the bank's. */
export type Item = { readonly bookedOn: IsoDate | null } & (
  | {
      readonly kind: "credit";
      readonly ids: Ids;
      readonly amount: Cents | null;
      readonly bankReference: string | null;
      /** Only an id that we gave makes what is not sure ours. */
      readonly sure: boolean;
      /** A block that it may stand for, when it names no transaction. */
      readonly block: BlockIds | null;
    }
  | {
      readonly kind: "block_credit";
      readonly block: BlockIds | null;
      readonly amount: Cents | null;
      readonly bankReference: string | null;
      readonly sure: boolean;
    }
  | {
      readonly kind: "return";
      readonly ids: Ids;
      /** What had been collected. */
      readonly amount: Cents | null;
      readonly fee: Cents | null;
      readonly why: Why;
      readonly sure: boolean;
    }
  | { readonly kind: "withdrawn_return"; readonly ids: Ids; readonly amount: Cents | null }
  /** Money that went out or came back by a transfer: of interest only where it is a refund of ours. */
  | Transfer<"transfer_out">
  | Transfer<"transfer_back">
  | { readonly kind: "reject"; readonly ids: Ids; readonly amount: Cents | null; readonly why: Why }
  | { readonly kind: "block_reject"; readonly block: BlockIds; readonly why: Why }
  | { readonly kind: "note"; readonly words: string }
);

interface Transfer<Kind extends string> {
  readonly kind: Kind;
  readonly ids: Ids;
  readonly amount: Cents | null;
  readonly bankReference: string | null;
  readonly why: Why;
}

export interface BlockIds {
  readonly blockId: string | null;
  readonly messageId: string | null;
}

/** What is remembered between the records of one file. */
export interface Reading {
  entry: Entry | null;
  group: GroupStatus | null;
  block: BlockStatus | null;
  /** Whether this statement is of our account. */
  ours: boolean;
  statements: number;
  ourStatements: number;
  createdOn: IsoDate | null;
  readonly creditorIban: string;
}

export function startReading(creditorIban: string): Reading {
  return {
    creditorIban,
    entry: null,
    group: null,
    block: null,
    ours: false,
    statements: 0,
    ourStatements: 0,
    createdOn: null,
  };
}

/** What a record means; null when it only sets the stage. */
export function interpret(reading: Reading, record: BankRecord): Item | null {
  switch (record.kind) {
    case "message":
      reading.createdOn = record.createdAt?.slice(0, 10) ?? null;
      return null;
    case "statement":
      reading.ours = record.account.iban === reading.creditorIban;
      reading.statements += 1;
      if (reading.ours) reading.ourStatements += 1;
      return null;
    case "entry":
      reading.entry = record;
      return null;
    case "detail":
      return reading.entry === null ? null : ofMovement(reading, reading.entry, record);
    case "entry_end":
      return record.details === 0 ? ofMovement(reading, record.entry, null) : null;
    case "group_status":
      reading.group = record;
      return null;
    case "block_status":
      reading.block = record;
      return null;
    case "transaction_status":
      return ofStatus(reading, record);
    case "block_end":
      return ofBlock(reading, record.block, record.transactions);
    case "message_end":
      return ofGroup(reading, record.blocks + record.transactions);
    case "statement_end":
      return null;
  }
}

function ofMovement(reading: Reading, entry: Entry, detail: Detail | null): Item {
  const bookedOn = entry.bookingDate ?? entry.valueDate ?? reading.createdOn;
  const note = (words: string): Item => ({ kind: "note", bookedOn, words });
  if (!reading.ours) return note("another account");
  if (!movesMoney(entry)) return note(`not booked (${entry.state ?? "no status"})`);
  const movement = classify(entry, detail);
  const sign = detail?.sign ?? entry.sign;
  const ids = idsOf(detail);
  const amount = (detail?.amount ?? entry.amount)?.cents ?? null;
  const bankReference = usable(detail?.servicerReference) ?? usable(entry.servicerReference);
  const why = whyOf(detail?.returnReason ?? null, detail?.additionalInformation ?? null);
  switch (movement) {
    case "collection":
    case "unclear": {
      const sure = movement === "collection";
      if (sign === "DBIT") return returned({ bookedOn, entry, detail, ids, why, sure });
      const block = blockOf(detail?.batch ?? entry.batches[0] ?? null, detail);
      if (detail === null) return { kind: "block_credit", bookedOn, block, amount, bankReference, sure };
      return { kind: "credit", bookedOn, ids, amount, bankReference, sure, block };
    }
    case "return":
      return returned({ bookedOn, entry, detail, ids, why, sure: true });
    case "return_withdrawn":
      return { kind: "withdrawn_return", bookedOn, ids, amount };
    case "unrelated":
      return {
        kind: sign === "DBIT" ? "transfer_out" : "transfer_back",
        bookedOn,
        ids,
        amount,
        bankReference,
        why,
      };
  }
}

function returned(given: {
  readonly bookedOn: IsoDate | null;
  readonly entry: Entry;
  readonly detail: Detail | null;
  readonly ids: Ids;
  readonly why: Why;
  readonly sure: boolean;
}): Item {
  const { bookedOn, entry, detail, ids, why, sure } = given;
  const split = splitReturn(entry, detail);
  return {
    kind: "return",
    bookedOn,
    ids,
    amount: split?.original ?? null,
    fee: split === null || split.fee === 0 ? null : split.fee,
    why,
    sure,
  };
}

/** A status report speaks of the day on which it was written. */
function ofStatus(reading: Reading, record: TransactionStatus): Item | null {
  const bookedOn = reading.createdOn;
  if (!answersUs(reading)) return { kind: "note", bookedOn, words: "about another kind of order" };
  if (meaningOfStatus(record.status) !== "rejected") {
    return { kind: "note", bookedOn, words: `status ${record.status ?? "missing"}` };
  }
  const reason = firstReason(record.reasons, reading.block?.reasons, reading.group?.reasons);
  return {
    kind: "reject",
    bookedOn,
    ids: {
      references: present([
        record.originalEndToEndId,
        record.originalInstructionId,
        record.originalTransactionId,
      ]),
      mandateReference: record.mandateId,
    },
    amount: record.amount?.cents ?? null,
    why: whyOf(reason, null),
  };
}

/** Without a list of transactions the status is the whole block's; with one it is only theirs (sepa rules, 5.1). */
function ofBlock(reading: Reading, block: BlockStatus, transactions: number): Item | null {
  reading.block = null;
  const bookedOn = reading.createdOn;
  if (transactions > 0 || !answersUs(reading) || block.originalPaymentInformationId === null) return null;
  if (meaningOfStatus(block.status) !== "rejected") {
    return { kind: "note", bookedOn, words: `block ${block.status ?? "without status"}` };
  }
  return {
    kind: "block_reject",
    bookedOn,
    block: { blockId: block.originalPaymentInformationId, messageId: null },
    why: whyOf(firstReason(block.reasons, reading.group?.reasons), null),
  };
}

function ofGroup(reading: Reading, listed: number): Item | null {
  const { group } = reading;
  if (group === null || listed > 0) return null;
  const bookedOn = reading.createdOn;
  if (!answersUs(reading)) return { kind: "note", bookedOn, words: "about another kind of order" };
  if (meaningOfStatus(group.status) !== "rejected" || group.originalMessageId === null) {
    return { kind: "note", bookedOn, words: `file ${group.status ?? "without status"}` };
  }
  return {
    kind: "block_reject",
    bookedOn,
    block: { blockId: null, messageId: group.originalMessageId },
    why: whyOf(firstReason(group.reasons), null),
  };
}

/** Only what we send: direct debits, and the transfers of refunds. */
function answersUs({ group }: Reading): boolean {
  return /^pain\.00[18]/i.test(group?.originalMessageName ?? "");
}

function idsOf(detail: Detail | null): Ids {
  return {
    references: present([detail?.endToEndId, detail?.instructionId, detail?.transactionId]),
    mandateReference: usable(detail?.mandateId),
  };
}

function blockOf(batch: Batch | null, detail: Detail | null): BlockIds | null {
  const blockId = usable(batch?.paymentInformationId) ?? usable(detail?.paymentInformationId);
  const messageId = blockId === null ? (usable(batch?.messageId) ?? usable(detail?.messageId)) : null;
  return blockId === null && messageId === null ? null : { blockId, messageId };
}

function whyOf(reason: Reason | null, additional: string | null): Why {
  const code = reason?.code ?? reason?.proprietary ?? null;
  // Banks write what they like there, accounts too.
  const words = reason?.additionalInformation ?? additional;
  return { code, message: words === null ? null : redacted(words).slice(0, 500) };
}

function firstReason(...lists: readonly (readonly Reason[] | undefined)[]): Reason | null {
  return lists.find((reasons) => reasons !== undefined && reasons.length > 0)?.[0] ?? null;
}

function present(texts: readonly (string | null | undefined)[]): readonly string[] {
  return [...new Set(texts.map(usable).filter((text) => text !== null))];
}

/** Places that had to be filled say nothing. */
function usable(text: string | null | undefined): string | null {
  const given = text?.trim() ?? "";
  return given === "" || /^(NOTPROVIDED|NONREF|NOTAVAILABLE|NA)$/i.test(given) ? null : given;
}
