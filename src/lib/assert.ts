/** Broken assumptions are our bug: they throw by name and are never caught as a refusal. */

/** @throws Error naming what does not hold. */
export function assert(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`Assertion failed: ${what}`);
}

/** The value, which has to be there. @throws Error naming what is missing. */
export function must<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new Error(`Missing: ${what}`);
  return value;
}
