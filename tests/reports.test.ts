/** Reads for a merchant's people: payments by their data, a payment's timeline, customers, search. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client } from "pg";
import type { Reader } from "../src/db/database.ts";
import { NEWEST_FIRST } from "../src/http/paging.ts";
import { catchUp } from "../src/jobs.ts";
import { manualClock } from "../src/lib/clock.ts";
import { listTransactions, type TransactionFilters } from "../src/reports/transactions/store.ts";
import { createMerchant, createRecord, IBAN, lead, type Merchant } from "./support/merchant.ts";
import { startService, type Json, type Service } from "./support/service.ts";

let service: Service;
let shop: Merchant;
let other: Merchant;

before(async () => {
  service = await startService();
  shop = await createMerchant(service);
  other = await createMerchant(service);
});
after(() => service.close());

interface Paid {
  readonly transaction: string;
  readonly reference: string;
  readonly session: string;
  readonly email: string;
}

/** A payment of a new customer. */
async function paid(
  merchant: Merchant,
  { iban = IBAN.approved, ...changes }: Record<string, unknown> & { iban?: string } = {},
): Promise<Paid> {
  const customer = lead(changes["lead"] as Record<string, unknown> | undefined);
  const created = await merchant.create({ ...changes, lead: customer });
  assert.equal(created.status, 201, created.text);
  const token: string = created.body["session_token"];
  const { body, text } = await merchant.pay(token, iban);
  assert.ok(body["transaction"], text);
  const email = String(customer["email"]);
  const listed = await service.get(`management/payment-sessions/?email=${email}`, { key: merchant.key });
  return {
    transaction: body["transaction"].id,
    reference: body["transaction"].merchant_transaction_id,
    session: listed.body["results"][0].id,
    email,
  };
}

async function found(query: string, as = shop): Promise<readonly Json[]> {
  const { status, body, text } = await service.get(`management/transactions/?${query}`, { key: as.key });
  assert.equal(status, 200, text);
  return body["results"];
}

const ids = (rows: readonly Json[]) => rows.map((row) => row["id"]);

async function searched(text: string, as = shop): Promise<readonly string[]> {
  const { status, body, text: answer } = await service.post("management/search/", { text }, { key: as.key });
  assert.equal(status, 200, answer);
  return body["results"].map((row: Json) => `${row["kind"]}:${row["id"]}`);
}

test("chargebacks of a campaign are those of its payments, also of ones that older code recorded", async () => {
  const seller = await createMerchant(service);
  const chargedBack = async (made: Paid): Promise<string> => {
    const body = { transaction_id: made.transaction };
    const {
      status,
      body: answer,
      text,
    } = await service.post("management/chargebacks/", body, { key: seller.key });
    assert.equal(status, 201, text);
    return answer["id"];
  };
  await chargedBack(await paid(seller));
  const chargeback = await chargedBack(
    await paid(seller, {
      campaign_id: seller.campaignId,
      gateway_id: undefined,
      amount: undefined,
      currency: undefined,
      billing_type: undefined,
    }),
  );
  const listed = async (campaign: string) => {
    const path = `management/chargebacks/?campaign_id=${campaign}`;
    return ids((await service.get(path, { key: seller.key })).body["results"]);
  };
  assert.deepEqual(await listed(seller.campaignId), [chargeback]);
  await service.rows("update chargebacks set campaign_id = null, campaign_known = false");
  assert.deepEqual(await listed(seller.campaignId), [chargeback]);
  assert.deepEqual(await listed(shop.campaignId), []);
});

test("transactions: each filter selects its matches, and combined filters the intersection", async () => {
  const plain = await paid(shop);
  const big = await paid(shop, { amount: "123.45", lead: { country: "AT", email: "big@example.com" } });
  const declined = await paid(shop, { iban: IBAN.insufficientFunds });
  const campaign = await paid(shop, {
    campaign_id: shop.campaignId,
    gateway_id: undefined,
    amount: undefined,
    currency: undefined,
    billing_type: undefined,
  });
  await paid(other, { amount: "123.45" });

  assert.deepEqual(
    ids(await found("")),
    [campaign, declined, big, plain].map((one) => one.transaction),
  );
  const cases: readonly (readonly [string, readonly Paid[]])[] = [
    ["status=declined", [declined]],
    ["status=declined,approved&amount_min=100", [big]],
    ["type=sdd_rebill", []],
    ["amount_min=123.45&amount_max=123.45", [big]],
    ["country=AT", [big]],
    ["email=BIG@example.com", [big]],
    [`campaign_id=${shop.campaignId}`, [campaign]],
    [`gateway_id=${shop.gatewayId}`, [campaign, declined, big, plain]],
    [`gateway_id=${other.gatewayId}`, []],
    [`session_id=${plain.session}`, [plain]],
    [`iban_last4=${IBAN.insufficientFunds.slice(-4)}`, [declined]],
    ["from=2020-01-01&to=2020-01-02", []],
    ["reason=insufficient_funds", [declined]],
    ["reason=AM99", []],
  ];
  for (const [query, expected] of cases) {
    assert.deepEqual(
      ids(await found(query)),
      expected.map((one) => one.transaction),
      query,
    );
  }
});

test("transactions of several statuses are listed newest first, each once, also at the edge of a page", async () => {
  const merchant = await createMerchant(service);
  const [approved, declined, open, another] = [
    await paid(merchant),
    await paid(merchant, { iban: IBAN.insufficientFunds }),
    await paid(merchant),
    await paid(merchant),
  ];
  await service.rows("update transactions set status = 'pending', processed_at = null where id = $1", [
    open.transaction,
  ]);
  for (const [statuses, expected] of [
    ["approved,declined", [another, declined, approved]],
    ["declined,pending", [open, declined]],
    ["pending,approved,declined", [another, open, declined, approved]],
    ["refunded,charged_back", []],
  ] as const)
    await assertListed(`status=${statuses}`, merchant, expected);
});

test("transactions of a reason are those declined for it, by our code or the gateway's, and those charged back for it, each once and newest first", async () => {
  const merchant = await createMerchant(service);
  const [first, second, standing, withdrawn, neither] = [
    await paid(merchant, { iban: IBAN.insufficientFunds }),
    await paid(merchant, { iban: IBAN.insufficientFunds }),
    await paid(merchant),
    await paid(merchant),
    await paid(merchant),
  ];
  const reason = "AM04";
  for (const { transaction } of [standing, withdrawn]) {
    const answer = await service.post(
      "management/chargebacks/",
      { transaction_id: transaction, reason_code: reason, report_date: new Date().toISOString() },
      { key: merchant.key },
    );
    assert.equal(answer.status, 201, answer.text);
  }
  await service.rows("update chargebacks set withdrawn_on = current_date where transaction_id = $1", [
    withdrawn.transaction,
  ]);
  await service.rows("update transactions set status = 'approved' where id = $1", [withdrawn.transaction]);
  const expected = [withdrawn, standing, second, first].map(({ transaction }) => transaction);
  assert.deepEqual(ids(await found(`reason=${reason}`, merchant)), expected);
  assert.deepEqual(ids(await found(`reason=${reason}&status=approved`, merchant)), [withdrawn.transaction]);
  assert.deepEqual(ids(await found(`reason=${reason}&status=declined`, merchant)), [
    second.transaction,
    first.transaction,
  ]);
  assert.deepEqual(ids(await found(`reason=${reason}&from=2099-01-01`, merchant)), []);
  assert.deepEqual(ids(await found("reason=insufficient_funds", merchant)), [
    second.transaction,
    first.transaction,
  ]);
  assert.ok(!expected.includes(neither.transaction));

  const older: string[] = [];
  let next: string | null = `management/transactions/?reason=${reason}&page_size=1`;
  let last: Json = {};
  while (next !== null) {
    last = (await service.get(next.replace(/^.*\/api\/v1\//, ""), { key: merchant.key })).body;
    older.push(...last["results"].map(({ id }: Json) => id));
    next = last["next"];
  }
  assert.deepEqual(older, expected, "page by page");
  const newer = await service.get(String(last["previous"]).replace(/^.*\/api\/v1\//, ""), {
    key: merchant.key,
  });
  assert.deepEqual(ids(newer.body["results"]), [expected.at(-2)], "and back");

  const csv = await service.get(`management/transactions/export/?reason=${reason}&columns=id`, {
    key: merchant.key,
  });
  assert.deepEqual(csv.text.trim().split("\r\n").slice(1), expected);
});

/** Reads a list page by page to its end and back to its beginning. @returns the ids of both, in the list's order. */
async function walked(
  query: string,
  merchant: Merchant,
  pageSize: number,
): Promise<{ readonly there: readonly string[]; readonly back: readonly string[] }> {
  const read = async (address: string) => {
    const path = address.replace(/^.*\/api\/v1\//, "");
    const { status, body, text } = await service.get(path, { key: merchant.key });
    assert.equal(status, 200, text);
    return body;
  };
  let page = await read(`management/transactions/?${query}&page_size=${pageSize}`);
  const there = [...ids(page["results"])];
  while (page["next"] !== null) {
    page = await read(page["next"]);
    there.push(...ids(page["results"]));
  }
  const back = [...ids(page["results"])];
  while (page["previous"] !== null) {
    page = await read(page["previous"]);
    back.unshift(...ids(page["results"]));
  }
  return { there, back };
}

async function assertListed(query: string, merchant: Merchant, expected: readonly Paid[]): Promise<void> {
  const wanted = expected.map(({ transaction }) => transaction);
  for (const pageSize of [1, 2, 3]) {
    const { there, back } = await walked(query, merchant, pageSize);
    assert.deepEqual(there, wanted, `${query}, pages of ${pageSize}`);
    assert.deepEqual(back, wanted, `${query}, pages of ${pageSize}, back`);
  }
  const csv = await service.get(`management/transactions/export/?${query}&columns=id`, { key: merchant.key });
  assert.deepEqual(csv.text.trim().split("\r\n").slice(1), wanted, `${query}, exported`);
}

test("a payment that has a reason in several places is listed once, also at the edge of a page, with few and with many such chargebacks", async () => {
  const merchant = await createMerchant(service);
  const reason = "insufficient_funds";
  const made: Paid[] = [];
  for (const iban of [
    IBAN.insufficientFunds,
    IBAN.insufficientFunds,
    IBAN.approved,
    IBAN.approved,
    IBAN.approved,
  ])
    made.push(await paid(merchant, { iban }));
  await paid(merchant);
  const [ours, both, standing, withdrawn, twice] = made.map(({ transaction }) => transaction);
  const charge = async (transaction_id: string | undefined) => {
    const report_date = new Date().toISOString();
    const given = { transaction_id, reason_code: reason, report_date };
    const answer = await service.post("management/chargebacks/", given, { key: merchant.key });
    assert.equal(answer.status, 201, answer.text);
  };
  const takeBack = async (id: string | undefined) => {
    await service.rows("update chargebacks set withdrawn_on = current_date where transaction_id = $1", [id]);
    await service.rows("update transactions set status = 'approved' where id = $1", [id]);
  };
  for (const id of [standing, withdrawn, twice]) await charge(id);
  for (const id of [withdrawn, twice]) await takeBack(id);
  await charge(twice);
  // The reason of the gateway is the same as ours, and remained when the payment was charged back later.
  await service.rows("update transactions set gateway_code = $1 where id = any ($2)", [
    reason,
    [both, standing, withdrawn],
  ]);
  const codes = await service.rows("select error_code, gateway_code from transactions where id = $1", [ours]);
  assert.deepEqual(codes, [{ error_code: reason, gateway_code: "AM04" }]);
  const newestFirst = made.toReversed();
  await assertListed(`reason=${reason}`, merchant, newestFirst);
  await service.rows(
    `insert into chargebacks (tenant, id, merchant_transaction_id, gateway_id, amount, currency, report_date, reason_code, source,
                              created_at, updated_at)
     select t.tenant, gen_random_uuid(), 'ANOTHER-' || n, t.gateway_id, 1, 'EUR', now(), $2, 'manual', now(), now()
       from transactions t, generate_series(1, 1001) n where t.id = $1`,
    [ours, reason],
  );
  await assertListed(`reason=${reason}`, merchant, newestFirst);
});

test("a payment whose account and whose mandate's account have the same ending is listed once, also at the edge of a page, with few and with many such mandates", async () => {
  const merchant = await createMerchant(service);
  const end = IBAN.approved.slice(-4);
  const made = [
    await paid(merchant),
    await paid(merchant),
    await paid(merchant, { iban: IBAN.insufficientFunds }),
    await paid(merchant),
  ];
  await paid(merchant, { iban: IBAN.insufficientFunds });
  const [ofMandate, ofBoth, ofOwn, ofBothToo] = made.map(({ transaction }) => transaction);
  // As for an imported payment.
  await service.rows("update transactions set iban_last4 = $1 where id = any ($2)", [
    end,
    [ofBoth, ofOwn, ofBothToo],
  ]);
  await assertListed(`iban_last4=${end}`, merchant, made.toReversed());
  await service.rows(
    `insert into mandates
     select made.*
       from transactions t join mandates m on m.tenant = t.tenant and m.id = t.mandate_id
      cross join generate_series(1, 1001) n
      cross join lateral jsonb_populate_record(
        null::mandates, to_jsonb(m) || jsonb_build_object('id', gen_random_uuid(), 'reference', 'MANY-' || n)) made
      where t.id = $1`,
    [ofMandate],
  );
  await assertListed(`iban_last4=${end}`, merchant, made.toReversed());
});

test("an export has every payment once, however many there are and even if they have the same time", async () => {
  const merchant = await createMerchant(service);
  const { transaction } = await paid(merchant);
  // More than the first two batches.
  await service.rows(
    `insert into transactions
     select made.*
       from transactions t cross join generate_series(1, 551) n
      cross join lateral jsonb_populate_record(
        null::transactions,
        to_jsonb(t) || jsonb_build_object('id', gen_random_uuid(), 'status', 'declined',
                                          'merchant_transaction_id', 'TXN-20000101-' || lpad(n::text, 8, '0'))) made
      where t.id = $1`,
    [transaction],
  );
  const csv = await service.get("management/transactions/export/?columns=id", { key: merchant.key });
  const exported = csv.text.trim().split("\r\n").slice(1);
  assert.deepEqual([exported.length, new Set(exported).size], [552, 552]);
});

const NO_FILTERS: TransactionFilters = {
  from: null,
  before: null,
  statuses: null,
  types: null,
  amountMin: null,
  amountMax: null,
  gatewayId: null,
  campaignId: null,
  paymentLinkId: null,
  country: null,
  reason: null,
  held: null,
  collectedTwice: null,
  ibanLast4: null,
  emailKey: null,
  leadId: null,
  sessionId: null,
  subscriptionId: null,
  mandateId: null,
};

test("a list is complete even if its later pages come from a replica that does not have all of it yet", async () => {
  const merchant = await createMerchant(service);
  const made = [await paid(merchant), await paid(merchant)];
  const [row] = await service.rows("select tenant from transactions where id = $1", [made[0]?.transaction]);
  const tenant: number = row?.["tenant"];
  let isBehind = true;
  const reader: Reader = {
    async query(statement, values) {
      const rows = await service.db.query(statement, values);
      if (!isBehind || statement.name !== "reports.show_transactions") return rows;
      isBehind = false;
      return rows.slice(1);
    },
  };
  const read = await listTransactions(reader, tenant, NO_FILTERS, { ...NEWEST_FIRST, limit: 10 });
  assert.equal(isBehind, false);
  assert.deepEqual(
    read.map(({ id }) => id),
    made.map(({ transaction }) => transaction).toReversed(),
  );
});

test("transactions: an unknown or empty filter is a 400 on its name", async () => {
  for (const [query, field] of [
    ["stauts=declined", "stauts"],
    ["status=lost", "status"],
    ["amount_min=-1", "amount_min"],
    ["amount_max=many", "amount_max"],
    ["iban_last4=30", "iban_last4"],
    ["from=2026-02-30", "from"],
    ["reason=%27", "reason"],
    ["country=Germany", "country"],
  ] as const) {
    const { status, body } = await service.get(`management/transactions/?${query}`, { key: shop.key });
    assert.deepEqual([status, Object.keys(body)], [400, [field, "status_code"]], query);
  }
});

test("transactions: the amounts refunded and still refundable are in the list and in the detail", async () => {
  const { transaction } = await paid(shop, { amount: "40.00" });
  const refund = await service.post(
    `management/transactions/${transaction}/refunds/`,
    { amount: "15.50", reason: "Broken cup" },
    { key: shop.key },
  );
  assert.equal(refund.status, 201, refund.text);
  const [row] = await found(`amount_min=40&amount_max=40`);
  assert.deepEqual([row?.["amount_refunded"], row?.["amount_refundable"]], ["15.50", "24.50"]);
  const [given] = await found("type=sdd_refund");
  assert.deepEqual(
    [given?.["original_id"], given?.["reason"], given?.["amount_refundable"]],
    [transaction, "Broken cup", "0.00"],
  );
});

test("transactions: the timeline has session, payment, refund, chargeback and webhooks, oldest first", async () => {
  const profile = await createRecord(service, shop.key, "webhook-profiles", {
    name: "Shop",
    url: "http://127.0.0.1:9/",
    events: ["payment_session.completed"],
  });
  const { transaction } = await paid(shop);
  await service.post(
    `management/transactions/${transaction}/refunds/`,
    { amount: "1.00" },
    { key: shop.key },
  );
  await service.post(
    "management/chargebacks/",
    { transaction_id: transaction, reason_code: "MD06" },
    { key: shop.key },
  );
  await catchUp(service.app.jobs);
  const { body } = await service.get(`management/transactions/${transaction}/`, { key: shop.key });
  const steps = body["timeline"].map((step: Json) =>
    `${step["kind"]} ${step["what"]} ${step["why"] ?? ""}`.trim(),
  );
  for (const expected of [
    "session PENDING created",
    "session COMPLETED approved",
    "payment created",
    "refund created",
    "chargeback charged_back MD06",
  ]) {
    assert.ok(steps.includes(expected), `${expected} in ${steps.join(" | ")}`);
  }
  assert.ok(
    steps.some((step: string) => step.startsWith("webhook payment_session.completed")),
    steps.join(" | "),
  );
  const times = body["timeline"].map((step: Json) => Date.parse(step["at"]));
  assert.deepEqual(
    times,
    times.toSorted((a: number, b: number) => a - b),
  );
  await service.call("DELETE", `management/webhook-profiles/${profile["id"]}/`, undefined, { key: shop.key });
});

test("transactions: simultaneous events are listed after their cause", async () => {
  const stopped = await startService({ clock: manualClock(new Date("2026-11-23T08:00:00Z")) });
  try {
    const merchant = await createMerchant(stopped);
    const { body: session } = await merchant.create({ lead: lead() });
    const { body: answer } = await merchant.pay(session["session_token"], IBAN.approved);
    const { body } = await stopped.get(`management/transactions/${answer["transaction"].id}/`, {
      key: merchant.key,
    });
    const steps: readonly Json[] = body["timeline"];
    assert.equal(new Set(steps.map(({ at }) => at)).size, 1, "all at one time");
    const told = steps.map(({ kind, what }) => `${kind} ${what}`);
    const order = ["session PENDING", "payment created", "payment approved", "session COMPLETED"];
    assert.deepEqual(
      told.filter((step) => order.includes(step)),
      order,
      told.join(" | "),
    );
  } finally {
    await stopped.close();
  }
});

test("customers: of a payment that was charged back in part the rest is collected, less its refunds", async () => {
  const { email, transaction } = await paid(shop);
  const totals = async (): Promise<Json> => {
    const { body } = await service.get(`management/customers/?email=${email}`, { key: shop.key });
    const [one] = body["results"] as readonly Json[];
    const path = `management/customers/${one?.["id"]}/`;
    return (await service.get(path, { key: shop.key })).body["totals"];
  };
  const refund = { amount: "5.00" };
  await service.post(`management/transactions/${transaction}/refunds/`, refund, { key: shop.key });
  const chargeback = { transaction_id: transaction, amount: "10.00", reason_code: "MD06" };
  const made = await service.post("management/chargebacks/", chargeback, { key: shop.key });
  assert.equal(made.status, 201, made.text);
  assert.deepEqual(await totals(), [
    {
      currency: "EUR",
      payments: 1,
      collected: "4.90",
      pending: "0",
      refunded: "5.00",
      charged_back: "10.00",
    },
  ]);
  await service.rows("update chargebacks set amount = 19.90 where transaction_id = $1", [transaction]);
  assert.deepEqual(await totals(), [
    {
      currency: "EUR",
      payments: 1,
      collected: "0.00",
      pending: "0",
      refunded: "5.00",
      charged_back: "19.90",
    },
  ]);
});

test("customers: found by e-mail and by the beginning of a name, with the amount that remains of their payments", async () => {
  const { email, transaction } = await paid(shop, {
    lead: { first_name: "Zoë", last_name: "Quark-Muster", email: "zoe@example.com" },
  });
  await service.post(
    `management/transactions/${transaction}/refunds/`,
    { amount: "9.90" },
    { key: shop.key },
  );
  const list = async (query: string, as = shop) =>
    (await service.get(`management/customers/?${query}`, { key: as.key })).body["results"] as readonly Json[];
  const [one] = await list(`email=${email.toUpperCase()}`);
  assert.equal(one?.["last_name"], "Quark-Muster");
  for (const name of ["quark", "Quark-M", "ZO"])
    assert.deepEqual(ids(await list(`name=${name}`)), [one?.["id"]], name);
  assert.deepEqual(await list("name=quark", other), []);
  assert.deepEqual(await list("name=%25"), [], "a wildcard is a character like others");
  const { body } = await service.get(`management/customers/${one?.["id"]}/`, { key: shop.key });
  assert.deepEqual(body["totals"], [
    { currency: "EUR", payments: 1, collected: "10.00", pending: "0", refunded: "9.90", charged_back: "0" },
  ]);
  assert.deepEqual(
    body["mandates"].map((mandate: Json) => mandate["iban_last4"]),
    [IBAN.approved.slice(-4)],
  );
});

test("search: finds a payment by everything that a person may know about it, and no record of another tenant", async () => {
  const mine = await paid(shop, {
    amount: "77.31",
    lead: { first_name: "Grace", last_name: "Findme", email: "grace.findme@example.com" },
  });
  const detail = (await service.get(`management/transactions/${mine.transaction}/`, { key: shop.key })).body;
  const payment = `transaction:${mine.transaction}`;
  const customer = `customer:${detail["lead_id"]}`;
  const mandate = `mandate:${detail["mandate_id"]}`;
  for (const [text, expected] of [
    ["grace.findme@example.com", customer],
    ["grace.findme@", customer],
    ["findme", customer],
    ["Grace Findme", customer],
    ["findme grace", customer],
    [`grace ${IBAN.approved.slice(-4)}`, payment],
    [`Findme, ${IBAN.approved.slice(-4)}`, payment],
    [`findme g ${IBAN.approved.slice(-4)}`, payment],
    [`findme 9999`, undefined],
    [`nobody ${IBAN.approved.slice(-4)}`, undefined],
    [detail["order_number"].toLowerCase(), payment],
    [detail["merchant_transaction_id"].toLowerCase(), payment],
    [` ${detail["merchant_transaction_id"]} `, payment],
    [detail["transaction_id"], payment],
    [detail["mandate_reference_id"], mandate],
    [IBAN.approved.replaceAll(/(.{4})/g, "$1 "), mandate],
    [IBAN.approved.slice(-4), mandate],
    ["77.31", payment],
    ["77,31 €", payment],
    ["EUR 77.31", payment],
    [mine.transaction, payment],
    [detail["lead_id"], customer],
    ["%", undefined],
    ["' or 1=1 --", undefined],
    ["\u0000", undefined],
  ] as const) {
    const here = await service.post("management/search/", { text }, { key: shop.key });
    if (text === "\u0000") {
      assert.equal(here.status, 400, here.text);
      continue;
    }
    const kinds = await searched(text);
    if (expected === undefined) assert.deepEqual(kinds, [], text);
    else assert.ok(kinds.includes(expected), `${text}: ${kinds.join(" ")}`);
    const theirs = await searched(text, other);
    assert.ok(!theirs.some((one) => kinds.includes(one)), `${text} of another tenant`);
  }
});

test("needs attention: counts the records of the own tenant that need a person, each with its list", async () => {
  const fresh = await createMerchant(service);
  const attention = async (as: Merchant) =>
    (await service.get("management/needs-attention/", { key: as.key })).body["results"] as readonly Json[];
  assert.deepEqual(await attention(fresh), [], "nothing waits at the start");
  const tenant = (await service.rows("select tenant from tenants where id = $1", [fresh.tenantId]))[0]?.[
    "tenant"
  ];
  await createRecord(service, fresh.key, "webhook-profiles", {
    name: "Shop",
    url: "http://127.0.0.1:9/",
    events: ["payment_session.completed"],
  });
  await paid(fresh, { billing_type: "RECURRING", billing_frequency: "MONTHLY" });
  await paid(fresh, { iban: IBAN.answerLost });
  await catchUp(service.app.jobs);
  const owner = new Client({ connectionString: service.ownerUrl });
  await owner.connect();
  try {
    for (const change of [
      "update webhook_deliveries set status = 'exhausted', due_at = null where tenant = $1",
      "update webhook_profiles set disabled_reason = 'gone', active = false where tenant = $1",
      "update subscriptions set status = 'PAST_DUE' where tenant = $1",
      "update mandates set last_used_at = now() - interval '35 months' where tenant = $1 and status = 'active'",
      `update transactions set created_at = now() - interval '61 minutes', status = 'unresolved',
              resolve_at = now() + interval '1 hour', processed_at = null
        where tenant = $1 and id = (select id from transactions where tenant = $1 order by created_at desc limit 1)`,
    ]) {
      await owner.query(change, [tenant]);
    }
  } finally {
    await owner.end();
  }
  const waiting = await attention(fresh);
  assert.deepEqual(
    waiting.map((one) => one["kind"]),
    [
      "unresolved_payments",
      "switched_off_receivers",
      "exhausted_deliveries",
      "past_due_subscriptions",
      "lapsing_mandates",
    ],
  );
  for (const { kind, count, list } of waiting as readonly { kind: string; count: number; list: string }[]) {
    const shown = await service.get(list.replace("/api/v1/", ""), { key: fresh.key });
    assert.equal(shown.status, 200, `${kind}: ${shown.text}`);
    assert.ok(count >= 1 && shown.body["results"].length >= count, kind);
  }
  assert.deepEqual(await attention(await createMerchant(service)), [], "another tenant's is not counted");
});
