import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock, MINUTE_MS } from "./clock.ts";
import { tenantTurns } from "./turns.ts";

const clock = manualClock(new Date(0));

test("a pass visits every tenant once", () => {
  const turns = tenantTurns(clock);
  assert.deepEqual([...turns([30, 4, 100])], [4, 30, 100]);
  assert.deepEqual([...turns([30, 4, 100])], [4, 30, 100]);
});

test("a pass that takes a minute ends, and the next one visits the others first", () => {
  const turns = tenantTurns(clock);
  const visited = () => {
    const tenants = [];
    for (const tenant of turns([1, 2, 3])) {
      tenants.push(tenant);
      clock.advance(MINUTE_MS / 2);
    }
    return tenants;
  };
  assert.deepEqual(
    [visited(), visited(), visited()],
    [
      [1, 2],
      [3, 1],
      [2, 3],
    ],
  );
});

test("a tenant whose work fails each time does not keep the others from their turn", () => {
  const turns = tenantTurns(clock);
  const visited: number[] = [];
  const pass = () => {
    for (const tenant of turns([1, 2, 3])) {
      if (tenant === 2) throw new Error("it fails");
      visited.push(tenant);
    }
  };
  assert.throws(pass);
  assert.throws(pass);
  assert.deepEqual(visited, [1, 3, 1]);
});

test("a pass ends early when the service stops", () => {
  const stop = new AbortController();
  const visited: number[] = [];
  for (const tenant of tenantTurns(clock)([1, 2, 3], stop.signal)) {
    visited.push(tenant);
    stop.abort();
  }
  assert.deepEqual(visited, [1]);
});
