/**
 * The simulated bank over HTTP: connections that break before and after processing, responses that are not the
 * bank's.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { answerTo, type About, type HostSettings, type Injected } from "./host.ts";

/** A fault of a request. */
export type Fault =
  | { readonly kind: "code"; readonly injected: Injected }
  /** The connection breaks before the bank has the request, or after it has processed it. */
  | { readonly kind: "cut_before" | "cut_after" }
  /** One letter of the response is changed. @param at its position, from 0 to 1. */
  | { readonly kind: "flip"; readonly at: number }
  /** A proxy in front of the bank responds instead. `processed`: the bank has processed the request anyway. */
  | { readonly kind: "status"; readonly status: number; readonly processed?: boolean };

export interface EbicsServer {
  readonly url: string;
  /** Every request and response, in order. */
  readonly messages: { readonly request: string; readonly answer: string }[];
  close(): Promise<void>;
}

/** @param faultOf decides on a fault for each request. */
export async function startEbicsServer(
  host: HostSettings,
  faultOf: (about: About) => Fault | null = () => null,
  port = 0,
): Promise<EbicsServer> {
  const messages: { request: string; answer: string }[] = [];
  const server = createServer((request, response) => {
    void reply(host, faultOf, messages, request, response).catch(() => response.destroy());
  });
  // Users close their connections: if the bank did, the next request of a slow user would fail.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => void server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/ebics`,
    messages,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function reply(
  host: HostSettings,
  faultOf: (about: About) => Fault | null,
  messages: { request: string; answer: string }[],
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const request = Buffer.concat(chunks).toString();
  let fault: Fault | null = null;
  let answer: string | null = null;
  try {
    answer = answerTo(host, request, (about) => {
      fault = faultOf(about);
      if (fault?.kind === "code") return fault.injected;
      if (fault?.kind === "cut_before" || (fault?.kind === "status" && fault.processed !== true))
        throw new NotForTheBank();
      return null;
    });
  } catch (error) {
    if (!(error instanceof NotForTheBank)) throw error;
  }
  const decided = fault as Fault | null;
  messages.push({ request, answer: answer ?? "" });
  if (decided?.kind === "status") {
    response.writeHead(decided.status).end("not available");
    return;
  }
  if (answer === null || decided?.kind === "cut_after") {
    response.destroy();
    return;
  }
  const sent = decided?.kind === "flip" ? flipped(answer, decided.at) : answer;
  response.writeHead(200, { "Content-Type": "text/xml; charset=UTF-8" }).end(sent);
}

class NotForTheBank extends Error {}

/** A different letter or digit. */
function flipped(answer: string, where: number): string {
  const index = Math.min(answer.length - 1, Math.floor(where * answer.length));
  const old = answer.charAt(index);
  const other = old === "A" ? "B" : old === "0" ? "1" : "A";
  return answer.slice(0, index) + other + answer.slice(index + 1);
}
