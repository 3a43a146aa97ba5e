/** The test mode over HTTP: test payments, and a clock that is moved forward for one company only. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assertBooksAgree } from "../support/books.ts";
import { wordsOf } from "../support/console.ts";
import { createSandbox } from "../support/merchant.ts";
import { createCompany, member, type Company, type Member } from "../support/people.ts";
import { bankMerchant, outgoing, payAt } from "../support/sepa-bank.ts";
import { startService, type Service } from "../support/service.ts";

const PATH = "/console/test-mode/";
let service: Service;
let shop: Company;
let other: Company;
let support: Member;
let viewer: Member;

before(async () => {
  service = await startService();
  [shop, other] = [await createCompany(service), await createCompany(service, "Other shop")];
  support = await member(service, shop, "support");
  viewer = await member(service, shop, "viewer");
});
after(() => service.close());

const send = (act: string, fields: Readonly<Record<string, string>> = {}) =>
  support.browser.submit(PATH, `${PATH}${act}/`, fields);

const paidAs = async (iban: string, more: Readonly<Record<string, string>> = {}) => {
  const played = await send("play", { iban, amount: "12,50", ...more });
  assert.equal(played.status, 303, wordsOf(played));
  const id = /payments\/([0-9a-f-]{36})\//.exec(String(played.headers["location"]))?.[1] ?? "";
  const status = async () =>
    (await service.get(`management/transactions/${id}/`, { key: shop.key })).body["status"] as string;
  return { id, status };
};

test("a step of the clock for which there is no button is a day", async () => {
  const own = await createCompany(service, "Third shop");
  const { time } = service.app.deps;
  const { browser } = await member(service, own, "owner");
  const moved = await browser.submit(PATH, `${PATH}clock/`, { by: "constructor" });
  assert.equal(moved.status, 303);
  assert.equal(Math.round((time.now(own.tenant).getTime() - Date.now()) / 86_400_000), 1);
});

test("without a sandbox gateway the page says what is missing", async () => {
  assert.match(wordsOf(await support.browser.get(PATH)), /No gateway of the sandbox/);
  assert.equal((await viewer.browser.get(PATH)).status, 403);
});

test("the scenarios end as paid, declined, returned and charged back with the next tick", async () => {
  await createSandbox(service, shop.key);
  const [paid, declined, returned, charged] = [
    await paidAs("DE89370400440532013000"),
    await paidAs("DE34370400440532013020"),
    await paidAs("DE78370400440532013004"),
    await paidAs("DE35370400440532013002"),
  ];
  assert.deepEqual([await paid.status(), await declined.status()], ["approved", "declined"]);
  const ticked = await send("tick");
  assert.match(String(ticked.headers["location"]), /returned=1&charged=1$/);
  assert.deepEqual([await returned.status(), await charged.status()], ["declined", "charged_back"]);
  const wrong = await send("play", { amount: "a lot" });
  assert.equal(wrong.status, 422);
  assert.match(wordsOf(wrong), /Amount: Must be an amount/);
});

test("a scenario is played with one click, with the days that it takes", async () => {
  const page = await support.browser.get(PATH);
  assert.match(wordsOf(page), /Returned 5 days later/);
  const { time } = service.app.deps;
  const before = time.now(shop.tenant).getTime();
  const returned = await paidAs("DE78370400440532013004", { days: "5" });
  assert.equal(await returned.status(), "declined");
  const charged = await paidAs("DE35370400440532013002", { days: "5" });
  assert.equal(await charged.status(), "charged_back");
  const days = (time.now(shop.tenant).getTime() - before) / 86_400_000;
  assert.equal(Math.round(days), 10);
});

test("an existing payment comes back once: a pending one is returned, a paid one is charged back", async () => {
  const comeBack = (payment: string) => support.browser.submit(PATH, `${PATH}come-back/`, { payment });
  const page = async (id: string) => wordsOf(await support.browser.get(`/console/payments/${id}/`));
  const pending = await paidAs("DE08370400440532013003");
  const paid = await paidAs("DE89370400440532013000");
  const settled = await paidAs("DE08370400440532013003");
  assert.match(await page(pending.id), /Returned 5 days later/);
  assert.equal((await comeBack(pending.id)).status, 303);
  assert.equal(await pending.status(), "declined");
  assert.equal(await settled.status(), "approved", "the tick has settled what nothing was asked of");
  for (const one of [paid, settled]) {
    assert.match(await page(one.id), /Charged back 5 days later/);
    const twice = await Promise.all([comeBack(one.id), comeBack(one.id)]);
    assert.ok(twice.some(({ status }) => status === 303));
    assert.equal(await one.status(), "charged_back");
    const told = await page(one.id);
    assert.doesNotMatch(told, /5 days later/);
    assert.match(told, /12\.50 collected.*12\.50 taken back/s, "the timeline keeps what went before");
  }
  await assertBooksAgree(service.app.deps.db);
});

test("the page says why a payment cannot come back: declined, partly refunded, another company's, or unknown", async () => {
  const comeBack = (payment: string) => support.browser.submit(PATH, `${PATH}come-back/`, { payment });
  const declined = await paidAs("DE34370400440532013020");
  const refunded = await paidAs("DE89370400440532013000");
  const path = `management/transactions/${refunded.id}/refunds/`;
  assert.equal((await service.post(path, { amount: "1.00" }, { key: shop.key })).status, 201);
  for (const { id } of [declined, refunded]) {
    const refused = await comeBack(id);
    assert.equal(refused.status, 422);
    assert.match(wordsOf(refused), /This one is not/);
  }
  assert.equal(await refunded.status(), "approved");
  const paid = await paidAs("DE89370400440532013000");
  const foreign = await member(service, other, "owner");
  const theirs = await foreign.browser.submit(PATH, `${PATH}come-back/`, { payment: paid.id });
  assert.equal(theirs.status, 404);
  assert.equal(await paid.status(), "approved");
  assert.equal((await comeBack("nothing")).status, 404);
});

test("the clock advances by a day, a week, or to the next due work, and another company's clock does not", async () => {
  await paidAs("DE89370400440532013000", { frequency: "WEEKLY" });
  const { time } = service.app.deps;
  const ahead = time.now(shop.tenant).getTime() - time.now(other.tenant).getTime();
  const days = () =>
    Math.round((time.now(shop.tenant).getTime() - time.now(other.tenant).getTime() - ahead) / 86_400_000);
  assert.equal((await send("clock", { by: "day" })).status, 303);
  assert.equal(days(), 1);
  assert.match(wordsOf(await support.browser.get(PATH)), /To the next due date/);
  assert.equal((await send("clock", { by: "week" })).status, 303);
  assert.equal(days(), 8);
  assert.equal(time.now(other.tenant).getTime() <= Date.now() + 1_000, true);
  const { body } = await service.get("management/audit-log/?resource=clock", { key: shop.key });
  assert.deepEqual(
    body["results"].slice(0, 2).map((row: { actor: string }) => row.actor),
    [`person:${support.id}`, `person:${support.id}`],
  );
});

test("while debits wait for a bank's cut-off, the clock can advance to it, and their file is written", async () => {
  const merchant = await bankMerchant(service);
  const { browser } = await member(service, { id: merchant.tenantId, tenant: 0, key: merchant.key }, "owner");
  const offered = async () => wordsOf(await browser.get(PATH));
  assert.doesNotMatch(await offered(), /cut-off/, "nothing waits");
  await payAt(merchant);
  assert.match(await offered(), /To the bank's cut-off, /);
  assert.equal((await browser.submit(PATH, `${PATH}clock/`, { by: "due" })).status, 303);
  assert.equal((await outgoing(service, merchant)).length, 1);
  assert.match(await offered(), /To the next due date/, "the day on which it is debited");
});
