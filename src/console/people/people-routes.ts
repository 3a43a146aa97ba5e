/** Pages for owners: people and their roles, what each role may do, the company's identity provider. */
import { Type } from "../../lib/schema.ts";
import type { Answer } from "../../http/endpoint.ts";
import { html, type Html } from "../../files/html.ts";
import { isEmail } from "../../http/fields.ts";
import { FieldErrors } from "../../refusals.ts";
import {
  ACTIONS,
  labelOf,
  may,
  ROLES,
  stepUpOf,
  TENANT_ROLES,
  type Action,
  type TenantRole,
} from "../../people/access.ts";
import type { Linked } from "../../people/links.ts";
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
import { button, faultsIn, field, form, type Parts } from "./parts.ts";
import { wordsFor, type PeopleTexts } from "./texts.ts";

const response = { 200: Type.Unknown() };
const Text = Type.Optional(Type.String({ maxLength: 2_000 }));
const Csrf = Type.Object({ csrf: Text });
const Id = Type.Object({ id: Type.String({ maxLength: 255 }) });
const PEOPLE = "/console/people/";
const SSO = `${PEOPLE}single-sign-on/`;

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
    schema: { response },
    handle: (call) => peoplePage(parts, call, {}),
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
        return peoplePage(parts, call, faultsIn(error), { email, name });
      }
    },
  });

  const act = (
    path: string,
    summary: string,
    work: (call: PeopleCall, id: string) => Promise<Linked | void>,
  ) =>
    console.post(`${PEOPLE}{id}/${path}/`, "people.write", {
      summary,
      schema: { params: Id, body: Type.Object({ csrf: Text, role: Text }), response },
      async handle(call) {
        const linked = await work(call as unknown as PeopleCall, call.params.id);
        return linked === undefined ? seeOther(PEOPLE) : linkPage(call as unknown as PeopleCall, linked);
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
    schema: { response },
    handle: (call) => singleSignOnPage(parts, call, {}),
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
      }),
      response,
    },
    async handle(call) {
      const { body } = call;
      try {
        await setUpProvider(parts, call, call.person.tenant, {
          issuer: body.issuer ?? "",
          clientId: body.client_id ?? "",
          clientSecret: body.client_secret ?? "",
          emailDomain: body.email_domain ?? "",
          roleForNew: body.role_for_new ?? "",
          required: body.required !== undefined,
        });
        return seeOther(SSO);
      } catch (error) {
        return singleSignOnPage(parts, call, faultsIn(error), body);
      }
    },
  });

  console.post(`${SSO}off/`, "people.write", {
    summary: "Switch single sign-on off",
    schema: { body: Csrf, response },
    async handle(call) {
      await switchOffProvider(parts, call, call.person.tenant);
      return seeOther(SSO);
    },
  });
}

async function peoplePage(
  parts: Parts,
  call: PeopleCall,
  faults: Faults,
  typed: { readonly email?: string; readonly name?: string } = {},
): Promise<Answer> {
  const words = wordsFor(call.person, call.headers);
  const people = await listPeople(parts.db, call.person.tenant);
  const body = html`<table>
      <thead>
        <tr>
          <th>${words.name}</th>
          <th>${words.email}</th>
          <th>${words.role}</th>
          <th>${words.status}</th>
          <th>${words.lastSignIn}</th>
          ${call.may("people.write") && html`<th></th>`}
        </tr>
      </thead>
      <tbody>
        ${people.map((row) => personLine(words, call, row))}
      </tbody>
    </table>
    ${
      call.may("people.write") &&
      html`<h2>${words.invite}</h2>
        ${form(
          PEOPLE,
          call.csrf,
          html`${field({ name: "email", label: words.email, type: "email", value: typed.email ?? "", fault: faults["email"] })}
          ${field({ name: "name", label: words.name, value: typed.name ?? "", fault: faults["name"] })}
          ${roleChoice(words, "viewer")} ${button(words.invite)}`,
        )}
        <p><a href="${SSO}">${words.singleSignOn}</a></p>`
    }
    <p><a href="/console/access/">${words.whatRolesMayDo}</a></p>`;
  return call.page(words.people, body, { status: Object.keys(faults).length === 0 ? 200 : 400 });
}

function personLine(words: PeopleTexts, call: PeopleCall, row: PersonRow): Html {
  const at = (act: string) => `${PEOPLE}${row.id}/${act}/`;
  const acts = html`<td>
    <details>
      <summary>${row.name}</summary>
      ${form(at("role"), call.csrf, html`${roleChoice(words, row.role, row.id)}${button(words.changeRole)}`)}
      ${form(at("link"), call.csrf, button(words.newLink))}
      ${form(at("remove-factors"), call.csrf, button(words.removeFactors))}
      ${form(at("end-sessions"), call.csrf, button(words.endSessions))}
      ${form(at("remove"), call.csrf, button(`${words.removePerson}: ${row.name}`))}
    </details>
  </td>`;
  return html`<tr>
    <td>${row.name}</td>
    <td>${row.email}</td>
    <td>${row.role}</td>
    <td>${row.joined_at === null ? words.invited : words.active}</td>
    <td>${row.last_sign_in_at?.toISOString().slice(0, 16).replace("T", " ") ?? words.never}</td>
    ${call.may("people.write") && acts}
  </tr>`;
}

function roleChoice(words: PeopleTexts, chosen: string, of = "new"): Html {
  return html`<p>
    <label for="role-${of}">${words.role}</label>
    <select id="role-${of}" name="role">
      ${TENANT_ROLES.map((role) => html`<option value="${role}" ${role === chosen && html`selected`}>${role}: ${ROLES[role]}</option>`)}
    </select>
  </p>`;
}

function linkPage(
  call: Pick<PeopleCall, "page" | "person" | "headers">,
  { person, link, expiresAt }: Linked,
): Promise<Answer> {
  const words = wordsFor(call.person, call.headers);
  const body = html`<p>${words.linkOnce} ${expiresAt.toISOString().slice(0, 16).replace("T", " ")} UTC.</p>
    <p><code>${link}</code></p>
    <p><a href="${PEOPLE}">${words.back}</a></p>`;
  return call.page(`${words.linkFor} ${person.name}`, body);
}

function accessPage(call: PeopleCall): Promise<Answer> {
  const words = wordsFor(call.person, call.headers);
  const roles = call.person.role === "operator" ? (["operator"] as const) : TENANT_ROLES;
  const shown = ACTIONS.filter((action) => roles.some((role) => may(role, action)));
  const cell = (role: (typeof roles)[number], action: Action) =>
    may(role, action)
      ? html`<td aria-label="${words.mayDo}">✓</td>`
      : html`<td aria-label="${words.mayNot}">–</td>`;
  const again = { always: words.stepUpAlways, above_limit: words.stepUpAbove };
  const body = html`<dl>
      ${roles.map(
        (role) =>
          html`<dt>${role}</dt>
            <dd>${ROLES[role]}</dd>`,
      )}
    </dl>
    <table>
      <thead>
        <tr>
          <th></th>
          ${roles.map((role) => html`<th scope="col">${role}</th>`)}
          <th scope="col">${words.stepUp}</th>
        </tr>
      </thead>
      <tbody>
        ${shown.map((action) => {
          const stepUp = stepUpOf(action);
          return html`<tr>
            <th scope="row">${labelOf(action)}</th>
            ${roles.map((role) => cell(role, action))}
            <td>${stepUp === null ? "" : again[stepUp]}</td>
          </tr>`;
        })}
      </tbody>
    </table>`;
  return call.page(words.whatRolesMayDo, body);
}

async function singleSignOnPage(
  parts: Parts,
  call: PeopleCall,
  faults: Faults,
  typed: Readonly<Record<string, string | undefined>> = {},
): Promise<Answer> {
  const words = wordsFor(call.person, call.headers);
  const row = await findProvider(parts.db, call.person.tenant);
  const roleForNew = typed["role_for_new"] ?? row?.role_for_new ?? "";
  const roles = TENANT_ROLES.filter((role) => role !== "owner");
  const text = (
    name: string,
    label: string,
    value: string,
    more: { type?: string; required?: boolean } = {},
  ) => field({ name, label, value: typed[name] ?? value, fault: faults[name], ...more });
  const body = html`<p>${words.callback}: <code>${callbackUrl(parts)}</code></p>
    <p>
      ${words.signInLink}: <code>${parts.publicUrl}${SIGN_IN}?company=${call.person.company?.id ?? ""}</code>
    </p>
    ${form(
      SSO,
      call.csrf,
      html`${text("issuer", words.issuer, row?.issuer ?? "", { type: "url" })}
        ${text("client_id", words.clientId, row?.client_id ?? "")}
        ${field({ name: "client_secret", label: words.clientSecret, type: "password", required: row === null, fault: faults["client_secret"] })}
        ${text("email_domain", words.emailDomain, row?.email_domain ?? "")}
        <p>
          <label for="role_for_new">${words.roleForNew}</label>
          <select id="role_for_new" name="role_for_new">
            <option value="">${words.onlyInvited}</option>
            ${roles.map((role) => html`<option ${role === roleForNew && html`selected`}>${role}</option>`)}
          </select>
        </p>
        <p>
          <label for="required"
            ><input
              id="required"
              name="required"
              type="checkbox"
              value="1"
              ${row?.required === true && html`checked`}
            />
            ${words.required}</label
          >
        </p>
        ${button(words.save)}`,
    )}
    ${row !== null && form(`${SSO}off/`, call.csrf, button(words.switchOff))}
    <p><a href="${PEOPLE}">${words.back}</a></p>`;
  return call.page(words.singleSignOn, body, { status: Object.keys(faults).length === 0 ? 200 : 400 });
}

/** @throws FieldErrors. */
function checkedRole(role: string | undefined): TenantRole {
  const found = TENANT_ROLES.find((one) => one === role);
  if (found === undefined) throw new FieldErrors({ role: ["Choose a role."] });
  return found;
}

/** @throws FieldErrors. */
function checkedPerson(email: string, name: string): { readonly email: string; readonly name: string } {
  if (!isEmail(email.trim())) throw new FieldErrors({ email: ["Must be a valid email address."] });
  if (name.trim() === "" || name.length > 255) throw new FieldErrors({ name: ["Enter a name."] });
  return { email: email.trim(), name: name.trim() };
}
