/** Lets the database use a test's clock: replaces `statement_timestamp()` in statements by the test's time. */
import type { Calls, Reader, Statement, Values } from "../../src/db/database.ts";
import type { Clock } from "../../src/lib/clock.ts";

const DATABASE_CLOCK = "statement_timestamp()";
/** The suffix of a statement's name when it runs at a test's time; scripts/mutate/asking.ts removes it. */
const AT_TEST_TIME = " @";

/** @param clock also used for leases, so those end only when the test advances its clock. */
export function onClock(db: Calls, clock: Pick<Clock, "now">): Calls {
  const within =
    (call: Reader["query"]): Reader["query"] =>
    (statement, values) =>
      call(...at(clock, statement, values));
  return {
    ...db,
    query: within((...args) => db.query(...args)),
    commit: within((...args) => db.commit(...args)),
    each: (statement, values, take) => db.each(...at(clock, statement, values), take),
    transaction: (work) =>
      db.transaction((tx) =>
        work({
          query: within((...args) => tx.query(...args)),
          write: within((...args) => tx.write(...args)),
        }),
      ),
  };
}

/** The time is a parameter, so that the text stays the same and PostgreSQL plans it only once, as for the service. */
function at<Param extends string, Row extends object>(
  clock: Pick<Clock, "now">,
  statement: Statement<Param, Row>,
  values: Values<Param>,
): [statement: Statement<Param, Row>, values: Values<Param>] {
  if (!statement.text.includes(DATABASE_CLOCK)) return [statement, values];
  const params = [...(statement.params ?? []), "testTime"] as readonly Param[];
  const name = statement.name === "" ? "" : statement.name + AT_TEST_TIME;
  const text = statement.text.replaceAll(DATABASE_CLOCK, `$${params.length}::timestamptz`);
  return [
    { ...statement, name, text, params },
    { ...values, testTime: clock.now().toISOString() },
  ];
}
