/** A merchant's records at one moment, with the entries at the bank and what the receivers got. */
import type { Json } from "../support/service.ts";
import type { Entry } from "./bank.ts";
import type { Promises } from "./promises.ts";
import type { Shop } from "./shops.ts";
import type { World } from "./world.ts";

/** Statuses of a payment that was collected, including refunds and chargebacks of it. */
export const PAID: ReadonlySet<unknown> = new Set(["approved", "refunded", "charged_back"]);

export interface Records {
  readonly sessions: readonly Json[];
  readonly transactions: readonly Json[];
  readonly events: readonly Json[];
  readonly cycles: readonly Json[];
  readonly chargebacks: readonly Json[];
  readonly subscriptions: readonly Json[];
  readonly mandates: readonly Json[];
  readonly deliveries: readonly Json[];
}

/** The input of the invariants. */
export interface View extends Records {
  readonly world: World;
  readonly promises: Promises;
  readonly shop: Shop;
  /** The bank's entries of this merchant. */
  readonly entries: readonly Entry[];
  readonly entry: (reference: string) => Entry | undefined;
  /** Nothing is running, and everything due is done. */
  readonly quiet: boolean;
}

const listOf = (columns: string, from: string) =>
  `(select coalesce(json_agg(row_to_json(r)), '[]') from (select ${columns} from ${from}) r)`;
const RECORDS = `select
  ${listOf(
    `id, status, attempts_used, attempts_max, customer_ip,
     (select t.completed_event_at from session_moves m join transactions t on t.tenant = m.tenant and t.id = m.transaction_id
       where m.tenant = s.tenant and m.session_id = s.id and m.to_status = 'COMPLETED') as told_at,
     (select m.cause from session_moves m
       where m.tenant = s.tenant and m.session_id = s.id and m.to_status = 'EXPIRED') as ended_by,
     (select extract(epoch from m.at - s.expires_at) * 1000 from session_moves m
       where m.tenant = s.tenant and m.session_id = s.id and m.to_status = 'EXPIRED' and m.cause = 'lapsed') as lapsed_after_ms,
     (select json_agg(json_build_object('by', m.transaction_id, 'at_ms', extract(epoch from m.at) * 1000)) from session_moves m
       where m.tenant = s.tenant and m.session_id = s.id and m.to_status = 'AWAITING_VERIFICATION') as awaited,
     (select o.order_number from orders o where o.tenant = s.tenant and o.session_id = s.id) as order_number,
     (select l.email from leads l where l.tenant = s.tenant and l.id = s.lead_id) as email,
     extract(epoch from created_at) * 1000 as created_ms,
     extract(epoch from case when closed_at < expires_at then closed_at else greatest(expires_at,
       (select max(t.updated_at) from transactions t where t.tenant = s.tenant and t.session_id = s.id)) end) * 1000 as until_ms`,
    "sessions s where tenant = $1",
  )} as sessions,
  ${listOf(
    `t.id, t.session_id, t.subscription_id, t.original_id, t.merchant_transaction_id as reference, t.status, t.type, t.source, t.reason,
     (t.amount * 100)::integer as cents, (t.refunded * 100)::integer as refunded, t.refund_claimed, t.held_until is not null and t.released_at is null and t.status = 'submitted' as held, t.resolve_at, t.reinstatements,
     t.type = 'sdd_rebill' and exists (select from simulation_moves n where n.kind = 'begun_late' and n.now = t.merchant_transaction_id) as after_end`,
    "transactions t where t.tenant = $1",
  )} as transactions,
  ${listOf(
    `id, number::integer as number, type, session_id, transaction_id, fanned_out_at, payload ->> 'previous_status' as was, payload ->> 'order_number' as names_order,
     (select o.order_number from orders o where o.tenant = e.tenant and o.session_id = e.session_id) as order_number,
     payload -> 'transaction' ->> 'status' as status,
     payload -> 'subscription' ->> 'id' as subscription_id, payload -> 'subscription' ->> 'due_date' as due,
     payload -> 'subscription' as announced,
     coalesce(session_id,
       (select o.session_id from transactions t join orders o on o.tenant = t.tenant and o.id = t.order_id
         where t.tenant = e.tenant and t.id = e.transaction_id),
       (select o.session_id from subscriptions u join orders o on o.tenant = u.tenant and o.id = u.order_id
         where u.tenant = e.tenant and u.id = (e.payload -> 'subscription' ->> 'id')::uuid),
       (select coalesce(t.original_id, t.id) from transactions t where t.tenant = e.tenant and t.id = e.transaction_id)) as subject`,
    "events e where tenant = $1 order by number",
  )} as events,
  ${listOf("subscription_id, cycle, due_date, status, transaction_id, attempts", "billing_cycles where tenant = $1")} as cycles,
  ${listOf("id, transaction_id, merchant_transaction_id as reference, (amount * 100)::integer as cents, source, withdrawn_on", "chargebacks where tenant = $1")} as chargebacks,
  ${listOf(
    `u.id, u.status, u.billing_frequency, u.next_billing_date, u.cancel_reason, u.cancel_at_period_end,
     u.successful_billing_count as successes, u.mandate_id, m.status as mandate`,
    "subscriptions u join mandates m on m.tenant = u.tenant and m.id = u.mandate_id where u.tenant = $1",
  )} as subscriptions,
  ${listOf("id, status", "mandates where tenant = $1")} as mandates,
  ${listOf(
    "event_id, event_type, profile_id, subject_id as subject, status, tries, extract(epoch from locked_until) * 1000 as locked_until_ms",
    "webhook_deliveries where tenant = $1",
  )} as deliveries`;

export async function viewOf(world: World, promises: Promises, shop: Shop, quiet: boolean): Promise<View> {
  const [row] = await world.rows(RECORDS, [shop.tenant]);
  return {
    ...(row as unknown as Records),
    world,
    promises,
    shop,
    quiet,
    entries: world.bank.of(shop.tenant),
    entry: (reference) => world.bank.entry(shop.tenant, reference),
  };
}
