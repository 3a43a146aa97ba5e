/** People in the management API: for keys with the scope `people`, and the operator's invitation of a tenant's first owner. */
import { Type } from "../lib/schema.ts";
import type { Deps } from "../deps.ts";
import { tenantOf, type Router } from "../http/endpoint.ts";
import { later } from "../lib/clock.ts";
import { isUuid } from "../lib/ids.ts";
import { Refusal } from "../refusals.ts";
import { IdInPath, MANAGEMENT, TAG } from "../management/resource-routes.ts";
import { tenantStore } from "../tenants/store.ts";
import type { PersonAndLink } from "./links.ts";
import { changeRole, endSessionsOf, invite, newLink, removeFactors, removePerson } from "./manage.ts";
import { personRecord } from "./person-record.ts";
import { Invitation, People, Person, PersonWithLink, RoleChange, Sessions } from "./schemas.ts";
import { listConsoleSessions } from "./session-store.ts";
import { findPerson, listPeople, type PersonRow } from "./store.ts";

const PATH = `${MANAGEMENT}people/`;
const NOTHING = { 204: Type.Null() };
const ONCE =
  "The service sends no mail: hand the link over yourself. An invitation works for seven days, a reset for two hours.";

/** Declares the endpoints on the router. */
export function peopleRoutes(router: Router, deps: Deps): void {
  const common = { tag: TAG, access: "people" } as const;

  router.add("GET", PATH, {
    ...common,
    summary: "List people",
    description: "Everyone who works in the console for this tenant, by name; at most 1,000.",
    schema: { response: { 200: People } },
    async handle(call) {
      const people = await listPeople(deps.db, tenantOf(call));
      return { status: 200, body: { results: people.map(personRecord) } };
    },
  });

  router.add("POST", PATH, {
    ...common,
    summary: "Invite a person",
    description: `${ONCE} A key gives no role that can do more than the key itself.`,
    schema: { body: Invitation, response: { 201: PersonWithLink } },
    async handle(call) {
      const { email, name, role } = call.body;
      const given = { tenant: tenantOf(call), email, name, role: role };
      return { status: 201, body: withLink(await invite(deps, call, given)) };
    },
  });

  router.add("GET", `${PATH}{id}/`, {
    ...common,
    summary: "Read a person",
    schema: { params: IdInPath, response: { 200: Person } },
    async handle(call) {
      return { status: 200, body: personRecord(await readPerson(deps, tenantOf(call), call.params.id)) };
    },
  });

  router.add("PATCH", `${PATH}{id}/`, {
    ...common,
    summary: "Change a person's role",
    description: "Ends all sessions of the person, who signs in again with the new role.",
    schema: { params: IdInPath, body: RoleChange, response: { 200: Person } },
    async handle(call) {
      const { role } = call.body;
      if (role === undefined)
        return { status: 200, body: personRecord(await readPerson(deps, tenantOf(call), call.params.id)) };
      const row = await changeRole(deps, call, tenantOf(call), call.params.id, role);
      return { status: 200, body: personRecord(row) };
    },
  });

  router.add("DELETE", `${PATH}{id}/`, {
    ...common,
    summary: "Remove a person",
    description: "Ends all sessions and links at once. The last owner cannot be removed.",
    schema: { params: IdInPath, response: NOTHING },
    async handle(call) {
      await removePerson(deps, call, tenantOf(call), call.params.id);
      return { status: 204, body: undefined };
    },
  });

  linkRoutes(router, deps);
  sessionRoutes(router, deps);
}

function linkRoutes(router: Router, deps: Deps): void {
  const common = { tag: TAG, access: "people" } as const;

  router.add("POST", `${PATH}{id}/link/`, {
    ...common,
    summary: "Make a new link for a person",
    description: `To accept the invitation, or to set a new password; the links before stop working. ${ONCE}`,
    schema: { params: IdInPath, response: { 200: PersonWithLink } },
    async handle(call) {
      return { status: 200, body: withLink(await newLink(deps, call, tenantOf(call), call.params.id)) };
    },
  });

  router.add("POST", `${PATH}{id}/remove-factors/`, {
    ...common,
    summary: "Remove a person's second factors",
    description:
      "For a person who has lost them: authenticator app, passkeys and recovery codes. Ends all sessions.",
    schema: { params: IdInPath, response: NOTHING },
    async handle(call) {
      await removeFactors(deps, call, tenantOf(call), call.params.id);
      return { status: 204, body: undefined };
    },
  });

  router.add("POST", `${MANAGEMENT}tenants/{id}/people/`, {
    summary: "Invite a person to a tenant",
    description: `Requires the operator key: for a tenant's first owner. ${ONCE}`,
    tag: TAG,
    access: "operator",
    schema: { params: IdInPath, body: Invitation, response: { 201: PersonWithLink } },
    async handle(call) {
      const { id } = call.params;
      const tenant = isUuid(id) ? await tenantStore.find(deps.db, 0, id) : null;
      if (tenant === null || tenant.archived_at !== null) throw new Refusal("not_found");
      const { email, name, role } = call.body;
      const given = { tenant: tenant.tenant, email, name, role: role };
      return { status: 201, body: withLink(await invite(deps, call, given)) };
    },
  });
}

function sessionRoutes(router: Router, deps: Deps): void {
  const path = `${PATH}{id}/sessions/`;

  router.add("GET", path, {
    summary: "List a person's open sessions",
    tag: TAG,
    access: "people",
    schema: { params: IdInPath, response: { 200: Sessions } },
    async handle(call) {
      const { tenant, id } = await readPerson(deps, tenantOf(call), call.params.id);
      const now = deps.clock.now();
      const idleSince = later(now, -deps.signIn.sessionIdleMs);
      const sessions = await listConsoleSessions(deps.db, { tenant, person: id, now, idleSince });
      const results = sessions.map((row) => ({
        ...row,
        created_at: row.created_at.toISOString(),
        seen_at: row.seen_at.toISOString(),
        expires_at: row.expires_at.toISOString(),
      }));
      return { status: 200, body: { results } };
    },
  });

  router.add("DELETE", path, {
    summary: "Sign a person out everywhere",
    tag: TAG,
    access: "people",
    schema: { params: IdInPath, response: NOTHING },
    async handle(call) {
      await endSessionsOf(deps, call, tenantOf(call), call.params.id);
      return { status: 204, body: undefined };
    },
  });
}

/**
 * Finds a person.
 * @throws Refusal not_found: the same for malformed, unknown and another tenant's ids.
 */
async function readPerson(deps: Pick<Deps, "db">, tenant: number, id: string): Promise<PersonRow> {
  const person = isUuid(id) ? await findPerson(deps.db, tenant, id) : null;
  if (person === null) throw new Refusal("not_found");
  return person;
}

function withLink({ person, link, expiresAt }: PersonAndLink): object {
  return { ...personRecord(person), link, link_expires_at: expiresAt.toISOString() };
}
