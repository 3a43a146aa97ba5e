/** The SQL that keeps a tenant_reference_id to one session, and moves it on to the session's next attempt. */
import { sql, type Database } from "../db/database.ts";
import { readsTogether } from "../db/together.ts";

const TAKEN = readsTogether(
  "payments.reference_taken",
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
