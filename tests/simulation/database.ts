/** The real database behind the gate: each statement waits for its turn, and may fail or lose its response. */
import type { Calls, Reader, Statement, Tx, Values } from "../../src/db/database.ts";
import { retried } from "../../src/db/retry.ts";
import { Refusal } from "../../src/refusals.ts";
import type { Fate, Gate } from "./gate.ts";

const READ_FATES: readonly Fate[] = ["ok", "refused", "killed_before"];
const WRITE_FATES: readonly Fate[] = ["ok", "refused", "lost", "late", "killed_before", "killed_after"];

/** The error that a lost connection causes above the driver. */
const failure = () => new Refusal("unavailable", { retryAfter: 1 });

export interface GatedDatabase {
  readonly wrap: (db: Calls) => Calls;
  /** The number of open transactions, which may hold locks. */
  open(): number;
  /** Whether one of `busy` running statements may wait for another transaction. */
  mayWait(busy: number): boolean;
}

/** @param several called with each statement that runs for several calls at once. */
export function gatedDatabase(gate: Gate, several: (statement: string) => void): GatedDatabase {
  let open = 0;
  /** The number of running statements that belong to a transaction. */
  let within = 0;

  const inside = async <T>(work: () => Promise<T>): Promise<T> => {
    within += 1;
    try {
      return await work();
    } finally {
      within -= 1;
    }
  };
  const gatedTx = (tx: Tx, wrote: () => void): Tx => {
    let queues = true;
    const gated =
      (call: Reader["query"]): Reader["query"] =>
      (statement, values) => {
        const options = { fates: READ_FATES, failure, queues, unseen: true };
        queues = false;
        return gate.pass(
          `${nameOf(statement)} …`,
          () => inside(() => inOrder(statement, call(statement, values))),
          options,
        );
      };
    return {
      query: gated((...args) => tx.query(...args)),
      write: gated((...args) => {
        wrote();
        return tx.write(...args);
      }),
    };
  };

  /**
   * BEGIN, each statement and COMMIT wait for a turn each. Others run in between and wait for the transaction's locks.
   */
  const inTransaction = async <T>(db: Calls, work: (tx: Tx) => Promise<T>): Promise<T> => {
    const { tx, end } = await gate.pass("begin", () => begin(db), {
      fates: READ_FATES,
      failure,
      unseen: true,
    });
    open += 1;
    let [committing, isLate, unseen] = [false, false, true];
    try {
      const result = await work(
        gatedTx(tx, () => {
          unseen = false;
        }),
      );
      const commit = async () => {
        committing = true;
        try {
          await inside(() => end(null));
        } finally {
          if (isLate) open -= 1;
        }
      };
      const late = () => {
        isLate = true;
      };
      await gate.pass("commit", commit, { fates: WRITE_FATES, failure, late, unseen });
      return result;
    } catch (error) {
      if (!committing && !isLate) await gate.during(() => inside(() => end(error)).catch(() => {}));
      throw error;
    } finally {
      if (!isLate) open -= 1;
    }
  };

  return {
    open: () => open,
    mayWait: (busy) => open > (busy === 1 ? within : 0),
    wrap: (db) => ({
      query: (statement, values) => {
        if (callsIn(values) > 1) several(statement.name);
        const options = { fates: READ_FATES, failure, unseen: true, crowds: callsIn(values) > 0 };
        return gate.pass(nameOf(statement), () => inOrder(statement, db.query(statement, values)), options);
      },
      each: (statement, values, take) =>
        gate.pass(nameOf(statement), () => db.each(statement, values, take), {
          fates: READ_FATES,
          failure,
          unseen: true,
        }),
      commit: (statement, values) => {
        if (callsIn(values) > 1) several(statement.name);
        const options = { fates: WRITE_FATES, failure, queues: true, crowds: callsIn(values) > 0 };
        return gate.pass(nameOf(statement), () => inOrder(statement, db.commit(statement, values)), options);
      },
      transaction: (work) =>
        retried(
          () => inTransaction(db, work),
          async () => {},
        ),
      close: () => db.close(),
    }),
  };
}

/** The number of calls that share a statement: each value but the tenant is a list with one element per call. */
function callsIn({ tenant: _, ...lists }: Values<string>): number {
  const lengths = new Set(Object.values(lists).map((list) => (Array.isArray(list) ? list.length : 0)));
  return lengths.size === 1 ? ([...lengths][0] ?? 0) : 0;
}

/** Whether a statement's text defines the order of its rows. */
const ordered = new WeakMap<Statement, boolean>();

/** Sorts the rows of a statement without an order, because PostgreSQL's order depends on where the rows are stored. */
export async function inOrder<Row extends object>(
  statement: Statement,
  found: Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const rows = await found;
  if (rows.length < 2) return rows;
  let asks = ordered.get(statement);
  if (asks === undefined) ordered.set(statement, (asks = asksForOrder(statement.text)));
  return asks ? rows : rows.toSorted((a, b) => (contentOf(a) < contentOf(b) ? -1 : 1));
}

/** Whether `order by` is outside all parentheses. */
function asksForOrder(text: string): boolean {
  let [rest, before] = [text, ""];
  while (rest !== before) [rest, before] = [rest.replaceAll(/\([^()]*\)/g, " "), rest];
  return /\border\s+by\b/.test(rest);
}

/** The row without encrypted values, which differ in each run. */
function contentOf(row: object): string {
  return JSON.stringify(Object.entries(row).filter(([, value]) => !(value instanceof Buffer)));
}

function nameOf({ name, text }: Statement): string {
  return name === "" ? text.slice(0, 40) : name;
}

interface Begun {
  readonly tx: Tx;
  /** Commits, or rolls back if there is an error. */
  readonly end: (error: unknown) => Promise<void>;
}

/** A conflict with another transaction, as reported by the server: the whole transaction has to be repeated. */
class Conflict extends Error {
  readonly code = "40P01";
}

/** Opens a transaction and leaves it open until `end` is called. */
async function begin(db: Calls): Promise<Begun> {
  const begun = Promise.withResolvers<Tx>();
  const decided = Promise.withResolvers<void>();
  let runs = 0;
  const ended = db
    .transaction(async (tx) => {
      runs += 1;
      // A failed COMMIT is final here, because the caller decides what to repeat.
      if (runs > 1) throw new Error("The transaction is to run again");
      begun.resolve(tx);
      await decided.promise;
    })
    .catch((error: unknown) => {
      throw runs > 1 ? new Conflict("COMMIT met a conflict") : error;
    });
  ended.catch(begun.reject);
  const tx = await begun.promise;
  return {
    tx,
    end(error) {
      if (error === null) decided.resolve();
      // The callback must not throw the error itself: for an error of a lost connection the pool would close a
      // connection that works.
      else decided.reject(new Error("The transaction is rolled back"));
      return ended;
    },
  };
}
