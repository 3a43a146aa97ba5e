/** A thread of tables.ts: imports one test file, with one changed file of the source. */
import { workerData } from "node:worker_threads";
import { registerHooks } from "node:module";
import { throughNodeTest } from "./through-node-test.ts";

export interface TableThread {
  /** Addresses of files. */
  readonly test: string;
  readonly changed: { readonly url: string; readonly text: string } | null;
}

const { test, changed } = workerData as TableThread;
throughNodeTest();
registerHooks({
  load: (url, context, next) =>
    url === changed?.url
      ? { format: "module-typescript", source: changed.text, shortCircuit: true }
      : next(url, context),
});
await import(test);
