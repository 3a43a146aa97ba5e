/** The jobs of accounts at a bank: writing files, sending them, fetching statements. */
import type { Deps } from "../deps.ts";
import type { Job } from "../lib/job.ts";
import { assumeJob } from "./assume.ts";
import { collectJob } from "./collect.ts";
import { fetchJob } from "./fetch.ts";
import { sendJob } from "./send.ts";

export function sepaJobs(deps: Deps): readonly Job[] {
  return [collectJob(deps), sendJob(deps), fetchJob(deps), assumeJob(deps)];
}
