/**
 * A passkey's challenge can be answered once: at registration, at sign-in and before an action, also if two responses
 * come at once.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TenantRole } from "../../src/people/access.ts";
import { device, type Device } from "../support/authenticator.ts";
import {
  browser,
  createCompany,
  member,
  tokenIn,
  type Browser,
  type Company,
  type Member,
} from "../support/people.ts";
import { startService, type Response, type Service } from "../support/service.ts";

const ACCOUNT = "/console/account/";
const SIGN_IN = "/console/sign-in/";
let service: Service;
let company: Company;
let origin: string;

before(async () => {
  service = await startService();
  company = await createCompany(service);
  origin = new URL(service.config.publicUrl).origin;
});
after(() => service.close());

interface Asked {
  readonly csrf: string;
  readonly options: string;
  readonly ticket: string;
}

/** What the page asks of the device. */
async function askedOn(own: Browser, path: string): Promise<Asked> {
  const page = await own.get(path);
  const { options, ticket } =
    /data-options="(?<options>[^"]+)"[\s\S]*?name="ticket" value="(?<ticket>[^"]+)"/.exec(page.text)
      ?.groups ?? {};
  assert.ok(options !== undefined && ticket !== undefined, `${path} asks for a passkey: ${page.status}`);
  const plain = options.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
  return { csrf: tokenIn(page) ?? "", options: plain, ticket };
}

const sent = (own: Browser, path: string, { csrf, ticket }: Asked, answer: string): Promise<Response> =>
  own.post(path, { csrf, ticket, answer, name: "Key" });

const register = (own: Browser, asked: Asked, answer: string) =>
  sent(own, `${ACCOUNT}passkeys/`, asked, answer);

async function passkeysOf({ id }: Member): Promise<number> {
  const rows = await service.rows("select 1 from person_passkeys where person = $1 and removed_at is null", [
    id,
  ]);
  return rows.length;
}

/** A person with one passkey. */
async function withPasskey(
  role: TenantRole = "owner",
  of: Company = company,
): Promise<{ readonly who: Member; readonly key: Device }> {
  const who = await member(service, of, role);
  const key = device(origin);
  const asked = await askedOn(who.browser, ACCOUNT);
  assert.equal((await register(who.browser, asked, key.make(asked.options).answer)).status, 200);
  return { who, key };
}

const statuses = (answers: readonly Response[]) =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b);

test("a registration's challenge creates one passkey, also if two devices answer it at once, and none later", async () => {
  const who = await member(service, company, "owner");
  const asked = await askedOn(who.browser, ACCOUNT);
  const answers = await Promise.all(
    [device(origin), device(origin)].map((each) =>
      register(who.browser, asked, each.make(asked.options).answer),
    ),
  );
  assert.deepEqual(statuses(answers), [200, 400]);
  assert.equal(await passkeysOf(who), 1);
  const late = await register(who.browser, asked, device(origin).make(asked.options).answer);
  assert.deepEqual([late.status, await passkeysOf(who)], [400, 1]);
  const again = await askedOn(who.browser, ACCOUNT);
  assert.equal((await register(who.browser, again, device(origin).make(again.options).answer)).status, 303);
  assert.equal(await passkeysOf(who), 2);
});

test("a registration's challenge stays used when the passkey was removed", async () => {
  const { who } = await withPasskey();
  const asked = await askedOn(who.browser, ACCOUNT);
  const key = device(origin);
  assert.equal((await register(who.browser, asked, key.make(asked.options).answer)).status, 303);
  await service.rows("update person_passkeys set removed_at = now() where person = $1", [who.id]);
  assert.equal((await register(who.browser, asked, device(origin).make(asked.options).answer)).status, 400);
  assert.equal(await passkeysOf(who), 0);
});

test("a sign-in's challenge opens one session, also for two concurrent responses, and none later", async () => {
  const { key } = await withPasskey();
  const own = browser(service);
  const asked = await askedOn(own, SIGN_IN);
  const visitor = new Map(own.cookies);
  const answer = key.show(asked.options);
  const before = await openSessions();
  const answers = await Promise.all([1, 2].map(() => sent(own, `${SIGN_IN}passkey/`, asked, answer)));
  assert.equal(answers.filter(({ status }) => status === 303).length, 1, statuses(answers).join());
  assert.equal(await openSessions(), before + 1);
  const replayed = browser(service);
  for (const [name, value] of visitor) replayed.cookies.set(name, value);
  assert.notEqual((await sent(replayed, `${SIGN_IN}passkey/`, asked, answer)).status, 303);
  assert.equal(replayed.cookies.has("console-session"), false);
  assert.equal(await openSessions(), before + 1);
});

async function openSessions(): Promise<number> {
  return (await service.rows("select 1 from console_sessions where ended_at is null")).length;
}

test("if the provider is the only way, a passkey signs in owners only, and others are sent to the provider", async () => {
  const bound = await createCompany(service);
  const signsIn = async ({ key }: { readonly key: Device }) => {
    const own = browser(service);
    const asked = await askedOn(own, SIGN_IN);
    const answer = await sent(own, `${SIGN_IN}passkey/`, asked, key.show(asked.options));
    return [String(answer.headers["location"]), own.cookies.has("console-session")];
  };
  const [finance, ownOwner] = [await withPasskey("finance", bound), await withPasskey("owner", bound)];
  const other = await withPasskey("finance");
  assert.deepEqual(await signsIn(finance), ["/console/", true]);
  await service.rows(
    `insert into oidc_providers (tenant, id, issuer, client_id, client_secret, email_domain, required, created_at, updated_at)
     values ($1, $2, 'https://id.example.com', 'console', '', 'example.com', true, now(), now())`,
    [bound.tenant, "018f0000-0000-7000-8000-000000000001"],
  );
  const [location, isOpen] = await signsIn(finance);
  assert.match(String(location), new RegExp(`^/console/oidc/start/\\?tenant=${bound.id}`));
  assert.equal(isOpen, false);
  for (const one of [ownOwner, other]) assert.deepEqual(await signsIn(one), ["/console/", true]);
});

test("a challenge before an action can be answered once, and only in the session that was asked", async () => {
  const { who, key } = await withPasskey();
  const path = "/console/step-up/";
  const asked = await askedOn(who.browser, path);
  const before = who.browser.cookies.get("console-session") ?? "";
  const answer = key.show(asked.options);
  const answers = await Promise.all([1, 2].map(() => sent(who.browser, path, asked, answer)));
  assert.equal(
    answers.filter(({ status, headers }) => status === 303 && headers["location"] === "/console/").length,
    1,
  );
  // The same response at the sign-in, from a browser that has the old session's cookie.
  const thief = browser(service);
  thief.cookies.set("console-visitor", before);
  assert.equal((await sent(thief, `${SIGN_IN}passkey/`, asked, answer)).headers["location"], undefined);
  assert.equal(thief.cookies.has("console-session"), false);
  const csrf = tokenIn(await who.browser.get(path)) ?? "";
  assert.equal((await sent(who.browser, path, { ...asked, csrf }, answer)).status, 403);
  const elsewhere = browser(service);
  const there = await askedOn(elsewhere, SIGN_IN);
  const moved = { ...there, ticket: asked.ticket };
  assert.equal((await sent(elsewhere, `${SIGN_IN}passkey/`, moved, answer)).status, 403);
});
