/** Manual operations on a subscription: cancel it, or collect it now. */
import { withFreshReference } from "../db/constraints.ts";
import type { Tx } from "../db/database.ts";
import type { Deps } from "../deps.ts";
import { hasRun, writeEntry, type Author } from "../management/audit/audit.ts";
import { Refusal } from "../refusals.ts";
import { utcDate } from "../lib/dates.ts";
import { isMandateExpired } from "../sepa/windows.ts";
import { hold, type BillingRow } from "./due-store.ts";
import {
  collectAttempt,
  type CollectParts,
  isBlockedUnderAnotherKey,
  mayRepeatFailed,
  openAttempt,
} from "./renew.ts";
import { writeSubscriptionCancel } from "./store.ts";
import { withdrawUnwanted } from "./withdraw.ts";

export interface SubscriptionCommand {
  readonly tenant: number;
  readonly id: string;
  /** Drawn once per operation: the audit entry's id, and for a collection the id of the attempt that it opens. */
  readonly operationId: string;
  readonly author: Author;
}

/** Their resource name in the audit log. */
export const SUBSCRIPTION_RESOURCE = "subscriptions";
/** More than one subscription has in progress; the job does the rest. */
const WITHDRAWN_AT_ONCE_MAX = 50;
const MANDATE_INVALID = "The mandate of this subscription is no longer valid.";
const REASON_DEFAULT = "cancelled by the merchant";

/**
 * Ends a subscription: at once, withdrawing what waits at a gateway, or when its next cycle would be due. A
 * subscription that has ended stays unchanged.
 * @param writeToo written in the same transaction.
 * @throws Refusal not_found.
 */
export async function cancelSubscription(
  deps: Pick<
    Deps,
    "adapters" | "announce" | "clock" | "db" | "environment" | "ids" | "keys" | "log" | "time"
  >,
  { tenant, id, operationId, author }: SubscriptionCommand,
  { reason, atPeriodEnd }: { readonly reason: string | null; readonly atPeriodEnd: boolean },
  writeToo: (tx: Tx) => Promise<void> = async () => {},
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const now = deps.time.now(tenant);
    const row = await hold(tx, tenant, id, utcDate(now));
    if (row === null) throw new Refusal("not_found");
    if (atPeriodEnd && row.cancel_at_period_end) return;
    const why = reason ?? REASON_DEFAULT;
    const status = await writeSubscriptionCancel(tx, tenant, id, now, {
      atPeriodEnd,
      reason: why,
      mandate: null,
    });
    if (status === null) return;
    const change = { action: "update", resource: SUBSCRIPTION_RESOURCE, resourceId: id } as const;
    const before = { status: row.status, cancel_at_period_end: row.cancel_at_period_end };
    const after = { status, cancel_at_period_end: atPeriodEnd, cancel_reason: why };
    await writeEntry(tx, author, { ...change, tenant, id: operationId, at: deps.clock.now(), before, after });
    await writeToo(tx);
  });
  await withdrawUnwanted(deps, tenant, id, WITHDRAWN_AT_ONCE_MAX);
}

/**
 * Collects now: a cycle that waits for its retry or, for a subscription without a schedule, the next one. An operation
 * that has already opened its attempt opens no other: that run or recovery completes it.
 * @throws Refusal not_found, not_collectable.
 */
export async function collectSubscription(
  deps: CollectParts & Pick<Deps, "clock" | "ids" | "time">,
  { tenant, id, operationId, author }: SubscriptionCommand,
): Promise<void> {
  const transactionId = await withFreshReference(["transactions_one_per_merchant_transaction_id"], () =>
    deps.db.transaction(async (tx) => {
      const now = deps.time.now(tenant);
      const today = utcDate(now);
      const row = await hold(tx, tenant, id, today);
      if (row === null) throw new Refusal("not_found");
      const operation = { tenant, id: operationId, resource: SUBSCRIPTION_RESOURCE, resourceId: id };
      if (await hasRun(tx, author, operation)) return null;
      refuseUnlessCollectable(row, today);
      if (await isBlockedUnderAnotherKey(deps, tx, tenant, row)) throw refused(MANDATE_INVALID);
      const change = {
        action: "update",
        resource: SUBSCRIPTION_RESOURCE,
        resourceId: id,
        before: null,
      } as const;
      await openAttempt(deps, tx, { tenant, row, now, today, transactionId: operationId });
      const after = { collected: operationId };
      await writeEntry(tx, author, { ...change, tenant, id: operationId, at: deps.clock.now(), after });
      return operationId;
    }),
  );
  if (transactionId !== null) await collectAttempt(deps, tenant, transactionId);
}

function refuseUnlessCollectable(row: BillingRow, today: string): void {
  if (row.status === "CANCELLED") throw refused("This subscription is cancelled.");
  if (row.is_stopped) throw refused("The campaign of this subscription has stopped collecting.");
  if (row.mandate_status !== "active" || isMandateExpired(row.mandate_last_used_at, today)) {
    throw refused(MANDATE_INVALID);
  }
  const isAgain = row.retry_cycle !== null || mayRepeatFailed(row, today);
  const isNoticed = isAgain ? row.is_retry_noticed : row.is_noticed;
  if (!isNoticed) throw refused("The customer was not notified of this collection in time.");
  if (row.retry_cycle !== null) return;
  if (row.under_way) throw refused("A collection of this subscription is in progress.");
  const scheduled = row.billing_frequency !== null || row.next_billing_date !== null;
  if (scheduled && !mayRepeatFailed(row, today)) {
    throw refused(`This subscription is collected automatically on ${row.next_billing_date}.`);
  }
}

function refused(detail: string): Refusal {
  return new Refusal("not_collectable", { detail });
}
