/** The SQL of refunds: the claim, the outcome, and finding those that are due are one statement each. */
import { sql, type Database, type Reader, type Tx } from "../../db/database.ts";
import { listed } from "../../db/lists.ts";
import { currentTraceparent } from "../../lib/trace.ts";
import type { Window } from "../../lib/window.ts";
import type { NewEvent } from "../../webhooks/events.ts";
import { insertEvents } from "../../webhooks/outbox.ts";
import type { GatewayAccountRow } from "../../gateways/calling.ts";
import { endValues, type AttemptEnd } from "../attempt/end.ts";
import { attemptEnds, attemptOpens, claimDue } from "../attempt/store.ts";
import { originalColumns, type OriginalRecord } from "../records.ts";
import { revenueAfterRefund, retriesEnd } from "../../subscriptions/writes.ts";
import { TRANSACTION_JOINS, lockOrder, TRANSACTION_COLUMNS } from "../store.ts";
import type { StoredTransaction } from "../transaction.ts";

/** A refund with the record of the transaction that it refunds, and the gateway account it goes to. */
export interface RefundRow extends StoredTransaction, OriginalRecord {
  readonly reason: string | null;
  readonly refund_way: "reversal" | null;
  /** Until when it was or is held; null: it was not held. */
  readonly held_until: Date | null;
  /** When a held refund was released; null: it was not. */
  readonly released_at: Date | null;
  readonly resolve_count: number;
  /** The number of the claim that may record the refund's outcome. */
  readonly lease_no: string;
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly gateway_code: string | null;
  readonly gateway_message: string | null;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly credentials: Buffer | null;
}

/** t refund, p the transaction that it refunds: both have the same mandate. */
export const REFUND_COLUMNS = `${TRANSACTION_COLUMNS},
          t.reason, t.refund_way, t.held_until, t.released_at, t.resolve_count, t.lease_no, t.error_code, t.error_message, t.gateway_code, t.gateway_message,
          g.settings, g.credentials, ${originalColumns("p")}` as const;

export const REFUND_JOINS = `
     join transactions  p on p.tenant = :tenant and p.id = t.original_id
     ${TRANSACTION_JOINS}` as const;

export interface RefundClaim {
  readonly tenant: number;
  readonly originalId: string;
  readonly now: Date;
  readonly refundId: string;
  /** With two decimals; null for the remaining amount. */
  readonly amount: string | null;
  readonly reason: string | null;
  readonly way: "reversal" | null;
  readonly merchantTransactionId: string;
  readonly resolveAt: Date;
  /** The adapters that can refund. */
  readonly adapters: readonly string[];
}

/** Locks the original's row first, so that concurrent refunds each see what the others have left. */
const CLAIM = sql(
  "refunds.claim",
  `with lead as (
     -- An erasure that has begun is waited for, and then seen in the locked row. It locks in this order as well.
     -- A branch of its own: Citus mistakes the rows of a locked join for another format.
     select erased_at from leads
      where tenant = :tenant and id = (select lead_id from transactions where tenant = :tenant and id = :originalId)
        for key share
   ), original as (
     select t.id, coalesce(:amount::numeric, t.amount - t.refund_claimed) as wanted,
            coalesce(t.processed_at, t.created_at) + nullif(n.refund_hold_days, 0) * interval '1 day' as may_return_until
       from transactions t
       join tenants  n on n.tenant = :tenant
       join gateways g on g.tenant = :tenant and g.id = t.gateway_id and g.adapter = any (:adapters)
      where t.tenant = :tenant and t.id = :originalId and t.status = 'approved' and t.type <> 'sdd_refund'
        and not exists (select 1 from chargebacks c
                         where c.tenant = :tenant and c.merchant_transaction_id = t.merchant_transaction_id
                           and c.withdrawn_on is null)
        and not exists (select from lead where lead.erased_at is not null)
        for no key update of t
   ), p as (
     update transactions
        set refund_claimed = transactions.refund_claimed + original.wanted, updated_at = :now
       from original
      where transactions.tenant = :tenant and transactions.id = original.id
        and original.wanted > 0 and transactions.refund_claimed + original.wanted <= transactions.amount
     returning transactions.*, original.wanted,
               case when original.may_return_until > :now then original.may_return_until end as hold_until
   ), t as (
     ${attemptOpens({
       by: ":",
       columns: `id, original_id, reason, order_id, subscription_id, lead_id, mandate_id, gateway_id,
        type, source, sequence_type, amount, currency, held_until, refund_way`,
       values: `:refundId, p.id, :reason, p.order_id, p.subscription_id, p.lead_id, p.mandate_id, p.gateway_id,
            'sdd_refund', 'admin_refund', p.sequence_type, p.wanted, p.currency, p.hold_until, :way`,
       from: "from p",
       resolveAt: "coalesce(p.hold_until, :resolveAt)",
     })}
   )
   select ${REFUND_COLUMNS}
     from t
     join p on true
     ${TRANSACTION_JOINS}`,
).gives<RefundRow>();

/** Reserves part of a transaction's remaining amount and inserts the refund; null when it cannot be reserved. */
export async function claimRefund(tx: Tx, input: RefundClaim): Promise<RefundRow | null> {
  const rows = await tx.write(CLAIM, {
    tenant: input.tenant,
    originalId: input.originalId,
    now: input.now,
    refundId: input.refundId,
    amount: input.amount,
    reason: input.reason,
    way: input.way,
    merchantTransactionId: input.merchantTransactionId,
    traceparent: currentTraceparent(),
    resolveAt: input.resolveAt,
    adapters: input.adapters,
  });
  return rows[0] ?? null;
}

export interface RefundWrite {
  readonly tenant: number;
  readonly refundId: string;
  readonly now: Date;
  readonly end: AttemptEnd;
  readonly events: readonly NewEvent[];
  /** The events if this refund makes the original `refunded`. */
  readonly originalEvents: readonly NewEvent[];
}

/** The original becomes refunded once all of it is; a chargeback in the meantime stays. */
const RECORD = sql(
  "refunds.record_outcome",
  `with r as (${attemptEnds(":", "")}
   ), p as (
     update transactions
        set refunded       = transactions.refunded + case when :toStatus = 'approved' then r.amount else 0 end,
            refund_claimed = transactions.refund_claimed - case when :toStatus = 'declined' then r.amount else 0 end,
            status = case when :toStatus = 'approved' and transactions.status = 'approved'
                               and transactions.refunded + r.amount = transactions.amount
                          then 'refunded' else transactions.status end,
            updated_at = :now
       from r
      where transactions.tenant = :tenant and transactions.id = r.original_id and :toStatus in ('approved', 'declined')
     returning transactions.*
   ), o as (
     update orders set status = 'REFUNDED', updated_at = :now
       from p
      where orders.tenant = :tenant and orders.id = p.order_id and orders.status = 'COMPLETED'
        and p.status = 'refunded' and p.type <> 'sdd_rebill' and :toStatus = 'approved'
   ), u as (${revenueAfterRefund({ refund: "r", original: "p" })}
   ), k as (${retriesEnd({ from: "u" })}
   ), t as (
     select r.id, original.session_id, :events as events
       from r join transactions original on original.tenant = :tenant and original.id = r.original_id
      union all
     select id, session_id, :originalEvents from p where status = 'refunded' and :toStatus = 'approved'
   ), new_events as materialized (${insertEvents({ from: "t", events: "t.events", now: ":now" })}
   )
   select id from r`,
);

/**
 * Locks the refund, then the payment that it refunds: a chargeback of that payment which is being written is waited
 * for, and the next statement sees it. The order is locked after both.
 */
const HOLD = sql(
  "refunds.lock",
  `with r as (
     select original_id from transactions where tenant = :tenant and id = :refundId for update
   )
   select p.order_id from r
     join transactions p on p.tenant = :tenant and p.id = r.original_id
      for no key update of p`,
).gives<{ order_id: string | null }>();

/** Records a refund's outcome atomically. Returns false when it is not in the expected state. */
export async function writeRefundOutcome(db: Database | Tx, input: RefundWrite): Promise<boolean> {
  const values = {
    tenant: input.tenant,
    id: input.refundId,
    now: input.now,
    ...endValues(input.end),
    events: JSON.stringify(input.events),
    originalEvents: JSON.stringify(input.originalEvents),
  };
  const write = async (tx: Tx): Promise<boolean> => {
    const [original] = await tx.query(HOLD, { tenant: input.tenant, refundId: input.refundId });
    await lockOrder(tx, input.tenant, original?.order_id ?? null);
    return (await tx.write(RECORD, values)).length === 1;
  };
  return "write" in db ? write(db) : db.transaction(write);
}

/** SQL: whether an attempt may be sent to its gateway: it is not held, or was released. */
export const MAY_BE_SENT = "(held_until is null or released_at is not null)";

export const CLAIM_DUE_REFUNDS = sql(
  "refunds.claim_due",
  `with ${claimDue(`original_id is not null and ${MAY_BE_SENT}`)}
   select ${REFUND_COLUMNS}
     from t
     ${REFUND_JOINS}`,
).gives<RefundRow>();

const FIND = sql(
  "refunds.find",
  `select ${REFUND_COLUMNS}
     from transactions t
     ${REFUND_JOINS}
    where t.tenant = :tenant and t.id = :id`,
).gives<RefundRow>();

export async function findRefund(db: Reader, tenant: number, id: string): Promise<RefundRow | null> {
  const rows = await db.query(FIND, { tenant, id });
  return rows[0] ?? null;
}

const LISTED = `
   select ${REFUND_COLUMNS}
     from transactions t
     ${REFUND_JOINS}
    where t.tenant = :tenant and t.original_id = :originalId` as const;

const LIST = listed("refunds.list", LISTED, ["t.created_at", "t.id"]).gives<RefundRow>();

/** The refunds of a transaction. */
export function listRefunds(
  db: Reader,
  tenant: number,
  originalId: string,
  { towards, at, id, limit }: Window,
): Promise<readonly RefundRow[]> {
  return db.query(LIST[towards], { tenant, originalId, at, id, limit });
}

const ACCOUNT_OF = sql(
  "refunds.account_of",
  `select t.merchant_transaction_id as reference, g.id as gateway_id, g.adapter, g.settings, g.credentials
     from transactions t
     join gateways g on g.tenant = :tenant and g.id = t.gateway_id
    where t.tenant = :tenant and t.id = :id and t.status = 'approved' and t.refund_claimed = 0`,
).gives<GatewayAccountRow & { readonly reference: string }>();

/** The gateway of a payment without refunds; null for any other payment. */
export async function findUntouched(
  db: Reader,
  tenant: number,
  id: string,
): Promise<(GatewayAccountRow & { readonly reference: string }) | null> {
  return (await db.query(ACCOUNT_OF, { tenant, id }))[0] ?? null;
}

/** A transaction to refund. */
export interface RefundableRow extends StoredTransaction {
  readonly has_chargeback: boolean;
  /** Whether its customer was erased, so that the account is unknown. */
  readonly is_erased: boolean;
}

const FIND_REFUNDABLE = sql(
  "refunds.find_refundable",
  `select ${TRANSACTION_COLUMNS},
          exists (select 1 from chargebacks c
                   where c.tenant = :tenant and c.merchant_transaction_id = t.merchant_transaction_id
                           and c.withdrawn_on is null) as has_chargeback,
          l.erased_at is not null as is_erased
     from transactions t
     ${TRANSACTION_JOINS}
    where t.tenant = :tenant and t.id = :id`,
).gives<RefundableRow>();

export async function findRefundable(db: Reader, tenant: number, id: string): Promise<RefundableRow | null> {
  const rows = await db.query(FIND_REFUNDABLE, { tenant, id });
  return rows[0] ?? null;
}
