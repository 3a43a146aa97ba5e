import assert from "node:assert/strict";
import test from "node:test";
import { debit, item, reversal, seen, transfer } from "../../../../tests/support/entries.ts";
import type { InstructionItem, KnownInstruction } from "./decide.ts";
import { concernedInstruction, debitOrReversal } from "./debit-or-reversal.ts";

const TODAY = "2026-12-01";

/** The debit R0 in block PSB-5-1, settled and reversed; its reversal R1 in block PSB-7-2. */
const MEANT: readonly (readonly [
  what: string,
  reversal: Parameters<typeof debitOrReversal>[1],
  item: Parameters<typeof debitOrReversal>[2],
  meant: ReturnType<typeof debitOrReversal>,
])[] = [
  [
    "the bank's code says so",
    reversal({ state: "rejected" }),
    item("return", { reversal: true, code: "AC04" }),
    "reversal",
  ],
  [
    "the reversal's block is named",
    reversal(),
    item("return", { others: ["PSB-7-2"], code: "AC04" }),
    "reversal",
  ],
  ["the reversal's file is named", reversal(), item("reject", { others: ["PSB-7"] }), "reversal"],
  ["the debit's block is named", reversal(), item("return", { others: ["PSB-5-1"] }), "debit"],
  ["the debit's file is named", reversal(), item("reject", { others: ["PSB-5"] }), "debit"],
  ["a name of neither", reversal(), item("return", { others: ["PSB-7-22", "PSB"] }), "unclear"],
  ["a reason is one of the debtor's bank", reversal(), item("return", { code: "AC04" }), "debit"],
  ["no reason, and the reversal waits for its booking", reversal(), item("return"), "unclear"],
  [
    "no reason, and it was only assumed to be booked",
    reversal({ state: "settled" }),
    item("return"),
    "unclear",
  ],
  [
    "no reason, and the reversal was booked that day",
    reversal({ state: "settled", booked: { debit: seen("2026-11-25") } }),
    item("return"),
    "reversal",
  ],
  [
    "no reason and no day, and the reversal was booked today",
    reversal({ state: "settled", booked: { debit: seen(TODAY) } }),
    item("return", { on: null }),
    "reversal",
  ],
  [
    "no reason, and the reversal was booked on another day",
    reversal({ state: "settled", booked: { debit: seen("2026-11-26") } }),
    item("return"),
    "debit",
  ],
  ["no reason, and the bank refused the reversal", reversal({ state: "rejected" }), item("return"), "debit"],
  [
    "no reason, of a day on which a reversal was booked that the bank then refused",
    reversal({ state: "rejected", booked: { debit: seen("2026-11-25") } }),
    item("return"),
    "debit",
  ],
  [
    "a rejection while the reversal is with the bank",
    reversal(),
    item("reject", { code: "AC04" }),
    "unclear",
  ],
  [
    "a rejection while the booking is only assumed",
    reversal({ state: "settled" }),
    item("reject"),
    "unclear",
  ],
  [
    "a rejection after the reversal was booked",
    reversal({ state: "settled", booked: { debit: seen("2026-11-25") } }),
    item("reject"),
    "debit",
  ],
  ["a rejection after the reversal was rejected", reversal({ state: "rejected" }), item("reject"), "debit"],
  [
    "a reversal in no block is named by nothing",
    reversal({ block_id: null }),
    item("return", { others: ["null"] }),
    "unclear",
  ],
];

const REVERSED = debit({ reference: "R0", state: "settled", block_id: "PSB-5-1" });
for (const [what, one, entry, meant] of MEANT)
  test(`an entry under the id of a reversed debit is about ${meant}: ${what}`, () =>
    assert.equal(debitOrReversal(REVERSED, one, entry, TODAY), meant));

type Reversal = Parameters<typeof reversal>[0];
type Names = "the debit" | "R1" | "R2" | "unclear" | "withdrawn";

/** The reversals of R0 in the order in which they were requested: R1, R2, … */
const AMONG: readonly (readonly [
  what: string,
  reversals: readonly Reversal[],
  entry: InstructionItem,
  meant: Names,
])[] = [
  ["there is no reversal", [], item("return"), "the debit"],
  ["there is no reversal, whatever the bank calls it", [], item("return", { reversal: true }), "the debit"],
  ["the bank rejects a reversal that there is not", [], item("reject", { reversal: true }), "unclear"],
  ["a credit is never of a reversal", [{}], item("credit"), "the debit"],
  ["a fee is never of a reversal", [{}], item("fee"), "the debit"],
  ["one is with the bank", [{}], item("return"), "unclear"],
  ["one is with the bank, and named", [{}], item("return", { reversal: true }), "R1"],
  ["one is done", [{ state: "settled" }], item("return", { reversal: true }), "R1"],
  [
    "one waits, and the bank books it without a reason",
    [{ state: "accepted", block_id: null }],
    item("return", { reversal: true }),
    "R1",
  ],
  [
    "one waits, and what the bank books has a reason",
    [{ state: "accepted", block_id: null }],
    item("return", { reversal: true, code: "AC04" }),
    "the debit",
  ],
  [
    "one waits, and a return does not say what it is",
    [{ state: "accepted", block_id: null }],
    item("return"),
    "the debit",
  ],
  [
    "one waits, and the bank rejects a reversal",
    [{ state: "accepted", block_id: null }],
    item("reject", { reversal: true }),
    "unclear",
  ],
  ["one waits, and the bank rejects", [{ state: "accepted", block_id: null }], item("reject"), "the debit"],
  [
    "one waits while another is with the bank",
    [{ state: "accepted", block_id: null }, {}],
    item("return", { reversal: true }),
    "R2",
  ],
  [
    "one waits after another was rejected",
    [{ state: "rejected" }, { state: "accepted", block_id: null }],
    item("return", { reversal: true }),
    "R2",
  ],
  [
    "one never went to the bank",
    [{ state: "rejected", block_id: null }],
    item("return", { reversal: true }),
    "withdrawn",
  ],
  [
    "one never went to the bank, and a return has a reason",
    [{ state: "rejected", block_id: null }],
    item("return", { code: "AC04" }),
    "the debit",
  ],
  ["one was refused here", [{ state: "refused" }], item("return", { reversal: true }), "the debit"],
  [
    "two were rejected: the last",
    [{ state: "rejected" }, { state: "rejected" }],
    item("return", { reversal: true }),
    "R2",
  ],
  [
    "two were rejected, the last without a file",
    [{ state: "rejected" }, { state: "rejected", block_id: null }],
    item("return", { reversal: true }),
    "R1",
  ],
  [
    "one was settled while it waited, in no file",
    [{ state: "settled", block_id: null }],
    item("return", { reversal: true }),
    "R1",
  ],
  [
    "one is with the bank, and a later one was rejected",
    [{}, { state: "rejected" }],
    item("return", { reversal: true }),
    "R1",
  ],
  [
    "one was rejected while another is with the bank",
    [{ state: "rejected" }, {}],
    item("reject", { reversal: true }),
    "R2",
  ],
];

for (const [what, reversals, entry, meant] of AMONG)
  test(`an entry under the id of a debit is about ${meant}: ${what}`, () => {
    const own = reversals.map((facts, n) => reversal({ ...facts, reference: `R${n + 1}` }));
    const all = [
      REVERSED,
      ...own,
      transfer({ reference: "R8" }),
      reversal({ reference: "R9", refund_of: "R7" }),
    ];
    const known = new Map(all.map((one): [string, KnownInstruction] => [one.reference, one]));
    const found = concernedInstruction(REVERSED, entry, known, TODAY);
    assert.equal(typeof found === "string" ? found : found.reference, meant === "the debit" ? "R0" : meant);
  });

test("an entry under a refund's own id is about that refund", () => {
  const refund = reversal({ reference: "R1" });
  assert.equal(concernedInstruction(refund, item("return", { code: "AC04" }), new Map(), TODAY), refund);
});

test("a rejected reversal under a refund's own id is that refund's", () => {
  const refund = reversal({ reference: "R1" });
  const entry = item("reject", { reversal: true });
  assert.equal(concernedInstruction(refund, entry, new Map([["R1", refund]]), TODAY), refund);
});
