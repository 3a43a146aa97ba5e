/**
 * Statements whose tables have not been tried with every change yet, as they are now: what no row tells apart is not
 * known.
 */
export const UNTRIED: readonly string[] = [];
