/** The rules of an offer. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createRecord, createTenantKey } from "../../../tests/support/merchant.ts";
import { startService, type Json, type Service } from "../../../tests/support/service.ts";

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

test("TRIAL_RECURRING needs its unit and period, at creation and after a change", async () => {
  const needed = ["This field is required with TRIAL_RECURRING."];
  const both = { trial_interval_unit: needed, trial_period: needed, status_code: 400 };
  const refused = await service.post(
    "management/offers/",
    { ...OFFER, billing_type: "trial_recurring" },
    { key },
  );
  assert.deepEqual(refused.body, both);
  const { id } = await created("offers", OFFER);
  const path = `management/offers/${id}/`;
  assert.deepEqual(
    (await service.call("PATCH", path, { billing_type: "TRIAL_RECURRING" }, { key })).body,
    both,
  );
  const trial = {
    billing_type: "Trial_Recurring",
    trial_interval_unit: "week",
    trial_period: 2,
    trial_price: 0,
  };
  const changed = await service.call("PATCH", path, trial, { key });
  assert.deepEqual([changed.body["billing_type"], changed.body["trial_price"]], ["TRIAL_RECURRING", "0.00"]);
  const cleared = await service.call("PATCH", path, { trial_period: null }, { key });
  assert.deepEqual(cleared.body, { trial_period: needed, status_code: 400 });
});

test("amounts are answered with two decimals, whether they came as text or as a number", async () => {
  for (const [price, shown] of [
    ["7", "7.00"],
    [7.5, "7.50"],
    ["99999999.99", "99999999.99"],
  ] as const) {
    assert.equal((await created("offers", { ...OFFER, price }))["price"], shown);
  }
});

test("choices are accepted in any case, and shown as they are listed", async () => {
  const typed = {
    billing_type: "trial_Recurring",
    billing_frequency: "monthly",
    billing_day: "LAST",
    trial_interval_unit: "Week",
  };
  const made = await created("offers", { ...OFFER, ...typed, trial_period: 2, trial_price: 0 });
  assert.deepEqual(Object.fromEntries(Object.keys(typed).map((name) => [name, made[name]])), {
    billing_type: "TRIAL_RECURRING",
    billing_frequency: "MONTHLY",
    billing_day: "last",
    trial_interval_unit: "week",
  });
});
