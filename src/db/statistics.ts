/** Analyzes tables that grow fast, so that PostgreSQL does not plan statements for the empty table of a minute ago. */
import { SECOND_MS } from "../lib/clock.ts";
import type { Job } from "../lib/job.ts";
import { sql, type Database } from "./database.ts";

const REFRESH = sql(
  "db.refresh_statistics",
  "-- every tenant: tables as a whole\n select refresh_statistics() as refreshed",
).gives<{ refreshed: number }>();

/** Analyzes the tables with more than four times the rows of the last time: a dozen times in the life of each. */
export function statisticsJob(db: Database): Job {
  return {
    name: "refresh-statistics",
    everyMs: 2 * SECOND_MS,
    batch: Infinity,
    async runOnce() {
      const [row] = await db.commit(REFRESH, {});
      return row?.refreshed ?? 0;
    },
  };
}
