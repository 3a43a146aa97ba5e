import assert from "node:assert/strict";
import test from "node:test";
import type { AccountStatement, Balance } from "../../../../sepa/messages/reading/bank-records.ts";
import { cents } from "../../../../lib/money.ts";
import { gapsOf, placeOf, type Link } from "./keep.ts";

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
    "pages of which the first opens and the last closes, and the next statement opens with another balance",
    [
      ["a", "2026-11-24", 231, 0, null],
      ["b", "2026-11-24", 231, null, 100],
      ["c", "2026-11-25", 232, 90, 1],
    ],
    { c: "its opening balance is not the closing balance of the statement before it" },
  ],
  [
    "before a statement of pages, whatever their order: the gap is at the first of them",
    [
      ["a", "2026-11-24", 231, 0, 100],
      ["c", "2026-11-26", 233, null, 50],
      ["b", "2026-11-26", 233, 70, null],
    ],
    { b: "statement 232 is missing" },
  ],
  [
    "the statement before has no closing balance",
    [
      ["a", "2026-11-24", 231, 0, null],
      ["b", "2026-11-25", 232, 100, 50],
    ],
    {},
  ],
  [
    "no opening balance",
    [
      ["a", "2026-11-24", 231, 0, 100],
      ["b", "2026-11-25", 232, null, 50],
    ],
    {},
  ],
  [
    "the last number of the year before is that of the second statement of the year",
    [
      ["a", "2026-12-31", 2, 0, 100],
      ["b", "2027-01-05", 2, 100, 1],
    ],
    { b: "statement 1 is missing" },
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
    "several a day, read in another order",
    [
      ["a", "2026-11-24", 3, 20, 30],
      ["b", "2026-11-24", 1, 0, 10],
      ["c", "2026-11-24", 2, 10, 20],
      ["d", "2026-11-25", 4, 30, 40],
    ],
    {},
  ],
  [
    "the later day was read first",
    [
      ["a", "2026-11-25", 232, 100, 50],
      ["b", "2026-11-24", 231, 0, 100],
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
    "one without a number is the first of its day",
    [
      ["b", "2026-11-24", null, 0, 10],
      ["a", "2026-11-24", 1, 10, 20],
    ],
    {},
  ],
  [
    "one without a number is the first of its day, also if it was read later",
    [
      ["a", "2026-11-24", 1, 10, 20],
      ["b", "2026-11-24", null, 0, 10],
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

const balance = (amount: number | null, sign: Balance["sign"]): Balance => ({
  type: "CLBD",
  amount: { text: "", cents: amount === null ? null : cents(amount), currency: "EUR" },
  sign,
  date: "2026-11-24",
});

function statement(facts: Partial<AccountStatement> = {}): AccountStatement {
  return {
    kind: "statement",
    number: 1,
    statementId: "S-1",
    electronicSequenceNumber: null,
    legalSequenceNumber: null,
    createdOn: "2026-11-25",
    page: null,
    lastPage: null,
    account: { iban: "DE89370400440532013000", otherId: null, currency: "EUR" },
    balances: [],
    opening: null,
    closing: null,
    ...facts,
  };
}

const place = (facts: Partial<AccountStatement>) => placeOf(statement(facts), "id", "2026-11-26");

const NUMBERS: readonly (readonly [what: string, facts: Partial<AccountStatement>, number: string | null])[] =
  [
    ["the electronic one", { electronicSequenceNumber: "7", legalSequenceNumber: "8" }, "7"],
    ["else the legal one", { legalSequenceNumber: "8" }, "8"],
    [
      "the legal one, where the electronic one is no number",
      { electronicSequenceNumber: "7/26", legalSequenceNumber: "8" },
      "8",
    ],
    ["the longest that is exact", { electronicSequenceNumber: "999999999999999" }, "999999999999999"],
    ["none, as it is too long", { electronicSequenceNumber: "1000000000000000" }, null],
    ["none, as it is empty", { electronicSequenceNumber: "" }, null],
    ["none", {}, null],
  ];

for (const [what, facts, number] of NUMBERS)
  test(`the number of a statement: ${what}`, () => assert.equal(place(facts)?.sequence, number));

const AMOUNTS: readonly (readonly [what: string, balance: Balance | null, amount: string | null])[] = [
  ["a credit", balance(1_050, "CRDT"), "10.50"],
  ["a debit", balance(1_050, "DBIT"), "-10.50"],
  ["no sign", balance(1_050, null), null],
  ["an amount that is not in cents", balance(null, "CRDT"), null],
  ["no amount", { ...balance(0, "CRDT"), amount: null }, null],
  ["no balance", null, null],
];

for (const [what, one, amount] of AMOUNTS)
  test(`a statement's balance, ${what}: ${amount ?? "-"}`, () => {
    const { opening, closing } = place({ opening: one }) ?? {};
    assert.deepEqual([opening, closing], [amount, null]);
    assert.equal(place({ closing: one })?.closing, amount);
  });

test("a statement of an account without an IBAN has no place", () =>
  assert.equal(place({ account: { iban: null, otherId: "7", currency: "EUR" } }), null));
