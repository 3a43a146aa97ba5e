/** A file that has not gone to the bank and must not go as it is: it is taken back, and what is in it goes out once, in another. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { manualClock } from "../../src/lib/clock.ts";
import { assertBooksAgree } from "../support/books.ts";
import { bankMerchant, content, markSent, outgoing, payAt } from "../support/sepa-bank.ts";
import { deskOf } from "../support/sepa-desk.ts";
import { startService, type Json, type Service } from "../support/service.ts";

const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
let service: Service;
let desk: ReturnType<typeof deskOf>;

before(async () => {
  service = await startService({ clock });
  desk = deskOf(service);
});
after(async () => {
  await assertBooksAgree(service.db).finally(() => service.close());
});

const statuses = (files: readonly Json[]) => files.map(({ kind, status }) => `${kind} ${status}`);

test("a file that was not fetched by its day is taken back; its payments go out in one new file, for another day", async () => {
  const { merchant, references, file } = await desk.batched(2);
  // Due on the 25th, so it may go until the 24th.
  await desk.moveTo(merchant, "2026-11-24T22:00:00Z");
  assert.deepEqual(statuses(await outgoing(service, merchant)), ["pain.008 ready"]);
  await desk.moveTo(merchant, "2026-11-25T08:00:00Z");
  const refused = await service.get(`management/sepa-files/${file["id"]}/content/`, { key: merchant.key });
  assert.equal(refused.status, 409, refused.text);
  assert.match(refused.body["detail"], /had to reach the bank by 2026-11-24/);
  assert.equal(
    (await service.post(`management/sepa-files/${file["id"]}/mark-sent/`, undefined, { key: merchant.key }))
      .status,
    409,
  );
  await desk.moveTo(merchant, "2026-11-25T12:00:00Z");
  const files = await outgoing(service, merchant);
  assert.deepEqual(statuses(files), ["pain.008 withdrawn", "pain.008 ready"]);
  assert.notEqual(files[1]?.["message_id"], file["message_id"]);
  assert.equal(files[1]?.["due_date"], "2026-11-27");
  const xml = await content(service, merchant, files[1]?.["id"]);
  for (const reference of references) assert.ok(xml.includes(`<EndToEndId>${reference}<`));
});

test("a downloaded file is not taken back automatically: a person marks it as sent or takes it back", async () => {
  const { merchant, file } = await desk.batched();
  await content(service, merchant, file["id"]);
  await desk.moveTo(merchant, "2026-11-27T12:00:00Z");
  assert.deepEqual(statuses(await outgoing(service, merchant)), ["pain.008 ready"]);
  const refused = await service.get(`management/sepa-files/${file["id"]}/content/`, { key: merchant.key });
  assert.equal(refused.status, 409);
  assert.match(refused.body["detail"], /has been downloaded.*mark it as sent.*withdraw/);
  const path = `management/sepa-files/${file["id"]}/withdraw/`;
  const taken = await service.post(path, undefined, { key: merchant.key });
  assert.deepEqual([taken.status, taken.body["status"]], [200, "withdrawn"], taken.text);
  assert.equal((await service.post(path, undefined, { key: merchant.key })).status, 200);
  await desk.moveTo(merchant, "2026-11-30T12:00:00Z");
  assert.deepEqual(statuses(await outgoing(service, merchant)), ["pain.008 withdrawn", "pain.008 ready"]);
});

test("a file that was sent, or that the bank has answered, is not taken back", async () => {
  const sent = await desk.batched();
  await markSent(service, sent.merchant, sent.file["id"]);
  const answered = await desk.batched(2);
  await desk.booked(answered.merchant, [
    ["collection", { amount: "19.90", endToEndId: answered.references[0] ?? "" }],
  ]);
  for (const { merchant, file } of [sent, answered]) {
    await desk.moveTo(merchant, "2026-12-07T12:00:00Z");
    const refused = await service.post(`management/sepa-files/${file["id"]}/withdraw/`, undefined, {
      key: merchant.key,
    });
    assert.equal(refused.status, 409, refused.text);
    assert.equal((await outgoing(service, merchant)).length, 1);
  }
});

test("a refund in an unfetched file does not go out after its debit was returned; the others in it do", async () => {
  const { merchant, payments, references } = await desk.refundable(2);
  for (const payment of payments) await desk.refund(merchant, payment);
  await desk.moveTo(merchant, "2026-12-04T12:00:00Z");
  await desk.booked(
    merchant,
    [["return", { amount: "19.90", reason: "MD06", endToEndId: references[0] ?? "" }]],
    "2026-12-04",
  );
  await desk.moveTo(merchant, "2026-12-07T12:00:00Z");
  const transfers = (await outgoing(service, merchant)).filter(({ kind }) => kind === "pain.001");
  assert.deepEqual(
    transfers.map(({ status, transactions }) => [status, transactions]),
    [
      ["withdrawn", 2],
      ["ready", 1],
    ],
  );
  assert.equal((await desk.refunds(merchant, payments[0]))[0]?.["status"], "declined");
  assert.equal((await desk.refunds(merchant, payments[1]))[0]?.["status"], "pending");
});

test("another tenant's key can take no file back", async () => {
  const { file } = await desk.batched();
  const stranger = await bankMerchant(service);
  const path = `management/sepa-files/${file["id"]}/withdraw/`;
  assert.equal((await service.post(path, undefined, { key: stranger.key })).status, 404);
});

test("when many take a file back, download and mark it at once, its payments are in one file that can reach the bank", async () => {
  const merchant = await bankMerchant(service);
  for (let n = 0; n < 3; n += 1) await payAt(merchant);
  await desk.moveTo(merchant, "2026-11-23T12:00:00Z");
  const [file] = await outgoing(service, merchant);
  const post = (what: string) =>
    service.post(`management/sepa-files/${file?.["id"]}/${what}/`, undefined, { key: merchant.key });
  await Promise.all([post("withdraw"), post("mark-sent"), post("withdraw"), post("mark-sent")]);
  await desk.moveTo(merchant, "2026-11-24T12:00:00Z");
  const live = (await outgoing(service, merchant)).filter(({ status }) => status !== "withdrawn");
  assert.equal(live.length, 1);
  assert.equal(live[0]?.["transactions"], 3);
});
