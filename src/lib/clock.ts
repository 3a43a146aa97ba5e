/** The only place that reads the time, so that tests and staging tenants can set another. */

export interface Clock {
  /** The present instant (UTC). */
  now(): Date;
  /** Monotonic milliseconds, for measuring durations. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
};

/** The clock of each tenant: the shared one, unless a staging tenant has set its own. */
export interface TenantTime {
  now(tenant: number): Date;
  /** The tenants that have set their clock. */
  moved(): readonly number[];
  /** The tenant whose due work alone is done, as its clock was moved; null for all. */
  readonly only: number | null;
}

/** A clock that only changes when it is set. */
export function manualClock(start: Date): Clock & { advance(ms: number): void } {
  let at = start.getTime();
  return {
    now: () => new Date(at),
    monotonicMs: () => at,
    advance: (ms) => {
      at += ms;
    },
  };
}

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** `at` moved by `ms` milliseconds. */
export function later(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms);
}
