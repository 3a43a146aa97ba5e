/** Recovery: asks the gateway about attempts without a recorded outcome, until it is known (contract: Unknown outcomes). */
import type { Statement } from "../../db/database.ts";
import type { Deps } from "../../deps.ts";
import { CLAIM_MS } from "../../gateways/calling.ts";
import { later, SECOND_MS } from "../../lib/clock.ts";
import type { Job } from "../../lib/job.ts";
import { tenantTurns } from "../../lib/turns.ts";
import { continueWork } from "../../lib/trace.ts";
import { tenantsDue } from "../../tenants/clock/time.ts";
import { tenantsWithDueAttempts } from "./store.ts";
import { attemptAsWork } from "../transaction.ts";

/** Recovery for one kind of attempt. */
interface Recovery<Row extends RecoveredRow> {
  readonly job: string;
  /** Its name in the log. */
  readonly what: string;
  /** Claims the tenant's attempts that are due; `resolveAt` is when to ask again if nothing is written. */
  readonly claimDue: Statement<"tenant" | "now" | "resolveAt" | "limit", Row>;
  /** Asks the gateway about one attempt and records its outcome. */
  end(tenant: number, row: Row): Promise<unknown>;
}

interface RecoveredRow {
  readonly merchant_transaction_id: string;
  readonly session_id: string | null;
  readonly traceparent: string | null;
  readonly resolve_count: number;
}

/** Returns the job. A pass visits every tenant with due attempts and returns how many were asked about. */
export function recoveryJob<Row extends RecoveredRow>(deps: Deps, recovery: Recovery<Row>): Job {
  const turns = tenantTurns(deps.clock);
  return {
    name: recovery.job,
    everyMs: 2 * SECOND_MS,
    batch: 50,
    async runOnce(batch, stop) {
      let asked = 0;
      for (const tenant of turns(await tenantsDue(deps, tenantsWithDueAttempts), stop))
        asked += await recoverOf(deps, tenant, recovery, batch);
      return asked;
    },
  };
}

async function recoverOf<Row extends RecoveredRow>(
  deps: Pick<Deps, "db" | "log" | "time">,
  tenant: number,
  recovery: Recovery<Row>,
  limit: number,
): Promise<number> {
  const now = deps.time.now(tenant);
  const values = { tenant, now, resolveAt: later(now, CLAIM_MS), limit };
  const rows = await deps.db.commit(recovery.claimDue, values);
  await Promise.all(
    rows.map((row) =>
      continueWork(attemptAsWork(`recover ${recovery.what}`, tenant, row), async () => {
        await recovery.end(tenant, row);
        const { merchant_transaction_id, resolve_count: asked } = row;
        deps.log.info(`${recovery.what} recovered`, { merchant_transaction_id, asked });
      }),
    ),
  );
  return rows.length;
}
