/** The reason why an entry or a notice of a bank waits: stored in English, shown in each language of the console. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { wordsFor } from "../words.ts";
import { entryReason } from "./entry-reason.ts";

const german = wordsFor("de-DE", "Europe/Berlin");
const english = wordsFor("en-GB", "Europe/Berlin");
const plain = (text: string) => text.replaceAll("\u00a0", " ");

const READ = [
  ["the bank credits it a second time", "die Bank schreibt es ein zweites Mal gut"],
  [
    "the bank reports 1018.90 EUR, but the file asked for 19.90 EUR",
    "die Bank meldet 1.018,90 €, in der Datei stehen 19,90 €",
  ],
  ["No payment of this gateway has this reference.", "Keine Zahlung dieses Gateways hat diese Referenz."],
  ["the refund is accepted", "Stand der Erstattung: Wartet auf seine Datei"],
  [
    "it carries one of our references: no collection of this account has these ids",
    "der Posten nennt eine unserer Referenzen: kein Einzug dieses Kontos hat diese Referenzen",
  ],
] as const;

test("the reason why an entry waits is shown in the person's language, with its amounts and states", () => {
  for (const [stored, shown] of READ) {
    assert.equal(plain(entryReason(german, stored)), shown);
    assert.equal(entryReason(english, stored), stored);
  }
});

test("a reason that the language does not have stays as it is stored", () => {
  for (const why of ["", "something an older release said", "constructor", "the refund is "])
    assert.equal(entryReason(german, why), why);
});

test("German has a translation for every reason that reading bank files gives", async () => {
  const folder = new URL("../../gateways/sepa-batch/incoming/", import.meta.url);
  const said: string[] = [];
  for (const name of ["decide.ts", "apply-block.ts", "apply-items.ts", "report.ts"]) {
    const source = await readFile(new URL(name, folder), "utf8");
    const places =
      /(?:unmatched\(|another\(instruction, \[[^\]]*\], on, |nothingNamed\([\w.]+, |why: |(?:EITHER|WITHDRAWN|SENT_AGAIN|why) =\s+|  \w+:\s+|return )(["`])((?:the|a|no|its|it|money) [^"`]+)\1/g;
    for (const [, , text = ""] of source.matchAll(places))
      said.push(text.replace(/\$\{[^}]+\}/g, "2026-11-23"));
  }
  assert.ok(said.length >= 30, `only ${said.length} were found`);
  assert.deepEqual(
    said.filter((why) => entryReason(german, why) === why),
    [],
  );
});
