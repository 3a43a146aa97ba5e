/**
 * Files of an account that requires approval: none is sent before it (FILE-5), and waiting for it debits nothing twice.
 */
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { manualClock } from "../../src/lib/clock.ts";
import type { Database, Tx } from "../../src/db/database.ts";
import { findAccounts, type AccountRow } from "../../src/gateways/sepa-batch/files-store.ts";
import { sendJob } from "../../src/gateways/sepa-batch/outgoing/send.ts";
import { collectDue } from "../../src/gateways/sepa-batch/outgoing/write-files.ts";
import { must } from "../../src/lib/assert.ts";
import { readFigures } from "../../src/operator/figures.ts";
import { createRace, untilWaiting } from "../support/at-once.ts";
import { assertBooksAgree } from "../support/books.ts";
import { UNKNOWN, wordsOf } from "../support/console.ts";
import { member, tokenIn, type Member } from "../support/people.ts";
import { bankMerchant, content, markSent, outgoing, payAt, type BankMerchant } from "../support/sepa-bank.ts";
import { deskOf } from "../support/sepa-desk.ts";
import { OPERATOR_KEY, startService, type Json, type Response, type Service } from "../support/service.ts";

const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
const race = createRace();
let service: Service;
let folder: string;
let desk: ReturnType<typeof deskOf>;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "payment-sessions-approvals-"));
  service = await startService({ clock, config: { sepaDirectory: folder }, between: race.between });
  desk = deskOf(service);
});
after(async () => {
  await assertBooksAgree(service.db).finally(() => service.close());
  await rm(folder, { recursive: true, force: true });
});

const post = (merchant: BankMerchant, file: Json, what: string): Promise<Response> =>
  service.post(`management/sepa-files/${file["id"]}/${what}/`, undefined, { key: merchant.key });

const approve = (merchant: BankMerchant, file: Json) => post(merchant, file, "approve");

const finance = (merchant: BankMerchant): Promise<Member> =>
  member(service, { id: merchant.tenantId, tenant: 0, key: merchant.key }, "finance");

/** Sends the form of the console's page. */
async function approveAs({ browser }: Member, file: Json): Promise<Response> {
  const path = `/console/bank/files/${file["id"]}/`;
  const page = await browser.get(`${path}?act=approve`);
  const id = /name="id" value="([^"]+)"/.exec(page.text)?.[1] ?? UNKNOWN;
  return browser.post(`${path}approve/`, { csrf: tokenIn(page) ?? "", id });
}

/** The status, and the code of a refusal. */
const said = ({ status, body }: Response) => [status, body["status"] ?? body["code"]];

async function waitsForPeople(merchant: BankMerchant): Promise<readonly string[]> {
  const { body } = await service.get("management/needs-attention/", { key: merchant.key });
  return (body["results"] as readonly Json[]).map(({ kind, count }) => `${kind} ${count}`);
}

const statuses = async (merchant: BankMerchant) =>
  (await outgoing(service, merchant)).map(({ status }) => status);

test("a file that one person has to approve is neither handed out nor marked before the approval, and the log names the person", async () => {
  const { merchant, file, references } = await desk.batched(2, { approvals_required: 1 });
  assert.deepEqual([file["status"], file["approvals_required"], file["approved_by"]], ["to_approve", 1, []]);
  assert.deepEqual(await waitsForPeople(merchant), ["files_to_approve 1"]);
  const early = await service.get(`management/sepa-files/${file["id"]}/content/`, { key: merchant.key });
  assert.deepEqual(said(early), [409, "file_held_back"]);
  assert.match(early.body["detail"], /waits for approval/);
  assert.deepEqual(said(await post(merchant, file, "mark-sent")), [409, "file_not_ready"]);

  const approved = await approve(merchant, file);
  assert.deepEqual(said(approved), [200, "ready"], approved.text);
  assert.equal(approved.body["approved_by"].length, 1);
  assert.deepEqual(said(await approve(merchant, file)), [409, "file_not_to_approve"]);
  assert.match(await content(service, merchant, file["id"]), /pain\.008/);
  const audit = await service.rows(
    "select after from audit_log where resource_id = $1 and action = 'update' order by at",
    [file["id"]],
  );
  assert.deepEqual(audit, [{ after: { approved: true } }]);
  await markSent(service, merchant, file["id"]);
  await desk.booked(
    merchant,
    references.map((endToEndId) => ["collection", { amount: "19.90", endToEndId }] as const),
  );
});

test("two approvals need two people; all API keys together count as one", async () => {
  const { merchant, file } = await desk.batched(1, { approvals_required: 2 });
  const other = await service.post(
    `management/tenants/${merchant.tenantId}/api-keys/`,
    { name: "Treasury", scopes: ["bank"] },
    { key: OPERATOR_KEY },
  );
  assert.equal(other.status, 201, other.text);
  assert.deepEqual(said(await approve(merchant, file)), [200, "to_approve"]);
  const again = await approve({ ...merchant, key: other.body["api_key"] }, file);
  assert.deepEqual(said(again), [409, "file_approved_before"], again.text);
  const [ada, grace] = [await finance(merchant), await finance(merchant)];
  const path = `/console/bank/files/${file["id"]}/`;
  assert.match(wordsOf(await ada.browser.get(path)), /Waits for approval .*Approvals 1 of 2/);
  const done = await approveAs(ada, file);
  assert.deepEqual([done.status, done.headers["location"]], [303, `${path}?done=approve`], done.text);
  assert.match(wordsOf(await ada.browser.get(path)), /Ready to be sent .*2 of 2: .*Ada finance/);
  assert.equal((await approveAs(grace, file)).status, 409);
});

test("a file is uploaded after its last approval and not before", async () => {
  const { merchant, file } = await desk.batched(1, {
    approvals_required: 2,
    transport: { kind: "directory" },
  });
  const [row] = await service.rows("select tenant from gateways where id = $1", [merchant.accountId]);
  const out = () => readdir(join(folder, merchant.accountId, "out")).catch(() => []);
  const send = () => sendJob(service.app.deps, row?.["tenant"]).runOnce(1, new AbortController().signal);
  const ada = await finance(merchant);
  await send();
  assert.deepEqual([await out(), await statuses(merchant)], [[], ["to_approve"]]);
  await approveAs(ada, file);
  const twice = await approveAs(ada, file);
  assert.match(wordsOf(twice), /You have already approved this file/);
  await send();
  assert.deepEqual([await out(), await statuses(merchant)], [[], ["to_approve"]]);
  assert.deepEqual(said(await approve(merchant, file)), [200, "stored"]);
  await send();
  assert.deepEqual([await out(), await statuses(merchant)], [[file["name"]], ["sent"]]);
});

test("the database lets no file be sent without its approvals", async () => {
  const { file } = await desk.batched(1, { approvals_required: 2 });
  for (const status of ["ready", "stored", "uploading", "renaming", "unclear"]) {
    const due = ["ready", "unclear"].includes(status) ? "null" : "now()";
    await assert.rejects(
      service.rows(`update sepa_files set status = $2, due_at = ${due} where id = $1`, [file["id"], status]),
      /approved_before_it_goes/,
      status,
    );
  }
});

test("a file that is not approved in time is withdrawn and listed until the next one is sent; nothing is debited twice", async () => {
  const { merchant, references, file } = await desk.batched(2, { approvals_required: 1 });
  await desk.moveTo(merchant, "2026-11-24T22:00:00Z");
  assert.deepEqual(await statuses(merchant), ["to_approve"]);
  // The clock advances while the page with the button is open.
  await desk.moveTo(merchant, "2026-11-25T08:00:00Z");
  const late = await approve(merchant, file);
  assert.equal(late.status, 409);
  assert.ok(["file_held_back", "file_not_to_approve"].includes(late.body["code"]), late.text);
  const [missed] = await outgoing(service, merchant);
  assert.equal(missed?.["status"], "withdrawn");
  assert.match(missed?.["error"], /had to reach the bank by 2026-11-24 .*not approved by then/);
  assert.deepEqual(await waitsForPeople(merchant), ["files_not_approved 1"]);
  await desk.moveTo(merchant, "2026-11-25T12:00:00Z");
  assert.deepEqual(await waitsForPeople(merchant), ["files_not_approved 1", "files_to_approve 1"]);
  const missedBefore = (await readFigures(service.db)).bank.not_approved;
  const next = (await outgoing(service, merchant))[1];
  assert.deepEqual([next?.["status"], next?.["due_date"]], ["to_approve", "2026-11-27"]);
  assert.deepEqual(said(await approve(merchant, next ?? {})), [200, "ready"]);
  const xml = await content(service, merchant, next?.["id"]);
  for (const reference of references) assert.ok(xml.includes(`<EndToEndId>${reference}<`));
  await markSent(service, merchant, next?.["id"]);
  assert.deepEqual(await waitsForPeople(merchant), []);
  assert.equal((await readFigures(service.db)).bank.not_approved, missedBefore - 1);
});

test("a file whose day has passed cannot be approved, even before the service has looked at it again", async () => {
  const { merchant, file } = await desk.batched(1, { approvals_required: 1 });
  await service.rows("update sepa_files set due_date = '2026-11-23' where id = $1", [file["id"]]);
  const late = await approve(merchant, file);
  assert.deepEqual(said(late), [409, "file_held_back"], late.text);
  assert.match(late.body["detail"], /had to reach the bank by 2026-11-20 .*It was withdrawn/);
  const [held] = await outgoing(service, merchant);
  assert.deepEqual([held?.["status"], held?.["approved_by"]], ["withdrawn", []]);
});

test("a file that was approved in time and not delivered is not reported as unapproved", async () => {
  const { merchant, file } = await desk.batched(1, { approvals_required: 1 });
  assert.deepEqual(said(await approve(merchant, file)), [200, "ready"]);
  await desk.moveTo(merchant, "2026-11-25T08:00:00Z");
  assert.deepEqual(await statuses(merchant), ["withdrawn"]);
  assert.deepEqual(await waitsForPeople(merchant), []);
});

test("a form that is sent twice approves once, and both responses confirm it", async () => {
  const { merchant, file } = await desk.batched(1, { approvals_required: 2 });
  const { browser } = await finance(merchant);
  const path = `/console/bank/files/${file["id"]}/`;
  const page = await browser.get(`${path}?act=approve`);
  const form = { csrf: tokenIn(page) ?? "", id: /name="id" value="([^"]+)"/.exec(page.text)?.[1] ?? UNKNOWN };
  for (const time of ["first", "second"]) {
    const done = await browser.post(`${path}approve/`, form);
    assert.deepEqual([done.status, done.headers["location"]], [303, `${path}?done=approve`], time);
  }
  const [once] = await outgoing(service, merchant);
  assert.deepEqual([once?.["status"], once?.["approved_by"].length], ["to_approve", 1]);
});

test("a file that a person rejects is withdrawn: its contents are sent once, in the next one, which needs approval as well", async () => {
  const { merchant, references, file } = await desk.batched(1, { approvals_required: 2 });
  await approve(merchant, file);
  assert.deepEqual(said(await post(merchant, file, "withdraw")), [200, "withdrawn"]);
  assert.deepEqual(said(await approve(merchant, file)), [409, "file_not_to_approve"]);
  await desk.moveTo(merchant, "2026-11-24T12:00:00Z");
  const next = (await outgoing(service, merchant))[1] ?? {};
  assert.deepEqual([next["status"], next["approved_by"]], ["to_approve", []]);
  const [row] = await service.rows("select file_id from sepa_collections where reference = $1", references);
  assert.equal(row?.["file_id"], next["id"]);
  assert.deepEqual(await waitsForPeople(merchant), ["files_to_approve 1"]);
});

test("concurrent approvals: two people count twice, one person counts once, and more than needed are refused", async () => {
  const two = await desk.batched(1, { approvals_required: 2 });
  const [ada, grace] = [await finance(two.merchant), await finance(two.merchant)];
  await race.atOnce(
    service,
    () => approveAs(ada, two.file),
    () => approveAs(grace, two.file),
  );
  assert.deepEqual(await statuses(two.merchant), ["ready"]);

  const same = await desk.batched(1, { approvals_required: 2 });
  await race.atOnce(
    service,
    () => approve(same.merchant, same.file),
    () => approve(same.merchant, same.file),
  );
  const [once] = await outgoing(service, same.merchant);
  assert.deepEqual([once?.["status"], once?.["approved_by"].length], ["to_approve", 1]);

  const one = await desk.batched(1, { approvals_required: 1 });
  const person = await finance(one.merchant);
  const answers = await race.atOnce(
    service,
    () => approve(one.merchant, one.file),
    () => approveAs(person, one.file),
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 409],
  );
  assert.equal((await outgoing(service, one.merchant))[0]?.["approved_by"].length, 1);
});

test("a file that is approved and withdrawn at the same time is not sent, whichever is first", async () => {
  for (const first of ["approve", "withdraw"] as const) {
    const { merchant, file, references } = await desk.batched(1, { approvals_required: 1 });
    const second = first === "approve" ? "withdraw" : "approve";
    await race.atOnce(
      service,
      () => post(merchant, file, first),
      () => post(merchant, file, second),
    );
    assert.deepEqual(await statuses(merchant), ["withdrawn"]);
    const [row] = await service.rows("select state from sepa_collections where reference = $1", references);
    assert.equal(row?.["state"], "accepted");
  }
});

async function change(merchant: BankMerchant, changed: object): Promise<void> {
  const path = `management/gateways/${merchant.accountId}/`;
  const { body } = await service.get(path, { key: merchant.key });
  const settings = { ...body["settings"], ...changed };
  const answer = await service.call("PATCH", `/api/v1/${path}`, { settings }, { key: merchant.key });
  assert.equal(answer.status, 200, answer.text);
}

test("a new setting applies to files that are written later: waiting ones keep theirs", async () => {
  const { merchant, file } = await desk.batched(1, { approvals_required: 2 });
  await change(merchant, { approvals_required: 0 });
  assert.deepEqual(said(await approve(merchant, file)), [200, "to_approve"]);
  await payAt(merchant);
  await desk.moveTo(merchant, "2026-11-24T12:00:00Z");
  assert.deepEqual(await statuses(merchant), ["to_approve", "ready"]);
  await change(merchant, { approvals_required: 1 });
  assert.deepEqual(await statuses(merchant), ["to_approve", "ready"]);
});

/** The account as a pass reads it when it begins, long before the account's turn. */
async function readByPass(merchant: BankMerchant): Promise<AccountRow> {
  const [row] = await service.rows("select tenant from gateways where id = $1", [merchant.accountId]);
  return must((await findAccounts(service.db, row?.["tenant"], merchant.accountId))[0], "the account");
}

test("a file is written by the settings that were changed before its account's turn, also if the pass had begun by then", async () => {
  const merchant = await bankMerchant(service, { transport: { kind: "directory" } });
  await payAt(merchant);
  const read = await readByPass(merchant);
  const creditor_iban = "DE35370400440532013002";
  await change(merchant, { approvals_required: 1, creditor_iban, transport: { kind: "manual" } });
  const written = await collectDue(service.app.deps, read, { evenBeforeCutOff: true });
  assert.deepEqual([written.files, await statuses(merchant)], [1, ["to_approve"]]);
  const [file] = await outgoing(service, merchant);
  assert.deepEqual(said(await approve(merchant, file ?? {})), [200, "ready"]);
  assert.match(await content(service, merchant, file?.["id"]), new RegExp(`<IBAN>${creditor_iban}</IBAN>`));
});

test("no file is written at a cut-off that was moved to later before its account's turn, and the day's run is still to come", async () => {
  const merchant = await bankMerchant(service, { cut_off: "08:30" });
  await payAt(merchant);
  const read = await readByPass(merchant);
  await change(merchant, { cut_off: "17:00" });
  const early = await collectDue(service.app.deps, read, { evenBeforeCutOff: false });
  assert.deepEqual([early.files, await statuses(merchant)], [0, []]);
  assert.match(early.why ?? "", /the cut-off is at 2026-11-23T16:00:00/);
  await change(merchant, { cut_off: "08:30" });
  const due = await readByPass(merchant);
  assert.equal((await collectDue(service.app.deps, due, { evenBeforeCutOff: false })).files, 1);
});

test("a change of the settings during a run is answered when the run's files are stored", async () => {
  const merchant = await bankMerchant(service);
  const { deps } = service.app;
  // The first run of an account locks it by inserting its row; a later one does not.
  const first = await readByPass(merchant);
  assert.equal((await collectDue(deps, first, { evenBeforeCutOff: true })).why, "nothing is waiting");
  await payAt(merchant);
  const seen = { answered: false, during: true };
  const changed: Promise<void>[] = [];
  const changing = async () => {
    await change(merchant, { approvals_required: 1 });
    seen.answered = true;
  };
  // Before the first statement of the run that reads what it writes.
  const query =
    (tx: Tx): Tx["query"] =>
    async (statement, values) => {
      if (statement.name === "sepa_files.waiting" && changed.length === 0) {
        changed.push(changing());
        await Promise.race([...changed, untilWaiting(service)]);
        seen.during = seen.answered;
      }
      return tx.query(statement, values);
    };
  const transaction: Database["transaction"] = (work) =>
    deps.db.transaction((tx) => work({ ...tx, query: query(tx) }));
  const read = await readByPass(merchant);
  const db = { ...deps.db, transaction };
  const written = await collectDue({ ...deps, db }, read, { evenBeforeCutOff: true });
  await Promise.all(changed);
  assert.deepEqual([written.files, await statuses(merchant)], [1, ["ready"]]);
  assert.deepEqual(seen, { answered: true, during: false });
});

test("a file is approved by its own tenant only, by those who may, and after the second factor was given again", async () => {
  const { merchant, file } = await desk.batched(1, { approvals_required: 1 });
  const stranger = await bankMerchant(service);
  assert.equal((await approve({ ...merchant, key: stranger.key }, file)).status, 404);
  const viewer = await member(service, { id: merchant.tenantId, tenant: 0, key: merchant.key }, "viewer");
  assert.equal((await approveAs(viewer, file)).status, 403);
  const person = await finance(merchant);
  const path = `/console/bank/files/${file["id"]}/`;
  const page = await person.browser.get(`${path}?act=approve`);
  clock.advance(11 * 60_000);
  const asked = await person.browser.post(`${path}approve/`, {
    csrf: tokenIn(page) ?? "",
    id: /name="id" value="([^"]+)"/.exec(page.text)?.[1] ?? UNKNOWN,
  });
  assert.match(String(asked.headers["location"]), /^\/console\/step-up\//);
  assert.deepEqual(await statuses(merchant), ["to_approve"]);
});
