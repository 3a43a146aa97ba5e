/** Retries transactions that the server aborted because of a conflict with another one (deadlock, serialization failure). */
import { setTimeout as sleep } from "node:timers/promises";
import { Refusal } from "../refusals.ts";

/** Serialization failure and deadlock: one of the conflicting transactions has succeeded. */
const REPEATABLE: ReadonlySet<unknown> = new Set(["40001", "40P01"]);
/** The server takes a second to detect a deadlock. */
const RUNS_MAX = 5;

const PAUSE_MS = 20;

/**
 * Runs and repeats.
 * @param run a complete statement or transaction.
 * @param pause lets the other one finish first.
 * @throws Refusal unavailable when it never succeeds.
 */
export async function retried<T>(
  run: () => Promise<T>,
  pause: (ms: number) => Promise<void> = (ms) => sleep(ms),
): Promise<T> {
  for (let runs = 1; ; runs += 1) {
    try {
      return await run();
    } catch (error) {
      if (!isRepeatable(error)) throw error;
      if (runs === RUNS_MAX) throw new Refusal("unavailable", { retryAfter: 1 });
      await pause(runs * PAUSE_MS);
    }
  }
}

function isRepeatable(error: unknown): boolean {
  return typeof error === "object" && error !== null && "code" in error && REPEATABLE.has(error.code);
}
