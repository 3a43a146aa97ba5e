/**
 * Builders of JSON Schemas with TypeScript types: TypeBox's own, as far as the service uses them. TypeBox is imported
 * for its types only: loading its 350 modules took a fifth of a start's processor time and 20 MB.
 */
import type * as TypeBox from "typebox";

export type { Static, TObject, TProperties, TSchema, TUnsafe } from "typebox";

type Builders = Pick<
  typeof TypeBox,
  | "Array"
  | "Boolean"
  | "Enum"
  | "Integer"
  | "Literal"
  | "Null"
  | "Object"
  | "Optional"
  | "Partial"
  | "Record"
  | "String"
  | "Union"
  | "Unknown"
  | "Unsafe"
>;

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
}
type Options = Readonly<Record<string, unknown>>;

/** Marks an optional property; not enumerable, so that it is in no schema and is lost in a spread. */
const OPTIONAL = "~optional";

const builders = {
  Array: (items: Schema, options?: Options) => ({ type: "array", items, ...options }),
  Boolean: (options?: Options) => ({ type: "boolean", ...options }),
  Enum: (values: readonly unknown[], options?: Options) => ({ enum: values, ...options }),
  Integer: (options?: Options) => ({ type: "integer", ...options }),
  Literal: (value: unknown, options?: Options) => ({ type: typeof value, const: value, ...options }),
  Null: (options?: Options) => ({ type: "null", ...options }),
  Object: objectOf,
  Optional: optional,
  Partial: ({ properties = {} }: Schema, options?: Options) =>
    objectOf(
      Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, optional(schema)])),
      options,
    ),
  /** Of any names. */
  Record: (_key: Schema, value: Schema, options?: Options) => ({
    type: "object",
    patternProperties: { "^.*$": value },
    ...options,
  }),
  String: (options?: Options) => ({ type: "string", ...options }),
  Union: (anyOf: readonly Schema[], options?: Options) => ({ anyOf, ...options }),
  Unknown: (options?: Options) => ({ ...options }),
  Unsafe: (schema: Schema) => copied(schema),
};

/** The API of TypeBox, so that its documentation applies. */
export const Type = builders as unknown as Builders;

function objectOf(properties: Readonly<Record<string, Schema>>, options?: Options) {
  const required = Object.keys(properties).filter((name) => !(OPTIONAL in (properties[name] ?? {})));
  return { type: "object", ...(required.length > 0 ? { required } : {}), properties, ...options };
}

function optional(schema: Schema): Schema {
  return Object.defineProperty(copied(schema), OPTIONAL, { value: true, configurable: true });
}

/** Including properties that are not enumerable. */
function copied(schema: Schema): Schema {
  return Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema));
}
