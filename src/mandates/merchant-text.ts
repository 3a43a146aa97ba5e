/**
 * A mandate text that the merchant provides instead of the scheme's, with placeholders for what a mandate has to
 * contain. Pure.
 */

/** What the rulebooks require in every mandate. */
const REQUIRED = ["creditor", "identifier", "reference", "type"] as const;
const OPTIONAL = ["address", "notice", "date"] as const;
const PLACES: ReadonlySet<string> = new Set([...REQUIRED, ...OPTIONAL]);

export const MERCHANT_TEXT_CHARS_MAX = 5_000;
export const PLACES_IN_WORDS = `{${REQUIRED.join("}, {")}} are required; {${OPTIONAL.join("}, {")}} can be used.`;

/** The values of the placeholders; null where there is none. */
type MandateFacts = Readonly<Record<(typeof REQUIRED)[number] | (typeof OPTIONAL)[number], string | null>>;

/** The error in a text, or null. */
export function merchantTextProblem(text: string): string | null {
  const named = placesOf(text);
  const missing = REQUIRED.filter((place) => !named.has(place));
  const unknown = [...named].filter((place) => !PLACES.has(place));
  if (missing.length === 0 && unknown.length === 0) return null;
  const parts = [
    missing.length === 0 ? "" : `It lacks {${missing.join("}, {")}}.`,
    unknown.length === 0 ? "" : `There is no {${unknown.join("}, {")}}.`,
  ];
  return [...parts.filter((part) => part !== ""), PLACES_IN_WORDS].join(" ");
}

function placesOf(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/\{([^{}]*)\}/g)].map(([, place = ""]) => place));
}

/** The text as shown to the customer: paragraphs, separated by blank lines. */
export function merchantParagraphs(text: string, facts: MandateFacts): readonly string[] {
  return text
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== "")
    .map((paragraph) =>
      paragraph.replace(/\{(\w+)\}/g, (_, place: keyof MandateFacts) => facts[place] ?? "–"),
    );
}
