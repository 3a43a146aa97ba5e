/** The SQL of what pages need besides their lists. */
import { sql, type Reader } from "../../db/database.ts";

const LIST_GATEWAYS = sql(
  "console.list_gateways",
  "select id, name from gateways where tenant = :tenant order by name, id limit 200",
).gives<{ id: string; name: string }>();

/** The tenant's gateways by name, archived ones included: old payments went through them. */
export function listGateways(
  db: Reader,
  tenant: number,
): Promise<readonly { readonly id: string; readonly name: string }[]> {
  return db.query(LIST_GATEWAYS, { tenant });
}
