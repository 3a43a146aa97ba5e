/** The SQL of a campaign's references. */
import { sql, type Reader } from "../../db/database.ts";
import type { CampaignRow } from "../../db/rows.ts";
import { must } from "../../lib/assert.ts";

/** The records that a campaign names; archived and foreign ones are not usable. */
interface References {
  readonly offer_usable: boolean;
  readonly currency: string | null;
  readonly gateway_usable: boolean;
  readonly adapter: string | null;
  readonly hosted_page_usable: boolean;
  readonly webhook_profile_usable: boolean;
}

const FIND_REFERENCES = sql(
  "campaigns.find_references",
  `select o.id is not null and o.archived_at is null as offer_usable, o.currency,
          g.id is not null and g.archived_at is null as gateway_usable, g.adapter,
          p.id is not null and p.archived_at is null as hosted_page_usable,
          w.id is not null and w.archived_at is null as webhook_profile_usable
     from tenants n
     left join offers           o on o.tenant = :tenant and o.id = :offerId
     left join gateways         g on g.tenant = :tenant and g.id = :gatewayId
     left join hosted_pages     p on p.tenant = :tenant and p.id = :hostedPageId
     left join webhook_profiles w on w.tenant = :tenant and w.id = :webhookProfileId
    where n.tenant = :tenant`,
).gives<References>();

type Ids = Pick<CampaignRow, "offer_id" | "gateway_id" | "hosted_page_id" | "webhook_profile_id">;

export async function findCampaignReferences(reader: Reader, tenant: number, ids: Ids): Promise<References> {
  const { offer_id, gateway_id, hosted_page_id, webhook_profile_id } = ids;
  const rows = await reader.query(FIND_REFERENCES, {
    tenant,
    offerId: offer_id,
    gatewayId: gateway_id,
    hostedPageId: hosted_page_id,
    webhookProfileId: webhook_profile_id,
  });
  return must(rows[0], "the tenant of an authenticated call");
}
