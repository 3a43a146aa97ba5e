/** The one place that records a refund's outcome, for the request, recovery and a gateway's news. */
import type { Tx } from "../../db/database.ts";
import type { Deps } from "../../deps.ts";
import { must } from "../../lib/assert.ts";
import { traced } from "../../lib/trace.ts";
import type { RefundOutcome } from "../../gateways/gateway.ts";
import {
  guardEvent,
  statusChangedEvent,
  transactionCreatedEvent,
  type NewEvent,
} from "../../webhooks/events.ts";
import { type AttemptEnd, type AttemptError, retryWrite, unattendedEnd } from "../attempt/end.ts";
import { originalIn, transactionRecord } from "../records.ts";
import { recordFacts, recordOf } from "../transaction.ts";
import { findRefund, writeRefundOutcome, type RefundRow, type RefundWrite } from "./store.ts";

const NOT_WRITTEN =
  "The refund was sent to the gateway, and its outcome could not be recorded yet. Do not refund again: the outcome is being determined.";
/** The message for a refund with an unknown outcome (contract: Unknown outcomes). */
const UNRESOLVED_MESSAGE =
  "The payment gateway gave no definite answer. The outcome is being determined; do not refund again.";

/**
 * Records the gateway's answer to a claimed refund. If the claim has been taken over, it is written only when money has
 * moved. Returns false when nothing was written.
 */
export async function recordRefundOutcome(
  deps: Pick<Deps, "announce" | "db" | "environment" | "ids" | "pause" | "time">,
  tenant: number,
  refund: RefundRow,
  outcome: RefundOutcome,
): Promise<boolean> {
  const input = refundWrite(deps, tenant, refund, outcome);
  const how = { "payments.outcome": outcome.kind };
  const written = await traced("refund outcome", "internal", how, () =>
    retryWrite(deps, () => writeRefundOutcome(deps.db, input), NOT_WRITTEN),
  );
  if (written && input.events.length > 0) deps.announce();
  return written;
}

/** Ends a held refund that was never sent to its gateway. */
export async function recordUnsentRefund(
  deps: Pick<Deps, "environment" | "ids" | "time">,
  tx: Tx,
  tenant: number,
  refund: RefundRow,
  why: string,
): Promise<void> {
  const input = refundWrite(deps, tenant, refund, {
    kind: "declined",
    code: "do_not_honor",
    gatewayCode: null,
    gatewayMessage: why,
    gatewayReference: null,
    processedAt: deps.time.now(tenant),
  });
  await writeRefundOutcome(tx, input);
}

/** Records later news about a refund that the gateway had accepted. */
export async function recordRefundNews(
  deps: Pick<Deps, "environment" | "ids" | "time">,
  tx: Tx,
  tenant: number,
  id: string,
  outcome: RefundOutcome,
): Promise<void> {
  const refund = must(await findRefund(tx, tenant, id), "the refund of a notice");
  const input = refundWrite(deps, tenant, refund, outcome);
  await writeRefundOutcome(tx, { ...input, end: { ...input.end, from: ["pending"], leaseNo: null } });
}

function refundWrite(
  deps: Pick<Deps, "environment" | "ids" | "time">,
  tenant: number,
  refund: RefundRow,
  outcome: RefundOutcome,
): RefundWrite {
  const now = deps.time.now(tenant);
  const end = unattendedEnd(outcome, refund, now, UNRESOLVED_MESSAGE);
  return {
    tenant,
    refundId: refund.id,
    now,
    end: { ...end, error: end.error ?? noticeOf(outcome) },
    events: refundEvents(deps, refund, end, now),
    originalEvents: end.to === "approved" ? [originalRefunded(deps, refund, now)] : [],
  };
}

/**
 * Declined refunds emit no webhook, like declined payments (contract: Pay), except held ones: their outcome is in no
 * response.
 */
function refundEvents(
  deps: Pick<Deps, "environment" | "ids">,
  refund: RefundRow,
  { to, gatewayReference, processedAt }: AttemptEnd,
  now: Date,
): readonly NewEvent[] {
  const known = refund.status === "pending";
  if (!known && to === "declined" && refund.held_until !== null)
    return [heldEvent(deps, "held_refund_declined", refund)];
  if (!known && to !== "approved" && to !== "pending") return [];
  const answered = {
    ...refund,
    gateway_reference: gatewayReference ?? refund.gateway_reference,
    processed_at: processedAt ?? refund.processed_at,
  };
  const record = transactionRecord(recordOf(answered, to, now));
  const id = deps.ids.uuid();
  const facts = factsOfOriginal(deps, refund);
  return [
    known ? statusChangedEvent(id, facts, record, "pending") : transactionCreatedEvent(id, facts, record, []),
  ];
}

function originalRefunded(deps: Pick<Deps, "environment" | "ids">, refund: RefundRow, now: Date): NewEvent {
  const record = transactionRecord({ ...originalIn(refund), status: "refunded", updated_at: now });
  return statusChangedEvent(deps.ids.uuid(), factsOfOriginal(deps, refund), record, "approved");
}

/** The event of a refund that is held, or that ended without being sent. */
export function heldEvent(
  deps: Pick<Deps, "environment" | "ids">,
  kind: "refund_held" | "held_refund_declined",
  refund: RefundRow,
): NewEvent {
  return guardEvent(deps.ids.uuid(), factsOfOriginal(deps, refund), {
    kind,
    refund_id: refund.id,
    transaction_id: refund.original_id,
    amount: refund.amount,
    currency: refund.currency,
    until: refund.held_until?.toISOString() ?? null,
  });
}

/** A refund has no tenant_reference_id of its own; the payment's shows a receiver what was refunded. */
function factsOfOriginal(deps: Pick<Deps, "environment">, refund: RefundRow) {
  return recordFacts(deps, { ...refund, tenant_reference_id: refund.original_tenant_reference_id });
}

/** The gateway's warning about a refund that it has accepted. */
function noticeOf(outcome: RefundOutcome): AttemptError | null {
  const notice = outcome.kind === "pending" ? (outcome.notice ?? "") : "";
  return notice === "" ? null : { code: null, message: null, gatewayCode: null, gatewayMessage: notice };
}
