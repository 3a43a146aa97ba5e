/** A customer who pays the same amount again within a day is asked first (docs/guards.md). */
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusals.ts";
import { guardEvent } from "../webhooks/events.ts";
import { recordEvent } from "../webhooks/record-event-store.ts";
import type { AttemptRow } from "./attempt-store.ts";
import { findDuplicate } from "./duplicate-store.ts";
import { factsOf } from "./guard-facts.ts";

/** The refusal of a payment that looks like a repetition: nothing was charged and no attempt used. */
export async function duplicateRefusal(
  deps: Pick<Deps, "announce" | "db" | "environment" | "ids" | "time">,
  tenant: number,
  session: AttemptRow,
  ibanFingerprints: readonly Buffer[],
): Promise<Refusal | null> {
  const now = deps.time.now(tenant);
  const sessionId = session.session_id;
  const found = await deps.db.transaction(async (tx) => {
    const duplicate = await findDuplicate(tx, tenant, sessionId, ibanFingerprints, now);
    if (duplicate !== null && !duplicate.is_noted) {
      const guard = {
        kind: "duplicate_payment",
        session_id: sessionId,
        merchant_transaction_id: duplicate.merchant_transaction_id,
      } as const;
      const event = guardEvent(deps.ids.uuid(), factsOf(deps, session), guard);
      await recordEvent(tx, tenant, now, { transactionId: null, sessionId }, event);
    }
    return duplicate;
  });
  if (found === null) return null;
  deps.announce();
  return new Refusal("duplicate_payment", {
    more: { merchant_transaction_id: found.merchant_transaction_id },
  });
}
