/** Cancel: ends an unpaid session, or refuses with the reason (contract: Cancel). */
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusals.ts";
import { endVerification, type EndParts } from "./close.ts";
import { inProgress } from "./refuse.ts";
import { findAttempt } from "./attempt-store.ts";
import { closeIdle } from "./outcome-store.ts";

interface CancelInput {
  readonly tenant: number;
  readonly sessionId: string;
}

/**
 * Cancels an unpaid session (contract: Cancel). Repeating it, or cancelling an expired session, changes nothing. If the
 * customer is at the bank, the gateway is asked for the final outcome first: money that was charged completes the
 * session.
 * @throws Refusal not_found, session_completed; payment_in_progress while a payment has no outcome.
 */
export async function cancel(
  deps: EndParts & Pick<Deps, "db" | "reached" | "time">,
  { tenant, sessionId }: CancelInput,
): Promise<void> {
  deps.reached("cancel.before_update");
  if (!(await closeIdle(deps.db, tenant, sessionId, deps.time.now(tenant)))) {
    await cancelBusy(deps, tenant, sessionId);
  }
  deps.reached("cancel.before_answer");
}

async function cancelBusy(deps: EndParts, tenant: number, sessionId: string): Promise<void> {
  const session = await findAttempt(deps.db, tenant, sessionId);
  if (session === null) throw new Refusal("not_found");
  if (session.session_status === "EXPIRED") return;
  if (session.session_status === "COMPLETED") throw new Refusal("session_completed");
  if (session.transaction_status !== "awaiting_verification") throw inProgress(session);

  // Null: another worker has claimed the attempt and may have ended the session since.
  const ended =
    (await endVerification(deps, tenant, sessionId, "cancelled")) ??
    (await findAttempt(deps.db, tenant, sessionId));
  if (ended?.session_status === "EXPIRED") return;
  throw ended?.session_status === "COMPLETED"
    ? new Refusal("session_completed")
    : inProgress(ended ?? session);
}
