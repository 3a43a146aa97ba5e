/** The delivery log's pages, and sending again: one, or all that failed since a day. */
import { NEWEST_FIRST } from "../../http/paging.ts";
import { isUuid } from "../../lib/ids.ts";
import { Refusal } from "../../refusals.ts";
import { deliveryFilters, redeliverAll, redeliverOne } from "../../webhooks/management/redeliver.ts";
import { DeliveryQuery } from "../../webhooks/management/schemas.ts";
import { findDelivery, listAttempts, listDeliveries } from "../../webhooks/management/store.ts";
import { webhookProfileKind } from "../../webhooks/profiles/profile.ts";
import { seeOther } from "../answer.ts";
import { addressWith } from "../design/filters.ts";
import type { ConsoleRouter } from "../guard.ts";
import { AnyForm, AnyQuery, AnyIdInPath, readListPage, response } from "../pages/listed.ts";
import { daysAsked, listQueryOf } from "../pages/list-query.ts";
import { PAYMENTS_PATH } from "../pages/payments.ts";
import type { Parts } from "../people/parts.ts";
import type { Option } from "../design/fields.ts";
import { personTarget } from "../records/routes.ts";
import { deliveriesPage, deliveryPage } from "./deliveries.ts";
import { DELIVERIES_PATH, developerTabs } from "./tabs.ts";

/** Enough for every merchant; a filter by an unlisted record still works by its id. */
const PROFILES_MAX = 200;
const listQuery = listQueryOf(DeliveryQuery);
type Filters = Parameters<typeof deliveryFilters>[0];

/** Declares the pages. */
export function deliveryPages(console: ConsoleRouter, parts: Parts): void {
  const { db } = parts;

  console.get(DELIVERIES_PATH, "developers.read", {
    summary: "Webhook deliveries",
    schema: { query: AnyQuery, response },
    async handle(call) {
      const { words } = call;
      const { tenant } = call.person;
      const { act, sent, ...query } = call.query;
      const given = listQuery(query);
      const now = parts.clock.now();
      const filters = { ...deliveryFilters(given.usable as Filters), ...daysAsked(given, words, now) };
      const page = await readListPage(parts, { tenant, path: DELIVERIES_PATH }, given, (window) =>
        listDeliveries(db, tenant, filters, window),
      );
      const body = deliveriesPage({
        words,
        now,
        given,
        csrf: call.csrf,
        tabs: developerTabs(words, call.person, DELIVERIES_PATH),
        profiles: await profileNames(parts, tenant),
        mayResend: call.may("webhooks.resend"),
        choosing: act === "again",
        done: /^\d{1,6}$/.test(sent ?? "") ? words.count(words.texts.sentAgain, Number(sent)) : null,
        ...page,
      });
      return call.page(words.say("deliveries"), body, { headed: true });
    },
  });

  console.post(`${DELIVERIES_PATH}again/`, "webhooks.resend", {
    summary: "Send deliveries again",
    schema: { body: AnyForm, response },
    async handle(call) {
      const { profile = "", from = "", status = "" } = call.body;
      const { usable, problems } = listQuery({ profile, from, status });
      if (Object.keys(problems).length > 0) return seeOther(addressWith(DELIVERIES_PATH, { act: "again" }));
      const target = { tenant: call.person.tenant, operationId: call.operationId, author: call };
      const days = daysAsked({ usable }, call.words, parts.clock.now());
      const sent = await redeliverAll(parts, target, { ...deliveryFilters(usable as Filters), ...days });
      parts.webhooks.wake();
      return seeOther(addressWith(DELIVERIES_PATH, { ...usable, sent: String(sent) }));
    },
  });

  console.get(`${DELIVERIES_PATH}{id}/`, "developers.read", {
    summary: "A webhook delivery",
    schema: { params: AnyIdInPath, query: AnyQuery, response },
    async handle(call) {
      const { words, person } = call;
      const { tenant } = person;
      const { id } = call.params;
      const row = isUuid(id) ? await findDelivery(db, tenant, id) : null;
      if (row === null) throw new Refusal("not_found");
      const [attempts, profile] = await Promise.all([
        listAttempts(db, tenant, row.id),
        webhookProfileKind.store.find(db, tenant, row.profile_id),
      ]);
      const body = deliveryPage({
        words,
        now: parts.clock.now(),
        csrf: call.csrf,
        tabs: developerTabs(words, person, DELIVERIES_PATH),
        row,
        attempts,
        profileName: profile?.name ?? row.profile_id,
        mayResend: call.may("webhooks.resend"),
        done: call.query["done"] === "again",
      });
      return call.page(row.event_type, body, { headed: true });
    },
  });

  console.post(`${DELIVERIES_PATH}{id}/again/`, "webhooks.resend", {
    summary: "Send a delivery again",
    schema: { params: AnyIdInPath, body: AnyForm, response },
    async handle(call) {
      const { id } = await redeliverOne(parts, personTarget(call, call.params.id));
      parts.webhooks.wake();
      // Returns to the payment whose timeline has the button.
      const { payment = "" } = call.body;
      return seeOther(`${isUuid(payment) ? PAYMENTS_PATH + payment : DELIVERIES_PATH + id}/?done=again`);
    },
  });
}

/** The tenant's profiles by name, including archived ones: old deliveries were sent to them. */
export async function profileNames({ db }: Pick<Parts, "db">, tenant: number): Promise<readonly Option[]> {
  const rows = await webhookProfileKind.store.list(db, tenant, true, {
    ...NEWEST_FIRST,
    limit: PROFILES_MAX,
  });
  return rows.map(({ id, name }) => [id, name]);
}
