/** Cancels a mandate: nothing more is collected with it, and its subscriptions end. */
import type { Deps } from "../deps.ts";
import { writeEntry, type Author } from "../management/audit/audit.ts";
import { Refusal } from "../refusals.ts";
import { lockMandate, writeMandateCancel, type CancelWrite } from "./store.ts";

/** The mandate, and who acts. */
export interface MandateCommand {
  readonly tenant: number;
  readonly id: string;
  /** Drawn once per operation: the audit entry's id. */
  readonly operationId: string;
  readonly author: Author;
}

export const RESOURCE = "mandates";

/** One that has ended already stays as it is. @throws Refusal not_found, payment_in_progress. */
export async function cancelMandate(
  deps: Pick<Deps, "clock" | "db" | "time">,
  { tenant, id, operationId, author }: MandateCommand,
  given: CancelWrite,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const row = await lockMandate(tx, tenant, id);
    if (row === null) throw new Refusal("not_found");
    if (row.status === "pending") {
      // The payment's outcome decides its status; a cancellation in between would be overwritten.
      throw new Refusal("payment_in_progress", { detail: "A payment with this mandate is in progress." });
    }
    if (row.status !== "active") return;
    const now = deps.time.now(tenant);
    const subscriptions = await writeMandateCancel(tx, tenant, id, now, given);
    await writeEntry(tx, author, {
      tenant,
      id: operationId,
      at: deps.clock.now(),
      action: "update",
      resource: RESOURCE,
      resourceId: id,
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
