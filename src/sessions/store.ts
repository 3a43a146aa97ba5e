/** The SQL that inserts sessions and shows them. */
import { referenceTaken } from "../payments/attempt/store.ts";
import { ordersOpen } from "../payments/orders-store.ts";
import { sql, type Database, type Reader, type Tx } from "../db/database.ts";
import { readsTogether, writesTogether } from "../db/together.ts";
import type { BillingDay, BillingFrequency, TrialIntervalUnit } from "../subscriptions/billing-terms.ts";
import type { BillingType } from "../subscriptions/subscription.ts";
import { leadKey, leadsOfSessions } from "./leads.ts";
import { Refusal } from "../refusals.ts";
import type { SessionStatus } from "./session.ts";

/** A session as its page shows it; the hosted page's columns are null without one. */
export interface DisplayRow {
  readonly status: SessionStatus;
  readonly token_key_id: number;
  readonly amount: string;
  readonly currency: string;
  readonly billing_type: string;
  readonly attempts_used: number;
  readonly attempts_max: number;
  readonly open_transaction_id: string | null;
  readonly expires_at: Date;
  readonly closed_at: Date | null;
  readonly token_detail_days: number;
  readonly campaign_name: string;
  readonly offer_name: string;
  readonly product_name: string | null;
  readonly product_description: string | null;
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string;
  readonly hosted_page_id: string | null;
  readonly branding: object | null;
  readonly content: object | null;
  readonly show_product_name: boolean | null;
  readonly show_product_price: boolean | null;
  readonly show_product_description: boolean | null;
  readonly offer_overrides: object | null;
  readonly success_redirect_url: string | null;
  readonly failure_redirect_url: string | null;
  readonly mandate_acceptance_mode: "checkbox" | "IMPLICIT" | null;
  readonly order_status: string;
  /** The newest attempt's; null before the first. */
  readonly transaction_status: string | null;
  readonly amount_refunded: string | null;
  readonly merchant_transaction_id: string | null;
  readonly gateway_id: string;
  readonly adapter: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Sealed. */
  readonly credentials: Buffer | null;
}

const FIND_DISPLAY = readsTogether(
  "sessions.find_display",
  { sessionId: "uuid" },
  `select s.status, s.token_key_id, s.amount, s.currency, s.billing_type, s.attempts_used, s.attempts_max,
          s.open_transaction_id, s.expires_at, s.closed_at, n.token_detail_days,
          s.campaign_name, s.offer_name, s.product_name, s.product_description,
          l.first_name, l.last_name, l.email,
          s.hosted_page_id, p.branding, p.content, p.show_product_name, p.show_product_price,
          p.show_product_description, p.offer_overrides, p.success_redirect_url, p.failure_redirect_url,
          p.mandate_acceptance_mode, o.status as order_status, t.status as transaction_status,
          t.refunded as amount_refunded, t.merchant_transaction_id,
          g.id as gateway_id, g.adapter, g.settings, g.credentials
     from sessions s
     join leads l on l.tenant = :tenant and l.id = s.lead_id
     join tenants n on n.tenant = :tenant
     join orders o on o.tenant = :tenant and o.session_id = s.id
     join gateways g on g.tenant = :tenant and g.id = s.gateway_id
     left join lateral (
       select status, refunded, merchant_transaction_id from transactions
        where transactions.tenant = :tenant and transactions.session_id = s.id and transactions.type <> 'sdd_refund'
        order by created_at desc, id desc
        limit 1
     ) t on true
     left join hosted_pages p on p.tenant = :tenant and p.id = s.hosted_page_id
    where s.tenant = :tenant and s.id = v.sessionId`,
).gives<DisplayRow>();

export async function findSessionWithPage(
  db: Database,
  tenant: number,
  sessionId: string,
): Promise<DisplayRow | null> {
  const rows = await db.together(FIND_DISPLAY, tenant, { sessionId });
  return rows[0] ?? null;
}

export interface NewSession {
  readonly tenant: number;
  readonly id: string;
  readonly tokenKeyId: number;
  readonly now: Date;
  readonly expiresAt: Date;
  readonly leadId: string;
  readonly orderId: string;
  readonly orderNumber: string;
  /** The address in the form that identifies a lead (`leadKey`). */
  readonly emailKey: string;
  readonly paymentLinkId: string | null;
  readonly repaysTransactionId: string | null;
  readonly lead: {
    readonly first_name: string;
    readonly last_name: string;
    readonly email: string;
    readonly country: string;
    readonly address: string | null;
    readonly city: string | null;
    readonly postal_code: string | null;
    readonly phone: string | null;
  };
  readonly gatewayId: string;
  readonly campaignId: string | null;
  readonly offerId: string | null;
  readonly hostedPageId: string | null;
  readonly webhookProfileId: string | null;
  readonly campaignName: string;
  readonly offerName: string;
  readonly productName: string | null;
  readonly productDescription: string | null;
  /** With two decimals. */
  readonly amount: string;
  readonly firstAmount: string;
  readonly currency: string;
  readonly billingType: BillingType;
  readonly billingFrequency: BillingFrequency | null;
  readonly billingDay: BillingDay | null;
  readonly trialIntervalUnit: TrialIntervalUnit | null;
  readonly trialPeriod: number | null;
  readonly trialPrice: string | null;
  readonly attemptsMax: number;
  readonly customerIp: string | null;
  readonly tenantReferenceId: string | null;
  /** JSON. */
  readonly metadata: string | null;
  readonly locale: string | null;
  readonly successRedirectUrl: string | null;
  readonly failureRedirectUrl: string | null;
  readonly cancelRedirectUrl: string | null;
}

/** The lead is identified by its e-mail address; the latest data is kept. */
const INSERT_SESSIONS = writesTogether(
  "sessions.insert",
  {
    id: "uuid",
    tokenKeyId: "smallint",
    now: "timestamptz",
    expiresAt: "timestamptz",
    leadId: "uuid",
    orderId: "uuid",
    orderNumber: "text",
    emailKey: "text",
    email: "text",
    firstName: "text",
    lastName: "text",
    country: "text",
    address: "text",
    city: "text",
    postalCode: "text",
    phone: "text",
    gatewayId: "uuid",
    campaignId: "uuid",
    offerId: "uuid",
    hostedPageId: "uuid",
    webhookProfileId: "uuid",
    paymentLinkId: "uuid",
    repaysTransactionId: "uuid",
    campaignName: "text",
    offerName: "text",
    productName: "text",
    productDescription: "text",
    amount: "numeric",
    firstAmount: "numeric",
    currency: "text",
    billingType: "text",
    billingFrequency: "text",
    billingDay: "text",
    trialIntervalUnit: "text",
    trialPeriod: "integer",
    trialPrice: "numeric",
    attemptsMax: "integer",
    customerIp: "text",
    tenantReferenceId: "text",
    metadata: "jsonb",
    locale: "text",
    successRedirectUrl: "text",
    failureRedirectUrl: "text",
    cancelRedirectUrl: "text",
  },
  `with free as (
     select * from v
      where v.tenantReferenceId is null or not ${referenceTaken({ reference: "v.tenantReferenceId", session: "v.id" })}
   ), l as (${leadsOfSessions({ sessions: "free" })}
   ), s as (
     insert into sessions
       (tenant, id, token_key_id, status, lead_id, gateway_id, campaign_id, offer_id, hosted_page_id,
        webhook_profile_id, payment_link_id, repays_transaction_id, campaign_name, offer_name, product_name, product_description, amount, currency,
        billing_type, billing_frequency, billing_day, trial_interval_unit, trial_period, trial_price, attempts_max,
        customer_ip, tenant_reference_id, metadata, locale, success_redirect_url, failure_redirect_url,
        cancel_redirect_url, created_at, expires_at)
     select :tenant, v.id, v.tokenKeyId, 'PENDING', l.id, v.gatewayId, v.campaignId, v.offerId, v.hostedPageId,
            v.webhookProfileId, v.paymentLinkId, v.repaysTransactionId, v.campaignName, v.offerName, v.productName, v.productDescription, v.amount, v.currency,
            v.billingType, v.billingFrequency, v.billingDay, v.trialIntervalUnit, v.trialPeriod, v.trialPrice, v.attemptsMax,
            v.customerIp, v.tenantReferenceId, v.metadata, v.locale, v.successRedirectUrl, v.failureRedirectUrl,
            v.cancelRedirectUrl, v.now, v.expiresAt
       from v join l on l.email_key = v.emailKey
     returning id, lead_id
   ), o as (${ordersOpen({ sessions: "s" })}
   ), moved as (
     insert into session_moves (tenant, session_id, at, from_status, to_status, cause)
     select :tenant, v.id, v.now, null, 'PENDING', 'created' from s join v on v.id = s.id
   )
   select v.n, s.id from s join v on v.id = s.id`,
  ({ id, emailKey }) => [`session ${String(id)}`, `lead ${String(emailKey)}`],
).gives<{ id: string }>();

/**
 * Inserts a session with its lead and order; nothing if another session or payment has its reference.
 * @throws Refusal tenant_reference_taken, lead_has_active_session.
 */
export async function insertSession(db: Database, session: NewSession): Promise<void> {
  const { tenant, lead, ...values } = session;
  const rows = await db.together(INSERT_SESSIONS, tenant, {
    ...values,
    email: lead.email,
    firstName: lead.first_name,
    lastName: lead.last_name,
    country: lead.country,
    address: lead.address,
    city: lead.city,
    postalCode: lead.postal_code,
    phone: lead.phone,
  });
  if (rows.length === 0) throw new Refusal("tenant_reference_taken");
}

const FIND_ACTIVE_OF_LEAD = sql(
  "sessions.find_active_of_lead",
  `select s.id, s.token_key_id, s.status, s.expires_at, s.open_transaction_id
     from sessions s
    where s.tenant = :tenant and s.closed_at is null
      and s.lead_id = (select l.id from leads l where l.tenant = :tenant and l.email_key = :email)`,
).gives<ActiveSession>();

interface ActiveSession {
  readonly id: string;
  readonly token_key_id: number;
  readonly status: SessionStatus;
  readonly expires_at: Date;
  readonly open_transaction_id: string | null;
}

/** The session that prevents its lead from having another one. */
export async function findActiveOfLead(
  db: Reader,
  tenant: number,
  email: string,
): Promise<ActiveSession | null> {
  const rows = await db.query(FIND_ACTIVE_OF_LEAD, { tenant, email: leadKey(email) });
  return rows[0] ?? null;
}

const HOLD = sql(
  "sessions.lock",
  "select from sessions where tenant = :tenant and id = :sessionId for no key update",
);

/** Locks the session: of two concurrent refusals each sees what the other wrote into its history. */
export async function lockSession(tx: Tx, tenant: number, sessionId: string): Promise<void> {
  await tx.query(HOLD, { tenant, sessionId });
}

const NOTE_OPENED = sql(
  "sessions.record_opened",
  `update sessions set opened_at = :now
    where tenant = :tenant and id = :sessionId and opened_at is null
      and status in ('PENDING', 'AWAITING_VERIFICATION') and expires_at > :now
   returning id`,
);

/** Records when the page of an open session was first seen; does nothing for other sessions. */
export async function recordOpened(
  db: Database,
  tenant: number,
  sessionId: string,
  now: Date,
): Promise<void> {
  await db.commit(NOTE_OPENED, { tenant, sessionId, now });
}

const ADD_ADDRESS = sql(
  "sessions.add_address",
  `update leads l
      set address = coalesce(nullif(:street, ''), l.address), postal_code = coalesce(nullif(:postalCode, ''), l.postal_code), city = :city
     from sessions s
    where s.tenant = :tenant and s.id = :sessionId and l.tenant = :tenant and l.id = s.lead_id and l.city is null
   returning l.id`,
);

/** Stores the address that the customer entered, where the merchant gave no city. */
export async function addAddress(
  db: Database,
  tenant: number,
  sessionId: string,
  {
    street,
    postalCode,
    city,
  }: { readonly street: string; readonly postalCode: string; readonly city: string },
): Promise<void> {
  await db.commit(ADD_ADDRESS, { tenant, sessionId, street, postalCode, city });
}
