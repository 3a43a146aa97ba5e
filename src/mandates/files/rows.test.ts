import assert from "node:assert/strict";
import test from "node:test";
import { OWN_PLACES } from "./columns.ts";
import { readMandate } from "./rows.ts";

const ROW: Readonly<Record<string, string>> = {
  reference: "M-1",
  signed_on: "2025-03-01",
  holder_name: "Grace Example",
  iban: "DE89370400440532013000",
  email: "grace@example.com",
};

function read(changes: Readonly<Record<string, string>>) {
  const row = { ...ROW, ...changes };
  const cells = [...OWN_PLACES.keys()].map((column) => row[column] ?? "");
  const mandate = readMandate(OWN_PLACES, cells, null, "2026-02-01");
  assert.ok("reference" in mandate, String(mandate));
  return mandate;
}

/** The words that a file may have for each value of a column; "": an empty cell. */
for (const [column, value, words] of [
  ["scheme", "CORE", ["", "core", "SEPA_CORE"]],
  ["scheme", "B2B", ["b2b", "sepa b2b"]],
  ["type", "recurrent", ["", "recurrent", "recurring", "RCUR", "FRST"]],
  ["type", "one_off", ["one_off", "oneoff", "OOFF"]],
  ["status", "active", ["", "active", "valid"]],
  ["status", "cancelled", ["cancelled", "Canceled", "revoked"]],
  ["status", "expired", ["expired"]],
  ["cancelled_by", "debtor", ["debtor"]],
  ["cancelled_by", "creditor", ["creditor"]],
  ["cancelled_by", "bank", ["bank"]],
] as const)
  test(`a mandate's ${column} is ${value} if the file says ${words.map((word) => (word === "" ? "nothing" : word)).join(", ")}`, () => {
    for (const word of words) assert.equal(read({ [column]: word })[column], value, word);
  });

for (const [value, words] of [
  [true, ["true", "yes", "1"]],
  [false, ["false", "no", "0"]],
] as const)
  test(`a mandate's former account was ${value ? "" : "not "}at the same bank if the file says ${words.join(", ")}`, () => {
    for (const word of words) assert.equal(read({ same_bank: word }).original.same_bank, value, word);
  });
