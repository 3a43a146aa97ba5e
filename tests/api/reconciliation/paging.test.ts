/** Following next and previous through the lists, and cursors that are valid for one tenant only (contract: Cursors). */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createRecord } from "../../support/merchant.ts";
import { createLedger, idsOf, LISTS, START, type Ledger } from "../../support/ledger.ts";
import { startService, type Service } from "../../support/service.ts";

/** Each with another page size. */
const WALKS = 4;
/** The most rows that arrive during a walk, so that the walk ends. */
const ROWS_ARRIVING = 60;

let service: Service;
let ledger: Ledger;
let others: Ledger;

before(async () => {
  service = await startService();
  ledger = await createLedger(service);
  others = await createLedger(service);
});
after(() => service.close());

/** Rows of the lists' last two hours: several share a millisecond, so that pages are cut between them. */
async function fill(list: (typeof LISTS)[number], count: number): Promise<void> {
  for (let row = 0; row < count; row += 1)
    await ledger.add(list, new Date(Date.UTC(2026, 2, 2, 12) + Math.floor(row / 3)));
}

for (const list of LISTS) {
  test(`${list}: next leads through every record once, newest first, and previous leads back`, async () => {
    await fill(list, 23);
    const all = idsOf((await ledger.list(list, { page_size: 1000 })).body);
    assert.equal(all.length, 23);
    for (const size of [1, 5, 22, 23]) {
      const pages: { ids: readonly string[]; previous: string | null }[] = [];
      let page = (await ledger.list(list, { page_size: size })).body;
      for (;;) {
        pages.push({ ids: idsOf(page), previous: page["previous"] });
        if (page["next"] === null) break;
        page = (await ledger.follow(page["next"])).body;
      }
      assert.deepEqual(pages.map(({ ids }) => ids).flat(), all, `${size} a page`);
      assert.equal(pages[0]?.previous, null);
      for (const [index, { previous }] of pages.entries()) {
        if (previous === null) continue;
        const back = (await ledger.follow(previous)).body;
        assert.deepEqual(idsOf(back), pages[index - 1]?.ids);
      }
    }
  });

  test(`${list}: links are full URLs on PUBLIC_URL with the original parameters`, async () => {
    const parameters = { end_date: "2026-05-30", page_size: 2, format: "json" };
    const { body } = await ledger.list(list, parameters);
    const { next } = body;
    const previous = (await ledger.follow(next)).body["previous"];
    for (const link of [next, previous]) {
      const url = new URL(link);
      assert.equal(url.origin + url.pathname, `http://pay.example.test/api/v1/reconciliation/${list}/`);
      const { cursor, ...rest } = Object.fromEntries(url.searchParams);
      assert.match(cursor ?? "", /^[\w-]+$/);
      assert.deepEqual(rest, { start_date: START, end_date: "2026-05-30", page_size: "2", format: "json" });
    }
  });

  test(`${list}: a cursor with any one character changed is a 400 on cursor`, async () => {
    const { body } = await ledger.list(list, { page_size: 1 });
    const cursor = new URL(body["next"]).searchParams.get("cursor") ?? "";
    for (let at = 0; at < cursor.length; at += 1) {
      const altered = cursor.slice(0, at) + (cursor[at] === "A" ? "B" : "A") + cursor.slice(at + 1);
      const refused = await ledger.list(list, { page_size: 1, cursor: altered });
      assert.deepEqual([refused.status, Object.keys(refused.body)], [400, ["cursor", "status_code"]]);
    }
    assert.equal((await ledger.list(list, { page_size: 1, cursor })).status, 200);
  });

  test(`${list}: a cursor of another tenant, endpoint or filter is a 400 on cursor`, async () => {
    const { body } = await ledger.list(list, { page_size: 1 });
    const cursor = new URL(body["next"]).searchParams.get("cursor") ?? "";
    const statuses = { transactions: "approved", chargebacks: "charged_back", subscriptions: "ACTIVE" };
    const changes: readonly Readonly<Record<string, string>>[] = [
      { start_date: "2026-03-02" },
      { end_date: "2026-05-30" },
      { status: statuses[list] },
      { payment_gateway_id: ledger.merchant.gatewayId },
      { format: "csv" },
      list === "subscriptions"
        ? { next_billing_date_to: "2026-03-02" }
        : { type: list === "chargebacks" ? "chargeback" : "sdd_sale" },
    ];
    const answers = [
      await others.list(list, { page_size: 1, cursor }),
      ...(await Promise.all(
        LISTS.filter((name) => name !== list).map((name) => ledger.list(name, { page_size: 1, cursor })),
      )),
      ...(await Promise.all(changes.map((change) => ledger.list(list, { page_size: 1, cursor, ...change })))),
    ];
    for (const [index, { status, body: refused }] of answers.entries())
      assert.deepEqual([status, Object.keys(refused)], [400, ["cursor", "status_code"]], `answer ${index}`);
    assert.equal((await ledger.list(list, { page_size: 7, cursor })).status, 200, "another page_size");
  });
}

for (const [list, statuses, filter] of [
  ["transactions", ["declined", "charged_back", "refunded"], { type: "sdd_sale" }],
  ["subscriptions", ["PAST_DUE", "CANCELLED"], { next_billing_date_to: "2026-07-01" }],
] as const)
  test(`${list}: unusual statuses are paged together, forwards and backwards, each record once and no other`, async () => {
    for (let row = 0; row < 18; row += 1) {
      const status = statuses[row % statuses.length] ?? "";
      const cancelled = status === "CANCELLED" ? { cancelled_at: "2016-05-05T00:00:00Z" } : {};
      const at = new Date(Date.UTC(2016, 4, 5, 12) + Math.floor(row / 6));
      const fits = list === "transactions" ? { type: "sdd_sale" } : { next_billing_date: "2026-07-01" };
      const not = list === "transactions" ? { type: "sdd_rebill" } : { next_billing_date: "2026-07-02" };
      await ledger.add(list, at, { status, ...cancelled, ...fits });
      if (row % 3 === 0) await ledger.add(list, at, { status, ...cancelled, ...not });
    }
    const days = { start_date: "2016-05-05", end_date: "2016-05-06" };
    const asked = { ...days, ...filter, status: statuses.join(",") };
    const all = idsOf((await ledger.list(list, { ...asked, page_size: 1000 })).body);
    assert.equal(all.length, 18);
    for (const size of [1, 4, 17]) {
      let page = (await ledger.list(list, { ...asked, page_size: size })).body;
      const forth = [...idsOf(page)];
      while (page["next"] !== null) {
        page = (await ledger.follow(page["next"])).body;
        forth.push(...idsOf(page));
      }
      assert.deepEqual(forth, all, `${size} a page`);
      const back = [...idsOf(page)];
      while (page["previous"] !== null) {
        page = (await ledger.follow(page["previous"])).body;
        back.unshift(...idsOf(page));
      }
      assert.deepEqual(back, all, `${size} a page, back`);
    }
  });

test("while rows arrive, every row that was there comes exactly once and in order", async () => {
  const there = idsOf((await ledger.list("transactions", { page_size: 1000 })).body);
  const known = new Set(there);
  for (let walk = 0; walk < WALKS; walk += 1) {
    const seen: string[] = [];
    let arrived = 0;
    let page = (await ledger.list("transactions", { page_size: 5 + walk })).body;
    for (;;) {
      seen.push(...idsOf(page));
      if (page["next"] === null) break;
      // Newer, older and between: each lands on pages that were read, are being read and will be.
      const arriving = arrived < ROWS_ARRIVING ? [-1, 0, 1] : [];
      const [answer] = await Promise.all([
        ledger.follow(page["next"]),
        ...arriving.map((hours) =>
          ledger.add("transactions", new Date(Date.UTC(2026, 2, 2, 12 + hours) + (arrived % 10))),
        ),
      ]);
      arrived += arriving.length;
      page = answer.body;
    }
    assert.ok(arrived > 0, "rows arrived meanwhile");
    assert.equal(new Set(seen).size, seen.length, "no row twice");
    assert.deepEqual(
      seen.filter((id) => known.has(id)),
      there,
    );
  }

  const rows = await service.rows(
    "select id from transactions where tenant = $1 and processed_at >= $2 order by processed_at desc, id desc",
    [ledger.tenant, START],
  );
  assert.deepEqual(
    await ledger.walk("transactions", { page_size: 50 }),
    rows.map(({ id }) => id),
  );
});

test("a record that moves on while the list is read keeps its place", async () => {
  const id = await ledger.add("transactions", "2026-03-20T12:00:00Z", { status: "pending" });
  const first = (await ledger.list("transactions", { page_size: 1, start_date: "2026-03-20" })).body;
  assert.deepEqual(idsOf(first), [id]);
  await ledger.add("transactions", "2026-03-20T11:00:00Z");
  const again = (await ledger.list("transactions", { page_size: 1, start_date: "2026-03-20" })).body;
  await service.rows("update transactions set status = 'approved', updated_at = now() where id = $1", [id]);
  const second = (await ledger.follow(again["next"])).body;
  assert.ok(!idsOf(second).includes(id));
  assert.deepEqual(idsOf((await ledger.follow(second["previous"])).body), [id]);
});

test("a time is stored to the millisecond, as it is shown, so that no page loses a record", async () => {
  const ids: string[] = [];
  for (const micros of ["000400", "000300", "000200", "000100"])
    ids.push(await ledger.add("transactions", `2026-04-20T12:00:00.${micros}Z`));
  const seen = await ledger.walk("transactions", { start_date: "2026-04-20", page_size: 1 });
  assert.deepEqual(seen.toSorted(), ids.toSorted());
});

test("a cursor works with the tenant's other keys after its own key was revoked", async () => {
  const { api_key: key, id } = await createRecord(service, ledger.merchant.key, "api-keys", { name: "Old" });
  const page = await service.get(`reconciliation/transactions/?start_date=${START}&page_size=1`, { key });
  await service.post(`management/api-keys/${id}/revoke/`, {}, { key: ledger.merchant.key });
  assert.equal((await ledger.follow(page.body["next"])).status, 200);
});
