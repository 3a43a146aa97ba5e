/** POST /payment-sessions/ and GET /payment-sessions/{token}/: every field and rule of the contract, through HTTP. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createMerchant, createRecord, IBAN, lead, type Merchant } from "../support/merchant.ts";
import { startService, type Json, type Service } from "../support/service.ts";

let service: Service;
let merchant: Merchant;

before(async () => {
  service = await startService();
  merchant = await createMerchant(service);
});
after(() => service.close());

async function refused(changes: Record<string, unknown>): Promise<Json> {
  const response = await merchant.create(changes);
  assert.equal(response.status, 400, response.text);
  assert.equal(response.body["status_code"], 400);
  return response.body;
}

async function retrieved(token: string): Promise<Json> {
  const response = await merchant.retrieve(token);
  assert.equal(response.status, 200, response.text);
  return response.body;
}

const campaign = (changes: Record<string, unknown> = {}) =>
  merchant.create({
    campaign_id: merchant.campaignId,
    gateway_id: undefined,
    amount: undefined,
    currency: undefined,
    billing_type: undefined,
    ...changes,
  });

test("201: the token has 47 characters and prefix ps_, the status is PENDING, the page's URL holds the token", async () => {
  const { status, body, headers } = await merchant.create();
  assert.equal(status, 201);
  assert.match(body["session_token"], /^ps_[A-Za-z0-9_-]{44}$/);
  assert.deepEqual(body, {
    session_token: body["session_token"],
    status: "PENDING",
    payment_url: `http://pay.example.test/pay/${body["session_token"]}/`,
  });
  assert.equal(headers["cache-control"], "no-store");
  assert.match(String(headers["x-request-id"]), /^[A-Za-z0-9._-]+$/);
  assert.equal(headers["ratelimit-limit"], "50");
});

test("direct mode: gateway_id, amount, currency and billing_type are all required, with a message per field", async () => {
  const body = await refused({
    gateway_id: undefined,
    amount: undefined,
    currency: undefined,
    billing_type: undefined,
  });
  assert.deepEqual(Object.keys(body).toSorted(), [
    "amount",
    "billing_type",
    "currency",
    "gateway_id",
    "status_code",
  ]);
  for (const field of ["amount", "billing_type", "currency", "gateway_id"]) {
    assert.deepEqual(body[field], ["This field is required."]);
  }
});

test("all invalid fields are named at once, the lead's under lead", async () => {
  const body = await refused({
    lead: { first_name: "x".repeat(256), email: "nonsense", country: "Germany", phone: "1".repeat(51) },
    amount: "-1",
    max_payment_attempts: 11,
  });
  assert.deepEqual(Object.keys(body).toSorted(), ["amount", "lead", "max_payment_attempts", "status_code"]);
  assert.deepEqual(Object.keys(body["lead"]).toSorted(), [
    "country",
    "email",
    "first_name",
    "last_name",
    "phone",
  ]);
});

test("without a lead there is no session", async () => {
  assert.deepEqual((await refused({ lead: undefined }))["lead"], ["This field is required."]);
});

for (const [field, good, bad] of [
  [
    "amount",
    ["0.01", "12.5", "99999999.99", 10, 19.9],
    ["0", "0.001", "100000000.00", "1e2", "1,00", "", true, 10.005],
  ],
  ["currency", ["EUR"], ["eur", "EURO", "XXX", "USD", 978]],
  ["billing_type", ["ONE_OFF", "one_off", "RECURRING"], ["MONTHLY", "", 1]],
  [
    "billing_frequency",
    ["WEEKLY", "BIWEEKLY", "MONTHLY", "QUARTERLY", "SEMIANNUALLY", "YEARLY", null],
    ["DAILY", 7],
  ],
  ["trial_interval_unit", ["day", "week", "month", null], ["year"]],
  ["trial_period", [1, 30], [0, -1, 1.5, "7"]],
  ["trial_price", ["0", "0.00", "1.00"], ["-1", "x"]],
  ["max_payment_attempts", [1, 10], [0, 11, "3", 2.5]],
  [
    "customer_ip",
    ["203.0.113.7", "2001:db8::1", null],
    ["999.1.1.1", "1.2.3", "localhost", "fe80::1%eth0", 5],
  ],
  ["expires_in", [1800, 2_592_000], [1799, 2_592_001]],
  ["gateway_id", [], ["", "1", "018f0000-0000-7000-8000-000000000000"]],
  ["hosted_page_id", [null], ["x", "018f0000-0000-7000-8000-000000000000"]],
  ["webhook_profile_id", [null], ["x", "018f0000-0000-7000-8000-000000000000"]],
] as const) {
  test(`${field}: what the contract allows is accepted, anything else is a 400 on the field`, async () => {
    for (const value of good) {
      const { status, text } = await merchant.create({ [field]: value });
      assert.equal(status, 201, `${String(value)}: ${text}`);
    }
    for (const value of bad)
      assert.ok(Array.isArray((await refused({ [field]: value }))[field]), String(value));
  });
}

for (const [field, length] of [
  ["first_name", 255],
  ["last_name", 255],
  ["address", 500],
  ["city", 255],
  ["postal_code", 20],
  ["phone", 50],
] as const) {
  test(`lead.${field} accepts ${length} characters (code points), and not one more`, async () => {
    const taken = await merchant.create({ lead: lead({ [field]: "é".repeat(length) }) });
    assert.equal(taken.status, 201, taken.text);
    const body = await refused({ lead: lead({ [field]: "😀".repeat(length + 1) }) });
    assert.deepEqual(body["lead"][field], [`Ensure this field has no more than ${length} characters.`]);
  });
}

for (const field of ["first_name", "last_name", "email", "country"]) {
  test(`lead.${field} is required and may not be blank or null`, async () => {
    for (const value of [undefined, "", " ", null]) {
      assert.ok(
        Array.isArray((await refused({ lead: lead({ [field]: value }) }))["lead"][field]),
        String(value),
      );
    }
  });
}

for (const [email, ok] of [
  ["a@example.com", true],
  ["a+b@example.co.uk", true],
  ["o'hara@example.com", true],
  ["a@", false],
  ["@b.c", false],
  ["a@b@c.d", false],
  ["a@b..c", false],
  ["a\n@b.c", false],
  ["a@b.c\r\nBcc: x@y.z", false],
  ["a@[127.0.0.1]", false],
  [`${"a".repeat(65)}@example.com`, false],
  ["a@localhost", false],
] as const) {
  test(`lead.email ${JSON.stringify(email)} is ${ok ? "taken" : "refused"}`, async () => {
    const { status } = await merchant.create({ lead: lead({ email }) });
    assert.equal(status, ok ? 201 : 400);
  });
}

test("TRIAL_RECURRING needs its unit and period", async () => {
  const body = await refused({ billing_type: "TRIAL_RECURRING" });
  assert.deepEqual(Object.keys(body).toSorted(), ["status_code", "trial_interval_unit", "trial_period"]);
});

test("unknown fields are ignored", async () => {
  assert.equal((await merchant.create({ status: "COMPLETED", tenant_id: 1, livemode: true })).status, 201);
});

test("campaign mode takes price, currency and terms from the offer; the request overrides them", async () => {
  const plain = await retrieved((await campaign()).body["session_token"]);
  assert.deepEqual(
    [plain["amount"], plain["currency"], plain["offer"].billing_type],
    ["19.90", "EUR", "ONE_OFF"],
  );
  assert.equal(plain["campaign"].name, "Campaign");
  assert.equal(plain["offer"].name, "Plan");
  assert.equal(plain["attempts_remaining"], 3);
  const overridden = await campaign({
    amount: 5,
    billing_type: "recurring",
    billing_frequency: "YEARLY",
    max_payment_attempts: 7,
  });
  const changed = await retrieved(overridden.body["session_token"]);
  assert.deepEqual(
    [changed["amount"], changed["offer"].billing_type, changed["attempts_remaining"]],
    ["5.00", "RECURRING", 7],
  );
});

test("a campaign that is unknown, foreign, archived or switched off is a 400 on campaign_id", async () => {
  const other = await createMerchant(service);
  const messages = new Set<string>();
  for (const id of ["018f0000-0000-7000-8000-000000000000", other.campaignId]) {
    const response = await campaign({ campaign_id: id });
    assert.equal(response.status, 400);
    messages.add(response.text);
  }
  assert.equal(messages.size, 1);
  const made = await service.post(
    "management/campaigns/",
    { name: "Off", offer_id: merchant.offerId, gateway_id: merchant.gatewayId, active: false },
    { key: merchant.key },
  );
  assert.equal((await campaign({ campaign_id: made.body["id"] })).status, 400);
});

test("later edits of the offer change no open session", async () => {
  const { body } = await campaign();
  await service.call(
    "PATCH",
    `management/offers/${merchant.offerId}/`,
    { price: "99.00", name: "Dear" },
    { key: merchant.key },
  );
  const session = await retrieved(body["session_token"]);
  assert.deepEqual([session["amount"], session["offer"].name], ["19.90", "Plan"]);
  await service.call(
    "PATCH",
    `management/offers/${merchant.offerId}/`,
    { price: "19.90", name: "Plan" },
    { key: merchant.key },
  );
});

test("retrieve: without a hosted page only the campaign's name; with one its whole display", async () => {
  const s2s = await retrieved(await merchant.session());
  assert.deepEqual(s2s["campaign"], { name: "Shop" });
  assert.deepEqual(s2s["offer"], { name: "Shop", price: "19.90", currency: "EUR", billing_type: "ONE_OFF" });
  assert.deepEqual(Object.keys(s2s["lead"]), ["first_name", "last_name", "email"]);
  const hosted = await retrieved(await merchant.session({ hosted_page_id: merchant.hostedPageId }));
  assert.deepEqual(Object.keys(hosted["campaign"]).toSorted(), [
    "branding",
    "content",
    "failure_redirect_url",
    "name",
    "offer_overrides",
    "show_product_description",
    "show_product_name",
    "show_product_price",
    "success_redirect_url",
  ]);
  assert.deepEqual(Object.keys(hosted["campaign"].branding), ["logo_url", "primary_color", "accent_color"]);
  assert.equal(hosted["mandate"].acceptance_mode, "checkbox");
});

test("retrieve: what is sold is called as the request says, else as its page says, else as its offer says", async () => {
  const { id: offer_id } = await createRecord(service, merchant.key, "offers", {
    name: "Plan",
    price: "10.00",
    currency: "EUR",
    billing_type: "ONE_OFF",
    product_name: "The offer's",
    product_description: "The offer's words",
  });
  const soldWith = async (overrides: object, more: object) => {
    const { id } = await createRecord(service, merchant.key, "hosted-pages", {
      name: "Page",
      offer_overrides: overrides,
    });
    const { id: campaign_id } = await createRecord(service, merchant.key, "campaigns", {
      name: "C",
      offer_id,
      gateway_id: merchant.gatewayId,
      hosted_page_id: id,
    });
    const given = { amount: undefined, currency: undefined, billing_type: undefined, gateway_id: undefined };
    const { offer } = await retrieved(await merchant.session({ ...given, campaign_id, ...more }));
    return [offer.product_name, offer.product_description];
  };
  const page = { product_name: "The page's", product_description: "The page's words" };
  assert.deepEqual(await soldWith(page, { description: "The request's" }), [
    "The request's",
    "The page's words",
  ]);
  assert.deepEqual(await soldWith(page, {}), ["The page's", "The page's words"]);
  for (const none of [{}, { product_name: "", product_description: 1 }])
    assert.deepEqual(await soldWith(none, {}), ["The offer's", "The offer's words"]);
});

test("retrieve needs no key; unknown tokens are 404, and one address may ask once per second", async () => {
  const token = await merchant.session();
  assert.equal((await service.get(`payment-sessions/${token}/`)).status, 200);
  const from = "127.90.1.1";
  assert.equal((await service.get(`payment-sessions/${token}/`, { from })).status, 200);
  assert.equal((await service.get(`payment-sessions/${token}/`, { from })).status, 429);
  assert.equal(
    (await service.get(`payment-sessions/ps_${"A".repeat(44)}/`)).text,
    '{"detail":"Not found.","code":"not_found","status_code":404}',
  );
});

test("409: a lead with an active session gets no second one, however its e-mail address is written", async () => {
  const { status } = await merchant.create({ lead: lead({ email: "Once@Example.com" }) });
  assert.equal(status, 201);
  const second = await merchant.create({ lead: lead({ email: "once@example.com" }) });
  assert.equal(second.status, 409);
  assert.match(second.body["detail"], /cancel the existing session or use a different email/i);
});

test("409 names the lead's active session to its own tenant, and to no other one", async () => {
  const person = lead();
  const first = (await merchant.create({ lead: person })).body;
  const refused = (await merchant.create({ lead: person })).body;
  const { session_token, payment_url } = first;
  assert.deepEqual([refused["session_token"], refused["payment_url"]], [session_token, payment_url]);
  assert.equal((await merchant.retrieve(refused["session_token"])).body["status"], "PENDING");

  const other = await createMerchant(service);
  const theirs = (await other.create({ lead: person })).body;
  assert.notEqual(theirs["session_token"], session_token);
  const again = await other.create({ lead: person });
  assert.deepEqual([again.status, again.body["session_token"]], [409, theirs["session_token"]]);
});

test("50 concurrent creates for one lead: one 201, the others 409", async () => {
  const person = lead();
  const eager = await createMerchant(service);
  const answers = await Promise.all(Array.from({ length: 50 }, () => eager.create({ lead: person })));
  const created = answers.filter(({ status }) => status === 201);
  assert.equal(created.length, 1);
  assert.equal(answers.filter(({ status }) => status === 409).length, 49);
});

test("401: no key, a wrong one, one with a wrong prefix and a session token get the same words", async () => {
  const token = await merchant.session();
  const answers = await Promise.all(
    [
      undefined,
      `Bearer rk_${"x".repeat(40)}`,
      merchant.key,
      `Token ${merchant.key}`,
      `Bearer ${token}`,
      "Bearer ",
    ].map((authorization) =>
      service.post(
        "payment-sessions/",
        {},
        authorization === undefined ? {} : { headers: { authorization } },
      ),
    ),
  );
  assert.deepEqual(
    [...new Set(answers.map(({ status, text }) => `${status} ${text}`))],
    [
      '401 {"detail":"Authentication credentials were not provided or are invalid.","code":"unauthorized","status_code":401}',
    ],
  );
});

test("403: a key without the payments scope", async () => {
  const { body } = await service.post(
    "management/api-keys/",
    { name: "reader", scopes: ["reconciliation"] },
    { key: merchant.key },
  );
  const response = await service.post("payment-sessions/", {}, { key: body["api_key"] });
  assert.equal(response.status, 403);
  assert.equal(response.body["status_code"], 403);
});

test("429: 50 creates per second and key, with Retry-After and RateLimit headers", async () => {
  const eager = await createMerchant(service);
  const answers = await Promise.all(
    Array.from({ length: 80 }, () => service.post("payment-sessions/", {}, { key: eager.key })),
  );
  const throttled = answers.filter(({ status }) => status === 429);
  assert.ok(throttled.length >= 20 && throttled.length <= 30, String(throttled.length));
  assert.equal(throttled[0]?.headers["retry-after"], "1");
  assert.equal(throttled[0]?.headers["ratelimit-remaining"], "0");
});

test("Idempotency-Key: the first answer is replayed byte for byte; another body is 422", async () => {
  const body = {
    lead: lead(),
    gateway_id: merchant.gatewayId,
    amount: "5.00",
    currency: "EUR",
    billing_type: "ONE_OFF",
  };
  const options = { key: merchant.key, headers: { "idempotency-key": "create-1" } };
  const first = await service.post("payment-sessions/", body, options);
  const second = await service.post("payment-sessions/", body, options);
  assert.equal(first.status, 201, first.text);
  assert.deepEqual([second.status, second.text], [201, first.text]);
  assert.equal(second.headers["idempotent-replayed"], "true");
  const changed = await service.post("payment-sessions/", { ...body, amount: "6.00" }, options);
  assert.equal(changed.status, 422);
});

test("20 creates at once with one Idempotency-Key make one session", async () => {
  const body = {
    lead: lead(),
    gateway_id: merchant.gatewayId,
    amount: "5.00",
    currency: "EUR",
    billing_type: "ONE_OFF",
  };
  const options = { key: merchant.key, headers: { "idempotency-key": "create-many" } };
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => service.post("payment-sessions/", body, options)),
  );
  const tokens = new Set(
    answers.filter(({ status }) => status === 201).map((answer) => answer.body["session_token"]),
  );
  assert.equal(tokens.size, 1);
  assert.ok(
    answers.every(({ status }) => status === 201 || status === 409),
    answers.map(({ status }) => status).join(),
  );
});

test("a creation whose answer was lost is found by its Idempotency-Key: the same session, not a 409", async () => {
  const body = {
    lead: lead(),
    gateway_id: merchant.gatewayId,
    amount: "5.00",
    currency: "EUR",
    billing_type: "ONE_OFF",
  };
  const options = { key: merchant.key, headers: { "idempotency-key": "create-lost" } };
  const first = await service.post("payment-sessions/", body, options);
  // As if the process had died after the commit and its lock had run out.
  await service.rows(
    "update idempotency_keys set status = null, answer = null, locked_until = '2000-01-01' where key = 'create-lost'",
  );
  const second = await service.post("payment-sessions/", body, options);
  assert.deepEqual([second.status, second.body["session_token"]], [201, first.body["session_token"]]);
});

test("a gateway that does not collect the currency is a 400 on currency", async () => {
  assert.ok(Array.isArray((await refused({ currency: "CHF" }))["currency"]));
});

test("the customer's address goes to the gateway: customer_ip when given, else the caller's", async () => {
  const given = await merchant.session({ customer_ip: "203.0.113.7" });
  const paid = await merchant.pay(given, IBAN.approved);
  const [row] = await service.rows("select customer_ip from transactions where id = $1", [
    paid.body["transaction"].id,
  ]);
  assert.equal(row?.["customer_ip"], "203.0.113.7");
  const absent = await merchant.pay(await merchant.session(), IBAN.approved, {}, { from: "127.77.1.1" });
  const [other] = await service.rows("select customer_ip from transactions where id = $1", [
    absent.body["transaction"].id,
  ]);
  assert.equal(other?.["customer_ip"], "127.77.1.1");
});
