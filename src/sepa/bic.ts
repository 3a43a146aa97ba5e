/** The format of a BIC (ISO 9362), as required by both versions of the bank files. Pure. */

/**
 * Bank, country, location, and the branch if there is one. The location never begins with 0 or 1 and never ends with
 * the letter O: for one that does, the schema of pain.008.001.02 refuses the whole file.
 */
export const BIC = /^[A-Z]{6}[A-Z2-9][A-NP-Z0-9](?:[A-Z0-9]{3})?$/;
