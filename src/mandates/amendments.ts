/** Which amendments of a mandate were reported to the bank. */

/**
 * Whether the bank knows an amendment `a` of a mandate: a collection that reported it was accepted. One in a file that was
 * rejected, or has no answer yet, is uncertain. `known_to_bank`: it was never
 * told otherwise.
 */
export const AMENDMENT_TOLD = `(a.known_to_bank or exists (
       select 1 from sepa_collections told
        where told.tenant = :tenant and told.mandate_id = a.mandate_id and told.amended_up_to >= a.number
          and told.state in ('settled', 'returned')))`;
