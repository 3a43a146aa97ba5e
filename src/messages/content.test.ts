/** The texts of messages: complete in each language, and tied to their version. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { wordsIn } from "../payment-page/render/wording.ts";
import { messageContent } from "./content.ts";
import { laidOut } from "./layout.ts";
import { MESSAGE_KINDS } from "./outbox.ts";
import { MESSAGE_SAMPLE } from "./sample.ts";
import type { MessageWithSubject } from "./store.ts";
import type { MessageTexts } from "./texts/texts.ts";
import { LANGUAGES } from "../payment-page/texts/all.ts";
import { MESSAGE_TEXTS, messageTextVersion } from "./texts/all.ts";

const ROW: MessageWithSubject = {
  ...MESSAGE_SAMPLE,
  last_name: "<b>Example</b>",
  creditor_name: "Shop & Söhne",
};
const FURTHER = {
  debitDay: "2026-03-20",
  nextTryDay: "2026-03-09",
  payUrl: "https://pay.example/pay/failed/pf_x/",
  accountUrl: "https://pay.example/pay/account/ca_x/",
};

test("every kind in every language fills all its places, and escapes what others have written", () => {
  for (const language of LANGUAGES)
    for (const kind of MESSAGE_KINDS)
      for (const changes of [{}, { chargeback_reason: "AM04", billing_frequency: null }]) {
        const words = wordsIn(language, "DE");
        const content = messageContent({ ...ROW, ...changes, kind }, words, FURTHER);
        const { text, html } = laidOut(words, content);
        assert.doesNotMatch(
          `${content.subject}${text}`,
          /[{}]|undefined|\bnull\b|\.\./,
          `${kind} ${language}`,
        );
        assert.match(text, /MND-1/);
        for (const url of [FURTHER.payUrl, FURTHER.accountUrl])
          assert.equal(text.includes(url), kind === "payment_failed");
        assert.ok(text.includes("Shop & Söhne") && !html.includes("Shop & Söhne"));
        assert.ok(!html.includes("<b>"));
      }
});

test("a French date begins with the first, and a French colon with a space", () => {
  const words = wordsIn("fr", "FR");
  const row = { ...ROW, kind: "pre_notification", collection_date: "2026-04-01" } as const;
  const { text } = laidOut(words, messageContent(row, words, FURTHER));
  assert.match(text, /le 1er avril 2026/);
  assert.match(text, /^Créancier\u00a0: Shop/m);
  assert.equal(words.date("2026-04-11"), "11 avril 2026");
});

test("the notice of a debit names amount, day, creditor identifier and mandate", () => {
  const content = messageContent({ ...ROW, kind: "pre_notification" }, wordsIn("en", "IE"), {
    debitDay: null,
    nextTryDay: null,
    payUrl: null,
    accountUrl: null,
  });
  const { text } = laidOut({ language: "en", direction: "ltr" }, content);
  for (const part of ["€1,234.50", "7 April 2026", "DE98ZZZ09999999999", "MND-1"])
    assert.ok(text.includes(part), text);
});

test("a text that cannot be a name is left out of the greeting", () => {
  const typed = [
    "You have won! https://evil.example/prize",
    "www.evil.example",
    "evil.example",
    "１２３．４５６",
    "help@evil.example",
    "Ada\nYour account is blocked",
    "Ada\u2028Call us",
    "Ada\u202eelpmaxe",
    "Call +49 30 123456",
    "<a href=x>Ada</a>",
    "a".repeat(71),
    " ",
  ];
  for (const last_name of typed) {
    const row: MessageWithSubject = { ...ROW, first_name: "", last_name };
    const { text, html } = laidOut(wordsIn("en", "IE"), messageContent(row, wordsIn("en", "IE"), FURTHER));
    assert.match(text, /^Hello,\n\n/, last_name);
    assert.match(html, /<p>Hello,<\/p>/, last_name);
    assert.ok(!/evil|won|blocked|Call|href|aaa/.test(text + html), last_name);
  }
  for (const name of ["Ada Lovelace", "J.R.R. O’Neill-Łuksza", "Ελένη Παπαδοπούλου", "Verein 1899 e.V."]) {
    const row: MessageWithSubject = { ...ROW, first_name: "", last_name: name };
    assert.equal(messageContent(row, wordsIn("en", "IE"), FURTHER).paragraphs[0], `Hello ${name},`);
  }
});

test("no sentence of a language is left in another one", () => {
  for (const language of LANGUAGES)
    for (const other of LANGUAGES.filter((one) => one < language))
      for (const [name, words] of Object.entries(MESSAGE_TEXTS[language]))
        if (words.length > 60)
          assert.notEqual(
            words,
            MESSAGE_TEXTS[other][name as keyof MessageTexts],
            `${name} ${language} ${other}`,
          );
});

test("a changed sentence is another version", () => {
  const hash = createHash("sha256").update(JSON.stringify(MESSAGE_TEXTS)).digest("hex").slice(0, 16);
  assert.deepEqual([messageTextVersion("en"), hash], ["2026-11-4/en", "531c9f42c95ea994"]);
});
