/** The guarantees of the sign-in over HTTP: passwords, second factors, links. */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { DAY_MS, HOUR_MS, manualClock, MINUTE_MS, SECOND_MS } from "../../src/lib/clock.ts";
import { createKeyring, defaultKeys } from "../../src/lib/keyring.ts";
import { COMMAND_LINE } from "../../src/management/audit/audit.ts";
import { newLink } from "../../src/people/manage.ts";
import { createRace } from "../support/at-once.ts";
import {
  browser,
  codeAt,
  createCompany,
  fromBase32,
  invited,
  member,
  PASSWORD,
  setUpTotp,
  signIn,
  tokenIn,
  type Company,
} from "../support/people.ts";
import { startService, type Service } from "../support/service.ts";

const clock = manualClock(new Date("2026-05-01T12:00:00Z"));
const race = createRace();
let service: Service;
let company: Company;
/** The delays of failed sign-ins. */
let pauses: number[] = [];

before(async () => {
  service = await startService({
    clock,
    between: race.between,
    pause: async (ms) => {
      pauses.push(ms);
    },
  });
  company = await createCompany(service);
});
after(() => service.close());
beforeEach(() => {
  pauses = [];
});

const location = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) =>
  headers["location"];

test("an invitation is accepted once, with name and password, and signs the person in", async () => {
  const { path, email } = await invited(service, company, "owner");
  const own = browser(service);
  const page = await own.get(path);
  assert.equal(page.status, 200);
  assert.match(page.text, /Shop/);
  for (const weak of ["short", "password123456", "aaaaaaaaaaaaaa", "qwertyuiop123", `${email}2026`, ""]) {
    const refused = await own.submit(path, path, { name: "Ada", password: weak });
    assert.equal(refused.status, 400, weak);
  }
  const accepted = await own.submit(path, path, { name: "Ada Example", password: PASSWORD });
  assert.deepEqual([accepted.status, location(accepted)], [303, "/console/account/"]);
  assert.equal((await own.get("/console/")).status, 200);
  assert.match((await own.get("/console/account/")).text, /Ada Example/);
  const other = browser(service);
  assert.equal((await other.get(path)).status, 410);
  const csrf = tokenIn(await other.get("/console/sign-in/")) ?? "";
  assert.equal((await other.post(path, { csrf, name: "Eve", password: PASSWORD })).status, 410);
});

test("a name that is too long for an account is refused at its field by a link's page, and the link stays open", async () => {
  const { path } = await invited(service, company, "owner");
  const own = browser(service);
  const refused = await own.submit(path, path, { name: "a".repeat(256), password: PASSWORD });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /id="name-error"[^>]*>\s*Enter your name\./);
  const name = "a".repeat(255);
  assert.equal((await own.submit(path, path, { name: ` ${name} `, password: PASSWORD })).status, 303);
  assert.ok((await own.get("/console/account/")).text.includes(`"${name}"`));
});

test("an invitation expires after seven days, and when a newer one is made", async () => {
  const old = await invited(service, company, "viewer");
  const made = await service.post(`management/people/${old.id}/link/`, {}, { key: await peopleKey() });
  assert.equal(made.status, 200, made.text);
  assert.equal((await browser(service).get(old.path)).status, 410);
  const newer = new URL(made.body["link"]).pathname;
  assert.equal((await browser(service).get(newer)).status, 200);
  clock.advance(7 * DAY_MS);
  assert.equal((await browser(service).get(newer)).status, 410);
});

test("a link that is made again by the same operation under a new master key is the one of the old key", async () => {
  const { id } = await invited(service, company, "viewer");
  const { deps } = service.app;
  const [old, fresh] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const author = { ...COMMAND_LINE, operationId: deps.ids.uuid() };
  const made = (...secrets: readonly Buffer[]) =>
    newLink({ ...deps, keys: createKeyring(defaultKeys(...secrets)) }, author, company.tenant, id);
  const first = await made(old);
  clock.advance(MINUTE_MS);
  assert.deepEqual(await made(fresh, old), first);
});

async function peopleKey(): Promise<string> {
  const { rows } = { rows: await service.rows("select tenant from tenants where id = $1", [company.id]) };
  assert.equal(rows.length, 1);
  const scopes = ["payments", "reconciliation", "management", "people", "whole_ibans"];
  const given = { name: "People", scopes };
  const { OPERATOR_KEY } = await import("../support/service.ts");
  const made = await service.post(`management/tenants/${company.id}/api-keys/`, given, { key: OPERATOR_KEY });
  return made.body["api_key"];
}

test("a wrong password, an unknown address and an invited person get the same message after the same delay", async () => {
  const { email } = await member(service, company, "viewer");
  const waiting = await invited(service, company, "viewer");
  const texts = new Set<string>();
  const waits: number[] = [];
  for (const address of [email, "nobody@example.com", waiting.email]) {
    pauses = [];
    const { status, text } = await signIn(browser(service), address, "not the password at all");
    assert.equal(status, 403);
    texts.add(text.replace(/value="[^"]*"|data-options="[^"]*"/g, ""));
    waits.push(...pauses);
  }
  assert.equal(texts.size, 1);
  assert.equal(waits.length, 3);
  for (const wait of waits) assert.equal(wait, SECOND_MS);
});

test("repeated guesses are delayed and then stopped, and the person's own browser is counted separately", async () => {
  const { email, browser: own } = await member(service, company, "support");
  // The password is right once, so that this browser is known.
  assert.equal((await own.submit("/console/account/", "/console/sign-out/")).status, 303);
  assert.equal((await signIn(own, email)).status, 303);
  pauses = [];
  const statuses: number[] = [];
  for (let guess = 0; guess < 12; guess += 1)
    statuses.push((await signIn(browser(service), email, `guess number ${guess}`)).status);
  assert.deepEqual(statuses, [...Array.from({ length: 9 }, () => 403), 429, 429, 429]);
  assert.deepEqual(
    pauses,
    [1, 1, 2, 3, 5, 9, 9, 9, 9].map((seconds) => seconds * SECOND_MS),
  );
  assert.equal(
    (await signIn(browser(service), email)).status,
    429,
    "a stranger with the right password waits",
  );
  await own.submit("/console/account/", "/console/sign-out/");
  assert.equal((await signIn(own, email)).status, 303, "the known browser does not");
  clock.advance(15 * MINUTE_MS);
  assert.equal((await signIn(browser(service), email)).status, 303);
});

test("a browser known to one company gives no more guesses at the same address in another", async () => {
  const { email } = await member(service, company, "support");
  const password = "purple saddle drifts 4 south";
  const other = await createCompany(service);
  const { browser: own } = await member(service, other, "owner", { email, password });
  const signOut = () => own.submit("/console/account/", "/console/sign-out/");
  const isOf = async () => (await own.get("/console/people/")).status === 200;
  for (let round = 0; round < 3; round += 1) {
    await signOut();
    assert.equal(
      (await signIn(own, email, password)).status,
      303,
      "the browser's own person is not locked out",
    );
    assert.equal(await isOf(), true);
    await signOut();
    const typed = [email, email.toUpperCase(), ` ${email} `][round] ?? "";
    for (let guess = 0; guess < 7; guess += 1)
      assert.equal((await signIn(own, typed, `guess ${round} ${guess}`)).status, 403);
  }
  assert.equal((await signIn(own, email)).status, 403, "the right one is not compared any more");
  assert.equal((await signIn(browser(service), email)).status, 429);
  clock.advance(15 * MINUTE_MS);
  assert.equal((await signIn(own, email)).status, 303, "in both companies the address can be used");
  assert.equal(await isOf(), false);
  await signOut();
  assert.equal((await signIn(own, email, password)).status, 303);
  assert.equal(await isOf(), true);
});

test("after the second factor a person returns to the requested page, or to the page of the form", async () => {
  const { email, browser: own } = await member(service, company, "finance");
  const { secret } = await setUpTotp(own, clock.now());
  clock.advance(MINUTE_MS);
  const half = browser(service);
  await signIn(half, email);
  const asked = "/console/payments/?status=approved&columns=date,amount";
  const led = String((await half.get(asked)).headers["location"]);
  assert.equal(led, `/console/second-factor/?next=${encodeURIComponent(asked)}`);
  const csrf = tokenIn(await half.get(led)) ?? "";
  const sent = await half.post(
    "/console/account/profile/",
    { csrf },
    { referer: `${service.url}/console/account/` },
  );
  assert.equal(sent.headers["location"], "/console/second-factor/?next=%2Fconsole%2Faccount%2F");
  const proved = await half.submit(led, led, { code: codeAt(secret, clock.now()) });
  assert.deepEqual([proved.status, proved.headers["location"]], [303, asked]);
});

test("a session gets a new secret at each step, and the earlier ones are void", async () => {
  const { email, browser: own } = await member(service, company, "finance");
  const { secret } = await setUpTotp(own, clock.now());
  const first = own.cookies.get("console-session");
  const other = browser(service);
  other.cookies.set("console-session", "A".repeat(48));
  assert.equal(
    (await signIn(other, email)).headers["location"],
    "/console/second-factor/?next=%2Fconsole%2F",
  );
  const half = other.cookies.get("console-session");
  assert.notEqual(half, "A".repeat(48));
  assert.notEqual(half, first);
  // A half signed-in person has access neither to pages nor to setting up another factor.
  assert.match(
    String((await other.get("/console/")).headers["location"]),
    /^\/console\/second-factor\/\?next=/,
  );
  assert.equal((await other.get("/console/account/authenticator/")).status, 404);
  clock.advance(MINUTE_MS);
  const code = codeAt(secret, clock.now());
  const shown = await other.submit("/console/second-factor/", "/console/second-factor/", { code });
  assert.deepEqual([shown.status, shown.headers["location"]], [303, "/console/"]);
  assert.notEqual(other.cookies.get("console-session"), half);
  assert.equal((await other.get("/console/")).status, 200);
  const stale = browser(service);
  stale.cookies.set("console-session", half ?? "");
  assert.match(String((await stale.get("/console/")).headers["location"]), /sign-in/);
});

test("a code is accepted once, and five wrong ones end the sign-in", async () => {
  const { email, browser: own } = await member(service, company, "finance");
  const { secret } = await setUpTotp(own, clock.now());
  const path = "/console/second-factor/";
  clock.advance(MINUTE_MS);
  const code = codeAt(secret, clock.now());
  const [one, two] = [browser(service), browser(service)];
  for (const each of [one, two]) assert.equal((await signIn(each, email)).status, 303);
  const answers = await Promise.all([one, two].map((each) => each.submit(path, path, { code })));
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [303, 403],
    "of two at once one is taken",
  );
  const replayed = browser(service);
  await signIn(replayed, email);
  assert.equal((await replayed.submit(path, path, { code })).status, 403);
  for (let wrong = 0; wrong < 4; wrong += 1)
    assert.equal((await replayed.submit(path, path, { code: "000000" })).status, 403);
  assert.match(String((await replayed.get(path)).headers["location"]), /sign-in/);
});

test("a recovery code replaces the second factor once, also when used twice at once", async () => {
  const { email, browser: own } = await member(service, company, "finance");
  const { codes } = await setUpTotp(own, clock.now());
  assert.equal(codes.length, 10);
  const path = "/console/second-factor/";
  const both = [browser(service), browser(service)];
  for (const each of both) assert.equal((await signIn(each, email)).status, 303);
  const code = (codes[0] ?? "").toLowerCase().replaceAll("-", " ");
  const answers = await Promise.all(both.map((each) => each.submit(path, path, { code })));
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [303, 403],
  );
  assert.match((await own.get("/console/account/")).text, /9 codes left/);
});

test("a session ends after some time without use, and after its longest time in any case", async () => {
  const { browser: own } = await member(service, company, "viewer");
  clock.advance(59 * MINUTE_MS);
  assert.equal((await own.get("/console/")).status, 200);
  await settled();
  clock.advance(59 * MINUTE_MS);
  assert.equal((await own.get("/console/")).status, 200);
  await settled();
  clock.advance(HOUR_MS);
  assert.equal((await own.get("/console/")).status, 303);
  const { browser: busy } = await member(service, company, "viewer");
  for (let minutes = 0; minutes < 12 * 60 - 30; minutes += 30) {
    clock.advance(30 * MINUTE_MS);
    assert.equal((await busy.get("/console/")).status, 200, `${minutes}`);
    await settled();
  }
  clock.advance(30 * MINUTE_MS);
  assert.equal((await busy.get("/console/")).status, 303);
});

/** Waits for the session's last use, which is written after the response. */
async function settled(): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const rows = await service.rows("select max(seen_at) = $1 as seen from console_sessions", [clock.now()]);
    if (rows[0]?.["seen"] === true) return;
  }
}

test("a new password ends all other sessions, and the old one no longer signs in", async () => {
  const { email, browser: own } = await member(service, company, "viewer");
  const other = browser(service);
  await signIn(other, email);
  const next = "seven grey herons 4 a bridge";
  const wrong = await own.submit("/console/account/", "/console/account/password/", {
    current: "no",
    password: next,
  });
  assert.equal(wrong.status, 400);
  const changed = await own.submit("/console/account/", "/console/account/password/", {
    current: PASSWORD,
    password: next,
  });
  assert.equal(changed.status, 303);
  assert.equal((await own.get("/console/")).status, 200);
  assert.equal((await other.get("/console/")).status, 303);
  assert.equal((await signIn(browser(service), email)).status, 403);
  assert.equal((await signIn(browser(service), email, next)).status, 303);
});

test("a reset link no longer works after its person has set a new password", async () => {
  const { id, browser: own } = await member(service, company, "viewer");
  const { body } = await service.post(`management/people/${id}/link/`, {}, { key: await peopleKey() });
  const path = new URL(body["link"]).pathname;
  const password = "four tin kettles 6 a harbour";
  const form = { current: PASSWORD, password };
  assert.equal((await own.submit("/console/account/", "/console/account/password/", form)).status, 303);
  assert.equal((await browser(service).get(path)).status, 410);
});

test("a sign-in with a password that is changed at the same moment opens no session", async () => {
  const { email, browser: own } = await member(service, company, "viewer");
  const form = { current: PASSWORD, password: "eight pale otters 3 a weir" };
  const path = "/console/account/password/";
  const csrf = tokenIn(await own.get("/console/account/")) ?? "";
  let late: number | null = null;
  await race.atOnce(
    service,
    () => own.post(path, { csrf, ...form }),
    async () => {
      late = (await signIn(browser(service), email)).status;
    },
  );
  assert.equal(late, 403);
});

test("of two concurrent second factors for one session one renews it, and no second session is left", async () => {
  const { id, browser: own } = await member(service, company, "viewer");
  const path = "/console/step-up/";
  const csrf = tokenIn(await own.get(path)) ?? "";
  const old = new Map(own.cookies);
  const answers = await Promise.all(
    [1, 2].map(async () => {
      const each = browser(service);
      for (const [name, value] of old) each.cookies.set(name, value);
      return each.post(path, { csrf, password: PASSWORD });
    }),
  );
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [303, 403],
  );
  const open = await service.rows("select 1 from console_sessions where person = $1 and ended_at is null", [
    id,
  ]);
  assert.equal(open.length, 1);
});

test("a person can end only their own sessions", async () => {
  const [one, two] = [await member(service, company, "viewer"), await member(service, company, "viewer")];
  const [session] = await service.rows(
    "select id from console_sessions where person = $1 and ended_at is null",
    [two.id],
  );
  const end = (who: typeof one) =>
    who.browser.submit("/console/account/", `/console/account/sessions/${session?.["id"]}/end/`);
  assert.equal((await end(one)).status, 404);
  assert.equal((await two.browser.get("/console/")).status, 200);
  assert.equal((await end(two)).status, 303);
  assert.equal((await two.browser.get("/console/")).status, 303);
});

test("a reset link sets another password once, within two hours, and ends all sessions", async () => {
  const { id, email, browser: own } = await member(service, company, "viewer");
  const key = await peopleKey();
  const link = async () =>
    new URL((await service.post(`management/people/${id}/link/`, {}, { key })).body["link"]).pathname;
  const late = await link();
  clock.advance(2 * HOUR_MS);
  assert.equal((await browser(service).get(late)).status, 410);
  assert.equal((await signIn(own, email)).status, 303);
  const path = await link();
  const fresh = browser(service);
  const without = await fresh.submit(path, path, { name: "", passkey: "1" });
  assert.equal(without.status, 400, "a reset asks for a password");
  const password = "nine copper wells 5 a mill";
  assert.equal((await fresh.submit(path, path, { name: "", password })).status, 303);
  assert.equal((await own.get("/console/")).status, 303);
  assert.equal((await signIn(browser(service), email)).status, 403);
  assert.equal((await signIn(browser(service), email, password)).status, 303);
});

test("forms of other sites and forms without the token do nothing", async () => {
  const { browser: own } = await member(service, company, "viewer");
  const page = await own.get("/console/account/");
  const csrf = tokenIn(page) ?? "";
  const fields = { csrf, name: "Changed by another site" };
  const path = "/console/account/profile/";
  for (const headers of [
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "none" },
    { "sec-fetch-site": "cross-site", origin: "http://pay.example.test" },
  ])
    assert.equal((await own.post(path, fields, headers)).status, 403, JSON.stringify(headers));
  const from = (origin: string) => own.post(path, fields, { "sec-fetch-site": "same-origin", origin });
  assert.equal((await from("https://evil.example")).status, 403);
  assert.equal((await from("null")).status, 403);
  for (const token of ["", "x", `${csrf.slice(0, -2)}AA`])
    assert.equal((await own.post(path, { ...fields, csrf: token })).status, 403);
  const stranger = await member(service, company, "viewer");
  const foreign = tokenIn(await stranger.browser.get("/console/account/")) ?? "";
  assert.equal((await own.post(path, { ...fields, csrf: foreign })).status, 403, "another session's token");
  assert.doesNotMatch((await own.get("/console/account/")).text, /Changed by another site/);
  assert.equal((await from("http://pay.example.test")).status, 303);
});

test("pages have a policy that allows nothing inline, and forbid caching", async () => {
  const { browser: own } = await member(service, company, "owner");
  for (const path of [
    "/console/sign-in/",
    "/console/account/",
    "/console/account/authenticator/",
    "/console/people/",
    "/console/access/",
    "/console/people/single-sign-on/",
  ]) {
    // A signed-in person is redirected from the sign-in page.
    const visitor = path === "/console/sign-in/" ? browser(service) : own;
    const { status, headers, text } = await visitor.get(path);
    assert.equal(status, 200, path);
    assert.doesNotMatch(String(headers["content-security-policy"]), /unsafe|nonce/);
    assert.match(String(headers["content-security-policy"]), /default-src 'none'.*frame-ancestors 'none'/);
    assert.equal(headers["cache-control"], "no-store");
    assert.doesNotMatch(text, /<style|<script>|\sstyle=|\son[a-z]+=/);
  }
});

test("over https the cookie can be set by this host and this page only", async () => {
  const secure = await startService({ config: { publicUrl: "https://pay.example.test" } });
  try {
    const own = await member(secure, await createCompany(secure), "viewer");
    assert.ok(own.browser.cookies.has("__Host-console-session"));
    const signedOut = await own.browser.submit("/console/account/", "/console/sign-out/");
    assert.match(
      String(signedOut.headers["set-cookie"]),
      /^__Host-console-session=; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=0$/,
    );
  } finally {
    await secure.close();
  }
});

test("if a second factor is required, a person without one can only set it up", async () => {
  const strict = await startService({
    clock,
    config: { signIn: { ...service.config.signIn, secondFactorRequired: true } },
  });
  try {
    const { browser: own } = await member(strict, await createCompany(strict), "owner");
    assert.equal((await own.get("/console/people/")).headers["location"], "/console/account/");
    const { codes } = await setUpTotp(own, clock.now());
    assert.equal(codes.length, 10);
    assert.equal((await own.get("/console/people/")).status, 200);
    const kept = await own.submit("/console/account/", "/console/account/authenticator/remove/");
    assert.equal(kept.status, 409);
  } finally {
    await strict.close();
  }
});

test("a sign-in that has to set up a second factor cannot do so once another was set up", async () => {
  const strict = await startService({
    clock,
    config: { signIn: { ...service.config.signIn, secondFactorRequired: true } },
  });
  try {
    const { email, browser: own } = await member(strict, await createCompany(strict), "owner");
    const thief = browser(strict);
    assert.equal((await signIn(thief, email)).headers["location"], "/console/account/");
    const path = "/console/account/authenticator/";
    const offer = await thief.get(path);
    const { secret } = await setUpTotp(own, clock.now());
    const key = /<code>([A-Z2-7]+)<\/code>/.exec(offer.text)?.[1] ?? "";
    const sealed = /name="sealed" value="([^"]+)"/.exec(offer.text)?.[1] ?? "";
    const fields = { csrf: tokenIn(offer) ?? "", sealed, code: codeAt(fromBase32(key), clock.now()) };
    assert.equal((await thief.post(path, fields)).status, 409);
    assert.notEqual((await thief.get("/console/people/")).status, 200);
    clock.advance(MINUTE_MS);
    const code = codeAt(secret, clock.now());
    const step = await own.submit("/console/step-up/", "/console/step-up/", { code });
    assert.equal(step.status, 303, "the person's own app is still the one that counts");
  } finally {
    await strict.close();
  }
});

test("a sign-in page is shown whatever error its address names", async () => {
  for (const trouble of ["constructor", "toString", "__proto__", "other"])
    assert.equal((await browser(service).get(`/console/sign-in/?trouble=${trouble}`)).status, 200, trouble);
});

test("a sign-in redirects only to a page of the console", async () => {
  const { email } = await member(service, company, "viewer");
  for (const [next, leads] of [
    ["/console/account/", "/console/account/"],
    ["https://evil.example/", "/console/"],
    ["//evil.example/", "/console/"],
    ["/console/\\evil.example", "/console/"],
    ["/console/sign-in/", "/console/"],
  ] as const)
    assert.equal(
      (await signIn(browser(service), email, PASSWORD, { next })).headers["location"],
      leads,
      next,
    );
});
