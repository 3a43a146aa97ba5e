/**
 * Returns and rejections in all forms of banks: none with the service's references is ignored, and none counts twice.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { manualClock } from "../../src/lib/clock.ts";
import { assertBooksAgree } from "../support/books.ts";
import { markSent, outgoing, pain002, payAt } from "../support/sepa-bank.ts";
import { deskOf } from "../support/sepa-desk.ts";
import { startService, type Json, type Service } from "../support/service.ts";
import { sized } from "../support/sized.ts";
import { chargebacks, moveTo, resolve, statuses } from "../support/treasury.ts";
import { lastResults, openUnmatched, readFile, sendPayments, type Sent } from "./desk.ts";
import { bankEntry, bankFile, statusReport, type EntryFacts } from "./messages.ts";

let service: Service;
before(async () => {
  service = await startService({ clock: manualClock(new Date("2026-11-23T08:00:00Z")) });
});
after(async () => {
  await assertBooksAgree(service.db).finally(() => service.close());
});

const COLLECTION = { amount: "19.90", code: "PMNT/IDDT/ESDD" } as const;
const RETURN = {
  amount: "19.90",
  sign: "DBIT",
  code: "PMNT/IDDT/UPDD",
  reason: "AM04",
  date: "2026-11-27",
} as const;

function statement(sent: Sent, ...entries: readonly EntryFacts[]): Promise<Json> {
  return readFile(service, sent.merchant, bankFile("camt.053", entries.map(bankEntry)));
}

/** Names the n-th payment by its end-to-end id. */
function names(sent: Sent, n = 0): { readonly names: Readonly<Record<string, string>> } {
  return { names: { EndToEndId: sent.references[n] ?? "" } };
}

async function settledPayments(count = 1): Promise<Sent> {
  const sent = await sendPayments(service, count);
  await statement(
    sent,
    ...sent.references.map((_, n) => ({ ...COLLECTION, ...names(sent, n), bankReference: `CREDIT-${n}` })),
  );
  return sent;
}

async function kinds(sent: Sent): Promise<readonly (readonly [string, string | null])[]> {
  return (await openUnmatched(service, sent.merchant)).map((row) => [row["kind"], row["amount"]]);
}

test("a debit entry with a reason of return that names only our mandate is a return, whatever its code", async () => {
  for (const code of ["", "NMSC+999", "PMNT/RDDT/ESDD"]) {
    const sent = await settledPayments();
    const mandate = { names: { MndtId: sent.mandates[0] ?? "" } };
    const fees = { amount: "22.90", amounts: { InstdAmt: "19.90 EUR", TxAmt: "19.90 EUR" } };
    await statement(sent, { ...RETURN, reason: "MS03", code, ...mandate, ...fees });
    assert.deepEqual(await statuses(service, sent), ["charged_back"], code);
    const [chargeback] = await chargebacks(service, sent.merchant);
    assert.deepEqual([chargeback?.["reason_code"], chargeback?.["cb_bank_fee"]], ["MS03", "3.00"]);
  }
});

test("the same entry for a mandate that is not ours matches nothing; for ours with another amount it waits for a person", async () => {
  const sent = await settledPayments();
  const other = { ...RETURN, code: "", names: { MndtId: "SOMEBODYS" } };
  await statement(sent, other, {
    ...RETURN,
    code: "",
    amount: "18.00",
    names: { MndtId: sent.mandates[0] ?? "" },
  });
  assert.deepEqual(await lastResults(service, sent.merchant), ["ignored", "unmatched"]);
  assert.deepEqual(await statuses(service, sent), ["approved"]);
});

test("a return or rejection with the end-to-end id of another debit of the mandate changes none of ours, and waits for a person", async () => {
  const sent = await settledPayments();
  const MndtId = sent.mandates[0] ?? "";
  await statement(sent, { ...RETURN, reason: "MD06", names: { EndToEndId: "OLDPSP-77", MndtId } });
  assert.deepEqual(await statuses(service, sent), ["approved"]);
  assert.deepEqual(await kinds(sent), [["return", "19.90"]]);
  const refused = {
    names: { OrgnlEndToEndId: "OLDPSP-78" },
    mandate: MndtId,
    amount: "19.90",
    status: "RJCT",
    reason: "AM04",
  };
  const unsettled = await sendPayments(service);
  const listed = [{ ...refused, mandate: unsettled.mandates[0] }];
  const xml = statusReport({ messageId: unsettled.messageId }, [{ id: "OLDPSP-B", transactions: listed }]);
  await readFile(service, unsettled.merchant, xml);
  assert.deepEqual(await statuses(service, unsettled), ["pending"]);
  assert.deepEqual(await kinds(unsettled), [["reject", "19.90"]]);
});

test("a return that names only the mandate is of a debit that was due by then; a rejection may come before", async () => {
  const sent = await sendPayments(service);
  const mandate = sent.mandates[0] ?? "";
  await statement(sent, { ...RETURN, date: "2026-11-24", names: { MndtId: mandate, TxId: "OF-THE-BANK" } });
  assert.deepEqual(await statuses(service, sent), ["pending"]);
  assert.deepEqual(await kinds(sent), [["return", "19.90"]]);
  const listed = [
    {
      names: { OrgnlEndToEndId: "NOTPROVIDED", OrgnlTxId: "OF-THE-BANK" },
      mandate,
      amount: "19.90",
      status: "RJCT",
      reason: "AM04",
    },
  ];
  await readFile(
    service,
    sent.merchant,
    statusReport({ messageId: "THEIRS" }, [{ id: "B", transactions: listed }]),
  );
  assert.deepEqual(await statuses(service, sent), ["declined"]);
  for (const date of ["2026-11-25", "2026-11-27"]) {
    const due = await sendPayments(service);
    await statement(due, { ...RETURN, date, names: { MndtId: due.mandates[0] ?? "" } });
    assert.deepEqual(await statuses(service, due), ["charged_back"], date);
  }
});

test("a rejected file whose blocks are listed without a status is rejected with all of them", async () => {
  const sent = await sendPayments(service, 2);
  const group = { messageId: sent.messageId, status: "RJCT", reason: "FF01" };
  await readFile(service, sent.merchant, statusReport(group, [{ id: sent.blockId }]));
  assert.deepEqual(await statuses(service, sent), ["declined", "declined"]);
  assert.deepEqual(await kinds(sent), []);
});

for (const [level, group, block] of [
  ["file", "RJCT", undefined],
  ["block", undefined, "RJCT"],
] as const) {
  test(`transactions listed without a status below a rejected ${level} are rejected; the others wait for a person`, async () => {
    const sent = await sendPayments(service, 2);
    const listed = (n: number) => ({ names: { OrgnlEndToEndId: sent.references[n] ?? "" }, reason: "AC04" });
    const blocks = (...all: readonly number[]) => [
      { id: sent.blockId, ...(block === undefined ? {} : { status: block }), transactions: all.map(listed) },
    ];
    const about = { messageId: sent.messageId, ...(group === undefined ? {} : { status: group }) };
    await readFile(service, sent.merchant, statusReport(about, blocks(0)));
    assert.deepEqual(await statuses(service, sent), ["declined", "pending"]);
    assert.deepEqual(await kinds(sent), [["block", null]]);
    await readFile(service, sent.merchant, statusReport(about, blocks(0, 1)));
    assert.deepEqual(await statuses(service, sent), ["declined", "declined"]);
    assert.equal((await kinds(sent)).length, 1, "nothing is left to ask about");
  });
}

test("an instruction is recognised by its id, whatever message id a report names", async () => {
  for (const name of ["urn:iso:std:iso:20022:tech:xsd:pain.008.001.08", "pain008", "SEPA-Lastschrift", ""]) {
    for (const [messageId, blocks] of [
      ["ours", []],
      ["theirs", [{ id: "ours", status: "RJCT" }]],
      ["theirs", [{ id: "theirs", transactions: [{ names: { OrgnlInstrId: "ours" }, status: "RJCT" }] }]],
    ] as const) {
      const sent = await sendPayments(service);
      const text = statusReport(
        { messageId, name, ...(messageId === "ours" ? { status: "RJCT" } : {}) },
        blocks,
      )
        .replace("<OrgnlMsgId>ours<", `<OrgnlMsgId>${sent.messageId}<`)
        .replace("<OrgnlPmtInfId>ours<", `<OrgnlPmtInfId>${sent.blockId}<`)
        .replace("<OrgnlInstrId>ours<", `<OrgnlInstrId>${sent.references[0]}<`);
      await readFile(service, sent.merchant, text);
      assert.deepEqual(await statuses(service, sent), ["declined"], text);
    }
  }
});

test("a report about a recall that names our ids rejects nothing and waits for a person", async () => {
  const sent = await sendPayments(service);
  const about = { messageId: sent.messageId, name: "camt.055.001.08", status: "RJCT" };
  await readFile(service, sent.merchant, statusReport(about));
  const listed = [{ names: { OrgnlEndToEndId: sent.references[0] ?? "" }, status: "RJCT" }];
  await readFile(service, sent.merchant, statusReport(about, [{ id: sent.blockId, transactions: listed }]));
  assert.deepEqual(await statuses(service, sent), ["pending"]);
  assert.deepEqual(await kinds(sent), [
    ["unreadable", null],
    ["unreadable", null],
  ]);
});

test("a status that is not of the standard changes nothing and waits for a person; an accepting one is known", async () => {
  const sent = await sendPayments(service);
  const about = { messageId: sent.messageId };
  for (const [status, result] of [
    ["ACCP", "known"],
    ["PDNG", "known"],
    ["rejected", "unmatched"],
    ["CANC", "unmatched"],
    ["PART", "unmatched"],
  ] as const) {
    await readFile(service, sent.merchant, statusReport({ ...about, status }));
    assert.deepEqual(await lastResults(service, sent.merchant), [result], status);
  }
  assert.deepEqual(await statuses(service, sent), ["pending"]);
});

for (const [words, entry] of [
  ["as a credit", { ...COLLECTION }],
  ["as a return, without being marked as a reversal", { amount: "19.90", code: "PMNT/IDDT/UPDD" }],
  ["without any code", { amount: "19.90" }],
  ["without any code, marked as a reversal", { amount: "19.90", reversal: true }],
] as const) {
  test(`a credit after a return, booked ${words}, waits for a person as a withdrawn return`, async () => {
    const sent = await settledPayments();
    await statement(sent, { ...RETURN, ...names(sent) });
    await statement(sent, { ...entry, ...names(sent), date: "2026-11-30", bankReference: "AGAIN" });
    assert.deepEqual(await kinds(sent), [["withdrawn_return", "19.90"]]);
    assert.deepEqual(await statuses(service, sent), ["charged_back"]);
  });
}

test("a credit after a return that was reported before any credit is a withdrawn return; the earlier credit is known", async () => {
  const sent = await sendPayments(service, 2);
  await statement(sent, { ...RETURN, ...names(sent, 0) }, { ...RETURN, ...names(sent, 1) });
  await statement(sent, { ...COLLECTION, ...names(sent, 0), date: "2026-11-25" });
  assert.deepEqual(await lastResults(service, sent.merchant), ["known"]);
  await statement(sent, { ...COLLECTION, ...names(sent, 1), date: "2026-11-30" });
  assert.deepEqual(await kinds(sent), [["withdrawn_return", "19.90"]]);
});

// Holds FILE-2.
test("one booking in camt.052, 053 and 054 counts once; with another day or another reference of the bank it is another booking", async () => {
  const sent = await sendPayments(service);
  const credit = { ...COLLECTION, ...names(sent) };
  const back = { ...RETURN, ...names(sent) };
  const tell = async (family: "camt.052" | "camt.053" | "camt.054", facts: EntryFacts) => {
    await readFile(service, sent.merchant, bankFile(family, [bankEntry(facts)]));
    return (await lastResults(service, sent.merchant))[0];
  };
  assert.equal(await tell("camt.052", { ...credit, bankReference: "CREDIT-REF-1" }), "settled");
  assert.equal(
    await tell("camt.053", { ...credit, bankReference: "CREDIT-REF-2" }),
    "known",
    "of the same day",
  );
  assert.equal(await tell("camt.054", credit), "known", "without a reference");
  const later = { ...credit, date: "2026-11-26" };
  assert.equal(
    await tell("camt.054", { ...later, bankReference: "CREDIT-REF-1" }),
    "known",
    "the bank's own reference",
  );
  assert.equal(await tell("camt.053", { ...later, bankReference: "CREDIT-REF-3" }), "unmatched");
  assert.equal(
    await tell("camt.054", { ...later, bankReference: "CREDIT-REF-3" }),
    "known",
    "it waits already",
  );

  assert.equal(await tell("camt.052", { ...back, bankReference: "DEBIT-REF-1" }), "returned");
  assert.equal(await tell("camt.053", { ...back, bankReference: "DEBIT-REF-1" }), "known");
  const second = { ...back, date: "2026-12-01", bankReference: "DEBIT-REF-2" };
  assert.equal(await tell("camt.053", second), "unmatched");
  assert.equal(await tell("camt.052", second), "known");
  assert.deepEqual(await kinds(sent), [
    ["collection", "19.90"],
    ["return", "19.90"],
  ]);
  assert.equal((await chargebacks(service, sent.merchant)).length, 1);
});

test("two lines of a statement are two movements, also on the same day", async () => {
  const sent = await sendPayments(service);
  const credit = { ...COLLECTION, ...names(sent) };
  const back = { ...RETURN, ...names(sent) };
  await statement(sent, credit, credit, back, back);
  assert.deepEqual(await lastResults(service, sent.merchant), [
    "settled",
    "unmatched",
    "returned",
    "unmatched",
  ]);
});

test("a block that is booked a second time on another day waits for a person; the same booking again is known", async () => {
  const sent = await sendPayments(service, 2);
  const sum = {
    amount: "39.80",
    code: "PMNT/IDDT/ESDD",
    names: { "Btch/PmtInfId": sent.blockId },
    noDetail: true,
  };
  const first = { ...sum, bankReference: "BLOCK-REF-1" };
  await statement(sent, first);
  assert.deepEqual(await statuses(service, sent), ["approved", "approved"]);
  const single = { ...COLLECTION, ...names(sent, 0) };
  for (const entry of [first, single]) {
    await statement(sent, entry);
    assert.deepEqual(await lastResults(service, sent.merchant), ["known"]);
  }
  await statement(sent, { ...sum, date: "2026-11-27", bankReference: "BLOCK-REF-2" });
  assert.deepEqual(await kinds(sent), [["block", "39.80"]]);
  // In one file every line is a separate movement, even if another file had reported the first.
  await statement(sent, first, { ...first, bankReference: "BLOCK-REF-3" });
  assert.deepEqual(await lastResults(service, sent.merchant), ["known", "unmatched"]);
  await statement(sent, first, single, { ...COLLECTION, ...names(sent, 1) });
  assert.deepEqual(await lastResults(service, sent.merchant), ["known", "unmatched", "unmatched"]);
  const other = await sendPayments(service, 2);
  const [one, two] = [0, 1].map((n) => ({ ...COLLECTION, ...names(other, n) })) as [EntryFacts, EntryFacts];
  await statement(other, one, two);
  for (const names of [{ "Btch/PmtInfId": other.blockId }, { "Btch/MsgId": other.messageId }]) {
    await statement(other, one, two, { ...sum, names });
    assert.deepEqual(await lastResults(service, other.merchant), ["known", "known", "unmatched"]);
  }
});

test("numbers of the bank of under six characters, which come again on other days, make no two movements one", async () => {
  const single = await sendPayments(service);
  const credit = { ...COLLECTION, ...names(single), bankReference: "00017" };
  const back = { ...RETURN, ...names(single), bankReference: "00017" };
  const fee = { ...back, amount: "3.00", code: "PMNT/MDOP/CHRG" };
  const all = await sendPayments(service, 2);
  const noDetail = true;
  const sum = {
    ...COLLECTION,
    amount: "39.80",
    names: { "Btch/PmtInfId": all.blockId },
    noDetail,
    bankReference: "00017",
  };
  for (const [sent, entry, kind] of [
    [single, credit, "collection"],
    [single, back, "return"],
    [single, fee, "fee"],
    [all, sum, "block"],
  ] as const) {
    await statement(sent, entry);
    assert.deepEqual(await kinds(sent), [], kind);
    await statement(sent, entry);
    assert.deepEqual(await lastResults(service, sent.merchant), ["known"], kind);
    await statement(sent, { ...entry, date: "2026-12-01" });
    const [other, ...more] = await openUnmatched(service, sent.merchant);
    assert.deepEqual([other?.["kind"], more], [kind, []]);
    if (kind === "return") {
      const again = await resolve(service, sent.merchant, other?.["id"], { transaction_id: sent.ids[0] });
      assert.match(again.text, /this is another return/);
    }
    await resolve(service, sent.merchant, other?.["id"], { action: "dismiss" });
  }
});

// Holds FILE-3.
for (const [what, date] of [
  ["the same", "2026-11-25"],
  ["another", "2026-11-26"],
] as const)
  test(`a second credit on ${what} day that a person gave to another payment is not asked about again`, async () => {
    const sent = await sendPayments(service, 2);
    const [first, second] = [
      { ...COLLECTION, ...names(sent) },
      { ...COLLECTION, ...names(sent), date },
    ];
    await statement(sent, first, second);
    assert.deepEqual(await lastResults(service, sent.merchant), ["settled", "unmatched"]);
    const [entry] = await openUnmatched(service, sent.merchant);
    const given = await resolve(service, sent.merchant, entry?.["id"], { transaction_id: sent.ids[1] });
    assert.equal(given.body["status"], "applied", given.text);
    await statement(sent, first, second);
    assert.deepEqual(await lastResults(service, sent.merchant), ["known", "known"]);
    await statement(sent, first, second, second);
    assert.deepEqual(await lastResults(service, sent.merchant), ["known", "known", "unmatched"]);
  });

// Holds FILE-3.
test("the sum of a file and the sum of its block in one bank file are two movements, even if another file had reported the first", async () => {
  for (const ids of [["Btch/PmtInfId", "Btch/MsgId"] as const, ["Btch/MsgId", "Btch/PmtInfId"] as const]) {
    const sent = await sendPayments(service, 2);
    const [one, two] = ids.map((id) => ({
      amount: "39.80",
      code: "PMNT/IDDT/ESDD",
      names: { [id]: id === "Btch/MsgId" ? sent.messageId : sent.blockId },
      noDetail: true,
    })) as [EntryFacts, EntryFacts];
    await statement(sent, one);
    assert.deepEqual(await statuses(service, sent), ["approved", "approved"]);
    await statement(sent, one, two);
    assert.deepEqual(await lastResults(service, sent.merchant), ["known", "unmatched"]);
  }
});

test("the sum of a file in one bank file and the sum of its block in another, of one day, are one movement, in either order", async () => {
  for (const isFileFirst of [true, false]) {
    const sent = await sendPayments(service, 2);
    const sum = { amount: "39.80", code: "PMNT/IDDT/ESDD", noDetail: true };
    const ofFile = { ...sum, names: { "Btch/MsgId": sent.messageId } };
    const ofBlock = { ...sum, names: { "Btch/PmtInfId": sent.blockId } };
    const [first, second] = isFileFirst ? [ofFile, ofBlock] : [ofBlock, ofFile];
    await statement(sent, first);
    assert.deepEqual(await statuses(service, sent), ["approved", "approved"]);
    await statement(sent, second);
    assert.deepEqual(await lastResults(service, sent.merchant), ["known"]);
  }
});

// Holds FILE-3.
test("a credit after the sum of its block is another movement even if the settlement was only assumed", async () => {
  const sent = await sendPayments(service, 2, { settings: { assume_settled_after: 2 } });
  const [file] = await outgoing(service, sent.merchant);
  await markSent(service, sent.merchant, file?.["id"]);
  await moveTo(service, sent.merchant, "2026-11-27T12:00:00Z");
  assert.deepEqual(await statuses(service, sent), ["approved", "approved"]);
  const block = { "Btch/PmtInfId": sent.blockId };
  const sum = { amount: "39.80", code: "PMNT/IDDT/ESDD", names: block, noDetail: true };
  await statement(sent, sum, { ...COLLECTION, ...names(sent) });
  assert.deepEqual(await lastResults(service, sent.merchant), ["known", "unmatched"]);
});

for (const first of ["the rejection", "the money"])
  test(`a rejection dated before the money of a debit that was assumed to be settled, ${first} read first, waits for a person with it`, async () => {
    const sent = await sendPayments(service, 1, { settings: { assume_settled_after: 2 } });
    const [file] = await outgoing(service, sent.merchant);
    await markSent(service, sent.merchant, file?.["id"]);
    await moveTo(service, sent.merchant, "2026-11-27T12:00:00Z");
    assert.deepEqual(await statuses(service, sent), ["approved"]);
    const listed = [{ endToEndId: sent.references[0] ?? "", status: "RJCT", reason: "AM04" }];
    const report = pain002("2026-11-24", { messageId: sent.messageId }, [
      { id: sent.blockId, transactions: listed },
    ]);
    const rejected = () => readFile(service, sent.merchant, report);
    const arrived = () => statement(sent, { ...COLLECTION, ...names(sent) });
    for (const read of first === "the money" ? [arrived, rejected] : [rejected, arrived]) await read();
    assert.equal((await kinds(sent)).length, 1);
    assert.deepEqual(await lastResults(service, sent.merchant), ["unmatched"]);
  });

test("a fee under our id is not a chargeback, whatever its amount, and is added to the return that it is for", async () => {
  for (const code of ["PMNT/MDOP/CHRG", "NCHG+808"]) {
    const sent = await settledPayments();
    const fee = { amount: "19.90", sign: "DBIT", code, date: "2026-11-27", ...names(sent) };
    await statement(sent, fee);
    assert.deepEqual(await statuses(service, sent), ["approved"]);
    assert.deepEqual(await kinds(sent), [["fee", "19.90"]], "nothing has come back yet that it could be for");
    await statement(sent, { ...RETURN, ...names(sent) }, { ...fee, amount: "3.00" });
    await readFile(service, sent.merchant, bankFile("camt.054", [bankEntry({ ...fee, amount: "3.00" })]));
    assert.deepEqual(await lastResults(service, sent.merchant), ["known"]);
    const [chargeback] = await chargebacks(service, sent.merchant);
    assert.deepEqual([chargeback?.["cb_bank_fee"], chargeback?.["amount"]], ["3.00", "19.90"]);
    await statement(sent, { ...fee, amount: "1.00", date: "2026-12-01" });
    assert.equal((await kinds(sent)).length, 2, "a second fee waits for a person");
  }
});

test("the fee in a return is added to a chargeback that a status report has already made", async () => {
  const sent = await settledPayments();
  const listed = [{ names: { OrgnlEndToEndId: sent.references[0] ?? "" }, status: "RJCT", reason: "AM04" }];
  const about = { messageId: sent.messageId };
  await readFile(service, sent.merchant, statusReport(about, [{ id: sent.blockId, transactions: listed }]));
  const back = { ...RETURN, ...names(sent), amount: "22.90", amounts: { InstdAmt: "19.90 EUR" } };
  await statement(sent, back);
  await readFile(service, sent.merchant, bankFile("camt.054", [bankEntry(back)]));
  const all = await chargebacks(service, sent.merchant);
  assert.deepEqual(
    all.map((row) => row["cb_bank_fee"]),
    ["3.00"],
  );
});

test("a fee within a return and one that is booked separately are added up, in one file and in two", async () => {
  for (const together of [true, false]) {
    const sent = await settledPayments();
    const amounts = { InstdAmt: "19.90 EUR" };
    const back = { ...RETURN, ...names(sent), amount: "22.90", amounts };
    const fee = { amount: "1.50", sign: "DBIT", code: "PMNT/MDOP/CHRG", date: "2026-11-27", ...names(sent) };
    for (const entries of together ? [[back, fee]] : [[back], [fee]]) await statement(sent, ...entries);
    const [chargeback] = await chargebacks(service, sent.merchant);
    assert.equal(chargeback?.["cb_bank_fee"], "4.50");
  }
});

test("a return's fee is added to one that is booked separately also after a report of the return, in one file and in two", async () => {
  for (const together of [true, false]) {
    const sent = await settledPayments();
    const transactions = [{ endToEndId: sent.references[0] ?? "", reason: "AM04" }];
    const about = { messageId: sent.messageId };
    const report = pain002("2026-11-26", about, [{ id: sent.blockId, transactions }]);
    await readFile(service, sent.merchant, report);
    const [announced] = await chargebacks(service, sent.merchant);
    assert.equal(announced?.["cb_bank_fee"], null);
    const fee = { amount: "1.50", sign: "DBIT", code: "PMNT/MDOP/CHRG", date: "2026-11-27", ...names(sent) };
    const back = { ...RETURN, ...names(sent), amount: "22.90", amounts: { InstdAmt: "19.90 EUR" } };
    for (const entries of together ? [[fee, back]] : [[fee], [back]]) await statement(sent, ...entries);
    const [chargeback] = await chargebacks(service, sent.merchant);
    assert.equal(chargeback?.["cb_bank_fee"], "4.50");
  }
});

test("an amount in another currency is another amount: for a credit, a return, a block and a mandate", async () => {
  const sent = await sendPayments(service, 2);
  const dollars = { amount: "19.90", currency: "USD" };
  const sum = { amount: "39.80", currency: "USD", names: { "Btch/PmtInfId": sent.blockId }, noDetail: true };
  await statement(sent, { ...COLLECTION, ...dollars, ...names(sent) }, { ...COLLECTION, ...sum });
  assert.deepEqual(await statuses(service, sent), ["pending", "pending"]);
  await statement(sent, { ...COLLECTION, ...names(sent) }, { ...RETURN, ...dollars, ...names(sent) });
  const mandate = { names: { MndtId: sent.mandates[0] ?? "" } };
  await statement(sent, { ...RETURN, ...dollars, ...mandate });
  assert.deepEqual(await statuses(service, sent), ["approved", "pending"]);
  assert.deepEqual(await kinds(sent), [
    ["block", "39.80"],
    ["collection", "19.90"],
    ["return", "19.90"],
    ["return", "19.90"],
  ]);
  const said = (await openUnmatched(service, sent.merchant)).map((row) => row["why"]);
  assert.equal(said[1], "the bank reports 19.90 USD, but the file asked for 19.90 EUR");
});

test("a return in the debtor bank's currency is compared by its original amount in ours", async () => {
  const sent = await settledPayments(2);
  const amounts = { InstdAmt: "19.90 EUR", TxAmt: "18.31 CHF" };
  await statement(sent, { ...RETURN, ...names(sent, 0), amount: "22.90", amounts });
  const [one, two] = [0, 1].map((n) => bankEntry({ ...RETURN, ...names(sent, n), amount: "39.80", amounts }));
  assert.deepEqual(await statuses(service, sent), ["charged_back", "approved"]);
  // Several debits in one entry.
  const second = /<TxDtls>.*<\/TxDtls>/.exec(one ?? "")?.[0] ?? "";
  const both = (two ?? "").replace("</TxDtls>", `</TxDtls>${second}`);
  await readFile(service, sent.merchant, bankFile("camt.053", [both]));
  assert.deepEqual(await statuses(service, sent), ["charged_back", "charged_back"]);
});

test("a return of another amount than was collected does not match, nor one whose amount cannot be read", async () => {
  const sent = await settledPayments();
  await statement(sent, { ...RETURN, ...names(sent), amount: "19.00" });
  await statement(sent, { ...RETURN, ...names(sent), amount: "19.90123" });
  assert.deepEqual(await statuses(service, sent), ["approved"]);
  assert.equal((await kinds(sent)).length, 2);
});

test("a rejection of a block or file that was partly credited waits for a person, and changes nothing until then", async () => {
  for (const [group, blocks] of [
    ["RJCT", []],
    [undefined, ["RJCT"]],
  ] as const) {
    const sent = await sendPayments(service, 2);
    await statement(sent, { ...COLLECTION, ...names(sent) });
    const about = { messageId: sent.messageId, ...(group === undefined ? {} : { status: group }) };
    const refused = blocks.map((status) => ({ id: sent.blockId, status }));
    await readFile(service, sent.merchant, statusReport(about, refused));
    assert.deepEqual(await statuses(service, sent), ["approved", "pending"]);
    const [entry, ...more] = await openUnmatched(service, sent.merchant);
    assert.match(entry?.["why"], /rejected a block it has already credited/);
    assert.deepEqual(more, []);
  }
});

test("a credit for a rejected collection and its return each wait for a person", async () => {
  const sent = await sendPayments(service);
  await readFile(service, sent.merchant, statusReport({ messageId: sent.messageId, status: "RJCT" }));
  await statement(sent, { ...COLLECTION, ...names(sent) }, { ...RETURN, ...names(sent) });
  assert.deepEqual(await kinds(sent), [
    ["collection", "19.90"],
    ["return", "19.90"],
  ]);
  assert.deepEqual(await statuses(service, sent), ["declined"]);
});

test("refunds that the bank books as one sum are settled by the id of their block or file, without rejected ones", async () => {
  const ways = [
    ["Btch/PmtInfId", ""],
    ["Btch/MsgId", "PMNT/ICDT/ESCT"],
    ["Btch/PmtInfId", "NTRF+191"],
    ["Btch/PmtInfId", "PMNT/ICDT/ESCT"],
  ] as const;
  for (const [place, code] of sized(ways.slice(0, 2), ways)) {
    const desk = deskOf(service);
    const { merchant, payments } = await desk.refundable(3, { batch_booking: true });
    for (const payment of payments) await desk.refund(merchant, payment);
    await desk.moveTo(merchant, "2026-12-04T12:00:00Z");
    const file = (await outgoing(service, merchant)).at(-1);
    assert.equal(file?.["kind"], "pain.001");
    const messageId = file?.["message_id"] as string;
    const one = (await desk.refunds(merchant, payments[0]))[0]?.["merchant_transaction_id"] as string;
    const listed = [{ names: { OrgnlEndToEndId: one }, status: "RJCT", reason: "AC04" }];
    const about = { messageId, name: "pain.001.001.09" };
    await readFile(service, merchant, statusReport(about, [{ id: messageId, transactions: listed }]));
    const sum = { sign: "DBIT", code, date: "2026-12-07", names: { [place]: messageId }, noDetail: true };
    const book = (amount: string) =>
      readFile(service, merchant, bankFile("camt.053", [bankEntry({ ...sum, amount })]));
    await book("59.70");
    assert.deepEqual(await lastResults(service, merchant), ["unmatched"], "one of them was refused");
    await book("39.80");
    const ends = await Promise.all(
      payments.map(async (payment) => (await desk.refunds(merchant, payment))[0]?.["status"]),
    );
    assert.deepEqual(ends, ["declined", "approved", "approved"], `${place} ${code}`);
    await book("39.80");
    assert.deepEqual(await lastResults(service, merchant), ["known"]);
  }
});

// Holds FILE-3.
test("a sum of refunds after the single refunds in one file is another movement, even if an earlier file had reported those", async () => {
  const desk = deskOf(service);
  const { merchant, payments } = await desk.refundable(2, { batch_booking: true });
  for (const payment of payments) await desk.refund(merchant, payment);
  await desk.moveTo(merchant, "2026-12-04T12:00:00Z");
  const messageId = (await outgoing(service, merchant)).at(-1)?.["message_id"] as string;
  const out = { sign: "DBIT", code: "PMNT/ICDT/ESCT", date: "2026-12-07" } as const;
  const each: EntryFacts[] = [];
  for (const payment of payments) {
    const EndToEndId = (await desk.refunds(merchant, payment))[0]?.["merchant_transaction_id"] as string;
    each.push({ ...out, amount: "19.90", names: { EndToEndId } });
  }
  const sum = { ...out, amount: "39.80", names: { "Btch/PmtInfId": messageId }, noDetail: true };
  await readFile(service, merchant, bankFile("camt.053", each.map(bankEntry)));
  assert.deepEqual(await lastResults(service, merchant), ["settled", "settled"]);
  await readFile(service, merchant, bankFile("camt.053", [...each, sum].map(bankEntry)));
  assert.deepEqual(await lastResults(service, merchant), ["known", "known", "unmatched"]);
});

test("a sum of refunds that is booked before the rejection of one of them is settled by a person, without that one", async () => {
  const desk = deskOf(service);
  const { merchant, payments } = await desk.refundable(4, { batch_booking: true });
  const given = payments.slice(0, 3);
  for (const payment of given) await desk.refund(merchant, payment);
  await desk.moveTo(merchant, "2026-12-04T12:00:00Z");
  const messageId = (await outgoing(service, merchant)).at(-1)?.["message_id"] as string;
  const sum = { sign: "DBIT", code: "PMNT/ICDT/ESCT", date: "2026-12-07", noDetail: true } as const;
  const names = { "Btch/PmtInfId": messageId };
  await readFile(service, merchant, bankFile("camt.053", [bankEntry({ ...sum, names, amount: "39.80" })]));
  const [entry] = await openUnmatched(service, merchant);
  const settle = (body: object) =>
    resolve(service, merchant, entry?.["id"], { action: "settle", block_id: messageId, ...body });
  const early = await settle({});
  assert.deepEqual([early.status, (await openUnmatched(service, merchant)).length], [409, 1]);
  assert.match(early.text, /39\.80 EUR, but 59\.70/);
  const one = (await desk.refunds(merchant, payments[0]))[0]?.["merchant_transaction_id"] as string;
  const listed = [{ names: { OrgnlEndToEndId: one }, status: "RJCT", reason: "AC04" }];
  const about = { messageId, name: "pain.001.001.09" };
  await readFile(service, merchant, statusReport(about, [{ id: messageId, transactions: listed }]));
  assert.equal((await settle({ action: "part" })).status, 409);
  const collection = { block_id: null, transaction_ids: [payments[3]?.["transaction"].id] };
  assert.equal((await settle(collection)).status, 409, "a payment is no refund");
  const settled = await settle({});
  assert.deepEqual([settled.status, settled.body["status"]], [200, "applied"], settled.text);
  const ends = await Promise.all(
    given.map(async (payment) => (await desk.refunds(merchant, payment))[0]?.["status"]),
  );
  assert.deepEqual(ends, ["declined", "approved", "approved"]);
  await readFile(service, merchant, bankFile("camt.054", [bankEntry({ ...sum, names, amount: "39.80" })]));
  assert.deepEqual(await lastResults(service, merchant), ["known"]);
});

test("a sum of refunds with the bank's fee is settled by a person who enters the fee; a payment in the list is refused", async () => {
  const desk = deskOf(service);
  const { merchant, payments } = await desk.refundable(2, { batch_booking: true });
  for (const payment of payments) await desk.refund(merchant, payment);
  const waiting = await payAt(merchant);
  await desk.moveTo(merchant, "2026-12-04T12:00:00Z");
  const messageId = (await outgoing(service, merchant)).find(({ kind }) => kind === "pain.001")?.[
    "message_id"
  ];
  const sum = { sign: "DBIT", code: "PMNT/ICDT/ESCT", date: "2026-12-07", noDetail: true } as const;
  const names = { "Btch/PmtInfId": messageId as string };
  await readFile(service, merchant, bankFile("camt.053", [bankEntry({ ...sum, names, amount: "40.30" })]));
  const [entry] = await openUnmatched(service, merchant);
  const refunds: Json[] = [];
  for (const payment of payments) refunds.push((await desk.refunds(merchant, payment))[0] ?? {});
  const settle = (ids: readonly unknown[], bankFee: string) =>
    resolve(service, merchant, entry?.["id"], { action: "settle", transaction_ids: ids, bank_fee: bankFee });
  const ids = refunds.map(({ id }) => id);
  const mixed = await settle([...ids, waiting["transaction"].id], "0.50");
  assert.equal(mixed.status, 409, mixed.text);
  assert.match(mixed.text, /The list contains a collection/);
  assert.equal((await settle(ids, "0.40")).status, 409, "another fee");
  const settled = await settle(ids, "0.50");
  assert.equal(settled.status, 200, settled.text);
  for (const payment of payments)
    assert.equal((await desk.refunds(merchant, payment))[0]?.["status"], "approved");
});

test("a block that two files report with one reference of the bank and different days is booked once", async () => {
  const sent = await sendPayments(service, 2);
  const sum = {
    amount: "39.80",
    sign: "CRDT",
    noDetail: true,
    names: { "Btch/PmtInfId": sent.blockId },
  } as const;
  for (const [family, date, bankReference, told] of [
    ["camt.054", "2026-11-25", "SUM-01", "settled"],
    ["camt.053", "2026-11-26", "SUM-01", "known"],
    ["camt.053", "2026-11-27", "SUM-02", "unmatched"],
  ] as const) {
    const file = bankFile(family, [bankEntry({ ...sum, date, bankReference })]);
    await readFile(service, sent.merchant, file);
    assert.deepEqual(await lastResults(service, sent.merchant), [told], date);
  }
});

test("the rejection of a file of refunds declines all of them, whatever message type the report names", async () => {
  const desk = deskOf(service);
  const { merchant, payments } = await desk.refundable(2);
  for (const payment of payments) await desk.refund(merchant, payment);
  await desk.moveTo(merchant, "2026-12-04T12:00:00Z");
  const messageId = (await outgoing(service, merchant)).at(-1)?.["message_id"] as string;
  await readFile(
    service,
    merchant,
    statusReport({ messageId, name: "SEPA-Sammler", status: "RJCT", reason: "AM04" }),
  );
  for (const payment of payments)
    assert.equal((await desk.refunds(merchant, payment))[0]?.["status"], "declined");
});

test("an unknown return in camt.052, 054 and 053 is listed once; another of the same day and amount is listed separately", async () => {
  const sent = await settledPayments();
  const unknown = { ...RETURN, names: { EndToEndId: "NOBODYS-ID" } };
  for (const [n, family] of (["camt.052", "camt.054", "camt.053"] as const).entries()) {
    await readFile(
      service,
      sent.merchant,
      bankFile(family, [bankEntry({ ...unknown, bankReference: `REF-00${n}` })]),
    );
  }
  assert.deepEqual(await kinds(sent), [["return", "19.90"]]);
  await statement(sent, unknown, unknown);
  assert.equal((await kinds(sent)).length, 2, "the second line of one file is a second entry");
  await statement(sent, { ...unknown, names: { EndToEndId: "NOBODY-ELSES" } });
  assert.equal((await kinds(sent)).length, 3);
  // Without our references, only the bank's own reference distinguishes entries.
  const nameless = { ...RETURN, names: {} };
  await statement(sent, { ...nameless, bankReference: "NAMELESS-1" });
  await statement(sent, { ...nameless, bankReference: "NAMELESS-1" });
  await statement(sent, { ...nameless, bankReference: "NAMELESS-2" });
  await statement(sent, nameless);
  await statement(sent, nameless);
  assert.equal((await kinds(sent)).length, 7);
});

test("a page is not reported as differing from balances that belong to the whole statement", async () => {
  const sent = await settledPayments();
  const balance = (type: string, amount: string) =>
    `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-11-25</Dt></Dt></Bal>`;
  const entry = bankEntry({ amount: "1.00", names: { EndToEndId: "RENT" } });
  const file = (pages: string) =>
    bankFile("camt.053", [balance("OPBD", "0.00"), balance("CLBD", "2.00"), entry]).replace(
      "</GrpHdr>",
      `${pages}</GrpHdr>`,
    );
  const page = (number: number, last: boolean) =>
    `<MsgPgntn><PgNb>${number}</PgNb><LastPgInd>${last}</LastPgInd></MsgPgntn>`;
  for (const pages of [page(1, false), page(2, true)]) {
    assert.deepEqual((await readFile(service, sent.merchant, file(pages)))["notes"], []);
  }
  for (const pages of ["", page(1, true)]) {
    assert.match(String((await readFile(service, sent.merchant, file(pages)))["notes"]), /closing balance/);
  }
});
