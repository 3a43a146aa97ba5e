/** Which connection each statement of a page runs on. */
import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { test } from "node:test";
import { atOnce } from "./at-once.ts";

/** Connections named by number; the last one returned is lent first, as the driver's pool does. */
function pool(size: number, hasRoom = () => true) {
  const idle = Array.from({ length: size }, (_, n) => size - n);
  const broken: number[] = [];
  const lent: number[] = [];
  const ask = atOnce<number>(async (work) => {
    const client = idle.pop();
    if (client === undefined) throw new Error("none is free");
    lent.push(client);
    try {
      return await work(client, () => broken.push(client));
    } finally {
      idle.push(client);
    }
  }, hasRoom);
  return { ask, idle, lent, broken };
}

/** Runs for some turns, and tells where. */
const turns = (count: number) => async (client: number) => {
  for (let n = 0; n < count; n += 1) await Promise.resolve();
  return client;
};

test("what is asked for at once shares four connections, each in the order in which it was asked for", async () => {
  const { ask, lent } = pool(20);
  const ran: string[] = [];
  const noted = (name: string) => async (client: number) => void ran.push(`${name} on ${client}`);
  await Promise.all(["a", "b", "c", "d", "e", "f"].map((name) => ask(noted(name))));
  assert.deepEqual(lent, [1, 2, 3, 4]);
  assert.deepEqual(ran.toSorted(), ["a on 1", "b on 2", "c on 3", "d on 4", "e on 1", "f on 2"]);
});

test("asked for again, each statement runs where it ran before, whichever ended first", async () => {
  const { ask } = pool(20);
  const page = () => Promise.all([9, 1, 30, 2, 8].map((count) => ask(turns(count))));
  const first = await page();
  for (let n = 0; n < 5; n += 1) {
    await new Promise(setImmediate);
    assert.deepEqual(await page(), first);
  }
});

test("each statement runs in the context of its own caller, also behind another's on the same connection", async () => {
  const callers = new AsyncLocalStorage<string>();
  const { ask, lent } = pool(20);
  const names = ["a", "b", "c", "d", "e", "f"];
  const as = (name: string) => callers.run(name, () => ask(async () => callers.getStore()));
  assert.deepEqual(await Promise.all(names.map(as)), names);
  assert.equal(lent.length, 4);
});

test("what a caller asks for after an answer runs on the same connection", async () => {
  const { ask } = pool(20);
  for (let n = 0; n < 5; n += 1) assert.equal(await ask(turns(n)), 1);
});

test("an error fails its own call, and those behind it run on a connection that was not broken", async () => {
  const { ask, broken } = pool(8);
  const failing = async (client: number, discard: (error: Error) => void) => {
    discard(new Error("gone"));
    throw new Error(`failed on ${client}`);
  };
  const results = await Promise.allSettled([0, 1, 2, 3, 4].map((n) => ask(n === 0 ? failing : turns(1))));
  assert.deepEqual(
    results.map(({ status }) => status),
    ["rejected", "fulfilled", "fulfilled", "fulfilled", "fulfilled"],
  );
  assert.deepEqual(broken, [1]);
});

test("without a connection each call fails", async () => {
  const { ask } = pool(0);
  const results = await Promise.allSettled([1, 2, 3, 4, 5, 6].map((n) => ask(turns(n))));
  assert.deepEqual(
    results.map((result) => result.status === "rejected" && (result.reason as Error).message),
    Array.from({ length: 6 }, () => "none is free"),
  );
});

for (const [hasRoom, freed] of [
  [true, 0],
  [false, 3],
] as const) {
  test(`while ${hasRoom ? "many" : "few"} connections are free, ${freed} of four go back before the last has ended`, async () => {
    const { ask, idle } = pool(4, () => hasRoom);
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const quick = [1, 1, 1].map((count) => ask(turns(count)));
    const slow = ask(() => end);
    await Promise.all(quick);
    await new Promise(setImmediate);
    assert.equal(idle.length, freed);
    resolve();
    await slow;
    await new Promise(setImmediate);
    assert.equal(idle.length, 4);
  });
}
