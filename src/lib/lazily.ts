/** Creates an expensive value on first use. */

/** What `make` returns; it runs when the value is first asked for, and not again. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
