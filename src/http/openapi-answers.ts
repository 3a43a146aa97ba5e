/** Responses that endpoints do not declare because access, limit and body imply them, for the API description. */
import { Refusal, REFUSAL_KINDS, type RefusalKind } from "../refusals.ts";
import type { Access, Endpoint, EndpointSchema, Method } from "./endpoint.ts";
import { reference, type Json } from "./openapi-schemas.ts";

interface Shared {
  readonly status: number;
  readonly description: string;
  readonly headers?: readonly string[];
  readonly schema?: Json;
  readonly example: Json;
}

export const RATE_LIMIT_HEADERS = [
  "RateLimit-Limit",
  "RateLimit-Policy",
  "RateLimit-Remaining",
  "RateLimit-Reset",
] as const;

const SHARED = {
  BadRequest: {
    status: 400,
    description: "Messages for each invalid field, or one `detail` if the request cannot be read.",
    schema: { anyOf: [reference("schemas", "FieldErrors"), reference("schemas", "Error")] },
    example: { lead: { email: ["Must be a valid email address."] }, status_code: 400 },
  },
  Unauthorized: refusal("unauthorized", "Credentials are missing or invalid.", ["WWW-Authenticate"]),
  Forbidden: refusal("scope_missing", "The API key lacks the scope, or the operator key is required."),
  NotFound: refusal(
    "not_found",
    "Unknown, malformed, or belonging to another tenant; the answer does not say which.",
  ),
  TooSlow: refusal("too_slow", "The upload was too slow."),
  Conflict: refusal(
    "idempotency_in_progress",
    "The request conflicts with the current state; `detail` says how.",
  ),
  Gone: refusal("session_closed", "The session has ended; nothing was changed."),
  TooLarge: refusal("payload_too_large", "The body is over the limit."),
  UnsupportedMediaType: refusal(
    "unsupported_media_type",
    "The body has a media type that this endpoint does not accept.",
  ),
  IdempotencyMismatch: refusal(
    "idempotency_mismatch",
    "The Idempotency-Key was used with another path or body.",
  ),
  Throttled: {
    status: 429,
    description: "Too many requests.",
    headers: ["Retry-After", ...RATE_LIMIT_HEADERS],
    example: {
      detail: "Request was throttled. Expected available in 1 seconds.",
      code: "throttled",
      status_code: 429,
    },
  },
  InternalError: refusal("internal", "Internal error, logged under the X-Request-Id."),
  Unavailable: refusal("unavailable", "Try again shortly; nothing was changed.", ["Retry-After"]),
} as const satisfies Record<string, Shared>;

type SharedName = keyof typeof SHARED;

/** Endpoints with credentials may refuse them, and throttle a caller that keeps sending wrong ones. */
function refusedForCredentials(access: Access): readonly SharedName[] {
  switch (access) {
    case "anyone":
      return [];
    case "session_in_path":
      // Two credentials at once are refused, even where none is required.
      return ["Unauthorized"];
    default:
      return ["Unauthorized", "Forbidden", "Throttled"];
  }
}

/** Status → reference, for the responses implied by the endpoint's declaration. */
export function impliedAnswers(method: Method, path: string, endpoint: Endpoint<EndpointSchema>): Json {
  const { access, limit, body } = endpoint;
  const keyed = takesIdempotencyKey(method, endpoint);
  const names: readonly SharedName[] = [
    // Two Host headers, for example, are refused at every endpoint.
    "BadRequest",
    ...refusedForCredentials(access),
    ...(path.includes("{") ? (["NotFound"] as const) : []),
    // An archived record cannot be changed.
    ...(keyed || method === "PATCH" ? (["Conflict"] as const) : []),
    ...(keyed ? (["IdempotencyMismatch"] as const) : []),
    ...(method === "POST" && access === "session_in_path" ? (["Gone"] as const) : []),
    // An unexpected body is read all the same, except for a GET. Content-Encoding is refused everywhere.
    ...(method === "GET" ? [] : (["TooLarge"] as const)),
    ...(body === "upload" ? (["TooSlow"] as const) : []),
    ...(body === "raw" ? [] : (["UnsupportedMediaType"] as const)),
    ...(limit === undefined ? [] : (["Throttled"] as const)),
    "InternalError",
    "Unavailable",
  ];
  return Object.fromEntries(names.map((name) => [SHARED[name].status, reference("responses", name)]));
}

/** A POST with a known caller, as keys are separate per caller; a file is not stored for comparison. */
export function takesIdempotencyKey(
  method: Method,
  { access, body }: Pick<Endpoint<EndpointSchema>, "access" | "body">,
): boolean {
  return method === "POST" && access !== "anyone" && body !== "upload";
}

/** components/responses */
export function sharedResponses(): Json {
  return Object.fromEntries(
    Object.entries<Shared>(SHARED).map(([name, { description, headers = [], schema, example }]) => [
      name,
      {
        description,
        headers: headersOf(["X-Request-Id", ...headers]),
        content: { "application/json": { schema: schema ?? reference("schemas", "Error"), example } },
      },
    ]),
  );
}

/** components/schemas of the errors */
export const ERROR_SCHEMAS: Readonly<Record<string, Json>> = {
  Error: {
    type: "object",
    required: ["detail", "status_code"],
    properties: {
      detail: { type: "string" },
      code: {
        type: "string",
        enum: REFUSAL_KINDS,
        description: "Machine-readable reason; values may be added.",
      },
      status_code: { type: "integer" },
      request_id: { type: "string", description: "With 5xx: the X-Request-Id." },
    },
  },
  FieldErrors: {
    type: "object",
    description: "A list of messages under the name of each invalid field, nested like the request.",
    required: ["status_code"],
    properties: { status_code: { type: "integer", const: 400 } },
    additionalProperties: reference("schemas", "FieldMessages"),
  },
  FieldMessages: {
    anyOf: [
      { type: "array", items: { type: "string" }, minItems: 1 },
      { type: "object", additionalProperties: reference("schemas", "FieldMessages") },
    ],
  },
};

/** components/headers */
export const RESPONSE_HEADERS: Readonly<Record<string, Json>> = {
  "Content-Disposition": header("string", "With CSV: a download and its file name."),
  "Idempotent-Replayed": header("boolean", "true when this is the stored answer of an earlier request."),
  Link: header("string", 'With CSV: the URL of the next page, rel="next"; absent on the last page.'),
  "RateLimit-Limit": header("integer", "Number of requests that the window allows."),
  "RateLimit-Policy": header("string", "The limit and its window in seconds, such as 50;w=1."),
  "RateLimit-Remaining": header("integer", "Number of requests that remain."),
  "RateLimit-Reset": header("integer", "Seconds until the full number is available again."),
  "Retry-After": header("integer", "Seconds to wait before retrying."),
  "WWW-Authenticate": header("string", "Bearer"),
  "X-Next-Cursor": header("string", "With CSV: the cursor of the next page; absent on the last page."),
  "X-Request-Id": header("string", "Identifies this request in the service's logs."),
};

/** References to response headers by their names. */
export function headersOf(names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, reference("headers", name)]));
}

function refusal(kind: RefusalKind, description: string, headers: readonly string[] = []): Shared {
  const { status, detail } = new Refusal(kind);
  return { status, description, headers, example: { detail, code: kind, status_code: status } };
}

function header(type: string, description: string): Json {
  return { description, schema: { type } };
}
