/**
 * `npm run simulate:bank -- [--seeds N] [--from S] [--step N] [--seed S] [--coverage] [--twice] [--trace]`: plays
 * weeks at the merchants' own banks from seeds (docs/simulation.md, "The merchant's own bank"). It says about every ten
 * seconds how far it is. It stops at the first seed that fails, and exits with 1. On SIGINT or SIGTERM it finishes the
 * present seed and prints the results.
 */
import { parseArgs } from "node:util";
import { createCoverage, missing, requiredOf, tableOf } from "../tests/simulation/own-bank/coverage.ts";
import { EXTRAS_FROM } from "../tests/simulation/own-bank/trouble.ts";
import { simulateBank } from "../tests/simulation/own-bank/run.ts";
import { startTestServer } from "../scripts/test-server.ts";

const SAID_EVERY_MS = 10_000;

const { values: options } = parseArgs({
  options: {
    seeds: { type: "string", default: "20" },
    from: { type: "string", default: "1" },
    /** This one alone. */
    seed: { type: "string" },
    /** The step between seeds: 2 for every second one. */
    step: { type: "string", default: "1" },
    /** Prints how often each event happened, and fails if a required one did not. */
    coverage: { type: "boolean", default: false },
    /** Plays each seed twice: both runs must be the same. */
    twice: { type: "boolean", default: false },
    /** Continues after a failed seed. */
    "keep-going": { type: "boolean", default: false },
    trace: { type: "boolean", default: false },
  },
});
process.exitCode = await main();

async function main(): Promise<number> {
  const server = await startTestServer();
  // Where the tests' helpers expect it.
  Object.assign(process.env, server.env);
  try {
    if (options.seed !== undefined) return await play(Number(options.seed), 1, 1);
    return await play(Number(options.from), Number(options.seeds), Number(options.step));
  } finally {
    await server.stop();
  }
}

async function play(first: number, count: number, step: number): Promise<number> {
  const coverage = createCoverage();
  let [failed, played] = [0, 0];
  const began = performance.now();
  let said = began;
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stop.abort());
  const seconds = () => ((performance.now() - began) / 1_000).toFixed(1);
  for (let seed = first; seed < first + count * step && !stop.signal.aborted; seed += step) {
    const run = await simulateBank(seed, { coverage });
    played += 1;
    const again = options.twice ? await simulateBank(seed) : run;
    if (options.trace) console.log(run.lines.join("\n"));
    if (options.trace) console.log(`seed ${seed} ${seconds()} s ${run.lines.length} lines`);
    const differs = again.digest === run.digest ? [] : [firstDifference(run.lines, again.lines)];
    const violations = [...run.violations, ...differs];
    if (violations.length > 0) {
      console.log([`seed ${seed} after ${seconds()} s:`, ...violations].join("\n"));
      failed += 1;
      if (!options["keep-going"]) return 1;
    }
    if (performance.now() - said > SAID_EVERY_MS) {
      said = performance.now();
      console.log(`seed ${seed}, ${seconds()} s`);
    }
  }
  if (options.coverage) console.log(tableOf(coverage));
  const required = requiredOf(first + (count - 1) * step >= EXTRAS_FROM);
  const never = options.coverage ? missing(coverage, required) : [];
  for (const row of never) console.log(`  never  ${row}`);
  if (options.coverage)
    console.log(`${required.length - never.length} of ${required.length} rows were reached`);
  if (failed + never.length > 0) return 1;
  console.log(`${played} seeds held in ${seconds()} s`);
  return 0;
}

function firstDifference(one: readonly string[], other: readonly string[]): string {
  const n = one.findIndex((line, index) => line !== other[index]);
  return `two runs differ at line ${n}: ${one[n]} | ${other[n]}`;
}
