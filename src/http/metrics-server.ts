/** Serves /metrics on a port of its own, which customers cannot reach. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { once } from "node:events";
import { sameBytes } from "../lib/keyring.ts";

/** An `import` would evaluate all of its exports, and load undici with them: 5 MB. */
const { createServer } = process.getBuiltinModule("node:http");

interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

interface MetricsServerOptions {
  readonly host: string;
  readonly port: number;
  /** Required as `Authorization: Bearer …`; null lets everyone who reaches the port read. */
  readonly token: string | null;
  metrics(): Promise<{ readonly contentType: string; readonly body: string }>;
}

const CONNECTIONS_MAX = 100;
const HEADERS_MS_MAX = 5_000;

/** Serves GET /metrics, and 404 for anything else. */
export async function startMetricsServer(options: MetricsServerOptions): Promise<MetricsServer> {
  const { host, port } = options;
  const limits = { headersTimeout: HEADERS_MS_MAX, requestTimeout: HEADERS_MS_MAX, maxHeaderSize: 8 * 1024 };
  const server = createServer(limits, (request, response) => {
    answer(options, request, response).catch(() => response.destroy());
  });
  server.maxConnections = CONNECTIONS_MAX;
  server.listen(port, host);
  await once(server, "listening");
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close").catch(() => {});
    },
  };
}

async function answer(
  options: MetricsServerOptions,
  { method, url, headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (url?.split("?")[0] !== "/metrics" || (method !== "GET" && method !== "HEAD")) {
    response.writeHead(404).end();
    return;
  }
  const { token } = options;
  const given = Buffer.from(headers.authorization ?? "");
  if (token !== null && !sameBytes(given, Buffer.from(`Bearer ${token}`))) {
    response.writeHead(401, { "www-authenticate": "Bearer" }).end();
    return;
  }
  const { contentType, body } = await options.metrics();
  response.writeHead(200, { "content-type": contentType, "cache-control": "no-store" });
  response.end(method === "HEAD" ? undefined : body);
}
