/** An entry whose details are still being read. */
import { detailOf, entryOf } from "./camt.ts";
import { batchOf, type Element, emptyParts, keepPart, limitKept } from "./element.ts";
import type { BankRecord, Batch, Detail, Entry } from "./records.ts";
import { BankFileRefused } from "../../../files/refused.ts";

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

/** Tells an entry, its details and its end. */
export class OpenEntry {
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

  /** Once the entry is emitted, only batches without details are new: the others were emitted with their details. */
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
    // The first one waits in any case: whether it is the only one decides its amount.
    const tooMany = this.#held.length >= HELD_DETAILS_MAX || this.#heldSize > HELD_SIZE_MAX;
    if (tooMany && this.#held.length > 1) this.#release();
  }

  /** Tells the entry and the details that wait for it. */
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

/** The only detail of an entry may leave the amount to it, unless the bank says that there are more which it does not list. */
function alone(detail: Detail, entry: Entry): Detail {
  if (entry.batches.some(({ transactions }) => transactions !== null && transactions > 1)) return detail;
  if (detail.amountSource !== "none" || entry.amount === null) return { ...detail, alone: true };
  return { ...detail, alone: true, amount: entry.amount, amountSource: "entry" };
}
