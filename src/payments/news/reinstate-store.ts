/** The SQL of reinstating a payment after a decline or chargeback. */
import { sql, type Tx } from "../../db/database.ts";
import type { NewEvent } from "../../webhooks/events.ts";
import { insertEvents } from "../../webhooks/outbox.ts";
import { REPAYING_CLOSED } from "../../sessions/repay/writes.ts";
import { cycleReinstated, revenueOfReinstated } from "../../subscriptions/writes.ts";
import { orderStatusSet } from "../orders-store.ts";
import type { StoredTransaction } from "../transaction.ts";

const LOCK_SUBSCRIPTION = sql(
  "payments.lock_subscription",
  "select from subscriptions where tenant = :tenant and id = :subscriptionId for no key update",
);

/** The status of an order from its payments (docs/states.md, Orders), where `t` is one of them as it is now. */
const ORDER_STATUS = `
       select case when bool_or(x.status = 'charged_back') then 'CHARGEDBACK'
                   when bool_or(x.own and x.status = 'refunded') then 'REFUNDED'
                   when bool_or(x.own and x.status = 'approved') then 'COMPLETED'
                   when bool_or(x.own and x.status = 'pending') then 'PENDING'
                   else 'FAILED' end
         from (select p.status, p.type <> 'sdd_rebill' as own from transactions p
                where p.tenant = :tenant and p.order_id = t.order_id and p.id <> t.id and p.type <> 'sdd_refund'
                union all
               select t.status, t.type <> 'sdd_rebill') x` as const;

const REINSTATE = sql(
  "payments.reinstate",
  `with t as (
     update transactions
        set status = case when refunded = amount then 'refunded' else 'approved' end, reinstatements = greatest(reinstatements + 1, :round::integer),
            gateway_reference = coalesce(:gatewayReference, gateway_reference), processed_at = coalesce(:processedAt, processed_at),
            adapter_unique_id = :adapterUniqueId, error_code = null, error_message = null, gateway_code = null, gateway_message = null,
            updated_at = :now
      where tenant = :tenant and id = :id and status in ('declined', 'charged_back')
     returning *
   ), c as (
     update chargebacks
        set withdrawn_on = :on::date, report_info = format('The bank took it back on %s.', :on::date), updated_at = :now
       from t
      where chargebacks.tenant = :tenant and chargebacks.merchant_transaction_id = t.merchant_transaction_id
        and chargebacks.transaction_id = t.id and chargebacks.withdrawn_on is null
     returning chargebacks.amount
   ), o as (
     update orders set status = (${ORDER_STATUS}), updated_at = :now
       from t
      where orders.tenant = :tenant and orders.id = t.order_id
   ), k as (${cycleReinstated({ payment: "t" })}
   ), u as (${revenueOfReinstated({ payment: "t", chargeback: "c", cycle: "k" })}
   ), new_events as materialized (${insertEvents({ from: "t", events: ":events", now: ":now" })}
   )
   select id from t`,
);

const CLOSE_REPAYING = sql(
  "payments.close_repaying",
  `with ${REPAYING_CLOSED}, o as (${orderStatusSet({ session: "s", status: "'FAILED'", now: ":now" })}
   )
   select id from s`,
);

/**
 * Moves declined or charged_back → approved, or refunded if it was refunded in full, with order, cycle and revenue.
 * Sessions that were to repeat a first payment end unpaid, without an event.
 * @param transaction locked, and its order with it.
 */
export async function writeReinstated(
  tx: Tx,
  tenant: number,
  transaction: Pick<StoredTransaction, "id" | "subscription_id" | "type">,
  now: Date,
  to: {
    readonly gateway_reference: string | null;
    readonly processed_at: Date | null;
    readonly adapter_unique_id: string | null;
    /** The bank's booking day. */
    readonly on: string;
    /** How often it was reinstated, including this time. */
    readonly round: number;
  },
  events: readonly NewEvent[],
): Promise<void> {
  // The subscription is read again after it is locked.
  await tx.query(LOCK_SUBSCRIPTION, { tenant, subscriptionId: transaction.subscription_id });
  await tx.write(REINSTATE, {
    tenant,
    id: transaction.id,
    now,
    gatewayReference: to.gateway_reference,
    processedAt: to.processed_at,
    adapterUniqueId: to.adapter_unique_id,
    on: to.on,
    round: to.round,
    events: JSON.stringify(events),
  });
  if (transaction.type === "sdd_sale") await tx.write(CLOSE_REPAYING, { tenant, id: transaction.id, now });
}

const WRITE_ROUND = sql(
  "payments.write_round",
  "update transactions set reinstatements = :round where tenant = :tenant and id = :id",
);

/** Writes how often the gateway has reinstated a locked transaction, where its notice does not reinstate it. */
export async function writeRound(tx: Tx, tenant: number, id: string, round: number): Promise<void> {
  await tx.write(WRITE_ROUND, { tenant, id, round });
}
