/** POST /payment-sessions/{token}/pay/: every line of the contract about it, through HTTP. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { loseAnswer } from "../support/lost-answer.ts";
import { createMerchant, IBAN, lead, type Merchant } from "../support/merchant.ts";
import { freshAddress, startService, type Json, type Response, type Service } from "../support/service.ts";

let service: Service;
let merchant: Merchant;

before(async () => {
  service = await startService();
  merchant = await createMerchant(service);
});
after(() => service.close());

const ENVELOPE_KEYS = [
  "object",
  "session_token",
  "status",
  "livemode",
  "created_at",
  "processed_at",
  "order_number",
  "verification_url",
  "error",
  "retry_allowed",
  "amount",
  "currency",
  "transaction",
  "order",
  "subscription",
  "lead",
  "payment_method",
  "sepa",
  "adapter",
  "payment_gateway",
  "error_details",
].toSorted();

async function status(token: string): Promise<Json> {
  return (await merchant.retrieve(token)).body;
}

function result(response: Response): Json {
  assert.equal(response.status, 200, response.text);
  return response.body;
}

test("200 completed: an approved payment answers with the whole envelope", async () => {
  const token = await merchant.session();
  const body = result(await merchant.pay(token, IBAN.approved, { tenant_reference_id: "order-1" }));
  assert.deepEqual(Object.keys(body).toSorted(), ENVELOPE_KEYS);
  assert.match(body["transaction"].merchant_transaction_id, /^TXN-\d{8}-[0-9A-Z]{8}$/);
  assert.match(body["order_number"], /^ORD-[0-9A-Z]{8}$/);
  assert.match(body["sepa"].mandate_reference, /^[A-Z0-9-]{1,35}$/);
  assert.match(body["created_at"], /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.ok(typeof body["transaction"].gateway_reference === "string");
  const { transaction, order, lead, sepa, created_at, processed_at, ...rest } = body;
  assert.ok(created_at <= processed_at);
  assert.deepEqual(rest, {
    object: "payment_session.result",
    session_token: token,
    status: "completed",
    livemode: false,
    order_number: order.order_number,
    verification_url: null,
    error: null,
    retry_allowed: false,
    amount: "19.90",
    currency: "EUR",
    subscription: null,
    payment_method: {
      type: "sepa_debit",
      iban_last4: "3000",
      iban_country: "DE",
      bic: "COBADEFFXXX",
      bank_name: rest["payment_method"].bank_name,
      holder_name: "Ada Example",
    },
    adapter: { name: "Sandbox" },
    payment_gateway: { id: merchant.gatewayId, name: "Sandbox", descriptor: null, test_mode: true },
    error_details: null,
  });
  assert.match(rest["payment_method"].bank_name, /Commerzbank/i);
  assert.deepEqual(
    { ...transaction, id: "", merchant_transaction_id: "", gateway_reference: "" },
    {
      id: "",
      merchant_transaction_id: "",
      gateway_reference: "",
      tenant_reference_id: "order-1",
      status: "approved",
      type: "sdd_sale",
    },
  );
  assert.equal(order.status, "COMPLETED");
  assert.deepEqual(Object.keys(lead), ["id"]);
  assert.deepEqual(
    { ...sepa, mandate_reference: "" },
    { mandate_reference: "", sequence_type: "FRST", creditor_identifier: null },
  );
  assert.equal((await status(token))["status"], "COMPLETED");
});

test("a success writes exactly one completed event, with the fact; a decline writes none", async () => {
  const token = await merchant.session();
  result(await merchant.pay(token, IBAN.declined));
  const order = result(await merchant.pay(token, IBAN.approved))["order_number"];
  const events = await service.rows(
    "select type, payload from events where payload ->> 'order_number' = $1",
    [order],
  );
  assert.equal(events.length, 1);
  assert.equal(events[0]?.["type"], "payment_session.completed");
  assert.equal(events[0]?.["payload"].amount, "19.90");
});

test("a RECURRING purchase starts a subscription whose next date is one cycle after today", async () => {
  const token = await merchant.session({ billing_type: "RECURRING", billing_frequency: "WEEKLY" });
  const { subscription } = result(await merchant.pay(token, IBAN.approved));
  const today = service.app.deps.clock.now().toISOString().slice(0, 10);
  assert.equal(subscription.status, "ACTIVE");
  assert.equal(subscription.billing_frequency, "WEEKLY");
  assert.equal(subscription.next_billing_date, Temporal.PlainDate.from(today).add({ weeks: 1 }).toString());
});

test("RECURRING without a frequency has no next date: renewals are triggered by the merchant", async () => {
  const token = await merchant.session({ billing_type: "RECURRING" });
  const { subscription } = result(await merchant.pay(token, IBAN.approved));
  assert.equal(subscription.billing_frequency, null);
  assert.equal(subscription.next_billing_date, null);
});

test("a free trial collects nothing: other_type, 0.00, first collection at its end", async () => {
  const token = await merchant.session({
    billing_type: "TRIAL_RECURRING",
    billing_frequency: "MONTHLY",
    trial_interval_unit: "day",
    trial_period: 14,
  });
  const body = result(await merchant.pay(token, IBAN.approved));
  const today = service.app.deps.clock.now().toISOString().slice(0, 10);
  assert.equal(body["status"], "completed");
  assert.equal(body["amount"], "0.00");
  assert.equal(body["transaction"].type, "other_type");
  assert.equal(
    body["subscription"].next_billing_date,
    Temporal.PlainDate.from(today).add({ days: 14 }).toString(),
  );
});

test("a paid trial collects its own price today", async () => {
  const token = await merchant.session({
    billing_type: "TRIAL_RECURRING",
    trial_interval_unit: "week",
    trial_period: 1,
    trial_price: "1.00",
  });
  const body = result(await merchant.pay(token, IBAN.approved));
  assert.equal(body["amount"], "1.00");
  assert.equal(body["transaction"].type, "sdd_sale");
});

test("declined with attempts left: the session stays PENDING and the same order is reopened by the next attempt", async () => {
  const token = await merchant.session();
  const first = result(await merchant.pay(token, IBAN.insufficientFunds));
  assert.equal(first["status"], "declined");
  assert.equal(first["retry_allowed"], true);
  assert.equal(first["order"].status, "FAILED");
  assert.equal(first["transaction"].status, "declined");
  assert.equal(first["error_details"].code, "insufficient_funds");
  assert.equal(first["error_details"].gateway_code, "AM04");
  assert.equal(first["error"], first["error_details"].message);
  const retrieved = await status(token);
  assert.deepEqual([retrieved["status"], retrieved["attempts_remaining"]], ["PENDING", 2]);
  const second = result(await merchant.pay(token, IBAN.approved));
  assert.equal(second["order"].id, first["order"].id);
  assert.equal(second["order"].status, "COMPLETED");
});

test("declined with none left: failed, the session ends, a later pay is 410 and the lead is free", async () => {
  const person = { first_name: "Bob", last_name: "Example", email: "bob@example.com", country: "DE" };
  const token = await merchant.session({ max_payment_attempts: 1, lead: person });
  const body = result(await merchant.pay(token, IBAN.declined));
  assert.equal(body["status"], "failed");
  assert.equal(body["retry_allowed"], false);
  assert.equal((await status(token))["status"], "EXPIRED");
  const later = await merchant.pay(token, IBAN.approved);
  assert.equal(later.status, 410);
  assert.deepEqual(later.body, {
    detail: "Session expired or completed",
    code: "session_closed",
    status_code: 410,
  });
  assert.equal((await merchant.create({ lead: person })).status, 201);
});

test("verification required: awaiting_verification with its URL, at least 60 minutes more, and no second pay", async () => {
  const token = await merchant.session({ expires_in: 1800 });
  const body = result(await merchant.pay(token, IBAN.verification));
  assert.equal(body["status"], "awaiting_verification");
  assert.match(
    body["verification_url"],
    /^http:\/\/pay\.example\.test\/sandbox\/verifications\/[0-9a-f-]{36}$/,
  );
  assert.equal(body["error_details"], null);
  assert.equal(body["transaction"].status, "pending");
  assert.equal(body["order"].status, "PENDING");
  assert.equal((await status(token))["status"], "AWAITING_VERIFICATION");
  const [row] = await service.rows("select expires_at from sessions where open_transaction_id = $1", [
    body["transaction"].id,
  ]);
  assert.ok(row?.["expires_at"].getTime() >= service.app.deps.clock.now().getTime() + 59 * 60_000);
  assert.equal((await merchant.pay(token, IBAN.approved)).status, 409);
});

for (const [name, iban, message] of [
  ["a wrong checksum", "DE00370400440532013000", /checksum|check digits/i],
  ["4,000 characters", `DE89${"0".repeat(4_000)}`, /too long/],
  ["a valid one outside SEPA", "TR330006100519786457841326", /SEPA/],
  ["full-width digits", "DE８９370400440532013000", /letters A to Z/],
] as const) {
  test(`an IBAN that cannot be debited (${name}) is declined without attempt, transaction or reference`, async () => {
    const token = await merchant.session();
    const body = result(await merchant.pay(token, iban, { tenant_reference_id: `free-${name}` }));
    assert.equal(body["status"], "declined");
    assert.equal(body["error_details"].code, "invalid_iban");
    assert.match(body["error_details"].message, message);
    assert.equal(body["transaction"], null);
    assert.equal(body["retry_allowed"], true);
    assert.equal(body["order"].status, "PENDING_PAYMENT_SUBMISSION");
    assert.deepEqual(Object.keys(body).toSorted(), ENVELOPE_KEYS);
    assert.equal((await status(token))["attempts_remaining"], 3);
    const again = result(await merchant.pay(token, IBAN.approved, { tenant_reference_id: `free-${name}` }));
    assert.equal(again["status"], "completed");
  });
}

for (const [what, terms, amount] of [
  ["its price", {}, "19.90"],
  [
    "that of the trial",
    { billing_type: "TRIAL_RECURRING", trial_interval_unit: "week", trial_period: 1, trial_price: "1.00" },
    "1.00",
  ],
  ["nothing", { billing_type: "TRIAL_RECURRING", trial_interval_unit: "week", trial_period: 1 }, "0.00"],
] as const)
  test(`of a session whose first payment is ${what}, a payment without an attempt and the search have that amount`, async () => {
    const token = await merchant.session(terms);
    const body = result(await merchant.pay(token, "DE00370400440532013000"));
    assert.equal(body["amount"], amount);
    const text = body["order"].order_number;
    const found = await service.post("management/search/", { text }, { key: merchant.key });
    assert.deepEqual(
      found.body["results"].map((row: Json) => row["amount"]),
      [amount],
      found.text,
    );
  });

test("a gateway that was certainly not reached costs no attempt", async () => {
  const token = await merchant.session();
  const body = result(await merchant.pay(token, IBAN.unreachable));
  assert.deepEqual(
    [body["status"], body["error_details"].code, body["retry_allowed"], body["transaction"].status],
    ["declined", "gateway_unavailable", true, "declined"],
  );
  assert.equal((await status(token))["attempts_remaining"], 3);
});

for (const [iban, code, gatewayCode] of [
  ["DE62370400440532013001", "do_not_honor", "MS03"],
  ["DE34370400440532013020", "insufficient_funds", "AM04"],
  ["DE07370400440532013021", "invalid_iban", "AC01"],
  ["DE77370400440532013022", "mandate_rejected", "MD01"],
  ["DE50370400440532013023", "account_closed", "AC04"],
  ["DE23370400440532013024", "do_not_honor", "AG01"],
  ["DE66370400440532013026", "unknown", "ZZ99"],
] as const) {
  test(`${iban} is declined as ${code}, the bank's code ${gatewayCode} kept, one attempt used`, async () => {
    const token = await merchant.session();
    const body = result(await merchant.pay(token, iban));
    assert.deepEqual(
      [body["status"], body["error_details"].code, body["error_details"].gateway_code, body["retry_allowed"]],
      ["declined", code, gatewayCode, true],
    );
    assert.equal(typeof body["error_details"].message, "string");
    assert.equal((await status(token))["attempts_remaining"], 2);
  });
}

for (const [iban, bic, bankName] of [
  ["NL91ABNA0417164300", "ABNANL2A", "ABN AMRO BANK N.V."],
  ["FR1420041010050500013M02606", "PSSTFRPPBOR", "LA BANQUE POSTALE"],
  ["MT84MALT011000012345MTLCAST001S", null, null],
] as const) {
  test(`${iban} is approved: any valid SEPA IBAN without a row of its own`, async () => {
    const body = result(await merchant.pay(await merchant.session(), iban));
    assert.deepEqual([body["status"], body["payment_method"].iban_country], ["completed", iban.slice(0, 2)]);
    assert.deepEqual([body["payment_method"].bic, body["payment_method"].bank_name], [bic, bankName]);
  });
}

test("an account whose credentials cannot be opened charges nothing: declined, the attempt given back", async () => {
  const broken = await createMerchant(service);
  const token = await broken.session();
  await service.rows("update gateways set credentials = '\\x0100' where id = $1", [broken.gatewayId]);
  const body = result(await broken.pay(token, IBAN.approved));
  assert.deepEqual(
    [body["status"], body["error_details"].code, body["retry_allowed"]],
    ["declined", "gateway_unavailable", true],
  );
  assert.equal((await broken.retrieve(token)).body["attempts_remaining"], 3);
});

test("an unknown outcome holds the session: failed, no retry, further pays 409, until the gateway is asked", async () => {
  const token = await merchant.session();
  const body = result(await merchant.pay(token, IBAN.answerLost));
  assert.deepEqual(
    [
      body["status"],
      body["error_details"].code,
      body["retry_allowed"],
      body["transaction"].status,
      body["order"].status,
    ],
    ["failed", "gateway_unavailable", false, "pending", "PENDING"],
  );
  assert.equal((await status(token))["status"], "PENDING");
  const second = await merchant.pay(token, IBAN.approved);
  assert.equal(second.status, 409);
  assert.ok(Number(second.headers["retry-after"]) >= 1);
});

test("a pending (asynchronous) acceptance completes the session with a pending transaction and order", async () => {
  const token = await merchant.session();
  const body = result(await merchant.pay(token, IBAN.pending));
  assert.deepEqual(
    [body["status"], body["transaction"].status, body["order"].status],
    ["completed", "pending", "PENDING"],
  );
  assert.equal((await status(token))["status"], "COMPLETED");
});

test("400 per field: missing and blank fields, all at once", async () => {
  const token = await merchant.session();
  const missing = await service.post(`payment-sessions/${token}/pay/`, {});
  assert.equal(missing.status, 400);
  assert.deepEqual(Object.keys(missing.body).toSorted(), ["iban", "iban_holder_name", "status_code"]);
  assert.equal(missing.body["status_code"], 400);
  const blank = await service.post(`payment-sessions/${token}/pay/`, {
    iban: " ",
    iban_holder_name: "\t",
    tenant_reference_id: " \u00a0",
  });
  assert.deepEqual(Object.keys(blank.body).toSorted(), [
    "iban",
    "iban_holder_name",
    "status_code",
    "tenant_reference_id",
  ]);
  assert.equal((await status(token))["attempts_remaining"], 3);
});

test("400: a tenant_reference_id of 256 characters; 255, null and none are accepted", async () => {
  const token = await merchant.session();
  assert.equal(
    (await merchant.pay(token, IBAN.declined, { tenant_reference_id: "x".repeat(256) })).status,
    400,
  );
  const long = result(await merchant.pay(token, IBAN.declined, { tenant_reference_id: "é".repeat(255) }));
  assert.equal(long["transaction"].tenant_reference_id, "é".repeat(255));
  assert.equal(
    result(await merchant.pay(token, IBAN.declined, { tenant_reference_id: null }))["transaction"]
      .tenant_reference_id,
    null,
  );
});

test("409: a tenant_reference_id may be used once per tenant, and the session stays payable", async () => {
  const first = await merchant.session();
  result(await merchant.pay(first, IBAN.declined, { tenant_reference_id: "once" }));
  const second = await merchant.session();
  const taken = await merchant.pay(second, IBAN.approved, { tenant_reference_id: "once" });
  assert.equal(taken.status, 409);
  assert.deepEqual(taken.body, {
    detail: "tenant_reference_id already in use for this tenant",
    code: "tenant_reference_taken",
    status_code: 409,
  });
  assert.deepEqual(
    [(await status(second))["status"], (await status(second))["attempts_remaining"]],
    ["PENDING", 3],
  );
  assert.equal(
    result(await merchant.pay(second, IBAN.approved, { tenant_reference_id: "once " }))["status"],
    "completed",
  );
  const other = await createMerchant(service);
  const foreign = result(
    await other.pay(await other.session(), IBAN.approved, { tenant_reference_id: "once" }),
  );
  assert.equal(foreign["status"], "completed");
});

test("410: a completed and a cancelled session take no payment", async () => {
  const completed = await merchant.session();
  result(await merchant.pay(completed, IBAN.approved));
  const cancelled = await merchant.session();
  assert.equal((await merchant.cancel(cancelled)).status, 200);
  for (const token of [completed, cancelled]) {
    const response = await merchant.pay(token, IBAN.approved);
    assert.equal(response.status, 410);
    assert.equal(response.body["detail"], "Session expired or completed");
  }
});

test("404: unknown, forged and malformed tokens answer the same, whatever the body", async () => {
  const token = await merchant.session();
  const forged = `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`;
  const answers = await Promise.all(
    [forged, `ps_${"A".repeat(44)}`, "ps_short", "rk_nonsense"].map((unknown) =>
      merchant.pay(unknown, IBAN.approved),
    ),
  );
  answers.push(await service.post(`payment-sessions/${forged}/pay/`, "not json"));
  for (const { status: code, text } of answers) {
    assert.equal(code, 404);
    assert.equal(text, '{"detail":"Not found.","code":"not_found","status_code":404}');
  }
});

test("429: one pay per second and address, with Retry-After; an API key of the tenant counts per key instead", async () => {
  const token = await merchant.session();
  const from = freshAddress();
  result(await merchant.pay(token, "DE00", {}, { from }));
  const second = await merchant.pay(token, "DE00", {}, { from });
  assert.equal(second.status, 429);
  assert.equal(second.headers["retry-after"], "1");
  assert.match(second.body["detail"], /^Request was throttled\. Expected available in 1 second(s)?\.$/);
  assert.equal(second.body["status_code"], 429);
  for (let i = 0; i < 5; i += 1) {
    assert.equal((await merchant.pay(token, "DE00", {}, { from, key: merchant.key })).status, 200);
  }
});

test("a body whose content type is empty, wrong or malformed is refused with what to do", async () => {
  const token = await merchant.session();
  const path = `payment-sessions/${token}/pay/`;
  assert.equal((await service.post(path, "{")).status, 400);
  assert.equal((await service.post(path, "[]")).status, 400);
  const text = await service.post(path, "iban=x", { headers: { "content-type": "text/plain" } });
  assert.equal(text.status, 415);
  assert.equal(text.body["status_code"], 415);
  const large = await service.post(path, { iban: "x".repeat(256 * 1024), iban_holder_name: "x" });
  assert.equal(large.status, 413);
  assert.equal(large.body["status_code"], 413);
});

test("the path without its trailing slash is served too; another method is 405 with Allow", async () => {
  const token = await merchant.session();
  const response = await service.post(`payment-sessions/${token}/pay`, {
    iban: IBAN.approved,
    iban_holder_name: "Ada",
  });
  assert.equal(response.body["status"], "completed");
  const wrong = await service.get(`payment-sessions/${token}/pay/`);
  assert.equal(wrong.status, 405);
  assert.match(String(wrong.headers["allow"]), /POST/);
  assert.equal(wrong.body["status_code"], 405);
});

test("the refusals of create, pay, verify and cancel have a code each, so that programs need not read their words", async () => {
  const person = { lead: lead() };
  const token = await merchant.session(person);
  const codes = async (answer: Promise<Response>) => {
    const { status, body } = await answer;
    return `${status} ${body["code"]} ${body["status_code"]}`;
  };
  assert.equal(await codes(merchant.create(person)), "409 lead_has_active_session 409");
  assert.equal(await codes(merchant.verify(token)), "409 verification_not_expected 409");
  const other = await merchant.session();
  await merchant.pay(other, IBAN.approved, { tenant_reference_id: "coded" });
  assert.equal(
    await codes(merchant.pay(token, IBAN.approved, { tenant_reference_id: "coded" })),
    "409 tenant_reference_taken 409",
  );
  assert.equal(await codes(merchant.cancel(other)), "409 session_completed 409");
  assert.equal(await codes(merchant.pay(other, IBAN.approved)), "410 session_closed 410");
  const verified = await merchant.session();
  await merchant.pay(verified, IBAN.verification);
  assert.equal(await codes(merchant.pay(verified, IBAN.approved)), "409 verification_awaited 409");
  const held = await merchant.session();
  await merchant.pay(held, IBAN.answerLost);
  assert.equal(await codes(merchant.pay(held, IBAN.approved)), "409 payment_in_progress 409");
  assert.equal(await codes(merchant.cancel(held)), "409 payment_in_progress 409");
});

/** Pays under an Idempotency-Key whose stored answer is lost afterwards. */
async function payAndLose(token: string, iban: string, key: string): Promise<Response> {
  const paid = await merchant.pay(token, iban, {}, { headers: { "idempotency-key": key } });
  await loseAnswer(service, key);
  return paid;
}

/** What the bank was asked, and what is known of it. */
function attemptsOf({ body }: Response): Promise<readonly Json[]> {
  return service.rows(
    `select t.id, t.status, t.tenant_reference_id, s.attempts_used, b.reference is not null as asked
       from sessions s
       join orders o on o.tenant = s.tenant and o.session_id = s.id
       join transactions t on t.tenant = s.tenant and t.session_id = s.id
       left join sandbox_books b on b.tenant = t.tenant and b.reference = t.merchant_transaction_id
      where o.order_number = $1 order by t.id`,
    [body["order_number"]],
  );
}

for (const [what, iban] of [
  ["declined", IBAN.declined],
  ["approved", IBAN.approved],
  ["of unknown outcome", IBAN.answerLost],
  ["to be verified", IBAN.verification],
] as const)
  test(`a payment ${what} whose answer was lost is answered again under its Idempotency-Key, without another attempt`, async () => {
    const token = await merchant.session({ tenant_reference_id: `lost-${what}` });
    const first = await payAndLose(token, iban, `pay-${what}`);
    const attempts = await attemptsOf(first);
    assert.deepEqual([first.status, attempts.length], [200, 1], first.text);
    const again = await payAndLose(token, iban, `pay-${what}`);
    assert.deepEqual([again.status, again.body], [200, first.body]);
    assert.deepEqual(await attemptsOf(first), attempts);
  });

test("a payment whose process died before the gateway's answer is answered as of unknown outcome under its Idempotency-Key", async () => {
  const token = await merchant.session();
  const first = await payAndLose(token, IBAN.answerLost, "pay-dead");
  await service.rows(
    "update transactions set status = 'submitted', error_code = null, error_message = null, gateway_message = null where id = $1",
    [first.body["transaction"].id],
  );
  const { gateway_message: _, ...known } = first.body["error_details"];
  const again = result(await payAndLose(token, IBAN.answerLost, "pay-dead"));
  assert.deepEqual(
    [again["status"], again["retry_allowed"], again["transaction"], again["error_details"]],
    ["failed", false, first.body["transaction"], { ...known, gateway_message: null }],
  );
});

test("a declined payment whose answer was lost is answered as declined after the next one was approved", async () => {
  const token = await merchant.session();
  const paid = await payAndLose(token, IBAN.declined, "pay-before");
  const first = result(paid);
  const second = result(await merchant.pay(token, IBAN.approved));
  assert.deepEqual([first["retry_allowed"], second["status"]], [true, "completed"]);
  const attempts = await attemptsOf(paid);
  const again = result(await payAndLose(token, IBAN.declined, "pay-before"));
  assert.deepEqual(
    [again["transaction"], again["error_details"]],
    [first["transaction"], first["error_details"]],
  );
  assert.deepEqual([again["status"], again["retry_allowed"]], ["failed", false]);
  assert.deepEqual(await attemptsOf(paid), attempts);
});

test("a payment that made no attempt, as one refused with 409, is tried when it is repeated", async () => {
  const [taken, token] = [await merchant.session(), await merchant.session()];
  result(await merchant.pay(taken, IBAN.approved, { tenant_reference_id: "taken-first" }));
  const pay = () =>
    merchant.pay(
      token,
      IBAN.approved,
      { tenant_reference_id: "taken-first" },
      { headers: { "idempotency-key": "pay-refused" } },
    );
  assert.equal((await pay()).status, 409);
  await loseAnswer(service, "pay-refused");
  await service.rows(
    "update transactions set tenant_reference_id = null where tenant_reference_id = 'taken-first'",
  );
  assert.equal(result(await pay())["status"], "completed");
});
