/** The records of a bank file in order, without any lookup or decision. */
import type { IsoDate } from "../../../lib/dates.ts";
import type { Cents } from "../../../lib/money.ts";

/**
 * A camt file: message, then per statement: statement, per entry (entry, its details, entry_end), statement_end; message_end.
 * A pain.002: message, group_status, per block (block_status, its transaction_status, block_end); message_end.
 */
export type BankRecord =
  | Message
  | AccountStatement
  | Entry
  | Detail
  | EntryEnd
  | StatementEnd
  | GroupStatus
  | BlockStatus
  | ReportedStatus
  | BlockEnd
  | MessageEnd;

export type MessageFamily = "camt.052" | "camt.053" | "camt.054" | "pain.002";

export interface MessageType {
  readonly family: MessageFamily;
  /** `2` for camt.053.001.02. The German pain.002.002.03 and .003.03 are version 3. */
  readonly version: number;
  readonly namespace: string;
}

/** `cents` is null unless the text is an amount in whole cents; a person sees `text` then. */
export interface BankAmount {
  readonly cents: Cents | null;
  readonly currency: string | null;
  readonly text: string;
}

/** The side of the account: CRDT is money in, DBIT money out. */
export type Sign = "CRDT" | "DBIT";

/** Only BOOK moves money. */
export type EntryState = "BOOK" | "PDNG" | "INFO" | "FUTR";

export interface Message {
  readonly kind: "message";
  readonly type: MessageType;
  readonly messageId: string | null;
  /** The calendar date as written by the bank; null unless it is valid. */
  readonly createdOn: string | null;
  /** From 1, if the bank splits a message over several files. */
  readonly page: number | null;
  readonly lastPage: boolean | null;
}

/** A camt's statement (053), report (052) or notification (054) of one account. */
export interface AccountStatement {
  readonly kind: "statement";
  /** Its position in the file, from 1. */
  readonly number: number;
  readonly statementId: string | null;
  readonly electronicSequenceNumber: string | null;
  readonly legalSequenceNumber: string | null;
  readonly createdOn: string | null;
  /** From 1, when the bank splits a statement over several; null where it does not say, as in old versions: `Message` has it. */
  readonly page: number | null;
  readonly lastPage: boolean | null;
  readonly account: Account;
  readonly balances: readonly Balance[];
  /** Opening booked balance (OPBD, otherwise the previous closing PRCD). */
  readonly opening: Balance | null;
  /** Closing booked balance (CLBD). */
  readonly closing: Balance | null;
}

interface Account {
  readonly iban: string | null;
  /** If the bank identifies it by something other than an IBAN. */
  readonly otherId: string | null;
  readonly currency: string | null;
}

export interface Balance {
  /** OPBD, CLBD, PRCD, ITBD, CLAV … or a proprietary name. */
  readonly type: string | null;
  readonly amount: BankAmount | null;
  readonly sign: Sign | null;
  readonly date: IsoDate | null;
}

export interface Entry {
  readonly kind: "entry";
  readonly statementNumber: number;
  /** Its position in the statement, from 1. */
  readonly number: number;
  readonly amount: BankAmount | null;
  readonly sign: Sign | null;
  /** Whether the bank reverses an earlier entry. The sign is that of the reversal. */
  readonly reversal: boolean;
  /** Null for a non-standard state: such an entry moves no money. */
  readonly state: EntryState | null;
  readonly bookingDate: IsoDate | null;
  readonly valueDate: IsoDate | null;
  readonly code: TransactionCode;
  readonly servicerReference: string | null;
  readonly entryReference: string | null;
  readonly charges: readonly Charge[];
  /** The original amount, if no details contain it. */
  readonly instructedAmount: BankAmount | null;
  /**
   * One for each group of details that has one; in the `entry_end` of a very large entry, those of groups without
   * details.
   */
  readonly batches: readonly Batch[];
  readonly additionalInformation: string | null;
}

/** What the bank reports about a collective booking; `transactions` may be given without any details. */
export interface Batch {
  readonly messageId: string | null;
  readonly paymentInformationId: string | null;
  readonly transactions: number | null;
  readonly amount: BankAmount | null;
  readonly sign: Sign | null;
}

export interface TransactionCode {
  readonly domain: string | null;
  readonly family: string | null;
  readonly subfamily: string | null;
  /** German banks put the GVC here: `NRTI+109+00931`. */
  readonly proprietary: string | null;
  readonly issuer: string | null;
}

export interface Charge {
  readonly amount: BankAmount | null;
  readonly sign: Sign | null;
  /** Whether the booked amount includes it; null if the bank does not say. */
  readonly included: boolean | null;
}

/** One transaction of an entry. */
export interface Detail {
  readonly kind: "detail";
  readonly statementNumber: number;
  readonly entryNumber: number;
  /** Its position in the entry, over all groups of details, from 1. */
  readonly number: number;
  /** Whether it is the entry's only transaction, and the bank does not mention omitted ones. */
  readonly alone: boolean;
  /** Of its group of details. */
  readonly batch: Batch | null;
  readonly endToEndId: string | null;
  readonly instructionId: string | null;
  readonly paymentInformationId: string | null;
  readonly messageId: string | null;
  readonly transactionId: string | null;
  readonly mandateId: string | null;
  readonly creditorId: string | null;
  readonly servicerReference: string | null;
  /** The transaction's part of the entry; the entry's amount if it is the only one and has none. */
  readonly amount: BankAmount | null;
  readonly amountSource: "detail" | "entry" | "none";
  /** The original amount of a return. */
  readonly instructedAmount: BankAmount | null;
  readonly transactionAmount: BankAmount | null;
  readonly charges: readonly Charge[];
  readonly code: TransactionCode | null;
  readonly sign: Sign | null;
  readonly debtor: Party;
  readonly creditor: Party;
  readonly returnReason: Reason | null;
  /** Free text first, then references. */
  readonly remittance: readonly string[];
  readonly additionalInformation: string | null;
}

export interface Party {
  readonly name: string | null;
  readonly iban: string | null;
}

/** An ISO code (`MD06`) or a proprietary one, with the bank's additional text. */
export interface Reason {
  readonly code: string | null;
  readonly proprietary: string | null;
  readonly additionalInformation: string | null;
}

/** Follows an entry's last detail. */
interface EntryEnd {
  readonly kind: "entry_end";
  /** Complete, including what the bank wrote after the details. */
  readonly entry: Entry;
  /** 0 for a collective booking without its transactions. */
  readonly details: number;
}

/** Follows a statement's last entry. */
export interface StatementEnd {
  readonly kind: "statement_end";
  /** Complete, including balances written after the entries. */
  readonly statement: AccountStatement;
  readonly entries: number;
  /**
   * Whether opening balance and booked entries make the closing balance; not_possible when any of them is missing.
   * Pages of one statement may all carry the balances of the whole: then `differs` says nothing.
   */
  readonly balance: "agrees" | "differs" | "not_possible";
}

/** ACTC, ACCP, RJCT … as written. Null if the level has none. */
export type StatusCode = string;

/** What a pain.002 reports about the file that was sent. */
export interface GroupStatus {
  readonly kind: "group_status";
  readonly originalMessageId: string | null;
  /** `pain.008.001.08`, or only its beginning. */
  readonly originalMessageName: string | null;
  readonly status: StatusCode | null;
  readonly reasons: readonly Reason[];
}

/** What it reports about one block (PmtInf). */
export interface BlockStatus {
  readonly kind: "block_status";
  /** Its position in the file, from 1. */
  readonly number: number;
  readonly originalPaymentInformationId: string | null;
  readonly status: StatusCode | null;
  readonly reasons: readonly Reason[];
}

/** What it reports about one transaction. */
export interface ReportedStatus {
  readonly kind: "transaction_status";
  /** Null for a transaction listed outside of any block. */
  readonly blockNumber: number | null;
  /** Its position in the block, from 1. */
  readonly number: number;
  readonly originalInstructionId: string | null;
  readonly originalEndToEndId: string | null;
  readonly originalTransactionId: string | null;
  readonly status: StatusCode | null;
  readonly reasons: readonly Reason[];
  readonly servicerReference: string | null;
  readonly amount: BankAmount | null;
  readonly mandateId: string | null;
  readonly creditorId: string | null;
  readonly requestedCollectionDate: IsoDate | null;
  readonly debtor: Party;
}

/** Follows a block's last transaction; only now it is certain that a block has no transactions. */
interface BlockEnd {
  readonly kind: "block_end";
  readonly block: BlockStatus;
  readonly transactions: number;
}

/** The document was read completely. */
interface MessageEnd {
  readonly kind: "message_end";
  readonly statements: number;
  readonly blocks: number;
  /** In a pain.002, the number of all transactions. */
  readonly transactions: number;
}
