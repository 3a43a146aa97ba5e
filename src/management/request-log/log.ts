/**
 * The log of requests: recorded in memory when one is answered, written by a job, deleted after some days. No request
 * waits for it.
 */
import type { Deps } from "../../deps.ts";
import type { DoneRequest } from "../../http/hooks.ts";
import { DAY_MS, HOUR_MS, later, SECOND_MS } from "../../lib/clock.ts";
import type { Job } from "../../lib/job.ts";
import { Refusal } from "../../refusals.ts";
import { forgetRequests, insertRequests, tenantsWithRequests, type NewRequest } from "./store.ts";

/** Requests beyond this before the next write are dropped: some seconds of a service under full load, 5 MB. */
const NOTED_MAX = 10_000;
/** In characters: a body with many invalid fields is recorded in part. */
const PROBLEM_MAX = 200;
/** Of a column; a process may be stopped for longer. */
const INTEGER_MAX = 2_147_483_647;

interface RequestLog {
  /** Records a request that was answered. */
  note(done: DoneRequest): void;
  readonly jobs: readonly Job[];
  /**
   * Writes what is still in memory.
   * @throws Error with the first cause; the requests of other tenants are written.
   */
  flush(): Promise<number>;
}

/**
 * Creates the log.
 * @param keptDays 0 writes nothing.
 * @param onDropped called with the number of requests that were not written.
 */
export function createRequestLog(
  { db, clock, ids }: Pick<Deps, "clock" | "db" | "ids">,
  keptDays: number,
  onDropped: (count: number) => void,
): RequestLog {
  let noted = new Map<number, NewRequest[]>();
  let count = 0;

  const flush = async (): Promise<number> => {
    const taken = noted;
    noted = new Map();
    count = 0;
    let written = 0;
    const all = [...taken.values()].reduce((sum, { length }) => sum + length, 0);
    const failures: unknown[] = [];
    for (const [tenant, requests] of taken)
      try {
        await insertRequests(db, tenant, requests);
        written += requests.length;
      } catch (error) {
        failures.push(error);
        // A stop of the service must not wait for the database once per tenant.
        if (error instanceof Refusal && error.kind === "unavailable") break;
      }
    if (failures.length === 0) return written;
    onDropped(all - written);
    throw new Error("requests were not written", { cause: failures[0] });
  };

  return {
    note(done) {
      const { tenant, route } = done;
      if (keptDays === 0 || tenant === null || !route.startsWith("/api/")) return;
      if (count >= NOTED_MAX) return onDropped(1);
      count += 1;
      const request = rowOf(done, ids.uuid(), clock.now());
      const others = noted.get(tenant);
      if (others === undefined) noted.set(tenant, [request]);
      else others.push(request);
    },
    jobs: [
      { name: "write-requests", everyMs: SECOND_MS, batch: NOTED_MAX, runOnce: flush },
      {
        name: "forget-requests",
        everyMs: HOUR_MS,
        batch: 10_000,
        async runOnce(batch) {
          const before = later(clock.now(), -keptDays * DAY_MS);
          let forgotten = 0;
          for (const tenant of await tenantsWithRequests(db, before))
            forgotten += await forgetRequests(db, tenant, before, batch);
          return forgotten;
        },
      },
    ],
    flush,
  };
}

function rowOf(done: DoneRequest, id: string, at: Date): NewRequest {
  return {
    id,
    request_id: done.requestId,
    method: done.method,
    route: done.route,
    status: done.status,
    duration_ms: Math.min(Math.round(done.ms), INTEGER_MAX),
    api_key_id: done.keyId,
    session_id: done.sessionId,
    // The record named in a refused request may be another tenant's.
    record_id: done.status < 400 ? done.recordId : null,
    problem: done.problem === null ? null : done.problem.slice(0, PROBLEM_MAX),
    created_at: at,
  };
}
