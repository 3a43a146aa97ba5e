/** The contents of a bank file for the books: items of entries and statuses, in chunks. */
import type { IsoDate } from "../../../lib/dates.ts";
import type { Cents } from "../../../lib/money.ts";
import type { AccountStatement } from "../../../sepa/messages/reading/bank-records.ts";

/** The ids of an entry or status: ours, as far as banks return them, and the bank's. */
export interface ItemIds {
  /** End-to-end, instruction and transaction id, whichever the bank gives; ours are identical. */
  readonly references: readonly string[];
  /** The end-to-end id among them: the only one that never is the bank's own. */
  readonly endToEndId: string | null;
  readonly mandateReference: string | null;
  /** Other names: blocks, messages, the bank's own references. */
  readonly others: readonly string[];
}

export interface BlockIds {
  readonly blockId: string | null;
  readonly messageId: string | null;
}

/** The bank's reason, in a form that may be stored. */
export interface BankReason {
  readonly code: string | null;
  readonly message: string | null;
}

/** Cents are null when the amount is missing or not in whole cents. */
export interface Money {
  readonly amount: Cents | null;
  readonly currency: string | null;
}

/**
 * What one entry, one of its transactions or one status reports. Dates are the bank's. `sure`: the bank's own text is
 * enough to expect an instruction of ours; otherwise only one of our names makes it one.
 */
export type Item = {
  readonly bookedOn: IsoDate | null;
  readonly ids: ItemIds;
  /** The page of an entry that waits for a person, if its statement has pages. */
  readonly page?: StatementPage;
} & (
  | ({ readonly kind: "credit" } & Booked)
  | ({ readonly kind: "block_credit" } & Booked)
  | ({
      readonly kind: "return";
      /** The banks' fee; the amount is what was collected. */
      readonly fee: Cents | null;
      readonly why: BankReason;
      readonly reversal?: MarkedAsReversal;
    } & Booked)
  | ({ readonly kind: "withdrawn_return"; readonly sure: boolean } & Money)
  /** A transfer that was sent or came back; relevant only if it is a refund of ours. */
  | ({ readonly kind: "transfer_out"; readonly why: BankReason } & Omit<Booked, "sure">)
  | ({ readonly kind: "transfer_back"; readonly why: BankReason } & Omit<Booked, "sure">)
  | ({ readonly kind: "fee"; readonly bankReference: string | null } & Money)
  | ({
      readonly kind: "reject";
      readonly why: BankReason;
      readonly sure: boolean;
      readonly reversal?: MarkedAsReversal;
    } & Money)
  | {
      readonly kind: "block_reject";
      readonly block: BlockIds;
      readonly why: BankReason;
      readonly sure: boolean;
      /**
       * Some of its transactions were listed, none with a status: it is unclear whether the status applies to the
       * others.
       */
      readonly listed: boolean;
      readonly reversal?: MarkedAsReversal;
    }
  /** Changes nothing. `understood`: this is certain even if it names something of ours. */
  | { readonly kind: "note"; readonly words: string; readonly understood: boolean }
);

/** The bank's own text says that it is about the creditor's reversal of a debit; otherwise absent. */
export type MarkedAsReversal = true;

interface Booked extends Money {
  readonly bankReference: string | null;
  readonly sure: boolean;
  /** The block that it may stand for when it names no transaction. */
  readonly block: BlockIds | null;
}

/** A page of a statement, report or notification that the bank splits over several. */
export interface StatementPage {
  /**
   * Identical for all pages of a statement: the kind of message, the account, and its number or, without one, its id.
   */
  readonly statement: string;
  readonly number: number;
}

/** Plain values only: a chunk may come from another thread. */
export interface Chunk {
  readonly items: readonly Item[];
  /** The page of all its items; null if their statements have no pages. */
  readonly page: StatementPage | null;
  /** Notes for the file's report. */
  readonly notes: readonly string[];
  /** Complete statements of the creditor's accounts in a camt.053. */
  readonly statements: readonly AccountStatement[];
  /** The facts known so far. */
  readonly facts: Facts;
}

export interface Facts {
  /** `camt.053`; `unknown` before the message has begun. */
  readonly kind: string;
  readonly messageId: string | null;
  readonly createdOn: string | null;
  readonly statements: number;
  /** Statements of the creditor's accounts. */
  readonly ourStatements: number;
}
