/**
 * How many requests a receiver gets at once: pure rules. A failure halves it at once, so that an overloaded receiver is left in
 * peace within a round trip. No other sender competes for the receiver, so it need not grow slowly: only more slowly near the most.
 */

/** The receiver's state when a delivery is claimed. */
export interface Pace {
  /** Its present limit. */
  readonly limit: number;
  /** The profile's `max_in_flight`. */
  readonly max: number;
  readonly failuresInARow: number;
}

/** How many requests may be under way. After a failure one at a time shows whether the receiver is back. */
export function inFlightMax({ limit, max, failuresInARow }: Pace): number {
  return failuresInARow > 0 ? 1 : Math.min(limit, max);
}

/**
 * The limit after so many answers in time, and the answers that count towards the next step: up to half of the most each
 * answer adds two, which triples the limit in a round trip; from there on every second one adds one.
 */
export function grown({ limit, max }: Pace, answers: number): { limit: number; answers: number } {
  let [reached, left] = [Math.min(limit, max), answers];
  while (reached < max) {
    const [price, gain] = reached < max / 2 ? [1, 2] : [2, 1];
    if (left < price) return { limit: reached, answers: left };
    left -= price;
    reached = Math.min(reached + gain, max);
  }
  return { limit: reached, answers: 0 };
}

/** The limit after a failure or a slow answer to one of so many requests: all of one round trip shrink it once. */
export function shrunk(inFlight: number): number {
  return Math.max(1, Math.floor(inFlight / 2));
}

/** An answer that takes a third of its time limit is slow: requests in a receiver's queue must never reach the limit. */
export function isSlow(durationMs: number, totalMs: number): boolean {
  return durationMs > totalMs / 3;
}
