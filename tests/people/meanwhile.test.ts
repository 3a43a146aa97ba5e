/**
 * A person's access ends between the check of a form and its write: everything that the form creates ends with it, or
 * is not created.
 */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { SCOPES } from "../../src/http/scopes.ts";
import { later, manualClock, MINUTE_MS } from "../../src/lib/clock.ts";
import type { Calls } from "../../src/db/database.ts";
import { createRace } from "../support/at-once.ts";
import { device } from "../support/authenticator.ts";
import { UNKNOWN } from "../support/console.ts";
import {
  browser,
  codeAt,
  createCompany,
  fromBase32,
  invited,
  member,
  PASSWORD,
  signIn,
  tokenIn,
  type Company,
  type Member,
} from "../support/people.ts";
import { sized } from "../support/sized.ts";
import { OPERATOR_KEY, startService, type Response, type Service } from "../support/service.ts";

const clock = manualClock(new Date("2026-05-01T12:00:00Z"));
const race = createRace();
/** Runs before the next transaction of the service begins. */
let beforeNext: (() => void) | null = null;
const ACCOUNT = "/console/account/";
const PEOPLE = "/console/people/";
const KEYS = "/console/developers/keys/";
let service: Service;
let company: Company;
let owner: Member;

before(async () => {
  const between = (db: Calls): Calls => ({
    ...db,
    transaction: (work) => {
      beforeNext?.();
      beforeNext = null;
      return db.transaction(work);
    },
  });
  service = await startService({ clock, between: (db) => race.between(between(db)), pause: async () => {} });
});
after(() => service.close());
beforeEach(async () => {
  company = await createCompany(service);
  owner = await member(service, company, "owner");
});

/** A form whose page was read, ready to be sent. */
type Form = () => Promise<Response>;

async function formOn(who: Member, page: string, action: string, fields: object = {}): Promise<Form> {
  const csrf = tokenIn(await who.browser.get(page)) ?? "";
  return () => who.browser.post(action, { csrf, ...fields });
}

/** Sends `first`, and sends `second` when `first` has written but not committed. @returns both statuses. */
async function statusesOf(first: Form, second: Form): Promise<readonly number[]> {
  return (await race.atOnce(service, first, second)).map(({ status }) => status);
}

const byOwner = (act: string, { id }: Member, fields: object = {}) =>
  formOn(owner, PEOPLE, `${PEOPLE}${id}/${act}/`, fields);

/** The forms that end all sessions of a person. */
const ENDS: readonly (readonly [name: string, form: (whom: Member) => Promise<Form>])[] = [
  ["the role is lowered", (whom) => byOwner("role", whom, { role: "viewer" })],
  ["the second factors are removed", (whom) => byOwner("remove-factors", whom)],
  ["the person is removed", (whom) => byOwner("remove", whom)],
  ["the person is signed out everywhere", (whom) => byOwner("end-sessions", whom)],
];

const count = async (query: string, ...values: readonly unknown[]) =>
  (await service.rows(query, values)).length;

/** Something that outlives a session: the form that creates it, and a count of it. */
interface Making {
  readonly form: (who: Member) => Promise<Form>;
  readonly made: (who: Member) => Promise<number>;
}

const AN_API_KEY: Making = {
  form: (who) => formOn(who, `${KEYS}?act=new`, KEYS, { name: "Late", "scopes:settings": "1" }),
  made: () => count("select from api_keys where name = 'Late' and tenant = $1", company.tenant),
};

const MAKES: Readonly<Record<string, Making>> = {
  "an API key": AN_API_KEY,
  "a passkey": {
    form: async (who) => {
      const page = await who.browser.get(ACCOUNT);
      const { options = "", ticket = "" } =
        /data-options="(?<options>[^"]+)"[\s\S]*?name="ticket" value="(?<ticket>[^"]+)"/.exec(page.text)
          ?.groups ?? {};
      const asked = options.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
      const { answer } = device(new URL(service.config.publicUrl).origin).make(asked);
      const fields = { csrf: tokenIn(page) ?? "", ticket, answer, name: "Late" };
      return () => who.browser.post(`${ACCOUNT}passkeys/`, fields);
    },
    made: ({ id }) => count("select from person_passkeys where person = $1", id),
  },
  "an authenticator app": {
    form: async (who) => {
      const path = `${ACCOUNT}authenticator/`;
      const page = await who.browser.get(path);
      const key = /<code>([A-Z2-7]+)<\/code>/.exec(page.text)?.[1] ?? "";
      const sealed = /name="sealed" value="([^"]+)"/.exec(page.text)?.[1] ?? "";
      const fields = { csrf: tokenIn(page) ?? "", sealed, code: codeAt(fromBase32(key), clock.now()) };
      return () => who.browser.post(path, fields);
    },
    made: ({ id }) => count("select from people where id = $1 and totp_secret is not null", id),
  },
  "another password": {
    form: (who) =>
      formOn(who, ACCOUNT, `${ACCOUNT}password/`, {
        current: PASSWORD,
        password: "eight pale otters 3 a weir",
      }),
    made: ({ id }) =>
      count(
        "select from audit_log where resource_id = $1 and actor = $2 and action = 'update'",
        id,
        `person:${id}`,
      ),
  },
  "another person": {
    form: (who) => formOn(who, PEOPLE, PEOPLE, { email: "late@example.com", name: "Late", role: "owner" }),
    made: () => count("select from people where tenant = $1 and name = 'Late'", company.tenant),
  },
  "other recovery codes": {
    form: (who) => formOn(who, ACCOUNT, `${ACCOUNT}recovery-codes/`),
    made: ({ id }) => count("select distinct person from person_recovery_codes where person = $1", id),
  },
  "another way for all to sign in": {
    form: async (who) => {
      await service.rows(
        `insert into oidc_providers (tenant, id, issuer, client_id, client_secret, email_domain, created_at, updated_at)
         values ($1, $2, 'https://id.example.com', 'console', '', 'example.com', $3, $3) on conflict do nothing`,
        [company.tenant, UNKNOWN, clock.now()],
      );
      return formOn(who, `${PEOPLE}single-sign-on/`, `${PEOPLE}single-sign-on/off/`);
    },
    made: () => count("select from oidc_providers where tenant = $1 and issuer = ''", company.tenant),
  },
};

for (const [name, ends] of sized(ENDS.slice(0, 2), ENDS))
  test(`${name} during a form of theirs: its record that outlives the session is created before that or not at all`, async () => {
    for (const [what, { form, made }] of Object.entries(MAKES)) {
      const whom = await member(service, company, "owner");
      const [late, end] = [await form(whom), await ends(whom)];
      const [ended, status = 0] = await statusesOf(end, late);
      assert.equal(ended, 303, what);
      assert.ok(status >= 401 && status < 500, `${what}: ${status}`);
      assert.equal(await made(whom), 0, `${what}, too late`);
    }
  });

test("each form of these tests creates its record when nothing prevents it", async () => {
  for (const [what, { form, made }] of Object.entries(MAKES)) {
    const whom = await member(service, company, "owner");
    const { status } = await (await form(whom))();
    assert.ok(status < 400, `${what}: ${status}`);
    assert.equal(await made(whom), 1, what);
  }
});

test("a key that is created while its creator's role is lowered is shown to the person who lowered it", async () => {
  const whom = await member(service, company, "owner");
  const make = await AN_API_KEY.form(whom);
  const lower = await byOwner("role", whom, { role: "viewer" });
  let seen = 0;
  await race.atOnce(service, make, async () => {
    assert.equal((await lower()).status, 303);
    seen = await AN_API_KEY.made(whom);
  });
  assert.equal(seen, 1);
});

const ALL_SCOPES = Object.keys(SCOPES);
const KEYS_API = "management/api-keys/";

async function newKey(): Promise<{ readonly id: string; readonly key: string }> {
  const given = { name: "All", scopes: ALL_SCOPES };
  const { status, body } = await service.post(`management/tenants/${company.id}/api-keys/`, given, {
    key: OPERATOR_KEY,
  });
  assert.equal(status, 201);
  return { id: body["id"], key: body["api_key"] };
}

/** How a key ends, by another one. */
const KEY_ENDS: Readonly<Record<string, (id: string, by: string) => Promise<Response>>> = {
  "is revoked": (id, key) => service.post(`${KEYS_API}${id}/revoke/`, {}, { key }),
  "is archived": (id, key) => service.call("DELETE", `${KEYS_API}${id}/`, undefined, { key }),
};

/** What a key creates that outlives it. */
const KEY_MAKES: Readonly<Record<string, (key: string) => Promise<Response>>> = {
  "a key": (key) => service.post(KEYS_API, { name: "Late" }, { key }),
  "a person": (key) =>
    service.post("management/people/", { email: "late@example.com", name: "Late", role: "viewer" }, { key }),
};

for (const [how, end] of Object.entries(KEY_ENDS))
  for (const [what, make] of Object.entries(KEY_MAKES))
    for (const isMadeFirst of [true, false])
      test(`an API key that ${how} ${isMadeFirst ? "just after" : "just before"} it creates ${what} ${isMadeFirst ? "has created it" : "creates nothing"}`, async () => {
        const [leaked, other] = [await newKey(), await newKey()];
        const statuses: Record<string, number> = {};
        const makes = async () => {
          statuses["made"] = (await make(leaked.key)).status;
        };
        const ends = async () => {
          statuses["ended"] = (await end(leaked.id, other.key)).status;
        };
        await (isMadeFirst ? race.atOnce(service, makes, ends) : race.atOnce(service, ends, makes));
        assert.ok(Number(statuses["ended"]) < 300);
        assert.equal(statuses["made"], isMadeFirst ? 201 : 401);
        const made = await service.rows(
          "select name from api_keys where tenant = $1 and name = 'Late' union all select name from people where tenant = $1 and name = 'Late'",
          [company.tenant],
        );
        assert.equal(made.length, isMadeFirst ? 1 : 0);
      });

test("an API key that expires while its request is read creates nothing", async () => {
  for (const make of Object.values(KEY_MAKES)) {
    const { id, key } = await newKey();
    await service.rows("update api_keys set expires_at = $2 where id = $1", [
      id,
      later(clock.now(), MINUTE_MS),
    ]);
    beforeNext = () => clock.advance(MINUTE_MS);
    assert.equal((await make(key)).status, 401);
  }
});

test("of two owners who lower or remove each other at once, one stays an owner", async () => {
  for (const [one, other] of [
    ["role", "role"],
    ["remove", "role"],
    ["role", "remove"],
    ["remove", "remove"],
  ] as const) {
    const second = await member(service, company, "owner");
    const fields = { role: "viewer" };
    const [first, back] = [
      await byOwner(one, second, fields),
      await formOn(second, PEOPLE, `${PEOPLE}${owner.id}/${other}/`, fields),
    ];
    assert.deepEqual(await statusesOf(first, back), [303, 403], `${one}, ${other}`);
    const left = await service.rows(
      "select id from people where tenant = $1 and role = 'owner' and removed_at is null",
      [company.tenant],
    );
    assert.deepEqual(left, [{ id: owner.id }]);
  }
});

test("two owners who step down at once: one is refused", async () => {
  const second = await member(service, company, "owner");
  const down = (who: Member) => formOn(who, PEOPLE, `${PEOPLE}${who.id}/role/`, { role: "finance" });
  assert.deepEqual(await statusesOf(await down(owner), await down(second)), [303, 409]);
});

test("an invitation that two browsers use at once is accepted once, and only that password signs in", async () => {
  const { email, path } = await invited(service, company, "finance");
  const passwords = ["eight pale otters 3 a weir", "nine copper wells 5 a mill"];
  const forms = await Promise.all(
    passwords.map(async (password) => {
      const own = browser(service);
      const csrf = tokenIn(await own.get(path)) ?? "";
      return () => own.post(path, { csrf, name: "Ada", password });
    }),
  );
  const [one, two] = forms;
  assert.ok(one !== undefined && two !== undefined);
  assert.deepEqual(await statusesOf(one, two), [303, 410]);
  const opened = await Promise.all(passwords.map((password) => signIn(browser(service), email, password)));
  assert.deepEqual(
    opened.map(({ status }) => status),
    [303, 403],
  );
});

for (const isLinkFirst of [true, false])
  test(`a reset link that is used ${isLinkFirst ? "just before" : "just after"} another is made: one of the two works`, async () => {
    const whom = await member(service, company, "finance");
    const linkIn = ({ text }: Response) => /\/console\/link\/[\w.-]+\//.exec(text)?.[0] ?? "";
    const old = linkIn(await (await byOwner("link", whom))());
    const own = browser(service);
    const password = "nine copper wells 5 a mill";
    const csrf = tokenIn(await own.get(old)) ?? "";
    const use: Form = () => own.post(old, { csrf, name: "", password });
    const make = await byOwner("link", whom);
    let next = "";
    const making: Form = async () => {
      const made = await make();
      next = linkIn(made);
      return made;
    };
    const [first, second] = isLinkFirst ? [use, making] : [making, use];
    assert.deepEqual(await statusesOf(first, second), isLinkFirst ? [303, 200] : [200, 410]);
    assert.equal((await signIn(browser(service), whom.email, password)).status, isLinkFirst ? 303 : 403);
    assert.equal((await browser(service).get(next)).status, 200, "the newer link is open");
    assert.equal((await browser(service).get(old)).status, 410);
  });

test("a session that is ended while its person shows the second factor again is not renewed", async () => {
  const whom = await member(service, company, "finance");
  const path = "/console/step-up/";
  const again = await formOn(whom, path, path, { password: PASSWORD });
  const [ended, status] = await statusesOf(await byOwner("end-sessions", whom), again);
  assert.deepEqual([ended, status], [303, 403]);
  assert.equal((await whom.browser.get("/console/")).status, 303);
  assert.equal(
    await count("select from console_sessions where person = $1 and ended_at is null", whom.id),
    0,
  );
});

test("signing out twice at once signs out", async () => {
  const whom = await member(service, company, "finance");
  const out = await formOn(whom, ACCOUNT, "/console/sign-out/");
  const statuses = await statusesOf(out, out);
  assert.deepEqual(statuses, [303, 303]);
  assert.equal((await whom.browser.get(`/console/payments/${UNKNOWN}/`)).status, 303);
});
