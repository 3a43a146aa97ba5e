/**
 * What a route declares (access, limit, schemas) and what its handler receives: the only import from http/ in routes.ts
 * files.
 */
import type { Readable } from "node:stream";
import type { Static, TSchema } from "../lib/schema.ts";
import { Refusal, type FieldMessages } from "../refusals.ts";
import type { LimitName } from "./limits.ts";
import { hasScope, type Scope } from "./scopes.ts";

/** The caller, authenticated before a handler runs. */
export type Caller =
  | {
      readonly kind: "key";
      readonly tenant: number;
      readonly keyId: string;
      readonly name: string;
      readonly scopes: readonly Scope[];
    }
  | { readonly kind: "operator" }
  /** A person signed in to the console. An operator's tenant is 0. */
  | {
      readonly kind: "person";
      readonly tenant: number;
      readonly personId: string;
      readonly name: string;
      /** The scopes that the person's role allows for keys that they create. */
      readonly scopes: readonly Scope[];
      /** The console session; null during sign-in. */
      readonly consoleSession: string | null;
    }
  /** A session token as bearer (IBAN validation from a customer's browser). */
  | { readonly kind: "session"; readonly tenant: number; readonly sessionId: string }
  | { readonly kind: "anonymous" };

/**
 * Who may call: an API key with the scope (`management` includes its parts), the operator key, an API key with the
 * payments scope or a session's bearer token, the holder of the session token in the path, or everyone.
 */
export type Access =
  | Exclude<Scope, "management">
  | "operator"
  | "payments_or_session"
  | "session_in_path"
  | "anyone";

/** A session named by a valid token in the path; the use case checks whether it exists. */
export interface SessionInPath {
  readonly tenant: number;
  readonly sessionId: string;
}

export interface EndpointSchema {
  readonly params?: TSchema;
  readonly query?: TSchema;
  readonly body?: TSchema;
  readonly response: Readonly<Record<number, TSchema>>;
}

type Of<S extends TSchema | undefined> = S extends TSchema ? Static<S> : undefined;

/** A request before its body is read. */
export interface EarlyCall<S extends EndpointSchema> {
  readonly params: Of<S["params"]>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** One request, parsed and authenticated. */
export interface Call<S extends EndpointSchema> extends EarlyCall<S> {
  readonly query: Of<S["query"]>;
  readonly body: Of<S["body"]>;
  /** The unparsed body. */
  readonly rawBody: Buffer;
  /** With `upload`: the body as a stream. */
  readonly incoming: Readable;
  /** With `upload`: the size limit of its file in bytes. */
  readonly bodyLimit: number;
  readonly caller: Caller;
  /** With `session_in_path`: the session, and the API key of its tenant if the call has one. */
  readonly session: SessionInPath | null;
  /** Path and query, unchanged. */
  readonly url: string;
  /** The client's address behind trusted proxies. */
  readonly clientIp: string;
  /** The caller's User-Agent; null without one. */
  readonly userAgent: string | null;
  readonly requestId: string;
  /**
   * Drawn once per Idempotency-Key, otherwise once per request. Records created by the request derive their ids from
   * it, so that running it again after a crash finds what the first run created.
   */
  readonly operationId: string;
  /** Adds a Set-Cookie to the response, even to an error: for what is counted before the outcome is known. */
  setCookie(header: string): void;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Set-Cookie headers. */
  readonly cookies?: readonly string[];
}

/** A JSON body, even if it violates its schema. */
export interface GivenBody {
  readonly given: Readonly<Record<string, unknown>>;
  /** The fields that match the schema. */
  readonly usable: Readonly<Record<string, unknown>>;
}

/** An error as passed to an endpoint that renders errors in its own form. */
export interface Failure {
  readonly error: unknown;
  /** The default response; an unexpected error is already logged. */
  readonly answer: Answer;
  /** Empty if the path could not be parsed. */
  readonly params: unknown;
  readonly headers: Call<EndpointSchema>["headers"];
}

export interface Endpoint<S extends EndpointSchema> {
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly access: Access;
  readonly limit?: LimitName;
  /**
   * `json` by default. `form` accepts application/x-www-form-urlencoded and responds with HTML. `raw` accepts bytes of
   * any type and leaves them to the handler (`rawBody`); its schema is only documentation. `upload` accepts
   * multipart/form-data, which the handler reads as a stream (`openUpload`); it has no Idempotency-Key, because two
   * files can only be compared after they were read.
   */
  readonly body?: "json" | "form" | "raw" | "upload";
  /** Whether its success is a page, for the API description. */
  readonly html?: boolean;
  /** Omitted from the API description (pages, probes). */
  readonly hidden?: boolean;
  /** Scripts of any web page may call it: the credential is a bearer token that they hold, never a cookie. */
  readonly crossOrigin?: boolean;
  /** Allowed while the service is held after a restore: it changes something but sends nothing. */
  readonly whenHeld?: boolean;
  /** Whether a GET with this query, not validated yet, changes something: then it is refused while the service is held. */
  changes?(query: Readonly<Record<string, unknown>>): boolean;
  /** The size limit of a body in bytes, with `upload` of its file; 256 KiB by default. */
  readonly bodyLimit?: number;
  readonly schema: S;
  /** Media types of a success besides JSON, with examples for the API description. */
  readonly otherFormats?: Readonly<Record<string, string>>;
  /** Response headers of a success that other endpoints do not have, for the API description. */
  readonly answerHeaders?: readonly string[];
  /**
   * Rules that the query's schema cannot express: parameters that depend on each other, cursors. Called even if the
   * schema found errors, so that all invalid fields are reported at once; values are not validated yet.
   */
  queryProblems?(query: Readonly<Record<string, unknown>>, caller: Caller): FieldMessages;
  /** The same for the body: rules of individual fields, and fields required only with others. */
  bodyProblems?(body: GivenBody): FieldMessages;
  /** Renders an error in the endpoint's own form; null selects the default form. */
  renderError?(failure: Failure): Answer | null | Promise<Answer | null>;
  /** With `raw`: answers or refuses what needs no body, before it is read; null continues. */
  beforeBody?(call: EarlyCall<S>): Promise<Answer | null>;
  handle(call: Call<S>): Promise<Answer>;
}

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** Declares routes; created by http/server.ts. */
export interface Router {
  add<const S extends EndpointSchema>(method: Method, path: string, endpoint: Endpoint<S>): void;
}

/**
 * The tenant on whose behalf a call is made.
 * @throws Error when the endpoint's access admits callers without one, which is a bug.
 */
export function tenantOf(call: { readonly caller: Caller }): number {
  const { caller } = call;
  if ("tenant" in caller && caller.tenant !== 0) return caller.tenant;
  throw new Error("This endpoint has no tenant");
}

/**
 * For an endpoint that shows more to some keys.
 * @throws Refusal scope_missing.
 */
export function requireScope({ caller }: { readonly caller: Caller }, scope: Scope): void {
  if ((caller.kind === "key" || caller.kind === "person") && hasScope(caller.scopes, scope)) return;
  throw new Refusal("scope_missing", { detail: `This needs an API key with the scope ${scope}.` });
}

/**
 * The header of a response that is saved as a file.
 * @param name characters other than plain ASCII are replaced.
 */
export function attachmentHeader(name: string): { readonly "content-disposition": string } {
  return { "content-disposition": `attachment; filename="${name.replaceAll(/[^A-Za-z0-9._-]/g, "_")}"` };
}
