/** Creates a value asynchronously on first use and keeps it. */

/** The result of the first `make`, for every caller. A failure is not kept: the next caller tries again. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = null;
      throw error;
    }));
}
