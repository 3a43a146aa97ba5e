/** Different accounts that one customer, or customers from one address, try within a day: first slowly, then not at all. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DAY_MS, later, MINUTE_MS } from "../../src/lib/clock.ts";
import { must } from "../../src/lib/assert.ts";
import { findAttempt } from "../../src/sessions/attempt-store.ts";
import { countAccountOfLead, countInvalid, findReachedOfLead } from "../../src/sessions/limit-store.ts";
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
  const told = () =>
    service.rows("select payload -> 'guard' ->> 'limit' as limit from events where type = 'guard.triggered'");
  assert.deepEqual(await told(), [{ limit: "lead_accounts" }], "at the first refusal");
  await pay(4);
  assert.deepEqual(await told(), [{ limit: "lead_accounts" }], "once");
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

test("a payment that another limit refuses counts for the browser as well, and the refusal sets its cookie", async () => {
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
  // Accounts at which the sandbox answers at once.
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
  assert.match(
    stopped.words,
    /There were too many attempts in a short time\. .* nothing was charged for it\./,
  );
  assert.ok(Number(stopped.headers["retry-after"]) > 30);
});

/** The counts of one customer of a tenant at times that the test gives, from a browser of their own. */
async function countsOf(merchant: Merchant, newest = 0) {
  const { db } = service.app.deps;
  const [found] = await service.rows(
    `select tenant, lead_id from sessions where tenant = (select tenant from tenants where id = $1)
      order by created_at desc, id desc limit 1 offset $2`,
    [merchant.tenantId, newest],
  );
  const { tenant, lead_id: leadId } = must(found, "the session of a customer");
  const start = new Date("2026-03-01T12:00:00Z");
  const given = (account: number, ms: number, clientIp = "198.51.100.7") => ({
    leadId,
    ibanFingerprint: Buffer.alloc(32, account),
    clientIp,
    device: null,
    now: later(start, ms),
  });
  type More = [clientIp?: string];
  return {
    may: (account: number, ms: number, ...more: More): Promise<boolean> =>
      db.transaction((tx) => countAccountOfLead(tx, tenant, given(account, ms, ...more))),
    /** After how long the account would be accepted; null at once. */
    freeAfter: async (account: number, ms: number, ...more: More): Promise<number | null> => {
      const at = await findReachedOfLead(db, tenant, given(account, ms, ...more));
      return at === null ? null : at.getTime() - start.getTime();
    },
    mayMistype: (ms: number): Promise<boolean> => countInvalid(db, tenant, leadId, later(start, ms)),
    countedBefore: (kind: string, count: number) =>
      service.rows("update payment_counts set count = $1 where tenant = $2 and kind = $3", [
        count,
        tenant,
        kind,
      ]),
  };
}

test("the time that a refusal names is the first at which the account is taken, to the millisecond", async () => {
  const merchant = await limited({ lead_accounts_max: 4 });
  await merchant.session();
  const { may, freeAfter } = await countsOf(merchant);
  assert.deepEqual([await may(0, 0), await may(1, 0), await may(2, 0)], [true, true, false]);
  assert.equal(await freeAfter(2, 0), MINUTE_MS);
  assert.deepEqual([await may(2, MINUTE_MS - 1), await freeAfter(2, MINUTE_MS - 1)], [false, MINUTE_MS]);
  assert.deepEqual([await freeAfter(2, MINUTE_MS), await may(2, MINUTE_MS)], [null, true]);
  assert.deepEqual([await may(3, 2 * MINUTE_MS - 1), await may(3, 2 * MINUTE_MS)], [false, true]);
  assert.deepEqual([await may(4, 9 * MINUTE_MS), await freeAfter(4, 9 * MINUTE_MS)], [false, DAY_MS]);
  assert.deepEqual([await freeAfter(0, 9 * MINUTE_MS), await may(0, 9 * MINUTE_MS)], [null, true], "known");
  assert.deepEqual([await may(4, DAY_MS - 1), await freeAfter(4, DAY_MS - 1)], [false, DAY_MS]);
  assert.deepEqual([await freeAfter(4, DAY_MS), await may(4, DAY_MS)], [null, true]);
  const nextDay = [await may(0, DAY_MS), await may(1, DAY_MS), await freeAfter(1, DAY_MS)];
  assert.deepEqual(nextDay, [true, false, DAY_MS + MINUTE_MS], "and none of the day before is known");
});

test("accounts that one customer has tried do not count for another customer", async () => {
  const merchant = await limited({ lead_accounts_max: 2, invalid_ibans_max: 1 });
  await merchant.session({ lead: lead() });
  await merchant.session({ lead: lead() });
  const [one, other] = [await countsOf(merchant), await countsOf(merchant, 1)];
  assert.deepEqual(
    [await one.may(0, 0), await one.may(1, MINUTE_MS), await one.mayMistype(0)],
    [true, true, true],
  );
  assert.deepEqual([await one.freeAfter(2, 2 * MINUTE_MS), await one.mayMistype(1)], [DAY_MS, false]);
  assert.deepEqual(
    [await other.freeAfter(2, 2 * MINUTE_MS), await other.may(2, 2 * MINUTE_MS)],
    [null, true],
  );
  assert.equal(await other.mayMistype(1), true);
});

test("accounts that cannot be debited are counted for a day from the first, and then no account is taken", async () => {
  const merchant = await limited({ invalid_ibans_max: 2 });
  await merchant.session();
  const { freeAfter, mayMistype } = await countsOf(merchant);
  assert.deepEqual([await mayMistype(0), await freeAfter(0, 0)], [true, null]);
  assert.deepEqual([await mayMistype(MINUTE_MS), await freeAfter(0, MINUTE_MS)], [true, DAY_MS]);
  assert.deepEqual([await mayMistype(DAY_MS - 1), await freeAfter(0, DAY_MS - 1)], [false, DAY_MS]);
  assert.deepEqual([await freeAfter(0, DAY_MS), await mayMistype(DAY_MS)], [null, true]);
  const nextDay = [await mayMistype(DAY_MS + 1), await mayMistype(DAY_MS + 2)];
  assert.deepEqual(nextDay, [true, false], "that day counts by itself");
});

test("where a tenant has set nothing, 10 of an account, 20 of a customer, 50 of an address and 30 mistyped ones a day are taken", async () => {
  const merchant = await limited({});
  await merchant.session();
  await service.rows("update gateways set test_mode = false where id = $1", [merchant.gatewayId]);
  const { may, freeAfter, mayMistype, countedBefore } = await countsOf(merchant);
  for (const [kind, most] of [
    ["iban", 10],
    ["lead", 20],
    ["address", 50],
  ] as const) {
    // The other limits do not apply here.
    const alone = async (count: number) => {
      for (const other of ["iban", "lead", "address"]) await countedBefore(other, other === kind ? count : 1);
    };
    await may(1, 0);
    await alone(most - 1);
    assert.deepEqual([await freeAfter(1, 1), await may(1, 1)], [null, true], `${kind}, the last`);
    await alone(most);
    assert.deepEqual([await freeAfter(1, 2), await may(1, 2)], [DAY_MS, false], `${kind}, one more`);
    await alone(1);
  }
  await mayMistype(0);
  await countedBefore("invalid_iban", 29);
  assert.deepEqual([await freeAfter(1, 3), await mayMistype(3), await mayMistype(4)], [null, true, false]);
  assert.equal(await freeAfter(1, 4), DAY_MS);
});

test("an address is one customer's by its first 64 bits in IPv6, by all of it in IPv4", async () => {
  const merchant = await limited({ address_payments_max: 1 });
  await merchant.session();
  const { may } = await countsOf(merchant);
  for (const [address, taken] of [
    ["2001:db8:7::1", true],
    ["2001:db8:7:0:ffff::2", false],
    ["2001:db8:7:1::1", true],
    ["fe80::1%eth0", true],
    ["fe80::2", false],
    ["192.0.2.1", true],
    ["192.0.2.1", false],
    ["192.0.2.2", true],
  ] as const)
    assert.equal(await may(1, 0, address), taken, address);
});
