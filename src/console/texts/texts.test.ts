/** The parts of the console's texts: each key is of one of them. */
import assert from "node:assert/strict";
import test from "node:test";
import { wordsFor } from "../words.ts";
import { developers } from "./developers.en.ts";
import { en } from "./en.ts";
import { records } from "./records.en.ts";
import { setup } from "./setup.en.ts";
import { testModeTexts } from "./test-mode.en.ts";

test("no text of a part is replaced by another one under its key", () => {
  const parts = [records, developers, setup, testModeTexts].flatMap((part) => Object.entries(part));
  assert.deepEqual(
    parts.filter(([key, text]) => Object.entries(en).some(([name, shown]) => name === key && shown !== text)),
    [],
  );
});

test("the share of what came back counts one payment as one", () => {
  for (const [language, count, said] of [
    ["en", 1, "1 payment, 5% of what was collected"],
    ["en", 1200, "1,200 payments, 5% of what was collected"],
    ["de", 1, "1 Zahlung, 5% des Eingezogenen"],
    ["de", 0, "0 Zahlungen, 5% des Eingezogenen"],
  ] as const) {
    const words = wordsFor(language, "UTC");
    assert.equal(words.count(words.texts.rateOf, count, { rate: "5%" }), said);
  }
});
