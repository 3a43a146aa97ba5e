/** The SQL of imports: a batch of rows is one statement, and its results are counted in the same transaction. */
import { sql, type Database, type Reader, type Tx } from "../../db/database.ts";
import { listed } from "../../db/lists.ts";
import type { ImportRow } from "../../db/rows.ts";
import type { Window } from "../../lib/window.ts";
import type { ImportKind, ImportedTransaction } from "./rows.ts";
import { REJECTIONS_KEPT, type Rejection } from "../../files/import-rows.ts";

export interface Counts {
  readonly lines: number;
  readonly created: number;
  readonly duplicate: number;
  readonly linked: number;
  readonly rejected: number;
}

interface NewImport {
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
   values (:tenant, :id, :kind, :gatewayId, :fileName, :dryRun, 'running', :at, :at)`,
);

export async function insertImport(tx: Tx, made: NewImport, at: Date): Promise<void> {
  const { tenant, id, kind, gatewayId, fileName, dryRun } = made;
  await tx.write(INSERT, { tenant, id, kind, gatewayId, fileName, dryRun, at });
}

const LOCK = sql(
  "imports.lock",
  "select pg_advisory_xact_lock(hashtextextended('imports', :tenant)) -- a tenant = :tenant has its own number",
);

/**
 * Serialises a tenant's batches, so that a chargeback and its transaction, imported at the same time, see each other.
 */
export async function lockImports(tx: Tx, tenant: number): Promise<void> {
  await tx.query(LOCK, { tenant });
}

/** SQL that counts a batch and stores its rejected lines. */
const COUNT = sql(
  "imports.count",
  `update imports
      set lines = lines + :lines, created = created + :created, duplicate = duplicate + :duplicate, linked = linked + :linked,
          rejected = rejected + :rejected, updated_at = :at,
          rejections = case when jsonb_array_length(rejections) >= ${REJECTIONS_KEPT} then rejections
                            else rejections || :rejections::jsonb end
    where tenant = :tenant and id = :id`,
);

/** Adds the counts of a batch. */
export async function countBatch(
  tx: Tx,
  tenant: number,
  id: string,
  counts: Counts,
  rejections: readonly Rejection[],
  at: Date,
): Promise<void> {
  await tx.write(COUNT, { ...counts, tenant, id, rejections: JSON.stringify(rejections), at });
}

const FINISH = sql(
  "imports.finish",
  `update imports set status = :status, error = :error, file_sha256 = :sha256, updated_at = :at
    where tenant = :tenant and id = :id
   returning *`,
).gives<ImportRow>();

export async function finishImport(
  db: Database,
  tenant: number,
  id: string,
  end: { readonly error: string | null; readonly sha256: string | null },
  at: Date,
): Promise<ImportRow | null> {
  const status = end.error === null ? "done" : "failed";
  const rows = await db.commit(FINISH, { tenant, id, status, error: end.error, sha256: end.sha256, at });
  return rows[0] ?? null;
}

const TENANTS_WITH_ABANDONED = sql(
  "imports.tenants_with_abandoned",
  `-- every tenant: the first of a job's two steps finds who has work
   select distinct tenant from imports where status = 'running' and updated_at < :before limit :limit`,
).gives<{ tenant: number }>();

/** Tenants with an unfinished import without progress since `before`. */
export async function tenantsWithAbandoned(
  db: Reader,
  before: Date,
  limit: number,
): Promise<readonly number[]> {
  const rows = await db.query(TENANTS_WITH_ABANDONED, { before, limit });
  return rows.map(({ tenant }) => tenant);
}

const END_ABANDONED = sql(
  "imports.end_abandoned",
  `update imports set status = 'failed', error = :error, updated_at = :at
    where tenant = :tenant and status = 'running' and updated_at < :before
   returning id`,
).gives<{ id: string }>();

/** Ends the imports without progress since `before`; returns how many. One that is still running ends normally. */
export async function endAbandoned(
  db: Pick<Database, "commit">,
  tenant: number,
  { before, error, at }: { readonly before: Date; readonly error: string; readonly at: Date },
): Promise<number> {
  return (await db.commit(END_ABANDONED, { tenant, before, error, at })).length;
}

const FIND = sql(
  "imports.find",
  "select * from imports where tenant = :tenant and id = :id",
).gives<ImportRow>();

export async function findImport(db: Reader, tenant: number, id: string): Promise<ImportRow | null> {
  return (await db.query(FIND, { tenant, id }))[0] ?? null;
}

const LIST = listed("imports.list", "select * from imports where tenant = :tenant", [
  "created_at",
  "id",
]).gives<ImportRow>();

export function listImports(
  db: Reader,
  tenant: number,
  { towards, at, id, limit }: Window,
): Promise<readonly ImportRow[]> {
  return db.query(LIST[towards], { tenant, at, id, limit });
}

/**
 * Inserts only transactions that are not recorded yet: by the merchant's id, by the processor's, or because this
 * service sent the payment itself. A customer who is a lead is linked.
 */
const INSERT_TRANSACTIONS = sql(
  "imports.insert_transactions",
  `with given as (
     select * from jsonb_to_recordset(:rows::jsonb) as r (
       id uuid, adapter_unique_id text, merchant_transaction_id text, transaction_id text, status text, type text,
       amount numeric, currency text, date_processed timestamptz, iban_last4 text, iban_length integer, bic text,
       customer_email text, customer_name text, mandate_reference text, mandate_date timestamptz, email_key text
     )
   ), made as (
     insert into transactions
       (tenant, id, gateway_id, lead_id, merchant_transaction_id, adapter_unique_id, gateway_reference, status, type,
        source, sequence_type, amount, currency, processed_at, iban_last4, iban_length, bic, customer_email_csv,
        customer_name_csv, mandate_reference, mandate_date, created_at, updated_at)
     select :tenant, g.id, :gatewayId, l.id, g.merchant_transaction_id, g.adapter_unique_id, g.transaction_id, g.status, g.type,
            'csv_import', case when g.type = 'sdd_rebill' then 'RCUR' else 'FRST' end, g.amount, g.currency,
            g.date_processed, g.iban_last4, g.iban_length, g.bic, g.customer_email,
            g.customer_name, g.mandate_reference, g.mandate_date, :at, :at
       from given g
       left join leads l on l.tenant = :tenant and l.email_key = g.email_key
      where not exists (
        select 1 from transactions t
         where t.tenant = :tenant and t.gateway_id = :gatewayId and t.gateway_reference in (g.transaction_id, g.adapter_unique_id)
      )
         on conflict do nothing
     returning lead_id
   )
   select count(*)::integer as created, count(lead_id)::integer as linked from made`,
).gives<{ created: number; linked: number }>();

/** A row to be inserted, with an id. */
type NewTransaction = ImportedTransaction & { readonly id: string; readonly email_key: string | null };

export async function insertTransactions(
  tx: Tx,
  tenant: number,
  gatewayId: string,
  rows: readonly NewTransaction[],
  at: Date,
): Promise<{ readonly created: number; readonly linked: number }> {
  const values = { tenant, gatewayId, rows: JSON.stringify(rows), at };
  const counted = await tx.write(INSERT_TRANSACTIONS, values);
  return counted[0] ?? { created: 0, linked: 0 };
}

const HAS_GATEWAY = sql(
  "imports.has_gateway",
  "select 1 as one from gateways where tenant = :tenant and id = :id",
);

/** Whether the tenant has this gateway, even archived: its history can still be imported. */
export async function hasGateway(db: Reader, tenant: number, id: string): Promise<boolean> {
  return (await db.query(HAS_GATEWAY, { tenant, id })).length === 1;
}
