/** Page of search results. Pure. */
import { html, type Html } from "../../files/html.ts";
import { FOUND_MAX, type FoundRow } from "../../reports/search/store.ts";
import { empty, heading } from "../design/blocks.ts";
import { addressWith } from "../design/filters.ts";
import { money, stateBadge, time } from "../design/values.ts";
import type { NamedPage } from "../places.ts";
import type { Words } from "../words.ts";
import { CUSTOMERS_PATH } from "./customers.ts";
import { MANDATES_PATH } from "./mandates.ts";
import { paymentBadge } from "./payment-columns.ts";
import { PAYMENTS_PATH } from "./payments.ts";

export const SEARCH_PATH = "/console/search/";

/** The page of a result. */
export function pathOf({ kind, id }: Pick<FoundRow, "kind" | "id">): string {
  switch (kind) {
    case "transaction":
      return `${PAYMENTS_PATH}${id}/`;
    case "customer":
      return `${CUSTOMERS_PATH}${id}/`;
    case "mandate":
      return `${MANDATES_PATH}${id}/`;
    case "subscription":
      return `/console/subscriptions/${id}/`;
    case "session":
      return addressWith(PAYMENTS_PATH, { session_id: id });
  }
}

/** Looks for a reference. */
export function pathOfSearch(text: string): string {
  return addressWith(SEARCH_PATH, { text });
}

interface Results {
  /** Pages of the console. */
  readonly places: readonly NamedPage[];
  readonly found: readonly FoundRow[];
  /** The refunds among the payments. */
  readonly refunds: ReadonlySet<string>;
  readonly now: Date;
}

/**
 * The page of results.
 * @param text the search text; null for a whole IBAN, which is not repeated.
 */
export function searchPage(words: Words, text: string | null, results: Results): Html {
  const title = text === null || text === "" ? words.say("search") : words.say("searchFor", { text });
  const count = results.places.length + results.found.length;
  const found = words.count(words.texts.found, count);
  const kinds = Map.groupBy(results.found, ({ kind }) => kind);
  const isFull = [...kinds.values()].some((some) => some.length >= FOUND_MAX);
  const lead = isFull ? `${found}. ${words.say("foundMost", { number: FOUND_MAX })}` : found;
  return html`${heading(title, { lead })}
    <section class="panel">${resultsOf(words, results)}</section>`;
}

/** The results alone, pages first. */
export function resultsOf(words: Words, { places, found, refunds, now }: Results): Html {
  if (places.length + found.length === 0)
    return empty(words.say("nothingFound"), words.say("nothingFoundHint"));
  return html`<ul class="rows">
    ${places.map(
      ({ path, name, section }) =>
        html`<li>
          <a href="${path}"
            ><strong>${name}</strong> <span class="soft">${section ?? words.say("page")}</span></a
          >
        </li>`,
    )}
    ${found.map((row) => entry(words, row, refunds.has(row.id), now))}
  </ul>`;
}

function entry(words: Words, row: FoundRow, isRefund: boolean, now: Date): Html {
  const { amount, currency } = row;
  // For people a payment's customer is more informative than its reference.
  const isPayment = row.kind === "transaction" && row.about !== null;
  const [title, about] = isPayment ? [row.about, row.title] : [row.title, row.about];
  return html`<li>
    <a href="${pathOf(row)}"
      ><span><strong>${title}</strong>${about !== null && html` <span class="soft">${about}</span>`}</span>
      <span
        >${amount !== null && currency !== null && html`${isRefund && "−"}${money(words, amount, currency)}`}
        ${row.status !== null && (isRefund ? paymentBadge(words, { type: "sdd_refund", status: row.status }) : stateBadge(words, row.status))}
        <span class="soft"
          >${(isRefund ? words.texts.types["sdd_refund"] : null) ?? words.texts.kinds[row.kind]} ·
          ${time(words, row.at, now)}</span
        ></span
      ></a
    >
  </li>`;
}
