/** The SQL of imports: a batch of rows is one statement, and what has become of it is counted in the same transaction. */
import { sql, type Database, type Reader, type Tx } from "../../db/database.ts";
import type { ImportRow } from "../../db/rows.ts";
import type { Window } from "../../http/paging.ts";
import { AROUND_TRANSACTION, TRANSACTION_COLUMNS } from "../store.ts";
import type { StoredTransaction } from "../transaction.ts";
import type { ChargebackRow, ImportKind, TransactionRow } from "./rows.ts";

export interface Rejection {
  readonly line: number;
  readonly reasons: readonly string[];
}

export interface Counts {
  readonly lines: number;
  readonly created: number;
  readonly duplicate: number;
  readonly linked: number;
  readonly rejected: number;
}

export interface NewImport {
  readonly tenant: number;
  readonly id: string;
  readonly kind: ImportKind;
  readonly gatewayId: string;
  readonly fileName: string;
  readonly dryRun: boolean;
}

const INSERT = sql(
  "imports.insert",
  `insert into imports (tenant, id, kind, gateway_id, file_name, dry_run, status, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, 'running', $7, $7)`,
);

export async function insertImport(tx: Tx, made: NewImport, at: Date): Promise<void> {
  const { tenant, id, kind, gatewayId, fileName, dryRun } = made;
  await tx.write(INSERT, [tenant, id, kind, gatewayId, fileName, dryRun, at]);
}

/** What a report keeps of the lines that were not taken. */
export const REJECTIONS_KEPT = 1_000;

const COUNT = sql(
  "imports.count",
  `update imports
      set lines = lines + $3, created = created + $4, duplicate = duplicate + $5, linked = linked + $6,
          rejected = rejected + $7, updated_at = $9,
          rejections = case when jsonb_array_length(rejections) >= ${REJECTIONS_KEPT} then rejections
                            else rejections || $8::jsonb end
    where tenant = $1 and id = $2`,
);

/** Adds what a batch has brought. */
export async function countBatch(
  tx: Tx,
  tenant: number,
  id: string,
  { lines, created, duplicate, linked, rejected }: Counts,
  rejections: readonly Rejection[],
  at: Date,
): Promise<void> {
  const values = [lines, created, duplicate, linked, rejected, JSON.stringify(rejections), at];
  await tx.write(COUNT, [tenant, id, ...values]);
}

const FINISH = sql(
  "imports.finish",
  `update imports set status = $3, error = $4, file_sha256 = $5, updated_at = $6
    where tenant = $1 and id = $2
   returning *`,
);

export async function finishImport(
  db: Database,
  tenant: number,
  id: string,
  end: { readonly error: string | null; readonly sha256: string | null },
  at: Date,
): Promise<ImportRow | null> {
  const status = end.error === null ? "done" : "failed";
  const rows = await db.commit<ImportRow>(FINISH, [tenant, id, status, end.error, end.sha256, at]);
  return rows[0] ?? null;
}

const FIND = sql("imports.find", "select * from imports where tenant = $1 and id = $2");

export async function findImport(db: Reader, tenant: number, id: string): Promise<ImportRow | null> {
  return (await db.query<ImportRow>(FIND, [tenant, id]))[0] ?? null;
}

const LIST = {
  older: sql(
    "imports.list_older",
    `select * from imports where tenant = $1 and (created_at, id) < ($2, $3::uuid)
      order by created_at desc, id desc limit $4`,
  ),
  newer: sql(
    "imports.list_newer",
    `select * from imports where tenant = $1 and (created_at, id) > ($2, $3::uuid)
      order by created_at, id limit $4`,
  ),
};

export function listImports(
  db: Reader,
  tenant: number,
  { towards, at, id, limit }: Window,
): Promise<readonly ImportRow[]> {
  return db.query<ImportRow>(LIST[towards], [tenant, at, id, limit]);
}

/**
 * Only what no record of ours stands for yet: by the merchant's id, by the processor's, or because it is a payment that
 * this service has sent itself. A customer that is a lead is linked.
 */
const INSERT_TRANSACTIONS = sql(
  "imports.insert_transactions",
  `with given as (
     select * from jsonb_to_recordset($3::jsonb) as r (
       id uuid, adapter_unique_id text, merchant_transaction_id text, transaction_id text, status text, type text,
       amount numeric, currency text, date_processed timestamptz, iban_last4 text, iban_length integer, bic text,
       customer_email text, customer_name text, mandate_reference text, mandate_date timestamptz, email_key text
     )
   ), made as (
     insert into transactions
       (tenant, id, gateway_id, lead_id, merchant_transaction_id, adapter_unique_id, gateway_reference, status, type,
        source, sequence_type, amount, currency, processed_at, iban_last4, iban_length, bic, customer_email_csv,
        customer_name_csv, mandate_reference, mandate_date, created_at, updated_at)
     select $1, g.id, $2, l.id, g.merchant_transaction_id, g.adapter_unique_id, g.transaction_id, g.status, g.type,
            'csv_import', case when g.type = 'sdd_rebill' then 'RCUR' else 'FRST' end, g.amount, g.currency,
            g.date_processed, g.iban_last4, g.iban_length, g.bic, g.customer_email,
            g.customer_name, g.mandate_reference, g.mandate_date, $4, $4
       from given g
       left join leads l on l.tenant = $1 and l.email_key = g.email_key
      where not exists (
        select 1 from transactions t
         where t.tenant = $1 and t.gateway_id = $2 and t.gateway_reference in (g.transaction_id, g.adapter_unique_id)
      )
         on conflict do nothing
     returning lead_id
   )
   select count(*)::integer as created, count(lead_id)::integer as linked from made`,
);

/** A row to be written, under an id of ours. */
export type NewTransaction = TransactionRow & { readonly id: string; readonly email_key: string | null };

export async function insertTransactions(
  tx: Tx,
  tenant: number,
  gatewayId: string,
  rows: readonly NewTransaction[],
  at: Date,
): Promise<{ readonly created: number; readonly linked: number }> {
  const values = [tenant, gatewayId, JSON.stringify(rows), at];
  const counted = await tx.write<{ created: number; linked: number }>(INSERT_TRANSACTIONS, values);
  return counted[0] ?? { created: 0, linked: 0 };
}

/**
 * In the order of decision M6: the gateway's id, our own, the end-to-end id, which is our own too. An index each: the
 * planner finds none for all at once, and cannot see that an array is not empty, from which "is not null" would follow.
 */
const LOCK_ORIGINAL = sql(
  "imports.lock_original",
  `select ${TRANSACTION_COLUMNS}
     from transactions t
     ${AROUND_TRANSACTION}
    where t.tenant = $1 and t.type <> 'sdd_refund'
      and t.id in (
        select id from transactions
         where tenant = $1 and gateway_id = $2 and gateway_reference = any ($3::text[]) and gateway_reference is not null
         union all
        select id from transactions
         where tenant = $1 and gateway_id = $2 and adapter_unique_id = any ($3::text[]) and adapter_unique_id is not null
         union all
        select id from transactions where tenant = $1 and merchant_transaction_id = any ($4::text[])
      )
    order by (t.gateway_id = $2 and (t.gateway_reference = any ($3::text[]) or t.adapter_unique_id = any ($3::text[]))) desc,
             array_position($4::text[], t.merchant_transaction_id)
    limit 1
      for update of t`,
);

/** The transaction that a chargeback is about, locked until the transaction ends; null when it is not known here. */
export async function lockOriginal(
  tx: Tx,
  tenant: number,
  gatewayId: string,
  row: ChargebackRow,
): Promise<StoredTransaction | null> {
  const present = (ids: readonly (string | null)[]) => ids.filter((id) => id !== null);
  const theirs = present([row.transaction_id]);
  const ours = present([row.merchant_transaction_id, row.end_to_end_id]);
  const rows = await tx.query<StoredTransaction>(LOCK_ORIGINAL, [tenant, gatewayId, theirs, ours]);
  return rows[0] ?? null;
}

const INSERT_UNLINKED = sql(
  "imports.insert_unlinked_chargeback",
  `insert into chargebacks
     (tenant, id, gateway_id, merchant_transaction_id, adapter_unique_id, amount, currency, report_date,
      transaction_date, reason_code, reason_message, report_type, report_message, report_info, arn,
      iban_last4, iban_length, bic, email, country, cb_bank_fee, source, created_at, updated_at)
   select $1, $2, $3, $4, r.adapter_unique_id, r.amount, r.currency, r.report_date,
          r.transaction_date, r.reason_code, r.reason_message, r.report_type, r.report_message, r.report_info, r.arn,
          r.iban_last4, r.iban_length, r.bic, r.email, r.country, r.cb_bank_fee, 'csv_import', $6, $6
     from jsonb_to_record($5::jsonb) as r (
       adapter_unique_id text, amount numeric, currency text, report_date timestamptz, transaction_date timestamptz,
       reason_code text, reason_message text, report_type text, report_message text, report_info text, arn text,
       iban_last4 text, iban_length integer, bic text, email text, country text, cb_bank_fee numeric
     )
       on conflict (tenant, merchant_transaction_id) do nothing
   returning id`,
);

/** Writes a chargeback whose transaction is not known here; false when it is there already. */
export async function insertUnlinked(
  tx: Tx,
  tenant: number,
  gatewayId: string,
  made: { readonly id: string; readonly merchantTransactionId: string; readonly row: ChargebackRow },
  at: Date,
): Promise<boolean> {
  const values = [tenant, made.id, gatewayId, made.merchantTransactionId, JSON.stringify(made.row), at];
  return (await tx.write(INSERT_UNLINKED, values)).length === 1;
}

const COMPLETE_LINKED = sql(
  "imports.complete_linked_chargeback",
  `update chargebacks
      set adapter_unique_id = coalesce($3, adapter_unique_id), report_type = $4, report_message = $5, report_info = $6,
          arn = $7
    where tenant = $1 and id = $2`,
);

/** What only a processor's file tells of a chargeback. */
export async function completeLinked(tx: Tx, tenant: number, id: string, row: ChargebackRow): Promise<void> {
  const { adapter_unique_id, report_type, report_message, report_info, arn } = row;
  const values = [adapter_unique_id, report_type, report_message, report_info, arn];
  await tx.write(COMPLETE_LINKED, [tenant, id, ...values]);
}
