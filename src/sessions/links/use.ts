/**
 * Takes a use of a payment link for an attempt: however many customers pay at once, no more than the link allows
 * succeed.
 */
import type { Deps } from "../../deps.ts";
import { Refusal } from "../../refusals.ts";
import { countTaken, releaseIdleUses, reserveUse, lockLink } from "./store.ts";

/**
 * Whether the session now has a use of its link and can be claimed again; false when it did not lack one.
 * @throws Refusal payment_link_closed, payment_link_in_use.
 */
export async function reserveUseAgain(
  deps: Pick<Deps, "db" | "time">,
  tenant: number,
  sessionId: string,
): Promise<boolean> {
  return deps.db.transaction(async (tx) => {
    const link = await lockLink(tx, tenant, sessionId, deps.time.now(tenant));
    if (link === null) return false;
    if (!link.is_open) throw new Refusal("payment_link_closed");
    if (link.uses_max === null) return false;
    if (!(await reserveUse(tx, tenant, sessionId))) return false;
    const { taken: takenOrHeld } = await countTaken(tx, tenant, link.link_id, sessionId);
    if (takenOrHeld < link.uses_max) return true;
    // Only when uses are short: otherwise another session would lose its use although there are enough for both.
    await releaseIdleUses(tx, tenant, link.link_id, sessionId);
    const { taken, completed } = await countTaken(tx, tenant, link.link_id, sessionId);
    if (completed >= link.uses_max) throw new Refusal("payment_link_closed");
    if (taken >= link.uses_max) throw new Refusal("payment_link_in_use", { retryAfter: 3 });
    return true;
  });
}
