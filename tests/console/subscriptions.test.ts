/**
 * The console's pages of subscriptions over HTTP: a subscription is found, cancelled and collected, each once, by
 * people of its company with the rights.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { manualClock } from "../../src/lib/clock.ts";
import { catchUp } from "../../src/jobs.ts";
import { wordsOf } from "../support/console.ts";
import { createSandbox, IBAN, lead } from "../support/merchant.ts";
import { createCompany, member, tokenIn, type Company, type Member } from "../support/people.ts";
import { startService, type Json, type Service } from "../support/service.ts";

const PATH = "/console/subscriptions/";
const clock = manualClock(new Date("2026-11-02T10:00:00Z"));
let service: Service;
let shop: Company;
let support: Member;
let viewer: Member;
let stranger: Member;

before(async () => {
  service = await startService({ clock });
  shop = await createCompany(service);
  await createSandbox(service, shop.key);
  support = await member(service, shop, "support");
  viewer = await member(service, shop, "viewer");
  stranger = await member(service, await createCompany(service, "Other shop"), "owner");
});
after(() => service.close());

/** A new customer's subscription. */
async function bought(
  amount: string,
  iban: string = IBAN.approved,
  frequency: string | null = "MONTHLY",
): Promise<string> {
  const gateways = await service.get("management/gateways/", { key: shop.key });
  const created = await service.post(
    "payment-sessions/",
    {
      lead: lead(),
      gateway_id: gateways.body["results"][0].id,
      amount,
      currency: "EUR",
      billing_type: "RECURRING",
      ...(frequency === null ? {} : { billing_frequency: frequency }),
    },
    { key: shop.key },
  );
  assert.equal(created.status, 201, created.text);
  const paid = await service.post(
    `payment-sessions/${created.body["session_token"]}/pay/`,
    { iban, iban_holder_name: "Ada Example", mandate_acceptance: { accepted: true } },
    { key: shop.key },
  );
  assert.ok(paid.body["subscription"], paid.text);
  return paid.body["subscription"].id;
}

const read = async (id: string): Promise<Json> =>
  (await service.get(`management/subscriptions/${id}/`, { key: shop.key })).body;

/** The fields of the dialog's form. */
async function form(who: Member, id: string, act: "cancel" | "collect") {
  const page = await who.browser.get(`${PATH}${id}/?act=${act}`);
  return { csrf: tokenIn(page) ?? "", id: /name="id" value="([^"]+)"/.exec(page.text)?.[1] ?? "" };
}

test("subscriptions are listed with their next day, filtered by the address, and only the company's own", async () => {
  const id = await bought("7.77");
  const page = await viewer.browser.get(PATH);
  assert.match(wordsOf(page), /€7\.77 Active Ada Example ada\d*@example\.com Monthly Dec 2, 2026/);
  const own = await viewer.browser.get(`${PATH}${id}/`);
  assert.match(wordsOf(own), /Ada Example · Monthly · .* Customer Ada Example Mandate MND-/);
  assert.match(page.text, new RegExp(`${PATH}${id}/`));
  assert.match(
    wordsOf(await viewer.browser.get(`${PATH}?status=CANCELLED`)),
    /Nothing matches these filters/,
  );
  assert.match(wordsOf(await viewer.browser.get(`${PATH}?status=GONE&nonsense=1`)), /status: .*nonsense:/);
  assert.match(wordsOf(await stranger.browser.get(PATH)), /No subscriptions yet/);
  const [foreign, unknown, nonsense] = await Promise.all(
    [`${PATH}${id}/`, `${PATH}018f0000-0000-7000-8000-000000000000/`, `${PATH}x/`].map((path) =>
      stranger.browser.get(path),
    ),
  );
  assert.deepEqual([foreign?.status, unknown?.status, nonsense?.status], [404, 404, 404]);
  assert.equal(foreign?.text.length, unknown?.text.length);
});

test("people with the right cancel a subscription at once or on its next due date, and the audit log names them", async () => {
  const [now, later] = [await bought("11.00"), await bought("12.00")];
  assert.match(
    wordsOf(await support.browser.get(`${PATH}${now}/?act=cancel`)),
    /€11\.00 will not be collected from Ada Example again/,
  );
  assert.ok(
    !wordsOf(await viewer.browser.get(`${PATH}${now}/?act=cancel`)).includes("not be collected from"),
  );

  const { csrf } = await form(viewer, now, "cancel");
  const fields = await form(support, now, "cancel");
  const refused = await viewer.browser.post(`${PATH}${now}/cancel/`, { ...fields, csrf, when: "now" });
  assert.equal(refused.status, 403);
  const foreign = await stranger.browser.post(`${PATH}${now}/cancel/`, {
    ...fields,
    csrf: (await stranger.browser.get(PATH)).text.match(/name="csrf" value="([^"]+)"/)?.[1] ?? "",
    when: "now",
  });
  assert.equal(foreign.status, 404);
  assert.equal((await read(now))["status"], "ACTIVE");

  const sent = await Promise.all(
    [1, 2].map(() =>
      support.browser.post(`${PATH}${now}/cancel/`, { ...fields, when: "now", reason: "Moved away" }),
    ),
  );
  assert.deepEqual(
    sent.map(({ status, headers }) => [status, headers["location"]]),
    Array.from({ length: 2 }, () => [303, `${PATH}${now}/?done=cancel`]),
  );
  const ended = await read(now);
  assert.deepEqual([ended["status"], ended["cancel_reason"]], ["CANCELLED", "Moved away"]);
  const audit = await service.rows("select actor_name, after from audit_log where resource_id = $1", [now]);
  assert.deepEqual(
    audit.map((row) => [row["actor_name"], row["after"].status]),
    [["Ada support", "CANCELLED"]],
  );
  const page = await support.browser.get(`${PATH}${now}/?done=cancel`);
  assert.match(wordsOf(page), /Cancelled .*ended .*The subscription ends\./);
  assert.ok(!page.text.includes("act=cancel"), "nothing is left to end");

  await support.browser.post(`${PATH}${later}/cancel/`, {
    ...(await form(support, later, "cancel")),
    when: "period_end",
  });
  const ending = await read(later);
  assert.deepEqual([ending["status"], ending["cancel_at_period_end"]], ["ACTIVE", true]);
  assert.match(wordsOf(await viewer.browser.get(`${PATH}${later}/`)), /ends on Dec 2, 2026/);
});

test("a subscription is collected by hand once, however often the form is sent; if it cannot be, the dialog says why", async () => {
  const free = await bought("5.00", IBAN.approved, null);
  const offered = async (id: string) =>
    (await support.browser.get(`${PATH}${id}/`)).text.includes("?act=collect");
  assert.ok(await offered(free));
  assert.match(
    wordsOf(await support.browser.get(`${PATH}${free}/?act=collect`)),
    /€5\.00 is collected from Ada Example\S+s account now/,
  );
  const fields = await form(support, free, "collect");
  const sent = await Promise.all(
    [1, 2, 3].map(() => support.browser.post(`${PATH}${free}/collect/`, fields)),
  );
  assert.ok(sent.some(({ status }) => status === 303));
  await catchUp(service.app.jobs);
  const collected = await read(free);
  assert.deepEqual(
    collected["cycles"].map(({ cycle, status }: Json) => `${cycle} ${status}`),
    ["1 paid"],
  );
  assert.match(wordsOf(await viewer.browser.get(`${PATH}${free}/`)), /Cycles .*1 Nov 2, 2026 Paid 1/);
  const late = await support.browser.post(`${PATH}${free}/collect/`, fields);
  assert.equal(late.status, 303);
  await catchUp(service.app.jobs);
  assert.equal((await read(free))["cycles"].length, 1, "a form that is sent again later collects nothing");

  const monthly = await bought("6.00");
  assert.ok(!(await offered(monthly)), "it is collected on its day");
  const early = await support.browser.post(
    `${PATH}${monthly}/collect/`,
    await form(support, monthly, "collect"),
  );
  assert.equal(early.status, 422);
  assert.match(early.text, /role="alert"/);
  assert.deepEqual((await read(monthly))["cycles"], []);
});
