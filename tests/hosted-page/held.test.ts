/** After a payment the way back to the shop opens when its receiver has acknowledged the event, or after a while anyway. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { manualClock } from "../../src/lib/clock.ts";
import { createMerchant, createRecord, IBAN, type Merchant } from "../support/merchant.ts";
import { openPage, pathOf, payOnPage, type Page } from "../support/page.ts";
import { answering, ok, startReceiver, type Receiver } from "../support/receiver.ts";
import { startService, type Service } from "../support/service.ts";

const SECOND = 1_000;
const SHOP = "https://shop.example.com/thanks";

let service: Service;
let merchant: Merchant;
let receiver: Receiver;
const clock = manualClock(new Date("2026-11-21T09:00:00Z"));

before(async () => {
  service = await startService({ clock });
  merchant = await createMerchant(service);
  receiver = await startReceiver();
  await createRecord(service, merchant.key, "webhook-profiles", {
    name: "Shop",
    url: receiver.url,
    payload_fields: { token: "session_token" },
  });
});
after(async () => {
  await receiver.close();
  await service.close();
});

async function paid(page: Record<string, unknown> = {}): Promise<{ token: string; receipt: Page }> {
  const { id } = await createRecord(service, merchant.key, "hosted-pages", {
    name: "Page",
    success_redirect_url: SHOP,
    ...page,
  });
  const token = await merchant.session({ hosted_page_id: id });
  return { token, receipt: await payOnPage(service, token, { iban: IBAN.approved }) };
}

const look = (token: string) => openPage(service, `${pathOf(token)}?done=1`);

/** Sends what is due, and waits until the responses are recorded. */
async function deliver(): Promise<void> {
  const job = service.app.jobs.find(({ name }) => name === "deliver-webhooks");
  assert.ok(job);
  while ((await job.runOnce(100)) > 0);
  const open = "select 1 from webhook_deliveries where locked_until is not null";
  while ((await service.rows(open)).length > 0);
}

function assertHeld(page: Page): void {
  assert.equal(page.state, "held");
  assert.match(page.words, /Payment successful.*Back to Shop/, "the receipt is there at once");
  assert.ok(!page.text.includes(SHOP), "and no way to the shop");
  assert.match(page.text, /<noscript><meta http-equiv="refresh" content="3"/);
}

function assertOpen(page: Page): void {
  assert.equal(page.state, "receipt-paid");
  assert.ok(page.text.includes(`href="${SHOP}?session_token=`));
  assert.ok(page.text.includes("data-url="), "the script leads there");
  assert.doesNotMatch(page.text, /http-equiv="refresh"/);
}

test("the way back opens as soon as the receiver has acknowledged the event", async () => {
  receiver.answer = ok;
  const { token, receipt } = await paid();
  assertHeld(receipt);
  assertHeld(await look(token));
  await deliver();
  assertOpen(await look(token));
});

test("the page waits no longer than ten seconds for a receiver that answers with an error", async () => {
  receiver.answer = answering(500);
  const { token, receipt } = await paid();
  assertHeld(receipt);
  await deliver();
  clock.advance(10 * SECOND - 1);
  assertHeld(await look(token));
  clock.advance(1);
  assertOpen(await look(token));
});

test("a page says how long it waits, and may not wait at all", async () => {
  assertOpen((await paid({ redirect_wait_seconds: 0 })).receipt);
  const { token } = await paid({ redirect_wait_seconds: 30 });
  clock.advance(30 * SECOND - 1);
  assertHeld(await look(token));
  clock.advance(1);
  assertOpen(await look(token));
  for (const redirect_wait_seconds of [-1, 31]) {
    const refused = await service.post(
      "management/hosted-pages/",
      { name: "Page", redirect_wait_seconds },
      { key: merchant.key },
    );
    assert.deepEqual(Object.keys(refused.body), ["redirect_wait_seconds", "status_code"]);
  }
});

test("the page waits only for the session's own receiver, and for none that is switched off or takes other events", async () => {
  const other = await createRecord(service, merchant.key, "webhook-profiles", {
    name: "Other events",
    url: receiver.url,
    events: ["transaction.created"],
  });
  const session = async (webhook_profile_id: string) => {
    const token = await merchant.session({ hosted_page_id: pageId, webhook_profile_id });
    return payOnPage(service, token, { iban: IBAN.approved });
  };
  const { id: pageId } = await createRecord(service, merchant.key, "hosted-pages", {
    name: "Page",
    success_redirect_url: SHOP,
  });
  assertOpen(await session(other["id"]));
  const off = await createRecord(service, merchant.key, "webhook-profiles", {
    name: "Off",
    url: receiver.url,
    active: false,
  });
  assertOpen(await session(off["id"]));
});
