/** Invariants are in the schema; this table maps each constraint to the refusal for its violation. */
import { isUnavailable, Refusal, type RefusalKind } from "../refusals.ts";

const REFUSAL_OF_CONSTRAINT: Readonly<Record<string, RefusalKind>> = {
  sessions_one_active_per_lead: "lead_has_active_session",
  transactions_one_per_tenant_reference: "tenant_reference_taken",
  sessions_one_per_tenant_reference: "tenant_reference_taken",
  transactions_one_open_per_session: "payment_in_progress",
};

/** Failures of the connection or the server: nothing is known to be wrong with the request. */
const UNAVAILABLE = /^(08|53|57P0|58)|^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|55P03|57014)$/;

/** The driver's messages for a connection that was lost or not available; they have no code. */
const LOST =
  /Connection terminated|Query read timeout|timeout exceeded when trying|(connection error and|closed and) is not queryable/;

interface DriverError {
  readonly code?: unknown;
  readonly constraint?: unknown;
  readonly message?: unknown;
}

/** A name in the schema with Citus's suffix for a shard: numbers from 102008 on. */
const OF_SHARD = /\b([a-z]\w*)_\d{6,}\b/g;

/**
 * The name of the violated constraint, as in the schema; null for any other error. A worker's error has the name only
 * in its message, after the table's; no name in the schema ends in such a number itself (tests/placement.test.ts).
 */
export function brokenConstraint(error: unknown): string | null {
  const { code, constraint, message } = asDriverError(error);
  if (typeof code !== "string" || !code.startsWith(INTEGRITY)) return null;
  const words = typeof constraint === "string" ? constraint : message;
  if (typeof words !== "string") return null;
  const named = [...words.matchAll(OF_SHARD)].at(-1)?.[1];
  return named ?? (typeof constraint === "string" ? constraint : null);
}

/** The error class of violated constraints. */
const INTEGRITY = "23";

/** Two references of 40 bits are rarely equal, and never three times in a row by chance. */
const DRAWS_MAX = 3;

/**
 * Writes with a random reference, and draws another one when it is taken.
 * @param unique the constraints that a taken reference violates.
 */
export async function withFreshReference<T>(unique: readonly string[], write: () => Promise<T>): Promise<T> {
  for (let draws = 1; ; draws += 1) {
    try {
      return await write();
    } catch (error) {
      if (draws === DRAWS_MAX || !unique.includes(brokenConstraint(error) ?? "")) throw error;
    }
  }
}

/** The refusal for a database error, or the error itself if it is a bug. */
export function refusalOfDatabaseError(error: unknown): unknown {
  const { code, message } = asDriverError(error);
  const kind = REFUSAL_OF_CONSTRAINT[brokenConstraint(error) ?? ""];
  if (kind !== undefined) return new Refusal(kind);
  const lost = typeof message === "string" && LOST.test(message);
  if (lost || (typeof code === "string" && UNAVAILABLE.test(code))) {
    return new Refusal("unavailable", { retryAfter: 1, cause: error });
  }
  return error;
}

/** The server's code for a statement that waited too long for a locked row. */
export const LOCK_NOT_AVAILABLE = "55P03";

/** Whether a failed statement may still have been executed. */
export function isUncertain(error: unknown): boolean {
  return isUnavailable(error) && asDriverError(error.cause).code !== LOCK_NOT_AVAILABLE;
}

function asDriverError(error: unknown): DriverError {
  return typeof error === "object" && error !== null ? error : {};
}
