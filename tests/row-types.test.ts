/** Compares each `.gives<Row>()` of the source with the result of its statement: names, types and nullability. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import pg from "pg";
// Importing the whole service registers all its statements.
import "../src/app.ts";
import "../src/backup/place.ts";
import "../src/books/check.ts";
import "../src/gateways/sepa-batch/commands.ts";
import { allStatements } from "../src/db/database.ts";
import { testDatabase, type TestDatabase } from "./support/database.ts";
import { ResultReader } from "./support/result-columns.ts";
import {
  believedCalls,
  givenRows,
  readSource,
  wrongRows,
  type CheckedRow,
  type GivenRow,
} from "./support/row-types.ts";

/** Columns with a narrower type than PostgreSQL knows: never null, or with fewer values. Each has its reason. */
const BELIEVED: Readonly<Record<string, readonly [columns: string, why: string]>> = {
  "billing.read_locked": [
    "billing_anchor_date",
    "every subscription starts with one (subscriptions/writes.ts)",
  ],
  "books.days": ["day", "what was paid or charged has the time of it"],
  "db.refresh_statistics": ["refreshed", "the function returns a count"],
  "idempotency.begin": ["request_id", "it is given"],
  "integrations.claim_reads": [
    "read_url leased_until",
    "only records with a URL are due; the claim sets the lease",
  ],
  "sepa_bookings.ours": ["name", "the names are given"],
  "sepa_files.amendments": ["kind", "all kinds are asked for but holder"],
  "sepa_files.assumable": [
    "gateway_reference",
    "a sent file has a message id, and what is in a file is in a block",
  ],
  "sepa_files.find_unsent": ["due_date", "a file that goes out is due"],
  "sepa_files.lock_unsent": ["due_date", "a file that goes out is due"],
  "sepa_files.waiting": ["mandate_unused", "without a mandate the first condition is false"],
  "sepa_unmatched.parts": ["amount", "an entry whose amount cannot be read is never a part"],
};

let database: TestDatabase;
let client: pg.Client;
let reader: ResultReader;

before(async () => {
  database = await testDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  reader = await ResultReader.open(client);
});
after(async () => {
  await client.end();
  await database.close();
});

async function checked(row: GivenRow, believed: readonly string[] = []): Promise<CheckedRow> {
  const statement = allStatements().find(({ name }) => name === row.statement);
  assert.ok(statement, `${row.file} gives rows of ${row.statement}`);
  return { ...row, columns: await reader.columnsOf(statement.text), believed: new Set(believed) };
}

// It type-checks the whole source, which on a busy machine can take longer than a test usually may.
test("every row type agrees with the result of its statement", { timeout: 300_000 }, async () => {
  const rows: CheckedRow[] = [];
  for (const row of givenRows(await readSource())) {
    const [columns] = BELIEVED[row.statement] ?? [];
    rows.push(await checked(row, columns?.split(" ")));
  }
  assert.ok(rows.length > 200, `${rows.length} statements`);
  const names = new Set(rows.map(({ statement }) => statement));
  assert.deepEqual(
    Object.keys(BELIEVED).filter((name) => !names.has(name)),
    [],
  );
  assert.deepEqual(await wrongRows(rows), []);
});

test("statements declare their row types, callers do not", async () => {
  assert.deepEqual(believedCalls(await readSource()), []);
});

test("every error in a row type is detected", async () => {
  const file = "payments/store.ts";
  const wrong: readonly (readonly [statement: string, type: string, said: string, believed?: string])[] = [
    ["payments.lock_order", "{ status: number }", "status: Type 'string'"],
    ["payments.lock_order", '{ status: "PENDING" | "FAILED" }', "status: Type 'NonNullable<"],
    ["payments.lock_order", "{}", "status: Property 'status' does not exist"],
    ["payments.lock_order", "{ status: string; amount: string }", "not returned: Type '\"amount\"'"],
    ["payments.lock_order", "Record<string, string>", "not returned: Type 'string'"],
    ["payments.lock_order", "{ status: string }", "status need not be believed", "status"],
    [
      "payments.lock_transaction",
      "StoredTransaction & { record_bic: string }",
      "record_bic: Type 'string | null'",
    ],
    [
      "payments.lock_transaction",
      'Omit<StoredTransaction, "created_at"> & { created_at: string }',
      "created_at: Type 'Date'",
    ],
  ];
  const rows: CheckedRow[] = [];
  for (const [statement, type, , believed] of wrong)
    rows.push(await checked({ file, statement, type }, believed === undefined ? [] : [believed]));
  const found = await wrongRows(rows);
  assert.deepEqual(
    wrong.map(([statement, , said], n) => found[n]?.startsWith(`${statement}, ${said}`) ?? false),
    wrong.map(() => true),
    found.join("\n"),
  );
  assert.equal(found.length, wrong.length);
});

// Of a gateway `archived_at` can be null and `name` cannot. `?` marks a nullable column.
for (const [text, columns] of [
  ["select name, archived_at from gateways", "name, archived_at?"],
  ["select archived_at from gateways where archived_at > $1", "archived_at"],
  ["select archived_at from gateways where archived_at is not null and tenant = $1", "archived_at"],
  ["select archived_at from gateways where archived_at is not null or tenant = $1", "archived_at?"],
  ["select archived_at from gateways where not (archived_at is null)", "archived_at?"],
  ["select o.id, g.name from orders o join gateways g on g.tenant = o.tenant", "id, name"],
  ["select o.id, g.name from orders o left join gateways g on g.tenant = o.tenant", "id, name?"],
  ["select o.id, g.name from orders o right join gateways g on g.tenant = o.tenant", "id?, name"],
  ["select o.id, g.name from orders o full join gateways g on g.tenant = o.tenant", "id?, name?"],
  // A condition on an outer-joined row implies that it exists.
  [
    "select g.name, g.archived_at from orders o left join gateways g on true where g.tenant = $1",
    "name, archived_at?",
  ],
  ["select g.archived_at from gateways g join orders o on o.created_at = g.archived_at", "archived_at"],
  ["select g.archived_at from orders o left join gateways g on o.created_at = g.archived_at", "archived_at?"],
  ["select $1::text as given, null as nothing, 1 as one", "given?, nothing?, one"],
  ["select coalesce(archived_at, $1) as a, coalesce(archived_at, created_at) as b from gateways", "a?, b"],
  [
    "select case when active then name end as a, case when active then name else 'x' end as b from gateways",
    "a?, b",
  ],
  [
    "select name || $1 as a, name || 'x' as b, upper(name) as c, settings ->> 'x' as d from gateways",
    "a?, b, c, d?",
  ],
  ["select count(*) as a, max(name) as b, array_agg(name) as c from gateways", "a, b?, c?"],
  [
    "select max(name) as a, max(archived_at) as b, max(name) filter (where active) as c from gateways group by tenant",
    "a, b?, c?",
  ],
  [
    "select (select name from gateways limit 1) as a, (select count(*) from gateways) as b, exists (select 1) as c",
    "a?, b, c",
  ],
  [
    "with g as (select * from gateways where archived_at > $1) select name, archived_at from g",
    "name, archived_at",
  ],
  [
    "select n.a from (select archived_at as a from gateways union all select created_at from gateways) n",
    "a?",
  ],
  ["select created_at as a from gateways union all select created_at from orders", "a"],
  ["select a from (values (1, 'x'), (2, null)) as v (n, a)", "a?"],
  ["select n from unnest($1::text[]) as n", "n?"],
  [
    "update gateways set archived_at = $1 where archived_at is not null returning archived_at",
    "archived_at?",
  ],
  ["update gateways set name = 'x' where archived_at is not null returning archived_at", "archived_at"],
  ["update gateways set archived_at = created_at returning archived_at", "archived_at"],
  ["delete from gateways where archived_at < $1 returning archived_at", "archived_at"],
  [
    "insert into tenant_clocks (tenant, ahead_ms, updated_at) values ($1, $2, $3) returning *",
    "tenant, ahead_ms, updated_at",
  ],
  [
    "with g as (update gateways set archived_at = now() returning *) select g.archived_at from g",
    "archived_at",
  ],
  ["insert into gateways (archived_at) select created_at from orders returning archived_at", "archived_at"],
  [
    "insert into gateways (archived_at) values ($1) returning archived_at, descriptor",
    "archived_at?, descriptor?",
  ],
] as const) {
  test(`null or not: ${text}`, async () => {
    const found = await reader.columnsOf(text);
    assert.equal(found.map(({ name, nullable }) => `${name}${nullable ? "?" : ""}`).join(", "), columns);
  });
}
