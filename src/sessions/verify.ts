/** Verify: asks for the outcome of a mandate verification and records it for its attempt. */
import type { Deps } from "../deps.ts";
import { callGateway, type CallParts, CLAIM_MS, gatewayOf } from "../gateways/calling.ts";
import type { Outcome } from "../gateways/gateway.ts";
import { must } from "../lib/assert.ts";
import { later } from "../lib/clock.ts";
import { addSubject, traced } from "../lib/trace.ts";
import { FieldErrors, Refusal } from "../refusals.ts";
import { resultOf, type PaymentResult } from "./envelope.ts";
import { whyNotVerifiable } from "./refuse.ts";
import { recordOutcome, type RecordParts } from "./record-outcome.ts";
import { claimVerification, findAttempt, type OpenAttempt } from "./attempt-store.ts";

interface VerifyInput {
  readonly tenant: number;
  readonly sessionId: string;
  /** Null: the one stored with the payment. */
  readonly verificationId: string | null;
}

/** The dependencies of a verification's steps. */
export type VerifyParts = Pick<Deps, "db" | "reached" | "time"> &
  CallParts &
  RecordParts &
  Parameters<typeof resultOf>[0];

/**
 * Completes a verification (contract: Verify): asks the gateway for its outcome and records it. While the customer has
 * not finished, the result says that the verification is still required.
 * @returns the result envelope; a failed verification is `failed` even if another attempt is allowed.
 * @throws Refusal not_found, verification_not_expected, payment_in_progress, session_closed.
 * @throws FieldErrors on a verification_id that is not this session's.
 */
export async function verify(deps: VerifyParts, input: VerifyInput): Promise<PaymentResult> {
  deps.reached("verify.before_claim");
  if (input.verificationId !== null) await checkVerificationId(deps, input, input.verificationId);
  const attempt = await traced("verification claim", "internal", {}, () => take(deps, input));
  addSubject({ merchant_transaction_id: attempt.merchant_transaction_id });
  deps.reached("verify.claimed");
  const outcome = await verifyAtGateway(deps, input.tenant, attempt);
  deps.reached("verify.collected");
  const recorded = await recordOutcome(deps, input.tenant, attempt, outcome);
  deps.reached("verify.recorded");
  return resultOf(deps, input.tenant, recorded.attempt, {
    by: "verify",
    retryAllowed: recorded.retryAllowed,
  });
}

async function checkVerificationId(
  deps: Pick<Deps, "db" | "time">,
  input: VerifyInput,
  verificationId: string,
): Promise<void> {
  const session = await findAttempt(deps.db, input.tenant, input.sessionId);
  const refusal = whyNotVerifiable(session, deps.time.now(input.tenant));
  if (refusal !== null) throw refusal;
  if (session?.verification_id !== verificationId) {
    throw new FieldErrors({ verification_id: ["This is not the verification of this session."] });
  }
}

async function take(
  deps: Pick<Deps, "db" | "time">,
  { tenant, sessionId }: VerifyInput,
): Promise<OpenAttempt> {
  const now = deps.time.now(tenant);
  const resolveAt = later(now, CLAIM_MS);
  const attempt = await claimVerification(deps.db, { tenant, sessionId, now, resolveAt, expired: false });
  if (attempt !== null) return attempt;
  const session = await findAttempt(deps.db, tenant, sessionId);
  throw whyNotVerifiable(session, now) ?? new Refusal("payment_in_progress", { retryAfter: 1 });
}

/** Asks the gateway for the outcome of an attempt's verification. */
export function verifyAtGateway(deps: CallParts, tenant: number, attempt: OpenAttempt): Promise<Outcome> {
  const verificationId = must(attempt.verification_id, "the verification of this attempt");
  return callGateway(deps, attempt, "verify", async (signal) =>
    gatewayOf(deps, tenant, attempt).verify(attempt.merchant_transaction_id, verificationId, signal),
  );
}
