/** How a process of tests says which test failed: this, and a `Failure` as JSON, on a line of its own. */
export const FAILED_MARK = "mutate: failed: ";

export interface Failure {
  /** The test file, below the repository. */
  readonly file: string;
  /** The test's name. */
  readonly test: string;
  /** Whether an assertion failed; anything else may be the machine's fault. */
  readonly asserted: boolean;
  /** From the test's beginning. */
  readonly ms: number;
}

/** A test that fails later than this may have waited for something that a busy machine was too slow for. */
const SURE_MS = 10_000;

/** What a process of tests has written of it; null when no test was named. */
export function failureIn(output: string): Failure | null {
  return JSON.parse(new RegExp(`^${FAILED_MARK}(.*)$`, "m").exec(output)?.[1] ?? "null") as Failure | null;
}

/** Whether it need not come again to be believed. */
export function isSure(failure: Failure | null): boolean {
  return failure !== null && failure.asserted && failure.ms <= SURE_MS;
}
