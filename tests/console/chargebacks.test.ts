/** The console's pages of chargebacks over HTTP: found by what people may know about them, with reasons in words. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { de } from "../../src/console/texts/de.ts";
import { en } from "../../src/console/texts/en.ts";
import { ISO_CODES } from "../../src/sepa/reasons.ts";
import { paidAt, UNKNOWN, wordsOf } from "../support/console.ts";
import { createSandbox } from "../support/merchant.ts";
import { createCompany, member, type Company, type Member } from "../support/people.ts";
import { startService, type Json, type Service } from "../support/service.ts";

const PATH = "/console/chargebacks/";
let service: Service;
let shop: Company;
let gateway: string;
let viewer: Member;
let stranger: Member;

before(async () => {
  service = await startService();
  shop = await createCompany(service);
  gateway = await createSandbox(service, shop.key);
  viewer = await member(service, shop, "viewer");
  stranger = await member(service, await createCompany(service, "Other shop"), "owner");
});
after(() => service.close());

/** A chargeback of a new payment. */
async function chargedBack(given: Readonly<Record<string, unknown>>): Promise<Json> {
  const { transaction } = await paidAt(service, shop.key, gateway);
  const body = { transaction_id: transaction.id, ...given };
  const made = await service.post("management/chargebacks/", body, { key: shop.key });
  assert.equal(made.status, 201, made.text);
  return made.body;
}

test("every code of a bank has words in each language", () => {
  for (const { reasons } of [en, de])
    assert.deepEqual(
      ISO_CODES.filter((code) => !(code in reasons)),
      [],
    );
});

test("chargebacks are listed by reason, day, bank and gateway as in the API, and only the company's own", async () => {
  const lack = await chargedBack({ reason_code: "AM04", report_date: "2026-03-04" });
  const asked = await chargedBack({ reason_code: "MD06", report_date: "2026-03-05" });
  const shown = async (query: string) => {
    const page = await viewer.browser.get(`${PATH}?${query}`);
    const api = await service.get(`management/chargebacks/?${query}`, { key: shop.key });
    assert.equal(api.status, 200, api.text);
    assert.doesNotMatch(page.text, /\b0?0:00\b|12:00 AM/, "a day has no time");
    const ids = [...page.text.matchAll(/class="row"[^>]*\/chargebacks\/([^/]+)\//g)].map(([, id]) => id);
    const expected = api.body["results"].map(({ id }: Json) => id);
    assert.deepEqual(ids, expected, query);
    return ids;
  };
  assert.deepEqual(await shown(""), [asked["id"], lack["id"]]);
  assert.deepEqual(await shown("reason=AM04"), [lack["id"]]);
  assert.deepEqual(await shown("from=2026-03-05"), [asked["id"]]);
  assert.deepEqual(await shown("from=2026-03-04&to=2026-03-04"), [lack["id"]]);
  assert.deepEqual(await shown(`gateway_id=${gateway}`), [asked["id"], lack["id"]]);
  assert.deepEqual(await shown(`gateway_id=${UNKNOWN}`), []);
  assert.deepEqual(await shown(`campaign_id=${UNKNOWN}`), []);
  assert.deepEqual(await shown("bic=cobadeff"), [asked["id"], lack["id"]]);
  assert.deepEqual(await shown("bic=COBADEFF123"), [asked["id"], lack["id"]], "of whichever branch");
  assert.deepEqual(await shown("bic=MARKDEFFXXX"), []);
  assert.deepEqual(await shown("linked=false"), []);
  const wrong = wordsOf(await viewer.browser.get(`${PATH}?bic=1&nonsense=1`));
  assert.match(wrong, /bic: Must be a BIC.*nonsense:/);
  assert.match(wordsOf(await stranger.browser.get(PATH)), /No chargebacks/);
});

test("a chargeback's page explains its reason and what can be done, and links to its payment and mandate", async () => {
  const evil = `<img src=x onerror=alert(1)>`;
  const { id, transaction_id: payment } = await chargedBack({ reason_code: "MD01", reason_message: evil });
  const page = await viewer.browser.get(`${PATH}${id}/`);
  assert.match(wordsOf(page), /No mandate \(MD01\).*Send the bank the mandate with its evidence/);
  assert.ok(page.text.includes(`/console/payments/${payment}/`) && !page.text.includes("<img"));
  const { body } = await service.get(`management/transactions/${payment}/`, { key: shop.key });
  assert.ok(page.text.includes(`/console/mandates/${body["mandate_id"]}/`));
  const { id: other } = await chargedBack({ reason_message: evil });
  const without = await viewer.browser.get(`${PATH}${other}/`);
  assert.match(wordsOf(without), /The bank gives no reason/);
  assert.ok(!without.text.includes("<img") && !(await viewer.browser.get(PATH)).text.includes("<img"));
  await service.rows("update chargebacks set withdrawn_on = '2026-03-09' where id = $1", [other]);
  const withdrawn = await viewer.browser.get(`${PATH}${other}/`);
  assert.match(wordsOf(withdrawn), /there is nothing to do.*Mar 9, 2026/);
  for (const path of [id, UNKNOWN, "x"])
    assert.equal((await stranger.browser.get(`${PATH}${path}/`)).status, 404, path);
});

test("the page of a chargeback of an unknown payment says how to link them, and the home page links to it", async () => {
  const { id } = await chargedBack({ reason_code: "AC04" });
  await service.rows("update chargebacks set transaction_id = null where id = $1", [id]);
  const page = wordsOf(await viewer.browser.get(`${PATH}${id}/`));
  assert.match(page, /Belongs to no payment .*Import the processor's file that contains the payment/);
  assert.match((await viewer.browser.get("/console/")).text, /href="\/console\/chargebacks\/\?linked=false"/);
});
