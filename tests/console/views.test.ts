/** Saved views: private and shared ones, and the filters that they never contain. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { UNKNOWN, wordsOf } from "../support/console.ts";
import { startService, type Json, type Service } from "../support/service.ts";
import { createCompany, member, type Company, type Member } from "../support/people.ts";

let service: Service;
let shop: Company;
let owner: Member;
let finance: Member;
let viewer: Member;
let stranger: Member;

before(async () => {
  service = await startService();
  shop = await createCompany(service);
  owner = await member(service, shop, "owner");
  finance = await member(service, shop, "finance");
  viewer = await member(service, shop, "viewer");
  stranger = await member(service, await createCompany(service, "Other shop"), "owner");
});
after(() => service.close());

const PAYMENTS = "/console/payments/";
let ids = 0;

/** Saves the filters of the address, like the form above the list. */
async function save(who: Member, query: string, fields: Readonly<Record<string, string>>) {
  const { text } = await who.browser.get(`${PAYMENTS}?${query}`);
  const [, id = ""] = /name="id"\s+value="([^"]+)"/.exec(text) ?? [];
  const [, asked = ""] = /name="query"\s+value="([^"]+)"/.exec(text) ?? [];
  const given = { id, list: "payments", query: asked.replaceAll("&#38;", "&"), ...fields };
  return who.browser.submit(PAYMENTS, "/console/views/", given);
}

/** The views that a person sees, each with its name and address. */
async function seen(who: Member): Promise<readonly (readonly [name: string, address: string])[]> {
  const { text } = await who.browser.get(PAYMENTS);
  const nav = /<nav class="filters views".*?<\/nav>/s.exec(text)?.[0] ?? "";
  return [...nav.matchAll(/<a\s+href="([^"]+)"[^>]*>(.*?)<\/a\s*>/gs)]
    .slice(1)
    .map(([, address = "", name = ""]) => [
      name.replace(/<.*/s, "").trim(),
      address.replaceAll("&#38;", "&"),
    ]);
}

const idOf = async (name: string): Promise<string> =>
  (await service.rows("select id from saved_views where name = $1", [name]))[0]?.["id"];

test("a view keeps filters and columns, opens by its address, and is private to its owner", async () => {
  const saved = await save(viewer, "status=declined&columns=date,amount&page_size=10", {
    name: " Declined ",
  });
  assert.equal(saved.status, 303, saved.text);
  const address = `${PAYMENTS}?columns=date%2Camount&status=declined`;
  assert.equal(saved.headers["location"], address);
  const [view, ...others] = await seen(viewer);
  assert.deepEqual([view, others], [["Declined", address], []]);
  const page = await viewer.browser.get(view?.[1] ?? "");
  assert.match(page.text, /<a[^>]+aria-current="page"\s*>Declined/);
  assert.match(page.text, /Change view/);
  assert.doesNotMatch(page.text, /Save view/);
  for (const other of [owner, stranger]) assert.deepEqual(await seen(other), []);
});

test("a view is shown above its own list, and above no other", async () => {
  assert.equal((await save(finance, "status=approved", { name: "Only payments", shared: "on" })).status, 303);
  for (const [list, isThere] of [
    ["payments", true],
    ["customers", false],
    ["chargebacks", false],
    ["bank", false],
  ] as const) {
    const { status, text } = await finance.browser.get(`/console/${list}/`);
    assert.equal(status, 200, list);
    assert.equal(text.includes("Only payments"), isThere, list);
  }
  const made = await idOf("Only payments");
  assert.equal((await finance.browser.submit(PAYMENTS, `/console/views/${made}/remove/`, {})).status, 303);
});

test("filters about one customer are neither in a view nor in the audit log", async () => {
  const ids = ["lead_id", "mandate_id", "session_id", "subscription_id"].map((name) => `${name}=${UNKNOWN}`);
  const query = `email=ada%40example.com&iban_last4=3000&status=approved&${ids.join("&")}`;
  assert.equal((await save(owner, query, { name: "Ada's" })).status, 303);
  assert.deepEqual(await seen(owner), [["Ada&#39;s", `${PAYMENTS}?status=approved`]]);
  const [entry] = (await service.get("management/audit-log/?resource=saved_views", { key: shop.key })).body[
    "results"
  ];
  assert.equal(entry["action"], "create");
  assert.equal(entry["after"].query, "status=approved");
  assert.doesNotMatch(JSON.stringify(entry), /ada@|ada%40|3000/);
  const only = await save(owner, "email=ada%40example.com", {
    name: "Nothing left",
    id: UNKNOWN,
    query: "email=a",
  });
  assert.equal(only.status, 400);
});

test("everyone sees shared views, but only people with the right can change them; for others they are unknown", async () => {
  assert.equal((await save(viewer, "type=sdd_refund", { name: "Refunds", shared: "1" })).status, 403);
  assert.equal((await save(finance, "type=sdd_refund", { name: "Refunds", shared: "1" })).status, 303);
  assert.deepEqual((await seen(viewer))[0], ["Refunds", `${PAYMENTS}?type=sdd_refund`]);
  const opened = await viewer.browser.get(`${PAYMENTS}?type=sdd_refund`);
  assert.doesNotMatch(opened.text, /Change view|Save view/);

  const [shared, own] = [await idOf("Refunds"), await idOf("Ada's")];
  for (const [who, id] of [
    [viewer, shared],
    [stranger, shared],
    [finance, own],
    [stranger, own],
    [owner, UNKNOWN],
    [owner, "x"],
  ] as const) {
    for (const act of ["", "remove/"]) {
      const answer = await who.browser.submit(PAYMENTS, `/console/views/${id}/${act}`, { name: "Mine" });
      assert.equal(answer.status, 404, `${who.email} ${id} ${act}`);
    }
  }
  const renamed = await owner.browser.submit(PAYMENTS, `/console/views/${shared}/`, {
    name: '<img src=x onerror="alert(1)">',
  });
  assert.equal(renamed.status, 303);
  const { text } = await viewer.browser.get(PAYMENTS);
  assert.ok(text.includes("&#60;img") && !text.includes("<img src=x"));
  assert.equal((await owner.browser.submit(PAYMENTS, `/console/views/${shared}/remove/`)).status, 303);
  assert.equal((await seen(finance)).length, 0);
});

test("a form that is sent twice saves one view; an invalid name or list is refused", async () => {
  const fields = { id: `018f0000-0000-7000-8000-0000000000${10 + (ids += 1)}`, name: "Twice" };
  const form = { ...fields, list: "payments", query: "status=approved" };
  const page = `${PAYMENTS}?type=sdd_sale`;
  const answers = await Promise.all([1, 2].map(() => finance.browser.submit(page, "/console/views/", form)));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [303, 303],
  );
  assert.equal((await service.rows("select 1 from saved_views where name = 'Twice'")).length, 1);
  for (const name of [" ", "x".repeat(61)])
    assert.equal((await save(finance, "status=pending", { name })).status, 400);
  assert.equal((await save(finance, "status=pending", { name: "L", list: "people" })).status, 404);
});

test("a person keeps 50 views of a list, and the form of the last one may arrive twice", async () => {
  const keen = await member(service, shop, "support");
  await service.rows(
    `insert into saved_views (tenant, id, person, shared, list, name, query, created_at, updated_at)
     select tenant, gen_random_uuid(), id, false, 'payments', 'No. ' || n, 'country=DE', now(), now()
       from people, generate_series(1, 49) n where id = $1 returning id`,
    [keen.id],
  );
  const send = (id: string) => {
    const form = { id, name: "Another", list: "payments", query: "country=AT" };
    return keen.browser.submit(PAYMENTS, "/console/views/", form);
  };
  const last = "018f0000-0000-7000-8000-0000000000f0";
  assert.deepEqual([(await send(last)).status, (await send(last)).status], [303, 303]);
  assert.equal((await send("018f0000-0000-7000-8000-0000000000f1")).status, 409);
  assert.equal((await seen(keen)).filter(([name]) => name === "Another").length, 1);
});

test("after losing the right to share, a person cannot change shared views any more, only their own", async () => {
  const demoted = await member(service, shop, "developer");
  assert.equal((await save(demoted, "country=DE", { name: "Ours", shared: "1" })).status, 303);
  assert.equal((await save(demoted, "country=AT", { name: "Mine alone" })).status, 303);
  await service.rows("update people set role = 'viewer' where id = $1 returning id", [demoted.id]);
  const act = async (name: string, what: string) =>
    (await demoted.browser.submit(PAYMENTS, `/console/views/${await idOf(name)}/${what}`, { name: "New" }))
      .status;
  assert.equal(await act("Ours", ""), 404);
  assert.equal(await act("Ours", "remove/"), 404);
  assert.equal(await act("Mine alone", "remove/"), 303);
  assert.ok((await seen(owner)).some(([name]) => name === "Ours"));
});

test("when a person leaves, their private views are deleted; shared ones stay", async () => {
  const leaving = await member(service, shop, "developer");
  assert.equal((await save(leaving, "type=sdd_sale", { name: "Theirs" })).status, 303);
  assert.equal((await save(leaving, "type=sdd_rebill", { name: "Everyone's", shared: "1" })).status, 303);
  const removed = await owner.browser.submit("/console/people/", `/console/people/${leaving.id}/remove/`);
  assert.equal(removed.status, 303, removed.text);
  const left: readonly Json[] = await service.rows("select name from saved_views where person = $1", [
    leaving.id,
  ]);
  assert.deepEqual(
    left.map(({ name }) => name),
    ["Everyone's"],
  );
  assert.match(wordsOf(await viewer.browser.get(PAYMENTS)), /Everyone's · shared/);
});
