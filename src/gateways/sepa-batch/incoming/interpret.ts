/** Converts a bank's file into items about instructions, bookings and statuses, in chunks, without any lookup. */
import type { IsoDate } from "../../../lib/dates.ts";
import { redacted } from "../../../lib/log.ts";
import {
  classify,
  isCreditorsReversal,
  movesMoney,
  splitReturn,
} from "../../../sepa/messages/reading/movement.ts";
import { readBankFile } from "../../../sepa/messages/reading/read-bank-file.ts";
import type {
  AccountStatement,
  BankAmount,
  BankRecord,
  Batch,
  BlockStatus,
  Detail,
  Entry,
  GroupStatus,
  Reason,
  ReportedStatus,
} from "../../../sepa/messages/reading/bank-records.ts";
import { meaningOfStatus, orderAnsweredBy } from "../../../sepa/messages/reading/status-codes.ts";
import type {
  BlockIds,
  Chunk,
  ItemIds,
  Item,
  Money,
  MarkedAsReversal,
  StatementPage,
  BankReason,
} from "./items.ts";

/** Items per chunk, which are looked up and written together. */
const ITEMS_MAX = 500;

/**
 * The chunks of a file in order, at least one.
 * @param ibans the creditor's accounts.
 * @throws BankFileRefused after any chunk: the file is known to be complete only once the last one was read.
 */
export function readChunks(
  bytes: AsyncIterable<Uint8Array>,
  ibans: readonly string[],
): AsyncGenerator<Chunk> {
  return chunksOf(readBankFile(bytes), ibans);
}

/** The same for records that have been read. */
export async function* chunksOf(
  records: AsyncIterable<BankRecord>,
  ibans: readonly string[],
): AsyncGenerator<Chunk> {
  const reading = startReading(ibans);
  let kind = "unknown";
  let messageId: string | null = null;
  let ofMessage: Paging = { page: null, lastPage: null };
  let page: StatementPage | null = null;
  let items: Item[] = [];
  let notes: string[] = [];
  let statements: AccountStatement[] = [];
  const chunk = (): Chunk => {
    const { createdOn, ourStatements } = reading;
    const facts = { kind, messageId, createdOn, ourStatements, statements: reading.statements };
    const done = { items, page, notes, statements, facts };
    [items, notes, statements] = [[], [], []];
    return done;
  };
  for await (const record of records) {
    if (record.kind === "message") {
      ofMessage = record;
      messageId = record.messageId;
      kind = record.type.family;
    }
    if (record.kind === "statement") {
      const next = pageOf(record, ofMessage, kind);
      if ((page ?? next) !== null && items.length + statements.length > 0) yield chunk();
      page = next;
    }
    if (record.kind === "statement_end") {
      // A statement whose balances do not match is read all the same: each of its entries moved money. The pages of one
      // statement may all carry the balances of the whole.
      if (!isInPages(record.statement, ofMessage) && record.balance === "differs") {
        notes.push(`statement ${record.statement.number}: its entries do not add up to its closing balance`);
      }
      if (kind === "camt.053" && reading.ours) statements.push(record.statement);
    }
    const item = interpret(reading, record);
    if (item !== null) items.push(item);
    if (items.length + statements.length >= ITEMS_MAX) yield chunk();
  }
  yield chunk();
}

/** State between the records of one file. */
interface Reading {
  entry: Entry | null;
  group: GroupStatus | null;
  block: BlockStatus | null;
  /** Whether anything in the file, or in the current block, has a status of its own. */
  statedInGroup: boolean;
  statedInBlock: boolean;
  /** Whether the current statement is of our account. */
  ours: boolean;
  currency: string | null;
  statements: number;
  ourStatements: number;
  createdOn: IsoDate | null;
  /** The accounts that a statement may be about. */
  readonly ibans: ReadonlySet<string>;
}

/** @param ibans the creditor's accounts. */
function startReading(ibans: readonly string[]): Reading {
  return {
    ibans: new Set(ibans),
    entry: null,
    group: null,
    block: null,
    statedInGroup: false,
    statedInBlock: false,
    ours: false,
    currency: null,
    statements: 0,
    ourStatements: 0,
    createdOn: null,
  };
}

/** The items of a record; null when it only changes the state. */
function interpret(reading: Reading, record: BankRecord): Item | null {
  switch (record.kind) {
    case "message":
      reading.createdOn = record.createdOn;
      return null;
    case "statement":
      reading.ours = record.account.iban !== null && reading.ibans.has(record.account.iban);
      reading.currency = record.account.currency;
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
      reading.statedInBlock = false;
      if (record.status !== null) reading.statedInGroup = true;
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

/** The page of a statement, as given by the statement or the message. */
type Paging = Pick<AccountStatement, "page" | "lastPage">;

/** The highest page number in ISO 20022. */
const PAGES_MAX = 99_999;

/** Null for a statement without pages, or whose page has no number. */
function pageOf(statement: AccountStatement, ofMessage: Paging, kind: string): StatementPage | null {
  const { page } = pagingOf(statement, ofMessage);
  const { account, electronicSequenceNumber, legalSequenceNumber, statementId } = statement;
  // Pages share the statement's number; some banks give each page an id of its own.
  const name = electronicSequenceNumber ?? legalSequenceNumber ?? statementId;
  if (!isInPages(statement, ofMessage) || page === null || page > PAGES_MAX) return null;
  if (account.iban === null || name === null) return null;
  return { statement: `${kind} ${account.iban} ${name}`, number: page };
}

function pagingOf(statement: Paging, ofMessage: Paging): Paging {
  return statement.page === null && statement.lastPage === null ? ofMessage : statement;
}

/** Whether it has other pages. */
function isInPages(statement: Paging, ofMessage: Paging): boolean {
  const { page, lastPage } = pagingOf(statement, ofMessage);
  return (page ?? 1) > 1 || lastPage === false;
}

/**
 * Classifies a booked transaction: credit, return, transfer, fee, or nothing that moves money.
 * @param detail null for an entry that lists no transaction.
 */
function ofMovement(reading: Reading, entry: Entry, detail: Detail | null): Item {
  const bookedOn = entry.bookingDate ?? entry.valueDate ?? reading.createdOn;
  const said = { bookedOn, ids: idsOf(entry, detail) };
  const note = (words: string, understood = false): Item => ({ ...said, kind: "note", words, understood });
  if (!reading.ours) return note("another account");
  // A non-standard state is not understood; the other states mean that nothing is booked yet.
  if (!movesMoney(entry)) return note(`not booked (${entry.state ?? "no status"})`, entry.state !== null);
  const sign = detail?.sign ?? entry.sign;
  if (sign === null) return note("booked without a credit or debit indicator");
  const movement = classify(entry, detail);
  const money = moneyOf(reading, entry, detail);
  const bankReference = detail?.servicerReference ?? entry.servicerReference;
  const why = whyOf(detail?.returnReason ?? null, detail?.additionalInformation ?? null);
  const block = blockOf(detail?.batch ?? entry.batches[0] ?? null, detail);
  const booked = { ...said, ...money, bankReference, block };
  const credited = { ...booked, kind: detail === null ? "block_credit" : "credit" } as const;
  const taken = {
    ...booked,
    ...returnedOf(reading, entry, detail),
    why,
    ...ofReversal(isCreditorsReversal(entry, detail)),
  };
  switch (movement) {
    case "collection":
      return { ...credited, sure: true };
    case "unclear":
      if (sign === "DBIT") return { ...taken, kind: "return", sure: false };
      if (entry.reversal) return { ...said, ...money, kind: "withdrawn_return", sure: false };
      return { ...credited, sure: false };
    case "return":
      return { ...taken, kind: "return", sure: true };
    case "return_withdrawn":
      return { ...said, ...money, kind: "withdrawn_return", sure: true };
    case "fee":
      return sign === "DBIT"
        ? { ...said, ...money, kind: "fee", bankReference }
        : note("a fee that was refunded");
    case "unrelated":
      return { ...booked, kind: sign === "DBIT" ? "transfer_out" : "transfer_back", why };
  }
}

/** Whether a report answers orders that we send. */
function answered(reading: Reading) {
  const by = orderAnsweredBy(reading.group);
  return { sure: by === "ours" || by === "reversals", ...ofReversal(by === "reversals") };
}

function idsOf(entry: Entry, detail: Detail | null): ItemIds {
  const batches = detail === null ? entry.batches : [detail.batch];
  return {
    references: distinctTexts([detail?.endToEndId, detail?.instructionId, detail?.transactionId]),
    endToEndId: detail?.endToEndId ?? null,
    mandateReference: detail?.mandateId ?? null,
    others: distinctTexts([
      detail?.paymentInformationId,
      detail?.messageId,
      detail?.servicerReference,
      entry.servicerReference,
      ...batches.flatMap((batch) => [batch?.paymentInformationId, batch?.messageId]),
    ]),
  };
}

/** Removes duplicates and missing values. */
export function distinctTexts(texts: readonly (string | null | undefined)[]): readonly string[] {
  return [...new Set(texts.filter((text) => text !== null && text !== undefined))];
}

/** A transaction's amount in the currency of its entry. An amount in another currency is another bank's. */
function moneyOf({ currency }: Reading, entry: Entry, detail: Detail | null): Money {
  const stated = [
    detail?.amount,
    detail?.transactionAmount,
    detail?.instructedAmount,
    detail === null || detail.alone ? entry.amount : null,
  ].filter((amount): amount is BankAmount => amount !== null && amount !== undefined);
  const amount = stated.find((one) => one.currency === entry.amount?.currency) ?? stated[0];
  return { amount: amount?.cents ?? null, currency: amount?.currency ?? currency };
}

/** Redacts the reason: banks' free text may contain account numbers. */
function whyOf(reason: Reason | null, additional: string | null): BankReason {
  const code = reason?.code ?? reason?.proprietary ?? null;
  const words = reason?.additionalInformation ?? additional;
  return { code, message: words === null ? null : redacted(words).slice(0, 500) };
}

/** The block or file that a booking may stand for when it names no transaction. */
function blockOf(batch: Batch | null, detail: Detail | null): BlockIds | null {
  const blockId = batch?.paymentInformationId ?? detail?.paymentInformationId ?? null;
  const messageId = blockId === null ? (batch?.messageId ?? detail?.messageId ?? null) : null;
  return blockId === null && messageId === null ? null : { blockId, messageId };
}

/** The collected amount and the fee on top of it. Without cents if the bank contradicts itself. */
function returnedOf(
  { currency }: Reading,
  entry: Entry,
  detail: Detail | null,
): Money & Pick<Extract<Item, { readonly kind: "return" }>, "fee"> {
  const split = splitReturn(entry, detail);
  return {
    amount: split?.original ?? null,
    currency: split?.currency ?? currency,
    fee: split === null || split.fee === 0 ? null : split.fee,
  };
}

function ofReversal(is: boolean): { readonly reversal?: MarkedAsReversal } {
  return is ? { reversal: true } : {};
}

/** A transaction without a status has that of its block, or of the file if the block has none either. */
function ofStatus(reading: Reading, record: ReportedStatus): Item {
  if (record.status !== null) {
    reading.statedInGroup = true;
    reading.statedInBlock = true;
  }
  const said = {
    bookedOn: reading.createdOn,
    ids: {
      references: distinctTexts([
        record.originalEndToEndId,
        record.originalInstructionId,
        record.originalTransactionId,
      ]),
      endToEndId: record.originalEndToEndId,
      mandateReference: record.mandateId,
      others: distinctTexts([
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
    ...answered(reading),
  };
}

/**
 * Without a list of transactions the status applies to the whole block; with a list it applies to those listed
 * (docs/sepa.md, Status reports).
 */
function ofBlock(reading: Reading, block: BlockStatus, transactions: number): Item | null {
  reading.block = null;
  const listed = transactions > 0;
  const status = block.status ?? (listed ? null : (reading.group?.status ?? null));
  // Listed transactions with their own status are complete; so is a block that is not rejected itself.
  if (listed && (reading.statedInBlock || meaningOfStatus(status) !== "rejected")) return null;
  const blockId = block.originalPaymentInformationId;
  const said = saidOf(reading, [blockId, reading.group?.originalMessageId]);
  const note = noteOn(reading, status, "block");
  if (note !== null) return { ...said, ...note };
  if (blockId === null) return { ...said, kind: "note", words: "a block without an id", understood: false };
  return {
    ...said,
    kind: "block_reject",
    block: { blockId, messageId: null },
    why: whyOf(firstReason(block.reasons, reading.group?.reasons), null),
    ...answered(reading),
    listed,
  };
}

/**
 * The file's own status, if nothing below it has one.
 * @param count the number of listed blocks and transactions.
 */
function ofGroup(reading: Reading, count: number): Item | null {
  const { group } = reading;
  const listed = count > 0;
  if (group === null) return null;
  if (listed && (reading.statedInGroup || meaningOfStatus(group.status) !== "rejected")) return null;
  const messageId = group.originalMessageId;
  const said = saidOf(reading, [messageId]);
  const note = noteOn(reading, group.status, "file");
  if (note !== null) return { ...said, ...note };
  if (messageId === null) return { ...said, kind: "note", words: "a file without an id", understood: false };
  return {
    ...said,
    kind: "block_reject",
    block: { blockId: null, messageId },
    why: whyOf(firstReason(group.reasons), null),
    ...answered(reading),
    listed,
  };
}

function saidOf(
  reading: Reading,
  names: readonly (string | null | undefined)[],
): Pick<Item, "bookedOn" | "ids"> {
  return {
    bookedOn: reading.createdOn,
    ids: { references: [], endToEndId: null, mandateReference: null, others: distinctTexts(names) },
  };
}

/** The note for a status that rejects nothing; null for a rejection. */
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

/** All names in one list. */
export function namesIn({ references, mandateReference, others }: ItemIds): readonly string[] {
  return distinctTexts([...references, mandateReference, ...others]);
}

/** Whether a debit has neither a code nor a reason: only the names in it show what it is about. */
export function hasNoReason(item: Extract<Item, { readonly kind: "return" }>): boolean {
  return !item.sure && item.why.code === null;
}
