/** The SQL of announcing renewals. */
import { CLOSED_DAYS_MAX } from "../sepa/target.ts";
import { sql, type Database, type Reader } from "../db/database.ts";
import type { IsoDate } from "../lib/dates.ts";
import type { NewEvent } from "../webhooks/events.ts";
import { insertNoticeMessage } from "../messages/outbox.ts";
import { AGREEING_NOTICES, notifiedAt } from "../messages/notice-conditions.ts";
import type { NoticeRow } from "../db/rows.ts";
import { insertEvents } from "../webhooks/outbox.ts";
import { campaignStopped } from "./due-store.ts";
import type { NotificationTerms } from "./debit-day.ts";
import type { ClosedDayTerms } from "./schedule.ts";

/** An upcoming renewal with the data of its announcement. */
export interface UpcomingRow extends ClosedDayTerms, NotificationTerms {
  readonly id: string;
  /** The subscription's: an amendment of its mandate changes it, too. */
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
  /** Whether an earlier message, sent or queued, announced the same for later renewals. */
  readonly is_written: boolean;
  /** Whether a message or an event that the merchant received did so. */
  readonly was_notified: boolean;
  /** The last day that was announced for this debit and is still valid. */
  readonly announced_day: string | null;
  readonly gateway_id: string;
  readonly adapter: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly credentials: Buffer | null;
}

const IS_NEAR = <Today extends string>(today: Today) =>
  `
  u.status <> 'CANCELLED' and not u.cancel_at_period_end
  and u.next_billing_date - n.pre_notification_days
      - case when n.closed_day = 'previous' then ${CLOSED_DAYS_MAX} else 0 end <= ${today}` as const;

const IS_UNANNOUNCED = "u.announced_date is distinct from u.next_billing_date";

/** SQL: a renewal that was announced, is due, and must not be collected before its customer is notified. */
const MAY_WAIT = <Today extends string>(today: Today) =>
  `n.notice_check = 'refuse' and u.announced_date = u.next_billing_date and u.next_billing_date <= ${today}` as const;

const TODAY = "(:now::timestamptz at time zone 'UTC')::date";
const TENANTS = sql(
  "billing.tenants_upcoming",
  `-- every tenant: the first of a job's two steps finds who has work
   select distinct u.tenant from subscriptions u join tenants n on n.tenant = u.tenant
    where ${IS_NEAR(TODAY)} and (${IS_UNANNOUNCED} or ${MAY_WAIT(TODAY)})
    limit :limit`,
).gives<{ tenant: number }>();

export async function tenantsWithUpcoming(db: Reader, now: Date, limit: number): Promise<readonly number[]> {
  const rows = await db.query(TENANTS, { now, limit });
  return rows.map(({ tenant }) => tenant);
}

/** SQL: the customer has received a message with the notice `x`, or it is queued. */
const WRITTEN = `exists (select from messages y
                          where y.tenant = :tenant and y.notice_id = x.id and y.state in ('waiting', 'sent'))` as const;
const IS_NOTIFIED = `${notifiedAt(":tenant")} is not null` as const;
/** SQL: a valid notice of subscription `u` has reached its customer, or is queued. */
export const WAS_NOTIFIED =
  `exists (select from ${AGREEING_NOTICES} and (${WRITTEN} or ${IS_NOTIFIED}))` as const;
/** SQL: the last announced day of the next debit of `u`, from notices that are still valid. */
export const ANNOUNCED_DAY =
  `(select max(x.collection_date) from ${AGREEING_NOTICES} and x.due_date = u.next_billing_date)` as const;
/** SQL: the merchant's server has not received the event of notice `x`, and it will be retried. */
const IS_ON_ITS_WAY = `(exists (select from events e
                                  where e.tenant = :tenant and e.id = x.event_id and e.fanned_out_at is null)
                        or exists (select from webhook_deliveries v
                                    where v.tenant = :tenant and v.event_id = x.event_id and v.status in ('pending', 'failing')))` as const;

const FIND = sql(
  "billing.find_upcoming",
  `select u.id, u.updated_at, u.billing_amount, u.currency, u.billing_frequency, u.next_billing_date, u.trial_end_date,
          u.cancel_at_period_end, n.closed_day, n.notice_check, o.order_number, s.metadata, u.lead_id,
          l.email, l.first_name, l.last_name, m.id as mandate_id, m.reference as mandate_reference, m.creditor_name,
          m.creditor_identifier, m.iban_last4, m.pre_notification_days as mandate_notice_days,
          m.text_version as mandate_text_version,
          exists (select from ${AGREEING_NOTICES} and ${WRITTEN}) as is_written, ${WAS_NOTIFIED} as was_notified,
          ${ANNOUNCED_DAY} as announced_day,
          g.id as gateway_id, g.test_mode, g.adapter, g.settings, g.credentials
     from subscriptions u
     join tenants  n on n.tenant = :tenant
     join orders   o on o.tenant = :tenant and o.id = u.order_id
     join sessions s on s.tenant = :tenant and s.id = o.session_id
     join leads    l on l.tenant = :tenant and l.id = u.lead_id
     join mandates m on m.tenant = :tenant and m.id = u.mandate_id
     join gateways g on g.tenant = :tenant and g.id = u.gateway_id
    where u.tenant = :tenant and ${IS_NEAR(":today::date")} and ${IS_UNANNOUNCED} and not ${campaignStopped("u")}
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
                          mandate_reference, creditor_name, creditor_identifier, iban_last4, notice_days, lead_days, told_by, event_id, created_at)
     select :tenant, x.id, u.id, x.mandate_id, x.due_date, x.collection_date, x.amount, x.currency, x.billing_frequency,
            x.mandate_reference, x.creditor_name, x.creditor_identifier, x.iban_last4, x.notice_days, x.lead_days,
            case when 'pre_notification' = any (n.messages) then 'message' else 'event' end, x.event_id,
            greatest(:now, before.newest + interval '1 millisecond')
       from u
       join tenants n on n.tenant = :tenant
      cross join (select max(created_at) as newest from notices where tenant = :tenant and subscription_id = :id) before
      cross join jsonb_to_record(:notice::jsonb) as x (id uuid, mandate_id uuid, due_date date, collection_date date, amount numeric,
            currency text, billing_frequency text, mandate_reference text, creditor_name text, creditor_identifier text,
            iban_last4 text, notice_days integer, lead_days integer, event_id uuid)
     returning id
   ), new_events as materialized (${insertEvents({ from: "t", events: ":events", now: ":now" })}
   ), notice_message as (${insertNoticeMessage({ from: "(select id from given where not :isWritten)" })}
   )
   select id from u`,
);

/** The stored part of an announcement. */
export type NewNotice = Omit<NoticeRow, "tenant" | "subscription_id" | "told_by" | "created_at">;

interface Announced {
  readonly event: NewEvent;
  readonly notice: NewNotice;
  /** The message's id, if the customer gets one. */
  readonly messageId: string;
}

/**
 * Records that a renewal was announced, with the event and the notice. Returns false when it already was, or has
 * changed since it was read.
 */
export async function writeAnnounced(
  db: Database,
  tenant: number,
  row: UpcomingRow,
  now: Date,
  { event, notice, messageId }: Announced,
): Promise<boolean> {
  const { id, updated_at: updatedAt, next_billing_date: nextBillingDate } = row;
  // Announced again, as the day has changed since it was announced.
  const isWritten = row.is_written && row.announced_day === null;
  const told = { events: JSON.stringify([event]), notice: JSON.stringify(notice), messageId, isWritten };
  return (await db.commit(WRITE, { tenant, id, updatedAt, now, nextBillingDate, ...told })).length === 1;
}

const KEEP_ANNOUNCED = sql(
  "billing.record_still_announced",
  `update subscriptions set announced_date = next_billing_date, updated_at = :now
    where tenant = :tenant and id = :id and updated_at = :updatedAt`,
);

/** Records that the announced day of a renewal stays valid. */
export async function recordStillAnnounced(
  db: Database,
  tenant: number,
  { id, updated_at: updatedAt }: UpcomingRow,
  now: Date,
): Promise<void> {
  await db.commit(KEEP_ANNOUNCED, { tenant, id, updatedAt, now });
}

const ANNOUNCE_AGAIN = sql(
  "billing.announce_again",
  `update subscriptions u set announced_date = null
     from notices x
    where u.tenant = :tenant and x.tenant = :tenant and x.id = :noticeId and u.id = x.subscription_id
      and u.next_billing_date = x.due_date and u.announced_date = x.due_date`,
);

/** Withdraws a notice whose day no longer applies: the renewal is announced for another day. */
export async function announceAgain(db: Database, tenant: number, noticeId: string): Promise<void> {
  await db.commit(ANNOUNCE_AGAIN, { tenant, noticeId });
}

const ANNOUNCE_UNNOTIFIED_AGAIN = sql(
  "billing.announce_unnotified_again",
  `update subscriptions u set announced_date = null
     from tenants n, mandates m
    where n.tenant = :tenant and n.notice_check = 'refuse' and m.tenant = :tenant and m.id = u.mandate_id
      and u.tenant = :tenant and u.status <> 'CANCELLED' and ${MAY_WAIT(":today::date")}
      and u.updated_at < :today::date at time zone 'UTC'
      and not exists (select from ${AGREEING_NOTICES}
        and (${WRITTEN} or ${IS_NOTIFIED} or ${IS_ON_ITS_WAY}
             or x.due_date = u.next_billing_date
                and (x.collection_date - x.lead_days > :today::date or x.collection_date - greatest(x.lead_days, x.notice_days) >= :today::date)))`,
);

/**
 * Announces again, for another day, renewals that are due and wait because their customers could not be notified. They
 * keep the announced day until then, so that a failing notification is tried once per notice period. Not while that day
 * can still be met, or while an event of it is being retried; and once a day, as the next debit may fall on the same
 * day for several days.
 */
export async function announceUnnotifiedAgain(db: Database, tenant: number, today: IsoDate): Promise<void> {
  await db.commit(ANNOUNCE_UNNOTIFIED_AGAIN, { tenant, today });
}
