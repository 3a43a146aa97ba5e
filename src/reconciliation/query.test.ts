/** The days of a query, as tables. */
import assert from "node:assert/strict";
import test from "node:test";
import { recordFilters, rangeProblems } from "./query.ts";

const RANGES: readonly (readonly [start: unknown, end: unknown, accepted: boolean])[] = [
  ["2026-01-01", "2026-01-01", true],
  ["2026-01-01", "2026-04-01", true],
  ["2026-01-01", "2026-04-02", false],
  ["2024-01-01", "2024-03-31", true],
  ["2024-01-01", "2024-04-01", false],
  ["2024-02-29", "2024-05-29", true],
  ["2026-02-01", "2026-01-31", false],
  ["2025-12-31", "2026-03-31", true],
  ["2025-12-31", "2026-04-01", false],
  ["0001-01-01", "9999-12-31", false],
  // Not days at all: the schema's error about them is enough.
  ["x", "2026-01-01", true],
  ["2026-01-01", undefined, true],
  [["2026-01-02"], "2026-01-01", true],
];

for (const [start, end, accepted] of RANGES) {
  test(`${String(start)} to ${String(end)} is ${accepted ? "accepted" : "refused on end_date"}`, () => {
    const problems = rangeProblems({ start_date: start, end_date: end });
    assert.deepEqual(Object.keys(problems), accepted ? [] : ["end_date"]);
  });
}

test("next billing days may be far apart, and not in the wrong order", () => {
  const of = (from: string, to: string) =>
    Object.keys(rangeProblems({ next_billing_date_from: from, next_billing_date_to: to }));
  assert.deepEqual(of("2020-01-01", "2030-01-01"), []);
  assert.deepEqual(of("2026-01-01", "2026-01-01"), []);
  assert.deepEqual(of("2026-01-02", "2026-01-01"), ["next_billing_date_to"]);
});

const DAYS: readonly (readonly [start: string, end: string | undefined, from: string, before: string])[] = [
  ["2026-01-01", "2026-01-01", "2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"],
  ["2026-01-01", undefined, "2026-01-01T00:00:00.000Z", "2026-04-02T00:00:00.000Z"],
  ["2024-02-28", "2024-02-29", "2024-02-28T00:00:00.000Z", "2024-03-01T00:00:00.000Z"],
  // The day of the change to summer time has 24 hours in UTC.
  ["2026-03-29", "2026-03-29", "2026-03-29T00:00:00.000Z", "2026-03-30T00:00:00.000Z"],
  ["0001-01-01", "0001-01-01", "0001-01-01T00:00:00.000Z", "0001-01-02T00:00:00.000Z"],
  ["9999-12-31", "9999-12-31", "9999-12-31T00:00:00.000Z", "+010000-01-01T00:00:00.000Z"],
];

for (const [start, end, from, before] of DAYS) {
  test(`${start} to ${end ?? "the default"} lists from ${from} to before ${before}`, () => {
    const filters = recordFilters({ start_date: start, ...(end === undefined ? {} : { end_date: end }) });
    assert.deepEqual([filters.from.toISOString(), filters.before.toISOString()], [from, before]);
  });
}

test("lists are split at their commas, and a filter that is not given selects everything", () => {
  assert.deepEqual(
    recordFilters({ start_date: "2026-01-01", status: "approved,declined", type: "sdd_sale" }),
    {
      ...recordFilters({ start_date: "2026-01-01" }),
      statuses: ["approved", "declined"],
      types: ["sdd_sale"],
    },
  );
  const { statuses, types, gatewayId, nextBillingFrom, nextBillingTo } = recordFilters({
    start_date: "2026-01-01",
  });
  for (const none of [statuses, types, gatewayId, nextBillingFrom, nextBillingTo]) assert.equal(none, null);
});
