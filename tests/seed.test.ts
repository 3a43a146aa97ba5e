/** The data set of `npm run seed` is one that the service could have written. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { seed } from "../tools/seed.ts";
import { startService, testConfig, type Json, type Service } from "./support/service.ts";

/** A hundred customers with a purchase and three renewals each: two chargebacks, some declines, some still pending. */
const TRANSACTIONS = 400;
const DAYS = 80;

let service: Service;
let key: string;
let rows: Readonly<Record<string, number>>;

before(async () => {
  service = await startService();
  const config = testConfig("http://pay.example.test");
  ({ apiKey: key, rows } = await seed(config, service.databaseUrl, TRANSACTIONS, DAYS));
});
after(() => service.close());

async function all(list: string, filters = ""): Promise<readonly Json[]> {
  const start = new Date(Date.now() - DAYS * 86_400_000).toISOString().slice(0, 10);
  const path = `reconciliation/${list}/?start_date=${start}&page_size=1000${filters}`;
  const { status, body, text } = await service.get(path, { key });
  assert.equal(status, 200, text);
  return body["results"];
}

test("all seeded records are listed, and each charged-back transaction has its chargeback", async () => {
  const [transactions, chargebacks, subscriptions] = [
    await all("transactions"),
    await all("chargebacks"),
    await all("subscriptions"),
  ];
  assert.deepEqual([transactions.length, subscriptions.length], [TRANSACTIONS, TRANSACTIONS / 4]);
  assert.deepEqual([rows["transactions"], rows["chargebacks"]], [TRANSACTIONS, chargebacks.length]);
  const chargedBack = transactions.filter(({ status }) => status === "charged_back");
  assert.ok(chargedBack.length > 0);
  assert.deepEqual(
    new Set(chargebacks.map((record) => record["transaction_id"])),
    new Set(chargedBack.map(({ id }) => id)),
  );
  for (const status of ["approved", "declined", "pending"])
    assert.ok(
      transactions.some((record) => record["status"] === status),
      status,
    );
});

test("a list filtered by any statuses has the same records in the same order as the whole list", async () => {
  for (const [list, filters] of [
    ["transactions", ["declined", "declined,charged_back,declined", "approved,declined", "refunded"]],
    ["subscriptions", ["CANCELLED", "CANCELLED,PAST_DUE", "ACTIVE,CANCELLED"]],
  ] as const) {
    const whole = await all(list);
    for (const statuses of filters) {
      const wanted = whole.filter(({ status }) => statuses.split(",").includes(status));
      assert.deepEqual(await all(list, `&status=${statuses}`), wanted, statuses);
    }
  }
});

test("orders and subscriptions agree with their transactions", async () => {
  assert.deepEqual(
    await service.rows(
      `select o.id from orders o join transactions t on t.tenant = o.tenant and t.order_id = o.id and t.type = 'sdd_sale'
        where (o.status = 'CHARGEDBACK') <> (t.status = 'charged_back') or o.amount <> t.amount`,
    ),
    [],
  );
  assert.deepEqual(
    await service.rows(
      `select u.id from subscriptions u join transactions t on t.tenant = u.tenant and t.subscription_id = u.id
        group by u.tenant, u.id
       having u.total_revenue <> sum(t.amount) filter (where t.status in ('approved', 'charged_back'))
           or u.successful_billing_count <> count(*) filter (where t.type = 'sdd_rebill' and t.status = 'approved')
           or u.failed_billing_count <> count(*) filter (where t.status = 'declined')`,
    ),
    [],
  );
});

test("every row that another row refers to exists, although seeding does not check foreign keys", async () => {
  const keys = await service.rows(
    `select c.conrelid::regclass::text as source, c.confrelid::regclass::text as target,
            (select json_agg(array[s.attname, t.attname])
               from unnest(c.conkey, c.confkey) k (source, target)
               join pg_attribute s on s.attrelid = c.conrelid and s.attnum = k.source
               join pg_attribute t on t.attrelid = c.confrelid and t.attnum = k.target) as columns
       from pg_constraint c
      where c.contype = 'f' and c.conrelid::regclass::text = any ($1)`,
    [Object.keys(rows)],
  );
  assert.ok(keys.length > 0);
  for (const { source, target, columns } of keys) {
    const pairs: readonly (readonly [string, string])[] = columns;
    const given = pairs.map(([column]) => `s.${column} is not null`).join(" and ");
    const same = pairs.map(([column, other]) => `t.${other} = s.${column}`).join(" and ");
    const missing = `select 1 from ${source} s where ${given} and not exists (select 1 from ${target} t where ${same})`;
    assert.deepEqual(await service.rows(missing), [], missing);
  }
});
