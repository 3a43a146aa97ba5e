/** Schemas at work: a request's body and query are checked whole, and every failing field gets its messages (decision W2). */
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import type { TSchema } from "typebox";
import { FieldErrors, type FieldMessages } from "../refusals.ts";
import { FORMATS } from "./fields.ts";

/** Checks a value; null when it fits, else what is wrong with it. */
export type Check = (value: unknown) => FieldErrors | null;

const bodies = validator({ coerceTypes: false });
/** A query has only text: `page_size=10` is a number where the schema says so. */
const queries = validator({ coerceTypes: true });

export function bodyCheck(schema: TSchema): Check {
  return check(bodies.compile(withoutIds(schema)));
}

export function queryCheck(schema: TSchema): Check {
  const validate = check(queries.compile(withoutIds(schema)));
  return (value) => repeated(value) ?? validate(value);
}

/** A schema without names: the same one may stand in several endpoints. */
export function withoutIds(schema: TSchema): TSchema {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) => (key === "$id" ? undefined : value)),
  ) as TSchema;
}

function validator(options: { readonly coerceTypes: boolean }): Ajv {
  const ajv = new Ajv({ ...options, allErrors: true, verbose: true, strict: false, allowUnionTypes: true });
  addFormats.default(ajv, ["date", "date-time", "uri"]);
  for (const [name, test] of Object.entries(FORMATS)) ajv.addFormat(name, test);
  return ajv;
}

function check(validate: ValidateFunction): Check {
  return (value) => (validate(value) ? null : new FieldErrors(messagesOf(validate.errors ?? [])));
}

/** `?format=json&format=csv`: which one is meant cannot be known. */
function repeated(query: unknown): FieldErrors | null {
  const twice = Object.entries(query as object).filter(([, value]) => Array.isArray(value));
  if (twice.length === 0) return null;
  return new FieldErrors(Object.fromEntries(twice.map(([name]) => [name, ["Give this parameter once."]])));
}

interface Node {
  [field: string]: Node | string[];
}

function messagesOf(errors: readonly ErrorObject[]): FieldMessages {
  const root: Node = {};
  for (const error of errors) {
    const path = pathOf(error);
    // The body itself is no object: there is no field to name.
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
    // A field that is wrong itself is not told about its parts as well.
    if (Array.isArray(inner)) return;
    node = node[field] = inner ?? {};
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
