/** A file that has not gone to the bank and must not go as it is: it is taken back, and what is in it goes out once, in another. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { manualClock } from "../../src/lib/clock.ts";
import { assertBooksAgree } from "../support/books.ts";
import { bankMerchant, content, markSent, outgoing, payAt } from "../support/sepa-bank.ts";
import { deskOf, referenceOf } from "../support/sepa-desk.ts";
import { startService, type Json, type Service } from "../support/service.ts";
import { bankEntry, bankFile } from "./messages.ts";

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
  await content(service, answered.merchant, answered.file["id"]);
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

test("what the bank has from a file that was withdrawn by mistake is not sent again in the next one", async () => {
  const { merchant, file, references } = await desk.batched(2);
  const withdraw = (id: string) =>
    service.post(`management/sepa-files/${id}/withdraw/`, undefined, { key: merchant.key });
  const download = (id: string) => service.get(`management/sepa-files/${id}/content/`, { key: merchant.key });
  const newest = async () => (await outgoing(service, merchant)).at(-1) ?? {};
  const notSent = async (id: string) => {
    const held = await download(id);
    assert.equal(held.status, 409, held.text);
    assert.match(held.body["detail"], /answered to instructions in this file, which is not sent/);
  };
  // The bank gets it, and the person takes it for one that it does not have.
  assert.equal((await download(file["id"])).status, 200);
  assert.equal((await withdraw(file["id"])).status, 200);
  await desk.moveTo(merchant, "2026-11-24T12:00:00Z");
  const second = await newest();
  const [first = "", other = ""] = references;
  await desk.booked(merchant, [["collection", { amount: "19.90", endToEndId: first }]], "2026-11-25");
  await notSent(second["id"]);
  // Nothing of it waits for a third one, however long it is held.
  await desk.moveTo(merchant, "2026-11-27T12:00:00Z");
  await notSent(second["id"]);
  assert.equal((await newest())["id"], second["id"]);
  // Once a person has asked, what is left goes into the next.
  assert.equal((await withdraw(second["id"])).status, 200);
  await desk.moveTo(merchant, "2026-11-30T12:00:00Z");
  const third = await newest();
  const xml = await content(service, merchant, third["id"]);
  assert.deepEqual(
    [xml.includes(`<EndToEndId>${first}<`), xml.includes(`<EndToEndId>${other}<`)],
    [false, true],
  );
});

for (const [way, booking] of [
  ["reversal", ["PMNT/IDDT/PRDD", "reference"]],
  ["transfer", ["PMNT/ICDT/ESCT", "refund"]],
] as const) {
  test(`a refund by ${way} that the bank has from a file withdrawn by mistake is given back once`, async () => {
    const { merchant, payments, references, file } = await desk.batched(1, { reversal_days: 5 });
    await markSent(service, merchant, file["id"]);
    await desk.booked(merchant, [["collection", { amount: "19.90", endToEndId: references[0] ?? "" }]]);
    const [start, next, booked] =
      way === "reversal"
        ? ["2026-11-26T08:00:00Z", "2026-11-27T12:00:00Z", "2026-11-27"]
        : ["2026-12-04T08:00:00Z", "2026-12-07T12:00:00Z", "2026-12-07"];
    await desk.moveTo(merchant, start);
    const { body: refund, text } = await desk.refund(merchant, payments[0], { way });
    assert.equal(refund["status"], "pending", text);
    await desk.moveTo(merchant, start.replace("08:00", "12:00"));
    const withBank = (await outgoing(service, merchant)).at(-1) ?? {};
    await content(service, merchant, withBank["id"]);
    const path = (id: string, what: string) => `management/sepa-files/${id}/${what}/`;
    const key = { key: merchant.key };
    assert.equal((await service.post(path(withBank["id"], "withdraw"), undefined, key)).status, 200);
    await desk.moveTo(merchant, next);
    const again = (await outgoing(service, merchant)).at(-1) ?? {};
    assert.notEqual(again["id"], withBank["id"]);
    const name = booking[1] === "refund" ? referenceOf(refund) : (references[0] ?? "");
    const entry = bankEntry({
      amount: "19.90",
      sign: "DBIT",
      date: booked,
      code: booking[0],
      names: { EndToEndId: name },
    });
    const report = await desk.read(merchant, bankFile("camt.053", [entry]));
    assert.equal(report["report"]["settled"], 1, JSON.stringify(report));
    const held = await service.get(path(again["id"], "content"), key);
    assert.equal(held.status, 409, held.text);
    assert.match(held.body["detail"], /which is not sent/);
  });
}
