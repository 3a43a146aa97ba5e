/** The probes with a database that is temporarily unavailable. */
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import type { Answer, Call, EndpointSchema, Router } from "./endpoint.ts";
import { probeRoutes } from "./probes.ts";

const CALL = {
  url: "/",
  params: undefined,
  query: undefined,
  body: undefined,
  rawBody: Buffer.alloc(0),
  incoming: Readable.from([]),
  bodyLimit: 0,
  caller: { kind: "anonymous" },
  session: null,
  clientIp: "127.0.0.1",
  userAgent: null,
  requestId: "request",
  operationId: "operation",
  setCookie: () => {},
  headers: {},
} as const;

/** The status of /readyz, given the database's result of each check; the clock only moves when a test moves it. */
function probed(...says: readonly (boolean | "away" | Promise<boolean>)[]) {
  const routes = new Map<string, (call: Call<EndpointSchema>) => Promise<Answer>>();
  const router: Router = {
    add: (method, path, endpoint) => void routes.set(`${method} ${path}`, (call) => endpoint.handle(call)),
  };
  let asked = 0;
  let nowMs = 0;
  let stopping = false;
  probeRoutes(router, {
    async ready() {
      const said = says[asked];
      asked += 1;
      if (said === undefined || said === "away") throw new Error("The database is away");
      const ready = await said;
      return { ready, detail: ready ? null : "Migrate it." };
    },
    stopping: () => stopping,
    metrics: async () => ({ contentType: "text/plain", body: "" }),
    metricsAccess: "nobody",
    monotonicMs: () => nowMs,
  });
  const ask = async () => routes.get("GET /readyz")?.(CALL);
  return {
    status: async () => (await ask())?.status,
    body: async () => (await ask())?.body,
    stop: () => void (stopping = true),
    asked: () => asked,
    passMs: (ms: number) => void (nowMs += ms),
  };
}

for (const no of ["away", false] as const) {
  test(`a database that was ${no === false ? "not migrated" : no} is asked again by the next request`, async () => {
    const { status, asked } = probed(no, no, true);
    assert.deepEqual([await status(), await status(), await status(), asked()], [503, 503, 200, 3]);
  });
}

test("a database that answers is asked once a second, and its failure is seen then", async () => {
  const { status, asked, passMs } = probed(true, "away", true);
  assert.deepEqual([await status(), await status(), asked()], [200, 200, 1]);
  passMs(999);
  assert.deepEqual([await status(), asked()], [200, 1]);
  passMs(1);
  assert.deepEqual([await status(), await status(), await status(), asked()], [503, 200, 200, 3]);
});

test("concurrent probes share one answer", async () => {
  const { status, asked } = probed("away", true);
  assert.deepEqual(await Promise.all([status(), status(), status()]), [503, 503, 503]);
  assert.equal(asked(), 1);
});

test("a late failure does not override a newer success", async () => {
  const late = Promise.withResolvers<boolean>();
  const { status, asked, passMs } = probed(late.promise, true);
  const first = status();
  passMs(1_000);
  assert.equal(await status(), 200);
  late.reject(new Error("The database was away"));
  assert.deepEqual([await first, await status(), asked()], [503, 200, 2]);
});

test("a refusal says why and what to do: the database away, its schema wrong, the service stopping", async () => {
  const { body, status, stop } = probed("away", false, true);
  assert.deepEqual(await body(), { status: "not ready", detail: "The database is not reachable." });
  assert.deepEqual(await body(), { status: "not ready", detail: "Migrate it." });
  assert.deepEqual(await body(), { status: "ready" });
  stop();
  assert.deepEqual(await body(), { status: "not ready", detail: "The service is stopping." });
  assert.equal(await status(), 503);
});
