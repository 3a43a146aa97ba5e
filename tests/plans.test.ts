/**
 * PostgreSQL's plan for each statement on large tables in which almost nothing was open when they were last analysed.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { seed } from "../tools/seed.ts";
import { allStatements } from "../src/db/database.ts";
import { must } from "../src/lib/assert.ts";
import { startService, type Service } from "./support/service.ts";

/** The seeded tables that grow with every payment. */
const LARGE: ReadonlySet<string> = new Set([
  "sessions",
  "transactions",
  "orders",
  "leads",
  "mandates",
  "subscriptions",
  "chargebacks",
]);
/** Statements about many rows: lists, searches for work, and a restore, which is rare and reads everything. */
const ABOUT_MANY =
  /^books\.|tenants_|find_upcoming|count_attention|^keys\.count|attempts\.figures|^operator\.|find_held_over|campaigns\.find_bad|^places\.waiting$|_older$|_newer$/;
/** Refunds and sessions with a reference are few here. With many of them the plan is another one. */
const FEW: ReadonlySet<string> = new Set(["refunds.find", "payments.release_reference"]);

interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  readonly Filter?: string;
  /** Per loop. */
  readonly "Actual Rows"?: number;
  readonly "Actual Loops"?: number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly PlanNode[];
}

let service: Service;

before(async () => {
  service = await startService();
  await seed(service.config, service.databaseUrl, 20_000, 89);
  await service.rows("analyze");
});
after(() => service.close());

function nodes(plan: PlanNode): readonly PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodes)];
}

/** Reads all rows of a table, of a tenant, or of a tenant in a partial index. */
function readsAll(node: PlanNode): boolean {
  const { "Node Type": type, "Index Cond": condition = "" } = node;
  if (type === "Bitmap Heap Scan")
    return nodes(node).some((one) => one["Node Type"] === "Bitmap Index Scan" && readsAll(one));
  return type.endsWith("Scan") && !type.startsWith("CTE") && /^(\(tenant = \$\d+\))?$/.test(condition);
}

test("a statement has one plan for all tenants, except for listed statements", async () => {
  assert.deepEqual(await service.rows("show plan_cache_mode"), [{ plan_cache_mode: "force_generic_plan" }]);
  assert.deepEqual(await service.rows("show jit"), [{ jit: "off" }], "nor is one compiled for each call");
  const text = "select current_setting('plan_cache_mode') as mode";
  assert.deepEqual(await service.db.query({ name: "", text, plannedByValues: true }, {}), [
    { mode: "force_custom_plan" },
  ]);
});

test("no statement reads all of a tenant's rows to find a few", async (t) => {
  const [server] = await service.rows("select current_setting('server_version_num')::integer as version");
  if (server?.["version"] < 160_000) return t.skip("needs PostgreSQL 16");
  const found: string[] = [];
  for (const { name, text, plannedByValues } of allStatements()) {
    if (plannedByValues || ABOUT_MANY.test(name) || FEW.has(name)) continue;
    const rows = await service.rows(`explain (generic_plan, format json) ${text}`);
    const [{ Plan: plan }] = must(rows[0], "a plan")["QUERY PLAN"];
    for (const node of nodes(plan)) {
      const { "Relation Name": table = "", "Index Name": index = "", Filter: filter = "" } = node;
      // An erasure is rare, and there are few chargebacks.
      const isSpared = name === "erase.records" && table === "chargebacks";
      if (LARGE.has(table) && !isSpared && readsAll(node)) {
        found.push(`${name}: ${table} ${index} ${filter}`);
      }
    }
  }
  assert.deepEqual(found, []);
});

test("records with a rare status are found by an index on it, not by reading all records", async (t) => {
  const [server] = await service.rows("select current_setting('server_version_num')::integer as version");
  if (server?.["version"] < 160_000) return t.skip("needs PostgreSQL 16");
  for (const [statement, index] of [
    ["reconciliation.rare_transactions_older", "transactions_not_approved"],
    ["reconciliation.rare_transactions_newer", "transactions_not_approved"],
    ["reconciliation.rare_subscriptions_older", "subscriptions_not_active"],
  ]) {
    const { text } = must(
      allStatements().find(({ name }) => name === statement),
      "the statement",
    );
    const [row] = await service.rows(`explain (generic_plan, format json) ${text}`);
    const used = nodes(row?.["QUERY PLAN"][0].Plan).find((node) => node["Index Name"] === index);
    assert.match(must(used, `${index} in ${statement}`)["Index Cond"] ?? "", /status = wanted.status/);
  }
});

test("a page of records with a rare status reads only the shown records", async () => {
  const [{ tenant, declined } = {}] = await service.rows(
    "select tenant, count(*)::integer as declined from transactions where status = 'declined' group by tenant",
  );
  assert.ok(declined > 1_100, `${declined} are more than the largest page`);
  const { text, params = [] } = must(
    allStatements().find(({ name }) => name === "reconciliation.rare_transactions_older"),
    "the statement",
  );
  const given: Readonly<Record<string, unknown>> = {
    tenant,
    statuses: ["declined", "refunded"],
    at: "infinity",
    id: "00000000-0000-0000-0000-000000000000",
    end: "-infinity",
    limit: 26,
  };
  const values = params.map((name) => given[name] ?? null);
  const [row] = await service.rows(`explain (analyze, timing off, format json) ${text}`, values);
  const read = nodes(row?.["QUERY PLAN"][0].Plan).filter((node) => node["Relation Name"] === "transactions");
  assert.deepEqual(
    read.map((node) => [node["Index Name"], (node["Actual Rows"] ?? 0) * (node["Actual Loops"] ?? 0)]),
    [["transactions_not_approved", 26]],
  );
});

/** Runs a list's statement with these values and no other filters. @returns how many of the table's rows it reads by each index. */
async function readBy(statement: string, table: string, values: Readonly<Record<string, unknown>>) {
  const [{ tenant } = {}] = await service.rows("select tenant from transactions limit 1");
  const { text, params = [] } = must(
    allStatements().find(({ name }) => name === statement),
    statement,
  );
  const given: Readonly<Record<string, unknown>> = {
    tenant,
    at: "infinity",
    id: "ffffffff-ffff-ffff-ffff-ffffffffffff",
    limit: 51,
    now: new Date(),
    ...values,
  };
  // Explained with the values, as for a client whose plans depend on them.
  const [row] = await service.rows(
    `explain (analyze, timing off, format json) ${text}`,
    params.map((name) => given[name] ?? null),
  );
  const all = nodes(row?.["QUERY PLAN"][0].Plan);
  const outer = all.filter(
    (node) => node["Relation Name"] === table && node["Index Name"] !== `${table}_pkey`,
  );
  return outer.map((node) => ({
    index: node["Index Name"] ?? node["Node Type"],
    rows: ((node["Actual Rows"] ?? 0) + (node["Rows Removed by Filter"] ?? 0)) * (node["Actual Loops"] ?? 0),
  }));
}

for (const [what, statement, table, values, most] of [
  [
    "a reason that many have",
    "reports.list_transactions_by_reason_older",
    "transactions",
    { reason: "insufficient_funds" },
    60,
  ],
  [
    "a reason of chargebacks",
    "reports.list_transactions_by_reason_older",
    "transactions",
    { reason: "MD06" },
    120,
  ],
  [
    "a reason that nobody has",
    "reports.list_transactions_by_reason_older",
    "transactions",
    { reason: "AM99" },
    0,
  ],
  [
    "payments of another status than those of a reason",
    "reports.list_transactions_by_reason_older",
    "transactions",
    { reason: "insufficient_funds", status: "approved" },
    0,
  ],
  [
    "payments that are approved, behind many that are under way",
    "reports.list_transactions_older",
    "transactions",
    { status: "approved" },
    60,
  ],
  [
    "payments with one of several ends, behind many that are under way",
    "reports.list_transactions_by_statuses_older",
    "transactions",
    { statuses: ["approved", "refunded"] },
    60,
  ],
  ["a type that nobody has", "reports.list_transactions_older", "transactions", { type: "sdd_refund" }, 0],
  [
    "a gateway that nobody paid through",
    "reports.list_transactions_older",
    "transactions",
    { gatewayId: "00000000-0000-4000-8000-000000000000" },
    0,
  ],
  ["mandates that lapse, of which there are none", "mandates.list_lapsing_older", "mandates", {}, 0],
  ["mandates that lapse, as home counts them", "reports.count_attention", "mandates", {}, 0],
  [
    "mandates that were cancelled, of which there are none",
    "mandates.list_older",
    "mandates",
    { status: "cancelled" },
    0,
  ],
  [
    "chargebacks of a reason that nobody has",
    "chargebacks.list_older",
    "chargebacks",
    { reasonCode: "AM99" },
    0,
  ],
  [
    "chargebacks of a campaign that nobody has",
    "chargebacks.list_of_campaign_older",
    "chargebacks",
    { campaignId: "00000000-0000-4000-8000-000000000000" },
    0,
  ],
  [
    "customers of a country that nobody is from",
    "reports.list_customers_older",
    "leads",
    { country: "MT" },
    0,
  ],
] as const) {
  test(`no list is read completely to find ${what}`, async () => {
    const read = await readBy(statement, table, values);
    assert.ok(read.length > 0, "its table is asked");
    for (const { index, rows } of read) assert.ok(rows <= most, `${rows} rows by ${index}`);
  });
}

for (const [what, statement, table, values, index] of [
  [
    "payments of a reason that ended otherwise than declined",
    "reports.list_transactions_by_reason_older",
    "transactions",
    { reason: "insufficient_funds", status: "approved" },
    "transactions_not_declined_by_error_code",
  ],
  [
    "those of two such ends",
    "reports.list_transactions_by_reason_older",
    "transactions",
    { reason: "insufficient_funds", statuses: ["approved", "refunded"] },
    "transactions_not_declined_by_error_code",
  ],
  [
    "payments whose chargeback of a reason was withdrawn",
    "reports.list_transactions_by_reason_older",
    "chargebacks",
    { reason: "MD06" },
    "chargebacks_withdrawn_by_reason",
  ],
] as const) {
  test(`a small index finds ${what}`, async () => {
    const read = await readBy(statement, table, values);
    assert.ok(
      read.some((one) => one.index === index),
      read.map((one) => one.index).join(", "),
    );
  });
}

test("chargebacks of a campaign are found by an index on it, also those recorded by older code without it", async () => {
  const campaignId = "00000000-0000-4000-8000-000000000001";
  await service.rows(
    "update chargebacks set campaign_id = $1 where id in (select id from chargebacks order by id limit 20)",
    [campaignId],
  );
  await service.rows("analyze chargebacks");
  assert.deepEqual(await readBy("chargebacks.list_of_campaign_older", "chargebacks", { campaignId }), [
    { index: "chargebacks_of_campaign", rows: 20 },
    { index: "chargebacks_of_unknown_campaign", rows: 0 },
  ]);
});

test("requests of an unused method are found without reading all requests", async () => {
  await service.rows(
    `insert into requests (tenant, id, request_id, method, route, status, duration_ms, created_at)
     select (select min(tenant) from transactions), gen_random_uuid(), 'r-' || i, 'POST', '/', 201, 5, now() - i * interval '1 second'
       from generate_series(1, 5000) i`,
  );
  await service.rows("analyze requests");
  assert.deepEqual(await readBy("requests.list_older", "requests", { method: "GET" }), [
    { index: "requests_not_post", rows: 0 },
  ]);
});

test("a settlement tick reads only the account's unreported sandbox rows", async () => {
  await service.rows(
    `insert into sandbox_books
       (tenant, gateway_id, reference, bank_reference, scenario, state, amount, currency, mandate_reference,
        creditor_name, iban_last4, created_at)
     select tenant, id, 'TXN-' || i, 'SBX-' || i, 'approve', 'charged', 10, 'EUR', 'M-' || i, 'Shop', '3000', now()
       from gateways, generate_series(1, 20000) i`,
  );
  await service.rows("analyze sandbox_books");
  const { text } = must(
    allStatements().find(({ name }) => name === "sandbox.unreported"),
    "the statement",
  );
  const [row] = await service.rows(`explain (generic_plan, format json) ${text}`);
  const read = nodes(row?.["QUERY PLAN"][0].Plan).filter((node) => "Relation Name" in node);
  assert.deepEqual(
    read.map((node) => [node["Index Name"], node["Index Cond"]]),
    [["sandbox_books_news", "((tenant = $1) AND (gateway_id = $2))"]],
  );
});
