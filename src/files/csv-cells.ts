/** Free text in CSV files for spreadsheets (RFC 4180; contract: CSV). */

/** A spreadsheet may be configured to split at other characters than commas: what follows one of these may be a cell of its own. */
const SEPARATOR = String.raw`[;\t\r\n]`;
/** What begins a formula, full-width and small signs too, behind whatever cannot be seen. */
const FORMULA = String.raw`(?:[[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]--[\t\r\n]]*[=+\-@＝＋－＠﹦﹢﹣﹫−])`;
const RUNS = new RegExp(`(?<=^|${SEPARATOR})(?=${FORMULA})|^(?=[\\t\\r\\n])`, "gv");
const DEFUSED = new RegExp(`(?<=^|${SEPARATOR})'+(?=${FORMULA})|^'+(?=[\\t\\r\\n])`, "gv");
const NEEDS_QUOTES = /[",;\t\r\n]/;

/** A cell that no spreadsheet runs: what could be a formula has a `'` in front of it, also behind another separator. */
export function csvText(text: string): string {
  const safe = text.replace(RUNS, "'");
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The same, so that `textOf` gives back the text as it was, even one that has such a `'` itself. */
export function reversibleCsvText(text: string): string {
  return csvText(text.replace(DEFUSED, "$&'"));
}

/** The text of a cell of `reversibleCsvText`. */
export function textOf(cell: string): string {
  return cell.replace(DEFUSED, (found) => found.slice(0, -1));
}
