/** What a merchant does to a subscription by hand: end it, collect now what it owes. */
import type { Deps } from "../deps.ts";
import { writeEntry, type Author } from "../merchants/audit/audit.ts";
import { Refusal } from "../refusals.ts";
import { utcDate } from "../lib/dates.ts";
import { isMandateExpired } from "../subscriptions/cycle.ts";
import { collectAttempt, openAttempt } from "./renew.ts";
import { lockSubscription, writeCancel, type BillingRow } from "./store.ts";

export interface SubscriptionCommand {
  readonly tenant: number;
  readonly id: string;
  readonly operationId: string;
  readonly author: Author;
}

const RESOURCE = "subscriptions";
const REASON_DEFAULT = "cancelled by the merchant";

/** Ends a subscription, now or when its next cycle would be due; ended already, it stays as it is. @throws Refusal not_found. */
export async function cancelSubscription(
  deps: Deps,
  { tenant, id, operationId, author }: SubscriptionCommand,
  { reason, atPeriodEnd }: { readonly reason: string | null; readonly atPeriodEnd: boolean },
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const row = await lockSubscription(tx, tenant, id);
    if (row === null) throw new Refusal("not_found");
    const now = deps.time.now(tenant);
    const why = reason ?? REASON_DEFAULT;
    if (!(await writeCancel(tx, tenant, id, now, { atPeriodEnd, reason: why, mandate: null }))) return;
    const change = { action: "update", resource: RESOURCE, resourceId: id } as const;
    const before = { status: row.status, cancel_at_period_end: row.cancel_at_period_end };
    const after = {
      status: atPeriodEnd ? row.status : "CANCELLED",
      cancel_at_period_end: atPeriodEnd,
      cancel_reason: why,
    };
    await writeEntry(tx, author, { ...change, tenant, id: operationId, at: deps.clock.now(), before, after });
  });
}

/**
 * Collects now: a cycle that waits for its next try, or for a subscription without a schedule the next one.
 * @throws Refusal not_found, not_collectable.
 */
export async function collectSubscription(
  deps: Deps,
  { tenant, id, operationId, author }: SubscriptionCommand,
): Promise<void> {
  const transactionId = await deps.db.transaction(async (tx) => {
    const row = await lockSubscription(tx, tenant, id);
    if (row === null) throw new Refusal("not_found");
    const now = deps.time.now(tenant);
    const today = utcDate(now);
    refuseUnlessCollectable(row, today);
    const change = { action: "update", resource: RESOURCE, resourceId: id, before: null } as const;
    const opened = await openAttempt(deps, tx, tenant, row, now, today);
    const after = { collected: opened };
    await writeEntry(tx, author, { ...change, tenant, id: operationId, at: deps.clock.now(), after });
    return opened;
  });
  await collectAttempt(deps, tenant, transactionId);
}

function refuseUnlessCollectable(row: BillingRow, today: string): void {
  if (row.status === "CANCELLED") throw refused("This subscription is cancelled.");
  if (row.open_status === "collecting" || row.open_status === "pending") {
    throw refused("A collection of this subscription is under way.");
  }
  if (row.mandate_status !== "active" || isMandateExpired(row.mandate_last_used_at, today)) {
    throw refused("The mandate of this subscription is no longer valid.");
  }
  const scheduled = row.billing_frequency !== null || row.next_billing_date !== null;
  if (row.open_status === null && scheduled) {
    throw refused(`This subscription is collected by itself on ${row.next_billing_date}.`);
  }
}

function refused(detail: string): Refusal {
  return new Refusal("not_collectable", { detail });
}
