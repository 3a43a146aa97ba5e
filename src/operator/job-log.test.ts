import assert from "node:assert/strict";
import test from "node:test";
import { manualClock } from "../lib/clock.ts";
import { createJobLog } from "./job-log.ts";

const START = new Date("2026-11-23T08:00:00Z");

test("a job's passes are remembered: when, how long, how much, and the newest error without its message", async () => {
  const clock = manualClock(START);
  const log = createJobLog(clock);
  let work = async () => 2;
  const job = log.watched({
    name: "settle",
    everyMs: 1_000,
    batch: 10,
    async runOnce() {
      assert.deepEqual(log.states()[0]?.runningSince, clock.now());
      clock.advance(50);
      return work();
    },
  });
  const [before] = log.states();
  assert.deepEqual([before?.name, before?.lastAt, before?.passes], ["settle", null, 0]);

  assert.equal(await job.runOnce(10), 2);
  work = async () => {
    throw Object.assign(new Error("IBAN of Ada"), { code: "57014" });
  };
  await assert.rejects(job.runOnce(10));
  const { lastAt, ...failed } = log.states()[0] ?? {};
  const at = new Date(START.getTime() + 100);
  assert.deepEqual(lastAt, at);
  assert.deepEqual(failed, {
    name: "settle",
    everyMs: 1_000,
    runningSince: null,
    tookMs: 50,
    passes: 2,
    items: 2,
    failing: true,
    lastError: { at, code: "57014" },
  });

  work = async () => 1;
  await job.runOnce(10);
  const [well] = log.states();
  assert.deepEqual([well?.failing, well?.lastError?.code, well?.items], [false, "57014", 3]);
});
