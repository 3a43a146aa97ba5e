/** The SQL of first payments that came back and may be repeated. */
import { sql, type Reader } from "../../db/database.ts";
import type { LeadRow, SessionRow, TransactionRow } from "../../db/rows.ts";
import { CANCELLED } from "../../sepa/reasons.ts";
import { COLLECTS } from "../../subscriptions/store.ts";

/** How long after its return a first payment can be repeated through its link. */
const LINK_DAYS = 60;

/**
 * SQL: whether the customer may repeat the first payment `t` of session `s` and order `o`: it was accepted, came back
 * before it settled, and was not cancelled by the merchant. Sessions of a payment link begin at the link instead.
 */
export const MAY_BE_REPAID =
  `(t.type = 'sdd_sale' and t.status = 'declined' and t.gateway_code is distinct from '${CANCELLED}'
        and s.status = 'COMPLETED' and s.payment_link_id is null and o.status = 'FAILED'
        and t.updated_at >= :today::date - ${LINK_DAYS}
        and not exists (select from transactions w
                         where w.tenant = :tenant and w.session_id = t.session_id and w.created_at > t.created_at))` as const;

/**
 * SQL for a FROM and a WHERE: first payments `r` that were reinstated although their repetition `a` was paid, or is being
 * paid.
 */
export const REPAID_TWICE = `transactions r
       join sessions     n on n.tenant = r.tenant and n.repays_transaction_id = r.id
       join transactions a on a.tenant = r.tenant and a.session_id = n.id and a.type = 'sdd_sale' and a.status in ${COLLECTS}
      where r.reinstatements > 0 and r.cycle is null and r.status in ${COLLECTS}` as const;

/** A first payment that came back, with the terms of its session and its customer. */
export interface RepayableRow
  extends
    Pick<
      SessionRow,
      | "campaign_id"
      | "gateway_id"
      | "hosted_page_id"
      | "webhook_profile_id"
      | "product_name"
      | "amount"
      | "currency"
      | "billing_type"
      | "billing_frequency"
      | "billing_day"
      | "trial_interval_unit"
      | "trial_period"
      | "trial_price"
      | "attempts_max"
      | "locale"
      | "success_redirect_url"
      | "failure_redirect_url"
      | "cancel_redirect_url"
    >,
    Pick<
      LeadRow,
      "first_name" | "last_name" | "email" | "country" | "address" | "postal_code" | "city" | "phone"
    >,
    Pick<TransactionRow, "status" | "processed_at"> {
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly may_be_repaid: boolean;
}

const FIND = sql(
  "sessions.find_repayable",
  `select s.campaign_id, s.gateway_id, s.hosted_page_id, s.webhook_profile_id, s.product_name, s.amount, s.currency,
          s.billing_type, s.billing_frequency, s.billing_day, s.trial_interval_unit, s.trial_period, s.trial_price,
          s.attempts_max, s.metadata, s.locale, s.success_redirect_url, s.failure_redirect_url, s.cancel_redirect_url,
          l.first_name, l.last_name, l.email, l.country, l.address, l.postal_code, l.city, l.phone,
          t.status, t.processed_at, coalesce(${MAY_BE_REPAID}, false) as may_be_repaid
     from transactions t
     join sessions s on s.tenant = :tenant and s.id = t.session_id
     join orders   o on o.tenant = :tenant and o.id = t.order_id
     join leads    l on l.tenant = :tenant and l.id = t.lead_id
    where t.tenant = :tenant and t.id = :id and t.type = 'sdd_sale' and l.erased_at is null`,
).gives<RepayableRow>();

/**
 * Null for anything but a first payment, and once its customer is erased.
 * @param today the tenant's.
 */
export async function findRepayable(
  reader: Reader,
  tenant: number,
  id: string,
  today: string,
): Promise<RepayableRow | null> {
  return (await reader.query(FIND, { tenant, id, today }))[0] ?? null;
}

const IS_REINSTATED = sql(
  "sessions.is_repaid_reinstated",
  `select from transactions p
    where p.tenant = :tenant and p.status <> 'declined'
      and p.id = (select s.repays_transaction_id from sessions s where s.tenant = :tenant and s.id = :sessionId)`,
);

/** Whether a session was to repeat a first payment that has been reinstated. */
export async function isReinstated(reader: Reader, tenant: number, sessionId: string): Promise<boolean> {
  return (await reader.query(IS_REINSTATED, { tenant, sessionId })).length > 0;
}
