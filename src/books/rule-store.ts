/** The type of a books check rule, a statement that finds violations; and which statuses count as open. */
import { sql, type PlainStatement } from "../db/database.ts";

/** Statuses of ours whose end is open: what the bank did is not recorded yet. */
export const OPEN: ReadonlySet<string> = new Set([
  "submitted",
  "unresolved",
  "awaiting_verification",
  "verifying",
]);

/** The same, as a list for `in`. */
export const OPEN_IN_SQL = `(${[...OPEN].map((status) => `'${status}'`).join(", ")})`;

/** @param broken a select of `tenant`, `invariant` (its number in invariants.ts) and `words` for each thing that breaks the rule. */
export function rule(name: string, broken: string): PlainStatement {
  return sql(
    `books.${name}`,
    `-- every tenant: the books are checked as a whole
     select n.id as tenant_id, broken.invariant, broken.words
       from (${broken}) broken
       join tenants n on n.tenant = broken.tenant
      order by n.id, broken.words
      limit :limit`,
  );
}
