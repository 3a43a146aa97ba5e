/** Authentication and rate limits: bearer tokens, scopes, and limits counted by caller or by address. */
import { Refusal } from "../refusals.ts";
import { addressKey } from "./client-ip.ts";
import type { Access, Caller, Endpoint, EndpointSchema, SessionInPath } from "./endpoint.ts";
import { LIMITS, PER_KEY_INSTEAD_OF_ADDRESS, WRONG_KEYS, type Limit, type LimitName } from "./limits.ts";
import type { Counters } from "./rate-limit.ts";
import { hasScope, SCOPES, type Scope } from "./scopes.ts";

export interface AccessParts {
  readonly counters: Counters;
  /** The caller of a bearer token; null for a token that is wrong, expired or revoked. */
  authenticate(bearer: string): Promise<Caller | null>;
  /** The session of a valid token; null for an invalid one. */
  readSessionToken(token: string): SessionInPath | null;
}

export interface AccessRequest {
  readonly access: Access;
  readonly limit: LimitName | undefined;
  readonly authorization: string | undefined;
  /** The path's `token`, if the endpoint has one. */
  readonly token: string | undefined;
  readonly clientIp: string;
}

interface Admitted {
  readonly caller: Caller;
  readonly session: SessionInPath | null;
}

export type Headers = Readonly<Record<string, string>>;

const ANONYMOUS: Caller = { kind: "anonymous" };

/** The limit named by an endpoint, otherwise that of all management endpoints. */
export function limitOf({ access, limit }: Pick<Endpoint<EndpointSchema>, "access" | "limit">) {
  const managed = access !== "payments" && access !== "reconciliation" && access in SCOPES;
  return limit ?? (managed ? "management" : undefined);
}

/** Receives facts about a request as they become known, even if it is refused. */
export interface AccessObserver {
  /** The RateLimit headers. */
  readonly onLimits: (headers: Headers) => unknown;
  /** The caller, before its scope is checked and its limit counted. */
  readonly onKnown: (admitted: Admitted) => unknown;
}

/**
 * Admits a request or refuses it.
 * @throws Refusal unauthorized, scope_missing, not_found (an invalid token), throttled.
 */
export async function admit(
  parts: AccessParts,
  request: AccessRequest,
  observer: AccessObserver,
): Promise<void> {
  const { onLimits } = observer;
  const limit = request.limit === undefined ? null : LIMITS[request.limit];
  if (request.access === "session_in_path") return admitToSession(parts, request, limit, observer);
  if (limit?.per === "address") await count(parts, request, limit, addressOf(request), onLimits);
  const caller = request.access === "anyone" ? ANONYMOUS : await authenticated(parts, request, observer);
  if (limit?.per === "caller") await count(parts, request, limit, callerKey(caller), onLimits);
}

/**
 * The token is the credential; an API key of the same tenant in addition changes whose limit counts (contract: Merchant
 * servers).
 */
async function admitToSession(
  parts: AccessParts,
  request: AccessRequest,
  limit: Limit | null,
  { onLimits, onKnown }: AccessObserver,
): Promise<void> {
  const session = parts.readSessionToken(request.token ?? "");
  const caller = session === null ? ANONYMOUS : await keyOfTenant(parts, request, session.tenant);
  if (session !== null) onKnown({ caller, session });
  if (limit !== null) {
    const perKey = caller.kind === "key";
    const counted = perKey ? PER_KEY_INSTEAD_OF_ADDRESS : limit;
    await count(parts, request, counted, perKey ? callerKey(caller) : addressOf(request), onLimits);
  }
  if (session === null) throw new Refusal("not_found");
}

async function keyOfTenant(parts: AccessParts, request: AccessRequest, tenant: number): Promise<Caller> {
  const bearer = bearerOf(request.authorization);
  if (bearer === null || !bearer.startsWith("rk_")) return ANONYMOUS;
  const caller = await parts.authenticate(bearer);
  const usable = caller?.kind === "key" && caller.tenant === tenant && caller.scopes.includes("payments");
  return usable ? caller : ANONYMOUS;
}

/** The key is valid but not allowed here: calling it invalid would send its owner looking for another one. */
const FOR_OPERATOR = { detail: "This endpoint requires the operator key." };

/**
 * Authenticates the bearer token.
 * @throws Refusal the same for a missing, wrong, expired and mis-prefixed credential (contract: Wrong credentials).
 */
async function authenticated(
  parts: AccessParts,
  request: AccessRequest,
  { onKnown }: Pick<AccessObserver, "onKnown">,
): Promise<Caller> {
  const bearer = bearerOf(request.authorization);
  const caller = bearer === null ? null : await parts.authenticate(bearer);
  if (caller !== null) onKnown({ caller, session: null });
  if (caller?.kind === "key" && request.access === "operator")
    throw new Refusal("scope_missing", FOR_OPERATOR);
  if (caller === null || !isOfKind(request.access, caller)) throw await unauthorized(parts, request);
  if (caller.kind === "key" && !hasScope(caller.scopes, scopeOf(request.access)))
    throw new Refusal("scope_missing");
  return caller;
}

function isOfKind(access: Access, caller: Caller): boolean {
  if (access === "operator") return caller.kind === "operator";
  return caller.kind === "key" || (caller.kind === "session" && access === "payments_or_session");
}

/** Endpoints that name no scope admit keys that may take payments. */
function scopeOf(access: Access): Scope {
  return access in SCOPES ? (access as Scope) : "payments";
}

async function unauthorized(parts: AccessParts, request: AccessRequest): Promise<Refusal> {
  if (request.authorization === undefined) return new Refusal("unauthorized");
  const hit = await parts.counters.hit(`wrong-key:${addressKey(request.clientIp)}`, WRONG_KEYS);
  return hit.allowed ? new Refusal("unauthorized") : throttled(hit.retryAfterMs);
}

/** Exactly `Bearer ` and a token (contract: Authentication). */
function bearerOf(authorization: string | undefined): string | null {
  return /^Bearer (\S+)$/.exec(authorization ?? "")?.[1] ?? null;
}

function addressOf({ clientIp }: AccessRequest): string {
  return addressKey(clientIp);
}

async function count(
  parts: AccessParts,
  request: AccessRequest,
  limit: Limit,
  subject: string,
  setHeaders: (headers: Headers) => void,
): Promise<void> {
  const hit = await parts.counters.hit(`${request.limit}:${subject}`, limit);
  setHeaders({
    "ratelimit-limit": String(limit.count),
    "ratelimit-remaining": String(hit.remaining),
    "ratelimit-reset": String(Math.ceil(hit.resetMs / 1_000)),
    "ratelimit-policy": `${limit.count};w=${limit.windowMs / 1_000}`,
  });
  if (!hit.allowed) throw throttled(hit.retryAfterMs);
}

function throttled(waitMs: number): Refusal {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  const detail = `Request was throttled. Expected available in ${seconds} seconds.`;
  return new Refusal("throttled", { detail, retryAfter: seconds });
}

/** Identifies a caller; limits and stored answers are kept per caller. */
export function callerKey(caller: Caller): string {
  switch (caller.kind) {
    case "key":
      return `key:${caller.keyId}`;
    case "session":
      return `session:${caller.sessionId}`;
    case "person":
      return `person:${caller.personId}`;
    case "operator":
    case "anonymous":
      return caller.kind;
  }
}
