/** A payment link: what is paid for, how much, and how often; anyone can open its address. */
import { Type, type Static } from "../../lib/schema.ts";
import type { PaymentLinkRow } from "../../db/rows.ts";
import { amount, isoTime, nullable, text, uuid } from "../../http/fields.ts";
import { NullableText, NullableTime, NullableUuid } from "../../http/response-fields.ts";
import { noSuch, refuseProblems, type Problems } from "../../management/problems.ts";
import { withoutAbsent, shownRecord, type RecordKind, type Write } from "../../management/resource.ts";
import { recordSchema } from "../../management/resource-schema.ts";
import { recordStore, type Settable } from "../../management/resource-store.ts";
import { metadata } from "../schemas.ts";
import { amountProblems } from "./amounts.ts";
import { findLinkReferences, type LinkReferences } from "./store.ts";
import { linkUrl } from "./token.ts";

/** The currency of a link without a campaign. */
export const LINK_CURRENCY = "EUR";
const USES_MAX = 10_000;

const Create = Type.Object(
  {
    name: text(255, { description: "What is paid for, as the customer reads it." }),
    description: Type.Optional(nullable(text(2_000))),
    campaign_id: Type.Optional(
      nullable(
        uuid({ description: "Sells its offer, with its gateway and page; an amount replaces its price." }),
      ),
    ),
    gateway_id: Type.Optional(
      nullable(
        uuid({
          description: `Required without a campaign: one payment in ${LINK_CURRENCY} at this gateway.`,
        }),
      ),
    ),
    hosted_page_id: Type.Optional(nullable(uuid())),
    webhook_profile_id: Type.Optional(nullable(uuid())),
    amount: Type.Optional(nullable(amount({ description: "Fixed. Not with amount_min." }))),
    amount_min: Type.Optional(
      nullable(amount({ description: "The customer chooses the amount: at least this." })),
    ),
    amount_max: Type.Optional(nullable(amount({ description: "At most this." }))),
    amount_suggested: Type.Optional(
      nullable(amount({ description: "The amount that the field shows at first." })),
    ),
    uses_max: Type.Optional(
      nullable(
        Type.Integer({
          minimum: 1,
          maximum: USES_MAX,
          description: "How many payments may be completed; 1 for a single use, null for any number.",
        }),
      ),
    ),
    ends_at: Type.Optional(nullable(isoTime({ description: "No attempt begins afterwards." }))),
    metadata,
    active: Type.Optional(
      Type.Boolean({ description: "Switched off, it takes no new attempt. Default true." }),
    ),
  },
  { $id: "PaymentLinkCreate" },
);
const Patch = Type.Partial(Create, { $id: "PaymentLinkPatch" });
const PaymentLink = recordSchema("PaymentLink", {
  url: Type.String({ format: "uri" }),
  name: Type.String(),
  description: NullableText,
  campaign_id: NullableUuid,
  gateway_id: NullableUuid,
  hosted_page_id: NullableUuid,
  webhook_profile_id: NullableUuid,
  amount: NullableText,
  amount_min: NullableText,
  amount_max: NullableText,
  amount_suggested: NullableText,
  uses_max: nullable(Type.Integer()),
  ends_at: NullableTime,
  metadata: nullable(Type.Record(Type.String(), Type.String())),
  active: Type.Boolean(),
});

type Fields = Static<typeof Patch>;

const AMOUNTS = ["amount", "amount_min", "amount_max", "amount_suggested"] as const;
const COLUMNS = [
  "name",
  "description",
  "campaign_id",
  "gateway_id",
  "hosted_page_id",
  "webhook_profile_id",
  ...AMOUNTS,
  "uses_max",
  "ends_at",
  "metadata",
  "active",
] as const;

export const paymentLinkKind: RecordKind<PaymentLinkRow, Fields> = {
  resource: "payment-links",
  noun: "a payment link",
  access: "settings",
  schemas: { create: Create, patch: Patch, record: PaymentLink, created: PaymentLink },
  store: recordStore<PaymentLinkRow>("payment_links", COLUMNS, [], {
    active: "boolean",
    campaign_id: "uuid",
  }),
  filters: { active: Type.Boolean(), campaign_id: uuid() },
  defaults: () => ({ active: true }),
  change: (_write, given) =>
    withoutAbsent({
      name: given.name,
      description: given.description,
      campaign_id: given.campaign_id,
      gateway_id: given.gateway_id,
      hosted_page_id: given.hosted_page_id,
      webhook_profile_id: given.webhook_profile_id,
      amount: given.amount,
      amount_min: given.amount_min,
      amount_max: given.amount_max,
      amount_suggested: given.amount_suggested,
      uses_max: given.uses_max,
      ends_at:
        given.ends_at === undefined || given.ends_at === null ? given.ends_at : new Date(given.ends_at),
      metadata: given.metadata,
      active: given.active,
    }),
  check,
  render: (row) => ({ ...shownRecord(row, COLUMNS), ends_at: row.ends_at?.toISOString() ?? null }),
  secrets: () => ({}),
  answered: (deps, row) => ({ url: linkUrl(deps, row) }),
};

async function check(
  { deps, tx, tenant }: Write,
  given: Fields,
  values: Settable<PaymentLinkRow>,
): Promise<void> {
  const found = await findLinkReferences(tx, tenant, values);
  refuseProblems(unknown(given, found));
  const currencies = deps.adapters.get(found.adapter ?? "")?.capabilities.currencies ?? [];
  const { campaign_id: campaignId } = values;
  const isNew = given.campaign_id !== undefined || given.gateway_id !== undefined;
  const currency = campaignId ? found.currency : LINK_CURRENCY;
  refuseProblems({
    ...amountProblems(values, found),
    gateway_id:
      !campaignId && !values.gateway_id
        ? "This field is required without campaign_id."
        : isNew && !currencies.includes(currency ?? "")
          ? `This gateway does not collect ${currency}.`
          : null,
  });
}

/** Validates references in a request; unchanged ones may have been archived since. */
function unknown(given: Fields, found: LinkReferences): Problems {
  return {
    campaign_id: noSuch(given.campaign_id, found.campaign_usable, "campaign"),
    gateway_id: noSuch(given.gateway_id, found.gateway_usable, "gateway"),
    hosted_page_id: noSuch(given.hosted_page_id, found.hosted_page_usable, "hosted page"),
    webhook_profile_id: noSuch(given.webhook_profile_id, found.webhook_profile_usable, "webhook profile"),
  };
}
