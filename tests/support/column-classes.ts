/**
 * The class of each column of the schema: data of a customer (`personal`, which an erasure removes), of the merchant
 * and its people (`merchant`), of money and agreements (`money`, which is kept), or none of these (`technical`).
 */

interface Classes {
  readonly personal?: string;
  readonly merchant?: string;
  readonly money?: string;
  readonly technical?: string;
}

export const COLUMN_CLASSES: Readonly<Record<string, Classes>> = {
  api_keys: {
    merchant:
      "name scopes prefix hash previous_hash previous_expires_at expires_at revoked_at last_used_at created_at updated_at archived_at",
    technical: "tenant id",
  },
  audit_chain: {
    technical: "tenant number entry_id key_number salt details hash",
  },
  audit_log: {
    personal: "before after",
    merchant: "actor actor_name ip",
    technical: "tenant id at action resource resource_id request_id",
  },
  audit_pending: {
    technical: "tenant number entry_id",
  },
  banks: {
    technical: "country bank_code bic name source imported_at",
  },
  daily_figures: {
    money: "day gateway_id campaign_id country type state reason age_weeks bank_code currency count amount",
    technical: "tenant number",
  },
  expected_counts: { technical: "tenant counted_from counted_to counted_at due_at" },
  expected_figures: { money: "day currency kind count amount", technical: "tenant number" },
  figure_days: { technical: "tenant day counted_at due_at" },
  billing_cycles: {
    money:
      "subscription_id cycle due_date status attempts transaction_id withdrawal_asked_at error_code created_at",
    technical: "tenant next_attempt_at updated_at",
  },
  campaigns: {
    merchant:
      "name offer_id gateway_id hosted_page_id webhook_profile_id max_payment_attempts active return_rate_max return_rate_min_payments stopped_at counted_from created_at updated_at archived_at",
    technical: "tenant id",
  },
  chargebacks: {
    personal:
      "tenant_reference_id original_reference reason_message report_message report_info iban_last4 bic email",
    money:
      "merchant_transaction_id transaction_id lead_id gateway_id adapter_unique_id original_end_to_end_id original_transaction_id status type amount currency report_date transaction_date reason_code report_type arn iban_length country source cb_bank_fee withdrawn_on campaign_id created_at",
    technical: "tenant id campaign_known updated_at",
  },
  console_sessions: {
    merchant:
      "person hash stage method proved_at challenge failures ip user_agent seen_at expires_at ended_at created_at",
    technical: "tenant id",
  },
  database_places: {
    technical: "number server database timeline reason found_at released_at",
  },
  ebics_events: {
    merchant: "gateway_id order_id action reason at text file_id",
    technical: "tenant number read_at",
  },
  ebics_orders: {
    merchant: "gateway_id file_id order_id order_type transaction_id started_at",
    technical: "tenant number",
  },
  ebics_users: {
    merchant:
      "gateway_id host_id partner_id user_id state keys next_keys ini_sent_at hia_sent_at bank_keys offered_bank_keys confirmed_at stop_reason unanswered_since former created_at updated_at",
    technical: "tenant locked_until lease_no",
  },
  events: {
    personal: "payload",
    technical: "tenant id number type session_id transaction_id chargeback_id created_at fanned_out_at",
  },
  gateway_news_set_aside: {
    personal: "why",
    technical: "tenant gateway_id reference kind tries since due_at",
  },
  gateways: {
    merchant:
      "name adapter descriptor test_mode settings credentials completed_event_at acceptance_after_debits former_creditors active created_at updated_at archived_at",
    technical: "tenant id",
  },
  hosted_pages: {
    merchant:
      "name branding content show_product_name show_product_price show_product_description offer_overrides success_redirect_url failure_redirect_url cancel_redirect_url redirect_wait_seconds links mandate_acceptance_mode locale frame_origins created_at updated_at archived_at",
    technical: "tenant id",
  },
  idempotency_keys: {
    personal: "key request_hash answer",
    technical: "tenant caller request_id locked_until status created_at",
  },
  imports: {
    personal: "file_name error rejections",
    technical:
      "tenant id kind gateway_id file_sha256 dry_run status lines created duplicate linked rejected created_at updated_at",
  },
  integration_activities: {
    personal: "reason request_uuid payload",
    technical:
      "tenant id integration_id status recovered due_at attempts tries lead_id order_id session_id created_at processed_at",
  },
  integration_postback_keys: {
    personal: "fingerprint",
    technical: "tenant integration_id activity_id expires_at",
  },
  integrations: {
    merchant:
      "name provider provider_active active key_mapping token_hash token_sealed postback_secret read_url read_token read_paging read_due_at read_since last_read_at last_read_error payload_retention_days created_at updated_at archived_at",
    technical: "tenant id",
  },
  leads: {
    personal: "email_key email first_name last_name address city postal_code phone",
    money: "country created_at",
    technical: "tenant id updated_at erased_at",
  },
  mandate_texts: {
    merchant: "hosted_page_id scheme language version text created_at",
    technical: "tenant id",
  },
  mandate_amendments: {
    personal: "original_reference original_holder_name original_iban_sealed original_iban_last4 accepted_ip",
    merchant: "original_creditor_identifier original_creditor_name",
    money: "mandate_id at kind original_iban_country same_bank sent_at text_version",
    technical: "tenant number",
  },
  mandates: {
    personal:
      "reference status_reason accepted_ip accepted_user_agent holder_name iban_sealed iban_fingerprint iban_last4 bic bank_name wallet_presentation",
    merchant:
      "creditor_name creditor_identifier creditor_address creditor_postal_code creditor_city creditor_country",
    money:
      "lead_id session_id source scheme type status acceptance_mode accepted_at text_version language pre_notification_days iban_length iban_country used_elsewhere last_used_at bank_confirmed_on account_blocked_at wallet_presentation_format wallet_presentation_sha256 wallet_presentation_at cancelled_at cancelled_by created_at",
    technical: "tenant id updated_at",
  },
  master_keys: {
    technical: "number name check_value mac_keys first_seen_at dropped_at",
  },
  messages: {
    personal: "recipient answer",
    money: "kind transaction_id notice_id state language text_version handed_over_at sent_at created_at",
    technical: "tenant id due_at attempts locked_until lease_no",
  },
  notices: {
    personal: "mandate_reference iban_last4",
    money:
      "subscription_id mandate_id due_date collection_date amount currency billing_frequency creditor_name creditor_identifier notice_days lead_days told_by event_id created_at",
    technical: "tenant id",
  },
  offers: {
    merchant:
      "name price currency billing_type billing_frequency billing_day trial_interval_unit trial_period trial_price product_name product_description created_at updated_at archived_at",
    technical: "tenant id",
  },
  oidc_providers: {
    merchant: "issuer client_id client_secret email_domain role_for_new required created_at updated_at",
    technical: "tenant id",
  },
  orders: {
    money: "session_id lead_id order_number status amount currency created_at",
    technical: "tenant id updated_at",
  },
  payment_counts: {
    personal: "key accounts",
    technical: "tenant kind started_at count most counted_at",
  },
  payment_links: {
    merchant:
      "name description campaign_id gateway_id hosted_page_id webhook_profile_id amount amount_min amount_max amount_suggested uses_max ends_at metadata active created_at updated_at archived_at",
    technical: "tenant id",
  },
  payment_notes: {
    personal: "text",
    merchant: "actor actor_name",
    money: "transaction_id created_at",
    technical: "tenant id",
  },
  people: {
    merchant:
      "email name role locale time_zone password_hash password_changed_at totp_secret totp_last_step oidc_subject joined_at last_sign_in_at removed_at created_at updated_at",
    technical: "tenant id",
  },
  person_links: {
    merchant: "hash person purpose expires_at used_at created_at",
    technical: "tenant",
  },
  person_passkeys: {
    merchant: "person credential public_key counter transports name last_used_at removed_at created_at",
    technical: "tenant id",
  },
  person_recovery_codes: {
    merchant: "person hash created_at used_at",
    technical: "tenant",
  },
  requests: {
    merchant: "method route status duration_ms api_key_id problem",
    technical: "tenant id request_id session_id record_id created_at",
  },
  sandbox_books: {
    personal: "mandate_reference iban_last4 return_url answer_message",
    merchant: "creditor_name",
    money:
      "gateway_id reference refund_of bank_reference verification_id scenario state amount currency refunded answer_code charged_at reported_at created_at",
    technical: "tenant asked_count",
  },
  saved_views: {
    merchant: "person shared list name query created_at updated_at",
    technical: "tenant id",
  },
  schema_migrations: {
    technical: "number name sha256 applied_at compatible_with",
  },
  sepa_accounts: {
    merchant: "gateway_id last_run_on last_run_at last_number polled_at poll_error locked_until lease_no",
    technical: "tenant",
  },
  sepa_bookings: {
    money: "gateway_id reference movement booked_on bank_reference file_id named_file",
    technical: "tenant",
  },
  sepa_withdrawn: {
    money: "gateway_id reference file_id block_id withdrawn_at",
    technical: "tenant number",
  },
  sepa_collections: {
    personal: "mandate_reference debtor_name debtor remittance",
    merchant: "creditor_name creditor_identifier",
    money:
      "gateway_id reference refund_of reversible_until collected_on state amount currency recurring scheme sequence_type mandate_id mandate_signed_on amended_up_to not_before file_id block_id due_date settled_on assumed returned_on reason_code round reinstated_on gateway_reference created_at",
    technical: "tenant asked_count updated_at",
  },
  sepa_creditor_accounts: {
    merchant: "gateway_id iban first_used_at last_used_at",
    technical: "tenant",
  },
  sepa_entries: {
    personal: "detail",
    money: "file_id result reference amount reason_code",
    technical: "tenant number",
  },
  sepa_file_approvals: {
    merchant: "file_id approver actor_name approved_at",
    technical: "tenant",
  },
  sepa_file_pieces: {
    personal: "content",
    technical: "tenant file_id number",
  },
  sepa_files: {
    personal: "name content error",
    technical:
      "tenant id gateway_id direction kind message_id sha256 size transactions amount due_date status report locked_until lease_no due_at attempts approvals_required approvals missed_approval sent_at created_at updated_at",
  },
  sepa_later_fees: {
    money: "gateway_id reference round so_far amount booked_on",
    technical: "tenant",
  },
  sepa_news: {
    personal: "reason_message",
    money:
      "gateway_id reference kind round at amount bank_fee gateway_reference reason_code report_type file_id",
    technical: "tenant number written_at acknowledged_at",
  },
  sepa_page_entries: {
    merchant: "statement",
    money: "name page times",
    technical: "tenant",
  },
  sepa_statements: {
    merchant: "iban",
    money: "gateway_id file_id ends_on sequence statement_id opening closing gap created_at",
    technical: "tenant id",
  },
  sepa_unmatched: {
    personal: "why facts resolution",
    money:
      "gateway_id file_id entry identity kind amount bank_fee booked_on status target reference resolved_at created_at",
    technical: "tenant id",
  },
  session_moves: {
    money: "session_id at from_status to_status cause transaction_id",
    technical: "tenant number",
  },
  sessions: {
    personal:
      "product_name product_description customer_ip tenant_reference_id metadata success_redirect_url failure_redirect_url cancel_redirect_url",
    merchant: "campaign_name offer_name locale",
    money:
      "status lead_id gateway_id campaign_id offer_id hosted_page_id webhook_profile_id payment_link_id repays_transaction_id amount currency billing_type billing_frequency billing_day trial_interval_unit trial_period trial_price attempts_max attempts_used open_transaction_id created_at expires_at closed_at opened_at",
    technical: "tenant id token_key_id holds_link_use",
  },
  subscriptions: {
    personal: "cancel_reason",
    money:
      "order_id lead_id offer_id gateway_id mandate_id status billing_amount currency billing_frequency billing_day start_date trial_end_date billing_anchor_date billing_anchor_cycle next_billing_date announced_date last_billing_date past_due_since cancel_at_period_end cancelled_at successful_billing_count failed_billing_count total_revenue created_at",
    technical: "tenant id updated_at",
  },
  tenant_clocks: {
    merchant: "ahead_ms updated_at",
    technical: "tenant",
  },
  tenants: {
    merchant:
      "name country address postal_code city creditor_identifier session_lifetime_seconds default_locale pre_notification_days subscription_after_chargeback subscription_after_refund closed_day retry_days iban_payments_max lead_payments_max address_payments_max invalid_ibans_max token_detail_days created_at updated_at archived_at step_up_refunds_above redirect_hosts refund_hold_days ask_about_duplicates lead_accounts_max address_accounts_max device_accounts_max return_rules messages message_sender message_address message_reply_to notice_check notice_check_since",
    technical: "tenant id",
  },
  transactions: {
    personal:
      "tenant_reference_id customer_ip error_message gateway_message verification_id verification_url reason customer_email_csv customer_name_csv iban_last4 bic mandate_reference",
    money:
      "session_id order_id subscription_id lead_id mandate_id gateway_id merchant_transaction_id gateway_reference adapter_unique_id status type source sequence_type amount currency completed_event_at error_code gateway_code original_id refund_claimed refunded reinstatements iban_length mandate_date created_at processed_at cycle held_until released_at refund_way return_action",
    technical: "tenant id resolve_at resolve_count locked_until lease_no updated_at traceparent",
  },
  webhook_attempts: {
    personal: "error response_body",
    technical: "tenant delivery_id number at duration_ms response_code",
  },
  webhook_deliveries: {
    personal: "error",
    technical:
      "tenant id event_id event_number event_type profile_id session_id subject_id payload_fields ascii_escape status due_at attempts tries last_at response_code delivered_at created_at locked_until lease_no",
  },
  webhook_profiles: {
    merchant:
      "name url events payload_fields ascii_escape signing_secret previous_signing_secret previous_signing_secret_until active disabled_reason created_at updated_at archived_at max_in_flight",
    technical: "tenant id",
  },
  webhook_receivers: {
    technical: "tenant profile_id next_at failing_since failures_in_a_row paused_until in_flight_limit",
  },
};
