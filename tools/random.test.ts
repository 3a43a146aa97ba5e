/** Recorded seeds reproduce their failures: their sequences do not change. */
import assert from "node:assert/strict";
import test from "node:test";
import { seeded, seededCase } from "./random.ts";

test("a seed gives the same numbers as ever, and so does what is forked from it", () => {
  const random = seeded(7);
  const drawn = [random.below(1e9), random.below(1e9), random.fork().below(1e9)];
  assert.deepEqual(drawn, [80_342_788, 403_681_195, 36_602_578]);
});

test("a case of a seed gives the same numbers as ever, also without the cases before it", () => {
  const random = seededCase(7, 3);
  assert.deepEqual([random.below(1e9), random.below(1e9)], [65_660_159, 348_335_225]);
});
