/** The bank as a gateway, from a paid session to a settled and then returned debit: real SQL, files as banks write them. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assumeJob } from "../../src/gateways/sepa-batch/incoming/assume.ts";
import { manualClock } from "../../src/lib/clock.ts";
import type { Log } from "../../src/lib/log.ts";
import { assertBooksAgree } from "../support/books.ts";
import {
  bankMerchant,
  camt,
  content,
  CREDITOR,
  followed,
  markSent,
  outgoing,
  pain002,
  payAt,
  uploadFile,
  type BankMerchant,
  type Booked,
} from "../support/sepa-bank.ts";
import { lead } from "../support/merchant.ts";
import { startService, type Json, type Service } from "../support/service.ts";
import { sized } from "../support/sized.ts";
import * as treasury from "../support/treasury.ts";

// A Monday, before the cut-off in Berlin.
const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
let service: Service;
/** The errors and the warnings that the service has logged. */
const errors: string[] = [];
const warnings: string[] = [];

before(async () => {
  const log: Log = {
    info: () => {},
    warn: (message) => void warnings.push(message),
    error: (message) => void errors.push(message),
  };
  service = await startService({ clock, log });
});
after(async () => {
  await assertBooksAgree(service.db).finally(() => service.close());
});

const moveTo = (merchant: BankMerchant, date: string) => treasury.moveTo(service, merchant, date);
const chargebacks = (merchant: BankMerchant) => treasury.chargebacks(service, merchant);
const read = (merchant: BankMerchant, xml: string) => treasury.read(service, merchant, xml);
const booked = (merchant: BankMerchant, entries: treasury.Entries, date?: string) =>
  treasury.booked(service, merchant, entries, date);

async function record(merchant: BankMerchant, payment: Json): Promise<Json> {
  const reference = payment["transaction"]["merchant_transaction_id"];
  const { body, text } = await service.get("reconciliation/transactions/?start_date=2026-11-20", {
    key: merchant.key,
  });
  const found = (body["results"] as readonly Json[]).find(
    (row) => row["merchant_transaction_id"] === reference,
  );
  assert.ok(found !== undefined, text);
  return found;
}

async function orderStatus(payment: Json): Promise<string> {
  const [row] = await service.rows("select status from orders where order_number = $1", [
    payment["order_number"],
  ]);
  return row?.["status"];
}

/** A merchant with payments of one day that were sent. @returns the payments and the file, too. */
async function sent(count = 1, settings: object = {}) {
  const merchant = await bankMerchant(service, settings);
  const payments: Json[] = [];
  for (let n = 0; n < count; n += 1) payments.push(await payAt(merchant));
  await moveTo(merchant, "2026-11-23T12:00:00Z");
  const [file] = await outgoing(service, merchant);
  assert.ok(file !== undefined, "a file was written");
  const references = payments.map((payment) => payment["transaction"]["merchant_transaction_id"] as string);
  return { merchant, payments, references, file };
}

test("a payment is pending at once, in one file at the cut-off, settled by the statement and charged back by a return", async () => {
  const merchant = await bankMerchant(service);
  const payment = await payAt(merchant);
  assert.deepEqual(
    [payment["status"], payment["transaction"]["gateway_reference"], await orderStatus(payment)],
    ["completed", null, "PENDING"],
  );
  await moveTo(merchant, "2026-11-23T10:59:00Z");
  assert.deepEqual(await outgoing(service, merchant), [], "the cut-off is 12:00 in Berlin, 11:00 UTC");
  await moveTo(merchant, "2026-11-23T11:00:00Z");
  const [file] = await outgoing(service, merchant);
  assert.deepEqual(
    [file?.["kind"], file?.["status"], file?.["transactions"], file?.["amount"], file?.["due_date"]],
    ["pain.008", "ready", 1, "19.90", "2026-11-25"],
  );
  const xml = await content(service, merchant, file?.["id"]);
  const reference = payment["transaction"]["merchant_transaction_id"];
  assert.match(xml, new RegExp(`<EndToEndId>${reference}</EndToEndId>`));
  assert.match(xml, /<SeqTp>OOFF<\/SeqTp>/);
  assert.match(xml, /Mueller \+ Soehne GmbH/);
  const given = await markSent(service, merchant, file?.["id"]);
  assert.equal(given["status"], "sent");
  assert.equal(
    given["sent_at"],
    given["created_at"],
    "not before it was written, though the tenant's clock is ahead",
  );

  const statement = await booked(merchant, [["collection", { amount: "19.90", endToEndId: reference }]]);
  assert.deepEqual([statement["status"], statement["report"].settled], ["applied", 1]);
  const settled = await record(merchant, payment);
  assert.deepEqual([settled["status"], await orderStatus(payment)], ["approved", "COMPLETED"]);
  assert.equal(settled["date_processed"], "2026-11-25T00:00:00.000Z");
  assert.equal(settled["adapter_unique_id"], reference);
  assert.match(settled["transaction_id"], new RegExp(`^BANKREF\\d+:${reference}$`));

  const back: Booked = { amount: "22.90", original: "19.90", endToEndId: reference, reason: "AM04" };
  await booked(merchant, [["return", back]], "2026-11-27");
  assert.deepEqual(
    [(await record(merchant, payment))["status"], await orderStatus(payment)],
    ["charged_back", "CHARGEDBACK"],
  );
  const [chargeback] = await chargebacks(merchant);
  assert.deepEqual(
    [
      chargeback?.["reason_code"],
      chargeback?.["report_type"],
      chargeback?.["cb_bank_fee"],
      chargeback?.["source"],
    ],
    ["AM04", "return", "3.00", "reconciliation"],
  );
  assert.equal(chargeback?.["report_date"], "2026-11-27T00:00:00.000Z");
  assert.equal(chargeback?.["transaction_date"], "2026-11-25T00:00:00.000Z");
  assert.equal(chargeback?.["merchant_transaction_id"], reference);
});

test("payments accepted after the cut-off, and those held by the pre-notification, wait for their day", async () => {
  const merchant = await bankMerchant(service, { pre_notification_days: 5 });
  await payAt(merchant);
  await moveTo(merchant, "2026-11-23T12:00:00Z");
  await moveTo(merchant, "2026-11-24T12:00:00Z");
  assert.deepEqual(await outgoing(service, merchant), []);
  // Accepted on the 23rd, so not due before the 28th, a Saturday.
  await moveTo(merchant, "2026-11-26T12:00:00Z");
  const [file] = await outgoing(service, merchant);
  assert.equal(file?.["due_date"], "2026-11-30");
});

test("rejections before settlement are declines: a whole file, a block, or single transactions", async () => {
  for (const [level, expected, reasons] of [
    ["file", ["declined", "declined"], ["NARR", "NARR"]],
    ["block", ["declined", "declined"], ["AC04", "AC04"]],
    ["transaction", ["declined", "pending"], ["AC04", null]],
  ] as const) {
    const { merchant, payments, references, file } = await sent(2);
    const messageId = file["message_id"];
    const block = `${messageId}-1`;
    const xml = {
      file: pain002("2026-11-24", { messageId, groupStatus: "RJCT" }),
      block: pain002("2026-11-24", { messageId }, [{ id: block, status: "RJCT", reason: "AC04" }]),
      // The group and the block have the status rejected. It applies only to the transactions that they list.
      transaction: pain002("2026-11-24", { messageId: "ANOTHER", groupStatus: "RJCT" }, [
        { id: block, status: "RJCT", transactions: [{ endToEndId: references[0] ?? "", reason: "AC04" }] },
      ]),
    }[level];
    await read(merchant, xml);
    const records = await Promise.all(payments.map((payment) => record(merchant, payment)));
    assert.deepEqual(
      records.map(({ status }) => status),
      expected,
      level,
    );
    const kept = await service.rows(
      "select reason_code from sepa_collections where reference = any($1) order by array_position($1, reference)",
      [references],
    );
    assert.deepEqual(
      kept.map(({ reason_code: code }) => code),
      reasons,
      level,
    );
    assert.equal(await orderStatus(payments[0] ?? {}), "FAILED");
    assert.deepEqual(await chargebacks(merchant), []);
  }
});

test("positive statuses and reports about other kinds of orders change nothing", async () => {
  const { merchant, payments, references, file } = await sent();
  const endToEndId = references[0] ?? "";
  await read(merchant, pain002("2026-11-24", { messageId: file["message_id"], groupStatus: "ACTC" }));
  const other = { messageId: file["message_id"], name: "camt.055.001.08", groupStatus: "RJCT" };
  await read(
    merchant,
    pain002("2026-11-24", other, [{ id: "x", transactions: [{ endToEndId, reason: "AC04" }] }]),
  );
  assert.equal((await record(merchant, payments[0] ?? {}))["status"], "pending");
});

test("a collective booking without ids settles the block if the sum agrees, and otherwise waits for a person", async () => {
  const { merchant, payments, references, file } = await sent(3);
  const blockId = `${file["message_id"]}-1`;
  const reject = { id: blockId, transactions: [{ endToEndId: references[2] ?? "", reason: "AC01" }] };
  await read(merchant, pain002("2026-11-24", { messageId: file["message_id"] }, [reject]));
  const wrong = await booked(merchant, [["collection", { amount: "59.70", blockId }]]);
  assert.equal(wrong["report"].unmatched, 1);
  assert.equal((await record(merchant, payments[0] ?? {}))["status"], "pending");
  await booked(merchant, [["collection", { amount: "39.80", blockId }]]);
  const statuses = await Promise.all(
    payments.map(async (payment) => (await record(merchant, payment))["status"]),
  );
  assert.deepEqual(statuses, ["approved", "approved", "declined"]);
  const again = await booked(merchant, [["collection", { amount: "39.80", blockId }]]);
  assert.equal(again["report"].known, 1);
  const open = await service.get("management/unmatched/?status=open", { key: merchant.key });
  assert.deepEqual(
    (open.body["results"] as Json[]).map(({ kind, amount, references: names, why }) => [
      kind,
      amount,
      names,
      why,
    ]),
    [["block", "59.70", [blockId], "the bank booked 59.70 EUR for a block of 39.80 EUR"]],
  );
});

test("a sum in camt.052 and its parts in camt.053 count as one booking, in either order", async () => {
  for (const sumFirst of [true, false]) {
    const { merchant, payments, references, file } = await sent(3);
    const blockId = `${file["message_id"]}-1`;
    const sum = camt("camt.052", "2026-11-25", [["collection", { amount: "59.70", blockId }]]);
    const parts = camt(
      "camt.053",
      "2026-11-25",
      references.map((endToEndId) => ["collection", { amount: "19.90", endToEndId }] as const),
    );
    for (const xml of sumFirst ? [sum, parts] : [parts, sum]) {
      assert.equal((await read(merchant, xml))["report"].unmatched, undefined);
    }
    const open = await service.get("management/unmatched/?status=open", { key: merchant.key });
    assert.deepEqual(open.body["results"], []);
    for (const payment of payments) assert.equal((await record(merchant, payment))["status"], "approved");
  }
});

test("an accepting status declines nothing, at whatever level, whatever reason it gives and however it names our message", async () => {
  for (const name of ["pain.008.001.08", "pain.008", "PAIN008", "pain.008.003.02"]) {
    const { merchant, payments, references, file } = await sent();
    const transactions = [{ endToEndId: references[0] ?? "", status: "ACCP", reason: "0000" }];
    const about = { messageId: file["message_id"], name };
    const id = `${file["message_id"]}-1`;
    const accepted = { id, status: "ACCP", reason: "0000" };
    for (const [level, xml] of Object.entries({
      file: pain002("2026-11-24", { ...about, groupStatus: "ACCP", groupReason: "0000" }),
      block: pain002("2026-11-24", about, [accepted]),
      transaction: pain002("2026-11-24", about, [{ id, transactions }]),
      all: pain002("2026-11-24", { ...about, groupStatus: "ACCP", groupReason: "0000" }, [
        { ...accepted, transactions },
      ]),
    })) {
      const { report } = await read(merchant, xml);
      assert.deepEqual([report.rejected, report.unmatched], [undefined, undefined], `${name}, ${level}`);
      assert.equal((await record(merchant, payments[0] ?? {}))["status"], "pending", `${name}, ${level}`);
    }
  }
});

const RETURN_FILES = ["camt.052", "camt.054", "camt.053", "pain.002"] as const;

function orders<T>(all: readonly T[]): readonly (readonly T[])[] {
  if (all.length <= 1) return [all];
  return all.flatMap((first) => orders(all.filter((one) => one !== first)).map((rest) => [first, ...rest]));
}

test("camt.052, camt.054, camt.053 and pain.002 of the same return, in every order: one chargeback", async () => {
  const every = orders(RETURN_FILES);
  const all = sized(
    every.filter((_, n) => n % 4 === 0),
    every,
  );
  const { merchant, references, file } = await sent(all.length);
  await booked(
    merchant,
    references.map((endToEndId) => ["collection", { amount: "19.90", endToEndId }] as const),
  );
  for (const [n, order] of all.entries()) {
    const endToEndId = references[n] ?? "";
    for (const kind of order) {
      await read(
        merchant,
        kind === "pain.002"
          ? pain002("2026-11-27", { messageId: file["message_id"] }, [
              { id: `${file["message_id"]}-1`, transactions: [{ endToEndId, reason: "MS03" }] },
            ])
          : camt(kind, "2026-11-27", [["return", { amount: "19.90", endToEndId, reason: "MS03" }]]),
      );
    }
  }
  assert.equal((await chargebacks(merchant)).length, all.length);
});

test("a return that is reported before its credit is a chargeback, and the credit changes nothing", async () => {
  const { merchant, payments, references } = await sent();
  const endToEndId = references[0] ?? "";
  await booked(merchant, [["return", { amount: "19.90", endToEndId, reason: "AC06" }]]);
  await booked(merchant, [["collection", { amount: "19.90", endToEndId }]]);
  assert.equal((await record(merchant, payments[0] ?? {}))["status"], "charged_back");
  assert.equal((await chargebacks(merchant)).length, 1);
});

test("a file that is read again changes nothing, also when two clients upload it at once", async () => {
  const { merchant, references } = await sent();
  const xml = camt("camt.053", "2026-11-25", [
    ["collection", { amount: "19.90", endToEndId: references[0] ?? "" }],
  ]);
  const both = await Promise.all([uploadFile(service, merchant, xml), uploadFile(service, merchant, xml)]);
  const known = both.map(({ body }) => body["files"][0].known as boolean);
  assert.deepEqual(
    [known.length, new Set(known).size],
    [2, 2],
    "one has read it, the other has found it read",
  );
  assert.equal((await uploadFile(service, merchant, xml)).body["files"][0].known, true);
  const [row] = await service.rows("select count(*)::int as n from sepa_news where reference = $1", [
    references[0],
  ]);
  assert.equal(row?.["n"], 1);
});

test("pending entries, other accounts and unrelated money are ignored", async () => {
  const { merchant, payments, references } = await sent();
  const endToEndId = references[0] ?? "";
  await booked(merchant, [
    ["collection", { amount: "19.90", endToEndId, state: "PDNG" }],
    ["transferBack", { amount: "5.00", endToEndId: "SOMEBODY" }],
    ["transferOut", { amount: "7.00", endToEndId: "RENT" }],
  ]);
  assert.equal((await record(merchant, payments[0] ?? {}))["status"], "pending");
  const other = camt(
    "camt.053",
    "2026-11-25",
    [["collection", { amount: "19.90", endToEndId }]],
    "NL91ABNA0417164300",
  );
  const refused = (await uploadFile(service, merchant, other)).body["files"][0];
  assert.deepEqual([refused.status, /another account/.test(refused.error)], ["refused", true]);
  const unmatched = await service.get("management/unmatched/", { key: merchant.key });
  assert.deepEqual(unmatched.body["results"], []);
});

test("a wrong amount, an unknown id and a withdrawn return wait for a person, who applies or dismisses them", async () => {
  const { merchant, payments, references } = await sent();
  const endToEndId = references[0] ?? "";
  const report = await booked(merchant, [
    ["collection", { amount: "19.91", endToEndId }],
    ["return", { amount: "19.90", endToEndId: "NOBODY", reason: "MD01" }],
    ["collection", { amount: "19.90", endToEndId: "LOST-ID" }],
  ]);
  assert.equal(report["report"].unmatched, 3);
  const list = async () =>
    (await service.get("management/unmatched/?status=open", { key: merchant.key })).body["results"] as Json[];
  const [lost, nobody, wrong] = (await list()).toSorted((a, b) => b["entry"] - a["entry"]);
  const resolve = async (id: string, body: object) => {
    const answer = await service.post(`management/unmatched/${id}/resolve/`, body, { key: merchant.key });
    await followed(service);
    return answer;
  };
  const transactionId = payments[0]?.["transaction"].id;
  const applied = await resolve(lost?.["id"], { transaction_id: transactionId, note: "found by the name" });
  assert.deepEqual([applied.status, applied.body["status"]], [200, "applied"]);
  assert.equal((await record(merchant, payments[0] ?? {}))["status"], "approved");
  assert.equal((await resolve(lost?.["id"], { dismiss: true })).status, 409);
  assert.equal(
    (await resolve(wrong?.["id"], { transaction_id: transactionId })).status,
    409,
    "it is settled already",
  );
  assert.equal((await resolve(wrong?.["id"], { dismiss: true, note: "a cent of interest" })).status, 200);
  assert.equal((await resolve(nobody?.["id"], {})).status, 400);
  await resolve(nobody?.["id"], { transaction_id: transactionId });
  assert.equal((await record(merchant, payments[0] ?? {}))["status"], "charged_back");
  assert.deepEqual(await list(), []);
  await booked(merchant, [["withdrawn", { amount: "19.90", endToEndId }]], "2026-11-30");
  assert.equal((await list())[0]?.["kind"], "withdrawn_return");
});

test("an entry without an id is matched by mandate and amount if only one collection fits", async () => {
  const { merchant, payments, references } = await sent();
  await booked(merchant, [["collection", { amount: "19.90", endToEndId: references[0] ?? "" }]]);
  const [mandate] = await service.rows(
    "select m.reference from mandates m join transactions t on t.tenant = m.tenant and t.mandate_id = m.id where t.id = $1",
    [payments[0]?.["transaction"].id],
  );
  await booked(
    merchant,
    [["return", { amount: "19.90", mandateId: mandate?.["reference"], reason: "MD06" }]],
    "2026-12-01",
  );
  const [chargeback] = await chargebacks(merchant);
  assert.deepEqual([chargeback?.["reason_code"], chargeback?.["report_type"]], ["MD06", "refund"]);
});

test("MD01 after the days for returns is a refund of an unauthorised debit", async () => {
  const { merchant, references } = await sent();
  const endToEndId = references[0] ?? "";
  await booked(merchant, [["collection", { amount: "19.90", endToEndId }]]);
  await booked(merchant, [["return", { amount: "19.90", endToEndId, reason: "MD01" }]], "2026-12-03");
  assert.equal((await chargebacks(merchant))[0]?.["report_type"], "unauthorised_refund");
});

test("a refund is sent as a transfer from the seventh day after settlement on, and the statement confirms it", async () => {
  const { merchant, payments, references } = await sent();
  await booked(merchant, [["collection", { amount: "19.90", endToEndId: references[0] ?? "" }]]);
  const path = `management/transactions/${payments[0]?.["transaction"].id}/refunds/`;
  const early = await service.post(path, {}, { key: merchant.key });
  assert.deepEqual([early.status, early.body["status"]], [201, "declined"], early.text);
  assert.match(early.body["error_details"].gateway_message, /seventh day/);
  await moveTo(merchant, "2026-12-04T08:00:00Z");
  const refund = await service.post(path, { amount: "9.90" }, { key: merchant.key });
  assert.equal(refund.body["status"], "pending", refund.text);
  assert.match(refund.body["notice"], /^Until 2027-01-20 the customer can/);
  await moveTo(merchant, "2026-12-04T12:00:00Z");
  const file = (await outgoing(service, merchant)).at(-1);
  assert.deepEqual([file?.["kind"], file?.["amount"]], ["pain.001", "9.90"]);
  const endToEndId = refund.body["merchant_transaction_id"];
  await booked(merchant, [["transferOut", { amount: "9.90", endToEndId }]], "2026-12-07");
  const after = await service.get(path, { key: merchant.key });
  assert.deepEqual(
    (after.body["results"] as Json[]).map(({ status }) => status),
    ["approved", "declined"],
  );
});

test("a free trial sends nothing to the bank, and its renewal is RCUR on the same mandate", async () => {
  const merchant = await bankMerchant(service, { first_sequence_type: "FRST" });
  const trial = {
    billing_type: "TRIAL_RECURRING",
    billing_frequency: "MONTHLY",
    trial_interval_unit: "day",
    trial_period: 7,
  };
  const free = await payAt(merchant, trial);
  assert.equal(free["transaction"].gateway_reference, null);
  await payAt(merchant, { billing_type: "RECURRING", billing_frequency: "MONTHLY" });
  await moveTo(merchant, "2026-11-23T12:00:00Z");
  const [first] = await outgoing(service, merchant);
  assert.equal(first?.["transactions"], 1);
  assert.match(await content(service, merchant, first?.["id"]), /<SeqTp>FRST</);
  await moveTo(merchant, "2026-12-23T08:00:00Z");
  await moveTo(merchant, "2026-12-23T12:00:00Z");
  const second = (await outgoing(service, merchant)).at(-1);
  const xml = await content(service, merchant, second?.["id"]);
  assert.equal(second?.["transactions"], 2);
  // The trial's mandate is debited for the first time, the other mandate for the second.
  assert.deepEqual(
    [...xml.matchAll(/<SeqTp>(\w+)</g)].map(([, type]) => type),
    ["FRST", "RCUR"],
  );
});

for (const [what, changes, message] of [
  ["a name that no bank can print", { iban_holder_name: "…… !!" }, /no letter/],
  ["a Swiss account without an address", { iban: "CH9300762011623852957" }, /address/],
] as const) {
  test(`${what} is refused at once, while the customer can correct it`, async () => {
    const merchant = await bankMerchant(service);
    const token = await merchant.session({ gateway_id: merchant.accountId });
    const { body } = await service.post(`payment-sessions/${token}/pay/`, {
      iban: "DE62370400440532013001",
      iban_holder_name: "Ada Example",
      ...changes,
    });
    assert.deepEqual([body["status"], body["error_details"].code], ["declined", "do_not_honor"]);
    assert.match(body["error"], message);
    const { body: session } = await service.get(`payment-sessions/${token}/`);
    assert.equal(session["attempts_remaining"], 3, "nobody was asked: no attempt is used");
  });
}

async function paySwiss(merchant: BankMerchant, city: string): Promise<Json> {
  const token = await merchant.session({
    gateway_id: merchant.accountId,
    lead: { ...lead(), country: "CH", city, postal_code: "8001" },
  });
  const body = { iban: "CH9300762011623852957", iban_holder_name: "Reto Muster" };
  return (await service.post(`payment-sessions/${token}/pay/`, body)).body;
}

// Holds MANDATE-7.
test("a Swiss account needs a city in the SEPA character set, which is refused at once", async () => {
  const merchant = await bankMerchant(service);
  for (const city of ["…", "123"]) {
    const refused = await paySwiss(merchant, city);
    assert.equal(refused["status"], "declined", city);
    assert.match(refused["error"], /city, in letters of the SEPA character set/);
  }
  assert.equal((await paySwiss(merchant, "Zürich"))["status"], "completed");
  await moveTo(merchant, "2026-11-23T12:00:00Z");
  const [file] = await outgoing(service, merchant);
  assert.match(
    await content(service, merchant, file?.["id"]),
    /<PstlAdr><PstCd>8001<\/PstCd><TwnNm>Zuerich<\/TwnNm><Ctry>CH<\/Ctry><\/PstlAdr><\/Dbtr>/,
  );
});

test("an account that needs an address is refused where the files have a version without addresses", async () => {
  const merchant = await bankMerchant(service, { message_version: "pain.008.001.02" });
  const refused = await paySwiss(merchant, "Zürich");
  assert.equal(refused["status"], "declined");
  assert.match(refused["error"], /pain\.008\.001\.02/);
});

test("a payment whose account needs an address is rejected, with a warning only, if the files have none by the time it is written", async () => {
  const merchant = await bankMerchant(service);
  const swiss = await paySwiss(merchant, "Zürich");
  const german = await payAt(merchant);
  const path = `management/gateways/${merchant.accountId}/`;
  const { body } = await service.get(path, { key: merchant.key });
  const settings = { ...body["settings"], message_version: "pain.008.001.02" };
  const changed = await service.call("PATCH", path, { settings }, { key: merchant.key });
  assert.equal(changed.status, 200, changed.text);
  const before = { errors: errors.length, warnings: warnings.length };
  await moveTo(merchant, "2026-11-23T12:00:00Z");
  const rejected = await record(merchant, swiss);
  assert.deepEqual([rejected["status"], await orderStatus(swiss)], ["declined", "FAILED"]);
  const [kept] = await service.rows("select reason_code from sepa_collections where reference = $1", [
    rejected["merchant_transaction_id"],
  ]);
  assert.equal(kept?.["reason_code"], "FF01");
  const files = await outgoing(service, merchant);
  assert.deepEqual(
    files.map((file) => [file["transactions"], file["amount"]]),
    [[1, "19.90"]],
  );
  assert.equal((await record(merchant, german))["status"], "pending");
  assert.equal(errors.length, before.errors);
  assert.deepEqual(warnings.slice(before.warnings), [
    "a payment is rejected: it cannot be written into a SEPA file",
  ]);
});

test("a mandate is not moved to a Swiss account without its customer's address, nor to one outside SEPA", async () => {
  const merchant = await bankMerchant(service);
  await payAt(merchant, { billing_type: "RECURRING", billing_frequency: "MONTHLY" });
  const list = await service.get("management/mandates/", { key: merchant.key });
  const path = `management/mandates/${list.body["results"][0].id}/amend/`;
  const amend = () => service.post(path, { iban: "CH9300762011623852957" }, { key: merchant.key });
  const refused = await amend();
  assert.equal(refused.status, 400);
  assert.match(refused.body["iban"][0], /address is required \(at least the city\)/);
  const outside = { iban: "TR330006100519786457841326" };
  assert.deepEqual((await service.post(path, outside, { key: merchant.key })).body, {
    iban: ["SEPA direct debit is not available in this account's country."],
    status_code: 400,
  });
  await service.rows(
    "update leads set city = 'Bern' where id = (select lead_id from mandates where id = $1)",
    [list.body["results"][0].id],
  );
  assert.equal((await amend()).status, 200);
});

test("a mandate is not moved to a Swiss account whose debits need a file with addresses where the files have none", async () => {
  const merchant = await bankMerchant(service, { message_version: "pain.008.001.02" });
  await payAt(merchant, {
    billing_type: "RECURRING",
    billing_frequency: "MONTHLY",
    lead: lead({ city: "Bern" }),
  });
  const list = await service.get("management/mandates/", { key: merchant.key });
  const path = `management/mandates/${list.body["results"][0].id}/`;
  const refused = await service.post(
    `${path}amend/`,
    { iban: "CH9300762011623852957" },
    { key: merchant.key },
  );
  assert.equal(refused.status, 400);
  assert.deepEqual(refused.body["iban"], [
    "This account's bank is outside the European Economic Area: the gateway's files (pain.008.001.02) have no address fields.",
  ]);
  assert.equal((await service.get(path, { key: merchant.key })).body["iban_country"], "DE");
});

test("a long descriptor is cut so that the remittance information with the whole reference has 140 characters", async () => {
  const merchant = await bankMerchant(service, {}, { descriptor: "Wort".repeat(34) });
  const payment = await payAt(merchant);
  const reference: string = payment["transaction"].merchant_transaction_id;
  const [row] = await service.rows("select remittance from sepa_collections where reference = $1", [
    reference,
  ]);
  const words = "Wort".repeat(34).slice(0, 140 - 1 - reference.length);
  assert.equal(row?.["remittance"], `${words} ${reference}`);
});

test("the reference stays in the remittance information for a descriptor of any length", async () => {
  const merchant = await bankMerchant(service, {}, { descriptor: "Long words ".repeat(12) });
  const payment = await payAt(merchant);
  const reference = payment["transaction"].merchant_transaction_id;
  const [row] = await service.rows("select remittance from sepa_collections where reference = $1", [
    reference,
  ]);
  assert.match(row?.["remittance"], new RegExp(`^Long words .* ${reference}$`));
  assert.ok(row?.["remittance"].length <= 140);
});

test("refunds without the bank's answer settle after some days if the merchant chose that, like collections", async () => {
  const { merchant, payments, file } = await sent(1, { assume_settled_after: 2, batch_booking: true });
  await markSent(service, merchant, file["id"]);
  await moveTo(merchant, "2026-12-04T08:00:00Z");
  const path = `management/transactions/${payments[0]?.["transaction"].id}/refunds/`;
  const refund = await service.post(path, {}, { key: merchant.key });
  assert.equal(refund.body["status"], "pending", refund.text);
  await moveTo(merchant, "2026-12-04T12:00:00Z");
  const transfers = (await outgoing(service, merchant)).at(-1);
  assert.equal(transfers?.["kind"], "pain.001");
  await markSent(service, merchant, transfers?.["id"]);
  await moveTo(merchant, "2026-12-10T12:00:00Z");
  const after = await service.get(path, { key: merchant.key });
  assert.equal(after.body["results"][0].status, "approved");
  assert.equal((await record(merchant, payments[0] ?? {}))["status"], "refunded");
});

test("a mandate that expired after the payment is not debited", async () => {
  const merchant = await bankMerchant(service);
  const payment = await payAt(merchant);
  await service.rows(
    "update mandates set status = 'expired' where id = (select mandate_id from transactions where id = $1)",
    [payment["transaction"].id],
  );
  await moveTo(merchant, "2026-11-23T12:00:00Z");
  assert.deepEqual(await outgoing(service, merchant), []);
  assert.equal((await record(merchant, payment))["status"], "declined");
});

test("settings are checked when they are saved, with a message for each field", async () => {
  const { key } = await bankMerchant(service);
  const save = (settings: object) =>
    service.post(
      "management/gateways/",
      { name: "B", adapter: "sepa_batch", test_mode: true, settings },
      { key },
    );
  const good = {
    creditor_name: "Shop",
    creditor_iban: CREDITOR.iban,
    creditor_identifier: CREDITOR.identifier,
  };
  assert.equal((await save(good)).status, 201);
  const wrong = await save({
    ...good,
    creditor_iban: "DE00370400440532013000",
    creditor_identifier: "DE99ZZZ09999999999",
    time_zone: "Europe/Atlantis",
    transport: { kind: "sftp", host: "bank.example" },
  });
  assert.equal(wrong.status, 400);
  assert.deepEqual(Object.keys(wrong.body["settings"]).toSorted(), [
    "creditor_iban",
    "creditor_identifier",
    "time_zone",
    "transport",
  ]);
  assert.deepEqual(Object.keys((await save({})).body["settings"]).toSorted(), [
    "creditor_iban",
    "creditor_identifier",
    "creditor_name",
  ]);
  // The service cannot write a file with such a BIC, so every run of the account would fail.
  const place = await save({ ...good, creditor_bic: "COBADE0F" });
  assert.deepEqual(Object.keys(place.body["settings"]), ["creditor_bic"]);
});

test("no account of a customer is in the database in clear, whatever the bank writes", async () => {
  const { merchant, references, file } = await sent();
  const iban = "DE62370400440532013001";
  const words = `<AddtlInf>account ${iban} has no funds</AddtlInf></RtrInf>`;
  const back = { amount: "19.90", endToEndId: references[0] ?? "", reason: "AM04" };
  const xml = camt("camt.053", "2026-11-25", [
    ["collection", { amount: "19.90", endToEndId: references[0] ?? "" }],
    ["return", back],
    ["return", { ...back, endToEndId: "NOBODY" }],
  ]);
  // The bank has to get it in clear.
  await content(service, merchant, file["id"]);
  await read(merchant, xml.replaceAll("</RtrInf>", words));
  assert.match(await content(service, merchant, file["id"]), new RegExp(iban));
  for (const table of [
    "sepa_collections",
    "sepa_files",
    "sepa_news",
    "sepa_entries",
    "sepa_unmatched",
    "chargebacks",
  ]) {
    const found = await service.rows(`select 1 from ${table} x where to_jsonb(x)::text like '%${iban}%'`);
    assert.deepEqual(found, [], table);
    // The stored value is encrypted, not only encoded differently.
    const hex = Buffer.from(iban).toString("hex");
    assert.deepEqual(
      await service.rows(`select 1 from ${table} x where to_jsonb(x)::text like '%${hex}%'`),
      [],
      table,
    );
  }
});

for (const path of ["sepa-files", "mandates/import"]) {
  test(`a form that breaks off within its file is refused by ${path}, and is not logged as an error`, async () => {
    const merchant = await bankMerchant(service);
    const body = `--B\r\nContent-Disposition: form-data; name="gateway_id"\r\n\r\n${merchant.accountId}\r\n--B\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n<?xml version="1.0"?><Doc`;
    const answer = await globalThis.fetch(`${service.url}/api/v1/management/${path}/`, {
      method: "POST",
      headers: { authorization: `Bearer ${merchant.key}`, "content-type": "multipart/form-data; boundary=B" },
      body,
    });
    assert.ok(answer.status === 400 || answer.status === 422, String(answer.status));
    assert.deepEqual(errors, []);
  });
}

test("an upload without a file, or for no account of a bank, is told of what is missing, and of nothing else", async () => {
  const merchant = await bankMerchant(service);
  for (const [gateway, file, wrong] of [
    [merchant.accountId, null, { file: ["This field is required."] }],
    [
      merchant.gatewayId,
      camt("camt.053", "2026-11-25", []),
      { gateway_id: ["Must be a sepa_batch gateway."] },
    ],
  ] as const) {
    const form = new FormData();
    form.append("gateway_id", gateway);
    if (file !== null) form.append("file", new Blob([file]), "statement.xml");
    const answer = await globalThis.fetch(`${service.url}/api/v1/management/sepa-files/`, {
      method: "POST",
      headers: { authorization: `Bearer ${merchant.key}` },
      body: form,
    });
    assert.deepEqual([answer.status, await answer.json()], [400, { ...wrong, status_code: 400 }]);
  }
});

test("another tenant's key finds none of a tenant's files", async () => {
  const { merchant, file } = await sent();
  const stranger = await bankMerchant(service);
  for (const path of ["", "content/", "entries/"])
    assert.equal(
      (await service.get(`management/sepa-files/${file["id"]}/${path}`, { key: stranger.key })).status,
      404,
    );
  const form = await uploadFile(
    service,
    { ...stranger, accountId: merchant.accountId },
    camt("camt.053", "2026-11-25", []),
  );
  assert.equal(form.status, 400);
});

test("a file is marked as sent once, however often this is requested; a file that must not be delivered cannot be marked", async () => {
  const { merchant, file } = await sent();
  const path = `management/sepa-files/${file["id"]}/mark-sent/`;
  const stranger = await bankMerchant(service);
  assert.equal((await service.post(path, undefined, { key: stranger.key })).status, 404);
  const marked = await Promise.all(Array.from({ length: 3 }, () => markSent(service, merchant, file["id"])));
  assert.deepEqual(new Set(marked.map(({ status, sent_at }) => `${status} ${sent_at}`)).size, 1);
  const { body } = await service.get("management/audit-log/?resource=sepa-files", { key: merchant.key });
  const entries = body["results"].filter(({ action }: Json) => action === "update");
  assert.deepEqual(
    entries.map(({ before, after }: Json) => [before, after]),
    [[{ status: "ready" }, { status: "sent" }]],
  );
  const statement = await booked(merchant, []);
  const refused = await service.post(`management/sepa-files/${statement["id"]}/mark-sent/`, undefined, {
    key: merchant.key,
  });
  assert.equal(refused.status, 409, refused.text);
});

test("four instances at the cut-off write one file", async () => {
  const merchant = await bankMerchant(service);
  await Promise.all(Array.from({ length: 5 }, () => payAt(merchant)));
  const { collectDue } = await import("../../src/gateways/sepa-batch/outgoing/write-files.ts");
  const { findAccounts } = await import("../../src/gateways/sepa-batch/files-store.ts");
  const [row] = await service.rows("select tenant from gateways where id = $1", [merchant.accountId]);
  const [account] = await findAccounts(service.db, row?.["tenant"], merchant.accountId);
  assert.ok(account !== undefined);
  const runs = await Promise.all(
    Array.from({ length: 4 }, () => collectDue(service.app.deps, account, { evenBeforeCutOff: true })),
  );
  assert.deepEqual(
    runs.map(({ instructions }) => instructions).toSorted((a, b) => a - b),
    [0, 0, 0, 5],
  );
  assert.equal((await outgoing(service, merchant)).length, 1);
});

test("a mandate that was cancelled after the payment is not debited any more", async () => {
  const merchant = await bankMerchant(service);
  const payment = await payAt(merchant);
  await service.rows(
    "update mandates set status = 'cancelled' where id = (select mandate_id from transactions where id = $1)",
    [payment["transaction"].id],
  );
  await moveTo(merchant, "2026-11-23T12:00:00Z");
  assert.deepEqual(await outgoing(service, merchant), []);
  assert.equal((await record(merchant, payment))["status"], "declined");
});

test("an instruction that no bank would accept is rejected, and the others are sent", async () => {
  const merchant = await bankMerchant(service);
  const [good, bad] = [await payAt(merchant), await payAt(merchant)];
  await service.rows(
    "update mandates set holder_name = '...' where id = (select mandate_id from transactions where id = $1)",
    [bad["transaction"].id],
  );
  await moveTo(merchant, "2026-11-23T12:00:00Z");
  const files = await outgoing(service, merchant);
  assert.deepEqual(
    files.map(({ transactions }) => transactions),
    [1],
  );
  assert.equal((await record(merchant, good))["status"], "pending");
  assert.equal((await record(merchant, bad))["status"], "declined");
});

test("a debit without the bank's answer settles after some days only if the merchant chose that, and is marked", async () => {
  const { merchant, payments, file, references } = await sent(1, { assume_settled_after: 2 });
  await content(service, merchant, file["id"]);
  await moveTo(merchant, "2026-11-27T12:00:00Z");
  assert.equal((await record(merchant, payments[0] ?? {}))["status"], "pending", "it is not at the bank");
  await markSent(service, merchant, file["id"]);
  await moveTo(merchant, "2026-11-27T12:01:00Z");
  assert.equal((await record(merchant, payments[0] ?? {}))["status"], "approved");
  const [row] = await service.rows("select assumed from sepa_collections where reference = $1", [
    references[0],
  ]);
  assert.equal(row?.["assumed"], true);
});

test("what is settled without an answer is applied at once, and a pass that settles nothing looks for no news", async () => {
  const { merchant, payments, file } = await sent(1, { assume_settled_after: 2 });
  await markSent(service, merchant, file["id"]);
  const [row] = await service.rows("select tenant from gateways where id = $1", [merchant.accountId]);
  const told: number[] = [];
  const deps = {
    ...service.app.deps,
    time: { ...service.app.deps.time, now: () => new Date("2026-11-27T12:00:00Z") },
    newsReady: async (tenant: number) => void told.push(tenant),
  };
  const job = assumeJob(deps, row?.["tenant"]);
  assert.deepEqual([await job.runOnce(1), told], [1, [row?.["tenant"]]]);
  assert.deepEqual([await job.runOnce(1), told.length], [0, 1]);
  await moveTo(merchant, "2026-11-27T12:01:00Z");
  assert.equal((await record(merchant, payments[0] ?? {}))["status"], "approved");
});

test("only banking days count in the wait for a bank's answer", async () => {
  const { merchant, payments, file } = await sent(1, { assume_settled_after: 3 });
  await markSent(service, merchant, file["id"]);
  await moveTo(merchant, "2026-11-29T12:00:00Z");
  assert.equal((await record(merchant, payments[0] ?? {}))["status"], "pending", "due on Wednesday");
  await moveTo(merchant, "2026-11-30T12:00:00Z");
  assert.equal((await record(merchant, payments[0] ?? {}))["status"], "approved");
});

for (const [reason, mandateStatus] of [
  ["AC04", "cancelled"],
  ["MD01", "cancelled"],
  ["AM04", "active"],
] as const) {
  // Holds MANDATE-6.
  test(`a return for ${reason} leaves the mandate ${mandateStatus}`, async () => {
    const { merchant, payments, references } = await sent();
    const endToEndId = references[0] ?? "";
    await booked(merchant, [
      ["collection", { amount: "19.90", endToEndId }],
      ["return", { amount: "19.90", endToEndId, reason }],
    ]);
    const [mandate] = await service.rows(
      "select m.status, m.cancelled_by, m.status_reason from mandates m join transactions t on t.mandate_id = m.id where t.id = $1",
      [payments[0]?.["transaction"].id],
    );
    const ended = mandateStatus === "cancelled";
    assert.deepEqual(
      { ...mandate },
      { status: mandateStatus, cancelled_by: ended ? "bank" : null, status_reason: ended ? reason : null },
    );
  });
}

test("a renewal that settles before the first payment does not complete the order", async () => {
  const merchant = await bankMerchant(service);
  const payment = await payAt(merchant, { billing_type: "RECURRING", billing_frequency: "WEEKLY" });
  await moveTo(merchant, "2026-11-23T12:00:00Z");
  const [carried] = await outgoing(service, merchant);
  await markSent(service, merchant, carried?.["id"]);
  await moveTo(merchant, "2026-11-30T08:00:00Z");
  await moveTo(merchant, "2026-11-30T12:00:00Z");
  const files = await outgoing(service, merchant);
  const renewal = await content(service, merchant, files.at(-1)?.["id"]);
  const endToEndId = /<EndToEndId>([^<]+)/.exec(renewal)?.[1] ?? "";
  await booked(merchant, [["collection", { amount: "19.90", endToEndId }]], "2026-12-02");
  assert.equal(await orderStatus(payment), "PENDING");
  await booked(
    merchant,
    [["collection", { amount: "19.90", endToEndId: payment["transaction"].merchant_transaction_id }]],
    "2026-12-02",
  );
  assert.equal(await orderStatus(payment), "COMPLETED");
});

test("an amended mandate is debited at its new account, and the first file names the change", async () => {
  const merchant = await bankMerchant(service);
  await payAt(merchant, { billing_type: "RECURRING", billing_frequency: "MONTHLY" });
  await moveTo(merchant, "2026-11-23T12:00:00Z");
  const [carried] = await outgoing(service, merchant);
  await markSent(service, merchant, carried?.["id"]);
  const list = await service.get("management/mandates/", { key: merchant.key });
  const id = list.body["results"][0].id;
  const iban = "NL91ABNA0417164300";
  const amended = await service.post(`management/mandates/${id}/amend/`, { iban }, { key: merchant.key });
  assert.equal(amended.status, 200, amended.text);
  const nextFile = async (date: string) => {
    await moveTo(merchant, `${date}T08:00:00Z`);
    await moveTo(merchant, `${date}T12:00:00Z`);
    const file = (await outgoing(service, merchant)).at(-1);
    return content(service, merchant, file?.["id"]);
  };
  const first = await nextFile("2026-12-23");
  assert.match(first, /<AmdmntInd>true<\/AmdmntInd>/);
  assert.match(first, /SMNDA/);
  assert.match(first, new RegExp(`<IBAN>${iban}</IBAN>`));
  const endToEndId = /<EndToEndId>([^<]+)/.exec(first)?.[1] ?? "";
  await booked(merchant, [["collection", { amount: "19.90", endToEndId }]], "2026-12-28");
  const second = await nextFile("2027-01-25");
  assert.doesNotMatch(second, /AmdmntInd/);
  assert.match(second, new RegExp(`<IBAN>${iban}</IBAN>`));
});
