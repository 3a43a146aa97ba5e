/** The language of a page: the order of the sources, and what counts as a match. */
import assert from "node:assert/strict";
import test from "node:test";
import { SEPA_IBAN_CODES } from "../sepa/iban.ts";
import { languageOf, type LanguageChoices } from "./language.ts";

const NOBODY: LanguageChoices = {
  chosen: undefined,
  sessionLocale: null,
  acceptLanguage: undefined,
  pageLocale: null,
  country: null,
  merchantLocale: null,
};

const ROWS: readonly (readonly [string, Partial<LanguageChoices>, string])[] = [
  ["nobody says anything", {}, "en"],
  ["the switch wins", { chosen: "fr", acceptLanguage: "de", pageLocale: "it" }, "fr"],
  ["an unknown choice is passed over", { chosen: "xx-<script>", acceptLanguage: "de" }, "de"],
  ["the browser before the page", { acceptLanguage: "de-AT,en;q=0.5", pageLocale: "it" }, "de"],
  ["the session before the browser", { sessionLocale: "it-IT", acceptLanguage: "de" }, "it"],
  ["by weight, not by place", { acceptLanguage: "en;q=0.2, pl;q=0.9, sv;q=0.5" }, "pl"],
  ["a weight of 0 is a no", { acceptLanguage: "de;q=0, fr" }, "fr"],
  ["what we do not speak is passed over", { acceptLanguage: "ja, zh-CN, el-GR;q=0.3" }, "el"],
  ["the page before the country", { acceptLanguage: "*", pageLocale: "nl-BE", country: "FR" }, "nl"],
  ["the country before the merchant", { country: "FI", merchantLocale: "de" }, "fi"],
  ["the merchant before English", { country: "US", merchantLocale: "de-CH" }, "de"],
  ["Norwegian is Bokmål unless it says Nynorsk", { acceptLanguage: "no" }, "nb"],
  ["Nynorsk", { acceptLanguage: "nn-NO" }, "nn"],
  ["Serbian in Latin letters", { acceptLanguage: "sr-Latn-RS" }, "sr-Latn"],
  ["Serbian", { acceptLanguage: "sr-RS" }, "sr"],
  [
    "a tag of thousands of parts is not taken apart",
    { chosen: `de${"-x".repeat(2_000)}`, pageLocale: "it" },
    "it",
  ],
  ["nonsense", { acceptLanguage: ";;;q=,,,=\u0000" }, "en"],
];

for (const [name, wishes, language] of ROWS) {
  test(`${name}: ${language}`, () => {
    assert.equal(languageOf({ ...NOBODY, ...wishes }), language);
  });
}

test("every SEPA country has a language of its own", () => {
  const english = SEPA_IBAN_CODES.filter((country) => languageOf({ ...NOBODY, country }) === "en");
  assert.deepEqual(english, ["IE", "GB", "GI"]);
});
