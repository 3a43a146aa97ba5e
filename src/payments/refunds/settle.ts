/** The one place that records a refund's outcome, for the request, recovery and a gateway's news. */
import type { Tx } from "../../db/database.ts";
import type { Deps } from "../../deps.ts";
import { resolveDelayMs } from "../../gateways/resolve-backoff.ts";
import type { RefundOutcome } from "../../gateways/gateway.ts";
import { defaultMessage } from "../../sepa/reasons.ts";
import { later } from "../../lib/clock.ts";
import { statusChangedEvent, transactionCreatedEvent, type NewEvent } from "../../webhooks/events.ts";
import { insist } from "../insist.ts";
import { transactionRecord } from "../records.ts";
import { factsOf, recordFacts } from "../transaction.ts";
import { writeRefund, type RefundRow, type SettleInput } from "./store.ts";

/** What an outcome makes of a refund: the rows of docs/states.md. */
export type RefundStatus = "approved" | "pending" | "declined" | "unresolved";

const NOT_WRITTEN =
  "The refund was sent to the gateway, and its outcome could not be recorded yet. Do not refund again: the outcome is being determined.";
/** The message for a refund with an unknown outcome (contract: Unknown outcomes). */
const UNRESOLVED_MESSAGE =
  "The payment gateway gave no definite answer. The outcome is being determined; do not refund again.";

const NO_ERROR = { code: null, message: null, gatewayCode: null } as const;

/**
 * Writes what the gateway answered to a claimed refund. An answer whose claim has been taken over writes nothing, unless
 * it is that money has moved. False when nothing was written.
 */
export async function settleRefund(
  deps: Deps,
  tenant: number,
  refund: RefundRow,
  outcome: RefundOutcome,
): Promise<boolean> {
  const to = statusAfter(outcome);
  const leaseNo = to === "approved" || to === "pending" ? null : refund.lease_no;
  const input = settleInput(deps, tenant, refund, outcome, { from: ["submitted", "unresolved"], leaseNo });
  const written = await insist(deps, () => writeRefund(deps.db, input), NOT_WRITTEN);
  if (written && input.events.length > 0) deps.announce();
  return written;
}

/** Writes what came later about a refund that the gateway had accepted. */
export function settleAccepted(
  deps: Deps,
  tx: Tx,
  tenant: number,
  refund: RefundRow,
  outcome: RefundOutcome,
): Promise<boolean> {
  return writeRefund(tx, settleInput(deps, tenant, refund, outcome, { from: ["pending"], leaseNo: null }));
}

/** A gateway that was certainly not reached has given nothing back. */
export function statusAfter({ kind }: RefundOutcome): RefundStatus {
  return kind === "unreachable" ? "declined" : kind;
}

function settleInput(
  deps: Deps,
  tenant: number,
  refund: RefundRow,
  outcome: RefundOutcome,
  where: Pick<SettleInput, "from" | "leaseNo">,
): SettleInput {
  const now = deps.time.now(tenant);
  const to = statusAfter(outcome);
  const told = {
    gatewayReference: "gatewayReference" in outcome ? outcome.gatewayReference : null,
    processedAt: "processedAt" in outcome ? outcome.processedAt : null,
  };
  return {
    tenant,
    refundId: refund.id,
    now,
    ...where,
    to,
    ...told,
    resolveAt: to === "unresolved" ? later(now, resolveDelayMs(refund.resolve_count)) : null,
    error: errorOf(outcome),
    events: refundEvents(deps, refund, to, told, now),
    originalEvents: to === "approved" ? [originalRefunded(deps, refund, now)] : [],
  };
}

/** Declines emit no webhook, as those of payments (contract: Pay). */
function refundEvents(
  deps: Deps,
  refund: RefundRow,
  to: RefundStatus,
  told: Pick<SettleInput, "gatewayReference" | "processedAt">,
  now: Date,
): readonly NewEvent[] {
  const known = refund.status === "pending";
  if (!known && to !== "approved" && to !== "pending") return [];
  const record = transactionRecord({
    ...factsOf(refund, to, now),
    gatewayReference: told.gatewayReference ?? refund.gateway_reference,
    processedAt: told.processedAt ?? refund.processed_at,
  });
  const id = deps.ids.uuid();
  const facts = factsOfOriginal(deps, refund);
  return [
    known ? statusChangedEvent(id, facts, record, "pending") : transactionCreatedEvent(id, facts, record),
  ];
}

function originalRefunded(deps: Deps, refund: RefundRow, now: Date): NewEvent {
  const record = transactionRecord({
    ...factsOf(refund, "refunded", now),
    id: refund.original_id,
    merchantTransactionId: refund.original_merchant_transaction_id,
    gatewayReference: refund.original_gateway_reference,
    tenantReferenceId: refund.original_tenant_reference_id,
    type: refund.original_type,
    amount: refund.original_amount,
    source: refund.original_source,
    createdAt: refund.original_created_at,
    processedAt: refund.original_processed_at,
  });
  return statusChangedEvent(deps.ids.uuid(), factsOfOriginal(deps, refund), record, "approved");
}

/** A refund has no tenant_reference_id of its own; the payment's leads a receiver to what was given back. */
function factsOfOriginal(deps: Deps, refund: RefundRow) {
  return recordFacts(deps, { ...refund, tenant_reference_id: refund.original_tenant_reference_id });
}

function errorOf(outcome: RefundOutcome): SettleInput["error"] {
  switch (outcome.kind) {
    case "approved":
      return null;
    case "pending":
      return outcome.notice ? { ...NO_ERROR, gatewayMessage: outcome.notice } : null;
    case "declined": {
      const { code, gatewayCode, gatewayMessage } = outcome;
      return { code, gatewayCode, gatewayMessage, message: gatewayMessage ?? defaultMessage(code) };
    }
    case "unreachable":
    case "unresolved": {
      const code = "gateway_unavailable";
      const message = outcome.kind === "unresolved" ? UNRESOLVED_MESSAGE : defaultMessage(code);
      return { code, message, gatewayCode: null, gatewayMessage: outcome.gatewayMessage };
    }
  }
}
