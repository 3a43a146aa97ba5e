/** Retries recording what a gateway did: a short database outage must not turn it into an error. */
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusals.ts";

/** About three seconds in all: a restart of the database, not more than a caller waits. */
const WRITE_TRIES = 5;
const WRITE_PAUSE_MS = 300;

/**
 * Tries again while the database is away. The claim is written already, so recovery learns the outcome from the gateway.
 * @param notWritten the caller's words, when it stays away. @throws Refusal unavailable.
 */
export async function insist<T>(
  { pause }: Pick<Deps, "pause">,
  write: () => Promise<T>,
  notWritten: string,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof Refusal) || error.kind !== "unavailable") throw error;
      if (tries === WRITE_TRIES) throw new Refusal("unavailable", { detail: notWritten, retryAfter: 30 });
      await pause(tries * WRITE_PAUSE_MS);
    }
  }
}
