/** Lets a customer repeat a failed payment of a subscription. */
import type { Deps } from "../../deps.ts";
import { withFreshReference } from "../../db/constraints.ts";
import { utcDate } from "../../lib/dates.ts";
import { writeEntry, type Author } from "../../management/audit/audit.ts";
import { hold } from "../due-store.ts";
import { collectAttempt, type CollectParts, isBlockedUnderAnotherKey, openAttempt } from "../renew.ts";
import { findFailed } from "./store.ts";

interface FailedPaymentRetry {
  readonly tenant: number;
  /** Of the failed attempt. */
  readonly id: string;
  /** Drawn once per operation: the id of the attempt that it opens. */
  readonly operationId: string;
  readonly author: Author;
}

/**
 * Opens the next attempt at a cycle whose newest attempt has failed, under the subscription's lock like any other.
 * Returns false when there is nothing to repeat any more, for example when it was retried in the meantime.
 */
export async function retryFailedPayment(
  deps: CollectParts & Pick<Deps, "clock" | "ids" | "time">,
  { tenant, id, operationId, author }: FailedPaymentRetry,
): Promise<boolean> {
  const found = await findFailed(deps.db, tenant, id, utcDate(deps.time.now(tenant)));
  if (found === null || !found.may_be_put_right) return false;
  const isOpened = await withFreshReference(["transactions_one_per_merchant_transaction_id"], () =>
    deps.db.transaction(async (tx) => {
      const now = deps.time.now(tenant);
      const today = utcDate(now);
      const held = await hold(tx, tenant, found.subscription_id, today);
      const failed = await findFailed(tx, tenant, id, today);
      if (held === null || failed === null || !failed.may_be_put_right) return false;
      if (await isBlockedUnderAnotherKey(deps, tx, tenant, held)) return false;
      const row = { ...held, retry_cycle: failed.cycle, retry_due_date: failed.due_date };
      await openAttempt(deps, tx, { tenant, row, now, today, transactionId: operationId });
      const change = {
        action: "update",
        resource: "subscriptions",
        resourceId: row.id,
        before: null,
      } as const;
      const after = { collected: operationId };
      await writeEntry(tx, author, { ...change, tenant, id: operationId, at: deps.clock.now(), after });
      return true;
    }),
  );
  if (isOpened) await collectAttempt(deps, tenant, operationId);
  return isOpened;
}
