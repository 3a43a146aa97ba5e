/** The schemas of mandates in requests and responses. */
import { Type, type Static } from "../lib/schema.ts";
import { CREATED_ON, creditorIdentifier, isoDate, nullable, oneOf, text, uuid } from "../http/fields.ts";
import { NullableText, NullableTime, NullableUuid, Time, Uuid } from "../http/response-fields.ts";
import { PAGE_QUERY } from "../http/paging.ts";
import { MANDATE_REFERENCE, MANDATE_REFERENCE_WORDS } from "../sepa/mandate-reference.ts";
import { ENDED_BY, LAPSING_DAYS, PRESENTATION_FORMATS, SCHEMES, MANDATE_STATUSES, TYPES } from "./mandate.ts";

const LISTED = {
  id: Uuid,
  reference: Type.String(),
  status: Type.Enum([...MANDATE_STATUSES]),
  scheme: Type.Enum([...SCHEMES]),
  type: Type.Enum([...TYPES]),
  source: Type.Enum(["payment", "import"], { description: "Signed in a payment, or imported." }),
  holder_name: Type.String(),
  iban_country: Type.String(),
  iban_last4: Type.String(),
  bic: NullableText,
  bank_name: NullableText,
  creditor_name: Type.String(),
  creditor_identifier: NullableText,
  creditor_address: NullableText,
  creditor_postal_code: NullableText,
  creditor_city: NullableText,
  creditor_country: NullableText,
  language: nullable(Type.String({ description: "The language of the signature, where known." })),
  pre_notification_days: nullable(Type.Integer({ description: "As agreed at the signature." })),
  bank_confirmed_on: nullable(
    Type.String({
      format: "date",
      description: "Of scheme B2B: the day on which the debtor's bank had confirmed it.",
    }),
  ),
  signed_at: Time,
  last_used_at: NullableTime,
  expires_on: Type.String({
    format: "date",
    description: "Last day of validity: 36 months after its last use or its signature.",
  }),
  account_blocked_at: nullable(
    Type.String({
      format: "date-time",
      description: "Since when a rule of the tenant keeps its account from being debited.",
    }),
  ),
  cancelled_at: NullableTime,
  cancelled_by: nullable(Type.Enum([...ENDED_BY])),
  status_reason: NullableText,
  lead: Type.Object({
    id: Uuid,
    email: Type.String(),
    first_name: Type.String(),
    last_name: Type.String(),
    country: Type.String(),
  }),
  session_id: NullableUuid,
  created_at: Time,
  updated_at: Time,
};

export const Mandate = Type.Object(LISTED, { $id: "Mandate" });
export const MandateDetail = Type.Object(
  {
    ...LISTED,
    evidence: Type.Object(
      {
        acceptance_mode: NullableText,
        text_version: NullableText,
        accepted_ip: NullableText,
        accepted_user_agent: NullableText,
        wallet_presentation: nullable(
          Type.Object(
            { format: Type.String(), sha256: Type.String(), at: Time },
            { description: "The signed presentation from the debtor's wallet that is kept with it." },
          ),
        ),
      },
      { description: "Evidence of the signature; all null where it was signed elsewhere." },
    ),
    amendments: Type.Array(
      Type.Object({
        number: Type.Integer(),
        at: Time,
        kind: Type.Enum(["reference", "creditor", "account", "holder"]),
        original_reference: NullableText,
        original_creditor_identifier: NullableText,
        original_creditor_name: NullableText,
        original_holder_name: NullableText,
        original_iban_country: NullableText,
        original_iban_last4: NullableText,
        same_bank: nullable(Type.Boolean()),
        sent_at: nullable(
          Type.String({ format: "date-time", description: "When a file reported it to the bank." }),
        ),
        accepted_ip: nullable(
          Type.String({ description: "From where the customer has agreed to it on a page of the service." }),
        ),
        text_version: nullable(Type.String({ description: "Of the mandate's text that was shown then." })),
      }),
      { description: "The values before each change, newest first." },
    ),
    subscriptions: Type.Array(Type.Object({ id: Uuid, status: Type.String() })),
    notices: Type.Array(
      Type.Object({
        id: Uuid,
        subscription_id: Uuid,
        due_date: Type.String({ format: "date" }),
        collection_date: Type.String({ format: "date", description: "The announced day of the debit." }),
        amount: Type.String(),
        currency: Type.String(),
        billing_frequency: NullableText,
        mandate_reference: Type.String(),
        creditor_identifier: NullableText,
        iban_last4: Type.String(),
        notice_days: Type.Integer({ description: "How many days before the debit it had to be announced." }),
        told_by: oneOf(["message", "event"], {
          description:
            "Who tells the customer: a message of this service, or the merchant who takes the event.",
        }),
        told_at: nullable(
          Type.String({
            format: "date-time",
            description:
              "When the message was taken by the mail server, or the event by the merchant's; null: neither.",
          }),
        ),
        message_id: NullableUuid,
        message_state: NullableText,
        text_version: NullableText,
        recipient: NullableText,
        created_at: Time,
      }),
      { description: "What was announced of its renewals, newest first; the last 100." },
    ),
  },
  { $id: "MandateDetail" },
);

export const MandateQuery = Type.Object({
  ...PAGE_QUERY,
  status: Type.Optional(oneOf(MANDATE_STATUSES)),
  scheme: Type.Optional(oneOf(SCHEMES)),
  lapsing: Type.Optional(
    Type.Boolean({
      description: `Active ones that expire within ${LAPSING_DAYS} days unless they are used; false: all others.`,
    }),
  ),
  account_blocked: Type.Optional(
    Type.Boolean({ description: "Whose account a rule of the tenant keeps from being debited." }),
  ),
  reference: Type.Optional(
    Type.String({ maxLength: 70, description: "In upper or lower case, with or without spaces." }),
  ),
  email: Type.Optional(Type.String({ maxLength: 320 })),
  lead_id: Type.Optional(uuid()),
  ...CREATED_ON,
});
export type MandateQuery = Static<typeof MandateQuery>;

export const PresentationBody = Type.Object(
  {
    format: oneOf(PRESENTATION_FORMATS, { description: "As the wallet names it." }),
    presentation: Type.String({
      minLength: 16,
      maxLength: 49_152,
      pattern: "^[A-Za-z0-9._~+/=-]+$",
      message: "Must be the presentation as the wallet gives it, without blanks; an mso_mdoc in base64url.",
      description: "As the wallet has given it; an mso_mdoc in base64url. Kept sealed, and not verified.",
    }),
  },
  { $id: "WalletPresentation" },
);

export const CancelBody = Type.Object(
  {
    reason: Type.Optional(nullable(text(255))),
    cancelled_by: Type.Optional(oneOf(ENDED_BY, { description: "Who cancelled it. Default creditor." })),
  },
  { $id: "MandateCancel" },
);

export const MandateConfirmBody = Type.Object(
  {
    confirmed_on: Type.Optional(nullable(isoDate({ description: "Default: today. null takes it back." }))),
  },
  { $id: "MandateConfirm" },
);

export const AmendBody = Type.Object(
  {
    iban: Type.Optional(Type.String({ maxLength: 64, description: "The new account of the debtor." })),
    holder_name: Type.Optional(text(255)),
    reference: Type.Optional(
      Type.String({
        pattern: MANDATE_REFERENCE,
        message: `Must have ${MANDATE_REFERENCE_WORDS}.`,
      }),
    ),
    creditor_name: Type.Optional(text(255)),
    creditor_identifier: Type.Optional(creditorIdentifier()),
  },
  { $id: "MandateAmend", minProperties: 1 },
);

export const DocumentQuery = Type.Object({
  language: Type.Optional(
    Type.String({ maxLength: 35, description: "A language other than that of the signature, such as de." }),
  ),
});
