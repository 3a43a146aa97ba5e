/** Splits a bank file into chunks of items for the books, without any lookup. */
import type { AccountStatement } from "../../../sepa/messages/reading/records.ts";
import { readBankFile } from "../../../sepa/messages/reading/read.ts";
import { interpret, startReading, type Item } from "./interpret.ts";

/** Plain values only: a chunk may come from another thread. */
export interface Chunk {
  readonly items: readonly Item[];
  /** Words for the file's report. */
  readonly notes: readonly string[];
  /** Complete statements of the creditor's accounts in a camt.053. */
  readonly statements: readonly AccountStatement[];
  /** What is known of the file after it. */
  readonly facts: Facts;
}

export interface Facts {
  /** `camt.053`; `unknown` before the message has begun. */
  readonly kind: string;
  readonly messageId: string | null;
  readonly createdOn: string | null;
  readonly statements: number;
  /** Those of the creditor's accounts. */
  readonly ourStatements: number;
}

/** Items of a chunk: they are looked up and written together. */
const ITEMS_MAX = 500;

/**
 * The chunks of a file, in its order; at least one.
 * @param ibans the creditor's accounts.
 * @throws BankFileRefused after any of them: only with the last one is the file known to be complete.
 */
export async function* readChunks(
  bytes: AsyncIterable<Uint8Array>,
  ibans: readonly string[],
): AsyncGenerator<Chunk> {
  const reading = startReading(ibans);
  let kind = "unknown";
  let messageId: string | null = null;
  let paged = false;
  let items: Item[] = [];
  let notes: string[] = [];
  let statements: AccountStatement[] = [];
  const chunk = (): Chunk => {
    const { createdOn, ourStatements } = reading;
    const facts = { kind, messageId, createdOn, ourStatements, statements: reading.statements };
    const done = { items, notes, statements, facts };
    [items, notes, statements] = [[], [], []];
    return done;
  };
  for await (const record of readBankFile(bytes)) {
    if (record.kind === "message") {
      paged = (record.page ?? 1) > 1 || record.lastPage === false;
      messageId = record.messageId;
      kind = record.type.family;
    }
    if (record.kind === "statement_end") {
      // A statement that does not add up is read all the same: each of its entries moved money. Pages of a statement may all carry the balances of the whole.
      if (!paged && record.balance === "differs") {
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
