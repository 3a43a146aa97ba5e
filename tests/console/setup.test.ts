/**
 * The setup pages over HTTP: settings that people with the rights read and change, a page's preview, the audit log with
 * its chain.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { GatewayRow } from "../../src/db/rows.ts";
import { openCredentials } from "../../src/gateways/calling.ts";
import { chainEntries } from "../../src/management/audit/chain.ts";
import { createRecord, createSandbox } from "../support/merchant.ts";
import { shownFields, wordsOf } from "../support/console.ts";
import { createCompany, member, tokenIn, type Company, type Member } from "../support/people.ts";
import { startService, type Json, type Response, type Service } from "../support/service.ts";

const SETUP = "/console/setup/";
const EVIL = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>`;

let service: Service;
let shop: Company;
let owner: Member;
let developer: Member;
let finance: Member;
let stranger: Member;

before(async () => {
  service = await startService();
  shop = await createCompany(service);
  owner = await member(service, shop, "owner");
  developer = await member(service, shop, "developer");
  finance = await member(service, shop, "finance");
  stranger = await member(service, await createCompany(service, "Other shop"), "owner");
});
after(() => service.close());

const create = (who: Member, path: string, fields: Readonly<Record<string, string>>, query = "") =>
  who.browser.submit(`${SETUP}${path}/?act=new${query}`, `${SETUP}${path}/`, fields);

/** The id in the address that a form leads to. */
const idOf = ({ headers }: Response): string =>
  /([0-9a-f-]{36})\//.exec(String(headers["location"]))?.[1] ?? "";

const read = async (path: string): Promise<Json> =>
  (await service.get(`management/${path}/`, { key: shop.key })).body;

const SELLING = { name: "Box", price: "9,90", currency: "EUR", billing_type: "ONE_OFF" };

test("a gateway's form has its adapter's settings; credentials are written and never shown", async () => {
  const form = await developer.browser.get(`${SETUP}gateways/?act=new&adapter=sepa_batch`);
  assert.match(form.text, /name="settings\.creditor_iban"/);
  assert.match(form.text, /name="credentials\.password"\s+type="password"/);
  const made = await create(
    developer,
    "gateways",
    {
      name: `House bank ${EVIL}`,
      adapter: "sepa_batch",
      test_mode: "1",
      active: "1",
      "settings.creditor_name": "Shop",
      "settings.creditor_identifier": "DE98ZZZ09999999999",
      "settings.creditor_iban": "DE89370400440532013000",
      "credentials.password": "never shown again",
    },
    "&adapter=sepa_batch",
  );
  assert.equal(made.status, 303, made.text.match(/class="(?:error|callout bad)".{0,200}/gs)?.join() ?? "");
  const id = idOf(made);
  const page = await developer.browser.get(`${SETUP}gateways/${id}/`);
  assert.ok(!page.text.includes("never shown again") && !page.text.includes("<script>alert"));
  assert.match(page.text, /value="DE98ZZZ09999999999"/);
  const tried = await developer.browser.submit(`${SETUP}gateways/${id}/`, `${SETUP}gateways/${id}/test/`);
  assert.match(wordsOf(tried), /can be opened/);
  const wrong = await create(developer, "gateways", {
    name: "X",
    adapter: "sepa_batch",
    "settings.creditor_name": "Shop",
    "settings.creditor_identifier": "DE00",
    "settings.creditor_iban": "DE89370400440532013000",
  });
  assert.equal(wrong.status, 422);
  assert.match(wrong.text, /id="settings\.creditor_identifier-error"/);
  const log = await service.get(`management/audit-log/?resource_id=${id}`, { key: shop.key });
  assert.equal(log.body["results"][0].actor, `person:${developer.id}`);
});

test("a credential that is entered in a gateway's form replaces only itself, and for another server all of them", async () => {
  const settings = {
    creditor_name: "Shop",
    creditor_identifier: "DE98ZZZ09999999999",
    creditor_iban: "DE89370400440532013000",
    transport: {
      kind: "sftp",
      host: "sftp.bank.example",
      username: "shop",
      host_key: `SHA256:${"A".repeat(43)}`,
    },
  };
  const credentials = { private_key: "key 1", passphrase: "phrase 1" };
  const account = { name: "SFTP", adapter: "sepa_batch", test_mode: true, settings, credentials };
  const { id } = await createRecord(service, shop.key, "gateways", account);
  const path = `${SETUP}gateways/${id}/`;
  const stored = async () => {
    const [row] = await service.rows("select tenant, id, credentials from gateways where id = $1", [id]);
    return openCredentials(service.app.deps.keys, row as GatewayRow);
  };
  const saved = async (changes: Readonly<Record<string, string>>) => {
    const form = shownFields(await developer.browser.get(path));
    const answer = await developer.browser.post(path, { ...form, ...changes });
    assert.equal(answer.status, 303, wordsOf(answer));
    return stored();
  };
  assert.deepEqual(await saved({ name: "Renamed" }), credentials);
  const phrase = { private_key: "key 1", passphrase: "phrase 2" };
  assert.deepEqual(await saved({ "credentials.passphrase": "phrase 2" }), phrase);

  const reset = () =>
    service.call("PATCH", `management/gateways/${id}/`, { settings, credentials }, { key: shop.key });
  const password = { password: "password 1" };
  const typed = { "credentials.password": "password 1" };
  for (const elsewhere of [
    { "settings.transport.host": "sftp.attacker.example" },
    { "settings.transport.port": "2222" },
    { "settings.transport.username": "root" },
    { "settings.transport.host_key": `SHA256:${"B".repeat(43)}` },
  ]) {
    assert.equal((await reset()).status, 200);
    assert.deepEqual(await stored(), credentials, "the API replaces the whole object");
    assert.deepEqual(await saved({ ...elsewhere, ...typed }), password, JSON.stringify(elsewhere));
  }
  // Nor in two steps: away from SFTP, and back to another server.
  await reset();
  assert.deepEqual(await saved({ "settings.transport.kind": "manual" }), credentials);
  const back = { "settings.transport.kind": "sftp", "settings.transport.host": "sftp.attacker.example" };
  assert.deepEqual(await saved({ ...back, ...typed }), password);

  await service.rows("update gateways set credentials = 'sealed with a lost key' where id = $1", [id]);
  assert.deepEqual(await saved(typed), password);
});

test("the page of a gateway whose folder cannot be opened says why", async () => {
  const gateway = await createRecord(service, shop.key, "gateways", {
    name: "Folder",
    adapter: "sepa_batch",
    test_mode: true,
    settings: {
      creditor_name: "Shop",
      creditor_identifier: "DE98ZZZ09999999999",
      creditor_iban: "DE89370400440532013000",
      transport: { kind: "directory" },
    },
  });
  const path = `${SETUP}gateways/${gateway["id"]}/`;
  const tried = await developer.browser.submit(path, `${path}test/`);
  assert.match(wordsOf(tried), /No connection: SEPA_DIRECTORY is not configured/);
});

test("an offer, a campaign and a page are made, changed and archived in forms, and another tenant does not find them", async () => {
  const offer = idOf(await create(developer, "offers", SELLING));
  assert.equal((await read(`offers/${offer}`))["price"], "9.90");
  const gateway = await createSandbox(service, shop.key);
  const page = idOf(
    await create(developer, "payment-pages", {
      name: EVIL,
      "branding.primary_color": "#112233",
      "branding.accent_color": "#445566",
      content: '{"headline": "Hello"}',
      mandate_acceptance_mode: "checkbox",
      frame_origins: "https://a.example.com\r\nhttps://b.example.com",
    }),
  );
  assert.deepEqual((await read(`hosted-pages/${page}`))["frame_origins"], [
    "https://a.example.com",
    "https://b.example.com",
  ]);
  const campaign = idOf(
    await create(developer, "campaigns", {
      name: "Autumn",
      offer_id: offer,
      gateway_id: gateway,
      hosted_page_id: page,
      max_payment_attempts: "2",
      active: "1",
    }),
  );
  assert.equal((await read(`campaigns/${campaign}`))["max_payment_attempts"], 2);
  for (const path of [`offers/${offer}/`, `campaigns/${campaign}/`, `payment-pages/${page}/`]) {
    assert.equal((await stranger.browser.get(SETUP + path)).status, 404, path);
    const seen = await finance.browser.get(SETUP + path);
    assert.equal(seen.status, 200);
    assert.ok(!seen.text.includes("<script>alert") && !seen.text.includes('name="name"'), path);
    const gone = await owner.browser.submit(SETUP + path, `${SETUP}${path}archive/`);
    assert.deepEqual([gone.status, gone.headers["location"]], [303, `${SETUP}${path}?done=archive`]);
    assert.match(wordsOf(await owner.browser.get(`${SETUP}${path}?done=archive`)), /Archived\./);
  }
  assert.notEqual((await read(`offers/${offer}`))["archived_at"], null);
  const list = `${SETUP}offers/`;
  assert.ok(!(await owner.browser.get(list)).text.includes(`${list}${offer}/`));
  assert.ok((await owner.browser.get(`${list}?archived=true`)).text.includes(`${list}${offer}/`));
});

test("a campaign can only use records that are not archived; one that was archived later is still named there", async () => {
  const [old, kept, spare] = await Promise.all(
    ["Old", "Kept", "Spare"].map((name) => create(developer, "offers", { ...SELLING, name })),
  ).then((made) => made.map((one) => idOf(one)));
  const gateway = await createSandbox(service, shop.key);
  const page = idOf(
    await create(developer, "payment-pages", { name: "Page", "branding.primary_color": "#112233" }),
  );
  const campaign = idOf(
    await create(developer, "campaigns", {
      name: "Winter",
      offer_id: kept ?? "",
      gateway_id: gateway,
      hosted_page_id: page,
      max_payment_attempts: "2",
      active: "1",
    }),
  );
  for (const offer of [old, kept])
    await owner.browser.submit(`${SETUP}offers/${offer}/`, `${SETUP}offers/${offer}/archive/`);
  const offered = async (path: string) => {
    const { text } = await owner.browser.get(SETUP + path);
    return [old, kept, spare].map((offer) => text.includes(`value="${offer}"`));
  };
  assert.deepEqual(await offered("campaigns/?act=new"), [false, false, true]);
  assert.deepEqual(await offered(`campaigns/${campaign}/`), [false, true, true]);
});

test("a page's preview on a desktop has the width of the whole page, above its form; on a phone it stands next to it", async () => {
  const page = idOf(
    await create(developer, "payment-pages", { name: "Wide", "branding.primary_color": "#112233" }),
  );
  const isAbove = async (view: string) => {
    const { text } = await developer.browser.get(`${SETUP}payment-pages/${page}/?view=${view}`);
    return text.indexOf("<iframe") < text.indexOf('class="split');
  };
  assert.deepEqual([await isAbove("desktop"), await isAbove("phone")], [true, false]);
});

test("only the console can frame a page's preview, in each state and language", async () => {
  const page = idOf(
    await create(developer, "payment-pages", { name: "Main", "branding.primary_color": "#112233" }),
  );
  const shown = await developer.browser.get(`${SETUP}payment-pages/${page}/?state=paid&lang=de&view=desktop`);
  const source = /<iframe\s+src="([^"]+)"/.exec(shown.text)?.[1]?.replaceAll("&#38;", "&") ?? "";
  assert.match(source, /state=paid&lang=de$/);
  const framed = await developer.browser.get(source);
  assert.equal(framed.status, 200);
  const policy = String(framed.headers["content-security-policy"]);
  // The console's address may differ from PUBLIC_URL.
  assert.match(policy, /frame-ancestors 'self'$/);
});

test("each page of the setup has its own title, with the company's name if it is about the company", async () => {
  const headings = await Promise.all(
    ["company", "messages", "return-codes"].map(async (page) => {
      const { text } = await owner.browser.get(`${SETUP}${page}/`);
      const [, title, lead] = /<h1[^>]*>([^<]*)<\/h1>\s*<p[^>]*>([^<]*)</.exec(text) ?? [];
      return [title, lead?.trim()];
    }),
  );
  assert.deepEqual(headings, [
    ["Company", "Shop"],
    ["Messages", "Shop"],
    ["Return codes", "Shop"],
  ]);
});

test("only an owner changes the company's data, limits and retention, and each form changes nothing else", async () => {
  const path = `${SETUP}company/`;
  const changed = await owner.browser.submit(path, path, { part: "limits", step_up_refunds_above: "50,00" });
  assert.equal(changed.status, 303, wordsOf(changed));
  assert.equal((await read("tenant"))["step_up_refunds_above"], "50.00");
  assert.equal((await read("tenant"))["name"], "Shop", "the other forms' fields stay");
  const wrong = await owner.browser.submit(path, path, {
    part: "companyData",
    name: "Shop",
    country: "Germany",
  });
  assert.equal(wrong.status, 422);
  assert.match(wrong.text, /id="country-error"/);
  const shown = await finance.browser.get(path);
  assert.ok(!shown.text.includes('name="step_up_refunds_above"'));
  assert.match(wordsOf(shown), /50\.00/);
  const csrf = tokenIn(await developer.browser.get("/console/account/")) ?? "";
  assert.equal((await developer.browser.post(path, { csrf, part: "limits" })).status, 403);
});

test("the audit log can be filtered by record, person and day, shows what changed, and says whether its chain is intact", async () => {
  const offer = idOf(await create(owner, "offers", { ...SELLING, name: EVIL }));
  const path = `${SETUP}audit-log/`;
  const listed = await owner.browser.get(
    `${path}?resource=offers&resource_id=${offer}&actor=person:${owner.id}`,
  );
  const entry = new RegExp(`${path}([0-9a-f-]{36})/`).exec(listed.text)?.[1] ?? "";
  assert.notEqual(entry, "");
  const page = await owner.browser.get(`${path}${entry}/`);
  assert.ok(!page.text.includes("<script>alert") && wordsOf(page).includes("<script>alert"));
  assert.match(wordsOf(page), /Changed Name Before After ID .* Price – 9\.90 Currency – EUR Created – /);
  assert.ok(!wordsOf(page).includes("– –"), "what was nothing and is nothing has not changed");
  assert.equal((await stranger.browser.get(`${path}${entry}/`)).status, 404);
  assert.equal((await developer.browser.get(path)).status, 403);
  await service.rows("update people set locale = 'de-DE' where id = $1 returning id", [owner.id]);
  const german = await owner.browser.get(`${path}?resource=offers`);
  assert.match(wordsOf(german), /Angelegt Angebot /);
  assert.match(german.text, /<option value="offers" {1,2}selected>Angebot</);
  await service.rows("update people set locale = 'en-GB' where id = $1 returning id", [owner.id]);
  const { deps } = service.app;
  while ((await chainEntries(deps, shop.tenant, 500)) > 0);
  assert.match(wordsOf(await owner.browser.get(`${path}?verify=1`)), /chain is intact/);
  await service.rows("alter table audit_log disable trigger user");
  await service.rows("update audit_log set actor_name = 'Nobody' where id = $1", [entry]);
  await service.rows("alter table audit_log enable trigger user");
  assert.match(wordsOf(await owner.browser.get(`${path}?verify=1`)), /chain is broken/);
});

test("messages are shown as customers read them, and the company chooses which ones are sent", async () => {
  const path = `${SETUP}messages/`;
  const page = await developer.browser.get(`${path}?kind=payment_failed&lang=de`);
  assert.equal(page.status, 200, page.text);
  assert.match(page.text, /<h3 lang="de">Ihre Zahlung über 1\.234,50.€ an Shop wurde nicht ausgeführt</);
  assert.match(page.text, /\/pay\/failed\/pf_/);
  assert.match(page.text, /No mail server is set up/);
  for (const lang of ["xx", "constructor"])
    assert.match((await developer.browser.get(`${path}?lang=${lang}`)).text, /<h3 lang="en">/, lang);
  const shown = await owner.browser.get(`${SETUP}company/`);
  const seen = /name="seen" value="([^"]+)"/.exec(shown.text)?.[1] ?? "";
  const fields = { part: "messages", seen, message_sender: `Shop ${EVIL}`, notice_check: "refuse" };
  const saved = await owner.browser.submit(`${SETUP}company/`, `${SETUP}company/`, fields);
  assert.equal(saved.status, 303, saved.text);
  const after = await owner.browser.get(path);
  assert.match(wordsOf(after), /Renewals without notice Not collected/);
  assert.ok(!after.text.includes("<script>alert(1)"));
  assert.match(after.text, /please ask Shop &#60;script/, "the sender that is set");
});

test("return codes can be tried without saving, and saved by an owner only; a code with a fixed rule has no choice", async () => {
  const path = `${SETUP}return-codes/`;
  const page = await owner.browser.get(path);
  assert.match(page.text, /name="rule\.AM04"/);
  const fixed = /<select[^>]*name="rule\.MD01"[^]*?<\/select>/.exec(page.text)?.[0] ?? "";
  assert.ok(fixed.includes("block_account") && !fixed.includes("retry"), fixed);
  const tried = await owner.browser.submit(path, path, { "rule.AM04": "ask_customer", act: "try" });
  assert.equal(tried.status, 200);
  assert.match(wordsOf(tried), /these rules would have meant: Debits that would not have been made 0/);
  assert.deepEqual((await read("tenant"))["return_rules"], {});
  const saved = await owner.browser.submit(path, path, { "rule.AM04": "ask_customer", act: "save" });
  assert.equal(saved.status, 303, saved.text);
  assert.deepEqual((await read("tenant"))["return_rules"], { AM04: "ask_customer" });
  const refused = await owner.browser.submit(path, path, { "rule.MD01": "retry", act: "save" });
  assert.deepEqual([refused.status, /MD01 can be followed by/.test(refused.text)], [422, true]);
  assert.ok(!(await developer.browser.get(path)).text.includes("<select"));
});

test("a return code with returns in two currencies is chosen once, with separate sums", async () => {
  const call = async (path: string, body: object): Promise<Json> => {
    const { status, text, body: answer } = await service.post(path, body, { key: shop.key });
    assert.ok(status < 300, text);
    return answer;
  };
  const lead = { first_name: "Ada", last_name: "Example", email: "two@example.com", country: "DE" };
  const gateway_id = await createSandbox(service, shop.key);
  const terms = { lead, gateway_id, amount: "19.90", currency: "EUR", billing_type: "ONE_OFF" };
  const account = { iban: "DE89370400440532013000", iban_holder_name: "Ada Example" };
  const comeBack = async (currency: string) => {
    const { session_token: token } = await call("payment-sessions/", terms);
    const { transaction } = await call(`payment-sessions/${token}/pay/`, account);
    await service.rows("update transactions set currency = $2 where id = $1", [transaction.id, currency]);
    await call("management/chargebacks/", { transaction_id: transaction.id, reason_code: "AM04" });
  };
  await comeBack("EUR");
  await comeBack("USD");
  const path = `${SETUP}return-codes/`;
  const page = await owner.browser.get(path);
  assert.equal(page.text.match(/name="rule\.AM04"/g)?.length, 1);
  const tried = await owner.browser.submit(path, path, { "rule.AM04": "end_mandate", act: "try" });
  assert.match(wordsOf(tried), /€0\.00, \$0\.00|€0\.00, US\$0\.00/);
});
