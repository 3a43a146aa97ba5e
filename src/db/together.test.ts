import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { test } from "node:test";
import { Refusal } from "../refusals.ts";
import type { Database, PlainStatement, Values } from "./database.ts";
import { readsTogether, together, writesTogether } from "./together.ts";

interface Row {
  readonly doubled: number;
}

const DOUBLE = writesTogether(
  "tests.double",
  { value: "integer", key: "text" },
  "with w as (select 1) select v.n, v.value * 2 as doubled from v",
  ({ key }) => [String(key)],
).gives<Row>();
const LOOK = readsTogether("tests.look", { value: "integer" }, "select v.value as seen").gives<{
  seen: number;
}>();

interface Run {
  readonly statement: PlainStatement;
  readonly tenant: unknown;
  readonly values: readonly number[];
}

/** A database whose statements complete only when `drain` is called. */
function slow(answer: (run: Run) => readonly object[] = doubled) {
  const runs: Run[] = [];
  const waiting: (() => void)[] = [];
  const run = async (statement: PlainStatement, given: Values<string>) => {
    const one = { statement, tenant: given["tenant"], values: given["value"] as readonly number[] };
    runs.push(one);
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
    });
    return answer(one);
  };
  const db = { query: run, commit: run } as unknown as Pick<Database, "query" | "commit">;
  return {
    runs,
    sizes: () => runs.map(({ values }) => values.length),
    call: together(db),
    /** Completes the runs one after another, until none is left. */
    async drain() {
      for (let idle = 0; idle < 3; idle += 1) {
        const next = waiting.shift();
        if (next !== undefined) idle = -1;
        next?.();
        await turn();
      }
    },
  };
}

/** The rows in reverse, as no order is guaranteed. */
function doubled({ values }: Run): readonly object[] {
  return values.map((value, index) => ({ n: index + 1, doubled: value * 2 })).toReversed();
}

const valued = (value: number, key = `key ${value}`) => ({ value, key });

/** The end of this turn of the event loop, during which calls are collected. */
const turn = () => new Promise(setImmediate);

test("a call of an idle service runs in the same turn of the event loop, alone", async () => {
  const db = slow();
  const called = db.call(DOUBLE, 1, valued(4));
  await turn();
  assert.deepEqual(db.sizes(), [1]);
  await db.drain();
  assert.deepEqual(await called, [{ doubled: 8 }]);
});

test("calls that arrive together go out together, without a run of the first alone", async () => {
  const db = slow();
  const called = [1, 2, 3].map((value) => db.call(DOUBLE, 1, valued(value)));
  await db.drain();
  await Promise.all(called);
  assert.deepEqual(db.sizes(), [3]);
});

test("calls that arrive during a run go out together in the next one, and each gets its own rows", async () => {
  const db = slow();
  const first = db.call(DOUBLE, 1, valued(1));
  await turn();
  const called = [first, ...[2, 3, 4, 5].map((value) => db.call(DOUBLE, 1, valued(value)))];
  await db.drain();
  assert.deepEqual(db.sizes(), [1, 4]);
  assert.deepEqual(
    await Promise.all(called),
    [2, 4, 6, 8, 10].map((value) => [{ doubled: value }]),
  );
});

test("a call that has no row in a shared run gets none of another call's rows", async () => {
  const db = slow((run) => doubled(run).filter((row) => (row as Row).doubled !== 4));
  const called = [1, 2, 3].map((value) => db.call(DOUBLE, 1, valued(value)));
  await db.drain();
  assert.deepEqual(await Promise.all(called), [[{ doubled: 2 }], [], [{ doubled: 6 }]]);
});

test("at most 32 calls run together, in the order in which they came", async () => {
  const db = slow();
  const values = Array.from({ length: 70 }, (_, index) => index);
  const called = values.map((value) => db.call(DOUBLE, 1, valued(value)));
  await db.drain();
  await Promise.all(called);
  assert.deepEqual(db.sizes(), [32, 32, 6]);
  assert.deepEqual(
    db.runs.flatMap((run) => run.values),
    values,
  );
});

test("calls of two tenants, and of two statements, never run together", async () => {
  const db = slow();
  const called = [1, 1, 2, 2].map((tenant, index) => db.call(DOUBLE, tenant, valued(index)));
  const looked = db.call(LOOK, 1, { value: 9 });
  await db.drain();
  await Promise.all([...called, looked]);
  assert.deepEqual(
    db.runs.map(({ statement, tenant, values }) => [statement.name, tenant, values]),
    [
      ["tests.double", 1, [0, 1]],
      ["tests.double", 2, [2, 3]],
      ["tests.look", 1, [9]],
    ],
  );
});

test("two calls that would write the same row run one after the other, in their order", async () => {
  const db = slow();
  const called = [0, 1, 2, 3, 4].map((value) =>
    db.call(DOUBLE, 1, valued(value, value % 2 === 0 ? "even" : "odd")),
  );
  await db.drain();
  await Promise.all(called);
  assert.deepEqual(
    db.runs.map(({ values }) => values),
    [[0, 1], [2, 3], [4]],
  );
});

test("when a run fails its members run one by one, and only the one that caused it fails", async () => {
  const db = slow((run) => {
    if (run.values.includes(3)) throw new Refusal("lead_has_active_session");
    return doubled(run);
  });
  const called = [1, 2, 3, 4].map((value) => db.call(DOUBLE, 1, valued(value)));
  const settled = Promise.allSettled(called);
  await db.drain();
  assert.deepEqual(
    (await settled).map((one) => (one.status === "fulfilled" ? one.value[0]?.doubled : one.reason.kind)),
    [2, 4, "lead_has_active_session", 8],
  );
  assert.deepEqual(db.sizes(), [4, 1, 1, 1, 1]);
});

test("a run that may have been carried out is not repeated", async () => {
  const db = slow((run) => {
    if (run.values.length > 1) throw new Refusal("unavailable");
    return doubled(run);
  });
  const settled = Promise.allSettled([1, 2, 3].map((value) => db.call(DOUBLE, 1, valued(value))));
  await db.drain();
  assert.deepEqual(
    (await settled).map(({ status }) => status),
    ["rejected", "rejected", "rejected"],
  );
  assert.deepEqual(db.sizes(), [3]);
});

test("a row that another transaction holds fails the call that needs it, not those that run with it", async () => {
  const db = slow((run) => {
    if (run.values.includes(3)) throw new Refusal("unavailable", { cause: { code: "55P03" } });
    return doubled(run);
  });
  const settled = Promise.allSettled([1, 2, 3].map((value) => db.call(DOUBLE, 1, valued(value))));
  await db.drain();
  assert.deepEqual(
    (await settled).map(({ status }) => status),
    ["fulfilled", "fulfilled", "rejected"],
  );
});

test("a failure does not hold up later calls", async () => {
  const db = slow((run) => {
    if (run.values.includes(1)) throw new Error("our bug");
    return doubled(run);
  });
  const first = db.call(DOUBLE, 1, valued(1));
  const failed = assert.rejects(first, /our bug/);
  await turn();
  const second = db.call(DOUBLE, 1, valued(2));
  await db.drain();
  await failed;
  assert.deepEqual(await second, [{ doubled: 4 }]);
  const third = db.call(DOUBLE, 1, valued(3));
  await db.drain();
  assert.deepEqual(await third, [{ doubled: 6 }]);
});

test("a shared run has the context of its first member, and a member that runs alone its own", async () => {
  const inside = new AsyncLocalStorage<number>();
  const seen: unknown[] = [];
  const db = slow((run) => {
    seen.push([inside.getStore(), ...run.values]);
    if (run.values.length > 1) throw new Error("one by one, then");
    return doubled(run);
  });
  const called = [1, 2, 3].map((value) => inside.run(value, () => db.call(DOUBLE, 1, valued(value))));
  await db.drain();
  await Promise.all(called);
  assert.deepEqual(seen, [
    [1, 1, 2, 3],
    [1, 1],
    [2, 2],
    [3, 3],
  ]);
});
