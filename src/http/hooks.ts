/** The steps around every handler: authentication, rate limit, reading and validating the body, storing the response. */
import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../lib/clock.ts";
import { isUuid, type Ids } from "../lib/ids.ts";
import type { Keyring } from "../lib/keyring.ts";
import type { Log } from "../lib/log.ts";
import { addSubject, readTraceparent, startWork, insideWork, type Tracer, type Work } from "../lib/trace.ts";
import { FieldErrors, Refusal } from "../refusals.ts";
import { type AccessParts, admit, callerKey, limitOf } from "./access.ts";
import type { Answer, Caller, SessionInPath } from "./endpoint.ts";
import type { AnswerStore, IdempotencyKeyUse } from "../lib/answer-store.ts";
import { begin, finish } from "./idempotency.ts";
import { parseForm, parseJson } from "./json.ts";
import type { DeclaredEndpoint } from "./openapi.ts";
import { refused } from "./errors.ts";
import { readRawBody, discardRest } from "./raw-body.ts";
import { FORM_BYTES_MAX, tooLarge } from "./upload.ts";
import type { Check } from "./validation.ts";

/** The dependencies of the server. */
export interface Edge extends AccessParts {
  readonly log: Log;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly keys: Keyring;
  readonly answers: AnswerStore;
  /** CIDR ranges of proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  /** The most concurrent connections of one address; 256 by default. */
  readonly connectionsPerAddress?: number;
  /** How long a client may read nothing of its response; a minute by default. */
  readonly stalledMs?: number;
  /** Records requests as spans; null without a collector. */
  readonly tracer?: Tracer | null;
  /**
   * Whether the service is held after a restore: only the operator and reconciliation with the bank may change anything
   * then.
   */
  readonly held?: () => boolean;
  onRequestDone(done: DoneRequest): void;
}

/** A completed request, without its content. */
export interface DoneRequest {
  readonly method: string;
  /** The declared path, never the actual one, which contains tokens. */
  readonly route: string;
  readonly status: number;
  readonly ms: number;
  readonly requestId: string;
  /** Null if unknown. */
  readonly tenant: number | null;
  readonly keyId: string | null;
  readonly sessionId: string | null;
  /** The id in the path. */
  readonly recordId: string | null;
  /** Why it was refused, as returned by `problemOf`. */
  readonly problem: string | null;
}

/** The state of a request in progress. */
interface State {
  readonly declared: DeclaredEndpoint;
  readonly checkBody: Check | null;
  readonly decimalKeys: ReadonlySet<string>;
  readonly checkQuery: Check | null;
  readonly bodyLimit: number;
  /** The schemas that serialise responses, by status. */
  readonly written: ReadonlyMap<number, () => Record<string, unknown>>;
}

interface RequestState {
  clientIp: string;
  caller: Caller;
  session: SessionInPath | null;
  /** What log lines and spans of this request contain. */
  work: Work;
  startedMs: number;
  rawBody: Buffer;
  operationId: string;
  entry: IdempotencyKeyUse | null;
  /** Why it was refused. */
  problem: string | null;
}

declare module "fastify" {
  interface FastifyRequest {
    edge: RequestState;
  }
  interface FastifyContextConfig {
    state?: State;
  }
}

export const JSON_TYPE = "application/json; charset=utf-8";
/** The headers that let a browser pass a response to a script of another origin. */
const CROSS_ORIGIN = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "Retry-After, X-Request-Id, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset",
};
const HELD_RETRY_SECONDS = 60;
const NOTHING = Buffer.alloc(0);
const NO_KEYS: ReadonlySet<string> = new Set();
/** Internal: selects the parser of raw bodies, whatever the client's content type. */
const RAW_TYPE = "application/x-raw";

/**
 * Authentication and limits: refuses whatever can be refused before the body is read. Null lets the request continue.
 */
export function onRequest(
  edge: Edge,
  clientIp: (peer: string, forwardedFor: string | undefined) => string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Answer | null> {
  const work = workOf(edge, request);
  return insideWork(work, () => receiveRequest(edge, clientIp, request, reply, work));
}

/** Runs a request in a span, which continues the caller's trace if it names one. */
function workOf({ tracer = null }: Edge, request: FastifyRequest): Work {
  const declared = request.routeOptions.config.state?.declared;
  const { method, headers, id } = request;
  const route = declared?.path ?? "unknown";
  return startWork(isProbe(declared) ? null : tracer, {
    name: `${method} ${route}`,
    kind: "server",
    parent: mayNameTrace(declared) ? readTraceparent(headers["traceparent"]) : null,
    subject: { request_id: id },
    fields: { "http.request.method": method, "http.route": route },
  });
}

/** Probes arrive every few seconds and are not about payments. */
function isProbe(declared: DeclaredEndpoint | undefined): boolean {
  return declared?.endpoint.tag === "Operations";
}

/** The merchant's programs have traces of their own; trace headers from browsers and partners are ignored. */
function mayNameTrace(declared: DeclaredEndpoint | undefined): boolean {
  const { access, hidden = false } = declared?.endpoint ?? { access: "anyone" };
  return access !== "anyone" && !hidden;
}

async function receiveRequest(
  edge: Edge,
  clientIp: (peer: string, forwardedFor: string | undefined) => string,
  request: FastifyRequest,
  reply: FastifyReply,
  work: Work,
): Promise<Answer | null> {
  const { headers } = request;
  const forwardedFor = headers["x-forwarded-for"];
  request.edge = {
    clientIp: clientIp(
      request.socket.remoteAddress ?? "",
      Array.isArray(forwardedFor) ? forwardedFor.join() : forwardedFor,
    ),
    caller: { kind: "anonymous" },
    session: null,
    work,
    startedMs: edge.clock.monotonicMs(),
    rawBody: NOTHING,
    operationId: "",
    entry: null,
    problem: null,
  };
  reply.headers(commonHeaders(request.id));
  const state = request.routeOptions.config.state;
  if (state === undefined) return null;
  if (state.declared.endpoint.crossOrigin === true) reply.headers(CROSS_ORIGIN);
  const { endpoint, method } = state.declared;
  refuseAmbiguous(request);
  if (endpoint.body !== "raw") refuseEncoded(request);
  if (endpoint.body !== "upload") limitArrival(request);
  const { token } = request.params as { readonly token?: string };
  await admit(
    edge,
    {
      access: endpoint.access,
      limit: limitOf(endpoint),
      authorization: headers.authorization,
      token,
      clientIp: request.edge.clientIp,
    },
    {
      onLimits: (limits) => void reply.headers(limits),
      onKnown: ({ caller, session }) => {
        request.edge.caller = caller;
        request.edge.session = session;
        if (session !== null) addSubject({ tenant: session.tenant, session_id: session.sessionId });
        else if ("tenant" in caller) addSubject({ tenant: caller.tenant });
      },
    },
  );
  if (edge.held?.() === true) {
    const changes = endpoint.changes?.(request.query as Readonly<Record<string, unknown>>) === true;
    refuseHeld(method === "GET" && !changes, endpoint);
  }
  if (endpoint.body === "upload") beforeUpload(state, request);
  return endpoint.body === "raw" ? beforeRawBody(state.declared, request) : null;
}

/** On every response, even if no route was found. */
export function commonHeaders(requestId: string): Readonly<Record<string, string>> {
  return {
    "x-request-id": requestId,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  };
}

/** Until then records can be read, and the bank's files processed. */
function refuseHeld(
  reads: boolean,
  { access, whenHeld }: Pick<DeclaredEndpoint["endpoint"], "access" | "whenHeld">,
): void {
  if (reads || whenHeld === true || access === "operator" || access === "bank") return;
  const detail = "The service was restored from a backup and is checked first. Try again later.";
  throw new Refusal("unavailable", { detail, retryAfter: HELD_RETRY_SECONDS });
}

/** With two hosts or two credentials it is unknown which one counts, and a proxy may have used the other one. */
function refuseAmbiguous(request: FastifyRequest): void {
  const { rawHeaders } = request.raw;
  let hosts = 0;
  let credentials = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase();
    if (name === "host") hosts += 1;
    if (name === "authorization") credentials += 1;
  }
  if (hosts > 1) throw new Refusal("unreadable_request", { detail: "Send one Host header." });
  if (credentials > 1) throw new Refusal("unauthorized");
}

function refuseEncoded({ headers }: FastifyRequest): void {
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity") {
    throw new Refusal("unsupported_media_type", { detail: "Send the body without a Content-Encoding." });
  }
}

/** How long a body may take to arrive; a file may take as long as the server allows any request. */
const ARRIVAL_MS_MAX = 15_000;
const TOO_SLOW = JSON.stringify(refused(new Refusal("too_slow")).body);

/** Disconnects a client that sends its body a byte at a time. */
function limitArrival({ raw, headers }: FastifyRequest): void {
  const length = headers["content-length"];
  if (headers["transfer-encoding"] === undefined && (length === undefined || length === "0")) return;
  const { socket } = raw;
  const timer = setTimeout(() => {
    if (raw.complete || !socket.writable) return;
    const head = "HTTP/1.1 408 Request Timeout\r\nContent-Type: application/json\r\nConnection: close\r\n";
    socket.end(`${head}Content-Length: ${TOO_SLOW.length}\r\n\r\n${TOO_SLOW}`, () => socket.destroy());
  }, ARRIVAL_MS_MAX);
  timer.unref();
  raw.once("close", () => clearTimeout(timer));
  raw.once("end", () => clearTimeout(timer));
}

async function beforeRawBody(
  { endpoint }: DeclaredEndpoint,
  request: FastifyRequest,
): Promise<Answer | null> {
  const { params, headers } = request;
  const answer = (await endpoint.beforeBody?.({ params, headers })) ?? null;
  const tooLarge = Number(headers["content-length"]) > request.routeOptions.bodyLimit;
  if (answer === null && tooLarge) throw new Refusal("payload_too_large");
  request.headers = { "content-type": RAW_TYPE };
  return answer;
}

/** Refuses an upload before it is read: not a form, or too large by its announced length. */
function beforeUpload({ bodyLimit }: State, { headers }: FastifyRequest): void {
  if (!/^multipart\/form-data\b/i.test(headers["content-type"] ?? "")) {
    throw new Refusal("unsupported_media_type", { detail: "Send the file as multipart/form-data." });
  }
  if (Number(headers["content-length"]) > bodyLimit + FORM_BYTES_MAX) throw tooLarge(bodyLimit);
}

/**
 * Responds before a body was read completely. The connection stays open until the client has sent what it had begun,
 * within limits, as many clients only read then.
 */
export function answerBeforeBodyEnds(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const body = request.routeOptions.config.state?.declared.endpoint.body;
  if ((body !== "raw" && body !== "upload") || request.raw.complete) return reply;
  discardRest(request.raw);
  reply.raw.shouldKeepAlive = true;
  return reply.removeHeader("connection");
}

export function addParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/json",
    { parseAs: "buffer" },
    async (request: FastifyRequest, bytes: Buffer) => {
      request.edge.rawBody = bytes;
      if (bytes.length === 0) return undefined;
      const state = request.routeOptions.config.state;
      const { body } = state?.declared.endpoint ?? {};
      if (body === "form" || body === "upload") throw new Refusal("unsupported_media_type");
      return parseJson(bytes, { decimalKeys: state?.decimalKeys ?? NO_KEYS });
    },
  );
  app.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "buffer" },
    async (request: FastifyRequest, bytes: Buffer) => {
      request.edge.rawBody = bytes;
      if (bytes.length === 0) return undefined;
      const endpoint = request.routeOptions.config.state?.declared.endpoint;
      if (endpoint?.body !== "form") throw new Refusal("unsupported_media_type");
      return parseForm(bytes);
    },
  );
  app.addContentTypeParser(RAW_TYPE, async (request: FastifyRequest, incoming: IncomingMessage) => {
    const { bodyLimit, config } = request.routeOptions;
    if (config.state?.declared.endpoint.body !== "raw") throw new Refusal("unsupported_media_type");
    request.edge.rawBody = await readRawBody(incoming, bodyLimit);
    refuseEncoded(request);
    return undefined;
  });
  app.addContentTypeParser(/^multipart\/form-data\b/, async (request: FastifyRequest) => {
    const endpoint = request.routeOptions.config.state?.declared.endpoint;
    if (endpoint?.body !== "upload") throw new Refusal("unsupported_media_type");
    return undefined;
  });
  // A request without a body has an empty one, whatever its content type.
  app.addContentTypeParser("*", { parseAs: "buffer" }, async (request: FastifyRequest, bytes: Buffer) => {
    request.edge.rawBody = bytes;
    if (bytes.length > 0) throw new Refusal("unsupported_media_type");
    return undefined;
  });
}

/** The last steps before the handler: the stored answer of an Idempotency-Key, then the schemas. */
export function beforeHandler(edge: Edge, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  return insideWork(request.edge.work, () => checked(edge, request, reply));
}

async function checked(edge: Edge, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const state = request.routeOptions.config.state;
  if (state === undefined) return undefined;
  request.edge.operationId = edge.ids.uuid();
  const replayed = await replay(edge, state.declared, request, reply);
  if (replayed) return reply;
  // A missing body counts as an empty one: verify and cancel are called without.
  if (state.checkBody !== null && request.edge.rawBody.length === 0) request.body = {};
  const wrong = wrongQuery(state, request) ?? wrongBody(state, request.body);
  if (wrong !== null) {
    const { non_field_errors: whole } = wrong.fields;
    throw whole === undefined
      ? wrong
      : new Refusal("malformed_json", { detail: "The request body must be a JSON object." });
  }
  return undefined;
}

async function replay(
  edge: Edge,
  { method, endpoint }: DeclaredEndpoint,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  const key = request.headers["idempotency-key"];
  if (key === undefined || method !== "POST" || endpoint.access === "anyone") return false;
  if (endpoint.body === "upload") return false;
  const { caller, session, rawBody, operationId } = request.edge;
  const found = await begin(edge, String(key), {
    tenant: session?.tenant ?? ("tenant" in caller ? caller.tenant : 0),
    caller: session === null ? callerKey(caller) : `session:${session.sessionId}`,
    method,
    url: request.raw.url ?? "",
    body: rawBody,
    operationId,
  });
  if (!("status" in found)) {
    request.edge.entry = found;
    request.edge.operationId = found.operationId;
    return false;
  }
  reply.code(found.status).headers({ "content-type": found.contentType, "idempotent-replayed": "true" });
  reply.send(found.body);
  return true;
}

/** The schema's messages and the endpoint's own; for each field the schema's take precedence. */
function wrongQuery({ checkQuery, declared }: State, request: FastifyRequest): FieldErrors | null {
  const wrong = checkQuery?.(request.query) ?? null;
  const query = request.query as Readonly<Record<string, unknown>>;
  const fields = { ...declared.endpoint.queryProblems?.(query, request.edge.caller), ...wrong?.fields };
  return Object.keys(fields).length === 0 ? null : new FieldErrors(fields);
}

/** As with the query; a body that is not an object has no fields. */
function wrongBody({ checkBody, declared }: State, body: unknown): FieldErrors | null {
  const wrong = checkBody?.(body) ?? null;
  const { endpoint } = declared;
  if (endpoint.bodyProblems === undefined || wrong?.fields["non_field_errors"] !== undefined) return wrong;
  const given = body as Readonly<Record<string, unknown>>;
  const usable = Object.fromEntries(
    Object.entries(given).filter(([name]) => wrong === null || !Object.hasOwn(wrong.fields, name)),
  );
  const fields = { ...endpoint.bodyProblems({ given, usable }), ...wrong?.fields };
  return Object.keys(fields).length === 0 ? null : new FieldErrors(fields);
}

/** Stores the response to a request with an Idempotency-Key before it is sent. */
export async function beforeSending(
  edge: Edge,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  const entry = request.edge?.entry ?? null;
  if (entry === null) return payload;
  request.edge.entry = null;
  try {
    const answer = {
      status: reply.statusCode,
      contentType: String(reply.getHeader("content-type") ?? JSON_TYPE),
      body: typeof payload === "string" ? payload : "",
    };
    await insideWork(request.edge.work, () => finish(edge, entry, answer));
  } catch (error) {
    // The work is done; once the lock has expired, the key may run again under the same operation id.
    insideWork(request.edge.work, () =>
      edge.log.error("a response could not be stored", error, { request_id: request.id }),
    );
  }
  return payload;
}

/** Writes the request's log line, metrics and entry in the log of requests. */
export function afterResponse(edge: Edge, request: FastifyRequest, reply: FastifyReply): void {
  const route = request.routeOptions.config.state?.declared.path ?? "unknown";
  const ms = edge.clock.monotonicMs() - request.edge.startedMs;
  const { method, id: request_id } = request;
  const { statusCode: status } = reply;
  const { work, caller, session, problem } = request.edge;
  const { id: recordId = "" } = request.params as { readonly id?: string };
  edge.onRequestDone({
    method,
    route,
    status,
    ms,
    requestId: request_id,
    tenant: session?.tenant ?? ("tenant" in caller ? caller.tenant : null),
    keyId: caller.kind === "key" ? caller.keyId : null,
    sessionId: session?.sessionId ?? (caller.kind === "session" ? caller.sessionId : null),
    recordId: isUuid(recordId) ? recordId : null,
    problem,
  });
  insideWork(work, () => edge.log.info("request", { method, route, status, ms: Math.round(ms), request_id }));
  work.span?.set({ "http.response.status_code": status });
  work.span?.end(status >= 500 ? new Error("5xx") : undefined);
}
