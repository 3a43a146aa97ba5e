/**
 * The only file that calls merchants' and their partners' servers: checked addresses, hard deadlines, no redirects,
 * limited responses.
 */
import { lookup as lookUpName, type LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import type { Agent, Dispatcher } from "undici";
import { SECOND_MS, type Clock } from "../../lib/clock.ts";
import { withDeadline } from "../../lib/deadline.ts";
import { lazily } from "../../lib/lazily.ts";
import { redacted } from "../../lib/log.ts";
import { traceHeaders } from "../../lib/trace.ts";
import { isInside, isPublicAddress, readTarget, TargetRefused, type TargetRules } from "./target.ts";

/** The result of a request. Without a response `responseCode` is null and `error` gives the reason. */
export interface Sent {
  readonly responseCode: number | null;
  readonly retryAfter: string | undefined;
  /** At most the first 16 KiB, without tokens, keys and IBANs that the receiver may have echoed. */
  readonly responseBody: string | null;
  readonly error: string | null;
  readonly durationMs: number;
}

/** The whole unchanged body, or why it could not be read. */
type Fetched =
  | { readonly kind: "fetched"; readonly body: Buffer }
  | { readonly kind: "failed"; readonly error: string };

export interface Sender {
  /** Never throws: errors are part of the result. */
  post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<Sent>;
  /** Reads the body of a 2xx response, up to `bytesMax`. Never throws. */
  get(url: string, headers: Readonly<Record<string, string>>, bytesMax: number): Promise<Fetched>;
  /** Closes idle and open connections. */
  close(): Promise<void>;
}

/** For protocols in which the response itself is read, such as an identity provider's. */
export interface Requester {
  /**
   * The whole response.
   * @throws Error when there is none, or it is larger than `bytesMax`.
   */
  ask(request: Question, bytesMax: number): Promise<FullAnswer>;
}

interface Question {
  readonly url: string;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

interface FullAnswer {
  readonly status: number;
  readonly contentType: string | null;
  readonly body: Buffer;
}

export interface SenderOptions extends TargetRules {
  /** Whether responses from private addresses are shown. Where tenants may reach them by default, they are not. */
  readonly showPrivate?: boolean;
  readonly clock: Clock;
  /** All addresses of a name; the system's resolver, except in tests. */
  readonly resolve?: (hostname: string) => Promise<readonly LookupAddress[]>;
  /**
   * The limit from the first byte sent to the last one read, and for connecting; as in the contract (contract:
   * Delivery), shorter in tests.
   */
  readonly totalMs?: number;
  readonly connectMs?: number;
}

const CONNECT_MS = 5 * SECOND_MS;
export const TOTAL_MS = 15 * SECOND_MS;
/** The outcome is in the status line; a slow body is not waited for. */
const BODY_MS = 2 * SECOND_MS;
const BODY_BYTES_MAX = 16 * 1_024;
const HEADER_BYTES_MAX = 16 * 1_024;
const ERROR_LENGTH_MAX = 300;

export function createSender(options: SenderOptions): Sender & Requester {
  const { clock, totalMs = TOTAL_MS, connectMs = CONNECT_MS } = options;
  /** Names that resolved to a private address: their responses are not shown, even if they resolve elsewhere later. */
  const insideNames = new Set<string>();
  const isShown = (target: URL) =>
    !options.allowPrivate ||
    (options.showPrivate ?? true) ||
    !(isInside(target) || insideNames.has(target.hostname));
  let agent: Agent | null = null;
  // Loaded with the first call: it takes a tenth of the processor time of a start, and 10 MB.
  const caller = lazily(async (): Promise<Caller> => {
    const undici = await import("undici");
    const dispatcher = new undici.Agent({
      connect: { timeout: connectMs, lookup: checkedLookup(options, (name) => insideNames.add(name)) },
      allowH2: false,
      maxHeaderSize: HEADER_BYTES_MAX,
    });
    agent = dispatcher;
    return (target, how) => undici.request(target, { ...how, dispatcher });
  });

  return {
    async post(url, headers, body) {
      const call = await caller();
      const started = clock.monotonicMs();
      const traced = { ...headers, ...traceHeaders() };
      const answer = await answerOf(options, call, totalMs, { url, headers: traced, body }, isShown);
      return { ...answer, durationMs: Math.max(0, Math.round(clock.monotonicMs() - started)) };
    },
    get: async (url, headers, bytesMax) =>
      fetched(options, await caller(), totalMs, {
        url,
        headers: { ...headers, ...traceHeaders() },
        bytesMax,
      }),
    async ask({ url, method, headers, body }, bytesMax) {
      const call = await caller();
      const signal = AbortSignal.timeout(totalMs);
      const answer = await call(readTarget(url, options), { method, headers: { ...headers }, body, signal });
      const whole = await wholeOf(answer.body, bytesMax);
      if (whole === null) throw new Error(`The answer is larger than ${bytesMax} bytes.`);
      const type = answer.headers["content-type"];
      return { status: answer.statusCode, contentType: typeof type === "string" ? type : null, body: whole };
    },
    close: async () => agent?.destroy(),
  };
}

/** Calls a server whose address was checked. */
type Caller = (
  target: URL,
  how: Pick<Dispatcher.RequestOptions, "body" | "headers" | "method" | "signal">,
) => Promise<Dispatcher.ResponseData>;

interface Get {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytesMax: number;
}

async function fetched(
  rules: TargetRules,
  call: Caller,
  totalMs: number,
  { url, headers, bytesMax }: Get,
): Promise<Fetched> {
  try {
    const target = readTarget(url, rules);
    const signal = AbortSignal.timeout(totalMs);
    const answer = await call(target, { method: "GET", headers: { ...headers }, signal });
    if (answer.statusCode < 200 || answer.statusCode > 299) {
      await beginningOf(answer.body);
      return { kind: "failed", error: `The server answered ${answer.statusCode}.` };
    }
    const body = await wholeOf(answer.body, bytesMax);
    return body === null
      ? { kind: "failed", error: `The answer is larger than ${bytesMax} bytes.` }
      : { kind: "fetched", body };
  } catch (error) {
    return { kind: "failed", error: explained(error, totalMs) };
  }
}

/** Null when there is more; leaving the loop closes the connection. */
async function wholeOf(body: Dispatcher.ResponseData["body"], bytesMax: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    const bytes = chunk as Buffer;
    length += bytes.length;
    if (length > bytesMax) return null;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function answerOf(
  rules: TargetRules,
  call: Caller,
  totalMs: number,
  { url, headers, body }: Post,
  isShown: (target: URL) => boolean,
): Promise<Omit<Sent, "durationMs">> {
  try {
    const target = readTarget(url, rules);
    return await withDeadline(totalMs, async (signal) => {
      const answer = await call(target, { method: "POST", headers: { ...headers }, body, signal });
      const retryAfter = answer.headers["retry-after"];
      return {
        responseCode: answer.statusCode,
        retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
        responseBody: isShown(target) ? await beginningOf(answer.body) : await unread(answer.body),
        error: answer.statusCode < 300 ? null : `The receiver answered ${answer.statusCode}.`,
      };
    });
  } catch (error) {
    return {
      responseCode: null,
      retryAfter: undefined,
      responseBody: null,
      error: explained(error, totalMs),
    };
  }
}

/** Closes the connection without reading the rest of the response. */
async function unread(body: Dispatcher.ResponseData["body"]): Promise<null> {
  body.on("error", () => {}).destroy();
  return null;
}

/** The first bytes as text. A body that breaks off, never ends or trickles is cut, and its connection closed. */
async function beginningOf(body: Dispatcher.ResponseData["body"]): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  const giveUp = setTimeout(() => body.destroy(), BODY_MS);
  try {
    for await (const chunk of body) {
      const bytes = chunk as Buffer;
      chunks.push(bytes);
      length += bytes.length;
      // Leaving the loop destroys the stream.
      if (length > BODY_BYTES_MAX) break;
    }
  } catch {
    // The status is known; the part read so far is kept.
  } finally {
    clearTimeout(giveUp);
  }
  const text = Buffer.concat(chunks).subarray(0, BODY_BYTES_MAX).toString().replaceAll("\0", "\ufffd");
  return redacted(text);
}

/** Resolves once and connects only to the checked address: a later answer for the name changes nothing. */
function checkedLookup(
  { allowPrivate, resolve = resolveAll }: SenderOptions,
  ledInside: (hostname: string) => void,
): LookupFunction {
  const checked = async (hostname: string) => {
    const addresses = await resolve(hostname);
    const inside = !addresses.every(({ address }) => isPublicAddress(address));
    if (inside) ledInside(hostname);
    if (!allowPrivate && inside) {
      throw new TargetRefused("The host resolves to a non-public address.");
    }
    const first = addresses[0];
    if (first === undefined) throw new TargetRefused("The host has no address.");
    return { first, addresses };
  };
  return (hostname, options, callback) =>
    void answerLookup(checked(hostname), options.all === true, callback);
}

async function answerLookup(
  checked: Promise<{ readonly first: LookupAddress; readonly addresses: readonly LookupAddress[] }>,
  all: boolean,
  callback: Parameters<LookupFunction>[2],
): Promise<void> {
  try {
    const { first, addresses } = await checked;
    if (all) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  } catch (error) {
    callback(error instanceof Error ? error : new Error(String(error)), "");
  }
}

function resolveAll(hostname: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookUpName(hostname, { all: true }, (error, addresses) => {
      if (error) reject(error);
      else resolve(addresses);
    });
  });
}

/** The error in terms that a merchant can act on; never the request's content. */
function explained(error: unknown, totalMs: number): string {
  if (!(error instanceof Error)) return "The request failed.";
  if (error instanceof TargetRefused) return error.message;
  if (error.name === "TimeoutError") return `No answer within ${totalMs / SECOND_MS} seconds.`;
  const code = "code" in error ? `${String(error.code)}: ` : "";
  return redacted(`${code}${error.message}`).replaceAll("\0", "").slice(0, ERROR_LENGTH_MAX);
}
