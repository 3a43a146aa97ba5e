/** Lists include all records and accept only their own cursors. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createRecord, createTenantKey } from "../../tests/support/merchant.ts";
import { startService, type Json, type Service } from "../../tests/support/service.ts";

const OFFER = { name: "Plan", price: "19.90", currency: "EUR", billing_type: "ONE_OFF" };

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

test("lists: newest first, next and previous lead through all of them, page_size is bounded", async () => {
  const as = await createTenantKey(service);
  const made: string[] = [];
  for (let count = 0; count < 7; count += 1)
    made.unshift((await created("hosted-pages", { name: `P${count}` }, as))["id"]);
  const read = async (url: string): Promise<Json> => {
    const { pathname, search } = new URL(url, "http://x/api/v1/management/hosted-pages/");
    const response = await service.get(pathname + search, { key: as });
    assert.equal(response.status, 200, response.text);
    return response.body;
  };
  const forth: string[] = [];
  let page = await read("?page_size=3");
  assert.equal(page["previous"], null);
  for (;;) {
    forth.push(...page["results"].map((row: Json) => row["id"]));
    if (page["next"] === null) break;
    assert.match(
      page["next"],
      /^http:\/\/pay\.example\.test\/api\/v1\/management\/hosted-pages\/\?page_size=3&cursor=/,
    );
    page = await read(page["next"]);
  }
  assert.deepEqual(forth, made);
  const back = await read(page["previous"]);
  assert.deepEqual(
    back["results"].map((row: Json) => row["id"]),
    made.slice(3, 6),
  );
  for (const size of ["0", "1001", "x", ""]) {
    const refused = await service.get(`management/hosted-pages/?page_size=${size}`, { key: as });
    assert.deepEqual([refused.status, Object.keys(refused.body)], [400, ["page_size", "status_code"]], size);
  }
});

test("lists: a cursor that was altered, or is another tenant's, list's or filter's, is a 400 on cursor", async () => {
  for (let count = 0; count < 2; count += 1) await created("offers", OFFER);
  const { body } = await service.get("management/offers/?page_size=1", { key });
  const cursor = new URL(body["next"]).searchParams.get("cursor") ?? "";
  const other = await createTenantKey(service);
  const altered = cursor.replace(/.$/, (last) => (last === "A" ? "B" : "A"));
  for (const [path, as] of [
    [`offers/?cursor=${altered}`, key],
    ["offers/?cursor=x", key],
    [`offers/?cursor=${cursor}`, other],
    [`gateways/?cursor=${cursor}`, key],
    [`offers/?archived=true&cursor=${cursor}`, key],
  ] as const) {
    const refused = await service.get(`management/${path}`, { key: as });
    assert.deepEqual([refused.status, Object.keys(refused.body)], [400, ["cursor", "status_code"]], path);
  }
  assert.equal((await service.get(`management/offers/?cursor=${cursor}&page_size=5`, { key })).status, 200);
});
