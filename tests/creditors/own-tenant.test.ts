/** A tenant reads and changes only its own settings with its key. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createMerchant, createRecord, type Merchant } from "../support/merchant.ts";
import { OPERATOR_KEY, startService, type Service } from "../support/service.ts";

let service: Service;
let mine: Merchant;
let theirs: Merchant;

before(async () => {
  service = await startService();
  mine = await createMerchant(service);
  theirs = await createMerchant(service);
});
after(() => service.close());

const read = (key: string) => service.get("management/tenant/", { key });
const patch = (key: string, body: unknown) => service.call("PATCH", "management/tenant/", body, { key });

test("a key shows its own tenant as the operator sees it", async () => {
  const { status, body } = await read(mine.key);
  assert.equal(status, 200);
  const operators = await service.get(`management/tenants/${mine.tenantId}/`, { key: OPERATOR_KEY });
  assert.deepEqual(body, operators.body);
});

test("a key changes its own tenant, which is in its audit log; another tenant's stays as it is", async () => {
  const { body: before } = await read(theirs.key);
  const fields = {
    name: "Renamed",
    address: "Hauptstr. 1",
    postal_code: "10115",
    city: "Berlin",
    pre_notification_days: 5,
  };
  const changed = await patch(mine.key, {
    ...fields,
    creditor_identifier: "de98zzz09999999999",
    id: theirs.tenantId,
    tenant: 1,
  });
  assert.equal(changed.status, 200, changed.text);
  assert.deepEqual(Object.fromEntries(Object.keys(fields).map((name) => [name, changed.body[name]])), fields);
  assert.equal(changed.body["creditor_identifier"], "DE98ZZZ09999999999");
  assert.equal(changed.body["id"], mine.tenantId);
  assert.deepEqual((await read(theirs.key)).body, before);
  const log = await service.get("management/audit-log/?resource=tenants", { key: mine.key });
  const [entry] = log.body["results"];
  assert.deepEqual([entry.action, entry.before.name, entry.after.name], ["update", "Shop", "Renamed"]);
});

test("an invalid change of the tenant is a 400 that names the field", async () => {
  const wrong = { name: " ", country: "XX", session_lifetime_seconds: 1, default_locale: 5 };
  const { status, body } = await patch(mine.key, wrong);
  assert.equal(status, 400);
  assert.deepEqual(Object.keys(body).toSorted(), [...Object.keys(wrong), "status_code"].toSorted());
});

test("reading asks for the scope read, changing for settings", async () => {
  const keyWith = async (scopes: readonly string[]) =>
    (await createRecord(service, mine.key, "api-keys", { name: "K", scopes }))["api_key"] as string;
  const reader = await keyWith(["read"]);
  const payer = await keyWith(["payments"]);
  assert.deepEqual([(await read(reader)).status, (await patch(reader, { name: "X" })).status], [200, 403]);
  assert.deepEqual([(await read(payer)).status, (await patch(payer, { name: "X" })).status], [403, 403]);
});

test("the operator's endpoints answer a tenant's valid key with 403, and an invalid one with 401", async () => {
  for (const path of ["management/tenants/", `management/tenants/${mine.tenantId}/`]) {
    const { status, body } = await service.get(path, { key: mine.key });
    assert.equal(status, 403);
    assert.match(body["detail"], /operator/);
    assert.equal((await service.get(path, { key: "rk_wrong" })).status, 401);
  }
  assert.equal((await read(OPERATOR_KEY)).status, 401);
});
