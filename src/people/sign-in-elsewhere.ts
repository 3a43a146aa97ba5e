/** Completes a sign-in at the identity provider: opens a session for people whom the company lets in. */
import type { Deps } from "../deps.ts";
import type { Tx } from "../db/database.ts";
import { endLinks } from "./link-store.ts";
import type { Claims, Flow } from "./oidc.ts";
import { lockProvider, type ProviderRow } from "./oidc-store.ts";
import type { SignedIn } from "./person.ts";
import { newSecret } from "./secret.ts";
import { renewSession } from "./session-store.ts";
import { openSession } from "./sessions.ts";
import { recordSignIn, type Visit } from "./sign-in.ts";
import { findOfProvider, insertPerson, type PersonRow } from "./store.ts";

type Parts = Pick<Deps, "db" | "clock" | "ids" | "signIn">;

/** The cookie of the session; null for people whom the company has not let in. */
export function signInFromElsewhere(
  parts: Parts,
  given: {
    /** The provider that made the claims. */
    readonly provider: ProviderRow;
    readonly flow: Flow;
    readonly claims: Claims;
    /** The signed-in person, for a repeated proof; null for a sign-in. */
    readonly current: SignedIn | null;
    readonly visit: Visit;
  },
): Promise<string | null> {
  const { provider: asked, flow, claims, current, visit } = given;
  return parts.db.transaction(async (tx) => {
    // An owner may have changed it, or switched it off, while the provider was asked.
    const provider = await lockProvider(tx, asked.tenant);
    if (provider?.issuer !== asked.issuer || provider.client_id !== asked.client_id) return null;
    // The provider may know people of other companies, whose addresses it has not verified.
    if (!claims.email.endsWith(`@${provider.email_domain}`)) return null;
    const find = () => findOfProvider(tx, { tenant: provider.tenant, ...claims });
    // A repeated proof needs the existing person. Of two concurrent first sign-ins the later one finds the person
    // created by the other.
    const made = flow.again === null ? () => newcomer(parts, tx, provider, claims) : () => null;
    const person = (await find()) ?? (await made()) ?? (await find());
    if (person === null) return null;
    if (person.oidc_subject !== null && person.oidc_subject !== claims.subject) return null;
    if (flow.again !== null) return proveAgain(parts, tx, person, flow.again, current);
    const joined = {
      ...person,
      oidc_subject: claims.subject,
      joined_at: person.joined_at ?? parts.clock.now(),
    };
    const { tenant, id } = person;
    // The invitation is used up.
    if (person.joined_at === null) await endLinks(tx, tenant, id, parts.clock.now());
    await recordSignIn(parts, tx, joined, visit, "oidc");
    return openSession(parts, tx, { tenant, person: id, stage: "full", method: "oidc", origin: visit });
  });
}

/** Creates a person without an invitation, if the owner has chosen a role for new people. */
async function newcomer(
  { clock, ids }: Parts,
  tx: Tx,
  { tenant, role_for_new: role }: ProviderRow,
  { subject, email, name }: Claims,
): Promise<PersonRow | null> {
  if (role === null) return null;
  const now = clock.now();
  const joinedAt = now;
  const given = { tenant, id: ids.uuid(), email, name: (name ?? email).slice(0, 255), role };
  return insertPerson(tx, { ...given, subject, joinedAt, now });
}

/** Only for the person and the session that requested it. */
async function proveAgain(
  { clock, ids }: Parts,
  tx: Tx,
  person: PersonRow,
  session: string,
  current: SignedIn | null,
): Promise<string | null> {
  if (current?.session.id !== session || current.id !== person.id) return null;
  const { text, hash } = newSecret(ids, person.tenant);
  const { tenant } = person;
  const now = clock.now();
  const renewed = await renewSession(tx, {
    tenant,
    id: session,
    newId: ids.uuid(),
    hash,
    challenge: null,
    now,
  });
  return renewed ? text : null;
}
