/** Every language has every text, with the same facts in it. */
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import test from "node:test";
import { LANGUAGE_NAMES, LANGUAGES, TEXTS } from "../texts/all.ts";
import { en } from "../texts/en.ts";
import { FORMER } from "../texts/former.ts";
import { textVersion } from "../mandate-text.ts";
import { wordsIn } from "./wording.ts";

/** The languages of the SEPA countries, all of which the page must support. */
const REQUIRED = "bg cs da de el en es et fi fr ga hr hu is it lt lv mt nl nb pl pt ro sk sl sv".split(" ");

test("the languages of the SEPA countries are there", () => {
  assert.deepEqual(
    REQUIRED.filter((language) => !LANGUAGES.some((ours) => ours === language)),
    [],
  );
  assert.equal(new Set(LANGUAGE_NAMES.map(([, name]) => name)).size, LANGUAGES.length);
});

for (const language of LANGUAGES) {
  test(`${language} has every text, with the places to be filled of the English one`, () => {
    const ours = flat(TEXTS[language]);
    const plural = (key: string) => /^(attemptsLeft|leavingIn)\./.test(key);
    for (const [key, english] of flat(en)) {
      if (plural(key)) continue;
      const text = ours.get(key) ?? "";
      assert.ok(text.trim().length > 0, key);
      assert.deepEqual(places(text), places(english), key);
    }
    assert.deepEqual(
      [...ours.keys()].filter((key) => !plural(key)).toSorted(),
      [...flat(en).keys()].filter((key) => !plural(key)).toSorted(),
    );
  });

  test(`${language} has a form for every number`, () => {
    const words = wordsIn(language, null);
    const categories = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    assert.deepEqual(Object.keys(words.texts.attemptsLeft).toSorted(), categories.toSorted());
    assert.deepEqual(Object.keys(words.texts.leavingIn).toSorted(), categories.toSorted());
    for (let number = 0; number <= 101; number += 1) {
      assert.doesNotMatch(words.count("attemptsLeft", "count", number), /[{}]/);
      assert.doesNotMatch(words.count("leavingIn", "seconds", number), /[{}]/);
    }
  });
}

/** Words that are correctly the same as in English. */
const AS_IN_ENGLISH: Readonly<Partial<Record<(typeof LANGUAGES)[number], readonly string[]>>> = {
  ca: ["creditor"],
  cs: ["placeOnline"],
  da: ["placeOnline", "bank"],
  de: ["placeOnline", "bank"],
  fr: ["date", "contact", "evidenceHeading"],
  hu: ["placeOnline", "bank"],
  it: ["placeOnline", "privacy"],
  lb: ["placeOnline", "bank"],
  mt: ["placeOnline", "bank"],
  nb: ["bank"],
  nl: ["details", "placeOnline", "bank", "privacy", "contact"],
  nn: ["bank"],
  pl: ["placeOnline", "bank"],
  ro: ["creditor", "placeOnline", "contact"],
  sk: ["placeOnline"],
  sv: ["placeOnline", "bank"],
};

test("no text of another language is still the English one, except for words that are the same in both", () => {
  for (const language of LANGUAGES.filter((one) => one !== "en")) {
    const ours = flat(TEXTS[language]);
    const same = [...flat(en)].flatMap(([key, text]) => (ours.get(key) === text ? [key] : []));
    assert.deepEqual(
      same.filter((key) => key !== "ibanLabel"),
      AS_IN_ENGLISH[language] ?? [],
      language,
    );
  }
});

test("the 8 weeks of the refund right stand in every mandate", () => {
  for (const language of LANGUAGES)
    assert.match(TEXTS[language].mandateRefund, /8|eight|osm|ocht/i, language);
});

test("no B2B mandate promises the refund that its scheme does not have", () => {
  for (const language of LANGUAGES) {
    const { businessHeading, businessTerms, mandateRefund, mandateHeading } = TEXTS[language];
    assert.doesNotMatch(businessTerms, /[0-9]/, language);
    assert.notEqual(businessTerms, mandateRefund, language);
    assert.notEqual(businessHeading, mandateHeading, language);
  }
});

/** The checksum of each version of the mandate's texts in all languages: it never changes. */
const SUMS: readonly (readonly [version: string, core: string, business: string])[] = [
  ["2026-11-2", "4610a6991171edea", "53a29c0611d0e655"],
  ["2026-11-3", "160e3206c641bea1", "089b50f4b0467ac5"],
];

test("a mandate text changes only together with its version, and what was signed under a former one can still be read", () => {
  const both = [
    "mandateRights",
    "mandateRecurring",
    "mandateOneOff",
    "mandateDebtor",
    "mandateAccept",
    "mandateImplicit",
  ] as const;
  const sums = SUMS.map(([version]) => {
    const sumOf = (...keys: readonly (keyof typeof en)[]) => {
      const texts = LANGUAGES.map((language) => {
        const said = { ...TEXTS[language], ...FORMER.get(version)?.[language] };
        return keys.map((key) => said[key]);
      });
      return hash("sha256", JSON.stringify(texts)).slice(0, 16);
    };
    const core = sumOf("mandateAuthorise", "mandateRefund", ...both);
    return [version, core, sumOf("mandateAuthorise", "businessTerms", ...both)];
  });
  const advice =
    "raise the version in payment-page/mandate-text.ts, write what it said into texts/former.ts, and the new sums here";
  assert.deepEqual(sums, SUMS, advice);
  const [version = ""] = SUMS.at(-1) ?? [];
  assert.equal(textVersion("CORE", "xx"), `${version}/xx`);
  assert.equal(textVersion("B2B", "xx"), `${version}-b2b/xx`);
  assert.deepEqual(
    [...FORMER.keys()],
    SUMS.slice(0, -1).map(([name]) => name),
  );
});

test("amounts, dates and lengths of time are written as the customer's country does", () => {
  const austria = wordsIn("de", "AT");
  assert.equal(plain(austria.amount("1234.50", "EUR")), "€ 1.234,50");
  assert.equal(plain(wordsIn("de", "DE").amount("1234.50", "EUR")), "1.234,50 €");
  assert.equal(wordsIn("en", "IE").amount("99999999.99", "EUR"), "€99,999,999.99");
  assert.equal(austria.date("2027-01-31"), "31. Jänner 2027");
  assert.equal(wordsIn("en", "GB").date(new Date("2026-12-31T23:59:59Z")), "31 December 2026");
  assert.equal(wordsIn("en", "IE").duration("day", 14), "14 days");
  assert.equal(wordsIn("en", "Q1").amount("1.00", "EUR"), "€1.00");
});

const AMOUNTS: readonly (readonly [
  language: (typeof LANGUAGES)[number],
  country: string,
  typed: string,
  plain: string,
])[] = [
  ["en", "IE", "7", "7"],
  ["en", "IE", "7,25", "7.25"],
  ["en", "IE", "€1,000.50", "1000.50"],
  ["en", "IE", "1,000", "1000"],
  ["en", "IE", "12,345,678.9", "12345678.9"],
  ["en", "IE", "1.000", "1.000"],
  ["en", "IE", "1,00,000", "1.00,000"],
  ["de", "DE", "1.000,00 €", "1000.00"],
  ["de", "DE", "1.000", "1000"],
  ["de", "DE", "12,5", "12.5"],
  ["de", "DE", "12.50", "12.50"],
  ["de", "DE", "12,345", "12.345"],
  ["de", "DE", "1.0000", "1.0000"],
  ["de", "AT", "EUR 1 000,50", "1000.50"],
  ["de", "CH", "1’000.50", "1000.50"],
  ["fr", "FR", "1 000,50 eur", "1000.50"],
  ["fr", "FR", "1\u202f000", "1000"],
  ["fr", "FR", "1.000", "1.000"],
  ["es", "ES", "1.000,50", "1000.50"],
  ["pl", "PL", "1'000,5", "1000.5"],
  ["de", "DE", "1 2", "1 2"],
  ["de", "DE", "-5", "-5"],
  ["de", "DE", "１.000", "１.000"],
];

test("an amount is read as a customer types it, with groups of thousands as the language has them, and never as another one", () => {
  for (const [language, country, typed, expected] of AMOUNTS)
    assert.equal(wordsIn(language, country).plainAmount(typed), expected, `${language}: ${typed}`);
  for (const language of LANGUAGES) {
    const words = wordsIn(language, null);
    const written = words.amount("1234567.50", "EUR");
    assert.equal(
      words.plainAmount(written),
      "1234567.50",
      `${language}: ${written}, as the page itself writes it`,
    );
    assert.equal(words.plainAmount(words.typedAmount("20.00")), "20.00", language);
  }
});

test("the day of a debit has the article that its number is spoken with, in Italian", () => {
  const words = wordsIn("it", "IT");
  const said = ["2026-04-01", "2026-04-08", "2026-04-11", "2026-04-18", "2026-08-10"].map((day) =>
    words.say("debitedFrom", { date: words.date(day) }),
  );
  assert.deepEqual(said, [
    "Addebito non prima del 1º aprile 2026",
    "Addebito non prima dell’8 aprile 2026",
    "Addebito non prima dell’11 aprile 2026",
    "Addebito non prima del 18 aprile 2026",
    "Addebito non prima del 10 agosto 2026",
  ]);
});

/** The text with ordinary spaces. */
function plain(text: string): string {
  return text.replace(/\s/g, " ");
}

function flat(texts: object, before = ""): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(texts).flatMap(([key, value]): [string, string][] =>
      typeof value === "string" ? [[before + key, value]] : [...flat(value as object, `${before}${key}.`)],
    ),
  );
}

function places(text: string): readonly string[] {
  return [...new Set(text.match(/\{\w+\}/g) ?? [])].toSorted();
}
