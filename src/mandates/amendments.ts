/** SQL about a mandate's amendments: which ones the bank knows, and whether its account was used. */

/**
 * Whether the bank knows an amendment `a` of a mandate: a collection that reported it was accepted. One in a file that was
 * rejected, or has no answer yet, is uncertain.
 */
export const AMENDMENT_REPORTED = `exists (
       select 1 from sepa_collections announced
        where announced.tenant = :tenant and announced.mandate_id = a.mandate_id and announced.amended_up_to >= a.number
          and announced.state in ('settled', 'returned'))`;

/** Whether mandate `m` was debited elsewhere with the account that it has: then its bank pays on it. */
export const IS_PROVEN_BY_USE = `(m.used_elsewhere and not exists (
       select 1 from mandate_amendments moved
        where moved.tenant = :tenant and moved.mandate_id = m.id and moved.kind = 'account'))` as const;
