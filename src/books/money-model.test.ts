/**
 * The reference model of the money: every row of docs/money.md, and every order of facts that must lead to the same
 * end.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { fc } from "../../tests/support/properties.ts";
import { cents, formatAmount, parseAmount, type Cents } from "../lib/money.ts";
import {
  expected,
  type ModelCollection,
  type Expected,
  type Fact,
  type EmittedEvent,
} from "./money-model.ts";

const AMOUNT = cents(1990);
const SESSION: ModelCollection = { cents: AMOUNT, completedAt: "settlement" };
const page = readFileSync(join(import.meta.dirname, "../../docs/money.md"), "utf8");

const KINDS: Readonly<Record<string, Fact["kind"]>> = {
  accepted: "accepted",
  paid: "paid",
  refused: "refused",
  withdrawn: "withdrawn",
  settled: "settled",
  returned: "returned",
  "charged back": "charged_back",
  reinstated: "reinstated",
  fee: "fee",
};

/** `A asked 5.00` is a refund's fact, `charged back 10.00` the debit's. */
function fact(words: string): Fact {
  const [, refund, kind = "", amount] = /^(?:([AB]) )?([a-z ]+?)(?: (\d+\.\d\d))?$/.exec(words) ?? [];
  const value = amount === undefined ? null : parseAmount(amount);
  const read =
    refund === undefined
      ? { kind: KINDS[kind], cents: value }
      : { refund, kind: `refund_${kind}`, cents: value };
  assert.ok(read.kind !== undefined, words);
  return read as Fact;
}

const factsOf = (words: string) => words.split(", ").map(fact);

function rows(heading: string): readonly (readonly string[])[] {
  const section = page.split(/^## /m).find((text) => text.startsWith(heading)) ?? "";
  return section
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .slice(1)
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

function signed(value: number): string {
  return `${value < 0 ? "-" : ""}${formatAmount(cents(Math.abs(value)))}`;
}

function inWords({ type, refund, status }: EmittedEvent): string {
  const whose = refund === null ? "" : `${refund} `;
  switch (type) {
    case "payment_session.completed":
      return "completed";
    case "chargeback.created":
      return "chargeback";
    case "transaction.created":
      return `${whose}created ${status}`;
    case "transaction.status_changed":
      return `${whose}→ ${status}`;
  }
}

function row(words: string, shown: Expected): readonly string[] {
  const { status, refundable, earned, customerPaid, merchantHas, emitted } = shown;
  const amounts = [refundable, earned, customerPaid, merchantHas].map(signed);
  return [words, status, ...amounts, emitted.map(inWords).join(", ")];
}

for (const heading of ["The debit", "Refunds", "Contradictions"]) {
  test(`${heading}: the model gives each row of docs/money.md`, () => {
    const said = rows(heading);
    assert.ok(said.length > 5);
    for (const [words = "", ...rest] of said) {
      const shown = expected(SESSION, factsOf(words));
      assert.deepEqual(row(words, shown), [words, ...rest]);
      assert.deepEqual(shown.wrong, []);
      assert.equal(shown.strange.length > 0, heading === "Contradictions", words);
    }
  });
}

test("What must never happen: each row of docs/money.md is named by its number", () => {
  const said = rows("What must never happen");
  assert.ok(said.length > 3);
  for (const [words = "", breaks] of said)
    assert.deepEqual(expected(SESSION, factsOf(words)).wrong, [breaks], words);
});

test("with the event at acceptance, completed is emitted at acceptance and not again; without a session, never", () => {
  const facts = factsOf("accepted, settled, charged back, reinstated");
  const completed = (completedAt: ModelCollection["completedAt"]) =>
    expected({ cents: AMOUNT, completedAt }, facts)
      .emitted.map(({ type, status }) => (type === "payment_session.completed" ? status : ""))
      .filter(Boolean);
  assert.deepEqual(completed("acceptance"), ["pending"]);
  assert.deepEqual(completed("settlement"), ["approved"]);
  assert.deepEqual(completed(null), []);
});

test("a mandate without a payment is approved, earns nothing, and cannot be charged back", () => {
  const shown = expected({ cents: cents(0), completedAt: "settlement" }, factsOf("paid, charged back"));
  assert.deepEqual(
    [shown.status, shown.earned, shown.chargebacks, shown.strange.length],
    ["approved", 0, [], 1],
  );
});

/** The state that is independent of the order; of the events only the final ones are the same. */
function end({
  status,
  refunded,
  claimed,
  refundable,
  refunds,
  chargebacks,
  earned,
  customerPaid,
  merchantHas,
  debit,
}: Expected) {
  const sorted = Object.entries(refunds).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    status,
    refunded,
    claimed,
    refundable,
    sorted,
    chargebacks,
    earned,
    customerPaid,
    merchantHas,
    debit,
  };
}

/** Each source's facts stay in order; the facts of several sources are interleaved by `choices`. */
function mixed(sources: readonly (readonly Fact[])[], choices: readonly number[]): readonly Fact[] {
  const left = sources.map((source) => [...source]).filter((source) => source.length > 0);
  const facts: Fact[] = [];
  for (let at = 0; left.length > 0; at += 1) {
    const which = (choices[at] ?? 0) % left.length;
    const source = left[which] as Fact[];
    facts.push(source.shift() as Fact);
    if (source.length === 0) left.splice(which, 1);
  }
  return facts;
}

const LATER_DEBIT = [
  "",
  "charged back",
  "returned",
  "charged back 10.00",
  "charged back, fee 3.00",
  "charged back, reinstated",
  "charged back 4.00, reinstated, charged back, fee 1.00",
];
const LATER_REFUND = [
  "",
  "accepted",
  "made",
  "refused",
  "accepted, made",
  "accepted, refused",
  "accepted, sent, made",
  "accepted, sent, refused",
];

const refundSource = (name: string, words: string): readonly Fact[] =>
  words === ""
    ? []
    : factsOf(
        words
          .split(", ")
          .map((word) => `${name} ${word}`)
          .join(", "),
      );

const history = fc.record({
  start: fc.constantFrom("paid", "accepted, settled"),
  a: fc.integer({ min: 1, max: 1990 }),
  b: fc.integer({ min: 0, max: 1990 }),
  debit: fc.constantFrom(...LATER_DEBIT),
  refundA: fc.constantFrom(...LATER_REFUND),
  refundB: fc.constantFrom(...LATER_REFUND),
  choices: fc.array(fc.nat(5), { minLength: 12, maxLength: 12 }),
});

type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

function partsOf({ start, a, b, debit, refundA, refundB }: History) {
  const rest = Math.min(b, AMOUNT - a);
  const asked = (refund: string, amount: number): Fact => ({
    refund,
    kind: "refund_asked",
    cents: cents(amount),
  });
  const first = [...factsOf(start), asked("A", a), ...(rest > 0 ? [asked("B", rest)] : [])];
  const later = [
    debit === "" ? [] : factsOf(debit),
    refundSource("A", refundA),
    rest > 0 ? refundSource("B", refundB) : [],
  ];
  return { first, later };
}

test("a debit and its refunds have the same final state in whatever order the facts are reported (MONEY-10)", () => {
  fc.assert(
    fc.property(history, (made) => {
      const { first, later } = partsOf(made);
      const oneByOne = end(expected(SESSION, [...first, ...later.flat()]));
      assert.deepEqual(end(expected(SESSION, [...first, ...mixed(later, made.choices)])), oneByOne);
    }),
    { numRuns: 1_000 },
  );
});

test("a settlement and a chargeback have the same final state whichever is reported first (MONEY-10)", () => {
  for (const bounce of ["charged back", "charged back 10.00"]) {
    assert.deepEqual(
      end(expected(SESSION, factsOf(`accepted, settled, ${bounce}`))),
      end(expected(SESSION, factsOf(`accepted, ${bounce}, settled`))),
    );
  }
});

test("a fact that is reported twice changes nothing, and is emitted once", () => {
  fc.assert(
    fc.property(history, (made) => {
      const { first, later } = partsOf(made);
      const facts = [...first, ...mixed(later, made.choices)];
      const twice = facts.flatMap((one) => [one, one]);
      assert.deepEqual(expected(SESSION, twice), expected(SESSION, facts));
    }),
    { numRuns: 500 },
  );
});

test("the events of each record are one chain from its creation to its present status; no cent is lost", () => {
  fc.assert(
    fc.property(history, (made) => {
      const { first, later } = partsOf(made);
      const shown = expected(SESSION, [...first, ...mixed(later, made.choices)]);
      for (const refund of [null, "A", "B"]) {
        const chain = shown.emitted.filter(
          (one) => one.refund === refund && one.type.startsWith("transaction."),
        );
        const status = refund === null ? shown.status : (shown.refunds[refund] ?? "open");
        if (chain.length === 0) assert.ok(["open", "declined"].includes(status));
        else assert.equal(chain.at(-1)?.status, status);
        chain.forEach(({ type, before }, at) => {
          assert.equal(type, at === 0 ? "transaction.created" : "transaction.status_changed");
          assert.equal(before, chain[at - 1]?.status ?? null);
        });
      }
      assert.equal(
        shown.emitted.filter(({ type }) => type === "chargeback.created").length,
        shown.chargebacks.length,
      );
      assert.equal(shown.emitted.filter(({ type }) => type === "payment_session.completed").length, 1);
      const fees = shown.chargebacks.reduce((sum: number, { fee }) => sum + (fee ?? 0), 0);
      assert.equal(shown.customerPaid - fees, shown.merchantHas);
      assert.ok(shown.refunded <= shown.claimed && shown.claimed <= AMOUNT);
      assert.ok(shown.refundable === 0 || shown.refundable === ((AMOUNT - shown.claimed) as Cents));
    }),
    { numRuns: 1_000 },
  );
});
