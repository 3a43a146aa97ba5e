/**
 * Single sign-on with a real OpenID Connect provider: who is signed in, as which person, and which responses are
 * refused.
 */
import assert from "node:assert/strict";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { manualClock, MINUTE_MS } from "../../src/lib/clock.ts";
import { createRace } from "../support/at-once.ts";
import { device } from "../support/authenticator.ts";
import { callerFor } from "../support/console-caller.ts";
import { wordsOf } from "../support/console.ts";
import {
  browser,
  createCompany,
  invited,
  codeAt,
  member,
  setUpTotp,
  signIn,
  tokenIn,
  type Browser,
  type Company,
  type Member,
} from "../support/people.ts";
import { freshAddress, startService, type Response, type Service } from "../support/service.ts";

/** The package has no types. */
const PROVIDER: string = "oidc-provider";
type ProviderModule = {
  readonly default: new (issuer: string, configuration: object) => { callback(): RequestListener };
};
const { default: Provider } = (await import(PROVIDER)) as ProviderModule;

const CLIENT = "payments-console";
const OTHER_CLIENT = "payments-console-2";
const SECRET = "a-client-secret-that-only-both-know-0001";

/** Begins at the provider's time, which is the real time. */
const clock = manualClock(new Date());
const race = createRace();
let service: Service;
let shop: Company;
let owner: Member;
let server: Server;
let issuer: string;
/** Whether the provider refuses connections. */
let isDown = false;
/** Runs while the service asks the provider for a person's identity. */
let meanwhile: (() => Promise<unknown>) | null = null;

before(async () => {
  service = await startService({ clock, between: race.between });
  shop = await createCompany(service);
  owner = await member(service, shop, "owner");
  ({ server, issuer } = await startProvider(`${service.config.publicUrl}/console/oidc/callback/`));
});
after(async () => {
  server?.close();
  server?.closeAllConnections();
  await service?.close();
});

/**
 * A provider that has an account for each e-mail address, and for each of the given subjects, and accepts any password.
 * @param addresses by subject, where it is not the address itself.
 */
async function startProvider(
  callback: string,
  addresses: Readonly<Record<string, string>> = {},
): Promise<{ server: Server; issuer: string }> {
  const server = createServer((request, response) => {
    if (isDown) return void response.socket?.destroy();
    const first = request.url === "/token" ? meanwhile : null;
    void (first?.() ?? Promise.resolve()).then(() => handler(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [CLIENT, OTHER_CLIENT].map((client_id) => ({
      client_id,
      client_secret: SECRET,
      redirect_uris: [callback],
    })),
    conformIdTokenClaims: false,
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        email: addresses[id] ?? id,
        email_verified: !id.startsWith("unverified"),
        name: `Name of ${id}`,
      }),
    }),
  });
  const handler = provider.callback();
  return { server, issuer };
}

const settings = (more: Readonly<Record<string, string>> = {}) => ({
  issuer,
  client_id: CLIENT,
  client_secret: SECRET,
  email_domain: "example.com",
  role_for_new: "",
  ...more,
});

const SSO = "/console/people/single-sign-on/";
const setUp = (fields: Readonly<Record<string, string>>): Promise<Response> =>
  owner.browser.submit(SSO, SSO, fields);

/** Signs in at the provider. @returns the address to which the provider sends the browser back. */
async function throughProvider(own: Browser, email: string, again = ""): Promise<string> {
  const start = await own.get(`/console/oidc/start/?tenant=${shop.id}${again}`);
  assert.equal(start.status, 303, start.text);
  const call = callerFor(issuer, freshAddress(), new Map());
  let to = String(start.headers["location"]);
  for (let step = 0; step < 12; step += 1) {
    const url = new URL(to, issuer);
    if (url.origin !== issuer) return url.pathname + url.search;
    const page = await call("GET", url.pathname + url.search, null, {});
    const action = /action="([^"]+)"/.exec(page.text)?.[1];
    const prompt = /name="prompt" value="([^"]+)"/.exec(page.text)?.[1] ?? "";
    if (page.status !== 200 || action === undefined) {
      to = String(page.headers["location"]);
      continue;
    }
    const form = new URLSearchParams({ prompt, login: email, password: "any" }).toString();
    const sent = await call("POST", new URL(action, issuer).pathname, form, {});
    to = String(sent.headers["location"]);
  }
  throw new Error(`The provider does not send the browser back: ${to}`);
}

/** The signed-in person according to the account page; null if there is none. */
async function whoIs(own: Browser): Promise<string | null> {
  const { status, text } = await own.get("/console/account/");
  return status === 200 ? (/[\w.-]+@[\w.-]+/.exec(text)?.[0] ?? null) : null;
}

async function signInAs(email: string): Promise<{ readonly own: Browser; readonly back: Response }> {
  const own = browser(service);
  const back = await own.get(await throughProvider(own, email));
  return { own, back };
}

test("a provider is saved only after it has responded, and its secret is never shown", async () => {
  const nobody = await setUp(settings({ issuer: "http://127.0.0.1:9" }));
  assert.equal(nobody.status, 400);
  assert.match(nobody.text, /no OpenID Connect provider at this address/);
  const saved = await setUp(settings());
  assert.equal(saved.status, 303, saved.text);
  const page = await owner.browser.get(SSO);
  assert.ok(page.text.includes(issuer) && !page.text.includes(SECRET));
  const rows = await service.rows("select client_secret::text as sealed from oidc_providers");
  assert.ok(!JSON.stringify(rows).includes(Buffer.from(SECRET).toString("hex")));
});

test("a stored secret belongs to one client at one provider; for another it has to be entered", async () => {
  assert.equal((await setUp(settings())).status, 303);
  const kept = { client_secret: "" };
  assert.equal((await setUp(settings({ ...kept, role_for_new: "viewer" }))).status, 303);
  for (const other of [{ issuer: `${issuer}/other/` }, { client_id: "another-client" }]) {
    const refused = await setUp(settings({ ...kept, ...other }));
    assert.equal(refused.status, 400);
    assert.match(wordsOf(refused), /Enter the client secret/);
  }
  assert.equal((await setUp(settings(kept))).status, 303);
});

test("a page of the settings that is older than another owner's change does not undo that change", async () => {
  assert.equal((await setUp(settings())).status, 303);
  const seen = /name="seen" value="([^"]+)"/.exec((await owner.browser.get(SSO)).text)?.[1] ?? "";
  clock.advance(1_000);
  assert.equal((await setUp(settings({ required: "1", seen }))).status, 303);
  const stale = await setUp(settings({ role_for_new: "viewer", seen }));
  assert.equal(stale.status, 409, stale.text);
  assert.match(wordsOf(stale), /changed in the meantime/);
  const [row] = await service.rows("select required, role_for_new from oidc_providers where tenant = $1", [
    shop.tenant,
  ]);
  assert.deepEqual(row, { required: true, role_for_new: null });
  assert.equal((await setUp(settings())).status, 303);
});

for (const [what, change] of [
  ["single sign-on is switched off", () => owner.browser.submit(SSO, `${SSO}off/`)],
  [
    "the domain becomes another",
    () => setUp(settings({ email_domain: "example.org", role_for_new: "viewer" })),
  ],
  ["newcomers are let in no more", () => setUp(settings())],
] as const)
  test(`${what} while the provider is asked who a new person is: the former setting signs in no one`, async () => {
    assert.equal((await setUp(settings({ role_for_new: "viewer" }))).status, 303);
    const own = browser(service);
    const path = await throughProvider(own, "late@example.com");
    let status = 0;
    meanwhile = async () => {
      ({ status } = await change());
    };
    const back = await own.get(path);
    meanwhile = null;
    assert.equal(status, 303);
    assert.match(String(back.headers["location"]), /trouble=company/);
    assert.equal(await whoIs(own), null);
    assert.deepEqual(await service.rows("select from people where email = 'late@example.com'"), []);
  });

test("an invited person is signed in as that person, and others only if the owner has chosen a role for them", async () => {
  assert.equal((await setUp(settings())).status, 303);
  await invited(service, shop, "finance", "fiona@example.com");
  const fiona = await signInAs("fiona@example.com");
  assert.equal(await whoIs(fiona.own), "fiona@example.com");
  const stranger = await signInAs("new@example.com");
  assert.equal(await whoIs(stranger.own), null);
  assert.equal((await setUp(settings({ role_for_new: "viewer" }))).status, 303);
  const newcomer = await signInAs("new@example.com");
  assert.equal(await whoIs(newcomer.own), "new@example.com");
  const roles = await service.rows("select role from people where email = 'new@example.com'");
  assert.deepEqual(roles, [{ role: "viewer" }]);
});

test("a person with an address of another domain, or with an unverified one, is not signed in", async () => {
  assert.equal((await setUp(settings({ role_for_new: "viewer" }))).status, 303);
  for (const email of ["eve@example.org", "eve@notexample.com", "unverified@example.com"]) {
    const { own, back } = await signInAs(email);
    assert.match(String(back.headers["location"]), /trouble=company/, email);
    assert.equal(await whoIs(own), null, email);
  }
});

test("a provider's response is accepted once, only in the browser that asked, and only unchanged", async () => {
  assert.equal((await setUp(settings({ role_for_new: "viewer" }))).status, 303);
  const own = browser(service);
  const path = await throughProvider(own, "paula@example.com");
  const other = browser(service);
  await other.get(path);
  assert.equal(await whoIs(other), null, "another browser");
  const forged = browser(service);
  await throughProvider(forged, "paula@example.com");
  await forged.get(path);
  assert.equal(await whoIs(forged), null, "another flow's answer");
  await own.get(path.replace(/state=[^&]+/, "state=forged"));
  assert.equal(await whoIs(own), null, "a forged state");
  const { own: right } = await signInAs("paula@example.com");
  assert.equal(await whoIs(right), "paula@example.com");
});

test("only the signed-in person can show the second factor again, not another person of the company", async () => {
  assert.equal((await setUp(settings({ role_for_new: "viewer" }))).status, 303);
  await signInAs("carl@example.com");
  const { own } = await signInAs("dora@example.com");
  const session = () => own.cookies.get("console-session");
  const before = session();
  const refused = await own.get(await throughProvider(own, "carl@example.com", "&again=1"));
  assert.match(String(refused.headers["location"]), /trouble=company/);
  assert.equal(session(), before);
  const proved = await own.get(await throughProvider(own, "dora@example.com", "&again=1"));
  assert.equal(proved.headers["location"], "/console/");
  assert.notEqual(session(), before);
  assert.equal(await whoIs(own), "dora@example.com");
});

test("the sign-in at the provider uses up the invitation", async () => {
  assert.equal((await setUp(settings())).status, 303);
  const { path } = await invited(service, shop, "finance", "gina@example.com");
  await signInAs("gina@example.com");
  assert.equal((await browser(service).get(path)).status, 410);
});

test("two concurrent first sign-ins create one person", async () => {
  assert.equal((await setUp(settings({ role_for_new: "viewer" }))).status, 303);
  const both = [browser(service), browser(service)] as const;
  const [one, two] = await Promise.all(both.map((own) => throughProvider(own, "twice@example.com")));
  await race.atOnce(
    service,
    () => both[0].get(one ?? ""),
    () => both[1].get(two ?? ""),
  );
  for (const own of both) assert.equal(await whoIs(own), "twice@example.com");
  assert.equal((await service.rows("select from people where email = 'twice@example.com'")).length, 1);
});

test("showing the second factor again with an unknown account creates no person", async () => {
  assert.equal((await setUp(settings({ role_for_new: "viewer" }))).status, 303);
  const { own } = await signInAs("emil@example.com");
  const refused = await own.get(await throughProvider(own, "private@example.com", "&again=1"));
  assert.match(String(refused.headers["location"]), /trouble=company/);
  assert.equal(await whoIs(own), "emil@example.com");
  assert.deepEqual(await service.rows("select from people where email = 'private@example.com'"), []);
});

test("a sign-in that waits for its second factor when the provider becomes the only way cannot be completed, also not at that moment", async () => {
  assert.equal((await setUp(settings())).status, 303);
  const support = await member(service, shop, "support");
  const { secret, codes } = await setUpTotp(support.browser, service.app.deps.clock.now());
  const path = "/console/second-factor/";
  const withCode = async (code: string) => {
    const half = browser(service);
    assert.equal((await signIn(half, support.email)).status, 303);
    const csrf = tokenIn(await half.get(path)) ?? "";
    return { own: half, finish: () => half.post(path, { csrf, code }) };
  };
  // An invited person who wants to use a passkey has to add it first.
  const withPasskey = async () => {
    const invitation = await invited(service, shop, "support");
    const begun = browser(service);
    await begun.submit(invitation.path, invitation.path, { name: "Begun", passkey: "1" });
    const asked = await begun.get("/console/account/");
    const { options = "", ticket = "" } =
      /data-options="(?<options>[^"]+)"[\s\S]*?name="ticket" value="(?<ticket>[^"]+)"/.exec(asked.text)
        ?.groups ?? {};
    const plain = options.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
    const { answer } = device(new URL(service.config.publicUrl).origin).make(plain);
    const fields = { csrf: tokenIn(asked) ?? "", ticket, answer, name: "Key" };
    return { own: begun, finish: () => begun.post("/console/account/passkeys/", fields) };
  };
  const next = codeAt(secret, new Date(service.app.deps.clock.now().getTime() + 30_000));
  const [elsewhere, signedOut] = [/requires sign-in with its identity provider/, /signed out/];
  for (const isAtOnce of [true, false])
    for (const [begin, words] of [
      [() => withCode(next), elsewhere],
      [() => withCode(codes[0] ?? ""), elsewhere],
      [withPasskey, signedOut],
    ] as const) {
      const { own, finish } = await begin();
      const switches = () => setUp(settings({ required: "1" }));
      let [status, text] = [0, ""];
      const finishes = async () => {
        ({ status, text } = await finish());
      };
      if (isAtOnce) await race.atOnce(service, switches, finishes);
      else await switches().then(finishes);
      assert.ok(status === 401 || status === 403, `${status}`);
      assert.match(text, isAtOnce ? words : signedOut);
      assert.notEqual((await own.get("/console/payments/")).status, 200);
      assert.equal((await setUp(settings())).status, 303);
    }
});

test("if the provider is the only way, an invitation sets no password and signs in no one", async () => {
  assert.equal((await setUp(settings({ required: "1" }))).status, 303);
  const { id, path } = await invited(service, shop, "support");
  const own = browser(service);
  await own.submit(path, path, { name: "Ada", password: "seven loose words about nothing at all" });
  assert.equal(await whoIs(own), null);
  assert.deepEqual(await service.rows("select password_hash, joined_at from people where id = $1", [id]), [
    { password_hash: null, joined_at: null },
  ]);
  assert.equal((await setUp(settings())).status, 303);
});

test("when the provider becomes the only way, people of this company who signed in another way are signed out, except owners", async () => {
  assert.equal((await setUp(settings({ role_for_new: "viewer" }))).status, 303);
  const elsewhere = await createCompany(service);
  const email = "lena@example.com";
  const [lena, withKey, otherOwner] = [
    await member(service, shop, "finance", { email }),
    await member(service, shop, "support"),
    await member(service, shop, "owner"),
  ];
  await service.rows("update console_sessions set method = 'passkey' where person = $1", [withKey.id]);
  const password = "eight pale otters 3 a weir";
  const lenaThere = await member(service, elsewhere, "finance", { email, password });
  const foreign = await member(service, elsewhere, "viewer");
  const { own: ofProvider } = await signInAs("mia@example.com");
  const saved = await setUp(settings({ required: "1" }));
  const done = `${SSO}?done=save&people=2`;
  assert.equal(saved.headers["location"], done);
  assert.match(
    wordsOf(await owner.browser.get(done)),
    /2 people who had come in another way were signed out/,
  );
  for (const { browser: own } of [lena, withKey]) assert.equal(await whoIs(own), null);
  for (const { browser: own, email: who } of [owner, otherOwner, lenaThere, foreign])
    assert.equal(await whoIs(own), who);
  assert.equal(await whoIs(ofProvider), "mia@example.com");
  const [entry] = await service.rows(
    "select after from audit_log where tenant = $1 and resource = 'single-sign-on' order by at desc, id desc limit 1",
    [shop.tenant],
  );
  assert.equal(entry?.["after"]["signed_out"], 2);
  const again = await signIn(browser(service), email);
  assert.match(String(again.headers["location"]), /^\/console\/oidc\/start\//);
  assert.equal((await signIn(browser(service), email, password)).headers["location"], "/console/");
  assert.equal((await setUp(settings())).status, 303);
  assert.equal(await whoIs(lena.browser), null, "what has ended stays so");
});

for (const isSignInFirst of [true, false])
  test(`a sign-in with a password that commits just ${isSignInFirst ? "before" : "after"} the provider became the only way leaves no session`, async () => {
    assert.equal((await setUp(settings())).status, 303);
    const { id, email } = await member(service, shop, "finance");
    const comes = () => signIn(browser(service), email);
    const switches = () => setUp(settings({ required: "1" }));
    const [first, second] = isSignInFirst ? [comes, switches] : [switches, comes];
    await race.atOnce(service, first, second);
    const left = await service.rows("select from console_sessions where person = $1 and ended_at is null", [
      id,
    ]);
    assert.deepEqual(left, []);
    assert.equal((await setUp(settings())).status, 303);
  });

for (const isKeyFirst of [true, false])
  test(`a key whose form is being processed when its creator is signed out is ${isKeyFirst ? "created before that" : "not created"}`, async () => {
    assert.equal((await setUp(settings())).status, 303);
    const { browser: own } = await member(service, shop, "developer");
    const path = "/console/developers/keys/";
    const csrf = tokenIn(await own.get(`${path}?act=new`)) ?? "";
    const name = isKeyFirst ? "In time" : "Late";
    let status = 0;
    const makes = async () => {
      ({ status } = await own.post(path, { csrf, name, "scopes:settings": "1" }));
    };
    const switches = () => setUp(settings({ required: "1" }));
    const [first, second] = isKeyFirst ? [makes, switches] : [switches, makes];
    await race.atOnce<unknown, unknown>(service, first, second);
    const made = await service.rows("select from api_keys where tenant = $1 and name = $2", [
      shop.tenant,
      name,
    ]);
    assert.deepEqual([status < 400, made.length], isKeyFirst ? [true, 1] : [false, 0]);
    assert.equal(await whoIs(own), null);
    assert.equal((await setUp(settings())).status, 303);
  });

test("after a failed sign-in the page says why, keeps the company and the requested page, and allows another try", async () => {
  assert.equal((await setUp(settings())).status, 303);
  await invited(service, shop, "finance", "hans@example.com");
  const next = "/console/payments/";
  const asked = `&next=${encodeURIComponent(next)}`;
  const own = browser(service);
  const toState = async () => {
    const { headers } = await own.get(`/console/oidc/start/?tenant=${shop.id}${asked}`);
    return new URL(String(headers["location"])).searchParams.get("state") ?? "";
  };
  const shown = async (answer: Response) => {
    const to = String(answer.headers["location"]);
    const page = await own.get(to);
    const again =
      /href="(\/console\/oidc\/start\/[^"]+)"/.exec(page.text)?.[1]?.replaceAll("&#38;", "&") ?? null;
    return { words: wordsOf(page), again };
  };
  const again = `/console/oidc/start/?tenant=${shop.id}${asked}`;
  const cancelled = await shown(
    await own.get(`/console/oidc/callback/?error=access_denied&state=${await toState()}`),
  );
  assert.match(cancelled.words, /You did not finish signing in with your company/);
  assert.equal(cancelled.again, again);
  const failed = await shown(
    await own.get(`/console/oidc/callback/?error=server_error&state=${await toState()}`),
  );
  assert.match(failed.words, /gave no answer that can be used/);
  assert.equal(failed.again, again);
  const path = await throughProvider(own, "hans@example.com", asked);
  isDown = true;
  const down = await shown(await own.get(path));
  isDown = false;
  assert.match(down.words, /gave no answer that can be used/);
  const used = await throughProvider(own, "hans@example.com", asked);
  const elsewhere = browser(service);
  assert.equal((await elsewhere.get(used)).headers["location"], "/console/sign-in/?trouble=over");
  assert.match(wordsOf(await elsewhere.get("/console/sign-in/?trouble=over")), /That sign-in is over/);
  assert.equal((await own.get(used)).headers["location"], next);
  assert.equal(
    (await own.get(used)).headers["location"],
    "/console/",
    "the same answer again, as after going back",
  );
  assert.equal(await whoIs(own), "hans@example.com");
  assert.equal((await own.get(`/console/sign-in/?company=${shop.id}${asked}`)).headers["location"], next);
});

test("a second factor that another person of the company shows at the provider is refused with that reason", async () => {
  assert.equal((await setUp(settings({ role_for_new: "viewer" }))).status, 303);
  const { own } = await signInAs("ida@example.com");
  const refused = await own.get(await throughProvider(own, "jan@example.com", "&again=1"));
  const page = await own.get(String(refused.headers["location"]));
  assert.equal(page.status, 200);
  assert.match(wordsOf(page), /somebody else was signed in/);
  assert.match(page.text, /\/console\/oidc\/start\//);
});

test("at another provider people are signed in as themselves, also where another person had their subject at the former one", async () => {
  assert.equal((await setUp(settings({ role_for_new: "viewer" }))).status, 303);
  const [kim, lea] = ["kim@example.com", "lea@example.com"];
  const callback = `${service.config.publicUrl}/console/oidc/callback/`;
  const former = issuer;
  for (const addresses of [
    { "7": kim, "8": lea },
    { "7": lea, "8": kim },
  ]) {
    const other = await startProvider(callback, addresses);
    ({ issuer } = other);
    try {
      assert.equal((await setUp(settings({ role_for_new: "viewer" }))).status, 303);
      for (const [subject, email] of Object.entries(addresses))
        assert.equal(await whoIs((await signInAs(subject)).own), email);
    } finally {
      other.server.close();
      other.server.closeAllConnections();
      issuer = former;
    }
  }
  const people = await service.rows("select from people where email = any($1)", [[kim, lea]]);
  assert.equal(people.length, 2);
});

for (const isSignInFirst of [true, false])
  test(`a sign-in ${isSignInFirst ? "just before" : "just after"} single sign-on is switched off leaves no person bound to a subject`, async () => {
    assert.equal((await setUp(settings({ role_for_new: "viewer" }))).status, 303);
    const own = browser(service);
    const path = await throughProvider(own, "mia@example.com");
    const signsIn = () => own.get(path);
    const switchesOff = async () => {
      assert.equal((await owner.browser.submit(SSO, `${SSO}off/`)).status, 303);
    };
    await (isSignInFirst
      ? race.atOnce(service, signsIn, switchesOff)
      : race.atOnce(service, switchesOff, signsIn));
    assert.equal(await whoIs(own), isSignInFirst ? "mia@example.com" : null);
    assert.deepEqual(await service.rows("select from people where oidc_subject is not null"), []);
  });

test("another client at the same provider gives people other subjects; with the same client they keep theirs", async () => {
  assert.equal((await setUp(settings({ role_for_new: "viewer" }))).status, 303);
  assert.equal(await whoIs((await signInAs("nina@example.com")).own), "nina@example.com");
  const bound = () => service.rows("select from people where oidc_subject is not null");
  assert.equal((await setUp(settings({ client_secret: "", role_for_new: "" }))).status, 303);
  assert.equal((await bound()).length, 1);
  assert.equal((await setUp(settings({ client_id: OTHER_CLIENT }))).status, 303);
  assert.deepEqual(await bound(), []);
  assert.equal(await whoIs((await signInAs("nina@example.com")).own), "nina@example.com");
});

test("while the provider is down, an owner can allow passwords again", async () => {
  assert.equal((await setUp(settings({ required: "1" }))).status, 303);
  // Nothing is cached for a provider with another secret.
  isDown = true;
  const other = await setUp(
    settings({ client_secret: "another-secret-of-the-same-client-0002", required: "1" }),
  );
  assert.equal(other.status, 400);
  assert.match(other.text, /name="required"[^>]*checked/);
  const released = await setUp(settings({ client_secret: "" }));
  isDown = false;
  assert.equal(released.headers["location"], `${SSO}?done=save`, released.text);
  const rows = await service.rows("select required from oidc_providers");
  assert.deepEqual(rows, [{ required: false }]);
});

test("switching single sign-on off needs a confirmation, whose dialog says what it means", async () => {
  assert.equal((await setUp(settings())).status, 303);
  const page = await owner.browser.get(SSO);
  assert.ok(!page.text.includes(`action="${SSO}off/"`) && page.text.includes(`href="${SSO}?act=off"`));
  const asked = await owner.browser.get(`${SSO}?act=off`);
  assert.match(asked.text, /role="dialog"/);
  assert.ok(asked.text.includes(`action="${SSO}off/"`));
  assert.match(wordsOf(asked), /whoever has neither needs a new link/);
  assert.equal((await owner.browser.submit(`${SSO}?act=off`, `${SSO}off/`)).status, 303);
  assert.ok(
    !(await owner.browser.get(`${SSO}?act=off`)).text.includes('role="dialog"'),
    "nothing to switch off",
  );
});

test("single sign-on that was disabled and set up again keeps working, also in another process", async () => {
  assert.equal((await setUp(settings({ role_for_new: "viewer" }))).status, 303);
  assert.equal((await owner.browser.submit(SSO, `${SSO}off/`)).status, 303);
  assert.equal((await setUp(settings({ role_for_new: "viewer" }))).status, 303);
  // From now on nothing about the provider is cached, and its secret has to be decrypted.
  clock.advance(11 * MINUTE_MS);
  assert.equal(await whoIs((await signInAs("again@example.com")).own), "again@example.com");
  owner = await member(service, shop, "owner");
  assert.equal((await setUp(settings({ client_secret: "", role_for_new: "" }))).status, 303);
  clock.advance(11 * MINUTE_MS);
  assert.equal(await whoIs((await signInAs("again@example.com")).own), "again@example.com");
});
