/** Connections that break at an inconvenient moment. */
import assert from "node:assert/strict";
import { createServer, connect, type Socket } from "node:net";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { Refusal } from "../refusals.ts";
import { testDatabase, type TestDatabase } from "../../tests/support/database.ts";
import type { Statement } from "./database.ts";
import { openDatabase } from "./postgres.ts";

let database: TestDatabase;

before(async () => {
  database = await testDatabase();
});
after(() => database.close());

const statement = (text: string): Statement => ({ name: "", text });
const isUnavailable = (error: unknown): boolean => error instanceof Refusal && error.kind === "unavailable";

test("a connection that is lost between two statements of a transaction fails the transaction, not the process", async () => {
  const db = openDatabase(database.url, { connections: 1, onIdleError: () => {} });
  const between = db.transaction(async (tx) => {
    const [row] = await tx.query<{ pid: number }>(statement("select pg_backend_pid() as pid"), []);
    await database.db.query(statement("select pg_terminate_backend($1, 10000)"), [row?.pid]);
    // The end of the connection is in the socket; one turn of the loop reads it.
    await new Promise((resolve) => setTimeout(resolve, 50));
    await tx.query(statement("select 1"), []);
  });
  await assert.rejects(between, isUnavailable);
  assert.deepEqual(await db.query(statement("select 1 as one"), []), [{ one: 1 }]);
  await db.close();
});
