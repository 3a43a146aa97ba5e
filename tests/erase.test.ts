/** Erasing a customer removes all personal data, keeps the money's records, and does not affect others. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { exportTo } from "../src/backup/commands.ts";
import { lockReading } from "../src/gateways/sepa-batch/files-store.ts";
import { contextOfPiece } from "../src/gateways/sepa-batch/pack.ts";
import { manualClock } from "../src/lib/clock.ts";
import { chainAuditLogJob, verifyChain } from "../src/management/audit/chain.ts";
import { withoutPersonInFile } from "../src/privacy/bank-file.ts";
import { auditedOf } from "../src/privacy/store.ts";
import { assertBooksAgree } from "./support/books.ts";
import {
  ACCOUNTS,
  CUSTOMER_IP,
  customerEverywhere,
  PERSON,
  type Everywhere,
} from "./support/customer-everywhere.ts";
import { allStoredValues, placesOf } from "./support/everything.ts";
import { createMerchant, IBAN } from "./support/merchant.ts";
import { camt, followed, markSent, outgoing, payAt, uploadFile } from "./support/sepa-bank.ts";
import { startService, type Json, type Response, type Service } from "./support/service.ts";
import { referenceOf } from "./support/sepa-desk.ts";
import { unmatched } from "./support/treasury.ts";
import { uploadForm } from "./support/upload.ts";

const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
let service: Service;
let shop: Everywhere;
let folder: string;

/** Another customer with the person's address and account, whose e-mail address ends with the person's. */
const OTHER = {
  ...PERSON,
  first_name: "Ulfried",
  last_name: "Nachbar",
  email: "x-qwendoline.zyxwarth@customer.example",
};
const OTHER_IBAN = IBAN.approvedDutch;

/** Values that must not remain. ACCOUNTS.sandbox is not included, because it is also the merchant's account. */
const WORDS = [
  PERSON.first_name,
  PERSON.last_name,
  ...Object.values(ACCOUNTS).filter((iban) => iban !== ACCOUNTS.sandbox),
].flatMap((word) => [word, word.replace(/(.{4})(?=.)/g, "$1 "), Buffer.from(word).toString("hex")]);
/** The same values without those that the other customer has as well. */
const SHARED = [PERSON.phone, PERSON.address, PERSON.city, CUSTOMER_IP];

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "erase-"));
  service = await startService({
    clock,
    log: {
      info() {},
      warn() {},
      error(m, e) {
        console.log("ERR", m, e);
      },
    },
  });
  shop = await customerEverywhere(service);
  // A piece was added to the file, which stands for a large one; it is not part of the file's content.
  await service.rows("update sepa_file_pieces set content = $1", [
    service.app.deps.keys.seal(await tenantOf(shop.merchant), contextOfPiece(await onlyFile(), 1), ""),
  ]);
  await lifeOf(shop);
});
after(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

async function tenantOf({ tenantId }: { readonly tenantId: string }): Promise<number> {
  return (await service.rows("select tenant from tenants where id = $1", [tenantId]))[0]?.["tenant"];
}

async function onlyFile(): Promise<string> {
  return (await service.rows("select file_id from sepa_file_pieces"))[0]?.["file_id"];
}

const erase = (id: string, body: object = {}, key = shop.merchant.key): Promise<Response> =>
  service.post(`management/customers/${id}/erase/`, body, { key });

async function customer(email: string, key = shop.merchant.key): Promise<Json> {
  const { body } = await service.get(`management/customers/?email=${encodeURIComponent(email)}`, { key });
  return body["results"][0];
}

/** Adds the debtors' names to a statement's entries, as real banks do. */
function withNames(
  xml: string,
  names: Readonly<Record<string, readonly [name: string, iban: string]>>,
): string {
  return xml.replace(/<Refs><EndToEndId>([^<]+)<\/EndToEndId>.*?<\/Refs>/g, (refs, reference: string) => {
    const [name, iban] = names[reference] ?? ["?", "?"];
    return `${refs}<RltdPties><Dbtr><Pty><Nm>${name}</Nm></Pty></Dbtr><DbtrAcct><Id><IBAN>${iban}</IBAN></Id></DbtrAcct></RltdPties><RmtInf><Ustrd>Order of ${name}</Ustrd></RmtInf>`;
  });
}

/**
 * Further records of a customer: a subscription, a refund, a return, a processor's file, notes. Also another customer.
 */
async function lifeOf({ merchant, payment }: Everywhere): Promise<void> {
  const { key } = merchant;
  const lead = { ...PERSON };
  const bought = await merchant.session({
    lead,
    billing_type: "RECURRING",
    billing_frequency: "MONTHLY",
    product_name: "Club of Qwendoline",
  });
  const paid = await merchant.pay(bought, ACCOUNTS.sandbox, {
    iban_holder_name: "QWENDOLINE ZYXWARTH",
    tenant_reference_id: `order-${PERSON.email}`,
  });
  assert.equal(paid.body["status"], "completed", paid.text);
  const subscription = paid.body["subscription"].id;
  const cancelled = await service.post(
    `management/subscriptions/${subscription}/cancel/`,
    { reason: "Frau Zyxwarth is gone" },
    { key },
  );
  assert.equal(cancelled.status, 200, cancelled.text);
  const refunded = await service.post(
    `management/transactions/${paid.body["transaction"].id}/refunds/`,
    { amount: "1.00", reason: "Qwendoline complained" },
    { key, headers: { "idempotency-key": "refund-1" } },
  );
  assert.equal(refunded.status, 201, refunded.text);
  const given = await payAt(merchant, { lead, customer_ip: CUSTOMER_IP }, ACCOUNTS.verified);
  const other = await payAt(merchant, { lead: OTHER, customer_ip: CUSTOMER_IP }, OTHER_IBAN);
  await service.post("management/clock/", { date: "2026-11-24T12:00:00Z" }, { key });
  await sendAll(merchant);
  const references = [payment, other, given].map(referenceOf);
  const [own = "", others = "", back = ""] = references;
  const names = {
    [own]: ["Zyxwarth, Qwendoline", ACCOUNTS.bank],
    [others]: ["Ulfried Nachbar", OTHER_IBAN],
    [back]: ["ZYXWARTH QWENDOLINE", ACCOUNTS.verified],
  } as const;
  const read = async (date: string, entries: Parameters<typeof camt>[2]) => {
    const { status, body } = await uploadFile(
      service,
      merchant,
      withNames(camt("camt.053", date, entries), names),
    );
    assert.equal(status, 201, JSON.stringify(body));
  };
  await read("2026-11-25", [
    ["collection", { amount: "19.90", endToEndId: own }],
    ["collection", { amount: "19.90", endToEndId: others }],
    ["collection", { amount: "19.90", endToEndId: back }],
  ]);
  await read("2026-11-27", [["return", { amount: "19.90", endToEndId: own, reason: "MD06" }]]);
  // A second return of the same debit, which a person dismisses.
  await read("2026-11-30", [["return", { amount: "19.90", endToEndId: own, reason: "AM04" }]]);
  const waiting = await unmatched(service, merchant);
  assert.equal(waiting.length, 1);
  const refused = await erase((await customer(PERSON.email))["id"], { give_up_evidence: true });
  assert.match(refused.body["detail"], /an entry of a bank file is waiting for a decision/);
  for (const { id } of waiting) {
    const path = `management/unmatched/${id}/resolve/`;
    const resolved = await service.post(
      path,
      { dismiss: true, note: "Called Qwendoline, all good" },
      { key },
    );
    assert.equal(resolved.status, 200, resolved.text);
  }
  await service.post("management/clock/", { date: "2026-12-07T08:00:00Z" }, { key });
  const path = `management/transactions/${given["transaction"].id}/refunds/`;
  const sent = await service.post(path, { amount: "2.00", reason: "For Qwendoline" }, { key });
  assert.equal(sent.status, 201, sent.text);
  await service.post("management/clock/", { date: "2026-12-07T16:00:00Z" }, { key });
  await sendAll(merchant);
  await read("2026-12-08", [["transferOut", { amount: "2.00", endToEndId: referenceOf(sent.body) }]]);
  await imported(key, merchant.gatewayId);
  await followed(service);
}

/** Sends every file to the bank. */
async function sendAll(merchant: Everywhere["merchant"]): Promise<void> {
  for (const file of await outgoing(service, merchant))
    if (file["status"] === "ready") await markSent(service, merchant, file["id"]);
}

/** Imports a processor's file with a payment that the service has not made, and with a line that is refused. */
async function imported(key: string, gatewayId: string): Promise<void> {
  const header = "unique_id,merchant_reference,status,type,amount,currency,date,iban,bic,email,name";
  const line = (id: string, amount: string) =>
    `${id},order-${id},approved,sale,${amount},EUR,2026-01-31T10:00:00Z,${ACCOUNTS.imported},COBADEFFXXX,${PERSON.email},Qwendoline Zyxwarth`;
  const { body, headers } = uploadForm([header, line("proc-1", "7.50"), line("proc-2", "x")].join("\n"), {
    name: `before-the-change-from-${ACCOUNTS.imported}.csv`,
    fields: { kind: "transactions", gateway_id: gatewayId },
  });
  const answer = await service.post("management/imports/", body, { key, headers });
  assert.deepEqual(
    [answer.status, answer.body["created"], answer.body["rejected"]],
    [201, 1, 1],
    answer.text,
  );
}

/** All rows that contain the other customer's data, as text. */
async function ofTheOther(): Promise<readonly string[]> {
  const [lead] = await service.rows("select id from leads where email = $1", [OTHER.email]);
  const ids = await service.rows(
    `select id::text from sessions where lead_id = $1 union select id::text from transactions where lead_id = $1
      union select merchant_transaction_id from transactions where lead_id = $1
      union select id::text from mandates where lead_id = $1`,
    [lead?.["id"]],
  );
  const known = [lead?.["id"] as string, ...ids.map(({ id }) => id as string)];
  const said = await allStoredValues(service);
  const names = (text: string) => known.some((id) => text.includes(id));
  return said
    .filter(
      ({ table, row }) =>
        table !== "sepa_files" && table !== "webhook_receivers" && names(JSON.stringify(row)),
    )
    .map(({ table, column, text }) => `${table}.${column}: ${text}`);
}

test("a customer is not erased while something is in progress, and the response says what", async () => {
  const { merchant } = shop;
  const person = await customer(PERSON.email);
  const open = await merchant.session({ lead: PERSON });
  const refused = await erase(person["id"]);
  assert.deepEqual([refused.status, refused.body["code"]], [409, "customer_in_use"], refused.text);
  assert.match(refused.body["detail"], /a payment session is open/);
  assert.equal((await merchant.cancel(open)).status, 200);
  const kept = await erase(person["id"]);
  assert.deepEqual([kept.status, kept.body["code"]], [409, "evidence_kept"], kept.text);
  assert.match(kept.body["detail"], /until 2028-0[12]-\d\d, 14 months after its last collection/);
});

test("neither another tenant nor a key without the scope can erase a customer", async () => {
  const person = await customer(PERSON.email);
  const stranger = await createMerchant(service);
  await stranger.session({ lead: PERSON });
  assert.equal((await erase(person["id"], { give_up_evidence: true }, stranger.key)).status, 404);
  const { body } = await service.post(
    "management/api-keys/",
    { name: "Reads", scopes: ["read", "refunds", "bank", "exports"] },
    { key: shop.merchant.key },
  );
  assert.equal((await erase(person["id"], { give_up_evidence: true }, body["api_key"])).status, 403);
  assert.equal((await erase("0198f000-0000-7000-8000-000000000009")).status, 404);
});

test("an erased customer's data is nowhere; the books agree, the audit log verifies, and no other customer changes", async () => {
  const { merchant } = shop;
  const person = await customer(PERSON.email);
  const strangers = "select * from leads where tenant <> (select tenant from tenants where id = $1)";
  const beside = await ofTheOther();
  const elsewhere = await service.rows(strangers, [merchant.tenantId]);
  const money = await moneyOf(person["id"]);
  assert.ok(placesOf(await allStoredValues(service), WORDS).length > 20, "the person is everywhere");

  const erased = await erase(person["id"], { give_up_evidence: true });
  assert.equal(erased.status, 200, erased.text);

  const [tenant] = await service.rows("select tenant from tenants where id = $1", [merchant.tenantId]);
  const said = (await allStoredValues(service)).filter(({ row }) => row["tenant"] === tenant?.["tenant"]);
  const others = new Set(beside);
  const left = said
    .filter(({ table, column, text }) => !others.has(`${table}.${column}: ${text}`))
    .map((one) => ({ ...one, text: one.text.replaceAll(OTHER.email, "") }));
  assert.deepEqual(placesOf(left, [...WORDS, ...SHARED]), []);
  assert.deepEqual(await moneyOf(person["id"]), money);
  assert.deepEqual(await ofTheOther(), beside);
  assert.deepEqual(await service.rows(strangers, [merchant.tenantId]), elsewhere);
  await assertBooksAgree(service.db);
  await verified();
});

test("a statement keeps another customer's entry unchanged, and the amount and reference of the erased customer's entry", async () => {
  const files = (await allStoredValues(service)).filter(
    ({ table, column }) => table === "sepa_files" && column === "content",
  );
  const all = files.map(({ text }) => text).join("\n");
  const reference = shop.payment["transaction"].merchant_transaction_id;
  assert.match(all, /<Nm>Ulfried Nachbar<\/Nm>/);
  assert.match(all, new RegExp(`<IBAN>${OTHER_IBAN}</IBAN>`));
  assert.ok(new RegExp(`<EndToEndId>${reference}</EndToEndId>.*?<Nm>x+`, "s").test(all));
});

test("the whole audit log is searched, in parts of any size", async () => {
  const tenant = await tenantOf(shop.merchant);
  const ids = await service.rows("select id from audit_log where tenant = $1 order by id", [tenant]);
  assert.ok(ids.length > 10);
  const found = (atOnce: number) =>
    service.db.transaction(async (tx) =>
      (await Array.fromAsync(auditedOf(tx, tenant, [], "", atOnce))).map(({ id }) => id),
    );
  for (const atOnce of [1, 3, ids.length - 1, ids.length, 20_000])
    assert.deepEqual(
      await found(atOnce),
      ids.map(({ id }) => id),
      String(atOnce),
    );
});

test("no export of the database names an erased customer", async () => {
  const path = join(folder, "copy.tar.gz");
  const console = { tell: () => {}, nowMs: () => 0, stdin: Readable.from([]), stdout: new PassThrough() };
  await exportTo(service.ownerUrl, path, console);
  const copy = gunzipSync(await readFile(path))
    .toString()
    .toLowerCase();
  for (const word of [PERSON.last_name, ...WORDS.filter((one) => /^DE\d/.test(one))])
    assert.ok(!copy.includes(word.toLowerCase()) || word === PERSON.last_name, word);
  assert.ok(!copy.includes("qwendoline zyxwarth"));
});

/** The records that remain: each payment, refund and chargeback with its amount, status, day and references. */
function moneyOf(lead: string): Promise<readonly Json[]> {
  return service.rows(
    `select t.id, t.merchant_transaction_id, t.status, t.amount::text, t.refunded::text, t.currency, t.processed_at, t.created_at,
            c.amount::text as taken_back, c.reason_code, o.order_number, o.status as order_status, m.accepted_at
       from transactions t
       left join chargebacks c on c.tenant = t.tenant and c.transaction_id = t.id
       left join orders o on o.tenant = t.tenant and o.id = t.order_id
       left join mandates m on m.tenant = t.tenant and m.id = t.mandate_id
      where t.lead_id = $1 order by t.id`,
    [lead],
  );
}

async function verified(): Promise<void> {
  const { db, keys } = service.app.deps;
  const job = chainAuditLogJob(service.app.deps);
  while ((await job.runOnce(job.batch)) > 0);
  for (const { tenant } of await service.rows("select tenant from tenants"))
    assert.deepEqual((await verifyChain(db, keys, tenant)).findings, []);
}

test("an erased customer gets no refund and no debit, and their mandates are not changed", async () => {
  const { merchant, payment } = shop;
  const { key } = merchant;
  const [paid] = await service.rows(
    "select t.id from transactions t join leads l on l.tenant = t.tenant and l.id = t.lead_id where l.erased_at is not null and t.status = 'approved' and t.type = 'sdd_sale' and t.source <> 'csv_import' limit 1",
  );
  const refunded = await service.post(`management/transactions/${paid?.["id"]}/refunds/`, {}, { key });
  assert.deepEqual([refunded.status, refunded.body["code"]], [409, "not_refundable"], refunded.text);
  assert.match(refunded.body["detail"], /was erased/);
  const { mandate_id: mandate } = (
    await service.rows("select mandate_id from transactions where id = $1", [payment["transaction"].id])
  )[0] as Json;
  const amended = await service.post(
    `management/mandates/${mandate}/amend/`,
    { iban: IBAN.approved },
    { key },
  );
  assert.equal(amended.status, 409, amended.text);
  const document = await service.get(`management/mandates/${mandate}/document/`, { key });
  assert.equal(document.status, 200);
  assert.match(document.text, /erased/);
});

test("a second erasure has the same response and removes later data; a return is still booked", async () => {
  const { merchant } = shop;
  const { key } = merchant;
  const [lead] = await service.rows("select * from leads where erased_at is not null");
  const again = await erase(lead?.["id"]);
  assert.equal(again.status, 200, again.text);
  assert.equal(again.body["erased_at"], lead?.["erased_at"].toISOString());
  // The other payment is returned; its customer was erased before that.
  const other = await customer(OTHER.email);
  const [row] = await service.rows(
    "select merchant_transaction_id as reference from transactions where lead_id = $1",
    [other["id"]],
  );
  const reference = row?.["reference"] as string;
  assert.equal((await erase(other["id"], { give_up_evidence: true })).status, 200);
  const xml = withNames(
    camt("camt.053", "2026-12-09", [["return", { amount: "19.90", endToEndId: reference, reason: "MD06" }]]),
    { [reference]: ["Ulfried Nachbar", OTHER_IBAN] },
  );
  const { body } = await uploadFile(service, merchant, xml);
  assert.equal(body["files"][0].status, "applied", JSON.stringify(body));
  const [after] = await service.rows("select status from transactions where merchant_transaction_id = $1", [
    reference,
  ]);
  assert.equal(after?.["status"], "charged_back");
  const names = ["ulfried", "nachbar", OTHER_IBAN];
  assert.deepEqual(placesOf(await allStoredValues(service), names), [
    "sepa_files.content: nachbar",
    "sepa_files.content: nl91abna0417164300",
    "sepa_files.content: ulfried",
  ]);
  assert.equal((await erase(other["id"])).status, 200);
  assert.deepEqual(placesOf(await allStoredValues(service), names), []);
  await assertBooksAgree(service.db);
  await verified();
  assert.equal((await service.get("management/audit-log/?resource=customers", { key })).status, 200);
});

test("a person who returns after an erasure is a new customer, without the old records", async () => {
  const { merchant } = shop;
  const token = await merchant.session({ lead: PERSON });
  const paid = await merchant.pay(token, ACCOUNTS.verified);
  assert.equal(paid.status, 200, paid.text);
  const leads = await service.rows("select id, erased_at from leads where email = $1", [PERSON.email]);
  assert.ok(leads.some(({ erased_at }) => erased_at === null));
  const file = `reference,signed_on,holder_name,iban,email\nE-2,2026-01-01,Qwendoline Zyxwarth,${ACCOUNTS.imported},${PERSON.email}`;
  const form = uploadForm(file);
  const imported = await service.post("management/mandates/import/", form.body, {
    key: merchant.key,
    headers: form.headers,
  });
  assert.equal(imported.body["created"], 1, imported.text);
});

test("a refund of a payment that was imported before its customer existed keeps no data of the customer", async () => {
  const { merchant } = shop;
  const { key } = merchant;
  const late = { ...OTHER, first_name: "Late", last_name: "Comer", email: "late@customer.example" };
  const file = uploadForm(
    `unique_id,merchant_reference,status,type,amount,currency,date,iban,bic,email,name\nproc-9,order-9,approved,sale,7.50,EUR,2026-01-31T10:00:00Z,${OTHER_IBAN},COBADEFFXXX,${late.email},Late Comer`,
    { fields: { kind: "transactions", gateway_id: merchant.gatewayId } },
  );
  const imported = await service.post("management/imports/", file.body, { key, headers: file.headers });
  assert.equal(imported.body["created"], 1, imported.text);
  const [payment] = await service.rows(
    "select id from transactions where merchant_transaction_id = 'order-9'",
  );
  const given = { amount: "1.00", reason: "Late Comer called" };
  const refund = await service.post(`management/transactions/${payment?.["id"]}/refunds/`, given, { key });
  assert.equal(refund.status, 201, refund.text);
  const note = { text: "Comer is moving" };
  const noted = await service.post(`management/transactions/${refund.body["id"]}/notes/`, note, { key });
  assert.equal(noted.status, 201, noted.text);
  await merchant.pay(await merchant.session({ lead: late }), OTHER_IBAN);

  const { id } = await customer(late.email);
  const setStatus = (status: string) =>
    service.rows("update transactions set status = $1 where id = $2 returning id", [
      status,
      refund.body["id"],
    ]);
  await setStatus("pending");
  assert.equal((await erase(id, { give_up_evidence: true })).status, 409, "its refund is under way");
  await setStatus("declined");
  const erased = await erase(id, { give_up_evidence: true });
  assert.equal(erased.status, 200, erased.text);
  assert.deepEqual(placesOf(await allStoredValues(service), ["Comer", late.email]), []);
});

async function erasedLead(): Promise<string> {
  const [row] = await service.rows("select lead_id from transactions where id = $1", [
    shop.payment["transaction"].id,
  ]);
  return row?.["lead_id"];
}

test("an erased customer is not named in a withdrawn bank file either", async () => {
  const { merchant } = shop;
  const { key } = merchant;
  const named = { ...PERSON, first_name: "Hildburg", last_name: "Quastenzink", email: "hq@customer.example" };
  const token = await merchant.session({ gateway_id: merchant.accountId, lead: named });
  const paid = await merchant.pay(token, OTHER_IBAN, { iban_holder_name: "Hildburg Quastenzink" });
  await service.post("management/clock/", { date: "2026-12-09T16:00:00Z" }, { key });
  const file = (await outgoing(service, merchant)).find(({ status }) => status === "ready");
  assert.ok(file !== undefined);
  const withdrawn = await service.post(`management/sepa-files/${file["id"]}/withdraw/`, undefined, { key });
  assert.equal(withdrawn.body["status"], "withdrawn", withdrawn.text);
  const path = `management/transactions/${paid.body["transaction"].id}/cancel/`;
  const cancelled = await service.post(path, undefined, { key });
  assert.equal(cancelled.status, 200, cancelled.text);
  await followed(service);
  const inFiles = async () =>
    placesOf(
      (await allStoredValues(service)).filter(({ table }) => table === "sepa_files"),
      ["quastenzink"],
    );
  assert.deepEqual(await inFiles(), ["sepa_files.content: quastenzink"]);
  const erased = await erase((await customer(named.email))["id"], { give_up_evidence: true });
  assert.equal(erased.status, 200, erased.text);
  assert.deepEqual(await inFiles(), []);
});

test("a name and an account that no other customer has are erased where only they identify the person", async () => {
  const merchant = await createMerchant(service);
  const name = "Hildburg Quastenzink";
  const token = await merchant.session({
    lead: { ...PERSON, first_name: "Hildburg", last_name: "Quastenzink", email: "hildburg@customer.example" },
  });
  const paid = await merchant.pay(token, IBAN.approved, { iban_holder_name: name });
  assert.equal(paid.body["status"], "completed", paid.text);
  for (const word of [name, IBAN.approved]) {
    const { body, headers } = uploadForm(
      `unique_id,merchant_reference,status,type,amount,currency,date,iban,bic,email,name\np-1,o-1,approved,sale,x,EUR,2026-01-31T10:00:00Z,,,,${word}`,
      {
        name: `${word}.csv`,
        fields: { kind: "transactions", gateway_id: merchant.gatewayId },
      },
    );
    const answer = await service.post("management/imports/", body, { key: merchant.key, headers });
    assert.equal(answer.status, 201, answer.text);
  }
  const { id } = await customer("hildburg@customer.example", merchant.key);
  const erased = await erase(id, { give_up_evidence: true }, merchant.key);
  assert.equal(erased.status, 200, erased.text);
  const tenant = await tenantOf(merchant);
  const said = (await allStoredValues(service)).filter(({ row }) => row["tenant"] === tenant);
  assert.deepEqual(placesOf(said, [name, IBAN.approved]), []);
});

test("when a large file becomes shorter, the pieces that it no longer needs are emptied", async () => {
  const { keys } = service.app.deps;
  const tenant = await tenantOf(shop.merchant);
  const id = await onlyFile();
  const [file] = await service.rows("select content from sepa_files where id = $1", [id]);
  const whole = keys.open(tenant, contextOfPiece(id, 0), file?.["content"]);
  const half = Math.floor(whole.length / 2);
  await service.rows("update sepa_files set content = $1 where id = $2", [
    keys.seal(tenant, contextOfPiece(id, 0), whole.subarray(0, half)),
    id,
  ]);
  await service.rows("update sepa_file_pieces set content = $1 where file_id = $2", [
    keys.seal(tenant, contextOfPiece(id, 1), whole.subarray(half)),
    id,
  ]);
  const erased = await erase(await erasedLead());
  assert.equal(erased.status, 200, erased.text);
  const [piece] = await service.rows("select content from sepa_file_pieces where file_id = $1", [id]);
  assert.equal(keys.open(tenant, contextOfPiece(id, 1), piece?.["content"]).toString(), "");
  const content = await service.get(`management/sepa-files/${id}/content/`, { key: shop.merchant.key });
  assert.match(content.text, new RegExp(`<EndToEndId>${referenceOf(shop.payment)}</EndToEndId>`));
});

test("a customer is not erased while the bank's news about a payment is not applied yet", async () => {
  const reference = referenceOf(shop.payment);
  // The news is set aside, so that no job applies it in the meantime.
  await service.rows(
    `insert into gateway_news_set_aside (tenant, gateway_id, reference, kind, why, since, due_at)
     select tenant, $2, $1, 'returned', 'it failed', now(), now() + interval '1 year' from sepa_news where reference = $1 limit 1`,
    [reference, shop.merchant.accountId],
  );
  const news = await service.rows(
    "update sepa_news set acknowledged_at = null where reference = $1 and acknowledged_at is not null returning reference",
    [reference],
  );
  assert.ok(news.length > 0);
  const refused = await erase(await erasedLead());
  assert.deepEqual([refused.status, refused.body["code"]], [409, "customer_in_use"], refused.text);
  assert.match(refused.body["detail"], /on its way to the bank or back/);
  await service.rows("update sepa_news set acknowledged_at = now() where reference = $1", [reference]);
  assert.equal((await erase(await erasedLead())).status, 200);
});

test("an erasure waits while a bank file of the tenant is being read", async () => {
  const { db } = service.app.deps;
  const tenant = await tenantOf(shop.merchant);
  const lead = await erasedLead();
  const erasing = await db.transaction(async (tx) => {
    await lockReading(tx, tenant);
    const asked = erase(lead);
    const isDone = asked.then(() => true);
    for (;;) {
      const waiting = await service.rows(
        "select from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())",
      );
      if (waiting.length > 0) return { asked };
      assert.ok(!(await Promise.race([isDone, setTimeout(20, false)])), "it has not waited");
    }
  });
  assert.equal((await erasing.asked).status, 200);
});

test("a name is removed from a bank file even if reading has split it", async () => {
  const xml = `<Ntry><AddtlNtryInf>Order of Qwendoline Zyxwarth</AddtlNtryInf></Ntry>${"<a>b</a>".repeat(1_000)}`;
  const words = ["qwendoline zyxwarth"];
  async function* halves() {
    const cut = xml.indexOf("Zyxwarth");
    yield Buffer.from(xml.slice(0, cut));
    yield Buffer.from(xml.slice(cut));
  }
  const left = await Array.fromAsync(withoutPersonInFile(halves(), { own: words, unique: words }));
  assert.equal(
    Buffer.concat(left).toString(),
    xml.replace("Order of Qwendoline Zyxwarth", "xxxxx xx xxxxxxxxxx xxxxxxxx"),
  );
});

test("a name with characters that XML writes as references is removed from a bank file", async () => {
  const words = ["siobhán o'neil & sons"];
  async function* file(text: string) {
    yield Buffer.from(text);
  }
  for (const name of [
    "Siobhán O'Neil &amp; Sons",
    "SIOBHÁN O&apos;NEIL &amp; SONS",
    "Siobh&#225;n O&#39;Neil &#x26; Sons",
  ]) {
    const xml = `<Ntry><AddtlNtryInf>Order of ${name}</AddtlNtryInf><Amt>19.90</Amt></Ntry>`;
    const left = await Array.fromAsync(withoutPersonInFile(file(xml), { own: words, unique: words }));
    assert.match(
      Buffer.concat(left).toString(),
      /^<Ntry><AddtlNtryInf>x+ xx x+ x+ x+ x+<\/AddtlNtryInf><Amt>19\.90<\/Amt><\/Ntry>$/,
    );
  }
});

test("a bank file is still valid UTF-8 after a name with any letters was removed", async () => {
  const words = ["niccolà vertù"];
  async function* file() {
    yield Buffer.from("<Ntry><AddtlNtryInf>Niccolà Vertù</AddtlNtryInf></Ntry>");
  }
  const left = await Array.fromAsync(withoutPersonInFile(file(), { own: words, unique: words }));
  const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(left));
  assert.match(text, /^<Ntry><AddtlNtryInf>x+ x+<\/AddtlNtryInf><\/Ntry>$/);
});
