/**
 * `npm run bench:reconciliation [-- TRANSACTIONS]`: measures reading a whole data set by following `next`, in each
 * format, compared with PostgreSQL's COPY of the same rows; the last page compared with the first; the service's
 * memory.
 */
import { Agent, request, type IncomingHttpHeaders } from "node:http";
import { cpus } from "node:os";
import pg from "pg";
import { seed } from "../tools/seed.ts";
import { readConfig } from "../src/config.ts";
import { sharedDatabaseOf } from "../src/start-database.ts";
import { machine } from "../tests/support/process.ts";
import { OPERATOR_KEY } from "../tests/support/service.ts";

const TRANSACTIONS = Number(process.argv[2] ?? 1_000_000);
const RUNS = 3;
const DAYS = 89;
const PAGE_SIZE = 1_000;
/** A key is limited to 50 pages per second, so several are used in turn. */
const KEYS = 20;
const PAGES_COMPARED = 200;
const MEMORY_EVERY_PAGES = 20;
const MB = 1024 * 1024;

const host = await machine("");
const service = await host.start();
const agent = new Agent({ keepAlive: true });
const config = await readConfig({ DATA_DIR: host.dataDir, OPERATOR_KEY, DEMO: "false" });
const database = await sharedDatabaseOf(config);
const seeded = await seed(config, database.ownerUrl, TRANSACTIONS, DAYS);
const keys = [seeded.apiKey];
while (keys.length < KEYS) keys.push(await newKey());
/** The columns of a record as they are stored, in the order of the list. */
const COPY = `copy (
  select t.id, t.gateway_reference, t.merchant_transaction_id, t.gateway_reference, t.tenant_reference_id, t.status,
         t.type, t.amount, t.currency, t.processed_at, m.iban_last4, m.bic, t.customer_email_csv, t.customer_name_csv,
         m.reference, m.accepted_at, t.source, t.order_id, t.subscription_id, t.lead_id, t.gateway_id, t.created_at,
         t.updated_at
    from transactions t
    left join mandates m on m.tenant = t.tenant and m.id = t.mandate_id
   where t.tenant = ${seeded.tenant} and t.processed_at is not null
   order by t.processed_at desc, t.id desc
) to stdout (format csv)`;
const startDate = new Date(Date.now() - DAYS * 86_400_000).toISOString().slice(0, 10);
let calls = 0;

console.log(`${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}, embedded PostgreSQL`);
console.log(`${TRANSACTIONS} transactions, ${PAGE_SIZE} a page, medians of ${RUNS} runs`);
const copied = await median(copy);
console.log(`COPY … TO STDOUT: ${rate(copied)} rows/s`);
const memory: number[] = [];
const places: { first: string; last: string }[] = [];
for (const format of ["json", "xml", "csv"] as const) {
  const ms = await median(() => walk(format));
  const share = ((copied / ms) * 100).toFixed(0);
  console.log(`${format.padEnd(4)} ${rate(ms)} rows/s, ${share} % of COPY`);
}
await comparePages();
const tenth = Math.ceil(memory.length / 10);
console.log(
  `resident memory: ${peak(memory.slice(0, tenth))} MB at most in the first tenth of the pages, ` +
    `${peak(memory.slice(-tenth))} MB in the last, ${peak(memory)} MB in all`,
);
await database.stop();
await service.stop();
await host.remove();
agent.destroy();

function rate(ms: number): string {
  return String(Math.round((TRANSACTIONS * 1_000) / ms)).padStart(7);
}

function peak(bytes: readonly number[]): string {
  return (Math.max(...bytes) / MB).toFixed(0);
}

async function median(run: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < RUNS; count += 1) times.push(await run());
  return times.toSorted((a, b) => a - b)[Math.floor(RUNS / 2)] ?? 0;
}

/** Milliseconds to follow `next` from the first page to the last. */
async function walk(format: "json" | "xml" | "csv"): Promise<number> {
  const first = `/api/v1/reconciliation/transactions/?start_date=${startDate}&page_size=${PAGE_SIZE}&format=${format}`;
  const started = performance.now();
  let url: string | null = first;
  let rows = 0;
  for (let pages = 0; url !== null; pages += 1) {
    const { body, headers } = await get(url);
    rows += count(body, format === "csv" ? "\n" : format === "xml" ? "<transaction>" : '{"id":');
    if (format === "csv") rows -= 1;
    if (pages % MEMORY_EVERY_PAGES === 0) memory.push(await residentBytes());
    const next = nextOf(format, body, headers);
    if (next === null && format === "json") places.push({ first, last: url });
    url = next;
  }
  const ms = performance.now() - started;
  if (rows !== TRANSACTIONS) throw new Error(`${format}: ${rows} rows instead of ${TRANSACTIONS}`);
  return ms;
}

function nextOf(format: string, body: Buffer, headers: IncomingHttpHeaders): string | null {
  if (format === "csv") return path(/<([^>]+)>; rel="next"/.exec(String(headers["link"] ?? "")));
  const head = body.toString("latin1", 0, 1_000);
  return path(format === "json" ? /"next":"([^"]+)"/.exec(head) : /<next>([^<]+)</.exec(head));
}

function path(match: RegExpExecArray | null): string | null {
  if (match?.[1] === undefined) return null;
  const { pathname, search } = new URL(match[1].replaceAll("&amp;", "&"));
  return pathname + search;
}

function count(body: Buffer, what: string): number {
  let found = 0;
  for (let at = body.indexOf(what); at >= 0; at = body.indexOf(what, at + 1)) found += 1;
  return found;
}

/** The same page sizes at both ends of the list, in turn. */
async function comparePages(): Promise<void> {
  const ends = places[0];
  if (ends === undefined) return;
  // The last page has only the rest; the page before it is full.
  const last = await get(ends.last);
  const previous = /"previous":"([^"]+)"/.exec(last.body.toString("latin1", 0, 2_000));
  const deep = path(previous) ?? ends.last;
  const times: Record<string, number[]> = { first: [], deep: [], last: [] };
  for (let page = 0; page < PAGES_COMPARED; page += 1) {
    for (const [name, url] of Object.entries({ first: ends.first, deep, last: ends.last })) {
      const started = performance.now();
      await get(url);
      times[name]?.push(performance.now() - started);
    }
  }
  const middle = (name: string) => times[name]?.toSorted((a, b) => a - b)[PAGES_COMPARED / 2] ?? 0;
  console.log(
    `a page: first ${middle("first").toFixed(1)} ms, last ${middle("last").toFixed(1)} ms ` +
      `(${(middle("last") / middle("first")).toFixed(2)} ×), last but one, read backwards, ${middle("deep").toFixed(1)} ms`,
  );
}

async function residentBytes(): Promise<number> {
  const { body } = await get("/metrics");
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(body.toString())?.[1] ?? 0);
}

/** Milliseconds that PostgreSQL takes to write the same columns of the same rows in the same order. */
async function copy(): Promise<number> {
  const client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  const started = performance.now();
  await new Promise<void>((resolve, reject) => {
    client.query(copyOut(COPY, resolve, reject));
  });
  const ms = performance.now() - started;
  await client.end();
  return ms;
}

/** The part of a query object that the driver needs; rows are read and discarded. */
function copyOut(text: string, resolve: () => void, reject: (error: Error) => void): pg.Submittable {
  const query = {
    submit: (connection: pg.Connection) => connection.query(text),
    handleCopyData() {},
    handleCommandComplete() {},
    handleReadyForQuery: () => resolve(),
    handleError: (error: Error) => reject(error),
  };
  return query;
}

async function newKey(): Promise<string> {
  const { body } = await send("POST", "/api/v1/management/api-keys/", seeded.apiKey, '{"name":"Bench"}');
  return (JSON.parse(body.toString()) as { api_key: string }).api_key;
}

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

async function get(url: string): Promise<Reply> {
  calls += 1;
  const reply = await send("GET", url, keys[calls % KEYS] ?? seeded.apiKey);
  if (reply.status !== 200) throw new Error(`${url}: ${reply.status} ${reply.body.toString()}`);
  return reply;
}

function send(method: string, url: string, key: string, body = ""): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      ...(body === "" ? {} : { "content-type": "application/json", "content-length": body.length }),
    };
    const outgoing = request({ host: "127.0.0.1", port: host.port, path: url, method, agent, headers });
    outgoing.on("error", reject);
    outgoing.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    outgoing.end(body);
  });
}
