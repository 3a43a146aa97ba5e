/** Moves a staging tenant's time forward, and does what falls due on the way. */
import type { Tx } from "../../db/database.ts";
import type { Deps } from "../../deps.ts";
import { DAY_MS } from "../../lib/clock.ts";
import { hasRun, writeEntry } from "../../management/audit/audit.ts";
import type { Target } from "../../management/resource-write.ts";
import { FieldErrors } from "../../refusals.ts";
import type { MovableTime } from "./time.ts";

/** Far enough to try a subscription's life, near enough for every date to stay valid. */
const AHEAD_MS_MAX = 20 * 366 * DAY_MS;

export interface MovableClock {
  readonly time: MovableTime;
  /** Runs the tenant's due jobs. */
  catchUp(tenant: number): Promise<void>;
}

/**
 * Returns when the due work is done; a move that was made before is not made again.
 * @throws FieldErrors for a time that is past or too far ahead.
 */
export async function moveClock(
  { clock, db }: Pick<Deps, "clock" | "db">,
  clockwork: MovableClock,
  { tenant, operationId, author }: Omit<Target, "id">,
  at: Date,
): Promise<void> {
  const { time } = clockwork;
  if (at.getTime() - clock.now().getTime() > AHEAD_MS_MAX) throw wrong("Must be at most 20 years ahead.");
  const change = {
    tenant,
    id: operationId,
    at: clock.now(),
    action: "update",
    resource: "clock",
    resourceId: null,
    before: { now: time.now(tenant).toISOString() },
    after: { now: at.toISOString() },
  } as const;
  const record = (tx: Tx) => writeEntry(tx, author, change);
  const isMoved = at > time.now(tenant) && (await time.moveTo(tenant, at, record));
  if (!isMoved && !(await hasRun(db, author, change))) {
    throw wrong(`Must be after ${time.now(tenant).toISOString()}: the clock only moves forward.`);
  }
  await clockwork.catchUp(tenant);
}

function wrong(message: string): FieldErrors {
  return new FieldErrors({ date: [message] });
}
