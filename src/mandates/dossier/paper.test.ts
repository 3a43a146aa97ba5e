import assert from "node:assert/strict";
import test from "node:test";
import { SHOWN, SIGNED } from "../../../tests/support/signed-mandate.ts";
import { dossierOf, type Dossier } from "./dossier.ts";
import type { Evidence } from "./facts.ts";
import { dossierSheet } from "./paper.ts";

const NOW = new Date("2026-05-01T10:00:00.500Z");
const MANDATE = { ...SIGNED, accepted_user_agent: "Browser/7" };
const AROUND = { tenant_id: "t", tenant_name: "Shop", page_id: "p", erased_at: null };

interface Given {
  readonly mandate?: Partial<Evidence["mandate"]>;
  readonly around?: Partial<Evidence["around"]>;
  readonly shown?: Partial<Evidence["shown"]>;
  readonly presentation?: string;
}

function sheetOf({ mandate, around, shown, presentation }: Given, changes: Partial<Dossier> = {}) {
  const evidence: Evidence = {
    mandate: { ...MANDATE, ...mandate },
    around: { ...AROUND, ...around },
    shown: { ...SHOWN, ...shown },
    notices: [],
    debits: [],
    returns: [],
    presentation: presentation ?? null,
  };
  return dossierSheet(evidence, { ...dossierOf(evidence, NOW), ...changes }, Buffer.from("{}"));
}

/** The parts below a heading of the dossier. */
function below(heading: string, given: Given, changes: Partial<Dossier> = {}) {
  const { parts } = sheetOf(given, changes);
  const from = parts.findIndex((part) => part.kind !== "facts" && part.text === heading);
  assert.notEqual(from, -1, heading);
  const rest = parts.slice(from + 1);
  const end = rest.findIndex(({ kind }) => kind === "heading");
  return end === -1 ? rest : rest.slice(0, end);
}

test("a dossier is in English, whatever the language of its mandate, and has the data attached", () => {
  const { title, language, at, attachment } = sheetOf({});
  assert.deepEqual([title, language, at], ["Mandate dossier MND-1", "en", NOW]);
  assert.deepEqual(
    [attachment?.name, attachment?.type, attachment?.bytes.toString()],
    ["dossier.json", "application/json", "{}"],
  );
});

for (const debits_left_out of [true, false])
  test(`a dossier ${debits_left_out ? "says that older debits are left out" : "with all debits does not say that some are left out"}`, () => {
    const [, ...said] = below("What has happened with it", {}, { debits_left_out });
    assert.deepEqual(said, debits_left_out ? [{ kind: "text", text: "Older debits are left out." }] : []);
  });

for (const [accepted, words] of [
  [true, "The text above is the one that was accepted: version 2026-11-3/de."],
  [
    false,
    "The text above is the scheme's of today. The accepted one was worded differently, in another language, or on the merchant's own page.",
  ],
] as const)
  test(`a dossier says that its text ${accepted ? "is" : "is not"} the one that was accepted`, () => {
    const parts = below("As it was signed: mandateHeading", { shown: { accepted } });
    assert.deepEqual(parts.at(-1), { kind: "small", text: words });
  });

const ACCEPTANCE = {
  Time: "2026-03-04 10:00:00 UTC",
  How: "by ticking the box next to the text",
  "Network address": "192.0.2.1",
  "User agent": "Browser/7",
  Page: "payment page p",
  Text: "2026-11-3/de",
};
const NOTHING = { accepted_ip: null, accepted_user_agent: null };

/** What a dossier says of the acceptance, as far as it differs from that. */
for (const [what, given, changes] of [
  ["on the payment page", {}, {}],
  ["by paying", { mandate: { acceptance_mode: "IMPLICIT" } }, { How: "by paying (IMPLICIT)" }],
  ["on a page that is not the tenant's", { around: { page_id: null } }, { Page: "payment page" }],
  [
    "on the merchant's page",
    { mandate: { text_version: "merchant" } },
    { Page: "the merchant's own", Text: "merchant" },
  ],
  ["without a version", { mandate: { text_version: null } }, { Text: "" }],
  [
    "from nowhere on record",
    { mandate: NOTHING },
    { "Network address": "not recorded", "User agent": "not recorded" },
  ],
  [
    "by a customer who is erased",
    { mandate: NOTHING, around: { erased_at: NOW } },
    { "Network address": "erased", "User agent": "erased" },
  ],
] as const satisfies readonly (readonly [string, Given, object])[])
  test(`the acceptance ${what} is in the dossier`, () =>
    assert.deepEqual(below("Acceptance", given), [
      { kind: "facts", facts: Object.entries({ ...ACCEPTANCE, ...changes }) },
    ]));

test("a dossier of a mandate that was signed elsewhere says where the signature is", () =>
  assert.deepEqual(below("Acceptance", { mandate: { acceptance_mode: null } }), [
    {
      kind: "facts",
      facts: [["Signed", "elsewhere; the signature is kept by the party that collected it"]],
    },
  ]));

const PRESENTED = {
  wallet_presentation_format: "jwt_vp",
  wallet_presentation_sha256: "ab12",
  wallet_presentation_at: new Date("2026-03-05T10:00:00Z"),
} as const;

test("a dossier says of a wallet's presentation that there is none, that it contains it, or that it was erased", () => {
  const heading = "Presentation from a wallet";
  assert.deepEqual(below(heading, {}), [{ kind: "text", text: "None was given." }]);
  for (const [given, where] of [
    [{ mandate: PRESENTED, presentation: "eyJ" }, "In dossier.json, the entry “presented”"],
    [{ mandate: PRESENTED }, "No: it was erased"],
  ] as const) {
    const [facts] = below(heading, given);
    assert.deepEqual(facts, {
      kind: "facts",
      facts: [
        ["Given", "2026-03-05 10:00:00 UTC"],
        ["Format", "jwt_vp"],
        ["SHA-256", "ab12"],
        ["In this file", where],
      ],
    });
  }
});

for (const erased_at of [null, NOW])
  test(`a dossier ${erased_at === null ? "of a customer who is not erased has no word of it" : "says when its customer was erased"}`, () => {
    const [, ...parts] = below("Mandate dossier MND-1", { around: { erased_at } });
    const words = parts.flatMap((part) => (part.kind === "facts" ? [] : [part.text]));
    assert.equal(words.length, erased_at === null ? 0 : 1);
    for (const text of words) assert.match(text, /^The customer was erased at 2026-05-01 10:00:00 UTC\./);
  });
