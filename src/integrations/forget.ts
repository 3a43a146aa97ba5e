/** Deletes postback bodies after their retention period, and the keys that detect repetitions. */
import type { Deps } from "../deps.ts";
import { DAY_MS, HOUR_MS, later } from "../lib/clock.ts";
import type { Job } from "../lib/job.ts";
import { TENANTS_MAX, tenantTurns } from "../lib/turns.ts";
import { forgetKeys, forgetPayloads, forgetSkipped, tenantsToForget } from "./forget-store.ts";

/**
 * Longer than the 30 days in which repetitions are detected: a partner whose list could not be read for months must not
 * deliver everything again.
 */
const KEYS_KEPT_MS = 365 * DAY_MS;

export function forgetJob(deps: Deps): Job {
  const turns = tenantTurns(deps.clock);
  return {
    name: "forget-postbacks",
    everyMs: HOUR_MS,
    batch: 1_000,
    runOnce: (batch, stop) => forgetOld(deps, batch, turns, stop),
  };
}

/** One pass over every tenant with old postbacks. Returns how much was deleted. */
export async function forgetOld(
  { db, clock }: Pick<Deps, "clock" | "db">,
  batch: number,
  turns = tenantTurns(clock),
  stop?: AbortSignal,
): Promise<number> {
  const now = clock.now();
  const keysBefore = later(now, -KEYS_KEPT_MS);
  let forgotten = 0;
  for (const tenant of turns(await tenantsToForget(db, now, keysBefore, TENANTS_MAX), stop)) {
    forgotten += await forgetPayloads(db, tenant, now, batch);
    forgotten += await forgetSkipped(db, tenant, now, batch);
    forgotten += await forgetKeys(db, tenant, keysBefore, batch);
  }
  return forgotten;
}
