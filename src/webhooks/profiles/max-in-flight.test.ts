/**
 * The number of concurrent requests that a webhook profile allows: its bounds, its default, and the error of an invalid
 * one.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { OPERATOR_KEY, startService, type Service } from "../../../tests/support/service.ts";

const PATH = "management/webhook-profiles/";
const SHOP = { name: "Shop", url: "https://shop.example.com/" };

let service: Service;
let key: string;

before(async () => {
  service = await startService();
  key = (await service.post("management/tenants/", { name: "Shop" }, { key: OPERATOR_KEY })).body["api_key"];
});
after(() => service.close());

test("a profile's max_in_flight is ten by default, and is changed like any field", async () => {
  const made = await service.post(PATH, SHOP, { key });
  assert.equal(made.body["max_in_flight"], 10);
  const path = `${PATH}${made.body["id"]}/`;
  const changed = await service.call("PATCH", path, { max_in_flight: 1 }, { key });
  assert.equal(changed.body["max_in_flight"], 1);
  assert.equal((await service.get(path, { key })).body["max_in_flight"], 1);
  const other = await service.post(PATH, { ...SHOP, max_in_flight: 100 }, { key });
  assert.equal(other.body["max_in_flight"], 100);
});

for (const [value, why] of [
  [0, "Ensure this value is at least 1."],
  [-1, "Ensure this value is at least 1."],
  [101, "Ensure this value is at most 100."],
  [1.5, "Must be a whole number."],
  ["5", "Must be a whole number."],
  [null, "This field may not be null."],
] as const) {
  test(`400: max_in_flight ${JSON.stringify(value)}: ${why}`, async () => {
    const { status, body } = await service.post(PATH, { ...SHOP, max_in_flight: value }, { key });
    assert.equal(status, 400);
    assert.deepEqual(body["max_in_flight"], [why]);
  });
}
