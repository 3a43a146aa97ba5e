/** Gives the database a test's clock: in statements with `statement_timestamp()` the test's time stands in its place. */
import type { Database, Reader, Statement } from "../../src/db/database.ts";
import type { Clock } from "../../src/lib/clock.ts";

const DATABASE_CLOCK = "statement_timestamp()";

/** @param clock what leases then run by, in steps and never by itself if the test's clock does so. */
export function onClock(db: Database, clock: Pick<Clock, "now">): Database {
  const at = <Param extends string, Row extends object>(
    statement: Statement<Param, Row>,
  ): Statement<Param, Row> =>
    statement.text.includes(DATABASE_CLOCK)
      ? {
          ...statement,
          // Without a name it is planned anew: another time is another text.
          name: "",
          text: statement.text.replaceAll(DATABASE_CLOCK, `timestamptz '${clock.now().toISOString()}'`),
        }
      : statement;
  const within =
    (call: Reader["query"]): Reader["query"] =>
    (statement, values) =>
      call(at(statement), values);
  return {
    ...db,
    query: within((...args) => db.query(...args)),
    commit: within((...args) => db.commit(...args)),
    each: (statement, values, take) => db.each(at(statement), values, take),
    transaction: (work) =>
      db.transaction((tx) =>
        work({
          query: within((...args) => tx.query(...args)),
          write: within((...args) => tx.write(...args)),
        }),
      ),
  };
}
