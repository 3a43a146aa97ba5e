/**
 * The console's page of a payment at the merchant's own bank: its dates, and the history of the payment and its refund.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { manualClock } from "../../src/lib/clock.ts";
import { wordsOf } from "../support/console.ts";
import { member } from "../support/people.ts";
import { markSent, outgoing, type BankMerchant } from "../support/sepa-bank.ts";
import { deskOf } from "../support/sepa-desk.ts";
import { startService, type Json, type Service } from "../support/service.ts";

let service: Service;

before(async () => {
  service = await startService({ clock: manualClock(new Date("2026-11-23T08:00:00Z")) });
});
after(() => service.close());

const viewerOf = (merchant: BankMerchant) =>
  member(service, { id: merchant.tenantId, tenant: 0, key: merchant.key }, "viewer");
const pageOf = (payment: Json) => `/console/payments/${payment["transaction"].id}/`;

test("the page of a pending payment names the day of its debit and until when it is pending, and later neither", async () => {
  const desk = deskOf(service);
  const { merchant, payments, references, file } = await desk.batched();
  const [payment = {}] = payments;
  const { browser } = await viewerOf(merchant);
  const written = wordsOf(await browser.get(pageOf(payment)));
  const { due_date: due } = await desk.instruction(payment);
  const day = (text: string) =>
    new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" }).format(new Date(text));
  assert.ok(written.includes(`Debit on or after ${day(due)}`), written);
  assert.match(written, /Pending until Dec 2, 2026/);
  await markSent(service, merchant, file["id"]);
  await desk.booked(merchant, [["collection", { amount: "19.90", endToEndId: references[0] ?? "" }]]);
  await desk.moveTo(merchant, "2026-12-04T08:00:00Z");
  assert.doesNotMatch(wordsOf(await browser.get(pageOf(payment))), /Debit on or after|Pending until/);
});

test("a refund's timeline reports the sending of each file once, and which file has the refund", async () => {
  const desk = deskOf(service);
  const { merchant, payments } = await desk.refundable();
  const refund = (await desk.refund(merchant, payments[0])).body;
  await desk.moveTo(merchant, "2026-12-04T12:00:00Z");
  await markSent(service, merchant, (await outgoing(service, merchant)).at(-1)?.["id"]);
  const { browser } = await viewerOf(merchant);
  const { text } = await browser.get(`/console/payments/${refund["id"]}/`);
  const steps = [...text.matchAll(/<p>([^<]*(?:File sent|Written into a file)[^<]*)<\/p>/g)].map(([, said]) =>
    said?.trim(),
  );
  assert.deepEqual(steps, [
    "Written into a file for the bank",
    "File sent to the bank",
    "Refund · Written into a file for the bank",
    "Refund · File sent to the bank",
  ]);
});
