/** Free text in CSV files for spreadsheets (RFC 4180; contract, reconciliation rule 5; decision R5). */

/** What a spreadsheet takes for the beginning of a formula: full-width signs too, and some skip spaces before it. */
const FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/;
const NEEDS_QUOTES = /[",\r\n]/;

/** A cell that no spreadsheet runs: what could be a formula has a `'` in front of it. */
export function csvText(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
