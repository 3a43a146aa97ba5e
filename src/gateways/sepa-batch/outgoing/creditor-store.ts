/** The SQL of mandates with a former creditor of their account, which are amended at their next use. */
import { creditorAmended, creditorKept } from "../../../mandates/writes.ts";
import { sql, type Tx } from "../../../db/database.ts";
import type { MandateRow } from "../../../db/rows.ts";
import { CREDITOR } from "../../records/creditor-store.ts";

const LOCK_OUTDATED = sql(
  "sepa_files.lock_outdated_mandates",
  `select m.id
     from mandates m
     join gateways g on g.tenant = :tenant and g.id = :gatewayId
    where m.tenant = :tenant and m.id = any (:mandateIds::uuid[])
      and m.creditor_identifier || ' ' || m.creditor_name = any (g.former_creditors)
      and (m.creditor_identifier, m.creditor_name)
          is distinct from (g.settings ->> 'creditor_identifier', g.settings ->> 'creditor_name')
    order by m.id
      for update of m`,
).gives<{ id: string }>();

/** A separate statement after the lock, so that it sees the amendments of the previous lock holder. */
const AMEND = sql(
  "sepa_files.amend_outdated_mandates",
  `with c as (
     select ${CREDITOR} as creditor
       from gateways g
       join tenants  n on n.tenant = :tenant
      where g.tenant = :tenant and g.id = :gatewayId
   ), kept as (${creditorKept()}
   )${creditorAmended({ from: "c" })}
   returning m.id, m.creditor_name, m.creditor_identifier`,
).gives<AmendedMandate>();

type AmendedMandate = Pick<MandateRow, "id" | "creditor_name" | "creditor_identifier">;

/**
 * Amends those mandates that name a former creditor of the account, and keeps the previous values to be reported to the
 * bank. A mandate that was amended or imported with another creditor stays unchanged.
 */
export async function amendOutdated(
  tx: Tx,
  tenant: number,
  gatewayId: string,
  mandateIds: readonly string[],
  now: Date,
): Promise<readonly AmendedMandate[]> {
  const outdated = await tx.query(LOCK_OUTDATED, { tenant, gatewayId, mandateIds });
  if (outdated.length === 0) return [];
  const ids = outdated.map(({ id }) => id);
  return tx.write(AMEND, { tenant, gatewayId, ids, now });
}
