/** Integrations as records: which values are refused or never shown, and how URLs are rotated. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createRecord, createTenantKey } from "../../../tests/support/merchant.ts";
import { startService, type Json, type Service } from "../../../tests/support/service.ts";

let service: Service;
let key: string;

before(async () => {
  service = await startService();
  key = await createTenantKey(service);
});
after(() => service.close());

const PATH = "management/integrations/";
const created = (body: Record<string, unknown>) => createRecord(service, key, "integrations", body);
const patch = (id: string, body: object) => service.call("PATCH", `${PATH}${id}/`, body, { key });

test("each invalid field at creation is refused on that field", async () => {
  for (const [field, value] of [
    ["name", " "],
    ["provider", "nobody"],
    ["provider_active", "yes"],
    ["key_mapping", { nothing: "x" }],
    ["key_mapping", []],
    ["postback_secret", "short"],
    ["postback_secret", "with spaces inside"],
    ["postback_secret", "ümlaut-secret"],
    ["read_url", "ftp://partner.example.com/"],
    ["read_url", "https://user:word@partner.example.com/"],
    ["read_token", ""],
    ["read_token", "a\r\nX-Evil: 1"],
    ["payload_retention_days", 0],
    ["payload_retention_days", 3_651],
  ] as const) {
    const { status, body } = await service.post(PATH, { name: "P", [field]: value }, { key });
    assert.deepEqual(
      [status, Object.keys(body)],
      [400, [field, "status_code"]],
      `${field}=${JSON.stringify(value)}`,
    );
  }
  for (const paging of [
    { style: "guess" },
    { first_page: 2 },
    { since_parameter: "a&b" },
    { next_key: "" },
  ]) {
    const { status, body } = await service.post(PATH, { name: "P", read_paging: paging }, { key });
    assert.deepEqual([status, Object.keys(body["read_paging"])], [400, Object.keys(paging)]);
  }
});

test("only the generic provider has keys of the record's own", async () => {
  const mapping = { our_ref: "ref" };
  const refused = await service.post(
    PATH,
    { name: "P", provider: "campaign_trigger", key_mapping: mapping },
    { key },
  );
  assert.deepEqual([refused.status, Object.keys(refused.body)[0]], [400, "key_mapping"]);
  const { id } = await created({ name: "P", key_mapping: mapping });
  assert.equal((await patch(id, { provider: "campaign_trigger" })).status, 400);
  assert.equal((await patch(id, { provider: "campaign_trigger", key_mapping: {} })).status, 200);
});

test("paging settings that are not given keep their values", async () => {
  const { id } = await created({ name: "P", read_paging: { style: "cursor", next_key: "meta.next" } });
  const { body } = await patch(id, { read_paging: { cursor_parameter: "after" } });
  const { style, next_key, cursor_parameter, results_key } = body["read_paging"];
  assert.deepEqual(
    [style, next_key, cursor_parameter, results_key],
    ["cursor", "meta.next", "after", "results"],
  );
});

test("secrets are never shown, only whether there are any; null takes them away", async () => {
  const made = await created({
    name: "P",
    postback_secret: "postback-secret-1",
    read_token: "read-token-1",
    read_url: "https://partner.example.com/",
  });
  assert.deepEqual([made["has_postback_secret"], made["has_read_token"]], [true, true]);
  assert.doesNotMatch(JSON.stringify(made), /postback-secret-1|read-token-1/);
  const { body } = await patch(made["id"], { postback_secret: null, read_token: null });
  assert.deepEqual([body["has_postback_secret"], body["has_read_token"]], [false, false]);
});

test("a stored read token is not sent to another server: with a new URL it has to be given again", async () => {
  const { id } = await created({
    name: "P",
    read_token: "token-1",
    read_url: "https://partner.example.com/a",
  });
  assert.equal((await patch(id, { read_url: "https://partner.example.com/b" })).status, 200);
  const elsewhere = { read_url: "https://elsewhere.example.com/" };
  const refused = await patch(id, elsewhere);
  assert.deepEqual([refused.status, Object.keys(refused.body)[0]], [400, "read_token"]);
  assert.equal((await patch(id, { read_url: null })).status, 200);
  assert.equal((await patch(id, elsewhere)).status, 400, "nor by a detour");
  assert.equal((await patch(id, { ...elsewhere, read_token: "token-2" })).status, 200);
});

test("rotate-token: another URL each time, with an audit entry that holds neither", async () => {
  const made = await created({ name: "P" });
  const rotate = (headers = {}) =>
    service.post(`${PATH}${made["id"]}/rotate-token/`, undefined, { key, headers });
  const once = { "idempotency-key": "rotate-1" };
  const first = await rotate(once);
  assert.equal((await rotate(once)).text, first.text);
  const second = await rotate();
  const urls = [made, first.body, second.body].map((record: Json) => record["postback_url"]);
  assert.equal(new Set(urls).size, 3);
  assert.equal((await service.get(`${PATH}${made["id"]}/`, { key })).body["postback_url"], urls[2]);

  const log = await service.get(`management/audit-log/?resource_id=${made["id"]}`, { key });
  const actions = log.body["results"].map((entry: Json) => entry["action"]);
  assert.deepEqual(actions, ["rotate_token", "rotate_token", "create"]);
  assert.doesNotMatch(log.text, /pb_|postback_url/);
});

test("an archived integration keeps its URL and cannot be rotated", async () => {
  const { id } = await created({ name: "P" });
  await service.call("DELETE", `${PATH}${id}/`, undefined, { key });
  assert.equal((await service.post(`${PATH}${id}/rotate-token/`, undefined, { key })).status, 409);
});
