/** The id that a form carries: a form that is sent twice acts once, and its id is not accepted for another action. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { UNKNOWN, paidAt, wordsOf } from "../support/console.ts";
import { createSandbox } from "../support/merchant.ts";
import { createCompany, member, type Company, type Member } from "../support/people.ts";
import { startService, type Service } from "../support/service.ts";

let service: Service;
let shop: Company;
let owner: Member;
const payments: string[] = [];

before(async () => {
  service = await startService();
  shop = await createCompany(service);
  const gateway = await createSandbox(service, shop.key);
  owner = await member(service, shop, "owner");
  for (let made = 0; made < 2; made += 1)
    payments.push((await paidAt(service, shop.key, gateway))["transaction"].id);
});
after(() => service.close());

const ID = "018f0000-0000-7000-8000-00000000aaaa";
const USED = /This id was already used for something else/;

const refund = (payment: string | undefined, id: string) => {
  const page = `/console/payments/${payment}/`;
  return owner.browser.submit(page, `${page}refund/`, { id, amount: "5.00", reason: "" });
};

test("a refund's form with the id of another payment's refund refunds nothing, and the page says so", async () => {
  const [one, other] = payments;
  assert.equal((await refund(one, ID)).status, 303);
  assert.equal((await refund(one, ID)).status, 303, "the same form again");
  const refused = await refund(other, ID);
  assert.notEqual(refused.status, 303);
  assert.match(wordsOf(refused), USED);
  const refunds = await service.rows("select original_id from transactions where type = 'sdd_refund'");
  assert.deepEqual(refunds, [{ original_id: one }]);
  const own = await refund(other, other ?? "");
  assert.ok(own.status >= 400 && own.status < 500, "under the payment's own id");
});

test("an action with the id of another action is refused, not reported as done", async () => {
  const subscriptions = (await service.get("management/subscriptions/", { key: shop.key })).body["results"];
  const page = (id: string) => `/console/subscriptions/${id}/`;
  const [one, other] = subscriptions.map(({ id }: { id: string }) => id);
  const cancelled = await owner.browser.submit(page(one), `${page(one)}cancel/`, {
    id: UNKNOWN,
    when: "now",
  });
  assert.equal(cancelled.status, 303, cancelled.text);
  const collected = await owner.browser.submit(page(other), `${page(other)}collect/`, { id: UNKNOWN });
  assert.match(wordsOf(collected), USED);
});
