/** Pages before and around the sign-in: password, passkey, second factor, the company's identity provider, links, sign-out. */
import { Type } from "../../lib/schema.ts";
import type { Answer } from "../../http/endpoint.ts";
import { html, NOTHING, type Html } from "../../files/html.ts";
import { isUuid } from "../../lib/ids.ts";
import { signOut } from "../../people/account.ts";
import { newDevice } from "../../people/attempts.ts";
import { listPasskeys } from "../../people/factor-store.ts";
import { acceptLink, readLink, type OpenLink } from "../../people/links.ts";
import { findProvider } from "../../people/oidc-store.ts";
import { askToProve } from "../../people/passkeys.ts";
import type { SignedIn, Stage } from "../../people/person.ts";
import { factorsOf, prove, type Proof } from "../../people/prove.ts";
import { signInWithPasskey, signInWithPassword, type SignIn } from "../../people/sign-in.ts";
import { findOwnTenant, tenantStore } from "../../tenants/store.ts";
import { seeOther } from "../answer.ts";
import { PASSKEY_SCRIPT } from "../assets.ts";
import { cookie, noCookie, readCookie } from "../cookies.ts";
import { SIGN_IN, type ConsoleRouter, type VisitorCall } from "../guard.ts";
import { alert, button, faultsIn, field, form, passkeyForm, safeNext, visitOf, type Parts } from "./parts.ts";
import { wordsFor } from "./texts.ts";

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
    handle: (call) => signInPage(parts, call, { trouble: call.query.trouble ?? null }),
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
        tie: call.tie,
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
  "headers" | "page" | "person" | "csrf" | "tie"
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
    const { cookie: value, stage, email } = signedIn;
    const cookies = [cookie(parts, "session", value)];
    // Only a complete sign-in makes this browser a known one.
    if (stage === "full") cookies.push(cookie(parts, "device", newDevice(parts, email)));
    return seeOther(pageAfter(stage, safeNext(next)), cookies);
  }
  if (signedIn.kind === "elsewhere")
    return seeOther(`/console/oidc/start/?tenant=${await idOf(parts, signedIn.company)}`);
  return signInPage(parts, call, { trouble: by, status: 403, next });
}

async function idOf(parts: Parts, tenant: number): Promise<string> {
  return (await findOwnTenant(parts.db, tenant)).id;
}

/** Where a session of this stage goes on. */
function pageAfter(stage: Stage, next: string): string {
  if (stage === "second_factor") return `/console/second-factor/?next=${encodeURIComponent(next)}`;
  return stage === "set_up" ? "/console/account/" : next;
}

async function signInPage(
  parts: Parts,
  call: OpenCall,
  given: { readonly trouble: string | null; readonly status?: number; readonly next?: string | undefined },
): Promise<Answer> {
  const words = wordsFor(null, call.headers);
  const next = safeNext(given.next ?? call.query.next);
  const company = await companyOf(parts, call.query.company);
  const { csrf } = call;
  const asked = await askToProve(parts, call.tie, null);
  const hidden = html`<input
      type="hidden"
      name="next"
      value="${next}"
    />${company !== null && html`<input type="hidden" name="company" value="${company.id}" />`}`;
  const troubles: Readonly<Record<string, string>> = {
    password: words.wrong,
    passkey: words.passkeyFailed,
    company: words.companyFailed,
    unreachable: words.companyDown,
  };
  const body = html`${alert(given.trouble === null ? null : (troubles[given.trouble] ?? null))}
  ${company !== null && html`<p>${company.name}</p>`}
  ${form(
    SIGN_IN,
    csrf,
    html`${hidden}${field({ name: "email", label: words.email, type: "email", autocomplete: "username webauthn" })}
    ${field({ name: "password", label: words.password, type: "password", autocomplete: "current-password" })}
    ${button(words.signIn)}`,
  )}
  ${passkeyForm(`${SIGN_IN}passkey/`, csrf, asked, { label: words.withPasskey, more: html`<input type="hidden" name="next" value="${next}" />` })}
  ${company?.elsewhere === true && html`<p><a href="/console/oidc/start/?tenant=${company.id}&amp;next=${encodeURIComponent(next)}">${words.atCompany}</a></p>`}`;
  const { status = 200 } = given;
  return call.page(words.signIn, body, { status, scripts: [PASSKEY_SCRIPT] });
}

/** The company that a link of its own names: its people see its name, and its way to sign in. */
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
        if (!again && call.person.session.stage !== "second_factor")
          return seeOther(pageAfter(call.person.session.stage, safeNext(call.query.next)));
        return proofPage(parts, call, path, again, null);
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
        if (value === null)
          return proofPage(parts, call, path, again, wordsFor(call.person, call.headers).wrongCode);
        const cookies = [
          cookie(parts, "session", value),
          cookie(parts, "device", newDevice(parts, call.person.email)),
        ];
        return seeOther(next, cookies);
      },
    });
  }
}

function proofOf(
  call: Pick<OpenCall, "tie"> & {
    readonly body: {
      readonly code?: string;
      readonly password?: string;
      readonly ticket?: string;
      readonly answer?: string;
    };
  },
): Proof {
  const { code = "", password, ticket, answer } = call.body;
  if (ticket !== undefined && answer !== undefined) return { kind: "passkey", tie: call.tie, ticket, answer };
  return password === undefined ? { kind: "code", code } : { kind: "password", password };
}

async function proofPage(
  parts: Parts,
  call: OpenCall & { readonly person: SignedIn },
  path: string,
  again: boolean,
  trouble: string | null,
): Promise<Answer> {
  const { person, csrf } = call;
  const words = wordsFor(person, call.headers);
  const next = safeNext(call.query.next);
  const action = `${path}?next=${encodeURIComponent(next)}`;
  const factors = await factorsOf(parts, person);
  const asked = factors.passkeys
    ? await askToProve(parts, call.tie, await listPasskeys(parts.db, person.tenant, person.id))
    : null;
  const elsewhere = person.session.method === "oidc" && person.company !== null;
  const body = html`${again && html`<p>${words.againWhy}</p>`} ${alert(trouble)}
  ${(factors.totp || factors.passkeys) && form(action, csrf, html`${field({ name: "code", label: words.code, autocomplete: "one-time-code" })}${button(words.goOn)}`)}
  ${again && factors.password && form(action, csrf, html`${field({ name: "password", label: words.password, type: "password", autocomplete: "current-password" })}${button(words.goOn)}`)}
  ${asked !== null && passkeyForm(action, csrf, asked, { label: words.provePasskey })}
  ${again && elsewhere && html`<p><a href="/console/oidc/start/?tenant=${person.company?.id ?? ""}&amp;again=1&amp;next=${encodeURIComponent(next)}">${words.atCompany}</a></p>`}
  ${form("/console/sign-out/", csrf, button(words.signOut))}`;
  const status = trouble === null ? 200 : 403;
  return call.page(again ? words.again : words.secondFactor, body, { status, scripts: [PASSKEY_SCRIPT] });
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
        return linkPage(call, token, await readLink(parts, token), faultsIn(error), name);
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
  const words = wordsFor(null, call.headers);
  if (link === null) return call.page(words.linkGone, html`<p>${words.linkGoneWhy}</p>`, { status: 410 });
  const { csrf } = call;
  const action = `/console/link/${token}/`;
  const invited = link.purpose === "invitation";
  const invitation: Html = invited
    ? html`<p>${words.invitedTo} ${link.company ?? "Payment console"}: ${link.email}, ${link.role}.</p>`
    : html`<p>${link.email}</p>`;
  const body = html`${invitation}
  ${form(
    action,
    csrf,
    html`${field({ name: "name", label: words.name, value: name ?? link.name, autocomplete: "name", fault: faults["name"] })}
    ${field({ name: "password", label: words.newPassword, type: "password", autocomplete: "new-password", fault: faults["password"] })}
    ${button(invited ? words.accept : words.reset)}`,
  )}
  ${invited ? form(action, csrf, html`<input type="hidden" name="passkey" value="1" />${button(words.usePasskeyInstead)}`) : NOTHING}`;
  const status = Object.keys(faults).length === 0 ? 200 : 400;
  return call.page(invited ? words.accept : words.reset, body, { status });
}
