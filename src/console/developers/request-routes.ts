/** The pages of the log of requests. */
import { NEWEST_FIRST } from "../../http/paging.ts";
import { isUuid } from "../../lib/ids.ts";
import { requestFilters } from "../../management/request-log/routes.ts";
import { RequestQuery } from "../../management/request-log/schemas.ts";
import { findRequest, listRequests } from "../../management/request-log/store.ts";
import { Refusal } from "../../refusals.ts";
import { apiKeyKind } from "../../tenants/api-keys/api-key.ts";
import type { ConsoleRouter } from "../guard.ts";
import { AnyQuery, AnyIdInPath, readListPage, response } from "../pages/listed.ts";
import { daysAsked, listQueryOf } from "../pages/list-query.ts";
import type { Parts } from "../people/parts.ts";
import { requestPage, requestsPage } from "./requests.ts";
import { developerTabs, REQUESTS_PATH } from "./tabs.ts";

/** Enough for every merchant; a filter by an unlisted record still works by its id. */
const KEYS_MAX = 200;
const listQuery = listQueryOf(RequestQuery);

/** Declares the pages. */
export function requestPages(console: ConsoleRouter, parts: Parts): void {
  const { db } = parts;

  console.get(REQUESTS_PATH, "developers.read", {
    summary: "Requests of the last days",
    schema: { query: AnyQuery, response },
    async handle(call) {
      const { words, person } = call;
      const { tenant } = person;
      const given = listQuery(call.query);
      const now = parts.clock.now();
      const filters = { ...requestFilters(given.asked), ...daysAsked(given, words, now) };
      const page = await readListPage(parts, { tenant, path: REQUESTS_PATH }, given, (window) =>
        listRequests(db, tenant, filters, window),
      );
      const keys = await apiKeyKind.store.list(db, tenant, true, { ...NEWEST_FIRST, limit: KEYS_MAX });
      const body = requestsPage({
        words,
        now,
        given,
        tabs: developerTabs(words, person, REQUESTS_PATH),
        keys: keys.map(({ id, name }) => [id, name]),
        ...page,
      });
      return call.page(words.say("requests"), body, { headed: true });
    },
  });

  console.get(`${REQUESTS_PATH}{id}/`, "developers.read", {
    summary: "A request",
    schema: { params: AnyIdInPath, response },
    async handle(call) {
      const { words, person, params } = call;
      const row = isUuid(params.id) ? await findRequest(db, person.tenant, params.id) : null;
      if (row === null) throw new Refusal("not_found");
      const tabs = developerTabs(words, person, REQUESTS_PATH);
      const body = requestPage({ words, now: parts.clock.now(), tabs, row });
      return call.page(`${row.method} ${row.route}`, body, { headed: true });
    },
  });
}
