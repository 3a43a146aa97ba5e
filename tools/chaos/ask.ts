/** A merchant's HTTP call with a deadline. @returns the response, or null if there was none. */
import { request, type ClientRequest } from "node:http";
import { freshAddress, type CallOptions, type Json } from "../../tests/support/service.ts";

export interface Answer {
  /** 0 without a response. */
  readonly status: number;
  readonly body: Json;
  readonly text: string;
  readonly ms: number;
}

export interface AskOptions extends CallOptions {
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 25_000;

export function ask(
  base: string,
  method: string,
  path: string,
  body?: unknown,
  { key, headers = {}, timeoutMs = TIMEOUT_MS }: AskOptions = {},
): Promise<Answer> {
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const outgoing = request(base + (path.startsWith("/") ? path : `/api/v1/${path}`), {
    method,
    // Customers' limits count per address.
    localAddress: freshAddress(),
    agent: false,
    headers: {
      ...(payload === undefined
        ? {}
        : { "content-type": "application/json", "content-length": Buffer.byteLength(payload) }),
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    },
  });
  const answer = answerTo(outgoing, timeoutMs);
  outgoing.end(payload);
  return answer;
}

/** The response to a request, with a time limit. */
export function answerTo(outgoing: ClientRequest, timeoutMs = TIMEOUT_MS): Promise<Answer> {
  const began = performance.now();
  return new Promise((resolve) => {
    const answered = (status: number, text: string): void => {
      clearTimeout(timer);
      resolve({ status, text, body: parsed(text), ms: performance.now() - began });
    };
    const timer = setTimeout(() => outgoing.destroy(new Error("no answer in time")), timeoutMs);
    outgoing.on("error", (error) => answered(0, error.message));
    outgoing.on("close", () => answered(0, "the connection ended"));
    outgoing.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", (error) => answered(0, error.message));
      response.on("end", () => answered(response.statusCode ?? 0, Buffer.concat(chunks).toString()));
    });
  });
}

/** The class in which responses are counted; distinctive ones have their own. */
export function classOf({ status }: Answer): string {
  if (status === 0) return "none";
  if ([409, 410, 429, 503].includes(status)) return String(status);
  return `${Math.floor(status / 100)}xx`;
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return {};
  }
}
