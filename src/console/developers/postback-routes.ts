/** The pages of what partners have sent, and processing one again. */
import { activityFilters } from "../../integrations/management.ts";
import { findActivity, listActivities } from "../../integrations/management-store.ts";
import { activityContent } from "../../integrations/postback-record.ts";
import { replayPostback } from "../../integrations/replay.ts";
import { ActivityInPath, ActivityQuery } from "../../integrations/schemas.ts";
import { integrationKind } from "../../integrations/settings/integration.ts";
import { isUuid } from "../../lib/ids.ts";
import { readRecord } from "../../management/resource-write.ts";
import { Refusal } from "../../refusals.ts";
import { seeOther } from "../answer.ts";
import type { ConsoleRouter } from "../guard.ts";
import { AnyForm, AnyQuery, AnyIdInPath, readListPage, response } from "../pages/listed.ts";
import { daysAsked, listQueryOf } from "../pages/list-query.ts";
import type { Parts } from "../people/parts.ts";
import { personTarget } from "../records/routes.ts";
import { postbackPage, postbacksPage } from "./postbacks.ts";
import { developerTabs, INTEGRATIONS_PATH } from "./tabs.ts";

const PATH = `${INTEGRATIONS_PATH}{id}/postbacks/`;
const listQuery = listQueryOf(ActivityQuery);

/** Declares the pages. */
export function postbackPages(console: ConsoleRouter, parts: Parts): void {
  const { db } = parts;

  console.get(PATH, "developers.read", {
    summary: "What a partner has sent",
    schema: { params: AnyIdInPath, query: AnyQuery, response },
    async handle(call) {
      const { words, person } = call;
      const { tenant } = person;
      const integration = await readRecord(parts, integrationKind, tenant, call.params.id);
      const path = PATH.replace("{id}", integration.id);
      const given = listQuery(call.query);
      const now = parts.clock.now();
      const filters = { ...activityFilters(given.asked), ...daysAsked(given, words, now) };
      const page = await readListPage(parts, { tenant, path }, given, (window) =>
        listActivities(db, tenant, integration.id, filters, window),
      );
      const tabs = developerTabs(words, person, INTEGRATIONS_PATH);
      const body = postbacksPage({ words, now, given, tabs, integration, ...page });
      return call.page(integration.name, body, { headed: true });
    },
  });

  console.get(`${PATH}{activity_id}/`, "developers.read", {
    summary: "What a partner has sent once",
    schema: { params: ActivityInPath, query: AnyQuery, response },
    async handle(call) {
      const { words, person, params } = call;
      const { tenant } = person;
      const integration = await readRecord(parts, integrationKind, tenant, params.id);
      const { activity_id: id } = params;
      const row = isUuid(id) ? await findActivity(db, tenant, integration.id, id) : null;
      if (row === null) throw new Refusal("not_found");
      const body = postbackPage({
        words,
        now: parts.clock.now(),
        csrf: call.csrf,
        tabs: developerTabs(words, person, INTEGRATIONS_PATH),
        integration,
        row,
        ...activityContent(parts, tenant, row),
        mayReplay: call.may("settings.write") && row.has_payload && integration.archived_at === null,
        maySeePayments: call.may("payments.read"),
        done: call.query["done"] === "again",
      });
      return call.page(integration.name, body, { headed: true });
    },
  });

  console.post(`${PATH}{activity_id}/again/`, "settings.write", {
    summary: "Process what a partner has sent again",
    schema: { params: ActivityInPath, body: AnyForm, response },
    async handle(call) {
      const { id, activity_id: activity } = call.params;
      const row = await replayPostback(parts, id, personTarget(call, activity));
      return seeOther(`${PATH.replace("{id}", row.integration_id)}${row.id}/?done=again`);
    },
  });
}
