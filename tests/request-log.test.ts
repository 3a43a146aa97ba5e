/** The log of requests: requests by their ids, without bodies, written without delaying the responses. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { must } from "../src/lib/assert.ts";
import { DAY_MS, manualClock } from "../src/lib/clock.ts";
import { createRequestLog } from "../src/management/request-log/log.ts";
import type { DoneRequest } from "../src/http/hooks.ts";
import { createMerchant, IBAN, lead, type Merchant } from "./support/merchant.ts";
import { startService, type Json, type Service } from "./support/service.ts";

const clock = manualClock(new Date("2026-11-23T12:00:00Z"));
/** The names of the executed statements. */
const ran: string[] = [];
let service: Service;
let merchant: Merchant;
let other: Merchant;

before(async () => {
  service = await startService({
    clock,
    between: (db) => ({
      ...db,
      commit(statement, values) {
        ran.push(statement.name);
        return db.commit(statement, values);
      },
    }),
  });
  merchant = await createMerchant(service);
  other = await createMerchant(service);
});
after(() => service.close());

async function runJob(name: string): Promise<number> {
  const job = must(
    service.app.jobs.find((one) => one.name === name),
    name,
  );
  return job.runOnce(job.batch);
}

/** The entries of the log, after it was written. */
async function logged(query = "", key = merchant.key): Promise<readonly Json[]> {
  await runJob("write-requests");
  const { status, body, text } = await service.get(`management/requests/${query}`, { key });
  assert.equal(status, 200, text);
  return body["results"];
}

test("requests of programs and customers are listed a moment later, without the data that they sent", async () => {
  const person = lead({ first_name: "Grace", last_name: "Hopperson", email: "grace@hopper.example" });
  const { body: created } = await merchant.create({ lead: person });
  const token: string = created["session_token"];
  await merchant.pay(token, IBAN.approved, { iban_holder_name: "" });
  const { body: paid } = await merchant.pay(token, IBAN.approved, { iban_holder_name: "Grace Hopperson" });
  const payment = paid["transaction"].id;
  const options = { key: merchant.key, headers: { "x-request-id": "order-42.first" } };
  await service.get(`management/transactions/${payment}/`, options);
  const names = ["grace@hopper.example", IBAN.approved, IBAN.approved.toLowerCase()];
  const asked = await service.get(`management/offers/?${names.join("=1&")}=1`, options);
  assert.equal(asked.status, 400);
  const rows = await logged();
  const said = JSON.stringify(await service.rows("select * from requests"));
  for (const secret of [
    "grace",
    "Hopper",
    IBAN.approved,
    "DE00370400440532013000",
    token,
    merchant.key,
    "127.0",
  ])
    assert.ok(!said.toLowerCase().includes(secret.toLowerCase()), secret);
  const [list, read] = rows.filter((row) => row["request_id"] === "order-42.first");
  assert.deepEqual([list?.["status"], list?.["problem"]], [400, "? ? ?"]);
  assert.deepEqual(
    [read?.["method"], read?.["route"], read?.["status"], read?.["record_id"], read?.["problem"]],
    ["GET", "/api/v1/management/transactions/{id}/", 200, payment, null],
  );
  assert.deepEqual([read?.["api_key_name"], read?.["session_id"]], ["First key", null]);
  const pays = rows.filter((row) => row["route"] === "/api/v1/payment-sessions/{token}/pay/");
  assert.deepEqual(
    pays.map((row) => [row["status"], row["problem"], row["api_key_id"]]),
    [
      [200, null, null],
      [400, "iban_holder_name", null],
    ],
  );
  assert.ok(pays.every((row) => typeof row["session_id"] === "string"));
});

test("a request is found by the id in its response and by each filter, and not by another tenant", async () => {
  const { headers } = await service.get("management/offers/?nonsense=1", { key: merchant.key });
  const id = String(headers["x-request-id"]);
  const [row] = await logged(`?request_id=${id}`);
  assert.equal(row?.["problem"], "nonsense");
  const { body } = await service.get(`management/requests/${row?.["id"]}/`, { key: merchant.key });
  assert.deepEqual(body, row);
  for (const [query, isThere] of [
    ["status=refused", true],
    ["status=4xx", true],
    ["status=5xx", false],
    ["status=2xx", false],
    ["method=GET", true],
    ["method=DELETE", false],
    [`api_key_id=${row?.["api_key_id"]}`, true],
    [`api_key_id=${id}`, false],
    ["from=2026-11-23&to=2026-11-23", true],
    ["from=2026-11-24", false],
    ["to=2026-11-22", false],
  ] as const)
    assert.equal((await logged(`?request_id=${id}&${query}`)).length, isThere ? 1 : 0, query);
  assert.deepEqual(await logged(`?request_id=${id}`, other.key), []);
  const unknown = await service.get(`management/requests/${id}/`, { key: other.key });
  const foreign = await service.get(`management/requests/${row?.["id"]}/`, { key: other.key });
  assert.deepEqual([foreign.status, foreign.text], [404, unknown.text]);
  const [refused] = await logged("?status=refused&page_size=1", other.key);
  assert.deepEqual(
    [refused?.["problem"], refused?.["record_id"]],
    ["not_found", null],
    "not another's record",
  );
});

test("a request whose key lacks the scope is logged with the key's name; one with an unknown key is not logged", async () => {
  const made = await service.post(
    "management/api-keys/",
    { name: "Narrow", scopes: ["reconciliation"] },
    { key: merchant.key },
  );
  const { headers } = await service.get("management/offers/", { key: made.body["api_key"] });
  const [row] = await logged(`?request_id=${String(headers["x-request-id"])}`);
  assert.deepEqual(
    [row?.["status"], row?.["problem"], row?.["api_key_name"]],
    [403, "scope_missing", "Narrow"],
  );
  await runJob("write-requests");
  const before = await service.rows("select count(*)::integer as n from requests");
  await service.get("management/offers/", { key: "rk_nobody" });
  await service.get("management/tenants/", { key: merchant.key });
  assert.equal(await runJob("write-requests"), 1, "only the second, which has a tenant");
  const after = await service.rows("select count(*)::integer as n from requests");
  assert.equal(after[0]?.["n"], before[0]?.["n"] + 1);
});

test("a request runs no statement for the log; a pass of the job writes all requests of a tenant with one statement", async () => {
  await runJob("write-requests");
  ran.length = 0;
  for (let count = 0; count < 5; count += 1) {
    await service.get("management/offers/", { key: merchant.key });
    await service.get("management/offers/", { key: other.key });
  }
  assert.ok(!ran.some((name) => name.startsWith("requests.")));
  assert.equal(await runJob("write-requests"), 10);
  assert.deepEqual(
    ran.filter((name) => name.startsWith("requests.")),
    ["requests.insert", "requests.insert"],
  );
});

const DONE: DoneRequest = {
  method: "GET",
  route: "/api/v1/management/offers/",
  status: 200,
  ms: 1,
  requestId: "one",
  tenant: 1,
  keyId: null,
  sessionId: null,
  recordId: null,
  problem: null,
};

test("requests that exceed the buffer or cannot be written are dropped and counted, and later ones are written", async () => {
  const { deps } = service.app;
  let dropped = 0;
  let away = true;
  const commit: typeof deps.db.commit = (...call) =>
    away ? Promise.reject(new Error("away")) : deps.db.commit(...call);
  const log = createRequestLog({ ...deps, db: { ...deps.db, commit } }, 7, (count) => {
    dropped += count;
  });
  for (let count = 0; count < 10_003; count += 1) log.note(DONE);
  assert.equal(dropped, 3);
  await assert.rejects(log.flush(), { cause: new Error("away") });
  assert.equal(dropped, 10_003);
  away = false;
  log.note(DONE);
  assert.deepEqual([await log.flush(), await log.flush(), dropped], [1, 0, 10_003]);
});

test("a tenant whose requests cannot be written does not affect the log of others", async () => {
  const { deps } = service.app;
  const tenantOfGateway = async ({ gatewayId }: Merchant) =>
    Number((await service.rows("select tenant from gateways where id = $1", [gatewayId]))[0]?.["tenant"]);
  let dropped = 0;
  const log = createRequestLog(deps, 7, (count) => {
    dropped += count;
  });
  const [first, second] = [await tenantOfGateway(merchant), await tenantOfGateway(other)];
  log.note({ ...DONE, tenant: first, requestId: "beside", status: Number.NaN });
  log.note({ ...DONE, tenant: second, requestId: "beside" });
  await assert.rejects(log.flush());
  assert.equal(dropped, 1);
  assert.equal((await logged("?request_id=beside", other.key)).length, 1);
});

test("a filter by status class selects only that class", async () => {
  const { deps } = service.app;
  const [row] = await service.rows("select tenant from gateways where id = $1", [other.gatewayId]);
  const log = createRequestLog(deps, 7, () => assert.fail());
  for (const status of [200, 299, 300, 400, 499, 500, 599])
    log.note({ ...DONE, requestId: "edges", tenant: row?.["tenant"], status });
  await log.flush();
  for (const [filter, expected] of [
    ["2xx", [200, 299]],
    ["4xx", [400, 499]],
    ["5xx", [500, 599]],
    ["refused", [400, 499, 500, 599]],
  ] as const) {
    const found = await logged(`?request_id=edges&status=${filter}`, other.key);
    const statuses = found.map((one) => Number(one["status"]));
    assert.deepEqual(
      statuses.toSorted((a, b) => a - b),
      expected,
      filter,
    );
  }
});

test("pages of the console and anonymous calls are not logged, and with the setting 0 nothing is", async () => {
  const noted = async (days: number, done: Partial<DoneRequest>) => {
    const log = createRequestLog(service.app.deps, days, () => assert.fail());
    log.note({ ...DONE, ...done });
    return log.flush();
  };
  assert.deepEqual(
    [
      await noted(7, { route: "/console/payments/" }),
      await noted(7, { tenant: null }),
      await noted(0, {}),
      await noted(7, {}),
    ],
    [0, 0, 0, 1],
  );
});

test("requests are deleted after seven days, and not before", async () => {
  await logged();
  clock.advance(6 * DAY_MS);
  assert.equal(await runJob("forget-requests"), 0);
  assert.ok(!ran.includes("requests.forget"), "no tenant has anything old");
  const { headers } = await service.get("management/offers/", { key: merchant.key });
  await runJob("write-requests");
  clock.advance(DAY_MS + 1);
  assert.ok((await runJob("forget-requests")) > 0);
  assert.deepEqual(
    (await service.rows("select request_id from requests")).map((row) => row["request_id"]),
    [headers["x-request-id"]],
  );
});
