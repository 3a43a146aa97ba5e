/** Assembles the records of a camt as its elements are read; it holds at most a few details of an entry. */
import type { Cents } from "../../../lib/money.ts";
import { batchOf, detailOf, entryOf, statementOf } from "./camt.ts";
import {
  type Element,
  emptyParts,
  keepPart,
  limitKept,
  type Outline,
  type OutlineReader,
} from "./element.ts";
import type {
  AccountStatement,
  BankRecord,
  Batch,
  Detail,
  Entry,
  Sign,
  StatementEnd,
} from "./bank-records.ts";
import { BankFileRefused } from "../../../files/refused.ts";

export const CAMT_OUTLINE: Outline = {
  Document: new Set(["BkToCstmrAcctRpt", "BkToCstmrStmt", "BkToCstmrDbtCdtNtfctn"]),
  BkToCstmrAcctRpt: new Set(["Rpt"]),
  BkToCstmrStmt: new Set(["Stmt"]),
  BkToCstmrDbtCdtNtfctn: new Set(["Ntfctn"]),
  Rpt: new Set(["Ntry"]),
  Stmt: new Set(["Ntry"]),
  Ntfctn: new Set(["Ntry"]),
  Ntry: new Set(["NtryDtls"]),
};

const STATEMENT_PARTS = new Set([
  "Id",
  "StmtPgntn",
  "RptPgntn",
  "NtfctnPgntn",
  "ElctrncSeqNb",
  "LglSeqNb",
  "CreDtTm",
  "Acct",
  "Bal",
]);

/** Reads everything between the group header and the end of the document. */
export class StatementReader implements OutlineReader {
  readonly #emit: (record: BankRecord) => void;
  #statements = 0;
  #statement: OpenStatement | null = null;
  #entry: OpenEntry | null = null;

  constructor(emit: (record: BankRecord) => void) {
    this.#emit = emit;
  }

  enter(container: string): void {
    if (container === "Ntry") this.#entry = this.#statement?.openEntry() ?? null;
    else if (container === "NtryDtls") this.#entry?.openGroup();
    else if (container === "Rpt" || container === "Stmt" || container === "Ntfctn") {
      this.#statements += 1;
      this.#statement = new OpenStatement(this.#statements, this.#emit);
    }
  }

  take(container: string, element: Element): void {
    if (container === "NtryDtls") this.#entry?.takeOfGroup(element);
    else if (container === "Ntry") this.#entry?.take(element);
    else this.#statement?.take(element);
  }

  leave(container: string): void {
    if (container === "Ntry") {
      if (this.#entry !== null) this.#statement?.closeEntry(this.#entry.close());
      this.#entry = null;
    } else if (container === "Rpt" || container === "Stmt" || container === "Ntfctn") {
      this.#statement?.close();
      this.#statement = null;
    } else if (container === "NtryDtls") {
      this.#entry?.closeGroup();
    }
  }

  end(): void {
    if (this.#statements === 0) throw new BankFileRefused("no_content", "The message contains no statement");
    this.#emit({ kind: "message_end", statements: this.#statements, blocks: 0, transactions: 0 });
  }
}

/** A statement whose entries are being read. */
class OpenStatement {
  readonly #number: number;
  readonly #emit: (record: BankRecord) => void;
  readonly #parts = emptyParts();
  readonly #sum = new BookedSum();
  #emitted = false;
  #entries = 0;

  constructor(number: number, emit: (record: BankRecord) => void) {
    this.#number = number;
    this.#emit = emit;
  }

  take(element: Element): void {
    if (STATEMENT_PARTS.has(element.name)) keepPart(this.#parts, element);
  }

  openEntry(): OpenEntry {
    this.#emitOnce();
    this.#entries += 1;
    return new OpenEntry(this.#number, this.#entries, this.#emit);
  }

  #emitOnce(): void {
    if (!this.#emitted) this.#emit(statementOf(this.#parts, this.#number));
    this.#emitted = true;
  }

  closeEntry(entry: Entry): void {
    this.#sum.add(entry);
  }

  close(): void {
    this.#emitOnce();
    const statement = statementOf(this.#parts, this.#number);
    this.#emit({
      kind: "statement_end",
      statement,
      entries: this.#entries,
      balance: this.#sum.compare(statement),
    });
  }
}

/**
 * An entry is emitted at its end, with everything that the bank wrote in any order; an entry with more details
 * than this (or larger ones) is emitted earlier, so that memory does not grow with it.
 */
const HELD_DETAILS_MAX = 32;
const HELD_SIZE_MAX = 1_024 * 1_024;

const ENTRY_PARTS = new Set([
  "NtryRef",
  "Amt",
  "CdtDbtInd",
  "RvslInd",
  "Sts",
  "BookgDt",
  "ValDt",
  "AcctSvcrRef",
  "BkTxCd",
  "AmtDtls",
  "Chrgs",
]);

/** One `NtryDtls`. */
interface Group {
  readonly batchesBefore: number;
  readonly batchesSizeBefore: number;
  readonly entryEmittedBefore: boolean;
  batch: Batch | null;
  details: number;
}

/** An entry whose details are being read: emits the entry, its details and its end. */
class OpenEntry {
  readonly #statementNumber: number;
  readonly #number: number;
  readonly #emit: (record: BankRecord) => void;
  readonly #parts = emptyParts();
  readonly #batches: Batch[] = [];
  #batchesSize = 0;
  #group: Group = {
    batchesBefore: 0,
    batchesSizeBefore: 0,
    entryEmittedBefore: false,
    batch: null,
    details: 0,
  };
  #held: Detail[] = [];
  #heldSize = 0;
  #emitted = false;
  #details = 0;

  constructor(statementNumber: number, number: number, emit: (record: BankRecord) => void) {
    this.#statementNumber = statementNumber;
    this.#number = number;
    this.#emit = emit;
  }

  take(element: Element): void {
    if (element.name === "AddtlNtryInf") keepPart(this.#parts, element);
    if (!ENTRY_PARTS.has(element.name)) return;
    if (this.#emitted) {
      throw new BankFileRefused(
        "out_of_order",
        `Entry ${this.#number} goes on with ${element.name} after its details`,
      );
    }
    keepPart(this.#parts, element);
  }

  openGroup(): void {
    this.#group = {
      batchesBefore: this.#batches.length,
      batchesSizeBefore: this.#batchesSize,
      entryEmittedBefore: this.#emitted,
      batch: null,
      details: 0,
    };
  }

  takeOfGroup(element: Element): void {
    if (element.name === "Btch") this.#takeBatch(element);
    else if (element.name === "TxDtls") this.#takeDetail(element);
  }

  #takeBatch(element: Element): void {
    this.#group.batch = batchOf(element);
    this.#batches.push(this.#group.batch);
    this.#batchesSize += element.size;
    limitKept(this.#batchesSize);
  }

  #takeDetail(element: Element): void {
    this.#details += 1;
    this.#group.details += 1;
    const detail = detailOf(element, {
      statementNumber: this.#statementNumber,
      entryNumber: this.#number,
      number: this.#details,
      batch: this.#group.batch,
    });
    if (this.#emitted) this.#emit(detail);
    else this.#hold(detail, element.size);
  }

  #hold(detail: Detail, size: number): void {
    this.#held.push(detail);
    this.#heldSize += size;
    // The first detail is always held: its amount depends on whether it is the only one.
    const tooMany = this.#held.length >= HELD_DETAILS_MAX || this.#heldSize > HELD_SIZE_MAX;
    if (tooMany && this.#held.length > 1) this.#release();
  }

  /** Once the entry has been emitted, only batches without details are kept: each of the others was emitted with its details. */
  closeGroup(): void {
    const { entryEmittedBefore, details, batchesBefore, batchesSizeBefore } = this.#group;
    if (!entryEmittedBefore || details === 0) return;
    this.#batches.length = batchesBefore;
    this.#batchesSize = batchesSizeBefore;
  }

  /** @returns the complete entry. */
  close(): Entry {
    const entry = this.#emitted ? this.#record() : this.#release();
    this.#emit({ kind: "entry_end", entry, details: this.#details });
    return entry;
  }

  /** Emits the entry and the details held back for it. */
  #release(): Entry {
    this.#emitted = true;
    const entry = this.#record();
    this.#emit(entry);
    const [only, ...others] = this.#held;
    if (only !== undefined) this.#emit(others.length === 0 ? alone(only, entry) : only);
    others.forEach(this.#emit);
    this.#held = [];
    return entry;
  }

  #record(): Entry {
    return entryOf(this.#parts, this.#statementNumber, this.#number, [...this.#batches]);
  }
}

/** The only detail of an entry may take its amount from the entry, unless the bank counts more transactions than it lists. */
function alone(detail: Detail, entry: Entry): Detail {
  if (entry.batches.some(({ transactions }) => transactions !== null && transactions > 1)) return detail;
  if (detail.amountSource !== "none" || entry.amount === null) return { ...detail, alone: true };
  return { ...detail, alone: true, amount: entry.amount, amountSource: "entry" };
}

/** Sums a statement's booked entries and compares the sum with its balances, where every entry has a usable amount. */
class BookedSum {
  /** Null once an entry had no usable amount. */
  #cents: number | null = 0;
  #currency: string | null = null;

  add(entry: Entry): void {
    if (entry.state === "PDNG" || entry.state === "INFO" || entry.state === "FUTR") return;
    this.#currency ??= entry.amount?.currency ?? null;
    const value = entry.state === "BOOK" ? signed(entry.amount?.cents ?? null, entry.sign) : null;
    if (this.#cents === null || value === null || entry.amount?.currency !== this.#currency) {
      this.#cents = null;
      return;
    }
    const sum = this.#cents + value;
    this.#cents = Number.isSafeInteger(sum) ? sum : null;
  }

  compare({ opening, closing }: AccountStatement): StatementEnd["balance"] {
    const before = signed(opening?.amount?.cents ?? null, opening?.sign ?? null);
    const after = signed(closing?.amount?.cents ?? null, closing?.sign ?? null);
    const currencies = new Set([
      opening?.amount?.currency,
      closing?.amount?.currency,
      this.#currency ?? opening?.amount?.currency,
    ]);
    if (before === null || after === null || this.#cents === null || currencies.size !== 1)
      return "not_possible";
    return before + this.#cents === after ? "agrees" : "differs";
  }
}

function signed(amount: Cents | null, sign: Sign | null): number | null {
  if (amount === null || sign === null) return null;
  return sign === "CRDT" ? amount : 0 - amount;
}
