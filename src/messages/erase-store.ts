/** The SQL that erases a person's address from messages. The fact that they were notified stays. */
import { sql, type Tx } from "../db/database.ts";

const OF_PERSON = `tenant = :tenant and (transaction_id = any (:transactions::uuid[])
        or notice_id in (select x.id from notices x where x.tenant = :tenant and x.subscription_id = any (:subscriptions::uuid[])))` as const;

const LOCK = sql(
  "erase.lock_messages",
  `select locked_until > statement_timestamp() as is_sent from messages where ${OF_PERSON} for update`,
).gives<{ is_sent: boolean | null }>();

const ERASE = sql(
  "erase.messages",
  `update messages
      set recipient = null, answer = null, due_at = null,
          state = case when state <> 'waiting' then state when handed_over_at is null then 'dropped' else 'unclear' end
    where ${OF_PERSON}`,
);

/**
 * Returns false, and erases nothing, while one of them is being sent. Waiting messages are no longer sent; what a
 * process handed over before it died may have arrived.
 */
export async function eraseMessages(
  tx: Tx,
  tenant: number,
  of: { readonly transactions: readonly string[]; readonly subscriptions: readonly string[] },
): Promise<boolean> {
  const { transactions, subscriptions } = of;
  // Claims skip locked rows.
  const rows = await tx.query(LOCK, { tenant, transactions, subscriptions });
  if (rows.some(({ is_sent }) => is_sent)) return false;
  await tx.write(ERASE, { tenant, transactions, subscriptions });
  return true;
}
