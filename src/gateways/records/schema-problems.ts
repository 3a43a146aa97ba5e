/** Reports, field by field, how an object violates an adapter's schema. */
import { Ajv, type ErrorObject } from "ajv";
import type { TSchema } from "../../lib/schema.ts";
import type { FieldMessages } from "../../refusals.ts";

type Problem = readonly [path: readonly string[], message: string];

const ajv = new Ajv({ allErrors: true, strict: false });

/**
 * Error messages nested like the object, or a list if it is invalid as a whole; null if it is valid. Messages quote no
 * values: credentials are validated here too.
 */
export function schemaProblems(schema: TSchema, value: unknown): FieldMessages | readonly string[] | null {
  // Adapters have one schema each, which Ajv compiles once.
  const validate = ajv.compile(schema);
  validate(value);
  const found = (validate.errors ?? []).map(problemOf);
  if (found.length === 0) return null;
  // Messages about the object are dropped in favour of the more precise ones about its fields.
  const ofFields = found.filter(([path]) => path.length > 0);
  return ofFields.length === 0 ? found.map(([, message]) => message) : tree(ofFields);
}

function problemOf({ instancePath, keyword, params, message }: ErrorObject): Problem {
  const path = instancePath.split("/").slice(1).map(unescaped);
  if (keyword === "required")
    return [[...path, String(params["missingProperty"])], "This field is required."];
  // An unknown property, which the schema forbids.
  if (keyword === "additionalProperties") {
    return [[...path, String(params["additionalProperty"])], "Unknown field."];
  }
  return [path, `This field ${message?.replace("NOT", "not")}.`];
}

function tree(problems: readonly Problem[]): FieldMessages {
  const names = [...new Set(problems.map(([[name]]) => name ?? ""))];
  return Object.fromEntries(
    names.map((name) => {
      const here = problems.filter(([path]) => path[0] === name);
      const inside = here
        .filter(([path]) => path.length > 1)
        .map(([path, text]) => [path.slice(1), text] as const);
      return [name, inside.length > 0 ? tree(inside) : here.map(([, message]) => message)];
    }),
  );
}

/** Unescapes a name in a JSON pointer. */
function unescaped(name: string): string {
  return name.replaceAll("~1", "/").replaceAll("~0", "~");
}
