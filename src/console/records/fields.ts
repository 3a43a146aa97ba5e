/** The fields of a record's form, read from the JSON Schema that the API checks it with. Pure. */
import type { TSchema } from "../../lib/schema.ts";

export type Option = readonly [value: string, text: string];

type Kind = "text" | "long" | "amount" | "integer" | "time" | "yes" | "one" | "some" | "lines" | "json";

export interface FormField {
  /** With a dot for each object around it: `branding.logo_url`. */
  readonly name: string;
  readonly kind: Kind;
  readonly required: boolean;
  readonly nullable: boolean;
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

/**
 * The fields of a form, in the schema's order.
 * @param answered the record as it is answered: it names the values of choices that the schema takes in any case.
 */
export function fieldsOf(
  schema: TSchema,
  answered: TSchema | null = null,
  around = "",
): readonly FormField[] {
  const { properties = {}, required = [] }: Node = schema;
  const { properties: known = {} } = (answered ?? {}) as Node;
  return Object.entries(properties).flatMap(([name, given]): readonly FormField[] => {
    const node = withoutNull(given);
    if (node.properties !== undefined) return fieldsOf(node, known[name] ?? null, `${around}${name}.`);
    const values = choicesIn(node).length > 0 ? choicesIn(node) : choicesIn(withoutNull(known[name] ?? {}));
    return [
      {
        name: around + name,
        kind: kindOf(name, node, values),
        required: required.includes(name),
        nullable: isNullable(given),
        values,
        maxLength: node.maxLength ?? null,
      },
    ];
  });
}

function kindOf(name: string, node: Node, values: readonly string[]): Kind {
  const { type, format = "", items, maxLength = 0 } = node;
  if (is(type, "array")) return choicesIn(items ?? {}).length > 0 ? "some" : "lines";
  if (values.length > 0) return "one";
  if (is(type, "boolean")) return "yes";
  if (is(type, "integer")) return "integer";
  if (is(type, "object")) return "json";
  if (format.startsWith("amount")) return "amount";
  if (format === "date-time") return "time";
  return maxLength >= LONG_FROM && !ADDRESS.test(name) ? "long" : "text";
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
