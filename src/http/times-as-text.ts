/** Converts rows for responses. Pure. */

/** The row with each of its times as ISO 8601. */
export function timesAsText(row: object): object {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]),
  );
}
