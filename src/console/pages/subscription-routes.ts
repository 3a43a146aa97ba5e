/** The pages of subscriptions, and the two actions on a subscription. They use the functions of the API. */
import type { Deps } from "../../deps.ts";
import type { Answer } from "../../http/endpoint.ts";
import { bodyCheck } from "../../http/validation.ts";
import { NEWEST_FIRST } from "../../http/paging.ts";
import { utcDate } from "../../lib/dates.ts";
import { isUuid } from "../../lib/ids.ts";
import { Type } from "../../lib/schema.ts";
import { FieldErrors, Refusal } from "../../refusals.ts";
import { findCustomers } from "../../reports/customers/store.ts";
import { expectedAsOf, expectedByDay } from "../../reports/statistics/expected.ts";
import { transactionFilters } from "../../reports/transactions/routes.ts";
import { listTransactions } from "../../reports/transactions/store.ts";
import { changeSubscription, gatewaysToChoose } from "../../subscriptions/change.ts";
import { cancelSubscription, collectSubscription } from "../../subscriptions/manage.ts";
import { ChangeBody, changeOf, subscriptionFilters, SubscriptionQuery } from "../../subscriptions/routes.ts";
import { findSubscription, listSubscriptions } from "../../subscriptions/store.ts";
import { seeOther } from "../answer.ts";
import { queryWithColumns } from "../design/columns.ts";
import type { ConsoleCall, ConsoleRouter } from "../guard.ts";
import { faultsIn } from "../people/parts.ts";
import { refusedWords } from "../refused.ts";
import { AnyForm, AnyQuery, AnyIdInPath, readListPage, response } from "./listed.ts";
import { listQueryOf } from "./list-query.ts";
import { duePage, monthAsked } from "./due.ts";
import {
  DUE_PATH,
  SUBSCRIPTION_COLUMNS,
  subscriptionPage,
  subscriptionsPage,
  SUBSCRIPTIONS_PATH,
  type PendingAct,
} from "./subscriptions.ts";
import { viewsOf } from "./view-routes.ts";

const PAYMENTS_SHOWN = 10;
const changeCheck = bodyCheck(ChangeBody);
const listQuery = listQueryOf(queryWithColumns(SubscriptionQuery.properties, SUBSCRIPTION_COLUMNS));

/** Declares the pages. */
export function subscriptionPageRoutes(console: ConsoleRouter, deps: Deps): void {
  console.get(SUBSCRIPTIONS_PATH, "payments.read", {
    summary: "Subscriptions",
    schema: { query: AnyQuery, response },
    async handle(call) {
      const { words } = call;
      const { tenant } = call.person;
      const given = listQuery(call.query);
      const filters = subscriptionFilters(given.asked);
      const [page, views] = await Promise.all([
        readListPage(deps, { tenant, path: SUBSCRIPTIONS_PATH }, given, (window) =>
          listSubscriptions(deps.db, tenant, filters, window),
        ),
        viewsOf(deps, call, "subscriptions"),
      ]);
      const customers = await findCustomers(
        deps.db,
        tenant,
        page.rows.map((row) => row.lead_id),
      );
      const now = deps.time.now(tenant);
      const body = subscriptionsPage({ words, now, given, views, customers, ...page });
      return call.page(words.say("subscriptions"), body, { headed: true });
    },
  });

  console.get(DUE_PATH, "payments.read", {
    summary: "What is due, day by day",
    schema: { query: AnyQuery, response },
    async handle(call) {
      const { words } = call;
      const { tenant } = call.person;
      const today = utcDate(deps.time.now(tenant));
      const month = monthAsked(call.query["month"], today);
      const [asOf, rows] = await Promise.all([
        expectedAsOf(deps.db, tenant, month),
        expectedByDay(deps.db, tenant, month),
      ]);
      const body = duePage({ words, today, month, asOf, rows });
      return call.page(words.say("dueCalendar"), body, { headed: true });
    },
  });

  console.get(`${SUBSCRIPTIONS_PATH}{id}/`, "payments.read", {
    summary: "A subscription",
    schema: { params: AnyIdInPath, query: AnyQuery, response },
    handle(call) {
      const { act, done } = call.query;
      const opened = ACTS.find((one) => one === act) ?? null;
      const ending: PendingAct | null =
        opened === null ? null : { act: opened, id: deps.ids.uuid(), problem: null };
      return show(deps, call, call.params.id, { ending, done: ACTS.find((one) => one === done) ?? null });
    },
  });

  console.post(`${SUBSCRIPTIONS_PATH}{id}/cancel/`, "subscriptions.write", {
    summary: "End a subscription",
    schema: {
      params: AnyIdInPath,
      body: Type.Object({
        id: Type.String(),
        when: Type.Union([Type.Literal("now"), Type.Literal("period_end")]),
        reason: Type.Optional(Type.String({ maxLength: 255 })),
      }),
      response,
    },
    async handle(call) {
      const { id: operationId, when, reason = "" } = call.body;
      const { id } = call.params;
      const { tenant } = call.person;
      if (!isUuid(operationId) || !isUuid(id)) throw new Refusal("not_found");
      const why = reason.trim() === "" ? null : reason.trim();
      await cancelSubscription(
        deps,
        { tenant, id, operationId, author: call },
        { reason: why, atPeriodEnd: when === "period_end" },
      );
      return seeOther(`${SUBSCRIPTIONS_PATH}${id}/?done=cancel`);
    },
  });

  console.post(`${SUBSCRIPTIONS_PATH}{id}/change/`, "subscriptions.write", {
    summary: "Change a subscription's amount, day or gateway",
    schema: { params: AnyIdInPath, body: AnyForm, response },
    async handle(call) {
      const { id: operationId = "", csrf: _, ...typed } = call.body;
      const { id } = call.params;
      const { tenant } = call.person;
      if (!isUuid(operationId) || !isUuid(id)) throw new Refusal("not_found");
      const again = (problem: string | null, faults: Readonly<Record<string, string>> = {}) =>
        show(deps, call, id, {
          ending: { act: "change", id: operationId, typed, problem, faults },
          done: null,
        });
      const amount = (typed["amount"] ?? "").trim().replace(",", ".");
      const given = changedOf({ ...typed, amount });
      if (Object.keys(given).length === 0) return seeOther(`${SUBSCRIPTIONS_PATH}${id}/`);
      try {
        const wrong = changeCheck(given);
        if (wrong !== null) throw wrong;
        await changeSubscription(deps, { tenant, id, operationId, author: call }, changeOf(given));
      } catch (error) {
        if (error instanceof FieldErrors) return again(null, faultsIn(call.words, error));
        if (!(error instanceof Refusal) || error.status === 404 || error.status >= 500) throw error;
        return again(refusedWords(call.words, error));
      }
      return seeOther(`${SUBSCRIPTIONS_PATH}${id}/?done=change`);
    },
  });

  console.post(`${SUBSCRIPTIONS_PATH}{id}/collect/`, "subscriptions.write", {
    summary: "Collect a subscription now",
    schema: { params: AnyIdInPath, body: Type.Object({ id: Type.String() }), response },
    async handle(call) {
      const { id: operationId } = call.body;
      const { id } = call.params;
      if (!isUuid(operationId) || !isUuid(id)) throw new Refusal("not_found");
      try {
        await collectSubscription(deps, { tenant: call.person.tenant, id, operationId, author: call });
      } catch (error) {
        if (!(error instanceof Refusal) || error.status === 404 || error.status >= 500) throw error;
        const ending = { act: "collect", id: operationId, problem: refusedWords(call.words, error) } as const;
        return show(deps, call, id, { ending, done: null });
      }
      return seeOther(`${SUBSCRIPTIONS_PATH}${id}/?done=collect`);
    },
  });
}

/**
 * The fields that differ from those with which the form was opened (`was.`): an untouched field must not undo another
 * person's change.
 */
function changedOf(typed: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    ["amount", "next_billing_date", "gateway_id"].flatMap((name) => {
      const value = typed[name];
      return value === undefined || value === typed[`was.${name}`] ? [] : [[name, value]];
    }),
  );
}

function isRefused({ problem, faults = {} }: PendingAct): boolean {
  return problem !== null || Object.keys(faults).length > 0;
}

const ACTS = ["cancel", "collect", "change"] as const;
const DONE_WORDS = { cancel: "endDone", collect: "collectDone", change: "changeTermsDone" } as const;

/**
 * A subscription with its cycles, and the open dialog.
 * @throws Refusal not_found.
 */
async function show(
  deps: Pick<Deps, "adapters" | "db" | "time">,
  call: Pick<
    ConsoleCall<{ readonly response: typeof response }>,
    "person" | "csrf" | "may" | "page" | "words"
  >,
  id: string,
  { ending, done }: { readonly ending: PendingAct | null; readonly done: (typeof ACTS)[number] | null },
): Promise<Answer> {
  const { words } = call;
  const { tenant } = call.person;
  const subscription = isUuid(id) ? await findSubscription(deps.db, tenant, id) : null;
  if (subscription === null) throw new Refusal("not_found");
  const filters = transactionFilters({ subscription_id: id });
  const window = { ...NEWEST_FIRST, limit: PAYMENTS_SHOWN };
  const [customers, payments, gateways] = await Promise.all([
    findCustomers(deps.db, tenant, [subscription.lead_id]),
    listTransactions(deps.db, tenant, filters, window),
    ending?.act === "change" ? gatewaysToChoose(deps, tenant, id) : [],
  ]);
  const body = subscriptionPage({
    words,
    now: deps.time.now(tenant),
    csrf: call.csrf,
    subscription,
    customer: customers.get(subscription.lead_id) ?? null,
    payments,
    gateways,
    mayWrite: call.may("subscriptions.write"),
    ending,
    done: done === null ? null : words.say(DONE_WORDS[done]),
  });
  const title = words.money(subscription.billing_amount, subscription.currency);
  return call.page(title, body, {
    headed: true,
    status: ending !== null && isRefused(ending) ? 422 : 200,
  });
}
