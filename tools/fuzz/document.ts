/** Checks responses against the API description. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { FORMATS } from "../../src/http/fields.ts";

export type Json = Readonly<Record<string, unknown>>;

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly schema: Schema;
}

export interface Operation {
  /** METHOD path, as in the report. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** The required credential: `apiKey`, `operatorKey`, `sessionToken`, or none. */
  readonly security: readonly string[];
  /** Whether only the path is needed. */
  readonly open: boolean;
  readonly parameters: readonly Parameter[];
  readonly bodyType: string | null;
  readonly body: Schema | null;
  readonly hidden: boolean;
  /** What is wrong with a response; null if it is as described. */
  problemOf(status: number, type: string | undefined, text: string): string | null;
  /** The names of all fields of its responses. */
  readonly shows: ReadonlySet<string>;
}

export interface Document {
  readonly operations: readonly Operation[];
  resolve(schema: Schema): Schema;
}

interface Response {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

/** The target of a reference, of a type that depends on the place of the reference. */
type Component = Schema & Response & Parameter;
type At = (reference: string) => Component;

interface RawOperation {
  readonly security?: readonly Json[];
  readonly parameters?: readonly (Parameter & { readonly $ref?: string })[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, Response & { readonly $ref?: string }>>;
}

/** Pages, probes and the description itself, which are not in the description. */
const PAGE_ANSWERS = [200, 302, 303, 400, 401, 404, 405, 409, 410, 413, 415, 422, 429];
const FORM = "application/x-www-form-urlencoded";
const FORM_FIELDS: Schema = {
  type: "object",
  properties: {
    iban: { type: "string" },
    holder: { type: "string" },
    accepted: { type: "string", enum: ["on"] },
    reference: { type: "string" },
  },
};
const LINK_FIELDS: Schema = {
  type: "object",
  required: ["amount", "first_name", "last_name", "email", "country"],
  properties: {
    amount: { enum: ["1.00", "7,25", "0.99", "1e9"] },
    first_name: { type: "string", minLength: 1, maxLength: 255 },
    last_name: { type: "string", minLength: 1, maxLength: 255 },
    email: { type: "string", format: "email" },
    country: { enum: ["DE", "FR", "XX"] },
  },
};
const CHANGE_FIELDS: Schema = {
  type: "object",
  properties: { iban: { type: "string" }, accepted: { type: "string", enum: ["yes"] } },
};
const PAGE_QUERY = ["lang", "verification_id", "to", "done", "asked"];
const HIDDEN: readonly (readonly [
  method: string,
  path: string,
  query: readonly string[],
  form: Schema | null,
])[] = [
  ["GET", "/healthz", [], null],
  ["GET", "/readyz", [], null],
  ["GET", "/metrics", [], null],
  ["GET", "/docs", [], null],
  ["GET", "/pay/{token}/", PAGE_QUERY, null],
  ["POST", "/pay/{token}/", PAGE_QUERY, FORM_FIELDS],
  ["POST", "/pay/{token}/verify/", PAGE_QUERY, { type: "object", properties: {} }],
  ["GET", "/pay/link/{token}/", ["lang"], null],
  ["POST", "/pay/link/{token}/", ["lang"], LINK_FIELDS],
  ["GET", "/pay/account/{token}/", ["lang", "changed"], null],
  ["GET", "/pay/account/{token}/mandates/{id}/", ["lang"], null],
  ["POST", "/pay/account/{token}/mandates/{id}/", ["lang"], CHANGE_FIELDS],
  ["GET", "/pay/account/{token}/mandates/{id}/document/", ["lang"], null],
  ["POST", "/pay/account/{token}/subscriptions/{id}/cancel/", ["lang"], { type: "object", properties: {} }],
  ["GET", "/pay/assets/pay.js", [], null],
  ["GET", "/preview/hosted-pages/{id}", ["link", "state", "lang"], null],
  ["GET", "/sandbox/verifications/{verification}", [], null],
  [
    "POST",
    "/sandbox/verifications/{verification}",
    [],
    { type: "object", required: ["decision"], properties: { decision: { enum: ["confirm", "refuse"] } } },
  ],
];

/** Reads the description that a service serves. */
export function readDocument(document: Json): Document {
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  addFormats.default(ajv, ["date", "date-time", "uri"]);
  for (const [name, test] of Object.entries(FORMATS)) ajv.addFormat(name, test);
  ajv.addSchema({ $id: "doc:", components: closed((document as { components: unknown }).components) });
  const at: At = (reference) => {
    let value: unknown = document;
    for (const part of reference.slice(2).split("/")) value = (value as Json)[part];
    return value as Component;
  };
  const resolve = (schema: Schema): Schema => (schema.$ref === undefined ? schema : at(schema.$ref));
  const operations = Object.entries((document as { paths: Json }).paths).flatMap(([path, methods]) =>
    Object.entries(methods as Readonly<Record<string, RawOperation>>).map(([method, raw]) =>
      operationOf(ajv, at, path, method.toUpperCase(), raw),
    ),
  );
  return { operations: [...operations, ...HIDDEN.map(hiddenOperation)], resolve };
}

function operationOf(ajv: Ajv2020, at: At, path: string, method: string, raw: RawOperation): Operation {
  const checks = new Map<string, ValidateFunction | null>();
  const shows = new Set<string>();
  for (const [status, given] of Object.entries(raw.responses)) {
    const response = given.$ref === undefined ? given : at(given.$ref);
    if (response.content === undefined) checks.set(`${status} `, null);
    for (const [type, { schema }] of Object.entries(response.content ?? {})) {
      const json = type === "application/json";
      checks.set(`${status} ${type}`, json ? ajv.compile(absolute(closed(schema)) as object) : null);
      if (status.startsWith("2")) collectNames(schema, at, shows);
    }
  }
  const [bodyType = null] = Object.keys(raw.requestBody?.content ?? {});
  return {
    name: `${method} ${path}`,
    method,
    path,
    security: (raw.security ?? []).flatMap((one) => Object.keys(one)),
    open:
      raw.security === undefined ||
      [...raw.security, ...(raw.security.length === 0 ? [{}] : [])].some(
        (one) => Object.keys(one).length === 0,
      ),
    parameters: (raw.parameters ?? []).map((one) => (one.$ref === undefined ? one : at(one.$ref))),
    bodyType,
    body: bodyType === null ? null : (raw.requestBody?.content[bodyType]?.schema ?? null),
    hidden: false,
    shows,
    problemOf(status, type, text) {
      const plain = (type ?? "").split(";")[0]?.trim() ?? "";
      const check = checks.get(`${status} ${plain}`);
      if (check === undefined) {
        const known = [...checks.keys()].some((key) => key.startsWith(`${status} `));
        return known
          ? `content type ${plain || "(none)"} is not documented for ${status}`
          : `status ${status} is not documented`;
      }
      if (check === null) return null;
      let body: unknown;
      try {
        body = JSON.parse(text);
      } catch {
        return `the body of a ${status} is not JSON`;
      }
      if (check(body)) return null;
      const [error] = check.errors ?? [];
      const what = JSON.stringify(error?.params ?? {});
      return `the body of a ${status} is not as documented: ${error?.instancePath ?? ""} ${error?.message ?? ""} ${what}`;
    },
  };
}

function hiddenOperation([method, path, query, form]: (typeof HIDDEN)[number]): Operation {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  return {
    name: `${method} ${path}`,
    method,
    path,
    security: [],
    open: true,
    parameters: [
      ...inPath.map((name) => ({ name, in: "path" as const, schema: { type: "string" } })),
      ...query.map((name) => ({ name, in: "query" as const, schema: { type: "string" } })),
    ],
    bodyType: form === null ? null : FORM,
    body: form,
    hidden: true,
    shows: new Set(),
    problemOf: (status) => (PAGE_ANSWERS.includes(status) ? null : `status ${status} is none of a page's`),
  };
}

/** A copy in which objects allow only listed fields, so that undescribed ones are found. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  const { properties, type } = schema as Schema;
  const listed =
    properties !== undefined && typeof properties === "object" && Object.keys(properties).length > 0;
  const open = "additionalProperties" in schema || "patternProperties" in schema || "allOf" in schema;
  if (listed && type !== undefined && !open) copy["additionalProperties"] = false;
  return copy;
}

function absolute(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"doc:#/'));
}

function collectNames(schema: Schema, at: At, into: Set<string>): void {
  const text = JSON.stringify(schema.$ref === undefined ? schema : at(schema.$ref));
  for (const [, name = ""] of text.matchAll(/"(\w+)":\{/g)) into.add(name);
  for (const [, reference = ""] of text.matchAll(/"\$ref":"([^"]+)"/g)) collectNames(at(reference), at, into);
}
