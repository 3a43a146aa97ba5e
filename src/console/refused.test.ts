/** What the service refuses, in the language of the console. */
import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";
import { Refusal, REFUSAL_KINDS } from "../refusals.ts";
import { faultWords, refusedWords } from "./refused.ts";
import { CONSOLE_LANGUAGES, wordsFor } from "./words.ts";

for (const [language, fault, said] of [
  ["de", "This field may not be blank.", "Dieses Feld darf nicht leer sein."],
  ["de", "This field is required without campaign_id.", "Ohne „Kampagne“ ist dieses Feld nötig."],
  ["en", "This field is required without campaign_id.", "This field is required without “Campaign”."],
  ["de", "Ensure this value is at least 5.", "Mindestens 5."],
  ["de", "Something else.", "Something else."],
] as const) {
  test(`"${fault}" is said as "${said}" in ${language}`, () => {
    assert.equal(faultWords(wordsFor(language, "UTC"), fault), said);
  });
}

const KEPT =
  "A mandate of this customer must be kept as evidence until 2027-03-01, 14 months after its last collection. Send give_up_evidence: true to erase it anyway.";

for (const [language, kind, detail, said] of [
  ["de", "refund_not_held", null, /^Diese Erstattung wird nicht zurückgehalten/],
  [
    "de",
    "not_refundable",
    "Only an approved transaction can be refunded; this one is pending.",
    /„Unterwegs“/,
  ],
  ["de", "not_refundable", "A sentence of a later release.", /^Diese Zahlung lässt sich nicht erstatten\.$/],
  ["de", "evidence_kept", KEPT, /bis 01\.03\.2027 als Nachweis/],
  ["en", "evidence_kept", KEPT, /until 1 Mar 2027\. Tick the box/],
  [
    "de",
    "customer_in_use",
    "This customer cannot be erased yet: a subscription is not cancelled; a mandate is being signed.",
    /: ein Abonnement ist nicht gekündigt; ein Mandat wird gerade erteilt\.$/,
  ],
  [
    "de",
    "unmatched_not_applicable",
    "It cannot be applied to this transaction: the bank credits it a second time.",
    /: die Bank schreibt es ein zweites Mal gut\.$/,
  ],
  [
    "de",
    "unmatched_not_applicable",
    "The bank booked 12.00 EUR, but 13.00 EUR is expected. Set bank_fee if the difference is the bank's fee, or accept_amount: true to apply it anyway.",
    /^Die Bank hat 12,00\s€ gebucht, erwartet sind 13,00\s€\./,
  ],
  [
    "de",
    "file_held_back",
    "This file had to reach the bank by 2026-12-01 for the due date 2026-12-02. It was not approved by then. It was withdrawn; its instructions go into the next file.",
    /^Diese Datei musste bis 01\.12\.2026 .* nicht freigegeben\. Sie wurde zurückgezogen/,
  ],
  ["en", "not_refundable", null, /^This transaction cannot be refunded\.$/],
] as const) {
  test(`${kind}${detail === null ? "" : ` with "${detail}"`} is said in ${language}`, () => {
    const refusal = new Refusal(kind, detail === null ? {} : { detail });
    assert.match(refusedWords(wordsFor(language === "en" ? "en-GB" : language, "UTC"), refusal), said);
  });
}

test("every code of a refusal is said in each language, one without a translation in English", () => {
  for (const [language] of CONSOLE_LANGUAGES) {
    const words = wordsFor(language, "UTC");
    for (const kind of REFUSAL_KINDS) {
      const { detail } = new Refusal(kind);
      const said = refusedWords(words, { kind, detail });
      assert.equal(said === detail || words.texts.faults[detail] !== undefined, language === "en", kind);
    }
    const unknown = { kind: "of_a_later_release" as "not_found", detail: "In English." };
    assert.equal(refusedWords(words, unknown), "In English.");
  }
});

/** The sources of the service without the console, with sentences that are written over several lines joined. */
async function sources(): Promise<ReadonlyMap<string, string>> {
  const source = join(import.meta.dirname, "../");
  const found = new Map<string, string>();
  for await (const file of glob("**/*.ts", { cwd: source, exclude: ["console/texts/**", "**/*.test.ts"] }))
    found.set(file, (await readFile(join(source, file), "utf8")).replaceAll(/["`] \+\s+["`]/g, ""));
  return found;
}

test("each sentence that the console translates is one of the service", async () => {
  const all = [...(await sources()).values()].join("\n");
  const known = CONSOLE_LANGUAGES.flatMap(([language]) =>
    Object.keys(wordsFor(language, "UTC").texts.faults),
  );
  const beginningOfLongestPart = (sentence: string) => {
    const parts = sentence.split(/\{\w+\}|\b1\b|above 0|of 0 or more|SEPA creditor|characters/);
    return (
      parts
        .toSorted((one, other) => other.length - one.length)[0]
        ?.trim()
        .slice(0, 40) ?? ""
    );
  };
  assert.deepEqual(
    known.filter((one) => !all.includes(beginningOfLongestPart(one))),
    [],
  );
});

/** Where the service says what is wrong. */
const SAID =
  /(?:\bdetail:|\bmessage:|\b(?:no|refused|notRefundable|NotNow)\(|:\s*\[|\? \[|\?|return)\s*(?:"([A-Z][^"\n]*\.)"|`([^`\n]*\.)`)/g;

/**
 * What forms of the console cannot cause: refusals of command lines, of parameters of the API, of the HTTP server and of
 * commands of API keys; and kinds that are not refusals.
 */
const ELSEWHERE =
  /^(backup|banks|books|commands|files|gateways\/sandbox|gateways\/sepa-batch\/(accounts|adapter|commands|incoming|routes|transports\/ebics\/(initialise|letter))|http|integrations\/schemas|keys|management\/(audit|request-log)|mandates\/(dossier|files|schemas)|payment-page\/(?!settings)|payments\/(imports|chargebacks)|people\/commands|reconciliation|reports|sepa|sessions\/verify|start-schema|tenants\/api-keys\/(granting|rotate)|webhooks\/(delivery|signature-doctor|test-receiver-routes))\b/;
/** Only an API key gets it. */
const OF_KEYS = "This needs an API key that has all scopes of the role x.";

test("each sentence at a field of a form, or why an action is refused, is translated", async () => {
  const words = wordsFor("de", "UTC");
  const missing: string[] = [];
  let count = 0;
  for (const [file, text] of await sources()) {
    if (ELSEWHERE.test(file) && file !== "http/validation.ts") continue;
    for (const [, plain, filled] of text.matchAll(SAID)) {
      const sentence = (plain ?? filled ?? "").replaceAll(/\$\{[^}]*\}/g, "x");
      count++;
      if (sentence !== OF_KEYS && faultWords(words, sentence) === sentence) missing.push(sentence);
    }
  }
  assert.deepEqual(missing, []);
  assert.ok(count >= 100, `only ${count} were found`);
});
