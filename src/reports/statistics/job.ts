/** Sums payments by day, and expected collections, so that a year of them can be read at once. */
import type { Deps } from "../../deps.ts";
import { MINUTE_MS } from "../../lib/clock.ts";
import { utcDate } from "../../lib/dates.ts";
import type { Job } from "../../lib/job.ts";
import { countExpected } from "./expected.ts";
import { countDueDay, noteFigureDays, tenantsToCount } from "./store.ts";

/** Days in one pass. */
const DAYS_PER_PASS = 100;
/** How often the current day of a big merchant is summed. */
const EVERY_MS = 10 * MINUTE_MS;

/**
 * The job.
 * @param only limits it to this tenant; null for all tenants.
 */
export function countFiguresJob({ db, clock }: Pick<Deps, "db" | "clock">, only: number | null): Job {
  return {
    name: "count-figures",
    everyMs: EVERY_MS,
    batch: DAYS_PER_PASS,
    async runOnce(limit, stop) {
      const now = clock.now();
      let counted = 0;
      // A hundred large days take minutes, for which a service that stops would wait.
      const goesOn = () => counted < limit && stop?.aborted !== true;
      for (const tenant of only === null ? await tenantsToCount(db) : [only]) {
        await noteFigureDays(db, tenant, now, utcDate(now));
        await countExpected(db, tenant, now);
        while (goesOn() && (await countDueDay(db, tenant, now))) counted += 1;
      }
      return counted;
    },
  };
}
