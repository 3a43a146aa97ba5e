/**
 * Payment links in the console: people with the rights create them, see their address and QR code, and switch them off.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { wordsOf } from "../support/console.ts";
import { createRecord, IBAN } from "../support/merchant.ts";
import { createCompany, member, type Company, type Member } from "../support/people.ts";
import { startService, type Json, type Service } from "../support/service.ts";

const LINKS = "/console/payment-links/";
const EVIL = `<script>alert(1)</script>`;

let service: Service;
let shop: Company;
let owner: Member;
let support: Member;
let viewer: Member;
let stranger: Member;
let gatewayId: string;

before(async () => {
  service = await startService();
  shop = await createCompany(service);
  owner = await member(service, shop, "owner");
  support = await member(service, shop, "support");
  viewer = await member(service, shop, "viewer");
  stranger = await member(service, await createCompany(service, "Other shop"), "owner");
  gatewayId = (await createRecord(service, shop.key, "gateways", { name: "Sandbox", adapter: "sandbox" }))[
    "id"
  ];
});
after(() => service.close());

async function make(fields: Readonly<Record<string, string>>): Promise<Json> {
  const made = await owner.browser.submit(`${LINKS}?act=new`, LINKS, {
    name: "Ticket",
    gateway_id: gatewayId,
    active: "1",
    ...fields,
  });
  assert.equal(made.status, 303, wordsOf(made));
  const id = /([0-9a-f-]{36})\//.exec(String(made.headers["location"]))?.[1] ?? "";
  return (await service.get(`management/payment-links/${id}/`, { key: shop.key })).body;
}

test("a link is created by its form, and its page has the address, the QR code and the paid amount", async () => {
  const link = await make({ name: `Ticket ${EVIL}`, amount: "12,50", uses_max: "1" });
  assert.deepEqual([link["amount"], link["uses_max"], link["active"]], ["12.50", 1, true]);
  const page = await owner.browser.get(`${LINKS}${link["id"]}/`);
  assert.ok(page.text.includes(`data-copy="${link["url"]}"`));
  assert.match(page.text, /<svg [^>]*class="qr"/);
  assert.match(wordsOf(page), /Payments No payments yet/);
  assert.ok(!page.text.includes(EVIL));
  const list = await owner.browser.get(LINKS);
  assert.match(wordsOf(list), /€12\.50 0 of 1 Active/);
});

test("violated rules of a form are shown next to their fields", async () => {
  const refused = await owner.browser.submit(`${LINKS}?act=new`, LINKS, { name: "L", gateway_id: gatewayId });
  assert.equal(refused.status, 422);
  assert.match(refused.text, /id="amount-error"/);
});

test("a link is switched off and on with one click, recorded in the audit log", async () => {
  const { id } = await make({ amount: "5" });
  const flip = async () => {
    const { text } = await owner.browser.get(`${LINKS}${id}/`);
    const active = /name="active" value="([01])"/.exec(text)?.[1] ?? "";
    return owner.browser.submit(`${LINKS}${id}/`, `${LINKS}${id}/switch/`, { active });
  };
  const isActive = async () =>
    (await service.get(`management/payment-links/${id}/`, { key: shop.key })).body["active"];
  assert.equal((await flip()).status, 303);
  assert.equal(await isActive(), false);
  assert.match(wordsOf(await owner.browser.get(`${LINKS}${id}/`)), /Ticket Switched off/);
  await flip();
  assert.equal(await isActive(), true);
  const log = await service.get(`management/audit-log/?resource_id=${id}`, { key: shop.key });
  assert.equal(log.body["results"][0].actor, `person:${owner.id}`);
});

/** Pays at the link like a customer. */
async function pay(url: string): Promise<void> {
  const customer = { first_name: "Ada", last_name: "Example", email: "ada@example.com", country: "DE" };
  const begun = await service.post(new URL(url).pathname, new URLSearchParams(customer).toString(), {
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  const token = /(ps_[^/]+)/.exec(String(begun.headers["location"]))?.[1];
  const paid = await service.post(`payment-sessions/${token}/pay/`, {
    iban: IBAN.approved,
    iban_holder_name: "Ada Example",
  });
  assert.equal(paid.body["status"], "completed", paid.text);
}

test("the list says of each link whether it can be paid, and how often it was", async () => {
  const single = await make({ name: "Single", amount: "5", uses_max: "1" });
  const few = await make({ name: "Few", amount: "6", uses_max: "2" });
  await make({ name: "Late", amount: "7", ends_at: "2020-01-01T00:00" });
  await make({ name: "Open", amount_min: "8", amount_max: "9" });
  await pay(single["url"]);
  await pay(few["url"]);
  const list = wordsOf(await viewer.browser.get(LINKS));
  for (const row of [
    /Single €5\.00 1 of 1 Paid/,
    /Few €6\.00 1 of 2 Active/,
    /Late €7\.00 – Ended/,
    /Open €8\.00 – €9\.00 – Active/,
  ])
    assert.match(list, row);
  await pay(few["url"]);
  const page = await viewer.browser.get(`${LINKS}${few["id"]}/`);
  assert.match(wordsOf(page), /Few Used up/);
  assert.match(wordsOf(page), /Payments Show all/);
  const all = await viewer.browser.get(`/console/payments/?payment_link_id=${few["id"]}`);
  assert.match(wordsOf(all), /2 results/);
});

test("support can create links and download QR codes; people who may only see payments see links but cannot change them", async () => {
  const made = await support.browser.submit(`${LINKS}?act=new`, LINKS, {
    name: "By phone",
    gateway_id: gatewayId,
    amount: "5",
    active: "1",
  });
  assert.equal(made.status, 303, wordsOf(made));
  const { id, url } = await make({ amount: "5" });
  const code = await viewer.browser.get(`${LINKS}${id}/qr-code.svg`);
  assert.deepEqual([code.status, code.headers["content-type"]], [200, "image/svg+xml"]);
  assert.match(String(code.headers["content-disposition"]), /^attachment/);
  const api = await service.get(`management/payment-links/${id}/qr-code/`, { key: shop.key });
  assert.equal(code.text, api.text);
  const seen = await viewer.browser.get(`${LINKS}${id}/`);
  assert.ok(seen.text.includes(url) && !seen.text.includes("/switch/") && !seen.text.includes("</textarea>"));
  assert.ok(!(await viewer.browser.get(LINKS)).text.includes("act=new"));
  assert.equal((await viewer.browser.post(`${LINKS}${id}/switch/`, {})).status, 403);
  for (const path of [`${LINKS}${id}/`, `${LINKS}${id}/qr-code.svg`])
    assert.equal((await stranger.browser.get(path)).status, 404);
});
