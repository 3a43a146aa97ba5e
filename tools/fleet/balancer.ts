/** A load balancer: checks /readyz, sends requests to ready instances, and records failures. */
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from "node:http";

/** A request without a response of the service. */
interface Failure {
  /** The instance that had it; null: none was ready. */
  readonly instance: string | null;
  readonly request: string;
  readonly why: string;
}

export interface Balancer {
  readonly url: string;
  readonly failures: Failure[];
  /** How many requests each instance has answered. */
  readonly answered: ReadonlyMap<string, number>;
  isReady(name: string): boolean;
  /** Checks the instance again before it gets a request. */
  forget(name: string): Promise<void>;
  close(): Promise<void>;
}

interface Target {
  readonly name: string;
  readonly url: string;
}

/** The header with the instance that answered. */
export const ANSWERED_BY = "x-answered-by";
const PROBE_EVERY_MS = 250;
/** A slow instance is not given up before this time; a stopped one hangs this long. */
const PROBE_MS_MAX = 5_000;

export async function startBalancer(targets: readonly Target[]): Promise<Balancer> {
  const ready = new Set<string>();
  const failures: Failure[] = [];
  const answered = new Map<string, number>();
  const agent = new Agent({ keepAlive: true });
  let turn = 0;

  const stop = new AbortController();
  const probe = async ({ name, url }: Target): Promise<void> => {
    if (await isUp(url)) ready.add(name);
    else ready.delete(name);
  };
  const watch = async (target: Target): Promise<void> => {
    while (!stop.signal.aborted) {
      await probe(target);
      await sleep(PROBE_EVERY_MS, undefined, { signal: stop.signal }).catch(() => {});
    }
  };

  /** The next one that is ready and was not tried. */
  const next = (tried: ReadonlySet<string>): Target | undefined => {
    const usable = targets.filter(({ name }) => ready.has(name) && !tried.has(name));
    turn += 1;
    return usable[turn % Math.max(1, usable.length)];
  };

  const pass = (
    incoming: IncomingMessage,
    body: Buffer,
    response: ServerResponse,
    tried: Set<string>,
  ): void => {
    const target = next(tried);
    const what = `${incoming.method} ${incoming.url?.replace(/ps_[\w-]+/, "ps_…")}`;
    const fail = (instance: string | null, why: string): void => {
      failures.push({ instance, request: what, why });
      if (!response.headersSent) response.writeHead(502);
      response.end();
    };
    if (target === undefined) return fail(null, "no instance is ready");
    const outgoing = request(target.url + incoming.url, {
      method: incoming.method ?? "GET",
      // Customers' limits count per address.
      headers: { ...incoming.headers, "x-forwarded-for": incoming.socket.remoteAddress },
      agent,
    });
    outgoing.on("response", (answer) => {
      const headers = { ...answer.headers, connection: "keep-alive", [ANSWERED_BY]: target.name };
      response.writeHead(answer.statusCode ?? 502, headers);
      answer.pipe(response);
      answer.on("error", (error) => fail(target.name, error.message));
      answer.on("end", () => answered.set(target.name, (answered.get(target.name) ?? 0) + 1));
    });
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      if (response.headersSent) return;
      // A request that was not sent can go to another instance, and so can one on a kept connection that was already
      // closed.
      if (error.code === "ECONNREFUSED" || (outgoing.reusedSocket && error.code === "ECONNRESET")) {
        ready.delete(target.name);
        return pass(incoming, body, response, tried.add(target.name));
      }
      fail(target.name, error.message);
    });
    outgoing.end(body);
  };

  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => pass(incoming, Buffer.concat(chunks), response, new Set()));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const watching = Promise.all(targets.map(watch));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    failures,
    answered,
    isReady: (name) => ready.has(name),
    async forget(name) {
      ready.delete(name);
      for (const target of targets) if (target.name === name) await probe(target);
    },
    async close() {
      stop.abort();
      await watching;
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function isUp(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request(`${url}/readyz`, { agent: false, timeout: PROBE_MS_MAX }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    asked.on("timeout", () => asked.destroy());
    asked.on("error", () => resolve(false));
    asked.on("close", () => resolve(false));
    asked.end();
  });
}
