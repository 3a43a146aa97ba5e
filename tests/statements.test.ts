/** Every SQL statement of the service against the real schema. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import pg from "pg";
// Importing the whole service registers all its statements.
import "../src/app.ts";
import "../src/books/check.ts";
import "../src/demo.ts";
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

/** Reference data and the service's own records, the same for every tenant. */
const NO_TENANT = /\b(banks|schema_migrations)\b/;

test("PostgreSQL can prepare every statement", async () => {
  const failures: string[] = [];
  for (const { name, text } of allStatements()) {
    await client
      .query(`prepare "${name}" as ${text}`)
      .catch((error: Error) => failures.push(`${name}: ${error.message}`));
  }
  assert.deepEqual(failures, []);
});

test("every statement names its tenant, or says in a comment why it is for every tenant", () => {
  const wrong = allStatements()
    .filter(
      ({ text }) =>
        !/tenant = \$\d|\$1[ ,]/.test(text) && !NO_TENANT.test(text) && !text.includes("-- every tenant:"),
    )
    .map(({ name }) => name);
  assert.deepEqual(wrong, []);
});

test("every table that is joined names its tenant, in a statement for one tenant", async () => {
  const { rows } = await client.query<{ name: string }>(
    "select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'tenant'",
  );
  const tables = rows.map(({ name }) => name).join("|");
  const joined = new RegExp(
    `\\b(?:join|from|update)\\s+(?:${tables})\\s+(?:as\\s+)?(?!where|set|on|order|limit|group|for|union|left|join|inner|cross|returning)([a-z_]+)\\b(?!\\s+on false)`,
    "g",
  );
  const wrong = allStatements()
    .filter(({ text }) => !text.includes("-- every tenant:"))
    .flatMap(({ name, text }) =>
      [...text.matchAll(joined)]
        .map(([, alias]) => alias ?? "")
        .filter((alias) => !new RegExp(`\\b${alias}\\.tenant\\b`).test(text))
        .map((alias) => `${name}: ${alias}`),
    );
  assert.deepEqual(wrong, []);
});

test("the constraints that become refusals exist", async () => {
  const { rows } = await client.query<{ name: string }>(
    "select indexname as name from pg_indexes where schemaname = 'public'",
  );
  const names = new Set(rows.map(({ name }) => name));
  for (const constraint of [
    "sessions_one_active_per_lead",
    "transactions_tenant_reference",
    "transactions_one_open_per_session",
    "transactions_merchant_transaction_id",
  ]) {
    assert.ok(names.has(constraint), constraint);
  }
});
