import assert from "node:assert/strict";
import test from "node:test";
import { BankRefused, decidingCode, describeCode, verdictOf, type Verdict } from "./return-codes.ts";

/** Codes that end nothing, or after which an order may be repeated; each other known code refuses or stops. */
const DOWNLOADED = ["011000", "011001"];
const MAY_BE_REPEATED = ["061099", "091101", "091102", "091103", "091105", "091116"];

/** The codes by the next action of an operator or the next pass. */
const MEANINGS: readonly (readonly [does: string, verdict: Verdict, codes: string])[] = [
  ["go on", "good", "000000 011000 011001 011301 031001"],
  ["there is nothing to download", "empty", "090005"],
  ["go on after the segment that the bank names", "recover", "061101"],
  ["send it again later", "repeat", "061099 091101 091102 091103 091105 091116 091119"],
  [
    "send nothing more as this user, whom the bank would lock",
    "stopped",
    "061001 061011 091002 091003 091004 091008 091011 091208 091209 091210 091211 091212 091213 091214 091215 091216 091219 091301 091304 091305",
  ],
  [
    "leave this order to a person",
    "refused",
    "011101 061002 091001 091005 091006 091007 091009 091010 091104 091111 091112 091113 091114 091115 091117 091118 091120 091121 090003 090004 090006 091201 091202 091203 091204 091205 091206 091207 091217 091218 091302 091303 091306",
  ],
];

for (const [does, verdict, codes] of MEANINGS)
  test(`${verdict}: ${does}`, () => {
    for (const code of codes.split(" ")) {
      assert.equal(verdictOf(code), verdict, code);
      assert.doesNotMatch(describeCode(code), /unknown to us/);
    }
  });

test("once the last segment was sent, no code lets an order be repeated that the bank may have", () => {
  for (const [, verdict, codes] of MEANINGS)
    for (const code of codes.split(" ")) {
      const mayHave = [...DOWNLOADED, ...MAY_BE_REPEATED, "090005"].includes(code);
      assert.equal(verdictOf(code, true), mayHave ? "unknown" : verdict, code);
    }
});

for (const [code, before, last] of [
  ["000001", "good", "unknown"],
  ["011999", "good", "unknown"],
  ["031999", "good", "unknown"],
  ["061999", "refused", "unknown"],
  ["091999", "refused", "unknown"],
  ["999999", "refused", "unknown"],
] as const)
  test(`the unknown code ${code} is ${before}, and ${last} for the last segment`, () => {
    assert.deepEqual([verdictOf(code), verdictOf(code, true)], [before, last]);
    assert.equal(describeCode(code), `${code} (unknown to us)`);
  });

for (const [technical, business, is] of [
  ["000000", "000000", "000000"],
  ["000000", "091302", "091302"],
  ["061001", "000000", "061001"],
  ["061001", "091302", "061001"],
  ["011000", "000000", "011000"],
  ["011000", "091302", "091302"],
  ["000000", "011301", "011301"],
] as const)
  test(`the first of the codes ${technical} and ${business} that is not good decides: ${is}`, () =>
    assert.equal(decidingCode(technical, business), is));

test("a refusal names the request, the code and its meaning, and says whether EBICS defines the code", () => {
  const known = new BankRefused("CDD", "091303");
  assert.deepEqual(
    [known.message, known.name, known.code, known.verdict, known.known],
    ["CDD: 091303 EBICS_AMOUNT_CHECK_FAILED", "BankRefused", "091303", "refused", true],
  );
  assert.equal(new BankRefused("CDD", "999999").known, false);
});
