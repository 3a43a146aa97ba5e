/** Values that are created once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { once } from "./once.ts";

test("what was made is kept, and those who ask at the same time share it", async () => {
  let made = 0;
  const number = once(async () => (made += 1));
  assert.deepEqual(await Promise.all([number(), number()]), [1, 1]);
  assert.equal(await number(), 1);
});

test("what could not be made is told to those who asked, and made anew for the next", async () => {
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
