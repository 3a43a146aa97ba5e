/** `npm test [files]`: one PostgreSQL server for all test files, a migrated template database in it, then node's test runner. */
import { spawn } from "node:child_process";
import { glob, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { startEmbedded } from "../src/db/embedded.ts";
import { migrate } from "../src/db/migrate.ts";
import { ensureEmbeddedRole } from "../src/db/service-role.ts";
import { findChromium } from "./chromium.ts";

const TEMPLATE = `pss_template_${process.pid}`;
const FILES = ["src/**/*.test.ts", "tests/**/*.test.ts"];

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const server = await testServer();
  try {
    await createTemplate(server.url);
    return await runTests(server.url, args);
  } finally {
    await dropTestDatabases(server.url);
    await server.stop();
  }
}

/** The server that DATABASE_URL names, else an embedded one in a folder that goes away again. */
async function testServer(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const given = process.env["DATABASE_URL"];
  if (given !== undefined && given !== "") return { url: given, stop: async () => {} };
  const dataDir = await mkdtemp(join(tmpdir(), "payment-sessions-test-"));
  const server = await startEmbedded({ dataDir, log: () => {}, durable: false });
  return {
    url: server.url,
    async stop() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function createTemplate(url: string): Promise<void> {
  await onServer(url, (client) => client.query(`create database ${TEMPLATE}`));
  const template = new URL(url);
  template.pathname = `/${TEMPLATE}`;
  await migrate(template.href, await ensureEmbeddedRole(template.href));
}

async function runTests(url: string, args: readonly string[]): Promise<number> {
  const flags = args.filter((arg) => arg.startsWith("-"));
  const named = args.filter((arg) => !arg.startsWith("-"));
  const files = named.length > 0 ? named : await Array.fromAsync(glob(FILES));
  // Unpacked once, before test files that run side by side would each do it.
  const chromium = files.some((file) => file.includes("browser")) ? await findChromium() : null;
  const child = spawn(
    process.execPath,
    ["--test", "--test-concurrency=2", "--test-timeout=90000", ...flags, ...files.toSorted()],
    {
      stdio: "inherit",
      env: {
        ...process.env,
        TEST_SERVER_URL: url,
        TEST_TEMPLATE: TEMPLATE,
        TEST_CHROMIUM: JSON.stringify(chromium),
      },
    },
  );
  // Ctrl-C reaches the child by itself; this process only has to stay and clean up.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  return new Promise((resolve) => {
    child.on("exit", (code) => resolve(code ?? 1));
  });
}

/** Clones that a killed test left behind go with the template. */
async function dropTestDatabases(url: string): Promise<void> {
  await onServer(url, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      "select datname from pg_database where starts_with(datname, $1)",
      [TEMPLATE],
    );
    for (const { datname } of rows) await client.query(`drop database if exists ${datname} with (force)`);
  });
}

async function onServer(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await work(client).finally(() => client.end());
}
