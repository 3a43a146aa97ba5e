/**
 * Records what the pages of a statement have reported. Files about one booking agree in its day, so only its position
 * shows that a second movement of that day is another one: it is in the same file, or on another page of the same
 * statement.
 */
import type { Tx } from "../../../../db/database.ts";
import type { StatementPage } from "../items.ts";
import { findOnOtherPages, insertOnPage } from "./pages-store.ts";

/** The pages in one file. */
export class StatementPages {
  readonly #tx: Tx;
  readonly #tenant: number;
  /** The numbers of the pages in this file, by statement. */
  readonly #here = new Map<string, Set<number>>();
  /** The page of the current entries; null if their statement has none. */
  page: StatementPage | null = null;
  #reported = new Map<string, number>();
  #unwritten = new Set<string>();

  constructor(tx: Tx, tenant: number) {
    this.#tx = tx;
    this.#tenant = tenant;
  }

  /** Begins the page of the next entries. */
  turnTo(page: StatementPage | null): void {
    const same = page?.statement === this.page?.statement && page?.number === this.page?.number;
    if (!same) this.#reported = new Map();
    this.page = page;
    if (page === null) return;
    const here = this.#here.get(page.statement) ?? new Set();
    this.#here.set(page.statement, here.add(page.number));
  }

  /** Records what the current page reports, for the other pages of its statement. */
  report(name: string): void {
    if (this.page === null) return;
    this.#reported.set(name, (this.#reported.get(name) ?? 0) + 1);
    this.#unwritten.add(name);
  }

  /** How often pages in other files have reported each name; names that were never reported are absent. */
  async reportedElsewhere(names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (this.statement === null || names.length === 0) return new Map();
    return findOnOtherPages(this.#tx, this.#tenant, this.statement, names);
  }

  /** The current statement and its pages in this file. */
  get statement(): { readonly statement: string; readonly here: readonly number[] } | null {
    if (this.page === null) return null;
    const { statement } = this.page;
    return { statement, here: [...(this.#here.get(statement) ?? [])] };
  }

  /** Writes what was reported since the last call. */
  async write(): Promise<void> {
    if (this.page === null || this.#unwritten.size === 0) return;
    const names = [...this.#unwritten].map((name) => ({ name, times: this.#reported.get(name) ?? 1 }));
    this.#unwritten = new Set();
    await insertOnPage(this.#tx, this.#tenant, this.page, names);
  }
}
