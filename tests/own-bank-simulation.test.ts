/** Five weeks at the merchant's own bank, from seeds: no money goes out that did not come in, and nothing of ours is ignored. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../src/lib/clock.ts";
import { simulateBank } from "./simulation/own-bank/run.ts";
import { startService } from "./support/service.ts";

/** `npm run simulate:bank` plays more. */
const SEEDS = 3;

for (let seed = 1; seed <= SEEDS; seed += 1) {
  test(`files, statements, refunds and changes of seed ${seed} agree with the bank's books`, async () => {
    const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
    const service = await startService({ clock });
    const { violations } = await simulateBank(service, clock, seed).finally(() => service.close());
    assert.deepEqual(violations, []);
  });
}
