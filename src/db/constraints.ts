/** Invariants live in the schema; this table says which refusal each broken one means. */
import { isUnavailable, Refusal, type RefusalKind } from "../refusals.ts";

const REFUSAL_OF_CONSTRAINT: Readonly<Record<string, RefusalKind>> = {
  sessions_one_active_per_lead: "lead_has_active_session",
  transactions_one_per_tenant_reference: "tenant_reference_taken",
  sessions_one_per_tenant_reference: "tenant_reference_taken",
  transactions_one_open_per_session: "payment_in_progress",
};

/** Failures of the connection or of the server itself: nothing is known to be wrong with the request. */
const UNAVAILABLE = /^(08|53|57P0|58)|^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|55P03|57014)$/;

/** The driver's messages for a connection that was lost or could not be had; they have no code. */
const LOST =
  /Connection terminated|Query read timeout|timeout exceeded when trying|(connection error and|closed and) is not queryable/;

interface DriverError {
  readonly code?: unknown;
  readonly constraint?: unknown;
  readonly message?: unknown;
}

/** A name of the schema with what Citus puts after it for each part of a table: numbers from 102008 on. */
const OF_SHARD = /\b([a-z]\w*)_\d{6,}\b/g;

/**
 * The name of the constraint that the error says was broken, as the schema has it; null for any other error. A worker's
 * error has the name only in its message, after that of the table; no name of the schema ends in such a number itself
 * (tests/placement.test.ts).
 */
export function brokenConstraint(error: unknown): string | null {
  const { code, constraint, message } = asDriverError(error);
  if (typeof code !== "string" || !code.startsWith(INTEGRITY)) return null;
  const words = typeof constraint === "string" ? constraint : message;
  if (typeof words !== "string") return null;
  const named = [...words.matchAll(OF_SHARD)].at(-1)?.[1];
  return named ?? (typeof constraint === "string" ? constraint : null);
}

/** The class of the codes of broken constraints. */
const INTEGRITY = "23";

/** Two references of 40 bits are rarely equal, and three times in a row not by chance. */
const DRAWS_MAX = 3;

/**
 * Writes with a reference that `write` draws; with another one when it is taken.
 * @param unique the constraints that a taken reference breaks.
 */
export async function drawn<T>(unique: readonly string[], write: () => Promise<T>): Promise<T> {
  for (let draws = 1; ; draws += 1) {
    try {
      return await write();
    } catch (error) {
      if (draws === DRAWS_MAX || !unique.includes(brokenConstraint(error) ?? "")) throw error;
    }
  }
}

/** The refusal that a database error stands for, or the error itself when it is a bug of ours. */
export function translated(error: unknown): unknown {
  const { code, message } = asDriverError(error);
  const kind = REFUSAL_OF_CONSTRAINT[brokenConstraint(error) ?? ""];
  if (kind !== undefined) return new Refusal(kind);
  const lost = typeof message === "string" && LOST.test(message);
  if (lost || (typeof code === "string" && UNAVAILABLE.test(code))) {
    return new Refusal("unavailable", { retryAfter: 1, cause: error });
  }
  return error;
}

/** The server's code for a statement that waited too long for a row that another one holds. */
export const LOCK_NOT_AVAILABLE = "55P03";

/** Whether a failed statement may still have been carried out. */
export function isUncertain(error: unknown): boolean {
  return isUnavailable(error) && asDriverError(error.cause).code !== LOCK_NOT_AVAILABLE;
}

function asDriverError(error: unknown): DriverError {
  return typeof error === "object" && error !== null ? error : {};
}
