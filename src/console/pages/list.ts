/**
 * Page of a list: invalid filters, the filter bar, the rows or why there are none, and links to further pages. Pure.
 */
import { html, NOTHING, type Html } from "../../files/html.ts";
import { empty, heading, newsNotice } from "../design/blocks.ts";
import { addressWith, filterBar, type Filter } from "../design/filters.ts";
import { pages } from "../design/table.ts";
import type { Words } from "../words.ts";
import { problems, type GivenQuery } from "./list-query.ts";

/** What each list shows. */
export interface ListPage<Row> {
  readonly words: Words;
  readonly now: Date;
  readonly given: GivenQuery;
  readonly rows: readonly Row[];
  /** Cursors of the neighbouring pages: "" for the start of the list, null if there is no such page. */
  readonly newer: string | null;
  readonly older: string | null;
}

export interface List {
  readonly path: string;
  readonly title: string;
  /** The text of an empty list without filters, and how to make its first record. */
  readonly none: readonly [title: string, hint: string, act?: Html];
  /** @param query the current parameters, without the page. */
  filters(query: Readonly<Record<string, string>>): readonly Filter[];
  /**
   * The selection of columns.
   * @param query the current parameters, without the page.
   */
  columns?(query: Readonly<Record<string, string>>): Html;
  /** Actions above the list. */
  readonly acts?: readonly Html[];
  /** The section's other pages. */
  readonly tabs?: Html;
  /** Content above the list. */
  readonly above?: Html;
  /** The table of the rows. */
  table(): Html;
}

export function listPage<Row>({ words, given, rows, newer, older }: ListPage<Row>, list: List): Html {
  const { cursor: _, page_size: __, ...query } = given.usable;
  const link = (cursor: string | null) =>
    cursor === null ? null : addressWith(list.path, cursor === "" ? query : { ...query, cursor });
  const { columns: ___, ...asked } = query;
  const filtered = Object.keys(asked).length > 0;
  const none = filtered ? ([words.say("noMatches"), words.say("noMatchesHint")] as const) : list.none;
  const { acts = [], tabs = NOTHING, above = NOTHING } = list;
  return html`${heading(list.title, { acts })} ${tabs}
    <div class="stack">
      ${above} ${problems(words, given)} ${given.usable["cursor"] === undefined && newsNotice(words)}
      <section class="panel">
        ${filterBar(words, list.path, query, list.filters(query), list.columns?.(query))}
        ${rows.length > 0 ? list.table() : empty(...none)}
        ${pages(words, { newer: link(newer), older: link(older), shown: rows.length })}
      </section>
    </div>`;
}
