/** Limits on payment attempts (docs/decisions/0015): the refusal of a payment over a limit, and when counts expire. */
import type { Deps } from "../deps.ts";
import { HOUR_MS, SECOND_MS } from "../lib/clock.ts";
import type { Job } from "../lib/job.ts";
import { tenantTurns } from "../lib/turns.ts";
import { tenantsDue } from "../tenants/clock/time.ts";
import { TooManyTries, type Refusal } from "../refusals.ts";
import { countInvalid, findReached, forgetCounts, tenantsWithOldCounts } from "./limit-store.ts";
import { guardEvent } from "../webhooks/events.ts";
import { recordEvent } from "../webhooks/record-event-store.ts";
import type { AttemptRow } from "./attempt-store.ts";
import { factsOf } from "./guard-facts.ts";
import type { PayInput } from "./pay.ts";

type Payer = Pick<PayInput, "tenant" | "sessionId" | "clientIp" | "source" | "device">;

type LimitDeps = Pick<Deps, "announce" | "db" | "environment" | "ids" | "log" | "recorded" | "time">;

/**
 * Counts an IBAN that cannot be debited.
 * @throws Refusal throttled when the session has had too many.
 */
export async function countInvalidIban(deps: LimitDeps, payer: Payer): Promise<void> {
  const { tenant, sessionId } = payer;
  if (await countInvalid(deps.db, tenant, sessionId, deps.time.now(tenant))) return;
  throw (await limitReached(deps, payer, null, null)) ?? new TooManyTries(1);
}

/**
 * The refusal of a payment because of a limit: nothing was charged and no attempt used.
 * @param session whose webhook profiles get the event when its customer may try no further account.
 */
export async function limitReached(
  deps: LimitDeps,
  { tenant, sessionId, clientIp, source, device }: Payer,
  ibanFingerprint: Buffer | null,
  session: AttemptRow | null,
): Promise<Refusal | null> {
  const now = deps.time.now(tenant);
  const reached = await deps.db.transaction(async (tx) => {
    const found = await findReached(tx, {
      tenant,
      sessionId,
      now,
      ibanFingerprint,
      clientIp,
      source,
      device,
    });
    if (session !== null && found !== null && !found.is_noted && ACCOUNTS_USED_UP.has(found.cause)) {
      const guard = { kind: "accounts_tried", session_id: sessionId, limit: found.kind } as const;
      const event = guardEvent(deps.ids.uuid(), factsOf(deps, session), guard);
      await recordEvent(tx, tenant, now, { transactionId: null, sessionId }, event);
    }
    return found;
  });
  if (reached === null) return null;
  deps.announce();
  deps.recorded("limited", null);
  deps.log.warn("a payment was refused by a limit", { session_id: sessionId, limit: reached.kind });
  return new TooManyTries(Math.max(1, Math.ceil((reached.free_at.getTime() - now.getTime()) / SECOND_MS)));
}

const ACCOUNTS_USED_UP: ReadonlySet<string> = new Set([
  "limit_reached_lead_accounts",
  "limit_reached_address_accounts",
  "limit_reached_device_accounts",
]);

export function forgetCountsJob(deps: Deps): Job {
  const turns = tenantTurns(deps.clock);
  return {
    name: "forget-payment-counts",
    everyMs: HOUR_MS,
    batch: 1_000,
    async runOnce(batch, stop) {
      let forgotten = 0;
      for (const tenant of turns(await tenantsDue(deps, tenantsWithOldCounts), stop))
        forgotten += await forgetCounts(deps.db, tenant, deps.time.now(tenant), batch);
      return forgotten;
    },
  };
}
