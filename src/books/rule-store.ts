/** The type of a books check rule, a statement that finds violations. */
import { sql, type PlainStatement } from "../db/database.ts";

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
