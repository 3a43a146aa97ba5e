/** The first factor: a password, or a passkey, which is both factors at once. */
import type { Deps } from "../deps.ts";
import type { Tx } from "../db/database.ts";
import type { Counters } from "../http/rate-limit.ts";
import type { Author } from "../management/audit/audit.ts";
import { writeEntry } from "../management/audit/audit.ts";
import { isDeviceOf, mayTryPassword, passwordAttempt } from "./attempts.ts";
import { listPasskeys, usePasskey } from "./factor-store.ts";
import { findProvider, type ProviderRow } from "./oidc-store.ts";
import { hashPassword, isOutdated, isPassword } from "./password.ts";
import { holderIn, readProof } from "./passkeys.ts";
import { scopesOf, type Role } from "./access.ts";
import { Refusal } from "../refusals.ts";
import { openSession, type Origin } from "./sessions.ts";
import { findByEmail, lockPerson, updatePerson, type PersonRow } from "./store.ts";
import type { Stage } from "./person.ts";
import { needsSecondFactor } from "./settings.ts";

type Parts = Pick<Deps, "db" | "clock" | "ids" | "keys" | "pause" | "signIn" | "publicUrl"> & {
  readonly counters: Counters;
};

/** The result. `elsewhere`: the company's people sign in with its identity provider. */
export type SignIn =
  | { readonly kind: "open"; readonly cookie: string; readonly stage: Stage; readonly person: PersonRow }
  | { readonly kind: "elsewhere"; readonly company: number }
  | { readonly kind: "refused" };

/**
 * Most people belong to one company. With more passwords to compare, the response time would show the number of
 * companies.
 */
const CANDIDATES_MAX = 5;

const REFUSED = { kind: "refused" } as const;

/** The request of a sign-in. */
export interface Visit extends Origin {
  readonly requestId: string;
}

/**
 * Signs in. Refuses with the same message and after the same time whether the address is unknown, has no password, or
 * the password is wrong.
 * @throws Refusal throttled.
 */
export async function signInWithPassword(
  parts: Parts,
  given: {
    readonly email: string;
    readonly password: string;
    /** The public id of the company; null: any with this address. */
    readonly company: string | null;
    readonly device: string | null;
    readonly visit: Visit;
  },
): Promise<SignIn> {
  const email = given.email.trim().toLowerCase();
  const { company, device, password } = given;
  const candidates = await findByEmail(parts.db, { email, company, limit: CANDIDATES_MAX });
  const own = device === null ? undefined : candidates.find((one) => isDeviceOf(parts, one, device));
  const attempt = await passwordAttempt(parts, own === undefined ? email : `browser:${device}`);
  const others = candidates.filter((one) => one !== own);
  const person =
    own === undefined
      ? await firstWith(password, others)
      : ((await firstWith(password, [own])) ?? (await firstOfOthers(parts, email, password, others)));
  const opened = person === null ? REFUSED : await open(parts, person, password, given.visit);
  if (opened.kind === "refused") await attempt.fail();
  return opened;
}

async function firstWith(password: string, candidates: readonly PersonRow[]): Promise<PersonRow | null> {
  // An unknown address takes as long as a known one.
  if (candidates.length === 0) await isPassword(null, password);
  for (const candidate of candidates)
    if (await isPassword(candidate.password_hash, password)) return candidate;
  return null;
}

/**
 * After the password of the person whose browser it is. Counted also if there are no others, and refused like a wrong
 * password: the limit must not show whether the address has an account in another company.
 */
async function firstOfOthers(
  parts: Parts,
  email: string,
  password: string,
  others: readonly PersonRow[],
): Promise<PersonRow | null> {
  return (await mayTryPassword(parts, email)) ? firstWith(password, others) : null;
}

/** Opens a session under the person's lock, if the password is still the one that was compared. */
async function open(parts: Parts, found: PersonRow, password: string, visit: Visit): Promise<SignIn> {
  const renewed = isOutdated(found.password_hash ?? "") ? await hashPassword(parts.ids, password) : null;
  return parts.db.transaction(async (tx) => {
    const locked = await lockPerson(tx, found.tenant, found.id);
    if (locked === null || locked.password_hash !== found.password_hash) return REFUSED;
    if (await isSsoRequired(tx, locked)) return { kind: "elsewhere", company: locked.tenant };
    const person = renewed === null ? locked : { ...locked, password_hash: renewed };
    const stage = await stageAfterFirstFactor(parts, tx, person);
    const cookie = await openSession(parts, tx, {
      tenant: person.tenant,
      person: person.id,
      stage,
      method: "password",
      origin: visit,
    });
    if (stage === "full") await recordSignIn(parts, tx, person, visit, "password");
    else if (renewed !== null) await updatePerson(tx, person, parts.clock.now());
    return { kind: "open", cookie, stage, person };
  });
}

/** Signs in with a passkey alone, which identifies the person. */
export async function signInWithPasskey(
  parts: Parts,
  given: {
    readonly browserTie: string;
    readonly ticket: string;
    readonly answer: string;
    readonly visit: Visit;
  },
): Promise<SignIn> {
  const holder = holderIn(given.answer);
  if (holder === null) return REFUSED;
  const known = await listPasskeys(parts.db, holder.tenant, holder.person);
  const passkey = known.find(({ credential }) => credential.equals(holder.credential));
  if (passkey === undefined) return REFUSED;
  const proof = await readProof(parts, given.browserTie, {
    ticket: given.ticket,
    answer: given.answer,
    passkey,
  });
  if (proof === null) return REFUSED;
  const { visit } = given;
  return parts.db.transaction(async (tx) => {
    const person = await lockPerson(tx, holder.tenant, holder.person);
    if (person === null || person.joined_at === null) return REFUSED;
    if (await isSsoRequired(tx, person)) return { kind: "elsewhere", company: person.tenant };
    const now = parts.clock.now();
    const used = await usePasskey(tx, { tenant: person.tenant, id: passkey.id, counter: proof.counter, now });
    if (!used) return REFUSED;
    const { tenant, id } = person;
    const { challenge } = proof;
    const session = {
      tenant,
      person: id,
      stage: "full",
      method: "passkey",
      challenge,
      origin: visit,
    } as const;
    const cookie = await openSession(parts, tx, session);
    await recordSignIn(parts, tx, person, visit, "passkey");
    return { kind: "open", cookie, stage: "full", person };
  });
}

async function isSsoRequired(tx: Tx, { tenant, role }: PersonRow): Promise<boolean> {
  const provider = await findProvider(tx, tenant);
  return provider !== null && mustUseProvider(provider, role);
}

/**
 * Whether a role has to use the identity provider. Owners and operators can always sign in directly, for the day on
 * which the provider does not answer.
 */
export function mustUseProvider({ required }: Pick<ProviderRow, "required">, role: Role): boolean {
  return required && role !== "owner" && role !== "operator";
}

/**
 * Refuses a person who has to sign in with the identity provider, including one whose sign-in began before that was required.
 * @throws Refusal scope_missing.
 */
export async function refuseIfSsoRequired(tx: Tx, person: PersonRow): Promise<void> {
  if (await isSsoRequired(tx, person))
    throw new Refusal("scope_missing", {
      detail: "Your company requires sign-in with its identity provider.",
    });
}

/** The session's stage after the first factor. */
export async function stageAfterFirstFactor(
  { signIn }: Pick<Deps, "signIn">,
  tx: Tx,
  person: PersonRow,
): Promise<Stage> {
  if (await hasSecondFactor(tx, person)) return "second_factor";
  return needsSecondFactor(signIn, person.role) || person.password_hash === null ? "set_up" : "full";
}

export async function hasSecondFactor(tx: Tx, { tenant, id, totp_secret }: PersonRow): Promise<boolean> {
  return totp_secret !== null || (await listPasskeys(tx, tenant, id)).length > 0;
}

/** Records the sign-in in the person's row and in the audit log. */
export async function recordSignIn(
  { clock, ids }: Pick<Deps, "clock" | "ids">,
  tx: Tx,
  person: PersonRow,
  visit: Visit,
  method: "password" | "passkey" | "oidc" | "link",
): Promise<void> {
  const now = clock.now();
  await updatePerson(tx, { ...person, last_sign_in_at: now }, now);
  await writeEntry(tx, authorOf(person, visit), {
    tenant: person.tenant,
    id: ids.uuid(),
    at: now,
    action: "sign_in",
    resource: "people",
    resourceId: person.id,
    before: null,
    after: { method },
  });
}

/** The person as the author of changes to their own record. */
export function authorOf(
  { tenant, id, name, role }: Pick<PersonRow, "tenant" | "id" | "name" | "role">,
  { clientIp, requestId }: Visit,
): Author {
  return {
    caller: { kind: "person", tenant, personId: id, name, scopes: scopesOf(role), consoleSession: null },
    clientIp,
    requestId,
  };
}
