/**
 * Invitations and password resets: a link that works once, shown to its creator, as the service sends no mail to
 * people.
 */
import type { Deps } from "../deps.ts";
import type { Tx } from "../db/database.ts";
import { must } from "../lib/assert.ts";
import { later } from "../lib/clock.ts";
import { secretsOfOperation } from "../lib/operation-secret.ts";
import { FieldErrors, Refusal } from "../refusals.ts";
import type { Author } from "../management/audit/audit.ts";
import { writeEntry } from "../management/audit/audit.ts";
import { findOwnTenant } from "../tenants/store.ts";
import type { Role } from "./access.ts";
import { endLinks, findGivenLink, findLink, insertLink, useLink } from "./link-store.ts";
import { hashPassword, LENGTH_MIN, passwordProblem } from "./password.ts";
import { readSecret, secretOf } from "./secret.ts";
import { endSessions } from "./session-store.ts";
import { openSession } from "./sessions.ts";
import { LINK_MS } from "./settings.ts";
import { authorOf, recordSignIn, refuseIfSsoRequired, stageAfterFirstFactor, type Visit } from "./sign-in.ts";
import { findPerson, insertPerson, lockPerson, updatePerson, type PersonRow } from "./store.ts";
import { personRecord } from "./person-record.ts";

type Parts = Pick<Deps, "clock" | "keys" | "publicUrl">;

/** The author of something that is done once per operation. @param operationId the audit entry's id. */
export type OnceAuthor = Author & { readonly operationId: string };

/** A person, and the link to hand over. */
export interface PersonAndLink {
  readonly person: PersonRow;
  /** Shown once. */
  readonly link: string;
  readonly expiresAt: Date;
}

/**
 * Creates a person who has yet to accept, in a transaction that has checked the author's rights. Repeating the operation
 * returns the person and the link that it has made.
 * @throws Refusal already_exists.
 */
export async function inviteIn(
  parts: Parts,
  tx: Tx,
  author: OnceAuthor,
  given: { readonly tenant: number; readonly email: string; readonly name: string; readonly role: Role },
): Promise<PersonAndLink> {
  const { operationId } = author;
  const now = parts.clock.now();
  const email = given.email.trim().toLowerCase();
  const made = await insertPerson(tx, {
    ...given,
    email,
    id: operationId,
    subject: null,
    joinedAt: null,
    now,
  });
  const person = made ?? (await findPerson(tx, given.tenant, operationId));
  if (person === null)
    throw new Refusal("already_exists", { detail: "A person with this address already exists." });
  await writeEntry(tx, author, {
    tenant: given.tenant,
    id: operationId,
    at: now,
    action: "invite",
    resource: "people",
    resourceId: person.id,
    before: null,
    after: personRecord(person),
  });
  return linkIn(parts, tx, person, operationId);
}

/**
 * Creates a new link in place of earlier ones: to accept the invitation, otherwise to set another password. Repeating
 * the operation returns its link and changes nothing: another may have replaced it.
 */
export async function linkIn(
  { clock, keys, publicUrl }: Parts,
  tx: Tx,
  person: PersonRow,
  operationId: string,
): Promise<PersonAndLink> {
  const { tenant } = person;
  const secrets = secretsOfOperation(keys, { purpose: "person-link", tenant, operationId }).map((secret) =>
    secretOf(tenant, secret),
  );
  const given = await findGivenLink(
    tx,
    tenant,
    secrets.map(({ hash }) => hash),
  );
  const { text, hash } = must(
    given === null ? secrets[0] : secrets.find((one) => one.hash.equals(given.hash)),
    "the operation's secret",
  );
  const now = clock.now();
  const purpose = person.joined_at === null ? "invitation" : "reset";
  const expiresAt = given?.expires_at ?? later(now, LINK_MS[purpose]);
  if (given === null) {
    await endLinks(tx, tenant, person.id, now);
    await insertLink(tx, { tenant, hash, person: person.id, purpose, expiresAt, now });
  }
  return { person, link: `${publicUrl}/console/link/${text}/`, expiresAt };
}

export interface OpenLink {
  readonly purpose: "invitation" | "reset";
  readonly person: string;
  readonly email: string;
  readonly name: string;
  /** Null for an operator. */
  readonly company: string | null;
  readonly role: Role;
}

/** The purpose of a link; null if it is used, expired or invalid. */
export async function readLink(
  { db, clock }: Pick<Deps, "db" | "clock">,
  token: string,
): Promise<OpenLink | null> {
  const secret = readSecret(token);
  const link = secret === null ? null : await findLink(db, { ...secret, now: clock.now() });
  if (secret === null || link === null) return null;
  const person = await findPerson(db, secret.tenant, link.person);
  if (person === null) return null;
  const company = secret.tenant === 0 ? null : (await findOwnTenant(db, secret.tenant)).name;
  const { email, name, role } = person;
  return { purpose: link.purpose, person: person.id, email, name, company, role };
}

/**
 * Uses a link: sets name and password and signs in, as far as possible. Without a password the person has to add a
 * passkey next. Earlier sessions are ended.
 * @returns the cookie's value; null when the link does not work.
 * @throws FieldErrors for a name that is too long, or a password that is too weak.
 */
export async function acceptLink(
  parts: Parts & Pick<Deps, "db" | "ids" | "signIn">,
  token: string,
  given: { readonly name: string; readonly password: string | null; readonly visit: Visit },
): Promise<string | null> {
  const open = await readLink(parts, token);
  const secret = readSecret(token);
  if (open === null || secret === null) return null;
  const { visit } = given;
  const name = given.name.trim() === "" ? null : ownName(given.name);
  // A reset sets a password; an invited person may go on with a passkey instead.
  const password = open.purpose === "reset" ? (given.password ?? "") : given.password;
  if (password !== null) checkPassword(password, [open.email, open.name, given.name, open.company ?? ""]);
  const hash = password === null ? null : await hashPassword(parts.ids, password);
  return parts.db.transaction(async (tx) => {
    const now = parts.clock.now();
    // The person first, as everywhere that links are ended: the other order could deadlock.
    const before = await lockPerson(tx, secret.tenant, open.person);
    const used = before === null ? null : await useLink(tx, { ...secret, now });
    if (before === null || used === null) return null;
    await refuseIfSsoRequired(tx, before);
    const joined = before.joined_at ?? now;
    const person = {
      ...before,
      name: name ?? before.name,
      joined_at: joined,
      password_hash: hash ?? before.password_hash,
      password_changed_at: now,
    };
    await updatePerson(tx, person, now);
    const { tenant, id } = person;
    await endSessions(tx, { tenant, person: id, but: null, now });
    await writeEntry(tx, authorOf(person, visit), {
      tenant,
      id: parts.ids.uuid(),
      at: now,
      action: used.purpose === "reset" ? "reset" : "accept",
      resource: "people",
      resourceId: id,
      before: personRecord(before),
      after: personRecord(person),
    });
    const stage = await stageAfterFirstFactor(parts, tx, person);
    if (stage === "full") await recordSignIn(parts, tx, person, visit, "link");
    return openSession(parts, tx, { tenant, person: id, stage, method: "link", origin: visit });
  });
}

/**
 * A person's name as they enter it.
 * @throws FieldErrors.
 */
export function ownName(given: string): string {
  const name = given.trim();
  if (name === "" || name.length > 255) throw new FieldErrors({ name: ["Enter your name."] });
  return name;
}

const PASSWORD_PROBLEMS = {
  short: `Use at least ${LENGTH_MIN} characters.`,
  long: "Use at most 256 characters.",
  common: "This password is easy to guess. Use words that do not belong together, or a password manager.",
} as const;

/**
 * Checks a new password.
 * @throws FieldErrors.
 */
export function checkPassword(password: string, about: readonly string[]): void {
  const problem = passwordProblem(password, about);
  if (problem !== null) throw new FieldErrors({ password: [PASSWORD_PROBLEMS[problem]] });
}
