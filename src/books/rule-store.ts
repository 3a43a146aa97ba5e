/** The type of a books check rule, a statement that finds violations. */
import { sql, type Statement } from "../db/database.ts";
import type { InvariantId } from "./invariants.ts";

/** A violation as text, with its tenant. */
export interface BrokenRow {
  readonly tenant_id: string;
  readonly invariant: InvariantId;
  readonly words: string;
}

/** A rule's statement. */
export type Rule = Statement<"limit", BrokenRow>;

/** The clocks of two instances may differ by this much, so two nearer times do not say which came first. */
export const CLOCKS_APART_MINUTES = 2;
/** SQL of the same. */
export const CLOCKS_APART = `interval '${CLOCKS_APART_MINUTES} minutes'` as const;

/**
 * Defines a rule.
 * @param broken a select of `tenant`, `invariant` (its number in invariants.ts) and `words` for each violation.
 */
export function rule(name: string, broken: string): Rule {
  return sql(
    `books.${name}`,
    `-- every tenant: the books are checked as a whole
     select n.id as tenant_id, broken.invariant, broken.words
       from (${broken}) broken
       join tenants n on n.tenant = broken.tenant
      order by n.id, broken.words
      limit :limit`,
  ).gives<BrokenRow>();
}
