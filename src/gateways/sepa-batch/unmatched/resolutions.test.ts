import assert from "node:assert/strict";
import test from "node:test";
import { cents } from "../../../lib/money.ts";
import { Refusal } from "../../../refusals.ts";
import type { KnownInstruction } from "../incoming/decide.ts";
import type { Item } from "../incoming/items.ts";
import { applied, isOutgoing, reinstatedBy, rejectedBy, settledBy, type Resolution } from "./resolutions.ts";

const TODAY = "2026-12-01";
const FILE = "00000000-0000-4000-8000-000000000001";

/** A debit of 50 EUR in the file PSB-7, about which the bank has reported nothing. */
function debit(facts: Partial<KnownInstruction> = {}): KnownInstruction {
  return {
    reference: "R1",
    refund_of: null,
    reversible_until: null,
    state: "batched",
    amount: "50.00",
    currency: "EUR",
    settled_on: null,
    assumed: false,
    due_date: "2026-11-24",
    file_id: FILE,
    block_id: "PSB-7-1",
    returned_on: null,
    reinstated_on: null,
    withdrawn: false,
    booked: {},
    ...facts,
  };
}

const refund = (facts: Partial<KnownInstruction> = {}): KnownInstruction =>
  debit({ refund_of: "R0", ...facts });
const SETTLED = debit({ state: "settled", settled_on: "2026-11-24" });
const RETURNED = debit({ state: "returned" });
const REJECTED = debit({ state: "rejected" });
/** Stopped after its file was withdrawn. */
const STOPPED = debit({ state: "fenced", file_id: null, withdrawn: true });

interface Facts {
  /** The 25th by default. */
  readonly on?: string | null;
  readonly amount?: number | null;
  readonly currency?: string | null;
  readonly bank?: string | null;
  readonly code?: string | null;
  readonly sure?: boolean;
  readonly reversal?: true;
  readonly listed?: boolean;
  readonly fee?: number;
}

function item(kind: Item["kind"], facts: Facts = {}): Item {
  const { on = "2026-11-25", amount = 5_000, currency = "EUR", bank = null, code = null } = facts;
  const { sure = true, listed = false, fee = null } = facts;
  return {
    kind,
    bookedOn: on,
    ids: { references: [], endToEndId: null, mandateReference: null, others: [] },
    amount: amount === null ? null : cents(amount),
    currency,
    bankReference: bank,
    block: null,
    why: { code, message: null },
    sure,
    fee: fee === null ? null : cents(fee),
    listed,
    words: "",
    understood: false,
    ...(facts.reversal === undefined ? {} : { reversal: facts.reversal }),
  } as unknown as Item;
}

interface Entered {
  readonly bankFee?: number;
  readonly acceptAmount?: boolean;
}

const entered = ({ bankFee, acceptAmount = false }: Entered = {}) => ({
  bankFee: bankFee === undefined ? null : cents(bankFee),
  acceptAmount,
});

/** A resolution as text: its change of each instruction, its bookings, the fee; for a refusal the sentence. */
function told(act: () => Resolution): string {
  try {
    const { status, changes, bookings, bankFee = null } = act();
    const done = changes.map(
      (one) =>
        `${one.reference} ${one.news} ${one.on}` +
        (one.gateway_reference === null ? "" : ` as ${one.gateway_reference}`) +
        (one.amount === null || one.amount === undefined ? "" : ` of ${one.amount}`) +
        (one.bank_fee === null ? "" : ` fee ${one.bank_fee}`),
    );
    const kept = bookings.map(
      (one) => `books ${one.reference} ${one.movement} ${one.booked_on} ${one.bank_reference ?? "-"}`,
    );
    return [status, ...done, ...kept, ...(bankFee === null ? [] : [`entered ${bankFee}`])].join("; ");
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error));
    return `no: ${error.detail}`;
  }
}

// One transaction.

const CREDITED = "applied; R1 settled 2026-11-25 as PSB-7/PSB-7-1/R1; books R1 credit 2026-11-25 -";
const back = (rest = ""): string => `applied; R1 charged_back 2026-11-25${rest}; books R1 debit 2026-11-25 -`;
const expects = (booked: string, wanted: string, part: boolean, fee = ""): string =>
  `no: The bank booked ${booked}${fee}, but ${wanted} is expected. Set bank_fee if the difference is the bank's fee` +
  `${part ? ", use the action part if more is to come" : ""}, or accept_amount: true to apply it anyway.`;
const ENDED =
  "no: This collection had ended without its money: use the action reinstate if the money is for it.";

type OnePay = readonly [
  what: string,
  instruction: KnownInstruction,
  item: Item,
  entered: Entered,
  told: string,
];

const ONE: readonly OnePay[] = [
  ["the money of a debit", debit(), item("credit"), {}, CREDITED],
  ["a sum that is the money of one debit", debit(), item("block_credit"), {}, CREDITED],
  [
    "a reversal of a return",
    debit(),
    item("withdrawn_return"),
    {},
    "no: It reverses a return: use the action reinstate.",
  ],
  [
    "a status of a block",
    debit(),
    item("block_reject"),
    {},
    "no: It does not concern a single transaction: use the action reject, or dismiss it.",
  ],
  [
    "what was not understood",
    debit(),
    item("note"),
    {},
    "no: It does not concern a single transaction: handle it by hand and dismiss it.",
  ],
  ["money for what was rejected", REJECTED, item("credit"), {}, ENDED],
  ["money for what was stopped after its file was withdrawn", STOPPED, item("credit"), {}, ENDED],
  [
    "money for what was stopped before it was in a file",
    debit({ state: "fenced", file_id: null }),
    item("credit"),
    {},
    "no: It cannot be applied to this transaction: the collection is fenced: it was never sent to the bank.",
  ],
  [
    "a return of what was rejected",
    REJECTED,
    item("return"),
    {},
    "no: It cannot be applied to this transaction: the bank returned a collection that had been rejected.",
  ],
  ["a rejection", debit(), item("reject", { amount: null }), {}, "applied; R1 returned 2026-11-25"],
  [
    "what is known",
    SETTLED,
    item("credit"),
    {},
    "no: The transaction already reflects this: dismiss the entry.",
  ],
  // Amounts.
  [
    "a cent less than was asked for",
    debit(),
    item("credit", { amount: 4_999 }),
    {},
    expects("49.99 EUR", "50.00 EUR", true),
  ],
  [
    "a cent less, and it is accepted",
    debit(),
    item("credit", { amount: 4_999 }),
    { acceptAmount: true },
    CREDITED,
  ],
  ["no amount", debit(), item("credit", { amount: null }), {}, CREDITED],
  [
    "what is less by the bank's fee",
    debit(),
    item("credit", { amount: 4_700 }),
    { bankFee: 300 },
    `${CREDITED}; entered 3.00`,
  ],
  [
    "what is less by another fee",
    debit(),
    item("credit", { amount: 4_700 }),
    { bankFee: 299 },
    expects("47.00 EUR", "50.00 EUR", true, " with a fee of 2.99"),
  ],
  [
    "another currency",
    debit(),
    item("credit", { currency: "CHF" }),
    {},
    expects("50.00 CHF", "50.00 EUR", true),
  ],
  [
    "no currency",
    debit(),
    item("credit", { currency: null }),
    {},
    expects("50.00 without a currency", "50.00 EUR", true),
  ],
  // Returns.
  ["a return", SETTLED, item("return"), {}, back()],
  [
    "a return with the bank's fee on top",
    SETTLED,
    item("return", { amount: 5_300 }),
    { bankFee: 300 },
    `${back(" fee 3.00")}; entered 3.00`,
  ],
  ["a return with a fee that the bank states", SETTLED, item("return", { fee: 250 }), {}, back(" fee 2.50")],
  [
    "a return of less, and its fee is not the difference",
    SETTLED,
    item("return", { amount: 4_700 }),
    { bankFee: 300 },
    expects("47.00 EUR", "50.00 EUR", false, " with a fee of 3.00"),
  ],
  [
    "a return of a part, which is accepted",
    SETTLED,
    item("return", { amount: 2_000 }),
    { acceptAmount: true },
    back(" of 20.00"),
  ],
  [
    "a return of all but a cent",
    SETTLED,
    item("return", { amount: 4_999 }),
    { acceptAmount: true },
    back(" of 49.99"),
  ],
  [
    "a return of a part with a fee in it",
    SETTLED,
    item("return", { amount: 2_300 }),
    { acceptAmount: true, bankFee: 300 },
    `${back(" of 20.00 fee 3.00")}; entered 3.00`,
  ],
  [
    "a return of a cent beside the fee",
    SETTLED,
    item("return", { amount: 301 }),
    { acceptAmount: true, bankFee: 300 },
    `${back(" of 0.01 fee 3.00")}; entered 3.00`,
  ],
  [
    "a return of no more than the fee is one of the whole",
    SETTLED,
    item("return", { amount: 300 }),
    { acceptAmount: true, bankFee: 300 },
    `${back(" fee 3.00")}; entered 3.00`,
  ],
  ["a return of the whole", SETTLED, item("return"), { acceptAmount: true }, back()],
  ["a return of more", SETTLED, item("return", { amount: 5_001 }), { acceptAmount: true }, back()],
  ["a return of no known amount", SETTLED, item("return", { amount: null }), {}, back()],
  [
    "a return of a part of what waits: only the chargeback is of the part",
    debit(),
    item("return", { amount: 2_000 }),
    { acceptAmount: true },
    "applied; R1 settled 2026-11-24 as PSB-7/PSB-7-1/R1; R1 charged_back 2026-11-25 of 20.00; books R1 debit 2026-11-25 -",
  ],
];

for (const [what, instruction, entry, given, expected] of ONE)
  test(`applied to a transaction, ${what}: ${expected}`, () =>
    assert.equal(
      told(() => applied(instruction, entry, entered(given), TODAY)),
      expected,
    ));

const ON_RECORD = {
  reference: "R1",
  movement: "debit",
  booked_on: "2026-11-24",
  bank_reference: "BANK-1",
} as const;
const KNOWN = "no: The transaction already reflects this: dismiss the entry.";
const ANOTHER =
  "no: The bank returned this money on 2026-11-24 already, and this is another return. If the money came again, " +
  "reinstate the payment with that entry first, and apply this one then; otherwise dismiss it.";

const RETURNS_AGAIN: readonly (readonly [
  what: string,
  instruction: KnownInstruction,
  item: Item,
  recorded: boolean,
  told: string,
])[] = [
  ["on another day, under another reference", RETURNED, item("return", { bank: "BANK-2" }), true, ANOTHER],
  ["on another day, without a reference", RETURNED, item("return"), true, ANOTHER],
  ["on another day, under the same reference", RETURNED, item("return", { bank: "BANK-1" }), true, KNOWN],
  ["on the same day", RETURNED, item("return", { on: "2026-11-24", bank: "BANK-2" }), true, KNOWN],
  ["on no day", RETURNED, item("return", { on: null, bank: "BANK-2" }), true, KNOWN],
  ["and the first one was never seen booked", RETURNED, item("return", { bank: "BANK-2" }), false, KNOWN],
  ["in a status report", RETURNED, item("reject"), true, KNOWN],
  [
    "and its money had come again",
    SETTLED,
    item("return", { bank: "BANK-2" }),
    true,
    `${back().slice(0, -1)}BANK-2`,
  ],
];

for (const [what, instruction, entry, recorded, expected] of RETURNS_AGAIN)
  test(`a return of what was returned, ${what}: ${expected}`, () =>
    assert.equal(
      told(() => applied(instruction, entry, entered(), TODAY, recorded ? ON_RECORD : null)),
      expected,
    ));

test(`a return applied to a transaction that was returned, on another day under the same number of a day: ${ANOTHER}`, () => {
  const entry = item("return", { bank: "00017" });
  const recorded = { ...ON_RECORD, bank_reference: "00017" };
  assert.equal(
    told(() => applied(RETURNED, entry, entered(), TODAY, recorded)),
    ANOTHER,
  );
});

// Money that has arrived after all.

const NOT_IN = "no: Only incoming money reinstates a payment; this entry is not incoming money.";
const only = (state: string): string =>
  `no: The collection is ${state}: only one that was rejected or returned, or taken out of a file that the bank may have, can be reinstated.`;
const there = (on = "2026-11-25", bank = "BANK-9", rest = ` as ${bank}:R1`): string =>
  `applied; R1 reinstated ${on}${rest}; books R1 credit ${on} ${bank}`;

const REINSTATED: readonly OnePay[] = [
  ["rejected", REJECTED, item("credit", { bank: "BANK-9" }), {}, there()],
  ["rejected, by a sum", REJECTED, item("block_credit", { bank: "BANK-9" }), {}, there()],
  ["returned", RETURNED, item("credit", { bank: "BANK-9" }), {}, there("2026-11-25", "BANK-9", "")],
  [
    "returned, and the return is reversed, which has no reference of its own",
    RETURNED,
    item("withdrawn_return", { bank: "BANK-9" }),
    {},
    there("2026-11-25", "-", ""),
  ],
  [
    "returned in part: only that part has come again",
    RETURNED,
    item("withdrawn_return", { amount: 2_000 }),
    { acceptAmount: true },
    there("2026-11-25", "-", " of 20.00"),
  ],
  [
    "returned in part, less by the fee",
    RETURNED,
    item("credit", { bank: "BANK-9", amount: 1_700 }),
    { acceptAmount: true, bankFee: 300 },
    `${there("2026-11-25", "BANK-9", " of 20.00")}; entered 3.00`,
  ],
  [
    "returned, and more has come",
    RETURNED,
    item("credit", { bank: "BANK-9", amount: 5_100 }),
    { acceptAmount: true },
    there("2026-11-25", "BANK-9", ""),
  ],
  [
    "rejected, and less has come",
    REJECTED,
    item("credit", { bank: "BANK-9", amount: 2_000 }),
    { acceptAmount: true },
    there(),
  ],
  ["stopped after its file was withdrawn", STOPPED, item("credit", { bank: "BANK-9" }), {}, there()],
  ["without a day", REJECTED, item("credit", { bank: "BANK-9", on: null }), {}, there(TODAY)],
  [
    "less by the fee",
    REJECTED,
    item("credit", { bank: "BANK-9", amount: 4_700 }),
    { bankFee: 300 },
    `${there()}; entered 3.00`,
  ],
  ["a cent less", REJECTED, item("credit", { amount: 4_999 }), {}, expects("49.99 EUR", "50.00 EUR", true)],
  ["a return is no incoming money", REJECTED, item("return"), {}, NOT_IN],
  ["a transfer is no incoming money of a payment", REJECTED, item("transfer_back"), {}, NOT_IN],
  [
    "a refund",
    refund({ state: "rejected" }),
    item("credit"),
    {},
    "no: This is a refund. Only a collection can be reinstated.",
  ],
  ["settled", SETTLED, item("credit"), {}, KNOWN],
  ["with the bank", debit(), item("credit"), {}, only("batched")],
  [
    "stopped before it was in a file",
    debit({ state: "fenced", file_id: null }),
    item("credit"),
    {},
    only("fenced"),
  ],
  [
    "rejected before it was in a file",
    debit({ state: "rejected", file_id: null }),
    item("credit"),
    {},
    only("rejected"),
  ],
];

for (const [what, instruction, entry, given, expected] of REINSTATED)
  test(`reinstated, ${what}: ${expected}`, () =>
    assert.equal(
      told(() => reinstatedBy(instruction, entry, entered(given), TODAY)),
      expected,
    ));

// Several instructions at once.

interface Several extends Entered {
  readonly parts?: readonly number[];
  readonly explicit?: boolean;
  readonly part?: boolean;
}

const several = ({ parts = [], explicit = false, part = false, ...rest }: Several) => ({
  ...entered(rest),
  parts: parts.map((one) => cents(one)),
  explicit,
  part,
});

const R2 = { reference: "R2", amount: "30.00" };
const TWO = [debit(), debit(R2)];
const both = (rest = ""): string =>
  "applied; R1 settled 2026-11-25 as BANK-9:R1; R2 settled 2026-11-25 as BANK-9:R2; " +
  `books R1 credit 2026-11-25 BANK-9; books R2 credit 2026-11-25 BANK-9${rest}`;
const sum = (amount: number | null, facts: Facts = {}): Item =>
  item("block_credit", { amount, bank: "BANK-9", ...facts });
const out = (amount: number | null, facts: Facts = {}): Item =>
  item("transfer_out", { amount, bank: "BANK-9", ...facts });
const TWO_REFUNDS = [refund(), refund(R2)];
const ANSWERED = "no: All of these are already answered: dismiss the entry.";

type Many = readonly [
  what: string,
  all: readonly KnownInstruction[],
  item: Item,
  given: Several,
  told: string,
];

const SEVERAL: readonly Many[] = [
  ["to the cent", TWO, sum(8_000), {}, both()],
  ["by an entry of no known amount", TWO, sum(null), {}, both()],
  [
    "on no day",
    [debit()],
    sum(5_000, { on: null }),
    {},
    `applied; R1 settled ${TODAY} as BANK-9:R1; books R1 credit ${TODAY} BANK-9`,
  ],
  ["a cent less", TWO, sum(7_999), {}, expects("79.99 EUR", "80.00 EUR", true)],
  ["less by the fee", TWO, sum(7_700), { bankFee: 300 }, both("; entered 3.00")],
  ["with parts that came before", TWO, sum(3_000), { parts: [2_000, 3_000] }, both()],
  [
    "with a part that came before and a fee",
    TWO,
    sum(2_900),
    { parts: [5_000], bankFee: 100 },
    both("; entered 1.00"),
  ],
  [
    "with parts, and still a cent less",
    TWO,
    sum(3_000),
    { parts: [2_000, 2_999] },
    expects("79.99 EUR", "80.00 EUR", true),
  ],
  ["a part of it", TWO, sum(3_000), { part: true }, "part"],
  ["a part, with a fee", TWO, sum(3_000), { part: true, bankFee: 100 }, "part; entered 1.00"],
  ["the last part", TWO, sum(3_000), { part: true, parts: [5_000] }, both()],
  ["all but a cent of the last part", TWO, sum(2_999), { part: true, parts: [5_000] }, "part"],
  ["a part that the fee completes", TWO, sum(7_700), { part: true, bankFee: 300 }, both("; entered 3.00")],
  [
    "a part that cannot be read",
    TWO,
    sum(null),
    { part: true },
    "no: The entry's amount cannot be read, so it cannot be a part.",
  ],
  [
    "of which one has an answer",
    [debit(), SETTLED],
    sum(5_000),
    {},
    "applied; R1 settled 2026-11-25 as BANK-9:R1; books R1 credit 2026-11-25 BANK-9",
  ],
  ["of which all have an answer", [SETTLED], sum(5_000), {}, ANSWERED],
  ["of which there are none", [], sum(5_000), { explicit: true }, ANSWERED],
  [
    "and a person named one with an answer",
    [debit(), { ...SETTLED, ...R2 }],
    sum(5_000),
    { explicit: true },
    "no: R2 is settled: leave it out, or dismiss the entry.",
  ],
  [
    "and a person named one that was rejected",
    [debit(), debit({ ...R2, state: "rejected" })],
    sum(8_000),
    { explicit: true },
    both().replace("R2 settled", "R2 reinstated"),
  ],
  [
    "and a person named one whose file was withdrawn",
    [debit({ state: "accepted", withdrawn: true })],
    sum(5_000),
    { explicit: true },
    "applied; R1 settled 2026-11-25 as BANK-9:R1; books R1 credit 2026-11-25 BANK-9",
  ],
  [
    "one of them a refund",
    [debit(), refund(R2)],
    sum(8_000),
    {},
    "no: The list contains a refund: name collections only.",
  ],
  [
    "by what is no money",
    TWO,
    item("reject"),
    {},
    "no: Only incoming money settles collections; this entry is not incoming money.",
  ],
  [
    "by one credit",
    [debit()],
    item("credit", { bank: "BANK-9" }),
    {},
    "applied; R1 settled 2026-11-25 as BANK-9:R1; books R1 credit 2026-11-25 BANK-9",
  ],
  // Refunds.
  [
    "refunds, by a transfer",
    TWO_REFUNDS,
    out(8_000),
    {},
    "applied; R1 settled 2026-11-25 as BANK-9:R1; R2 settled 2026-11-25 as BANK-9:R2; books R1 debit 2026-11-25 BANK-9; books R2 debit 2026-11-25 BANK-9",
  ],
  [
    "refunds, on no day, with a fee on top",
    [refund()],
    out(5_025, { on: null }),
    { bankFee: 25 },
    `applied; R1 settled ${TODAY} as BANK-9:R1; books R1 debit ${TODAY} BANK-9; entered 0.25`,
  ],
  ["refunds, a cent more", TWO_REFUNDS, out(8_001), {}, expects("80.01 EUR", "80.00 EUR", false)],
  [
    "refunds, in parts",
    TWO_REFUNDS,
    out(8_000),
    { part: true },
    "no: Money that went out is not kept in parts: settle the refunds that it is for.",
  ],
  [
    "refunds, one of them a collection",
    [refund(), debit(R2)],
    out(8_000),
    {},
    "no: The list contains a collection: money that went out settles refunds only.",
  ],
  [
    "refunds, one with an answer named",
    [refund({ state: "rejected" })],
    out(5_000),
    { explicit: true },
    "no: R1 is rejected: leave it out, or dismiss the entry.",
  ],
];

for (const [what, all, entry, given, expected] of SEVERAL)
  test(`several settled, ${what}: ${expected}`, () =>
    assert.equal(
      told(() => settledBy(all, entry, several(given), TODAY)),
      expected,
    ));

const OUT: readonly (readonly [item: Item, goes: boolean])[] = [
  [item("transfer_out"), true],
  [item("return"), false],
  [item("return", { sure: false }), true],
  [item("return", { sure: false, code: "AC04" }), false],
  [item("return", { reversal: true, code: "AC04" }), true],
  [item("credit"), false],
  [item("transfer_back"), false],
];

for (const [entry, goes] of OUT)
  test(`a ${entry.kind} ${JSON.stringify("why" in entry ? entry.why.code : null)}, sure ${"sure" in entry && entry.sure}, is ${goes ? "" : "not "}a sum of refunds`, () =>
    assert.equal(isOutgoing(entry), goes));

const REVERSAL = refund({ reversible_until: "2026-12-01" });

const REFUSED: readonly Many[] = [
  [
    "a block",
    [debit(), SETTLED, debit(R2)],
    item("block_reject"),
    {},
    "applied; R1 returned 2026-11-25; R2 returned 2026-11-25",
  ],
  ["on no day", [debit()], item("reject", { on: null }), {}, `applied; R1 returned ${TODAY}`],
  ["of which all have an answer", [SETTLED], item("block_reject"), {}, ANSWERED],
  [
    "one with an answer is named",
    [REJECTED],
    item("block_reject"),
    { explicit: true },
    "no: R1 is rejected: leave it out, or dismiss the entry.",
  ],
  [
    "by what is no report",
    [debit()],
    item("credit"),
    {},
    "no: Only a status report that rejects can reject payments; this entry is not one.",
  ],
  [
    "while a part of its money is kept",
    [debit()],
    item("block_reject"),
    { parts: [100] },
    "no: A part of the money for these is kept: settle them, or dismiss the parts first.",
  ],
  ["reversals", [REVERSAL], item("block_reject", { reversal: true }), {}, "applied; R1 returned 2026-11-25"],
  [
    "reversals, and one of these is none",
    [REVERSAL, debit(R2)],
    item("block_reject", { reversal: true }),
    {},
    "no: The bank rejected reversals, and these are not: name the transactions of the refunds.",
  ],
];

for (const [what, all, entry, { parts = [], explicit = false }, expected] of REFUSED)
  test(`rejected, ${what}: ${expected}`, () =>
    assert.equal(
      told(() => rejectedBy(all, entry, { parts: parts.map((one) => cents(one)), explicit }, TODAY)),
      expected,
    ));
