/** Pages before and around the sign-in: password, passkey, second factor, the company's identity provider, links, sign-out. */
import { Type } from "../../lib/schema.ts";
import type { Answer } from "../../http/endpoint.ts";
import { html, type Html } from "../../files/html.ts";
import { isUuid } from "../../lib/ids.ts";
import { signOut } from "../../people/account.ts";
import { newDevice } from "../../people/attempts.ts";
import { listPasskeys } from "../../people/factor-store.ts";
import { acceptLink, readLink, type OpenLink } from "../../people/links.ts";
import { findProvider } from "../../people/oidc-store.ts";
import { proofChallenge } from "../../people/passkeys.ts";
import type { SignedIn, Stage } from "../../people/person.ts";
import { factorsOf, prove, type Proof } from "../../people/prove.ts";
import { signInWithPasskey, signInWithPassword, type SignIn } from "../../people/sign-in.ts";
import { findOwnTenant, tenantStore } from "../../tenants/store.ts";
import { seeOther } from "../answer.ts";
import { PASSKEY_SCRIPT } from "../assets.ts";
import { cookie, noCookie, readCookie } from "../cookies.ts";
import { SIGN_IN, type ConsoleRouter, type VisitorCall } from "../guard.ts";
import { formActs, input } from "../design/fields.ts";
import type { Words } from "../words.ts";
import {
  card,
  faultsIn,
  form,
  passkeyForm,
  safeNext,
  signOutForm,
  trouble,
  visitOf,
  type Parts,
} from "./parts.ts";

const response = { 200: Type.Unknown() };
const Text = Type.Optional(Type.String({ maxLength: 2_000 }));
const Query = Type.Object({ next: Text, company: Text, trouble: Text });
const PasskeyForm = Type.Object({
  csrf: Text,
  next: Text,
  ticket: Text,
  answer: Type.Optional(Type.String({ maxLength: 20_000 })),
});

/** Declares the routes. */
export function signInRoutes(console: ConsoleRouter, parts: Parts): void {
  passwordRoutes(console, parts);
  secondFactorRoutes(console, parts);
  linkRoutes(console, parts);

  console.post("/console/sign-out/", "unfinished", {
    summary: "Sign out",
    schema: { body: Type.Object({ csrf: Text }), response },
    async handle(call) {
      await signOut(parts, call.person, visitOf(call));
      return seeOther(SIGN_IN, [noCookie(parts, "session")]);
    },
  });
}

function passwordRoutes(console: ConsoleRouter, parts: Parts): void {
  console.open("GET", SIGN_IN, {
    summary: "Sign in",
    schema: { query: Query, response },
    async handle(call) {
      const { trouble = null, company, next } = call.query;
      const isHere =
        call.person?.session.stage === "full" &&
        (company === undefined || company === call.person.company?.id);
      if (isHere && trouble === null) return seeOther(safeNext(next));
      return signInPage(parts, call, { trouble });
    },
  });

  console.open("POST", SIGN_IN, {
    summary: "Sign in with a password",
    limit: "sign_in",
    schema: {
      query: Query,
      body: Type.Object({ csrf: Text, email: Text, password: Text, next: Text, company: Text }),
      response,
    },
    async handle(call) {
      const { email = "", password = "", company } = call.body;
      const signedIn = await signInWithPassword(parts, {
        email,
        password,
        company: company !== undefined && isUuid(company) ? company : null,
        device: readCookie(parts, call.headers, "device"),
        visit: visitOf(call),
      });
      return afterSignIn(parts, call, signedIn, call.body.next);
    },
  });

  console.open("POST", `${SIGN_IN}passkey/`, {
    summary: "Sign in with a passkey",
    limit: "sign_in",
    schema: { query: Query, body: PasskeyForm, response },
    async handle(call) {
      const { ticket = "", answer = "" } = call.body;
      const signedIn = await signInWithPasskey(parts, {
        browserTie: call.browserTie,
        ticket,
        answer,
        visit: visitOf(call),
      });
      return afterSignIn(parts, call, signedIn, call.body.next, "passkey");
    },
  });
}

type OpenCall = Pick<
  VisitorCall<{ response: typeof response }>,
  "words" | "page" | "person" | "csrf" | "browserTie"
> & {
  readonly query: { readonly next?: string; readonly company?: string };
};

async function afterSignIn(
  parts: Parts,
  call: OpenCall,
  signedIn: SignIn,
  next: string | undefined,
  by: "password" | "passkey" = "password",
): Promise<Answer> {
  if (signedIn.kind === "open") {
    const { cookie: value, stage, person } = signedIn;
    const cookies = [cookie(parts, "session", value)];
    // Only a complete sign-in makes this browser a known one.
    if (stage === "full") cookies.push(cookie(parts, "device", newDevice(parts, person)));
    return seeOther(pageAfter(stage, safeNext(next)), cookies);
  }
  if (signedIn.kind === "elsewhere") {
    const query = new URLSearchParams({ tenant: await idOf(parts, signedIn.company), next: safeNext(next) });
    return seeOther(`/console/oidc/start/?${query.toString()}`);
  }
  return signInPage(parts, call, { trouble: by, status: 403, next });
}

async function idOf(parts: Parts, tenant: number): Promise<string> {
  return (await findOwnTenant(parts.db, tenant)).id;
}

/** The next page for a session at this stage. */
function pageAfter(stage: Stage, next: string): string {
  if (stage === "second_factor") return `/console/second-factor/?next=${encodeURIComponent(next)}`;
  return stage === "set_up" ? "/console/account/" : next;
}

async function signInPage(
  parts: Parts,
  call: OpenCall,
  given: { readonly trouble: string | null; readonly status?: number; readonly next?: string | undefined },
): Promise<Answer> {
  const { csrf, words } = call;
  const { say } = words;
  const next = safeNext(given.next ?? call.query.next);
  const company = await companyOf(parts, call.query.company);
  const asked = await proofChallenge(parts, call.browserTie, null);
  const or = html`<p class="or">${say("or")}</p>`;
  const body = html`${company !== null && html`<p class="soft">${company.name}</p>`}
  ${trouble(troubleOf(words, given.trouble))}
  ${company?.elsewhere === true && html`${toCompany(words, company.id, next)}${or}`}
  ${form(
    SIGN_IN,
    csrf,
    html`${hidden("next", next)}${company !== null && hidden("company", company.id)}
    ${input({ name: "email", label: say("emailAddress"), type: "email", autocomplete: "username webauthn", required: true })}
    ${input({ name: "password", label: say("password"), type: "password", autocomplete: "current-password", required: true })}
    ${formActs(say("signIn"))}`,
  )}
  ${passkeyForm(`${SIGN_IN}passkey/`, csrf, asked, { label: say("withPasskey"), more: html`${hidden("next", next)}${or}` })}`;
  const { status = 200 } = given;
  return call.page(say("signIn"), body, { status, scripts: [PASSKEY_SCRIPT] });
}

/** The error named in an address; other values are ignored. */
function troubleOf({ say }: Words, name: string | null | undefined): string | undefined {
  return new Map([
    ["password", say("wrong")],
    ["passkey", say("passkeyFailed")],
    ["company", say("companyFailed")],
    ["cancelled", say("companyCancelled")],
    ["unusable", say("companyUnusable")],
    ["over", say("companyOver")],
    ["unreachable", say("companyDown")],
  ]).get(name ?? "");
}

function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}" />`;
}

/** The way through the company's identity provider. */
function toCompany(words: Words, id: string, next: string, again = false): Html {
  const query = new URLSearchParams({ tenant: id, ...(again ? { again: "1" } : {}), next });
  return html`<p class="form-acts">
    <a class="button" href="/console/oidc/start/?${query.toString()}">${words.say("atCompany")}</a>
  </p>`;
}

/** The company named in its own link: its people see its name, and its way to sign in. */
async function companyOf(
  parts: Parts,
  id: string | undefined,
): Promise<{ readonly id: string; readonly name: string; readonly elsewhere: boolean } | null> {
  if (id === undefined || !isUuid(id)) return null;
  const row = await tenantStore.find(parts.db, 0, id);
  if (row === null || row.archived_at !== null) return null;
  const elsewhere = (await findProvider(parts.db, row.tenant)) !== null;
  return { id: row.id, name: row.name, elsewhere };
}

function secondFactorRoutes(console: ConsoleRouter, parts: Parts): void {
  const ProofForm = Type.Object({
    csrf: Text,
    code: Text,
    password: Text,
    ticket: Text,
    answer: Type.Optional(Type.String({ maxLength: 20_000 })),
  });
  for (const [path, again] of [
    ["/console/second-factor/", false],
    ["/console/step-up/", true],
  ] as const) {
    const admission = again ? "signed_in" : "unfinished";
    console.get(path, admission, {
      summary: again ? "Confirm that it is you" : "Second factor",
      schema: { query: Query, response },
      async handle(call) {
        const { words } = call;
        if (!again && call.person.session.stage !== "second_factor")
          return seeOther(pageAfter(call.person.session.stage, safeNext(call.query.next)));
        const { trouble } = call.query;
        const problem = trouble === "company" ? words.say("companyOther") : troubleOf(words, trouble);
        return proofPage(parts, call, path, again, problem ?? null);
      },
    });
    console.post(path, admission, {
      summary: again ? "Confirm that it is you" : "Send the second factor",
      limit: "sign_in",
      schema: { query: Query, body: ProofForm, response },
      async handle(call) {
        const next = safeNext(call.query.next);
        const stage = call.person.session.stage;
        if (stage === "set_up" || (!again && stage === "full")) return seeOther(pageAfter(stage, next));
        const value = await prove(parts, call.person, proofOf(call), visitOf(call));
        if (value === null) return proofPage(parts, call, path, again, call.words.say("wrongCode"), 403);
        const cookies = [
          cookie(parts, "session", value),
          cookie(parts, "device", newDevice(parts, call.person)),
        ];
        return seeOther(next, cookies);
      },
    });
  }
}

function proofOf(
  call: Pick<OpenCall, "browserTie"> & {
    readonly body: {
      readonly code?: string;
      readonly password?: string;
      readonly ticket?: string;
      readonly answer?: string;
    };
  },
): Proof {
  const { code = "", password, ticket, answer } = call.body;
  if (ticket !== undefined && answer !== undefined)
    return { kind: "passkey", browserTie: call.browserTie, ticket, answer };
  return password === undefined ? { kind: "code", code } : { kind: "password", password };
}

async function proofPage(
  parts: Parts,
  call: OpenCall & { readonly person: SignedIn },
  path: string,
  again: boolean,
  problem: string | null,
  status = 200,
): Promise<Answer> {
  const { person, csrf, words } = call;
  const { say } = words;
  const next = safeNext(call.query.next);
  const action = `${path}?next=${encodeURIComponent(next)}`;
  const factors = await factorsOf(parts, person);
  const asked = factors.passkeys
    ? await proofChallenge(parts, call.browserTie, await listPasskeys(parts.db, person.tenant, person.id))
    : null;
  const elsewhere = person.session.method === "oidc" ? person.company : null;
  const code = input({ name: "code", label: say("code"), autocomplete: "one-time-code", required: true });
  const password = input({
    name: "password",
    label: say("password"),
    type: "password",
    autocomplete: "current-password",
    required: true,
  });
  const or = html`<p class="or">${say("or")}</p>`;
  const body = html`${again && html`<p>${say("againWhy")}</p>`} ${trouble(problem)}
  ${(factors.totp || factors.passkeys) && form(action, csrf, html`${code}${formActs(say("goOn"))}`)}
  ${again && factors.password && form(action, csrf, html`${password}${formActs(say("goOn"))}`)}
  ${asked !== null && passkeyForm(action, csrf, asked, { label: say("provePasskey"), more: or })}
  ${again && elsewhere !== null && toCompany(words, elsewhere.id, next, true)}
  ${!again && signOutForm(words, csrf)}`;
  return call.page(say(again ? "again" : "secondFactor"), card(person, body), {
    status,
    scripts: [PASSKEY_SCRIPT],
  });
}

function linkRoutes(console: ConsoleRouter, parts: Parts): void {
  const Token = Type.Object({ token: Type.String({ maxLength: 255 }) });
  const path = "/console/link/{token}/";

  console.open("GET", path, {
    summary: "Accept an invitation or set a new password",
    limit: "sign_in",
    schema: { params: Token, query: Query, response },
    async handle(call) {
      return linkPage(call, call.params.token, await readLink(parts, call.params.token), {});
    },
  });

  console.open("POST", path, {
    summary: "Use a link",
    limit: "sign_in",
    schema: {
      params: Token,
      query: Query,
      body: Type.Object({ csrf: Text, name: Text, password: Text, passkey: Text }),
      response,
    },
    async handle(call) {
      const { name = "", password = "", passkey } = call.body;
      const { token } = call.params;
      try {
        const given = { name, password: passkey === undefined ? password : null, visit: visitOf(call) };
        const value = await acceptLink(parts, token, given);
        if (value === null) return await linkPage(call, token, null, {});
        return seeOther("/console/account/", [cookie(parts, "session", value)]);
      } catch (error) {
        return linkPage(call, token, await readLink(parts, token), faultsIn(call.words, error), name);
      }
    },
  });
}

function linkPage(
  call: OpenCall,
  token: string,
  link: OpenLink | null,
  faults: Readonly<Record<string, string>>,
  name?: string,
): Promise<Answer> {
  const { csrf, words } = call;
  const { say } = words;
  if (link === null) return call.page(say("linkGone"), html`<p>${say("linkGoneWhy")}</p>`, { status: 410 });
  const action = `/console/link/${token}/`;
  const invited = link.purpose === "invitation";
  const role = words.texts.role[link.role];
  const company = link.company ?? say("console");
  const passkey = html`${hidden("passkey", "1")}
    <p class="or">${say("or")}</p>
    ${formActs(say("usePasskeyInstead"), "")}`;
  const body = html`<p>${invited ? say("invitedTo", { company, email: link.email, role }) : link.email}</p>
    ${form(
      action,
      csrf,
      html`${input({ name: "name", label: say("name"), value: name ?? link.name, autocomplete: "name", error: faults["name"], required: true })}
      ${input({ name: "password", label: say("newPassword"), type: "password", autocomplete: "new-password", hint: say("newPasswordHint"), error: faults["password"], required: true })}
      ${formActs(say(invited ? "accept" : "reset"))}`,
    )}
    ${invited && form(action, csrf, passkey)}`;
  const status = Object.keys(faults).length === 0 ? 200 : 400;
  return call.page(say(invited ? "accept" : "reset"), body, { status });
}
