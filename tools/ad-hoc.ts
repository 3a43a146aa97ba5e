/** Statements that a test or a tool writes inline: they have no name, and positional values `$1`, `$2`, … */
import type { PlainStatement, Value, Values } from "../src/db/database.ts";

/** The argument of `query`, `write` and `commit`. @param name one under which PostgreSQL keeps the prepared statement. */
export function adHoc(
  text: string,
  values: readonly unknown[] = [],
  name = "",
): [PlainStatement, Values<string>] {
  const params = values.map((_, index) => `${index + 1}`);
  const named = values.map((value, index) => [`${index + 1}`, (value ?? null) as Value] as const);
  return [{ name, text, params }, Object.fromEntries(named)];
}
