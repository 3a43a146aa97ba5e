/**
 * The places of the source and the statements that each test runs; recorded once per state of the source and kept in
 * .mutate/.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { glob, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Mutant } from "./mutant.ts";
import type { Trace } from "./record.ts";
import type { Telling } from "./telling.ts";
import type { Workshop } from "./workshop.ts";

/** Parts of the paths of unused tests; each matches an existing one (tests/mutate.test.ts). */
export const LEFT_OUT: readonly string[] = [
  // Of folders below the money core, or above it that only display it.
  "src/banks/ src/console/ src/db/ src/embedded-postgres/ src/files/ src/http/ src/integrations/ src/lib/",
  "src/messages/ src/operator/ src/payment-page/ src/people/ src/sepa/ src/webhooks/",
  "tests/hosted-page/ tests/people/ tests/postbacks tests/webhooks",
  // They read the source, or files around the service.
  "tests/citations. tests/deploy. tests/exports. tests/guides. tests/migration-rules. tests/monitoring.",
  "tests/joins. tests/locks. tests/mutate. tests/packaging. tests/placement. tests/plans. tests/prove. tests/releases.",
  "tests/row-types.",
  "tests/schema. tests/seed. tests/statements. tests/tenant-ties. tests/test-groups. tests/tidy.",
  // The service runs in other processes, which are not recorded.
  "crash. tests/chaos. tests/keys-rotation. tests/restored. tests/upgrades.",
  // They need a browser, or take longer than a mutant may cost.
  "browser. tests/backup tests/fuzz. tests/hostile. simulation. planted. large-files. edge.",
].flatMap((line) => line.split(" "));
const TIMEOUT_MS = 300_000;
const AT_A_TIME = 2;

/** The recorded code of one test file. */
export interface FileTraces {
  readonly file: string;
  /** Of the test file, and of each source file that its tests run: it is recorded again when one of them changes. */
  readonly hashes: Readonly<Record<string, string>>;
  readonly passed: boolean;
  /** From start to end, with the recording. */
  readonly ms: number;
  readonly traces: readonly Trace[];
}

/** The kept records, with changed files recorded again. @param told reports progress. */
export async function coverage(
  shop: Workshop,
  folder: string,
  told: (line: string) => void,
  stopped: () => boolean,
): Promise<readonly FileTraces[]> {
  const path = join(folder, "coverage.json");
  const kept = existsSync(path) ? (JSON.parse(await readFile(path, "utf8")) as readonly FileTraces[]) : [];
  const current = await hashes(shop.folder, ["src/**/*.ts", "tests/**/*.test.ts", "tools/**/*.test.ts"]);
  const isCurrent = (one: FileTraces): boolean =>
    Object.entries(one.hashes).every(([file, hash]) => current[file] === hash);
  const known = new Map(kept.filter(isCurrent).map((one): [string, FileTraces] => [one.file, one]));
  const wanted = Object.keys(current)
    .filter((file) => file.endsWith(".test.ts") && !LEFT_OUT.some((part) => file.includes(part)))
    .toSorted();
  const todo = wanted.filter((file) => !known.has(file));
  let done = 0;
  const worker = async (): Promise<void> => {
    for (let file = todo.shift(); file !== undefined && !stopped(); file = todo.shift()) {
      const once = await record(shop, file, current);
      // A busy machine may have been too slow for it: once more.
      const traces = once.passed ? once : await record(shop, file, current);
      known.set(file, traces);
      done += 1;
      told(
        `recorded ${file}: ${traces.passed ? "passed" : "FAILED, not used"}, ${traces.ms} ms (${todo.length} left)`,
      );
      if (done % 10 === 0 || todo.length === 0) await keep(path, known, wanted);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  if (done > 0) await keep(path, known, wanted);
  return wanted.flatMap((file) => known.get(file) ?? []).filter(({ passed }) => passed);
}

async function keep(
  path: string,
  known: ReadonlyMap<string, FileTraces>,
  wanted: readonly string[],
): Promise<void> {
  const files = wanted.flatMap((file) => known.get(file) ?? []);
  await writeFile(path, JSON.stringify(files));
}

/** Runs a test file on the unchanged code and records what each of its tests runs. */
export async function record(
  shop: Workshop,
  file: string,
  current: Readonly<Record<string, string>>,
): Promise<FileTraces> {
  const out = join(shop.folder, `trace-${file.replaceAll("/", "-")}.jsonl`);
  const run = await shop.run({
    args: ["--test-force-exit", "--import", "./scripts/mutate/hook.ts", file],
    // Code from the compile cache is counted less exactly.
    env: { MUTATE_RECORD: out, NODE_DISABLE_COMPILE_CACHE: "1" },
    timeoutMs: TIMEOUT_MS,
  });
  const lines = existsSync(out)
    ? (await readFile(out, "utf8")).split("\n").filter((line) => line !== "")
    : [];
  await rm(out, { force: true });
  const traces = lines.map((line) => JSON.parse(line) as Trace);
  const ran = new Set(
    traces.filter(({ name }) => name !== null).flatMap((trace) => Object.keys(trace.files)),
  );
  const own = [file, ...ran].map((one): [string, string] => [one, current[one] ?? ""]);
  return { file, hashes: Object.fromEntries(own), passed: run.passed, ms: Math.round(run.ms), traces };
}

async function hashes(
  folder: string,
  patterns: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for await (const file of glob(patterns, { cwd: folder }))
    found[file] = createHash("sha256")
      .update(await readFile(join(folder, file)))
      .digest("hex");
  return found;
}

/** Tests of one file that run a mutant's place. */
export interface Chosen {
  readonly file: string;
  readonly tests: readonly string[];
  /** Whether they are all that the file has. */
  readonly all: boolean;
  /** As it was recorded, with the start of the process. */
  readonly ms: number;
}

/** The recorded time to start a process, import the service and create a database. */
const START_MS = 2_000;

/**
 * The tests that run a mutant's place, the most relevant for their time first. For code that runs only at import these are the tests that run anything else of that file. @param kills how often each test file has killed a mutant of the same source file. @param telling the relevance of a test file for the mutant.
 */
export function choose(
  mutant: Mutant,
  recorded: readonly FileTraces[],
  kills: ReadonlyMap<string, number>,
  telling: Telling,
): readonly Chosen[] {
  const reached = recorded.flatMap((one) => reaching(one, (trace) => runs(trace, mutant)));
  const chosen =
    reached.length > 0
      ? reached
      : recorded
          .filter(({ traces }) => traces.some((trace) => runs(trace, mutant)))
          .flatMap((one) => reaching(one, (trace) => mutant.file in trace.files, true));
  const worth = ({ file, tests, ms }: Chosen): number => {
    const all =
      recorded.find((one) => one.file === file)?.traces.filter(({ name }) => name !== null).length ?? 1;
    return ms / ((tests.length / all) * (1 + (kills.get(file) ?? 0)) * (1 + telling(mutant, file)));
  };
  return chosen
    .map((one) => ({ one, cost: worth(one) }))
    .toSorted((a, b) => a.cost - b.cost)
    .map(({ one }) => one);
}

function reaching(
  { file, traces }: FileTraces,
  does: (trace: Trace) => boolean,
  orAll = false,
): readonly Chosen[] {
  const named = traces.filter(({ name }) => name !== null);
  const found = named.filter(does);
  const tests = found.length === 0 && orAll ? named : found;
  if (tests.length === 0) return [];
  const ms = tests.reduce((sum, trace) => sum + trace.ms, START_MS);
  return [{ file, tests: tests.map(({ name }) => name ?? ""), all: tests.length === named.length, ms }];
}

function runs({ files, statements }: Trace, { file, statement, change }: Mutant): boolean {
  if (statement !== null) return statements.includes(statement);
  return (files[file] ?? []).some(([start, end]) => start <= change.start && change.start < end);
}

/** Where results and coverage are kept between runs. */
export async function keptFolder(root: string): Promise<string> {
  const folder = join(root, ".mutate");
  await mkdir(folder, { recursive: true });
  return folder;
}
