import assert from "node:assert/strict";
import test from "node:test";
import { centsOf } from "./parts.ts";

test("an amount is read to the cent or not at all", () => {
  const rows: readonly (readonly [text: string, cents: number | null])[] = [
    ["37.0", 3_700],
    ["100", 10_000],
    ["474.4", 47_440],
    ["18.150", 1_815],
    ["8.85000", 885],
    ["0", 0],
    ["000000000000526.68", 52_668],
    [".5", 50],
    ["5.", 500],
    ["+5", 500],
    ["90071992547409.91", 9_007_199_254_740_991],
    ["90071992547409.92", null],
    ["8.855", null],
    ["0.001", null],
    ["-5.00", null],
    ["1,50", null],
    ["1.000,50", null],
    ["1e3", null],
    ["", null],
    [".", null],
    ["NaN", null],
    ["0x10", null],
    ["٣", null],
  ];
  for (const [text, expected] of rows) assert.equal(centsOf(text), expected, text);
});
