/** The SQL of what pages need besides their lists. */
import { sql, type Reader } from "../../db/database.ts";
import type { Named } from "../design/filters.ts";

const LIST_GATEWAYS = sql(
  "console.list_gateways",
  "select id, name from gateways where tenant = :tenant order by name, id limit 200",
).gives<Named>();

/** The tenant's gateways by name, archived ones included: old payments went through them. */
export function listGateways(db: Reader, tenant: number): Promise<readonly Named[]> {
  return db.query(LIST_GATEWAYS, { tenant });
}

const LIST_CAMPAIGNS = sql(
  "console.list_campaigns",
  "select id, name from campaigns where tenant = :tenant order by name, id limit 200",
).gives<Named>();

/** The tenant's campaigns by name, archived ones included. */
export function listCampaigns(db: Reader, tenant: number): Promise<readonly Named[]> {
  return db.query(LIST_CAMPAIGNS, { tenant });
}
