/** Asks one test file about mutants, in processes of their own (asking.ts), and counts what it answers. */
import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { lineIn, type Job, type Line } from "./asking.ts";
import type { Mutant } from "./mutant.ts";
import type { Workshop } from "./workshop.ts";

/** What a test file says of a mutant. */
export interface Answer {
  readonly outcome: "killed" | "passed" | "endless";
  /** The test that fails, or does not end, with its message. */
  readonly by: string | null;
  /** How many tests passed with it. */
  readonly passed: number;
}

export interface Asked {
  /** Of the mutants that a test of the file reaches, by their keys. */
  readonly answers: ReadonlyMap<string, Answer>;
  /** Tests that fail without a mutant, and are not used. */
  readonly failed: readonly string[];
  /** Of the tests' first run, in milliseconds. */
  readonly ms: number;
}

/** The lines of a process that are results. */
type Result = Exclude<Line, { kind: "running" | "end" }>;

/** For the start of a process, and between its tests. */
const STARTING_MS_MAX = 120_000;
/** A test that does not end in time says so itself within this, unless it runs in a loop. */
const SAYING_MS_MAX = 10_000;
/** A file whose first run takes longer is not asked about constants. */
const FROM_START_MS_MAX = 10_000;

/**
 * @param testsEach of the tests that reach a mutant, or the file of a constant, the fastest so many run.
 * @param isNamed whether the test file was named in full: then all its tests run with each constant, however long.
 */
export async function ask(
  shop: Workshop,
  test: string,
  mutants: readonly Mutant[],
  testsEach: number,
  isNamed = false,
): Promise<Asked> {
  const answers = new Map<string, Answer>();
  const job = { root: shop.folder, test, testsEach };
  let first: Extract<Line, { kind: "ran" }> | null = null;
  /** The mutant and the test whose failure was unclear in the process before. */
  let doubted = "";
  for (let todo = mutants; todo.length > 0;) {
    const lines = await linesOf(shop, { ...job, mutants: todo, on: null, firstRun: first?.tests ?? null });
    let isDone = true;
    for (const line of lines) {
      if (line.kind === "ran") first ??= line;
      else if (line.kind !== "unclear") answers.set(line.key, answerOf(test, line));
      // A process that ended for a mutant asked about it last.
      if (line.kind !== "unclear" && line.kind !== "endless") continue;
      isDone = false;
      const from = todo.findIndex(({ key }) => key === line.key);
      const isSure = line.kind === "endless" || doubted === `${line.key} ${line.by}`;
      if (line.kind === "unclear" && isSure)
        answers.set(line.key, answerOf(test, { ...line, kind: "killed" }));
      doubted = `${line.key} ${line.by}`;
      todo = todo.slice(isSure ? from + 1 : from);
    }
    if (isDone) break;
  }
  if (first === null) return { answers, failed: ["(the process)"], ms: 0 };
  const ms = first.tests.reduce((sum, one) => sum + one.ms, 0);
  if (isNamed || ms <= FROM_START_MS_MAX)
    for (const mutant of mutants.filter(({ key }) => first.atLoad.includes(key))) {
      const reaching = first.tests.filter(({ reached }) => isNamed || reached.includes(mutant.file));
      if (reaching.length === 0) continue;
      const own = isNamed ? reaching : reaching.slice(0, testsEach);
      const on = { key: mutant.key, tests: own.map(({ name }) => name) };
      for (const line of await linesOf(shop, { ...job, mutants: [mutant], on, firstRun: null }))
        if (line.kind !== "ran") answers.set(line.key, answerOf(test, line));
    }
  return { answers, failed: first.failed, ms };
}

function answerOf(test: string, line: Exclude<Result, { kind: "ran" }>): Answer {
  switch (line.kind) {
    case "passed":
      return { outcome: "passed", by: null, passed: line.tests };
    case "endless":
      return { outcome: "endless", by: `${test}: ${line.by}`, passed: 0 };
    default:
      return { outcome: "killed", by: `${test}: ${line.by}: ${line.message}`, passed: 0 };
  }
}

/** What the process said, and what it could not say: a loop or a crash in the code with a mutant. */
async function linesOf(shop: Workshop, job: Job): Promise<readonly Result[]> {
  const path = join(shop.folder, `job-${job.test.replaceAll("/", "-")}.json`);
  await writeFile(path, JSON.stringify(job));
  const child = spawn(process.execPath, [join(shop.folder, "scripts/mutate/asking.ts"), path], {
    cwd: shop.folder,
    env: { ...process.env, ...shop.server.env, TEST_CHROMIUM: "null" },
    stdio: ["ignore", "pipe", "ignore"],
    // A separate process group, so that processes that a test has started end with it.
    detached: true,
  });
  const lines: Result[] = [];
  let running: Extract<Line, { kind: "running" }> | null = null;
  let hasEnded = false;
  let isSilent = false;
  const silent = (): void => {
    isSilent = true;
    endGroup(child.pid);
  };
  let timer = setTimeout(silent, STARTING_MS_MAX);
  for await (const output of createInterface({ input: child.stdout })) {
    const line = lineIn(output);
    if (line === null) continue;
    clearTimeout(timer);
    timer = setTimeout(silent, line.kind === "running" ? line.msMax + SAYING_MS_MAX : STARTING_MS_MAX);
    if (line.kind === "running") running = line;
    else if (line.kind === "end") hasEnded = true;
    else lines.push(line);
  }
  clearTimeout(timer);
  endGroup(child.pid);
  const { key, by } = running ?? { key: job.on?.key ?? null, by: "(start)" };
  if (hasEnded || key === null) return lines;
  lines.push(
    isSilent ? { kind: "endless", key, by } : { kind: "unclear", key, by, message: "the process ended" },
  );
  return lines;
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // All of the group have ended.
  }
}
