/** How a process of tests reports the failed test: this mark, and a `Failure` as JSON, on a separate line. */
export const FAILED_MARK = "mutate: failed: ";

export interface Failure {
  /** The test file, below the repository. */
  readonly file: string;
  /** The test's name. */
  readonly test: string;
  /** Whether an assertion failed; anything else may be caused by the machine. */
  readonly asserted: boolean;
  /** From the test's beginning. */
  readonly ms: number;
}

/** A test that fails later than this may have failed because the machine was too slow. */
const SURE_MS = 10_000;

/** The failure that a process of tests reported; null without one. */
export function failureIn(output: string): Failure | null {
  return JSON.parse(new RegExp(`^${FAILED_MARK}(.*)$`, "m").exec(output)?.[1] ?? "null") as Failure | null;
}

/** Whether it need not be repeated. */
export function isSure(failure: Failure | null): boolean {
  return failure !== null && failure.asserted && failure.ms <= SURE_MS;
}
