/**
 * Derives name, type and nullability of a statement's result columns from the analysed statement: from `not null`
 * columns, outer joins, conditions that reject null, and the few functions and operators that return null only for
 * null. Every other expression may be null.
 */
import type { Client } from "pg";
import { isNode, nodeOf, nodesIn, numberOf, readTree, wordOf, type Node, type Tree } from "./query-tree.ts";

export interface ResultColumn {
  readonly name: string;
  /** The name of the type as PostgreSQL writes it, such as `timestamp with time zone`. */
  readonly type: string;
  readonly nullable: boolean;
  /** The known sources of each value: columns of tables, and literals of the statement. */
  readonly values: readonly Value[] | null;
}

export type Value = { readonly table: string; readonly column: string } | { readonly text: string };

/** The known properties of an expression. */
type Known = Pick<ResultColumn, "nullable" | "values">;

const UNKNOWN: Known = { nullable: true, values: null };
const NEVER_NULL: Known = { nullable: false, values: null };

/** Functions and operators that return null only if an argument is null. */
const NULL_FOR_NULL_ONLY = {
  operators: new Set("= <> < > <= >= + - * / % || ~ !~ ~~ !~~ && @> <@".split(" ")),
  functions: new Set(
    "date_trunc encode extract greatest hashtext least left length lower lpad right round timezone to_char upper".split(
      " ",
    ),
  ),
};
const NEVER_NULL_FUNCTIONS = new Set(
  "array_remove clock_timestamp concat concat_ws count format jsonb_build_object jsonb_build_array now row_number".split(
    " ",
  ),
);
/** Aggregates that return null only without rows or with nulls only. */
const AGGREGATES = new Set("sum min max avg bool_and bool_or string_agg".split(" "));
const ROW_KEEPING_AGGREGATES = new Set("array_agg jsonb_agg jsonb_object_agg".split(" "));

interface Catalogue {
  readonly tables: ReadonlyMap<string, string>;
  /** The columns, by the table's oid and the column's number. */
  readonly columns: ReadonlyMap<string, { readonly name: string; readonly notNull: boolean }>;
  readonly functions: ReadonlyMap<string, { readonly name: string; readonly strict: boolean }>;
  readonly operators: ReadonlyMap<string, string>;
}

/** Reads results on its own connection. */
export class ResultReader {
  readonly #client: Client;
  readonly #catalogue: Catalogue;
  #printed: string[] = [];

  private constructor(client: Client, catalogue: Catalogue) {
    this.#client = client;
    this.#catalogue = catalogue;
    client.on("notice", ({ message, detail }) => {
      if (message === "parse tree:" && detail !== undefined) this.#printed.push(detail);
    });
  }

  static async open(client: Client): Promise<ResultReader> {
    const catalogue = await readCatalogue(client);
    await client.query(
      "set debug_print_parse = on; set debug_pretty_print = off; set client_min_messages = log",
    );
    return new ResultReader(client, catalogue);
  }

  /** @throws Error if PostgreSQL cannot prepare the statement. */
  async columnsOf(text: string): Promise<readonly ResultColumn[]> {
    this.#printed = [];
    await this.#client.query(`prepare looked_at as ${text}`);
    // The first printed tree is that of PREPARE.
    const [query] = this.#printed
      .map(readTree)
      .filter((tree) => isNode(tree) && wordOf(tree, "commandType") !== "6");
    const { rows } = await this.#client.query<{ types: string[] | null }>(
      `select array(select format_type(t, null) from unnest(result_types::oid[]) with ordinality as r (t, n) order by n) as types
         from pg_prepared_statements where name = 'looked_at'`,
    );
    await this.#client.query("deallocate looked_at");
    if (!isNode(query)) throw new Error("PostgreSQL has not printed the statement");
    const scope = new Scope(query, null, this.#catalogue);
    return scope
      .outputs()
      .map(({ name, known }, index) => ({ name, type: rows[0]?.types?.[index] ?? "", ...known }));
  }
}

async function readCatalogue(client: Client): Promise<Catalogue> {
  const { rows: tables } = await client.query<{ oid: string; name: string }>(
    "select oid::text, relname as name from pg_class where relkind in ('r', 'p')",
  );
  const { rows: columns } = await client.query<{ key: string; name: string; notNull: boolean }>(
    `select attrelid || '.' || attnum as key, attname as name, attnotnull as "notNull" from pg_attribute where attnum > 0`,
  );
  const { rows: functions } = await client.query<{ oid: string; name: string; strict: boolean }>(
    "select oid::text, proname as name, proisstrict as strict from pg_proc",
  );
  const { rows: operators } = await client.query<{ oid: string; name: string }>(
    "select oid::text, oprname as name from pg_operator",
  );
  return {
    tables: new Map(tables.map(({ oid, name }) => [oid, name])),
    columns: new Map(columns.map(({ key, ...column }) => [key, column])),
    functions: new Map(functions.map(({ oid, ...one }) => [oid, one])),
    operators: new Map(operators.map(({ oid, name }) => [oid, name])),
  };
}

interface Output {
  readonly name: string;
  readonly known: Known;
}

/** One query of the statement, with what follows from its conditions. */
class Scope {
  readonly #query: Node;
  readonly #outer: Scope | null;
  readonly #catalogue: Catalogue;
  readonly #tables: readonly Node[];
  /** Columns that are never null in the result, written `varno.varattno`. */
  readonly #notNull = new Set<string>();
  /** Tables that have a row in every row of the result although they are outer-joined. */
  readonly #present = new Set<string>();
  /** Whether the written table is read before it is written. */
  readonly #isBefore: boolean;

  constructor(query: Node, outer: Scope | null, catalogue: Catalogue, isBefore = false) {
    this.#isBefore = isBefore;
    this.#query = query;
    this.#outer = outer;
    this.#catalogue = catalogue;
    this.#tables = nodesIn(query.fields["rtable"]);
    this.#learnFrom(query.fields["jointree"]);
  }

  outputs(): readonly Output[] {
    const isRead = wordOf(this.#query, "commandType") === "1";
    const own = nodesIn(this.#query.fields[isRead ? "targetList" : "returningList"])
      .filter((entry) => wordOf(entry, "resjunk") === "false")
      .map((entry) => ({ name: wordOf(entry, "resname"), known: this.#known(nodeOf(entry, "expr")) }));
    const operations = this.#query.fields["setOperations"];
    if (!isNode(operations)) return own;
    const branches = this.#branches(operations);
    return own.map(({ name }, n) => ({
      name,
      known: either(branches.map((branch) => branch[n]?.known ?? UNKNOWN)),
    }));
  }

  /** The queries of a union. */
  #branches(tree: Node): readonly (readonly Output[])[] {
    if (tree.kind === "RANGETBLREF") return [this.#subquery(this.#table(wordOf(tree, "rtindex")))];
    const left = this.#branches(nodeOf(tree, "larg"));
    return wordOf(tree, "op") === "1" ? [...left, ...this.#branches(nodeOf(tree, "rarg"))] : left;
  }

  #subquery(table: Node): readonly Output[] {
    return new Scope(nodeOf(table, "subquery"), this, this.#catalogue).outputs();
  }

  #table(number: string): Node {
    const table = this.#tables[Number(number) - 1];
    if (table === undefined) throw new Error(`There is no table ${number}`);
    return table;
  }

  /** Follows joins whose conditions hold for every row of the result. */
  #learnFrom(tree: Tree | undefined): void {
    if (!isNode(tree)) return;
    if (tree.kind === "FROMEXPR") for (const item of nodesIn(tree.fields["fromlist"])) this.#learnFrom(item);
    if (tree.kind === "JOINEXPR") {
      const type = wordOf(tree, "jointype");
      if (type === "0" || type === "1") this.#learnFrom(tree.fields["larg"]);
      if (type === "0" || type === "3") this.#learnFrom(tree.fields["rarg"]);
      if (type !== "0") return;
    }
    if (isNode(tree.fields["quals"])) for (const key of this.#holdsIf(tree.fields["quals"])) this.#learn(key);
  }

  #learn(key: string): void {
    this.#notNull.add(key);
    this.#present.add(key.split(".")[0] ?? "");
  }

  /** The columns that are not null if a condition is true. */
  #holdsIf(condition: Node): readonly string[] {
    const { kind, fields } = condition;
    const args = nodesIn(fields["args"]);
    switch (kind) {
      case "BOOLEXPR": {
        if (fields["boolop"] === "and") return args.flatMap((arg) => this.#holdsIf(arg));
        if (fields["boolop"] !== "or") return this.#mustBeThere(condition);
        const [first = [], ...others] = args.map((arg) => this.#holdsIf(arg));
        return first.filter((key) => others.every((other) => other.includes(key)));
      }
      case "NULLTEST":
        return fields["nulltesttype"] === "1" ? this.#mustBeThere(nodeOf(condition, "arg")) : [];
      case "SUBLINK":
        // `(a, b) in (select …)` and similar conditions.
        return isNode(fields["testexpr"]) && fields["subLinkType"] === "2"
          ? this.#mustBeThere(nodeOf(condition, "testexpr"))
          : [];
      default:
        return this.#mustBeThere(condition);
    }
  }

  /** The columns that make the expression null if they are null. */
  #mustBeThere(expression: Node): readonly string[] {
    const { kind, fields } = expression;
    const args = nodesIn(fields["args"]);
    switch (kind) {
      case "VAR":
        return wordOf(expression, "varlevelsup") === "0" ? [this.#key(expression)] : [];
      case "FUNCEXPR":
      case "OPEXPR": {
        const id = wordOf(expression, kind === "OPEXPR" ? "opfuncid" : "funcid");
        return this.#catalogue.functions.get(id)?.strict === true
          ? args.flatMap((arg) => this.#mustBeThere(arg))
          : [];
      }
      case "SCALARARRAYOPEXPR":
        return args.slice(0, 1).flatMap((arg) => this.#mustBeThere(arg));
      case "BOOLEXPR":
        return fields["boolop"] === "not" ? args.flatMap((arg) => this.#mustBeThere(arg)) : [];
      case "RELABELTYPE":
      case "COLLATEEXPR":
      case "COERCEVIAIO":
        return this.#mustBeThere(nodeOf(expression, "arg"));
      default:
        return [];
    }
  }

  #key(variable: Node): string {
    return `${wordOf(variable, "varno")}.${wordOf(variable, "varattno")}`;
  }

  #known(expression: Node): Known {
    const { kind, fields } = expression;
    const args = () => nodesIn(fields["args"]).map((arg) => this.#known(arg));
    switch (kind) {
      case "VAR":
        return this.#scopeUp(numberOf(expression, "varlevelsup")).#variable(expression);
      case "CONST":
        return constant(expression);
      case "RELABELTYPE":
      case "COLLATEEXPR":
        return this.#known(nodeOf(expression, "arg"));
      case "COERCEVIAIO":
      case "ARRAYCOERCEEXPR":
        return { ...this.#known(nodeOf(expression, "arg")), values: null };
      case "COALESCEEXPR":
        return { nullable: args().every(({ nullable }) => nullable), values: either(args()).values };
      case "MINMAXEXPR":
        return { nullable: args().every(({ nullable }) => nullable), values: null };
      case "CASEEXPR": {
        const otherwise = fields["defresult"];
        const results = nodesIn(fields["args"]).map((when) => this.#known(nodeOf(when, "result")));
        return either([
          ...results,
          isNode(otherwise) ? this.#known(otherwise) : { nullable: true, values: [] },
        ]);
      }
      case "BOOLEXPR":
        return { ...either(args()), values: null };
      case "OPEXPR": {
        const name = this.#catalogue.operators.get(wordOf(expression, "opno")) ?? "";
        return NULL_FOR_NULL_ONLY.operators.has(name) ? { ...either(args()), values: null } : UNKNOWN;
      }
      case "SCALARARRAYOPEXPR":
        return { ...either(args()), values: null };
      case "FUNCEXPR":
        return this.#call(expression, args());
      case "AGGREF":
        return this.#aggregate(expression);
      case "WINDOWFUNC":
        return NEVER_NULL_FUNCTIONS.has(this.#functionName(expression, "winfnoid")) ? NEVER_NULL : UNKNOWN;
      case "SUBLINK":
        return this.#sublink(expression);
      case "NULLTEST":
      case "BOOLEANTEST":
      case "DISTINCTEXPR":
      case "ARRAYEXPR":
      case "ARRAY":
      case "ROWEXPR":
      case "ROW":
      case "SQLVALUEFUNCTION":
        return NEVER_NULL;
      default:
        return UNKNOWN;
    }
  }

  #functionName(call: Node, field: string): string {
    return this.#catalogue.functions.get(wordOf(call, field))?.name ?? "";
  }

  #call(call: Node, args: readonly Known[]): Known {
    const name = this.#functionName(call, "funcid");
    if (NEVER_NULL_FUNCTIONS.has(name)) return NEVER_NULL;
    // The forms 1 and 2 are casts, explicit or implicit.
    const isCast = wordOf(call, "funcformat") === "1" || wordOf(call, "funcformat") === "2";
    if (isCast || NULL_FOR_NULL_ONLY.functions.has(name)) return { ...either(args), values: null };
    return UNKNOWN;
  }

  #aggregate(call: Node): Known {
    const name = this.#functionName(call, "aggfnoid");
    if (name === "count") return NEVER_NULL;
    const isGrouped = nodesIn(this.#query.fields["groupClause"]).length > 0;
    if (!isGrouped || isNode(call.fields["aggfilter"])) return UNKNOWN;
    if (ROW_KEEPING_AGGREGATES.has(name)) return NEVER_NULL;
    const args = nodesIn(call.fields["args"]).map((entry) => this.#known(nodeOf(entry, "expr")));
    return AGGREGATES.has(name) ? { ...either(args), values: null } : UNKNOWN;
  }

  #sublink(link: Node): Known {
    const type = wordOf(link, "subLinkType");
    // EXISTS and ARRAY subqueries.
    if (type === "0" || type === "6") return NEVER_NULL;
    if (type !== "4") return UNKNOWN;
    const query = nodeOf(link, "subselect");
    const [output] = new Scope(query, this, this.#catalogue).outputs();
    const isOneRow =
      wordOf(query, "hasAggs") === "true" &&
      nodesIn(query.fields["groupClause"]).length === 0 &&
      !isNode(query.fields["havingQual"]);
    const known = output?.known ?? UNKNOWN;
    return isOneRow ? known : { ...known, nullable: true };
  }

  #scopeUp(levels: number): Scope {
    if (levels === 0) return this;
    if (this.#outer === null) throw new Error("There is no query around this one");
    return this.#outer.#scopeUp(levels - 1);
  }

  #variable(variable: Node): Known {
    const number = wordOf(variable, "varno");
    const key = this.#key(variable);
    const column = this.#column(number, numberOf(variable, "varattno"));
    const isLeftOut = nullingJoins(variable) && !this.#present.has(number);
    const nullable = !this.#notNull.has(key) && (column.nullable || isLeftOut);
    // An update may set another value than the one in its conditions.
    return { ...column, nullable: this.#sets(number) ? column.nullable || isLeftOut : nullable };
  }

  #sets(number: string): boolean {
    // A delete returns the old values.
    const isDelete = wordOf(this.#query, "commandType") === "4";
    return !this.#isBefore && !isDelete && wordOf(this.#query, "resultRelation") === number;
  }

  #column(number: string, column: number): Known {
    const table = this.#table(number);
    const { fields } = table;
    if (column <= 0) return NEVER_NULL;
    switch (wordOf(table, "rtekind")) {
      case "0":
        return this.#columnOfTable(number, wordOf(table, "relid"), column);
      case "1":
        return this.#subquery(table)[column - 1]?.known ?? UNKNOWN;
      case "2":
        return this.#known(nodesIn(fields["joinaliasvars"])[column - 1] ?? table);
      case "5": {
        const rows = (fields["values_lists"] as readonly Tree[]).map((row) => nodesIn(row)[column - 1]);
        return either(rows.map((value) => (value === undefined ? UNKNOWN : this.#known(value))));
      }
      case "6": {
        const owner = this.#scopeUp(numberOf(table, "ctelevelsup"));
        return owner.#common(wordOf(table, "ctename"))[column - 1]?.known ?? UNKNOWN;
      }
      case "9":
        return this.#known(nodesIn(fields["groupexprs"])[column - 1] ?? table);
      default:
        return UNKNOWN;
    }
  }

  #common(name: string): readonly Output[] {
    const cte = nodesIn(this.#query.fields["cteList"]).find((one) => wordOf(one, "ctename") === name);
    if (cte === undefined) throw new Error(`There is no ${name}`);
    return new Scope(nodeOf(cte, "ctequery"), this, this.#catalogue).outputs();
  }

  #columnOfTable(number: string, relid: string, attribute: number): Known {
    const table = this.#catalogue.tables.get(relid);
    const column = this.#catalogue.columns.get(`${relid}.${attribute}`);
    if (table === undefined || column === undefined) return UNKNOWN;
    const values = [{ table, column: column.name }];
    if (column.notNull) return { nullable: false, values };
    if (!this.#sets(number)) return { nullable: true, values };
    const isEither =
      isNode(this.#query.fields["onConflict"]) && wordOf(nodeOf(this.#query, "onConflict"), "action") === "2";
    const set = nodesIn(this.#query.fields["targetList"]).find(
      (entry) => numberOf(entry, "resno") === attribute,
    );
    if (set !== undefined && !isEither) {
      const before = new Scope(this.#query, this.#outer, this.#catalogue, true);
      return { nullable: before.#known(nodeOf(set, "expr")).nullable, values };
    }
    const isKept = wordOf(this.#query, "commandType") === "2" && this.#notNull.has(`${number}.${attribute}`);
    return { nullable: !isKept, values };
  }
}

/** Whether an outer join may make the column null. */
function nullingJoins({ fields }: Node): boolean {
  const joins = fields["varnullingrels"];
  return Array.isArray(joins) && joins.length > 1;
}

const TEXT = "25";

function constant(node: Node): Known {
  if (wordOf(node, "constisnull") === "true") return { nullable: true, values: [] };
  const bytes = node.fields["constvalue"];
  if (wordOf(node, "consttype") !== TEXT || !Array.isArray(bytes)) return NEVER_NULL;
  // A text constant: its length, `[`, four bytes of header, the text, `]`.
  const text = Buffer.from((bytes as string[]).slice(6, -1).map(Number)).toString("utf8");
  return { nullable: false, values: [{ text }] };
}

/** The known properties of a value that is one of these. */
function either(all: readonly Known[]): Known {
  const values = all.map((one) => one.values);
  return {
    nullable: all.some(({ nullable }) => nullable),
    values: values.every((some) => some !== null) ? values.flat() : null,
  };
}
