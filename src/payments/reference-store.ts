/** The SQL by which a session's reference moves on to its next attempt. */
import { sql, type Database } from "../db/database.ts";

const RELEASE = sql(
  "payments.release_reference",
  `update transactions t set tenant_reference_id = null, updated_at = :now
     from sessions s
    where s.tenant = :tenant and s.id = :sessionId and t.tenant = :tenant and t.session_id = s.id
      and t.status = 'declined' and t.tenant_reference_id = s.tenant_reference_id
   returning t.id`,
);

/** A declined attempt gives up the reference that its session reserved. Returns whether one did. */
export async function releaseReference(
  db: Database,
  tenant: number,
  sessionId: string,
  now: Date,
): Promise<boolean> {
  return (await db.commit(RELEASE, { tenant, sessionId, now })).length > 0;
}
