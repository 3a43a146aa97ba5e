/** Pages for owners: people and their roles, what each role may do, the company's identity provider. */
import { Type } from "../../lib/schema.ts";
import type { Answer } from "../../http/endpoint.ts";
import { html, NOTHING, type Html } from "../../files/html.ts";
import { isEmail } from "../../http/fields.ts";
import { FieldErrors } from "../../refusals.ts";
import {
  ACTIONS,
  may,
  stepUpOf,
  TENANT_ROLES,
  type Action,
  type Role,
  type TenantRole,
} from "../../people/access.ts";
import type { PersonAndLink } from "../../people/links.ts";
import {
  changeRole,
  endSessionsOf,
  invite,
  newLink,
  removeFactors,
  removePerson,
} from "../../people/manage.ts";
import { callbackUrl } from "../../people/oidc.ts";
import { findProvider } from "../../people/oidc-store.ts";
import { setUpProvider, switchOffProvider } from "../../people/provider.ts";
import { listPeople, type PersonRow } from "../../people/store.ts";
import { seeOther } from "../answer.ts";
import { SIGN_IN, type ConsoleCall, type ConsoleRouter } from "../guard.ts";
import { dialog, facts, heading, panel, toast } from "../design/blocks.ts";
import { check, fewChoices, formActs, input, select } from "../design/fields.ts";
import { addressWith } from "../design/filters.ts";
import { shownOnce } from "../design/once.ts";
import { table } from "../design/table.ts";
import { copyableReference, stateBadge, time } from "../design/values.ts";
import { seenField, seenIn } from "../seen.ts";
import type { Words } from "../words.ts";
import { faultsIn, form, type Parts } from "./parts.ts";

const response = { 200: Type.Unknown() };
const Text = Type.Optional(Type.String({ maxLength: 2_000 }));
const Csrf = Type.Object({ csrf: Text });
const Id = Type.Object({ id: Type.String({ maxLength: 255 }) });
const PEOPLE = "/console/people/";
const SSO = `${PEOPLE}single-sign-on/`;

/** Actions that are confirmed with a message; those with a new link show the link instead. */
const ACTS = ["role", "remove-factors", "end-sessions", "remove"] as const;
type PersonAct = (typeof ACTS)[number];

type PeopleCall = ConsoleCall<{ response: typeof response }>;
type Faults = Readonly<Record<string, string>>;

/** Declares the routes. */
export function peoplePages(console: ConsoleRouter, parts: Parts): void {
  console.get("/console/access/", "signed_in", {
    summary: "What each role may do",
    schema: { response },
    handle: (call) => accessPage(call),
  });

  console.get(PEOPLE, "people.read", {
    summary: "People",
    schema: { query: Type.Object({ person: Text, done: Text }), response },
    handle: (call) => {
      const { person: opened, done } = call.query;
      return peoplePage(parts, call, { opened, done: ACTS.find((act) => act === done) });
    },
  });

  console.post(PEOPLE, "people.write", {
    summary: "Invite a person",
    schema: { body: Type.Object({ csrf: Text, email: Text, name: Text, role: Text }), response },
    async handle(call) {
      const { email = "", name = "", role } = call.body;
      try {
        const given = { tenant: call.person.tenant, ...checkedPerson(email, name), role: checkedRole(role) };
        return await linkPage(call, await invite(parts, call, given));
      } catch (error) {
        return peoplePage(parts, call, { faults: faultsIn(call.words, error), typed: { email, name, role } });
      }
    },
  });

  const act = (
    path: PersonAct | "link",
    summary: string,
    work: (call: PeopleCall, id: string) => Promise<PersonAndLink | void>,
  ) =>
    console.post(`${PEOPLE}{id}/${path}/`, "people.write", {
      summary,
      schema: { params: Id, body: Type.Object({ csrf: Text, role: Text }), response },
      async handle(call) {
        const linked = await work(call as unknown as PeopleCall, call.params.id);
        return linked === undefined
          ? seeOther(addressWith(PEOPLE, { done: path }))
          : linkPage(call as unknown as PeopleCall, linked);
      },
    });

  act("role", "Change a person's role", async (call, id) => {
    const { role } = call.body as unknown as { readonly role?: string };
    await changeRole(parts, call, call.person.tenant, id, checkedRole(role));
  });
  act("link", "Make a new link", (call, id) => newLink(parts, call, call.person.tenant, id));
  act("remove-factors", "Remove a person's second factors", (call, id) =>
    removeFactors(parts, call, call.person.tenant, id),
  );
  act("end-sessions", "Sign a person out everywhere", (call, id) =>
    endSessionsOf(parts, call, call.person.tenant, id),
  );
  act("remove", "Remove a person", (call, id) => removePerson(parts, call, call.person.tenant, id));

  singleSignOn(console, parts);
}

function singleSignOn(console: ConsoleRouter, parts: Parts): void {
  console.get(SSO, "people.write", {
    summary: "Single sign-on",
    schema: {
      query: Type.Object({ act: Text, done: Text, people: Type.Optional(Type.Integer({ minimum: 1 })) }),
      response,
    },
    handle: (call) => singleSignOnPage(parts, call, call.query),
  });

  console.post(SSO, "people.write", {
    summary: "Set up single sign-on",
    schema: {
      body: Type.Object({
        csrf: Text,
        issuer: Text,
        client_id: Text,
        client_secret: Text,
        email_domain: Text,
        role_for_new: Text,
        required: Text,
        seen: Text,
      }),
      response,
    },
    async handle(call) {
      const { body } = call;
      try {
        const signedOut = await setUpProvider(parts, call, call.person.tenant, {
          issuer: body.issuer ?? "",
          clientId: body.client_id ?? "",
          clientSecret: body.client_secret ?? "",
          emailDomain: body.email_domain ?? "",
          roleForNew: body.role_for_new ?? "",
          required: body.required !== undefined,
          seen: seenIn(body),
        });
        const told: Record<string, string> = signedOut === 0 ? {} : { people: String(signedOut) };
        return seeOther(addressWith(SSO, { done: "save", ...told }));
      } catch (error) {
        return singleSignOnPage(parts, call, { faults: faultsIn(call.words, error), given: body });
      }
    },
  });

  console.post(`${SSO}off/`, "people.write", {
    summary: "Switch single sign-on off",
    schema: { body: Csrf, response },
    async handle(call) {
      await switchOffProvider(parts, call, call.person.tenant);
      return seeOther(addressWith(SSO, { done: "off" }));
    },
  });
}

interface PeopleShown {
  readonly faults?: Faults;
  readonly typed?: { readonly email?: string; readonly name?: string; readonly role?: string | undefined };
  /** The person whose dialog is open. */
  readonly opened?: string | undefined;
  readonly done?: PersonAct | undefined;
}

async function peoplePage(
  parts: Parts,
  call: PeopleCall,
  { faults = {}, typed = {}, opened, done }: PeopleShown,
): Promise<Answer> {
  const { words, csrf } = call;
  const { say } = words;
  const people = await listPeople(parts.db, call.person.tenant);
  const mayWrite = call.may("people.write");
  const acts = [
    html`<a class="button" href="/console/access/">${say("whatRolesMayDo")}</a>`,
    ...(mayWrite ? [html`<a class="button" href="${SSO}">${say("singleSignOn")}</a>`] : []),
  ];
  const chosen = mayWrite ? people.find(({ id }) => id === opened) : undefined;
  const list = html`<section class="panel">
    ${peopleTable(words, people, { now: parts.clock.now(), mayWrite })}
  </section>`;
  const body = html`${heading(say("people"), { acts })}
  ${mayWrite ? html`<div class="split">${list} ${invitation(words, csrf, faults, typed)}</div>` : list}
  ${chosen !== undefined && personDialog(words, csrf, chosen)}
  ${done !== undefined && toast(words.texts.personDone[done])}`;
  const status = Object.keys(faults).length === 0 ? 200 : 400;
  return call.page(say("people"), body, { status, headed: true });
}

function peopleTable(
  words: Words,
  people: readonly PersonRow[],
  { now, mayWrite }: { readonly now: Date; readonly mayWrite: boolean },
): Html {
  const { say } = words;
  const name = (row: PersonRow) =>
    mayWrite
      ? html`<a class="row" href="${addressWith(PEOPLE, { person: row.id })}">${row.name}</a>`
      : html`${row.name}`;
  return table(
    say("people"),
    [
      { title: say("name") },
      { title: say("roleLabel") },
      { title: say("status") },
      { title: say("lastSignIn"), as: "short spare" },
    ],
    people.map((row) => [
      html`${name(row)}<br /><span class="soft">${row.email}</span>`,
      words.texts.role[row.role],
      stateBadge(words, row.joined_at === null ? "invited" : "active"),
      row.last_sign_in_at === null ? say("never") : time(words, row.last_sign_in_at, now),
    ]),
  );
}

function invitation(
  words: Words,
  csrf: string,
  faults: Faults,
  { email = "", name = "", role = "viewer" }: NonNullable<PeopleShown["typed"]>,
): Html {
  const { say } = words;
  const fields = html`${input({ name: "email", label: say("emailAddress"), type: "email", value: email, error: faults["email"], required: true })}
  ${input({ name: "name", label: say("name"), value: name, error: faults["name"], required: true })}
  ${roleChoice(words, role, faults["role"])} ${formActs(say("invite"))}`;
  return panel(
    say("invite"),
    html`<div class="in">
      <p class="soft">${say("inviteHint")}</p>
      ${form(PEOPLE, csrf, fields)}
    </div>`,
  );
}

/** The possible actions on a person. */
function personDialog(words: Words, csrf: string, row: PersonRow): Html {
  const { say } = words;
  const at = (act: string) => `${PEOPLE}${row.id}/${act}/`;
  const act = (path: string, label: string, kind = "") =>
    form(at(path), csrf, html`<button class="${kind}">${label}</button>`);
  return dialog(
    row.name,
    html`<p class="soft">${row.email}</p>
      ${form(at("role"), csrf, html`${roleChoice(words, row.role)}${formActs(say("changeRole"))}`)}
      <div class="form-acts apart">
        ${act("link", say("newLink"))} ${act("remove-factors", say("removeFactors"))}
        ${act("end-sessions", say("endSessions"))} ${act("remove", say("removePerson"), "bad")}
      </div>
      <p class="soft">${say("removePersonWhat")}</p>
      <p class="form-acts apart"><a class="button" href="${PEOPLE}" data-close>${say("cancel")}</a></p>`,
  );
}

function roleChoice({ texts, say }: Words, value: string, error?: string): Html {
  const options = TENANT_ROLES.map((role) => [role, `${texts.role[role]}: ${texts.roleMay[role]}`] as const);
  return html`${fewChoices({ name: "role", label: say("roleLabel"), value }, options)}
  ${error !== undefined && html`<p class="error">${error}</p>`}`;
}

function linkPage(
  { words, page }: Pick<PeopleCall, "page" | "words">,
  { person, link, expiresAt }: PersonAndLink,
): Promise<Answer> {
  const { say } = words;
  const body = shownOnce(words, say("linkOnce", { time: words.exactTime(expiresAt) }), link, PEOPLE);
  return page(say("linkFor", { name: person.name }), body);
}

function accessPage(call: PeopleCall): Promise<Answer> {
  const { say, texts } = call.words;
  const roles = call.person.role === "operator" ? (["operator"] as const) : TENANT_ROLES;
  const shown = ACTIONS.filter((action) => roles.some((role) => may(role, action)));
  const cell = (role: Role, action: Action) =>
    may(role, action)
      ? html`<span aria-hidden="true">✓</span><span class="hidden-visually">${say("mayDo")}</span>`
      : html`<span aria-hidden="true" class="soft">–</span
          ><span class="hidden-visually">${say("mayNot")}</span>`;
  const again = { always: say("stepUpAlways"), above_limit: say("stepUpAbove") };
  const matrix = table(
    say("whatRolesMayDo"),
    [
      { title: say("action") },
      ...roles.map((role) => ({ title: texts.role[role], as: "short" as const })),
      { title: say("stepUp") },
    ],
    shown.map((action) => {
      const stepUp = stepUpOf(action);
      return [
        texts.actions[action],
        ...roles.map((role) => cell(role, action)),
        stepUp === null ? "" : again[stepUp],
      ];
    }),
  );
  const body = html`<div class="stack">
    ${panel(say("roles"), facts(roles.map((role) => [texts.role[role], texts.roleMay[role]])))}
    <section class="panel">${matrix}</section>
  </div>`;
  return call.page(say("whatRolesMayDo"), body);
}

interface SingleSignOnShown {
  readonly faults?: Faults;
  readonly given?: Readonly<Record<string, string | undefined>> | null;
  /** The open dialog. */
  readonly act?: string;
  readonly done?: string;
  /** How many people were signed out when it was saved. */
  readonly people?: number;
}

async function singleSignOnPage(
  parts: Parts,
  call: PeopleCall,
  { faults = {}, given = null, act, done, people = 0 }: SingleSignOnShown,
): Promise<Answer> {
  const { words, csrf, person } = call;
  const typed = given ?? {};
  const { say } = words;
  const row = await findProvider(parts.db, person.tenant);
  const roles = TENANT_ROLES.filter((role) => role !== "owner");
  const text = (name: string, label: string, value = "") => ({
    name,
    label,
    value: typed[name] ?? value,
    error: faults[name],
    required: true,
  });
  const settings = form(
    SSO,
    csrf,
    html`${row !== null && seenField(row.updated_at)}
      ${input({ ...text("issuer", say("issuer"), row?.issuer), type: "url", hint: say("issuerHint") })}
      ${input(text("client_id", say("clientId"), row?.client_id))}
      ${input({
        name: "client_secret",
        label: say("clientSecret"),
        type: "password",
        required: row === null,
        error: faults["client_secret"],
        ...(row === null ? {} : { hint: say("clientSecretHint") }),
      })}
      ${input(text("email_domain", say("emailDomain"), row?.email_domain))}
      ${select(
        {
          name: "role_for_new",
          label: say("roleForNew"),
          value: typed["role_for_new"] ?? row?.role_for_new ?? "",
          error: faults["role_for_new"],
        },
        [["", say("onlyInvited")], ...roles.map((role) => [role, words.texts.role[role]] as const)],
      )}
      ${check("required", say("required"), given === null ? row?.required === true : typed["required"] !== undefined)}
      <p class="hint">${say("requiredHint")}</p>
      ${formActs(say("save"))}`,
  );
  const off = html`<a class="button bad" href="${addressWith(SSO, { act: "off" })}">${say("switchOff")}</a>`;
  const address = `${parts.publicUrl}${SIGN_IN}?company=${person.company?.id ?? ""}`;
  const body = html`${heading(say("singleSignOn"), { acts: [html`<a class="button" href="${PEOPLE}">${say("back")}</a>`] })}
    <div class="split">
      ${panel(say("provider"), html`<div class="in">${settings}</div>`, row === null ? NOTHING : off)}
      ${panel(
        say("addresses"),
        html`<div class="in">
          <p>
            <span class="soft">${say("callback")}</span><br />${copyableReference(words, callbackUrl(parts))}
          </p>
          <p><span class="soft">${say("signInLink")}</span><br />${copyableReference(words, address)}</p>
        </div>`,
      )}
    </div>
    ${act === "off" && row !== null && switchOffDialog(words, csrf)}
    ${done === "save" && row !== null && toast(people === 0 ? say("ssoSaved") : words.count(words.texts.ssoSignedOut, people))}
    ${done === "off" && row === null && toast(say("ssoOff"))}`;
  const status = Object.keys(faults).length === 0 ? 200 : 400;
  return call.page(say("singleSignOn"), body, { status, headed: true });
}

function switchOffDialog(words: Words, csrf: string): Html {
  const { say } = words;
  const cancel = html`<a class="button" href="${SSO}" data-close>${say("cancel")}</a>`;
  return dialog(
    `${say("switchOff")}: ${say("singleSignOn")}`,
    html`<p>${say("ssoOffWhat")}</p>
      ${form(`${SSO}off/`, csrf, formActs(say("switchOff"), "bad", cancel))}`,
  );
}

/**
 * The role in a form.
 * @throws FieldErrors.
 */
function checkedRole(role: string | undefined): TenantRole {
  const found = TENANT_ROLES.find((one) => one === role);
  if (found === undefined) throw new FieldErrors({ role: ["Choose a role."] });
  return found;
}

/**
 * The e-mail address and name in a form, trimmed.
 * @throws FieldErrors.
 */
function checkedPerson(email: string, name: string): { readonly email: string; readonly name: string } {
  if (!isEmail(email.trim())) throw new FieldErrors({ email: ["Must be a valid email address."] });
  if (name.trim() === "" || name.length > 255) throw new FieldErrors({ name: ["Enter a name."] });
  return { email: email.trim(), name: name.trim() };
}
