/**
 * kill -9 of the real process between any two steps of writing, sending and reading files: nothing is sent twice,
 * nothing is lost.
 */
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Step } from "../../src/deps.ts";
import { targetDayFrom } from "../../src/sepa/target.ts";
import { DAY_MS } from "../../src/lib/clock.ts";
import { utcDate } from "../../src/lib/dates.ts";
import { assertBooksAgree } from "../support/books.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { machine, type Machine, type ServiceProcess } from "../support/process.ts";
import { bankMerchant, camt, outgoing, payAt, uploadFile, type BankMerchant } from "../support/sepa-bank.ts";
import type { CallOptions, Json, Service } from "../support/service.ts";
import { sized } from "../support/sized.ts";
import { adHoc } from "../../tools/ad-hoc.ts";

let database: TestDatabase;
let host: Machine;
let running: ServiceProcess;
let folder: string;

before(async () => {
  database = await testDatabase();
  folder = await mkdtemp(join(tmpdir(), "payment-sessions-bank-"));
  host = await machine(database.url);
  running = await host.start({ SEPA_DIRECTORY: folder });
});
after(async () => {
  await running.stop();
  await host.remove();
  await assertBooksAgree(database.db).finally(() => database.close());
  await rm(folder, { recursive: true, force: true });
});

function service(): Service {
  const call: ServiceProcess["call"] = (...args) => running.call(...args);
  return {
    call,
    rows,
    url: `http://127.0.0.1:${host.port}`,
    get: (path: string, options?: CallOptions) => call("GET", path, undefined, options),
    post: (path: string, body?: unknown, options?: CallOptions) => call("POST", path, body, options),
  } as Service;
}

function rows(text: string, values: readonly unknown[] = []): Promise<readonly Json[]> {
  return database.db.query<Json>(...adHoc(text, values));
}

/** Makes the call during which the process dies at the step, and then restarts the process. */
async function dyingAt(step: Step, call: () => Promise<unknown>): Promise<void> {
  await running.dieAt(step);
  await call().catch(() => {});
  assert.equal(await running.ended, "SIGKILL");
  // The dead process's lease would keep the file for ten minutes.
  await rows("update sepa_files set locked_until = null where locked_until is not null");
  running = await host.start({ SEPA_DIRECTORY: folder });
}

async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (await holds()) return;
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
  assert.fail(what);
}

// A day on which banks settle, whatever the day of the test run.
const DAY = targetDayFrom(utcDate(new Date(Date.now() + DAY_MS)));

async function paid(): Promise<{
  readonly merchant: BankMerchant;
  readonly reference: string;
  readonly move: () => Promise<unknown>;
}> {
  const merchant = await bankMerchant(service(), { transport: { kind: "directory" } });
  const payment = await payAt(merchant);
  return {
    merchant,
    reference: payment["transaction"]["merchant_transaction_id"],
    move: () => service().post("management/clock/", { date: `${DAY}T12:00:00Z` }, { key: merchant.key }),
  };
}

const SENDING = [
  "sepa.stored",
  "sepa.uploaded",
  "sepa.before_run",
  "sepa.claimed",
  "sepa.renamed",
  "sepa.sent",
] as const;
for (const step of sized(SENDING.slice(0, 2), SENDING)) {
  // Holds FILE-4.
  test(`killed at ${step}: the payment is in one file, and the file is at the bank once`, async () => {
    const { merchant, reference, move } = await paid();
    await dyingAt(step, move);
    const out = join(folder, merchant.accountId, "out");
    await until(
      async () => (await outgoing(service(), merchant))[0]?.["status"] === "sent",
      "the file was never sent",
    );
    const files = await outgoing(service(), merchant);
    assert.deepEqual([files.length, await readdir(out)], [1, [files[0]?.["name"]]]);
    const [row] = await rows("select state, file_id from sepa_collections where reference = $1", [reference]);
    assert.deepEqual({ ...row }, { state: "batched", file_id: files[0]?.["id"] });
  });
}

const READING = ["sepa.read", "sepa.before_read"] as const;
for (const step of sized(READING.slice(0, 1), READING)) {
  test(`killed at ${step}: the statement is read again and counts once`, async () => {
    const { merchant, reference, move } = await paid();
    await move();
    await until(
      async () => (await outgoing(service(), merchant))[0]?.["status"] === "sent",
      "the file was never sent",
    );
    const xml = camt("camt.053", DAY, [
      ["collection", { amount: "19.90", endToEndId: reference }],
      ["return", { amount: "19.90", endToEndId: reference, reason: "AM04" }],
    ]);
    await dyingAt(step, () => uploadFile(service(), merchant, xml));
    const again = await uploadFile(service(), merchant, xml);
    assert.equal(again.body["files"][0].known, step === "sepa.read");
    const status = async () =>
      (await rows("select status from transactions where merchant_transaction_id = $1", [reference]))[0]?.[
        "status"
      ];
    await until(async () => (await status()) === "charged_back", "the payment never heard of it");
    const [row] = await rows(
      "select count(*)::int as news, count(distinct c.id)::int as chargebacks from sepa_news n join chargebacks c on c.merchant_transaction_id = n.reference where n.reference = $1",
      [reference],
    );
    assert.deepEqual({ ...row }, { news: 2, chargebacks: 1 });
  });
}
