/** Puts the records of a camt together as its elements go by; of an entry it keeps a few details at most. */
import type { Cents } from "../../../lib/money.ts";
import { statementOf } from "./camt.ts";
import { OpenEntry } from "./open-entry.ts";
import { type Element, emptyParts, keepPart } from "./element.ts";
import type { Outline, OutlineReader } from "./outline.ts";
import type { BankRecord, Entry, Sign, AccountStatement, StatementEnd } from "./records.ts";
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

const STATEMENT_PARTS = new Set(["Id", "ElctrncSeqNb", "LglSeqNb", "CreDtTm", "Acct", "Bal"]);
/** Reads what is between the group header and the end of the document. */
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

/** A statement whose entries are going by. */
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
    this.#tellOnce();
    this.#entries += 1;
    return new OpenEntry(this.#number, this.#entries, this.#emit);
  }

  closeEntry(entry: Entry): void {
    this.#sum.add(entry);
  }

  close(): void {
    this.#tellOnce();
    const statement = statementOf(this.#parts, this.#number);
    this.#emit({
      kind: "statement_end",
      statement,
      entries: this.#entries,
      balance: this.#sum.compare(statement),
    });
  }

  #tellOnce(): void {
    if (!this.#emitted) this.#emit(statementOf(this.#parts, this.#number));
    this.#emitted = true;
  }
}

/** What a statement's booked entries come to, and whether it adds up with them; as long as all of them can be counted. */
class BookedSum {
  /** Null as soon as one of them cannot be counted. */
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
