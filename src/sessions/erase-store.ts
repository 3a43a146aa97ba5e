/** The SQL that erases a customer's record, and the person from sessions and counts. */
import { sql, type Tx } from "../db/database.ts";
import type { LeadRow } from "../db/rows.ts";

const LOCK = sql(
  "erase.lock_lead",
  `select id, email, email_key, first_name, last_name, address, city, postal_code, phone, erased_at
     from leads
    where tenant = :tenant and id = :id
      for update`,
).gives<CustomerRow>();

export type CustomerRow = Pick<
  LeadRow,
  | "id"
  | "email"
  | "email_key"
  | "first_name"
  | "last_name"
  | "address"
  | "city"
  | "postal_code"
  | "phone"
  | "erased_at"
>;

/** Locks the lead: a new session of the same person waits, and then creates a new lead. */
export async function lockCustomer(tx: Tx, tenant: number, id: string): Promise<CustomerRow | null> {
  return (await tx.write(LOCK, { tenant, id }))[0] ?? null;
}

const ERASE_LEAD = sql(
  "erase.lead",
  `update leads
      set email = 'erased-' || id || '@erased.invalid', email_key = 'erased-' || id || '@erased.invalid',
          first_name = 'erased', last_name = 'erased', address = null, city = null, postal_code = null, phone = null,
          erased_at = :at, updated_at = :at
    where tenant = :tenant and id = :id`,
);

const ERASE_SESSIONS = sql(
  "erase.sessions",
  `update sessions
      set customer_ip = null, metadata = null,
          success_redirect_url = null, failure_redirect_url = null, cancel_redirect_url = null,
          tenant_reference_id = case when tenant_reference_id ~* :own then 'erased-' || id else tenant_reference_id end,
          product_name = case when product_name ~* :own then 'erased' else product_name end,
          product_description = case when product_description ~* :own then 'erased' else product_description end
    where tenant = :tenant and lead_id = :id`,
);

const FORGET_COUNTS = sql(
  "erase.counts",
  `delete from payment_counts
    where tenant = :tenant and (key = any (:keys::text[])
       or key in (select id::text from sessions where tenant = :tenant and lead_id = :id))`,
);

/**
 * Erases the lead and its counts.
 * @param counted keys of the person's counts: lead id, network addresses, account fingerprints.
 * @param own a pattern matching the person's names, addresses and accounts.
 */
export async function eraseLead(
  tx: Tx,
  tenant: number,
  id: string,
  { counted: keys, own }: { readonly counted: readonly string[]; readonly own: string },
  at: Date,
): Promise<void> {
  await tx.write(FORGET_COUNTS, { tenant, id, keys });
  await tx.write(ERASE_SESSIONS, { tenant, id, own });
  await tx.write(ERASE_LEAD, { tenant, id, at });
}
