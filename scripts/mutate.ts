/**
 * `npm run mutate -- [--files GLOB] [--sample N] [--seed S] [--minutes M] [--seconds-each T] [--seeds N] [--again]
 * [--workers N] [--keys K,K] [--recorded] [--tables] [--report]`: makes small changes in copies of the money core and
 * its SQL, one at a time, and checks whether a test fails (docs/mutation.md). It continues where the last run ended,
 * and always exits with 0.
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { allMutants, MONEY_CORE } from "./mutate/all-mutants.ts";
import { choose, coverage, keptFolder, type FileTraces } from "./mutate/coverage.ts";
import { HARMLESS, harmlessEntry } from "./mutate/harmless.ts";
import { describe, type Mutant } from "./mutate/mutant.ts";
import { folderOf, report } from "./mutate/report.ts";
import { readResults, writeResult, type Result } from "./mutate/results.ts";
import { mayBeTables } from "./mutate/tables.ts";
import { tryMutant } from "./mutate/try.ts";
import { refusedByPostgres, refusedByTypes } from "./mutate/valid.ts";
import { tellingBy } from "./mutate/telling.ts";
import { Turns } from "./mutate/turns.ts";
import { Workshop } from "./mutate/workshop.ts";

const { values: options } = parseArgs({
  options: {
    files: { type: "string", default: MONEY_CORE },
    /** How many of each folder, drawn by the seed; all without it. */
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    minutes: { type: "string" },
    /** Recorded seconds of tests for one mutant. */
    "seconds-each": { type: "string", default: "60" },
    /** Seeds of the simulations, for mutants that survive the tests. */
    seeds: { type: "string", default: "0" },
    /** Tries survivors again. */
    again: { type: "boolean", default: false },
    keys: { type: "string" },
    /** The number of concurrent mutants, each in a separate copy. */
    workers: { type: "string", default: "2" },
    /** Uses only recorded tests, and records no others. */
    recorded: { type: "boolean", default: false },
    /**
     * Runs only the table tests, for all TypeScript mutants that they reach; a later run without the option
     * continues.
     */
    tables: { type: "boolean", default: false },
    report: { type: "boolean", default: false },
  },
});
/** This many are type-checked before the first is tried. */
const CHECKED_TOGETHER = 450;
process.exitCode = await main();

async function main(): Promise<number> {
  const folder = await keptFolder(join(import.meta.dirname, ".."));
  const { mutants, textOf } = await allMutants(options.files);
  const results = await readResults(folder);
  if (options.files === MONEY_CORE) {
    const stale = HARMLESS.filter((entry) => !mutants.some((one) => harmlessEntry(one, [entry]) !== null));
    for (const { file, line } of stale)
      console.error(`harmless.ts: ${file} has no such mutant any more: ${line}`);
    if (stale.length > 0) return 1;
  }
  if (!options.report) await tryAll(folder, mutants, textOf, results);
  console.log(report(mutants, results, textOf));
  return 0;
}

async function tryAll(
  folder: string,
  mutants: readonly Mutant[],
  textOf: (mutant: Mutant) => string,
  results: Map<string, Result>,
): Promise<void> {
  const ends = performance.now() + Number(options.minutes ?? Number.POSITIVE_INFINITY) * 60_000;
  let stopped = false;
  process.on("SIGINT", () => (stopped = true));
  process.on("SIGTERM", () => (stopped = true));
  const isOver = (): boolean => stopped || performance.now() > ends;
  const shops = await Promise.all(Array.from({ length: Number(options.workers) }, () => Workshop.open()));
  const [shop] = shops;
  if (shop === undefined) throw new Error("--workers asks for at least one");
  try {
    const recorded = await coverage(
      shop,
      folder,
      (line) => console.log(line),
      () => stopped || options.recorded,
    );
    const todo = options.tables
      ? tablesMutants(mutants, recorded, results)
      : await chosenMutants(shop, folder, mutants, textOf, results);
    console.log(`${todo.length} mutants to try`);
    const trying = {
      recorded,
      perMutantMs: Number(options["seconds-each"]) * 1_000,
      seeds: Number(options.seeds),
      kills: killsSoFar(mutants, results),
      alone: new Map<string, boolean>(),
      tables: new Map<string, boolean>(),
      onlyTables: options.tables,
      turns: new Turns(),
      telling: tellingBy(await textsOf(recorded)),
    };
    const waiting: [number, Mutant][] = [];
    const work = async (own: Workshop): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        if (isOver()) return;
        const [index, mutant] = next;
        const began = performance.now();
        const result = await tryMutant(trying, own, mutant, textOf(mutant));
        results.set(mutant.key, result);
        await writeResult(folder, result);
        const seconds = ((performance.now() - began) / 1_000).toFixed(0);
        const how = result.by ?? `${result.tried} files, ${result.left} left`;
        console.log(
          `${index + 1} ${result.outcome} ${seconds} s ${describe(mutant, textOf(mutant))} [${how}]`,
        );
      }
    };
    const all = [...todo.entries()];
    while (all.length > 0 && !isOver()) {
      const some = all.splice(0, options.tables ? CHECKED_TOGETHER : all.length);
      // Invalid ones among the chosen are known.
      if (options.tables)
        await refuse(
          shop,
          folder,
          some.map(([, mutant]) => mutant),
          textOf,
          results,
        );
      waiting.push(...some.filter(([, { key }]) => results.get(key)?.outcome !== "refused"));
      await Promise.all(shops.map(work));
    }
  } finally {
    await Promise.all(shops.map((one) => one.close()));
  }
}

async function textsOf(recorded: readonly FileTraces[]): Promise<ReadonlyMap<string, string>> {
  const texts = recorded.map(async ({ file }): Promise<[string, string]> => [
    file,
    await readFile(join(import.meta.dirname, "..", file), "utf8"),
  ]);
  return new Map(await Promise.all(texts));
}

/** All of them, in an order drawn from the seed. */
function drawn(mutants: readonly Mutant[]): readonly Mutant[] {
  return mutants
    .map((mutant) => ({ mutant, place: order(mutant) }))
    .toSorted((a, b) => (a.place < b.place ? -1 : 1))
    .map(({ mutant }) => mutant);
}

function order({ key }: Mutant): string {
  return createHash("sha256").update(`${options.seed} ${key}`).digest("hex");
}

/** Those that a table test reaches: the ones without a result, or with `--again` the undecided ones. */
function tablesMutants(
  mutants: readonly Mutant[],
  recorded: readonly FileTraces[],
  results: ReadonlyMap<string, Result>,
): readonly Mutant[] {
  const reached = (mutant: Mutant): boolean => {
    const tables = mayBeTables(recorded, mutant);
    return (
      tables.size > 0 && choose(mutant, recorded, new Map(), () => 0).some(({ file }) => tables.has(file))
    );
  };
  const wanted = options.again ? "undecided" : undefined;
  return drawn(mutants).filter(
    (mutant) =>
      results.get(mutant.key)?.outcome === wanted && harmlessEntry(mutant) === null && reached(mutant),
  );
}

/** The mutants to try now, in an order drawn from the seed; an invalid one is recorded and replaced by another. */
async function chosenMutants(
  shop: Workshop,
  folder: string,
  mutants: readonly Mutant[],
  textOf: (mutant: Mutant) => string,
  results: Map<string, Result>,
): Promise<readonly Mutant[]> {
  const keys = options.keys?.split(",");
  if (keys !== undefined) return mutants.filter(({ key }) => keys.includes(key));
  const inOrder = drawn(mutants);
  const isOpen = ({ key }: Mutant): boolean => (results.get(key)?.outcome ?? "undecided") === "undecided";
  if (options.again) {
    const alive = (key: string): boolean =>
      ["survived", "uncovered"].includes(results.get(key)?.outcome ?? "");
    return inOrder.filter((mutant) => alive(mutant.key) && harmlessEntry(mutant) === null);
  }
  const wanted = Number(options.sample ?? Number.POSITIVE_INFINITY);
  const chosen: Mutant[] = [];
  for (const name of new Set(inOrder.map(folderOf))) {
    const own = inOrder.filter((mutant) => folderOf(mutant) === name && harmlessEntry(mutant) === null);
    let taken = 0;
    while (taken < wanted && own.length > 0) {
      const some = own.splice(0, Math.min(own.length, Number.isFinite(wanted) ? wanted - taken : 1_000));
      await refuse(
        shop,
        folder,
        some.filter(({ key }) => !results.has(key)),
        textOf,
        results,
      );
      const valid = some.filter(({ key }) => results.get(key)?.outcome !== "refused");
      taken += valid.length;
      chosen.push(...valid.filter(isOpen));
    }
  }
  return chosen.toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
}

async function refuse(
  shop: Workshop,
  folder: string,
  some: readonly Mutant[],
  textOf: (mutant: Mutant) => string,
  results: Map<string, Result>,
): Promise<void> {
  const typescript = some.filter(({ statement }) => statement === null);
  const sql = some.filter(({ statement }) => statement !== null);
  for (const key of [
    ...(await refusedByTypes(shop, typescript, textOf)),
    ...(await refusedByPostgres(shop, sql, textOf)),
  ]) {
    const result = { key, outcome: "refused", by: null, tried: 0, left: 0 } as const;
    results.set(key, result);
    await writeResult(folder, result);
  }
}

function killsSoFar(
  mutants: readonly Mutant[],
  results: ReadonlyMap<string, Result>,
): Map<string, Map<string, number>> {
  const kills = new Map<string, Map<string, number>>();
  for (const { key, file } of mutants) {
    const by = results.get(key)?.by?.split(":")[0];
    if (by === undefined) continue;
    const own = kills.get(file) ?? new Map<string, number>();
    kills.set(file, own);
    own.set(by, (own.get(by) ?? 0) + 1);
  }
  return kills;
}
