/** The debits about which the customer of a mandate was notified: when, by whom, with which text. */
import { sql, type Reader } from "../db/database.ts";
import type { MessageRow, NoticeRow } from "../db/rows.ts";
import type { Keyring } from "../lib/keyring.ts";
import { openRecipient } from "../messages/recipient.ts";
import { notifiedAt } from "../messages/notice-conditions.ts";

interface NoticeOfMandate extends Omit<
  NoticeRow,
  "tenant" | "mandate_id" | "creditor_name" | "event_id" | "lead_days"
> {
  readonly told_at: Date | null;
  readonly message_id: string | null;
  readonly message_state: MessageRow["state"] | null;
  readonly text_version: string | null;
  readonly recipient: Buffer | null;
}

/** As shown. */
export interface ShownNotice extends Omit<NoticeOfMandate, "recipient"> {
  readonly recipient: string | null;
}

/** The newest ones, unless a caller requests more. */
const NOTICES_SHOWN = 100;

const FIND = sql(
  "mandates.notices",
  `select x.id, x.subscription_id, x.due_date, x.collection_date, x.amount, x.currency, x.billing_frequency, x.mandate_reference,
          x.creditor_identifier, x.iban_last4, x.notice_days, x.told_by, x.created_at, ${notifiedAt(":tenant")} as told_at,
          y.id as message_id, y.state as message_state, y.text_version, y.recipient
     from notices x
     left join messages y on y.tenant = :tenant and y.notice_id = x.id
    where x.tenant = :tenant and x.mandate_id = :mandateId
    order by x.created_at desc, x.id desc
    limit :limit`,
).gives<NoticeOfMandate>();

/** Newest first. */
export async function noticesOf(
  { db, keys }: { readonly db: Reader; readonly keys: Keyring },
  tenant: number,
  mandateId: string,
  limit = NOTICES_SHOWN,
): Promise<readonly ShownNotice[]> {
  const rows = await db.query(FIND, { tenant, mandateId, limit });
  return rows.map((row) => ({
    ...row,
    recipient:
      row.message_id === null ? null : openRecipient({ keys }, tenant, row.message_id, row.recipient),
  }));
}
