/** `books check` reports each kind of difference, and nothing if there is none. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { booksReport, checkBooks } from "../src/books/check.ts";
import { childEnv } from "./support/child-env.ts";
import { createMerchant, IBAN, type Merchant } from "./support/merchant.ts";
import { startService, type Json, type Service } from "./support/service.ts";

let service: Service;

before(async () => {
  service = await startService();
});
after(() => service.close());

/** A merchant with one record of each kind, for the planted differences. */
interface Shop {
  readonly merchant: Merchant;
  readonly paid: Json;
  readonly partly: Json;
  readonly full: Json;
  readonly chargedBack: Json;
  readonly returned: Json;
  readonly declined: Json;
  readonly subscribed: Json;
  readonly refund: Json;
}

async function shop(): Promise<Shop> {
  const merchant = await createMerchant(service);
  const post = (path: string, body?: object) =>
    service.post(`management/${path}`, body, { key: merchant.key });
  const pay = async (iban: string, changes = {}) =>
    (await merchant.pay(await merchant.session(changes), iban)).body;
  const refund = async (payment: Json, body: object) =>
    (await post(`transactions/${payment["transaction"].id}/refunds/`, body)).body;
  const made = {
    merchant,
    paid: await pay(IBAN.approved),
    partly: await pay(IBAN.approved),
    full: await pay(IBAN.approved),
    chargedBack: await pay(IBAN.chargedBack),
    returned: await pay(IBAN.returned),
    declined: await pay(IBAN.declined),
    subscribed: await pay(IBAN.approved, { billing_type: "RECURRING", billing_frequency: "MONTHLY" }),
  };
  await refund(made.full, {});
  await post("sandbox/tick/");
  return { ...made, refund: await refund(made.partly, { amount: "5.00" }) };
}

async function differencesOf({ merchant }: Shop): Promise<readonly string[]> {
  const { differences } = await checkBooks(service.db);
  return differences.filter((words) => words.includes(`: Tenant ${merchant.tenantId}`));
}

test("with sales, refunds, a chargeback, a return and a decline nothing differs, and the day's sums are printed", async () => {
  const one = await shop();
  const books = await checkBooks(service.db);
  assert.deepEqual(books.differences, []);
  const [day, ...more] = books.days.filter(({ tenant_id }) => tenant_id === one.merchant.tenantId);
  assert.deepEqual(more, []);
  // Sales of 19.90: paid, partly refunded, fully refunded, charged back, subscribed.
  assert.deepEqual(
    [day?.sales, day?.bank_sales, day?.refunds, day?.bank_refunds, day?.chargebacks],
    ["99.50", "99.50", "24.90", "24.90", "19.90"],
  );
  assert.deepEqual([day?.sale_count, day?.refund_count, day?.chargeback_count], [5, 2, 1]);
  assert.match(
    booksReport(books),
    /sales 5: 99\.50 {2}refunds 2: 24\.90 {2}chargebacks 1: 19\.90 EUR\nThe books agree\.$/,
  );
});

type Planted = readonly [
  name: string,
  /** `$1` is the record that `of` names. */
  statement: string,
  of: (shop: Shop) => string,
  expected: readonly RegExp[],
];

const transaction = (payment: Json): string => payment["transaction"].id;
const reference = (payment: Json): string => payment["transaction"].merchant_transaction_id;
const order = (payment: Json): string => payment["order"].id;

const PLANTED: readonly Planted[] = [
  [
    "an order that says something else than its payment",
    "update orders set status = 'FAILED' where id = $1",
    ({ paid }) => order(paid),
    [/Order ORD-\w+ is FAILED; its transactions make it COMPLETED\./],
  ],
  [
    "an order that was refunded in part only",
    "update orders set status = 'REFUNDED' where id = $1",
    ({ partly }) => order(partly),
    [/is REFUNDED; its transactions make it COMPLETED/],
  ],
  [
    "an order whose payment came back",
    "update orders set status = 'COMPLETED' where id = $1",
    ({ returned }) => order(returned),
    [/is COMPLETED; its transactions make it FAILED/],
  ],
  [
    "an approved payment that the bank has not charged",
    "delete from sandbox_books where reference = $1",
    ({ paid }) => reference(paid),
    [
      /sales are 99\.50 EUR here and 79\.60 at the sandbox/,
      /TXN-\S+ is unknown at the sandbox but approved here/,
    ],
  ],
  [
    "a charge of the bank that is unknown here",
    `insert into sandbox_books
       (tenant, gateway_id, reference, bank_reference, scenario, state, amount, currency, mandate_reference,
        creditor_name, iban_last4, charged_at, created_at)
     select tenant, gateway_id, 'TXN-20260101-' || left(upper(md5(random()::text)), 8), '', 'approve', 'charged', 1.00,
            'EUR', '', '', '', charged_at, created_at
       from sandbox_books where reference = $1`,
    ({ paid }) => reference(paid),
    [
      /sales are 99\.50 EUR here and 100\.50 at the sandbox/,
      /TXN-20260101-\S+ is charged at the sandbox but unknown here/,
    ],
  ],
  [
    "another amount at the bank",
    "update sandbox_books set amount = 1.99 where reference = $1",
    ({ paid }) => reference(paid),
    [
      /sales are 99\.50 EUR here and 81\.59 at the sandbox/,
      /is 1\.99 EUR at the sandbox but 19\.90 EUR here/,
    ],
  ],
  [
    "a charge of the bank on another day",
    "update sandbox_books set charged_at = charged_at - interval '1 day' where reference = $1",
    ({ paid }) => reference(paid),
    [
      /sales are 0\.00 EUR here and 19\.90 at the sandbox/,
      /sales are 99\.50 EUR here and 79\.60 at the sandbox/,
    ],
  ],
  [
    "a payment that the bank has charged and we have declined",
    "update sandbox_books set state = 'charged', charged_at = created_at where reference = $1",
    ({ declined }) => reference(declined),
    [/sales are 99\.50 EUR here and 119\.40 at the sandbox/, /is charged at the sandbox but declined here/],
  ],
  [
    "a chargeback of the bank that is not recorded",
    "update sandbox_books set state = 'charged_back' where reference = $1",
    ({ paid }) => reference(paid),
    [/is charged_back at the sandbox but approved here/],
  ],
  [
    "a refund that the bank has not made",
    "update sandbox_books set state = 'refused' where refund_of = $1",
    ({ partly }) => reference(partly),
    [
      /refunds are 24\.90 EUR here and 19\.90 at the sandbox/,
      /is refused at the sandbox but approved here/,
      /At the sandbox 5\.00 of TXN-\S+ is refunded; its refunds total 0\.00/,
    ],
  ],
  [
    "a refund of something else at the bank",
    "update sandbox_books set refund_of = 'TXN-20260101-AAAAAAAA' where refund_of = $1",
    ({ partly }) => reference(partly),
    [
      /refunds TXN-20260101-AAAAAAAA at the sandbox but TXN-\S+ here/,
      /At the sandbox 5\.00 of TXN-\S+ is refunded; its refunds total 0\.00/,
    ],
  ],
  [
    "a refund that the payment does not count",
    "update transactions set refunded = 0, refund_claimed = 0 where id = $1",
    ({ partly }) => transaction(partly),
    [
      /has 0\.00 refunded; its approved refunds total 5\.00/,
      /has 0\.00 refunded or reserved for refunds; its refunds total 5\.00/,
    ],
  ],
  [
    "a payment that counts more refunds than there are",
    "update transactions set refund_claimed = 19.90 where id = $1",
    ({ partly }) => transaction(partly),
    [/has 19\.90 refunded or reserved for refunds; its refunds total 5\.00/],
  ],
  [
    "a payment that is refunded, with money left",
    "update transactions set status = 'refunded' where id = $1",
    ({ partly }) => transaction(partly),
    [/is refunded, but 5\.00 of its 19\.90 is refunded/, /is COMPLETED; its transactions make it REFUNDED/],
  ],
  [
    "a payment that is refunded whole and says approved",
    "update transactions set status = 'approved' where id = $1",
    ({ full }) => transaction(full),
    [/is approved, but 19\.90 of its 19\.90 is refunded/, /is REFUNDED; its transactions make it COMPLETED/],
  ],
  [
    "a chargeback without its record",
    "delete from chargebacks where transaction_id = $1",
    ({ chargedBack }) => transaction(chargedBack),
    [/is charged back, but no chargeback is recorded/],
  ],
  [
    "a chargeback of a payment that says approved",
    "update transactions set status = 'approved' where id = $1",
    ({ chargedBack }) => transaction(chargedBack),
    [
      /There is a chargeback of TXN-\S+, which is approved/,
      /is CHARGEDBACK; its transactions make it COMPLETED/,
      /is charged_back at the sandbox but approved here/,
    ],
  ],
  [
    "a chargeback of more than was collected",
    "update chargebacks set amount = 20.00 where transaction_id = $1",
    ({ chargedBack }) => transaction(chargedBack),
    [/20\.00 EUR of TXN-\S+ was charged back, but it collected 19\.90 EUR/],
  ],
  [
    "a completed session without a payment",
    "update transactions set status = 'declined' where id = $1",
    ({ paid }) => transaction(paid),
    [
      /The session of order ORD-\w+ is COMPLETED, but its payment is missing/,
      /is COMPLETED; its transactions make it FAILED/,
      /is charged at the sandbox but declined here/,
      /sales are 79\.60 EUR here and 99\.50 at the sandbox/,
    ],
  ],
  [
    "a payment without a completed session",
    "update sessions set status = 'EXPIRED' where id = (select session_id from transactions where id = $1)",
    ({ paid }) => transaction(paid),
    [/The session of order ORD-\w+ is EXPIRED, but its payment is approved or pending/],
  ],
  [
    "a subscription's revenue that did not arrive",
    "update subscriptions set total_revenue = 39.80 where id = $1",
    ({ subscribed }) => subscribed["subscription"].id,
    [/Subscription \S+ has a revenue of 39\.80; its transactions total 19\.90/],
  ],
  [
    "a mandate that names another creditor than the one who has collected",
    "update mandates set creditor_name = 'Somebody else' where id = (select mandate_id from transactions where id = $1)",
    ({ paid }) => transaction(paid),
    [/TXN-\S+ was collected by Shop; its mandate MND-\S+ names Somebody else\./],
  ],
];

for (const [name, statement, of, expected] of PLANTED) {
  test(`planted: ${name}`, async () => {
    const one = await shop();
    await service.rows(`${statement} returning tenant`, [of(one)]);
    const differences = await differencesOf(one);
    for (const pattern of expected) {
      assert.ok(
        differences.some((words) => pattern.test(words)),
        `${pattern} in\n${differences.join("\n")}`,
      );
    }
    assert.equal(differences.length, expected.length, differences.join("\n"));
  });
}

test("planted: a session that was paid twice", async () => {
  const one = await shop();
  // The database forbids it by a constraint, which is dropped in this test's database.
  await service.rows("drop index transactions_one_success_per_session");
  await service.rows(
    `insert into transactions
       (tenant, id, session_id, order_id, lead_id, gateway_id, merchant_transaction_id, status, type, source,
        sequence_type, amount, currency, created_at, processed_at, updated_at)
     select tenant, gen_random_uuid(), session_id, order_id, lead_id, gateway_id, 'TXN-20260101-BBBBBBBB', status, type,
            'csv_import', sequence_type, amount, currency, created_at, processed_at, updated_at
       from transactions where id = $1 returning tenant`,
    [transaction(one.paid)],
  );
  const differences = await differencesOf(one);
  assert.match(differences.join("\n"), /Order ORD-\w+ was paid 2 times: TXN-20260101-BBBBBBBB, TXN-\S+\./);
});

test("an open movement is not a difference: charged with a lost response, at the customer's bank, or a running refund", async () => {
  const merchant = await createMerchant(service);
  await merchant.pay(await merchant.session(), IBAN.answerLost);
  await merchant.pay(await merchant.session(), IBAN.notCharged);
  await merchant.pay(await merchant.session(), IBAN.verification);
  await merchant.pay(await merchant.session(), IBAN.pending);
  await merchant.pay(await merchant.session(), IBAN.unreachable);
  await merchant.session();
  const slow = await merchant.pay(await merchant.session(), IBAN.slow);
  const path = `management/transactions/${slow.body["transaction"].id}/refunds/`;
  const refund = service.post(path, { amount: "1.00" }, { key: merchant.key });
  const of = async () =>
    (await checkBooks(service.db)).differences.filter((words) => words.includes(merchant.tenantId));
  assert.deepEqual(await of(), []);
  await refund;
  assert.deepEqual(await of(), []);
});

/** The command as an operator runs it. */
function cli(
  databaseUrl: string,
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const args = [join(import.meta.dirname, "../src/cli.ts"), "books", "check"];
  const env = { ...childEnv(), DATABASE_URL: databaseUrl };
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
  });
}

test("npm run cli -- books check exits with 0 and the sums if all agrees, and with 1 and the differences otherwise", async (t) => {
  const clean = await startService();
  t.after(() => clean.close());
  const merchant = await createMerchant(clean);
  const { body } = await merchant.pay(await merchant.session(), IBAN.approved);
  const good = await cli(clean.databaseUrl);
  assert.equal(good.code, 0, good.err);
  assert.match(
    good.out,
    /sales 1: 19\.90 {2}refunds 0: 0\.00 {2}chargebacks 0: 0\.00 EUR\nThe books agree\.\n$/,
  );
  await clean.rows("update orders set status = 'FAILED' where id = $1 returning 1", [body["order"].id]);
  const bad = await cli(clean.databaseUrl);
  assert.equal(bad.code, 1);
  assert.match(bad.err, /sales 1: 19\.90/);
  assert.match(
    bad.err,
    /do not agree:\n {2}SESSION-5: Tenant \S+: Order ORD-\w+ is FAILED; its transactions make it COMPLETED\.\n$/,
  );
});

test("books check reads one moment: what changes while it runs is not a difference", async () => {
  const one = await shop();
  const refunded = (amount: string) =>
    service.rows("update transactions set refunded = $2, refund_claimed = $2 where id = $1", [
      one.paid["transaction"].id,
      amount,
    ]);
  let hasRead = false;
  const { db } = service;
  const meanwhile: typeof db.transaction = (work) =>
    db.transaction((tx) =>
      work({
        ...tx,
        async query(...call) {
          const rows = await tx.query(...call);
          if (rows.length > 0 && !hasRead) {
            hasRead = true;
            await refunded("1.00");
          }
          return rows;
        },
      }),
    );
  const during = await checkBooks({ ...db, transaction: meanwhile });
  assert.deepEqual(
    during.differences.filter((words) => words.includes(one.merchant.tenantId)),
    [],
  );
  assert.notDeepEqual(await differencesOf(one), [], "the next check reports it");
  await refunded("0.00");
});
