/**
 * Every table in every SQL statement is restricted to one tenant, checked with PostgreSQL's own grammar. The few
 * exceptions are listed.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
// Importing the whole service registers all its statements.
import "../src/app.ts";
import "../src/backup/place.ts";
import "../src/books/check.ts";
import "../src/gateways/sepa-batch/commands.ts";
import "../tools/demo.ts";
import { allStatements } from "../src/db/database.ts";
import { SEALED_COLUMNS } from "../src/keys/columns.ts";
import { tiesOf } from "./support/tenant-ties.ts";

const WHO_HAS_WORK = "the first of a job's two steps finds the tenants that have work";
const FIGURES = "figures of the whole service, for whoever runs it";
const OPERATOR = "the operator's own list of tenants";
const INSTALLATION = "the operator's pages, which show no customer data";
const KEYS = "keys seal for all tenants";
const BOOKS = "the books are checked as a whole";

/**
 * Statements that range over all tenants, with the reason and the tables. Other tables of these statements are tied to
 * them. If a name occurs several times, the first ones count.
 */
const FREE: Readonly<Record<string, readonly [why: string, ...tables: string[]]>> = {
  "audit_chain.tenants": [OPERATOR, "audit_log", "audit_chain"],
  "audit_chain.tenants_pending": [WHO_HAS_WORK, "audit_pending"],
  "campaigns.tenants_with_limits": [WHO_HAS_WORK, "campaigns"],
  "refunds.tenants_with_held": [WHO_HAS_WORK, "r"],
  "attempts.tenants_with_due": [WHO_HAS_WORK, "transactions"],
  "billing.tenants_due": [WHO_HAS_WORK, "u", "billing_cycles"],
  "billing.tenants_followed": [WHO_HAS_WORK, "c", "c", "c"],
  "billing.tenants_upcoming": [WHO_HAS_WORK, "u"],
  "idempotency.tenants_with_old": [WHO_HAS_WORK, "idempotency_keys"],
  "integrations.tenants_to_forget": [WHO_HAS_WORK, "i", "integration_postback_keys"],
  "integrations.tenants_to_read": [WHO_HAS_WORK, "integrations"],
  "integrations.tenants_with_due": [WHO_HAS_WORK, "integration_activities"],
  "imports.tenants_with_abandoned": [WHO_HAS_WORK, "imports"],
  "mandates.tenants_with_unused": [WHO_HAS_WORK, "mandates"],
  "messages.tenants_due": [WHO_HAS_WORK, "messages"],
  "places.newest_event": [FIGURES, "e"],
  "places.waiting": [FIGURES, "t", "c", "f", "u", "s", "d"],
  "sepa_files.skip_messages": ["a backup is restored of all tenants", "sepa_accounts"],
  "sepa_files.tenants_to_send": [WHO_HAS_WORK, "sepa_files"],
  "sessions.tenants_with_expired": [WHO_HAS_WORK, "sessions"],
  "sessions.tenants_with_old_counts": [WHO_HAS_WORK, "payment_counts"],
  "webhooks.tenants_to_fan_out": [WHO_HAS_WORK, "events"],
  "webhooks.list_due_receivers": [WHO_HAS_WORK, "r"],
  "webhooks.tenants": ["the clean-up goes from one to the next", "tenants"],
  "webhooks.tenants_with_old_answers": [WHO_HAS_WORK, "webhook_attempts"],
  "requests.tenants_with_old": [WHO_HAS_WORK, "requests"],
  "reports.tenants": ["payments are added up for one after the other", "tenants"],
  "payments.gateways_with_news": ["a job asks all accounts, a tenant's clock its own", "gateways"],
  "sepa_files.accounts": ["jobs look at all accounts, a tenant's clock at its own", "g"],
  "clock.find_moved": ["the few tenants that have moved their time are kept in mind", "tenant_clocks"],
  "console_sessions.tenants_to_forget": ["what is too old is too old", "console_sessions"],
  "people.find_by_email": ["a person who signs in has not said which tenant", "p"],
  "sandbox.by_verification": [
    "the customer's browser brings nothing but the verification's id",
    "sandbox_books",
  ],
  "attempts.figures": [FIGURES, "h", "t"],
  "messages.figures": [FIGURES, "messages"],
  "campaigns.count_stopped": [FIGURES, "campaigns"],
  "webhooks.figures": [FIGURES, "events", "webhook_deliveries", "d", "r", "f"],
  "set_aside.count": [FIGURES, "gateway_news_set_aside"],
  "sepa_files.count_waiting": [
    FIGURES,
    "sepa_files",
    "sepa_files",
    "f",
    "ebics_users",
    "sepa_files",
    "sepa_files",
    "sepa_unmatched",
    "sepa_collections",
    "sepa_statements",
  ],
  "operator.banks": [INSTALLATION, "g"],
  "operator.banks_read": [INSTALLATION, "sepa_statements"],
  "operator.banks_sent": [INSTALLATION, "sepa_files"],
  "operator.names_of_tenants": [OPERATOR, "tenants"],
  "operator.payments_of_tenants": [OPERATOR, "daily_figures"],
  "operator.queues": [
    INSTALLATION,
    "events",
    "webhook_deliveries",
    "webhook_deliveries",
    "webhook_deliveries",
    "messages",
    "transactions",
    "integration_activities",
    "sepa_files",
    "sepa_files",
  ],
  "operator.receivers": [INSTALLATION, "r"],
  "operator.receivers_backlog": [INSTALLATION, "webhook_deliveries"],
  "demo.any_tenant": ["only whether there is one", "tenants"],
  "tenants.insert": ["a new tenant has its number from the database", "tenants"],
  "tenants.find": [OPERATOR, "tenants"],
  "tenants.lock": [OPERATOR, "tenants"],
  "tenants.list_older": [OPERATOR, "tenants"],
  "tenants.list_newer": [OPERATOR, "tenants"],
  "keys.count_sessions": [KEYS, "sessions"],
  "keys.tenants": [KEYS, "tenants"],
  ...Object.fromEntries(
    SEALED_COLUMNS.map(({ table, column }) => [`keys.count.${table}.${column}`, [KEYS, table] as const]),
  ),
  "books.bank": [BOOKS, "c"],
  "books.bank_news": [BOOKS, "n"],
  "books.chargeback_facts": [BOOKS, "chargebacks"],
  "books.collections": [BOOKS, "t"],
  "books.creditors": [BOOKS, "c", "b"],
  "books.cycles": [BOOKS, "c"],
  "books.days": [BOOKS, "b", "transactions", "transactions", "chargebacks", "transactions"],
  "books.news_facts": [BOOKS, "t"],
  "books.held_refunds": [BOOKS, "transactions"],
  "books.news_set_aside": [BOOKS, "gateway_news_set_aside"],
  "books.one_sale": [BOOKS, "t"],
  "books.orders": [BOOKS, "transactions", "o"],
  "books.refund_facts": [BOOKS, "t"],
  "books.revenue": [BOOKS, "t", "u"],
  // The last one is a side of a full join, which no condition ties.
  "books.sandbox": [BOOKS, "b", "t", "t"],
  "books.sandbox_refunds": [BOOKS, "sandbox_books", "b"],
  "books.sessions": [BOOKS, "transactions", "m", "s"],
  "books.bank_files": [BOOKS, "sepa_collections", "sepa_file_approvals", "f", "f", "f"],
  "books.status_events": [BOOKS, "e", "w", "t"],
  "books.chargeback_events": [BOOKS, "c", "w", "events", "emitted", "c"],
  "books.expired_events": [BOOKS, "session_moves", "events", "emitted", "l", "o"],
  "books.upcoming_events": [BOOKS, "events"],
  "books.waiting_cycles": [BOOKS, "c"],
  "books.mandate_use": [BOOKS, "c"],
  "books.unannounced": [BOOKS, "t"],
  "books.unannounced_refused": [BOOKS, "t"],
  "books.mandate_ended": [BOOKS, "t", "c", "t"],
  "books.counters": [BOOKS, "t", "billing_cycles", "u"],
  "books.next_dates": [BOOKS, "u", "billing_cycles"],
  "books.subscription_statuses": [BOOKS, "c", "billing_cycles", "u", "u", "u"],
  "books.tries": [BOOKS, "u", "c", "c"],
  "books.retries": [BOOKS, "t", "c"],
  "books.collected_twice": [BOOKS, "r"],
  "books.repaid_twice": [BOOKS, "r"],
  "books.skipped": [BOOKS, "s"],
  "books.completed_events": [BOOKS, "t", "events"],
};

const schema = await readFile(new URL("../src/db/schema.sql", import.meta.url), "utf8");
const tables = new Set(namesIn(/^create table (\w+) \(\n(?: {2}-- .*\n)* {2}tenant\s/gm));
/** Read when needed, because a statement may be mutated to see whether this test detects it (docs/mutation.md). */
const statements = (): readonly { readonly name: string; readonly text: string }[] =>
  allStatements().map(({ name, text }) => ({ name, text: text.replace(/--.*$/gm, "") }));

function namesIn(pattern: RegExp): readonly string[] {
  return [...schema.matchAll(pattern)].map(([, name]) => name ?? "");
}

test("every table has a tenant, except for tables that are the same for all tenants", () => {
  const without = namesIn(/^create table (\w+) /gm).filter((name) => !tables.has(name));
  assert.deepEqual(without.toSorted(), ["banks", "database_places", "master_keys", "schema_migrations"]);
});

test("each table of every statement is tied to one tenant, or is listed with the reason why it is not", () => {
  const wrong = statements().flatMap(({ name, text }) => {
    const [, ...free] = FREE[name] ?? [""];
    const { untied, needless, params } = tiesOf(text, tables, free);
    return [
      ...untied.map((alias) => `${name}: ${alias} is not tied to a tenant`),
      ...needless.map((alias) => `${name}: ${alias} is listed and need not be`),
      ...(params.length > 1 ? [`${name}: tied to several tenants: ${params.join(", ")}`] : []),
    ];
  });
  assert.deepEqual(wrong, []);
});

test("statements that range over all tenants are marked where they are written, and every listed one exists", () => {
  const said = allStatements().filter(({ text }) => text.includes("-- every tenant"));
  // The first two concern settings and statistics, which are no table's rows. `tenants.insert` makes the tenant's row.
  const listed = [...Object.keys(FREE), "db.plan_by_values", "db.refresh_statistics"];
  assert.deepEqual(
    said.map(({ name }) => name).toSorted(),
    listed.filter((name) => name !== "tenants.insert").toSorted(),
  );
  assert.ok(statements().some(({ name }) => name === "tenants.insert"));
});

test("a statement without any one of its conditions on the tenant is detected", () => {
  const condition = /(?:\b\w+\.)?\btenant = (?:\$\d+|\w+\.tenant)/g;
  const missed: string[] = [];
  let planted = 0;
  for (const { name, text } of statements().filter((statement) => !(statement.name in FREE))) {
    for (const { 0: found, index } of text.matchAll(condition)) {
      planted += 1;
      const less = `${text.slice(0, index)}true${text.slice(index + found.length)}`;
      if (tiesOf(less, tables).untied.length === 0) missed.push(`${name}: ${found}`);
    }
  }
  assert.deepEqual(missed, []);
  assert.ok(planted > 500, `${planted} conditions`);
});

const A_AND_B = new Set(["a", "b", "c"]);

for (const [text, untied] of [
  ["select * from a where tenant = $1", []],
  ["select * from a where $1 = a.tenant::integer", []],
  ["select * from banks", []],
  ["select * from a", ["a"]],
  ["select * from a where id = $1", ["a"]],
  ["select * from a where tenant <> $1", ["a"]],
  ["select * from a where tenant = 7", ["a"]],
  ["select * from a where tenant = any ($1)", ["a"]],
  ["select * from a where tenant = $1 or id = $2", ["a"]],
  ["select * from a where not (tenant = $1)", ["a"]],
  ["select * from a where ($1 is null or tenant = $1)", ["a"]],
  ["select * from a where case when $2 then tenant = $1 else true end", ["a"]],
  ["select a.id from a join b on b.id = a.b_id where a.tenant = $1", ["b"]],
  ["select a.id from a, b where b.id = a.b_id and a.tenant = $1", ["b"]],
  ["select a.id from a join b on b.tenant = a.tenant and b.id = a.b_id where a.tenant = $1", []],
  ["select a.id from a join b on b.tenant = a.tenant and b.id = a.b_id", ["a", "b"]],
  ["select a.id from a join b on b.tenant = b.tenant where a.tenant = $1", ["b"]],
  ["select a.id from a join b using (tenant, id) where tenant = $1", []],
  ["select a.id from a join b using (id) where a.tenant = $1", ["b"]],
  ["select a.id from a left join b on b.tenant = a.tenant where a.tenant = $1", []],
  ["select a.id from a left join b on b.tenant = a.tenant and a.tenant = $1", ["a", "b"]],
  ["select a.id from a right join b on a.tenant = b.tenant where a.tenant = $1", ["b"]],
  ["select a.id from a full join b on a.tenant = b.tenant where a.tenant = $1", ["b"]],
  ["select a.id from a left join b on false where a.tenant = $1", []],
  [
    "select a.id from a left join (b join c on c.tenant = b.tenant) on b.tenant = a.tenant where a.tenant = $1",
    [],
  ],
  [
    "select a.id from a left join (b join c on c.id = b.id) on b.tenant = a.tenant where a.tenant = $1",
    ["c"],
  ],
  ["select * from a where (tenant, id) = ($1, $2)", []],
  ["select * from a where (id, tenant) = ($1, $2)", []],
  ["select * from a where (tenant, id) in (select tenant, a_id from b where tenant = $1)", []],
  ["select * from a where (tenant, id) in (select tenant, a_id from b)", ["a", "b"]],
  ["select * from a where id in (select a_id from b where tenant = $1)", ["a"]],
  ["select * from a where tenant = $1 and id in (select a_id from b)", ["b"]],
  ["select * from a where (tenant, id) not in (select tenant, a_id from b where tenant = $1)", ["a"]],
  ["select * from a where tenant = $1 and exists (select from b where b.id = a.id)", ["b"]],
  ["select * from a where tenant = $1 and not exists (select from b where b.tenant = a.tenant)", []],
  ["select * from a where exists (select from b where b.tenant = $1 and a.tenant = $1)", ["a"]],
  ["select (select count(*) from b where b.tenant = a.tenant) from a where tenant = $1", []],
  ["select (select count(*) from b where b.id = a.id) from a where tenant = $1", ["b"]],
  ["select id from a where tenant = $1 order by (select max(id) from b)", ["b"]],
  ["select id from a where tenant = $1 union all select id from b", ["b"]],
  ["select id from a where tenant = $1 union all select id from b where tenant = $1", []],
  ["select b.id from (select tenant, id from a where tenant = $1) x join b on b.tenant = x.tenant", []],
  ["select b.id from (select id from a where tenant = $1) x join b on b.id = x.id", ["b"]],
  ["select b.id from (select tenant, id from a) x join b on b.tenant = x.tenant where x.tenant = $1", ["a"]],
  [
    "select n.id from a cross join lateral (select id from b where b.tenant = a.tenant) n where a.tenant = $1",
    [],
  ],
  [
    "select n.id from a cross join lateral (select id from b where b.id = a.id) n where a.tenant = $1",
    ["b", "n"],
  ],
  ["with x as (select * from a where tenant = $1) select * from x join b on b.tenant = x.tenant", []],
  ["with x as (select * from a where tenant = $1) select * from x join b on b.id = x.id", ["b"]],
  ["with x as (select * from a) select * from x where tenant = $1", ["a"]],
  ["with x (t) as (select tenant from a where tenant = $1) select * from x join b on b.tenant = x.t", []],
  ["with a as (select 1 as id) select * from a", []],
  [
    "with x as (update a set n = 1 where tenant = $1 returning *) insert into b (tenant, id) select tenant, id from x",
    [],
  ],
  [
    "with x as (update a set n = 1 where id = $1 returning *) insert into b (tenant, id) select tenant, id from x",
    ["a", "x", "b"],
  ],
  [
    "with x as (delete from a where tenant = $1 returning id) update b set n = 1 from x where b.id = x.id",
    ["b"],
  ],
  ["insert into a (tenant, id) values ($1, $2)", []],
  ["insert into a (id) values ($2)", ["a"]],
  ["insert into a (tenant, id) values ($1, $2), (7, $3)", ["a"]],
  ["insert into a (id, tenant) select id, tenant from b where tenant = $1", []],
  ["insert into a (id, tenant) select tenant, id from b where tenant = $1", ["a"]],
  ["insert into a (tenant, id) select $1, id from b", ["b"]],
  [
    "insert into a (tenant, id) select g.tenant, g.id from jsonb_to_recordset($1) as g (tenant integer, id uuid)",
    ["a"],
  ],
  ["insert into a (tenant, id) values ($1, $2) on conflict (tenant, id) do update set n = 1", []],
  [
    "insert into a (tenant, id) values ($1, $2) on conflict (tenant, id) do update set n = (select max(n) from b)",
    ["b"],
  ],
  ["update a set n = 1 where tenant = $1 and id = $2", []],
  ["update a set n = 1 where id = $1", ["a"]],
  ["update a set n = 1 from b where a.tenant = $1 and b.id = a.id", ["b"]],
  ["update a set n = (select max(id) from b) where tenant = $1", ["b"]],
  ["delete from a using b where a.tenant = $1 and b.tenant = a.tenant", []],
  ["delete from a using b where b.tenant = $1 and b.id = a.id", ["a"]],
] as const) {
  test(`${untied.length === 0 ? "tied" : `not tied: ${untied.join(", ")}`}: ${text}`, () => {
    assert.deepEqual(tiesOf(text, A_AND_B).untied, untied);
  });
}

test("a table that may range over all tenants ties others, and a second such table that is joined with it is detected", () => {
  const free = (text: string) =>
    tiesOf(
      text,
      A_AND_B,
      ["a", "b"].filter((name) => text.includes(`free ${name}`)),
    );
  const rows: readonly (readonly [text: string, untied: readonly string[], needless: readonly string[]])[] = [
    ["select /* free a */ * from a join b on b.tenant = a.tenant", [], []],
    ["select /* free a */ * from a join b on b.id = a.id", ["b"], []],
    ["select /* free a free b */ * from a join b on b.tenant = a.tenant", [], ["b"]],
    ["select /* free a */ * from (select tenant, id from a) x join b on b.tenant = x.tenant", [], []],
    ["select /* free a */ * from (select id from a) x join b on b.tenant = $1 and b.id = x.id", [], []],
    [
      "with x as (select * from a), y as (select * from b) select /* free a free b */ * from x join y using (tenant)",
      [],
      [],
    ],
    [
      "with x as (select * from a), y as (select * from b) select /* free a free b */ * from x join y using (id)",
      ["y"],
      [],
    ],
  ];
  for (const [text, untied, needless] of rows) {
    const found = free(text);
    assert.deepEqual([found.untied, found.needless], [untied, needless], text);
  }
});

test("two tenants in one statement are found, and unsupported syntax is an error", () => {
  for (const text of [
    "select * from a join b on b.tenant = $2 where a.tenant = $1",
    "select * from (select $2 as tenant, id from a where tenant = $1) x join b on b.tenant = x.tenant",
    "select * from (values ($2)) v (tenant) join b on b.tenant = v.tenant join a on a.tenant = $1",
  ]) {
    assert.deepEqual(tiesOf(text, A_AND_B), { untied: [], needless: [], params: ["$1", "$2"] }, text);
  }
  for (const text of [
    "select from",
    "select 1; select 2",
    "select * from a natural join b where a.tenant = $1",
    "with recursive x as (select 1 union all select 1 from x) select * from x",
    "insert into a (tenant, id) values ($1, $2) on conflict (id) do update set n = 1",
    "merge into a using b on a.tenant = b.tenant when matched then delete",
    "truncate a",
  ]) {
    assert.throws(() => tiesOf(text, A_AND_B), text);
  }
});
