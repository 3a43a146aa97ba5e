/** A receiver for development: receives webhooks on this machine, verifies and prints them. */
import { once } from "node:events";
import { createServer } from "node:http";
import { sameBytes } from "../src/lib/keyring.ts";
import { verifyDoctor } from "../src/webhooks/signature-doctor.ts";
import { signatureOf } from "../src/webhooks/delivery/signature.ts";

interface LocalReceiver {
  /** The URL for a webhook profile. */
  readonly url: string;
  close(): Promise<void>;
}

const BODY_BYTES_MAX = 1_024 * 1_024;

/** Answers 200 to requests signed with the secret, 401 to others. @param print called with a paragraph per request. */
export async function listenForWebhooks(
  port: number,
  secret: string,
  print: (text: string) => void,
): Promise<LocalReceiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > BODY_BYTES_MAX) request.destroy();
      else chunks.push(chunk);
    });
    request.on("error", () => {});
    request.on("end", () => {
      const header = (name: string) => String(request.headers[name] ?? "");
      const { right, text } = told(secret, header, Buffer.concat(chunks));
      print(text);
      response.writeHead(right ? 200 : 401).end();
    });
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  return {
    url: `http://127.0.0.1:${bound}/`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function told(secret: string, header: (name: string) => string, body: Buffer) {
  const made = Buffer.from(signatureOf(secret, body));
  const right = ["x-service-signature", "x-service-signature-previous"].some((name) =>
    sameBytes(made, Buffer.from(header(name))),
  );
  const verdict = right
    ? "The signature is right."
    : verifyDoctor(secret, header("x-service-signature"), body).words;
  const head = `${header("x-service-event")} · delivery ${header("x-service-delivery")} · attempt ${header("x-service-attempt")}`;
  return { right, text: `${printable(head)}\n${verdict}\n${indented(body)}\n` };
}

function indented(body: Buffer): string {
  try {
    return JSON.stringify(JSON.parse(body.toString()), null, 2);
  } catch {
    return printable(body.toString());
  }
}

/** Without terminal control sequences. */
function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, " ");
}
