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

interface PlanNode {
  readonly "Relation Name"?: string;
  readonly Alias?: string;
  readonly Plans?: readonly PlanNode[];
  readonly [key: string]: unknown;
}

function scansOf(node: PlanNode): readonly PlanNode[] {
  const below = (node.Plans ?? []).flatMap(scansOf);
  return node["Relation Name"] === undefined || node["Node Type"] === "ModifyTable"
    ? below
    : [node, ...below];
}

test("every scan of a table with a tenant is of one tenant's rows, in a statement for one tenant", async (t) => {
  const { rows: version } = await client.query<{ number: number }>(
    "select current_setting('server_version_num')::integer as number",
  );
  if ((version[0]?.number ?? 0) < 160_000) return t.skip("PostgreSQL 16 explains generic plans first");
  const { rows } = await client.query<{ name: string }>(
    "select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'tenant'",
  );
  const tables = new Set(rows.map(({ name }) => name));
  const wrong: string[] = [];
  for (const { name, text } of allStatements()) {
    if (text.includes("-- every tenant:")) continue;
    const { rows: plans } = await client.query(`explain (generic_plan, format json) ${text}`);
    for (const scan of scansOf(plans[0]["QUERY PLAN"][0].Plan)) {
      const conditions = JSON.stringify({ ...scan, Plans: undefined, Output: undefined });
      if (tables.has(String(scan["Relation Name"])) && !/\btenant = /.test(conditions))
        wrong.push(`${name}: ${scan["Relation Name"]} ${scan.Alias} ${conditions}`);
    }
  }
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
