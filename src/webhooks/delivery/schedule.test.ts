import assert from "node:assert/strict";
import test from "node:test";
import { nextTryAt, pausedUntil, readRetryAfter } from "./schedule.ts";

const NOW = new Date("2026-11-21T12:00:00Z");
const seconds = (at: Date | null) => (at === null ? null : (at.getTime() - NOW.getTime()) / 1_000);

test("ten retries on the schedule, then none (contract: Delivery)", () => {
  const pauses = Array.from({ length: 12 }, (_, index) => seconds(nextTryAt(NOW, index + 1, null, 0.5)));
  const day = 86_400;
  assert.deepEqual(pauses, [5, 60, 300, 1_800, 7_200, 21_600, 43_200, day, day, day, null, null]);
});

test("retries are spread by 20 % to both sides", () => {
  assert.equal(seconds(nextTryAt(NOW, 2, null, 0)), 48);
  assert.equal(seconds(nextTryAt(NOW, 2, null, 1)), 72);
});

test("all retries together take at least 72 hours, whatever the jitter", () => {
  let hours = 0;
  for (let tries = 1; tries <= 10; tries += 1)
    hours += (seconds(nextTryAt(NOW, tries, null, 0)) ?? 0) / 3_600;
  assert.ok(hours > 72, `${hours}`);
});

test("a receiver's Retry-After is never undercut", () => {
  assert.equal(seconds(nextTryAt(NOW, 1, 120_000, 0)), 120);
  assert.equal(seconds(nextTryAt(NOW, 1, 120_000, 1)), 144);
  assert.equal(nextTryAt(NOW, 11, 120_000, 0), null);
});

const RETRY_AFTER: readonly (readonly [header: string | undefined, ms: number | null])[] = [
  [undefined, null],
  ["", null],
  ["soon", null],
  ["120", 120_000],
  [" 120 ", 120_000],
  ["0", 1_000],
  ["-5", 1_000],
  ["1000000000", 86_400_000],
  ["9".repeat(400), 86_400_000],
  ["Sat, 21 Nov 2026 12:10:00 GMT", 600_000],
  ["Fri, 20 Nov 2026 12:10:00 GMT", 1_000],
  ["Sat, 21 Nov 2099 12:10:00 GMT", 86_400_000],
];
for (const [header, ms] of RETRY_AFTER) {
  test(`Retry-After ${JSON.stringify(header)?.slice(0, 40)} is ${ms}`, () => {
    assert.equal(readRetryAfter(header, NOW), ms);
  });
}

const PAUSES: readonly (readonly [failures: number, retryAfterMs: number | null, pause: number | null])[] = [
  [1, null, null],
  [4, null, null],
  [5, null, 30],
  [6, null, 60],
  [7, null, 120],
  [9, null, 480],
  [10, null, 600],
  [1_000_000, null, 600],
  [1, 20_000, 20],
  [1, 86_400_000, 600],
  [5, 20_000, 30],
];
for (const [failures, retryAfterMs, pause] of PAUSES) {
  test(`after ${failures} failures in a row, Retry-After ${retryAfterMs}: paused for ${pause} seconds`, () => {
    assert.equal(seconds(pausedUntil(NOW, failures, retryAfterMs, 0)), pause);
  });
}
