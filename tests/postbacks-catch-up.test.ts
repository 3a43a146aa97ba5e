/** Lost results are fetched from the partner: each is stored once, and the read token is not sent anywhere else. */
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { catchUpDue, type CatchUpParts } from "../src/integrations/catch-up.ts";
import { claimReads } from "../src/integrations/catch-up-store.ts";
import { claimDueActivities } from "../src/integrations/store.ts";
import { HOUR_MS, later, manualClock, MINUTE_MS, systemClock } from "../src/lib/clock.ts";
import { createSender, type Sender, type SenderOptions } from "../src/webhooks/delivery/send.ts";
import { createIntegration, processAll, type Integration } from "./support/integrations.ts";
import { createTenantKey } from "./support/merchant.ts";
import { startService, type Json, type Service } from "./support/service.ts";
import { sized } from "./support/sized.ts";
import { PAGING, startVendor, type Style, type Vendor } from "./support/vendor.ts";

const calendar = manualClock(new Date("2026-11-21T12:00:00Z"));
let service: Service;
let key: string;
let sender: Sender;
let vendor: Vendor;

before(async () => {
  service = await startService({ clock: { ...systemClock, now: () => calendar.now() } });
  key = await createTenantKey(service);
  sender = senderWith();
});
beforeEach(async () => {
  vendor = await startVendor("next_url");
});
afterEach(async () => {
  await vendor.close();
  // Other tests' partners no longer exist.
  await service.rows("update integrations set active = false");
});
after(async () => {
  await sender.close();
  await service.close();
});

function senderWith(changes: Partial<SenderOptions> = {}): Sender {
  return createSender({ clock: systemClock, allowPrivate: true, ...changes });
}

async function readable(of = vendor, style: Style = "next_url"): Promise<Integration> {
  const reading = { read_url: of.url, read_token: of.token, read_paging: PAGING[style] };
  return createIntegration(service, key, reading);
}

function catchUp(changes: Partial<CatchUpParts> = {}): Promise<number> {
  const parts = { deps: service.app.deps, sender, onActivity: () => {}, stopping: () => false };
  return catchUpDue({ ...parts, ...changes }, 10);
}

async function record(integration: Integration): Promise<Json> {
  return (await service.get(`management/integrations/${integration.id}/`, { key })).body;
}

/** For each result's number: how many activities it has, and how they came. */
async function kept(integration: Integration): Promise<Map<number, { count: number; recovered: boolean }>> {
  const found = new Map<number, { count: number; recovered: boolean }>();
  for (const { id, recovered } of await integration.activities("?page_size=1000")) {
    const number = (await integration.activity(id))["payload"].number;
    found.set(number, { count: (found.get(number)?.count ?? 0) + 1, recovered });
  }
  return found;
}

const COUNT = sized(30, 100);
const LOST = COUNT / 10;

for (const style of ["next_url", "cursor", "page"] as const) {
  for (const named of [true, false]) {
    test(`after a vendor with ${style} pages${named ? "" : " and no request_uuid"} has lost one result in ten, the hourly job stores each once`, async () => {
      const losing = await startVendor(style);
      const integration = await readable(losing, style);
      try {
        for (let number = 0; number < COUNT; number += 1) {
          const body = { our_ref: `r${number}`, number, ...(named ? { request_uuid: `u-${number}` } : {}) };
          const at = later(calendar.now(), number);
          await losing.sends(service, integration.path, body, at, number % 10 === 3);
        }
        assert.equal((await kept(integration)).size, COUNT - LOST);
        // Two instances read at once, and the following hours' readings overlap.
        await Promise.all([catchUp(), catchUp()]);
        for (let hours = 0; hours < 2; hours += 1) {
          calendar.advance(HOUR_MS);
          assert.equal(await catchUp(), 1);
        }
        const found = await kept(integration);
        assert.equal(found.size, COUNT);
        for (const [number, { count, recovered }] of found) {
          assert.deepEqual([count, recovered], [1, number % 10 === 3], `number ${number}`);
        }
        assert.equal((await integration.activities("?recovered=true")).length, LOST);
        assert.equal((await record(integration))["last_read_error"], null);
        await processAll(service);
        assert.equal((await integration.activities("?status=unmatched&page_size=1000")).length, COUNT);
      } finally {
        await losing.close();
      }
    });
  }
}

test("a postback that arrives after it was fetched is answered with the fetched one's activity", async () => {
  const integration = await readable();
  const body = { request_uuid: "late", number: 1 };
  await vendor.sends(service, integration.path, body, calendar.now(), true);
  await catchUp();
  const [recovered] = await integration.activities();
  assert.equal(recovered?.["recovered"], true);
  assert.equal(await vendor.repeats(service, integration.path, body), recovered?.["id"]);
});

test("the partner's list is read hourly, with its token, from two hours before the last complete reading on", async () => {
  const integration = await readable();
  const created = calendar.now();
  await catchUp();
  assert.equal(await catchUp(), 0);
  calendar.advance(HOUR_MS - 1);
  assert.equal(await catchUp(), 0);
  calendar.advance(1);
  assert.equal(await catchUp(), 1);
  const sinces = vendor.asked.map(({ url }) => new URL(url, vendor.url).searchParams.get("since"));
  const expected = [created, created].map((at) => later(at, -2 * HOUR_MS).toISOString());
  assert.deepEqual(sinces, expected);
  for (const { url, authorization } of vendor.asked) {
    assert.equal(authorization, `Bearer ${vendor.token}`);
    assert.equal(new URL(url, vendor.url).searchParams.get("account"), "7");
  }
  assert.equal((await record(integration))["last_read_at"], calendar.now().toISOString());
});

test("numbers of a fetched postback keep their digits", async () => {
  const integration = await readable();
  vendor.misbehave = (_, response) =>
    void response.end('{"results":[{"lead_id":12345678901234567890,"price":1.10}],"next":null}');
  await catchUp();
  const [fetched] = await integration.activities();
  assert.equal((await integration.activity(fetched?.["id"]))["values"].lead_id, "12345678901234567890");
  const pushed = await integration.accepted('{"price":1.10,"lead_id":12345678901234567890}');
  assert.equal(pushed, fetched?.["id"]);
});

test("an interrupted reading keeps its results, starts again ten minutes later, and stores nothing twice", async () => {
  const integration = await readable();
  const began = calendar.now();
  for (let number = 0; number < 20; number += 1)
    await vendor.sends(service, integration.path, { number }, calendar.now(), true);
  const honest = vendor.misbehave;
  let requests = 0;
  vendor.misbehave = (request, response) => {
    requests += 1;
    if (requests > 1) return void response.writeHead(500).end();
    const next = `${request.url}&offset=7`;
    const results = Array.from({ length: 7 }, (_, number) => ({ number }));
    response.end(JSON.stringify({ results, next }));
  };
  await catchUp();
  assert.equal((await kept(integration)).size, 7);
  assert.equal((await record(integration))["last_read_error"], "The server answered 500.");
  vendor.misbehave = honest;
  vendor.asked.splice(0);
  calendar.advance(10 * MINUTE_MS - 1);
  assert.equal(await catchUp(), 0);
  calendar.advance(1);
  assert.equal(await catchUp(), 1);
  const since = new URL(vendor.asked[0]?.url ?? "", vendor.url).searchParams.get("since");
  assert.equal(since, later(began, -2 * HOUR_MS).toISOString());
  const found = await kept(integration);
  assert.deepEqual([found.size, [...found.values()].every(({ count }) => count === 1)], [20, true]);
  assert.equal((await record(integration))["last_read_error"], null);
});

test("the reason why a list cannot be read is recorded, and its links are not followed", async (t) => {
  const elsewhere = await startVendor("next_url");
  t.after(() => elsewhere.close());
  const integration = await readable();
  const answers: readonly (readonly [(request: { url?: string | undefined }) => string, RegExp])[] = [
    [() => "<html>", /not JSON/],
    [() => '"x"', /no list under "results"/],
    [() => '{"results":{}}', /no list under "results"/],
    [() => JSON.stringify({ results: [], next: elsewhere.url }), /on another server/],
    [() => JSON.stringify({ results: [], next: "http://[" }), /not valid/],
    [({ url }) => JSON.stringify({ results: [], next: url }), /lead back/],
    [() => `{"results":[${'"x",'.repeat(1_100_000)}1]}`, /larger than 4194304 bytes/],
    [() => `{"results":[${"1,".repeat(2_000_000)}1]}`, /more than 10000 items/],
    [() => "[".repeat(1_000_000), /not JSON/],
  ];
  for (const [answer, reason] of answers) {
    vendor.misbehave = (request, response) => void response.end(answer(request));
    assert.equal(await catchUp(), 1);
    assert.match((await record(integration))["last_read_error"], reason);
    calendar.advance(HOUR_MS);
  }
  vendor.misbehave = (_, response) =>
    void response.writeHead(302, { location: elsewhere.url }).end("elsewhere");
  assert.equal(await catchUp(), 1);
  assert.match((await record(integration))["last_read_error"], /answered 302/);
  assert.equal(elsewhere.asked.length, 0);
});

test("reading stops at an endless list and at a list that repeats a page", async () => {
  const counted = await readable(vendor, "page");
  vendor.misbehave = (_, response) => void response.end('[{"same":1}]');
  await catchUp();
  assert.match((await record(counted))["last_read_error"], /the same page repeatedly/);
  assert.equal(vendor.asked.length, 2);
  calendar.advance(HOUR_MS);
  vendor.misbehave = (request, response) => void response.end(`[[${JSON.stringify(request.url)}]]`);
  await catchUp();
  assert.match((await record(counted))["last_read_error"], /more than 1000 pages/);
});

test("items that are not postbacks are skipped and reported; the others are kept", async () => {
  const integration = await readable();
  const long = { text: "a".repeat(1_048_576) };
  const deep = JSON.parse(`${'{"a":'.repeat(40)}1${"}".repeat(40)}`) as object;
  const results = [1, "x", null, [], long, deep, { number: 1 }];
  vendor.misbehave = (_, response) => void response.end(JSON.stringify({ results }));
  await catchUp();
  assert.deepEqual([...(await kept(integration)).keys()], [1]);
  assert.match((await record(integration))["last_read_error"], /^6 items are not postbacks/);
});

test("an integration that is off, archived or without a read token is not polled", async () => {
  const off = await readable();
  await off.change({ active: false });
  const inactive = await readable();
  await inactive.change({ provider_active: false });
  const archived = await readable();
  await service.call("DELETE", `management/integrations/${archived.id}/`, undefined, { key });
  const withoutToken = await readable();
  await withoutToken.change({ read_token: null });
  assert.equal(await catchUp(), 0);
  assert.equal(vendor.asked.length, 0);
});

test("private addresses are not called unless allowed, in any spelling and by any name", async () => {
  const guarded = senderWith({ allowPrivate: false });
  const { port } = new URL(vendor.url);
  const integration = await readable();
  for (const url of [
    vendor.url,
    `https://127.0.0.1:${port}/`,
    `https://localhost:${port}/`,
    `https://[::ffff:127.0.0.1]:${port}/`,
    `https://2130706433:${port}/`,
  ]) {
    await service.rows("update integrations set read_url = $1, read_due_at = null where id = $2", [
      url,
      integration.id,
    ]);
    assert.equal(await catchUp({ sender: guarded }), 1);
    assert.match((await record(integration))["last_read_error"], /not https|not public|non-public/, url);
    // The record was changed directly and is due at once; only the claim delays it.
    calendar.advance(HOUR_MS);
  }
  const resolving = senderWith({
    allowPrivate: false,
    resolve: async () => [{ address: "127.0.0.1", family: 4 }],
  });
  const fetched = await resolving.get(`https://partner.example.com:${port}/`, {}, 1_000);
  assert.deepEqual(fetched, {
    kind: "failed",
    error: "The host resolves to a non-public address.",
  });
  assert.equal(vendor.asked.length, 0);
  await guarded.close();
  await resolving.close();
});

test("a partner whose response never ends is given up after a sender's time limit", async () => {
  const hasty = senderWith({ totalMs: 300 });
  vendor.misbehave = (_, response) => void response.write('{"results":[');
  assert.deepEqual(await hasty.get(vendor.url, {}, 1_000), {
    kind: "failed",
    error: "No answer within 0.3 seconds.",
  });
  await hasty.close();
});

test("after a stop no further page is requested", async () => {
  const integration = await readable();
  for (let number = 0; number < 20; number += 1)
    await vendor.sends(service, integration.path, { number }, calendar.now(), true);
  await catchUp({ stopping: () => vendor.asked.length > 0 });
  assert.equal(vendor.asked.length, 1);
  assert.match((await record(integration))["last_read_error"], /stopped/);
});

test("no more is claimed than asked for: partners to be read, and activities to be processed", async () => {
  const integration = await readable();
  for (let number = 0; number < 12; number += 1) {
    await readable();
    await integration.accepted({ number });
  }
  const { db } = service.app.deps;
  const [row] = await service.rows("select tenant from integrations where id = $1", [integration.id]);
  const tenant: number = row?.["tenant"];
  assert.equal((await claimReads(db, tenant, HOUR_MS, 5)).length, 5);
  assert.equal((await claimDueActivities(db, tenant, HOUR_MS, 5)).length, 5);
});

/** Partners that are due since that time; null: never read. */
async function partners(count: number, of: Vendor, tenantKey: string, due: string | null): Promise<void> {
  const reading = { read_url: of.url, read_token: of.token, read_paging: PAGING.next_url };
  for (let made = 0; made < count; made += 1) {
    const { id } = await createIntegration(service, tenantKey, reading);
    await service.rows("update integrations set read_due_at = $2 where id = $1", [id, due]);
  }
}

/** A sender by which a slow partner answers only when the others were asked that often. */
function slowUntil(slow: Vendor, count: number): Pick<Sender, "get"> {
  const asked = Promise.withResolvers<void>();
  let others = 0;
  return {
    async get(url, ...more) {
      if (url.startsWith(slow.url)) await asked.promise;
      else if ((others += 1) === count) asked.resolve();
      return sender.get(url, ...more);
    },
  };
}

for (const [what, slowOnes, others] of [
  ["a partner that answers slowly delays no others", 1, 12],
  ["many slow partners of a tenant do not keep those of another from being read", 12, 1],
] as const)
  test(what, { timeout: MINUTE_MS }, async (t) => {
    const slow = await startVendor("next_url");
    t.after(() => slow.close());
    await partners(slowOnes, slow, key, null);
    await partners(others, vendor, await createTenantKey(service), "2020-01-01");
    assert.equal(await catchUp({ sender: slowUntil(slow, others) }), 13);
    assert.deepEqual([slow.asked.length, vendor.asked.length], [slowOnes, others]);
  });

test("a change of the read URL makes the reading due at once and from the beginning", async () => {
  const integration = await readable();
  await catchUp();
  calendar.advance(HOUR_MS);
  await catchUp();
  assert.equal((await integration.change({ read_paging: { since_parameter: "since2" } })).status, 200);
  vendor.misbehave = (_, response) => void response.end('{"results":[]}');
  assert.equal(await catchUp(), 1);
  const url = new URL(vendor.asked.at(-1)?.url ?? "", vendor.url);
  const created = new Date(integration.record["created_at"]);
  assert.equal(url.searchParams.get("since2"), later(created, -2 * HOUR_MS).toISOString());
});

test("a change that gives the same read URL and paging leaves the reading's progress and its time as they are", async () => {
  const integration = await readable();
  await catchUp();
  calendar.advance(HOUR_MS);
  await catchUp();
  const { read_url, read_paging } = integration.record;
  for (const same of [{ read_url }, { read_paging }, { read_paging: {} }])
    assert.equal((await integration.change({ name: "Renamed", ...same })).status, 200);
  assert.equal(await catchUp(), 0);
  const lastRead = calendar.now();
  calendar.advance(HOUR_MS);
  assert.equal(await catchUp(), 1);
  assert.equal(sinceOf(vendor), later(lastRead, -2 * HOUR_MS).toISOString());
});

/** Holds the vendor's responses back. @returns when one was requested, and what answers it. */
function holding(of: Vendor) {
  const requested = Promise.withResolvers<ServerResponse>();
  of.misbehave = (_, response) => requested.resolve(response);
  return requested.promise;
}

const sinceOf = (of: Vendor) => new URL(of.asked.at(-1)?.url ?? "", of.url).searchParams.get("since");

test("a reading of the former address that ends during one of the new address does not count as that", async (t) => {
  const next = await startVendor("next_url");
  t.after(() => next.close());
  const integration = await readable();
  const fromTheBeginning = later(new Date(integration.record["created_at"]), -2 * HOUR_MS).toISOString();
  calendar.advance(HOUR_MS);
  const formerAsked = holding(vendor);
  const former = catchUp();
  const formerResponse = await formerAsked;
  assert.equal((await integration.change({ read_url: next.url, read_token: next.token })).status, 200);
  calendar.advance(1);
  const newAsked = holding(next);
  const another = catchUp();
  const newResponse = await newAsked;

  formerResponse.end('{"results":[{"number":1}]}');
  assert.equal(await former, 1);
  assert.deepEqual([...(await kept(integration)).keys()], [1], "what it found is kept");
  assert.equal((await record(integration))["last_read_at"], null);
  assert.equal(await catchUp(), 0, "the new address is being read");

  newResponse.writeHead(500).end();
  assert.equal(await another, 1);
  assert.equal((await record(integration))["last_read_error"], "The server answered 500.");
  calendar.advance(10 * MINUTE_MS);
  next.misbehave = null;
  assert.equal(await catchUp(), 1);
  assert.equal(sinceOf(next), fromTheBeginning);
});

test("a reading of the former address leaves the new one due at once, from the beginning, without its error", async () => {
  const integration = await readable();
  const fromTheBeginning = later(new Date(integration.record["created_at"]), -2 * HOUR_MS).toISOString();
  for (const answer of [200, 500]) {
    calendar.advance(HOUR_MS);
    const asked = holding(vendor);
    const former = catchUp();
    const response = await asked;
    const { status } = await integration.change({ read_paging: { cursor_parameter: `c${answer}` } });
    assert.equal(status, 200);
    response.writeHead(answer).end('{"results":[]}');
    assert.equal(await former, 1);
    const { last_read_at, last_read_error } = await record(integration);
    assert.deepEqual([last_read_at, last_read_error], [null, null]);
  }
  vendor.misbehave = null;
  assert.equal(await catchUp(), 1);
  assert.equal(sinceOf(vendor), fromTheBeginning);
});

test("a reading whose lease has ended does not end the reading of the instance that took over", async () => {
  const integration = await readable();
  const fromTheBeginning = later(new Date(integration.record["created_at"]), -2 * HOUR_MS).toISOString();
  const lateAsked = holding(vendor);
  const late = catchUp();
  const lateResponse = await lateAsked;
  calendar.advance(HOUR_MS);
  const takenAsked = holding(vendor);
  const taken = catchUp();
  const takenResponse = await takenAsked;
  lateResponse.end('{"results":[]}');
  assert.equal(await late, 1);
  assert.equal((await record(integration))["last_read_at"], null);
  takenResponse.writeHead(500).end();
  assert.equal(await taken, 1);
  calendar.advance(10 * MINUTE_MS);
  vendor.misbehave = null;
  assert.equal(await catchUp(), 1);
  assert.equal(sinceOf(vendor), fromTheBeginning);
  assert.equal((await record(integration))["last_read_at"], calendar.now().toISOString());
});

test("a reading during which the integration is renamed and its token rotated counts, at any microsecond of the database's clock", async () => {
  const integration = await readable();
  const { db } = service;
  // The test's clock has whole milliseconds.
  const commit: typeof db.commit = (statement, values) => {
    const now = "statement_timestamp()";
    const text = statement.text.replaceAll(now, `(${now} + interval '1 microsecond')`);
    return db.commit({ ...statement, name: `${statement.name} precise`, text }, values);
  };
  const asked = holding(vendor);
  const reading = catchUp({ deps: { ...service.app.deps, db: { ...db, commit } } });
  const response = await asked;
  assert.equal((await integration.change({ name: "Renamed" })).status, 200);
  await integration.rotate();
  response.end('{"results":[]}');
  assert.equal(await reading, 1);
  assert.equal((await record(integration))["last_read_at"], calendar.now().toISOString());
});
