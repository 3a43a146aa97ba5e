/** The row type of each table. Generated from the migrated schema: npm run generate. */

/** The migrations that this database has, each with its file and the hash of its text. */
export interface SchemaMigrationRow {
  readonly number: number;
  readonly name: string;
  readonly sha256: string;
  readonly applied_at: Date;
  /** Code that knows this migration, or a later one, works with the schema after it; null: no earlier code than its own. */
  readonly compatible_with: number | null;
}

/** Merchants. No tenant sees a record of another one. */
export interface TenantRow {
  /** Number of the tenant in this database, the first column of every key. Callers know the tenant by its id. */
  readonly tenant: number;
  readonly id: string;
  readonly name: string;
  /** ISO 3166, two letters. */
  readonly country: string | null;
  /** Street and number, as mandates name the creditor. */
  readonly address: string | null;
  readonly postal_code: string | null;
  readonly city: string | null;
  /** Identifies the creditor in the SDD scheme, where the gateway's settings name none. */
  readonly creditor_identifier: string | null;
  /** How long a new session can be paid. */
  readonly session_lifetime_seconds: number;
  /** Language of the payment page where nothing else says it. */
  readonly default_locale: string | null;
  /** Customers are told before they are debited (SDD rulebook, pre-notification): receivers hear of a renewal so many days before. */
  readonly pre_notification_days: number;
  /** What a chargeback of one of its payments does to a subscription. */
  readonly subscription_after_chargeback: "cancel" | "past_due" | "keep";
  /** What the full refund of one of its payments does to a subscription. */
  readonly subscription_after_refund: "cancel" | "keep";
  /** How many payments a day may be tried with one account; null: the default of src/sessions/limit-store.ts. */
  readonly iban_payments_max: number | null;
  /** The same for one customer. */
  readonly lead_payments_max: number | null;
  /** The same for one network address. */
  readonly address_payments_max: number | null;
  /** How many IBANs that cannot be debited a session takes in a day; null: the default. */
  readonly invalid_ibans_max: number | null;
  /** How long an ended session's token shows more than its state. */
  readonly token_detail_days: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  /** Null: in use. Here as in every table that has it: nothing new is made with an archived record. */
  readonly archived_at: Date | null;
  /** A person who refunds more than this shows the second factor again. */
  readonly step_up_refunds_above: string;
  /** What is due on a day on which banks are closed is collected on the next open day, or on the previous one. */
  readonly closed_day: "next" | "previous";
  /** Days after the first and after the second attempt at a cycle that failed for lack of funds: a number, or salary_day for the next day on which salaries come. */
  readonly retry_days: readonly string[];
  /** Hosts that a session may send its customer to by an address of its own. */
  readonly redirect_hosts: readonly string[];
  /** For so many days after it was collected a payment is not refunded without a person's word, as it may come back. 0: never held. */
  readonly refund_hold_days: number;
  /** A customer who has paid the same amount within a day is asked before it is paid again. */
  readonly ask_about_duplicates: boolean;
  /** How many different accounts one customer may try within a day; null: any number. */
  readonly lead_accounts_max: number | null;
  readonly address_accounts_max: number | null;
  /** The kinds of messages that this tenant's customers get. */
  readonly messages: readonly string[];
  /** The name in front of the sender's address; null: the tenant's. */
  readonly message_sender: string | null;
  /** The sender's address; null: the one that the service is set up with. */
  readonly message_address: string | null;
  readonly message_reply_to: string | null;
  /** What follows when a renewal is due of which its customer was not told in time. */
  readonly notice_check: "off" | "report" | "refuse";
  /** By the tenant's clock: of what was collected before nothing is reported. */
  readonly notice_check_since: Date;
  /** What follows a bank's reason code, by the code, where the tenant has chosen something else than the default. */
  readonly return_rules: unknown;
  /** How many different accounts may be tried with one browser within a day; null: any number, and no cookie is set. */
  readonly device_accounts_max: number | null;
}

/** Tenants of a staging environment that have moved their time forward, and by how much. */
export interface TenantClockRow {
  readonly tenant: number;
  /** Milliseconds. Time goes forward only. */
  readonly ahead_ms: string;
  readonly updated_at: Date;
}

/** Keys of the tenants' own systems. A key is shown once; only its SHA-256 is kept. */
export interface ApiKeyRow {
  readonly tenant: number;
  readonly id: string;
  readonly name: string;
  /** `management` is read, refunds, billing, settings, keys, bank and exports together; `people` and `whole_ibans` are had by name only. */
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
    | "exports"
    | "people"
    | "whole_ibans"
  )[];
  /** The beginning of the key, by which people tell keys apart. */
  readonly prefix: string;
  /** SHA-256 of the key. */
  readonly hash: Buffer;
  /** SHA-256 of the key before a rotation, which works until previous_expires_at. */
  readonly previous_hash: Buffer | null;
  readonly previous_expires_at: Date | null;
  /** Null: it does not expire. */
  readonly expires_at: Date | null;
  /** From then on the key opens nothing. */
  readonly revoked_at: Date | null;
  readonly last_used_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly archived_at: Date | null;
}

/** Who changed what. Rows are added, never changed or deleted. */
export interface AuditLogRow {
  readonly tenant: number;
  readonly id: string;
  readonly at: Date;
  /** `key:<id>`, `operator`, `customer` or `service`. */
  readonly actor: string;
  /** The name that the key had then. */
  readonly actor_name: string;
  readonly action: string;
  /** Kind of the record: `gateway`, `session`, … */
  readonly resource: string;
  readonly resource_id: string | null;
  /** The record as it was, without secrets; null when it is new. */
  readonly before: unknown;
  /** The record as it is since; null when nothing of it is left. */
  readonly after: unknown;
  readonly ip: string | null;
  readonly request_id: string | null;
}

/** Receivers of webhooks: where events are sent, which ones, and what they are signed with. */
export interface WebhookProfileRow {
  readonly tenant: number;
  readonly id: string;
  readonly name: string;
  readonly url: string;
  /** Types of events that are sent. */
  readonly events: readonly string[];
  /** What a body holds: the receiver's key to our field. */
  readonly payload_fields: unknown;
  /** Whether bodies are written in ASCII, everything else as \uXXXX. */
  readonly ascii_escape: boolean;
  /** Sealed. */
  readonly signing_secret: Buffer;
  /** Sealed. Also signs until previous_signing_secret_until. */
  readonly previous_signing_secret: Buffer | null;
  readonly previous_signing_secret_until: Date | null;
  readonly active: boolean;
  /** Why the service itself has switched the profile off: its events wait for the receiver. Null: a person switched it, if it is off. */
  readonly disabled_reason: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly archived_at: Date | null;
  /** Requests that may be under way to the receiver at once; 1: one after the other. */
  readonly max_in_flight: number;
}

/** The outbox: facts that receivers must hear of, each written in the transaction that makes the fact. */
export interface EventRow {
  readonly tenant: number;
  readonly id: string;
  /** The order in which events happened; those of one session are written one after the other. */
  readonly number: string;
  readonly type:
    | "payment_session.completed"
    | "payment_session.expired"
    | "transaction.created"
    | "transaction.status_changed"
    | "chargeback.created"
    | "subscription.upcoming"
    | "guard.triggered"
    | "customer.acted";
  /** The session that it is about; null: an event of a transaction that has none. */
  readonly session_id: string | null;
  readonly transaction_id: string | null;
  readonly chargeback_id: string | null;
  /** Without the session token, which is put in when the event is sent. */
  readonly payload: unknown;
  readonly created_at: Date;
  /** When its deliveries were made. */
  readonly fanned_out_at: Date | null;
}

/** Profiles that were sent something, and how each is doing. Who claims deliveries of a receiver, or makes one due again, holds its row meanwhile. */
export interface WebhookReceiverRow {
  readonly tenant: number;
  readonly profile_id: string;
  /** When to look for deliveries that can be claimed; null: there are none. */
  readonly next_at: Date | null;
  readonly failures_in_a_row: number;
  /** The circuit is open, or the receiver asked for a pause. */
  readonly paused_until: Date | null;
  /** How many requests it has shown to bear at once; the profile's max_in_flight is the most. After a failure one, until one succeeds. */
  readonly in_flight_limit: number;
  /** The first failure since the last success; null: it does not fail. */
  readonly failing_since: Date | null;
}

/** One row per event and profile: the event on its way to the receiver. */
export interface WebhookDeliveryRow {
  readonly tenant: number;
  readonly id: string;
  readonly event_id: string;
  /** The event's place in the order of events. */
  readonly event_number: string;
  readonly event_type: string;
  readonly profile_id: string;
  readonly session_id: string | null;
  /** Events of one subject are delivered in order, one at a time: those of a session with its refunds, its subscription and their renewals; without a session, those of a transaction with its refunds. */
  readonly subject_id: string | null;
  /** The profile's when the event was fanned out, so that each attempt sends the same bytes. The session token is in none of them. */
  readonly payload_fields: unknown;
  readonly ascii_escape: boolean;
  /** `exhausted`: it was tried for as long as it may be. */
  readonly status: "pending" | "delivered" | "failing" | "exhausted";
  /** When it is sent next; null: nothing more is sent. */
  readonly due_at: Date | null;
  /** Requests that were made, ever. */
  readonly attempts: number;
  /** Requests since it was last asked for: a person may ask for it anew. */
  readonly tries: number;
  readonly last_at: Date | null;
  /** HTTP status of the newest answer; null when there was none. */
  readonly response_code: number | null;
  readonly error: string | null;
  readonly delivered_at: Date | null;
  readonly created_at: Date;
  /** A request is under way until then, or its instance is dead. */
  readonly locked_until: Date | null;
  readonly lease_no: string;
}

/** Every request that was sent, to find out why a delivery failed. */
export interface WebhookAttemptRow {
  readonly tenant: number;
  readonly delivery_id: string;
  readonly number: number;
  readonly at: Date;
  readonly duration_ms: number;
  readonly response_code: number | null;
  readonly error: string | null;
  /** The beginning of the answer. A job forgets it after a month. */
  readonly response_body: string | null;
}

/** Accounts at providers and banks through which a tenant collects. */
export interface GatewayRow {
  readonly tenant: number;
  readonly id: string;
  readonly name: string;
  /** Which code talks to it: `sandbox`, `sepa_batch`, … */
  readonly adapter: string;
  /** What the customer reads on the bank statement. */
  readonly descriptor: string | null;
  readonly test_mode: boolean;
  /** What the adapter asks for, by its own schema. */
  readonly settings: unknown;
  /** Sealed JSON object. */
  readonly credentials: Buffer | null;
  /** When receivers hear that a session is completed: as soon as the gateway has accepted the payment, or when the money is there. */
  readonly completed_event_at: "acceptance" | "settlement";
  /** Identifier and name, with a space between, that the account had before: mandates that say one of them are amended with their next collection. */
  readonly former_creditors: readonly string[];
  readonly active: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly archived_at: Date | null;
  /** With completed_event_at `settlement`: customers with so many settled debits, and none that came back, have theirs completed at acceptance. Null: this is switched off. */
  readonly acceptance_after_debits: number | null;
}

/** The sandbox bank's own books: what it was asked, what it charged and gave back. The service reads them through the gateway port only. */
export interface SandboxBookRow {
  readonly tenant: number;
  readonly gateway_id: string;
  /** The merchant_transaction_id, which is also the idempotency key. */
  readonly reference: string;
  /** Of a refund: the reference of the collection that it gives back. */
  readonly refund_of: string | null;
  readonly bank_reference: string;
  /** Names the page on which the customer confirms at the bank. */
  readonly verification_id: string | null;
  /** What the test IBAN asks for: src/gateways/sandbox/scenarios.ts. */
  readonly scenario: string;
  /** `fenced`: asked about before it was collected, and never to be. */
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
  /** Of a collection: what was given back of it. */
  readonly refunded: string;
  readonly mandate_reference: string;
  readonly creditor_name: string;
  readonly iban_last4: string;
  /** Sealed: it leads to a page whose address is a credential. */
  readonly return_url: Buffer | null;
  readonly answer_code: string | null;
  readonly answer_message: string | null;
  /** How often this reference was collected. */
  readonly asked_count: number;
  readonly charged_at: Date | null;
  /** When a settlement tick last told the service of it. */
  readonly reported_at: Date | null;
  readonly created_at: Date;
}

/** Looks and texts of payment pages. */
export interface HostedPageRow {
  readonly tenant: number;
  readonly id: string;
  readonly name: string;
  /** logo_url, primary_color, accent_color; what is missing keeps the page's own. */
  readonly branding: unknown;
  /** Texts around the form: `headline`; every other one is a paragraph. */
  readonly content: unknown;
  readonly show_product_name: boolean;
  readonly show_product_price: boolean;
  readonly show_product_description: boolean;
  /** `product_name` and `product_description` in place of the offer's. A price cannot be overridden. */
  readonly offer_overrides: unknown;
  readonly success_redirect_url: string | null;
  readonly failure_redirect_url: string | null;
  /** Whether the customer accepts the mandate by a checkbox or by paying. */
  readonly mandate_acceptance_mode: "checkbox" | "IMPLICIT";
  /** BCP 47. The language when the browser's is not among the page's. */
  readonly locale: string | null;
  /** Origins (https://shop.example.com) whose pages may show the payment page in a frame; none unless the merchant lists them. */
  readonly frame_origins: readonly string[];
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly archived_at: Date | null;
  /** Where the form's way back leads; null: it has none. */
  readonly cancel_redirect_url: string | null;
  /** `imprint_url`, `privacy_url`, `terms_url`, `support_url`, `support_email`: shown at the foot of the page. */
  readonly links: unknown;
  /** How long the way back to the shop waits for the receiver of the completed event to acknowledge it; 0: it does not wait. */
  readonly redirect_wait_seconds: number;
}

/** What is sold, at what price, and how it is collected again. */
export interface OfferRow {
  readonly tenant: number;
  readonly id: string;
  readonly name: string;
  /** Money is in units of its currency with two decimals, in every table. */
  readonly price: string;
  readonly currency: string;
  readonly billing_type: "ONE_OFF" | "RECURRING" | "TRIAL_RECURRING";
  /** Null: once, or whenever the merchant triggers a renewal. */
  readonly billing_frequency:
    | "WEEKLY"
    | "BIWEEKLY"
    | "MONTHLY"
    | "QUARTERLY"
    | "SEMIANNUALLY"
    | "YEARLY"
    | null;
  readonly trial_interval_unit: "day" | "week" | "month" | null;
  /** Length of the trial in trial_interval_unit. */
  readonly trial_period: number | null;
  /** What is paid for the trial; null or 0: only the mandate is asked for. */
  readonly trial_price: string | null;
  readonly product_name: string | null;
  readonly product_description: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly archived_at: Date | null;
  readonly billing_day: "last" | null;
}

/** An offer with the gateway, the payment page and the webhooks that its sessions use. */
export interface CampaignRow {
  readonly tenant: number;
  readonly id: string;
  readonly name: string;
  readonly offer_id: string;
  readonly gateway_id: string;
  readonly hosted_page_id: string | null;
  readonly webhook_profile_id: string | null;
  /** How often a session of it may be tried to pay. */
  readonly max_payment_attempts: number;
  readonly active: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly archived_at: Date | null;
  /** In percent of what was collected; with more that came back it stops collecting. Null: it never does. */
  readonly return_rate_max: number | null;
  /** With fewer payments it is not stopped. */
  readonly return_rate_min_payments: number;
  /** When it stopped collecting, as too much had come back; null: it collects. */
  readonly stopped_at: Date | null;
  /** A person let it go on then: what was collected before does not count. */
  readonly counted_from: Date | null;
}

/** Customers of a tenant. */
export interface LeadRow {
  readonly tenant: number;
  readonly id: string;
  /** lower(trim(email)), computed by the service: what makes two leads the same (contract: One active session per lead). */
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
  /** When the person's data was erased, here and wherever else it was; null: it was not. */
  readonly erased_at: Date | null;
}

/** One purchase to be paid: created by the merchant, paid by the customer, at most one payment (docs/states.md, Sessions). */
export interface SessionRow {
  readonly tenant: number;
  readonly id: string;
  /** Number of the key that authenticates the token; the token itself is not kept. */
  readonly token_key_id: number;
  /** COMPLETED and EXPIRED are final. A session that was cancelled is EXPIRED too. */
  readonly status: "PENDING" | "AWAITING_VERIFICATION" | "COMPLETED" | "EXPIRED";
  readonly lead_id: string;
  readonly gateway_id: string;
  readonly campaign_id: string | null;
  readonly offer_id: string | null;
  readonly hosted_page_id: string | null;
  readonly webhook_profile_id: string | null;
  /** This one, price, terms and the other names are copied when the session is created, so that later edits change no open session. */
  readonly campaign_name: string;
  readonly offer_name: string;
  readonly product_name: string | null;
  readonly product_description: string | null;
  /** The price of the offer. What is paid today is trial_price where there is a trial. */
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
  /** Tries that ended in a decline or a payment, and the open one; a gateway that was certainly not reached gives its try back. */
  readonly attempts_used: number;
  /** The one attempt whose end is not known yet. Meanwhile the session is neither paid again, cancelled nor expired. */
  readonly open_transaction_id: string | null;
  /** As the merchant told it. */
  readonly customer_ip: string | null;
  readonly created_at: Date;
  /** The end of its time. What callers see of an open session is computed from it, and does not wait for the job that ends it. */
  readonly expires_at: Date;
  /** When it became COMPLETED or EXPIRED; null: it is open. */
  readonly closed_at: Date | null;
  readonly billing_day: "last" | null;
  /** Of the payment to come: reserved for this session, and used by its attempts that name none. */
  readonly tenant_reference_id: string | null;
  /** Names and texts of the merchant's own; null: none. */
  readonly metadata: unknown;
  /** BCP 47: the page's language unless its customer chooses another; null: as the browser asks. */
  readonly locale: string | null;
  /** In place of the hosted page's, as the two that follow. */
  readonly success_redirect_url: string | null;
  readonly failure_redirect_url: string | null;
  readonly cancel_redirect_url: string | null;
  /** The link at which its customer has begun it; null: the merchant has. */
  readonly payment_link_id: string | null;
  /** It has one of its link's uses, for an attempt or for good; another session takes it over unless that is under way or paid. */
  readonly holds_link_use: boolean;
  /** When a browser first showed its payment page, as the page's script says; null: never, or scripts do not run. */
  readonly opened_at: Date | null;
  /** The first payment that came back and that it repeats: it is not paid once that one is reinstated. Null: none, or made by code that did not record it. */
  readonly repays_transaction_id: string | null;
}

/** What happened to a session, in order; never changed, never deleted. */
export interface SessionMoveRow {
  readonly tenant: number;
  readonly session_id: string;
  readonly number: number;
  readonly at: Date;
  /** Null: the session was created. */
  readonly from_status: string | null;
  readonly to_status: string;
  /** In a word: `approved`, `lapsed`, `gateway_unreachable`, … */
  readonly cause: string;
  /** The attempt that moved it, if one did. */
  readonly transaction_id: string | null;
}

/** What was tried since started_at, for a day. Its row is what payments at once wait for, so that none is one too many. */
export interface PaymentCountRow {
  readonly tenant: number;
  readonly kind:
    | "address"
    | "address_accounts"
    | "device_accounts"
    | "iban"
    | "invalid_iban"
    | "lead"
    | "lead_accounts";
  /** A network address (IPv6 by /64), the fingerprint of an IBAN, or the id of the session or the lead. */
  readonly key: string;
  readonly started_at: Date;
  readonly count: number;
  /** The limit that held for the newest try. */
  readonly most: number;
  /** Fingerprints of the different IBANs, where these are counted: as many as count says. Null: payments are counted. */
  readonly accounts: readonly Buffer[] | null;
  /** When count was last raised. */
  readonly counted_at: Date | null;
}

/** Debtors' permissions to collect, with the evidence of their acceptance; the IBAN is kept only here and in bank files, sealed. */
export interface MandateRow {
  readonly tenant: number;
  readonly id: string;
  /** Those that the service draws are MND-…; those that come in may have any of the scheme's characters. */
  readonly reference: string;
  readonly lead_id: string;
  /** The session in whose payment it was signed; null where it came in from elsewhere. */
  readonly session_id: string | null;
  /** `import`: signed elsewhere. */
  readonly source: "payment" | "import";
  readonly scheme: "CORE" | "B2B";
  readonly type: "recurrent" | "one_off";
  /** `pending` until its first payment is accepted, `expired` when it was not used for 36 months. */
  readonly status: "pending" | "active" | "rejected" | "cancelled" | "expired";
  /** An ISO code, or words. */
  readonly status_reason: string | null;
  /** By a checkbox or by paying; null where it was signed elsewhere. */
  readonly acceptance_mode: "checkbox" | "IMPLICIT" | null;
  /** When it was signed. */
  readonly accepted_at: Date;
  readonly accepted_ip: string | null;
  /** Version and language of the text that was signed; null where it was signed elsewhere. */
  readonly text_version: string | null;
  /** In which it was signed. */
  readonly language: string | null;
  /** As agreed when it was signed. */
  readonly pre_notification_days: number | null;
  /** Whom it is given. This and the rest of the creditor are fixed when it is accepted, as page, document and file show them. */
  readonly creditor_name: string;
  readonly creditor_identifier: string | null;
  readonly creditor_address: string | null;
  readonly creditor_postal_code: string | null;
  readonly creditor_city: string | null;
  readonly creditor_country: string | null;
  readonly holder_name: string;
  /** Sealed. */
  readonly iban_sealed: Buffer;
  /** Keyed hash by which mandates of the same account are found. */
  readonly iban_fingerprint: Buffer;
  readonly iban_last4: string;
  /** For showing it masked. */
  readonly iban_length: number;
  readonly iban_country: string;
  readonly bic: string | null;
  readonly bank_name: string | null;
  /** It came in with debits behind it, and goes on with their series. */
  readonly used_elsewhere: boolean;
  /** When it was collected with last; null: never. */
  readonly last_used_at: Date | null;
  readonly cancelled_at: Date | null;
  readonly cancelled_by: "debtor" | "creditor" | "bank" | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  /** Of scheme B2B: the day on which the debtor's bank had confirmed it, as a person has said; null: not yet. */
  readonly bank_confirmed_on: string | null;
  /** As the program named itself that sent the acceptance; null where none did, or it was signed before this was kept. */
  readonly accepted_user_agent: string | null;
  /** Since when the tenant's rules keep the account of the mandate from being debited with any mandate; null: it is not blocked. */
  readonly account_blocked_at: Date | null;
  /** Sealed: the signed presentation from the debtor's wallet, as the merchant has given it; null: none, or erased. */
  readonly wallet_presentation: Buffer | null;
  readonly wallet_presentation_format: string | null;
  /** Of its bytes, hexadecimal; it stays when the presentation is erased. */
  readonly wallet_presentation_sha256: string | null;
  /** When the merchant gave it. */
  readonly wallet_presentation_at: Date | null;
}

/** What a mandate was before each change, for the bank that is to be told with the next collection. Rows are added; only sent_at is ever set. */
export interface MandateAmendmentRow {
  readonly tenant: number;
  readonly mandate_id: string;
  /** Counted in each mandate. */
  readonly number: number;
  readonly at: Date;
  readonly kind: "reference" | "creditor" | "account" | "holder";
  readonly original_reference: string | null;
  readonly original_creditor_identifier: string | null;
  readonly original_creditor_name: string | null;
  readonly original_holder_name: string | null;
  /** Sealed. Not known where a mandate came in with only "another bank" said of it. */
  readonly original_iban_sealed: Buffer | null;
  readonly original_iban_country: string | null;
  readonly original_iban_last4: string | null;
  /** Whether the old account is at the bank of the new one. */
  readonly same_bank: boolean | null;
  /** When a file announced it to the bank. A change of the holder's name is not announced. */
  readonly sent_at: Date | null;
  /** From where the customer has agreed to another account on a page of the service; null: the merchant has amended it. */
  readonly accepted_ip: string | null;
  /** Version and language of the mandate's text that the customer was shown then. */
  readonly text_version: string | null;
}

/** What a session sells; one per session. Renewals belong to the order that began the subscription. */
export interface OrderRow {
  readonly tenant: number;
  readonly id: string;
  readonly session_id: string;
  readonly lead_id: string;
  readonly order_number: string;
  /** Follows from its payments (docs/states.md, Orders). */
  readonly status:
    | "PENDING_PAYMENT_SUBMISSION"
    | "PENDING"
    | "COMPLETED"
    | "FAILED"
    | "REFUNDED"
    | "CHARGEDBACK";
  /** What the session's payment takes: 0 for a free trial. */
  readonly amount: string;
  readonly currency: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** One row per instruction to a gateway: a sale, a renewal or a refund; and what a processor's file told of. */
export interface TransactionRow {
  readonly tenant: number;
  readonly id: string;
  readonly session_id: string | null;
  readonly order_id: string | null;
  readonly subscription_id: string | null;
  readonly lead_id: string | null;
  readonly mandate_id: string | null;
  readonly gateway_id: string;
  /** Our reference at the gateway, which is also the end-to-end id. */
  readonly merchant_transaction_id: string;
  /** The merchant's own reference, used once. */
  readonly tenant_reference_id: string | null;
  /** The gateway's reference. */
  readonly gateway_reference: string | null;
  /** A second reference of the gateway's; null: the same as gateway_reference. */
  readonly adapter_unique_id: string | null;
  /** Up to `verifying` its end is open. `submitted`: sent, answer not yet recorded. `unresolved`: no certain answer, the gateway is asked again. `awaiting_verification`: the customer is at the bank. `verifying`: the outcome of that is being fetched. `pending`: accepted, the money is to come. */
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
  /** Of a refund: what is given back. */
  readonly amount: string;
  readonly currency: string;
  readonly customer_ip: string | null;
  /** When receivers hear of the session, settled with the payment's acceptance: the gateway's setting may change before the money is there. Null: not a session's payment. */
  readonly completed_event_at: "acceptance" | "settlement" | null;
  /** Why it was declined, in our words; gateway_code has the gateway's. */
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
  /** When the gateway is asked for its outcome. */
  readonly resolve_at: Date | null;
  /** How often it was asked. */
  readonly resolve_count: number;
  /** Until when, by the database's clock, a claim keeps others away. */
  readonly locked_until: Date | null;
  /** A write names its claim's number, and finds no row when another claim has been taken since (docs/architecture.md, Leases). */
  readonly lease_no: string;
  /** Of a refund: the transaction that it gives back, in full or in part. */
  readonly original_id: string | null;
  /** Of a refund: why, in the merchant's words. */
  readonly reason: string | null;
  /** Given back or about to be: its refunds that are not declined. */
  readonly refund_claimed: string;
  /** Given back for certain: its refunds that are approved. */
  readonly refunded: string;
  /** How often it was found to be there after all. */
  readonly reinstatements: number;
  /** As a processor's file names the customer; nothing else does it here. */
  readonly customer_email_csv: string | null;
  readonly customer_name_csv: string | null;
  /** This and the next four are what a processor's file tells of account and mandate: our own transactions have a mandate that does. */
  readonly iban_last4: string | null;
  readonly iban_length: number | null;
  readonly bic: string | null;
  readonly mandate_reference: string | null;
  readonly mandate_date: Date | null;
  readonly created_at: Date;
  /** When the gateway processed it, later when it settled; to the millisecond, as cursors and callers have it. Null: its end is open, or no gateway had it. Reconciliation does not list it then. */
  readonly processed_at: Date | null;
  readonly updated_at: Date;
  /** Of a renewal: the billing cycle that it is an attempt at. Null: not a renewal of ours, or an attempt from before this was kept. */
  readonly cycle: number | null;
  /** W3C Trace Context of the request or job that has opened the attempt; null when no collector was named then. */
  readonly traceparent: string | null;
  /** Of a refund that a guard held back: when it was to be sent, unless its payment comes back or a person decides. */
  readonly held_until: Date | null;
  /** When a refund with held_until was no longer held, and sent; null: it never was. */
  readonly released_at: Date | null;
  /** Of a refund: `reversal` where the debit is reversed (pain.007); null: the money goes back as the gateway does it otherwise. */
  readonly refund_way: "reversal" | null;
  /** What has followed its return or refusal, where the tenant's rules have decided and not the default. */
  readonly return_action: string | null;
}

/** Payments that the customer's bank took back, wherever it was heard of. One that the bank took back itself stays as a record. */
export interface ChargebackRow {
  readonly tenant: number;
  readonly id: string;
  /** Of the payment. */
  readonly merchant_transaction_id: string;
  /** Null: imported, and the payment has not arrived yet. */
  readonly transaction_id: string | null;
  readonly lead_id: string | null;
  readonly gateway_id: string;
  readonly adapter_unique_id: string | null;
  readonly tenant_reference_id: string | null;
  /** The merchant's id. By this and the next two the transaction of an imported chargeback is known until it arrives; then the two are linked. */
  readonly original_reference: string | null;
  readonly original_end_to_end_id: string | null;
  /** The processor's id. */
  readonly original_transaction_id: string | null;
  readonly status: "charged_back";
  readonly type: "chargeback";
  /** What was taken back: all of the payment, or a part. */
  readonly amount: string;
  readonly currency: string;
  /** To the millisecond, as cursors and callers have it. */
  readonly report_date: Date;
  readonly transaction_date: Date | null;
  /** ISO 20022 code, such as AM04. */
  readonly reason_code: string | null;
  readonly reason_message: string | null;
  readonly report_type: string | null;
  readonly report_message: string | null;
  readonly report_info: string | null;
  /** Acquirer reference number, where a processor gives one. */
  readonly arn: string | null;
  /** This, length, BIC, e-mail and country are as a processor's file tells them. */
  readonly iban_last4: string | null;
  readonly iban_length: number | null;
  readonly bic: string | null;
  readonly email: string | null;
  readonly country: string | null;
  readonly source: "csv_import" | "webhook" | "reconciliation" | "manual";
  /** What the bank took for it. */
  readonly cb_bank_fee: string | null;
  /** When the bank took it back: the payment may be charged back again. */
  readonly withdrawn_on: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  /** Of the session that the transaction paid: a list of one campaign's would look up the payment of every chargeback. */
  readonly campaign_id: string | null;
  /** Whether campaign_id was looked up; false: by code that did not know it, or without a transaction. */
  readonly campaign_known: boolean;
}

/** Files of a processor that were imported, and how far. */
export interface ImportRow {
  readonly tenant: number;
  readonly id: string;
  readonly kind: "transactions" | "chargebacks";
  readonly gateway_id: string;
  readonly file_name: string;
  /** Known once the file was read to its end. */
  readonly file_sha256: string | null;
  /** Whether the file was only checked. */
  readonly dry_run: boolean;
  readonly status: "running" | "done" | "failed";
  /** Why it has failed; what was written before stays. */
  readonly error: string | null;
  /** Lines read; the next four count them by result. */
  readonly lines: number;
  readonly created: number;
  readonly duplicate: number;
  readonly linked: number;
  readonly rejected: number;
  /** The first of them: {line, reasons}. */
  readonly rejections: unknown;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** References whose notices could not be recorded. The gateway keeps the notices; they are tried again at due_at. */
export interface GatewayNewsSetAsideRow {
  readonly tenant: number;
  readonly gateway_id: string;
  readonly reference: string;
  /** Of the notice that failed. */
  readonly kind: "settled" | "returned" | "charged_back" | "fee" | "reinstated";
  readonly why: string;
  readonly tries: number;
  readonly since: Date;
  readonly due_at: Date;
}

/** What collects again under one mandate (docs/states.md, Subscriptions). */
export interface SubscriptionRow {
  readonly tenant: number;
  readonly id: string;
  readonly order_id: string;
  readonly lead_id: string;
  readonly offer_id: string | null;
  readonly gateway_id: string;
  readonly mandate_id: string;
  /** Stays CANCELLED once it is. */
  readonly status: "ACTIVE" | "PAST_DUE" | "CANCELLED";
  /** Of each renewal. */
  readonly billing_amount: string;
  readonly currency: string;
  /** Null: the merchant triggers each renewal. */
  readonly billing_frequency:
    | "WEEKLY"
    | "BIWEEKLY"
    | "MONTHLY"
    | "QUARTERLY"
    | "SEMIANNUALLY"
    | "YEARLY"
    | null;
  /** When it was bought. */
  readonly start_date: Date;
  /** Null: there was no trial. */
  readonly trial_end_date: string | null;
  /** The day from which all due dates are counted (contract: Due dates). */
  readonly billing_anchor_date: string | null;
  /** The due date of the next cycle; null: nothing more falls due without the merchant. */
  readonly next_billing_date: string | null;
  /** The next_billing_date that was announced last. */
  readonly announced_date: string | null;
  readonly last_billing_date: Date | null;
  /** Since when it is PAST_DUE: only a collection that was asked for later makes it ACTIVE again. */
  readonly past_due_since: Date | null;
  /** It ends on its next due date, and collects no more. */
  readonly cancel_at_period_end: boolean;
  readonly cancelled_at: Date | null;
  /** A word of ours (`chargeback`, `refund`, …) or the merchant's. */
  readonly cancel_reason: string | null;
  /** Cycles that are paid, the charged back ones not counted. */
  readonly successful_billing_count: number;
  /** Attempts that failed. */
  readonly failed_billing_count: number;
  /** What arrived and stayed: approved payments less their refunds, nothing of what was charged back; of a chargeback of a part, the rest. */
  readonly total_revenue: string;
  /** To the millisecond, as cursors and callers have it. */
  readonly created_at: Date;
  readonly updated_at: Date;
  /** last: cycles after the anchor are due on the last day of their month. Null: on the anchor's day. */
  readonly billing_day: "last" | null;
  /** The cycle that is due on billing_anchor_date: 0 unless its day was changed. */
  readonly billing_anchor_cycle: number;
}

/** What subscriptions owe: one row per due date, whose primary key makes each happen once. Cycles stand side by side: one whose settlement or next try is weeks away keeps no later one from its day. */
export interface BillingCycleRow {
  readonly tenant: number;
  readonly subscription_id: string;
  /** Counted from the anchor, which is cycle 0. */
  readonly cycle: number;
  readonly due_date: string;
  /** `collecting`: the gateway is being asked. `pending`: accepted, the money is to come. `retry`: tried again later. `skipped`: it was missed while nothing ran, and is never collected in a burst. `withdrawn`: its instruction was taken back before it left. */
  readonly status:
    | "collecting"
    | "pending"
    | "retry"
    | "paid"
    | "failed"
    | "skipped"
    | "charged_back"
    | "withdrawn";
  /** Failed and open attempts; an attempt that certainly did not reach the gateway does not count. */
  readonly attempts: number;
  /** Of the newest attempt. */
  readonly transaction_id: string | null;
  readonly next_attempt_at: Date | null;
  /** When its gateway was asked to take the instruction back. */
  readonly withdrawal_asked_at: Date | null;
  /** Why the newest attempt failed. */
  readonly error_code: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Files to and from the banks. */
export interface SepaFileRow {
  readonly tenant: number;
  readonly id: string;
  /** The account that it was written or read for. */
  readonly gateway_id: string;
  readonly direction: "out" | "in";
  /** pain.008, pain.001, pain.002, camt.052, camt.053, camt.054, zip. */
  readonly kind: string;
  readonly name: string;
  /** Ours when it goes out; the bank's own when it comes in. */
  readonly message_id: string | null;
  /** Of the content in clear, by which a file that came in before is known. */
  readonly sha256: Buffer;
  /** Sealed: it holds IBANs. Of a large file the first piece; the others are in sepa_file_pieces. */
  readonly content: Buffer;
  /** Bytes of the content in clear. */
  readonly size: number;
  /** How many it holds; amount is their sum. */
  readonly transactions: number;
  readonly amount: string;
  /** Of what goes out. */
  readonly due_date: string | null;
  /** Out: `to_approve` until it has its approvals, then `ready` to be downloaded, or `stored`, `uploading`, `renaming`, `sent`; `unclear` when it is unknown whether it arrived; `withdrawn` when it was taken back before it was sent: its instructions wait for another file. In: `applied` or `refused`. `sent` without approvals is one that an operator has found at the bank. */
  readonly status:
    | "to_approve"
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
  /** Of a file that came in: what it led to, in figures. */
  readonly report: unknown;
  readonly locked_until: Date | null;
  readonly lease_no: string;
  /** When an upload is to be tried. */
  readonly due_at: Date | null;
  readonly attempts: number;
  readonly sent_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  /** As its account asked for when it was written. */
  readonly approvals_required: number;
  /** How many it has. */
  readonly approvals: number;
  /** It was taken back because its day passed before it was approved. */
  readonly missed_approval: boolean;
}

/** A bank file of hundreds of megabytes is kept in pieces: sepa_files.content holds the first, this table the others. */
export interface SepaFilePieceRow {
  readonly tenant: number;
  readonly file_id: string;
  readonly number: number;
  /** Sealed, which nothing can compress. */
  readonly content: Buffer;
}

/** The books of accounts at banks: one row per instruction, a debit or a credit transfer that gives one back. */
export interface SepaCollectionRow {
  readonly tenant: number;
  readonly gateway_id: string;
  /** The end-to-end id, which is unique for ever. */
  readonly reference: string;
  /** Of a credit transfer: the reference that it gives (part of) back. What is given back of a debit is added up where it is asked: a transfer that the bank refuses counts no more. */
  readonly refund_of: string | null;
  /** Of a refund: when that collection was settled. */
  readonly collected_on: string | null;
  /** `accepted`, then `batched` (in a file), then `settled`, then maybe `returned`; `rejected` before settlement; `fenced`: never to be collected; `refused`: not taken by the adapter; `mandate_only`: nothing to collect. */
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
  /** This and the creditor's columns: what it was announced under to the bank. Null: in no file yet. */
  readonly scheme: "CORE" | "B2B" | null;
  /** As in the file; null: in none yet. */
  readonly sequence_type: "FRST" | "RCUR" | "OOFF" | null;
  /** The mandate that it was written with. */
  readonly mandate_id: string | null;
  readonly mandate_reference: string;
  readonly mandate_signed_on: string | null;
  /** The last amendment of the mandate that it announced. The bank knows of it once it has taken the collection; a file that it refused has told nothing. */
  readonly amended_up_to: number | null;
  readonly creditor_name: string | null;
  readonly creditor_identifier: string | null;
  /** In the characters of SEPA. */
  readonly debtor_name: string;
  /** Sealed: account and address. */
  readonly debtor: Buffer | null;
  /** What the debtor reads on the bank statement. */
  readonly remittance: string;
  /** The first day on which it may be due. */
  readonly not_before: string | null;
  readonly file_id: string | null;
  /** PmtInfId: the block in its file. */
  readonly block_id: string | null;
  /** As in its file. */
  readonly due_date: string | null;
  readonly settled_on: string | null;
  /** Settled because the bank was silent for so long. */
  readonly assumed: boolean;
  readonly returned_on: string | null;
  readonly reason_code: string | null;
  /** Each time the money is there after all a new round begins, in which it can come back again. */
  readonly round: number;
  /** The bank's booking day of that. */
  readonly reinstated_on: string | null;
  /** Of the booking, once it is settled: the bank's reference, else our file and block; and the end-to-end id. */
  readonly gateway_reference: string | null;
  /** How often the service asked for it. */
  readonly asked_count: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  /** Of a reversal: the last day on which the bank takes it. Null: it is a debit or a transfer. */
  readonly reversible_until: string | null;
}

/** What the bank's files said of collections, until the payments have it. */
export interface SepaNewsRow {
  readonly tenant: number;
  readonly gateway_id: string;
  readonly number: string;
  readonly reference: string;
  readonly kind: "settled" | "returned" | "charged_back" | "fee" | "reinstated";
  /** The round of its collection that it is about. */
  readonly round: number;
  /** When it happened at the bank. */
  readonly at: Date;
  /** Where it is not the collection's. */
  readonly amount: string | null;
  readonly bank_fee: string | null;
  readonly gateway_reference: string | null;
  readonly reason_code: string | null;
  readonly reason_message: string | null;
  /** Of a chargeback: return, refund or unauthorised refund. */
  readonly report_type: string | null;
  /** Null where no file said it. */
  readonly file_id: string | null;
  /** Since when it waits to be taken: the books check tells of those that wait too long. */
  readonly written_at: Date;
  /** When the payments had it. */
  readonly acknowledged_at: Date | null;
}

/** Which entry of the bank's has told of a movement first: the same one is told again by other files, and a second one is not the same. */
export interface SepaBookingRow {
  readonly tenant: number;
  readonly gateway_id: string;
  readonly reference: string;
  readonly movement: "credit" | "debit" | "fee";
  readonly booked_on: string;
  /** The bank's own reference of the entry. */
  readonly bank_reference: string | null;
  readonly file_id: string | null;
  /** Our file that the entry named as a whole or by a block; null for an entry of one instruction, and in old rows. */
  readonly named_file: string | null;
}

/** What each entry of a file that came in led to. */
export interface SepaEntryRow {
  readonly tenant: number;
  readonly file_id: string;
  /** Counted in the file. */
  readonly number: number;
  /** `known`: another entry had said it before. `unmatched`: a person decides. */
  readonly result: "settled" | "rejected" | "returned" | "known" | "ignored" | "unmatched";
  /** The collection that it was about; null: of none of ours. */
  readonly reference: string | null;
  readonly amount: string | null;
  readonly reason_code: string | null;
  readonly detail: string;
}

/** Entries of the bank's files that a person has to decide. */
export interface SepaUnmatchedRow {
  readonly tenant: number;
  readonly id: string;
  readonly gateway_id: string;
  readonly file_id: string;
  /** Its number in the file. */
  readonly entry: number;
  /** The same for the same entry in whichever file: see src/gateways/sepa-batch/incoming/report.ts. Null for one of which nothing tells. */
  readonly identity: string | null;
  readonly kind:
    | "collection"
    | "block"
    | "return"
    | "reject"
    | "withdrawn_return"
    | "fee"
    | "transfer"
    | "unreadable";
  /** Why it was not decided, in words. */
  readonly why: string;
  readonly amount: string | null;
  readonly bank_fee: string | null;
  readonly booked_on: string | null;
  /** What the entry said. */
  readonly facts: unknown;
  /** `part`: a person has said of what it is a part; it is applied when the parts make up the whole. */
  readonly status: "open" | "part" | "applied" | "dismissed";
  /** Of a part: which collections it is a part of. */
  readonly target: unknown;
  /** The person's note. */
  readonly resolution: string | null;
  /** The collection that it was applied to. */
  readonly reference: string | null;
  readonly resolved_at: Date | null;
  readonly created_at: Date;
}

/** The statements (camt.053) that were read, so that a missing one is noticed. */
export interface SepaStatementRow {
  readonly tenant: number;
  readonly id: string;
  /** For which the file was read. */
  readonly gateway_id: string;
  readonly file_id: string;
  /** The merchant's own account. */
  readonly iban: string;
  /** The last day that it covers. */
  readonly ends_on: string;
  /** ElctrncSeqNb, else LglSeqNb; many banks begin again each year. */
  readonly sequence: string | null;
  readonly statement_id: string | null;
  /** The balance before its entries; closing is the one after them. */
  readonly opening: string | null;
  readonly closing: string | null;
  /** What is missing before it, in words; null: nothing. */
  readonly gap: string | null;
  readonly created_at: Date;
}

/** One row per account at a bank: its lease, its counters and when it last ran. */
export interface SepaAccountRow {
  readonly tenant: number;
  readonly gateway_id: string;
  /** The day whose run is done. */
  readonly last_run_on: string | null;
  /** When that was, for an operator who asks why nothing is written. */
  readonly last_run_at: Date | null;
  /** Of message ids. */
  readonly last_number: number;
  /** When the bank's files were last looked for. */
  readonly polled_at: Date | null;
  /** What went wrong then; null: nothing. */
  readonly poll_error: string | null;
  readonly locked_until: Date | null;
  readonly lease_no: string;
}

/** The accounts for which a gateway has written files: their statements come after the gateway has moved to another account. */
export interface SepaCreditorAccountRow {
  readonly tenant: number;
  readonly gateway_id: string;
  /** The merchant's own, as in the gateway's settings. */
  readonly iban: string;
  readonly first_used_at: Date;
  readonly last_used_at: Date;
}

/** Partners that post results back, to a URL that is itself the credential. */
export interface IntegrationRow {
  readonly tenant: number;
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  /** The partner's switch; active is the record's own. Both have to be on. */
  readonly provider_active: boolean;
  readonly active: boolean;
  /** Our name to the partner's key. */
  readonly key_mapping: unknown;
  /** SHA-256, to find the record by. */
  readonly token_hash: Buffer;
  /** Sealed, to show the URL again. */
  readonly token_sealed: Buffer;
  /** Sealed. What the partner sends along; null: nothing is asked for. */
  readonly postback_secret: Buffer | null;
  /** Where the partner is asked for what never came. */
  readonly read_url: string | null;
  /** Sealed. */
  readonly read_token: Buffer | null;
  /** How the partner's pages are read. */
  readonly read_paging: unknown;
  /** When the partner is asked for what was missed; null: at once. */
  readonly read_due_at: Date | null;
  /** When the last complete reading began; null: there was none. */
  readonly read_since: Date | null;
  readonly last_read_at: Date | null;
  readonly last_read_error: string | null;
  /** How long bodies are kept. */
  readonly payload_retention_days: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly archived_at: Date | null;
}

/** One row per postback that is not a repetition, and per postback that came while its record was switched off. */
export interface IntegrationActivityRow {
  readonly tenant: number;
  readonly id: string;
  readonly integration_id: string;
  /** `skipped`: the record was switched off. */
  readonly status: "received" | "matched" | "unmatched" | "failed" | "skipped";
  readonly reason: string | null;
  /** Fetched from the partner, because it was never posted. */
  readonly recovered: boolean;
  readonly request_uuid: string | null;
  /** Sealed; null: none was read, or its time is over. */
  readonly payload: Buffer | null;
  /** When it is processed. */
  readonly due_at: Date | null;
  /** Grows with every claim, so that only the last one may write. */
  readonly attempts: number;
  /** Since it was last asked for. */
  readonly tries: number;
  readonly lead_id: string | null;
  readonly order_id: string | null;
  readonly session_id: string | null;
  readonly created_at: Date;
  readonly processed_at: Date | null;
}

/** What makes two postbacks one: keyed fingerprints of their request_uuid, else of their body. The primary key decides. */
export interface IntegrationPostbackKeyRow {
  readonly tenant: number;
  readonly integration_id: string;
  /** Keyed hash, one per integration. */
  readonly fingerprint: Buffer;
  readonly activity_id: string;
  /** From then on the partner may post the same anew. */
  readonly expires_at: Date;
}

/** Stored answers: what was answered under an Idempotency-Key, and which requests are still running. */
export interface IdempotencyKeyRow {
  readonly tenant: number;
  /** `key:<id>`, `session:<id>` or `operator`: two callers never share a key. */
  readonly caller: string;
  readonly key: string;
  /** Ids of records that the request makes follow from it, so that a second run finds the first's. */
  readonly request_id: string;
  /** SHA-256 of method, path and body: another request under the same key is refused. */
  readonly request_hash: Buffer;
  /** Passes when the process that ran the request died before it could store an answer. */
  readonly locked_until: Date | null;
  /** HTTP status of the answer; null: none is stored. */
  readonly status: number | null;
  /** Sealed: it may hold a token or a key. */
  readonly answer: Buffer | null;
  readonly created_at: Date;
}

/** Reference data, the same for every tenant: which bank a bank code belongs to. */
export interface BankRow {
  readonly country: string;
  readonly bank_code: string;
  readonly bic: string | null;
  readonly name: string;
  /** The national registry that it was imported from. */
  readonly source: string;
  readonly imported_at: Date;
}

/** The keys that have sealed something in this database, or may. The keys themselves are in no database. */
export interface MasterKeyRow {
  /** What sealed values and tokens carry; no two keys of a database have the same. */
  readonly number: number;
  /** Made from the key, and says nothing about it. Null: known by what it sealed before there was this table. */
  readonly name: string | null;
  /** Sealed under the key itself: opens with the right one. */
  readonly check_value: Buffer | null;
  /** Sealed under a later key: what authenticates the tokens that were made under this one, once it is gone. */
  readonly mac_keys: Buffer | null;
  readonly first_seen_at: Date;
  /** From then on the service starts without it. Null: it has to be held. */
  readonly dropped_at: Date | null;
}

/** People who work in the console: each belongs to one tenant, operators to none. */
export interface PeopleRow {
  /** 0 for an operator, so that there is no foreign key. */
  readonly tenant: number;
  readonly id: string;
  /** In small letters. */
  readonly email: string;
  readonly name: string;
  readonly role: "owner" | "developer" | "finance" | "support" | "viewer" | "operator";
  /** BCP 47; null: the browser's. */
  readonly locale: string | null;
  /** IANA name; null: UTC. */
  readonly time_zone: string | null;
  /** Argon2id with its parameters (PHC string format). Null: no password. */
  readonly password_hash: string | null;
  readonly password_changed_at: Date | null;
  /** Sealed secret of the authenticator app; null without one. */
  readonly totp_secret: Buffer | null;
  /** Time step of the last code that was taken: no code is taken twice. */
  readonly totp_last_step: string | null;
  /** Who the person is at the tenant's identity provider; null before the first sign-in there. */
  readonly oidc_subject: string | null;
  /** When the invitation was accepted; null: still invited. */
  readonly joined_at: Date | null;
  readonly last_sign_in_at: Date | null;
  readonly removed_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Passkeys: public keys of people's devices. */
export interface PersonPasskeyRow {
  readonly tenant: number;
  readonly id: string;
  readonly person: string;
  /** Credential id that the device has drawn; neither sealed nor a hash, as it is public. */
  readonly credential: Buffer;
  /** COSE key; neither sealed nor a hash, as it is public. */
  readonly public_key: Buffer;
  /** Signature counter of the device; 0 where it has none. */
  readonly counter: string;
  readonly transports: readonly string[];
  readonly name: string;
  readonly last_used_at: Date | null;
  readonly removed_at: Date | null;
  readonly created_at: Date;
}

/** Codes that stand in for the second factor once. */
export interface PersonRecoveryCodeRow {
  readonly tenant: number;
  readonly person: string;
  /** SHA-256 of the code. */
  readonly hash: Buffer;
  readonly created_at: Date;
  /** When it was used, or replaced by newer codes. */
  readonly used_at: Date | null;
}

/** Links by which a person accepts an invitation or sets a new password; each works once. */
export interface PersonLinkRow {
  readonly tenant: number;
  /** SHA-256 of the link's token. */
  readonly hash: Buffer;
  readonly person: string;
  readonly purpose: "invitation" | "reset";
  readonly expires_at: Date;
  /** When it was used, or replaced by a newer link. */
  readonly used_at: Date | null;
  readonly created_at: Date;
}

/** Sessions of people in the console. The cookie holds the secret, the row its hash. */
export interface ConsoleSessionRow {
  readonly tenant: number;
  readonly id: string;
  readonly person: string;
  /** SHA-256 of the cookie's value. */
  readonly hash: Buffer;
  /** `second_factor`: the password was right, the second factor is awaited; `set_up`: a second factor must be set up first; `full`: signed in. */
  readonly stage: "second_factor" | "set_up" | "full";
  /** What was shown first. */
  readonly method: "password" | "passkey" | "oidc" | "link";
  /** When the person last proved to be there; acts that matter ask for it to be recent. */
  readonly proved_at: Date;
  /** SHA-256 of the passkey challenge that this session answered: none is answered twice. */
  readonly challenge: Buffer | null;
  /** Wrong second factors so far. */
  readonly failures: number;
  readonly ip: string | null;
  readonly user_agent: string | null;
  readonly seen_at: Date;
  /** The absolute end; without use it ends earlier. */
  readonly expires_at: Date;
  /** Signed out, revoked or replaced; null: open until expires_at. */
  readonly ended_at: Date | null;
  readonly created_at: Date;
}

/** Where a tenant's people sign in with OpenID Connect. */
export interface OidcProviderRow {
  readonly tenant: number;
  readonly id: string;
  readonly issuer: string;
  readonly client_id: string;
  /** Sealed. An empty issuer means that there is no provider any more. */
  readonly client_secret: Buffer;
  /** Only addresses of this domain are let in. */
  readonly email_domain: string;
  /** Role of people who come without an invitation; null: only the invited are let in. */
  readonly role_for_new: "developer" | "finance" | "support" | "viewer" | null;
  /** Only owners may still use a password or a passkey. */
  readonly required: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** The entries of the audit log in the order in which a job has chained them. Rows are added; only an erasure clears a salt. */
export interface AuditChainRow {
  readonly tenant: number;
  /** Counted in each tenant, from 1. */
  readonly number: string;
  readonly entry_id: string;
  /** The master key whose derived key has made the hash (master_keys). */
  readonly key_number: number;
  /** Random, not sealed: goes into the hash of before and after. Null: the two were erased. */
  readonly salt: Buffer | null;
  /** Hash of the salt with the entry's before and after. */
  readonly details: Buffer;
  /** Keyed hash of the hash before it, the entry without before and after, and details. */
  readonly hash: Buffer;
}

/** Entries of the audit log that are not in the chain yet. */
export interface AuditPendingRow {
  readonly tenant: number;
  readonly number: string;
  readonly entry_id: string;
}

/** Where the database has been found running, the newest last. A restored backup is found elsewhere than its newest row says: then nothing is sent until an operator releases it. */
export interface DatabasePlaceRow {
  readonly number: number;
  /** PostgreSQL's system identifier, which a cluster gets when it is made. */
  readonly server: string;
  /** The numbers of the database in its cluster and of this table in the database: others in a copy within the same cluster, and in tables that a dump has made again. */
  readonly database: string;
  /** Begins anew at each recovery to a moment in the past and at each failover to a standby. */
  readonly timeline: string;
  /** What differed from the row before; 'by hand': an operator has said that a backup was restored. */
  readonly reason: "first" | "another server" | "another database" | "another timeline" | "by hand";
  readonly found_at: Date;
  /** From then on the service sends again. Null: it is held. */
  readonly released_at: Date | null;
}

/** Days (UTC) with payments, whose figures a job adds up. A day that is not here, or not counted yet, is added up when it is asked for. */
export interface FigureDayRow {
  readonly tenant: number;
  readonly day: string;
  /** Null: not yet. */
  readonly counted_at: Date | null;
  /** When it is counted anew: payments of past days come back, and are refunded. */
  readonly due_at: Date;
}

/** The payments that were opened on a day, by their state now. A day is added up anew as a whole. */
export interface DailyFigureRow {
  readonly tenant: number;
  readonly day: string;
  readonly number: number;
  readonly gateway_id: string;
  readonly campaign_id: string | null;
  readonly country: string | null;
  readonly type: string;
  /** As the API shows a payment: `pending`, `approved`, `declined`, `refunded` or `charged_back`. */
  readonly state: string;
  /** Of a declined payment our reason, of one that came back the bank's code; null where none was given. */
  readonly reason: string | null;
  readonly currency: string;
  readonly count: number;
  readonly amount: string;
  /** Of a payment that came back, after how many whole weeks; 8 takes in all later ones. Null: it did not, or it was counted before there was this column. */
  readonly age_weeks: number | null;
  /** The bank's code of a debit that came back, or that it refused after it had been accepted. Null: neither, or it was counted before there was this column. */
  readonly bank_code: string | null;
}

/** Mandate texts of payment pages. Rows are added only: mandates name the text that was signed. */
export interface MandateTextRow {
  readonly tenant: number;
  readonly id: string;
  readonly hosted_page_id: string;
  readonly scheme: "CORE" | "B2B";
  readonly language: string;
  /** Counted for each page, scheme and language; the highest is shown. */
  readonly version: number;
  /** With places such as {creditor}. Null: from here on the scheme's own text. */
  readonly text: string | null;
  readonly created_at: Date;
}

/** The user of an account at its bank's EBICS host, with its keys and the bank's. */
export interface EbicsUserRow {
  readonly tenant: number;
  readonly gateway_id: string;
  /** This, partner_id and user_id: for whom the keys were made. */
  readonly host_id: string;
  readonly partner_id: string;
  readonly user_id: string;
  /** `made`: has keys; `sent`: the bank has them; `ready`: a person has compared the bank's; `stopped`: the bank refuses this user, a person looks into it; `suspended`: locked by the bank at our request. */
  readonly state: "made" | "sent" | "ready" | "stopped" | "suspended";
  /** Sealed: three private keys and their certificates. */
  readonly keys: Buffer;
  /** Sealed: those of a change that the bank has not confirmed. */
  readonly next_keys: Buffer | null;
  readonly ini_sent_at: Date | null;
  readonly hia_sent_at: Date | null;
  /** Public. Null: none was compared yet. */
  readonly bank_keys: unknown;
  /** Public: what the bank's host says; a person has not compared it with the bank's letter yet. */
  readonly offered_bank_keys: unknown;
  readonly confirmed_at: Date | null;
  readonly stop_reason: string | null;
  readonly locked_until: Date | null;
  /** One session at a time: a bank may refuse a second one. */
  readonly lease_no: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  /** Since when INI or HIA with these keys has had no answer: the bank may have them. Null: it has said what it has. */
  readonly unanswered_since: Date | null;
  /** Sealed: the user as it was with the keys that these are to replace, until the bank has said which it has. */
  readonly former: Buffer | null;
}

/** Uploads of a file that the bank has begun to take, each under an order number of the bank's. */
export interface EbicsOrderRow {
  readonly tenant: number;
  readonly file_id: string;
  readonly number: number;
  readonly gateway_id: string;
  readonly transaction_id: string;
  /** Used again by the bank after months. Null: the bank gives none. */
  readonly order_id: string | null;
  readonly started_at: Date;
  /** CDD, or BTU for any service of H005; the bank counts each order type separately. Null in old rows. */
  readonly order_type: string | null;
}

/** What the bank's protocol (HAC) says of orders, each step once. */
export interface EbicsEventRow {
  readonly tenant: number;
  readonly gateway_id: string;
  readonly number: string;
  /** Empty where the bank names none. */
  readonly order_id: string;
  readonly action: string;
  /** TS01, DS01 and so on; empty where the bank gives none. */
  readonly reason: string;
  readonly at: Date;
  readonly text: string;
  /** Null: of none of ours. */
  readonly file_id: string | null;
  readonly read_at: Date;
}

/** Requests to the API whose tenant is known. Written a second after they are answered, many at once; a job deletes them after days. */
export interface RequestRow {
  readonly tenant: number;
  readonly id: string;
  /** As the answer names it: the caller's X-Request-Id, else ours. */
  readonly request_id: string;
  readonly method: string;
  /** As it is declared: tokens of paths are in none. */
  readonly route: string;
  readonly status: number;
  readonly duration_ms: number;
  readonly api_key_id: string | null;
  readonly session_id: string | null;
  /** The id in the path. */
  readonly record_id: string | null;
  /** Why it was refused: the code of the answer, or the names of the fields that were wrong. Values are in none. */
  readonly problem: string | null;
  readonly created_at: Date;
}

/** Public addresses at which customers begin payments: each is a session of its own. */
export interface PaymentLinkRow {
  readonly tenant: number;
  readonly id: string;
  /** What is paid for, as the customer reads it. */
  readonly name: string;
  readonly description: string | null;
  /** Sells its offer, with its gateway and page; null: one payment at the gateway. */
  readonly campaign_id: string | null;
  readonly gateway_id: string | null;
  readonly hosted_page_id: string | null;
  readonly webhook_profile_id: string | null;
  /** Fixed; null: the customer chooses, or the price is the offer's. */
  readonly amount: string | null;
  /** The least that a customer can choose; null: there is nothing to choose. */
  readonly amount_min: string | null;
  readonly amount_max: string | null;
  readonly amount_suggested: string | null;
  /** How many payments may be completed; null: any number. */
  readonly uses_max: number | null;
  readonly ends_at: Date | null;
  /** Of each of its sessions. */
  readonly metadata: unknown;
  readonly active: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly archived_at: Date | null;
}

/** Announcements of renewals as they were made. Who was told is in messages, or in the deliveries of the event. */
export interface NoticeRow {
  readonly tenant: number;
  readonly id: string;
  readonly subscription_id: string;
  readonly mandate_id: string;
  /** Of the cycle. */
  readonly due_date: string;
  /** When the gateway debits what is handed over on the cycle's day. */
  readonly collection_date: string;
  readonly amount: string;
  readonly currency: string;
  readonly billing_frequency:
    | "WEEKLY"
    | "BIWEEKLY"
    | "MONTHLY"
    | "QUARTERLY"
    | "SEMIANNUALLY"
    | "YEARLY"
    | null;
  readonly mandate_reference: string;
  readonly creditor_name: string;
  readonly creditor_identifier: string | null;
  readonly iban_last4: string;
  /** How many days before the debit the customer has to know of it. */
  readonly notice_days: number;
  /** How many days after it is handed over a renewal is debited. */
  readonly lead_days: number;
  /** The event subscription.upcoming; there is one only where a webhook profile asks for it. */
  readonly event_id: string;
  readonly created_at: Date;
  /** Who tells the customer: a message of this service, or the merchant who takes the event. */
  readonly told_by: "event" | "message";
}

/** The outbox of e-mail to customers: each message is written in the statement that makes what it tells of. */
export interface MessageRow {
  readonly tenant: number;
  readonly id: string;
  readonly kind: "mandate_copy" | "pre_notification" | "receipt" | "payment_failed" | "payment_returned";
  readonly transaction_id: string | null;
  readonly notice_id: string | null;
  /** `refused`: the server takes no such mail for this address; `given_up`: it was tried for as long as it may be; `unclear`: the server had it and has not said whether it keeps it, so it is not sent again; `dropped`: there was nothing left to tell. */
  readonly state: "waiting" | "sent" | "refused" | "given_up" | "unclear" | "dropped";
  /** When it is tried again; null: at once. */
  readonly due_at: Date | null;
  readonly attempts: number;
  /** Sealed. The address that it was last handed over for; null: to none yet, or its customer was erased. */
  readonly recipient: Buffer | null;
  readonly language: string | null;
  /** Of the words, with their language. */
  readonly text_version: string | null;
  /** Set before the server gets the text: from then on only its answer says whether the message is on its way. */
  readonly handed_over_at: Date | null;
  readonly sent_at: Date | null;
  /** What the server has said to the last attempt, without addresses. */
  readonly answer: string | null;
  readonly locked_until: Date | null;
  readonly lease_no: string;
  readonly created_at: Date;
}

/** Remarks of people on payments, never changed; an erasure of the customer takes out their words. */
export interface PaymentNoteRow {
  readonly tenant: number;
  readonly id: string;
  readonly transaction_id: string;
  readonly text: string;
  /** As in audit_log. */
  readonly actor: string;
  /** As it was then. */
  readonly actor_name: string;
  readonly created_at: Date;
}

/** Who has approved a file before it goes to the bank; each once. */
export interface SepaFileApprovalRow {
  readonly tenant: number;
  readonly file_id: string;
  /** A person, as in audit_log; `keys` for all API keys together. */
  readonly approver: string;
  /** As it was then. */
  readonly actor_name: string;
  readonly approved_at: Date;
}

/** Filters and columns of the console's lists under a name: a person's own, or the company's. */
export interface SavedViewRow {
  readonly tenant: number;
  readonly id: string;
  /** Who saved it. A shared view is everyone's, and stays when this person leaves. */
  readonly person: string;
  readonly shared: boolean;
  readonly list: string;
  readonly name: string;
  /** As in the list's address, without filters that are about one customer. */
  readonly query: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Merchants to whom so much comes that a job adds it up. For others it is added up when it is asked for. */
export interface ExpectedCountRow {
  readonly tenant: number;
  readonly counted_from: string;
  readonly counted_to: string;
  readonly counted_at: Date;
  /** When it is added up anew. */
  readonly due_at: Date;
}

/** What comes by day (UTC): collections that are with the bank, cycles that fall due, and those that are tried again. */
export interface ExpectedFigureRow {
  readonly tenant: number;
  readonly number: number;
  readonly day: string;
  readonly currency: string;
  readonly kind: "settlement" | "renewal" | "retry";
  readonly count: number;
  readonly amount: string;
}

/** The instructions of files that were withdrawn: a bank that has such a file all the same books it under its blocks. */
export interface SepaWithdrawnRow {
  readonly tenant: number;
  readonly gateway_id: string;
  readonly reference: string;
  /** How often it was withdrawn, this time included. */
  readonly number: number;
  readonly file_id: string;
  /** PmtInfId: the block in that file. */
  readonly block_id: string;
  readonly withdrawn_at: Date;
}

/** What each page of a statement that came in pages has reported: what two pages report is two movements. */
export interface SepaPageEntryRow {
  readonly tenant: number;
  /** The kind of message, the account, and the number or id that all pages share. */
  readonly statement: string;
  /** A movement and the reference, block or file that it is of; of an entry for a person, what it is known by in any file. */
  readonly name: string;
  readonly page: number;
  /** How often it stands on the page. */
  readonly times: number;
}

/** The second and further fees of a return, of which sepa_news has one notice with the fee in all: each is booked on its own day. */
export interface SepaLaterFeeRow {
  readonly tenant: number;
  readonly gateway_id: string;
  readonly reference: string;
  /** Of the notice. */
  readonly round: number;
  /** The fee in all, with this one. */
  readonly so_far: string;
  readonly amount: string;
  readonly booked_on: string;
}
