/** The text of a receiver's response in a timeline. */
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
