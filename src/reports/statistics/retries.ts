/**
 * `management/statistics/retries/`: how often the second attempt of a renewal succeeded, by the reason why the first
 * one failed.
 */
import { sql, type Reader } from "../../db/database.ts";
import type { IsoDate } from "../../lib/dates.ts";
import { OPEN_IN_SQL } from "../../payments/transaction.ts";
import { CANCELLED } from "../../sepa/reasons.ts";

interface RetryRow {
  readonly reason: string;
  readonly currency: string;
  readonly tried_again: number;
  readonly succeeded: number;
  readonly pending: number;
  readonly declined: number;
  readonly returned: number;
  readonly succeeded_amount: string;
}

/**
 * Attempts that never reached the bank do not count: those that their gateway certainly did not receive, and those
 * withdrawn before they were sent. Attempts are numbered from weeks before the first day, so that a second one is not
 * taken for a first.
 */
const RETRIES = sql(
  "reports.retries",
  `with tries as (
     select t.subscription_id, t.cycle, t.status, t.currency, t.amount, t.created_at,
            coalesce(t.gateway_code, t.error_code) as reason,
            row_number() over (partition by t.subscription_id, t.cycle order by t.created_at, t.id) as number
       from transactions t
      where t.tenant = :tenant and t.type = 'sdd_rebill' and t.cycle is not null
        and t.created_at >= (:from::date - 60)::timestamp at time zone 'UTC'
        and not (t.status = 'declined' and t.gateway_code is null
                 and coalesce(t.error_code, 'gateway_unavailable') = 'gateway_unavailable')
        and t.gateway_code is distinct from '${CANCELLED}'
   )
   select coalesce(first.reason, 'unknown') as reason, second.currency, count(*)::integer as tried_again,
          (count(*) filter (where second.status in ('approved', 'refunded')))::integer as succeeded,
          (count(*) filter (where second.status = 'pending' or second.status in ${OPEN_IN_SQL}))::integer as pending,
          (count(*) filter (where second.status = 'declined'))::integer as declined,
          (count(*) filter (where second.status = 'charged_back'))::integer as returned,
          coalesce(sum(second.amount) filter (where second.status in ('approved', 'refunded')), 0.00)::text as succeeded_amount
     from tries first
     join tries second on second.subscription_id = first.subscription_id and second.cycle = first.cycle and second.number = 2
    where first.number = 1 and first.status = 'declined'
      and first.created_at >= :from::date::timestamp at time zone 'UTC'
      and first.created_at < (:to::date + 1)::timestamp at time zone 'UTC'
    group by 1, 2
    order by 3 desc, 1, 2`,
).gives<RetryRow>();

/** @param days on which the first try was made, UTC. */
export function retries(
  db: Reader,
  tenant: number,
  days: { readonly from: IsoDate; readonly to: IsoDate },
): Promise<readonly RetryRow[]> {
  return db.query(RETRIES, { tenant, ...days });
}
