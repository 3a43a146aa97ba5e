/** What stands between a company and its banks, on the page of the bank and on Home: seen and ended by those who may. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { manualClock } from "../../src/lib/clock.ts";
import { bankMerchant, payAt } from "../support/sepa-bank.ts";
import { wordsOf } from "../support/console.ts";
import { createCompany, member } from "../support/people.ts";
import { startService, type Service } from "../support/service.ts";
import { ebicsMerchant } from "../ebics/account.ts";
import { startTestBank, type TestBank } from "../ebics/bank.ts";

const BANK = "/console/bank/";
const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
let service: Service;
let bank: TestBank;

before(async () => {
  service = await startService({ clock });
  bank = await startTestBank({ now: () => clock.now() });
});
after(async () => {
  await bank.close();
  await service.close();
});

test("a bank that refuses our user is on Home and on the bank's page, and is tried again by those who may", async () => {
  const merchant = await ebicsMerchant(service, bank);
  const company = { id: merchant.tenantId, tenant: 0, key: merchant.key };
  const finance = await member(service, company, "finance");
  const viewer = await member(service, company, "viewer");
  const stranger = await member(service, await createCompany(service, "Other shop"), "owner");
  assert.ok(!wordsOf(await finance.browser.get(BANK)).includes("refuses"));
  await service.rows(
    "update ebics_users set state = 'stopped', stop_reason = '091002 <b>locked</b>' where gateway_id = $1",
    [merchant.accountId],
  );
  assert.match(
    (await finance.browser.get("/console/")).text,
    /class="waiting" href="\/console\/bank\/">1 bank/,
  );
  assert.match((await viewer.browser.get("/console/")).text, /<span class="waiting">1 bank/);
  const page = await finance.browser.get(BANK);
  assert.match(wordsOf(page), /The bank refuses our user .*House bank 091002 <b>locked<\/b> now Try again/);
  assert.ok(!page.text.includes("<b>locked"));
  const again = `${BANK}users/${merchant.accountId}/resume/`;
  assert.equal((await viewer.browser.post(again, {})).status, 403);
  assert.equal((await stranger.browser.submit(BANK, again)).status, 404);
  const twice = await Promise.all([1, 2].map(() => finance.browser.submit(BANK, again)));
  assert.ok(twice.some(({ status }) => status === 303));
  assert.ok(!wordsOf(await finance.browser.get(BANK)).includes("refuses"));
  const entries = await service.rows(
    "select actor from audit_log where resource_id = $1 and after ->> 'state' = 'ready' and actor like 'person:%'",
    [merchant.accountId],
  );
  assert.deepEqual(entries, [{ actor: `person:${finance.id}` }]);
});

test("notices that could not be taken are on Home and on the bank's page, with the payment that they are about", async () => {
  const merchant = await bankMerchant(service);
  const finance = await member(service, { id: merchant.tenantId, tenant: 0, key: merchant.key }, "finance");
  const reference = (await payAt(merchant))["transaction"].merchant_transaction_id;
  await service.rows(
    `insert into gateway_news_set_aside (tenant, gateway_id, reference, kind, why, since, due_at)
     select tenant, id, $2, 'returned', 'broken <i>', $3, $3 from gateways where id = $1 returning reference`,
    [merchant.accountId, reference, clock.now()],
  );
  const home = await finance.browser.get("/console/");
  assert.match(home.text, /class="waiting" href="\/console\/bank\/">1 notice/);
  const page = await finance.browser.get(BANK);
  assert.match(wordsOf(page), new RegExp(`${reference} Returned broken <i> House bank`));
  assert.ok(page.text.includes(`href="/console/search/?text=${reference}"`));
});
