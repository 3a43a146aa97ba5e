/**
 * The first stage for a mutant of TypeScript: the table tests that reach it. They start no database, so each can run
 * in a thread, which loads the test file and its imports again with one changed file.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { isOfTheProcess } from "../test-groups.ts";
import type { Chosen, FileTraces } from "./coverage.ts";
import { failureIn, isSure, type Failure } from "./failed-mark.ts";
import type { Mutant } from "./mutant.ts";
import type { TableThread } from "./table-thread.ts";

/** Recorded time; a longer file is left to the next stage, which runs only the tests that reach the mutant. */
const RECORDED_MS_MAX = 3_000;
/** A thread may take this multiple of its file's recorded time, plus a constant. */
const TIMES = 4;
const BESIDE_MS = 10_000;
const HEAP_MB = 1_000;

/**
 * Test files that may be tables of a mutant: none of their tests sends a statement, and one runs code of the mutant's
 * file. The first thread decides whether a file is one.
 */
export function mayBeTables(recorded: readonly FileTraces[], mutant: Mutant): ReadonlySet<string> {
  const found = recorded.filter(
    ({ ms, traces }) =>
      ms <= RECORDED_MS_MAX &&
      traces.some(({ name, files }) => name !== null && mutant.file in files) &&
      traces.every(({ statements }) => statements.length === 0),
  );
  return new Set(mutant.statement === null ? found.map(({ file }) => file) : []);
}

export interface Asked {
  /** The test that fails with the mutant and passes without it. */
  readonly killed: { readonly file: string; readonly by: string } | null;
  readonly passed: ReadonlySet<string>;
}

/**
 * Runs all tests of each file until one fails; they fail in the next stage as well.
 * @param folder the copy whose files are loaded. @param known whether a file passes in a thread on the unchanged code, which one that needs a server or a process does not.
 */
export async function askTables(
  folder: string,
  files: readonly Chosen[],
  change: { readonly file: string; readonly text: string },
  known: Map<string, boolean>,
): Promise<Asked> {
  const passed = new Set<string>();
  for (const { file, ms } of files) {
    if (!(await isTable(folder, file, ms, known))) continue;
    const first = await runThread(folder, file, change, ms);
    // As in the next stage, a failure that is not an assertion's has to repeat.
    const ran =
      first.ended === "failed" && !isSure(first.failed) ? await runThread(folder, file, change, ms) : first;
    if (ran.ended === "passed") passed.add(file);
    if (ran.ended === "failed")
      return { killed: { file, by: `${file}: ${ran.failed?.test ?? "(a hook)"}` }, passed };
  }
  return { killed: null, passed };
}

async function isTable(
  folder: string,
  file: string,
  ms: number,
  known: Map<string, boolean>,
): Promise<boolean> {
  const before = known.get(file);
  if (before !== undefined) return before;
  const is =
    !isOfTheProcess(await readFile(join(folder, file), "utf8")) &&
    (await runThread(folder, file, null, ms)).ended === "passed";
  known.set(file, is);
  return is;
}

interface RanThread {
  /** `unclear`: it did not end in time, or had no memory left. */
  readonly ended: "passed" | "failed" | "unclear";
  readonly failed: Failure | null;
}

async function runThread(
  folder: string,
  file: string,
  change: { readonly file: string; readonly text: string } | null,
  ms: number,
): Promise<RanThread> {
  const url = (path: string): string => pathToFileURL(join(folder, path)).href;
  const data: TableThread = {
    test: url(file),
    changed: change === null ? null : { url: url(change.file), text: change.text },
  };
  const own = Object.entries(process.env).filter(([name]) => !/^(?:TEST|MUTATE)_/.test(name));
  const thread = new Worker(new URL(url("scripts/mutate/table-thread.ts")), {
    workerData: data,
    // No server: a test that needs one is not a table.
    env: Object.fromEntries(own),
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  let output = "";
  thread.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  thread.stderr.resume();
  let unclear = false;
  thread.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "ERR_WORKER_OUT_OF_MEMORY") unclear = true;
  });
  const timer = setTimeout(
    () => {
      unclear = true;
      void thread.terminate();
    },
    ms * TIMES + BESIDE_MS,
  );
  const code = await new Promise<number>((resolve) => {
    thread.on("exit", resolve);
  });
  clearTimeout(timer);
  if (unclear) return { ended: "unclear", failed: null };
  return { ended: code === 0 ? "passed" : "failed", failed: failureIn(output) };
}
