/** Changes of people by others: invite, change the role, make a new link, end sessions, remove. */
import type { Deps } from "../deps.ts";
import type { Tx } from "../db/database.ts";
import { hasScope } from "../http/scopes.ts";
import { isUuid } from "../lib/ids.ts";
import { Refusal } from "../refusals.ts";
import { requireWorkingKey } from "../tenants/api-keys/granting.ts";
import { hasRun, writeEntry, type Author, type Change } from "../management/audit/audit.ts";
import { may, scopesOf, type Role } from "./access.ts";
import { removePasskeys, replaceCodes } from "./factor-store.ts";
import { inviteIn, linkIn, type OnceAuthor, type PersonAndLink } from "./links.ts";
import { endLinks } from "./link-store.ts";
import { requireOpenSession } from "./open-session.ts";
import { personRecord } from "./person-record.ts";
import { endSessions } from "./session-store.ts";
import { deletePrivateViews } from "./view-store.ts";
import { lockWithOwners, updatePerson, type PersonRow } from "./store.ts";

type Parts = Pick<Deps, "db" | "clock" | "ids">;
type LinkParts = Parts & Pick<Deps, "keys" | "publicUrl">;

/**
 * Invites a person, once per operation.
 * @throws Refusal scope_missing, already_exists.
 */
export function invite(
  parts: LinkParts,
  author: OnceAuthor,
  given: { readonly tenant: number; readonly email: string; readonly name: string; readonly role: Role },
): Promise<PersonAndLink> {
  return parts.db.transaction(async (tx) => {
    await lockedPeople(parts, tx, author, given.tenant, []);
    checkGives(author, given.role);
    return inviteIn(parts, tx, author, given);
  });
}

/**
 * Changes a role. It takes effect with the next sign-in: all sessions and links end.
 * @throws Refusal not_found, record_in_use, scope_missing.
 */
export function changeRole(
  parts: Parts,
  author: Author,
  tenant: number,
  id: string,
  role: Role,
): Promise<PersonRow> {
  return change(parts, author, tenant, id, "update", async (tx, before, people) => {
    checkGives(author, before.role);
    checkGives(author, role);
    if (before.role === role) return before;
    refuseLastOwner(before, people);
    const after = { ...before, role };
    const now = parts.clock.now();
    await updatePerson(tx, after, now);
    await endSessions(tx, { tenant, person: id, but: null, now });
    // The maker of the link may not be allowed to give the new role.
    await endLinks(tx, tenant, id, now);
    return after;
  });
}

/**
 * Removes a person, with sessions and links; what the person did stays.
 * @throws Refusal not_found, record_in_use.
 */
export async function removePerson(parts: Parts, author: Author, tenant: number, id: string): Promise<void> {
  await change(parts, author, tenant, id, "remove", async (tx, before, people) => {
    refuseLastOwner(before, people);
    const now = parts.clock.now();
    const after = { ...before, removed_at: now };
    await updatePerson(tx, after, now);
    await endSessions(tx, { tenant, person: id, but: null, now });
    await endLinks(tx, tenant, id, now);
    await deletePrivateViews(tx, tenant, id);
    return after;
  });
}

/**
 * Creates a new link, once per operation: to accept, or to set a new password.
 * @throws Refusal not_found, scope_missing.
 */
export async function newLink(
  parts: LinkParts,
  author: OnceAuthor,
  tenant: number,
  id: string,
): Promise<PersonAndLink> {
  const { operationId } = author;
  let linked: PersonAndLink | null = null;
  await change({ ...parts, entryId: operationId }, author, tenant, id, "reset", async (tx, before) => {
    checkGives(author, before.role);
    linked = await linkIn(parts, tx, before, operationId);
    return before;
  });
  if (linked === null) throw new Refusal("not_found");
  return linked;
}

/**
 * Removes the second factors of a person who has lost them; the password stays. Repeating the operation changes
 * nothing: the person may have others by now.
 * @throws Refusal not_found, scope_missing.
 */
export async function removeFactors(
  parts: Parts,
  author: OnceAuthor,
  tenant: number,
  id: string,
): Promise<void> {
  const { operationId } = author;
  await change({ ...parts, entryId: operationId }, author, tenant, id, "reset", async (tx, before) => {
    const operation = { tenant, id: operationId, resource: "people", resourceId: before.id };
    if (await hasRun(tx, author, operation)) return before;
    checkGives(author, before.role);
    const now = parts.clock.now();
    const after = { ...before, totp_secret: null, totp_last_step: null };
    await updatePerson(tx, after, now);
    await removePasskeys(tx, { tenant, person: id, id: null, now });
    await replaceCodes(tx, { tenant, person: id, hashes: [], now });
    await endSessions(tx, { tenant, person: id, but: null, now });
    return after;
  });
}

/** Signs a person out everywhere. @throws Refusal not_found. */
export async function endSessionsOf(parts: Parts, author: Author, tenant: number, id: string): Promise<void> {
  await change(parts, author, tenant, id, "end_sessions", async (tx, before) => {
    await endSessions(tx, { tenant, person: id, but: null, now: parts.clock.now() });
    return before;
  });
}

/** One change to a person, with its audit entry, under the locks of everyone concerned. */
function change(
  parts: Parts & { readonly entryId?: string },
  author: Author,
  tenant: number,
  id: string,
  action: Change["action"],
  work: (tx: Tx, before: PersonRow, people: readonly PersonRow[]) => Promise<PersonRow>,
): Promise<PersonRow> {
  const { db, clock, ids, entryId = ids.uuid() } = parts;
  return db.transaction(async (tx) => {
    const people = await lockedPeople(parts, tx, author, tenant, isUuid(id) ? [id] : []);
    const before = people.find((person) => person.id === id.toLowerCase());
    if (before === undefined) throw new Refusal("not_found");
    const after = await work(tx, before, people);
    await writeEntry(tx, author, {
      tenant,
      id: entryId,
      at: clock.now(),
      action,
      resource: "people",
      resourceId: before.id,
      before: personRecord(before),
      after: personRecord(after),
    });
    return after;
  });
}

/**
 * Locks the person to change, the author, and all owners. The author must still exist and be allowed to: the role may
 * have changed, or the API key been revoked, since the request began.
 * @throws Refusal scope_missing, unauthorized.
 */
async function lockedPeople(
  { clock }: Parts,
  tx: Tx,
  { caller }: Author,
  tenant: number,
  ids: readonly string[],
): Promise<readonly PersonRow[]> {
  const asking = caller.kind === "person" && caller.tenant === tenant ? [caller.personId] : [];
  const people = await lockWithOwners(tx, tenant, [...ids, ...asking]);
  if (caller.kind === "key") await requireWorkingKey(tx, tenant, caller.keyId, clock.now());
  if (caller.kind !== "person") return people;
  const author = people.find((person) => person.id === caller.personId);
  if (author === undefined || !may(author.role, "people.write"))
    throw new Refusal("scope_missing", { detail: "Your role does not allow this any more." });
  await requireOpenSession(tx, caller.tenant, caller.consoleSession);
  return people;
}

/**
 * A key gives no role with more rights than its own.
 * @throws Refusal scope_missing.
 */
function checkGives({ caller }: Author, role: Role): void {
  if (caller.kind === "operator") return;
  const scopes = "scopes" in caller ? caller.scopes : [];
  if (role === "operator" || !scopesOf(role).every((scope) => hasScope(scopes, scope)))
    throw new Refusal("scope_missing", {
      detail: `This needs an API key that has all scopes of the role ${role}.`,
    });
}

/**
 * Keeps at least one owner.
 * @throws Refusal record_in_use: without an owner no person could be let in.
 */
function refuseLastOwner(before: PersonRow, people: readonly PersonRow[]): void {
  const owners = people.filter((person) => person.role === "owner" && person.joined_at !== null);
  if (before.role === "owner" && owners.length === 1 && owners[0]?.id === before.id)
    throw new Refusal("record_in_use", {
      detail: "This is the last owner. Make another person an owner first.",
    });
}
