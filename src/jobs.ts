/** Every background job of the service, and how they run concurrently. */
import { announceJob } from "./subscriptions/announce.ts";
import { billingJobs } from "./subscriptions/renew.ts";
import type { Deps } from "./deps.ts";
import { ANSWERS_KEPT_MS, type OldAnswers } from "./lib/answer-store.ts";
import { HOUR_MS, later } from "./lib/clock.ts";
import { runJob, type Job } from "./lib/job.ts";
import { TENANTS_MAX, tenantTurns } from "./lib/turns.ts";
import { chainAuditLogJob } from "./management/audit/chain.ts";
import { startWork, insideWork, type Tracer } from "./lib/trace.ts";
import { OWN_GATEWAYS } from "./gateways/own.ts";
import { expireMandatesJob } from "./mandates/jobs.ts";
import { abandonedImportsJob } from "./payments/imports/abandoned.ts";
import { forgetSessionsJob } from "./people/sessions.ts";
import { newsJob } from "./payments/news/fetch.ts";
import { heldRefundsJob } from "./payments/refunds/held.ts";
import { recoverRefundsJob } from "./payments/refunds/recover.ts";
import { countFiguresJob } from "./reports/statistics/job.ts";
import { stopCampaignsJob } from "./sessions/campaigns/stop.ts";
import { expireJob } from "./sessions/expire.ts";
import { forgetCountsJob } from "./sessions/limits.ts";
import { recoverJob } from "./sessions/recover.ts";

/** @param tenant whose gateways and bank accounts alone are looked at; null for all tenants. */
export function allJobs(deps: Deps, answers: OldAnswers, tenant: number | null = null): readonly Job[] {
  return [
    // First: that a clock was moved is in the log, so it always has something to do then.
    chainAuditLogJob(deps),
    recoverJob(deps),
    recoverRefundsJob(deps),
    heldRefundsJob(deps),
    expireJob(deps),
    forgetCountsJob(deps),
    stopCampaignsJob(deps),
    ...OWN_GATEWAYS.flatMap(({ jobs }) => jobs?.(deps, tenant) ?? []),
    newsJob(deps, tenant),
    abandonedImportsJob(deps),
    announceJob(deps),
    ...billingJobs(deps),
    expireMandatesJob(deps),
    forgetStoredAnswersJob(deps, answers),
    forgetSessionsJob(deps),
    banksJob(deps),
    countFiguresJob(deps, tenant),
  ];
}

/** More passes than due work can need: one cycle per pass makes 52 for a year of weekly ones. */
const CATCH_UP_PASSES_MAX = 60;

/** Runs all jobs in turn until none of them finds anything to do. */
export async function catchUp(jobs: readonly Job[]): Promise<void> {
  let idle = 0;
  for (let pass = 0; pass < CATCH_UP_PASSES_MAX; pass += 1) {
    for (const job of jobs) {
      idle = (await job.runOnce(job.batch)) === 0 ? idle + 1 : 0;
      if (idle === jobs.length) return;
    }
  }
}

/** Starts the jobs; the returned function ends them and waits for the pass under way. */
export function startJobs(
  jobs: readonly Job[],
  onPass: (name: string, done: number, error: unknown) => void,
  tracer: Tracer | null = null,
): () => Promise<void> {
  const stop = new AbortController();
  const running = jobs.map((job) =>
    runJob(traced(job, tracer), stop.signal, (done, error) => onPass(job.name, done, error)),
  );
  return async () => {
    stop.abort();
    await Promise.all(running);
  };
}

/** A job whose passes are spans, but those that have found nothing: they would be most of all. */
function traced(job: Job, tracer: Tracer | null): Job {
  if (tracer === null) return job;
  return {
    ...job,
    async runOnce(batch, stop) {
      const work = startWork(tracer, { name: `job ${job.name}`, parent: null, quiet: true });
      try {
        const done = await insideWork(work, () => job.runOnce(batch, stop));
        if (done > 0) {
          work.span?.set({ "payments.items": done });
          work.span?.end();
        }
        return done;
      } catch (error) {
        work.span?.end(error);
        throw error;
      }
    },
  };
}

function forgetStoredAnswersJob(deps: Deps, answers: OldAnswers): Job {
  const turns = tenantTurns(deps.clock);
  return {
    name: "forget-idempotent-answers",
    everyMs: HOUR_MS,
    batch: 1_000,
    async runOnce(batch, stop) {
      const before = later(deps.clock.now(), -ANSWERS_KEPT_MS);
      let forgotten = 0;
      for (const tenant of turns(await answers.tenantsWithOld(before, TENANTS_MAX), stop)) {
        forgotten += await answers.forget(tenant, before, batch);
      }
      return forgotten;
    },
  };
}

/** An import of banks by another process is noticed within a minute. */
function banksJob(deps: Deps): Job {
  return {
    name: "refresh-banks",
    everyMs: 60_000,
    batch: 1,
    async runOnce() {
      await deps.banks.refresh();
      return 0;
    },
  };
}
