/** Whether the receivers of a session's completed event have acknowledged it. */
import { sql, type Reader } from "../db/database.ts";

/** The receivers of the fan-out: the session's own, otherwise all that subscribe to the event. */
const AWAITED = sql(
  "webhooks.completed_is_awaited",
  `select exists (
     select from events e
       join sessions s         on s.tenant = :tenant and s.id = e.session_id
       join webhook_profiles p on p.tenant = :tenant and p.active and p.archived_at is null
                              and e.type = any (p.events)
                              and p.id = coalesce(s.webhook_profile_id, p.id)
       left join webhook_deliveries d on d.tenant = :tenant and d.event_id = e.id and d.profile_id = p.id
      where e.tenant = :tenant and e.session_id = :sessionId and e.type = 'payment_session.completed'
        and coalesce(d.status, 'pending') in ('pending', 'failing')) as awaited`,
).gives<{ awaited: boolean }>();

/** Whether a receiver has yet to acknowledge that the session was paid. */
export async function isCompletionAwaited(db: Reader, tenant: number, sessionId: string): Promise<boolean> {
  return (await db.query(AWAITED, { tenant, sessionId }))[0]?.awaited === true;
}
