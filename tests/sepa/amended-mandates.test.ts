/**
 * The data of a mandate in files: FRST in the first one, and amendments until the bank has accepted a file with them.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Calls } from "../../src/db/database.ts";
import { manualClock } from "../../src/lib/clock.ts";
import { assertBooksAgree } from "../support/books.ts";
import { bankMerchant, content, outgoing, pain002, payAt, type BankMerchant } from "../support/sepa-bank.ts";
import { deskOf, referenceOf } from "../support/sepa-desk.ts";
import { startService, type Json, type Service } from "../support/service.ts";
import { resolve, unmatched } from "../support/treasury.ts";

const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
/** Runs once, after the first run of the named statement. */
let meanwhile: { readonly after: string; readonly happens: () => Promise<void> } | null = null;
let service: Service;
let desk: ReturnType<typeof deskOf>;

before(async () => {
  const between = (db: Calls): Calls => ({
    ...db,
    transaction: (work) =>
      db.transaction((tx) =>
        work({
          ...tx,
          async query(statement, values) {
            const rows = await tx.query(statement, values);
            if (statement.name === meanwhile?.after && rows.length > 0) {
              const { happens } = meanwhile;
              meanwhile = null;
              await happens();
            }
            return rows;
          },
        }),
      ),
  });
  service = await startService({ clock, between });
  desk = deskOf(service);
});
after(async () => {
  await assertBooksAgree(service.db).finally(() => service.close());
});

const YEARLY = { billing_type: "RECURRING", billing_frequency: "YEARLY" };
const WEEKLY = { billing_type: "RECURRING", billing_frequency: "WEEKLY" };

/** The texts of all files that a day's run has written. */
async function filesOf(merchant: BankMerchant, day: string): Promise<string> {
  const before = (await outgoing(service, merchant)).length;
  await desk.moveTo(merchant, `${day}T10:00:00Z`);
  await desk.moveTo(merchant, `${day}T12:00:00Z`);
  const files = (await outgoing(service, merchant)).slice(before);
  return (await Promise.all(files.map((file) => content(service, merchant, file["id"])))).join("\n");
}

async function mandateOf(merchant: BankMerchant): Promise<Json> {
  const list = await service.get("management/mandates/", { key: merchant.key });
  return list.body["results"].at(-1);
}

async function amend(merchant: BankMerchant, body: object): Promise<void> {
  const { id } = (await mandateOf(merchant)) as { id: string };
  const { status, text } = await service.post(`management/mandates/${id}/amend/`, body, {
    key: merchant.key,
  });
  assert.equal(status, 200, text);
}

/**
 * Pays on the merchant's first mandate. A renewal is not used, because its day depends on the outcome of the previous
 * one.
 */
async function payAgain(merchant: BankMerchant, first: Json): Promise<void> {
  const again = await payAt(merchant, YEARLY);
  await service.rows(
    "update transactions set mandate_id = (select mandate_id from transactions where id = $1) where id = $2",
    [first["transaction"].id, again["transaction"].id],
  );
}

const types = (xml: string) => [...xml.matchAll(/<SeqTp>(\w+)</g)].map(([, type]) => type);
const first = (xml: string, tag: string) => new RegExp(`<${tag}>([^<]+)<`).exec(xml)?.[1] ?? "";

async function settle(merchant: BankMerchant, xml: string, day: string): Promise<void> {
  await desk.booked(
    merchant,
    [["collection", { amount: "19.90", endToEndId: first(xml, "EndToEndId") }]],
    day,
  );
}

/** A mandate that the bank knows: its first debit has settled. */
async function debited(terms: Json): Promise<{ readonly merchant: BankMerchant; readonly payment: Json }> {
  const merchant = await bankMerchant(service);
  const payment = await payAt(merchant, terms);
  await settle(merchant, await filesOf(merchant, "2026-11-23"), "2026-11-25");
  return { merchant, payment };
}

async function reject(merchant: BankMerchant, xml: string, day: string, level: string): Promise<void> {
  const messageId = first(xml, "MsgId");
  const report = {
    file: pain002(day, { messageId, groupStatus: "RJCT" }),
    block: pain002(day, { messageId }, [{ id: `${messageId}-1`, status: "RJCT", reason: "FF10" }]),
    transaction: pain002(day, { messageId }, [
      { id: `${messageId}-1`, transactions: [{ endToEndId: first(xml, "EndToEndId"), reason: "FF10" }] },
    ]),
  }[level];
  await desk.read(merchant, report ?? "");
}

// Holds MANDATE-4.
test("of two first debits of a mandate in one run, the first is FRST and the other RCUR", async () => {
  const merchant = await bankMerchant(service, { first_sequence_type: "FRST" });
  await payAt(merchant, WEEKLY);
  // The renewal is accepted before the first payment has gone out, as with a long pre-notification.
  await service.rows("update sepa_collections set not_before = '2026-12-02' where gateway_id = $1", [
    merchant.accountId,
  ]);
  const xml = await filesOf(merchant, "2026-11-30");
  assert.equal(xml.match(/<DrctDbtTxInf>/g)?.length, 2);
  assert.deepEqual(types(xml), ["FRST", "RCUR"]);
});

test("a mandate whose reference was amended continues its series", async () => {
  const merchant = await bankMerchant(service, { first_sequence_type: "FRST" });
  await payAt(merchant, WEEKLY);
  assert.deepEqual(types(await filesOf(merchant, "2026-11-23")), ["FRST"]);
  await amend(merchant, { reference: `NEW-${merchant.accountId.slice(-8)}` });
  const xml = await filesOf(merchant, "2026-11-30");
  assert.deepEqual(types(xml), ["RCUR"]);
  assert.match(xml, /<OrgnlMndtId>MND-/);
});

test("after a rejected first debit the next debit is the first one again", async () => {
  const merchant = await bankMerchant(service, { first_sequence_type: "FRST" });
  await payAt(merchant, WEEKLY);
  const xml = await filesOf(merchant, "2026-11-23");
  await reject(merchant, xml, "2026-11-24", "transaction");
  // The rejection has ended the subscription, so another payment on the mandate is created directly.
  const again = await payAt(merchant, WEEKLY);
  await service.rows(
    "update transactions set mandate_id = (select mandate_id from transactions where merchant_transaction_id = $1) where id = $2",
    [first(xml, "EndToEndId"), again["transaction"].id],
  );
  assert.deepEqual(types(await filesOf(merchant, "2026-11-30")), ["FRST"]);
  // The bank pays the first one after all. Both debits said FRST, and neither was wrong: `assertBooksAgree` below.
  const entry = { amount: "19.90", endToEndId: first(xml, "EndToEndId") };
  await desk.booked(merchant, [["collection", entry]], "2026-12-02");
  const [money] = await unmatched(service, merchant);
  const [payment] = await service.rows("select id from transactions where merchant_transaction_id = $1", [
    first(xml, "EndToEndId"),
  ]);
  const body = { action: "reinstate", transaction_id: payment?.["id"] };
  const answer = await resolve(service, merchant, money?.["id"], body);
  assert.equal(answer.status, 200, answer.text);
});

test("an imported mandate that was used elsewhere is RCUR, one that was not is FRST", async () => {
  for (const [used, expected] of [
    ["2026-10-01", "RCUR"],
    ["", "FRST"],
  ] as const) {
    const merchant = await bankMerchant(service, { first_sequence_type: "FRST" });
    const payment = await payAt(merchant, WEEKLY);
    const form = new FormData();
    const reference = `IMP-${merchant.accountId.slice(-8)}`;
    form.append(
      "file",
      new Blob([
        `reference,signed_on,holder_name,iban,email,last_used_on,creditor_name,creditor_identifier\n${reference},2026-09-01,Ada Example,DE62370400440532013001,${reference}@example.com,${used},Müller & Söhne GmbH,DE98ZZZ09999999999\n`,
      ]),
      "mandates.csv",
    );
    const answer = await globalThis.fetch(`${service.url}/api/v1/management/mandates/import/`, {
      method: "POST",
      headers: { authorization: `Bearer ${merchant.key}` },
      body: form,
    });
    assert.ok(answer.ok, await answer.clone().text());
    // No endpoint debits an imported mandate yet. One that does will use this run.
    await service.rows(
      "update transactions t set mandate_id = m.id from mandates m where m.tenant = t.tenant and m.reference = $1 and t.id = $2",
      [reference, payment["transaction"].id],
    );
    assert.deepEqual(types(await filesOf(merchant, "2026-11-23")), [expected]);
  }
});

for (const level of ["file", "block", "transaction"]) {
  test(`an amendment that was announced in a rejected ${level} is announced again`, async () => {
    const { merchant, payment } = await debited(YEARLY);
    const old = (await mandateOf(merchant))["reference"];
    await amend(merchant, { reference: `R1-${merchant.accountId.slice(-8)}` });
    const announced = new RegExp(`<OrgnlMndtId>${old}<`);
    await payAgain(merchant, payment);
    const second = await filesOf(merchant, "2026-11-30");
    assert.match(second, announced);
    await reject(merchant, second, "2026-12-01", level);
    await payAgain(merchant, payment);
    const third = await filesOf(merchant, "2026-12-07");
    assert.match(third, announced);
    await settle(merchant, third, "2026-12-09");
    await payAgain(merchant, payment);
    const fourth = await filesOf(merchant, "2026-12-14");
    assert.match(fourth, /<DrctDbtTxInf>/);
    assert.doesNotMatch(fourth, /AmdmntInd/);
  });
}

for (const level of ["file", "block", "transaction"]) {
  test(`an amendment whose first collection was in a rejected ${level} is announced again`, async () => {
    const merchant = await bankMerchant(service);
    const payment = await payAt(merchant, YEARLY);
    const old = (await mandateOf(merchant))["reference"];
    await amend(merchant, { reference: `F1-${merchant.accountId.slice(-8)}` });
    const announced = new RegExp(`<OrgnlMndtId>${old}<`);
    const first = await filesOf(merchant, "2026-11-23");
    assert.match(first, announced);
    await reject(merchant, first, "2026-11-24", level);
    await payAgain(merchant, payment);
    const second = await filesOf(merchant, "2026-11-30");
    assert.match(second, announced);
    await settle(merchant, second, "2026-12-02");
    await payAgain(merchant, payment);
    assert.doesNotMatch(await filesOf(merchant, "2026-12-07"), /AmdmntInd/);
  });
}

test("two changes, the first in an unanswered file: both files have the values that the bank knows", async () => {
  const { merchant, payment } = await debited(YEARLY);
  const known = (await mandateOf(merchant))["reference"];
  const [one, two] = [`A-${merchant.accountId.slice(-8)}`, `B-${merchant.accountId.slice(-8)}`];
  await amend(merchant, { reference: one });
  await payAgain(merchant, payment);
  const second = await filesOf(merchant, "2026-11-30");
  assert.match(second, new RegExp(`<MndtId>${one}<.*<OrgnlMndtId>${known}<`));
  await amend(merchant, { reference: two });
  await payAgain(merchant, payment);
  assert.match(await filesOf(merchant, "2026-12-07"), new RegExp(`<MndtId>${two}<.*<OrgnlMndtId>${known}<`));
  await settle(merchant, second, "2026-12-08");
  await payAgain(merchant, payment);
  assert.match(await filesOf(merchant, "2026-12-14"), new RegExp(`<MndtId>${two}<.*<OrgnlMndtId>${one}<`));
});

// Holds MANDATE-5.
test("a change that is taken back while the file with it is unanswered is reported: the bank may know the value between", async () => {
  const { merchant, payment } = await debited(YEARLY);
  const [own, other] = ["DE62370400440532013001", "DE89370400440532013000"];
  await amend(merchant, { iban: other });
  await nameCreditor(merchant, "Between GmbH");
  await payAgain(merchant, payment);
  const second = await filesOf(merchant, "2026-11-30");
  assert.match(second, /<OrgnlCdtrSchmeId><Nm>M[^<]*Soehne GmbH</);
  assert.match(second, new RegExp(`<OrgnlDbtrAcct><Id><IBAN>${own}<.*<DbtrAcct><Id><IBAN>${other}<`));
  await amend(merchant, { iban: own });
  await nameCreditor(merchant, "Müller & Söhne GmbH");
  await payAgain(merchant, payment);
  // Neither file is answered when the third debit goes out, so it reports the same again.
  for (const day of ["2026-12-07", "2026-12-14"]) {
    const next = await filesOf(merchant, day);
    assert.match(next, /<OrgnlCdtrSchmeId><Nm>Between GmbH</);
    assert.match(next, new RegExp(`<OrgnlDbtrAcct><Id><IBAN>${other}<.*<DbtrAcct><Id><IBAN>${own}<`));
    await payAgain(merchant, payment);
  }
});

test("of changes that are taken back, the one that an unanswered file has is reported, and no later one", async () => {
  const { merchant, payment } = await debited(YEARLY);
  await nameCreditor(merchant, "Between GmbH");
  await payAgain(merchant, payment);
  await filesOf(merchant, "2026-11-30");
  await amend(merchant, { creditor_name: "Never in a File GmbH" });
  await amend(merchant, { creditor_name: "Müller & Söhne GmbH" });
  await nameCreditor(merchant, "Müller & Söhne GmbH");
  await payAgain(merchant, payment);
  assert.match(await filesOf(merchant, "2026-12-07"), /<OrgnlCdtrSchmeId><Nm>Between GmbH</);
});

test("of two values in unanswered files that are taken back, the newer one is reported", async () => {
  const { merchant, payment } = await debited(YEARLY);
  const xmls: string[] = [];
  for (const [name, day] of [
    ["Between GmbH", "2026-11-30"],
    ["Later GmbH", "2026-12-07"],
    ["Müller & Söhne GmbH", "2026-12-14"],
  ] as const) {
    await nameCreditor(merchant, name);
    await payAgain(merchant, payment);
    xmls.push(await filesOf(merchant, day));
  }
  assert.deepEqual(
    xmls.map((xml) => /<OrgnlCdtrSchmeId><Nm>(\w+)/.exec(xml)?.[1]),
    ["Mueller", "Mueller", "Later"],
  );
});

test("while a file with another change is unanswered, a change that no file had is not reported once it is taken back", async () => {
  const { merchant, payment } = await debited(YEARLY);
  await amend(merchant, { reference: `T-${merchant.accountId.slice(-8)}` });
  await payAgain(merchant, payment);
  await filesOf(merchant, "2026-11-30");
  await amend(merchant, { iban: "DE89370400440532013000" });
  await amend(merchant, { iban: "DE62370400440532013001" });
  await payAgain(merchant, payment);
  const next = await filesOf(merchant, "2026-12-07");
  assert.match(next, /<OrgnlMndtId>MND-/);
  assert.doesNotMatch(next, /OrgnlDbtrAcct/);
});

test("a change that is taken back is not reported once the file with it is rejected, though a later file is unanswered", async () => {
  const { merchant, payment } = await debited(YEARLY);
  await amend(merchant, { iban: "DE89370400440532013000" });
  await payAgain(merchant, payment);
  const second = await filesOf(merchant, "2026-11-30");
  await amend(merchant, { iban: "DE62370400440532013001" });
  await payAgain(merchant, payment);
  assert.match(await filesOf(merchant, "2026-12-07"), /OrgnlDbtrAcct/);
  await reject(merchant, second, "2026-12-08", "file");
  await payAgain(merchant, payment);
  const next = await filesOf(merchant, "2026-12-14");
  assert.match(next, /<MndtId>/);
  assert.doesNotMatch(next, /AmdmntInd/);
});

test("an amendment after a change of the holder's name is reported until its file is accepted, and no longer", async () => {
  const { merchant, payment } = await debited(YEARLY);
  await amend(merchant, { holder_name: "Grace Example" });
  await amend(merchant, { iban: "DE89370400440532013000" });
  await payAgain(merchant, payment);
  const second = await filesOf(merchant, "2026-11-30");
  assert.match(second, /OrgnlDbtrAcct/);
  await settle(merchant, second, "2026-12-02");
  await payAgain(merchant, payment);
  assert.doesNotMatch(await filesOf(merchant, "2026-12-07"), /AmdmntInd/);
});

test("a change that is taken back after its file was rejected is not reported: the bank does not know it", async () => {
  const { merchant, payment } = await debited(YEARLY);
  await amend(merchant, { iban: "DE89370400440532013000" });
  await payAgain(merchant, payment);
  await reject(merchant, await filesOf(merchant, "2026-11-30"), "2026-12-01", "file");
  await amend(merchant, { iban: "DE62370400440532013001" });
  await payAgain(merchant, payment);
  const third = await filesOf(merchant, "2026-12-07");
  assert.match(third, /<MndtId>/);
  assert.doesNotMatch(third, /AmdmntInd/);
});

test("a change that is taken back before a file had it is not reported, also while the next file is unanswered", async () => {
  const { merchant, payment } = await debited(YEARLY);
  await amend(merchant, { iban: "DE89370400440532013000" });
  await amend(merchant, { iban: "DE62370400440532013001" });
  for (const day of ["2026-11-30", "2026-12-07"]) {
    await payAgain(merchant, payment);
    const xml = await filesOf(merchant, day);
    assert.match(xml, /<MndtId>/);
    assert.doesNotMatch(xml, /AmdmntInd/);
  }
});

test("a file announces another bank if the second of two account changes was to another bank", async () => {
  const { merchant } = await debited(WEEKLY);
  await amend(merchant, { iban: "DE35370400440532013002" });
  await amend(merchant, { iban: "NL91ABNA0417164300" });
  const xml = await filesOf(merchant, "2026-11-30");
  assert.match(xml, /SMNDA/);
});

test("a file that is being written when an account is amended debits the new account and announces the change", async () => {
  const { merchant } = await debited(WEEKLY);
  const [old, other] = ["DE62370400440532013001", "DE35370400440532013002"];
  meanwhile = { after: "sepa_files.waiting", happens: () => amend(merchant, { iban: other }) };
  const second = await filesOf(merchant, "2026-11-30");
  assert.match(second, new RegExp(`<OrgnlDbtrAcct><Id><IBAN>${old}<.*<DbtrAcct><Id><IBAN>${other}<`));
  assert.equal(second.match(/<DrctDbtTxInf>/g)?.length, 1);
});

async function nameCreditor(merchant: BankMerchant, name: string): Promise<void> {
  const path = `management/gateways/${merchant.accountId}/`;
  const { body } = await service.get(path, { key: merchant.key });
  const settings = { ...body["settings"], creditor_name: name };
  const renamed = await service.call("PATCH", path, { settings }, { key: merchant.key });
  assert.equal(renamed.status, 200, renamed.text);
}

test("a file that announces a new creditor when an account is amended debits the new account and announces both changes", async () => {
  const { merchant } = await debited(WEEKLY);
  await nameCreditor(merchant, "Müller Nachfolger GmbH");
  const [old, other] = ["DE62370400440532013001", "DE35370400440532013002"];
  meanwhile = { after: "sepa_files.waiting", happens: () => amend(merchant, { iban: other }) };
  const second = await filesOf(merchant, "2026-11-30");
  assert.match(second, /<OrgnlCdtrSchmeId><Nm>M[^<]*Soehne GmbH</);
  assert.match(second, new RegExp(`<OrgnlDbtrAcct><Id><IBAN>${old}<.*<DbtrAcct><Id><IBAN>${other}<`));
  assert.equal(second.match(/<DrctDbtTxInf>/g)?.length, 1);
});

test("an amendment that comes too late for a file with an earlier one is sent with the next", async () => {
  const merchant = await bankMerchant(service);
  const payment = await payAt(merchant, YEARLY);
  await amend(merchant, { reference: `L-${merchant.accountId.slice(-8)}` });
  const late = () => amend(merchant, { iban: "DE35370400440532013002" });
  meanwhile = { after: "sepa_files.amendments", happens: late };
  const sent = async () => {
    const { id } = (await mandateOf(merchant)) as { id: string };
    const { body } = await service.get(`management/mandates/${id}/`, { key: merchant.key });
    return (body["amendments"] as readonly Json[]).map(({ kind, sent_at: at }) => [kind, at !== null]);
  };
  assert.doesNotMatch(await filesOf(merchant, "2026-11-23"), /OrgnlDbtrAcct/);
  assert.deepEqual(await sent(), [
    ["account", false],
    ["reference", true],
  ]);
  await payAgain(merchant, payment);
  assert.match(await filesOf(merchant, "2026-11-30"), /OrgnlDbtrAcct/);
  assert.deepEqual(await sent(), [
    ["account", true],
    ["reference", true],
  ]);
});

test("the next file names the mandate's current account holder", async () => {
  const merchant = await bankMerchant(service);
  await payAt(merchant, WEEKLY);
  await filesOf(merchant, "2026-11-23");
  await amend(merchant, { holder_name: "Ada Married" });
  assert.match(await filesOf(merchant, "2026-11-30"), /<Nm>Ada Married</);
});

test("a former creditor's name that has no letters in a file is not announced, its identifier is", async () => {
  const { merchant } = await debited(WEEKLY);
  await nameCreditor(merchant, "Müller Nachfolger GmbH");
  const name = "王小明";
  await service.rows("update mandates set creditor_name = $1 where id = $2", [
    name,
    (await mandateOf(merchant))["id"],
  ]);
  await service.rows("update sepa_collections set creditor_name = $1 where gateway_id = $2", [
    name,
    merchant.accountId,
  ]);
  await service.rows(
    "update gateways set former_creditors = array[(settings ->> 'creditor_identifier') || ' ' || $1] where id = $2",
    [name, merchant.accountId],
  );
  const second = await filesOf(merchant, "2026-11-30");
  assert.match(second, /<OrgnlCdtrSchmeId><Id>/);
});

test("a debit whose mandate's amendment cannot be written is rejected with the reason, and the other debits are sent", async () => {
  const merchant = await bankMerchant(service);
  const bad = await payAt(merchant, WEEKLY);
  const old = (await mandateOf(merchant))["reference"];
  await amend(merchant, { reference: `N-${merchant.accountId.slice(-8)}` });
  await service.rows(
    "update mandate_amendments set original_reference = 'A//B' where original_reference = $1",
    [old],
  );
  const good = await payAt(merchant);
  const xml = await filesOf(merchant, "2026-11-24");
  assert.equal(first(xml, "EndToEndId"), referenceOf(good));
  const declined = await desk.transaction(bad);
  assert.equal(declined["status"], "declined");
  assert.match(declined["gateway_message"], /mandate reference cannot be written/);
});

test("a debit whose encrypted account cannot be decrypted waits, and the other debits are sent", async () => {
  const merchant = await bankMerchant(service);
  const [bad, good] = [await payAt(merchant), await payAt(merchant)];
  await service.rows("update sepa_collections set debtor = '\\x00' where reference = $1", [referenceOf(bad)]);
  const xml = await filesOf(merchant, "2026-11-24");
  assert.equal(first(xml, "EndToEndId"), referenceOf(good));
  assert.equal((await desk.transaction(bad))["status"], "pending");
});
