/** Two things at the same moment: the second begins when the first has written all of its own and has not committed. */
import type { Calls } from "../../src/db/database.ts";
import type { Service } from "./service.ts";

export interface Race {
  /** Goes between the service and its database. */
  readonly between: (db: Calls) => Calls;
  /** Lets `first` commit when `second` waits for a lock or is done. @param first ends with a transaction. */
  atOnce(
    service: Pick<Service, "rows">,
    first: () => Promise<unknown>,
    second: () => Promise<unknown>,
  ): Promise<void>;
}

export function createRace(): Race {
  /** What the next transaction to come to its end waits for before it commits. */
  let beforeCommit: (() => Promise<void>) | null = null;
  return {
    between: (db) => ({
      ...db,
      transaction: (work) =>
        db.transaction(async (tx) => {
          const result = await work(tx);
          const wait = beforeCommit;
          beforeCommit = null;
          await wait?.();
          return result;
        }),
    }),
    async atOnce(service, first, second) {
      const [written, kept] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
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
      const waiting = () =>
        service.rows(
          "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
      while (!is.done && (await waiting()).length === 0)
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
      kept.resolve();
      await Promise.all([one, other]);
    },
  };
}
