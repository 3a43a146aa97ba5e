/** The SQL of a dossier: the history of a mandate and its debits. */
import { sql, type Reader } from "../../db/database.ts";
import type { ChargebackRow, LeadRow, TransactionRow } from "../../db/rows.ts";

/** More than one debit a week for as long as debits can be disputed. */
export const DEBITS_MAX = 1_000;

/** The data in a dossier that is not in the mandate's own row. */
export interface AroundMandate extends Pick<LeadRow, "erased_at"> {
  readonly tenant_id: string;
  readonly tenant_name: string;
  /** The payment page on which it was accepted, if it is one of the tenant's. */
  readonly page_id: string | null;
}

export interface DebitRow extends Pick<
  TransactionRow,
  | "amount"
  | "created_at"
  | "currency"
  | "cycle"
  | "error_code"
  | "gateway_code"
  | "id"
  | "processed_at"
  | "sequence_type"
  | "status"
  | "subscription_id"
  | "type"
> {
  readonly reference: string;
  /** For a refund: the debit that it refunds. */
  readonly original_reference: string | null;
  /** When its file was sent to the bank; null if it went to a processor, or has not been sent. */
  readonly file_at: Date | null;
  readonly file_message_id: string | null;
  readonly due_date: string | null;
}

export type ReturnRow = Pick<
  ChargebackRow,
  "amount" | "currency" | "id" | "reason_code" | "report_date" | "withdrawn_on"
> & { readonly reference: string };

const AROUND = sql(
  "dossier.around",
  `select n.id as tenant_id, n.name as tenant_name, l.erased_at, s.hosted_page_id as page_id
     from mandates m
     join tenants n on n.tenant = :tenant
     join leads   l on l.tenant = :tenant and l.id = m.lead_id
     left join sessions s on s.tenant = :tenant and s.id = m.session_id
    where m.tenant = :tenant and m.id = :id`,
).gives<AroundMandate>();

export async function findAround(db: Reader, tenant: number, id: string): Promise<AroundMandate | null> {
  return (await db.query(AROUND, { tenant, id }))[0] ?? null;
}

/** Uses the customer's index: most of a customer's debits belong to the mandate. */
const DEBITS = sql(
  "dossier.debits",
  `select t.id, t.merchant_transaction_id as reference, t.type, t.status, t.amount, t.currency, t.sequence_type, t.subscription_id,
          t.cycle, t.created_at, t.processed_at, t.error_code, t.gateway_code,
          o.merchant_transaction_id as original_reference, f.sent_at as file_at, f.message_id as file_message_id, c.due_date
     from transactions t
     left join transactions o on o.tenant = :tenant and o.id = t.original_id
     left join sepa_collections c on c.tenant = :tenant and c.gateway_id = t.gateway_id and c.reference = t.merchant_transaction_id
     left join sepa_files f on f.tenant = :tenant and f.id = c.file_id and f.sent_at is not null
    where t.tenant = :tenant and t.lead_id = :leadId and t.mandate_id = :id
    order by t.created_at desc, t.id desc
    limit ${DEBITS_MAX}`,
).gives<DebitRow>();

/** Debits and refunds, newest first. */
export function debitsOf(
  db: Reader,
  tenant: number,
  mandate: { readonly id: string; readonly lead_id: string },
): Promise<readonly DebitRow[]> {
  return db.query(DEBITS, { tenant, id: mandate.id, leadId: mandate.lead_id });
}

const RETURNS = sql(
  "dossier.returns",
  `select b.id, b.merchant_transaction_id as reference, b.amount, b.currency, b.reason_code, b.report_date, b.withdrawn_on
     from chargebacks b
    where b.tenant = :tenant and b.transaction_id = any (:ids::uuid[])
    order by b.report_date, b.id`,
).gives<ReturnRow>();

/** Returns and chargebacks of debits. */
export function returnsOf(db: Reader, tenant: number, ids: readonly string[]): Promise<readonly ReturnRow[]> {
  return db.query(RETURNS, { tenant, ids });
}

const MADE = sql(
  "dossier.made",
  `select at, actor_name from audit_log
    where tenant = :tenant and resource = 'mandate-dossiers' and resource_id = :id and after ->> 'sha256' = :digest
    limit 1`,
).gives<{ at: Date; actor_name: string }>();

/** When a dossier was created and by whom, according to the audit log. */
export async function findMade(db: Reader, tenant: number, id: string, digest: string) {
  return (await db.query(MADE, { tenant, id, digest }))[0] ?? null;
}
