/** The renewal job: collects what subscriptions owe today, each cycle once, even when several instances run it. */
import { CLAIM_MS, finalOutcomeUnattended } from "../gateways/calling.ts";
import type { Tx } from "../db/database.ts";
import type { Deps } from "../deps.ts";
import { later, MINUTE_MS, SECOND_MS } from "../lib/clock.ts";
import { must } from "../lib/assert.ts";
import type { Job } from "../lib/job.ts";
import { tenantTurns } from "../lib/turns.ts";
import { addSubject, continueWork } from "../lib/trace.ts";
import { tenantsDue } from "../tenants/clock/time.ts";
import { recoveryJob } from "../payments/attempt/recover.ts";
import { merchantTransactionId } from "../payments/transaction.ts";
import { fingerprintsOf } from "../mandates/account.ts";
import { isAccountBlocked } from "../mandates/blocked-store.ts";
import { planOf } from "./cycle.ts";
import { isMandateExpired } from "../sepa/windows.ts";
import { utcDate, type IsoDate } from "../lib/dates.ts";
import { isTargetDay } from "../sepa/target.ts";
import { closedDaysUntil, lastDueDate } from "./schedule.ts";
import { collectRenewal } from "./collect.ts";
import { followRenewal, recordRenewalOutcome } from "./record-renewal-outcome.ts";
import {
  endRetry,
  FIRST_CLAIM,
  findDue,
  lockIfFree,
  claimCycle,
  tenantsWithDueCycles,
  type BillingRow,
  type CycleClaim,
} from "./due-store.ts";
import {
  CLAIM_DUE_RENEWALS,
  endRetries,
  findFollowed,
  findRenewal,
  tenantsWithFollowed,
} from "./renewal-store.ts";
import { writeSubscriptionCancel } from "./store.ts";
import { withdrawUnwanted } from "./withdraw.ts";

/** The dependencies of collecting an open attempt. */
export type CollectParts = Pick<Deps, "db" | "reached"> &
  Parameters<typeof collectRenewal>[0] &
  Parameters<typeof recordRenewalOutcome>[0];
type RenewParts = CollectParts & Pick<Deps, "clock" | "ids" | "log" | "time">;

export function billingJobs(deps: Deps): readonly Job[] {
  const [toRenew, toFollow] = [tenantTurns(deps.clock), tenantTurns(deps.clock)];
  return [
    {
      name: "renew-subscriptions",
      everyMs: MINUTE_MS,
      batch: 50,
      runOnce: (batch, stop) => renewDue(deps, batch, toRenew, stop),
    },
    recoverRenewalsJob(deps),
    {
      name: "follow-renewals",
      everyMs: 10 * SECOND_MS,
      batch: 200,
      runOnce: (batch, stop) => followRenewals(deps, batch, toFollow, stop),
    },
  ];
}

/** One pass over every tenant with something due. Returns how many cycles were begun or ended. */
export async function renewDue(
  deps: RenewParts,
  batch: number,
  turns = tenantTurns(deps.clock),
  stop?: AbortSignal,
): Promise<number> {
  let done = 0;
  for (const tenant of turns(await tenantsDue(deps, tenantsWithDueCycles), stop)) {
    const now = deps.time.now(tenant);
    const today = utcDate(now);
    // The collection day moves to a TARGET day; the anchor does not.
    if (!isTargetDay(today)) continue;
    const days = { today, closedUntil: closedDaysUntil(today) };
    const ids = await findDue(deps.db, tenant, now, days, batch);
    const renewed = await Promise.all(ids.map((id) => renewAlone(deps, tenant, id, now, today)));
    done += renewed.filter(Boolean).length;
  }
  return done;
}

/** A subscription that fails does not delay others; recovery asks about an attempt that was opened. */
async function renewAlone(
  deps: RenewParts,
  tenant: number,
  id: string,
  now: Date,
  today: IsoDate,
): Promise<boolean> {
  const start = { name: "renewal", parent: null, subject: { tenant } };
  return continueWork(start, async () => {
    try {
      return await renew(deps, tenant, id, now, today);
    } catch (error) {
      deps.log.error("a subscription could not be renewed", error, { subscription_id: id });
      return false;
    }
  });
}

/** Returns false when nothing is due any more, or another worker has locked it. */
async function renew(
  deps: RenewParts,
  tenant: number,
  id: string,
  now: Date,
  today: IsoDate,
): Promise<boolean> {
  deps.reached("renewal.before_claim");
  const taken = await deps.db.transaction(async (tx) => {
    const row = await lockIfFree(tx, tenant, id, now);
    if (row === null || !isDue(row, today)) return { kind: "not_due" } as const;
    const reason =
      whyEnded(row, today) ??
      ((await isBlockedUnderAnotherKey(deps, tx, tenant, row)) ? "mandate_inactive" : null);
    if (reason === null) {
      if (row.retry_cycle !== null && !row.is_retry_noticed) {
        await endRetry(tx, tenant, id, row.retry_cycle, now);
        deps.log.warn("a billing cycle is not tried again: its customer was not notified in time", {
          subscription_id: id,
          cycle: row.retry_cycle,
        });
        return { kind: "ended" } as const;
      }
      if (row.retry_cycle === null && !row.is_noticed) return { kind: "not_due" } as const;
      const transactionId = deps.ids.uuid();
      await openAttempt(deps, tx, { tenant, row, now, today, transactionId });
      return { kind: "opened", transactionId } as const;
    }
    const mandate = reason === "mandate_expired" ? "expired" : null;
    await writeSubscriptionCancel(tx, tenant, id, now, { atPeriodEnd: false, reason, mandate });
    return { kind: "ended" } as const;
  });
  if (taken.kind === "opened") await collectAttempt(deps, tenant, taken.transactionId);
  return taken.kind !== "not_due";
}

/**
 * Whether something is due. A cycle to be retried comes before the next one; a subscription's last period ends after
 * all earlier cycles have ended.
 */
function isDue(row: BillingRow, today: IsoDate): boolean {
  if (row.status === "CANCELLED" || row.is_stopped) return false;
  if (row.retry_cycle !== null) return true;
  const begins = row.next_billing_date !== null && row.next_billing_date <= lastDueDate(row, today);
  return begins && !(row.cancel_at_period_end && row.has_open);
}

/** Collects an attempt that was opened and committed, and records its outcome. */
export async function collectAttempt(
  deps: CollectParts,
  tenant: number,
  transactionId: string,
): Promise<void> {
  deps.reached("renewal.claimed");
  const found = await findRenewal(deps.db, tenant, transactionId);
  // This process was paused: another one has ended the attempt, and its cycle has a newer one.
  if (found === null) return;
  // If the attempt was taken over since, this answer belongs to an older claim.
  const row = { ...found, lease_no: FIRST_CLAIM };
  addSubject({ merchant_transaction_id: row.merchant_transaction_id });
  const outcome = await collectRenewal(deps, tenant, row);
  deps.reached("renewal.collected");
  await recordRenewalOutcome(deps, tenant, row, outcome);
  deps.reached("renewal.recorded");
}

/** Why a due subscription is ended instead of collected. */
function whyEnded(row: BillingRow, today: IsoDate): string | null {
  if (row.cancel_at_period_end && !row.has_open) return "period_end";
  if (isMandateExpired(row.mandate_last_used_at, today)) return "mandate_expired";
  return row.mandate_status === "active" ? null : "mandate_inactive";
}

/**
 * Whether the account is blocked by a mandate that has another fingerprint of it. During a key rotation there is one for
 * each master key, and the statements compare equal ones.
 */
export async function isBlockedUnderAnotherKey(
  deps: Pick<Deps, "keys">,
  tx: Tx,
  tenant: number,
  row: Pick<BillingRow, "mandate_id" | "iban_sealed" | "iban_fingerprint">,
): Promise<boolean> {
  if (!deps.keys.isRotating) return false;
  return isAccountBlocked(tx, tenant, fingerprintsOf(deps, { ...row, tenant, id: row.mandate_id }));
}

interface Opening {
  readonly tenant: number;
  /** Locked. */
  readonly row: BillingRow;
  readonly now: Date;
  readonly today: IsoDate;
  readonly transactionId: string;
}

/** Begins the cycle to be collected and inserts the attempt's transaction as `submitted`. */
export async function openAttempt(
  deps: Pick<Deps, "ids" | "log">,
  tx: Tx,
  { tenant, row, now, today, transactionId }: Opening,
): Promise<void> {
  const taken = cycleOf(row, today);
  await claimCycle(tx, tenant, now, {
    ...taken,
    subscriptionId: row.id,
    transactionId,
    merchantTransactionId: merchantTransactionId(deps.ids, now),
    resolveAt: later(now, CLAIM_MS),
  });
  for (const { cycle, dueDate } of taken.skipped) {
    deps.log.warn("a billing cycle was missed and is not collected", {
      subscription_id: row.id,
      cycle,
      due: dueDate,
    });
  }
}

/**
 * The cycle to collect: one that waits for its retry; otherwise, if the merchant wants it again, the failed one;
 * otherwise the next.
 */
function cycleOf(
  row: BillingRow,
  today: IsoDate,
): Pick<CycleClaim, "cycle" | "dueDate" | "skipped" | "nextBillingDate" | "isNew"> {
  const again = row.retry_cycle ?? (mayRepeatFailed(row, today) ? row.last_cycle : null);
  if (again !== null) {
    const dueDate = must(row.retry_due_date ?? row.last_due_date, "the due date of a cycle");
    return { cycle: again, dueDate, skipped: [], nextBillingDate: null, isNew: false };
  }
  const { collect, skipped, nextBillingDate } = planOf(
    {
      anchor: row.billing_anchor_date,
      anchorCycle: row.billing_anchor_cycle,
      frequency: row.billing_frequency,
      billingDay: row.billing_day,
      hasTrial: row.trial_end_date !== null,
      lastCycle: row.last_cycle,
    },
    lastDueDate(row, today),
  );
  return { ...collect, skipped, nextBillingDate, isNew: true };
}

/** Whether the newest cycle of a schedule has failed for good, and the next one is not due yet. */
export function mayRepeatFailed(row: BillingRow, today: IsoDate): boolean {
  return row.last_status === "failed" && row.next_billing_date !== null && row.next_billing_date > today;
}

/** Asks the gateway about attempts without a recorded outcome. */
export function recoverRenewalsJob(deps: Deps): Job {
  return recoveryJob(deps, {
    job: "recover-renewals",
    what: "renewal",
    claimDue: CLAIM_DUE_RENEWALS,
    end: async (tenant, row) =>
      recordRenewalOutcome(deps, tenant, row, await finalOutcomeUnattended(deps, tenant, row)),
  });
}

/** Applies news of accepted renewals to their subscriptions, and withdraws what ended subscriptions left. */
export async function followRenewals(
  deps: Pick<
    Deps,
    "adapters" | "announce" | "clock" | "db" | "environment" | "ids" | "keys" | "log" | "time"
  >,
  batch: number,
  turns = tenantTurns(deps.clock),
  stop?: AbortSignal,
): Promise<number> {
  let done = 0;
  for (const tenant of turns(await tenantsDue(deps, tenantsWithFollowed), stop)) {
    for (const row of await findFollowed(deps.db, tenant, batch)) {
      if (await followRenewal(deps, tenant, row.id)) done += 1;
    }
    done += await endRetries(deps.db, tenant, deps.time.now(tenant));
    done += await withdrawUnwanted(deps, tenant, null, batch);
  }
  return done;
}
