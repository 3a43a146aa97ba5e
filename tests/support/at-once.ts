/** Runs two operations concurrently: the second begins when the first has written everything and not yet committed. */
import type { Calls } from "../../src/db/database.ts";
import type { Service } from "./service.ts";

export interface Race {
  /** Wraps the service's database; pass as the option `between`. */
  readonly between: (db: Calls) => Calls;
  /**
   * Lets `first` commit once `second` waits for a lock or has ended. Returns what each of the two returned: which of
   * them ends earlier is open. @param first ends with a transaction. @param held the number of the transaction of
   * `first` that is held back, if it has several.
   */
  atOnce<First, Second>(
    service: Pick<Service, "rows">,
    first: () => Promise<First>,
    second: () => Promise<Second>,
    held?: number,
  ): Promise<[First, Second]>;
}

/** Whether a statement of the service waits for a lock. */
export async function isWaiting(service: Pick<Service, "rows">): Promise<boolean> {
  const waiting = await service.rows(
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return waiting.length > 0;
}

/** Returns when a statement of the service waits for a lock. */
export async function untilWaiting(service: Pick<Service, "rows">): Promise<void> {
  while (!(await isWaiting(service))) await nextTurn();
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

export function createRace(): Race {
  /** What the next transaction has to wait for before it commits. */
  let beforeCommit: (() => Promise<void>) | null = null;
  /** The number of transactions that commit before the held one. */
  let passed = 0;
  return {
    between: (db) => ({
      ...db,
      transaction: (work) =>
        db.transaction(async (tx) => {
          const result = await work(tx);
          if (beforeCommit !== null && passed > 0) {
            passed -= 1;
            return result;
          }
          const wait = beforeCommit;
          beforeCommit = null;
          await wait?.();
          return result;
        }),
    }),
    async atOnce(service, first, second, held = 1) {
      const [written, kept] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      passed = held - 1;
      beforeCommit = () => {
        written.resolve();
        return kept.promise;
      };
      const one = first();
      await written.promise;
      const is = { done: false };
      const other = second().finally(() => {
        is.done = true;
      });
      while (!is.done && !(await isWaiting(service))) await nextTurn();
      kept.resolve();
      return Promise.all([one, other]);
    },
  };
}
