/**
 * The receivers to which this process sends: it claims deliveries of each while there is room for them, and again when
 * a request has ended. Processes share state only through the database.
 */
import { setImmediate as otherEvents } from "node:timers/promises";
import { later } from "../../lib/clock.ts";
import { outsideWork } from "../../lib/trace.ts";
import { attempt, BLOCKED_RETRY_MS, secretsOf, type AttemptParts, type ClaimedReceiver } from "./attempt.ts";
import { grown, type Pace } from "./pace.ts";
import { claimDeliveries, type ClaimedRow, type DueReceiver, type ReceiverRow } from "./store.ts";

export interface ReceiverQueues {
  /**
   * Claims what is due for a receiver, within the limits, and sends it; returns false if the limits allow nothing, or
   * nothing was claimed.
   * @param failing whether its last request failed.
   */
  serve(receiver: DueReceiver, failing: boolean): Promise<boolean>;
  /** Resolves when the requests in progress have ended. */
  served(): Promise<unknown>;
  /** Whether nothing is in progress. */
  isIdle(): boolean;
}

interface LinesOptions {
  readonly leaseMs: number;
  /** Called when the limits allow another request again. */
  readonly onRoom: () => void;
  readonly onInFlight: (change: 1 | -1) => void;
  /** Whether the process is stopping. */
  readonly isClosed: () => boolean;
}

interface Line extends DueReceiver {
  failing: boolean;
  inFlight: number;
  /** As found by the last claim. */
  pace: Pace;
  /** Timely responses that do not count towards the limit yet. */
  answers: number;
  claiming: boolean;
  /** Whether a request has ended during a claim. */
  again: boolean;
}

/**
 * Receivers served at the same time, counted separately for healthy and failing ones. Each has one request of its own,
 * so that hanging receivers do not delay others.
 */
export const RECEIVERS_MAX = 100;
/** Further requests, for all receivers together. */
const FURTHER_MAX = 400;

export function createReceiverQueues(parts: AttemptParts, options: LinesOptions): ReceiverQueues {
  const { deps } = parts;
  const lines = new Map<string, Line>();
  const underWay = new Set<Promise<unknown>>();
  let further = 0;

  const doing = (work: Promise<unknown>): void => {
    const tracked = work.finally(() => underWay.delete(tracked));
    underWay.add(tracked);
  };
  const isFull = (failing: boolean) =>
    lines.values().reduce((count_, line) => count_ + Number(line.failing === failing), 0) >= RECEIVERS_MAX;
  const room = (line: Line) => (line.inFlight === 0 ? 1 : 0) + Math.max(FURTHER_MAX - further, 0);
  const count = (line: Line, change: 1 | -1): void => {
    // The first one has a place of its own.
    if (Math.max(line.inFlight, line.inFlight + change) > 1) further += change;
    line.inFlight += change;
    options.onInFlight(change);
  };
  const close = (line: Line): void => {
    if (line.inFlight > 0 || line.claiming) return;
    const wasFull = isFull(line.failing);
    lines.delete(keyOf(line));
    if (wasFull) options.onRoom();
  };

  const deliver = async (line: Line, course: ClaimedReceiver, row: ClaimedRow): Promise<void> => {
    let more = true;
    try {
      const attempted = await attempt(parts, course, row);
      more = attempted.more;
      if (attempted.inTime) line.answers += 1;
    } catch (error) {
      // It is sent again when its lease ends.
      deps.log.error("a webhook could not be delivered", error, namesOf(course, row));
    }
    const wasFull = further >= FURTHER_MAX;
    count(line, -1);
    if (wasFull) options.onRoom();
    if (more && !options.isClosed()) await look(line);
    else close(line);
  };
  const claim = async (line: Line): Promise<void> => {
    const { tenant, profile_id: profileId, pace, answers } = line;
    const grew = grown(pace, answers);
    // Measured from before the claim, so that the lease ends here no later than in the database.
    const endsMs = deps.clock.monotonicMs() + options.leaseMs;
    const now = deps.clock.now();
    const rows = await claimDeliveries(deps.db, tenant, {
      profileId,
      now,
      leaseMs: options.leaseMs,
      growth: Math.max(grew.limit - pace.limit, 0),
      room: room(line),
      lookAgainAt: later(now, BLOCKED_RETRY_MS),
      leaseEndsAt: later(now, options.leaseMs),
    });
    const [receiver] = rows;
    if (receiver === undefined) return;
    line.answers += grew.answers - answers;
    line.pace = paceOf(receiver);
    line.failing = line.pace.failuresInARow > 0;
    parts.reached("webhook.claimed");
    const secrets = secretsOf(deps, tenant, receiver);
    const course = { tenant, receiver, secrets, pace: line.pace, endsMs };
    for (const row of rows) {
      count(line, 1);
      doing(outsideWork(() => deliver(line, course, row)));
    }
  };
  /** One claim of a receiver at a time, and one more if a request ends in the meantime. */
  const look = async (line: Line): Promise<boolean> => {
    line.again = true;
    if (line.claiming) return true;
    line.claiming = true;
    let looked = true;
    // Responses that were recorded together end one after the other: one claim is enough for all.
    await otherEvents();
    try {
      while (line.again && room(line) > 0 && !options.isClosed()) {
        line.again = false;
        await claim(line);
      }
    } catch (error) {
      // The job looks again.
      const { tenant, profile_id } = line;
      deps.log.error("webhooks could not be claimed", error, { tenant, profile_id });
      looked = false;
    }
    line.claiming = false;
    close(line);
    return looked;
  };

  return {
    async serve({ tenant, profile_id }, failing) {
      const key = keyOf({ tenant, profile_id });
      const known = lines.get(key);
      if (known === undefined && isFull(failing)) return false;
      const fresh = { inFlight: 0, pace: UNKNOWN, answers: 0, claiming: false, again: false };
      const line: Line = known ?? { tenant, profile_id, failing, ...fresh };
      if (room(line) === 0) return false;
      lines.set(key, line);
      const looked = look(line);
      doing(looked);
      return looked;
    },
    served: () => Promise.all(underWay),
    isIdle: () => underWay.size === 0,
  };
}

/** A delivery's fields in the log. */
function namesOf({ tenant }: ClaimedReceiver, row: ClaimedRow) {
  const { id: delivery_id, session_id, merchant_transaction_id, traceparent } = row;
  const trace_id = traceparent?.slice(3, 35);
  return { delivery_id, tenant, session_id, merchant_transaction_id, trace_id };
}

/** The pace of a receiver that was not claimed yet: one request, without growth. */
const UNKNOWN: Pace = { limit: 1, max: 1, failuresInARow: 0 };

function keyOf({ tenant, profile_id: id }: DueReceiver): string {
  return `${tenant}:${id}`;
}

function paceOf({ in_flight_limit, max_in_flight, failures_in_a_row }: ReceiverRow): Pace {
  return { limit: in_flight_limit, max: max_in_flight, failuresInARow: failures_in_a_row };
}
