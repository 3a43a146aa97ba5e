/** The one place that records an outcome, for pay, verify, cancel, expiry and recovery. */
import type { Tx } from "../db/database.ts";
import type { Deps } from "../deps.ts";
import type { Outcome } from "../gateways/gateway.ts";
import { CLAIM_MS } from "../gateways/calling.ts";
import { later } from "../lib/clock.ts";
import { centsFromDatabase, formatAmount } from "../lib/money.ts";
import { assert, must } from "../lib/assert.ts";
import { traced } from "../lib/trace.ts";
import { errorOf, retryWrite, reportedBy } from "../payments/attempt/end.ts";
import { recordIn, transactionRecord } from "../payments/records.ts";
import {
  RESOLVABLE_STATUSES,
  livemode,
  receiptOf,
  recordAfter,
  recordFacts,
} from "../payments/transaction.ts";
import { billingTermsOf, firstDates } from "../subscriptions/subscription.ts";
import {
  completedEvent,
  expiredEvent,
  transactionCreatedEvent,
  type NewEvent,
  type SessionFacts,
} from "../webhooks/events.ts";
import { UNRESOLVED_MESSAGE } from "./envelope.ts";
import { mayRetry, effectOf, type Ending, type Effect, type OpenSession } from "./session.ts";
import { type AttemptRow, findAttempt, ATTEMPT_FIELDS, type OpenAttempt, reclaim } from "./attempt-store.ts";
import { writeOutcome, writeOutcomeIn, type NewSubscription, type OutcomeWrite } from "./outcome-store.ts";

/** The dependencies of recording an outcome. */
export type RecordParts = Pick<
  Deps,
  "announce" | "db" | "environment" | "ids" | "pause" | "recorded" | "time"
>;

/** An attempt after an outcome was written. */
interface Recorded {
  readonly attempt: AttemptRow;
  readonly retryAllowed: boolean;
}

const NOT_WRITTEN =
  "The payment was sent to the gateway, and its outcome could not be recorded yet. Do not pay again: retrieve the session to see the outcome.";

/**
 * Records the outcome of a claimed attempt. If the claim was taken over, the answer is written only when money has
 * moved, which is never lost; otherwise nothing is written, and the attempt is returned in its current state.
 * @param ending why the session ends with this attempt, unless the money arrived after all.
 */
export function recordOutcome(
  deps: RecordParts,
  tenant: number,
  attempt: OpenAttempt,
  outcome: Outcome,
  ending: Ending | null = null,
): Promise<Recorded> {
  const how = { "payments.outcome": outcome.kind };
  return traced("payment outcome", "internal", how, () => record(deps, tenant, attempt, outcome, ending));
}

async function record(
  deps: RecordParts,
  tenant: number,
  attempt: OpenAttempt,
  outcome: Outcome,
  ending: Ending | null,
): Promise<Recorded> {
  const input = outcomeWrite(deps, tenant, attempt, outcome, ending);
  if (await retryWrite(deps, () => writeOutcome(deps.db, input), NOT_WRITTEN))
    return written(deps, outcome, input);
  return (await recordLate(deps, tenant, attempt, outcome)) ?? asItStands(deps, tenant, attempt);
}

function written(deps: RecordParts, outcome: Outcome, input: OutcomeWrite): Recorded {
  deps.recorded(outcome.kind, input.attempt.adapter);
  if (input.events.length > 0) deps.announce();
  return { attempt: attemptAfter(input), retryAllowed: input.effect.retryAllowed };
}

function openSessionOf(row: AttemptRow): OpenSession {
  return {
    status: row.session_status,
    attemptsUsed: row.attempts_used,
    attemptsMax: row.attempts_max,
    expiresAt: row.expires_at,
  };
}

/**
 * Records money that has moved, on the attempt's current state. Null when its outcome is already recorded. Taking the
 * claim and recording are one transaction: otherwise several workers could take it from each other without end.
 */
async function recordLate(
  deps: RecordParts,
  tenant: number,
  attempt: OpenAttempt,
  outcome: Outcome,
): Promise<Recorded | null> {
  if (outcome.kind !== "approved" && outcome.kind !== "pending") return null;
  const { transaction_id: id } = attempt;
  const recordIt = async (tx: Tx): Promise<OutcomeWrite | null> => {
    const now = deps.time.now(tenant);
    const open = await reclaim(tx, tenant, id, now, later(now, CLAIM_MS));
    if (open === null) return null;
    const input = outcomeWrite(deps, tenant, open, outcome, null);
    assert(await writeOutcomeIn(tx, input), "the claim that this transaction took is the current one");
    return input;
  };
  const input = await retryWrite(deps, () => deps.db.transaction(recordIt), NOT_WRITTEN);
  return input === null ? null : written(deps, outcome, input);
}

async function asItStands(
  deps: Pick<Deps, "db" | "time">,
  tenant: number,
  attempt: OpenAttempt,
): Promise<Recorded> {
  const { session_id: sessionId, transaction_id: id } = attempt;
  const current = must(await findAttempt(deps.db, tenant, sessionId, id), "the session of an attempt");
  return { attempt: current, retryAllowed: mayRetry(current, deps.time.now(tenant)) };
}

function outcomeWrite(
  deps: Pick<Deps, "environment" | "ids" | "time">,
  tenant: number,
  attempt: OpenAttempt,
  outcome: Outcome,
  ending: Ending | null,
): OutcomeWrite {
  const now = deps.time.now(tenant);
  const next = effectOf(openSessionOf(attempt), outcome, now, ending, attempt.resolve_count);
  const subscription = next.session === "COMPLETED" ? newSubscription(deps, attempt, outcome, now) : null;
  const reported = reportedBy(outcome);
  return {
    tenant,
    attempt,
    effect: next,
    now,
    end: {
      to: next.transaction,
      from: RESOLVABLE_STATUSES,
      leaseNo: attempt.lease_no,
      ...reported,
      resolveAt: next.resolveAt,
      // If the gateway was not reached, a verification in progress stays unchanged.
      error: next.transaction === "awaiting_verification" ? null : errorOf(outcome, UNRESOLVED_MESSAGE),
    },
    verification:
      outcome.kind === "verification_required" ? { id: outcome.verificationId, url: outcome.url } : null,
    subscription,
    events: eventsOf(deps, attempt, next, { ...reported, subscriptionId: subscription?.id ?? null }, now),
  };
}

/** A subscription starts when the first payment is accepted; its revenue counts money that has arrived. */
function newSubscription(
  deps: Pick<Deps, "ids">,
  attempt: OpenAttempt,
  outcome: Outcome,
  now: Date,
): NewSubscription | null {
  if (attempt.billing_type === "ONE_OFF") return null;
  const dates = firstDates(billingTermsOf({ ...attempt, amount: attempt.session_amount }), now);
  const paidNow = outcome.kind === "approved" && attempt.transaction_type !== "other_type";
  return {
    id: deps.ids.uuid(),
    trial_end_date: dates.trialEndDate,
    billing_anchor_date: dates.billingAnchorDate,
    next_billing_date: dates.nextBillingDate,
    last_billing_date: paidNow ? now.toISOString() : null,
    total_revenue: paidNow ? attempt.transaction_amount : formatAmount(centsFromDatabase("0.00")),
  };
}

/** Declines emit no webhook (contract: Pay). */
function eventsOf(
  deps: Pick<Deps, "environment" | "ids">,
  attempt: OpenAttempt,
  next: Effect,
  reported: {
    readonly subscriptionId: string | null;
    readonly processedAt: Date | null;
    readonly gatewayReference: string | null;
  },
  now: Date,
): readonly NewEvent[] {
  if (next.session === "EXPIRED" && next.cause === "lapsed") {
    return [expiredEvent(deps.ids.uuid(), sessionFacts(deps, attempt), now)];
  }
  if (next.session !== "COMPLETED") return [];
  const { gatewayReference: gateway_reference, processedAt: processed_at } = reported;
  const answer = { gateway_reference, adapter_unique_id: null, processed_at };
  const record = transactionRecord({
    ...recordAfter(recordIn(attempt, ATTEMPT_FIELDS), answer, next.transaction, now),
    subscription_id: reported.subscriptionId,
  });
  const messages = ["mandate_copy", ...receiptOf(next.transaction, attempt.transaction_amount)] as const;
  const created = transactionCreatedEvent(deps.ids.uuid(), recordFacts(deps, attempt), record, messages);
  const atSettlement = next.transaction === "pending" && attempt.completed_event_at === "settlement";
  if (atSettlement) return [created];
  const payment = {
    ...reported,
    transactionStatus: next.transaction,
    orderStatus: next.order,
    tenantReferenceId: attempt.tenant_reference_id,
    merchantTransactionId: attempt.merchant_transaction_id,
    transactionId: attempt.transaction_id,
    createdAt: attempt.transaction_created_at,
  };
  return [completedEvent(deps.ids.uuid(), sessionFacts(deps, attempt), payment), created];
}

/** The session's fields in an event. */
export function sessionFacts(deps: Pick<Deps, "environment">, attempt: AttemptRow): SessionFacts {
  return {
    orderNumber: attempt.order_number,
    amount: centsFromDatabase(attempt.transaction_amount ?? attempt.session_amount),
    currency: attempt.currency,
    email: attempt.email,
    firstName: attempt.first_name,
    lastName: attempt.last_name,
    country: attempt.country,
    leadId: attempt.lead_id,
    campaignId: attempt.campaign_id,
    campaignName: attempt.campaign_name,
    offerName: attempt.offer_name,
    billingType: attempt.billing_type,
    metadata: attempt.metadata,
    livemode: livemode(deps, attempt),
  };
}

/** The attempt after the statement, without reading it again. */
function attemptAfter({ attempt, effect: next, ...input }: OutcomeWrite): AttemptRow {
  const { subscription, verification } = input;
  const { gatewayReference, processedAt, error } = input.end;
  return {
    ...attempt,
    session_status: next.session,
    attempts_used: next.attemptsUsed,
    expires_at: next.expiresAt,
    open_transaction_id: next.held ? attempt.transaction_id : null,
    order_status: next.order,
    transaction_status: next.transaction,
    gateway_reference: gatewayReference ?? attempt.gateway_reference,
    processed_at: processedAt,
    error_code: (error?.code ?? null) as AttemptRow["error_code"],
    error_message: error?.message ?? null,
    gateway_code: error?.gatewayCode ?? null,
    gateway_message: error?.gatewayMessage ?? null,
    verification_id: verification?.id ?? attempt.verification_id,
    verification_url: verification?.url ?? attempt.verification_url,
    subscription_id: subscription?.id ?? null,
    subscription_status: subscription === null ? null : "ACTIVE",
    subscription_frequency: subscription === null ? null : attempt.billing_frequency,
    next_billing_date: subscription?.next_billing_date ?? null,
  };
}
