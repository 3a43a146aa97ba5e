/** Validates outgoing files against the ISO schema, if the operator provides it (SEPA_SCHEMAS). */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Deps } from "../../../deps.ts";

/** The same text, which fits its schema. @throws Error with what is wrong: nothing that a bank would refuse leaves. */
export async function checked(
  deps: Pick<Deps, "sepaSchemas">,
  name: string,
  xml: Iterable<string>,
): Promise<Iterable<string>> {
  if (deps.sepaSchemas === null) return xml;
  const { checkAgainstSchema } = await import("../../../sepa/messages/schema-check.ts");
  const schema = await readFile(join(deps.sepaSchemas, `${name}.xsd`), "utf8");
  const text = [...xml].join("");
  const problems = await checkAgainstSchema(text, schema);
  if (problems.length > 0) {
    throw new Error(`The file does not fit ${name}.xsd: ${problems.slice(0, 3).join("; ")}`);
  }
  return [text];
}
