/** The second factor: after the password, and again before an important action. Either way the session gets a new secret. */
import type { Deps } from "../deps.ts";
import type { Tx } from "../db/database.ts";
import { sha256 } from "../lib/keyring.ts";
import type { Counters } from "../http/rate-limit.ts";
import { codeAttempt, passwordAttempt } from "./attempts.ts";
import { credentialIn, readProof } from "./passkeys.ts";
import { listPasskeys, useCode, usePasskey } from "./factor-store.ts";
import { isPassword } from "./password.ts";
import type { SignedIn } from "./person.ts";
import { newSecret } from "./secret.ts";
import { endSession, failSession, renewSession } from "./session-store.ts";
import { openSession } from "./sessions.ts";
import { recordSignIn, refuseIfSsoRequired, type Visit } from "./sign-in.ts";
import { findPerson, lockPerson, updatePerson, type PersonRow } from "./store.ts";
import { stepOfCode } from "./totp.ts";

type Parts = Pick<Deps, "db" | "clock" | "ids" | "keys" | "pause" | "signIn" | "publicUrl"> & {
  readonly counters: Counters;
};

export type Proof =
  | { readonly kind: "code"; readonly code: string }
  | {
      readonly kind: "passkey";
      readonly browserTie: string;
      readonly ticket: string;
      readonly answer: string;
    }
  /** Only for people without a second factor, and only for another proof. */
  | { readonly kind: "password"; readonly password: string };

/** The factors that the person has. */
interface Factors {
  readonly totp: boolean;
  readonly passkeys: boolean;
  readonly password: boolean;
}

const FAILURES_MAX = 5;

export async function factorsOf(
  { db }: Pick<Deps, "db">,
  { tenant, id }: Pick<SignedIn, "tenant" | "id">,
): Promise<Factors> {
  const person = await findPerson(db, tenant, id);
  const passkeys = (await listPasskeys(db, tenant, id)).length > 0;
  const totp = person?.totp_secret !== null && person !== null;
  const password = person?.password_hash !== null && person !== null;
  return { totp, passkeys, password: password && !totp && !passkeys };
}

/**
 * Completes a sign-in, or proves the second factor again.
 * @returns the new cookie's value; null when the proof is wrong.
 * @throws Refusal throttled.
 */
export async function prove(parts: Parts, who: SignedIn, proof: Proof, visit: Visit): Promise<string | null> {
  const attempt = await attemptOf(parts, who, proof);
  const check = await prepared(parts, who, proof);
  const cookie = check === null ? null : await finish(parts, who, check, visit);
  if (cookie !== null) return cookie;
  const { tenant, session } = who;
  const now = parts.clock.now();
  await failSession(parts.db, { tenant, id: session.id, failuresMax: FAILURES_MAX, now });
  await attempt?.fail();
  return null;
}

/** Passkeys cannot be guessed, so an attacker's guesses must not block them. */
async function attemptOf(parts: Parts, who: SignedIn, proof: Proof) {
  if (proof.kind === "passkey") return null;
  if (proof.kind === "password") return passwordAttempt(parts, `again:${who.tenant}:${who.id}`);
  return codeAttempt(parts, who.tenant, who.id);
}

/** Uses the proof in the transaction; null when it is wrong or was used before. */
type Take = (tx: Tx, person: PersonRow) => Promise<{ readonly challenge: Buffer | null } | null>;

/** The slow part, before the transaction. */
async function prepared(parts: Parts, who: SignedIn, proof: Proof): Promise<Take | null> {
  if (proof.kind === "code") return (tx, person) => takeCode(parts, tx, person, proof.code);
  if (proof.kind === "password") {
    const { password, ...others } = await factorsOf(parts, who);
    const found = await findPerson(parts.db, who.tenant, who.id);
    const allowed = who.session.stage === "full" && password && !others.totp && !others.passkeys;
    const right = await isPassword(found?.password_hash ?? null, proof.password);
    if (!allowed || !right) return null;
    return async (_tx, person) =>
      person.password_hash === found?.password_hash ? { challenge: null } : null;
  }
  const credential = credentialIn(proof.answer);
  const known = await listPasskeys(parts.db, who.tenant, who.id);
  const passkey = known.find((one) => credential !== null && one.credential.equals(credential));
  if (passkey === undefined) return null;
  const { browserTie, ticket, answer } = proof;
  const read = await readProof(parts, browserTie, { ticket, answer, passkey });
  if (read === null) return null;
  return async (tx) => {
    const { tenant, id } = passkey;
    const used = await usePasskey(tx, { tenant, id, counter: read.counter, now: parts.clock.now() });
    return used ? { challenge: read.challenge } : null;
  };
}

/** A code of the app, or a recovery code. */
async function takeCode(
  { keys, clock }: Parts,
  tx: Tx,
  person: PersonRow,
  code: string,
): Promise<{ readonly challenge: null } | null> {
  const now = clock.now();
  const { tenant, id, totp_secret: sealed, totp_last_step: last } = person;
  if (sealed !== null) {
    const secret = keys.open(tenant, totpContext(id), sealed);
    const step = stepOfCode(secret, code, now, last === null ? null : Number(last));
    if (step !== null) {
      await updatePerson(tx, { ...person, totp_last_step: String(step) }, now);
      return { challenge: null };
    }
  }
  const hash = recoveryHash(code);
  return (await useCode(tx, { tenant, person: id, hash, now })) ? { challenge: null } : null;
}

/** Of two concurrent proofs for one session, one finds the session replaced. */
function finish(parts: Parts, who: SignedIn, take: Take, visit: Visit): Promise<string | null> {
  return parts.db.transaction(async (tx) => {
    const person = await lockPerson(tx, who.tenant, who.id);
    // Single sign-on may have become required since the first factor, which ended this session; the refusal gives that
    // reason.
    if (person !== null && who.session.stage !== "full") await refuseIfSsoRequired(tx, person);
    const taken = person === null ? null : await take(tx, person);
    if (taken === null) return null;
    const now = parts.clock.now();
    const { tenant, id, session } = who;
    const { challenge } = taken;
    if (session.stage === "full") {
      const { text, hash } = newSecret(parts.ids, tenant);
      const renewed = { tenant, id: session.id, newId: parts.ids.uuid(), hash, challenge, now };
      return (await renewSession(tx, renewed)) ? text : null;
    }
    if (!(await endSession(tx, { tenant, person: id, id: session.id, now }))) return null;
    const opened = { tenant, person: id, stage: "full", method: session.method, origin: visit } as const;
    const cookie = await openSession(parts, tx, challenge === null ? opened : { ...opened, challenge });
    const latest = await lockPerson(tx, tenant, id);
    if (latest !== null) await recordSignIn(parts, tx, latest, visit, session.method);
    return cookie;
  });
}

/** The context with which the secret of an authenticator app is sealed. */
export function totpContext(person: string): string {
  return `totp:${person}`;
}

/** Codes may be typed with or without hyphens, in any case. */
export function recoveryHash(code: string): Buffer {
  return sha256(code.toUpperCase().replace(/[^A-Z0-9]/g, ""));
}
