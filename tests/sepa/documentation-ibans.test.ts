/** IBANs that documentation uses as examples: accepted where no money moves, refused where money moves. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { manualClock } from "../../src/lib/clock.ts";
import { findAccounts } from "../../src/gateways/sepa-batch/files-store.ts";
import { startApplyingNews } from "../../src/gateways/sepa-batch/incoming/start-news.ts";
import { collectDue } from "../../src/gateways/sepa-batch/outgoing/write-files.ts";
import { bankMerchant, followed, type BankMerchant } from "../support/sepa-bank.ts";
import { createRecord, lead } from "../support/merchant.ts";
import { textOf, textShown } from "../support/page.ts";
import { startService, type Service } from "../support/service.ts";
import { uploadForm } from "../support/upload.ts";

const DOCUMENTED = "DE89370400440532013000";
const ACCOUNT = "DE75512108001245126199";

const BANK = { creditor_name: "Shop", creditor_identifier: "DE98ZZZ09999999999", pre_notification_days: 0 };

let service: Service;
let merchant: BankMerchant;
let liveId: string;

before(async () => {
  const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
  service = await startService({ clock, config: { environment: "production" } });
  merchant = await bankMerchant(service);
  liveId = (await createRecord(service, merchant.key, "gateways", gateway(ACCOUNT)))["id"];
});
after(() => service.close());

const gateway = (creditor_iban: string) => ({
  name: "Live",
  adapter: "sepa_batch",
  test_mode: false,
  settings: { ...BANK, creditor_iban },
});

async function pay(gatewayId: string, iban: string) {
  const token = await merchant.session({ gateway_id: gatewayId, lead: lead() });
  return (await merchant.pay(token, iban)).body;
}

test("a live account neither has nor debits a documentation IBAN; a test account does both", async () => {
  for (const typed of ["de89 3704 0044 0532 0130 00", "DE89-3704-0044-0532-0130-00", `IBAN: ${DOCUMENTED}`]) {
    const refused = await service.post("management/gateways/", gateway(typed), { key: merchant.key });
    assert.equal(refused.status, 400, refused.text);
    assert.match(JSON.stringify(refused.body), /example from documentation/);
  }
  const answer = await pay(liveId, DOCUMENTED);
  assert.deepEqual(
    [answer["status"], answer["error_details"]["code"], answer["transaction"]],
    ["declined", "invalid_iban", null],
  );
  assert.match(answer["error"], /example from documentation/);
  assert.equal((await pay(liveId, ACCOUNT))["status"], "completed");
  assert.equal((await pay(merchant.accountId, DOCUMENTED))["status"], "completed");
});

test("a mandate that is debited live is not amended to a documentation IBAN; one of a test account is", async () => {
  const amend = async (gatewayId: string) => {
    const paid = await pay(gatewayId, "DE62370400440532013001");
    const [row] = await service.rows("select mandate_id from transactions where id = $1", [
      paid["transaction"].id,
    ]);
    const path = `management/mandates/${row?.["mandate_id"]}/amend/`;
    return service.post(path, { iban: DOCUMENTED }, { key: merchant.key });
  };
  const refused = await amend(liveId);
  assert.equal(refused.status, 400, refused.text);
  assert.match(JSON.stringify(refused.body), /example from documentation/);
  const amended = await amend(merchant.accountId);
  assert.deepEqual([amended.status, amended.body["iban_last4"]], [200, "3000"], amended.text);
});

test("a customer who is debited live and enters a documentation IBAN is told that the bank could not find it", async () => {
  const token = await merchant.session({ gateway_id: liveId, lead: lead(), billing_type: "RECURRING" });
  const { transaction } = (await merchant.pay(token, ACCOUNT)).body;
  const [row] = await service.rows("select mandate_id, lead_id from transactions where id = $1", [
    transaction.id,
  ]);
  const link = `management/customers/${row?.["lead_id"]}/account-link/`;
  const { body } = await service.post(link, {}, { key: merchant.key });
  const path = `${new URL(body["url"]).pathname}mandates/${row?.["mandate_id"]}/?lang=en`;
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const text = textShown(await service.get(path));
  const fields = new URLSearchParams({ iban: DOCUMENTED, accepted: "yes", text }).toString();
  const answer = await service.call("POST", path, fields, { headers });
  assert.equal(answer.status, 422, answer.text);
  assert.match(textOf(answer.text), /Your bank could not find this account/);
});

test("a debit of a documentation IBAN accepted in test mode is rejected once the account is live, and its mandate ends", async () => {
  const turned = (
    await createRecord(service, merchant.key, "gateways", { ...gateway(ACCOUNT), test_mode: true })
  )["id"];
  const { transaction } = await pay(turned, DOCUMENTED);
  const good = await pay(turned, "DE62370400440532013001");
  const live = await service.call(
    "PATCH",
    `management/gateways/${turned}/`,
    { test_mode: false },
    { key: merchant.key },
  );
  assert.equal(live.status, 200, live.text);
  const { deps } = service.app;
  const [row] = await service.rows("select tenant from gateways where id = $1", [turned]);
  const [account] = await findAccounts(service.db, row?.["tenant"], turned);
  assert.ok(account !== undefined);
  const day = new Date("2026-11-25T08:00:00Z");
  const written = await collectDue({ ...deps, time: { ...deps.time, now: () => day } }, account, {
    evenBeforeCutOff: true,
  });
  assert.equal(written.instructions, 1, written.why ?? "");
  startApplyingNews(deps, row?.["tenant"]);
  await followed(service);
  const [ended] = await service.rows(
    "select t.status, t.gateway_code, m.status as mandate from transactions t join mandates m on m.id = t.mandate_id where t.id = $1",
    [transaction.id],
  );
  assert.deepEqual(ended, { status: "declined", gateway_code: "AC01", mandate: "cancelled" });
  const [other] = await service.rows("select state from sepa_collections where reference = $1", [
    good["transaction"].merchant_transaction_id,
  ]);
  assert.equal(other?.["state"], "batched");
});

test("a mandate with a documentation IBAN is imported only where no account is live, and none is amended to one", async () => {
  const trial = await bankMerchant(service);
  const importAs = async (key: string, iban: string) => {
    const text = `reference,signed_on,holder_name,iban,email\nold-1,2026-01-05,Ada,${iban},ada@example.com`;
    const { body, headers } = uploadForm(text);
    return (await service.post("management/mandates/import/", body, { key, headers })).body;
  };
  assert.equal((await importAs(trial.key, DOCUMENTED))["created"], 1);
  const refused = await importAs(merchant.key, DOCUMENTED);
  assert.deepEqual([refused["created"], refused["rejected"]], [0, 1]);
  assert.match(JSON.stringify(refused["rejections"]), /example from documentation/);
  assert.equal((await importAs(merchant.key, ACCOUNT))["created"], 1);
  const [imported] = await service.rows(
    "select id from mandates where reference = 'old-1' and tenant = (select tenant from tenants where id = $1)",
    [merchant.tenantId],
  );
  const path = `management/mandates/${imported?.["id"]}/amend/`;
  assert.equal((await service.post(path, { iban: DOCUMENTED }, { key: merchant.key })).status, 400);
});
