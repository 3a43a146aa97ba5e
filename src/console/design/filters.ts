/**
 * The filters of a list and their bar: active ones are chips that can be removed, the others small forms. All state is
 * in the address. Pure.
 */
import { html, NOTHING, type Html } from "../../files/html.ts";
import { SEPA_IBAN_CODES } from "../../sepa/iban.ts";
import { daysOfPeriod, NAMED_PERIODS, type Period } from "../periods.ts";
import type { Words } from "../words.ts";
import { optionsByName, check, input, select, type InputField, type Option } from "./fields.ts";
import { icon } from "./icons.ts";

/** A filter that the bar offers. */
export interface Filter {
  readonly title: string;
  /** The parameters that it sets. */
  readonly names: readonly string[];
  /** Its fields. */
  readonly form: Html;
  /** Values that can be set with one click, each with its parameters. */
  readonly offers?: readonly (readonly [text: string, sets: Query])[];
  /** The filter's value as text; null if it is not set. */
  readonly shown: string | null;
}

/** The current parameters. */
export type Query = Readonly<Record<string, string>>;

/** One of several values; the address may name several, separated by commas. */
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

/** A record that a filter selects by its name. */
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

/** The parameter `country`: one where SEPA debits are made. */
export function countryFilter(words: Words, query: Query): Filter {
  const { country = "" } = query;
  const options = optionsByName(words, SEPA_IBAN_CODES, words.country, country);
  return choiceFilter(words, query, "country", words.say("country"), options);
}

/** The parameter `archived`: whether archived records are also listed. */
export function archivedFilter({ say }: Words, { archived = "" }: Query): Filter {
  return {
    title: say("archived"),
    names: ["archived"],
    shown: archived === "" ? null : say("shownToo"),
    form: check("archived", say("archivedToo"), archived !== "", "true"),
  };
}

/** A range, open at either end if a value is missing. */
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

/** The parameters `from` and `to`, or a `period`: days in the person's time zone, or in the `zone` given in a link. */
export function daysFilter(words: Words, query: Query, title: string, now: Date): Filter {
  const { say, texts } = words;
  const ends = [
    { name: "from", label: say("from") },
    { name: "to", label: say("to") },
  ] as const;
  const range = rangeFilter(query, title, ends, { type: "date" });
  return {
    ...range,
    names: ["period", "zone", ...range.names],
    shown: daysShown(words, query, now),
    offers: NAMED_PERIODS.map((period) => [texts.periods[period], { period }] as const),
    form: html`${range.form}
      <p class="hint">${say("daysInZone", { zone: words.timeZone })}</p>`,
  };
}

/** The requested days as text; null for all. */
function daysShown(words: Words, { period, from, to, zone }: Query, now: Date): string | null {
  if (period !== undefined) {
    const days = daysOfPeriod(period as Period, words.today(now));
    return `${words.texts.periods[period as Period]} (${words.days(days.from, days.to)})`;
  }
  const span = spanShown(words, from, to);
  return span === null || zone === undefined ? span : `${span}, ${zone}`;
}

/** A range of days, which may be open, as text; null for all. */
export function spanShown(words: Words, from: string | undefined, to: string | undefined): string | null {
  if (from !== undefined && to !== undefined) return words.days(from, to);
  if (from !== undefined) return words.say("sinceDay", { day: words.day(from) });
  return to === undefined ? null : words.say("untilDay", { day: words.day(to) });
}

/** Filters that are only set by links from other pages; shown while they are set. */
export function linkedFilters(
  query: Query,
  titles: readonly (readonly [name: string, title: string])[],
): readonly Filter[] {
  return titles
    .filter(([name]) => query[name] !== undefined)
    .map(([name, title]) => textFilter(query, name, title));
}

/** This many filters have their own form; the others share one. When two are set, fewer fit in one line. */
const ALONE_MAX = 7;
const ROOM_OF_ANOTHER = 4;

/**
 * The filter bar. Active filters come first, each with a form to change and a link to remove it.
 * @param path of the list.
 * @param query the current parameters, without the page.
 * @param more other parts of the bar, such as the selection of columns.
 */
export function filterBar(
  words: Words,
  path: string,
  query: Query,
  filters: readonly Filter[],
  more: Html = NOTHING,
): Html {
  const set = filters.filter(isShown);
  const room = Math.max(0, ALONE_MAX - ROOM_OF_ANOTHER * Math.max(0, set.length - 1));
  const alone = filters
    .slice(0, ALONE_MAX)
    .filter((one) => !isShown(one))
    .slice(0, room);
  const others = filters.filter((one) => !isShown(one) && !alone.includes(one));
  const choice = (title: string, some: readonly Filter[]) => filterChoice(words, path, query, title, some);
  return html`<div class="filters">
    <div class="offered">
      ${set.map(
        (filter) =>
          html`<span class="chip"
            >${choice(`${filter.title}: ${filter.shown}`, [filter])}
            <a
              href="${addressWith(path, withoutNames(query, filter.names))}"
              aria-label="${words.say("removeFilter", { name: filter.title, value: filter.shown ?? "" })}"
              >${icon("cross")}</a
            ></span
          >`,
      )}
      ${alone.map((filter) => choice(filter.title, [filter]))}
      ${others.length > 0 && choice(others.length > 1 ? words.say("moreFilters") : (others[0]?.title ?? ""), others)}
      ${set.length > 1 && html`<a class="clear" href="${addressWith(path, withoutNames(query, namesOf(set)))}">${words.say("clear")}</a>`}
    </div>
    ${more}
  </div>`;
}

function isShown({ shown }: Filter): boolean {
  return shown !== null;
}

function namesOf(filters: readonly Filter[]): readonly string[] {
  return filters.flatMap(({ names }) => names);
}

/** Opens the form of one filter, or of several. */
function filterChoice(
  words: Words,
  path: string,
  query: Query,
  title: string,
  filters: readonly Filter[],
): Html {
  const others = withoutNames(query, namesOf(filters));
  const offers = filters.flatMap((one) => one.offers ?? []);
  return html`<details name="filter">
    <summary>${title}</summary>
    <div>
      ${
        offers.length > 0 &&
        html`<ul class="offers">
          ${offers.map(([text, sets]) => offered(text, addressWith(path, { ...others, ...sets }), isSet(query, sets)))}
        </ul>`
      }
      <form method="get" action="${path}">
        ${hiddenFields(others)} ${filters.map(({ form }) => form)}
        <button class="main">${words.say("apply")}</button>
      </form>
    </div>
  </details>`;
}

function offered(text: string, address: string, isNow: boolean): Html {
  return html`<li>
    <a href="${address}" ${isNow && html`aria-current="true"`}>${text}</a>
  </li>`;
}

function isSet(query: Query, sets: Query): boolean {
  return Object.entries(sets).every(([name, value]) => query[name] === value);
}

/** The address with these parameters. */
export function addressWith(path: string, query: Query): string {
  const search = new URLSearchParams(query).toString();
  return search === "" ? path : `${path}?${search}`;
}

/** The query without these parameters. */
export function withoutNames(query: Query, names: readonly string[]): Query {
  return Object.fromEntries(Object.entries(query).filter(([name]) => !names.includes(name)));
}

/** The query as fields of a form that sets others. */
export function hiddenFields(query: Query): readonly Html[] {
  return Object.entries(query).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );
}
