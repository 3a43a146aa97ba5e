/**
 * Files that the bank received after the backup was made: their instructions are not sent again, and unknown ones are
 * listed.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { checkBooks } from "../src/books/check.ts";
import { manualClock } from "../src/lib/clock.ts";
import { COMMAND_LINE } from "../src/management/audit/audit.ts";
import { collectNow, recordLostFiles } from "../src/gateways/sepa-batch/commands.ts";
import { readSentFile } from "../src/sepa/messages/reading/sent-file.ts";
import {
  bankMerchant,
  bankOf,
  camt,
  content,
  markSent,
  outgoing,
  payAt,
  uploadFile,
  type BankMerchant,
} from "./support/sepa-bank.ts";
import { deskOf } from "./support/sepa-desk.ts";
import { startService, type Json, type Service } from "./support/service.ts";
import * as treasury from "./support/treasury.ts";
import { bankEntry, bankFile } from "./sepa/messages.ts";

/** A Monday on which banks settle, before the cut-off. */
const MONDAY = new Date("2026-11-23T08:00:00Z");
const LOST = "TXN-20261123-LOST2345";

let service: Service;
let folder: string;
before(async () => {
  service = await startService({ clock: manualClock(MONDAY) });
  folder = await mkdtemp(join(tmpdir(), "payment-sessions-lost-"));
});
after(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const referenceOf = (paid: Json): string => paid["transaction"]["merchant_transaction_id"];

/** A merchant with this many payments in a file that the bank has. */
async function sent(
  count: number,
): Promise<{ merchant: BankMerchant; references: string[]; xml: string; file: Json }> {
  const merchant = await bankMerchant(service);
  const references: string[] = [];
  for (let n = 0; n < count; n += 1) references.push(referenceOf(await payAt(merchant)));
  await collectNow(service.app.deps, merchant.accountId);
  const [file = {}] = await outgoing(service, merchant);
  return { merchant, references, xml: await content(service, merchant, file["id"]), file };
}

/** Restores the books to their state before the file, as from a backup. */
async function forget({ accountId }: BankMerchant): Promise<void> {
  await service.rows(
    `update sepa_collections set state = 'accepted', file_id = null, block_id = null, due_date = null, sequence_type = null,
            mandate_id = null, scheme = null, creditor_name = null, creditor_identifier = null where gateway_id = $1`,
    [accountId],
  );
  await service.rows("delete from sepa_files where gateway_id = $1", [accountId]);
}

async function record({ accountId }: BankMerchant, xml: string) {
  const path = join(folder, `${accountId}-${Math.random()}.xml`);
  await writeFile(path, xml);
  const given = { messageIds: [], paths: [path] };
  return recordLostFiles(service.app.deps, COMMAND_LINE, accountId, given);
}

function recordMessage({ accountId }: BankMerchant, messageId: string) {
  const given = { messageIds: [messageId], paths: [] };
  return recordLostFiles(service.app.deps, COMMAND_LINE, accountId, given);
}

const isIn = async (merchant: BankMerchant): Promise<Record<string, string>> => {
  const rows = await service.rows(
    `select c.reference, coalesce(f.message_id, c.state) as place from sepa_collections c
       left join sepa_files f on f.tenant = c.tenant and f.id = c.file_id where c.gateway_id = $1`,
    [merchant.accountId],
  );
  return Object.fromEntries(rows.map((row) => [row["reference"], row["place"]]));
};

test("a recorded lost file's waiting instructions are not sent again, its unknown ones are listed, and the bank's news about it is applied", async () => {
  const { merchant, references, xml, file } = await sent(4);
  const [a = "", b = "", c = "", d = ""] = references;
  await forget(merchant);
  await service.rows("update sepa_collections set amount = amount + 1 where reference = $1", [d]);
  const atBank = xml.replaceAll(c, LOST);
  const { text, complete } = await record(merchant, atBank);
  assert.equal(complete, false);
  assert.match(text, /was not known, is recorded as sent\. 2 that waited are in it/);
  assert.match(text, new RegExp(`${LOST} .* is not known here`));
  assert.match(text, new RegExp(`${d} .* is of .* EUR here`));
  assert.doesNotMatch(text, /DE62|Example/, "neither accounts nor names");
  const [known = {}] = await outgoing(service, merchant);
  for (const field of ["message_id", "name", "kind", "due_date"])
    assert.equal(known[field], file[field], field);
  assert.deepEqual([known["transactions"], known["amount"]], [2, "39.80"], "what the books have of it");
  assert.match(known["error"], new RegExp(`The bank has 2 more .*${LOST} is not known here`));
  assert.equal(known["status"], "sent");
  assert.ok(known["sent_at"]);
  assert.equal(await content(service, merchant, known["id"]), atBank);

  const again = await record(merchant, atBank);
  assert.match(again.text, /was sent, is recorded as sent\. 0 that waited/);
  const audit = await service.rows(
    "select action, actor, after from audit_log where resource = 'sepa-files' and resource_id = $1 and action <> 'export'",
    [known["id"]],
  );
  assert.deepEqual(audit, [
    {
      action: "create",
      actor: "operator",
      after: { status: "sent", message_id: known["message_id"], taken: 2, odd: 2 },
    },
  ]);

  await service.rows("update sepa_collections set amount = amount - 1 where reference = $1", [d]);
  await service.rows("update sepa_accounts set last_number = last_number + 10000");
  await collectNow(service.app.deps, merchant.accountId);
  const next = (await outgoing(service, merchant)).at(-1)?.["message_id"];
  const first = known["message_id"];
  assert.deepEqual(await isIn(merchant), { [a]: first, [b]: first, [c]: next, [d]: next });
  const [row = {}] = await service.rows(
    "select block_id, sequence_type, mandate_id is not null as has_mandate, scheme, creditor_identifier, due_date from sepa_collections where reference = $1",
    [a],
  );
  assert.deepEqual(row, {
    block_id: `${first}-1`,
    sequence_type: "OOFF",
    has_mandate: true,
    scheme: "CORE",
    creditor_identifier: "DE98ZZZ09999999999",
    due_date: file["due_date"],
  });
  const { amount } = (await readSentFile(bytesOf(xml))).blocks[0]?.orders[0] ?? { amount: 0 };
  const returned = camt("camt.053", "2026-11-26", [
    ["return", { amount: (amount / 100).toFixed(2), endToEndId: a, reason: "AC04" }],
  ]);
  assert.equal((await uploadFile(service, merchant, returned)).status, 201);
  assert.equal(
    (await service.rows("select state from sepa_collections where reference = $1", [a]))[0]?.["state"],
    "returned",
  );
  assert.deepEqual((await checkBooks(service.app.deps.db)).differences, []);
});

test("a known file that is not recorded as sent is marked by its message id, and an upload of it loses its lease", async () => {
  const { merchant, file } = await sent(1);
  for (const status of ["ready", "stored", "uploading", "renaming", "unclear"]) {
    await service.rows(
      `update sepa_files set status = $2, sent_at = null, error = 'x',
              due_at = case when $2 in ('stored', 'uploading', 'renaming') then now() end where id = $1`,
      [file["id"], status],
    );
    const { text, complete } = await recordMessage(merchant, file["message_id"]);
    assert.deepEqual([complete, text.includes(`was ${status}, is recorded as sent`)], [true, true], text);
    const [row = {}] = await service.rows(
      "select status, sent_at, due_at, error, lease_no from sepa_files where id = $1",
      [file["id"]],
    );
    assert.deepEqual([row["status"], row["due_at"], row["error"]], ["sent", null, null]);
    assert.ok(row["sent_at"] && Number(row["lease_no"]) > 0);
  }
  const unknown = await recordMessage(merchant, "PSB-20261123-XXXX-000001");
  assert.deepEqual([unknown.complete, /not known here/.test(unknown.text)], [false, true]);
  for (const other of [await bankMerchant(service), await bankOf(service, merchant)])
    assert.equal((await recordMessage(other, file["message_id"])).complete, false, "another gateway's");
});

test("the audit log names the instructions that a recorded file removes from the queue, and has no entry for a repetition", async () => {
  const { merchant, file, xml, references } = await sent(2);
  await markSent(service, merchant, file["id"]);
  const entries = () =>
    service.rows(
      "select after ->> 'taken' as taken from audit_log where resource_id = $1 and after ? 'taken'",
      [file["id"]],
    );
  assert.equal((await record(merchant, xml)).complete, true);
  assert.deepEqual(await entries(), []);
  await service.rows(
    "update sepa_collections set state = 'accepted', file_id = null, block_id = null where reference = $1",
    [references[0]],
  );
  assert.equal((await record(merchant, xml)).complete, true);
  assert.deepEqual((await isIn(merchant))[references[0] ?? ""], file["message_id"]);
  assert.deepEqual(await entries(), [{ taken: "1" }]);
});

test("recording a withdrawn file that the bank has needs its content, and removes its instructions from the queue", async () => {
  const { merchant, file, xml, references } = await sent(2);
  const withdrawn = await service.post(`management/sepa-files/${file["id"]}/withdraw/`, undefined, {
    key: merchant.key,
  });
  assert.equal(withdrawn.body["status"], "withdrawn", withdrawn.text);
  assert.equal((await recordMessage(merchant, file["message_id"])).complete, false);
  assert.equal((await record(merchant, xml)).complete, true);
  const message = file["message_id"];
  assert.deepEqual(await isIn(merchant), Object.fromEntries(references.map((one) => [one, message])));
  // The file is no longer withdrawn, so a booking that names it needs no person.
  const names = { EndToEndId: references[0] ?? "", PmtInfId: `${message}-1` };
  const entry = bankEntry({ amount: "19.90", sign: "CRDT", date: "2026-11-25", names });
  const { report } = await treasury.read(service, merchant, bankFile("camt.053", [entry]));
  assert.equal(report["settled"], 1, JSON.stringify(report));
  assert.deepEqual(await treasury.unmatched(service, merchant), []);
});

test("if a lost file is recorded twice while the day's files are written, each instruction is in one file", async () => {
  const { merchant, references, xml } = await sent(6);
  await forget(merchant);
  await service.rows("update sepa_accounts set last_number = last_number + 10000");
  const [one, two] = await Promise.all([
    record(merchant, xml),
    record(merchant, xml),
    collectNow(service.app.deps, merchant.accountId),
  ]);
  const places = Object.values(await isIn(merchant));
  assert.equal(places.length, references.length);
  assert.ok(
    places.every((place) => place.startsWith("PSB-")),
    String(places),
  );
  const messages = new Set(places);
  assert.equal(messages.size, 1, "all of them");
  const late = !xml.includes([...messages][0] ?? "none");
  for (const { text, complete } of [one, two]) {
    assert.equal(complete, !late);
    if (late) assert.match(text, /is in PSB-.* too \(ready\): withdraw that/);
  }
});

test("a file that is not one of this account's orders, or was cut or edited, changes nothing", async () => {
  const { merchant, xml } = await sent(2);
  await forget(merchant);
  const amount = /<InstdAmt Ccy="EUR">[^<]*</.exec(xml)?.[0] ?? "";
  for (const [wrong, words] of [
    [
      xml.replaceAll("DE89370400440532013000", "DE02120300000000202051"),
      /account that this gateway has never used/,
    ],
    [xml.replace(/<DrctDbtTxInf>.*?<\/DrctDbtTxInf>/s, ""), /number of orders or their sum/],
    [xml.replace(amount, '<InstdAmt Ccy="EUR">1.23<'), /number of orders or their sum/],
    [xml.replaceAll("<NbOfTxs>2<", "<NbOfTxs>3<"), /number of orders or their sum/],
    [xml.replaceAll('Ccy="EUR"', 'Ccy="CHF"'), /not one in euro/],
    [xml.slice(0, -40), /./],
    [xml.replace("pain.008", "camt.053"), /not a file of direct debits/],
  ] as const)
    await assert.rejects(record(merchant, wrong), words);
  assert.deepEqual(await outgoing(service, merchant), []);
  assert.deepEqual(new Set(Object.values(await isIn(merchant))), new Set(["accepted"]));
});

test("each instruction of a recorded file has its block's due date, and a file with one wrong block changes nothing", async () => {
  const { merchant, references, xml, file } = await sent(2);
  const [first = "", second = ""] = [...xml.matchAll(/<EndToEndId>([^<]*)</g)].map(([, one]) => one);
  assert.deepEqual(new Set([first, second]), new Set(references));
  await forget(merchant);
  const split = inTwoBlocks(xml, file["due_date"], "2026-12-01");
  const at = split.lastIndexOf("<PmtInf>");
  const [before, last] = [split.slice(0, at), split.slice(at)];
  for (const [wrong, words] of [
    [
      before + last.replace("DE89370400440532013000", "DE02120300000000202051"),
      /account that this gateway has never used/,
    ],
    [before + last.replace("<NbOfTxs>1<", "<NbOfTxs>2<"), /number of orders or their sum/],
    [before + last.replace(/<CtrlSum>[^<]*</, "<CtrlSum>1.23<"), /number of orders or their sum/],
  ] as const)
    await assert.rejects(record(merchant, wrong), words);
  assert.deepEqual(await outgoing(service, merchant), []);
  assert.equal((await record(merchant, split)).complete, true);
  const rows = await service.rows(
    "select reference, due_date, block_id from sepa_collections where gateway_id = $1 order by block_id",
    [merchant.accountId],
  );
  const id = file["message_id"];
  assert.deepEqual(rows, [
    { reference: first, due_date: file["due_date"], block_id: `${id}-1` },
    { reference: second, due_date: "2026-12-01", block_id: `${id}-2` },
  ]);
});

test("a debit in the file with a refund's id is listed, and the refund still waits", async () => {
  const { merchant, references, xml } = await sent(2);
  const [debit = "", refund = ""] = references;
  await forget(merchant);
  await service.rows("update sepa_collections set refund_of = $1 where reference = $2", [debit, refund]);
  const { text, complete } = await record(merchant, xml);
  assert.equal(complete, false);
  assert.match(text, new RegExp(`${refund} .* is of another kind here`));
  assert.equal((await isIn(merchant))[refund], "accepted");
});

test("refunds in a lost file of transfers are not sent again either", async () => {
  const { merchant, xml: debits, references } = await sent(1);
  const [reference = ""] = references;
  const order = (await readSentFile(bytesOf(debits))).blocks[0]?.orders[0];
  const amount = ((order?.amount ?? 0) / 100).toFixed(2);
  const settled = camt("camt.053", "2026-11-26", [["collection", { amount, endToEndId: reference }]]);
  assert.equal((await uploadFile(service, merchant, settled)).status, 201);
  // A bank can return the debit for some days, during which it is not refunded.
  await service.rows("update sepa_collections set settled_on = '2026-11-09' where reference = $1", [
    reference,
  ]);
  const [transaction = {}] = await service.rows(
    "select id from transactions where merchant_transaction_id = $1",
    [reference],
  );
  const refund = await service.post(
    `management/transactions/${transaction["id"]}/refunds/`,
    { amount: "1.00" },
    { key: merchant.key },
  );
  assert.ok(refund.status < 300, refund.text);
  await service.rows("update sepa_collections set not_before = $1 where gateway_id = $2", [
    MONDAY,
    merchant.accountId,
  ]);
  await collectNow(service.app.deps, merchant.accountId);
  const transfers = (await outgoing(service, merchant)).find((file) => file["kind"] === "pain.001") ?? {};
  const xml = await content(service, merchant, transfers["id"]);
  await service.rows(
    "update sepa_collections set state = 'accepted', file_id = null, block_id = null, due_date = null where file_id = $1",
    [transfers["id"]],
  );
  await service.rows("delete from sepa_files where id = $1", [transfers["id"]]);
  const { text, complete } = await record(merchant, xml);
  assert.equal(complete, true, text);
  assert.match(text, /1 that waited are in it/);
  await collectNow(service.app.deps, merchant.accountId);
  const kinds = (await outgoing(service, merchant)).map((file) => file["kind"]);
  assert.deepEqual(new Set(kinds), new Set(["pain.001", "pain.008"]), "nothing more is written");
  assert.equal(kinds.length, 2);
});

test("a recorded lost file of reversals is due on their last day, not on the due date of their debits", async () => {
  const desk = deskOf(service);
  const { merchant, payments, references, file } = await desk.batched(1, { reversal_days: 5 });
  await markSent(service, merchant, file["id"]);
  await desk.booked(merchant, [["collection", { amount: "19.90", endToEndId: references[0] ?? "" }]]);
  await desk.moveTo(merchant, "2026-11-26T08:00:00Z");
  const { body: refund } = await desk.refund(merchant, payments[0], { way: "reversal" });
  await desk.moveTo(merchant, "2026-11-26T12:00:00Z");
  const reversals = (await outgoing(service, merchant)).at(-1) ?? {};
  assert.equal(reversals["kind"], "pain.007");
  const xml = await content(service, merchant, reversals["id"]);
  await service.rows(
    "update sepa_collections set state = 'accepted', file_id = null, block_id = null, due_date = null where file_id = $1",
    [reversals["id"]],
  );
  await service.rows("delete from sepa_files where id = $1", [reversals["id"]]);
  const { text, complete } = await record(merchant, xml);
  assert.equal(complete, true, text);
  const known = (await outgoing(service, merchant)).at(-1) ?? {};
  assert.deepEqual([known["status"], known["due_date"]], ["sent", reversals["due_date"]]);
  const { state, due_date: due } = await desk.instruction(refund);
  assert.deepEqual([state, due], ["batched", "2026-12-02"]);
});

async function* bytesOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

/** Turns a file of one block and two orders into one with a block for each; the second block has another due date. */
function inTwoBlocks(xml: string, dueDate: string, otherDate: string): string {
  const [block = "", head = "", one = "", two = ""] =
    /(<PmtInf>.*?)(<DrctDbtTxInf>.*?<\/DrctDbtTxInf>)\s*(<DrctDbtTxInf>.*?<\/DrctDbtTxInf>)\s*<\/PmtInf>/s.exec(
      xml,
    ) ?? [];
  const alone = (order: string): string => {
    const amount = /<InstdAmt Ccy="EUR">([^<]*)</.exec(order)?.[1] ?? "";
    const counted = head.replace(/<NbOfTxs>\d+</, "<NbOfTxs>1<");
    return `${counted.replace(/<CtrlSum>[^<]*</, `<CtrlSum>${amount}<`)}${order}</PmtInf>`;
  };
  const other = alone(two).replace(dueDate, otherDate).replace("-1</PmtInfId>", "-2</PmtInfId>");
  return xml.replace(block, `${alone(one)}${other}`);
}
