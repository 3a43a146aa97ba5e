/** Stops one debit, or one refund, before it is written into a file for the bank. */
import type { Deps } from "../../../deps.ts";
import { utcDate } from "../../../lib/dates.ts";
import { isUuid } from "../../../lib/ids.ts";
import { writeEntry, type Author } from "../../../management/audit/audit.ts";
import { Refusal } from "../../../refusals.ts";
import { CANCELLED } from "../../../sepa/reasons.ts";
import { cancelInstruction, findToCancel, type ToCancel } from "./store.ts";

interface CancelInput {
  readonly tenant: number;
  /** As given in the path. */
  readonly transactionId: string;
  /** Id of the audit entry, so that a repeated command is recorded once. */
  readonly operationId: string;
  readonly author: Author;
}

const WORDS = "It was stopped before it was written into a file for the bank.";

/**
 * Cancels a debit or refund that waits for the next file. Its news reaches the payment like a rejection by the bank; it
 * stays cancelled.
 * @throws Refusal not_found; not_cancellable, with the reason: it was sent, is in a file, or does not wait.
 */
export async function cancelTransaction(
  deps: Pick<Deps, "clock" | "db" | "newsReady" | "time">,
  input: CancelInput,
): Promise<Pick<ToCancel, "id" | "status">> {
  const { tenant } = input;
  const found = await toCancel(deps, input);
  if (!isCancelled(found)) {
    await deps.db.transaction(async (tx) => {
      const now = deps.time.now(tenant);
      const { gateway_id: gatewayId, reference } = found;
      // An imported payment has no gateway, and no waiting instruction.
      if (found.status !== "pending" || gatewayId === null) return;
      const about = { gatewayId, reference, words: WORDS, on: utcDate(now) };
      if (!(await cancelInstruction(tx, tenant, about, now))) return;
      await writeEntry(tx, input.author, {
        tenant,
        id: input.operationId,
        at: deps.clock.now(),
        action: "update",
        resource: "transactions",
        resourceId: found.id,
        before: { status: found.status },
        after: { cancelled: true },
      });
    });
    const after = await toCancel(deps, input);
    if (!isCancelled(after)) throw new Refusal("not_cancellable", { detail: whyNot(after) });
  }
  await deps.newsReady(tenant);
  return toCancel(deps, input);
}

/** Whether it can be cancelled at this moment; a run may write it into a file at any time. */
export async function isCancellable({ db }: Pick<Deps, "db">, tenant: number, id: string): Promise<boolean> {
  const row = await findToCancel(db, tenant, id);
  return row !== null && row.status === "pending" && row.state === "accepted";
}

/** @throws Refusal not_found. */
async function toCancel(
  { db }: Pick<Deps, "db">,
  { tenant, transactionId }: Pick<CancelInput, "tenant" | "transactionId">,
): Promise<ToCancel> {
  const row = isUuid(transactionId) ? await findToCancel(db, tenant, transactionId) : null;
  if (row === null) throw new Refusal("not_found");
  return row;
}

function isCancelled({ state, reason_code }: ToCancel): boolean {
  return state === "rejected" && reason_code === CANCELLED;
}

function whyNot({ state, status }: ToCancel): string {
  if (state === null) return "The gateway of this transaction sent it at once.";
  if (status !== "pending") return `This transaction is not waiting: it is ${status}.`;
  return "This transaction is in a file for the bank. Withdraw the file if it has not been sent.";
}
