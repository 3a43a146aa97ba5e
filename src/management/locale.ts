/** Languages are BCP 47 tags, stored in canonical form: `de-at` becomes `de-AT`. */

/** The canonical form; null unless it is a language tag. */
export function canonicalLocale(tag: string): string | null {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
}

/** The problem of a locale in a request; null if it is valid or absent. */
export function localeProblem(locale: string | null | undefined): string | null {
  return locale && canonicalLocale(locale) === null ? "Enter a language tag such as de-AT." : null;
}
