/** Concurrent sessions with the banks' servers: a hanging server delays only its own account. */
import { setTimeout as sleep } from "node:timers/promises";
import { MINUTE_MS, SECOND_MS } from "../../../lib/clock.ts";

/** Shorter than the leases under which files are fetched and sent, so that a visit ends before another begins. */
const VISIT_MS_MAX = 8 * MINUTE_MS;
const PASS_MS_MAX = 20 * SECOND_MS;
const VISITS_MAX = 32;
/** The most concurrent visits per tenant, whose servers may hang. */
const TENANT_VISITS_MAX = 4;

/** Time limits in milliseconds; shorter in tests. */
export interface VisitTimes {
  /** One visit, from the connection to its end. */
  readonly visitMs: number;
  /** How long a pass waits for its visits; longer ones continue, and the next pass skips them. */
  readonly passMs: number;
}

const TIMES: VisitTimes = { visitMs: VISIT_MS_MAX, passMs: PASS_MS_MAX };

interface Visit {
  readonly tenant: number;
  readonly ended: Promise<void>;
}

/** The visits of one job in progress. */
interface Visits {
  /** Returns false when the key is being visited, or the limit of visits is reached. */
  hasRoom(tenant: number, key: string): boolean;
  /**
   * Starts a visit.
   * @param work ends soon after its signal aborts, on its deadline or when the service stops.
   */
  start(
    tenant: number,
    key: string,
    work: (signal: AbortSignal) => Promise<number>,
    stop?: AbortSignal,
  ): void;
  /**
   * Waits for the visits in progress, but no longer than a pass may take unless the service stops. Returns the sum of
   * the results of those that ended.
   * @throws what one of them threw.
   */
  wait(stop?: AbortSignal): Promise<number>;
}

export function visits({ visitMs, passMs }: VisitTimes = TIMES): Visits {
  const underWay = new Map<string, Visit>();
  let done = 0;
  let thrown: { readonly error: unknown } | null = null;
  const allEnded = () => Promise.all([...underWay.values()].map(({ ended }) => ended));
  return {
    hasRoom(tenant, key) {
      const ofTenant = [...underWay.values()].filter((visit) => visit.tenant === tenant).length;
      return !underWay.has(key) && underWay.size < VISITS_MAX && ofTenant < TENANT_VISITS_MAX;
    },
    start(tenant, key, work, stop) {
      const time = AbortSignal.timeout(visitMs);
      const signal = stop === undefined ? time : AbortSignal.any([stop, time]);
      const visit = async () => {
        try {
          const result = await work(signal);
          // Added only now: other visits have ended meanwhile.
          done += result;
        } catch (error) {
          thrown ??= { error };
        } finally {
          underWay.delete(key);
        }
      };
      underWay.set(key, { tenant, ended: visit() });
    },
    async wait(stop) {
      const pass = new AbortController();
      const signal = stop === undefined ? pass.signal : AbortSignal.any([stop, pass.signal]);
      await Promise.race([allEnded(), sleep(passMs, undefined, { signal }).catch(() => {})]);
      pass.abort();
      if (stop?.aborted === true) await allEnded();
      const [counted, failed] = [done, thrown];
      [done, thrown] = [0, null];
      if (failed !== null) throw failed.error;
      return counted;
    },
  };
}
