/** The server on a loopback port with trivial routes: paths, bodies, errors, headers, connections, shutdown. */
import assert from "node:assert/strict";
import { Agent, request, type IncomingHttpHeaders } from "node:http";
import { connect, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { testEdge } from "../../tests/support/edge.ts";
import { Type } from "../lib/schema.ts";
import { systemClock } from "../lib/clock.ts";
import { amount } from "./fields.ts";
import { createServer, type Server } from "./server.ts";

interface Logged {
  readonly message: string;
  readonly text: string;
}

const logged: Logged[] = [];
const note = (message: string, ...more: unknown[]) =>
  void logged.push({ message, text: JSON.stringify(more) });

const edge = testEdge({
  log: { info: note, warn: note, error: note },
  readSessionToken: (token) => (token === "ps_real" ? { tenant: 1, sessionId: "s" } : null),
});

const Echo = Type.Object({ got: Type.Unknown(), nothing: Type.Union([Type.String(), Type.Null()]) });
const common = { summary: "A test's", tag: "Test" } as const;

/** Lets the pending request to /slow/ finish. */
const slow = Promise.withResolvers<void>();
const slowIsUnderWay = Promise.withResolvers<void>();

function declare({ router }: Server): void {
  const echo = async ({ body }: { readonly body: unknown }) => ({
    status: 200,
    body: { got: body, nothing: null, undeclared: "x" },
  });
  const amounts = Type.Object({ amount: Type.Optional(amount()) });
  router.add("POST", "/things/", {
    ...common,
    access: "anyone",
    schema: { body: amounts, response: { 200: Echo } },
    handle: echo,
  });
  router.add("POST", "/sessions/{token}/pay/", {
    ...common,
    access: "session_in_path",
    schema: { body: Type.Object({ iban: Type.String() }), response: { 200: Echo } },
    handle: echo,
  });
  router.add("GET", "/broken/", {
    ...common,
    access: "anyone",
    schema: { response: {} },
    handle: async () => Promise.reject(new Error("our bug")),
  });
  router.add("GET", "/slow/", {
    ...common,
    access: "anyone",
    schema: { response: {} },
    async handle() {
      slowIsUnderWay.resolve();
      await slow.promise;
      return { status: 200, body: {} };
    },
  });
}

let server: Server;
let port: number;

before(async () => {
  server = createServer(edge);
  declare(server);
  ({ port } = await server.listen({ host: "127.0.0.1", port: 0 }));
});
after(() => server.close());

interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

function send(
  method: string,
  path: string,
  {
    body,
    agent,
    ...headers
  }: { readonly body?: string; readonly agent?: Agent } & Record<string, unknown> = {},
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: "127.0.0.1",
        port,
        method,
        path,
        agent: agent ?? false,
        headers: headers as Record<string, string>,
      },
      (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => (text += chunk.toString()));
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        );
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

const JSON_BODY = { "content-type": "application/json" };

for (const path of ["/things/", "/things"]) {
  test(`${path} is served, not redirected`, async () => {
    assert.equal((await send("POST", path, { ...JSON_BODY, body: "{}" })).status, 200);
  });
}

test("an answer follows its schema: nulls stay, undeclared fields are removed, amounts keep their digits", async () => {
  const { text } = await send("POST", "/things/", { ...JSON_BODY, body: '{"amount":19.90}' });
  assert.deepEqual(JSON.parse(text), { got: { amount: "19.90" }, nothing: null });
});

for (const [name, headers] of [
  ["without a content type", {}],
  ["with a JSON content type", { ...JSON_BODY, "content-length": "0" }],
] as const) {
  test(`no body ${name} counts as an empty one`, async () => {
    const { status, text } = await send("POST", "/things/", headers);
    assert.deepEqual([status, JSON.parse(text).got], [200, {}]);
  });
}

for (const [name, method, path, more, status] of [
  ["a path that is none", "GET", "/nothing/", {}, 404],
  ["another method", "DELETE", "/things/", {}, 405],
  ["another content type", "POST", "/things/", { "content-type": "text/plain", body: "x" }, 415],
  ["a form", "POST", "/things/", { "content-type": "application/x-www-form-urlencoded", body: "a=1" }, 415],
  ["a compressed body", "POST", "/things/", { ...JSON_BODY, "content-encoding": "gzip", body: "x" }, 415],
  ["bad JSON", "POST", "/things/", { ...JSON_BODY, body: "{" }, 400],
  ["a list", "POST", "/things/", { ...JSON_BODY, body: "[]" }, 400],
  ["256 KiB and one byte", "POST", "/things/", { ...JSON_BODY, body: `"${"a".repeat(262_143)}"` }, 413],
  ["a bug of ours", "GET", "/broken/", {}, 500],
] as const) {
  test(`${name}: ${status} with a detail, a code, a request id and no-store`, async () => {
    const answer = await send(method, path, more);
    assert.equal(answer.status, status);
    const { detail, code, status_code, request_id, ...rest } = JSON.parse(answer.text);
    assert.deepEqual([typeof detail, typeof code, status_code, rest], ["string", "string", status, {}]);
    assert.equal(request_id, status < 500 ? undefined : answer.headers["x-request-id"]);
    assert.match(String(answer.headers["x-request-id"]), /^[A-Za-z0-9._-]{1,128}$/);
    assert.equal(answer.headers["cache-control"], "no-store");
    assert.equal(answer.headers["x-content-type-options"], "nosniff");
  });
}

test("405 names the allowed methods", async () => {
  assert.equal((await send("GET", "/things")).headers["allow"], "POST");
});

test("a wrong session token is 404 before its body is looked at", async () => {
  const guess = await send("POST", "/sessions/ps_guess/pay/", { ...JSON_BODY, body: "{}" });
  const real = await send("POST", "/sessions/ps_real/pay/", { ...JSON_BODY, body: "{}" });
  assert.deepEqual([guess.status, real.status], [404, 400]);
});

test("an internal error reveals nothing to the client; the log names the request", async () => {
  const { text } = await send("GET", "/broken/", { "x-request-id": "bug-1" });
  assert.ok(!text.includes("our bug"));
  assert.ok(
    logged.some(({ message, text: more }) => message === "a request failed" && more.includes("bug-1")),
  );
});

test("the log has the route as declared, never the path, the query, a header or the body", async () => {
  const secrets = ["ps_real", "q-secret", "h-secret", "b-secret"];
  await send("POST", "/sessions/ps_real/pay/?a=q-secret", {
    ...JSON_BODY,
    "x-other": "h-secret",
    body: '{"iban":"b-secret"}',
  });
  const lines = JSON.stringify(logged);
  assert.ok(lines.includes("/sessions/{token}/pay/"));
  for (const secret of secrets) assert.ok(!lines.includes(secret), secret);
});

/** The server's end of the connection that `use` opens. */
function accepted(use: () => void): Promise<Socket> {
  return new Promise((resolve) => {
    server.app.server.once("connection", resolve);
    use();
  });
}

test(
  "a refused client that never closes its end does not keep its connection",
  { timeout: 10_000 },
  async () => {
    const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    client.on("error", () => {});
    client.resume();
    const ours = await accepted(() => client.write("nonsense\r\n\r\n"));
    await new Promise((resolve) => ours.once("close", resolve));
    client.destroy();
  },
);

test(
  "a request that does not arrive in time gets 408 with the advice to send it again, and its connection is closed",
  { timeout: 20_000 },
  async () => {
    const client = connect({ port, host: "127.0.0.1" });
    client.on("error", () => {});
    const answer: Buffer[] = [];
    client.on("data", (bytes: Buffer) => answer.push(bytes));
    client.write("POST /slow/ HTTP/1.1\r\nHost: a\r\n");
    await new Promise((resolve) => client.once("close", resolve));
    const [head = "", body = ""] = Buffer.concat(answer).toString().split("\r\n\r\n");
    assert.match(head, /^HTTP\/1\.1 408 Request Timeout\r\n/);
    assert.match(head, /\r\nConnection: close(\r\n|$)/);
    assert.deepEqual(JSON.parse(body), {
      detail: "The request took too long to arrive. Send it again.",
      status_code: 408,
    });
  },
);

test(
  "closing lets the request under way finish, and waits for no idle connection",
  { timeout: 10_000 },
  async () => {
    const agent = new Agent({ keepAlive: true });
    const answer = send("GET", "/slow/", { agent });
    await slowIsUnderWay.promise;
    const closed = server.close();
    slow.resolve();
    assert.equal((await answer).status, 200);
    const start = systemClock.monotonicMs();
    await closed;
    // An idle connection would be kept open for ten seconds.
    assert.ok(systemClock.monotonicMs() - start < 5_000);
    agent.destroy();
  },
);
