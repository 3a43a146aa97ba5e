/** The rules of a gateway record (decision S21). */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createRecord, createTenantKey } from "../../../tests/support/merchant.ts";
import { OPERATOR_KEY, startService, type Json, type Service } from "../../../tests/support/service.ts";

const GATEWAY = { name: "Sandbox", adapter: "sandbox" };

let service: Service;
let key: string;

before(async () => {
  service = await startService();
  key = await createTenantKey(service);
});
after(() => service.close());

function created(resource: string, body: unknown, as = key): Promise<Json> {
  return createRecord(service, as, resource, body);
}

test("production takes the sandbox in test mode only", async () => {
  const live = await startService({ config: { environment: "production" } });
  try {
    const tenant = await live.post("management/tenants/", { name: "T" }, { key: OPERATOR_KEY });
    const as = { key: tenant.body["api_key"] };
    const refused = await live.post("management/gateways/", GATEWAY, as);
    assert.deepEqual(refused.body, { test_mode: ["This adapter runs in test mode only."], status_code: 400 });
    assert.equal((await live.post("management/gateways/", { ...GATEWAY, test_mode: true }, as)).status, 201);
  } finally {
    await live.close();
  }
});

test("the adapter of a record cannot be changed, its test mode in staging neither", async () => {
  const { id } = await created("gateways", GATEWAY);
  const refused = await service.call(
    "PATCH",
    `management/gateways/${id}/`,
    { adapter: "other", test_mode: false },
    { key },
  );
  assert.deepEqual(Object.keys(refused.body), ["adapter", "test_mode", "status_code"]);
});

test("gateway-adapters lists the adapters with their schemas and capabilities", async () => {
  const { status, body } = await service.get("management/gateway-adapters/", { key });
  assert.equal(status, 200);
  const sandbox = body["results"].find((adapter: Json) => adapter["name"] === "sandbox");
  assert.equal(sandbox.settings_schema.type, "object");
  assert.deepEqual([sandbox.capabilities.currencies, sandbox.capabilities.test_mode_only], [["EUR"], true]);
});
