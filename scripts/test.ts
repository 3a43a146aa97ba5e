/**
 * `npm test [files]`: one PostgreSQL server for all test files, a migrated template database in it, then node's test runner.
 * With `--citus`: what has to hold on a Citus cluster, whose coordinator DATABASE_URL names.
 */
import { spawn } from "node:child_process";
import { glob } from "node:fs/promises";
import { findChromium } from "./chromium.ts";
import { startTestServer } from "./test-server.ts";

const FILES = ["src/**/*.test.ts", "tests/**/*.test.ts", "tools/**/*.test.ts"];
/** The cluster itself, and the contract: what a merchant and a customer see. */
const ON_CITUS = [
  "tests/citus/*.test-citus.ts",
  "tests/api/*.test.ts",
  "tests/billing/order-of-news.test.ts",
];
const CITUS = "--citus";

/** One more than the two cores that the tests have to be content with, as a file waits for an eighth of its time. */
const AT_ONCE = 3;

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
  const flags = args.filter((arg) => arg.startsWith("-") && arg !== CITUS);
  const named = args.filter((arg) => !arg.startsWith("-"));
  const files =
    named.length > 0 ? named : await Array.fromAsync(glob(args.includes(CITUS) ? ON_CITUS : FILES));
  // Unpacked once, before test files that run side by side would each do it.
  const chromium = files.some((file) => file.includes("browser")) ? await findChromium() : null;
  const child = spawn(
    process.execPath,
    ["--test", `--test-concurrency=${AT_ONCE}`, "--test-timeout=90000", ...flags, ...files.toSorted()],
    { stdio: "inherit", env: { ...process.env, ...env, TEST_CHROMIUM: JSON.stringify(chromium) } },
  );
  // Ctrl-C reaches the child directly; this process only has to stay and clean up.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  return new Promise((resolve) => {
    child.on("exit", (code) => resolve(code ?? 1));
  });
}
