/**
 * Loaded into a test's process (`--import`) when mutants are tried: replaces a statement by its mutant, runs only the
 * selected tests, ends with the first failure, and records what each test runs.
 */
import { isMainThread } from "node:worker_threads";
import { Client } from "pg";
import { changeStatement, MUTATED } from "./mutated-statement.ts";
import { beginRecording, sawStatement } from "./record.ts";
import { isTestFile, throughNodeTest } from "./through-node-test.ts";

const isRecorded = process.env["MUTATE_RECORD"] !== undefined && isTestFile(process.argv[1]);

interface Named {
  name?: string | undefined;
}

/**
 * A statement of the service, also with a test's time (tests/support/database-clock.ts); a test's own statements have
 * no name.
 */
function nameOf({ name }: Named): string | undefined {
  return name === "" ? undefined : name?.replace(/ @$/, "");
}

// oxlint-disable-next-line typescript/unbound-method -- it is called with the client's own `this` below
const query = Client.prototype.query as (this: Client, config: Named, ...rest: unknown[]) => unknown;
Client.prototype.query = function mutated(this: Client, config: Named, ...rest: unknown[]) {
  // The first call makes the test's database: no statement of the service has been read yet.
  if (MUTATED !== null) changeStatement();
  else if (isRecorded && typeof config === "object") {
    const name = nameOf(config);
    if (name !== undefined) sawStatement(name);
  }
  return query.call(this, config, ...rest);
} as typeof Client.prototype.query;

if (isMainThread) {
  throughNodeTest();
  if (isRecorded) await beginRecording();
}
