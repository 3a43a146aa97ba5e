import assert from "node:assert/strict";
import test from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { Type } from "../lib/schema.ts";
import type { Endpoint, EndpointSchema, Method } from "./endpoint.ts";
import { openApiDocument, type DeclaredEndpoint } from "./openapi.ts";

const nothing = async () => ({ status: 200, body: null });
const INFO = { serverUrl: "https://pay.example", version: "1.0.0" };
const Thing = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    owner: Type.Optional(Type.Union([Type.Object({ name: Type.String() }, { $id: "Owner" }), Type.Null()])),
    kind: Type.Enum(["A", "B"]),
  },
  { $id: "Thing" },
);

const THINGS: readonly DeclaredEndpoint[] = [
  declared("POST", "/api/v1/things/", {
    access: "settings",
    limit: "create",
    schema: {
      body: Type.Object({
        name: Type.String({ examples: ["A thing"] }),
        price: Type.Unsafe({ type: "string", anyCase: true }),
      }),
      response: { 201: Thing },
    },
  }),
  declared("GET", "/api/v1/things/", {
    access: "settings",
    schema: {
      query: Type.Object({
        cursor: Type.Optional(Type.String({ description: "Opaque." })),
        from: Type.String(),
      }),
      response: { 200: Type.Object({ results: Type.Array(Thing) }) },
    },
  }),
  declared("PATCH", "/api/v1/things/{id}/", {
    access: "settings",
    schema: {
      params: Type.Object({ id: Type.String({ format: "uuid" }) }),
      body: Type.Object({ name: Type.String() }),
      response: { 200: Thing },
    },
  }),
  declared("POST", "/api/v1/files/", {
    access: "settings",
    body: "upload",
    schema: { body: Type.Object({ file: Type.String() }), response: { 201: Thing } },
  }),
  declared("DELETE", "/api/v1/things/{id}/", {
    access: "operator",
    schema: { params: Type.Object({ id: Type.String({ format: "uuid" }) }), response: { 204: Type.Null() } },
  }),
  declared("POST", "/api/v1/sessions/{token}/pay/", {
    access: "session_in_path",
    limit: "pay",
    schema: {
      params: Type.Object({ token: Type.String() }),
      body: Type.Object({}),
      response: { 200: Thing },
    },
  }),
  declared("GET", "/internal", {
    access: "anyone",
    hidden: true,
    schema: { response: { 200: Type.String() } },
  }),
];

const document = read(openApiDocument(THINGS, INFO));

test("every reference resolves", () => {
  for (const $ref of referencesIn(document)) assert.ok(at(document, $ref) !== undefined, $ref);
});

test("operation ids are unique and come from the method and the path", () => {
  const ids = operations(document).map(({ operation }) => operation.operationId);
  assert.deepEqual(ids, [
    "post_files",
    "post_sessions_token_pay",
    "get_things",
    "post_things",
    "patch_things_id",
    "delete_things_id",
  ]);
});

test("every parameter of a path is declared as required", () => {
  for (const { path, operation } of operations(document)) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    const inPath = operation.parameters.filter((parameter) => parameter.in === "path");
    assert.deepEqual(
      inPath.map(({ name }) => name),
      names,
      path,
    );
    assert.ok(
      inPath.every(({ required }) => required === true),
      path,
    );
  }
});

test("every schema compiles as JSON Schema 2020-12", () => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  addFormats.default(ajv);
  ajv.addKeyword("components");
  ajv.addSchema({ $id: "document", components: document.components }, "document", false, false);
  for (const name of Object.keys(document.components.schemas)) {
    ajv.compile({ $ref: `document#/components/schemas/${name}` });
  }
});

test("a schema with a name is one component, wherever it stands; the validator's keywords stay out", () => {
  assert.deepEqual(document.components.schemas["Thing"], {
    type: "object",
    required: ["id", "kind"],
    properties: {
      id: { type: "string", format: "uuid" },
      owner: { anyOf: [{ $ref: "#/components/schemas/Owner" }, { type: "null" }] },
      kind: { enum: ["A", "B"] },
    },
  });
  assert.ok(!JSON.stringify(document).includes("anyCase"));
  assert.throws(
    () =>
      openApiDocument(
        [
          ...THINGS,
          declared("GET", "/other/", { schema: { response: { 200: Type.Object({}, { $id: "Thing" }) } } }),
        ],
        INFO,
      ),
    /Two different schemas are named Thing/,
  );
});

test("other formats and headers of a success are described with its JSON, and its errors stay JSON", () => {
  const listed = declared("GET", "/api/v1/things/", {
    otherFormats: { "text/csv": "One row per thing." },
    answerHeaders: ["X-Next-Cursor"],
    schema: { query: Type.Object({}), response: { 200: Thing } },
  });
  const description = read(openApiDocument([listed], INFO));
  const [{ operation } = assert.fail("no operation")] = operations(description);
  const { content, headers } = operation.responses["200"] as Readonly<Record<string, object>>;
  assert.deepEqual(content, {
    "application/json": { schema: { $ref: "#/components/schemas/Thing" } },
    "text/csv": { schema: { type: "string", description: "One row per thing." } },
  });
  assert.ok(Object.keys(headers ?? {}).includes("X-Next-Cursor"));
  for (const $ref of referencesIn(description)) assert.ok(at(description, $ref) !== undefined, $ref);
  assert.deepEqual(operation.responses["400"], { $ref: "#/components/responses/BadRequest" });
});

test("access, limit, parameters and body imply the errors", () => {
  const rows: readonly (readonly [operationId: string, statuses: readonly number[]])[] = [
    ["post_things", [201, 400, 401, 403, 409, 413, 415, 422, 429, 500, 503]],
    ["get_things", [200, 400, 401, 403, 415, 429, 500, 503]],
    ["patch_things_id", [200, 400, 401, 403, 404, 409, 413, 415, 429, 500, 503]],
    ["delete_things_id", [204, 400, 401, 403, 404, 413, 415, 429, 500, 503]],
    ["post_files", [201, 400, 401, 403, 408, 413, 415, 429, 500, 503]],
    ["post_sessions_token_pay", [200, 400, 401, 404, 409, 410, 413, 415, 422, 429, 500, 503]],
  ];
  for (const [operationId, statuses] of rows) {
    const found = operations(document).find(({ operation }) => operation.operationId === operationId);
    assert.deepEqual(Object.keys(found?.operation.responses ?? {}).map(Number), statuses, operationId);
  }
});

test("credentials are described per endpoint, and hidden endpoints are left out", () => {
  assert.deepEqual(
    operations(document).map(({ operation }) => operation.security),
    [
      [{ apiKey: ["settings"] }],
      [{}, { apiKey: ["payments"] }],
      [{ apiKey: ["settings"] }],
      [{ apiKey: ["settings"] }],
      [{ apiKey: ["settings"] }],
      [{ operatorKey: [] }],
    ],
  );
  assert.ok(!("/internal" in document.paths));
});

test("the order of declaration does not matter", () => {
  const turned = openApiDocument(THINGS.toReversed(), INFO);
  assert.equal(JSON.stringify(turned), JSON.stringify(openApiDocument(THINGS, INFO)));
});

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly {
    readonly name?: string;
    readonly in?: string;
    readonly required?: boolean;
  }[];
  readonly responses: Readonly<Record<string, object>>;
  readonly security: readonly object[];
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

function declared(
  method: Method,
  path: string,
  endpoint: Partial<Endpoint<EndpointSchema>>,
): DeclaredEndpoint {
  const schema = { response: {} };
  return {
    method,
    path,
    endpoint: { summary: path, tag: "Things", access: "anyone", schema, handle: nothing, ...endpoint },
  };
}

/** The document as a client receives it. */
function read(value: object): Document {
  return JSON.parse(JSON.stringify(value));
}

function operations({
  paths,
}: Document): readonly { readonly path: string; readonly operation: Operation }[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => ({ path, operation })),
  );
}

function referencesIn(value: unknown): readonly string[] {
  const found: string[] = [];
  JSON.stringify(value, (key, part: unknown) => {
    if (key === "$ref" && typeof part === "string") found.push(part);
    return part;
  });
  return found;
}

function at(value: unknown, pointer: string): unknown {
  let part = value;
  for (const name of pointer.replace("#/", "").split("/")) {
    if (typeof part !== "object" || part === null) return undefined;
    part = Object.entries(part).find(([key]) => key === name)?.[1];
  }
  return part;
}
