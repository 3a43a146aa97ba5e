/** `management/subscriptions/`: reads one with its cycles, ends it, collects what it owes. */
import { Type, type Static, type TSchema } from "../lib/schema.ts";
import type { Deps } from "../deps.ts";
import { tenantOf, type Call, type EndpointSchema, type Router } from "../http/endpoint.ts";
import { amount, isoDate, nullable, oneOf, text, uuid } from "../http/fields.ts";
import { Day, NullableText, NullableUuid, Uuid } from "../http/response-fields.ts";
import { PAGE_QUERY, pageOf, pageSchema } from "../http/paging.ts";
import { timesAsText } from "../http/times-as-text.ts";
import { must } from "../lib/assert.ts";
import { isUuid } from "../lib/ids.ts";
import { parseAmount } from "../lib/money.ts";
import { IdInPath, MANAGEMENT } from "../management/resource-routes.ts";
import { Refusal } from "../refusals.ts";
import { propertyOf } from "../payments/schemas.ts";
import { leadKey } from "../sessions/leads.ts";
import { changeSubscription, type SubscriptionChange } from "./change.ts";
import { cancelSubscription, collectSubscription, type SubscriptionCommand } from "./manage.ts";
import { SUBSCRIPTION_STATUSES, withCancellation } from "./subscription-record.ts";
import { findSubscription, listSubscriptions, type SubscriptionFilters } from "./store.ts";

const LIST_PATH = `${MANAGEMENT}subscriptions/`;
const PATH = `${LIST_PATH}{id}/`;
const tag = "Money after the payment";

const Listed = Type.Object(
  Object.fromEntries(
    withCancellation<readonly [string, TSchema]>(
      (field) => [field.name, propertyOf(field)],
      [
        ["cancel_reason", NullableText],
        ["cancel_at_period_end", Type.Boolean()],
      ],
    ),
  ),
  { $id: "ListedSubscription" },
);
const Subscription = Type.Object(
  {
    ...Listed.properties,
    billing_day: NullableText,
    mandate_id: Uuid,
    cycles: Type.Array(
      Type.Object({
        cycle: Type.Integer({
          description: "Cycle number; billing_anchor_date is cycle 0, unless the day was changed.",
        }),
        due_date: Day,
        status: Type.String({
          description: "collecting, pending, retry, paid, failed, skipped, charged_back or withdrawn",
        }),
        attempts: Type.Integer(),
        transaction_id: NullableUuid,
        next_attempt_at: NullableText,
        error_code: NullableText,
        gateway_code: nullable(
          Type.String({ description: "The gateway's code, such as the bank's reason code." }),
        ),
        collected_by: Type.Array(Type.String({ format: "uuid" }), {
          description:
            "Its transactions that are approved or pending, oldest first. More than one: the bank has reinstated an earlier attempt when the retry had left; refund one of them.",
        }),
      }),
      { description: "The latest hundred, newest first." },
    ),
  },
  { $id: "Subscription" },
);
export const SubscriptionQuery = Type.Object({
  ...PAGE_QUERY,
  status: Type.Optional(oneOf(SUBSCRIPTION_STATUSES)),
  email: Type.Optional(Type.String({ maxLength: 320 })),
  next_billing_date_from: Type.Optional(isoDate({ description: "Next due on or after this day." })),
  next_billing_date_to: Type.Optional(isoDate({ description: "Next due on or before this day." })),
  campaign_stopped: Type.Optional(
    Type.Boolean({ description: "Those whose renewals wait, as their campaign has stopped collecting." }),
  ),
  collected_twice: Type.Optional(
    Type.Boolean({ description: "true: only those with a cycle that several transactions collect." }),
  ),
});
const CancelBody = Type.Object(
  {
    reason: Type.Optional(nullable(text(255))),
    at_period_end: Type.Optional(
      Type.Boolean({ description: "true ends it on the due date of its next cycle." }),
    ),
  },
  { $id: "SubscriptionCancel" },
);

export const ChangeBody = Type.Object(
  {
    amount: Type.Optional(amount({ description: "Of each cycle that is taken up from now on." })),
    next_billing_date: Type.Optional(
      isoDate({
        description:
          "When the next cycle is due: after today and within a year. Later ones are counted from it.",
      }),
    ),
    gateway_id: Type.Optional(
      uuid({
        description:
          "Collects from now on. It has to be active, in the same mode, and of the creditor that the mandate names.",
      }),
    ),
  },
  { $id: "SubscriptionChange", minProperties: 1 },
);

/** Declares the endpoints on the router. */
export function subscriptionRoutes(router: Router, deps: Deps): void {
  const answer = async (tenant: number, id: string) => ({ status: 200, body: await shown(deps, tenant, id) });

  router.add("GET", LIST_PATH, {
    summary: "List subscriptions",
    tag,
    access: "read",
    schema: { query: SubscriptionQuery, response: { 200: pageSchema(Listed) } },
    async handle(call) {
      const tenant = tenantOf(call);
      const filters = subscriptionFilters(call.query);
      const page = await pageOf(
        deps,
        { tenant, path: LIST_PATH, query: call.query },
        (window) => listSubscriptions(deps.db, tenant, filters, window),
        ({ created_at: at, id }) => ({ at, id }),
      );
      return { status: 200, body: { ...page, results: page.results.map(timesAsText) } };
    },
  });

  router.add("GET", PATH, {
    summary: "Read a subscription and its cycles",
    tag,
    access: "read",
    schema: { params: IdInPath, response: { 200: Subscription } },
    handle: (call) => answer(tenantOf(call), call.params.id),
  });

  router.add("POST", `${PATH}cancel/`, {
    summary: "Cancel a subscription",
    description:
      "Ends it now, or at the end of the paid period; a subscription without a next cycle ends now. When it ends now, a collection that was not sent to the bank yet is withdrawn: its cycle becomes `withdrawn`. Repeating the request returns the same answer.",
    tag,
    access: "billing",
    schema: { params: IdInPath, body: CancelBody, response: { 200: Subscription } },
    async handle(call) {
      const command = commandOf(call, call.params.id);
      const { reason = null, at_period_end: atPeriodEnd = false } = call.body;
      await cancelSubscription(deps, command, { reason, atPeriodEnd });
      return answer(command.tenant, command.id);
    },
  });

  router.add("POST", `${PATH}change/`, {
    summary: "Change a subscription's amount, day or gateway",
    description:
      "What is under way, and a cycle that is tried again, keeps its amount. The next cycle is announced anew: `subscription.upcoming`, and where you have them, messages to the customer.",
    tag,
    access: "billing",
    schema: { params: IdInPath, body: ChangeBody, response: { 200: Subscription } },
    async handle(call) {
      const command = commandOf(call, call.params.id);
      await changeSubscription(deps, command, changeOf(call.body));
      return answer(command.tenant, command.id);
    },
  });

  router.add("POST", `${PATH}collect/`, {
    summary: "Collect a subscription now",
    description:
      "For a subscription without a billing frequency, or whose last collection failed or waits for a retry. Returns the outcome: see the latest cycle.",
    tag,
    access: "billing",
    schema: { params: IdInPath, response: { 200: Subscription } },
    async handle(call) {
      const command = commandOf(call, call.params.id);
      await collectSubscription(deps, command);
      return answer(command.tenant, command.id);
    },
  });
}

/** The changes in a validated body. */
export function changeOf({
  amount: given,
  next_billing_date: nextBillingDate,
  gateway_id: gatewayId,
}: Static<typeof ChangeBody>): SubscriptionChange {
  const cents =
    given === undefined ? undefined : must(parseAmount(given), "an amount that the schema has read");
  return { amount: cents, nextBillingDate, gatewayId };
}

/** The filters of a query. */
export function subscriptionFilters(
  query: Omit<Static<typeof SubscriptionQuery>, "page_size" | "cursor">,
): SubscriptionFilters {
  return {
    status: query.status ?? null,
    emailKey: query.email === undefined ? null : leadKey(query.email),
    nextFrom: query.next_billing_date_from ?? null,
    nextTo: query.next_billing_date_to ?? null,
    collectedTwice: query.collected_twice ?? null,
    campaignStopped: query.campaign_stopped ?? null,
  };
}

function commandOf(call: Call<EndpointSchema>, id: string): SubscriptionCommand {
  if (!isUuid(id)) throw new Refusal("not_found");
  return { tenant: tenantOf(call), id, operationId: call.operationId, author: call };
}

async function shown(deps: Pick<Deps, "db">, tenant: number, id: string): Promise<object> {
  const row = isUuid(id) ? await findSubscription(deps.db, tenant, id) : null;
  if (row === null) throw new Refusal("not_found");
  return timesAsText(row);
}
