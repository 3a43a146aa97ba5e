/** SQL about a mandate's amendments: which ones the bank knows, and whether its account has been used. */

const isReported = <By extends string>(by: By) =>
  `exists (
       select 1 from sepa_collections announced
        where announced.tenant = :tenant and announced.mandate_id = a.mandate_id and ${by})` as const;

/**
 * Whether the bank knows an amendment `a` of a mandate: a collection that reported it was accepted. It is uncertain for
 * a file that was rejected or has no answer yet.
 */
export const AMENDMENT_REPORTED = isReported(
  "announced.amended_up_to >= a.number and announced.state in ('settled', 'returned')",
);

/** Whether a file without an answer has the mandate's values from after the amendment `a`. */
export const AMENDMENT_IN_FILE = isReported(
  "announced.amended_up_to = a.number and announced.state = 'batched'",
);

/** Whether mandate `m` was debited elsewhere with its current account: its bank pays it then. */
export const IS_PROVEN_BY_USE = `(m.used_elsewhere and not exists (
       select 1 from mandate_amendments moved
        where moved.tenant = :tenant and moved.mandate_id = m.id and moved.kind = 'account'))` as const;
