/** The SQL that erases a person from payments; amounts, states, dates and references stay. */
import { sql, type Tx } from "../db/database.ts";

const ERASE_TRANSACTIONS = sql(
  "erase.transactions",
  `update transactions
      set customer_ip = null, verification_url = null, verification_id = null,
          reason = case when reason is null then null else 'erased' end,
          error_message = case when error_message ~* :own then 'erased' else error_message end,
          gateway_message = case when gateway_message is null then null else 'erased' end,
          customer_email_csv = case when customer_email_csv is null then null else 'erased' end,
          customer_name_csv = case when customer_name_csv is null then null else 'erased' end,
          tenant_reference_id = case when tenant_reference_id ~* :own then 'erased-' || id else tenant_reference_id end,
          mandate_reference = case when mandate_reference ~* :own then 'erased' else mandate_reference end,
          iban_last4 = case when iban_last4 is null then null else 'XXXX' end, bic = null
    where tenant = :tenant and id = any (:ids::uuid[])`,
);

const ERASE_CHARGEBACKS = sql(
  "erase.chargebacks",
  `update chargebacks
      set iban_last4 = case when iban_last4 is null then null else 'XXXX' end, bic = null,
          email = case when email is null then null else 'erased' end,
          tenant_reference_id = case when tenant_reference_id ~* :own then 'erased' else tenant_reference_id end,
          original_reference = case when original_reference ~* :own then 'erased' else original_reference end,
          reason_message = case when reason_message ~* :own then 'erased' else reason_message end,
          report_message = case when report_message is null then null else 'erased' end,
          report_info = case when report_info is null then null else 'erased' end
    where tenant = :tenant and id = any (:ids::uuid[])`,
);

const ERASE_NOTES = sql(
  "erase.payment_notes",
  "update payment_notes set text = 'erased' where tenant = :tenant and transaction_id = any (:ids::uuid[])",
);

/**
 * Erases a person from payments.
 * @param own a pattern matching the person's names, addresses and accounts.
 */
export async function erasePayments(
  tx: Tx,
  tenant: number,
  transactions: readonly string[],
  chargebacks: readonly string[],
  own: string,
): Promise<void> {
  await tx.write(ERASE_TRANSACTIONS, { tenant, ids: transactions, own });
  await tx.write(ERASE_CHARGEBACKS, { tenant, ids: chargebacks, own });
  await tx.write(ERASE_NOTES, { tenant, ids: transactions });
}

const ERASE_REJECTIONS = sql(
  "erase.import_rejections",
  "update imports set rejections = :rejections::jsonb, file_name = :name, error = :error where tenant = :tenant and id = :id",
);

export async function eraseRejections(
  tx: Tx,
  tenant: number,
  id: string,
  said: { readonly name: string; readonly error: string | null; readonly rejections: unknown },
): Promise<void> {
  await tx.write(ERASE_REJECTIONS, { tenant, id, ...said, rejections: JSON.stringify(said.rejections) });
}

const ERASE_SET_ASIDE = sql(
  "erase.set_aside",
  "update gateway_news_set_aside set why = 'erased' where tenant = :tenant and reference = any (:references::text[])",
);

export async function eraseSetAside(tx: Tx, tenant: number, references: readonly string[]): Promise<void> {
  await tx.write(ERASE_SET_ASIDE, { tenant, references });
}
