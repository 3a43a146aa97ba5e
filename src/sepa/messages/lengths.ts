/**
 * The lengths of text fields in a bank file (EPC implementation guidelines). Names and places of debtor and creditor
 * alike.
 */

export const NAME_CHARS_MAX = 70;
export const STREET_CHARS_MAX = 70;
export const BUILDING_NUMBER_CHARS_MAX = 16;
export const POSTAL_CODE_CHARS_MAX = 16;
export const CITY_CHARS_MAX = 35;
/** The text on the customer's statement. */
export const REMITTANCE_CHARS_MAX = 140;
