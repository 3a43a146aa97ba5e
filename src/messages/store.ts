/** The SQL of messages: claims due ones, reads their facts, records results. */
import { sql, type Database, type Reader } from "../db/database.ts";
import { isFree, leaseEnd } from "../db/lease.ts";
import { listed } from "../db/lists.ts";
import type { MessageRow, NoticeRow } from "../db/rows.ts";
import type { IsoDate } from "../lib/dates.ts";
import type { Window } from "../lib/window.ts";
import { MAY_BE_REPAID } from "../sessions/repay/store.ts";
import { MAY_BE_RETRIED } from "../subscriptions/failed/store.ts";
import { campaignStopped } from "../subscriptions/due-store.ts";
import { AGREEING_NOTICES, NOTICE_AGREES, notifiedAt } from "./notice-conditions.ts";

const TENANTS = sql(
  "messages.tenants_due",
  `-- every tenant: the job looks for the tenants that have something to do
   select tenant from messages
    where state = 'waiting' and (due_at is null or due_at <= :now)
    group by tenant
    order by min(created_at)
    limit :limit`,
).gives<{ tenant: number }>();

export async function tenantsWithDueMessages(
  db: Reader,
  now: Date,
  limit: number,
): Promise<readonly number[]> {
  const rows = await db.query(TENANTS, { now, limit });
  return rows.map(({ tenant }) => tenant);
}

const GIVE_UP_UNCLEAR = sql(
  "messages.give_up_unclear",
  `update messages
      set state = 'unclear', due_at = null
    where tenant = :tenant and state = 'waiting' and handed_over_at is not null and ${isFree("locked_until")}
   returning id`,
).gives<{ id: string }>();

/** Marks messages of a dead process as unclear: they may have been sent and are not sent again. Returns them. */
export async function giveUpUnclear(db: Database, tenant: number): Promise<readonly string[]> {
  const rows = await db.commit(GIVE_UP_UNCLEAR, { tenant });
  return rows.map(({ id }) => id);
}

/** A message that is claimed. */
export interface Claimed {
  readonly id: string;
  readonly lease_no: string;
  /** Including this one. */
  readonly attempts: number;
}

const CLAIM = sql(
  "messages.claim",
  `with due as (
     select id from messages
      where tenant = :tenant and state = 'waiting' and handed_over_at is null
        and (due_at is null or due_at <= :now) and ${isFree("locked_until")}
      order by created_at, id
      limit :limit
        for update skip locked
   )
   update messages m
      set locked_until = ${leaseEnd(":leaseMs")}, lease_no = m.lease_no + 1, attempts = m.attempts + 1
     from due
    where m.tenant = :tenant and m.id = due.id
   returning m.id, m.lease_no, m.attempts`,
).gives<Claimed>();

export function claimMessages(
  db: Database,
  tenant: number,
  now: Date,
  leaseMs: number,
  limit: number,
): Promise<readonly Claimed[]> {
  return db.commit(CLAIM, { tenant, now, leaseMs, limit });
}

/** A message with the current state of its subject; a notice as it was created. */
export interface MessageWithSubject {
  readonly id: string;
  readonly kind: MessageRow["kind"];
  readonly notice_id: string | null;
  readonly attempts: number;
  readonly lead_id: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly country: string;
  readonly erased_at: Date | null;
  readonly tenant_name: string;
  readonly message_sender: string | null;
  readonly message_address: string | null;
  readonly message_reply_to: string | null;
  readonly default_locale: string | null;
  readonly session_locale: string | null;
  readonly mandate_id: string;
  readonly mandate_status: string;
  readonly mandate_language: string | null;
  /** As agreed in the mandate. */
  readonly mandate_notice_days: number | null;
  readonly mandate_reference: string;
  readonly creditor_name: string;
  readonly creditor_identifier: string | null;
  readonly iban_country: string;
  readonly iban_last4: string;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly gateway_id: string;
  readonly adapter: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly credentials: Buffer | null;
  readonly test_mode: boolean;
  /** Of a payment. */
  readonly transaction_status: string | null;
  readonly transaction_id: string | null;
  readonly merchant_transaction_id: string | null;
  readonly order_number: string | null;
  readonly paid_at: Date | null;
  readonly error_code: string | null;
  readonly chargeback_reason: string | null;
  readonly cycle_status: string | null;
  readonly next_attempt_at: Date | null;
  readonly may_be_put_right: boolean;
  /** Of a notice. */
  readonly due_date: string | null;
  readonly collection_date: string | null;
  readonly billing_frequency: NoticeRow["billing_frequency"];
  /** Whether the renewal will be as the notice says. */
  readonly is_current: boolean | null;
  /** Whether its day has passed, or is too close where the notice has to come first. */
  readonly is_late: boolean | null;
  /** Whether renewals wait because the campaign was stopped. */
  readonly is_stopped: boolean;
}

const READ = sql(
  "messages.read_with_subject",
  `select y.id, y.kind, y.notice_id, y.attempts, l.id as lead_id, l.email, l.first_name, l.last_name, l.country, l.erased_at,
          n.name as tenant_name, n.message_sender, n.message_address, n.message_reply_to, n.default_locale,
          s.locale as session_locale, m.id as mandate_id, m.status as mandate_status, m.language as mandate_language,
          m.pre_notification_days as mandate_notice_days,
          m.reference as mandate_reference, m.creditor_name, m.creditor_identifier, m.iban_country, m.iban_last4,
          coalesce(t.amount, x.amount) as amount, coalesce(t.currency, x.currency) as currency,
          g.id as gateway_id, g.adapter, g.settings, g.credentials, g.test_mode,
          t.status as transaction_status, t.id as transaction_id, t.merchant_transaction_id, o.order_number,
          coalesce(t.processed_at, t.created_at) as paid_at, t.error_code,
          (select k.reason_code from chargebacks k
            where k.tenant = :tenant and k.transaction_id = t.id and k.withdrawn_on is null) as chargeback_reason,
          c.status as cycle_status, c.next_attempt_at, coalesce(${MAY_BE_RETRIED}, false) or coalesce(${MAY_BE_REPAID}, false) as may_be_put_right,
          x.due_date, x.collection_date, x.billing_frequency,
          case when x.id is not null
               then u.status <> 'CANCELLED' and not u.cancel_at_period_end and m.status = 'active' and ${NOTICE_AGREES} end as is_current,
          x.collection_date < :today::date
          or n.notice_check = 'refuse' and x.collection_date < :today::date + x.notice_days
             and not exists (select from ${AGREEING_NOTICES} and ${notifiedAt(":tenant")} is not null) as is_late,
          ${campaignStopped("u")} as is_stopped
     from messages y
     join tenants       n on n.tenant = :tenant
     left join notices  x on x.tenant = :tenant and x.id = y.notice_id
     left join transactions  t on t.tenant = :tenant and t.id = y.transaction_id
     left join subscriptions u on u.tenant = :tenant and u.id = coalesce(x.subscription_id, t.subscription_id)
     left join billing_cycles c on c.tenant = :tenant and c.subscription_id = t.subscription_id and c.transaction_id = t.id
     join mandates      m on m.tenant = :tenant and m.id = coalesce(t.mandate_id, x.mandate_id)
     join leads         l on l.tenant = :tenant and l.id = m.lead_id
     -- What failed is tried again at the gateway that its subscription has by now.
     join gateways      g on g.tenant = :tenant
       and g.id = coalesce(case when y.kind = 'payment_failed' then u.gateway_id end, t.gateway_id, u.gateway_id)
     left join orders   o on o.tenant = :tenant and o.id = coalesce(t.order_id, u.order_id)
     left join sessions s on s.tenant = :tenant and s.id = o.session_id
    where y.tenant = :tenant and y.id = :id`,
).gives<MessageWithSubject>();

/** Null if the payment has no known mandate. */
export async function readWithSubject(
  db: Reader,
  tenant: number,
  id: string,
  today: IsoDate,
): Promise<MessageWithSubject | null> {
  return (await db.query(READ, { tenant, id, today }))[0] ?? null;
}

/** The recipient and the text version. */
export interface MessageEvidence {
  readonly recipient: Buffer;
  readonly language: string;
  readonly textVersion: string;
}

const HAND_OVER = sql(
  "messages.hand_over",
  `update messages
      set handed_over_at = :now, recipient = :recipient, language = :language, text_version = :textVersion
    where tenant = :tenant and id = :id and lease_no = :leaseNo and locked_until is not null and state = 'waiting'
   returning id`,
);

/**
 * Records that the server is about to get the text; returns false when the attempt is over, another process has the
 * message, or it was dropped.
 */
export async function writeHandOver(
  db: Database,
  tenant: number,
  { id, lease_no: leaseNo }: Claimed,
  now: Date,
  telling: MessageEvidence,
): Promise<boolean> {
  return (await db.commit(HAND_OVER, { tenant, id, leaseNo, now, ...telling })).length === 1;
}

/** How an attempt has ended. */
export interface SendingEnd {
  readonly state: MessageRow["state"];
  /** Set while it waits. */
  readonly dueAt: Date | null;
  readonly sentAt: Date | null;
  readonly answer: string | null;
  /** Whether the attempt counts. */
  readonly counts: boolean;
  /** Null leaves it unchanged. */
  readonly telling: MessageEvidence | null;
}

const END = sql(
  "messages.end_attempt",
  `update messages
      set state = :state, due_at = :dueAt, sent_at = :sentAt, answer = coalesce(:answer, answer),
          attempts = attempts - case when :counts then 0 else 1 end,
          handed_over_at = case when :state in ('sent', 'unclear') then handed_over_at end,
          recipient = coalesce(:recipient, recipient), language = coalesce(:language, language),
          text_version = coalesce(:textVersion, text_version), locked_until = null
    where tenant = :tenant and id = :id and lease_no = :leaseNo and state = 'waiting'
   returning id`,
);

/** Returns false when another process has taken the message. */
export async function endSending(
  db: Database,
  tenant: number,
  { id, lease_no: leaseNo }: Claimed,
  { telling, ...end }: SendingEnd,
): Promise<boolean> {
  const { recipient = null, language = null, textVersion = null } = telling ?? {};
  const values = { tenant, id, leaseNo, ...end, recipient, language, textVersion };
  return (await db.commit(END, values)).length === 1;
}

interface MessageFilters {
  readonly kind: string | null;
  readonly state: string | null;
  readonly transactionId: string | null;
}

type ListedMessage = Omit<MessageRow, "tenant" | "locked_until" | "lease_no">;

const LIST = listed(
  "messages.list",
  `select y.id, y.kind, y.transaction_id, y.notice_id, y.state, y.due_at, y.attempts, y.recipient, y.language, y.text_version,
          y.handed_over_at, y.sent_at, y.answer, y.created_at
     from messages y
    where y.tenant = :tenant
      and (:kind::text is null or y.kind = :kind)
      and (:state::text is null or y.state = :state)
      and (:transactionId::uuid is null or y.transaction_id = :transactionId)`,
  ["y.created_at", "y.id"],
  { plannedByValues: true },
).gives<ListedMessage>();

export function listMessages(
  db: Reader,
  tenant: number,
  filters: MessageFilters,
  { towards, at, id, limit }: Window,
): Promise<readonly ListedMessage[]> {
  return db.query(LIST[towards], { ...filters, tenant, at, id, limit });
}
