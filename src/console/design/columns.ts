/** The columns of a list, and their selection: a form that sets `columns` in the address. Pure. */
import { html, type Html } from "../../files/html.ts";
import { commaList, listedIn } from "../../http/fields.ts";
import { Type, type TProperties } from "../../lib/schema.ts";
import type { TextKey, Words } from "../words.ts";
import { choices } from "./fields.ts";
import { addressWith, hiddenFields, withoutNames, type Query } from "./filters.ts";
import { table, type Column } from "./table.ts";

/** What cells need. */
export interface CellParts {
  readonly words: Words;
  readonly now: Date;
}

export interface ListColumn<Row, Parts extends CellParts = CellParts> {
  readonly title: TextKey;
  readonly as?: "number" | "short";
  cell(row: Row, parts: Parts): Html | string;
}

/** All columns of a list by name, in the order of the selection. */
export interface ListColumns<Row, Name extends string = string, Parts extends CellParts = CellParts> {
  readonly all: Readonly<Record<Name, ListColumn<Row, Parts>>>;
  /** The default columns. */
  readonly usual: ShownColumns<Name>;
}

/** The columns of a table. */
export interface ShownColumns<Name extends string> {
  readonly names: readonly Name[];
  /** Columns that are hidden on phones. */
  readonly spare: readonly Name[];
}

/**
 * The query of a list with selectable columns.
 * @param filters of the API's list.
 */
export function queryWithColumns<Filters extends TProperties>(filters: Filters, { all }: ListColumns<never>) {
  return Type.Object({ ...filters, columns: Type.Optional(commaList(Object.keys(all))) });
}

/**
 * The columns named in an address, without duplicates.
 * @param given validated by the list's query.
 */
export function columnsAsked<Name extends string>(
  { usual }: Pick<ListColumns<never, Name>, "usual">,
  given: string | undefined,
): ShownColumns<Name> {
  if (given === undefined) return usual;
  return { names: listedIn(given) as readonly Name[], spare: [] };
}

/** A column's name. */
export function columnTitle<Name extends string>(
  { say }: Words,
  { all }: ListColumns<never, Name, never>,
  name: Name,
): string {
  return say(all[name].title);
}

/**
 * The rows of a list; the first cell of each is a link.
 * @param path of a row.
 */
export function columnsTable<Row, Name extends string, Parts extends CellParts>(
  parts: Parts,
  caption: string,
  { all }: ListColumns<Row, Name, Parts>,
  { names, spare }: ShownColumns<Name>,
  rows: readonly Row[],
  path: (row: Row) => string,
): Html {
  const asOf = (name: Name) =>
    [all[name].as, spare.includes(name) && "spare"].filter((one) => typeof one === "string").join(" ");
  const columns = names.map((name) => {
    const as = asOf(name) as NonNullable<Column["as"]> | "";
    return { title: parts.words.say(all[name].title), ...(as !== "" && { as }) };
  });
  return table(
    caption,
    columns,
    rows.map((row) =>
      names.map((name, at) => {
        const cell = all[name].cell(row, parts);
        return at > 0 ? cell : html`<a class="row" href="${path(row)}">${cell}</a>`;
      }),
    ),
  );
}

/**
 * The selection of columns; shown columns come first, in order.
 * @param query the current filters, without the page.
 */
export function columnChoice<Name extends string>(
  words: Words,
  path: string,
  query: Query,
  columns: ListColumns<never, Name, never>,
): Html {
  const { say } = words;
  const others = withoutNames(query, ["columns"]);
  const shown = columnsAsked(columns, query["columns"]).names;
  const names = new Set([...shown, ...(Object.keys(columns.all) as Name[])]);
  return html`<details name="filter" class="columns">
    <summary>${say("columns")}</summary>
    <div>
      <form method="get" action="${path}">
        ${hiddenFields(others)}
        ${choices(
          say("columns"),
          shown.map(boxName),
          [...names].map((name) => [boxName(name), columnTitle(words, columns, name)]),
        )}
        <button class="main">${say("apply")}</button>
        ${query["columns"] !== undefined && html`<a href="${addressWith(path, others)}">${say("usualColumns")}</a>`}
      </form>
    </div>
  </details>`;
}

function boxName(column: string): string {
  return `columns.${column}`;
}
