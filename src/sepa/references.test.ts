/** References of messages and mandates: the table of those that banks accept and refuse. */
import assert from "node:assert/strict";
import test from "node:test";
import { faultOfMandateReference, MANDATE_REFERENCE, referenceKey } from "./mandate-reference.ts";
import { faultOfReference } from "./references.ts";

const ROWS = [
  ["TXN-20261120-A1B2C3D4", null, null],
  ["a/b?c:d(e).f,g'h+i-j", null, null],
  ["x".repeat(35), null, null],
  ["x".repeat(36), "length", "length"],
  ["", "empty", "empty"],
  ["MND 1", "characters", null],
  [" MND", "characters", "characters"],
  ["MND ", "characters", "characters"],
  ["M\u00fcller-1", "characters", "characters"],
  ["A_B", "characters", "characters"],
  ["A&B", "characters", "characters"],
  ["A\nB", "characters", "characters"],
  ["A\n", "characters", "characters"],
  ["/A", "slash", "slash"],
  ["A/", "slash", "slash"],
  ["A//B", "slash", "slash"],
] as const;

for (const [text, fault, faultOfMandate] of ROWS) {
  test(`${JSON.stringify(text)}: ${fault ?? "good"} as an id, ${faultOfMandate ?? "good"} as a mandate`, () => {
    assert.equal(faultOfReference(text), fault);
    assert.equal(faultOfMandateReference(text), faultOfMandate);
    assert.equal(new RegExp(MANDATE_REFERENCE).test(text), fault === null);
  });
}

test("references that differ only in case or spaces are the same", () => {
  assert.equal(referenceKey("mnd 1 a"), referenceKey("MND1A"));
});
