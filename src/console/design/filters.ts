/** The filter bar of a list: what is set as chips that can be removed, the rest as small forms. All of it lives in the address. Pure. */
import { html, type Html } from "../../files/html.ts";
import type { Words } from "../words.ts";
import { icon } from "./icons.ts";

/** A filter that the bar offers. */
export interface Filter {
  readonly title: string;
  /** The parameters that it sets. */
  readonly names: readonly string[];
  /** Its fields. */
  readonly form: Html;
  /** What is set, in words; null when nothing is. */
  readonly shown: string | null;
}

type Query = Readonly<Record<string, string>>;

/** @param path of the list. @param query what is set now, without the page. */
export function filterBar(words: Words, path: string, query: Query, filters: readonly Filter[]): Html {
  const set = filters.filter(({ shown }) => shown !== null);
  return html`<div class="filters">
    ${set.map(
      ({ title, shown, names }) =>
        html`<span class="chip"
          >${title}: ${shown}
          <a
            href="${addressOf(path, without(query, names))}"
            aria-label="${words.say("removeFilter", { name: title, value: shown ?? "" })}"
            >${icon("cross")}</a
          ></span
        >`,
    )}
    ${filters.map(
      ({ title, names, form }) =>
        html`<details name="filter">
          <summary>${title}</summary>
          <div>
            <form method="get" action="${path}">
              ${hidden(without(query, names))} ${form}
              <button class="main">${words.say("apply")}</button>
            </form>
          </div>
        </details>`,
    )}
    ${set.length > 1 && html`<a href="${path}">${words.say("clear")}</a>`}
  </div>`;
}

/** The address with these parameters. */
export function addressOf(path: string, query: Query): string {
  const search = new URLSearchParams(query).toString();
  return search === "" ? path : `${path}?${search}`;
}

function without(query: Query, names: readonly string[]): Query {
  return Object.fromEntries(Object.entries(query).filter(([name]) => !names.includes(name)));
}

function hidden(query: Query): readonly Html[] {
  return Object.entries(query).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );
}
