/** Shared by all commands about an EBICS user: the author, the deadline, the audit entry and the refusals. */
import type { Tx } from "../../../../db/database.ts";
import type { Deps } from "../../../../deps.ts";
import type { EbicsUserRow } from "../../../../db/rows.ts";
import { Unreadable } from "../../../../files/xml-tree.ts";
import { hasRun, writeEntry, type Author, type Change } from "../../../../management/audit/audit.ts";
import { Refusal } from "../../../../refusals.ts";
import type { AccountRow } from "../../files-store.ts";
import { NoAnswer } from "./host.ts";
import { NotNow } from "./not-now.ts";
import { BankRefused } from "./return-codes.ts";
import { saveUser, type UserChange } from "./users-store.ts";

/** A person's command about the user of an account. */
export interface UserCommand {
  readonly account: AccountRow;
  readonly operationId: string;
  readonly author: Author;
}

/** How long a person waits for a silent bank. */
export const COMMAND_MS_MAX = 100_000;

/** @param writeToo written in the same transaction. */
export async function saveChange(
  deps: Pick<Deps, "clock" | "db">,
  user: EbicsUserRow,
  change: UserChange,
  command: UserCommand | null = null,
  after: object | null = null,
  writeToo: (tx: Tx) => Promise<void> = async () => {},
): Promise<EbicsUserRow> {
  return deps.db.transaction(async (tx) => {
    const saved = await saveUser(tx, user, change, deps.clock.now());
    if (command !== null) await logUserChange(deps, tx, command, { state: user.state }, after);
    await writeToo(tx);
    return saved;
  });
}

export function logUserChange(
  { clock }: Pick<Deps, "clock">,
  tx: Tx,
  { account, operationId, author }: UserCommand,
  before: object | null,
  after: object | null,
): Promise<void> {
  const action: Change["action"] = before === null ? "create" : "update";
  const at = clock.now();
  return writeEntry(tx, author, {
    tenant: account.tenant,
    id: operationId,
    at,
    action,
    resource: "ebics",
    resourceId: account.id,
    before,
    after,
  });
}

/** Whether this command has run before: it must not reach the bank, or change the user, a second time. */
export function hasCommandRun(
  { db }: Pick<Deps, "db">,
  { account: { tenant, id: resourceId }, operationId: id, author }: UserCommand,
): Promise<boolean> {
  return hasRun(db, author, { tenant, id, resource: "ebics", resourceId });
}

/** Converts an error of the exchange into a refusal with its message. */
export async function refusedByBank<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NotNow) throw new Refusal("ebics_not_now", { detail: error.message });
    if (error instanceof BankRefused || error instanceof NoAnswer || error instanceof Unreadable) {
      throw new Refusal("ebics_refused", { detail: error.message });
    }
    throw error;
  }
}
