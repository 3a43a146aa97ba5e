/** The SQL of subscriptions as records: ended, read, listed. */
import { sql, type Reader, type Tx } from "../db/database.ts";
import type { Window } from "../http/paging.ts";

/** Without a next cycle there is no period to wait for the end of: it ends now. */
const CANCEL = sql(
  "billing.cancel",
  `with u as (
     update subscriptions
        set status = case when $4 and next_billing_date is not null then status else 'CANCELLED' end,
            cancelled_at = case when $4 and next_billing_date is not null then null else $3::timestamptz end,
            cancel_at_period_end = $4,
            cancel_reason = coalesce(case when cancel_at_period_end then cancel_reason end, $5),
            next_billing_date = case when $4 then next_billing_date end, updated_at = $3
      where tenant = $1 and id = $2 and status <> 'CANCELLED'
     returning id, mandate_id, status
   ), c as (
     update billing_cycles set status = 'failed', next_attempt_at = null, updated_at = $3
       from u
      where billing_cycles.tenant = $1 and billing_cycles.subscription_id = u.id
        and billing_cycles.status = 'retry' and u.status = 'CANCELLED'
   ), m as (
     update mandates set status = $6, status_reason = $5, updated_at = $3
       from u
      where mandates.tenant = $1 and mandates.id = u.mandate_id and $6::text is not null
   )
   select status from u`,
);

export interface CancelWrite {
  readonly atPeriodEnd: boolean;
  readonly reason: string;
  /** What becomes of the mandate; null leaves it. */
  readonly mandate: "expired" | null;
}

/** Ends a subscription, now or when its next cycle would be due; the status it has then, null when it has ended already. */
export async function writeCancel(
  tx: Tx,
  tenant: number,
  id: string,
  now: Date,
  { atPeriodEnd, reason, mandate }: CancelWrite,
): Promise<string | null> {
  const values = [tenant, id, now, atPeriodEnd, reason, mandate];
  return (await tx.write<{ status: string }>(CANCEL, values))[0]?.status ?? null;
}

/** A subscription as the management API shows it: its record, why it ended, its cycles. */
export interface SubscriptionDetail {
  readonly id: string;
  readonly created_at: Date;
  readonly [field: string]: unknown;
}

const SHOWN = `
  u.id, u.status, u.billing_amount, u.currency, u.billing_frequency, u.start_date, u.next_billing_date,
  u.last_billing_date, u.cancelled_at, u.cancel_reason, u.cancel_at_period_end, u.trial_end_date,
  u.billing_anchor_date, u.successful_billing_count, u.failed_billing_count, u.total_revenue::text,
  u.order_id, u.lead_id, u.offer_id, u.gateway_id as payment_gateway_id, u.created_at, u.updated_at`;

const DETAIL = sql(
  "billing.detail",
  `select ${SHOWN},
          coalesce((
            select jsonb_agg(jsonb_build_object(
                     'cycle', c.cycle, 'due_date', c.due_date, 'status', c.status, 'attempts', c.attempts,
                     'transaction_id', c.transaction_id, 'next_attempt_at', c.next_attempt_at,
                     'error_code', c.error_code, 'gateway_code', t.gateway_code) order by c.cycle desc)
              from (select * from billing_cycles where tenant = $1 and subscription_id = $2
                     order by cycle desc limit 100) c
              left join transactions t on t.tenant = $1 and t.id = c.transaction_id
          ), '[]') as cycles
     from subscriptions u
    where u.tenant = $1 and u.id = $2`,
);

export async function findSubscription(
  db: Reader,
  tenant: number,
  id: string,
): Promise<SubscriptionDetail | null> {
  return (await db.query<SubscriptionDetail>(DETAIL, [tenant, id]))[0] ?? null;
}

const LISTED = `
  select ${SHOWN} from subscriptions u
   where u.tenant = $1 and ($5::text is null or u.status = $5)
     and ($6::text is null
          or u.lead_id = (select id from leads where tenant = $1 and email_key = $6))`;

const LIST = {
  older: sql(
    "billing.list_older",
    `${LISTED} and (u.created_at, u.id) < ($2, $3::uuid) order by u.created_at desc, u.id desc limit $4`,
  ),
  newer: sql(
    "billing.list_newer",
    `${LISTED} and (u.created_at, u.id) > ($2, $3::uuid) order by u.created_at, u.id limit $4`,
  ),
};

export function listSubscriptions(
  db: Reader,
  tenant: number,
  { status, emailKey }: { readonly status: string | null; readonly emailKey: string | null },
  { towards, at, id, limit }: Window,
): Promise<readonly SubscriptionDetail[]> {
  return db.query<SubscriptionDetail>(LIST[towards], [tenant, at, id, limit, status, emailKey]);
}
