/** Whether a statement adds up: opening balance, booked entries, closing balance. */
import type { Cents } from "../../../lib/money.ts";
import type { Entry, Sign, Statement, StatementEnd } from "./records.ts";

/** What a statement's booked entries come to, as long as all of them can be counted. */
export class BookedSum {
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

  compare({ opening, closing }: Statement): StatementEnd["balance"] {
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
