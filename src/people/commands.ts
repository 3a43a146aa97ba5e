/** The commands about people: invite, list, remove; for the operator, who has access to the database. */
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusals.ts";
import { COMMAND_LINE as OPERATOR } from "../management/audit/audit.ts";
import { isUuid } from "../lib/ids.ts";
import { tenantStore } from "../tenants/store.ts";
import { TENANT_ROLES, type Role } from "./access.ts";
import type { PersonAndLink } from "./links.ts";
import { invite, newLink, removePerson } from "./manage.ts";
import { listPeople } from "./store.ts";

type Parts = Pick<Deps, "db" | "clock" | "ids" | "keys" | "publicUrl">;

/** The person that a command is about. */
interface Whom {
  /** The public id of the company; null for operators. */
  readonly company: string | null;
  readonly email: string;
}

/**
 * Invites a person, or creates a new link for an existing one; returns what to print.
 * @throws Refusal.
 */
export async function invitePerson(
  parts: Parts,
  { company, email }: Whom,
  { name, role }: { readonly name: string; readonly role: string },
): Promise<string> {
  const tenant = await tenantOfCompany(parts, company);
  const known = await personOf(parts, tenant, email);
  const author = { ...OPERATOR, operationId: parts.ids.uuid() };
  const linked =
    known === null
      ? await invite(parts, author, { tenant, email, name, role: roleOf(company, role) })
      : await newLink(parts, author, tenant, known.id);
  return linkText(linked);
}

export async function peopleList(parts: Parts, company: string | null): Promise<string> {
  const people = await listPeople(parts.db, await tenantOfCompany(parts, company));
  if (people.length === 0) return "There are no people yet. Invite the first: people invite.";
  return people
    .map(({ email, role, name, joined_at: joined }) =>
      [email, role, joined === null ? "invited" : "active", name].join("\t"),
    )
    .join("\n");
}

/**
 * Removes a person.
 * @throws Refusal not_found, record_in_use.
 */
export async function removeByEmail(parts: Parts, { company, email }: Whom): Promise<string> {
  const tenant = await tenantOfCompany(parts, company);
  const person = await personOf(parts, tenant, email);
  if (person === null)
    throw new Refusal("not_found", { detail: `There is no person with the address ${email}.` });
  await removePerson(parts, OPERATOR, tenant, person.id);
  return `${person.name} (${person.email}) was removed and is signed out everywhere.`;
}

/** The printed text for a link. */
function linkText({ person, link, expiresAt }: PersonAndLink): string {
  return `Hand this link to ${person.name}. It works once, until ${expiresAt.toISOString()}:\n\n  ${link}\n`;
}

async function personOf({ db }: Parts, tenant: number, email: string) {
  const people = await listPeople(db, tenant);
  return people.find((person) => person.email === email.trim().toLowerCase()) ?? null;
}

async function tenantOfCompany({ db }: Parts, company: string | null): Promise<number> {
  if (company === null) return 0;
  const row = isUuid(company) ? await tenantStore.find(db, 0, company) : null;
  if (row === null) throw new Refusal("not_found", { detail: `There is no tenant with the id ${company}.` });
  return row.tenant;
}

function roleOf(company: string | null, role: string): Role {
  if (company === null) return "operator";
  const found = TENANT_ROLES.find((one) => one === role);
  if (found === undefined)
    throw new Refusal("unreadable_request", { detail: `The role is one of ${TENANT_ROLES.join(", ")}.` });
  return found;
}
