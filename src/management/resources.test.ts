/** Every record is created, listed, changed and archived in the same way (contract: Management). */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createRecord, createTenantKey } from "../../tests/support/merchant.ts";
import { startService, type Json, type Service } from "../../tests/support/service.ts";

const OFFER = { name: "Plan", price: "19.90", currency: "EUR", billing_type: "ONE_OFF" };
const GATEWAY = { name: "Sandbox", adapter: "sandbox" };
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

type Fields = Readonly<Record<string, unknown>>;

/** The fields of a valid create, the defaults in its response, and one change. */
const RECORDS: readonly (readonly [resource: string, body: Fields, defaults: Fields, change: Fields])[] = [
  [
    "gateways",
    GATEWAY,
    {
      descriptor: null,
      test_mode: true,
      settings: {},
      completed_event_at: "acceptance",
      acceptance_after_debits: null,
      active: true,
    },
    { descriptor: "SHOP", active: false, completed_event_at: "settlement", acceptance_after_debits: 2 },
  ],
  [
    "webhook-profiles",
    PROFILE,
    {
      events: ["payment_session.completed"],
      payload_fields: {
        session_token: "session_token",
        status: "status",
        order_number: "order_number",
        amount: "amount",
        currency: "currency",
        email: "email",
        customer_name: "customer_name",
      },
      ascii_escape: false,
      active: true,
      disabled_reason: null,
    },
    {
      url: "https://shop.example.com/other",
      events: ["chargeback.created"],
      payload_fields: { ref: "lead_id" },
    },
  ],
  [
    "hosted-pages",
    { name: "Page" },
    {
      branding: { logo_url: null, primary_color: "#1f2937", accent_color: "#2563eb" },
      content: {},
      show_product_name: true,
      show_product_price: true,
      show_product_description: true,
      offer_overrides: {},
      success_redirect_url: null,
      failure_redirect_url: null,
      mandate_acceptance_mode: "checkbox",
      locale: null,
    },
    {
      content: { headline: "Fast da", nested: { any: [1, null, true] } },
      show_product_price: false,
      success_redirect_url: "https://shop.example.com/thanks?x=1#y",
      mandate_acceptance_mode: "IMPLICIT",
      locale: "de-AT",
    },
  ],
  [
    "integrations",
    { name: "Partner" },
    {
      provider: "generic",
      provider_active: true,
      active: true,
      key_mapping: {},
      has_postback_secret: false,
      read_url: null,
      has_read_token: false,
      read_paging: {
        style: "next_url",
        results_key: "results",
        next_key: "next",
        cursor_parameter: "cursor",
        page_parameter: "page",
        first_page: 1,
        since_parameter: "since",
        since_format: "iso8601",
      },
      payload_retention_days: 90,
      last_read_at: null,
      last_read_error: null,
    },
    {
      active: false,
      key_mapping: { our_ref: "ref", lead_id: "lead.id" },
      read_url: "https://partner.example.com/results?account=1",
      payload_retention_days: 1,
    },
  ],
  [
    "offers",
    OFFER,
    {
      price: "19.90",
      billing_frequency: null,
      trial_interval_unit: null,
      trial_period: null,
      trial_price: null,
      product_name: null,
      product_description: null,
    },
    {
      price: "5.00",
      billing_type: "RECURRING",
      billing_frequency: "MONTHLY",
      product_name: "Plan €",
    },
  ],
];

for (const [resource, body, defaults, change] of RECORDS) {
  test(`${resource}: created with defaults, read, listed, changed, archived, and readable after`, async () => {
    const made = await created(resource, body);
    for (const [field, value] of Object.entries({ ...body, ...defaults }))
      assert.deepEqual(made[field], value, field);
    assert.match(made["created_at"], /^\d{4}-\d\d-\d\dT.*Z$/);
    assert.equal(made["archived_at"], null);
    const path = `management/${resource}/${made["id"]}/`;
    const { signing_secret: _, ...shown } = made;
    assert.deepEqual((await service.get(path, { key })).body, shown);

    const listed = await service.get(`management/${resource}/`, { key });
    assert.deepEqual(listed.body["results"][0], shown);

    const changed = await service.call(
      "PATCH",
      path,
      { ...change, id: "x", tenant: 9, status: "?" },
      { key },
    );
    assert.equal(changed.status, 200, changed.text);
    // A profile's warnings depend on its events.
    const { warnings, ...rest } = changed.body;
    const { warnings: before, ...same } = shown;
    assert.equal(warnings === undefined, before === undefined);
    assert.deepEqual({ ...rest, updated_at: "" }, { ...same, ...change, updated_at: "" });

    const archived = await service.call("DELETE", path, undefined, { key });
    assert.deepEqual([archived.status, archived.text], [204, ""]);
    assert.equal((await service.call("DELETE", path, undefined, { key })).status, 204);
    const kept = (await service.get(path, { key })).body;
    assert.deepEqual({ ...kept, archived_at: null, updated_at: "" }, { ...changed.body, updated_at: "" });
    assert.notEqual(kept["archived_at"], null);
    assert.deepEqual(await listedIds(resource, made["id"]), { unasked: false, asked: true });
    assert.equal((await service.call("PATCH", path, change, { key })).status, 409);
  });
}

async function listedIds(resource: string, id: string) {
  const has = async (query: string) => {
    const { body } = await service.get(`management/${resource}/${query}`, { key });
    return body["results"].some((row: Json) => row["id"] === id);
  };
  return { unasked: await has(""), asked: await has("?archived=true") };
}

test("two concurrent changes are both kept, and the audit log has them one after the other", async () => {
  const { id } = await created("offers", { ...OFFER, name: "0" });
  const path = `management/offers/${id}/`;
  const changes = [...Array(10).keys()].flatMap((count) => [
    { product_name: `name ${count}` },
    { product_description: `description ${count}` },
  ]);
  await Promise.all(changes.map((change) => service.call("PATCH", path, change, { key })));
  const offer = (await service.get(path, { key })).body;
  assert.match(offer["product_name"], /^name/);
  assert.match(offer["product_description"], /^description/);

  const { body } = await service.get(`management/audit-log/?resource=offers&resource_id=${id}`, { key });
  const entries: Json[] = body["results"];
  assert.equal(entries.length, changes.length + 1);
  // A chain: the result of each change is the starting point of exactly one other.
  const befores = entries.flatMap(({ before }) => (before === null ? [] : [JSON.stringify(before)]));
  const afters = entries.map(({ after }) => JSON.stringify(after));
  assert.deepEqual(befores.toSorted(), afters.filter((text) => text !== sorted(offer)).toSorted());
  assert.equal(new Set(afters).size, afters.length);
});

/** Sorts the keys as jsonb does: the audit log's text of a record is found by its content. */
function sorted(record: Json): string {
  return JSON.stringify(Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => byLength(a, b))));
}

function byLength(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : 1);
}

test("POST with an Idempotency-Key makes one record", async () => {
  const headers = { "idempotency-key": "offer-1" };
  const first = await service.post("management/offers/", OFFER, { key, headers });
  const second = await service.post("management/offers/", OFFER, { key, headers });
  assert.equal(second.text, first.text);
});

test("an id in capitals is the same record, and what is sealed under it can be opened", async () => {
  const secret = "capital-secret-0001";
  const profile = await created("webhook-profiles", PROFILE);
  const partner = await created("integrations", { name: "Partner" });
  const capital = ({ id }: Json, resource: string) => `management/${resource}/${String(id).toUpperCase()}/`;
  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await service.call(method, path, body, { key });
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const change = { signing_secret: secret, url: "http://127.0.0.1:9/hook" };
  await send("PATCH", capital(profile, "webhook-profiles"), change);
  await send("POST", `management/webhook-profiles/${profile["id"]}/test/`, {});
  const rotated = await send("POST", `${capital(profile, "webhook-profiles")}rotate-secret/`, {
    signing_secret: secret,
  });
  assert.equal(rotated["signing_secret"], secret);
  await send("POST", `management/webhook-profiles/${profile["id"]}/test/`, {});
  const moved = await send("POST", `${capital(partner, "integrations")}rotate-token/`);
  const read = await send("GET", `management/integrations/${partner["id"]}/`);
  assert.equal(read["postback_url"], moved["postback_url"]);
});
