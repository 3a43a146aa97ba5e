/** The last release's code works on this version's schema, because both run during an upgrade. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { glob, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { knownMigrations } from "../src/db/migrations.ts";
import { testDatabase, type TestDatabase } from "./support/database.ts";
import { unpackRelease, type Release } from "./support/release.ts";
import { sized } from "./support/sized.ts";

let release: Release;
let database: TestDatabase;

before(async () => {
  release = await unpackRelease();
  database = await testDatabase();
});
after(async () => {
  await database.close();
  await release.remove();
});

test("the migrations of the last release are unchanged, and its code works with the schema after each later migration", async () => {
  const known = await knownMigrations();
  assert.deepEqual(
    known.slice(0, release.migrations.size).map(({ name, text }) => [name, text]),
    [...release.migrations],
  );
  const breaking = known
    .slice(release.migrations.size)
    .filter(({ compatibleWith }) => compatibleWith > release.migrations.size);
  assert.deepEqual(
    breaking.map(({ name }) => name),
    [],
  );
});

const PREPARE = `
  import pg from "pg";
  import "./src/app.ts";
  import "./src/cli.ts";
  import { allStatements } from "./src/db/database.ts";
  const client = new pg.Client({ connectionString: process.env.DATABASE });
  await client.connect();
  let failed = 0;
  for (const { name, text } of allStatements())
    await client.query('prepare "' + name + '" as ' + text).catch((error) => {
      failed += 1;
      console.error(name + ": " + error.message);
    });
  await client.end();
  console.error(allStatements().length + " statements, " + failed + " failed");
  process.exit(failed === 0 ? 0 : 1);
`;

/** Runs a Node program of the release in its folder, not as a part of this test run. */
function run(args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return spawnSync(process.execPath, args, {
    cwd: release.folder,
    env: { ...env, ...more },
    encoding: "utf8",
  });
}

test("PostgreSQL can prepare each of its statements on the current schema", async () => {
  await writeFile(join(release.folder, "prepare.ts"), PREPARE);
  const { status, stderr } = run(["prepare.ts"], { DATABASE: database.url });
  assert.equal(status, 0, stderr);
  assert.match(stderr, /^\d{3} statements, 0 failed$/m);
});

test("its API tests pass on the current schema", { timeout: 600_000 }, async () => {
  const every = await Array.fromAsync(glob("tests/api/**/*.test.ts", { cwd: release.folder }));
  assert.ok(every.length > 5);
  // The tests that write most tables; other tests mainly read.
  const files = sized(
    every.filter((file) => /(pay|verify)\.test\.ts$/.test(file)),
    every,
  );
  const { status, stdout } = run(["--test", "--test-reporter=tap", "--test-concurrency=1", ...files]);
  const failures = stdout.split("\n").filter((line) => /^\s*not ok/.test(line));
  assert.deepEqual([status, failures], [0, []]);
  assert.ok(Number(/^# pass (\d+)$/m.exec(stdout)?.[1]) > 50);
});
