/** The console's pages over HTTP, as a browser without script uses them: what they show, allow and refuse. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { wordsOf } from "../support/console.ts";
import { callerFor } from "../support/console-caller.ts";
import { createSandbox, IBAN, lead } from "../support/merchant.ts";
import { createCompany, member, PASSWORD, tokenIn, type Company, type Member } from "../support/people.ts";
import { startService, type Json, type Response, type Service } from "../support/service.ts";

let service: Service;
let shop: Company;
let other: Company;
let owner: Member;
let finance: Member;
let viewer: Member;
let stranger: Member;
const gateways = new Map<Company, string>();

before(async () => {
  service = await startService();
  [shop, other] = [await createCompany(service), await createCompany(service, "Other shop")];
  for (const company of [shop, other]) {
    gateways.set(company, await createSandbox(service, company.key));
  }
  owner = await member(service, shop, "owner");
  finance = await member(service, shop, "finance");
  viewer = await member(service, shop, "viewer");
  stranger = await member(service, other, "owner");
});
after(() => service.close());

/** Makes a payment of a new customer. @returns its id. */
async function paid(
  company: Company,
  changes: Record<string, unknown> = {},
  iban: string = IBAN.approved,
): Promise<string> {
  const options = { key: company.key };
  const created = await service.post(
    "payment-sessions/",
    {
      lead: lead(changes["lead"] as Record<string, unknown> | undefined),
      gateway_id: gateways.get(company),
      amount: changes["amount"] ?? "19.90",
      currency: "EUR",
      billing_type: "ONE_OFF",
    },
    options,
  );
  assert.equal(created.status, 201, created.text);
  const { body, text } = await service.post(
    `payment-sessions/${created.body["session_token"]}/pay/`,
    { iban, iban_holder_name: "Ada Example", mandate_acceptance: { accepted: true } },
    options,
  );
  assert.ok(body["transaction"], text);
  return body["transaction"].id;
}

const read = async (id: string): Promise<Json> =>
  (await service.get(`management/transactions/${id}/`, { key: shop.key })).body;

const refundsOf = async (id: string): Promise<readonly Json[]> =>
  (await service.get(`management/transactions/${id}/refunds/`, { key: shop.key })).body["results"];

/** The fields of the refund dialog's form. */
async function refundForm(who: Member, id: string): Promise<{ readonly csrf: string; readonly id: string }> {
  const page = await who.browser.get(`/console/payments/${id}/?act=refund`);
  return { csrf: tokenIn(page) ?? "", id: refundIdIn(page) };
}

/** The id of the refund in the open dialog. */
function refundIdIn({ text }: Response): string {
  const refund = /action="[^"]*\/refund\/"[^]*?name="id" value="([^"]+)"/.exec(text)?.[1];
  assert.ok(refund, "the dialog is open");
  return refund;
}

test("a person finds their own company's payments and customers; foreign ids answer like unknown ones", async () => {
  const mine = await paid(shop, { amount: "41.17", lead: { last_name: "Minehere" } });
  const theirs = await paid(other, { amount: "41.17", lead: { last_name: "Theirshere" } });
  const customer: string = (await read(mine))["lead_id"];
  for (const path of [
    "/console/",
    "/console/?days=7",
    "/console/expected.csv",
    "/console/figures.csv",
    "/console/payments/",
    `/console/payments/${mine}/`,
    "/console/customers/",
    `/console/customers/${customer}/`,
    "/console/search/?text=here%20nobody",
    "/console/search/?text=41.17",
  ]) {
    const page = await viewer.browser.get(path);
    assert.ok(page.status === 200 || page.status === 303, `${path}: ${page.status}`);
    assert.ok(!page.text.includes("Theirshere"), path);
  }
  assert.match((await viewer.browser.get("/console/payments/")).text, /Minehere/);
  const [foreign, unknown, nonsense] = await Promise.all(
    [theirs, "018f0000-0000-7000-8000-000000000000", "x"].map((id) =>
      viewer.browser.get(`/console/payments/${id}/`),
    ),
  );
  assert.deepEqual([foreign?.status, unknown?.status, nonsense?.status], [404, 404, 404]);
  assert.equal(wordsOf(foreign as Response), wordsOf(unknown as Response));
  assert.equal((await stranger.browser.get(`/console/customers/${customer}/`)).status, 404);
});

test("all input of customers and merchants is shown as text", async () => {
  const evil = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>`;
  const id = await paid(shop, { lead: { first_name: evil, last_name: evil } });
  const customer: string = (await read(id))["lead_id"];
  for (const path of [
    "/console/",
    "/console/payments/",
    `/console/payments/${id}/`,
    `/console/payments/${id}/?act=refund`,
    `/console/customers/${customer}/`,
    `/console/search/?text=${encodeURIComponent(evil)}`,
    `/console/payments/?reason=${encodeURIComponent(evil)}`,
  ]) {
    const { text, status, headers } = await owner.browser.get(path);
    assert.equal(status, 200, path);
    assert.ok(!text.includes("<script>alert") && !text.includes("<img src=x"), path);
    const policy = String(headers["content-security-policy"]);
    assert.ok(!policy.includes("unsafe") && policy.includes("default-src 'none'"), policy);
    const markup = text.replace(/"[^"]*"/g, '""');
    assert.doesNotMatch(markup, /<[^>]+ (?:style|on\w+)=/, `${path}: nothing inline`);
  }
});

test("a refund's dialog names the recipient of the money, and the refund is made once however often the form is sent, with the person's name", async () => {
  const id = await paid(shop, { amount: "30.00" });
  const dialog = await finance.browser.get(`/console/payments/${id}/?act=refund`);
  assert.match(
    wordsOf(dialog),
    /The money goes to Ada Example, account ending 3000\. .*Up to €30\.00 can be refunded\./,
  );
  const form = { ...(await refundForm(finance, id)), amount: "12,50", reason: "Broken cup" };
  const send = () => finance.browser.post(`/console/payments/${id}/refund/`, form);
  const answers = await Promise.all([send(), send(), send()]);
  for (const { status, headers } of answers) {
    assert.deepEqual([status, headers["location"]], [303, `/console/payments/${id}/?done=refund`]);
  }
  await send();
  assert.deepEqual(
    (await refundsOf(id)).map((row) => [row["amount"], row["reason"]]),
    [["12.50", "Broken cup"]],
  );
  const after = await finance.browser.get(`/console/payments/${id}/?done=refund`);
  assert.match(wordsOf(after), /The refund is on its way\./);
  const [refund] = await refundsOf(id);
  const shown = [
    await finance.browser.get(`/console/payments/${refund?.["id"]}/`),
    await finance.browser.get("/console/payments/?type=sdd_refund&amount_min=12.5&amount_max=12.5"),
    await finance.browser.get("/console/search/?text=12.50"),
  ];
  for (const page of shown.filter(({ status }) => status === 200))
    assert.match(wordsOf(page), /− ?€12\.50 Refunded/);
  // There is another payment of the same amount.
  await paid(shop, { amount: "12.50" });
  const both = wordsOf(await finance.browser.get("/console/search/?text=12.50"));
  assert.match(both, /2 results/);
  assert.deepEqual(both.match(/(?:− ?)?€12\.50 [A-Z]\w+ \w+/g)?.toSorted(), [
    "€12.50 Collected Payment",
    "− €12.50 Refunded Refund",
  ]);
  const audit = (await service.get("management/audit-log/", { key: shop.key })).body[
    "results"
  ] as readonly Json[];
  const entry = audit.find((one) => JSON.stringify(one).includes(form.id));
  assert.match(JSON.stringify(entry), /Ada finance/);
});

test("a refund's form that is sent again with another amount refunds nothing and says so", async () => {
  const id = await paid(shop, { amount: "30.00" });
  const form = { ...(await refundForm(finance, id)), reason: "" };
  const send = (amount: string, given = form) =>
    finance.browser.post(`/console/payments/${id}/refund/`, { ...given, amount });
  assert.equal((await send("5.00")).status, 303);
  for (const amount of ["3.00", "7.00"]) {
    const changed = await send(amount);
    assert.equal(changed.status, 422, amount);
    assert.match(wordsOf(changed), /sent before, for 5\.00/);
    assert.equal((await refundsOf(id)).at(-1)?.["amount"], "5.00", "the one of the form");
    const next = refundIdIn(changed);
    assert.equal((await send(amount, { ...form, id: next })).status, 303, "after that has been read");
  }
  assert.deepEqual(
    (await refundsOf(id)).map(({ amount }) => amount),
    ["7.00", "3.00", "5.00"],
  );
});

test("an impossible refund is refused with a reason, keeps the input, and refunds nothing", async () => {
  const id = await paid(shop, { amount: "20.00" });
  for (const [amount, words] of [
    ["", /Enter an amount/],
    ["much", /Enter an amount/],
    ["0", /Enter an amount/],
    ["-5", /Enter an amount/],
    ["20.01", /20\.00/],
  ] as const) {
    const form = { ...(await refundForm(finance, id)), amount, reason: "typed before" };
    const answer = await finance.browser.post(`/console/payments/${id}/refund/`, form);
    assert.deepEqual(
      [answer.status, answer.headers["location"]],
      [422, undefined],
      `${amount}: ${answer.text}`,
    );
    assert.match(wordsOf(answer), words, amount);
    assert.match(answer.text, /typed before/);
  }
  assert.deepEqual(await refundsOf(id), []);
});

test("a refund's dialog that was open during another refund shows the remaining amount, and refunds no more than that", async () => {
  const id = await paid(shop, { amount: "30.00" });
  const form = { ...(await refundForm(finance, id)), amount: "30.00", reason: "" };
  const send = (amount: string, given = form) =>
    finance.browser.post(`/console/payments/${id}/refund/`, { ...given, amount });
  const other = await service.post(
    `management/transactions/${id}/refunds/`,
    { amount: "12.00" },
    { key: shop.key },
  );
  assert.equal(other.status, 201, other.text);
  const refused = await send("30.00");
  assert.equal(refused.status, 422);
  assert.match(wordsOf(refused), /Up to €18\.00 can be refunded/);
  const next = { ...form, id: refundIdIn(refused) };
  const answers = await Promise.all([send("18.00", next), send("18.00", next)]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [303, 303],
  );
  const late = await send("0.01", { ...form, id: crypto.randomUUID() });
  assert.ok(late.status >= 400, String(late.status));
  assert.doesNotMatch(wordsOf(late), /Up to €/);
  assert.deepEqual(
    (await refundsOf(id)).map(({ amount }) => amount),
    ["18.00", "12.00"],
  );
});

test("an owner erases a customer after the dialog and a fresh second factor; others see no button and are refused", async () => {
  const id = await paid(shop, { lead: { first_name: "Vera", last_name: "Vergessen" } });
  const { lead_id: customer } = await read(id);
  const path = `/console/customers/${customer}/`;
  const opened = await owner.browser.get(`${path}?act=erase`);
  assert.match(wordsOf(opened), /Payments keep their amounts/);
  const form = { csrf: tokenIn(opened) ?? "" };
  assert.ok(!(await finance.browser.get(`${path}?act=erase`)).text.includes("/erase/"), "no dialog");
  const refused = await finance.browser.post(`${path}erase/`, {
    csrf: tokenIn(await finance.browser.get(`/console/payments/${id}/?act=refund`)) ?? "",
  });
  assert.equal(refused.status, 403);
  await service.rows("update console_sessions set proved_at = now() - interval '1 hour' where person = $1", [
    owner.id,
  ]);
  const again = await owner.browser.post(`${path}erase/`, form);
  assert.match(String(again.headers["location"]), /^\/console\/step-up\//);
  assert.match((await owner.browser.get(path)).text, /Vergessen/);
  await service.rows("update console_sessions set proved_at = now() where person = $1", [owner.id]);
  const kept = await owner.browser.post(`${path}erase/`, form);
  assert.equal(kept.status, 409);
  assert.match(wordsOf(kept), /must be kept as evidence until/);
  assert.doesNotMatch(wordsOf(kept), /give_up_evidence/, "the API's field");
  const done = await owner.browser.post(`${path}erase/`, { ...form, give_up_evidence: "yes" });
  assert.deepEqual([done.status, done.headers["location"]], [303, path]);
  const shown = await owner.browser.get(path);
  assert.match(wordsOf(shown), /Erased on/);
  assert.ok(!shown.text.includes("Vergessen") && !shown.text.includes("act=erase"));
});

test("a person who may not refund sees no button and is refused; a form from another site does nothing", async () => {
  const id = await paid(shop, { amount: "20.00" });
  const form = { ...(await refundForm(finance, id)), amount: "1.00" };
  const page = await viewer.browser.get(`/console/payments/${id}/?act=refund`);
  assert.ok(!page.text.includes("/refund/") && !page.text.includes('act=refund"'), "no button, no dialog");
  const csrf = tokenIn(page) ?? "";
  const path = `/console/payments/${id}/refund/`;
  assert.equal((await viewer.browser.post(path, { ...form, csrf })).status, 403);
  assert.equal((await finance.browser.post(path, { ...form, csrf: "" })).status, 403);
  assert.equal((await finance.browser.post(path, { ...form, csrf })).status, 403, "another person's token");
  assert.equal((await finance.browser.post(path, form, { "sec-fetch-site": "cross-site" })).status, 403);
  const foreign = await stranger.browser.get("/console/");
  const theirs = await stranger.browser.post(path, { ...form, csrf: tokenIn(foreign) ?? "" });
  assert.equal(theirs.status, 404);
  assert.deepEqual(await refundsOf(id), []);
});

const limitTo = (amount: string) =>
  service.rows("update tenants set step_up_refunds_above = $1 where tenant = $2", [amount, shop.tenant]);

/** The person's last proof of identity was an hour ago. */
const longAgo = ({ id }: Member) =>
  service.rows("update console_sessions set proved_at = proved_at - interval '1 hour' where person = $1", [
    id,
  ]);

/** Sends the refund's form like the dialog. @returns the address that it leads to. */
async function sendRefund(who: Member, id: string, form: Readonly<Record<string, string>>): Promise<unknown> {
  const referer = `${service.url}/console/payments/${id}/?act=refund`;
  const answer = await who.browser.post(`/console/payments/${id}/refund/`, form, { referer });
  assert.equal(answer.status, 303, answer.text);
  return answer.headers["location"];
}

const doneWith = (id: string) => `/console/payments/${id}/?done=refund`;
const stepUpFor = (id: string) =>
  `/console/step-up/?next=${encodeURIComponent(`/console/payments/${id}/?act=refund`)}`;

test("a refund above the company's limit asks for the second factor again, and is made after it", async () => {
  const clerk = await member(service, shop, "finance");
  await limitTo("20.00");
  await longAgo(clerk);
  const [small, large] = [await paid(shop, { amount: "30.00" }), await paid(shop, { amount: "30.00" })];
  assert.equal(
    await sendRefund(clerk, small, { ...(await refundForm(clerk, small)), amount: "20.00" }),
    doneWith(small),
    "the limit itself is not above it",
  );
  const form = { ...(await refundForm(clerk, large)), amount: "20.01" };
  assert.equal(await sendRefund(clerk, large, form), stepUpFor(large));
  const wrong = await clerk.browser.submit(stepUpFor(large), stepUpFor(large), { password: "not this one" });
  assert.equal(wrong.status, 403);
  assert.equal(await sendRefund(clerk, large, form), stepUpFor(large));
  assert.deepEqual(await refundsOf(large), []);
  const proved = await clerk.browser.submit(stepUpFor(large), stepUpFor(large), { password: PASSWORD });
  assert.equal(proved.headers["location"], `/console/payments/${large}/?act=refund`);
  assert.equal(
    (await clerk.browser.post(`/console/payments/${large}/refund/`, form)).status,
    403,
    "an old form",
  );
  const again = { ...(await refundForm(clerk, large)), amount: "20.01" };
  assert.equal(await sendRefund(clerk, large, again), doneWith(large));
  assert.deepEqual(
    (await refundsOf(large)).map((row) => row["amount"]),
    ["20.01"],
  );
});

test("a form that was refused, then corrected, leads from the second factor back to its page", async () => {
  const clerk = await member(service, shop, "finance");
  await limitTo("20.00");
  await longAgo(clerk);
  const id = await paid(shop, { amount: "30.00" });
  const form = { ...(await refundForm(clerk, id)), amount: "20.01" };
  // A form with an error is shown at the address that it was sent to. That address is not a page.
  const referer = `${service.url}/console/payments/${id}/refund/`;
  const asked = await clerk.browser.post(`/console/payments/${id}/refund/`, form, { referer });
  assert.equal(asked.headers["location"], stepUpFor(id));
  const page = new URLSearchParams(stepUpFor(id).split("?")[1]).get("next") ?? "";
  assert.equal((await clerk.browser.get(page)).status, 200);
});

test("a person who is signed out while a form is open sees that reason, and gets to the sign-in and back to the form's page", async () => {
  const clerk = await member(service, shop, "finance");
  const id = await paid(shop);
  const form = { ...(await refundForm(clerk, id)), amount: "1.00" };
  const referer = `${service.url}/console/payments/${id}/?act=refund`;
  const page = `/console/payments/${id}/?act=refund`;
  await owner.browser.submit("/console/people/", `/console/people/${clerk.id}/end-sessions/`);
  const answer = await clerk.browser.post(`/console/payments/${id}/refund/`, form, { referer });
  assert.equal(answer.status, 403);
  assert.match(wordsOf(answer), /signed out, so nothing was done/);
  assert.ok(answer.text.includes(`href="/console/sign-in/?next=${encodeURIComponent(page)}"`), answer.text);
  assert.deepEqual(await refundsOf(id), []);
});

test("a form that another tab has outdated leads back to its page; a form of another site leads to no page", async () => {
  const clerk = await member(service, shop, "finance");
  const id = await paid(shop);
  const form = { ...(await refundForm(clerk, id)), amount: "1.00", csrf: "of another session" };
  const path = `/console/payments/${id}/`;
  const refund = (referer: string) => clerk.browser.post(`${path}refund/`, form, { referer });
  const stale = await refund(`${service.url}${path}?act=refund`);
  assert.equal(stale.status, 403);
  assert.ok(stale.text.includes(`href="${path}?act=refund"`), stale.text);
  const foreign = await refund(`https://elsewhere.example${path}?act=refund`);
  assert.ok(!foreign.text.includes(path) && !foreign.text.includes("elsewhere.example"), foreign.text);
  assert.deepEqual(await refundsOf(id), []);
});

test("the limit in force when the form is sent applies", async () => {
  const clerk = await member(service, shop, "finance");
  const id = await paid(shop, { amount: "30.00" });
  await limitTo("100.00");
  await longAgo(clerk);
  const form = { ...(await refundForm(clerk, id)), amount: "15.00" };
  await limitTo("10.00");
  assert.equal(await sendRefund(clerk, id, form), stepUpFor(id), "lowered while the dialog was open");
  assert.deepEqual(await refundsOf(id), []);
  await limitTo("100.00");
  assert.equal(
    await sendRefund(clerk, id, form),
    doneWith(id),
    "raised while the second factor was asked for",
  );
  assert.equal((await refundsOf(id)).length, 1);
});

test("while the limit is lowered, each refund either is made or asks for the second factor, never both", async () => {
  const clerk = await member(service, shop, "finance");
  const ids = await Promise.all(Array.from({ length: 6 }, () => paid(shop, { amount: "30.00" })));
  await limitTo("100.00");
  await longAgo(clerk);
  const forms = await Promise.all(
    ids.map(async (id) => ({ id, form: { ...(await refundForm(clerk, id)), amount: "15.00" } })),
  );
  const [leads] = await Promise.all([
    Promise.all(forms.map(({ id, form }) => sendRefund(clerk, id, form))),
    limitTo("10.00"),
  ]);
  for (const [at, id] of ids.entries()) {
    const made = (await refundsOf(id)).length;
    assert.deepEqual(leads[at], made === 1 ? doneWith(id) : stepUpFor(id));
  }
  const late = await paid(shop, { amount: "30.00" });
  const form = { ...(await refundForm(clerk, late)), amount: "15.00" };
  assert.equal(await sendRefund(clerk, late, form), stepUpFor(late));
});

test("the search on a page that was not found works as it does elsewhere", async () => {
  const missing = await viewer.browser.get("/console/payments/nothing/");
  assert.equal(missing.status, 404);
  const csrf = tokenIn(missing) ?? "";
  const sent = await viewer.browser.post("/console/search/", { csrf, text: "nobody at all" });
  assert.deepEqual([sent.status, sent.headers["location"]], [303, "/console/search/?text=nobody+at+all"]);
});

test("the filters of a list are in its address; blank ones are ignored, invalid ones are named", async () => {
  const declined = await paid(shop, { amount: "55.55" }, IBAN.insufficientFunds);
  const list = async (query: string) => wordsOf(await viewer.browser.get(`/console/payments/?${query}`));
  const found = await viewer.browser.get(
    "/console/payments/?status=declined&from=&to=&amount_min=55.55&amount_max=55.55&country=",
  );
  assert.match(found.text, new RegExp(`/console/payments/${declined}/`));
  assert.match(wordsOf(found), /Not enough money on the account \(AM04\)/);
  assert.match(wordsOf(found), /1 result/);
  assert.match(
    await list("amount_min=x&country=Germany"),
    /This filter is left out: amount_min: Must be an amount.*country: Must be an ISO 3166-1/,
  );
  assert.match(
    await list("nonsense=1"),
    /This filter is left out: nonsense: There is no such filter here\. (?!.*Allowed)/,
  );
  assert.match(await list("email=nobody%40example.com"), /Nothing matches these filters/);
  assert.match(await list("cursor=AAAA"), /Payments/);
});

test("a list longer than a page leads to older rows and back", async () => {
  const company = await createCompany(service, "Big shop");
  gateways.set(company, await createSandbox(service, company.key));
  const reader = await member(service, company, "viewer");
  for (let made = 0; made < 51; made += 1) {
    // A key may create at most fifty sessions a second, which a fast machine would exceed.
    if (made === 26) await setTimeout(1_100);
    await paid(company);
  }
  const links = ({ text }: Response) =>
    [...text.matchAll(/class="row"[^>]*href="([^"]+)"/g)].map(([, path]) => path);
  const link = ({ text }: Response, rel: string) =>
    new RegExp(`rel="${rel}"\\s+href="([^"]+)"`).exec(text)?.[1]?.replaceAll("&#38;", "&");
  const first = await reader.browser.get("/console/payments/");
  assert.equal(links(first).length, 50);
  const second = await reader.browser.get(link(first, "next") ?? "");
  assert.equal(links(second).length, 1);
  assert.ok(!links(first).includes(links(second)[0]));
  const back = await reader.browser.get(link(second, "prev") ?? "");
  assert.deepEqual(links(back), links(first));
});

test("the search opens a single result, and a whole IBAN is in no address", async () => {
  const id = await paid(shop, {
    amount: "67.89",
    lead: { last_name: "Onlyone", email: "only.one@example.com" },
  });
  const find = async (text: string) => {
    const sent = await viewer.browser.submit("/console/", "/console/search/", { text });
    const to = sent.headers["location"];
    return typeof to === "string" && to.startsWith("/console/search/") ? viewer.browser.get(to) : sent;
  };
  const reference: string = (await read(id))["merchant_transaction_id"];
  assert.equal((await find(reference)).headers["location"], `/console/payments/${id}/`);
  assert.equal((await find("67,89 €")).headers["location"], `/console/payments/${id}/`);
  assert.match(String((await find("only.one@")).headers["location"]), /^\/console\/customers\//);
  assert.match(wordsOf(await find("nobody at all")), /Nothing found/);
  const account = await viewer.browser.submit("/console/", "/console/search/", { text: IBAN.approved });
  assert.equal(account.status, 200);
  assert.ok(!account.text.includes(IBAN.approved), "nor on the page");
});

test("a search that finds more than it shows says so", async () => {
  const company = await createCompany(service, "Busy shop");
  gateways.set(company, await createSandbox(service, company.key));
  const reader = await member(service, company, "viewer");
  for (let payments = 0; payments < 9; payments += 1) await paid(company, { amount: "3.33" });
  const found = async () => wordsOf(await reader.browser.get("/console/search/?text=3.33"));
  assert.match(await found(), /9 results (?!.*At most)/);
  for (let payments = 0; payments < 2; payments += 1) await paid(company, { amount: "3.33" });
  assert.match(await found(), /10 results\. At most 10 of a kind are shown/);
});

test("the search finds pages that the person may see, without script, and returns only the results to the script", async () => {
  const admin = await owner.browser.get("/console/search/?text=dev%20REQ");
  assert.deepEqual([admin.status, admin.headers["location"]], [303, "/console/developers/requests/"]);
  const none = await viewer.browser.get("/console/search/?text=dev%20req");
  assert.equal(none.status, 200);
  assert.ok(!none.text.includes("/console/developers/requests/"));
  const csrf = tokenIn(await viewer.browser.get("/console/")) ?? "";
  const alone = async (text: string) =>
    (await viewer.browser.post("/console/search/", { csrf, text, part: "results" })).text;
  const pages = await alone("");
  assert.ok(
    pages.includes("/console/mandates/") && !pages.includes("/console/setup/") && !pages.includes("<form"),
  );
  assert.ok(!(await alone("<b>bold</b>")).includes("<b>bold"));
  const payment = await read(await paid(shop, { lead: { first_name: "Hedy", last_name: "Lamarr" } }));
  const order = await viewer.browser.get(`/console/search/?text=${payment["order_number"]}`);
  assert.deepEqual([order.status, order.headers["location"]], [303, `/console/payments/${payment["id"]}/`]);
  assert.match(await alone("Lamarr 3000"), /<strong>Hedy Lamarr<\/strong\s*> <span class="soft">TXN-/);
  assert.match(
    wordsOf(await viewer.browser.get("/console/search/?text=")),
    /^ ?Search [^“]*Search \d+ results/,
  );
  assert.equal((await viewer.browser.post("/console/search/", { text: "", part: "results" })).status, 403);
});

test("a page that refreshes itself does not keep an absent person signed in", async () => {
  const gone = await member(service, shop, "viewer");
  const seen = async () =>
    (await service.rows("select seen_at from console_sessions where person = $1", [gone.id]))[0]?.["seen_at"];
  await service.rows(
    "update console_sessions set seen_at = seen_at - interval '10 minutes' where person = $1",
    [gone.id],
  );
  const before = await seen();
  const call = callerFor(service.url, gone.browser.from, gone.browser.cookies);
  assert.equal((await call("GET", "/console/payments/", null, { "x-live": "1" })).status, 200);
  assert.deepEqual(await seen(), before);
  assert.equal((await call("GET", "/console/payments/", null, {})).status, 200);
  assert.notDeepEqual(await seen(), before);
});

test("a page speaks the person's language and writes money and dates as the person's country does", async () => {
  const german = await member(service, shop, "finance");
  await service.rows("update people set locale = 'de-DE', time_zone = 'Europe/Berlin' where id = $1", [
    german.id,
  ]);
  const id = await paid(shop, { amount: "1234.50" });
  const dialog = await german.browser.get(`/console/payments/${id}/?act=refund`);
  assert.match(dialog.text, /name="amount"[^>]*value="1234,50"/, "which the form takes");
  const page = await german.browser.get("/console/payments/?amount_min=1234.5&amount_max=1234.5");
  assert.match(page.text, /<html lang="de"/);
  assert.match(wordsOf(page), /Zahlungen .*1\.234,50\s€.*Eingezogen/);
});

test("the home page adds up the chosen period, next to the one before it, and gives both as CSV", async () => {
  const company = await createCompany(service, "Counted shop");
  const atAcceptance = { completed_event_at: "acceptance" };
  gateways.set(company, await createSandbox(service, company.key, atAcceptance));
  const reader = await member(service, company, "viewer");
  await paid(company, { amount: "19.90" });
  await paid(company, { amount: "0.10" });
  const older = await paid(company, { amount: "40.00" });
  await service.rows("update transactions set created_at = created_at - interval '8 days' where id = $1", [
    older,
  ]);
  const week = wordsOf(await reader.browser.get("/console/?days=7"));
  assert.match(week, /Collected €20\.00 -50% against €40\.00 before/);
  assert.match(week, /Collected, day by day/);
  assert.match(week, /Date Collected On its way Returned The period before .* €0\.00 €0\.00 €0\.00 €40\.00/);
  assert.match(
    wordsOf(await reader.browser.get("/console/?days=90")),
    /Collected €60\.00 €0\.00 in the period before/,
  );
  assert.ok(
    !wordsOf(await reader.browser.get("/console/?days=1")).includes("day by day"),
    "a day is no series",
  );
  const csv = await reader.browser.get("/console/figures.csv?days=30");
  assert.match(String(csv.headers["content-type"]), /^text\/csv/);
  const [head, ...lines] = csv.text.trim().split("\r\n");
  assert.ok(head?.startsWith("day,currency,collected,collected_amount,pending,"));
  assert.deepEqual(
    lines.map((line) => line.split(",").slice(1, 4).join(" ")),
    ["EUR 1 40.00", "EUR 2 20.00"],
  );
  const fresh = await createCompany(service, "New shop");
  const empty = await member(service, fresh, "viewer");
  const nothing = wordsOf(await empty.browser.get("/console/"));
  assert.match(
    nothing,
    /Collected €0\.00.* Nothing was collected, is on its way or came back in these days\./,
  );
  const [seen, made] = await Promise.all(
    [empty, await member(service, fresh, "support")].map(({ browser }) => browser.get("/console/payments/")),
  );
  assert.match(
    made?.text ?? "",
    /No payments yet[^]*href="\/console\/payment-links\/\?act=new">New payment link/,
  );
  assert.ok(!seen?.text.includes("New payment link"), "a viewer makes none");
});

test("a reason on the home page links to exactly its payments of the chosen days", async () => {
  const company = await createCompany(service, "Declined shop");
  gateways.set(company, await createSandbox(service, company.key));
  const reader = await member(service, company, "viewer");
  const recent = await paid(company, {}, IBAN.insufficientFunds);
  const older = await paid(company, {}, IBAN.insufficientFunds);
  await service.rows("update transactions set created_at = created_at - interval '8 days' where id = $1", [
    older,
  ]);
  const leadsTo = async (days: number) => {
    const { text } = await reader.browser.get(`/console/?days=${days}`);
    const link = /href="(\/console\/payments\/\?[^"]*reason=[^"]*)"/.exec(text)?.[1] ?? "";
    const list = (await reader.browser.get(link.replaceAll("&#38;", "&").replaceAll("&amp;", "&"))).text;
    return [recent, older].map((id) => list.includes(`/console/payments/${id}/`));
  };
  assert.deepEqual(
    [await leadsTo(7), await leadsTo(30)],
    [
      [true, false],
      [true, true],
    ],
  );
  assert.match(wordsOf(await reader.browser.get("/console/?days=7")), /1 100% €19\.90/);
});

test("a link of a figure on the home page lists exactly the counted payments, also in another time zone", async () => {
  const company = await createCompany(service, "Early shop");
  gateways.set(company, await createSandbox(service, company.key));
  const reader = await member(service, company, "viewer");
  await service.rows("update people set time_zone = 'Asia/Tokyo' where id = $1 returning id", [reader.id]);
  const today = new Date().toISOString().slice(0, 10);
  // In Tokyo the first payment is on the day before the first day of the span in UTC, and the second is tomorrow.
  for (const [time, daysAgo] of [
    ["00:30", 6],
    ["23:30", 7],
    ["23:30", 1],
  ] as const) {
    const id = await paid(company, {}, IBAN.insufficientFunds);
    await service.rows(
      "update transactions set created_at = ($2::date - $3::integer + $4::time) at time zone 'UTC' where id = $1",
      [id, today, daysAgo, time],
    );
  }
  const home = await reader.browser.get("/console/?days=7");
  assert.match(wordsOf(home), /Not enough money on the account 2 100%/);
  assert.match(wordsOf(home), /Days on this page are days in UTC, where it is/);
  const link = /href="(\/console\/payments\/\?[^"]*reason=[^"]*)"/.exec(home.text)?.[1] ?? "";
  const list = await reader.browser.get(link.replaceAll("&#38;", "&").replaceAll("&amp;", "&"));
  assert.match(wordsOf(list), /2 results/);
  assert.match(wordsOf(list), /Date: [^:]*, UTC/);
  assert.ok(!wordsOf(await owner.browser.get("/console/")).includes("days in UTC"), "it is their own zone");
});

test("returns are compared with the period before, and a week's returns link to its payments with their reasons", async () => {
  const company = await createCompany(service, "Returned shop");
  const atAcceptance = { completed_event_at: "acceptance" };
  gateways.set(company, await createSandbox(service, company.key, atAcceptance));
  const reader = await member(service, company, "viewer");
  const returned = async (reason: string, daysAgo: number) => {
    const id = await paid(company);
    const given = { transaction_id: id, reason_code: reason };
    const { status, text } = await service.post("management/chargebacks/", given, { key: company.key });
    assert.equal(status, 201, text);
    await service.rows(
      "update transactions set created_at = created_at - make_interval(days => $2) where id = $1",
      [id, daysAgo],
    );
    return id;
  };
  const newer = await returned("MD06", 0);
  await paid(company);
  const older = await returned("AC04", 8);
  const home = await reader.browser.get("/console/?days=7");
  assert.match(wordsOf(home), /1 payment, 50% of those collected; €19\.90, 100% in the period before/);
  assert.match(wordsOf(home), /All together 50% of the payments that were collected/);
  assert.match(wordsOf(home), /The customer asked for the money back \(MD06\) 1 50% €19\.90/);
  const weeks = [
    ...home.text.matchAll(/href="(\/console\/payments\/\?status=charged_back&[^"]*from=[^"]*)"/g),
  ]
    .map(([, path = ""]) => path.replaceAll("&#38;", "&").replaceAll("&amp;", "&"))
    .filter((path) => !path.includes("reason="));
  const lists = await Promise.all(weeks.map((path) => reader.browser.get(path)));
  assert.deepEqual(
    [older, newer].map((id) => lists.filter(({ text }) => text.includes(id)).length),
    [1, 1],
  );
  const [first] = lists.filter(({ text }) => text.includes(older));
  assert.match(first === undefined ? "" : wordsOf(first), /Returned The account is closed \(AC04\)/);
  const payment = await reader.browser.get(`/console/payments/${newer}/`);
  assert.match(wordsOf(payment), /Ada Example · The customer asked for the money back \(MD06\)/);
  const csv = await service.get(`management/transactions/export/?columns=status,chargeback_code`, {
    key: company.key,
  });
  assert.match(csv.text, /charged_back,AC04/);
});

test("many filters share a form, and an active one is changed in its place", async () => {
  const { text } = await owner.browser.get("/console/payments/?country=DE");
  const choices = [...text.matchAll(/<details name="filter">\s*<summary>([^<]*)<\/summary>/g)].map(
    ([, title = ""]) => title,
  );
  assert.deepEqual(choices, [
    "Save view",
    "Country: Germany",
    "Status",
    "Date",
    "Amount",
    "Type",
    "Reason",
    "Account ends in",
    "E-mail",
    "More filters",
  ]);
  const both = await owner.browser.get("/console/payments/?held=&gateway_id=&campaign_id=&country=NL");
  assert.match(wordsOf(both), /Country: Netherlands/);
  assert.ok(!both.text.includes("callout bad"), "what is left blank says nothing");
});

test("a payment of a subscription leads to it, and its next cycle is in the CSV of what is expected", async () => {
  const created = await service.post(
    "payment-sessions/",
    {
      lead: lead(),
      gateway_id: gateways.get(shop),
      amount: "9.90",
      currency: "EUR",
      billing_type: "RECURRING",
      billing_frequency: "WEEKLY",
    },
    { key: shop.key },
  );
  assert.equal(created.status, 201, created.text);
  const paidNow = await service.post(
    `payment-sessions/${created.body["session_token"]}/pay/`,
    { iban: IBAN.approved, iban_holder_name: "Ada Example", mandate_acceptance: { accepted: true } },
    { key: shop.key },
  );
  const { transaction, subscription } = paidNow.body;
  const expected = await viewer.browser.get("/console/expected.csv");
  const [head, line] = expected.text.split("\r\n");
  assert.equal(
    head,
    "day,currency,settlements,settlements_amount,renewals,renewals_amount,retries,retries_amount",
  );
  assert.match(line ?? "", /^\d{4}-\d\d-\d\d,EUR,0,0\.00,\d+,\d+\.90,0,0\.00$/);
  const page = await viewer.browser.get(`/console/payments/${transaction.id}/`);
  assert.ok(page.text.includes(`href="/console/subscriptions/${subscription.id}/"`));
});

test("a page that does not exist says so in the person's language", async () => {
  const german = await member(service, shop, "viewer");
  await service.rows("update people set locale = 'de-DE' where id = $1 returning id", [german.id]);
  const missing = await german.browser.get("/console/payments/018f0000-0000-7000-8000-000000000000/");
  assert.equal(missing.status, 404);
  assert.match(wordsOf(missing), /Nicht gefunden Unter dieser Adresse gibt es nichts/);
});

test("no page of the console is cached by browsers or shared caches", async () => {
  for (const path of ["/console/", "/console/payments/", "/console/customers/", "/console/figures.csv"]) {
    const { headers } = await viewer.browser.get(path);
    assert.match(String(headers["cache-control"]), /no-store/, path);
  }
});
