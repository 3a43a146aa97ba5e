/** The console's texts in one language, with money, dates and times in the person's format. Pure. */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../lib/clock.ts";
import type { IsoDate } from "../lib/dates.ts";
import { filled } from "../payment-page/render/wording.ts";
import { localDate } from "../sepa/windows.ts";
import { isMonth } from "./periods.ts";
import { de } from "./texts/de.ts";
import { en } from "./texts/en.ts";
import type { Plural, Texts } from "./texts/texts.ts";

const LANGUAGES = { en, de } as const;
type Language = keyof typeof LANGUAGES;

/** Each language by its tag, with its own name. */
export const CONSOLE_LANGUAGES: readonly (readonly [tag: string, name: string])[] = Object.entries(
  LANGUAGES,
).map(([tag, { languageName }]) => [tag, languageName]);

type Values = Readonly<Record<string, string | number>>;
/** The key of a single sentence. */
export type TextKey = { [K in keyof Texts]: Texts[K] extends string ? K : never }[keyof Texts];

export interface Words {
  readonly language: Language;
  readonly texts: Texts;
  /** The person's IANA time zone. */
  readonly timeZone: string;
  /** The text with its braces filled. */
  readonly say: (key: TextKey, values?: Values) => string;
  /** The plural form for the number. */
  count(forms: Plural, number: number, values?: Values): string;
  /** @param decimal such as `29.90`; written exactly, never through a float. */
  money(decimal: string, currency: string): string;
  /**
   * An amount as the person would type it into a form: `29,90` if the decimal separator is a comma. Any other text
   * stays unchanged.
   */
  typedAmount(text: string): string;
  number(value: number): string;
  /** A duration in the largest unit that it fills, such as `1.5 sec`. */
  duration(ms: number): string;
  /** For an axis: `€1.2K`. */
  shortMoney(value: number, currency: string): string;
  /** A share of 1 with one decimal, such as `1.8 %`. */
  percent(share: number): string;
  /** A difference between shares or amounts, as a percentage with its sign. */
  change(share: number): string;
  readonly country: (code: string) => string;
  /** The name of a language, also with its country: `de-AT`. */
  readonly languageOf: (tag: string) => string;
  /** The order of two texts. */
  compare(one: string, other: string): number;
  /** @param day `YYYY-MM-DD`, a day without a time. */
  day(day: string): string;
  /** The same without the year, for an axis. */
  shortDay(day: string): string;
  /** The day of the month with its weekday: `Mon 23`. */
  weekDay(day: string): string;
  /** A range of days, both `YYYY-MM-DD`; a whole month is shown by its name. */
  days(from: IsoDate, to: IsoDate): string;
  /** The current day in the person's zone. */
  today(now: Date): IsoDate;
  /** The day and time in the person's zone. */
  time(at: Date): string;
  /** With seconds and the zone's name. */
  exactTime(at: Date): string;
  /** A time within the last day as a duration, an older one as a date; within about a year without its year. */
  since(at: Date, now: Date): string;
}

/**
 * The texts for a person.
 * @param locale BCP 47, such as `de-AT`; a language other than the console's gives English texts, and the locale's
 * numbers and dates.
 */
export function wordsFor(locale: string | null, timeZone: string): Words {
  const tag = usable(locale);
  const key = `${tag} ${timeZone}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const made = makeWords(tag, timeZone);
  // Locales come from requests, so the cache is limited.
  if (cache.size < CACHED_MAX) cache.set(key, made);
  return made;
}

/**
 * The first supported language that a browser requests, with its region; else null.
 * @param header Accept-Language.
 */
export function languageAsked(header: string | string[] | undefined): string | null {
  const tags = String(header ?? "").split(",");
  const asked = tags.map((part) => (part.split(";")[0] ?? "").trim());
  return asked.find((tag) => (tag.split("-")[0] ?? "").toLowerCase() in LANGUAGES) ?? null;
}

const CACHED_MAX = 500;
const cache = new Map<string, Words>();
/** Within this time a day and a month are enough to identify a date. */
const YEAR_KNOWN_MS = 300 * DAY_MS;
const MILLISECOND = ["millisecond", 1] as const;
const UNITS = [
  ["day", DAY_MS],
  ["hour", HOUR_MS],
  ["minute", MINUTE_MS],
  ["second", SECOND_MS],
] as const;

function usable(locale: string | null): string {
  try {
    return new Intl.Locale(locale ?? "en").baseName;
  } catch {
    return "en";
  }
}

function makeWords(locale: string, timeZone: string): Words {
  const { language: spoken } = new Intl.Locale(locale);
  const language: Language = spoken in LANGUAGES ? (spoken as Language) : "en";
  const texts = LANGUAGES[language];
  const plurals = new Intl.PluralRules(language);
  const days = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" });
  const months = new Intl.DateTimeFormat(locale, { month: "long", year: "numeric", timeZone: "UTC" });
  const weekDays = new Intl.DateTimeFormat(locale, { weekday: "short", day: "numeric", timeZone: "UTC" });
  const shortDays = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone: "UTC" });
  const times = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", timeZone });
  const timesOfYear = new Intl.DateTimeFormat(locale, {
    day: "numeric",
    month: "short",
    // Like the style "short": 9:05 AM, but 09:05.
    hour: times.resolvedOptions().hourCycle === "h23" ? "2-digit" : "numeric",
    minute: "2-digit",
    timeZone,
  });
  const exact = new Intl.DateTimeFormat(locale, { dateStyle: "long", timeStyle: "long", timeZone });
  const spans = new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "short" });
  const numbers = new Intl.NumberFormat(locale);
  // Forms accept digits with a dot or a comma, and no other character.
  const isComma = numbers.formatToParts(1.5).some(({ type, value }) => type === "decimal" && value === ",");
  const percents = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 });
  const changes = new Intl.NumberFormat(locale, {
    style: "percent",
    maximumFractionDigits: 1,
    signDisplay: "exceptZero",
  });
  const countries = new Intl.DisplayNames(locale, { type: "region" });
  const spokenNames = new Intl.DisplayNames(locale, { type: "language" });
  const order = new Intl.Collator(locale);
  const moneys = madeOnce((currency) => new Intl.NumberFormat(locale, { style: "currency", currency }));
  const shortMoneys = madeOnce(
    (currency) =>
      new Intl.NumberFormat(locale, {
        style: "currency",
        currency,
        notation: "compact",
        minimumFractionDigits: 0,
        maximumFractionDigits: 1,
      }),
  );
  const lengths = (maximumFractionDigits: number) =>
    madeOnce(
      (unit) =>
        new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "short", maximumFractionDigits }),
    );
  const [wholes, tenths] = [lengths(0), lengths(1)];
  return {
    language,
    texts,
    timeZone,
    say: (key, values = {}) => filled(texts[key], values),
    count: (forms, number, values = {}) =>
      filled((forms as Record<string, string>)[plurals.select(number)] ?? forms.other, {
        ...values,
        number: numbers.format(number),
      }),
    money: (decimal, currency) => moneys(currency).format(decimal as Intl.StringNumericLiteral),
    typedAmount: (text) => (isComma && /^\d+\.\d{1,2}$/.test(text) ? text.replace(".", ",") : text),
    number: (value) => numbers.format(value),
    duration(ms) {
      const [unit, size] = UNITS.find(([, one]) => ms >= one) ?? MILLISECOND;
      return (ms < size * 10 ? tenths : wholes)(unit).format(ms / size);
    },
    shortMoney: (value, currency) => shortMoneys(currency).format(value),
    percent: (share) => percents.format(share),
    change: (share) => changes.format(share),
    country: (code) => nameIn(countries, code),
    languageOf: (tag) => nameIn(spokenNames, tag),
    compare: (one, other) => order.compare(one, other),
    shortDay: (day) => shortDays.format(new Date(`${day}T00:00:00Z`)),
    day: (day) => days.format(new Date(`${day}T00:00:00Z`)),
    days(from, to) {
      const [first, last] = [new Date(`${from}T00:00:00Z`), new Date(`${to}T00:00:00Z`)];
      if (isMonth({ from, to })) return months.format(first);
      return from <= to ? days.formatRange(first, last) : `${days.format(first)} – ${days.format(last)}`;
    },
    weekDay: (day) => weekDays.format(new Date(`${day}T00:00:00Z`)),
    today: (now) => localDate(now, timeZone).toString(),
    time: (at) => times.format(at),
    exactTime: (at) => exact.format(at),
    since(at, now) {
      const ms = now.getTime() - at.getTime();
      return span(spans, ms) ?? (Math.abs(ms) < YEAR_KNOWN_MS ? timesOfYear : times).format(at);
    },
  };
}

/** The name of a country or language; the code itself if it has none, or is no code. */
function nameIn(names: Intl.DisplayNames, code: string): string {
  try {
    return names.of(code) ?? code;
  } catch {
    return code;
  }
}

/** Creating a format takes a hundred times as long as using it, and a page contains hundreds of amounts. */
function madeOnce(make: (of: string) => Intl.NumberFormat): (of: string) => Intl.NumberFormat {
  const made = new Map<string, Intl.NumberFormat>();
  return (of) => {
    const format = made.get(of) ?? make(of);
    made.set(of, format);
    return format;
  };
}

/** Null for a time more than a day ago, or in the future. */
function span(spans: Intl.RelativeTimeFormat, ms: number): string | null {
  if (ms < -MINUTE_MS || ms >= DAY_MS) return null;
  if (ms < MINUTE_MS) return spans.format(0, "second");
  if (ms < HOUR_MS) return spans.format(-Math.floor(ms / MINUTE_MS), "minute");
  return spans.format(-Math.floor(ms / HOUR_MS), "hour");
}
