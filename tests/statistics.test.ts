/** Figures over time equal a count by hand, with or without aggregation, and contain only the tenant's records. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { manualClock } from "../src/lib/clock.ts";
import { addDays, utcDate } from "../src/lib/dates.ts";
import { countExpected } from "../src/reports/statistics/expected.ts";
import { countFiguresJob } from "../src/reports/statistics/job.ts";
import { countDueDay, noteFigureDays } from "../src/reports/statistics/store.ts";
import { createMerchant, IBAN, lead, type Merchant } from "./support/merchant.ts";
import { startService, type Json, type Service } from "./support/service.ts";

const clock = manualClock(new Date("2026-11-02T10:00:00Z"));
let service: Service;
let shop: Merchant;
let other: Merchant;

before(async () => {
  service = await startService({ clock });
  shop = await createMerchant(service);
  other = await createMerchant(service);
});
after(() => service.close());

/** Makes a payment. @returns its transaction's id. */
async function paid(
  amount: string,
  {
    iban = IBAN.approved,
    country = "DE",
    as = shop,
  }: { readonly iban?: string; readonly country?: string; readonly as?: Merchant } = {},
): Promise<string> {
  const created = await as.create({ amount, lead: lead({ country }) });
  assert.equal(created.status, 201, created.text);
  const { body, text } = await as.pay(created.body["session_token"], iban);
  assert.ok(body["transaction"], text);
  return body["transaction"].id;
}

async function asked(query: string, as = shop): Promise<Json> {
  const { status, body, text } = await service.get(`management/statistics/?${query}`, { key: as.key });
  assert.equal(status, 200, text);
  return body;
}

/** The cells that are not zero. */
function cells(body: Json): readonly Json[] {
  return body["results"].map((row: Json) =>
    Object.fromEntries(
      Object.entries(row).flatMap(([name, value]) => {
        if (value === null || value?.count === 0) return [];
        return [[name, value.count === undefined ? value : `${value.count} ${value.amount}`]];
      }),
    ),
  );
}

test("figures: payments by their day and outcome, refunds by their own day, in whole periods of UTC", async () => {
  const first = await paid("10.00");
  await paid("20.50", { iban: IBAN.insufficientFunds });
  await paid("5.00", { as: other });
  clock.advance(14 * 3_600_000 - 1);
  await paid("7.00", { country: "AT" });
  clock.advance(1);
  const charged = await paid("8.00");
  const refund = await service.post(
    `management/transactions/${first}/refunds/`,
    { amount: "4.00" },
    { key: shop.key },
  );
  assert.equal(refund.status, 201, refund.text);
  const back = await service.post(
    "management/chargebacks/",
    { transaction_id: charged, report_date: "2026-11-03", reason_code: "MD06" },
    { key: shop.key },
  );
  assert.equal(back.status, 201, back.text);

  const days = "from=2026-11-01&to=2026-11-30";
  const expected = [
    { start: "2026-11-02", currency: "EUR", collected: "2 17.00", declined: "1 20.50" },
    { start: "2026-11-03", currency: "EUR", returned: "1 8.00", refunds: "1 4.00" },
  ];
  assert.deepEqual(cells(await asked(days)), expected);
  const whole = {
    currency: "EUR",
    collected: "2 17.00",
    declined: "1 20.50",
    returned: "1 8.00",
    refunds: "1 4.00",
  };
  assert.deepEqual(cells(await asked(`${days}&by=week`)), [{ start: "2026-11-02", ...whole }]);
  assert.deepEqual(cells(await asked(`${days}&by=month`)), [{ start: "2026-11-01", ...whole }]);
  assert.deepEqual(cells(await asked("from=2026-11-02&to=2026-11-03&by=month")), [
    { start: "2026-11-02", ...whole },
  ]);
  assert.deepEqual(cells(await asked("from=2026-11-01&to=2026-11-02&by=total")), [
    { start: "2026-11-01", currency: "EUR", collected: "2 17.00", declined: "1 20.50" },
  ]);
  assert.deepEqual(
    cells(await asked(`${days}&by=total&group_by=country`)).map((row) => [row["group_id"], row["collected"]]),
    [
      ["AT", "1 7.00"],
      ["DE", "1 10.00"],
    ],
  );
  assert.deepEqual(
    cells(await asked(`${days}&by=total&group_by=reason`)).map((row) => [
      row["group_id"],
      row["declined"] ?? row["returned"],
    ]),
    [
      ["MD06", "1 8.00"],
      ["insufficient_funds", "1 20.50"],
      [undefined, undefined],
    ],
  );
  const [gateway] = cells(await asked(`${days}&by=total&group_by=gateway`));
  assert.equal(gateway?.["group_id"], shop.gatewayId);
  assert.ok(gateway?.["group_name"]);
  assert.deepEqual(cells(await asked(days, other)), [
    { start: "2026-11-02", currency: "EUR", collected: "1 5.00" },
  ]);
});

test("figures: they are the same after the job has counted the days, and include later changes after an hour", async () => {
  clock.advance(24 * 3_600_000);
  const days = "from=2026-10-05&to=2026-11-30";
  const uncounted = await asked(days);
  const grouped = await asked(`${days}&group_by=reason`);
  const job = countFiguresJob(service.app.deps, null);
  assert.equal(
    await job.runOnce(job.batch, AbortSignal.abort()),
    0,
    "a service that ends waits for no further day",
  );
  assert.ok((await job.runOnce(job.batch)) >= 3);
  assert.equal(await job.runOnce(job.batch), 0, "nothing is due twice");
  assert.deepEqual((await asked(days))["results"], uncounted["results"]);
  assert.deepEqual((await asked(`${days}&group_by=reason`))["results"], grouped["results"]);
  const minuteAgo = new Date(clock.now().getTime() - 60_000);
  assert.equal((await asked(days))["as_of"], minuteAgo.toISOString());

  const { body } = await service.get("management/transactions/?amount_min=7&amount_max=7", { key: shop.key });
  const back = await service.post(
    "management/chargebacks/",
    { transaction_id: body["results"][0].id, report_date: "2026-11-04", reason_code: "AM04" },
    { key: shop.key },
  );
  assert.equal(back.status, 201, back.text);
  assert.deepEqual((await asked(days))["results"], uncounted["results"], "as of the count");
  clock.advance(3_600_000);
  await job.runOnce(job.batch);
  assert.deepEqual(cells(await asked("from=2026-11-02&to=2026-11-02")), [
    { start: "2026-11-02", currency: "EUR", collected: "1 10.00", declined: "1 20.50", returned: "1 7.00" },
  ]);
});

test("figures: a day that two instances count at once is counted once", async () => {
  clock.advance(3_600_000);
  const { db } = service.app.deps;
  const [{ tenant } = { tenant: 0 }] = await service.rows("select tenant from tenants where id = $1", [
    shop.tenantId,
  ]);
  const uncounted = cells(await asked("from=2026-11-02&to=2026-11-03"));
  const counted = await Promise.all(
    Array.from({ length: 4 }, async () => {
      let days = 0;
      while (await countDueDay(db, tenant, clock.now())) days += 1;
      return days;
    }),
  );
  assert.equal(
    counted.reduce((sum, days) => sum + days, 0),
    2,
  );
  assert.deepEqual(cells(await asked("from=2026-11-02&to=2026-11-03")), uncounted);
});

test("figures: a day that was counted before its end includes later payments, each once", async () => {
  const { db } = service.app.deps;
  const [{ tenant } = { tenant: 0 }] = await service.rows("select tenant from tenants where id = $1", [
    other.tenantId,
  ]);
  clock.advance(24 * 3_600_000);
  const day = utcDate(clock.now());
  const today = `from=${day}&to=${day}`;
  await paid("1.00", { as: other });
  clock.advance(2 * 3_600_000);
  await paid("2.00", { as: other });
  clock.advance(59_000);
  await paid("4.00", { as: other });
  await service.rows("insert into figure_days (tenant, day, due_at) values ($1, $2, $3) returning day", [
    tenant,
    day,
    clock.now(),
  ]);
  // Counts hour by hour, as on a day with many payments.
  assert.equal(await countDueDay(db, tenant, clock.now(), 0), true);
  const parts = await service.rows("select count from daily_figures where tenant = $1 and day = $2", [
    tenant,
    day,
  ]);
  // Only the first is counted, because the second is less than a minute old.
  assert.deepEqual(parts, [{ count: 1 }]);
  await paid("8.00", { as: other });
  const all = [{ start: day, currency: "EUR", collected: "4 15.00" }];
  assert.deepEqual(cells(await asked(today, other)), all);
  clock.advance(10 * 60_000);
  assert.equal(await countDueDay(db, tenant, clock.now(), 0), true);
  assert.deepEqual(cells(await asked(today, other)), all, "counted anew after ten minutes");
  clock.advance(24 * 3_600_000);
  while (await countDueDay(db, tenant, clock.now()));
  assert.deepEqual(cells(await asked(today, other)), all, "and when the day is over");
});

test("figures: a day that waits for its first count shows its payments", async () => {
  const day = utcDate(clock.now());
  await paid("6.00");
  clock.advance(24 * 3_600_000);
  const [{ tenant } = { tenant: 0 }] = await service.rows("select tenant from tenants where id = $1", [
    shop.tenantId,
  ]);
  await noteFigureDays(service.app.deps.db, tenant, clock.now(), utcDate(clock.now()));
  const waiting = await service.rows(
    "select day::text as day from figure_days where tenant = $1 and counted_at is null",
    [tenant],
  );
  assert.deepEqual(waiting, [{ day }]);
  assert.deepEqual(cells(await asked(`from=${day}&to=${day}`)), [
    { start: day, currency: "EUR", collected: "1 6.00" },
  ]);
});

test("figures: an invalid query is a 400 on its field", async () => {
  for (const [query, field] of [
    ["from=2026-11-02&to=2026-11-01", "to"],
    ["from=2020-01-01&to=2026-11-01", "from"],
    ["by=hour", "by"],
    ["group_by=customer", "group_by"],
    ["day=2026-11-01", "day"],
    ["from=yesterday", "from"],
  ] as const) {
    const { status, body } = await service.get(`management/statistics/?${query}`, { key: shop.key });
    assert.deepEqual([status, Object.keys(body)], [400, [field, "status_code"]], query);
  }
});

test("expected: the cycles of the next 30 days by day, without subscriptions that end or have ended", async () => {
  const made = async (amount: string) => {
    const created = await shop.create({
      amount,
      billing_type: "recurring",
      billing_frequency: "weekly",
      lead: lead(),
    });
    assert.equal(created.status, 201, created.text);
    const { body, text } = await shop.pay(created.body["session_token"], IBAN.approved);
    assert.ok(body["subscription"] ?? body["order"], text);
  };
  await made("3.00");
  await made("4.50");
  const ending = await service.get("management/subscriptions/", { key: shop.key });
  const { id } = ending.body["results"][0];
  const answer = async () =>
    (await service.get("management/statistics/expected/", { key: shop.key })).body["results"];
  const both = await answer();
  assert.deepEqual(both, [
    {
      day: both[0].day,
      currency: "EUR",
      settlements: { count: 0, amount: "0.00" },
      renewals: { count: 2, amount: "7.50" },
      retries: { count: 0, amount: "0.00" },
    },
  ]);
  const on = async (days: string) =>
    (await service.get(`management/statistics/expected/?${days}`, { key: shop.key })).body["results"];
  const day: string = both[0]?.["day"];
  assert.deepEqual(await on(`from=${day}&to=${day}`), both);
  assert.deepEqual(await on(`from=${addDays(day, 1)}`), []);
  const wrong = await service.get("management/statistics/expected/?from=2026-03-02&to=2026-03-01", {
    key: shop.key,
  });
  assert.equal(wrong.status, 400);
  const due = `management/subscriptions/?next_billing_date_from=${day}&next_billing_date_to=`;
  assert.equal((await service.get(due + day, { key: shop.key })).body["results"].length, 2);
  assert.equal((await service.get(due + addDays(day, -1), { key: shop.key })).body["results"].length, 0);
  const cancelled = await service.post(`management/subscriptions/${id}/cancel/`, {}, { key: shop.key });
  assert.equal(cancelled.status, 200, cancelled.text);
  assert.deepEqual((await answer())[0].renewals, { count: 1, amount: "3.00" });
  const [, { id: rest }] = ending.body["results"];
  const period = { at_period_end: true };
  const ended = await service.post(`management/subscriptions/${rest}/cancel/`, period, { key: shop.key });
  assert.equal(ended.status, 200, ended.text);
  assert.deepEqual(await answer(), []);
});

test("returns: a week's payments are counted by the weeks until their return; the last column has all later ones", async () => {
  const seller = await createMerchant(service);
  const opened = clock.now().getTime();
  const [soon, late, latest] = [
    await paid("1.00", { as: seller }),
    await paid("2.00", { as: seller }),
    await paid("3.00", { as: seller }),
  ];
  await paid("4.00", { as: seller });
  const back = async (id: string, days: number) => {
    clock.advance(opened + days * 86_400_000 - clock.now().getTime());
    const given = { transaction_id: id, reason_code: "MD06" };
    assert.equal((await service.post("management/chargebacks/", given, { key: seller.key })).status, 201);
  };
  await back(soon, 1);
  await back(late, 15);
  await back(latest, 70);
  const { body } = await service.get("management/statistics/returns/", { key: seller.key });
  assert.deepEqual(
    body["results"].map(({ week: _, ...row }: Json) => row),
    [{ currency: "EUR", collected: 4, returned: 3, returned_by_age: [1, 0, 1, 0, 0, 0, 0, 0, 1] }],
  );
  const narrow = await service.get("management/statistics/returns/?weeks=2", { key: seller.key });
  assert.deepEqual(narrow.body["results"], []);
  assert.equal(
    (await service.get("management/statistics/returns/?weeks=0", { key: seller.key })).status,
    400,
  );
});

test("expected: the job's sums equal a direct count, are renewed after ten minutes, and are not stored for few cycles", async () => {
  const { db } = service.app.deps;
  const [{ tenant } = { tenant: 0 }] = await service.rows("select tenant from tenants where id = $1", [
    other.tenantId,
  ]);
  const subscribe = async (amount: string): Promise<void> => {
    const created = await other.create({ amount, billing_type: "RECURRING", billing_frequency: "WEEKLY" });
    const { text, body } = await other.pay(created.body["session_token"], IBAN.approved);
    assert.ok(body["transaction"], text);
  };
  const coming = async (): Promise<readonly Json[]> =>
    (await service.get("management/statistics/expected/", { key: other.key })).body["results"];
  const asOf = async (): Promise<string> =>
    (await service.get("management/statistics/expected/", { key: other.key })).body["as_of"];
  await subscribe("3.00");
  await subscribe("4.00");
  assert.equal(await asOf(), clock.now().toISOString());
  const live = await coming();
  assert.deepEqual(
    live.map((row) => row["renewals"]),
    [{ count: 2, amount: "7.00" }],
  );
  await Promise.all(Array.from({ length: 3 }, () => countExpected(db, tenant, clock.now(), 1)));
  assert.deepEqual(await coming(), live);
  const countedAt = clock.now().toISOString();
  clock.advance(60_000);
  assert.equal(await asOf(), countedAt);
  await subscribe("5.00");
  await countExpected(db, tenant, clock.now(), 1);
  assert.deepEqual(await coming(), live, "as of the count");
  clock.advance(10 * 60_000);
  await countExpected(db, tenant, clock.now(), 1);
  assert.deepEqual(
    (await coming()).map((row) => row["renewals"]),
    [{ count: 3, amount: "12.00" }],
  );
  const before = addDays(utcDate(clock.now()), -40);
  const ahead = addDays(utcDate(clock.now()), 20);
  const long = await service.get(`management/statistics/expected/?from=${before}&to=${ahead}`, {
    key: other.key,
  });
  assert.equal(long.body["results"].length, 1, "more days than were added up are added up at a look");
  const [far] = await service.rows(
    `update subscriptions set next_billing_date = next_billing_date + 420
      where id = (select id from subscriptions where tenant = $1 order by created_at limit 1) returning next_billing_date::text as day`,
    [tenant],
  );
  const later = await service.get(
    `management/statistics/expected/?from=${addDays(far?.["day"], -399)}&to=${far?.["day"]}`,
    { key: other.key },
  );
  assert.equal(later.body["results"].at(-1)?.["day"], far?.["day"], "nor days that end after these");
  await service.rows(
    "update subscriptions set next_billing_date = next_billing_date - 420 where tenant = $1 and next_billing_date = $2",
    [tenant, far?.["day"]],
  );
  clock.advance(10 * 60_000);
  await countExpected(db, tenant, clock.now(), 3);
  const left = await service.rows("select tenant from expected_counts where tenant = $1", [tenant]);
  assert.deepEqual(left, []);
  assert.deepEqual(
    (await coming()).map((row) => row["renewals"]),
    [{ count: 3, amount: "12.00" }],
  );
  const due: string = long.body["results"][0].day;
  clock.advance(Date.parse(`${addDays(due, 5)}T10:00:00Z`) - clock.now().getTime());
  await subscribe("6.00");
  await subscribe("7.00");
  await countExpected(db, tenant, clock.now(), 1);
  const since = await service.get(`management/statistics/expected/?from=${due}`, { key: other.key });
  assert.deepEqual(
    since.body["results"].map((row: Json) => [row["day"], row["renewals"].count]),
    [
      [due, 3],
      [addDays(due, 12), 2],
    ],
    "what was due before the days that were added up is there as well",
  );
});
