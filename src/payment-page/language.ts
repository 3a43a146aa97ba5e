/**
 * Chooses the language of a page: from the switch, the session, the browser, the page's settings or the customer's
 * country; else English. Pure.
 */
import { LANGUAGES, type Language } from "./texts/all.ts";

export interface LanguageChoices {
  /** The language chosen by the customer on the page. */
  readonly chosen: string | undefined;
  /** The language set by the merchant for this customer. */
  readonly sessionLocale: string | null;
  readonly acceptLanguage: string | undefined;
  readonly pageLocale: string | null;
  /** The customer's country, ISO 3166-1. */
  readonly country: string | null;
  readonly merchantLocale: string | null;
}

const COUNTRY_LANGUAGES =
  "AD:ca AL:sq AT:de BE:nl BG:bg CH:de CY:el CZ:cs DE:de DK:da EE:et ES:es FI:fi FR:fr GB:en GI:en GR:el HR:hr HU:hu IE:en " +
  "IS:is IT:it LI:de LT:lt LU:fr LV:lv MC:fr MD:ro ME:sr-Latn MK:mk MT:mt NL:nl NO:nb PL:pl PT:pt RO:ro RS:sr SE:sv SI:sl " +
  "SK:sk SM:it VA:it";
const LANGUAGE_OF_COUNTRY: ReadonlyMap<string, string> = new Map(
  COUNTRY_LANGUAGES.split(" ").map((pair) => [pair.slice(0, 2), pair.slice(3)] as const),
);
/** Other tags for our languages. */
const ALIASES: Readonly<Record<string, string>> = { no: "nb", "sr-me": "sr-Latn", cnr: "sr-Latn", mo: "ro" };

/**
 * RFC 5646, 4.4.1, recommends room for 35 characters; the first parts of a longer tag are enough to find one of our
 * languages.
 */
const TAG_CHARS_MAX = 64;

export function languageOf(wishes: LanguageChoices): Language {
  const tags = [
    wishes.chosen,
    wishes.sessionLocale,
    ...acceptedTags(wishes.acceptLanguage ?? ""),
    wishes.pageLocale,
    LANGUAGE_OF_COUNTRY.get(wishes.country ?? ""),
    wishes.merchantLocale,
  ];
  for (const tag of tags) {
    const language = typeof tag === "string" ? supported(tag) : null;
    if (language !== null) return language;
  }
  return "en";
}

/** Our language for a tag such as `de-AT` or `sr_Latn_RS`, or null. */
function supported(tag: string): Language | null {
  if (tag.length > TAG_CHARS_MAX) return null;
  const parts = tag.toLowerCase().split(/[-_]/);
  for (let length = parts.length; length > 0; length -= 1) {
    const shorter = parts.slice(0, length).join("-");
    const wanted = (ALIASES[shorter] ?? shorter).toLowerCase();
    const found = LANGUAGES.find((language) => language.toLowerCase() === wanted);
    if (found !== undefined) return found;
  }
  return null;
}

/** The tags of an Accept-Language header, by descending preference (RFC 9110, 12.5.4). */
function acceptedTags(header: string): readonly string[] {
  return header
    .slice(0, 500)
    .split(",")
    .map((part) => {
      const [tag = "", ...parameters] = part.trim().split(/\s*;\s*/);
      const quality = parameters.find((parameter) => parameter.startsWith("q="));
      return { tag, weight: quality === undefined ? 1 : Number(quality.slice(2)) || 0 };
    })
    .filter(({ tag, weight }) => tag !== "" && tag !== "*" && weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag);
}
