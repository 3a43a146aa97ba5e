/** A file that was not sent and must not be sent is withdrawn, and its instructions are sent once, in another file. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Calls, Tx } from "../../src/db/database.ts";
import { DAY_MS, manualClock, SECOND_MS } from "../../src/lib/clock.ts";
import { createRace } from "../support/at-once.ts";
import { assertBooksAgree } from "../support/books.ts";
import { bankMerchant, content, markSent, outgoing, payAt, type BankMerchant } from "../support/sepa-bank.ts";
import { deskOf, referenceOf } from "../support/sepa-desk.ts";
import { startService, type Json, type Service } from "../support/service.ts";
import * as treasury from "../support/treasury.ts";
import { bankEntry, bankFile, statusReport } from "./messages.ts";

const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
const race = createRace();
let service: Service;
let desk: ReturnType<typeof deskOf>;
/** What happens once, just before a transaction runs the statement of this name. */
let interruption: { readonly statement: string; readonly work: () => Promise<unknown> } | null = null;

function interrupted(db: Calls): Calls {
  const query =
    (tx: Tx): Tx["query"] =>
    async (statement, values) => {
      const now = interruption?.statement === statement.name ? interruption : null;
      if (now !== null) interruption = null;
      await now?.work();
      return tx.query(statement, values);
    };
  return { ...db, transaction: (work) => db.transaction((tx) => work({ ...tx, query: query(tx) })) };
}

before(async () => {
  service = await startService({ clock, between: (db) => interrupted(race.between(db)) });
  desk = deskOf(service);
});
after(async () => {
  await assertBooksAgree(service.db).finally(() => service.close());
});

const statuses = (files: readonly Json[]) => files.map(({ kind, status }) => `${kind} ${status}`);

test("a file that was not downloaded in time is withdrawn; its payments are sent in one new file, for another day", async () => {
  const { merchant, references, file } = await desk.batched(2);
  // Due on the 25th, so it may be sent until the 24th.
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

test("a downloaded file is not withdrawn automatically: a person marks it as sent or withdraws it", async () => {
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

test("a file that was sent, or that the bank has reported on, is not withdrawn", async () => {
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

test("a refund in a downloaded file, whose debit was returned since, waits for the person, and the books agree", async () => {
  const { merchant, payments, references } = await desk.refundable();
  await desk.refund(merchant, payments[0]);
  await desk.moveTo(merchant, "2026-12-04T12:00:00Z");
  const file = (await outgoing(service, merchant)).find(({ kind }) => kind === "pain.001");
  await content(service, merchant, file?.["id"]);
  await desk.booked(
    merchant,
    [["return", { amount: "19.90", reason: "MD06", endToEndId: references[0] ?? "" }]],
    "2026-12-04",
  );
  assert.equal((await desk.refunds(merchant, payments[0]))[0]?.["status"], "pending");
  await assertBooksAgree(service.db);
  const path = `management/sepa-files/${file?.["id"]}/withdraw/`;
  assert.equal((await service.post(path, undefined, { key: merchant.key })).status, 200);
  await desk.moveTo(merchant, "2026-12-07T12:00:00Z");
  assert.equal((await desk.refunds(merchant, payments[0]))[0]?.["status"], "declined");
});

test("a refund in a file that was not fetched is not sent after its debit was returned; the others in the file are", async () => {
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

test("a refund in a file that was not fetched is not sent while a return of its debit is on the list; the others in the file are", async () => {
  const { merchant, payments, references } = await desk.refundable(2);
  for (const payment of payments) await desk.refund(merchant, payment);
  await desk.moveTo(merchant, "2026-12-04T12:00:00Z");
  const transfers = async () => (await outgoing(service, merchant)).filter(({ kind }) => kind === "pain.001");
  const [file] = await transfers();
  const inPart = { amount: "19.00", reason: "MD06", endToEndId: references[0] ?? "" };
  await desk.booked(merchant, [["return", inPart]], "2026-12-04");
  const [entry] = await treasury.unmatched(service, merchant);
  assert.deepEqual([entry?.["kind"], entry?.["amount"]], ["return", "19.00"]);
  const path = `management/sepa-files/${file?.["id"]}/content/`;
  const held = await service.get(path, { key: merchant.key });
  assert.deepEqual([held.status, held.body["code"]], [409, "file_held_back"], held.text);
  await desk.moveTo(merchant, "2026-12-07T12:00:00Z");
  const facts = (await transfers()).map(({ status, transactions }) => [status, transactions]);
  assert.deepEqual(facts, [
    ["withdrawn", 2],
    ["ready", 1],
  ]);
  await treasury.resolve(service, merchant, entry?.["id"], { action: "dismiss" });
  await desk.moveTo(merchant, "2026-12-08T12:00:00Z");
  assert.deepEqual(
    (await transfers()).map(({ transactions }) => transactions),
    [2, 1, 1],
  );
});

test("another tenant's key cannot withdraw a file", async () => {
  const { file } = await desk.batched();
  const stranger = await bankMerchant(service);
  const path = `management/sepa-files/${file["id"]}/withdraw/`;
  assert.equal((await service.post(path, undefined, { key: stranger.key })).status, 404);
});

test("when many people withdraw, download and mark a file at once, its payments are in one file that can reach the bank", async () => {
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

test("instructions that the bank has from a file withdrawn by mistake are not sent again in the next one", async () => {
  const { merchant, file, references } = await desk.batched(2);
  const withdraw = (id: string) =>
    service.post(`management/sepa-files/${id}/withdraw/`, undefined, { key: merchant.key });
  const download = (id: string) => service.get(`management/sepa-files/${id}/content/`, { key: merchant.key });
  const newest = async () => (await outgoing(service, merchant)).at(-1) ?? {};
  const notSent = async (id: string) => {
    const held = await download(id);
    assert.equal(held.status, 409, held.text);
    assert.match(held.body["detail"], /This file is not sent: the bank has reported on instructions in it/);
  };
  // The bank receives the file, but the person believes that it did not.
  assert.equal((await download(file["id"])).status, 200);
  assert.equal((await withdraw(file["id"])).status, 200);
  await desk.moveTo(merchant, "2026-11-24T12:00:00Z");
  const second = await newest();
  const [first = "", other = ""] = references;
  await desk.booked(merchant, [["collection", { amount: "19.90", endToEndId: first }]], "2026-11-25");
  await notSent(second["id"]);
  // None of it goes into a third file, however long the file is held.
  await desk.moveTo(merchant, "2026-11-27T12:00:00Z");
  await notSent(second["id"]);
  assert.equal((await newest())["id"], second["id"]);
  // Once a person has asked the bank, the other instructions are in the next file.
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
  test(`a refund by ${way} in a file withdrawn by mistake, which the bank has, is paid once`, async () => {
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
    assert.match(held.body["detail"], /This file is not sent/);
  });
}

test("a person settles refunds of a file withdrawn by mistake that the bank booked as one sum with its fee, and none is paid twice", async () => {
  const { merchant, payments } = await desk.refundable(2);
  for (const payment of payments) await desk.refund(merchant, payment);
  await desk.moveTo(merchant, "2026-12-04T12:00:00Z");
  const file = (await outgoing(service, merchant)).at(-1) ?? {};
  assert.deepEqual([file["kind"], file["transactions"]], ["pain.001", 2]);
  await content(service, merchant, file["id"]);
  await command(merchant, file, "withdraw");
  const sum = { amount: "40.30", sign: "DBIT", code: "PMNT/ICDT/ESCT", date: "2026-12-04" } as const;
  const names = { "Btch/PmtInfId": file["message_id"] as string };
  const { report } = await desk.read(
    merchant,
    bankFile("camt.053", [bankEntry({ ...sum, names, noDetail: true })]),
  );
  assert.equal(report["unmatched"], 1, JSON.stringify(report));
  const [entry = {}] = await treasury.unmatched(service, merchant);
  const ids: unknown[] = [];
  for (const payment of payments) ids.push((await desk.refunds(merchant, payment))[0]?.["id"]);
  const body = { action: "settle", transaction_ids: ids, bank_fee: "0.50" };
  const settled = await treasury.resolve(service, merchant, entry["id"], body);
  assert.equal(settled.status, 200, settled.text);
  for (const payment of payments)
    assert.equal((await desk.refunds(merchant, payment))[0]?.["status"], "approved");
  await desk.moveTo(merchant, "2026-12-07T12:00:00Z");
  assert.equal((await files(merchant)).filter(({ kind }) => kind === "pain.001").length, 0);
});

/** Two debits in a file that the bank received and that a person withdrew by mistake. The time is the next morning. */
async function withdrawnByMistake(settings: object = {}) {
  const made = await desk.batched(2, settings);
  const { merchant, file } = made;
  await content(service, merchant, file["id"]);
  await command(merchant, file, "withdraw");
  return { ...made, blockId: `${file["message_id"]}-1`, messageId: file["message_id"] as string };
}

async function command(merchant: BankMerchant, file: Json, what: string, status = 200): Promise<Json> {
  const path = `management/sepa-files/${file["id"]}/${what}/`;
  const answer = await service.post(path, undefined, { key: merchant.key });
  assert.equal(answer.status, status, answer.text);
  return answer.body;
}

const sumOf = (amount: string, names: Readonly<Record<string, string>>, date = "2026-11-24") =>
  bankFile("camt.053", [bankEntry({ amount, sign: "CRDT", date, names, noDetail: true })]);
const files = async (merchant: BankMerchant) =>
  (await outgoing(service, merchant)).filter(({ status }) => status !== "withdrawn");
const statusesOf = async (payments: readonly Json[]) => {
  const all: unknown[] = [];
  for (const payment of payments) all.push((await desk.transaction(payment))["status"]);
  return all;
};

for (const level of ["block", "file"] as const) {
  for (const when of ["before", "after"] as const) {
    test(`a sum booked for the ${level} of a file withdrawn by mistake, ${when} the next one is written, settles its instructions`, async () => {
      const { merchant, payments, blockId, messageId } = await withdrawnByMistake();
      const names: Readonly<Record<string, string>> =
        level === "block" ? { "Btch/PmtInfId": blockId } : { "Btch/MsgId": messageId };
      if (when === "after") await desk.moveTo(merchant, "2026-11-24T12:00:00Z");
      const { report } = await desk.read(merchant, sumOf("39.80", names));
      assert.deepEqual(report, { notes: [], settled: 1, statements: 1 }, JSON.stringify(report));
      assert.deepEqual(await statusesOf(payments), ["approved", "approved"]);
      assert.equal(
        (await desk.read(merchant, sumOf("39.80", names).replace("</Id>", "x</Id>")))["report"]["known"],
        1,
      );
      await desk.moveTo(merchant, "2026-11-25T12:00:00Z");
      const [next, ...more] = await files(merchant);
      assert.equal(more.length, 0);
      assert.equal(next === undefined, when === "before");
      if (next !== undefined) {
        const held = await service.get(`management/sepa-files/${next["id"]}/content/`, { key: merchant.key });
        assert.equal(held.status, 409, held.text);
        await command(merchant, next, "mark-sent", 409);
      }
    });
  }
}

for (const first of ["the withdrawal", "the reading"] as const)
  test(`a file withdrawn while the sum that the bank booked for it is read, ${first} first, has its debits collected once`, async () => {
    const { merchant, payments, file } = await desk.batched(2);
    await content(service, merchant, file["id"]);
    const seen = { withdrawal: 0, settled: 0 };
    const path = `management/sepa-files/${file["id"]}/withdraw/`;
    const withdrawal = async () => {
      seen.withdrawal = (await service.post(path, undefined, { key: merchant.key })).status;
    };
    const reading = async () => {
      const sum = sumOf("39.80", { "Btch/PmtInfId": `${file["message_id"]}-1` });
      seen.settled = (await desk.read(merchant, sum))["report"]["settled"];
    };
    const isRead = first === "the reading";
    await race.atOnce(service, isRead ? reading : withdrawal, isRead ? withdrawal : reading);
    assert.deepEqual(seen, { withdrawal: isRead ? 409 : 200, settled: 1 });
    assert.deepEqual(await statusesOf(payments), ["approved", "approved"]);
    await desk.moveTo(merchant, "2026-11-25T12:00:00Z");
    assert.equal((await files(merchant)).length, isRead ? 1 : 0);
  });

test("if one debit of a file withdrawn by mistake is booked before the next file, it is settled and the next file is held", async () => {
  const { merchant, payments, references } = await withdrawnByMistake();
  const [first = ""] = references;
  await desk.booked(merchant, [["collection", { amount: "19.90", endToEndId: first }]], "2026-11-24");
  assert.deepEqual(await statusesOf(payments), ["approved", "pending"]);
  await desk.moveTo(merchant, "2026-11-24T12:00:00Z");
  const [next = {}] = await files(merchant);
  assert.equal(next["transactions"], 1);
  const held = await service.get(`management/sepa-files/${next["id"]}/content/`, { key: merchant.key });
  assert.match(held.text, /This file is not sent: the bank has reported on instructions in it/);
  const attention = await service.get("management/needs-attention/", { key: merchant.key });
  assert.match(attention.text, /"kind":"files_held","count":1,.*?"list":"[^"]*sepa-files\/\?held=true"/);
  const list = await service.get("management/sepa-files/?held=true", { key: merchant.key });
  assert.deepEqual(
    list.body["results"].map((one: Json) => one["id"]),
    [next["id"]],
  );
  // Once a person has asked the bank, the other debit is sent.
  await command(merchant, next, "withdraw");
  await desk.moveTo(merchant, "2026-11-25T12:00:00Z");
  const [last = {}] = await files(merchant);
  assert.match(await content(service, merchant, last["id"]), new RegExp(`<EndToEndId>${references[1]}<`));
  assert.doesNotMatch(
    (await service.get("management/needs-attention/", { key: merchant.key })).text,
    /files_held/,
  );
});

/** From now on each file holds one instruction. */
const ONE_EACH = { max_transactions_per_block: 1, max_blocks_per_file: 1 };
async function splitFromNow(merchant: BankMerchant): Promise<void> {
  const account = `management/gateways/${merchant.accountId}/`;
  const { body } = await service.get(account, { key: merchant.key });
  const settings = { ...body["settings"], ...ONE_EACH };
  const answer = await service.call("PATCH", account, { settings }, { key: merchant.key });
  assert.equal(answer.status, 200, answer.text);
}

/** Two debits of a file withdrawn by mistake, which are now in a file each, in the order of `references`. */
async function splitAfterMistake(settings: object = {}) {
  const made = await withdrawnByMistake(settings);
  const { merchant, references } = made;
  await splitFromNow(merchant);
  await desk.moveTo(merchant, "2026-11-24T12:00:00Z");
  const [ofFirst, ofSecond] = await filesOf(merchant, references);
  return { ...made, ofFirst, ofSecond };
}

/** For each instruction, the file that contains it and is not withdrawn. */
async function filesOf(
  merchant: BankMerchant,
  references: readonly string[],
): Promise<readonly [Json, Json]> {
  const live = await files(merchant);
  const found: Json[] = [];
  for (const reference of references) {
    const [row] = await service.rows("select file_id from sepa_collections where reference = $1", [
      reference,
    ]);
    found.push(live.find(({ id }) => id === row?.["file_id"]) ?? {});
  }
  const [first = {}, second = {}] = found;
  assert.ok(first["id"] !== undefined && second["id"] !== undefined && first["id"] !== second["id"]);
  return [first, second];
}

const bookFirst = (merchant: BankMerchant, references: readonly string[], date: string) =>
  desk.booked(merchant, [["collection", { amount: "19.90", endToEndId: references[0] ?? "" }]], date);

/** The response to a download of the file, and whether the file is listed as held. */
async function isHeld(merchant: BankMerchant, file: Json): Promise<boolean> {
  const list = await service.get("management/sepa-files/?held=true", { key: merchant.key });
  const listed = list.body["results"].some((one: Json) => one["id"] === file["id"]);
  const path = `management/sepa-files/${file["id"]}/content/`;
  const { status, text } = await service.get(path, { key: merchant.key });
  assert.equal(status, listed ? 409 : 200, text);
  if (listed) assert.match(text, /This file is not sent/);
  return listed;
}

async function heldCount(merchant: BankMerchant): Promise<number> {
  const { text } = await service.get("management/needs-attention/", { key: merchant.key });
  return Number(/"kind":"files_held","count":(\d+)/.exec(text)?.[1] ?? 0);
}

test("if two debits of a file withdrawn by mistake are now in two files, a booking of one holds both files, and the other is not debited twice", async () => {
  const { merchant, references, payments, ofFirst, ofSecond } = await splitAfterMistake();
  await bookFirst(merchant, references, "2026-11-24");
  assert.deepEqual(await statusesOf(payments), ["approved", "pending"]);
  assert.deepEqual([await isHeld(merchant, ofFirst), await isHeld(merchant, ofSecond)], [true, true]);
  assert.equal(await heldCount(merchant), 2);
  await command(merchant, ofSecond, "mark-sent", 409);
  // Its day passes and it is not withdrawn, because only a person may withdraw it.
  await desk.moveTo(merchant, "2026-11-27T12:00:00Z");
  assert.deepEqual(statuses(await files(merchant)), ["pain.008 ready", "pain.008 ready"]);
  // A person withdraws the file with the booked debit. The other debit's file still waits for a person.
  await command(merchant, ofFirst, "withdraw");
  assert.equal(await isHeld(merchant, ofSecond), true);
  await command(merchant, ofSecond, "withdraw");
  await desk.moveTo(merchant, "2026-11-30T12:00:00Z");
  const [last = {}, ...more] = await files(merchant);
  assert.equal(more.length, 0);
  assert.match(await content(service, merchant, last["id"]), new RegExp(`<EndToEndId>${references[1]}<`));
  assert.equal(await heldCount(merchant), 0);
});

test("if two debits of a file withdrawn by mistake are now in two files, a booking of one that was sent does not hold the other", async () => {
  const { merchant, references, ofFirst, ofSecond } = await splitAfterMistake();
  await content(service, merchant, ofFirst["id"]);
  await command(merchant, ofFirst, "mark-sent");
  await bookFirst(merchant, references, "2026-11-26");
  assert.equal(await isHeld(merchant, ofSecond), false);
  assert.equal(await heldCount(merchant), 0);
});

// Holds FILE-3.
test("a credit of a debit that was sent again, in one file with the sum of its withdrawn block, is another movement", async () => {
  const { merchant, references, payments, blockId } = await withdrawnByMistake();
  await desk.moveTo(merchant, "2026-11-24T12:00:00Z");
  const [next = {}] = await files(merchant);
  await content(service, merchant, next["id"]);
  await command(merchant, next, "mark-sent");
  const sum = { amount: "39.80", sign: "CRDT", date: "2026-11-25", noDetail: true } as const;
  const entries = [bankEntry({ ...sum, names: { "Btch/PmtInfId": blockId } }), bookedUnder(references, {})];
  const { report } = await desk.read(merchant, bankFile("camt.053", entries));
  assert.deepEqual(await statusesOf(payments), ["approved", "approved"]);
  assert.deepEqual([report["settled"], report["known"], report["unmatched"]], [1, undefined, 1]);
});

// Holds FILE-3.
for (const level of ["block", "file"] as const)
  test(`the sum of a withdrawn ${level} and the sum of the ${level} in which its debits were sent again are two movements, though on one day`, async () => {
    const { merchant, payments, blockId, messageId } = await withdrawnByMistake();
    await desk.moveTo(merchant, "2026-11-24T12:00:00Z");
    const [next = {}] = await files(merchant);
    await content(service, merchant, next["id"]);
    await command(merchant, next, "mark-sent");
    const sumFor = (file: string, block: string) =>
      sumOf("39.80", level === "block" ? { "Btch/PmtInfId": block } : { "Btch/MsgId": file }, "2026-11-25");
    const ofNext = sumFor(next["message_id"] as string, `${next["message_id"]}-1`);
    const read = async (file: string) => {
      const { settled, known, unmatched } = (await desk.read(merchant, file))["report"] as Json;
      return [settled, known, unmatched];
    };
    assert.deepEqual(await read(sumFor(messageId, blockId)), [1, undefined, undefined]);
    assert.deepEqual(await read(ofNext), [undefined, undefined, 1], "the bank has collected twice");
    assert.deepEqual(await statusesOf(payments), ["approved", "approved"]);
    const again = sumFor(messageId, blockId).replace("</Id>", "x</Id>");
    assert.deepEqual(await read(again), [undefined, 1, undefined], "the first sum in another file");
  });

// Holds FILE-3.
for (const [order, isSentAgain] of [
  ["the sum first", false],
  ["the credit first", false],
  ["the sum first", true],
  ["the credit first", true],
] as const)
  test(`of the sum of a withdrawn block and a credit of one of its debits${isSentAgain ? ", which were sent again," : ""} in one file only one is known, ${order}`, async () => {
    const { merchant, references, payments, blockId } = await withdrawnByMistake();
    if (isSentAgain) {
      await desk.moveTo(merchant, "2026-11-24T12:00:00Z");
      const [next = {}] = await files(merchant);
      await content(service, merchant, next["id"]);
      await command(merchant, next, "mark-sent");
    }
    const sum = bankEntry({
      amount: "39.80",
      sign: "CRDT",
      date: "2026-11-24",
      names: { "Btch/PmtInfId": blockId },
      noDetail: true,
    });
    const names = { EndToEndId: references[0] ?? "" };
    const single = bankEntry({ amount: "19.90", sign: "CRDT", date: "2026-11-24", names });
    const read = async (kind: "camt.052" | "camt.053" | "camt.054", entries: readonly string[]) =>
      (await desk.read(merchant, bankFile(kind, entries)))["report"];
    assert.equal((await read("camt.054", [sum]))["settled"], 1);
    const both = order === "the sum first" ? [sum, single] : [single, sum];
    const report = await read("camt.053", both);
    assert.deepEqual([report["known"], report["unmatched"]], [1, 1], JSON.stringify(report));
    assert.deepEqual(await statusesOf(payments), ["approved", "approved"]);
    assert.equal((await read("camt.052", both))["known"], 2, "a person has it");
  });

/** The first debit is booked with the name of the withdrawn block or file. */
const bookedUnder = (references: readonly string[], names: Readonly<Record<string, string>>) =>
  bankEntry({
    amount: "19.90",
    sign: "CRDT",
    date: "2026-11-25",
    names: { EndToEndId: references[0] ?? "", ...names },
  });

for (const named of ["block", "file"] as const) {
  test(`if two debits of a file withdrawn by mistake are now in two files and one was sent, a booking that names the withdrawn ${named} holds the other until a person decides`, async () => {
    const { merchant, references, payments, blockId, messageId, ofFirst, ofSecond } =
      await splitAfterMistake();
    await content(service, merchant, ofFirst["id"]);
    await command(merchant, ofFirst, "mark-sent");
    const entry = bookedUnder(references, named === "block" ? { PmtInfId: blockId } : { MsgId: messageId });
    const { report } = await desk.read(merchant, bankFile("camt.053", [entry]));
    assert.equal(report["settled"], 1, JSON.stringify(report));
    assert.deepEqual(await statusesOf(payments), ["approved", "pending"]);
    assert.equal(await isHeld(merchant, ofSecond), true);
    const [open = {}, ...more] = await treasury.unmatched(service, merchant);
    assert.equal(more.length, 0);
    assert.match(open["why"], /was withdrawn, and it was sent in another one since/);
    // Another file with the same booking has no news.
    const again = await desk.read(merchant, bankFile("camt.052", [entry]));
    assert.equal(again["report"]["known"], 1, JSON.stringify(again));
    assert.equal((await treasury.unmatched(service, merchant)).length, 1);
    const resolve = (body: object) => treasury.resolve(service, merchant, open["id"], body);
    const applied = await resolve({
      action: "apply",
      transaction_id: payments[0]?.["transaction"].id,
    });
    assert.match(applied.text, /already reflects this: dismiss the entry/);
    assert.equal((await resolve({ action: "dismiss" })).status, 200);
    assert.equal(await isHeld(merchant, ofSecond), false);
  });
}

test("if two debits of a file withdrawn by mistake are now in two files and neither was sent, a booking that names the withdrawn block holds both, and no entry waits for a person", async () => {
  const { merchant, references, blockId, ofFirst, ofSecond } = await splitAfterMistake();
  const entry = bookedUnder(references, { PmtInfId: blockId });
  const { report } = await desk.read(merchant, bankFile("camt.053", [entry]));
  assert.deepEqual(report, { notes: [], settled: 1, statements: 1 });
  assert.deepEqual(await treasury.unmatched(service, merchant), []);
  assert.deepEqual([await isHeld(merchant, ofFirst), await isHeld(merchant, ofSecond)], [true, true]);
});

test("a booking for one of two blocks of a file withdrawn by mistake also holds the other's instructions", async () => {
  const { merchant, references, ofFirst, ofSecond } = await splitAfterMistake({
    max_transactions_per_block: 1,
  });
  const [withdrawn = {}] = await service.rows("select block_id from sepa_withdrawn where reference = $1", [
    references[0],
  ]);
  await content(service, merchant, ofFirst["id"]);
  await command(merchant, ofFirst, "mark-sent");
  const entry = bookedUnder(references, { PmtInfId: withdrawn["block_id"] });
  const { report } = await desk.read(merchant, bankFile("camt.053", [entry]));
  assert.equal(report["settled"], 1, JSON.stringify(report));
  assert.equal(await isHeld(merchant, ofSecond), true);
});

/** The first debit's file is sent. In the withdrawn file each debit was in a block of its own. */
async function firstIsSent() {
  const made = await splitAfterMistake({ max_transactions_per_block: 1 });
  const [first = {}] = await service.rows("select block_id from sepa_withdrawn where reference = $1", [
    made.references[0],
  ]);
  await content(service, made.merchant, made.ofFirst["id"]);
  await command(made.merchant, made.ofFirst, "mark-sent");
  return { ...made, firstBlock: first["block_id"] as string };
}

test("if a debit that was sent again is booked without a block, and by a later file under the withdrawn block, the other withdrawn debits are held then", async () => {
  const { merchant, references, firstBlock, ofFirst, ofSecond } = await firstIsSent();
  const read = async (kind: "camt.053" | "camt.054", names: Readonly<Record<string, string>>) =>
    (await desk.read(merchant, bankFile(kind, [bookedUnder(references, names)])))["report"];
  assert.equal((await read("camt.054", {}))["settled"], 1);
  assert.equal((await read("camt.053", { PmtInfId: `${ofFirst["message_id"]}-1` }))["known"], 1);
  assert.equal(await heldCount(merchant), 0, "the block that it was sent in");
  assert.equal((await read("camt.053", { PmtInfId: firstBlock }))["known"], 1);
  assert.equal(await isHeld(merchant, ofSecond), true);
  const [open = {}, ...more] = await treasury.unmatched(service, merchant);
  assert.equal(more.length, 0);
  assert.match(open["why"], /was withdrawn, and it was sent in another one since/);
});

for (const [words, amount] of [
  ["a sum that agrees", "19.90"],
  ["a sum that does not agree", "19.00"],
] as const) {
  test(`${words}, booked for a withdrawn block whose debits were sent again, holds the instructions of the withdrawn file's other block`, async () => {
    const { merchant, payments, firstBlock, ofSecond } = await firstIsSent();
    const { report } = await desk.read(
      merchant,
      sumOf(amount, { "Btch/PmtInfId": firstBlock }, "2026-11-25"),
    );
    const agrees = amount === "19.90";
    assert.equal(report[agrees ? "settled" : "unmatched"], 1, JSON.stringify(report));
    assert.deepEqual(await statusesOf(payments), [agrees ? "approved" : "pending", "pending"]);
    assert.equal(await isHeld(merchant, ofSecond), true);
    const [open = {}, ...more] = await treasury.unmatched(service, merchant);
    assert.equal(more.length, 0);
    assert.equal((await treasury.resolve(service, merchant, open["id"], { action: "dismiss" })).status, 200);
    assert.equal(await isHeld(merchant, ofSecond), false);
  });
}

for (const status of ["uploading", "renaming", "unclear"])
  test(`a booking for a withdrawn block whose debits are just being sent again (${status}) holds the instructions of its other block, also afterwards`, async () => {
    const { merchant, payments, firstBlock, ofFirst, ofSecond } = await firstIsSent();
    const set = (to: string) =>
      service.rows("update sepa_files set status = $2, due_at = $3 where id = $1", [
        ofFirst["id"],
        to,
        to === "uploading" || to === "renaming" ? new Date("2027-01-01") : null,
      ]);
    await set(status);
    const { report } = await desk.read(
      merchant,
      sumOf("19.90", { "Btch/PmtInfId": firstBlock }, "2026-11-25"),
    );
    assert.equal(report["settled"], 1, JSON.stringify(report));
    assert.deepEqual(await statusesOf(payments), ["approved", "pending"]);
    await set("sent");
    assert.equal(await isHeld(merchant, ofSecond), true);
    const [open = {}, ...more] = await treasury.unmatched(service, merchant);
    assert.equal(more.length, 0);
    assert.match(open["why"], /was withdrawn, and it was sent in another one since/);
  });

test("a file that was downloaded but not marked as sent holds the other one until it is marked", async () => {
  const { merchant, references, ofFirst, ofSecond } = await splitAfterMistake();
  await content(service, merchant, ofFirst["id"]);
  // The bank may have booked the debit of the withdrawn file or of this one.
  await bookFirst(merchant, references, "2026-11-26");
  assert.equal(await isHeld(merchant, ofSecond), true);
  await command(merchant, ofFirst, "mark-sent");
  assert.equal(await isHeld(merchant, ofSecond), false);
});

for (const [words, entry] of [
  [
    "a debit",
    (reference: string, block: string) =>
      bankFile("camt.053", [bookedUnder([reference], { PmtInfId: block })]),
  ],
  ["a sum", (_: string, block: string) => sumOf("19.90", { "Btch/PmtInfId": block }, "2026-11-25")],
] as const)
  test(`${words} booked under a withdrawn block holds the rest of the withdrawn file, also once the debit's next file, which was downloaded before, is marked as sent`, async () => {
    const { merchant, references, payments, ofFirst, ofSecond } = await splitAfterMistake({
      max_transactions_per_block: 1,
    });
    const [first = ""] = references;
    const [{ block_id: block } = {}] = await service.rows(
      "select block_id from sepa_withdrawn where reference = $1",
      [first],
    );
    await content(service, merchant, ofFirst["id"]);
    const { report } = await desk.read(merchant, entry(first, block));
    assert.equal(report["settled"], 1, JSON.stringify(report));
    assert.deepEqual(await statusesOf(payments), ["approved", "pending"]);
    await command(merchant, ofFirst, "mark-sent");
    assert.equal(await isHeld(merchant, ofSecond), true);
    const [open = {}, ...more] = await treasury.unmatched(service, merchant);
    assert.equal(more.length, 0);
    assert.match(open["why"], /was withdrawn, and it was sent in another one since/);
    assert.equal((await treasury.resolve(service, merchant, open["id"], { action: "dismiss" })).status, 200);
    assert.equal(await isHeld(merchant, ofSecond), false);
  });

test("if two debits of a file withdrawn by mistake are now in two files whose days have passed, a booking of one holds the third file of the other", async () => {
  const { merchant, references } = await splitAfterMistake();
  await desk.moveTo(merchant, "2026-11-27T12:00:00Z");
  const [ofFirst, ofSecond] = await filesOf(merchant, references);
  assert.equal((await outgoing(service, merchant)).length, 5);
  await bookFirst(merchant, references, "2026-11-25");
  assert.deepEqual([await isHeld(merchant, ofFirst), await isHeld(merchant, ofSecond)], [true, true]);
  // A person withdraws the file after the booking; then the debit is sent.
  await desk.moveTo(merchant, "2026-11-27T13:00:00Z");
  await command(merchant, ofSecond, "withdraw");
  await desk.moveTo(merchant, "2026-11-30T12:00:00Z");
  const rest = (await files(merchant)).find(({ id }) => id !== ofFirst["id"]) ?? {};
  assert.equal(await isHeld(merchant, rest), false);
});

test("a part of a withdrawn block's sum that waits for a person also holds the third file with its instructions", async () => {
  const { merchant, references, blockId } = await splitAfterMistake();
  await desk.moveTo(merchant, "2026-11-27T12:00:00Z");
  const [ofFirst, ofSecond] = await filesOf(merchant, references);
  const { report } = await desk.read(merchant, sumOf("19.90", { "Btch/PmtInfId": blockId }));
  assert.equal(report["unmatched"], 1, JSON.stringify(report));
  assert.deepEqual([await isHeld(merchant, ofFirst), await isHeld(merchant, ofSecond)], [true, true]);
});

test("a return booked for a debit whose file was withdrawn is a chargeback, and the debit goes into no file", async () => {
  const { merchant, payments, references } = await withdrawnByMistake();
  const [first = ""] = references;
  const returned = { amount: "19.90", reason: "AM04", endToEndId: first };
  const { report } = await desk.booked(merchant, [["return", returned]], "2026-11-24");
  assert.equal(report["returned"], 1, JSON.stringify(report));
  assert.deepEqual(await statusesOf(payments), ["charged_back", "pending"]);
  const [{ state, settled_on: settledOn } = {}] = await service.rows(
    "select state, settled_on::text from sepa_collections where reference = $1",
    [first],
  );
  assert.deepEqual([state, settledOn], ["returned", "2026-11-24"]);
  await desk.moveTo(merchant, "2026-11-24T12:00:00Z");
  const [next = {}, ...more] = await files(merchant);
  assert.deepEqual([next["transactions"], more.length], [1, 0]);
  // The other debits of that file need a person.
  assert.equal(await isHeld(merchant, next), true);
});

test("a sum for a withdrawn block that does not match waits for a person, and so does the next file", async () => {
  const { merchant, blockId } = await withdrawnByMistake();
  const { report } = await desk.read(merchant, sumOf("19.90", { "Btch/PmtInfId": blockId }));
  assert.equal(report["unmatched"], 1, JSON.stringify(report));
  await desk.moveTo(merchant, "2026-11-24T12:00:00Z");
  const [next = {}] = await files(merchant);
  const path = `management/sepa-files/${next["id"]}/content/`;
  assert.equal((await service.get(path, { key: merchant.key })).status, 409);
  const [entry] = await treasury.unmatched(service, merchant);
  await treasury.resolve(service, merchant, entry?.["id"], { action: "dismiss", note: "another's" });
  assert.equal((await service.get(path, { key: merchant.key })).status, 200);
});

test("if a person withdraws the held file while the sum still waits, its instructions are sent in the next one", async () => {
  const { merchant, blockId } = await withdrawnByMistake();
  await desk.read(merchant, sumOf("19.90", { "Btch/PmtInfId": blockId }));
  await desk.moveTo(merchant, "2026-11-24T12:00:00Z");
  const [held = {}] = await files(merchant);
  assert.equal(await isHeld(merchant, held), true);
  await command(merchant, held, "withdraw");
  await desk.moveTo(merchant, "2026-11-25T12:00:00Z");
  const [next = {}] = await files(merchant);
  assert.notEqual(next["id"], held["id"]);
  assert.equal(await isHeld(merchant, next), false);
});

test("if a file is withdrawn by mistake while a sum for its block that does not match waits for a person, the next file waits as well", async () => {
  const { merchant, file } = await desk.batched(2);
  await content(service, merchant, file["id"]);
  await desk.moveTo(merchant, "2026-11-25T08:00:00Z");
  const sum = sumOf("19.90", { "Btch/PmtInfId": `${file["message_id"]}-1` }, "2026-11-25");
  const { report } = await desk.read(merchant, sum);
  assert.equal(report["unmatched"], 1, JSON.stringify(report));
  await desk.moveTo(merchant, "2026-11-25T09:00:00Z");
  await command(merchant, file, "withdraw");
  await desk.moveTo(merchant, "2026-11-25T12:00:00Z");
  const [next = {}] = await files(merchant);
  assert.notEqual(next["id"], file["id"]);
  assert.equal(await isHeld(merchant, next), true);
});

test("the rejection of a withdrawn file does not reject its instructions in the next file", async () => {
  const { merchant, payments, messageId, references } = await withdrawnByMistake();
  await desk.moveTo(merchant, "2026-11-24T12:00:00Z");
  const { report } = await desk.read(
    merchant,
    statusReport({ messageId, name: "pain.008.001.08", status: "RJCT", reason: "FF01" }),
  );
  assert.equal(report["unmatched"], 1, JSON.stringify(report));
  assert.deepEqual(await statusesOf(payments), ["pending", "pending"]);
  const [next = {}] = await files(merchant);
  assert.match(await content(service, merchant, next["id"]), new RegExp(`<EndToEndId>${references[0]}<`));
});

const ARRIVED = /the bank reports on this file, which was withdrawn, as on one that it has/;

/** What shows that the bank has a file, by what says so. */
const RECEIVED: Readonly<Record<string, (file: Json, references: readonly string[]) => string>> = {
  "an accepted file": ({ message_id: messageId }) => statusReport({ messageId, status: "ACTC" }),
  "an accepted block": ({ message_id: messageId }) =>
    statusReport({ messageId }, [{ id: `${messageId}-1`, status: "ACCP" }]),
  "accepted transactions": ({ message_id: messageId }, references) => {
    const transactions = references.map((OrgnlEndToEndId) => ({
      names: { OrgnlEndToEndId },
      status: "ACSP",
    }));
    return statusReport({ messageId }, [{ id: `${messageId}-1`, transactions }]);
  },
  "a received file": ({ message_id: messageId }) => statusReport({ messageId, status: "RCVD" }),
  "a block that is not booked yet": ({ message_id: messageId }) => {
    const names = { "Btch/PmtInfId": `${messageId}-1` };
    return bankFile("camt.052", [bankEntry({ amount: "39.80", state: "PDNG", names, noDetail: true })]);
  },
};

for (const [words, reportOn] of Object.entries(RECEIVED))
  test(`if the bank reports on a withdrawn file as ${words}, one entry waits for a person, and the next file is held until that is dismissed`, async () => {
    const { merchant, payments, file, references } = await withdrawnByMistake();
    await desk.moveTo(merchant, "2026-11-24T12:00:00Z");
    const [next = {}] = await files(merchant);
    await desk.read(merchant, reportOn(next, references));
    assert.deepEqual(await treasury.unmatched(service, merchant), [], "about the next file");
    const { report } = await desk.read(merchant, reportOn(file, references));
    assert.equal(report["unmatched"], undefined, JSON.stringify(report));
    await desk.read(merchant, reportOn(file, references));
    const [open = {}, ...more] = await treasury.unmatched(service, merchant);
    assert.equal(more.length, 0);
    assert.match(open["why"], ARRIVED);
    assert.deepEqual([open["references"], open["file_id"]], [[file["message_id"]], file["id"]]);
    assert.equal(await isHeld(merchant, next), true);
    assert.equal((await treasury.resolve(service, merchant, open["id"], { action: "dismiss" })).status, 200);
    await desk.read(merchant, reportOn(file, references));
    assert.deepEqual(await treasury.unmatched(service, merchant), [], "a person has decided");
    assert.equal(await isHeld(merchant, next), false);
    assert.deepEqual(await statusesOf(payments), ["pending", "pending"]);
  });

test("if the bank accepts a withdrawn file whose debits were sent again, a person is told", async () => {
  const { merchant, messageId } = await withdrawnByMistake();
  await desk.moveTo(merchant, "2026-11-24T12:00:00Z");
  const [next = {}] = await files(merchant);
  await content(service, merchant, next["id"]);
  await command(merchant, next, "mark-sent");
  await desk.read(merchant, statusReport({ messageId, status: "ACCP" }));
  const [open = {}, ...more] = await treasury.unmatched(service, merchant);
  assert.equal(more.length, 0);
  assert.match(open["why"], ARRIVED);
});

test("a file of which it was unclear whether it arrived is sent once the bank accepts it, and not if it rejects a debit", async () => {
  const { merchant, file, references } = await desk.batched(2);
  await service.rows("update sepa_files set status = 'unclear', error = 'x' where id = $1", [file["id"]]);
  const statusNow = async () => {
    const [{ status, error, sent_at: sentAt } = {}] = await outgoing(service, merchant);
    return [status, error, sentAt !== null];
  };
  await desk.read(merchant, rejectionOf(file, references.slice(0, 1)));
  assert.deepEqual(await statusNow(), ["unclear", "x", false]);
  await desk.read(merchant, statusReport({ messageId: file["message_id"], status: "ACTC" }));
  assert.deepEqual(await statusNow(), ["sent", null, true]);
  assert.deepEqual(await treasury.unmatched(service, merchant), []);
});

test("a report on an unclear file and on a later one that was withdrawn shows that the bank has both", async () => {
  const { merchant, file: unclear } = await desk.batched(2);
  await service.rows("update sepa_files set status = 'unclear', error = 'x' where id = $1", [unclear["id"]]);
  await payAt(merchant);
  await desk.moveTo(merchant, "2026-11-24T12:00:00Z");
  const withdrawn = (await files(merchant)).find(({ id }) => id !== unclear["id"]) ?? {};
  await command(merchant, withdrawn, "withdraw");
  const entries = [unclear, withdrawn].map(({ message_id: messageId }) => {
    const names = { "Btch/PmtInfId": `${messageId}-1` };
    return bankEntry({ amount: "19.90", state: "PDNG", names, noDetail: true });
  });
  await desk.read(merchant, bankFile("camt.052", entries));
  const sent = await files(merchant);
  assert.deepEqual(
    sent.map(({ id, status }) => [id, status]),
    [[unclear["id"], "sent"]],
  );
  const open = await treasury.unmatched(service, merchant);
  assert.deepEqual(
    open.map(({ file_id: id }) => id),
    [withdrawn["id"]],
  );
});

/** A report that rejects these instructions of a file of one block. @param where the status is. */
function rejectionOf(
  { message_id: messageId, kind }: Json,
  references: readonly string[],
  where: "transaction" | "block" | "file" = "transaction",
): string {
  const said = (level: typeof where) => (where === level ? { status: "RJCT", reason: "AC04" } : {});
  const transactions = references.map((OrgnlEndToEndId) => ({
    names: { OrgnlEndToEndId },
    ...said("transaction"),
  }));
  const name = kind === "pain.008" ? "pain.008.001.08" : "pain.001.001.09";
  return statusReport({ messageId, name, ...said("file") }, [
    { id: `${messageId}-1`, ...said("block"), transactions },
  ]);
}

for (const where of ["transaction", "block", "file"] as const)
  test(`a report that lists the debits of a withdrawn file as rejected, with the status of the ${where}, does not reject them in the file that was sent since`, async () => {
    const { merchant, payments, file, references } = await withdrawnByMistake();
    await desk.moveTo(merchant, "2026-11-24T12:00:00Z");
    const [next = {}] = await files(merchant);
    await content(service, merchant, next["id"]);
    await command(merchant, next, "mark-sent");
    const { report } = await desk.read(merchant, rejectionOf(file, references, where));
    assert.equal(report["known"], 2, JSON.stringify(report));
    assert.deepEqual(await statusesOf(payments), ["pending", "pending"]);
    // The same report about the file that was sent.
    await desk.read(merchant, rejectionOf(next, references.slice(0, 1)));
    assert.deepEqual(await statusesOf(payments), ["declined", "pending"]);
    const [, other = ""] = references;
    await desk.booked(merchant, [["collection", { amount: "19.90", endToEndId: other }]], "2026-11-26");
    assert.deepEqual(await statusesOf(payments), ["declined", "approved"]);
    const late = await desk.read(merchant, rejectionOf(file, [other]));
    assert.equal(late["report"]["unmatched"], 1, "a person decides about money that arrived");
    assert.deepEqual(await statusesOf(payments), ["declined", "approved"]);
  });

test("a report that rejects a refund in a withdrawn file does not reject it in the file that was sent since", async () => {
  const { merchant, payments } = await desk.refundable();
  const { body: refund } = await desk.refund(merchant, payments[0]);
  await desk.moveTo(merchant, "2026-12-04T12:00:00Z");
  const file = (await files(merchant)).at(-1) ?? {};
  await content(service, merchant, file["id"]);
  await command(merchant, file, "withdraw");
  await desk.moveTo(merchant, "2026-12-07T12:00:00Z");
  const next = (await files(merchant)).at(-1) ?? {};
  assert.deepEqual([next["kind"], next["id"] === file["id"]], ["pain.001", false]);
  await markSent(service, merchant, next["id"]);
  const statusNow = async () => (await desk.refunds(merchant, payments[0]))[0]?.["status"];
  await desk.read(merchant, rejectionOf(file, [referenceOf(refund)]));
  assert.equal(await statusNow(), "pending");
  await desk.read(merchant, rejectionOf(next, [referenceOf(refund)]));
  assert.equal(await statusNow(), "declined");
});

/**
 * Two debits of a file withdrawn by mistake. The first of them must no longer be collected. @param how how that came
 * about.
 */
async function endedAfterMistake(how: "cancelled" | "stopped") {
  const merchant = await bankMerchant(service);
  const terms = { billing_type: "RECURRING", billing_frequency: "WEEKLY" };
  const bought = await payAt(merchant, terms);
  await desk.moveTo(merchant, "2026-11-23T12:00:00Z");
  const [first = {}] = await files(merchant);
  await markSent(service, merchant, first["id"]);
  await desk.booked(
    merchant,
    [["collection", { amount: "19.90", endToEndId: referenceOf(bought) }]],
    "2026-11-25",
  );
  await desk.moveTo(merchant, "2026-11-30T08:30:00Z");
  const other = await payAt(merchant);
  await desk.moveTo(merchant, "2026-11-30T14:00:00Z");
  const [renewal = {}] = await service.rows(
    "select id, merchant_transaction_id from transactions where subscription_id = $1 and type = 'sdd_rebill'",
    [bought["subscription"].id],
  );
  const file = (await files(merchant)).find(({ status }) => status === "ready") ?? {};
  assert.equal(file["transactions"], 2);
  await content(service, merchant, file["id"]);
  await command(merchant, file, "withdraw");
  const path =
    how === "cancelled"
      ? `management/subscriptions/${bought["subscription"].id}/cancel/`
      : `management/transactions/${renewal["id"]}/cancel/`;
  const ended = await service.post(path, {}, { key: merchant.key });
  assert.equal(ended.status, 200, ended.text);
  await desk.moveTo(merchant, "2026-12-01T10:00:00Z");
  const reference: string = renewal["merchant_transaction_id"];
  const [{ state } = {}] = await service.rows("select state from sepa_collections where reference = $1", [
    reference,
  ]);
  assert.equal(state, how === "cancelled" ? "fenced" : "rejected");
  return { merchant, renewal, other, reference, blockId: `${file["message_id"]}-1` };
}

test("reinstating an attempt of a cancelled renewal leaves the earlier attempt failed", async () => {
  const merchant = await bankMerchant(service);
  const key = { key: merchant.key };
  const bought = await payAt(merchant, { billing_type: "RECURRING", billing_frequency: "MONTHLY" });
  const { id } = bought["subscription"];
  await desk.moveTo(merchant, "2026-11-23T12:00:00Z");
  await markSent(service, merchant, (await files(merchant))[0]?.["id"]);
  const collected = { amount: "19.90", endToEndId: referenceOf(bought) };
  await desk.booked(merchant, [["collection", collected]], "2026-11-25");
  const attempts = () =>
    service.rows(
      "select id, merchant_transaction_id as reference from transactions where subscription_id = $1 and type = 'sdd_rebill' order by created_at",
      [id],
    );
  const newestFile = async (day: string) => {
    await desk.moveTo(merchant, `${day}T08:30:00Z`);
    await desk.moveTo(merchant, `${day}T14:00:00Z`);
    return (await files(merchant)).at(-1) ?? {};
  };
  const first = await newestFile("2026-12-23");
  await markSent(service, merchant, first["id"]);
  const messageId = first["message_id"] as string;
  const reference: string = (await attempts())[0]?.["reference"];
  const refused = [{ names: { OrgnlEndToEndId: reference }, status: "RJCT", reason: "AM04" }];
  await desk.read(
    merchant,
    statusReport({ messageId, name: "pain.008.001.08" }, [{ id: `${messageId}-1`, transactions: refused }]),
  );
  await desk.moveTo(merchant, "2026-12-24T08:00:00Z");
  const [cycle] = await service.rows(
    "select status from billing_cycles where subscription_id = $1 order by cycle desc limit 1",
    [id],
  );
  assert.equal(cycle?.["status"], "retry");
  const second = await newestFile("2026-12-30");
  assert.notEqual(second["id"], first["id"]);
  await content(service, merchant, second["id"]);
  await command(merchant, second, "withdraw");
  const ended = await service.post(`management/subscriptions/${id}/cancel/`, {}, key);
  assert.equal(ended.status, 200, ended.text);
  await desk.moveTo(merchant, "2026-12-30T18:00:00Z");
  const [, retried = {}] = await attempts();
  const counts = async () => {
    const { body } = await service.get(`management/subscriptions/${id}/`, key);
    return [body["successful_billing_count"], body["failed_billing_count"], body["total_revenue"]];
  };
  assert.deepEqual([await statusesOf([retried]), await counts()], [["declined"], [0, 1, "19.90"]]);
  const arrived = { amount: "19.90", endToEndId: retried["reference"] as string };
  await desk.booked(merchant, [["collection", arrived]], "2026-12-31");
  const [entry = {}] = await treasury.unmatched(service, merchant);
  const body = { action: "reinstate", transaction_id: retried["id"] };
  assert.equal((await treasury.resolve(service, merchant, entry["id"], body)).status, 200);
  assert.deepEqual([await statusesOf([retried]), await counts()], [["approved"], [1, 1, "39.80"]]);
});

for (const how of ["cancelled", "stopped"] as const) {
  test(`a person can reinstate a renewal that was ${how} after its file was withdrawn by mistake, if the bank books it nevertheless`, async () => {
    const { merchant, renewal, reference } = await endedAfterMistake(how);
    const { report } = await desk.booked(
      merchant,
      [["collection", { amount: "19.90", endToEndId: reference }]],
      "2026-12-01",
    );
    assert.equal(report["unmatched"], 1, JSON.stringify(report));
    const attention = await service.get("management/needs-attention/", { key: merchant.key });
    assert.match(attention.text, /"kind":"unmatched_entries","count":1/);
    const [entry = {}] = await treasury.unmatched(service, merchant);
    const resolve = (action: string) =>
      treasury.resolve(service, merchant, entry["id"], { action, transaction_id: renewal["id"] });
    const refused = await resolve("apply");
    assert.equal(refused.status, 409, refused.text);
    assert.match(refused.text, /use the action reinstate/);
    assert.deepEqual(await statusesOf([renewal]), ["declined"]);
    const reinstated = await resolve("reinstate");
    assert.equal(reinstated.status, 200, reinstated.text);
    assert.deepEqual(await statusesOf([renewal]), ["approved"]);
    await desk.moveTo(merchant, "2026-12-02T12:00:00Z");
    const left = await service.rows(
      "select state from sepa_collections where reference = $1 and state <> 'settled'",
      [reference],
    );
    assert.deepEqual(left, [], "it goes into no other file");
    // A return of it is handled like any other return.
    await desk.booked(
      merchant,
      [["return", { amount: "19.90", reason: "AM04", endToEndId: reference }]],
      "2026-12-03",
    );
    assert.deepEqual(await statusesOf([renewal]), ["charged_back"]);
  });

  test(`a sum with a renewal that was ${how} after its file was withdrawn by mistake waits for a person, who names its payments`, async () => {
    const { merchant, renewal, other, blockId } = await endedAfterMistake(how);
    const { report } = await desk.read(merchant, sumOf("39.80", { "Btch/PmtInfId": blockId }, "2026-12-01"));
    assert.equal(report["unmatched"], 1, JSON.stringify(report));
    assert.deepEqual(await statusesOf([renewal, other]), ["declined", "pending"]);
    const [entry = {}] = await treasury.unmatched(service, merchant);
    const ids = [renewal["id"], other["transaction"].id];
    const settled = await treasury.resolve(service, merchant, entry["id"], {
      action: "settle",
      transaction_ids: ids,
    });
    assert.equal(settled.status, 200, settled.text);
    assert.deepEqual(await statusesOf([renewal, other]), ["approved", "approved"]);
  });
}

for (const first of ["the withdrawal", "the reading"] as const)
  test(`a file that has become too late, ${first} first, is not withdrawn while a sum of its instructions is read`, async () => {
    const { merchant, payments, blockId } = await withdrawnByMistake();
    await desk.moveTo(merchant, "2026-11-24T12:00:00Z");
    const [next = {}] = await files(merchant);
    const seen = { why: "", settled: 0 };
    const withdrawal = async () => {
      const path = `management/sepa-files/${next["id"]}/content/`;
      seen.why = (await service.get(path, { key: merchant.key })).text;
    };
    const reading = async () => {
      seen.settled = (await desk.read(merchant, sumOf("39.80", { "Btch/PmtInfId": blockId })))["report"][
        "settled"
      ];
    };
    const isRead = first === "the reading";
    // Without a pass of the jobs, which would withdraw the file.
    clock.advance(2 * DAY_MS);
    await race
      .atOnce(service, isRead ? reading : withdrawal, isRead ? withdrawal : reading)
      .finally(() => clock.advance(-2 * DAY_MS));
    assert.match(
      seen.why,
      isRead
        ? /due date 2026-11-26\. One of the bank's files is being read: try again when that has ended\./
        : /due date 2026-11-26\. It was withdrawn; its instructions go into the next file\./,
    );
    assert.equal(seen.settled, 1);
    assert.deepEqual(await statusesOf(payments), ["approved", "approved"]);
    assert.equal((await files(merchant)).length, isRead ? 1 : 0);
  });

for (const what of ["downloaded", "marked as sent"] as const)
  for (const first of ["the person", "the reading"] as const)
    test(`if a file is ${what} while a booking is read that names the withdrawn file of its debit, ${first} first, it is held or a person is told that the bank has both`, async () => {
      const { merchant, references, payments, blockId, ofFirst, ofSecond } = await splitAfterMistake();
      let answer = { status: 0, text: "" };
      const path = `management/sepa-files/${ofFirst["id"]}`;
      const key = { key: merchant.key };
      const giving = async () => {
        answer =
          what === "downloaded"
            ? await service.get(`${path}/content/`, key)
            : await service.post(`${path}/mark-sent/`, undefined, key);
      };
      const entry = bookedUnder(references, { PmtInfId: blockId });
      const reading = () => desk.read(merchant, bankFile("camt.053", [entry]));
      const isGiven = first === "the person";
      await race.atOnce<unknown, unknown>(service, isGiven ? giving : reading, isGiven ? reading : giving);
      assert.equal(answer.status, isGiven ? 200 : 409, answer.text);
      if (!isGiven) assert.match(answer.text, /"One of the bank's files is being read: try again when that/);
      assert.deepEqual(await statusesOf(payments), ["approved", "pending"]);
      if (what === "downloaded" && isGiven) await command(merchant, ofFirst, "mark-sent");
      const open = await treasury.unmatched(service, merchant);
      assert.equal(open.length, isGiven ? 1 : 0, "the bank has both");
      assert.equal(
        (await files(merchant)).find(({ id }) => id === ofFirst["id"])?.["status"],
        isGiven ? "sent" : "ready",
      );
      assert.deepEqual(
        [isGiven || (await isHeld(merchant, ofFirst)), await isHeld(merchant, ofSecond)],
        [true, true],
      );
    });

test("while a bank's file is read, a file that was marked as sent before is answered as such", async () => {
  const { merchant, file, references } = await desk.batched();
  await markSent(service, merchant, file["id"]);
  const entry = ["collection", { amount: "19.90", endToEndId: references[0] ?? "" }] as const;
  const reading = () => desk.booked(merchant, [entry]);
  await race.atOnce(service, reading, () => markSent(service, merchant, file["id"]));
});

for (const first of ["the withdrawal", "the decision"] as const)
  test(`a person's decision that the bank has a debit of a file withdrawn by mistake holds the other one, whose file has become too late, ${first} first`, async () => {
    const { merchant, payments, references, ofSecond } = await splitAfterMistake();
    // It names no file, so until it is decided it holds none.
    const { report } = await desk.booked(
      merchant,
      [["collection", { amount: "19.90", endToEndId: "unknown" }]],
      "2026-11-24",
    );
    assert.equal(report["unmatched"], 1, JSON.stringify(report));
    const [entry = {}] = await treasury.unmatched(service, merchant);
    const seen = { why: "", decision: 0 };
    const withdrawal = async () => {
      const path = `management/sepa-files/${ofSecond["id"]}/content/`;
      seen.why = (await service.get(path, { key: merchant.key })).text;
    };
    const decision = async () => {
      const body = { action: "settle", transaction_ids: [payments[0]?.["transaction"].id] };
      const answer = await treasury.resolve(service, merchant, entry["id"], body);
      seen.decision = answer.status;
    };
    const isDecided = first === "the decision";
    // Later than the decision begins, and before it has the lock of reading, or before it commits.
    const second = () => {
      clock.advance(SECOND_MS);
      return withdrawal();
    };
    // Without a pass of the jobs, which would withdraw the file.
    clock.advance(2 * DAY_MS);
    if (!isDecided) interruption = { statement: "sepa_files.lock_reading", work: second };
    await (isDecided ? race.atOnce(service, decision, second) : decision()).finally(() => {
      clock.advance(-2 * DAY_MS);
    });
    assert.match(seen.why, isDecided ? /One of the bank's files is being read/ : /It was withdrawn/);
    assert.equal(seen.decision, 200);
    await desk.moveTo(merchant, "2026-11-27T12:00:00Z");
    const [, now] = await filesOf(merchant, references);
    assert.equal(now["id"] === ofSecond["id"], isDecided);
    assert.equal(await isHeld(merchant, now), true);
  });

test("a file that has become too late is held, not withdrawn, if a sum of its instructions is read during the check", async () => {
  const { merchant, payments, blockId } = await withdrawnByMistake();
  await desk.moveTo(merchant, "2026-11-24T12:00:00Z");
  const [next = {}] = await files(merchant);
  interruption = {
    statement: "sepa_files.try_reading",
    work: () => desk.read(merchant, sumOf("39.80", { "Btch/PmtInfId": blockId })),
  };
  clock.advance(2 * DAY_MS);
  const held = await service
    .get(`management/sepa-files/${next["id"]}/content/`, { key: merchant.key })
    .finally(() => clock.advance(-2 * DAY_MS));
  assert.equal(interruption, null, "it was read meanwhile");
  assert.match(held.text, /This file is not sent: the bank has reported on instructions in it/);
  assert.deepEqual(await statusesOf(payments), ["approved", "approved"]);
  assert.equal((await files(merchant)).length, 1, "it waits for a person");
});
