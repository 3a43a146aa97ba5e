/** Rules of the books check for subscriptions: counters, dates and status against their collections and cycles. */
import { OPEN_IN_SQL } from "../payments/transaction.ts";
import { CANCELLED } from "../sepa/reasons.ts";
import { REPAID_TWICE } from "../sessions/repay/store.ts";
import { COLLECTED_TWICE } from "../subscriptions/store.ts";
import { CLOCKS_APART, rule } from "./rule-store.ts";

/**
 * The results of a subscription's renewals. An attempt that the gateway certainly never received does not count, and
 * one that the merchant has cancelled is no failure; later news from a gateway counts once its cycle was updated.
 */
const RENEWALS = `
     select t.tenant, t.subscription_id,
            count(*) filter (where c.cycle is null and t.status in ('approved', 'refunded')) as succeeded,
            count(*) filter (where c.cycle is null and t.status = 'declined' and t.error_code is not null
                               and t.gateway_code is distinct from '${CANCELLED}'
                               and not (t.error_code = 'gateway_unavailable' and t.gateway_code is null)) as failed,
            count(*) filter (where not (t.status = 'declined' and coalesce(t.error_code, '') = 'gateway_unavailable' and t.gateway_code is null)) as presented
       from transactions t
       left join billing_cycles c
         on c.tenant = t.tenant and c.subscription_id = t.subscription_id and c.transaction_id = t.id and c.status = 'pending'
      where t.type = 'sdd_rebill' and t.source <> 'csv_import' and t.subscription_id is not null
      group by t.tenant, t.subscription_id`;

/** Chargebacks and refunds can together exceed what was collected: nothing was earned then. */
export const REVENUE = rule(
  "revenue",
  `with earned as (
     select t.tenant, t.subscription_id, sum(greatest(t.amount - t.refunded - coalesce(c.amount, 0), 0)) as revenue
       from transactions t
       left join chargebacks c on c.tenant = t.tenant and c.transaction_id = t.id and c.withdrawn_on is null
      where t.subscription_id is not null and t.type <> 'sdd_refund' and t.status in ('approved', 'refunded', 'charged_back')
      group by t.tenant, t.subscription_id
   )
   select u.tenant, 'SUBSCRIPTION-1' as invariant, format('Subscription %s has a revenue of %s; its transactions total %s.', u.id, u.total_revenue,
                           coalesce(e.revenue, 0.00)) as words
     from subscriptions u
     left join earned e on e.tenant = u.tenant and e.subscription_id = u.id
    where u.total_revenue <> coalesce(e.revenue, 0.00)`,
);

export const COUNTERS = rule(
  "counters",
  `with renewals as (${RENEWALS}
   ), attempts as (
     select tenant, subscription_id, sum(attempts) as counted from billing_cycles group by tenant, subscription_id
   )
   select u.tenant, 'SUBSCRIPTION-2' as invariant, format('Subscription %s has %s successes and %s failures; its renewals show %s and %s.',
          u.id, u.successful_billing_count, u.failed_billing_count, coalesce(r.succeeded, 0), coalesce(r.failed, 0)) as words
     from subscriptions u
     left join renewals r on r.tenant = u.tenant and r.subscription_id = u.id
    where (u.successful_billing_count, u.failed_billing_count) <> (coalesce(r.succeeded, 0), coalesce(r.failed, 0))
    union all
   select a.tenant, 'CYCLE-5', format('The cycles of subscription %s count %s attempts; %s were presented.', a.subscription_id, a.counted,
                                      coalesce(r.presented, 0))
     from attempts a
     left join renewals r on r.tenant = a.tenant and r.subscription_id = a.subscription_id
    where a.counted <> coalesce(r.presented, 0)`,
);

/**
 * The end of a trial is cycle 0, the first renewal of a subscription without one is cycle 1; each is counted from the
 * anchor and its cycle.
 */
export const NEXT_DATES = rule(
  "next_dates",
  `with taken as (
     select tenant, subscription_id, max(cycle) as newest from billing_cycles group by tenant, subscription_id
   ), dates as (
     select u.*, case
              when u.status = 'CANCELLED' then null
              when u.billing_frequency is null then case when u.trial_end_date is not null and c.newest is null then u.billing_anchor_date end
              when u.billing_day = 'last' and n.number > u.billing_anchor_cycle then (date_trunc('month', d.due) + interval '1 month - 1 day')::date
              else d.due end as due
       from subscriptions u
       left join taken c on c.tenant = u.tenant and c.subscription_id = u.id
      cross join lateral (select coalesce(c.newest + 1, case when u.trial_end_date is null then 1 else 0 end) as number) n
      cross join lateral (select (u.billing_anchor_date + (n.number - u.billing_anchor_cycle) * case u.billing_frequency
                      when 'WEEKLY' then interval '7 days' when 'BIWEEKLY' then interval '14 days' when 'MONTHLY' then interval '1 month'
                      when 'QUARTERLY' then interval '3 months' when 'SEMIANNUALLY' then interval '6 months'
                      else interval '12 months' end)::date as due) d
   )
   select tenant, 'SUBSCRIPTION-3' as invariant, format('Subscription %s (%s) is next due on %s; its cycles require %s.', id, status,
          coalesce(next_billing_date::text, 'no day'), coalesce(due::text, 'no day')) as words
     from dates
    where next_billing_date is distinct from due`,
);

/** SQL: whether the settings of tenant n, whose clock is k, were the same at a time of its records. */
const chosenBefore = (at: string) =>
  `n.updated_at + interval '1 millisecond' * coalesce(k.ahead_ms, 0) + ${CLOCKS_APART} < ${at}`;

/**
 * Only if the tenant's settings have not changed since. A chargeback precedes a success only when that was requested
 * later.
 */
export const STATUSES = rule(
  "subscription_statuses",
  `with waiting as (
     select tenant, subscription_id from billing_cycles where status = 'retry' and attempts > 0 group by tenant, subscription_id
   ), back as (
     select t.tenant, t.subscription_id, max(c.created_at) as at
       from chargebacks c
       join transactions t on t.tenant = c.tenant and t.id = c.transaction_id
      where c.withdrawn_on is null and t.subscription_id is not null
      group by t.tenant, t.subscription_id
   )
   select u.tenant, 'SUBSCRIPTION-5' as invariant, format('Subscription %s is ACTIVE, but one of its cycles waits for a retry.', u.id) as words
     from subscriptions u
     join waiting w on w.tenant = u.tenant and w.subscription_id = u.id
    where u.status = 'ACTIVE'
    union all
   select u.tenant, 'SUBSCRIPTION-5', format('Subscription %s is %s, but one of its payments was charged back and the tenant chose %s.', u.id, u.status,
                                             n.subscription_after_chargeback)
     from subscriptions u
     join tenants n on n.tenant = u.tenant
     join back    b on b.tenant = u.tenant and b.subscription_id = u.id
     left join tenant_clocks k on k.tenant = u.tenant
    where ${chosenBefore("b.at")}
      and (n.subscription_after_chargeback = 'cancel' and u.status <> 'CANCELLED'
           or n.subscription_after_chargeback = 'past_due' and u.status = 'ACTIVE' and not exists (
             select from transactions t
              where t.tenant = u.tenant and t.subscription_id = u.id and t.type = 'sdd_rebill'
                and t.status in ('approved', 'refunded') and t.created_at > b.at))
    union all
   select u.tenant, 'SUBSCRIPTION-5', format('Subscription %s is %s, but its first payment %s was never collected.', u.id, u.status, t.merchant_transaction_id)
     from subscriptions u
     join transactions t on t.tenant = u.tenant and t.subscription_id = u.id and t.type in ('sdd_sale', 'other_type') and t.status = 'declined'
    where u.status <> 'CANCELLED'`,
);

/** A cycle that waits for its settlement may lag behind its transaction; every other one matches it. */
export const CYCLES = rule(
  "cycles",
  `select c.tenant, 'CYCLE-6' as invariant, format('Cycle %s of subscription %s is %s; its transaction is %s.', c.cycle, c.subscription_id,
                           c.status, coalesce(t.status, 'not there')) as words
     from billing_cycles c
     left join transactions t on t.tenant = c.tenant and t.id = c.transaction_id
    where not coalesce(
            case c.status when 'paid' then t.status in ('approved', 'refunded')
                          when 'charged_back' then t.status = 'charged_back'
                          when 'collecting' then t.status in ${OPEN_IN_SQL}
                          when 'skipped' then t.id is null
                          when 'pending' then t.status not in ${OPEN_IN_SQL}
                          else t.status = 'declined' end, false)`,
);

/**
 * How long a cycle may wait after its retry is due, while others are collected: banks are closed for four days at most.
 */
const RETRY_LATE = "interval '7 days'";

/** Stopped campaigns have a list of their own. */
export const WAITING = rule(
  "waiting_cycles",
  `select c.tenant, 'LIVE-2' as invariant, format('Cycle %s of subscription %s waits since its next try on %s.', c.cycle, c.subscription_id,
          to_char(c.next_attempt_at at time zone 'UTC', 'YYYY-MM-DD')) as words
     from billing_cycles c
     join subscriptions u on u.tenant = c.tenant and u.id = c.subscription_id
     join orders        o on o.tenant = c.tenant and o.id = u.order_id
     join sessions      s on s.tenant = c.tenant and s.id = o.session_id
     left join campaigns k on k.tenant = c.tenant and k.id = s.campaign_id
    where c.status = 'retry' and k.stopped_at is null
      and exists (select from billing_cycles later
                   where later.tenant = c.tenant and later.status <> 'skipped' and later.created_at > c.next_attempt_at + ${RETRY_LATE})`,
);

/** From the 15th to the last day of a month, or from that to the 2nd of January. */
const SALARY_HOURS_MAX = 17 * 24;

/** Automatic presentations; requests by hand come on top, each with an audit entry. */
export const TRIES = rule(
  "tries",
  `select u.tenant, 'CYCLE-7' as invariant, format('Subscription %s was collected %s times but requested %s times.', u.id, c.number, a.number) as words
     from subscriptions u
    cross join lateral (
            select count(*) as number from billing_cycles b where b.tenant = u.tenant and b.subscription_id = u.id and b.cycle > 0) c
    cross join lateral (
            select count(*) as number from audit_log l
             where l.tenant = u.tenant and l.resource = 'subscriptions' and l.resource_id = u.id and l.after ? 'collected') a
    where u.billing_frequency is null and c.number > a.number
    union all
   select c.tenant, 'CYCLE-4', format('Cycle %s of subscription %s was presented %s times.', c.cycle, c.subscription_id, c.attempts)
     from billing_cycles c
    where c.attempts > 3 + (
            select count(*) from audit_log a
             where a.tenant = c.tenant and a.resource = 'subscriptions' and a.resource_id = c.subscription_id and a.after ? 'collected')
    union all
   select c.tenant, 'CYCLE-8', format('Cycle %s of subscription %s is retried %s hours after attempt %s failed with %s.', c.cycle, c.subscription_id,
                                      h.hours, c.attempts, coalesce(t.error_code, 'nothing'))
     from billing_cycles c
     join tenants n on n.tenant = c.tenant
     left join tenant_clocks k on k.tenant = c.tenant
     left join transactions t on t.tenant = c.tenant and t.id = c.transaction_id
    cross join lateral (select coalesce(n.retry_days[c.attempts], '') as day) chosen
    cross join lateral (select round(extract(epoch from c.next_attempt_at - c.updated_at) / 3600) as hours) h
    where c.status = 'retry'
      and ${chosenBefore("c.updated_at")}
      and not (h.hours = 1 and t.gateway_code is null or h.hours = 24 and c.attempts in (1, 2)
               or case when chosen.day = 'salary_day' then h.hours between 0 and ${SALARY_HOURS_MAX}
                       when chosen.day <> '' then h.hours = chosen.day::integer * 24
                       else false end)`,
);

/**
 * A bank that reverses a return may bring the money of an earlier attempt while the retry is in progress: what has not
 * been sent by then must not be.
 */
export const RETRIES = rule(
  "retries",
  `with attempts as (
     select t.tenant, t.subscription_id, t.cycle, t.id, t.merchant_transaction_id as reference, t.status, t.gateway_id,
            case when c.state in ('settled', 'returned') or f.status in ('renaming', 'sent', 'unclear') then f.created_at end as sent_at
       from transactions t
       left join sepa_collections c on c.tenant = t.tenant and c.gateway_id = t.gateway_id and c.reference = t.merchant_transaction_id
       left join sepa_files       f on f.tenant = c.tenant and f.id = c.file_id
      where t.cycle is not null
   ), known as (
     select distinct on (a.tenant, a.id, o.id) a.tenant, a.reference, o.reference as other, w.kind
       from attempts a
       join attempts  o on o.tenant = a.tenant and o.subscription_id = a.subscription_id and o.cycle = a.cycle and o.id <> a.id
       join sepa_news w on w.tenant = o.tenant and w.gateway_id = o.gateway_id and w.reference = o.reference
        and w.acknowledged_at < a.sent_at and w.kind <> 'fee'
      order by a.tenant, a.id, o.id, w.number desc
   )
   select tenant, 'CYCLE-10' as invariant, format('%s was sent to the bank although %s had paid its cycle.', reference, other) as words
     from known
    where kind in ('settled', 'reinstated')
    union all
   select c.tenant, 'CYCLE-10', format('Cycle %s of subscription %s waits for a retry although %s has paid it.', c.cycle, c.subscription_id, o.reference)
     from billing_cycles c
     join attempts o on o.tenant = c.tenant and o.subscription_id = c.subscription_id and o.cycle = c.cycle
    where c.status = 'retry' and o.status in ('approved', 'refunded')`,
);

/**
 * Cycles that were collected twice, or are about to be: all records are correct, and one of the payments has to be
 * refunded.
 */
export const TWICE = rule(
  "collected_twice",
  `select distinct r.tenant, 'CYCLE-1' as invariant, format('Cycle %s of subscription %s is collected twice, by %s (%s) and %s (%s). Refund one.', r.cycle,
          r.subscription_id, r.merchant_transaction_id, r.status, a.merchant_transaction_id, a.status) as words
     from ${COLLECTED_TWICE}`,
);

/** The same of first payments that were paid again through their link. */
export const TWICE_PAID = rule(
  "repaid_twice",
  `select r.tenant, 'MONEY-1' as invariant, format('A first payment is collected twice, by %s (%s) and %s (%s). Refund one.',
          r.merchant_transaction_id, r.status, a.merchant_transaction_id, a.status) as words
     from ${REPAID_TWICE}`,
);

/**
 * A cycle is skipped when the service was down on its day. Its day may be four later, when banks are closed; another
 * renewal of the tenant that was begun between then and the day before it was skipped shows that the service was
 * running. Subscriptions without a schedule show nothing: their merchant requested the collection, and jobs need not
 * have run.
 */
export const SKIPPED = rule(
  "skipped",
  `select s.tenant, 'CYCLE-3' as invariant, format('Cycle %s of subscription %s, due on %s, was skipped although renewals ran since.', s.cycle,
                                                   s.subscription_id, s.due_date) as words
     from billing_cycles s
    where s.status = 'skipped' and exists (
            select from billing_cycles o
              join subscriptions u on u.tenant = o.tenant and u.id = o.subscription_id and u.billing_frequency is not null
             where o.tenant = s.tenant and o.status <> 'skipped'
               and o.created_at >= s.due_date + 5 and o.created_at < s.created_at - interval '1 day')`,
);
