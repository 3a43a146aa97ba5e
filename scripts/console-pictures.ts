/** Pictures of the console, into docs/screenshots: what people do most often, each as docs/console.md tells it. */
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { must } from "../src/lib/assert.ts";
import type { Browser as Visitor } from "../tests/support/people.ts";
import type { Service } from "../tests/support/service.ts";
import { playDebit, playWeeks, runJobs, sampleClock } from "./sample-weeks.ts";

/** Estimates of the keystroke-level model: a decision with a click, and a key. */
const CLICK_S = 2.65;
const KEY_S = 0.28;

/** A browser with a signed-in person. */
interface Desk {
  readonly page: Page;
  /** Of the window, or of the whole page. */
  readonly picture: (name: string, isWhole?: boolean) => Promise<unknown>;
}

/** Plays nine weeks in a service of its own, takes the pictures, and prints what the tasks take. @returns how many. */
export async function consolePictures(browser: Browser, folder: string): Promise<number> {
  const { OPERATOR_KEY, startService } = await import("../tests/support/service.ts");
  const { answering, ok, startReceiver } = await import("../tests/support/receiver.ts");
  const people = await import("../tests/support/people.ts");
  const clock = sampleClock();
  const hooks = await startReceiver();
  const service = await startService({ clock });
  let count = 0;
  const openedBy = async ({ cookies }: Pick<Visitor, "cookies">): Promise<Desk> => {
    const viewport = { width: 1_280, height: 800 };
    const context = await browser.newContext({ viewport, locale: "en-GB", reducedMotion: "reduce" });
    await context.addCookies([...cookies].map(([name, value]) => ({ name, value, url: service.url })));
    const page = await context.newPage();
    const picture = (name: string, isWhole = false) => {
      count += 1;
      return page.screenshot({ path: join(folder, `console-${name}.png`), fullPage: isWhole });
    };
    return { page, picture };
  };
  const owner = async (id: string, key: string, email: string) =>
    openedBy((await people.member(service, { id, tenant: 0, key }, "owner", { email })).browser);
  try {
    const down = (isDown: boolean) => void (hooks.answer = isDown ? answering(503) : ok);
    const weeks = await playWeeks(service, clock, OPERATOR_KEY, { hooks: hooks.url, down });
    const shop = await owner(weeks.tenantId, weeks.key, "ada@example.com");
    await walk(shop, `${service.url}/console/`, service, weeks.unheard);
    const debit = await playDebit(service);
    const bank = await owner(debit.tenantId, debit.key, "lin@example.com");
    await bank.page.goto(`${service.url}/console/payments/${debit.payment}/?act=refund`);
    await bank.picture("refund-form");
    const operator = await openedBy((await people.operator(service)).browser);
    await operator.page.goto(`${service.url}/console/operator/`);
    await operator.picture("operator");
    return count;
  } finally {
    await service.close();
    await hooks.close();
  }
}

/** The tasks of docs/console.md, each from the home page, and what else it shows. */
async function walk({ page, picture }: Desk, url: string, service: Service, unheard: string): Promise<void> {
  const from = async (task: string, clicks: number, typed: number, act: () => Promise<void>) => {
    const startedMs = performance.now();
    await act();
    const seconds = (performance.now() - startedMs) / 1_000;
    const person = clicks * CLICK_S + typed * KEY_S;
    console.log(
      `${task}: ${clicks} clicks, ${typed} keys, program ${seconds.toFixed(1)} s, person ${person.toFixed(0)} s`,
    );
  };
  await page.goto(url);
  await picture("home");
  const text = "García 3000";
  await from("find", 2, text.length + 1, async () => {
    await search(page, text);
    await page.waitForURL("**/search/**");
    await page.locator("main a[href*='/payments/']").first().click();
    await page.waitForURL("**/payments/**");
  });
  await picture("task-find");
  const payment = page.url();
  const amount = Number(/[\d.]+/.exec(await page.locator("h1").first().innerText())?.[0]);
  const half = (amount / 2).toFixed(2);
  await from("refund half", 2, half.length, async () => {
    await page.getByRole("link", { name: "Refund", exact: true }).click();
    await page.getByLabel("Amount").fill(half);
    await page.getByRole("dialog").getByRole("button", { name: "Refund" }).click();
    await page.waitForURL("**/*done=refund");
  });
  await picture("task-refund");
  await page.goto(url);
  await from("webhook", 2, unheard.length + 1, async () => {
    await search(page, unheard);
    await page.waitForURL("**/payments/**");
    await page.getByRole("button", { name: "Send again" }).last().click();
    await page.waitForURL("**/*done=again");
  });
  await runJobs(service);
  await page.reload();
  await picture("task-webhook");
  await page.goto(url);
  await from("export a month", 5, 0, async () => {
    await page.getByRole("link", { name: "Payments", exact: true }).first().click();
    await page.waitForURL("**/payments/");
    await page.getByText("Date", { exact: true }).first().click();
    await picture("days");
    await page.getByRole("link", { name: "Last month" }).click();
    await page.waitForURL("**/*last_month");
    await page.getByRole("link", { name: "Export" }).click();
    await page.waitForURL("**/export/**");
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: /Excel/ }).click(),
    ]);
    must(await file.path(), "the export");
  });
  await page.getByText(/is saved/).waitFor();
  await picture("task-export");
  await page.goto(url);
  await from("returns of last week", 1, 0, async () => {
    const weeks = page.locator(".panel", { has: page.getByRole("heading", { name: /^Returns by week/ }) });
    await weeks.locator("tbody tr").nth(-2).getByRole("link").click();
    await page.waitForURL("**/payments/?**");
  });
  await picture("task-returns");
  await page.goto(payment);
  await picture("payment");
  await page.goto(`${url}payments/`);
  await page.getByText("Columns", { exact: true }).first().click();
  await picture("columns");
  await page.goto(`${url}subscriptions/due/?month=2026-12`);
  await picture("calendar", true);
}

async function search(page: Page, text: string): Promise<void> {
  await page.locator(".bar form.search input:not([type=hidden])").click();
  await page.keyboard.type(text);
  await page.keyboard.press("Enter");
}
