/** The SQL of a campaign's references. */
import { sql, type Reader } from "../../db/database.ts";
import type { CampaignRow } from "../../db/rows.ts";
import { must } from "../../lib/assert.ts";

/** What a campaign would point at; an archived or foreign record is not usable. */
export interface References {
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
     left join offers           o on o.tenant = $1 and o.id = $2
     left join gateways         g on g.tenant = $1 and g.id = $3
     left join hosted_pages     p on p.tenant = $1 and p.id = $4
     left join webhook_profiles w on w.tenant = $1 and w.id = $5
    where n.tenant = $1`,
);

type Ids = Pick<CampaignRow, "offer_id" | "gateway_id" | "hosted_page_id" | "webhook_profile_id">;

export async function findReferences(reader: Reader, tenant: number, ids: Ids): Promise<References> {
  const { offer_id, gateway_id, hosted_page_id, webhook_profile_id } = ids;
  const rows = await reader.query<References>(FIND_REFERENCES, [
    tenant,
    offer_id,
    gateway_id,
    hosted_page_id,
    webhook_profile_id,
  ]);
  return must(rows[0], "the tenant of an authenticated call");
}
