/**
 * Each role sees and can do exactly its actions: tested for every action, every role, and the own, a foreign and no
 * tenant.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import {
  ACTIONS,
  actionLabel,
  may,
  ROLES,
  scopesOf,
  TENANT_ROLES,
  type Action,
  type Role,
} from "../../src/people/access.ts";
import { hasScope, SCOPES, type Scope } from "../../src/http/scopes.ts";
import {
  browser,
  createCompany,
  invited,
  member,
  operator,
  PASSWORD,
  setUpTotp,
  signIn,
  tokenIn,
  type Company,
  type Member,
} from "../support/people.ts";
import { OPERATOR_KEY, startService, type Service } from "../support/service.ts";

let service: Service;
let company: Company;
let other: Company;
const people = new Map<Role, Member>();
let foreign: Member;

before(async () => {
  service = await startService();
  company = await createCompany(service, "Shop");
  other = await createCompany(service, "Other");
  for (const role of TENANT_ROLES) people.set(role, await member(service, company, role));
  foreign = await member(service, other, "owner");
  people.set("operator", await operator(service));
});
after(() => service.close());

const of = (role: Role): Member => {
  const found = people.get(role);
  assert.ok(found);
  return found;
};

/** The pages and forms that require an action. Together with NOT_BY_ROLE this is all of them. */
const DOORS: readonly (readonly [action: Action, method: "GET" | "POST", path: string])[] = [
  ["payments.read", "GET", "/console/expected.csv"],
  ["payments.read", "GET", "/console/figures.csv"],
  ["payments.read", "GET", "/console/returns.csv"],
  ["payments.read", "GET", "/console/payments/"],
  ["exports.create", "GET", "/console/payments/export.csv"],
  ["exports.create", "GET", "/console/payments/export.xlsx"],
  ["exports.create", "GET", "/console/payments/export/"],
  ["payments.read", "POST", "/console/views/"],
  ["payments.read", "POST", "/console/views/{id}/"],
  ["payments.read", "POST", "/console/views/{id}/remove/"],
  ["payments.read", "GET", "/console/payments/{id}/"],
  ["payments.refund", "POST", "/console/payments/{id}/refund/"],
  ["payments.note", "POST", "/console/payments/{id}/notes/"],
  ["payments.stop", "POST", "/console/payments/{id}/stop/"],
  ["payments.refund", "POST", "/console/payments/{id}/release/"],
  ["payments.refund", "POST", "/console/payments/{id}/unsend/"],
  ["payments.read", "GET", "/console/payment-links/"],
  ["payments.create", "POST", "/console/payment-links/"],
  ["payments.read", "GET", "/console/payment-links/{id}/"],
  ["payments.read", "GET", "/console/payment-links/{id}/qr-code.svg"],
  ["payments.create", "POST", "/console/payment-links/{id}/"],
  ["payments.create", "POST", "/console/payment-links/{id}/archive/"],
  ["payments.create", "POST", "/console/payment-links/{id}/switch/"],
  ["payments.read", "GET", "/console/customers/"],
  ["payments.read", "GET", "/console/customers/{id}/"],
  ["customers.erase", "POST", "/console/customers/{id}/erase/"],
  ["payments.read", "GET", "/console/subscriptions/"],
  ["payments.read", "GET", "/console/subscriptions/due/"],
  ["payments.read", "GET", "/console/restores/"],
  ["payments.read", "GET", "/console/subscriptions/{id}/"],
  ["subscriptions.write", "POST", "/console/subscriptions/{id}/cancel/"],
  ["subscriptions.write", "POST", "/console/subscriptions/{id}/change/"],
  ["subscriptions.write", "POST", "/console/subscriptions/{id}/collect/"],
  ["payments.read", "GET", "/console/mandates/"],
  ["payments.read", "GET", "/console/mandates/{id}/"],
  ["payments.read", "GET", "/console/mandates/{id}/document/"],
  ["payments.read", "GET", "/console/mandates/{id}/dossier/"],
  ["mandates.write", "POST", "/console/mandates/{id}/amend/"],
  ["mandates.write", "POST", "/console/mandates/{id}/cancel/"],
  ["mandates.write", "POST", "/console/mandates/{id}/confirm/"],
  ["payments.read", "GET", "/console/chargebacks/"],
  ["payments.read", "GET", "/console/chargebacks/{id}/"],
  ["bank.read", "GET", "/console/bank/"],
  ["bank.send", "POST", "/console/bank/users/{id}/resume/"],
  ["bank.read", "GET", "/console/bank/statements/"],
  ["bank.read", "GET", "/console/bank/unmatched/"],
  ["bank.read", "GET", "/console/bank/unmatched/{id}/"],
  ["bank.send", "POST", "/console/bank/unmatched/{id}/resolve/"],
  ["bank.read", "GET", "/console/bank/files/{id}/"],
  ["bank.send", "POST", "/console/bank/files/{id}/content/"],
  ["bank.approve", "POST", "/console/bank/files/{id}/approve/"],
  ["bank.send", "POST", "/console/bank/files/{id}/sent/"],
  ["bank.send", "POST", "/console/bank/files/{id}/withdraw/"],
  ["bank.send", "POST", "/console/bank/files/{id}/arrived/"],
  ["bank.send", "POST", "/console/bank/files/{id}/lost/"],
  ["payments.read", "GET", "/console/search/"],
  ["payments.read", "POST", "/console/search/"],
  ["developers.read", "GET", "/console/developers/"],
  ["developers.read", "GET", "/console/developers/webhooks/"],
  ["settings.write", "POST", "/console/developers/webhooks/"],
  ["developers.read", "GET", "/console/developers/webhooks/{id}/"],
  ["settings.write", "POST", "/console/developers/webhooks/{id}/"],
  ["settings.write", "POST", "/console/developers/webhooks/{id}/archive/"],
  ["settings.write", "POST", "/console/developers/webhooks/{id}/secret/"],
  ["settings.write", "POST", "/console/developers/webhooks/{id}/test/"],
  ["developers.read", "GET", "/console/developers/deliveries/"],
  ["webhooks.resend", "POST", "/console/developers/deliveries/again/"],
  ["developers.read", "GET", "/console/developers/deliveries/{id}/"],
  ["webhooks.resend", "POST", "/console/developers/deliveries/{id}/again/"],
  ["developers.read", "GET", "/console/developers/events/"],
  ["developers.read", "GET", "/console/developers/events/{id}/"],
  ["developers.read", "GET", "/console/developers/requests/"],
  ["developers.read", "GET", "/console/developers/requests/{id}/"],
  ["developers.read", "GET", "/console/developers/integrations/"],
  ["settings.write", "POST", "/console/developers/integrations/"],
  ["developers.read", "GET", "/console/developers/integrations/{id}/"],
  ["settings.write", "POST", "/console/developers/integrations/{id}/"],
  ["settings.write", "POST", "/console/developers/integrations/{id}/archive/"],
  ["settings.write", "POST", "/console/developers/integrations/{id}/address/"],
  ["developers.read", "GET", "/console/developers/integrations/{id}/postbacks/"],
  ["developers.read", "GET", "/console/developers/integrations/{id}/postbacks/{activity_id}/"],
  ["settings.write", "POST", "/console/developers/integrations/{id}/postbacks/{activity_id}/again/"],
  ["keys.read", "GET", "/console/developers/keys/"],
  ["keys.write", "POST", "/console/developers/keys/"],
  ["keys.read", "GET", "/console/developers/keys/{id}/"],
  ["keys.write", "POST", "/console/developers/keys/{id}/"],
  ["keys.write", "POST", "/console/developers/keys/{id}/archive/"],
  ["keys.write", "POST", "/console/developers/keys/{id}/rotate/"],
  ["keys.write", "POST", "/console/developers/keys/{id}/revoke/"],
  ["developers.read", "GET", "/console/developers/signature/"],
  ["developers.read", "POST", "/console/developers/signature/"],
  ["developers.read", "GET", "/console/developers/test-accounts/"],
  ["settings.read", "GET", "/console/setup/"],
  ["settings.read", "GET", "/console/setup/company/"],
  ["tenant.write", "POST", "/console/setup/company/"],
  ["settings.read", "GET", "/console/setup/messages/"],
  ["settings.read", "GET", "/console/setup/return-codes/"],
  ["tenant.write", "POST", "/console/setup/return-codes/"],
  ["settings.read", "GET", "/console/setup/gateways/"],
  ["settings.write", "POST", "/console/setup/gateways/"],
  ["settings.read", "GET", "/console/setup/gateways/{id}/"],
  ["settings.write", "POST", "/console/setup/gateways/{id}/"],
  ["settings.write", "POST", "/console/setup/gateways/{id}/archive/"],
  ["settings.read", "GET", "/console/setup/offers/"],
  ["settings.write", "POST", "/console/setup/offers/"],
  ["settings.read", "GET", "/console/setup/offers/{id}/"],
  ["settings.write", "POST", "/console/setup/offers/{id}/"],
  ["settings.write", "POST", "/console/setup/offers/{id}/archive/"],
  ["settings.read", "GET", "/console/setup/campaigns/"],
  ["settings.write", "POST", "/console/setup/campaigns/"],
  ["settings.read", "GET", "/console/setup/campaigns/{id}/"],
  ["settings.write", "POST", "/console/setup/campaigns/{id}/"],
  ["settings.write", "POST", "/console/setup/campaigns/{id}/archive/"],
  ["settings.write", "POST", "/console/setup/campaigns/{id}/resume/"],
  ["settings.read", "GET", "/console/setup/payment-pages/"],
  ["settings.write", "POST", "/console/setup/payment-pages/"],
  ["settings.read", "GET", "/console/setup/payment-pages/{id}/"],
  ["settings.write", "POST", "/console/setup/payment-pages/{id}/"],
  ["settings.write", "POST", "/console/setup/payment-pages/{id}/archive/"],
  ["settings.write", "POST", "/console/setup/gateways/{id}/test/"],
  ["audit.read", "GET", "/console/setup/audit-log/"],
  ["audit.read", "GET", "/console/setup/audit-log/{id}/"],
  ["test_mode.use", "GET", "/console/test-mode/"],
  ["test_mode.use", "POST", "/console/test-mode/clock/"],
  ["test_mode.use", "POST", "/console/test-mode/tick/"],
  ["test_mode.use", "POST", "/console/test-mode/play/"],
  ["test_mode.use", "POST", "/console/test-mode/come-back/"],
  ["people.read", "GET", "/console/people/"],
  ["people.write", "GET", "/console/people/single-sign-on/"],
  ["people.write", "POST", "/console/people/"],
  ["people.write", "POST", "/console/people/{id}/role/"],
  ["people.write", "POST", "/console/people/{id}/link/"],
  ["people.write", "POST", "/console/people/{id}/remove-factors/"],
  ["people.write", "POST", "/console/people/{id}/end-sessions/"],
  ["people.write", "POST", "/console/people/{id}/remove/"],
  ["people.write", "POST", "/console/people/single-sign-on/"],
  ["people.write", "POST", "/console/people/single-sign-on/off/"],
  ["operator.versions", "GET", "/console/operator/"],
  ["operator.tenants", "GET", "/console/operator/tenants/"],
  ["operator.health", "GET", "/console/operator/jobs/"],
  ["operator.health", "GET", "/console/operator/queues/"],
  ["operator.health", "GET", "/console/operator/receivers/"],
  ["operator.health", "GET", "/console/operator/banks/"],
  ["operator.keys", "GET", "/console/operator/keys/"],
];

/**
 * The other pages and forms: for every person who is signed in, for those who have shown the first factor only, and for
 * everyone.
 */
const NOT_BY_ROLE: Readonly<Record<"signed_in" | "unfinished" | "anyone", readonly string[]>> = {
  signed_in: [
    "GET /console/",
    "GET /console/access/",
    "GET /console/design/",
    "GET /console/step-up/",
    "POST /console/step-up/",
    "POST /console/account/profile/",
    "POST /console/account/password/",
    "POST /console/account/authenticator/remove/",
    "POST /console/account/passkeys/{id}/remove/",
    "POST /console/account/recovery-codes/",
    "POST /console/account/sessions/end-others/",
    "POST /console/account/sessions/{id}/end/",
  ],
  unfinished: [
    "GET /console/account/",
    "GET /console/account/authenticator/",
    "POST /console/account/authenticator/",
    "POST /console/account/passkeys/",
    "GET /console/second-factor/",
    "POST /console/second-factor/",
    "POST /console/sign-out/",
  ],
  anyone: [
    "GET /console/sign-in/",
    "POST /console/sign-in/",
    "POST /console/sign-in/passkey/",
    "GET /console/oidc/start/",
    "GET /console/oidc/callback/",
    "GET /console/link/{token}/",
    "POST /console/link/{token}/",
  ],
};
const UNKNOWN = "018f0000-0000-7000-8000-000000000000";
/** Redirects to the first tab of the section. */
const LEADING: readonly string[] = ["/console/developers/", "/console/setup/"];
/** Fields with which every form can be sent. */
const FIELDS = { id: UNKNOWN, amount: "1.00", when: "now", role: "viewer" };

test("the tests below cover exactly the pages and forms of the console", () => {
  const declared = service.app.server
    .routes()
    .map(({ method, path }) => `${method} ${path}`)
    .filter((route) => route.includes(" /console/") && !route.includes("/console/assets/"));
  const walked = [
    ...DOORS.map(([, method, path]) => `${method} ${path}`),
    ...Object.values(NOT_BY_ROLE).flat(),
  ];
  assert.deepEqual(walked.toSorted(), declared.toSorted());
});

/** Actions that no page or form requires, and where they are required. */
const ELSEWHERE: Readonly<Partial<Record<Action, string>>> = {
  "payments.import": "what a key may be given: scope refunds",
  "chargebacks.write": "what a key may be given: scope refunds",
  "exports.whole_ibans": "what a key may be given: scope whole_ibans",
  "views.share": "in the forms of views, which each may open",
};

test("every action is required somewhere, and is in the table of the docs", async () => {
  const asked = [...DOORS.map(([action]) => action), ...Object.keys(ELSEWHERE)];
  assert.deepEqual([...new Set(asked)].toSorted(), ACTIONS.toSorted());
  assert.equal(new Set(DOORS.map(([action]) => action)).size + Object.keys(ELSEWHERE).length, ACTIONS.length);
  const docs = await readFile(new URL("../../docs/people.md", import.meta.url), "utf8");
  const cells = docs.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
  for (const action of ACTIONS) {
    const row = cells.find((one) => one[2] === `\`${action}\``) ?? [];
    const roles = (Object.keys(ROLES) as readonly Role[]).map((role) => (may(role, action) ? "yes" : "–"));
    assert.deepEqual(row.slice(3, 3 + roles.length), roles, action);
  }
});

test("pages without a required action redirect people who are not signed in to the sign-in, or to its next step", async () => {
  const place = await createCompany(service, "Half");
  const { email, browser: full } = await member(service, place, "owner");
  await setUpTotp(full, new Date());
  const half = browser(service);
  assert.equal((await signIn(half, email)).status, 303);
  const csrf = tokenIn(await half.get("/console/second-factor/")) ?? "";
  const routes = [...NOT_BY_ROLE.signed_in, ...DOORS.map(([, method, path]) => `${method} ${path}`)];
  for (const route of [...routes, ...NOT_BY_ROLE.unfinished]) {
    const [method, path = ""] = route.replace(/\{(activity_)?id\}/g, UNKNOWN).split(" ");
    const nobody = browser(service);
    const refused = method === "GET" ? await nobody.get(path) : await nobody.post(path, FIELDS);
    if (method === "POST") assert.equal(refused.status, 403, route);
    else assert.match(String(refused.headers["location"]), /^\/console\/sign-in\/\?next=/, route);
    if (!routes.includes(route)) continue;
    const led = method === "GET" ? await half.get(path) : await half.post(path, { ...FIELDS, csrf });
    const next = encodeURIComponent(method === "GET" ? path : "/console/");
    assert.deepEqual(
      [led.status, led.headers["location"]],
      [303, `/console/second-factor/?next=${next}`],
      route,
    );
  }
});

test("each page and form admits only the roles of its action, and finds no records of another tenant", async () => {
  const through = async (role: Role) => {
    const { browser: own } = of(role);
    const csrf = tokenIn(await own.get("/console/account/")) ?? "";
    for (const [action, method, path] of DOORS) {
      const call = (id: string) =>
        method === "GET"
          ? own.get(path.replace(/\{(activity_)?id\}/g, id))
          : own.post(path.replace(/\{(activity_)?id\}/g, id), { ...FIELDS, csrf });
      if (!may(role, action)) {
        // Operators and people of a tenant get a 404 for each other's pages; people of the tenant without the role get
        // a 403.
        const isOthers = (role === "operator") !== action.startsWith("operator.");
        const { status } = await call(of("viewer").id);
        assert.equal(status, isOthers ? 404 : 403, `${role} ${method} ${path}`);
        continue;
      }
      if (path.includes("{id}"))
        for (const id of [foreign.id, UNKNOWN, "none"])
          assert.equal((await call(id)).status, 404, `${role} ${path} ${id}`);
      else if (method === "GET")
        assert.equal((await call("")).status, LEADING.includes(path) ? 303 : 200, `${role} ${path}`);
    }
  };
  await Promise.all((Object.keys(ROLES) as readonly Role[]).map(through));
  const still = await foreign.browser.get("/console/people/");
  assert.equal(still.status, 200, "nothing was done to the other company");
});

test("the page of roles agrees with the table, and shows buttons only to people who may use them", async () => {
  for (const role of TENANT_ROLES) {
    const text = (await of(role).browser.get("/console/access/")).text.replaceAll("&#39;", "'");
    for (const action of ACTIONS)
      assert.equal(text.includes(actionLabel(action)), !action.startsWith("operator."), `${role} ${action}`);
    const home = (await of(role).browser.get("/console/")).text;
    assert.equal(home.includes('href="/console/people/"'), may(role, "people.read"), role);
  }
  const { text } = await of("operator").browser.get("/console/access/");
  assert.ok(text.includes(actionLabel("operator.health")) && !text.includes(actionLabel("payments.read")));
});

test("an operator has no action of a tenant, and a tenant's people have none of the operator's", () => {
  for (const action of ACTIONS) {
    assert.equal(may("operator", action), action.startsWith("operator."), action);
    for (const role of TENANT_ROLES)
      if (action.startsWith("operator.")) assert.equal(may(role, action), false);
    if (!action.startsWith("operator.")) assert.equal(may("owner", action), true, action);
  }
});

test("a person can give a key only scopes of their own role: only an owner can give management, people or whole IBANs", () => {
  for (const role of Object.keys(ROLES) as readonly Role[]) {
    const scopes = scopesOf(role);
    for (const scope of ["management", "people", "whole_ibans"] as const)
      assert.equal(hasScope(scopes, scope), role === "owner", `${role} ${scope}`);
    assert.equal(hasScope(scopes, "refunds"), may(role, "payments.refund"), role);
    assert.equal(hasScope(scopes, "keys"), may(role, "keys.write"), role);
  }
  assert.deepEqual([...scopesOf("owner")].toSorted(), Object.keys(SCOPES).toSorted());
  assert.deepEqual(scopesOf("operator"), []);
});

async function key(scopes: readonly Scope[], of_ = company): Promise<string> {
  const given = { name: scopes.join(), scopes };
  const made = await service.post(`management/tenants/${of_.id}/api-keys/`, given, { key: OPERATOR_KEY });
  assert.equal(made.status, 201, made.text);
  return made.body["api_key"];
}

test("the API of people requires its own scope, which management does not include", async () => {
  assert.equal((await service.get("management/people/", { key: company.key })).status, 403);
  assert.equal(
    (await service.get("management/people/", { key: await key(["people"], other) })).body["results"].length,
    1,
  );
});

test("a key cannot give or change a role that can do more than the key, or reset a person with such a role", async () => {
  const narrow = await key(["people", "reconciliation"]);
  const invite = (role: string) =>
    service.post(
      "management/people/",
      { email: `by-key-${role}@example.com`, name: "K", role },
      { key: narrow },
    );
  for (const role of TENANT_ROLES)
    assert.equal((await invite(role)).status, role === "viewer" ? 201 : 403, role);
  const owner = `management/people/${of("owner").id}/`;
  assert.equal((await service.post(`${owner}link/`, {}, { key: narrow })).status, 403);
  assert.equal((await service.post(`${owner}remove-factors/`, {}, { key: narrow })).status, 403);
  const viewer = `management/people/${of("viewer").id}/`;
  assert.equal((await service.call("PATCH", viewer, { role: "owner" }, { key: narrow })).status, 403);
  assert.equal((await service.call("PATCH", owner, { role: "viewer" }, { key: narrow })).status, 403);
  const wide = await key(["payments", "reconciliation", "management", "people", "whole_ibans"]);
  assert.equal(
    (
      await service.post(
        "management/people/",
        { email: "o2@example.com", name: "O", role: "owner" },
        { key: wide },
      )
    ).status,
    201,
  );
});

test("a link that was made before a change of the role sets no password any more", async () => {
  const narrow = await key(["people", "reconciliation"]);
  const given = { email: "promoted@example.com", name: "P", role: "viewer" };
  const made = await service.post("management/people/", given, { key: narrow });
  assert.equal(made.status, 201);
  const person = `management/people/${made.body["id"]}/`;
  const wide = await key(["payments", "reconciliation", "management", "people", "whole_ibans"]);
  assert.equal((await service.call("PATCH", person, { role: "owner" }, { key: wide })).status, 200);
  assert.equal((await browser(service).get(new URL(made.body["link"]).pathname)).status, 410);
  const again = await service.post(`${person}link/`, {}, { key: wide });
  assert.equal((await browser(service).get(new URL(again.body["link"]).pathname)).status, 200);
});

test("for a key, another tenant's people are unknown", async () => {
  const own = await key(["payments", "reconciliation", "management", "people", "whole_ibans"]);
  const calls: readonly (readonly [method: string, path: string, body?: object])[] = [
    ["GET", ""],
    ["PATCH", "", { role: "viewer" }],
    ["DELETE", ""],
    ["POST", "link/", {}],
    ["POST", "remove-factors/", {}],
    ["GET", "sessions/"],
    ["DELETE", "sessions/"],
  ];
  for (const [method, path, body] of calls) {
    const send = (id: string) => service.call(method, `management/people/${id}/${path}`, body, { key: own });
    const [a, b] = [await send(foreign.id), await send(UNKNOWN)];
    assert.deepEqual([a.status, a.text], [404, b.text], `${method} ${path}`);
  }
  assert.equal((await foreign.browser.get("/console/")).status, 200);
});

test("a change of role and a removal end all sessions at once, and the audit log names the person", async () => {
  const victim = await member(service, company, "finance");
  const { browser: owner } = of("owner");
  const changed = await owner.submit("/console/people/", `/console/people/${victim.id}/role/`, {
    role: "viewer",
  });
  assert.equal(changed.status, 303, changed.text);
  assert.match((await owner.get(String(changed.headers["location"]))).text, /The role was changed/);
  assert.equal((await victim.browser.get("/console/")).status, 303);
  assert.equal((await signIn(victim.browser, victim.email)).status, 303);
  assert.match((await victim.browser.get("/console/account/")).text, /Viewer/);
  const removed = await owner.submit("/console/people/", `/console/people/${victim.id}/remove/`);
  assert.equal(removed.status, 303);
  assert.match((await owner.get(String(removed.headers["location"]))).text, /The person was removed/);
  assert.equal((await victim.browser.get("/console/")).status, 303);
  assert.equal((await signIn(victim.browser, victim.email)).status, 403);
  const { body } = await service.get(`management/audit-log/?resource=people&resource_id=${victim.id}`, {
    key: company.key,
  });
  const entries = body["results"].map((row: any) => [row.action, row.actor]);
  assert.deepEqual(entries.slice(0, 1), [["remove", `person:${of("owner").id}`]]);
  assert.ok(
    entries.some(([action, actor]: any) => action === "update" && actor === `person:${of("owner").id}`),
  );
  assert.ok(entries.some(([action, actor]: any) => action === "sign_in" && actor === `person:${victim.id}`));
});

test("a form that is being processed when the person's role changes has no effect with the old role", async () => {
  const second = await member(service, company, "owner");
  const csrf = tokenIn(await second.browser.get("/console/people/")) ?? "";
  const { deps } = service.app;
  // The form was admitted. Before its transaction begins the role is changed.
  const { invite } = await import("../../src/people/manage.ts");
  const { callerOf } = await import("../../src/people/person.ts");
  const { sessionOfCookie } = await import("../../src/people/sessions.ts");
  const person = await sessionOfCookie(deps, second.browser.cookies.get("console-session") ?? null);
  assert.ok(person !== null && csrf !== "");
  await service.rows("update people set role = 'support' where id = $1", [second.id]);
  const author = { caller: callerOf(person), clientIp: "", requestId: "", operationId: deps.ids.uuid() };
  const given = { tenant: company.tenant, email: "late@example.com", name: "Late", role: "owner" } as const;
  await assert.rejects(invite(deps, author, given), { kind: "scope_missing" });
});

test("the last owner cannot be removed, also when two owners remove each other at once", async () => {
  const place = await createCompany(service, "Two owners");
  const [one, two] = [await member(service, place, "owner"), await member(service, place, "owner")];
  const remove = (by: Member, whom: Member) =>
    by.browser.submit("/console/people/", `/console/people/${whom.id}/remove/`);
  const answers = await Promise.all([remove(one, two), remove(two, one)]);
  const left = await service.rows("select id from people where tenant = $1 and removed_at is null", [
    place.tenant,
  ]);
  assert.equal(left.length, 1, JSON.stringify(answers.map(({ status }) => status)));
  const last = [one, two].find(({ id }) => id === left[0]?.["id"]);
  assert.ok(last !== undefined);
  assert.equal((await remove(last, last)).status, 409);
  const demoted = await last.browser.submit("/console/people/", `/console/people/${last.id}/role/`, {
    role: "viewer",
  });
  assert.equal(demoted.status, 409);
});

test("the same address in two companies is two people; an archived company's people are signed out", async () => {
  const email = "both@example.com";
  const [one, two] = [await createCompany(service, "One"), await createCompany(service, "Two")];
  await member(service, one, "viewer", { email });
  await member(service, two, "viewer", { email, password: "eleven slow trains 9 west" });
  const own = browser(service);
  assert.equal((await signIn(own, email, "eleven slow trains 9 west")).status, 303);
  const [row] = await service.rows(
    "select p.tenant from console_sessions s join people p on p.id = s.person where p.email = $1 order by s.created_at desc limit 1",
    [email],
  );
  assert.equal(row?.["tenant"], two.tenant);
  assert.equal((await signIn(browser(service), email, PASSWORD, { company: two.id })).status, 403);
  assert.equal((await signIn(browser(service), email, PASSWORD, { company: one.id })).status, 303);
  await service.call("DELETE", `management/tenants/${two.id}/`, undefined, { key: OPERATOR_KEY });
  assert.equal((await own.get("/console/")).status, 303);
  assert.equal((await signIn(own, email, "eleven slow trains 9 west")).status, 403);
});

test("inviting twice is a conflict, and no secret is in a table, an answer or the audit log", async () => {
  const { email, path } = await invited(service, company, "viewer");
  const again = await service.post(
    `management/tenants/${company.id}/people/`,
    { email, name: "A", role: "viewer" },
    { key: OPERATOR_KEY },
  );
  assert.equal(again.status, 409);
  const secrets = [
    path.split("/").at(-2) ?? "",
    of("owner").browser.cookies.get("console-session") ?? "",
    PASSWORD,
  ];
  const tables = await service.rows(
    "select table_name as name from information_schema.tables where table_schema = 'public'",
  );
  const dumps = await Promise.all(
    tables.map(async ({ name }) =>
      JSON.stringify(await service.rows(`select t::text as row from "${name}" t`)),
    ),
  );
  for (const secret of secrets) {
    assert.ok(secret.length > 20);
    const hex = Buffer.from(secret).toString("hex");
    for (const dump of dumps) assert.ok(!dump.includes(secret) && !dump.includes(hex), secret.slice(0, 4));
  }
});
