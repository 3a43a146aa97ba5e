/** Which amendments of a mandate its bank has heard of. */

/**
 * Whether the bank knows an amendment `a` of a mandate: a collection that announced it was accepted. One in a file that was
 * refused, or that nobody has answered yet, has told nothing for sure. `known_to_bank`: it was never
 * told otherwise.
 */
export const AMENDMENT_TOLD = `(a.known_to_bank or exists (
       select 1 from sepa_collections told
        where told.tenant = :tenant and told.mandate_id = a.mandate_id and told.amended_up_to >= a.number
          and told.state in ('settled', 'returned')))`;
