/** The guarantees about API keys and tenants, through HTTP. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { OPERATOR_KEY, startService, type Json, type Service } from "../../../tests/support/service.ts";
import { memoryCounters } from "../../http/rate-limit.ts";
import { manualClock, SECOND_MS } from "../../lib/clock.ts";
import { randomIds } from "../../lib/ids.ts";
import { createKeyring, defaultKeys } from "../../lib/keyring.ts";
import { createTenant } from "../create.ts";
import type { Target } from "../../management/resource-write.ts";
import { issueKey } from "./issue.ts";
import { rotateKey } from "./rotate.ts";

const clock = manualClock(new Date("2026-05-01T12:00:00Z"));
let service: Service;
let key: string;

before(async () => {
  service = await startService({ clock });
  key = (await tenant())["api_key"];
});
after(() => service.close());

async function tenant(fields: object = {}): Promise<Json> {
  const made = await service.post("management/tenants/", { name: "Shop", ...fields }, { key: OPERATOR_KEY });
  assert.equal(made.status, 201, made.text);
  return made.body;
}

async function apiKey(fields: object = {}, as = key): Promise<Json> {
  const made = await service.post("management/api-keys/", { name: "Key", ...fields }, { key: as });
  assert.equal(made.status, 201, made.text);
  return made.body;
}

const post = (id: string, act: string, body?: unknown) =>
  service.post(`management/api-keys/${id}/${act}/`, body, { key });
const statusOf = async (bearer: string) => (await service.get("management/offers/", { key: bearer })).status;

test("a body cannot name what is not a field: another tenant's number changes nothing of it", async () => {
  const [mine, other] = [await tenant(), await tenant()];
  const [row] = await service.rows("select tenant from tenants where id = $1", [other["id"]]);
  const changed = await service.call(
    "PATCH",
    `management/tenants/${mine["id"]}/`,
    { name: "Renamed", tenant: row?.["tenant"], id: other["id"], archived_at: "2026-01-01T00:00:00Z" },
    { key: OPERATOR_KEY },
  );
  assert.deepEqual([changed.status, changed.body["id"], changed.body["name"]], [200, mine["id"], "Renamed"]);
  assert.equal(changed.body["archived_at"], null);
  const untouched = await service.get(`management/tenants/${other["id"]}/`, { key: OPERATOR_KEY });
  assert.equal(untouched.body["name"], "Shop");
});

test("a tenant is made with a first key that has all scopes and is shown this once", async () => {
  const made = await tenant({ country: "DE", default_locale: "de-at" });
  const { id, api_key: first, created_at: _, updated_at: __, ...fields } = made;
  assert.deepEqual(fields, {
    name: "Shop",
    country: "DE",
    address: null,
    postal_code: null,
    city: null,
    creditor_identifier: null,
    session_lifetime_seconds: 86_400,
    subscription_after_chargeback: "cancel",
    subscription_after_refund: "keep",
    closed_day: "next",
    retry_days: [3, 7],
    default_locale: "de-AT",
    pre_notification_days: 14,
    device_accounts_max: null,
    iban_payments_max: made["iban_payments_max"],
    lead_payments_max: made["lead_payments_max"],
    address_payments_max: made["address_payments_max"],
    invalid_ibans_max: made["invalid_ibans_max"],
    token_detail_days: made["token_detail_days"],
    return_rules: {},
    step_up_refunds_above: "200.00",
    redirect_hosts: [],
    refund_hold_days: 0,
    ask_about_duplicates: false,
    lead_accounts_max: null,
    address_accounts_max: null,
    messages: [],
    notice_check: "report",
    message_sender: null,
    message_address: null,
    message_reply_to: null,
    archived_at: null,
  });
  assert.match(first, /^rk_[A-Za-z0-9_-]{48}$/);
  const { body } = await service.get("management/api-keys/", { key: first });
  assert.deepEqual(
    body["results"].map((row: Json) => row["scopes"]),
    [["payments", "reconciliation", "management"]],
  );
  const read = await service.get(`management/tenants/${id}/`, { key: OPERATOR_KEY });
  assert.equal(read.body["api_key"], undefined);
  assert.equal(read.text.includes(first), false);
});

test("tenants are listed, changed and archived; the keys of an archived tenant stop working", async () => {
  const made = await tenant();
  const path = `management/tenants/${made["id"]}/`;
  const changed = await service.call(
    "PATCH",
    path,
    { session_lifetime_seconds: 1800 },
    { key: OPERATOR_KEY },
  );
  assert.deepEqual([changed.body["session_lifetime_seconds"], changed.body["name"]], [1800, "Shop"]);
  const listed = await service.get("management/tenants/?page_size=1", { key: OPERATOR_KEY });
  assert.match(listed.body["next"], /management\/tenants\//);
  assert.equal(await statusOf(made["api_key"]), 200);
  assert.equal((await service.call("DELETE", path, undefined, { key: OPERATOR_KEY })).status, 204);
  assert.equal(await statusOf(made["api_key"]), 401);
  for (const id of ["nobody", "0195f0a0-0000-7000-8000-000000000000"]) {
    const unknown = await service.get(`management/tenants/${id}/`, { key: OPERATOR_KEY });
    assert.deepEqual(unknown.body, { detail: "Not found.", code: "not_found", status_code: 404 });
  }
});

test("tenants are the operator's, and the operator has no tenant's records", async () => {
  assert.equal((await service.get("management/tenants/", { key })).status, 403);
  assert.equal((await service.get("management/offers/", { key: OPERATOR_KEY })).status, 401);
});

test("a new key has the scopes it was given, else all; without the scope an endpoint answers 403", async () => {
  assert.deepEqual((await apiKey())["scopes"], ["payments", "reconciliation", "management"]);
  const narrow = await apiKey({ scopes: ["reconciliation"] });
  assert.equal(await statusOf(narrow["api_key"]), 403);
  const widened = await service.call(
    "PATCH",
    `management/api-keys/${narrow["id"]}/`,
    { scopes: ["management"] },
    { key },
  );
  assert.deepEqual(widened.body["scopes"], ["management"]);
  assert.equal(await statusOf(narrow["api_key"]), 200);
});

const NARROW = ["read", "keys"];
const patchKey = (id: string, body: object, as = key) =>
  service.call("PATCH", `management/api-keys/${id}/`, body, { key: as });
const makeKey = (body: object, as: string) =>
  service.post("management/api-keys/", { name: "K", ...body }, { key: as });

test("each part of management opens its own endpoints, and management opens all but whole IBANs", async () => {
  const calls: readonly (readonly [scope: string, method: string, path: string, body?: object])[] = [
    ["read", "GET", "management/offers/"],
    ["read", "GET", "management/audit-log/"],
    ["refunds", "POST", "management/chargebacks/", {}],
    ["billing", "POST", "management/subscriptions/none/cancel/"],
    ["settings", "POST", "management/offers/", {}],
    ["keys", "POST", "management/api-keys/", {}],
    ["bank", "POST", "management/unmatched/none/resolve/", {}],
    ["whole_ibans", "GET", "management/mandates/export/?include_iban=true"],
  ];
  const [made] = (await service.get("management/tenants/", { key: OPERATOR_KEY })).body["results"];
  for (const scope of [...new Set(calls.map(([name]) => name)), "management"]) {
    const issued = await service.post(
      `management/tenants/${made.id}/api-keys/`,
      { name: scope, scopes: scope === "whole_ibans" ? ["read", scope] : [scope] },
      { key: OPERATOR_KEY },
    );
    for (const [needed, method, path, body] of calls) {
      const { status } = await service.call(method, path, body, { key: issued.body["api_key"] });
      const open =
        scope === needed ||
        (scope === "management" && needed !== "whole_ibans") ||
        (scope === "whole_ibans" && needed === "read");
      assert.equal(status !== 403, open, `${method} ${path} with ${scope}: ${status}`);
    }
  }
});

test("a key's calls to the management API are limited, whatever they ask for", async (t) => {
  const counters = memoryCounters(clock);
  const other = await startService({
    counters: {
      ...counters,
      hit: (name, limit) =>
        counters.hit(name, name.startsWith("management:") ? { ...limit, count: 2 } : limit),
    },
  });
  t.after(() => other.close());
  const { body } = await other.post("management/tenants/", { name: "Shop" }, { key: OPERATOR_KEY });
  const ask = async (path: string) =>
    (await other.get(`management/${path}/`, { key: body["api_key"] })).status;
  assert.deepEqual(
    [await ask("offers"), await ask("api-keys"), await ask("campaigns"), await ask("gateways")],
    [200, 200, 429, 429],
  );
});

test("a key gives no scope that it lacks, neither to a new key nor to another nor to itself", async () => {
  const narrow = await apiKey({ scopes: NARROW });
  const other = await apiKey({ scopes: ["read"] });
  const as = narrow["api_key"];
  for (const scopes of [["payments"], ["management"], ["read", "bank"], ["whole_ibans"], undefined]) {
    const made = await makeKey({ scopes }, as);
    assert.deepEqual(
      [made.status, Object.keys(made.body)],
      [400, ["scopes", "status_code"]],
      JSON.stringify(scopes),
    );
    if (scopes === undefined) continue;
    for (const id of [narrow["id"], other["id"]]) {
      assert.equal((await patchKey(id, { scopes }, as)).status, 400, JSON.stringify(scopes));
    }
  }
  assert.equal((await makeKey({ scopes: ["keys"] }, as)).status, 201);
  assert.equal((await patchKey(other["id"], { scopes: ["keys"] }, as)).status, 200);
  assert.equal((await makeKey({ scopes: ["whole_ibans"] }, key)).status, 400, "management has it not");
  // Another key may keep the scopes that it already has.
  const wide = await apiKey({ scopes: ["payments", "read"] });
  assert.equal((await patchKey(wide["id"], { scopes: ["payments"] }, as)).status, 200);
});

test("a key that expires makes and changes no key that expires later, itself included", async () => {
  const end = new Date(clock.now().getTime() + 3_600 * SECOND_MS).toISOString();
  const later = new Date(clock.now().getTime() + 7_200 * SECOND_MS).toISOString();
  const short = await apiKey({ expires_at: end });
  const as = short["api_key"];
  for (const expires of [undefined, null, later]) {
    const made = await makeKey({ expires_at: expires }, as);
    assert.deepEqual(
      [made.status, Object.keys(made.body)],
      [400, ["expires_at", "status_code"]],
      `${expires}`,
    );
  }
  for (const expires of [null, later]) {
    assert.equal((await patchKey(short["id"], { expires_at: expires }, as)).status, 400, `${expires}`);
  }
  assert.equal((await makeKey({ expires_at: end }, as)).status, 201);
  assert.equal((await patchKey(short["id"], { name: "Renamed" }, as)).status, 200);
});

test("a key may rotate itself, or be rotated by a key with its scopes and at least its expiry", async () => {
  const wide = await apiKey();
  const narrow = await apiKey({ scopes: NARROW });
  const as = { key: narrow["api_key"] };
  const rotate = (id: string, with_: object) => service.post(`management/api-keys/${id}/rotate/`, {}, with_);
  const refused = await rotate(wide["id"], as);
  assert.deepEqual([refused.status, refused.body["api_key"]], [403, undefined]);
  assert.equal(await statusOf(wide["api_key"]), 200);
  assert.equal((await rotate(narrow["id"], as)).status, 200);
  assert.equal((await rotate(wide["id"], { key: wide["api_key"] })).status, 200);
  // The same scopes, but not the same expiry: the new text would outlive the key that requested it.
  const end = new Date(clock.now().getTime() + 3_600 * SECOND_MS).toISOString();
  const short = await apiKey({ expires_at: end });
  const lasting = await apiKey();
  assert.equal((await rotate(lasting["id"], { key: short["api_key"] })).status, 403);
  assert.equal((await rotate(short["id"], { key: short["api_key"] })).status, 200);
});

test("the operator makes a key with any scope for a tenant, and the tenant's audit log says so", async () => {
  const made = await tenant();
  const path = `management/tenants/${made["id"]}/api-keys/`;
  const issued = await service.post(
    path,
    { name: "Export", scopes: ["read", "whole_ibans"] },
    { key: OPERATOR_KEY },
  );
  assert.deepEqual([issued.status, issued.body["scopes"]], [201, ["read", "whole_ibans"]]);
  assert.equal(await statusOf(issued.body["api_key"]), 200);
  const log = await service.get("management/audit-log/?resource=api-keys", { key: made["api_key"] });
  assert.deepEqual([log.body["results"][0].actor, log.body["results"][0].action], ["operator", "create"]);
  assert.equal((await service.post(path, { name: "X" }, { key: made["api_key"] })).status, 403);
  const unknown = "management/tenants/0195f0a0-0000-7000-8000-000000000000/api-keys/";
  assert.equal((await service.post(unknown, { name: "X" }, { key: OPERATOR_KEY })).status, 404);
});

test("a list shows the beginning of a key and when it was used, never the key", async () => {
  const made = await apiKey();
  assert.equal(made["last_used_at"], null);
  const find = async (): Promise<Json> => {
    const { text, body } = await service.get("management/api-keys/", { key });
    assert.equal(text.includes(made["api_key"]), false);
    return body["results"].find((row: Json) => row["id"] === made["id"]);
  };
  assert.equal((await find())["prefix"], made["api_key"].slice(0, 10));
  await statusOf(made["api_key"]);
  // Written asynchronously, after the response: it appears soon.
  await eventually(async () => (await find())["last_used_at"] === "2026-05-01T12:00:00.000Z");
  clock.advance(59 * SECOND_MS);
  await statusOf(made["api_key"]);
  assert.equal((await find())["last_used_at"], "2026-05-01T12:00:00.000Z");
  clock.advance(SECOND_MS);
  await statusOf(made["api_key"]);
  await eventually(async () => (await find())["last_used_at"] === "2026-05-01T12:01:00.000Z");
});

/** Repeats the check until it succeeds; otherwise the test's own time limit ends it. */
async function eventually(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds()));
}

test("a key is refused like an unknown one from the moment it expires", async () => {
  const made = await apiKey({ expires_at: new Date(clock.now().getTime() + 10 * SECOND_MS).toISOString() });
  clock.advance(10 * SECOND_MS - 1);
  assert.equal(await statusOf(made["api_key"]), 200);
  clock.advance(1);
  const expired = await service.get("management/offers/", { key: made["api_key"] });
  const unknown = await service.get("management/offers/", { key: `rk_${"A".repeat(48)}` });
  assert.deepEqual([expired.status, expired.text], [401, unknown.text]);
  assert.equal((await post(made["id"], "rotate")).status, 409);
  await service.call("PATCH", `management/api-keys/${made["id"]}/`, { expires_at: null }, { key });
  assert.equal(await statusOf(made["api_key"]), 200);
});

test("rotation keeps the id and shows a new key once; without an overlap the old one ends at once", async () => {
  const made = await apiKey();
  const rotated = await post(made["id"], "rotate");
  assert.deepEqual([rotated.status, rotated.body["id"]], [200, made["id"]]);
  assert.notEqual(rotated.body["api_key"], made["api_key"]);
  assert.equal(rotated.body["prefix"], rotated.body["api_key"].slice(0, 10));
  assert.deepEqual([await statusOf(made["api_key"]), await statusOf(rotated.body["api_key"])], [401, 200]);
});

test("with an overlap both keys work, and the old one only until it is over", async () => {
  const made = await apiKey();
  const rotated = await post(made["id"], "rotate", { overlap_seconds: 60 });
  clock.advance(60 * SECOND_MS - 1);
  assert.deepEqual([await statusOf(made["api_key"]), await statusOf(rotated.body["api_key"])], [200, 200]);
  clock.advance(1);
  assert.deepEqual([await statusOf(made["api_key"]), await statusOf(rotated.body["api_key"])], [401, 200]);
  for (const overlap of [-1, 1.5, 2_592_001, "60", null]) {
    const refused = await post(made["id"], "rotate", { overlap_seconds: overlap });
    assert.deepEqual([refused.status, Object.keys(refused.body)], [400, ["overlap_seconds", "status_code"]]);
  }
});

test("revoking ends a key and its predecessor at once, and a repetition gets the same answer", async () => {
  const made = await apiKey();
  const rotated = await post(made["id"], "rotate", { overlap_seconds: 600 });
  const revoked = await post(made["id"], "revoke");
  assert.equal(revoked.body["revoked_at"], clock.now().toISOString());
  assert.deepEqual([await statusOf(made["api_key"]), await statusOf(rotated.body["api_key"])], [401, 401]);
  clock.advance(SECOND_MS);
  assert.equal((await post(made["id"], "revoke")).text, revoked.text);
  assert.equal((await post(made["id"], "rotate")).status, 409);
  const { body } = await service.get(`management/audit-log/?resource_id=${made["id"]}`, { key });
  assert.deepEqual(body["results"].map((row: Json) => row["action"]).toSorted(), [
    "create",
    "revoke",
    "rotate",
  ]);
});

test("an archived key is refused", async () => {
  const made = await apiKey();
  await service.call("DELETE", `management/api-keys/${made["id"]}/`, undefined, { key });
  assert.equal(await statusOf(made["api_key"]), 401);
});

test("twenty rotations at once each answer with a key of their own, and exactly one of them works", async () => {
  const made = await apiKey();
  const rotated = await Promise.all(Array.from({ length: 20 }, () => post(made["id"], "rotate")));
  assert.deepEqual(
    rotated.map(({ status }) => status),
    Array(20).fill(200),
  );
  const keys = [made["api_key"], ...rotated.map(({ body }) => body["api_key"])];
  assert.equal(new Set(keys).size, 21);
  const statuses = await Promise.all(keys.map(statusOf));
  assert.equal(statuses.filter((status) => status === 200).length, 1);
});

test("invalid keys are refused without an internal error: another tenant's number, one beyond the database's range, bad text", async () => {
  const [made, other] = [await apiKey(), await tenant()];
  const swapped = Buffer.concat([bytes(other["api_key"]).subarray(0, 4), bytes(made["api_key"]).subarray(4)]);
  const beyond = Buffer.concat([Buffer.from([255, 255, 255, 255]), bytes(made["api_key"]).subarray(4)]);
  for (const text of [
    `rk_${swapped.toString("base64url")}`,
    `rk_${beyond.toString("base64url")}`,
    "rk_",
    `${made["api_key"]}A`,
    made["api_key"].slice(0, -1),
    made["api_key"].toUpperCase(),
    OPERATOR_KEY.slice(0, -1),
  ]) {
    assert.equal(await statusOf(text), 401, text);
  }
});

function bytes(key: string): Buffer {
  return Buffer.from(key.slice(3), "base64url");
}

test("an operation that is run again after a crash makes one tenant and one key, and shows the same one", async () => {
  const target = targetOf(0);
  const first = await createTenant(service.app.deps, target, { name: "Once" });
  const again = await createTenant(service.app.deps, target, { name: "Once" });
  assert.equal(again.row.tenant, first.row.tenant);
  assert.equal(again.apiKey, first.apiKey);
  assert.equal(await statusOf(first.apiKey), 200);
  assert.equal((await service.get("management/api-keys/", { key: again.apiKey })).body["results"].length, 1);

  const keyTarget = targetOf(first.row.tenant);
  const [one, two] = [
    await issueKey(service.app.deps, keyTarget, { name: "K" }),
    await issueKey(service.app.deps, keyTarget, { name: "K" }),
  ];
  assert.equal(one.row.id, two.row.id);
  assert.equal(one.text, two.text);
  assert.equal(await statusOf(two.text), 200);
});

test("a rotation that is run again gives the same key, ends none that was shown, and keeps the overlap of the key in use", async () => {
  const { row, apiKey: used } = await createTenant(service.app.deps, targetOf(0), { name: "T" });
  const { body } = await service.get("management/api-keys/", { key: used });
  const target = { ...targetOf(row.tenant), id: body["results"][0]["id"] };
  const lost = await rotateKey(service.app.deps, target, 600);
  const shown = await rotateKey(service.app.deps, target, 600);
  assert.equal(shown.text, lost.text);
  assert.deepEqual([await statusOf(used), await statusOf(shown.text)], [200, 200]);
  const next = await rotateKey(service.app.deps, { ...target, operationId: randomIds.uuid() }, 600);
  await rotateKey(service.app.deps, target, 600);
  assert.deepEqual([await statusOf(shown.text), await statusOf(next.text)], [200, 200]);
});

test("an operation that is run again under a new master key shows the key that it gave under the old one", async () => {
  const { deps } = service.app;
  const [old, fresh] = masterKeys();
  const before = { ...deps, keys: createKeyring(defaultKeys(old)) };
  const after = { ...deps, keys: createKeyring(defaultKeys(fresh, old)) };
  const { row, apiKey: first } = await createTenant(deps, targetOf(0), { name: "T" });
  const target = targetOf(row.tenant);
  const issued = await issueKey(before, target, { name: "K" });
  assert.equal((await issueKey(after, target, { name: "K" })).text, issued.text);
  assert.equal(await statusOf(issued.text), 200);

  const rotation = { ...target, operationId: randomIds.uuid() };
  const rotated = await rotateKey(before, rotation, 600);
  assert.equal((await rotateKey(after, rotation, 600)).text, rotated.text);
  await rotateKey(after, { ...rotation, operationId: randomIds.uuid() }, 600);
  assert.equal(
    (await rotateKey(after, rotation, 600)).text,
    rotated.text,
    "and while it works beside the next",
  );
  assert.deepEqual([await statusOf(first), await statusOf(rotated.text)], [200, 200]);
});

/** Two keys that differ, as the service requires for a rotation. */
function masterKeys(): readonly [Buffer, Buffer] {
  return [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
}

function targetOf(tenant: number): Target {
  const id = randomIds.uuid();
  return {
    tenant,
    id,
    operationId: id,
    author: { caller: { kind: "operator" }, clientIp: "127.0.0.1", requestId: "r" },
  };
}
