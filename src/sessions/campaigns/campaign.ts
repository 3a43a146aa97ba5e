/** A campaign: an offer, the gateway that collects for it and the design of its payment page. */
import { Type, type Static } from "../../lib/schema.ts";
import type { CampaignRow } from "../../db/rows.ts";
import { nullable, text, uuid } from "../../http/fields.ts";
import { NullableTime, NullableUuid, Uuid } from "../../http/response-fields.ts";
import { noSuch, refuseProblems } from "../../management/problems.ts";
import { withoutAbsent, shownRecord, type RecordKind, type Write } from "../../management/resource.ts";
import { recordSchema } from "../../management/resource-schema.ts";
import { recordStore, type Settable } from "../../management/resource-store.ts";
import { findCampaignReferences } from "./store.ts";

/** (contract: Sizes) */
const ATTEMPTS = { minimum: 1, maximum: 10 };
const ATTEMPTS_DEFAULT = 3;
const MIN_PAYMENTS_DEFAULT = 50;

const Create = Type.Object(
  {
    name: text(255),
    offer_id: uuid(),
    gateway_id: uuid(),
    hosted_page_id: Type.Optional(nullable(uuid())),
    webhook_profile_id: Type.Optional(nullable(uuid())),
    max_payment_attempts: Type.Optional(
      Type.Integer({ ...ATTEMPTS, description: `Default ${ATTEMPTS_DEFAULT}.` }),
    ),
    active: Type.Optional(Type.Boolean()),
    return_rate_max: Type.Optional(
      nullable(
        Type.Integer({
          minimum: 1,
          maximum: 100,
          description:
            "In percent: when more of what was collected within 60 days was charged back, the campaign stops collecting. Default null: never.",
        }),
      ),
    ),
    return_rate_min_payments: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: `It is not stopped with fewer collected payments. Default ${MIN_PAYMENTS_DEFAULT}.`,
      }),
    ),
  },
  { $id: "CampaignCreate" },
);
const Patch = Type.Partial(Create, { $id: "CampaignPatch" });
const Campaign = recordSchema("Campaign", {
  name: Type.String(),
  offer_id: Uuid,
  gateway_id: Uuid,
  hosted_page_id: NullableUuid,
  webhook_profile_id: NullableUuid,
  max_payment_attempts: Type.Integer(),
  active: Type.Boolean(),
  return_rate_max: nullable(Type.Integer()),
  return_rate_min_payments: Type.Integer(),
  stopped_at: NullableTime,
  counted_from: NullableTime,
});

type Fields = Static<typeof Patch>;

const COLUMNS = [
  "name",
  "offer_id",
  "gateway_id",
  "hosted_page_id",
  "webhook_profile_id",
  "max_payment_attempts",
  "active",
  "return_rate_max",
  "return_rate_min_payments",
] as const;
/** Set by the service. */
const KEPT = ["stopped_at", "counted_from"] as const;

export const campaignKind: RecordKind<CampaignRow, Fields> = {
  resource: "campaigns",
  noun: "a campaign",
  access: "settings",
  schemas: { create: Create, patch: Patch, record: Campaign, created: Campaign },
  store: recordStore<CampaignRow>("campaigns", COLUMNS, KEPT),
  defaults: () => ({
    max_payment_attempts: ATTEMPTS_DEFAULT,
    active: true,
    return_rate_min_payments: MIN_PAYMENTS_DEFAULT,
  }),
  change: (_write, given) =>
    withoutAbsent({
      name: given.name,
      offer_id: given.offer_id,
      gateway_id: given.gateway_id,
      hosted_page_id: given.hosted_page_id,
      webhook_profile_id: given.webhook_profile_id,
      max_payment_attempts: given.max_payment_attempts,
      active: given.active,
      return_rate_max: given.return_rate_max,
      return_rate_min_payments: given.return_rate_min_payments,
    }),
  check,
  render: (row) => shownRecord(row, [...COLUMNS, ...KEPT]),
  secrets: () => ({}),
};

/** Validates references in a request; unchanged ones may have been archived since. */
async function check(
  { deps, tx, tenant }: Write,
  given: Fields,
  values: Settable<CampaignRow>,
): Promise<void> {
  const found = await findCampaignReferences(tx, tenant, values);
  refuseProblems({
    offer_id: noSuch(given.offer_id, found.offer_usable, "offer"),
    gateway_id: noSuch(given.gateway_id, found.gateway_usable, "gateway"),
    hosted_page_id: noSuch(given.hosted_page_id, found.hosted_page_usable, "hosted page"),
    webhook_profile_id: noSuch(given.webhook_profile_id, found.webhook_profile_usable, "webhook profile"),
  });
  if (given.offer_id === undefined && given.gateway_id === undefined) return;
  const collected = deps.adapters.get(found.adapter ?? "")?.capabilities.currencies ?? [];
  refuseProblems({
    gateway_id: collected.includes(found.currency ?? "")
      ? null
      : `This gateway does not collect the offer's currency, ${found.currency}.`,
  });
}
