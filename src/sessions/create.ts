/** Create: opens a session in campaign mode (priced by an offer) or direct mode (priced by the request). */
import { addSubject } from "../lib/trace.ts";
import type { Deps } from "../deps.ts";
import { later, SECOND_MS } from "../lib/clock.ts";
import { formatAmount } from "../lib/money.ts";
import { paymentUrlOf, sessionToken } from "../tenants/signed-address.ts";
import { withFreshReference } from "../db/constraints.ts";
import { findCampaignParts, findDirectParts, type SessionParts } from "./set-up.ts";
import { orderNumber } from "../payments/transaction.ts";
import { Refusal, type FieldMessages } from "../refusals.ts";
import { firstAmount } from "../subscriptions/subscription.ts";
import { endVerification, type EndParts } from "./close.ts";
import { expireIdle } from "./expire.ts";
import type { CreateBody } from "./schemas.ts";
import { termsOf, type CreatableBody, type SessionTerms } from "./terms.ts";
import { canonicalLocale } from "../management/locale.ts";
import { leadKey, linkLeadKey } from "./leads.ts";
import { findAttempt } from "./attempt-store.ts";
import { findActiveOfLead, insertSession, type NewSession } from "./store.ts";

interface CreateInput {
  readonly tenant: number;
  /** The session's id, drawn once per Idempotency-Key, so that a repeated request finds the session of the first. */
  readonly id: string;
  readonly body: CreateBody;
  /** The payment link through which an unknown customer began it; null when the merchant identified the customer. */
  readonly paymentLinkId?: string | null;
  /** The first payment that came back and that it repeats; null: none. */
  readonly repaysTransactionId?: string | null;
}

/** The answer to create. */
interface CreatedSession {
  readonly session_token: string;
  readonly status: "PENDING";
  readonly payment_url: string;
}

/** The most expired sessions of a lead that one request ends. */
const EXPIRED_IN_THE_WAY_MAX = 3;

/** The session without its order number, which is drawn when it is inserted. */
type Unnumbered = Omit<NewSession, "orderNumber">;

/** The dependencies of creating a session and of ending one that blocks it. */
export type CreateParts = EndParts &
  Pick<Deps, "adapters" | "allowPrivateTargets" | "db" | "ids" | "keys" | "publicUrl" | "reached" | "time">;

/**
 * Opens a session with its lead and order (contract: Create). In campaign mode the campaign's offer sets the price; in
 * direct mode the request does, as decimal text with its currency. Repeating it under the same id returns the first
 * session. An expired session of the lead that was not swept yet is ended.
 * @throws FieldErrors with all invalid fields at once.
 * @throws Refusal lead_has_active_session with that session; campaign_stopped; tenant_reference_taken.
 */
export async function create(deps: CreateParts, input: CreateInput): Promise<CreatedSession> {
  addSubject({ session_id: input.id });
  const { tenant, body } = input;
  try {
    const { parts, terms } = await creatable(deps, tenant, body);
    deps.reached("create.before_insert");
    await insert(deps, newSession(deps, input, parts, terms));
  } catch (error) {
    // What it names may have been archived, or its campaign stopped, since another run of this operation made it.
    if (!(await isMade(deps, input))) throw error;
  }
  deps.reached("create.before_answer");
  return created(deps, input, deps.keys.currentKeyId);
}

/**
 * The configuration and the terms of a session.
 * @throws FieldErrors; Refusal campaign_stopped.
 */
export async function creatable(
  deps: Pick<Deps, "adapters" | "allowPrivateTargets" | "db">,
  tenant: number,
  body: CreatableBody,
): Promise<{ readonly parts: SessionParts; readonly terms: SessionTerms }> {
  const parts = await findParts(deps, tenant, body);
  if (parts.campaign?.stopped === true) throw new Refusal("campaign_stopped");
  return { parts, terms: termsOf(deps, body, parts) };
}

function created(
  deps: Pick<Deps, "keys" | "publicUrl">,
  { tenant, id }: Pick<CreateInput, "tenant" | "id">,
  tokenKeyId: number,
): CreatedSession {
  const token = sessionToken(deps.keys, tokenKeyId, { tenant, sessionId: id });
  return { session_token: token, status: "PENDING", payment_url: paymentUrlOf(deps, token) };
}

function findParts(deps: Pick<Deps, "db">, tenant: number, body: CreatableBody): Promise<SessionParts> {
  const named = {
    gatewayId: body.gateway_id ?? null,
    hostedPageId: body.hosted_page_id ?? null,
    webhookProfileId: body.webhook_profile_id ?? null,
  };
  const { campaign_id: campaignId } = body;
  if (campaignId !== undefined && campaignId !== null) {
    return findCampaignParts(deps.db, tenant, { campaignId, ...named });
  }
  return findDirectParts(deps.db, tenant, { ...named, gatewayId: body.gateway_id ?? "" });
}

/** The fields missing in direct mode, in which the request contains what a campaign would (contract: Create). */
export function missingInDirectMode(given: Readonly<Record<string, unknown>>): FieldMessages {
  const isMissing = (field: string) => given[field] === undefined || given[field] === null;
  if (!isMissing("campaign_id")) return {};
  const missing = ["gateway_id", "amount", "currency", "billing_type"].filter(isMissing);
  return Object.fromEntries(missing.map((field) => [field, ["This field is required."]]));
}

/**
 * Inserts the session. An expired session that was not swept yet must not block its lead (contract: One active session
 * per lead).
 */
async function insert(deps: CreateParts, session: Unnumbered): Promise<void> {
  let refusal = await insertUnlessMade(deps, session);
  // Behind one expired session there may be another, from a slow request.
  for (let more = EXPIRED_IN_THE_WAY_MAX; refusal !== null && more > 0; more -= 1) {
    if (!(await expireSessionOfLead(deps, session))) break;
    refusal = await insertUnlessMade(deps, session);
  }
  if (refusal !== null) throw await withActive(deps, session, refusal);
}

/** The refusal with the blocking session, so that its customer can be sent back to it. */
async function withActive(
  deps: Pick<Deps, "db" | "keys" | "publicUrl">,
  { tenant, lead }: Unnumbered,
  refusal: Refusal,
): Promise<Refusal> {
  const active = await findActiveOfLead(deps.db, tenant, lead.email);
  if (active === null) return refusal;
  const { session_token, payment_url } = created(deps, { tenant, id: active.id }, active.token_key_id);
  return new Refusal(refusal.kind, { more: { session_token, payment_url } });
}

/**
 * Returns null when the session exists, inserted now or by another run of the same operation; otherwise why its lead
 * cannot have it.
 */
async function insertUnlessMade(
  deps: Pick<Deps, "db" | "ids">,
  session: Unnumbered,
): Promise<Refusal | null> {
  try {
    await withFreshReference(["orders_one_per_number"], () =>
      insertSession(deps.db, { ...session, orderNumber: orderNumber(deps.ids) }),
    );
    return null;
  } catch (error) {
    if (await isMade(deps, session)) return null;
    if (error instanceof Refusal && error.kind === "lead_has_active_session") return error;
    throw error;
  }
}

async function isMade(
  deps: Pick<Deps, "db">,
  { tenant, id }: Pick<CreateInput, "tenant" | "id">,
): Promise<boolean> {
  return (await findAttempt(deps.db, tenant, id)) !== null;
}

/**
 * Ends the blocking session if it has expired. Returns true when it no longer blocks, whichever run ended it; another
 * session may still block.
 */
async function expireSessionOfLead(deps: EndParts, { tenant, lead, now }: Unnumbered): Promise<boolean> {
  const active = await findActiveOfLead(deps.db, tenant, lead.email);
  if (active === null) return true;
  if (active.expires_at > now) return false;
  if (active.status === "PENDING") await expireIdle(deps, tenant, active.id);
  else await endVerification(deps, tenant, active.id, "lapsed");
  return (await findActiveOfLead(deps.db, tenant, lead.email))?.id !== active.id;
}

function newSession(
  deps: Pick<Deps, "ids" | "keys" | "time">,
  input: CreateInput,
  parts: SessionParts,
  terms: SessionTerms,
): Unnumbered {
  const { tenant, id, body, paymentLinkId = null, repaysTransactionId = null } = input;
  const now = deps.time.now(tenant);
  const seconds = body.expires_in ?? parts.tenant.session_lifetime_seconds;
  return {
    ...displayNames(parts, body.description ?? null),
    ...ofThePurchase(body),
    tenant,
    id,
    now,
    tokenKeyId: deps.keys.currentKeyId,
    expiresAt: later(now, seconds * SECOND_MS),
    leadId: deps.ids.uuid(),
    orderId: deps.ids.uuid(),
    lead: leadOf(body),
    emailKey: paymentLinkId === null ? leadKey(body.lead.email) : linkLeadKey(body.lead.email, id),
    paymentLinkId,
    repaysTransactionId,
    gatewayId: terms.gatewayId,
    campaignId: parts.campaign?.id ?? null,
    offerId: parts.offer?.id ?? null,
    hostedPageId: parts.hostedPage?.id ?? null,
    webhookProfileId: parts.webhookProfile?.id ?? null,
    amount: formatAmount(terms.amount),
    firstAmount: formatAmount(firstAmount(terms)),
    currency: terms.currency,
    billingType: terms.billingType,
    billingFrequency: terms.billingFrequency,
    billingDay: terms.billingDay,
    trialIntervalUnit: terms.trialIntervalUnit,
    trialPeriod: terms.trialPeriod,
    trialPrice: terms.trialPrice === null ? null : formatAmount(terms.trialPrice),
    attemptsMax: terms.attemptsMax,
    customerIp: body.customer_ip ?? null,
  };
}

/** The texts for the customer; in direct mode there is no campaign name (contract: What the customer is shown). */
function displayNames({ tenant, campaign, offer, hostedPage }: SessionParts, description: string | null) {
  const overrides = hostedPage?.offer_overrides ?? {};
  const productName = description ?? textOf(overrides["product_name"]) ?? offer?.product_name ?? null;
  return {
    campaignName: campaign?.name ?? tenant.name,
    offerName: offer?.name ?? productName ?? tenant.name,
    productName,
    productDescription: textOf(overrides["product_description"]) ?? offer?.product_description ?? null,
  };
}

/** The merchant's own data about this purchase. */
function ofThePurchase(body: CreateBody) {
  const { metadata = null, locale } = body;
  return {
    tenantReferenceId: body.tenant_reference_id ?? null,
    metadata: metadata === null ? null : JSON.stringify(metadata),
    locale: locale === undefined || locale === null ? null : canonicalLocale(locale),
    successRedirectUrl: body.success_redirect_url ?? null,
    failureRedirectUrl: body.failure_redirect_url ?? null,
    cancelRedirectUrl: body.cancel_redirect_url ?? null,
  };
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function leadOf({ lead }: CreateBody): NewSession["lead"] {
  return {
    first_name: lead.first_name,
    last_name: lead.last_name,
    email: lead.email.trim(),
    country: lead.country,
    address: lead.address ?? null,
    city: lead.city ?? null,
    postal_code: lead.postal_code ?? null,
    phone: lead.phone ?? null,
  };
}
