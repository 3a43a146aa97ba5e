import assert from "node:assert/strict";
import test from "node:test";
import { gapsOf, type Link } from "./keep.ts";

type Given = readonly [
  id: string,
  endsOn: string,
  sequence: number | null,
  opening: number | null,
  closing: number | null,
];

const link = ([id, endsOn, sequence, opening, closing]: Given): Link => ({
  id,
  endsOn,
  sequence,
  opening,
  closing,
});

const rows: readonly (readonly [
  what: string,
  given: readonly Given[],
  gaps: Readonly<Record<string, string>>,
])[] = [
  [
    "the next number and the balance that was left",
    [
      ["a", "2026-11-24", 231, 0, 100],
      ["b", "2026-11-25", 232, 100, 50],
    ],
    {},
  ],
  [
    "a number is left out",
    [
      ["a", "2026-11-24", 231, 0, 100],
      ["b", "2026-11-26", 233, 70, 50],
    ],
    { b: "statement 232 is missing" },
  ],
  [
    "a number is left out and the balances agree: it may hold a debit and its return",
    [
      ["a", "2026-11-24", 231, 0, 100],
      ["b", "2026-11-26", 233, 100, 50],
    ],
    { b: "statement 232 is missing" },
  ],
  [
    "several numbers are left out",
    [
      ["a", "2026-11-24", 231, 0, 100],
      ["b", "2026-11-28", 235, 7, 7],
    ],
    { b: "statements 232 to 234 are missing" },
  ],
  [
    "no numbers: the balance tells",
    [
      ["a", "2026-11-24", null, 0, 100],
      ["b", "2026-11-26", null, 70, 50],
    ],
    { b: "its opening balance is not the closing balance of the statement before it" },
  ],
  [
    "the next number with another balance",
    [
      ["a", "2026-11-24", 1, 0, 100],
      ["b", "2026-11-26", 2, -70, 50],
    ],
    { b: "its opening balance is not the closing balance of the statement before it" },
  ],
  [
    "pages of one statement with the balances of the whole",
    [
      ["a", "2026-11-24", 231, 0, 100],
      ["b", "2026-11-24", 231, 0, 100],
      ["c", "2026-11-25", 232, 100, 1],
    ],
    {},
  ],
  [
    "pages of which the first opens and the last closes",
    [
      ["a", "2026-11-24", 231, 0, null],
      ["b", "2026-11-24", 231, null, 100],
      ["c", "2026-11-25", 232, 100, 1],
    ],
    {},
  ],
  [
    "the numbers begin again with the year",
    [
      ["a", "2026-12-31", 250, 0, 100],
      ["b", "2027-01-04", 1, 100, 1],
    ],
    {},
  ],
  [
    "the first of the year is left out",
    [
      ["a", "2026-12-31", 250, 0, 100],
      ["b", "2027-01-05", 2, 100, 1],
    ],
    { b: "statement 1 is missing" },
  ],
  [
    "a lower number on a later day of the same year: the numbers do not begin again",
    [
      ["a", "2026-11-24", 231, 0, 100],
      ["b", "2026-11-25", 7, 100, 50],
    ],
    {},
  ],
  [
    "the numbers go on in the new year",
    [
      ["a", "2026-12-31", 250, 0, 100],
      ["b", "2027-01-04", 251, 100, 1],
    ],
    {},
  ],
  [
    "read in another order",
    [
      ["b", "2026-11-25", 232, 100, 50],
      ["a", "2026-11-24", 231, 0, 100],
    ],
    {},
  ],
  [
    "several a day",
    [
      ["a", "2026-11-24", 1, 0, 10],
      ["b", "2026-11-24", 2, 10, 20],
      ["c", "2026-11-24", 3, 20, 30],
    ],
    {},
  ],
  [
    "several a day without numbers: their order is not known",
    [
      ["a", "2026-11-24", null, 10, 20],
      ["b", "2026-11-24", null, 0, 10],
      ["c", "2026-11-25", null, 20, 30],
    ],
    {},
  ],
  [
    "no balances",
    [
      ["a", "2026-11-24", null, null, null],
      ["b", "2026-11-25", null, null, null],
    ],
    {},
  ],
  ["the first one of all", [["a", "2026-11-24", 231, 77, 100]], {}],
  [
    "a number that the year before had, too",
    [
      ["a", "2026-01-02", 1, 0, 10],
      ["b", "2026-01-03", 2, 10, 20],
      ["c", "2027-01-02", 1, 20, 30],
      ["d", "2027-01-03", 2, 30, 40],
    ],
    {},
  ],
  [
    "a gap of which both numbers were used in the year before",
    [
      ["a", "2026-01-02", 1, 0, 10],
      ["b", "2026-01-03", 3, 10, 20],
      ["c", "2027-01-02", 1, 20, 30],
      ["d", "2027-01-03", 3, 30, 40],
    ],
    { b: "statement 2 is missing", d: "statement 2 is missing" },
  ],
];

for (const [what, given, gaps] of rows) {
  test(`${what}: ${Object.values(gaps).join() || "no gap"}`, () => {
    assert.deepEqual(Object.fromEntries(gapsOf(given.map(link))), gaps);
  });
}
