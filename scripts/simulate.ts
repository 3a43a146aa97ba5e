/**
 * `npm run simulate -- [--seeds N] [--from S] [--seed S --trace] [--planted]`: plays seeds of the simulation of the whole service
 * (docs/simulation.md). It stops at the first seed that breaks an invariant, with the last things that happened, and exits with 1.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startEmbedded } from "../src/db/embedded.ts";
import { migrate } from "../src/db/migrate.ts";
import { simulate, type Run } from "../tests/simulation/simulate.ts";
import { createWorld } from "../tests/simulation/world.ts";

const TRACE_LINES = 60;
const SEEDS_DEFAULT = 100;
const SAID_EVERY_MS = 10_000;

const { values: options } = parseArgs({
  options: {
    seeds: { type: "string" },
    from: { type: "string" },
    seed: { type: "string" },
    trace: { type: "boolean", default: false },
  },
});
process.exitCode = await main();

async function main(): Promise<number> {
  // The planted bugs bring a database that lacks what they took from it.
  const given = process.env["SIMULATION_DATABASE_URL"];
  if (given !== undefined) return play(given);
  const dataDir = await mkdtemp(join(tmpdir(), "payment-sessions-simulation-"));
  const server = await startEmbedded({ dataDir, log: () => {}, durable: false });
  try {
    await migrate(server.url);
    return await play(server.url);
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Plays the seeds that were asked for; 1 when one of them breaks an invariant. */
async function play(url: string): Promise<number> {
  const one = options.seed === undefined ? null : Number(options.seed);
  const first = one ?? Number(options.from ?? 1);
  const count = one === null ? Number(options.seeds ?? SEEDS_DEFAULT) : 1;
  const world = await createWorld(url);
  const began = performance.now();
  let [operations, calls, said] = [0, 0, began];
  try {
    for (let seed = first; seed < first + count; seed += 1) {
      const run = await simulate(world, seed, options.trace);
      operations += run.operations;
      calls += run.calls;
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
    `${count} seeds held: ${operations} operations, ${calls} calls in ${took.toFixed(1)} s, ${(count / took).toFixed(2)} seeds/s`,
  );
  return 0;
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
