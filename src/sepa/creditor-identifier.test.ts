/**
 * Creditor identifiers: vectors on which two independent implementations agree, and when two identifiers mean the same
 * creditor.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { fc } from "../../tests/support/properties.ts";
import { checkCreditorIdentifier } from "./creditor-identifier.ts";

interface Vectors {
  readonly creditor_identifiers: readonly { readonly ci: string; readonly valid: boolean }[];
}

const file = new URL("../../tests/vectors/sepa.json", import.meta.url);
const vectors = JSON.parse(await readFile(file, "utf8")) as Vectors;

test("every vector is judged as the vector says", () => {
  assert.equal(vectors.creditor_identifiers.length, 26);
  const judged = vectors.creditor_identifiers.map(({ ci }) => ({
    ci,
    valid: checkCreditorIdentifier(ci).valid,
  }));
  assert.deepEqual(
    judged,
    vectors.creditor_identifiers.map(({ ci, valid }) => ({ ci, valid })),
  );
});

test("an identifier is read in any case and with spaces, and written in capitals without them", () => {
  assert.deepEqual(checkCreditorIdentifier(" de98 zzz0 9999 999999 "), {
    valid: true,
    identifier: "DE98ZZZ09999999999",
    country: "DE",
    businessCode: "ZZZ",
    identity: "DE9809999999999",
    usualLength: true,
  });
});

test("the business code is not part of the identity", () => {
  const [one, other] = ["DE98ABC09999999999", "de98zzz09999999999"].map(checkCreditorIdentifier);
  assert.ok(one?.valid && other?.valid);
  assert.equal(one.identity, other.identity);
});

const REFUSED = [
  ["", "empty"],
  ["   ", "empty"],
  ["DE98ZZZ", "format"],
  ["98DEZZZ09999999999", "format"],
  ["DE98ZZZ0999999999_", "format"],
  [`DE98ZZZ${"0".repeat(29)}`, "format"],
  ["DE98ZZZ0999999999\u0131", "format"],
  ["DE98ZZZ\u0660\u0661", "format"],
  ["DE98ZZZ09999999998", "check_digits"],
] as const;

for (const [text, reason] of REFUSED) {
  test(`refused as ${reason}: ${JSON.stringify(text)}`, () => {
    assert.deepEqual(checkCreditorIdentifier(text), { valid: false, reason });
  });
}

test("an unusual length is reported and not refused", () => {
  const checked = checkCreditorIdentifier("FR72ZZZ123456");
  assert.equal(checked.valid && checked.usualLength, true);
  // A leading zero of the national part does not change the check digits.
  const long = checkCreditorIdentifier("DE98ZZZ009999999999");
  assert.deepEqual(long.valid && long.usualLength, false);
});

test("one wrong digit is always found", () => {
  const national = "09999999999";
  fc.assert(
    fc.property(fc.nat(national.length - 1), fc.integer({ min: 1, max: 9 }), (place, by) => {
      const digit = (Number(national[place]) + by) % 10;
      const wrong = `DE98ZZZ${national.slice(0, place)}${digit}${national.slice(place + 1)}`;
      assert.equal(checkCreditorIdentifier(wrong).valid, false);
    }),
  );
});
