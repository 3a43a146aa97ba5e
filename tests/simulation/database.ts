/** The real database behind the gate: statements wait for their turn, fail, or succeed without anybody hearing of it. */
import type { Database, Reader, Statement, Tx } from "../../src/db/database.ts";
import { repeated } from "../../src/db/repeat.ts";
import { Refusal } from "../../src/refusals.ts";
import type { Fate, Gate } from "./gate.ts";

const READ_FATES: readonly Fate[] = ["ok", "refused", "killed_before"];
const WRITE_FATES: readonly Fate[] = ["ok", "refused", "lost", "late", "killed_before", "killed_after"];

/** What a lost connection looks like above the driver. */
const failure = () => new Refusal("unavailable", { retryAfter: 1 });

export interface GatedDatabase {
  readonly wrap: (db: Database) => Database;
  /** How many transactions are open: they may hold locks. */
  open(): number;
}

export function gatedDatabase(gate: Gate): GatedDatabase {
  let open = 0;

  const gatedTx = (tx: Tx): Tx => {
    let queues = true;
    const within =
      (call: Reader["query"]): Reader["query"] =>
      (statement, values) => {
        const options = { fates: READ_FATES, failure, queues };
        queues = false;
        return gate.pass(`${nameOf(statement)} …`, () => call(statement, values), options);
      };
    return { query: within((...args) => tx.query(...args)), write: within((...args) => tx.write(...args)) };
  };

  /** BEGIN, each statement and COMMIT are turns of their own: others run between them, and wait for its locks. */
  const inTransaction = async <T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> => {
    const { tx, end } = await gate.pass("begin", () => begin(db), { fates: READ_FATES, failure });
    open += 1;
    let [committing, isLate] = [false, false];
    try {
      const result = await work(gatedTx(tx));
      const commit = async () => {
        committing = true;
        try {
          await end(null);
        } finally {
          if (isLate) open -= 1;
        }
      };
      const late = () => {
        isLate = true;
      };
      await gate.pass("commit", commit, { fates: WRITE_FATES, failure, late });
      return result;
    } catch (error) {
      if (!committing && !isLate) await gate.during(() => end(error).catch(() => {}));
      throw error;
    } finally {
      if (!isLate) open -= 1;
    }
  };

  return {
    open: () => open,
    wrap: (db) => ({
      query: (statement, values) =>
        gate.pass(nameOf(statement), () => db.query(statement, values), { fates: READ_FATES, failure }),
      each: (statement, values, take) =>
        gate.pass(nameOf(statement), () => db.each(statement, values, take), { fates: READ_FATES, failure }),
      commit: (statement, values) =>
        gate.pass(nameOf(statement), () => db.commit(statement, values), {
          fates: WRITE_FATES,
          failure,
          queues: true,
        }),
      transaction: (work) =>
        repeated(
          () => inTransaction(db, work),
          async () => {},
        ),
      close: () => db.close(),
    }),
  };
}

function nameOf({ name, text }: Statement): string {
  return name === "" ? text.slice(0, 40) : name;
}

interface Begun {
  readonly tx: Tx;
  /** Commits, or rolls back for an error. */
  readonly end: (error: unknown) => Promise<void>;
}

/** A transaction that stays open until it is told to end. */
async function begin(db: Database): Promise<Begun> {
  const begun = Promise.withResolvers<Tx>();
  const decided = Promise.withResolvers<void>();
  const ended = db.transaction(async (tx) => {
    begun.resolve(tx);
    await decided.promise;
  });
  ended.catch(begun.reject);
  const tx = await begun.promise;
  return {
    tx,
    end(error) {
      if (error === null) decided.resolve();
      else decided.reject(error);
      return ended;
    },
  };
}
