/** Generated references: one that is already used is replaced without an error. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { randomIds } from "../src/lib/ids.ts";
import { subscribe } from "./support/billing.ts";
import { createMerchant, IBAN, type Merchant } from "./support/merchant.ts";
import { startService, type Service } from "./support/service.ts";

let service: Service;
let merchant: Merchant;
/** The values that are drawn next, before random ones. */
let next: string[] = [];

before(async () => {
  service = await startService({
    ids: {
      ...randomIds,
      reference: (length) => next.shift()?.padEnd(length, "A") ?? randomIds.reference(length),
    },
  });
  merchant = await createMerchant(service);
});
after(() => service.close());

test("create draws another order number if the first is used in its tenant", async () => {
  next = ["TAKEN"];
  await merchant.session();
  next = ["TAKEN", "TAKEN", "FREE"];
  assert.equal((await merchant.create()).status, 201);
  assert.deepEqual(next, []);
  const other = await createMerchant(service);
  next = ["TAKEN"];
  assert.equal((await other.create()).status, 201);
  const numbers = await service.rows("select order_number from orders order by created_at");
  assert.deepEqual(
    numbers.map((row) => row["order_number"]),
    ["ORD-TAKENAAA", "ORD-FREEAAAA", "ORD-TAKENAAA"],
  );
});

test("pay draws another merchant transaction id or mandate reference if the first is used", async () => {
  const tokens = [await merchant.session(), await merchant.session()];
  next = ["TXN", "MND"];
  const first = await merchant.pay(tokens[0] ?? "", IBAN.approved);
  next = ["TXN", "MND1", "TXN2", "MND", "TXN3", "MND2"];
  const second = await merchant.pay(tokens[1] ?? "", IBAN.approved);
  assert.deepEqual([first.body["status"], second.body["status"]], ["completed", "completed"]);
  assert.deepEqual(next, []);
});

test("a refund draws another merchant transaction id if the first is used", async () => {
  const token = await merchant.session();
  next = ["REFUND"];
  const { body } = await merchant.pay(token, IBAN.approved);
  next = ["REFUND", "FREE"];
  const path = `management/transactions/${body["transaction"].id}/refunds/`;
  assert.equal((await service.post(path, {}, { key: merchant.key })).status, 201);
  assert.deepEqual(next, []);
});

test("a collection by hand draws another merchant transaction id if the first is used", async () => {
  next = ["BOUGHT", "BOUGHT", "BOUGHT"];
  const id = await subscribe(merchant, { billing_frequency: undefined });
  next = ["BOUGHT", "FREE2"];
  const { status, body } = await service.post(`management/subscriptions/${id}/collect/`, undefined, {
    key: merchant.key,
  });
  assert.deepEqual([status, next], [200, []]);
  assert.equal(body["cycles"].length, 1);
});
