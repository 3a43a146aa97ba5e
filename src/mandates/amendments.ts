/** SQL about a mandate's amendments: which ones the bank knows, and whether its account has been used. */

const reportedBy = <States extends string>(states: States) =>
  `exists (
       select 1 from sepa_collections announced
        where announced.tenant = :tenant and announced.mandate_id = a.mandate_id and announced.amended_up_to >= a.number
          and announced.state in (${states}))` as const;

/**
 * Whether the bank knows an amendment `a` of a mandate: a collection that reported it was accepted. It is uncertain for
 * a file that was rejected or has no answer yet.
 */
export const AMENDMENT_REPORTED = reportedBy("'settled', 'returned'");

/** Whether a file without an answer reports the amendment `a`: the bank may know it. */
export const AMENDMENT_IN_FILE = reportedBy("'batched'");

/** Whether mandate `m` was debited elsewhere with its current account: its bank pays it then. */
export const IS_PROVEN_BY_USE = `(m.used_elsewhere and not exists (
       select 1 from mandate_amendments moved
        where moved.tenant = :tenant and moved.mandate_id = m.id and moved.kind = 'account'))` as const;
