/** Values that are created once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { once } from "./once.ts";

test("the result is kept, and concurrent callers share it", async () => {
  let made = 0;
  const number = once(async () => (made += 1));
  assert.deepEqual(await Promise.all([number(), number()]), [1, 1]);
  assert.equal(await number(), 1);
});

test("a failure reaches the callers that waited, and the next call tries again", async () => {
  let made = 0;
  const number = once(async () => {
    made += 1;
    if (made === 1) throw new Error("not now");
    return made;
  });
  const asked = await Promise.allSettled([number(), number()]);
  assert.deepEqual(
    asked.map(({ status }) => status),
    ["rejected", "rejected"],
  );
  assert.equal(await number(), 2);
});
