/** Effect of a returned payment on its mandate: an SQL fragment for the statements that write it. */

/**
 * SQL for a `with` branch: ends the mandate of a transaction.
 * @param from the branch with the transaction's row.
 * @param ends a parameter that says whether the reason ends it. @param reason one with the ISO code.
 */
export function mandateFollows<Ends extends string, Reason extends string>({
  from,
  ends,
  reason,
}: {
  from: string;
  ends: Ends;
  reason: Reason;
}) {
  return `
     update mandates
        set status = 'cancelled', cancelled_at = :now, cancelled_by = 'bank', status_reason = ${reason}, updated_at = :now
       from ${from} t
      where mandates.tenant = :tenant and mandates.id = t.mandate_id and mandates.status = 'active' and ${ends}::boolean` as const;
}
