/**
 * No migration locks a table for long or breaks the last release while the service runs, unless its file gives a
 * reason.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { BASELINE, knownMigrations, parseMigration } from "../src/db/migrations.ts";
import { brokenRules, rulesBroken, type Rule } from "./support/migration-rules.ts";

test("each migration after the baseline follows the rules of docs/upgrades.md, or gives a reason", async () => {
  const later = (await knownMigrations()).filter(({ number }) => number > BASELINE);
  assert.deepEqual(later.flatMap(brokenRules), []);
});

const CASES: readonly (readonly [text: string, ...rules: Rule[]])[] = [
  ["alter table sessions add column note text"],
  ["alter table sessions add column n integer not null default 3"],
  ["alter table sessions add column at timestamptz not null default now()"],
  ["alter table sessions add column n integer not null", "not-null"],
  ["alter table sessions add column id2 uuid default gen_random_uuid()", "lock-to-rewrite"],
  ["alter table tenants add column id2 uuid default gen_random_uuid()"],
  ["alter table sessions add column n bigint generated always as identity", "lock-to-rewrite"],
  ["alter table sessions add column n text generated always as (lower(status)) stored", "lock-to-rewrite"],
  ["alter table sessions add column n text unique", "lock-to-index"],
  ["alter table sessions add column n text check (n <> '')", "lock-to-scan"],
  ["alter table sessions drop column amount", "drop-or-rename"],
  ["alter table sessions rename column amount to sum", "drop-or-rename"],
  ["alter table sessions rename to visits", "drop-or-rename"],
  ["drop table sessions", "drop-or-rename"],
  ["drop view v", "drop-or-rename"],
  ["drop index sessions_pkey", "drop-or-rename"],
  ["alter table sessions alter column amount type text", "change-type"],
  ["alter table tenants alter column name type varchar(3)", "change-type"],
  ["alter table sessions alter column note set not null", "not-null", "lock-to-scan"],
  ["alter table tenants alter column city set not null", "not-null"],
  ["alter table sessions alter column note drop not null"],
  ["alter table sessions alter column note drop default", "not-null"],
  ["alter table sessions alter column note set default 'x'"],
  ["alter table sessions add constraint positive check (amount > 0)", "new-rule", "lock-to-scan"],
  ["alter table sessions add constraint positive check (amount > 0) not valid", "new-rule"],
  ["alter table sessions add column n int, add constraint n_positive check (n > 0) not valid"],
  ["alter table sessions add column n int, add constraint n_positive check (n > 0)", "lock-to-scan"],
  ["alter table tenants add column n int, add constraint n_positive check (n > 0)"],
  ["alter table sessions drop constraint c, add constraint c check (status in ('A', 'B')) not valid"],
  ["alter table sessions drop constraint c, add constraint c check (status in ('A', 'B'))", "lock-to-scan"],
  [
    "alter table sessions add constraint x_exists foreign key (tenant, x) references leads (tenant, id) not valid",
    "new-rule",
  ],
  ["alter table sessions add constraint sessions_u unique (tenant, amount)", "new-rule", "lock-to-index"],
  ["alter table sessions add constraint sessions_u unique using index sessions_u", "new-rule"],
  ["alter table sessions validate constraint positive"],
  ["create index sessions_x on sessions (tenant)", "lock-to-index"],
  ["create index tenants_x on tenants (tenant)"],
  ["create index concurrently if not exists sessions_x on sessions (tenant)"],
  ["create unique index concurrently if not exists sessions_x on sessions (tenant)", "new-rule"],
  [
    "create table notes (tenant int, id uuid); create unique index notes_x on notes (id); insert into notes select 1",
  ],
  [
    "create table notes (id int); alter table notes add constraint c check (id > 0), alter column id set not null",
  ],
  ["update sessions set amount = 1", "lock-to-write"],
  ["delete from events", "lock-to-write"],
  ["insert into events select * from events", "lock-to-write"],
  ["insert into events (tenant) values (1)"],
  ["update tenants set city = null"],
  ["comment on table sessions is 'x'"],
  ["create trigger t before insert on sessions for each row execute function f()", "new-rule"],
  ["lock table sessions", "unknown"],
  ["truncate sessions", "unknown"],
  ["do $$ begin end $$", "unknown"],
  ["alter table sessions disable trigger all", "unknown"],
];

for (const [text, ...rules] of CASES) {
  test(`${text}: ${rules.length === 0 ? "fine" : rules.join(", ")}`, () => {
    assert.deepEqual(
      rulesBroken(text).map(({ rule }) => rule),
      rules,
    );
  });
}

test("rows may be changed in batches; a reason allows the rule that it names, and no other", () => {
  assert.deepEqual(rulesBroken("update sessions set amount = 1", "in batches"), []);
  const broken = (head: string) =>
    brokenRules(
      parseMigration(
        "0099_x.sql",
        `-- compatible with: 0050\n${head}alter table sessions drop column amount, add column n int not null;`,
      ),
    ).map((line) => line.split(": ")[2]);
  assert.deepEqual(broken(""), ["drop-or-rename", "not-null"]);
  assert.deepEqual(broken("-- allowed: drop-or-rename: no code since 0050 reads it\n"), ["not-null"]);
  assert.deepEqual(broken("-- allowed: drop-or-rename: x\n"), ["drop-or-rename", "not-null"]);
});
