/** What a row of each table looks like to the service. Generated from the migrated schema: npm run generate. */

export interface SchemaMigrationRow {
  readonly number: number;
  readonly name: string;
  readonly applied_at: Date;
}

export interface TenantRow {
  readonly tenant: number;
  readonly id: string;
  readonly name: string;
  readonly country: string | null;
  readonly creditor_identifier: string | null;
  readonly session_lifetime_seconds: number;
  readonly default_locale: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly archived_at: Date | null;
  readonly pre_notification_days: number;
  readonly subscription_after_chargeback: "cancel" | "past_due" | "keep";
  readonly subscription_after_refund: "cancel" | "keep";
  readonly address: string | null;
  readonly postal_code: string | null;
  readonly city: string | null;
  readonly iban_payments_max: number | null;
  readonly lead_payments_max: number | null;
  readonly address_payments_max: number | null;
  readonly invalid_ibans_max: number | null;
  readonly token_detail_days: number;
}

export interface ApiKeyRow {
  readonly tenant: number;
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly (
    | "payments"
    | "reconciliation"
    | "management"
    | "read"
    | "refunds"
    | "billing"
    | "settings"
    | "keys"
    | "bank"
    | "whole_ibans"
  )[];
  readonly prefix: string;
  readonly hash: Buffer;
  readonly previous_hash: Buffer | null;
  readonly previous_expires_at: Date | null;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  readonly last_used_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly archived_at: Date | null;
}

export interface GatewayRow {
  readonly tenant: number;
  readonly id: string;
  readonly name: string;
  readonly adapter: string;
  readonly descriptor: string | null;
  readonly test_mode: boolean;
  readonly settings: unknown;
  readonly credentials: Buffer | null;
  readonly completed_event_at: "acceptance" | "settlement";
  readonly active: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly archived_at: Date | null;
  readonly former_creditors: readonly string[];
}

export interface WebhookProfileRow {
  readonly tenant: number;
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly payload_fields: unknown;
  readonly ascii_escape: boolean;
  readonly signing_secret: Buffer;
  readonly previous_signing_secret: Buffer | null;
  readonly previous_signing_secret_until: Date | null;
  readonly active: boolean;
  readonly disabled_reason: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly archived_at: Date | null;
}

export interface HostedPageRow {
  readonly tenant: number;
  readonly id: string;
  readonly name: string;
  readonly branding: unknown;
  readonly content: unknown;
  readonly show_product_name: boolean;
  readonly show_product_price: boolean;
  readonly show_product_description: boolean;
  readonly offer_overrides: unknown;
  readonly success_redirect_url: string | null;
  readonly failure_redirect_url: string | null;
  readonly mandate_acceptance_mode: "checkbox" | "IMPLICIT";
  readonly locale: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly archived_at: Date | null;
  readonly frame_origins: readonly string[];
}

export interface OfferRow {
  readonly tenant: number;
  readonly id: string;
  readonly name: string;
  readonly price: string;
  readonly currency: string;
  readonly billing_type: "ONE_OFF" | "RECURRING" | "TRIAL_RECURRING";
  readonly billing_frequency:
    | "WEEKLY"
    | "BIWEEKLY"
    | "MONTHLY"
    | "QUARTERLY"
    | "SEMIANNUALLY"
    | "YEARLY"
    | null;
  readonly trial_interval_unit: "day" | "week" | "month" | null;
  readonly trial_period: number | null;
  readonly trial_price: string | null;
  readonly product_name: string | null;
  readonly product_description: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly archived_at: Date | null;
}

export interface CampaignRow {
  readonly tenant: number;
  readonly id: string;
  readonly name: string;
  readonly offer_id: string;
  readonly gateway_id: string;
  readonly hosted_page_id: string | null;
  readonly webhook_profile_id: string | null;
  readonly max_payment_attempts: number;
  readonly active: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly archived_at: Date | null;
}

export interface LeadRow {
  readonly tenant: number;
  readonly id: string;
  readonly email_key: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly country: string;
  readonly address: string | null;
  readonly city: string | null;
  readonly postal_code: string | null;
  readonly phone: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface SessionRow {
  readonly tenant: number;
  readonly id: string;
  readonly token_key_id: number;
  readonly status: "PENDING" | "AWAITING_VERIFICATION" | "COMPLETED" | "EXPIRED";
  readonly lead_id: string;
  readonly gateway_id: string;
  readonly campaign_id: string | null;
  readonly offer_id: string | null;
  readonly hosted_page_id: string | null;
  readonly webhook_profile_id: string | null;
  readonly campaign_name: string;
  readonly offer_name: string;
  readonly product_name: string | null;
  readonly product_description: string | null;
  readonly amount: string;
  readonly currency: string;
  readonly billing_type: "ONE_OFF" | "RECURRING" | "TRIAL_RECURRING";
  readonly billing_frequency:
    | "WEEKLY"
    | "BIWEEKLY"
    | "MONTHLY"
    | "QUARTERLY"
    | "SEMIANNUALLY"
    | "YEARLY"
    | null;
  readonly trial_interval_unit: "day" | "week" | "month" | null;
  readonly trial_period: number | null;
  readonly trial_price: string | null;
  readonly attempts_max: number;
  readonly attempts_used: number;
  readonly open_transaction_id: string | null;
  readonly customer_ip: string | null;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly closed_at: Date | null;
}

export interface SessionMoveRow {
  readonly tenant: number;
  readonly session_id: string;
  readonly number: number;
  readonly at: Date;
  readonly from_status: string | null;
  readonly to_status: string;
  readonly cause: string;
  readonly transaction_id: string | null;
}

export interface OrderRow {
  readonly tenant: number;
  readonly id: string;
  readonly session_id: string;
  readonly lead_id: string;
  readonly order_number: string;
  readonly status:
    | "PENDING_PAYMENT_SUBMISSION"
    | "PENDING"
    | "COMPLETED"
    | "FAILED"
    | "REFUNDED"
    | "CHARGEDBACK";
  readonly amount: string;
  readonly currency: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface MandateRow {
  readonly tenant: number;
  readonly id: string;
  readonly reference: string;
  readonly lead_id: string;
  readonly session_id: string | null;
  readonly status: "pending" | "active" | "rejected" | "cancelled" | "expired";
  readonly acceptance_mode: "checkbox" | "IMPLICIT" | null;
  readonly accepted_at: Date;
  readonly accepted_ip: string | null;
  readonly text_version: string | null;
  readonly creditor_name: string;
  readonly creditor_identifier: string | null;
  readonly holder_name: string;
  readonly iban_sealed: Buffer;
  readonly iban_fingerprint: Buffer;
  readonly iban_last4: string;
  readonly iban_length: number;
  readonly iban_country: string;
  readonly bic: string | null;
  readonly bank_name: string | null;
  readonly last_used_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly scheme: "CORE" | "B2B";
  readonly type: "recurrent" | "one_off";
  readonly source: "payment" | "import";
  readonly language: string | null;
  readonly pre_notification_days: number | null;
  readonly cancelled_at: Date | null;
  readonly cancelled_by: "debtor" | "creditor" | "bank" | null;
  readonly status_reason: string | null;
  readonly creditor_address: string | null;
  readonly creditor_postal_code: string | null;
  readonly creditor_city: string | null;
  readonly creditor_country: string | null;
  readonly used_elsewhere: boolean;
}

export interface SubscriptionRow {
  readonly tenant: number;
  readonly id: string;
  readonly status: "ACTIVE" | "PAST_DUE" | "CANCELLED";
  readonly billing_amount: string;
  readonly currency: string;
  readonly billing_frequency:
    | "WEEKLY"
    | "BIWEEKLY"
    | "MONTHLY"
    | "QUARTERLY"
    | "SEMIANNUALLY"
    | "YEARLY"
    | null;
  readonly start_date: Date;
  readonly next_billing_date: string | null;
  readonly last_billing_date: Date | null;
  readonly cancelled_at: Date | null;
  readonly trial_end_date: string | null;
  readonly billing_anchor_date: string | null;
  readonly successful_billing_count: number;
  readonly failed_billing_count: number;
  readonly total_revenue: string;
  readonly order_id: string;
  readonly lead_id: string;
  readonly offer_id: string | null;
  readonly gateway_id: string;
  readonly mandate_id: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly cancel_reason: string | null;
  readonly cancel_at_period_end: boolean;
  readonly announced_date: string | null;
  readonly past_due_since: Date | null;
}

export interface TransactionRow {
  readonly tenant: number;
  readonly id: string;
  readonly session_id: string | null;
  readonly order_id: string | null;
  readonly subscription_id: string | null;
  readonly lead_id: string | null;
  readonly mandate_id: string | null;
  readonly gateway_id: string;
  readonly merchant_transaction_id: string;
  readonly tenant_reference_id: string | null;
  readonly gateway_reference: string | null;
  readonly adapter_unique_id: string | null;
  readonly status:
    | "submitted"
    | "unresolved"
    | "awaiting_verification"
    | "verifying"
    | "pending"
    | "approved"
    | "declined"
    | "refunded"
    | "charged_back";
  readonly type: "sdd_sale" | "sdd_rebill" | "sdd_refund" | "other_type";
  readonly source: "csv_import" | "api_submission" | "admin_refund" | "webhook" | "hosted_page";
  readonly sequence_type: "FRST" | "RCUR";
  readonly amount: string;
  readonly currency: string;
  readonly customer_ip: string | null;
  readonly error_code:
    | "insufficient_funds"
    | "invalid_iban"
    | "mandate_rejected"
    | "account_closed"
    | "do_not_honor"
    | "gateway_unavailable"
    | "unknown"
    | null;
  readonly error_message: string | null;
  readonly gateway_code: string | null;
  readonly gateway_message: string | null;
  readonly verification_id: string | null;
  readonly verification_url: string | null;
  readonly resolve_at: Date | null;
  readonly resolve_count: number;
  readonly created_at: Date;
  readonly processed_at: Date | null;
  readonly updated_at: Date;
  readonly original_id: string | null;
  readonly reason: string | null;
  readonly refund_claimed: string;
  readonly refunded: string;
  readonly customer_email_csv: string | null;
  readonly customer_name_csv: string | null;
  readonly iban_last4: string | null;
  readonly iban_length: number | null;
  readonly bic: string | null;
  readonly mandate_reference: string | null;
  readonly mandate_date: Date | null;
  readonly locked_until: Date | null;
  readonly lease_no: string;
  readonly completed_event_at: "acceptance" | "settlement" | null;
  readonly reinstatements: number;
}

export interface ChargebackRow {
  readonly tenant: number;
  readonly id: string;
  readonly merchant_transaction_id: string;
  readonly transaction_id: string | null;
  readonly lead_id: string | null;
  readonly gateway_id: string;
  readonly adapter_unique_id: string | null;
  readonly tenant_reference_id: string | null;
  readonly status: "charged_back";
  readonly type: "chargeback";
  readonly amount: string;
  readonly currency: string;
  readonly report_date: Date;
  readonly transaction_date: Date | null;
  readonly reason_code: string | null;
  readonly reason_message: string | null;
  readonly report_type: string | null;
  readonly report_message: string | null;
  readonly report_info: string | null;
  readonly arn: string | null;
  readonly iban_last4: string | null;
  readonly iban_length: number | null;
  readonly bic: string | null;
  readonly email: string | null;
  readonly country: string | null;
  readonly source: "csv_import" | "webhook" | "reconciliation" | "manual";
  readonly cb_bank_fee: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly original_reference: string | null;
  readonly original_end_to_end_id: string | null;
  readonly original_transaction_id: string | null;
  readonly withdrawn_on: string | null;
}

export interface EventRow {
  readonly tenant: number;
  readonly id: string;
  readonly type:
    | "payment_session.completed"
    | "payment_session.expired"
    | "transaction.created"
    | "transaction.status_changed"
    | "chargeback.created"
    | "subscription.upcoming";
  readonly session_id: string | null;
  readonly transaction_id: string | null;
  readonly chargeback_id: string | null;
  readonly payload: unknown;
  readonly created_at: Date;
  readonly number: string;
  readonly fanned_out_at: Date | null;
}

export interface IdempotencyKeyRow {
  readonly tenant: number;
  readonly caller: string;
  readonly key: string;
  readonly request_id: string;
  readonly request_hash: Buffer;
  readonly locked_until: Date | null;
  readonly status: number | null;
  readonly answer: Buffer | null;
  readonly created_at: Date;
}

export interface AuditLogRow {
  readonly tenant: number;
  readonly id: string;
  readonly at: Date;
  readonly actor: string;
  readonly actor_name: string;
  readonly action: string;
  readonly resource: string;
  readonly resource_id: string | null;
  readonly before: unknown;
  readonly after: unknown;
  readonly ip: string | null;
  readonly request_id: string | null;
}

export interface BankRow {
  readonly country: string;
  readonly bank_code: string;
  readonly bic: string | null;
  readonly name: string;
  readonly source: string;
  readonly imported_at: Date;
}

export interface SandboxBookRow {
  readonly tenant: number;
  readonly gateway_id: string;
  readonly reference: string;
  readonly bank_reference: string;
  readonly verification_id: string | null;
  readonly scenario: string;
  readonly state:
    | "charged"
    | "refused"
    | "fenced"
    | "awaiting_customer"
    | "pending"
    | "settled"
    | "returned"
    | "charged_back"
    | "refunded";
  readonly amount: string;
  readonly currency: string;
  readonly mandate_reference: string;
  readonly creditor_name: string;
  readonly iban_last4: string;
  readonly return_url: Buffer | null;
  readonly answer_code: string | null;
  readonly answer_message: string | null;
  readonly asked_count: number;
  readonly charged_at: Date | null;
  readonly reported_at: Date | null;
  readonly created_at: Date;
  readonly refund_of: string | null;
  readonly refunded: string;
}

export interface WebhookReceiverRow {
  readonly tenant: number;
  readonly profile_id: string;
  readonly next_at: Date | null;
  readonly news: string;
  readonly locked_until: Date | null;
  readonly lease_no: string;
  readonly failures_in_a_row: number;
  readonly paused_until: Date | null;
}

export interface WebhookDeliveryRow {
  readonly tenant: number;
  readonly id: string;
  readonly event_id: string;
  readonly event_number: string;
  readonly event_type: string;
  readonly profile_id: string;
  readonly session_id: string | null;
  readonly payload_fields: unknown;
  readonly ascii_escape: boolean;
  readonly status: "pending" | "delivered" | "failing" | "exhausted";
  readonly due_at: Date | null;
  readonly attempts: number;
  readonly tries: number;
  readonly last_at: Date | null;
  readonly response_code: number | null;
  readonly error: string | null;
  readonly delivered_at: Date | null;
  readonly created_at: Date;
  readonly stream_id: string | null;
}

export interface WebhookAttemptRow {
  readonly tenant: number;
  readonly delivery_id: string;
  readonly number: number;
  readonly at: Date;
  readonly duration_ms: number;
  readonly response_code: number | null;
  readonly error: string | null;
  readonly response_body: string | null;
}

export interface TenantClockRow {
  readonly tenant: number;
  readonly ahead_ms: string;
  readonly updated_at: Date;
}

export interface IntegrationRow {
  readonly tenant: number;
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  readonly provider_active: boolean;
  readonly active: boolean;
  readonly key_mapping: unknown;
  readonly token_hash: Buffer;
  readonly token_sealed: Buffer;
  readonly postback_secret: Buffer | null;
  readonly read_url: string | null;
  readonly read_token: Buffer | null;
  readonly read_paging: unknown;
  readonly read_due_at: Date | null;
  readonly read_since: Date | null;
  readonly last_read_at: Date | null;
  readonly last_read_error: string | null;
  readonly payload_retention_days: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly archived_at: Date | null;
}

export interface IntegrationActivityRow {
  readonly tenant: number;
  readonly id: string;
  readonly integration_id: string;
  readonly status: "received" | "matched" | "unmatched" | "failed" | "skipped";
  readonly reason: string | null;
  readonly recovered: boolean;
  readonly request_uuid: string | null;
  readonly payload: Buffer | null;
  readonly due_at: Date | null;
  readonly attempts: number;
  readonly tries: number;
  readonly lead_id: string | null;
  readonly order_id: string | null;
  readonly session_id: string | null;
  readonly created_at: Date;
  readonly processed_at: Date | null;
}

export interface IntegrationPostbackKeyRow {
  readonly tenant: number;
  readonly integration_id: string;
  readonly fingerprint: Buffer;
  readonly activity_id: string;
  readonly expires_at: Date;
}

export interface ImportRow {
  readonly tenant: number;
  readonly id: string;
  readonly kind: "transactions" | "chargebacks";
  readonly gateway_id: string;
  readonly file_name: string;
  readonly file_sha256: string | null;
  readonly dry_run: boolean;
  readonly status: "running" | "done" | "failed";
  readonly error: string | null;
  readonly lines: number;
  readonly created: number;
  readonly duplicate: number;
  readonly linked: number;
  readonly rejected: number;
  readonly rejections: unknown;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface BillingCycleRow {
  readonly tenant: number;
  readonly subscription_id: string;
  readonly cycle: number;
  readonly due_date: string;
  readonly status:
    | "collecting"
    | "pending"
    | "retry"
    | "paid"
    | "failed"
    | "skipped"
    | "charged_back"
    | "withdrawn";
  readonly attempts: number;
  readonly transaction_id: string | null;
  readonly next_attempt_at: Date | null;
  readonly error_code: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly withdrawal_asked_at: Date | null;
}

export interface SepaFileRow {
  readonly tenant: number;
  readonly id: string;
  readonly gateway_id: string;
  readonly direction: "out" | "in";
  readonly kind: string;
  readonly name: string;
  readonly message_id: string | null;
  readonly sha256: Buffer;
  readonly content: Buffer;
  readonly size: number;
  readonly transactions: number;
  readonly amount: string;
  readonly due_date: string | null;
  readonly status:
    | "ready"
    | "stored"
    | "uploading"
    | "renaming"
    | "sent"
    | "unclear"
    | "withdrawn"
    | "applied"
    | "refused";
  readonly error: string | null;
  readonly report: unknown;
  readonly locked_until: Date | null;
  readonly lease_no: string;
  readonly due_at: Date | null;
  readonly attempts: number;
  readonly sent_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface SepaCollectionRow {
  readonly tenant: number;
  readonly gateway_id: string;
  readonly reference: string;
  readonly refund_of: string | null;
  readonly collected_on: string | null;
  readonly state:
    | "mandate_only"
    | "accepted"
    | "batched"
    | "settled"
    | "rejected"
    | "returned"
    | "fenced"
    | "refused";
  readonly amount: string;
  readonly currency: string;
  readonly recurring: boolean;
  readonly mandate_reference: string;
  readonly mandate_signed_on: string | null;
  readonly debtor_name: string;
  readonly debtor: Buffer | null;
  readonly remittance: string;
  readonly not_before: string | null;
  readonly sequence_type: "FRST" | "RCUR" | "OOFF" | null;
  readonly file_id: string | null;
  readonly block_id: string | null;
  readonly due_date: string | null;
  readonly settled_on: string | null;
  readonly returned_on: string | null;
  readonly reason_code: string | null;
  readonly gateway_reference: string | null;
  readonly assumed: boolean;
  readonly asked_count: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly scheme: "CORE" | "B2B" | null;
  readonly creditor_name: string | null;
  readonly creditor_identifier: string | null;
  readonly mandate_id: string | null;
  readonly amended_up_to: number | null;
  readonly round: number;
  readonly reinstated_on: string | null;
}

export interface SepaNewRow {
  readonly tenant: number;
  readonly gateway_id: string;
  readonly number: string;
  readonly reference: string;
  readonly kind: "settled" | "returned" | "charged_back" | "fee" | "reinstated";
  readonly at: Date;
  readonly gateway_reference: string | null;
  readonly reason_code: string | null;
  readonly reason_message: string | null;
  readonly report_type: string | null;
  readonly bank_fee: string | null;
  readonly file_id: string | null;
  readonly acknowledged_at: Date | null;
  readonly round: number;
  readonly amount: string | null;
  readonly written_at: Date;
}

export interface SepaEntryRow {
  readonly tenant: number;
  readonly file_id: string;
  readonly number: number;
  readonly result: "settled" | "rejected" | "returned" | "known" | "ignored" | "unmatched";
  readonly reference: string | null;
  readonly amount: string | null;
  readonly reason_code: string | null;
  readonly detail: string;
}

export interface SepaUnmatchedRow {
  readonly tenant: number;
  readonly id: string;
  readonly gateway_id: string;
  readonly file_id: string;
  readonly entry: number;
  readonly kind:
    | "collection"
    | "block"
    | "return"
    | "reject"
    | "withdrawn_return"
    | "fee"
    | "transfer"
    | "unreadable";
  readonly why: string;
  readonly amount: string | null;
  readonly bank_fee: string | null;
  readonly booked_on: string | null;
  readonly facts: unknown;
  readonly status: "open" | "part" | "applied" | "dismissed";
  readonly resolution: string | null;
  readonly reference: string | null;
  readonly resolved_at: Date | null;
  readonly created_at: Date;
  readonly identity: string | null;
  readonly target: unknown;
}

export interface SepaAccountRow {
  readonly tenant: number;
  readonly gateway_id: string;
  readonly last_run_on: string | null;
  readonly last_number: number;
  readonly polled_at: Date | null;
  readonly poll_error: string | null;
  readonly locked_until: Date | null;
  readonly lease_no: string;
  readonly last_run_at: Date | null;
}

export interface MandateAmendmentRow {
  readonly tenant: number;
  readonly mandate_id: string;
  readonly number: number;
  readonly at: Date;
  readonly kind: "reference" | "creditor" | "account" | "holder";
  readonly original_reference: string | null;
  readonly original_creditor_identifier: string | null;
  readonly original_creditor_name: string | null;
  readonly original_holder_name: string | null;
  readonly original_iban_sealed: Buffer | null;
  readonly original_iban_country: string | null;
  readonly original_iban_last4: string | null;
  readonly same_bank: boolean | null;
  readonly sent_at: Date | null;
  readonly known_to_bank: boolean;
}

export interface SepaCreditorAccountRow {
  readonly tenant: number;
  readonly gateway_id: string;
  readonly iban: string;
  readonly first_used_at: Date;
  readonly last_used_at: Date;
}

export interface GatewayNewsSetAsideRow {
  readonly tenant: number;
  readonly gateway_id: string;
  readonly reference: string;
  readonly kind: "settled" | "returned" | "charged_back" | "fee" | "reinstated";
  readonly why: string;
  readonly tries: number;
  readonly since: Date;
  readonly due_at: Date;
}

export interface SepaBookingRow {
  readonly tenant: number;
  readonly gateway_id: string;
  readonly reference: string;
  readonly movement: "credit" | "debit" | "fee";
  readonly booked_on: string;
  readonly bank_reference: string | null;
  readonly file_id: string | null;
}

export interface SepaFilePieceRow {
  readonly tenant: number;
  readonly file_id: string;
  readonly number: number;
  readonly content: Buffer;
}

export interface PaymentCountRow {
  readonly tenant: number;
  readonly kind: "address" | "iban" | "invalid_iban" | "lead";
  readonly key: string;
  readonly started_at: Date;
  readonly count: number;
  readonly most: number;
}

export interface SepaStatementRow {
  readonly tenant: number;
  readonly id: string;
  readonly gateway_id: string;
  readonly file_id: string;
  readonly iban: string;
  readonly ends_on: string;
  readonly sequence: string | null;
  readonly statement_id: string | null;
  readonly opening: string | null;
  readonly closing: string | null;
  readonly gap: string | null;
  readonly created_at: Date;
}
