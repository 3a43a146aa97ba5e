/**
 * The outbox of e-mail to customers: fragments of statements that write a message together with its fact. The file is
 * below its folder in the arrow (scripts/house.ts) and imports nothing, so that every folder with such a fact can use
 * them.
 */

/** The kinds of messages to customers. */
export const MESSAGE_KINDS = [
  "mandate_copy",
  "pre_notification",
  "receipt",
  "payment_failed",
  "payment_returned",
] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];

/**
 * SQL for the `with` branch `resultText`, and another one, that inserts the messages named in `messages` of the `events`, if the
 * tenant sends messages of that kind. Parameters as for `insertEvents`.
 */
export function insertMessages<Events extends string, Now extends string>({
  from,
  events,
  now,
}: {
  from: string;
  events: Events;
  now: Now;
}) {
  return `
     select gen_random_uuid() as id, k.kind, t.id as transaction_id, ${now} as created_at
       from ${from} t
      cross join jsonb_to_recordset(${events}::jsonb) as e (messages text[])
      cross join unnest(e.messages) as k (kind)
       join tenants n on n.tenant = :tenant and k.kind = any (n.messages)
   ), messages_written as (
     insert into messages (tenant, id, kind, transaction_id, created_at)
     select :tenant, id, kind, transaction_id, created_at from new_messages` as const;
}

/**
 * SQL for a `with` branch: the message of a notice, if its tenant sends such messages.
 * @param from the branch with the notice's `id`.
 */
export function insertNoticeMessage({ from }: { from: string }) {
  return `
     insert into messages (tenant, id, kind, notice_id, created_at)
     select :tenant, :messageId, 'pre_notification', t.id, :now
       from ${from} t
       join tenants n on n.tenant = :tenant and 'pre_notification' = any (n.messages)` as const;
}
