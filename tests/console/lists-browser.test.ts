/** The lists of the console in a real browser: their columns and what they export. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import type { Browser, BrowserContext } from "playwright-core";
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
import { createSandbox } from "../support/merchant.ts";
import { createCompany, invited } from "../support/people.ts";
import { startService, type Service } from "../support/service.ts";
import { readSpreadsheet } from "../support/spreadsheet.ts";

describe("lists in Chromium", { skip: noBrowser }, () => {
  let service: Service;
  let browser: Browser;
  let session: Awaited<ReturnType<BrowserContext["cookies"]>>;

  before(async () => {
    service = await startService({ config: { publicUrl: PUBLIC_URL, trustedProxies: ["127.0.0.0/8"] } });
    browser = await launch({ "pay.example.test": service });
    const shop = await createCompany(service);
    const gateway = await createSandbox(service, shop.key);
    for (let payments = 0; payments < 3; payments += 1) await paidAt(service, shop.key, gateway);
    session = await acceptInvitation(browser, (await invited(service, shop, "owner")).path);
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  /** A page of the owner, in a browser with the session's cookie. */
  async function signedIn(options: CustomerOptions): Promise<Awaited<ReturnType<typeof newCustomer>>> {
    const visitor = await newCustomer(browser, options);
    await visitor.page.context().addCookies(session);
    return visitor;
  }

  for (const [scripts, device] of [
    [false, "phone"],
    [true, "desktop"],
  ] as const) {
    test(`columns are chosen by keyboard, ${scripts ? "with" : "without"} script, ${device}, and the list is exported with them`, async () => {
      const { page, complaints, close } = await signedIn({ device, scripts });
      await page.goto(`${PUBLIC_URL}/console/payments/?status=approved,charged_back`);
      await page.getByText("Columns", { exact: true }).first().focus();
      await page.keyboard.press("Enter");
      if (scripts) await axeFindsNothing(page, "the choice of columns");
      const width = await page.evaluate<number>("document.documentElement.scrollWidth");
      assert.ok(width <= VIEWPORTS[device].width, `${width}`);
      for (const name of ["Customer", "Order"]) {
        await page.getByRole("checkbox", { name, exact: true }).focus();
        await page.keyboard.press("Space");
      }
      await page.keyboard.press("Enter");
      await page.waitForURL("**/*columns.*");
      const heads = await page.locator("main th").allTextContents();
      assert.deepEqual(heads, ["Amount", "Status", "Type", "Account ends in", "Date", "Order"]);
      const rowsShown = await page.locator("main tbody tr").count();
      await page.getByRole("link", { name: "Export" }).click();
      await page.waitForURL("**/payments/export/?**");
      const [sheet] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("link", { name: "Download Excel (XLSX)" }).click(),
      ]);
      const [read] = await readSpreadsheet(await readFile(await sheet.path()));
      assert.equal(read?.rows.length, rowsShown + 1);
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("link", { name: "Download CSV" }).click(),
      ]);
      const [head, ...rows] = (await readFile(await file.path(), "utf8")).trim().split("\r\n");
      assert.match(head ?? "", /^signed_amount,currency,status,.*,created_at,order_number$/);
      assert.equal(rows.length, rowsShown);
      await page.getByRole("link", { name: "Back", exact: true }).click();
      await page.waitForURL("**/payments/?**");
      await page.getByText("Columns", { exact: true }).first().click();
      await page.getByRole("link", { name: "Usual columns" }).click();
      await page.waitForURL("**/?status=approved%2Ccharged_back");
      assert.deepEqual(complaints, []);
      await close();
    });
  }

  test("on a desktop a list's filter bar stays one line with two filters set, and the form of further filters has the others", async () => {
    const { page, close } = await signedIn({ device: "desktop" });
    for (const set of ["", "?status=approved", "?status=approved&period=last_month"]) {
      await page.goto(`${PUBLIC_URL}/console/payments/${set}`);
      const heights = await page
        .locator(".filters .offered > *")
        .evaluateAll((parts: { getBoundingClientRect(): { top: number; height: number } }[]) =>
          parts
            .map((one) => one.getBoundingClientRect())
            .map(({ top, height }) => Math.round(top + height / 2)),
        );
      assert.ok(Math.max(...heights) - Math.min(...heights) <= 2, `${set}: ${heights.join(" ")}`);
      const names = await page
        .locator(".filters .offered [name]:not([type=hidden])")
        .evaluateAll((fields: { name: string }[]) => fields.map(({ name }) => name));
      for (const name of ["status", "from", "type", "reason", "iban_last4", "email", "country"])
        assert.ok(names.includes(name), `${set}: ${name}`);
    }
    await close();
  });

  for (const scripts of [false, true])
    test(`a month is exported with five clicks, ${scripts ? "with" : "without"} script`, async () => {
      const { page, complaints, close } = await signedIn({ device: "desktop", scripts });
      await page.goto(`${PUBLIC_URL}/console/`);
      await page.getByRole("link", { name: "Payments", exact: true }).first().click();
      await page.waitForURL("**/console/payments/");
      await page.getByText("Date", { exact: true }).first().click();
      await page.getByRole("link", { name: "This month" }).click();
      await page.waitForURL("**/payments/?period=this_month");
      await page.getByText(/Date: This month \(/).waitFor();
      const shown = await page.locator("main tbody tr").count();
      await page.getByRole("link", { name: "Export" }).click();
      await page.waitForURL("**/payments/export/?period=this_month");
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("link", { name: "Download Excel (XLSX)" }).click(),
      ]);
      const [sheet] = await readSpreadsheet(await readFile(await file.path()));
      assert.equal(sheet?.rows.length, shown + 1);
      assert.deepEqual(complaints, []);
      await close();
    });

  test("with script an export shows how many rows are written, can be stopped, and is saved only when it is complete", async () => {
    const { page, complaints, close } = await signedIn({ device: "desktop" });
    await page.goto(`${PUBLIC_URL}/console/payments/export/`);
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download CSV" }).click(),
    ]);
    assert.match(file.suggestedFilename(), /^payments_[\d-]+\.csv$/);
    const [, ...rows] = (await readFile(await file.path(), "utf8")).trim().split("\r\n");
    await page.getByText(`The file is saved. Payments in it: ${rows.length}.`).waitFor();
    const whole = await page.evaluate<number[]>(
      `fetch("/console/payments/export.csv", { headers: { "x-progress": "1" } })
        .then((answer) => answer.arrayBuffer()).then((bytes) => [...new Uint8Array(bytes)])`,
    );
    const counted = new DataView(Uint8Array.from(whole).buffer).getUint32(0);
    assert.ok(counted === 0 || counted === rows.length, "rows that were read before the first piece");

    // Sends half of the rows, and never ends the response.
    const answers: ((half: Buffer) => void)[] = [];
    await page.route("**/export.csv*", (route) =>
      new Promise<Buffer>((half) => answers.push(half)).then((body) =>
        route.fulfill({ status: 200, body, headers: { "content-type": "application/octet-stream" } }),
      ),
    );
    const progress = page.locator("[data-progress]");
    let downloads = 0;
    page.on("download", () => (downloads += 1));
    await page.getByRole("link", { name: "Download CSV" }).click();
    await progress.getByText(`Payments: 0 of ${rows.length}`).waitFor();
    await axeFindsNothing(page, "an export that is under way");
    await progress.getByRole("button", { name: "Cancel" }).click();
    await progress.waitFor({ state: "hidden" });
    await page.getByRole("link", { name: "Download CSV" }).click();
    await progress.waitFor();
    while (answers.length < 2) await page.waitForTimeout(20);
    answers[1]?.(Buffer.from(whole.slice(0, -8)));
    await page.getByText("The download broke off.").waitFor();
    assert.equal(downloads, 0);
    assert.deepEqual(
      complaints.filter((text) => !/ERR_ABORTED|Failed to load/.test(text)),
      [],
    );
    await close();
  });

  for (const [scripts, device] of [
    [false, "phone"],
    [true, "desktop"],
  ] as const) {
    test(`a view is saved, opened, renamed and deleted, ${scripts ? "with" : "without"} script, ${device}`, async () => {
      const { page, complaints, close } = await signedIn({ device, scripts });
      await page.goto(`${PUBLIC_URL}/console/payments/?status=approved&columns=date,amount`);
      const views = page.getByRole("navigation", { name: "Saved views" });
      await views.getByText("Save view").focus();
      await page.keyboard.press("Enter");
      await views.getByLabel("Name").fill(`Collected ${device}`);
      await views.getByLabel("For everyone in the company").check();
      if (scripts) {
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme });
          await axeFindsNothing(page, `saving a view in ${colorScheme}`);
        }
      }
      await views.getByRole("button", { name: "Save" }).click();
      await views.getByText("Change view").waitFor();
      await page.goto(`${PUBLIC_URL}/console/payments/`);
      await views.getByRole("link", { name: `Collected ${device}` }).click();
      await page.waitForURL("**/?columns=date%2Camount&status=approved");
      assert.deepEqual(await page.locator("main th").allTextContents(), ["Date", "Amount"]);
      assert.ok(
        (await page.evaluate<number>("document.documentElement.scrollWidth")) <= VIEWPORTS[device].width,
      );
      await views.getByText("Change view").click();
      await views.getByLabel("Name").fill("Named anew");
      await views.getByRole("button", { name: "Save" }).click();
      await views.getByRole("link", { name: "Named anew" }).waitFor();
      await views.getByText("Change view").click();
      await views.getByRole("button", { name: "Delete view" }).click();
      await views.waitFor({ state: "detached" });
      assert.deepEqual(complaints, []);
      await close();
    });
  }
});
