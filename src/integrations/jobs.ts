/** The jobs of integrations: processing, catching up, deleting. */
import type { Deps } from "../deps.ts";
import type { Job } from "../lib/job.ts";
import type { Sender } from "../webhooks/delivery/send.ts";
import { catchUpJob } from "./catch-up.ts";
import { forgetJob } from "./forget.ts";
import { processJob } from "./process.ts";
import type { OnActivity } from "./routes.ts";

interface IntegrationJobs {
  readonly jobs: readonly Job[];
  /** Requests no further pages from partners, so that a pass in progress ends soon. */
  stop(): void;
}

export function integrationJobs(
  deps: Deps,
  { sender, onActivity }: { readonly sender: Pick<Sender, "get">; readonly onActivity: OnActivity },
): IntegrationJobs {
  let stopping = false;
  return {
    jobs: [
      processJob(deps, onActivity),
      catchUpJob({ deps, sender, onActivity, stopping: () => stopping }),
      forgetJob(deps),
    ],
    stop() {
      stopping = true;
    },
  };
}
