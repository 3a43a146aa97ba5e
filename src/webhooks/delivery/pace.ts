/**
 * How many concurrent requests a receiver gets: pure rules. A failure halves the number at once, so that an overloaded
 * receiver is relieved within a round trip. No other sender competes for the receiver, so the number may grow fast, and
 * slower only near the maximum.
 */

/** The receiver's state when a delivery is claimed. */
export interface Pace {
  /** Its current limit. */
  readonly limit: number;
  /** The profile's `max_in_flight`. */
  readonly max: number;
  readonly failuresInARow: number;
}

/** The allowed concurrent requests. After a failure, one at a time shows whether the receiver is back. */
export function inFlightMax({ limit, max, failuresInARow }: Pace): number {
  return failuresInARow > 0 ? 1 : Math.min(limit, max);
}

/**
 * The limit after a number of timely responses, and the responses counted towards the next step. Up to half of the
 * maximum each response adds two, which triples the limit in a round trip; from there on every second one adds one.
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

/** The limit after a failure or slow response to one of that many requests: those of one round trip reduce it once. */
export function shrunk(inFlight: number): number {
  return Math.max(1, Math.floor(inFlight / 2));
}

/**
 * A response that takes a third of its time limit is slow: requests in a receiver's queue must never reach the limit.
 */
export function isSlow(durationMs: number, totalMs: number): boolean {
  return durationMs > totalMs / 3;
}
