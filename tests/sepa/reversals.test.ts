/** Reversals (pain.007): a settled debit that should not have been collected is returned in full, in time, and once. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { collectNow } from "../../src/gateways/sepa-batch/commands.ts";
import { manualClock } from "../../src/lib/clock.ts";
import { assertBooksAgree } from "../support/books.ts";
import {
  bankMerchant,
  content,
  followed,
  markSent,
  outgoing,
  payAt,
  type BankMerchant,
} from "../support/sepa-bank.ts";
import { deskOf, referenceOf } from "../support/sepa-desk.ts";
import { startService, type Json, type Service } from "../support/service.ts";
import { wordsOf } from "../support/console.ts";
import { createRecord, lead } from "../support/merchant.ts";
import { member } from "../support/people.ts";
import * as treasury from "../support/treasury.ts";
import { bankEntry, bankFile, statusReport, type EntryFacts } from "./messages.ts";

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

/** Due on 25 November; five bank days later is 2 December. */
const SETTINGS = { reversal_days: 5 };
const REVERSAL = { way: "reversal" } as const;
const AMOUNT = "19.90";

/** Settled payments. The time is the next day, before the cut-off. */
async function settled(count = 1, settings: object = SETTINGS) {
  const made = await desk.batched(count, settings);
  await markSent(service, made.merchant, made.file["id"]);
  const entries = made.references.map(
    (endToEndId) => ["collection", { amount: AMOUNT, endToEndId }] as const,
  );
  await desk.booked(made.merchant, entries);
  await desk.moveTo(made.merchant, "2026-11-26T08:00:00Z");
  return made;
}

/** Settled payments whose reversals are in a file at the bank. The time is the afternoon of 26 November. */
async function reversed(count = 1, settings: object = SETTINGS) {
  const made = await settled(count, settings);
  const reversals: Json[] = [];
  for (const payment of made.payments) {
    const { body, text } = await desk.refund(made.merchant, payment, REVERSAL);
    assert.equal(body["status"], "pending", text);
    reversals.push(body);
  }
  await desk.moveTo(made.merchant, "2026-11-26T12:00:00Z");
  const file = (await outgoing(service, made.merchant)).at(-1) ?? {};
  assert.equal(file["kind"], "pain.007");
  await markSent(service, made.merchant, file["id"]);
  return { ...made, reversals, sent: file, messageId: file["message_id"] as string };
}

async function read(merchant: BankMerchant, xml: string): Promise<Json> {
  const file = await treasury.read(service, merchant, xml);
  assert.equal(file["status"], "applied", file["error"]);
  return file["report"];
}

/** The bank's booking of a reversal: a debit with the end-to-end id of the collection. */
const debit = (endToEndId: string, facts: Partial<EntryFacts> = {}) =>
  bankEntry({
    amount: AMOUNT,
    sign: "DBIT",
    date: "2026-11-27",
    code: "PMNT/IDDT/PRDD",
    names: { EndToEndId: endToEndId },
    ...facts,
  });
const statement = (...entries: readonly string[]) => bankFile("camt.053", entries);

async function statusOf(merchant: BankMerchant, payment: Json | undefined) {
  const [refund] = await desk.refunds(merchant, payment);
  return [(await desk.transaction(payment))["status"], refund?.["status"]];
}

test("a reversal is in a file of its own, with all data of the debit's file", async () => {
  const { merchant, references, file, reversals, sent, messageId } = await reversed(2);
  assert.deepEqual(
    [sent["transactions"], sent["amount"], sent["due_date"], sent["unanswered"]],
    [2, "39.80", "2026-12-02", 2],
  );
  const xml = await content(service, merchant, sent["id"]);
  const debits = await content(service, merchant, file["id"]);
  assert.match(xml, /<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain\.007\.001\.09">/);
  const says = (part: string) => assert.ok(xml.includes(part), part);
  says(`<OrgnlMsgId>${file["message_id"]}</OrgnlMsgId><OrgnlMsgNmId>pain.008.001.08</OrgnlMsgNmId>`);
  says(`<RvslPmtInfId>${messageId}-1</RvslPmtInfId><OrgnlPmtInfId>${file["message_id"]}-1</OrgnlPmtInfId>`);
  says(`<NbOfTxs>2</NbOfTxs><CtrlSum>39.80</CtrlSum>`);
  for (const [n, reference] of references.entries()) {
    says(`<RvslId>${referenceOf(reversals[n] ?? {})}</RvslId>`);
    says(`<OrgnlEndToEndId>${reference}</OrgnlEndToEndId>`);
  }
  says('<RvsdInstdAmt Ccy="EUR">19.90</RvsdInstdAmt>');
  says("<ReqdColltnDt>2026-11-25</ReqdColltnDt>");
  for (const same of [
    /<MndtRltdInf>.*?<\/MndtRltdInf>/,
    /<RmtInf>.*?<\/RmtInf>/,
    /<CdtrSchmeId>.*?<\/CdtrSchmeId>/,
  ])
    says(same.exec(debits)?.[0] ?? "?");
});

test("the bank's booking under the debit's own id makes the payment refunded, not charged back", async () => {
  const { merchant, payments, references } = await reversed();
  assert.equal((await read(merchant, statement(debit(references[0] ?? ""))))["settled"], 1);
  assert.deepEqual(await statusOf(merchant, payments[0]), ["refunded", "approved"]);
  assert.deepEqual(await treasury.chargebacks(service, merchant), []);
  const again = await read(merchant, statement(debit(references[0] ?? ""), bankEntry({ amount: "1.00" })));
  assert.equal(again["known"], 1, JSON.stringify(again));
  const [refund] = await desk.refunds(merchant, payments[0]);
  assert.deepEqual([refund?.["way"], refund?.["reason"]], ["reversal", null]);
});

test("a booking that the bank marks as a reversal and that names only the mandate makes the payment refunded, not charged back", async () => {
  const { merchant, payments } = await reversed();
  const { mandate_reference } = await desk.instruction(payments[0]);
  assert.equal(
    (await read(merchant, statement(debit("", { names: { MndtId: mandate_reference } }))))["settled"],
    1,
  );
  assert.deepEqual(await statusOf(merchant, payments[0]), ["refunded", "approved"]);
  assert.deepEqual(await treasury.chargebacks(service, merchant), []);
});

test("a return that names only the mandate is applied to the debit when the same file has booked its reversal before it", async () => {
  const { merchant, payments, reversals } = await reversed();
  const { mandate_reference } = await desk.instruction(payments[0]);
  const booked = debit(referenceOf(reversals[0] ?? {}));
  const returned = debit("", { code: "PMNT/IDDT/UPDD", names: { MndtId: mandate_reference } });
  const report = await read(merchant, statement(booked, returned));
  assert.deepEqual([report["settled"], report["returned"]], [1, 1], JSON.stringify(report));
});

test("a collective booking settles the reversals of the block that it names", async () => {
  const { merchant, payments, messageId } = await reversed(2);
  const booking = debit("", {
    amount: "39.80",
    names: { "Btch/PmtInfId": `${messageId}-1` },
    noDetail: true,
  });
  assert.equal((await read(merchant, statement(booking)))["settled"], 1);
  for (const payment of payments)
    assert.deepEqual(await statusOf(merchant, payment), ["refunded", "approved"]);
});

test("a report that rejects the reversal, even under the debit's id, leaves the payment as it was, and no transfer follows", async () => {
  const { merchant, payments, references, messageId } = await reversed(2);
  const group = { messageId, name: "pain.007.001.09", status: "PART" };
  const report = statusReport(group, [
    {
      id: `${messageId}-1`,
      transactions: [{ status: "RJCT", reason: "AC04", names: { OrgnlEndToEndId: references[0] ?? "" } }],
    },
  ]);
  assert.equal((await read(merchant, report))["rejected"], 1);
  assert.deepEqual(await statusOf(merchant, payments[0]), ["approved", "declined"]);
  assert.deepEqual(await statusOf(merchant, payments[1]), ["approved", "pending"]);
  const { refund_claimed: claimed } = await desk.transaction(payments[0]);
  assert.equal(claimed, "0.00", "it can be given back in another way");
  const files = (await outgoing(service, merchant)).length;
  await desk.moveTo(merchant, "2026-12-08T12:00:00Z");
  assert.equal((await outgoing(service, merchant)).length, files, "nothing follows by itself");
  assert.deepEqual(await treasury.chargebacks(service, merchant), []);
  const transfer = await desk.refund(merchant, payments[0]);
  assert.deepEqual([transfer.body["status"], transfer.body["way"]], ["pending", "transfer"], transfer.text);
});

test("a report that rejects the whole file rejects its reversals, and none of the debits", async () => {
  const { merchant, payments, messageId } = await reversed(2);
  await read(merchant, statusReport({ messageId, name: "pain.007.001.09", status: "RJCT", reason: "FF01" }));
  for (const payment of payments)
    assert.deepEqual(await statusOf(merchant, payment), ["approved", "declined"]);
});

test("a return by the customer's bank during the reversal is a chargeback, and the reversal's booking is a loss", async () => {
  const { merchant, payments, references, sent } = await reversed();
  const [reference = ""] = references;
  await read(merchant, statement(debit(reference, { code: "PMNT/IDDT/UPDD", reason: "AC06" })));
  assert.deepEqual(await statusOf(merchant, payments[0]), ["charged_back", "pending"]);
  await read(
    merchant,
    statusReport({ messageId: sent["message_id"], status: "RJCT", name: "pain.007.001.09" }),
  );
  assert.deepEqual(await statusOf(merchant, payments[0]), ["charged_back", "declined"]);
});

test("a debit entry without a code and a reason may be a return or a reversal, and a person decides", async () => {
  const { merchant, payments, references } = await reversed(2);
  const [first = "", second = ""] = references;
  const bare = (reference: string) => debit(reference, { code: "" });
  assert.equal((await read(merchant, statement(bare(first), bare(second))))["unmatched"], 2);
  const entries = await treasury.unmatched(service, merchant);
  const of = (reference: string) => entries.find((one) => one["references"].includes(reference))?.["id"];
  const { id: reversal } = (await desk.refunds(merchant, payments[0]))[0] ?? {};
  const suggested = await service.get(`management/unmatched/${of(first)}/suggestions/`, {
    key: merchant.key,
  });
  assert.ok(
    suggested.body["results"].some((one: Json) => one["transaction_id"] === reversal),
    suggested.text,
  );
  const applied = await treasury.resolve(service, merchant, of(first), { transaction_id: reversal });
  assert.equal(applied.status, 200, applied.text);
  assert.deepEqual(await statusOf(merchant, payments[0]), ["refunded", "approved"]);
  const returned = { transaction_id: payments[1]?.["transaction"].id };
  assert.equal((await treasury.resolve(service, merchant, of(second), returned)).status, 200);
  assert.deepEqual(await statusOf(merchant, payments[1]), ["charged_back", "pending"]);
});

const REFUSED: readonly (readonly [string, object, object, RegExp])[] = [
  ["an account whose bank takes none", {}, REVERSAL, /sends no reversals/],
  ["a part of a debit", SETTINGS, { ...REVERSAL, amount: "9.90" }, /in full or not at all/],
];
for (const [what, settings, body, words] of REFUSED) {
  test(`${what} has no reversal`, async () => {
    const { merchant, payments } = await settled(1, settings);
    const asked = await desk.refund(merchant, payments[0], body);
    assert.equal(asked.body["status"], "declined", asked.text);
    assert.match(asked.body["error_details"].gateway_message, words);
    assert.equal((await desk.transaction(payments[0]))["refund_claimed"], "0.00");
  });
}

test("the last day is the fifth bank day after the due date, before the cut-off", async () => {
  const { merchant, payments } = await settled(2);
  await desk.moveTo(merchant, "2026-12-02T10:59:00Z");
  const inTime = await desk.refund(merchant, payments[0], REVERSAL);
  assert.equal(inTime.body["status"], "pending", inTime.text);
  assert.match(inTime.body["notice"], /to the bank by 2026-12-02/);
  await desk.moveTo(merchant, "2026-12-02T11:01:00Z");
  const late = await desk.refund(merchant, payments[1], REVERSAL);
  assert.equal(late.body["status"], "declined", late.text);
  assert.match(late.body["error_details"].gateway_message, /time .* has passed/);
  assert.equal((await outgoing(service, merchant)).at(-1)?.["kind"], "pain.007");
});

test("a reversal whose file was not sent in time is declined and never sent", async () => {
  const { merchant, payments } = await settled();
  await desk.refund(merchant, payments[0], REVERSAL);
  await desk.moveTo(merchant, "2026-11-26T12:00:00Z");
  const file = (await outgoing(service, merchant)).at(-1) ?? {};
  assert.equal(file["kind"], "pain.007");
  await desk.moveTo(merchant, "2026-12-03T12:00:00Z");
  const after = (await outgoing(service, merchant)).find(({ id }) => id === file["id"]);
  assert.equal(after?.["status"], "withdrawn");
  assert.match(after?.["error"], /by 2026-12-02/);
  assert.deepEqual(await statusOf(merchant, payments[0]), ["approved", "declined"]);
  const [refund] = await desk.refunds(merchant, payments[0]);
  assert.match(refund?.["error_details"].message, /refund the payment by transfer/);
});

test("a return before the reversal was sent removes it from its file", async () => {
  const { merchant, payments, references } = await settled();
  await desk.refund(merchant, payments[0], REVERSAL);
  await desk.moveTo(merchant, "2026-11-26T12:00:00Z");
  await read(merchant, statement(debit(references[0] ?? "", { code: "PMNT/IDDT/UPDD", reason: "AM04" })));
  await desk.moveTo(merchant, "2026-11-27T12:00:00Z");
  assert.equal((await outgoing(service, merchant)).at(-1)?.["status"], "withdrawn");
  assert.deepEqual(await statusOf(merchant, payments[0]), ["charged_back", "declined"]);
});

test("a debit is refunded once, even by a concurrent reversal and transfer or a form that is sent twice", async () => {
  const { merchant, payments } = await settled(3);
  await Promise.all(
    payments.flatMap((one) => [desk.refund(merchant, one, REVERSAL), desk.refund(merchant, one, REVERSAL)]),
  );
  for (const payment of payments) {
    const under = (await desk.refunds(merchant, payment)).filter(({ status }) => status === "pending");
    assert.equal(under.length, 1);
  }
  await desk.moveTo(merchant, "2026-11-26T12:00:00Z");
  const files = (await outgoing(service, merchant)).filter(({ kind }) => kind === "pain.007");
  assert.deepEqual(
    files.map((file) => file["transactions"]),
    [3],
  );
});

test("reversals of debits from two files are written into two files, which sepa collect reports", async () => {
  const made = await settled();
  const { merchant } = made;
  const later = await treasury.sentBy(service, merchant, 1, "2026-11-26");
  await markSent(service, merchant, later.file["id"]);
  await treasury.booked(
    service,
    merchant,
    [["collection", { amount: AMOUNT, endToEndId: later.references[0] ?? "" }]],
    "2026-11-30",
  );
  await desk.moveTo(merchant, "2026-12-01T08:00:00Z");
  for (const id of [made.payments[0]?.["transaction"].id, later.ids[0]])
    assert.equal(
      (await service.post(`management/transactions/${id}/refunds/`, REVERSAL, { key: merchant.key })).status,
      201,
    );
  const said = await collectNow(service.app.deps, merchant.accountId);
  assert.equal(said, `${merchant.accountId}: 2 instructions in 2 files`);
  const files = (await outgoing(service, merchant)).filter(({ kind }) => kind === "pain.007");
  assert.deepEqual(
    files.map((file) => file["due_date"]).toSorted((a, b) => a.localeCompare(b)),
    ["2026-12-02", "2026-12-07"],
  );
});

test("an account without such an order at its bank's EBICS host, or with the older version, cannot have reversals", async () => {
  const { merchant } = await desk.batched();
  const transport = {
    kind: "ebics",
    url: "http://127.0.0.1:9/",
    host_id: "H",
    partner_id: "P",
    user_id: "U",
  };
  const settings = {
    creditor_name: "Shop",
    creditor_iban: "DE89370400440532013000",
    creditor_identifier: "DE98ZZZ09999999999",
    ...SETTINGS,
  };
  const save = (changes: object) =>
    service.post(
      "management/gateways/",
      { name: "Bank", adapter: "sepa_batch", test_mode: true, settings: { ...settings, ...changes } },
      { key: merchant.key },
    );
  const without = await save({ transport });
  assert.equal(without.status, 400, without.text);
  assert.match(without.text, /transport\.orders\.reversal/);
  assert.match(
    (await save({ message_version: "pain.008.001.02" })).text,
    /Only debits of pain\.008\.001\.08/,
  );
  const given = { ...transport, orders: { reversal: "SDD///XML/pain.007" } };
  assert.equal((await save({ transport: given })).status, 201);
});

test("a reversal at a gateway without reversals is refused with that reason", async () => {
  const { merchant } = await desk.batched();
  const { status, body, text } = await service.post(
    "management/gateways/",
    { name: "Sandbox", adapter: "sandbox", test_mode: true },
    { key: merchant.key },
  );
  assert.equal(status, 201, text);
  const token = await merchant.session({ gateway_id: body["id"], lead: lead() });
  const paid = await merchant.pay(token, "DE89370400440532013000");
  const path = `management/transactions/${paid.body["transaction"].id}/refunds/`;
  const asked = await service.post(path, REVERSAL, { key: merchant.key });
  assert.deepEqual(
    [asked.status, asked.body["way"]],
    [400, ["This payment's gateway has no reversals."]],
    asked.text,
  );
});

test("a debit entry without a code, after a reversal whose booking was assumed, may be its booking or a return, and a person decides", async () => {
  const { merchant, payments, references } = await reversed(1, { ...SETTINGS, assume_settled_after: 2 });
  await desk.moveTo(merchant, "2026-12-01T12:00:00Z");
  await followed(service);
  assert.deepEqual(await statusOf(merchant, payments[0]), ["refunded", "approved"]);
  const report = await read(merchant, statement(debit(references[0] ?? "", { code: "" })));
  assert.equal(report["unmatched"], 1, JSON.stringify(report));
  assert.deepEqual(await treasury.chargebacks(service, merchant), []);
});

test("a debit entry without a code but with the bank's reference of the reversal's booking is that booking, whatever its day", async () => {
  const { merchant, payments, references } = await reversed();
  const [reference = ""] = references;
  const booking = { bankReference: "BANK-REVERSAL-1" };
  await read(merchant, statement(debit(reference, booking)));
  const copy = await read(
    merchant,
    statement(debit(reference, { ...booking, code: "", date: "2026-11-30" })),
  );
  assert.equal(copy["known"], 1, JSON.stringify(copy));
  assert.deepEqual(await statusOf(merchant, payments[0]), ["refunded", "approved"]);
});

test("a report that rejects reversals under the block of their debits rejects none of the debits, and neither can a person", async () => {
  const made = await desk.batched(2, SETTINGS);
  const { merchant, payments, references, file } = made;
  await markSent(service, merchant, file["id"]);
  await desk.booked(merchant, [["collection", { amount: AMOUNT, endToEndId: references[0] ?? "" }]]);
  await desk.moveTo(merchant, "2026-11-26T08:00:00Z");
  await desk.refund(merchant, payments[0], REVERSAL);
  await desk.moveTo(merchant, "2026-11-26T12:00:00Z");
  const group = { messageId: file["message_id"], name: "pain.007.001.09" };
  await read(merchant, statusReport(group, [{ id: `${file["message_id"]}-1`, status: "RJCT" }]));
  const [entry] = await treasury.unmatched(service, merchant);
  const answer = await treasury.resolve(service, merchant, entry?.["id"], { action: "reject" });
  assert.equal(answer.status, 409, answer.text);
  assert.equal((await desk.transaction(payments[1]))["status"], "pending");
  const { id } = (await desk.refunds(merchant, payments[0]))[0] ?? {};
  const mixed = await treasury.resolve(service, merchant, entry?.["id"], {
    action: "reject",
    transaction_ids: [id, payments[1]?.["transaction"].id],
  });
  assert.equal(mixed.status, 409, mixed.text);
  assert.deepEqual(await statusOf(merchant, payments[0]), ["approved", "pending"]);
  const named = await treasury.resolve(service, merchant, entry?.["id"], {
    action: "reject",
    transaction_id: id,
  });
  assert.equal(named.status, 200, named.text);
  assert.deepEqual(await statusOf(merchant, payments[0]), ["approved", "declined"]);
});

test("a debit whose settlement was only assumed cannot be reversed", async () => {
  const { merchant, payments, file } = await desk.batched(1, { ...SETTINGS, assume_settled_after: 2 });
  await markSent(service, merchant, file["id"]);
  await desk.moveTo(merchant, "2026-11-27T08:00:00Z");
  await followed(service);
  assert.equal((await desk.transaction(payments[0]))["status"], "approved");
  const asked = await desk.refund(merchant, payments[0], REVERSAL);
  assert.equal(asked.body["status"], "declined", asked.text);
  assert.match(asked.body["error_details"].gateway_message, /not settled/);
});

/** A payment that the bank has collected from a file that was withdrawn. The time is the next day, before the cut-off. */
async function settledFromWithdrawn() {
  const made = await desk.batched(1, SETTINGS);
  const { merchant, payments, references, file } = made;
  const path = `management/sepa-files/${file["id"]}/withdraw/`;
  assert.equal((await service.post(path, undefined, { key: merchant.key })).status, 200);
  await desk.booked(merchant, [["collection", { amount: AMOUNT, endToEndId: references[0] ?? "" }]]);
  assert.equal((await desk.transaction(payments[0]))["status"], "approved");
  await desk.moveTo(merchant, "2026-11-26T08:00:00Z");
  return made;
}

const filesOf = async (merchant: BankMerchant) =>
  (await outgoing(service, merchant)).map(({ kind, status }) => `${kind} ${status}`);

test("a debit that was collected from a withdrawn file has no reversal but a transfer, and the account's files are written", async () => {
  const { merchant, payments } = await settledFromWithdrawn();
  const asked = await desk.refund(merchant, payments[0], REVERSAL);
  assert.equal(asked.body["status"], "declined", asked.text);
  assert.match(asked.body["error_details"].gateway_message, /withdrawn.*Refund it by transfer/);
  assert.equal((await desk.transaction(payments[0]))["refund_claimed"], "0.00");
  await payAt(merchant);
  await desk.moveTo(merchant, "2026-11-26T12:00:00Z");
  assert.deepEqual(await filesOf(merchant), ["pain.008 withdrawn", "pain.008 ready"]);
  await desk.moveTo(merchant, "2026-12-08T08:00:00Z");
  const transfer = await desk.refund(merchant, payments[0]);
  assert.deepEqual([transfer.body["status"], transfer.body["way"]], ["pending", "transfer"], transfer.text);
});

test("a waiting reversal of a debit that is in no file delays none of the account's files, and is declined after its day", async () => {
  const { merchant, payments, references } = await settledFromWithdrawn();
  await desk.moveTo(merchant, "2026-12-08T08:00:00Z");
  await desk.refund(merchant, payments[0]);
  // As earlier versions accepted reversals of such debits.
  await service.rows("update sepa_collections set reversible_until = '2026-12-08' where refund_of = $1", [
    references[0],
  ]);
  await payAt(merchant);
  await desk.moveTo(merchant, "2026-12-08T12:00:00Z");
  assert.deepEqual(await filesOf(merchant), ["pain.008 withdrawn", "pain.008 ready"]);
  assert.deepEqual(await statusOf(merchant, payments[0]), ["approved", "pending"]);
  await desk.moveTo(merchant, "2026-12-09T12:00:00Z");
  assert.deepEqual(await statusOf(merchant, payments[0]), ["approved", "declined"]);
});

test("the days for a reversal are counted from the due date, however late the bank booked the debit", async () => {
  const { merchant, payments, references, file } = await desk.batched(1, SETTINGS);
  await markSent(service, merchant, file["id"]);
  const entry = ["collection", { amount: AMOUNT, endToEndId: references[0] ?? "" }] as const;
  await desk.booked(merchant, [entry], "2026-11-27");
  await desk.moveTo(merchant, "2026-12-02T10:59:00Z");
  const { body, text } = await desk.refund(merchant, payments[0], REVERSAL);
  assert.match(body["notice"], /to the bank by 2026-12-02/, text);
});

/** Reversals in one file at the bank: of a payment and of a subscription's first payment, each in its own block. */
async function reversedInTwoBlocks() {
  const merchant = await bankMerchant(service, SETTINGS);
  const once = await payAt(merchant);
  const first = await payAt(merchant, { billing_type: "RECURRING", billing_frequency: "MONTHLY" });
  const payments = [once, first];
  await desk.moveTo(merchant, "2026-11-23T12:00:00Z");
  const [file] = await outgoing(service, merchant);
  await markSent(service, merchant, file?.["id"]);
  await desk.booked(
    merchant,
    payments.map((one) => ["collection", { amount: AMOUNT, endToEndId: referenceOf(one) }] as const),
  );
  await desk.moveTo(merchant, "2026-11-26T08:00:00Z");
  for (const payment of payments) await desk.refund(merchant, payment, REVERSAL);
  await desk.moveTo(merchant, "2026-11-26T12:00:00Z");
  const sent = (await outgoing(service, merchant)).at(-1) ?? {};
  await markSent(service, merchant, sent["id"]);
  const refunds = await Promise.all(payments.map((one) => desk.refunds(merchant, one)));
  const blocks = await Promise.all(refunds.map(async ([one]) => (await desk.instruction(one))["block_id"]));
  return { merchant, once, first, sent, blocks };
}

test("reversals of two blocks are two blocks, and the booking of one settles only its own", async () => {
  const { merchant, once, first, sent, blocks } = await reversedInTwoBlocks();
  const expected = [1, 2].map((n) => `${sent["message_id"]}-${n}`);
  assert.deepEqual(new Set(blocks), new Set(expected));
  const xml = await content(service, merchant, sent["id"]);
  assert.deepEqual(
    [...xml.matchAll(/<RvslPmtInfId>(.*?)</g)].map(([, id]) => id),
    expected,
  );
  const booking = debit("", { names: { "Btch/PmtInfId": blocks[1] }, noDetail: true });
  assert.equal((await read(merchant, statement(booking)))["settled"], 1);
  assert.deepEqual(await statusOf(merchant, once), ["approved", "pending"]);
  assert.deepEqual(await statusOf(merchant, first), ["refunded", "approved"]);
});

test("a reversal booked under its debit's id is recognised, also after the sum of a block in the same file", async () => {
  const { merchant, once, first, blocks } = await reversedInTwoBlocks();
  const sum = debit("", { names: { "Btch/PmtInfId": blocks[1] }, noDetail: true });
  assert.equal((await read(merchant, statement(sum, debit(referenceOf(once)))))["settled"], 2);
  for (const payment of [once, first])
    assert.deepEqual(await statusOf(merchant, payment), ["refunded", "approved"]);
  assert.deepEqual(await treasury.chargebacks(service, merchant), []);
});

test("a file of reversals may still be given to the bank on their last day", async () => {
  const { merchant, payments } = await settled();
  await desk.moveTo(merchant, "2026-12-02T08:00:00Z");
  await desk.refund(merchant, payments[0], REVERSAL);
  for (const time of ["11:01", "15:00"]) {
    await desk.moveTo(merchant, `2026-12-02T${time}:00Z`);
    const file = (await outgoing(service, merchant)).at(-1) ?? {};
    assert.deepEqual([file["kind"], file["status"]], ["pain.007", "ready"], `at ${time}`);
  }
  assert.deepEqual(await statusOf(merchant, payments[0]), ["approved", "pending"]);
});

test("a file of reversals needs the approvals that the account requires on the day on which it is written", async () => {
  const { merchant, payments } = await settled();
  await desk.refund(merchant, payments[0], REVERSAL);
  const path = `management/gateways/${merchant.accountId}/`;
  const { body: account } = await service.get(path, { key: merchant.key });
  const settings = { ...account["settings"], approvals_required: 2 };
  const saved = await service.call("PATCH", path, { settings }, { key: merchant.key });
  assert.equal(saved.status, 200, saved.text);
  await desk.moveTo(merchant, "2026-11-26T12:00:00Z");
  const file = (await outgoing(service, merchant)).at(-1) ?? {};
  assert.deepEqual([file["kind"], file["status"]], ["pain.007", "to_approve"]);
  const download = await service.get(`management/sepa-files/${file["id"]}/content/`, { key: merchant.key });
  assert.equal(download.status, 409, download.text);
});

/** A settled payment of a merchant who holds refunds for ten days. */
async function holding(): ReturnType<typeof settled> {
  const all = await settled();
  await service.call("PATCH", "management/tenant/", { refund_hold_days: 10 }, { key: all.merchant.key });
  await createRecord(service, all.merchant.key, "webhook-profiles", {
    name: "Guards",
    url: "https://shop.example/hooks",
    events: ["guard.triggered"],
  });
  return all;
}

test("a held reversal is still a reversal when it is released", async () => {
  const { merchant, payments } = await holding();
  const held = await desk.refund(merchant, payments[0], REVERSAL);
  assert.ok(held.body["held_until"] !== null, held.text);
  const path = `management/transactions/${payments[0]?.["transaction"].id}/refunds/${held.body["id"]}/release/`;
  const { body, text } = await service.post(path, {}, { key: merchant.key });
  assert.deepEqual([body["status"], body["way"]], ["pending", "reversal"], text);
  await desk.moveTo(merchant, "2026-11-26T12:00:00Z");
  assert.equal((await outgoing(service, merchant)).at(-1)?.["kind"], "pain.007");
});

test("a debit entry without a code that names the block of the debits is a return, also while their reversal is being carried out", async () => {
  const { merchant, payments, references, file } = await reversed();
  const names = { EndToEndId: references[0] ?? "", PmtInfId: `${file["message_id"]}-1` };
  const report = await read(merchant, statement(debit("", { code: "", names })));
  assert.equal(report["returned"], 1, JSON.stringify(report));
  assert.deepEqual(await statusOf(merchant, payments[0]), ["charged_back", "pending"]);
});

async function saveSettings(merchant: BankMerchant, change: (settings: Json) => object): Promise<void> {
  const path = `management/gateways/${merchant.accountId}/`;
  const { body } = await service.get(path, { key: merchant.key });
  const settings = change(body["settings"]);
  const saved = await service.call("PATCH", path, { settings }, { key: merchant.key });
  assert.equal(saved.status, 200, saved.text);
}

const withoutReversals = ({ reversal_days: _, ...others }: Json) => others;

test("an account whose reversals were switched off sends none that wait, in a file or not, and gives the reason", async () => {
  const { merchant, payments } = await settled(2);
  await desk.refund(merchant, payments[0], REVERSAL);
  await desk.moveTo(merchant, "2026-11-26T12:00:00Z");
  const file = (await outgoing(service, merchant)).at(-1) ?? {};
  assert.equal(file["kind"], "pain.007");
  await desk.refund(merchant, payments[1], REVERSAL);
  await saveSettings(merchant, withoutReversals);
  await desk.moveTo(merchant, "2026-11-27T08:00:00Z");
  const withdrawn = (await outgoing(service, merchant)).find(({ id }) => id === file["id"]);
  assert.deepEqual([withdrawn?.["status"]], ["withdrawn"]);
  assert.match(withdrawn?.["error"], /which the account no longer sends/);
  await desk.moveTo(merchant, "2026-11-30T12:00:00Z");
  assert.equal((await outgoing(service, merchant)).filter(({ kind }) => kind === "pain.007").length, 1);
  for (const payment of payments) {
    assert.deepEqual(await statusOf(merchant, payment), ["approved", "declined"]);
    const [refund] = await desk.refunds(merchant, payment);
    assert.match(refund?.["error_details"].message, /sends no reversals any more: refund the payment by/);
    assert.equal((await desk.transaction(payment))["refund_claimed"], "0.00");
  }
});

test("a reversal that is at the bank is still booked after the account's reversals were switched off", async () => {
  const { merchant, payments, references } = await reversed();
  await saveSettings(merchant, withoutReversals);
  await desk.moveTo(merchant, "2026-11-27T08:00:00Z");
  assert.equal((await read(merchant, statement(debit(references[0] ?? ""))))["settled"], 1);
  assert.deepEqual(await statusOf(merchant, payments[0]), ["refunded", "approved"]);
});

test("reducing the days for reversals changes the last day of later reversals, not of accepted ones", async () => {
  const { merchant, payments } = await settled(2);
  const first = await desk.refund(merchant, payments[0], REVERSAL);
  await saveSettings(merchant, (settings) => ({ ...settings, reversal_days: 2 }));
  const second = await desk.refund(merchant, payments[1], REVERSAL);
  assert.match(first.body["notice"], /by 2026-12-02/);
  assert.match(second.body["notice"], /by 2026-11-27/);
});

/** Withdraws a file of reversals although the bank has it. */
async function withdrawn(merchant: BankMerchant, file: Json): Promise<void> {
  const path = `management/sepa-files/${file["id"]}/withdraw/`;
  const { status, text } = await service.post(path, {}, { key: merchant.key });
  assert.equal(status, 200, text);
}

test("a booking that the bank marks as a reversal settles a reversal whose file was withdrawn: no chargeback, and no second reversal", async () => {
  const { merchant, payments, references } = await settled();
  await desk.refund(merchant, payments[0], REVERSAL);
  await desk.moveTo(merchant, "2026-11-26T12:00:00Z");
  await withdrawn(merchant, (await outgoing(service, merchant)).at(-1) ?? {});
  assert.equal((await read(merchant, statement(debit(references[0] ?? ""))))["settled"], 1);
  assert.deepEqual(await treasury.chargebacks(service, merchant), []);
  await desk.moveTo(merchant, "2026-11-27T12:00:00Z");
  assert.deepEqual(await statusOf(merchant, payments[0]), ["refunded", "approved"]);
  assert.equal((await outgoing(service, merchant)).filter(({ kind }) => kind === "pain.007").length, 1);
});

for (const when of ["before", "after"] as const) {
  test(`after a collective booking of reversals whose file was withdrawn, ${when} the next one is written, each debit is refunded once`, async () => {
    const { merchant, payments } = await settled(2);
    for (const payment of payments) await desk.refund(merchant, payment, REVERSAL);
    await desk.moveTo(merchant, "2026-11-26T12:00:00Z");
    const file = (await outgoing(service, merchant)).at(-1) ?? {};
    await content(service, merchant, file["id"]);
    await withdrawn(merchant, file);
    if (when === "after") await desk.moveTo(merchant, "2026-11-27T12:00:00Z");
    const booking = debit("", {
      amount: "39.80",
      names: { "Btch/PmtInfId": `${file["message_id"]}-1` },
      noDetail: true,
    });
    const report = await read(merchant, statement(booking));
    assert.equal(report["settled"], 1, JSON.stringify(report));
    for (const payment of payments)
      assert.deepEqual(await statusOf(merchant, payment), ["refunded", "approved"]);
    await desk.moveTo(merchant, "2026-11-30T12:00:00Z");
    const later = (await outgoing(service, merchant)).filter(
      ({ kind, status }) => kind === "pain.007" && status !== "withdrawn",
    );
    assert.equal(later.length, when === "after" ? 1 : 0);
    for (const { id } of later)
      assert.equal(
        (await service.get(`management/sepa-files/${id}/content/`, { key: merchant.key })).status,
        409,
      );
  });
}

test("the booking of a reversal whose file was withdrawn counts once, however many of the bank's files contain it", async () => {
  const { merchant, payments, references } = await settled();
  await desk.refund(merchant, payments[0], REVERSAL);
  await desk.moveTo(merchant, "2026-11-26T12:00:00Z");
  await withdrawn(merchant, (await outgoing(service, merchant)).at(-1) ?? {});
  const [reference = ""] = references;
  assert.equal((await read(merchant, bankFile("camt.054", [debit(reference)])))["settled"], 1);
  for (const code of ["PMNT/IDDT/PRDD", ""]) {
    const report = await read(merchant, statement(debit(reference, { code })));
    assert.equal(report["known"], 1, JSON.stringify(report));
  }
  assert.deepEqual(await statusOf(merchant, payments[0]), ["refunded", "approved"]);
});

test("a booking that the bank marks as a reversal settles the waiting reversal, not one that the bank had rejected before", async () => {
  const { merchant, payments, references, messageId } = await reversed();
  const group = { messageId, name: "pain.007.001.09", status: "RJCT", reason: "FF01" };
  await read(merchant, statusReport(group));
  const second = await desk.refund(merchant, payments[0], REVERSAL);
  assert.equal(second.body["status"], "pending", second.text);
  await desk.moveTo(merchant, "2026-11-27T12:00:00Z");
  const file = (await outgoing(service, merchant)).at(-1) ?? {};
  assert.deepEqual([file["kind"], file["status"]], ["pain.007", "ready"]);
  await withdrawn(merchant, file);
  const report = await read(merchant, statement(debit(references[0] ?? "")));
  assert.equal(report["settled"], 1, JSON.stringify(report));
  assert.deepEqual(await statusOf(merchant, payments[0]), ["refunded", "approved"]);
  await desk.moveTo(merchant, "2026-11-30T12:00:00Z");
  assert.equal((await outgoing(service, merchant)).filter(({ kind }) => kind === "pain.007").length, 2);
});

test("a booking marked as a reversal waits for a person if our reversal had ended; with a reason it is a return", async () => {
  const { merchant, payments, references } = await settled(2);
  for (const payment of payments) await desk.refund(merchant, payment, REVERSAL);
  await desk.moveTo(merchant, "2026-11-26T12:00:00Z");
  await withdrawn(merchant, (await outgoing(service, merchant)).at(-1) ?? {});
  await saveSettings(merchant, withoutReversals);
  await desk.moveTo(merchant, "2026-11-27T08:00:00Z");
  const [first = "", second = ""] = references;
  const report = await read(merchant, statement(debit(first), debit(second, { reason: "AM04" })));
  assert.deepEqual([report["unmatched"], report["returned"]], [1, 1], JSON.stringify(report));
  assert.deepEqual(await statusOf(merchant, payments[0]), ["approved", "declined"]);
  assert.deepEqual(await statusOf(merchant, payments[1]), ["charged_back", "declined"]);
  const [entry] = await treasury.unmatched(service, merchant);
  assert.match(entry?.["why"], /booked a reversal that was withdrawn or rejected here/);
  const id = payments[0]?.["transaction"].id;
  assert.equal(
    (await treasury.resolve(service, merchant, entry?.["id"], { transaction_id: id })).status,
    200,
  );
  assert.deepEqual(await statusOf(merchant, payments[0]), ["charged_back", "declined"]);
});

test("the bank's fee for a reversal is a separate entry in the ledger and in DATEV's file", async () => {
  const { merchant, references } = await reversed();
  const [reference = ""] = references;
  const booking = debit(reference, { amount: "21.40", amounts: { InstdAmt: `${AMOUNT} EUR` } });
  assert.equal((await read(merchant, statement(booking)))["settled"], 1);
  const asked = (more: string) =>
    service.get(`management/journal/?from=2026-11-01&to=2026-11-30${more}`, { key: merchant.key });
  const { body } = await asked("");
  assert.deepEqual(
    (body["results"] as readonly Json[])
      .filter(({ day }) => day === "2026-11-27")
      .map(({ what, debit: to, credit: from, amount }) => `${what} ${to} ${from} ${amount}`),
    ["refund receivables bank 19.90", "fee fees bank 1.50"],
  );
  const { text } = await asked("&format=datev&year_start=2026-01-01&consultant=1001&client=1");
  assert.match(text, /^1,50;"S";"EUR".*"Bankgeb/m);
});

test("a reversal that was held beyond its last day is declined, as its event and the payment's page say; the page warns before", async () => {
  const { merchant, payments } = await holding();
  const held = await desk.refund(merchant, payments[0], REVERSAL);
  assert.ok(held.body["held_until"] > "2026-12-03", held.text);
  const { browser } = await member(
    service,
    { id: merchant.tenantId, tenant: 0, key: merchant.key },
    "viewer",
  );
  const page = `/console/payments/${held.body["id"]}/`;
  assert.match(
    wordsOf(await browser.get(page)),
    /takes this reversal until Dec 2, 2026: released later, it is declined/,
  );
  await desk.moveTo(merchant, "2026-12-03T08:00:00Z");
  const late = wordsOf(await browser.get(page));
  assert.match(late, /took this reversal until Dec 2, 2026: it is declined when it is released/);
  assert.doesNotMatch(late, /takes this reversal until/);
  await desk.moveTo(merchant, "2026-12-08T08:00:00Z");
  assert.deepEqual(await statusOf(merchant, payments[0]), ["approved", "declined"]);
  const [refund] = await desk.refunds(merchant, payments[0]);
  assert.match(refund?.["error_details"].gateway_message, /time .* has passed/);
  const events = await service.rows(
    "select payload -> 'guard' ->> 'kind' as kind from events where type = 'guard.triggered' and payload -> 'guard' ->> 'refund_id' = $1 order by number",
    [held.body["id"]],
  );
  assert.deepEqual(
    events.map(({ kind }) => kind),
    ["refund_held", "held_refund_declined"],
  );
  assert.match(
    wordsOf(await browser.get(page)),
    /The time in which the bank takes a reversal of this debit has passed/,
  );
});

test("a file of reversals that was not approved in time is counted as missed, and its reversals are declined", async () => {
  const { merchant, payments } = await settled(1, { ...SETTINGS, approvals_required: 0 });
  await saveSettings(merchant, (settings) => ({ ...settings, approvals_required: 1 }));
  await desk.refund(merchant, payments[0], REVERSAL);
  await desk.moveTo(merchant, "2026-11-26T12:00:00Z");
  await desk.moveTo(merchant, "2026-12-03T12:00:00Z");
  const file = (await outgoing(service, merchant)).at(-1) ?? {};
  assert.deepEqual([file["kind"], file["status"]], ["pain.007", "withdrawn"]);
  assert.match(file["error"], /not approved by then/);
  const attention = await service.get("management/needs-attention/", { key: merchant.key });
  assert.match(attention.text, /"kind":"files_not_approved","count":1/);
  assert.deepEqual(await statusOf(merchant, payments[0]), ["approved", "declined"]);
});

test("a returned debit removes its own reversal, and not those of others", async () => {
  const { merchant, payments, references } = await settled(2);
  for (const payment of payments) await desk.refund(merchant, payment, REVERSAL);
  await read(merchant, statement(debit(references[0] ?? "", { code: "PMNT/IDDT/UPDD", reason: "AM04" })));
  assert.deepEqual(await statusOf(merchant, payments[0]), ["charged_back", "declined"]);
  assert.deepEqual(await statusOf(merchant, payments[1]), ["approved", "pending"]);
  await desk.moveTo(merchant, "2026-11-26T12:00:00Z");
  const file = (await outgoing(service, merchant)).at(-1) ?? {};
  assert.deepEqual([file["kind"], file["transactions"]], ["pain.007", 1]);
});

test("a file of reversals has to be at the bank by the earliest last day of its reversals", async () => {
  const { merchant, payments } = await settled(2);
  await desk.refund(merchant, payments[0], REVERSAL);
  await saveSettings(merchant, (settings) => ({ ...settings, reversal_days: 2 }));
  await desk.refund(merchant, payments[1], REVERSAL);
  await desk.moveTo(merchant, "2026-11-26T12:00:00Z");
  const file = (await outgoing(service, merchant)).at(-1) ?? {};
  assert.deepEqual([file["kind"], file["transactions"], file["due_date"]], ["pain.007", 2, "2026-11-27"]);
  await desk.moveTo(merchant, "2026-11-30T08:00:00Z");
  const after = (await outgoing(service, merchant)).find(({ id }) => id === file["id"]);
  assert.equal(after?.["status"], "withdrawn");
  assert.deepEqual(
    await statusOf(merchant, payments[0]),
    ["approved", "pending"],
    "its own days are not over",
  );
  assert.deepEqual(await statusOf(merchant, payments[1]), ["approved", "declined"]);
});

test("a file that waits for approval when the account stops sending reversals is withdrawn, and not counted as missed", async () => {
  const { merchant, payments } = await settled(1, { ...SETTINGS, approvals_required: 0 });
  await saveSettings(merchant, (settings) => ({ ...settings, approvals_required: 1 }));
  await desk.refund(merchant, payments[0], REVERSAL);
  await desk.moveTo(merchant, "2026-11-26T12:00:00Z");
  const file = (await outgoing(service, merchant)).at(-1) ?? {};
  assert.deepEqual([file["kind"], file["status"]], ["pain.007", "to_approve"]);
  await saveSettings(merchant, withoutReversals);
  const path = `management/sepa-files/${file["id"]}/approve/`;
  const refused = await service.post(path, {}, { key: merchant.key });
  assert.equal(refused.status, 409, refused.text);
  assert.match(refused.body["detail"], /which the account no longer sends/);
  const { text } = await service.get("management/needs-attention/", { key: merchant.key });
  assert.doesNotMatch(text, /"kind":"files_not_approved","count":1/);
});

test("a customer whose reversal is held, waits for its file or is with the bank is not erased", async () => {
  const { merchant, payments } = await holding();
  const [{ lead_id: lead } = {}] = await service.rows("select lead_id from transactions where id = $1", [
    payments[0]?.["transaction"].id,
  ]);
  const erase = async () => {
    const path = `management/customers/${lead}/erase/`;
    const { status, body } = await service.post(path, { give_up_evidence: true }, { key: merchant.key });
    return [status, body["code"]];
  };
  const held = await desk.refund(merchant, payments[0], REVERSAL);
  assert.deepEqual(await erase(), [409, "customer_in_use"], "held");
  const path = `management/transactions/${payments[0]?.["transaction"].id}/refunds/${held.body["id"]}/release/`;
  const [released, erased] = await Promise.all([service.post(path, {}, { key: merchant.key }), erase()]);
  assert.deepEqual([released.body["status"], erased[1]], ["pending", "customer_in_use"], "released");
  await desk.moveTo(merchant, "2026-11-26T12:00:00Z");
  assert.equal((await outgoing(service, merchant)).at(-1)?.["kind"], "pain.007");
  assert.deepEqual(await erase(), [409, "customer_in_use"], "in a file");
  assert.deepEqual(await statusOf(merchant, payments[0]), ["approved", "pending"]);
});

test("a held reversal that is cancelled is written into no file, and its debit can be reversed again", async () => {
  const { merchant, payments } = await holding();
  const held = await desk.refund(merchant, payments[0], REVERSAL);
  const refund = `management/transactions/${payments[0]?.["transaction"].id}/refunds/${held.body["id"]}/`;
  const decide = (verb: string) => service.post(`${refund}${verb}/`, {}, { key: merchant.key });
  assert.equal((await decide("cancel")).status, 200);
  assert.equal((await decide("release")).status, 409);
  await desk.moveTo(merchant, "2026-11-26T12:00:00Z");
  assert.deepEqual(
    (await outgoing(service, merchant)).filter(({ kind }) => kind === "pain.007"),
    [],
  );
  const again = await desk.refund(merchant, payments[0], REVERSAL);
  assert.equal(again.body["way"], "reversal", again.text);
});

test("the page of a held refund by transfer names no last day", async () => {
  const { merchant, payments } = await holding();
  const held = await desk.refund(merchant, payments[0]);
  assert.deepEqual([held.body["way"], held.body["held_until"] !== null], ["transfer", true], held.text);
  const company = { id: merchant.tenantId, tenant: 0, key: merchant.key };
  const { browser } = await member(service, company, "viewer");
  const page = wordsOf(await browser.get(`/console/payments/${held.body["id"]}/`));
  assert.match(page, /held/i);
  assert.doesNotMatch(page, /takes this reversal until/);
});

test("a booking with the id of a waiting reversal settles it only if the bank marks it as a reversal", async () => {
  const { merchant, payments } = await settled(2);
  const ids: string[] = [];
  for (const payment of payments)
    ids.push(referenceOf((await desk.refund(merchant, payment, REVERSAL)).body));
  const [first = "", second = ""] = ids;
  const report = await read(merchant, statement(debit(first, { code: "PMNT/ICDT/ESCT" }), debit(second)));
  assert.deepEqual([report["unmatched"], report["settled"]], [1, 1], JSON.stringify(report));
  assert.deepEqual(await statusOf(merchant, payments[0]), ["approved", "pending"]);
  assert.deepEqual(await statusOf(merchant, payments[1]), ["refunded", "approved"]);
  const [entry] = await treasury.unmatched(service, merchant);
  assert.match(entry?.["why"], /the refund is accepted/);
});

test("the fee of a reversal whose booking was assumed becomes one entry of the ledger once the booking is read", async () => {
  const { merchant, references, payments } = await reversed(1, { ...SETTINGS, assume_settled_after: 2 });
  await desk.moveTo(merchant, "2026-12-01T12:00:00Z");
  await followed(service);
  assert.deepEqual(await statusOf(merchant, payments[0]), ["refunded", "approved"]);
  const [reference = ""] = references;
  const facts = { date: "2026-12-01", amount: "21.40", amounts: { InstdAmt: `${AMOUNT} EUR` } };
  for (const kind of ["camt.054", "camt.053"] as const)
    await read(merchant, bankFile(kind, [debit(reference, facts)]));
  await followed(service);
  const { body } = await service.get("management/journal/?from=2026-11-26&to=2026-12-01", {
    key: merchant.key,
  });
  assert.deepEqual(
    (body["results"] as readonly Json[])
      .filter(({ reference: of }) => of !== references[0])
      .map(({ what, debit: to, credit: from, amount }) => `${what} ${to} ${from} ${amount}`),
    ["refund receivables bank 19.90", "fee fees bank 1.50"],
  );
  assert.deepEqual(await statusOf(merchant, payments[0]), ["refunded", "approved"]);
  assert.deepEqual(await treasury.chargebacks(service, merchant), []);
});
