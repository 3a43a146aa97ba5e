/** The SQL of accounts that a tenant's rules have blocked (docs/guards.md, Return codes). */
import { sql, type Reader, type Tx } from "../db/database.ts";
import { isBlockedAccount } from "./writes.ts";

/** The message for a blocked account. */
export const BLOCKED_ACCOUNT = "This account is not accepted because its bank returned an earlier debit.";

const IS_BLOCKED = sql(
  "mandates.is_account_blocked",
  `select ${isBlockedAccount(":fingerprints::bytea[]")} as is_blocked`,
).gives<{ is_blocked: boolean }>();

/**
 * Whether the account is blocked.
 * @param fingerprints of the IBAN, under each master key.
 */
export async function isAccountBlocked(
  reader: Reader,
  tenant: number,
  fingerprints: readonly Buffer[],
): Promise<boolean> {
  return (await reader.query(IS_BLOCKED, { tenant, fingerprints }))[0]?.is_blocked ?? false;
}

const UNBLOCK = sql(
  "mandates.unblock_account",
  `update mandates set account_blocked_at = null, updated_at = :now
    where tenant = :tenant and iban_fingerprint = any (:fingerprints::bytea[]) and account_blocked_at is not null
   returning 1`,
);

/**
 * Lifts the block of an account, whichever of its mandates caused it; returns false when there was none.
 * @param fingerprints of the IBAN, under each master key.
 */
export async function unblockAccount(
  tx: Tx,
  tenant: number,
  fingerprints: readonly Buffer[],
  now: Date,
): Promise<boolean> {
  return (await tx.write(UNBLOCK, { tenant, fingerprints, now })).length > 0;
}
