/**
 * The replacement of `node:test` while mutants are tried: the same, except for the selection of tests and the hooks
 * around each.
 */
import { AssertionError } from "node:assert";
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import original, { type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { FAILED_MARK, type Failure } from "./failed-mark.ts";
import { changeStatement } from "./mutated-statement.ts";
import { endTest, recording } from "./record.ts";

export { after, afterEach, before, beforeEach, describe, it, mock, suite } from "node:test";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** The test file that this module was made for (hook.ts): several may share a process. */
const FILE = relative(
  ROOT,
  fileURLToPath(new URL(import.meta.url).searchParams.get("for") ?? import.meta.url),
);

/** A file with the names of the tests to run, by test file; of a file that is not in it, all are run. */
const CHOSEN = process.env["MUTATE_TESTS"];
const names =
  CHOSEN === undefined
    ? undefined
    : (JSON.parse(readFileSync(CHOSEN, "utf8")) as Readonly<Record<string, readonly string[]>>)[FILE];
const chosen = names === undefined ? null : new Set(names);

/** Any code except 0 is a failure. */
const FAILED = 77;

type Body = (t: TestContext) => unknown;

function run(name: string, options: object | Body, body?: Body): Promise<void> | undefined {
  if (chosen !== null && !chosen.has(name)) return undefined;
  const given = typeof options === "function" ? options : body;
  const settings = typeof options === "function" ? {} : options;
  if (given === undefined) return original(name, settings);
  return original(name, settings, async (t) => {
    // Some tests read statements and send none.
    changeStatement();
    if (recording()) await endTest(null);
    const began = performance.now();
    try {
      await given(t);
    } catch (error) {
      const asserted = error instanceof AssertionError;
      const failure: Failure = { file: FILE, test: name, asserted, ms: performance.now() - began };
      process.stderr.write(`${String(error)}\n`);
      process.stdout.write(`\n${FAILED_MARK}${JSON.stringify(failure)}\n`, () => process.exit(FAILED));
      // Ends the run: the mutant is killed.
      await new Promise(() => {});
    }
    if (recording()) await endTest({ name, ms: performance.now() - began });
  });
}

export const test = Object.assign(run, original);
// oxlint-disable-next-line import/no-default-export -- it stands for a module that has one
export default test;
