/** This process's record of its background jobs: their last passes, for the operator. */
import type { Clock } from "../lib/clock.ts";
import type { Job } from "../lib/job.ts";

export interface JobState {
  readonly name: string;
  readonly everyMs: number;
  /** Since when a pass is under way; null: none is. */
  readonly runningSince: Date | null;
  /** When the last pass ended; null: none has. */
  readonly lastAt: Date | null;
  readonly tookMs: number;
  readonly passes: number;
  /** The total number of items in all passes. */
  readonly items: number;
  /** Whether the last pass failed. */
  readonly failing: boolean;
  /** The last failure, by the error's code or name: its message may quote a row, and is in the log. */
  readonly lastError: { readonly at: Date; readonly code: string } | null;
}

interface JobLog {
  /** The same job, whose passes are remembered. */
  watched(job: Job): Job;
  /** In the order in which they were given. */
  states(): readonly JobState[];
}

export function createJobLog(clock: Clock): JobLog {
  const states = new Map<string, JobState>();
  return {
    watched(job) {
      const { name, everyMs } = job;
      let state: JobState = {
        name,
        everyMs,
        runningSince: null,
        lastAt: null,
        tookMs: 0,
        passes: 0,
        items: 0,
        failing: false,
        lastError: null,
      };
      const become = (change: Partial<JobState>) => {
        state = { ...state, ...change };
        states.set(name, state);
      };
      become({});
      const ended = (startedMs: number) => {
        const tookMs = clock.monotonicMs() - startedMs;
        return { runningSince: null, lastAt: clock.now(), tookMs, passes: state.passes + 1 };
      };
      return {
        ...job,
        async runOnce(batch, stop) {
          const startedMs = clock.monotonicMs();
          become({ runningSince: clock.now() });
          try {
            const done = await job.runOnce(batch, stop);
            become({ ...ended(startedMs), items: state.items + done, failing: false });
            return done;
          } catch (error) {
            const lastError = { at: clock.now(), code: codeOf(error) };
            become({ ...ended(startedMs), failing: true, lastError });
            throw error;
          }
        },
      };
    },
    states: () => [...states.values()],
  };
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "error";
  return "code" in error ? String(error.code) : error.name;
}
