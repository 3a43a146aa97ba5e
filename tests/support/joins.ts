/**
 * Finds tables of a statement that are not joined to the rest: no condition on all of their rows determines the columns
 * of a key. Such a table multiplies the other rows, or matches any row of the tenant instead of the intended one. Both
 * unique keys and foreign keys count. Conditions under OR, NOT and CASE do not.
 */
import { loadModule, parseSync } from "libpg-query";
import type { Json } from "./service.ts";

await loadModule();

export interface Table {
  readonly columns: ReadonlySet<string>;
  /** The columns of each key, without the tenant. The key of the tenant's row has no others. */
  readonly keys: readonly (readonly string[])[];
}

/** An item of a FROM clause. */
interface Item {
  readonly alias: string;
  /** Null if it is not a table. */
  readonly table: Table | null;
  /** The columns with a determined value, each with the items that determine it; none for a parameter. */
  readonly valued: Map<string, (readonly Item[])[]>;
}

interface Level {
  readonly items: Item[];
  /** Whether it includes rows that the statement itself has written. */
  hasOwn: boolean;
}

/** The tables as `src/db/schema.sql` prints them. */
export function tablesOf(schema: string): ReadonlyMap<string, Table> {
  const indexes = [...schema.matchAll(/^create unique index \w+ on (\w+) \(([\w, ]+)\)/gm)];
  return new Map(
    [...schema.matchAll(/^create table (\w+) \(\n(.*?)^\);/gms)].map(([, name = "", body = ""]) => {
      const columns = [...body.matchAll(/^ {2}(\w+) {2,}/gm)].map(([, column = ""]) => column);
      const keys = [
        ...[...body.matchAll(/(?:primary key|unique) \(([\w, ]+)\)/g)].map(([, key = ""]) => key),
        // A gateway's account has many rows in such a table.
        ...[...body.matchAll(/foreign key \(([\w, ]+)\) references (?!gateways)/g)].map(
          ([, key = ""]) => key,
        ),
        ...indexes.filter(([, table]) => table === name).map(([, , key = ""]) => key),
      ];
      const named = keys.map((key) => key.split(", ").filter((column) => column !== "tenant"));
      // A key of the tenant alone identifies the tenant's row; as a foreign key it does not count.
      const isOwn = /primary key \(tenant\)/.test(body);
      return [name, { columns: new Set(columns), keys: named.filter((key) => isOwn || key.length > 0) }];
    }),
  );
}

/** The tables that are not joined, by their names in the statement. */
export function looseIn(text: string, tables: ReadonlyMap<string, Table>): readonly string[] {
  const loose: string[] = [];
  const statement = parseSync(text).stmts as readonly Json[];
  const ctes = new Set(found(statement, "CommonTableExpr").map(({ ctename }) => ctename as string));

  const level = (body: Json, isWithin: boolean): void => {
    const own: Level = { items: [], hasOwn: false };
    if (body["relation"] !== undefined) add(own, body["relation"]);
    const conditions = (body["fromClause"] ?? body["usingClause"] ?? []).flatMap((item: Json) =>
      from(own, item),
    );
    join(own.items, own.items, [...conditions, ...conjuncts(body["whereClause"])]);
    loose.push(...apart(own.items, isWithin || own.hasOwn));
  };

  const add = (to: Level, range: Json): void => {
    const isTable = !ctes.has(range["relname"]);
    if (!isTable) to.hasOwn = true;
    const alias = range["alias"]?.aliasname ?? range["relname"];
    to.items.push({
      alias,
      table: isTable ? (tables.get(range["relname"]) ?? null) : null,
      valued: new Map(),
    });
  };

  /** @returns the conditions that all rows of the level have to meet. */
  const from = (to: Level, node: Json): readonly Json[] => {
    const { RangeVar: range, RangeSubselect: subselect, JoinExpr: joined } = node;
    if (range !== undefined) add(to, range);
    if (subselect !== undefined && subselect.lateral !== true) to.hasOwn = true;
    if (joined === undefined) return [];
    const before = to.items.length;
    const left = from(to, joined.larg);
    const middle = to.items.length;
    const right = from(to, joined.rarg);
    const lefts = to.items.slice(before, middle);
    const rights = to.items.slice(middle);
    for (const { String: column } of joined.usingClause ?? []) {
      for (const item of lefts) note(item, column.sval, rights);
      for (const item of rights) note(item, column.sval, lefts);
    }
    const own = conjuncts(joined.quals);
    switch (joined.jointype) {
      case "JOIN_INNER":
        return [...left, ...right, ...own];
      case "JOIN_LEFT":
        join(rights, to.items, [...right, ...own]);
        return left;
      case "JOIN_RIGHT":
        join(lefts, to.items, [...left, ...own]);
        return right;
      default:
        return [];
    }
  };

  const visit = (node: unknown, isWithin: boolean): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [key, value] of Object.entries(node as Json)) {
      if (/^(Select|Update|Delete)Stmt$/.test(key)) level(value, isWithin);
      // A condition on each row belongs to that row.
      const asksOfRow =
        (key === "SubLink" && /^(EXISTS|EXPR)_SUBLINK$/.test(value.subLinkType)) ||
        (key === "RangeSubselect" && value.lateral === true);
      visit(value, asksOfRow || (isWithin && !/^(SubLink|RangeSubselect|CommonTableExpr)$/.test(key)));
    }
  };
  visit(statement, false);
  return loose;
}

/**
 * The tables that no key leads to, starting from the parameters, or from one table if there are none, as in a list.
 * @param isGiven whether there are rows from outside.
 */
function apart(items: readonly Item[], isGiven: boolean): readonly string[] {
  const tables = items.filter(({ table }) => table !== null && !table.keys.some((key) => key.length === 0));
  const rows = items.filter(({ table }) => table === null || table.keys.every((key) => key.length > 0));
  const values = rows.flatMap((item) => [...item.valued.values()].flat());
  // The result of a branch has no key, so any of its columns counts.
  const lone = rows.filter(
    (item) =>
      rows.length > 1 &&
      item.table === null &&
      item.valued.size === 0 &&
      !values.some((sources) => sources.includes(item)),
  );
  if (lone.length > 0) return lone.map(({ alias }) => alias);
  const given = beyond(tables, []);
  const starts = given.length < tables.length || isGiven ? [] : tables;
  const lists = starts.map((one) => beyond(tables, [one]));
  const [fewest = []] = [given, ...lists].toSorted((one, other) => one.length - other.length);
  return fewest.map(({ alias }) => alias);
}

/** The tables that keys do not lead to from the given ones. */
function beyond(tables: readonly Item[], from: readonly Item[]): readonly Item[] {
  const reached = new Set(from);
  const isReached = ({ table, valued }: Item): boolean =>
    table?.keys.some((key) =>
      key.every((column) =>
        valued.get(column)?.some((sources) => sources.every((one) => one.table === null || reached.has(one))),
      ),
    ) ?? false;
  for (let before = -1; before !== reached.size;) {
    before = reached.size;
    for (const item of tables) if (isReached(item)) reached.add(item);
  }
  return tables.filter((item) => !reached.has(item));
}

function note({ valued }: Item, column: string, sources: readonly Item[]): void {
  valued.set(column, [...(valued.get(column) ?? []), sources]);
}

/** Records which columns of some items are determined by the conditions. @param all all visible items. */
function join(some: readonly Item[], all: readonly Item[], conditions: readonly Json[]): void {
  for (const [one, other] of conditions.flatMap(equalities)) {
    for (const [column, value] of [
      [one, other],
      [other, one],
    ] as const) {
      const owner = ownerOf(column, all);
      if (owner === null || !some.includes(owner)) continue;
      const sources = found(value, "ColumnRef").flatMap((each) => ownerOf({ ColumnRef: each }, all) ?? []);
      if (!sources.includes(owner)) note(owner, namesOf(column).at(-1) ?? "", sources);
    }
  }
}

function conjuncts(node: Json | undefined): readonly Json[] {
  if (node === undefined) return [];
  return node["BoolExpr"]?.boolop === "AND_EXPR" ? node["BoolExpr"].args.flatMap(conjuncts) : [node];
}

/** The pairs that a condition declares equal. */
function equalities({ A_Expr: expr, SubLink: link }: Json): readonly (readonly [Json, Json])[] {
  const isEqual = expr?.name?.[0]?.String.sval === "=" || expr?.kind === "AEXPR_NOT_DISTINCT";
  if (isEqual && /^AEXPR_(OP|OP_ANY|IN|NOT_DISTINCT)$/.test(expr.kind)) {
    const [ones, others] = [expr.lexpr.RowExpr?.args, expr.rexpr.RowExpr?.args];
    if (ones === undefined) return [[expr.lexpr, expr.rexpr]];
    return (ones as Json[]).map((one, n) => [one, others?.[n] ?? expr.rexpr] as const);
  }
  if (link?.subLinkType !== "ANY_SUBLINK" || link.operName !== undefined) return [];
  const tested: readonly Json[] = link.testexpr.RowExpr?.args ?? [link.testexpr];
  return tested.map((one) => [one, {}] as const);
}

function ownerOf(node: Json, items: readonly Item[]): Item | null {
  const names = namesOf(node);
  const [column, alias] = [names.at(-1), names.at(-2)];
  if (column === undefined) return null;
  const owners = items.filter((item) =>
    alias === undefined ? item.table?.columns.has(column) === true : item.alias === alias,
  );
  return owners.length === 1 ? (owners[0] ?? null) : null;
}

/** `u.id::text` → `u`, `id`; nothing if it is not a column. */
function namesOf(node: Json): readonly string[] {
  if (node["TypeCast"] !== undefined) return namesOf(node["TypeCast"].arg);
  return (node["ColumnRef"]?.fields ?? []).flatMap((field: Json) => field["String"]?.sval ?? []);
}

/** Every node of a kind below, including subqueries. */
function found(node: unknown, kind: string): readonly Json[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node as Json).flatMap(([key, value]) => [
    ...(key === kind ? [value as Json] : []),
    ...found(value, kind),
  ]);
}
