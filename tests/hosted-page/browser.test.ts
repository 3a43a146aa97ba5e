/** The payment page in a real Chromium: with its script and without, on a phone and on a desktop, accessible to all. */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { must } from "../../src/lib/assert.ts";
import { LANGUAGES } from "../../src/payment-page/texts/all.ts";
import { accountUrl, readAccountToken } from "../../src/payment-page/account/link.ts";
import {
  anotherAddress,
  axeFindsNothing,
  launch,
  newCustomer,
  noBrowser,
  PUBLIC_URL,
  type Customer,
  type CustomerOptions,
} from "../support/browser.ts";
import { subscribe, switchAccount } from "../support/billing.ts";
import { createMerchant, createRecord, IBAN, type Merchant } from "../support/merchant.ts";
import { bankMerchant } from "../support/sepa-bank.ts";
import { pathOf } from "../support/page.ts";
import { silent, startReceiver } from "../support/receiver.ts";
import { startService, type Service } from "../support/service.ts";
import { sized } from "../support/sized.ts";

const SHOP = "shop.example.test";

describe("the payment page in Chromium", { skip: noBrowser }, () => {
  let service: Service;
  let merchant: Merchant;
  let browser: Browser;
  let shop: Server;
  let pageId: string;

  before(async () => {
    service = await startService({ config: { publicUrl: PUBLIC_URL, trustedProxies: ["127.0.0.0/8"] } });
    merchant = await createMerchant(service);
    // The shop that customers go back to, and a stranger that would like to frame the page.
    shop = createServer((request, response) => {
      response.setHeader("content-type", "text/html");
      const framed = new URL(request.url ?? "/", "http://x").searchParams.get("frame");
      response.end(
        framed === null ? "<!doctype html><title>Shop</title><h1>Thank you</h1>" : `<iframe src="${framed}">`,
      );
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => shop.once("listening", resolve));
    const { port } = shop.address() as AddressInfo;
    const shopUrl = `http://127.0.0.1:${port}`;
    pageId = (
      await createRecord(service, merchant.key, "hosted-pages", {
        name: "Page",
        content: { headline: "Almost there" },
        success_redirect_url: `${shopUrl}/thanks`,
        failure_redirect_url: `${shopUrl}/sorry`,
      })
    )["id"];
    browser = await launch({ "pay.example.test": service, [SHOP]: { url: shopUrl } as Service });
  });
  after(async () => {
    await browser?.close();
    shop?.close();
    await service?.close();
  });

  async function open(
    options: CustomerOptions & { readonly session?: Record<string, unknown> } = {},
  ): Promise<Customer & { readonly token: string }> {
    const token = await merchant.session({ hosted_page_id: pageId, ...options.session });
    const customer = await newCustomer(browser, options);
    await customer.page.goto(PUBLIC_URL + pathOf(token));
    return { ...customer, token };
  }

  async function fill(page: Page, iban: string): Promise<void> {
    await page.getByLabel("IBAN", { exact: true }).fill(iban);
    await page.getByLabel("I agree to this SEPA direct debit mandate.").check();
  }

  /** Sends the form and waits for the page that follows. */
  async function pay(page: Page, iban: string): Promise<void> {
    await fill(page, iban);
    await page.setExtraHTTPHeaders(anotherAddress());
    await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name: /^Pay/ }).click()]);
  }

  const stateOf = (page: Page) => page.locator("main").getAttribute("data-state");

  test("a page in the background counts as opened once it comes to the front, and the customer sees no failure of recording that", async () => {
    const token = await merchant.session({ hosted_page_id: pageId });
    const { page, complaints, close } = await newCustomer(browser);
    // A tab that was opened behind another one.
    await page.addInitScript(`
      let visibility = "hidden";
      Object.defineProperty(document, "visibilityState", { get: () => visibility });
      globalThis.toFront = () => {
        visibility = "visible";
        document.dispatchEvent(new Event("visibilitychange"));
      };
    `);
    const told: string[] = [];
    await page.route("**/opened/", async (route) => {
      told.push(`${route.request().method()} ${new URL(route.request().url()).pathname}`);
      await route.fulfill({ status: 503 });
    });
    await page.goto(PUBLIC_URL + pathOf(token));
    assert.deepEqual(told, []);
    const before = await page.locator("main").innerText();
    const failed = page.waitForResponse("**/opened/");
    await page.evaluate("toFront()");
    await failed;
    await page.evaluate("toFront()");
    assert.deepEqual(told, [`POST ${pathOf(token)}opened/`]);
    assert.equal(await page.locator("main").innerText(), before);
    assert.ok(
      complaints.every((text) => text.includes("503")),
      complaints.join(),
    );
    await close();
  });

  for (const scripts of [true, false]) {
    const how = scripts ? "with the script" : "without scripts";
    for (const device of ["phone", "desktop"] as const) {
      test(`${how}, ${device}: from the form to the bank, to the receipt, and back to the shop`, async () => {
        const { page, complaints, hosts, close, token } = await open({ scripts, device });
        await pay(page, IBAN.verification);
        await page.waitForURL(/\/sandbox\/verifications\//);
        await page.getByRole("button", { name: "Confirm" }).click();
        await page.waitForURL(/[?&]done=1$/);
        assert.equal(await stateOf(page), "receipt-paid");
        assert.equal(await page.locator("#print").isVisible(), scripts, "a button that does something");
        assert.deepEqual(complaints, []);
        await page.getByRole("link", { name: "Back to Shop" }).click();
        await page.waitForURL(/\/thanks\?/);
        const back = new URL(page.url());
        assert.equal(back.searchParams.get("session_token"), token);
        assert.equal(back.searchParams.get("status"), "COMPLETED");
        assert.deepEqual(
          [...hosts].filter((host) => host !== back.host),
          ["pay.example.test"],
        );
        await close();
      });
    }

    test(`${how}: the payment's timeline ${scripts ? "says" : "does not say"} when the page was opened`, async () => {
      const { page, complaints, close, token } = await open({ scripts });
      await pay(page, IBAN.approved);
      const { body: list } = await service.get("management/payment-sessions/?page_size=1", {
        key: merchant.key,
      });
      const { body: session } = await service.get(`management/payment-sessions/${list["results"][0].id}/`, {
        key: merchant.key,
      });
      assert.ok(session["payment_url"].includes(token));
      const { body: payment } = await service.get(`management/transactions/${session["attempts"][0].id}/`, {
        key: merchant.key,
      });
      const seen = payment["timeline"].filter(({ kind }: { readonly kind: string }) => kind === "page");
      assert.deepEqual(
        seen.map(({ at, what }: { readonly at: string; readonly what: string }) => [at, what]),
        scripts ? [[session["opened_at"], "opened"]] : [],
      );
      assert.equal(session["opened_at"] !== null, scripts);
      assert.deepEqual(complaints, []);
      await close();
    });

    test(`${how}: the way back opens automatically once the shop has received the payment's webhook`, async () => {
      const receiver = await startReceiver(silent);
      const profile = await createRecord(service, merchant.key, "webhook-profiles", {
        name: "Slow shop",
        url: receiver.url,
        payload_fields: { token: "session_token" },
      });
      const { page, complaints, close } = await open({
        scripts,
        session: { webhook_profile_id: profile["id"] },
      });
      await pay(page, IBAN.approved);
      assert.equal(await stateOf(page), "held");
      assert.equal(await page.getByRole("link", { name: "Back to Shop" }).getAttribute("href"), null);
      await service.call(
        "PATCH",
        `management/webhook-profiles/${profile["id"]}/`,
        { active: false },
        { key: merchant.key },
      );
      await page.locator("main[data-state=receipt-paid]").waitFor();
      assert.match((await page.locator("a.button").getAttribute("href")) ?? "", /\/thanks\?/);
      assert.equal(await page.locator("#leaving").isVisible(), scripts);
      assert.deepEqual(complaints, []);
      await receiver.close();
      await close();
    });

    test(`${how}: a decline shows its reason, another account pays, and the back button repeats nothing`, async () => {
      const { page, complaints, close, token } = await open({ scripts });
      await pay(page, IBAN.insufficientFunds);
      const notice = page.getByRole("alert");
      assert.match(await notice.innerText(), /not enough money in the account/);
      assert.match(await notice.innerText(), /2 attempts left/);
      assert.ok(
        await notice.evaluate((element) => element === element.ownerDocument.activeElement),
        "it has the focus",
      );
      await pay(page, IBAN.approved);
      assert.equal(await stateOf(page), "receipt-paid");
      await page.goBack();
      await page.waitForLoadState();
      await page.reload();
      assert.equal(await stateOf(page), "receipt-paid");
      assert.deepEqual(complaints, []);
      const rows = await service.rows("select status from transactions order by created_at desc limit 2");
      assert.deepEqual(
        rows.map(({ status }) => status),
        ["approved", "declined"],
      );
      assert.equal((await merchant.retrieve(token)).body["status"], "COMPLETED");
      await close();
    });
  }

  test("without scripts an error is shown next to its field, and the summary links there", async () => {
    const { page, close } = await open({ scripts: false });
    await page.getByLabel("IBAN", { exact: true }).fill("DE89 3704 0044 0532 0130 01");
    await page.getByRole("button", { name: /^Pay/ }).click();
    const summary = page.getByRole("alert");
    assert.match(await summary.innerText(), /Please check what you entered/);
    assert.match(await page.locator("#iban-error").innerText(), /typing error.*ended in 3001/);
    assert.equal(await page.locator("#iban").inputValue(), "");
    await summary.getByRole("link", { name: /typing error/ }).click();
    assert.ok(page.url().endsWith("#iban"));
    await close();
  });

  test("the script groups the IBAN by four, shows errors before the form is sent, and names the bank", async () => {
    const { page, close } = await open();
    const iban = page.locator("#iban");
    await iban.pressSequentially("de8937040044053201300");
    assert.equal(await iban.inputValue(), "DE89 3704 0044 0532 0130 0");
    await page.getByRole("button", { name: /^Pay/ }).click();
    assert.match(
      await page.locator("#iban-error").innerText(),
      /from Germany has 22 characters; this one has 21/,
    );
    assert.match(await page.locator("#accepted-error").innerText(), /Tick the box/);
    assert.ok(await iban.evaluate((element) => element === element.ownerDocument.activeElement));
    await iban.press("End");
    await iban.press("1");
    assert.match(await page.locator("#iban-error").innerText(), /typing error/);
    await iban.press("Backspace");
    await iban.press("0");
    assert.equal(await page.locator("#iban-error").innerText(), "");
    await page.getByText("Your bank: Commerzbank").waitFor();
    await iban.press("Home");
    await iban.press("ArrowRight");
    await iban.press("Delete");
    assert.equal(await iban.inputValue(), "D893 7040 0440 5320 1300 0");
    assert.equal(
      await iban.evaluate((element: { selectionStart: number | null }) => element.selectionStart),
      1,
    );
    assert.match(await page.locator("#iban-error").innerText(), /begins with the two letters/);
    await close();
  });

  test("an IBAN with the word before it, typed or pasted, is the IBAN, and the address is asked for where the bank needs it", async () => {
    const bank = await bankMerchant(service);
    const { page, close } = await newCustomer(browser);
    await page.goto(PUBLIC_URL + pathOf(await bank.session({ gateway_id: bank.accountId })));
    const iban = page.locator("#iban");
    assert.equal(await page.locator("#address").isVisible(), false);
    await iban.pressSequentially("IBAN: CH93 0076 2011 6238 5295 7");
    assert.equal(await iban.inputValue(), "CH93 0076 2011 6238 5295 7");
    await page.getByRole("button", { name: /^Pay/ }).click();
    assert.match(await page.locator("#city-error").innerText(), /Enter your town or city/);
    await iban.fill("IBAN DE89 3704 0044 0532 0130 00");
    assert.equal(await iban.inputValue(), "DE89 3704 0044 0532 0130 00");
    assert.equal(await page.locator("#address").isVisible(), false);
    await iban.fill("CH9300762011623852957");
    await page.getByLabel("Town or city").fill("Zürich");
    await page.setExtraHTTPHeaders(anotherAddress());
    await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name: /^Pay/ }).click()]);
    assert.notEqual(await stateOf(page), "form");
    await close();
  });

  test("a double click sends one form, and the page shows that it is being sent", async () => {
    const { page, close } = await open();
    const attempts = async () => (await service.rows("select 1 from transactions")).length;
    const before = await attempts();
    await fill(page, IBAN.approved);
    // Both clicks and the check in one call, because the browser leaves the page as soon as it can.
    const shown = await page.evaluate(
      "(b => (b.click(), b.click(), [document.querySelector('#sending').textContent, b.ariaDisabled]))(document.querySelector('.pay'))",
    );
    assert.deepEqual(shown, ["Sending your payment…", "true"]);
    await page.locator("main[data-state=receipt-paid]").waitFor();
    assert.equal(await attempts(), before + 1);
    await close();
  });

  test("of two tabs the waiting one shows the receipt automatically, and the one with the old form pays nothing", async () => {
    const { page, complaints, close, token } = await open();
    const second = await page.context().newPage();
    const third = await page.context().newPage();
    await second.goto(PUBLIC_URL + pathOf(token));
    await fill(second, IBAN.approved);
    await fill(page, IBAN.slow);
    await page.getByRole("button", { name: /^Pay/ }).click({ noWaitAfter: true });
    await third.goto(PUBLIC_URL + pathOf(token));
    while ((await stateOf(third)) === "form") await third.reload();
    assert.equal(await stateOf(third), "processing");
    await Promise.all([second.waitForEvent("load"), second.getByRole("button", { name: /^Pay/ }).click()]);
    await third.locator("main[data-state=receipt-paid]").waitFor();
    await second.locator("main[data-state=receipt-paid]").waitFor();
    const rows = await service.rows(
      "select t.status from transactions t join sessions s on s.id = t.session_id order by t.created_at desc limit 1",
    );
    assert.equal(rows[0]?.["status"], "approved");
    // The second form may come so soon after the first that it is asked to wait.
    assert.deepEqual(
      complaints.filter((text) => !text.includes("429")),
      [],
    );
    await close();
  });

  test("after the receipt the script leads back to the shop, unless the customer stays", async () => {
    const { page, close } = await open();
    await pay(page, IBAN.approved);
    await page.getByText("You will be redirected in", { exact: false }).waitFor();
    await page.getByRole("button", { name: "Stay on this page" }).click();
    assert.ok(await page.locator("#leaving").isHidden());
    await close();

    const other = await open();
    await other.page.clock.install();
    await pay(other.page, IBAN.approved);
    await other.page.clock.runFor(21_000);
    await other.page.waitForURL(/\/thanks\?/);
    await other.close();
  });

  test("a rate-limited page says to wait, and returns to the payment's state automatically", async () => {
    const { page, close, token } = await open({ scripts: false });
    const headers = anotherAddress();
    await page.setExtraHTTPHeaders(headers);
    const send = () =>
      Promise.all([page.waitForEvent("load"), page.getByRole("button", { name: /^Pay/ }).click()]);
    await send();
    assert.equal(await stateOf(page), "form");
    // Other clients at this address send all the time, because on a slow machine one page alone would never reach the
    // limit.
    const others = setInterval(() => {
      void fetch(service.url + pathOf(token), { method: "POST", headers, body: new URLSearchParams() }).catch(
        () => null,
      );
    }, 50);
    for (let tries = 0; tries < 10 && (await stateOf(page)) === "form"; tries += 1) await send();
    clearInterval(others);
    assert.equal(await stateOf(page), "tooFast");
    await page.locator("main[data-state=form]").waitFor();
    await close();
  });

  test("the keyboard alone is enough, in the order in which the page reads", async () => {
    const { page, close } = await open({ device: "desktop" });
    await page.locator("#iban").focus();
    await page.keyboard.type(IBAN.approved);
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate("document.activeElement.id"), "holder");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate("document.activeElement.id"), "accepted");
    await page.keyboard.press("Space");
    await page.keyboard.press("Tab");
    await Promise.all([page.waitForEvent("load"), page.keyboard.press("Enter")]);
    assert.equal(await stateOf(page), "receipt-paid");
    await close();
  });

  test("on a phone the button to pay is on the first screen, and the rest of the summary unfolds", async () => {
    const { id } = await createRecord(service, merchant.key, "hosted-pages", {
      name: "Long",
      content: { headline: "Almost there", more: "A paragraph that nobody needs in order to pay." },
      cancel_redirect_url: "https://shop.example.com/cart",
    });
    // The longest words, and the most lines: what is due today, the trial, what follows.
    const trial = {
      billing_type: "TRIAL_RECURRING",
      billing_frequency: "MONTHLY",
      trial_amount: "0.00",
      trial_interval_unit: "WEEK",
      trial_period: 2,
      hosted_page_id: id,
    };
    for (const locale of sized(["el"], LANGUAGES)) {
      const { page, close } = await open({ session: trial, device: "phone", locale });
      const below = await page.evaluate(
        "document.querySelector('.pay').getBoundingClientRect().bottom - innerHeight",
      );
      assert.ok(Number(below) <= 0, `${locale}: by ${Number(below)} pixels`);
      await close();
    }
    for (const scripts of [true, false]) {
      const { page, close } = await open({ session: { hosted_page_id: id }, scripts, device: "phone" });
      const bottom = await page.evaluate(
        "document.querySelector('.pay').getBoundingClientRect().bottom - innerHeight",
      );
      assert.ok(Number(bottom) <= 0, `by ${Number(bottom)} pixels`);
      const more = page.getByText("A paragraph that nobody needs");
      assert.equal(await more.isVisible(), false);
      await page.getByText("Details").click();
      await more.waitFor();
      assert.equal(await page.getByRole("link", { name: "← Back to Shop" }).isVisible(), true);
      await close();
    }
    const { page, close } = await open({ session: { hosted_page_id: id }, device: "desktop" });
    assert.equal(await page.getByText("A paragraph that nobody needs").isVisible(), true);
    await close();
  });

  test("the hint follows the country that is typed, one that no debit reaches is named at once, and a test account is a tap away", async () => {
    const { page, close } = await open();
    const iban = page.locator("#iban");
    assert.equal(await iban.getAttribute("placeholder"), "DE00 0000 0000 0000 0000 00");
    await iban.pressSequentially("FR");
    assert.match(await page.locator("#iban-hint").innerText(), /from France has 27 characters/);
    await iban.fill("US12");
    assert.match(await page.locator("#iban-error").innerText(), /SEPA direct debit does not reach/);
    assert.equal(await page.locator("#iban-hint").isVisible(), false, "one line says what is wrong");
    await page.getByText("Test accounts").click();
    for (const account of await page.locator("[data-iban]").all()) {
      await iban.fill("");
      await account.click();
      assert.equal(await iban.inputValue(), await account.innerText());
      assert.equal(await page.locator("#iban-error").innerText(), "");
      await page.locator("#bank", { hasText: /^Your bank: (Commerzbank|ABN AMRO)/ }).waitFor();
    }
    assert.equal(await page.locator("#iban-hint").isVisible(), false, "the bank takes the hint's place");
    await close();
  });

  test("choosing a language shows the page in it; without scripts a button does", async () => {
    for (const scripts of [true, false]) {
      const { page, close } = await open({ scripts });
      await page.getByLabel("Language").selectOption("fr");
      if (!scripts) await page.getByRole("button", { name: "Change" }).click();
      await page.getByRole("heading", { name: "Payer par prélèvement SEPA" }).waitFor();
      await close();
    }
  });

  test("320 pixels and 200 % text leave nothing to scroll sideways", async () => {
    for (const device of ["narrow", "phone"] as const) {
      const { page, close } = await open({ device });
      if (device === "phone")
        await page.evaluate("document.documentElement.style.setProperty('font-size', '200%')");
      const width = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      assert.equal(width, 0, device);
      await close();
    }
  });

  test("axe finds nothing on any state, on a phone and (in npm run prove) a desktop", async () => {
    const made = await service.post(`management/hosted-pages/${pageId}/preview-link/`, undefined, {
      key: merchant.key,
    });
    for (const device of sized(["phone"] as const, ["phone", "desktop"] as const)) {
      const { page, complaints, close } = await newCustomer(browser, { device });
      for (const state of [
        "form",
        "declined",
        "verification",
        "processing",
        "unclear",
        "paid",
        "submitted",
        "failed",
        "cancelled",
        "expired",
      ]) {
        await page.goto(`${made.body["url"]}&state=${state}`);
        await axeFindsNothing(page, `${state} on ${device}`);
      }
      await page.goto(`${PUBLIC_URL}/pay/ps_unknown/`);
      await axeFindsNothing(page, `unknown on ${device}`);
      assert.deepEqual(
        complaints.filter((text) => !/404|410/.test(text)),
        [],
      );
      await close();
    }
  });

  test("axe finds nothing on a form with mistakes, and on branding of any colour", async () => {
    const { id } = await createRecord(service, merchant.key, "hosted-pages", {
      name: "Bright",
      branding: { primary_color: "#ffff00", accent_color: "#fefefe" },
    });
    const { page, close } = await open({ session: { hosted_page_id: id }, scripts: true });
    await page.getByRole("button", { name: /^Pay/ }).click();
    await axeFindsNothing(page, "mistakes");
    await close();
  });

  test("axe finds nothing on the pages of the sandbox bank, a failed payment and the account, and they fit on a phone", async () => {
    const { page, complaints, close } = await open();
    const fits = async (where: string) => {
      await axeFindsNothing(page, where);
      const { wide } = await page.evaluate<{ wide: number }>(
        "({ wide: document.documentElement.scrollWidth - document.documentElement.clientWidth })",
      );
      assert.equal(wide, 0, where);
    };
    await pay(page, IBAN.verification);
    await page.waitForURL(/\/sandbox\/verifications\//);
    const bank = page.url();
    await fits("the sandbox bank");
    await page.getByRole("button", { name: "Refuse" }).click();
    await page.locator("main[data-state=form]").waitFor();
    await page.goto(bank);
    await page.getByText("You have already answered.").waitFor();
    await fits("the sandbox bank, answered");

    // Without a schedule it is collected when the merchant asks, on any day.
    const id = await subscribe(merchant, { billing_frequency: undefined });
    await switchAccount(service, id, IBAN.insufficientFunds);
    const collected = await service.post(`management/subscriptions/${id}/collect/`, undefined, {
      key: merchant.key,
    });
    assert.equal(collected.status, 200, collected.text);
    const [row] = await service.rows("select lead_id from subscriptions where id = $1", [id]);
    const path = `management/customers/${row?.["lead_id"]}/account-link/`;
    const { url } = (await service.post(path, {}, { key: merchant.key })).body;
    await page.goto(url);
    await fits("the account, with a failed payment");
    await page.getByRole("link", { name: /^Pay/ }).click();
    await page.locator("main[data-state=failed-payment]").waitFor();
    await fits("the failed payment");
    await switchAccount(service, id, IBAN.approved);
    await page.setExtraHTTPHeaders(anotherAddress());
    await page.getByRole("button", { name: /^Pay/ }).click();
    await page.locator("main[data-state=receipt-paid]").waitFor();
    await fits("the failed payment, paid");
    assert.deepEqual(complaints, []);
    await close();
  });

  test("a customer's account fits on a phone, and axe finds nothing on it", async () => {
    const id = await subscribe(merchant);
    const [row] = await service.rows("select lead_id from subscriptions where id = $1", [id]);
    const path = `management/customers/${row?.["lead_id"]}/account-link/`;
    const { url } = (await service.post(path, {}, { key: merchant.key })).body;
    const opened = readAccountToken(service.app.deps.keys, new URL(url).pathname.split("/")[3] ?? "");
    const over = { ...must(opened, "a link of ours"), expiresAt: new Date() };
    const late = await newCustomer(browser);
    await late.page.goto(accountUrl(service.app.deps, over));
    await late.page.getByText("This link has expired").waitFor();
    await axeFindsNothing(late.page, "a link whose time is over");
    await late.close();
    const { page, complaints, close } = await newCustomer(browser);
    await page.goto(url);
    await axeFindsNothing(page, "account");
    await page.getByRole("link", { name: "Change the account" }).click();
    await axeFindsNothing(page, "change of account");
    await fill(page, IBAN.approvedDutch);
    await page.getByRole("button", { name: "Change the account" }).click();
    await page.getByText("From now on your payments are debited from NL •••• 4300.").waitFor();
    await page.getByText("Cancel the subscription").first().click();
    await axeFindsNothing(page, "cancelling");
    await page.getByRole("button", { name: "Cancel the subscription" }).click();
    await page.getByText("Ends on").waitFor();
    const width = await page.evaluate(
      "document.documentElement.scrollWidth - document.documentElement.clientWidth",
    );
    assert.deepEqual([complaints, width], [[], 0]);
    await close();
  });

  test("hostile branding runs nothing: no dialog, no request, no violation of the page's policy", async () => {
    const hostile = `"><script>alert(1)</script><img src=x onerror=alert(2)><style>*{display:none}</style>`;
    const { id } = await createRecord(service, merchant.key, "hosted-pages", {
      name: "Hostile",
      content: { headline: hostile, link: "javascript:alert(3)" },
      offer_overrides: { product_name: hostile, product_description: hostile },
    });
    const person = { first_name: hostile, last_name: hostile, email: "h@example.com", country: "DE" };
    const { page, complaints, hosts, close } = await open({ session: { hosted_page_id: id, lead: person } });
    let dialogs = 0;
    page.on("dialog", (dialog) => {
      dialogs += 1;
      void dialog.dismiss();
    });
    await page.reload();
    assert.ok((await page.locator(".summary").innerText()).includes("<script>alert(1)</script>"));
    await pay(page, IBAN.approved);
    assert.equal(await stateOf(page), "receipt-paid");
    assert.equal(dialogs, 0);
    assert.deepEqual(complaints, []);
    assert.deepEqual([...hosts], ["pay.example.test"]);
    await close();
  });

  test("another site cannot show the page in a frame; one that the settings list can", async () => {
    const { port } = shop.address() as AddressInfo;
    const listed = `http://127.0.0.1:${port}`;
    const { id } = await createRecord(service, merchant.key, "hosted-pages", {
      name: "Framed",
      frame_origins: [listed],
    });
    const { page, token, close } = await open({ session: { hosted_page_id: id } });
    const framed = `/?frame=${encodeURIComponent(PUBLIC_URL + pathOf(token))}`;
    const shown = page.frameLocator("iframe").locator("main[data-state=form]");
    await page.goto(listed + framed);
    await shown.waitFor();
    await page.goto(`http://${SHOP}${framed}`);
    assert.equal(await shown.count(), 0);
    await close();
  });

  test("the receipt prints without buttons and colours", async () => {
    const { page, close } = await open({ device: "desktop" });
    await pay(page, IBAN.approved);
    await page.emulateMedia({ media: "print" });
    assert.ok(await page.getByRole("link", { name: "Back to Shop" }).isHidden());
    assert.ok(await page.getByText("Mandate reference").isVisible());
    assert.equal(
      await page.evaluate("getComputedStyle(document.querySelector('.summary')).backgroundColor"),
      "rgba(0, 0, 0, 0)",
    );
    await close();
  });
});
