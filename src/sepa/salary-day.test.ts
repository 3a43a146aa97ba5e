/** Salary days as a table. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nextSalaryDay } from "./salary-day.ts";

const ROWS = [
  ["2026-03-02", "2026-03-16", "the 15th is a Sunday"],
  ["2026-03-16", "2026-03-31", "the last day on which banks are open"],
  ["2026-03-31", "2026-04-01", "the 1st, the day after"],
  ["2026-02-26", "2026-02-27", "the last of a month that ends on a weekend"],
  ["2026-02-27", "2026-03-02", "the 1st is a Sunday"],
  ["2026-12-15", "2026-12-31", "over Christmas"],
  ["2026-12-31", "2027-01-04", "New Year, then a weekend"],
  ["2026-04-30", "2026-05-04", "the 1st of May is closed, then a weekend"],
] as const;

for (const [after, expected, why] of ROWS) {
  test(`after ${after} comes ${expected}: ${why}`, () => {
    assert.equal(nextSalaryDay(after), expected);
  });
}
