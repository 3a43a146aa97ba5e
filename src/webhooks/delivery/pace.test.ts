/** The number of concurrent requests to a receiver: growing, shrinking, probing. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { grown, inFlightMax, isSlow, shrunk } from "./pace.ts";

for (const [limit, max, failuresInARow, expected] of [
  [1, 10, 0, 1],
  [7, 10, 0, 7],
  [50, 10, 0, 10],
  [7, 10, 1, 1],
  [7, 10, 9, 1],
  [1, 1, 0, 1],
] as const) {
  test(`limit ${limit} of ${max} after ${failuresInARow} failures in a row: ${expected} at once`, () => {
    assert.equal(inFlightMax({ limit, max, failuresInARow }), expected);
  });
}

for (const [limit, max, answers, expected, left] of [
  [1, 10, 1, 3, 0],
  [1, 10, 4, 6, 0],
  [5, 10, 1, 5, 1],
  [5, 10, 5, 7, 1],
  [9, 10, 30, 10, 0],
  [10, 10, 30, 10, 0],
  [50, 10, 3, 10, 0],
  [1, 1, 3, 1, 0],
  [1, 2, 2, 2, 0],
  [1, 100, 25, 51, 0],
  [50, 100, 99, 99, 1],
] as const) {
  test(`${answers} answers in time take a limit of ${limit} to ${expected} of ${max}`, () => {
    assert.deepEqual(grown({ limit, max, failuresInARow: 0 }, answers), { limit: expected, answers: left });
  });
}

test("a failure halves the limit, which never falls below one", () => {
  assert.deepEqual([10, 5, 3, 2, 1].map(shrunk), [5, 2, 1, 1, 1]);
});

test("an answer is slow when it took more than a third of its time", () => {
  assert.ok(!isSlow(5_000, 15_000));
  assert.ok(isSlow(5_001, 15_000));
});
