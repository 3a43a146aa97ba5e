/** `npm run screenshots [-- console]`: takes pictures of the payment page's main states, phone and desktop, or of the console, into docs/screenshots. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { chromium, type Browser } from "playwright-core";
import type { Service } from "../tests/support/service.ts";
import { findChromium } from "./chromium.ts";
import { consolePictures } from "./console-pictures.ts";
import { SAMPLE_PAGE, SAMPLE_PRODUCT, SAMPLE_SHOP } from "./sample-shop.ts";
import { startTestServer } from "./test-server.ts";

const FOLDER = join(import.meta.dirname, "../docs/screenshots");
const VIEWPORTS = { phone: { width: 390, height: 844 }, desktop: { width: 1_280, height: 800 } };
const SHOTS = [
  ["form", "lang=en"],
  ["declined", "lang=en"],
  ["verification", "lang=en"],
  ["unclear", "lang=en"],
  ["paid", "lang=en"],
  ["submitted", "lang=en"],
  ["form-german", "lang=de"],
  ["form-greek", "lang=el"],
] as const;

await main();

async function main(): Promise<void> {
  const found = await findChromium();
  if (found === null) throw new Error("There is no Chromium here: set CHROMIUM_PATH.");
  const server = await startTestServer();
  Object.assign(process.env, server.env);
  const browser = await chromium.launch({
    executablePath: found.path,
    env: { ...(process.env as Record<string, string>), ...found.env },
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
  try {
    await mkdir(FOLDER, { recursive: true });
    const isConsole = process.argv.includes("console");
    const count = isConsole ? await consolePictures(browser, FOLDER) : await pagePictures(browser);
    console.log(`Written: docs/screenshots, ${count} pictures`);
  } finally {
    await browser.close();
    await server.stop();
  }
}

/** @returns how many. */
async function pagePictures(browser: Browser): Promise<number> {
  // Loaded once the database exists.
  const { OPERATOR_KEY, startService } = await import("../tests/support/service.ts");
  const service = await startService();
  try {
    const preview = await previewUrl(service, OPERATOR_KEY);
    for (const [device, viewport] of Object.entries(VIEWPORTS)) {
      const page = await browser.newPage({ viewport, deviceScaleFactor: 1, reducedMotion: "reduce" });
      for (const [name, query] of SHOTS) {
        await page.goto(`${preview}&state=${name.split("-")[0]}&${query}`);
        await page.screenshot({ path: join(FOLDER, `${name}-${device}.png`), fullPage: true });
      }
    }
    return SHOTS.length * Object.keys(VIEWPORTS).length;
  } finally {
    await service.close();
  }
}

async function previewUrl(service: Service, operatorKey: string): Promise<string> {
  const made = async (key: string, path: string, body: object) => {
    const { status, text, body: answer } = await service.post(`management/${path}/`, body, { key });
    if (status !== 201) throw new Error(text);
    return answer;
  };
  const { api_key: key } = await made(operatorKey, "tenants", SAMPLE_SHOP);
  const page = await made(key, "hosted-pages", {
    ...SAMPLE_PAGE,
    offer_overrides: {
      product_name: SAMPLE_PRODUCT,
      product_description: {
        en: "Freshly roasted, sent on the day.",
        de: "Frisch geröstet, am selben Tag versandt.",
        el: "Φρεσκοκαβουρδισμένος, αποστέλλεται αυθημερόν.",
      },
    },
  });
  const { url } = await made(key, `hosted-pages/${page["id"]}/preview-link`, {});
  return url.replace(/^https?:\/\/[^/]+/, service.url);
}
