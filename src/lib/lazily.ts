/** Creates an expensive value on first use. */

/** Returns a function that calls `make` on first use and returns its result from then on. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
