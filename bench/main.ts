/**
 * `npm run bench [-- --only create,pay] [--quick] [--json FILE]`: measures the service as it is usually started,
 * compared with the most that the machine can do: the same statements by PostgreSQL's load tool, or a bare
 * `node:http` server. See docs/performance.md.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readConfig } from "../src/config.ts";
import { runningEmbedded } from "../src/embedded-postgres/server.ts";
import { must } from "../src/lib/assert.ts";
import { createDatabase, hearSteps, onServer } from "./limit.ts";
import { startLoad } from "./load.ts";
import { levelMeasures } from "./levels.ts";
import { machineFacts, type MachineFacts } from "./machine.ts";
import { exportMeasures, seedLedger } from "./exports.ts";
import { course, MEASURES, type Figures, type Measure, type Parts } from "./measures.ts";
import { findPgbench } from "./pgbench.ts";
import { memoryOf, postmasterOf } from "./processes.ts";
import { openShops, sendWebhooks } from "./shops.ts";
import { steadyLines } from "./steady.ts";
import { startUp, type StartUp } from "./start-up.ts";
import { median, table, type Result } from "./table.ts";
import { startInstance, type Instance, type ServiceOptions } from "./service.ts";

const RUNS = 3;
const QUICK_RUNS = 1;
const QUICK_SECONDS = 2;
const SECONDS = 10;
const QUICK_ROWS = 100_000;
const ROWS = 1_000_000;

const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    quick: { type: "boolean", default: false },
    json: { type: "string" },
    runs: { type: "string" },
    seconds: { type: "string" },
    connections: { type: "string", default: "16" },
    instances: { type: "string", default: String(Math.max(1, cpus().length - 1)) },
    levels: { type: "string", default: "1,16,64,256" },
    tenants: { type: "string", default: "1,10,1000" },
    rates: { type: "string", default: "1,100" },
    rows: { type: "string" },
    service: { type: "string" },
    profile: { type: "string" },
  },
});
const only = options.only?.split(",");
const runCount = Number(options.runs ?? (options.quick ? QUICK_RUNS : RUNS));
const rows = Number(options.rows ?? (options.quick ? QUICK_ROWS : ROWS));
const seconds = Number(options.seconds ?? (options.quick ? QUICK_SECONDS : SECONDS));
const checkout = options.service ?? null;
const suffix = `bench_${process.pid}`;

const dataDir = await mkdtemp(join(tmpdir(), "payment-sessions-bench-"));
const cleanUp: (() => Promise<unknown> | void)[] = [() => rm(dataDir, { recursive: true, force: true })];
try {
  await main();
} finally {
  for (const step of cleanUp.toReversed()) await step();
}

async function main(): Promise<void> {
  if (options.profile !== undefined) await mkdir(options.profile, { recursive: true });
  const given = process.env["DATABASE_URL"];
  const databaseUrl = given === undefined ? null : await ownDatabase(given, `${suffix}_service`);
  const load = await startLoad();
  cleanUp.push(() => load.stop());
  const instances = await startService(databaseUrl);
  const url = databaseUrl ?? must(await runningEmbedded(dataDir), "the running database");
  const limitUrl = await ownDatabase(given ?? url, `${suffix}_limit`);
  const facts = await machineFacts(url, checkout);
  const config = await readConfig({ DATA_DIR: dataDir, DEMO: "false" });
  const port = must(instances[0], "an instance").port;
  const management = { port, operatorKey: config.operatorKey, receiverUrl: load.receiverUrl };
  const shops = await openShops(management, 1);
  const parts: Parts = {
    load,
    shops,
    instances,
    limitUrl,
    seconds,
    sendWebhooks: (active) => sendWebhooks(port, shops, active),
    postmaster: await postmasterOf(url),
    databaseUrl: url,
    limits: await hearSteps(config, limitUrl),
    pgbench: await findPgbench(dataDir),
    connections: Number(options.connections),
  };
  describe(facts, parts);
  const ledger = wanted("exports") ? await seedLedger(config, url, port, rows) : null;
  const chosen = MEASURES.filter(({ name }) => wanted(name));
  // The first thousands of calls are slower: code is compiled, connections are opened, tables are still empty.
  if (chosen.length > 0) await course(parts, "create_pay");
  const levels = { connections: numbers(options.levels), tenants: numbers(options.tenants) };
  const opened = new Map<number, ReturnType<typeof openShops>>();
  const shopsOf = (tenants: number) => {
    const found = opened.get(tenants) ?? openShops(management, tenants);
    opened.set(tenants, found);
    return found;
  };
  const results = await measureAll(parts, [
    ...chosen,
    ...levelMeasures(levels, shopsOf).filter(({ name }) => wanted("levels") || wanted(name)),
    ...(ledger === null ? [] : exportMeasures(ledger)),
  ]);
  console.log(table(results));
  if (wanted("steady")) console.log((await steadyLines(parts, numbers(options.rates))).join("\n"));
  if (ledger !== null) console.log(`exports: ${ledger.rows} transactions, 1000 a page, one reader`);
  const starts = wanted("start-up") ? await measureStarts(instances, url, databaseUrl) : [];
  for (const { name, readyMs, idleMb, idleWithNpmMb } of starts)
    console.log(
      `${name}: ready after ${readyMs.toFixed(0)} ms; idle after 10 s: ${idleMb.toFixed(0)} MB resident, ${idleWithNpmMb.toFixed(0)} MB with npm`,
    );
  const loadAtEnd = loadavg().map((one) => Number(one.toFixed(1)));
  console.log(`load of the machine: ${facts.loadAtStart.join(" ")} before, ${loadAtEnd.join(" ")} after`);
  if (options.json !== undefined)
    await writeFile(
      options.json,
      `${JSON.stringify({ facts, loadAtEnd, seconds, results, starts }, null, 2)}\n`,
    );
}

/** The benchmark's database, removed at the end. An embedded server is removed completely. */
async function ownDatabase(serverUrl: string, name: string): Promise<string> {
  if (process.env["DATABASE_URL"] !== undefined)
    cleanUp.push(() => onServer(serverUrl, `drop database if exists ${name} with (force)`));
  return createDatabase(serverUrl, name);
}

async function startService(databaseUrl: string | null): Promise<readonly Instance[]> {
  const instances: Instance[] = [];
  const start = async (on: string | null) => {
    const how: ServiceOptions = { dataDir, databaseUrl: on, profileDir: options.profile ?? null, checkout };
    const instance = await startInstance(how);
    cleanUp.push(() => instance.stop());
    instances.push(instance);
  };
  await start(databaseUrl);
  const shared = databaseUrl ?? (await runningEmbedded(dataDir));
  while (instances.length < Number(options.instances)) await start(shared);
  return instances;
}

function numbers(list: string): readonly number[] {
  return list.split(",").map(Number);
}

function wanted(name: string): boolean {
  return only?.includes(name) ?? true;
}

/** With a running service, and with the embedded database if it is used. */
async function measureStarts(
  instances: readonly Instance[],
  url: string,
  databaseUrl: string | null,
): Promise<readonly (StartUp & { readonly name: string })[]> {
  const medianOf = async (name: string, on: string | null) => {
    const all: StartUp[] = [];
    while (all.length < runCount)
      all.push(await startUp({ dataDir, databaseUrl: on, profileDir: null, checkout }));
    const middle = (of: (one: StartUp) => number) => median(all.map(of)) ?? 0;
    return {
      name,
      readyMs: middle((one) => one.readyMs),
      idleMb: middle((one) => one.idleMb),
      idleWithNpmMb: middle((one) => one.idleWithNpmMb),
    };
  };
  const beside = await medianOf("start on a running database", url);
  if (databaseUrl !== null) return [beside];
  for (const instance of instances.toReversed()) await instance.stop();
  return [beside, await medianOf("start with the embedded database", null)];
}

/** All measures in turn, so that other load affects all of them alike. */
async function measureAll(parts: Parts, chosen: readonly Measure[]): Promise<readonly Result[]> {
  const results = chosen.map((measure) => ({ measure, runs: [] as Figures[] }));
  for (let run = 0; run < runCount; run += 1) {
    for (const { measure, runs } of results) {
      const figures = await measure.run(parts);
      runs.push(figures);
      console.error(`run ${run + 1} ${line(measure.name, figures)}`);
    }
  }
  return results.map(({ measure: { name, limit, target }, runs }) => ({
    measure: { name, limit, target },
    runs,
  }));
}

function line(name: string, { perSecond, limitPerSecond, ratio }: Figures): string {
  return `${name}: ${perSecond.toFixed(0)}/s, limit ${limitPerSecond?.toFixed(0) ?? "-"}/s, ratio ${ratio?.toFixed(2) ?? "-"}`;
}

function describe(facts: MachineFacts, { instances, connections, pgbench }: Parts): void {
  console.log(
    `${facts.cores} × ${facts.processor}, ${facts.memoryGib} GiB, Linux ${facts.kernel}; Node ${facts.node}, ` +
      `PostgreSQL ${facts.postgres} (durable commits), commit ${facts.commit}`,
  );
  const resident = instances.map(({ pid }) => memoryOf(pid).residentMb.toFixed(0)).join(" + ");
  console.log(
    `${instances.length} process(es) of the service, ${connections} connections, medians of ${runCount} runs of ${seconds} s; ` +
      `resident after start ${resident} MB`,
  );
  if (pgbench === null) console.log("pgbench was not found: install postgresql-contrib to see the limits");
}
