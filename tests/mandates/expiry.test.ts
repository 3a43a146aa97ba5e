/** A mandate that was not used for 36 months expires. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { expireMandatesJob } from "../../src/mandates/jobs.ts";
import { manualClock } from "../../src/lib/clock.ts";
import { subscribe } from "../support/billing.ts";
import { createMerchant, IBAN, type Merchant } from "../support/merchant.ts";
import { startService, type Json, type Service } from "../support/service.ts";

let service: Service;
let merchant: Merchant;

before(async () => {
  service = await startService({ clock: manualClock(new Date("2024-02-29T22:00:00Z")) });
  merchant = await createMerchant(service);
});
after(() => service.close());

async function moveTo(date: string): Promise<void> {
  const { status, text } = await service.post("management/clock/", { date }, { key: merchant.key });
  assert.equal(status, 200, text);
}

async function newest(): Promise<Json> {
  const [mandate] = (await service.get("management/mandates/", { key: merchant.key })).body["results"];
  return mandate;
}

test("a mandate may be used on its last day and expires on the next, also at the end of a shorter month", async () => {
  await merchant.pay(await merchant.session(), IBAN.approved);
  assert.equal((await newest())["expires_on"], "2027-02-28");
  await moveTo("2027-02-28T23:59:00Z");
  assert.equal((await newest())["status"], "active");
  await moveTo("2027-03-01T00:00:00Z");
  const expired = await newest();
  assert.equal(expired["status"], "expired");
  assert.equal(expired["status_reason"], "unused_36_months");
  const cancelled = await service.post(
    `management/mandates/${expired["id"]}/cancel/`,
    {},
    { key: merchant.key },
  );
  assert.equal(cancelled.body["status"], "expired", "it has ended already");
});

test("a mandate's last day is a whole day, whatever the hour of its signature", async () => {
  merchant = await createMerchant(service);
  await moveTo("2024-03-11T09:00:00Z");
  await merchant.pay(await merchant.session(), IBAN.approved);
  assert.equal((await newest())["expires_on"], "2027-03-11");
  await moveTo("2027-03-11T23:59:00Z");
  assert.equal((await newest())["status"], "active");
  await moveTo("2027-03-12T00:00:00Z");
  assert.equal((await newest())["status"], "expired");
});

test("a collection extends its mandate, and two instances expire each mandate once", async () => {
  merchant = await createMerchant(service);
  await subscribe(merchant, { billing_frequency: "YEARLY" });
  for (let count = 0; count < 5; count += 1) await merchant.pay(await merchant.session(), IBAN.approved);
  for (const year of [2025, 2026, 2027]) await moveTo(`${year}-03-05T12:00:00Z`);
  const list = async (status: string) =>
    (await service.get(`management/mandates/?status=${status}`, { key: merchant.key })).body["results"]
      .length;
  assert.deepEqual([await list("active"), await list("expired")], [1, 5]);
  const job = expireMandatesJob(service.app.deps);
  const done = await Promise.all([job.runOnce(500), job.runOnce(500)]);
  assert.deepEqual(done, [0, 0]);
});
