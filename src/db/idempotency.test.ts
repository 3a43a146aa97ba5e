import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { onClock } from "../../tests/support/database-clock.ts";
import { testDatabase, type TestDatabase } from "../../tests/support/database.ts";
import { DAY_MS, later, MINUTE_MS } from "../lib/clock.ts";
import { sha256 } from "../lib/keyring.ts";
import type { AnswerStore, BeginEntry, Begun, OldAnswers } from "../lib/answer-store.ts";
import { combiningCalls } from "./postgres.ts";
import { createAnswerStore } from "./idempotency.ts";

const NOW = new Date("2026-11-21T12:00:00Z");
let database: TestDatabase;
let store: AnswerStore & OldAnswers;

before(async () => {
  database = await testDatabase();
  let at = NOW;
  const answers = createAnswerStore(combiningCalls(onClock(database.db, { now: () => at })));
  store = {
    ...answers,
    begin(entry) {
      at = entry.now;
      return answers.begin(entry);
    },
  };
});
after(() => database.close());

test("a key runs once, is running until it is answered, and then replays the answer byte for byte", async () => {
  const entry = newEntry();
  assert.deepEqual(await store.begin(entry), { kind: "new", operationId: entry.operationId });
  assert.deepEqual(await store.begin(again(entry)), { kind: "running" });
  const answer = Buffer.from([0, 255, 1, 254]);
  await store.finish({ ...entry, status: 201, answer });
  assert.deepEqual(await store.begin(again(entry)), { kind: "answered", status: 201, answer });
});

test("the same key with another request is a mismatch, while it runs, after a crash and when it is answered", async () => {
  const entry = newEntry();
  const other = () => ({ ...again(entry), requestHash: sha256("another request") });
  await store.begin(entry);
  assert.deepEqual(await store.begin(other()), { kind: "mismatch" });
  assert.deepEqual(await store.begin({ ...other(), now: later(NOW, 2 * MINUTE_MS) }), { kind: "mismatch" });
  await store.finish({ ...entry, status: 200, answer: Buffer.from("a") });
  assert.deepEqual(await store.begin(other()), { kind: "mismatch" });
});

test("tenants, callers and keys are kept apart", async () => {
  const entry = newEntry();
  await store.begin(entry);
  for (const other of [{ tenant: 2 }, { caller: "key:other" }, { key: "other" }]) {
    assert.equal((await store.begin({ ...again(entry), ...other })).kind, "new");
  }
});

test("a crashed run starts again under its first operation id, once its lock has passed", async () => {
  const entry = newEntry();
  await store.begin(entry);
  const early = { ...again(entry), now: later(NOW, MINUTE_MS - 1) };
  assert.deepEqual(await store.begin(early), { kind: "running" });
  const retry = { ...again(entry), now: later(NOW, MINUTE_MS) };
  assert.deepEqual(await store.begin(retry), { kind: "new", operationId: entry.operationId });
  assert.deepEqual(await store.begin({ ...retry, operationId: randomUUID() }), { kind: "running" });
});

test("an abandoned run may start again at once, under its first operation id", async () => {
  const entry = newEntry();
  await store.begin(entry);
  await store.abandon(entry);
  assert.deepEqual(await store.begin(again(entry)), { kind: "new", operationId: entry.operationId });
});

test("the first answer stays: a later one, or giving up, changes nothing", async () => {
  const entry = newEntry();
  await store.begin(entry);
  await store.finish({ ...entry, status: 200, answer: Buffer.from("first") });
  await store.finish({ ...entry, status: 500, answer: Buffer.from("second") });
  await store.abandon(entry);
  const replayed = await store.begin(again(entry));
  assert.deepEqual(replayed, { kind: "answered", status: 200, answer: Buffer.from("first") });
});

test("after 24 hours a key is new, whatever it was used for", async () => {
  const entry = newEntry();
  await store.begin(entry);
  await store.finish({ ...entry, status: 200, answer: Buffer.from("old") });
  const lastMoment = { ...again(entry), now: later(NOW, DAY_MS) };
  assert.equal((await store.begin(lastMoment)).kind, "answered");

  const tomorrow = { ...again(entry), requestHash: sha256("another"), now: later(NOW, DAY_MS + 1) };
  assert.deepEqual(await store.begin(tomorrow), { kind: "new", operationId: tomorrow.operationId });
  await store.finish({ ...entry, status: 200, answer: Buffer.from("late, of the old operation") });
  assert.deepEqual(await store.begin(again(tomorrow)), { kind: "running" });
});

test("of 50 requests at once exactly one is new: on an unused key, after a crash, and on an old one", async () => {
  for (let round = 0; round < 10; round += 1) {
    const entry = newEntry();
    for (const now of [NOW, later(NOW, MINUTE_MS), later(NOW, 3 * DAY_MS)]) {
      const begun = await Promise.all(
        Array.from({ length: 50 }, () => store.begin({ ...again(entry), now })),
      );
      assert.deepEqual(tally(begun), { new: 1, running: 49 });
    }
  }
});

test("a request that races with an answer gets that answer, and one that races with an abandoned run starts again", async () => {
  for (let round = 0; round < 20; round += 1) {
    const answered = newEntry();
    const abandoned = newEntry();
    await store.begin(answered);
    await store.begin(abandoned);
    const racing = (entry: BeginEntry) => Array.from({ length: 10 }, () => store.begin(again(entry)));
    const [first, second] = await Promise.all([
      Promise.all(racing(answered)),
      Promise.all(racing(abandoned)),
      store.finish({ ...answered, status: 200, answer: Buffer.from("a") }),
      store.abandon(abandoned),
    ]);
    assert.equal(tally(first).new ?? 0, 0);
    assert.ok((tally(second).new ?? 0) <= 1);
    assert.equal((await store.begin(again(answered))).kind, "answered");
  }
});

test("a caller at its limit of keys gets no further one, and keeps those that it has", async () => {
  const entry = { ...newEntry(), caller: "session:a", keysMax: 3 };
  const keys = ["a", "b", "c"];
  for (const key of keys) assert.equal((await store.begin({ ...entry, key })).kind, "new");
  assert.deepEqual(await store.begin({ ...entry, key: "d" }), { kind: "too_many" });
  for (const key of keys) assert.equal((await store.begin({ ...again(entry), key })).kind, "running");
  assert.equal((await store.begin({ ...entry, caller: "session:b", key: "d" })).kind, "new");
  const later24 = later(NOW, DAY_MS + 1);
  assert.equal((await store.begin({ ...entry, key: "d", now: later24 })).kind, "new");
});

test("the clean-up deletes old entries, tenant by tenant, and no more than asked", async () => {
  const old = later(NOW, -3 * DAY_MS);
  for (const tenant of [71, 72]) {
    for (const key of ["a", "b", "c"]) await store.begin({ ...newEntry(), tenant, key, now: old });
    await store.begin({ ...newEntry(), tenant, key: "kept", now: NOW });
  }
  const before = later(NOW, -DAY_MS);
  assert.deepEqual(new Set(await store.tenantsWithOld(before, 10)), new Set([71, 72]));
  assert.equal((await store.tenantsWithOld(before, 1)).length, 1);
  assert.equal(await store.forget(71, before, 2), 2);
  assert.equal(await store.forget(71, before, 2), 1);
  assert.equal(await store.forget(71, before, 2), 0);
  assert.deepEqual(await store.tenantsWithOld(before, 10), [72]);
  assert.equal(
    (await store.begin({ ...newEntry(), tenant: 71, key: "kept", caller: "key:a" })).kind,
    "running",
  );
});

function newEntry(): BeginEntry {
  return {
    tenant: 1,
    caller: "key:a",
    key: randomUUID(),
    requestHash: sha256("request"),
    operationId: randomUUID(),
    now: NOW,
    keysMax: null,
  };
}

/** The same request again. */
function again(entry: BeginEntry): BeginEntry {
  return { ...entry, operationId: randomUUID() };
}

function tally(begun: readonly Begun[]): Partial<Record<Begun["kind"], number>> {
  const counts: Partial<Record<Begun["kind"], number>> = {};
  for (const { kind } of begun) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
