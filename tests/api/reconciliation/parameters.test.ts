/** Every parameter of the reconciliation lists: what it keeps, at its edges, and what is refused (contract: Reconciliation parameters). */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { createSandbox } from "../../support/merchant.ts";
import { createLedger, idsOf, LISTS, START, type Ledger, type Listed } from "../../support/ledger.ts";
import { startService, type Service } from "../../support/service.ts";

let service: Service;
let ledger: Ledger;

before(async () => {
  service = await startService();
  ledger = await createLedger(service);
});
after(() => service.close());

/** The ids that a query lists, all on one page. */
async function listed(list: Listed, parameters: Record<string, string | number>) {
  const { status, body, text } = await ledger.list(list, { page_size: 1000, ...parameters });
  assert.equal(status, 200, text);
  return idsOf(body);
}

for (const list of LISTS) {
  test(`${list}: a day begins at 00:00:00.000 and ends at 23:59:59.999 UTC, both included`, async () => {
    const [day, times] = [
      "2026-05-05",
      [
        "2026-05-04T23:59:59.999Z",
        "2026-05-05T00:00:00.000Z",
        "2026-05-05T23:59:59.999Z",
        "2026-05-06T00:00:00.000Z",
      ],
    ];
    const ids: string[] = [];
    for (const at of times) ids.push(await ledger.add(list, at));
    assert.deepEqual(await listed(list, { start_date: day, end_date: day }), [ids[2], ids[1]]);
    assert.deepEqual(await listed(list, { start_date: "2026-05-04", end_date: day }), [
      ids[2],
      ids[1],
      ids[0],
    ]);
    assert.deepEqual(await listed(list, { start_date: day, end_date: "2026-05-06" }), [
      ids[3],
      ids[2],
      ids[1],
    ]);
  });

  test(`${list}: without end_date the list ends 90 days after start_date`, async () => {
    const inside = await ledger.add(list, "2024-03-31T23:59:59.999Z");
    await ledger.add(list, "2024-04-01T00:00:00.000Z");
    // 2024-01-01 + 90 days is 31 March, as 2024 has a 29 February.
    assert.deepEqual(await listed(list, { start_date: "2024-01-01" }), [inside]);
    assert.deepEqual(await listed(list, { start_date: "2024-01-01", end_date: "2024-03-31" }), [inside]);
  });

  test(`${list}: rows of one millisecond are listed by id, newest first`, async () => {
    const at = "2025-01-01T12:00:00.000Z";
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.push(await ledger.add(list, at));
    assert.deepEqual(await listed(list, { start_date: "2025-01-01" }), ids.toSorted().toReversed());
  });

  test(`${list}: payment_gateway_id keeps the records of that account`, async () => {
    const other = await createSandbox(service, ledger.merchant.key, { name: "Other" });
    const [day, time] = ["2023-05-05", "2023-05-05T12:00:00Z"];
    const ours = await ledger.add(list, time);
    const theirs = await ledger.add(list, time, { gateway_id: other });
    const of = (gateway: string) => listed(list, { start_date: day, payment_gateway_id: gateway });
    assert.deepEqual(await of(ledger.merchant.gatewayId), [ours]);
    assert.deepEqual(await of(other), [theirs]);
    assert.deepEqual(await of(other.toUpperCase()), [theirs]);
    assert.deepEqual(await of(randomUUID()), []);
  });

  test(`${list}: page_size bounds the page`, async () => {
    const day = "2022-05-05";
    for (let count = 0; count < 3; count += 1) await ledger.add(list, `${day}T00:00:0${count}Z`);
    const sizes = async (parameters: Record<string, string | number>) =>
      idsOf((await ledger.list(list, { start_date: day, ...parameters })).body).length;
    assert.equal(await sizes({ page_size: 1 }), 1);
    assert.equal(await sizes({ page_size: 1000 }), 3);
  });
}

test("page_size: 100 records without it, and as many as 1000 when asked for", async () => {
  await service.rows(
    `insert into chargebacks (tenant, id, gateway_id, merchant_transaction_id, amount, currency, report_date, source,
                              created_at, updated_at)
     select $1, gen_random_uuid(), $2, 'page-' || n, 1, 'EUR', timestamptz '2021-05-05' + n * interval '1 second', 'manual',
            now(), now()
       from generate_series(1, 1001) n`,
    [ledger.tenant, ledger.merchant.gatewayId],
  );
  const page = async (parameters: object) =>
    (await ledger.list("chargebacks", { start_date: "2021-05-05", ...parameters })).body;
  assert.equal(idsOf(await page({})).length, 100);
  const thousand = await page({ page_size: 1000 });
  assert.equal(idsOf(thousand).length, 1000);
  assert.equal(idsOf((await ledger.follow(thousand["next"])).body).length, 1);
});

const STATUSES = {
  transactions: ["pending", "approved", "declined", "refunded", "charged_back"],
  chargebacks: ["charged_back"],
  subscriptions: ["ACTIVE", "PAST_DUE", "CANCELLED"],
} as const;

for (const list of LISTS) {
  test(`${list}: status keeps each of its values, alone and in a list`, async () => {
    const ids = new Map<string, string>();
    for (const [hour, status] of STATUSES[list].entries()) {
      const cancelled = status === "CANCELLED" ? { cancelled_at: "2020-05-05T00:00:00Z" } : {};
      ids.set(status, await ledger.add(list, `2020-05-05T1${hour}:00:00Z`, { status, ...cancelled }));
    }
    const of = (status: string) => listed(list, { start_date: "2020-05-05", status });
    for (const status of STATUSES[list]) assert.deepEqual(await of(status), [ids.get(status)], status);
    assert.deepEqual(await of(STATUSES[list].join(",")), [...ids.values()].toReversed());
    assert.deepEqual(await of(`${STATUSES[list][0]},${STATUSES[list][0]}`), [ids.get(STATUSES[list][0])]);
  });
}

test("type keeps each of its values, alone and in a list; subscriptions have none and refuse it", async () => {
  const types = ["sdd_sale", "sdd_rebill", "sdd_refund", "other_type"];
  const ids: string[] = [];
  for (const [hour, type] of types.entries())
    ids.push(await ledger.add("transactions", `2019-05-05T1${hour}:00:00Z`, { type }));
  const chargeback = await ledger.add("chargebacks", "2019-05-05T12:00:00Z");
  const of = (list: Listed, type: string) => listed(list, { start_date: "2019-05-05", type });
  for (const [index, type] of types.entries()) assert.deepEqual(await of("transactions", type), [ids[index]]);
  assert.deepEqual(await of("transactions", "sdd_sale,sdd_refund"), [ids[2], ids[0]]);
  assert.deepEqual(await of("chargebacks", "chargeback"), [chargeback]);
  const refused = await ledger.list("subscriptions", { start_date: "2019-05-05", type: "sdd_sale" });
  assert.deepEqual([refused.status, Object.keys(refused.body)], [400, ["type", "status_code"]]);
});

test("next_billing_date_from and _to include both days, and leave out subscriptions without a next billing", async () => {
  const ids: string[] = [];
  for (const [hour, day] of ["2026-07-01", "2026-07-02", "2026-07-03", null].entries())
    ids.push(await ledger.add("subscriptions", `2018-05-05T1${hour}:00:00Z`, { next_billing_date: day }));
  const of = (parameters: Record<string, string>) =>
    listed("subscriptions", { start_date: "2018-05-05", ...parameters });
  const [first, second, third] = ids;
  assert.deepEqual(await of({ next_billing_date_from: "2026-07-02" }), [third, second]);
  assert.deepEqual(await of({ next_billing_date_to: "2026-07-02" }), [second, first]);
  const day = { next_billing_date_from: "2026-07-02", next_billing_date_to: "2026-07-02" };
  assert.deepEqual(await of(day), [second]);
  assert.equal((await of({})).length, 4);
});

test("open transactions have no date_processed and are not listed", async () => {
  const resolving = {
    processed_at: null,
    resolve_at: "2026-01-01T00:00:00Z",
    verification_url: "https://example.com",
  };
  for (const status of ["submitted", "unresolved", "awaiting_verification", "verifying"])
    await ledger.add("transactions", "2017-05-05T12:00:00Z", { ...resolving, status });
  const processed = await ledger.add("transactions", "2017-05-05T12:00:00Z");
  assert.deepEqual(await listed("transactions", { start_date: "2017-05-05" }), [processed]);
});

test("an unknown parameter is 400 on its name, together with other errors", async () => {
  const { status, body } = await ledger.list("chargebacks", { statsu: "x", page_size: 0 });
  assert.equal(status, 400);
  assert.deepEqual(Object.keys(body).toSorted(), ["page_size", "statsu", "status_code"]);
});

test("the first and the last day that can be written are accepted", async () => {
  for (const list of LISTS) {
    for (const day of ["0001-01-01", "9999-12-31"])
      assert.equal((await ledger.list(list, { start_date: day, end_date: day })).status, 200, day);
    assert.equal((await ledger.list(list, { start_date: "9999-12-31" })).status, 200);
  }
});

const REFUSED: readonly (readonly [field: string, values: readonly (string | undefined)[]])[] = [
  [
    "start_date",
    [undefined, "", "2026-3-1", "2026-02-29", "01.03.2026", "2026-03-01T00:00:00Z", "0000-01-01", "x"],
  ],
  ["end_date", ["", "2026-13-01", "today", "2026-02-28", "2026-05-31", "9999-12-31"]],
  ["status", ["", "bogus", "approved,", ",approved", "approved, declined", "approved;declined", "submitted"]],
  ["payment_gateway_id", ["", "1", "{00000000-0000-0000-0000-000000000000}", "urn:uuid:x"]],
  ["format", ["", "JSON", "yaml", "json,xml"]],
  ["page_size", ["", "0", "1001", "-1", "1.5", "1e2", "ten", "0x10", "99999999999999999999"]],
  ["cursor", ["", "x", "A".repeat(56), "A".repeat(57)]],
];

for (const list of LISTS) {
  for (const [field, values] of REFUSED) {
    test(`${list}: a ${field} that cannot be used is a 400 on that field alone`, async () => {
      for (const value of values) {
        const { status, body, text } = await ledger.list(list, { [field]: value });
        assert.equal(status, 400, `${value}: ${text}`);
        assert.deepEqual(Object.keys(body), [field, "status_code"], `${value}: ${text}`);
        assert.ok(Array.isArray(body[field]) && body[field].length > 0);
      }
    });
  }
}

test("end_date: 90 days after start_date is accepted, 91 and the day before are not", async () => {
  for (const list of LISTS) {
    for (const [endDate, status] of [
      ["2026-05-30", 200],
      ["2026-05-31", 400],
      [START, 200],
      ["2026-02-28", 400],
    ] as const)
      assert.equal((await ledger.list(list, { end_date: endDate })).status, status, endDate);
  }
});

test("next_billing_date: malformed and reversed days are a 400 on their field", async () => {
  for (const [parameters, field] of [
    [{ next_billing_date_from: "soon" }, "next_billing_date_from"],
    [{ next_billing_date_to: "2026-02-30" }, "next_billing_date_to"],
    [{ next_billing_date_from: "2026-07-02", next_billing_date_to: "2026-07-01" }, "next_billing_date_to"],
  ] as const) {
    const { status, body } = await ledger.list("subscriptions", parameters);
    assert.deepEqual([status, Object.keys(body)], [400, [field, "status_code"]]);
  }
});

test("all invalid fields are reported at once, in JSON whatever the format", async () => {
  const wrong = {
    start_date: undefined,
    end_date: "x",
    status: "x",
    type: "x",
    payment_gateway_id: "x",
    page_size: 0,
    cursor: "x",
  };
  for (const format of ["json", "xml", "csv", "x"]) {
    const { status, body, headers } = await ledger.list("transactions", { ...wrong, format });
    const fields = Object.keys(wrong).concat(format === "x" ? ["format"] : [], "status_code");
    assert.deepEqual([status, Object.keys(body).toSorted()], [400, fields.toSorted()]);
    assert.match(String(headers["content-type"]), /^application\/json/);
  }
  const reversed = { start_date: "2026-03-02", end_date: "2026-03-01", page_size: 0, cursor: "x" };
  const { body } = await ledger.list("subscriptions", {
    ...reversed,
    next_billing_date_from: "2026-03-02",
    next_billing_date_to: "2026-03-01",
  });
  assert.deepEqual(
    Object.keys(body).toSorted(),
    ["cursor", "end_date", "next_billing_date_to", "page_size", "status_code"].toSorted(),
  );
});

test("a parameter given twice is a 400 on it", async () => {
  const { status, body } = await service.get(
    `reconciliation/transactions/?start_date=${START}&start_date=${START}&cursor=a&cursor=b`,
    { key: ledger.merchant.key },
  );
  assert.deepEqual([status, Object.keys(body)], [400, ["start_date", "cursor", "status_code"]]);
});
