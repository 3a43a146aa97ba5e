/** Deletes postback bodies after their retention period, and the keys that detect repetitions. */
import type { Deps } from "../deps.ts";
import { DAY_MS, HOUR_MS, later } from "../lib/clock.ts";
import type { Job } from "../lib/job.ts";
import { forgetKeys, forgetPayloads, forgetSkipped, tenantsToForget } from "./forget-store.ts";

const TENANTS_PER_PASS = 50;
/**
 * Longer than the 30 days in which repetitions are detected: a partner whose list could not be read for months must not
 * deliver everything again.
 */
const KEYS_KEPT_MS = 365 * DAY_MS;

export function forgetJob(deps: Deps): Job {
  return {
    name: "forget-postbacks",
    everyMs: HOUR_MS,
    batch: 1_000,
    runOnce: (batch) => forgetOld(deps, batch),
  };
}

/** One pass over every tenant with old postbacks. Returns how much was deleted. */
export async function forgetOld({ db, clock }: Pick<Deps, "clock" | "db">, batch: number): Promise<number> {
  const now = clock.now();
  const keysBefore = later(now, -KEYS_KEPT_MS);
  let forgotten = 0;
  for (const tenant of await tenantsToForget(db, now, keysBefore, TENANTS_PER_PASS)) {
    forgotten += await forgetPayloads(db, tenant, now, batch);
    forgotten += await forgetSkipped(db, tenant, now, batch);
    forgotten += await forgetKeys(db, tenant, keysBefore, batch);
  }
  return forgotten;
}
