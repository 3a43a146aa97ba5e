/** Writes TypeScript interfaces for the tables. */
import type { TableColumn, Schema, Table } from "../src/db/schema-dump.ts";

/** The types that src/db/postgres.ts returns for PostgreSQL's types. */
const TYPES: Readonly<Record<string, string>> = {
  boolean: "boolean",
  smallint: "number",
  integer: "number",
  bigint: "string",
  numeric: "string",
  text: "string",
  uuid: "string",
  date: "string",
  "timestamp with time zone": "Date",
  bytea: "Buffer",
  jsonb: "unknown",
};
/** The width that the formatter breaks lines at. */
const WIDTH = 110;

/** The text of src/db/rows.ts. @throws Error for a column type without a line in the table above. */
export function rowTypes({ tables }: Schema): string {
  const head = `/** The row type of each table. Generated from the migrated schema: npm run generate. */`;
  return `${[head, ...tables.map(rowInterface)].join("\n\n")}\n`;
}

function rowInterface(table: Table): string {
  const fields = table.columns.map(
    (column) => docstring(column.comment, "  ") + field(column, typeOf(column, table)),
  );
  return `${docstring(table.comment)}export interface ${rowName(table.name)} {\n${fields.join("\n")}\n}`;
}

/** A comment of the schema; nothing if there is none. */
function docstring(comment: string | null, indent = ""): string {
  return comment === null ? "" : `${indent}/** ${comment.replaceAll("*/", "* /")} */\n`;
}

/** The name of a table's row: `session_moves` → `SessionMoveRow`. */
export function rowName(table: string): string {
  // News has no singular.
  const one = table.endsWith("news") ? table : table.replace(/ies$/, "y").replace(/s$/, "");
  return `${one.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Row`;
}

function field({ name, nullable }: TableColumn, members: readonly string[]): string {
  const all = nullable && !members.includes("unknown") ? [...members, "null"] : members;
  const line = `  readonly ${name}: ${all.join(" | ")};`;
  if (line.length <= WIDTH || all.length === 1) return line;
  return `  readonly ${name}:\n${all.map((member) => `    | ${member}`).join("\n")};`;
}

/** The members of the column's union: its allowed values if a check lists them, else its type. */
function typeOf(column: TableColumn, table: Table): readonly string[] {
  const values = allowedValues(column, table);
  if (column.type.endsWith("[]")) {
    if (values.length === 0) return [`readonly ${scalar(column.type.slice(0, -2))}[]`];
    const line = `readonly (${values.join(" | ")})[]`;
    const fits = `  readonly ${column.name}: ${line};`.length <= WIDTH;
    return [fits ? line : `readonly (\n${values.map((value) => `    | ${value}`).join("\n")}\n  )[]`];
  }
  return values.length > 0 ? values : [scalar(column.type)];
}

export function scalar(type: string): string {
  const known = TYPES[type.replace(/\([\d,]*\)/, "")];
  if (known === undefined) throw new Error(`scripts/row-types.ts does not know the column type ${type}`);
  return known;
}

/** The texts in `check (col in (…))`, `check (col = '…')` and `check (col <@ array[…])`. */
function allowedValues({ name }: TableColumn, { constraints }: Table): readonly string[] {
  const own = constraints.filter(
    ({ columns, definition }) => columns.join() === name && definition.startsWith("check"),
  );
  const list = new RegExp(`\\(${name} (?:= any \\(|<@ |= )(?:array\\[(.*?)\\]|('[^']*'::text))`);
  const found = own.map(({ definition }) => list.exec(definition)).find((match) => match !== null);
  return [...(found?.[1] ?? found?.[2] ?? "").matchAll(/'([^']*)'/g)].map((match) =>
    JSON.stringify(match[1]),
  );
}
