/** The service's role: its rights, and what not even the tables' owner can do by accident. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import pg from "pg";
import { testDatabase, type TestDatabase } from "../../tests/support/database.ts";
import { isSuperuser } from "./service-role.ts";

let database: TestDatabase;
let service: pg.Client;
let owner: pg.Client;

before(async () => {
  database = await testDatabase();
  service = new pg.Client({ connectionString: database.url });
  owner = new pg.Client({ connectionString: database.ownerUrl });
  await Promise.all([service.connect(), owner.connect()]);
});
after(async () => {
  await Promise.all([service.end(), owner.end()]);
  await database.close();
});

for (const [what, statement] of [
  ["change the audit log", "update audit_log set actor = 'x'"],
  ["delete from the audit log", "delete from audit_log"],
  ["empty the audit log", "truncate audit_log"],
  ["change a session's history", "update session_moves set to_status = 'COMPLETED'"],
  ["change the chain of the audit log", "update audit_chain set salt = null"],
  ["delete from the chain of the audit log", "delete from audit_chain"],
  ["change who approved a bank file", "update sepa_file_approvals set approver = 'person:x'"],
  ["take an approval of a bank file back", "delete from sepa_file_approvals"],
  ["change a bank's protocol", "update ebics_events set action = 'x'"],
  ["change what an event says", "update events set payload = '{}'"],
  ["delete an event", "delete from events"],
  ["delete from a session's history", "delete from session_moves"],
  ["delete a payment", "delete from transactions"],
  ["make a table", "create table mine ()"],
  ["take a trigger off", "alter table audit_log disable trigger all"],
  ["record a migration", "insert into schema_migrations (number, name) values (9999, 'x')"],
  ["run a program on the server", "copy (select 1) to program 'true'"],
  ["read a file of the server", "select pg_read_file('postgresql.conf')"],
  ["become the owner", "set role postgres"],
] as const) {
  test(`the service's role cannot ${what}`, async () => {
    await assert.rejects(service.query(statement), (error: pg.DatabaseError) => error.code === "42501");
  });
}

test("the service's role has no right to change history, even where a trigger would allow it", async () => {
  const { rows } = await service.query(
    `select c.relname as table from pg_class c join pg_trigger t on t.tgrelid = c.oid
      where t.tgfoid in ('refuse_change'::regproc, 'refuse_change_but_erasure'::regproc) and has_table_privilege(c.oid, 'update, delete, truncate')`,
  );
  assert.deepEqual(rows, []);
});

test("the owner's statements do not change history either", async () => {
  for (const table of ["audit_chain", "audit_log", "session_moves"]) {
    for (const statement of [
      `update ${table} set tenant = tenant`,
      `delete from ${table}`,
      `truncate ${table} cascade`,
    ]) {
      await assert.rejects(owner.query(statement), /is history|are history/);
    }
  }
});

test("the service's role is not a superuser, and a superuser is recognised", async () => {
  assert.equal(await isSuperuser(database.url), false);
  assert.equal(await isSuperuser(database.ownerUrl), true);
});
