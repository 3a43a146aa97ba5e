/** The SQL that finds a tenant's gateway, including archived ones, whose history can still be imported. */
import { sql, type Reader } from "../../db/database.ts";

const HAS = sql("imports.has_gateway", "select 1 as one from gateways where tenant = :tenant and id = :id");

export async function hasGateway(db: Reader, tenant: number, id: string): Promise<boolean> {
  return (await db.query(HAS, { tenant, id })).length === 1;
}
