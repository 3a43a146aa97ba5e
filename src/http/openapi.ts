/**
 * The API description (OpenAPI 3.1), generated from the declarations that also validate, authorise and serve (contract:
 * API description).
 */
import type { TSchema } from "../lib/schema.ts";
import type { Access, Endpoint, EndpointSchema, Method } from "./endpoint.ts";
import { LIMITS, PER_KEY_INSTEAD_OF_ADDRESS, type Limit } from "./limits.ts";
import {
  ERROR_SCHEMAS,
  headersOf,
  impliedAnswers,
  RATE_LIMIT_HEADERS,
  RESPONSE_HEADERS,
  sharedResponses,
  takesIdempotencyKey,
} from "./openapi-answers.ts";
import {
  asJson,
  described,
  propertiesOf,
  reference,
  requiredOf,
  type Json,
  type Schemas,
} from "./openapi-schemas.ts";
import { limitOf } from "./access.ts";

export interface DeclaredEndpoint {
  readonly method: Method;
  /** With parameters as `{token}`. */
  readonly path: string;
  readonly endpoint: Endpoint<EndpointSchema>;
}

interface ApiInfo {
  /** {host_url}; the paths below it begin with /api/v1. */
  readonly serverUrl: string;
  readonly version: string;
}

const METHODS: readonly Method[] = ["GET", "POST", "PATCH", "DELETE"];
const NO_CONTENT = 204;

/**
 * Generates the document; the same declarations give the same bytes.
 * @throws Error when two schemas share a name.
 */
export function openApiDocument(endpoints: readonly DeclaredEndpoint[], info: ApiInfo): object {
  const shown = endpoints.filter(({ endpoint }) => endpoint.hidden !== true);
  const schemas = new Map(Object.entries(ERROR_SCHEMAS));
  const paths = pathsOf(shown, schemas);
  return {
    openapi: "3.1.0",
    info: {
      title: "Payment Session Service",
      version: info.version,
      description: "Collects SEPA direct debits through payment sessions.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: info.serverUrl }],
    tags: [...new Set(shown.map(({ endpoint }) => endpoint.tag))].toSorted().map((name) => ({ name })),
    paths,
    components: {
      schemas: Object.fromEntries([...schemas].toSorted(byName)),
      responses: sharedResponses(),
      parameters: HEADER_PARAMETERS,
      headers: RESPONSE_HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

const HEADER_PARAMETERS: Json = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "Repeating the request with the same key within 24 hours returns the stored response and does nothing twice.",
    schema: { type: "string", minLength: 1, maxLength: 255 },
  },
  RequestId: {
    name: "X-Request-Id",
    in: "header",
    description:
      "Your id for this request, returned in the response. A value that looks like a key or a token is replaced.",
    schema: { type: "string", pattern: "^[A-Za-z0-9._-]{1,128}$" },
  },
};

const SECURITY_SCHEMES: Json = {
  apiKey: { type: "http", scheme: "bearer", bearerFormat: "rk_…", description: "An API key of the tenant." },
  operatorKey: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "rk_…",
    description: "The key that manages tenants.",
  },
  sessionToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "ps_…",
    description: "The token of a session.",
  },
};

/** Any one of the alternatives is sufficient; an empty one means no credentials. */
function securityOf(access: Access): readonly Json[] {
  switch (access) {
    case "operator":
      return [{ operatorKey: [] }];
    case "payments_or_session":
      return [{ apiKey: ["payments"] }, { sessionToken: [] }];
    case "session_in_path":
      return [{}, { apiKey: ["payments"] }];
    case "anyone":
      return [];
    default:
      return [{ apiKey: [access] }];
  }
}

function pathsOf(endpoints: readonly DeclaredEndpoint[], schemas: Schemas): Json {
  const paths = new Map<string, DeclaredEndpoint[]>();
  for (const declared of endpoints) paths.set(declared.path, [...(paths.get(declared.path) ?? []), declared]);
  return Object.fromEntries(
    [...paths]
      .toSorted(byName)
      .map(([path, declared]) => [
        path,
        Object.fromEntries(
          declared
            .toSorted((a, b) => METHODS.indexOf(a.method) - METHODS.indexOf(b.method))
            .map((one) => [one.method.toLowerCase(), operation(one, schemas)]),
        ),
      ]),
  );
}

function operation(declared: DeclaredEndpoint, schemas: Schemas): Json {
  const { method, path, endpoint } = declared;
  const description = [endpoint.description, limitSentence(endpoint)].filter((text) => text !== undefined);
  return {
    operationId: operationId(method, path),
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...(description.length === 0 ? {} : { description: description.join("\n\n") }),
    security: securityOf(endpoint.access),
    parameters: parametersOf(declared, schemas),
    ...(endpoint.schema.body === undefined
      ? {}
      : { requestBody: requestBody(endpoint, endpoint.schema.body, schemas) }),
    responses: { ...impliedAnswers(method, path, endpoint), ...declaredAnswers(method, endpoint, schemas) },
  };
}

/** POST /api/v1/payment-sessions/{token}/pay/ → post_payment_sessions_token_pay */
function operationId(method: Method, path: string): string {
  const words = path.replace(/^\/api\/v\d+/, "").match(/[A-Za-z0-9]+/g) ?? [];
  return [method.toLowerCase(), ...words].join("_");
}

function limitSentence({ limit, access }: Endpoint<EndpointSchema>): string | undefined {
  if (limit === undefined) return undefined;
  const counted: Limit = LIMITS[limit];
  const sentence = `Limited to ${limitWords(counted)}.`;
  if (access !== "session_in_path" || counted.per !== "address") return sentence;
  return `${sentence} A call with an API key of the session's tenant: ${limitWords(PER_KEY_INSTEAD_OF_ADDRESS)}.`;
}

function limitWords({ count, windowMs, per }: Limit): string {
  const window = windowMs === 1_000 ? "second" : `${windowMs / 1_000} seconds`;
  return `${count} ${count === 1 ? "request" : "requests"} per ${window} per ${per === "address" ? "IP address" : "API key"}`;
}

function parametersOf({ method, path, endpoint }: DeclaredEndpoint, schemas: Schemas): readonly Json[] {
  const { schema } = endpoint;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    ...parameterSchema(propertiesOf(schema.params)[name] ?? { type: "string" }, schemas),
  }));
  const required = new Set(requiredOf(schema.query));
  const inQuery = Object.entries(propertiesOf(schema.query)).map(([name, property]) => ({
    name,
    in: "query",
    required: required.has(name),
    ...parameterSchema(property, schemas),
  }));
  return [
    ...inPath,
    ...inQuery,
    ...(takesIdempotencyKey(method, endpoint) ? [reference("parameters", "IdempotencyKey")] : []),
    reference("parameters", "RequestId"),
  ];
}

function parameterSchema(property: Json, schemas: Schemas): Json {
  const { description, ...schema } = property;
  return { ...(description === undefined ? {} : { description }), schema: described(schema, schemas) };
}

const BODY_TYPES = {
  json: "application/json",
  raw: "application/json",
  form: "application/x-www-form-urlencoded",
  upload: "multipart/form-data",
} as const;

function requestBody(endpoint: Endpoint<EndpointSchema>, body: TSchema, schemas: Schemas): Json {
  const type = BODY_TYPES[endpoint.body ?? "json"];
  return {
    required: requiredOf(body).length > 0,
    content: { [type]: { schema: described(asJson(body), schemas) } },
  };
}

function declaredAnswers(method: Method, endpoint: Endpoint<EndpointSchema>, schemas: Schemas): Json {
  const type = endpoint.body === "form" || endpoint.html === true ? "text/html" : "application/json";
  const headers = headersOf([
    "X-Request-Id",
    ...(endpoint.answerHeaders ?? []),
    ...(limitOf(endpoint) === undefined ? [] : RATE_LIMIT_HEADERS),
    ...(takesIdempotencyKey(method, endpoint) ? ["Idempotent-Replayed"] : []),
  ]);
  return Object.fromEntries(
    Object.entries(endpoint.schema.response).map(([status, schema]) => {
      const description = STATUS_WORDS[status] ?? "See the schema.";
      if (Number(status) === NO_CONTENT) return [status, { description, headers }];
      const content = {
        [type]: { schema: described(asJson(schema), schemas) },
        ...otherFormats(endpoint),
      };
      return [status, { description, headers, content }];
    }),
  );
}

function otherFormats({ otherFormats: formats = {} }: Endpoint<EndpointSchema>): Json {
  return Object.fromEntries(
    Object.entries(formats).map(([type, description]) => [type, { schema: { type: "string", description } }]),
  );
}

const STATUS_WORDS: Readonly<Record<string, string>> = {
  "200": "Done.",
  "201": "Created.",
  "202": "Accepted.",
  "204": "Done; no content.",
};

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
