/**
 * Which statements a gateway reads: those of its own account, for all gateways of that account, and those of its former
 * accounts.
 */
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { after, before, test } from "node:test";
import { readDelivery } from "../../src/gateways/sepa-batch/incoming/read-delivery.ts";
import { findAccounts } from "../../src/gateways/sepa-batch/files-store.ts";
import { must } from "../../src/lib/assert.ts";
import { manualClock } from "../../src/lib/clock.ts";
import { createRace } from "../support/at-once.ts";
import { assertBooksAgree } from "../support/books.ts";
import {
  bankMerchant,
  bankOf,
  camt,
  content,
  CREDITOR,
  pain002,
  uploadFile,
  withBalances,
  type BankMerchant,
} from "../support/sepa-bank.ts";
import { startService, type Json, type Service } from "../support/service.ts";
import {
  booked,
  chargebacks,
  read,
  resolve,
  sent,
  sentBy,
  statuses,
  unmatched,
  type Entries,
} from "../support/treasury.ts";

const OTHER_IBAN = "NL91ABNA0417164300";

const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
const race = createRace();
let service: Service;

before(async () => {
  service = await startService({ clock, between: race.between });
});
after(async () => {
  await assertBooksAgree(service.db).finally(() => service.close());
});

/** Payments through a CORE and a B2B gateway that collect to one account. */
async function twoSchemes() {
  const core = await sent(service);
  const b2b = await bankOf(service, core.merchant, { scheme: "B2B" });
  return { core, b2b: await sentBy(service, b2b, 1, "2026-11-24") };
}

test("a statement that is uploaded for one gateway settles and returns payments of every gateway with that account", async () => {
  const { core, b2b } = await twoSchemes();
  const references = [...core.references, ...b2b.references];
  const statement = await booked(
    service,
    core.merchant,
    references.map((endToEndId) => ["collection", { amount: "19.90", endToEndId }] as const),
  );
  assert.equal(statement["report"].settled, 2);
  const back = references.map(
    (endToEndId) => ["return", { amount: "19.90", endToEndId, reason: "AM04" }] as const,
  );
  await booked(service, b2b.merchant, back, "2026-11-27");
  assert.deepEqual(
    [await statuses(service, core), await statuses(service, b2b)],
    [["charged_back"], ["charged_back"]],
  );
  assert.equal((await chargebacks(service, core.merchant)).length, 2);
  assert.deepEqual(await unmatched(service, core.merchant), []);
});

test("a statement that was uploaded for one gateway of the account is known when it is uploaded for another, also at once", async () => {
  const { core, b2b } = await twoSchemes();
  const xml = camt("camt.053", "2026-11-25", [
    ["collection", { amount: "19.90", endToEndId: core.references[0] ?? "" }],
    ["collection", { amount: "19.90", endToEndId: "NOBODY" }],
  ]);
  const both = await Promise.all([
    uploadFile(service, core.merchant, xml),
    uploadFile(service, b2b.merchant, xml),
  ]);
  const known = both.map(({ body }) => body["files"][0].known as boolean);
  assert.deepEqual([known.includes(true), known.includes(false)], [true, true]);
  assert.equal((await unmatched(service, core.merchant)).length, 1);
  assert.deepEqual(await statuses(service, core), ["approved"]);
});

test("a statement counts as known although the other gateway's job has read it but not committed yet", async () => {
  const { core, b2b } = await twoSchemes();
  const xml = camt("camt.053", "2026-11-25", [
    ["collection", { amount: "19.90", endToEndId: core.references[0] ?? "" }],
    ["collection", { amount: "19.90", endToEndId: "NOBODY" }],
  ]);
  // Uploads of one tenant wait for each other within a process. They wait neither for a job nor for another process.
  const known: boolean[] = [];
  const readFor = async ({ accountId }: BankMerchant) => {
    const { deps } = service.app;
    const account = (await findAccounts(deps.db, null)).find(({ id }) => id === accountId);
    const statement = Readable.from([Buffer.from(xml)]);
    const [file] = await readDelivery(deps, must(account, "the gateway"), "statement.xml", statement);
    known.push(must(file, "the file").known);
    await deps.newsReady(must(account, "the gateway").tenant);
  };
  await race.atOnce(
    service,
    () => readFor(core.merchant),
    () => readFor(b2b.merchant),
  );
  // Both end at almost the same time, in either order.
  assert.deepEqual([known.length, known.includes(true), known.includes(false)], [2, true, true]);
  assert.equal((await unmatched(service, core.merchant)).length, 1);
  assert.deepEqual(await statuses(service, core), ["approved"]);
});

test("a collective booking and a status report find their block even if it belongs to another gateway of the account", async () => {
  const { core, b2b } = await twoSchemes();
  await booked(service, b2b.merchant, [["collection", { amount: "19.90", blockId: core.block }]]);
  const report = pain002("2026-11-24", { messageId: b2b.file["message_id"], groupStatus: "RJCT" });
  await read(service, core.merchant, report);
  assert.deepEqual(
    [await statuses(service, core), await statuses(service, b2b)],
    [["approved"], ["declined"]],
  );
});

test("an unmatched entry may be applied to a transaction of another gateway of the account", async () => {
  const { core, b2b } = await twoSchemes();
  await booked(service, core.merchant, [["collection", { amount: "19.90", endToEndId: "LOST" }]]);
  const [entry] = await unmatched(service, core.merchant);
  const applied = await resolve(service, core.merchant, entry?.["id"], { transaction_id: b2b.ids[0] });
  assert.equal(applied.status, 200, applied.text);
  assert.deepEqual(await statuses(service, b2b), ["approved"]);
});

test("an entry of one account is never applied to a transaction of another account of the merchant", async () => {
  const one = await sent(service);
  const elsewhere = await bankOf(service, one.merchant, { creditor_iban: OTHER_IBAN });
  const other = await sentBy(service, elsewhere, 1, "2026-11-24");
  await booked(service, one.merchant, [["collection", { amount: "19.90", endToEndId: "LOST" }]]);
  const [entry] = await unmatched(service, one.merchant);
  for (const [target, field] of [
    [{ transaction_id: other.ids[0] }, "transaction_id"],
    [{ action: "settle", transaction_ids: [one.ids[0], other.ids[0]] }, "transaction_ids"],
    [{ action: "settle", block_id: other.block }, "block_id"],
    [{ action: "settle", file_id: other.file["id"] }, "file_id"],
  ] as const) {
    const { status, body, text } = await resolve(service, one.merchant, entry?.["id"], target);
    assert.deepEqual([status, Object.keys(body).toSorted()], [400, [field, "status_code"].toSorted()], text);
  }
  assert.deepEqual(await statuses(service, other), ["pending"]);
});

// Holds FILE-3.
test("equal entries on two accounts of a merchant are two entries, and a person decides each", async () => {
  const one = await sent(service);
  const other = await bankOf(service, one.merchant, { creditor_iban: OTHER_IBAN });
  const unknown = [["collection", { amount: "19.90", endToEndId: "NOBODY" }]] as const;
  await read(service, one.merchant, camt("camt.053", "2026-11-25", unknown));
  const { report } = await read(service, other, camt("camt.053", "2026-11-25", unknown, OTHER_IBAN));
  assert.equal(report["unmatched"], 1, JSON.stringify(report));
  assert.equal((await unmatched(service, one.merchant)).length, 2);
});

test("another tenant with the same account shares nothing", async () => {
  const ours = await sent(service);
  const theirs = await sent(service);
  await booked(service, theirs.merchant, [
    ["collection", { amount: "19.90", endToEndId: ours.references[0] ?? "" }],
  ]);
  assert.deepEqual(await statuses(service, ours), ["pending"]);
  assert.equal((await unmatched(service, theirs.merchant)).length, 1);
  assert.deepEqual(await unmatched(service, ours.merchant), []);
});

async function moveAccount(merchant: BankMerchant, iban: string): Promise<void> {
  const path = `management/gateways/${merchant.accountId}/`;
  const { body } = await service.get(path, { key: merchant.key });
  const settings = { ...body["settings"], creditor_iban: iban };
  const patched = await service.call("PATCH", path, { settings }, { key: merchant.key });
  assert.equal(patched.status, 200, patched.text);
}

test("after a change of the account, statements of the old account settle and return the payments that were sent for it", async () => {
  const was = await sent(service);
  await moveAccount(was.merchant, OTHER_IBAN);
  const endToEndId = was.references[0] ?? "";
  await booked(service, was.merchant, [["collection", { amount: "19.90", endToEndId }]]);
  assert.deepEqual(await statuses(service, was), ["approved"]);
  const back = camt("camt.053", "2026-11-27", [["return", { amount: "19.90", endToEndId, reason: "MD06" }]]);
  await read(service, was.merchant, back);
  assert.deepEqual(await statuses(service, was), ["charged_back"]);
  const [account] = await service.rows(
    "select iban, last_used_at >= first_used_at as ordered from sepa_creditor_accounts where gateway_id = $1",
    [was.merchant.accountId],
  );
  assert.deepEqual({ ...account }, { iban: CREDITOR.iban, ordered: true });
});

test("a statement of an account that the gateway never had is refused, before and after a change", async () => {
  const { merchant, references } = await sent(service);
  const foreign = () =>
    camt(
      "camt.053",
      "2026-11-25",
      [["collection", { amount: "19.90", endToEndId: references[0] ?? "" }]],
      "FR1420041010050500013M02606",
    );
  assert.equal((await read(service, merchant, foreign()))["status"], "refused");
  await moveAccount(merchant, OTHER_IBAN);
  assert.equal((await read(service, merchant, foreign()))["status"], "refused");
});

test("an account that no file has named is removed completely", async () => {
  const { merchant } = await sent(service);
  const fresh = await bankOf(service, merchant, { creditor_iban: OTHER_IBAN });
  await moveAccount(fresh, CREDITOR.iban);
  const old = camt("camt.053", "2026-11-25", [], OTHER_IBAN);
  assert.equal((await read(service, fresh, old))["status"], "refused");
});

/** The account as people type it. Each is accepted when the settings are saved. */
const TYPED_IBANS = [
  "de89 3704 0044 0532 0130 00",
  "DE89-3704-0044-0532-0130-00",
  "iban: de89.3704.0044.0532.0130.00",
] as const;

test("an account is stored and shown in the form that bank files have, however it was typed", async () => {
  const merchant = await bankMerchant(service);
  for (const creditor_iban of TYPED_IBANS) {
    const { accountId, key } = await bankOf(service, merchant, { creditor_iban });
    const shown = async () =>
      (await service.get(`management/gateways/${accountId}/`, { key })).body["settings"];
    assert.equal((await shown()).creditor_iban, CREDITOR.iban, creditor_iban);
    await moveAccount({ ...merchant, accountId }, "nl91 abna 0417 1643 00");
    assert.equal((await shown()).creditor_iban, OTHER_IBAN);
  }
});

for (const typed of TYPED_IBANS)
  test(`files are written, statements read and the journal balanced for an account that an earlier version stored as ${typed}`, async () => {
    const merchant = await bankMerchant(service);
    await service.rows(
      "update gateways set settings = jsonb_set(settings, '{creditor_iban}', to_jsonb($2::text)) where id = $1",
      [merchant.accountId, typed],
    );
    const { references, file } = await sentBy(service, merchant, 1);
    assert.ok((await content(service, merchant, file["id"])).includes(`<IBAN>${CREDITOR.iban}</IBAN>`));
    const credit = ["collection", { amount: "19.90", endToEndId: references[0] ?? "" }] as const;
    await readBalanced(merchant, "2026-11-25", [credit], ["100.00", "119.90"]);
    assert.deepEqual(await journalOf(merchant), ["2026-11-25 collection 3000 19.90"]);
  });

/** Reads a camt.053 with the balances before and after its entries. */
async function readBalanced(
  merchant: BankMerchant,
  day: string,
  entries: Entries,
  balances: readonly [opening: string, closing: string],
  iban: string = CREDITOR.iban,
): Promise<void> {
  const xml = withBalances(camt("camt.053", day, entries, iban), day, 1, ...balances);
  const { status } = await read(service, merchant, xml);
  assert.equal(status, "applied");
}

test("the journal keeps the account of what was booked on it after the gateway's account changes, and adds up for both accounts", async () => {
  const was = await sent(service, 2);
  const { merchant } = was;
  const collection = (endToEndId = "") => ["collection", { amount: "19.90", endToEndId }] as const;
  const [first = "", second = ""] = was.references;
  await readBalanced(merchant, "2026-11-25", [collection(first)], ["100.00", "119.90"]);
  // Reported without a statement.
  await read(service, merchant, camt("camt.054", "2026-11-26", [collection(second)]));
  const before = ["2026-11-25 collection 3000 19.90", "2026-11-26 collection 3000 19.90"];
  assert.deepEqual(await journalOf(merchant), before);
  await moveAccount(merchant, OTHER_IBAN);
  assert.deepEqual(await journalOf(merchant), before);
  const { references } = await sentBy(service, merchant, 1, "2026-11-26");
  await readBalanced(merchant, "2026-11-26", [collection(second)], ["119.90", "139.80"]);
  await readBalanced(merchant, "2026-11-30", [collection(references[0])], ["0.00", "19.90"], OTHER_IBAN);
  const back = ["return", { amount: "19.90", endToEndId: first, reason: "MD06" }] as const;
  await readBalanced(merchant, "2026-11-30", [back], ["139.80", "119.90"]);
  assert.deepEqual((await journalOf(merchant)).toSorted(), [
    ...before,
    "2026-11-30 collection 4300 19.90",
    "2026-11-30 return 3000 19.90",
  ]);
});

test("in the journal an account that was used again after another one has what was booked on it both times", async () => {
  const merchant = await bankMerchant(service);
  const lines: string[] = [];
  for (const [iban, day, booked_on] of [
    [CREDITOR.iban, "2026-11-23", "2026-11-25"],
    [OTHER_IBAN, "2026-11-24", "2026-11-26"],
    [CREDITOR.iban, "2026-11-25", "2026-11-27"],
  ] as const) {
    await moveAccount(merchant, iban);
    const { references } = await sentBy(service, merchant, 1, day);
    const credit = ["collection", { amount: "19.90", endToEndId: references[0] ?? "" }] as const;
    await read(service, merchant, camt("camt.054", booked_on, [credit], iban));
    lines.push(`${booked_on} collection ${iban.slice(-4)} 19.90`);
  }
  assert.deepEqual(await journalOf(merchant), lines);
});

test("the journal has a debit on the account of the statement that booked it, although its file named the account's former number", async () => {
  const { merchant, references } = await sent(service);
  await moveAccount(merchant, OTHER_IBAN);
  const credit = ["collection", { amount: "19.90", endToEndId: references[0] ?? "" }] as const;
  await readBalanced(merchant, "2026-11-25", [credit], ["0.00", "19.90"], OTHER_IBAN);
  assert.deepEqual(await journalOf(merchant), ["2026-11-25 collection 4300 19.90"]);
});

/** The lines of the journal, each with the end of its account. */
async function journalOf({ key }: BankMerchant): Promise<readonly string[]> {
  const { body, text } = await service.get("management/journal/?from=2026-11-01&to=2026-12-31", { key });
  assert.ok(Array.isArray(body["results"]), text);
  return (body["results"] as readonly Json[]).map(
    ({ day, what, bank_account: account, amount }) => `${day} ${what} ${account} ${amount}`,
  );
}
