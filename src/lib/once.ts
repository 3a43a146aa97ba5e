/** What is made when somebody first asks for it, and then kept. */

/** The answer of the first `make`, for everybody who asks. One that failed is not kept: whoever asks next makes it anew. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = null;
      throw error;
    }));
}
