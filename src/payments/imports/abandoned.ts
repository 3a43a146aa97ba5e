/** Ends imports whose process died, so that their report shows that the rest is missing. */
import type { Deps } from "../../deps.ts";
import { UPLOAD_INTERRUPTED } from "../../files/import-rows.ts";
import { later, MINUTE_MS } from "../../lib/clock.ts";
import type { Job } from "../../lib/job.ts";
import { endAbandoned, tenantsWithAbandoned } from "./store.ts";

/** Longer than the slowest permitted upload needs for a batch, including writing it. */
const SILENT_MS_MAX = 60 * MINUTE_MS;
const TENANTS_PER_PASS = 50;

export function abandonedImportsJob(deps: Pick<Deps, "clock" | "db">): Job {
  return {
    name: "end-abandoned-imports",
    everyMs: 5 * MINUTE_MS,
    batch: TENANTS_PER_PASS,
    async runOnce(batch) {
      const at = deps.clock.now();
      const before = later(at, -SILENT_MS_MAX);
      let ended = 0;
      for (const tenant of await tenantsWithAbandoned(deps.db, before, batch))
        ended += await endAbandoned(deps.db, tenant, { before, error: UPLOAD_INTERRUPTED, at });
      return ended;
    },
  };
}
