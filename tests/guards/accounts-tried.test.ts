/** Different accounts that one customer, or customers from one address, try within a day: first slowly, then not at all. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DAY_MS, later, MINUTE_MS } from "../../src/lib/clock.ts";
import { must } from "../../src/lib/assert.ts";
import { findAttempt } from "../../src/sessions/attempt-store.ts";
import { limitReached } from "../../src/sessions/limits.ts";
import { createRace } from "../support/at-once.ts";
import { createMerchant, createRecord, IBAN, lead, type Merchant } from "../support/merchant.ts";
import { sendForm } from "../support/page.ts";
import { startService, type Response, type Service } from "../support/service.ts";

const ACCOUNTS = [IBAN.declined, IBAN.insufficientFunds, IBAN.unknownCode, IBAN.approved, IBAN.approvedDutch];
const race = createRace();
let service: Service;
let shift = 0;

before(async () => {
  const clock = { now: () => later(new Date(), shift), monotonicMs: () => performance.now() };
  service = await startService({ clock, between: race.between });
});
after(() => service.close());

async function limited(settings: Record<string, unknown>): Promise<Merchant> {
  const merchant = await createMerchant(service);
  const { status, text } = await service.call("PATCH", "management/tenant/", settings, { key: merchant.key });
  assert.equal(status, 200, text);
  const url = "https://example.com/hook";
  await createRecord(service, merchant.key, "webhook-profiles", {
    name: "All",
    url,
    events: ["guard.triggered"],
  });
  return merchant;
}

const waits = ({ status, headers }: Response) => (status === 429 ? Number(headers["retry-after"]) : 0);

test("new accounts are taken at once up to half of the limit, then one a minute, then none for the day; known ones always", async () => {
  const merchant = await limited({ lead_accounts_max: 4 });
  const token = await merchant.session({ max_payment_attempts: 10 });
  const pay = (number: number) => merchant.pay(token, ACCOUNTS[number] as string);
  assert.deepEqual([(await pay(0)).status, (await pay(1)).status], [200, 200]);
  const slow = waits(await pay(2));
  assert.ok(slow > 0 && slow <= 60, `${slow} s`);
  assert.equal((await pay(0)).status, 200, "one that is known");
  shift += MINUTE_MS;
  assert.equal((await pay(2)).status, 200);
  shift += MINUTE_MS;
  assert.equal((await pay(1)).status, 200);
  const more = await merchant.pay(token, IBAN.unreachable);
  assert.equal(more.status, 200);
  shift += MINUTE_MS;
  const refused = waits(await pay(4));
  assert.ok(refused > 80_000 && refused <= 86_400, `${refused} s`);
  await pay(4);
  const told = await service.rows(
    "select payload -> 'guard' ->> 'limit' as limit from events where type = 'guard.triggered'",
  );
  assert.deepEqual(told, [{ limit: "lead_accounts" }]);
  const causes = await service.rows(
    "select cause from session_moves where cause like 'slowed%' or cause like 'limit_reached%' order by at",
  );
  assert.deepEqual(
    causes.map(({ cause }) => cause),
    ["slowed_down_lead_accounts", "limit_reached_lead_accounts"],
  );
});

test("many customers from one address: the accounts of all of them count, and the count starts again after a day", async () => {
  const merchant = await limited({ address_accounts_max: 2 });
  const pay = async (number: number, address = "2001:db8:7::1") =>
    merchant.pay(await merchant.session({ lead: lead(), customer_ip: address }), ACCOUNTS[number] as string);
  assert.equal((await pay(0)).status, 200);
  shift += MINUTE_MS;
  assert.equal((await pay(1, "2001:db8:7::2")).status, 200);
  shift += MINUTE_MS;
  assert.ok(waits(await pay(3)) > 60);
  assert.equal((await pay(3, "2001:db8:8::1")).status, 200);
  shift += DAY_MS;
  assert.equal((await pay(3)).status, 200);
  shift += MINUTE_MS;
  assert.equal((await pay(0)).status, 200, "and of the day before none is known");
  shift += MINUTE_MS;
  assert.ok(waits(await pay(1)) > 60);
});

test("with one browser as many accounts are taken as the tenant allows; without the setting the page sets no cookie", async () => {
  const merchant = await limited({ device_accounts_max: 2 });
  const send = async (iban: string, cookie?: string) => {
    const token = await merchant.session({ lead: lead() });
    return sendForm(service, token, { iban }, cookie === undefined ? {} : { headers: { cookie } });
  };
  const first = await send(IBAN.declined);
  const cookie = String(first.headers["set-cookie"]).replace(/;.*/, "");
  assert.match(
    String(first.headers["set-cookie"]),
    /^pay-device=[A-Za-z0-9_-]{22}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=86400$/,
  );
  shift += MINUTE_MS;
  const second = await send(IBAN.insufficientFunds, cookie);
  assert.deepEqual([second.status, second.headers["set-cookie"]], [303, undefined]);
  shift += MINUTE_MS;
  assert.ok(waits(await send(IBAN.approvedDutch, cookie)) > 60, "a third account, of another customer");
  assert.equal((await send(IBAN.declined, cookie)).status, 303, "one that is known");
  shift += MINUTE_MS;
  assert.equal((await send(IBAN.approvedDutch)).status, 303, "another browser");
  const stored = await service.rows("select key from payment_counts where kind = 'device_accounts'");
  assert.ok(stored.every(({ key }) => !cookie.includes(String(key)) && /^[0-9a-f]{64}$/.test(String(key))));
  const elsewhere = await limited({ device_accounts_max: 2 });
  const token = await elsewhere.session();
  const there = await sendForm(service, token, { iban: IBAN.approvedDutch }, { headers: { cookie } });
  assert.equal(there.status, 303, "another shop's accounts are counted by themselves");
  const shared = await service.rows(
    "select key from payment_counts where kind = 'device_accounts' group by key having count(*) > 1",
  );
  assert.deepEqual(shared, [], "what is kept does not tell that it is the same browser");

  const open = await limited({});
  const free = await open.session();
  const sent = await sendForm(service, free, { iban: IBAN.declined }, { headers: { cookie } });
  assert.deepEqual([sent.status, sent.headers["set-cookie"]], [303, undefined]);
});

test("what another limit refuses is counted for the browser too, and the refusal sets its cookie", async () => {
  const merchant = await limited({ lead_accounts_max: 2, device_accounts_max: 2 });
  const token = await merchant.session({ max_payment_attempts: 10 });
  for (const iban of [IBAN.declined, IBAN.unknownCode]) {
    assert.equal((await merchant.pay(token, iban)).status, 200, "by no browser");
    shift += MINUTE_MS;
  }
  const refused = await sendForm(service, token, { iban: IBAN.insufficientFunds });
  assert.ok(waits(refused) > 60);
  const cookie = String(refused.headers["set-cookie"]).replace(/;.*/, "");
  const send = async (iban: string) =>
    sendForm(service, await merchant.session({ lead: lead() }), { iban }, { headers: { cookie } });
  shift += MINUTE_MS;
  assert.equal((await send(IBAN.declined)).status, 303, "the second account");
  shift += MINUTE_MS;
  assert.ok(waits(await send(IBAN.unknownCode)) > 60, "a third");
});

test("twelve accounts at once from one address: no more than half of the limit, whichever they are", async () => {
  const merchant = await limited({ address_accounts_max: 4 });
  // Those at which the sandbox answers at once.
  const { slow: _slow, answerLost: _lost, notCharged: _not, ...prompt } = IBAN;
  const accounts = Object.values(prompt);
  const tokens = await Promise.all(
    accounts.map(() => merchant.session({ lead: lead(), customer_ip: "192.0.2.77" })),
  );
  const answers = await Promise.all(tokens.map((token, at) => merchant.pay(token, accounts[at] as string)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 2);
  assert.equal(answers.filter(({ status }) => status === 429).length, 10);
});

test("a limit lowered meanwhile holds for the next try; without a limit any number may be tried", async () => {
  const merchant = await limited({});
  const token = await merchant.session({ max_payment_attempts: 10 });
  const pay = (number: number) => merchant.pay(token, ACCOUNTS[number] as string);
  for (const number of [0, 1, 2]) assert.equal((await pay(number)).status, 200);
  await service.call("PATCH", "management/tenant/", { lead_accounts_max: 2 }, { key: merchant.key });
  assert.equal((await pay(0)).status, 200);
  assert.ok(waits(await pay(1)) > 0);
  shift += MINUTE_MS;
  assert.equal((await pay(1)).status, 200);
  shift += MINUTE_MS;
  assert.ok(waits(await pay(3)) > 60);
});

test("when the limit is lowered below what was tried, the next try is refused by it", async () => {
  const merchant = await limited({ lead_accounts_max: 8 });
  const token = await merchant.session({ max_payment_attempts: 10 });
  const pay = (number: number) => merchant.pay(token, ACCOUNTS[number] as string);
  for (const number of [0, 1, 2]) assert.equal((await pay(number)).status, 200);
  await service.call("PATCH", "management/tenant/", { lead_accounts_max: 2 }, { key: merchant.key });
  shift += MINUTE_MS;
  assert.ok(waits(await pay(3)) > 60);
  assert.equal((await pay(0)).status, 200, "one that is known");
});

test("two concurrent tries beyond the limit emit one event, and the timeline has one entry", async () => {
  const merchant = await limited({ lead_accounts_max: 2 });
  const token = await merchant.session();
  const pay = (number: number) => merchant.pay(token, ACCOUNTS[number] as string);
  await pay(0);
  shift += MINUTE_MS;
  await pay(1);
  const { deps } = service.app;
  const [found] = await service.rows(
    "select tenant, id from sessions where tenant = (select tenant from tenants where id = $1)",
    [merchant.tenantId],
  );
  const { tenant, id: sessionId } = must(found, "its only session");
  const session = await findAttempt(deps.db, tenant, sessionId);
  const [fingerprint] = deps.keys.fingerprints(tenant, ACCOUNTS[3] as string);
  const payer = {
    tenant,
    sessionId,
    clientIp: "192.0.2.78",
    source: "api_submission",
    device: null,
  } as const;
  await race.atOnce(
    service,
    () => limitReached(deps, payer, fingerprint, session),
    async () => assert.equal((await pay(4)).status, 429),
  );
  const events = await service.rows(
    "select 1 from events where session_id = $1 and type = 'guard.triggered'",
    [sessionId],
  );
  const moves = await service.rows(
    "select 1 from session_moves where session_id = $1 and cause = 'limit_reached_lead_accounts'",
    [sessionId],
  );
  assert.deepEqual([events.length, moves.length], [1, 1]);
});

test("the payment page counts the accounts tried as the API does", async () => {
  const merchant = await limited({ lead_accounts_max: 2 });
  const token = await merchant.session({ max_payment_attempts: 10 });
  assert.equal((await sendForm(service, token, { iban: ACCOUNTS[0] as string })).status, 303);
  const stopped = await sendForm(service, token, { iban: ACCOUNTS[1] as string });
  assert.deepEqual([stopped.status, stopped.state], [429, "tries"]);
  assert.match(stopped.words, /There were too many tries in a short time\. .* nothing was charged for it\./);
  assert.ok(Number(stopped.headers["retry-after"]) > 30);
});
