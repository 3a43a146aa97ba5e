/** A merchant's data of a purchase at create is returned in records and events, and shown on the page. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createMerchant, createRecord, IBAN, lead, type Merchant } from "../support/merchant.ts";
import { openPage, pathOf, payOnPage } from "../support/page.ts";
import { OPERATOR_KEY, startService, type Json, type Service } from "../support/service.ts";

let service: Service;
let merchant: Merchant;

before(async () => {
  service = await startService();
  merchant = await createMerchant(service);
  const hosts = { redirect_hosts: ["shop.example.com"] };
  const path = `management/tenants/${merchant.tenantId}/`;
  assert.equal((await service.call("PATCH", path, hosts, { key: OPERATOR_KEY })).status, 200);
  await createRecord(service, merchant.key, "webhook-profiles", {
    name: "Own",
    url: "https://example.com/hook",
    active: false,
    payload_fields: { order: "order_number", own: "metadata", ref: "tenant_reference_id" },
    events: ["payment_session.completed", "transaction.created", "transaction.status_changed"],
  });
});
after(() => service.close());

let references = 0;
const newReference = () => `cart-${(references += 1)}`;

async function recordOf(token: string): Promise<Json> {
  const { id } =
    (await service.rows("select id from sessions order by created_at desc, id desc limit 1"))[0] ?? {};
  const detail = await service.get(`management/payment-sessions/${id}/`, { key: merchant.key });
  assert.ok(detail.body["payment_url"].includes(token));
  return detail.body;
}

test("reference, metadata and description given at create are in the page, the record, the transaction and the event", async () => {
  const reference = newReference();
  const token = await merchant.session({
    tenant_reference_id: reference,
    metadata: { cart: "4711", source: "spring" },
    description: "Three bags of beans",
  });
  assert.match((await openPage(service, pathOf(token))).words, /Three bags of beans €19\.90/);
  await payOnPage(service, token, { iban: IBAN.approved });
  const record = await recordOf(token);
  assert.equal(record["tenant_reference_id"], reference);
  assert.deepEqual(record["metadata"], { cart: "4711", source: "spring" });
  assert.equal(record["attempts"][0].tenant_reference_id, reference);
  const [event] = await service.rows(
    "select payload from events where type = 'payment_session.completed' and payload ->> 'order_number' = $1",
    [record["order_number"]],
  );
  assert.deepEqual(event?.["payload"].metadata, { cart: "4711", source: "spring" });
  assert.equal(event?.["payload"].tenant_reference_id, reference);
});

test("the metadata of a session is in transaction events, also of its refunds and renewals, and in the list and its CSV", async () => {
  const metadata = { cart: "4712", note: '=1+1, "quoted"' };
  const token = await merchant.session({ metadata, billing_type: "RECURRING" });
  const paid = await merchant.pay(token, IBAN.approved);
  const { id } = paid.body["transaction"];
  const subscription = paid.body["subscription"].id;
  const { key } = merchant;
  const collected = await service.post(`management/subscriptions/${subscription}/collect/`, {}, { key });
  assert.ok(collected.status < 300, collected.text);
  await service.post(`management/transactions/${id}/refunds/`, { amount: "1.00" }, { key });
  const events = await service.rows(
    `select type, payload -> 'transaction' ->> 'type' as of, payload -> 'metadata' as metadata from events
      where type like 'transaction.%' and payload ->> 'order_number' = $1`,
    [paid.body["order"].order_number],
  );
  assert.deepEqual(events.map((event) => String(event["of"])).toSorted(), [
    "sdd_rebill",
    "sdd_refund",
    "sdd_sale",
  ]);
  for (const event of events) assert.deepEqual(event["metadata"], metadata, event["of"]);

  const listed = await service.get(`management/transactions/?subscription_id=${subscription}`, { key });
  assert.deepEqual(
    listed.body["results"].map((transaction: Json) => transaction["metadata"]),
    listed.body["results"].map(() => metadata),
  );
  const csv = await service.get(`management/transactions/export/?subscription_id=${subscription}`, { key });
  const [head = "", ...lines] = csv.text.trimEnd().split("\r\n");
  assert.ok(head.includes(",metadata,"));
  assert.equal(lines.length, 3);
  for (const line of lines)
    assert.ok(line.includes(`,"${JSON.stringify(metadata).replaceAll('"', '""')}",`), line);
});

test("after a decline the session's next attempt has the same reference", async () => {
  const reference = newReference();
  const token = await merchant.session({ tenant_reference_id: reference });
  await payOnPage(service, token, { iban: IBAN.insufficientFunds });
  const paid = await merchant.pay(token, IBAN.approved);
  assert.equal(paid.body["transaction"].tenant_reference_id, reference);
  const attempts = (await recordOf(token))["attempts"];
  assert.deepEqual(
    attempts.map((attempt: Json) => [attempt["status"], attempt["tenant_reference_id"]]),
    [
      ["declined", null],
      ["approved", reference],
    ],
  );
});

test("a reference is reserved by one session: another create or pay with it is a 409", async () => {
  const reference = newReference();
  await merchant.session({ tenant_reference_id: reference });
  const again = await merchant.create({ tenant_reference_id: reference });
  assert.equal(again.status, 409);
  assert.equal(again.body["detail"], "tenant_reference_id already in use for this tenant");
  const other = await merchant.session();
  const paid = await merchant.pay(other, IBAN.approved, { tenant_reference_id: reference });
  assert.equal(paid.status, 409);

  const used = newReference();
  await merchant.pay(other, IBAN.approved, { tenant_reference_id: used });
  assert.equal((await merchant.create({ tenant_reference_id: used })).status, 409);
});

test("of twelve sessions created at once with one reference, one has it", async () => {
  const reference = newReference();
  const made = await Promise.all(
    Array.from({ length: 12 }, () => merchant.create({ tenant_reference_id: reference, lead: lead() })),
  );
  const answered = Map.groupBy(made, ({ status }) => status);
  assert.deepEqual([answered.get(201)?.length, answered.get(409)?.length], [1, 11]);
});

test("an erased customer's metadata and addresses are gone", async () => {
  const token = await merchant.session({ metadata: { note: "for Ada" } });
  const { lead: person } = await recordOf(token);
  await merchant.cancel(token);
  const path = `management/customers/${person.id}/erase/`;
  const erased = await service.post(path, { reason: "asked" }, { key: merchant.key });
  assert.ok(erased.status < 300, erased.text);
  assert.equal((await recordOf(token))["metadata"], null);
});

test("the session's language comes before the browser's, its addresses before the page's; both are checked", async () => {
  const urls = {
    success_redirect_url: "https://shop.example.com/thanks/4711",
    cancel_redirect_url: "https://shop.example.com/cart/4711",
  };
  const token = await merchant.session({ locale: "fr-FR", ...urls });
  const form = await openPage(service, pathOf(token));
  assert.match(form.words, /Payer par prélèvement SEPA/);
  assert.match(form.text, /href="https:\/\/shop\.example\.com\/cart\/4711\?session_token=/);
  const receipt = await payOnPage(service, token, { iban: IBAN.approved });
  assert.match(receipt.text, /href="https:\/\/shop\.example\.com\/thanks\/4711\?session_token=/);

  const refused = await merchant.create({
    locale: "no language",
    success_redirect_url: "https://evil.example.com/",
    failure_redirect_url: "javascript:alert(1)",
    metadata: { nested: { not: "flat" } },
  });
  assert.equal(refused.status, 400);
  const { status_code: _, ...wrong } = refused.body;
  assert.deepEqual(Object.keys(wrong), ["metadata"]);
  const unsafe = await merchant.create({
    locale: "no language",
    success_redirect_url: "https://evil.example.com/",
    failure_redirect_url: "javascript:alert(1)",
  });
  assert.deepEqual(Object.keys(unsafe.body).toSorted(), [
    "failure_redirect_url",
    "locale",
    "status_code",
    "success_redirect_url",
  ]);
});
