/** The fields of a record's form, derived from the JSON Schema with which the API validates it. Pure. */
import type { TSchema } from "../../lib/schema.ts";

type Kind =
  | "text"
  | "long"
  | "amount"
  | "integer"
  | "time"
  | "yes"
  | "one"
  | "country"
  | "language"
  | "some"
  | "lines"
  | "numbers"
  | "json";

export interface FormField {
  /** With a dot for each surrounding object: `branding.logo_url`. */
  readonly name: string;
  readonly kind: Kind;
  readonly required: boolean;
  readonly nullable: boolean;
  /** It is part of an optional object. */
  readonly inOptional: boolean;
  /** Of `one` and `some`. */
  readonly values: readonly string[];
  readonly maxLength: number | null;
}

interface Node {
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | null)[];
  readonly anyOf?: readonly Node[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly items?: Node;
  readonly format?: string;
  readonly maxLength?: number;
}

/** Texts that are longer than a line: keys, descriptions. */
const LONG_FROM = 2_000;
const ADDRESS = /_url$|^url$/;
const COUNTRY = /^(creditor_)?country$/;
const LANGUAGE = /^(default_)?locale$/;

/**
 * The fields of a form, in the schema's order.
 * @param answered the record's response schema: it names the values of choices that the request schema accepts in any
 * case.
 */
export function fieldsOf(schema: TSchema, answered: TSchema | null = null): readonly FormField[] {
  return fieldsIn(schema, answered ?? {}, { around: "", isOptional: false });
}

/** @param isOptional whether the object may be omitted: nothing in it is required then. */
function fieldsIn(
  { properties = {}, required = [] }: Node,
  { properties: known = {} }: Node,
  { around, isOptional }: { readonly around: string; readonly isOptional: boolean },
): readonly FormField[] {
  return Object.entries(properties).flatMap(([name, given]): readonly FormField[] => {
    const node = withoutNull(given);
    const isRequired = required.includes(name) && !isOptional;
    if (node.properties !== undefined)
      return fieldsIn(node, known[name] ?? {}, { around: `${around}${name}.`, isOptional: !isRequired });
    const values = choicesIn(node).length > 0 ? choicesIn(node) : choicesIn(withoutNull(known[name] ?? {}));
    return [
      {
        name: around + name,
        kind: kindOf(name, node, values),
        required: isRequired,
        nullable: isNullable(given),
        inOptional: isOptional,
        values,
        maxLength: node.maxLength ?? null,
      },
    ];
  });
}

function kindOf(name: string, node: Node, values: readonly string[]): Kind {
  const { type, format = "", items, maxLength = 0 } = node;
  if (is(type, "array")) return kindOfList(items ?? {});
  if (values.length > 0) return "one";
  if (is(type, "boolean")) return "yes";
  if (is(type, "integer")) return "integer";
  if (is(type, "object")) return "json";
  if (format.startsWith("amount")) return "amount";
  if (format === "date-time") return "time";
  if (COUNTRY.test(name)) return "country";
  if (LANGUAGE.test(name)) return "language";
  return maxLength >= LONG_FROM && !ADDRESS.test(name) ? "long" : "text";
}

/** In a list whose items may be numbers, lines of digits are numbers. */
function kindOfList(items: Node): Kind {
  if (choicesIn(items).length > 0) return "some";
  return [items, ...(items.anyOf ?? [])].some(({ type }) => is(type, "integer")) ? "numbers" : "lines";
}

function choicesIn({ enum: choices, items }: Node): readonly string[] {
  const values = choices ?? items?.enum ?? [];
  return values.filter((value) => value !== null);
}

function is(type: Node["type"], what: string): boolean {
  return typeof type === "string" ? type === what : (type?.includes(what) ?? false);
}

function isNullable({ type, anyOf = [] }: Node): boolean {
  return is(type, "null") || anyOf.some((one) => is(one.type, "null"));
}

function withoutNull(node: Node): Node {
  return node.anyOf?.find((one) => !is(one.type, "null")) ?? node;
}
