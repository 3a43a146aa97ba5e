/** The SQL that erases the debtor from mandates; reference, dates and creditor stay. */
import { sql, type Tx } from "../db/database.ts";

const ERASE_MANDATE = sql(
  "erase.mandate",
  `update mandates
      set holder_name = 'erased', iban_sealed = :sealed, iban_fingerprint = :fingerprint, iban_last4 = 'XXXX',
          bic = null, bank_name = null, wallet_presentation = null, account_blocked_at = null, accepted_ip = null, accepted_user_agent = null,
          reference = case when reference ~* :own then 'ERASED-' || left(replace(id::text, '-', ''), 28) else reference end,
          status = case when status = 'active' then 'cancelled' else status end,
          cancelled_by = case when status = 'active' then 'creditor' else cancelled_by end,
          cancelled_at = case when status = 'active' then :at else cancelled_at end,
          status_reason = case when status_reason is null or status_reason ~ '^[A-Z0-9]{4}$' then status_reason else 'erased' end,
          updated_at = :at
    where tenant = :tenant and id = :id`,
);

const ERASE_AMENDMENTS = sql(
  "erase.amendments",
  `update mandate_amendments
      set original_reference = case when original_reference ~* :own then 'ERASED-' || left(replace(mandate_id::text, '-', ''), 24) || '-' || number else original_reference end,
          original_holder_name = case when original_holder_name is null then null else 'erased' end,
          original_iban_sealed = null, accepted_ip = null,
          original_iban_last4 = case when original_iban_last4 is null then null else 'XXXX' end
    where tenant = :tenant and mandate_id = :id`,
);

/**
 * Erases the debtor.
 * @param put replaces the account: a sealed empty text and a random fingerprint; `own`: a pattern matching what
 * identifies the person.
 */
export async function eraseMandate(
  tx: Tx,
  tenant: number,
  id: string,
  put: { readonly sealed: Buffer; readonly fingerprint: Buffer; readonly own: string },
  at: Date,
): Promise<void> {
  await tx.write(ERASE_MANDATE, { tenant, id, at, ...put });
  await tx.write(ERASE_AMENDMENTS, { tenant, id, own: put.own });
}
