/** The steps of a timeline: what a receiver answered, and when something happened. */
import assert from "node:assert/strict";
import test from "node:test";
import { wordsFor } from "../words.ts";
import { timeline } from "./timeline.ts";

for (const [language, why, said] of [
  ["en", "503", "503: the shop's server has failed"],
  [
    "en",
    "ECONNREFUSED: connect ECONNREFUSED 192.0.2.1:9",
    "No connection to the shop's server (ECONNREFUSED)",
  ],
  [
    "de",
    "ENOTFOUND: getaddrinfo ENOTFOUND shop.example.com",
    "Keine Verbindung zum Server des Shops (ENOTFOUND)",
  ],
  ["en", "The URL is not valid.", "The URL is not valid."],
] as const) {
  test(`the timeline says ${said} of a webhook that was answered ${why}`, () => {
    const step = { at: new Date(0), kind: "webhook", what: "payment_session.completed", whom: "Shop", why };
    const { text } = timeline(wordsFor(language, "UTC"), [{ ...step, id: null, amount: null }], "EUR");
    assert.ok(text.replaceAll("&#39;", "'").includes(said), text);
  });
}

for (const [kind, at, said] of [
  ["bank", "2026-12-08T00:00:00.000Z", "8 Dec 2026"],
  ["chargeback", "2026-12-08T00:00:00.000Z", "8 Dec 2026"],
  ["chargeback", "2026-12-08T09:30:00.000Z", "8 Dec 2026, 10:30"],
  ["payment", "2026-12-08T00:00:00.000Z", "8 Dec 2026, 01:00"],
] as const) {
  test(`a step of the ${kind} at ${at} is dated ${said}`, () => {
    const step = { at: new Date(at), kind, what: null, whom: null, why: null, id: null, amount: null };
    const { text } = timeline(wordsFor("en-GB", "Europe/Berlin"), [step], "EUR");
    assert.equal(/<time [^>]*>([^<]*)</.exec(text)?.[1], said);
  });
}
