/** The pages of one's own account: name, password, second factors, recovery codes, sessions. */
import { Type } from "../../lib/schema.ts";
import type { Answer } from "../../http/endpoint.ts";
import { html, NOTHING, type Html } from "../../files/html.ts";
import {
  addPasskey,
  changePassword,
  changeProfile,
  endOwnSessions,
  offeredTotp,
  offerTotp,
  readAccount,
  removePasskey,
  removeTotp,
  renewCodes,
  setUpTotp,
  type SetUp,
} from "../../people/account.ts";
import { askToRegister } from "../../people/passkeys.ts";
import { qrCode } from "../../people/qr-code.ts";
import { base32, totpAddress } from "../../people/totp.ts";
import { isUuid } from "../../lib/ids.ts";
import { Refusal } from "../../refusals.ts";
import { seeOther } from "../answer.ts";
import { PASSKEY_SCRIPT } from "../assets.ts";
import { cookie } from "../cookies.ts";
import type { ConsoleCall, ConsoleRouter } from "../guard.ts";
import { alert, button, faultsIn, field, form, passkeyForm, visitOf, type Parts } from "./parts.ts";
import { LANGUAGES, languageOf, wordsFor, type PeopleTexts } from "./texts.ts";

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
          locale: locale in LANGUAGES ? locale : null,
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
      return totpPage(parts, call, offerTotp(parts, call.person), {});
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
        const secret = offeredTotp(parts, call.person, sealed);
        const offer = secret === null ? offerTotp(parts, call.person) : { secret, sealed };
        return totpPage(parts, call, offer, faultsIn(error));
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
        const given = { tie: call.tie, ticket, answer, name, visit: visitOf(call) };
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

/** A second factor is added by who is signed in and has lately proved it, or who has to set up the first one. @throws Refusal. */
function requireOwn(call: Pick<AccountCall, "person" | "requireRecent">): void {
  refuseHalfSignedIn(call);
  if (call.person.session.stage === "full") call.requireRecent();
}

/** A person who has shown only the password sets up no other second factor. @throws Refusal. */
function refuseHalfSignedIn({ person }: Pick<AccountCall, "person">): void {
  if (person.session.stage === "second_factor") throw new Refusal("not_found");
}

async function orFaults(parts: Parts, call: AccountCall, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    return accountPage(parts, call, faultsIn(error));
  }
}

async function accountPage(parts: Parts, call: AccountCall, faults: Faults): Promise<Answer> {
  const { person } = call;
  if (person.session.stage === "second_factor") return seeOther("/console/second-factor/");
  const words = wordsFor(person, call.headers);
  const account = await readAccount(parts, person);
  const isNew = person.session.stage === "set_up";
  const adding = await askToRegister(parts, call.tie, person, account.passkeys);
  const body = html`${isNew && html`<p>${words.setUpFirst}</p>`}
    ${!isNew && profilePart(words, call, account, faults)}
    <h2>${words.authenticator}</h2>
    ${
      account.person.totp_secret === null
        ? html`<p><a href="${TOTP}">${words.setUpAuthenticator}</a></p>`
        : html`<p>${words.authenticatorOn}</p>
            ${form(`${TOTP}remove/`, call.csrf, button(words.remove))}`
    }
    <h2>${words.passkeys}</h2>
    ${alert(faults["passkey"] ?? null)}
    <ul>
      ${account.passkeys.map(({ id, name }) => html`<li>${name} ${!isNew && form(`${ACCOUNT}passkeys/${id}/remove/`, call.csrf, button(words.remove))}</li>`)}
    </ul>
    ${passkeyForm(`${ACCOUNT}passkeys/`, call.csrf, adding, { label: words.addPasskey, makes: true, more: field({ name: "name", label: words.passkeyName, required: false }) })}
    ${!isNew && restPart(words, call, account)}
    ${form("/console/sign-out/", call.csrf, button(words.signOut))}`;
  const status = Object.keys(faults).length === 0 ? 200 : 400;
  return call.page(words.account, body, { status, scripts: [PASSKEY_SCRIPT] });
}

type Read = Awaited<ReturnType<typeof readAccount>>;

function profilePart(words: PeopleTexts, call: AccountCall, { person }: Read, faults: Faults): Html {
  const language = person.locale ?? languageOf(null, call.headers);
  const options = Object.entries(LANGUAGES).map(
    ([tag, name]) => html`<option value="${tag}" ${tag === language && html`selected`}>${name}</option>`,
  );
  const zones = Intl.supportedValuesOf("timeZone").map(
    (zone) => html`<option ${zone === (person.time_zone ?? "UTC") && html`selected`}>${zone}</option>`,
  );
  return html`<p>${person.email} · ${person.role}</p>
    ${form(
      `${ACCOUNT}profile/`,
      call.csrf,
      html`${field({ name: "name", label: words.name, value: person.name, autocomplete: "name", fault: faults["name"] })}
        <p>
          <label for="locale">${words.language}</label>
          <select id="locale" name="locale">
            ${options}
          </select>
        </p>
        <p>
          <label for="time_zone">${words.timeZone}</label>
          <select id="time_zone" name="time_zone">
            <option>UTC</option>
            ${zones}
          </select>
        </p>
        ${button(words.save)}`,
    )}
    <h2>${words.changePassword}</h2>
    ${form(
      `${ACCOUNT}password/`,
      call.csrf,
      html`${person.password_hash === null ? NOTHING : field({ name: "current", label: words.currentPassword, type: "password", autocomplete: "current-password", fault: faults["current"] })}
      ${field({ name: "password", label: words.newPassword, type: "password", autocomplete: "new-password", fault: faults["password"] })}
      ${button(words.changePassword)}`,
    )}`;
}

function restPart(words: PeopleTexts, call: AccountCall, { codesLeft, sessions }: Read): Html {
  return html`<h2>${words.recoveryCodes}</h2>
    <p>${codesLeft} ${words.codesLeft}</p>
    ${form(`${ACCOUNT}recovery-codes/`, call.csrf, button(words.newCodes))}
    <h2>${words.sessions}</h2>
    <ul>
      ${sessions.map(
        (one) =>
          html`<li>
            ${one.user_agent ?? "–"} · ${one.ip ?? "–"} ·
            <time datetime="${one.seen_at.toISOString()}"
              >${one.seen_at.toISOString().slice(0, 16).replace("T", " ")}</time
            >
            ${one.id === call.person.session.id ? html`(${words.thisSession})` : form(`${ACCOUNT}sessions/${one.id}/end/`, call.csrf, button(words.endSession))}
          </li>`,
      )}
    </ul>
    ${form(`${ACCOUNT}sessions/end-others/`, call.csrf, button(words.endOthers))}`;
}

function totpPage(
  parts: Parts,
  call: AccountCall,
  { secret, sealed }: { readonly secret: Buffer; readonly sealed: string },
  faults: Faults,
): Promise<Answer> {
  const words = wordsFor(call.person, call.headers);
  const issuer = `${call.person.company?.name ?? "Payment console"}${parts.environment === "staging" ? " (test)" : ""}`;
  const body = html`<p>${words.scan}</p>
    ${qrCode(totpAddress(secret, issuer, call.person.email))}
    <p>${words.key}: <code>${base32(secret)}</code></p>
    ${form(
      TOTP,
      call.csrf,
      html`<input type="hidden" name="sealed" value="${sealed}" />
        ${field({ name: "code", label: words.codeNow, autocomplete: "one-time-code", fault: faults["code"] })}
        ${button(words.confirm)}`,
    )}`;
  const status = Object.keys(faults).length === 0 ? 200 : 400;
  return call.page(words.setUpAuthenticator, body, { status });
}

/** Recovery codes are shown this once. */
async function setUpPage(parts: Parts, call: AccountCall, { codes, cookie: value }: SetUp): Promise<Answer> {
  const cookies = value === null ? [] : [cookie(parts, "session", value)];
  if (codes.length === 0) return seeOther(ACCOUNT, cookies);
  const words = wordsFor(call.person, call.headers);
  const body = html`<p>${words.keepCodes}</p>
    <pre>${codes.join("\n")}</pre>
    <p><a href="/console/">${words.done}</a></p>`;
  return call.page(words.recoveryCodes, body, { cookies });
}

function isTimeZone(text: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
