/**
 * `npm run bench:webhooks`: measures webhooks to one receiver that answers after 0, 50, 100 and 500 ms, with the real
 * service and its durable embedded database: deliveries per second from a backlog, and the time from a payment's
 * answer to the webhook's arrival.
 */
import { once } from "node:events";
import { Agent, createServer, request, type Server } from "node:http";
import { cpus } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { machine } from "../tests/support/process.ts";
import { OPERATOR_KEY } from "../tests/support/service.ts";

/** The number of events for the fast receiver; a slow one gets as many as it accepts in some seconds. */
const EVENTS = Number(process.argv[2] ?? 2_000);
/** A receiver's response time, its profile's concurrent requests, and the number of events. */
const RECEIVERS = [
  [0, 1, EVENTS],
  [0, 10, EVENTS],
  [50, 1, EVENTS / 20],
  [50, 10, EVENTS / 2],
  [100, 1, EVENTS / 20],
  [100, 10, EVENTS / 2],
  [100, 100, EVENTS],
  [500, 1, EVENTS / 100],
  [500, 10, EVENTS / 10],
  [500, 100, EVENTS / 2],
] as const;
const ONE_BY_ONE = 200;
const KEYS = 40;
const CONCURRENCY = 16;
const TARPITS = 50;

type Json = Readonly<Record<string, string>>;

/** When the webhook of each order arrived, by the clock of this process. */
const arrivals = new Map<string, number>();
const receiver = createServer((incoming, response) => {
  const chunks: Buffer[] = [];
  incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
  incoming.on("end", () => {
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Json;
    arrivals.set(body["session_token"] ?? "", performance.now());
    const delayMs = Number(incoming.url?.slice(1));
    if (delayMs === 0) response.end();
    else setTimeout(() => response.end(), delayMs);
  });
}).listen(0, "127.0.0.1");
await once(receiver, "listening");
const address = receiver.address();
const receiverUrl = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/`;
/** A receiver that answers after this time. */
const urlOf = (delayMs: number) => `${receiverUrl}${delayMs}`;

const host = await machine("");
const service = await host.start();
const agent = new Agent({ keepAlive: true });
const operator = await post("management/tenants/", OPERATOR_KEY, { name: "Bench" });
const key = operator["api_key"] ?? "";
const gateway = await post("management/gateways/", key, {
  name: "Sandbox",
  adapter: "sandbox",
  test_mode: true,
});
const profile = await post("management/webhook-profiles/", key, { name: "Fast", url: urlOf(0) });
const keys = [key];
while (keys.length < KEYS)
  keys.push((await post("management/api-keys/", key, { name: "Bench" }))["api_key"] ?? "");
let people = 0;

const backlogs: string[] = [];
for (const [delayMs, maxInFlight, events] of RECEIVERS)
  backlogs.push(await measureBacklog(delayMs, maxInFlight, Math.ceil(events)));
const latency = await measureLatency();
const tarpit = await surroundByTarpits();
const crowded = await measureLatency();
console.log(
  `${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}, embedded PostgreSQL, durable commits`,
);
console.log(
  "\n| receiver answers after | max_in_flight | backlog | deliveries/s | of the most |\n|---|---|---|---|---|",
);
for (const line of backlogs) console.log(line);
console.log("");
console.log(`payment answered → webhook arrived (${ONE_BY_ONE} one by one): ${latency}`);
console.log(`the same beside ${TARPITS} receivers that never answer: ${crowded}`);
await service.stop();
await host.remove();
receiver.close();
tarpit.closeAllConnections();
tarpit.close();
agent.destroy();

/**
 * Events accumulate while the profile is disabled; the rate counts from the first arrival to the last. The receiver
 * is new, so the growth of its concurrent requests is part of it.
 */
async function measureBacklog(delayMs: number, maxInFlight: number, events: number): Promise<string> {
  const settings = { name: "Slow", url: urlOf(delayMs), max_in_flight: maxInFlight, active: false };
  const { id } = await post("management/webhook-profiles/", key, settings);
  const todo = Array.from({ length: events }, (_, index) => index);
  const workers = Array.from({ length: CONCURRENCY }, async () => {
    while (todo.pop() !== undefined) await paid(id);
  });
  await Promise.all(workers);
  arrivals.clear();
  await call("PATCH", `management/webhook-profiles/${id}/`, key, { active: true });
  while (arrivals.size < events) await sleep(20);
  const times = [...arrivals.values()].toSorted((a, b) => a - b);
  const rate = ((events - 1) * 1_000) / ((times.at(-1) ?? 0) - (times[0] ?? 0));
  const most = delayMs === 0 ? "" : `${Math.round((rate * 100 * delayMs) / (maxInFlight * 1_000))} %`;
  return `| ${delayMs} ms | ${maxInFlight} | ${events} | ${rate.toFixed(rate < 20 ? 1 : 0)} | ${most} |`;
}

/** Profiles whose receiver accepts requests and never answers, each with waiting events. */
async function surroundByTarpits(): Promise<Server> {
  const server = createServer(() => {}).listen(0, "127.0.0.1");
  await once(server, "listening");
  const at = server.address();
  const url = `http://127.0.0.1:${typeof at === "object" && at !== null ? at.port : 0}/`;
  for (let count = 0; count < TARPITS; count += 1) {
    const { id } = await post("management/webhook-profiles/", key, { name: "Tarpit", url });
    for (let events = 0; events < 3; events += 1) await paid(id);
  }
  return server;
}

async function measureLatency(): Promise<string> {
  const waits: number[] = [];
  for (let count = 0; count < ONE_BY_ONE; count += 1) {
    const token = await paid();
    const answered = performance.now();
    while (!arrivals.has(token)) await sleep(1);
    waits.push(Math.max(0, (arrivals.get(token) ?? 0) - answered));
    await sleep(20);
  }
  waits.sort((a, b) => a - b);
  const at = (share: number) => (waits[Math.floor(waits.length * share)] ?? 0).toFixed(1);
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms`;
}

/** A session that is created and paid; its token. */
async function paid(profileId = profile["id"]): Promise<string> {
  people += 1;
  const own = keys[people % KEYS] ?? key;
  const created = await post("payment-sessions/", own, {
    gateway_id: gateway["id"],
    webhook_profile_id: profileId,
    amount: "19.90",
    currency: "EUR",
    billing_type: "ONE_OFF",
    lead: { first_name: "Ada", last_name: "Example", email: `ada${people}@example.com`, country: "DE" },
  });
  const token = created["session_token"] ?? "";
  await post(`payment-sessions/${token}/pay/`, own, {
    iban: "DE89370400440532013000",
    iban_holder_name: "Ada Example",
  });
  return token;
}

function post(path: string, bearer: string, body: object): Promise<Json> {
  return call("POST", path, bearer, body);
}

/** A throttled call is repeated; any other failure ends the benchmark. */
async function call(method: string, path: string, bearer: string, body: object): Promise<Json> {
  for (;;) {
    const { status, text } = await send(method, path, bearer, JSON.stringify(body));
    if (status < 300) return JSON.parse(text) as Json;
    if (status !== 429) throw new Error(`${method} ${path}: ${status} ${text}`);
    await sleep(100);
  }
}

function send(
  method: string,
  path: string,
  bearer: string,
  body: string,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${bearer}`,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    };
    const outgoing = request({
      host: "127.0.0.1",
      port: host.port,
      path: `/api/v1/${path}`,
      method,
      agent,
      headers,
    });
    outgoing.on("error", reject);
    outgoing.on("response", (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    outgoing.end(body);
  });
}
