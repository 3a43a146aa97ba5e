/**
 * Parses times from the database, for lists of thousands: `to_char` takes longer than everything else in a row. Pure.
 */

/** `2026-03-01 12:00:00.123+00`: most times have three digits of milliseconds. */
const USUAL_CHARACTERS = 26;
const MILLISECONDS_DIGITS = 3;

/**
 * An instant as ISO 8601 with milliseconds.
 * @param text PostgreSQL's text of a timestamptz, in a connection whose time zone is UTC: a zone of three characters, and
 *   a fraction of up to six digits, or none where it is zero.
 */
export function isoFromDatabase(text: string): string {
  const date = text.slice(0, 10);
  if (text.length === USUAL_CHARACTERS) return `${date}T${text.slice(11, 23)}Z`;
  const fraction = text.slice(20, -3).slice(0, MILLISECONDS_DIGITS);
  return `${date}T${text.slice(11, 19)}.${fraction.padEnd(MILLISECONDS_DIGITS, "0")}Z`;
}
