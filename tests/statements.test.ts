/** Every SQL statement of the service is valid on the real schema. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import pg from "pg";
// Importing the whole service registers all its statements.
import "../src/app.ts";
import "../src/backup/place.ts";
import "../src/books/check.ts";
import "../src/gateways/sepa-batch/commands.ts";
import "../tools/demo.ts";
import { allStatements } from "../src/db/database.ts";
import { testDatabase, type TestDatabase } from "./support/database.ts";
import { OWNERS, placesOfWrites, writesIn, writesOf } from "./support/table-owners.ts";

const GENERAL = new Set(["management/resource-store.ts", "db/sealed-column.ts"]);

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

test("the constraints that cause refusals or another drawn value exist", async () => {
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

test("every table has one owner", async () => {
  const { rows } = await client.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public'",
  );
  const tables = rows.map(({ name }) => name);
  assert.deepEqual(Object.values(OWNERS).flat().toSorted(), tables.toSorted());
});

test("a table is written by its owner's folder", async () => {
  const ownerOf = new Map(
    Object.entries(OWNERS).flatMap(([folder, tables]) => tables.map((table) => [table, folder])),
  );
  const places = await placesOfWrites();
  const foreign = places
    // Statements of plain records and encrypted columns get their table as a parameter.
    .filter(({ file, table }) => !(GENERAL.has(file) && table === "${table}"))
    .filter(({ file, table }) => !file.startsWith(`${ownerOf.get(table)}/`))
    .map(({ file, table }) => `${file} writes ${table}`);
  assert.deepEqual(foreign, []);
});

test("the writes found in the source are those that PostgreSQL's grammar finds", () => {
  const wrong = allStatements()
    .map(({ name, text }) => ({ name, read: writesIn(text), is: writesOf(text) }))
    .filter(({ read, is }) => JSON.stringify(read) !== JSON.stringify(is));
  assert.deepEqual(wrong, []);
});

test("every table that a statement writes is written somewhere in the source", async () => {
  const places = new Set((await placesOfWrites()).map(({ table }) => table));
  const unknown = allStatements().flatMap(({ name, text }) =>
    writesOf(text)
      .map((write) => write.split(" ").at(-1) ?? "")
      .filter((table) => !places.has(table))
      .map((table) => `${name}: ${table}`),
  );
  assert.deepEqual(unknown, []);
});
