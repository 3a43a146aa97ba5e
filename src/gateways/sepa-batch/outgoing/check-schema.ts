/** Validates outgoing files against the ISO schema, if the operator provides it (SEPA_SCHEMAS). */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Deps } from "../../../deps.ts";
import { REVERSAL_VERSION } from "../../../sepa/messages/pain007.ts";

/**
 * Returns the text unchanged if it is valid.
 * @throws Error with the problems: a file that a bank would refuse is not sent.
 */
export async function requireValid(
  deps: Pick<Deps, "sepaSchemas">,
  name: string,
  xml: Iterable<string>,
): Promise<Iterable<string>> {
  if (deps.sepaSchemas === null) return xml;
  const { checkAgainstSchema } = await import("../../../sepa/messages/schema-check.ts");
  const path = join(deps.sepaSchemas, `${name}.xsd`);
  // Only banks' own variants of this schema are published, so many folders do not contain it.
  if (name === REVERSAL_VERSION && !existsSync(path)) return xml;
  const schema = await readFile(path, "utf8");
  const text = [...xml].join("");
  const problems = await checkAgainstSchema(text, schema);
  if (problems.length > 0) {
    throw new Error(`The file does not fit ${name}.xsd: ${problems.slice(0, 3).join("; ")}`);
  }
  return [text];
}
