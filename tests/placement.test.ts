/**
 * Conditions for distributing the schema and the statements over several machines, as far as a single PostgreSQL can
 * test them.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import pg from "pg";
// Importing the whole service registers all its statements.
import "../src/app.ts";
import "../src/books/check.ts";
import "../tools/demo.ts";
import { brokenConstraint, refusalOfDatabaseError } from "../src/db/constraints.ts";
import { allStatements } from "../src/db/database.ts";
import { statementsOf } from "../src/db/migrations.ts";
import { FUNCTIONS_WITH, PLACEMENTS } from "../src/db/placement.ts";
import { readSchema, type Schema } from "../src/db/schema-dump.ts";
import { Refusal } from "../src/refusals.ts";
import { testDatabase, type TestDatabase } from "./support/database.ts";
import { hasSimpleCase, partsOf } from "./support/statement-parts.ts";

let database: TestDatabase;
let schema: Schema;
let owner: pg.Client;

before(async () => {
  database = await testDatabase();
  schema = await readSchema(database.url);
  owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
});
after(async () => {
  await owner.end();
  await database.close();
});

/** Tables about the whole database. No statement joins them with a tenant's rows. */
const OF_THE_DATABASE = new Set(["schema_migrations", "database_places"]);

test("every table has a placement, and those that begin with the tenant are distributed by it", () => {
  const expected = schema.tables.map(({ name, constraints }) => {
    const key = constraints.find(({ name: of }) => of === `${name}_pkey`)?.definition ?? "";
    const isSplit = name !== "tenants" && /^primary key \(tenant\b/.test(key);
    const place = OF_THE_DATABASE.has(name) ? "coordinator" : isSplit ? "by tenant" : "everywhere";
    return [name, place] as const;
  });
  assert.deepEqual(PLACEMENTS, Object.fromEntries(expected));
});

test("every function that is called, except by triggers, is placed with a distributed table", async () => {
  const { rows } = await owner.query<{ name: string; text: string }>(
    `select p.oid::regprocedure::text as name, p.prosrc as text from pg_proc p
      where p.pronamespace = 'public'::regnamespace and p.prorettype <> 'trigger'::regtype order by 1`,
  );
  const changing = rows.filter(({ text }) => /\b(insert into|update|delete from)\b/.test(text));
  assert.deepEqual(
    changing.map(({ name }) => name),
    Object.keys(FUNCTIONS_WITH).toSorted(),
  );
  assert.deepEqual(
    Object.values(FUNCTIONS_WITH).filter((table) => PLACEMENTS[table] !== "by tenant"),
    [],
  );
});

test("a trigger for truncate is for nothing else, because it stays on the coordinator", async () => {
  const { rows } = await owner.query<{ on: string }>(
    "select pg_get_triggerdef(oid) as on from pg_trigger where not tgisinternal",
  );
  assert.ok(rows.length > 0);
  assert.deepEqual(
    rows.filter(({ on }) => / OR TRUNCATE ON |TRUNCATE OR /.test(on)),
    [],
  );
});

test("a key of a distributed table begins with the tenant, and so does the key that it refers to", () => {
  const wrong = schema.tables
    .filter(({ name }) => PLACEMENTS[name] === "by tenant")
    .flatMap(({ name, constraints, indexes }) => [
      ...constraints
        .filter(({ definition }) => /^(primary key|unique|foreign key) \((?!tenant\b)/.test(definition))
        .map((constraint) => `${name}: ${constraint.name}`),
      ...indexes
        .filter(
          ({ definition }) => definition.startsWith("create unique index") && !/\(tenant\b/.test(definition),
        )
        .map((index) => `${name}: ${index.name}`),
    ]);
  assert.deepEqual(wrong, []);
});

/** Citus appends `_` and the shard's number, within PostgreSQL's 63 bytes. */
const NAME_MAX = 63 - "_1234567".length;

test("the number at the end of a shard's name is removed, and a number in a schema's name is not", () => {
  const names = schema.tables.flatMap(({ name, constraints, indexes }) => [
    name,
    ...constraints.map((constraint) => constraint.name),
    ...indexes.map((index) => index.name),
  ]);
  assert.deepEqual(
    names.filter((name) => /_\d{6,}$/.test(name)),
    [],
  );
  const refusals = [
    "sessions_one_active_per_lead",
    "transactions_one_per_tenant_reference",
    "mandates_one_per_reference",
  ];
  assert.deepEqual(
    refusals.filter((name) => name.length > NAME_MAX || !names.includes(name)),
    [],
  );
});

for (const [error, name] of [
  [{ code: "23505", constraint: "sessions_one_active_per_lead" }, "sessions_one_active_per_lead"],
  [{ code: "23505", constraint: "sessions_one_active_per_lead_102224" }, "sessions_one_active_per_lead"],
  [
    {
      code: "23505",
      message: 'duplicate key value violates unique constraint "sessions_one_active_per_lead_102224"',
    },
    "sessions_one_active_per_lead",
  ],
  [
    {
      code: "23503",
      message:
        'insert or update on table "transactions_102312" violates foreign key constraint "session_of_same_tenant_102312"',
    },
    "session_of_same_tenant",
  ],
  [
    {
      code: "23514",
      message: "neue Zeile für Relation »orders_102300« verletzt Check-Constraint »status_known«",
    },
    "orders",
  ],
  [{ code: "23505", constraint: "a_rule_2" }, "a_rule_2"],
  [{ code: "23505", message: "duplicate key value violates unique constraint" }, null],
  [{ code: "57014", message: "canceled at sessions_one_active_per_lead_102224" }, null],
  [new Error("sessions_one_active_per_lead_102224"), null],
] as const) {
  test(`the broken constraint of ${JSON.stringify(error)} is ${name}`, () => {
    assert.equal(brokenConstraint(error), name);
  });
}

test("a constraint that is broken on a Citus worker gives the same refusal as on a single server", () => {
  const refusal = refusalOfDatabaseError({
    code: "23505",
    message: 'duplicate key value violates unique constraint "sessions_one_active_per_lead_102224"',
  });
  assert.ok(refusal instanceof Refusal && refusal.kind === "lead_has_active_session");
});

/**
 * In PostgreSQL every part of a statement sees the rows as they were when it began. Citus runs the parts one after the
 * other, so a later part sees the writes of an earlier one. For the parts listed here both are right.
 */
const SEEN_BOTH_WAYS: Readonly<Record<string, string>> = {
  "billing.claim_cycle: t reads billing_cycles of missed":
    "only the cycle that is taken up, which is not a missed one",
  "billing.record_outcome: u reads billing_cycles of c": "only cycles of other transactions",
  "billing.follow: main reads billing_cycles of c": "only cycles of other transactions",
  "billing.record_outcome: p reads transactions of t": "only other transactions",
  "chargebacks.charge_back: c reads transactions of t": "only the session, which stays",
  "chargebacks.charge_back: y reads transactions of t": "only other transactions",
  "idempotency.begin: main reads idempotency_keys of claimed": "only keys that are not claimed",
  "sessions.claim: s reads payment_counts of counted": "only counts of another kind",
  "payments.reinstate: o reads transactions of t": "only other transactions",
  "payments.reinstate: u reads transactions of t": "only other transactions; t's own columns come from t",
  "payments.reinstate: u reads billing_cycles of k": "only of other transactions, or whether there is one",
  "payments.reinstate: u reads chargebacks of c": "only of other transactions",
  "refunds.record_outcome: t reads transactions of r": "only the session of the refunded payment",
  "refunds.record_outcome: t reads transactions of p": "only the session, which stays",
  "refunds.claim_held: main reads transactions of t": "only the refunded payments, which t leaves alone",
  "refunds.claim_due: main reads transactions of t": "only the refunded payments, which t leaves alone",
};

test("no part of a statement reads rows that an earlier part changes, unless the list says why that is harmless", () => {
  const found = allStatements().flatMap(({ name, text }) => {
    const parts = partsOf(text);
    return parts.flatMap((part, index) =>
      part.reads.flatMap((table) =>
        parts
          .slice(0, index)
          .filter(({ writes }) => writes?.table === table)
          .map((earlier) => `${name}: ${part.name} reads ${table} of ${earlier.name}`),
      ),
    );
  });
  assert.deepEqual([...new Set(found)].toSorted(), Object.keys(SEEN_BOTH_WAYS).toSorted());
});

/** Rows that are written before the row that they could refer to. */
const REFERS_TO_OTHERS: Readonly<Record<string, string>> = {
  "billing.claim_cycle: missed writes billing_cycles before t inserts into transactions":
    "a skipped cycle has no transaction",
  "refunds.claim: p writes transactions before t inserts into transactions":
    "the payment does not refer to its refund",
};

test("a row that a part of a statement refers to exists before it, or the foreign key is checked at the commit", () => {
  const ties = new Map(
    schema.tables.map(({ name, constraints }) => [
      name,
      constraints.flatMap(({ definition }) => {
        const to = /^foreign key .* references (\w+)/.exec(definition)?.[1];
        return to === undefined || definition.includes("initially deferred") ? [] : [to];
      }),
    ]),
  );
  const found = allStatements().flatMap(({ name, text }) => {
    const parts = partsOf(text);
    return parts.flatMap(({ name: part, writes }, index) => {
      if (writes === null || writes.verb === "delete") return [];
      return parts
        .slice(index + 1)
        .filter(
          (later) => later.writes?.verb === "insert" && ties.get(writes.table)?.includes(later.writes.table),
        )
        .map(
          (later) =>
            `${name}: ${part} writes ${writes.table} before ${later.name} inserts into ${later.writes?.table}`,
        );
    });
  });
  assert.deepEqual(found.toSorted(), Object.keys(REFERS_TO_OTHERS).toSorted());
});

test("no statement that writes has a `case value when`, which Citus changes on its way to the worker", () => {
  const wrong = allStatements().filter(
    ({ text }) => partsOf(text).some(({ writes }) => writes !== null) && hasSimpleCase(text),
  );
  assert.deepEqual(
    wrong.map(({ name }) => name),
    [],
  );
});

test("a migration is split into its statements, whatever its texts and comments contain", () => {
  const text = `-- one; two
    create table a (b text default 'x;''y', "c;d" int); /* ; */
    create function f() returns int language plpgsql as $body$ begin return 1; end $body$;
    -- the end;
  `;
  assert.deepEqual(
    statementsOf(text).map((part) => /create \w+ \w/.exec(part)?.[0]),
    ["create table a", "create function f"],
  );
  assert.deepEqual(statementsOf("select 1"), ["select 1"]);
});
