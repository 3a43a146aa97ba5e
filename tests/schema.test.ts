/** The schema is documented: each rule has a name that states it, and each table has a comment. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SEALED_COLUMNS } from "../src/keys/columns.ts";
import { readSchema, type Constraint, type Schema, type Table } from "../src/db/schema-dump.ts";
import { COLUMN_CLASSES } from "./support/column-classes.ts";
import { testDatabase, type TestDatabase } from "./support/database.ts";

let database: TestDatabase;
let schema: Schema;

before(async () => {
  database = await testDatabase();
  schema = await readSchema(database.url);
});
after(() => database.close());

/** A name that PostgreSQL generates for an unnamed rule. */
const GENERATED = /_(?:check|fkey|key|idx|excl)\d*$/;

/** What is wrong with a name; null if it is correct. */
function wrongName(table: Table, { name, columns, definition }: Constraint): string | null {
  const kind = definition.split(" (")[0];
  if (kind === "primary key") return name === `${table.name}_pkey` ? null : "is not the table's _pkey";
  if (GENERATED.test(name)) return "was made up by PostgreSQL";
  // Its index needs a unique name. For other rules PostgreSQL's errors name the table.
  if (kind === "unique") return name.startsWith(`${table.name}_`) ? null : "does not begin with its table";
  if (name.startsWith(`${table.name}_`)) return "repeats its table";
  if (kind !== "foreign key") return null;
  if (columns.join() === "tenant") return name === "tenant_exists" ? null : "is not tenant_exists";
  const whose = columns.includes("gateway_id") && columns.length > 2 ? "_of_same_account" : "_of_same_tenant";
  return name.endsWith(whose) ? null : `does not end in ${whose}`;
}

test("each constraint and index has a name that states its rule, as CONTRIBUTING says", () => {
  const wrong = schema.tables.flatMap((table) => [
    ...table.constraints.flatMap((constraint) => {
      const why = wrongName(table, constraint);
      return why === null ? [] : [`${table.name}: ${constraint.name} ${why}`];
    }),
    ...table.indexes
      .filter(({ name }) => GENERATED.test(name) || !name.startsWith(`${table.name}_`))
      .map(
        ({ name }) =>
          `${table.name}: the index ${name} was made up by PostgreSQL, or does not begin with its table`,
      ),
  ]);
  assert.deepEqual(wrong, []);
});

for (const [name, definition, why] of [
  ["sessions_check4", "check ((closed_at is null))", "was made up by PostgreSQL"],
  ["sessions_amount_check", "check ((amount > 0))", "was made up by PostgreSQL"],
  ["sessions_amount_positive", "check ((amount > 0))", "repeats its table"],
  ["amount_positive", "check ((amount > 0))", null],
  [
    "sessions_tenant_lead_id_fkey",
    "foreign key (tenant, lead_id) references leads",
    "was made up by PostgreSQL",
  ],
  ["lead_exists", "foreign key (tenant, lead_id) references leads", "does not end in _of_same_tenant"],
  ["lead_of_same_tenant", "foreign key (tenant, lead_id) references leads", null],
  ["sessions_lead_id_key", "unique (tenant, lead_id)", "was made up by PostgreSQL"],
] as const) {
  test(`${why === null ? "a good name" : `a name that ${why}`}: ${name}`, () => {
    const table = { name: "sessions", comment: null, columns: [], constraints: [], indexes: [] };
    const constraint = { name, columns: ["tenant", "lead_id"], definition, comment: null };
    assert.equal(wrongName(table, constraint), why);
  });
}

test("each table and each function has a comment with its purpose", () => {
  const silent = schema.tables.filter(({ comment }) => comment === null).map(({ name }) => name);
  const functions = schema.others.filter(({ definition }) => /^create or replace function/i.test(definition));
  assert.deepEqual(silent, []);
  assert.ok(functions.length > 0 && functions.every(({ comment }) => comment !== null));
});

test("each column of bytes is described as encrypted or a hash, and each column of JSON by its contents", () => {
  const silent = schema.tables.flatMap(({ name, columns }) =>
    columns
      .filter(({ type, comment }) => (type === "bytea" || type === "jsonb") && comment === null)
      .map((column) => `${name}.${column.name}`),
  );
  assert.deepEqual(silent, []);
});

/** Encrypted by the service for itself and not in the list: keys/register.ts decrypts and renews them at each start. */
const OWN_SEALED = ["master_keys.check_value", "master_keys.mac_keys"];

test("the list of encrypted columns has exactly those that are described as such; other columns of bytes are hashes", () => {
  const bytes = schema.tables.flatMap(({ name, columns }) =>
    columns
      .filter(({ type }) => type === "bytea")
      .map((column) => ({ name: `${name}.${column.name}`, comment: column.comment ?? "" })),
  );
  const sealed = bytes.filter(({ comment }) => /^Sealed\b/.test(comment)).map(({ name }) => name);
  const listed = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`);
  assert.deepEqual([...listed, ...OWN_SEALED].toSorted(), sealed.toSorted());
  const others = bytes.filter(({ comment }) => !/^Sealed\b/.test(comment));
  assert.deepEqual(
    others.filter(({ name, comment }) => !name.endsWith(".sha256") && !/\b(?:hash|SHA-256)\b/i.test(comment)),
    [],
  );
});

test("each column is classified as personal, merchant, money or technical", () => {
  const classified = Object.entries(COLUMN_CLASSES).flatMap(([table, classes]) =>
    Object.values(classes).flatMap((columns: string) =>
      columns.split(" ").map((column) => `${table}.${column}`),
    ),
  );
  const columns = schema.tables.flatMap(({ name, columns: own }) =>
    own.map((column) => `${name}.${column.name}`),
  );
  assert.deepEqual(classified.toSorted(), columns.toSorted());
});
