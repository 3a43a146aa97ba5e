/**
 * `npm run simulate -- [--seeds N] [--from S] [--seed S --trace] [--coverage [--budget]] [--planted [--only WORDS]…]
 * [--citus]`: plays seeds of the simulation of the whole service (docs/simulation.md). `--coverage` prints what they
 * reached; with `--budget` the command fails if a required transition was not reached. It stops at the first seed
 * that breaks an invariant, prints the last steps and exits with 1. On SIGINT or SIGTERM it finishes the present seed
 * and prints the results.
 */
import { parseArgs } from "node:util";
import { migrate } from "../src/db/migrate.ts";
import { createCoverage } from "../tests/simulation/coverage.ts";
import { findPlanted } from "../tests/simulation/plant.ts";
import { simulate, type Run } from "../tests/simulation/simulate.ts";
import { LATER_FROM } from "../tests/simulation/swarm.ts";
import { createWorld } from "../tests/simulation/world.ts";
import { temporaryServer } from "../scripts/temporary-server.ts";
import { startTestServer } from "../scripts/test-server.ts";
import { testDatabase } from "../tests/support/database.ts";

const TRACE_LINES = 60;
const SEEDS_DEFAULT = 100;
/** The number of seeds in which a planted bug has to be found. */
const PLANTED_SEEDS_MAX = 300;
const SAID_EVERY_MS = 10_000;

const { values: options } = parseArgs({
  options: {
    seeds: { type: "string" },
    from: { type: "string" },
    seed: { type: "string" },
    trace: { type: "boolean", default: false },
    coverage: { type: "boolean", default: false },
    budget: { type: "boolean", default: false },
    planted: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: [] },
    citus: { type: "boolean", default: false },
  },
});
process.exitCode = await main();

async function main(): Promise<number> {
  // Planted bugs may have a database without some constraints.
  const given = process.env["SIMULATION_DATABASE_URL"];
  if (given !== undefined) return play(given);
  if (options.citus) return playOnCitus();
  const server = await temporaryServer();
  try {
    if (options.planted) return await playPlanted(server.url);
    await migrate(server.url);
    return await play(server.url);
  } finally {
    await server.stop();
  }
}

/** Plays on the cluster whose coordinator DATABASE_URL names, in a new database. */
async function playOnCitus(): Promise<number> {
  const server = await startTestServer();
  try {
    if (server.nodes === 1) throw new Error("DATABASE_URL does not name the coordinator of a Citus cluster");
    Object.assign(process.env, server.env);
    const database = await testDatabase();
    return await play(database.ownerUrl).finally(() => database.close());
  } finally {
    await server.stop();
  }
}

/** Plays the requested seeds. @returns 1 if one of them breaks an invariant. */
async function play(url: string): Promise<number> {
  const one = options.seed === undefined ? null : Number(options.seed);
  const first = one ?? Number(options.from ?? 1);
  const count = one === null ? Number(options.seeds ?? SEEDS_DEFAULT) : 1;
  const world = await createWorld(url, options.coverage || options.budget);
  const coverage = createCoverage(first + count > LATER_FROM);
  const began = performance.now();
  let [operations, calls, played, said] = [0, 0, 0, began];
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stop.abort());
  try {
    for (let seed = first; seed < first + count && !stop.signal.aborted; seed += 1) {
      const run = await simulate(world, seed, options.trace);
      operations += run.operations;
      calls += run.calls;
      played += 1;
      coverage.add(run.moves);
      if (run.violations.length > 0) {
        report(run, seconds(began));
        return 1;
      }
      if (performance.now() - said > SAID_EVERY_MS) {
        said = performance.now();
        console.log(`seed ${seed}, ${seconds(began).toFixed(0)} s`);
      }
    }
  } finally {
    await world.close();
  }
  const took = seconds(began);
  console.log(
    `${played} seeds held: ${operations} operations, ${calls} calls in ${took.toFixed(1)} s, ${(played / took).toFixed(2)} seeds/s`,
  );
  const { steps, kills } = world;
  if (options.coverage) console.log(coverage.table(played, steps, kills).join("\n"));
  const missing = coverage.missing(steps, kills);
  if (options.coverage || options.budget) console.log(missing.map((row) => `not reached: ${row}`).join("\n"));
  return options.budget && missing.length > 0 ? 1 : 0;
}

/** Plays each planted bug until it is found. @returns 1 if one is not. */
async function playPlanted(url: string): Promise<number> {
  const seeds = Number(options.seeds ?? PLANTED_SEEDS_MAX);
  const caught = await findPlanted(
    url,
    seeds,
    { words: options.only, from: options.from === undefined ? null : Number(options.from) },
    ({ name, seed, seconds: took, words }) => {
      const when = seed === null ? "NOT CAUGHT" : `seed ${seed}`;
      console.log(`${when.padEnd(10)} ${took.toFixed(1).padStart(6)} s  ${name}: ${words.slice(0, 160)}`);
    },
  );
  const found = caught.filter(({ seed }) => seed !== null).length;
  console.log(`caught ${found} of ${caught.length}`);
  return found === caught.length ? 0 : 1;
}

function report({ seed, violations, lines }: Run, took: number): void {
  console.log(
    [...lines.slice(-TRACE_LINES), "", `seed ${seed} after ${took.toFixed(1)} s:`, ...violations].join("\n"),
  );
  console.log(`Again: npm run simulate -- --seed ${seed} --trace`);
}

function seconds(since: number): number {
  return (performance.now() - since) / 1_000;
}
