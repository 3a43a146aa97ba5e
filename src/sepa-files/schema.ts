/** Checks what is about to leave against the ISO schema, where the operator has it at hand (SEPA_SCHEMAS). */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Deps } from "../deps.ts";
import { checkAgainstSchema } from "../sepa/schema-check.ts";

/** @throws Error with what is wrong; nothing that a bank would refuse leaves. */
export async function checkSchema(deps: Deps, name: string, xml: readonly string[]): Promise<void> {
  if (deps.sepaSchemas === null) return;
  const schema = await readFile(join(deps.sepaSchemas, `${name}.xsd`), "utf8");
  const problems = await checkAgainstSchema(xml.join(""), schema);
  if (problems.length > 0)
    throw new Error(`The file does not fit ${name}.xsd: ${problems.slice(0, 3).join("; ")}`);
}
