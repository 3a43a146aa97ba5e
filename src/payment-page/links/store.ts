/** The SQL of a payment link's page: the link, its product and its merchant, in one statement. */
import { sql, type Reader } from "../../db/database.ts";
import { linkTerms, type LinkTerms } from "../../sessions/links/store.ts";
import type { BillingFrequency } from "../../subscriptions/billing-terms.ts";
import { PAGE_SETTINGS, type PageSettings } from "../store.ts";

export interface LinkRow extends LinkTerms {
  readonly merchant_name: string;
  /** The merchant's country. */
  readonly country: string | null;
  readonly default_locale: string | null;
  readonly test_mode: boolean;
  /** The price of the campaign's offer; null without a campaign. */
  readonly price: string | null;
  readonly currency: string | null;
  readonly billing_frequency: BillingFrequency | null;
  readonly page: PageSettings | null;
}

const FIND = sql(
  "payment_links.find_for_page",
  `select ${linkTerms(":now::timestamptz")},
          n.name as merchant_name, n.country, n.default_locale, coalesce(g.test_mode, false) as test_mode,
          o.price, o.currency, o.billing_frequency,
          case when p.id is not null then ${PAGE_SETTINGS} end as page
     from payment_links k
     join tenants n on n.tenant = :tenant
     left join campaigns    c on c.tenant = :tenant and c.id = k.campaign_id
     left join offers       o on o.tenant = :tenant and o.id = c.offer_id
     left join gateways     g on g.tenant = :tenant and g.id = coalesce(k.gateway_id, c.gateway_id)
     left join hosted_pages p on p.tenant = :tenant and p.id = coalesce(k.hosted_page_id, c.hosted_page_id)
    where k.tenant = :tenant and k.id = :id`,
).gives<LinkRow>();

export async function findPaymentLink(
  db: Reader,
  tenant: number,
  id: string,
  now: Date,
): Promise<LinkRow | null> {
  return (await db.query(FIND, { tenant, id, now }))[0] ?? null;
}
