/**
 * Five weeks with the merchants' own banks, drawn from seeds: no money goes out that did not come in, and no entry with
 * our references is ignored.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sized } from "./support/sized.ts";
import { simulateBank } from "./simulation/own-bank/run.ts";

/** `npm run simulate:bank` runs more seeds. */
const SEEDS = sized(1, 2);

for (let seed = 1; seed <= SEEDS; seed += 1) {
  test(`files, statements, refunds and changes of seed ${seed} agree with the bank's books`, async () => {
    assert.deepEqual((await simulateBank(seed)).violations, []);
  });
}

test("a seed has the same run every time", async () => {
  const [one, other] = [await simulateBank(4, { days: 4 }), await simulateBank(4, { days: 4 })];
  assert.deepEqual(one.lines, other.lines);
});
