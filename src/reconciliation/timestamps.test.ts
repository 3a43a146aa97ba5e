/** Times of every length that PostgreSQL writes. */
import assert from "node:assert/strict";
import test from "node:test";
import { isoFromDatabase } from "./timestamps.ts";

const TIMES: readonly (readonly [text: string, iso: string])[] = [
  ["2026-03-01 12:00:00.123+00", "2026-03-01T12:00:00.123Z"],
  ["2026-03-01 12:00:00+00", "2026-03-01T12:00:00.000Z"],
  ["2026-03-01 12:00:00.1+00", "2026-03-01T12:00:00.100Z"],
  ["2026-03-01 12:00:00.12+00", "2026-03-01T12:00:00.120Z"],
  ["2026-03-01 12:00:00.1234+00", "2026-03-01T12:00:00.123Z"],
  ["2026-03-01 23:59:59.999999+00", "2026-03-01T23:59:59.999Z"],
  ["2024-02-29 00:00:00.000001+00", "2024-02-29T00:00:00.000Z"],
];

for (const [text, iso] of TIMES) {
  test(`${text} is ${iso}`, () => {
    assert.equal(isoFromDatabase(text), iso);
  });
}
