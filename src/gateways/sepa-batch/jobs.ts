/** The jobs of bank accounts: writing files, sending them, fetching statements. */
import type { Deps } from "../../deps.ts";
import type { Job } from "../../lib/job.ts";
import { assumeJob } from "./incoming/assume.ts";
import { collectJob } from "./outgoing/write-files.ts";
import { fetchJob } from "./incoming/fetch.ts";
import { sendJob } from "./outgoing/send.ts";

/**
 * Returns the jobs.
 * @param tenant limits them to this tenant's accounts; null for all tenants.
 */
export function sepaJobs(deps: Deps, tenant: number | null): readonly Job[] {
  return [collectJob(deps, tenant), sendJob(deps, tenant), fetchJob(deps, tenant), assumeJob(deps, tenant)];
}
