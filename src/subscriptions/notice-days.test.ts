/** The number of days of notice that a debit needs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { noticeDays } from "./notice-days.ts";

test("fewer than 14 days hold only where the accepted text names them", () => {
  const rows = [
    [null, null, 14],
    [5, "2026-11-2/de", 5],
    [5, "merchant", 14],
    [20, "merchant", 20],
    [0, null, 0],
  ] as const;
  for (const [agreed, version, expected] of rows) assert.equal(noticeDays(agreed, version), expected);
});
