/** Tests the capacity model's choice between one database, Citus and several installations. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { capacityOf, MEASURED } from "./capacity/model.ts";

const DEMAND = {
  paymentsPerSecond: 100,
  averageShare: 0.25,
  customers: 1_000_000,
  yearsKept: 2,
  coresOfMachine: 16,
  coresOfLargest: 64,
};

test("100 payments a second are one PostgreSQL", () => {
  const { database, databaseCores, instances, walMbPerSecond, storedGb } = capacityOf(DEMAND);
  assert.deepEqual([database, databaseCores, instances], ["one PostgreSQL", 2, 2]);
  assert.equal(walMbPerSecond, (100 * MEASURED.walKb) / 1_000);
  // 100 × a quarter × two years of seconds × 8 kB.
  assert.equal(Math.round(storedGb), 12_614);
});

test("customers who never pay again count by what their first payment left", () => {
  const { storedGb } = capacityOf({ ...DEMAND, paymentsPerSecond: 0.01, customers: 100_000_000 });
  assert.equal(storedGb, 800);
});

test("more to store than can be restored in a day is spread over workers, as long as a coordinator keeps up", () => {
  const kept = { ...DEMAND, yearsKept: 10 };
  assert.deepEqual([capacityOf(kept).database, capacityOf(kept).databases], ["Citus", 4]);
  const more = capacityOf({ ...kept, paymentsPerSecond: 10_000 });
  assert.equal(more.database, "several installations");
});

test("no demand is met by a single process or machine of the service", () => {
  const small = capacityOf({ ...DEMAND, paymentsPerSecond: 1 });
  assert.deepEqual([small.instances, small.serviceMachines, small.connections], [2, 2, 40]);
});
