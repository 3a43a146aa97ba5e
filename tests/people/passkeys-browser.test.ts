/**
 * Passkeys in a real browser with a virtual authenticator: added, used alone, and used as second factor, without a
 * violation of the page's policy.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launch, noBrowser } from "../support/browser.ts";
import { createCompany, invited, PASSWORD, type Company } from "../support/people.ts";
import { startService, type Service } from "../support/service.ts";

/** Browsers treat this host as a secure origin without https. */
const PUBLIC_URL = "http://localhost";
let service: Service;
let company: Company;
let browser: Browser;

before(async () => {
  if (noBrowser !== false) return;
  service = await startService({ config: { publicUrl: PUBLIC_URL, trustedProxies: ["127.0.0.0/8"] } });
  company = await createCompany(service);
  browser = await launch({ localhost: service });
});
after(async () => {
  if (noBrowser !== false) return;
  await browser.close();
  await service.close();
});

async function device(): Promise<{ readonly page: Page; readonly complaints: string[] }> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  const session = await context.newCDPSession(page);
  await session.send("WebAuthn.enable");
  await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { page, complaints };
}

test(
  "an invitation can be accepted with a passkey instead of a password, and the passkey alone then signs in",
  { skip: noBrowser },
  async () => {
    const { path } = await invited(service, company, "viewer");
    const { page, complaints } = await device();
    await page.goto(PUBLIC_URL + path);
    await page.getByRole("button", { name: "Use a passkey instead" }).click();
    await page.waitForURL(`${PUBLIC_URL}/console/account/`);
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByText("Keep these codes").waitFor();
    await page.getByRole("link", { name: "Done" }).click();
    await page.waitForURL(`${PUBLIC_URL}/console/`);
    await page.goto(`${PUBLIC_URL}/console/account/`);
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.waitForURL(/sign-in/);
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.waitForURL(`${PUBLIC_URL}/console/`);
    assert.deepEqual(complaints, []);
  },
);

test("a passkey is the second factor after the password", { skip: noBrowser }, async () => {
  const { path, email } = await invited(service, company, "owner");
  const { page, complaints } = await device();
  await page.goto(PUBLIC_URL + path);
  await page.getByLabel("New password").fill(PASSWORD);
  await page.getByRole("button", { name: "Accept" }).click();
  await page.waitForURL(`${PUBLIC_URL}/console/account/`);
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByText("Keep these codes").waitFor();
  await page.goto(`${PUBLIC_URL}/console/account/`);
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await page.waitForURL(/sign-in/);
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL(/second-factor/);
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.waitForURL(`${PUBLIC_URL}/console/`);
  assert.deepEqual(complaints, []);
});
