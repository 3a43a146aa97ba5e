/** The SQL of accounts that a tenant's rules have blocked (docs/guards.md, Return codes). */
import { sql, type Reader, type Tx } from "../db/database.ts";
import { isBlockedAccount } from "./writes.ts";

/** The message for a blocked account. */
export const BLOCKED_ACCOUNT = "This account is not accepted because its bank returned an earlier debit.";

const IS_BLOCKED = sql(
  "mandates.is_account_blocked",
  `select ${isBlockedAccount(":fingerprint::bytea")} as is_blocked`,
).gives<{ is_blocked: boolean }>();

/**
 * Whether the account is blocked.
 * @param fingerprint of the IBAN.
 */
export async function isAccountBlocked(
  reader: Reader,
  tenant: number,
  fingerprint: Buffer,
): Promise<boolean> {
  return (await reader.query(IS_BLOCKED, { tenant, fingerprint }))[0]?.is_blocked ?? false;
}

const UNBLOCK = sql(
  "mandates.unblock_account",
  `update mandates set account_blocked_at = null, updated_at = :now
    where tenant = :tenant and account_blocked_at is not null
      and iban_fingerprint = (select m.iban_fingerprint from mandates m where m.tenant = :tenant and m.id = :id)
   returning 1`,
);

/** Lifts the block of a mandate's account, whichever mandate caused it; returns false when there was none. */
export async function unblockAccount(tx: Tx, tenant: number, id: string, now: Date): Promise<boolean> {
  return (await tx.write(UNBLOCK, { tenant, id, now })).length > 0;
}
