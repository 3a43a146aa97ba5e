/** A payment link in a real Chromium, with scripts and without, from the address to the receipt. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { brotliCompressSync } from "node:zlib";
import type { Browser } from "playwright-core";
import {
  anotherAddress,
  axeFindsNothing,
  launch,
  newCustomer,
  noBrowser,
  PUBLIC_URL,
} from "../support/browser.ts";
import { createMerchant, createRecord, IBAN, type Merchant } from "../support/merchant.ts";
import { startService, type Service } from "../support/service.ts";

/** The same limit as for the payment page: compressed, with its style. */
const WEIGHT_BYTES_MAX = 15 * 1_024;

describe("a payment link in Chromium", { skip: noBrowser }, () => {
  let service: Service;
  let merchant: Merchant;
  let browser: Browser;

  before(async () => {
    service = await startService({ config: { publicUrl: PUBLIC_URL, trustedProxies: ["127.0.0.0/8"] } });
    merchant = await createMerchant(service);
    browser = await launch({ "pay.example.test": service });
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  async function link(changes: Record<string, unknown>): Promise<string> {
    const terms = { name: "Summer concert", gateway_id: merchant.gatewayId, ...changes };
    return (await createRecord(service, merchant.key, "payment-links", terms))["url"];
  }

  for (const scripts of [true, false]) {
    for (const device of ["phone", "desktop"] as const) {
      test(`${scripts ? "with" : "without"} scripts, ${device}: a customer chooses an amount, corrects a mistake, and pays`, async () => {
        const url = await link({ amount_min: "5.00", amount_max: "50.00", description: "One ticket." });
        const { page, complaints, hosts, close } = await newCustomer(browser, { scripts, device });
        await page.goto(url);
        await page.getByLabel("Amount").fill("4");
        await page.getByLabel("First name").fill("Grace");
        await page.getByLabel("Last name").fill("Hopper");
        await page.getByLabel("E-mail address").fill("grace@example.com");
        await page.getByLabel("Country").selectOption({ label: "France" });
        const button = page.getByRole("button", { name: "Pay by SEPA direct debit" });
        await button.click();
        const notice = page.getByRole("alert");
        const bounds = "Enter an amount between €5.00 and €50.00.";
        assert.equal(await notice.innerText(), `Please check what you entered.\n\n${bounds}`);
        assert.equal(await page.locator("#amount-error").innerText(), bounds);
        assert.equal(await page.getByText("Summer concert").count(), 1, "its name is said once");
        await page.getByLabel("Amount").fill("12.5");
        await page.setExtraHTTPHeaders(anotherAddress());
        await button.click();
        await page.waitForURL(/\/pay\/ps_/);
        assert.match(await page.locator(".summary").innerText(), /Summer concert/);
        await page.getByLabel("IBAN", { exact: true }).fill(IBAN.approved);
        await page.getByRole("button", { name: "Pay €12.50" }).click();
        await page.locator("main[data-state=receipt-paid]").waitFor();
        assert.deepEqual(
          complaints.filter((text) => !text.includes("422")),
          [],
        );
        assert.deepEqual([...hosts], ["pay.example.test"]);
        await close();
      });
    }
  }

  test("axe finds nothing on a payment link's page, and the page is small", async () => {
    const url = await link({ amount: "12.50", description: "One ticket.\nFree choice of seats." });
    const closed = await link({ amount: "12.50", active: false });
    for (const device of ["phone", "desktop"] as const) {
      const { page, close } = await newCustomer(browser, { device });
      for (const [where, address] of Object.entries({ link: url, german: `${url}?lang=de`, closed })) {
        await page.goto(address);
        const { SCREENSHOTS: folder } = process.env;
        if (folder !== undefined)
          await page.screenshot({ path: `${folder}/${where}-${device}.png`, fullPage: true });
        await axeFindsNothing(page, `${where} on ${device}`);
      }
      await close();
    }
    const { text } = await service.get(new URL(url).pathname);
    const script = await service.get("/pay/assets/pay.js");
    const weight = [text, script.text].reduce((sum, part) => sum + brotliCompressSync(part).length, 0);
    assert.ok(weight <= WEIGHT_BYTES_MAX, `${weight} bytes`);
  });
});
