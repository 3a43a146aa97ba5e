/**
 * Uses connections in a fixed order. Each connection plans every statement for itself, so using few of them is faster.
 */
import { assert } from "../../src/lib/assert.ts";
import type { Calls } from "../../src/db/database.ts";

/** Makes each call over the first connection that is free. */
export function firstFree(connections: readonly Calls[]): Calls {
  const free = connections.map(() => true);
  const on = async <T>(work: (connection: Calls) => Promise<T>): Promise<T> => {
    const at = free.indexOf(true);
    const connection = connections[at];
    assert(connection !== undefined, "a connection is free");
    free[at] = false;
    try {
      return await work(connection);
    } finally {
      free[at] = true;
    }
  };
  return {
    query: (statement, values) => on((db) => db.query(statement, values)),
    each: (statement, values, take) => on((db) => db.each(statement, values, take)),
    commit: (statement, values) => on((db) => db.commit(statement, values)),
    transaction: (work) => on((db) => db.transaction(work)),
    async close() {
      await Promise.all(connections.map((connection) => connection.close()));
    },
  };
}
