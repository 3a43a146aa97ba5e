/** Rules of the books check for mandates: what may be collected under them, how, and what ended them. */
import { MANDATE_ENDS } from "../sepa/reasons.ts";
import { noticeAllows, isLatestNotice } from "../messages/notice-conditions.ts";
import { CLOCKS_APART, rule } from "./rule-store.ts";

/** Collections that were sent to a bank. */
const SENT = "('batched', 'settled', 'returned')";

/** A mandate that ends while a file is being written may be in it. */
const AT_ONCE = "interval '1 minute'";

export const USE = rule(
  "mandate_use",
  `with debits as (
     select c.*, m.id as of_mandate, m.reference as mandate, m.status as mandate_status, m.cancelled_at, f.created_at as written_at,
            exists (select from sepa_news n
                     where n.tenant = c.tenant and n.gateway_id = c.gateway_id and n.reference = c.reference and n.kind = 'returned') as was_rejected
       from sepa_collections c
       join sepa_files f   on f.tenant = c.tenant and f.id = c.file_id
       join transactions t on t.tenant = c.tenant and t.gateway_id = c.gateway_id and t.merchant_transaction_id = c.reference
       join mandates m     on m.tenant = t.tenant and m.id = t.mandate_id
      where c.refund_of is null
   )
   select tenant, 'MANDATE-1' as invariant, format('%s was written into a file at %s, but its mandate %s ended at %s.', reference,
          to_char(written_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI'), mandate, to_char(cancelled_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI')) as words
     from debits where cancelled_at < written_at - ${AT_ONCE}
    union all
   select tenant, 'MANDATE-3', format('%s is due on %s, but its pre-notification period ends on %s.', reference, due_date, not_before)
     from debits where due_date < not_before
    union all
   select tenant, 'MANDATE-4', format('Mandate %s used FRST %s times: %s.', min(mandate), count(*), string_agg(reference, ', ' order by reference))
     from debits
    -- After one that the bank rejected comes another FRST, even if the rejected one is paid later all the same.
    where sequence_type = 'FRST' and state in ${SENT} and not was_rejected
    group by tenant, of_mandate having count(*) > 1`,
);

/** Reasons with which a bank ends a mandate, from any source. */
export const ENDED = rule(
  "mandate_ended",
  `with refused as (
       select t.tenant, t.mandate_id, t.merchant_transaction_id as reference, t.gateway_code as code
         from transactions t
         join gateways g on g.tenant = t.tenant and g.id = t.gateway_id and g.adapter = 'sepa_batch'
        where t.status = 'declined' and t.type <> 'sdd_refund'
        union all
       select t.tenant, t.mandate_id, t.merchant_transaction_id, c.reason_code
         from chargebacks c
         join transactions t on t.tenant = c.tenant and t.id = c.transaction_id
        where c.withdrawn_on is null
     )
     select m.tenant, 'MANDATE-6' as invariant, format('Mandate %s is active, but %s was returned with %s.', m.reference, r.reference, r.code) as words
       from refused r
       join mandates m on m.tenant = r.tenant and m.id = r.mandate_id
      where m.status = 'active' and r.code in (${MANDATE_ENDS.map((code) => `'${code}'`).join(", ")})
      union all
     select m.tenant, 'MANDATE-6', format('Mandate %s is %s, but %s was collected with it.', m.reference, m.status, t.merchant_transaction_id)
       from transactions t
       join mandates m on m.tenant = t.tenant and m.id = t.mandate_id
      where t.type <> 'sdd_refund' and t.status in ('pending', 'approved', 'refunded', 'charged_back') and m.status in ('pending', 'rejected')`,
);

/** The notice `x` was the last one for the due dates that the subscription had when cycle `c` was first presented. */
const OF_CYCLE = isLatestNotice(
  "t.tenant",
  "case when c.cycle >= u.billing_anchor_cycle then u.billing_anchor_date end",
  "c.due_date",
  `newer.created_at + ${CLOCKS_APART} < c.created_at`,
);

/**
 * Renewals that were collected although their customer was not notified in time, for tenants that have chosen to have
 * this reported or refused, since then. A notice of a day that was moved before the renewal was due does not count; if
 * the day of a later renewal was moved since, the first day of the schedule is no longer known.
 */
function collectedUnannounced<Chosen extends "report" | "refuse">(chosen: Chosen) {
  return `select t.tenant, 'MANDATE-8' as invariant, format('%s was collected on %s, and its customer was not notified in time.', t.merchant_transaction_id, d.handed_over) as words
       from transactions t
       join tenants n        on n.tenant = t.tenant and n.notice_check = '${chosen}'
       join subscriptions u  on u.tenant = t.tenant and u.id = t.subscription_id
       join billing_cycles c on c.tenant = t.tenant and c.subscription_id = t.subscription_id and c.cycle = t.cycle
                            and (u.billing_frequency is not null or c.due_date = u.trial_end_date)
       left join sepa_collections s on s.tenant = t.tenant and s.gateway_id = t.gateway_id and s.reference = t.merchant_transaction_id
      cross join lateral (select (t.created_at at time zone 'UTC')::date as handed_over) d
      where t.type = 'sdd_rebill' and t.source <> 'csv_import' and t.status in ('pending', 'approved', 'refunded', 'charged_back')
        and n.notice_check_since < t.created_at
        and not exists (
              select from notices x
               where x.tenant = t.tenant and x.subscription_id = t.subscription_id and x.mandate_id = t.mandate_id
                 and x.amount = t.amount and x.due_date <= c.due_date and (c.created_at <= n.notice_check_since or ${OF_CYCLE})
                 and ${noticeAllows("t.tenant", "coalesce(s.due_date, d.handed_over + x.lead_days)")})` as const;
}

export const UNANNOUNCED = rule("unannounced", collectedUnannounced("report"));
export const UNANNOUNCED_REFUSED = rule("unannounced_refused", collectedUnannounced("refuse"));
