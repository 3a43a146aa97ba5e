/** B2B mandates: if the account requires it, debits wait until the debtor's bank has confirmed the mandate. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { manualClock } from "../../src/lib/clock.ts";
import { randomIds } from "../../src/lib/ids.ts";
import { COMMAND_LINE } from "../../src/management/audit/audit.ts";
import { collectNow } from "../../src/gateways/sepa-batch/commands.ts";
import { confirmMandate } from "../../src/mandates/confirm.ts";
import { bankMerchant, outgoing, payAt, type BankMerchant } from "../support/sepa-bank.ts";
import { startService, type Json, type Service } from "../support/service.ts";
import * as treasury from "../support/treasury.ts";
import { uploadForm } from "../support/upload.ts";

const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
let service: Service;

before(async () => {
  service = await startService({ clock });
});
after(() => service.close());

const ACCOUNT_AT_THE_SAME_BANK = "DE35370400440532013002";
const OTHER_ACCOUNT = "DE75512108001245126199";

async function paid(settings: object): Promise<{ merchant: BankMerchant; mandate: string }> {
  const merchant = await bankMerchant(service, { scheme: "B2B", ...settings });
  await payAt(merchant);
  const { body } = await service.get("management/mandates/", { key: merchant.key });
  const [mandate] = body["results"] as readonly Json[];
  assert.deepEqual([mandate?.["scheme"], mandate?.["bank_confirmed_on"]], ["B2B", null]);
  return { merchant, mandate: mandate?.["id"] };
}

const confirm = ({ key }: BankMerchant, id: string, body?: object) =>
  service.post(`management/mandates/${id}/confirm/`, body, { key });

async function filesAfter(merchant: BankMerchant, day: string): Promise<readonly unknown[]> {
  await treasury.moveTo(service, merchant, `${day}T12:00:00Z`);
  return (await outgoing(service, merchant)).map(({ transactions, due_date: due }) => [transactions, due]);
}

test("a B2B debit waits for the confirmation of the debtor's bank, and is due a number of TARGET days after it at the earliest", async () => {
  const { merchant, mandate } = await paid({ b2b_confirmed_days: 3 });
  assert.deepEqual(await filesAfter(merchant, "2026-11-23"), [], "it is not confirmed");
  await treasury.moveTo(service, merchant, "2026-11-24T08:00:00Z");
  const { status, body, text } = await confirm(merchant, mandate);
  assert.deepEqual([status, body["bank_confirmed_on"]], [200, "2026-11-24"], text);
  assert.equal((await confirm(merchant, mandate)).body["bank_confirmed_on"], "2026-11-24", "twice");
  assert.deepEqual(await filesAfter(merchant, "2026-11-24"), [], "due on the 26th, two days after");
  assert.deepEqual(await filesAfter(merchant, "2026-11-25"), [[1, "2026-11-27"]]);
  const entries = await service.rows(
    "select before, after from audit_log where resource = 'mandates' and resource_id = $1 order by id",
    [mandate],
  );
  assert.deepEqual(entries, [
    { before: { bank_confirmed_on: null }, after: { bank_confirmed_on: "2026-11-24" } },
    { before: { bank_confirmed_on: "2026-11-24" }, after: { bank_confirmed_on: "2026-11-24" } },
  ]);
});

test("a confirmation can be withdrawn, and ends when the mandate's account changes", async () => {
  const { merchant, mandate } = await paid({ b2b_confirmed_days: 0 });
  const on = async (body: object) => (await confirm(merchant, mandate, body)).body["bank_confirmed_on"];
  assert.equal(await on({ confirmed_on: "2026-11-20" }), "2026-11-20");
  assert.equal(await on({ confirmed_on: null }), null);
  assert.equal(await on({}), "2026-11-23");
  const path = `management/mandates/${mandate}/amend/`;
  const renamed = await service.post(path, { holder_name: "Another GmbH" }, { key: merchant.key });
  assert.equal(renamed.body["bank_confirmed_on"], "2026-11-23");
  for (const iban of [ACCOUNT_AT_THE_SAME_BANK, OTHER_ACCOUNT]) {
    assert.equal(await on({}), "2026-11-23");
    const moved = await service.post(path, { iban }, { key: merchant.key });
    assert.equal(moved.body["bank_confirmed_on"], null, moved.text);
  }
  const [entry] = await service.rows(
    "select before -> 'bank_confirmed_on' as was, after -> 'bank_confirmed_on' as is from audit_log where resource_id = $1 order by at desc, id desc limit 1",
    [mandate],
  );
  assert.deepEqual(entry, { was: "2026-11-23", is: null });
  assert.deepEqual(await filesAfter(merchant, "2026-11-23"), []);
});

test("a run reports debits that lack only their confirmation", async () => {
  const { merchant, mandate } = await paid({ b2b_confirmed_days: 3 });
  await treasury.moveTo(service, merchant, "2026-12-01T08:00:00Z");
  const collect = async () => (await collectNow(service.app.deps, merchant.accountId)).replace(/^.*?: /, "");
  const waits = "debits of mandates that their banks have yet to confirm: 1";
  assert.equal(await collect(), `0 instructions in 0 files (nothing is due yet; ${waits})`);
  await payAt(merchant);
  await confirm(merchant, mandate, { confirmed_on: "2026-11-24" });
  assert.equal(await collect(), "1 instructions in 1 files");
});

/** An imported mandate that was used elsewhere, with a payment that will be debited on it. */
async function imported(merchant: BankMerchant, cells: Readonly<Record<string, string>>): Promise<string> {
  const reference = `IMP-${merchant.accountId.slice(-8)}`;
  const line = {
    reference,
    scheme: "B2B",
    signed_on: "2026-09-01",
    last_used_on: "2026-10-01",
    holder_name: "Ada Example",
    iban: "DE62370400440532013001",
    email: `${reference}@example.com`,
    ...cells,
  };
  const { body, headers } = uploadForm(`${Object.keys(line).join()}\n${Object.values(line).join()}\n`);
  const { status, text } = await service.post("management/mandates/import/", body, {
    key: merchant.key,
    headers,
  });
  assert.equal(status, 201, text);
  const [row] = await service.rows(
    `update transactions t set mandate_id = m.id from mandates m
      where m.reference = $1 and m.tenant = t.tenant and t.gateway_id = $2 returning m.id`,
    [reference, merchant.accountId],
  );
  return row?.["id"];
}

test("an imported mandate that was used elsewhere counts as confirmed, until it gets another account", async () => {
  const { merchant: used } = await paid({ b2b_confirmed_days: 0 });
  const counts = await imported(used, {});
  for (const confirmed_on of ["2026-11-20", null]) {
    const { status, body } = await confirm(used, counts, { confirmed_on });
    assert.deepEqual([status, "confirmed_on" in body], confirmed_on === null ? [400, true] : [200, false]);
  }
  assert.deepEqual(await filesAfter(used, "2026-11-23"), [[1, "2026-11-25"]]);
  const { merchant: moving } = await paid({ b2b_confirmed_days: 0 });
  await imported(moving, { original_iban: OTHER_ACCOUNT });
  assert.deepEqual(await filesAfter(moving, "2026-11-23"), [], "moved before the import");
  const { merchant } = await paid({ b2b_confirmed_days: 0 });
  const mandate = await imported(merchant, {});
  const path = `management/mandates/${mandate}/amend/`;
  assert.equal((await service.post(path, { iban: OTHER_ACCOUNT }, { key: merchant.key })).status, 200);
  assert.deepEqual(await filesAfter(merchant, "2026-11-23"), [], "moved here");
  assert.equal((await confirm(merchant, mandate)).status, 200);
  assert.equal((await confirm(merchant, mandate, { confirmed_on: null })).status, 200);
  assert.deepEqual(await filesAfter(merchant, "2026-11-24"), [], "taken back");
  assert.equal((await confirm(merchant, mandate)).status, 200);
  assert.deepEqual(await filesAfter(merchant, "2026-11-25"), [[1, "2026-11-27"]]);
});

test("a repeated command does not restore a confirmation that was withdrawn since", async () => {
  const { merchant, mandate } = await paid({});
  const [row] = await service.rows("select tenant from mandates where id = $1", [mandate]);
  const command = {
    tenant: row?.["tenant"],
    id: mandate,
    operationId: randomIds.uuid(),
    author: COMMAND_LINE,
  };
  await confirmMandate(service.app.deps, command, undefined);
  assert.equal((await confirm(merchant, mandate, { confirmed_on: null })).body["bank_confirmed_on"], null);
  await confirmMandate(service.app.deps, command, undefined);
  const { body } = await service.get(`management/mandates/${mandate}/`, { key: merchant.key });
  assert.equal(body["bank_confirmed_on"], null);
});

test("a confirmation of a future day, or of a mandate that is not B2B or has ended, is refused", async () => {
  const { merchant, mandate } = await paid({});
  const future = await confirm(merchant, mandate, { confirmed_on: "2026-11-24" });
  assert.deepEqual([future.status, Object.keys(future.body)], [400, ["confirmed_on", "status_code"]]);
  await service.post(`management/mandates/${mandate}/cancel/`, undefined, { key: merchant.key });
  assert.equal((await confirm(merchant, mandate)).body["code"], "mandate_not_active");
  const core = await bankMerchant(service);
  await payAt(core);
  const { body } = await service.get("management/mandates/", { key: core.key });
  assert.equal((await confirm(core, body["results"][0]["id"])).body["code"], "mandate_not_b2b");
});

test("nothing waits if the account does not require confirmation, and CORE debits and refunds never wait for one", async () => {
  const { merchant } = await paid({});
  assert.deepEqual(await filesAfter(merchant, "2026-11-23"), [[1, "2026-11-25"]]);
  const core = await bankMerchant(service, { b2b_confirmed_days: 5 });
  await payAt(core);
  assert.deepEqual(await filesAfter(core, "2026-11-23"), [[1, "2026-11-25"]]);
});
