/**
 * The postback endpoint by its table (contract: Postback answers): each response, the order of the checks, sizes,
 * copies, tokens.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { createApp } from "../src/app.ts";
import { DAY_MS, manualClock, systemClock } from "../src/lib/clock.ts";
import { silentLog } from "../src/lib/log.ts";
import { createIntegration, MIB, pathOf, processAll, type Integration } from "./support/integrations.ts";
import { createTenantKey } from "./support/merchant.ts";
import {
  caller,
  freshAddress,
  startService,
  testConfig,
  type CallOptions,
  type Json,
  type Service,
} from "./support/service.ts";

const CORPORA = join(import.meta.dirname, "corpora");
const SECRET = "partner-secret-1";
const RIGHT = { headers: { "x-service-secret": SECRET } };

const NOT_FOUND = [404, '{"code":"not_found","message":"Not found.","details":null}'] as const;
const UNAUTHORIZED = [401, '{"code":"unauthorized","message":"Unauthorized.","details":null}'] as const;
const SKIPPED = [200, '{"status":"skipped"}'] as const;
const TOO_LARGE = [
  413,
  '{"code":"payload_too_large","message":"Payload too large.","details":null}',
] as const;
const INVALID = [400, '{"code":"invalid_payload","message":"Invalid payload.","details":null}'] as const;

/** A stopped clock, so that the tests can make 30 days pass. */
const calendar = manualClock(new Date("2026-11-21T12:00:00Z"));
const clock = { ...systemClock, now: () => calendar.now() };
const OLD_KEY = Buffer.alloc(32, 1);
const NEW_KEY = Buffer.alloc(32, 2);
let service: Service;
let key: string;
let open: Integration;
let locked: Integration;

before(async () => {
  service = await startService({ clock, config: { masterKeys: [OLD_KEY] } });
  key = await createTenantKey(service);
  open = await createIntegration(service, key);
  locked = await createIntegration(service, key, { postback_secret: SECRET });
});
after(() => service.close());

/** An object of this many bytes. */
function sized(bytes: number): string {
  const around = '{"x":""}'.length;
  return `{"x":"${"a".repeat(bytes - around)}"}`;
}

async function answer(
  path: string,
  body: unknown,
  options?: CallOptions,
): Promise<readonly [number, string]> {
  const { status, text } = await service.post(path, body, options);
  return [status, text];
}

/** An address that has reached its limit for this minute. */
async function throttledAddress(): Promise<string> {
  const from = freshAddress();
  for (let count = 0; count < 600; count += 50) {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => answer("/webhooks/integrations/x/", {}, { from })),
    );
    for (const one of answers) assert.deepEqual(one, NOT_FOUND);
  }
  return from;
}

test("200 accepted: exactly status and activity_id, and the activity exists", async () => {
  const response = await open.post({ our_ref: "a", request_uuid: "row-1" });
  assert.equal(response.status, 200);
  assert.deepEqual(Object.keys(response.body), ["status", "activity_id"]);
  assert.equal(response.body["status"], "accepted");
  const activity = await open.activity(response.body["activity_id"]);
  assert.deepEqual([activity["status"], activity["request_uuid"]], ["received", "row-1"]);
  assert.equal(response.headers["cache-control"], "no-store");
});

for (const [name, fields, reason] of [
  ["the record", { active: false }, "integration_inactive"],
  ["its provider", { provider_active: false }, "provider_inactive"],
] as const) {
  test(`200 skipped: ${name} is switched off, and only a row without a body is kept`, async () => {
    const off = await createIntegration(service, key, fields);
    assert.deepEqual(await answer(off.path, { our_ref: "a" }), SKIPPED);
    const [row, ...more] = await off.activities();
    assert.deepEqual(
      [row?.["status"], row?.["reason"], row?.["has_payload"], row?.["request_uuid"], more],
      ["skipped", reason, false, null, []],
    );
  });
}

test("400: anything but a JSON object", async () => {
  for (const body of ["[]", '"x"', "1", "null", "true", "", " ", "{", "{}{}", '{"a":1,}', "a=1&b=2"])
    assert.deepEqual(await answer(open.path, body), INVALID, body);
});

test("a JSON object is accepted whatever its content type", async () => {
  for (const [index, type] of [
    "application/json",
    "application/json; charset=utf-8",
    "application/json; charset=nonsense; x",
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "json",
    "",
    "no type at all",
  ].entries()) {
    const response = await open.post({ type: index }, { headers: { "content-type": type } });
    assert.deepEqual([response.status, response.body["status"]], [200, "accepted"], type);
  }
});

test("401: the secret is missing, wrong, truncated or doubled, and only the right one is accepted", async () => {
  for (const secret of [undefined, "", "wrong", SECRET.slice(1), `${SECRET}x`, `${SECRET}, ${SECRET}`])
    assert.deepEqual(
      await answer(locked.path, {}, { headers: secret === undefined ? {} : { "x-service-secret": secret } }),
      UNAUTHORIZED,
    );
  await locked.accepted({}, RIGHT);
  assert.equal((await locked.change({ postback_secret: null })).status, 200);
  await locked.accepted({ again: 1 });
  assert.equal((await locked.change({ postback_secret: SECRET })).status, 200);
  assert.deepEqual(await answer(locked.path, {}), UNAUTHORIZED);
});

test("404: unknown, malformed, rotated and archived tokens get the same response, byte for byte", async () => {
  const rotated = await createIntegration(service, key, { postback_secret: SECRET });
  await rotated.rotate();
  const archived = await createIntegration(service, key);
  await service.call("DELETE", `management/integrations/${archived.id}/`, undefined, { key });
  const token = open.path.split("/")[3] ?? "";
  const paths = [
    rotated.path,
    archived.path,
    ...[
      "x",
      "pb_",
      "ps_" + "A".repeat(44),
      "pb_" + "A".repeat(48),
      "pb_" + "_".repeat(48),
      token.slice(0, -1),
      `${token}A`,
      token.toLowerCase(),
      token.replace(/.$/, (last) => (last === "A" ? "B" : "A")),
      "a".repeat(300),
      "%00",
      "%zz",
      "..%2f..",
      "%F0%9F%92%B6",
      "' or 1=1 --",
    ].map((text) => `/webhooks/integrations/${text.replaceAll(" ", "%20")}/`),
  ];
  const seen = new Set<string>();
  for (const path of paths) {
    const { status, text, headers } = await service.post(path, { our_ref: "a" });
    assert.deepEqual([status, text], NOT_FOUND, path);
    const { "x-request-id": _id, date: _date, ...told } = headers;
    // A path that is too long or invalid is not looked up, so it does not count either.
    if (!/a{300}|%zz/.test(path)) seen.add(JSON.stringify({ ...told, "ratelimit-reset": "" }));
  }
  assert.equal(seen.size, 1);
});

test("a token is accepted with and without the slash at the end", async () => {
  assert.equal((await service.post(open.path.replace(/\/$/, ""), { slash: 1 })).status, 200);
});

test("rotation: the old URL is 404 at once, also for a body on its way, and the new URL accepts it", async () => {
  const partner = await createIntegration(service, key);
  const { hostname, port } = new URL(service.url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(`POST ${partner.path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{`);
  await partner.accepted({ first: 1 });
  const path = await partner.rotate();
  assert.deepEqual(await answer(partner.path, {}), NOT_FOUND);
  const told = new Promise<string>((resolve) => {
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
    socket.on("close", () => resolve(text));
  });
  socket.write("}");
  assert.match(await told, /^HTTP\/1\.1 404 /);
  assert.equal((await service.post(path, {})).status, 200);
});

for (const [size, chunked] of [
  [MIB, false],
  [MIB, true],
  [MIB + 1, false],
  [MIB + 1, true],
] as const) {
  test(`${size} bytes${chunked ? " in chunks" : ""}: ${size > MIB ? 413 : 200}`, async () => {
    const headers: Record<string, string> = chunked ? { "transfer-encoding": "chunked" } : {};
    const response = await service.post(open.path, sized(size), { headers });
    if (size > MIB) assert.deepEqual([response.status, response.text], TOO_LARGE);
    else assert.deepEqual([response.status, response.body["status"]], [200, "accepted"]);
  });
}

test("429: the contract's body and Retry-After, counted per address", async () => {
  const from = await throttledAddress();
  const { status, body, headers } = await open.post({}, { from });
  assert.equal(status, 429);
  assert.deepEqual(Object.keys(body), ["detail", "code", "status_code"]);
  assert.equal(body["status_code"], 429);
  const seconds = Number(headers["retry-after"]);
  assert.ok(seconds > 0 && seconds <= 60);
  assert.equal(body["detail"], `Request was throttled. Expected available in ${seconds} seconds.`);
  assert.equal((await open.post({ other: "address" })).status, 200);
});

/** Requests that one check each refuses, in the order of the checks. */
interface Wrong {
  readonly from?: string;
  readonly path?: string;
  readonly secret?: boolean;
  readonly off?: boolean;
  readonly size?: boolean;
  readonly body?: boolean;
}

test("each check comes before every later one (contract: Postback answers)", async () => {
  const from = await throttledAddress();
  const off = await createIntegration(service, key, { postback_secret: SECRET, active: false });
  const rotated = await createIntegration(service, key, { postback_secret: SECRET });
  await rotated.rotate();
  const rotatedOff = await createIntegration(service, key, { postback_secret: SECRET, active: false });
  await rotatedOff.rotate();

  const checks: readonly (readonly [name: keyof Wrong, expected: readonly [number, string] | 429])[] = [
    ["from", 429],
    ["path", NOT_FOUND],
    ["secret", UNAUTHORIZED],
    ["off", SKIPPED],
    ["size", TOO_LARGE],
    ["body", INVALID],
  ];
  const send = (wrong: ReadonlySet<keyof Wrong>) => {
    const known = wrong.has("off") ? off.path : locked.path;
    const unknown = wrong.has("off") ? rotatedOff.path : rotated.path;
    const text = sized(wrong.has("size") ? MIB + 1 : 20);
    return answer(wrong.has("path") ? unknown : known, wrong.has("body") ? text.replace("{", "[") : text, {
      ...(wrong.has("from") ? { from } : {}),
      ...(wrong.has("secret") ? {} : RIGHT),
    });
  };
  for (const [index, [earlier, expected]] of checks.entries()) {
    for (const [later] of [...checks.slice(index + 1), [earlier] as const]) {
      const got = await send(new Set([earlier, later]));
      if (expected === 429) assert.equal(got[0], 429, `${earlier} before ${later}`);
      else assert.deepEqual(got, expected, `${earlier} before ${later}`);
    }
  }
  assert.equal((await send(new Set()))[0], 200);
});

async function keptCount(integration: Integration): Promise<number> {
  const [row] = await service.rows(
    "select count(*)::int as count from integration_activities where integration_id = $1",
    [integration.id],
  );
  return row?.["count"];
}

for (const [name, body] of [
  ["by its request_uuid", { request_uuid: "one", our_ref: "x" }],
  ["by its body", { our_ref: "no uuid", sell_price: 12.5 }],
] as const) {
  test(`100 copies ${name}, 20 at a time, get 200 with the same activity_id and make one activity`, async () => {
    const partner = await createIntegration(service, key);
    const ids = new Set<string>();
    for (let sent = 0; sent < 100; sent += 20) {
      const copies = Array.from({ length: 20 }, () => partner.accepted(body));
      for (const id of await Promise.all(copies)) ids.add(id);
    }
    assert.equal(ids.size, 1);
    assert.equal(await keptCount(partner), 1);
  });
}

test("the same request_uuid identifies the same postback whatever else it contains, but not at another integration", async () => {
  const [one, other] = [await createIntegration(service, key), await createIntegration(service, key)];
  const first = await one.accepted({ request_uuid: "r", status: "sold" });
  assert.equal(await one.accepted({ request_uuid: "r", status: "returned" }), first);
  assert.notEqual(await one.accepted({ request_uuid: "R" }), first);
  assert.notEqual(await other.accepted({ request_uuid: "r", status: "sold" }), first);
});

test("a body is the same in any order of keys and with any spaces; ids with more digits than a double are distinguished", async () => {
  const partner = await createIntegration(service, key);
  const first = await partner.accepted('{"a":1,"b":{"c":[1,2],"d":null}}');
  assert.equal(await partner.accepted('{ "b": {"d":null, "c":[1,2]},\n "a": 1 }'), first);
  for (const other of ['{"a":1,"b":{"c":[2,1],"d":null}}', '{"a":1}', "{}"])
    assert.notEqual(await partner.accepted(other), first);
  const big = await partner.accepted('{"id":12345678901234567890}');
  assert.notEqual(await partner.accepted('{"id":12345678901234567891}'), big);
});

test("with a blank or overlong request_uuid the body identifies the postback", async () => {
  const partner = await createIntegration(service, key);
  for (const uuid of ["", "  ", null, "u".repeat(256), { a: 1 }]) {
    const first = await partner.accepted({ request_uuid: uuid, n: 1 });
    assert.notEqual(await partner.accepted({ request_uuid: uuid, n: 2 }), first, String(uuid));
    assert.equal(await partner.accepted({ request_uuid: uuid, n: 1 }), first, String(uuid));
  }
});

test("after 30 days the same body is a new postback", async () => {
  const partner = await createIntegration(service, key);
  const body = { request_uuid: "monthly" };
  const first = await partner.accepted(body);
  calendar.advance(30 * DAY_MS - 1);
  assert.equal(await partner.accepted(body), first);
  calendar.advance(1);
  const second = await partner.accepted(body);
  assert.notEqual(second, first);
  assert.equal(await partner.accepted(body), second);
});

test("a copy is known across a rotation of the master key", async () => {
  const partner = await createIntegration(service, key);
  const first = await partner.accepted({ request_uuid: "before the rotation" });
  const config = testConfig("http://pay.example.test", { masterKeys: [NEW_KEY, OLD_KEY] });
  const app = await createApp(config, service.databaseUrl, silentLog, { clock });
  const { port } = await app.server.listen({ host: "127.0.0.1", port: 0 });
  const call = caller(`http://127.0.0.1:${port}`);
  try {
    const send = () => call("POST", partner.path, { request_uuid: "before the rotation" });
    for (const { body } of await Promise.all(Array.from({ length: 20 }, send)))
      assert.equal(body["activity_id"], first);
    assert.equal(await keptCount(partner), 1);
  } finally {
    await app.server.close();
    await app.close();
  }
});

test("hostile JSON bodies: 200, 400 or 413, nothing else", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hostile-json-"));
  try {
    await promisify(execFile)(process.execPath, [join(CORPORA, "gen-hostile-json.mjs"), folder]);
    const answers: Record<string, number> = {};
    for (const file of await readdir(folder)) {
      const response = await service.post(open.path, await readFile(join(folder, file)));
      assert.ok([200, 400, 413].includes(response.status), `${file}: ${response.status}`);
      if (response.status === 400) assert.equal(response.text, INVALID[1], file);
      if (response.status === 413) assert.equal(response.text, TOO_LARGE[1], file);
      answers[file] = response.status;
    }
    assert.equal(answers["exactly-1MiB.json"], 200);
    assert.equal(answers["over-1MiB-by-1.json"], 413);
    assert.equal(({} as { isAdmin?: boolean }).isAdmin, undefined);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("hostile values under every known key are stored and processed completely", async () => {
  const partner = await createIntegration(service, key);
  const values: readonly unknown[] = [
    "\u200b",
    "x".repeat(100_000),
    "' or 1=1 --",
    1e300,
    true,
    [],
    {},
    null,
  ];
  for (const meaning of ["our_ref", "request_uuid", "lead_id", "status", "sell_price", "buyer_id"])
    for (const [index, value] of values.entries())
      await partner.accepted({ [meaning]: value, index, meaning });
  await processAll(service);
  const activities = await partner.activities("?page_size=1000");
  assert.ok(activities.length > values.length);
  for (const { status, reason } of activities) {
    const ends = ["unmatched no_reference", "unmatched unknown_reference"];
    assert.ok(
      [...ends, "failed our_ref_is_no_text", "failed lead_id_is_no_text"].includes(`${status} ${reason}`),
    );
  }
});

test("a compressed body is refused as not a JSON object, or as too large if it is over the limit", async () => {
  const headers = { "content-encoding": "gzip" };
  assert.deepEqual(await answer(open.path, "{}", { headers }), INVALID);
  assert.deepEqual(await answer(open.path, sized(MIB + 1), { headers }), TOO_LARGE);
});

test("other methods are 405 for every token", async () => {
  for (const path of [open.path, "/webhooks/integrations/x/"]) {
    const { status, headers, text } = await service.get(path);
    assert.deepEqual([status, headers["allow"]], [405, "POST"]);
    assert.equal(text, '{"detail":"Method not allowed.","code":"method_not_allowed","status_code":405}');
  }
});

test("the API description has the endpoint with each answer of the contract", async () => {
  const { body } = await service.get("openapi.json");
  const operation: Json = body["paths"]["/webhooks/integrations/{token}/"].post;
  for (const status of ["200", "400", "401", "404", "413", "429"])
    assert.ok(operation["responses"][status], status);
  assert.equal(operation["responses"]["415"], undefined);
  assert.match(operation["description"], /X-Service-Secret/);
});

test("the URL that a record shows accepts postbacks", async () => {
  const { body } = await service.get(`management/integrations/${open.id}/`, { key });
  assert.equal(pathOf(body), open.path);
  assert.match(body["postback_url"], /^http:\/\/pay\.example\.test\/webhooks\/integrations\/pb_[\w-]{48}\/$/);
});
