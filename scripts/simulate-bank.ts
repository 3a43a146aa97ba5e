/**
 * `npm run simulate:bank -- [--seeds N] [--from S] [--trace]`: plays weeks at the merchant's own bank from seeds
 * (docs/simulation.md, "The merchant's own bank"). It stops at the first seed that breaks something, and exits with 1.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { startEmbedded } from "../src/db/embedded.ts";
import { migrate } from "../src/db/migrate.ts";
import { ensureEmbeddedRole } from "../src/db/service-role.ts";
import { manualClock } from "../src/lib/clock.ts";
import { simulateBank } from "../tests/simulation/own-bank/run.ts";
import { startService } from "../tests/support/service.ts";

const START = new Date("2026-11-23T08:00:00Z");
const { values: options } = parseArgs({
  options: {
    seeds: { type: "string", default: "20" },
    from: { type: "string", default: "1" },
    trace: { type: "boolean", default: false },
  },
});
process.exitCode = await main();

async function main(): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), "payment-sessions-bank-"));
  const server = await startEmbedded({ dataDir, log: () => {}, durable: false });
  try {
    await prepareTemplate(server.url);
    return await play(Number(options.from), Number(options.seeds));
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** What `npm test` gives the test files, so that the same helpers work here. */
async function prepareTemplate(url: string): Promise<void> {
  const template = new URL(url);
  template.pathname = "/bank_template";
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("create database bank_template").finally(() => client.end());
  await migrate(template.href, await ensureEmbeddedRole(template.href));
  Object.assign(process.env, { TEST_SERVER_URL: url, TEST_TEMPLATE: "bank_template" });
}

async function play(first: number, count: number): Promise<number> {
  const reached: Record<string, number> = {};
  const began = performance.now();
  const seconds = () => ((performance.now() - began) / 1_000).toFixed(1);
  for (let seed = first; seed < first + count; seed += 1) {
    const clock = manualClock(START);
    const service = await startService({ clock });
    const run = await simulateBank(service, clock, seed).finally(() => service.close());
    for (const [what, times] of Object.entries(run.reached)) reached[what] = (reached[what] ?? 0) + times;
    if (options.trace) console.log(`seed ${seed}`, run.reached);
    if (run.violations.length > 0) {
      console.log([`seed ${seed} after ${seconds()} s:`, ...run.violations].join("\n"));
      return 1;
    }
  }
  for (const [what, times] of Object.entries(reached).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    console.log(`${String(times).padStart(7)}  ${what}`);
  console.log(`${count} seeds held in ${seconds()} s`);
  return 0;
}
