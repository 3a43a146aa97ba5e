/** Rate limits as an exact sliding log: never more than `count` hits within any `windowMs`, and the wait known to the millisecond. */
import type { Clock } from "../lib/clock.ts";
import type { Limit } from "./limits.ts";

export interface Hit {
  readonly allowed: boolean;
  /** Number of further hits allowed now. */
  readonly remaining: number;
  /** Whole milliseconds until the next hit is allowed; 0 if this one was. */
  readonly retryAfterMs: number;
  /** Whole milliseconds until all hits have expired and the full limit is available again. */
  readonly resetMs: number;
}

export interface Counters {
  /** Counts one request under `key`; a refused one is not counted. A key always has the same limit. */
  hit(key: string, limit: Limit): Promise<Hit>;
  close(): Promise<void>;
}

/** Keys counted separately, per window length: 100,000 keys with a limit of 1 take about 20 MB. */
const KEYS_MAX = 100_000;
/**
 * Beyond that, new keys share this many logs: a flood of addresses uses no more memory, resets no count, and delays
 * only the few callers that share a log with it.
 */
const SHARED_LOGS = 1_024;

/** Counters of this process only. */
export function memoryCounters(clock: Clock, keysMax: number = KEYS_MAX): Counters {
  const logs = new Map<number, Logs>();
  return {
    async hit(key, { count, windowMs }) {
      const now = clock.monotonicMs();
      let ofWindow = logs.get(windowMs);
      if (ofWindow === undefined) logs.set(windowMs, (ofWindow = new Logs(windowMs, keysMax, now)));
      return ofWindow.of(key, count, now).hit(now, count, windowMs);
    },
    async close() {
      logs.clear();
    },
  };
}

/**
 * The logs of all keys with one window length, in two generations: a key that is not used for a whole window is dropped
 * with the older one, so that idle keys cost nothing and need no search.
 */
class Logs {
  readonly #windowMs: number;
  readonly #keysMax: number;
  readonly #shared = new Map<string, HitLog>();
  #current = new Map<string, HitLog>();
  #previous = new Map<string, HitLog>();
  #startedAt: number;

  constructor(windowMs: number, keysMax: number, now: number) {
    this.#windowMs = windowMs;
    this.#keysMax = keysMax;
    this.#startedAt = now;
  }

  of(key: string, count: number, now: number): HitLog {
    if (now - this.#startedAt >= this.#windowMs) this.#turn(now);
    const current = this.#current.get(key);
    if (current !== undefined) return current;

    const known = this.#previous.get(key);
    const full = this.#current.size + this.#previous.size >= this.#keysMax;
    if (known === undefined && full) return this.#sharedLog(key, count);
    const log = known ?? new HitLog();
    this.#previous.delete(key);
    this.#current.set(key, log);
    return log;
  }

  #sharedLog(key: string, count: number): HitLog {
    const name = `${hash(key) % SHARED_LOGS}:${count}`;
    const log = this.#shared.get(name) ?? new HitLog();
    this.#shared.set(name, log);
    return log;
  }

  #turn(now: number): void {
    this.#previous = this.#current;
    this.#current = new Map();
    this.#startedAt = now;
  }
}

/** Distributes keys over the shared logs (FNV-1a). */
function hash(key: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) value = Math.imul(value ^ key.charCodeAt(at), 0x01000193);
  return value >>> 0;
}

const SLOTS_AT_FIRST = 4;

/** The times of a key's last hits, in a ring that grows up to the limit's count. */
class HitLog {
  #times = new Float64Array(1);
  #oldest = 0;
  #size = 0;

  hit(now: number, count: number, windowMs: number): Hit {
    // Whole milliseconds are exact; rounding each time separately could shorten a window.
    const nowMs = Math.floor(now);
    this.#forget(nowMs - windowMs);
    if (this.#size >= count) {
      return {
        allowed: false,
        remaining: 0,
        retryAfterMs: this.#at(0) + windowMs - nowMs,
        resetMs: this.#at(this.#size - 1) + windowMs - nowMs,
      };
    }
    this.#add(Math.ceil(now), count);
    return { allowed: true, remaining: count - this.#size, retryAfterMs: 0, resetMs: windowMs };
  }

  /** A hit counts for the window that begins with it, excluding its end. */
  #forget(until: number): void {
    while (this.#size > 0 && this.#at(0) <= until) {
      this.#oldest = (this.#oldest + 1) % this.#times.length;
      this.#size -= 1;
    }
  }

  #at(index: number): number {
    return this.#times[(this.#oldest + index) % this.#times.length] ?? 0;
  }

  #add(at: number, count: number): void {
    if (this.#size === this.#times.length) this.#grow(count);
    this.#times[(this.#oldest + this.#size) % this.#times.length] = at;
    this.#size += 1;
  }

  #grow(count: number): void {
    const slots = Math.min(count, Math.max(SLOTS_AT_FIRST, this.#times.length * 2));
    const times = new Float64Array(slots);
    for (let index = 0; index < this.#size; index += 1) times[index] = this.#at(index);
    this.#times = times;
    this.#oldest = 0;
  }
}
