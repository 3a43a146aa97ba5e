/** Ends unpaid sessions: with one statement if no attempt is open; during a verification after asking the gateway. */
import { type CallParts, CLAIM_MS, finalOutcome } from "../gateways/calling.ts";
import { later } from "../lib/clock.ts";
import type { Ending } from "./session.ts";
import { recordOutcome, type RecordParts } from "./record-outcome.ts";
import { type AttemptRow, claimVerification, type OpenAttempt } from "./attempt-store.ts";

/** The dependencies of asking a gateway for the final outcome and recording it. */
export type EndParts = CallParts & RecordParts;

/**
 * Ends a session whose customer was sent to a bank. The gateway is asked for the final outcome first: money that was
 * charged completes the session. Null when another worker has claimed the attempt, or when the session is to end as
 * expired and has not expired.
 */
export async function endVerification(
  deps: EndParts,
  tenant: number,
  sessionId: string,
  ending: Ending,
): Promise<AttemptRow | null> {
  const now = deps.time.now(tenant);
  const resolveAt = later(now, CLAIM_MS);
  // The customer may have been given more time since the caller saw it expired.
  const expired = ending === "lapsed" ? true : null;
  const attempt = await claimVerification(deps.db, { tenant, sessionId, now, resolveAt, expired });
  if (attempt === null) return null;
  return endAttempt(deps, tenant, attempt, ending);
}

/** The same for an attempt that the caller has claimed. */
export async function endAttempt(
  deps: EndParts,
  tenant: number,
  attempt: OpenAttempt,
  ending: Ending | null,
): Promise<AttemptRow> {
  const outcome = await finalOutcome(deps, tenant, attempt);
  const recorded = await recordOutcome(deps, tenant, attempt, outcome, ending);
  return recorded.attempt;
}
