/** The SQL of additional data for pages. */
import { sql, type Reader } from "../../db/database.ts";
import type { GatewayAccountRow } from "../../gateways/calling.ts";
import type { Named } from "../design/filters.ts";

const LIST_GATEWAYS = sql(
  "console.list_gateways",
  "select id, name from gateways where tenant = :tenant order by name, id limit 200",
).gives<Named>();

/** The tenant's gateways by name, including archived ones: old payments used them. */
export function listGateways(db: Reader, tenant: number): Promise<readonly Named[]> {
  return db.query(LIST_GATEWAYS, { tenant });
}

const LIST_CAMPAIGNS = sql(
  "console.list_campaigns",
  "select id, name from campaigns where tenant = :tenant order by name, id limit 200",
).gives<Named>();

/** The tenant's campaigns by name, including archived ones. */
export function listCampaigns(db: Reader, tenant: number): Promise<readonly Named[]> {
  return db.query(LIST_CAMPAIGNS, { tenant });
}

interface PendingAt extends GatewayAccountRow {
  readonly reference: string;
}

const PENDING_AT = sql(
  "console.pending_at",
  `select t.merchant_transaction_id as reference, g.id as gateway_id, g.adapter, g.settings, g.credentials
     from transactions t
     join gateways g on g.tenant = :tenant and g.id = t.gateway_id
    where t.tenant = :tenant and t.id = :id and t.status = 'pending' and t.type <> 'sdd_refund'`,
).gives<PendingAt>();

/** The gateway of a pending payment; null for a refund and for other payments. */
export async function findPendingAt(db: Reader, tenant: number, id: string): Promise<PendingAt | null> {
  return (await db.query(PENDING_AT, { tenant, id }))[0] ?? null;
}
