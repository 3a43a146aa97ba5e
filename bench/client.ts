/** The client's process: makes the requested calls as fast as they are answered, and measures them. */
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { Connection, type Reply } from "./connection.ts";
import type { ClientAnswer, Course, Latencies, Shop, Target } from "./load.ts";

const SAVED_MAX = 1_000_000;
const ARRIVED_MS_MAX = 120_000;
/** The sandbox's IBANs (docs/api.md): one is approved, one asks for a verification. */
const APPROVED = "DE89370400440532013000";
const VERIFIED = "DE13370400440532013010";

const ADDRESSES_PER_NET = 250;

/** A call, and the effect of its response on later ones. */
interface Kind {
  /** Null if nothing is left to do. */
  request(): string | null;
  /**
   * @param startedMs when the first call of this piece of work began, or was due. @returns the next call on the same connection, if any.
   */
  answered?(reply: Reply, startedMs: number): string | null | void;
}

let target: Target = { ports: [], shops: [] };
const tokens: string[] = [];
/** Tokens of sessions that wait for a verification. */
const verifying: string[] = [];
/** A customer has one session at a time, so numbers are unique over all runs on a database. */
let people = Date.now();
let turns = 0;
let addresses = 0;
let received = 0;
/** Each payment has to be followed by a webhook. */
let owed = 0;
let allReceived = (): void => {};
/** When the payment of each session began, by its token, until its webhook arrives. */
const begun = new Map<string, number>();
let deliveredMs: number[] = [];

const receiver = createServer({ keepAliveTimeout: 60_000 }, (incoming, response) => {
  let body = "";
  incoming.setEncoding("latin1");
  incoming.on("data", (chunk: string) => (body += chunk));
  incoming.on("end", () => {
    received += 1;
    arrived(body);
    response.end();
    if (received >= owed) allReceived();
  });
}).listen(0, "127.0.0.1");

process.on("message", (message: { readonly aim?: Target; readonly course?: Course }) => {
  if (message.aim !== undefined) target = message.aim;
  if (message.course !== undefined)
    run(message.course).then(
      (answer) => process.send?.({ answer }),
      (error: unknown) => process.send?.({ failed: String(error) }),
    );
});
process.on("disconnect", () => process.exit());
receiver.once("listening", () => {
  const address = receiver.address();
  process.send?.({ receiverPort: typeof address === "object" && address !== null ? address.port : 0 });
});

async function run(course: Course): Promise<ClientAnswer> {
  if (course.kind === "webhooks") return webhooks();
  const kind = kindOf(course);
  const connections = Array.from({ length: course.connections }, connect);
  const saved: number[] = [];
  const statuses: Record<number, number> = {};
  const cpuBefore = process.cpuUsage();
  const receivedBefore = received;
  deliveredMs = [];
  const startedMs = performance.now();
  const next = paceOf(course, startedMs);
  await Promise.all(
    connections.map(async (connection) => {
      for (let beganMs = await next(); beganMs !== null; beganMs = await next()) {
        let bytes = kind.request();
        if (bytes === null) return;
        while (bytes !== null) {
          const reply = await connection.send(bytes);
          statuses[reply.status] = (statuses[reply.status] ?? 0) + 1;
          if (reply.status >= 400)
            throw new Error(`${course.kind}: ${reply.status} ${reply.body.toString()}`);
          bytes = kind.answered?.(reply, beganMs) ?? null;
        }
        if (saved.length < SAVED_MAX) saved.push(performance.now() - beganMs);
      }
    }),
  );
  if (course.kind === "create_pay") await untilReceived();
  const seconds = (performance.now() - startedMs) / 1_000;
  const cpu = process.cpuUsage(cpuBefore);
  for (const connection of connections) connection.close();
  return {
    ...latencies(saved),
    requests: saved.length,
    seconds,
    delivered: deliveredMs.length === 0 ? null : latencies(deliveredMs),
    statuses,
    cpuMs: (cpu.user + cpu.system) / 1_000,
    received: received - receivedBefore,
    tokens: tokens.length,
    lastUrl: walkedTo,
  };
}

/** Each connection has a different address. */
function connect(_: unknown, index: number): Connection {
  const address = `127.1.${Math.floor(index / ADDRESSES_PER_NET)}.${(index % ADDRESSES_PER_NET) + 1}`;
  return new Connection(target.ports[index % target.ports.length] ?? 0, address);
}

/** When the next piece of work begins, or was due; null at the end. */
function paceOf({ seconds, count = Infinity, perSecond }: Course, startedMs: number) {
  const endMs = startedMs + seconds * 1_000;
  let begunSoFar = 0;
  return async (): Promise<number | null> => {
    const dueMs = perSecond === undefined ? performance.now() : startedMs + (begunSoFar * 1_000) / perSecond;
    if (begunSoFar >= count || dueMs >= endMs) return null;
    begunSoFar += 1;
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    return dueMs;
  };
}

function latencies(unsorted: readonly number[]): Latencies {
  const sorted = unsorted.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

async function webhooks(): Promise<ClientAnswer> {
  const cpuBefore = process.cpuUsage();
  const receivedBefore = received;
  const startedMs = performance.now();
  await untilReceived();
  const seconds = (performance.now() - startedMs) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    seconds,
    requests: received - receivedBefore,
    delivered: null,
    p50: 0,
    p95: 0,
    p99: 0,
    statuses: {},
    cpuMs: (user + system) / 1_000,
    received: received - receivedBefore,
    tokens: tokens.length,
    lastUrl: "",
  };
}

/** Resolves once every payment has had its webhook. */
function untilReceived(): Promise<void> {
  if (received >= owed) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const missing = (): void => reject(new Error(`${owed - received} webhooks have not arrived`));
    const timer = setTimeout(missing, ARRIVED_MS_MAX);
    allReceived = () => {
      clearTimeout(timer);
      allReceived = () => {};
      resolve();
    };
  });
}

function kindOf({ kind, urls = [] }: Course): Kind {
  switch (kind) {
    case "create":
      return { request: create, answered: (reply) => void tokens.push(tokenOf(reply)) };
    case "pay":
      return { request: () => pay(tokens.pop(), APPROVED), answered: completed };
    case "create_pay":
      return createAndPay();
    case "retrieve":
      return { request: () => get(`/api/v1/payment-sessions/${nextToken()}/`, "") };
    case "ask_verification":
      return {
        request: () => {
          const token = tokens.pop();
          if (token !== undefined) verifying.push(token);
          return pay(token, VERIFIED);
        },
      };
    case "verify":
      return {
        request: () => {
          const token = verifying.shift();
          return token === undefined ? null : post(`/api/v1/payment-sessions/${token}/verify/`, "", "{}");
        },
        answered: completed,
      };
    case "iban_validate":
      return { request: () => post("/api/v1/iban-validate/", bearer(), `{"iban":"${APPROVED}"}`) };
    case "postback":
      return { request: postback };
    case "get":
      return { request: () => get(urls[turns % urls.length] ?? "/", bearer()) };
    case "walk":
      return walk(urls[0] ?? "/");
    case "webhooks":
    case "bare":
      return { request: () => get("/", "") };
  }
}

/** A webhook with the token of a session ends the measurement of its payment. */
function arrived(body: string): void {
  const token = tokenIn(body);
  const beganMs = begun.get(token);
  if (beganMs === undefined) return;
  begun.delete(token);
  deliveredMs.push(performance.now() - beganMs);
}

/** Created sessions are paid next. */
function createAndPay(): Kind {
  return {
    request: create,
    answered(reply, startedMs) {
      if (reply.status !== 201) return completed();
      const token = tokenOf(reply);
      begun.set(token, startedMs);
      return pay(token, APPROVED);
    },
  };
}

function completed(): void {
  owed += 1;
}

let walkedTo = "";

function walk(first: string): Kind {
  let url: string | null = first;
  return {
    request() {
      if (url === null) return null;
      walkedTo = url;
      return get(url, bearer());
    },
    answered({ head, body }) {
      const next =
        /\r\nlink:[^\r]*<([^>]+)>; rel="next"/i.exec(head) ??
        /"next":"([^"]+)"|<next>([^<]+)</.exec(body.toString("latin1", 0, 1_000));
      const found = next?.[1] ?? next?.[2];
      url = found === undefined ? null : pathOf(found.replaceAll("&amp;", "&"));
    },
  };
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** Shops and their keys are used in turn, because a key is limited to 50 calls per second. */
function nextShop(): { readonly shop: Shop; readonly authorization: string } {
  turns += 1;
  const { shops } = target;
  const shop = shops[turns % shops.length];
  if (shop === undefined) throw new Error("The client has no shop");
  const key = shop.keys[Math.floor(turns / shops.length) % shop.keys.length];
  return { shop, authorization: `Authorization: Bearer ${key}\r\n` };
}

function create(): string {
  people += 1;
  const { shop, authorization } = nextShop();
  const body =
    `{"gateway_id":"${shop.gatewayId}","webhook_profile_id":"${shop.profileId}","amount":"19.90","currency":"EUR","billing_type":"ONE_OFF","lead":{` +
    `"first_name":"Ada","last_name":"Example","email":"ada${people}@example.com","country":"DE"}}`;
  return post("/api/v1/payment-sessions/", authorization, body);
}

function pay(token: string | undefined, iban: string): string | null {
  if (token === undefined) return null;
  const body = `{"iban":"${iban}","iban_holder_name":"Ada Example"}`;
  return post(`/api/v1/payment-sessions/${token}/pay/`, "", body);
}

function postback(): string {
  const { shop } = nextShop();
  const body = `{"event":"sale","transaction_id":"bench-${turns}","amount":"19.90","currency":"EUR"}`;
  return post(shop.postbackPath, "", body);
}

/** The token in the response of create, its first field. */
function tokenOf({ body }: Reply): string {
  return tokenIn(body.toString("latin1", 0, 400));
}

function tokenIn(text: string): string {
  const start = text.indexOf('"session_token":"') + 17;
  return text.slice(start, text.indexOf('"', start));
}

function nextToken(): string {
  turns += 1;
  return tokens[turns % tokens.length] ?? "";
}

function bearer(): string {
  return nextShop().authorization;
}

/** Customers' addresses, as from a proxy: a new one for each call, because of the limit per second and address. */
function customer(): string {
  addresses = (addresses + 1) % 2 ** 24;
  return `X-Forwarded-For: 10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}\r\n`;
}

function get(path: string, headers: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${customer()}${headers}\r\n`;
}

function post(path: string, headers: string, body: string): string {
  return (
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${customer()}${headers}Content-Type: application/json\r\n` +
    `Content-Length: ${body.length}\r\n\r\n${body}`
  );
}
