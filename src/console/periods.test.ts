/** The days of periods, across the ends of months and years. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { daysOfPeriod, isMonth, type Period } from "./periods.ts";

const PERIODS: readonly (readonly [today: string, period: Period, from: string, to: string])[] = [
  ["2026-11-23", "today", "2026-11-23", "2026-11-23"],
  ["2026-11-01", "yesterday", "2026-10-31", "2026-10-31"],
  ["2026-11-23", "last_7_days", "2026-11-17", "2026-11-23"],
  ["2026-03-10", "last_30_days", "2026-02-09", "2026-03-10"],
  ["2026-11-23", "this_month", "2026-11-01", "2026-11-23"],
  ["2026-11-01", "this_month", "2026-11-01", "2026-11-01"],
  ["2026-11-23", "last_month", "2026-10-01", "2026-10-31"],
  ["2026-01-31", "last_month", "2025-12-01", "2025-12-31"],
  ["2028-03-31", "last_month", "2028-02-01", "2028-02-29"],
];

for (const [today, period, from, to] of PERIODS)
  test(`${period}, said on ${today}, is ${from} to ${to}`, () => {
    assert.deepEqual(daysOfPeriod(period, today), { from, to });
  });

const MONTHS: readonly (readonly [from: string, to: string, expected: boolean])[] = [
  ["2026-10-01", "2026-10-31", true],
  ["2026-02-01", "2026-02-28", true],
  ["2028-02-01", "2028-02-28", false],
  ["2026-10-01", "2026-10-30", false],
  ["2026-10-02", "2026-10-31", false],
  ["2026-10-01", "2026-11-30", false],
];

for (const [from, to, expected] of MONTHS)
  test(`${from} to ${to} is ${expected ? "" : "not "}a whole month`, () => {
    assert.equal(isMonth({ from, to }), expected);
  });
