/** `npm run screenshots`: pictures of the payment page's main states, phone and desktop, into docs/screenshots. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { createApp, type App } from "../src/app.ts";
import { migrate } from "../src/db/migrate.ts";
import { silentLog } from "../src/lib/log.ts";
import { findChromium } from "./chromium.ts";
import { temporaryServer } from "./temporary-server.ts";

const FOLDER = join(import.meta.dirname, "../docs/screenshots");
const PORT = 8_123;
const PUBLIC_URL = `http://127.0.0.1:${PORT}`;
const OPERATOR_KEY = `rk_${"s".repeat(40)}`;
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
  const database = await temporaryServer();
  await migrate(database.url);
  const app = await startService(database.url);
  try {
    await mkdir(FOLDER, { recursive: true });
    const preview = await previewUrl(app);
    const browser = await chromium.launch({
      executablePath: found.path,
      env: { ...(process.env as Record<string, string>), ...found.env },
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
    });
    for (const [device, viewport] of Object.entries(VIEWPORTS)) {
      const page = await browser.newPage({ viewport, deviceScaleFactor: 1, reducedMotion: "reduce" });
      for (const [name, query] of SHOTS) {
        await page.goto(`${preview}&state=${name.split("-")[0]}&${query}`);
        await page.screenshot({ path: join(FOLDER, `${name}-${device}.png`), fullPage: true });
      }
    }
    await browser.close();
  } finally {
    await app.server.close();
    await app.close();
    await database.stop();
  }
  console.log(`Written: docs/screenshots, ${SHOTS.length * 2} pictures`);
}

async function startService(databaseUrl: string): Promise<App> {
  const config = {
    host: "127.0.0.1",
    port: PORT,
    publicUrl: PUBLIC_URL,
    environment: "staging",
    databaseUrl,
    databaseOwnerUrl: null,
    databaseReadUrl: null,
    databaseReadLagSeconds: 10,
    databaseConnections: 5,
    migrateOnStart: true,
    drainSeconds: 0,
    dataDir: "",
    redisUrl: null,
    masterKeys: [Buffer.alloc(32, 1)],
    operatorKey: OPERATOR_KEY,
    trustedProxies: [],
    connectionsPerAddress: 256,
    metricsToken: null,
    metricsPort: null,
    telemetry: null,
    smtp: null,
    docs: true,
    allowPrivateTargets: true,
    showPrivateAnswers: true,
    webhookAnswersKeptDays: 30,
    webhookDeliveriesKeptDays: 0,
    requestLogDays: 7,
    mandateEvidenceMonths: 14,
    signIn: {
      sessionIdleMs: 3_600_000,
      sessionMaxMs: 43_200_000,
      stepUpMs: 600_000,
      secondFactorRequired: false,
    },
    demo: false,
    logLevel: "silent",
    sepaSchemas: null,
    sepaDirectory: null,
    crashAt: null,
  } as const;
  const app = await createApp(config, databaseUrl, silentLog);
  await app.server.listen({ host: "127.0.0.1", port: PORT });
  return app;
}

async function previewUrl(app: App): Promise<string> {
  const post = async (key: string, path: string, body: object) => {
    const { body: text, statusCode } = await app.server.app.inject({
      method: "POST",
      url: `/api/v1/management/${path}/`,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      payload: JSON.stringify(body),
    });
    if (statusCode !== 201) throw new Error(text);
    return JSON.parse(text) as Record<string, string>;
  };
  const tenant = await post(OPERATOR_KEY, "tenants", {
    name: "Northwind Coffee",
    country: "DE",
    creditor_identifier: "DE98ZZZ09999999999",
  });
  const key = tenant["api_key"] ?? "";
  const page = await post(key, "hosted-pages", {
    name: "Page",
    branding: { primary_color: "#1c3d3a", accent_color: "#b45309" },
    content: {
      headline: {
        en: "Fresh beans, every month",
        de: "Frische Bohnen, jeden Monat",
        el: "Φρέσκος καφές, κάθε μήνα",
      },
    },
    offer_overrides: {
      product_name: "Roaster's choice, 1 kg",
      product_description: {
        en: "Freshly roasted, sent on the day.",
        de: "Frisch geröstet, am selben Tag versandt.",
        el: "Φρεσκοκαβουρδισμένος, αποστέλλεται αυθημερόν.",
      },
    },
    links: {
      imprint_url: "https://shop.example.com/imprint",
      privacy_url: "https://shop.example.com/privacy",
      support_email: "help@shop.example.com",
    },
    cancel_redirect_url: "https://shop.example.com/cart",
    success_redirect_url: "https://shop.example.com/thanks",
    failure_redirect_url: "https://shop.example.com/sorry",
  });
  const link = await post(key, `hosted-pages/${page["id"]}/preview-link`, {});
  return link["url"] ?? "";
}
