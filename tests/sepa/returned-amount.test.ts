/** How the amount of a return splits into the collection and the fee, row by row. */
import assert from "node:assert/strict";
import test from "node:test";
import type { Detail, Entry } from "../../src/sepa/messages/reading/bank-records.ts";
import { splitReturn } from "../../src/sepa/messages/reading/movement.ts";
import { detail, entry, euros } from "./records.ts";

const fee = (text: string, included: boolean | null = null, currency = "EUR") => ({
  amount: euros(text, currency),
  sign: "DBIT" as const,
  included,
});

const ROWS: readonly (readonly [
  name: string,
  booked: string,
  detail: Partial<Detail> | null,
  expected: readonly [original: number, fee: number, included: boolean] | null,
  entry?: Partial<Entry>,
])[] = [
  ["nothing but the amount", "50.00", {}, [5_000, 0, false]],
  [
    "original stated, fee inside",
    "53.00",
    { amount: euros("53.00"), instructedAmount: euros("50.00"), charges: [fee("3.00")] },
    [5_000, 300, true],
  ],
  [
    "original stated, no charges: the rest is fee",
    "53.00",
    { instructedAmount: euros("50.00") },
    [5_000, 300, true],
  ],
  [
    "original stated, interest besides the charges",
    "53.10",
    { instructedAmount: euros("50.00"), charges: [fee("3.00")] },
    [5_000, 310, true],
  ],
  [
    "the transaction's amount is the original",
    "53.00",
    { transactionAmount: euros("50.00") },
    [5_000, 300, true],
  ],
  ["the detail's amount is the original", "53.00", { amount: euros("50.00") }, [5_000, 300, true]],
  [
    "charges included, no original",
    "53.00",
    { amount: euros("53.00"), charges: [fee("3.00", true)] },
    [5_000, 300, true],
  ],
  [
    "Swiss: charges apart",
    "6.00",
    { amount: euros("6.00"), charges: [fee("0.70", false)] },
    [600, 70, false],
  ],
  [
    "charges, not said whether inside, original stated as all of it",
    "6.00",
    { instructedAmount: euros("6.00"), charges: [fee("0.70", true)] },
    [600, 70, false],
  ],
  [
    "charges, not said whether inside",
    "6.00",
    { amount: euros("6.00"), charges: [fee("0.70")] },
    [600, 70, false],
  ],
  [
    "charges given back count against those taken",
    "6.00",
    { charges: [fee("0.70"), { ...fee("0.20"), sign: "CRDT" }] },
    [600, 50, false],
  ],
  [
    "the entry's charges, when the detail has none",
    "53.00",
    {},
    [5_000, 300, true],
    { charges: [fee("3.00", true)] },
  ],
  ["no detail at all", "53.00", null, [5_000, 300, true], { instructedAmount: euros("50.00") }],
  [
    "one of several: its own part counts",
    "100.00",
    { alone: false, amount: euros("40.30"), instructedAmount: euros("40.00") },
    [4_000, 30, true],
  ],
  [
    "one of several without a part: the original",
    "100.00",
    { alone: false, instructedAmount: euros("40.00") },
    [4_000, 0, false],
  ],
  ["one of several, nothing said", "100.00", { alone: false }, null],
  [
    "what the debtor's bank saw in another currency",
    "6.00",
    { instructedAmount: euros("5.50", "CHF") },
    [600, 0, false],
  ],
  ["a zero that only fills its place", "6.00", { amount: euros("0") }, [600, 0, false]],
  ["more was collected than is taken back", "50.00", { instructedAmount: euros("60.00") }, null],
  ["fees of more than everything", "2.00", { charges: [fee("3.00", true)] }, null],
  ["fees in another currency", "6.00", { charges: [fee("0.70", null, "CHF")] }, null],
  ["an amount that cents cannot say", "6.005", {}, null],
  ["an original that cents cannot say", "6.00", { instructedAmount: euros("5.005") }, null],
];

for (const [name, booked, facts, expected, entryFacts] of ROWS) {
  test(`${name}: ${expected === null ? "a person has to look" : expected.join(", ")}`, () => {
    const split = splitReturn(
      entry({ amount: euros(booked), sign: "DBIT", ...entryFacts }),
      facts && detail(facts),
    );
    assert.deepEqual(split && [split.original, split.fee, split.feeIncluded], expected);
    if (split !== null) assert.equal(split.booked, split.original + (split.feeIncluded ? split.fee : 0));
  });
}
