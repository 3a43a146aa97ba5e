/** The clock of each tenant: in staging a tenant can move its own forward, so that a year passes in a minute. */
import type { Database, Reader, Tx } from "../../db/database.ts";
import type { Deps } from "../../deps.ts";
import { later, SECOND_MS, type Clock, type TenantTime } from "../../lib/clock.ts";
import type { Job } from "../../lib/job.ts";
import { TENANTS_MAX } from "../../lib/turns.ts";
import { findMoved, moveAhead } from "./store.ts";

export interface MovableTime extends TenantTime {
  /**
   * Moves a tenant's time to an instant; false when it is past that already.
   * @param record writes down that it was moved, in the same transaction.
   */
  moveTo(tenant: number, at: Date, record: (tx: Tx) => Promise<void>): Promise<boolean>;
  /** Loads the moves made by other processes. */
  refresh(): Promise<void>;
}

/** One time for all tenants, as in production. */
export function commonTime(clock: Clock): TenantTime {
  return { now: () => clock.now(), moved: () => [], only: null };
}

/** Time that tenants can move forward, never back: what has happened stays in the past. */
export function movableTime(db: Database, clock: Clock): MovableTime {
  let ahead: ReadonlyMap<number, number> = new Map();
  return {
    now: (tenant) => later(clock.now(), ahead.get(tenant) ?? 0),
    moved: () => [...ahead.keys()],
    only: null,
    async moveTo(tenant, at, record) {
      const now = clock.now();
      const moved = await db.transaction(async (tx) => {
        if (!(await moveAhead(tx, tenant, at.getTime() - now.getTime(), now))) return false;
        await record(tx);
        return true;
      });
      ahead = await findMoved(db);
      return moved;
    },
    async refresh() {
      ahead = await findMoved(db);
    },
  };
}

/** The clock for jobs of one tenant, whatever others have to do. */
export function timeOfTenant(tenant: number, time: TenantTime): TenantTime {
  return { now: (of) => time.now(of), moved: () => time.moved(), only: tenant };
}

/** A move by another process is noticed within a second. */
export function clockJob(time: MovableTime): Job {
  return {
    name: "refresh-clocks",
    everyMs: SECOND_MS,
    batch: 1,
    async runOnce() {
      await time.refresh();
      return 0;
    },
  };
}

/** The first of a job's two steps: all tenants that may have something due, each by its own time. */
export async function tenantsDue(
  deps: Pick<Deps, "db" | "clock" | "time">,
  find: (db: Reader, now: Date, limit: number) => Promise<readonly number[]>,
): Promise<readonly number[]> {
  if (deps.time.only !== null) return [deps.time.only];
  const found = await find(deps.db, deps.clock.now(), TENANTS_MAX);
  return [...new Set([...found, ...deps.time.moved()])];
}
