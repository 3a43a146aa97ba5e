/** Page of a list with selectable columns and saved views. Pure. */
import { html, NOTHING, type Html } from "../../files/html.ts";
import {
  columnChoice,
  columnsAsked,
  columnsTable,
  type CellParts,
  type ListColumns,
} from "../design/columns.ts";
import { listPage, type List, type ListPage } from "./list.ts";
import { viewsBar, type ViewedList, type Views } from "./views.ts";

export interface ColumnedPage<Row> extends ListPage<Row> {
  readonly views: Views;
}

interface ColumnedList<Row, Name extends string, Parts extends CellParts> extends Omit<
  List,
  "columns" | "table"
> {
  /** The stored name of the list's views. */
  readonly name: ViewedList;
  /** The name of the list without a view. */
  readonly all: string;
  readonly columns: ListColumns<Row, Name, Parts>;
  /** The data that cells need. */
  readonly parts: Parts;
  /** The path of a row's page. */
  readonly pathOf: (row: Row) => string;
}

export function columnedPage<Row, Name extends string, Parts extends CellParts>(
  page: ColumnedPage<Row>,
  { name, all, columns, parts, pathOf, ...list }: ColumnedList<Row, Name, Parts>,
): Html {
  const { words, rows, given, views } = page;
  const { cursor: _, page_size: __, ...query } = given.usable;
  const shown = columnsAsked(columns, query["columns"]);
  return listPage(page, {
    ...list,
    above: html`${list.above ?? NOTHING} ${viewsBar(words, { name, path: list.path, all }, query, views)}`,
    columns: (asked) => columnChoice(words, list.path, asked, columns),
    table: () => columnsTable(parts, list.title, columns, shown, rows, pathOf),
  });
}
