/** The simulated bank behind HTTP: lines that break before and after the bank has worked, answers that are not the bank's. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { answerTo, type About, type HostSettings, type Injected } from "./host.ts";

/** What goes wrong with a request. */
export type Fault =
  | { readonly kind: "code"; readonly injected: Injected }
  /** The line breaks before the bank has the request, or after it has done its work. */
  | { readonly kind: "cut_before" | "cut_after" }
  /** One letter of the answer is another one. @param at from 0 to 1, where in the answer. */
  | { readonly kind: "flip"; readonly at: number }
  /** What stands before the bank answers in its place. `processed`: the bank has done its work all the same. */
  | { readonly kind: "status"; readonly status: number; readonly processed?: boolean };

export interface EbicsServer {
  readonly url: string;
  /** Every request and answer, in their order. */
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
  // The users close their lines. A bank that did would break the next request of one who computed for those seconds.
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

/** Another letter or digit where there was one. */
function flipped(answer: string, where: number): string {
  const index = Math.min(answer.length - 1, Math.floor(where * answer.length));
  const old = answer.charAt(index);
  const other = old === "A" ? "B" : old === "0" ? "1" : "A";
  return answer.slice(0, index) + other + answer.slice(index + 1);
}
