/** What a BIC looks like (ISO 9362), as both versions of the bank files have it. Pure. */

/**
 * Bank, country, place, and the branch where there is one. The place never begins with 0 or 1 and never ends with the letter O:
 * the schema of pain.008.001.02 refuses a whole file for one that does.
 */
export const BIC = /^[A-Z]{6}[A-Z2-9][A-NP-Z0-9](?:[A-Z0-9]{3})?$/;
