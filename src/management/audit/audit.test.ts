/** The guarantees of the audit log, and that secrets are in no response, no entry and no table. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { OPERATOR_KEY, startService, type Json, type Service } from "../../../tests/support/service.ts";

let service: Service;
let key: string;
let keyId: string;

before(async () => {
  service = await startService();
  const tenant = await service.post("management/tenants/", { name: "Shop" }, { key: OPERATOR_KEY });
  key = tenant.body["api_key"];
  keyId = (await service.get("management/api-keys/", { key })).body["results"][0]["id"];
});
after(() => service.close());

async function created(resource: string, body: unknown, options: object = {}): Promise<Json> {
  const response = await service.post(`management/${resource}/`, body, { key, ...options });
  assert.equal(response.status, 201, response.text);
  return response.body;
}

async function entries(query: string): Promise<readonly Json[]> {
  const response = await service.get(`management/audit-log/${query}`, { key });
  assert.equal(response.status, 200, response.text);
  return response.body["results"];
}

test("every change leaves an entry: who, what, when, from where, before and after", async () => {
  const page = await created(
    "hosted-pages",
    { name: "A" },
    { headers: { "x-request-id": "req-1" }, from: "127.0.0.9" },
  );
  const path = `management/hosted-pages/${page["id"]}/`;
  const changed = (await service.call("PATCH", path, { name: "B" }, { key })).body;
  await service.call("DELETE", path, undefined, { key });
  await service.call("DELETE", path, undefined, { key });
  const [archived, updated, made, ...rest] = await entries(
    `?resource=hosted-pages&resource_id=${page["id"]}`,
  );
  assert.equal(rest.length, 0);
  assert.deepEqual(
    { ...made, id: "", at: "" },
    {
      id: "",
      at: "",
      actor: `key:${keyId}`,
      actor_name: "First key",
      action: "create",
      resource: "hosted-pages",
      resource_id: page["id"],
      before: null,
      after: page,
      ip: "127.0.0.9",
      request_id: "req-1",
    },
  );
  assert.deepEqual([updated?.["action"], updated?.["before"], updated?.["after"]], ["update", page, changed]);
  assert.deepEqual([archived?.["action"], archived?.["before"]], ["archive", changed]);
  assert.notEqual(archived?.["after"].archived_at, null);
  const read = await service.get(`management/audit-log/${made?.["id"]}/`, { key });
  assert.deepEqual(read.body, made);
});

test("a change that is refused leaves no entry", async () => {
  const before = (await entries("")).length;
  await service.post("management/gateways/", { name: "G", adapter: "nobody" }, { key });
  assert.equal((await entries("")).length, before);
});

test("the operator's changes of a tenant are in the tenant's log", async () => {
  const [made] = await entries("?actor=operator&resource=tenants");
  assert.equal(made?.["action"], "create");
});

test("the log is filtered by resource, actor and time", async () => {
  await created("offers", { name: "O", price: 1, currency: "EUR", billing_type: "ONE_OFF" });
  const [offer] = await entries("?resource=offers");
  assert.deepEqual(
    [...new Set((await entries("?resource=offers")).map((row) => row["resource"]))],
    ["offers"],
  );
  assert.deepEqual(
    [...new Set((await entries(`?actor=${keyId}`)).map((row) => row["actor"]))],
    [`key:${keyId}`],
  );
  assert.deepEqual(await entries("?actor=key:unknown"), []);
  const at = encodeURIComponent(offer?.["at"]);
  assert.equal(
    (await entries(`?from=${at}`)).some((row) => row["id"] === offer?.["id"]),
    true,
  );
  assert.equal(
    (await entries(`?to=${at}`)).some((row) => row["id"] === offer?.["id"]),
    false,
  );
  for (const query of [
    "from=yesterday",
    "to=2026-12-31T23:59:60Z",
    "resource_id=1",
    "resource=%00",
    "actor=%E2%82%AC",
  ]) {
    const refused = await service.get(`management/audit-log/?${query}`, { key });
    assert.deepEqual(
      [refused.status, Object.keys(refused.body)],
      [400, [query.split("=")[0], "status_code"]],
      query,
    );
  }
});

test("the log cannot be written", async () => {
  for (const method of ["POST", "PATCH", "DELETE"]) {
    const path = method === "POST" ? "management/audit-log/" : "management/audit-log/x/";
    assert.equal((await service.call(method, path, {}, { key })).status, 405, method);
  }
});

test("once shown, a secret is in no answer and no entry, and in tables only sealed or hashed", async () => {
  const credentials = { token: "credential-5c1f0a" };
  const gateway = await created("gateways", { name: "G", adapter: "sandbox", credentials });
  const given = await created("webhook-profiles", {
    name: "W",
    url: "https://shop.example.com/",
    signing_secret: "signing-secret-77e1b2",
  });
  const generated = await created("webhook-profiles", { name: "W", url: "https://shop.example.com/" });
  const rotated = await service.post(
    `management/webhook-profiles/${generated["id"]}/rotate-secret/`,
    undefined,
    { key },
  );
  const other = await created("api-keys", { name: "K" });
  const turned = await service.post(
    `management/api-keys/${other["id"]}/rotate/`,
    { overlap_seconds: 60 },
    { key },
  );
  assert.equal(given["signing_secret"], "signing-secret-77e1b2");
  assert.match(rotated.body["signing_secret"], /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.equal(gateway["credentials"], undefined);
  await service.call(
    "PATCH",
    `management/gateways/${gateway["id"]}/`,
    { credentials: { token: "credential-9d" } },
    { key },
  );

  const secrets = [
    "credential-5c1f0a",
    "credential-9d",
    given["signing_secret"],
    generated["signing_secret"],
    rotated.body["signing_secret"],
    other["api_key"],
    turned.body["api_key"],
    key,
  ];
  assert.equal(new Set(secrets).size, secrets.length);
  const answers = [
    ...(await Promise.all(
      ["gateways", "webhook-profiles", "api-keys", "audit-log"].map((resource) =>
        service.get(`management/${resource}/?page_size=1000`, { key }),
      ),
    )),
    await service.get(`management/gateways/${gateway["id"]}/`, { key }),
    await service.get(`management/webhook-profiles/${generated["id"]}/`, { key }),
  ].map(({ text }) => text);
  const tables = await service.rows(
    "select table_name as name from information_schema.tables where table_schema = 'public'",
  );
  const dumps = await Promise.all(
    tables.map(async ({ name }) =>
      JSON.stringify(await service.rows(`select t::text as row from "${name}" t`)),
    ),
  );
  for (const secret of secrets) {
    for (const text of [...answers, ...dumps]) assert.equal(text.includes(secret), false, secret.slice(0, 6));
    // The format of bytea columns in a dump.
    const hex = Buffer.from(secret).toString("hex");
    for (const text of dumps) assert.equal(text.includes(hex), false, secret.slice(0, 6));
  }
});
