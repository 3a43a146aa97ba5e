/** Adds up the payments of days that are over, so that a year of them is read in a moment. */
import type { Deps } from "../../deps.ts";
import { MINUTE_MS } from "../../lib/clock.ts";
import { utcDate } from "../../lib/dates.ts";
import type { Job } from "../../lib/job.ts";
import { countDueDays, noteFigureDays, tenantsToCount } from "./store.ts";

/** Days of a tenant in one pass: ten of a big merchant are a million payments at most. */
const DAYS_PER_PASS = 10;

/** @param only whose payments alone are added up; null for all tenants. */
export function countFiguresJob({ db, clock }: Pick<Deps, "db" | "clock">, only: number | null): Job {
  return {
    name: "count-figures",
    everyMs: 30 * MINUTE_MS,
    batch: DAYS_PER_PASS,
    async runOnce(limit) {
      const now = clock.now();
      let counted = 0;
      for (const tenant of only === null ? await tenantsToCount(db) : [only]) {
        await noteFigureDays(db, tenant, now, utcDate(now));
        counted += await countDueDays(db, tenant, now, limit);
      }
      return counted;
    },
  };
}
