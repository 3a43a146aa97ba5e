/** The only loop in the service: a job is a name, an interval and one bounded pass. */
import { setTimeout as sleep } from "node:timers/promises";

export interface Job {
  readonly name: string;
  /** The delay after a pass with less than a full batch. */
  readonly everyMs: number;
  /** The most that one pass processes. */
  readonly batch: number;
  /** One pass; returns how much it did. One that waits for another server, or may take minutes, ends early when `stop` aborts. */
  runOnce(batch: number, stop?: AbortSignal): Promise<number>;
}

/**
 * Runs the job until the signal aborts; a pass in progress is finished. A pass that throws is reported and repeated.
 */
export async function runJob(
  job: Job,
  signal: AbortSignal,
  onPass: (done: number, error: unknown) => void,
): Promise<void> {
  while (!signal.aborted) {
    const done = await pass(job, signal, onPass);
    if (done < job.batch) await sleep(job.everyMs, undefined, { signal }).catch(() => {});
  }
}

async function pass(
  job: Job,
  signal: AbortSignal,
  onPass: (done: number, error: unknown) => void,
): Promise<number> {
  try {
    const done = await job.runOnce(job.batch, signal);
    onPass(done, null);
    return done;
  } catch (error) {
    onPass(0, error);
    return 0;
  }
}
