/** Whose turn it is: every tenant with work is visited within a few passes of a job, whatever the others have. */
import { MINUTE_MS, type Clock } from "./clock.ts";

/**
 * More than a database has: a search for tenants with work returns all of them. Of a few, the same ones could be found
 * again each time, and the others never. That there is a limit lets PostgreSQL plan for a few, which it mostly finds.
 */
export const TENANTS_MAX = 1_000_000;

/** A longer pass would look as if it hung (docs/runbooks/payments-job-late.md). */
const PASS_MS_MAX = MINUTE_MS;

/** The tenants of one pass, one after the other; none any more when `stop` has aborted, or the pass takes too long. */
export type TenantTurns = (tenants: readonly number[], stop?: AbortSignal) => Iterable<number>;

/** The turns of one job: a pass begins with the tenant after the last one of the pass before, also if that one failed. */
export function tenantTurns(clock: Pick<Clock, "monotonicMs">): TenantTurns {
  let last = 0;
  return function* (tenants, stop) {
    const until = clock.monotonicMs() + PASS_MS_MAX;
    const sorted = tenants.toSorted((one, other) => one - other);
    const after = last;
    const inTurn = [...sorted.filter((one) => one > after), ...sorted.filter((one) => one <= after)];
    for (const tenant of inTurn) {
      if (stop?.aborted === true || clock.monotonicMs() >= until) return;
      last = tenant;
      yield tenant;
    }
  };
}
