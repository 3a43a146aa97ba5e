/**
 * Loaded into a test's process (`--import`) when mutants are tried: it puts a changed statement in the place of the one it is made of,
 * runs only the tests that were asked for, ends with the first failure, and records what each test runs.
 */
import { registerHooks } from "node:module";
import { isMainThread } from "node:worker_threads";
import { Client } from "pg";
import { beginRecording, sawStatement } from "./record.ts";

/** The statement that is changed, as JSON `{ name, text }`. */
const MUTATED = JSON.parse(process.env["MUTATE_STATEMENT"] ?? "null") as {
  name: string;
  text: string;
} | null;

interface Named {
  name?: string | undefined;
  text?: string;
}

// oxlint-disable-next-line typescript/unbound-method -- it is called with the client's own `this` below
const query = Client.prototype.query as (this: Client, config: Named, ...rest: unknown[]) => unknown;
Client.prototype.query = function mutated(this: Client, config: Named, ...rest: unknown[]) {
  const name = typeof config === "object" ? config.name : undefined;
  if (name !== undefined) sawStatement(name);
  if (MUTATED !== null && name === MUTATED.name) {
    // What the driver makes of a statement itself is kept: only its text is another one.
    config.text = MUTATED.text;
  }
  return query.call(this, config, ...rest);
} as typeof Client.prototype.query;

const TESTS = new URL("node-test.ts", import.meta.url).href;
const isTestFile = (url: string | undefined): boolean => url?.endsWith(".test.ts") ?? false;

if (isMainThread) {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "node:test" && isTestFile(context.parentURL)
        ? { url: TESTS, shortCircuit: true }
        : next(specifier, context),
  });
  if (process.env["MUTATE_RECORD"] !== undefined && isTestFile(process.argv[1])) await beginRecording();
}
