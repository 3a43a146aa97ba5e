/** What becomes of the mandate of a payment that the bank sent back: a piece for the statements that write it. */

/**
 * SQL for a `with` branch: ends the mandate of the transaction `t`. `$1` is the tenant and `$3` the time.
 * @param ends a parameter that says whether the reason ends it. @param reason one with the ISO code.
 */
export function mandateFollows(ends: string, reason: string): string {
  return `
     update mandates
        set status = 'cancelled', cancelled_at = $3, cancelled_by = 'bank', status_reason = ${reason}, updated_at = $3
       from t
      where mandates.tenant = $1 and mandates.id = t.mandate_id and mandates.status = 'active' and ${ends}::boolean`;
}
