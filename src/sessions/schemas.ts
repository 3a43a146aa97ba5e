/** The shapes of the session endpoints: each validates, types, serialises and documents. */
import { Type, type Static } from "../lib/schema.ts";
import {
  amount,
  country,
  currency,
  email,
  ipAddress,
  nullable,
  oneOf,
  optionalText,
  text,
  uuid,
} from "../http/fields.ts";
import { NullableDay, NullableText, NullableTime, NullableUuid, Uuid } from "../http/response-fields.ts";
import { billingDay, TRIAL_PERIOD_MAX } from "./offers/offer.ts";
import { LIFETIME_SECONDS } from "../tenants/tenant.ts";
import { BILLING_FREQUENCIES, BILLING_TYPES, TRIAL_INTERVAL_UNITS } from "../subscriptions/billing-terms.ts";

const Lead = Type.Object(
  {
    first_name: text(255),
    last_name: text(255),
    email: email(),
    country: country(),
    address: Type.Optional(nullable(optionalText(500))),
    city: Type.Optional(nullable(optionalText(255))),
    postal_code: Type.Optional(nullable(optionalText(20))),
    phone: Type.Optional(nullable(optionalText(50))),
  },
  { $id: "Lead" },
);

const METADATA_MAX = 50;
export const metadata = Type.Optional(
  nullable(
    Type.Record(Type.String({ minLength: 1, maxLength: 40 }), Type.String({ maxLength: 500 }), {
      maxProperties: METADATA_MAX,
      description: `Up to ${METADATA_MAX} names with texts of your own, for records and events.`,
    }),
  ),
);
const RedirectUrl = Type.Optional(
  nullable(
    text(2_000, {
      description: "In place of the hosted page's; its host is one of the tenant's redirect_hosts.",
    }),
  ),
);

export const CreateBody = Type.Object(
  {
    campaign_id: Type.Optional(nullable(uuid())),
    lead: Lead,
    amount: Type.Optional(nullable(amount())),
    currency: Type.Optional(nullable(currency())),
    billing_type: Type.Optional(nullable(oneOf(BILLING_TYPES, { anyCase: true }))),
    billing_frequency: Type.Optional(nullable(oneOf(BILLING_FREQUENCIES, { anyCase: true }))),
    billing_day: Type.Optional(billingDay()),
    trial_interval_unit: Type.Optional(nullable(oneOf(TRIAL_INTERVAL_UNITS, { anyCase: true }))),
    trial_period: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: TRIAL_PERIOD_MAX }))),
    trial_price: Type.Optional(nullable(amount({ allowZero: true }))),
    gateway_id: Type.Optional(nullable(uuid())),
    max_payment_attempts: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 10 }))),
    webhook_profile_id: Type.Optional(nullable(uuid())),
    hosted_page_id: Type.Optional(nullable(uuid())),
    customer_ip: Type.Optional(nullable(ipAddress())),
    tenant_reference_id: Type.Optional(
      nullable(
        text(255, {
          description:
            "Your reference, unique per tenant: reserved for this session and used by its payments that name none.",
        }),
      ),
    ),
    metadata,
    description: Type.Optional(
      nullable(text(255, { description: "What is bought, as the customer reads it on the page." })),
    ),
    locale: Type.Optional(
      nullable(
        text(35, { description: "BCP 47: the page's language, unless the customer chooses another." }),
      ),
    ),
    success_redirect_url: RedirectUrl,
    failure_redirect_url: RedirectUrl,
    cancel_redirect_url: RedirectUrl,
    expires_in: Type.Optional(
      nullable(Type.Integer({ ...LIFETIME_SECONDS, description: "Lifetime in seconds." })),
    ),
  },
  { $id: "PaymentSessionCreate" },
);
export type CreateBody = Static<typeof CreateBody>;

export const Created = Type.Object(
  {
    session_token: Type.String({ description: "Opaque, prefix ps_, 47 characters." }),
    status: Type.Literal("PENDING"),
    payment_url: Type.String({ format: "uri" }),
  },
  { $id: "PaymentSessionCreated" },
);

/** The blocking session; absent for any other conflict, and when it has just ended. */
export const NotCreated = Type.Object(
  {
    detail: Type.String(),
    code: Type.Optional(
      Type.String({ description: "Machine-readable reason, such as lead_has_active_session." }),
    ),
    session_token: Type.Optional(Type.String({ description: "The active session of the lead." })),
    payment_url: Type.Optional(
      Type.String({ format: "uri", description: "URL where the customer can continue." }),
    ),
    status_code: Type.Literal(409),
  },
  { $id: "PaymentSessionNotCreated" },
);

const SessionStatus = Type.Enum(["PENDING", "AWAITING_VERIFICATION", "COMPLETED", "EXPIRED"]);
const Dictionary = Type.Record(Type.String(), Type.Unknown());

/** For a session that ended long ago (`token_detail_days` of its tenant). */
export const RetrievedLater = Type.Object(
  {
    session_token: Type.String(),
    status: SessionStatus,
    amount: Type.String(),
    currency: Type.String(),
  },
  { $id: "PaymentSessionState", additionalProperties: false },
);

export const Retrieved = Type.Object(
  {
    session_token: Type.String(),
    status: SessionStatus,
    amount: Type.String(),
    currency: Type.String(),
    attempts_remaining: Type.Integer(),
    campaign: Type.Object({
      name: Type.String(),
      branding: Type.Optional(
        Type.Object({
          logo_url: NullableText,
          primary_color: Type.String(),
          accent_color: Type.String(),
        }),
      ),
      content: Type.Optional(Dictionary),
      show_product_name: Type.Optional(Type.Boolean()),
      show_product_price: Type.Optional(Type.Boolean()),
      show_product_description: Type.Optional(Type.Boolean()),
      offer_overrides: Type.Optional(Dictionary),
      success_redirect_url: Type.Optional(Type.String()),
      failure_redirect_url: Type.Optional(Type.String()),
    }),
    offer: Type.Object({
      name: Type.String(),
      price: Type.String(),
      currency: Type.String(),
      billing_type: Type.String(),
      product_name: Type.Optional(Type.String()),
      product_description: Type.Optional(Type.String()),
    }),
    mandate: Type.Optional(Type.Object({ acceptance_mode: Type.String() })),
    lead: Type.Optional(
      Type.Object({ first_name: Type.String(), last_name: Type.String(), email: Type.String() }),
    ),
    payment: Type.Optional(
      Type.Object(
        {
          order_status: Type.String(),
          transaction_status: Type.String({
            description: "pending, approved, declined, refunded or charged_back.",
          }),
          amount_refunded: Type.String(),
          debit_date: Type.Optional(
            Type.String({
              format: "date",
              description:
                "The day of the debit, where the gateway says it: as expected until its file is written.",
            }),
          ),
          pending_until: Type.Optional(
            Type.String({
              format: "date",
              description: "Until then the customer's bank may return the debit unpaid.",
            }),
          ),
        },
        { description: "Outcome of the latest attempt; absent before the first." },
      ),
    ),
  },
  { $id: "PaymentSession" },
);

export const PayBody = Type.Object(
  {
    // No length limit here: an IBAN that is too long is an invalid IBAN, not a malformed request (contract: Invalid
    // IBANs).
    iban: Type.String({
      pattern: "\\S",
      message: "This field may not be blank.",
      description: "SEPA IBAN; spaces, hyphens and lower case are accepted.",
    }),
    iban_holder_name: text(255, { description: "Account holder name." }),
    tenant_reference_id: Type.Optional(
      nullable(
        text(255, { description: "Your reference, unique per tenant. Omit it or send null for none." }),
      ),
    ),
    confirm_duplicate: Type.Optional(
      nullable(
        Type.Boolean({ description: "Pays although the customer has paid the same amount within 24 hours." }),
      ),
    ),
  },
  { $id: "Pay" },
);

export const VerifyBody = Type.Object(
  { verification_id: Type.Optional(nullable(text(255))) },
  { $id: "Verify" },
);

export const Cancelled = Type.Object(
  { session_token: Type.String(), status: Type.Literal("EXPIRED") },
  { $id: "PaymentSessionCancelled" },
);

export const Result = Type.Object(
  {
    object: Type.Literal("payment_session.result"),
    session_token: Type.String(),
    status: Type.Enum(["completed", "awaiting_verification", "declined", "failed"]),
    livemode: Type.Boolean(),
    created_at: NullableTime,
    processed_at: NullableTime,
    order_number: NullableText,
    verification_url: NullableText,
    error: NullableText,
    retry_allowed: nullable(Type.Boolean()),
    amount: NullableText,
    currency: NullableText,
    transaction: nullable(
      Type.Object({
        id: Uuid,
        merchant_transaction_id: Type.String(),
        gateway_reference: NullableText,
        tenant_reference_id: NullableText,
        status: Type.String(),
        type: Type.String(),
      }),
    ),
    order: nullable(
      Type.Object({
        id: Uuid,
        order_number: Type.String(),
        status: Type.Enum([
          "PENDING_PAYMENT_SUBMISSION",
          "PENDING",
          "COMPLETED",
          "FAILED",
          "REFUNDED",
          "CHARGEDBACK",
        ]),
      }),
    ),
    subscription: nullable(
      Type.Object({
        id: NullableUuid,
        status: Type.String(),
        billing_frequency: NullableText,
        next_billing_date: NullableDay,
      }),
    ),
    lead: nullable(Type.Object({ id: NullableUuid })),
    payment_method: Type.Object({
      type: Type.Literal("sepa_debit"),
      iban_last4: NullableText,
      iban_country: NullableText,
      bic: NullableText,
      bank_name: NullableText,
      holder_name: NullableText,
    }),
    sepa: Type.Object({
      mandate_reference: NullableText,
      sequence_type: NullableText,
      creditor_identifier: NullableText,
    }),
    adapter: Type.Object({ name: Type.String() }),
    payment_gateway: nullable(
      Type.Object({
        id: Uuid,
        name: Type.String(),
        descriptor: NullableText,
        test_mode: Type.Boolean(),
      }),
    ),
    error_details: nullable(
      Type.Object({
        code: Type.Enum([
          "insufficient_funds",
          "invalid_iban",
          "mandate_rejected",
          "account_closed",
          "do_not_honor",
          "gateway_unavailable",
          "unknown",
        ]),
        message: Type.String(),
        gateway_code: NullableText,
        gateway_message: NullableText,
      }),
    ),
  },
  { $id: "PaymentResult" },
);
