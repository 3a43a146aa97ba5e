/** The pages of the event feed. */
import { isUuid } from "../../lib/ids.ts";
import { Refusal } from "../../refusals.ts";
import { eventFilters } from "../../webhooks/event-routes.ts";
import { deliveriesOfEvent, findEvent, listEvents } from "../../webhooks/management/event-store.ts";
import { EventQuery } from "../../webhooks/management/schemas.ts";
import type { ConsoleRouter } from "../guard.ts";
import { AnyQuery, AnyIdInPath, readListPage, response } from "../pages/listed.ts";
import { daysAsked, listQueryOf } from "../pages/list-query.ts";
import type { Parts } from "../people/parts.ts";
import { profileNames } from "./delivery-routes.ts";
import { eventPage, eventsPage } from "./events.ts";
import { developerTabs, EVENTS_PATH } from "./tabs.ts";

const listQuery = listQueryOf(EventQuery);

/** Declares the pages. */
export function eventPages(console: ConsoleRouter, parts: Parts): void {
  const { db } = parts;

  console.get(EVENTS_PATH, "developers.read", {
    summary: "Events",
    schema: { query: AnyQuery, response },
    async handle(call) {
      const { words, person } = call;
      const given = listQuery(call.query);
      const now = parts.clock.now();
      const filters = { ...eventFilters(given.asked), ...daysAsked(given, words, now) };
      const page = await readListPage(parts, { tenant: person.tenant, path: EVENTS_PATH }, given, (window) =>
        listEvents(db, person.tenant, filters, window),
      );
      const tabs = developerTabs(words, person, EVENTS_PATH);
      const body = eventsPage({ words, now, given, tabs, ...page });
      return call.page(words.say("events"), body, { headed: true });
    },
  });

  console.get(`${EVENTS_PATH}{id}/`, "developers.read", {
    summary: "An event",
    schema: { params: AnyIdInPath, response },
    async handle(call) {
      const { words, person, params } = call;
      const { tenant } = person;
      const event = isUuid(params.id) ? await findEvent(db, tenant, params.id) : null;
      if (event === null) throw new Refusal("not_found");
      const [deliveries, profiles] = await Promise.all([
        deliveriesOfEvent(db, tenant, event.id),
        profileNames(parts, tenant),
      ]);
      const body = eventPage({
        words,
        now: parts.clock.now(),
        tabs: developerTabs(words, person, EVENTS_PATH),
        event,
        deliveries,
        profiles,
        maySeePayments: call.may("payments.read"),
      });
      return call.page(event.type, body, { headed: true });
    },
  });
}
