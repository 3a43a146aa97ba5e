/** The SQL of announcing renewals. */
import { CLOSED_DAYS_MAX } from "../sepa/target.ts";
import { sql, type Database, type Reader } from "../db/database.ts";
import type { NewEvent } from "../webhooks/events.ts";
import { insertNoticeMessage, NOTICE_AGREES } from "../messages/outbox.ts";
import type { NoticeRow } from "../db/rows.ts";
import { insertEvents } from "../webhooks/outbox.ts";
import type { ClosedDayTerms } from "./schedule.ts";

/** An upcoming renewal, with the data of its announcement. */
export interface UpcomingRow extends ClosedDayTerms {
  readonly id: string;
  /** Of the subscription: an amendment of its mandate changes it, too. */
  readonly updated_at: Date;
  readonly billing_amount: string;
  readonly currency: string;
  readonly next_billing_date: string;
  readonly order_number: string;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly lead_id: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly mandate_id: string;
  readonly mandate_reference: string;
  readonly creditor_name: string;
  readonly creditor_identifier: string | null;
  readonly iban_last4: string;
  readonly test_mode: boolean;
  readonly mandate_notice_days: number | null;
  readonly mandate_text_version: string | null;
  /** Whether an earlier notice, that the customer got or is about to get, said the same of later renewals. */
  readonly was_told: boolean;
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
  `select u.id, u.updated_at, u.billing_amount, u.currency, u.billing_frequency, u.next_billing_date, u.trial_end_date,
          u.cancel_at_period_end, n.closed_day, o.order_number, s.metadata, u.lead_id,
          l.email, l.first_name, l.last_name, m.id as mandate_id, m.reference as mandate_reference, m.creditor_name,
          m.creditor_identifier, m.iban_last4, m.pre_notification_days as mandate_notice_days,
          m.text_version as mandate_text_version,
          exists (select from notices x join messages y on y.tenant = :tenant and y.notice_id = x.id and y.state in ('waiting', 'sent')
                   where x.tenant = :tenant and x.subscription_id = u.id and ${NOTICE_AGREES}) as was_told,
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
      where tenant = :tenant and id = :id and updated_at = :updatedAt and announced_date is distinct from :nextBillingDate
     returning id
   ), t as (
     select null::uuid as session_id, null::uuid as id from u
   ), given as (
     insert into notices (tenant, id, subscription_id, mandate_id, due_date, collection_date, amount, currency, billing_frequency,
                          mandate_reference, creditor_name, creditor_identifier, iban_last4, notice_days, lead_days, event_id, created_at)
     select :tenant, x.id, u.id, x.mandate_id, x.due_date, x.collection_date, x.amount, x.currency, x.billing_frequency,
            x.mandate_reference, x.creditor_name, x.creditor_identifier, x.iban_last4, x.notice_days, x.lead_days, x.event_id, :now
       from u
      cross join jsonb_to_record(:notice::jsonb) as x (id uuid, mandate_id uuid, due_date date, collection_date date, amount numeric,
            currency text, billing_frequency text, mandate_reference text, creditor_name text, creditor_identifier text,
            iban_last4 text, notice_days integer, lead_days integer, event_id uuid)
     returning id
   ), heard as materialized (${insertEvents({ from: "t", events: ":events", now: ":now" })}
   ), told_of as (${insertNoticeMessage({ from: "(select id from given where not :wasTold)" })}
   )
   select id from u`,
);

/** What is kept of an announcement. */
export type NewNotice = Omit<NoticeRow, "tenant" | "subscription_id" | "created_at">;

interface Announced {
  readonly event: NewEvent;
  readonly notice: NewNotice;
  /** For the message, where the customer is to get one. */
  readonly messageId: string;
}

/** Notes that a renewal was announced, with the event and the notice; false when it was already, or has changed since it was read. */
export async function writeAnnounced(
  db: Database,
  tenant: number,
  row: UpcomingRow,
  now: Date,
  { event, notice, messageId }: Announced,
): Promise<boolean> {
  const { id, updated_at: updatedAt, next_billing_date: nextBillingDate, was_told: wasTold } = row;
  const told = { events: JSON.stringify([event]), notice: JSON.stringify(notice), messageId, wasTold };
  return (await db.commit(WRITE, { tenant, id, updatedAt, now, nextBillingDate, ...told })).length === 1;
}
