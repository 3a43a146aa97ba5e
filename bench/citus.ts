/**
 * Measures the cost of a payment on the database of DATABASE_URL: one PostgreSQL, or the coordinator of a Citus
 * cluster whose nodes all run on this machine. `npm run bench:citus -- [--seconds 20] [--connections 8]`.
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { createDatabase, dropDatabase, joinNodes, named, nodesOf } from "../scripts/cluster.ts";
import { distribute } from "../src/db/distribute.ts";
import { migrate } from "../src/db/migrate.ts";
import { must } from "../src/lib/assert.ts";
import { startLoad } from "./load.ts";
import { startInstance } from "./service.ts";
import { openShops } from "./shops.ts";
import { writtenSoFar } from "./written.ts";

const SHOPS = 16;
/** Citus's default. */
const SHARDS = 32;
/** Each connection reads the catalogue of each shard once, on each node, which takes 30 seconds on a cluster. */
const WARM_UP_SECONDS = "40";
/** Linux counts a process's time in hundredths. */
const TICK_MS = 10;

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "20" },
    connections: { type: "string", default: "8" },
    "warm-up": { type: "string", default: WARM_UP_SECONDS },
  },
});
const url = must(process.env["DATABASE_URL"], "DATABASE_URL");
const nodes = await nodesOf(url);
const name = `pss_bench_${randomBytes(4).toString("hex")}`;
const dataDir = await mkdtemp(join(tmpdir(), "payment-sessions-bench-"));
await createDatabase(nodes, name);
const own = named(url, name);
try {
  if (nodes.length > 1) await joinNodes(nodes, name);
  await migrate(own);
  if (nodes.length > 1) await distribute(own, { shards: SHARDS, say: () => {} });
  console.log(await measured(Number(values.seconds), Number(values.connections)));
} finally {
  await dropDatabase(nodes, name);
  await rm(dataDir, { recursive: true });
}

async function measured(seconds: number, connections: number): Promise<string> {
  const instance = await startInstance({ dataDir, databaseUrl: own, profileDir: null, checkout: null });
  const load = await startLoad();
  try {
    const operatorKey = (await readFile(join(dataDir, "operator.key"), "utf8")).trim();
    const shops = await openShops({ port: instance.port, operatorKey, receiverUrl: load.receiverUrl }, SHOPS);
    load.aim({ ports: [instance.port], shops });
    await load.run({ kind: "create_pay", connections, seconds: Number(values["warm-up"]) });
    const postmasters = await Promise.all(nodes.map((node) => postmasterOf(node)));
    const before = await Promise.all([...postmasters.map(familyMs), processMs(instance.pid)]);
    const writtenBefore = await Promise.all(nodes.map((node) => writtenSoFar(named(node, name))));
    const answer = await load.run({ kind: "create_pay", connections, seconds });
    const after = await Promise.all([...postmasters.map(familyMs), processMs(instance.pid)]);
    const written = await Promise.all(nodes.map((node) => writtenSoFar(named(node, name))));
    // A payment is two requests: the session, and its payment.
    const payments = answer.requests / 2;
    const each = after.map((ms, at) => (ms - (before[at] ?? 0)) / payments);
    const sum = (of: "walBytes" | "storedBytes") =>
      written.reduce((all, node, at) => all + node[of] - (writtenBefore[at]?.[of] ?? 0), 0) /
      payments /
      1_000;
    return JSON.stringify({
      workers: nodes.length - 1,
      payments,
      perSecond: round(payments / answer.seconds),
      p50Ms: round(answer.p50),
      p99Ms: round(answer.p99),
      cpuMsPerPayment: { service: round(each.at(-1) ?? 0), nodes: each.slice(0, -1).map(round) },
      kilobytesPerPayment: { wal: round(sum("walBytes")), stored: round(sum("storedBytes")) },
      statuses: answer.statuses,
    });
  } finally {
    load.stop();
    await instance.stop();
  }
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** The process that has started the one that answers. */
async function postmasterOf(node: string): Promise<number> {
  const client = new pg.Client({ connectionString: named(node, name) });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const stat = await statOf(must(rows[0], "a process").pid);
  await client.end();
  return Number(stat[1]);
}

/** CPU time of a process and its children, including ended ones. */
async function familyMs(pid: number): Promise<number> {
  let ticks = (await statOf(pid)).slice(11, 15).reduce((sum, value) => sum + Number(value), 0);
  for (const entry of await readdir("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = await statOf(Number(entry)).catch(() => []);
    if (Number(stat[1]) === pid) ticks += Number(stat[11]) + Number(stat[12]);
  }
  return ticks * TICK_MS;
}

async function processMs(pid: number): Promise<number> {
  const stat = await statOf(pid);
  return (Number(stat[11]) + Number(stat[12])) * TICK_MS;
}

/** The fields of a process from its state on. */
async function statOf(pid: number): Promise<readonly string[]> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8");
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}
