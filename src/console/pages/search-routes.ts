/** The search: its page, and its results alone, which the script shows during typing. */
import type { Deps } from "../../deps.ts";
import { Type } from "../../lib/schema.ts";
import { search } from "../../reports/search/search.ts";
import { refundsAmong, type FoundRow } from "../../reports/search/store.ts";
import { searchTerms } from "../../reports/search/terms.ts";
import { consolePage, seeOther } from "../answer.ts";
import type { ConsoleCall, ConsoleRouter } from "../guard.ts";
import { placesFor } from "../places.ts";
import { response } from "./listed.ts";
import { pathOf, pathOfSearch, resultsOf, SEARCH_PATH, searchPage } from "./search.ts";

const Text = Type.Object({ text: Type.Optional(Type.String({ maxLength: 255 })) });
const TextOrPart = Type.Object({
  ...Text.properties,
  part: Type.Optional(Type.Literal("results")),
});

/**
 * Declares the routes. A result page has an address, unless a whole IBAN was searched for, which must not be in an
 * address.
 */
export function searchPages(console: ConsoleRouter, deps: Deps): void {
  type SearchCall = ConsoleCall<{ readonly response: typeof response }>;

  const resultsFor = async ({ words, person }: SearchCall, text: string) => {
    const { tenant } = person;
    const found = text === "" ? [] : withoutPaidSessions(await search(deps, tenant, text));
    const refunds = await refundsAmong(deps.db, tenant, found);
    return { places: placesFor(words, person, text), found, refunds, now: deps.time.now(tenant) };
  };

  const show = async (call: SearchCall, text: string) => {
    const { words } = call;
    const results = await resultsFor(call, text);
    const paths = [...results.places.map(({ path }) => path), ...results.found.map(pathOf)];
    const [only] = paths;
    // A single result is opened at once.
    if (only !== undefined && paths.length === 1) return seeOther(only);
    const shownText = searchTerms(text).iban === null ? text : null;
    const body = searchPage(words, shownText, results);
    return call.page(words.say("search"), body, { headed: true, searched: shownText ?? "" });
  };

  console.post(SEARCH_PATH, "payments.read", {
    summary: "Search",
    schema: { body: TextOrPart, response },
    async handle(call) {
      const text = call.body.text?.trim() ?? "";
      if (call.body.part === "results") {
        const results = resultsOf(call.words, await resultsFor(call, text));
        return consolePage(deps, 200, results, { headers: call.headers });
      }
      if (searchTerms(text).iban === null) return seeOther(pathOfSearch(text));
      return show(call, text);
    },
  });

  console.get(SEARCH_PATH, "payments.read", {
    summary: "What was found",
    schema: { query: Text, response },
    handle: (call) => show(call, call.query.text?.trim() ?? ""),
  });
}

/** An order's session leads to its payments: if these were found, it adds nothing. */
function withoutPaidSessions(found: readonly FoundRow[]): readonly FoundRow[] {
  const hasPayments = found.some(({ kind }) => kind === "transaction");
  return hasPayments ? found.filter(({ kind }) => kind !== "session") : found;
}
