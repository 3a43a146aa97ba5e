/** The SQL of the facts of collections: a batch by their ids, with their results. */
import { sql, type Reader } from "../db/database.ts";

/** A position in the order of (tenant, id) that begins or ends a batch. */
interface Place {
  readonly tenant: number;
  readonly id: string;
}

export const FIRST: Place = { tenant: 0, id: "00000000-0000-0000-0000-000000000000" };

/** A recorded payment, with the state of its instruction if the gateway is a bank account. */
export interface CollectionRow {
  readonly tenant: number;
  readonly tenant_id: string;
  readonly id: string;
  readonly reference: string;
  readonly status: string;
  readonly source: string;
  readonly amount: string;
  readonly refunded: string;
  readonly refund_claimed: string;
  readonly currency: string;
  readonly is_at_bank: boolean;
  readonly bank_state: string | null;
  /** Whether a notice of the bank is not applied yet. */
  readonly is_on_its_way: boolean;
}

const COLLECTIONS = sql(
  "books.collections",
  `-- every tenant: the books are checked as a whole
   select t.tenant, n.id as tenant_id, t.id, t.merchant_transaction_id as reference, t.status, t.source, t.amount, t.refunded,
          t.refund_claimed, t.currency, g.adapter = 'sepa_batch' and t.source <> 'csv_import' as is_at_bank, c.state as bank_state,
          c.reference is not null and exists (
            select from sepa_news w where w.tenant = c.tenant and w.gateway_id = c.gateway_id and w.reference = c.reference
               and w.acknowledged_at is null) as is_on_its_way
     from transactions t
     join tenants  n on n.tenant = t.tenant
     join gateways g on g.tenant = t.tenant and g.id = t.gateway_id
     left join sepa_collections c
       on c.tenant = t.tenant and c.gateway_id = t.gateway_id and c.reference = t.merchant_transaction_id
    where (t.tenant, t.id) > (:tenant, :id::uuid) and t.type <> 'sdd_refund'
    order by t.tenant, t.id
    limit :limit`,
).gives<CollectionRow>();

export function readCollections(
  db: Reader,
  { tenant, id }: Place,
  limit: number,
): Promise<readonly CollectionRow[]> {
  return db.query(COLLECTIONS, { tenant, id, limit });
}

/** A refund of a payment. */
export interface RefundFactRow {
  readonly tenant: number;
  readonly of: string;
  readonly reference: string;
  readonly status: string;
  readonly amount: string;
  readonly bank_state: string | null;
  readonly is_on_its_way: boolean;
  /** When it was written into a file that may be at the bank; null if it was not. */
  readonly sent_at: Date | null;
  /**
   * Whether it is in a file that a person has downloaded and not marked yet: only they know whether the bank has it.
   */
  readonly is_carried: boolean;
}

const REFUNDS = sql(
  "books.refund_facts",
  `-- every tenant: the books are checked as a whole
   select t.tenant, t.original_id as of, t.merchant_transaction_id as reference, t.status, t.amount, c.state as bank_state,
          case when c.state = 'settled' or f.status in ('renaming', 'sent', 'unclear') then f.created_at end as sent_at,
          f.status is not distinct from 'ready' and exists (
            select from audit_log a
             where a.tenant = c.tenant and a.resource = 'sepa-files' and a.resource_id = f.id and a.action = 'export') as is_carried,
          c.reference is not null and exists (
            select from sepa_news w where w.tenant = c.tenant and w.gateway_id = c.gateway_id and w.reference = c.reference
               and w.acknowledged_at is null) as is_on_its_way
     from transactions t
     left join sepa_collections c
       on c.tenant = t.tenant and c.gateway_id = t.gateway_id and c.reference = t.merchant_transaction_id
     left join sepa_files f on f.tenant = c.tenant and f.id = c.file_id
    where (t.tenant, t.original_id) > (:afterTenant, :afterId::uuid) and (t.tenant, t.original_id) <= (:lastTenant, :lastId::uuid)
      and t.original_id is not null
    order by t.created_at, t.id`,
).gives<RefundFactRow>();

/** A chargeback of a payment, or its bank's news about it. */
export interface NewsFactRow {
  readonly tenant: number;
  readonly of: string;
  readonly kind: "settled" | "returned" | "charged_back" | "reinstated" | "fee";
  readonly amount: string | null;
  readonly bank_fee: string | null;
  readonly at: Date;
}

const NEWS = sql(
  "books.news_facts",
  `-- every tenant: the books are checked as a whole
   select t.tenant, t.id as of, w.kind, w.amount, w.bank_fee, w.acknowledged_at as at
     from transactions t
     join sepa_news w
       on w.tenant = t.tenant and w.gateway_id = t.gateway_id and w.reference = t.merchant_transaction_id
    where (t.tenant, t.id) > (:afterTenant, :afterId::uuid) and (t.tenant, t.id) <= (:lastTenant, :lastId::uuid) and t.type <> 'sdd_refund'
      and w.acknowledged_at is not null
    order by w.number`,
).gives<NewsFactRow>();

export interface ChargebackFactRow {
  readonly tenant: number;
  readonly of: string;
  readonly source: string;
  readonly amount: string;
  readonly currency: string;
  readonly bank_fee: string | null;
  readonly withdrawn: boolean;
  readonly at: Date;
}

const CHARGEBACKS = sql(
  "books.chargeback_facts",
  `-- every tenant: the books are checked as a whole
   select tenant, transaction_id as of, source, amount, currency, cb_bank_fee as bank_fee,
          withdrawn_on is not null as withdrawn,
          -- The one that stands is the last, whatever the clock of the instance that wrote it.
          coalesce(case when withdrawn_on is null then max(created_at) over (partition by tenant, transaction_id) end, created_at) as at
     from chargebacks
    where (tenant, transaction_id) > (:afterTenant, :afterId::uuid) and (tenant, transaction_id) <= (:lastTenant, :lastId::uuid)
      and transaction_id is not null
    order by withdrawn_on is null, created_at, id`,
).gives<ChargebackFactRow>();

export interface BatchFacts {
  readonly refunds: readonly RefundFactRow[];
  readonly news: readonly NewsFactRow[];
  readonly chargebacks: readonly ChargebackFactRow[];
}

/** The records of the payments between two positions, excluding the first. */
export async function readFacts(db: Reader, after: Place, upTo: Place): Promise<BatchFacts> {
  const values = { afterTenant: after.tenant, afterId: after.id, lastTenant: upTo.tenant, lastId: upTo.id };
  return {
    refunds: await db.query(REFUNDS, values),
    news: await db.query(NEWS, values),
    chargebacks: await db.query(CHARGEBACKS, values),
  };
}
