/** The edge as raw bytes meet it: methods, headers, limits of the wire, probes, the API description. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { fastify } from "fastify";
import { bodyCheck, withoutIds } from "../../src/http/validation.ts";
import { createMerchant, IBAN, type Merchant } from "../support/merchant.ts";
import { OPERATOR_KEY, startService, type Json, type Service } from "../support/service.ts";

let service: Service;
let merchant: Merchant;

before(async () => {
  service = await startService({ config: { trustedProxies: ["127.0.0.0/8"] } });
  merchant = await createMerchant(service);
});
after(() => service.close());

/** What the server answers to bytes, until it closes the connection or `ms` have passed. */
function raw(bytes: string, ms = 2_000): Promise<string> {
  return new Promise((resolve) => {
    const { port } = new URL(service.url);
    const socket = connect(Number(port), "127.0.0.1", () => socket.write(bytes));
    let answer = "";
    const done = (): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.on("data", (chunk) => (answer += chunk.toString()));
    socket.on("close", done);
    socket.on("error", done);
    setTimeout(done, ms).unref();
  });
}

const get = (path: string, more = "") =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${more}\r\n`;
const statusOf = (answer: string) => Number(answer.split(" ")[1]);

for (const [name, bytes, status] of [
  ["TRACE", "TRACE /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 405],
  ["OPTIONS", "OPTIONS /api/v1/payment-sessions/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 405],
  ["two Host headers", get("/healthz", "Host: y\r\n"), 400],
  ["no Host header", "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n", 400],
  [
    "both Content-Length and Transfer-Encoding",
    "POST /api/v1/iban-validate/ HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    400,
  ],
  ["a header of 20 kB", get("/healthz", `X-Long: ${"a".repeat(20_000)}\r\n`), 431],
  ["no HTTP at all", "nonsense\r\n\r\n", 400],
  ["an undecodable path", get("/api/v1/payment-sessions/%zz/"), 404],
  ["a path that is none", get("/api/v1/nothing/"), 404],
  ["a path in another case", get("/API/v1/payment-sessions/x/"), 404],
  ["HEAD of a page that is there", "HEAD /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 200],
] as const) {
  test(`${name} is ${status}`, async () => {
    assert.equal(statusOf(await raw(bytes)), status);
  });
}

test("a client that never finishes its headers is disconnected within seconds", async () => {
  const start = performance.now();
  const answer = await raw("GET /healthz HTTP/1.1\r\nHost: x\r\n", 12_000);
  assert.ok(answer === "" || [400, 408].includes(statusOf(answer)), answer);
  assert.ok(performance.now() - start < 9_000);
});

test("errors of the HTTP parser have the same form as all others", async () => {
  const { body, headers } = await service.get("nothing/");
  assert.deepEqual(body, { detail: "Not found.", code: "not_found", status_code: 404 });
  assert.match(String(headers["x-request-id"]), /./);
  const wrong = await service.call("DELETE", "iban-validate/");
  assert.deepEqual([wrong.status, wrong.headers["allow"]], [405, "POST"]);
});

test("a well-formed X-Request-Id is kept, any other is replaced", async () => {
  const given = await service.get("nothing/", { headers: { "x-request-id": "abc-1.2_3" } });
  assert.equal(given.headers["x-request-id"], "abc-1.2_3");
  const word = await service.get("nothing/", { headers: { "x-request-id": "work_item-12345678" } });
  assert.equal(word.headers["x-request-id"], "work_item-12345678", "rk_ within a word is no key");
  for (const bad of [
    "a b",
    "DE89370400440532013000",
    `rk_${"k".repeat(40)}`,
    `id-ps_${"t".repeat(40)}`,
    "whsec_c2VjcmV0",
  ]) {
    const { headers } = await service.get("nothing/", { headers: { "x-request-id": bad } });
    assert.notEqual(headers["x-request-id"], bad);
  }
});

test("a body with a Content-Encoding is 415", async () => {
  const { status } = await service.post("iban-validate/", "x", {
    key: merchant.key,
    headers: { "content-encoding": "gzip" },
  });
  assert.equal(status, 415);
});

test("a chunked body over 256 KiB is 413, counted while it is read", async () => {
  const chunk = `10000\r\n${"a".repeat(65_536)}\r\n`;
  const answer = await raw(
    `POST /api/v1/iban-validate/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${merchant.key}\r\n` +
      `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(5)}`,
  );
  assert.equal(statusOf(answer), 413);
});

test("behind a trusted proxy the customer's address counts, IPv6 by /64", async () => {
  const token = await merchant.session();
  const from = (address: string) =>
    service.get(`payment-sessions/${token}/`, { headers: { "x-forwarded-for": address } });
  assert.equal((await from("203.0.113.1")).status, 200);
  assert.equal((await from("203.0.113.1")).status, 429);
  assert.equal((await from("203.0.113.2")).status, 200);
  assert.equal((await from("2001:db8::1")).status, 200);
  assert.equal((await from("2001:db8::2")).status, 429);
});

test("iban-validate: valid, invalid, unknown bank, outside SEPA, missing", async () => {
  const validate = async (body: unknown) => {
    const { status, body: answer } = await service.post("iban-validate/", body, { key: merchant.key });
    return [status, answer];
  };
  const [status, known] = await validate({ iban: "de89 3704 0044 0532 0130 00" });
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(known as object), ["valid", "bank_name", "bic", "country"]);
  assert.deepEqual(await validate({ iban: "IBAN: FR14.2004.1010\u200b 0505 0001 3M02 606" }), [
    200,
    { valid: true, bank_name: "LA BANQUE POSTALE", bic: "PSSTFRPPBOR", country: "FR" },
  ]);
  assert.deepEqual(await validate({ iban: "MT84MALT011000012345MTLCAST001S" }), [
    200,
    { valid: true, bank_name: null, bic: null, country: "MT" },
  ]);
  assert.deepEqual(await validate({ iban: "TR330006100519786457841326" }), [
    200,
    { valid: true, bank_name: null, bic: null, country: "TR", sepa: false },
  ]);
  const [, invalid] = await validate({ iban: "DE00370400440532013000" });
  assert.deepEqual(Object.keys(invalid as object), ["valid", "error"]);
  for (const missing of [{}, { iban: "" }, { iban: null }, undefined]) {
    assert.deepEqual(await validate(missing), [400, { valid: false, error: "IBAN is required" }]);
  }
});

test("iban-validate takes a session token as bearer until the session is over; without credentials it is 401", async () => {
  const token = await merchant.session();
  const validate = (key?: string) =>
    service.post("iban-validate/", { iban: IBAN.approved }, key === undefined ? {} : { key });
  assert.equal((await validate(token)).status, 200);
  assert.equal((await validate()).status, 401);
  assert.equal((await validate(`ps_${"A".repeat(44)}`)).status, 401);
  await merchant.cancel(token);
  assert.equal((await validate(token)).status, 401);
});

test("a page of any origin may validate an IBAN with its session token; no other endpoint allows other origins", async () => {
  const token = await merchant.session();
  const preflight = await service.call("OPTIONS", "iban-validate/", undefined, {
    headers: { origin: "https://shop.example.com" },
  });
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers["access-control-allow-origin"], "*");
  assert.match(String(preflight.headers["access-control-allow-headers"]), /Authorization/);
  const answer = await service.post("iban-validate/", { iban: IBAN.approved }, { key: token });
  assert.equal(answer.headers["access-control-allow-origin"], "*");
  const retrieved = await service.get(`payment-sessions/${token}/`);
  assert.equal(retrieved.headers["access-control-allow-origin"], undefined);
});

test("probes: alive, ready, metrics with what happened", async () => {
  assert.deepEqual((await service.get("/healthz")).body, { status: "ok" });
  assert.deepEqual((await service.get("/readyz")).body, { status: "ready" });
  const metrics = await service.get("/metrics");
  assert.match(String(metrics.headers["content-type"]), /text\/plain/);
  assert.match(metrics.text, /route="\/api\/v1\/payment-sessions\/"/);
  assert.ok(!metrics.text.includes("ps_"));
});

test("metrics require their token, are refused in production without one, and are rate-limited", async (t) => {
  const token = "t".repeat(20);
  for (const [config, statuses] of [
    [{ metricsToken: token }, [401, 401, 200]],
    [{ environment: "production" }, [404, 404, 404]],
    [{ environment: "production", metricsToken: token }, [401, 401, 200]],
  ] as const) {
    const other = await startService({ config });
    t.after(() => other.close());
    const from = "127.0.9.9";
    const got = [];
    for (const key of [undefined, "wrong", token]) {
      got.push((await other.get("/metrics", key === undefined ? { from } : { key, from })).status);
    }
    assert.deepEqual(got, statuses);
    if (got[2] === 200) {
      let last = 200;
      for (let n = 0; n < 60; n += 1) last = (await other.get("/metrics", { key: token, from })).status;
      assert.equal(last, 429);
    }
  }
});

test("the reference page is rate-limited", async () => {
  const from = "127.0.9.10";
  const statuses = [];
  for (let n = 0; n < 61; n += 1) statuses.push((await service.get("/docs", { from })).status);
  assert.deepEqual([statuses.indexOf(429), new Set(statuses.slice(0, 60))], [60, new Set([200])]);
});

test("the reference page can be switched off", async () => {
  const other = await startService({ config: { docs: false } });
  for (const path of ["/docs", "/docs/scalar.js", "openapi.json"])
    assert.equal((await other.get(path)).status, 404);
  await other.close();
});

test("the API description is the one in docs/, lists every endpoint, and its page needs no other host", async () => {
  const { body } = await service.get("openapi.json");
  const documented = JSON.parse(
    await readFile(new URL("../../docs/openapi.json", import.meta.url), "utf8"),
  ) as Json;
  assert.deepEqual({ ...body, servers: null }, { ...documented, servers: null }, "npm run generate");
  assert.equal(body["openapi"].slice(0, 3), "3.1");
  for (const path of [
    "/api/v1/payment-sessions/",
    "/api/v1/payment-sessions/{token}/pay/",
    "/api/v1/iban-validate/",
    "/api/v1/management/tenants/",
  ]) {
    assert.ok(
      Object.keys(body["paths"]).some((known) => path.endsWith(known)),
      path,
    );
  }
  const page = await service.get("/docs");
  assert.equal(page.status, 200);
  assert.match(String(page.headers["content-security-policy"]), /default-src/);
  assert.ok(!/(src|href)="https?:/.test(page.text));
});

test("every list refuses an unknown parameter and names the known ones; pages ignore it", async () => {
  const lists = service.app.server
    .routes()
    .filter(({ method, endpoint: { schema } }) => method === "GET" && schema.query !== undefined);
  assert.ok(lists.length > 20);
  for (const { path, endpoint } of lists) {
    const filled = path.replaceAll(/\{\w+\}/g, merchant.gatewayId);
    const key = endpoint.access === "operator" ? OPERATOR_KEY : merchant.key;
    const { status, body } = await service.get(`${filled}?statsu=1`, { key });
    if (endpoint.hidden === true || endpoint.html === true) assert.equal(body["statsu"], undefined, path);
    else assert.deepEqual([status, body["statsu"]?.length], [400, 1], path);
  }
});

test("management lists sessions newest first in pages, and shows attempts and timeline", async () => {
  const mine = await createMerchant(service);
  const tokens = [await mine.session(), await mine.session(), await mine.session()];
  await mine.pay(tokens[2] ?? "", IBAN.declined, { tenant_reference_id: "find me" });
  await mine.pay(tokens[2] ?? "", IBAN.approved);
  const list = (query: string) => service.get(`management/payment-sessions/${query}`, { key: mine.key });
  const first = (await list("?page_size=2")).body;
  assert.deepEqual(
    [first["results"].length, first["previous"], first["results"][0].status],
    [2, null, "COMPLETED"],
  );
  const second = (await list(new URL(first["next"]).search)).body;
  assert.deepEqual([second["results"].length, second["next"]], [1, null]);
  const [found] = (await list("?tenant_reference_id=find%20me&status=COMPLETED")).body["results"];
  const detail = (await list(`${found.id}/`)).body;
  assert.deepEqual(
    detail["attempts"].map((attempt: { status: string }) => attempt.status),
    ["declined", "approved"],
  );
  assert.deepEqual(
    detail["timeline"].map((move: { cause: string }) => move.cause),
    ["created", "payment_attempt", "declined", "payment_attempt", "approved"],
  );
  assert.equal((await list("?status=NONSENSE")).status, 400);
  assert.equal((await list("?from=2026-02-30")).status, 400);
  assert.equal((await list("?page_size=0")).status, 400);
});

test("every schema of requests and answers compiles, which the service does at the first request", async () => {
  const compiled = fastify();
  for (const { method, path, endpoint } of service.app.server.routes()) {
    const { query, body, response } = endpoint.schema;
    const isJson = endpoint.body !== "raw" && endpoint.body !== "upload";
    // A schema that does not compile throws; what it finds is not asked.
    for (const schema of [query, isJson ? body : undefined]) if (schema !== undefined) bodyCheck(schema)({});
    const written = Object.entries(response)
      .filter(([status]) => status.startsWith("2"))
      .map(([status, schema]) => [status, withoutIds(schema)]);
    compiled.route({
      method,
      url: path.replace(/\{(\w+)\}/g, ":$1"),
      schema: { response: Object.fromEntries(written) },
      handler: async () => null,
    });
  }
  await compiled.ready();
});
