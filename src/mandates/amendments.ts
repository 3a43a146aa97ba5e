/** Which amendments of a mandate were reported to the bank. */

/**
 * Whether the bank knows an amendment `a` of a mandate: a collection that reported it was accepted. One in a file that was
 * rejected, or has no answer yet, is uncertain.
 */
export const AMENDMENT_REPORTED = `exists (
       select 1 from sepa_collections announced
        where announced.tenant = :tenant and announced.mandate_id = a.mandate_id and announced.amended_up_to >= a.number
          and announced.state in ('settled', 'returned'))`;
