/** Authentication, scopes and the calls that rate limits count. */
import assert from "node:assert/strict";
import test from "node:test";
import { manualClock } from "../lib/clock.ts";
import { Refusal } from "../refusals.ts";
import { admit, type AccessRequest, type Headers, type AccessObserver } from "./access.ts";
import type { Caller } from "./endpoint.ts";
import { memoryCounters } from "./rate-limit.ts";
import type { Scope } from "./scopes.ts";

const keyOf = (tenant: number, keyId: string, scopes: readonly Scope[]): Caller => ({
  kind: "key",
  tenant,
  keyId,
  name: keyId,
  scopes,
});

const CALLERS: Readonly<Record<string, Caller>> = {
  rk_payments: keyOf(1, "payments", ["payments"]),
  rk_management: keyOf(1, "management", ["management"]),
  rk_foreign: keyOf(2, "foreign", ["payments"]),
  rk_operator: { kind: "operator" },
  ps_bearer: { kind: "session", tenant: 1, sessionId: "s" },
};

function edge() {
  const clock = manualClock(new Date("2026-11-21T12:00:00Z"));
  const parts = {
    counters: memoryCounters(clock),
    authenticate: async (bearer: string) => CALLERS[bearer] ?? null,
    readSessionToken: (token: string) => (token === "ps_real" ? { tenant: 1, sessionId: "s" } : null),
  };
  const headers: Headers[] = [];
  const ask = async (request: Partial<AccessRequest>) => {
    const whole = {
      access: "payments",
      limit: undefined,
      authorization: undefined,
      token: undefined,
    } as const;
    const known: Parameters<AccessObserver["onKnown"]>[0][] = [];
    await admit(
      parts,
      { ...whole, clientIp: "192.0.2.1", ...request },
      {
        onLimits: (given) => headers.push(given),
        onKnown: (admitted) => known.push(admitted),
      },
    );
    const [admitted] = known;
    assert.ok(admitted && known.length === 1);
    return admitted;
  };
  return { clock, headers, ask };
}

const refused = (kind: string) => (error: unknown) => error instanceof Refusal && error.kind === kind;

for (const [name, authorization] of [
  ["missing", undefined],
  ["empty", ""],
  ["wrong", "Bearer rk_wrong"],
  ["without Bearer", "rk_payments"],
  ["of another scheme", "Basic rk_payments"],
  ["with bearer in lower case", "bearer rk_payments"],
  ["with two spaces", "Bearer  rk_payments"],
  ["with something after it", "Bearer rk_payments x"],
  ["a session token", "Bearer ps_bearer"],
  ["the operator's", "Bearer rk_operator"],
] as const) {
  test(`401 for a credential that is ${name}, always in the same words`, async () => {
    const words = new Refusal("unauthorized").detail;
    await assert.rejects(
      edge().ask({ authorization }),
      (error) => refused("unauthorized")(error) && (error as Refusal).detail === words,
    );
  });
}

test("a key lacks a scope, or is not the operator's: 403", async () => {
  const { ask } = edge();
  await assert.rejects(ask({ authorization: "Bearer rk_management" }), refused("scope_missing"));
  const operator = { access: "operator", authorization: "Bearer rk_payments" } as const;
  await assert.rejects(ask(operator), refused("scope_missing"));
});

test("a session token is accepted as a bearer only by endpoints that declare it", async () => {
  const authorization = "Bearer ps_bearer";
  const { caller } = await edge().ask({ access: "payments_or_session", authorization });
  assert.equal(caller.kind, "session");
});

const IN_PATH = { access: "session_in_path", limit: "pay", token: "ps_real" } as const;

test("an invalid token is 404, and counts like a valid one", async () => {
  const { ask } = edge();
  const guess = { ...IN_PATH, token: "ps_guess" };
  await assert.rejects(ask(guess), refused("not_found"));
  await assert.rejects(ask(guess), refused("throttled"));
});

for (const authorization of ["Bearer rk_wrong", "Bearer rk_foreign", "Bearer rk_management", "nonsense"]) {
  test(`with a session token in the path, ${authorization} is ignored, never a 401`, async () => {
    const { caller, session } = await edge().ask({ ...IN_PATH, authorization });
    assert.deepEqual([caller.kind, session?.sessionId], ["anonymous", "s"]);
  });
}

test("a merchant's server is counted by its key, customers by address (contract: Merchant servers)", async () => {
  const { ask } = edge();
  for (let sent = 0; sent < 50; sent += 1) {
    const { caller } = await ask({ ...IN_PATH, authorization: "Bearer rk_payments" });
    assert.equal(caller.kind, "key");
  }
  await assert.rejects(ask({ ...IN_PATH, authorization: "Bearer rk_payments" }), refused("throttled"));
  await ask(IN_PATH);
  await assert.rejects(ask(IN_PATH), refused("throttled"));
  await ask({ ...IN_PATH, clientIp: "192.0.2.2" });
});

test("a refused request says when to retry, in seconds and rounded up", async () => {
  const { ask, clock, headers } = edge();
  await ask(IN_PATH);
  clock.advance(1);
  await assert.rejects(
    ask(IN_PATH),
    (error) =>
      refused("throttled")(error) &&
      (error as Refusal).retryAfter === 1 &&
      (error as Refusal).detail === "Request was throttled. Expected available in 1 seconds.",
  );
  assert.deepEqual(headers.at(-1), {
    "ratelimit-limit": "1",
    "ratelimit-remaining": "0",
    "ratelimit-reset": "1",
    "ratelimit-policy": "1;w=1",
  });
  clock.advance(999);
  await ask(IN_PATH);
});

test("each limit counts for itself", async () => {
  const { ask } = edge();
  await ask(IN_PATH);
  await ask({ ...IN_PATH, limit: "retrieve" });
});
