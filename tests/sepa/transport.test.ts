/**
 * The transport of files to the bank and back, over a real SFTP server and through directories: each file once,
 * whatever goes wrong.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, renameSync, statSync, utimesSync, writeFileSync } from "node:fs";
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { after, before, test } from "node:test";
import { ordered, type Database } from "../../src/db/database.ts";
import { scenarioOf } from "../../src/gateways/sandbox/scenarios.ts";
import { DAY_MS, manualClock, MINUTE_MS } from "../../src/lib/clock.ts";
import { answer } from "../../tools/simulated-bank/answer.ts";
import { readPain008 } from "../../tools/simulated-bank/read.ts";
import { fetchFiles, fetchJob } from "../../src/gateways/sepa-batch/incoming/fetch.ts";
import { openMailbox } from "../../src/gateways/sepa-batch/transports/mailbox.ts";
import { must } from "../../src/lib/assert.ts";
import { claimUpload } from "../../src/gateways/sepa-batch/outgoing/store.ts";
import { sendJob } from "../../src/gateways/sepa-batch/outgoing/send.ts";
import { findAccounts, type AccountRow } from "../../src/gateways/sepa-batch/files-store.ts";
import { createRace } from "../support/at-once.ts";
import { assertBooksAgree } from "../support/books.ts";
import { wordsOf } from "../support/console.ts";
import { member, tokenIn } from "../support/people.ts";
import { bankMerchant, camt, content, outgoing, payAt, type BankMerchant } from "../support/sepa-bank.ts";
import { referenceOf } from "../support/sepa-desk.ts";
import { startService, type Json, type Response, type Service } from "../support/service.ts";
import { startHangingServer, startSftpServer, whyNoSftp, type SftpServer } from "../support/sftp-server.ts";
import * as treasury from "../support/treasury.ts";
import { bankEntry, bankFile } from "./messages.ts";

const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
/** A visit without a time limit. */
const NEVER = new AbortController().signal;
const race = createRace();
let service: Service;
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "payment-sessions-directory-"));
  service = await startService({ clock, config: { sepaDirectory: folder }, between: race.between });
});
after(async () => {
  await assertBooksAgree(service.db).finally(() => service.close());
  await rm(folder, { recursive: true, force: true });
});

/** Both directions of the bank's folders, as the test accesses them. */
interface Bank {
  readonly merchant: BankMerchant;
  readonly toBank: string;
  readonly fromBank: string;
  readonly archive: string;
}

async function directoryBank(): Promise<Bank> {
  const merchant = await bankMerchant(service, { transport: { kind: "directory" } });
  const own = join(folder, merchant.accountId);
  return { merchant, toBank: join(own, "out"), fromBank: join(own, "in"), archive: join(own, "archive") };
}

async function sftpBank(server: SftpServer, changes: object = {}): Promise<Bank> {
  const transport = {
    kind: "sftp",
    host: "127.0.0.1",
    port: server.port,
    username: server.username,
    host_key: server.hostKey,
    outbox: server.outbox,
    inbox: server.inbox,
    archive: server.archive,
    ...changes,
  };
  const merchant = await bankMerchant(
    service,
    { transport },
    { credentials: { private_key: server.privateKey } },
  );
  return { merchant, toBank: server.outbox, fromBank: server.inbox, archive: server.archive };
}

const moveTo = (merchant: BankMerchant, date: string) => treasury.moveTo(service, merchant, date);

async function accountOf(merchant: BankMerchant): Promise<AccountRow> {
  const [row] = await service.rows("select tenant from gateways where id = $1", [merchant.accountId]);
  const [account] = await findAccounts(service.db, row?.["tenant"], merchant.accountId);
  assert.ok(account !== undefined);
  return account;
}

/** Visits the account's folder twice, as the job does, because a file's size has to be the same in both visits. */
async function fetchTwice(merchant: BankMerchant): Promise<number> {
  const account = await accountOf(merchant);
  const seen = new Map<string, number>();
  clock.advance(MINUTE_MS);
  assert.equal(await fetchFiles(service.app.deps, account, seen, NEVER), 0, "not at the first sight");
  clock.advance(MINUTE_MS);
  return fetchFiles(service.app.deps, account, seen, NEVER);
}

async function statuses(merchant: BankMerchant): Promise<Record<string, string>> {
  const { body } = await service.get("reconciliation/transactions/?start_date=2026-11-20", {
    key: merchant.key,
  });
  return Object.fromEntries(
    (body["results"] as Json[]).map((row) => [String(row["iban"]).slice(-4), row["status"]]),
  );
}

/** Pays, sends the files, lets the simulated bank answer day by day, and fetches its files. */
async function walk({ merchant, toBank, fromBank, archive }: Bank): Promise<void> {
  const ibans = [
    "DE89370400440532013000",
    "DE62370400440532013001",
    "DE35370400440532013002",
    "DE78370400440532013004",
  ];
  for (const iban of ibans) await payAt(merchant, {}, iban);
  await moveTo(merchant, "2026-11-23T12:00:00Z");
  await sendJob(service.app.deps, null).runOnce(1);
  const [file] = await outgoing(service, merchant);
  assert.deepEqual([file?.["status"], file?.["transactions"], file?.["error"]], ["sent", 4, null]);
  assert.deepEqual(await readdir(toBank), [file?.["name"]], "the file, and nothing half-written beside it");
  const sent = await readFile(join(toBank, file?.["name"]), "utf8");
  const said = answer(readPain008(sent), scenarioOf, {
    id: "B1",
    receivedAt: new Date("2026-11-23T13:00:00Z"),
  });
  await writeFile(join(fromBank, "1-status.xml"), said.pain002 ?? "");
  for (const { date, camt053 } of said.days) await writeFile(join(fromBank, `2-${date}.xml`), camt053);
  await writeFile(join(fromBank, "3-all.xml"), said.camt054 ?? "");
  // Neither is a file from the bank.
  await mkdir(join(fromBank, "4-older"));
  await writeFile(join(fromBank, ".5-half.xml"), "<?xml");
  assert.equal(await fetchTwice(merchant), said.days.length + 2);
  assert.deepEqual((await readdir(fromBank)).toSorted(), [".5-half.xml", "4-older"]);
  assert.equal((await visitOf(merchant))?.["poll_error"], null);
  assert.equal((await readdir(archive)).length, said.days.length + 2);
  assert.deepEqual(await statuses(merchant), {
    3000: "approved",
    3001: "declined",
    3002: "charged_back",
    3004: "charged_back",
  });
  const { body } = await service.get("reconciliation/chargebacks/?start_date=2026-11-20", {
    key: merchant.key,
  });
  const codes = (body["results"] as Json[]).map(({ reason_code: code }) => String(code));
  assert.deepEqual(new Set(codes), new Set(["AM04", "MD06"]));
  assert.equal(codes.length, 2);
  const unmatched = await service.get("management/unmatched/", { key: merchant.key });
  assert.deepEqual(unmatched.body["results"], []);
}

test("a file whose upload failed is not retried once the bank books an instruction from an earlier file that was withdrawn by mistake", async () => {
  const merchant = await bankMerchant(service);
  const references = [referenceOf(await payAt(merchant)), referenceOf(await payAt(merchant))];
  await moveTo(merchant, "2026-11-23T12:00:00Z");
  const [first = {}] = await outgoing(service, merchant);
  const key = { key: merchant.key };
  const post = async (id: string, what: string) => {
    const { status, text } = await service.post(`management/sepa-files/${id}/${what}/`, undefined, key);
    assert.equal(status, 200, text);
  };
  // The bank receives the first file. A person withdraws it, and the next file goes to a folder that does not exist
  // yet.
  assert.equal((await service.get(`management/sepa-files/${first["id"]}/content/`, key)).status, 200);
  await post(first["id"], "withdraw");
  const path = `management/gateways/${merchant.accountId}/`;
  const { settings } = (await service.get(path, key)).body;
  const changed = await service.call(
    "PATCH",
    path,
    { settings: { ...settings, transport: { kind: "directory" } } },
    key,
  );
  assert.equal(changed.status, 200, changed.text);
  const own = join(folder, merchant.accountId);
  await writeFile(own, "in the way");
  await moveTo(merchant, "2026-11-24T12:00:00Z");
  const newest = async () => (await outgoing(service, merchant)).at(-1) ?? {};
  const send = async () => {
    await service.rows("update sepa_files set locked_until = null, due_at = due_at - interval '1 day'");
    await sendJob(service.app.deps, null).runOnce(1);
  };
  await send();
  const second = await newest();
  assert.notEqual(second["id"], first["id"]);
  assert.deepEqual([second["status"], second["transactions"]], ["stored", 2]);
  assert.match(second["error"], /ENOTDIR|EEXIST/);
  const entry = ["collection", { amount: "19.90", endToEndId: references[0] ?? "" }] as const;
  await treasury.booked(service, merchant, [entry], "2026-11-25");
  await rm(own);
  await send();
  const held = await newest();
  assert.deepEqual([held["id"], held["status"]], [second["id"], "stored"]);
  assert.match(held["error"], /This file is not sent: the bank has reported on instructions in it/);
  const list = await service.get("management/sepa-files/?held=true", key);
  assert.deepEqual(
    list.body["results"].map(({ id }: Json) => id),
    [second["id"]],
  );
  // A person has asked the bank: the other debit is sent, and the booked one never again.
  await moveTo(merchant, "2026-11-24T13:00:00Z");
  await post(second["id"], "withdraw");
  await moveTo(merchant, "2026-11-25T12:00:00Z");
  await send();
  const third = await newest();
  assert.deepEqual([third["status"], third["error"]], ["sent", null]);
  assert.deepEqual(await readdir(join(own, "out")), [third["name"]]);
  const xml = await readFile(join(own, "out", third["name"]), "utf8");
  assert.deepEqual(
    references.map((reference) => xml.includes(`<EndToEndId>${reference}<`)),
    [false, true],
  );
});

test("payments are sent to the bank through directories, and its files settle, reject and return them; folders and hidden files are left alone", async () => {
  const bank = await directoryBank();
  await walk(bank);
  const [name = ""] = await readdir(bank.toBank);
  const { mode } = await stat(join(bank.toBank, name));
  assert.equal(mode & 0o777, 0o600, "only the service's user may read a file of accounts");
});

test(
  "payments are sent to the bank over SFTP, and its files settle, reject and return them; folders and hidden files are left alone",
  { skip: whyNoSftp ?? false },
  async () => {
    const server = await startSftpServer();
    try {
      await walk(await sftpBank(server));
    } finally {
      await server.close();
    }
  },
);

test(
  "nothing is sent to an SFTP server whose key is not the pinned one",
  { skip: whyNoSftp ?? false },
  async () => {
    const server = await startSftpServer();
    try {
      const other = `SHA256:${"A".repeat(43)}`;
      const { merchant, toBank } = await sftpBank(server, { host_key: other });
      await payAt(merchant);
      await moveTo(merchant, "2026-11-23T12:00:00Z");
      await sendJob(service.app.deps, null).runOnce(1);
      const [file] = await outgoing(service, merchant);
      assert.equal(file?.["status"], "stored");
      assert.match(file?.["error"], /not the pinned key/);
      assert.deepEqual(await readdir(toBank), []);
    } finally {
      await server.close();
    }
  },
);

async function paidAndStored(): Promise<Bank> {
  const bank = await directoryBank();
  await payAt(bank.merchant);
  await service.rows(
    'update gateways set settings = settings || \'{"transport": {"kind": "directory"}}\' where id = $1',
    [bank.merchant.accountId],
  );
  await moveTo(bank.merchant, "2026-11-23T12:00:00Z");
  return bank;
}

async function setStatus(merchant: BankMerchant, status: string): Promise<Json> {
  const [file] = await outgoing(service, merchant);
  await service.rows("update sepa_files set status = $2, due_at = $3, sent_at = null where id = $1", [
    file?.["id"],
    status,
    clock.now(),
  ]);
  return file ?? {};
}

test("a file is sent while other processes are sending the files of many other tenants", async () => {
  const { merchant, toBank } = await paidAndStored();
  const { id, name } = await setStatus(merchant, "stored");
  await rm(join(toBank, name));
  const columns = await service.rows(
    "select attname as name from pg_attribute where attrelid = 'sepa_files'::regclass and attnum > 0",
  );
  const others: Record<string, string> = {
    tenant: "-copy",
    due_at: "due_at - interval '1 minute'",
    locked_until: "statement_timestamp() + interval '1 hour'",
  };
  await service.rows("alter table sepa_files disable trigger all");
  try {
    await service.rows(
      `insert into sepa_files select ${columns.map((column) => others[column["name"]] ?? column["name"]).join(", ")}
         from sepa_files, generate_series(1, 200) copy where id = $1`,
      [id],
    );
    await sendJob(service.app.deps, null).runOnce(1);
  } finally {
    await service.rows("delete from sepa_files where tenant < 0");
    await service.rows("alter table sepa_files enable trigger all");
  }
  assert.deepEqual(await readdir(toBank), [name]);
});

test("an upload that broke before the renaming is repeated; one that broke later needs a person, because the bank may have the file", async () => {
  const { merchant, toBank } = await paidAndStored();
  const file = await setStatus(merchant, "uploading");
  const name: string = file["name"];
  await rename(join(toBank, name), join(toBank, `.tmp-${name}`));
  await sendJob(service.app.deps, null).runOnce(1);
  assert.deepEqual(
    [(await outgoing(service, merchant))[0]?.["status"], await readdir(toBank)],
    ["sent", [name]],
  );

  await setStatus(merchant, "renaming");
  assert.equal(await sendJob(service.app.deps, null).runOnce(1), 1);
  assert.equal((await outgoing(service, merchant))[0]?.["status"], "sent", "it is there: it had arrived");

  await setStatus(merchant, "renaming");
  await rm(join(toBank, name));
  assert.equal(await sendJob(service.app.deps, null).runOnce(1), 0);
  const unclear = (await outgoing(service, merchant))[0];
  assert.equal(unclear?.["status"], "unclear");
  assert.match(unclear?.["error"], /may have fetched/);
  clock.advance(60 * MINUTE_MS);
  await sendJob(service.app.deps, null).runOnce(1);
  assert.deepEqual(await readdir(toBank), []);

  const confirm = (arrived: boolean) =>
    service.post(`management/sepa-files/${file["id"]}/confirm/`, { arrived }, { key: merchant.key });
  assert.equal((await confirm(false)).body["status"], "stored");
  assert.equal((await confirm(true)).status, 409, "nobody is asked any more");
  await sendJob(service.app.deps, null).runOnce(1);
  assert.deepEqual(await readdir(toBank), [name]);
});

/** A bank whose server has lost track of the merchant's file, and what is done about that. */
async function withUnclearFile() {
  const bank = await paidAndStored();
  const { merchant, toBank } = bank;
  const [file] = await outgoing(service, merchant);
  const id: string = file?.["id"];
  const send = () => sendJob(service.app.deps, null).runOnce(1);
  const show = async () => (await outgoing(service, merchant))[0] ?? {};
  const becomeUnclear = async () => {
    await setStatus(merchant, "renaming");
    await rm(join(toBank, file?.["name"]), { force: true });
    await send();
    assert.equal((await show())["status"], "unclear");
  };
  const confirm = async (body: object, idempotencyKey?: string) => {
    const headers = idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey };
    const path = `management/sepa-files/${id}/confirm/`;
    const { status, body: said } = await service.post(path, body, { key: merchant.key, headers });
    return [status, said["status"] ?? said["code"]];
  };
  /** As if the process had died when it had committed, and the answer were not stored. */
  const loseAnswer = async (idempotencyKey: string) => {
    const lost = await service.rows(
      "update idempotency_keys set status = null, answer = null, locked_until = created_at where key = $1 returning 1",
      [idempotencyKey],
    );
    assert.equal(lost.length, 1);
  };
  const decisions = () =>
    service.rows("select after from audit_log where resource_id = $1 and action = 'update' order by at", [
      id,
    ]);
  await becomeUnclear();
  return { merchant, toBank, id, send, show, becomeUnclear, confirm, loseAnswer, decisions };
}

test("a decision to send an unclear file again, repeated because its answer was lost, does not send a later unclear upload again", async () => {
  const { toBank, send, becomeUnclear, confirm, loseAnswer, decisions } = await withUnclearFile();
  const idempotencyKey = "send-again";
  assert.deepEqual(await confirm({ arrived: false }, idempotencyKey), [200, "stored"]);
  await loseAnswer(idempotencyKey);
  await send();
  assert.equal((await readdir(toBank)).length, 1);
  // This time the bank has fetched it.
  await becomeUnclear();
  assert.deepEqual(await confirm({ arrived: false }, idempotencyKey), [200, "unclear"]);
  clock.advance(60 * MINUTE_MS);
  await send();
  assert.deepEqual(await readdir(toBank), []);
  assert.deepEqual(await decisions(), [{ after: { arrived: false } }]);
});

test("a confirmation that an unclear file arrived is answered alike when it is repeated, and recorded once", async () => {
  const { confirm, loseAnswer, decisions } = await withUnclearFile();
  const idempotencyKey = "has-arrived";
  assert.deepEqual(await confirm({ arrived: true }, idempotencyKey), [200, "sent"]);
  await loseAnswer(idempotencyKey);
  assert.deepEqual(await confirm({ arrived: true }, idempotencyKey), [200, "sent"]);
  assert.deepEqual(await decisions(), [{ after: { arrived: true } }]);
});

test("a decision about one upload of a file does not apply to a later one, over the API and in an open page of the console", async () => {
  const { merchant, toBank, id, send, show, becomeUnclear, confirm, decisions } = await withUnclearFile();
  const company = { id: merchant.tenantId, tenant: 0, key: merchant.key };
  const { browser } = await member(service, company, "finance");
  const path = `/console/bank/files/${id}/`;
  const { attempts } = await show();
  const stale = await browser.get(path);
  const [link = ""] = /\/console\/bank\/files\/[^"]*act=lost[^"]*/.exec(stale.text) ?? [];
  const press = async (page: Response) => {
    const field = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(page.text)?.[1] ?? "";
    const fields = { id: field("id"), attempts: field("attempts"), csrf: tokenIn(page) ?? "" };
    return browser.post(`${path}lost/`, fields);
  };
  const open = await browser.get(`${path}?act=lost`);

  assert.deepEqual(await confirm({ arrived: false, attempts }), [200, "stored"]);
  assert.deepEqual(await confirm({ arrived: false, attempts }), [409, "file_not_unclear"]);
  await send();
  await becomeUnclear();
  assert.deepEqual(await confirm({ arrived: false, attempts }), [409, "file_sent_again"]);
  for (const page of [open, await browser.get(link.replace("&#38;", "&"))]) {
    const refused = await press(page);
    assert.equal(refused.status, 409);
    assert.match(wordsOf(refused), /This file was sent again since\. Ask the bank about the last upload/);
  }
  await send();
  assert.deepEqual([await readdir(toBank), (await decisions()).length], [[], 1]);

  // The page that says so is about the last upload. Its form is sent twice, as by two clicks.
  const last = await press(open);
  const decide = async () => {
    const { status, headers, text } = await press(last);
    assert.deepEqual([status, headers["location"]], [303, `${path}?done=lost`], text);
  };
  await race.atOnce(service, decide, decide);
  assert.deepEqual([(await show())["status"], (await decisions()).length], ["stored", 2]);
});

test("a file that waits for its upload is given to a person once its account is delivered by hand, unless the bank may have it", async () => {
  for (const status of ["stored", "uploading", "renaming"]) {
    const { merchant, toBank, file } = await toBeSent();
    await setStatus(merchant, status);
    await service.rows(
      'update gateways set settings = settings || \'{"transport": {"kind": "manual"}}\' where id = $1',
      [merchant.accountId],
    );
    const key = { key: merchant.key };
    const current = async () => (await outgoing(service, merchant))[0]?.["status"];
    await sendJob(service.app.deps, null).runOnce(1);
    if (status === "renaming") {
      assert.equal(await current(), "unclear");
      const path = `management/sepa-files/${file["id"]}/confirm/`;
      assert.equal((await service.post(path, { arrived: false }, key)).status, 200);
      await sendJob(service.app.deps, null).runOnce(1);
    }
    assert.equal(await current(), "ready", status);
    assert.equal((await service.get(`management/sepa-files/${file["id"]}/content/`, key)).status, 200);
    assert.equal(
      (await service.post(`management/sepa-files/${file["id"]}/mark-sent/`, undefined, key)).status,
      200,
    );
    assert.deepEqual(await readdir(toBank), []);
  }
});

test("a file that must not go to the bank any more is withdrawn, not given to a person, when its account is delivered by hand", async () => {
  // A person who reads a file that is uploaded automatically does not take it to the bank.
  for (const [status, isRead] of [
    ["stored", false],
    ["uploading", false],
    ["stored", true],
  ] as const) {
    const { merchant, toBank, file } = await toBeSent();
    await setStatus(merchant, status);
    if (isRead) await content(service, merchant, file["id"]);
    await service.rows("update sepa_files set due_date = '2026-11-23' where id = $1", [file["id"]]);
    await service.rows(
      'update gateways set settings = settings || \'{"transport": {"kind": "manual"}}\' where id = $1',
      [merchant.accountId],
    );
    await sendJob(service.app.deps, null).runOnce(1);
    const [stopped] = await outgoing(service, merchant);
    assert.equal(stopped?.["status"], "withdrawn", status);
    assert.match(stopped?.["error"], /had to reach the bank by/);
    assert.deepEqual(await readdir(toBank), []);
  }
});

/** Sends like a process that is delayed before it records the upload. `meanwhile` runs during the delay. */
async function sendHeldUp(meanwhile: () => Promise<void>): Promise<void> {
  const { deps } = service.app;
  let held = 0;
  const db: Database = {
    ...deps.db,
    async commit(statement, values) {
      if (statement.name === "sepa_files.move_upload" && ordered(statement, values).includes("renaming")) {
        held += 1;
        await meanwhile();
      }
      return deps.db.commit(statement, values);
    },
  };
  await sendJob({ ...deps, db }, null).runOnce(1);
  assert.equal(held, 1);
}

/** A stored file that is not in the bank's folder yet. */
async function toBeSent(): Promise<Bank & { readonly file: Json }> {
  const bank = await paidAndStored();
  const file = await setStatus(bank.merchant, "stored");
  await rm(join(bank.toBank, file["name"]));
  return { ...bank, file };
}

test("a file that is withdrawn during its upload does not reach the bank", async () => {
  const { merchant, toBank, file } = await toBeSent();
  await sendHeldUp(async () => {
    const path = `management/sepa-files/${file["id"]}/withdraw/`;
    assert.equal((await service.post(path, undefined, { key: merchant.key })).status, 200);
  });
  assert.equal((await outgoing(service, merchant))[0]?.["status"], "withdrawn");
  assert.ok(!(await readdir(toBank)).includes(file["name"]));
});

for (const [what, end] of [
  ["goes on", () => {}],
  [
    "fails",
    () => {
      throw new Error("The line was cut.");
    },
  ],
] as const) {
  test(`an upload that another process has taken over and that still ${what} neither publishes a file nor changes the other's`, async () => {
    const { merchant, toBank, file } = await toBeSent();
    const read = async () =>
      (
        await service.rows("select status, lease_no, locked_until, error from sepa_files where id = $1", [
          file["id"],
        ])
      )[0];
    let other: Json | undefined;
    await sendHeldUp(async () => {
      clock.advance(11 * MINUTE_MS);
      const [{ tenant } = { tenant: 0 }] = await service.rows("select tenant from sepa_files where id = $1", [
        file["id"],
      ]);
      assert.ok((await claimUpload(service.db, tenant, clock.now(), 10 * MINUTE_MS)) !== null);
      other = await read();
      end();
    });
    assert.deepEqual(await read(), other);
    assert.ok(!(await readdir(toBank)).includes(file["name"]));
    clock.advance(11 * MINUTE_MS);
    await sendJob(service.app.deps, null).runOnce(1);
    assert.equal((await outgoing(service, merchant))[0]?.["status"], "sent");
    assert.deepEqual(await readdir(toBank), [file["name"]]);
  });
}

test("in a folder a file gets its name in one step, so that a crash leaves none that is sent again", async () => {
  const account = await accountOf((await directoryBank()).merchant);
  const mailbox = must(await openMailbox(service.app.deps, account, NEVER), "a folder");
  const out = join(folder, account.id, "out");
  await mailbox.upload(".tmp-a.xml", Readable.from([Buffer.from("<a/>")]));
  const is = { done: false };
  const published = mailbox.publish(".tmp-a.xml", "a.xml").finally(() => {
    is.done = true;
  });
  const seen = new Set<string>();
  while (!is.done) {
    // While this looks, the system may end a step, and the next one cannot begin.
    for (let look = 0; look < 200; look += 1) seen.add(readdirSync(out).join());
    await new Promise(setImmediate);
  }
  await published;
  assert.deepEqual([...seen].toSorted(), [".tmp-a.xml", "a.xml"]);
});

test("an upload never overwrites a file of the same name that it has not written", async () => {
  const { merchant, toBank } = await paidAndStored();
  const file = await setStatus(merchant, "stored");
  await writeFile(join(toBank, file["name"]), "something else");
  await sendJob(service.app.deps, null).runOnce(1);
  assert.equal((await outgoing(service, merchant))[0]?.["status"], "unclear");
  assert.equal(await readFile(join(toBank, file["name"]), "utf8"), "something else");
});

test("a file that is still growing is not read, and a refused file is moved aside with the reason", async () => {
  const { merchant, fromBank, archive } = await paidAndStored();
  const account = await accountOf(merchant);
  const seen = new Map<string, number>();
  const look = () => {
    clock.advance(MINUTE_MS);
    return fetchFiles(service.app.deps, account, seen, NEVER);
  };
  await writeFile(join(fromBank, "half.xml"), "<?xml");
  assert.equal(await look(), 0);
  await writeFile(join(fromBank, "half.xml"), "<?xml version='1.0'?><!DOCTYPE x><x/>");
  assert.equal(await look(), 0);
  assert.equal(await look(), 1);
  assert.deepEqual(await readdir(archive), ["half.xml"]);
  const list = await service.get("management/sepa-files/?direction=in", { key: merchant.key });
  assert.deepEqual(
    (list.body["results"] as Json[]).map(({ status, name }) => [status, name]),
    [["refused", "half.xml"]],
  );
});

test("a file that comes under the name and with the size of one that was read, or was taken away, is not read at the first sight either", async () => {
  const { merchant, fromBank } = await directoryBank();
  const account = await accountOf(merchant);
  const seen = new Map<string, number>();
  const path = join(fromBank, "1.xml");
  const look = () => {
    clock.advance(MINUTE_MS);
    return fetchFiles(service.app.deps, account, seen, NEVER);
  };
  const counts = [await look()];
  for (const content of ["<A/>", "<B/>"]) {
    await writeFile(path, content);
    counts.push(await look(), await look());
  }
  assert.deepEqual(counts, [0, 0, 1, 0, 1]);
  await writeFile(path, "<C/>");
  const again = [await look()];
  await rm(path);
  again.push(await look());
  await writeFile(path, "<D/>");
  again.push(await look(), await look());
  assert.deepEqual(again, [0, 0, 0, 1]);
});

/** Ways in which a bank puts another file under a name. */
const REPLACED: Readonly<Record<string, (path: string, content: string) => void>> = {
  "written over": writeFileSync,
  "moved in place": (path, content) => {
    writeFileSync(`${path}.new`, content);
    renameSync(`${path}.new`, path);
  },
};

/** As `REPLACED`, with the time of the file before: only a folder on this machine shows that it is another file. */
const REPLACED_WITH_ITS_TIME: typeof REPLACED = Object.fromEntries(
  Object.entries(REPLACED).map(([how, replace]) => [
    `${how} with its time`,
    (path, content) => {
      const { atime, mtime } = statSync(path);
      replace(path, content);
      utimesSync(path, atime, mtime);
    },
  ]),
);

/** A file is replaced by one of the same size after its bytes have arrived, before they are in the books. */
async function replaceWhileRead(
  { merchant, fromBank }: Bank,
  archive: string | null,
  replace: (path: string, content: string) => void,
): Promise<void> {
  const account = await accountOf(merchant);
  const path = join(fromBank, "1.xml");
  const seen = new Map<string, number>();
  const look = (reached: (step: string) => void = () => {}) => {
    clock.advance(MINUTE_MS);
    return fetchFiles({ ...service.app.deps, reached }, account, seen, NEVER);
  };
  await writeFile(path, "<A/>");
  await utimes(path, 1_700_000_000, 1_700_000_000);
  const counts = [await look()];
  counts.push(await look((step) => step === "sepa.before_read" && replace(path, "<B/>")));
  assert.equal(await readFile(path, "utf8"), "<B/>");
  counts.push(await look(), await look());
  assert.deepEqual(counts, [0, 1, 0, 1]);
  assert.deepEqual(await readdir(fromBank), []);
  if (archive !== null) assert.equal(await readFile(join(archive, "1.xml"), "utf8"), "<B/>");
  const { body } = await service.get("management/sepa-files/?direction=in", { key: merchant.key });
  assert.deepEqual(
    (body["results"] as Json[]).map(({ sha256 }) => sha256).toReversed(),
    ["<A/>", "<B/>"].map((content) => createHash("sha256").update(content).digest("hex")),
    "both were read",
  );
}

for (const [how, replace] of Object.entries({ ...REPLACED, ...REPLACED_WITH_ITS_TIME }))
  test(`a file in a folder that is ${how} while the one before it is read stays and is read later`, async () => {
    const bank = await directoryBank();
    await mkdir(bank.fromBank, { recursive: true });
    await replaceWhileRead(bank, bank.archive, replace);
  });

for (const archived of [true, false])
  test(
    `a file on an SFTP server that is replaced while the one before it is read is not ${archived ? "archived" : "deleted"}, and is read later`,
    { skip: whyNoSftp ?? false },
    async () => {
      for (const replace of Object.values(REPLACED)) {
        const server = await startSftpServer();
        try {
          const bank = await sftpBank(server, archived ? {} : { archive: undefined });
          await replaceWhileRead(bank, archived ? bank.archive : null, replace);
        } finally {
          await server.close();
        }
      }
    },
  );

const hangingTransport = (port: number) => ({
  kind: "sftp",
  host: "127.0.0.1",
  port,
  username: "shop",
  host_key: `SHA256:${"A".repeat(43)}`,
});

/** The result of the account's last visit. */
async function visitOf(merchant: BankMerchant): Promise<Json | undefined> {
  const [row] = await service.rows(
    "select locked_until, poll_error from sepa_accounts where gateway_id = $1",
    [merchant.accountId],
  );
  return row;
}

test("a bank that hangs delays no other tenant's statements, and the visit to it ends with a reason", async () => {
  const { merchant, fromBank, archive } = await paidAndStored();
  const bank = await startHangingServer();
  const hanging = await bankMerchant(service, { transport: hangingTransport(bank.port) });
  // The banks of other tests are closed by now.
  await service.rows("update gateways set settings = settings - 'transport' where id <> all ($1)", [
    [hanging.accountId, merchant.accountId],
  ]);
  const job = fetchJob(service.app.deps, null, { visitMs: 60_000, passMs: 100 });
  const stop = new AbortController();
  try {
    await writeFile(join(fromBank, "1.xml"), "<Document/>");
    while ((await readdir(archive)).length === 0) {
      clock.advance(MINUTE_MS);
      await job.runOnce(1, stop.signal);
    }
    assert.equal(bank.connections(), 1, "the visit to the other bank is still under way");
  } finally {
    stop.abort();
    await job.runOnce(1, stop.signal);
    await bank.close();
  }
  assert.match((await visitOf(hanging))?.["poll_error"], /took too long or was stopped/);
});

test("stopping the service ends a visit to a hanging bank at once, and its files are sent later", async () => {
  const bank = await startHangingServer();
  const { merchant } = await paidAndStored();
  await setStatus(merchant, "stored");
  await service.rows("update gateways set settings = jsonb_set(settings, '{transport}', $2) where id = $1", [
    merchant.accountId,
    JSON.stringify(hangingTransport(bank.port)),
  ]);
  const stop = new AbortController();
  try {
    const jobs = [fetchJob(service.app.deps, null), sendJob(service.app.deps, null)];
    clock.advance(MINUTE_MS);
    const passes = Promise.all(jobs.map((job) => job.runOnce(1, stop.signal)));
    await bank.reached(2);
    stop.abort();
    await passes;
    const [file] = await outgoing(service, merchant);
    assert.equal(file?.["status"], "stored");
    assert.match(file?.["error"], /took too long or was stopped/);
    assert.equal((await visitOf(merchant))?.["locked_until"], null);
  } finally {
    await bank.close();
  }
});

test(
  "a visit to a bank that stops sending in the middle of a file ends, and the file is fetched again later",
  { skip: whyNoSftp ?? false },
  async () => {
    const server = await startSftpServer();
    const line = await startHangingServer({ forwardTo: server.port, bytes: 200_000 });
    try {
      const { merchant } = await sftpBank({ ...server, port: line.port });
      const words = `<!-- ${"x".repeat(1_000_000)} --><Document/>`;
      await writeFile(join(server.inbox, "1.xml"), words);
      const account = await accountOf(merchant);
      const seen = new Map([["1.xml", words.length]]);
      clock.advance(MINUTE_MS);
      assert.equal(await fetchFiles(service.app.deps, account, seen, AbortSignal.timeout(1_500)), 0);
      assert.match((await visitOf(merchant))?.["poll_error"], /took too long/);
      assert.deepEqual(await readdir(server.inbox), ["1.xml"], "still there");
      const list = await service.get("management/sepa-files/?direction=in", { key: merchant.key });
      assert.deepEqual(list.body["results"], [], "nothing of it is kept");
      line.release();
      clock.advance(MINUTE_MS);
      assert.equal(await fetchFiles(service.app.deps, account, seen, NEVER), 1);
    } finally {
      await line.close();
      await server.close();
    }
  },
);

test("news is applied at once after a visit that read files, and not looked for after one that read none", async () => {
  const { merchant, fromBank } = await directoryBank();
  const account = await accountOf(merchant);
  const told: number[] = [];
  const deps = { ...service.app.deps, newsReady: async (tenant: number) => void told.push(tenant) };
  const seen = new Map<string, number>();
  const visits: (readonly [number, number])[] = [];
  for (let visit = 1; visit <= 3; visit += 1) {
    clock.advance(MINUTE_MS);
    visits.push([await fetchFiles(deps, account, seen, NEVER), told.length]);
    await writeFile(join(fromBank, "1.xml"), "<Document/>");
  }
  assert.deepEqual(visits, [
    [0, 0],
    [0, 0],
    [1, 1],
  ]);
  assert.deepEqual(told, [account.tenant]);
});

test("the reason why a folder could not be read is cut, and contains no IBAN", async () => {
  const { merchant } = await directoryBank();
  const reasons: unknown[] = [];
  const log = {
    ...service.app.deps.log,
    warn: (_: string, { reason }: Json = {}) => void reasons.push(reason),
  };
  const sepaDirectory = join("/dev/null/DE89370400440532013000", "x".repeat(2_000));
  clock.advance(MINUTE_MS);
  await fetchFiles({ ...service.app.deps, log, sepaDirectory }, await accountOf(merchant), new Map(), NEVER);
  const { poll_error: reason } = (await visitOf(merchant)) ?? {};
  assert.match(reason, /\/dev\/null\/\[redacted\]\/x+$/);
  assert.deepEqual([reasons, reason.length], [[reason], 1_000]);
});

test("a fetched file that cannot be read waits for a person, once for the same bytes; a statement of another account does not", async () => {
  const { merchant, fromBank, archive } = await directoryBank();
  const report = '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.99"/>';
  await mkdir(fromBank, { recursive: true });
  const fetched = async (name: string, content: string) => {
    await writeFile(join(fromBank, name), content);
    assert.equal(await fetchTwice(merchant), 1);
    return treasury.unmatched(service, merchant);
  };
  assert.deepEqual(await fetched("0.xml", camt("camt.053", "2026-11-23", [], "NL91ABNA0417164300")), []);
  const [entry = {}, ...more] = await fetched("1.xml", report);
  assert.equal(more.length, 0);
  assert.match(entry["why"], /the bank's file could not be read, and nothing in it was applied/);
  const { body: file } = await service.get(`management/sepa-files/${entry["file_id"]}/`, {
    key: merchant.key,
  });
  assert.deepEqual([file["name"], file["status"], entry["entry"]], ["1.xml", "refused", 0]);
  assert.equal((await fetched("2.xml", report)).length, 1);
  assert.deepEqual((await readdir(archive)).toSorted(), ["0.xml", "1.xml", "2.xml"]);
  assert.equal((await treasury.resolve(service, merchant, entry["id"], { action: "dismiss" })).status, 200);
  assert.deepEqual(await fetched("3.xml", report), []);
  assert.equal((await fetched("4.xml", `${report}\n`)).length, 1, "another file, for the same reason");
});

test("a file larger than may be read is left in the bank's folder, with the reason; the others are read", async () => {
  const { merchant, fromBank, archive } = await paidAndStored();
  await writeFile(join(fromBank, "1-large.xml"), "");
  await truncate(join(fromBank, "1-large.xml"), 512 * 1_024 ** 2 + 1);
  await writeFile(join(fromBank, "2.xml"), "<Document/>");
  assert.equal(await fetchTwice(merchant), 1);
  assert.deepEqual([await readdir(fromBank), await readdir(archive)], [["1-large.xml"], ["2.xml"]]);
  assert.match((await visitOf(merchant))?.["poll_error"], /^1-large.xml is larger than 512 MiB/);
});

test("a file whose upload broke before the renaming is withdrawn once its day has passed, and the bank never sees it", async () => {
  const { merchant, toBank } = await paidAndStored();
  const name: string = (await setStatus(merchant, "renaming"))["name"];
  await rename(join(toBank, name), join(toBank, `.tmp-${name}`));
  clock.advance(30 * DAY_MS);
  await sendJob(service.app.deps, null).runOnce(1);
  const file = (await outgoing(service, merchant)).find((one) => one["name"] === name);
  assert.equal(file?.["status"], "withdrawn");
  assert.match(file?.["error"], /had to reach the bank by/);
  assert.deepEqual(await readdir(toBank), []);
});

/** From here on the account's files are written to a directory; one that waits for a person waits for its upload. */
async function writtenToDirectory(merchant: BankMerchant): Promise<void> {
  await service.rows(
    `update gateways set settings = settings || '{"transport": {"kind": "directory"}}' where id = $1`,
    [merchant.accountId],
  );
  await service.rows(
    "update sepa_files set status = 'stored', due_at = $2 where gateway_id = $1 and status = 'ready'",
    [merchant.accountId, clock.now()],
  );
}

for (const first of ["the sending", "the reading"] as const)
  test(`if a file is to be sent while a booking is read that names the withdrawn file of its debit, ${first} first, it is held or a person is told that the bank has both`, async () => {
    const { deps } = service.app;
    const merchant = await bankMerchant(service);
    const reference = referenceOf(await payAt(merchant));
    await moveTo(merchant, "2027-01-04T12:00:00Z");
    const [withdrawn = {}] = await outgoing(service, merchant);
    const path = `management/sepa-files/${withdrawn["id"]}/withdraw/`;
    assert.equal((await service.post(path, undefined, { key: merchant.key })).status, 200);
    await moveTo(merchant, "2027-01-05T12:00:00Z");
    await writtenToDirectory(merchant);
    const { tenant } = await accountOf(merchant);
    const sending = () => sendJob(deps, tenant).runOnce(1);
    const names = { EndToEndId: reference, MsgId: withdrawn["message_id"] as string };
    const statement = bankFile("camt.053", [bankEntry({ amount: "19.90", date: "2027-01-05", names })]);
    const reading = () => treasury.read(service, merchant, statement);
    const isSent = first === "the sending";
    await race.atOnce<unknown, unknown>(service, isSent ? sending : reading, isSent ? reading : sending);
    const sent = async () => readdir(join(folder, merchant.accountId, "out")).catch(() => []);
    const [, second = {}] = await outgoing(service, merchant);
    const open = await treasury.unmatched(service, merchant);
    assert.deepEqual(
      [second["status"], await sent(), open.length],
      isSent ? ["sent", [second["name"]], 1] : ["stored", [], 0],
    );
    if (isSent) return;
    assert.match(second["error"], /^One of the bank's files is being read/);
    clock.advance(MINUTE_MS);
    await sending();
    const [, held = {}] = await outgoing(service, merchant);
    assert.match(held["error"], /^This file is not sent: the bank has reported on/);
    assert.deepEqual(await sent(), []);
  });

test("a file with instructions that the bank has from an earlier file waits for a person, with the reason, and is not sent", async () => {
  const merchant = await bankMerchant(service);
  const payments = [await payAt(merchant), await payAt(merchant)];
  await moveTo(merchant, "2027-01-04T12:00:00Z");
  const [first] = await outgoing(service, merchant);
  const path = `management/sepa-files/${first?.["id"]}/withdraw/`;
  assert.equal((await service.post(path, undefined, { key: merchant.key })).status, 200);
  await moveTo(merchant, "2027-01-05T12:00:00Z");
  const endToEndId = referenceOf(payments[0] ?? {});
  await treasury.booked(service, merchant, [["collection", { amount: "19.90", endToEndId }]], "2027-01-06");
  await writtenToDirectory(merchant);
  await sendJob(service.app.deps, null).runOnce(1);
  const second = (await outgoing(service, merchant)).at(-1);
  assert.equal(second?.["status"], "stored");
  assert.match(second?.["error"], /This file is not sent: the bank has reported on/);
  assert.deepEqual(await readdir(join(folder, merchant.accountId, "out")).catch(() => []), []);
});
