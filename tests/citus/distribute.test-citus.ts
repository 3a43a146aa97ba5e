/** `database distribute` on a Citus cluster: what it refuses, what it does, killed in between, and migrations after it. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { after, test } from "node:test";
import pg from "pg";
import { createDatabase, dropDatabase, joinNodes, named } from "../../scripts/cluster.ts";
import { CannotDistribute, distribute } from "../../src/db/distribute.ts";
import { migrate } from "../../src/db/migrate.ts";
import { statementsOf } from "../../src/db/migrations.ts";
import { placeNewTables, prepareForPlacing } from "../../src/db/place.ts";
import { PLACEMENTS } from "../../src/db/placement.ts";
import { embeddedRoleUrl } from "../../src/db/service-role.ts";
import { testNodes } from "../support/database.ts";

const nodes = testNodes();
const names: string[] = [];
after(async () => {
  for (const name of names) await dropDatabase(nodes, name);
});

const SILENT = { shards: 4, say: () => {} };

async function database(joined: boolean): Promise<string> {
  const name = `${process.env["TEST_TEMPLATE"]}_${randomBytes(4).toString("hex")}`;
  names.push(name);
  await createDatabase(nodes, name);
  if (joined) await joinNodes(nodes, name);
  return named(nodes[0] ?? "", name);
}

async function asked<Row extends object>(url: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client
    .query<Row>(text, values)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}

/** The catalogue's data of the schema: foreign keys, triggers and the placement of each table. */
async function shape(url: string) {
  const ties = await asked(
    url,
    "select conrelid::regclass::text || '.' || conname as name, pg_get_constraintdef(oid) as is from pg_constraint where contype = 'f' order by 1",
  );
  const triggers = await asked(
    url,
    "select tgrelid::regclass::text as on, tgname from pg_trigger where not tgisinternal and tgname not like 'truncate_trigger%' order by 1, 2",
  );
  return { ties, triggers };
}

const distributed = (url: string) =>
  asked<{ name: string }>(url, "select logicalrelid::text as name from pg_dist_partition order by 1").then(
    (rows) => rows.map(({ name }) => name),
  );

async function someTenant(url: string): Promise<number> {
  const [row] = await asked<{ tenant: number }>(
    url,
    "insert into tenants (id, name, session_lifetime_seconds, created_at, updated_at) values ($1, 'x', 3600, now(), now()) returning tenant",
    [randomUUID()],
  );
  const tenant = row?.tenant ?? 0;
  await asked(
    url,
    "insert into audit_log (tenant, id, at, actor, actor_name, action, resource) values ($1, $2, now(), 'operator', 'x', 'x', 'x')",
    [tenant, randomUUID()],
  );
  return tenant;
}

test("a database without the extension, and a worker, are refused with what to do", async () => {
  const url = await database(false);
  await migrate(url);
  await assert.rejects(
    distribute(url, SILENT),
    (error: Error) => error instanceof CannotDistribute && /create extension citus/.test(error.message),
  );
  await asked(url, "create extension citus");
  await assert.rejects(distribute(url, SILENT), /citus_set_coordinator_host/);
  await asked(url, "select citus_set_coordinator_host($1, $2)", [
    new URL(url).hostname,
    Number(new URL(url).port),
  ]);
  await assert.rejects(distribute(url, SILENT), /citus_add_node/);
  assert.deepEqual(
    (await distributed(url)).filter((name) => name in PLACEMENTS),
    [],
  );
  const joined = await database(true);
  const worker = new URL(nodes[1] ?? "");
  worker.pathname = new URL(joined).pathname;
  await assert.rejects(distribute(worker.href, SILENT), /names a worker/);
});

test("a service that is connected is named, and nothing is changed", async () => {
  const url = await database(true);
  await migrate(url);
  const service = new pg.Client({ connectionString: url, application_name: "payment-session-service" });
  await service.connect();
  await assert.rejects(distribute(url, SILENT), /1 connections to the database. Stop every instance first/);
  await service.end();
  assert.deepEqual(await distributed(url), []);
});

test("killed at any time it leaves the database as it was; run again it keeps rows, ties and triggers; a third run changes nothing", async () => {
  const url = await database(true);
  const serviceUrl = embeddedRoleUrl(url);
  await migrate(url, serviceUrl);
  const tenant = await someTenant(url);
  const before = await shape(url);

  const child = spawn(process.execPath, ["src/cli.ts", "database", "distribute", "--shards", "4"], {
    env: { ...process.env, DATABASE_URL: serviceUrl, DATABASE_OWNER_URL: url },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  for await (const chunk of child.stderr) {
    said += String(chunk);
    if (said.includes("mandates: by tenant")) child.kill("SIGKILL");
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  assert.equal(child.signalCode, "SIGKILL", said);
  // The server notices when it wants to answer, and rolls back.
  for (let open = 1; open > 0;) {
    const [row] = await asked<{ open: number }>(
      url,
      "select count(*)::integer as open from pg_locks where locktype = 'advisory' and pid <> pg_backend_pid() and database = (select oid from pg_database where datname = current_database()) and granted",
    );
    open = row?.open ?? 0;
  }
  assert.deepEqual(await distributed(url), []);
  assert.deepEqual(await shape(url), before);

  const done = await distribute(url, SILENT);
  assert.deepEqual(
    [done.placed.length, done.left],
    [Object.keys(PLACEMENTS).length - 2, ["database_places", "schema_migrations"]],
  );
  assert.deepEqual(await shape(url), before);
  assert.deepEqual(await asked(url, "select name from tenants where tenant = $1", [tenant]), [{ name: "x" }]);
  assert.deepEqual(await asked(url, "select action from audit_log where tenant = $1", [tenant]), [
    { action: "x" },
  ]);
  const [own] = await asked<{ size: number }>(url, "select pg_relation_size('audit_log')::integer as size");
  assert.equal(own?.size, 0, "the coordinator keeps no copy of its own");

  const again = await distribute(url, { shards: null, say: () => {} });
  assert.deepEqual(again.placed, []);
  assert.deepEqual(await shape(url), before);
  await assert.rejects(distribute(url, SILENT), /number of shards was chosen/);

  for (const [role, statement] of [
    [url, "update audit_log set action = 'y'"],
    [url, "delete from audit_log"],
    [url, "delete from session_moves"],
    [url, "delete from audit_chain"],
    [url, "truncate audit_log, audit_chain"],
    [serviceUrl, "update audit_log set action = 'y'"],
    [serviceUrl, "delete from transactions"],
  ] as const) {
    await assert.rejects(
      asked(role, statement),
      (error: pg.DatabaseError) => error.code === "42501",
      statement,
    );
  }
  for (const table of Object.keys(PLACEMENTS)) await asked(serviceUrl, `select from ${table}`);
  await asked(serviceUrl, "update tenants set name = 'z' where tenant = $1", [tenant]);
  await asked(serviceUrl, "delete from idempotency_keys where tenant = $1", [tenant]);
});

test("an entry of the audit log is noted for the chain on its worker, once, and only an erasure changes it", async () => {
  const url = await database(true);
  const serviceUrl = embeddedRoleUrl(url);
  await migrate(url, serviceUrl);
  const first = await someTenant(url);
  await distribute(url, SILENT);
  const tenants = [first, await someTenant(url), await someTenant(url), await someTenant(url)];
  const noted = await asked<{ tenant: number }>(
    url,
    "select p.tenant from audit_pending p join audit_log l on l.tenant = p.tenant and l.id = p.entry_id order by 1",
  );
  assert.deepEqual(
    noted.map(({ tenant }) => tenant),
    tenants,
  );
  for (const tenant of tenants) {
    const [entry] = await asked<{ id: string }>(serviceUrl, "select id from audit_log where tenant = $1", [
      tenant,
    ]);
    const [done] = await asked<{ erased: number }>(
      serviceUrl,
      "select erase_audit_entry($1, $2, null, $3) as erased",
      [tenant, entry?.id, { name: "gone" }],
    );
    assert.equal(done?.erased, 1);
    assert.deepEqual(await asked(url, "select after from audit_log where tenant = $1", [tenant]), [
      { after: { name: "gone" } },
    ]);
  }
});

test("later migrations work: a column, an index, and a new table with its foreign keys, placed in the same transaction", async () => {
  const url = await database(true);
  await migrate(url);
  await distribute(url, SILENT);
  const tenant = await someTenant(url);
  const placed = PLACEMENTS as Record<string, string>;
  placed["notes"] = "by tenant";
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("begin");
    await prepareForPlacing(client);
    const text = `
      alter table leads add column nickname text;
      create index leads_by_nickname on leads (tenant, nickname);
      create table notes (
        tenant integer not null, id uuid not null, lead_id uuid, words text not null,
        constraint notes_pkey primary key (tenant, id),
        constraint tenant_exists foreign key (tenant) references tenants,
        constraint lead_of_same_tenant foreign key (tenant, lead_id) references leads
      );
      create index notes_of_lead on notes (tenant, lead_id) where words <> ';'`;
    for (const statement of statementsOf(text)) await client.query(statement);
    await placeNewTables(client);
    await client.query("commit");
  } finally {
    delete placed["notes"];
    await client.end();
  }
  assert.ok((await distributed(url)).includes("notes"));
  await asked(url, "insert into notes (tenant, id, words) values ($1, $2, 'x')", [tenant, randomUUID()]);
  await assert.rejects(
    asked(url, "insert into notes (tenant, id, lead_id, words) values ($1, $2, $2, 'x')", [
      tenant,
      randomUUID(),
    ]),
    /lead_of_same_tenant_\d+/,
  );
  assert.deepEqual(await asked(url, "select nickname from leads where tenant = $1", [tenant]), []);
});
