import assert from "node:assert/strict";
import { test } from "node:test";
import { visits } from "./visits.ts";

test("32 visits run at once, four of one tenant, and one of each account; one that has ended makes room", async () => {
  const all = visits();
  const ends: ((files: number) => void)[] = [];
  const start = (tenant: number, key: string) => {
    const { promise, resolve } = Promise.withResolvers<number>();
    ends.push(resolve);
    all.start(tenant, key, () => promise);
  };
  for (let n = 0; n < 31; n += 1) {
    const tenant = Math.floor(n / 4);
    assert.equal(all.hasRoom(tenant, `account ${n}`), true, `the visit ${n + 1}`);
    start(tenant, `account ${n}`);
    assert.equal(all.hasRoom(99, `account ${n}`), false, "it is being visited");
    assert.equal(all.hasRoom(tenant, "another"), n % 4 < 3, `after ${(n % 4) + 1} of one tenant`);
  }
  assert.equal(all.hasRoom(98, "the last"), true);
  start(98, "the last");
  assert.equal(all.hasRoom(99, "one more"), false, "32 are running");
  ends[0]?.(1);
  await new Promise(setImmediate);
  assert.equal(all.hasRoom(99, "one more"), true);
  assert.equal(all.hasRoom(0, "account 0"), true);
  for (const end of ends) end(1);
  assert.equal(await all.wait(), 32, "the sum of what they did");
});
