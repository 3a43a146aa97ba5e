import assert from "node:assert/strict";
import { Readable } from "node:stream";
import test from "node:test";
import { gunzipSync } from "node:zlib";
import { docsRoutes } from "./docs-page.ts";
import type { Answer, Call, EndpointSchema, Router } from "./endpoint.ts";

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
} as const;
const DOCUMENT = { openapi: "3.1.0", info: { title: "Test" } };
const routes = new Map<string, (call: Call<EndpointSchema>) => Promise<Answer>>();
const router: Router = {
  add: (method, path, endpoint) => void routes.set(`${method} ${path}`, (call) => endpoint.handle(call)),
};
docsRoutes(router, { openApi: () => DOCUMENT });

test("the page names nothing outside this host, and its policy forbids the rest", async () => {
  const { body, headers } = await get("/docs");
  assert.doesNotMatch(text(body), /(?:https?:)?\/\/[a-z]/);
  const policy = headers?.["content-security-policy"] ?? "";
  assert.match(policy, /^default-src 'none'; script-src 'self';/);
  assert.doesNotMatch(policy, /https?:|\*|unsafe-eval/);
});

test("the page runs no inline script, and its configuration is readable", async () => {
  const page = text((await get("/docs")).body);
  for (const [, attributes = ""] of page.matchAll(/<script([^>]*)>/g))
    assert.match(attributes, / src=| type="application\/json"/);
  const [, configuration = ""] = /data-configuration="([^"]*)"/.exec(page) ?? [];
  const { url, telemetry, withDefaultFonts } = JSON.parse(configuration.replaceAll("&quot;", '"'));
  assert.deepEqual([url, telemetry, withDefaultFonts], ["/api/v1/openapi.json", false, false]);
});

test("the script comes from us, to be kept for a year under a name that changes with it", async () => {
  const plain = await get("/docs/scalar.js");
  const zipped = await get("/docs/scalar.js", "br, gzip");
  assert.match(text(plain.body), /Scalar/);
  assert.deepEqual(zipped.headers?.["content-encoding"], "gzip");
  assert.ok(zipped.body instanceof Uint8Array && plain.body instanceof Uint8Array);
  assert.ok(gunzipSync(zipped.body).equals(plain.body));
  assert.equal((await get("/docs/scalar.js", "gzip;q=0")).headers?.["content-encoding"], undefined);
  assert.match(plain.headers?.["cache-control"] ?? "", /immutable/);
  assert.match(text((await get("/docs")).body), /src="\/docs\/scalar\.js\?v=[\w-]{16}"/);
});

test("the description is served as JSON", async () => {
  const { body, headers } = await get("/api/v1/openapi.json");
  assert.equal(headers?.["content-type"], "application/json; charset=utf-8");
  assert.deepEqual(JSON.parse(text(body)), DOCUMENT);
});

function get(path: string, encodings?: string): Promise<Answer> {
  const handle = routes.get(`GET ${path}`);
  assert.ok(handle !== undefined, path);
  return handle({ ...CALL, headers: { "accept-encoding": encodings } });
}

function text(body: unknown): string {
  return body instanceof Uint8Array ? Buffer.from(body).toString() : String(body);
}
