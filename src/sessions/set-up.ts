/** Reads the merchant's configuration for a new session in one round trip. */
import type { Database } from "../db/database.ts";
import { readsTogether } from "../db/together.ts";
import { must } from "../lib/assert.ts";
import type {
  CampaignRow,
  GatewayRow,
  HostedPageRow,
  OfferRow,
  TenantRow,
  WebhookProfileRow,
} from "../db/rows.ts";

type TenantPart = Pick<
  TenantRow,
  | "id"
  | "name"
  | "country"
  | "creditor_identifier"
  | "session_lifetime_seconds"
  | "default_locale"
  | "redirect_hosts"
>;
type CampaignPart = Pick<CampaignRow, "id" | "name" | "max_payment_attempts"> & {
  readonly stopped: boolean;
};
/** `price` and `trial_price` with two decimals. */
type OfferPart = Pick<
  OfferRow,
  | "id"
  | "name"
  | "price"
  | "currency"
  | "billing_type"
  | "billing_frequency"
  | "billing_day"
  | "trial_interval_unit"
  | "trial_period"
  | "trial_price"
  | "product_name"
  | "product_description"
>;
type GatewayPart = Pick<GatewayRow, "id" | "name" | "adapter" | "descriptor" | "test_mode"> & {
  readonly settings: Readonly<Record<string, unknown>>;
};
type HostedPagePart = Pick<HostedPageRow, "id" | "name" | "mandate_acceptance_mode" | "locale"> & {
  readonly offer_overrides: Readonly<Record<string, unknown>>;
};
/** An inactive profile may be named: whether to send is decided when an event is due. */
type WebhookProfilePart = Pick<WebhookProfileRow, "id" | "name" | "active">;

/** A part is null if its id is absent, unknown, another tenant's, archived, or (campaign, gateway) inactive. */
export interface SessionParts {
  readonly tenant: TenantPart;
  readonly campaign: CampaignPart | null;
  readonly offer: OfferPart | null;
  readonly gateway: GatewayPart | null;
  readonly hostedPage: HostedPagePart | null;
  readonly webhookProfile: WebhookProfilePart | null;
}

/** Ids in the request; in campaign mode each overrides the campaign's. */
interface Named {
  readonly gatewayId?: string | null;
  readonly hostedPageId?: string | null;
  readonly webhookProfileId?: string | null;
}

const FIND_PARTS = readsTogether(
  "merchants.find_session_parts",
  { campaignId: "uuid", gatewayId: "uuid", hostedPageId: "uuid", webhookProfileId: "uuid" },
  `select jsonb_build_object(
            'id', n.id, 'name', n.name, 'country', n.country, 'creditor_identifier', n.creditor_identifier,
            'session_lifetime_seconds', n.session_lifetime_seconds, 'default_locale', n.default_locale,
            'redirect_hosts', n.redirect_hosts
          ) as "tenant",
          case when c.id is not null then jsonb_build_object(
            'id', c.id, 'name', c.name, 'max_payment_attempts', c.max_payment_attempts,
            'stopped', c.stopped_at is not null
          ) end as "campaign",
          case when o.id is not null then jsonb_build_object(
            'id', o.id, 'name', o.name, 'price', o.price::text, 'currency', o.currency,
            'billing_type', o.billing_type, 'billing_frequency', o.billing_frequency, 'billing_day', o.billing_day,
            'trial_interval_unit', o.trial_interval_unit, 'trial_period', o.trial_period,
            'trial_price', o.trial_price::text,
            'product_name', o.product_name, 'product_description', o.product_description
          ) end as "offer",
          case when g.id is not null then jsonb_build_object(
            'id', g.id, 'name', g.name, 'adapter', g.adapter, 'descriptor', g.descriptor,
            'test_mode', g.test_mode, 'settings', g.settings
          ) end as "gateway",
          case when p.id is not null then jsonb_build_object(
            'id', p.id, 'name', p.name, 'offer_overrides', p.offer_overrides,
            'mandate_acceptance_mode', p.mandate_acceptance_mode, 'locale', p.locale
          ) end as "hostedPage",
          case when w.id is not null then jsonb_build_object(
            'id', w.id, 'name', w.name, 'active', w.active
          ) end as "webhookProfile"
     from tenants n
     left join campaigns        c on c.tenant = :tenant and c.id = v.campaignId and c.archived_at is null and c.active
                                 and n.archived_at is null
     left join offers           o on o.tenant = :tenant and o.id = c.offer_id and o.archived_at is null
     left join gateways         g on g.tenant = :tenant and g.id = coalesce(v.gatewayId, c.gateway_id)
                                 and g.archived_at is null and g.active and n.archived_at is null
     left join hosted_pages     p on p.tenant = :tenant and p.id = coalesce(v.hostedPageId, c.hosted_page_id)
                                 and p.archived_at is null
     left join webhook_profiles w on w.tenant = :tenant and w.id = coalesce(v.webhookProfileId, c.webhook_profile_id)
                                 and w.archived_at is null
    where n.tenant = :tenant`,
).gives<SessionParts>();

/**
 * A campaign's parts with the request's overrides; `offer` and `gateway` are null if archived since, and everything
 * that a payment needs if the tenant is: its payment links and links of failed payments need no API key.
 */
export function findCampaignParts(
  db: Database,
  tenant: number,
  named: Named & { readonly campaignId: string },
): Promise<SessionParts> {
  return find(db, tenant, named.campaignId, named);
}

/** The parts that a request in direct mode names; `campaign` and `offer` are null. */
export function findDirectParts(
  db: Database,
  tenant: number,
  named: Named & { readonly gatewayId: string },
): Promise<SessionParts> {
  return find(db, tenant, null, named);
}

async function find(
  db: Database,
  tenant: number,
  campaignId: string | null,
  { gatewayId = null, hostedPageId = null, webhookProfileId = null }: Named,
): Promise<SessionParts> {
  const values = { campaignId, gatewayId, hostedPageId, webhookProfileId };
  const rows = await db.together(FIND_PARTS, tenant, values);
  return must(rows[0], "the tenant of an authenticated call");
}
