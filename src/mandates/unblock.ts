/** Lifts the block of an account (docs/guards.md, Return codes). Mandates that have ended stay ended. */
import type { Deps } from "../deps.ts";
import { fingerprintsOf } from "./account.ts";
import { unblockAccount } from "./blocked-store.ts";
import { hasRunBefore, heldMandate, logChange, type MandateCommand } from "./command.ts";

/**
 * Lifts the block; an account that is not blocked stays unchanged.
 * @throws Refusal not_found.
 */
export async function unblockMandateAccount(
  deps: Pick<Deps, "clock" | "db" | "keys" | "time">,
  command: MandateCommand,
): Promise<void> {
  const { tenant } = command;
  await deps.db.transaction(async (tx) => {
    const mandate = await heldMandate(tx, command);
    if (await hasRunBefore(tx, command)) return;
    const wasBlocked = await unblockAccount(tx, tenant, fingerprintsOf(deps, mandate), deps.time.now(tenant));
    // Recorded even without a change: the same operation must not lift a later block.
    await logChange(tx, deps, command, {
      before: { is_account_blocked: wasBlocked },
      after: { is_account_blocked: false },
    });
  });
}
