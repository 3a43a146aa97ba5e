/** Dates as tables, and the properties that hold for all of them. */
import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { dueDate, trialEnd, utcDate, type BillingFrequency } from "./schedule.ts";

const ROWS: readonly (readonly [string, BillingFrequency, readonly string[]])[] = [
  ["2026-01-31", "MONTHLY", ["2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31"]],
  ["2027-12-31", "MONTHLY", ["2027-12-31", "2028-01-31", "2028-02-29", "2028-03-31"]],
  ["2024-02-29", "YEARLY", ["2024-02-29", "2025-02-28", "2026-02-28", "2027-02-28", "2028-02-29"]],
  ["2026-08-31", "QUARTERLY", ["2026-08-31", "2026-11-30", "2027-02-28", "2027-05-31"]],
  ["2026-08-30", "SEMIANNUALLY", ["2026-08-30", "2027-02-28", "2027-08-30"]],
  ["2026-12-28", "WEEKLY", ["2026-12-28", "2027-01-04", "2027-01-11"]],
  ["2028-02-22", "BIWEEKLY", ["2028-02-22", "2028-03-07", "2028-03-21"]],
];

for (const [anchor, frequency, dates] of ROWS) {
  test(`${frequency} from ${anchor}`, () => {
    assert.deepEqual(
      dates.map((_, cycle) => dueDate(anchor, frequency, cycle)),
      dates,
    );
  });
}

test("cycles never skip, never repeat and never drift from the anchor's day", () => {
  const anchors = fc
    .integer({ min: 0, max: 365 * 40 })
    .map((days) => Temporal.PlainDate.from("2020-01-01").add({ days }));
  const frequencies = fc.constantFrom<BillingFrequency>("MONTHLY", "QUARTERLY", "SEMIANNUALLY", "YEARLY");
  fc.assert(
    fc.property(anchors, frequencies, fc.integer({ min: 0, max: 240 }), (anchor, frequency, cycle) => {
      const months = { MONTHLY: 1, QUARTERLY: 3, SEMIANNUALLY: 6, YEARLY: 12 }[frequency as "MONTHLY"];
      const due = Temporal.PlainDate.from(dueDate(anchor.toString(), frequency, cycle));
      const monthsApart = (due.year - anchor.year) * 12 + due.month - anchor.month;
      assert.equal(monthsApart, months * cycle);
      assert.equal(due.day, Math.min(anchor.day, due.daysInMonth));
    }),
  );
});

test("a trial ends by days, weeks or months, at the end of a shorter month", () => {
  assert.equal(trialEnd("2026-12-25", "day", 14), "2027-01-08");
  assert.equal(trialEnd("2026-12-25", "week", 1), "2027-01-01");
  assert.equal(trialEnd("2026-01-31", "month", 1), "2026-02-28");
});

test("today is the day in UTC", () => {
  assert.equal(utcDate(new Date("2026-12-31T23:59:59.999Z")), "2026-12-31");
});
