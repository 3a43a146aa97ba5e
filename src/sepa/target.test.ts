/** TARGET's closing days, according to the ECB's list. */
import assert from "node:assert/strict";
import test from "node:test";
import { addTargetDays, isTargetDay, targetDayFrom } from "./target.ts";

const CLOSED = [
  "2026-01-01",
  "2026-04-03",
  "2026-04-06",
  "2026-05-01",
  "2026-12-25",
  "2027-01-01",
  "2027-03-26",
  "2027-03-29",
  "2024-03-29",
  "2024-04-01",
  "2025-04-18",
  "2025-04-21",
  "2028-04-14",
  "2028-04-17",
  "2038-04-23",
  "2038-04-26",
  "2026-12-26",
  "2026-11-21",
  "2026-11-22",
];
const OPEN = [
  "2026-01-02",
  "2026-04-02",
  "2026-04-07",
  "2026-05-04",
  "2026-12-24",
  "2026-12-28",
  "2026-11-20",
  "2026-05-14",
];

test("closed on weekends, New Year, Good Friday, Easter Monday, 1 May and Christmas, and on no other day", () => {
  assert.deepEqual(CLOSED.filter(isTargetDay), []);
  assert.deepEqual(
    OPEN.filter((day) => !isTargetDay(day)),
    [],
  );
});

for (const [day, next] of [
  ["2026-11-20", "2026-11-20"],
  ["2026-11-21", "2026-11-23"],
  ["2026-04-03", "2026-04-07"],
  ["2026-12-25", "2026-12-28"],
  ["2027-12-31", "2027-12-31"],
  ["2028-01-01", "2028-01-03"],
] as const) {
  test(`what is due on ${day} is collected on ${next}`, () => {
    assert.equal(targetDayFrom(day), next);
  });
}

for (const [day, days, expected] of [
  ["2026-11-25", 5, "2026-12-02"],
  ["2026-12-24", 5, "2027-01-04"],
  ["2026-12-28", -1, "2026-12-24"],
  ["2026-11-21", 1, "2026-11-23"],
  ["2026-11-21", 0, "2026-11-21"],
] as const) {
  test(`${days} days of settlement from ${day} is ${expected}`, () => {
    assert.equal(addTargetDays(day, days), expected);
  });
}
