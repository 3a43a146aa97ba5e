/** The SQL of sessions and their attempts: each step of a payment is one statement, so that it is one round trip. */
import { sql, type Database, type Reader } from "../db/database.ts";
import type { AttemptRow, OpenAttempt } from "./attempt.ts";
import type { NewEvent } from "../webhooks/events.ts";
import type { BillingFrequency, TrialIntervalUnit } from "../subscriptions/schedule.ts";
import type { BillingType } from "../subscriptions/subscription.ts";
import type { SessionStatus, Settlement } from "./session.ts";

/** What every statement about an attempt returns: s session, o order, l lead, g gateway, t transaction, m mandate, u subscription. */
const ATTEMPT_COLUMNS = `
  s.id as session_id, s.token_key_id, s.status as session_status, s.attempts_used, s.attempts_max,
  s.open_transaction_id, s.expires_at, s.amount as session_amount, s.currency, s.billing_type,
  s.billing_frequency, s.trial_interval_unit, s.trial_period, s.trial_price,
  s.campaign_id, s.campaign_name, s.offer_id, s.offer_name,
  o.id as order_id, o.order_number, o.status as order_status,
  l.id as lead_id, l.email, l.first_name, l.last_name, l.country,
  g.id as gateway_id, g.name as gateway_name, g.adapter, g.descriptor, g.test_mode, g.settings, g.credentials,
  g.completed_event_at,
  t.id as transaction_id, t.status as transaction_status, t.type as transaction_type,
  t.amount as transaction_amount, t.merchant_transaction_id, t.gateway_reference, t.tenant_reference_id,
  t.sequence_type, t.customer_ip, t.error_code, t.error_message, t.gateway_code, t.gateway_message,
  t.verification_id, t.verification_url, t.resolve_count, t.created_at as transaction_created_at, t.processed_at,
  m.id as mandate_id, m.reference as mandate_reference, m.accepted_at as mandate_accepted_at,
  m.creditor_name, m.creditor_identifier, m.iban_sealed, m.iban_last4, m.iban_country, m.bic, m.bank_name,
  m.holder_name`;

const NO_SUBSCRIPTION = `
  null::uuid as subscription_id, null::text as subscription_status, null::text as subscription_frequency,
  null::date as next_billing_date`;

const SUBSCRIPTION_COLUMNS = `
  u.id as subscription_id, u.status as subscription_status, u.billing_frequency as subscription_frequency,
  u.next_billing_date`;

const AROUND_SESSION = `
  join orders   o on o.tenant = $1 and o.session_id = s.id
  join leads    l on l.tenant = $1 and l.id = s.lead_id
  join gateways g on g.tenant = $1 and g.id = s.gateway_id`;

export interface ClaimInput {
  readonly tenant: number;
  readonly sessionId: string;
  readonly now: Date;
  readonly resolveAt: Date;
  readonly transactionId: string;
  readonly merchantTransactionId: string;
  readonly tenantReferenceId: string | null;
  readonly clientIp: string;
  readonly source: "api_submission" | "hosted_page";
  readonly mandateId: string;
  readonly mandateReference: string;
  readonly acceptanceMode: "checkbox" | "IMPLICIT";
  readonly textVersion: string;
  readonly holderName: string;
  readonly ibanSealed: Buffer;
  readonly ibanFingerprint: Buffer;
  readonly ibanLast4: string;
  readonly ibanCountry: string;
  readonly ibanLength: number;
  readonly bic: string | null;
  readonly bankName: string | null;
}

const CLAIM = sql(
  "sessions.claim",
  `with s as (
     update sessions
        set attempts_used = attempts_used + 1, open_transaction_id = $5
      where tenant = $1 and id = $2
        and status = 'PENDING' and open_transaction_id is null
        and attempts_used < attempts_max and expires_at > $3
     returning *
   ), o as (
     update orders set status = 'PENDING_PAYMENT_SUBMISSION', updated_at = $3
       from s
      where orders.tenant = $1 and orders.session_id = s.id
     returning orders.*
   ), m as (
     insert into mandates
       (tenant, id, reference, lead_id, session_id, status, acceptance_mode, accepted_at, accepted_ip, text_version,
        creditor_name, creditor_identifier, holder_name, iban_sealed, iban_fingerprint, iban_last4, iban_country,
        bic, bank_name, iban_length, created_at, updated_at)
     select $1, $10, $11, s.lead_id, s.id, 'pending', $12, $3, $8, $13,
            n.name, n.creditor_identifier, $14, $15, $16, $17, $18,
            $19, $20, $21, $3, $3
       from s join tenants n on n.tenant = $1
     returning *
   ), t as (
     insert into transactions
       (tenant, id, session_id, order_id, lead_id, mandate_id, gateway_id, merchant_transaction_id,
        tenant_reference_id, status, type, source, sequence_type, amount, currency, customer_ip,
        resolve_at, created_at, updated_at)
     select $1, $5, s.id, o.id, s.lead_id, $10, s.gateway_id, $6,
            $7, 'submitted', case when first.amount = 0 then 'other_type' else 'sdd_sale' end, $9, 'FRST',
            first.amount, s.currency, coalesce(s.customer_ip, $8),
            $4, $3, $3
       from s
       join o on true
      cross join lateral (
        select case s.billing_type when 'TRIAL_RECURRING' then coalesce(s.trial_price, 0) else s.amount end as amount
      ) first
     returning *
   ), moved as (
     insert into session_moves (tenant, session_id, at, from_status, to_status, cause, transaction_id)
     select $1, s.id, $3, 'PENDING', 'PENDING', 'payment_attempt', $5 from s
   )
   select ${ATTEMPT_COLUMNS}, ${NO_SUBSCRIPTION}
     from s
     join o on true
     join m on true
     join t on true
     join leads    l on l.tenant = $1 and l.id = s.lead_id
     join gateways g on g.tenant = $1 and g.id = s.gateway_id`,
);

/**
 * Spends an attempt and opens a transaction, if the session is payable and idle; null when it is not.
 * @throws Refusal when the tenant_reference_id is used.
 */
export async function claim(db: Database, input: ClaimInput): Promise<OpenAttempt | null> {
  const rows = await db.commit<OpenAttempt>(CLAIM, [
    input.tenant,
    input.sessionId,
    input.now,
    input.resolveAt,
    input.transactionId,
    input.merchantTransactionId,
    input.tenantReferenceId,
    input.clientIp,
    input.source,
    input.mandateId,
    input.mandateReference,
    input.acceptanceMode,
    input.textVersion,
    input.holderName,
    input.ibanSealed,
    input.ibanFingerprint,
    input.ibanLast4,
    input.ibanCountry,
    input.bic,
    input.bankName,
    input.ibanLength,
  ]);
  return rows[0] ?? null;
}

const CLAIM_VERIFICATION = sql(
  "sessions.claim_verification",
  `with t as (
     update transactions
        set status = 'verifying', resolve_at = $4, updated_at = $3
       from sessions
      where transactions.tenant = $1 and sessions.tenant = $1
        and sessions.id = $2 and sessions.status = 'AWAITING_VERIFICATION'
        and transactions.id = sessions.open_transaction_id
        and transactions.status = 'awaiting_verification'
        and ($5 or sessions.expires_at > $3)
     returning transactions.*
   )
   select ${ATTEMPT_COLUMNS}, ${NO_SUBSCRIPTION}
     from t
     join sessions s on s.tenant = $1 and s.id = t.session_id
     join mandates m on m.tenant = $1 and m.id = t.mandate_id
     ${AROUND_SESSION}`,
);

/** Takes the attempt that waits for a verification, so that nobody else asks for its outcome; null when there is none. */
export async function claimVerification(
  db: Database,
  input: {
    readonly tenant: number;
    readonly sessionId: string;
    readonly now: Date;
    readonly resolveAt: Date;
    /** Also when the session's life time is over: to end it. */
    readonly evenLapsed: boolean;
  },
): Promise<OpenAttempt | null> {
  const rows = await db.commit<OpenAttempt>(CLAIM_VERIFICATION, [
    input.tenant,
    input.sessionId,
    input.now,
    input.resolveAt,
    input.evenLapsed,
  ]);
  return rows[0] ?? null;
}

const CLAIM_DUE = sql(
  "sessions.claim_due",
  `with due as (
     select id from transactions
      where tenant = $1 and resolve_at <= $2 and session_id is not null
      order by resolve_at
      limit $3
        for update skip locked
   ), t as (
     update transactions
        set resolve_count = resolve_count + 1, resolve_at = $4, updated_at = $2,
            status = case status when 'awaiting_verification' then 'verifying' else status end
       from due
      where transactions.tenant = $1 and transactions.id = due.id
     returning transactions.*
   )
   select ${ATTEMPT_COLUMNS}, ${NO_SUBSCRIPTION}
     from t
     join sessions s on s.tenant = $1 and s.id = t.session_id
     join mandates m on m.tenant = $1 and m.id = t.mandate_id
     ${AROUND_SESSION}`,
);

/** Takes attempts of one tenant whose gateway is to be asked, for as long as until `leaseUntil`. */
export function claimDue(
  db: Database,
  tenant: number,
  now: Date,
  leaseUntil: Date,
  limit: number,
): Promise<readonly OpenAttempt[]> {
  return db.commit<OpenAttempt>(CLAIM_DUE, [tenant, now, limit, leaseUntil]);
}

const TENANTS_WITH_DUE = sql(
  "sessions.tenants_with_due",
  `-- every tenant: the first of a job's two steps finds who has work
   select distinct tenant from transactions where resolve_at <= $1 and session_id is not null limit $2`,
);

export async function tenantsWithDue(db: Reader, now: Date, limit: number): Promise<readonly number[]> {
  const rows = await db.query<{ tenant: number }>(TENANTS_WITH_DUE, [now, limit]);
  return rows.map(({ tenant }) => tenant);
}

const FIND_ATTEMPT = sql(
  "sessions.find_attempt",
  `select ${ATTEMPT_COLUMNS}, ${SUBSCRIPTION_COLUMNS}
     from sessions s
     ${AROUND_SESSION}
     left join lateral (
       select * from transactions
        where transactions.tenant = $1 and transactions.session_id = s.id
        order by created_at desc, id desc
        limit 1
     ) t on true
     left join mandates      m on m.tenant = $1 and m.id = t.mandate_id
     left join subscriptions u on u.tenant = $1 and u.order_id = o.id
    where s.tenant = $1 and s.id = $2`,
);

/** A session with its newest attempt, if it has one. */
export async function findAttempt(db: Reader, tenant: number, sessionId: string): Promise<AttemptRow | null> {
  const rows = await db.query<AttemptRow>(FIND_ATTEMPT, [tenant, sessionId]);
  return rows[0] ?? null;
}

/** What goes into the database with a settlement. */
export interface SettleInput {
  readonly tenant: number;
  readonly attempt: OpenAttempt;
  readonly settlement: Settlement;
  readonly now: Date;
  readonly gatewayReference: string | null;
  readonly processedAt: Date | null;
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly gatewayCode: string | null;
    readonly gatewayMessage: string | null;
  } | null;
  readonly verification: { readonly id: string; readonly url: string } | null;
  readonly subscription: NewSubscription | null;
  readonly events: readonly NewEvent[];
}

export interface NewSubscription {
  readonly id: string;
  readonly trial_end_date: string | null;
  readonly billing_anchor_date: string;
  readonly next_billing_date: string | null;
  readonly last_billing_date: string | null;
  readonly total_revenue: string;
}

/** Compare and set on the open transaction comes first; everything else happens only if that won. */
const SETTLE = sql(
  "sessions.settle",
  `with t as (
     update transactions
        set status = $4, gateway_reference = coalesce($5, gateway_reference), processed_at = $6,
            error_code = $7, error_message = $8, gateway_code = $9, gateway_message = $10,
            verification_id = coalesce($11, verification_id), verification_url = coalesce($12, verification_url),
            resolve_at = $13, updated_at = $3, subscription_id = (($20::jsonb) ->> 'id')::uuid
      where tenant = $1 and id = $2
        and (status = any (array['submitted', 'verifying']) or ($14 and status = 'unresolved'))
     returning *
   ), s as (
     update sessions
        set status = $15, attempts_used = $16, expires_at = $17,
            open_transaction_id = case when $18 then sessions.open_transaction_id end,
            closed_at = case when $15 in ('COMPLETED', 'EXPIRED') then $3 end
       from t
      where sessions.tenant = $1 and sessions.id = t.session_id
     returning sessions.*
   ), o as (
     update orders set status = $19, updated_at = $3
       from t
      where orders.tenant = $1 and orders.id = t.order_id
     returning orders.id
   ), m as (
     update mandates
        set status = $21, updated_at = $3, last_used_at = case when $21 = 'active' then $3 else last_used_at end
       from t
      where mandates.tenant = $1 and mandates.id = t.mandate_id
     returning mandates.id
   ), u as (
     insert into subscriptions
       (tenant, id, status, billing_amount, currency, billing_frequency, start_date, next_billing_date,
        last_billing_date, trial_end_date, billing_anchor_date, total_revenue,
        order_id, lead_id, offer_id, gateway_id, mandate_id, created_at, updated_at)
     select $1, n.id, 'ACTIVE', s.amount, s.currency, s.billing_frequency, $3, n.next_billing_date,
            n.last_billing_date, n.trial_end_date, n.billing_anchor_date, n.total_revenue,
            t.order_id, s.lead_id, s.offer_id, s.gateway_id, t.mandate_id, $3, $3
       from s join t on true
      cross join jsonb_to_record($20::jsonb) as n (
        id uuid, trial_end_date date, billing_anchor_date date, next_billing_date date,
        last_billing_date timestamptz, total_revenue numeric
      )
      where n.id is not null
     returning id
   ), moved as (
     insert into session_moves (tenant, session_id, at, from_status, to_status, cause, transaction_id)
     select $1, t.session_id, $3, $22, $15, $23, t.id from t
   ), told as (
     insert into events (tenant, id, type, session_id, transaction_id, payload, created_at)
     select $1, e.id, e.type, t.session_id, t.id, e.payload, $3
       from t
      cross join jsonb_to_recordset($24::jsonb) as e (id uuid, type text, payload jsonb)
   )
   select t.id from t join s on true join o on true join m on true`,
);

/** Writes what became of an attempt, all of it or nothing. False when somebody else has written it first. */
export async function writeSettlement(db: Database, input: SettleInput): Promise<boolean> {
  const { attempt, settlement, error, verification } = input;
  const rows = await db.commit(SETTLE, [
    input.tenant,
    attempt.transaction_id,
    input.now,
    settlement.transaction,
    input.gatewayReference,
    input.processedAt,
    error?.code ?? null,
    error?.message ?? null,
    error?.gatewayCode ?? null,
    error?.gatewayMessage ?? null,
    verification?.id ?? null,
    verification?.url ?? null,
    settlement.resolveAt,
    // An answer that decides nothing must not undo what recovery has written meanwhile.
    settlement.transaction !== "unresolved" || attempt.transaction_status === "unresolved",
    settlement.session,
    settlement.attemptsUsed,
    settlement.expiresAt,
    settlement.held,
    settlement.order,
    input.subscription === null ? "{}" : JSON.stringify(input.subscription),
    settlement.mandate,
    attempt.session_status,
    settlement.cause,
    JSON.stringify(input.events),
  ]);
  return rows.length === 1;
}

const CLOSE_IDLE = sql(
  "sessions.close_idle",
  `with s as (
     update sessions
        set status = 'EXPIRED', closed_at = $3
      where tenant = $1 and id = $2
        and status = 'PENDING' and open_transaction_id is null
        and (not $4 or expires_at <= $3)
     returning id
   ), o as (
     update orders set status = 'FAILED', updated_at = $3
       from s
      where orders.tenant = $1 and orders.session_id = s.id
   ), moved as (
     insert into session_moves (tenant, session_id, at, from_status, to_status, cause)
     select $1, s.id, $3, 'PENDING', 'EXPIRED', case when $4 then 'lapsed' else 'cancelled' end from s
   ), told as (
     insert into events (tenant, id, type, session_id, payload, created_at)
     select $1, e.id, e.type, s.id, e.payload, $3
       from s
      cross join jsonb_to_recordset($5::jsonb) as e (id uuid, type text, payload jsonb)
   )
   select id from s`,
);

/** Cancels a session that has no attempt under way; false when it is not there, closed or busy. */
export async function closeIdle(
  db: Database,
  tenant: number,
  sessionId: string,
  now: Date,
): Promise<boolean> {
  const rows = await db.commit(CLOSE_IDLE, [tenant, sessionId, now, false, "[]"]);
  return rows.length === 1;
}

/** Ends a session whose life time is over, with the event that says so; false when it was not to be ended. */
export async function writeLapse(
  db: Database,
  tenant: number,
  sessionId: string,
  now: Date,
  event: NewEvent,
): Promise<boolean> {
  const rows = await db.commit(CLOSE_IDLE, [tenant, sessionId, now, true, JSON.stringify([event])]);
  return rows.length === 1;
}

const TENANTS_WITH_LAPSED = sql(
  "sessions.tenants_with_lapsed",
  `-- every tenant: the first of a job's two steps finds who has work
   select distinct tenant from sessions
    where status = 'PENDING' and open_transaction_id is null and expires_at <= $1
    limit $2`,
);

export async function tenantsWithLapsed(db: Reader, now: Date, limit: number): Promise<readonly number[]> {
  const rows = await db.query<{ tenant: number }>(TENANTS_WITH_LAPSED, [now, limit]);
  return rows.map(({ tenant }) => tenant);
}

const FIND_LAPSED = sql(
  "sessions.find_lapsed",
  `select ${ATTEMPT_COLUMNS}, ${NO_SUBSCRIPTION}
     from sessions s
     ${AROUND_SESSION}
     left join transactions t on false
     left join mandates     m on false
    where s.tenant = $1 and s.status = 'PENDING' and s.open_transaction_id is null and s.expires_at <= $2
    order by s.expires_at
    limit $3`,
);

/** Lapsed sessions of one tenant, without their attempts. */
export function findLapsed(
  db: Reader,
  tenant: number,
  now: Date,
  limit: number,
): Promise<readonly AttemptRow[]> {
  return db.query<AttemptRow>(FIND_LAPSED, [tenant, now, limit]);
}

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
}

const FIND_DISPLAY = sql(
  "sessions.find_display",
  `select s.status, s.token_key_id, s.amount, s.currency, s.billing_type, s.attempts_used, s.attempts_max,
          s.open_transaction_id, s.expires_at, s.closed_at,
          s.campaign_name, s.offer_name, s.product_name, s.product_description,
          l.first_name, l.last_name, l.email,
          s.hosted_page_id, p.branding, p.content, p.show_product_name, p.show_product_price,
          p.show_product_description, p.offer_overrides, p.success_redirect_url, p.failure_redirect_url,
          p.mandate_acceptance_mode
     from sessions s
     join leads l on l.tenant = $1 and l.id = s.lead_id
     left join hosted_pages p on p.tenant = $1 and p.id = s.hosted_page_id
    where s.tenant = $1 and s.id = $2`,
);

export async function findDisplay(db: Reader, tenant: number, sessionId: string): Promise<DisplayRow | null> {
  const rows = await db.query<DisplayRow>(FIND_DISPLAY, [tenant, sessionId]);
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
  readonly trialIntervalUnit: TrialIntervalUnit | null;
  readonly trialPeriod: number | null;
  readonly trialPrice: string | null;
  readonly attemptsMax: number;
  readonly customerIp: string | null;
}

/** The lead is known by its e-mail address; what was told last is kept. */
const INSERT_SESSION = sql(
  "sessions.insert",
  `with l as (
     insert into leads
       (tenant, id, email_key, email, first_name, last_name, country, address, city, postal_code, phone,
        created_at, updated_at)
     values ($1, $6, $36, $9, $10, $11, $12, $13, $14, $15, $16, $4, $4)
     on conflict (tenant, email_key) do update
        set email = excluded.email, first_name = excluded.first_name, last_name = excluded.last_name,
            country = excluded.country, address = coalesce(excluded.address, leads.address),
            city = coalesce(excluded.city, leads.city),
            postal_code = coalesce(excluded.postal_code, leads.postal_code),
            phone = coalesce(excluded.phone, leads.phone), updated_at = excluded.updated_at
     returning id
   ), s as (
     insert into sessions
       (tenant, id, token_key_id, status, lead_id, gateway_id, campaign_id, offer_id, hosted_page_id,
        webhook_profile_id, campaign_name, offer_name, product_name, product_description, amount, currency,
        billing_type, billing_frequency, trial_interval_unit, trial_period, trial_price, attempts_max,
        customer_ip, created_at, expires_at)
     select $1, $2, $3, 'PENDING', l.id, $17, $18, $19, $20,
            $21, $22, $23, $24, $25, $26, $28,
            $29, $30, $31, $32, $33, $34,
            $35, $4, $5
       from l
     returning id, lead_id
   ), o as (
     insert into orders
       (tenant, id, session_id, lead_id, order_number, status, amount, currency, created_at, updated_at)
     select $1, $7, s.id, s.lead_id, $8, 'PENDING_PAYMENT_SUBMISSION', $27, $28, $4, $4
       from s
   ), moved as (
     insert into session_moves (tenant, session_id, at, from_status, to_status, cause)
     select $1, s.id, $4, null, 'PENDING', 'created' from s
   )
   select id from s`,
);

/** Writes a session with its lead and order. @throws Refusal when the lead has an active session. */
export async function insertSession(db: Database, session: NewSession): Promise<void> {
  const { lead } = session;
  await db.commit(INSERT_SESSION, [
    session.tenant,
    session.id,
    session.tokenKeyId,
    session.now,
    session.expiresAt,
    session.leadId,
    session.orderId,
    session.orderNumber,
    lead.email,
    lead.first_name,
    lead.last_name,
    lead.country,
    lead.address,
    lead.city,
    lead.postal_code,
    lead.phone,
    session.gatewayId,
    session.campaignId,
    session.offerId,
    session.hostedPageId,
    session.webhookProfileId,
    session.campaignName,
    session.offerName,
    session.productName,
    session.productDescription,
    session.amount,
    session.firstAmount,
    session.currency,
    session.billingType,
    session.billingFrequency,
    session.trialIntervalUnit,
    session.trialPeriod,
    session.trialPrice,
    session.attemptsMax,
    session.customerIp,
    emailKey(lead.email),
  ]);
}

/** What makes two leads the same (decision S8); computed here, as lower() in SQL depends on the server's locale. */
function emailKey(email: string): string {
  return email.trim().toLowerCase();
}

const FIND_ACTIVE_OF_LEAD = sql(
  "sessions.find_active_of_lead",
  `select s.id, s.status, s.expires_at, s.open_transaction_id
     from sessions s
     join leads l on l.tenant = $1 and l.id = s.lead_id
    where s.tenant = $1 and l.email_key = $2
      and s.status in ('PENDING', 'AWAITING_VERIFICATION')`,
);

export interface ActiveSession {
  readonly id: string;
  readonly status: SessionStatus;
  readonly expires_at: Date;
  readonly open_transaction_id: string | null;
}

/** The session that keeps its lead from having another one. */
export async function findActiveOfLead(
  db: Reader,
  tenant: number,
  email: string,
): Promise<ActiveSession | null> {
  const rows = await db.query<ActiveSession>(FIND_ACTIVE_OF_LEAD, [tenant, emailKey(email)]);
  return rows[0] ?? null;
}
