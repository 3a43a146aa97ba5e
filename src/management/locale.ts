/** Languages are BCP 47 tags, kept in their canonical form: `de-at` is `de-AT`. */

/** The canonical form; null unless it is a language tag. */
export function canonicalLocale(tag: string): string | null {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
}

/** What is wrong with a locale that a request sets; null when nothing is, or none is set. */
export function localeProblem(locale: string | null | undefined): string | null {
  return locale && canonicalLocale(locale) === null ? "Enter a language tag such as de-AT." : null;
}
