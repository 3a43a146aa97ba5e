/** The SQL of announcing renewals. */
import { CLOSED_DAYS_MAX } from "../sepa/target.ts";
import { sql, type Database, type Reader } from "../db/database.ts";
import type { NewEvent } from "../webhooks/events.ts";
import { insertEvents } from "../webhooks/outbox.ts";
import type { ClosedDayTerms } from "./schedule.ts";

/** An upcoming renewal, with the data of its announcement. */
export interface UpcomingRow extends ClosedDayTerms {
  readonly id: string;
  readonly billing_amount: string;
  readonly currency: string;
  readonly next_billing_date: string;
  readonly order_number: string;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly lead_id: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly mandate_reference: string;
  readonly creditor_name: string;
  readonly creditor_identifier: string | null;
  readonly iban_last4: string;
  readonly test_mode: boolean;
  readonly mandate_notice_days: number | null;
  readonly gateway_id: string;
  readonly adapter: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly credentials: Buffer | null;
}

const IS_NEAR = <Today extends string>(today: Today) =>
  `
  u.status <> 'CANCELLED' and not u.cancel_at_period_end
  and u.next_billing_date - n.pre_notification_days
      - case when n.closed_day = 'previous' then ${CLOSED_DAYS_MAX} else 0 end <= ${today}
  and u.announced_date is distinct from u.next_billing_date` as const;

const TENANTS = sql(
  "billing.tenants_upcoming",
  `-- every tenant: the first of a job's two steps finds who has work
   select distinct u.tenant from subscriptions u join tenants n on n.tenant = u.tenant
    where ${IS_NEAR("(:now::timestamptz at time zone 'UTC')::date")}
    limit :limit`,
).gives<{ tenant: number }>();

export async function tenantsWithUpcoming(db: Reader, now: Date, limit: number): Promise<readonly number[]> {
  const rows = await db.query(TENANTS, { now, limit });
  return rows.map(({ tenant }) => tenant);
}

const FIND = sql(
  "billing.find_upcoming",
  `select u.id, u.billing_amount, u.currency, u.billing_frequency, u.next_billing_date, u.trial_end_date,
          u.cancel_at_period_end, n.closed_day, o.order_number, s.metadata, u.lead_id,
          l.email, l.first_name, l.last_name, m.reference as mandate_reference, m.creditor_name,
          m.creditor_identifier, m.iban_last4, m.pre_notification_days as mandate_notice_days,
          g.id as gateway_id, g.test_mode, g.adapter, g.settings, g.credentials
     from subscriptions u
     join tenants  n on n.tenant = :tenant
     join orders   o on o.tenant = :tenant and o.id = u.order_id
     join sessions s on s.tenant = :tenant and s.id = o.session_id
     join leads    l on l.tenant = :tenant and l.id = u.lead_id
     join mandates m on m.tenant = :tenant and m.id = u.mandate_id
     join gateways g on g.tenant = :tenant and g.id = u.gateway_id
    where u.tenant = :tenant and ${IS_NEAR(":today::date")}
    order by u.next_billing_date, u.id
    limit :limit`,
).gives<UpcomingRow>();

export function findUpcoming(
  db: Reader,
  tenant: number,
  today: string,
  limit: number,
): Promise<readonly UpcomingRow[]> {
  return db.query(FIND, { tenant, today, limit });
}

const WRITE = sql(
  "billing.write_announced",
  `with u as (
     update subscriptions set announced_date = :nextBillingDate, updated_at = :now
      where tenant = :tenant and id = :id and next_billing_date = :nextBillingDate and announced_date is distinct from :nextBillingDate
     returning id
   ), t as (
     select null::uuid as session_id, null::uuid as id from u
   ), heard as materialized (${insertEvents({ from: "t", events: ":events", now: ":now" })}
   )
   select id from u`,
);

/** Notes that a renewal was announced, and the event with it; false when it was already. */
export async function writeAnnounced(
  db: Database,
  tenant: number,
  row: UpcomingRow,
  now: Date,
  event: NewEvent,
): Promise<boolean> {
  const { id, next_billing_date: nextBillingDate } = row;
  const values = { tenant, id, now, nextBillingDate, events: JSON.stringify([event]) };
  return (await db.commit(WRITE, values)).length === 1;
}
