/** The parts of the console's texts: each key belongs to one of them. */
import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";
import { wordsFor } from "../words.ts";
import { de } from "./de.ts";
import { developers } from "./developers.en.ts";
import { en } from "./en.ts";
import { records } from "./records.en.ts";
import { setup } from "./setup.en.ts";
import { testModeTexts } from "./test-mode.en.ts";

test("no two parts give one key different texts", () => {
  const parts = [records, developers, setup, testModeTexts].flatMap((part) => Object.entries(part));
  assert.deepEqual(
    parts.filter(([key, text]) => Object.entries(en).some(([name, shown]) => name === key && shown !== text)),
    [],
  );
});

test("the share of what came back counts one payment as one", () => {
  for (const [language, count, said] of [
    ["en", 1, "1 payment, 5% of those collected"],
    ["en", 1200, "1,200 payments, 5% of those collected"],
    ["de", 1, "1 Zahlung, 5% der eingezogenen"],
    ["de", 0, "0 Zahlungen, 5% der eingezogenen"],
  ] as const) {
    const words = wordsFor(language, "UTC");
    assert.equal(words.count(words.texts.rateOf, count, { rate: "5%" }), said);
  }
});

test("the amounts of a page share one format: making one takes far longer than using it", (t) => {
  const words = wordsFor("en-IE", "UTC");
  const shown = () => [words.money("1234.50", "EUR"), words.shortMoney(1200, "EUR"), words.duration(1500)];
  const first = shown();
  assert.deepEqual(first, ["€1,234.50", "€1.2K", "1.5 secs"]);
  const made = t.mock.method(Intl, "NumberFormat");
  assert.deepEqual(shown(), first);
  assert.equal(made.mock.callCount(), 0);
  assert.equal(words.money("1.00", "SEK"), "SEK\u00a01.00");
  assert.equal(words.duration(15_000), "15 secs");
  assert.equal(words.duration(120), "120 ms");
});

test("each kind of record in the audit log has a name in each language", async () => {
  const source = join(import.meta.dirname, "../../");
  const kinds = new Set<string>();
  for await (const file of glob("**/*.ts", { cwd: source, exclude: ["**/*.test.ts"] })) {
    const text = await readFile(join(source, file), "utf8");
    for (const [, kind = ""] of text.matchAll(/(?:\bresource: |RESOURCE = )"([\w-]+)"/g)) kinds.add(kind);
  }
  assert.ok(kinds.size >= 30, `only ${kinds.size} were found`);
  for (const { resources } of [en, de])
    assert.deepEqual(Object.keys(resources).toSorted(), [...kinds].toSorted());
});

/** The records whose changes are in the audit log field by field. */
const LOGGED = [
  "ApiKey",
  "Campaign",
  "Chargeback",
  "Gateway",
  "HostedPage",
  "Integration",
  "Mandate",
  "Offer",
  "PaymentLink",
  "Person",
  "Subscription",
  "Tenant",
  "WebhookProfile",
];

test("each field of a record in the audit log has a name in each language", async () => {
  const path = join(import.meta.dirname, "../../../docs/openapi.json");
  const { schemas } = JSON.parse(await readFile(path, "utf8")).components;
  for (const { fields, loggedFields } of [en, de])
    for (const name of LOGGED.flatMap((record) => Object.keys(schemas[record].properties)))
      assert.ok(fields[name] ?? loggedFields[name], name);
  assert.deepEqual(Object.keys(en.loggedFields), Object.keys(de.loggedFields));
  for (const name of Object.keys(en.loggedFields)) assert.ok(!(name in en.fields), `${name} has two names`);
});
