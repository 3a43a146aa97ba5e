/** What a test file gets for `node:test` while mutants are tried: the same, but for which tests run and what is done around each. */
import { readFileSync } from "node:fs";
import original, { type TestContext } from "node:test";
import { FAILED_MARK } from "./failed-mark.ts";
import { endTest, recording } from "./record.ts";

export { after, afterEach, before, beforeEach, describe, it, mock, suite } from "node:test";

/** A file with the names of the tests to run; without it all of them. */
const CHOSEN = process.env["MUTATE_TESTS"];
const chosen = CHOSEN === undefined ? null : new Set(JSON.parse(readFileSync(CHOSEN, "utf8")) as string[]);

/** Any code but 0 says that something failed. */
const FAILED = 77;

type Body = (t: TestContext) => unknown;

function run(name: string, options: object | Body, body?: Body): Promise<void> | undefined {
  if (chosen !== null && !chosen.has(name)) return undefined;
  const given = typeof options === "function" ? options : body;
  const settings = typeof options === "function" ? {} : options;
  if (given === undefined) return original(name, settings);
  return original(name, settings, async (t) => {
    if (recording()) await endTest(null);
    const began = performance.now();
    try {
      await given(t);
    } catch (error) {
      process.stderr.write(`${String(error)}\n`);
      process.stdout.write(`\n${FAILED_MARK}${name}\n`, () => process.exit(FAILED));
      // Nothing more of this file is run: the mutant is dead.
      await new Promise(() => {});
    }
    if (recording()) await endTest({ name, ms: performance.now() - began });
  });
}

export const test = Object.assign(run, original);
// oxlint-disable-next-line import/no-default-export -- it stands for a module that has one
export default test;
