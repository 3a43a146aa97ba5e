import assert from "node:assert/strict";
import { test } from "node:test";
import { readAccountCell } from "./account-cell.ts";

for (const [cell, last4, length] of [
  ["DE89370400440532013000", "3000", 22],
  ["de89 3704 0044 0532 0130 00", "3000", 22],
  ["DE89**************3000", "3000", 22],
  ["DE89 •••• •••• 3000", "3000", 16],
  ["XX3000", "3000", 6],
  ["..3000", "3000", 6],
  [`${"*".repeat(30)}3000`, "3000", 34],
] as const)
  test(`of the account ${cell} the last digits and the length are read`, () =>
    assert.deepEqual(readAccountCell(cell), { value: { last4, length } }));

for (const cell of ["DE89370400440532013001", "DE89*3000", "*3000", "3000", `${"*".repeat(31)}3000`])
  test(`the account ${cell} is refused`, () => {
    const read = readAccountCell(cell);
    assert.ok("reason" in read && read.reason.startsWith("is not an IBAN: "), JSON.stringify(read));
  });
