/**
 * `npm run payer`: pays on the payment page like a new customer, in a real browser, and prints the clicks, the
 * keystrokes and the seconds from opening it to the receipt. `--pictures FOLDER` also takes a picture of every state
 * of the page, on a phone and a desktop, in English, German and French.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { findChromium } from "../scripts/chromium.ts";
import { SAMPLE_PAGE, SAMPLE_PRODUCT, SAMPLE_SHOP } from "../scripts/sample-shop.ts";
import { startTestServer } from "../scripts/test-server.ts";
import { later, MINUTE_MS, systemClock, type Clock } from "../src/lib/clock.ts";
import type { Merchant } from "../tests/support/merchant.ts";
import type { Service } from "../tests/support/service.ts";

const DEVICES = ["phone", "desktop"] as const;
const LANGUAGES = ["en", "de", "fr"] as const;
/** Runs per task; the median counts. */
const RUNS = 5;

type Device = (typeof DEVICES)[number];

/** Counts a payer's actions. */
interface Counted {
  readonly page: Page;
  click(what: string): Promise<void>;
  /** Types each character. */
  type(into: string, text: string): Promise<void>;
  readonly figures: () => { readonly clicks: number; readonly typed: number; readonly seconds: number };
}

/** The parts of the tasks: a service, its merchants and the tests' helpers, which are loaded once the database exists. */
interface Stage {
  readonly service: Service;
  readonly browser: Browser;
  readonly shop: Merchant;
  readonly pageId: string;
  /** The address of a new payment at the merchant's bank account, which stays pending. */
  readonly atBank: () => Promise<string>;
  readonly pass: (ms: number) => void;
  readonly support: Awaited<ReturnType<typeof loadSupport>>;
}

async function main(): Promise<void> {
  const found = await findChromium();
  if (found === null) throw new Error("There is no Chromium here: set CHROMIUM_PATH.");
  const server = await startTestServer();
  Object.assign(process.env, server.env, { TEST_CHROMIUM: JSON.stringify(found) });
  const stage = await setUp();
  try {
    const folder = valueOf("--pictures");
    if (folder === null) await timeTasks(stage);
    else await takePictures(stage, folder);
  } finally {
    await stage.browser.close();
    await stage.service.close();
    await server.stop();
  }
}

function valueOf(option: string): string | null {
  const at = process.argv.indexOf(option);
  return at === -1 ? null : (process.argv[at + 1] ?? null);
}

async function loadSupport() {
  const [browser, merchant, bank, service, page, billing, treasury] = await Promise.all([
    import("../tests/support/browser.ts"),
    import("../tests/support/merchant.ts"),
    import("../tests/support/sepa-bank.ts"),
    import("../tests/support/service.ts"),
    import("../tests/support/page.ts"),
    import("../tests/support/billing.ts"),
    import("../tests/support/treasury.ts"),
  ]);
  return { ...browser, ...merchant, ...bank, ...service, ...page, ...billing, ...treasury };
}

async function setUp(): Promise<Stage> {
  const support = await loadSupport();
  let aheadMs = 0;
  const clock: Clock = { ...systemClock, now: () => later(systemClock.now(), aheadMs) };
  const { PUBLIC_URL, OPERATOR_KEY } = support;
  const config = { publicUrl: PUBLIC_URL, trustedProxies: ["127.0.0.0/8"] };
  const service = await support.startService({ clock, config });
  const shop = await support.createMerchant(service);
  const bank = await support.bankMerchant(service, { pre_notification_days: 2 });
  for (const { tenantId } of [shop, bank]) {
    const set = await service.call("PATCH", `management/tenants/${tenantId}/`, SAMPLE_SHOP, {
      key: OPERATOR_KEY,
    });
    if (set.status !== 200) throw new Error(set.text);
  }
  const pageId = await pageOf(support, service, shop);
  const bankPageId = await pageOf(support, service, bank);
  const atBank = async () => {
    const terms = { gateway_id: bank.accountId, hosted_page_id: bankPageId, description: SAMPLE_PRODUCT };
    return PUBLIC_URL + support.pathOf(await bank.session(terms));
  };
  const browser = await support.launch({ "pay.example.test": service });
  return { service, browser, shop, atBank, pageId, support, pass: (ms) => void (aheadMs += ms) };
}

async function pageOf(
  { createRecord }: Stage["support"],
  service: Service,
  { key }: Merchant,
): Promise<string> {
  const { id } = await createRecord(service, key, "hosted-pages", SAMPLE_PAGE);
  return id;
}

// The tasks

/** The steps of each task, from the address to the receipt. */
const TASKS: Readonly<
  Record<string, (stage: Stage, payer: Counted, open: (url: string) => Promise<void>) => Promise<void>>
> = {
  "Pay, confirmed at once": async (stage, payer, open) => {
    await open(await addressOf(stage));
    await fillForm(stage, payer, stage.support.IBAN.approved);
    await payer.page.locator("main[data-state=receipt-paid]").waitFor();
  },
  "Pay, pending at the bank": async (stage, payer, open) => {
    await open(await stage.atBank());
    await fillForm(stage, payer, stage.support.IBAN.approved);
    await payer.page.locator("main[data-state=receipt-submitted]").waitFor();
  },
  "Pay, confirm at the bank, come back": async (stage, payer, open) => {
    await open(await addressOf(stage));
    await fillForm(stage, payer, stage.support.IBAN.verification);
    await payer.page.waitForURL(/\/sandbox\/verifications\//);
    await payer.click("button[value=confirm]");
    await payer.page.locator("main[data-state=receipt-paid]").waitFor();
  },
  "Mistype the IBAN, mend it, pay": async (stage, payer, open) => {
    await open(await addressOf(stage));
    const { approved } = stage.support.IBAN;
    await payer.type("#iban", `${approved.slice(0, -1)}1`);
    await payer.page.locator("#iban-error", { hasText: "typing error" }).waitFor();
    await payer.type("#iban", "\b0");
    await payer.click("#accepted");
    await payer.click(".pay");
    await payer.page.locator("main[data-state=receipt-paid]").waitFor();
  },
  "Pay by a payment link, amount chosen": async ({ service, shop, support, pageId }, payer, open) => {
    const { url } = await support.createRecord(service, shop.key, "payment-links", {
      name: "Coffee for the team",
      gateway_id: shop.gatewayId,
      hosted_page_id: pageId,
      amount_min: "5.00",
    });
    await open(url);
    await payer.type("#amount", "12.50");
    await payer.type("#first_name", "Grace");
    await payer.type("#last_name", "Hopper");
    await payer.type("#email", "grace@example.com");
    await payer.click("main .pay");
    await payer.page.waitForURL(/\/pay\/ps_/);
    await fillForm({ support }, payer, support.IBAN.approved);
    await payer.page.locator("main[data-state=receipt-paid]").waitFor();
  },
};

async function addressOf({ shop, pageId, support }: Stage, changes: object = {}): Promise<string> {
  const token = await shop.session({
    hosted_page_id: pageId,
    description: SAMPLE_PRODUCT,
    ...changes,
  });
  return support.PUBLIC_URL + support.pathOf(token);
}

async function fillForm(
  { support }: Pick<Stage, "support">,
  payer: Pick<Counted, "page" | "click" | "type">,
  iban: string,
): Promise<void> {
  await payer.type("#iban", iban);
  if ((await payer.page.locator("#holder").inputValue()) === "") await payer.type("#holder", "Ada Example");
  await payer.click("#accepted");
  await payer.page.setExtraHTTPHeaders(support.anotherAddress());
  await payer.click(".pay");
}

async function timeTasks(stage: Stage): Promise<void> {
  for (const [name, task] of Object.entries(TASKS)) {
    for (const device of DEVICES) {
      const runs = [];
      for (let run = 0; run < RUNS; run += 1) runs.push(await timed(stage, device, task));
      const { clicks, typed, seconds } = runs.toSorted((a, b) => a.seconds - b.seconds)[RUNS >> 1] ?? NONE;
      console.log(`${name}, ${device}: ${clicks} clicks, ${typed} keys, ${seconds.toFixed(1)} s`);
    }
  }
}

const NONE = { clicks: 0, typed: 0, seconds: 0 };

async function timed(stage: Stage, device: Device, task: (typeof TASKS)[string]) {
  const { page, close } = await stage.support.newCustomer(stage.browser, { device });
  let began = 0;
  let clicks = 0;
  let typed = 0;
  const payer: Counted = {
    page,
    async click(what) {
      clicks += 1;
      await page.locator(what).first().click();
    },
    async type(into, text) {
      const field = page.locator(into);
      const hasFocus = await field.evaluate((element) => element === element.ownerDocument.activeElement);
      // Clicks into each field, as on a phone.
      if (!hasFocus) await payer.click(into);
      for (const key of text)
        await page.keyboard.press(key === "\b" ? "Backspace" : key === " " ? "Space" : key);
      typed += text.length;
    },
    figures: () => ({ clicks, typed, seconds: (systemClock.monotonicMs() - began) / 1_000 }),
  };
  await task?.(stage, payer, async (url) => {
    began = systemClock.monotonicMs();
    await page.goto(url);
  });
  const figures = payer.figures();
  await close();
  return figures;
}

// The pictures

type Walk = (stage: Stage, page: Page, shoot: (name: string) => Promise<void>) => Promise<void>;

/** Each opens a state, or several one after the other. */
const WALKS: readonly Walk[] = [
  async (stage, page, shoot) => {
    await page.goto(await addressOf(stage));
    await shoot("open");
    await page.locator(".pay").click();
    await shoot("error-empty");
    await page.locator("#iban").fill("US12");
    await shoot("error-outside-sepa");
    await page.locator("#iban").fill("DE89370400440532013001");
    await page.locator(".pay").click();
    await shoot("error-invalid-iban");
    await page.locator("#iban").fill("DE89370400440532013000");
    await page.locator("#bank:not(:empty)").waitFor();
    await shoot("bank-named");
  },
  async (stage, page, shoot) => {
    await page.goto(
      await addressOf(stage, {
        billing_type: "TRIAL_RECURRING",
        billing_frequency: "MONTHLY",
        trial_interval_unit: "WEEK",
        trial_period: 2,
        trial_amount: "0.00",
      }),
    );
    await shoot("open-trial");
    await fill(stage, page, stage.support.IBAN.approved);
    await page.locator("main[data-state=receipt-signed]").waitFor();
    await shoot("signed");
  },
  async (stage, page, shoot) => {
    const { support } = stage;
    await page.goto(await stage.atBank());
    await page.locator("#iban").fill("CH9300762011623852957");
    await shoot("address-asked");
    await page.locator("#accepted").check();
    await page.locator(".pay").click();
    await shoot("address-missing");
    await page.locator("#iban").fill(support.IBAN.approved);
    await fill(stage, page, support.IBAN.approved);
    await page.locator("main[data-state=receipt-submitted]").waitFor();
    await shoot("pending");
  },
  async (stage, page, shoot) => {
    await page.goto(await addressOf(stage));
    const url = page.url();
    await fill(stage, page, stage.support.IBAN.verification);
    await page.waitForURL(/\/sandbox\/verifications\//);
    await shoot("sandbox-bank");
    const there = page.url();
    await page.goto(url + new URL(there).search);
    await shoot("verification");
    await page.goto(there);
    await page.locator("button[value=confirm]").click();
    await page.locator("main[data-state=receipt-paid]").waitFor();
    await shoot("done");
    await page.goto(there);
    await shoot("sandbox-bank-answered");
  },
  async (stage, page, shoot) => {
    await page.goto(await addressOf(stage));
    for (const iban of ["insufficientFunds", "declined"] as const) {
      await fill(stage, page, stage.support.IBAN[iban]);
      await shoot(`declined-${iban}`);
    }
    await fill(stage, page, stage.support.IBAN.declined);
    await shoot("out-of-attempts");
  },
  async (stage, page, shoot) => {
    await page.goto(await addressOf(stage));
    await fill(stage, page, stage.support.IBAN.answerLost);
    await shoot("unclear");
  },
  async (stage, page, shoot) => {
    const url = await addressOf(stage);
    await stage.shop.cancel(tokenOf(url));
    await page.goto(url);
    await shoot("cancelled");
    await page.goto(`${stage.support.PUBLIC_URL}/pay/ps_unknown/`);
    await shoot("unknown");
  },
  async (stage, page, shoot) => {
    const url = await addressOf(stage);
    await stage.service.rows("update sessions set expires_at = created_at where id = $1", [
      (await stage.service.rows("select id from sessions order by created_at desc limit 1"))[0]?.["id"],
    ]);
    await page.goto(url);
    await shoot("expired");
  },
  async ({ service, shop, pageId, support }, page, shoot) => {
    const terms = { name: "Coffee for the team", gateway_id: shop.gatewayId, hosted_page_id: pageId };
    const link = (more: object) =>
      support.createRecord(service, shop.key, "payment-links", { ...terms, ...more });
    const open = await link({ amount_min: "5.00", amount_max: "50.00", description: "As much as you like." });
    await page.goto(open["url"]);
    await shoot("link-chosen-amount");
    await page.locator("#amount").fill("4");
    await page.locator("#first_name").fill("Grace");
    await page.locator("#last_name").fill("Hopper");
    await page.locator("#email").fill("grace@example.com");
    await page.locator("main .pay").click();
    await page.locator("[role=alert]").waitFor();
    await shoot("link-error");
    await page.goto((await link({ amount: "12.50" }))["url"]);
    await shoot("link-fixed-amount");
    await page.goto((await link({ amount: "12.50", active: false }))["url"]);
    await shoot("link-ended");
  },
  async (stage, page, shoot) => {
    const { service, shop, pageId, support } = stage;
    const terms = { name: "Last seat", gateway_id: shop.gatewayId, hosted_page_id: pageId };
    const { url } = await support.createRecord(service, shop.key, "payment-links", {
      ...terms,
      amount: "12.50",
      uses_max: 1,
    });
    const begin = async () => {
      await page.goto(url);
      await page.locator("#first_name").fill("Grace");
      await page.locator("#last_name").fill("Hopper");
      await page.locator("#email").fill("grace@example.com");
      await Promise.all([page.waitForEvent("load"), page.locator("main .pay").click()]);
      return page.url();
    };
    const [first, second] = [await begin(), await begin()];
    await shop.pay(tokenOf(first), support.IBAN.verification);
    await page.goto(second);
    await shoot("link-in-use");
    await shop.verify(tokenOf(first));
    await page.locator("main[data-state=linkUsed]").waitFor();
    await shoot("link-used");
  },
  async (stage, page, shoot) => {
    const { service, support } = stage;
    const shop = await support.createMerchant(service, { settings: { scheme: "B2B" } });
    const asks = { ask_about_duplicates: true };
    await service.call("PATCH", "management/tenant/", asks, { key: shop.key });
    const hosted_page_id = await pageOf(support, service, shop);
    const person = { lead: support.lead(), amount: "19.90", hosted_page_id };
    await shop.pay(await shop.session(person), support.IBAN.approved);
    await page.goto(support.PUBLIC_URL + support.pathOf(await shop.session(person)));
    await shoot("open-business");
    await fill(stage, page, support.IBAN.approved);
    await shoot("asked-about-duplicate");
  },
  async (stage, page, shoot) => {
    const { service, shop } = stage;
    const url = await addressOf(stage);
    await page.goto(url);
    await fill(stage, page, stage.support.IBAN.approved);
    await page.locator("main[data-state=receipt-paid]").waitFor();
    const [made] = await service.rows("select id from transactions order by created_at desc limit 1");
    const path = `management/transactions/${made?.["id"]}/refunds/`;
    await service.post(path, { amount: "19.90" }, { key: shop.key });
    await page.goto(url);
    await shoot("refunded");
  },
  async (stage, page, shoot) => {
    const { service, shop, pageId, support, pass } = stage;
    const id = await support.subscribe(shop, { hosted_page_id: pageId, description: SAMPLE_PRODUCT });
    const rows = await service.rows("select lead_id from subscriptions where id = $1", [id]);
    const path = `management/customers/${rows[0]?.["lead_id"]}/account-link/`;
    const { url } = (await service.post(path, { valid_minutes: 5 }, { key: shop.key })).body;
    await page.goto(url);
    await shoot("account");
    await page.locator("section a.quiet").first().click();
    await shoot("account-change");
    await page.locator(".pay").click();
    await shoot("account-change-error");
    await page.locator("#iban").fill(support.IBAN.approvedDutch);
    await page.locator("#accepted").check();
    await page.locator(".pay").click();
    await page.waitForURL(/changed=/);
    await shoot("account-changed");
    await page.locator("section details summary").first().click();
    await page.locator("section:last-of-type details summary").first().click();
    await shoot("account-cancelling");
    await page.locator("section details button").first().click();
    await page.locator("section details form").waitFor({ state: "detached" });
    await shoot("account-cancelled");
    pass(6 * MINUTE_MS);
    await page.goto(url);
    await shoot("account-over");
  },
  async (stage, page, shoot) => {
    const { service, shop, pageId, support } = stage;
    const terms = { hosted_page_id: pageId, description: SAMPLE_PRODUCT, billing_frequency: undefined };
    const id = await support.subscribe(shop, terms);
    await support.switchAccount(service, id, support.IBAN.insufficientFunds);
    await service.post(`management/subscriptions/${id}/collect/`, undefined, { key: shop.key });
    const rows = await service.rows("select lead_id from subscriptions where id = $1", [id]);
    const path = `management/customers/${rows[0]?.["lead_id"]}/account-link/`;
    const { url } = (await service.post(path, {}, { key: shop.key })).body;
    await page.goto(url);
    await shoot("account-failed");
    await page.locator("a.button").first().click();
    await shoot("failed-payment");
    await support.switchAccount(service, id, support.IBAN.approved);
    await page.locator(".pay").click();
    await shoot("failed-payment-paid");
  },
];

const tokenOf = (url: string) => new URL(url).pathname.split("/")[2] ?? "";

/** Fills the form, sends it and waits for the next page. */
async function fill({ support }: Stage, page: Page, iban: string): Promise<void> {
  await page.locator("#iban").fill(iban);
  await page.locator("#accepted").check();
  await page.setExtraHTTPHeaders(support.anotherAddress());
  await Promise.all([page.waitForEvent("load"), page.locator(".pay").click()]);
}

async function takePictures(stage: Stage, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const only = valueOf("--only");
  let taken = 0;
  for (const device of DEVICES) {
    for (const locale of LANGUAGES) {
      for (const walk of WALKS) {
        const { page, close } = await stage.support.newCustomer(stage.browser, { device, locale });
        const shoot = async (name: string) => {
          if (only !== null && !name.startsWith(only)) return;
          taken += 1;
          await page.screenshot({ path: join(folder, `${name}-${locale}-${device}.png`), fullPage: true });
        };
        await walk(stage, page, shoot).catch((error: unknown) => {
          throw new Error(`${locale}, ${device}, ${page.url()}`, { cause: error });
        });
        await close();
      }
    }
  }
  console.log(`Written: ${folder}, ${taken} pictures`);
}

await main();
