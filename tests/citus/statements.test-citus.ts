/** Every statement of the service on a Citus cluster: it runs, and one that names its tenant runs on that tenant's worker. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import pg from "pg";
// Importing the whole service registers all its statements.
import "../../src/app.ts";
import "../../src/books/check.ts";
import "../../tools/demo.ts";
import { allStatements, type PlainStatement } from "../../src/db/database.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { must } from "../../src/lib/assert.ts";

let database: TestDatabase;
let client: pg.Client;
/** Intermediate results that are read as text: Citus writes them in binary, and mistakes one for the other in a locked join. */
let readAsText = 0;

before(async () => {
  database = await testDatabase();
  client = new pg.Client({ connectionString: database.ownerUrl });
  client.on("notice", ({ message }) => {
    if (/'\d+_\d+'::text, 'text'::citus_copy_format/.test(message ?? "")) readAsText += 1;
  });
  await client.connect();
  await client.query("set plan_cache_mode = force_custom_plan");
});
after(async () => {
  await client.end();
  await database.close();
});

const SAMPLES: Readonly<Record<string, string>> = {
  integer: "1",
  smallint: "1",
  bigint: "1",
  numeric: "1",
  "double precision": "1",
  uuid: "'00000000-0000-4000-8000-000000000001'",
  // Some are the addresses of callers.
  text: "'127.0.0.1'",
  "timestamp with time zone": "'2026-01-01Z'",
  date: "'2026-01-01'",
  jsonb: "'{}'",
  bytea: "'\\x00'",
  boolean: "true",
};

/** A value of a type, as a literal. */
function sample(type: string): string {
  const element = type.replace("[]", "");
  const literal = must(SAMPLES[element], `there is a sample of ${element}`);
  return element === type ? `${literal}::${type}` : `array[${literal}]::${type}`;
}

/** Calls of a statement: with all its values, and with each of them null, but for the tenant. */
async function callsOf({ name, text, params = [] }: PlainStatement): Promise<readonly string[]> {
  await client.query(`prepare "${name}" as ${text}`);
  const { rows } = await client.query<{ types: string[] }>(
    "select parameter_types::text[] as types from pg_prepared_statements where name = $1",
    [name],
  );
  const types = must(rows[0], name).types;
  const values = types.map(sample);
  // Ids, limits and the current day are never null: comparisons with null would be left out of the plan.
  const optional = params.flatMap((param, at) => (NEVER_NULL.test(param) ? [] : [at]));
  const all = [values, ...optional.map((at) => values.with(at, `null::${types[at]}`))];
  return all.map((given) => `execute "${name}"${given.length === 0 ? "" : `(${given.join(", ")})`}`);
}

const NEVER_NULL = /^tenant$|^id$|[iI]ds?$|^limit$|^room$|^today$/;

/** Statements that name a tenant and ask several workers all the same, or none. */
const NOT_ON_ONE: Readonly<Record<string, string>> = {
  "books.collections": "the books are checked as a whole",
};

test("each statement that names its tenant is sent to that tenant's worker", async () => {
  const wrong: string[] = [];
  await client.query("set client_min_messages = debug1");
  for (const statement of allStatements()) {
    if (statement.params?.includes("tenant") !== true || statement.name in NOT_ON_ONE) continue;
    for (const call of await callsOf(statement)) {
      const { rows } = await client
        .query<{ "QUERY PLAN": string }>(`explain ${call}`)
        .catch((error: Error) => {
          wrong.push(`${call}: ${error.message}`);
          return { rows: [] };
        });
      const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      const tasks = [...plan.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count));
      if (tasks.some((count) => count > 1)) wrong.push(`${call}: ${tasks.join(", ")} tasks`);
    }
    await client.query(`deallocate "${statement.name}"`);
  }
  await client.query("set client_min_messages = notice");
  assert.deepEqual([wrong, readAsText], [[], 0]);
});

/** Invalid data, as in the samples; for rows that Citus copies to a worker the error has no code. */
const OF_THE_SAMPLES = /^(22|23)|^XX000 .* violates (check|not-null) constraint/;

test("each statement runs, whichever of its values are null", async () => {
  const wrong: string[] = [];
  for (const statement of allStatements()) {
    for (const call of await callsOf(statement)) {
      await client.query("begin");
      await client.query(call).catch((error: pg.DatabaseError) => {
        if (!OF_THE_SAMPLES.test(`${error.code} ${error.message}`)) wrong.push(`${call}: ${error.message}`);
      });
      await client.query("rollback");
    }
    await client.query(`deallocate "${statement.name}"`);
  }
  assert.deepEqual(wrong, []);
});

test("what is numbered in order of occurrence is numbered in one place", async () => {
  const wrong: string[] = [];
  for (const statement of allStatements()) {
    if (!/insert into (events|session_moves|sepa_news)\b/.test(statement.text)) continue;
    for (const call of await callsOf(statement)) {
      const { rows } = await client.query<{ plan: string }>(`explain (verbose) ${call}`);
      const plan = rows.map((row) => Object.values(row)[0]).join("\n");
      // A part of the plan that a worker runs and that takes a number.
      if (/Query: [^\n]*nextval\(/.test(plan)) wrong.push(statement.name);
    }
    await client.query(`deallocate "${statement.name}"`);
  }
  assert.deepEqual([...new Set(wrong)], []);
});
