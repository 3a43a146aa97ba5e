/** The console's pages for developers over HTTP: keys shown once, webhooks with their log, the signature doctor. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { paidAt, shownFields, wordsOf } from "../support/console.ts";
import { processAll } from "../support/integrations.ts";
import { createRecord } from "../support/merchant.ts";
import { createCompany, member, tokenIn, type Company, type Member } from "../support/people.ts";
import { startReceiver, type Receiver } from "../support/receiver.ts";
import { startService, type Service } from "../support/service.ts";

const KEYS = "/console/developers/keys/";
const WEBHOOKS = "/console/developers/webhooks/";
const DELIVERIES = "/console/developers/deliveries/";
const EVENTS = "/console/developers/events/";
const REQUESTS = "/console/developers/requests/";
const INTEGRATIONS = "/console/developers/integrations/";
const DOCTOR = "/console/developers/signature/";
const EVIL = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>`;

let service: Service;
let receiver: Receiver;
let shop: Company;
let owner: Member;
let developer: Member;
let support: Member;
let stranger: Member;

before(async () => {
  receiver = await startReceiver();
  service = await startService({ config: { allowPrivateTargets: true } });
  shop = await createCompany(service);
  owner = await member(service, shop, "owner");
  developer = await member(service, shop, "developer");
  support = await member(service, shop, "support");
  stranger = await member(service, await createCompany(service, "Other shop"), "owner");
});
after(async () => {
  await service.close();
  await receiver.close();
});

const DELIVERED = "select id from webhook_deliveries where id = $1 and status = 'delivered'";

async function waitUntil(done: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await done()); tries += 1) {
    assert.ok(tries < 100, "within ten seconds");
    await setTimeout(100);
  }
}

test("the address of a section leads to the first of its tabs that the person may see", async () => {
  for (const [path, first] of [
    ["/console/developers/", WEBHOOKS],
    ["/console/setup/", "/console/setup/company/"],
  ] as const) {
    const led = await developer.browser.get(path);
    assert.deepEqual([led.status, led.headers["location"]], [303, first]);
    const viewer = await member(service, shop, "viewer");
    assert.equal((await viewer.browser.get(path)).status, 403, "no more than the tab itself");
  }
});

const create = (who: Member, path: string, fields: Readonly<Record<string, string>>) =>
  who.browser.submit(`${path}?act=new`, path, fields);

/** Makes a webhook profile in the console. @returns its id and secret. */
async function profile(name: string): Promise<{ readonly id: string; readonly secret: string }> {
  const made = await create(developer, WEBHOOKS, {
    name,
    url: receiver.url,
    "events:payment_session.completed": "1",
    payload_fields: '{"order": "order_number"}',
    max_in_flight: "2",
    active: "1",
  });
  assert.equal(made.status, 200, wordsOf(made));
  const secret = /whsec_[A-Za-z0-9+/=]+/.exec(wordsOf(made))?.[0] ?? "";
  const id = new RegExp(`${WEBHOOKS}([0-9a-f-]{36})/`).exec(made.text)?.[1] ?? "";
  return { id, secret };
}

for (const [what, path, typed] of [
  ["a webhook profile", WEBHOOKS, { url: "https://shop.example.com/hooks" }],
  ["an integration", INTEGRATIONS, {}],
  ["a key", KEYS, { "scopes:read": "1" }],
] as const)
  test(`${what} can be created by its form as a browser sends it, including every unchanged field`, async () => {
    const form = shownFields(await owner.browser.get(`${path}?act=new`));
    assert.ok(Object.keys(form).length > 2, "the form was read");
    const made = await owner.browser.post(path, { ...form, name: "As shown", ...typed });
    assert.ok(made.status === 200 || made.status === 303, wordsOf(made));
    assert.match(wordsOf(await owner.browser.get(path)), /As shown/);
  });

test("a key is created with at most the person's scopes, shown once, and works until it is revoked", async () => {
  const form = await developer.browser.get(`${KEYS}?act=new`);
  assert.ok(form.text.includes('name="scopes:settings"') && !form.text.includes('name="scopes:whole_ibans"'));
  const made = await create(developer, KEYS, { name: `Shop ${EVIL}`, "scopes:read": "1" });
  assert.equal(made.status, 200);
  const key = /rk_[A-Za-z0-9_-]{48}/.exec(made.text)?.[0] ?? "";
  assert.ok(!made.text.includes("<script>alert"));
  assert.equal((await service.get("management/offers/", { key })).status, 200);
  const { body } = await service.get("management/api-keys/", { key: shop.key });
  const { id } = body["results"][0];
  for (const page of [KEYS, `${KEYS}${id}/`, `${KEYS}${id}/?act=revoke`]) {
    const { text, status } = await developer.browser.get(page);
    assert.equal(status, 200);
    assert.ok(!text.includes(key) && !text.includes("<script>alert"), page);
  }
  const replaced = await developer.browser.submit(`${KEYS}${id}/?act=rotate`, `${KEYS}${id}/rotate/`, {
    overlap: "3600",
  });
  const next = /rk_[A-Za-z0-9_-]{48}/.exec(replaced.text)?.[0] ?? "";
  assert.notEqual(next, key);
  assert.deepEqual(
    [
      (await service.get("management/offers/", { key })).status,
      (await service.get("management/offers/", { key: next })).status,
    ],
    [200, 200],
  );
  await developer.browser.submit(`${KEYS}${id}/?act=revoke`, `${KEYS}${id}/revoke/`);
  assert.equal((await service.get("management/offers/", { key: next })).status, 401);
  const log = await service.get(`management/audit-log/?resource_id=${id}`, { key: shop.key });
  assert.deepEqual(
    log.body["results"].map((row: { action: string; actor: string }) => [row.action, row.actor]),
    ["revoke", "rotate", "create"].map((action) => [action, `person:${developer.id}`]),
  );
});

test("the form of a new key has no scope selected; sent without one it has an error at that field, and no key is made", async () => {
  const shown = shownFields(await owner.browser.get(`${KEYS}?act=new`));
  const ticked = Object.keys(shown).filter((name) => name.startsWith("scopes:"));
  assert.deepEqual(ticked, []);
  const refused = await owner.browser.post(KEYS, { ...shown, name: "Nothing chosen" });
  assert.equal(refused.status, 422);
  assert.match(wordsOf(refused), /What it may do Choose at least one\./);
  assert.ok(!wordsOf(await owner.browser.get(KEYS)).includes("Nothing chosen"));
});

test("a scope that the role does not have is refused at its field, whatever the form sends", async () => {
  const refused = await create(developer, KEYS, { name: "Wide", "scopes:people": "1" });
  assert.equal(refused.status, 422);
  assert.match(wordsOf(refused), /does not have the scope people/);
  const none = await create(developer, KEYS, { name: "" });
  assert.equal(none.status, 422);
  assert.match(wordsOf(none), /may not be blank/);
});

test("a key that is saved keeps the scopes that the person's role cannot give, and gets none of those", async () => {
  const keyWith = async (...scopes: string[]): Promise<string> =>
    (await createRecord(service, shop.key, "api-keys", { name: "Key", scopes }))["id"];
  /** Saves the key's form with these changes; an empty value clears a box. @returns the status and the key's scopes. */
  const saved = async (id: string, changes: Readonly<Record<string, string>>) => {
    const path = `${KEYS}${id}/`;
    const form = shownFields(await developer.browser.get(path));
    assert.ok(!("scopes:management" in form), "the form does not show it");
    const sent = Object.entries({ ...form, ...changes }).filter(([, value]) => value !== "");
    const { status } = await developer.browser.post(path, Object.fromEntries(sent));
    const { body } = await service.get(`management/api-keys/${id}/`, { key: shop.key });
    return [status, new Set(body["scopes"])];
  };
  const wide = await keyWith("management", "payments", "refunds", "settings");
  const all = new Set(["management", "payments", "refunds", "settings"]);
  assert.deepEqual(await saved(wide, { name: "Renamed" }), [303, all]);
  const less = new Set(["management", "payments", "refunds"]);
  assert.deepEqual(await saved(wide, { "scopes:settings": "", "scopes:management": "1" }), [303, less]);
  assert.deepEqual(await saved(wide, { "scopes:people": "1" }), [422, less]);

  const hidden = await keyWith("management");
  assert.deepEqual(await saved(hidden, { name: "Renamed" }), [303, new Set(["management"])]);
  const narrow = await keyWith("payments");
  for (const scope of ["management", "refunds", "people", "whole_ibans"])
    assert.deepEqual(await saved(narrow, { [`scopes:${scope}`]: "1" }), [422, new Set(["payments"])], scope);
});

test("a profile's secret is shown once; errors stand at their fields; another tenant's profile is not found", async () => {
  const { id, secret } = await profile(`Shop ${EVIL}`);
  assert.ok(secret !== "" && id !== "");
  for (const page of [WEBHOOKS, `${WEBHOOKS}${id}/`, `${WEBHOOKS}${id}/?act=archive`]) {
    const { text, status } = await developer.browser.get(page);
    assert.equal(status, 200, page);
    assert.ok(!text.includes(secret) && !text.includes("<script>alert"), page);
  }
  const wrong = await create(developer, WEBHOOKS, { name: "X", url: "ftp://x", payload_fields: "{no json" });
  assert.equal(wrong.status, 422);
  assert.match(wordsOf(wrong), /JSON object/);
  assert.ok(wrong.text.includes("{no json"), "what was typed stays");
  for (const path of [`${WEBHOOKS}${id}/`, `${WEBHOOKS}${id}/?act=secret`])
    assert.equal((await stranger.browser.get(path)).status, 404);
  const read = await support.browser.get(`${WEBHOOKS}${id}/`);
  assert.equal(read.status, 200);
  assert.ok(!read.text.includes('name="url"'), "who may not change it sees it as facts");
  const csrf = tokenIn(await stranger.browser.get("/console/account/")) ?? "";
  const stolen = await stranger.browser.post(`${WEBHOOKS}${id}/`, { csrf, name: "Mine", url: receiver.url });
  assert.equal(stolen.status, 404);
});

test("a form overwrites no change that was made since it was opened", async () => {
  const { id } = await profile("Twice");
  const path = `${WEBHOOKS}${id}/`;
  const seen = /name="seen" value="([^"]+)"/.exec((await developer.browser.get(path)).text)?.[1] ?? "";
  const fields = { name: "First", url: receiver.url, payload_fields: "{}", max_in_flight: "2", seen };
  assert.equal((await developer.browser.submit(path, path, fields)).status, 303);
  const late = await owner.browser.submit(path, path, { ...fields, name: "Second" });
  assert.equal(late.status, 422);
  assert.match(wordsOf(late), /changed in the meantime/);
  assert.match(wordsOf(await owner.browser.get(path)), /First/);
});

test("a sample is sent, the delivery log shows every response, and one or all can be sent again", async () => {
  const { id } = await profile("Log");
  const tried = await developer.browser.submit(`${WEBHOOKS}${id}/`, `${WEBHOOKS}${id}/test/`, {
    event: "payment_session.completed",
  });
  assert.match(wordsOf(tried), /answered 200/);
  const [event, delivery] = ["018f0000-0000-7000-8000-00000000e001", "018f0000-0000-7000-8000-00000000d001"];
  await service.rows(
    `insert into events (tenant, id, type, payload, created_at, fanned_out_at)
     values ($1, $2, 'payment_session.completed', $3, now(), now())`,
    [shop.tenant, event, JSON.stringify({ order_number: EVIL })],
  );
  await service.rows(
    `insert into webhook_receivers (tenant, profile_id) values ($1, $2) on conflict do nothing`,
    [shop.tenant, id],
  );
  await service.rows(
    `insert into webhook_deliveries
       (tenant, id, event_id, event_type, event_number, profile_id, payload_fields, ascii_escape, status, attempts, created_at)
     select tenant, $2, id, type, number, $3, '{"order": "order_number"}', false, 'exhausted', 1, now()
       from events where tenant = $1 and id = $4`,
    [shop.tenant, delivery, id, event],
  );
  const list = await support.browser.get(`${DELIVERIES}?status=exhausted`);
  assert.match(list.text, new RegExp(`${DELIVERIES}${delivery}/`));
  assert.match(wordsOf(list), /Send all again/);
  const none = wordsOf(await support.browser.get(`${DELIVERIES}?status=delivered`));
  assert.doesNotMatch(none, /Send all again/, "nothing is there to send");
  const page = await support.browser.get(`${DELIVERIES}${delivery}/`);
  assert.ok(!page.text.includes("<script>alert") && wordsOf(page).includes("<script>alert"));
  assert.equal((await stranger.browser.get(`${DELIVERIES}${delivery}/`)).status, 404);
  const again = await support.browser.submit(`${DELIVERIES}${delivery}/`, `${DELIVERIES}${delivery}/again/`);
  assert.equal(again.status, 303);
  await waitUntil(async () => (await service.rows(DELIVERED, [delivery])).length === 1);
  assert.match(wordsOf(await support.browser.get(`${DELIVERIES}${delivery}/`)), /thanks/);
  const all = await support.browser.submit(`${DELIVERIES}?act=again`, `${DELIVERIES}again/`, {
    profile: id,
    from: "2020-01-01",
    status: "delivered",
  });
  assert.match(String(all.headers["location"]), /sent=1$/);
  const log = await service.get("management/audit-log/?resource=webhook-deliveries", { key: shop.key });
  assert.deepEqual(
    log.body["results"].map((row: { action: string; actor: string }) => [row.action, row.actor]),
    [
      ["replay", `person:${support.id}`],
      ["replay", `person:${support.id}`],
    ],
  );
});

test("a payment's timeline links to each delivery, which people with the right can send again", async () => {
  const { id: profileId } = await profile("Payments");
  const gateway = await createRecord(service, shop.key, "gateways", {
    name: "S",
    adapter: "sandbox",
    test_mode: true,
  });
  const { transaction } = await paidAt(service, shop.key, gateway["id"]);
  const delivery = "018f0000-0000-7000-8000-00000000d002";
  await service.rows(
    "insert into webhook_receivers (tenant, profile_id) values ($1, $2) on conflict do nothing",
    [shop.tenant, profileId],
  );
  await service.rows(
    `insert into webhook_deliveries
       (tenant, id, event_id, event_type, event_number, profile_id, session_id, subject_id, payload_fields, ascii_escape,
        status, attempts, created_at)
     select e.tenant, $2, e.id, e.type, e.number, $3, e.session_id, e.session_id, '{}', false, 'exhausted', 0, now()
       from events e join transactions t on t.tenant = e.tenant and t.session_id = e.session_id
      where e.tenant = $1 and e.type = 'payment_session.completed' and t.id = $4`,
    [shop.tenant, delivery, profileId, transaction.id],
  );
  const payment = `/console/payments/${transaction.id}/`;
  const again = `${DELIVERIES}${delivery}/again/`;
  const page = await support.browser.get(payment);
  assert.ok(page.text.includes(`${DELIVERIES}${delivery}/"`) && page.text.includes(again), wordsOf(page));
  assert.match(wordsOf(page), /Webhook to Payments: payment session completed/);
  const viewer = await member(service, shop, "viewer");
  assert.ok(!(await viewer.browser.get(payment)).text.includes(DELIVERIES));
  const sent = await support.browser.submit(payment, again, { payment: transaction.id });
  assert.deepEqual([sent.status, sent.headers["location"]], [303, `${payment}?done=again`]);
  await waitUntil(async () => (await service.rows(DELIVERED, [delivery])).length === 1);
  const elsewhere = await support.browser.submit(payment, again, { payment: "//evil.example" });
  assert.equal(elsewhere.headers["location"], `${DELIVERIES}${delivery}/?done=again`);
});

test("an event is found by its type, and its page shows its content as text and links to its deliveries", async () => {
  const id = "018f0000-0000-7000-8000-00000000e002";
  await service.rows(
    `insert into events (tenant, id, type, payload, created_at, fanned_out_at)
     values ($1, $2, 'chargeback.created', $3, now(), now())`,
    [shop.tenant, id, JSON.stringify({ order_number: EVIL })],
  );
  const list = await support.browser.get(`${EVENTS}?type=chargeback.created&from=2020-01-01`);
  assert.match(list.text, new RegExp(`${EVENTS}${id}/`));
  const none = await support.browser.get(`${EVENTS}?type=subscription.upcoming`);
  assert.match(wordsOf(none), /Nothing matches|No matches|no match/i);
  const page = await support.browser.get(`${EVENTS}${id}/`);
  assert.ok(!page.text.includes("<script>alert") && wordsOf(page).includes("<script>alert"));
  assert.match(wordsOf(page), /No webhook profile asked for it/);
  assert.equal((await stranger.browser.get(`${EVENTS}${id}/`)).status, 404);
  const sent = "018f0000-0000-7000-8000-00000000e001";
  assert.match((await support.browser.get(`${EVENTS}${sent}/`)).text, new RegExp(`${DELIVERIES}018f`));
});

test("a request is found by its id, with its key's name and its error, and not by another tenant", async () => {
  const { headers } = await service.get("management/offers/?colour=red", { key: shop.key });
  const name = `Key ${EVIL}`;
  await service.rows("update api_keys set name = $2 where tenant = $1 and name = 'First key'", [
    shop.tenant,
    name,
  ]);
  const write = service.app.jobs.find((job) => job.name === "write-requests");
  await write?.runOnce(write.batch);
  const id = String(headers["x-request-id"]);
  const list = await support.browser.get(`${REQUESTS}?request_id=${id}&status=refused`);
  const path = new RegExp(`${REQUESTS}[0-9a-f-]{36}/`).exec(list.text)?.[0] ?? "";
  const page = await support.browser.get(path);
  assert.equal(page.status, 200);
  for (const shown of [list, page]) {
    assert.ok(!shown.text.includes("<script>alert"));
    assert.match(wordsOf(shown), /GET \/management\/offers\/.* 400 .*colour.*Key <script>alert/);
  }
  assert.ok(wordsOf(page).includes(id));
  assert.ok(!(await stranger.browser.get(`${REQUESTS}?request_id=${id}`)).text.includes(path));
  assert.equal((await stranger.browser.get(path)).status, 404);
});

test("an integration's postbacks are shown as text and can be processed again; only people who may change the integration see its address", async () => {
  const made = await create(developer, INTEGRATIONS, {
    name: `Partner ${EVIL}`,
    provider: "generic",
    active: "1",
    provider_active: "1",
    payload_retention_days: "90",
  });
  assert.equal(made.status, 303, wordsOf(made));
  const own = String(made.headers["location"]).split("?")[0] ?? "";
  const address = /https?:[^"]*\/webhooks\/integrations\/([^"/]+)\//.exec(
    (await developer.browser.get(own)).text,
  )?.[1];
  assert.ok(address);
  const read = await support.browser.get(own);
  assert.ok(read.status === 200 && !read.text.includes(address) && !read.text.includes("<script>alert"));
  const posted = await service.post(`/webhooks/integrations/${address}/`, {
    request_uuid: EVIL,
    email: "a@b.example",
  });
  const activity = posted.body["activity_id"];
  const list = await support.browser.get(`${own}postbacks/?status=received`);
  assert.match(list.text, new RegExp(`${own}postbacks/${activity}/`));
  const page = await support.browser.get(`${own}postbacks/${activity}/`);
  for (const { text } of [list, page]) assert.ok(!text.includes("<script>alert"));
  assert.ok(wordsOf(page).includes(EVIL) && !page.text.includes("/again/"));
  const again = await developer.browser.submit(
    `${own}postbacks/${activity}/`,
    `${own}postbacks/${activity}/again/`,
  );
  assert.equal(again.status, 303);
  await processAll(service);
  const why = /It names neither a customer nor a reference/;
  for (const path of [`${own}postbacks/`, `${own}postbacks/${activity}/`])
    assert.match(wordsOf(await support.browser.get(path)), why);
  for (const path of [own, `${own}postbacks/`, `${own}postbacks/${activity}/`])
    assert.equal((await stranger.browser.get(path)).status, 404, path);
  const turned = await developer.browser.submit(`${own}?act=address`, `${own}address/`);
  assert.equal(turned.status, 303);
  assert.equal((await service.post(`/webhooks/integrations/${address}/`, {})).status, 404);
  const log = await service.get(`management/audit-log/?actor=person:${developer.id}`, { key: shop.key });
  const acts = log.body["results"].map((row: { action: string }) => row.action);
  assert.deepEqual(acts.slice(0, 3), ["rotate_token", "replay", "create"]);
});

test("an integration that is saved in its form without another read URL or paging keeps the progress of its reading", async () => {
  const { id } = await createRecord(service, shop.key, "integrations", {
    name: "Read",
    read_url: "https://partner.example.com/results",
    read_token: "read-token-1",
    read_paging: { style: "page", first_page: 0 },
  });
  const READ = "2026-11-20T12:00:00.000Z";
  await service.rows("update integrations set read_since = $2, read_due_at = $2 where id = $1", [id, READ]);
  const path = `${INTEGRATIONS}${id}/`;
  const progressAfter = async (typed: Readonly<Record<string, string>>) => {
    const form = shownFields(await developer.browser.get(path));
    const saved = await developer.browser.post(path, { ...form, ...typed });
    assert.equal(saved.status, 303, wordsOf(saved));
    const [row] = await service.rows(
      "select read_since is null as restarts, read_due_at is null as due from integrations where id = $1",
      [id],
    );
    return row;
  };
  assert.deepEqual(await progressAfter({ name: "Renamed" }), { restarts: false, due: false });
  assert.deepEqual(await progressAfter({ "read_paging.first_page": "1" }), { restarts: true, due: true });
});

test("the signature doctor uses the profile's secret, says which part of a request is wrong, and never shows the secret", async () => {
  const { id, secret } = await profile("Doctor");
  const body = '{"order":"<b>42</b>"}';
  const sign = (text: string) => createHmac("sha256", secret).update(text).digest("hex");
  const examine = async (headers: string, pasted: string, who = support) =>
    who.browser.submit(DOCTOR, DOCTOR, { profile: id, headers, body: pasted });
  const right = await examine(`X-Service-Signature: ${sign(body)}`, body);
  assert.match(wordsOf(right), /signature is right/);
  assert.ok(!right.text.includes(secret) && !right.text.includes("<b>42"));
  const spaced = await examine(`x-service-signature: ${sign(body)}`, '{"order": "<b>42</b>"}');
  assert.match(wordsOf(spaced), /Spaces: /);
  const base64 = Buffer.from(sign(body), "hex").toString("base64");
  assert.match(wordsOf(await examine(`X-Service-Signature: ${base64}`, body)), /Encoding: /);
  assert.match(wordsOf(await examine("Content-Type: application/json", body)), /not among the headers/);
  const standard = `X-Service-Signature: ${sign(body)}\r\nwebhook-id: 1\r\nwebhook-timestamp: 1\r\nwebhook-signature: v1,no`;
  assert.match(wordsOf(await examine(standard, body)), /does not belong to this id/);
  assert.equal((await examine("X-Service-Signature: 1", body, stranger)).status, 404);
});

test("test accounts are shown with the outcome that each one leads to", async () => {
  const page = wordsOf(await support.browser.get("/console/developers/test-accounts/"));
  assert.match(page, /DE89370400440532013000/);
  assert.match(page, /Not enough money on the account \(AM04\)/);
});
