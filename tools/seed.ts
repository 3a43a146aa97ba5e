/**
 * `npm run seed -- --transactions 1000000 [--days 90]`: creates a tenant with this many transactions in the
 * configured database (DATABASE_URL, or the embedded one in DATA_DIR), and prints its API key. Staging only.
 */
import { parseArgs } from "node:util";
import { Client } from "pg";
import { createApp, type App } from "../src/app.ts";
import { readConfig, type Config } from "../src/config.ts";
import { migrate } from "../src/db/migrate.ts";
import { randomIds } from "../src/lib/ids.ts";
import { silentLog } from "../src/lib/log.ts";
import { sealIban } from "../src/mandates/account.ts";
import { sharedDatabaseOf } from "../src/start-database.ts";

/** A purchase and three renewals. */
const TRANSACTIONS_PER_CUSTOMER = 4;
const CUSTOMERS_AT_A_TIME = 10_000;
/** The sandbox's IBAN that is approved (docs/api.md). */
const IBAN = "DE89370400440532013000";

export interface Seeded {
  readonly apiKey: string;
  readonly gatewayId: string;
  readonly tenant: number;
  readonly rows: Readonly<Record<string, number>>;
}

interface Plan {
  readonly tenant: number;
  readonly gatewayId: string;
  readonly transactions: number;
  readonly customers: number;
  readonly start: Date;
  readonly end: Date;
  readonly tokenKeyId: number;
  /** In hexadecimal. */
  readonly ibanFingerprint: string;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const number = { type: "string" } as const;
  const { values } = parseArgs({ args: [...args], options: { transactions: number, days: number } });
  const transactions = wholeNumber(values.transactions ?? "1000000");
  const days = wholeNumber(values.days ?? "90");
  const config = await readConfig();
  if (transactions === null || days === null || config.environment !== "staging") {
    console.error("Usage: npm run seed -- --transactions 1000000 [--days 90], in staging only");
    return 2;
  }
  const server = await sharedDatabaseOf(config);
  try {
    await migrate(server.ownerUrl);
    const { apiKey, rows } = await seed(config, server.ownerUrl, transactions, days);
    for (const [table, count] of Object.entries(rows)) console.log(`${String(count).padStart(9)} ${table}`);
    console.log(`\nThe tenant's API key, shown this once:\n\n  ${apiKey}\n`);
    return 0;
  } finally {
    await server.stop();
  }
}

function wholeNumber(text: string): number | null {
  return /^[1-9]\d{0,7}$/.test(text) ? Number(text) : null;
}

/** Makes a new tenant with this many transactions, spread evenly over the last days. */
export async function seed(
  config: Config,
  databaseUrl: string,
  transactions: number,
  days: number,
): Promise<Seeded> {
  const app = await createApp(config, databaseUrl, silentLog);
  const client = new Client({ connectionString: databaseUrl });
  try {
    await client.connect();
    const { apiKey, gatewayId, tenant } = await createTenant(config, app, client);
    const end = new Date();
    const start = new Date(end.getTime() - days * 86_400_000);
    const customers = Math.ceil(transactions / TRANSACTIONS_PER_CUSTOMER);
    const { keys } = app.deps;
    const ibanFingerprint = keys.fingerprints(tenant, IBAN)[0].toString("hex");
    const tokenKeyId = keys.currentKeyId;
    const plan = { tenant, gatewayId, transactions, customers, start, end, tokenKeyId, ibanFingerprint };
    await client.query("begin");
    await client.query("set local synchronous_commit = off; set local work_mem = '256MB'");
    await skipForeignKeys(client);
    await addCustomers(app, client, plan);
    const rows: Record<string, number> = {};
    for (const [table, statement] of statements(plan)) {
      rows[table] = (await client.query(statement)).rowCount ?? 0;
    }
    await client.query("commit");
    // Before that the planner has no statistics of the new rows, and index-only scans read every page.
    await client.query(
      "vacuum analyze leads, sessions, orders, mandates, subscriptions, transactions, chargebacks",
    );
    return { apiKey, gatewayId, tenant, rows };
  } finally {
    await client.end();
    await app.close();
  }
}

/**
 * Checking foreign keys takes longer than writing the rows; tests/seed.test.ts tests them. Only a superuser, such as
 * the owner of the embedded database, may skip them.
 */
async function skipForeignKeys(client: Client): Promise<void> {
  const { rows } = await client.query<{ rolsuper: boolean }>(
    "select rolsuper from pg_roles where rolname = current_user",
  );
  if (rows[0]?.rolsuper === true) await client.query("set local session_replication_role = replica");
}

async function createTenant(config: Config, app: App, client: Client) {
  const post = async (key: string, resource: string, body: object) => {
    const response = await app.server.app.inject({
      method: "POST",
      url: `/api/v1/management/${resource}/`,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      payload: JSON.stringify(body),
    });
    if (response.statusCode !== 201) throw new Error(`${resource} were refused: ${response.body}`);
    return response.json<Readonly<Record<string, string>>>();
  };
  const { id, api_key: apiKey = "" } = await post(config.operatorKey, "tenants", { name: "Seeded shop" });
  const { id: gatewayId = "" } = await post(apiKey, "gateways", {
    name: "Sandbox",
    adapter: "sandbox",
    test_mode: true,
  });
  const { rows } = await client.query<{ tenant: number }>("select tenant from tenants where id = $1", [id]);
  return { apiKey, gatewayId, tenant: rows[0]?.tenant ?? 0 };
}

/** Ids and sealed IBANs are made here, everything else in the database. */
async function addCustomers({ deps }: App, client: Client, { tenant, customers }: Plan): Promise<void> {
  await client.query(
    `create temporary table seed_customers (
       n integer primary key, lead_id uuid, session_id uuid, order_id uuid, subscription_id uuid, mandate_id uuid,
       iban_sealed bytea
     ) on commit drop`,
  );
  for (let first = 0; first < customers; first += CUSTOMERS_AT_A_TIME) {
    const numbers = Array.from(
      { length: Math.min(CUSTOMERS_AT_A_TIME, customers - first) },
      (_, index) => first + index,
    );
    const ids = () => numbers.map(() => randomIds.uuid());
    const mandates = ids();
    const sealed = mandates.map((id) => sealIban(deps, tenant, id, IBAN));
    await client.query(
      `insert into seed_customers
       select * from unnest($1::integer[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::uuid[], $7::bytea[])`,
      [numbers, ids(), ids(), ids(), ids(), mandates, sealed],
    );
  }
  await client.query("analyze seed_customers");
}

/**
 * Transaction i is made by customer i % customers: first come the purchases, then one round of renewals after the
 * other. One purchase in 50 is charged back, one renewal in 12 is declined, the last renewals are pending.
 */
function statements(plan: Plan): readonly (readonly [table: string, statement: string])[] {
  const { tenant, gatewayId, transactions, customers, start, end, tokenKeyId, ibanFingerprint } = plan;
  const step = (end.getTime() - start.getTime()) / transactions;
  // Whole milliseconds, as the service's clock counts.
  const time = (i: string) =>
    `timestamptz '${start.toISOString()}' + interval '1 millisecond' * floor(${i} * ${step}::numeric)::bigint`;
  const amount = (n: string) => `(990 + (${n} % 40) * 100) / 100.0`;
  const hex = (value: string, digits: number) => `upper(lpad(to_hex(${value}), ${digits}, '0'))`;
  const chargedBack = (i: string) =>
    `(${i} < ${customers} and ${i} % 50 = 7 and ${time(i)} < timestamptz '${end.toISOString()}' - interval '4 days')`;
  const status = (i: string) =>
    `case when ${chargedBack(i)} then 'charged_back'
          when ${i} < ${customers} then 'approved'
          when ${i} % 12 = 5 then 'declined'
          when ${i} >= ${Math.floor(transactions * 0.99)} then 'pending'
          else 'approved' end`;
  const transactionId = (i: string) =>
    `(lpad(to_hex((extract(epoch from ${time(i)}) * 1000)::bigint), 12, '0') || '70008000'
      || lpad(to_hex(${i}), 12, '0'))::uuid`;
  const reference = (i: string) => `to_char(${time(i)}, 'YYYYMMDD') || '-' || ${hex(i, 8)}`;
  const at = time("n");

  return [
    [
      "leads",
      `insert into leads (tenant, id, email_key, email, first_name, last_name, country, created_at, updated_at)
       select ${tenant}, lead_id, 'customer' || n || '@example.com', 'customer' || n || '@example.com',
              (array['Ada', 'Zoë', 'Jörg', 'Łucja', 'O''Neil'])[n % 5 + 1], 'Example ' || n, 'DE', ${at}, ${at}
         from seed_customers order by n`,
    ],
    [
      "sessions",
      `insert into sessions
         (tenant, id, token_key_id, status, lead_id, gateway_id, campaign_name, offer_name, amount, currency,
          billing_type, billing_frequency, attempts_max, attempts_used, created_at, expires_at, closed_at)
       select ${tenant}, session_id, ${tokenKeyId}, 'COMPLETED', lead_id, '${gatewayId}', 'Seeded shop', 'Plan', ${amount("n")},
              'EUR', 'RECURRING', 'MONTHLY', 3, 1, ${at}, ${at} + interval '1 day', ${at}
         from seed_customers order by n`,
    ],
    [
      "orders",
      `insert into orders
         (tenant, id, session_id, lead_id, order_number, status, amount, currency, created_at, updated_at)
       select ${tenant}, order_id, session_id, lead_id, 'ORD-' || ${hex("n", 8)},
              case when ${chargedBack("n")} then 'CHARGEDBACK' else 'COMPLETED' end, ${amount("n")}, 'EUR', ${at}, ${at}
         from seed_customers order by n`,
    ],
    [
      "mandates",
      `insert into mandates
         (tenant, id, reference, lead_id, session_id, status, acceptance_mode, accepted_at, text_version,
          creditor_name, holder_name, iban_sealed, iban_fingerprint, iban_last4, iban_length, iban_country, bic,
          bank_name, last_used_at, created_at, updated_at)
       select ${tenant}, mandate_id, 'MND-' || ${hex("n", 16)}, lead_id, session_id, 'active', 'checkbox', ${at}, 'seed',
              'Seeded shop', 'Ada Example', iban_sealed, '\\x${ibanFingerprint}', '${IBAN.slice(-4)}', ${IBAN.length}, 'DE',
              'COBADEFFXXX', 'Commerzbank', ${at}, ${at}, ${at}
         from seed_customers order by n`,
    ],
    [
      "subscriptions",
      `insert into subscriptions
         (tenant, id, status, billing_amount, currency, billing_frequency, start_date, next_billing_date,
          last_billing_date, cancelled_at, billing_anchor_date, successful_billing_count, failed_billing_count,
          total_revenue, order_id, lead_id, gateway_id, mandate_id, created_at, updated_at)
       select ${tenant}, subscription_id, case when ended then 'CANCELLED' else 'ACTIVE' end, ${amount("n")}, 'EUR',
              'MONTHLY', ${at}, case when not ended then (${at} + interval '4 months')::date end, last_at,
              case when ended then timestamptz '${end.toISOString()}' end, (${at})::date, good, bad,
              (good + 1) * ${amount("n")}, order_id, lead_id, '${gatewayId}', mandate_id, ${at}, ${at}
         from seed_customers
        cross join lateral (
          select count(*) filter (where s.status = 'approved') as good,
                 count(*) filter (where s.status = 'declined') as bad,
                 coalesce(max(${time("i")}) filter (where s.status = 'approved'), ${at}) as last_at,
                 n % 10 = 3 as ended
            from generate_series(n + ${customers}, ${transactions - 1}, ${customers}) i
           cross join lateral (select ${status("i")} as status) s
        ) renewals
        order by n`,
    ],
    [
      "transactions",
      `insert into transactions
         (tenant, id, session_id, order_id, subscription_id, lead_id, mandate_id, gateway_id,
          merchant_transaction_id, tenant_reference_id, gateway_reference, status, type, source, sequence_type,
          amount, currency, error_code, error_message, created_at, processed_at, updated_at)
       select ${tenant}, ${transactionId("i")}, case when i < ${customers} then session_id end, order_id,
              subscription_id, lead_id, mandate_id, '${gatewayId}', 'TXN-' || ${reference("i")},
              case when i < ${customers} then 'shop-' || i end, 'SBX-' || ${hex("i", 12)}, ${status("i")},
              case when i < ${customers} then 'sdd_sale' else 'sdd_rebill' end, 'api_submission',
              case when i < ${customers} then 'FRST' else 'RCUR' end, ${amount("n")}, 'EUR',
              case when ${status("i")} = 'declined' then 'insufficient_funds' end,
              case when ${status("i")} = 'declined' then 'Insufficient funds.' end, ${time("i")}, ${time("i")}, ${time("i")}
         from generate_series(0, ${transactions - 1}) i
         join seed_customers on n = i % ${customers}
        order by i`,
    ],
    [
      "chargebacks",
      `insert into chargebacks
         (tenant, id, merchant_transaction_id, transaction_id, lead_id, gateway_id, adapter_unique_id,
          tenant_reference_id, amount, currency, report_date, transaction_date, reason_code, reason_message,
          iban_last4, iban_length, bic, email, country, source, campaign_known, created_at, updated_at)
       select t.tenant, gen_random_uuid(), t.merchant_transaction_id, t.id, t.lead_id, t.gateway_id,
              t.gateway_reference, t.tenant_reference_id, t.amount, t.currency, t.processed_at + interval '3 days',
              t.processed_at, 'MD06', 'The debtor asked for a refund.', m.iban_last4, m.iban_length, m.bic, l.email,
              l.country, 'webhook', true, t.processed_at + interval '3 days', t.processed_at + interval '3 days'
         from transactions t
         join mandates m on m.tenant = t.tenant and m.id = t.mandate_id
         join leads    l on l.tenant = t.tenant and l.id = t.lead_id
        where t.tenant = ${tenant} and t.status = 'charged_back'`,
    ],
  ];
}
