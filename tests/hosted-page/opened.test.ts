/** The time when a payment page was first seen: reported by its script, recorded once, and not by reading the page. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { manualClock, MINUTE_MS } from "../../src/lib/clock.ts";
import { createMerchant, IBAN, type Merchant } from "../support/merchant.ts";
import { openPage, pathOf, payOnPage } from "../support/page.ts";
import { freshAddress, startService, type Response, type Service } from "../support/service.ts";

const NOW = new Date("2026-11-23T08:00:00Z");

const clock = manualClock(NOW);
let service: Service;
let merchant: Merchant;

before(async () => {
  service = await startService({ clock });
  merchant = await createMerchant(service);
});
after(() => service.close());

/** The request of the page's script. @param from the customer's address. */
function tell(token: string, from = freshAddress()): Promise<Response> {
  const headers = { "content-type": "application/x-www-form-urlencoded;charset=UTF-8" };
  return service.call("POST", `${pathOf(token)}opened/`, "", { headers, from });
}

const read = (token: string) => openPage(service, pathOf(token));
const pay = (token: string) => payOnPage(service, token, { iban: IBAN.approved });

async function sessionOf(token: string): Promise<Record<string, any>> {
  const { body: list } = await service.get("management/payment-sessions/?page_size=100", {
    key: merchant.key,
  });
  for (const { id, opened_at: openedAt } of list["results"]) {
    const { body } = await service.get(`management/payment-sessions/${id}/`, { key: merchant.key });
    if (!String(body["payment_url"]).includes(token)) continue;
    assert.equal(body["opened_at"], openedAt, "the list says the same");
    return body;
  }
  throw new Error("no such session");
}

async function timelineOf(id: string): Promise<readonly Record<string, unknown>[]> {
  const { body } = await service.get(`management/transactions/${id}/`, { key: merchant.key });
  return body["timeline"];
}

test("the first time is kept, and is in the payment's timeline between the session and the attempt", async () => {
  const token = await merchant.session();
  clock.advance(MINUTE_MS);
  const seen = clock.now().toISOString();
  const answer = await tell(token);
  assert.deepEqual([answer.status, answer.text], [204, ""]);
  clock.advance(MINUTE_MS);
  assert.equal((await tell(token)).status, 204);
  await pay(token);
  const session = await sessionOf(token);
  assert.equal(session["opened_at"], seen);
  const steps = await timelineOf(session["attempts"][0].id);
  const said = steps.map(({ kind, what }) => `${String(kind)} ${String(what)}`);
  assert.deepEqual(said.slice(0, 3), ["session PENDING", "page opened", "payment created"]);
  assert.deepEqual(steps[1], {
    at: seen,
    kind: "page",
    what: "opened",
    why: null,
    amount: null,
    id: null,
    whom: null,
  });
});

test("reading the page, and paying on it without its script, notes nothing", async () => {
  const token = await merchant.session();
  assert.match((await read(token)).text, /<main data-state="form" data-first>/);
  await service.call("HEAD", pathOf(token));
  await pay(token);
  const session = await sessionOf(token);
  assert.equal(session["opened_at"], null);
  const steps = await timelineOf(session["attempts"][0].id);
  assert.ok(steps.every(({ kind }) => kind !== "page"));
});

test("the script of a page that was seen before sends nothing", async () => {
  const token = await merchant.session();
  await tell(token);
  assert.match((await read(token)).text, /<main data-state="form" ?>/);
});

test("two opens at once are noted once, and do not disturb a payment", async () => {
  const token = await merchant.session();
  const [paid, ...told] = await Promise.all([pay(token), tell(token), tell(token), tell(token)]);
  assert.equal(paid.status, 200);
  assert.deepEqual(
    told.map(({ status }) => status),
    [204, 204, 204],
  );
  const session = await sessionOf(token);
  assert.equal(session["status"], "COMPLETED");
  const steps = await timelineOf(session["attempts"][0].id);
  assert.ok(steps.filter(({ kind }) => kind === "page").length <= 1);
});

test("a session that is paid, cancelled or expired, whether a job has ended it or not, is not opened any more", async () => {
  const paid = await merchant.session();
  await merchant.pay(paid, IBAN.approved);
  const cancelled = await merchant.session();
  await service.post(`payment-sessions/${cancelled}/cancel/`, undefined, { key: merchant.key });
  const expired = await merchant.session();
  clock.advance(24 * 60 * MINUTE_MS);
  for (const token of [paid, cancelled, expired]) {
    assert.equal((await tell(token)).status, 204);
    assert.equal((await sessionOf(token))["opened_at"], null);
    assert.doesNotMatch((await read(token)).text, /data-first/);
  }
});

test("erasing a customer keeps the time that was noted", async () => {
  const token = await merchant.session();
  await tell(token);
  const seen = (await sessionOf(token))["opened_at"];
  const other = await merchant.session();
  const ids: string[] = [];
  for (const one of [token, other]) {
    await service.post(`payment-sessions/${one}/cancel/`, undefined, { key: merchant.key });
    ids.push((await sessionOf(one))["lead"].id);
  }
  for (const id of ids) {
    const { status, text } = await service.post(
      `management/customers/${id}/erase/`,
      {},
      { key: merchant.key },
    );
    assert.ok(status < 300, text);
  }
  clock.advance(MINUTE_MS);
  assert.deepEqual([(await tell(token)).status, (await tell(other)).status], [204, 204]);
  const noted = [(await sessionOf(token))["opened_at"], (await sessionOf(other))["opened_at"]];
  assert.deepEqual(noted, [seen, null]);
});

test("a forged token is answered like an unknown one, and nothing of another session is touched", async () => {
  const token = await merchant.session();
  const last = token.at(-1) === "A" ? "B" : "A";
  const forged = await tell(token.slice(0, -1) + last);
  const unknown = await tell("ps_unknown");
  assert.deepEqual([forged.status, unknown.status], [404, 404]);
  assert.equal((await sessionOf(token))["opened_at"], null);
});

test("the page's rate limit holds for it", async () => {
  const token = await merchant.session();
  const address = freshAddress();
  const statuses: number[] = [];
  for (let n = 0; n < 41; n += 1) statuses.push((await tell(token, address)).status);
  assert.deepEqual([statuses[0], statuses[39], statuses[40]], [204, 204, 429]);
});
