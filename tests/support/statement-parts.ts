/** The parts of a statement (its `with` branches and the main part), in the order in which Citus runs them. */
import { loadModule, parseSync } from "libpg-query";
import type { Json } from "./service.ts";

await loadModule();

export interface Part {
  /** The branch's name; `main` for the part after all branches. */
  readonly name: string;
  /** The table that it writes, and the verb; null if it only reads. */
  readonly writes: { readonly table: string; readonly verb: "insert" | "update" | "delete" } | null;
  /** The tables that it reads, without branches and without the written table. */
  readonly reads: readonly string[];
}

const VERBS: Readonly<Record<string, "insert" | "update" | "delete">> = {
  InsertStmt: "insert",
  UpdateStmt: "update",
  DeleteStmt: "delete",
};

export function partsOf(text: string): readonly Part[] {
  const [kind = "", body = {}] = Object.entries((parseSync(text).stmts?.[0]?.stmt ?? {}) as Json)[0] ?? [];
  const branches = ((body as Json)["withClause"]?.ctes ?? []).map((cte: Json) => cte["CommonTableExpr"]);
  const names = new Set<string>(branches.map((cte: Json) => cte["ctename"]));
  const all: [string, Json][] = branches.map((cte: Json) => [cte["ctename"], cte["ctequery"]]);
  all.push(["main", { [kind]: { ...(body as Json), withClause: undefined } }]);
  return all.map(([name, query]) => {
    const [type = "", inner = {}] = Object.entries(query)[0] ?? [];
    const verb = VERBS[type];
    const reads = new Set<string>();
    readsOf(inner, names, reads);
    const writes = verb === undefined ? null : { verb, table: (inner as Json)["relation"].relname as string };
    return { name, writes, reads: [...reads] };
  });
}

function readsOf(node: unknown, branches: ReadonlySet<string>, found: Set<string>): void {
  if (typeof node !== "object" || node === null) return;
  for (const [key, value] of Object.entries(node as Json)) {
    if (key === "relation") continue;
    if (key !== "RangeVar") readsOf(value, branches, found);
    else if (!branches.has(value.relname)) found.add(value.relname);
  }
}

/** Whether the text has a `case value when …`, which Citus sends to its workers incorrectly. */
export function hasSimpleCase(text: string): boolean {
  let found = false;
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [key, value] of Object.entries(node as Json)) {
      if (key === "CaseExpr" && value.arg !== undefined) found = true;
      visit(value);
    }
  };
  visit(parseSync(text).stmts);
  return found;
}
