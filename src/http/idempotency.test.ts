/** Idempotency keys with a store in memory: which responses are stored, replayed and refused. */
import assert from "node:assert/strict";
import test from "node:test";
import { manualClock } from "../lib/clock.ts";
import { createKeyring, defaultKeys } from "../lib/keyring.ts";
import { FieldErrors, Refusal } from "../refusals.ts";
import type { AnswerStore, IdempotencyKeyUse } from "../lib/answer-store.ts";
import { begin, finish, type IdempotentRequest } from "./idempotency.ts";

interface Row {
  readonly requestHash: Buffer;
  readonly operationId: string;
  readonly answered?: { readonly status: number; readonly answer: Buffer };
}

function setUp() {
  const rows = new Map<string, Row>();
  const nameOf = ({ tenant, caller, key }: Pick<IdempotencyKeyUse, "tenant" | "caller" | "key">) =>
    [tenant, caller, key].join("|");
  const answers: AnswerStore = {
    async begin(entry) {
      const row = rows.get(nameOf(entry));
      if (row === undefined) {
        rows.set(nameOf(entry), entry);
        return { kind: "new", operationId: entry.operationId };
      }
      if (!row.requestHash.equals(entry.requestHash)) return { kind: "mismatch" };
      return row.answered === undefined ? { kind: "running" } : { kind: "answered", ...row.answered };
    },
    async finish({ status, answer, ...entry }) {
      const row = rows.get(nameOf(entry));
      assert.ok(row !== undefined);
      rows.set(nameOf(entry), { ...row, answered: { status, answer } });
    },
    async abandon(entry) {
      rows.delete(nameOf(entry));
    },
  };
  const clock = manualClock(new Date("2026-11-21T12:00:00Z"));
  return { rows, parts: { answers, clock, keys: createKeyring(defaultKeys(Buffer.alloc(32, 7))) } };
}

const REQUEST: IdempotentRequest = {
  tenant: 1,
  caller: "key:k1",
  method: "POST",
  url: "/things/",
  body: Buffer.from('{"a":1}'),
  operationId: "first",
};
const ANSWER = {
  status: 201,
  contentType: "application/json; charset=utf-8",
  body: '{"token":"ps_secret","ü":null}',
};

/** Begins a request that has no response yet. */
async function entryOf(parts: ReturnType<typeof setUp>["parts"], key: string): Promise<IdempotencyKeyUse> {
  const begun = await begin(parts, key, REQUEST);
  assert.ok(!("status" in begun));
  return begun;
}

const refusal = (kind: string) => (error: unknown) => error instanceof Refusal && error.kind === kind;

test("the first answer comes back byte for byte, and is sealed where it is kept", async () => {
  const { rows, parts } = setUp();
  await finish(parts, await entryOf(parts, "k"), ANSWER);
  assert.deepEqual(await begin(parts, "k", { ...REQUEST, operationId: "second" }), ANSWER);
  const kept = [...rows.values()][0]?.answered?.answer;
  assert.ok(kept !== undefined && !kept.includes("ps_secret"));
});

test("another method, path, query or body under the same key is a mismatch", async () => {
  const { parts } = setUp();
  await finish(parts, await entryOf(parts, "k"), ANSWER);
  for (const change of [
    { method: "PATCH" },
    { url: "/other/" },
    { url: "/things/?a=1" },
    { body: Buffer.from('{"a": 1}') },
  ]) {
    await assert.rejects(begin(parts, "k", { ...REQUEST, ...change }), refusal("idempotency_mismatch"));
  }
});

test("while the first request runs, the next gets 409 with Retry-After 1", async () => {
  const { parts } = setUp();
  await entryOf(parts, "k");
  await assert.rejects(
    begin(parts, "k", REQUEST),
    (error) => refusal("idempotency_in_progress")(error) && (error as Refusal).retryAfter === 1,
  );
});

test("tenants and callers do not share keys", async () => {
  const { parts } = setUp();
  await finish(parts, await entryOf(parts, "k"), ANSWER);
  for (const other of [{ tenant: 2 }, { caller: "key:k2" }, { caller: "session:s1" }]) {
    assert.ok(!("status" in (await begin(parts, "k", { ...REQUEST, ...other }))));
  }
});

for (const status of [429, 500, 503]) {
  test(`an answer ${status} is not kept: the request may be sent again`, async () => {
    const { parts } = setUp();
    await finish(parts, await entryOf(parts, "k"), { ...ANSWER, status });
    assert.ok(!("status" in (await begin(parts, "k", REQUEST))));
  });
}

for (const status of [200, 400, 404, 409, 422]) {
  test(`an answer ${status} is kept`, async () => {
    const { parts } = setUp();
    await finish(parts, await entryOf(parts, "k"), { ...ANSWER, status });
    assert.deepEqual(await begin(parts, "k", REQUEST), { ...ANSWER, status });
  });
}

test("a key is 1 to 255 printable ASCII characters", async () => {
  const { parts } = setUp();
  for (const key of [" ", "~", "x".repeat(255)]) await entryOf(parts, key);
  for (const key of ["", "x".repeat(256), "ä", "a\tb", "a\u007f"]) {
    await assert.rejects(
      begin(parts, key, REQUEST),
      (error) => error instanceof FieldErrors && "Idempotency-Key" in error.fields,
    );
  }
});
