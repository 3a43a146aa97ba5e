/** The SQL that erases a person from events and from receivers' responses. */
import { sql, type Tx } from "../db/database.ts";

/** The service must not change events; a function of their owner does. */
const ERASE_EVENT = sql("erase.event", "select erase_event(:tenant, :id, :payload::jsonb) as erased");

export async function eraseEvent(tx: Tx, tenant: number, id: string, payload: unknown): Promise<void> {
  await tx.write(ERASE_EVENT, { tenant, id, payload: JSON.stringify(payload) });
}

const ERASE_ANSWERS = sql(
  "erase.webhook_answers",
  `update webhook_attempts a set response_body = null, error = case when a.error is null then null else 'erased' end
     from webhook_deliveries d
    where a.tenant = :tenant and d.tenant = :tenant and d.id = a.delivery_id and d.event_id = any (:events::uuid[])`,
);

const ERASE_ERRORS = sql(
  "erase.webhook_errors",
  `update webhook_deliveries set error = 'erased'
    where tenant = :tenant and event_id = any (:events::uuid[]) and error is not null`,
);

export async function eraseReceiverAnswers(tx: Tx, tenant: number, events: readonly string[]): Promise<void> {
  await tx.write(ERASE_ANSWERS, { tenant, events });
  await tx.write(ERASE_ERRORS, { tenant, events });
}

const HOLD_RECEIVERS = sql(
  "erase.lock_receivers",
  `update webhook_receivers r
      set next_at = r.next_at
    where r.tenant = :tenant
      and r.profile_id in (select d.profile_id from webhook_deliveries d
                            where d.tenant = :tenant and d.event_id = any (:events::uuid[]))`,
);

/**
 * Prevents claims of these deliveries in the meantime, even by a statement that has read the events before: a claim
 * compares the receiver's row.
 */
export async function lockReceivers(tx: Tx, tenant: number, events: readonly string[]): Promise<void> {
  await tx.write(HOLD_RECEIVERS, { tenant, events });
}

const BEING_SENT = sql(
  "erase.being_sent",
  `select exists (select from webhook_deliveries d
                   where d.tenant = :tenant and d.event_id = any (:events::uuid[])
                     and d.locked_until > statement_timestamp()) as sent`,
).gives<{ sent: boolean }>();

export async function isBeingSent(tx: Tx, tenant: number, events: readonly string[]): Promise<boolean> {
  return (await tx.query(BEING_SENT, { tenant, events }))[0]?.sent ?? false;
}
