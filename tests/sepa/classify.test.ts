/** The meaning of a booking for a creditor, row by row: code, sign, reversal, reason. */
import assert from "node:assert/strict";
import test from "node:test";
import { classify, movesMoney, type Movement } from "../../src/sepa/messages/reading/movement.ts";
import type { Sign } from "../../src/sepa/messages/reading/bank-records.ts";
import { code, detail, entry, reason } from "./records.ts";

interface Row {
  readonly entry: string;
  readonly sign: Sign | null;
  readonly reversal?: boolean;
  readonly detail?: string;
  readonly detailSign?: Sign;
  readonly reason?: string;
  readonly is: Movement;
}

const ROWS: readonly Row[] = [
  // Collections.
  { entry: "PMNT/IDDT/ESDD", sign: "CRDT", is: "collection" },
  { entry: "PMNT/IDDT/BBDD", sign: "CRDT", is: "collection" },
  { entry: "PMNT/IDDT/PMDD", sign: "CRDT", is: "collection" },
  { entry: "PMNT/IDDT/OODD", sign: "CRDT", is: "collection" },
  { entry: "PMNT/IDDT/NTAV", sign: "CRDT", is: "collection" },
  { entry: "PMNT/IDDT/ESDD NDDT+192+09200", sign: "CRDT", is: "collection" },
  { entry: "PMNT/RDDT/PMDD", sign: "CRDT", is: "collection" },
  { entry: "NDDT+171+00000", sign: "CRDT", is: "collection" },
  { entry: "NDDT+174", sign: "CRDT", is: "collection" },
  { entry: "NDDT+192+09200", sign: "CRDT", is: "collection" },
  { entry: "196", sign: "CRDT", is: "collection" },
  { entry: "PMNT/MCOP/OTHR NDDT+192+09200", sign: "CRDT", is: "collection" },
  { entry: "", sign: "CRDT", detail: "PMNT/IDDT/ESDD", is: "collection" },
  // Returns.
  { entry: "PMNT/IDDT/UPDD", sign: "DBIT", is: "return" },
  { entry: "PMNT/IDDT/UPDD", sign: "DBIT", reversal: true, is: "return" },
  { entry: "PMNT/IDDT/UPDD NRTI+109+00931", sign: "DBIT", is: "return" },
  { entry: "PMNT/IDDT/UPDD N245", sign: "DBIT", is: "return" },
  { entry: "PMNT/IDDT/RCDD", sign: "DBIT", is: "return" },
  { entry: "PMNT/IDDT/PRDD", sign: "DBIT", reversal: true, is: "return" },
  { entry: "PMNT/RDDT/PRDD", sign: "DBIT", reversal: true, reason: "MD06", is: "return" },
  { entry: "NRTI+109+00931", sign: "DBIT", is: "return" },
  { entry: "NRTI+108", sign: "DBIT", is: "return" },
  { entry: "N245", sign: "DBIT", is: "return" },
  { entry: "PMNT/IDDT/ESDD", sign: "DBIT", reversal: true, is: "return" },
  { entry: "PMNT/IDDT/ESDD", sign: "DBIT", reason: "AM04", is: "return" },
  // PostFinance marks the entry as a reversal, but the transaction still has the code of the collection.
  {
    entry: "PMNT/IDDT/PRDD",
    sign: "DBIT",
    reversal: true,
    detail: "PMNT/RDDT/PMDD",
    detailSign: "DBIT",
    reason: "MD06",
    is: "return",
  },
  // A return within a net booking.
  {
    entry: "PMNT/IDDT/ESDD",
    sign: "CRDT",
    detail: "PMNT/IDDT/UPDD",
    detailSign: "DBIT",
    reason: "AC04",
    is: "return",
  },
  // The bank withdrew its own booking.
  { entry: "PMNT/IDDT/UPDD", sign: "CRDT", reversal: true, is: "return_withdrawn" },
  { entry: "NRTI+109+00931", sign: "CRDT", reversal: true, is: "return_withdrawn" },
  // Not about any payment of ours.
  { entry: "PMNT/RDDT/ESDD", sign: "DBIT", is: "unrelated" },
  { entry: "PMNT/RDDT/UPDD", sign: "CRDT", is: "unrelated" },
  { entry: "PMNT/RDDT/ESDD", sign: "CRDT", reversal: true, is: "unrelated" },
  { entry: "NDDT+105", sign: "DBIT", is: "unrelated" },
  { entry: "NDDT+104", sign: "DBIT", is: "unrelated" },
  { entry: "PMNT/ICDT/RRTN", sign: "CRDT", reason: "AC01", is: "unrelated" },
  { entry: "PMNT/ICDT/ESCT", sign: "DBIT", is: "unrelated" },
  { entry: "PMNT/RCDT/ESCT NTRF+166+09206", sign: "CRDT", is: "unrelated" },
  { entry: "NTRF+020", sign: "DBIT", is: "unrelated" },
  { entry: "NMSC+051", sign: "CRDT", is: "unrelated" },
  // Fees of banks, with various families and codes.
  { entry: "PMNT/IDDT/FEES", sign: "DBIT", is: "fee" },
  { entry: "PMNT/MDOP/CHRG", sign: "DBIT", is: "fee" },
  { entry: "PMNT/MDOP/CHRG", sign: "DBIT", reason: "AM04", is: "fee" },
  { entry: "PMNT/IDDT/UPDD", sign: "DBIT", detail: "PMNT/MDOP/CHRG", detailSign: "DBIT", is: "fee" },
  { entry: "PMNT/IDDT/UPDD", sign: "DBIT", detail: "PMNT/IDDT/CHRG", detailSign: "DBIT", is: "fee" },
  { entry: "PMNT/MDOP/CHRG", sign: "DBIT", detail: "PMNT/IDDT/UPDD", reason: "AM04", is: "return" },
  { entry: "ACMT/MDOP/CHRG", sign: "DBIT", is: "fee" },
  { entry: "NCHG+808+00000", sign: "DBIT", is: "fee" },
  { entry: "PMNT/IDDT/UPDD NCHG+808", sign: "DBIT", is: "fee" },
  { entry: "ACMT/OPCL/ACCC", sign: "DBIT", is: "unrelated" },
  // Codes that are missing, or given twice with different values.
  { entry: "", sign: "DBIT", reason: "AM04", is: "unclear" },
  { entry: "", sign: "CRDT", is: "unclear" },
  { entry: "PMNT/constructor/constructor toString", sign: "DBIT", is: "unrelated" },
  { entry: "NDDT+999", sign: "CRDT", is: "unclear" },
  { entry: "PMNT/IDDT/ESDD", sign: "DBIT", is: "unclear" },
  { entry: "PMNT/IDDT/ESDD", sign: null, is: "unclear" },
  { entry: "PMNT/IDDT/ESDD", sign: "CRDT", reversal: true, is: "unclear" },
  { entry: "PMNT/IDDT/UPDD", sign: "CRDT", is: "unclear" },
  { entry: "PMNT/RDDT/UPDD", sign: "CRDT", reversal: true, is: "unclear" },
  { entry: "PMNT/RDDT/ESDD", sign: "DBIT", reason: "MD06", is: "unclear" },
  { entry: "PMNT/RCDT/ESCT NRTI+109", sign: "DBIT", is: "unclear" },
];

for (const row of ROWS) {
  const words = [
    row.entry || "no code",
    row.sign,
    row.reversal === true ? "reversal" : "",
    row.detail,
    row.reason,
  ];
  test(`${words.filter(Boolean).join(" ")} is ${row.is}`, () => {
    const booked = entry({ code: code(row.entry), sign: row.sign, reversal: row.reversal ?? false });
    const single = detail({
      code: row.detail === undefined ? null : code(row.detail),
      sign: row.detailSign ?? null,
      returnReason: row.reason === undefined ? null : reason(row.reason),
    });
    assert.equal(classify(booked, single), row.is);
    if (row.detail === undefined && row.reason === undefined) assert.equal(classify(booked, null), row.is);
  });
}

test("three digits are a German code only in a file of a German bank", () => {
  const foreign = { ...code("192"), issuer: "RIB" };
  assert.equal(classify(entry({ code: foreign }), null), "unclear");
});

test("only booked entries move money", () => {
  const states = ["BOOK", "PDNG", "INFO", "FUTR", null] as const;
  assert.deepEqual(
    states.map((state) => movesMoney(entry({ state }))),
    [true, false, false, false, false],
  );
});
