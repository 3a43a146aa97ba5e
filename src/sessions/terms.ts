/** The billing terms of a session: the campaign's offer with the request's overrides, or the request alone. Pure. */
import type { Adapters } from "../gateways/gateway.ts";
import { centsFromDatabase, parseAmount, type Cents } from "../lib/money.ts";
import { localeProblem } from "../management/locale.ts";
import { addressProblem, type PlainHttp } from "../management/web-address.ts";
import type { Deps } from "../deps.ts";
import type { SessionParts } from "./set-up.ts";
import { identifierProblem } from "../mandates/creditor.ts";
import { FieldErrors, type FieldMessages } from "../refusals.ts";
import { billingDayProblem, missingOfTrial } from "../subscriptions/billing-terms.ts";
import type { BillingTerms } from "../subscriptions/subscription.ts";
import type { CreateBody } from "./schemas.ts";

export interface SessionTerms extends BillingTerms {
  readonly currency: string;
  readonly gatewayId: string;
  readonly attemptsMax: number;
}

/** The fields that decide whether a session can be created. */
export type CreatableBody = Omit<CreateBody, "lead">;

/** (contract: Sizes) */
const ATTEMPTS_DEFAULT = 3;

/**
 * Computes the terms.
 * @throws FieldErrors with every invalid field.
 */
export function termsOf(
  { adapters, allowPrivateTargets }: Pick<Deps, "adapters" | "allowPrivateTargets">,
  body: CreatableBody,
  parts: SessionParts,
): SessionTerms {
  const wrong: Record<string, FieldMessages[string]> = {
    ...unknownParts(body, parts),
    ...pageProblems(allowPrivateTargets ? "loopback" : "nowhere", body, parts),
  };
  const { offer } = parts;
  const billingType = upper(body.billing_type) ?? offer?.billing_type ?? "ONE_OFF";
  const amount = cents(body.amount) ?? (offer === null ? null : centsFromDatabase(offer.price));
  const currency = body.currency ?? offer?.currency ?? null;
  const billingFrequency = upper(body.billing_frequency) ?? offer?.billing_frequency ?? null;
  const billingDay = lower(body.billing_day) ?? offer?.billing_day ?? null;
  const dayProblem = billingDayProblem(billingDay, billingFrequency);
  if (dayProblem !== null) wrong["billing_day"] = [dayProblem];
  const trialIntervalUnit = lower(body.trial_interval_unit) ?? offer?.trial_interval_unit ?? null;
  const trialPeriod = body.trial_period ?? offer?.trial_period ?? null;
  Object.assign(
    wrong,
    missingOfTrial({
      billing_type: billingType,
      trial_interval_unit: trialIntervalUnit,
      trial_period: trialPeriod,
    }),
  );
  if (parts.gateway !== null && currency !== null && !collects(adapters, parts.gateway.adapter, currency))
    wrong["currency"] = [`The gateway does not collect ${currency}.`];
  const withoutCreditor = creditorProblem(parts);
  if (withoutCreditor !== null) wrong["gateway_id"] = [withoutCreditor];
  if (parts.gateway === null || amount === null || currency === null || Object.keys(wrong).length > 0)
    throw new FieldErrors(wrong);
  return {
    amount,
    currency,
    billingType,
    billingFrequency,
    billingDay,
    trialIntervalUnit,
    trialPeriod,
    trialPrice: cents(body.trial_price) ?? (offer?.trial_price ? centsFromDatabase(offer.trial_price) : null),
    gatewayId: parts.gateway.id,
    attemptsMax: body.max_payment_attempts ?? parts.campaign?.max_payment_attempts ?? ATTEMPTS_DEFAULT,
  };
}

/** The message is the same for unknown, another tenant's, archived and inactive ids. */
function unknownParts(body: CreatableBody, parts: SessionParts): Record<string, FieldMessages[string]> {
  const wrong: Record<string, FieldMessages[string]> = {};
  const campaignMode = given(body.campaign_id);
  if (campaignMode && parts.campaign === null) return { campaign_id: ["No such campaign."] };
  if (campaignMode && parts.offer === null) wrong["campaign_id"] = ["The campaign's offer is archived."];
  if (parts.gateway === null) {
    if (given(body.gateway_id)) wrong["gateway_id"] = ["No such gateway."];
    else wrong["campaign_id"] = ["The campaign's gateway is archived or not active."];
  }
  if (given(body.hosted_page_id) && parts.hostedPage === null)
    wrong["hosted_page_id"] = ["No such hosted page."];
  if (given(body.webhook_profile_id) && parts.webhookProfile === null) {
    wrong["webhook_profile_id"] = ["No such webhook profile."];
  }
  return wrong;
}

/** Requests that the page could not fulfil. */
function pageProblems(
  plainHttp: PlainHttp,
  body: CreatableBody,
  { tenant: { redirect_hosts: hosts } }: SessionParts,
): Record<string, FieldMessages[string]> {
  const wrong: Record<string, FieldMessages[string]> = {};
  for (const name of ["success_redirect_url", "failure_redirect_url", "cancel_redirect_url"] as const) {
    const url = body[name] ?? null;
    const problem = url === null ? null : (addressProblem(url, plainHttp) ?? hostProblem(url, hosts));
    if (problem !== null) wrong[name] = [problem];
  }
  const locale = localeProblem(body.locale);
  if (locale !== null) wrong["locale"] = [locale];
  return wrong;
}

function hostProblem(url: string, hosts: readonly string[]): string | null {
  return hosts.includes(new URL(url).hostname) ? null : "The host is not one of the tenant's redirect_hosts.";
}

function creditorProblem({ gateway, tenant }: SessionParts): string | null {
  if (gateway === null) return null;
  return identifierProblem(gateway.test_mode, gateway.settings, tenant.creditor_identifier);
}

function collects(adapters: Adapters, adapter: string, currency: string): boolean {
  return adapters.get(adapter)?.capabilities.currencies.includes(currency) ?? false;
}

function given(value: string | null | undefined): boolean {
  return value !== undefined && value !== null;
}

/** The schema accepts them in any case and allows no others (contract: What the customer is shown). */
function upper<T extends string>(value: T | null | undefined): T | null {
  return value === undefined || value === null ? null : (value.toUpperCase() as T);
}

function lower<T extends string>(value: T | null | undefined): T | null {
  return value === undefined || value === null ? null : (value.toLowerCase() as T);
}

function cents(value: string | number | null | undefined): Cents | null {
  return value === undefined || value === null ? null : parseAmount(String(value));
}
