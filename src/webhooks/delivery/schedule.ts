/** When a delivery is retried, and when a receiver is paused: pure rules (contract: Delivery). */
import { DAY_MS, HOUR_MS, MINUTE_MS, later, SECOND_MS } from "../../lib/clock.ts";

/** The result of one request. */
export type DeliveryOutcome =
  | { readonly kind: "delivered" }
  /** 410: the receiver is gone and wants no more. */
  | { readonly kind: "gone" }
  /** @property retryAfterMs what the receiver requested with 429 or 503, within bounds; otherwise null. */
  | { readonly kind: "failed"; readonly retryAfterMs: number | null };

/** The delays after the first, second, … failure; after the last one there is no further attempt. */
const RETRY_AFTER_MS = [
  5 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  DAY_MS,
  DAY_MS,
  DAY_MS,
];
const JITTER = 0.2;

/**
 * When to try again; null after the last attempt.
 * @param tries how many have failed, including this one; @param fraction from 0 up to 1, spreads retries by ±20 %.
 */
export function nextTryAt(
  now: Date,
  tries: number,
  retryAfterMs: number | null,
  fraction: number,
): Date | null {
  const pause = RETRY_AFTER_MS[tries - 1];
  if (pause === undefined) return null;
  // Never before the time that the receiver requested.
  if (retryAfterMs !== null) return later(now, retryAfterMs * (1 + JITTER * fraction));
  return later(now, pause * (1 + JITTER * (2 * fraction - 1)));
}

const HEADER_PAUSE_MS_MIN = SECOND_MS;
const HEADER_PAUSE_MS_MAX = DAY_MS;

/** The header's seconds or date as a delay between a second and a day; null if it is invalid. */
export function readRetryAfter(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null;
  const text = header.trim();
  // Date.parse would read plain numbers as years.
  const ms = /^[+-]?\d+$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - now.getTime();
  if (Number.isNaN(ms)) return null;
  return Math.min(Math.max(ms, HEADER_PAUSE_MS_MIN), HEADER_PAUSE_MS_MAX);
}

/** This many consecutive failures open the circuit: then one delivery at a time probes whether the receiver is back. */
const FAILURES_TO_OPEN = 5;
const PROBE_MS_MIN = 30 * SECOND_MS;
const PROBE_MS_MAX = 10 * MINUTE_MS;
/** The longest pause of all deliveries that a receiver's Retry-After causes; the circuit shows when it is back. */
const PAUSE_MS_MAX = 10 * MINUTE_MS;

/** Until when nothing at all is sent to a receiver after a failure; null if its other deliveries continue. */
export function pausedUntil(
  now: Date,
  failuresInARow: number,
  retryAfterMs: number | null,
  fraction: number,
): Date | null {
  const asked = retryAfterMs === null ? 0 : Math.min(retryAfterMs, PAUSE_MS_MAX);
  const doubled = PROBE_MS_MIN * 2 ** Math.min(failuresInARow - FAILURES_TO_OPEN, 20);
  const open = failuresInARow < FAILURES_TO_OPEN ? 0 : Math.min(doubled, PROBE_MS_MAX);
  const pause = Math.max(asked, open * (1 - JITTER * fraction));
  return pause === 0 ? null : later(now, pause);
}
