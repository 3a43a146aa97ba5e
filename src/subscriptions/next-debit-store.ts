/** The SQL of upcoming renewals. */
import { sql, type Reader } from "../db/database.ts";
import type { IsoDate } from "../lib/dates.ts";
import type { GatewayAccountRow } from "../gateways/calling.ts";
import { ANNOUNCED_DAY, WAS_NOTIFIED } from "./announce-store.ts";
import { campaignStopped } from "./due-store.ts";
import type { NotificationTerms } from "./debit-day.ts";
import type { ClosedDayTerms } from "./schedule.ts";

interface NextRenewalRow extends ClosedDayTerms, NotificationTerms, GatewayAccountRow {
  readonly id: string;
  readonly next_billing_date: IsoDate;
  /** The last announced day that is still valid. */
  readonly announced_day: IsoDate | null;
  /** When an earlier failed cycle is retried. */
  readonly retry_at: Date | null;
}

const FIND = sql(
  "billing.find_next_renewals",
  `select u.id, u.next_billing_date, u.billing_frequency, u.trial_end_date, u.cancel_at_period_end, n.closed_day,
          n.notice_check, m.pre_notification_days as mandate_notice_days, m.text_version as mandate_text_version,
          ${WAS_NOTIFIED} as was_notified, ${ANNOUNCED_DAY} as announced_day,
          (select min(c.next_attempt_at) from billing_cycles c
            where c.tenant = :tenant and c.subscription_id = u.id and c.status = 'retry') as retry_at,
          g.id as gateway_id, g.adapter, g.settings, g.credentials
     from subscriptions u
     join tenants  n on n.tenant = :tenant
     join mandates m on m.tenant = :tenant and m.id = u.mandate_id
     join gateways g on g.tenant = :tenant and g.id = u.gateway_id
    where u.tenant = :tenant and u.id = any (:ids::uuid[]) and u.status <> 'CANCELLED' and u.next_billing_date is not null
      and not ${campaignStopped("u")}`,
).gives<NextRenewalRow>();

export function findNextRenewals(
  db: Reader,
  tenant: number,
  ids: readonly string[],
): Promise<readonly NextRenewalRow[]> {
  return db.query(FIND, { tenant, ids });
}
