/** Replaces a statement by its mutant in a process of tests. */
import { allStatements } from "../../src/db/database.ts";

/** The changed statement, as JSON `{ name, text }`; null if there is none. */
export const MUTATED = JSON.parse(process.env["MUTATE_STATEMENT"] ?? "null") as {
  name: string;
  text: string;
} | null;

/** In place, so that derived texts have the change. Has no effect until the statement's file is imported. */
export function changeStatement(): void {
  if (MUTATED === null) return;
  const statement = allStatements().find(({ name }) => name === MUTATED.name) as { text: string } | undefined;
  if (statement !== undefined) statement.text = MUTATED.text;
}
