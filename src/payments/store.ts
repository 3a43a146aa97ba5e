/** The SQL of changes to a transaction after its payment. */
import { sql, type Reader, type Tx } from "../db/database.ts";
import type { NewEvent } from "../webhooks/events.ts";
import { insertEvents } from "../webhooks/outbox.ts";
import { effectsOf, type ReturnRules } from "../sepa/reasons.ts";
import { mandateAfterReason } from "../mandates/writes.ts";
import { cancelledByReturn, revenueOfSettled } from "../subscriptions/writes.ts";
import { otherRecordColumns } from "./records.ts";
import { STORED_FIELDS, type StoredTransaction } from "./transaction.ts";

/** A gateway account that may have news. */
export interface NewsGatewayRow {
  readonly tenant: number;
  readonly id: string;
  readonly adapter: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly credentials: Buffer | null;
}

const GATEWAYS_WITH_NEWS = sql(
  "payments.gateways_with_news",
  `-- every tenant when :tenant is null: the settlement job asks each account of an asynchronous adapter
   select tenant, id, adapter, settings, credentials
     from gateways
    where (:tenant::integer is null or tenant = :tenant) and adapter = any (:adapters)
    order by tenant, id`,
).gives<NewsGatewayRow>();

/**
 * The accounts at these adapters, of one tenant or of all; archived ones included, as their money may still be in
 * transit.
 */
export function gatewaysWithNews(
  db: Reader,
  tenant: number | null,
  adapters: readonly string[],
): Promise<readonly NewsGatewayRow[]> {
  return db.query(GATEWAYS_WITH_NEWS, { tenant, adapters });
}

/** A transaction with its session and the `completed_event_at` in effect when it was accepted. */
export interface NewsRow extends StoredTransaction {
  readonly campaign_id: string | null;
  readonly campaign_name: string | null;
  readonly offer_name: string | null;
  readonly billing_type: string | null;
  readonly completed_event_at: "acceptance" | "settlement";
  /** Whether the completed event of its session was emitted. */
  readonly is_completed_emitted: boolean;
  /** Locked; null without an order, and for a refund, whose order is locked later. */
  readonly order_status: string | null;
  /** How often it was reinstated. */
  readonly reinstatements: number;
  readonly chargeback_source: string | null;
}

/** t transaction, with what `TRANSACTION_JOINS` joins to it. */
export const TRANSACTION_COLUMNS = `
          t.id, t.status, t.type, t.amount, t.refunded, t.refund_claimed, t.currency, t.merchant_transaction_id,
          t.tenant_reference_id, t.gateway_reference, t.adapter_unique_id, t.created_at, t.processed_at, t.updated_at, t.order_id,
          t.session_id, t.subscription_id, t.lead_id, o.order_number, s.metadata, l.email, l.first_name, l.last_name, l.country,
          t.source, t.gateway_id, g.adapter, g.test_mode, t.traceparent,
          n.return_rules, ${otherRecordColumns(STORED_FIELDS)}` as const;

/** n tenant, g gateway, o order, s its session, l lead, m mandate. */
export const TRANSACTION_JOINS = `
     join tenants       n on n.tenant = :tenant
     join gateways      g on g.tenant = :tenant and g.id = t.gateway_id
     left join orders   o on o.tenant = :tenant and o.id = t.order_id
     left join sessions s on s.tenant = :tenant and s.id = o.session_id
     left join leads    l on l.tenant = :tenant and l.id = t.lead_id
     left join mandates m on m.tenant = :tenant and m.id = t.mandate_id`;

const NEWS = `
   select ${TRANSACTION_COLUMNS},
          s.campaign_id, s.campaign_name, s.offer_name, s.billing_type,
          coalesce(t.completed_event_at, g.completed_event_at) as completed_event_at, t.reinstatements,
          exists (select from events e
                   where e.tenant = :tenant and e.session_id = t.session_id
                     and e.type = 'payment_session.completed') as is_completed_emitted,
          (select c.source from chargebacks c
            where c.tenant = :tenant and c.merchant_transaction_id = t.merchant_transaction_id
              and c.withdrawn_on is null) as chargeback_source
     from transactions t
     ${TRANSACTION_JOINS}` as const;

const LOCK_FOR_NEWS = sql(
  "payments.lock_for_news",
  `${NEWS}
    where t.tenant = :tenant and t.gateway_id = :gatewayId and t.merchant_transaction_id = :reference
      for update of t`,
).gives<Omit<NewsRow, "order_status">>();

/** Locks the transaction with a gateway's reference, and its order except for a refund, until the transaction ends. */
export async function lockForNews(
  tx: Tx,
  tenant: number,
  gatewayId: string,
  reference: string,
): Promise<NewsRow | null> {
  const rows = await tx.query(LOCK_FOR_NEWS, { tenant, gatewayId, reference });
  const row = rows[0];
  if (row === undefined) return null;
  // A refund's order is locked after the payment that it refunds: all writers use this order.
  const isRefund = row.type === "sdd_refund";
  return { ...row, order_status: isRefund ? null : await lockOrder(tx, tenant, row.order_id) };
}

const LOCK_ORDER = sql(
  "payments.lock_order",
  "select status from orders where tenant = :tenant and id = :orderId for no key update",
).gives<{ status: string }>();

/**
 * Locks an order until the transaction ends and returns its status; null without one. A payment's effect on its order
 * depends on the order's other payments, so a writer locks the order first, after the payment's own row: the next
 * statement then sees the result of the one before.
 */
export async function lockOrder(tx: Tx, tenant: number, orderId: string | null): Promise<string | null> {
  if (orderId === null) return null;
  const rows = await tx.query(LOCK_ORDER, { tenant, orderId });
  return rows[0]?.status ?? null;
}

const LOCK_TRANSACTION = sql(
  "payments.lock_transaction",
  `select ${TRANSACTION_COLUMNS}
     from transactions t
     ${TRANSACTION_JOINS}
    where t.tenant = :tenant and t.id = :id
      for update of t`,
).gives<StoredTransaction>();

/** Locks the transaction with this id until the transaction ends. */
export async function lockTransaction(tx: Tx, tenant: number, id: string): Promise<StoredTransaction | null> {
  const rows = await tx.query(LOCK_TRANSACTION, { tenant, id });
  return rows[0] ?? null;
}

const APPLY_SETTLED = sql(
  "payments.apply_settled",
  `with t as (
     update transactions
        set status = 'approved', gateway_reference = :gatewayReference, processed_at = :processedAt,
            adapter_unique_id = :adapterUniqueId, updated_at = :now
      where tenant = :tenant and id = :id and status = 'pending'
     returning *
   ), o as (
     update orders set status = 'COMPLETED', updated_at = :now
       from t
      where orders.tenant = :tenant and orders.id = t.order_id and orders.status = 'PENDING' and t.type <> 'sdd_rebill'
   ), u as (${revenueOfSettled({ payment: "t" })}
   ), new_events as materialized (${insertEvents({ from: "t", events: ":events", now: ":now" })}
   )
   select id from t`,
);

/**
 * Moves pending → approved, and the order of a first payment with it; stores the reference that came with the money, if
 * any.
 */
export async function applySettled(
  tx: Tx,
  tenant: number,
  transactionId: string,
  now: Date,
  settlement: Pick<StoredTransaction, "gateway_reference" | "adapter_unique_id" | "processed_at">,
  events: readonly NewEvent[],
): Promise<void> {
  await tx.write(APPLY_SETTLED, {
    tenant,
    id: transactionId,
    now,
    gatewayReference: settlement.gateway_reference,
    processedAt: settlement.processed_at,
    adapterUniqueId: settlement.adapter_unique_id,
    events: JSON.stringify(events),
  });
}

const APPLY_RETURNED = sql(
  "payments.apply_returned",
  `with t as (
     update transactions
        set status = 'declined', error_code = :code, error_message = :message, gateway_code = :gatewayCode, gateway_message = :gatewayMessage,
            return_action = :returnAction, updated_at = :now
      where tenant = :tenant and id = :id and status = 'pending'
     returning *
   ), o as (
     update orders set status = 'FAILED', updated_at = :now
       from t
      where orders.tenant = :tenant and orders.id = t.order_id and orders.status = 'PENDING' and t.type <> 'sdd_rebill'
   ), u as (${cancelledByReturn({ payment: "t" })}
   ), m as (${mandateAfterReason({ from: "t", reason: ":gatewayCode" })}
   ), new_events as materialized (${insertEvents({ from: "t", events: ":events", now: ":now" })}
   )
   select id from t`,
);

/**
 * Moves pending → declined and fails the order of a first payment. The subscription that it would have begun never
 * begins.
 */
export async function applyReturned(
  tx: Tx,
  tenant: number,
  transactionId: string,
  now: Date,
  error: {
    readonly code: string;
    readonly message: string;
    readonly gatewayCode: string;
    readonly gatewayMessage: string | null;
  },
  rules: ReturnRules,
  events: readonly NewEvent[],
): Promise<void> {
  await tx.write(APPLY_RETURNED, {
    ...error,
    tenant,
    id: transactionId,
    now,
    ...effectsOf(error.gatewayCode, rules),
    events: JSON.stringify(events),
  });
}
