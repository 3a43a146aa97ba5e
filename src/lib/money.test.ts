/** Amounts are read from their digits and written back the same. */
import assert from "node:assert/strict";
import test from "node:test";
import { fc } from "../../tests/support/properties.ts";
import { cents, formatAmount, parseAmount } from "./money.ts";

test("amounts of at most two decimals and ten digits are read, anything else is not", () => {
  const good = [
    ["0", 0],
    ["0.01", 1],
    ["1", 100],
    ["1.5", 150],
    ["19.90", 1990],
    ["99999999.99", 9_999_999_999],
  ] as const;
  for (const [text, amount] of good) assert.equal(parseAmount(text), amount);
  const bad = [
    "",
    "-1",
    "+1",
    "1.",
    ".5",
    "01",
    "1.000",
    "1e2",
    "1,00",
    " 1",
    "1 ",
    "NaN",
    "0x10",
    "١",
    "100000000",
    "1.00\u0000",
  ];
  for (const text of bad) assert.equal(parseAmount(text), null, text);
});

test("every amount survives writing and reading", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 9_999_999_999 }), (amount) => {
      assert.equal(parseAmount(formatAmount(cents(amount))), amount);
    }),
  );
});
