/**
 * Reads a statement's syntax tree: its tables with a tenant, and the conditions that make one tenant equal to
 * another.
 */
import type { Json } from "./service.ts";

/** The possible sources of a value that may be a tenant's number. */
export type Term =
  | { readonly param: number }
  /** @property value the tenant that a subquery returns. */
  | { readonly relation: Relation; readonly value?: Term }
  | { readonly all: readonly (Term | null)[] };

/** One use, in the statement, of a table with a tenant or of a subquery. */
export interface Relation {
  readonly alias: string;
  /** The relations of a subquery; null for a table. */
  readonly within: readonly Relation[] | null;
  /** The query whose FROM contains it. */
  readonly level: Scope;
}

interface Output {
  readonly name: string;
  readonly term: Term | null;
}

/** An item of a FROM clause, by name. */
interface Source {
  readonly alias: string;
  /** Null if it is not a table with a tenant. */
  readonly relation: Relation | null;
  readonly columns: readonly Output[];
}

interface Scope {
  readonly sources: Source[];
  readonly outer: Scope | null;
}

/** The visible common table expressions. A later one hides an earlier one with the same name. */
type Ctes = ReadonlyMap<string, Subquery>;

interface Subquery {
  readonly outputs: readonly Output[];
  readonly within: readonly Relation[];
}

/** A condition that holds for every row of the relation that the statement uses. */
export interface Fact {
  readonly relation: Relation;
  readonly equals: Term;
}

/** The relations that a condition can restrict to a tenant; null: any. */
type Reach = ReadonlySet<Relation> | null;

/** Reads one statement. */
export class StatementReader {
  readonly relations: Relation[] = [];
  readonly facts: Fact[] = [];
  tablesRead = 0;
  readonly #tables: ReadonlySet<string>;
  /** A subquery in a condition is visited twice, as a condition and as an expression, and read once. */
  readonly #read = new Map<Json, readonly Output[]>();

  constructor(tables: ReadonlySet<string>) {
    this.#tables = tables;
  }

  /** @returns its output, if any. */
  statement(node: Json, outer: Scope | null, ctes: Ctes): readonly Output[] {
    const outputs = this.#read.get(node) ?? this.#statement(node, outer, ctes);
    this.#read.set(node, outputs);
    return outputs;
  }

  #statement(node: Json, outer: Scope | null, ctes: Ctes): readonly Output[] {
    const [kind, body] = Object.entries(node)[0] ?? [];
    switch (kind) {
      case "SelectStmt":
        return this.#select(body, outer, ctes);
      case "InsertStmt":
        return this.#insert(body, outer, ctes);
      case "UpdateStmt":
      case "DeleteStmt":
        return this.#change(body, outer, ctes);
      default:
        throw new Error(`${kind} is not understood`);
    }
  }

  #subquery(node: Json, outer: Scope | null, ctes: Ctes): Subquery {
    const before = this.relations.length;
    const outputs = this.statement(node, outer, ctes);
    return { outputs, within: this.relations.slice(before) };
  }

  #with(body: Json, outer: Scope | null, ctes: Ctes): Ctes {
    const known = new Map(ctes);
    for (const { CommonTableExpr: cte } of body["withClause"]?.ctes ?? []) {
      if (body["withClause"].recursive) throw new Error("A recursive query is not understood");
      const { outputs, within } = this.#subquery(cte.ctequery, outer, known);
      known.set(cte.ctename, { outputs: renamed(outputs, cte.aliascolnames), within });
    }
    return known;
  }

  #select(body: Json, outer: Scope | null, given: Ctes): readonly Output[] {
    const ctes = this.#with(body, outer, given);
    const scope: Scope = { sources: [], outer };
    if (body["larg"] !== undefined) {
      const [left, right] = [
        this.#select(body["larg"], outer, ctes),
        this.#select(body["rarg"], outer, ctes),
      ];
      this.#expressions([body["sortClause"], body["limitCount"], body["limitOffset"]], scope, ctes);
      return left.map(({ name, term }, n) => ({ name, term: { all: [term, right[n]?.term ?? null] } }));
    }
    for (const item of body["fromClause"] ?? []) this.#from(item, scope, ctes, null);
    this.#conditions(body["whereClause"], scope, ctes, null);
    this.#expressions(
      [
        body["targetList"],
        body["whereClause"],
        body["groupClause"],
        body["havingClause"],
        body["sortClause"],
        body["windowClause"],
        body["distinctClause"],
        body["limitCount"],
        body["limitOffset"],
        body["valuesLists"],
      ],
      scope,
      ctes,
    );
    if (body["valuesLists"] !== undefined) return this.#values(body["valuesLists"], scope, ctes);
    return this.#outputs(body["targetList"], scope, ctes);
  }

  #values(lists: readonly Json[], scope: Scope, ctes: Ctes): readonly Output[] {
    const rows = lists.map(({ List: { items } }) => items as readonly Json[]);
    return (rows[0] ?? []).map((_, n) => ({
      name: `column${n + 1}`,
      term: { all: rows.map((row) => this.#term(row[n], scope, ctes)) },
    }));
  }

  #insert(body: Json, outer: Scope | null, given: Ctes): readonly Output[] {
    const ctes = this.#with(body, outer, given);
    const columns = (body["cols"] ?? []).map(({ ResTarget: { name } }: Json) => name as string);
    const values = body["selectStmt"] === undefined ? [] : this.statement(body["selectStmt"], outer, ctes);
    const scope: Scope = { sources: [], outer };
    const relation = this.#table(body["relation"], scope);
    if (relation !== null) {
      const value = values[columns.indexOf("tenant")]?.term ?? null;
      if (value !== null) this.facts.push({ relation, equals: value });
    }
    const conflict = body["onConflictClause"];
    if (conflict !== undefined) {
      const inferred = (conflict.infer?.indexElems ?? []).map(({ IndexElem: { name } }: Json) => name);
      if (conflict.action === "ONCONFLICT_UPDATE" && relation !== null && !inferred.includes("tenant")) {
        throw new Error(`What ${relation.alias} has under the key may be another tenant's`);
      }
      this.#expressions([conflict], scope, ctes);
    }
    this.#expressions([body["returningClause"]], scope, ctes);
    return this.#outputs(body["returningClause"]?.exprs, scope, ctes);
  }

  #change(body: Json, outer: Scope | null, given: Ctes): readonly Output[] {
    const ctes = this.#with(body, outer, given);
    const scope: Scope = { sources: [], outer };
    this.#table(body["relation"], scope);
    for (const item of body["fromClause"] ?? body["usingClause"] ?? []) this.#from(item, scope, ctes, null);
    this.#conditions(body["whereClause"], scope, ctes, null);
    this.#expressions([body["targetList"], body["whereClause"], body["returningClause"]], scope, ctes);
    return this.#outputs(body["returningClause"]?.exprs, scope, ctes);
  }

  /** A table that is written, or that is read and not hidden by a CTE. Null if it has no tenant. */
  #table(range: Json, scope: Scope): Relation | null {
    this.tablesRead += 1;
    const alias: string = range["alias"]?.aliasname ?? range["relname"];
    const relation = this.#tables.has(range["relname"]) ? { alias, within: null, level: scope } : null;
    if (relation !== null) this.relations.push(relation);
    const columns = relation === null ? [] : [{ name: "tenant", term: { relation } }];
    scope.sources.push({ alias, relation, columns });
    return relation;
  }

  /** A subquery with a name. Its rows belong to one tenant, or the outer query has to restrict their tenant. */
  #derived(
    { outputs, within }: Subquery,
    alias: string,
    names: readonly Json[] | undefined,
    scope: Scope,
  ): void {
    const relation = { alias, within, level: scope };
    this.relations.push(relation);
    const columns = renamed(outputs, names).map((output) =>
      output.name === "tenant" && output.term !== null
        ? { ...output, term: { relation, value: output.term } }
        : output,
    );
    scope.sources.push({ alias, relation, columns });
  }

  /** @param reach relations that the joins above can tie. @returns the added sources. */
  #from(node: Json, scope: Scope, ctes: Ctes, reach: Reach): readonly Source[] {
    const before = scope.sources.length;
    const [kind, body] = Object.entries(node)[0] as [string, Json];
    switch (kind) {
      case "RangeVar": {
        const cte = ctes.get(body["relname"]);
        if (cte === undefined) this.#table(body, scope);
        else {
          this.tablesRead += 1;
          this.#derived(cte, body["alias"]?.aliasname ?? body["relname"], body["alias"]?.colnames, scope);
        }
        break;
      }
      case "RangeSubselect": {
        const { aliasname = "", colnames } = body["alias"] ?? {};
        this.#derived(this.#subquery(body["subquery"], scope, ctes), aliasname, colnames, scope);
        break;
      }
      case "RangeFunction":
        this.#expressions([body["functions"]], scope, ctes);
        scope.sources.push({ alias: body["alias"]?.aliasname ?? "", relation: null, columns: [] });
        break;
      case "JoinExpr":
        this.#join(body, scope, ctes, reach);
        break;
      default:
        throw new Error(`${kind} is not understood`);
    }
    return scope.sources.slice(before);
  }

  #join(body: Json, scope: Scope, ctes: Ctes, reach: Reach): void {
    const left = relationsIn(this.#from(body["larg"], scope, ctes, reach));
    const lefts = scope.sources.length;
    const right = this.#from(body["rarg"], scope, ctes, reach);
    const optional = relationsIn(right);
    const ties: Record<string, Reach> = {
      JOIN_INNER: reach,
      // The rows of the outer side are returned whether the condition holds or not.
      JOIN_LEFT: optional,
      JOIN_RIGHT: left,
      JOIN_FULL: new Set(),
    };
    const within = ties[body["jointype"]];
    if (within === undefined || body["isNatural"]) throw new Error("A natural join is not understood");
    if (body["usingClause"]?.some(({ String: { sval } }: Json) => sval === "tenant")) {
      const terms = (sources: readonly Source[]) =>
        sources.flatMap(({ columns }) => columns.find(({ name }) => name === "tenant")?.term ?? []);
      for (const one of terms(scope.sources.slice(0, lefts))) {
        for (const other of terms(right)) this.#equal(one, other, within, scope);
      }
    }
    if (body["quals"]?.A_Const?.boolval !== undefined && body["quals"].A_Const.boolval.boolval !== true) {
      // Joined on false, so it has no rows.
      for (const relation of optional) this.facts.push({ relation, equals: { all: [] } });
    }
    this.#conditions(body["quals"], scope, ctes, within);
    this.#expressions([body["quals"]], scope, ctes);
  }

  /** The conditions that hold for every row. */
  #conditions(node: Json | undefined, scope: Scope, ctes: Ctes, reach: Reach): void {
    if (node === undefined) return;
    const { BoolExpr: bool, A_Expr: expr, SubLink: link } = node;
    if (bool?.boolop === "AND_EXPR") {
      for (const arg of bool.args) this.#conditions(arg, scope, ctes, reach);
    } else if (expr?.kind === "AEXPR_OP" && expr.name[0]?.String.sval === "=") {
      this.#equalExpressions(expr.lexpr, expr.rexpr, scope, ctes, reach);
    } else if (link?.subLinkType === "ANY_SUBLINK" && link.operName === undefined) {
      const outputs = this.statement(link.subselect, scope, ctes);
      const tests: readonly Json[] = link.testexpr.RowExpr?.args ?? [link.testexpr];
      for (const [n, test] of tests.entries()) {
        this.#equal(this.#term(test, scope, ctes), outputs[n]?.term ?? null, reach, scope);
      }
    }
  }

  #equalExpressions(one: Json, other: Json, scope: Scope, ctes: Ctes, reach: Reach): void {
    const [ones, others] = [one["RowExpr"]?.args, other["RowExpr"]?.args];
    if (ones === undefined || others === undefined) {
      this.#equal(this.#term(one, scope, ctes), this.#term(other, scope, ctes), reach, scope);
      return;
    }
    for (const [n, each] of (ones as Json[]).entries())
      this.#equalExpressions(each, others[n], scope, ctes, reach);
  }

  /** Restricts only relations of this level, because its conditions do not apply to rows of outer levels. */
  #equal(one: Term | null, other: Term | null, reach: Reach, { sources }: Scope): void {
    if (one === null || other === null) return;
    const here = relationsIn(sources);
    for (const [tied, equals] of [
      [one, other],
      [other, one],
    ] as const) {
      if (!("relation" in tied) || !here.has(tied.relation)) continue;
      if (reach === null || reach.has(tied.relation)) this.facts.push({ relation: tied.relation, equals });
    }
  }

  /** Reads the subqueries in expressions. */
  #expressions(node: unknown, scope: Scope, ctes: Ctes): void {
    if (typeof node !== "object" || node === null) return;
    for (const [key, value] of Object.entries(node as Json)) {
      if (key === "SubLink") this.statement(value.subselect, scope, ctes);
      if (key !== "subselect") this.#expressions(value, scope, ctes);
    }
  }

  #outputs(list: readonly Json[] | undefined, scope: Scope, ctes: Ctes): readonly Output[] {
    return (list ?? []).flatMap(({ ResTarget: { name, val } }) => {
      const fields: readonly Json[] = val.ColumnRef?.fields ?? [];
      if (fields.at(-1)?.["A_Star"] !== undefined) return starred(fields, scope);
      const column = fields.at(-1)?.["String"]?.sval ?? "";
      return [{ name: name ?? column, term: this.#term(val, scope, ctes) }];
    });
  }

  /** The tenant that an expression stands for, if any. */
  #term(node: Json | undefined, scope: Scope, ctes: Ctes): Term | null {
    const { TypeCast: cast, ParamRef: param, ColumnRef: column, SubLink: link } = node ?? {};
    if (cast !== undefined) return this.#term(cast.arg, scope, ctes);
    if (param !== undefined) return { param: param.number };
    if (link?.subLinkType === "EXPR_SUBLINK") {
      return this.statement(link.subselect, scope, ctes)[0]?.term ?? null;
    }
    if (column === undefined) return null;
    const names = (column.fields as Json[]).map((field) => field["String"]?.sval as string | undefined);
    return lookUp(names.at(-1) ?? "", names.length > 1 ? (names.at(-2) ?? null) : null, scope);
  }
}

function lookUp(name: string, alias: string | null, scope: Scope | null): Term | null {
  if (scope === null) return null;
  // Looks from the innermost level outward. A column without a table name belongs to one table, or to several that are
  // joined by it.
  const sources = scope.sources.filter((source) =>
    alias === null ? source.columns.some((column) => column.name === name) : source.alias === alias,
  );
  const [source] = sources;
  if (source === undefined) return lookUp(name, alias, scope.outer);
  return source.columns.find((column) => column.name === name)?.term ?? null;
}

function starred(fields: readonly Json[], { sources }: Scope): readonly Output[] {
  const alias = fields.length > 1 ? fields[0]?.["String"]?.sval : null;
  return sources
    .filter((source) => alias === null || source.alias === alias)
    .flatMap(({ columns }) => columns);
}

function renamed(outputs: readonly Output[], names: readonly Json[] | undefined): readonly Output[] {
  if (names === undefined) return outputs;
  return outputs.map(({ name, term }, n) => ({ name: names[n]?.["String"].sval ?? name, term }));
}

function relationsIn(sources: readonly Source[]): ReadonlySet<Relation> {
  return new Set(sources.flatMap(({ relation }) => relation ?? []));
}

/** All places where a table or a common table expression is named. */
export function countTables(node: unknown): number {
  if (typeof node !== "object" || node === null) return 0;
  return Object.entries(node as Json).reduce(
    // FOR UPDATE only repeats a name.
    (count, [key, value]) => count + (key === "lockedRels" ? 0 : key === "relname" ? 1 : countTables(value)),
    0,
  );
}
