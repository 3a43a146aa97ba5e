/** Cancels a mandate: nothing more is collected under it, and its subscriptions end. */
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusals.ts";
import { heldMandate, logChange, type MandateCommand } from "./command.ts";
import { writeMandateCancel, type CancelWrite } from "./store.ts";

/**
 * Cancels a mandate; one that has ended stays unchanged.
 * @throws Refusal not_found; payment_in_progress while a payment under it has no outcome.
 */
export async function cancelMandate(
  deps: Pick<Deps, "clock" | "db" | "time">,
  command: MandateCommand,
  given: CancelWrite,
): Promise<void> {
  const { tenant, id } = command;
  await deps.db.transaction(async (tx) => {
    const row = await heldMandate(tx, command);
    if (row.status === "pending") {
      // The payment's outcome sets the mandate's status and would overwrite a cancellation.
      throw new Refusal("payment_in_progress", { detail: "A payment with this mandate is in progress." });
    }
    if (row.status !== "active") return;
    const now = deps.time.now(tenant);
    const subscriptions = await writeMandateCancel(tx, tenant, id, now, given);
    await logChange(tx, deps, command, {
      before: { status: row.status },
      after: {
        status: "cancelled",
        cancelled_by: given.by,
        status_reason: given.reason,
        subscriptions_cancelled: subscriptions,
      },
    });
  });
}
