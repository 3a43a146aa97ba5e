/**
 * Validates a request's body and query against their schemas; every invalid field gets its messages (contract: Field
 * errors).
 */
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import type { TSchema } from "../lib/schema.ts";
import { lazily } from "../lib/lazily.ts";
import { FieldErrors, type FieldMessages } from "../refusals.ts";
import { FORMATS } from "./fields.ts";

/** Checks a value; null when it is valid, otherwise the messages. */
export type Check = (value: unknown) => FieldErrors | null;

const ajv = validator();

export function bodyCheck(schema: TSchema): Check {
  return check(schema);
}

/**
 * Validates a query, which contains only text: values that the schema defines as numbers or booleans are converted in
 * `value`.
 * @param options.closed refuses parameters that the schema does not contain: a misspelt filter would list everything.
 */
export function queryCheck(schema: TSchema, { closed }: { readonly closed: boolean }): Check {
  const { properties: declared = {} } = schema as {
    readonly properties?: Readonly<Record<string, Property>>;
  };
  const validate = check(schema);
  const properties = Object.entries(declared);
  const names = properties.map(([name]) => name);
  return (value) => {
    const query = value as Record<string, unknown>;
    const unknown = closed ? unknownParameters(query, names) : {};
    const unusable = unusableParameters(query);
    for (const [name, { type }] of properties) if (name in query) query[name] = typed(query[name], type);
    const fields = { ...(unusable ?? validate(query))?.fields, ...unknown };
    return Object.keys(fields).length === 0 ? null : new FieldErrors(fields);
  };
}

function unknownParameters(
  query: Readonly<Record<string, unknown>>,
  names: readonly string[],
): FieldMessages {
  const message = `Unknown parameter. Allowed: ${names.length === 0 ? "none" : names.join(", ")}.`;
  const unknown = Object.keys(query).filter((name) => !names.includes(name));
  return Object.fromEntries(unknown.map((name) => [name, [message]]));
}

interface Property {
  readonly type?: unknown;
}

/** Decimal digits only: `0x10`, `1e2` and ` 10` are numbers to JavaScript but mistakes in a query. */
function typed(text: unknown, type: unknown): unknown {
  if (typeof text !== "string") return text;
  if (type === "integer" && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

/** The schema without names: the same one may be used by several endpoints. */
export function withoutIds(schema: TSchema): TSchema {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) => (key === "$id" ? undefined : value)),
  ) as TSchema;
}

function validator(): Ajv {
  const made = new Ajv({
    coerceTypes: false,
    allErrors: true,
    verbose: true,
    strict: false,
    allowUnionTypes: true,
  });
  addFormats.default(made, ["date", "date-time", "uri"]);
  for (const [name, test] of Object.entries(FORMATS)) made.addFormat(name, test);
  return made;
}

/** Compiled for the first value: compiling all endpoints' schemas would take half of the service's start. */
function check(schema: TSchema): Check {
  const compiled: () => ValidateFunction = lazily(() => ajv.compile(withoutIds(schema)));
  return (value) => {
    const validate = compiled();
    return validate(value) ? null : new FieldErrors(messagesOf(validate.errors ?? []));
  };
}

/** With `?format=json&format=csv` it is unknown which one counts. PostgreSQL has no NUL in texts. */
function unusableParameters(query: Readonly<Record<string, unknown>>): FieldErrors | null {
  const wrong: [name: string, messages: string[]][] = [];
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) wrong.push([name, ["This parameter may be given only once."]]);
    else if (String(value).includes("\0")) wrong.push([name, ["Must not contain a NUL character."]]);
  }
  return wrong.length === 0 ? null : new FieldErrors(Object.fromEntries(wrong));
}

interface Node {
  [field: string]: Node | string[];
}

/** Without a prototype: a key in the request may be `constructor`. */
function emptyNode(): Node {
  return Object.create(null) as Node;
}

function messagesOf(errors: readonly ErrorObject[]): FieldMessages {
  const root = emptyNode();
  for (const error of errors) {
    const path = pathOf(error);
    // The body is not an object, so there is no field to name.
    add(root, path.length === 0 ? ["non_field_errors"] : path, messageOf(error));
  }
  return root;
}

function pathOf({ instancePath, keyword, params }: ErrorObject): readonly string[] {
  const path = instancePath
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  return keyword === "required" ? [...path, String(params["missingProperty"])] : path;
}

function add(root: Node, path: readonly string[], message: string): void {
  let node = root;
  for (const field of path.slice(0, -1)) {
    const inner = node[field];
    // Parts of an invalid field are not reported as well.
    if (Array.isArray(inner)) return;
    node = node[field] = inner ?? emptyNode();
  }
  const last = path.at(-1) ?? "";
  const messages = node[last];
  if (messages === undefined) node[last] = [message];
  else if (Array.isArray(messages) && !messages.includes(message)) messages.push(message);
}

function messageOf({ keyword, params, parentSchema, data }: ErrorObject): string {
  const own = (parentSchema as { message?: unknown } | undefined)?.message;
  switch (keyword) {
    case "required":
      return "This field is required.";
    case "type":
      return typeMessage(params["type"], data);
    case "maxLength":
      return `Ensure this field has no more than ${params["limit"]} characters.`;
    case "minimum":
      return `Ensure this value is at least ${params["limit"]}.`;
    case "maximum":
      return `Ensure this value is at most ${params["limit"]}.`;
    case "maxItems":
      return `Ensure this field has no more than ${params["limit"]} elements.`;
    case "maxProperties":
      return `Ensure this field has no more than ${params["limit"]} keys.`;
    case "minItems":
      return "This list may not be empty.";
    case "enum":
      return typeof own === "string"
        ? own
        : `Must be one of ${(params["allowedValues"] as unknown[]).join(", ")}.`;
    default:
      return typeof own === "string" ? own : "This value is not valid.";
  }
}

const WANTED: Readonly<Record<string, string>> = {
  string: "Must be a string.",
  integer: "Must be a whole number.",
  number: "Must be a number.",
  boolean: "Must be true or false.",
  object: "Must be an object.",
  array: "Must be a list.",
};

function typeMessage(wanted: unknown, data: unknown): string {
  const types = (Array.isArray(wanted) ? wanted : String(wanted).split(",")).filter(
    (type) => type !== "null",
  );
  if (data === null) return "This field may not be null.";
  return WANTED[String(types[0])] ?? "This value is not valid.";
}
