/** Merchants' webhook receivers: real HTTP servers that record requests, and fail on demand. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** The response from now on. */
  answer: (received: Received, response: ServerResponse, request: IncomingMessage) => void;
  /** Resolves once this many requests have arrived. */
  arrived(count: number): Promise<void>;
  close(): Promise<void>;
}

export const ok: Receiver["answer"] = (_, response) => response.writeHead(200).end("thanks");

/** Responds with this status, and with headers if given. */
export function answering(status: number, headers: Record<string, string> = {}): Receiver["answer"] {
  return (_, response) => response.writeHead(status, headers).end();
}

/** Accepts the request and never responds. */
export const silent: Receiver["answer"] = () => {};

export async function startReceiver(answer: Receiver["answer"] = ok): Promise<Receiver> {
  const received: Received[] = [];
  let waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const server = createServer({ keepAliveTimeout: 30_000 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("error", () => {});
    request.on("end", () => {
      const one = {
        path: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      };
      received.push(one);
      for (const { count, resolve } of waiting) if (received.length >= count) resolve();
      waiting = waiting.filter(({ count }) => received.length < count);
      receiver.answer(one, response, request);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no port");
  const receiver: Receiver = {
    url: `http://127.0.0.1:${address.port}/hook`,
    received,
    answer,
    arrived: (count) =>
      received.length >= count
        ? Promise.resolve()
        : new Promise((resolve) => waiting.push({ count, resolve })),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return receiver;
}
