/**
 * The process that asks one test file about many mutants: `node asking.ts JOB`, a file with a `Job`. It starts what
 * the file starts before its tests and runs each test once, which shows the mutants that it reaches. Then it turns on
 * one mutant at a time and runs the tests that reach it, until one fails. It prints a `Line` for each result.
 */
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Client } from "pg";
import { allStatements } from "../../src/db/database.ts";
import type { Collected } from "./collected.ts";
import { changed, type Mutant } from "./mutant.ts";
import { switched } from "./switched.ts";

export interface Job {
  readonly root: string;
  /** Below the root. */
  readonly test: string;
  readonly mutants: readonly Mutant[];
  /** A mutant that is on from the start, and the tests to run with it; null for none. */
  readonly on: { readonly key: string; readonly tests: readonly string[] } | null;
  /** Of the tests that reach a mutant, the fastest so many run. */
  readonly testsEach: number;
  /** The tests' first run in an earlier process; null if this is the first. */
  readonly firstRun: readonly RanTest[] | null;
}

/** A test that passes without a mutant. */
export interface RanTest {
  readonly name: string;
  readonly ms: number;
  /** Keys of mutants, names of statements, and files with constants. */
  readonly reached: readonly string[];
}

/** A test, and what it throws. */
export interface Failure {
  readonly by: string;
  readonly message: string;
}

export type Line =
  | {
      readonly kind: "ran";
      /** The fastest first. */
      readonly tests: readonly RanTest[];
      /** Tests that fail without a mutant. */
      readonly failed: readonly string[];
      /** Mutants that only a new process can turn on: their code has run before the first test. */
      readonly atLoad: readonly string[];
    }
  | { readonly kind: "passed"; readonly key: string; readonly tests: number }
  | ({ readonly kind: "killed"; readonly key: string } & Failure)
  /** The test failed with the mutant, and then without it: the process ends, because its state may be wrong. */
  | ({ readonly kind: "unclear"; readonly key: string } & Failure)
  | { readonly kind: "endless"; readonly key: string; readonly by: string }
  /** A test begins, with this mutant or with none: a loop in it would stop the process from saying more. */
  | { readonly kind: "running"; readonly key: string | null; readonly by: string; readonly msMax: number }
  | { readonly kind: "end" };

const MARK = "mutate: ";
/** `node:readline` ends a line at these too, and `JSON.stringify` leaves them as they are. */
const ENDS_OF_LINES = /[\u2028\u2029]/g;
const FIRST_RUN_MS_MAX = 120_000;
/** A test may take this multiple of its first run, plus a constant. */
const TIMES = 10;
const BESIDE_MS = 20_000;
const CLOSING_MS_MAX = 3_000;
const PASSED = Symbol("passed");
const ENDLESS = Symbol("endless");
/** What tests/support/database-clock.ts appends to the name of a statement that runs at a test's time. */
const AT_TEST_TIME = / @$/;

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();

/** @returns the result in a line of output; null for any other line. */
export function lineIn(output: string): Line | null {
  return output.startsWith(MARK) ? (JSON.parse(output.slice(MARK.length)) as Line) : null;
}

function lineOf(line: Line): string {
  const json = JSON.stringify(line).replaceAll(
    ENDS_OF_LINES,
    (end) => `\\u${end.charCodeAt(0).toString(16)}`,
  );
  return `\n${MARK}${json}\n`;
}

async function main(): Promise<void> {
  const job = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as Job;
  const say = (line: Line): void => void process.stdout.write(lineOf(line));
  const switches = installed(job);
  const { tests, befores, afters, runCollected } = await import("./collected.ts");
  const run = guarded(runCollected, (by, msMax) => say({ kind: "running", key: switches.on(), by, msMax }));
  try {
    await import(pathToFileURL(join(job.root, job.test)).href);
    for (const work of befores) await work();
    if (job.on === null) await askAll(job, tests, run, switches, say);
    else await askFromStart(job.on, tests, run, say);
  } catch (error) {
    if (job.on !== null) say({ kind: "killed", key: job.on.key, by: "(start)", message: short(error) });
    else say({ kind: "ran", tests: [], failed: [`(start) ${short(error)}`], atLoad: [] });
  }
  say({ kind: "end" });
  const closing = (async () => {
    for (const work of afters.toReversed()) await work();
  })().catch(() => {});
  await Promise.race([closing, sleep(CLOSING_MS_MAX)]);
  // Long lines may still wait for the reader.
  process.stdout.write("", () => process.exit(0));
}

interface Switches {
  /** Of all loaded mutants. */
  readonly atLoad: ReadonlySet<string>;
  turn(mutant: Mutant | null): void;
  /** The key of the mutant that is on. */
  on(): string | null;
  /** What was reached since the last call: keys of mutants, names of statements, files with constants. */
  reached(): ReadonlySet<string>;
}

/** Loads the mutants' files with switches in them, and gives test files the collector in place of `node:test`. */
function installed(job: Job): Switches {
  let on = job.on?.key ?? null;
  let reached = new Set<string>();
  globalThis.m$ = (key) => {
    reached.add(key);
    return on === key;
  };
  const atLoad = new Set<string>();
  const byFile = Map.groupBy(
    job.mutants.filter(({ statement }) => statement === null),
    ({ file }) => file,
  );
  const collector = new URL("collected.ts", import.meta.url).href;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "node:test" && context.parentURL !== collector
        ? { url: collector, shortCircuit: true }
        : next(specifier, context),
    load(url, context, next) {
      const path = url.startsWith("file:") ? fileURLToPath(url) : "";
      const file = relative(job.root, path).replaceAll("\\", "/");
      const own = byFile.get(file);
      if (own === undefined) return next(url, context);
      const made = switched(file, readFileSync(path, "utf8"), own);
      for (const key of made.atLoad) atLoad.add(key);
      return { format: "module-typescript", source: made.text, shortCircuit: true };
    },
  });
  // oxlint-disable-next-line typescript/unbound-method -- it is called with the client's own `this` below
  const query = Client.prototype.query as (this: Client, config: Named, ...rest: unknown[]) => unknown;
  Client.prototype.query = function counted(this: Client, config: Named, ...rest: unknown[]) {
    if (typeof config !== "object" || config.name === undefined) return query.call(this, config, ...rest);
    const name = config.name.replace(AT_TEST_TIME, "");
    reached.add(name);
    // Under a new name a changed text is prepared anew.
    const own = name === changedStatement ? { ...config, name: `${config.name}~${on}` } : config;
    return query.call(this, own, ...rest);
  } as typeof Client.prototype.query;
  let changedStatement: string | null = null;
  let undo = (): void => {};
  return {
    atLoad,
    turn(mutant) {
      undo();
      undo = () => {};
      on = mutant?.key ?? null;
      changedStatement = mutant?.statement ?? null;
      if (mutant !== null && mutant.statement !== null) undo = withChange(mutant.statement, mutant);
    },
    on: () => on,
    reached() {
      const all = reached;
      reached = new Set();
      return all;
    },
  };
}

interface Named {
  readonly name?: string;
}

/** Changes a statement in place, so that texts made of it have the change. */
function withChange(name: string, { change }: Mutant): () => void {
  const found = allStatements().find((one) => one.name === name) as { text: string } | undefined;
  if (found === undefined) return () => {};
  const { text } = found;
  found.text = changed(text, change);
  return () => void (found.text = text);
}

/** @returns PASSED, ENDLESS, or what the test, or a promise that nothing waits for, has thrown. */
type Run = (test: Collected, msMax: number) => Promise<unknown>;

function guarded(
  runCollected: (test: Collected) => Promise<void>,
  begins: (name: string, msMax: number) => void,
): Run {
  let strayed: (error: unknown) => void = () => {};
  for (const event of ["uncaughtException", "unhandledRejection"])
    process.on(event, (error: unknown) => strayed(error));
  return async (test, msMax) => {
    begins(test.name, msMax);
    const timer = new AbortController();
    const stray = new Promise((resolve) => (strayed = resolve));
    const late = sleep(msMax, ENDLESS, { signal: timer.signal }).catch(() => ENDLESS);
    const own = runCollected(test).then(
      () => PASSED,
      (error: unknown) => error,
    );
    try {
      return await Promise.race([own, stray, late]);
    } finally {
      timer.abort();
    }
  };
}

async function askAll(
  job: Job,
  tests: readonly Collected[],
  run: Run,
  switches: Switches,
  say: (line: Line) => void,
): Promise<void> {
  const fastest = job.firstRun ?? (await firstRun(job, tests, run, switches, say));
  const repeats = new Map<Collected, boolean>();
  /** A test that uses fixed names does not pass twice on one database. */
  const doesRepeat = async (test: Collected, msMax: number): Promise<boolean> => {
    const does = repeats.get(test) ?? (await run(test, msMax)) === PASSED;
    repeats.set(test, does);
    return does;
  };
  for (const mutant of job.mutants) {
    const { key } = mutant;
    if (switches.atLoad.has(key)) continue;
    const reaching = fastest.filter(
      (one) => one.reached.includes(mutant.statement ?? key) || isTableOf(one, mutant),
    );
    let passed = 0;
    let isKilled = false;
    for (const { name, ms } of reaching.slice(0, job.testsEach)) {
      const msMax = ms * TIMES + BESIDE_MS;
      const test = tests.find((one) => one.name === name);
      if (test === undefined || !(await doesRepeat(test, msMax))) continue;
      switches.turn(mutant);
      const outcome = await run(test, msMax);
      switches.turn(null);
      if (outcome === PASSED) {
        passed += 1;
        continue;
      }
      if (outcome === ENDLESS) return say({ kind: "endless", key, by: test.name });
      const failure = { key, by: test.name, message: short(outcome) };
      if ((await run(test, msMax)) !== PASSED) return say({ kind: "unclear", ...failure });
      say({ kind: "killed", ...failure });
      isKilled = true;
      break;
    }
    if (!isKilled && passed > 0) say({ kind: "passed", key, tests: passed });
  }
}

/** Runs each test once without a mutant. @returns those that pass, the fastest first. */
async function firstRun(
  job: Job,
  tests: readonly Collected[],
  run: Run,
  switches: Switches,
  say: (line: Line) => void,
): Promise<readonly RanTest[]> {
  const wanted = new Set(job.mutants.flatMap(({ key, statement, file }) => [key, statement ?? key, file]));
  const ran: RanTest[] = [];
  const failed: string[] = [];
  const atStart = switches.reached();
  for (const test of tests) {
    const from = performance.now();
    const outcome = await run(test, FIRST_RUN_MS_MAX);
    const ms = performance.now() - from;
    const reached = [...switches.reached()].filter((one) => wanted.has(one));
    if (outcome === PASSED) ran.push({ name: test.name, ms, reached });
    else failed.push(`${test.name}: ${short(outcome)}`);
  }
  const fastest = ran.toSorted((a, b) => a.ms - b.ms);
  const isReached = (key: string): boolean => ran.some(({ reached }) => reached.includes(key));
  const atLoad = job.mutants
    .map(({ key }) => key)
    .filter((key) => switches.atLoad.has(key) || (atStart.has(key) && !isReached(key)));
  say({ kind: "ran", tests: fastest, failed, atLoad });
  return fastest;
}

/** Whether it is the test of tests/conditions.test.ts for the mutant's statement, which it sends without a name. */
function isTableOf({ name }: RanTest, { statement }: Mutant): boolean {
  return statement !== null && name.startsWith(`${statement} `);
}

async function askFromStart(
  { key, tests: names }: NonNullable<Job["on"]>,
  tests: readonly Collected[],
  run: Run,
  say: (line: Line) => void,
): Promise<void> {
  const own = tests.filter(({ name }) => names.includes(name));
  for (const test of own) {
    const outcome = await run(test, FIRST_RUN_MS_MAX);
    if (outcome === ENDLESS) return say({ kind: "endless", key, by: test.name });
    if (outcome !== PASSED) return say({ kind: "killed", key, by: test.name, message: short(outcome) });
  }
  say({ kind: "passed", key, tests: own.length });
}

function short(error: unknown): string {
  return String(error).replaceAll(/\s+/g, " ").slice(0, 160);
}
