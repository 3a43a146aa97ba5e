import assert from "node:assert/strict";
import test from "node:test";
import { fc } from "../../tests/support/properties.ts";
import { manualClock } from "../lib/clock.ts";
import { LIMITS, type Limit } from "./limits.ts";
import { memoryCounters } from "./rate-limit.ts";

const START = new Date("2026-11-21T00:00:00Z");
const THREE_PER_SECOND: Limit = { count: 3, windowMs: 1_000, per: "caller" };

test("a limit of 3 per second, hit by hit", async () => {
  const clock = manualClock(START);
  const counters = memoryCounters(clock);
  const rows = [
    // after ms, allowed, remaining, retryAfterMs, resetMs
    [0, true, 2, 0, 1_000],
    [400, true, 1, 0, 1_000],
    [500, true, 0, 0, 1_000],
    [50, false, 0, 50, 950],
    [49, false, 0, 1, 901],
    [1, true, 0, 0, 1_000],
    [0, false, 0, 400, 1_000],
    [399, false, 0, 1, 601],
    [1, true, 0, 0, 1_000],
    [5_000, true, 2, 0, 1_000],
  ] as const;
  for (const [afterMs, allowed, remaining, retryAfterMs, resetMs] of rows) {
    clock.advance(afterMs);
    assert.deepEqual(await counters.hit("key", THREE_PER_SECOND), {
      allowed,
      remaining,
      retryAfterMs,
      resetMs,
    });
  }
});

test("every limit of the contract lets exactly its count through at once, each key for itself", async () => {
  const counters = memoryCounters(manualClock(START));
  for (const [name, limit] of Object.entries(LIMITS)) {
    for (const who of ["a", "b"]) {
      let allowed = 0;
      for (let hit = 0; hit < limit.count + 20; hit += 1) {
        if ((await counters.hit(`${name}:${who}`, limit)).allowed) allowed += 1;
      }
      assert.equal(allowed, limit.count, name);
    }
  }
});

test("no window holds more than the count, and no request is refused without need", async () => {
  const limits = fc.record({
    count: fc.integer({ min: 1, max: 9 }),
    windowMs: fc.integer({ min: 1, max: 200 }),
  });
  const pauses = fc.array(fc.nat({ max: 60 }), { maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(limits, pauses, async ({ count, windowMs }, pausesMs) => {
      const clock = manualClock(START);
      const counters = memoryCounters(clock);
      const allowedAt: number[] = [];
      for (const pauseMs of pausesMs) {
        clock.advance(pauseMs);
        const now = clock.monotonicMs();
        const hit = await counters.hit("key", { count, windowMs, per: "caller" });
        const counted = allowedAt.filter((at) => at > now - windowMs).length;
        assert.equal(hit.allowed, counted < count);
        assert.equal(hit.remaining, Math.max(0, count - counted - 1));
        if (hit.allowed) allowedAt.push(now);
      }
      for (const [index, at] of allowedAt.entries()) {
        assert.ok(allowedAt.slice(index).filter((other) => other < at + windowMs).length <= count);
      }
    }),
  );
});

test("a request is refused until retryAfterMs has passed, and allowed then", async () => {
  const pauses = fc.array(fc.double({ min: 0, max: 120, noNaN: true }), { minLength: 1, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 5 }), pauses, async (count, pausesMs) => {
      let now = 0.1;
      const counters = memoryCounters({ now: () => START, monotonicMs: () => now });
      const limit: Limit = { count, windowMs: 100, per: "address" };
      for (const pauseMs of pausesMs) {
        now += pauseMs;
        const hit = await counters.hit("key", limit);
        if (hit.allowed) continue;
        const refusedAt = now;
        now = refusedAt + hit.retryAfterMs - 1.5;
        if (now > refusedAt) assert.equal((await counters.hit("key", limit)).allowed, false);
        now = refusedAt + hit.retryAfterMs;
        assert.equal((await counters.hit("key", limit)).allowed, true);
      }
    }),
  );
});

test("an idle key is forgotten only when its hits no longer count", async () => {
  const events = fc.array(
    fc.record({ key: fc.constantFrom("a", "b", "c"), pauseMs: fc.nat({ max: 1_500 }) }),
    {
      maxLength: 80,
    },
  );
  await fc.assert(
    fc.asyncProperty(events, async (hits) => {
      const clock = manualClock(START);
      const counters = memoryCounters(clock);
      const last = new Map<string, number>();
      for (const { key, pauseMs } of hits) {
        clock.advance(pauseMs);
        const now = clock.monotonicMs();
        const { allowed } = await counters.hit(key, { count: 1, windowMs: 1_000, per: "address" });
        assert.equal(allowed, now - (last.get(key) ?? Number.NEGATIVE_INFINITY) >= 1_000);
        if (allowed) last.set(key, now);
      }
    }),
  );
});

test("a flood of keys resets no count, and lets no new key through uncounted", async () => {
  const clock = manualClock(START);
  const counters = memoryCounters(clock, 1_000);
  const limit: Limit = { count: 1, windowMs: 60_000, per: "address" };
  await counters.hit("quiet", limit);
  let allowed = 0;
  for (let index = 0; index < 20_000; index += 1)
    if ((await counters.hit(`flood-${index}`, limit)).allowed) allowed += 1;
  assert.equal((await counters.hit("quiet", limit)).allowed, false);
  assert.ok(allowed < 1_000 + 1_024 + 1, `${allowed} of the flood were let in`);
  // After two windows nothing is remembered.
  clock.advance(120_000);
  assert.equal((await counters.hit("quiet", limit)).allowed, true);
  assert.equal((await counters.hit("new", limit)).allowed, true);
});
