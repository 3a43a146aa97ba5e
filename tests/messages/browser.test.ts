/** Messages as a phone's mail reader shows them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { messageContent } from "../../src/messages/content.ts";
import { laidOut } from "../../src/messages/layout.ts";
import { MESSAGE_KINDS } from "../../src/messages/outbox.ts";
import { MESSAGE_SAMPLE } from "../../src/messages/sample.ts";
import { wordsIn } from "../../src/payment-page/render/wording.ts";
import { LANGUAGES } from "../../src/payment-page/texts/all.ts";
import { launch, newCustomer, noBrowser } from "../support/browser.ts";

const FURTHER = {
  debitDay: "2026-03-20",
  nextTryDay: "2026-03-09",
  payUrl: "https://pay.example/pay/failed/pf_x/",
  accountUrl: "https://pay.example/pay/account/ca_x/",
};
const ROW = {
  ...MESSAGE_SAMPLE,
  mandate_reference: "MND-WWWWWWWWWWWWWWWW",
  creditor_identifier: "DE98ZZZ09999999999",
  creditor_name: "Verkehrsbetriebsgesellschaftsverwaltungsgesellschaft",
};
/** The number of lines that each reference takes. */
const LINES_OF_REFERENCES = `[...document.querySelectorAll("td")]
  .filter(({ textContent }) => /^(MND-|DE98)/.test(textContent.trim()))
  .map((cell) => {
    const text = document.createRange();
    text.selectNodeContents(cell);
    return new Set([...text.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => top)).size;
  })`;

test(
  "on the smallest phone no message in any language is wider than the screen, and references stay in one piece",
  { skip: noBrowser },
  async (t) => {
    const browser = await launch({});
    t.after(() => browser.close());
    const { page } = await newCustomer(browser, { device: "narrow" });
    for (const language of LANGUAGES)
      for (const kind of MESSAGE_KINDS) {
        const words = wordsIn(language, "DE");
        const { html } = laidOut(words, messageContent({ ...ROW, kind }, words, FURTHER));
        await page.setContent(html);
        const width = await page.evaluate<number>("document.documentElement.scrollWidth");
        const lines = await page.evaluate<readonly number[]>(LINES_OF_REFERENCES);
        assert.ok(width <= 320, `${kind} ${language}: ${width}`);
        assert.deepEqual(lines, [1, 1], `${kind} ${language}`);
      }
  },
);
