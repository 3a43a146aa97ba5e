/** Converts a gateway's answer into the end of an attempt of any kind, and makes sure that it is recorded. */
import { resolveDelayMs, type UnattendedOutcome } from "../../gateways/calling.ts";
import type { Outcome } from "../../gateways/gateway.ts";
import type { Deps } from "../../deps.ts";
import { later } from "../../lib/clock.ts";
import { isUnavailable, Refusal } from "../../refusals.ts";
import { defaultMessage } from "../../sepa/reasons.ts";

/** The stored part of an unsuccessful answer. */
export interface AttemptError {
  /** Null for a note from the gateway that is not an error. */
  readonly code: string | null;
  readonly message: string | null;
  readonly gatewayCode: string | null;
  readonly gatewayMessage: string | null;
}

/** An attempt's statuses after an answer (docs/states.md). */
export type AttemptStatus = "approved" | "pending" | "declined" | "unresolved" | "awaiting_verification";

/** The changes of an attempt. */
export interface AttemptEnd {
  readonly to: AttemptStatus;
  /** The statuses in which this may be written. */
  readonly from: readonly (AttemptStatus | "submitted" | "verifying")[];
  /** The number of the claim that must be the current one; null where any may write. */
  readonly leaseNo: string | null;
  readonly gatewayReference: string | null;
  readonly processedAt: Date | null;
  /** When the gateway is asked again; null when it is not. */
  readonly resolveAt: Date | null;
  readonly error: AttemptError | null;
}

/** The values of `attemptEnds` (src/payments/attempt/store.ts) with the types of their columns. */
export const END_COLUMNS = {
  id: "uuid",
  now: "timestamptz",
  toStatus: "text",
  fromStatuses: "jsonb",
  leaseNo: "bigint",
  gatewayReference: "text",
  processedAt: "timestamptz",
  resolveAt: "timestamptz",
  errorCode: "text",
  errorMessage: "text",
  gatewayCode: "text",
  gatewayMessage: "text",
} as const;

/** The values of `attemptEnds`, except the attempt's id and the time. */
export function endValues({ to, from, error, ...end }: AttemptEnd) {
  return {
    ...end,
    toStatus: to,
    // JSON instead of an array: when calls are combined, each needs one value.
    fromStatuses: JSON.stringify(from),
    errorCode: error?.code ?? null,
    errorMessage: error?.message ?? null,
    gatewayCode: error?.gatewayCode ?? null,
    gatewayMessage: error?.gatewayMessage ?? null,
  };
}

/**
 * The end of a claimed renewal or refund. If its claim has been taken over, an answer is written only when money has
 * moved; anything else could overwrite what recovery has recorded.
 * @param unresolvedMessage the message while the outcome is unknown.
 */
export function unattendedEnd(
  outcome: UnattendedOutcome,
  row: { readonly lease_no: string; readonly resolve_count: number },
  now: Date,
  unresolvedMessage?: string,
): AttemptEnd & { readonly to: Exclude<AttemptStatus, "awaiting_verification"> } {
  // No money has moved at a gateway that was certainly not reached.
  const to = outcome.kind === "unreachable" ? "declined" : outcome.kind;
  const isMoved = to === "approved" || to === "pending";
  return {
    to,
    from: ["submitted", "unresolved"],
    leaseNo: isMoved ? null : row.lease_no,
    ...reportedBy(outcome),
    resolveAt: to === "unresolved" ? later(now, resolveDelayMs(row.resolve_count)) : null,
    error: errorOf(outcome, unresolvedMessage),
  };
}

/** What the gateway reported besides the outcome. */
export function reportedBy(outcome: Outcome): Pick<AttemptEnd, "gatewayReference" | "processedAt"> {
  return {
    gatewayReference: "gatewayReference" in outcome ? outcome.gatewayReference : null,
    processedAt: "processedAt" in outcome ? outcome.processedAt : null,
  };
}

/** The error of an outcome as text; null if there is none. */
export function errorOf(outcome: Outcome, unresolvedMessage?: string): AttemptError | null {
  switch (outcome.kind) {
    case "approved":
    case "pending":
    case "verification_required":
      return null;
    case "declined": {
      const { code, gatewayCode, gatewayMessage } = outcome;
      return { code, gatewayCode, gatewayMessage, message: gatewayMessage ?? defaultMessage(code) };
    }
    case "unreachable":
    case "unresolved": {
      const code = "gateway_unavailable";
      const unresolved = outcome.kind === "unresolved" ? unresolvedMessage : undefined;
      const message = unresolved ?? defaultMessage(code);
      return { code, message, gatewayCode: null, gatewayMessage: outcome.gatewayMessage };
    }
  }
}

/** About three seconds in total: long enough for a restart of the database, not longer than a caller waits. */
const WRITE_TRIES = 5;
const WRITE_PAUSE_MS = 300;

/**
 * Repeats a write while the database is unavailable. The claim has been written, so recovery can ask the gateway for
 * the outcome.
 * @param notWritten the message if the database stays unavailable.
 * @throws Refusal unavailable.
 */
export async function retryWrite<T>(
  { pause }: Pick<Deps, "pause">,
  write: () => Promise<T>,
  notWritten: string,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await write();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      if (tries === WRITE_TRIES) throw new Refusal("unavailable", { detail: notWritten, retryAfter: 30 });
      await pause(tries * WRITE_PAUSE_MS);
    }
  }
}
