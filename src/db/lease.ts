/** Leases in SQL: all use the database's clock, so that a process with a wrong clock cannot take another's lease. */

/**
 * SQL: the end of a lease that begins now.
 * @param ms its length in milliseconds: a parameter such as `:leaseMs`, or a number.
 */
export function leaseEnd<Ms extends string | number>(ms: Ms) {
  return `statement_timestamp() + ${ms} * interval '1 millisecond'` as const;
}

/**
 * The same within `on conflict … do update`, where Citus allows only columns of the two rows.
 * @param until the column of the new row, set to `leaseEnd(ms)`.
 */
export function isFreeFor<Ms extends string | number>(lockedUntil: string, until: string, ms: Ms) {
  return `(${lockedUntil} is null or ${until} - ${lockedUntil} >= ${ms} * interval '1 millisecond')` as const;
}

/**
 * SQL: whether a row has no lease, or an expired one.
 * @param lockedUntil the column.
 */
export function isFree(lockedUntil: string): string {
  return `(${lockedUntil} is null or ${lockedUntil} <= statement_timestamp())`;
}
