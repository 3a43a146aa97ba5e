/** One attempt with everything around it, as claim, verification and recovery read it and as the envelope shows it. */
import type { Scheme } from "../mandates/creditor.ts";
import type { RecordBeside } from "../payments/records.ts";
import type { DeclineCode } from "../sepa/reasons.ts";
import type { BillingFrequency, TrialIntervalUnit } from "../subscriptions/billing-terms.ts";
import type { BillingType } from "../subscriptions/subscription.ts";
import type { OpenSession, OrderStatus, SessionStatus, TransactionStatus } from "./session.ts";

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
  readonly trial_interval_unit: TrialIntervalUnit | null;
  readonly trial_period: number | null;
  readonly trial_price: string | null;
  readonly campaign_id: string | null;
  readonly campaign_name: string;
  readonly offer_id: string | null;
  readonly offer_name: string;
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
  /** The number of the claim that may write what comes of the attempt. */
  readonly lease_no: string | null;
  /** Of the trace that the attempt began in. */
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

/** What an attempt has of its transaction's record as columns of its own. */
export const HELD = {
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
  RecordBeside<typeof HELD> & {
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

export function openSessionOf(row: AttemptRow): OpenSession {
  return {
    status: row.session_status,
    attemptsUsed: row.attempts_used,
    attemptsMax: row.attempts_max,
    expiresAt: row.expires_at,
  };
}
