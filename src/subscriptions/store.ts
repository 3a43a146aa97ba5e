/** The SQL of subscriptions as records: ended, read, listed. */
import { mandateAfterSubscription } from "../mandates/writes.ts";
import type { IsoDate } from "../lib/dates.ts";
import { sql, type Reader, type Tx } from "../db/database.ts";
import { listed } from "../db/lists.ts";
import type { SubscriptionRow } from "../db/rows.ts";
import type { Window } from "../lib/window.ts";
import { campaignStopped, type BillingRow } from "./due-store.ts";
import { retriesEnd } from "./writes.ts";
import { withCancellation, type SubscriptionRecord } from "./subscription-record.ts";

/** Without a next cycle there is no period to wait for, so it ends at once. */
const CANCEL = sql(
  "billing.cancel",
  `with u as (
     update subscriptions
        set status = case when :atPeriodEnd and next_billing_date is not null then status else 'CANCELLED' end,
            cancelled_at = case when :atPeriodEnd and next_billing_date is not null then null else :now::timestamptz end,
            cancel_at_period_end = :atPeriodEnd,
            cancel_reason = coalesce(case when cancel_at_period_end then cancel_reason end, :reason),
            next_billing_date = case when :atPeriodEnd then next_billing_date end, updated_at = :now
      where tenant = :tenant and id = :id and status <> 'CANCELLED'
     returning id, case when :mandate::text is not null then mandate_id end as ended_mandate_id, status
   ), c as (${retriesEnd({ from: "u" })}
   ), m as (${mandateAfterSubscription({ from: "u" })}
   )
   select status from u`,
).gives<{ status: string }>();

interface CancelWrite {
  readonly atPeriodEnd: boolean;
  readonly reason: string;
  /** The mandate's new status; null keeps it. */
  readonly mandate: "expired" | null;
}

/**
 * Ends a subscription, at once or when its next cycle would be due. Returns its status; null when it has already ended.
 */
export async function writeSubscriptionCancel(
  tx: Tx,
  tenant: number,
  id: string,
  now: Date,
  { atPeriodEnd, reason, mandate }: CancelWrite,
): Promise<string | null> {
  const values = { tenant, id, now, atPeriodEnd, reason, mandate };
  return (await tx.write(CANCEL, values))[0]?.status ?? null;
}

const CHANGE = sql(
  "billing.change",
  `update subscriptions
      set billing_amount = :amount, next_billing_date = :nextBillingDate::date, billing_anchor_date = :anchorDate::date,
          billing_anchor_cycle = :anchorCycle, billing_day = :billingDay, gateway_id = :gatewayId,
          announced_date = null, updated_at = :now
    where tenant = :tenant and id = :id`,
);

export interface SubscriptionTerms {
  /** With two decimals. */
  readonly amount: string;
  readonly nextBillingDate: IsoDate | null;
  readonly anchorDate: IsoDate;
  readonly anchorCycle: number;
  readonly billingDay: SubscriptionRow["billing_day"];
  readonly gatewayId: string;
}

/** Writes new terms of a locked subscription; its next renewal is announced again. */
export async function writeTerms(
  tx: Tx,
  tenant: number,
  id: string,
  terms: SubscriptionTerms,
  now: Date,
): Promise<void> {
  await tx.write(CHANGE, { ...terms, tenant, id, now });
}

/** What decides which gateways may collect a subscription. */
export type CollectedRow = Pick<
  BillingRow,
  "gateway_id" | "currency" | "creditor_identifier" | "mandate_scheme"
>;

const COLLECTED = sql(
  "billing.collected",
  `select u.gateway_id, u.currency, m.creditor_identifier, m.scheme as mandate_scheme
     from subscriptions u
     join mandates m on m.tenant = :tenant and m.id = u.mandate_id
    where u.tenant = :tenant and u.id = :id`,
).gives<CollectedRow>();

export async function findCollected(db: Reader, tenant: number, id: string): Promise<CollectedRow | null> {
  return (await db.query(COLLECTED, { tenant, id }))[0] ?? null;
}

/** A subscription in the management API's list: its record, and why it ended. */
export interface ShownSubscription
  extends SubscriptionRecord, Pick<SubscriptionRow, "cancel_reason" | "cancel_at_period_end"> {}

/** Statuses of payments that collect: two of them collect a cycle twice. */
export const COLLECTS = "('approved', 'pending')";
/**
 * SQL for a FROM and a WHERE: payments `r` that were reinstated after another attempt `a` at their cycle had left for
 * the bank, or was about to. There is no other way to collect a cycle twice.
 */
export const COLLECTED_TWICE = `transactions r
       join transactions a on a.tenant = r.tenant and a.subscription_id = r.subscription_id and a.cycle = r.cycle and a.id <> r.id
        and a.status in ${COLLECTS}
      where r.reinstatements > 0 and r.cycle is not null and r.status in ${COLLECTS}` as const;

/** A cycle as shown outside. */
export interface SubscriptionCycle {
  readonly cycle: number;
  readonly due_date: IsoDate;
  readonly status: string;
  readonly attempts: number;
  readonly transaction_id: string | null;
  readonly next_attempt_at: string | null;
  readonly error_code: string | null;
  readonly gateway_code: string | null;
  readonly collected_by: readonly string[];
}

/** One subscription, with its newest cycles. */
export interface SubscriptionDetail
  extends ShownSubscription, Pick<SubscriptionRow, "billing_day" | "mandate_id"> {
  /** As JSON. */
  readonly cycles: readonly SubscriptionCycle[];
}

const SHOWN = withCancellation(
  ({ name, sql: value }) => `${value} as ${name}`,
  ["u.cancel_reason", "u.cancel_at_period_end"],
).join(", ") as "columns";

const DETAIL = sql(
  "billing.detail",
  `select ${SHOWN}, u.billing_day, u.mandate_id,
          coalesce((
            select jsonb_agg(jsonb_build_object(
                     'cycle', c.cycle, 'due_date', c.due_date, 'status', c.status, 'attempts', c.attempts,
                     'transaction_id', c.transaction_id, 'next_attempt_at', c.next_attempt_at,
                     'error_code', c.error_code, 'gateway_code', t.gateway_code,
                     'collected_by', (
                       select coalesce(jsonb_agg(a.id order by a.created_at), '[]') from transactions a
                        where a.tenant = :tenant and a.subscription_id = :id and a.cycle = c.cycle and a.status in ${COLLECTS}
                     )) order by c.cycle desc)
              from (select * from billing_cycles where tenant = :tenant and subscription_id = :id
                     order by cycle desc limit 100) c
              left join transactions t on t.tenant = :tenant and t.id = c.transaction_id
          ), '[]') as cycles
     from subscriptions u
    where u.tenant = :tenant and u.id = :id`,
).gives<SubscriptionDetail>();

export async function findSubscription(
  db: Reader,
  tenant: number,
  id: string,
): Promise<SubscriptionDetail | null> {
  return (await db.query(DETAIL, { tenant, id }))[0] ?? null;
}

/** Few or none, so they are found through the campaigns, not per subscription. */
const OF_STOPPED_CAMPAIGNS = `
  select su.id
    from (select ss.id from sessions ss
           where ss.tenant = :tenant
             and ss.campaign_id = any (array(select sk.id from campaigns sk where sk.tenant = :tenant and sk.stopped_at is not null))
          offset 0) ss
    join orders so on so.tenant = :tenant and so.session_id = ss.id
    join subscriptions su on su.tenant = :tenant and su.order_id = so.id` as const;

const LISTED = `
  select ${SHOWN} from subscriptions u
   where u.tenant = :tenant and (:status::text is null or u.status = :status)
     and (:emailKey::text is null
          or u.lead_id = (select id from leads where tenant = :tenant and email_key = :emailKey))
     and (:nextFrom::date is null or u.next_billing_date >= :nextFrom and u.status <> 'CANCELLED')
     and (:nextTo::date is null or u.next_billing_date <= :nextTo and u.status <> 'CANCELLED')
     and (:campaignStopped::boolean is null or :campaignStopped = ${campaignStopped("u")})
     and (:campaignStopped::boolean is distinct from true or u.id = any (array(${OF_STOPPED_CAMPAIGNS})))
     and (:collectedTwice::boolean is not false
          or not exists (select from ${COLLECTED_TWICE} and r.tenant = :tenant and r.subscription_id = u.id))
     and (:collectedTwice::boolean is distinct from true
          or u.id = any (array(select r.subscription_id from ${COLLECTED_TWICE} and r.tenant = :tenant)))` as const;

const LIST = listed("billing.list", LISTED, ["u.created_at", "u.id"], {
  plannedByValues: true,
}).gives<ShownSubscription>();

export interface SubscriptionFilters {
  readonly status: string | null;
  readonly emailKey: string | null;
  /** Limits of its next due date. */
  readonly nextFrom: IsoDate | null;
  readonly nextTo: IsoDate | null;
  readonly collectedTwice: boolean | null;
  /** Whether its renewals wait because of it. */
  readonly campaignStopped: boolean | null;
}

export function listSubscriptions(
  db: Reader,
  tenant: number,
  filters: SubscriptionFilters,
  { towards, at, id, limit }: Window,
): Promise<readonly ShownSubscription[]> {
  return db.query(LIST[towards], { tenant, at, id, limit, ...filters });
}
