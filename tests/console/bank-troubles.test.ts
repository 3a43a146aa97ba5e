/**
 * Problems between a company and its banks, on the bank's page and on Home: people with the rights see and resolve
 * them.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { manualClock } from "../../src/lib/clock.ts";
import { bankMerchant, payAt } from "../support/sepa-bank.ts";
import { wordsOf } from "../support/console.ts";
import { createCompany, member } from "../support/people.ts";
import { startService, type Json, type Service } from "../support/service.ts";
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

test("a bank that refuses our user is on Home and on the bank's page, and people with the right can retry", async () => {
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
  const { body } = await service.get("management/needs-attention/", { key: merchant.key });
  const { list } = body["results"].find(({ kind }: Json) => kind === "stopped_bank_users");
  const users = await service.get(list.replace("/api/v1/", ""), { key: merchant.key });
  assert.deepEqual(
    users.body["results"].map((user: Json) => [user["gateway_id"], user["stop_reason"]]),
    [[merchant.accountId, "091002 <b>locked</b>"]],
  );
  const others = await service.get("management/ebics/?state=ready", { key: merchant.key });
  assert.deepEqual(others.body["results"], []);
  assert.equal((await service.get("management/ebics/?stat=ready", { key: merchant.key })).status, 400);
  const again = `${BANK}users/${merchant.accountId}/resume/`;
  assert.equal((await viewer.browser.post(again, {})).status, 403);
  assert.equal((await stranger.browser.submit(BANK, again)).status, 404);
  const twice = await Promise.all([1, 2].map(() => finance.browser.submit(BANK, again)));
  assert.ok(twice.some(({ status }) => status === 303));
  assert.ok(!wordsOf(await finance.browser.get(BANK)).includes("refuses"));
  const entries = await service.rows(
    `select actor from audit_log
      where resource_id = $1 and before ->> 'state' = 'stopped' and after ->> 'state' = 'ready' and actor like 'person:%'`,
    [merchant.accountId],
  );
  assert.deepEqual(entries, [{ actor: `person:${finance.id}` }]);
});

test("news that could not be recorded is on Home and on the bank's page, with its payment", async () => {
  const merchant = await bankMerchant(service);
  const finance = await member(service, { id: merchant.tenantId, tenant: 0, key: merchant.key }, "finance");
  const reference = (await payAt(merchant))["transaction"].merchant_transaction_id;
  await service.rows(
    `insert into gateway_news_set_aside (tenant, gateway_id, reference, kind, why, since, due_at)
     select tenant, id, $2, 'returned', 'broken <i>', $3, $3 from gateways where id = $1 returning reference`,
    [merchant.accountId, reference, clock.now()],
  );
  const { body } = await service.get("management/needs-attention/", { key: merchant.key });
  const { list } = body["results"].find(({ kind }: Json) => kind === "news_set_aside");
  const listed = await service.get(list.replace("/api/v1/", ""), { key: merchant.key });
  assert.deepEqual(
    listed.body["results"].map((row: Json) => [row["reference"], row["kind"], row["why"], row["since"]]),
    [[reference, "returned", "broken <i>", clock.now().toISOString()]],
  );
  const home = await finance.browser.get("/console/");
  assert.match(home.text, /class="waiting" href="\/console\/bank\/">1 notice/);
  const page = await finance.browser.get(BANK);
  assert.match(wordsOf(page), new RegExp(`${reference} Returned broken <i> House bank`));
  assert.ok(page.text.includes(`href="/console/search/?text=${reference}"`));
});

test("a restored database is reported on Home, and its page says since when and why everything waits", async () => {
  const company = await createCompany(service, "Restored shop");
  const viewer = await member(service, company, "viewer");
  assert.match(wordsOf(await viewer.browser.get("/console/restores/")), /The database was never restored/);
  await service.rows(
    `insert into database_places (server, database, timeline, reason, found_at, released_at)
     values ('s', 'd', 't', 'by hand', $1, null)`,
    [clock.now()],
  );
  try {
    const { body } = await service.get("management/needs-attention/", { key: company.key });
    const { list } = body["results"].find(({ kind }: Json) => kind === "held_after_restore");
    const held = await service.get(list.replace("/api/v1/", ""), { key: company.key });
    const row = { reason: "by hand", found_at: clock.now().toISOString(), released_at: null };
    assert.deepEqual(held.body["results"], [row]);
    assert.match(
      (await viewer.browser.get("/console/")).text,
      /class="waiting" href="\/console\/restores\/"/,
    );
    const page = await viewer.browser.get("/console/restores/");
    assert.match(wordsOf(page), /nothing is collected or sent until .* An operator has said so Held/);
    await service.rows("update database_places set released_at = $1 where released_at is null", [
      clock.now(),
    ]);
    assert.deepEqual(
      (await service.get("management/restores/?held=true", { key: company.key })).body["results"],
      [],
    );
    assert.match(wordsOf(await viewer.browser.get("/console/restores/")), /An operator has said so Released/);
  } finally {
    await service.rows("update database_places set released_at = $1 where released_at is null", [
      clock.now(),
    ]);
  }
});
