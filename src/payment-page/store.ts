/** The SQL of the payment page: all the data of a session that it shows, in one statement. */
import { sql, type Reader } from "../db/database.ts";
import type { TenantRow } from "../db/rows.ts";
import type { Creditor, Scheme } from "../mandates/creditor.ts";
import type { DeclineCode } from "../sepa/reasons.ts";
import { textsShown, type MandateTexts } from "./mandate-texts/store.ts";
import { CREDITOR } from "../gateways/records/creditor-store.ts";
import { linkState, type LinkState } from "../sessions/links/store.ts";
import type { OrderStatus, SessionStatus, TransactionStatus } from "../sessions/session.ts";
import type { BillingDay, BillingFrequency, TrialIntervalUnit } from "../subscriptions/billing-terms.ts";
import type { BillingType } from "../subscriptions/subscription.ts";

/** A merchant's settings of its page; the columns of hosted_pages. */
export interface PageSettings {
  readonly branding: {
    readonly logo_url?: unknown;
    readonly primary_color?: unknown;
    readonly accent_color?: unknown;
  };
  readonly content: Readonly<Record<string, unknown>>;
  readonly show_product_name: boolean;
  readonly show_product_price: boolean;
  readonly show_product_description: boolean;
  readonly offer_overrides: Readonly<Record<string, unknown>>;
  readonly success_redirect_url: string | null;
  readonly failure_redirect_url: string | null;
  readonly cancel_redirect_url: string | null;
  readonly redirect_wait_seconds: number;
  readonly links: PageLinks;
  readonly mandate_acceptance_mode: "checkbox" | "IMPLICIT";
  readonly locale: string | null;
  readonly frame_origins: readonly string[];
}

/** Addresses at the foot of the page; an omitted one has no link. */
export interface PageLinks {
  readonly imprint_url?: string | null;
  readonly privacy_url?: string | null;
  readonly terms_url?: string | null;
  readonly support_url?: string | null;
  readonly support_email?: string | null;
}

/** A session with its newest attempt and the settings of its page, if it has them. */
export interface PageRow {
  readonly session_id: string;
  readonly status: SessionStatus;
  readonly open_transaction_id: string | null;
  readonly attempts_used: number;
  readonly attempts_max: number;
  readonly expires_at: Date;
  readonly closed_at: Date | null;
  readonly opened_at: Date | null;
  readonly token_detail_days: number;
  readonly device_accounts_max: number | null;
  readonly amount: string;
  readonly currency: string;
  readonly billing_type: BillingType;
  readonly billing_frequency: BillingFrequency | null;
  readonly billing_day: BillingDay | null;
  readonly trial_interval_unit: TrialIntervalUnit | null;
  readonly trial_period: number | null;
  readonly trial_price: string | null;
  readonly offer_name: string;
  readonly product_name: string | null;
  readonly product_description: string | null;
  /** The session's own setting, which takes precedence over the page's. */
  readonly session_locale: string | null;
  readonly success_redirect_url: string | null;
  readonly failure_redirect_url: string | null;
  readonly cancel_redirect_url: string | null;
  readonly first_name: string;
  readonly last_name: string;
  readonly country: string;
  /** The customer's city, if the merchant has given it. */
  readonly city: string | null;
  readonly gateway_id: string;
  readonly adapter: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** The gateway's credentials, sealed. */
  readonly credentials: Buffer | null;
  readonly order_number: string;
  readonly order_status: OrderStatus;
  readonly merchant_name: string;
  /** The creditor of the next mandate. */
  readonly creditor: Creditor;
  readonly default_locale: string | null;
  /** Why its payment link allows no attempt; null if it allows one, or without a link. */
  readonly link_state: LinkState | null;
  readonly test_mode: boolean;
  readonly descriptor: string | null;
  readonly page: PageSettings | null;
  /** The merchant's own mandate texts for the creditor's scheme. */
  readonly mandate_texts: MandateTexts | null;
  readonly transaction_id: string | null;
  readonly transaction_status: TransactionStatus | null;
  readonly transaction_amount: string | null;
  readonly merchant_transaction_id: string | null;
  readonly source: string | null;
  readonly error_code: DeclineCode | null;
  readonly verification_url: string | null;
  readonly transaction_created_at: Date | null;
  readonly mandate_id: string | null;
  readonly mandate_reference: string | null;
  readonly iban_last4: string | null;
  readonly iban_country: string | null;
  readonly bank_name: string | null;
  readonly holder_name: string | null;
  /** The creditor of the newest attempt's mandate. */
  readonly creditor_name: string | null;
  readonly creditor_identifier: string | null;
  readonly mandate_scheme: Scheme | null;
  readonly subscription_id: string | null;
  /** The tenant's setting: whether renewals due on a day on which banks are closed are collected before or after it. */
  readonly closed_day: TenantRow["closed_day"];
  /** The tenant's setting: whether renewals wait until their customers were notified. */
  readonly notice_check: TenantRow["notice_check"];
}

export const PAGE_SETTINGS = `jsonb_build_object(
  'branding', p.branding, 'content', p.content, 'show_product_name', p.show_product_name,
  'show_product_price', p.show_product_price, 'show_product_description', p.show_product_description,
  'offer_overrides', p.offer_overrides, 'success_redirect_url', p.success_redirect_url,
  'failure_redirect_url', p.failure_redirect_url,
  'cancel_redirect_url', p.cancel_redirect_url, 'redirect_wait_seconds', p.redirect_wait_seconds, 'links', p.links, 'mandate_acceptance_mode', p.mandate_acceptance_mode,
  'locale', p.locale, 'frame_origins', p.frame_origins)`;

const FIND_PAGE = sql(
  "hosted_page.find",
  `select s.id as session_id, s.status, s.open_transaction_id, s.attempts_used, s.attempts_max, s.expires_at,
          s.closed_at, s.opened_at, n.token_detail_days, n.device_accounts_max, s.amount, s.currency, s.billing_type, s.billing_frequency, s.billing_day, s.trial_interval_unit,
          s.trial_period, s.trial_price, s.offer_name, s.product_name, s.product_description,
          s.locale as session_locale, s.success_redirect_url, s.failure_redirect_url, s.cancel_redirect_url,
          l.first_name, l.last_name, l.country, l.city,
          g.id as gateway_id, g.adapter, g.settings, g.credentials, o.order_number, o.status as order_status,
          n.name as merchant_name, ${CREDITOR} as creditor, n.default_locale, g.test_mode, g.descriptor,
          ${linkState("k", ":now::timestamptz")} as link_state,
          case when p.id is not null then ${PAGE_SETTINGS} end as page,
          case when p.id is not null then ${textsShown(`(${CREDITOR} ->> 'scheme')`)} end as mandate_texts,
          t.id as transaction_id, t.status as transaction_status, t.amount as transaction_amount,
          t.merchant_transaction_id, t.source,
          t.error_code, t.verification_url, t.created_at as transaction_created_at,
          m.id as mandate_id, m.reference as mandate_reference, m.iban_last4, m.iban_country, m.bank_name, m.holder_name,
          m.creditor_name, m.creditor_identifier, m.scheme as mandate_scheme,
          u.id as subscription_id, n.closed_day, n.notice_check
     from sessions s
     join orders   o on o.tenant = :tenant and o.session_id = s.id
     join leads    l on l.tenant = :tenant and l.id = s.lead_id
     join gateways g on g.tenant = :tenant and g.id = s.gateway_id
     join tenants  n on n.tenant = :tenant
     left join hosted_pages p on p.tenant = :tenant and p.id = s.hosted_page_id
     left join payment_links k on k.tenant = :tenant and k.id = s.payment_link_id
     left join lateral (
       select * from transactions
        where transactions.tenant = :tenant and transactions.session_id = s.id
        order by created_at desc, id desc
        limit 1
     ) t on true
     left join mandates      m on m.tenant = :tenant and m.id = t.mandate_id
     left join subscriptions u on u.tenant = :tenant and u.order_id = o.id
    where s.tenant = :tenant and s.id = :sessionId`,
).gives<PageRow>();

/** The data that remains of a session that ended long ago: its end and the amount. */
export function withoutDetails(row: PageRow): PageRow {
  return {
    ...row,
    first_name: "",
    last_name: "",
    order_number: "",
    product_name: null,
    product_description: null,
    transaction_created_at: null,
    mandate_id: null,
    mandate_reference: null,
    iban_last4: null,
    iban_country: null,
    bank_name: null,
    merchant_transaction_id: null,
    holder_name: null,
    subscription_id: null,
  };
}

export async function findPage(
  db: Reader,
  tenant: number,
  sessionId: string,
  now: Date,
): Promise<PageRow | null> {
  const rows = await db.query(FIND_PAGE, { tenant, sessionId, now });
  return rows[0] ?? null;
}

const FIND_SETTINGS = sql(
  "hosted_page.find_settings",
  `select n.name as merchant_name, ${CREDITOR} as creditor, n.default_locale, n.country,
          ${PAGE_SETTINGS} as page, ${textsShown("'CORE'")} as mandate_texts
     from hosted_pages p
     join tenants n on n.tenant = :tenant
    cross join (select null::jsonb as settings) g
    where p.tenant = :tenant and p.id = :id`,
).gives<SettingsRow>();

/** A page's settings and its merchant, from which a preview is made. */
export interface SettingsRow {
  readonly merchant_name: string;
  readonly creditor: Creditor;
  readonly default_locale: string | null;
  readonly country: string | null;
  readonly page: PageSettings;
  readonly mandate_texts: MandateTexts | null;
}

export async function findSettings(db: Reader, tenant: number, id: string): Promise<SettingsRow | null> {
  const rows = await db.query(FIND_SETTINGS, { tenant, id });
  return rows[0] ?? null;
}
