/** Why a session refuses a request, with the contract's messages. Pure. */
import { Refusal } from "../refusals.ts";
import { lifetimeOver } from "./session.ts";
import type { AttemptRow } from "./attempt-store.ts";

/** Null if a payment may be attempted. */
export function whyNotPayable(session: AttemptRow | null, now: Date): Refusal | null {
  if (session === null) return new Refusal("not_found");
  if (isOver(session, now)) return new Refusal("session_closed");
  if (session.transaction_status === "awaiting_verification") return new Refusal("verification_awaited");
  if (session.open_transaction_id !== null) return inProgress(session);
  return null;
}

/** Null if a verification may be requested (contract: Verify). */
export function whyNotVerifiable(session: AttemptRow | null, now: Date): Refusal | null {
  if (session === null) return new Refusal("not_found");
  if (isOver(session, now)) return new Refusal("session_closed");
  if (session.session_status === "PENDING") return new Refusal("verification_not_expected");
  return session.transaction_status === "awaiting_verification" ? null : inProgress(session);
}

/** A payment in flight ends within seconds; one whose outcome is unknown may take longer. */
export function inProgress(session: AttemptRow): Refusal {
  return new Refusal("payment_in_progress", {
    retryAfter: session.transaction_status === "unresolved" ? 10 : 1,
  });
}

function isClosed(session: Pick<AttemptRow, "session_status">): boolean {
  return session.session_status === "COMPLETED" || session.session_status === "EXPIRED";
}

function isOver(session: AttemptRow, now: Date): boolean {
  return isClosed(session) || lifetimeOver({ ...session, status: session.session_status }, now);
}
