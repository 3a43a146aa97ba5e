/**
 * The filters of a list and their bar: what is set as chips that can be removed, the rest as small forms. All of it lives
 * in the address. Pure.
 */
import { html, NOTHING, type Html } from "../../files/html.ts";
import type { Words } from "../words.ts";
import { check, input, select, type InputField, type Option } from "./fields.ts";
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

/** What is set now, by parameter. */
export type Query = Readonly<Record<string, string>>;

/** One of some values; the address may name several, separated by commas. */
export function choiceFilter(
  { say }: Words,
  query: Query,
  name: string,
  title: string,
  options: readonly Option[],
): Filter {
  const value = query[name];
  const texts = new Map(options);
  const shown = value?.split(",").map((one) => texts.get(one) ?? one);
  return {
    title,
    names: [name],
    shown: shown?.join(", ") ?? null,
    form: select({ name, label: title, value: value ?? "" }, [["", say("any")], ...options]),
  };
}

/** The parameter `status`. */
export function statusFilter(
  words: Words,
  query: Query,
  statuses: readonly string[],
  texts: Readonly<Record<string, string>> = words.texts.states,
): Filter {
  const options = statuses.map((one) => [one, texts[one] ?? one] as const);
  return choiceFilter(words, query, "status", words.say("status"), options);
}

/** A record that a filter chooses by its name. */
export interface Named {
  readonly id: string;
  readonly name: string;
}

/** One of the tenant's records, such as its gateways. */
export function recordFilter(
  words: Words,
  query: Query,
  name: string,
  title: string,
  records: readonly Named[],
): Filter {
  const options = records.map((one) => [one.id, one.name] as const);
  return choiceFilter(words, query, name, title, options);
}

/** A text as it is typed. */
export function textFilter(query: Query, name: string, title: string, maxLength?: number): Filter {
  const value = query[name];
  return {
    title,
    names: [name],
    shown: value ?? null,
    form: input({ name, label: title, value: value ?? "", ...(maxLength !== undefined && { maxLength }) }),
  };
}

/** The parameter `email`. */
export function emailFilter({ say }: Words, query: Query): Filter {
  return textFilter(query, "email", say("email"), 254);
}

/** The parameter `archived`: whether archived records are listed, too. */
export function archivedFilter({ say }: Words, { archived = "" }: Query): Filter {
  return {
    title: say("archived"),
    names: ["archived"],
    shown: archived === "" ? null : say("shownToo"),
    form: check("archived", say("archivedToo"), archived !== "", "true"),
  };
}

/** A span between two values, each of which may be left open. */
export function rangeFilter(
  query: Query,
  title: string,
  ends: readonly Pick<InputField, "name" | "label">[],
  kind: Pick<InputField, "type" | "inputMode">,
): Filter {
  const names = ends.map(({ name }) => name);
  return {
    title,
    names,
    shown: names.some((name) => query[name] !== undefined)
      ? names.map((name) => query[name] ?? "").join(" – ")
      : null,
    form: html`${ends.map((end) => input({ ...end, ...kind, value: query[end.name] ?? "" }))}`,
  };
}

/** The parameters `from` and `to`: days. */
export function daysFilter({ say }: Words, query: Query, title: string): Filter {
  const ends = [
    { name: "from", label: say("from") },
    { name: "to", label: say("to") },
  ] as const;
  return rangeFilter(query, title, ends, { type: "date" });
}

/** Filters that only links of other pages set: shown while they are set. */
export function linkedFilters(
  query: Query,
  titles: readonly (readonly [name: string, title: string])[],
): readonly Filter[] {
  return titles
    .filter(([name]) => query[name] !== undefined)
    .map(([name, title]) => textFilter(query, name, title));
}

/**
 * @param path of the list. @param query what is set now, without the page.
 * @param more what else the bar has, such as the choice of columns.
 */
export function filterBar(
  words: Words,
  path: string,
  query: Query,
  filters: readonly Filter[],
  more: Html = NOTHING,
): Html {
  const set = filters.filter(({ shown }) => shown !== null);
  return html`<div class="filters">
    ${set.map(
      ({ title, shown, names }) =>
        html`<span class="chip"
          >${title}: ${shown}
          <a
            href="${addressWith(path, without(query, names))}"
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
    ${
      set.length > 1 &&
      html`<a
        href="${addressWith(
          path,
          without(
            query,
            set.flatMap(({ names }) => names),
          ),
        )}"
        >${words.say("clear")}</a
      >`
    }
    ${more}
  </div>`;
}

/** The address with these parameters. */
export function addressWith(path: string, query: Query): string {
  const search = new URLSearchParams(query).toString();
  return search === "" ? path : `${path}?${search}`;
}

/** The query without these parameters. */
export function without(query: Query, names: readonly string[]): Query {
  return Object.fromEntries(Object.entries(query).filter(([name]) => !names.includes(name)));
}

/** The query as fields of a form that sets others. */
export function hidden(query: Query): readonly Html[] {
  return Object.entries(query).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );
}
