/** The saved views above a list: links to them, and forms to save, rename and delete one. Pure. */
import { html, NOTHING, type Html } from "../../files/html.ts";
import type { SavedView } from "../../people/view-store.ts";
import { VIEW_NAME_MAX, viewQuery } from "../../people/views.ts";
import { csrfField } from "../csrf.ts";
import { check, input } from "../design/fields.ts";
import type { Query } from "../design/filters.ts";
import type { Words } from "../words.ts";

export const VIEWS_PATH = "/console/views/";

/** The lists with views, by their stored names. */
export type ViewedList =
  | "payments"
  | "customers"
  | "subscriptions"
  | "mandates"
  | "chargebacks"
  | "bank_files"
  | "bank_statements"
  | "bank_entries";

/** What a list's page needs to show its views. */
export interface Views {
  readonly saved: readonly SavedView[];
  readonly csrf: string;
  readonly mayShare: boolean;
  /** The id of a view that is saved from this page. */
  readonly newId: string;
}

/**
 * The links and forms of a list's views.
 * @param query the current parameters, without the page.
 */
export function viewsBar(
  words: Words,
  list: { readonly name: ViewedList; readonly path: string; readonly all: string },
  query: Query,
  { saved, csrf, mayShare, newId }: Views,
): Html {
  const { say } = words;
  const now = viewQuery(query);
  const current = saved.find((view) => view.query === now);
  const asked = new URLSearchParams(query).toString();
  if (saved.length === 0 && now === "") return NOTHING;
  return html`<nav class="filters views" aria-label="${say("savedViews")}">
    ${saved.length > 0 && html`<a href="${list.path}" ${asked === "" && html`aria-current="page"`}>${list.all}</a>`}
    ${saved.map(
      (view) =>
        html`<a href="${list.path}?${view.query}" ${view === current && html`aria-current="page"`}
          >${view.name}${view.shared && html`<span class="soft"> · ${say("sharedView")}</span>`}</a
        >`,
    )}
    ${
      current === undefined && now !== ""
        ? opened(
            say("saveView"),
            html`<form method="post" action="${VIEWS_PATH}">
              ${csrfField(csrf)}
              <input type="hidden" name="id" value="${newId}" />
              <input type="hidden" name="list" value="${list.name}" />
              <input type="hidden" name="query" value="${asked}" />
              ${input({ name: "name", id: "view-name", label: say("name"), required: true, maxLength: VIEW_NAME_MAX, hint: say("saveViewHint") })}
              ${mayShare && check("shared", say("shareView"), false)}
              <button class="main">${say("save")}</button>
            </form>`,
          )
        : NOTHING
    }
    ${
      current !== undefined && (!current.shared || mayShare)
        ? opened(
            say("changeView"),
            html`<form method="post" action="${VIEWS_PATH}${current.id}/">
                ${csrfField(csrf)}
                ${input({ name: "name", id: "view-name", label: say("name"), value: current.name, required: true, maxLength: VIEW_NAME_MAX })}
                <button class="main">${say("save")}</button>
              </form>
              <form method="post" action="${VIEWS_PATH}${current.id}/remove/">
                ${csrfField(csrf)}<button class="bad">${say("deleteView")}</button>
              </form>`,
          )
        : NOTHING
    }
  </nav>`;
}

function opened(title: string, body: Html): Html {
  return html`<details name="filter">
    <summary>${title}</summary>
    <div>${body}</div>
  </details>`;
}
