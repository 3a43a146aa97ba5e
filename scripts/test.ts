/**
 * `npm test [-- files]`: starts one PostgreSQL server with a migrated template database for all test files, then runs
 * node's test runner. `--named=WORDS` runs only the tests whose names begin so, and may be given several times; `--long`
 * runs the longest files, which `.ci/run` includes; `--citus` the tests for a Citus cluster, whose coordinator
 * DATABASE_URL names.
 */
import { glob, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { run } from "node:test";
import { spec, tap } from "node:test/reporters";
import { findChromium } from "./chromium.ts";
import { grouped } from "./test-groups.ts";
import { startTestServer } from "./test-server.ts";

const FILES = ["src/**/*.test.ts", "tests/**/*.test.ts", "tools/**/*.test.ts"];
/** Tests of the cluster, and of the API. */
const ON_CITUS = [
  "tests/citus/*.test-citus.ts",
  "tests/api/*.test.ts",
  "tests/billing/order-of-news.test.ts",
];
const CITUS = "--citus";
const LONG_ONES = "--long";
const NAMED = "--named=";
/** The format for other programs (tools/plant.ts). */
const TAP = "--test-reporter=tap";

/** Two more than two cores: three concurrent files left a quarter of the time idle. */
const AT_ONCE = 4;
/** Only for a test that hangs: one of 16 seconds takes 90 on a slow, busy machine. */
const TEST_MS_MAX = 300_000;
/** A file with all of its cases (tests/support/sized.ts): tests/conditions.test.ts takes more than ten minutes. */
const PROOF_MS_MAX = 7_200_000;

/**
 * They start and stop processes, open pages in a browser, play months of days, generate thousands of requests or ask
 * about every statement, and take as long as all others.
 */
const LONG = [
  "tests/console/browser.test.ts",
  "tests/console/bank-browser.test.ts",
  "tests/console/lists-browser.test.ts",
  "tests/hosted-page/browser.test.ts",
  "tests/messages/browser.test.ts",
  "tests/messages/notices.test.ts",
  "tests/money/notices.test.ts",
  "tests/mandates/dossier.test.ts",
  "tests/payment-links/browser.test.ts",
  "tests/people/passkeys-browser.test.ts",
  "src/embedded-postgres/server.test.ts",
  "tests/chaos.test.ts",
  "tests/keys-rotation.test.ts",
  "tests/upgrades.test.ts",
  "tests/backup.test.ts",
  "tests/backup-between-servers.test.ts",
  "tests/restored.test.ts",
  "tests/replica.test.ts",
  "tests/crash.test.ts",
  "tests/imports-crash.test.ts",
  "tests/postbacks-crash.test.ts",
  "tests/postbacks-catch-up.test.ts",
  "tests/sepa/crash.test.ts",
  "tests/sepa/refunds.test.ts",
  "tests/sepa/resolutions.test.ts",
  "tests/sepa/returns.test.ts",
  "tests/sepa/reversals.test.ts",
  "tests/sepa/take-back.test.ts",
  "tests/sepa/transport.test.ts",
  "tests/tracing-crash.test.ts",
  "tests/webhooks-crash.test.ts",
  "tests/webhooks-storm.test.ts",
  "tests/webhooks-side-by-side.test.ts",
  "tests/billing/bank-account.test.ts",
  "tests/billing/collected-twice.test.ts",
  "tests/billing/order-of-news.test.ts",
  "tests/billing/renewal.test.ts",
  "tests/billing/renewal-dates.test.ts",
  "tests/ebics/gateway.test.ts",
  "tests/ebics/protocol.test.ts",
  "tests/own-bank-simulation.test.ts",
  "tests/fuzz.test.ts",
  "tests/safe-methods.test.ts",
  "tests/row-types.test.ts",
  "tests/cli.test.ts",
  "tests/guides.test.ts",
  "tests/monitoring.test.ts",
  "tests/mutate.test.ts",
  "tests/packaging.test.ts",
  "tests/releases.test.ts",
  "tests/tracing.test.ts",
  "tests/webhooks-examples.test.ts",
];

/** It starts first, so that the run does not end with it alone. */
const LONGEST = ["tests/simulation.test.ts"];

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const server = await startTestServer();
  try {
    if (args.includes(CITUS) && server.nodes === 1) {
      console.log("Nothing was tested on Citus: DATABASE_URL does not name the coordinator of a cluster.");
      return 1;
    }
    return await runTests(server.env, args);
  } finally {
    await server.stop();
  }
}

async function runTests(env: Readonly<Record<string, string>>, args: readonly string[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "payment-sessions-tests-"));
  try {
    return await runFiles(await filesOf(args, folder), env, args);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** In the order in which they start. @param folder for the modules of the groups. */
async function filesOf(args: readonly string[], folder: string): Promise<readonly string[]> {
  const named = args.filter((arg) => !arg.startsWith("-"));
  if (named.length > 0) return named;
  if (args.includes(CITUS)) return Array.fromAsync(glob(ON_CITUS));
  if (args.includes(LONG_ONES)) return LONG;
  const apart = [...LONG, ...LONGEST];
  const files = (await Array.fromAsync(glob(FILES))).toSorted().filter((file) => !apart.includes(file));
  return [...LONGEST, ...(await grouped(files, folder))];
}

async function runFiles(
  files: readonly string[],
  env: Readonly<Record<string, string>>,
  args: readonly string[],
): Promise<number> {
  // Unpacked once, before concurrent test files would each do it.
  const chromium = files.some((file) => file.includes("browser")) ? await findChromium() : null;
  Object.assign(process.env, env, { TEST_CHROMIUM: JSON.stringify(chromium) });
  const stopped = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => stopped.abort());
  // The command `node --test` would sort the files again.
  const tests = run({
    files: [...files],
    concurrency: AT_ONCE,
    timeout: process.env["PROVE"] === "1" ? PROOF_MS_MAX : TEST_MS_MAX,
    signal: stopped.signal,
    ...namedBy(args),
  });
  let held = false;
  tests.on("test:summary", ({ file, success }) => {
    if (file === undefined) held = success;
  });
  await pipeline(tests, args.includes(TAP) ? tap : new spec(), process.stdout, { end: false });
  return held ? 0 : 1;
}

function namedBy(args: readonly string[]): { readonly testNamePatterns?: RegExp[] } {
  const words = args.filter((arg) => arg.startsWith(NAMED)).map((arg) => arg.slice(NAMED.length));
  if (words.length === 0) return {};
  // A subtest's name follows that of its test and a space.
  return { testNamePatterns: words.map((name) => new RegExp(`(?:^| )${RegExp.escape(name)}`, "u")) };
}
