/** The SQL that erases a person from subscriptions and their notices. */
import { sql, type Tx } from "../db/database.ts";

const ERASE_REASONS = sql(
  "erase.cancel_reasons",
  `update subscriptions set cancel_reason = 'erased'
    where tenant = :tenant and lead_id = :leadId
      and cancel_reason not in ('chargeback', 'refund', 'mandate_cancelled', 'payment_failed')`,
);

export async function eraseCancelReasons(tx: Tx, tenant: number, leadId: string): Promise<void> {
  await tx.write(ERASE_REASONS, { tenant, leadId });
}

const ERASE_NOTICES = sql(
  "erase.notices",
  `update notices x
      set iban_last4 = 'XXXX',
          mandate_reference = case when x.mandate_reference ~* :own then 'ERASED-' || left(replace(x.mandate_id::text, '-', ''), 28) else x.mandate_reference end
    where x.tenant = :tenant and x.subscription_id = any (:subscriptions::uuid[])`,
);

/**
 * Erases the person from notices.
 * @param own a pattern matching the person's names, addresses and accounts.
 */
export async function eraseNotices(
  tx: Tx,
  tenant: number,
  subscriptions: readonly string[],
  own: string,
): Promise<void> {
  await tx.write(ERASE_NOTICES, { tenant, subscriptions, own });
}
