/** The client's process: it makes the calls that it is told to make, as fast as they are answered, and measures them. */
import { createServer } from "node:http";
import { Connection, type Reply } from "./connection.ts";
import type { ClientAnswer, Course, Shop, Target } from "./load.ts";

const SAVED_MAX = 1_000_000;
const ARRIVED_MS_MAX = 120_000;
/** The sandbox's IBANs (docs/api.md): one is approved, one asks for a verification. */
const APPROVED = "DE89370400440532013000";
const VERIFIED = "DE13370400440532013010";

/** What a call is, and what its answer means for later ones. */
interface Kind {
  /** Null when there is nothing left to do. */
  request(): string | null;
  answered?(reply: Reply): void;
}

let target: Target = { ports: [], shop: null };
const tokens: string[] = [];
/** Tokens that wait for their verification. */
const verifying: string[] = [];
let people = 0;
let turns = 0;
let addresses = 0;
let received = 0;
/** A payment that was made owes a webhook. */
let owed = 0;
let allReceived = (): void => {};

const receiver = createServer({ keepAliveTimeout: 60_000 }, (incoming, response) => {
  incoming.resume();
  incoming.on("end", () => {
    received += 1;
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
  const connections = Array.from(
    { length: course.connections },
    (_, index) => new Connection(target.ports[index % target.ports.length] ?? 0, `127.1.0.${index + 1}`),
  );
  const saved: number[] = [];
  const statuses: Record<number, number> = {};
  const cpuBefore = process.cpuUsage();
  const receivedBefore = received;
  const startedMs = performance.now();
  const endMs = startedMs + course.seconds * 1_000;
  let left = course.count ?? Infinity;
  await Promise.all(
    connections.map(async (connection) => {
      while (left > 0 && performance.now() < endMs) {
        left -= 1;
        const bytes = kind.request();
        if (bytes === null) return;
        const sentMs = performance.now();
        const reply = await connection.send(bytes);
        if (saved.length < SAVED_MAX) saved.push(performance.now() - sentMs);
        statuses[reply.status] = (statuses[reply.status] ?? 0) + 1;
        if (reply.status >= 400) throw new Error(`${course.kind}: ${reply.status} ${reply.body.toString()}`);
        kind.answered?.(reply);
      }
    }),
  );
  if (course.kind === "create_pay") await untilReceived();
  const seconds = (performance.now() - startedMs) / 1_000;
  const cpu = process.cpuUsage(cpuBefore);
  for (const connection of connections) connection.close();
  saved.sort((a, b) => a - b);
  const at = (share: number) => saved[Math.min(saved.length - 1, Math.floor(saved.length * share))] ?? 0;
  return {
    requests: saved.length,
    seconds,
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    statuses,
    cpuMs: (cpu.user + cpu.system) / 1_000,
    received: received - receivedBefore,
    tokens: tokens.length,
    lastUrl: walkedTo,
  };
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

/** Resolves when every payment has had its webhook. */
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
      return { request: create, answered: (reply) => tokens.push(tokenIn(reply)) };
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
      return { request: () => get(urls[(turns += 1) % urls.length] ?? "/", bearer()) };
    case "walk":
      return walk(urls[0] ?? "/");
    case "webhooks":
    case "bare":
      return { request: () => get("/", "") };
  }
}

/** Each connection pays what it has created before it creates the next. */
function createAndPay(): Kind {
  const created: string[] = [];
  return {
    request: () => (created.length > 0 ? pay(created.pop(), APPROVED) : create()),
    answered: (reply) => {
      if (reply.status === 201) created.push(tokenIn(reply));
      else completed();
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

function shop(): Shop {
  if (target.shop === null) throw new Error("The client has no shop");
  return target.shop;
}

function create(): string {
  people += 1;
  const body =
    `{"gateway_id":"${shop().gatewayId}","webhook_profile_id":"${shop().profileId}","amount":"19.90","currency":"EUR","billing_type":"ONE_OFF","lead":{` +
    `"first_name":"Ada","last_name":"Example","email":"ada${people}@example.com","country":"DE"}}`;
  return post("/api/v1/payment-sessions/", bearer(), body);
}

function pay(token: string | undefined, iban: string): string | null {
  if (token === undefined) return null;
  const body = `{"iban":"${iban}","iban_holder_name":"Ada Example"}`;
  return post(`/api/v1/payment-sessions/${token}/pay/`, "", body);
}

function postback(): string {
  turns += 1;
  const body = `{"event":"sale","transaction_id":"bench-${turns}","amount":"19.90","currency":"EUR"}`;
  return post(shop().postbackPath, "", body);
}

/** The token of a create's answer, which comes first in it. */
function tokenIn({ body }: Reply): string {
  const text = body.toString("latin1", 0, 400);
  const start = text.indexOf('"session_token":"') + 17;
  return text.slice(start, text.indexOf('"', start));
}

function nextToken(): string {
  turns += 1;
  return tokens[turns % tokens.length] ?? "";
}

/** The keys take turns: each is limited to 50 calls per second. */
function bearer(): string {
  turns += 1;
  const { keys } = shop();
  return `Authorization: Bearer ${keys[turns % keys.length]}\r\n`;
}

/** Customers' addresses, as a proxy tells them: a limit of one call per second and address needs a new one each time. */
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
