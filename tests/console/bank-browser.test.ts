/** The console's pages of reversals and rejected blocks in a real browser: light and dark, phone and desktop. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, BrowserContext } from "playwright-core";
import { manualClock } from "../../src/lib/clock.ts";
import { statusReport } from "../sepa/messages.ts";
import {
  acceptInvitation,
  axeFindsNothing,
  launch,
  newCustomer,
  noBrowser,
  PUBLIC_URL,
  VIEWPORTS,
} from "../support/browser.ts";
import { invited } from "../support/people.ts";
import { markSent, outgoing } from "../support/sepa-bank.ts";
import { deskOf } from "../support/sepa-desk.ts";
import { startService, type Service } from "../support/service.ts";
import * as treasury from "../support/treasury.ts";

/** The folder for pictures of the pages, if a person wants to look at them. */
const PICTURES = process.env["PICTURES"];

describe("the pages of a reversal in Chromium", { skip: noBrowser }, () => {
  let service: Service;
  let browser: Browser;
  let session: Awaited<ReturnType<BrowserContext["cookies"]>>;
  let paths: readonly (readonly [name: string, path: string])[];
  let entryPath: string;

  before(async () => {
    service = await startService({
      clock: manualClock(new Date("2026-11-23T08:00:00Z")),
      config: { publicUrl: PUBLIC_URL, trustedProxies: ["127.0.0.0/8"] },
    });
    browser = await launch({ "pay.example.test": service });
    const desk = deskOf(service);
    const { merchant, payments, references, file } = await desk.batched(3, { reversal_days: 5 });
    await markSent(service, merchant, file["id"]);
    const settled = references.slice(0, 2).map((endToEndId) => ({ amount: "19.90", endToEndId }));
    await desk.booked(
      merchant,
      settled.map((facts) => ["collection", facts] as const),
    );
    await desk.moveTo(merchant, "2026-11-26T08:00:00Z");
    await desk.refund(merchant, payments[0], { way: "reversal" });
    await desk.moveTo(merchant, "2026-11-26T12:00:00Z");
    const reversals = (await outgoing(service, merchant)).at(-1);
    assert.equal(reversals?.["kind"], "pain.007");
    const group = { messageId: file["message_id"], name: "pain.007.001.09" };
    const block = { id: `${file["message_id"]}-1`, status: "RJCT", reason: "AC04" };
    await treasury.read(service, merchant, statusReport(group, [block]));
    const [entry] = await treasury.unmatched(service, merchant);
    const [refund] = await desk.refunds(merchant, payments[0]);
    entryPath = `/console/bank/unmatched/${entry?.["id"]}/`;
    const payment = (n: number) => `/console/payments/${payments[n]?.["transaction"].id}/`;
    paths = [
      ["payment", payment(0)],
      ["refund-ways", `${payment(1)}?act=refund`],
      ["refund", `/console/payments/${refund?.["id"]}/`],
      ["bank", "/console/bank/"],
      ["statements", "/console/bank/statements/"],
      ["unmatched", "/console/bank/unmatched/"],
      ["entry", entryPath],
      ["reversal-file", `/console/bank/files/${reversals?.["id"]}/`],
      ["reversal-file-sent", `/console/bank/files/${reversals?.["id"]}/?act=sent`],
      ["debit-file", `/console/bank/files/${file["id"]}/`],
    ];
    const company = { id: merchant.tenantId, tenant: 0, key: merchant.key };
    session = await acceptInvitation(browser, (await invited(service, company, "owner")).path);
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  for (const [colorScheme, locale] of [
    ["light", "en-GB"],
    ["light", "de-DE"],
    ["dark", "en-GB"],
    ["dark", "de-DE"],
  ] as const) {
    test(`axe finds nothing on the bank's pages in ${colorScheme}, ${locale}, and none is wider than the window`, async () => {
      const { page, complaints, close } = await newCustomer(browser, { device: "desktop", locale });
      await page.context().addCookies(session);
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      for (const [name, path] of paths) {
        await page.setViewportSize(VIEWPORTS.desktop);
        await page.goto(PUBLIC_URL + path);
        await axeFindsNothing(page, `${path} ${locale} in ${colorScheme}`);
        const broken = await page.evaluate<string[]>(
          `[...document.querySelectorAll("td .reference")].filter((one) => one.offsetHeight > 30).map((one) => one.innerText)`,
        );
        assert.deepEqual(broken, [], `${path} ${locale}`);
        for (const device of ["desktop", "phone", "narrow"] as const) {
          await page.setViewportSize(VIEWPORTS[device]);
          const width = await page.evaluate<number>("document.documentElement.scrollWidth");
          assert.ok(width <= VIEWPORTS[device].width, `${path}: ${width} of ${device}`);
          if (PICTURES === undefined || device === "narrow") continue;
          const file = `${name}-${device}-${locale}-${colorScheme}.png`;
          await page.screenshot({ path: `${PICTURES}/${file}`, fullPage: true });
        }
      }
      assert.deepEqual(complaints, []);
      await close();
    });
  }

  for (const scripts of [true, false]) {
    test(`a person names the payments of a rejected block, ${scripts ? "with" : "without"} script, on a phone; unreadable input stays as it was typed`, async () => {
      const { page, complaints, close } = await newCustomer(browser, { scripts });
      await page.context().addCookies(session);
      await page.goto(PUBLIC_URL + entryPath);
      await page.getByLabel("Only these").fill("<b>not an id</b>");
      await page.getByRole("button", { name: "The bank has rejected the rest" }).click();
      await page.getByRole("alert").waitFor();
      assert.equal((await page.getByLabel("Only these").inputValue()).trim(), "<b>not an id</b>");
      assert.deepEqual(
        complaints.filter((text) => !text.includes("422")),
        [],
      );
      await close();
    });
  }
});
