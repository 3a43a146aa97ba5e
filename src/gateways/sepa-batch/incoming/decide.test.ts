import assert from "node:assert/strict";
import test from "node:test";
import type { CollectionChange } from "./changes-store.ts";
import { debit, item, reversal, seen, transfer } from "../../../../tests/support/entries.ts";
import {
  decide,
  reinstated,
  reportableOf,
  reportKey,
  type InstructionItem,
  type Decision,
  type KnownInstruction,
} from "./decide.ts";

const TODAY = "2026-12-01";

/** A decision as text: each change with its news, state and day, then the stored booking. */
function inWords(decision: Decision): string {
  if (decision.kind === "unmatched")
    return `unmatched${decision.as === undefined ? "" : ` as ${decision.as}`}: ${decision.why}`;
  const { booking } = decision;
  const changes = decision.kind === "change" ? decision.changes.map(changeInWords) : ["known"];
  if (booking === null) return changes.join("; ");
  const { movement, booked_on, bank_reference } = booking;
  return [...changes, `books ${movement} ${booked_on} ${bank_reference ?? "-"}`].join("; ");
}

function changeInWords(one: CollectionChange): string {
  const { news, state, on, gateway_reference, reason_code, reason_message, report_type, bank_fee } = one;
  return [
    `${news}/${state} ${on}`,
    gateway_reference,
    reason_code,
    reason_message,
    report_type,
    bank_fee === null ? null : `fee ${bank_fee}`,
  ]
    .filter((word) => word !== null)
    .join(" ");
}

type Row = readonly [what: string, instruction: KnownInstruction, item: InstructionItem, expected: string];

const OWN = "PSB-7/PSB-7-2/R1";
const NOT_THIS = "unmatched: the bank reports";

const AMOUNTS: readonly Row[] = [
  [
    "no amount is said",
    debit(),
    item("credit", { amount: null, currency: null }),
    `settled/settled 2026-11-25 ${OWN}; books credit 2026-11-25 -`,
  ],
  [
    "a cent less",
    debit(),
    item("credit", { amount: 4_999 }),
    `${NOT_THIS} 49.99 EUR, but the file asked for 50.00 EUR`,
  ],
  [
    "a cent more",
    debit(),
    item("credit", { amount: 5_001 }),
    `${NOT_THIS} 50.01 EUR, but the file asked for 50.00 EUR`,
  ],
  [
    "another currency",
    debit(),
    item("credit", { currency: "CHF" }),
    `${NOT_THIS} 50.00 CHF, but the file asked for 50.00 EUR`,
  ],
  [
    "no currency",
    debit(),
    item("return", { currency: null }),
    `${NOT_THIS} 50.00 without a currency, but the file asked for 50.00 EUR`,
  ],
];

const NEVER_SENT = (state: string): string =>
  `unmatched: the collection is ${state}: it was never sent to the bank`;
const WITHDRAWN =
  "unmatched: the bank has it from a file that was withdrawn, and it was not to be collected any more";
const SECOND_CREDIT = "unmatched: the bank credits it a second time";
const CAME_AGAIN = "unmatched as withdrawn_return: money arrived for a collection that was charged back";

const CREDITS: readonly Row[] = [
  [
    "its day is the bank's",
    debit(),
    item("credit", { bank: "BANK-1" }),
    "settled/settled 2026-11-25 BANK-1:R1; books credit 2026-11-25 BANK-1",
  ],
  [
    "no day: today",
    debit(),
    item("credit", { on: null }),
    `settled/settled ${TODAY} ${OWN}; books credit ${TODAY} -`,
  ],
  [
    "it has no block: its own reference",
    debit({ block_id: null }),
    item("credit"),
    "settled/settled 2026-11-25 R1; books credit 2026-11-25 -",
  ],
  [
    "it was taken out of its file, which the bank has",
    debit({ state: "accepted", withdrawn: true }),
    item("credit"),
    `settled/settled 2026-11-25 ${OWN}; books credit 2026-11-25 -`,
  ],
  ["it was in no file yet", debit({ state: "accepted" }), item("credit"), NEVER_SENT("accepted")],
  ["it was fenced", debit({ state: "fenced" }), item("credit"), NEVER_SENT("fenced")],
  [
    "it was fenced after its file was withdrawn",
    debit({ state: "fenced", withdrawn: true }),
    item("credit"),
    WITHDRAWN,
  ],
  [
    "it was rejected",
    debit({ state: "rejected" }),
    item("credit"),
    "unmatched: money arrived for a collection that had been rejected",
  ],
  // Settled: by a sum, by silence, or by an earlier entry.
  [
    "settled, never seen booked",
    debit({ state: "settled" }),
    item("credit", { bank: "BANK-1" }),
    "known; books credit 2026-11-25 BANK-1",
  ],
  [
    "settled, booked on that day",
    debit({ state: "settled", booked: { credit: seen("2026-11-25", "BANK-0") } }),
    item("credit", { bank: "BANK-1" }),
    "known; books credit 2026-11-25 BANK-1",
  ],
  [
    "settled, booked on another day under the same reference of the bank",
    debit({ state: "settled", booked: { credit: seen("2026-11-24", "BANK-1") } }),
    item("credit", { bank: "BANK-1" }),
    "known; books credit 2026-11-25 BANK-1",
  ],
  [
    "settled, booked on another day under the same number of a day",
    debit({ state: "settled", booked: { credit: seen("2026-11-24", "00017") } }),
    item("credit", { bank: "00017" }),
    SECOND_CREDIT,
  ],
  [
    "settled, booked on another day under another reference",
    debit({ state: "settled", booked: { credit: seen("2026-11-24", "BANK-0") } }),
    item("credit", { bank: "BANK-1" }),
    SECOND_CREDIT,
  ],
  [
    "settled, booked on another day, and neither has a reference",
    debit({ state: "settled", booked: { credit: seen("2026-11-24") } }),
    item("credit"),
    SECOND_CREDIT,
  ],
  [
    "settled by an entry of this very file, on the same day",
    debit({
      state: "settled",
      booked: { credit: seen("2026-11-25", "BANK-1") },
      reported: new Set(["credit R1"]),
    }),
    item("credit", { bank: "BANK-1" }),
    SECOND_CREDIT,
  ],
  [
    "settled, of the day on which it was reinstated",
    debit({ state: "settled", reinstated_on: "2026-11-25", booked: { credit: seen("2026-11-20") } }),
    item("credit"),
    "known; books credit 2026-11-25 -",
  ],
  // Returned: the first credit reported late, or money that came again.
  [
    "returned, never seen booked",
    debit({ state: "returned" }),
    item("credit"),
    "known; books credit 2026-11-25 -",
  ],
  [
    "returned on the day of the credit, which another file tells now",
    debit({ state: "returned", booked: { debit: seen("2026-11-25") } }),
    item("credit"),
    "known; books credit 2026-11-25 -",
  ],
  [
    "returned the day before, its credit never seen: money that came again",
    debit({ state: "returned", booked: { debit: seen("2026-11-24") } }),
    item("credit"),
    CAME_AGAIN,
  ],
  [
    "returned by a report of that day, its settlement assumed",
    debit({ state: "returned", assumed: true, returned_on: "2026-11-25" }),
    item("credit"),
    "known; books credit 2026-11-25 -",
  ],
  [
    "returned by a report of the day before, its settlement assumed, and booked back the day after: the money in between",
    debit({
      state: "returned",
      assumed: true,
      returned_on: "2026-11-24",
      booked: { debit: seen("2026-11-26") },
    }),
    item("credit"),
    "known; books credit 2026-11-25 -",
  ],
  [
    "returned by a report of the day before, its settlement assumed: money that came all the same",
    debit({ state: "returned", assumed: true, returned_on: "2026-11-24" }),
    item("credit"),
    CAME_AGAIN,
  ],
  [
    "returned the day before, and the credit of that day is known",
    debit({ state: "returned", booked: { credit: seen("2026-11-25"), debit: seen("2026-11-24") } }),
    item("credit"),
    "known; books credit 2026-11-25 -",
  ],
  [
    "returned, and the credit was another one",
    debit({ state: "returned", booked: { credit: seen("2026-11-20") } }),
    item("credit"),
    CAME_AGAIN,
  ],
];

const back = (on: string, rest: string): string => `charged_back/returned ${on} ${rest}`;

const RETURNS: readonly Row[] = [
  [
    "nothing was heard: the money was there on its due day",
    debit(),
    item("return", { on: "2026-11-26", code: "AC04", message: "closed", bank: "BANK-2", fee: 300 }),
    `settled/settled 2026-11-24 ${OWN}; ${back("2026-11-26", "AC04 closed return fee 3.00")}; books debit 2026-11-26 BANK-2`,
  ],
  [
    "nothing was heard and no due day is known",
    debit({ due_date: null }),
    item("return"),
    `settled/settled 2026-11-25 ${OWN}; ${back("2026-11-25", "NARR return")}; books debit 2026-11-25 -`,
  ],
  [
    "nothing was heard, and it comes back long after its due day",
    debit({ due_date: "2026-11-02" }),
    item("return", { code: "MD01" }),
    `settled/settled 2026-11-02 ${OWN}; ${back("2026-11-25", "MD01 unauthorised_refund")}; books debit 2026-11-25 -`,
  ],
  ["it was in no file yet", debit({ state: "accepted" }), item("return"), NEVER_SENT("accepted")],
  [
    "it was rejected",
    debit({ state: "rejected" }),
    item("return"),
    "unmatched: the bank returned a collection that had been rejected",
  ],
  // The last day of returns after Monday the 2nd is Monday the 9th.
  ...(
    [
      ["MD06", "2026-11-04", "refund"],
      ["MD01", "2026-11-09", "return"],
      ["MD01", "2026-11-10", "unauthorised_refund"],
      ["AM04", "2026-11-10", "return"],
    ] as const
  ).map(([code, on, type]): Row => [
    `settled on the 2nd, ${code} on ${on}`,
    debit({ state: "settled", settled_on: "2026-11-02" }),
    item("return", { on, code }),
    `${back(on, `${code} ${type}`)}; books debit ${on} -`,
  ]),
  [
    "settled on an unknown day: its due day counts",
    debit({ state: "settled", due_date: "2026-11-02" }),
    item("return", { code: "MD01" }),
    `${back("2026-11-25", "MD01 unauthorised_refund")}; books debit 2026-11-25 -`,
  ],
  [
    "settled, and no day is known at all",
    debit({ state: "settled", due_date: null }),
    item("return", { code: "MD01" }),
    `${back("2026-11-25", "MD01 return")}; books debit 2026-11-25 -`,
  ],
  // Already returned.
  [
    "returned, never seen booked",
    debit({ state: "returned" }),
    item("return"),
    "known; books debit 2026-11-25 -",
  ],
  [
    "returned by a report, and the booking has a fee",
    debit({ state: "returned" }),
    item("return", { fee: 300 }),
    "fee/returned 2026-11-25 fee 3.00; books debit 2026-11-25 -",
  ],
  [
    "returned and booked that day, told with its fee once more",
    debit({ state: "returned", booked: { debit: seen("2026-11-25") } }),
    item("return", { fee: 300 }),
    "known; books debit 2026-11-25 -",
  ],
  [
    "returned on another day",
    debit({ state: "returned", booked: { debit: seen("2026-11-24") } }),
    item("return"),
    "unmatched: the bank returned the same money a second time",
  ],
];

/** Returned on the 5th; the money came again on the 9th. */
const CAME_BACK = debit({
  state: "settled",
  settled_on: "2026-11-03",
  returned_on: "2026-11-05",
  reinstated_on: "2026-11-09",
});
/** Refused by a report on the 5th; the money came nevertheless on the 9th. */
const REFUSED_BEFORE: KnownInstruction = { ...CAME_BACK, settled_on: "2026-11-09" };
const ANOTHER = "unmatched: the money was reinstated on 2026-11-09: check whether this is another return";

const AGAIN: readonly Row[] = [
  [
    "reinstated, the return on record is told again",
    CAME_BACK,
    item("return", { on: "2026-11-05" }),
    "known",
  ],
  ["reinstated, a return of a day between", CAME_BACK, item("return", { on: "2026-11-06" }), ANOTHER],
  ["reinstated, a return of the same day", CAME_BACK, item("return", { on: "2026-11-09" }), ANOTHER],
  [
    "reinstated, a return of the day after",
    CAME_BACK,
    item("return", { on: "2026-11-10" }),
    `${back("2026-11-10", "NARR return")}; books debit 2026-11-10 -`,
  ],
  [
    "refused and paid, a booking of the report's day",
    REFUSED_BEFORE,
    item("return", { on: "2026-11-05" }),
    ANOTHER,
  ],
  [
    "refused and paid, the report is told again",
    REFUSED_BEFORE,
    item("reject", { on: "2026-11-05" }),
    "known",
  ],
  [
    "refused and paid, a report of a day between",
    REFUSED_BEFORE,
    item("reject", { on: "2026-11-06" }),
    ANOTHER,
  ],
  ["reinstated, a report of the day of the return", CAME_BACK, item("reject", { on: "2026-11-05" }), "known"],
  [
    "reinstated, a report of the day after",
    CAME_BACK,
    item("reject", { on: "2026-11-10" }),
    back("2026-11-10", "NARR return"),
  ],
];

const PAID = debit({ state: "settled", settled_on: "2026-11-25" });

/** It was in two withdrawn files before. */
const SENT_AGAIN = debit({ withdrawnBlocks: ["PSB-5-3", "PSB-6-1"] });

const REJECTS: readonly Row[] = [
  [
    "with the bank",
    debit(),
    item("reject", { code: "AC01", message: "wrong" }),
    "returned/rejected 2026-11-25 AC01 wrong",
  ],
  ["without a reason", debit(), item("reject"), "returned/rejected 2026-11-25 NARR"],
  [
    "taken out of its file, which the bank may have refused",
    debit({ state: "accepted", withdrawn: true }),
    item("reject"),
    NEVER_SENT("accepted"),
  ],
  ["in a withdrawn block that it was in", SENT_AGAIN, item("reject", { others: ["PSB-6-1"] }), "known"],
  [
    "in the first withdrawn block that it was in",
    SENT_AGAIN,
    item("reject", { others: ["PSB-5-3"] }),
    "known",
  ],
  ["in a withdrawn file that it was in", SENT_AGAIN, item("reject", { others: ["PSB-6"] }), "known"],
  [
    "in a withdrawn file and the one that it is in",
    SENT_AGAIN,
    item("reject", { others: ["PSB-6", "PSB-7"] }),
    "returned/rejected 2026-11-25 NARR",
  ],
  [
    "in the block that it is in",
    SENT_AGAIN,
    item("reject", { others: ["PSB-7-2"] }),
    "returned/rejected 2026-11-25 NARR",
  ],
  [
    "in a withdrawn file, while it waits for the next one",
    { ...SENT_AGAIN, state: "accepted", file_id: null, block_id: null, withdrawn: true },
    item("reject", { others: ["PSB-6"] }),
    "known",
  ],
  [
    "in a withdrawn file, after the next one was booked",
    { ...SENT_AGAIN, state: "settled", settled_on: "2026-11-25" },
    item("reject", { others: ["PSB-6"] }),
    "unmatched: the bank rejected it in a file that was withdrawn, but the money arrived: ask whether it came back",
  ],
  [
    "in a withdrawn file that was booked before it was sent again",
    { ...SENT_AGAIN, state: "settled", settled_on: "2026-11-25", file_id: null, block_id: null },
    item("reject", { others: ["PSB-6"] }),
    back("2026-11-25", "NARR return"),
  ],
  ["returned", debit({ state: "returned" }), item("reject"), "known"],
  ["rejected", debit({ state: "rejected" }), item("reject"), "known"],
  ["fenced", debit({ state: "fenced" }), item("reject"), NEVER_SENT("fenced")],
  ["settled on that day", PAID, item("reject", { code: "AC04" }), back("2026-11-25", "AC04 return")],
  [
    "settled the day after",
    PAID,
    item("reject", { on: "2026-11-24" }),
    "unmatched: the bank had rejected it, but the money arrived on 2026-11-25",
  ],
  [
    "assumed to be settled the day after",
    { ...PAID, assumed: true },
    item("reject", { on: "2026-11-24" }),
    back("2026-11-24", "NARR return"),
  ],
  [
    "assumed to be settled, and credited the day after",
    { ...PAID, assumed: true, booked: { credit: seen("2026-11-25", "BANK-9") } },
    item("reject", { on: "2026-11-24" }),
    "unmatched: the bank had rejected it, but the money arrived on 2026-11-25",
  ],
  [
    "assumed to be settled, and credited on that day",
    { ...PAID, assumed: true, booked: { credit: seen("2026-11-24", "BANK-9") } },
    item("reject", { on: "2026-11-24" }),
    back("2026-11-24", "NARR return"),
  ],
  [
    "settled on an unknown day",
    { ...PAID, settled_on: null },
    item("reject"),
    back("2026-11-25", "NARR return"),
  ],
];

const SENT = (rest: string): string => `settled/settled 2026-11-25 ${rest}`;
const BOOKED_OUT = "books debit 2026-11-25";

const REFUNDS: readonly Row[] = [
  [
    "a transfer goes out",
    transfer(),
    item("transfer_out", { bank: "BANK-3" }),
    `${SENT("BANK-3:R1")}; ${BOOKED_OUT} BANK-3`,
  ],
  [
    "money leaves under its id, and the bank says nothing else",
    transfer(),
    item("return", { sure: false }),
    `${SENT(OWN)}; ${BOOKED_OUT} -`,
  ],
  [
    "money leaves under its id with a reason of a return",
    transfer(),
    item("return", { sure: false, code: "AC04" }),
    "unmatched: a refund was returned: pay it again by hand, or to another account",
  ],
  [
    "the bank calls it a return",
    transfer(),
    item("return"),
    "unmatched: a refund was returned: pay it again by hand, or to another account",
  ],
  [
    "the bank calls the reversal a return, with its fee",
    reversal(),
    item("return", { fee: 25 }),
    `${SENT(`${OWN} fee 0.25`)}; ${BOOKED_OUT} -`,
  ],
  [
    "money comes in",
    transfer(),
    item("credit"),
    "unmatched: a refund was returned: pay it again by hand, or to another account",
  ],
  [
    "its transfer comes back",
    transfer({ state: "settled" }),
    item("transfer_back"),
    "unmatched: a refund was returned: pay it again by hand, or to another account",
  ],
  [
    "another amount",
    transfer(),
    item("transfer_out", { amount: 1 }),
    `${NOT_THIS} 0.01 EUR, but the file asked for 50.00 EUR`,
  ],
  // Waiting for a file.
  [
    "a waiting transfer",
    transfer({ state: "accepted" }),
    item("transfer_out"),
    "unmatched: the refund is accepted",
  ],
  [
    "a transfer whose file was withdrawn",
    transfer({ state: "accepted", withdrawn: true }),
    item("transfer_out"),
    `${SENT(OWN)}; ${BOOKED_OUT} -`,
  ],
  [
    "a waiting reversal that the bank books as one",
    reversal({ state: "accepted" }),
    item("return", { reversal: true }),
    `${SENT(OWN)}; ${BOOKED_OUT} -`,
  ],
  [
    "a waiting reversal, and the bank books something",
    reversal({ state: "accepted" }),
    item("return"),
    "unmatched: the refund is accepted",
  ],
  [
    "a rejected reversal that the bank books as one",
    reversal({ state: "rejected" }),
    item("return", { reversal: true }),
    "unmatched: the refund is rejected",
  ],
  // Already settled.
  ["paid, never seen booked", transfer({ state: "settled" }), item("transfer_out"), `known; ${BOOKED_OUT} -`],
  [
    "paid on another day",
    transfer({ state: "settled", booked: { debit: seen("2026-11-24") } }),
    item("transfer_out"),
    "unmatched: a refund was paid a second time",
  ],
  [
    "assumed, and the booking has a fee",
    reversal({ state: "settled", assumed: true }),
    item("return", { fee: 25 }),
    `fee/returned 2026-11-25 fee 0.25; ${BOOKED_OUT} -`,
  ],
  [
    "assumed, and the booking has no fee",
    reversal({ state: "settled", assumed: true }),
    item("return"),
    `known; ${BOOKED_OUT} -`,
  ],
  [
    "assumed, and its booking with the fee is told again",
    reversal({ state: "settled", assumed: true, booked: { debit: seen("2026-11-25") } }),
    item("return", { fee: 25 }),
    `known; ${BOOKED_OUT} -`,
  ],
  [
    "settled by the bank, told again with a fee",
    reversal({ state: "settled" }),
    item("return", { fee: 25 }),
    `known; ${BOOKED_OUT} -`,
  ],
  // Refused by the bank.
  ["refused by the bank", transfer(), item("reject", { code: "AC03" }), "returned/rejected 2026-11-25 AC03"],
  ["refused once more", transfer({ state: "rejected" }), item("reject"), "known"],
  [
    "refused after it was paid",
    transfer({ state: "settled" }),
    item("reject"),
    "unmatched: the bank rejected a refund that is settled",
  ],
  [
    "refused while it waits",
    transfer({ state: "accepted" }),
    item("reject"),
    "unmatched: the bank rejected a refund that is accepted",
  ],
  ...(["accepted", "batched"] as const).map((state): Row => [
    `refused in a withdrawn file, ${state}`,
    transfer({ state, withdrawnBlocks: ["PSB-6-1"] }),
    item("reject", { others: ["PSB-6"] }),
    "known",
  ]),
];

const BACK_AGAIN = debit({ state: "returned" });

const FEES: readonly Row[] = [
  [
    "of a return",
    BACK_AGAIN,
    item("fee", { amount: 300 }),
    "fee/returned 2026-11-25 fee 3.00; books fee 2026-11-25 -",
  ],
  [
    "without a day",
    BACK_AGAIN,
    item("fee", { amount: 300, on: null }),
    `fee/returned ${TODAY} fee 3.00; books fee ${TODAY} -`,
  ],
  [
    "whose amount cannot be read",
    BACK_AGAIN,
    item("fee", { amount: null }),
    "unmatched: a fee whose amount cannot be recorded",
  ],
  [
    "in another currency",
    BACK_AGAIN,
    item("fee", { amount: 300, currency: "CHF" }),
    "unmatched: a fee whose amount cannot be recorded",
  ],
  [
    "of what was not returned",
    debit({ state: "settled" }),
    item("fee", { amount: 300 }),
    "unmatched: a fee with the id of an instruction that was not returned",
  ],
  [
    "told again",
    debit({ state: "returned", booked: { fee: seen("2026-11-25") } }),
    item("fee", { amount: 300 }),
    "known; books fee 2026-11-25 -",
  ],
  [
    "of another day",
    debit({ state: "returned", booked: { fee: seen("2026-11-24") } }),
    item("fee", { amount: 300 }),
    "unmatched: a second fee with the same id",
  ],
];

for (const [about, rows] of Object.entries({
  "the amount": AMOUNTS,
  "a credit": CREDITS,
  "a return": RETURNS,
  "a return of money that had come again": AGAIN,
  "a rejection": REJECTS,
  "a refund": REFUNDS,
  "a fee": FEES,
}))
  for (const [what, instruction, entry, expected] of rows)
    test(`${about}, ${what}: ${expected}`, () =>
      assert.equal(inWords(decide(instruction, entry, TODAY)), expected));

const REPORTABLE = ["credit", "debit", "fee", "reinstatement", "earlier return"] as const;

/** A movement besides the one on record is another if the file has reported the recorded one, as any of these. */
const BESIDES: readonly (readonly [
  what: string,
  instruction: KnownInstruction,
  item: InstructionItem,
  recorded: readonly string[],
])[] = [
  [
    "a second credit",
    debit({ state: "settled", booked: { credit: seen("2026-11-24") } }),
    item("credit"),
    ["credit", "reinstatement"],
  ],
  [
    "a second return",
    debit({ state: "returned", booked: { debit: seen("2026-11-24") } }),
    item("return"),
    ["debit"],
  ],
  [
    "a return from before the money came again",
    debit({
      state: "settled",
      settled_on: "2026-11-18",
      returned_on: "2026-11-20",
      reinstated_on: "2026-11-26",
    }),
    item("return"),
    ["earlier return"],
  ],
  [
    "a refund that is paid twice",
    transfer({ state: "settled", booked: { debit: seen("2026-11-24") } }),
    item("transfer_out"),
    ["debit"],
  ],
  [
    "a second fee",
    debit({ state: "returned", booked: { fee: seen("2026-11-24") } }),
    item("fee", { amount: 300 }),
    ["fee"],
  ],
];

for (const [what, instruction, entry, recorded] of BESIDES)
  test(`${what} is another movement if the file has reported the recorded one on this day: ${recorded.join(" or ")}`, () => {
    const isAnother = (reported: string, day: string): boolean => {
      const isReportedOn = (one: string, on: string) => one === reported && on === day;
      const decision = decide({ ...instruction, isReportedOn }, entry, TODAY);
      assert.equal(decision.kind, "unmatched");
      return decision.another === true;
    };
    assert.deepEqual(
      REPORTABLE.filter((one) => isAnother(one, "2026-11-25")),
      recorded,
    );
    assert.deepEqual(
      REPORTABLE.filter((one) => isAnother(one, "2026-11-24")),
      [],
    );
  });

for (const kind of ["transfer_out", "transfer_back"] as const)
  test(`a ${kind} under the id of a collection waits for a person`, () =>
    assert.equal(
      inWords(decide(debit(), item(kind), TODAY)),
      "unmatched: a transfer under the id of a collection",
    ));

test("money that arrives after a rejection takes its booking's reference; after a return the first reference stays", () => {
  const ofRejected = reinstated(debit({ state: "rejected" }), "BANK-9", "2026-11-28");
  assert.equal(changeInWords(ofRejected), "reinstated/settled 2026-11-28 BANK-9:R1");
  const ofReturned = reinstated(debit({ state: "returned" }), "BANK-9", "2026-11-28");
  assert.equal(changeInWords(ofReturned), "reinstated/settled 2026-11-28");
});

test("a credit on the day on which a return was reinstated is that reinstatement, once in a file", () => {
  const came = debit({
    state: "settled",
    settled_on: "2026-11-20",
    reinstated_on: "2026-11-25",
    booked: { credit: seen("2026-11-20") },
  });
  const reported = (what: Parameters<typeof reportKey>[0]) => new Set([reportKey(what, "R1")]);
  const words = (facts: Partial<KnownInstruction>) =>
    inWords(decide({ ...came, ...facts }, item("credit"), TODAY));
  const known = "known; books credit 2026-11-25 -";
  assert.deepEqual(
    [
      words({}),
      words({ reported: reported("earlier return") }),
      words({ reported: reported("reinstatement") }),
      words({ reinstated_on: "2026-11-24" }),
      words({ reinstated_on: "2026-11-24", settled_on: "2026-11-24" }),
      words({ settled_on: "2026-11-25" }),
    ],
    [known, known, SECOND_CREDIT, SECOND_CREDIT, SECOND_CREDIT, SECOND_CREDIT],
  );
});

test("an earlier return that a file tells again is known, once in a file; a report of it moves no money", () => {
  const came = debit({
    state: "settled",
    settled_on: "2026-11-19",
    returned_on: "2026-11-25",
    reinstated_on: "2026-11-26",
  });
  const reports = reportKey("earlier return", "R1");
  const again = (kind: "return" | "reject", reported: readonly string[] = []) =>
    decide({ ...came, reported: new Set(reported) }, item(kind), TODAY);
  assert.deepEqual(again("return"), { kind: "known", booking: null, reports });
  assert.deepEqual(again("return", [reportKey("reinstatement", "R1")]), again("return"));
  assert.equal(again("return", [reports]).kind, "unmatched");
  assert.deepEqual(again("reject"), { kind: "known", booking: null });
  assert.deepEqual(again("reject", [reports]), again("reject"));
});

test("a credit besides the one on record is reported as a reinstatement, any other movement as itself", () => {
  const told = (movement: "credit" | "debit" | "fee", on: string) =>
    reportableOf(debit({ booked: { credit: seen("2026-11-24"), debit: seen("2026-11-24") } }), {
      reference: "R1",
      movement,
      booked_on: on,
      bank_reference: null,
    });
  assert.deepEqual(
    [told("credit", "2026-11-24"), told("credit", "2026-11-25"), told("debit", "2026-11-25")],
    ["credit", "reinstatement", "debit"],
  );
});
