/** The SQL of a customer's account page: the customer, their mandates, subscriptions and payments. */
import { sql, type Reader } from "../../db/database.ts";
import type { MandateRow, SubscriptionRow } from "../../db/rows.ts";
import type { GatewayAccountRow } from "../../gateways/calling.ts";
import type { Creditor } from "../../mandates/creditor.ts";
import { NEWEST_SESSION } from "../../sessions/limit-store.ts";
import type { TransactionStatus } from "../../sessions/session.ts";
import { MAY_BE_RETRIED } from "../../subscriptions/failed/store.ts";
import { SCHEME_DAYS } from "../../subscriptions/notice-days.ts";
import { textsShown, type MandateTexts } from "../mandate-texts/store.ts";
import { PAGE_SETTINGS, type PageSettings } from "../store.ts";

/** A customer, with the page and the gateway of their newest session. */
export interface AccountPageRow {
  readonly merchant_name: string;
  /** The customer's country. */
  readonly country: string;
  readonly default_locale: string | null;
  readonly test_mode: boolean;
  readonly device_accounts_max: number | null;
  readonly page: PageSettings | null;
}

const FIND = sql(
  "accounts.find",
  `select n.name as merchant_name, l.country, n.default_locale, n.device_accounts_max, coalesce(g.test_mode, false) as test_mode,
          case when p.id is not null then ${PAGE_SETTINGS} end as page
     from leads l
     join tenants n on n.tenant = :tenant
     ${NEWEST_SESSION}
     left join gateways     g on g.tenant = :tenant and g.id = s.gateway_id
     left join hosted_pages p on p.tenant = :tenant and p.id = s.hosted_page_id
    where l.tenant = :tenant and l.id = :id and l.erased_at is null`,
).gives<AccountPageRow>();

/** The account page of a customer; null once the customer is erased. */
export async function findAccount(db: Reader, tenant: number, id: string): Promise<AccountPageRow | null> {
  return (await db.query(FIND, { tenant, id }))[0] ?? null;
}

/** The maximum number of records of a kind; customers have fewer in practice. */
const SHOWN_MAX = 50;

export interface AccountSubscription extends Pick<
  SubscriptionRow,
  | "id"
  | "status"
  | "billing_amount"
  | "currency"
  | "billing_frequency"
  | "next_billing_date"
  | "cancel_at_period_end"
  | "cancelled_at"
> {
  readonly offer_name: string | null;
  /** The id of a failed attempt that can be repeated. */
  readonly failed_id: string | null;
}

const SUBSCRIPTIONS = sql(
  "accounts.list_subscriptions",
  `select u.id, u.status, u.billing_amount, u.currency, u.billing_frequency, u.next_billing_date, u.cancel_at_period_end, u.cancelled_at,
          coalesce(s.product_name, s.offer_name) as offer_name,
          (select t.id
             from billing_cycles c
             join transactions t on t.tenant = :tenant and t.id = c.transaction_id
             join mandates     m on m.tenant = :tenant and m.id = u.mandate_id
             join tenants      n on n.tenant = :tenant
            where c.tenant = :tenant and c.subscription_id = u.id and ${MAY_BE_RETRIED}
            order by c.cycle limit 1) as failed_id
     from subscriptions u
     join orders   o on o.tenant = :tenant and o.id = u.order_id
     join sessions s on s.tenant = :tenant and s.id = o.session_id
    where u.tenant = :tenant and u.lead_id = :leadId
    order by u.created_at desc, u.id desc
    limit ${SHOWN_MAX}`,
).gives<AccountSubscription>();

/**
 * The customer's subscriptions.
 * @param today the tenant's current day.
 */
export function subscriptionsOf(
  db: Reader,
  tenant: number,
  leadId: string,
  today: string,
): Promise<readonly AccountSubscription[]> {
  return db.query(SUBSCRIPTIONS, { tenant, leadId, today });
}

export interface AccountMandate extends Pick<
  MandateRow,
  "id" | "reference" | "type" | "holder_name" | "iban_country" | "iban_last4" | "iban_sealed" | "session_id"
> {
  readonly creditor: Creditor;
  /** The merchant's own texts, of the page on which the mandate was signed. */
  readonly mandate_texts: MandateTexts | null;
}

const MANDATE = `
  m.id, m.reference, m.type, m.holder_name, m.iban_country, m.iban_last4, m.iban_sealed, m.session_id,
  jsonb_build_object(
    'name', m.creditor_name, 'identifier', m.creditor_identifier, 'address', m.creditor_address,
    'postal_code', m.creditor_postal_code, 'city', m.creditor_city, 'country', m.creditor_country, 'scheme', m.scheme,
    'pre_notification_days', coalesce(m.pre_notification_days, ${SCHEME_DAYS})) as creditor,
  case when p.id is not null then ${textsShown("m.scheme")} end as mandate_texts` as const;
const WITH_PAGE = `
     left join sessions     s on s.tenant = :tenant and s.id = m.session_id
     left join hosted_pages p on p.tenant = :tenant and p.id = s.hosted_page_id` as const;

const MANDATES = sql(
  "accounts.list_mandates",
  `select ${MANDATE}
     from mandates m ${WITH_PAGE}
    where m.tenant = :tenant and m.lead_id = :leadId and m.status = 'active' and (:id::uuid is null or m.id = :id)
    order by m.created_at desc, m.id desc
    limit ${SHOWN_MAX}`,
).gives<AccountMandate>();

/** The customer's active mandates. */
export function activeMandatesOf(
  db: Reader,
  tenant: number,
  leadId: string,
): Promise<readonly AccountMandate[]> {
  return db.query(MANDATES, { tenant, leadId, id: null });
}

/** The customer's mandate; null if it is not active, or another customer's. */
export async function activeMandateOf(
  db: Reader,
  tenant: number,
  leadId: string,
  id: string,
): Promise<AccountMandate | null> {
  return (await db.query(MANDATES, { tenant, leadId, id }))[0] ?? null;
}

export interface AccountPayment extends GatewayAccountRow {
  readonly id: string;
  readonly merchant_transaction_id: string;
  readonly amount: string;
  readonly currency: string;
  readonly status: TransactionStatus;
  readonly paid_at: Date;
  readonly order_number: string | null;
  readonly mandate_reference: string | null;
  /** The creditor of the payment's mandate. */
  readonly creditor_name: string | null;
  readonly creditor_identifier: string | null;
}

const PAYMENTS = sql(
  "accounts.list_payments",
  `select t.id, t.merchant_transaction_id, t.amount, t.currency, t.status, coalesce(t.processed_at, t.created_at) as paid_at,
          o.order_number, m.reference as mandate_reference, m.creditor_name, m.creditor_identifier,
          g.id as gateway_id, g.adapter, g.settings, g.credentials
     from transactions t
     join gateways g on g.tenant = :tenant and g.id = t.gateway_id
     left join orders   o on o.tenant = :tenant and o.id = t.order_id
     left join mandates m on m.tenant = :tenant and m.id = t.mandate_id
    where t.tenant = :tenant and t.lead_id = :leadId and t.type <> 'sdd_refund' and t.amount > 0
      and t.status in ('pending', 'approved', 'declined', 'refunded', 'charged_back')
    order by t.created_at desc, t.id desc
    limit ${SHOWN_MAX}`,
).gives<AccountPayment>();

/** The customer's payments, newest first. */
export function paymentsOf(db: Reader, tenant: number, leadId: string): Promise<readonly AccountPayment[]> {
  return db.query(PAYMENTS, { tenant, leadId });
}

/** A subscription's data for the event that is emitted when its customer cancels it. */
interface OwnSubscription {
  readonly order_number: string;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly session_id: string;
  readonly test_mode: boolean;
}

const SUBSCRIPTION = sql(
  "accounts.find_subscription",
  `select o.order_number, s.metadata, s.id as session_id, g.test_mode
     from subscriptions u
     join orders   o on o.tenant = :tenant and o.id = u.order_id
     join sessions s on s.tenant = :tenant and s.id = o.session_id
     join gateways g on g.tenant = :tenant and g.id = u.gateway_id
    where u.tenant = :tenant and u.lead_id = :leadId and u.id = :id`,
).gives<OwnSubscription>();

/** The customer's subscription; null if it is another customer's. */
export async function findOwnSubscription(
  db: Reader,
  tenant: number,
  leadId: string,
  id: string,
): Promise<OwnSubscription | null> {
  return (await db.query(SUBSCRIPTION, { tenant, leadId, id }))[0] ?? null;
}
