/** The rules of a hosted page. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createRecord, createTenantKey } from "../../tests/support/merchant.ts";
import { OPERATOR_KEY, startService, type Json, type Service } from "../../tests/support/service.ts";

const PROFILE = { name: "Shop", url: "https://shop.example.com/hook" };

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

test("branding keeps the colours that are not given, and a locale becomes canonical", async () => {
  const { id } = await created("hosted-pages", {
    name: "P",
    branding: { primary_color: "#FFF" },
    locale: "de-at",
  });
  const changed = await service.call(
    "PATCH",
    `management/hosted-pages/${id}/`,
    { branding: { accent_color: "#12345678" } },
    { key },
  );
  assert.deepEqual(changed.body["branding"], {
    logo_url: null,
    primary_color: "#FFF",
    accent_color: "#12345678",
  });
  assert.equal(changed.body["locale"], "de-AT");
});

test("http is let through to this machine only, and only where private targets are", async () => {
  const page = { name: "P", success_redirect_url: "http://localhost:3000/thanks" };
  await created("hosted-pages", page);
  const strict = await startService({ config: { allowPrivateTargets: false } });
  try {
    const tenant = await strict.post("management/tenants/", { name: "T" }, { key: OPERATOR_KEY });
    const strictKey = tenant.body["api_key"];
    assert.equal((await strict.post("management/hosted-pages/", page, { key: strictKey })).status, 400);
    const hook = { ...PROFILE, url: "http://shop.example.com/" };
    assert.equal((await strict.post("management/webhook-profiles/", hook, { key: strictKey })).status, 400);
    assert.equal((await service.post("management/webhook-profiles/", hook, { key })).status, 201);
  } finally {
    await strict.close();
  }
});
