/** The HTTP server: declares routes, runs their handlers, sends their responses. Contains no business rules. */
import { Readable } from "node:stream";
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { must } from "../lib/assert.ts";
import { lazily } from "../lib/lazily.ts";
import { redacted } from "../lib/log.ts";
import { insideWork } from "../lib/trace.ts";
import { Refusal } from "../refusals.ts";
import { addressKey, clientIpReader, proxyTest } from "./client-ip.ts";
import { guardConnections } from "./connections.ts";
import type { Answer, Router } from "./endpoint.ts";
import { answerTo, problemOf, refused } from "./errors.ts";
import { amountFields } from "./fields.ts";
import {
  addParsers,
  afterResponse,
  beforeHandler,
  beforeSending,
  commonHeaders,
  JSON_TYPE,
  onRequest,
  answerBeforeBodyEnds,
  type Edge,
} from "./hooks.ts";
import type { DeclaredEndpoint } from "./openapi.ts";
import { uploadPlaces, type UploadPlaces } from "./upload-places.ts";
import { Type } from "../lib/schema.ts";
import { bodyCheck, queryCheck, withoutIds } from "./validation.ts";

export type { Edge };

export interface Server {
  readonly router: Router;
  /** Everything declared so far, for the API description. */
  routes(): readonly DeclaredEndpoint[];
  /** For in-process calls (demo, tests). */
  readonly app: FastifyInstance;
  listen(address: { readonly host: string; readonly port: number }): Promise<{ readonly port: number }>;
  /** From now on each response asks its connection to be closed, so that clients and balancers leave in order. */
  drain(): void;
  /** Stops accepting and lets requests in progress finish, for at most half a minute. */
  close(): Promise<void>;
}

const BODY_BYTES_MAX = 256 * 1024;
/** Enough for a busy office behind one address; one client cannot take all connections. */
const CONNECTIONS_PER_ADDRESS = 256;
const UPLOAD_MS_MAX = 30 * 60_000;
const CLOSE_MS_MAX = 30_000;
const CLOSE_IDLE_EVERY_MS = 100;
/** Long enough for a refused client to read the reason. */
const LINGER_MS = 1_000;
/** The most of a response that is passed to the kernel at once. */
const PIECE_BYTES = 64 * 1_024;
const NO_KEYS: ReadonlySet<string> = new Set();
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
const HTML = "text/html; charset=utf-8";

export function createServer(edge: Edge): Server {
  const declared: DeclaredEndpoint[] = [];
  let draining = false;
  const app = createApp(edge, declared);
  const uploads = uploadPlaces();
  const clientIp = clientIpReader(edge.trustedProxies);
  const isProxy = proxyTest(edge.trustedProxies);

  app.decorateRequest("edge");
  app.addHook("onRequest", async (request, reply) => {
    const early = await onRequest(edge, clientIp, request, reply);
    return early === null ? undefined : sendAnswer(answerBeforeBodyEnds(request, reply), early);
  });
  app.addHook("preValidation", (request, reply) => beforeHandler(edge, request, reply));
  app.addHook("onSend", async (request, reply, payload) => {
    if (draining) reply.header("connection", "close");
    const body = await beforeSending(edge, request, reply, payload);
    return typeof body === "string" || body instanceof Buffer ? sentInPieces(reply, body) : body;
  });
  app.addHook("onResponse", async (request, reply) => afterResponse(edge, request, reply));
  addParsers(app);
  app.setErrorHandler(async (error, request, reply) =>
    sendAnswer(
      answerBeforeBodyEnds(request, reply),
      await insideWork(request.edge.work, () => errorAnswer(edge, error, request)),
    ),
  );
  app.setNotFoundHandler(async (request, reply) => sendAnswer(reply, await notFound(declared, request)));

  return {
    app,
    routes: () => declared,
    router: {
      add: (method, path, endpoint) => declare(app, uploads, declared, { method, path, endpoint }),
    },
    async listen({ host, port }) {
      guardConnections(app.server, {
        perAddress: edge.connectionsPerAddress ?? CONNECTIONS_PER_ADDRESS,
        keyOf: (peer) => (peer === "" || isProxy(peer) ? null : addressKey(clientIp(peer, undefined))),
        ...(edge.stalledMs === undefined ? {} : { stalledMs: edge.stalledMs }),
      });
      await app.listen({ host, port });
      app.server.maxConnections = 10_000;
      const address = app.server.address();
      return { port: typeof address === "object" && address !== null ? address.port : port };
    },
    drain() {
      draining = true;
    },
    close: () => close(app),
  };
}

function createApp(edge: Edge, declared: readonly DeclaredEndpoint[]): FastifyInstance {
  return fastify({
    bodyLimit: BODY_BYTES_MAX,
    return503OnClosing: false,
    forceCloseConnections: "idle",
    // For uploads; other bodies have less time (hooks.ts). The handler's time is not limited here.
    requestTimeout: UPLOAD_MS_MAX,
    keepAliveTimeout: 10_000,
    http: { maxHeaderSize: 8 * 1024, headersTimeout: 5_000, connectionsCheckingInterval: 1_000 },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 255 },
    genReqId: (request) => {
      const given = request.headers["x-request-id"];
      if (typeof given !== "string" || !REQUEST_ID.test(given)) return edge.ids.uuid();
      // Ids are logged and returned: a key, a token or an account number sent there by mistake is not used.
      return redacted(given) === given ? given : edge.ids.uuid();
    },
    frameworkErrors: (error, request, reply) => void answerUnreadable(edge, error, declared, request, reply),
    clientErrorHandler(error, socket) {
      // The client may never close its end and hold the connection for ever.
      setTimeout(() => socket.destroy(), LINGER_MS).unref();
      if (!socket.writable) return;
      const [status, reason, text] = unreadOf(error.code);
      const body = JSON.stringify({ detail: text, status_code: status });
      socket.end(
        `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json\r\nConnection: close\r\n` +
          `Content-Length: ${body.length}\r\n\r\n${body}`,
      );
    },
  });
}

/**
 * Why a request never reached a handler, so nothing of it was done. A late one may be repeated (RFC 9110, 408): its
 * time also expires while this process is stopped.
 */
function unreadOf(code: string): readonly [status: number, reason: string, text: string] {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return [408, "Request Timeout", "The request took too long to arrive. Send it again."];
  if (code === "HPE_HEADER_OVERFLOW")
    return [431, "Request Header Fields Too Large", "The request header is too large."];
  return [400, "Bad Request", "The request could not be read."];
}

/** A path that cannot be decoded matches nothing. */
async function answerUnreadable(
  edge: Edge,
  error: Error & { readonly code?: string },
  declared: readonly DeclaredEndpoint[],
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const namesNothing = error.code === "FST_ERR_BAD_URL" || error.code === "FST_ERR_MAX_PARAM_LENGTH";
  const answer = namesNothing ? await notFound(declared, request) : answerTo(error, edge.log, request.id);
  sendAnswer(reply.headers(commonHeaders(request.id)), answer);
}

function declare(
  app: FastifyInstance,
  uploads: UploadPlaces,
  declared: DeclaredEndpoint[],
  route: DeclaredEndpoint,
): void {
  const { method, path, endpoint } = route;
  declared.push(route);
  if (endpoint.crossOrigin === true) declarePreflight(app, route);
  const { body, response } = endpoint.schema;
  const { query = isList(route) ? NO_PARAMETERS : undefined } = endpoint.schema;
  const { bodyLimit = BODY_BYTES_MAX } = endpoint;
  const shown = Object.entries(response).filter(([status]) => status.startsWith("2"));
  app.route({
    method,
    url: path.replace(/\{(\w+)\}/g, ":$1"),
    // A form is counted while it is read (upload.ts); any other body has the usual limit.
    bodyLimit: endpoint.body === "upload" ? BODY_BYTES_MAX : bodyLimit,
    config: {
      state: {
        declared: route,
        checkBody:
          body === undefined || endpoint.body === "raw" || endpoint.body === "upload"
            ? null
            : bodyCheck(body),
        decimalKeys: body === undefined ? NO_KEYS : amountFields(body),
        checkQuery: query === undefined ? null : queryCheck(query, { closed: isClosed(endpoint) }),
        bodyLimit,
        // Only successes are serialised by schema: an error with the same status may have another form.
        written: new Map(
          shown.map(([status, schema]) => [Number(status), lazily(() => ({ ...withoutIds(schema) }))]),
        ),
      },
    },
    handler: (request, reply) => insideWork(request.edge.work, () => handle(uploads, request, reply)),
  });
}

/**
 * Whether unknown parameters are refused. Pages accept them, as people and programs add some to addresses; API
 * endpoints do not.
 */
function isClosed({ hidden = false, html = false }: DeclaredEndpoint["endpoint"]): boolean {
  return !hidden && !html;
}

const NO_PARAMETERS = Type.Object({});

/** Lists without filters also refuse unknown ones. */
function isList({ method, endpoint }: DeclaredEndpoint): boolean {
  const { properties = {} } = (endpoint.schema.response[200] ?? {}) as { readonly properties?: object };
  return method === "GET" && isClosed(endpoint) && "results" in properties;
}

/** Answers a browser's preflight request for a script of another origin. */
function declarePreflight(app: FastifyInstance, { method, path }: DeclaredEndpoint): void {
  app.options(path.replace(/\{(\w+)\}/g, ":$1"), (_request, reply) => {
    const headers = {
      "access-control-allow-origin": "*",
      "access-control-allow-methods": method,
      "access-control-allow-headers": "Authorization, Content-Type, Idempotency-Key, X-Request-Id",
      "access-control-max-age": "86400",
    };
    return sendAnswer(reply, { status: 204, headers, body: undefined });
  });
}

async function handle(uploads: UploadPlaces, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const { declared, bodyLimit } = must(request.routeOptions.config.state, "the route of a handler");
  const { caller, session, clientIp, operationId } = request.edge;
  const answer = async () =>
    declared.endpoint.handle({
      url: request.raw.url ?? "",
      params: request.params,
      query: request.query,
      body: request.body,
      rawBody: request.edge.rawBody,
      incoming: request.raw,
      bodyLimit,
      caller,
      session,
      clientIp,
      userAgent: request.headers["user-agent"] ?? null,
      operationId,
      requestId: request.id,
      headers: request.headers,
      setCookie: (header) => void reply.header("set-cookie", header),
    });
  if (declared.endpoint.body !== "upload") return sendAnswer(reply, await answer());
  const lane = `${"tenant" in caller ? caller.tenant : 0} ${declared.path}`;
  const leave = await uploads.take(lane, goneOf(request));
  try {
    const given = await answer();
    return sendAnswer(answerBeforeBodyEnds(request, reply), given);
  } finally {
    leave();
  }
}

/** Aborts when the client disconnects. */
function goneOf({ raw }: FastifyRequest): AbortSignal {
  const gone = new AbortController();
  if (raw.destroyed) gone.abort();
  else raw.once("close", () => gone.abort());
  return gone.signal;
}

/** Bytes and text are sent unchanged, an object as JSON: serialised by the endpoint's schema for the status, if any. */
function sendAnswer(reply: FastifyReply, { status, headers, cookies, body }: Answer): FastifyReply {
  reply.code(status);
  if (headers !== undefined) reply.headers(headers);
  if (cookies !== undefined) reply.header("set-cookie", cookies);
  if (reply.hasHeader("content-type") || body === undefined) return reply.send(body);
  reply.header("content-type", typeof body === "string" ? HTML : JSON_TYPE);
  const schema = reply.request.routeOptions.config.state?.written.get(status);
  if (typeof body !== "object" || body === null || schema === undefined) return reply.send(body);
  // Fastify caches what it has compiled; with the schemas in the route it would compile all of them at the start.
  const write = reply.compileSerializationSchema(schema());
  return reply.send(write(body as Readonly<Record<string, unknown>>));
}

/** A long response is passed to the kernel in pieces, so that a slow reader is recognised (connections.ts). */
function sentInPieces(reply: FastifyReply, body: string | Buffer): unknown {
  if (body.length <= PIECE_BYTES) return body;
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  reply.header("content-length", bytes.length);
  return Readable.from(pieces(bytes), { objectMode: false, highWaterMark: PIECE_BYTES });
}

function* pieces(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) yield bytes.subarray(from, from + PIECE_BYTES);
}

async function errorAnswer(edge: Edge, error: unknown, request: FastifyRequest): Promise<Answer> {
  const answer = answerTo(error, edge.log, request.id);
  request.edge.problem = problemOf(error);
  const endpoint = request.routeOptions.config.state?.declared.endpoint;
  const { params, headers } = request;
  return (await endpoint?.renderError?.({ error, answer, params, headers })) ?? answer;
}

/**
 * 405 with Allow if the path exists only under another method, otherwise 404; an endpoint renders the latter itself if
 * the path is too long for it.
 */
async function notFound(
  declared: readonly DeclaredEndpoint[],
  request: Pick<FastifyRequest, "raw" | "method">,
): Promise<Answer> {
  const path = (request.raw.url ?? "").split("?")[0] ?? "";
  const routes = declared.filter((route) => patternOf(route.path).test(path));
  const own = routes.find(({ method }) => method === request.method);
  if (own !== undefined || routes.length === 0) {
    const error = new Refusal("not_found");
    const answer = refused(error);
    const { headers } = request.raw;
    return (await own?.endpoint.renderError?.({ error, answer, params: {}, headers })) ?? answer;
  }
  const methods = routes.map(({ method }) => method);
  const answer = refused(new Refusal("method_not_allowed"));
  return { ...answer, headers: { allow: [...new Set(methods)].join(", ") } };
}

function patternOf(path: string): RegExp {
  const literal = path.replace(/\/$/, "").replace(/[.*+?^$()|[\]\\]/g, "\\$&");
  return new RegExp(`^${literal.replace(/\{\w+\}/g, "[^/]+")}/?$`);
}

async function close(app: FastifyInstance): Promise<void> {
  const cutOff = setTimeout(() => app.server.closeAllConnections(), CLOSE_MS_MAX);
  // A connection becomes idle only after its last response, when closing has already begun.
  const sweep = setInterval(() => app.server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  await app.close();
  clearInterval(sweep);
  clearTimeout(cutOff);
}
