/** The pages of one's own account: name, password, second factors, recovery codes, sessions. */
import { Type } from "../../lib/schema.ts";
import type { Answer } from "../../http/endpoint.ts";
import { html, NOTHING, type Html } from "../../files/html.ts";
import {
  addPasskey,
  changePassword,
  changeProfile,
  endOwnSessions,
  readTotpOffer,
  newTotpOffer,
  readAccount,
  removePasskey,
  removeTotp,
  renewCodes,
  staysOpen,
  setUpTotp,
  type SetUp,
} from "../../people/account.ts";
import { registrationChallenge } from "../../people/passkeys.ts";
import { qrCode } from "../../files/qr-code.ts";
import { base32, totpAddress } from "../../people/totp.ts";
import { isUuid } from "../../lib/ids.ts";
import { Refusal } from "../../refusals.ts";
import { seeOther } from "../answer.ts";
import { PASSKEY_SCRIPT } from "../assets.ts";
import { cookie } from "../cookies.ts";
import type { ConsoleCall, ConsoleRouter } from "../guard.ts";
import { panel } from "../design/blocks.ts";
import { formActs, input, select } from "../design/fields.ts";
import { table } from "../design/table.ts";
import { badge, orNone, time } from "../design/values.ts";
import { CONSOLE_LANGUAGES } from "../words.ts";
import { card, faultsIn, form, passkeyForm, signOutForm, trouble, visitOf, type Parts } from "./parts.ts";

const response = { 200: Type.Unknown() };
const Text = Type.Optional(Type.String({ maxLength: 2_000 }));
const Csrf = Type.Object({ csrf: Text });
const ACCOUNT = "/console/account/";
const TOTP = `${ACCOUNT}authenticator/`;

type AccountCall = ConsoleCall<{ response: typeof response }>;
type Faults = Readonly<Record<string, string>>;

/** Declares the routes. */
export function accountRoutes(console: ConsoleRouter, parts: Parts): void {
  console.get(ACCOUNT, "unfinished", {
    summary: "Your account",
    schema: { response },
    handle: (call) => accountPage(parts, call, {}),
  });

  console.post(`${ACCOUNT}profile/`, "signed_in", {
    summary: "Change name, language and time zone",
    schema: { body: Type.Object({ csrf: Text, name: Text, locale: Text, time_zone: Text }), response },
    handle: (call) =>
      orFaults(parts, call, async () => {
        const { name = "", locale = "", time_zone: timeZone = "" } = call.body;
        await changeProfile(parts, call.person, {
          name,
          locale: CONSOLE_LANGUAGES.some(([tag]) => tag === locale) ? locale : null,
          timeZone: isTimeZone(timeZone) ? timeZone : null,
          visit: visitOf(call),
        });
        return seeOther(ACCOUNT);
      }),
  });

  console.post(`${ACCOUNT}password/`, "signed_in", {
    summary: "Change the password",
    limit: "sign_in",
    schema: { body: Type.Object({ csrf: Text, current: Text, password: Text }), response },
    handle: (call) =>
      orFaults(parts, call, async () => {
        call.requireRecent();
        const { current = "", password = "" } = call.body;
        await changePassword(parts, call.person, { current, password, visit: visitOf(call) });
        return seeOther(ACCOUNT);
      }),
  });

  factorRoutes(console, parts);
  sessionRoutes(console, parts);
}

function factorRoutes(console: ConsoleRouter, parts: Parts): void {
  console.get(TOTP, "unfinished", {
    summary: "Set up an authenticator app",
    schema: { response },
    async handle(call) {
      refuseHalfSignedIn(call);
      return totpPage(parts, call, newTotpOffer(parts, call.person), {});
    },
  });

  console.post(TOTP, "unfinished", {
    summary: "Confirm an authenticator app",
    limit: "sign_in",
    schema: { body: Type.Object({ csrf: Text, code: Text, sealed: Text }), response },
    async handle(call) {
      requireOwn(call);
      const { code = "", sealed = "" } = call.body;
      try {
        return await setUpPage(
          parts,
          call,
          await setUpTotp(parts, call.person, { sealed, code, visit: visitOf(call) }),
        );
      } catch (error) {
        const secret = readTotpOffer(parts, call.person, sealed);
        const offer = secret === null ? newTotpOffer(parts, call.person) : { secret, sealed };
        return totpPage(parts, call, offer, faultsIn(call.words, error));
      }
    },
  });

  console.post(`${TOTP}remove/`, "signed_in", {
    summary: "Remove the authenticator app",
    schema: { body: Csrf, response },
    async handle(call) {
      call.requireRecent();
      await removeTotp(parts, call.person, visitOf(call));
      return seeOther(ACCOUNT);
    },
  });

  console.post(`${ACCOUNT}passkeys/`, "unfinished", {
    summary: "Add a passkey",
    limit: "sign_in",
    schema: {
      body: Type.Object({
        csrf: Text,
        ticket: Text,
        answer: Type.Optional(Type.String({ maxLength: 20_000 })),
        name: Text,
      }),
      response,
    },
    handle: (call) =>
      orFaults(parts, call, async () => {
        requireOwn(call);
        const { ticket = "", answer = "", name = "" } = call.body;
        const given = { browserTie: call.browserTie, ticket, answer, name, visit: visitOf(call) };
        return setUpPage(parts, call, await addPasskey(parts, call.person, given));
      }),
  });

  console.post(`${ACCOUNT}passkeys/{id}/remove/`, "signed_in", {
    summary: "Remove a passkey",
    schema: { params: Type.Object({ id: Type.String({ maxLength: 255 }) }), body: Csrf, response },
    async handle(call) {
      call.requireRecent();
      if (!isUuid(call.params.id)) throw new Refusal("not_found");
      await removePasskey(parts, call.person, call.params.id, visitOf(call));
      return seeOther(ACCOUNT);
    },
  });

  console.post(`${ACCOUNT}recovery-codes/`, "signed_in", {
    summary: "Make new recovery codes",
    schema: { body: Csrf, response },
    async handle(call) {
      call.requireRecent();
      const codes = await renewCodes(parts, call.person, visitOf(call));
      return setUpPage(parts, call, { codes, cookie: null });
    },
  });
}

function sessionRoutes(console: ConsoleRouter, parts: Parts): void {
  console.post(`${ACCOUNT}sessions/end-others/`, "signed_in", {
    summary: "Sign out everywhere else",
    schema: { body: Csrf, response },
    async handle(call) {
      await endOwnSessions(parts, call.person, null, visitOf(call));
      return seeOther(ACCOUNT);
    },
  });

  console.post(`${ACCOUNT}sessions/{id}/end/`, "signed_in", {
    summary: "End one of your sessions",
    schema: { params: Type.Object({ id: Type.String({ maxLength: 255 }) }), body: Csrf, response },
    async handle(call) {
      if (!isUuid(call.params.id)) throw new Refusal("not_found");
      await endOwnSessions(parts, call.person, call.params.id, visitOf(call));
      return seeOther(ACCOUNT);
    },
  });
}

/**
 * A second factor may be added by a signed-in person who has recently proved one, or who has to set up the first one.
 * @throws Refusal.
 */
function requireOwn(call: Pick<AccountCall, "person" | "requireRecent">): void {
  refuseHalfSignedIn(call);
  if (call.person.session.stage === "full") call.requireRecent();
}

/**
 * A person who has only proved the password sets up no other second factor.
 * @throws Refusal.
 */
function refuseHalfSignedIn({ person }: Pick<AccountCall, "person">): void {
  if (person.session.stage === "second_factor") throw new Refusal("not_found");
}

async function orFaults(parts: Parts, call: AccountCall, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    return accountPage(parts, call, faultsIn(call.words, error));
  }
}

async function accountPage(parts: Parts, call: AccountCall, faults: Faults): Promise<Answer> {
  const { person, words } = call;
  if (person.session.stage === "second_factor") return seeOther("/console/second-factor/");
  const account = await readAccount(parts, person);
  const factors = await factorParts(parts, call, account, faults);
  const body =
    person.session.stage === "set_up"
      ? html`<p>${words.say("setUpFirst")}</p>
          <div class="stack">${factors}</div>
          ${signOutForm(words, call.csrf)}`
      : html`<div class="split">
          <div class="stack">
            ${profilePart(call, account, faults)} ${sessionPart(call, account, parts.clock.now())}
          </div>
          <div class="stack">
            ${passwordPart(call, account, faults)} ${factors} ${codesPart(call, account)}
          </div>
        </div>`;
  const status = Object.keys(faults).length === 0 ? 200 : 400;
  return call.page(words.say("account"), body, { status, scripts: [PASSKEY_SCRIPT] });
}

type Read = Awaited<ReturnType<typeof readAccount>>;

function inside(title: string, body: Html, after: Html = NOTHING): Html {
  return panel(title, html`<div class="in">${body}</div>`, after);
}

function profilePart({ words, csrf }: AccountCall, { person }: Read, faults: Faults): Html {
  const { say } = words;
  const zones = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];
  return inside(
    say("profile"),
    html`<p class="soft">${person.email} · ${words.texts.role[person.role]}</p>
      ${form(
        `${ACCOUNT}profile/`,
        csrf,
        html`${input({ name: "name", label: say("name"), value: person.name, autocomplete: "name", error: faults["name"], required: true })}
        ${select({ name: "locale", label: say("language"), value: words.language }, CONSOLE_LANGUAGES)}
        ${select(
          { name: "time_zone", label: say("timeZone"), value: person.time_zone ?? "UTC" },
          zones.map((zone) => [zone, zone]),
        )}
        ${formActs(say("save"))}`,
      )}`,
  );
}

function passwordPart({ words, csrf }: AccountCall, { person }: Read, faults: Faults): Html {
  const { say } = words;
  const current = input({
    name: "current",
    label: say("currentPassword"),
    type: "password",
    autocomplete: "current-password",
    error: faults["current"],
    required: true,
  });
  return inside(
    say("password"),
    form(
      `${ACCOUNT}password/`,
      csrf,
      html`${person.password_hash !== null && current}
      ${input({ name: "password", label: say("newPassword"), type: "password", autocomplete: "new-password", hint: say("newPasswordHint"), error: faults["password"], required: true })}
      ${formActs(say("changePassword"), "")}`,
    ),
  );
}

/** The second factors: existing ones, and those that can be added. */
async function factorParts(parts: Parts, call: AccountCall, account: Read, faults: Faults): Promise<Html> {
  const { person, words, csrf, browserTie } = call;
  const { say } = words;
  const hasTotp = account.person.totp_secret !== null;
  const isIn = person.session.stage === "full";
  const passkeysLeft = account.passkeys.length;
  const mayRemoveTotp =
    isIn && staysOpen(parts.signIn, { ...account.person, totp_secret: null }, passkeysLeft);
  const mayRemovePasskey = isIn && staysOpen(parts.signIn, account.person, passkeysLeft - 1);
  const needed = html`<p class="soft">${say("factorNeeded")}</p>`;
  const adding = await registrationChallenge(parts, browserTie, person, account.passkeys);
  const remove = html`<button class="bad">${say("remove")}</button>`;
  const totp = hasTotp
    ? html`<p class="soft">${say("authenticatorOn")}</p>
        ${mayRemoveTotp ? form(`${TOTP}remove/`, csrf, remove) : isIn && needed}`
    : html`<p class="soft">${say("authenticatorOff")}</p>
        <a class="button" href="${TOTP}">${say("setUpAuthenticator")}</a>`;
  const passkeys = account.passkeys.map(
    ({ id, name }) =>
      html`<li class="with-act">
        <span>${name}</span> ${mayRemovePasskey && form(`${ACCOUNT}passkeys/${id}/remove/`, csrf, remove)}
      </li>`,
  );
  const addPasskey = passkeyForm(`${ACCOUNT}passkeys/`, csrf, adding, {
    label: say("addPasskey"),
    makes: true,
    more: input({ name: "name", id: "passkey-name", label: say("passkeyName"), maxLength: 255 }),
  });
  return html`${inside(say("authenticator"), totp, hasTotp ? badge("good", words.texts.states["active"] ?? "") : NOTHING)}
  ${panel(
    say("passkeys"),
    html`${
        passkeys.length > 0 &&
        html`<ul class="rows">
          ${passkeys}
        </ul>`
      }
      <div class="in">
        ${trouble(faults["passkey"])} ${passkeysLeft > 0 && isIn && !mayRemovePasskey && needed}
        <p class="soft">${say("passkeysWhy")}</p>
        ${addPasskey}
      </div>`,
  )}`;
}

function codesPart({ words, csrf }: AccountCall, { codesLeft, person, passkeys }: Read): Html {
  // Recovery codes come with the first second factor, and are useless without one.
  if (codesLeft === 0 && person.totp_secret === null && passkeys.length === 0) return NOTHING;
  const { say } = words;
  return inside(
    say("recoveryCodes"),
    html`<p class="soft">${say("recoveryCodesWhy")}</p>
      ${form(`${ACCOUNT}recovery-codes/`, csrf, html`<button>${say("newCodes")}</button>`)}`,
    html`<span class="soft">${words.count(words.texts.codesLeft, codesLeft)}</span>`,
  );
}

function sessionPart({ words, csrf, person }: AccountCall, { sessions }: Read, now: Date): Html {
  const { say } = words;
  const list = table(
    say("sessions"),
    [
      { title: say("browser") },
      { title: say("ipAddress"), as: "spare" },
      { title: say("lastUsed"), as: "short" },
      { title: say("endSession"), as: "number" },
    ],
    sessions.map((one) => [
      orNone(deviceOf(one.user_agent)),
      orNone(one.ip),
      time(words, one.seen_at, now),
      one.id === person.session.id
        ? badge("good", say("thisSession"))
        : form(
            `${ACCOUNT}sessions/${one.id}/end/`,
            csrf,
            html`<button class="quiet">${say("endSession")}</button>`,
          ),
    ]),
  );
  const acts = html`${form(`${ACCOUNT}sessions/end-others/`, csrf, html`<button>${say("endOthers")}</button>`)}
  ${form("/console/sign-out/", csrf, html`<button>${say("signOut")}</button>`)}`;
  return panel(
    say("sessions"),
    html`${list}
      <div class="in form-acts">${acts}</div>`,
  );
}

const BROWSERS = {
  Edg: "Edge",
  OPR: "Opera",
  Firefox: "Firefox",
  Chrome: "Chrome",
  Safari: "Safari",
} as const;
const SYSTEMS = {
  Windows: "Windows",
  iPhone: "iPhone",
  iPad: "iPad",
  Android: "Android",
  "Mac OS X": "macOS",
  Linux: "Linux",
} as const;

/** A browser's name, such as `Firefox, Windows`; an unknown one by its User-Agent. */
function deviceOf(userAgent: string | null): string | null {
  if (userAgent === null) return null;
  const nameIn = (list: Readonly<Record<string, string>>) =>
    Object.entries(list).find(([part]) => userAgent.includes(part))?.[1];
  const known = [nameIn(BROWSERS), nameIn(SYSTEMS)].filter((name) => name !== undefined);
  return known.length === 0 ? userAgent : known.join(", ");
}

function totpPage(
  parts: Parts,
  call: AccountCall,
  { secret, sealed }: { readonly secret: Buffer; readonly sealed: string },
  faults: Faults,
): Promise<Answer> {
  const { words, person, csrf } = call;
  const { say } = words;
  const issuer = `${person.company?.name ?? "Payment console"}${parts.environment === "staging" ? " (test)" : ""}`;
  const body = html`<p>${say("scan")}</p>
    <p>${qrCode(totpAddress(secret, issuer, person.email))}</p>
    <p><span class="soft">${say("key")}</span><br /><code>${base32(secret)}</code></p>
    ${form(
      TOTP,
      csrf,
      html`<input type="hidden" name="sealed" value="${sealed}" />
        ${input({ name: "code", label: say("codeNow"), inputMode: "numeric", autocomplete: "one-time-code", error: faults["code"], required: true })}
        ${formActs(say("confirm"), "main", html`<a class="button" href="${ACCOUNT}">${say("back")}</a>`)}`,
    )}`;
  const status = Object.keys(faults).length === 0 ? 200 : 400;
  return call.page(say("setUpAuthenticator"), card(person, body), { status });
}

/** Recovery codes are shown only once. */
async function setUpPage(parts: Parts, call: AccountCall, { codes, cookie: value }: SetUp): Promise<Answer> {
  const cookies = value === null ? [] : [cookie(parts, "session", value)];
  if (codes.length === 0) return seeOther(ACCOUNT, cookies);
  const { say } = call.words;
  const body = html`<p>${say("keepCodes")}</p>
    <pre class="codes">${codes.join("\n")}</pre>
    <p class="form-acts"><a class="button main" href="/console/">${say("done")}</a></p>`;
  return call.page(say("recoveryCodes"), card(call.person, body), { cookies });
}

function isTimeZone(text: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
