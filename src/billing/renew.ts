/** The renewal job: collects what subscriptions owe today, each cycle once, whoever else is at it. */
import { CLAIM_MS } from "../gateways/asking-again.ts";
import type { Deps } from "../deps.ts";
import { later, MINUTE_MS, SECOND_MS } from "../lib/clock.ts";
import { must } from "../lib/assert.ts";
import type { Job } from "../lib/job.ts";
import { tenantsDue } from "../merchants/clock/time.ts";
import { merchantTransactionId } from "../payments/references.ts";
import { isMandateExpired, planOf } from "../subscriptions/cycle.ts";
import { utcDate, type IsoDate } from "../lib/dates.ts";
import { isTargetDay } from "../banking/target.ts";
import { collectRebill, resolveRebill } from "./collect.ts";
import { followRebill, settleRebill } from "./settle.ts";
import {
  claimUnsettled,
  endRetries,
  findDue,
  findFollowed,
  findRebill,
  lockDue,
  takeUp,
  tenantsWithDueCycles,
  tenantsWithFollowed,
  tenantsWithUnsettled,
  writeCancel,
  type BillingRow,
} from "./store.ts";

export function billingJobs(deps: Deps): readonly Job[] {
  return [
    { name: "renew-subscriptions", everyMs: MINUTE_MS, batch: 50, runOnce: (batch) => renewDue(deps, batch) },
    {
      name: "recover-rebills",
      everyMs: 2 * SECOND_MS,
      batch: 50,
      runOnce: (batch) => recoverRebills(deps, batch),
    },
    {
      name: "follow-rebills",
      everyMs: 10 * SECOND_MS,
      batch: 200,
      runOnce: (batch) => followRebills(deps, batch),
    },
  ];
}

/** One pass over every tenant with something due. Returns how many cycles were taken up or ended. */
export async function renewDue(deps: Deps, batch: number): Promise<number> {
  let done = 0;
  for (const tenant of await tenantsDue(deps, tenantsWithDueCycles)) {
    const now = deps.time.now(tenant);
    const today = utcDate(now);
    // The collection day moves to the next day on which banks settle; the anchor does not.
    if (!isTargetDay(today)) continue;
    const ids = await findDue(deps.db, tenant, now, today, batch);
    const renewed = await Promise.all(ids.map((id) => renewAlone(deps, tenant, id, now, today)));
    done += renewed.filter(Boolean).length;
  }
  return done;
}

/** One subscription that cannot be renewed holds up no other; recovery asks about an attempt that was opened. */
async function renewAlone(
  deps: Deps,
  tenant: number,
  id: string,
  now: Date,
  today: IsoDate,
): Promise<boolean> {
  try {
    return await renew(deps, tenant, id, now, today);
  } catch (error) {
    deps.log.error("a subscription could not be renewed", error, { subscription_id: id });
    return false;
  }
}

/** False when somebody else has it in hand. */
async function renew(deps: Deps, tenant: number, id: string, now: Date, today: IsoDate): Promise<boolean> {
  deps.reached("rebill.before_claim");
  const taken = await deps.db.transaction(async (tx) => {
    const row = await lockDue(tx, tenant, now, today, id);
    if (row === null) return null;
    const reason = whyEnded(row, today);
    if (reason === null) return openAttempt(deps, tx, tenant, row, now, today);
    const mandate = reason === "mandate_expired" ? "expired" : null;
    await writeCancel(tx, tenant, id, now, { atPeriodEnd: false, reason, mandate });
    return "ended";
  });
  if (taken === null || taken === "ended") return taken === "ended";
  await collectAttempt(deps, tenant, taken);
  return true;
}

/** Collects and settles an attempt that was opened and committed. */
export async function collectAttempt(deps: Deps, tenant: number, transactionId: string): Promise<void> {
  deps.reached("rebill.claimed");
  const row = must(await findRebill(deps.db, tenant, transactionId), "the attempt that was opened");
  const outcome = await collectRebill(deps, tenant, row);
  deps.reached("rebill.collected");
  await settleRebill(deps, tenant, row, outcome);
  deps.reached("rebill.settled");
}

/** Why a subscription that is due is ended instead of collected. */
function whyEnded(row: BillingRow, today: IsoDate): string | null {
  if (row.cancel_at_period_end && row.open_cycle === null) return "period_end";
  if (isMandateExpired(row.mandate_last_used_at, today)) return "mandate_expired";
  return row.mandate_status === "active" ? null : "mandate_inactive";
}

/** @returns the transaction's id. */
export async function openAttempt(
  deps: Deps,
  tx: Parameters<typeof takeUp>[0],
  tenant: number,
  row: BillingRow,
  now: Date,
  today: IsoDate,
): Promise<string> {
  const plan =
    row.open_cycle === null
      ? planOf(
          {
            anchor: row.billing_anchor_date,
            frequency: row.billing_frequency,
            hasTrial: row.has_trial,
            lastCycle: row.last_cycle,
          },
          today,
        )
      : null;
  const transactionId = deps.ids.uuid();
  await takeUp(tx, tenant, now, {
    subscriptionId: row.id,
    cycle: plan?.collect.cycle ?? must(row.open_cycle, "an open cycle"),
    dueDate: plan?.collect.dueDate ?? must(row.open_due_date, "an open cycle"),
    skipped: plan?.skipped ?? [],
    nextBillingDate: plan?.nextBillingDate ?? null,
    isNew: plan !== null,
    transactionId,
    merchantTransactionId: merchantTransactionId(deps.ids, now),
    resolveAt: later(now, CLAIM_MS),
  });
  for (const { cycle, dueDate } of plan?.skipped ?? []) {
    deps.log.warn("a billing cycle was missed and is not collected", {
      subscription_id: row.id,
      cycle,
      due: dueDate,
    });
  }
  return transactionId;
}

/** Asks the gateway about attempts whose end nobody has written down. */
export async function recoverRebills(deps: Deps, batch: number): Promise<number> {
  let asked = 0;
  for (const tenant of await tenantsDue(deps, tenantsWithUnsettled)) {
    const now = deps.time.now(tenant);
    const rows = await claimUnsettled(deps.db, tenant, now, later(now, CLAIM_MS), batch);
    await Promise.all(
      rows.map(async (row) => settleRebill(deps, tenant, row, await resolveRebill(deps, tenant, row))),
    );
    asked += rows.length;
  }
  return asked;
}

/** What gateways have told since about accepted rebills: their subscriptions follow. */
export async function followRebills(deps: Deps, batch: number): Promise<number> {
  let done = 0;
  for (const tenant of await tenantsDue(deps, tenantsWithFollowed)) {
    for (const row of await findFollowed(deps.db, tenant, batch)) {
      if (await followRebill(deps, tenant, row)) done += 1;
    }
    done += await endRetries(deps.db, tenant, deps.time.now(tenant));
  }
  return done;
}
