/** The operator's pages: the state of the whole installation, and no data of customers. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { OPERATOR_PAGES } from "../../src/console/operator/places.ts";
import { readBankStates } from "../../src/operator/banks-store.ts";
import type { Calls } from "../../src/db/database.ts";
import { manualClock } from "../../src/lib/clock.ts";
import { invitePerson } from "../../src/people/commands.ts";
import { ebicsMerchant } from "../ebics/account.ts";
import { startTestBank, type TestBank } from "../ebics/bank.ts";
import { wordsOf } from "../support/console.ts";
import { createRecord, IBAN } from "../support/merchant.ts";
import {
  browser,
  createCompany,
  member,
  operator,
  PASSWORD,
  setUpTotp,
  signIn,
  type Member,
} from "../support/people.ts";
import { bankMerchant, payAt } from "../support/sepa-bank.ts";
import { startService, type Service } from "../support/service.ts";

const HOME = "/console/operator/";
const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
let service: Service;
let bank: TestBank;
let grace: Member;

/** The statement that fails, with its message. */
let failing: string | null = null;
const failingAt = (calls: Calls): Calls => ({
  ...calls,
  query: (statement, values) =>
    statement.name === failing
      ? Promise.reject(Object.assign(new Error("Ada Lovelace"), { code: "57P01" }))
      : calls.query(statement, values),
});

before(async () => {
  service = await startService({ clock, between: failingAt });
  bank = await startTestBank({ now: () => clock.now() });
  grace = await operator(service);
});
after(async () => {
  await bank.close();
  await service.close();
});

const page = async (path: string): Promise<string> => {
  const answer = await grace.browser.get(`${HOME}${path}`);
  assert.equal(answer.status, 200, answer.text);
  return wordsOf(answer);
};
const job = async (name: string) => {
  const found = service.app.jobs.find((one) => one.name === name);
  assert.ok(found, name);
  return found.runOnce(found.batch);
};

test("an operator needs a second factor in staging too, and first sees the installation's page", async () => {
  const given = { company: null, email: "careful@example.com" };
  const printed = await invitePerson(service.app.deps, given, { name: "C", role: "" });
  const link = new URL(/https?:\S+/.exec(printed)?.[0] ?? "").pathname;
  const own = browser(service);
  assert.equal((await own.submit(link, link, { name: "C", password: PASSWORD })).status, 303);
  assert.equal((await own.get(HOME)).headers["location"], "/console/account/");
  await setUpTotp(own, clock.now());
  assert.equal((await own.get("/console/")).headers["location"], HOME);
  const removed = await own.submit("/console/account/", "/console/account/authenticator/remove/");
  assert.match(wordsOf(removed), /You need this to sign in/);
  const again = browser(service);
  const signedIn = await signIn(again, "careful@example.com");
  assert.match(String(signedIn.headers["location"]), /^\/console\/second-factor\//);
});

test("the first page shows the version, the schema, the connected instances, and what needs a person", async () => {
  const text = await page("");
  const [{ newest } = { newest: 0 }] = await service.rows(
    "select max(number) as newest from schema_migrations",
  );
  const number = String(newest).padStart(4, "0");
  assert.match(text, /Installation Ready/);
  assert.match(text, /Nothing needs you now/);
  assert.match(text, new RegExp(`Schema ${number} Newest known ${number}`));
  assert.match(text, /None of this version is missing/);
  assert.match(text, new RegExp(`127\\.0\\.0\\.1|the database's machine`));
  assert.match(text, /Environment Staging/);
});

test("a job that fails is first in the list, with its error's code, and on the first page until it succeeds", async () => {
  await job("expire-sessions");
  failing = "console_sessions.tenants_to_forget";
  await assert.rejects(job("forget-console-sessions"));
  failing = null;
  const jobs = await page("jobs/");
  assert.match(jobs, /Last error forget-console-sessions 1 hr now /);
  assert.match(jobs, /Failed 57P01 now/);
  assert.ok(!jobs.includes("Ada Lovelace"));
  assert.match(await page(""), /1 job failed in its last pass/);
  await job("forget-console-sessions");
  assert.match(await page(""), /Nothing needs you now/);
  assert.match(await page("jobs/"), /not yet/);
});

test("tenants are listed with counts of their payments, and archived ones on request", async () => {
  const { id } = await createCompany(service, "Archived <b>shop");
  await service.rows("update tenants set archived_at = $2 where id = $1 returning id", [id, clock.now()]);
  const merchant = await bankMerchant(service);
  await service.rows(
    `with day as (
       insert into figure_days (tenant, day, due_at) select tenant, $2::date, now() from tenants where id = $1 returning tenant
     )
     insert into daily_figures (tenant, day, number, gateway_id, type, state, currency, count, amount)
     select tenant, $2::date, 1, $3, 'sdd_sale', 'approved', 'EUR', 4711, 99 from day returning tenant`,
    [merchant.tenantId, clock.now(), merchant.accountId],
  );
  const name = (await service.rows("select name from tenants where id = $1", [merchant.tenantId]))[0]?.[
    "name"
  ];
  assert.match(await page("tenants/"), new RegExp(`${name} ${merchant.tenantId} Active now 4,711`));
  assert.ok(!(await page("tenants/")).includes("Archived <b>shop"));
  assert.match(await page("tenants/?archived=true"), /Archived <b>shop .* Archived/);
});

test("queues, receivers and banks in trouble are shown, with links to them on the first page", async () => {
  const merchant = await ebicsMerchant(service, bank);
  const profile = { name: "Shop", url: "http://127.0.0.1:9/secret-path?token=1" };
  const { id } = await createRecord(service, merchant.key, "webhook-profiles", profile);
  await merchant.pay(await merchant.session(), IBAN.approved);
  await job("deliver-webhooks");
  await service.rows(
    `update webhook_receivers set failures_in_a_row = 3, failing_since = $2, paused_until = $2 where profile_id = $1 returning tenant`,
    [id, new Date(clock.now().getTime() + 60_000)],
  );
  await service.rows(
    "update ebics_users set state = 'stopped', stop_reason = '091002 locked for Ada Lovelace' where gateway_id = $1",
    [merchant.accountId],
  );
  const home = await page("");
  assert.match(home, /1 bank refuses us or cannot be read/);
  assert.match(home, /1 receiver of webhooks does not take them/);
  const receivers = await page("receivers/");
  assert.match(receivers, /127\.0\.0\.1:9 .* 3 failures Failing since .* next try .* 0 of 1 [1-9]/);
  assert.ok(!receivers.includes("secret-path"));
  assert.match(await page("banks/"), /House bank .* EBICS Refused 091002/);
  assert.match(await page("queues/"), /Deliveries that failed wait for another try [1-9]/);
});

test("a bank's server with another key and one that cannot be read are reported as different problems", async () => {
  const merchant = await bankMerchant(service);
  const troubleAfter = async (error: string) => {
    await service.rows(
      `insert into sepa_accounts (tenant, gateway_id, poll_error)
       select tenant, id, $2 from gateways where id = $1
           on conflict (tenant, gateway_id) do update set poll_error = excluded.poll_error
       returning tenant`,
      [merchant.accountId, error],
    );
    const [gateway] = await service.rows("select tenant from gateways where id = $1", [merchant.accountId]);
    return (await readBankStates(service.db, 100)).find(({ tenant }) => tenant === gateway?.["tenant"])
      ?.trouble;
  };
  assert.equal(
    await troubleAfter("The SFTP host presents the key SHA256:x, which is not the pinned key."),
    "host_key",
  );
  assert.equal(await troubleAfter("statement-Lovelace.xml: connect ECONNREFUSED"), "unread");
});

test("keys are listed at once, and the values encrypted with each are counted only on request", async () => {
  const listed = await page("keys/");
  assert.match(listed, /Seals and opens/);
  assert.ok(!listed.includes("people.totp_secret"));
  assert.match(await page("keys/?count=1"), /people\.totp_secret \S+ [1-9]/);
});

test("no page names a customer, an account, a reference or the amount of a payment", async () => {
  const merchant = await bankMerchant(service);
  const lead = {
    first_name: "Zebulon",
    last_name: "Quixotry",
    email: "zebulon.quixotry@customer.example",
    country: "DE",
  };
  const paid = await payAt(merchant, { lead, amount: "7654.32" });
  await service.rows(
    `insert into gateway_news_set_aside (tenant, gateway_id, reference, kind, why, since, due_at)
     select tenant, id, $2, 'returned', 'Zebulon Quixotry', $3, $3 from gateways where id = $1 returning reference`,
    [merchant.accountId, paid["transaction"].merchant_transaction_id, clock.now()],
  );
  await service.rows(
    `insert into sepa_accounts (tenant, gateway_id, poll_error)
     select tenant, id, 'Zebulon Quixotry: ' || $2 from gateways where id = $1 returning tenant`,
    [merchant.accountId, IBAN.approved],
  );
  const secrets = [
    "Zebulon",
    "Quixotry",
    "customer.example",
    "7654",
    "7,654",
    IBAN.approved,
    IBAN.approved.slice(-4),
    paid["transaction"].merchant_transaction_id,
    paid["transaction"].id,
  ];
  for (const [path] of OPERATOR_PAGES)
    for (const query of ["", "?count=1", "?archived=true"]) {
      const { text, status } = await grace.browser.get(path + query);
      assert.ok(status === 200 || (status === 400 && query !== ""), `${path}${query}: ${status}`);
      for (const secret of secrets) assert.ok(!text.includes(secret), `${path}${query}: ${secret}`);
    }
});

test("a tenant's people get 404 for the operator's pages, and an operator sees nothing of a tenant", async () => {
  const owner = await member(service, await createCompany(service), "owner");
  const unknown = wordsOf(await owner.browser.get("/console/payments/no-such-payment/"));
  for (const [path] of OPERATOR_PAGES) {
    const answer = await owner.browser.get(path);
    assert.equal(answer.status, 404, path);
    assert.equal(wordsOf(answer), unknown);
  }
  assert.ok(!(await owner.browser.get("/console/")).text.includes(HOME));
  const answer = await grace.browser.get("/console/payments/");
  assert.equal(answer.status, 404);
  assert.ok(!answer.text.includes('href="/console/payments/"'));
});

test("an operator is not offered to remove the required second factor, and the page says why", async () => {
  const { text } = await grace.browser.get("/console/account/");
  assert.match(text, /You need this to sign in\./);
  assert.doesNotMatch(text, /authenticator\/remove\//);
});
