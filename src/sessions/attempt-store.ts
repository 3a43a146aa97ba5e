/**
 * An attempt with its session, order, lead, gateway, transaction and mandate, and the SQL that claims and finds it:
 * each step of a payment is one statement.
 */
import type { DeclineCode } from "../sepa/reasons.ts";
import type { BillingDay, BillingFrequency, TrialIntervalUnit } from "../subscriptions/billing-terms.ts";
import type { BillingType } from "../subscriptions/subscription.ts";
import type { OrderStatus, SessionStatus, TransactionStatus } from "./session.ts";
import { orderStatusSet } from "../payments/orders-store.ts";
import { isBlockedAccount, mandatesSigned } from "../mandates/writes.ts";
import { sql, type Database, type Reader, type Tx } from "../db/database.ts";
import { writesTogether } from "../db/together.ts";
import { currentTraceparent } from "../lib/trace.ts";
import type { Creditor, Scheme } from "../mandates/creditor.ts";
import { CREDITOR, IS_IDENTIFIED } from "../gateways/records/creditor-store.ts";
import {
  attemptOpens,
  attemptTaken,
  claimDue,
  lockAttempt,
  referenceTaken,
} from "../payments/attempt/store.ts";
import { otherRecordColumns, type OtherRecordFields } from "../payments/records.ts";
import { OPEN_IN_SQL } from "../payments/transaction.ts";
import { repeats } from "./duplicate-store.ts";
import { linkIsOpen } from "./links/store.ts";
import { countUp, PAYMENT_LIMITS, tooManyInvalid, wantedCounts } from "./limit-store.ts";

/** The columns of `ATTEMPT_COLUMNS`; transaction and mandate are null when the session has no attempt yet. */
export interface AttemptRow {
  readonly session_id: string;
  readonly token_key_id: number;
  readonly session_status: SessionStatus;
  readonly attempts_used: number;
  readonly attempts_max: number;
  readonly open_transaction_id: string | null;
  readonly expires_at: Date;
  readonly session_amount: string;
  readonly currency: string;
  readonly billing_type: BillingType;
  readonly billing_frequency: BillingFrequency | null;
  readonly billing_day: BillingDay | null;
  readonly trial_interval_unit: TrialIntervalUnit | null;
  readonly trial_period: number | null;
  readonly trial_price: string | null;
  readonly payment_link_id: string | null;
  readonly campaign_id: string | null;
  readonly campaign_name: string;
  readonly offer_id: string | null;
  readonly offer_name: string;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly order_id: string;
  readonly order_number: string;
  readonly order_status: OrderStatus;
  readonly lead_id: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly country: string;
  readonly address: string | null;
  readonly postal_code: string | null;
  readonly city: string | null;
  readonly gateway_id: string;
  readonly gateway_name: string;
  readonly adapter: string;
  readonly descriptor: string | null;
  readonly test_mode: boolean;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly credentials: Buffer | null;
  readonly completed_event_at: "acceptance" | "settlement";
  readonly transaction_id: string | null;
  readonly transaction_status: TransactionStatus | null;
  readonly transaction_type: string | null;
  readonly transaction_amount: string | null;
  readonly merchant_transaction_id: string | null;
  readonly gateway_reference: string | null;
  readonly tenant_reference_id: string | null;
  readonly sequence_type: "FRST" | "RCUR" | null;
  readonly source: string | null;
  readonly customer_ip: string | null;
  readonly error_code: DeclineCode | null;
  readonly error_message: string | null;
  readonly gateway_code: string | null;
  readonly gateway_message: string | null;
  readonly verification_id: string | null;
  readonly verification_url: string | null;
  readonly resolve_count: number | null;
  /** The number of the claim that may record the outcome. */
  readonly lease_no: string | null;
  /** The trace in which the attempt began. */
  readonly traceparent: string | null;
  readonly transaction_created_at: Date | null;
  readonly processed_at: Date | null;
  readonly mandate_id: string | null;
  readonly mandate_reference: string | null;
  readonly mandate_accepted_at: Date | null;
  readonly creditor_name: string | null;
  readonly creditor_identifier: string | null;
  readonly iban_sealed: Buffer | null;
  readonly iban_last4: string | null;
  readonly iban_country: string | null;
  readonly bic: string | null;
  readonly bank_name: string | null;
  readonly holder_name: string | null;
  readonly mandate_scheme: Scheme | null;
  readonly mandate_notice_days: number | null;
  readonly subscription_id: string | null;
  readonly subscription_status: string | null;
  readonly subscription_frequency: BillingFrequency | null;
  readonly next_billing_date: string | null;
}

/** Fields of its transaction's record that an attempt has as columns of its own. */
export const ATTEMPT_FIELDS = {
  id: "transaction_id",
  merchant_transaction_id: "merchant_transaction_id",
  tenant_reference_id: "tenant_reference_id",
  type: "transaction_type",
  amount: "transaction_amount",
  currency: "currency",
  bic: "bic",
  mandate_reference_id: "mandate_reference",
  mandate_date: "mandate_accepted_at",
  source: "source",
  order_id: "order_id",
  subscription_id: "subscription_id",
  lead_id: "lead_id",
  payment_gateway_id: "gateway_id",
  created_at: "transaction_created_at",
} as const;

/** An attempt with its transaction, sent to a gateway or about to be. */
export type OpenAttempt = AttemptRow &
  OtherRecordFields<typeof ATTEMPT_FIELDS> & {
    readonly transaction_id: string;
    readonly transaction_status: TransactionStatus;
    readonly transaction_amount: string;
    readonly merchant_transaction_id: string;
    readonly source: string;
    readonly transaction_type: string;
    readonly transaction_created_at: Date;
    readonly mandate_id: string;
    readonly mandate_reference: string;
    readonly mandate_accepted_at: Date;
    readonly creditor_name: string;
    readonly iban_sealed: Buffer;
    readonly holder_name: string;
    readonly mandate_scheme: Scheme;
    readonly resolve_count: number;
    readonly lease_no: string;
  };

/**
 * The columns of every statement about an attempt: s session, o order, l lead, g gateway, t transaction, m mandate, u
 * subscription.
 */
export const ATTEMPT_COLUMNS = `
  s.id as session_id, s.token_key_id, s.status as session_status, s.attempts_used, s.attempts_max,
  s.open_transaction_id, s.expires_at, s.amount as session_amount, s.currency, s.billing_type,
  s.billing_frequency, s.billing_day, s.trial_interval_unit, s.trial_period, s.trial_price,
  s.payment_link_id, s.campaign_id, s.campaign_name, s.offer_id, s.offer_name, s.metadata,
  o.id as order_id, o.order_number, o.status as order_status,
  l.id as lead_id, l.email, l.first_name, l.last_name, l.country,
  l.address, l.postal_code, l.city,
  g.id as gateway_id, g.name as gateway_name, g.adapter, g.descriptor, g.test_mode, g.settings, g.credentials,
  coalesce(t.completed_event_at, g.completed_event_at) as completed_event_at,
  t.id as transaction_id, t.status as transaction_status, t.type as transaction_type,
  t.amount as transaction_amount, t.merchant_transaction_id, t.gateway_reference, t.tenant_reference_id,
  t.sequence_type, t.source, t.customer_ip, t.error_code, t.error_message, t.gateway_code, t.gateway_message,
  t.verification_id, t.verification_url, t.resolve_count, t.lease_no, t.traceparent, t.created_at as transaction_created_at, t.processed_at,
  m.id as mandate_id, m.reference as mandate_reference, m.accepted_at as mandate_accepted_at,
  m.creditor_name, m.creditor_identifier, m.iban_sealed, m.iban_last4, m.iban_country, m.bic, m.bank_name,
  m.holder_name, m.scheme as mandate_scheme, m.pre_notification_days as mandate_notice_days`;

export const NO_SUBSCRIPTION = `
  null::uuid as subscription_id, null::text as subscription_status, null::text as subscription_frequency,
  null::date as next_billing_date`;

/** An attempt about to get an outcome, with the rest of its record for the events. */
const OPEN_ATTEMPT_COLUMNS =
  `${ATTEMPT_COLUMNS}, ${NO_SUBSCRIPTION}, ${otherRecordColumns(ATTEMPT_FIELDS)}` as const;

const SUBSCRIPTION_COLUMNS = `
  u.id as subscription_id, u.status as subscription_status, u.billing_frequency as subscription_frequency,
  u.next_billing_date`;

export const SESSION_JOINS = `
  join orders   o on o.tenant = :tenant and o.session_id = s.id
  join leads    l on l.tenant = :tenant and l.id = s.lead_id
  join gateways g on g.tenant = :tenant and g.id = s.gateway_id`;

export interface PaymentClaim {
  readonly tenant: number;
  readonly sessionId: string;
  readonly now: Date;
  readonly resolveAt: Date;
  readonly transactionId: string;
  readonly merchantTransactionId: string;
  readonly tenantReferenceId: string | null;
  readonly clientIp: string;
  readonly userAgent: string | null;
  readonly source: "api_submission" | "hosted_page";
  /** Identifies the customer's browser, where accounts are counted per browser. */
  readonly device: string | null;
  readonly mandateId: string;
  readonly mandateReference: string;
  readonly acceptanceMode: "checkbox" | "IMPLICIT";
  readonly textVersion: string;
  /** The customer confirms that they pay the same amount again within a day. */
  readonly confirmsDuplicate: boolean;
  /** The creditor that the customer was shown; null where the merchant shows the mandate. */
  readonly creditorShown: Creditor | null;
  readonly holderName: string;
  readonly ibanSealed: Buffer;
  readonly ibanFingerprint: Buffer;
  /** Under each master key, as the account's other mandates may have them. */
  readonly ibanFingerprints: readonly Buffer[];
  readonly ibanLast4: string;
  readonly ibanCountry: string;
  readonly ibanLength: number;
  /** A documentation IBAN, accepted in test mode only. */
  readonly isDocumentationIban: boolean;
  readonly bic: string | null;
  readonly bankName: string | null;
}

/**
 * SQL: whether the customer of `s` has enough settled debits at the tenant's gateways for `g` to complete the next one
 * on acceptance: at least as many as `g` requires, and none that came back.
 */
const IS_KNOWN_CUSTOMER = `g.acceptance_after_debits is not null and coalesce((
              select count(*) filter (where p.status = 'approved') >= g.acceptance_after_debits
                     and bool_and(p.status <> 'charged_back')
                from transactions p
               where p.tenant = :tenant and p.lead_id = s.lead_id and p.type in ('sdd_sale', 'sdd_rebill')), false)`;

/** The claim also compares the creditor: a form that showed another one signs nothing. */
const CLAIM = writesTogether(
  "sessions.claim",
  {
    sessionId: "uuid",
    now: "timestamptz",
    resolveAt: "timestamptz",
    transactionId: "uuid",
    merchantTransactionId: "text",
    traceparent: "text",
    tenantReferenceId: "text",
    clientIp: "text",
    userAgent: "text",
    source: "text",
    device: "text",
    mandateId: "uuid",
    mandateReference: "text",
    acceptanceMode: "text",
    textVersion: "text",
    confirmsDuplicate: "boolean",
    creditorShown: "jsonb",
    holderName: "text",
    ibanSealed: "bytea",
    ibanFingerprint: "bytea",
    ibanFingerprints: "text",
    ibanLast4: "text",
    ibanCountry: "text",
    ibanLength: "integer",
    isDocumentationIban: "boolean",
    bic: "text",
    bankName: "text",
  },
  `with held as (
     -- What makes two pays one debit: the second waits here, then finds open_transaction_id set.
     -- A branch of its own: Citus mistakes the rows of a locked join for another format.
     select id, lead_id, customer_ip, gateway_id, campaign_id, expires_at, billing_type, trial_price, amount, currency,
            payment_link_id, holds_link_use, repays_transaction_id
       from sessions
      where tenant = :tenant and id = any (:sessionId::uuid[]) and status = 'PENDING' and open_transaction_id is null
        and attempts_used < attempts_max
      order by id
        for no key update
   ), repaid as (
     -- A reinstatement that has begun is waited for, and then seen in the locked row.
     select id, status from transactions
      where tenant = :tenant and id = any (array(select repays_transaction_id from held))
      order by id
        for share
   ), c as (
     select v.n, ${CREDITOR} as creditor, sessions.id, sessions.lead_id, sessions.customer_ip, g.test_mode,
            ${PAYMENT_LIMITS}
       from v
       join held sessions on sessions.id = v.sessionId
       join gateways g on g.tenant = :tenant and g.id = sessions.gateway_id
       join tenants  n on n.tenant = :tenant
       left join payment_links k on k.tenant = :tenant and k.id = sessions.payment_link_id
      where sessions.expires_at > v.now
        and (g.test_mode or not v.isDocumentationIban)
        and ${IS_IDENTIFIED}
        and not ${isBlockedAccount("v.ibanFingerprints::bytea[]")}
        and (v.tenantReferenceId is null or not ${referenceTaken({ reference: "v.tenantReferenceId", session: "v.sessionId" })})
        and (k.id is null or ${linkIsOpen("k", "v.now")} and (k.uses_max is null or sessions.holds_link_use))
        and (v.creditorShown is null or ${CREDITOR} = v.creditorShown)
        and not exists (select from repaid where repaid.id = sessions.repays_transaction_id and repaid.status <> 'declined')
        and not exists (select from campaigns
                         where campaigns.tenant = :tenant and campaigns.id = sessions.campaign_id and campaigns.stopped_at is not null)
        and (v.confirmsDuplicate or not n.ask_about_duplicates or not exists (select from ${repeats("sessions", "v.ibanFingerprints::bytea[]", "v.now")}))
   ), wanted as (
     ${wantedCounts("c")}
   ), counted as (
     ${countUp("wanted")}
   ), s as (
     update sessions
        set attempts_used = attempts_used + 1, open_transaction_id = v.transactionId
       from c join v on v.n = c.n
      where sessions.tenant = :tenant and sessions.id = c.id
        and not exists (select from wanted w
                         where w.n = c.n and not exists (select from counted k where k.kind = w.kind and k.key = w.key))
        and not ${tooManyInvalid("v.sessionId", "v.now", "c")}
     returning sessions.*, v.n, v.now
   ), o as (${orderStatusSet({ session: "s", status: "'PENDING_PAYMENT_SUBMISSION'", now: "s.now" })}
   ), m as (${mandatesSigned({ sessions: "s", creditor: "c" })}
   ), t as (
     ${attemptOpens({
       by: "v.",
       columns: `id, session_id, order_id, lead_id, mandate_id, gateway_id, tenant_reference_id, type, source, sequence_type,
        amount, currency, customer_ip, completed_event_at`,
       values: `v.transactionId, s.id, o.id, s.lead_id, v.mandateId, s.gateway_id, coalesce(v.tenantReferenceId, s.tenant_reference_id),
            case when first.amount = 0 then 'other_type' else 'sdd_sale' end, v.source, 'FRST',
            first.amount, s.currency, coalesce(s.customer_ip, v.clientIp),
            case when ${IS_KNOWN_CUSTOMER} then 'acceptance' else g.completed_event_at end`,
       from: `from s
       join v on v.n = s.n
       join o on o.session_id = s.id
       join gateways g on g.tenant = :tenant and g.id = s.gateway_id
      cross join lateral (
        select case when s.billing_type = 'TRIAL_RECURRING' then coalesce(s.trial_price, 0) else s.amount end as amount
      ) first`,
     })}
   ), moved as (
     insert into session_moves (tenant, session_id, at, from_status, to_status, cause, transaction_id)
     select :tenant, s.id, s.now, 'PENDING', 'PENDING', 'payment_attempt', s.open_transaction_id from s
   )
   select s.n, ${OPEN_ATTEMPT_COLUMNS}
     from s
     join o on o.session_id = s.id
     join m on m.session_id = s.id
     join t on t.session_id = s.id
     join leads    l on l.tenant = :tenant and l.id = s.lead_id
     join gateways g on g.tenant = :tenant and g.id = s.gateway_id`,
  // Claims of the same session are serialised. Two that count the same IBAN or address make the combined run fail; they
  // then run one by one.
  ({ sessionId }) => [String(sessionId)],
).gives<OpenAttempt>();

/**
 * Uses an attempt and opens a transaction if the session is payable and idle; null when it is not, or when its
 * `tenant_reference_id` is used elsewhere, or when it repeats a payment that was reinstated.
 * @throws Refusal tenant_reference_taken when another request uses the reference at the same time.
 */
export async function claim(db: Database, input: PaymentClaim): Promise<OpenAttempt | null> {
  const { tenant, creditorShown, ibanFingerprints, ...values } = input;
  const rows = await db.together(CLAIM, tenant, {
    ...values,
    traceparent: currentTraceparent(),
    creditorShown: creditorShown === null ? null : JSON.stringify(creditorShown),
    // An array as text: an array of arrays does not unnest to one row per claim.
    ibanFingerprints: `{${ibanFingerprints.map((one) => `\\\\x${one.toString("hex")}`).join()}}`,
  });
  return rows[0] ?? null;
}

const CLAIM_VERIFICATION = sql(
  "sessions.claim_verification",
  `with t as (${attemptTaken(
    `from sessions
      where transactions.tenant = :tenant and sessions.tenant = :tenant
        and sessions.id = :sessionId and sessions.status = 'AWAITING_VERIFICATION'
        and transactions.id = sessions.open_transaction_id
        and transactions.status = 'awaiting_verification'
        and coalesce((sessions.expires_at <= :now) = :expired::boolean, true)`,
    0,
  )}
   )
   select ${OPEN_ATTEMPT_COLUMNS}
     from t
     join sessions s on s.tenant = :tenant and s.id = t.session_id
     join mandates m on m.tenant = :tenant and m.id = t.mandate_id
     ${SESSION_JOINS}`,
).gives<OpenAttempt>();

/**
 * Claims the attempt that waits for a verification, so that no other worker asks for its outcome; null if there is
 * none.
 */
export async function claimVerification(
  db: Database,
  input: {
    readonly tenant: number;
    readonly sessionId: string;
    readonly now: Date;
    readonly resolveAt: Date;
    /** Whether the session has to be expired, or must not be; null for either. */
    readonly expired: boolean | null;
  },
): Promise<OpenAttempt | null> {
  const rows = await db.commit(CLAIM_VERIFICATION, {
    tenant: input.tenant,
    sessionId: input.sessionId,
    now: input.now,
    resolveAt: input.resolveAt,
    expired: input.expired,
  });
  return rows[0] ?? null;
}

const TAKE_BACK = sql(
  "sessions.reclaim",
  `with t as (${attemptTaken(
    `where tenant = :tenant and id = :transactionId
        and status in ${OPEN_IN_SQL}`,
    0,
  )}
   )
   select ${OPEN_ATTEMPT_COLUMNS}
     from t
     join sessions s on s.tenant = :tenant and s.id = t.session_id
     join mandates m on m.tenant = :tenant and m.id = t.mandate_id
     ${SESSION_JOINS}`,
).gives<OpenAttempt>();

/**
 * Claims an open attempt, even from a worker whose claim still runs, in order to record in the same transaction that its
 * money has moved; null when its outcome is recorded.
 */
export async function reclaim(
  tx: Tx,
  tenant: number,
  transactionId: string,
  now: Date,
  resolveAt: Date,
): Promise<OpenAttempt | null> {
  // Otherwise a claim that waits for another's outcome would read the session as it was before that.
  await lockAttempt(tx, tenant, transactionId);
  const rows = await tx.write(TAKE_BACK, { tenant, transactionId, now, resolveAt });
  return rows[0] ?? null;
}

export const CLAIM_DUE_ATTEMPTS = sql(
  "sessions.claim_due",
  `with ${claimDue("session_id is not null")}
   select ${OPEN_ATTEMPT_COLUMNS}
     from t
     join sessions s on s.tenant = :tenant and s.id = t.session_id
     join mandates m on m.tenant = :tenant and m.id = t.mandate_id
     ${SESSION_JOINS}`,
).gives<OpenAttempt>();

const FIND_ATTEMPT = sql(
  "sessions.find_attempt",
  `select ${ATTEMPT_COLUMNS}, ${SUBSCRIPTION_COLUMNS}
     from sessions s
     ${SESSION_JOINS}
     left join lateral (
       select * from transactions
        where transactions.tenant = :tenant and transactions.session_id = s.id
          and (:transactionId::uuid is null or transactions.id = :transactionId)
        order by created_at desc, id desc
        limit 1
     ) t on true
     left join mandates      m on m.tenant = :tenant and m.id = t.mandate_id
     left join subscriptions u on u.tenant = :tenant and u.order_id = o.id
    where s.tenant = :tenant and s.id = :sessionId`,
).gives<AttemptRow>();

/** A session with its newest attempt, or that of `transactionId`; null if there is none. */
export async function findAttempt(
  db: Reader,
  tenant: number,
  sessionId: string,
  transactionId: string | null = null,
): Promise<AttemptRow | null> {
  const rows = await db.query(FIND_ATTEMPT, { tenant, sessionId, transactionId });
  return rows[0] ?? null;
}
