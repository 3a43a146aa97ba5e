/**
 * A real Chromium for browser tests, from the system or unpacked by `npm test`. `npm test` reports when there is none.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import type { Chromium } from "../../scripts/chromium.ts";
import { PASSWORD } from "./people.ts";
import type { Service } from "./service.ts";

const found = JSON.parse(process.env["TEST_CHROMIUM"] ?? "null") as Chromium | null;

/** Why browser tests are skipped; false if they run. */
export const noBrowser: string | false =
  found === null && "no Chromium: set CHROMIUM_PATH, or run on Linux x64 where the tests bring one along";

/**
 * The public address of the service in browser tests. Pages contain it in links; the browser is told to connect to the
 * service under test instead.
 */
export const PUBLIC_URL = "http://pay.example.test";

export async function launch(services: Readonly<Record<string, Service>>): Promise<Browser> {
  if (found === null) throw new Error("browser tests are skipped without a browser");
  const rules = Object.entries(services).map(([host, { url }]) => `MAP ${host} ${new URL(url).host}`);
  return chromium.launch({
    executablePath: found.path,
    env: { ...(process.env as Record<string, string>), ...found.env },
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      `--host-resolver-rules=${[...rules, "MAP * ~NOTFOUND", "EXCLUDE 127.0.0.1"].join(", ")}`,
    ],
  });
}

export interface Customer {
  readonly page: Page;
  /** The browser's errors on all of the customer's pages: policy violations, script errors, failed requests. */
  readonly complaints: readonly string[];
  /** The hosts that were requested. */
  readonly hosts: ReadonlySet<string>;
  readonly close: () => Promise<void>;
}

export interface CustomerOptions {
  readonly scripts?: boolean;
  readonly device?: keyof typeof VIEWPORTS;
  readonly locale?: string;
}

export const VIEWPORTS = {
  phone: { width: 390, height: 844 },
  desktop: { width: 1280, height: 800 },
  /** WCAG 2.2, 1.4.10: reflow; equals 1280 pixels at 400 % zoom. */
  narrow: { width: 320, height: 640 },
} as const;

let addresses = 0;

/** A new address behind the trusted proxy, because limits count per address. */
export function anotherAddress(): Readonly<Record<string, string>> {
  addresses += 1;
  return { "x-forwarded-for": `203.0.${addresses >> 8}.${addresses & 255}` };
}

/** A customer's browser with its own network address. */
export async function newCustomer(browser: Browser, options: CustomerOptions = {}): Promise<Customer> {
  const { scripts = true, device = "phone", locale = "en-GB" } = options;
  const context: BrowserContext = await browser.newContext({
    locale,
    javaScriptEnabled: scripts,
    viewport: VIEWPORTS[device],
    reducedMotion: "reduce",
    extraHTTPHeaders: anotherAddress(),
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  const hosts = new Set<string>();
  context.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  context.on("weberror", (error) => complaints.push(String(error.error())));
  context.on("request", (request) => hosts.add(new URL(request.url()).host));
  page.setDefaultTimeout(15_000);
  return { page, complaints, hosts, close: () => context.close() };
}

/** An invited person signs in for the first time. @returns the cookies of their browser. */
export async function acceptInvitation(
  browser: Browser,
  path: string,
): ReturnType<BrowserContext["cookies"]> {
  const { page, close } = await newCustomer(browser);
  await page.goto(PUBLIC_URL + path);
  await page.getByLabel("New password").fill(PASSWORD);
  await page.getByRole("button", { name: "Accept the invitation" }).click();
  await page.waitForURL((url) => !url.pathname.startsWith("/console/link/"));
  const cookies = await page.context().cookies();
  await close();
  return cookies;
}

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
// Passed rules are not reported, because that takes longer than the check.
const RESULTS = { resultTypes: ["violations"] };
const AXE_OPTIONS = {
  everything: {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    ...RESULTS,
  },
  /** The rules that depend on the colour scheme, for a page that was already checked. */
  colours: { runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] }, ...RESULTS },
} as const;

/** Checks the present page, which must be allowed to run scripts. */
export async function axeFindsNothing(
  page: Page,
  where: string,
  of: keyof typeof AXE_OPTIONS = "everything",
): Promise<void> {
  // The debugger evaluates the script, because the page's security policy does not apply to it.
  await page.evaluate(await readFile(AXE, "utf8"));
  const { violations } = await page.evaluate<{
    readonly violations: readonly { readonly id: string; readonly nodes: readonly { html: string }[] }[];
  }>(`axe.run(${JSON.stringify(AXE_OPTIONS[of])})`);
  assert.deepEqual(
    violations.map(({ id, nodes }) => `${where}: ${id} ${nodes.map(({ html }) => html).join(" ")}`),
    [],
  );
}
