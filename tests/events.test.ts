/** Which changes become events, and what the events contain (contract: Events). */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createMerchant, createRecord, IBAN, lead, type Merchant } from "./support/merchant.ts";
import { startService, type Json, type Service } from "./support/service.ts";

let service: Service;
let merchant: Merchant;
const ALL = [
  "payment_session.completed",
  "transaction.created",
  "transaction.status_changed",
  "chargeback.created",
];

before(async () => {
  service = await startService();
  merchant = await createMerchant(service);
  const profile = { name: "All", url: "https://example.com/hook", events: ALL };
  assert.equal(
    (await service.post("management/webhook-profiles/", profile, { key: merchant.key })).status,
    201,
  );
});
after(() => service.close());

function eventsOf(orderNumber: string): Promise<readonly Json[]> {
  return service.rows(
    "select type, payload from events where payload ->> 'order_number' = $1 order by created_at, id",
    [orderNumber],
  );
}

async function paid(iban: string): Promise<Json> {
  return (await merchant.pay(await merchant.session(), iban, { tenant_reference_id: `ref-${iban}` })).body;
}

const tick = () => service.post("management/sandbox/tick/", undefined, { key: merchant.key });
const types = (events: readonly Json[]) => events.map((event): string => event["type"]).toSorted();

// Holds EVENT-6.
test("an approved payment emits the events of a completed session and of a created transaction with its record, whose IBAN is masked", async () => {
  const body = await paid(IBAN.approved);
  const events = await eventsOf(body["order_number"]);
  assert.deepEqual(types(events), ["payment_session.completed", "transaction.created"]);
  const { payload } = events.find((event) => event["type"] === "transaction.created") ?? {};
  assert.deepEqual(Object.keys(payload).toSorted(), [
    "livemode",
    "metadata",
    "order_number",
    "tenant_reference_id",
    "transaction",
  ]);
  const { transaction } = payload;
  assert.equal(transaction.id, body["transaction"].id);
  assert.equal(transaction.iban, "******************3000");
  assert.deepEqual(
    [
      transaction.status,
      transaction.amount,
      transaction.transaction_id,
      transaction.source,
      transaction.payment_gateway_id,
    ],
    ["approved", "19.90", body["transaction"].gateway_reference, "api_submission", merchant.gatewayId],
  );
  assert.equal(payload.tenant_reference_id, `ref-${IBAN.approved}`);
});

test("a decline emits no webhook", async () => {
  assert.deepEqual(await eventsOf((await paid(IBAN.declined))["order_number"]), []);
});

for (const [iban, status, more] of [
  [IBAN.pending, "approved", []],
  [IBAN.returned, "declined", []],
  [IBAN.chargedBack, "charged_back", ["chargeback.created"]],
] as const) {
  // Holds EVENT-4.
  test(`at settlement ${iban} becomes ${status}, with one event`, async () => {
    const body = await paid(iban);
    const before = body["transaction"].status;
    await tick();
    await tick();
    const events = await eventsOf(body["order_number"]);
    assert.deepEqual(types(events), [
      ...more,
      "payment_session.completed",
      "transaction.created",
      "transaction.status_changed",
    ]);
    const changed = events.find((event) => event["type"] === "transaction.status_changed")?.["payload"];
    assert.deepEqual([changed.previous_status, changed.transaction.status], [before, status]);
    const chargeback = events.find((event) => event["type"] === "chargeback.created")?.["payload"].chargeback;
    if (chargeback !== undefined) {
      assert.deepEqual(
        [chargeback.reason_code, chargeback.transaction_id, chargeback.amount, chargeback.iban],
        ["MD06", body["transaction"].id, "19.90", "******************3002"],
      );
    }
  });
}

test("events about transactions are not written if no profile of the tenant subscribes to them", async () => {
  const other = await createMerchant(service);
  const { body } = await other.pay(await other.session(), IBAN.approved);
  assert.deepEqual(types(await eventsOf(body["order_number"])), ["payment_session.completed"]);
});

for (const [completed_event_at, iban, told] of [
  ["acceptance", IBAN.pending, { transaction_status: "pending", order_status: "PENDING" }],
  ["settlement", IBAN.pending, { transaction_status: "approved", order_status: "COMPLETED" }],
  ["settlement", IBAN.approved, { transaction_status: "approved", order_status: "COMPLETED" }],
  ["acceptance", IBAN.approved, { transaction_status: "approved", order_status: "COMPLETED" }],
] as const) {
  test(`a completed event at ${completed_event_at} says whether the payment has settled: ${told.transaction_status} (${iban})`, async () => {
    const shop = await createMerchant(service, { completed_event_at });
    const { body } = await shop.pay(await shop.session(), iban);
    await service.post("management/sandbox/tick/", undefined, { key: shop.key });
    const events = await eventsOf(body["order_number"]);
    const { payload } = events.find((event) => event["type"] === "payment_session.completed") ?? {};
    const { transaction_status, order_status, status } = payload;
    assert.deepEqual({ transaction_status, order_status, status }, { ...told, status: "COMPLETED" });
  });
}

test("a profile that does not subscribe to returns and chargebacks has a warning in each response", async () => {
  const { key } = await createMerchant(service);
  const profile = {
    name: "Shop",
    url: "https://example.com/hook",
    payload_fields: { paid: "transaction_status", order: "order_status" },
  };
  const made = await service.post("management/webhook-profiles/", profile, { key });
  assert.equal(made.status, 201, made.text);
  const named = (body: Json) =>
    (body["warnings"] as readonly string[]).map((words) => / to ([a-z_.]+),/.exec(words)?.[1]);
  assert.deepEqual(named(made.body), ["transaction.status_changed", "chargeback.created"]);
  const path = `management/webhook-profiles/${made.body["id"]}/`;
  assert.deepEqual(named((await service.get(path, { key })).body), named(made.body));
  for (const [events, warned] of [
    [["payment_session.completed", "chargeback.created"], ["transaction.status_changed"]],
    [["payment_session.completed", "transaction.status_changed", "chargeback.created"], []],
    [["transaction.created"], []],
  ] as const) {
    const changed = await service.call("PATCH", path, { events }, { key });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual(named(changed.body), warned);
  }
});

test("the completed event is sent at settlement, or at acceptance for customers with two settled debits and no returned one", async () => {
  const account = await createRecord(service, merchant.key, "gateways", {
    name: "Trusting",
    adapter: "sandbox",
    completed_event_at: "settlement",
    acceptance_after_debits: 2,
  });
  const payAs = async (email: string, iban: string) => {
    const token = await merchant.session({ gateway_id: account["id"], lead: lead({ email }) });
    const { body } = await merchant.pay(token, iban);
    return (await eventsOf(body["order_number"])).some(({ type }) => type === "payment_session.completed");
  };
  const good = "known@example.com";
  assert.equal(await payAs(good, IBAN.pending), false, "nobody is known at first");
  await tick();
  assert.equal(await payAs(good, IBAN.pending), false, "one settled debit is not two");
  await tick();
  assert.equal(await payAs(good, IBAN.pending), true);
  assert.equal(await payAs("stranger@example.com", IBAN.pending), false);

  const bad = "bounced@example.com";
  for (const iban of [IBAN.approved, IBAN.approved, IBAN.chargedBack]) await payAs(bad, iban);
  await tick();
  assert.equal(await payAs(bad, IBAN.pending), false, "one of this customer's debits came back");
});

test("the feed has only the tenant's events, newest first, in pages, by type and by whole days in UTC", async () => {
  const shop = await createMerchant(service);
  const written = [
    ["2026-03-01T23:59:59.999Z", "payment_session.completed"],
    ["2026-03-02T00:00:00Z", "payment_session.expired"],
    ["2026-03-02T12:00:00Z", "payment_session.completed"],
    ["2026-03-02T12:00:00Z", "payment_session.completed"],
    ["2026-03-02T23:59:59.999Z", "payment_session.completed"],
    ["2026-03-03T00:00:00Z", "payment_session.completed"],
  ] as const;
  const ids = written.map((_, n) => `018f0000-0000-7000-8000-00000000e00${n}`);
  for (const [n, [at, type]] of written.entries())
    await service.rows(
      `insert into events (tenant, id, type, payload, created_at, fanned_out_at)
       select tenant, $2, $3, '{}', $4, $4 from gateways where id = $1`,
      [shop.gatewayId, ids[n], type, at],
    );
  const list = async (query: string, key = shop.key): Promise<readonly number[]> => {
    const found: number[] = [];
    for (let next: string | null = `management/events/?${query}`; next !== null;) {
      const { status, body, text } = await service.get(next, { key });
      assert.equal(status, 200, text);
      found.push(...body["results"].map((event: Json) => ids.indexOf(event["id"])));
      next = body["next"] === null ? null : body["next"].slice(body["next"].indexOf("management/"));
    }
    return found;
  };
  for (const [query, expected] of [
    ["", [5, 4, 3, 2, 1, 0]],
    ["page_size=1", [5, 4, 3, 2, 1, 0]],
    ["page_size=4", [5, 4, 3, 2, 1, 0]],
    ["from=2026-03-02", [5, 4, 3, 2, 1]],
    ["to=2026-03-02", [4, 3, 2, 1, 0]],
    ["from=2026-03-02&to=2026-03-02&page_size=2", [4, 3, 2, 1]],
    ["type=payment_session.expired", [1]],
    ["type=chargeback.created", []],
  ] as const)
    assert.deepEqual(await list(query), expected, query);
  assert.ok((await list("", merchant.key)).every((event) => event === -1));
});
