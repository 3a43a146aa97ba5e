/**
 * Checks that a session is still open before something is created that outlives it: a key, a second factor, a password,
 * another person. The file is below its folder in the arrow (scripts/house.ts), as API keys belong to a folder below
 * people.
 */
import { sql, type Tx } from "../db/database.ts";
import type { ConsoleSessionRow } from "../db/rows.ts";
import { Refusal } from "../refusals.ts";

const HOLD = sql(
  "console_sessions.lock",
  `select id from console_sessions where tenant = :tenant and id = :id and ended_at is null for share`,
).gives<Pick<ConsoleSessionRow, "id">>();

/**
 * The session may have been ended since the request began, by a change of role, a removal or another device. Ending it
 * waits for this transaction, and sees what it has created.
 * @param id null if the request has no session.
 * @throws Refusal unauthorized.
 */
export async function requireOpenSession(tx: Tx, tenant: number, id: string | null): Promise<void> {
  if (id !== null && (await tx.query(HOLD, { tenant, id })).length === 1) return;
  throw new Refusal("unauthorized", { detail: "You have been signed out. Sign in again." });
}
