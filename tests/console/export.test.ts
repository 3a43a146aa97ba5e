/** What a list of payments shows, exported: all of it and nothing else, by those who may, in the audit log. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { parse } from "csv-parse/sync";
import { paidAt } from "../support/console.ts";
import { createSandbox, lead } from "../support/merchant.ts";
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

const rowsOf = (text: string): readonly Record<string, string>[] => parse(text, { columns: true });

test("the button on the list exports what its filters show, as the API does, with the person in the audit log", async () => {
  const evil = "=1+1";
  const small = await paidAt(service, shop.key, gateway, { amount: "5.00" });
  const large = await paidAt(service, shop.key, gateway, {
    amount: "50.00",
    lead: lead({ first_name: evil }),
  });
  const page = await finance.browser.get("/console/payments/?amount_min=10&nonsense=1");
  const path = /href="(\/console\/payments\/export\.csv[^"]*)"/
    .exec(page.text)?.[1]
    ?.replaceAll("&#38;", "&");
  assert.equal(path, "/console/payments/export.csv?amount_min=10");
  const csv = await finance.browser.get(path);
  assert.match(String(csv.headers["content-disposition"]), /^attachment; filename="payments_[\d-]+\.csv"$/);
  const [row, ...others] = rowsOf(csv.text);
  assert.deepEqual([row?.["id"], row?.["amount"], others], [large["transaction"].id, "50.00", []]);
  assert.match(row?.["customer_name"] ?? "", /^'=1\+1/, "no spreadsheet runs it");
  assert.match(row?.["iban"] ?? "", /^\*+3000$/);

  const api = await service.get("management/transactions/export/?amount_min=10", { key: shop.key });
  assert.equal(api.text, csv.text);
  const list = await service.get(`management/transactions/${large["transaction"].id}/`, { key: shop.key });
  for (const [name, value] of Object.entries(row ?? {}))
    if (name !== "customer_name") assert.equal(value, String(list.body[name] ?? ""), name);
  const all = rowsOf((await finance.browser.get("/console/payments/export.csv")).text);
  assert.deepEqual(
    all.map(({ id }) => id),
    [large["transaction"].id, small["transaction"].id],
  );

  const audit = await service.get("management/audit-log/?resource=transactions", { key: shop.key });
  const [newest, byKey, first] = audit.body["results"].map((one: Json) => [one["action"], one["after"]]);
  assert.deepEqual(newest, ["export", {}]);
  assert.deepEqual(
    [byKey, first],
    [
      ["export", { amount_min: "10" }],
      ["export", { amount_min: "10" }],
    ],
  );
});

test("those who may not export see no button, and a key needs the scope", async () => {
  assert.ok(!(await viewer.browser.get("/console/payments/")).text.includes("export.csv"));
  assert.equal((await viewer.browser.get("/console/payments/export.csv")).status, 403);
  const path = `management/tenants/${shop.id}/api-keys/`;
  const { body } = await service.post(path, { name: "R", scopes: ["read"] }, { key: OPERATOR_KEY });
  const refused = await service.get("management/transactions/export/", { key: body["api_key"] });
  assert.equal(refused.status, 403);
  const unknown = await service.get("management/transactions/export/?page_size=2", { key: shop.key });
  assert.equal(unknown.status, 400);
});

test("an export longer than what is read at once has each payment once, newest first", async () => {
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
