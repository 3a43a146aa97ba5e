/** A key joins each table of a statement to the rest of it, so that no other row of the tenant can take its place. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
// Importing the whole service registers all its statements.
import "../src/app.ts";
import "../src/books/check.ts";
import "../src/gateways/sepa-batch/commands.ts";
import { allStatements } from "../src/db/database.ts";
import { looseIn, tablesOf, type Table } from "./support/joins.ts";

const ONE_ROW = "a branch that has one row, or none";
const ANY = "it asks or counts what there is of the tenant, by other values than a key";
const LIST = "a list within a list";
const FIGURES = "figures of the whole service, for whoever runs it";
const BY_NAME = "looked up by what may be one of several names";
const BOOKS = "the books are checked as a whole";

/** Statements with tables that no key joins, with the reason. */
const FREE: Readonly<Record<string, readonly [why: string, ...tables: string[]]>> = {
  "api_keys.find_holder": [BY_NAME, "k"],
  "audit_chain.unchained": [ANY, "p"],
  "billing.follow": [ONE_ROW, "c", "p", "p"],
  "billing.record_outcome": [ONE_ROW, "p", "p"],
  "books.chargeback_events": [BOOKS, "c"],
  "books.next_dates": [BOOKS, "u"],
  "books.orders": [BOOKS, "o", "s"],
  "books.refund_facts": [BOOKS, "a"],
  "books.revenue": [BOOKS, "u"],
  "books.sandbox": [BOOKS, "b"],
  "books.sandbox_refunds": [BOOKS, "b"],
  "books.sessions": [BOOKS, "s", "o"],
  "books.skipped": [BOOKS, "o", "u"],
  "books.status_events": [BOOKS, "t"],
  "books.tries": [BOOKS, "l", "a"],
  "books.waiting_cycles": [BOOKS, "later"],
  "erase.held": [ANY, "c", "n"],
  "idempotency.begin": [ANY, "idempotency_keys", "idempotency_keys"],
  "imports.insert_transactions": [ANY, "t"],
  "mandates.debited_live": [ANY, "g"],
  "places.waiting": [FIGURES, "t", "c", "f", "u", "s", "d"],
  "reconciliation.rare_subscriptions_newer": [LIST, "u"],
  "reconciliation.rare_subscriptions_older": [LIST, "u"],
  "reconciliation.rare_transactions_newer": [LIST, "t"],
  "reconciliation.rare_transactions_older": [LIST, "t"],
  "refunds.claim": [ONE_ROW, "p"],
  "refunds.record_outcome": [ONE_ROW, "r"],
  "reports.count_attention": [ANY, "u", "a", "l"],
  "reports.figures": [LIST, "p"],
  "reports.journal": [ANY, "a"],
  "reports.lock_figure_day": [ANY, "p"],
  "reports.record_figure_days": [LIST, "f", "p", "p"],
  "reports.return_rules": [BY_NAME, "o"],
  "reports.timeline": [BY_NAME, "w", "e"],
  "sandbox.open_refund": [ONE_ROW, "a", "c"],
  "sepa.open_refund": [`${ONE_ROW}; of its refunds there are many`, "r", "a", "c"],
  "sepa_bookings.count_others": [BY_NAME, "p"],
  "sepa_bookings.ours": [BY_NAME, "c", "w", "c", "m", "a", "b"],
  "sepa_files.amend_outdated_mandates": [ONE_ROW, "c"],
  "sepa_files.assumable": [BY_NAME, "u"],
  "sepa_files.count_waiting": [
    FIGURES,
    "sepa_files",
    "sepa_files",
    "f",
    "l",
    "ebics_users",
    "sepa_files",
    "sepa_files",
    "sepa_unmatched",
    "sepa_collections",
    "sepa_statements",
  ],
  "sepa_files.list_newer": [ANY, "u", "a"],
  "sepa_files.list_older": [ANY, "u", "a"],
  "sepa_files.unsent_state": [ANY, "u", "a", "u"],
  "sepa_files.mark_sent": [ANY, "u", "a"],
  "sepa_files.waiting": [BY_NAME, "u"],
  "sepa_statements.chain": [ANY, "sepa_statements"],
  "sepa_withdrawn.find_sent_again": [ANY, "a"],
  "sepa_withdrawn.find_block_sent_again": [ANY, "a"],
  "webhooks.claim_deliveries": [ONE_ROW, "seen", "next", "held"],
};

const tables = withoutConstraint(
  tablesOf(await readFile(new URL("../src/db/schema.sql", import.meta.url), "utf8")),
);

/** Adds keys that have no constraint, and an empty key for the table that is read completely for every event. */
function withoutConstraint(printed: ReadonlyMap<string, Table>): ReadonlyMap<string, Table> {
  const more = { mandates: ["iban_fingerprint"], sepa_collections: ["mandate_id"] };
  const whole: Table = { columns: printed.get("webhook_profiles")?.columns ?? new Set(), keys: [[]] };
  const all = Object.entries(more).map(([name, key]): [string, Table] => {
    const { columns, keys } = printed.get(name) ?? { columns: new Set<string>(), keys: [] };
    return [name, { columns, keys: [...keys, key] }];
  });
  return new Map([...printed, ...all, ["webhook_profiles", whole]]);
}

test("each table of every statement is joined by a key, or is listed with the reason why it is not", () => {
  const wrong = allStatements().flatMap(({ name, text }) => {
    const [, ...free] = FREE[name] ?? [""];
    const loose = looseIn(text, tables);
    return loose.join() === free.join() ? [] : [`${name}: [${loose.join(", ")}]`];
  });
  assert.deepEqual(wrong, []);
  const names = new Set(allStatements().map(({ name }) => name));
  assert.deepEqual(
    Object.keys(FREE).filter((name) => !names.has(name)),
    [],
  );
});

const A_AND_B = tablesOf(`create table a (
  tenant  integer  not null,
  id      uuid     not null,
  b_id    uuid,
  g_id    uuid,
  name    text,
  constraint a_pkey primary key (tenant, id),
  constraint b_of_same_tenant foreign key (tenant, b_id) references b(tenant, id),
  constraint gateway_of_same_tenant foreign key (tenant, g_id) references gateways(tenant, id)
);
create table b (
  tenant  integer  not null,
  id      uuid     not null,
  part    integer  not null,
  word    text,
  constraint b_pkey primary key (tenant, id, part)
);
create unique index b_one_per_word on b (tenant, word);
create table tenants (
  tenant  integer  not null,
  constraint tenants_pkey primary key (tenant)
);`);

for (const [text, loose] of [
  ["select * from a", []],
  ["select * from a where name = $1", []],
  ["select * from a join tenants n on n.tenant = $1", []],
  ["select * from a join b on b.id = a.b_id where a.id = $1", ["b"]],
  ["select * from a join b on b.id = a.b_id and b.part = $1 where a.id = $2", []],
  ["select * from a join b on b.word = a.name", []],
  ["select * from a join b on true", ["b"]],
  ["select * from a join b on (b.word = a.name or true)", ["b"]],
  ["select * from a join b on b.word is not distinct from a.name where a.id = $1", []],
  ["select * from a left join b on b.word = a.name and b.word = b.word", []],
  ["select * from a left join b on b.word = b.word", ["b"]],
  ["select * from a, b where b.word = $1 and a.b_id = b.id", []],
  ["select * from a, b where b.word = $1 and a.g_id = $2", ["a"]],
  ["select * from a, b where b.word = any ($1) and (a.id, a.name) = ($2, $3)", []],
  ["select * from a where exists (select from b where b.word = a.name)", []],
  ["select * from a where exists (select from b where word = $1)", []],
  ["select * from a where exists (select from b where b.part = 1)", ["b"]],
  ["select (select word from b where b.part = 1) from a", ["b"]],
  ["select * from a where b_id in (select id from b)", []],
  ["select * from a cross join lateral (select word from b where b.part = 1) x", ["b"]],
  ["select * from a cross join lateral (select word from b where b.word = a.name) x", []],
  ["with t as (select * from a) select * from t join b on b.word = t.name", []],
  ["with t as (select * from a) select * from t join b on b.part = 1", ["t"]],
  ["with t as (select * from a), u as (select * from b) select * from t join u on true", ["t", "u"]],
  ["with t as (select * from a), u as (select * from b) select * from t join u on u.word = t.name", []],
  ["update a set name = b.word from b where b.word = $1 and a.b_id = b.id", []],
  ["update a set name = b.word from b where b.word = $1", ["a"]],
  ["delete from a using b where a.b_id = b.id and b.word = $1", []],
] as const) {
  test(`${loose.length === 0 ? "joined" : `not joined: ${loose.join(", ")}`}: ${text}`, () => {
    assert.deepEqual(looseIn(text, A_AND_B), loose);
  });
}
