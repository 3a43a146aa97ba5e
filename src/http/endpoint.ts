/** What a route declares (who may, how often, what shape) and what its handler is given: the only thing routes.ts files import from the edge. */
import type { Readable } from "node:stream";
import type { Static, TSchema } from "../lib/schema.ts";
import { Refusal, type FieldMessages } from "../refusals.ts";
import type { LimitName } from "./limits.ts";
import { hasScope, type Scope } from "./scopes.ts";

/** Who is calling, established before a handler runs. */
export type Caller =
  | {
      readonly kind: "key";
      readonly tenant: number;
      readonly keyId: string;
      readonly name: string;
      readonly scopes: readonly Scope[];
    }
  | { readonly kind: "operator" }
  /** A person who is signed in to the console. An operator's tenant is 0. */
  | {
      readonly kind: "person";
      readonly tenant: number;
      readonly personId: string;
      readonly name: string;
      /** What the person's role lets a key have that the person makes. */
      readonly scopes: readonly Scope[];
      /** Of the console; null while the person signs in. */
      readonly consoleSession: string | null;
    }
  /** A session token as bearer (IBAN validation from a customer's browser). */
  | { readonly kind: "session"; readonly tenant: number; readonly sessionId: string }
  | { readonly kind: "anonymous" };

/**
 * Who may call: an API key with the scope (`management` stands for its parts), the operator key, an API key with the payments scope or a session's
 * bearer token, the holder of the session token in the path, or everyone.
 */
export type Access =
  | Exclude<Scope, "management">
  | "operator"
  | "payments_or_session"
  | "session_in_path"
  | "anyone";

/** A session named by an authentic token in the path; whether it exists is for the use case to say. */
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

/** What is known of a request before its body is read. */
export interface EarlyCall<S extends EndpointSchema> {
  readonly params: Of<S["params"]>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** One request, parsed and authenticated. */
export interface Call<S extends EndpointSchema> extends EarlyCall<S> {
  readonly query: Of<S["query"]>;
  readonly body: Of<S["body"]>;
  /** The body as it came. */
  readonly rawBody: Buffer;
  /** With `upload`: the body as it comes. */
  readonly incoming: Readable;
  /** With `upload`: the most bytes that its file may have. */
  readonly bodyLimit: number;
  readonly caller: Caller;
  /** With `session_in_path`: the session, and the API key of its own tenant when the call carries one. */
  readonly session: SessionInPath | null;
  /** Path and query as they came. */
  readonly url: string;
  /** The customer's address behind trusted proxies. */
  readonly clientIp: string;
  /** The caller's User-Agent; null without one. */
  readonly userAgent: string | null;
  readonly requestId: string;
  /**
   * Drawn once per Idempotency-Key (else once per request): records that the request makes take their id from it,
   * so that running it again after a crash finds what the first run made.
   */
  readonly operationId: string;
  /** Adds a Set-Cookie to the answer, also to an error: for what is counted before the outcome is known. */
  setCookie(header: string): void;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Each is one Set-Cookie. */
  readonly cookies?: readonly string[];
}

/** A JSON body, whatever its schema has found. */
export interface GivenBody {
  readonly given: Readonly<Record<string, unknown>>;
  /** The fields that the schema takes as they are. */
  readonly usable: Readonly<Record<string, unknown>>;
}

/** An error as passed to an endpoint that renders it in its own form. */
export interface Failure {
  readonly error: unknown;
  /** The common answer; a bug of ours is already logged. */
  readonly answer: Answer;
  /** Empty where the path could not be taken apart. */
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
   * JSON unless said otherwise; `form` takes application/x-www-form-urlencoded and answers HTML; `raw` takes bytes of
   * whatever type and leaves them to the handler (`rawBody`), its schema only describes them; `upload` takes
   * multipart/form-data, which the handler reads as it arrives (`openUpload`). It has no Idempotency-Key, because it is unknown
   * whether two files are the same before they are read.
   */
  readonly body?: "json" | "form" | "raw" | "upload";
  /** Its success is a page: for the API description. */
  readonly html?: boolean;
  /** Left out of the API description (pages, probes). */
  readonly hidden?: boolean;
  /** Scripts of any web page may call it: the credential is a bearer token that they hold, never a cookie. */
  readonly crossOrigin?: boolean;
  /** Served even while the service is held after a restore: it changes something but sends nothing. */
  readonly whenHeld?: boolean;
  /** The most bytes that a body may have, with `upload` its file; 256 KiB unless said otherwise. */
  readonly bodyLimit?: number;
  readonly schema: S;
  /** Media types of a success besides JSON, with examples for the API description. */
  readonly otherFormats?: Readonly<Record<string, string>>;
  /** Headers of a success that other endpoints do not have: for the API description. */
  readonly answerHeaders?: readonly string[];
  /**
   * What the query's schema cannot say: parameters that depend on each other, cursors. It is asked even when the schema
   * has found something, so that all invalid fields are reported at once; values are not validated yet.
   */
  queryProblems?(query: Readonly<Record<string, unknown>>, caller: Caller): FieldMessages;
  /** The same for the body: rules of single fields, and fields that are required only with others. */
  bodyProblems?(body: GivenBody): FieldMessages;
  /** Answers an error in the endpoint's own form; null leaves it to the common one. */
  renderError?(failure: Failure): Answer | null | Promise<Answer | null>;
  /** With `raw`: answers or refuses what needs no body, before any of it is read; null lets the request go on. */
  beforeBody?(call: EarlyCall<S>): Promise<Answer | null>;
  handle(call: Call<S>): Promise<Answer>;
}

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** Where routes are declared; http/server.ts makes one. */
export interface Router {
  add<const S extends EndpointSchema>(method: Method, path: string, endpoint: Endpoint<S>): void;
}

/** The tenant that a call acts for. @throws Error when the access of its endpoint lets others in: our bug. */
export function tenantOf(call: { readonly caller: Caller }): number {
  const { caller } = call;
  if ("tenant" in caller && caller.tenant !== 0) return caller.tenant;
  throw new Error("This endpoint has no tenant");
}

/** For an endpoint that shows more to some keys. @throws Refusal scope_missing. */
export function requireScope({ caller }: { readonly caller: Caller }, scope: Scope): void {
  if ((caller.kind === "key" || caller.kind === "person") && hasScope(caller.scopes, scope)) return;
  throw new Refusal("scope_missing", { detail: `This needs an API key with the scope ${scope}.` });
}

/** The header of an answer that is saved as a file. @param name what is not plain ASCII in it is replaced. */
export function savedAs(name: string): { readonly "content-disposition": string } {
  return { "content-disposition": `attachment; filename="${name.replaceAll(/[^A-Za-z0-9._-]/g, "_")}"` };
}
