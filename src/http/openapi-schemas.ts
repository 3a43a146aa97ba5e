/** Converts the validating schemas to those of the API description: named ones become shared components. */
import type { TSchema } from "../lib/schema.ts";

export type Json = Readonly<Record<string, unknown>>;

/** components/schemas, filled while the document is created. */
export type Schemas = Map<string, Json>;

/** Keywords of a JSON Schema that contain other schemas. */
const ONE_SCHEMA: ReadonlySet<string> = new Set([
  "items",
  "additionalProperties",
  "propertyNames",
  "contains",
  "not",
]);
const MANY_SCHEMAS: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const NAMED_SCHEMAS: ReadonlySet<string> = new Set(["properties", "patternProperties"]);
/** The other keywords that the document keeps; the validator's own are omitted. */
const PLAIN: ReadonlySet<string> = new Set(
  (
    "type const enum format pattern minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum " +
    "multipleOf minItems maxItems uniqueItems required minProperties maxProperties title description default " +
    "examples readOnly writeOnly deprecated contentEncoding contentMediaType $ref"
  ).split(" "),
);

/**
 * The schema as shown in the document: one with an `$id` becomes a shared component.
 * @throws Error when two with the same `$id` differ.
 */
export function described(schema: Json, schemas: Schemas): Json {
  const { $id, ...rest } = schema;
  const shown = Object.fromEntries(
    Object.entries(rest).flatMap(([keyword, value]) => {
      const words = describedKeyword(keyword, value, schemas);
      return words === undefined ? [] : [[keyword, words]];
    }),
  );
  return typeof $id === "string" ? component($id, shown, schemas) : shown;
}

function describedKeyword(keyword: string, value: unknown, schemas: Schemas): unknown {
  if (NAMED_SCHEMAS.has(keyword)) {
    return Object.fromEntries(
      Object.entries(asJson(value)).map(([name, one]) => [name, described(asJson(one), schemas)]),
    );
  }
  if (MANY_SCHEMAS.has(keyword) && Array.isArray(value))
    return value.map((one) => described(asJson(one), schemas));
  if (ONE_SCHEMA.has(keyword)) return typeof value === "boolean" ? value : described(asJson(value), schemas);
  return PLAIN.has(keyword) ? value : undefined;
}

function component(name: string, shown: Json, schemas: Schemas): Json {
  const known = schemas.get(name);
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(shown)) {
    throw new Error(`Two different schemas are named ${name}`);
  }
  schemas.set(name, shown);
  return reference("schemas", name);
}

/** The properties of an object schema; none for anything else. */
export function propertiesOf(schema: TSchema | undefined): Readonly<Record<string, Json>> {
  const { properties = {} } = asJson(schema ?? {});
  return Object.fromEntries(
    Object.entries(asJson(properties)).map(([name, property]) => [name, asJson(property)]),
  );
}

/** The names of an object schema's required properties. */
export function requiredOf(schema: TSchema | undefined): readonly unknown[] {
  const { required } = asJson(schema ?? {});
  return Array.isArray(required) ? required : [];
}

/** Read-only, a schema is a plain object. */
export function asJson(value: unknown): Json {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** A reference to a shared component of the document. */
export function reference(kind: "schemas" | "responses" | "headers" | "parameters", name: string): Json {
  return { $ref: `#/components/${kind}/${name}` };
}
