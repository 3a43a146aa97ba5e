/** Broken assumptions are bugs: they throw a named Error, which is never treated as a refusal. */

/**
 * Throws unless the condition holds.
 * @throws Error naming what does not hold.
 */
export function assert(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`Assertion failed: ${what}`);
}

/**
 * Returns the value, which must exist.
 * @throws Error naming what is missing.
 */
export function must<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new Error(`Missing: ${what}`);
  return value;
}
