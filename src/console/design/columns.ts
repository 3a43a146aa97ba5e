/** The choice of a list's columns: a form that sets `columns` in the address. Pure. */
import { html, type Html } from "../../files/html.ts";
import type { Words } from "../words.ts";
import { choices } from "./fields.ts";
import { addressWith, hidden, without, type Query } from "./filters.ts";

interface Choice {
  /** By name, with what each is called. */
  readonly offered: ReadonlyMap<string, string>;
  /** The names of those that are shown, in their order. */
  readonly shown: readonly string[];
}

/** Those that are shown stand first, so that their order stays. @param query what is set now, without the page. */
export function columnChoice({ say }: Words, path: string, query: Query, { offered, shown }: Choice): Html {
  const others = without(query, ["columns"]);
  const names = new Set([...shown, ...offered.keys()]);
  return html`<details name="filter" class="columns">
    <summary>${say("columns")}</summary>
    <div>
      <form method="get" action="${path}">
        ${hidden(others)}
        ${choices(
          say("columns"),
          shown.map(boxName),
          [...names].map((name) => [boxName(name), offered.get(name) ?? name]),
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
