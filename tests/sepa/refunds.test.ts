/** A refund and a return of its debit: the customer gets only one of them, in any order of the reports. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { connect, type GatewayRecord } from "../../src/gateways/calling.ts";
import { DAY_MS, later, manualClock } from "../../src/lib/clock.ts";
import { cents } from "../../src/lib/money.ts";
import { applyNews } from "../../src/payments/news/apply.ts";
import { assertBooksAgree } from "../support/books.ts";
import { content, markSent, outgoing, pain002, payAt, bankMerchant } from "../support/sepa-bank.ts";
import { deskOf, referenceOf } from "../support/sepa-desk.ts";
import { startService, type Json, type Service } from "../support/service.ts";
import * as treasury from "../support/treasury.ts";

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

const SENT_BACK = { amount: "19.90", reason: "MD06" } as const;

test("a waiting refund is declined when its debit is returned: nothing is sent to the bank, and nothing stays reserved", async () => {
  const { merchant, payments, references } = await desk.refundable();
  const asked = await desk.refund(merchant, payments[0], { amount: "9.90" });
  assert.equal(asked.body["status"], "pending", asked.text);
  await desk.booked(merchant, [["return", { ...SENT_BACK, endToEndId: references[0] ?? "" }]], "2026-12-04");
  const [refund] = await desk.refunds(merchant, payments[0]);
  assert.equal(refund?.["status"], "declined");
  assert.match(refund?.["error_details"].message, /came back before the refund went to the bank/);
  const paid = await desk.transaction(payments[0]);
  assert.deepEqual([paid["status"], paid["refund_claimed"]], ["charged_back", "0.00"]);
  const files = (await outgoing(service, merchant)).length;
  await desk.moveTo(merchant, "2026-12-04T12:00:00Z");
  assert.equal((await outgoing(service, merchant)).length, files, "no transfer was written");
});

test("a refund that is requested after the return of the debit is a 409", async () => {
  const { merchant, payments, references } = await desk.refundable();
  await desk.booked(merchant, [["return", { ...SENT_BACK, endToEndId: references[0] ?? "" }]], "2026-12-04");
  const asked = await desk.refund(merchant, payments[0]);
  assert.equal(asked.status, 409, asked.text);
});

test("if a refund and the return of its debit are concurrent, at most one of them takes the money", async () => {
  const { merchant, payments, references } = await desk.refundable(6);
  await Promise.all(
    payments.flatMap((payment, n) => [
      desk.refund(merchant, payment),
      desk.booked(merchant, [["return", { ...SENT_BACK, endToEndId: references[n] ?? "" }]], "2026-12-04"),
    ]),
  );
  await desk.moveTo(merchant, "2026-12-04T12:00:00Z");
  for (const payment of payments) {
    assert.equal((await desk.transaction(payment))["status"], "charged_back");
    for (const { status } of await desk.refunds(merchant, payment)) assert.equal(status, "declined");
  }
  assert.deepEqual(
    (await outgoing(service, merchant)).map(({ kind }) => kind),
    ["pain.008"],
  );
});

test("the days that a refund is held count from the booking of its debit", async () => {
  const { merchant, payments } = await desk.refundable();
  await service.call("PATCH", "management/tenant/", { refund_hold_days: 57 }, { key: merchant.key });
  const { processed_at: bookedAt } = await desk.transaction(payments[0]);
  const { body } = await desk.refund(merchant, payments[0]);
  assert.equal(body["held_until"], later(bookedAt, 57 * DAY_MS).toISOString());
});

test("charging back a debit by hand declines its waiting refund, too", async () => {
  const { merchant, payments } = await desk.refundable();
  await desk.refund(merchant, payments[0], { amount: "5.00" });
  const chargeback = { transaction_id: payments[0]?.["transaction"].id, reason_code: "MD06" };
  const made = await service.post("management/chargebacks/", chargeback, { key: merchant.key });
  assert.equal(made.status, 201, made.text);
  await desk.moveTo(merchant, "2026-12-04T12:00:00Z");
  assert.equal((await desk.refunds(merchant, payments[0]))[0]?.["status"], "declined");
  assert.equal((await outgoing(service, merchant)).length, 1);
});

test("a status report that rejects a settled debit declines its waiting refund, too", async () => {
  const { merchant, payments, references, file } = await desk.refundable();
  await desk.refund(merchant, payments[0]);
  const reject = { endToEndId: references[0] ?? "", reason: "AC04" };
  await desk.read(
    merchant,
    pain002("2026-12-04", { messageId: file["message_id"] }, [
      { id: `${file["message_id"]}-1`, transactions: [reject] },
    ]),
  );
  await desk.moveTo(merchant, "2026-12-04T12:00:00Z");
  assert.equal((await desk.refunds(merchant, payments[0]))[0]?.["status"], "declined");
});

test("a refund waits while a rejection of its debit from before the settlement is on the list, and is sent when that is dismissed", async () => {
  const { merchant, payments, references, file } = await desk.refundable();
  await desk.refund(merchant, payments[0]);
  const reject = { endToEndId: references[0] ?? "", reason: "AC04" };
  await desk.read(
    merchant,
    pain002("2026-11-24", { messageId: file["message_id"] }, [
      { id: `${file["message_id"]}-1`, transactions: [reject] },
    ]),
  );
  const [entry, ...more] = await treasury.unmatched(service, merchant);
  assert.deepEqual([entry?.["kind"], more], ["reject", []]);
  const files = (await outgoing(service, merchant)).length;
  await desk.moveTo(merchant, "2026-12-04T12:00:00Z");
  assert.equal((await outgoing(service, merchant)).length, files, "nobody has decided about the refusal yet");
  const dismissed = await treasury.resolve(service, merchant, entry?.["id"], { action: "dismiss" });
  assert.equal(dismissed.status, 200, dismissed.text);
  await desk.moveTo(merchant, "2026-12-07T12:00:00Z");
  assert.equal((await outgoing(service, merchant)).length, files + 1);
});

for (const [besides, ids] of [
  ["no other id", {}],
  ["the bank's own id", { transactionId: "BANKS-OWN-1" }],
] as const) {
  test(`a refund waits while a return that names its debit's mandate and ${besides} is on the list, and is sent when that is dismissed`, async () => {
    const { merchant, payments } = await desk.refundable();
    await desk.refund(merchant, payments[0]);
    const { mandate_reference } = await desk.instruction(payments[0]);
    // Another amount, so that the service does not take it for the debit's return.
    const back = { amount: "18.00", reason: "MD06", ...ids };
    const mandateId = String(mandate_reference).toLowerCase();
    await desk.booked(merchant, [["return", { ...back, mandateId }]], "2026-12-04");
    const [entry, ...more] = await treasury.unmatched(service, merchant);
    assert.deepEqual([entry?.["kind"], more], ["return", []]);
    const files = (await outgoing(service, merchant)).length;
    await desk.moveTo(merchant, "2026-12-04T12:00:00Z");
    assert.equal(
      (await outgoing(service, merchant)).length,
      files,
      "nobody has decided about the return yet",
    );
    const dismissed = await treasury.resolve(service, merchant, entry?.["id"], { action: "dismiss" });
    assert.equal(dismissed.status, 200, dismissed.text);
    await desk.moveTo(merchant, "2026-12-07T12:00:00Z");
    assert.equal((await outgoing(service, merchant)).length, files + 1);
  });
}

test("a refund waits while a return names its debit's mandate by a reference that was amended since", async () => {
  const { merchant, payments } = await desk.refundable();
  await desk.refund(merchant, payments[0]);
  const { mandate_reference: former } = await desk.instruction(payments[0]);
  const [mandate] = await service.rows("select id from mandates where reference = $1", [former]);
  const reference = `LATER-${String(former)}`.slice(0, 35);
  const { key } = merchant;
  const amended = await service.post(`management/mandates/${mandate?.["id"]}/amend/`, { reference }, { key });
  assert.equal(amended.status, 200, amended.text);
  const back = { amount: "18.00", reason: "MD06", mandateId: reference };
  await desk.booked(merchant, [["return", back]], "2026-12-04");
  const files = (await outgoing(service, merchant)).length;
  await desk.moveTo(merchant, "2026-12-04T12:00:00Z");
  assert.equal((await outgoing(service, merchant)).length, files, "nobody has decided about the return yet");
  const [entry] = await treasury.unmatched(service, merchant);
  await treasury.resolve(service, merchant, entry?.["id"], { action: "dismiss" });
  await desk.moveTo(merchant, "2026-12-07T12:00:00Z");
  assert.equal((await outgoing(service, merchant)).length, files + 1);
});

test("a refund does not wait for a return of another debit of its mandate, named by its end-to-end id or another id of ours", async () => {
  for (const named of ["endToEndId", "transactionId"] as const) {
    const { merchant, payments, references } = await desk.refundable(2);
    await desk.refund(merchant, payments[0]);
    const { mandate_reference } = await desk.instruction(payments[0]);
    const ids = named === "endToEndId" ? { endToEndId: "ANOTHER-1" } : { transactionId: references[1] ?? "" };
    const back = { amount: "18.00", reason: "MD06", mandateId: String(mandate_reference), ...ids };
    await desk.booked(merchant, [["return", back]], "2026-12-04");
    assert.equal((await treasury.unmatched(service, merchant)).length, 1);
    const files = (await outgoing(service, merchant)).length;
    await desk.moveTo(merchant, "2026-12-04T12:00:00Z");
    assert.equal((await outgoing(service, merchant)).length, files + 1, named);
  }
});

test("a refund waits while a rejection of its debit's whole block is on the list, and is sent when that is dismissed", async () => {
  for (const isOfBlock of [true, false]) {
    const { merchant, payments, file } = await desk.refundable();
    await desk.refund(merchant, payments[0]);
    const messageId = file["message_id"];
    const refusal = isOfBlock
      ? pain002("2026-12-04", { messageId }, [{ id: `${messageId}-1`, status: "RJCT", reason: "AC04" }])
      : pain002("2026-12-04", { messageId, groupStatus: "RJCT", groupReason: "AC04" });
    await desk.read(merchant, refusal);
    const [entry, ...more] = await treasury.unmatched(service, merchant);
    assert.deepEqual([entry?.["kind"], more], ["block", []]);
    const files = (await outgoing(service, merchant)).length;
    await desk.moveTo(merchant, "2026-12-04T12:00:00Z");
    assert.equal(
      (await outgoing(service, merchant)).length,
      files,
      "nobody has decided about the refusal yet",
    );
    const dismissed = await treasury.resolve(service, merchant, entry?.["id"], { action: "dismiss" });
    assert.equal(dismissed.status, 200, dismissed.text);
    await desk.moveTo(merchant, "2026-12-07T12:00:00Z");
    assert.equal((await outgoing(service, merchant)).length, files + 1);
  }
});

test("a waiting debit whose payment has ended is not written into a file", async () => {
  const merchant = await bankMerchant(service);
  const [over, other] = [await payAt(merchant), await payAt(merchant)];
  const chargeback = { transaction_id: over["transaction"].id, reason_code: "MD06" };
  const made = await service.post("management/chargebacks/", chargeback, { key: merchant.key });
  assert.equal(made.status, 409, made.text);
  // Recording the chargeback by hand is refused because the money has not arrived; the bank's report about the payment
  // is not.
  const [row] = await service.rows("select tenant from tenants where id = $1", [merchant.tenantId]);
  const news = { reference: referenceOf(over), at: clock.now(), reasonCode: "MD06", reasonMessage: null };
  const applied = await applyNews(service.app.deps, row?.["tenant"], merchant.accountId, {
    kind: "returned",
    ...news,
  });
  assert.equal(applied, "taken");
  await desk.moveTo(merchant, "2026-11-23T12:00:00Z");
  const [file] = await outgoing(service, merchant);
  assert.equal(file?.["transactions"], 1);
  const xml = await content(service, merchant, file?.["id"]);
  assert.ok(xml.includes(referenceOf(other)) && !xml.includes(referenceOf(over)));
  assert.equal((await desk.transaction(over))["status"], "declined");
});

test("a result of the verification of payee does not decide a refund, at any level and with any reason", async () => {
  const { merchant, payments } = await desk.refundable();
  const refund = (await desk.refund(merchant, payments[0], { amount: "5.00" })).body;
  await desk.moveTo(merchant, "2026-12-04T12:00:00Z");
  const file = (await outgoing(service, merchant)).at(-1) ?? {};
  await markSent(service, merchant, file["id"]);
  const endToEndId = referenceOf(refund);
  const about = { messageId: file["message_id"], name: "pain.001.001.09" };
  for (const [status, group] of [
    ["RVNM", "RVCM"],
    ["RVMC", "RVCM"],
    ["RVNA", "RVCM"],
    ["RCVC", "RCVC"],
  ] as const) {
    const transactions = [{ endToEndId, status, ...(status === "RVNM" ? { reason: "AC01" } : {}) }];
    const block = { id: file["message_id"], status: group, transactions };
    await desk.read(merchant, pain002("2026-12-07", { ...about, groupStatus: group }, [block]));
  }
  const [shown] = await desk.refunds(merchant, payments[0]);
  assert.equal(shown?.["status"], "pending");
  const { body } = await service.get("management/unmatched/?status=open", { key: merchant.key });
  assert.deepEqual(body["results"], []);
  await desk.booked(merchant, [["transferOut", { amount: "5.00", endToEndId }]], "2026-12-07");
  assert.equal((await desk.refunds(merchant, payments[0]))[0]?.["status"], "approved");
});

test("the customer reads a refund's reason, else the creditor's name, with the reference of the debit", async () => {
  const { merchant, payments, references } = await desk.refundable(1, { creditor_name: "Example Shop" });
  const given = [{ amount: "5.00", reason: "Wrong size" }, { amount: "1.00" }];
  for (const body of given) assert.equal((await desk.refund(merchant, payments[0], body)).status, 201);
  await desk.moveTo(merchant, "2026-12-04T12:00:00Z");
  const file = (await outgoing(service, merchant)).at(-1) ?? {};
  const xml = await content(service, merchant, file["id"]);
  assert.deepEqual(
    new Set(Array.from(xml.matchAll(/<Ustrd>(.*?)<.Ustrd>/g), ([, words]) => words)),
    new Set([`Example Shop ${references[0]}`, `Wrong size ${references[0]}`]),
  );
});

test("refunds are sent as SCT Inst if the account's settings say so", async () => {
  const { merchant, payments } = await desk.refundable();
  const path = `management/gateways/${merchant.accountId}/`;
  const { settings } = (await service.get(path, { key: merchant.key })).body;
  const changed = { settings: { ...settings, instant_refunds: true } };
  assert.equal((await service.call("PATCH", path, changed, { key: merchant.key })).status, 200);
  await desk.refund(merchant, payments[0]);
  await desk.moveTo(merchant, "2026-12-04T12:00:00Z");
  const file = (await outgoing(service, merchant)).at(-1) ?? {};
  assert.match(await content(service, merchant, file["id"]), /<LclInstrm><Cd>INST<.Cd><.LclInstrm>/);
});

test("a refund that the bank has rejected can be requested again, in any parts and any order", async () => {
  const { merchant, payments } = await desk.refundable();
  const parts: Json[] = [];
  for (const amount of ["5.00", "10.00", "4.90"])
    parts.push((await desk.refund(merchant, payments[0], { amount })).body);
  assert.deepEqual(
    parts.map(({ status }) => status),
    ["pending", "pending", "pending"],
  );
  await desk.moveTo(merchant, "2026-12-04T12:00:00Z");
  const file = (await outgoing(service, merchant)).at(-1);
  assert.deepEqual([file?.["kind"], file?.["amount"]], ["pain.001", "19.90"]);
  await markSent(service, merchant, file?.["id"]);
  const reject = async (part: Json | undefined) =>
    desk.read(
      merchant,
      pain002("2026-12-07", { messageId: file?.["message_id"], name: "pain.001.001.09" }, [
        {
          id: file?.["message_id"],
          transactions: [{ endToEndId: referenceOf(part ?? {}), reason: "AC04" }],
        },
      ]),
    );
  await reject(parts[2]);
  await desk.booked(
    merchant,
    [["transferOut", { amount: "5.00", endToEndId: referenceOf(parts[0] ?? {}) }]],
    "2026-12-07",
  );
  await reject(parts[1]);
  assert.equal((await desk.transaction(payments[0]))["refund_claimed"], "5.00");
  const again = await desk.refund(merchant, payments[0]);
  assert.deepEqual([again.body["status"], again.body["amount"]], ["pending", "14.90"], again.text);
  const more = await desk.refund(merchant, payments[0], { amount: "0.01" });
  assert.equal(more.status, 409);
});

test("concurrent refunds never exceed the collected amount", async () => {
  const { merchant, payments } = await desk.refundable();
  const all = await Promise.all(
    Array.from({ length: 5 }, () => desk.refund(merchant, payments[0], { amount: "8.00" })),
  );
  assert.equal(all.filter(({ body }) => body["status"] === "pending").length, 2);
});

test("the account's own books do not refund more than was collected either, while a part is in a file and after it was sent", async () => {
  const { merchant, payments, references } = await desk.refundable();
  const part = await desk.refund(merchant, payments[0], { amount: "10.00" });
  const [record] = await service.rows("select * from gateways where id = $1", [merchant.accountId]);
  const { adapters, keys } = service.app.deps;
  const account = connect(adapters, keys, record as unknown as GatewayRecord);
  const askedDirectly = async () => {
    const original = { reference: references[0] ?? "", gatewayReference: null };
    const asked = {
      reference: "BESIDE",
      original,
      amount: cents(991),
      currency: "EUR",
      reason: null,
      way: null,
    };
    const outcome = await account.refund(asked, AbortSignal.timeout(10_000));
    // Without its payment, the books check would report a difference.
    await service.rows("delete from sepa_collections where reference = 'BESIDE'");
    return [outcome.kind, "gatewayCode" in outcome ? outcome.gatewayCode : null];
  };
  assert.deepEqual(await askedDirectly(), ["declined", "AM02"], "it waits");
  await desk.moveTo(merchant, "2026-12-04T12:00:00Z");
  assert.equal((await desk.instruction(part.body))["state"], "batched");
  assert.deepEqual(await askedDirectly(), ["declined", "AM02"], "it is in a file");
  const out = { amount: "10.00", endToEndId: referenceOf(part.body) };
  await desk.booked(merchant, [["transferOut", out]], "2026-12-07");
  assert.deepEqual(await askedDirectly(), ["declined", "AM02"], "it has left");
});

test("a refund goes to the account that was debited, whatever accounts the mandate has had before or since", async () => {
  const merchant = await bankMerchant(service);
  const payment = await payAt(merchant, { billing_type: "RECURRING", billing_frequency: "YEARLY" });
  const list = await service.get("management/mandates/", { key: merchant.key });
  const path = `management/mandates/${list.body["results"][0].id}/amend/`;
  const amend = async (iban: string) => {
    const { status, text } = await service.post(path, { iban }, { key: merchant.key });
    assert.equal(status, 200, text);
  };
  await amend("NL91ABNA0417164300");
  await desk.moveTo(merchant, "2026-11-23T12:00:00Z");
  const [file] = await outgoing(service, merchant);
  assert.match(await content(service, merchant, file?.["id"]), /<IBAN>NL91ABNA0417164300</);
  await amend("DE89370400440532013000");
  await desk.booked(merchant, [["collection", { amount: "19.90", endToEndId: referenceOf(payment) }]]);
  await desk.moveTo(merchant, "2026-12-04T08:00:00Z");
  await desk.refund(merchant, payment);
  await desk.moveTo(merchant, "2026-12-04T12:00:00Z");
  const transfers = (await outgoing(service, merchant)).at(-1);
  const xml = await content(service, merchant, transfers?.["id"]);
  assert.match(xml, /<CdtrAcct><Id><IBAN>NL91ABNA0417164300</);
});

test("the first day of a refund is the seventh TARGET day after settlement", async () => {
  const { merchant, payments, file, references } = await desk.batched();
  await markSent(service, merchant, file["id"]);
  await desk.booked(merchant, [["collection", { amount: "19.90", endToEndId: references[0] ?? "" }]]);
  await desk.moveTo(merchant, "2026-12-03T23:00:00Z");
  assert.equal((await desk.refund(merchant, payments[0])).body["status"], "declined");
  await desk.moveTo(merchant, "2026-12-04T00:30:00Z");
  assert.equal((await desk.refund(merchant, payments[0])).body["status"], "pending");
});

test("a refund warns that the customer can also reclaim the debit until the last day of the eight weeks, and not afterwards", async () => {
  const { merchant, payments } = await desk.refundable(2);
  const notices: unknown[] = [];
  for (const [n, time] of ["2027-01-20T23:59:59Z", "2027-01-21T00:00:00Z"].entries()) {
    await desk.moveTo(merchant, time);
    const refund = await desk.refund(merchant, payments[n]);
    assert.equal(refund.body["status"], "pending", refund.text);
    notices.push(refund.body["notice"]);
  }
  assert.deepEqual(notices, [
    "Until 2027-01-20 the customer can also reclaim the debit from their bank, in which case you pay twice.",
    null,
  ]);
});

test("expected amounts include debits at the bank, and no refunds", async () => {
  const expected = async (key: string): Promise<readonly Json[]> =>
    (await service.get("management/statistics/expected/", { key })).body["results"];
  const waiting = await desk.batched();
  assert.deepEqual(
    (await expected(waiting.merchant.key)).map((row) => row["settlements"]),
    [{ count: 1, amount: "19.90" }],
  );
  const { merchant, payments } = await desk.refundable();
  const asked = await desk.refund(merchant, payments[0], { amount: "9.90" });
  assert.equal(asked.status, 201, asked.text);
  await desk.moveTo(merchant, "2026-12-04T12:00:00Z");
  assert.equal((await desk.instruction(asked.body))["state"], "batched");
  assert.deepEqual(await expected(merchant.key), []);
});
