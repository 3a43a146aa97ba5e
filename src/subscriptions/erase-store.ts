/** The SQL that erases what a merchant has written of a person at its subscriptions. */
import { sql, type Tx } from "../db/database.ts";

const ERASE_REASONS = sql(
  "erase.cancel_reasons",
  `update subscriptions set cancel_reason = 'erased'
    where tenant = :tenant and lead_id = :leadId and cancel_reason is not null
      and cancel_reason not in ('chargeback', 'refund', 'mandate_cancelled', 'payment_failed')`,
);

export async function eraseCancelReasons(tx: Tx, tenant: number, leadId: string): Promise<void> {
  await tx.write(ERASE_REASONS, { tenant, leadId });
}
