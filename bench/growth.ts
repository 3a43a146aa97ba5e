/**
 * `npm run bench:growth -- --rows 10000000 [--data FOLDER]`: compares the same calls, in turn, on a service with
 * 10,000 transactions and on one with many; the ratio shows what grows with the table.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { createApp } from "../src/app.ts";
import { readConfig } from "../src/config.ts";
import { runningEmbedded } from "../src/embedded-postgres/server.ts";
import { writeCursor } from "../src/http/paging.ts";
import { must } from "../src/lib/assert.ts";
import { silentLog } from "../src/lib/log.ts";
import { sessionToken } from "../src/tenants/signed-address.ts";
import { startLoad, type CourseKind, type Load, type Shop } from "./load.ts";
import { machineFacts } from "./machine.ts";
import { SEEDED_DAYS, seededFolder } from "./seeded.ts";
import { equipShop } from "./shops.ts";
import { startInstance, type Instance } from "./service.ts";
import { median } from "./table.ts";

const { values: options } = parseArgs({
  options: {
    rows: { type: "string", default: "1000000" },
    small: { type: "string", default: "10000" },
    data: { type: "string" },
    seconds: { type: "string", default: "5" },
    runs: { type: "string", default: "3" },
    connections: { type: "string", default: "16" },
    only: { type: "string" },
    json: { type: "string" },
  },
});
const seconds = Number(options.seconds);
const connections = Number(options.connections);
/** The number of different rows that are looked up one by one. */
const PICKED = 2_000;
const PREPARING_S_MAX = 300;
const SESSIONS_PER_SECOND = 800;
const PAGE = 1_000;
const CLI = join(import.meta.dirname, "../src/cli.ts");

/** One of the two services, with its seeded tenant. */
interface Side {
  readonly rows: number;
  readonly dataDir: string;
  readonly instance: Instance;
  readonly load: Load;
  readonly shop: Shop;
  readonly databaseUrl: string;
  readonly urls: Readonly<Record<string, readonly string[]>>;
}

interface Measure {
  readonly name: string;
  /** Calls per second. */
  run(side: Side): Promise<number>;
}

interface Result {
  readonly name: string;
  readonly runs: readonly { readonly small: number; readonly large: number }[];
}

const base = resolve(options.data ?? (await mkdtemp(join(tmpdir(), "payment-sessions-growth-"))));
const cleanUp: (() => Promise<unknown> | void)[] = [];
if (options.data === undefined) cleanUp.push(() => rm(base, { recursive: true, force: true }));
try {
  await main();
} finally {
  for (const step of cleanUp.toReversed()) await step();
}

async function main(): Promise<void> {
  const small = await openSide(Number(options.small));
  const large = await openSide(Number(options.rows));
  const facts = await machineFacts(large.databaseUrl);
  const only = options.only?.split(",");
  const chosen = measuresOf(small).filter(({ name }) => only?.some((part) => name.startsWith(part)) ?? true);
  const runs = chosen.map(() => [] as { small: number; large: number }[]);
  for (let run = 0; run < Number(options.runs); run += 1) {
    for (const [index, measure] of chosen.entries()) {
      const both = { small: await measure.run(small), large: await measure.run(large) };
      runs[index]?.push(both);
      console.error(`run ${run + 1} ${measure.name}: ${both.small.toFixed(1)}/s, ${both.large.toFixed(1)}/s`);
    }
  }
  const results = chosen.map(({ name }, index) => ({ name, runs: runs[index] ?? [] }));
  console.log(table(results));
  const books =
    only === undefined || only.includes("books")
      ? { small: await checkBooks(small), large: await checkBooks(large) }
      : null;
  if (books !== null)
    console.log(`books check: ${books.small.toFixed(1)} s and ${books.large.toFixed(1)} s, start included`);
  const loadAtEnd = loadavg().map((one) => Number(one.toFixed(1)));
  console.log(`load of the machine: ${facts.loadAtStart.join(" ")} before, ${loadAtEnd.join(" ")} after`);
  if (options.json !== undefined) {
    const sizes = { small: small.rows, large: large.rows };
    await writeFile(
      options.json,
      `${JSON.stringify({ facts, loadAtEnd, sizes, seconds, connections, results, books }, null, 2)}\n`,
    );
  }
}

/** Seeds the folder of this size, unless it is seeded; then starts a service on it. */
async function openSide(rows: number): Promise<Side> {
  const { dataDir, apiKey, tenant } = await seededFolder(base, rows);
  const load = await startLoad();
  cleanUp.push(() => load.stop());
  const instance = await startInstance({ dataDir, databaseUrl: null, profileDir: null, checkout: null });
  cleanUp.push(() => instance.stop());
  const databaseUrl = must(await runningEmbedded(dataDir), "the running database");
  const shop = await equipShop(instance.port, load.receiverUrl, apiKey);
  load.aim({ ports: [instance.port], shops: [shop] });
  const urls = await urlsOf(dataDir, databaseUrl, tenant);
  return { rows, dataDir, instance, load, shop, databaseUrl, urls };
}

/** The calls, by the name of their measure. Rows are picked from everywhere in the table. */
async function urlsOf(dataDir: string, databaseUrl: string, tenant: number): Promise<Side["urls"]> {
  const config = await readConfig({ DATA_DIR: dataDir, DEMO: "false" });
  const app = await createApp(config, databaseUrl, silentLog);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows: picked } = await client.query<Picked>(
      `select s.id, s.token_key_id, l.email, o.order_number
         from sessions s
         join leads  l on l.tenant = s.tenant and l.id = s.lead_id
         join orders o on o.tenant = s.tenant and o.session_id = s.id
        where s.tenant = $1 and s.billing_type = 'RECURRING'
        order by hashtext(s.id::text)
        limit $2`,
      [tenant, PICKED],
    );
    const start = new Date(Date.now() - (SEEDED_DAYS - 1) * 86_400_000).toISOString().slice(0, 10);
    const { rows: ends } = await client.query<{ at: Date; id: string }>(
      `select processed_at as at, id from transactions
        where tenant = $1 and processed_at >= $2::date
        order by processed_at, id
       offset $3 limit 1`,
      [tenant, start, PAGE],
    );
    const { keys } = app.deps;
    const management = "/api/v1/management";
    const transactions = "/api/v1/reconciliation/transactions/";
    const listed = (more: string) => [`${transactions}?start_date=${start}&page_size=100${more}`];
    const byEmail = (list: string) =>
      picked.map(({ email }) => `${management}/${list}/?email=${encodeURIComponent(email)}`);
    const scope = { tenant, path: transactions, query: { start_date: start, format: "csv" } };
    const cursor = writeCursor(keys, scope, { towards: "older", ...must(ends[0], "the last page") });
    return {
      "retrieve, any session": picked.map(
        ({ id, token_key_id: keyId }) =>
          `/api/v1/payment-sessions/${sessionToken(keys, keyId, { tenant, sessionId: id })}/`,
      ),
      "session in detail": picked.map(({ id }) => `${management}/payment-sessions/${id}/`),
      "sessions, newest first": [`${management}/payment-sessions/`],
      "sessions by status COMPLETED": [`${management}/payment-sessions/?status=COMPLETED`],
      "sessions by status AWAITING_VERIFICATION (none)": [
        `${management}/payment-sessions/?status=AWAITING_VERIFICATION`,
      ],
      "sessions by customer": byEmail("payment-sessions"),
      "sessions by order number": picked.map(
        ({ order_number: number }) => `${management}/payment-sessions/?order_number=${number}`,
      ),
      "subscriptions by customer": byEmail("subscriptions"),
      "subscriptions by status CANCELLED": [`${management}/subscriptions/?status=CANCELLED`],
      "subscriptions by status PAST_DUE (none)": [`${management}/subscriptions/?status=PAST_DUE`],
      "mandates by customer": byEmail("mandates"),
      "transactions, newest first": listed(""),
      "transactions by status declined": listed("&status=declined"),
      "transactions by status refunded (none)": listed("&status=refunded"),
      "chargebacks, newest first": [`${management}/chargebacks/`],
      "export, first page of 1,000": [`${transactions}?start_date=${start}&page_size=${PAGE}&format=csv`],
      "export, last page of 1,000": [
        `${transactions}?start_date=${start}&page_size=${PAGE}&format=csv&cursor=${cursor}`,
      ],
    };
  } finally {
    await client.end();
    await app.close();
  }
}

interface Picked {
  readonly id: string;
  readonly token_key_id: number;
  readonly email: string;
  readonly order_number: string;
}

function measuresOf({ urls }: Side): readonly Measure[] {
  return [
    { name: "create", run: (side) => perSecond(side, "create") },
    {
      name: "pay",
      async run(side) {
        await createSome(side, SESSIONS_PER_SECOND * seconds);
        return perSecond(side, "pay");
      },
    },
    { name: "create + pay + delivered", run: (side) => perSecond(side, "create_pay") },
    {
      name: "retrieve, a new session",
      async run(side) {
        await createSome(side, PICKED);
        return perSecond(side, "retrieve");
      },
    },
    ...Object.keys(urls).map((name) => ({
      name,
      run: (side: Side) => perSecond(side, "get", side.urls[name]),
    })),
  ];
}

async function createSome({ load }: Side, count: number): Promise<void> {
  await load.run({ kind: "create", connections, seconds: PREPARING_S_MAX, count });
}

async function perSecond({ load }: Side, kind: CourseKind, urls: readonly string[] = []): Promise<number> {
  const answer = await load.run({ kind, connections, seconds, urls });
  // Deliveries of a payment must not affect the next measure.
  if (kind === "pay") await load.run({ kind: "webhooks", connections, seconds });
  return answer.requests / answer.seconds;
}

/** In seconds. Its findings are ignored, because the seed has no events and no session history. */
async function checkBooks({ dataDir }: Side): Promise<number> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, [CLI, "books", "check"], {
    env: { PATH: process.env["PATH"], DATA_DIR: dataDir },
    stdio: "ignore",
  });
  await once(child, "exit");
  return (performance.now() - startedMs) / 1_000;
}

function table(results: readonly Result[]): string {
  const lines = results.map(({ name, runs }) => {
    const [small, large] = [median(runs.map((one) => one.small)), median(runs.map((one) => one.large))];
    const ratio = median(runs.map((one) => one.large / one.small));
    return `| ${name} | ${small?.toFixed(0)} | ${large?.toFixed(0)} | ${ratio?.toFixed(2)} |`;
  });
  return ["| | small, per second | large, per second | ratio |", "|---|---|---|---|", ...lines].join("\n");
}
