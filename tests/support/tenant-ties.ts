/**
 * Proves that every table with a tenant in an SQL statement is tied to one tenant, using PostgreSQL's grammar. A
 * table is tied by a condition on all of its rows: its tenant equals a parameter, or the tenant of a tied table.
 * Conditions under OR, NOT and CASE, and those of an outer join for its outer side, tie nothing.
 */
import { parseSync, loadModule } from "libpg-query";
import { countTables, StatementReader, type Fact, type Relation, type Term } from "./statement-relations.ts";

await loadModule();

export interface Ties {
  /** Relations that are not tied, by their names in the statement. */
  readonly untied: readonly string[];
  /** Parameters that relations are tied to. */
  readonly params: readonly string[];
  /** Names in `free` that are tied anyway or do not exist. */
  readonly needless: readonly string[];
}

/**
 * @param tables that have a tenant.
 * @param free relations that may range over all tenants: for each name in turn, the first one that is not tied. @throws Error if the text is not a statement, or contains unsupported syntax.
 */
export function tiesOf(text: string, tables: ReadonlySet<string>, free: readonly string[] = []): Ties {
  const [only, ...more] = parseSync(text).stmts ?? [];
  if (only?.stmt === undefined || more.length > 0) throw new Error("This is not one statement");
  const reader = new StatementReader(tables);
  reader.statement(only.stmt, null, new Map());
  const seen = reader.tablesRead;
  const all = countTables(only.stmt);
  if (seen !== all) throw new Error(`Of ${all} names of tables only ${seen} were looked at`);
  return solve(reader, free);
}

/** What a relation is tied to: parameters by name, and relations that may range over all tenants. */
type Roots = ReadonlySet<string | Relation>;

function solve({ relations, facts }: StatementReader, free: readonly string[]): Ties {
  const roots = new Map<Relation, Roots>();
  spread(relations, facts, roots);
  const needless: string[] = [];
  for (const name of free) {
    const root = relations.find((relation) => relation.alias === name && !roots.has(relation));
    if (root === undefined) needless.push(name);
    else spread(relations, facts, roots.set(root, new Set([root])));
  }
  // A relation that may range over all tenants in a subquery counts as such outside, where it is one relation of the
  // FROM clause and others are tied to it.
  for (;;) {
    const next = relations.find((relation) => isFreeWithin(relation, relations, roots));
    if (next === undefined) break;
    spread(relations, facts, roots.set(next, new Set([next])));
  }
  const params = [...roots.values()].flatMap((one) => [...one].filter((root) => typeof root === "string"));
  return {
    untied: relations.filter((relation) => !roots.has(relation)).map(({ alias }) => alias),
    params: [...new Set(params)].toSorted((one, other) => one.localeCompare(other)),
    needless,
  };
}

/** Applies the conditions until no further relation is tied. */
function spread(relations: readonly Relation[], facts: readonly Fact[], roots: Map<Relation, Roots>): void {
  const rootsOf = (term: Term | null): Roots | null => {
    if (term === null) return null;
    if ("param" in term) return new Set([`$${term.param}`]);
    if ("relation" in term) {
      const own = roots.get(term.relation) ?? null;
      // A tie from outside does not hold for the value that the subquery returns; that value brings its own tie.
      return own === null ? null : union([own, rootsOf(term.value ?? null) ?? new Set()]);
    }
    return union(term.all.map(rootsOf));
  };
  for (let before = -1; before !== roots.size;) {
    before = roots.size;
    for (const { relation, equals } of facts) {
      const found = rootsOf(equals);
      if (found !== null && !roots.has(relation)) roots.set(relation, found);
    }
    for (const relation of relations) {
      const found = rootsWithin(relation, roots);
      if (found !== null && !roots.has(relation)) roots.set(relation, found);
    }
  }
}

function isFreeWithin(
  one: Relation,
  relations: readonly Relation[],
  roots: ReadonlyMap<Relation, Roots>,
): boolean {
  if (roots.has(one) || one.within === null || !one.within.every((each) => roots.has(each))) return false;
  return !relations.some((other) => other.level === one.level && roots.get(other)?.has(other) === true);
}

/** The outer relation to which all tables of a subquery are tied, if any. */
function rootsWithin({ within }: Relation, roots: ReadonlyMap<Relation, Roots>): Roots | null {
  if (within === null) return null;
  const all = union(within.map((one) => roots.get(one) ?? null));
  return all === null || within.some((one) => all.has(one)) ? null : all;
}

function union(all: readonly (Roots | null)[]): Roots | null {
  const known = all.filter((one) => one !== null);
  return known.length === all.length ? new Set(known.flatMap((one) => [...one])) : null;
}
