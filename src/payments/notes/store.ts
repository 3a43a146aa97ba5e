/** The SQL of notes on payments. */
import { sql, type Tx } from "../../db/database.ts";
import type { PaymentNoteRow } from "../../db/rows.ts";
import { must } from "../../lib/assert.ts";

const LOCK = sql(
  "payment_notes.lock_payment",
  "select id from transactions where tenant = :tenant and id = :id for share",
).gives<{ id: string }>();

/** Locks the payment, after a concurrent erasure of its customer; returns false when it does not exist. */
export async function lockPayment(tx: Tx, tenant: number, id: string): Promise<boolean> {
  return (await tx.query(LOCK, { tenant, id })).length === 1;
}

const IS_ERASED = sql(
  "payment_notes.is_customer_erased",
  `-- An imported payment without a customer is found by its address; a refund of one has the address of what it gives back.
   select t.id from transactions t
     left join leads l on l.tenant = :tenant and l.id = t.lead_id
     left join transactions o on o.tenant = :tenant and o.id = t.original_id
    where t.tenant = :tenant and t.id = :id
      and (l.erased_at is not null or coalesce(t.customer_email_csv, o.customer_email_csv) = 'erased')`,
).gives<{ id: string }>();

/** Call it after locking the payment. */
export async function isCustomerErased(tx: Tx, tenant: number, id: string): Promise<boolean> {
  return (await tx.query(IS_ERASED, { tenant, id })).length === 1;
}

const INSERT = sql(
  "payment_notes.insert",
  `insert into payment_notes (tenant, id, transaction_id, text, actor, actor_name, created_at)
   values (:tenant, :id, :transaction_id, :text, :actor, :actor_name, :created_at)
       on conflict (tenant, id) do update set text = payment_notes.text
   returning text`,
).gives<Pick<PaymentNoteRow, "text">>();

/**
 * Inserts the note unless its id exists.
 * @returns the stored text, which differs if the id was used before.
 */
export async function insertNote(tx: Tx, note: PaymentNoteRow): Promise<string> {
  return must((await tx.write(INSERT, { ...note }))[0], "the note of this id").text;
}
