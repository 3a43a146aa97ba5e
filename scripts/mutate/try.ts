/** Tries one mutant: the tests that run its place, until one fails or the time for it is over. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { choose, type Chosen, type FileTraces } from "./coverage.ts";
import { changed, type Mutant } from "./mutant.ts";
import type { Result } from "./results.ts";
import type { Ran, Workshop } from "./workshop.ts";

/** A run may take this many times as long as when it was recorded, and a while: other programs run at the same time. */
const TIMES = 4;
const BESIDE_MS = 40_000;
const SIMULATION_MS = 600_000;

/** Checks every statement for its tenant. */
const READS_STATEMENTS: Chosen = { file: "tests/statements.test.ts", tests: [], all: true, ms: 4_000 };

export interface Trying {
  readonly shop: Workshop;
  readonly recorded: readonly FileTraces[];
  /** Recorded time that the tests of one mutant may take; the rest is left. */
  readonly perMutantMs: number;
  /** Seeds of each simulation for those that the tests let live. */
  readonly seeds: number;
  /** How often each test file has ended a mutant, by the source file. */
  readonly kills: Map<string, Map<string, number>>;
  /** Whether tests pass alone on the unchanged code, by file and test. */
  readonly alone: Map<string, boolean>;
}

export async function tryMutant(trying: Trying, mutant: Mutant, text: string): Promise<Result> {
  const mutated = changed(text, mutant.change);
  const kills = trying.kills.get(mutant.file) ?? new Map<string, number>();
  trying.kills.set(mutant.file, kills);
  const reading = mutant.operator === "dropped tenant" ? [READS_STATEMENTS] : [];
  const chosen = [...reading, ...choose(mutant, trying.recorded, kills)];
  const result = { key: mutant.key, by: null, tried: 0, left: 0 };
  if (chosen.length === 0) return { ...result, outcome: "uncovered" };

  const env =
    mutant.statement === null
      ? {}
      : { MUTATE_STATEMENT: JSON.stringify({ name: mutant.statement, text: mutated }) };
  const inPlace = <T>(work: () => Promise<T>): Promise<T> =>
    mutant.statement === null ? trying.shop.withFile(mutant.file, mutated, work) : work();
  let spent = 0;
  let tried = 0;
  for (const one of chosen) {
    if (tried > 0 && spent + one.ms > trying.perMutantMs) break;
    spent += one.ms;
    tried += 1;
    const by = await killer(trying, one, env, inPlace);
    if (by === null) continue;
    kills.set(one.file, (kills.get(one.file) ?? 0) + 1);
    return { ...result, outcome: "killed", by, tried };
  }
  const left = chosen.length - tried;
  for (const script of trying.seeds > 0 ? ["simulate.ts", "simulate-bank.ts"] : []) {
    const ran = await inPlace(() =>
      trying.shop.run({
        args: ["--import", "./scripts/mutate/hook.ts", `tools/${script}`, "--seeds", String(trying.seeds)],
        env,
        timeoutMs: SIMULATION_MS,
      }),
    );
    if (!ran.passed) return { ...result, outcome: "killed", by: `tools/${script}`, tried, left };
  }
  return { ...result, outcome: "survived", tried, left };
}

/** The test that fails with a mutant and passes without it, or null. */
async function killer(
  trying: Trying,
  chosen: Chosen,
  env: Readonly<Record<string, string>>,
  inPlace: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<string | null> {
  const ran = await inPlace(() => runTests(trying.shop, chosen, env));
  if (ran.passed) return null;
  const by = `${chosen.file}: ${ran.failed ?? (ran.timedOut ? "(no end)" : "(a hook)")}`;
  if (chosen.all) return by;
  // Some tests build on those before them: one that fails alone on the unchanged code proves nothing.
  const again = ran.failed === null ? chosen : { ...chosen, tests: [ran.failed] };
  if (await passesAlone(trying, again)) return by;
  const whole = { ...chosen, all: true };
  const inAll = await inPlace(() => runTests(trying.shop, whole, env));
  return inAll.passed ? null : `${chosen.file}: ${inAll.failed ?? "(a hook)"}`;
}

async function passesAlone(trying: Trying, chosen: Chosen): Promise<boolean> {
  const key = JSON.stringify([chosen.file, chosen.tests]);
  const known = trying.alone.get(key);
  if (known !== undefined) return known;
  const { passed } = await runTests(trying.shop, chosen, {});
  trying.alone.set(key, passed);
  return passed;
}

async function runTests(
  shop: Workshop,
  { file, tests, all, ms }: Chosen,
  env: Readonly<Record<string, string>>,
): Promise<Ran> {
  const list = join(shop.folder, "chosen-tests.json");
  await writeFile(list, JSON.stringify(tests));
  return shop.run({
    args: ["--test-force-exit", "--import", "./scripts/mutate/hook.ts", file],
    env: { ...env, ...(all ? {} : { MUTATE_TESTS: list }) },
    timeoutMs: ms * TIMES + BESIDE_MS,
  });
}
