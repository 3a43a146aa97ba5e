/** A session that ends unpaid fails its order, however it ends and whatever the customer tried. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DAY_MS, later, MINUTE_MS } from "../../src/lib/clock.ts";
import { expireSessions } from "../../src/sessions/expire.ts";
import { recoverJob } from "../../src/sessions/recover.ts";
import { createMerchant, IBAN, type Merchant } from "../support/merchant.ts";
import { startService, type Service } from "../support/service.ts";

let service: Service;
let merchant: Merchant;
/** The service's clock, moved by the tests. */
let shift = 0;

before(async () => {
  service = await startService({
    clock: { now: () => later(new Date(), shift), monotonicMs: () => performance.now() },
  });
  merchant = await createMerchant(service);
});
after(() => service.close());

/** Of the newest session: its status, and its order's. */
async function newest(): Promise<readonly unknown[]> {
  const [row] = await service.rows(
    `select s.status as session, o.status as "order"
       from sessions s join orders o on o.tenant = s.tenant and o.session_id = s.id
      order by s.created_at desc limit 1`,
  );
  return [row?.["session"], row?.["order"]];
}

const TRIED = {
  "was never paid": null,
  "was declined": IBAN.declined,
  "waits for the bank": IBAN.verification,
};

for (const [tried, iban] of Object.entries(TRIED)) {
  const opened = async (): Promise<string> => {
    // Sessions of one moment would have no newest.
    shift += MINUTE_MS;
    const token = await merchant.session();
    if (iban !== null) await merchant.pay(token, iban);
    return token;
  };

  test(`cancelled: a session that ${tried} is EXPIRED, its order FAILED`, async () => {
    const token = await opened();
    assert.equal((await merchant.cancel(token)).status, 200);
    assert.deepEqual(await newest(), ["EXPIRED", "FAILED"]);
  });

  test(`out of time: a session that ${tried} is EXPIRED, its order FAILED`, async () => {
    await opened();
    shift += 2 * DAY_MS;
    await expireSessions(service.app.deps, 100);
    await recoverJob(service.app.deps).runOnce(100);
    assert.deepEqual(await newest(), ["EXPIRED", "FAILED"]);
  });

  test(`cancelled after its time, before any job has run: a session that ${tried} is EXPIRED, its order FAILED`, async () => {
    const token = await opened();
    shift += 2 * DAY_MS;
    assert.equal((await merchant.cancel(token)).status, 200);
    assert.deepEqual(await newest(), ["EXPIRED", "FAILED"]);
  });
}

test("out of time, before any job has run: a verification is a 410, and nothing is collected", async () => {
  shift += MINUTE_MS;
  const token = await merchant.session();
  const { body } = await merchant.pay(token, IBAN.verification);
  shift += 2 * DAY_MS;
  assert.equal((await merchant.verify(token)).status, 410);
  const [charge] = await service.rows("select charged_at from sandbox_books where reference = $1", [
    body["transaction"].merchant_transaction_id,
  ]);
  assert.deepEqual(charge, { charged_at: null });
});
