/** A filter with a slip in its name would list everything: each list refuses what it does not have. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createCompany } from "../support/people.ts";
import { OPERATOR_KEY, startService, type Service } from "../support/service.ts";

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.close());

const UNKNOWN = "018f0000-0000-7000-8000-000000000000";
/** Its answer is a file. */
const EXPORT = "/api/v1/management/transactions/export/";

test("every list and every figure of the API answers an unknown filter with 400 on its name", async () => {
  const { id } = await createCompany(service);
  const scopes = ["payments", "reconciliation", "management", "people", "whole_ibans"];
  const made = await service.post(
    `management/tenants/${id}/api-keys/`,
    { name: "All", scopes },
    { key: OPERATOR_KEY },
  );
  const lists = service.app.server.routes().filter(({ method, path, endpoint }) => {
    const { properties = {} } = (endpoint.schema.response[200] ?? {}) as { readonly properties?: object };
    return method === "GET" && ("results" in properties || path === EXPORT);
  });
  assert.ok(lists.length > 40, `${lists.length}`);
  for (const { path, endpoint } of lists) {
    const at = path.replace("/api/v1/", "").replace(/\{\w+\}/g, UNKNOWN);
    const key = endpoint.access === "operator" ? OPERATOR_KEY : made.body["api_key"];
    const { status, body, text } = await service.get(`${at}?statsu=open`, { key });
    assert.equal(status, 400, `${path}: ${text}`);
    assert.match(String(body["statsu"]), /^Unknown parameter\. Allowed: /, path);
  }
});
