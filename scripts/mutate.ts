/**
 * `npm run mutate -- [--files GLOB] [--only typescript|sql] [--sample N] [--seed S] [--minutes M] [--tests PART,PART]
 * [--tests-each T] [--again] [--keys K,K] [--workers N] [--report]`: makes small changes in the money core and its SQL, and checks
 * whether a test fails (docs/mutation.md). It continues where the last run ended, and always exits with 0.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { allMutants, MONEY_CORE } from "./mutate/all-mutants.ts";
import { ask } from "./mutate/ask.ts";
import { HARMLESS, harmlessEntry } from "./mutate/harmless.ts";
import type { Mutant } from "./mutate/mutant.ts";
import { report } from "./mutate/report.ts";
import { keptFolder, readResults, writeResults, type Result } from "./mutate/results.ts";
import { testFiles } from "./mutate/test-files.ts";
import { refusedByPostgres, refusedByTypes } from "./mutate/valid.ts";
import { Workshop } from "./mutate/workshop.ts";

const { values: options } = parseArgs({
  options: {
    files: { type: "string", default: MONEY_CORE },
    /** How many, drawn by the seed; all without it. */
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    /** `typescript` or `sql`; both without it. */
    only: { type: "string" },
    minutes: { type: "string" },
    /** Parts of the paths of the test files to ask; all without it. */
    tests: { type: "string", default: "" },
    /** How many tests of one file run with a mutant. */
    "tests-each": { type: "string", default: "5" },
    /** Tries those again that were not killed. */
    again: { type: "boolean", default: false },
    keys: { type: "string" },
    /** How many test files are asked at the same time. */
    workers: { type: "string", default: "2" },
    report: { type: "boolean", default: false },
  },
});
/** A mutant that so many test files have let pass is not shown to others. */
const FILES_EACH = 25;
const ROOT = join(import.meta.dirname, "..");
process.exitCode = await main();

async function main(): Promise<number> {
  const folder = await keptFolder(ROOT);
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
  const keep = async (some: readonly Result[]): Promise<void> => {
    for (const one of some) results.set(one.key, one);
    await writeResults(folder, some);
  };
  const shops = await Promise.all(Array.from({ length: Number(options.workers) }, () => Workshop.open()));
  const [shop] = shops;
  if (shop === undefined) throw new Error("--workers has to be at least 1");
  try {
    const chosen = chosenMutants(mutants, results);
    const unknown = chosen.filter(({ key }) => !results.has(key));
    const refused = new Set([
      ...(await refusedByTypes(shop, unknown.filter(isTypeScript), textOf)),
      ...(await refusedByPostgres(
        shop,
        unknown.filter((one) => !isTypeScript(one)),
        textOf,
      )),
    ]);
    await keep([...refused].map((key) => ({ key, outcome: "refused", by: null, passed: 0 })));
    const todo = chosen.filter(({ key }) => !refused.has(key));
    console.log(`${chosen.length} mutants, ${todo.length} of them valid`);
    await askFiles(shops, todo, keep);
  } finally {
    await Promise.all(shops.map((one) => one.close()));
  }
}

/** Asks all test files; mutants that none kills get their result at the end. */
async function askFiles(
  shops: readonly Workshop[],
  todo: readonly Mutant[],
  keep: (some: readonly Result[]) => Promise<void>,
): Promise<void> {
  const ends = performance.now() + Number(options.minutes ?? Number.POSITIVE_INFINITY) * 60_000;
  let isStopped = false;
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => (isStopped = true));
  const isOver = (): boolean => isStopped || performance.now() > ends;
  const alive = new Map(todo.map((mutant) => [mutant.key, { mutant, files: 0, passed: 0 }]));
  const parts = options.tests === "" ? [] : options.tests.split(",");
  const queue = [...(await testFiles(ROOT, parts))];
  const work = async (shop: Workshop): Promise<void> => {
    for (let test = queue.shift(); test !== undefined && !isOver(); test = queue.shift()) {
      const began = performance.now();
      const asked = [...alive.values()].filter((one) => one.files < FILES_EACH);
      if (asked.length === 0) return;
      const { answers, failed, ms } = await ask(
        shop,
        test,
        asked.map(({ mutant }) => mutant),
        Number(options["tests-each"]),
        parts.includes(test),
      );
      const ended: Result[] = [];
      for (const [key, { outcome, by, passed }] of answers) {
        const one = alive.get(key);
        // Another file may have killed it meanwhile.
        if (one === undefined) continue;
        one.files += 1;
        one.passed += passed;
        if (outcome === "passed") continue;
        alive.delete(key);
        ended.push({ key, outcome, by, passed: one.passed });
      }
      await keep(ended);
      await shop.server.clear();
      const kills = ended.filter(({ outcome }) => outcome === "killed").length;
      const seconds = Math.round((performance.now() - began) / 1_000);
      console.log(
        `${test}: ${answers.size} reached, ${kills} killed, ${alive.size} left (${seconds} s, of these ${Math.round(ms / 1_000)} to run it once)`,
      );
      for (const name of failed) console.log(`    not used: ${name}`);
    }
  };
  await Promise.all(shops.map(work));
  if (isOver()) return console.log(`Stopped: ${alive.size} mutants have no result yet`);
  await keep(
    [...alive].map(([key, { passed }]) => ({
      key,
      outcome: passed === 0 ? "uncovered" : "survived",
      by: null,
      passed,
    })),
  );
}

/** The mutants to try, in an order drawn from the seed. */
function chosenMutants(mutants: readonly Mutant[], results: ReadonlyMap<string, Result>): readonly Mutant[] {
  const keys = options.keys?.split(",");
  if (keys !== undefined) return mutants.filter(({ key }) => keys.includes(key));
  const order = ({ key }: Mutant): string =>
    createHash("sha256").update(`${options.seed} ${key}`).digest("hex");
  const drawn = mutants
    .filter((one) => options.only === undefined || (options.only === "typescript") === isTypeScript(one))
    .filter((one) => harmlessEntry(one) === null)
    .map((mutant) => ({ mutant, place: order(mutant) }))
    .toSorted((a, b) => (a.place < b.place ? -1 : 1))
    .map(({ mutant }) => mutant)
    .slice(0, Number(options.sample ?? Number.POSITIVE_INFINITY));
  const wanted: readonly (string | undefined)[] = options.again
    ? ["survived", "uncovered", "endless"]
    : [undefined];
  return drawn.filter(({ key }) => wanted.includes(results.get(key)?.outcome));
}

function isTypeScript({ statement }: Mutant): boolean {
  return statement === null;
}
