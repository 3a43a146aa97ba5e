/** Tries one mutant: runs the tests that reach it, until one fails or its time has passed. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isOfTheProcess, moduleOf } from "../test-groups.ts";
import { choose, type Chosen, type FileTraces } from "./coverage.ts";
import { isSure } from "./failed-mark.ts";
import { changed, type Mutant } from "./mutant.ts";
import type { Result } from "./results.ts";
import { askTables, mayBeTables, type Asked } from "./tables.ts";
import type { Telling } from "./telling.ts";
import type { Turns } from "./turns.ts";
import type { Ran, Workshop } from "./workshop.ts";

/** A run may take this multiple of its recorded time, plus a constant, because other programs run at the same time. */
const TIMES = 4;
const BESIDE_MS = 40_000;
const SIMULATION_MS = 600_000;
/**
 * Most mutants are killed by one of the first files; later files share processes, because starting one costs more
 * than most tests.
 */
const ALONE_FIRST = 2;
const FILES_TOGETHER = 8;
const TOGETHER_MS = 30_000;

/** Tests of every statement: its tenant, what joins its tables, its locks. By the operator of what they find; what it does is for all of them. */
const OF_ALL_STATEMENTS: ReadonlyMap<string, Chosen> = new Map(
  [
    ["dropped tenant", "tests/tenant-ties.test.ts"],
    ["dropped condition", "tests/joins.test.ts"],
    ["dropped lock", "tests/locks.test.ts"],
    ["dropped skip locked", "tests/locks.test.ts"],
  ].map(([operator = "", file = ""]) => [operator, { file, tests: [], all: true, ms: 4_000 }]),
);

/** What a statement does to rows that are given: the one test that is named for it. */
function conditionsOf(statement: string): Chosen {
  const tests = [`${statement} does what its table says, to the rows that it says`];
  return { file: "tests/conditions.test.ts", tests, all: false, ms: 10_000 };
}

/** Those that are asked before all others. */
function firstOf({ statement, operator }: Mutant): readonly Chosen[] {
  if (statement === null) return [];
  const reading = OF_ALL_STATEMENTS.get(operator);
  return [...(reading === undefined ? [] : [reading]), conditionsOf(statement)];
}

export interface Trying {
  readonly recorded: readonly FileTraces[];
  /** The limit of recorded time for the tests of one mutant. */
  readonly perMutantMs: number;
  /** Seeds of each simulation for those that the tests let live. */
  readonly seeds: number;
  /** How often each test file has killed a mutant, by source file. */
  readonly kills: Map<string, Map<string, number>>;
  /** Whether tests pass alone on the unchanged code, by file and test. */
  readonly alone: Map<string, boolean>;
  /** Whether files are table tests, which run in a thread. */
  readonly tables: Map<string, boolean>;
  /** Whether only these run. */
  readonly onlyTables: boolean;
  readonly turns: Turns;
  readonly telling: Telling;
}

interface Kill {
  readonly file: string;
  readonly outcome: "killed" | "endless";
  readonly by: string;
}

/** Runs tests with the mutant in place. */
type Run = (batch: readonly Chosen[], how: "shared" | "alone") => Promise<Ran>;

/** @param shop in whose copy of the source the mutant is tried, one at a time. */
export async function tryMutant(
  trying: Trying,
  shop: Workshop,
  mutant: Mutant,
  text: string,
): Promise<Result> {
  const mutated = changed(text, mutant.change);
  const kills = trying.kills.get(mutant.file) ?? new Map<string, number>();
  trying.kills.set(mutant.file, kills);
  const reaching = choose(mutant, trying.recorded, kills, trying.telling);
  const first = firstOf(mutant);
  const others = reaching.filter(({ file }) => !first.some((one) => one.file === file));
  const all = [...first, ...others];
  const result = { key: mutant.key, by: null, tried: 0, left: 0 };
  if (all.length === 0) return { ...result, outcome: "uncovered" };
  const { killed, passed } = await firstTables(trying, shop, mutant, mutated, reaching);
  if (killed !== null) {
    kills.set(killed.file, (kills.get(killed.file) ?? 0) + 1);
    return { ...result, outcome: "killed", by: killed.by, tried: passed.size + 1 };
  }
  const chosen = all.filter(({ file }) => !passed.has(file));
  if (trying.onlyTables) return { ...result, outcome: "undecided", tried: passed.size, left: chosen.length };

  const env =
    mutant.statement === null
      ? {}
      : { MUTATE_STATEMENT: JSON.stringify({ name: mutant.statement, text: mutated }) };
  const inPlace = <T>(work: () => Promise<T>): Promise<T> =>
    mutant.statement === null ? shop.withFile(mutant.file, mutated, work) : work();
  const run: Run = (batch, how) => trying.turns[how](() => inPlace(() => runTests(shop, batch, env)));

  const affordable = within(chosen, trying.perMutantMs);
  const left = chosen.length - affordable.length;
  for (const batch of await batches(shop, affordable)) {
    const kill = await killer(trying, shop, batch, run);
    if (kill === null) continue;
    kills.set(kill.file, (kills.get(kill.file) ?? 0) + 1);
    const tried = passed.size + affordable.findIndex(({ file }) => file === kill.file) + 1;
    return { ...result, outcome: kill.outcome, by: kill.by, tried };
  }
  const tried = passed.size + affordable.length;
  for (const script of trying.seeds > 0 ? ["simulate.ts", "simulate-bank.ts"] : []) {
    const ran = await trying.turns.shared(() =>
      inPlace(() =>
        shop.run({
          args: ["--import", "./scripts/mutate/hook.ts", `tools/${script}`, "--seeds", String(trying.seeds)],
          env,
          timeoutMs: SIMULATION_MS,
        }),
      ),
    );
    if (!ran.passed && !ran.timedOut)
      return { ...result, outcome: "killed", by: `tools/${script}`, tried, left };
  }
  return { ...result, outcome: "survived", tried, left };
}

async function firstTables(
  trying: Trying,
  shop: Workshop,
  mutant: Mutant,
  text: string,
  reaching: readonly Chosen[],
): Promise<Asked> {
  const candidates = mayBeTables(trying.recorded, mutant);
  const { file } = mutant;
  const files = reaching.filter((one) => candidates.has(one.file));
  return trying.turns.shared(() => askTables(shop.folder, files, { file, text }, trying.tables));
}

/** The first tests whose total recorded time is within the limit; at least one. */
function within(chosen: readonly Chosen[], boundMs: number): readonly Chosen[] {
  let spent = 0;
  return chosen.filter(({ ms }, at) => at === 0 || (spent += ms) <= boundMs);
}

/** Which files run in one process. */
async function batches(shop: Workshop, chosen: readonly Chosen[]): Promise<readonly (readonly Chosen[])[]> {
  const found: Chosen[][] = [];
  let open: Chosen[] | null = null;
  let ms = 0;
  for (const [at, one] of chosen.entries()) {
    const apart = at < ALONE_FIRST || isOfTheProcess(await readFile(join(shop.folder, one.file), "utf8"));
    if (apart) {
      found.push([one]);
      continue;
    }
    if (open === null || open.length === FILES_TOGETHER || ms + one.ms > TOGETHER_MS) {
      open = [];
      ms = 0;
      found.push(open);
    }
    open.push(one);
    ms += one.ms;
  }
  return found;
}

/** The test that fails with a mutant and passes without it, or null. */
async function killer(
  trying: Trying,
  shop: Workshop,
  batch: readonly Chosen[],
  run: Run,
): Promise<Kill | null> {
  let rest = batch;
  while (rest.length > 0) {
    const ran = await run(rest, "shared");
    if (ran.passed) return null;
    const at = rest.length === 1 ? 0 : rest.findIndex(({ file }) => file === ran.failed?.file);
    // The file is unknown, so each runs in a separate process.
    if (at === -1) return firstKill(trying, shop, rest, run);
    const [one] = rest.slice(at);
    const kill = one === undefined ? null : await proven(trying, shop, one, ran, run);
    if (kill !== null) return kill;
    rest = rest.slice(at + 1);
  }
  return null;
}

async function firstKill(
  trying: Trying,
  shop: Workshop,
  chosen: readonly Chosen[],
  run: Run,
): Promise<Kill | null> {
  for (const one of chosen) {
    const kill = await killer(trying, shop, [one], run);
    if (kill !== null) return kill;
  }
  return null;
}

/**
 * Whether a failure counts. One without a failed assertion, or a late one, has to repeat while no other mutant is
 * tried.
 */
async function proven(
  trying: Trying,
  shop: Workshop,
  chosen: Chosen,
  first: Ran,
  run: Run,
): Promise<Kill | null> {
  const sure = isSure(first.failed);
  const ran = sure ? first : await run([chosen], "alone");
  if (ran.passed) return null;
  const { file } = chosen;
  const kill = killBy(file, ran);
  if (chosen.all && sure) return kill;
  // Some tests depend on those before them: one that fails alone on the unchanged code does not count.
  const again = chosen.all || ran.failed === null ? chosen : { ...chosen, tests: [ran.failed.test] };
  if (await passesUnchanged(trying, shop, again)) return kill;
  if (chosen.all) return null;
  const whole = { ...chosen, all: true };
  const inAll = await run([whole], "alone");
  if (inAll.passed || !(await passesUnchanged(trying, shop, whole))) return null;
  return killBy(file, inAll);
}

function killBy(file: string, { failed, timedOut }: Ran): Kill {
  const by = `${file}: ${failed?.test ?? (timedOut ? "(no end)" : "(a hook)")}`;
  return { file, outcome: timedOut ? "endless" : "killed", by };
}

async function passesUnchanged(trying: Trying, shop: Workshop, chosen: Chosen): Promise<boolean> {
  const key = JSON.stringify([chosen.file, chosen.all ? null : chosen.tests]);
  const known = trying.alone.get(key);
  if (known !== undefined) return known;
  const { passed } = await trying.turns.shared(() => runTests(shop, [chosen], {}));
  trying.alone.set(key, passed);
  return passed;
}

async function runTests(
  shop: Workshop,
  batch: readonly Chosen[],
  env: Readonly<Record<string, string>>,
): Promise<Ran> {
  const list = join(shop.folder, "chosen-tests.json");
  const some = batch.filter(({ all }) => !all).map(({ file, tests }) => [file, tests] as const);
  await writeFile(list, JSON.stringify(Object.fromEntries(some)));
  const [only] = batch;
  let script = only?.file ?? "";
  if (batch.length > 1) {
    script = join(shop.folder, "chosen-group.test.mjs");
    await writeFile(script, moduleOf(batch.map(({ file }) => join(shop.folder, file))));
  }
  return shop.run({
    args: ["--test-force-exit", "--import", "./scripts/mutate/hook.ts", script],
    env: { ...env, MUTATE_TESTS: list },
    timeoutMs: batch.reduce((sum, { ms }) => sum + ms, 0) * TIMES + BESIDE_MS,
  });
}
