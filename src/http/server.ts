/** The HTTP server: one request's way from the socket to a route's handler and back. Knows no business. */
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Keyring } from "../lib/keyring.ts";
import type { Log } from "../lib/log.ts";
import { Refusal } from "../refusals.ts";
import { admit, callerKey, type AccessParts } from "./access.ts";
import { clientIpReader } from "./client-ip.ts";
import type { Answer, Caller, Router, SessionInPath } from "./endpoint.ts";
import { answerTo, refused } from "./errors.ts";
import { amountFields } from "./fields.ts";
import { begin, finish, type AnswerStore, type Entry } from "./idempotency.ts";
import { parseJson } from "./json.ts";
import type { DeclaredEndpoint } from "./openapi.ts";
import { bodyCheck, queryCheck, withoutIds, type Check } from "./validation.ts";

/** What the server is built from. */
export interface Edge extends AccessParts {
  readonly log: Log;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly keys: Keyring;
  readonly answers: AnswerStore;
  /** CIDR ranges of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  onRequestDone(method: string, route: string, status: number, ms: number): void;
}

export interface Server {
  readonly router: Router;
  /** Everything declared so far, for the API description. */
  routes(): readonly DeclaredEndpoint[];
  /** For in-process calls (demo, tests). */
  readonly app: FastifyInstance;
  listen(address: { readonly host: string; readonly port: number }): Promise<{ readonly port: number }>;
  /** Stops accepting and lets requests under way finish, for at most half a minute. */
  close(): Promise<void>;
}

/** What is known of a request beside its bytes. */
interface State {
  readonly declared: DeclaredEndpoint;
  readonly checkBody: Check | null;
  readonly decimalKeys: ReadonlySet<string>;
  readonly checkQuery: Check | null;
}

interface RequestState {
  clientIp: string;
  caller: Caller;
  session: SessionInPath | null;
  startedMs: number;
  rawBody: Buffer;
  operationId: string;
  entry: Entry | null;
}

declare module "fastify" {
  interface FastifyRequest {
    edge: RequestState;
  }
  interface FastifyContextConfig {
    state?: State;
  }
}

const BODY_BYTES_MAX = 256 * 1024;
const CLOSE_MS_MAX = 30_000;
const NOTHING = Buffer.alloc(0);
const NO_KEYS: ReadonlySet<string> = new Set();
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
const HTML = "text/html; charset=utf-8";
const JSON_TYPE = "application/json; charset=utf-8";

export function createServer(edge: Edge): Server {
  const app = createApp(edge);
  const declared: DeclaredEndpoint[] = [];
  const clientIp = clientIpReader(edge.trustedProxies);

  app.decorateRequest("edge");
  app.addHook("onRequest", (request, reply) => onRequest(edge, clientIp, request, reply));
  app.addHook("preValidation", (request, reply) => beforeHandler(edge, request, reply));
  app.addHook("onSend", (request, reply, payload) => beforeSending(edge, request, reply, payload));
  app.addHook("onResponse", async (request, reply) => afterResponse(edge, request, reply));
  addParsers(app);
  app.setErrorHandler((error, request, reply) => sendAnswer(reply, errorAnswer(edge, error, request)));
  app.setNotFoundHandler((request, reply) => sendAnswer(reply, notFound(declared, request)));

  return {
    app,
    routes: () => declared,
    router: {
      add: (method, path, endpoint) => declare(app, declared, { method, path, endpoint }),
    },
    async listen({ host, port }) {
      await app.listen({ host, port });
      app.server.maxConnections = 10_000;
      const address = app.server.address();
      return { port: typeof address === "object" && address !== null ? address.port : port };
    },
    close: () => close(app),
  };
}

function createApp(edge: Edge): FastifyInstance {
  return fastify({
    bodyLimit: BODY_BYTES_MAX,
    return503OnClosing: false,
    forceCloseConnections: "idle",
    // Receiving a request may not take longer; how long its handler takes is the handler's affair.
    requestTimeout: 15_000,
    keepAliveTimeout: 10_000,
    http: { maxHeaderSize: 8 * 1024, headersTimeout: 5_000, connectionsCheckingInterval: 1_000 },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 255 },
    genReqId: (request) => {
      const given = request.headers["x-request-id"];
      return typeof given === "string" && REQUEST_ID.test(given) ? given : edge.ids.uuid();
    },
    frameworkErrors: (error, request, reply) =>
      sendAnswer(reply as FastifyReply, unreadableUrl(edge, error, request.id)),
    clientErrorHandler(error, socket) {
      if (!socket.writable) return;
      const [status, text] =
        error.code === "HPE_HEADER_OVERFLOW"
          ? [431, "The request header is too large."]
          : [400, "The request could not be read."];
      const body = JSON.stringify({ detail: text, status_code: status });
      socket.end(
        `HTTP/1.1 ${status} Refused\r\nContent-Type: application/json\r\nConnection: close\r\n` +
          `Content-Length: ${body.length}\r\n\r\n${body}`,
      );
    },
  });
}

/** A path that cannot be decoded names nothing. */
function unreadableUrl(edge: Edge, error: Error & { readonly code?: string }, requestId: string): Answer {
  return error.code === "FST_ERR_BAD_URL"
    ? refused(new Refusal("not_found"))
    : answerTo(error, edge.log, requestId);
}

function declare(app: FastifyInstance, declared: DeclaredEndpoint[], route: DeclaredEndpoint): void {
  const { method, path, endpoint } = route;
  declared.push(route);
  const { body, query, response } = endpoint.schema;
  const shown = Object.entries(response).filter(([status]) => status.startsWith("2"));
  app.route({
    method,
    url: path.replace(/\{(\w+)\}/g, ":$1"),
    ...(endpoint.bodyLimit === undefined ? {} : { bodyLimit: endpoint.bodyLimit }),
    config: {
      state: {
        declared: route,
        checkBody: body === undefined ? null : bodyCheck(body),
        decimalKeys: body === undefined ? NO_KEYS : amountFields(body),
        checkQuery: query === undefined ? null : queryCheck(query),
      },
    },
    // Only successes are written by schema: an error of the same status may look otherwise.
    schema: { response: Object.fromEntries(shown.map(([status, schema]) => [status, withoutIds(schema)])) },
    handler: handle,
  });
}

/** First contact: identity, limits. Everything that can be refused without reading the body is. */
async function onRequest(
  edge: Edge,
  clientIp: (peer: string, forwardedFor: string | undefined) => string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { headers } = request;
  const forwardedFor = headers["x-forwarded-for"];
  request.edge = {
    clientIp: clientIp(
      request.socket.remoteAddress ?? "",
      Array.isArray(forwardedFor) ? forwardedFor.join() : forwardedFor,
    ),
    caller: { kind: "anonymous" },
    session: null,
    startedMs: edge.clock.monotonicMs(),
    rawBody: NOTHING,
    operationId: "",
    entry: null,
  };
  reply.headers({
    "x-request-id": request.id,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  });
  const state = request.routeOptions.config.state;
  if (state === undefined) return;
  refuseAmbiguous(request);
  const { endpoint } = state.declared;
  const { token } = request.params as { readonly token?: string };
  const { caller, session } = await admit(
    edge,
    {
      access: endpoint.access,
      limit: endpoint.limit,
      authorization: headers.authorization,
      token,
      clientIp: request.edge.clientIp,
    },
    (limits) => void reply.headers(limits),
  );
  request.edge.caller = caller;
  request.edge.session = session;
}

/** Two hosts or two credentials: what is meant cannot be known, and a proxy may have read the other one. */
function refuseAmbiguous(request: FastifyRequest): void {
  const encoding = request.headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity") {
    throw new Refusal("unsupported_media_type", { detail: "Send the body without a Content-Encoding." });
  }
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

function addParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/json",
    { parseAs: "buffer" },
    async (request: FastifyRequest, bytes: Buffer) => {
      request.edge.rawBody = bytes;
      if (bytes.length === 0) return undefined;
      const state = request.routeOptions.config.state;
      if (state?.declared.endpoint.body === "form") throw new Refusal("unsupported_media_type");
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
      return Object.fromEntries(new URLSearchParams(bytes.toString()));
    },
  );
}

/** The last steps before the handler: the stored answer of an Idempotency-Key, then the schemas. */
async function beforeHandler(edge: Edge, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const state = request.routeOptions.config.state;
  if (state === undefined) return undefined;
  request.edge.operationId = edge.ids.uuid();
  const replayed = await replay(edge, state.declared, request, reply);
  if (replayed) return reply;
  // No body at all is an empty one: verify and cancel are called without.
  if (state.checkBody !== null) request.body ??= {};
  const wrong = state.checkQuery?.(request.query) ?? state.checkBody?.(request.body) ?? null;
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

async function handle(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const { endpoint } = (request.routeOptions.config.state as State).declared;
  const { caller, session, clientIp, operationId } = request.edge;
  const answer = await endpoint.handle({
    params: request.params,
    query: request.query,
    body: request.body,
    caller,
    session,
    clientIp,
    operationId,
    requestId: request.id,
    headers: request.headers,
  });
  return sendAnswer(reply, answer);
}

/** Bytes and text go out as they are, an object as JSON: by the endpoint's schema where it has one for the status. */
function sendAnswer(reply: FastifyReply, { status, headers, body }: Answer): FastifyReply {
  reply.code(status);
  if (headers !== undefined) reply.headers(headers);
  if (!reply.hasHeader("content-type") && body !== undefined) {
    reply.header("content-type", typeof body === "string" ? HTML : JSON_TYPE);
  }
  return reply.send(body);
}

function errorAnswer(edge: Edge, error: unknown, request: FastifyRequest): Answer {
  const special = request.routeOptions.config.state?.declared.endpoint.renderError?.(error) ?? null;
  return special ?? answerTo(error, edge.log, request.id);
}

/** 405 with Allow where the path exists under another method, else 404. */
function notFound(declared: readonly DeclaredEndpoint[], request: FastifyRequest): Answer {
  const path = (request.raw.url ?? "").split("?")[0] ?? "";
  const methods = declared.filter((route) => patternOf(route.path).test(path)).map(({ method }) => method);
  if (methods.length === 0) return refused(new Refusal("not_found"));
  const answer = refused(new Refusal("method_not_allowed"));
  return { ...answer, headers: { allow: [...new Set(methods)].join(", ") } };
}

function patternOf(path: string): RegExp {
  const literal = path.replace(/\/$/, "").replace(/[.*+?^$()|[\]\\]/g, "\\$&");
  return new RegExp(`^${literal.replace(/\{\w+\}/g, "[^/]+")}/?$`);
}

async function beforeSending(
  edge: Edge,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  const entry = request.edge?.entry ?? null;
  if (entry === null) return payload;
  request.edge.entry = null;
  await finish(edge, entry, {
    status: reply.statusCode,
    contentType: String(reply.getHeader("content-type") ?? JSON_TYPE),
    body: typeof payload === "string" ? payload : "",
  });
  return payload;
}

function afterResponse(edge: Edge, request: FastifyRequest, reply: FastifyReply): void {
  const route = request.routeOptions.config.state?.declared.path ?? "unknown";
  const ms = edge.clock.monotonicMs() - request.edge.startedMs;
  edge.onRequestDone(request.method, route, reply.statusCode, ms);
  edge.log.info("request", {
    method: request.method,
    route,
    status: reply.statusCode,
    ms: Math.round(ms),
    request_id: request.id,
  });
}

async function close(app: FastifyInstance): Promise<void> {
  const cutOff = setTimeout(() => app.server.closeAllConnections(), CLOSE_MS_MAX);
  await app.close();
  clearTimeout(cutOff);
}
