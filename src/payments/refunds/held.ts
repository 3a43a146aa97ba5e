/** Held refunds: sent when their payment is unlikely to come back or a person releases them, and never after it came back. */
import type { Deps } from "../../deps.ts";
import { CLAIM_MS } from "../../gateways/calling.ts";
import { must } from "../../lib/assert.ts";
import { later, SECOND_MS } from "../../lib/clock.ts";
import { isUuid } from "../../lib/ids.ts";
import type { Job } from "../../lib/job.ts";
import { tenantTurns } from "../../lib/turns.ts";
import { addSubject, continueWork } from "../../lib/trace.ts";
import { hasRun, writeEntry, type Author } from "../../management/audit/audit.ts";
import { Refusal } from "../../refusals.ts";
import { tenantsDue } from "../../tenants/clock/time.ts";
import { attemptAsWork } from "../transaction.ts";
import { findHeldToEnd, releaseHeld, claimHeld, tenantsWithHeld } from "./held-store.ts";
import { sendRefund } from "./refund.ts";
import { heldUntil, refundRecord } from "./refund-record.ts";
import { recordUnsentRefund } from "./record-refund-outcome.ts";
import { findRefund, type RefundRow } from "./store.ts";

type HeldDeps = Pick<Deps, "db" | "time"> & Parameters<typeof sendRefund>[0];

/** A person's decision about a held refund. */
interface Decision {
  readonly tenant: number;
  readonly transactionId: string;
  readonly refundId: string;
  /** Id of the audit entry, so that a repeated decision is recorded once. */
  readonly id: string;
  readonly author: Author;
}

/**
 * Sends a held refund now. A decision that was made before changes nothing: the refund is returned as it is now.
 * @throws Refusal not_found, refund_not_held, transaction_charged_back.
 */
export async function releaseRefund(deps: HeldDeps, decision: Decision): Promise<RefundRow> {
  const { tenant, refundId } = decision;
  const before = await requireRefund(deps, decision);
  if (heldUntil(before) === null) return decidedBefore(deps, decision, before);
  const released = await release(deps, tenant, before.id, decision);
  if (released === null) throw await whyNotReleased(deps, decision);
  await sendRefund(deps, tenant, released);
  return (await findRefund(deps.db, tenant, refundId)) ?? released;
}

/**
 * Ends a held refund without sending it; its amount can be refunded again. A decision that was made before changes
 * nothing.
 * @throws Refusal not_found, refund_not_held.
 */
export async function cancelHeldRefund(
  deps: Parameters<typeof endUnsent>[0],
  decision: Decision,
): Promise<RefundRow> {
  const before = await requireRefund(deps, decision);
  if (heldUntil(before) === null) return decidedBefore(deps, decision, before);
  const why = "The refund was cancelled before it was sent.";
  const ended = await endUnsent(deps, decision.tenant, before.id, why, decision);
  if (ended === null) throw new Refusal("refund_not_held");
  return ended;
}

async function requireRefund(
  deps: Pick<Deps, "db">,
  { tenant, transactionId, refundId }: Decision,
): Promise<RefundRow> {
  const row = isUuid(refundId) ? await findRefund(deps.db, tenant, refundId) : null;
  if (row === null || row.original_id !== transactionId.toLowerCase()) throw new Refusal("not_found");
  return row;
}

/**
 * The refund, if it is no longer held because of this very decision.
 * @throws Refusal refund_not_held.
 */
async function decidedBefore(
  { db }: Pick<Deps, "db">,
  { tenant, refundId, id, author }: Decision,
  row: RefundRow,
): Promise<RefundRow> {
  const operation = { tenant, id, resource: "refunds", resourceId: refundId };
  if (!(await hasRun(db, author, operation))) throw new Refusal("refund_not_held");
  return row;
}

async function whyNotReleased({ db }: Pick<Deps, "db">, { tenant, refundId }: Decision): Promise<Refusal> {
  const row = await findRefund(db, tenant, refundId);
  const isHeld = row !== null && heldUntil(row) !== null;
  return new Refusal(isHeld ? "transaction_charged_back" : "refund_not_held");
}

/** Releases the refund, with an audit entry of the person's decision. */
function release(
  deps: Pick<Deps, "db" | "time">,
  tenant: number,
  id: string,
  decision: Decision | null,
): Promise<RefundRow | null> {
  const taking = takingOf(deps, tenant, id);
  return deps.db.transaction(async (tx) => {
    const row = await releaseHeld(tx, taking);
    if (row !== null && decision !== null) {
      const before = { ...row, released_at: null };
      await writeEntry(tx, decision.author, changeOf(deps, decision, before, row));
    }
    return row;
  });
}

/**
 * Ends the refund, with an audit entry of the person's decision; null when it was released or ended in the meantime.
 */
async function endUnsent(
  deps: Pick<Deps, "announce" | "db" | "environment" | "ids" | "time">,
  tenant: number,
  id: string,
  why: string,
  decision: Decision | null,
): Promise<RefundRow | null> {
  const taking = takingOf(deps, tenant, id);
  const ended = await deps.db.transaction(async (tx) => {
    const taken = await claimHeld(tx, taking);
    if (taken === null) return null;
    await recordUnsentRefund(deps, tx, tenant, taken, why);
    const after = must(await findRefund(tx, tenant, id), "the refund that was just ended");
    if (decision !== null) await writeEntry(tx, decision.author, changeOf(deps, decision, taken, after));
    return after;
  });
  if (ended !== null) deps.announce();
  return ended;
}

function takingOf({ time }: Pick<Deps, "time">, tenant: number, id: string) {
  const now = time.now(tenant);
  return { tenant, id, now, resolveAt: later(now, CLAIM_MS) };
}

function changeOf(
  { time }: Pick<Deps, "time">,
  { tenant, id, refundId }: Decision,
  before: RefundRow,
  after: RefundRow,
) {
  return {
    tenant,
    id,
    at: time.now(tenant),
    action: "update",
    resource: "refunds",
    resourceId: refundId,
    before: refundRecord(before),
    after: refundRecord(after),
  } as const;
}

/** Sends refunds whose period is over, and ends those whose payment has come back. */
export function heldRefundsJob(deps: Deps): Job {
  const turns = tenantTurns(deps.clock);
  return {
    name: "end-held-refunds",
    everyMs: 10 * SECOND_MS,
    batch: 50,
    async runOnce(batch, stop) {
      let ended = 0;
      for (const tenant of turns(await tenantsDue(deps, tenantsWithHeld), stop))
        for (const id of await findHeldToEnd(deps.db, tenant, deps.time.now(tenant), batch))
          if (await endHeld(deps, tenant, id)) ended += 1;
      return ended;
    },
  };
}

async function endHeld(deps: HeldDeps, tenant: number, id: string): Promise<boolean> {
  const released = await release(deps, tenant, id, null);
  if (released === null) {
    const why = "The payment was returned or charged back before the refund was sent.";
    return (await endUnsent(deps, tenant, id, why, null)) !== null;
  }
  return continueWork(attemptAsWork("send held refund", tenant, released), async () => {
    addSubject({ merchant_transaction_id: released.merchant_transaction_id });
    await sendRefund(deps, tenant, released);
    return true;
  });
}
