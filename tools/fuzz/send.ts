/** One HTTP request as bytes, with its response and duration. */
import { Agent, request, type IncomingHttpHeaders } from "node:http";

export interface Outgoing {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer | null;
  /** Sent in pieces, without a length. */
  readonly chunked?: boolean;
}

export interface Incoming {
  /** 0 when the connection ended without an answer. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly ms: number;
  /** The error if there was no response. */
  readonly trouble: string | null;
}

export interface Client {
  /** From one of many loopback addresses, because limits count per address. */
  send(outgoing: Outgoing, from: number): Promise<Incoming>;
  close(): void;
}

/** Longer than any request may take; slower requests than the rule allows are still reported. */
const GIVE_UP_MS = 60_000;
/** The service may close a kept connection at the moment it is used again. */
const STALE = /ECONNRESET|EPIPE|socket hang up/;

export function createClient(url: string, addresses: number): Client {
  const { hostname, port } = new URL(url);
  const agents = new Map<number, Agent>();
  const agentOf = (from: number) => {
    const index = from % addresses;
    const known = agents.get(index);
    if (known !== undefined) return known;
    const localAddress = `127.${10 + (index >> 14)}.${(index >> 7) & 127}.${(index & 127) + 1}`;
    const made = new Agent({ keepAlive: true, maxSockets: 4, timeout: GIVE_UP_MS, localAddress });
    agents.set(index, made);
    return made;
  };
  const once = (outgoing: Outgoing, from: number) =>
    new Promise<Incoming & { readonly reused: boolean }>((resolve) => {
      const began = performance.now();
      const { method, path, headers, body, chunked = false } = outgoing;
      const length = chunked
        ? { "transfer-encoding": "chunked" }
        : { "content-length": String(body?.length ?? 0) };
      const sized = body === null ? {} : length;
      const sent = request({
        hostname,
        port,
        method,
        path,
        agent: agentOf(from),
        headers: { ...headers, ...sized } as Record<string, string | string[]>,
        signal: AbortSignal.timeout(GIVE_UP_MS),
      });
      const end = (answer: Omit<Incoming, "ms">) =>
        resolve({ ...answer, ms: performance.now() - began, reused: sent.reusedSocket });
      const nothing = (error: Error) =>
        end({ status: 0, headers: {}, text: "", trouble: `${error.name}: ${error.message}` });
      sent.on("error", nothing);
      sent.on("response", (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", nothing);
        response.on("end", () =>
          end({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
            trouble: null,
          }),
        );
      });
      if (chunked && body !== null) {
        for (let at = 0; at < body.length; at += 7_000) sent.write(body.subarray(at, at + 7_000));
        sent.end();
      } else sent.end(body ?? undefined);
    });
  return {
    async send(outgoing, from) {
      const answer = await once(outgoing, from);
      const stale = answer.status === 0 && answer.reused && STALE.test(answer.trouble ?? "");
      return stale ? once(outgoing, from) : answer;
    },
    close() {
      for (const agent of agents.values()) agent.destroy();
    },
  };
}
