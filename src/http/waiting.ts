/** Answers probes while the service cannot start: alive, not ready, with the reason. */
import { once } from "node:events";

/** An `import` would evaluate all of its exports, and load undici with them: 5 MB. */
const { createServer } = process.getBuiltinModule("node:http");

interface Waiting {
  close(): Promise<void>;
}

const RETRY_AFTER_SECONDS = 5;

/**
 * Starts the server.
 * @param detail returns why the service is not ready; called for each probe.
 */
export async function answerWhileWaiting(
  { host, port }: { readonly host: string; readonly port: number },
  detail: () => string,
): Promise<Waiting> {
  const server = createServer((request, response) => {
    const alive = request.url === "/healthz";
    const body = alive ? { status: "ok" } : { status: "not ready", detail: detail(), status_code: 503 };
    response.writeHead(alive ? 200 : 503, {
      "content-type": "application/json",
      connection: "close",
      ...(alive ? {} : { "retry-after": String(RETRY_AFTER_SECONDS) }),
    });
    response.end(JSON.stringify(body));
  });
  server.listen(port, host);
  await once(server, "listening");
  return {
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
