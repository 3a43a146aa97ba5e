/**
 * The chain of the audit log: any change of a line outside the service is detected, and `audit verify` names the
 * line.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import pg from "pg";
import { registerKeys } from "../src/keys/register.ts";
import { chainAuditLogJob, chainEntries, verifyChain, type Head } from "../src/management/audit/chain.ts";
import { COMMAND_LINE } from "../src/management/audit/audit.ts";
import { auditVerified, headsIn } from "../src/management/audit/verify.ts";
import { createKeyring, defaultKeys } from "../src/lib/keyring.ts";
import { invite } from "../src/people/manage.ts";
import { childEnv } from "./support/child-env.ts";
import { createRecord, createTenantKey } from "./support/merchant.ts";
import { startService, type Json, type Service } from "./support/service.ts";

const [KEY, NEXT] = [Buffer.alloc(32, 5), Buffer.alloc(32, 6)];

let service: Service;
let owner: pg.Client;
let folder: string;

before(async () => {
  service = await startService({ config: { masterKeys: [KEY] } });
  owner = new pg.Client({ connectionString: service.ownerUrl });
  await owner.connect();
  folder = await mkdtemp(join(tmpdir(), "audit-chain-"));
});
after(async () => {
  await owner.end();
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

/** A tenant whose log has its creation and this many records, all chained. */
async function logged(count: number): Promise<{ readonly tenant: number; readonly key: string }> {
  const key = await createTenantKey(service);
  for (let n = 1; n < count; n += 1) await createRecord(service, key, "hosted-pages", { name: `Page ${n}` });
  const [row] = await service.rows("select max(tenant) as tenant from tenants");
  const job = chainAuditLogJob(service.app.deps);
  while ((await job.runOnce(job.batch)) > 0);
  return { tenant: row?.["tenant"], key };
}

async function findings(tenant: number, kept: readonly Head[] = []): Promise<readonly string[]> {
  const { db, keys } = service.app.deps;
  return (await verifyChain(db, keys, tenant, kept)).findings;
}

async function links(tenant: number): Promise<readonly Json[]> {
  return service.rows("select * from audit_chain where tenant = $1 order by number", [tenant]);
}

/** Runs a statement that only a superuser can run: the triggers are disabled. */
async function tamper(text: string, values: readonly unknown[]): Promise<void> {
  await owner.query("set session_replication_role = replica");
  const { rowCount } = await owner
    .query(text, [...values])
    .finally(() => owner.query("set session_replication_role = origin"));
  assert.ok((rowCount ?? 0) > 0, text);
}

test("an untouched log has no findings, counts from 1, and contains every entry once", async () => {
  const { tenant } = await logged(5);
  const rows = await links(tenant);
  const [entries] = await service.rows("select count(*)::int as count from audit_log where tenant = $1", [
    tenant,
  ]);
  assert.deepEqual(
    rows.map((row) => Number(row["number"])),
    rows.map((_, n) => n + 1),
  );
  assert.equal(rows.length, entries?.["count"]);
  assert.deepEqual(await findings(tenant), []);
  const [pending] = await service.rows("select count(*)::int as count from audit_pending");
  assert.equal(pending?.["count"], 0);
});

const LINE = (n: number) => `(select entry_id from audit_chain where tenant = $1 and number = ${n})`;

for (const [what, text, found] of [
  [
    "an actor that was changed",
    `update audit_log set actor = 'operator2' where tenant = $1 and id = ${LINE(2)}`,
    /^line 2, .*was changed/,
  ],
  [
    "a record that was changed",
    `update audit_log set after = '{}' where tenant = $1 and id = ${LINE(2)}`,
    /^line 2, .*before or after was changed/,
  ],
  [
    "a record that appeared",
    `update audit_log set before = '{"a": 1}' where tenant = $1 and id = ${LINE(2)}`,
    /^line 2, .*before or after was changed/,
  ],
  [
    "a time that was moved by a microsecond",
    `update audit_log set at = at + interval '1 microsecond' where tenant = $1 and id = ${LINE(3)}`,
    /^line 3, .*was changed/,
  ],
  [
    "an address that was removed",
    `update audit_log set ip = null where tenant = $1 and id = ${LINE(3)}`,
    /^line 3, .*was changed/,
  ],
  [
    "a line that was removed with its link",
    `with gone as (delete from audit_chain where tenant = $1 and number = 2 returning entry_id) delete from audit_log where tenant = $1 and id in (select entry_id from gone)`,
    /^line 2 is missing/,
  ],
  [
    "an entry that was removed",
    `delete from audit_log where tenant = $1 and id = ${LINE(2)}`,
    /^line 2 is missing/,
  ],
  [
    "a last entry that was removed without its link",
    `delete from audit_log where tenant = $1 and id = (select entry_id from audit_chain where tenant = $1 order by number desc limit 1)`,
    /^line \d is missing/,
  ],
  [
    "two lines that changed places",
    `update audit_chain c set entry_id = o.entry_id, salt = o.salt, details = o.details from audit_chain o where c.tenant = $1 and o.tenant = $1 and c.number in (2, 3) and o.number = 5 - c.number`,
    /^line 2, .*was changed/,
  ],
  [
    "a content that was removed without an erasure",
    `update audit_chain set salt = null where tenant = $1 and number = 3`,
    /^line 3: its content was removed/,
  ],
  [
    "an entry that was put in later",
    `insert into audit_log (tenant, id, at, actor, actor_name, action, resource) values ($1, gen_random_uuid(), now() - interval '1 hour', 'operator', 'x', 'create', 'offers')`,
    /^the entry .* is not in the chain/,
  ],
] as const) {
  test(`${what} is detected`, async () => {
    const { tenant } = await logged(4);
    // The index does not allow one entry under two numbers, not even for a moment.
    if (text.includes("c.number in (2, 3)")) await owner.query("drop index audit_chain_one_per_entry");
    await tamper(text, [tenant]);
    assert.match((await findings(tenant)).join("\n"), found);
  });
}

test("a log that was cut off is detected with the head that was noted before", async () => {
  const { tenant } = await logged(4);
  const { db, keys } = service.app.deps;
  const { head } = await verifyChain(db, keys, tenant);
  assert.ok(head !== null);
  assert.deepEqual(await findings(tenant, [head]), []);
  await tamper(
    "with gone as (delete from audit_chain where tenant = $1 and number = (select max(number) from audit_chain where tenant = $1) returning entry_id) delete from audit_log where tenant = $1 and id in (select entry_id from gone)",
    [tenant],
  );
  assert.deepEqual(await findings(tenant), []);
  assert.match((await findings(tenant, [head])).join(), /line \d+ is not the recorded one/);
});

test("the entries of operators, who belong to no tenant, are verified, and so are those of an unknown tenant", async () => {
  const { deps } = service.app;
  for (const name of ["one", "two"]) {
    const author = { ...COMMAND_LINE, operationId: deps.ids.uuid() };
    await invite(deps, author, { tenant: 0, email: `${name}@example.test`, name, role: "operator" });
  }
  await service.rows(
    "insert into audit_log (tenant, id, at, actor, actor_name, action, resource) values (4711, gen_random_uuid(), now(), 'operator', 'x', 'create', 'offers')",
  );
  await logged(1);
  const verified = () => auditVerified(deps.db, deps.keys, []);
  const { lines } = await verified();
  assert.match(lines.join("\n"), /^head operator 2 [0-9a-f]{64}$/m);
  assert.match(lines.join("\n"), /^head 4711 1 [0-9a-f]{64}$/m);
  await tamper(`delete from audit_log where tenant = $1 and id = ${LINE(1)}`, [0]);
  assert.ok((await verified()).findings.includes("tenant operator: line 1 is missing"));
  await tamper("delete from audit_log where tenant = $1", [0]);
  assert.ok((await verified()).findings.includes("tenant operator: line 1 to 2 are missing"));
});

test("an entry that is not chained yet is no finding, however long it waits", async () => {
  const { tenant, key } = await logged(2);
  await createRecord(service, key, "hosted-pages", { name: "Later" });
  await tamper(
    "update audit_log set at = now() - interval '1 day' where tenant = $1 and id in (select entry_id from audit_pending where tenant = $1)",
    [tenant],
  );
  const { db, keys } = service.app.deps;
  const { findings: found, waiting } = await verifyChain(db, keys, tenant);
  assert.deepEqual([found, waiting], [[], 1]);
  assert.match((await auditVerified(db, keys, [])).lines.join("\n"), /: entries not chained yet: 1$/m);
  await chainEntries(service.app.deps, tenant, 10);
  assert.deepEqual(await findings(tenant), []);
});

test("an erasure is recorded before its entry is chained", async () => {
  const { tenant } = await logged(2);
  const [line] = await links(tenant);
  const entry = line?.["entry_id"];
  await service.rows("select erase_audit_entry($1, $2, null, '{}')", [tenant, entry]);
  assert.match((await findings(tenant)).join("\n"), /^line 1: its content was removed/);
  await service.rows(
    "insert into audit_log (tenant, id, at, actor, actor_name, action, resource, after) values ($1, gen_random_uuid(), now(), 'operator', 'x', 'erase', 'customers', $2)",
    [tenant, { erased_entries: [entry] }],
  );
  assert.deepEqual(await findings(tenant), []);
  await chainEntries(service.app.deps, tenant, 10);
  assert.deepEqual(await findings(tenant), []);
});

test("without the master key the chain cannot be rewritten in the database", async () => {
  const { tenant } = await logged(3);
  const forger = createKeyring(defaultKeys(NEXT));
  await tamper("delete from audit_chain where tenant = $1", [tenant]);
  await service.rows(
    "insert into audit_pending (tenant, entry_id) select tenant, id from audit_log where tenant = $1",
    [tenant],
  );
  const { db, ids } = service.app.deps;
  const keys = {
    ...forger,
    currentKeyId: service.app.deps.keys.currentKeyId,
    mac: (_: number, ...rest: [never, never]) => forger.mac(forger.currentKeyId, ...rest),
  };
  assert.ok((await chainEntries({ db, ids, keys }, tenant, 100)) > 1);
  assert.match((await findings(tenant)).join("\n"), /^line 1, .*was changed/);
});

test("several instances that chain at once make one chain", async () => {
  const { tenant, key } = await logged(2);
  for (let n = 0; n < 12; n += 1) await createRecord(service, key, "hosted-pages", { name: `More ${n}` });
  const done = await Promise.all(Array.from({ length: 6 }, () => chainEntries(service.app.deps, tenant, 5)));
  assert.equal(
    done.reduce((sum, count) => sum + count, 0),
    12,
  );
  assert.deepEqual(await findings(tenant), []);
});

test("a chained entry is not chained again", async () => {
  const { tenant } = await logged(2);
  await service.rows(
    "insert into audit_pending (tenant, entry_id) select tenant, id from audit_log where tenant = $1",
    [tenant],
  );
  assert.equal(await chainEntries(service.app.deps, tenant, 100), 0);
  assert.deepEqual(await findings(tenant), []);
});

test("a chain continues under a new master key, and can still be verified when the old key is gone", async () => {
  const { tenant, key } = await logged(2);
  const { db, ids } = service.app.deps;
  const keys = await registerKeys(db, [NEXT, KEY], new Date());
  await createRecord(service, key, "hosted-pages", { name: "Later" });
  assert.equal(await chainEntries({ db, ids, keys }, tenant, 10), 1);
  assert.deepEqual((await verifyChain(db, keys, tenant)).findings, []);
});

test("a recorded head of a tenant that has no entry any more is a finding", async () => {
  const { db, keys } = service.app.deps;
  const kept = headsIn(`head operator 1 ${"0".repeat(64)}\nhead gone 7 ${"0".repeat(64)}\n`);
  const { findings: found } = await auditVerified(db, keys, kept ?? []);
  assert.deepEqual(
    found
      .filter((finding) => /recorded one|was recorded/.test(finding))
      .map((finding) => finding.split(": ")[0]),
    ["tenant operator", "tenant gone"],
  );
});

for (const [what, output] of [
  ["is empty", ""],
  ["has only findings", "tenant 1: line 2 is missing\nFindings: 1.\n"],
  ["has a damaged head", `head 1 7 ${"0".repeat(64)}\nhead 2 7 0123\n`],
] as const) {
  test(`a file that ${what} has no heads to compare`, () => {
    assert.equal(headsIn(output), null);
  });
}

test("heads are read from a file with the line ends of Windows", () => {
  assert.deepEqual(headsIn(`head one 7 ${"0".repeat(64)}\r\nThe audit log …\r\n`), [
    { name: "one", number: "7", hash: "0".repeat(64) },
  ]);
});

function verify(
  args: readonly string[],
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const env = {
    ...childEnv(),
    DATABASE_URL: service.databaseUrl,
    DATABASE_OWNER_URL: service.ownerUrl,
    MASTER_KEYS: [KEY, NEXT].map((one) => one.toString("base64")).join(),
  };
  return new Promise((resolve) => {
    const file = join(import.meta.dirname, "../src/cli.ts");
    execFile(process.execPath, [file, "audit", "verify", ...args], { env }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    );
  });
}

test("audit verify exits with 1 and names tenant and line; what it printed before can be passed in", async () => {
  const all = await service.rows("select distinct tenant from audit_log");
  const wrong = await verify([]);
  assert.equal(wrong.code, 1);
  assert.match(wrong.err, /^tenant [0-9a-f-]{36}: line 2/m);
  assert.match(wrong.err, /^Findings: \d+\.$/m);
  assert.equal(headsIn(wrong.out)?.length, all.length, "the heads can be kept in spite of the findings");
  const file = join(folder, "heads");
  await writeFile(
    file,
    wrong.out.replace(/([0-9a-f])$/m, (digit) => (digit === "0" ? "1" : "0")),
  );
  const other = await verify(["--heads", file]);
  assert.equal(other.code, 1);
  assert.match(other.err, /is not the recorded one/);
  await writeFile(file, "");
  assert.match((await verify(["--heads", file])).err, /heads has no heads of chains.*Pass what an earlier/);
});
