/** The SQL of the books check: sums by day, and one statement per rule, which finds its violations. */
import { sql, type PlainStatement, type Reader } from "../db/database.ts";
import { BANK, BANK_NEWS, FILES } from "./bank-store.ts";
import { CREDITORS } from "./creditor-store.ts";
import {
  CHARGEBACK_EVENTS,
  COMPLETED_EVENTS,
  EXPIRED_EVENTS,
  STATUS_EVENTS,
  UPCOMING_EVENTS,
} from "./events-store.ts";
import { ENDED, UNANNOUNCED_REFUSED, USE } from "./mandates-store.ts";
import { OPEN_IN_SQL } from "../payments/transaction.ts";
import { rule, type BrokenRow, type Rule } from "./rule-store.ts";
import {
  COUNTERS,
  CYCLES,
  NEXT_DATES,
  RETRIES,
  REVENUE,
  SKIPPED,
  STATUSES,
  TRIES,
  WAITING,
} from "./subscriptions-store.ts";

/** Money moved on a day (UTC), by our records and, for a sandbox, by the bank's books. */
export interface DayRow {
  readonly tenant_id: string;
  readonly gateway_id: string;
  readonly adapter: string;
  readonly day: string;
  readonly currency: string;
  readonly sales: string;
  readonly refunds: string;
  readonly chargebacks: string;
  readonly bank_sales: string;
  readonly bank_refunds: string;
  readonly sale_count: number;
  readonly refund_count: number;
  readonly chargeback_count: number;
}

const PAID = "('approved', 'refunded', 'charged_back')";
const DAY = (time: string) => `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD')`;

/**
 * From the bank's books only what ours have an outcome for; accepted money counts once ours is paid, as we write first.
 * What a processor's file reported comes from the processor's bank. Only our records show when a sale settled later:
 * the sandbox stores when it was collected.
 */
const DAYS = sql(
  "books.days",
  `-- every tenant: the books are checked as a whole
   with shown as (
     select b.*, t.status as our_status,
            case when b.state in ('pending', 'settled', 'returned') then coalesce(t.processed_at, b.charged_at)
                 else b.charged_at end as settled_at
       from sandbox_books b
       left join transactions t
         on t.tenant = b.tenant and t.gateway_id = b.gateway_id and t.merchant_transaction_id = b.reference
      where t.status is null or t.status not in ${OPEN_IN_SQL}
   ), moved as (
     select tenant, gateway_id, ${DAY("coalesce(processed_at, created_at)")} as day, currency, 'sale' as kind, amount
       from transactions
      where type <> 'sdd_refund' and status in ${PAID}
      union all
     select tenant, gateway_id, ${DAY("coalesce(processed_at, created_at)")}, currency, 'refund', amount
       from transactions
      where type = 'sdd_refund' and status = 'approved'
      union all
     select tenant, gateway_id, ${DAY("report_date")}, currency, 'chargeback', amount from chargebacks where withdrawn_on is null
      union all
     select tenant, gateway_id, ${DAY("settled_at")}, currency, 'bank_sale', amount
       from shown
      where refund_of is null
        and (state in ('charged', 'settled', 'charged_back')
             or (state in ('pending', 'returned') and our_status in ${PAID}))
      union all
     select tenant, gateway_id, ${DAY("charged_at")}, currency, 'bank_refund', amount
       from shown
      where refund_of is not null
        and (state in ('refunded', 'settled') or (state = 'pending' and our_status = 'approved'))
      union all
     select tenant, gateway_id, ${DAY("processed_at")}, currency,
            case when type = 'sdd_refund' then 'bank_refund' else 'bank_sale' end, amount
       from transactions
      where source = 'csv_import' and (status in ${PAID} and type <> 'sdd_refund' or status = 'approved')
   )
   select n.id as tenant_id, m.gateway_id, g.adapter, m.day, m.currency,
          coalesce(sum(m.amount) filter (where kind = 'sale'), 0.00)        as sales,
          coalesce(sum(m.amount) filter (where kind = 'refund'), 0.00)      as refunds,
          coalesce(sum(m.amount) filter (where kind = 'chargeback'), 0.00)  as chargebacks,
          coalesce(sum(m.amount) filter (where kind = 'bank_sale'), 0.00)   as bank_sales,
          coalesce(sum(m.amount) filter (where kind = 'bank_refund'), 0.00) as bank_refunds,
          count(*) filter (where kind = 'sale')::integer       as sale_count,
          count(*) filter (where kind = 'refund')::integer     as refund_count,
          count(*) filter (where kind = 'chargeback')::integer as chargeback_count
     from moved m
     join tenants  n on n.tenant = m.tenant
     join gateways g on g.tenant = m.tenant and g.id = m.gateway_id
    group by n.id, m.gateway_id, g.adapter, m.day, m.currency
    order by n.id, m.gateway_id, m.day, m.currency`,
).gives<DayRow>();

export function readDays(db: Reader): Promise<readonly DayRow[]> {
  return db.query(DAYS, {});
}

/** Each rule reports at most this many, and whether there are more. */
export const REPORTED_MAX = 100;

/** One row per order: the status that follows from its transactions (docs/states.md, Orders). */
const ORDERS = rule(
  "orders",
  `with paid as (
     select tenant, order_id, count(*) filter (where own) as attempts,
            bool_or(status = 'charged_back') as charged_back,
            bool_or(own and status = 'refunded') as refunded,
            bool_or(own and status = 'approved') as approved,
            bool_or(own and status = 'pending') as pending,
            bool_or(own and status = 'submitted') as submitted,
            bool_or(own and status in ('unresolved', 'awaiting_verification', 'verifying')) as uncertain
       from (select *, type <> 'sdd_rebill' as own from transactions
              where order_id is not null and type <> 'sdd_refund') t
      group by tenant, order_id
   ), expected as (
     select o.tenant, o.order_number, o.status,
            case when p.charged_back then 'CHARGEDBACK'
                 when p.refunded then 'REFUNDED'
                 when p.approved then 'COMPLETED'
                 when p.pending then 'PENDING'
                 when p.submitted then 'PENDING_PAYMENT_SUBMISSION'
                 when p.uncertain then 'PENDING'
                 when p.attempts > 0 or s.status = 'EXPIRED' then 'FAILED'
                 else 'PENDING_PAYMENT_SUBMISSION' end as by_transactions
       from orders o
       join sessions s  on s.tenant = o.tenant and s.id = o.session_id
       left join paid p on p.tenant = o.tenant and p.order_id = o.id
   )
   select tenant, 'SESSION-5' as invariant, format('Order %s is %s; its transactions make it %s.', order_number, status, by_transactions) as words
     from expected
    where status <> by_transactions`,
);

const ONE_SALE = rule(
  "one_sale",
  `select t.tenant, 'SESSION-1' as invariant, format('Order %s was paid %s times: %s.', min(o.order_number), count(*),
                           string_agg(t.merchant_transaction_id, ', ' order by t.merchant_transaction_id)) as words
     from transactions t
     join orders o on o.tenant = t.tenant and o.session_id = t.session_id
    where t.type in ('sdd_sale', 'other_type') and t.status in ('pending', 'approved', 'refunded', 'charged_back')
    group by t.tenant, t.session_id
   having count(*) > 1`,
);

/** A payment that was accepted and returned before it settled has completed its session; its order is FAILED since. */
const SESSIONS = rule(
  "sessions",
  `with paid as (
     select distinct tenant, session_id from transactions
      where session_id is not null and status in ('pending', 'approved', 'refunded', 'charged_back')
   ), returned as (
     select distinct m.tenant, m.session_id
       from session_moves m
       join transactions t on t.tenant = m.tenant and t.id = m.transaction_id and t.status = 'declined'
      where m.to_status = 'COMPLETED' and m.cause = 'pending'
   )
   select s.tenant, 'SESSION-4' as invariant, format('The session of order %s is %s, but its payment is %s.', o.order_number, s.status,
                           case when p.session_id is null then 'missing' else 'approved or pending' end) as words
     from sessions s
     join orders o        on o.tenant = s.tenant and o.session_id = s.id
     left join paid p     on p.tenant = s.tenant and p.session_id = s.id
     left join returned r on r.tenant = s.tenant and r.session_id = s.id
    where (s.status = 'COMPLETED' and p.session_id is null and r.session_id is null)
       or (s.status <> 'COMPLETED' and p.session_id is not null)`,
);

/**
 * The allowed combinations of the bank's state and ours. We write news before we acknowledge it, so `pending` there may
 * be further here; while ours is open, any state is allowed there.
 */
const AGREED = `(values
  ('sale', 'none', 'declined'), ('sale', 'refused', 'declined'), ('sale', 'fenced', 'declined'),
  ('sale', 'charged', 'approved'), ('sale', 'charged', 'refunded'), ('sale', 'charged', 'charged_back'),
  ('sale', 'settled', 'approved'), ('sale', 'settled', 'refunded'), ('sale', 'settled', 'charged_back'),
  ('sale', 'pending', 'pending'), ('sale', 'pending', 'approved'), ('sale', 'pending', 'charged_back'),
  ('sale', 'returned', 'declined'), ('sale', 'returned', 'charged_back'),
  ('sale', 'charged_back', 'charged_back'),
  ('refund', 'none', 'declined'), ('refund', 'refused', 'declined'), ('refund', 'fenced', 'declined'),
  ('refund', 'refunded', 'approved'), ('refund', 'settled', 'approved'),
  ('refund', 'pending', 'pending'), ('refund', 'pending', 'approved')
) as agreed (kind, bank, ours)`;

/** Compares the sandbox's books reference by reference. Besides the sandbox, only this check reads them. */
const SANDBOX = rule(
  "sandbox",
  `with pairs as (
     select coalesce(b.tenant, t.tenant) as tenant, coalesce(b.reference, t.merchant_transaction_id) as reference,
            case when b.refund_of is not null or t.type = 'sdd_refund' then 'refund' else 'sale' end as kind,
            coalesce(b.state, 'none') as bank, coalesce(t.status, 'none') as ours,
            b.amount as bank_amount, b.currency as bank_currency, t.amount, t.currency, b.refund_of,
            p.merchant_transaction_id as original,
            b.state = 'pending' and b.scenario = 'return_later' and t.status = 'declined' as reported_soon
       from sandbox_books b
       full join (select t.* from transactions t
                    join gateways g on g.tenant = t.tenant and g.id = t.gateway_id and g.adapter = 'sandbox'
                   where t.source <> 'csv_import') t
         on t.tenant = b.tenant and t.gateway_id = b.gateway_id and t.merchant_transaction_id = b.reference
       left join transactions p on p.tenant = t.tenant and p.id = t.original_id
   )
   select tenant, 'MONEY-2' as invariant, format('%s is %s at the sandbox but %s here.', reference,
                         case bank when 'none' then 'unknown' else bank end,
                         case ours when 'none' then 'unknown' else ours end) as words
     from pairs
    where ours not in ${OPEN_IN_SQL} and not coalesce(reported_soon, false)
      and not (bank = 'fenced' and ours = 'none')
      and not exists (select 1 from ${AGREED} where (agreed.kind, agreed.bank, agreed.ours) = (pairs.kind, pairs.bank, pairs.ours))
    union all
   select tenant, 'MONEY-3', format('%s is %s %s at the sandbox but %s %s here.', reference, bank_amount, bank_currency, amount, currency)
     from pairs
    where bank not in ('none', 'fenced') and ours <> 'none' and (bank_amount, bank_currency) <> (amount, currency)
    union all
   select tenant, 'MONEY-6', format('%s refunds %s at the sandbox but %s here.', reference, refund_of, original)
     from pairs
    where refund_of is not null and original is not null and refund_of <> original`,
);

/** Compares the refunded amounts that the sandbox counted with its own refunds. */
const SANDBOX_REFUNDS = rule(
  "sandbox_refunds",
  `with given as (
     select tenant, gateway_id, refund_of, sum(amount) as refunded
       from sandbox_books
      where refund_of is not null and state in ('refunded', 'settled', 'pending')
      group by tenant, gateway_id, refund_of
   )
   select b.tenant, 'MONEY-4' as invariant, format('At the sandbox %s of %s is refunded; its refunds total %s.', b.refunded, b.reference,
                           coalesce(g.refunded, 0.00)) as words
     from sandbox_books b
     left join given g on g.tenant = b.tenant and g.gateway_id = b.gateway_id and g.refund_of = b.reference
    where b.refunded <> coalesce(g.refunded, 0.00)`,
);

const HELD_REFUNDS = rule(
  "held_refunds",
  `select tenant, 'MONEY-13' as invariant, format('The refund %s was held until %s and never released, but is %s.', merchant_transaction_id,
                         to_char(held_until at time zone 'UTC', 'YYYY-MM-DD'), status) as words
     from transactions
    where held_until is not null and released_at is null and status not in ('submitted', 'declined')`,
);

const NEWS_SET_ASIDE = rule(
  "news_set_aside",
  `select tenant, 'LIVE-3' as invariant, format('The gateway %s reports that %s is %s, which could not be recorded %s times since %s: %s', gateway_id, reference,
                         kind, tries, to_char(since at time zone 'UTC', 'YYYY-MM-DD HH24:MI'), why) as words
     from gateway_news_set_aside`,
);

/** The rules by their subject. */
export const RULES: readonly (readonly [about: string, statement: Rule])[] = [
  ["orders", ORDERS],
  ["held refunds", HELD_REFUNDS],
  ["sales of a session", ONE_SALE],
  ["sessions", SESSIONS],
  ["subscriptions' revenue", REVENUE],
  ["subscriptions' counters", COUNTERS],
  ["subscriptions' dates", NEXT_DATES],
  ["subscriptions' statuses", STATUSES],
  ["billing cycles", CYCLES],
  ["attempts of billing cycles", TRIES],
  ["retries of billing cycles", RETRIES],
  ["billing cycles that wait", WAITING],
  ["skipped billing cycles", SKIPPED],
  ["events of statuses", STATUS_EVENTS],
  ["events of chargebacks", CHARGEBACK_EVENTS],
  ["completed events", COMPLETED_EVENTS],
  ["expired events", EXPIRED_EVENTS],
  ["announced renewals", UPCOMING_EVENTS],
  ["gateway news set aside", NEWS_SET_ASIDE],
  ["the sandbox's books", SANDBOX],
  ["the sandbox's refunds", SANDBOX_REFUNDS],
  ["creditors of mandates", CREDITORS],
  ["the use of mandates", USE],
  ["mandates that have ended", ENDED],
  ["renewals without notice", UNANNOUNCED_REFUSED],
  ["the bank's books", BANK],
  ["files for the bank", FILES],
  ["the bank's notices", BANK_NEWS],
];

/** The violations of a rule: one more than is reported, to find out whether there are more. */
export function readBroken(db: Reader, statement: Rule): Promise<readonly BrokenRow[]> {
  return db.query(statement, { limit: REPORTED_MAX + 1 });
}

/** Every statement of the transaction sees the same snapshot. Not prepared: PREPARE does not accept SET. */
export const SNAPSHOT: PlainStatement = {
  name: "",
  text: "set transaction isolation level repeatable read, read only",
};
