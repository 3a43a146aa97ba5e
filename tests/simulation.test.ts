/** The whole service under faults drawn from a seed (docs/simulation.md), with a fixed number of seeds. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "./support/database.ts";
import { sized } from "./support/sized.ts";
import { simulate } from "./simulation/simulate.ts";
import { createWorld, type World } from "./simulation/world.ts";

/** Split into parts, so that none reaches its time limit. `npm run simulate` runs more seeds. */
const SEEDS = sized(4, 40);
const SEEDS_PER_TEST = sized(2, 5);
const TRACE_LINES = 60;

let database: TestDatabase;
let world: World;

before(async () => {
  database = await testDatabase();
  world = await createWorld(database.ownerUrl);
});
after(async () => {
  await world.close();
  await database.close();
});

async function holds(seed: number): Promise<void> {
  const { violations, lines } = await simulate(world, seed);
  const told = [...lines.slice(-TRACE_LINES), `npm run simulate -- --seed ${seed} --trace`].join("\n");
  assert.deepEqual(violations, [], told);
}

for (let first = 1; first <= SEEDS; first += SEEDS_PER_TEST) {
  const last = first + SEEDS_PER_TEST - 1;
  test(`seeds ${first} to ${last}: money, events and responses always agree with the bank and the receivers`, async () => {
    for (let seed = first; seed <= last; seed += 1) await holds(seed);
  });
}

for (const [what, seed] of [
  [
    "a return before the lost answer is asked for, and its money again, are told from the acceptance on",
    30_125,
  ],
  ["settings that change right after a chargeback, by a clock that is behind, are no false alarm", 30_069],
  ["two sessions that have expired, one after the other, do not keep their lead from a new one", 30_684],
  [
    "an attempt that was opened, and ended by another process before it was read, is left to that one",
    14_353,
  ],
  ["of two refunds under one key, the second is made if the key is forgotten before it arrives", 100_121],
  [
    "of six workers that have the same approval, one records it, and none takes the claim without end",
    301_423,
  ],
  ["a verification that was given more time does not end because a request had seen it expired", 341_007],
] as const)
  test(`seed ${seed}: ${what}`, () => holds(seed));

test("a seed has the same run every time, call by call", async () => {
  const first = await simulate(world, 7);
  await simulate(world, 8);
  const again = await simulate(world, 7);
  assert.deepEqual(again.lines, first.lines);
});
