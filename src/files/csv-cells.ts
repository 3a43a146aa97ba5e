/** Free text in CSV files for spreadsheets (RFC 4180; contract: CSV). */

/**
 * A spreadsheet may be configured to split at characters other than commas: what follows one of these may be a cell of
 * its own.
 */
const SEPARATOR = String.raw`[;\t\r\n]`;
/** The start of a formula: an operator sign, also full-width or small, after any invisible characters. */
const FORMULA = String.raw`(?:[[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]--[\t\r\n]]*[=+\-@＝＋－＠﹦﹢﹣﹫−])`;
const RUNS = new RegExp(`(?<=^|${SEPARATOR})(?=${FORMULA})|^(?=[\\t\\r\\n])`, "gv");
const DEFUSED = new RegExp(`(?<=^|${SEPARATOR})'+(?=${FORMULA})|^'+(?=[\\t\\r\\n])`, "gv");
const NEEDS_QUOTES = /[",;\t\r\n]/;

/** A cell that no spreadsheet executes: a possible formula is preceded by `'`, even behind another separator. */
export function csvText(text: string): string {
  const safe = text.replace(RUNS, "'");
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A cell that is equally safe and that `textOf` reverses, even if the text itself begins with a `'`. */
export function reversibleCsvText(text: string): string {
  return csvText(text.replace(DEFUSED, "$&'"));
}

/** The text of a cell of `reversibleCsvText`. */
export function textOf(cell: string): string {
  return cell.replace(DEFUSED, (found) => found.slice(0, -1));
}
