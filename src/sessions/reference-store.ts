/** The SQL that keeps a tenant_reference_id to one session. */
import type { Database } from "../db/database.ts";
import { readsTogether } from "../db/together.ts";

const TAKEN = readsTogether(
  "sessions.reference_taken",
  { sessionId: "uuid", reference: "text" },
  `select exists (select from transactions t
                   where t.tenant = :tenant and t.tenant_reference_id = v.reference and t.session_id is distinct from v.sessionId)
       or exists (select from sessions s
                   where s.tenant = :tenant and s.tenant_reference_id = v.reference and s.id <> v.sessionId) as taken`,
).gives<{ taken: boolean }>();

/** Whether another session has reserved a reference, or a payment elsewhere has used it. */
export async function isReferenceTaken(
  db: Database,
  tenant: number,
  sessionId: string,
  reference: string,
): Promise<boolean> {
  return (await db.together(TAKEN, tenant, { sessionId, reference }))[0]?.taken === true;
}
