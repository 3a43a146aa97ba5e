/** The SQL that keeps a tenant_reference_id to one session. */
import { sql, type Reader } from "../db/database.ts";

const TAKEN = sql(
  "sessions.reference_taken",
  `select exists (select from transactions t
                   where t.tenant = :tenant and t.tenant_reference_id = :reference and t.session_id is distinct from :sessionId)
       or exists (select from sessions s
                   where s.tenant = :tenant and s.tenant_reference_id = :reference and s.id <> :sessionId) as taken`,
).gives<{ taken: boolean }>();

/** Whether another session has reserved a reference, or a payment elsewhere has used it. */
export async function isReferenceTaken(
  db: Reader,
  tenant: number,
  sessionId: string,
  reference: string,
): Promise<boolean> {
  return (await db.query(TAKEN, { tenant, sessionId, reference }))[0]?.taken === true;
}
