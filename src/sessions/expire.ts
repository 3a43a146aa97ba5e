/** The sweeper: expires sessions past their lifetime and emits their events. Correctness does not depend on how often it runs (contract: Session lifetime). */
import type { Deps } from "../deps.ts";
import { MINUTE_MS } from "../lib/clock.ts";
import type { Job } from "../lib/job.ts";
import { tenantTurns } from "../lib/turns.ts";
import { expiredEvent } from "../webhooks/events.ts";
import { sessionFacts } from "./record-outcome.ts";
import { type AttemptRow, findAttempt } from "./attempt-store.ts";
import { writeExpiry } from "./outcome-store.ts";
import { tenantsDue } from "../tenants/clock/time.ts";
import { findExpired, tenantsWithExpired } from "./expire-store.ts";

export function expireJob(deps: Deps): Job {
  const turns = tenantTurns(deps.clock);
  return {
    name: "expire-sessions",
    everyMs: MINUTE_MS,
    batch: 200,
    runOnce: (batch, stop) => expireSessions(deps, batch, turns, stop),
  };
}

/** Ends expired sessions without an open attempt; the others end after recovery has asked their gateway. */
export async function expireSessions(
  deps: Pick<Deps, "announce" | "clock" | "db" | "environment" | "ids" | "time">,
  batch: number,
  turns = tenantTurns(deps.clock),
  stop?: AbortSignal,
): Promise<number> {
  let done = 0;
  for (const tenant of turns(await tenantsDue(deps, tenantsWithExpired), stop)) {
    done += await expireOfTenant(deps, tenant, batch);
  }
  return done;
}

async function expireOfTenant(
  deps: Pick<Deps, "announce" | "db" | "environment" | "ids" | "time">,
  tenant: number,
  batch: number,
): Promise<number> {
  const sessions = await findExpired(deps.db, tenant, deps.time.now(tenant), batch);
  const closed = await Promise.all(sessions.map((session) => close(deps, tenant, session)));
  if (closed.includes(true)) deps.announce();
  return closed.filter(Boolean).length;
}

/** Ends one expired session; returns false when it is not to be ended. */
export async function expireIdle(
  deps: Pick<Deps, "db" | "environment" | "ids" | "time">,
  tenant: number,
  sessionId: string,
): Promise<boolean> {
  const session = await findAttempt(deps.db, tenant, sessionId);
  return session !== null && close(deps, tenant, session);
}

function close(
  deps: Pick<Deps, "db" | "environment" | "ids" | "time">,
  tenant: number,
  session: AttemptRow,
): Promise<boolean> {
  const now = deps.time.now(tenant);
  const event = expiredEvent(deps.ids.uuid(), sessionFacts(deps, session), now);
  return writeExpiry(deps.db, tenant, session.session_id, now, event);
}
