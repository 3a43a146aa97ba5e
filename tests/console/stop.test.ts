/** Stopping a debit that was not sent to the bank, and resuming a stopped campaign, in the console. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { findAccounts } from "../../src/gateways/sepa-batch/files-store.ts";
import { collectDue } from "../../src/gateways/sepa-batch/outgoing/write-files.ts";
import { manualClock, MINUTE_MS } from "../../src/lib/clock.ts";
import { stopCampaignsJob } from "../../src/sessions/campaigns/stop.ts";
import { assertBooksAgree } from "../support/books.ts";
import { paidAt, UNKNOWN, wordsOf } from "../support/console.ts";
import { createRecord, createSandbox, IBAN, lead } from "../support/merchant.ts";
import { createCompany, member, PASSWORD, type Member } from "../support/people.ts";
import { bankMerchant, payAt, type BankMerchant } from "../support/sepa-bank.ts";
import { startService, type Json, type Service } from "../support/service.ts";

const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
let service: Service;
let stranger: Member;

before(async () => {
  service = await startService({ clock });
  stranger = await member(service, await createCompany(service, "Other shop"), "owner");
});
after(async () => {
  await assertBooksAgree(service.db).finally(() => service.close());
});

const pageOf = (payment: Json) => `/console/payments/${payment["transaction"].id}/`;
const stop = (who: Member, path: string) => who.browser.submit(path, `${path}stop/`);

async function people(merchant: BankMerchant) {
  const company = { id: merchant.tenantId, tenant: 0, key: merchant.key };
  const of = (role: "finance" | "support" | "developer" | "viewer") => member(service, company, role);
  return {
    finance: await of("finance"),
    support: await of("support"),
    developer: await of("developer"),
    viewer: await of("viewer"),
  };
}

async function writeFile(merchant: BankMerchant): Promise<void> {
  const [row] = await service.rows("select tenant from gateways where id = $1", [merchant.accountId]);
  const [account] = await findAccounts(service.db, row?.["tenant"], merchant.accountId);
  assert.ok(account !== undefined);
  await collectDue(service.app.deps, account, { evenBeforeCutOff: true });
}

test("a waiting debit is stopped once from its page, by people with the right, and the audit log names the person", async () => {
  const merchant = await bankMerchant(service);
  const { support, developer, viewer } = await people(merchant);
  const payment = await payAt(merchant);
  const path = pageOf(payment);
  for (const who of [developer, viewer]) {
    assert.ok(!(await who.browser.get(`${path}?act=stop`)).text.includes("Stop this debit"));
    assert.equal((await stop(who, path)).status, 403);
  }
  assert.equal((await stop(stranger, path)).status, 404);
  assert.equal((await stop(support, `/console/payments/${UNKNOWN}/`)).status, 404);
  assert.match(wordsOf(await support.browser.get(path)), /Stop this debit/);
  const dialog = wordsOf(await support.browser.get(`${path}?act=stop`));
  assert.match(dialog, /Stop this debit: €19\.90 Nothing is collected from .*, account ending \d{4}\./);
  const twice = await Promise.all([stop(support, path), stop(support, path)]);
  for (const { status, headers } of twice)
    assert.deepEqual([status, headers["location"]], [303, `${path}?done=stop`]);
  const stopped = await support.browser.get(`${path}?done=stop`);
  assert.match(wordsOf(stopped), /Declined/);
  assert.match(wordsOf(stopped), /the bank never gets it/);
  assert.ok(!stopped.text.includes("act=stop"));
  const entries = await service.rows(
    "select actor, after from audit_log where resource = 'transactions' and resource_id = $1",
    [payment["transaction"].id],
  );
  assert.deepEqual(entries, [{ actor: `person:${support.id}`, after: { cancelled: true } }]);
});

test("stopping is not offered for a debit in a file; if the file was written meanwhile, the page says why it cannot be stopped", async () => {
  const merchant = await bankMerchant(service);
  const { finance } = await people(merchant);
  const path = pageOf(await payAt(merchant));
  assert.match(wordsOf(await finance.browser.get(`${path}?act=stop`)), /This cannot be undone/);
  await writeFile(merchant);
  const late = await stop(finance, path);
  assert.equal(late.status, 409);
  assert.match(wordsOf(late), /is in a file for the bank\. Withdraw the file/);
  assert.ok(!(await finance.browser.get(`${path}?act=stop`)).text.includes("Stop this debit"));
});

test("stopping is not offered for a payment that its gateway sent at once", async () => {
  const company = await createCompany(service);
  const owner = await member(service, company, "owner");
  const gateway = await createSandbox(service, company.key);
  const path = pageOf(await paidAt(service, company.key, gateway, {}, IBAN.pending));
  assert.ok(!(await owner.browser.get(path)).text.includes("act=stop"));
  assert.equal((await stop(owner, path)).status, 409);
});

test("above the company's limit stopping asks for the second factor again, as refunds do", async () => {
  const merchant = await bankMerchant(service);
  const { finance } = await people(merchant);
  await service.call(
    "PATCH",
    "management/tenant/",
    { step_up_refunds_above: "10.00" },
    { key: merchant.key },
  );
  const path = pageOf(await payAt(merchant));
  clock.advance(11 * MINUTE_MS);
  const asked = await stop(finance, path);
  assert.match(String(asked.headers["location"]), /^\/console\/step-up\//);
  assert.match(wordsOf(await finance.browser.get(path)), /Stop this debit/);
});

test("above the company's limit a person has to show the second factor again to release or cancel a held refund", async () => {
  const company = await createCompany(service);
  const finance = await member(service, company, "finance");
  const key = { key: company.key };
  const limits = { refund_hold_days: 10, step_up_refunds_above: "10.00" };
  await service.call("PATCH", "management/tenant/", limits, key);
  const payment = await paidAt(service, company.key, await createSandbox(service, company.key));
  const refunds = `management/transactions/${payment["transaction"].id}/refunds/`;
  const held = await service.post(refunds, { amount: "12.00" }, key);
  assert.equal(held.status, 201, held.text);
  const path = `/console/payments/${held.body["id"]}/`;
  clock.advance(11 * MINUTE_MS);
  for (const verb of ["release", "unsend"]) {
    const asked = await finance.browser.submit(path, `${path}${verb}/`);
    assert.match(String(asked.headers["location"]), /^\/console\/step-up\//, verb);
  }
  assert.match(wordsOf(await finance.browser.get(path)), /Send now/);
  await finance.browser.submit("/console/step-up/", "/console/step-up/", { password: PASSWORD });
  const sent = await finance.browser.submit(path, `${path}release/`);
  assert.equal(sent.headers["location"], `${path}?done=release`);
});

test("a stopped campaign's page says why it was stopped; a person who may change settings resumes it, and the audit log names the person", async () => {
  const company = await createCompany(service);
  const developer = await member(service, company, "developer");
  const finance = await member(service, company, "finance");
  const gateway = await createSandbox(service, company.key);
  const offer = await createRecord(service, company.key, "offers", {
    name: "Plan",
    price: "19.90",
    currency: "EUR",
    billing_type: "ONE_OFF",
  });
  const { id } = await createRecord(service, company.key, "campaigns", {
    name: "Spring",
    offer_id: offer["id"],
    gateway_id: gateway,
    return_rate_max: 40,
    return_rate_min_payments: 2,
  });
  const path = `/console/setup/campaigns/${id}/`;
  assert.match(wordsOf(await developer.browser.get(path)), /Spring Active/);
  const open = () =>
    service.post("payment-sessions/", { campaign_id: id, lead: lead() }, { key: company.key });
  for (const iban of [IBAN.chargedBack, IBAN.chargedBack]) {
    const { session_token: token } = (await open()).body;
    await service.post(`payment-sessions/${token}/pay/`, { iban, iban_holder_name: "Ada Example" });
  }
  await service.post("management/sandbox/tick/", {}, { key: company.key });
  assert.equal(await stopCampaignsJob(service.app.deps).runOnce(1), 1);
  const page = await finance.browser.get(`${path}?act=resume`);
  assert.match(wordsOf(page), /Spring Stopped: too many returns/);
  assert.match(wordsOf(page), /more than 40% of its payments came back/);
  assert.ok(!page.text.includes("/resume/"));
  assert.match((await finance.browser.get("/console/")).text, /href="\/console\/setup\/campaigns\/"/);
  assert.equal((await finance.browser.submit(path, `${path}resume/`)).status, 403);
  assert.equal((await stranger.browser.submit(path, `${path}resume/`)).status, 404);
  assert.equal((await open()).status, 409);
  assert.match(wordsOf(await developer.browser.get(`${path}?act=resume`)), /Collect again: Spring/);
  const twice = await Promise.all([1, 2].map(() => developer.browser.submit(path, `${path}resume/`)));
  for (const { status, headers } of twice)
    assert.deepEqual([status, headers["location"]], [303, `${path}?done=resume`]);
  assert.match(wordsOf(await developer.browser.get(path)), /Spring Active/);
  assert.equal((await open()).status, 201);
  const entries = await service.rows(
    `select actor, before ->> 'stopped_at' is not null as restarts from audit_log
      where resource = 'campaigns' and resource_id = $1 and action = 'update' order by restarts`,
    [id],
  );
  const actor = `person:${developer.id}`;
  assert.deepEqual(entries, [
    { actor, restarts: false },
    { actor, restarts: true },
  ]);
  // Renewals of an archived campaign's subscriptions wait as well.
  await service.rows("update campaigns set stopped_at = now() where id = $1 returning id", [id]);
  assert.equal((await developer.browser.submit(path, `${path}archive/`)).status, 303);
  assert.match(wordsOf(await developer.browser.get(`${path}?act=resume`)), /Collect again: Spring/);
  assert.equal((await developer.browser.submit(path, `${path}resume/`)).status, 303);
  assert.doesNotMatch(wordsOf(await developer.browser.get(path)), /Stopped/);
});
