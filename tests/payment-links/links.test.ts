/** Payment links: anyone can open one, a click begins a session, and a link is paid no more often than it allows. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Calls, Tx } from "../../src/db/database.ts";
import { manualClock } from "../../src/lib/clock.ts";
import { releaseIdleUses, reserveUse } from "../../src/sessions/links/store.ts";
import { createRace, untilWaiting } from "../support/at-once.ts";
import { createMerchant, createRecord, createTenantKey, IBAN, type Merchant } from "../support/merchant.ts";
import { openPage, payOnPage, referenceOf, sendForm, type Page } from "../support/page.ts";
import { readQrCode } from "../support/qr-code.ts";
import { OPERATOR_KEY, startService, type CallOptions, type Json, type Service } from "../support/service.ts";

const HOUR = 60 * 60 * 1_000;

let service: Service;
let merchant: Merchant;
const clock = manualClock(new Date("2026-11-21T09:00:00Z"));
const race = createRace();
/** The number of times that a link was locked for a use. */
let locked = 0;

function counting(db: Calls): Calls {
  const counted = (tx: Tx): Tx => ({
    ...tx,
    query(statement, values) {
      if (statement.name === "payment_links.lock_for_use") locked += 1;
      return tx.query(statement, values);
    },
  });
  return { ...db, transaction: (work) => db.transaction((tx) => work(counted(tx))) };
}

before(async () => {
  service = await startService({ clock, between: (db) => race.between(counting(db)) });
  merchant = await createMerchant(service);
});
after(() => service.close());

function link(changes: Record<string, unknown> = {}): Promise<Json> {
  return createRecord(service, merchant.key, "payment-links", {
    name: "Ticket",
    gateway_id: merchant.gatewayId,
    amount: "12.50",
    ...changes,
  });
}

function change(id: string, changes: Record<string, unknown>) {
  return service.call("PATCH", `management/payment-links/${id}/`, changes, { key: merchant.key });
}

const pathOf = ({ url }: Json) => new URL(String(url)).pathname;

let people = 0;

/** Sends the form of a link's page. @returns the response, without following redirects. */
async function begin(
  made: Json,
  typed: Record<string, string> = {},
  options: CallOptions = {},
): Promise<Page> {
  people += 1;
  const body = new URLSearchParams({
    first_name: "Grace",
    last_name: "Hopper",
    email: `grace${people}@example.com`,
    country: "DE",
    ...typed,
  }).toString();
  const headers = { "accept-language": "en", "content-type": "application/x-www-form-urlencoded" };
  const response = await service.post(pathOf(made), body, { headers, ...options });
  const state = /<main data-state="([^"]*)"/.exec(response.text)?.[1] ?? "";
  return { ...response, state, words: response.text.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ") };
}

/** Begins a session at the link. @returns its token. */
async function begun(made: Json, typed: Record<string, string> = {}): Promise<string> {
  const sent = await begin(made, typed);
  assert.equal(sent.status, 303, sent.words);
  const token = /^\/pay\/(ps_[^/]+)\/$/.exec(String(sent.headers["location"]))?.[1];
  assert.ok(token);
  return token;
}

async function sessionsOf(made: Json): Promise<readonly Json[]> {
  return service.rows("select * from sessions where payment_link_id = $1 order by created_at, id", [
    made["id"],
  ]);
}

test("opening a link writes nothing; its form begins a session with the link's terms, which can be paid", async () => {
  const made = await link({ description: "Admits one.", metadata: { show: "17" } });
  assert.match(made["url"], /^http:\/\/pay\.example\.test\/pay\/link\/pl_[A-Za-z0-9_-]{27}\/$/);
  for (let look = 0; look < 3; look += 1) {
    const page = await openPage(service, pathOf(made));
    assert.deepEqual([page.status, page.state], [200, "link"]);
    assert.match(page.words, /€12\.50.*Admits one\..*Ticket/);
  }
  assert.equal((await service.call("HEAD", pathOf(made))).status, 200);
  assert.deepEqual(await sessionsOf(made), []);
  const token = await begun(made);
  const receipt = await payOnPage(service, token, { iban: IBAN.approved });
  assert.equal(receipt.state, "receipt-paid");
  assert.match(receipt.words, /€12\.50/);
  const [session] = await sessionsOf(made);
  assert.deepEqual(
    [session?.["status"], session?.["amount"], session?.["billing_type"], session?.["metadata"]],
    ["COMPLETED", "12.50", "ONE_OFF", { show: "17" }],
  );
  const byLink = `payment_link_id=${made["id"]}`;
  for (const list of ["payment-sessions", "transactions"]) {
    const { body } = await service.get(`management/${list}/?${byLink}`, { key: merchant.key });
    assert.equal(body["results"].length, 1, list);
    const none = `management/${list}/?payment_link_id=${merchant.campaignId}`;
    assert.equal((await service.get(none, { key: merchant.key })).body["results"].length, 0, list);
  }
});

test("a link to a campaign in a currency that its gateway does not collect is refused; one made before can be changed", async () => {
  const offer = await createRecord(service, merchant.key, "offers", {
    name: "X",
    price: "5.00",
    currency: "EUR",
    billing_type: "ONE_OFF",
  });
  const campaign = await createRecord(service, merchant.key, "campaigns", {
    name: "X",
    offer_id: offer["id"],
    gateway_id: merchant.gatewayId,
  });
  const terms = { campaign_id: campaign["id"], gateway_id: null, amount: null };
  const made = await link(terms);
  const path = `management/offers/${offer["id"]}/`;
  assert.equal((await service.call("PATCH", path, { currency: "CHF" }, { key: merchant.key })).status, 200);
  const refused = await service.post(
    "management/payment-links/",
    { name: "Y", ...terms },
    { key: merchant.key },
  );
  assert.deepEqual(
    [refused.status, refused.body["gateway_id"]],
    [400, ["This gateway does not collect CHF."]],
  );
  assert.equal((await change(made["id"], { name: "Z" })).status, 200);
  assert.equal((await change(made["id"], { campaign_id: campaign["id"] })).status, 400);
});

test("the customer chooses an amount within the bounds, to the cent", async () => {
  const made = await link({ amount: null, amount_min: "5", amount_max: "50.00", amount_suggested: "10.00" });
  const page = await openPage(service, pathOf(made));
  assert.match(page.text, /name="amount"[^>]*value="10\.00"/);
  assert.match(page.words, /€5\.00 – €50\.00/);
  for (const amount of ["4.99", "50.01", "", "0", "-5", "1e1", "7.001", "NaN", "５.00"]) {
    const refused = await begin(made, { amount });
    assert.deepEqual([refused.status, refused.state], [422, "link"], amount);
    assert.match(refused.text, /id="amount"[^>]*aria-invalid="true"/);
  }
  assert.deepEqual(await sessionsOf(made), []);
  for (const [amount, price] of [
    ["5", "5.00"],
    ["50.00", "50.00"],
    ["7,25", "7.25"],
  ] as const) {
    await begun(made, { amount });
    assert.equal((await sessionsOf(made)).at(-1)?.["amount"], price);
  }
});

test("an amount is shown and read in the notation of the customer's language", async () => {
  const terms = { amount_min: "5", amount_max: "1500", amount_suggested: "1200.50" };
  const made = await link({ amount: null, ...terms });
  const page = await openPage(service, `${pathOf(made)}?lang=de`);
  assert.match(page.text, /name="amount"[^>]*value="1200,50"/);
  const german = {
    headers: { "accept-language": "de", "content-type": "application/x-www-form-urlencoded" },
  };
  for (const [amount, price] of [
    ["1.200,50 €", "1200.50"],
    ["1.000", "1000.00"],
  ] as const) {
    assert.equal((await begin(made, { amount }, german)).status, 303);
    assert.equal((await sessionsOf(made)).at(-1)?.["amount"], price);
  }
  assert.equal((await begin(made, { amount: "1.000" })).status, 422, "in English it is no amount");
});

test("an amount typed by the customer is ignored where the link fixes it", async () => {
  const made = await link();
  await begun(made, { amount: "0.01" });
  assert.equal((await sessionsOf(made))[0]?.["amount"], "12.50");
});

test("a link of a campaign sells its offer at its price, or at the link's own", async () => {
  const campaign = { gateway_id: undefined, amount: undefined, campaign_id: merchant.campaignId };
  const made = await link(campaign);
  await begun(made);
  const [session] = await sessionsOf(made);
  assert.deepEqual([session?.["amount"], session?.["offer_id"]], ["19.90", merchant.offerId]);
  const cheaper = await link({ ...campaign, amount: "9.90" });
  await begun(cheaper);
  assert.equal((await sessionsOf(cheaper))[0]?.["amount"], "9.90");
});

test("names, address and country are checked, with an error at the field, and the input is kept", async () => {
  const made = await link();
  const refused = await begin(made, {
    first_name: " ",
    email: "no address",
    country: "US",
    last_name: "O'Hara",
  });
  assert.equal(refused.status, 422);
  for (const name of ["first_name", "email", "country"])
    assert.ok(refused.text.includes(`<a href="#${name}">`), name);
  assert.match(refused.text, /value="O&#39;Hara"/);
  assert.match(refused.text, /role="alert"/);
});

test("typing the address of a known customer shows, changes and inherits nothing of theirs", async () => {
  const email = "known@example.com";
  const known = { first_name: "Known", last_name: "Person", email, country: "FR" };
  const open = await merchant.session({ lead: known });
  const made = await link();
  const token = await begun(made, { email: " Known@Example.com", first_name: "Some", last_name: "Body" });
  const form = await openPage(service, `/pay/${token}/`);
  assert.match(form.text, /value="Some Body"/);
  const leads = await service.rows(
    "select first_name, country from leads where lower(email) = $1 order by first_name",
    [email],
  );
  assert.deepEqual(leads, [
    { first_name: "Known", country: "FR" },
    { first_name: "Some", country: "DE" },
  ]);
  assert.equal((await merchant.retrieve(open)).body["status"], "PENDING", "their own session stays");
  await begun(made, { email });
});

test("a link for one use is paid once: of twelve customers who pay at once, one does", async () => {
  const made = await link({ uses_max: 1 });
  const tokens = await Promise.all(Array.from({ length: 12 }, () => begun(made)));
  const results = await Promise.all(tokens.map((token) => merchant.pay(token, IBAN.slow)));
  const paid = results.filter(({ body }) => body["status"] === "completed");
  assert.equal(paid.length, 1);
  for (const { status, body } of results) {
    if (status === 200) continue;
    assert.ok(
      ["payment_link_in_use", "payment_link_closed"].includes(body["code"]),
      `${status} ${body["code"]}`,
    );
  }
  const states = (await sessionsOf(made)).map(({ status }) => status);
  assert.equal(states.filter((status) => status === "COMPLETED").length, 1);
  const late = await openPage(service, pathOf(made));
  assert.deepEqual([late.status, late.state], [410, "linkUsed"]);
  assert.match(late.words, /This link has been used It cannot be used for another payment\./);
  assert.equal((await begin(made)).status, 410);
  for (const token of tokens) {
    const again = await merchant.pay(token, IBAN.approved);
    assert.equal(again.status, 410, again.text);
  }
});

test("of two customers who take the last use at the same moment, one pays and the other reads why not", async () => {
  const made = await link({ uses_max: 1 });
  const [first, second] = [await begun(made), await begun(made)];
  const codes: string[] = [];
  const pay = async (token: string) => {
    const { body } = await merchant.pay(token, IBAN.approved);
    codes.push(body["code"] ?? body["status"]);
  };
  await race.atOnce(
    service,
    () => pay(first),
    () => pay(second),
  );
  assert.equal(codes.filter((code) => code === "completed").length, 1, codes.join());
  assert.ok(codes.includes("payment_link_in_use") || codes.includes("payment_link_closed"), codes.join());
});

test("of two customers who submit a one-use link at once, the one who does not pay reads why and that the link is used up", async () => {
  const made = await link({ uses_max: 1 });
  const tokens = [await begun(made), await begun(made)] as const;
  const shown = await Promise.all(tokens.map((token) => openPage(service, `/pay/${token}/`)));
  const pages: Page[] = [];
  const pay = async (index: 0 | 1) => {
    const fields = { iban: IBAN.approved, reference: referenceOf(shown[index] as Page) };
    pages.push(await sendForm(service, tokens[index], fields));
  };
  await race.atOnce(
    service,
    () => pay(0),
    () => pay(1),
  );
  for (const { status, state, words } of pages)
    assert.ok(status === 303 || state === "link-in-use", `${status} ${state} ${words}`);
  const states = await Promise.all(tokens.map((token) => openPage(service, `/pay/${token}/`)));
  assert.deepEqual(states.map(({ status, state }) => `${status} ${state}`).toSorted(), [
    "200 receipt-paid",
    "410 linkUsed",
  ]);
  const lost = states.find(({ status }) => status === 410);
  assert.match(lost?.words ?? "", /This link has been used It cannot be used for another payment\./);
});

test("customers who pay at once do not block each other while the link has uses for all", async () => {
  const made = await link({ uses_max: 20 });
  const tokens = await Promise.all(Array.from({ length: 12 }, () => begun(made)));
  const results = await Promise.all(tokens.map((token) => merchant.pay(token, IBAN.approved)));
  for (const { status, text } of results) assert.equal(status, 200, text);
});

test("a link for three uses is paid three times", async () => {
  const made = await link({ uses_max: 3 });
  const tokens = await Promise.all(Array.from({ length: 8 }, () => begun(made)));
  // Customers who were refused because of each other try again. In the end the allowed number have paid.
  for (let round = 0; round < 4; round += 1)
    await Promise.all(tokens.map((token) => merchant.pay(token, IBAN.approved)));
  const paid = (await sessionsOf(made)).filter(({ status }) => status === "COMPLETED");
  assert.equal(paid.length, 3);
});

test("after a declined attempt the same or another customer can use the link", async () => {
  const made = await link({ uses_max: 1 });
  const [first, second] = [await begun(made), await begun(made)];
  assert.equal((await merchant.pay(first, IBAN.declined)).body["status"], "declined");
  assert.equal((await merchant.pay(first, IBAN.insufficientFunds)).body["status"], "declined", "a retry");
  assert.equal((await merchant.pay(second, IBAN.approved)).body["status"], "completed");
  const refused = await merchant.pay(first, IBAN.approved);
  assert.deepEqual([refused.status, refused.body["code"]], [410, "payment_link_closed"]);
  assert.equal((await openPage(service, `/pay/${first}/`)).state, "linkUsed");
});

test("while one customer is at the bank no other can pay; a refusal there releases the use", async () => {
  const made = await link({ uses_max: 1 });
  const [first, second] = [await begun(made), await begun(made)];
  const shown = await openPage(service, `/pay/${second}/`);
  const away = await merchant.pay(first, IBAN.verificationFails);
  assert.equal(away.body["status"], "awaiting_verification");
  const refused = await merchant.pay(second, IBAN.approved);
  assert.deepEqual([refused.status, refused.body["code"]], [409, "payment_link_in_use"]);
  const sent = await sendForm(service, second, { iban: IBAN.approved, reference: referenceOf(shown) });
  assert.equal(sent.state, "link-in-use");
  const onPage = await openPage(service, `/pay/${second}/`);
  assert.deepEqual([onPage.status, onPage.state], [409, "link-in-use"]);
  assert.match(onPage.words, /Someone else is paying with this link Nothing was charged\./);
  assert.match(onPage.text, /<noscript><meta http-equiv="refresh"/, "the page looks again");
  const { verification_url: url } = away.body;
  const answer = await service.post(
    new URL(String(url)).pathname,
    new URLSearchParams({ decision: "confirm" }).toString(),
    { headers: { "content-type": "application/x-www-form-urlencoded" } },
  );
  assert.ok(answer.status < 400, answer.text);
  assert.equal((await merchant.verify(first)).body["status"], "failed");
  assert.equal((await merchant.pay(second, IBAN.approved)).body["status"], "completed");
});

test("if one of two uses is paid and another customer is at the bank, the page of a third says so", async () => {
  const made = await link({ uses_max: 2 });
  const [first, second, third] = [await begun(made), await begun(made), await begun(made)];
  assert.equal((await merchant.pay(first, IBAN.approved)).body["status"], "completed");
  assert.equal((await openPage(service, `/pay/${third}/`)).status, 200, "one use is left");
  const away = await merchant.pay(second, IBAN.verification);
  assert.equal(away.body["status"], "awaiting_verification");
  const onPage = await openPage(service, `/pay/${third}/`);
  assert.deepEqual([onPage.status, onPage.state], [409, "link-in-use"]);
});

test("a session that expires while its customer is at the bank releases the use", async () => {
  const made = await link({ uses_max: 1 });
  const [first, second] = [await begun(made), await begun(made)];
  await merchant.pay(first, IBAN.verification);
  clock.advance(23 * HOUR);
  const third = await begun(made);
  clock.advance(2 * HOUR);
  for (const job of service.app.jobs)
    if (/expire|resolve|recover|sweep/.test(job.name)) await job.runOnce(100);
  assert.equal((await merchant.pay(second, IBAN.approved)).status, 410, "over as well");
  assert.equal((await merchant.pay(third, IBAN.approved)).body["status"], "completed");
});

test("a use that was held for an attempt that never began is taken over", async () => {
  const made = await link({ uses_max: 1 });
  const [, second] = [await begun(made), await begun(made)];
  await service.rows(
    `update sessions set holds_link_use = true
      where id = (select id from sessions where payment_link_id = $1 order by created_at, id limit 1)`,
    [made["id"]],
  );
  assert.equal((await merchant.pay(second, IBAN.approved)).body["status"], "completed");
});

test("uses held without an attempt are taken over in the order in which claims lock", async () => {
  const made = await link({ uses_max: 10 });
  for (let count = 0; count < 4; count += 1) await begun(made);
  const ids = (await sessionsOf(made)).map(({ id }) => String(id)).toSorted();
  const [first = "", , , wants = ""] = ids;
  await service.rows(
    "update sessions set holds_link_use = true, expires_at = expires_at + interval '1 second' where payment_link_id = $1 and id <> $2",
    [made["id"], first],
  );
  // A scan reads its row last.
  await service.rows(
    "update sessions set holds_link_use = true, expires_at = expires_at + interval '1 second' where id = $1",
    [first],
  );
  const [row] = await service.rows("select tenant from sessions where id = $1", [first]);
  const tenant = Number(row?.["tenant"]);
  const freed: Promise<void>[] = [];
  await service.app.deps.db.transaction(async (tx) => {
    await reserveUse(tx, tenant, first);
    freed.push(service.app.deps.db.transaction((other) => releaseIdleUses(other, tenant, made["id"], wants)));
    await untilWaiting(service);
    const free = await service.rows(
      "select id from sessions where id = any ($1) for no key update skip locked",
      [ids.slice(1)],
    );
    assert.equal(free.length, 3, "it holds none while it waits for the first");
  });
  await Promise.all(freed);
});

test("a held use does not allow a payment at a link that was switched off since", async () => {
  const made = await link({ uses_max: 2 });
  const token = await begun(made);
  await service.rows("update sessions set holds_link_use = true where payment_link_id = $1", [made["id"]]);
  await change(made["id"], { active: false });
  const refused = await merchant.pay(token, IBAN.approved);
  assert.deepEqual([refused.status, refused.body["code"]], [410, "payment_link_closed"]);
});

test("a limit that is set while a customer is at the bank includes that customer", async () => {
  const made = await link();
  const [first, second] = [await begun(made), await begun(made)];
  await merchant.pay(first, IBAN.verification);
  await change(made["id"], { uses_max: 1 });
  const refused = await merchant.pay(second, IBAN.approved);
  assert.deepEqual([refused.status, refused.body["code"]], [409, "payment_link_in_use"]);
});

test("a link that is switched off, ended or archived begins no session and no attempt; a running attempt is completed", async () => {
  const ways: readonly ((made: Json) => Promise<unknown>)[] = [
    ({ id }) => change(id, { active: false }),
    ({ id }) => change(id, { ends_at: clock.now().toISOString() }),
    ({ id }) => service.call("DELETE", `management/payment-links/${id}/`, undefined, { key: merchant.key }),
  ];
  for (const end of ways) {
    for (const uses_max of [null, 2]) {
      const made = await link({ uses_max });
      const [idle, declined, away] = [await begun(made), await begun(made), await begun(made)];
      await merchant.pay(declined, IBAN.declined);
      await merchant.pay(away, IBAN.verification);
      await end(made);
      assert.deepEqual(
        [(await openPage(service, pathOf(made))).status, (await begin(made)).status],
        [410, 410],
      );
      for (const token of [idle, declined]) {
        const refused = await merchant.pay(token, IBAN.approved);
        assert.deepEqual([refused.status, refused.body["code"]], [410, "payment_link_closed"]);
        assert.equal((await openPage(service, `/pay/${token}/`)).state, "closed");
      }
      assert.equal((await openPage(service, `/pay/${away}/`)).state, "verification");
    }
  }
});

test("a payment link of an archived company begins no session", async () => {
  const gone = await createMerchant(service);
  const fixed = await createRecord(service, gone.key, "payment-links", {
    name: "Ticket",
    gateway_id: gone.gatewayId,
    amount: "12.50",
  });
  assert.equal((await openPage(service, pathOf(fixed))).status, 200);
  const path = `management/tenants/${gone.tenantId}/`;
  assert.equal((await service.call("DELETE", path, undefined, { key: OPERATOR_KEY })).status, 204);
  const { status } = await begin(fixed);
  assert.equal(status, 410);
  assert.equal((await openPage(service, pathOf(fixed))).status, 410);
  assert.deepEqual(
    await service.rows("select from sessions s join tenants n on n.tenant = s.tenant where n.id = $1", [
      gone.tenantId,
    ]),
    [],
  );
});

test("an enabled link accepts payments again, and a higher limit allows more", async () => {
  const made = await link({ uses_max: 1, active: false });
  assert.equal((await begin(made)).status, 410);
  await change(made["id"], { active: true });
  await merchant.pay(await begun(made), IBAN.approved);
  assert.equal((await begin(made)).status, 410);
  await change(made["id"], { uses_max: 2 });
  assert.equal((await merchant.pay(await begun(made), IBAN.approved)).body["status"], "completed");
});

test("a link's page says that it takes no payments while its campaign or gateway does not collect", async () => {
  const campaign = await createRecord(service, merchant.key, "campaigns", {
    name: "Concert",
    offer_id: merchant.offerId,
    gateway_id: merchant.gatewayId,
  });
  const gateway = await createRecord(service, merchant.key, "gateways", {
    name: "Another",
    adapter: "sandbox",
  });
  const byCampaign = { gateway_id: null, amount: null, campaign_id: campaign["id"] };
  const stop = (at: Date | null) =>
    service.rows("update campaigns set stopped_at = $1 where id = $2", [at, campaign["id"]]);
  const archive = (path: string) =>
    service.call("DELETE", `management/${path}/`, undefined, { key: merchant.key });
  const ways: readonly (readonly [Record<string, unknown>, () => Promise<unknown>])[] = [
    [byCampaign, () => stop(clock.now())],
    [byCampaign, () => stop(null).then(() => archive(`campaigns/${campaign["id"]}`))],
    [{ gateway_id: gateway["id"] }, () => archive(`gateways/${gateway["id"]}`)],
    [
      { gateway_id: gateway["id"], amount: null, amount_min: "1.00" },
      () => archive(`gateways/${gateway["id"]}`),
    ],
  ];
  const links = await Promise.all(ways.map(([terms]) => link(terms)));
  for (const [index, [, end]] of ways.entries()) {
    const made = links[index] as Json;
    await end();
    for (const page of [await openPage(service, pathOf(made)), await begin(made, { amount: "2.00" })]) {
      assert.deepEqual([page.status, page.state], [410, "closed"], `${index}: ${page.words}`);
      assert.match(page.words, /No payments can be made here at the moment.*Nothing was charged\./);
      assert.doesNotMatch(page.words, /try again|expired/i);
    }
    assert.deepEqual(await sessionsOf(made), []);
  }
});

test("a link whose campaign is resumed accepts payments again", async () => {
  const { id, ...campaign } = await createRecord(service, merchant.key, "campaigns", {
    name: "Concert",
    offer_id: merchant.offerId,
    gateway_id: merchant.gatewayId,
  });
  assert.equal(campaign["stopped_at"], null);
  const made = await link({ gateway_id: null, amount: null, campaign_id: id });
  await service.rows("update campaigns set stopped_at = $1 where id = $2", [clock.now(), id]);
  assert.equal((await openPage(service, pathOf(made))).state, "closed");
  const path = `management/campaigns/${id}/resume/`;
  assert.equal((await service.post(path, {}, { key: merchant.key })).status, 200);
  assert.equal((await openPage(service, pathOf(made))).state, "link");
  await begun(made);
});

test("every address without a link shows the same page", async () => {
  const made = await link();
  const token = /pl_[^/]+/.exec(made["url"])?.[0] ?? "";
  const bytes = Buffer.from(token.slice(3), "base64url");
  const other = Buffer.from(bytes);
  other.writeUInt32BE(bytes.readUInt32BE(0) + 1, 0);
  const unknown = Buffer.from(bytes);
  unknown[19] = (unknown[19] ?? 0) ^ 1;
  const huge = Buffer.from(bytes);
  huge.writeUInt32BE(2 ** 32 - 1, 0);
  const tokens = [
    ...[other, unknown, huge].map((of) => `pl_${of.toString("base64url")}`),
    token.slice(0, -1),
    `${token}A`,
    `ps_${token.slice(3)}`,
    token.slice(0, -1) + String.fromCharCode(token.charCodeAt(token.length - 1) + 1),
  ];
  for (const wrong of tokens) {
    const page = await openPage(service, `/pay/link/${wrong}/`);
    assert.deepEqual([page.status, page.state], [404, "unknown"], wrong);
    assert.equal((await begin({ url: `http://x/pay/link/${wrong}/` })).status, 404, wrong);
  }
});

test("one network address can begin sixty payments a minute", async () => {
  const made = await link();
  const from = "127.9.9.9";
  const statuses: number[] = [];
  for (let count = 0; count < 61; count += 1) statuses.push((await begin(made, {}, { from })).status);
  assert.deepEqual([statuses.slice(0, 60).every((status) => status === 303), statuses[60]], [true, 429]);
});

test("a link without a name or an amount, or with a value beyond a limit, is refused", async () => {
  const refused = async (changes: Record<string, unknown>) => {
    const body = { name: "L", gateway_id: merchant.gatewayId, amount: "5.00", ...changes };
    const answer = await service.post("management/payment-links/", body, { key: merchant.key });
    assert.equal(answer.status, 400, JSON.stringify(changes));
    return Object.keys(answer.body).filter((name) => name !== "status_code");
  };
  const trial = await createRecord(service, merchant.key, "offers", {
    name: "Trial",
    price: "9.90",
    currency: "EUR",
    billing_type: "TRIAL_RECURRING",
    trial_interval_unit: "day",
    trial_period: 7,
  });
  const campaign = await createRecord(service, merchant.key, "campaigns", {
    name: "Trial",
    offer_id: trial["id"],
    gateway_id: merchant.gatewayId,
  });
  const foreign = await createTenantKey(service);
  const gateway = await createRecord(service, foreign, "gateways", { name: "Sandbox", adapter: "sandbox" });
  const cases: readonly (readonly [Record<string, unknown>, readonly string[]])[] = [
    [{ amount: null }, ["amount"]],
    [{ gateway_id: null }, ["gateway_id"]],
    [{ gateway_id: gateway["id"] }, ["gateway_id"]],
    [{ amount_min: "1.00" }, ["amount_min"]],
    [{ amount_max: "1.00" }, ["amount_max"]],
    [{ amount: null, amount_min: "2.00", amount_max: "1.99" }, ["amount_max"]],
    [{ amount: null, amount_min: "2.00", amount_suggested: "1.00" }, ["amount_suggested"]],
    [
      { amount: null, amount_min: "2.00", amount_max: "3.00", amount_suggested: "3.01" },
      ["amount_suggested"],
    ],
    [{ amount: null, amount_min: "2.00", campaign_id: campaign["id"] }, ["amount_min"]],
    [{ uses_max: 0 }, ["uses_max"]],
    [{ uses_max: 10_001 }, ["uses_max"]],
    [{ name: "x".repeat(256) }, ["name"]],
    [{ description: "x".repeat(2_001) }, ["description"]],
    [{ amount: "0.00" }, ["amount"]],
  ];
  for (const [changes, fields] of cases) assert.deepEqual(await refused(changes), fields);
  const { id } = await link({ uses_max: 10_000, name: "x".repeat(255), description: "x".repeat(2_000) });
  assert.equal((await change(id, { amount: null })).status, 400, "nor by a change");
  assert.equal((await change(id, { amount: null, amount_min: "1.00" })).status, 200);
});

test("links are listed by their fields, page by page, and their QR code leads to them", async () => {
  const off = await link({ name: "Off", active: false, campaign_id: merchant.campaignId });
  const list = async (query: string) =>
    (await service.get(`management/payment-links/?${query}`, { key: merchant.key })).body;
  const found = await list(`active=false&campaign_id=${merchant.campaignId}`);
  assert.deepEqual(
    found["results"].map(({ id }: Json) => id),
    [off["id"]],
  );
  const first = await list("page_size=1");
  assert.equal(first["results"].length, 1);
  assert.match(first["next"], /cursor=/);
  const qr = await service.get(`management/payment-links/${off["id"]}/qr-code/`, { key: merchant.key });
  assert.equal(qr.headers["content-type"], "image/svg+xml");
  assert.match(qr.text, /^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  assert.equal(readQrCode(qr.text), off["url"]);
});

test("a refused payment of a session without a link looks up no link", async () => {
  const token = await merchant.session();
  await merchant.pay(token, IBAN.approved);
  const before = locked;
  assert.equal((await merchant.pay(token, IBAN.approved)).status, 410);
  assert.equal(locked, before);
  const limited = await link({ uses_max: 1 });
  await payOnPage(service, await begun(limited), { iban: IBAN.approved });
  assert.ok(locked > before);
});

test("a person who pays the same amount by a link again has to confirm; someone with only the same address or account does not", async () => {
  const shop = await createMerchant(service);
  const asks = { ask_about_duplicates: true };
  await service.call("PATCH", "management/tenant/", asks, { key: shop.key });
  const given = { name: "Ticket", gateway_id: shop.gatewayId, amount: "12.50" };
  const made = await createRecord(service, shop.key, "payment-links", given);
  const pay = async (email: string, iban: string, more: Record<string, string> = {}) =>
    sendForm(service, await begun(made, { email }), { iban, ...more });
  assert.equal((await pay("Ada.L@example.com", IBAN.approved)).status, 303);
  assert.equal((await pay("ada.l@example.com", IBAN.approvedDutch)).status, 303, "her address");
  assert.equal((await pay("ada@example.com", IBAN.approved)).status, 303, "her account");
  assert.equal((await pay("bo@example.com", IBAN.returned)).status, 303);
  assert.equal((await pay("ada.l@example.com", IBAN.returned)).status, 303, "her address, his account");
  assert.equal((await pay("ada.l@example.com", IBAN.approved)).status, 422);
  assert.equal((await pay("ada.l@example.com", IBAN.approved, { again: "yes" })).status, 303);
});
