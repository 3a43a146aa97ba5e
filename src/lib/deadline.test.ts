/** A deadline aborts work that takes longer, and nothing else. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { withDeadline } from "./deadline.ts";

test("the signal of work that takes longer than its deadline is aborted", async () => {
  const alive = setInterval(() => {}, 1_000);
  const reason: unknown = await withDeadline(5, async (signal) => {
    await once(signal, "abort");
    return signal.reason;
  });
  clearInterval(alive);
  assert.ok(reason instanceof DOMException);
  assert.equal(reason.name, "TimeoutError");
});

test("work that has ended has no deadline any more, whether it succeeded or failed", async () => {
  const signals: AbortSignal[] = [];
  const done = await withDeadline(5, async (signal) => signals.push(signal));
  assert.equal(done, 1);
  const failing = withDeadline(5, (signal) => {
    signals.push(signal);
    return Promise.reject(new Error("refused"));
  });
  await assert.rejects(failing, /refused/);
  await sleep(20);
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [false, false],
  );
});
