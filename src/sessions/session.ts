/** A payment session: its states, the moves between them, and the effect of a gateway's outcome. Pure. */
import type { AttemptStatus } from "../payments/attempt/end.ts";
import { resolveDelayMs } from "../gateways/calling.ts";
import type { Outcome } from "../gateways/gateway.ts";
import { DAY_MS, later, MINUTE_MS } from "../lib/clock.ts";

export type SessionStatus = "PENDING" | "AWAITING_VERIFICATION" | "COMPLETED" | "EXPIRED";

export type OrderStatus =
  | "PENDING_PAYMENT_SUBMISSION"
  | "PENDING"
  | "COMPLETED"
  | "FAILED"
  | "REFUNDED"
  | "CHARGEDBACK";

/** The first four have no outcome yet. */
export type TransactionStatus =
  | "submitted"
  | "unresolved"
  | "awaiting_verification"
  | "verifying"
  | "pending"
  | "approved"
  | "declined"
  | "refunded"
  | "charged_back";

/** Why a session is ended together with its attempt: cancelled by the merchant, or expired. */
export type Ending = "cancelled" | "lapsed";

/** The facts of a session with an open attempt that the rules use. */
export interface OpenSession {
  readonly status: SessionStatus;
  readonly attemptsUsed: number;
  readonly attemptsMax: number;
  readonly expiresAt: Date;
}

/** The changes recorded once a gateway has answered. */
export interface Effect {
  readonly transaction: AttemptStatus;
  readonly session: SessionStatus;
  readonly order: OrderStatus;
  readonly mandate: "pending" | "active" | "rejected";
  readonly attemptsUsed: number;
  readonly expiresAt: Date;
  /** Whether the attempt is still open and holds the session. */
  readonly held: boolean;
  /** When the gateway is asked; null when nothing is open. */
  readonly resolveAt: Date | null;
  readonly retryAllowed: boolean;
  readonly cause: Cause;
}

/** The cause of a session's move, in its history. */
type Cause =
  | "approved"
  | "pending"
  | "verification_required"
  | "gateway_unreachable"
  | "declined"
  | "unresolved"
  | Ending;

/** The least time that a customer who is sent to a bank has to come back (contract: Session lifetime). */
const VERIFICATION_MS_MIN = 60 * MINUTE_MS;

/** Whether a session ended so long ago that its token only shows status, amount and currency. */
export function detailsOver(closedAt: Date | null, days: number, now: Date): boolean {
  return closedAt !== null && later(closedAt, days * DAY_MS) <= now;
}

/** The stored facts that decide whether a session has expired. */
interface Lifetime {
  readonly status: SessionStatus;
  readonly expires_at: Date;
  readonly open_transaction_id: string | null;
}

interface StoredSession {
  readonly session_status: SessionStatus;
  readonly open_transaction_id: string | null;
  readonly attempts_used: number;
  readonly attempts_max: number;
  readonly expires_at: Date;
}

/**
 * Whether the lifetime of an open session is over. With an attempt in progress it lasts until that has ended (contract:
 * Session lifetime).
 */
export function lifetimeOver(session: Lifetime, now: Date): boolean {
  if (session.expires_at > now) return false;
  if (session.status === "PENDING") return session.open_transaction_id === null;
  return session.status === "AWAITING_VERIFICATION";
}

/**
 * Whether the session has expired. A session that was cancelled or has failed has not, although its status is EXPIRED
 * as well.
 */
export function endedByTime(session: Lifetime & { readonly closed_at: Date | null }, now: Date): boolean {
  const { status, closed_at: closedAt, expires_at: expiresAt } = session;
  return status === "EXPIRED" ? closedAt !== null && closedAt >= expiresAt : lifetimeOver(session, now);
}

/** Whether a stored session allows another attempt. */
export function mayRetry(session: StoredSession, now: Date): boolean {
  return (
    session.session_status === "PENDING" &&
    session.open_transaction_id === null &&
    session.attempts_used < session.attempts_max &&
    session.expires_at > now
  );
}

/**
 * The effect of an outcome on the session, its order, its transaction and its mandate: the table of docs/states.md.
 * @param asked how often the gateway was already asked.
 */
export function effectOf(
  session: OpenSession,
  outcome: Outcome,
  now: Date,
  ending: Ending | null = null,
  asked = 0,
): Effect {
  switch (outcome.kind) {
    case "approved":
    case "pending":
      return paid(session, outcome.kind);
    case "verification_required":
      return awaiting(session, now);
    case "declined":
      return declined(
        session,
        now,
        session.attemptsUsed - (outcome.attemptUsed === false ? 1 : 0),
        "declined",
        ending,
      );
    case "unreachable":
      return session.status === "AWAITING_VERIFICATION"
        ? { ...awaiting(session, now), expiresAt: session.expiresAt, cause: "gateway_unreachable" }
        : declined(session, now, session.attemptsUsed - 1, "gateway_unreachable", ending);
    case "unresolved":
      return unresolved(session, now, asked);
  }
}

function paid(session: OpenSession, kind: "approved" | "pending"): Effect {
  return {
    transaction: kind,
    session: "COMPLETED",
    order: kind === "approved" ? "COMPLETED" : "PENDING",
    mandate: "active",
    attemptsUsed: session.attemptsUsed,
    expiresAt: session.expiresAt,
    held: false,
    resolveAt: null,
    retryAllowed: false,
    cause: kind,
  };
}

function awaiting(session: OpenSession, now: Date): Effect {
  const atLeast = later(now, VERIFICATION_MS_MIN);
  const expiresAt = session.expiresAt > atLeast ? session.expiresAt : atLeast;
  return {
    transaction: "awaiting_verification",
    session: "AWAITING_VERIFICATION",
    order: "PENDING",
    mandate: "pending",
    attemptsUsed: session.attemptsUsed,
    expiresAt,
    held: true,
    // Asking forbids the gateway to collect later, so it is only done when the customer's time is over.
    resolveAt: expiresAt,
    retryAllowed: false,
    cause: "verification_required",
  };
}

function declined(
  session: OpenSession,
  now: Date,
  attemptsUsed: number,
  cause: Extract<Cause, "declined" | "gateway_unreachable">,
  ending: Ending | null,
): Effect {
  const retryAllowed = ending === null && attemptsUsed < session.attemptsMax && session.expiresAt > now;
  const outOfAttempts = attemptsUsed >= session.attemptsMax;
  return {
    transaction: "declined",
    session: ending !== null || outOfAttempts ? "EXPIRED" : "PENDING",
    order: "FAILED",
    mandate: "rejected",
    attemptsUsed,
    expiresAt: session.expiresAt,
    held: false,
    resolveAt: null,
    retryAllowed,
    cause: ending ?? cause,
  };
}

/** It is unknown whether money moved: the session is held until the gateway has answered. */
function unresolved(session: OpenSession, now: Date, asked: number): Effect {
  return {
    transaction: "unresolved",
    session: session.status,
    order: "PENDING",
    mandate: "pending",
    attemptsUsed: session.attemptsUsed,
    expiresAt: session.expiresAt,
    held: true,
    resolveAt: later(now, resolveDelayMs(asked)),
    retryAllowed: false,
    cause: "unresolved",
  };
}
