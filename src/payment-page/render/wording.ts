/** The texts of a page in one language, with amounts, dates and counts formatted for the customer's country. Pure. */
import type { BillingFrequency, TrialIntervalUnit } from "../../subscriptions/billing-terms.ts";
import { TEXTS, type Language } from "../texts/all.ts";
import type { Plural, Texts } from "../texts/texts.ts";

type Values = Readonly<Record<string, string | number>>;
type TextKey = { [K in keyof Texts]: Texts[K] extends string ? K : never }[keyof Texts];
type PluralKey = Exclude<{ [K in keyof Texts]: Texts[K] extends Plural ? K : never }[keyof Texts], TextKey>;

export interface PageWords {
  readonly language: Language;
  readonly direction: "ltr" | "rtl";
  readonly texts: Texts;
  /** The text with its braces filled. */
  say(key: TextKey, values?: Values): string;
  /** The plural form for the number in `{name}`. */
  count(key: PluralKey, name: string, number: number): string;
  /** @param decimal such as `29.90`; written exactly, never through a float. */
  amount(decimal: string, currency: string): string;
  /**
   * An amount in euros as a customer types it, converted to `1234.50`, without currency and grouping. The result is not
   * validated.
   */
  plainAmount(typed: string): string;
  /**
   * @param decimal such as `29.90`.
   * @returns it as the customer would type it: `29,90`.
   */
  typedAmount(decimal: string): string;
  /** @param day `YYYY-MM-DD` or an instant, shown as the day in UTC. */
  date(day: string | Date): string;
  /** "14 days" */
  duration(unit: TrialIntervalUnit, period: number): string;
  interval(frequency: BillingFrequency): string;
  country(code: string): string;
}

/**
 * The texts of a language.
 * @param country of the customer, for amounts and dates: German is written differently in Austria.
 * @param former texts that replace the current ones.
 */
export function wordsIn(language: Language, country: string | null, former?: Partial<Texts>): PageWords {
  if (former !== undefined) return makeWords(language, country, { ...TEXTS[language], ...former });
  const key = `${language}-${country ?? ""}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const made = makeWords(language, country, TEXTS[language]);
  cache.set(key, made);
  return made;
}

/** At most one entry for each pair of our languages and the world's countries. */
const cache = new Map<string, PageWords>();

function makeWords(language: Language, country: string | null, texts: Texts): PageWords {
  const locale = localeOf(language, country);
  const dates = new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone: "UTC" });
  const plurals = new Intl.PluralRules(language);
  const euros = new Intl.NumberFormat(locale, { style: "currency", currency: "EUR" });
  const parts = euros.formatToParts(1_234_567.5);
  const separator = (type: "group" | "decimal") => parts.find((part) => part.type === type)?.value ?? "";
  const countries = new Intl.DisplayNames(language, { type: "region" });
  return {
    language,
    texts,
    direction: new Intl.Locale(language).getTextInfo().direction === "rtl" ? "rtl" : "ltr",
    say: (key, values = {}) => elided(language, filled(texts[key], values)),
    count: (key, name, number) => {
      const forms = texts[key];
      return filled(forms[plurals.select(number)] ?? forms.other, { [name]: number });
    },
    amount: (decimal, currency) =>
      new Intl.NumberFormat(locale, { style: "currency", currency }).format(
        decimal as Intl.StringNumericLiteral,
      ),
    plainAmount: (typed) => plainAmount(typed, separator("group")),
    typedAmount: (decimal) => decimal.replace(".", separator("decimal")),
    date: (day) => {
      const written = dates.format(typeof day === "string" ? new Date(`${day}T00:00:00Z`) : day);
      // Intl omits the ordinal.
      if (language === "fr") return written.replace(/^1 /, "1er ");
      return language === "it" ? written.replace(/^1 /, "1º ") : written;
    },
    duration: (unit, period) =>
      new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }).format(period),
    interval: (frequency) => texts.every[frequency],
    country: (code) => countries.of(code) ?? code,
  };
}

/** Italian: "dell’8 aprile", "all’11 maggio", as these numbers begin with a vowel. */
function elided(language: Language, text: string): string {
  if (language !== "it") return text;
  return text.replace(
    /\b(?:il|(del|al|dal|nel|sul)) (?=(?:8|11) \p{L}+ \d{4})/gu,
    (_, joined: string | undefined) => (joined === undefined ? "l’" : `${joined}l’`),
  );
}

/**
 * Thousands are grouped as in the customer's language, or with spaces or apostrophes: "1.000,50", "1 000,50" and
 * "1’000.50". The decimal separator is the dot or comma that does not group.
 */
function plainAmount(typed: string, group: string): string {
  const sum = typed.replace(/^\s*(?:€|EUR)|(?:€|EUR)\s*$/giu, "").trim();
  const decimal = new Map([
    [".", ","],
    [",", "."],
  ]).get(group);
  const grouped = new RegExp(`^\\d{1,3}(?:[\\s'’${group}]\\d{3})+(?=$|[${decimal ?? ".,"}]\\d{1,2}$)`);
  return sum.replace(grouped, (digits) => digits.replace(/\D/g, "")).replace(",", ".");
}

/** A lead's country is any two letters; Intl does not accept all of them as a region. */
function localeOf(language: Language, country: string | null): string {
  try {
    return new Intl.Locale(language, country === null ? {} : { region: country }).toString();
  } catch {
    return language;
  }
}

/**
 * Fills the braces of a text. Braces without a value stay, so that tests detect a missing value. A value that ends in a
 * full stop, such as a day in Croatian, also ends the sentence.
 */
export function filled(text: string, values: Values): string {
  return text.replace(/\{(\w+)\}(\.(?!\.))?/g, (whole, name: string, stop = "") => {
    if (values[name] === undefined) return whole;
    const value = String(values[name]);
    return value.endsWith(".") ? value : `${value}${stop}`;
  });
}
