/** Exports of the list of payments: exactly its rows, with the right to export, recorded in the audit log. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { parse } from "csv-parse/sync";
import { paidAt, wordsOf } from "../support/console.ts";
import { createSandbox, lead } from "../support/merchant.ts";
import { readSpreadsheet } from "../support/spreadsheet.ts";
import { createCompany, member, type Company, type Member } from "../support/people.ts";
import { OPERATOR_KEY, startService, type Json, type Service } from "../support/service.ts";

let service: Service;
let shop: Company;
let gateway: string;
let finance: Member;
let viewer: Member;

before(async () => {
  service = await startService();
  shop = await createCompany(service);
  gateway = await createSandbox(service, shop.key);
  finance = await member(service, shop, "finance");
  viewer = await member(service, shop, "viewer");
});
after(() => service.close());

/** The address of a link on the list of payments. */
function linkOf(text: string, path: string): string {
  const [, address = ""] = new RegExp(`href="(/console/payments/${path}[^"]*)"`).exec(text) ?? [];
  return address.replaceAll("&#38;", "&");
}

const rowsOf = (text: string): readonly Record<string, string>[] => parse(text, { columns: true });

for (const [typed, asked] of [
  ["19,90", "19.90"],
  ["19.90", "19.90"],
  ["10", "10"],
  ["1.234,56", null],
  ["1,234.56", null],
  ["a lot", null],
] as const) {
  test(`the filter amount "${typed}" means ${asked ?? "nothing, and is reported as invalid"}`, async () => {
    const page = await finance.browser.get(`/console/payments/?amount_min=${encodeURIComponent(typed)}`);
    assert.equal(page.status, 200);
    assert.equal(/name="amount_min"[^>]*value="([^"]*)"/.exec(page.text)?.[1] || null, asked);
    assert.equal(/amount_min: Must be an amount/.test(page.text), asked === null);
  });
}

test("the button on the list exports what its filters show, as the API does, with the person in the audit log", async () => {
  const evil = "=1+1";
  const small = await paidAt(service, shop.key, gateway, { amount: "5.00" });
  const large = await paidAt(service, shop.key, gateway, {
    amount: "50.00",
    lead: lead({ first_name: evil }),
  });
  const page = await finance.browser.get("/console/payments/?amount_min=10&nonsense=1");
  const before = linkOf(page.text, "export/");
  assert.equal(before, "/console/payments/export/?amount_min=10");
  const asked = await finance.browser.get(before);
  assert.match(wordsOf(asked), /Payments 1 Filters Amount: 10 – Columns Amount, Status, Customer,/);
  const path = linkOf(asked.text, "export.csv");
  assert.equal(path, "/console/payments/export.csv?amount_min=10");
  const csv = await finance.browser.get(path);
  assert.match(String(csv.headers["content-disposition"]), /^attachment; filename="payments_[\d-]+\.csv"$/);
  const [row, ...others] = rowsOf(csv.text);
  assert.deepEqual([row?.["signed_amount"], row?.["currency"], others], ["50.00", "EUR", []]);
  assert.match(row?.["customer_name"] ?? "", /^'=1\+1/, "no spreadsheet runs it");
  assert.match(row?.["iban"] ?? "", /^\*+3000$/);

  const columns = Object.keys(row ?? {}).join(",");
  const api = await service.get(`management/transactions/export/?amount_min=10&columns=${columns}`, {
    key: shop.key,
  });
  assert.equal(api.text, csv.text);
  const [whole] = rowsOf(
    (await service.get("management/transactions/export/?amount_min=10", { key: shop.key })).text,
  );
  const list = await service.get(`management/transactions/${large["transaction"].id}/`, { key: shop.key });
  for (const [name, value] of Object.entries(whole ?? {}))
    if (name !== "customer_name") assert.equal(value, String(list.body[name] ?? ""), name);
  assert.equal(Object.keys(whole ?? {}).length, Object.keys(list.body).length - 1, "all but the timeline");
  const all = rowsOf((await finance.browser.get("/console/payments/export.csv?columns=reference")).text);
  assert.deepEqual(
    all.map((one) => one["merchant_transaction_id"]),
    [large["transaction"].merchant_transaction_id, small["transaction"].merchant_transaction_id],
  );

  const audit = await service.get("management/audit-log/?resource=transactions", { key: shop.key });
  assert.deepEqual(
    audit.body["results"].map((one: Json) => [one["action"], one["after"]]),
    [
      ["export", { columns: "reference" }],
      ["export", { amount_min: "10" }],
      ["export", { amount_min: "10", columns }],
      ["export", { amount_min: "10" }],
    ],
  );
});

/** The table's headings. */
function headings(text: string): readonly string[] {
  return [...text.matchAll(/<th scope="col"[^>]*>([^<]*)<\/th>/g)].map(([, title]) => title ?? "");
}

test("the address chooses columns and their order, for the list and for what it exports", async () => {
  const { browser } = finance;
  assert.deepEqual(headings((await browser.get("/console/payments/")).text), [
    "Amount",
    "Status",
    "Customer",
    "Type",
    "Account ends in",
    "Date",
  ]);
  const chosen = await browser.get("/console/payments/?columns.date=1&columns.gateway=1&columns=amount,date");
  assert.deepEqual(headings(chosen.text), ["Date", "Gateway", "Amount"]);
  assert.doesNotMatch(chosen.text, /<t[hd][^>]*spare/, "phones leave out nothing that was chosen");
  const boxes = [...chosen.text.matchAll(/name="columns\.(\w+)"\s+value="1"\s+(checked)?/g)];
  assert.deepEqual(
    boxes.slice(0, 4).map(([, name, checked]) => [name, checked]),
    [
      ["date", "checked"],
      ["gateway", "checked"],
      ["amount", "checked"],
      ["status", undefined],
    ],
  );
  const before = await browser.get(linkOf(chosen.text, "export/"));
  assert.match(wordsOf(before), /No filter is set: .* Columns Date, Gateway, Amount /);
  const { text } = await browser.get(linkOf(before.text, "export.csv"));
  assert.equal(text.split("\r\n")[0], "created_at,gateway_name,signed_amount,currency");
  const filters = chosen.text.replace(/<details name="filter" class="columns">.*?<\/details>/s, "");
  assert.match(filters, /name="columns"\s+value="date,gateway,amount,date"/, "filters keep the columns");

  const unknown = await browser.get("/console/payments/?columns=amount,iban_cipher");
  assert.match(unknown.text, /columns: Must be a comma-separated list of amount, status/);
  assert.equal(headings(unknown.text).length, 6, "what cannot be read is left out, as filters are");
  const refused = await service.get("management/transactions/export/?columns=amount,iban_cipher", {
    key: shop.key,
  });
  assert.equal(refused.status, 400);
  assert.match(refused.body["columns"][0], /^Must be a comma-separated list of id, /);
});

test("a refund is negative in an export, as in the list, so that a column can be summed", async () => {
  const { transaction } = await paidAt(service, shop.key, gateway, { amount: "70.00" });
  const refund = await service.post(
    `management/transactions/${transaction.id}/refunds/`,
    { id: "018f0000-0000-7000-8000-000000000001", amount: "20.00" },
    { key: shop.key },
  );
  assert.ok(refund.status < 300, refund.text);
  const { text } = await finance.browser.get(
    "/console/payments/export.csv?type=sdd_refund&columns=amount,type",
  );
  assert.equal(text, "signed_amount,currency,type\r\n-20.00,EUR,sdd_refund\r\n");
});

test("a spreadsheet has the rows of the CSV with numbers and dates, by the same permission, and is in the audit log", async () => {
  const { transaction } = await paidAt(service, shop.key, gateway, {
    amount: "1234.50",
    lead: lead({ first_name: '=HYPERLINK("https://evil.example")' }),
  });
  const query = "?amount_min=1000&columns=date,amount,customer,status,order";
  const cookie = [...finance.browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const answer = await fetch(`${service.url}/console/payments/export.xlsx${query}`, { headers: { cookie } });
  assert.equal(
    answer.headers.get("content-type"),
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  );
  assert.match(
    answer.headers.get("content-disposition") ?? "",
    /^attachment; filename="payments_[\d-]+\.xlsx"$/,
  );
  const [sheet] = await readSpreadsheet(Buffer.from(await answer.arrayBuffer()));
  const [heads, row, ...others] = sheet?.rows ?? [];
  assert.deepEqual(others, []);
  const read = await service.get(`management/transactions/${transaction.id}/`, { key: shop.key });
  const values = Object.fromEntries((heads ?? []).map((head, at) => [head, row?.[at] ?? null]));
  assert.deepEqual(values, {
    created_at: new Date(read.body["created_at"]),
    signed_amount: 1234.5,
    currency: "EUR",
    customer_name: read.body["customer_name"],
    customer_email: read.body["customer_email"],
    status: "approved",
    error_code: null,
    gateway_code: null,
    chargeback_code: null,
    amount_refunded: 0,
    order_number: read.body["order_number"],
  });
  assert.match(String(values["customer_name"]), /^=HYPERLINK/);
  const path = `management/transactions/export/?format=xlsx&amount_min=1000&columns=${heads?.join(",")}`;
  const api = await fetch(`${service.url}/api/v1/${path}`, {
    headers: { authorization: `Bearer ${shop.key}` },
  });
  assert.deepEqual(await readSpreadsheet(Buffer.from(await api.arrayBuffer())), [sheet]);
  const audit = await service.get("management/audit-log/?resource=transactions", { key: shop.key });
  assert.deepEqual(
    audit.body["results"].slice(0, 2).map((one: Json) => [one["action"], one["after"]["format"]]),
    [
      ["export", "xlsx"],
      ["export", "xlsx"],
    ],
  );
  const wrong = await service.get("management/transactions/export/?format=pdf", { key: shop.key });
  assert.equal(wrong.status, 400);
});

test("a person who may not export sees no button, and a key needs the scope", async () => {
  assert.ok(!(await viewer.browser.get("/console/payments/")).text.includes("payments/export"));
  for (const path of ["export/", "export.csv", "export.xlsx"])
    assert.equal((await viewer.browser.get(`/console/payments/${path}`)).status, 403, path);
  const path = `management/tenants/${shop.id}/api-keys/`;
  const { body } = await service.post(path, { name: "R", scopes: ["read"] }, { key: OPERATOR_KEY });
  const refused = await service.get("management/transactions/export/", { key: body["api_key"] });
  assert.equal(refused.status, 403);
  const unknown = await service.get("management/transactions/export/?page_size=2", { key: shop.key });
  assert.equal(unknown.status, 400);
});

test("an export that is read in several parts has each payment once, newest first", async () => {
  const company = await createCompany(service, "Long list");
  const at = await createSandbox(service, company.key);
  const { transaction } = await paidAt(service, company.key, at, { billing_type: "ONE_OFF" });
  await service.rows(
    `insert into transactions
     select (jsonb_populate_record(t, jsonb_build_object(
              'id', gen_random_uuid(), 'session_id', null, 'order_id', null, 'merchant_transaction_id', 'TXN-20261123-' || lpad(n::text, 8, '0'),
              'gateway_reference', null, 'adapter_unique_id', null, 'tenant_reference_id', null,
              'created_at', t.created_at - n / 3 * interval '1 second'))).*
       from transactions t, generate_series(1, 1100) n where t.id = $1`,
    [transaction.id],
  );
  const { text } = await service.get("management/transactions/export/", { key: company.key });
  const rows = rowsOf(text);
  assert.deepEqual([rows.length, new Set(rows.map(({ id }) => id)).size], [1_101, 1_101]);
  const times = rows.map((row) => row["created_at"] ?? "");
  assert.deepEqual(times, times.toSorted().toReversed());
});
