/** The console in a real browser: with script and without, phone and desktop, light and dark, by keyboard alone. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, BrowserContext, Request } from "playwright-core";
import {
  acceptInvitation,
  axeFindsNothing,
  launch,
  newCustomer,
  noBrowser,
  PUBLIC_URL,
  VIEWPORTS,
  type CustomerOptions,
} from "../support/browser.ts";
import { paidAt } from "../support/console.ts";
import { createIntegration } from "../support/integrations.ts";
import { createRecord, createSandbox, IBAN } from "../support/merchant.ts";
import {
  browser as forms,
  createCompany,
  invited,
  member,
  operator,
  setUpTotp,
  signIn,
  type Company,
} from "../support/people.ts";
import { bankMerchant, camt, outgoing, payAt } from "../support/sepa-bank.ts";
import { startService, type Service } from "../support/service.ts";
import { OPERATOR_PAGES } from "../../src/console/operator/places.ts";
import { sized } from "../support/sized.ts";
import * as treasury from "../support/treasury.ts";
import { DAY_MS, later } from "../../src/lib/clock.ts";

describe("the console in Chromium", { skip: noBrowser }, () => {
  let service: Service;
  let browser: Browser;
  let shop: Company;
  let payment: string;
  let subscription: string;
  let customer: string;
  let mandate: string;
  let chargeback: string;
  let session: Awaited<ReturnType<BrowserContext["cookies"]>>;
  let operatorSession: Parameters<BrowserContext["addCookies"]>[0];
  let owner: string;
  let webhook: string;
  let look: string;
  let link: string;
  let campaign: string;
  let offer: string;
  let integration: string;
  let postback: string;
  let event: string;
  let request: string;
  let gateway: string;
  let delivery: string;
  let key: string;
  let entry: string;
  let bankSession: Awaited<ReturnType<BrowserContext["cookies"]>>;
  let file: string;
  let unmatched: string;

  before(async () => {
    service = await startService({ config: { publicUrl: PUBLIC_URL, trustedProxies: ["127.0.0.0/8"] } });
    browser = await launch({ "pay.example.test": service });
    shop = await createCompany(service);
    gateway = await createSandbox(service, shop.key);
    const profile = { name: "Shop", url: "https://shop.example.com/hooks" };
    webhook = (await createRecord(service, shop.key, "webhook-profiles", profile))["id"];
    look = (await createRecord(service, shop.key, "hosted-pages", { name: "Main" }))["id"];
    const terms = { name: "Ticket", gateway_id: gateway, amount: "12.50" };
    link = (await createRecord(service, shop.key, "payment-links", terms))["id"];
    campaign = await stoppedCampaign();
    for (const iban of [IBAN.declined, IBAN.approved]) {
      const paid = await paidAt(service, shop.key, gateway, {}, iban);
      payment = paid["transaction"].id;
      subscription = paid["subscription"]?.id ?? "";
    }
    const read = await service.get(`management/transactions/${payment}/`, { key: shop.key });
    customer = read.body["lead_id"];
    mandate = read.body["mandate_id"];
    chargeback = await chargedBack();
    const partner = await createIntegration(service, shop.key);
    integration = partner.id;
    postback = await partner.accepted({ request_uuid: "7", email: "ada@example.com" });
    const first = async (list: string) =>
      (await service.get(`management/${list}/`, { key: shop.key })).body["results"][0].id;
    event = await first("events");
    delivery = await failedDelivery(event);
    key = await first("api-keys");
    entry = await first("audit-log");
    const log = service.app.jobs.find(({ name }) => name === "write-requests");
    await log?.runOnce(log.batch);
    request = await first("requests");
    await service.rows(
      `insert into oidc_providers (tenant, id, issuer, client_id, client_secret, email_domain, created_at, updated_at)
       values ($1, $2, 'https://id.example.com', 'console', '', 'example.com', now(), now()) returning id`,
      [shop.tenant, service.app.deps.ids.uuid()],
    );
    const invitation = await invited(service, shop, "owner");
    owner = invitation.id;
    session = await acceptInvitation(browser, invitation.path);
    bankSession = await bankDesk();
    const { browser: grace } = await operator(service);
    operatorSession = [...grace.cookies].map(([name, value]) => ({ name, value, url: PUBLIC_URL }));
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  /** A campaign that was stopped because too many of its payments were returned. */
  async function stoppedCampaign(): Promise<string> {
    const plan = { name: "Plan", price: "19.90", currency: "EUR", billing_type: "ONE_OFF" };
    offer = (await createRecord(service, shop.key, "offers", plan))["id"];
    const terms = { name: "Spring", offer_id: offer, gateway_id: gateway, return_rate_max: 5 };
    const { id } = await createRecord(service, shop.key, "campaigns", terms);
    await service.rows("update campaigns set stopped_at = now() where id = $1 returning id", [id]);
    return id;
  }

  /** A delivery of the event that no receiver has accepted. */
  async function failedDelivery(event: string): Promise<string> {
    await service.rows(
      "insert into webhook_receivers (tenant, profile_id) values ($1, $2) on conflict do nothing",
      [shop.tenant, webhook],
    );
    const [row] = await service.rows(
      `insert into webhook_deliveries
         (tenant, id, event_id, event_type, event_number, profile_id, payload_fields, ascii_escape, status, attempts, created_at)
       select tenant, $2, id, type, number, $3, '{"order": "order_number"}', false, 'exhausted', 1, now()
         from events where tenant = $1 and id = $4
       returning id`,
      [shop.tenant, service.app.deps.ids.uuid(), webhook, event],
    );
    return row?.["id"];
  }

  /** The chargeback of another payment. */
  async function chargedBack(): Promise<string> {
    const { transaction } = await paidAt(service, shop.key, gateway);
    const given = { transaction_id: transaction.id, reason_code: "MD01" };
    const { body, text } = await service.post("management/chargebacks/", given, { key: shop.key });
    assert.ok(body["id"], text);
    return body["id"];
  }

  /** Another company with a file for its bank and an unmatched entry. @returns its owner's cookies. */
  async function bankDesk(): ReturnType<typeof acceptInvitation> {
    const merchant = await bankMerchant(service);
    await payAt(merchant);
    const afterTheCutOff = later(service.app.deps.clock.now(), 5 * DAY_MS).toISOString();
    await treasury.moveTo(service, merchant, afterTheCutOff);
    file = (await outgoing(service, merchant))[0]?.["id"];
    const unknown = { amount: "7.77", endToEndId: "NOBODYS" };
    await treasury.read(
      service,
      merchant,
      camt("camt.053", afterTheCutOff.slice(0, 10), [["collection", unknown]]),
    );
    unmatched = (await treasury.unmatched(service, merchant))[0]?.["id"];
    const company = { id: merchant.tenantId, tenant: 0, key: merchant.key };
    return acceptInvitation(browser, (await invited(service, company, "owner")).path);
  }

  /** Cookies of a person who has entered the password but not the second factor. */
  async function halfSignedIn(): Promise<typeof operatorSession> {
    const { email, browser: full } = await member(service, shop, "viewer");
    await setUpTotp(full, service.app.deps.clock.now());
    const half = forms(service);
    assert.equal((await signIn(half, email)).status, 303);
    return [...half.cookies].map(([name, value]) => ({ name, value, url: PUBLIC_URL }));
  }

  /** A page of the owner or of an operator, in a browser with the session's cookie. */
  async function signedIn(
    options: CustomerOptions = {},
    cookies: typeof operatorSession = session,
  ): Promise<Awaited<ReturnType<typeof newCustomer>>> {
    const visitor = await newCustomer(browser, { device: "desktop", ...options });
    await visitor.page.context().addCookies(cookies);
    return visitor;
  }

  /**
   * The pages by section. Each section has tests of its own, because one test for all would take too long on a busy
   * machine.
   */
  const SECTIONS: Readonly<Record<string, () => readonly string[]>> = {
    money: () => [
      "/console/",
      "/console/?days=1",
      "/console/payments/",
      "/console/payments/?status=declined&from=2020-01-01",
      "/console/payments/?email=nobody%40example.com",
      "/console/payments/?columns=date,own_reference,mandate,gateway,amount,reason,country",
      "/console/payments/export/",
      "/console/payments/export/?status=approved&columns=amount,order",
      `/console/payments/${payment}/`,
      `/console/payments/${payment}/?act=refund`,
      `/console/payments/${payment}/?done=refund`,
      "/console/payment-links/",
      "/console/payment-links/?act=new",
      `/console/payment-links/${link}/`,
      "/console/customers/",
      `/console/customers/${customer}/`,
      "/console/search/?text=19.90",
      "/console/search/?text=nothing%20here",
      "/console/design/",
      "/console/design/?act=dialog",
    ],
    agreements: () => [
      "/console/subscriptions/",
      "/console/subscriptions/due/",
      "/console/restores/",
      "/console/payments/export/?period=last_month",
      `/console/subscriptions/${subscription}/`,
      `/console/subscriptions/${subscription}/?act=cancel`,
      `/console/subscriptions/${subscription}/?act=change`,
      "/console/subscriptions/due/?month=2027-01",
      "/console/mandates/",
      `/console/mandates/${mandate}/`,
      `/console/mandates/${mandate}/?act=amend`,
      "/console/chargebacks/",
      `/console/chargebacks/${chargeback}/`,
      `/console/mandates/${mandate}/document/`,
      "/console/bank/",
      "/console/bank/statements/",
      "/console/bank/unmatched/",
    ],
    bank: () => [
      "/console/bank/",
      `/console/bank/files/${file}/`,
      `/console/bank/files/${file}/?act=sent`,
      "/console/bank/statements/",
      "/console/bank/unmatched/",
      `/console/bank/unmatched/${unmatched}/`,
    ],
    developers: () => [
      "/console/developers/",
      "/console/developers/webhooks/",
      "/console/developers/webhooks/?act=new",
      `/console/developers/webhooks/${webhook}/`,
      `/console/developers/webhooks/${webhook}/?act=secret`,
      "/console/developers/deliveries/",
      "/console/developers/deliveries/?act=again",
      `/console/developers/deliveries/${delivery}/`,
      "/console/developers/events/",
      `/console/developers/events/${event}/`,
      "/console/developers/requests/",
      "/console/developers/requests/?status=refused",
      `/console/developers/requests/${request}/`,
      "/console/developers/integrations/",
      `/console/developers/integrations/${integration}/`,
      `/console/developers/integrations/${integration}/?act=address`,
      `/console/developers/integrations/${integration}/postbacks/`,
      `/console/developers/integrations/${integration}/postbacks/${postback}/`,
      "/console/developers/keys/",
      "/console/developers/keys/?act=new",
      `/console/developers/keys/${key}/`,
      `/console/developers/keys/${key}/?act=rotate`,
      "/console/developers/signature/",
      "/console/developers/test-accounts/",
    ],
    setup: () => [
      "/console/setup/",
      "/console/setup/company/",
      "/console/setup/messages/",
      "/console/setup/return-codes/",
      "/console/setup/gateways/",
      "/console/setup/gateways/?act=new&adapter=sepa_batch",
      `/console/setup/gateways/${gateway}/`,
      "/console/setup/offers/",
      "/console/setup/offers/?act=new",
      `/console/setup/offers/${offer}/`,
      "/console/setup/campaigns/",
      "/console/setup/campaigns/?act=new",
      `/console/setup/campaigns/${campaign}/`,
      `/console/setup/campaigns/${campaign}/?act=resume`,
      "/console/setup/payment-pages/",
      `/console/setup/payment-pages/${look}/?view=desktop`,
      "/console/setup/audit-log/",
      "/console/setup/audit-log/?verify=1",
      `/console/setup/audit-log/${entry}/`,
    ],
    people: () => [
      "/console/test-mode/",
      "/console/payments/nothing/",
      "/console/account/",
      "/console/account/authenticator/",
      "/console/people/",
      `/console/people/?person=${owner}`,
      "/console/people/single-sign-on/",
      "/console/people/single-sign-on/?act=off",
      "/console/access/",
      "/console/step-up/",
    ],
    operator: () => [...OPERATOR_PAGES.map(([path]) => path), "/console/operator/keys/?count=1"],
  };
  const cookiesFor = (section: string) =>
    section === "operator" ? operatorSession : section === "bank" ? bankSession : session;

  /** The pages before the sign-in and between its steps. */
  const SIGN_IN = ["/console/sign-in/", "/console/sign-in/?trouble=password", "/console/link/gone/"];
  const SECOND_FACTOR = "/console/second-factor/";
  /** Addresses of files, and addresses that only redirect. */
  const NO_PAGES = [
    "/console/expected.csv",
    "/console/figures.csv",
    "/console/returns.csv",
    "/console/payments/export.csv",
    "/console/payments/export.xlsx",
    "/console/payment-links/{id}/qr-code.svg",
    "/console/mandates/{id}/dossier/",
    "/console/oidc/start/",
    "/console/oidc/callback/",
  ];

  test("these tests cover every page that the service declares", () => {
    const looked = [...Object.values(SECTIONS).flatMap((paths) => paths()), ...SIGN_IN, SECOND_FACTOR].map(
      (path) => path.split("?")[0] ?? "",
    );
    const missed = service.app.server
      .routes()
      .filter(({ method, path }) => method === "GET" && path.startsWith("/console/"))
      .map(({ path }) => path)
      .filter((path) => !path.startsWith("/console/assets/") && !NO_PAGES.includes(path))
      .filter((path) => !looked.some((one) => isOf(one, path)));
    assert.deepEqual(missed, []);
  });

  for (const [section, paths] of Object.entries(SECTIONS)) {
    test(`axe finds nothing on the pages of ${section}, light and dark; each has at most 60 kB, all of it from here, and fits a window of 320 pixels`, async () => {
      const { page, complaints, hosts, close } = await signedIn({}, cookiesFor(section));
      for (const path of paths()) {
        await page.setViewportSize(VIEWPORTS.desktop);
        await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
        const loaded: Request[] = [];
        const listen = (request: Request) => void loaded.push(request);
        page.on("requestfinished", listen);
        await page.goto(PUBLIC_URL + path, { waitUntil: "load" });
        page.off("requestfinished", listen);
        await axeFindsNothing(page, `${path} in light`);
        const bytes = (await Promise.all(loaded.map(bytesOf))).reduce((all, one) => all + one, 0);
        assert.ok(bytes > 1_000 && bytes <= 60_000, `${path}: ${bytes} bytes`);
        await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
        await axeFindsNothing(page, `${path} in dark`, "colours");
        for (const size of sized([VIEWPORTS.narrow], [VIEWPORTS.desktop, VIEWPORTS.narrow])) {
          await page.setViewportSize(size);
          const width = await page.evaluate<number>("document.documentElement.scrollWidth");
          assert.ok(width <= size.width, `${path}: ${width} of ${size.width}`);
          const box = await page.locator("h1").first().boundingBox();
          assert.ok(box !== null && box.y < size.height / 2, path);
        }
      }
      assertAtHome(complaints, hosts);
      await close();
    });
  }

  /** The browser reported only a missing page, and requested no other host. */
  function assertAtHome(complaints: readonly string[], hosts: ReadonlySet<string>): void {
    const serious = complaints.filter((text) => !/404 \(Not Found\)/.test(text));
    assert.deepEqual([serious, [...hosts]], [[], [new URL(PUBLIC_URL).host]]);
  }

  test("no table of the first page is wider than a phone, nor those behind its charts", async () => {
    const { page, close } = await signedIn();
    for (const size of [VIEWPORTS.narrow, VIEWPORTS.phone]) {
      await page.setViewportSize(size);
      await page.goto(`${PUBLIC_URL}/console/`);
      const wide = await page.evaluate<string[]>(
        `[...document.querySelectorAll("details")].forEach((one) => (one.open = !one.closest(".bar")));
         [...document.querySelectorAll("main .table")].filter((one) => one.scrollWidth > one.clientWidth)
           .map((one) => one.getAttribute("aria-label") + " " + one.scrollWidth + " of " + one.clientWidth)`,
      );
      assert.deepEqual(wide, [], `${size.width}`);
    }
    await close();
  });

  test("on a phone the navigation and the tabs show the open page, and each choice of a return code is readable", async () => {
    const [shops, operators] = [
      await signedIn({ device: "phone" }),
      await signedIn({ device: "phone" }, operatorSession),
    ];
    for (const [{ page }, path] of [
      [shops, "/console/setup/audit-log/"],
      [shops, "/console/people/"],
      [operators, "/console/operator/keys/"],
    ] as const) {
      await page.goto(PUBLIC_URL + path);
      for (const here of await page.locator(".rail [aria-current], .tabs [aria-current]").all()) {
        const box = await here.boundingBox();
        const isSeen = box !== null && box.x >= 0 && box.x + box.width <= VIEWPORTS.phone.width;
        assert.ok(isSeen, `${path}: ${JSON.stringify(box)}`);
      }
      assert.equal(await page.evaluate("scrollY"), 0, path);
    }
    assert.equal(
      await operators.page.evaluate(
        `(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)(document.querySelector(".menu summary"))`,
      ),
      false,
    );
    await shops.page.goto(`${PUBLIC_URL}/console/setup/return-codes/`);
    const choice = await shops.page.locator("main select").first().boundingBox();
    assert.ok(choice !== null && choice.width > 150, JSON.stringify(choice));
    await shops.close();
    await operators.close();
  });

  test("the fields in a row of a form are aligned, and an unticked box looks like a field, in light and dark", async () => {
    const { page, close } = await signedIn();
    await page.goto(`${PUBLIC_URL}/console/setup/payment-pages/${look}/`);
    const rows = await page.evaluate<readonly (readonly number[])[]>(
      `[...document.querySelectorAll("fieldset.group")].flatMap((group) => {
         const boxes = [...group.querySelectorAll(":scope > .field > :is(input, select, textarea)")]
           .map((one) => one.getBoundingClientRect());
         const columns = new Set(boxes.map(({ left }) => left)).size;
         return Object.values(Object.groupBy(boxes.map(({ top }) => top), (_, at) => Math.floor(at / columns)));
       })`,
    );
    assert.ok(rows.some((fields) => fields.length > 1));
    const uneven = rows.filter((fields) => new Set(fields.map(Math.round)).size > 1);
    assert.deepEqual(uneven, []);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.goto(`${PUBLIC_URL}/console/developers/keys/?act=new`);
      const [box, field] = await page.evaluate<readonly [string, string]>(
        `["[type=checkbox]:not(:checked)", "#name"].map((one) => getComputedStyle(document.querySelector("main " + one)).backgroundColor)`,
      );
      assert.equal(box, field, colorScheme);
      assert.equal(
        await page.evaluate(`getComputedStyle(document.querySelector("main [type=checkbox]")).appearance`),
        "none",
      );
    }
    await close();
  });

  test("if the browser has no clipboard, as over plain HTTP, a reference's copy button selects the reference", async () => {
    const { page, complaints, close } = await signedIn();
    await page.goto(`${PUBLIC_URL}/console/payments/${payment}/`);
    assert.equal(await page.evaluate("navigator.clipboard === undefined"), true);
    await page.getByRole("button", { name: `Copy ${payment}` }).click();
    await page.waitForFunction(`getSelection().toString() === ${JSON.stringify(payment)}`);
    assert.deepEqual(complaints, []);
    await close();
  });

  test("by keyboard alone: search, open, refund, and leave a dialog", async () => {
    const { page, close } = await signedIn();
    await page.goto(`${PUBLIC_URL}/console/payments/`);
    await page.keyboard.press("/");
    assert.equal(await page.evaluate("document.activeElement?.getAttribute('name')"), "text");
    await page.keyboard.press("Tab");
    // With Caps Lock the key is a capital letter.
    await page.keyboard.press("Control+K");
    await page.keyboard.type("19.90");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/console/search/**");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/console/payments/*/");
    await page.goto(`${PUBLIC_URL}/console/payments/${payment}/?act=refund`);
    assert.equal(await page.evaluate("document.activeElement?.getAttribute('name')"), "amount");
    for (let presses = 0; presses < 8; presses += 1) {
      await page.keyboard.press("Tab");
      assert.ok(
        await page.evaluate("document.activeElement?.closest('[role=dialog]') !== null"),
        "stays inside",
      );
    }
    await page.keyboard.press("Escape");
    await page.waitForURL(`**/console/payments/${payment}/`);
    await page.goto(`${PUBLIC_URL}/console/payment-links/${link}/?act=archive`);
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/console/payment-links/${link}/`);
    assert.equal(await page.getByRole("link", { name: "Archive" }).count(), 1, "Enter leaves what it is");
    await close();
  });

  test("the palette shows pages and results while typing, works by keyboard, and puts no whole IBAN into an address", async () => {
    const { page, complaints, close } = await signedIn();
    const asked: string[] = [];
    page.on("request", (request) => void asked.push(request.url()));
    await page.goto(`${PUBLIC_URL}/console/payments/`);
    const found = page.locator("[data-found]");
    await page.keyboard.press("Control+k");
    await found.getByRole("link", { name: "Audit log" }).waitFor();
    await page.keyboard.type("webho");
    await found.getByRole("link", { name: "Audit log" }).waitFor({ state: "detached" });
    await axeFindsNothing(page, "the palette");
    await page.keyboard.press("Escape");
    assert.equal(await found.isVisible(), false);
    await page.keyboard.type("o");
    await page.keyboard.press("Backspace");
    await found.getByRole("link", { name: "Webhooks" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/console/developers/webhooks/");
    await page.keyboard.press("/");
    await page.keyboard.type(IBAN.approved);
    await found.locator("strong").first().waitFor();
    await page.getByRole("searchbox").fill("<img src=x onerror=alert(1)>");
    await found.getByText("Nothing found").waitFor();
    assert.equal(await page.locator("[data-found] img").count(), 0);
    assert.ok(!asked.some((url) => url.includes(IBAN.approved)));
    assert.deepEqual(complaints, []);
    await close();
  });

  test("new rows of a list are announced, and shown only on request", async () => {
    const { page, complaints, close } = await signedIn();
    await page.clock.install();
    await page.goto(`${PUBLIC_URL}/console/payments/`);
    const rows = () => page.locator("main tbody tr").count();
    const before = await rows();
    const look = async () => {
      const answered = page.waitForResponse((response) => response.request().headers()["x-live"] === "1");
      await page.clock.runFor(20_000);
      await answered;
    };
    await look();
    assert.equal(await page.locator("[data-news]").innerText(), "");
    const [first] = (await service.get("management/gateways/", { key: shop.key })).body["results"];
    await paidAt(service, shop.key, first.id);
    await look();
    const notice = page.getByRole("link", { name: "New or changed: 1. Show" });
    await notice.waitFor();
    assert.equal(await rows(), before);
    await notice.click();
    await page.waitForFunction(`document.querySelectorAll("main tbody tr").length === ${before + 1}`);
    assert.deepEqual(complaints, []);
    await close();
  });

  test("axe finds nothing on the pages before the sign-in, and none is wider than the window", async () => {
    const { path } = await invited(service, shop, "viewer");
    const { page, complaints, close } = await newCustomer(browser);
    await page.setViewportSize(VIEWPORTS.narrow);
    const half = await halfSignedIn();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      for (const at of [...SIGN_IN, path, SECOND_FACTOR]) {
        if (at === SECOND_FACTOR) await page.context().addCookies(half);
        await page.goto(PUBLIC_URL + at);
        await axeFindsNothing(page, `${at} in ${colorScheme}`);
        assert.ok(
          (await page.evaluate<number>("document.documentElement.scrollWidth")) <= VIEWPORTS.narrow.width,
        );
        assert.equal(new URL(page.url()).pathname, at.split("?")[0]);
      }
      await page.context().clearCookies();
    }
    assert.deepEqual(
      complaints.filter((text) => !text.includes("410 (Gone)")),
      [],
    );
    await close();
  });

  for (const scripts of [true, false]) {
    test(`the keyboard focus is in a dialog when it opens, ${scripts ? "with" : "without"} script`, async () => {
      const { page, close } = await signedIn({ device: "desktop", scripts });
      for (const path of [`payments/${payment}/?act=refund`, `subscriptions/${subscription}/?act=cancel`]) {
        await page.goto(`${PUBLIC_URL}/console/${path}`);
        // The browser moves the focus when it first draws the page.
        const inside = page.locator("[role=dialog]:focus, [role=dialog] :focus").first();
        await inside.waitFor({ state: "attached" });
        await page.keyboard.press("Tab");
        await inside.waitFor({ state: "attached" });
      }
      await close();
    });

    test(`a refund from list to receipt, ${scripts ? "with" : "without"} script, on a phone`, async () => {
      const { page, close } = await signedIn({ device: "phone", scripts });
      await page.goto(`${PUBLIC_URL}/console/payments/?status=approved&type=sdd_sale`);
      await page.locator("a.row").first().click();
      await page.getByRole("link", { name: "Refund" }).click();
      await page.getByLabel("Amount").fill("1,25");
      await page.getByLabel("Reason").fill("Test");
      await page.getByRole("button", { name: "Refund" }).click();
      await page.getByRole("status").waitFor();
      assert.match(await page.getByRole("status").innerText(), /on its way/);
      assert.match(await page.locator("main").innerText(), /€1\.25/);
      await close();
    });
  }

  for (const [scripts, device] of [
    [true, "phone"],
    [false, "phone"],
    [true, "desktop"],
    [false, "desktop"],
  ] as const) {
    test(`a payment link is made and switched off, ${scripts ? "with" : "without"} script, ${device}`, async () => {
      const { page, complaints, close } = await signedIn({ device, scripts });
      await page.goto(`${PUBLIC_URL}/console/payment-links/`);
      await page.getByRole("link", { name: "New payment link" }).click();
      await page.getByLabel("Name").fill("By phone");
      await page.getByLabel("Gateway").selectOption({ index: 1 });
      await page.getByRole("button", { name: "Create" }).click();
      await page.getByText("Enter an amount, or a minimum amount").waitFor();
      await page.getByLabel("Amount", { exact: true }).fill("12,50");
      await page.getByRole("button", { name: "Create" }).click();
      await page.getByRole("img", { name: "QR code" }).waitFor();
      assert.equal(await page.getByRole("button", { name: /^Copy http/ }).isVisible(), scripts);
      const [code] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("link", { name: "Download the QR code" }).click(),
      ]);
      assert.match(code.suggestedFilename(), /^qr-code-.*\.svg$/);
      await page.getByRole("button", { name: "Switch off" }).click();
      await page.locator(".heading").getByText("Switched off").waitFor();
      assert.deepEqual(
        complaints.filter((text) => !text.includes("422")),
        [],
      );
      await close();
    });
  }
});

async function bytesOf(request: Request): Promise<number> {
  const { responseBodySize, responseHeadersSize } = await request.sizes();
  return responseBodySize + responseHeadersSize;
}

/** Whether an address belongs to the route. */
function isOf(address: string, route: string): boolean {
  const [parts, names] = [address.split("/"), route.split("/")];
  return parts.length === names.length && names.every((name, n) => name.startsWith("{") || name === parts[n]);
}
