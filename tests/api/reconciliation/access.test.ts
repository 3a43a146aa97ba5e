/** Access to the reconciliation lists, their rate limits, and the isolation of tenants. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { manualClock } from "../../../src/lib/clock.ts";
import { createMerchant, createRecord } from "../../support/merchant.ts";
import { createLedger, LISTS, START, type Ledger } from "../../support/ledger.ts";
import { OPERATOR_KEY, startService, type Service } from "../../support/service.ts";

let service: Service;
let ledger: Ledger;
let theirs: Ledger;

before(async () => {
  service = await startService();
  [ledger, theirs] = [await createLedger(service), await createLedger(service)];
  for (const list of LISTS) {
    await ledger.add(list, "2026-03-02T12:00:00Z");
    await theirs.add(list, "2026-03-02T12:00:00Z");
  }
});
after(() => service.close());

const url = (list: string, more = "") => `reconciliation/${list}/?start_date=${START}${more}`;

for (const list of LISTS) {
  test(`${list}: 401 without a key, with a wrong one, a session token or the word Bearer missing`, async () => {
    const token = await ledger.merchant.session();
    const answers = [
      await service.get(url(list)),
      await service.get(url(list), { key: `rk_${"x".repeat(40)}` }),
      await service.get(url(list), { key: token }),
      await service.get(url(list), { headers: { authorization: ledger.merchant.key } }),
    ];
    for (const { status, headers, body } of answers) {
      assert.equal(status, 401);
      assert.equal(headers["www-authenticate"], "Bearer");
      assert.deepEqual(body, {
        detail: "Authentication credentials were not provided or are invalid.",
        code: "unauthorized",
        status_code: 401,
      });
    }
  });

  test(`${list}: 403 for a key without the scope, 200 for one that has nothing else`, async () => {
    const keyWith = async (scopes: readonly string[]): Promise<string> =>
      (await createRecord(service, ledger.merchant.key, "api-keys", { name: "Scoped", scopes }))["api_key"];
    const refused = await service.get(url(list), { key: await keyWith(["payments", "management"]) });
    assert.deepEqual([refused.status, refused.body["status_code"]], [403, 403]);
    assert.equal((await service.get(url(list), { key: await keyWith(["reconciliation"]) })).status, 200);
    assert.ok([401, 403].includes((await service.get(url(list), { key: OPERATOR_KEY })).status));
  });

  test(`${list}: 50 requests per second and key; the next is a 429 that says when to come back`, async () => {
    // The clock is stopped, so 60 requests are within a second.
    const still = await startService({ clock: manualClock(new Date()) });
    const { key } = await createMerchant(still);
    const answers = await Promise.all(Array.from({ length: 60 }, () => still.get(url(list), { key })));
    await still.close();
    const throttled = answers.filter(({ status }) => status === 429);
    assert.equal(answers.filter(({ status }) => status === 200).length, 50);
    assert.equal(throttled.length, 10);
    for (const { headers, body } of throttled) {
      assert.match(body["detail"], /^Request was throttled\. Expected available in \d+ seconds\.$/);
      assert.match(String(headers["retry-after"]), /^[1-9]\d*$/);
      assert.equal(headers["ratelimit-limit"], "50");
      assert.equal(headers["ratelimit-remaining"], "0");
    }
  });

  test(`${list}: answers are not to be stored and say what is left of the limit`, async () => {
    const { headers } = await ledger.list(list);
    assert.equal(headers["cache-control"], "no-store");
    assert.equal(headers["ratelimit-policy"], "50;w=1");
    assert.ok(headers["x-request-id"] !== undefined);
  });

  test(`${list}: other methods are 405, the path without its last slash is the same`, async () => {
    for (const method of ["POST", "PATCH", "DELETE"]) {
      const { status, headers } = await service.call(method, url(list), undefined, {
        key: ledger.merchant.key,
      });
      assert.deepEqual([status, headers["allow"]], [405, "GET"]);
    }
    const { status } = await service.get(url(list).replace("/?", "?"), { key: ledger.merchant.key });
    assert.equal(status, 200);
  });

  for (const format of ["json", "xml", "csv"]) {
    test(`${list} as ${format}: nothing of another tenant, whose gateway is as an unknown one`, async () => {
      const mine = await ledger.list(list, { format });
      const [own, other] = await Promise.all(
        [ledger, theirs].map(({ tenant }) =>
          service.rows(`select id from ${list} where tenant = $1`, [tenant]),
        ),
      );
      for (const { id } of own ?? []) assert.ok(mine.text.includes(id));
      for (const { id } of other ?? []) assert.ok(!mine.text.includes(id));
      assert.ok(!mine.text.includes(theirs.merchant.gatewayId));

      const of = (payment_gateway_id: string) => ledger.list(list, { format, payment_gateway_id });
      const [foreign, unknown] = [await of(theirs.merchant.gatewayId), await of(randomUUID())];
      assert.deepEqual([foreign.status, foreign.text], [unknown.status, unknown.text]);
    });
  }
}
