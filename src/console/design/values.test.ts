/** Times as the console shows them. */
import assert from "node:assert/strict";
import test from "node:test";
import { wordsFor } from "../words.ts";
import { dayOrTime, time } from "./values.ts";

const NOW = new Date("2026-11-27T12:00:00Z");
const words = wordsFor("en-GB", "UTC");

test("a time that is shown as a duration has the exact one for a print", () => {
  const { text } = time(words, new Date("2026-11-27T11:30:00Z"), NOW);
  assert.match(text, /title="27 November 2026 at 11:30:00 UTC"\s+class="recent"/);
  assert.doesNotMatch(time(words, new Date("2026-11-25T11:30:00Z"), NOW).text, /recent/);
});

test("what is dated by the day alone is shown without a time", () => {
  const shown = (at: string) => dayOrTime(words, new Date(at), NOW).text;
  assert.match(shown("2026-11-27T00:00:00Z"), />27 Nov 2026</);
  assert.match(shown("2026-11-20T08:15:00Z"), />20\u00a0Nov, 08:15</);
});
