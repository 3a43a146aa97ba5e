/** Every SQL statement of the service against the real schema. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import pg from "pg";
// Importing the whole service registers all its statements.
import "../src/app.ts";
import "../src/books/check.ts";
import "../tools/demo.ts";
import { allStatements } from "../src/db/database.ts";
import { testDatabase, type TestDatabase } from "./support/database.ts";

let database: TestDatabase;
let client: pg.Client;

before(async () => {
  database = await testDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
after(async () => {
  await client.end();
  await database.close();
});

test("PostgreSQL can prepare every statement", async () => {
  const failures: string[] = [];
  for (const { name, text } of allStatements()) {
    await client
      .query(`prepare "${name}" as ${text}`)
      .catch((error: Error) => failures.push(`${name}: ${error.message}`));
  }
  assert.deepEqual(failures, []);
});

test("the constraints that become refusals, or another draw, exist", async () => {
  const { rows } = await client.query<{ name: string }>(
    "select indexname as name from pg_indexes where schemaname = 'public'",
  );
  const names = new Set(rows.map(({ name }) => name));
  for (const constraint of [
    "sessions_one_active_per_lead",
    "transactions_one_per_tenant_reference",
    "transactions_one_open_per_session",
    "transactions_one_per_merchant_transaction_id",
    "transactions_pkey",
    "orders_one_per_number",
    "mandates_one_per_reference",
  ]) {
    assert.ok(names.has(constraint), constraint);
  }
});
