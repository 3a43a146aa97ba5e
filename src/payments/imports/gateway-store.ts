/** The SQL that knows whether a gateway is the tenant's, archived ones too: their past can still be imported. */
import { sql, type Reader } from "../../db/database.ts";

const HAS = sql("imports.has_gateway", "select 1 as one from gateways where tenant = :tenant and id = :id");

export async function hasGateway(db: Reader, tenant: number, id: string): Promise<boolean> {
  return (await db.query(HAS, { tenant, id })).length === 1;
}
