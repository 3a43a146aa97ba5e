/** The SQL of failed renewals that their customers may pay again. */
import { sql, type Reader } from "../../db/database.ts";
import type { BillingCycleRow, TransactionRow } from "../../db/rows.ts";
import type { GatewayAccountRow } from "../../gateways/calling.ts";
import { isBlockedAccount } from "../../mandates/writes.ts";
import { isUnusedFor36Months } from "../../mandates/store.ts";
import { isNoticed } from "../../messages/notice-conditions.ts";
import { campaignStopped } from "../due-store.ts";

/** How long after its failure a payment can be repeated through its link. */
const LINK_DAYS = 60;

/**
 * SQL: whether the customer may repeat the failed attempt `t` of cycle `c`, subscription `u`, mandate `m` and tenant
 * `n`. It must be the cycle's newest, so each failure allows one attempt through its link, and none once the cycle was
 * retried automatically.
 */
export const MAY_BE_RETRIED =
  `(t.status = 'declined' and c.transaction_id = t.id and u.status <> 'CANCELLED' and m.status = 'active'
        and not ${isBlockedAccount("array[m.iban_fingerprint]")}
        and not ${isUnusedFor36Months("m", ":today::date")}
        and t.updated_at >= :today::date - ${LINK_DAYS}
        and (c.status = 'retry'
             or c.status = 'failed' and u.next_billing_date > :today::date
                and c.cycle = (select max(k.cycle) from billing_cycles k where k.tenant = :tenant and k.subscription_id = u.id))
        and ${isNoticed("c.due_date", "again")} and not ${campaignStopped("u")})` as const;

/** A failed attempt, with the state of its cycle. */
export interface FailedRow extends GatewayAccountRow {
  readonly subscription_id: string;
  readonly cycle: number;
  readonly due_date: string;
  readonly cycle_status: BillingCycleRow["status"];
  /** Of the cycle's newest attempt. */
  readonly newest_status: TransactionRow["status"];
  readonly newest_error_code: string | null;
  /** Of the cycle's newest attempt. */
  readonly newest_created_at: Date;
  /** Of the cycle's newest attempt, which identifies it at its gateway. */
  readonly newest_reference: string;
  readonly may_be_put_right: boolean;
}

const FIND = sql(
  "failed_payments.find",
  `select u.id as subscription_id, c.cycle, c.due_date, c.status as cycle_status, w.status as newest_status,
          w.error_code as newest_error_code, w.created_at as newest_created_at, w.merchant_transaction_id as newest_reference,
          w.gateway_id, g.adapter, g.settings, g.credentials, coalesce(${MAY_BE_RETRIED}, false) as may_be_put_right
     from transactions t
     join tenants        n on n.tenant = :tenant
     join subscriptions  u on u.tenant = :tenant and u.id = t.subscription_id
     join billing_cycles c on c.tenant = :tenant and c.subscription_id = t.subscription_id and c.cycle = t.cycle
     join transactions   w on w.tenant = :tenant and w.id = c.transaction_id
     join mandates       m on m.tenant = :tenant and m.id = u.mandate_id
     join gateways       g on g.tenant = :tenant and g.id = w.gateway_id
    where t.tenant = :tenant and t.id = :id and t.type = 'sdd_rebill'`,
).gives<FailedRow>();

/** Null for a payment that is not an attempt at a cycle. */
export async function findFailed(
  reader: Reader,
  tenant: number,
  id: string,
  today: string,
): Promise<FailedRow | null> {
  return (await reader.query(FIND, { tenant, id, today }))[0] ?? null;
}
