/** A webhook profile: where events are sent, which ones, with which fields, signed with which secret. */
import { Type, type Static } from "../../lib/schema.ts";
import type { WebhookProfileRow } from "../../db/rows.ts";
import type { Deps } from "../../deps.ts";
import { nullable, oneOf, text } from "../../http/fields.ts";
import { NullableText } from "../../http/response-fields.ts";
import { DAY_MS, later } from "../../lib/clock.ts";
import { secretOfEarlierOperation, secretOfOperation } from "../../lib/operation-secret.ts";
import { dictionaryProblem } from "../../management/dictionary.ts";
import {
  withoutAbsent,
  shownRecord,
  type NewRecord,
  type RecordKind,
  type Write,
} from "../../management/resource.ts";
import { recordSchema } from "../../management/resource-schema.ts";
import { EVENT_TYPES } from "../events.ts";
import { profileStore, type ListedProfileRow } from "./profile-store.ts";
import { addressProblem } from "../../management/web-address.ts";

/** The possible sources of a payload field (contract: Field mapping). */
const SOURCE_FIELDS = [
  "session_token",
  "status",
  "transaction_status",
  "order_status",
  "order_number",
  "amount",
  "currency",
  "email",
  "customer_name",
  "first_name",
  "last_name",
  "country",
  "tenant_reference_id",
  "merchant_transaction_id",
  "transaction_id",
  "subscription_id",
  "lead_id",
  "campaign_id",
  "campaign_name",
  "offer_name",
  "billing_type",
  "metadata",
  "created_at",
  "processed_at",
  "livemode",
  "event_id",
] as const;

/** The payload of a profile without a mapping. */
const TYPICAL_FIELDS = [
  "session_token",
  "status",
  "order_number",
  "amount",
  "currency",
  "email",
  "customer_name",
] as const;
const PAYLOAD_FIELDS_MAX = 100;
const IN_FLIGHT = { minimum: 1, maximum: 100 } as const;
const IN_FLIGHT_DEFAULT = 10;
/** How long a replaced secret continues to sign (contract: Rotation of signing secrets). */
const PREVIOUS_SECRET_MS = DAY_MS;
const PURPOSE = "signing-secret";

export const SigningSecret = Type.String({
  minLength: 16,
  maxLength: 255,
  pattern: "^[\\x21-\\x7e]+$",
  message: "Must be 16 to 255 printable characters without spaces.",
  description: "Generated when absent.",
});

const Create = Type.Object(
  {
    name: text(255),
    url: text(2_000, { description: "https." }),
    events: Type.Optional(
      Type.Array(oneOf(EVENT_TYPES), {
        uniqueItems: true,
        description: "Default: payment_session.completed.",
      }),
    ),
    payload_fields: Type.Optional(
      Type.Record(Type.String(), oneOf(SOURCE_FIELDS), {
        maxProperties: PAYLOAD_FIELDS_MAX,
        description: "Maps your keys to our fields. Default: the standard payload.",
      }),
    ),
    ascii_escape: Type.Optional(Type.Boolean()),
    max_in_flight: Type.Optional(
      Type.Integer({
        ...IN_FLIGHT,
        description: `Requests under way at once, each about another subject; 1: one after the other. Default ${IN_FLIGHT_DEFAULT}.`,
      }),
    ),
    signing_secret: Type.Optional(SigningSecret),
    active: Type.Optional(Type.Boolean()),
  },
  { $id: "WebhookProfileCreate" },
);
const Patch = Type.Partial(Create, { $id: "WebhookProfilePatch" });
const FIELDS = {
  name: Type.String(),
  url: Type.String(),
  events: Type.Array(Type.Enum([...EVENT_TYPES])),
  payload_fields: Type.Record(Type.String(), Type.String()),
  ascii_escape: Type.Boolean(),
  max_in_flight: Type.Integer(),
  active: Type.Boolean(),
  disabled_reason: NullableText,
  failing_since: Type.Optional(
    nullable(
      Type.String({
        format: "date-time",
        description: "The first failure since the last success; null: the receiver does not fail.",
      }),
    ),
  ),
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description: "Events that this profile should subscribe to and does not.",
    }),
  ),
};
const WebhookProfile = recordSchema("WebhookProfile", FIELDS);
/** With its secret: after its creation and after the secret's rotation. */
export const WebhookProfileWithSecret = recordSchema("WebhookProfileWithSecret", {
  ...FIELDS,
  signing_secret: Type.String({ description: "Shown only once." }),
});

type Fields = Static<typeof Patch>;

const SHOWN = [
  "name",
  "url",
  "events",
  "payload_fields",
  "ascii_escape",
  "max_in_flight",
  "active",
  "disabled_reason",
] as const;

export const webhookProfileKind: RecordKind<ListedProfileRow, Fields> = {
  resource: "webhook-profiles",
  noun: "a webhook profile",
  access: "settings",
  schemas: { create: Create, patch: Patch, record: WebhookProfile, created: WebhookProfileWithSecret },
  store: profileStore(SHOWN),
  defaults: (write) => ({
    events: ["payment_session.completed"],
    payload_fields: Object.fromEntries(TYPICAL_FIELDS.map((field) => [field, field])),
    ascii_escape: false,
    max_in_flight: IN_FLIGHT_DEFAULT,
    signing_secret: sealed(write, generatedSecret(write.deps, write.tenant, write.id)),
    active: true,
  }),
  change: (write, given, before) => ({
    ...withoutAbsent({
      name: given.name,
      url: given.url,
      events: given.events,
      payload_fields: given.payload_fields,
      ascii_escape: given.ascii_escape,
      max_in_flight: given.max_in_flight,
      active: given.active,
    }),
    // Activating it again clears the reason of its deactivation.
    ...(given.active === true ? { disabled_reason: null } : {}),
    ...(given.signing_secret === undefined ? {} : replacedSecret(write, given.signing_secret, before)),
  }),
  problems: (deps, given) => ({
    url: given.url ? addressProblem(given.url, deps.allowPrivateTargets ? "anywhere" : "nowhere") : null,
    payload_fields: given.payload_fields ? dictionaryProblem(given.payload_fields) : null,
  }),
  render: (row) => shownRecord(row, SHOWN),
  answered: (_deps, { events, failing_since: since }) => ({
    failing_since: since?.toISOString() ?? null,
    warnings: warningsOf(events),
  }),
  secrets: (deps, row, given) => ({ signing_secret: firstSigningSecret(deps, row, given.signing_secret) }),
};

/**
 * Warns about a profile without these events: collected money can be returned for weeks, and an accepted payment can
 * still fail.
 */
const RETURN_EVENTS = {
  "transaction.status_changed": "a payment reported at acceptance can still fail",
  "chargeback.created": "a debit can be returned for eight weeks, or for 13 months without a mandate",
} as const;

function warningsOf(events: readonly string[]): readonly string[] {
  if (!events.includes("payment_session.completed")) return [];
  return Object.entries(RETURN_EVENTS)
    .filter(([event]) => !events.includes(event))
    .map(([event, why]) => `Also subscribe to ${event}, here or in another profile: ${why}.`);
}

/** The context with which a signing secret, current or previous, is sealed. */
export function signingSecretContext(profileId: string): string {
  return `webhook_profiles.signing_secret:${profileId}`;
}

/** The secret as the receiver knows it. */
export function openSigningSecret(
  { keys }: Pick<Deps, "keys">,
  { tenant, id, signing_secret }: Pick<WebhookProfileRow, "tenant" | "id" | "signing_secret">,
): string {
  return keys.open(tenant, signingSecretContext(id), signing_secret).toString();
}

/**
 * A new secret signs at once, and the one it replaces for another day (contract: Rotation of signing secrets). The one
 * in use replaces nothing: a PATCH that is sent again must not end the day of the one before.
 */
export function replacedSecret(
  write: Write,
  secret: string,
  before: WebhookProfileRow | null,
): Pick<WebhookProfileRow, "signing_secret" | "previous_signing_secret" | "previous_signing_secret_until"> {
  if (before !== null && openSigningSecret(write.deps, before) === secret) {
    const { signing_secret, previous_signing_secret, previous_signing_secret_until } = before;
    return { signing_secret, previous_signing_secret, previous_signing_secret_until };
  }
  return {
    signing_secret: sealed(write, secret),
    previous_signing_secret: before?.signing_secret ?? null,
    previous_signing_secret_until: before === null ? null : later(write.now, PREVIOUS_SECRET_MS),
  };
}

/** The secret that an operation generates, however often it runs. @param operationId of a creation: the profile's. */
export function generatedSecret({ keys }: Pick<Deps, "keys">, tenant: number, operationId: string): string {
  return secretText(secretOfOperation(keys, { purpose: PURPOSE, tenant, operationId }));
}

/**
 * The secret to show for an operation that has generated it before.
 * @param row the profile; where its secret was replaced twice since, this one signs no more.
 */
export function secretGeneratedBefore(
  { keys }: Pick<Deps, "keys">,
  operationId: string,
  row: WebhookProfileRow,
): string {
  const { tenant, id, signing_secret: current, previous_signing_secret: previous } = row;
  const open = (secret: Buffer) => keys.open(tenant, signingSecretContext(id), secret).toString();
  const kept = [current, previous].filter((secret) => secret !== null).map(open);
  const isKept = (secret: Buffer) => kept.includes(secretText(secret));
  return secretText(secretOfEarlierOperation(keys, { purpose: PURPOSE, tenant, operationId }, isKept));
}

/** The secret of a new profile; of one that an earlier run made, what it had then. */
function firstSigningSecret(
  deps: Pick<Deps, "keys">,
  row: WebhookProfileRow,
  given: string | undefined,
): string {
  if (given !== undefined) return given;
  return row.previous_signing_secret === null
    ? openSigningSecret(deps, row)
    : secretGeneratedBefore(deps, row.id, row);
}

/** In the format of Standard Webhooks. */
function secretText(secret: Buffer): string {
  return `whsec_${secret.toString("base64")}`;
}

function sealed({ deps, tenant, id }: NewRecord, secret: string): Buffer {
  return deps.keys.seal(tenant, signingSecretContext(id), secret);
}
