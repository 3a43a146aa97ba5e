/** Leases in SQL: all use the database's clock, so that a process with a wrong clock cannot take another's lease. */

/** The end of a lease that begins now. @param ms its length in milliseconds: a parameter such as `:leaseMs`, or a figure. */
export function leaseEnd<Ms extends string | number>(ms: Ms) {
  return `statement_timestamp() + ${ms} * interval '1 millisecond'` as const;
}

/**
 * The same within `on conflict … do update`, where Citus lets nothing be asked but the two rows.
 * @param until the column of the new row, made by `leaseEnd(ms)`.
 */
export function isFreeFor<Ms extends string | number>(lockedUntil: string, until: string, ms: Ms) {
  return `(${lockedUntil} is null or ${until} - ${lockedUntil} >= ${ms} * interval '1 millisecond')` as const;
}

/** Whether a row may be taken: it has no lease, or its lease has ended. @param lockedUntil the column. */
export function isFree(lockedUntil: string): string {
  return `(${lockedUntil} is null or ${lockedUntil} <= statement_timestamp())`;
}
