/** How long an attempt to send a message may take, and when it is tried again. Pure. */
import { HOUR_MS, later, MINUTE_MS, SECOND_MS } from "../lib/clock.ts";

/** Nothing is in progress after this: the lease of a message is longer. */
export const HANDOVER_MS = 60 * SECOND_MS;
/** About three days in total, so that a mail server that is down for a weekend loses nothing. */
const RETRY_AFTER_MS: readonly number[] = [
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  24 * HOUR_MS,
  24 * HOUR_MS,
];

/**
 * When to try again; null: never.
 * @param attempts made so far.
 */
export function nextMessageTryAt(attempts: number, now: Date): Date | null {
  const pause = RETRY_AFTER_MS[attempts - 1];
  return pause === undefined ? null : later(now, pause);
}
