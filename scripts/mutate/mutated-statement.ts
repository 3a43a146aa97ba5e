/** Puts the changed text of a statement in the place of the one it is made of, in a process of tests. */
import { allStatements } from "../../src/db/database.ts";

/** The statement that is changed, as JSON `{ name, text }`; null when none is. */
export const MUTATED = JSON.parse(process.env["MUTATE_STATEMENT"] ?? "null") as {
  name: string;
  text: string;
} | null;

/** In place, so that derived texts have the change. It does nothing until the statement's file is imported. */
export function changeStatement(): void {
  if (MUTATED === null) return;
  const statement = allStatements().find(({ name }) => name === MUTATED.name) as { text: string } | undefined;
  if (statement !== undefined) statement.text = MUTATED.text;
}
