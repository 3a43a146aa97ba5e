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
